// base/error.h
// Filling a cn_error. Every function returns the status it was given, so that a failing call reads
//     return base_fail(error, CN_ERR_INPUT, "W has %d rows", rows);
#ifndef CAIRN_BASE_ERROR_H
#define CAIRN_BASE_ERROR_H

#include <cairn/base.h>

// error may be NULL. Clears file, line, column and hint.
cn_status base_fail(cn_error *error, cn_status status, const char *format, ...) CN_PRINTF(3, 4);
// Adds to the last base_fail what it could not know.
void base_fail_hint(cn_error *error, const char *format, ...) CN_PRINTF(2, 3);
void base_fail_at(cn_error *error, const char *file, int32_t line, int32_t column);
// The usual ones.
cn_status base_fail_memory(cn_error *error);
cn_status base_fail_cancelled(cn_error *error);
cn_status base_fail_missing(cn_error *error); // a pointer that must be given is NULL

#endif
