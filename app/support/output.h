// app/support/output.h
// Files that the command writes: beside their target, then renamed over it, so that a full disk or
// a killed command leaves the old file as it was. A target that is not a regular file (a pipe, a
// device) is written to directly.
//
//     cn_output out;
//     if (!cn_output_open(&out, path)) { return CN_EXIT_FAILURE; }
//     fputs("...", out.file);
//     return cn_output_close(&out);
#ifndef CAIRN_APP_SUPPORT_OUTPUT_H
#define CAIRN_APP_SUPPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct cn_output {
    FILE *file;
    char *path, *part; // part: the file beside it; NULL: written directly
} cn_output;

// false after saying why not; the rest need not and must not be called then.
bool cn_output_open(cn_output *out, const char *path);
bool cn_output_open_in(cn_output *out, const char *folder, const char *name);
// Puts the file to its place. Returns an exit code; a full disk has been said.
int cn_output_close(cn_output *out);
// Leaves the old file as it was.
void cn_output_discard(cn_output *out);
// The three of a file whose bytes are all there.
int cn_output_bytes(const char *path, const void *bytes, size_t size);

// true when path is a folder, made if need be; false with errno set.
bool cn_folder_ensure(const char *path);

#endif
