// solve/lcp_lemke.c
// Lemke's complementary pivoting with the lexicographic rule, on a dense tableau.
//
//     w = q + M z + d z0,   w, z, z0 >= 0,   w_i z_i = 0,   d > 0 the covering vector
// From z0 large enough to make w >= 0, pivot along the complementary path until z0 leaves (a
// solution) or the path runs off on a ray. Equal ratios are decided by the rows of the basis
// inverse, so that no degenerate problem makes it cycle. References: Lemke 1965; Cottle, Pang and
// Stone, The Linear Complementarity Problem, chapter 4.
//
// Ends with a solution for every solvable problem with M copositive-plus (all semi-definite ones)
// and for many others. A ray proves nothing by itself: here its direction v is tested, and only v
// >= 0, M'v <= 0, q'v < 0 (then no z >= 0 has M z + q >= 0) is called infeasible. Otherwise the
// next path is tried: another covering vector, and by turns another complementary basis to start
// from (a principal pivot transform of the problem; bimatrix games need one).
//
// Bad for large n (n^2 numbers, n^2 work a pivot, in theory exponentially many pivots): "psor".
// Scratch: the tableau, n (n + 2), and as much again for refreshing it.
#include "base/arena.h"
#include "base/rng.h"
#include "solve/lcp_dense.h"
#include "solve/lcp_rows.h"
#include "solve/natural.h"
#include "solve/watch.h"
#include "sparse/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define CN_LEMKE_PIVOT 1e-11  // of the column's largest entry: less is rounding, no pivot
#define CN_LEMKE_TIE 1e-12    // of the largest basic value: closer than this is equal
#define CN_LEMKE_REFRESH 100  // pivots between two fresh tableaux, or n if that is more
#define CN_LEMKE_FLIP 1e-3    // least pivot on the way to another first basis
#define CN_LEMKE_ZERO 1e-12   // of the sum of sizes: a sum that counts as zero in the proof
#define CN_LEMKE_CERTAIN 1e-8 // of the sum of sizes: a sum that is negative beyond doubt

const cn_param cn_lemke_param_table[CN_LEMKE_PARAM_COUNT] = {
    {"starts", CN_PARAM_INT, offsetof(cn_lemke_params, starts), 40, 1, 10000,
     "paths to try, each after a ray of the one before"},
    {"refinements", CN_PARAM_INT, offsetof(cn_lemke_params, refinements), 3, 0, 20,
     "steps of iterative refinement on the final basis"},
    {"max_size", CN_PARAM_INT, offsetof(cn_lemke_params, max_size), 4000, 1, 20000,
     "unknowns beyond which the dense tableau is refused"},
    {"scale", CN_PARAM_BOOL, offsetof(cn_lemke_params, scale), 1, 0, 1,
     "equilibrate rows and columns first"},
};

// Variables: 0..n-1 are w, n..2n-1 are z, 2n is z0. A row is a basic variable, a column a free one
// (at zero); x_basic = right side - T x_free.
typedef struct cn_lemke {
    const cn_lcp_dense *d;
    int32_t n;
    int64_t stride; // n + 2: n + 1 free variables, then the right side
    double *T;
    double *cover;
    int32_t *basic; // variable of a row
    int32_t *free;  // variable of a column
    int32_t *first; // variable of a row in the basis that the path started from
    int32_t *place; // of a variable: its row, or -1 - its column
    int32_t *tied;  // rows still equal in the ratio test
    double *factors, *column;
    int32_t *exchange;
    int64_t pivots;
} cn_lemke;

typedef enum cn_lemke_end {
    CN_LEMKE_DONE,   // z0 left: a solution
    CN_LEMKE_RAY,    // on a ray
    CN_LEMKE_BROKEN, // the basis became singular in rounding
    CN_LEMKE_STOPPED // the watch said so
} cn_lemke_end;

