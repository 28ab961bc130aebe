// problem/operator/point_map.c
// The operator of points between rigid bodies: what it does to impulses and velocities, and how it
// looks in plain body space. With P = F r the impulse on B in world axes, H r is the sum of
// (P, b x P) on B and of -(P, a x P) on A; M^-1 is applied once per body, not once per contact.
// A contact has 104 bytes, where H and M^-1 H have 1152.
#include "problem/operator/point_map.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

// Functions whose dimension the compiler is to know. Velocities, forces and rows of H of a body are
// x[size]: dim linear numbers, then 3 angular ones, in 2D the one about z.
#define POINT_INLINE static inline __attribute__((always_inline))
#define POINT_SIZE(dim) ((dim) == 3 ? 6 : 3)

// n, t1, t2 of contact a.
POINT_INLINE void point_axes(const cn_point_map *points, int64_t a, double axes[3][3]) {
    memcpy(axes, points->frame + 6 * a, 6 * sizeof **axes);
    math_cross3(axes[0], axes[1], axes[2]);
}

// M^-1 x of one body; it does not couple linear and angular parts.
POINT_INLINE void point_inv_mass(int dim, const double *inverse, const double *x, double *out) {
    int size = POINT_SIZE(dim);
    for (int i = 0; i < size; i++) {
        int first = i < dim ? 0 : dim, end = i < dim ? dim : size;
        double sum = inverse[size * i + first] * x[first];
        for (int j = first + 1; j < end; j++) {
            sum += inverse[size * i + j] * x[j];
        }
        out[i] = sum;
    }
}

// The force x of an impulse P at an arm.
POINT_INLINE void point_force(int dim, const double arm[3], const double P[3], double *x) {
    double moment[3];
    math_cross3(arm, P, moment);
    for (int k = 0; k < dim; k++) {
        x[k] = P[k];
    }
    for (int k = dim == 3 ? 0 : 2; k < 3; k++) {
        x[dim == 3 ? 3 + k : 2] = moment[k];
    }
}

// arm x d has a z alone.
static void points_diagonal_2d(const cn_point_map *points, int32_t contacts, double *diagonal) {
    for (int64_t a = 0; a < contacts; a++) {
        const double *frame = points->frame + 6 * a;
        double *block = diagonal + 4 * a;
        memset(block, 0, 4 * sizeof *block);
        for (int side = 0; side < 2; side++) {
            const double *M = points->inverse + 9 * (int64_t)points->body[2 * a + side],
                         *arm = points->arm + 6 * a + 3 * side;
            for (int j = 0; j < 2; j++) {
                const double *d = frame + 3 * j;
                double across = arm[0] * d[1] - arm[1] * d[0];
                double moved[2] = {M[0] * d[0] + M[1] * d[1] - arm[1] * (M[8] * across),
                                   M[3] * d[0] + M[4] * d[1] + arm[0] * (M[8] * across)};
                for (int i = 0; i <= j; i++) {
                    double sum = frame[3 * i] * moved[0] + frame[3 * i + 1] * moved[1];
                    block[2 * j + i] = block[2 * i + j] = block[2 * i + j] + sum;
                }
            }
        }
    }
}

static const prob_point_kernel *point_kernel_of(void) {
    const prob_point_kernel *wide = prob_point_kernel_avx2();
    return wide ? wide : &prob_point_kernel_portable;
}

void prob_point_map_diagonal(const cn_point_map *points, int32_t dim, int32_t contacts,
                             double *diagonal) {
    if (dim == 3) {
        point_kernel_of()->diagonal(points, contacts, diagonal);
    } else {
        points_diagonal_2d(points, contacts, diagonal);
    }
}

// v += H r in the plane.
static void points_push_2d(const cn_point_map *points, int32_t contacts, const double *r,
                           double *v) {
    for (int64_t a = 0; a < contacts; a++) {
        const double *frame = points->frame + 6 * a, *own = r + 2 * a, *arm = points->arm + 6 * a;
        double *first = v + 3 * (int64_t)points->body[2 * a],
               *second = v + 3 * (int64_t)points->body[2 * a + 1], P[3], x[3];
        for (int k = 0; k < 3; k++) {
            P[k] = own[0] * frame[k] + own[1] * frame[3 + k];
        }
        point_force(2, arm, P, x);
        for (int k = 0; k < 3; k++) {
            first[k] -= x[k];
        }
        point_force(2, arm + 3, P, x);
        for (int k = 0; k < 3; k++) {
            second[k] += x[k];
        }
    }
}

POINT_INLINE void points_lighten(const cn_point_map *points, int dim, double *v) {
    int size = POINT_SIZE(dim);
    for (int64_t i = 0; i < points->bodies; i++) {
        double x[6];
        memcpy(x, v + size * i, sizeof *x * (size_t)size);
        point_inv_mass(dim, points->inverse + size * size * i, x, v + size * i);
    }
}

