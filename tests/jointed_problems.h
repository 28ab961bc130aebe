// One-step problems of rigid bodies with joints, in body space, built block by block.
//
//     jointed *j = jointed_create(arena, dim, bodies, blocks);
//     jointed_body(j, 0, mass, inertia, v_free);
//     jointed_pin(j, 0, arm, 1, other_arm);       // a ball joint, in 2D a pin
//     jointed_contact(j, 0, n, arm, mu);          // with something fixed
//     const cn_friction *p = jointed_finish(j);
#ifndef TESTS_JOINTED_PROBLEMS_H
#define TESTS_JOINTED_PROBLEMS_H

#include "base/arena.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"

#include <math.h>
#include <string.h>

#define FIXED (-1) // in place of a body

typedef struct jointed {
    cn_friction p;
    int32_t run; // velocities of a body
    double *inverse, *free;
    int64_t entries;
} jointed;

static inline jointed *jointed_create(cn_arena *arena, int32_t dim, int32_t bodies,
                                      int32_t blocks) {
    jointed *j = BASE_TAKE_ZERO(arena, jointed, 1);
    int64_t run = dim == 3 ? 6 : 3, entries = 2 * run * blocks, m = (int64_t)dim * blocks;
    j->run = (int32_t)run;
    j->inverse = BASE_TAKE_ZERO(arena, double, run *run *bodies);
    j->free = BASE_TAKE_ZERO(arena, double, run *bodies);
    j->p = (cn_friction){.dim = dim, .W = {.kind = CN_OPERATOR_BODY}};
    j->p.W.body = (cn_body_map){.dofs = (int32_t)(run * bodies),
                                .start = BASE_TAKE_ZERO(arena, int64_t, blocks + 1),
                                .dof = BASE_TAKE(arena, int32_t, entries),
                                .H = BASE_TAKE_ZERO(arena, double, entries *dim),
                                .MinvH = BASE_TAKE_ZERO(arena, double, entries *dim),
                                .inverse = j->inverse};
    j->p.W.diagonal = BASE_TAKE_ZERO(arena, double, m *dim);
    j->p.q = BASE_TAKE_ZERO(arena, double, m);
    j->p.mu = BASE_TAKE_ZERO(arena, double, blocks);
    j->p.bounds.boxed = BASE_TAKE_ZERO(arena, uint8_t, blocks);
    j->p.bounds.lower = BASE_TAKE_ZERO(arena, double, m);
    j->p.bounds.upper = BASE_TAKE_ZERO(arena, double, m);
    j->p.bounds.compliance = BASE_TAKE_ZERO(arena, double, m);
    return j;
}

// free: the velocity without any impulse; translations, then rotations.
static inline void jointed_body(jointed *j, int32_t body, double mass, double inertia,
                                const double *free) {
    for (int32_t i = 0; i < j->run; i++) {
        j->inverse[j->run * j->run * body + (j->run + 1) * i] =
            1.0 / (i < j->p.dim ? mass : inertia);
        j->free[j->run * body + i] = free[i];
    }
}

// One side of a block: direction d of the block acts on body as row + run * d says.
static inline void jointed_side(jointed *j, int32_t body, const double *row) {
    int32_t dim = j->p.dim, run = j->run;
    for (int32_t k = 0; k < run; k++) {
        int64_t at = j->entries + k;
        j->p.W.body.dof[at] = run * body + k;
        for (int32_t d = 0; d < dim; d++) {
            double sum = 0.0;
            for (int32_t l = 0; l < run; l++) {
                sum += j->inverse[run * run * body + run * k + l] * row[run * d + l];
            }
            j->p.W.body.H[dim * at + d] = row[run * d + k];
            j->p.W.body.MinvH[dim * at + d] = sum;
            j->p.q[dim * j->p.contacts + d] += row[run * d + k] * j->free[run * body + k];
        }
    }
    j->entries += run;
}

// A block between two bodies, or one; the bounds are bilateral. Returns its index.
static inline int32_t jointed_block(jointed *j, int32_t first, const double *first_row,
                                    int32_t second, const double *second_row) {
    int32_t a = j->p.contacts, dim = j->p.dim;
    j->p.W.body.start[a] = j->entries;
    if (first != FIXED && second != FIXED && first > second) {
        jointed_side(j, second, second_row);
        jointed_side(j, first, first_row);
    } else {
        if (first != FIXED) {
            jointed_side(j, first, first_row);
        }
        if (second != FIXED) {
            jointed_side(j, second, second_row);
        }
    }
    j->p.contacts++;
    j->p.W.body.start[a + 1] = j->entries;
    j->p.bounds.boxed[a] = 1;
    for (int32_t d = 0; d < dim; d++) {
        j->p.bounds.lower[dim * a + d] = -HUGE_VAL;
        j->p.bounds.upper[dim * a + d] = HUGE_VAL;
    }
    return a;
}