static cn_status cn_lemke_prepare(const cn_lcp_dense *d, cn_arena *scratch, cn_lemke *l) {
    int32_t n = d->n;
    *l = (cn_lemke){.d = d, .n = n, .stride = (int64_t)n + 2};
    l->T = CN_TAKE(scratch, double, l->stride *n);
    l->cover = CN_TAKE(scratch, double, n);
    l->basic = CN_TAKE(scratch, int32_t, n);
    l->free = CN_TAKE(scratch, int32_t, n + 1);
    l->first = CN_TAKE(scratch, int32_t, n);
    l->place = CN_TAKE(scratch, int32_t, 2 * (int64_t)n + 1);
    l->tied = CN_TAKE(scratch, int32_t, n);
    l->factors = CN_TAKE(scratch, double, (int64_t)n *n);
    l->column = CN_TAKE(scratch, double, n);
    l->exchange = CN_TAKE(scratch, int32_t, n);
    bool complete = l->T && l->cover && l->basic && l->free && l->first && l->place && l->tied &&
                    l->factors && l->column && l->exchange;
    return complete ? CN_OK : CN_ERR_MEMORY;
}

// All w basic, all z and z0 free.
static void cn_lemke_reset(cn_lemke *l) {
    int32_t n = l->n;
    for (int32_t i = 0; i < n; i++) {
        double *row = l->T + l->stride * i;
        for (int32_t j = 0; j < n; j++) {
            row[j] = -l->d->M[(int64_t)n * i + j];
        }
        row[n] = 0.0; // the covering vector comes with cn_lemke_cover
        row[n + 1] = l->d->q[i];
        l->basic[i] = i;
        l->free[i] = n + i;
        l->place[i] = i;
        l->place[n + i] = -1 - i;
    }
    l->free[n] = 2 * n;
    l->place[2 * n] = -1 - n;
}

// Exchange the basic variable of a row with the free one of a column.
static void cn_lemke_pivot(cn_lemke *l, int32_t r, int32_t c) {
    double *top = l->T + l->stride * r;
    double inverse = 1.0 / top[c];
    for (int64_t j = 0; j < l->stride; j++) {
        top[j] *= inverse;
    }
    top[c] = inverse;
    for (int32_t i = 0; i < l->n; i++) {
        double *row = l->T + l->stride * i;
        double factor = row[c];
        if (i == r || factor == 0.0) {
            continue;
        }
        row[c] = 0.0;
        for (int64_t j = 0; j < l->stride; j++) {
            row[j] -= factor * top[j];
        }
    }
    int32_t leaving = l->basic[r];
    l->basic[r] = l->free[c];
    l->free[c] = leaving;
    l->place[l->basic[r]] = r;
    l->place[leaving] = -1 - c;
    l->pivots++;
}

// ---- where a path starts ----

static int32_t cn_complement(const cn_lemke *l, int32_t variable) {
    return variable < l->n ? variable + l->n : variable - l->n;
}

// Row of the basic one and column of the free one of a complementary pair.
static void cn_lemke_pair(const cn_lemke *l, int32_t pair, int32_t *row, int32_t *column) {
    bool w_basic = l->place[pair] >= 0;
    *row = l->place[w_basic ? pair : pair + l->n];
    *column = -1 - l->place[w_basic ? pair + l->n : pair];
}

// Exchanges the variables of a pair, together with those of a second pair where the pair alone
// would make the basis singular.
static void cn_lemke_flip(cn_lemke *l, int32_t pair) {
    int32_t row, column, other_row, other_column, best = -1;
    double largest = CN_LEMKE_FLIP;
    cn_lemke_pair(l, pair, &row, &column);
    if (fabs(l->T[l->stride * row + column]) > CN_LEMKE_FLIP) {
        cn_lemke_pivot(l, row, column);
        return;
    }
    for (int32_t other = 0; other < l->n; other++) {
        cn_lemke_pair(l, other, &other_row, &other_column);
        double both = fmin(fabs(l->T[l->stride * row + other_column]),
                           fabs(l->T[l->stride * other_row + column]));
        if (other != pair && both > largest) {
            best = other;
            largest = both;
        }
    }
    if (best < 0) {
        return;
    }
    cn_lemke_pair(l, best, &other_row, &other_column);
    cn_lemke_pivot(l, row, other_column);
    bool sound = fabs(l->T[l->stride * other_row + column]) > CN_LEMKE_FLIP;
    cn_lemke_pivot(l, sound ? other_row : row, sound ? column : other_column);
}

// Column of a variable in w + (-M) z + (-d) z0 = q.
static double cn_lemke_entry(const cn_lemke *l, int32_t variable, int32_t i) {
    int32_t n = l->n;
    if (variable < n) {
        return variable == i ? 1.0 : 0.0;
    }
    return variable < 2 * n ? -l->d->M[(int64_t)n * i + variable - n] : -l->cover[i];
}

