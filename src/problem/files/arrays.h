// problem/files/arrays.h
// Problems as files of arrays, NumPy's or Matrix Market's: the matrix (W of a friction problem, M of
// an LCP) in NAME.mtx or NAME.npy, its vectors beside it in NAME_q, NAME_mu (friction problems; the
// dimension is the rows over the coefficients) and, where they are there, NAME_r, NAME_u, NAME_guess.
#ifndef CAIRN_PROBLEM_FILES_ARRAYS_H
#define CAIRN_PROBLEM_FILES_ARRAYS_H

#include "io/array.h"

#include <cairn/problem.h>

// path: of the matrix, whose bytes these are.
cn_status prob_arrays_read(const cn_env *env, const char *path, const void *bytes, size_t size,
                           cn_problem **out, cn_error *error);
// Writes all files; npy: as .npy, else Matrix Market. The problem is valid.
cn_status prob_arrays_write(const cn_problem *problem, const char *path, bool npy, cn_error *error);

// The problem of arrays that are there already: q of as many numbers as A has rows, mu NULL for an
// LCP. Errors have no place.
cn_status prob_from_arrays(const cn_env *env, const io_array *A, const io_array *q,
                           const io_array *mu, cn_problem **out, cn_error *error);

#endif
