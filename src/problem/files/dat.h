// problem/files/dat.h
// Siconos text files (".dat") of friction problems, local and global, and LCP text files
// (docs/reference/formats.md). None has a tag that says what it is: a reader tries one kind after the other.
#ifndef CAIRN_PROBLEM_FILES_DAT_H
#define CAIRN_PROBLEM_FILES_DAT_H

#include "io/text.h"

#include <cairn/problem.h>

// Each reads the whole text into a fresh problem of its kind and fails where the text cannot be
// that; a friction problem must also end with it. Arrays go to problem->memory.
typedef cn_status prob_text_read_fn(io_text_reader *reader, cn_problem *problem, cn_arena *scratch);
prob_text_read_fn prob_dat_read_local, prob_dat_read_global, prob_lcp_text_read;
// An LCP without numbers of storage: n, M by rows, q, and nothing else but comments from a '#' on.
prob_text_read_fn prob_lcp_plain_read;

// Whether the text starts as a problem with rolling friction does (five rows per contact).
bool prob_dat_is_rolling(io_text_reader *reader);

// Appends the text of a valid problem of any kind to out, with what it has of r, u, v and guess
// behind it. What is written reads back bitwise identical and the same structure.
cn_status prob_text_problem_write(const cn_problem *problem, base_buffer *out, cn_error *error);

// The part of it for one kind; a failure is kept in the writer.
void prob_lcp_text_write(io_text_writer *writer, const cn_problem *problem);

#endif