// Covers the basic variables of a path's first basis B by x_basic + ... - d z0 = right side. In the
// terms of the problem the covering vector is B d.
static void cn_lemke_cover(cn_lemke *l, const double *d) {
    int32_t n = l->n;
    for (int32_t i = 0; i < n; i++) {
        l->T[l->stride * i + n] = -d[i];
        l->first[i] = l->basic[i];
    }
    for (int32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) {
            sum += cn_lemke_entry(l, l->basic[j], i) * d[j];
        }
        l->cover[i] = sum;
    }
}

// The first path starts from z = 0 with d = e (of the scaled problem). The others have d spread
// over two decades, since the end of a path depends on its proportions; every second one starts
// from a random complementary basis.
static void cn_lemke_start(cn_lemke *l, int32_t attempt) {
    cn_rng rng = cn_rng_seed((uint64_t)attempt);
    cn_lemke_reset(l);
    if (attempt % 2 == 1) {
        for (int32_t pair = 0; pair < l->n; pair++) {
            if (cn_rng_below(&rng, 2) == 1) {
                cn_lemke_flip(l, pair);
            }
        }
    }
    for (int32_t i = 0; i < l->n; i++) {
        double x = cn_rng_uniform(&rng, 0.1, 1.0);
        l->column[i] = attempt == 0 ? 1.0 : x * x;
    }
    cn_lemke_cover(l, l->column);
}

// LU of the basis; false when rounding has made it singular.
static bool cn_lemke_factor(cn_lemke *l) {
    int32_t n = l->n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            l->factors[(int64_t)n * i + j] = cn_lemke_entry(l, l->basic[j], i);
        }
    }
    return cn_lu_factor(n, l->factors, l->exchange);
}

// The tableau anew from the basis, so that rounding does not pile up over many pivots.
static bool cn_lemke_refresh(cn_lemke *l) {
    int32_t n = l->n;
    if (!cn_lemke_factor(l)) {
        return false;
    }
    for (int32_t j = 0; j < n + 2; j++) {
        for (int32_t i = 0; i < n; i++) {
            l->column[i] = j <= n ? cn_lemke_entry(l, l->free[j], i) : l->d->q[i];
        }
        cn_lu_solve(n, l->factors, l->exchange, l->column);
        for (int32_t i = 0; i < n; i++) {
            l->T[l->stride * i + j] = l->column[i];
        }
    }
    return true;
}

// Steps of iterative refinement on the basic values, x := x + B^-1 (q - B x).
static void cn_lemke_refine(cn_lemke *l, int32_t steps) {
    int32_t n = l->n;
    if (steps == 0 || !cn_lemke_factor(l)) {
        return;
    }
    for (int32_t step = 0; step < steps; step++) {
        for (int32_t i = 0; i < n; i++) {
            l->column[i] = l->d->q[i];
            for (int32_t j = 0; j < n; j++) {
                l->column[i] -= cn_lemke_entry(l, l->basic[j], i) * l->T[l->stride * j + n + 1];
            }
        }
        cn_lu_solve(n, l->factors, l->exchange, l->column);
        for (int32_t i = 0; i < n; i++) {
            l->T[l->stride * i + n + 1] += l->column[i];
        }
    }
}

// Entry j of row i of (right side, basis inverse); the inverse, relative to the first basis, has
// the columns of the variables that were basic then.
static double cn_lemke_order(const cn_lemke *l, int32_t i, int32_t j) {
    if (j < 0) {
        return l->T[l->stride * i + l->n + 1];
    }
    int32_t place = l->place[l->first[j]];
    return place >= 0 ? (place == i ? 1.0 : 0.0) : l->T[l->stride * i - 1 - place];
}

// Of count tied rows keeps those whose order entry j over their pivot entry c is least.
static int32_t cn_lemke_narrow(cn_lemke *l, int32_t count, int32_t j, int32_t c) {
    double least = HUGE_VAL, size = 0.0;
    for (int32_t k = 0; k < count; k++) {
        double entry = cn_lemke_order(l, l->tied[k], j);
        double ratio = entry / l->T[l->stride * l->tied[k] + c];
        least = ratio < least ? ratio : least;
        size = fmax(size, fabs(entry));
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = l->tied[k];
        // What this entry would be after the pivot.
        double after = cn_lemke_order(l, i, j) - least * l->T[l->stride * i + c];
        if (after <= CN_LEMKE_TIE * size) {
            l->tied[kept++] = i;
        }
    }
    return kept;
}

