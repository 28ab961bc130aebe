// problem/files/text_parts.c
// Siconos text matrices: dense by columns, block-sparse rows, or the print-out of a CSparse matrix.
//
// The print-out has six significant digits when Siconos makes it: a matrix that went through it is
// no longer the one that was solved. Ours has seventeen and reads back bitwise identical. Every
// declared size is checked against what is left of the file before memory is taken for it.
#include "problem/files/text_parts.h"

#include "base/arena.h"
#include "base/error.h"
#include "sparse/csr.h"

#include <stdio.h>
#include <string.h>

enum { STORAGE_DENSE, STORAGE_BLOCKS, STORAGE_SPARSE, STORAGE_COUNT };
enum { ORIGIN_TRIPLET = 1, ORIGIN_CSC, ORIGIN_CSR, ORIGIN_HALF_TRIPLET };

// A matrix on its way in: the reader, where to put things, and the entries found so far.
typedef struct prob_entries {
    io_text_reader *reader;
    cn_arena *scratch;
    char number[32]; // what one number is, for errors
    char index[32];
    int32_t rows, cols;
    int64_t count, capacity;
    int32_t *row, *column;
    double *value;
} prob_entries;

static cn_status no_memory(io_text_reader *reader) {
    return io_text_fail(reader, CN_ERR_MEMORY, "out of memory");
}

static cn_status entries_allocate(prob_entries *e, int64_t capacity) {
    CN_TRY(io_text_room(e->reader, e->number, capacity));
    e->capacity = capacity;
    e->row = BASE_TAKE(e->scratch, int32_t, capacity);
    e->column = BASE_TAKE(e->scratch, int32_t, capacity);
    e->value = BASE_TAKE(e->scratch, double, capacity);
    return e->row && e->column && e->value ? CN_OK : no_memory(e->reader);
}

static void entries_add(prob_entries *e, int32_t row, int32_t column, double value) {
    e->row[e->count] = row;
    e->column[e->count] = column;
    e->value[e->count] = value;
    e->count++;
}

static cn_status index_read(prob_entries *e, int64_t low, int64_t high, int32_t *out) {
    int64_t value = 0;
    cn_status status = io_text_int(e->reader, e->index, low, high, &value);
    *out = (int32_t)value;
    return status;
}

// count integers in [low, high].
static cn_status indices_read(prob_entries *e, int32_t count, int64_t low, int64_t high,
                              int32_t **out) {
    CN_TRY(io_text_room(e->reader, e->index, count));
    *out = BASE_TAKE(e->scratch, int32_t, count);
    if (!*out) {
        return no_memory(e->reader);
    }
    for (int32_t i = 0; i < count; i++) {
        CN_TRY(index_read(e, low, high, *out + i));
    }
    return CN_OK;
}

// ---- dense ----

static cn_status dense_read(prob_entries *e) {
    int32_t size[2] = {e->rows, e->cols};
    for (int i = 0; i < 2; i++) {
        int32_t again;
        CN_TRY(index_read(e, 0, INT32_MAX, &again));
        if (again != size[i]) {
            CN_TRY(io_text_fail(e->reader, CN_ERR_INPUT, "the size is repeated as %d, not %d",
                                again, size[i]));
        }
    }
    CN_TRY(entries_allocate(e, (int64_t)e->rows * e->cols));
    for (int32_t j = 0; j < e->cols; j++) {
        for (int32_t i = 0; i < e->rows; i++) {
            double value;
            CN_TRY(io_text_real(e->reader, e->number, &value));
            if (value != 0.0) {
                entries_add(e, i, j, value);
            }
        }
    }
    return CN_OK;
}

// ---- SparseBlock ----

typedef struct block_shape {
    int32_t blocks, block_rows, block_cols;
    int32_t *row_end, *col_end; // cumulated sizes
    int32_t filled1;            // row pointers present: rows behind them are empty
    int32_t *start, *column;
} block_shape;

