// io/array_npy.c
// NumPy's .npy (numpy.lib.format): a magic word, a version, the length of a header that is a Python
// dictionary in text, and the numbers as they are in memory. Read are real and whole numbers,
// little-endian, of at most two dimensions; written is float64 by rows.
#include "base/arena.h"
#include "base/error.h"
#include "io/array_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6
#define HEADER_MAX 65536
#define ALIGNMENT 64 // of the numbers in what is written

typedef double number_fn(const unsigned char *at);

#define NUMBER_OF(name, type)                                                                      \
    static double number_##name(const unsigned char *at) {                                         \
        type value;                                                                                \
        memcpy(&value, at, sizeof value);                                                          \
        return (double)value;                                                                      \
    }
NUMBER_OF(f8, double)
NUMBER_OF(f4, float)
NUMBER_OF(i8, int64_t)
NUMBER_OF(i4, int32_t)
NUMBER_OF(i2, int16_t)
NUMBER_OF(i1, int8_t)
NUMBER_OF(u1, uint8_t)

static const struct {
    const char *descr;
    size_t size;
    number_fn *number;
} kinds[] = {{"'<f8'", 8, number_f8}, {"'<f4'", 4, number_f4}, {"'<i8'", 8, number_i8},
             {"'<i4'", 4, number_i4}, {"'<i2'", 2, number_i2}, {"'|i1'", 1, number_i1},
             {"'|u1'", 1, number_u1}, {"'|b1'", 1, number_u1}};

bool io_array_is_npy(const void *bytes, size_t size) {
    return size >= MAGIC_SIZE && memcmp(bytes, MAGIC, MAGIC_SIZE) == 0;
}

typedef struct npy_header {
    int32_t kind;
    bool by_columns;
    int64_t rows, cols;
    size_t data; // where the numbers begin
} npy_header;

// What stands behind "'key':" in the dictionary; NULL: nothing does.
static const char *value_of(const char *text, const char *key) {
    const char *at = strstr(text, key);
    at = at ? strchr(at + strlen(key), ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

// "(3,)" or "(3, 4)"; "()" is one number.
static bool shape_read(const char *at, npy_header *header) {
    int64_t size[2] = {1, 1};
    int32_t count = 0;
    if (*at++ != '(') {
        return false;
    }
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, ", ")) {
        char *end;
        long long value = strtoll(at, &end, 10);
        if (end == at || count == 2 || value < 0 || value > INT32_MAX) {
            return false;
        }
        size[count++] = value;
        at = end;
    }
    header->rows = size[0];
    header->cols = size[1];
    return true;
}

static cn_status header_read(const unsigned char *bytes, size_t size, cn_arena *memory,
                             npy_header *out, cn_error *error) {
    size_t start = size > 7 && bytes[6] >= 2 ? 12 : 10, length = 0;
    if (size < start) {
        return base_fail(error, CN_ERR_INPUT, "the NumPy file is cut short");
    }
    for (size_t i = start - 1; i >= 8; i--) {
        length = 256 * length + bytes[i];
    }
    if (length > HEADER_MAX || length > size - start) {
        return base_fail(error, CN_ERR_INPUT, "the NumPy file is cut short or damaged");
    }
    const char *text = base_arena_text(memory, (const char *)bytes + start, length);
    if (!text) {
        return base_fail_memory(error);
    }
    const char *descr = value_of(text, "'descr'"), *order = value_of(text, "'fortran_order'"),
               *shape = value_of(text, "'shape'");
    if (!descr || !order || !shape || !shape_read(shape, out)) {
        return base_fail(error, CN_ERR_INPUT,
                         "the header of the NumPy file has no shape of one or two dimensions, or "
                         "is damaged");
    }
    out->by_columns = strncmp(order, "True", 4) == 0;
    out->data = start + length;
    int32_t count = (int32_t)(sizeof kinds / sizeof kinds[0]);
    for (out->kind = 0; out->kind < count; out->kind++) {
        if (strncmp(descr, kinds[out->kind].descr, strlen(kinds[0].descr)) == 0) {
            return CN_OK;
        }
    }
    base_fail(error, CN_ERR_UNSUPPORTED, "a NumPy array of type %.20s", descr);
    base_fail_hint(error, "save it as numpy.asarray(a, dtype='<f8')");
    return CN_ERR_UNSUPPORTED;
}

cn_status io_npy_read(const void *bytes, size_t size, cn_arena *memory, io_array *out,
                      cn_error *error) {
    npy_header header = {0};
    CN_TRY(header_read(bytes, size, memory, &header, error));
    size_t each = kinds[header.kind].size, count;
    const unsigned char *data = (const unsigned char *)bytes + header.data;
    if (__builtin_mul_overflow((size_t)header.rows, (size_t)header.cols, &count) ||
        count > (size - header.data) / each) {
        return base_fail(error, CN_ERR_INPUT, "the NumPy file is cut short: %lld x %lld numbers",
                         (long long)header.rows, (long long)header.cols);
    }
    out->rows = (int32_t)header.rows;
    out->cols = (int32_t)header.cols;
    CN_TRY(io_array_take(memory, (int64_t)count, out, error));
    for (size_t k = 0; k < count; k++) {
        double value = kinds[header.kind].number(data + each * k);
        size_t i = header.by_columns ? k % (size_t)header.rows : k / (size_t)header.cols;
        size_t j = header.by_columns ? k / (size_t)header.rows : k % (size_t)header.cols;
        if (!isfinite(value)) {
            return base_fail(error, CN_ERR_INPUT, "entry (%zu, %zu) is not a finite number", i, j);
        }
        if (value != 0.0 || signbit(value) || out->cols == 1) {
            io_array_add(out, (int32_t)i, (int32_t)j, value);
        }
    }
    return CN_OK;
}

cn_status io_npy_write(base_buffer *out, int32_t rows, int32_t cols, const double *value,
                       cn_error *error) {
    char header[256], shape[64];
    snprintf(shape, sizeof shape, cols > 0 ? "(%d, %d)" : "(%d,)", rows, cols);
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape);
    size_t used = 10 + (size_t)length + 1, pad = (ALIGNMENT - used % ALIGNMENT) % ALIGNMENT;
    size_t whole = (size_t)length + pad + 1;
    unsigned char start[10] = MAGIC "\1";
    start[8] = (unsigned char)(whole & 0xff);
    start[9] = (unsigned char)(whole >> 8);
    memset(header + length, ' ', pad);
    header[length + (int)pad] = '\n';
    size_t numbers = (size_t)rows * (size_t)(cols > 0 ? cols : 1) * sizeof *value;
    return base_buffer_append(out, start, sizeof start) && base_buffer_append(out, header, whole) &&
                   base_buffer_append(out, value, numbers)
               ? CN_OK
               : base_fail_memory(error);
}
