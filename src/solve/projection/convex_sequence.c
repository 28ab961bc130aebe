// solve/projection/convex_sequence.c
// The map z -> z(r), r the solution of the convex problem with z frozen, z = |u_T| (cone) or mu r_N
// (disc), iterated with Anderson acceleration. A convex problem is solved to a share of the error
// that the friction problem shows, never exactly: exactness would only polish a z that is to
// change. Iterations are those of the interior point method, one factorisation each.
#include "solve/projection/convex_sequence.h"

#include "base/arena.h"
#include "solve/acceleration/anderson.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SEQUENCE_INNER_MAX 60 // iterations of one convex problem
#define SEQUENCE_FLOOR 0.1    // of the tolerance, below which none need be solved

const cn_param proj_sequence_param_table[PROJ_SEQUENCE_PARAM_COUNT] = {
    {"inner", CN_PARAM_REAL, offsetof(proj_sequence_params, inner), 0.01, 1e-6, 0.9,
     "share of the outer error to which a convex problem is solved"},
    {"margin", CN_PARAM_REAL, offsetof(proj_sequence_params, margin), 0.1, 1e-8, 1e4,
     "how far inside the cones its first iterate lies, in units of q"},
    {"anderson", CN_PARAM_INT, offsetof(proj_sequence_params, anderson), 5, 0, GS_ANDERSON_MAX,
     "fixed-point steps remembered by the acceleration; 0: plain"},
    {"patience", CN_PARAM_INT, offsetof(proj_sequence_params, patience), 20, 1, 1000,
     "convex problems without a new best after which it ends"},
};

typedef struct sequence {
    const cn_friction *p;
    const cn_solve_opts *opts;
    proj_sequence_params own;
    ipm_interior interior;
    gs_anderson mixer;
    float *weight;   // of Anderson acceleration
    double *z, *map; // the frozen numbers and what the solution says
    double *best;    // r
    double best_error;
    int64_t steps;
} sequence;

static cn_status sequence_prepare(sequence *s, const cn_friction *p, const cn_solve_opts *opts,
                                  const ipm_interior_ops *ops, cn_arena *scratch) {
    *s = (sequence){.p = p, .opts = opts};
    memcpy(&s->own, opts->params, sizeof s->own);
    CN_TRY(ipm_interior_prepare(p, ops, scratch, &s->interior));
    s->weight = BASE_TAKE(scratch, float, p->contacts);
    s->z = BASE_TAKE(scratch, double, p->contacts);
    s->map = BASE_TAKE(scratch, double, p->contacts);
    if (!s->weight || !s->z || !s->map) {
        return CN_ERR_MEMORY;
    }
    // Both as velocities along the normal.
    for (int32_t a = 0; a < p->contacts; a++) {
        s->weight[a] = (float)ops->unit(p->mu[a], s->interior.scale[a]);
    }
    return gs_anderson_prepare(s->own.anderson, p->contacts, false, s->weight, scratch, &s->mixer);
}

// The numbers to freeze, of an r with its u.
static void sequence_read(const sequence *s, const double *r, const double *u, double *z) {
    int32_t dim = s->p->dim;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        const double *force = r + (int64_t)dim * a, *slip = u + (int64_t)dim * a;
        double length = dim == 2 ? fabs(slip[1]) : sqrt(slip[1] * slip[1] + slip[2] * slip[2]);
        length = s->p->convex ? 0.0 : length;
        z[a] = s->interior.ops->frozen(s->p->mu[a], force[0], length);
    }
}

// The iterate's error in the friction problem; it becomes the best where it is.
static double sequence_check(sequence *s) {
    double error = solve_natural_error(s->p, s->opts->measure, s->interior.r, s->interior.u);
    if (error < s->best_error) {
        s->best_error = error;
        memcpy(s->best, s->interior.r, sizeof *s->best * (size_t)s->interior.m);
    }
    return error;
}

// One convex problem. true: the watch has ended the solve.
static bool sequence_inner(sequence *s, double target, solve_watch *watch,
                           cn_solve_report *report) {
    for (int32_t k = 0; k < SEQUENCE_INNER_MAX; k++) {
        if (solve_watch_stop(watch, "interior point iterations", s->steps, s->best_error, report)) {
            return true;
        }
        s->steps++; // counted even where it fails, so that no failure goes on for ever
        if (!ipm_interior_step(&s->interior)) {
            return false;
        }
        sequence_check(s);
        if (ipm_interior_error(&s->interior) <= target) {
            return false;
        }
    }
    return false;
}

cn_status proj_sequence_run(const cn_friction *p, const cn_solve_opts *opts,
                            const ipm_interior_ops *ops, cn_arena *scratch, double *r, double *u,
                            cn_solve_report *report) {
    sequence s;
    solve_watch watch = solve_watch_start(opts);
    cn_status status = sequence_prepare(&s, p, opts, ops, scratch);
    if (status != CN_OK) {
        return newton_refuse(status, report);
    }
    ipm_interior *interior = &s.interior;
    newton_velocity(&interior->system, p, r, u);
    double error = solve_natural_error(p, opts->measure, r, u), low = (double)INFINITY;
    s.best = r;
    s.best_error = error;
    sequence_read(&s, r, u, s.z);
    for (int32_t since = 0; since < s.own.patience; since++) {
        for (int32_t a = 0; a < p->contacts; a++) {
            interior->frozen[a] = fmax(0.0, s.z[a]); // a mixed number may be below zero
        }
        ipm_interior_start(interior, r, u, s.own.margin);
        double target = fmax(s.own.inner * error, SEQUENCE_FLOOR * opts->tolerance);
        if (sequence_inner(&s, target, &watch, report)) {
            return watch.status;
        }
        error = solve_natural_error(p, opts->measure, interior->r, interior->u);
        since = error < low ? -1 : since;
        low = fmin(low, error);
        sequence_read(&s, interior->r, interior->u, s.map);
        gs_anderson_step(&s.mixer, s.z, s.map);
    }
    report->outcome = CN_STALLED;
    report->detail = "the fixed point does not settle";
    return CN_OK;
}
