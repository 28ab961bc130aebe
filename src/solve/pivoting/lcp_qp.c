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
// For semi-definite M, symmetric or not, it ends with a solution or on a ray. The facetted friction
// LCP is not semi-definite, and the method may end on a ray that means nothing: "lemke". Dense; bad
// beyond some hundred unknowns. Scratch: the tableau.
#include "base/arena.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/pivoting/tableau.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define CN_QP_REFRESH 100 // pivots between two fresh tableaux, or n if that is more
#define CN_QP_ZERO 1e-13  // of the largest right side: less negative is not negative
#define CN_QP_CYCLES 20   // major cycles per unknown after which the matrix is not for this method
#define CN_QP_POLISH 3    // refinements of the answer

const cn_param cn_qp_param_table[CN_QP_PARAM_COUNT] = {
    {"max_size", CN_PARAM_INT, offsetof(cn_qp_params, max_size), 4000, 1, 20000,
     "unknowns beyond which the dense tableau is refused"},
    {"scale", CN_PARAM_BOOL, offsetof(cn_qp_params, scale), 1, 0, 1,
     "equilibrate rows and columns first"},
};

typedef enum cn_qp_end {
    CN_QP_DONE,   // the distinguished variable reached zero
    CN_QP_RAY,    // nothing blocks
    CN_QP_PROOF,  // nothing blocks, and the ray proves that there is no solution
    CN_QP_BROKEN, // the basis became singular in rounding
    CN_QP_STOPPED // the watch said so
} cn_qp_end;

// What a search needs beside the tableau: n numbers each.
typedef struct cn_qp_work {
    const cn_lcp *p; // NULL: rays are not tested
    bool *barred;    // pairs whose cycle ended on a ray since the last success
    double *trial, *sum, *size;
} cn_qp_work;

static double cn_qp_value(const cn_tableau *t, int32_t row) {
    return t->T[t->stride * row + t->n + 1];
}

// Values below this are negative.
static double cn_qp_threshold(const cn_tableau *t) {
    double largest = 0.0;
    for (int32_t i = 0; i < t->n; i++) {
        largest = fmax(largest, fabs(cn_qp_value(t, i)));
    }
    return -CN_QP_ZERO * largest;
}

// The variable to make feasible: the most negative one that is not barred; -1: none.
static int32_t cn_qp_distinguish(const cn_tableau *t, const bool *barred, bool *any_negative) {
    double least = cn_qp_threshold(t);
    int32_t best = -1;
    *any_negative = false;
    for (int32_t i = 0; i < t->n; i++) {
        if (cn_qp_value(t, i) < cn_qp_threshold(t)) {
            *any_negative = true;
            if (!barred[t->basic[i] % t->n] && cn_qp_value(t, i) < least) {
                least = cn_qp_value(t, i);
                best = t->basic[i];
            }
        }
    }
    return best;
}

// The row that blocks column c: the distinguished one, or a row that is not negative and drops to
// zero first. Ties go to the distinguished one, then to the lexicographic rule. -1: none.
static int32_t cn_qp_blocking(cn_tableau *t, int32_t c, int32_t distinguished) {
    double largest = 0.0, least = HUGE_VAL, floor = cn_qp_threshold(t);
    for (int32_t i = 0; i < t->n; i++) {
        largest = fmax(largest, fabs(t->T[t->stride * i + c]));
    }
    int32_t own = t->place[distinguished], count = 0;
    for (int32_t i = 0; i < t->n; i++) {
        double entry = t->T[t->stride * i + c];
        if (i != own && entry > CN_TABLEAU_PIVOT * largest && cn_qp_value(t, i) >= floor) {
            t->tied[count++] = i;
            least = fmin(least, fmax(cn_qp_value(t, i), 0.0) / entry);
        }
    }
    double rise = -t->T[t->stride * own + c];
    if (rise > CN_TABLEAU_PIVOT * largest && -cn_qp_value(t, own) / rise <= least) {
        return own;
    }
    if (count == 0) {
        return -1;
    }
    count = cn_tableau_narrow(t, count, -1, c);
    return cn_tableau_break_tie(t, count, c);
}

// One major cycle: from a complementary basis to the next.
static cn_qp_end cn_qp_cycle(cn_tableau *t, int32_t distinguished, int32_t *fresh, int32_t *ray) {
    int32_t period = t->n > CN_QP_REFRESH ? t->n : CN_QP_REFRESH;
    int32_t driving = cn_tableau_complement(t, distinguished);
    for (;;) {
        if (cn_tableau_stops(t)) {
            return CN_QP_STOPPED;
        }
        int32_t column = -1 - t->place[driving];
        int32_t row = cn_qp_blocking(t, column, distinguished);
        if (row < 0) {
            *ray = column;
            return CN_QP_RAY;
        }
        int32_t leaving = t->basic[row];
        cn_tableau_pivot(t, row, column);
        if (++*fresh >= period) {
            *fresh = 0;
            cn_tableau_state state = cn_tableau_refresh(t);
            if (state != CN_TABLEAU_FRESH) {
                return state == CN_TABLEAU_STOPPED ? CN_QP_STOPPED : CN_QP_BROKEN;
            }
        }
        if (leaving == distinguished) {
            return CN_QP_DONE;
        }
        // Where M is not semi-definite the first driving variable may leave again: the basis is
        // complementary, and another variable gets its turn.
        driving = cn_tableau_complement(t, leaving);
        if (driving == distinguished) {
            return CN_QP_DONE;
        }
    }
}

