// solve/newton/mcp_newton.c
// "mcp", in the manner of PATH: a crash that looks for the active set, then a semismooth Newton
// method with a non-monotone line search, and as last resort pivots.
//
// Crash: with A = { i : lower < z - w < upper } solve w_A = 0, put the others at their bounds, and
// search along the projected path P(z + t d). For an affine problem with the right A this is the
// answer. Newton: each row is a function of z_i and w_i that vanishes exactly at a solution,
//     phi(a, b) = a + b - sqrt(a^2 + b^2)
//     free  w      below  phi(z - l, w)      above  -phi(u - z, -w)      box  phi(z - l, -phi(u -
//     z, -w))
// with derivatives da, db >= 0, so a step solves (diag(da) + diag(db) M) d = -phi. A small multiple
// of the identity that vanishes with the error keeps singular bases solvable. References: Dirkse
// and Ferris 1995 (PATH); Billups 1995 (boxes); De Luca, Facchinei and Kanzow 1996; Munson,
// Facchinei, Ferris, Fischer and Kanzow 2001.
//
// Bad for large dense M (one sparse LU a step), and no method is sure for M that is not
// semi-definite: small problems that it leaves open go to Lemke. Scratch: a copy of M; the factors
// are KLU's own.
#include "base/arena.h"
#include "base/clock.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/mcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/newton/equilibrate.h"
#include "solve/newton/fischer.h"
#include "sparse/csr.h"
#include "sparse/linear.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define MCP_MEMORY 8         // merits that the line search looks back on
#define MCP_HALVINGS 14      // of a step before it is given up
#define MCP_DESCENT 1e-4     // share of the predicted descent that a step must reach
#define MCP_RIDGE_MAX 1e-4   // weight of the identity at a large error,
#define MCP_RIDGE_SHARE 1e-2 // and per unit of the merit's root at a small one
#define MCP_RIDGE_MIN 1e-13
#define MCP_RIDGE_UP 100.0 // growth after a singular factorisation
#define MCP_RIDGE_TRIES 5
#define MCP_CRASH_WAIT 4     // crash steps without a new best before it ends
#define MCP_CRASH_HALVINGS 3 // of a crash step that is far worse
#define MCP_JUMP 0.1         // fall of the error after which the active set is tried again
#define MCP_RATE 2.5e8 // multiplications per second that a slow machine does; KLU cannot be stopped
#define MCP_STALL 30   // steps without a new best that end the method

const cn_param solve_mcp_param_table[SOLVE_MCP_PARAM_COUNT] = {
    {"crash", CN_PARAM_INT, offsetof(solve_mcp_params, crash), 20, 0, 1000,
     "active-set steps at the start"},
    {"pivot", CN_PARAM_INT, offsetof(solve_mcp_params, pivot), 800, 0, 20000,
     "unknowns up to which Lemke takes over what is left open"},
    {"work", CN_PARAM_REAL, offsetof(solve_mcp_params, work), 2e9, 1e3, 1e15,
     "multiplications of one factorisation beyond which the problem is refused"},
};

typedef struct mcp_newton {
    const cn_mcp *p; // as given
    const cn_solve_opts *opts;
    cn_mcp s;          // scaled: M' = S M S, z = S z'
    double *scale;     // S
    cn_csr J;          // pattern of M with its diagonal
    int64_t *source;   // of an entry of J: its place in M, or -1
    int64_t *diagonal; // of a row: its place in J
    sparse_linear *linear;
    double *z, *w;         // the iterate, scaled
    double *phi, *da, *db; // at it
    double *d;             // the step
    double *trial, *trial_w;
    double *plain, *plain_w; // unscaled, for the error
    double *best;            // unscaled, of the smallest error
    double best_error;
    int64_t steps;
    int64_t best_step;
    solve_watch *watch;
    cn_solve_report *report;
} mcp_newton;

// ---- preparation ----

static cn_status mcp_scale(mcp_newton *s, cn_arena *scratch) {
    const cn_mcp *p = s->p;
    int64_t entries = p->M.start[p->n];
    s->s = (cn_mcp){.n = p->n, .M = p->M};
    s->s.M.value = BASE_TAKE(scratch, double, entries);
    double **const vectors[] = {&s->s.q,   &s->s.lower, &s->s.upper, &s->scale,   &s->z,
                                &s->w,     &s->phi,     &s->da,      &s->db,      &s->d,
                                &s->trial, &s->trial_w, &s->plain,   &s->plain_w, &s->best};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = BASE_TAKE_ZERO(scratch, double, p->n);
        if (!*vectors[i]) {
            return CN_ERR_MEMORY;
        }
    }
    if (!s->s.M.value) {
        return CN_ERR_MEMORY;
    }
    newton_equilibrate(&p->M, s->scale, s->phi);
    for (int32_t i = 0; i < p->n; i++) {
        s->s.q[i] = s->scale[i] * p->q[i];
        s->s.lower[i] = p->lower[i] / s->scale[i];
        s->s.upper[i] = p->upper[i] / s->scale[i];
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            s->s.M.value[k] = s->scale[i] * p->M.value[k] * s->scale[p->M.column[k]];
        }
    }
    return CN_OK;
}

