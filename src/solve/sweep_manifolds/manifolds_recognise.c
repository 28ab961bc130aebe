// solve/sweep_manifolds/manifolds_recognise.c
// Of a body's run in H: on side B the linear part in direction d is d, the angular part arm x d; on
// side A both have the other sign. Summed over the directions, d x (arm x d) gives the arm back,
// twice in 3D and once in 2D.
#include "solve/sweep_manifolds/manifolds_recognise.h"

#include "base/arena.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define GS_RIGID_AGREES 1e-12 // what products of unit vectors and arms may differ by

// A contact as H has it.
typedef struct step_rigid_contact {
    int32_t pair[2]; // A, B; the number of bodies: static
    double frame[3][3], arm[2][3];
} step_rigid_contact;

static bool is_close(double a, double b, double size) {
    return fabs(a - b) <= GS_RIGID_AGREES * size;
}

static int32_t run_length(const cn_friction *p) {
    return p->dim == 3 ? 6 : 3;
}

// Linear and angular part of a body's run in H, in three dimensions, by direction.
typedef struct cn_run {
    double L[3][3], A[3][3];
} cn_run;

static inline __attribute__((always_inline)) void read_run(int32_t dim, const double *H,
                                                           cn_run *run) {
    *run = (cn_run){0};
    for (int32_t d = 0; d < dim; d++) {
        for (int32_t k = 0; k < dim; k++) {
            run->L[d][k] = H[dim * k + d];
        }
        for (int32_t k = dim == 3 ? 0 : 2; k < 3; k++) {
            run->A[d][k] = H[dim * (dim == 3 ? 3 + k : 2) + d];
        }
    }
}

// The lever arm of a run whose linear part is sign times the frame. Differences are looked at
// without a branch each: nearly all agree.
static inline __attribute__((always_inline)) bool
read_arm(int32_t dim, const cn_run *run, double sign, const double frame[3][3], double arm[3]) {
    int good = 1;
    memset(arm, 0, 3 * sizeof *arm);
    for (int32_t d = 0; d < dim; d++) {
        double part[3];
        math_cross3(run->L[d], run->A[d], part);
        math_add_scaled3(arm, dim == 3 ? 0.5 : 1.0, part, arm);
        for (int k = 0; k < 3; k++) {
            good &= is_close(run->L[d][k], sign * frame[d][k], 1.0);
        }
    }
    double size = math_norm3(arm);
    for (int32_t d = 0; d < dim; d++) {
        double moment[3];
        math_cross3(arm, run->L[d], moment);
        for (int k = dim == 3 ? 0 : 2; k < 3; k++) {
            good &= is_close(moment[k], run->A[d][k], size);
        }
    }
    return good;
}

// Frame and arms of a contact of one or two runs, for a dimension known to the compiler.
static inline __attribute__((always_inline)) bool read_arms(int32_t dim, const double *H, bool two,
                                                            step_rigid_contact *out) {
    int32_t length = dim * (dim == 3 ? 6 : 3);
    double third[3];
    cn_run run;
    read_run(dim, H + (two ? length : 0), &run);
    memcpy(out->frame, run.L, sizeof run.L);
    math_cross3(out->frame[0], out->frame[1], third);
    if (dim == 2) {
        memcpy(out->frame[2], third, sizeof third);
    }
    const double(*frame)[3] = (const double(*)[3])out->frame;
    bool good = is_close(math_dot3(third, third), 1.0, 1.0) &&
                is_close(math_dot3(third, out->frame[2]), 1.0, 1.0) &&
                read_arm(dim, &run, 1.0, frame, out->arm[1]);
    if (good && two) {
        read_run(dim, H, &run);
        good = read_arm(dim, &run, -1.0, frame, out->arm[0]);
    }
    return good;
}

static bool read_contact(const cn_friction *p, int32_t a, int32_t bodies, step_rigid_contact *out) {
    const cn_body_map *map = &p->W.body;
    int32_t run = run_length(p), bad = 0;
    int64_t first = map->start[a], count = map->start[a + 1] - first;
    *out = (step_rigid_contact){.pair = {bodies, bodies}};
    if (count != run && count != 2 * run) {
        return false;
    }
    for (int64_t k = 0; k < count; k += run) {
        int32_t base = map->dof[first + k];
        bad |= base % run;
        for (int32_t i = 1; i < run; i++) {
            bad |= map->dof[first + k + i] - (base + i);
        }
    }
    const double *H = map->H + p->dim * first;
    bool two = count == 2 * run;
    out->pair[1] = map->dof[first + count - run] / run;
    out->pair[0] = two ? map->dof[first] / run : bodies;
    return bad == 0 && (p->dim == 3 ? read_arms(3, H, two, out) : read_arms(2, H, two, out));
}

cn_status gs_points_recognise(const cn_friction *p, cn_arena *scratch, cn_point_map *out,
                              bool *fits) {
    int32_t run = run_length(p), bodies = p->W.body.dofs / run;
    *fits = false;
    if (!p->W.body.inverse || bodies == INT32_MAX) {
        return CN_OK;
    }
    int64_t numbers = (int64_t)run * run * bodies;
    double *inverse = BASE_TAKE_ZERO(scratch, double, numbers + run * run);
    cn_point_map points = {.bodies = bodies + 1,
                           .inverse = inverse,
                           .body = BASE_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts),
                           .arm = BASE_TAKE(scratch, double, 6 * (int64_t)p->contacts),
                           .frame = BASE_TAKE(scratch, double, 6 * (int64_t)p->contacts)};
    if (!inverse || !points.body || !points.arm || !points.frame) {
        return CN_ERR_MEMORY;
    }
    memcpy(inverse, p->W.body.inverse, sizeof *inverse * (size_t)numbers);
    for (int32_t a = 0; a < p->contacts; a++) {
        step_rigid_contact contact;
        if (!read_contact(p, a, bodies, &contact)) {
            return CN_OK;
        }
        memcpy(points.body + 2 * (int64_t)a, contact.pair, sizeof contact.pair);
        memcpy(points.arm + 6 * (int64_t)a, contact.arm, sizeof contact.arm);
        memcpy(points.frame + 6 * (int64_t)a, contact.frame, 6 * sizeof **contact.frame);
    }
    *out = points;
    *fits = true;
    return CN_OK;
}
