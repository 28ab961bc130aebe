// solve/pivoting/lcp_lemke.c
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
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/pivoting/tableau.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LEMKE_REFRESH 100 // pivots between two fresh tableaux, or n if that is more
#define LEMKE_FLIP 1e-3   // least pivot on the way to another first basis

const cn_param solve_lemke_param_table[SOLVE_LEMKE_PARAM_COUNT] = {
    {"starts", CN_PARAM_INT, offsetof(solve_lemke_params, starts), 40, 1, 10000,
     "paths to try, each after a ray of the one before"},
    {"refinements", CN_PARAM_INT, offsetof(solve_lemke_params, refinements), 3, 0, 20,
     "steps of iterative refinement on the final basis"},
    {"max_size", CN_PARAM_INT, offsetof(solve_lemke_params, max_size), 4000, 1, 20000,
     "unknowns beyond which the dense tableau is refused"},
    {"scale", CN_PARAM_BOOL, offsetof(solve_lemke_params, scale), 1, 0, 1,
     "equilibrate rows and columns first"},
};

typedef enum lemke_end {
    LEMKE_DONE,   // z0 left: a solution
    LEMKE_RAY,    // on a ray
    LEMKE_BROKEN, // the basis became singular in rounding
    LEMKE_STOPPED // the watch said so
} lemke_end;

// ---- where a path starts ----

// Row of the basic one and column of the free one of a complementary pair.
static void lemke_pair(const pivot_tableau *l, int32_t pair, int32_t *row, int32_t *column) {
    bool w_basic = l->place[pair] >= 0;
    *row = l->place[w_basic ? pair : pair + l->n];
    *column = -1 - l->place[w_basic ? pair + l->n : pair];
}

// Exchanges the variables of a pair, together with those of a second pair where the pair alone
// would make the basis singular.
static void lemke_flip(pivot_tableau *l, int32_t pair) {
    int32_t row, column, other_row, other_column, best = -1;
    double largest = LEMKE_FLIP;
    lemke_pair(l, pair, &row, &column);
    if (fabs(l->T[l->stride * row + column]) > LEMKE_FLIP) {
        pivot_tableau_pivot(l, row, column);
        return;
    }
    for (int32_t other = 0; other < l->n; other++) {
        lemke_pair(l, other, &other_row, &other_column);
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
    lemke_pair(l, best, &other_row, &other_column);
    pivot_tableau_pivot(l, row, other_column);
    bool sound = fabs(l->T[l->stride * other_row + column]) > LEMKE_FLIP;
    pivot_tableau_pivot(l, sound ? other_row : row, sound ? column : other_column);
}

// Covers the basic variables of a path's first basis B by x_basic + ... - d z0 = right side. In the
// terms of the problem the covering vector is B d.
static void lemke_cover(pivot_tableau *l, const double *d) {
    int32_t n = l->n;
    for (int32_t i = 0; i < n; i++) {
        l->T[l->stride * i + n] = -d[i];
        l->first[i] = l->basic[i];
    }
    for (int32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) {
            sum += pivot_tableau_entry(l, l->basic[j], i) * d[j];
        }
        l->cover[i] = sum;
    }
}

// The first path starts from z = 0 with d = e (of the scaled problem). The others have d spread
// over two decades, since the end of a path depends on its proportions; every second one starts
// from a random complementary basis. false when the watch stopped it.
static bool lemke_start(pivot_tableau *l, int32_t attempt) {
    base_rng rng = base_rng_seed((uint64_t)attempt);
    pivot_tableau_reset(l);
    if (attempt % 2 == 1) {
        for (int32_t pair = 0; pair < l->n; pair++) {
            if (base_rng_below(&rng, 2) == 1) {
                lemke_flip(l, pair);
                if (pivot_tableau_stops(l)) {
                    return false;
                }
            }
        }
    }
    for (int32_t i = 0; i < l->n; i++) {
        double x = base_rng_uniform(&rng, 0.1, 1.0);
        l->column[i] = attempt == 0 ? 1.0 : x * x;
    }
    lemke_cover(l, l->column);
    return true;
}

// The row that leaves when column c enters; -1: none, a ray.
static int32_t lemke_leaving(pivot_tableau *l, int32_t c) {
    double largest = 0.0;
    for (int32_t i = 0; i < l->n; i++) {
        largest = fmax(largest, fabs(l->T[l->stride * i + c]));
    }
    int32_t count = 0;
    for (int32_t i = 0; i < l->n; i++) {
        if (l->T[l->stride * i + c] > PIVOT_TABLEAU_PIVOT * largest) {
            l->tied[count++] = i;
        }
    }
    if (count == 0) {
        return -1;
    }
    count = pivot_tableau_narrow(l, count, -1, c);
    for (int32_t k = 0; k < count; k++) {
        if (l->basic[l->tied[k]] == 2 * l->n) {
            return l->tied[k]; // z0 may leave: done
        }
    }
    return pivot_tableau_break_tie(l, count, c);
}

// z0 enters where right side over d is least; among equals the last, which is the lexicographic
// choice. -1: the right side is not negative, the first basis is a solution.
static int32_t lemke_first_row(const pivot_tableau *l) {
    int32_t n = l->n, best = -1;
    double min = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const double *row = l->T + l->stride * i;
        double ratio = row[n + 1] / -row[n];
        if (ratio < 0.0 && ratio <= min) {
            best = i;
            min = ratio;
        }
    }
    return best;
}