// The row that leaves when column c enters; -1: none, a ray.
static int32_t cn_lemke_leaving(cn_lemke *l, int32_t c) {
    double largest = 0.0;
    for (int32_t i = 0; i < l->n; i++) {
        largest = fmax(largest, fabs(l->T[l->stride * i + c]));
    }
    int32_t count = 0;
    for (int32_t i = 0; i < l->n; i++) {
        if (l->T[l->stride * i + c] > CN_LEMKE_PIVOT * largest) {
            l->tied[count++] = i;
        }
    }
    if (count == 0) {
        return -1;
    }
    count = cn_lemke_narrow(l, count, -1, c);
    for (int32_t k = 0; k < count; k++) {
        if (l->basic[l->tied[k]] == 2 * l->n) {
            return l->tied[k]; // z0 may leave: done
        }
    }
    for (int32_t j = 0; j < l->n && count > 1; j++) {
        count = cn_lemke_narrow(l, count, j, c);
    }
    return l->tied[0];
}

// z0 enters where right side over d is least; among equals the last, which is the lexicographic
// choice. -1: the right side is not negative, the first basis is a solution.
static int32_t cn_lemke_first_row(const cn_lemke *l) {
    int32_t n = l->n, best = -1;
    double least = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const double *row = l->T + l->stride * i;
        double ratio = row[n + 1] / -row[n];
        if (ratio < 0.0 && ratio <= least) {
            best = i;
            least = ratio;
        }
    }
    return best;
}

// Follows a path from its start. On a ray *ray is the column that runs off.
static cn_lemke_end cn_lemke_follow(cn_lemke *l, cn_watch *watch, cn_solve_report *report,
                                    int32_t *ray) {
    int32_t n = l->n;
    int32_t period = n > CN_LEMKE_REFRESH ? n : CN_LEMKE_REFRESH;
    int32_t fresh = 0; // pivots since the tableau was
    int32_t row = cn_lemke_first_row(l), column = n;
    if (row < 0) {
        return CN_LEMKE_DONE;
    }
    for (;;) {
        if (cn_watch_tick(watch, "lemke", l->pivots, (double)NAN, report)) {
            return CN_LEMKE_STOPPED;
        }
        int32_t leaving = l->basic[row];
        cn_lemke_pivot(l, row, column);
        if (leaving == 2 * n) {
            return CN_LEMKE_DONE;
        }
        if (++fresh >= period) {
            fresh = 0;
            if (!cn_lemke_refresh(l)) {
                return CN_LEMKE_BROKEN;
            }
        }

        // The complement of what left enters. A ray is believed of a fresh tableau only.
        column = -1 - l->place[cn_complement(l, leaving)];
        row = cn_lemke_leaving(l, column);
        if (row < 0 && fresh > 0) {
            fresh = 0;
            if (!cn_lemke_refresh(l)) {
                return CN_LEMKE_BROKEN;
            }
            row = cn_lemke_leaving(l, column);
        }
        if (row < 0) {
            *ray = column;
            return CN_LEMKE_RAY;
        }
    }
}

// Basic values of z, or with a column the direction of z along its ray, unscaled.
static void cn_lemke_read(const cn_lemke *l, int32_t column, double *z) {
    int32_t n = l->n;
    for (int32_t i = 0; i < n; i++) {
        int32_t place = l->place[n + i];
        if (column < 0) {
            z[i] = place >= 0 ? l->T[l->stride * place + n + 1] : 0.0;
        } else {
            z[i] = place >= 0 ? -l->T[l->stride * place + column] : (-1 - place == column);
        }
        z[i] = z[i] > 0.0 ? z[i] : 0.0;
    }
    cn_lcp_dense_unscale(l->d, z, z);
}

