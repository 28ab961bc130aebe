// app/support/output.h
// Files that the command writes: beside their target, then renamed over it, so that a full disk or
// a killed command leaves the old file as it was. A target that is not a regular file (a pipe, a
// device) is written to directly.
//
//     output_file out;
//     if (!output_open(&out, path)) { return EXIT_FAILED; }
//     fputs("...", out.file);
//     return output_close(&out);
#ifndef CAIRN_APP_SUPPORT_OUTPUT_H
#define CAIRN_APP_SUPPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct output_file {
    FILE *file;
    char *path, *part; // part: the file beside it; NULL: written directly
} output_file;

// false after saying why not; the rest need not and must not be called then.
bool output_open(output_file *out, const char *path);
bool output_open_in(output_file *out, const char *folder, const char *name);
// Puts the file to its place. Returns an exit code; a full disk has been said.
int output_close(output_file *out);
// Leaves the old file as it was.
void output_discard(output_file *out);
// The three of a file whose bytes are all there.
int output_bytes(const char *path, const void *bytes, size_t size);

// true when path is a folder, made if need be; false with errno set.
bool folder_ensure(const char *path);

#endif