// Follows a path from its start. On a ray *ray is the column that runs off.
static lemke_end lemke_follow(pivot_tableau *l, int32_t *ray) {
    int32_t n = l->n;
    int32_t period = n > LEMKE_REFRESH ? n : LEMKE_REFRESH;
    int32_t fresh = 0; // pivots since the tableau was
    int32_t row = lemke_first_row(l), column = n;
    if (row < 0) {
        return LEMKE_DONE;
    }
    for (;;) {
        if (pivot_tableau_stops(l)) {
            return LEMKE_STOPPED;
        }
        int32_t leaving = l->basic[row];
        pivot_tableau_pivot(l, row, column);
        if (leaving == 2 * n) {
            return LEMKE_DONE;
        }
        if (++fresh >= period) {
            fresh = 0;
            pivot_tableau_state state = pivot_tableau_refresh(l);
            if (state != PIVOT_TABLEAU_FRESH) {
                return state == PIVOT_TABLEAU_STOPPED ? LEMKE_STOPPED : LEMKE_BROKEN;
            }
        }

        // The complement of what left enters. A ray is believed of a fresh tableau only.
        column = -1 - l->place[pivot_tableau_complement(l, leaving)];
        row = lemke_leaving(l, column);
        if (row < 0 && fresh > 0) {
            fresh = 0;
            pivot_tableau_state state = pivot_tableau_refresh(l);
            if (state != PIVOT_TABLEAU_FRESH) {
                return state == PIVOT_TABLEAU_STOPPED ? LEMKE_STOPPED : LEMKE_BROKEN;
            }
            row = lemke_leaving(l, column);
        }
        if (row < 0) {
            *ray = column;
            return LEMKE_RAY;
        }
    }
}

bool pivot_tableau_lemke(pivot_tableau *t) {
    int32_t ray;
    return lemke_start(t, 0) && lemke_follow(t, &ray) == LEMKE_DONE;
}

// Tries the paths in turn; best: the smallest residual so far, of the z given.
static cn_status lemke_search(const cn_lcp *p, const cn_solve_opts *opts,
                              const solve_lemke_params *own, solve_watch *watch, pivot_tableau *l,
                              cn_arena *scratch, double best, double *z, double *w,
                              cn_solve_report *report) {
    l->watch = watch;
    l->report = report;
    double *trial = BASE_TAKE(scratch, double, p->n);
    double *size = BASE_TAKE(scratch, double, p->n);
    if (!trial || !size) {
        return CN_ERR_MEMORY;
    }
    if (pivot_tableau_stops(l)) {
        return watch->status;
    }
    solve_report_end(report, CN_STALLED,
                     "every path ended on a ray, which proves nothing for this matrix");
    for (int32_t attempt = 0; attempt < own->starts; attempt++) {
        int32_t ray = -1;
        lemke_end end = lemke_start(l, attempt) ? lemke_follow(l, &ray) : LEMKE_STOPPED;
        report->iterations = (int32_t)l->pivots;
        if (end == LEMKE_STOPPED) {
            break;
        }
        if (end == LEMKE_DONE) {
            pivot_tableau_refine(l, own->refinements);
        }
        pivot_tableau_read(l, ray, trial);
        if (end == LEMKE_RAY && pivot_ray_proves(p, trial, w, size)) {
            solve_report_end(report, CN_INFEASIBLE,
                             "the ray proves that no z >= 0 has M z + q >= 0");
            break;
        }
        if (end != LEMKE_DONE) {
            continue;
        }
        pivot_lcp_velocity(p, trial, w);
        double residual = solve_natural_error_lcp(p, trial, w);
        if (residual < best) {
            best = residual;
            memcpy(z, trial, (size_t)p->n * sizeof *z);
        }
        if (best <= opts->tolerance) {
            solve_report_end(report, CN_SOLVED, "complementary basis found");
            break;
        }
        solve_report_end(report, CN_STALLED,
                         "a complementary basis was found but is too ill-conditioned");
    }
    return watch->status;
}

cn_status solve_lcp_lemke(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                          double *w, cn_solve_report *report) {
    solve_lemke_params own;
    memcpy(&own, opts->params, sizeof own);
    double residual;
    solve_watch watch = solve_watch_start(opts); // what follows at once takes n^2 memory and time
    if (!pivot_lcp_dense_asked(p, opts, own.max_size, z, w, &residual, report)) {
        return CN_OK;
    }
    bool open = true; // then zero is the answer
    for (int32_t i = 0; i < p->n; i++) {
        open = open && p->q[i] >= 0.0;
    }
    if (open) {
        memset(z, 0, (size_t)p->n * sizeof *z);
        solve_report_end(report, CN_SOLVED, "q >= 0: zero is a solution");
        return CN_OK;
    }

    pivot_lcp_dense dense;
    pivot_tableau l;
    CN_TRY(pivot_lcp_dense_build(p, own.scale, scratch, &dense));
    CN_TRY(pivot_tableau_prepare(&dense, scratch, &l));

    return lemke_search(p, opts, &own, &watch, &l, scratch, residual, z, w, report);
}