// Cumulated sizes must ascend to the size of the matrix.
static cn_status ends_read(prob_entries *e, int32_t count, int32_t size, int32_t **out) {
    CN_TRY(indices_read(e, count, 0, size, out));
    for (int32_t i = 1; i < count; i++) {
        if ((*out)[i] < (*out)[i - 1]) {
            return io_text_fail(e->reader, CN_ERR_INPUT,
                                "the block sizes before this point are not cumulated");
        }
    }
    if (size != (count ? (*out)[count - 1] : 0)) {
        return io_text_fail(e->reader, CN_ERR_INPUT, "the blocks end at %d where the size is %d",
                            count ? (*out)[count - 1] : 0, size);
    }
    return CN_OK;
}

static int32_t row_span(const int32_t *end, int32_t i) {
    return end[i] - (i ? end[i - 1] : 0);
}

static cn_status block_shape_read(prob_entries *e, block_shape *s) {
    int32_t filled2;
    CN_TRY(index_read(e, 0, INT32_MAX, &s->block_rows));
    CN_TRY(index_read(e, 0, INT32_MAX, &s->block_cols));

    CN_TRY(ends_read(e, s->block_rows, e->rows, &s->row_end));

    CN_TRY(ends_read(e, s->block_cols, e->cols, &s->col_end));

    CN_TRY(index_read(e, 1, (int64_t)s->block_rows + 1, &s->filled1));

    CN_TRY(index_read(e, s->blocks, s->blocks, &filled2));

    CN_TRY(indices_read(e, s->filled1, 0, s->blocks, &s->start));

    for (int32_t r = 0; r < s->filled1; r++) {
        if (s->start[r] < (r ? s->start[r - 1] : 0) || (r == 0 && s->start[r] != 0)) {
            return io_text_fail(e->reader, CN_ERR_INPUT,
                                "the row pointers before this point do not ascend from 0");
        }
    }
    if (s->start[s->filled1 - 1] != s->blocks) {
        return io_text_fail(e->reader, CN_ERR_INPUT, "the row pointers end at %d of %d blocks",
                            s->start[s->filled1 - 1], s->blocks);
    }
    return indices_read(e, s->blocks, 0, (int64_t)s->block_cols - 1, &s->column);
}

// The block's own number as a check, then its entries by columns.
static cn_status block_read(prob_entries *e, const block_shape *s, int32_t r, int32_t k) {
    int32_t number;
    int32_t c = s->column[k];
    int32_t top = r ? s->row_end[r - 1] : 0;
    int32_t left = c ? s->col_end[c - 1] : 0;
    cn_status status = index_read(e, k, k, &number);
    for (int32_t j = 0; j < row_span(s->col_end, c) && status == CN_OK; j++) {
        for (int32_t i = 0; i < row_span(s->row_end, r) && status == CN_OK; i++) {
            double value;
            status = io_text_real(e->reader, e->number, &value);
            if (status == CN_OK) {
                entries_add(e, top + i, left + j, value);
            }
        }
    }
    return status;
}

static cn_status blocks_read(prob_entries *e) {
    block_shape s = {0};
    cn_status status = index_read(e, 0, INT32_MAX, &s.blocks);
    // A matrix without blocks ends here.
    if (status != CN_OK || s.blocks == 0) {
        CN_TRY(status);
        return entries_allocate(e, 0);
    }
    status = block_shape_read(e, &s);
    CN_TRY(status);
    // The sum cannot overflow: blocks and sizes are below 2^31, and it stops above the file's size.
    int64_t entries = 0;
    for (int32_t r = 0; r + 1 < s.filled1 && status == CN_OK; r++) {
        for (int32_t k = s.start[r]; k < s.start[r + 1] && status == CN_OK; k++) {
            entries += (int64_t)row_span(s.row_end, r) * row_span(s.col_end, s.column[k]);
            status = io_text_room(e->reader, e->number, entries);
        }
    }
    if (status == CN_OK) {
        status = entries_allocate(e, entries);
    }
    for (int32_t r = 0; r + 1 < s.filled1 && status == CN_OK; r++) {
        for (int32_t k = s.start[r]; k < s.start[r + 1] && status == CN_OK; k++) {
            status = block_read(e, &s, r, k);
        }
    }
    return status;
}

