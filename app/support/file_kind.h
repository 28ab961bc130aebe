// app/support/file_kind.h
// What sort of file a path names, by its first bytes and, for scenes, by its ending.
#ifndef CAIRN_APP_SUPPORT_FILE_KIND_H
#define CAIRN_APP_SUPPORT_FILE_KIND_H

typedef enum file_kind_of {
    FILE_PROBLEM, // or anything else; the reader of problems says what is wrong
    FILE_RUN,
    FILE_SCENE
} file_kind_of;

file_kind_of file_kind(const char *path);

#endif
