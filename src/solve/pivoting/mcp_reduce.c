// solve/pivoting/mcp_reduce.c
// Gauss-Jordan pivots on the free unknowns, with the largest pivot left (the diagonal where it is
// nearly as large, so that symmetric parts stay symmetric). Reference: Cottle, Pang and Stone, The
// Linear Complementarity Problem, section 1.5.
//
// Dense: size^2 numbers and size^2 work for each free unknown. Bad for large mixed problems, of
// which "mcp" factorises a sparse matrix instead.
#include "solve/pivoting/mcp_reduce.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

#define REDUCE_SINGULAR 1e-11 // of the largest entry of the free block: less is rounding
#define REDUCE_DIAGONAL 0.1   // share of the largest pivot at which a diagonal one is preferred

static bool is_free_row(const cn_mcp *p, int32_t i) {
    return isinf(p->lower[i]) && isinf(p->upper[i]);
}

static bool row_is_boxed(const cn_mcp *p, int32_t i) {
    return isfinite(p->lower[i]) && isfinite(p->upper[i]);
}

// A and b before any pivot.
static void reduce_fill(const cn_mcp *p, pivot_mcp_reduced *out) {
    int64_t size = out->size;
    for (int32_t i = 0; i < p->n; i++) {
        bool above = isinf(p->lower[i]) && isfinite(p->upper[i]);
        out->sign[i] = above ? -1.0 : 1.0;
        out->origin[i] = above ? p->upper[i] : (isfinite(p->lower[i]) ? p->lower[i] : 0.0);
    }
    int32_t box = p->n;
    for (int32_t i = 0; i < p->n; i++) {
        double offset = p->q[i];
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            int32_t j = p->M.column[k];
            out->A[size * i + j] += out->sign[i] * p->M.value[k] * out->sign[j];
            offset += p->M.value[k] * out->origin[j];
        }
        out->b[i] = out->sign[i] * offset;
        if (row_is_boxed(p, i)) {
            out->A[size * i + box] = 1.0;
            out->A[size * box + i] = -1.0;
            out->b[box++] = p->upper[i] - p->lower[i];
        }
    }
}

// The largest entry among equations and free unknowns not yet paired, *row and *column.
static double reduce_largest(const cn_mcp *p, const pivot_mcp_reduced *out, int32_t *row,
                             int32_t *column) {
    double best = 0.0, diagonal = 0.0;
    int32_t middle = -1;
    for (int32_t i = 0; i < p->n; i++) {
        if (!is_free_row(p, i) || out->used_row[i]) {
            continue;
        }
        for (int32_t j = 0; j < p->n; j++) {
            double entry = fabs(out->A[(int64_t)out->size * i + j]);
            if (!is_free_row(p, j) || out->pivot_row[j] >= 0) {
                continue;
            }
            if (entry > best) {
                best = entry;
                *row = i;
                *column = j;
            }
            if (i == j && entry > diagonal) {
                diagonal = entry;
                middle = i;
            }
        }
    }
    if (middle >= 0 && diagonal >= REDUCE_DIAGONAL * best) {
        *row = *column = middle;
        return diagonal;
    }
    return best;
}

// Solves equation row for unknown column and puts it into the other equations. Afterwards row r of
// A says y_column = -(b_r + sum over the others).
static void reduce_pivot(pivot_mcp_reduced *out, int32_t row, int32_t column) {
    int64_t size = out->size;
    double *top = out->A + size * row;
    double inverse = 1.0 / top[column];
    for (int64_t j = 0; j < size; j++) {
        top[j] *= inverse;
    }
    top[column] = 0.0;
    out->b[row] *= inverse;
    for (int32_t i = 0; i < size; i++) {
        double *other = out->A + size * i;
        double factor = other[column];
        if (i == row || factor == 0.0) {
            continue;
        }
        other[column] = 0.0;
        for (int64_t j = 0; j < size; j++) {
            other[j] -= factor * top[j];
        }
        out->b[i] -= factor * out->b[row];
    }
    out->pivot_row[column] = row;
    out->used_row[row] = true;
}

// The LCP unknowns in order: those that are left, a split one twice. An equation left over belongs
// to the free unknown left over at the same rank. Returns how many; with index = NULL counts only.
static int32_t reduce_list(const cn_mcp *p, const pivot_mcp_reduced *out, int32_t *unknown,
                           int32_t *equation, double *sign) {
    int32_t count = 0, row = 0;
    for (int32_t j = 0; j < out->size; j++) {
        bool is_free = j < p->n && is_free_row(p, j);
        if (is_free && out->pivot_row[j] >= 0) {
            continue;
        }
        int32_t mate = j;
        if (is_free) {
            while (!is_free_row(p, row) || out->used_row[row]) {
                row++;
            }
            mate = row++;
        }
        for (int32_t part = 0; part < (is_free ? 2 : 1); part++) {
            if (unknown) {
                unknown[count] = j;
                equation[count] = mate;
                sign[count] = part == 0 ? 1.0 : -1.0;
            }
            count++;
        }
    }
    return count;
}

