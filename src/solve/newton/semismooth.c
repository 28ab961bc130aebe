// solve/newton/semismooth.c
// Newton on F(r, W r + q) = 0, all contacts at once. With A = dF/du, B = dF/dr per contact,
//     (A (W + delta D) + B) dr = -F,   D = trace(W_aa)/dim on contact a,
// then the longest of the steps 1, 1/2, 1/4, ... after which the merit |F|/|q| is below the largest
// of the last few (Grippo, Lampariello and Lucidi 1986): F has kinks, so a steady fall is too much
// to ask.
//
// delta makes the matrix regular where W is rank deficient. It is a share of the merit, so the
// method stays fast near a solution; when no step descends it is multiplied, which bends the
// direction towards that of a projected gradient, as Levenberg and Marquardt do. A solution is a
// zero of F whatever delta is.
//
// Bad: far from the solution of a large hyperstatic set the merit has minima that are no zeros:
// "prox-newton", whose inner problems are regular by themselves, or "auto".
#include "solve/newton/semismooth.h"

#include "base/arena.h"
#include "problem/bounds.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/newton/newton_system.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SEMISMOOTH_MEMORY_MAX 20
#define SEMISMOOTH_DESCENT 1e-4 // of the merit, times the step, a step must gain
#define SEMISMOOTH_MIN 1e-13    // of delta: below, rounding rules the matrix
#define SEMISMOOTH_MAX 1e3      // of the multiplier of delta: beyond, the step is taken anyway
#define SEMISMOOTH_STIFFEN 10.0 // of that multiplier when no step descends,
#define SEMISMOOTH_SOFTEN 0.2   // and after a full step

const cn_param newton_semismooth_param_table[NEWTON_SEMISMOOTH_PARAM_COUNT] = {
    {"rho", CN_PARAM_REAL, offsetof(newton_semismooth_params, rho), 1.0, 1e-4, 1e4,
     "step of the contact function, in units of the inverse diagonal of W"},
    {"regularisation", CN_PARAM_REAL, offsetof(newton_semismooth_params, regularisation), 1.0, 0.0,
     1e2, "share of the merit that is added to the diagonal of W in the Newton matrix"},
    {"halvings", CN_PARAM_INT, offsetof(newton_semismooth_params, halvings), 6, 0, 40,
     "halvings of a step at most; 0 takes every full step"},
    {"memory", CN_PARAM_INT, offsetof(newton_semismooth_params, memory), 10, 1,
     SEMISMOOTH_MEMORY_MAX, "merits over which a step need not descend; 1 is monotone"},
};

typedef struct semismooth {
    const cn_friction *p;
    newton_contact_fn *law;
    newton_semismooth_params own;
    newton_system system;
    int64_t m;
    double *scale; // D
    double *r, *u, *dr;
    double *trial;
    double size;  // of q, the unit of the merit
    double stiff; // multiplier of delta
    double delta;
    double merits[SEMISMOOTH_MEMORY_MAX]; // the last ones, in a ring
    int64_t accepted;
} semismooth;

static cn_status semismooth_prepare(semismooth *s, const cn_friction *p, const cn_solve_opts *opts,
                                    newton_contact_fn *law, cn_arena *scratch) {
    *s = (semismooth){.p = p, .law = law, .m = (int64_t)p->dim * p->contacts, .stiff = 1.0};
    memcpy(&s->own, opts->params, sizeof s->own);
    s->r = BASE_TAKE(scratch, double, s->m);
    s->u = BASE_TAKE(scratch, double, s->m);
    s->dr = BASE_TAKE(scratch, double, s->m);
    s->trial = BASE_TAKE(scratch, double, s->m);
    s->scale = BASE_TAKE(scratch, double, p->contacts);
    if (!s->r || !s->u || !s->dr || !s->trial || !s->scale) {
        return CN_ERR_MEMORY;
    }
    s->size = newton_scales(p, s->scale);
    return newton_analyse(p, scratch, &s->system);
}

// F and its derivatives at r, u into the system; returns the merit.
static double semismooth_linearise(semismooth *s, const double *r, const double *u) {
    int32_t dim = s->p->dim;
    double sum = 0.0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)dim * a, block = dim * row;
        double *F = s->system.F + row;
        if (prob_is_boxed(&s->p->bounds, a)) {
            newton_box_function(dim, s->p->bounds.lower + row, s->p->bounds.upper + row,
                                s->own.rho / s->scale[a], r + row, u + row, F, s->system.A + block,
                                s->system.K + block);
        } else {
            s->law(dim, s->p->mu[a], s->own.rho / s->scale[a], r + row, u + row, F,
                   s->system.A + block, s->system.K + block);
        }
        for (int32_t i = 0; i < dim; i++) {
            sum += F[i] * F[i];
        }
    }
    return sqrt(sum) / s->size;
}

