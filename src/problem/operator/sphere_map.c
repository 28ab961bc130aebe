// problem/operator/sphere_map.c
// The operator of spheres and disks: what it does to impulses and velocities, and how it looks in
// plain body space. With P = F r the impulse on B in world axes, and n x P its turn,
//     v_B += P / m_B,   v_A -= P / m_A,   omega_B -= R_B / I_B (n x P),   omega_A likewise.
// A contact has 48 bytes, where H and M^-1 H have 1152: its axes follow from its normal.
#include "problem/operator/sphere_map.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "problem/operator/slices.h"

#include <string.h>

void prob_sphere_map_diagonal(const cn_sphere_map *spheres, int32_t dim, int32_t contacts,
                              double *diagonal) {
    memset(diagonal, 0, sizeof *diagonal * (size_t)dim * (size_t)dim * (size_t)contacts);
    for (int64_t a = 0; a < contacts; a++) {
        double w[2], *block = diagonal + dim * dim * a;
        prob_sphere_weights(spheres, a, w);
        block[0] = w[0];
        for (int32_t i = 1; i < dim; i++) {
            block[(dim + 1) * i] = w[1];
        }
    }
}

// v += scale P, omega -= turning (n x P) of one body.
static inline void sphere_push(int dim, double scale, double turning, const double P[3],
                               const double turn[3], double *v) {
    v[0] += scale * P[0];
    v[1] += scale * P[1];
    if (dim == 2) {
        v[2] -= turning * turn[2];
        return;
    }
    v[2] += scale * P[2];
    for (int k = 0; k < 3; k++) {
        v[3 + k] -= turning * turn[k];
    }
}

// What the loops over contacts share.
typedef struct sphere_loop {
    const cn_sphere_map *spheres;
    int32_t dim;
    prob_slice slice[PROB_SLICES_MAX];
    const double *r, *q, *v;
    double *to;
} sphere_loop;

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void spheres_push(int dim, const sphere_loop *loop,
                                                               const prob_slice *slice) {
    const cn_sphere_map *spheres = loop->spheres;
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = slice->contact; a < slice->contact_end; a++) {
        int64_t first = spheres->body[2 * a], second = spheres->body[2 * a + 1];
        bool has_first = prob_slice_has(slice, first), has_second = prob_slice_has(slice, second);
        const double *inv_mass_a = spheres->inv_mass + 2 * first,
                     *inv_mass_b = spheres->inv_mass + 2 * second, *own = loop->r + dim * a;
        bool open = own[0] == 0.0 && own[1] == 0.0 && (dim == 2 || own[2] == 0.0);
        if (open || (!has_first && !has_second)) {
            continue;
        }
        double axes[9], P[3], turn[3], arm[2];
        prob_sphere_arms(spheres, a, arm);
        math_contact_axes(dim, prob_sphere_normal(spheres, a), axes);
        for (int k = 0; k < 3; k++) {
            P[k] =
                own[0] * axes[k] + own[1] * axes[3 + k] + (dim == 3 ? own[2] * axes[6 + k] : 0.0);
        }
        math_cross3(axes, P, turn);
        if (has_first) {
            sphere_push(dim, -inv_mass_a[0], arm[0] * inv_mass_a[1], P, turn,
                        loop->to + size * first);
        }
        if (has_second) {
            sphere_push(dim, inv_mass_b[0], arm[1] * inv_mass_b[1], P, turn,
                        loop->to + size * second);
        }
    }
}

static void spheres_push_slice(void *user, int32_t unit) {
    const sphere_loop *loop = user;
    if (loop->dim == 3) {
        spheres_push(3, loop, &loop->slice[unit]);
    } else {
        spheres_push(2, loop, &loop->slice[unit]);
    }
}

void prob_sphere_map_push(const cn_env *env, const cn_sphere_map *spheres, int32_t dim,
                          int32_t contacts, const double *r, double *v) {
    sphere_loop loop = {.spheres = spheres, .dim = dim, .r = r, .to = v};
    int32_t slices = prob_slices_cut(env, spheres, contacts, loop.slice);
    base_parallel_for(env, slices, spheres_push_slice, &loop);
}

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void spheres_velocity(int dim, const sphere_loop *loop,
                                                                   int64_t first, int64_t end) {
    const cn_sphere_map *spheres = loop->spheres;
    const double *q = loop->q, *v = loop->v;
    double *u = loop->to;
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = first; a < end; a++) {
        double apart[3];
        prob_sphere_relative(dim, spheres, a, v + size * (int64_t)spheres->body[2 * a],
                             v + size * (int64_t)spheres->body[2 * a + 1], apart);
        for (int i = 0; i < dim; i++) {
            u[dim * a + i] = q[dim * a + i] + apart[i];
        }
    }
}