static cn_status reduce_gather(const cn_mcp *p, cn_arena *scratch, pivot_mcp_reduced *out) {
    int32_t count = reduce_list(p, out, NULL, NULL, NULL);
    int32_t *equation = BASE_TAKE(scratch, int32_t, count);
    cn_lcp *lcp = &out->lcp;
    out->unknown = BASE_TAKE(scratch, int32_t, count);
    out->lcp_sign = BASE_TAKE(scratch, double, count);
    *lcp = (cn_lcp){.n = count, .M = {.rows = count, .cols = count}};
    lcp->q = BASE_TAKE(scratch, double, count);
    lcp->M.start = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)count + 1);
    lcp->M.column = BASE_TAKE(scratch, int32_t, (int64_t)count * count);
    lcp->M.value = BASE_TAKE(scratch, double, (int64_t)count *count);
    if (!equation || !out->unknown || !out->lcp_sign || !lcp->q || !lcp->M.start ||
        !lcp->M.column || !lcp->M.value) {
        return CN_ERR_MEMORY;
    }
    reduce_list(p, out, out->unknown, equation, out->lcp_sign);
    int64_t at = 0;
    for (int32_t i = 0; i < count; i++) {
        const double *row = out->A + (int64_t)out->size * equation[i];
        lcp->q[i] = out->lcp_sign[i] * out->b[equation[i]];
        for (int32_t j = 0; j < count; j++) {
            double value = out->lcp_sign[i] * row[out->unknown[j]] * out->lcp_sign[j];
            if (value != 0.0) {
                lcp->M.column[at] = j;
                lcp->M.value[at++] = value;
            }
        }
        lcp->M.start[i + 1] = at;
    }
    return CN_OK;
}

cn_status pivot_mcp_reduce(const cn_mcp *p, solve_watch *watch, cn_arena *scratch,
                           pivot_mcp_reduced *out, cn_solve_report *report, bool *stopped) {
    *stopped = false;
    *out = (pivot_mcp_reduced){.n = p->n, .size = p->n};
    for (int32_t i = 0; i < p->n; i++) {
        out->size += row_is_boxed(p, i);
    }
    out->origin = BASE_TAKE(scratch, double, p->n);
    out->sign = BASE_TAKE(scratch, double, p->n);
    out->A = BASE_TAKE_ZERO(scratch, double, (int64_t)out->size * out->size);
    out->b = BASE_TAKE_ZERO(scratch, double, out->size);
    out->pivot_row = BASE_TAKE(scratch, int32_t, out->size);
    out->used_row = BASE_TAKE_ZERO(scratch, bool, out->size);
    if (!out->origin || !out->sign || !out->A || !out->b || !out->pivot_row || !out->used_row) {
        return CN_ERR_MEMORY;
    }
    for (int32_t j = 0; j < out->size; j++) {
        out->pivot_row[j] = -1;
    }
    reduce_fill(p, out);
    int32_t row = -1, column = -1;
    double first = reduce_largest(p, out, &row, &column), pivot = first;
    while (pivot > REDUCE_SINGULAR * first) {
        // Pivots on free unknowns are preparation, not iterations.
        if (solve_watch_tick(watch, "free unknowns", 0, (double)NAN, report)) {
            *stopped = true;
            return CN_OK;
        }
        reduce_pivot(out, row, column);
        pivot = reduce_largest(p, out, &row, &column);
    }
    return reduce_gather(p, scratch, out);
}

void pivot_mcp_reduced_start(const pivot_mcp_reduced *reduced, const double *z, double *y) {
    for (int32_t k = 0; k < reduced->lcp.n; k++) {
        int32_t j = reduced->unknown[k];
        double value = j < reduced->n ? reduced->sign[j] * (z[j] - reduced->origin[j]) : 0.0;
        y[k] = fmax(0.0, reduced->lcp_sign[k] * value);
    }
}

void pivot_mcp_reduced_finish(const pivot_mcp_reduced *reduced, const cn_mcp *p, const double *y,
                              double *z) {
    for (int32_t j = 0; j < reduced->n; j++) {
        int32_t row = reduced->pivot_row[j];
        double value = row >= 0 ? -reduced->b[row] : 0.0;
        for (int32_t k = 0; k < reduced->lcp.n; k++) {
            double part = reduced->lcp_sign[k] * y[k];
            if (row >= 0) {
                value -= reduced->A[(int64_t)reduced->size * row + reduced->unknown[k]] * part;
            } else if (reduced->unknown[k] == j) {
                value += part;
            }
        }
        z[j] = reduced->origin[j] + reduced->sign[j] * value;
        z[j] = fmin(fmax(z[j], p->lower[j]), p->upper[j]);
    }
}
