// bench/kernels/lattice.c
#include "lattice.h"

#include "base/arena.h"
#include "base/rng.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"

#include <math.h>
#include <string.h>

#define LATTICE_RUN 6
#define LATTICE_MU 0.4
#define LATTICE_JITTER 0.2 // of a normal

// A lattice of side^3 bodies, points contacts a pair.
typedef struct sweep_lattice {
    int32_t side, points;
    base_rng rng;
    cn_friction *p;
    double *inverse;
    int64_t entries; // written so far
} sweep_lattice;

static int32_t lattice_contacts(int32_t side, int32_t points) {
    return points * (3 * side * side * (side - 1) + side * side);
}

static cn_status lattice_take(int32_t contacts, int32_t points, cn_arena *memory, cn_friction *out,
                              sweep_lattice *lattice) {
    int32_t side = 2;
    while (lattice_contacts(side, points) < contacts) {
        side++;
    }
    int32_t count = lattice_contacts(side, points), bodies = side * side * side;
    int64_t max = 2 * LATTICE_RUN * (int64_t)count;
    *out = (cn_friction){.dim = 3, .W = {.kind = CN_OPERATOR_BODY}};
    *lattice = (sweep_lattice){.side = side, .points = points, .rng = base_rng_seed(1), .p = out};
    lattice->inverse = BASE_TAKE_ZERO(memory, double, 36 * (int64_t)bodies);
    out->W.body = (cn_body_map){.dofs = LATTICE_RUN * bodies,
                                .start = BASE_TAKE_ZERO(memory, int64_t, count + 1),
                                .dof = BASE_TAKE(memory, int32_t, max),
                                .H = BASE_TAKE(memory, double, 3 * max),
                                .MinvH = BASE_TAKE(memory, double, 3 * max),
                                .inverse = lattice->inverse};
    out->q = BASE_TAKE_ZERO(memory, double, 3 * (int64_t)count);
    out->mu = BASE_TAKE(memory, double, count);
    out->W.diagonal = BASE_TAKE(memory, double, 9 * (int64_t)count);
    bool complete = lattice->inverse && out->W.body.start && out->W.body.dof && out->W.body.H &&
                    out->W.body.MinvH && out->q && out->mu && out->W.diagonal;
    return complete ? CN_OK : CN_ERR_MEMORY;
}

static void lattice_masses(sweep_lattice *lattice, const double inertia[3]) {
    int32_t bodies = lattice->p->W.body.dofs / LATTICE_RUN;
    for (int64_t body = 0; body < bodies; body++) {
        for (int k = 0; k < 3; k++) {
            lattice->inverse[36 * body + 7 * k] = 1.0;
            lattice->inverse[36 * body + 7 * (k + 3)] = 1.0 / inertia[k];
        }
    }
}

// A normal near axis and two directions across it.
static void lattice_frame(sweep_lattice *lattice, int axis, double frame[3][3]) {
    for (int k = 0; k < 3; k++) {
        frame[0][k] = (k == axis) + base_rng_uniform(&lattice->rng, -1.0, 1.0) * LATTICE_JITTER;
        frame[1][k] = k == (axis + 1) % 3;
    }
    for (int d = 0; d < 2; d++) {
        for (int again = 0; again < 2; again++) { // to round-off
            if (d == 1) {
                math_add_scaled3(frame[1], -math_dot3(frame[0], frame[1]), frame[0], frame[1]);
            }
            double length = math_norm3(frame[d]);
            for (int k = 0; k < 3; k++) {
                frame[d][k] /= length;
            }
        }
    }
    math_cross3(frame[0], frame[1], frame[2]);
}

