// problem/files/text_parts.h
// The pieces that the text formats share: Siconos matrices in their three storages, vectors, and
// the answers that we write behind a problem (docs/reference/formats.md).
#ifndef CAIRN_PROBLEM_FILES_TEXT_PARTS_H
#define CAIRN_PROBLEM_FILES_TEXT_PARTS_H

#include "io/text.h"

#include <cairn/problem.h>

// Reads a matrix of any storage. name ("W") is for errors; rows and cols are what it must be, -1
// where the file decides (a square matrix if both). Its arrays go to memory; scratch may be the
// same arena and is not given back. Entries of the sparse storages are kept, zeros included; of a
// dense matrix the zeros are dropped.
cn_status prob_matrix_read(io_text_reader *reader, const char *name, int32_t rows, int32_t cols,
                           cn_arena *memory, cn_arena *scratch, cn_csr *out);
// count numbers; what names one of them in errors ("an entry of q").
cn_status prob_vector_read(io_text_reader *reader, const char *what, int32_t count,
                           cn_arena *memory, double **out);
// The answers r, u, v, guess of the problem, as many as there are; stops at the first other word.
// rows: of r and u; dofs: of v.
cn_status prob_answers_read(io_text_reader *reader, cn_problem *problem, int32_t rows,
                            int32_t dofs);

void prob_matrix_write(io_text_writer *writer, const cn_csr *a); // sparse storage, triplets
void prob_blocks_write(io_text_writer *writer, const cn_bsr *a); // SparseBlock storage
void prob_vector_write(io_text_writer *writer, int32_t count, const double *x);
void prob_answers_write(io_text_writer *writer, const cn_problem *problem, int32_t rows,
                        int32_t dofs);

#endif
