// tests/faults/file_shim.c
// Loaded into the command by LD_PRELOAD: the k-th call that changes a file (write, sync, truncate,
// create, remove, rename) fails with a chosen errno, or all of them are logged with their bytes,
// from which a test makes the states that a disk may have after a power loss. See shim.h. What
// stdio writes does not pass here, since glibc calls itself; tests limit the size of such files
// instead.
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CN_REAL(name)                                                                              \
    static __typeof__(&name) real;                                                                 \
    if (!real) {                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
    }

static cn_fault *fault_state;
static int log_file = -1;

__attribute__((constructor)) static void cn_start(void) {
    const char *path = getenv(CN_FAULT_VARIABLE);
    int file = path ? open(path, O_RDWR) : -1;
    void *state =
        file < 0 ? MAP_FAILED
                 : mmap(NULL, sizeof *fault_state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (state == MAP_FAILED) {
        return;
    }
    const char *log = ((cn_fault *)state)->log;
    log_file = log[0] ? open(log, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    fault_state = state;
}

// Whether this call fails; errno is set then.
static bool cn_fails(void) {
    if (!fault_state) {
        return false;
    }
    int64_t call = atomic_fetch_add(&fault_state->calls, 1) + 1, at = fault_state->fail_at;
    if (at == 0 || call < at || (call > at && !fault_state->lasting)) {
        return false;
    }
    atomic_fetch_add(&fault_state->failed, 1);
    errno = (int)fault_state->error;
    return true;
}

// Only files: pipes, terminals and sockets cannot be full.
static bool cn_is_file(int descriptor, bool *folder) {
    struct stat about;
    bool known = fault_state && descriptor != log_file && fstat(descriptor, &about) == 0;
    *folder = known && S_ISDIR(about.st_mode);
    return known && (S_ISREG(about.st_mode) || *folder);
}

static void put(const void *bytes, size_t size) {
    CN_REAL(write)
    if (bytes && size > 0 && real(log_file, bytes, size) != (ssize_t)size) {
        _exit(99); // a log with holes proves nothing
    }
}

static void cn_write_down(cn_file_call call, const char *name, const char *other, int64_t offset,
                          const void *bytes, size_t size) {
    if (log_file < 0) {
        return;
    }
    cn_call_head head = {.call = (int32_t)call,
                         .name_size = (int32_t)strlen(name) + 1,
                         .other_size = other ? (int32_t)strlen(other) + 1 : 0,
                         .offset = offset,
                         .size = bytes ? (int64_t)size : 0};
    put(&head, sizeof head);
    put(name, (size_t)head.name_size);
    put(other, (size_t)head.other_size);
    put(bytes, (size_t)head.size);
}

// The path of an open file, as the kernel has it.
static void cn_note(cn_file_call call, int descriptor, int64_t offset, const void *bytes,
                    size_t size) {
    char link[64], path[4096] = "";
    if (log_file < 0) {
        return;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    if (readlink(link, path, sizeof path - 1) > 0) {
        cn_write_down(call, path, NULL, offset, bytes, size);
    }
}

static void cn_absolute(const char *path, char out[4096]) {
    char here[2048] = "";
    if (path[0] == '/' || !getcwd(here, sizeof here)) {
        snprintf(out, 4096, "%s", path);
    } else {
        snprintf(out, 4096, "%s/%s", here, path);
    }
}

// ---- writing ----

ssize_t write(int descriptor, const void *bytes, size_t size) {
    CN_REAL(write)
    bool folder;
    if (!cn_is_file(descriptor, &folder)) {
        return real(descriptor, bytes, size);
    }
    int64_t at = lseek(descriptor, 0, SEEK_CUR);
    ssize_t written = cn_fails() ? -1 : real(descriptor, bytes, size);
    if (written > 0) {
        cn_note(CN_CALL_WRITE, descriptor, at, bytes, (size_t)written);
    }
    return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t at) {
    CN_REAL(pwrite64)
    ssize_t written = cn_fails() ? -1 : real(descriptor, bytes, size, at);
    if (written > 0) {
        cn_note(CN_CALL_WRITE, descriptor, at, bytes, (size_t)written);
    }
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at) {
    return pwrite64(descriptor, bytes, size, at);
}

int ftruncate64(int descriptor, off64_t length) {
    CN_REAL(ftruncate64)
    int result = cn_fails() ? -1 : real(descriptor, length);
    if (result == 0) {
        cn_note(CN_CALL_TRUNCATE, descriptor, length, NULL, 0);
    }
    return result;
}

int ftruncate(int descriptor, off_t length) {
    return ftruncate64(descriptor, length);
}

// ---- making durable ----

int fsync(int descriptor) {
    CN_REAL(fsync)
    bool folder;
    if (!cn_is_file(descriptor, &folder)) {
        return real(descriptor);
    }
    int result = cn_fails() ? -1 : real(descriptor);
    if (result == 0) {
        cn_note(folder ? CN_CALL_SYNC_FOLDER : CN_CALL_SYNC, descriptor, 0, NULL, 0);
    }
    return result;
}

int fdatasync(int descriptor) {
    return fsync(descriptor);
}

// ---- names ----

static int cn_open(const char *path, int flags, mode_t mode) {
    CN_REAL(open64)
    bool makes = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
    bool cuts = (flags & O_TRUNC) != 0 && !makes;
    if (makes && cn_fails()) {
        return -1;
    }
    int descriptor = real(path, flags, mode);
    if (descriptor >= 0 && makes) {
        cn_note(CN_CALL_CREATE, descriptor, 0, NULL, 0);
    } else if (descriptor >= 0 && cuts) {
        cn_note(CN_CALL_TRUNCATE, descriptor, 0, NULL, 0);
    }
    return descriptor;
}

#define CN_OPEN(name)                                                                              \
    int name(const char *path, int flags, ...) {                                                   \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(arguments, int) : 0;          \
        va_end(arguments);                                                                         \
        return cn_open(path, flags, mode);                                                         \
    }
CN_OPEN(open)
CN_OPEN(open64)

int unlink(const char *path) {
    CN_REAL(unlink)
    char whole[4096];
    if (access(path, F_OK) == 0 && cn_fails()) {
        return -1;
    }
    int result = real(path);
    if (result == 0) {
        cn_absolute(path, whole);
        cn_write_down(CN_CALL_REMOVE, whole, NULL, 0, NULL, 0);
    }
    return result;
}

int rename(const char *from, const char *to) {
    CN_REAL(rename)
    char whole[4096], other[4096];
    int result = cn_fails() ? -1 : real(from, to);
    if (result == 0) {
        cn_absolute(from, whole);
        cn_absolute(to, other);
        cn_write_down(CN_CALL_RENAME, whole, other, 0, NULL, 0);
    }
    return result;
}