// v >= 0, M'v <= 0, q'v < 0: then v'(M z + q) < 0 for every z >= 0, so none is feasible. sum and
// size: scratch of n.
static bool cn_lemke_proves(const cn_lcp *p, const double *v, double *sum, double *size) {
    double product = 0.0, products = 0.0;
    memset(sum, 0, (size_t)p->n * sizeof *sum);
    memset(size, 0, (size_t)p->n * sizeof *size);
    for (int32_t i = 0; i < p->n; i++) {
        product += p->q[i] * v[i];
        products += fabs(p->q[i]) * v[i];
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            sum[p->M.column[k]] += p->M.value[k] * v[i];
            size[p->M.column[k]] += fabs(p->M.value[k]) * v[i];
        }
    }
    for (int32_t j = 0; j < p->n; j++) {
        if (!(sum[j] <= CN_LEMKE_ZERO * size[j])) {
            return false;
        }
    }
    return product < -CN_LEMKE_CERTAIN * products;
}

static void cn_lemke_say(cn_solve_report *report, cn_outcome outcome, const char *detail) {
    report->outcome = outcome;
    report->detail = detail;
}

// Tries the paths in turn; best: the smallest residual so far, of the z given.
static cn_status cn_lemke_search(const cn_lcp *p, const cn_solve_opts *opts,
                                 const cn_lemke_params *own, cn_lemke *l, cn_arena *scratch,
                                 double best, double *z, double *w, cn_solve_report *report) {
    cn_watch watch = cn_watch_start(opts);
    double *trial = CN_TAKE(scratch, double, p->n);
    double *size = CN_TAKE(scratch, double, p->n);
    if (!trial || !size) {
        return CN_ERR_MEMORY;
    }
    cn_lemke_say(report, CN_STALLED,
                 "every path ended on a ray, which proves nothing for this matrix");
    for (int32_t attempt = 0; attempt < own->starts; attempt++) {
        int32_t ray = -1;
        cn_lemke_start(l, attempt);
        cn_lemke_end end = cn_lemke_follow(l, &watch, report, &ray);
        report->iterations = (int32_t)l->pivots;
        if (end == CN_LEMKE_STOPPED) {
            break;
        }
        if (end == CN_LEMKE_DONE) {
            cn_lemke_refine(l, own->refinements);
        }
        cn_lemke_read(l, ray, trial);
        if (end == CN_LEMKE_RAY && cn_lemke_proves(p, trial, w, size)) {
            cn_lemke_say(report, CN_INFEASIBLE, "the ray proves that no z >= 0 has M z + q >= 0");
            break;
        }
        if (end != CN_LEMKE_DONE) {
            continue;
        }
        cn_lcp_velocity(p, trial, w);
        double residual = cn_natural_error_lcp(p, trial, w);
        if (residual < best) {
            best = residual;
            memcpy(z, trial, (size_t)p->n * sizeof *z);
        }
        if (best <= opts->tolerance) {
            cn_lemke_say(report, CN_SOLVED, "complementary basis found");
            break;
        }
        cn_lemke_say(report, CN_STALLED,
                     "a complementary basis was found but is too ill-conditioned");
    }
    return watch.status;
}

cn_status cn_lcp_lemke(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                       double *w, cn_solve_report *report) {
    cn_lemke_params own;
    memcpy(&own, opts->params, sizeof own);
    if (p->n > own.max_size) {
        cn_lemke_say(report, CN_UNSUPPORTED,
                     "too large for a dense tableau (max_size): use psor or raise it");
        return CN_OK;
    }

    // The guess may be the answer already, and zero is it when q >= 0.
    cn_lcp_velocity(p, z, w);
    double residual = cn_natural_error_lcp(p, z, w);
    if (residual <= CN_WATCH_MARGIN * opts->tolerance) {
        cn_lemke_say(report, CN_SOLVED, "the first guess is a solution");
        return CN_OK;
    }
    bool open = true;
    for (int32_t i = 0; i < p->n; i++) {
        open = open && p->q[i] >= 0.0;
    }
    if (open) {
        memset(z, 0, (size_t)p->n * sizeof *z);
        cn_lemke_say(report, CN_SOLVED, "q >= 0: zero is a solution");
        return CN_OK;
    }

    cn_lcp_dense dense;
    cn_lemke l;
    cn_status status = cn_lcp_dense_build(p, own.scale, scratch, &dense);
    if (status == CN_OK) {
        status = cn_lemke_prepare(&dense, scratch, &l);
    }
    if (status != CN_OK) {
        return status;
    }
    return cn_lemke_search(p, opts, &own, &l, scratch, residual, z, w, report);
}
