// problem/files/fclib.h
// Friction problems as FCLIB HDF5 files: the collection's own layout (docs/reference/formats.md), local and
// global.
#ifndef CAIRN_PROBLEM_FILES_FCLIB_H
#define CAIRN_PROBLEM_FILES_FCLIB_H

#include "base/memory.h"

#include <cairn/problem.h>

// A fresh problem from the bytes of a file; name stands for it in errors and warnings. The data is
// checked as far as the layout goes; cn_problem_validate is for the caller.
cn_status prob_fclib_read(const cn_env *env, const char *name, const void *bytes, size_t size,
                          cn_problem **out, cn_error *error);

// Appends the file to out. The problem must be valid; a local one assembled. What is written reads
// back with bitwise identical and the same structure.
cn_status prob_fclib_write(const cn_problem *problem, base_buffer *out, cn_error *error);

#endif
