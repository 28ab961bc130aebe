// problem/ball_map.c
// The operator of spheres and disks: what it does to impulses and velocities, and how it looks in
// plain body space. With P = F r the impulse on B in world axes, and n x P its turn,
//     v_B += P / m_B,   v_A -= P / m_A,   omega_B -= R_B / I_B (n x P),   omega_A likewise.
// A contact has 120 bytes, where H and M^-1 H have 1152.
#include "problem/ball_map.h"

#include "base/arena.h"
#include "math/vec3.h"

#include <string.h>

void cn_ball_map_diagonal(const cn_ball_map *balls, int32_t dim, int32_t contacts,
                          double *diagonal) {
    memset(diagonal, 0, sizeof *diagonal * (size_t)dim * (size_t)dim * (size_t)contacts);
    for (int64_t a = 0; a < contacts; a++) {
        const double *first = balls->light + 2 * (int64_t)balls->body[2 * a],
                     *second = balls->light + 2 * (int64_t)balls->body[2 * a + 1],
                     *arm = balls->arm + 2 * a;
        double normal = first[0] + second[0];
        double tangent = normal + arm[0] * arm[0] * first[1] + arm[1] * arm[1] * second[1];
        double *block = diagonal + dim * dim * a;
        block[0] = normal;
        for (int32_t i = 1; i < dim; i++) {
            block[(dim + 1) * i] = tangent;
        }
    }
}

// v += scale P, omega -= turning (n x P) of one body.
static inline void cn_ball_push(int dim, double scale, double turning, const double P[3],
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

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void
cn_balls_push(const cn_ball_map *balls, int dim, int32_t contacts, const double *r, double *v) {
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = 0; a < contacts; a++) {
        const double *n = balls->frame + 9 * a, *t1 = n + 3, *t2 = n + 6, *own = r + dim * a;
        int64_t first = balls->body[2 * a], second = balls->body[2 * a + 1];
        const double *light_a = balls->light + 2 * first, *light_b = balls->light + 2 * second,
                     *arm = balls->arm + 2 * a;
        double P[3], turn[3];
        for (int k = 0; k < 3; k++) {
            P[k] = own[0] * n[k] + own[1] * t1[k] + (dim == 3 ? own[2] * t2[k] : 0.0);
        }
        cn_cross3(n, P, turn);
        cn_ball_push(dim, -light_a[0], arm[0] * light_a[1], P, turn, v + size * first);
        cn_ball_push(dim, light_b[0], arm[1] * light_b[1], P, turn, v + size * second);
    }
}

void cn_ball_map_push(const cn_ball_map *balls, int32_t dim, int32_t contacts, const double *r,
                      double *v) {
    if (dim == 3) {
        cn_balls_push(balls, 3, contacts, r, v);
    } else {
        cn_balls_push(balls, 2, contacts, r, v);
    }
}

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void cn_balls_velocity(const cn_ball_map *balls,
                                                                    int dim, int32_t contacts,
                                                                    const double *q,
                                                                    const double *v, double *u) {
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = 0; a < contacts; a++) {
        const double *n = balls->frame + 9 * a, *t1 = n + 3, *t2 = n + 6, *arm = balls->arm + 2 * a;
        const double *va = v + size * (int64_t)balls->body[2 * a],
                     *vb = v + size * (int64_t)balls->body[2 * a + 1];
        double apart[3] = {vb[0] - va[0], vb[1] - va[1], dim == 3 ? vb[2] - va[2] : 0.0};
        double spin[3] = {0.0, 0.0, dim == 3 ? 0.0 : arm[0] * va[2] + arm[1] * vb[2]}, turn[3];
        for (int k = 0; dim == 3 && k < 3; k++) {
            spin[k] = arm[0] * va[3 + k] + arm[1] * vb[3 + k];
        }
        cn_cross3(spin, n, turn);
        cn_sub3(apart, turn, apart);
        u[dim * a] = q[dim * a] + cn_dot3(n, apart);
        u[dim * a + 1] = q[dim * a + 1] + cn_dot3(t1, apart);
        if (dim == 3) {
            u[dim * a + 2] = q[dim * a + 2] + cn_dot3(t2, apart);
        }
    }
}

void cn_ball_map_velocity(const cn_ball_map *balls, int32_t dim, int32_t contacts, const double *q,
                          const double *v, double *u) {
    if (dim == 3) {
        cn_balls_velocity(balls, 3, contacts, q, v, u);
    } else {
        cn_balls_velocity(balls, 2, contacts, q, v, u);
    }
}

// H and M^-1 H of one body's side of contact a at entry k; returns the entries written.
static int32_t cn_ball_entries(const cn_friction *p, int32_t a, int side, cn_body_map *map,
                               int64_t k) {
    const cn_ball_map *balls = &p->W.balls;
    int32_t dim = p->dim, size = dim == 3 ? 6 : 3, body = balls->body[2 * (int64_t)a + side];
    const double *light = balls->light + 2 * (int64_t)body, *n = balls->frame + 9 * (int64_t)a;
    if (light[0] == 0.0 && light[1] == 0.0) {
        return 0;
    }
    double arm = balls->arm[2 * (int64_t)a + side];
    for (int32_t d = 0; d < dim; d++) {
        const double *axis = n + 3 * d;
        double turn[3], row[6] = {0.0};
        cn_cross3(n, axis, turn);
        for (int32_t j = 0; j < dim; j++) {
            row[j] = side == 0 ? -axis[j] : axis[j];
        }
        for (int32_t j = dim; j < size; j++) {
            row[j] = -arm * turn[dim == 3 ? j - 3 : 2];
        }
        for (int32_t j = 0; j < size; j++) {
            map->H[dim * (k + j) + d] = row[j];
            map->MinvH[dim * (k + j) + d] = light[j < dim ? 0 : 1] * row[j];
        }
    }
    for (int32_t j = 0; j < size; j++) {
        map->dof[k + j] = size * body + j;
    }
    return size;
}

cn_status cn_balls_to_body_space(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    int32_t dim = p->dim, size = dim == 3 ? 6 : 3;
    int64_t entries = 2 * (int64_t)size * p->contacts;
    *out = *p;
    out->W = (cn_operator){.kind = CN_OPERATOR_BODY, .diagonal = p->W.diagonal};
    cn_body_map *map = &out->W.body;
    map->dofs = size * p->W.balls.bodies;
    map->start = CN_TAKE_ZERO(memory, int64_t, (int64_t)p->contacts + 1);
    map->dof = CN_TAKE(memory, int32_t, entries);
    map->H = CN_TAKE(memory, double, dim *entries);
    map->MinvH = CN_TAKE(memory, double, dim *entries);
    if (!map->start || !map->dof || !map->H || !map->MinvH) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        // Velocities ascend in a row: the lower body first.
        const int32_t *pair = p->W.balls.body + 2 * (int64_t)a;
        int lower = pair[0] < pair[1] ? 0 : 1;
        int64_t k = map->start[a];
        k += cn_ball_entries(p, a, lower, map, k);
        k += cn_ball_entries(p, a, 1 - lower, map, k);
        map->start[a + 1] = k;
    }
    return CN_OK;
}
