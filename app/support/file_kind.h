// app/support/file_kind.h
// What sort of file a path names, by its first bytes and, for scenes, by its ending.
#ifndef CAIRN_APP_SUPPORT_FILE_KIND_H
#define CAIRN_APP_SUPPORT_FILE_KIND_H

typedef enum cn_file_kind_of {
    CN_FILE_PROBLEM, // or anything else; the reader of problems says what is wrong
    CN_FILE_RUN,
    CN_FILE_SCENE
} cn_file_kind_of;

cn_file_kind_of cn_file_kind(const char *path);

#endif
