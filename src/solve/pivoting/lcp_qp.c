// solve/pivoting/lcp_qp.c
// Active-set quadratic programming with a matrix that need not be symmetric.
//
// For symmetric M the LCP 0 <= z _|_ w = M z + q >= 0 is the optimality condition of
//     min 1/2 z'M z + q'z,  z >= 0.
// The active-set (simplex) method for that programme asks for nothing but M itself, so it runs on
// any M. From a complementary basis take the most negative variable, w_r say, and increase its
// complement z_r. Whatever drops to zero on the way leaves the basis and its own complement is
// increased next, until w_r itself reaches zero: a complementary basis with one negative variable
// less. References: van de Panne and Whinston 1969; Cottle, Pang and Stone 1992, section 4.2;
// Fletcher 1993 (degeneracy); Renouf and Acary 2006, section 4.3.
//
// For semi-definite M, symmetric or not, it ends with a solution or on a ray that proves that there
// is none. The facetted friction LCP is not semi-definite, and all cycles may end on rays that mean
// nothing. A covering column is then added to the programme and driven out, which is Lemke's path,
// and which ends such problems. Dense; bad beyond some hundred unknowns. Scratch: the tableau, and
// another one for the path.
#include "base/arena.h"
#include "base/clock.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/pivoting/tableau.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define QP_REFRESH 100 // pivots between two fresh tableaux, or n if that is more
#define QP_ZERO 1e-13  // of the largest right side: less negative is not negative
#define QP_CYCLES 20   // major cycles per unknown after which the matrix is not for this method
#define QP_LENGTH 20   // pivots per unknown after which a major cycle does not end
#define QP_POLISH 3    // refinements of the answer

const cn_param solve_qp_param_table[SOLVE_QP_PARAM_COUNT] = {
    {"max_size", CN_PARAM_INT, offsetof(solve_qp_params, max_size), 4000, 1, 20000,
     "unknowns beyond which the dense tableau is refused"},
    {"scale", CN_PARAM_BOOL, offsetof(solve_qp_params, scale), 1, 0, 1,
     "equilibrate rows and columns first"},
};

typedef enum qp_end {
    QP_DONE,    // the distinguished variable reached zero
    QP_RAY,     // nothing blocks
    QP_ENDLESS, // a major cycle that does not end, as it may where M is not semi-definite
    QP_PROOF,   // nothing blocks, and the ray proves that there is no solution
    QP_BROKEN,  // the basis became singular in rounding
    QP_STOPPED  // the watch said so
} qp_end;

// What a search needs beside the tableau: n numbers each.
typedef struct qp_work {
    const cn_lcp *p; // NULL: rays are not tested
    bool *barred;    // pairs whose cycle ended on a ray since the last success
    double *trial, *sum, *size;
} qp_work;

static double qp_value(const pivot_tableau *t, int32_t row) {
    return t->T[t->stride * row + t->n + 1];
}

// Values below this are negative.
static double qp_threshold(const pivot_tableau *t) {
    double largest = 0.0;
    for (int32_t i = 0; i < t->n; i++) {
        largest = fmax(largest, fabs(qp_value(t, i)));
    }
    return -QP_ZERO * largest;
}

// The variable to make feasible: the most negative one that is not barred; -1: none.
static int32_t qp_distinguish(const pivot_tableau *t, const bool *barred, bool *any_negative) {
    double min = qp_threshold(t);
    int32_t best = -1;
    *any_negative = false;
    for (int32_t i = 0; i < t->n; i++) {
        if (qp_value(t, i) < qp_threshold(t)) {
            *any_negative = true;
            if (!barred[t->basic[i] % t->n] && qp_value(t, i) < min) {
                min = qp_value(t, i);
                best = t->basic[i];
            }
        }
    }
    return best;
}