// Major cycles until nothing is negative. After a ray the search begins anew with another variable,
// which may free those that were barred. CN_QP_RAY: all that are negative ended on one.
static cn_qp_end cn_qp_search(cn_tableau *t, cn_qp_work *work) {
    int32_t fresh = 0, ray = -1;
    int64_t most = (int64_t)CN_QP_CYCLES * (t->n + 1);
    for (int64_t cycle = 0; cycle < most; cycle++) {
        bool negative;
        int32_t distinguished = cn_qp_distinguish(t, work->barred, &negative);
        if (distinguished < 0) {
            return negative ? CN_QP_RAY : CN_QP_DONE;
        }
        cn_qp_end end = cn_qp_cycle(t, distinguished, &fresh, &ray);
        if (end == CN_QP_DONE) {
            memset(work->barred, 0, sizeof *work->barred * (size_t)t->n);
            continue;
        }
        if (end != CN_QP_RAY) {
            return end;
        }
        if (work->p) {
            cn_tableau_read(t, ray, work->trial);
            if (cn_ray_proves(work->p, work->trial, work->sum, work->size)) {
                return CN_QP_PROOF;
            }
        }
        work->barred[distinguished % t->n] = true;
        cn_tableau_reset(t);
        fresh = 0;
    }
    return CN_QP_RAY;
}

bool cn_tableau_qp(cn_tableau *t, bool *barred) {
    cn_qp_work work = {.barred = barred};
    cn_tableau_reset(t);
    return cn_qp_search(t, &work) == CN_QP_DONE;
}

static void cn_qp_explain(cn_qp_end end, cn_solve_report *report) {
    if (end == CN_QP_PROOF) {
        cn_report_end(report, CN_INFEASIBLE, "the ray proves that no z >= 0 has M z + q >= 0");
    } else if (end == CN_QP_RAY) {
        cn_report_end(report, CN_STALLED,
                      "every cycle ended on a ray, which proves nothing for this matrix");
    } else if (end == CN_QP_BROKEN) {
        cn_report_end(report, CN_STALLED, "the basis became singular");
    } else if (end == CN_QP_DONE) {
        cn_report_end(report, CN_SOLVED, "complementary basis found");
    }
}

// error: of the guess in z.
static cn_status cn_qp_run(const cn_lcp *p, cn_watch *watch, cn_tableau *t, double error,
                           cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    cn_qp_work work = {.p = p, .sum = w};
    work.barred = CN_TAKE_ZERO(scratch, bool, p->n);
    work.trial = CN_TAKE(scratch, double, p->n);
    work.size = CN_TAKE(scratch, double, p->n);
    if (!work.barred || !work.trial || !work.size) {
        return CN_ERR_MEMORY;
    }
    t->watch = watch;
    t->report = report;
    if (cn_tableau_stops(t)) {
        return watch->status;
    }
    cn_tableau_reset(t);
    cn_qp_end end = cn_qp_search(t, &work);
    report->iterations = (int32_t)(t->pivots < INT32_MAX ? t->pivots : INT32_MAX);
    if (end == CN_QP_DONE) {
        cn_tableau_refine(t, CN_QP_POLISH);
        cn_tableau_read(t, -1, work.trial);
        cn_lcp_velocity(p, work.trial, w);
        if (cn_natural_error_lcp(p, work.trial, w) < error) {
            memcpy(z, work.trial, sizeof *z * (size_t)p->n);
        }
    }
    cn_qp_explain(end, report);
    return watch->status;
}

cn_status cn_lcp_qp(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                    double *w, cn_solve_report *report) {
    cn_qp_params own;
    memcpy(&own, opts->params, sizeof own);
    double error;
    cn_watch watch = cn_watch_start(opts); // what follows at once takes n^2 memory and time
    if (!cn_lcp_dense_asked(p, opts, own.max_size, z, w, &error, report)) {
        return CN_OK;
    }
    cn_lcp_dense dense;
    cn_tableau t;
    cn_status status = cn_lcp_dense_build(p, own.scale, scratch, &dense);
    if (status == CN_OK) {
        status = cn_tableau_prepare(&dense, scratch, &t);
    }
    return status == CN_OK ? cn_qp_run(p, &watch, &t, error, scratch, z, w, report) : status;
}
