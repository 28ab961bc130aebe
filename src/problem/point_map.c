// problem/point_map.c
// The operator of points between rigid bodies: what it does to impulses and velocities, and how it
// looks in plain body space. With P = F r the impulse on B in world axes, H r is the sum of
// (P, b x P) on B and of -(P, a x P) on A; M^-1 is applied once a body, not once a contact.
// A contact has 104 bytes, where H and M^-1 H have 1152.
#include "problem/point_map.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

// Functions whose dimension the compiler is to know. Velocities, forces and rows of H of a body are
// x[size]: dim linear numbers, then 3 angular ones, in 2D the one about z.
#define CN_POINT_INLINE static inline __attribute__((always_inline))
#define CN_POINT_SIZE(dim) ((dim) == 3 ? 6 : 3)

// n, t1, t2 of contact a.
CN_POINT_INLINE void cn_point_axes(const cn_point_map *points, int64_t a, double axes[3][3]) {
    memcpy(axes, points->frame + 6 * a, 6 * sizeof **axes);
    cn_cross3(axes[0], axes[1], axes[2]);
}

// M^-1 x of one body; it does not couple linear and angular parts.
CN_POINT_INLINE void cn_point_light(int dim, const double *inverse, const double *x, double *out) {
    int size = CN_POINT_SIZE(dim);
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
CN_POINT_INLINE void cn_point_force(int dim, const double arm[3], const double P[3], double *x) {
    double moment[3];
    cn_cross3(arm, P, moment);
    for (int k = 0; k < dim; k++) {
        x[k] = P[k];
    }
    for (int k = dim == 3 ? 0 : 2; k < 3; k++) {
        x[dim == 3 ? 3 + k : 2] = moment[k];
    }
}

// K += L + [arm] J [arm]' of a body in space, lower triangle: xx yx zx yy zy zz. J (arm x e_j) is
// written out, and (arm x e_i) . of it.
CN_POINT_INLINE void cn_point_mobility(const double *inverse, const double arm[3], double K[6]) {
    const double *L = inverse, *J = inverse + 21;
    double x = arm[0], y = arm[1], z = arm[2], turned[3][3];
    for (int i = 0; i < 3; i++) {
        turned[0][i] = z * J[6 * i + 1] - y * J[6 * i + 2];
        turned[1][i] = x * J[6 * i + 2] - z * J[6 * i];
        turned[2][i] = y * J[6 * i] - x * J[6 * i + 1];
    }
    K[0] += L[0] + (z * turned[0][1] - y * turned[0][2]);
    K[1] += L[6] + (x * turned[0][2] - z * turned[0][0]);
    K[2] += L[12] + (y * turned[0][0] - x * turned[0][1]);
    K[3] += L[7] + (x * turned[1][2] - z * turned[1][0]);
    K[4] += L[13] + (y * turned[1][0] - x * turned[1][1]);
    K[5] += L[14] + (y * turned[2][0] - x * turned[2][1]);
}

static void cn_points_diagonal_3d(const cn_point_map *points, int32_t contacts, double *diagonal) {
    for (int64_t a = 0; a < contacts; a++) {
        double axes[3][3], K[6] = {0.0}, *block = diagonal + 9 * a;
        cn_point_axes(points, a, axes);
        for (int side = 0; side < 2; side++) {
            cn_point_mobility(points->inverse + 36 * (int64_t)points->body[2 * a + side],
                              points->arm + 6 * a + 3 * side, K);
        }
        for (int j = 0; j < 3; j++) {
            const double *d = axes[j];
            double moved[3] = {K[0] * d[0] + K[1] * d[1] + K[2] * d[2],
                               K[1] * d[0] + K[3] * d[1] + K[4] * d[2],
                               K[2] * d[0] + K[4] * d[1] + K[5] * d[2]};
            for (int i = 0; i <= j; i++) {
                block[3 * j + i] = block[3 * i + j] = cn_dot3(axes[i], moved);
            }
        }
    }
}

// arm x d has a z alone.
static void cn_points_diagonal_2d(const cn_point_map *points, int32_t contacts, double *diagonal) {
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

void cn_point_map_diagonal(const cn_point_map *points, int32_t dim, int32_t contacts,
                           double *diagonal) {
    if (dim == 3) {
        cn_points_diagonal_3d(points, contacts, diagonal);
    } else {
        cn_points_diagonal_2d(points, contacts, diagonal);
    }
}

CN_POINT_INLINE void cn_points_push(const cn_point_map *points, int dim, int32_t contacts,
                                    const double *r, double *v) {
    int size = CN_POINT_SIZE(dim);
    memset(v, 0, sizeof *v * (size_t)size * (size_t)points->bodies);
    for (int64_t a = 0; a < contacts; a++) {
        double axes[3][3], P[3], x[6];
        const double *own = r + dim * a, *arm = points->arm + 6 * a;
        double *first = v + size * (int64_t)points->body[2 * a],
               *second = v + size * (int64_t)points->body[2 * a + 1];
        cn_point_axes(points, a, axes);
        for (int k = 0; k < 3; k++) {
            P[k] =
                own[0] * axes[0][k] + own[1] * axes[1][k] + (dim == 3 ? own[2] * axes[2][k] : 0.0);
        }
        cn_point_force(dim, arm, P, x);
        for (int k = 0; k < size; k++) {
            first[k] -= x[k];
        }
        cn_point_force(dim, arm + 3, P, x);
        for (int k = 0; k < size; k++) {
            second[k] += x[k];
        }
    }
    for (int64_t i = 0; i < points->bodies; i++) {
        double x[6];
        memcpy(x, v + size * i, sizeof *x * (size_t)size);
        cn_point_light(dim, points->inverse + size * size * i, x, v + size * i);
    }
}

void cn_point_map_push(const cn_point_map *points, int32_t dim, int32_t contacts, const double *r,
                       double *v) {
    if (dim == 3) {
        cn_points_push(points, 3, contacts, r, v);
    } else {
        cn_points_push(points, 2, contacts, r, v);
    }
}

// v + omega x arm of one body.
CN_POINT_INLINE void cn_point_moving(int dim, const double *v, const double arm[3], double out[3]) {
    double spin[3] = {dim == 3 ? v[3] : 0.0, dim == 3 ? v[4] : 0.0, dim == 3 ? v[5] : v[2]};
    cn_cross3(spin, arm, out);
    for (int k = 0; k < dim; k++) {
        out[k] += v[k];
    }
}

// What the loop over contacts reads and writes.
typedef struct cn_point_loop {
    const cn_point_map *points;
    int32_t dim;
    const double *q, *v;
    double *u;
} cn_point_loop;

CN_POINT_INLINE void cn_points_velocity(int dim, const cn_point_loop *loop, int64_t from,
                                        int64_t end) {
    const cn_point_map *points = loop->points;
    const double *v = loop->v;
    int size = CN_POINT_SIZE(dim);
    for (int64_t a = from; a < end; a++) {
        double axes[3][3], first[3], second[3], apart[3];
        const double *arm = points->arm + 6 * a;
        cn_point_moving(dim, v + size * (int64_t)points->body[2 * a], arm, first);
        cn_point_moving(dim, v + size * (int64_t)points->body[2 * a + 1], arm + 3, second);
        cn_sub3(second, first, apart);
        cn_point_axes(points, a, axes);
        for (int i = 0; i < dim; i++) {
            loop->u[dim * a + i] = loop->q[dim * a + i] + cn_dot3(axes[i], apart);
        }
    }
}

static void cn_points_velocity_range(void *user, int64_t first, int64_t end) {
    const cn_point_loop *loop = user;
    if (loop->dim == 3) {
        cn_points_velocity(3, loop, first, end);
    } else {
        cn_points_velocity(2, loop, first, end);
    }
}

void cn_point_map_velocity(const cn_env *env, const cn_point_map *points, int32_t dim,
                           int32_t contacts, const double *q, const double *v, double *u) {
    cn_point_loop loop = {.points = points, .dim = dim, .q = q, .v = v, .u = u};
    cn_parallel_ranges(env, contacts, cn_points_velocity_range, &loop);
}

bool cn_point_map_moves(const cn_point_map *points, int32_t dim, int32_t body) {
    int32_t size = CN_POINT_SIZE(dim);
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
CN_POINT_INLINE int32_t cn_point_entries(const cn_point_map *points, int dim, int64_t a, int side,
                                         cn_body_map *map, int64_t k) {
    int size = CN_POINT_SIZE(dim);
    int32_t body = points->body[2 * a + side];
    if (!cn_point_map_moves(points, dim, body)) {
        return 0;
    }
    const double *inverse = points->inverse + size * size * (int64_t)body;
    double axes[3][3], sign = side == 0 ? -1.0 : 1.0;
    cn_point_axes(points, a, axes);
    for (int d = 0; d < dim; d++) {
        double x[6], y[6];
        cn_point_force(dim, points->arm + 6 * a + 3 * side, axes[d], x);
        cn_point_light(dim, inverse, x, y);
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

cn_status cn_points_to_body_space(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    const cn_point_map *points = &p->W.points;
    int32_t dim = p->dim, size = CN_POINT_SIZE(dim);
    int64_t entries = 2 * (int64_t)size * p->contacts;
    *out = *p;
    out->W = (cn_operator){.kind = CN_OPERATOR_BODY, .diagonal = p->W.diagonal};
    cn_body_map *map = &out->W.body;
    map->dofs = size * points->bodies;
    map->inverse = points->inverse;
    map->start = CN_TAKE_ZERO(memory, int64_t, (int64_t)p->contacts + 1);
    map->dof = CN_TAKE(memory, int32_t, entries);
    map->H = CN_TAKE(memory, double, dim *entries);
    map->MinvH = CN_TAKE(memory, double, dim *entries);
    if (!map->start || !map->dof || !map->H || !map->MinvH) {
        return CN_ERR_MEMORY;
    }
    for (int64_t a = 0; a < p->contacts; a++) {
        // Velocities ascend in a row: the lower body first.
        int lower = points->body[2 * a] < points->body[2 * a + 1] ? 0 : 1;
        int64_t k = map->start[a];
        for (int turn = 0; turn < 2; turn++) {
            int side = turn == 0 ? lower : 1 - lower;
            k += dim == 3 ? cn_point_entries(points, 3, a, side, map, k)
                          : cn_point_entries(points, 2, a, side, map, k);
        }
        map->start[a + 1] = k;
    }
    return CN_OK;
}