// The pattern of M with the whole diagonal, and its analysis.
static cn_status mcp_pattern(mcp_newton *s, cn_arena *scratch) {
    CN_TRY(newton_whole_diagonal(&s->p->M, scratch, &s->J, &s->source, &s->diagonal));
    return sparse_linear_create(&sparse_linear_klu, cn_arena_env(scratch), &s->J, &s->linear, NULL);
}

// ---- evaluation ----

// The error of a scaled point in the problem as given; it becomes the best where it is.
static double mcp_error(mcp_newton *s, const double *z) {
    for (int32_t i = 0; i < s->p->n; i++) {
        s->plain[i] = solve_mcp_clamp(s->p, i, s->scale[i] * z[i]);
    }
    solve_mcp_velocity(s->p, s->plain, s->plain_w);
    double error = solve_natural_error_mcp(s->p, s->plain, s->plain_w);
    if (error < s->best_error) {
        s->best_error = error;
        s->best_step = s->steps;
        memcpy(s->best, s->plain, sizeof *s->best * (size_t)s->p->n);
    }
    return error;
}

// ---- linear algebra ----

// d := -(diag(da + ridge) + diag(db) M)^-1 d, the ridge grown while the matrix is singular.
static cn_status mcp_step(mcp_newton *s, double ridge, bool *found) {
    int32_t n = s->p->n;
    *found = false;
    for (int32_t attempt = 0; attempt < MCP_RIDGE_TRIES && !*found; attempt++) {
        if (attempt > 0 &&
            solve_watch_tick(s->watch, "newton steps", s->steps, s->best_error, s->report)) {
            return CN_OK; // the caller asks again before its next step
        }
        for (int32_t i = 0; i < n; i++) {
            for (int64_t k = s->J.start[i]; k < s->J.start[i + 1]; k++) {
                s->J.value[k] = s->source[k] >= 0 ? s->db[i] * s->s.M.value[s->source[k]] : 0.0;
            }
            s->J.value[s->diagonal[i]] += s->da[i] + ridge;
        }
        cn_status status = sparse_linear_factorize(s->linear, &s->J, NULL);
        if (status == CN_ERR_MEMORY) {
            return status;
        }
        *found = status == CN_OK;
        ridge *= MCP_RIDGE_UP;
    }
    if (*found) {
        sparse_linear_solve(s->linear, 1, s->d);
        for (int32_t i = 0; i < n; i++) {
            s->d[i] = -s->d[i];
            *found = *found && isfinite(s->d[i]);
        }
    }
    return CN_OK;
}

static double mcp_ridge(double merit) {
    double share = MCP_RIDGE_SHARE * sqrt(2.0 * merit);
    return fmax(fmin(share, MCP_RIDGE_MAX), MCP_RIDGE_MIN);
}

// ---- crash ----

// The step to the point with w = 0 on the unknowns that z - w leaves between their bounds, and the
// bounds elsewhere.
static cn_status mcp_active_step(mcp_newton *s, bool *found) {
    for (int32_t i = 0; i < s->p->n; i++) {
        double aim = s->z[i] - s->w[i];
        bool below = !(aim > s->s.lower[i]), above = aim >= s->s.upper[i];
        s->db[i] = below || above ? 0.0 : 1.0;
        s->da[i] = 1.0 - s->db[i];
        s->d[i] = below ? s->z[i] - s->s.lower[i] : (above ? s->z[i] - s->s.upper[i] : s->w[i]);
    }
    return mcp_step(s, MCP_RIDGE_MIN, found);
}

// trial := P(z + t d) and its velocity; the error there.
static double mcp_along(mcp_newton *s, double t) {
    for (int32_t i = 0; i < s->p->n; i++) {
        s->trial[i] = solve_mcp_clamp(&s->s, i, s->z[i] + t * s->d[i]);
    }
    solve_mcp_velocity(&s->s, s->trial, s->trial_w);
    return mcp_error(s, s->trial);
}

