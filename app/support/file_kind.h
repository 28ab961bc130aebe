// app/support/file_kind.h
// What sort of file a path names, by its first bytes and, for scenes, by its ending.
#ifndef CAIRN_APP_SUPPORT_FILE_KIND_H
#define CAIRN_APP_SUPPORT_FILE_KIND_H

#include <stdint.h>

typedef enum file_kind_of {
    FILE_PROBLEM = 1, // or anything else; the reader of problems says what is wrong
    FILE_RUN = 2,
    FILE_SCENE = 4
} file_kind_of;

file_kind_of file_kind(const char *path);

// EXIT_DONE when path may be one of the wanted kinds (file_kind_of, or-ed). Otherwise, as for a
// missing file, a folder, a picture or a run where a scene is wanted, reports what it is and what
// to do with it, and returns EXIT_INPUT.
int file_refuse(const char *path, uint32_t wanted);

// The path of a scene that may also be named as in the gallery, where there is no file of that
// name. *owned is to be freed.
const char *file_or_gallery(const char *input, char **owned);

#endif
