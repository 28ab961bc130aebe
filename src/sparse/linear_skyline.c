// sparse/linear_skyline.c
// Skyline (envelope) Cholesky, P A P' = L L', of a sparse positive definite matrix.
//
// Row i of L is stored from its first nonzero column to the diagonal; no fill leaves that envelope.
// P is the reverse Cuthill-McKee order: breadth-first from an end of the graph, neighbours by
// rising degree, turned round. Reference: George and Liu, "Computer Solution of Large Sparse
// Positive Definite Systems", 1981, chapter 4.
//
// Own kernel throughout: bitwise identical on every machine, and no part under the GPL. Fine for
// chains, walls and 2D meshes; for large 3D meshes the envelope grows as n^(5/3): use "cholmod".
#include "sparse/linear.h"

#include "base/arena.h"
#include "base/cancel.h"

#include <math.h>
#include <string.h>

typedef struct skyline {
    int32_t *order; // order[i]: the row of A that comes i-th
    int32_t *place; // the inverse
    int32_t *first; // first column of row i of L
    int64_t *start; // where column 0 of row i would be in L: entry (i, j) is L[start[i] + j]
    int64_t size;
    double *L;
    double *x; // one column, permuted
} skyline;

// The graph of A without its diagonal: both directions of every stored off-diagonal entry.
typedef struct sparse_graph {
    int64_t *start;
    int32_t *neighbour;
} sparse_graph;

static cn_status graph_build(cn_arena *memory, const cn_csr *A, sparse_graph *graph) {
    int32_t n = A->rows;
    graph->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)n + 2);
    graph->neighbour = BASE_TAKE(memory, int32_t, 2 * (A->start[n] - n));
    if (!graph->start || !graph->neighbour) {
        return CN_ERR_MEMORY;
    }
    // Degrees are counted two places on, so that filling leaves the starts where they belong.
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = A->start[i]; k + 1 < A->start[i + 1]; k++) {
            graph->start[i + 2]++;
            graph->start[A->column[k] + 2]++;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        graph->start[i + 2] += graph->start[i + 1];
    }
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = A->start[i]; k + 1 < A->start[i + 1]; k++) {
            graph->neighbour[graph->start[i + 1]++] = A->column[k];
            graph->neighbour[graph->start[A->column[k] + 1]++] = i;
        }
    }
    return CN_OK;
}

static int64_t degree_of(const sparse_graph *graph, int32_t i) {
    return graph->start[i + 1] - graph->start[i];
}

// Breadth-first from root over vertices with mark[i] != stamp; lists them in queue, neighbours by
// rising degree. Returns how many; *depth: the number of levels.
static int32_t walk(const sparse_graph *graph, int32_t root, int32_t stamp, int32_t *mark,
                    int32_t *queue, int32_t *depth) {
    int32_t count = 0, level_end = 1;
    *depth = 0;
    mark[root] = stamp;
    queue[count++] = root;
    for (int32_t head = 0; head < count; head++) {
        if (head == level_end) {
            level_end = count;
            (*depth)++;
        }
        int32_t added = count;
        for (int64_t k = graph->start[queue[head]]; k < graph->start[queue[head] + 1]; k++) {
            int32_t next = graph->neighbour[k];
            if (mark[next] == stamp) {
                continue;
            }
            mark[next] = stamp;
            int32_t at = count++; // insertion by degree among those just added
            for (; at > added && degree_of(graph, queue[at - 1]) > degree_of(graph, next); at--) {
                queue[at] = queue[at - 1];
            }
            queue[at] = next;
        }
    }
    return count;
}

#define END_SEARCHES 8 // a far end is found in two or three walks

// Reverse Cuthill-McKee, component by component, each from a vertex at an end of it.
static void order_graph(const sparse_graph *graph, int32_t n, int32_t *mark, int32_t *order) {
    int32_t placed = 0, stamp = 0;
    memset(mark, 0, sizeof *mark * (size_t)n);
    for (int32_t seed = 0; seed < n; seed++) {
        if (mark[seed] != 0) {
            continue;
        }
        int32_t root = seed, depth = -1, last_depth, count = 0;
        int32_t *queue = order + placed;
        for (int32_t search = 0; search < END_SEARCHES; search++) {
            last_depth = depth;
            count = walk(graph, root, ++stamp, mark, queue, &depth);
            if (depth <= last_depth) {
                break;
            }
            root = queue[count - 1];
        }
        placed += count;
    }
    for (int32_t i = 0; i < n / 2; i++) {
        int32_t other = order[n - 1 - i];
        order[n - 1 - i] = order[i];
        order[i] = other;
    }
}