// The row that blocks column c: the distinguished one, or a row that is not negative and drops to
// zero first. Ties go to the distinguished one, then to the lexicographic rule. -1: none.
static int32_t qp_blocking(pivot_tableau *t, int32_t c, int32_t distinguished) {
    double largest = 0.0, min = HUGE_VAL, floor = qp_threshold(t);
    for (int32_t i = 0; i < t->n; i++) {
        largest = fmax(largest, fabs(t->T[t->stride * i + c]));
    }
    int32_t own = t->place[distinguished], count = 0;
    for (int32_t i = 0; i < t->n; i++) {
        double entry = t->T[t->stride * i + c];
        if (i != own && entry > PIVOT_TABLEAU_PIVOT * largest && qp_value(t, i) >= floor) {
            t->tied[count++] = i;
            min = fmin(min, fmax(qp_value(t, i), 0.0) / entry);
        }
    }
    double rise = -t->T[t->stride * own + c];
    if (rise > PIVOT_TABLEAU_PIVOT * largest && -qp_value(t, own) / rise <= min) {
        return own;
    }
    if (count == 0) {
        return -1;
    }
    count = pivot_tableau_narrow(t, count, -1, c);
    return pivot_tableau_break_tie(t, count, c);
}

// One major cycle: from a complementary basis to the next.
static qp_end qp_cycle(pivot_tableau *t, int32_t distinguished, int32_t *fresh, int32_t *ray) {
    int32_t period = t->n > QP_REFRESH ? t->n : QP_REFRESH;
    int32_t driving = pivot_tableau_complement(t, distinguished);
    for (int64_t pivots = 0; pivots < (int64_t)QP_LENGTH * (t->n + 1); pivots++) {
        if (pivot_tableau_stops(t)) {
            return QP_STOPPED;
        }
        int32_t column = -1 - t->place[driving];
        int32_t row = qp_blocking(t, column, distinguished);
        if (row < 0) {
            *ray = column;
            return QP_RAY;
        }
        int32_t leaving = t->basic[row];
        pivot_tableau_pivot(t, row, column);
        if (++*fresh >= period) {
            *fresh = 0;
            pivot_tableau_state state = pivot_tableau_refresh(t);
            if (state != PIVOT_TABLEAU_FRESH) {
                return state == PIVOT_TABLEAU_STOPPED ? QP_STOPPED : QP_BROKEN;
            }
        }
        if (leaving == distinguished) {
            return QP_DONE;
        }
        // Where M is not semi-definite the first driving variable may leave again: the basis is
        // complementary, and another variable gets its turn.
        driving = pivot_tableau_complement(t, leaving);
        if (driving == distinguished) {
            return QP_DONE;
        }
    }
    return QP_ENDLESS;
}

// Major cycles until nothing is negative. After a ray the search begins anew with another variable,
// which may free those that were barred. QP_RAY: all that are negative ended on one.
static qp_end qp_search(pivot_tableau *t, qp_work *work) {
    int32_t fresh = 0, ray = -1;
    int64_t max = (int64_t)QP_CYCLES * (t->n + 1);
    for (int64_t cycle = 0; cycle < max; cycle++) {
        bool negative;
        int32_t distinguished = qp_distinguish(t, work->barred, &negative);
        if (distinguished < 0) {
            return negative ? QP_RAY : QP_DONE;
        }
        qp_end end = qp_cycle(t, distinguished, &fresh, &ray);
        if (end == QP_DONE) {
            memset(work->barred, 0, sizeof *work->barred * (size_t)t->n);
            continue;
        }
        if (end != QP_RAY && end != QP_ENDLESS) {
            return end;
        }
        if (work->p && end == QP_RAY) {
            pivot_tableau_read(t, ray, work->trial);
            if (pivot_ray_proves(work->p, work->trial, work->sum, work->size)) {
                return QP_PROOF;
            }
        }
        work->barred[distinguished % t->n] = true;
        pivot_tableau_reset(t);
        fresh = 0;
    }
    return QP_RAY;
}

