// io/file.c
// Reading and replacing whole files.
//
// A file is replaced by rename(2), which is atomic within one folder: a reader sees the old bytes
// or the new ones, and a full disk or a crash leaves the old ones. The price is that hard links to
// the old file keep the old bytes, and that a symbolic link is replaced by a file.
#include "io/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_PIECE 16384
#define PATH_MAX 4096
#define NAME_TRIES 100 // names of temporary files tried before giving up
#define FILE_MODE 0666 // less the user's umask, as for any new file

static cn_status fail_system(cn_error *error, const char *path, const char *what) {
    cn_status status = base_fail(error, errno == ENOMEM ? CN_ERR_MEMORY : CN_ERR_IO,
                                 "cannot %s: %s", what, strerror(errno));
    base_fail_at(error, path, 0, 0);
    return status;
}

cn_status io_file_read(const char *path, base_buffer *out, cn_error *error) {
    return io_file_read_max(path, SIZE_MAX, out, error);
}

// Reads and closes the file.
static cn_status read_stream(FILE *file, const char *path, size_t max, base_buffer *out,
                             cn_error *error) {
    cn_status status = CN_OK;
    unsigned char piece[READ_PIECE];
    size_t count;
    size_t left = max;
    while (status == CN_OK && (count = fread(piece, 1, sizeof piece, file)) > 0) {
        if (count > left) {
            status = base_fail(error, CN_ERR_INPUT, "the file has more than %zu MiB", max >> 20);
            base_fail_at(error, path, 0, 0);
            break;
        }
        left -= count;
        if (!base_buffer_append(out, piece, count)) {
            status = base_fail_memory(error);
            base_fail_at(error, path, 0, 0);
        }
    }
    if (status == CN_OK && ferror(file)) {
        status = fail_system(error, path, "read");
    }
    fclose(file);
    return status;
}

cn_status io_file_read_max(const char *path, size_t max, base_buffer *out, cn_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return fail_system(error, path, "open");
    }
    return read_stream(file, path, max, out, error);
}

cn_status io_file_read_regular(const char *path, size_t max, base_buffer *out, cn_error *error) {
    struct stat about;
    int handle = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); // a pipe would block
    if (handle < 0) {
        return fail_system(error, path, "open");
    }
    bool regular = fstat(handle, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = regular ? fdopen(handle, "rb") : NULL;
    if (!file) {
        cn_status status = regular
                               ? fail_system(error, path, "open")
                               : base_fail(error, CN_ERR_IO, "not a regular file but a %s",
                                           S_ISDIR(about.st_mode) ? "folder" : "pipe or device");
        base_fail_at(error, path, 0, 0);
        close(handle);
        return status;
    }
    return read_stream(file, path, max, out, error);
}

bool io_file_exists(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 || errno != ENOENT;
}

bool io_file_same(const char *a, const char *b) {
    struct stat of_a;
    struct stat of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static bool write_all(int handle, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t count = write(handle, bytes, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

// A new file beside path, its name in name; -1 and errno when there can be none.
static int create_beside(const char *path, char *name, size_t size) {
    for (int attempt = 0; attempt < NAME_TRIES; attempt++) {
        int length = snprintf(name, size, "%s.%ld-%d.part", path, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int handle = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
        if (handle >= 0 || errno != EEXIST) {
            return handle;
        }
    }
    return -1;
}

// A device or a pipe keeps its name, so there is nothing to be atomic about.
static cn_status write_directly(const char *path, const void *bytes, size_t size, cn_error *error) {
    int handle = open(path, O_WRONLY | O_CLOEXEC);
    if (handle < 0) {
        return fail_system(error, path, "open for writing");
    }
    cn_status status = write_all(handle, bytes, size) ? CN_OK : fail_system(error, path, "write");
    if (close(handle) != 0 && status == CN_OK) {
        status = fail_system(error, path, "write");
    }
    return status;
}

cn_status io_file_write(const char *path, const void *bytes, size_t size, cn_error *error) {
    struct stat target;
    if (stat(path, &target) == 0 && !S_ISREG(target.st_mode)) {
        return write_directly(path, bytes, size, error);
    }
    char name[PATH_MAX];
    int handle = create_beside(path, name, sizeof name);
    if (handle < 0) {
        return fail_system(error, path, "create a file beside it");
    }
    // The data must be on the disk before the name is: else a crash could leave an empty file.
    bool written = write_all(handle, bytes, size) && fsync(handle) == 0;
    int cause = errno;
    if (close(handle) != 0 && written) {
        written = false;
        cause = errno;
    }
    if (written && rename(name, path) == 0) {
        return CN_OK;
    }
    cause = written ? errno : cause;
    unlink(name);
    errno = cause;
    return fail_system(error, path, "write");
}
