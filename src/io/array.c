// io/array.c
// Matrix Market (https://math.nist.gov/MatrixMarket/formats.html): a header line, comment lines, the
// size, the entries; and columns of plain numbers. NumPy's format is in array_npy.c.
#include "io/array.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/array_parts.h"
#include "io/text.h"

#include <string.h>
#include <strings.h>

#define BANNER "%%MatrixMarket"

bool io_array_is_mtx(const void *bytes, size_t size) {
    return size >= strlen(BANNER) && memcmp(bytes, BANNER, strlen(BANNER)) == 0;
}

cn_status io_array_take(cn_arena *memory, int64_t capacity, io_array *out, cn_error *error) {
    out->row = BASE_TAKE(memory, int32_t, capacity);
    out->column = BASE_TAKE(memory, int32_t, capacity);
    out->value = BASE_TAKE(memory, double, capacity);
    return out->row && out->column && out->value ? CN_OK : base_fail_memory(error);
}

void io_array_add(io_array *array, int32_t row, int32_t column, double value) {
    array->row[array->count] = row;
    array->column[array->count] = column;
    array->value[array->count++] = value;
}

// ---- Matrix Market ----

typedef enum mtx_symmetry { MTX_GENERAL, MTX_SYMMETRIC, MTX_SKEW } mtx_symmetry;

typedef struct mtx_header {
    bool coordinate, pattern;
    mtx_symmetry symmetry;
} mtx_header;

static bool word_is(const char *word, size_t length, const char *text) {
    return length == strlen(text) && strncasecmp(word, text, length) == 0;
}

// One of count words; its index.
static cn_status choose(io_text_reader *reader, const char *what, const char *const *words,
                        int32_t count, int32_t *index) {
    const char *word;
    size_t length;
    CN_TRY(io_text_word(reader, what, &word, &length));
    for (*index = 0; *index < count; ++*index) {
        if (word_is(word, length, words[*index])) {
            return CN_OK;
        }
    }
    return io_text_fail(reader, CN_ERR_UNSUPPORTED, "%s \"%.*s\" of Matrix Market is not read",
                        what, (int)(length < 40 ? length : 40), word);
}