void prob_point_map_push(const cn_point_map *points, int32_t dim, int32_t contacts, const double *r,
                         double *v) {
    memset(v, 0, sizeof *v * (size_t)POINT_SIZE(dim) * (size_t)points->bodies);
    if (dim == 3) {
        point_kernel_of()->push(points, contacts, r, v);
        points_lighten(points, 3, v);
    } else {
        points_push_2d(points, contacts, r, v);
        points_lighten(points, 2, v);
    }
}

// What the loop over contacts reads and writes.
typedef struct point_loop {
    const cn_point_map *points;
    const prob_point_kernel *kernel;
    const double *q, *v;
    double *u;
} point_loop;

static void points_velocity_3d(void *user, int64_t first, int64_t end) {
    const point_loop *loop = user;
    loop->kernel->velocity(loop->points, first, end, loop->q, loop->v, loop->u);
}

// v + omega x arm of one body in the plane.
static void point_moving_2d(const double *v, const double arm[3], double out[2]) {
    out[0] = v[0] - v[2] * arm[1];
    out[1] = v[1] + v[2] * arm[0];
}

static void points_velocity_2d(void *user, int64_t from, int64_t end) {
    const point_loop *loop = user;
    const cn_point_map *points = loop->points;
    for (int64_t a = from; a < end; a++) {
        const double *frame = points->frame + 6 * a, *arm = points->arm + 6 * a;
        double first[2], second[2];
        point_moving_2d(loop->v + 3 * (int64_t)points->body[2 * a], arm, first);
        point_moving_2d(loop->v + 3 * (int64_t)points->body[2 * a + 1], arm + 3, second);
        double apart[2] = {second[0] - first[0], second[1] - first[1]};
        for (int i = 0; i < 2; i++) {
            const double *axis = frame + 3 * i;
            loop->u[2 * a + i] = loop->q[2 * a + i] + (axis[0] * apart[0] + axis[1] * apart[1]);
        }
    }
}

void prob_point_map_velocity(const cn_env *env, const cn_point_map *points, int32_t dim,
                             int32_t contacts, const double *q, const double *v, double *u) {
    point_loop loop = {.points = points, .kernel = point_kernel_of(), .q = q, .v = v, .u = u};
    base_parallel_ranges(env, contacts, dim == 3 ? points_velocity_3d : points_velocity_2d, &loop);
}

bool prob_point_map_moves(const cn_point_map *points, int32_t dim, int32_t body) {
    int32_t size = POINT_SIZE(dim);
    const double *inverse = points->inverse + (int64_t)size * size * body;
    for (int32_t i = 0; i < size; i++) {
        if (inverse[(size + 1) * i] != 0.0) {
            return true;
        }
    }
    return false;
}

// H and M^-1 H of one body's side of contact a at entry k; returns the entries written, none for a
// body that does not move.
POINT_INLINE int32_t point_entries(const cn_point_map *points, int dim, int64_t a, int side,
                                   cn_body_map *map, int64_t k) {
    int size = POINT_SIZE(dim);
    int32_t body = points->body[2 * a + side];
    if (!prob_point_map_moves(points, dim, body)) {
        return 0;
    }
    const double *inverse = points->inverse + size * size * (int64_t)body;
    double axes[3][3], sign = side == 0 ? -1.0 : 1.0;
    point_axes(points, a, axes);
    for (int d = 0; d < dim; d++) {
        double x[6], y[6];
        point_force(dim, points->arm + 6 * a + 3 * side, axes[d], x);
        point_inv_mass(dim, inverse, x, y);
        for (int j = 0; j < size; j++) {
            map->H[dim * (k + j) + d] = sign * x[j];
            map->MinvH[dim * (k + j) + d] = sign * y[j];
        }
    }
    for (int j = 0; j < size; j++) {
        map->dof[k + j] = size * body + j;
    }
    return size;
}

cn_status prob_points_to_body_space(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    const cn_point_map *points = &p->W.points;
    int32_t dim = p->dim, size = POINT_SIZE(dim);
    int64_t entries = 2 * (int64_t)size * p->contacts;
    *out = *p;
    out->W = (cn_operator){.kind = CN_OPERATOR_BODY, .diagonal = p->W.diagonal};
    cn_body_map *map = &out->W.body;
    map->dofs = size * points->bodies;
    map->inverse = points->inverse;
    map->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)p->contacts + 1);
    map->dof = BASE_TAKE(memory, int32_t, entries);
    map->H = BASE_TAKE(memory, double, dim *entries);
    map->MinvH = BASE_TAKE(memory, double, dim *entries);
    if (!map->start || !map->dof || !map->H || !map->MinvH) {
        return CN_ERR_MEMORY;
    }
    for (int64_t a = 0; a < p->contacts; a++) {
        // Velocities ascend in a row: the lower body first.
        int lower = points->body[2 * a] < points->body[2 * a + 1] ? 0 : 1;
        int64_t k = map->start[a];
        for (int turn = 0; turn < 2; turn++) {
            int side = turn == 0 ? lower : 1 - lower;
            k += dim == 3 ? point_entries(points, 3, a, side, map, k)
                          : point_entries(points, 2, a, side, map, k);
        }
        map->start[a + 1] = k;
    }
    return CN_OK;
}