// ---- sparse ----

// "triplet: 900-by-138, nzmax: 724 nnz: 724": the size again, the room of the arrays (which says
// nothing that is needed), the number of entries.
static cn_status sparse_header_read(prob_entries *e, int64_t *count) {
    char size[64];
    int64_t room;
    snprintf(size, sizeof size, "%d-by-%d", e->rows, e->cols);
    e->reader->commas = true;
    cn_status status = io_text_expect(e->reader, size);
    if (status == CN_OK) {
        status = io_text_expect(e->reader, "nzmax:");
    }
    if (status == CN_OK) {
        status = io_text_int(e->reader, e->index, 0, INT32_MAX, &room);
    }
    if (status == CN_OK) {
        status = io_text_expect(e->reader, "nnz:");
    }
    if (status == CN_OK) {
        status = io_text_int(e->reader, e->index, 0, INT32_MAX, count);
    }
    e->reader->commas = false;
    return status;
}

static cn_status triplets_read(prob_entries *e, int64_t count, bool half) {
    CN_TRY(io_text_room(e->reader, e->number, 4 * count));
    CN_TRY(entries_allocate(e, half ? 2 * count : count));
    for (int64_t k = 0; k < count; k++) {
        int32_t row = 0;
        int32_t column = 0;
        double value = 0.0;
        CN_TRY(index_read(e, 0, (int64_t)e->rows - 1, &row));
        CN_TRY(index_read(e, 0, (int64_t)e->cols - 1, &column));

        CN_TRY(io_text_expect(e->reader, ":"));

        CN_TRY(io_text_real(e->reader, e->number, &value));

        entries_add(e, row, column, value);
        if (half && row != column) {
            entries_add(e, column, row, value);
        }
    }
    return CN_OK;
}

// "col 3 : locations 7 to 9": the last one included, so an empty column ends before it starts.
static cn_status locations_read(prob_entries *e, bool by_rows, int32_t outer, int64_t count,
                                int64_t *end) {
    int32_t again;
    int64_t first = 0;
    int64_t last = 0;
    // CSR matrices were printed with the word "col" too.
    bool row_word = by_rows && io_text_next_is(e->reader, "row");
    CN_TRY(io_text_expect(e->reader, row_word ? "row" : "col"));
    CN_TRY(index_read(e, outer, outer, &again));
    CN_TRY(io_text_expect(e->reader, ":"));
    CN_TRY(io_text_expect(e->reader, "locations"));
    CN_TRY(io_text_int(e->reader, e->index, e->count, e->count, &first));
    CN_TRY(io_text_expect(e->reader, "to"));
    CN_TRY(io_text_int(e->reader, e->index, first - 1, count - 1, &last));
    *end = last + 1;
    return CN_OK;
}

static cn_status compressed_read(prob_entries *e, int64_t count, bool by_rows) {
    int32_t outer = by_rows ? e->rows : e->cols;
    int32_t inner = by_rows ? e->cols : e->rows;
    CN_TRY(io_text_room(e->reader, e->number, 3 * count));
    CN_TRY(entries_allocate(e, count));
    for (int32_t o = 0; o < outer; o++) {
        int64_t end = 0;
        CN_TRY(locations_read(e, by_rows, o, count, &end));
        while (e->count < end) {
            int32_t i = 0;
            double value = 0.0;
            CN_TRY(index_read(e, 0, (int64_t)inner - 1, &i));
            CN_TRY(io_text_expect(e->reader, ":"));

            CN_TRY(io_text_real(e->reader, e->number, &value));

            entries_add(e, by_rows ? o : i, by_rows ? i : o, value);
        }
    }
    if (e->count != count) {
        CN_TRY(io_text_fail(e->reader, CN_ERR_INPUT, "%lld entries where %lld were announced",
                            (long long)e->count, (long long)count));
    }
    return CN_OK;
}