static void mcp_move(mcp_newton *s) {
    size_t bytes = sizeof *s->z * (size_t)s->p->n;
    memcpy(s->z, s->trial, bytes);
    memcpy(s->w, s->trial_w, bytes);
}

// Back to the best point so far.
static void mcp_return(mcp_newton *s) {
    for (int32_t i = 0; i < s->p->n; i++) {
        s->z[i] = s->best[i] / s->scale[i];
    }
    solve_mcp_velocity(&s->s, s->z, s->w);
}

static cn_status mcp_crash(mcp_newton *s, int32_t max, solve_watch *watch, cn_solve_report *report,
                           bool *ended) {
    int32_t since = 0;
    for (int32_t k = 0; k < max && since < MCP_CRASH_WAIT; k++) {
        *ended = solve_watch_stop(watch, "crash", s->steps, s->best_error, report);
        if (*ended) {
            return CN_OK;
        }
        bool found;
        cn_status status = mcp_active_step(s, &found);
        if (status != CN_OK || !found) {
            return status;
        }
        s->steps++;
        double before = s->best_error, error = mcp_along(s, 1.0);
        // Path search: a whole step that is far worse is shortened.
        double t = 1.0;
        for (int32_t half = 0; !(error <= 2.0 * before) && half < MCP_CRASH_HALVINGS; half++) {
            t *= 0.5;
            error = mcp_along(s, t);
        }
        since = s->best_error < before ? 0 : since + 1;
        mcp_move(s);
    }
    mcp_return(s);
    return CN_OK;
}

// ---- Newton ----

// Non-monotone line search along d, then along the steepest descent; false when neither descends.
static bool mcp_search(mcp_newton *s, const double *merits, int32_t count, double slope,
                       double *merit) {
    double reference = 0.0;
    for (int32_t k = count > MCP_MEMORY ? count - MCP_MEMORY : 0; k < count; k++) {
        reference = fmax(reference, merits[k % MCP_MEMORY]);
    }
    double t = 1.0;
    for (int32_t k = 0; k <= MCP_HALVINGS; k++) {
        for (int32_t i = 0; i < s->p->n; i++) {
            s->trial[i] = s->z[i] + t * s->d[i];
        }
        solve_mcp_velocity(&s->s, s->trial, s->trial_w);
        *merit = newton_fischer_merit(&s->s, s->trial, s->trial_w, NULL, NULL, NULL);
        if (*merit <= reference + MCP_DESCENT * t * slope) {
            return true;
        }
        t *= 0.5;
    }
    return false;
}

// gradient := J' phi; d'gradient is returned.
static double mcp_slope(mcp_newton *s, double *gradient) {
    for (int32_t i = 0; i < s->p->n; i++) {
        s->trial[i] = s->db[i] * s->phi[i];
    }
    sparse_csr_apply_transposed(&s->s.M, s->trial, gradient);
    double slope = 0.0;
    for (int32_t i = 0; i < s->p->n; i++) {
        gradient[i] += s->da[i] * s->phi[i];
        slope += s->d[i] * gradient[i];
    }
    return slope;
}

// One step of Newton's method, or of steepest descent where that does not descend.
static cn_status mcp_advance(mcp_newton *s, double *merits, int32_t *count, bool *moved) {
    double merit = newton_fischer_merit(&s->s, s->z, s->w, s->phi, s->da, s->db), next;
    merits[*count % MCP_MEMORY] = merit;
    ++*count;
    memcpy(s->d, s->phi, sizeof *s->d * (size_t)s->p->n);
    bool found;
    CN_TRY(mcp_step(s, mcp_ridge(merit), &found));
    double slope = mcp_slope(s, s->plain);
    *moved = found && slope < 0.0 && mcp_search(s, merits, *count, slope, &next);
    if (!*moved) {
        slope = 0.0;
        for (int32_t i = 0; i < s->p->n; i++) {
            s->d[i] = -s->plain[i];
            slope -= s->plain[i] * s->plain[i];
        }
        *moved = slope < 0.0 && mcp_search(s, merits, *count, slope, &next);
    }
    if (*moved) {
        mcp_move(s);
    }
    return CN_OK;
}

