// tests/placed.h
// Shapes in random places, and what any manifold must satisfy: a proof that its gap is the signed
// distance.
//
// For every point, x_a = point + gap/2 n lies in a and x_b = point - gap/2 n in b. For the deepest
// one, gap = s(n), the separation along n by the support functions. Then no normal separates the
// bodies more when they are apart (s(m) <= m . (x_a - x_b) <= gap for all m), and n is a local best
// when they overlap.
#ifndef CAIRN_TESTS_PLACED_H
#define CAIRN_TESTS_PLACED_H

#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "detect/narrow/narrow.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

static inline geom_shape build_shape(cn_arena *memory, const cn_shape_def *def, int32_t dim) {
    geom_shape shape;
    cn_error error;
    if (geom_shape_build(def, dim, memory, &shape, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return shape;
}

static inline geom_shape box_3d(cn_arena *memory, double x, double y, double z) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_BOX);
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    return build_shape(memory, &def, 3);
}

// A shape of some size off the middle of its body, turned; hulls of up to 16 points.
static inline geom_shape random_shape(cn_arena *memory, base_rng *rng, cn_shape_kind kind,
                                      int32_t dim) {
    cn_shape_def def = cn_shape_def_default(kind);
    double vertices[48];
    def.radius = base_rng_uniform(rng, 0.3, 1.0);
    def.length = base_rng_uniform(rng, 0.3, 2.0);
    def.angle = base_rng_uniform(rng, -3.0, 3.0);
    def.offset = base_rng_uniform(rng, -0.5, 0.5);
    for (int i = 0; i < 3; i++) {
        def.size[i] = base_rng_uniform(rng, 0.4, 2.0);
        def.position[i] = base_rng_uniform(rng, -0.3, 0.3);
        def.normal[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    for (int i = 0; i < 4; i++) {
        def.orientation[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    if (kind == CN_SHAPE_POLYHEDRON) {
        def.vertex_count = 6 + base_rng_below(rng, 11);
        def.vertices = vertices;
        for (int i = 0; i < def.vertex_count; i++) {
            double x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = base_rng_uniform(rng, -1.0, 1.0);
            }
            double scale = base_rng_uniform(rng, 0.7, 1.0) / math_norm3(x);
            for (int k = 0; k < 3; k++) {
                vertices[3 * i + k] = scale * x[k];
            }
        }
    }
    if (kind == CN_SHAPE_POLYGON) {
        def.vertex_count = 3 + base_rng_below(rng, 6);
        def.vertices = vertices;
        double start = base_rng_uniform(rng, 0.0, 6.0);
        for (int i = 0; i < def.vertex_count; i++) {
            double angle = start + 2.0 * M_PI * i / def.vertex_count;
            vertices[2 * i] = 0.9 * cos(angle);
            vertices[2 * i + 1] = 0.6 * sin(angle);
        }
    }
    return build_shape(memory, &def, dim);
}

static inline void turn_at_random(base_rng *rng, int32_t dim, double R[9]) {
    double q[4];
    for (int i = 0; i < 4; i++) {
        q[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    math_quat_normalize(q);
    if (dim == 3) {
        math_quat_matrix(q, R);
    } else {
        math_angle_matrix(base_rng_uniform(rng, -3.0, 3.0), R);
    }
}

static inline det_placed place_at_random(base_rng *rng, int32_t dim, const geom_shape *shape) {
    det_placed placed = {.shape = shape};
    turn_at_random(rng, dim, placed.R);
    for (int i = 0; i < dim; i++) {
        placed.position[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    return placed;
}

static inline det_placed place_at(const geom_shape *shape, double x, double y, double z) {
    return (det_placed){.shape = shape, .position = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

// Turns a placed shape by w (axis times angle) about its body's origin.
static inline void turn_by(det_placed *placed, double x, double y, double z) {
    double q[4] = {1, 0, 0, 0}, R[9], product[9];
    const double w[3] = {x, y, z};
    math_quat_rotate(q, w);
    math_quat_matrix(q, R);
    math_mat3_multiply(R, placed->R, product);
    memcpy(placed->R, product, sizeof product);
}

static inline bool is_flat(const det_placed *placed) {
    return placed->shape->kind == CN_SHAPE_PLANE || placed->shape->kind == CN_SHAPE_LINE;
}

// max n . x over the shape.
static inline double height_along(const det_placed *placed, const double n[3]) {
    double own[3], x[3];
    math_mat3_apply_transposed(placed->R, n, own);
    geom_shape_support(placed->shape, own, x);
    return math_dot3(own, x) + math_dot3(n, placed->position);
}

// s(n), n from b to a. A plane has one normal. Inside a ring: the room left along n.
static inline double separation(const det_placed *a, const det_placed *b, const double n[3]) {
    const double back[3] = {-n[0], -n[1], -n[2]};
    if (is_flat(b)) {
        double normal[3];
        math_mat3_apply(b->R, b->shape->normal, normal);
        double along = math_dot3(normal, n);
        return fabs(along - 1.0) < 1e-12
                   ? -height_along(a, back) - b->shape->offset - math_dot3(normal, b->position)
                   : -DBL_MAX;
    }
    return -height_along(a, back) - height_along(b, n);
}

// How far x is outside the shape, by no more than that; negative inside. Not a distance for
// ellipsoids.
static inline double outside(const det_placed *placed, const double x[3]) {
    const geom_shape *s = placed->shape;
    const geom_hull *hull = &s->hull;
    double body[3], own[3], max = -INFINITY;
    math_sub3(x, placed->position, body);
    math_mat3_apply_transposed(placed->R, body, body);
    for (int32_t f = 0; f < hull->face_count; f++) {
        max = fmax(max, math_dot3(hull->normal + 3 * f, body) - hull->offset[f]);
    }
    math_sub3(body, s->position, own);
    math_mat3_apply_transposed(s->R, own, own);
    double away = sqrt(own[0] * own[0] + own[1] * own[1]);
    double beyond = fmax(fabs(own[2]) - s->half, 0.0);
    switch (s->kind) {
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_DISK:
        return math_norm3(own) - s->radius;
    case CN_SHAPE_CAPSULE:
        return sqrt(away * away + beyond * beyond) - s->radius;
    case CN_SHAPE_CYLINDER:
        return fmax(away - s->radius, fabs(own[2]) - s->half);
    case CN_SHAPE_PLANE:
    case CN_SHAPE_LINE:
        return math_dot3(s->normal, body) - s->offset;
    case CN_SHAPE_RING:
        return s->radius - math_norm3(own);
    case CN_SHAPE_ELLIPSOID:
    case CN_SHAPE_ELLIPSE: {
        double sum = 0.0;
        for (int i = 0; i < (s->kind == CN_SHAPE_ELLIPSE ? 2 : 3); i++) {
            sum += own[i] / s->axes[i] * (own[i] / s->axes[i]);
        }
        return sqrt(sum) - 1.0;
    }
    default:
        return max;
    }
}

static inline double min_gap(const det_manifold *m, int32_t *which) {
    double min = INFINITY;
    for (int32_t k = 0; k < m->count; k++) {
        if (m->point[k].gap < min) {
            min = m->point[k].gap;
            if (which) {
                *which = k;
            }
        }
    }
    return min;
}

// What every manifold must satisfy; allowed is a length.
static inline void check_manifold(const det_placed *a, const det_placed *b, double alert,
                                  const det_manifold *m, double allowed) {
    int32_t deepest = 0;
    CN_CHECK_TRUE(m->count >= 0 && m->count <= DET_MANIFOLD_MAX);
    for (int32_t k = 0; k < m->count; k++) {
        const double *n = m->point[k].normal, gap = m->point[k].gap;
        double x_a[3], x_b[3];
        CN_CHECK_NEAR(math_norm3(n), 1.0, 1e-13);
        CN_CHECK_BELOW(gap, alert);
        math_add_scaled3(m->point[k].point, 0.5 * gap, n, x_a);
        math_add_scaled3(m->point[k].point, -0.5 * gap, n, x_b);
        CN_CHECK_BELOW(outside(a, x_a), allowed);
        CN_CHECK_BELOW(outside(b, x_b), allowed);
        for (int32_t l = 0; l < k; l++) {
            double apart[3];
            math_sub3(m->point[k].point, m->point[l].point, apart);
            CN_CHECK_TRUE(m->point[k].feature != m->point[l].feature);
            CN_CHECK_TRUE(math_norm3(apart) > 1e-10);
        }
    }
    if (m->count > 0 && b->shape->kind != CN_SHAPE_RING) {
        min_gap(m, &deepest);
        CN_CHECK_NEAR(separation(a, b, m->point[deepest].normal), m->point[deepest].gap, allowed);
    }
}

// The points of two manifolds, in any order; sign -1 for opposite normals.
static inline void check_same(const det_manifold *m, const det_manifold *other, double sign,
                              double allowed) {
    assert_int_equal(m->count, other->count);
    for (int32_t k = 0; k < m->count; k++) {
        double nearest = INFINITY;
        int32_t match = 0;
        for (int32_t l = 0; l < other->count; l++) {
            double apart[3];
            math_sub3(m->point[k].point, other->point[l].point, apart);
            if (math_norm3(apart) < nearest) {
                nearest = math_norm3(apart);
                match = l;
            }
        }
        double turned[3];
        math_add_scaled3(m->point[k].normal, -sign, other->point[match].normal, turned);
        CN_CHECK_BELOW(nearest, allowed);
        CN_CHECK_BELOW(math_norm3(turned), allowed);
        CN_CHECK_NEAR(m->point[k].gap, other->point[match].gap, allowed);
    }
}

// The largest separation over many normals, the best of them improved a little: a bound from below.
static inline double sampled_separation(const det_placed *a, const det_placed *b, int32_t dim,
                                        base_rng *rng, double best_normal[3]) {
    double best = -INFINITY;
    for (int32_t i = 0; i < (dim == 3 ? 600 : 200); i++) {
        double z = dim == 3 ? 1.0 - 2.0 * (i + 0.5) / 600.0 : 0.0;
        double r = sqrt(1.0 - z * z), turn = 2.39996322972865332 * i;
        const double n[3] = {r * cos(turn), r * sin(turn), z};
        double s = separation(a, b, n);
        if (s > best) {
            best = s;
            memcpy(best_normal, n, sizeof n);
        }
    }
    for (double step = 0.1; step > 1e-4; step *= 0.8) {
        for (int32_t i = 0; i < 4; i++) {
            double n[3];
            for (int k = 0; k < 3; k++) {
                n[k] = best_normal[k] + (k < dim ? base_rng_uniform(rng, -step, step) : 0.0);
            }
            double length = math_norm3(n);
            for (int k = 0; k < 3; k++) {
                n[k] /= length;
            }
            double s = separation(a, b, n);
            if (s > best) {
                best = s;
                memcpy(best_normal, n, sizeof n);
            }
        }
    }
    return best;
}

// Moves a to about `gap` from b along the normal of largest separation.
static inline void bring_together(base_rng *rng, int32_t dim, det_placed *a, const det_placed *b,
                                  double gap) {
    double n[3] = {0.0}, s = sampled_separation(a, b, dim, rng, n);
    math_add_scaled3(a->position, gap - s, n, a->position);
}

// ---- every pair of some kinds, in many places ----

typedef struct pair_places {
    int32_t dim;
    const cn_shape_kind *kinds;
    int kind_count;
    int rounds; // of each pair
    uint64_t seed;
    double low, high; // about how far apart
    void *user;       // for the check
} pair_places;

typedef void pair_check(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b);

static inline void each_pair(const pair_places *places, pair_check *check) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(places->seed);
    int pairs = places->kind_count * places->kind_count;
    for (int i = 0; i < pairs * places->rounds; i++) {
        int pair = i / places->rounds;
        geom_shape shape_a = random_shape(memory, &rng, places->kinds[pair / places->kind_count],
                                          places->dim),
                   shape_b = random_shape(memory, &rng, places->kinds[pair % places->kind_count],
                                          places->dim);
        det_placed a = place_at_random(&rng, places->dim, &shape_a),
                   b = place_at_random(&rng, places->dim, &shape_b);
        double gap = places->low < places->high ? base_rng_uniform(&rng, places->low, places->high)
                                                : places->low;
        bring_together(&rng, places->dim, &a, &b, gap);
        check(places, &rng, &a, &b);
    }
    cn_arena_destroy(memory);
}

// From far apart to deeply overlapping.
typedef struct gap_range {
    double low, high;
} gap_range;
static const gap_range gap_ranges[] = {{0.05, 0.8}, {0.0, 1e-3}, {-1e-3, 0.0}, {-0.5, -1e-3}};
#define GAP_RANGES (sizeof gap_ranges / sizeof gap_ranges[0])

// Over a plane or line the gap is the height of the lowest point.
static inline void check_heights(int32_t dim, cn_shape_kind kind, cn_shape_kind flat,
                                 uint64_t seed) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(seed);
    for (int round = 0; round < 200; round++) {
        geom_shape shape = random_shape(memory, &rng, kind, dim),
                   floor = random_shape(memory, &rng, flat, dim);
        det_placed a = place_at_random(&rng, dim, &shape), b = place_at_random(&rng, dim, &floor);
        double n[3];
        math_mat3_apply(b.R, floor.normal, n);
        math_add_scaled3(a.position, base_rng_uniform(&rng, -0.5, 0.5) - separation(&a, &b, n), n,
                         a.position);
        det_manifold m;
        CN_CHECK_TRUE(det_narrow(dim, &a, &b, 0.3, &m));
        CN_CHECK_TRUE((m.count > 0) == (separation(&a, &b, n) <= 0.3));
        check_manifold(&a, &b, 0.3, &m, 1e-13);
        if (m.count > 0) {
            CN_CHECK_NEAR(min_gap(&m, NULL), separation(&a, &b, n), 1e-13);
        }
    }
    cn_arena_destroy(memory);
}

#endif