static cn_status sparse_read(prob_entries *e) {
    int32_t origin;
    int64_t count = 0;
    CN_TRY(index_read(e, ORIGIN_TRIPLET, ORIGIN_HALF_TRIPLET, &origin));
    // The rest of this line, and CSparse's name and version on the next.
    io_text_skip_line(e->reader);
    io_text_skip_line(e->reader);
    bool triplets = origin == ORIGIN_TRIPLET || origin == ORIGIN_HALF_TRIPLET;
    if (triplets) {
        CN_TRY(io_text_expect(e->reader, "triplet:"));
    } else if (io_text_next_is(e->reader, "csr:")) {
        CN_TRY(io_text_expect(e->reader, "csr:"));
    }
    CN_TRY(sparse_header_read(e, &count));

    if (triplets) {
        return triplets_read(e, count, origin == ORIGIN_HALF_TRIPLET);
    }
    io_text_skip_line(e->reader); // the 1-norm
    return compressed_read(e, count, origin == ORIGIN_CSR);
}

// ---- any storage ----

// The size must be as wanted, and small enough for the vectors that follow every matrix.
static cn_status size_read(prob_entries *e, const char *name, int32_t rows, int32_t cols) {
    CN_TRY(index_read(e, 0, INT32_MAX, &e->rows));
    if (rows >= 0 && e->rows != rows) {
        return io_text_fail(e->reader, CN_ERR_INPUT, "%s has %d rows where %d are needed", name,
                            e->rows, rows);
    }
    CN_TRY(index_read(e, 0, INT32_MAX, &e->cols));
    cols = cols < 0 && rows < 0 ? e->rows : cols;
    if (cols >= 0 && e->cols != cols) {
        return io_text_fail(e->reader, CN_ERR_INPUT, "%s has %d columns where %d are needed", name,
                            e->cols, cols);
    }
    return io_text_room(e->reader, "an entry of a vector behind it",
                        e->rows > e->cols ? e->rows : e->cols);
}

cn_status prob_matrix_read(io_text_reader *reader, const char *name, int32_t rows, int32_t cols,
                           cn_arena *memory, cn_arena *scratch, cn_csr *out) {
    static cn_status (*const storage[STORAGE_COUNT])(prob_entries *) = {
        [STORAGE_DENSE] = dense_read,
        [STORAGE_BLOCKS] = blocks_read,
        [STORAGE_SPARSE] = sparse_read,
    };
    prob_entries e = {.reader = reader, .scratch = scratch};
    snprintf(e.number, sizeof e.number, "an entry of %s", name);
    snprintf(e.index, sizeof e.index, "an integer of %s", name);
    char what[48];
    snprintf(what, sizeof what, "the storage of %s", name);
    int64_t kind = 0;
    CN_TRY(io_text_int(reader, what, 0, STORAGE_COUNT - 1, &kind));
    CN_TRY(size_read(&e, name, rows, cols));

    CN_TRY(storage[kind](&e));
    if (sparse_csr_from_triplets(memory, e.rows, e.cols, e.count, e.row, e.column, e.value, out) !=
        CN_OK) {
        CN_TRY(no_memory(reader));
    }
    return CN_OK;
}

cn_status prob_vector_read(io_text_reader *reader, const char *what, int32_t count,
                           cn_arena *memory, double **out) {
    cn_status status = io_text_room(reader, what, count);
    CN_TRY(status);
    double *x = BASE_TAKE(memory, double, count);
    if (!x) {
        return no_memory(reader);
    }
    for (int32_t i = 0; i < count && status == CN_OK; i++) {
        status = io_text_real(reader, what, x + i);
    }
    *out = x;
    return status;
}

// ---- answers ----

typedef struct prob_answer {
    const char *word;
    double **vector;
    int32_t count;
} prob_answer;

#define ANSWERS 4

