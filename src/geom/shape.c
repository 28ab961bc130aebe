// geom/shape.c
// The kinds of shapes as a table, and what is the same for all of them: checking a definition,
// placing it in the body's frame, bounds, support points, moving the origin.
#include "geom/shape.h"

#include "base/arena.h"
#include "base/error.h"
#include "geom/hull.h"
#include "geom/shape_row.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

// Bounds are round-off too small otherwise: a shape must not stick out of its own sphere.
#define BOUND_MARGIN (1.0 + 8.0 * DBL_EPSILON)

// ---- checks ----

// A finite length or coordinate that is larger than any scene.
static cn_status check_max(const char *kind, const char *what, double value, cn_error *error) {
    if (!(fabs(value) > GEOM_LENGTH_MAX && fabs(value) <= DBL_MAX)) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_INPUT, "%s: %s of %g m is too large", kind, what, value);
    base_fail_hint(error, GEOM_LENGTH_HINT, GEOM_LENGTH_MAX);
    return CN_ERR_INPUT;
}

static cn_status check_length(const char *kind, const char *what, double value, cn_error *error) {
    if (value > 0.0 && value <= DBL_MAX) {
        return check_max(kind, what, value, error);
    }
    return base_fail(error, CN_ERR_INPUT, "%s: %s must be positive, not %g", kind, what, value);
}