bool pivot_tableau_qp(pivot_tableau *t, bool *barred) {
    qp_work work = {.barred = barred};
    pivot_tableau_reset(t);
    return qp_search(t, &work) == QP_DONE;
}

static void qp_explain(qp_end end, cn_solve_report *report) {
    if (end == QP_PROOF) {
        solve_report_end(report, CN_INFEASIBLE, "the ray proves that no z >= 0 has M z + q >= 0");
    } else if (end == QP_RAY) {
        solve_report_end(report, CN_STALLED,
                         "every cycle ended on a ray, which proves nothing for this matrix");
    } else if (end == QP_BROKEN) {
        solve_report_end(report, CN_STALLED, "the basis became singular");
    } else if (end == QP_DONE) {
        solve_report_end(report, CN_SOLVED, "complementary basis found");
    }
}

// What the search left open, by Lemke's method within what is left of the time and of the
// iterations.
static cn_status qp_cover(const cn_lcp *p, const cn_solve_opts *own, int64_t pivots, double start,
                          cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    cn_solver_info info = {.params = solve_lemke_param_table,
                           .param_count = SOLVE_LEMKE_PARAM_COUNT};
    cn_solve_opts opts = cn_solve_opts_default(&info);
    opts.tolerance = own->tolerance;
    opts.max_iterations = own->max_iterations;
    opts.deadline = own->deadline;
    opts.time_limit = own->time_limit;
    solve_opts_take_callbacks(&opts, own);
    opts = solve_watch_rest(&opts, start);
    cn_status status = solve_lcp_lemke(p, &opts, scratch, z, w, report);
    pivots += report->iterations;
    report->iterations = (int32_t)(pivots < INT32_MAX ? pivots : INT32_MAX);
    return status;
}

// error: of the guess in z.
static cn_status qp_run(const cn_lcp *p, solve_watch *watch, pivot_tableau *t, double error,
                        cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    qp_work work = {.p = p, .sum = w};
    work.barred = BASE_TAKE_ZERO(scratch, bool, p->n);
    work.trial = BASE_TAKE(scratch, double, p->n);
    work.size = BASE_TAKE(scratch, double, p->n);
    if (!work.barred || !work.trial || !work.size) {
        return CN_ERR_MEMORY;
    }
    t->watch = watch;
    t->report = report;
    if (pivot_tableau_stops(t)) {
        return watch->status;
    }
    pivot_tableau_reset(t);
    qp_end end = qp_search(t, &work);
    report->iterations = (int32_t)(t->pivots < INT32_MAX ? t->pivots : INT32_MAX);
    if (end == QP_DONE) {
        pivot_tableau_refine(t, QP_POLISH);
        pivot_tableau_read(t, -1, work.trial);
        pivot_lcp_velocity(p, work.trial, w);
        if (solve_natural_error_lcp(p, work.trial, w) < error) {
            memcpy(z, work.trial, sizeof *z * (size_t)p->n);
        }
    }
    qp_explain(end, report);
    return watch->status;
}

cn_status solve_lcp_qp(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                       double *w, cn_solve_report *report) {
    solve_qp_params own;
    memcpy(&own, opts->params, sizeof own);
    double error;
    solve_watch watch = solve_watch_start(opts); // what follows at once takes n^2 memory and time
    if (!pivot_lcp_dense_asked(p, opts, own.max_size, z, w, &error, report)) {
        return CN_OK;
    }
    pivot_lcp_dense dense;
    pivot_tableau t;
    CN_TRY(pivot_lcp_dense_build(p, own.scale, scratch, &dense));
    CN_TRY(pivot_tableau_prepare(&dense, scratch, &t));
    double start = opts->time_limit > 0.0 ? base_clock_cpu() : 0.0;
    CN_TRY(qp_run(p, &watch, &t, error, scratch, z, w, report));
    return report->outcome == CN_STALLED ? qp_cover(p, opts, t.pivots, start, scratch, z, w, report)
                                         : CN_OK;
}
