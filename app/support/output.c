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

#define CN_NAME_TRIES 100 // names of temporary files tried before giving up
#define CN_FILE_MODE 0666 // less the user's umask, as for any new file

// Files that are not yet whole, for a program that ends early because it has no memory.
#define CN_PARTS_MAX 8
static const char *cn_parts[CN_PARTS_MAX]; // NULL: none

static void cn_parts_replace(const char *from, const char *to) {
    for (int i = 0; i < CN_PARTS_MAX; i++) {
        if (cn_parts[i] == from) {
            cn_parts[i] = to;
            return;
        }
    }
}

static void cn_parts_remove(void) {
    for (int i = 0; i < CN_PARTS_MAX; i++) {
        if (cn_parts[i]) {
            unlink(cn_parts[i]);
        }
    }
}

static void cn_parts_add(const char *part) {
    static bool registered;
    if (!registered) {
        registered = atexit(cn_parts_remove) == 0;
    }
    cn_parts_replace(NULL, part);
}

static void cn_output_free(cn_output *out) {
    if (out->part) {
        cn_parts_replace(out->part, NULL);
    }
    free(out->path);
    free(out->part);
    *out = (cn_output){.file = NULL};
}

// A new file beside path, its name in *part; -1 with errno set.
static int cn_output_beside(const char *path, char **part) {
    for (int attempt = 0; attempt < CN_NAME_TRIES; attempt++) {
        char *name = cn_text("%s.%ld-%d.part", path, (long)getpid(), attempt);
        int handle = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, CN_FILE_MODE);
        if (handle >= 0) {
            *part = name;
            cn_parts_add(name);
            return handle;
        }
        free(name);
        if (errno != EEXIST) {
            break;
        }
    }
    return -1;
}

bool cn_output_open(cn_output *out, const char *path) {
    struct stat target;
    bool exists = stat(path, &target) == 0;
    *out = (cn_output){.path = cn_text("%s", path)};
    int handle = -1;
    if (exists && S_ISDIR(target.st_mode)) {
        errno = EISDIR;
    } else if (exists && !S_ISREG(target.st_mode)) {
        handle = open(path, O_WRONLY | O_CLOEXEC);
    } else if (exists && access(path, W_OK) != 0) {
        handle = -1; // a file that its owner protects is not replaced either
    } else {
        handle = cn_output_beside(path, &out->part);
    }
    out->file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (!out->file) {
        cn_report_failure("%s: cannot be written: %s", path, strerror(errno));
        if (handle >= 0) {
            close(handle);
        }
        if (out->part) {
            unlink(out->part);
        }
        cn_output_free(out);
        return false;
    }
    return true;
}

bool cn_output_open_in(cn_output *out, const char *folder, const char *name) {
    char *path = cn_text("%s/%s", folder, name);
    bool opened = cn_output_open(out, path);
    free(path);
    return opened;
}

int cn_output_close(cn_output *out) {
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
    int code = CN_EXIT_DONE;
    if (!good) {
        // A write that failed early leaves no cause: the usual one is a full disk.
        code = cn_report_failure("%s: cannot be written: %s", out->path,
                                 cause ? strerror(cause) : strerror(ENOSPC));
        if (out->part) {
            unlink(out->part);
        }
    }
    cn_output_free(out);
    return code;
}

void cn_output_discard(cn_output *out) {
    fclose(out->file);
    if (out->part) {
        unlink(out->part);
    }
    cn_output_free(out);
}

int cn_output_bytes(const char *path, const void *bytes, size_t size) {
    cn_output out;
    if (!cn_output_open(&out, path)) {
        return CN_EXIT_FAILURE;
    }
    fwrite(bytes, 1, size, out.file);
    return cn_output_close(&out);
}

bool cn_folder_ensure(const char *path) {
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
