// solve/newton/newton_correct.c
// One semismooth Newton step of the proximal problem whose centre is the iterate itself,
//     A ((W + eps D) dr) + B dr = -F(r),   D = trace(W_aa)/dim on contact a,
// on the Alart-Curnier function; r + dr is projected onto the cones and taken where its error is
// smaller. At the margin of rigidity sweeps wander about a solution that repels them, and Newton
// methods that go on to the end lose it as statuses change. The error of a wandering iterate is
// mostly of modes that one step with a weight of 0.1 takes out: it leaves 0.6 of the error of a
// packing of spheres, and a second step little less. It is not a solver.
#include "solve/newton/newton_correct.h"

#include "base/arena.h"
#include "math/cone.h"
#include "solve/drivers/natural_map.h"
#include "solve/newton/contact_functions.h"

#include <string.h>

// Weight of the proximal term: 0.03 and 0.3 leave 0.64 of the error, 0.01 and 1 more than 0.7.
#define NEWTON_CORRECT_EPS 0.1

static void linearise_proximal(newton_system *system, const double *scale, const double *r,
                               const double *u) {
    const cn_friction *p = system->p;
    int32_t dim = p->dim, size = dim * dim;
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)dim * a;
        double *A = system->A + (int64_t)size * a, *K = system->K + (int64_t)size * a;
        double rho = 1.0 / (scale[a] * (1.0 + NEWTON_CORRECT_EPS));
        newton_alart_curnier(dim, p->mu[a], rho, r + row, u + row, system->F + row, A, K);
        for (int32_t i = 0; i < size; i++) {
            K[i] += NEWTON_CORRECT_EPS * scale[a] * A[i];
        }
    }
}

cn_status newton_correct(newton_system *system, cn_measure measure, double tolerance, double far,
                         int32_t max, cn_arena *scratch, double *r, double *u, double *error,
                         int32_t *steps) {
    const cn_friction *p = system->p;
    int64_t m = (int64_t)p->dim * p->contacts;
    base_arena_mark mark = base_arena_get_mark(scratch);
    double *scale = BASE_TAKE(scratch, double, p->contacts);
    double *trial = BASE_TAKE(scratch, double, m), *trial_u = BASE_TAKE(scratch, double, m);
    *steps = 0;
    if (!scale || !trial || !trial_u) {
        return CN_ERR_MEMORY;
    }
    newton_scales(p, scale);
    newton_velocity(system, p, r, u);
    *error = solve_natural_error(p, measure, r, u);
    bool lower = *error <= far;
    for (; lower && *steps < max && !(*error <= tolerance); ++*steps) {
        linearise_proximal(system, scale, r, u);
        lower = newton_factor(system);
        if (lower) {
            newton_backsolve(system, system->F, trial);
            for (int64_t i = 0; i < m; i++) {
                trial[i] += r[i];
            }
            for (int32_t a = 0; a < p->contacts; a++) {
                math_cone_project(p->dim, p->mu[a], trial + (int64_t)p->dim * a);
            }
            newton_velocity(system, p, trial, trial_u);
            double next = solve_natural_error(p, measure, trial, trial_u);
            lower = next < *error;
            if (lower) {
                *error = next;
                memcpy(r, trial, sizeof *r * (size_t)m);
                memcpy(u, trial_u, sizeof *u * (size_t)m);
            }
        }
    }
    base_arena_release(scratch, mark);
    return CN_OK;
}
