// io/file.h
// Whole files: read into memory, written so that a failure leaves the old file as it was.
#ifndef CAIRN_IO_FILE_H
#define CAIRN_IO_FILE_H

#include "base/memory.h"

// Appends the bytes of the file to out. Errors name the file.
cn_status io_file_read(const char *path, base_buffer *out, cn_error *error);

// The same for a file of at most so many bytes; of a longer one, or an endless one, no more is read
// and it is CN_ERR_INPUT.
cn_status io_file_read_max(const char *path, size_t max, base_buffer *out, cn_error *error);
// The same for a file that another one names: what is not a regular file (a pipe, a device, which
// may block or never end) is CN_ERR_IO without a byte being read.
cn_status io_file_read_regular(const char *path, size_t max, base_buffer *out, cn_error *error);
// Whether both lead to one file, by whatever names and links; false when one leads nowhere.
bool io_file_exists(const char *path); // also one that cannot be read
bool io_file_same(const char *a, const char *b);

// Writes a file beside the target, then renames it over the target. A target that is not a regular
// file (a pipe, a device) is written to directly: renaming would replace it.
cn_status io_file_write(const char *path, const void *bytes, size_t size, cn_error *error);

#endif