// K := B + delta D A
static void semismooth_regularise(semismooth *s, double delta) {
    int32_t size = s->p->dim * s->p->dim;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        const double *A = s->system.A + (int64_t)size * a;
        double *K = s->system.K + (int64_t)size * a;
        for (int32_t i = 0; i < size; i++) {
            K[i] += delta * s->scale[a] * A[i];
        }
    }
}

static double semismooth_limit(const semismooth *s) {
    double limit = 0.0;
    for (int64_t i = 0; i < s->own.memory && i < s->accepted; i++) {
        limit = fmax(limit, s->merits[i]);
    }
    return limit;
}

// r := the trial point.
static void semismooth_accept(semismooth *s, double merit) {
    memcpy(s->r, s->trial, sizeof *s->r * (size_t)s->m);
    s->merits[s->accepted++ % s->own.memory] = merit;
}

// A step along dr, the system refilled where it ended; returns the merit there. *share: of the full
// step; 0 when none descends, with r where it was.
static double semismooth_search(semismooth *s, double *share) {
    double limit = semismooth_limit(s), merit = (double)INFINITY;
    *share = 1.0;
    for (int32_t k = 0; k <= s->own.halvings; k++) {
        for (int64_t i = 0; i < s->m; i++) {
            s->trial[i] = s->r[i] + *share * s->dr[i];
        }
        newton_velocity(&s->system, s->p, s->trial, s->u);
        merit = semismooth_linearise(s, s->trial, s->u);
        if (merit <= (1.0 - SEMISMOOTH_DESCENT * *share) * limit ||
            (s->own.halvings == 0 && isfinite(merit))) {
            semismooth_accept(s, merit);
            return merit;
        }
        *share *= 0.5;
    }
    *share = 0.0;
    return merit;
}

// The next iterate, its velocity and linearisation; returns its merit.
static double semismooth_step(semismooth *s, double merit) {
    double delta = s->own.regularisation * merit * s->stiff, share = 0.0, now = merit;
    semismooth_regularise(s, fmax(delta, SEMISMOOTH_MIN));
    if (newton_solve(&s->system, s->dr)) {
        now = semismooth_search(s, &share);
    }
    if (share > 0.0) {
        s->stiff *= share == 1.0 ? SEMISMOOTH_SOFTEN : 1.0;
        return now;
    }
    // Nowhere to go down: a stiffer matrix from the same point; in the end the shortest step as it
    // is, and a new count of merits.
    bool moves = s->stiff > SEMISMOOTH_MAX && isfinite(now);
    s->stiff = moves ? 1.0 : SEMISMOOTH_STIFFEN * s->stiff;
    if (moves) {
        s->accepted = 0;
        semismooth_accept(s, now);
        return now;
    }
    newton_velocity(&s->system, s->p, s->r, s->u);
    return semismooth_linearise(s, s->r, s->u);
}

cn_status newton_semismooth_run(const cn_friction *p, const cn_solve_opts *opts,
                                newton_contact_fn *law, cn_arena *scratch, double *r,
                                cn_solve_report *report) {
    semismooth s;
    cn_status status = semismooth_prepare(&s, p, opts, law, scratch);
    if (status != CN_OK) {
        return newton_refuse(status, report);
    }
    size_t bytes = sizeof *r * (size_t)s.m;
    memcpy(s.r, r, bytes);
    newton_velocity(&s.system, p, s.r, s.u);
    double merit = semismooth_linearise(&s, s.r, s.u);
    double best = solve_natural_error(p, opts->measure, s.r, s.u);
    s.merits[s.accepted++] = merit;
    solve_watch watch = solve_watch_start(opts);
    for (int64_t k = 0; !solve_watch_stop(&watch, "newton steps", k, best, report); k++) {
        merit = semismooth_step(&s, merit);
        double error = solve_natural_error(p, opts->measure, s.r, s.u);
        if (error < best) {
            best = error;
            memcpy(r, s.r, bytes);
        }
    }
    return watch.status;
}
