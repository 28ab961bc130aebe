// bench/engines/engine_grade.c
// A peer's step put before the checker: its contacts, its impulses, its velocities before. The
// problem is the global one, M v = H r + f, u = H' v + w, with f = M v_before + h m g and w_N =
// gap/h where there is a gap, less the push against overlaps that the engine aims at. What the
// checker says is then how well the engine's impulses obey Signorini's and Coulomb's laws at the
// contacts that it saw itself; how good those contacts are is another matter (engine_overlap).
#include "bench/engines/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct frame3 {
    double axis[3][3]; // n, t1, t2
} frame3;

static void cross_product(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot_product(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static frame3 frame3_make(const double normal[3]) {
    frame3 frame;
    double *n = frame.axis[0], *t = frame.axis[1];
    double length = sqrt(dot_product(normal, normal));
    for (int32_t k = 0; k < 3; k++) {
        n[k] = normal[k] / length;
    }
    const double away[3] = {fabs(n[0]) < 0.5, fabs(n[0]) >= 0.5, 0.0};
    cross_product(n, away, t);
    length = sqrt(dot_product(t, t));
    for (int32_t k = 0; k < 3; k++) {
        t[k] /= length;
    }
    cross_product(n, t, frame.axis[2]);
    return frame;
}

// Rows of a rotation matrix.
static void quat_rows(const double q[4], double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, rows, sizeof rows);
}

typedef struct graded_step {
    cn_friction_global g;
    int32_t *slot; // of each body among the free ones; -1: it is not free
    double *r;
} graded_step;

static void graded_free(graded_step *graded) {
    cn_friction_global *g = &graded->g;
    void *const arrays[] = {g->M.start,  g->M.column,  g->M.value, g->H.start,
                            g->H.column, g->H.value,   g->f,       g->w,
                            g->mu,       graded->slot, graded->r};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        free(arrays[i]);
    }
}

// M in world axes at the states before, and f.
static void graded_masses(graded_step *graded, const engine_world *world, const double *before) {
    cn_friction_global *g = &graded->g;
    g->M = (cn_csr){.rows = g->dofs,
                    .cols = g->dofs,
                    .start = ALLOCATE(int64_t, g->dofs + 1),
                    .column = ALLOCATE(int32_t, 2 * (int64_t)g->dofs),
                    .value = ALLOCATE(double, 2 * (int64_t)g->dofs)};
    g->f = ALLOCATE(double, g->dofs);
    int64_t at = 0;
    for (int32_t i = 0; i < world->count; i++) {
        const engine_body *body = &world->bodies[i];
        const double *state = before + ENGINE_FREE * (int64_t)i;
        if (graded->slot[i] < 0) {
            continue;
        }
        int32_t first = 6 * graded->slot[i];
        double R[9];
        quat_rows(state + 3, R);
        for (int32_t k = 0; k < 3; k++) {
            g->M.column[at] = first + k;
            g->M.value[at++] = body->mass;
            g->M.start[first + k + 1] = at;
            g->f[first + k] = body->mass * (state[7 + k] + world->step * world->gravity[k]);
        }
        for (int32_t k = 0; k < 3; k++) {
            for (int32_t j = 0; j < 3; j++) {
                double inertia = 0.0;
                for (int32_t l = 0; l < 3; l++) {
                    inertia += R[3 * k + l] * body->inertia[l] * R[3 * j + l];
                }
                g->M.column[at] = first + 3 + j;
                g->M.value[at++] = inertia;
                g->f[first + 3 + k] += inertia * state[10 + j];
            }
            g->M.start[first + 3 + k + 1] = at;
        }
    }
}

// The six entries of a contact's direction in a body's rows: n and (x - x_body) x n.
static void graded_column(const double axis[3], const double point[3], const double *state,
                          double sign, double out[6]) {
    double arm[3], turn[3];
    for (int32_t k = 0; k < 3; k++) {
        arm[k] = point[k] - state[k];
    }
    cross_product(arm, axis, turn);
    for (int32_t k = 0; k < 3; k++) {
        out[k] = sign * axis[k];
        out[3 + k] = sign * turn[k];
    }
}