// The rows of the velocity of the point at arm along the axes of frame, 3 numbers each.
static inline void jointed_rows(const jointed *j, double sign, const double *frame,
                                const double *arm, double *row) {
    int32_t dim = j->p.dim;
    for (int32_t d = 0; d < dim; d++) {
        double moment[3];
        math_cross3(arm, frame + 3 * d, moment);
        for (int32_t k = 0; k < j->run; k++) {
            row[j->run * d + k] =
                sign * (k < dim ? frame[3 * d + k] : (dim == 3 ? moment[k - 3] : moment[2]));
        }
    }
}

// The points of two bodies at these arms move together.
static inline int32_t jointed_pin(jointed *j, int32_t first, const double *arm, int32_t second,
                                  const double *other_arm) {
    const double axes[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double rows[2][18];
    jointed_rows(j, 1.0, axes, arm, rows[0]);
    jointed_rows(j, -1.0, axes, other_arm, rows[1]);
    return jointed_block(j, first, rows[0], second, rows[1]);
}

// Two bodies turn together about all axes but this one (3D): the second block of a hinge. Its last
// row carries nothing.
static inline int32_t jointed_align(jointed *j, int32_t first, int32_t second, const double *side,
                                    const double *other_side) {
    double rows[2][18] = {{0.0}};
    for (int k = 0; k < 3; k++) {
        rows[0][3 + k] = side[k];
        rows[0][6 + 3 + k] = other_side[k];
        rows[1][3 + k] = -side[k];
        rows[1][6 + 3 + k] = -other_side[k];
    }
    int32_t a = jointed_block(j, first, rows[0], second, rows[1]);
    j->p.bounds.lower[3 * a + 2] = j->p.bounds.upper[3 * a + 2] = 0.0;
    return a;
}

// A contact with something fixed; n: unit normal towards the body.
static inline int32_t jointed_contact(jointed *j, int32_t body, const double *n, const double *arm,
                                      double mu) {
    double frame[9] = {n[0], n[1], n[2], -n[1], n[0], 0.0, 0.0, 0.0, 1.0}, rows[18];
    jointed_rows(j, 1.0, frame, arm, rows);
    int32_t a = jointed_block(j, body, rows, FIXED, NULL);
    j->p.bounds.boxed[a] = 0;
    j->p.mu[a] = mu;
    return a;
}

static inline const cn_friction *jointed_finish(jointed *j) {
    prob_operator_diagonal(&j->p.W, j->p.dim, j->p.contacts, j->p.W.diagonal);
    return &j->p;
}

// A chain of links of unit mass and length draped over a cylinder, in the plane z = 0; links on the
// cylinder touch it. In 3D joints are hinges about z. Gravity has acted for a time h.
static inline const cn_friction *jointed_chain(cn_arena *arena, int32_t dim, int32_t links,
                                               double h) {
    const double half_turn = 1.57079632679489662;
    double radius = 0.15 * links, free[6] = {0.0, -9.81 * h, 0.0, 0.0, 0.0, 0.0};
    jointed *j = jointed_create(arena, dim, links, 3 * links);
    double arm[3], other[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < links; i++) {
        jointed_body(j, i, 1.0, 0.1, free);
    }
    for (int32_t i = 0; i < links; i++) {
        double s = i - 0.5 * (links - 1), turn = fmax(-half_turn, fmin(half_turn, s / radius));
        double n[3] = {sin(turn), cos(turn), 0.0}, along[3] = {0.5 * n[1], -0.5 * n[0], 0.0};
        for (int k = 0; k < 3; k++) {
            arm[k] = -along[k];
        }
        if (i > 0) {
            jointed_pin(j, i - 1, other, i, arm);
        }
        if (i > 0 && dim == 3) {
            const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
            jointed_align(j, i - 1, i, x, y);
        }
        memcpy(other, along, sizeof other);
        if (fabs(s / radius) < half_turn) {
            double below[3] = {-0.1 * n[0], -0.1 * n[1], 0.0};
            jointed_contact(j, i, n, below, 0.3);
        }
    }
    return jointed_finish(j);
}

#endif