static bool all_finite(const double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(x[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

// ---- building ----

static cn_status build_radius(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                              geom_shape *shape, cn_error *error) {
    (void)dim;
    (void)memory;
    shape->radius = def->radius;
    return check_length(cn_shape_kind_text(def->kind), "radius", def->radius, error);
}

static cn_status build_tube(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                            geom_shape *shape, cn_error *error) {
    cn_status status = build_radius(def, dim, memory, shape, error);
    shape->half = 0.5 * def->length;
    return status ? status
                  : check_length(cn_shape_kind_text(def->kind), "length", def->length, error);
}

static cn_status build_axes(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                            geom_shape *shape, cn_error *error) {
    (void)memory;
    static const char *const size[] = {"size[0]", "size[1]", "size[2]"};
    static const char *const axes[] = {"axes[0]", "axes[1]", "axes[2]"};
    for (int32_t k = 0; k < dim; k++) {
        shape->axes[k] = 0.5 * def->size[k];
        CN_TRY(check_length(cn_shape_kind_text(def->kind),
                            def->kind == CN_SHAPE_BOX ? size[k] : axes[k], def->size[k], error));
    }
    return CN_OK;
}

static cn_status build_box(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                           geom_shape *shape, cn_error *error) {
    cn_status status = build_axes(def, dim, memory, shape, error);
    return status ? status
                  : geom_hull_box(dim, shape->axes, shape->R, shape->position, memory, &shape->hull,
                                  error);
}

static cn_status build_plane(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                             geom_shape *shape, cn_error *error) {
    (void)memory;
    const char *kind = cn_shape_kind_text(def->kind);
    double normal[3] = {def->normal[0], def->normal[1], dim == 3 ? def->normal[2] : 0.0};
    double length = math_norm3(normal);
    if (!(length > 0.0 && length <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "%s: its normal must be a vector other than zero",
                         kind);
    }
    if (!(fabs(def->offset) <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "%s: offset is not a finite number", kind);
    }
    // normal . x >= offset holds for any length of the normal; kept for a unit one, in the body's
    // frame.
    for (int32_t k = 0; k < 3; k++) {
        normal[k] /= length;
    }
    math_mat3_apply(shape->R, normal, shape->normal);
    shape->offset = def->offset / length + math_dot3(shape->normal, shape->position);
    return check_max(kind, "offset", shape->offset, error);
}

// The vertices given, 3 numbers each, in the body's frame.
static cn_status place_vertices(const cn_shape_def *def, int32_t dim, const geom_shape *shape,
                                cn_arena *scratch, double **out, cn_error *error) {
    const char *kind = cn_shape_kind_text(def->kind);
    if (def->vertex_count <= dim || !def->vertices) {
        return base_fail(error, CN_ERR_INPUT, "%s: it has %d vertices; it needs %d at least", kind,
                         def->vertices ? def->vertex_count : 0, dim + 1);
    }
    if (!all_finite(def->vertices, (int64_t)dim * def->vertex_count)) {
        return base_fail(error, CN_ERR_INPUT, "%s: a vertex is not a finite number", kind);
    }
    for (int64_t i = 0; i < (int64_t)dim * def->vertex_count; i++) {
        CN_TRY(check_max(kind, "a vertex", def->vertices[i], error));
    }
    double *point = BASE_TAKE_ZERO(scratch, double, 3 * (int64_t)def->vertex_count);
    if (!point) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < def->vertex_count; i++) {
        double *x = point + 3 * (int64_t)i;
        memcpy(x, def->vertices + (int64_t)dim * i, (size_t)dim * sizeof *x);
        math_mat3_apply(shape->R, x, x);
        math_add_scaled3(shape->position, 1.0, x, x);
    }
    *out = point;
    return CN_OK;
}

static cn_status build_from_vertices(const cn_shape_def *def, int32_t dim, cn_arena *scratch,
                                     cn_arena *memory, geom_shape *shape, cn_error *error) {
    double *point = NULL;
    CN_TRY(place_vertices(def, dim, shape, scratch, &point, error));
    if (dim == 2) {
        return geom_hull_polygon(point, def->vertex_count, scratch, memory, &shape->hull, error);
    }
    CN_TRY(geom_hull_from_points(point, def->vertex_count, scratch, memory, &shape->hull, error));
    if (def->face_size) {
        CN_TRY(geom_hull_check_faces(def, point, &shape->hull, scratch, error));
    }
    return CN_OK;
}

static cn_status build_vertices(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                                geom_shape *shape, cn_error *error) {
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    if (!scratch) {
        return base_fail_memory(error);
    }
    cn_status status = build_from_vertices(def, dim, scratch, memory, shape, error);
    cn_arena_destroy(scratch);
    return status;
}

// ---- the farthest point along a direction, own frame ----

static void support_sphere(const geom_shape *s, const double d[3], double point[3]) {
    double length = math_norm3(d), share = length > 0.0 ? s->radius / length : 0.0;
    for (int32_t k = 0; k < 3; k++) {
        point[k] = share * d[k];
    }
}

static void support_capsule(const geom_shape *s, const double d[3], double point[3]) {
    support_sphere(s, d, point);
    point[2] += d[2] >= 0.0 ? s->half : -s->half;
}

static void support_cylinder(const geom_shape *s, const double d[3], double point[3]) {
    const double flat[3] = {d[0], d[1], 0.0};
    support_sphere(s, flat, point);
    point[2] = d[2] >= 0.0 ? s->half : -s->half;
}

// max d . x with |A^-1 x| = 1: x = A^2 d / |A d|
static void support_ellipsoid(const geom_shape *s, const double d[3], double point[3]) {
    double scaled[3] = {s->axes[0] * d[0], s->axes[1] * d[1], s->axes[2] * d[2]};
    double length = math_norm3(scaled);
    for (int32_t k = 0; k < 3; k++) {
        point[k] = length > 0.0 ? s->axes[k] * scaled[k] / length : 0.0;
    }
}

// ---- sizes ----

static double extent_radius(const geom_shape *s) {
    return s->radius;
}

static double extent_cylinder(const geom_shape *s) {
    return fmin(s->radius, s->half);
}

static double extent_axes(const geom_shape *s) {
    double min = fmin(s->axes[0], s->axes[1]);
    return s->axes[2] > 0.0 ? fmin(min, s->axes[2]) : min;
}

static double reach_capsule(const geom_shape *s) {
    return s->half + s->radius;
}

static double reach_cylinder(const geom_shape *s) {
    return sqrt(s->half * s->half + s->radius * s->radius);
}

static double reach_axes(const geom_shape *s) {
    return fmax(s->axes[0], fmax(s->axes[1], s->axes[2]));
}

static double unbounded(const geom_shape *s) {
    (void)s;
    return INFINITY;
}

// ---- the table ----

static const geom_shape_row shape_rows[CN_SHAPE_KINDS] = {
    [CN_SHAPE_SPHERE] = {"sphere", "disk", 3, build_radius, geom_principal_sphere, support_sphere,
                         extent_radius, extent_radius},
    [CN_SHAPE_BOX] = {"box", NULL, 0, build_box, geom_principal_box, NULL, extent_axes, NULL},
    [CN_SHAPE_CAPSULE] = {"capsule", "box", 3, build_tube, geom_principal_capsule, support_capsule,
                          extent_radius, reach_capsule},
    [CN_SHAPE_CYLINDER] = {"cylinder", "box", 3, build_tube, geom_principal_cylinder,
                           support_cylinder, extent_cylinder, reach_cylinder},
    [CN_SHAPE_ELLIPSOID] = {"ellipsoid", "ellipse", 3, build_axes, geom_principal_ellipsoid,
                            support_ellipsoid, extent_axes, reach_axes},
    [CN_SHAPE_POLYHEDRON] = {"polyhedron", "polygon", 3, build_vertices, NULL, NULL, NULL, NULL},
    [CN_SHAPE_PLANE] = {"plane", "line", 3, build_plane, NULL, NULL, unbounded, unbounded},
    [CN_SHAPE_DISK] = {"disk", "sphere", 2, build_radius, geom_principal_disk, support_sphere,
                       extent_radius, extent_radius},
    [CN_SHAPE_ELLIPSE] = {"ellipse", "ellipsoid", 2, build_axes, geom_principal_ellipse,
                          support_ellipsoid, extent_axes, reach_axes},
    [CN_SHAPE_POLYGON] = {"polygon", "polyhedron", 2, build_vertices, NULL, NULL, NULL, NULL},
    [CN_SHAPE_LINE] = {"line", "plane", 2, build_plane, NULL, NULL, unbounded, unbounded},
    [CN_SHAPE_RING] = {"ring", "several boxes", 2, build_radius, NULL, support_sphere,
                       extent_radius, extent_radius},
};

const geom_shape_row *geom_shape_row_of(cn_shape_kind kind) {
    return &shape_rows[kind];
}

const char *cn_shape_kind_text(cn_shape_kind kind) {
    return (unsigned)kind < CN_SHAPE_KINDS ? shape_rows[kind].text : "unknown shape";
}

cn_shape_def cn_shape_def_default(cn_shape_kind kind) {
    return (cn_shape_def){.kind = kind, .orientation = {1.0, 0.0, 0.0, 0.0}};
}

// ---- all kinds ----

static cn_status shape_frame(const cn_shape_def *def, int32_t dim, geom_shape *shape,
                             cn_error *error) {
    const char *kind = cn_shape_kind_text(def->kind);
    memcpy(shape->position, def->position, sizeof shape->position);
    if (dim == 2) {
        shape->position[2] = 0.0;
        math_angle_matrix(def->angle, shape->R);
    } else {
        double q[4];
        memcpy(q, def->orientation, sizeof q);
        if (all_finite(q, 4) && !(fabs(q[0]) + fabs(q[1]) + fabs(q[2]) + fabs(q[3]) > 0.0)) {
            return base_fail(error, CN_ERR_INPUT, "%s: its orientation must not be zero", kind);
        }
        math_quat_normalize(q);
        math_quat_matrix(q, shape->R);
    }
    if (!all_finite(shape->position, 3) || !all_finite(shape->R, 9)) {
        return base_fail(error, CN_ERR_INPUT,
                         "%s: its position or orientation is not a finite number", kind);
    }
    return check_max(kind, "position", math_norm3(shape->position), error);
}

// A sphere round the hull: about the middle of its box or the mean of its corners, whichever is
// smaller.
static void hull_bound(const geom_hull *hull, double middle[3], double *bound) {
    double choice[2][3];
    memcpy(choice[0], hull->center, sizeof choice[0]);
    for (int32_t k = 0; k < 3; k++) {
        double low = hull->vertex[k], high = low;
        for (int32_t i = 1; i < hull->vertex_count; i++) {
            low = fmin(low, hull->vertex[3 * (int64_t)i + k]);
            high = fmax(high, hull->vertex[3 * (int64_t)i + k]);
        }
        choice[1][k] = 0.5 * (low + high);
    }
    *bound = INFINITY;
    for (int32_t c = 0; c < 2; c++) {
        double max = 0.0;
        for (int32_t i = 0; i < hull->vertex_count; i++) {
            double apart[3];
            math_sub3(hull->vertex + 3 * (int64_t)i, choice[c], apart);
            max = fmax(max, math_norm3(apart));
        }
        if (max < *bound) {
            *bound = max;
            memcpy(middle, choice[c], sizeof choice[c]);
        }
    }
}

static void shape_bound(geom_shape *shape) {
    if (shape->hull.vertex_count) {
        // Hulls are in the body's frame already.
        static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        memcpy(shape->R, identity, sizeof shape->R);
        memset(shape->position, 0, sizeof shape->position);
        hull_bound(&shape->hull, shape->middle, &shape->bound);
    } else {
        memcpy(shape->middle, shape->position, sizeof shape->middle);
        shape->bound = shape_rows[shape->kind].reach(shape);
    }
    shape->bound *= BOUND_MARGIN;
    shape->depth = shape->kind == CN_SHAPE_RING ? HUGE_VAL : geom_shape_smallest_extent(shape);
}

cn_status geom_shape_build(const cn_shape_def *def, int32_t dim, cn_arena *memory, geom_shape *out,
                           cn_error *error) {
    *out = (geom_shape){0};
    if ((unsigned)def->kind >= CN_SHAPE_KINDS) {
        return base_fail(error, CN_ERR_ARGUMENT, "%d is no kind of shape", (int)def->kind);
    }
    const geom_shape_row *row = &shape_rows[def->kind];
    if (row->dim != 0 && row->dim != dim) {
        base_fail(error, CN_ERR_INPUT, "%s: a shape of %dD, but the scene is in %dD", row->text,
                  row->dim, dim);
        base_fail_hint(error, "use %s", row->other);
        return CN_ERR_INPUT;
    }
    out->kind = def->kind;
    CN_TRY(shape_frame(def, dim, out, error));
    CN_TRY(row->build(def, dim, memory, out, error));

    shape_bound(out);
    geom_mass mass;
    geom_shape_mass(out, dim, &mass);
    bool massive = row->principal || out->hull.vertex_count;
    if (massive && !(mass.mass > 0.0 && all_finite(&mass.mass, 1) && mass.inertia[8] > 0.0 &&
                     all_finite(mass.inertia, 9))) {
        return base_fail(error, CN_ERR_INPUT, "%s: too small or too large for its volume (%g)",
                         row->text, mass.mass);
    }
    return CN_OK;
}

void geom_shape_shift(geom_shape *shape, const double by[3]) {
    geom_hull *hull = &shape->hull;
    for (int32_t i = 0; i < hull->vertex_count; i++) {
        math_sub3(hull->vertex + 3 * (int64_t)i, by, hull->vertex + 3 * (int64_t)i);
    }
    for (int32_t f = 0; f < hull->face_count; f++) {
        hull->offset[f] -= math_dot3(hull->normal + 3 * (int64_t)f, by);
    }
    if (hull->vertex_count) {
        math_sub3(hull->center, by, hull->center);
    } else {
        math_sub3(shape->position, by, shape->position);
    }
    shape->offset -= math_dot3(shape->normal, by);
    math_sub3(shape->middle, by, shape->middle);
}

void geom_shape_support(const geom_shape *shape, const double direction[3], double point[3]) {
    const geom_hull *hull = &shape->hull;
    if (hull->vertex_count) {
        int32_t best = 0;
        double max = math_dot3(direction, hull->vertex);
        for (int32_t i = 1; i < hull->vertex_count; i++) {
            double along = math_dot3(direction, hull->vertex + 3 * (int64_t)i);
            if (along > max) {
                max = along;
                best = i;
            }
        }
        memcpy(point, hull->vertex + 3 * (int64_t)best, 3 * sizeof *point);
        return;
    }
    double own[3], farthest[3];
    math_mat3_apply_transposed(shape->R, direction, own);
    shape_rows[shape->kind].support(shape, own, farthest);
    math_mat3_apply(shape->R, farthest, farthest);
    math_add_scaled3(shape->position, 1.0, farthest, point);
}

double geom_shape_smallest_extent(const geom_shape *shape) {
    if (shape_rows[shape->kind].extent) {
        return shape_rows[shape->kind].extent(shape);
    }
    // Half the least width across a face; between two edges a polyhedron may be a little narrower.
    const geom_hull *hull = &shape->hull;
    double min = INFINITY;
    for (int32_t f = 0; f < hull->face_count; f++) {
        const double *normal = hull->normal + 3 * (int64_t)f;
        const double inwards[3] = {-normal[0], -normal[1], -normal[2]};
        double opposite[3];
        geom_shape_support(shape, inwards, opposite);
        min = fmin(min, hull->offset[f] - math_dot3(normal, opposite));
    }
    return 0.5 * min;
}

static bool same_bytes(const void *a, const void *b, int64_t count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static bool hull_same(const geom_hull *a, const geom_hull *b) {
    if (a->vertex_count != b->vertex_count || a->face_count != b->face_count ||
        a->edge_count != b->edge_count || !a->face != !b->face) {
        return false;
    }
    int64_t faces = a->face_count, loops = a->face ? a->face[faces] : 0;
    return same_bytes(a->vertex, b->vertex, 3 * (int64_t)a->vertex_count, sizeof(double)) &&
           same_bytes(a->normal, b->normal, 3 * faces, sizeof(double)) &&
           same_bytes(a->offset, b->offset, faces, sizeof(double)) &&
           same_bytes(a->face, b->face, a->face ? faces + 1 : 0, sizeof(int32_t)) &&
           (!b->face || b->face[faces] == loops) &&
           same_bytes(a->loop, b->loop, loops, sizeof(int32_t)) &&
           same_bytes(a->edge, b->edge, 4 * (int64_t)a->edge_count, sizeof(int32_t)) &&
           same_bytes(a->center, b->center, 3, sizeof(double));
}

bool geom_shape_same(const geom_shape *a, const geom_shape *b) {
    return a->kind == b->kind && same_bytes(a->position, b->position, 3, sizeof(double)) &&
           same_bytes(a->R, b->R, 9, sizeof(double)) &&
           same_bytes(&a->radius, &b->radius, 1, sizeof(double)) &&
           same_bytes(&a->half, &b->half, 1, sizeof(double)) &&
           same_bytes(a->axes, b->axes, 3, sizeof(double)) &&
           same_bytes(a->normal, b->normal, 3, sizeof(double)) &&
           same_bytes(&a->offset, &b->offset, 1, sizeof(double)) &&
           same_bytes(&a->bound, &b->bound, 1, sizeof(double)) &&
           same_bytes(a->middle, b->middle, 3, sizeof(double)) && hull_same(&a->hull, &b->hull);
}
