// app/support/file_kind.c
// Telling run files, scenes and problems apart; see file_kind.h.
#include "support/file_kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HEAD_BYTES 8192 // a scene says "cairn:" within these, after its comment

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), want = strlen(ending);
    return length >= want && strcmp(text + length - want, ending) == 0;
}

// A line that starts with "cairn:", as every scene has.
static bool has_cairn_key(const char *head) {
    for (const char *at = head; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, "cairn:", 6) == 0) {
            return true;
        }
    }
    return false;
}

file_kind_of file_kind(const char *path) {
    static const char magic[] = "SQLite format 3"; // with its final zero
    static const char *const endings[] = {".yaml", ".yml", ".json"};
    char head[HEAD_BYTES + 1] = {0};
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(head, 1, HEAD_BYTES, file) : 0;
    if (file) {
        fclose(file);
    }
    if (size >= sizeof magic && memcmp(head, magic, sizeof magic) == 0) {
        return FILE_RUN;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (ends_with(path, endings[i])) {
            return FILE_SCENE;
        }
    }
    return has_cairn_key(head) ? FILE_SCENE : FILE_PROBLEM;
}
