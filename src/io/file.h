// io/file.h
// Whole files: read into memory, written so that a failure leaves the old file as it was.
#ifndef CAIRN_IO_FILE_H
#define CAIRN_IO_FILE_H

#include "base/memory.h"

// Appends the bytes of the file to out. Errors name the file.
cn_status cn_file_read(const char *path, cn_buffer *out, cn_error *error);

// Writes a file beside the target, then renames it over the target. A target that is not a regular
// file (a pipe, a device) is written to directly: renaming would replace it.
cn_status cn_file_write(const char *path, const void *bytes, size_t size, cn_error *error);

#endif