// One side of the contact being written.
static void lattice_side(sweep_lattice *lattice, int32_t body, double sign,
                         const double frame[3][3], const double arm[3]) {
    const double *inverse = lattice->inverse + 36 * (int64_t)body;
    cn_body_map *map = &lattice->p->W.body;
    int64_t first = lattice->entries;
    for (int d = 0; d < 3; d++) {
        double moment[3];
        math_cross3(arm, frame[d], moment);
        for (int k = 0; k < 3; k++) {
            map->H[3 * (first + k) + d] = sign * frame[d][k];
            map->MinvH[3 * (first + k) + d] = sign * frame[d][k] * inverse[7 * k];
            map->H[3 * (first + 3 + k) + d] = sign * moment[k];
            map->MinvH[3 * (first + 3 + k) + d] = sign * moment[k] * inverse[7 * (k + 3)];
        }
    }
    for (int k = 0; k < LATTICE_RUN; k++) {
        map->dof[first + k] = LATTICE_RUN * body + k;
    }
    lattice->entries += LATTICE_RUN;
}

// A contact of body b with a, or with the ground (a < 0), its arms given for B and A; every body
// falls, and aslant, so that contacts press, slide and open.
static void lattice_contact(sweep_lattice *lattice, int32_t a, int32_t b, const double frame[3][3],
                            const double arm_a[3], const double arm_b[3]) {
    const double fall[3] = {-0.2, -0.1, -1.0};
    cn_friction *p = lattice->p;
    int64_t contact = p->contacts++;
    if (a >= 0) {
        lattice_side(lattice, a, -1.0, frame, arm_a);
    }
    lattice_side(lattice, b, 1.0, frame, arm_b);
    for (int d = 0; d < 3; d++) {
        p->q[3 * contact + d] = (a < 0 ? math_dot3(frame[d], fall) : 0.0) +
                                1e-2 * base_rng_uniform(&lattice->rng, -1.0, 1.0);
    }
    p->mu[contact] = LATTICE_MU;
    p->W.body.start[contact + 1] = lattice->entries;
}

// The points of a pair along an axis: the middle of the faces of unit cubes, or near their corners.
static void lattice_pair(sweep_lattice *lattice, int32_t a, int32_t b, int axis) {
    double frame[3][3];
    lattice_frame(lattice, axis, frame);
    for (int32_t point = 0; point < lattice->points; point++) {
        double arm_a[3], arm_b[3];
        for (int k = 0; k < 3; k++) {
            arm_a[k] = 0.5 * frame[0][k];
            arm_b[k] = -0.5 * frame[0][k];
        }
        if (lattice->points > 1) {
            for (int d = 1; d < 3; d++) {
                double shift = (point >> (d - 1) & 1) ? 0.4 : -0.4;
                math_add_scaled3(arm_a, shift, frame[d], arm_a);
                math_add_scaled3(arm_b, shift, frame[d], arm_b);
            }
        }
        lattice_contact(lattice, a, b, (const double(*)[3])frame, arm_a, arm_b);
    }
}

static void lattice_fill(sweep_lattice *lattice) {
    int32_t n = lattice->side, stride[3] = {1, n, n * n};
    for (int32_t body = 0; body < n * n * n; body++) {
        int32_t place[3] = {body % n, body / n % n, body / (n * n)};
        for (int axis = 0; axis < 3; axis++) {
            if (axis == 2 && place[2] == 0) {
                lattice_pair(lattice, -1, body, axis);
            }
            if (place[axis] + 1 < n) {
                lattice_pair(lattice, body, body + stride[axis], axis);
            }
        }
    }
    cn_friction *p = lattice->p;
    prob_operator_diagonal(&p->W, 3, p->contacts, p->W.diagonal);
}

static cn_status lattice_make(int32_t contacts, int32_t points, const double inertia[3],
                              cn_arena *memory, cn_friction *out) {
    sweep_lattice lattice;
    CN_TRY(lattice_take(contacts, points, memory, out, &lattice));
    lattice_masses(&lattice, inertia);
    lattice_fill(&lattice);
    return CN_OK;
}

cn_status lattice_spheres(int32_t contacts, cn_arena *memory, cn_friction *out) {
    return lattice_make(contacts, 1, (const double[]){0.1, 0.1, 0.1}, memory, out);
}

cn_status lattice_boxes(int32_t contacts, cn_arena *memory, cn_friction *out) {
    return lattice_make(contacts, 4, (const double[]){0.12, 0.16, 0.2}, memory, out);
}
