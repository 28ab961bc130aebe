// io/text_file.h
// Whole text files of bounded size, and whether two paths are one file.
#ifndef CAIRN_IO_TEXT_FILE_H
#define CAIRN_IO_TEXT_FILE_H

#include "base/memory.h"

// Appends the file's bytes to out. CN_ERR_IO when it cannot be read, CN_ERR_INPUT when it has more
// than `most` bytes; both name the file. Reads no further than that, so that endless ones end.
cn_status cn_text_file_read(const char *path, size_t most, cn_buffer *out, cn_error *error);

// Whether both lead to one file, by whatever names and links; false when one leads nowhere.
bool cn_text_file_same(const char *a, const char *b);

#endif