static cn_status header_read(io_text_reader *reader, mtx_header *out) {
    static const char *const objects[] = {"matrix", "vector"};
    static const char *const formats[] = {"array", "coordinate"};
    static const char *const fields[] = {"real", "double", "integer", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    int32_t object, format, field, symmetry;
    CN_TRY(io_text_expect(reader, BANNER));
    CN_TRY(choose(reader, "the object", objects, 2, &object));
    CN_TRY(choose(reader, "the format", formats, 2, &format));
    CN_TRY(choose(reader, "the field", fields, 4, &field));
    CN_TRY(choose(reader, "the symmetry", symmetries, 3, &symmetry));
    *out = (mtx_header){format == 1, field == 3, (mtx_symmetry)symmetry};
    if (out->pattern && !out->coordinate) {
        return io_text_fail(reader, CN_ERR_INPUT, "a pattern has entries, not an array");
    }
    io_text_skip_line(reader);
    const char *word;
    size_t length;
    while (io_text_peek(reader, &word, &length) && word[0] == '%') {
        io_text_skip_line(reader);
    }
    return CN_OK;
}

static void add_mirrored(io_array *array, const mtx_header *header, int32_t i, int32_t j,
                         double value) {
    io_array_add(array, i, j, value);
    if (header->symmetry != MTX_GENERAL && i != j) {
        io_array_add(array, j, i, header->symmetry == MTX_SKEW ? -value : value);
    }
}

static cn_status coordinate_read(io_text_reader *reader, const mtx_header *header, int64_t count,
                                 io_array *out) {
    for (int64_t k = 0; k < count; k++) {
        int64_t i = 0, j = 0;
        double value = 1.0;
        CN_TRY(io_text_int(reader, "a row", 1, out->rows, &i));
        CN_TRY(io_text_int(reader, "a column", 1, out->cols, &j));
        if (!header->pattern) {
            CN_TRY(io_text_real(reader, "an entry", &value));
        }
        add_mirrored(out, header, (int32_t)i - 1, (int32_t)j - 1, value);
    }
    return CN_OK;
}

// By columns; of a symmetric one the lower triangle, of a skew one without its diagonal.
static cn_status dense_read(io_text_reader *reader, const mtx_header *header, io_array *out) {
    for (int32_t j = 0; j < out->cols; j++) {
        int32_t first = header->symmetry == MTX_GENERAL     ? 0
                        : header->symmetry == MTX_SYMMETRIC ? j
                                                            : j + 1;
        for (int32_t i = first; i < out->rows; i++) {
            double value;
            CN_TRY(io_text_real(reader, "an entry", &value));
            if (value != 0.0 || out->cols == 1) {
                add_mirrored(out, header, i, j, value);
            }
        }
    }
    return CN_OK;
}

static cn_status mtx_read(io_text_reader *reader, cn_arena *memory, io_array *out) {
    mtx_header header;
    int64_t rows = 0, cols = 0, count = 0;
    CN_TRY(header_read(reader, &header));
    CN_TRY(io_text_int(reader, "the number of rows", 0, INT32_MAX, &rows));
    CN_TRY(io_text_int(reader, "the number of columns", 0, INT32_MAX, &cols));
    out->rows = (int32_t)rows;
    out->cols = (int32_t)cols;
    if (header.symmetry != MTX_GENERAL && rows != cols) {
        return io_text_fail(reader, CN_ERR_INPUT, "a symmetric matrix of %lld x %lld",
                            (long long)rows, (long long)cols);
    }
    if (header.coordinate) {
        CN_TRY(io_text_int(reader, "the number of entries", 0, INT64_MAX / 8, &count));
        CN_TRY(io_text_room(reader, "an entry", count));
    } else {
        // A triangle has at least half of a square.
        count = header.symmetry == MTX_GENERAL ? rows * cols : rows * (rows - 1) / 2;
        CN_TRY(io_text_room(reader, "an entry", count));
        count = header.symmetry == MTX_GENERAL ? count : count + rows;
    }
    int64_t capacity = header.symmetry == MTX_GENERAL ? count : 2 * count;
    CN_TRY(io_array_take(memory, capacity, out, reader->error));
    CN_TRY(header.coordinate ? coordinate_read(reader, &header, count, out)
                             : dense_read(reader, &header, out));
    const char *word;
    size_t length;
    return io_text_peek(reader, &word, &length)
               ? io_text_fail(reader, CN_ERR_INPUT, "the file goes on where the matrix ends")
               : CN_OK;
}

// ---- a column of numbers ----

static cn_status column_read(io_text_reader *reader, cn_arena *memory, io_array *out) {
    const char *word;
    size_t length;
    int64_t count = 0;
    io_text_reader counter = *reader;
    counter.commas = reader->commas = true;
    while (io_text_peek(&counter, &word, &length)) {
        CN_TRY(io_text_word(&counter, "a number", &word, &length));
        count++;
    }
    if (count > INT32_MAX) {
        return io_text_fail(reader, CN_ERR_UNSUPPORTED, "more than %d numbers", INT32_MAX);
    }
    CN_TRY(io_array_take(memory, count, out, reader->error));
    out->rows = (int32_t)count;
    out->cols = 1;
    for (int32_t i = 0; i < out->rows; i++) {
        double value;
        CN_TRY(io_text_real(reader, "a number", &value));
        io_array_add(out, i, 0, value);
    }
    return CN_OK;
}

cn_status io_array_read(const char *name, const void *bytes, size_t size, cn_arena *memory,
                        io_array *out, cn_error *error) {
    *out = (io_array){0};
    if (io_array_is_npy(bytes, size)) {
        cn_status status = io_npy_read(bytes, size, memory, out, error);
        if (status != CN_OK) {
            base_fail_at(error, name, 0, 0);
        }
        return status;
    }
    io_text_reader reader;
    if (!io_text_open(&reader, name, bytes, size, error)) {
        return base_fail_memory(error);
    }
    cn_status status = io_array_is_mtx(bytes, size) ? mtx_read(&reader, memory, out)
                                                    : column_read(&reader, memory, out);
    io_text_close(&reader);
    return status;
}

// ---- writing ----

cn_status io_mtx_write(base_buffer *out, const io_array *array, cn_error *error) {
    io_text_writer writer;
    io_text_begin(&writer, out);
    io_text_print(&writer, "%s matrix %s real general\n", BANNER,
                  array->row ? "coordinate" : "array");
    io_text_print(&writer, "%d %d", array->rows, array->cols);
    if (array->row) {
        io_text_print(&writer, " %lld", (long long)array->count);
    }
    io_text_print(&writer, "\n");
    for (int64_t k = 0; k < array->count; k++) {
        if (array->row) {
            io_text_print(&writer, "%d %d ", array->row[k] + 1, array->column[k] + 1);
        }
        io_text_put_real(&writer, array->value[k], '\n');
    }
    return io_text_end(&writer) ? CN_OK : base_fail_memory(error);
}