static cn_status skyline_analyse(sparse_linear *linear) {
    const cn_csr *A = &linear->A;
    int32_t n = A->rows;
    skyline *sky = BASE_TAKE_ZERO(linear->memory, skyline, 1);
    if (!sky) {
        return CN_ERR_MEMORY;
    }
    linear->state = sky;
    sky->order = BASE_TAKE(linear->memory, int32_t, n);
    sky->place = BASE_TAKE(linear->memory, int32_t, n);
    sky->first = BASE_TAKE(linear->memory, int32_t, n);
    sky->start = BASE_TAKE(linear->memory, int64_t, n);
    sky->x = BASE_TAKE(linear->memory, double, n);
    if (!sky->order || !sky->place || !sky->first || !sky->start || !sky->x) {
        return CN_ERR_MEMORY;
    }
    base_arena_mark mark = base_arena_get_mark(linear->memory);
    sparse_graph graph;
    CN_TRY(graph_build(linear->memory, A, &graph));
    order_graph(&graph, n, sky->place, sky->order);
    base_arena_release(linear->memory, mark);

    for (int32_t i = 0; i < n; i++) {
        sky->place[sky->order[i]] = i;
        sky->first[i] = i;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            int32_t p = sky->place[i], q = sky->place[A->column[k]];
            int32_t low = p < q ? p : q, high = p < q ? q : p;
            sky->first[high] = low < sky->first[high] ? low : sky->first[high];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        sky->start[i] = sky->size - sky->first[i];
        sky->size += i - sky->first[i] + 1;
    }
    sky->L = BASE_TAKE(linear->memory, double, sky->size);
    return sky->L ? CN_OK : CN_ERR_MEMORY;
}

// Four partial sums in a fixed order: quick, and bitwise identical everywhere.
static double column_dot(const double *a, const double *b, int32_t count) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int32_t j = 0; j < 4; j++) {
            sum[j] += a[i + j] * b[i + j];
        }
    }
    for (; i < count; i++) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static cn_status skyline_factorize(sparse_linear *linear, int32_t *row) {
    const cn_csr *A = &linear->A;
    skyline *sky = linear->state;
    memset(sky->L, 0, sizeof *sky->L * (size_t)sky->size);
    for (int32_t i = 0; i < A->rows; i++) {
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            int32_t p = sky->place[i], q = sky->place[A->column[k]];
            sky->L[p > q ? sky->start[p] + q : sky->start[q] + p] = A->value[k];
        }
    }
    base_poll poll = {.env = cn_arena_env(linear->memory)};
    for (int32_t i = 0; i < A->rows; i++) {
        double *line = sky->L + sky->start[i], width = i - sky->first[i];
        if (base_poll_work(&poll, 0.5 * width * width)) {
            return CN_ERR_CANCELLED;
        }
        for (int32_t j = sky->first[i]; j < i; j++) {
            const double *other = sky->L + sky->start[j];
            int32_t from = sky->first[i] > sky->first[j] ? sky->first[i] : sky->first[j];
            line[j] = (line[j] - column_dot(line + from, other + from, j - from)) / other[j];
        }
        int32_t from = sky->first[i];
        double pivot = line[i] - column_dot(line + from, line + from, i - from);
        if (!(pivot > SPARSE_PIVOT_MIN * line[i])) {
            *row = sky->order[i];
            return CN_ERR_NUMERIC;
        }
        line[i] = sqrt(pivot);
    }
    return CN_OK;
}

static cn_status skyline_solve(sparse_linear *linear, int32_t columns, double *b) {
    const skyline *sky = linear->state;
    int32_t n = linear->A.rows;
    for (int32_t c = 0; c < columns; c++) {
        double *x = sky->x, *out = b + (int64_t)n * c;
        for (int32_t i = 0; i < n; i++) {
            const double *line = sky->L + sky->start[i];
            int32_t from = sky->first[i];
            x[i] = (out[sky->order[i]] - column_dot(line + from, x + from, i - from)) / line[i];
        }
        for (int32_t i = n - 1; i >= 0; i--) {
            const double *line = sky->L + sky->start[i];
            x[i] /= line[i];
            for (int32_t j = sky->first[i]; j < i; j++) {
                x[j] -= line[j] * x[i];
            }
        }
        for (int32_t i = 0; i < n; i++) {
            out[sky->order[i]] = x[i];
        }
    }
    return CN_OK;
}

const sparse_linear_backend sparse_linear_skyline = {
    .name = "skyline",
    .about = "own envelope Cholesky in Cuthill-McKee order; positive definite, narrow graphs",
    .definite = true,
    .analyse = skyline_analyse,
    .factorize = skyline_factorize,
    .solve = skyline_solve,
};
