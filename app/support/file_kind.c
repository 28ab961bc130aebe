// app/support/file_kind.c
// Telling run files, scenes and problems apart; see file_kind.h.
#include "support/file_kind.h"

#include "support/arguments.h"
#include "support/gallery.h"
#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Up to HEAD_BYTES, how many there were. Without a stream, which needs memory: a run is not to be
// taken for something else because there is none.
static size_t read_head(const char *path, char *head) {
    size_t size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t more = file >= 0 ? 1 : 0;
    while (more > 0 && size < HEAD_BYTES) {
        more = read(file, head + size, HEAD_BYTES - size);
        size += more > 0 ? (size_t)more : 0;
    }
    if (file >= 0) {
        close(file);
    }
    return size;
}

// A problem file for certain: HDF5, or text that begins with a number.
static bool is_problem(const char *head, size_t size) {
    static const char magic[] = "\x89HDF\r\n\x1A\n";
    size_t blank = strspn(head, " \t\r\n");
    return (size >= 8 && memcmp(head, magic, 8) == 0) ||
           (blank < size && head[blank] >= '0' && head[blank] <= '9');
}

static file_kind_of kind_of_head(const char *path, const char *head, size_t size) {
    static const char magic[] = "SQLite format 3"; // with its final zero
    static const char *const endings[] = {".yaml", ".yml", ".json"};
    if (size >= sizeof magic && memcmp(head, magic, sizeof magic) == 0) {
        return FILE_RUN;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (ends_with(path, endings[i])) {
            return FILE_SCENE;
        }
    }
    return has_cairn_key(head) && !is_problem(head, size) ? FILE_SCENE : FILE_PROBLEM;
}

file_kind_of file_kind(const char *path) {
    char head[HEAD_BYTES + 1] = {0};
    size_t size = read_head(path, head);
    return kind_of_head(path, head, size);
}

const char *file_or_gallery(const char *input, char **owned) {
    *owned = access(input, F_OK) == 0 ? NULL : gallery_path(input);
    return *owned ? *owned : input;
}

// ---- files that are not what a command reads ----

// How files of other programs begin.
static const struct {
    const char *begins, *what;
} foreign[] = {
    {"\x89PNG", "a PNG picture"},
    {"\xFF\xD8\xFF", "a JPEG picture"},
    {"%PDF", "a PDF document"},
    {"PK\x03\x04", "a ZIP archive"},
    {"\x1F\x8B", "a gzip archive; unpack it first"},
    {"\x7F"
     "ELF",
     "a program or library"},
    {"glTF", "a glTF animation"},
    {"<!DOCTYPE", "a web page"},
    {"<html", "a web page"},
    {"<svg", "an SVG picture"},
    {"<mujoco", "a MuJoCo model (MJCF)"},
    {"<robot", "a robot description (URDF)"},
    {"<?xml", "an XML file"},
    {"solid ", "an STL mesh; a scene's body loads it with shape: {mesh: {file: ...}}"},
};

static const char *foreign_text(const char *head, size_t size) {
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        size_t length = strlen(foreign[i].begins);
        if (size >= length && memcmp(head, foreign[i].begins, length) == 0) {
            return foreign[i].what;
        }
    }
    return NULL;
}

static const char *wanted_text(uint32_t wanted) {
    static const char *const texts[] = {[FILE_PROBLEM] = "a problem file",
                                        [FILE_RUN] = "a run file",
                                        [FILE_SCENE] = "a scene",
                                        [FILE_RUN | FILE_PROBLEM] = "a run file or a problem file",
                                        [FILE_RUN | FILE_SCENE] = "a run file or a scene"};
    return wanted < sizeof texts / sizeof texts[0] && texts[wanted] ? texts[wanted]
                                                                    : "a file of cairn";
}

// What to do with a file of that kind.
static void advise(cn_error *error, const char *path, file_kind_of kind, uint32_t wanted) {
    char *hint;
    if (kind == FILE_PROBLEM) {
        hint = format_text("solve it: cairn solve %s", path);
    } else if (kind == FILE_SCENE && wanted == (FILE_RUN | FILE_PROBLEM)) {
        hint = format_text("validate it: cairn info %s; simulate it: cairn run %s", path, path);
    } else if (kind == FILE_SCENE) {
        hint = format_text("simulate it: cairn run %s", path);
    } else if (wanted == FILE_PROBLEM) {
        hint = format_text("write its one-step problems: cairn export %s --to fclib", path);
    } else {
        hint = format_text("continue it: cairn resume %s; see it: cairn view %s", path, path);
    }
    snprintf(error->hint, sizeof error->hint, "%s", hint);
    free(hint);
}

// The file of a folder whose name is nearest to that of path. To be freed; NULL: none is near.
static char *nearest_file(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *folder = slash ? format_text("%.*s", (int)(slash - path + 1), path) : format_text(".");
    word_list names = {0};
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open)) != NULL && names.count < 4096;) {
        if (entry->d_name[0] != '.') {
            word_list_add(&names, format_text("%s", entry->d_name));
        }
    }
    if (open) {
        closedir(open);
    }
    const char *near = cn_nearest_name(name, names.words, names.count);
    char *found = near ? format_text("%.*s%s", (int)(name - path), path, near) : NULL;
    for (int32_t i = 0; i < names.count; i++) {
        free((char *)names.words[i]);
    }
    free(names.words);
    free(folder);
    return found;
}

static void describe_missing(cn_error *error, const char *path, uint32_t wanted) {
    char *folder = wanted & FILE_SCENE && !strchr(path, '/') ? gallery_folder_path() : NULL;
    char *file = nearest_file(path);
    bool named = folder && !strchr(path, '.');
    snprintf(error->message, sizeof error->message, "there is no such file%s",
             named ? ", and no scene of that name in the gallery" : "");
    if (named) {
        gallery_folder gallery = gallery_open();
        const char *near = gallery_nearest(&gallery, path);
        snprintf(error->hint, sizeof error->hint, "%s%s%scairn gallery lists its scenes",
                 near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
        gallery_close(&gallery);
    } else if (file) {
        snprintf(error->hint, sizeof error->hint, "did you mean '%s'?", file);
    }
    free(file);
    free(folder);
}

int file_refuse(const char *path, uint32_t wanted) {
    char head[HEAD_BYTES + 1] = {0};
    struct stat about;
    cn_error error = {.status = CN_ERR_INPUT};
    snprintf(error.file, sizeof error.file, "%s", path);
    if (stat(path, &about) != 0) {
        if (errno != ENOENT) {
            return EXIT_DONE; // the reader says why it cannot be opened
        }
        describe_missing(&error, path, wanted);
        return report_error(&error);
    }
    if (S_ISDIR(about.st_mode)) {
        snprintf(error.message, sizeof error.message, "this is a folder, not %s",
                 wanted_text(wanted));
        return report_error(&error);
    }
    size_t size = S_ISREG(about.st_mode) ? read_head(path, head) : 0;
    file_kind_of kind = kind_of_head(path, head, size);
    const char *other = foreign_text(head, size);
    bool unknown = kind == FILE_PROBLEM && !is_problem(head, size);
    if (!other && (size == 0 || kind & wanted || unknown)) {
        return EXIT_DONE; // what is unknown its reader explains
    }
    snprintf(error.message, sizeof error.message, "this is %s, not %s",
             other ? other : wanted_text(kind), wanted_text(wanted));
    if (!other) {
        advise(&error, path, kind, wanted);
    }
    return report_error(&error);
}
