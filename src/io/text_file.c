// io/text_file.c
// Reading in pieces until the end or the limit. Two paths are one file when device and file number
// are the same.
#include "io/text_file.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CN_READ_PIECE 16384

static cn_status cn_fail_errno(cn_error *error, const char *path, const char *what) {
    cn_status status = cn_fail(error, CN_ERR_IO, "cannot %s: %s", what, strerror(errno));
    cn_fail_at(error, path, 0, 0);
    return status;
}

cn_status cn_text_file_read(const char *path, size_t most, cn_buffer *out, cn_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return cn_fail_errno(error, path, "open");
    }
    cn_status status = CN_OK;
    unsigned char piece[CN_READ_PIECE];
    size_t count;
    size_t total = 0;
    while (status == CN_OK && (count = fread(piece, 1, sizeof piece, file)) > 0) {
        total += count;
        if (total > most) {
            status = cn_fail(error, CN_ERR_INPUT, "the file has more than %zu MiB", most >> 20);
            cn_fail_at(error, path, 0, 0);
        } else if (!cn_buffer_append(out, piece, count)) {
            status = cn_fail_memory(error);
        }
    }
    if (status == CN_OK && ferror(file)) {
        status = cn_fail_errno(error, path, "read");
    }
    fclose(file);
    return status;
}

bool cn_text_file_same(const char *a, const char *b) {
    struct stat of_a;
    struct stat of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}