static cn_status mcp_iterate(mcp_newton *s, solve_watch *watch, cn_solve_report *report) {
    double merits[MCP_MEMORY], tried = s->best_error;
    int32_t count = 0;
    while (!solve_watch_stop(watch, "newton steps", s->steps, s->best_error, report)) {
        bool moved = true;
        CN_TRY(mcp_advance(s, merits, &count, &moved));
        s->steps++;
        double error = mcp_error(s, s->z);
        if (error <= MCP_JUMP * tried && error > s->opts->tolerance) {
            // Perhaps the active set is right by now: one linear system then has the answer.
            bool found;
            tried = error;
            CN_TRY(mcp_active_step(s, &found));
            if (found) {
                mcp_along(s, 1.0);
            }
        }
        if (!moved || s->steps - s->best_step > MCP_STALL) {
            report->outcome = CN_STALLED;
            report->detail = "newton's method stalls";
            return CN_OK;
        }
    }
    return CN_OK;
}

// What is left open, by Lemke's method within what is left of the time and of the iterations.
static cn_status mcp_pivots(mcp_newton *s, double start, cn_arena *scratch, double *z, double *w,
                            cn_solve_report *report) {
    cn_solver_info info = {.params = solve_lemke_param_table,
                           .param_count = SOLVE_LEMKE_PARAM_COUNT};
    cn_solve_opts opts = cn_solve_opts_default(&info);
    opts.tolerance = s->opts->tolerance;
    opts.max_iterations = s->opts->max_iterations;
    solve_opts_take_callbacks(&opts, s->opts);
    if (s->opts->time_limit > 0.0) {
        opts.time_limit = fmax(s->opts->time_limit - (base_clock_cpu() - start), DBL_MIN);
    }
    cn_status status = solve_mcp_lemke(s->p, &opts, scratch, z, w, report);
    int64_t sum = s->steps + report->iterations;
    report->iterations = (int32_t)(sum < INT32_MAX ? sum : INT32_MAX);
    return status;
}

static cn_status mcp_run(mcp_newton *s, const solve_mcp_params *own, double start,
                         cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    solve_watch watch = solve_watch_start(s->opts);
    bool ended = false;
    s->watch = &watch;
    s->report = report;
    for (int32_t i = 0; i < s->p->n; i++) {
        s->z[i] = solve_mcp_clamp(&s->s, i, z[i] / s->scale[i]);
    }
    solve_mcp_velocity(&s->s, s->z, s->w);
    mcp_error(s, s->z);
    cn_status status = mcp_crash(s, own->crash, &watch, report, &ended);
    if (status == CN_OK && !ended) {
        status = mcp_iterate(s, &watch, report);
    }
    memcpy(z, s->best, sizeof *z * (size_t)s->p->n);
    if (status == CN_OK && watch.status == CN_OK && report->outcome == CN_STALLED &&
        s->p->n <= own->pivot) {
        return mcp_pivots(s, start, scratch, z, w, report);
    }
    return status != CN_OK ? status : watch.status;
}

cn_status solve_mcp_newton_solve(const cn_mcp *p, const cn_solve_opts *opts, cn_arena *scratch,
                                 double *z, double *w, cn_solve_report *report) {
    solve_mcp_params own;
    double start = base_clock_cpu();
    memcpy(&own, opts->params, sizeof own);
    solve_mcp_velocity(p, z, w);
    if (solve_natural_error_mcp(p, z, w) <= SOLVE_WATCH_MARGIN * opts->tolerance) {
        report->outcome = CN_SOLVED;
        report->detail = "the first guess is a solution";
        return CN_OK;
    }
    mcp_newton s = {.p = p, .opts = opts, .best_error = HUGE_VAL};
    solve_watch watch = solve_watch_start(opts);
    cn_status status = mcp_scale(&s, scratch);
    if (status == CN_OK && solve_watch_tick(&watch, "scaling", 0, (double)NAN, report)) {
        return watch.status;
    }
    if (status == CN_OK) {
        status = mcp_pattern(&s, scratch);
    }
    CN_TRY(status);
    double work = sparse_linear_klu_work(s.linear);
    if (opts->time_limit > 0.0 && work > MCP_RATE * opts->time_limit) {
        report->outcome = CN_TIME;
        report->detail = "one factorisation would take longer than the time limit";
    } else if (work > own.work) {
        report->outcome = CN_UNSUPPORTED;
        report->detail = "one factorisation costs more than \"work\" allows: raise it, or use auto";
    } else {
        status = mcp_run(&s, &own, start, scratch, z, w, report);
    }
    sparse_linear_destroy(s.linear);
    return status;
}

cn_status solve_lcp_mcp(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                        double *w, cn_solve_report *report) {
    cn_mcp same;
    CN_TRY(cn_mcp_from_lcp(p, scratch, &same, NULL));
    return solve_mcp_newton_solve(&same, opts, scratch, z, w, report);
}
