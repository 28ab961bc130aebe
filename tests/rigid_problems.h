// One-step problems of rigid bodies in body space, made by hand.
#ifndef TESTS_RIGID_PROBLEMS_H
#define TESTS_RIGID_PROBLEMS_H

#include "base/arena.h"
#include "base/rng.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"

#include <math.h>
#include <string.h>

#define BODIES 40
#define CONTACTS 72

static inline void scale(double factor, const double *from, double *to) {
    for (int k = 0; k < 3; k++) {
        to[k] = factor * from[k];
    }
}

static inline void random_frame(base_rng *rng, int32_t dim, double frame[3][3]) {
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            frame[i][k] = k < dim ? base_rng_uniform(rng, -1.0, 1.0) : 0.0;
        }
    }
    scale(1.0 / math_norm3(frame[0]), frame[0], frame[0]);
    for (int again = 0; again < 2; again++) { // to round-off
        math_add_scaled3(frame[1], -math_dot3(frame[0], frame[1]), frame[0], frame[1]);
        scale(1.0 / math_norm3(frame[1]), frame[1], frame[1]);
    }
    math_cross3(frame[0], frame[1], frame[2]);
}

// M^-1 of a body: a ball's, or any with 1/m.
static inline void random_mass(base_rng *rng, int32_t dim, bool sphere, double *inverse) {
    int32_t run = dim == 3 ? 6 : 3;
    double mass = base_rng_uniform(rng, 0.5, 1.5), inertia = base_rng_uniform(rng, 1.0, 2.0);
    memset(inverse, 0, sizeof *inverse * (size_t)(run * run));
    for (int32_t i = 0; i < run; i++) {
        inverse[(run + 1) * i] = i < dim ? mass : inertia;
        for (int32_t j = dim; j < i && !sphere; j++) {
            inverse[run * i + j] = inverse[run * j + i] = base_rng_uniform(rng, -0.4, 0.4);
        }
    }
}

// One side of a contact: the body's velocities, lever arm and sign.
static inline void fill_side(cn_friction *p, int64_t first, int32_t body, const double frame[3][3],
                             const double arm[3], double sign) {
    int32_t dim = p->dim, run = dim == 3 ? 6 : 3;
    const double *inverse = p->W.body.inverse + run * run * body;
    for (int32_t d = 0; d < dim; d++) {
        double moment[3], row[6];
        math_cross3(arm, frame[d], moment);
        for (int32_t k = 0; k < run; k++) {
            row[k] = sign * (k < dim ? frame[d][k] : (dim == 3 ? moment[k - 3] : moment[2]));
        }
        for (int32_t k = 0; k < run; k++) {
            double sum = 0.0;
            for (int32_t j = 0; j < run; j++) {
                sum += inverse[run * k + j] * row[j];
            }
            p->W.body.dof[first + k] = run * body + k;
            p->W.body.H[dim * (first + k) + d] = row[k];
            p->W.body.MinvH[dim * (first + k) + d] = sum;
        }
    }
}

// Bodies in random touch, every fifth pair with something fixed; balls, or bodies that share up to
// three points a pair. q is of velocities that the bodies can stop: a solution exists.
static inline cn_friction rigid_problem(cn_arena *arena, int32_t dim, uint64_t seed, bool sphere) {
    int32_t run = dim == 3 ? 6 : 3, max = 2 * run * CONTACTS;
    cn_friction p = {.dim = dim, .contacts = CONTACTS, .W = {.kind = CN_OPERATOR_BODY}};
    double *inverse = BASE_TAKE(arena, double, run *run *BODIES);
    p.W.body = (cn_body_map){.dofs = run * BODIES,
                             .start = BASE_TAKE(arena, int64_t, CONTACTS + 1),
                             .dof = BASE_TAKE(arena, int32_t, max),
                             .H = BASE_TAKE(arena, double, max *dim),
                             .MinvH = BASE_TAKE(arena, double, max *dim),
                             .inverse = inverse};
    p.q = BASE_TAKE_ZERO(arena, double, dim *CONTACTS);
    p.mu = BASE_TAKE(arena, double, CONTACTS);
    p.W.diagonal = BASE_TAKE(arena, double, dim *dim *CONTACTS);
    base_rng rng = base_rng_seed(seed);
    double free[6 * BODIES];
    for (int32_t i = 0; i < BODIES; i++) {
        random_mass(&rng, dim, sphere, inverse + run * run * i);
    }
    for (int32_t i = 0; i < run * BODIES; i++) {
        free[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    int64_t at = 0;
    for (int32_t a = 0; a < CONTACTS; a++) {
        int32_t pair = sphere ? a : a / 3, i = pair % BODIES, j = (i + 1 + pair / 7) % BODIES;
        double frame[3][3], arm[3];
        random_frame(&rng, dim, frame);
        p.W.body.start[a] = at;
        for (int side = pair % 5 != 0 ? 0 : 1; side < 2; side++) {
            int32_t body = pair % 5 == 0 ? i : ((side == 0) == (i < j) ? i : j);
            scale(side == 0 ? 0.9 : -1.1, frame[0], arm);
            for (int32_t k = 0; k < dim && !sphere; k++) {
                arm[k] += base_rng_uniform(&rng, -0.3, 0.3);
            }
            fill_side(&p, at, body, (const double(*)[3])frame, arm, side == 0 ? -1.0 : 1.0);
            at += run;
        }
        p.mu[a] = a % 11 == 0 ? 0.0 : base_rng_uniform(&rng, 0.0, 0.6);
        for (int64_t k = p.W.body.start[a]; k < at; k++) {
            for (int32_t d = 0; d < dim; d++) {
                p.q[dim * a + d] += p.W.body.H[dim * k + d] * free[p.W.body.dof[k]];
            }
        }
    }
    p.W.body.start[CONTACTS] = at;
    prob_operator_diagonal(&p.W, dim, CONTACTS, p.W.diagonal);
    return p;
}

#endif