static void answers_list(cn_problem *p, int32_t rows, int32_t dofs, prob_answer list[ANSWERS]) {
    list[0] = (prob_answer){"cairn:r", &p->r, rows};
    list[1] = (prob_answer){"cairn:u", &p->u, rows};
    list[2] = (prob_answer){"cairn:v", &p->v, dofs};
    list[3] = (prob_answer){"cairn:guess", &p->guess, rows};
}

cn_status prob_answers_read(io_text_reader *reader, cn_problem *problem, int32_t rows,
                            int32_t dofs) {
    prob_answer list[ANSWERS];
    answers_list(problem, rows, dofs, list);
    for (int i = 0; i < ANSWERS; i++) {
        if (!io_text_next_is(reader, list[i].word)) {
            continue;
        }
        CN_TRY(io_text_expect(reader, list[i].word));
        CN_TRY(
            prob_vector_read(reader, list[i].word, list[i].count, problem->memory, list[i].vector));
    }
    return CN_OK;
}

// ---- writing ----

void prob_matrix_write(io_text_writer *writer, const cn_csr *a) {
    long long count = (long long)a->start[a->rows];
    io_text_print(writer, "%d\n%d\n%d\n%d\n", STORAGE_SPARSE, a->rows, a->cols, ORIGIN_TRIPLET);
    io_text_print(writer, "cairn, in the form of a CSparse print-out\n");
    io_text_print(writer, "triplet: %d-by-%d, nzmax: %lld nnz: %lld\n", a->rows, a->cols, count,
                  count);
    for (int32_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            io_text_print(writer, "    %d %d : ", i, a->column[k]);
            io_text_put_real(writer, a->value[k], '\n');
        }
    }
}

void prob_blocks_write(io_text_writer *writer, const cn_bsr *a) {
    int64_t blocks = a->start[a->block_rows];
    int32_t size = a->dim * a->block_rows;
    io_text_print(writer, "%d\n%d\n%d\n%lld\n", STORAGE_BLOCKS, size, size, (long long)blocks);
    if (blocks == 0) {
        return;
    }
    io_text_print(writer, "%d\n%d\n", a->block_rows, a->block_rows);
    for (int side = 0; side < 2; side++) {
        for (int32_t i = 1; i <= a->block_rows; i++) {
            io_text_print(writer, "%d%c", a->dim * i, i < a->block_rows ? '\t' : '\n');
        }
    }
    io_text_print(writer, "%d\n%lld\n", a->block_rows + 1, (long long)blocks);
    for (int32_t i = 0; i <= a->block_rows; i++) {
        io_text_print(writer, "%lld%c", (long long)a->start[i], i < a->block_rows ? '\t' : '\n');
    }
    for (int64_t k = 0; k < blocks; k++) {
        io_text_print(writer, "%d%c", a->column[k], k + 1 < blocks ? '\t' : '\n');
    }
    int64_t entries = (int64_t)a->dim * a->dim;
    for (int64_t k = 0; k < blocks; k++) {
        io_text_print(writer, "%lld\n", (long long)k);
        for (int64_t i = 0; i < entries; i++) {
            io_text_put_real(writer, a->value[entries * k + i], '\n');
        }
    }
}

void prob_vector_write(io_text_writer *writer, int32_t count, const double *x) {
    for (int32_t i = 0; i < count; i++) {
        io_text_put_real(writer, x[i], ' ');
    }
    io_text_print(writer, "\n");
}

void prob_answers_write(io_text_writer *writer, const cn_problem *problem, int32_t rows,
                        int32_t dofs) {
    prob_answer list[ANSWERS];
    cn_problem view = *problem; // the list points to vectors of a problem that may be written to
    answers_list(&view, rows, dofs, list);
    for (int i = 0; i < ANSWERS; i++) {
        if (*list[i].vector) {
            io_text_print(writer, "%s\n", list[i].word);
            prob_vector_write(writer, list[i].count, *list[i].vector);
        }
    }
}