static void spheres_velocity_range(void *user, int64_t first, int64_t end) {
    const sphere_loop *loop = user;
    if (loop->dim == 3) {
        spheres_velocity(3, loop, first, end);
    } else {
        spheres_velocity(2, loop, first, end);
    }
}

void prob_sphere_map_velocity(const cn_env *env, const cn_sphere_map *spheres, int32_t dim,
                              int32_t contacts, const double *q, const double *v, double *u) {
    sphere_loop loop = {.spheres = spheres, .dim = dim, .q = q, .v = v, .to = u};
    base_parallel_ranges(env, contacts, spheres_velocity_range, &loop);
}

void cn_sphere_axes(int32_t dim, const double n[3], double axes[9]) {
    math_contact_axes(dim, n, axes);
}

// H and M^-1 H of one body's side of contact a at entry k; returns the entries written.
static int32_t sphere_entries(const cn_friction *p, int32_t a, int side, cn_body_map *map,
                              int64_t k) {
    const cn_sphere_map *spheres = &p->W.spheres;
    int32_t dim = p->dim, size = dim == 3 ? 6 : 3, body = spheres->body[2 * (int64_t)a + side];
    const double *inv_mass = spheres->inv_mass + 2 * (int64_t)body;
    if (inv_mass[0] == 0.0 && inv_mass[1] == 0.0) {
        return 0;
    }
    double arm[2], axes[9];
    prob_sphere_arms(spheres, a, arm);
    math_contact_axes(dim, prob_sphere_normal(spheres, a), axes);
    for (int32_t d = 0; d < dim; d++) {
        const double *axis = axes + 3 * d;
        double turn[3], row[6] = {0.0};
        math_cross3(axes, axis, turn);
        for (int32_t j = 0; j < dim; j++) {
            row[j] = side == 0 ? -axis[j] : axis[j];
        }
        for (int32_t j = dim; j < size; j++) {
            row[j] = -arm[side] * turn[dim == 3 ? j - 3 : 2];
        }
        for (int32_t j = 0; j < size; j++) {
            map->H[dim * (k + j) + d] = row[j];
            map->MinvH[dim * (k + j) + d] = inv_mass[j < dim ? 0 : 1] * row[j];
        }
    }
    for (int32_t j = 0; j < size; j++) {
        map->dof[k + j] = size * body + j;
    }
    return size;
}

cn_status prob_spheres_to_body_space(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    int32_t dim = p->dim, size = dim == 3 ? 6 : 3;
    int64_t entries = 2 * (int64_t)size * p->contacts;
    *out = *p;
    out->W = (cn_operator){.kind = CN_OPERATOR_BODY};
    out->W.diagonal = BASE_TAKE(memory, double, (int64_t)dim *dim * p->contacts);
    cn_body_map *map = &out->W.body;
    map->dofs = size * p->W.spheres.bodies;
    map->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)p->contacts + 1);
    map->dof = BASE_TAKE(memory, int32_t, entries);
    map->H = BASE_TAKE(memory, double, dim *entries);
    map->MinvH = BASE_TAKE(memory, double, dim *entries);
    if (!map->start || !map->dof || !map->H || !map->MinvH || !out->W.diagonal) {
        return CN_ERR_MEMORY;
    }
    prob_sphere_map_diagonal(&p->W.spheres, dim, p->contacts, out->W.diagonal);
    for (int32_t a = 0; a < p->contacts; a++) {
        // Velocities ascend in a row: the lower body first.
        const int32_t *pair = p->W.spheres.body + 2 * (int64_t)a;
        int lower = pair[0] < pair[1] ? 0 : 1;
        int64_t k = map->start[a];
        k += sphere_entries(p, a, lower, map, k);
        k += sphere_entries(p, a, 1 - lower, map, k);
        map->start[a + 1] = k;
    }
    return CN_OK;
}