// H by rows: first how many entries each has, then the entries, contact by contact.
static void graded_contacts(graded_step *graded, const engine_world *world, const double *before,
                            const peer_contact_row *contacts, int32_t count) {
    cn_friction_global *g = &graded->g;
    int64_t entries = 0;
    g->H.start = ALLOCATE(int64_t, g->dofs + 1);
    for (int32_t pass = 0; pass < 2; pass++) {
        int64_t *next = ALLOCATE(int64_t, g->dofs);
        for (int32_t d = 0; pass == 1 && d < g->dofs; d++) {
            next[d] = g->H.start[d];
        }
        for (int32_t c = 0; c < count; c++) {
            frame3 frame = frame3_make(contacts[c].normal);
            for (int32_t side = 0; side < 2; side++) {
                int32_t body = (int32_t)(side == 0 ? contacts[c].a : contacts[c].b);
                int32_t slot = graded->slot[body];
                for (int32_t i = 0; slot >= 0 && i < 3; i++) {
                    double column[6];
                    graded_column(frame.axis[i], contacts[c].point,
                                  before + ENGINE_FREE * (int64_t)body, side == 0 ? 1.0 : -1.0,
                                  column);
                    for (int32_t k = 0; k < 6; k++) {
                        int64_t at = next[6 * slot + k]++;
                        if (pass == 1) {
                            g->H.column[at] = 3 * c + i;
                            g->H.value[at] = column[k];
                        }
                    }
                }
            }
        }
        for (int32_t d = 0; pass == 0 && d < g->dofs; d++) {
            g->H.start[d + 1] = entries += next[d];
        }
        if (pass == 0) {
            g->H.rows = g->dofs;
            g->H.cols = 3 * count;
            g->H.column = ALLOCATE(int32_t, entries);
            g->H.value = ALLOCATE(double, entries);
        }
        free(next);
    }
    for (int32_t c = 0; c < count; c++) {
        frame3 frame = frame3_make(contacts[c].normal);
        g->mu[c] = world->friction;
        g->w[3 * c] = contacts[c].gap > 0.0 ? contacts[c].gap / world->step : -contacts[c].push;
        for (int32_t i = 0; i < 3; i++) {
            graded->r[3 * c + i] = dot_product(frame.axis[i], contacts[c].impulse);
        }
    }
}

// |M (v - v_free) - H r| over |f|: whether the reported impulses are those that moved the bodies.
static double graded_momentum(const graded_step *graded, const engine_world *world,
                              const double *after) {
    const cn_friction_global *g = &graded->g;
    double left = 0.0, whole = 0.0;
    for (int32_t i = 0; i < world->count; i++) {
        for (int32_t k = 0; graded->slot[i] >= 0 && k < 3; k++) { // forces: torques turn with R
            int32_t d = 6 * graded->slot[i] + k;
            double change =
                world->bodies[i].mass * after[ENGINE_FREE * (int64_t)i + 7 + k] - g->f[d];
            for (int64_t n = g->H.start[d]; n < g->H.start[d + 1]; n++) {
                change -= g->H.value[n] * graded->r[g->H.column[n]];
            }
            left += change * change;
            whole += g->f[d] * g->f[d];
        }
    }
    return whole > 0.0 ? sqrt(left / whole) : 0.0;
}

double engine_grade(const engine_world *world, const double *before, const double *after,
                    const peer_contact_row *contacts, int32_t count, double *momentum) {
    double residual = (double)NAN;
    *momentum = (double)NAN;
    if (count == 0) {
        return residual;
    }
    graded_step graded = {.slot = ALLOCATE(int32_t, world->count),
                          .r = ALLOCATE(double, 3 * (int64_t)count)};
    int32_t slots = 0;
    for (int32_t i = 0; i < world->count; i++) {
        graded.slot[i] = world->bodies[i].is_free ? slots++ : -1;
    }
    graded.g = (cn_friction_global){.dim = 3, .contacts = count, .dofs = 6 * slots};
    graded.g.w = ALLOCATE(double, 3 * (int64_t)count);
    graded.g.mu = ALLOCATE(double, count);
    graded_masses(&graded, world, before);
    graded_contacts(&graded, world, before, contacts, count);
    cn_arena *memory = cn_arena_create(NULL);
    cn_friction problem;
    cn_grade grade;
    if (memory && cn_friction_to_body_space(&graded.g, memory, &problem, NULL) == CN_OK &&
        cn_friction_grade(&problem, graded.r, NULL, memory, &grade) == CN_OK) {
        residual = grade.residual;
        *momentum = graded_momentum(&graded, world, after);
    }
    cn_arena_destroy(memory);
    graded_free(&graded);
    return residual;
}
