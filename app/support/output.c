// app/support/output.c
// Writing files beside their targets; see output.h. The data are on the disk before the name is:
// else a crash of the machine could leave an empty file.
#include "support/output.h"

#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_TRIES 100 // names of temporary files tried before giving up
#define FILE_MODE 0666 // less the user's umask, as for any new file

// Files that are not yet whole, for a program that ends early because it has no memory.
#define PARTS_MAX 8
static const char *unfinished_files[PARTS_MAX]; // NULL: none

static void unfinished_files_replace(const char *from, const char *to) {
    for (int i = 0; i < PARTS_MAX; i++) {
        if (unfinished_files[i] == from) {
            unfinished_files[i] = to;
            return;
        }
    }
}

static void unfinished_files_remove(void) {
    for (int i = 0; i < PARTS_MAX; i++) {
        if (unfinished_files[i]) {
            unlink(unfinished_files[i]);
        }
    }
}

static void unfinished_files_add(const char *part) {
    static bool registered;
    if (!registered) {
        registered = atexit(unfinished_files_remove) == 0;
    }
    unfinished_files_replace(NULL, part);
}

static void output_free(output_file *out) {
    if (out->part) {
        unfinished_files_replace(out->part, NULL);
    }
    free(out->path);
    free(out->part);
    *out = (output_file){.file = NULL};
}

// A new file beside path, its name in *part; -1 with errno set.
static int output_beside(const char *path, char **part) {
    for (int attempt = 0; attempt < NAME_TRIES; attempt++) {
        char *name = format_text("%s.%ld-%d.part", path, (long)getpid(), attempt);
        int handle = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
        if (handle >= 0) {
            *part = name;
            unfinished_files_add(name);
            return handle;
        }
        free(name);
        if (errno != EEXIST) {
            break;
        }
    }
    return -1;
}

bool output_open(output_file *out, const char *path) {
    struct stat target;
    bool exists = stat(path, &target) == 0;
    *out = (output_file){.path = format_text("%s", path)};
    int handle = -1;
    if (exists && S_ISDIR(target.st_mode)) {
        errno = EISDIR;
    } else if (exists && !S_ISREG(target.st_mode)) {
        handle = open(path, O_WRONLY | O_CLOEXEC);
    } else if (exists && access(path, W_OK) != 0) {
        handle = -1; // a file that its owner protects is not replaced either
    } else {
        handle = output_beside(path, &out->part);
    }
    out->file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (!out->file) {
        report_failure("%s: cannot be written: %s", path, strerror(errno));
        if (handle >= 0) {
            close(handle);
        }
        if (out->part) {
            unlink(out->part);
        }
        output_free(out);
        return false;
    }
    return true;
}

bool output_open_in(output_file *out, const char *folder, const char *name) {
    char *path = format_text("%s/%s", folder, name);
    bool opened = output_open(out, path);
    free(path);
    return opened;
}

int output_close(output_file *out) {
    errno = 0;
    bool good = fflush(out->file) == 0 && !ferror(out->file);
    good = good && (!out->part || fsync(fileno(out->file)) == 0);
    int cause = errno;
    if (fclose(out->file) != 0 && good) {
        good = false;
        cause = errno;
    }
    if (good && out->part && rename(out->part, out->path) != 0) {
        good = false;
        cause = errno;
    }
    int code = EXIT_DONE;
    if (!good) {
        // A write that failed early leaves no cause: the usual one is a full disk.
        code = report_failure("%s: cannot be written: %s", out->path,
                              cause ? strerror(cause) : strerror(ENOSPC));
        if (out->part) {
            unlink(out->part);
        }
    }
    output_free(out);
    return code;
}

void output_discard(output_file *out) {
    fclose(out->file);
    if (out->part) {
        unlink(out->part);
    }
    output_free(out);
}

int output_bytes(const char *path, const void *bytes, size_t size) {
    output_file out;
    if (!output_open(&out, path)) {
        return EXIT_FAILED;
    }
    fwrite(bytes, 1, size, out.file);
    return output_close(&out);
}

bool folder_ensure(const char *path) {
    struct stat about;
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    if (errno == EEXIST && stat(path, &about) == 0 && !S_ISDIR(about.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    return errno == EEXIST;
}
