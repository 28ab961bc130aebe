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

// Bounds are round-off too small otherwise: a shape must not stick out of its own ball.
#define CN_BOUND_MARGIN (1.0 + 8.0 * DBL_EPSILON)

// ---- checks ----

// A finite length or coordinate that is larger than any scene.
static cn_status cn_check_most(const char *kind, const char *what, double value, cn_error *error) {
    if (!(fabs(value) > CN_LENGTH_MOST && fabs(value) <= DBL_MAX)) {
        return CN_OK;
    }
    cn_fail(error, CN_ERR_INPUT, "%s: %s of %g m is too large", kind, what, value);
    cn_fail_hint(error, CN_LENGTH_HINT, CN_LENGTH_MOST);
    return CN_ERR_INPUT;
}

static cn_status cn_check_length(const char *kind, const char *what, double value,
                                 cn_error *error) {
    if (value > 0.0 && value <= DBL_MAX) {
        return cn_check_most(kind, what, value, error);
    }
    return cn_fail(error, CN_ERR_INPUT, "%s: %s must be positive, not %g", kind, what, value);
}

static bool cn_all_finite(const double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(x[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

// ---- building ----

static cn_status cn_build_radius(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                                 cn_shape *shape, cn_error *error) {
    (void)dim;
    (void)memory;
    shape->radius = def->radius;
    return cn_check_length(cn_shape_kind_text(def->kind), "radius", def->radius, error);
}

static cn_status cn_build_tube(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                               cn_shape *shape, cn_error *error) {
    cn_status status = cn_build_radius(def, dim, memory, shape, error);
    shape->half = 0.5 * def->length;
    return status ? status
                  : cn_check_length(cn_shape_kind_text(def->kind), "length", def->length, error);
}

static cn_status cn_build_axes(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                               cn_shape *shape, cn_error *error) {
    (void)memory;
    static const char *const size[] = {"size[0]", "size[1]", "size[2]"};
    static const char *const axes[] = {"axes[0]", "axes[1]", "axes[2]"};
    cn_status status = CN_OK;
    for (int32_t k = 0; k < dim && status == CN_OK; k++) {
        shape->axes[k] = 0.5 * def->size[k];
        status =
            cn_check_length(cn_shape_kind_text(def->kind),
                            def->kind == CN_SHAPE_BOX ? size[k] : axes[k], def->size[k], error);
    }
    return status;
}

static cn_status cn_build_box(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                              cn_shape *shape, cn_error *error) {
    cn_status status = cn_build_axes(def, dim, memory, shape, error);
    return status ? status
                  : cn_hull_box(dim, shape->axes, shape->R, shape->position, memory, &shape->hull,
                                error);
}

static cn_status cn_build_plane(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                                cn_shape *shape, cn_error *error) {
    (void)memory;
    const char *kind = cn_shape_kind_text(def->kind);
    double normal[3] = {def->normal[0], def->normal[1], dim == 3 ? def->normal[2] : 0.0};
    double length = cn_norm3(normal);
    if (!(length > 0.0 && length <= DBL_MAX)) {
        return cn_fail(error, CN_ERR_INPUT, "%s: its normal must be a vector other than zero",
                       kind);
    }
    if (!(fabs(def->offset) <= DBL_MAX)) {
        return cn_fail(error, CN_ERR_INPUT, "%s: offset is not a finite number", kind);
    }
    // normal . x >= offset holds for any length of the normal; kept for a unit one, in the body's
    // frame.
    for (int32_t k = 0; k < 3; k++) {
        normal[k] /= length;
    }
    cn_mat3_apply(shape->R, normal, shape->normal);
    shape->offset = def->offset / length + cn_dot3(shape->normal, shape->position);
    return cn_check_most(kind, "offset", shape->offset, error);
}

// The vertices given, 3 numbers each, in the body's frame.
static cn_status cn_place_vertices(const cn_shape_def *def, int32_t dim, const cn_shape *shape,
                                   cn_arena *scratch, double **out, cn_error *error) {
    const char *kind = cn_shape_kind_text(def->kind);
    if (def->vertex_count <= dim || !def->vertices) {
        return cn_fail(error, CN_ERR_INPUT, "%s: it has %d vertices; it needs %d at least", kind,
                       def->vertices ? def->vertex_count : 0, dim + 1);
    }
    if (!cn_all_finite(def->vertices, (int64_t)dim * def->vertex_count)) {
        return cn_fail(error, CN_ERR_INPUT, "%s: a vertex is not a finite number", kind);
    }
    for (int64_t i = 0; i < (int64_t)dim * def->vertex_count; i++) {
        cn_status status = cn_check_most(kind, "a vertex", def->vertices[i], error);
        if (status != CN_OK) {
            return status;
        }
    }
    double *point = CN_TAKE_ZERO(scratch, double, 3 * (int64_t)def->vertex_count);
    if (!point) {
        return cn_fail_memory(error);
    }
    for (int32_t i = 0; i < def->vertex_count; i++) {
        double *x = point + 3 * (int64_t)i;
        memcpy(x, def->vertices + (int64_t)dim * i, (size_t)dim * sizeof *x);
        cn_mat3_apply(shape->R, x, x);
        cn_add_scaled3(shape->position, 1.0, x, x);
    }
    *out = point;
    return CN_OK;
}

static cn_status cn_build_from_vertices(const cn_shape_def *def, int32_t dim, cn_arena *scratch,
                                        cn_arena *memory, cn_shape *shape, cn_error *error) {
    double *point = NULL;
    cn_status status = cn_place_vertices(def, dim, shape, scratch, &point, error);
    if (status != CN_OK) {
        return status;
    }
    if (dim == 2) {
        return cn_hull_polygon(point, def->vertex_count, scratch, memory, &shape->hull, error);
    }
    status = cn_hull_from_points(point, def->vertex_count, scratch, memory, &shape->hull, error);
    if (status == CN_OK && def->face_size) {
        status = cn_hull_check_faces(def, point, &shape->hull, scratch, error);
    }
    return status;
}

static cn_status cn_build_vertices(const cn_shape_def *def, int32_t dim, cn_arena *memory,
                                   cn_shape *shape, cn_error *error) {
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    if (!scratch) {
        return cn_fail_memory(error);
    }
    cn_status status = cn_build_from_vertices(def, dim, scratch, memory, shape, error);
    cn_arena_destroy(scratch);
    return status;
}

// ---- the farthest point along a direction, own frame ----

static void cn_support_ball(const cn_shape *s, const double d[3], double point[3]) {
    double length = cn_norm3(d), share = length > 0.0 ? s->radius / length : 0.0;
    for (int32_t k = 0; k < 3; k++) {
        point[k] = share * d[k];
    }
}

static void cn_support_capsule(const cn_shape *s, const double d[3], double point[3]) {
    cn_support_ball(s, d, point);
    point[2] += d[2] >= 0.0 ? s->half : -s->half;
}

static void cn_support_cylinder(const cn_shape *s, const double d[3], double point[3]) {
    const double flat[3] = {d[0], d[1], 0.0};
    cn_support_ball(s, flat, point);
    point[2] = d[2] >= 0.0 ? s->half : -s->half;
}

// max d . x with |A^-1 x| = 1: x = A^2 d / |A d|
static void cn_support_ellipsoid(const cn_shape *s, const double d[3], double point[3]) {
    double scaled[3] = {s->axes[0] * d[0], s->axes[1] * d[1], s->axes[2] * d[2]};
    double length = cn_norm3(scaled);
    for (int32_t k = 0; k < 3; k++) {
        point[k] = length > 0.0 ? s->axes[k] * scaled[k] / length : 0.0;
    }
}

// ---- sizes ----

static double cn_extent_radius(const cn_shape *s) {
    return s->radius;
}

static double cn_extent_cylinder(const cn_shape *s) {
    return fmin(s->radius, s->half);
}

static double cn_extent_axes(const cn_shape *s) {
    double least = fmin(s->axes[0], s->axes[1]);
    return s->axes[2] > 0.0 ? fmin(least, s->axes[2]) : least;
}

static double cn_reach_capsule(const cn_shape *s) {
    return s->half + s->radius;
}

static double cn_reach_cylinder(const cn_shape *s) {
    return sqrt(s->half * s->half + s->radius * s->radius);
}

static double cn_reach_axes(const cn_shape *s) {
    return fmax(s->axes[0], fmax(s->axes[1], s->axes[2]));
}

static double cn_unbounded(const cn_shape *s) {
    (void)s;
    return INFINITY;
}

// ---- the table ----

static const cn_shape_row cn_shape_rows[CN_SHAPE_KINDS] = {
    [CN_SHAPE_SPHERE] = {"sphere", "disk", 3, cn_build_radius, cn_principal_sphere, cn_support_ball,
                         cn_extent_radius, cn_extent_radius},
    [CN_SHAPE_BOX] = {"box", NULL, 0, cn_build_box, cn_principal_box, NULL, cn_extent_axes, NULL},
    [CN_SHAPE_CAPSULE] = {"capsule", "box", 3, cn_build_tube, cn_principal_capsule,
                          cn_support_capsule, cn_extent_radius, cn_reach_capsule},
    [CN_SHAPE_CYLINDER] = {"cylinder", "box", 3, cn_build_tube, cn_principal_cylinder,
                           cn_support_cylinder, cn_extent_cylinder, cn_reach_cylinder},
    [CN_SHAPE_ELLIPSOID] = {"ellipsoid", "ellipse", 3, cn_build_axes, cn_principal_ellipsoid,
                            cn_support_ellipsoid, cn_extent_axes, cn_reach_axes},
    [CN_SHAPE_POLYHEDRON] = {"polyhedron", "polygon", 3, cn_build_vertices, NULL, NULL, NULL, NULL},
    [CN_SHAPE_PLANE] = {"plane", "line", 3, cn_build_plane, NULL, NULL, cn_unbounded, cn_unbounded},
    [CN_SHAPE_DISK] = {"disk", "sphere", 2, cn_build_radius, cn_principal_disk, cn_support_ball,
                       cn_extent_radius, cn_extent_radius},
    [CN_SHAPE_ELLIPSE] = {"ellipse", "ellipsoid", 2, cn_build_axes, cn_principal_ellipse,
                          cn_support_ellipsoid, cn_extent_axes, cn_reach_axes},
    [CN_SHAPE_POLYGON] = {"polygon", "polyhedron", 2, cn_build_vertices, NULL, NULL, NULL, NULL},
    [CN_SHAPE_LINE] = {"line", "plane", 2, cn_build_plane, NULL, NULL, cn_unbounded, cn_unbounded},
    [CN_SHAPE_RING] = {"ring", "several boxes", 2, cn_build_radius, NULL, cn_support_ball,
                       cn_extent_radius, cn_extent_radius},
};

const cn_shape_row *cn_shape_row_of(cn_shape_kind kind) {
    return &cn_shape_rows[kind];
}

const char *cn_shape_kind_text(cn_shape_kind kind) {
    return (unsigned)kind < CN_SHAPE_KINDS ? cn_shape_rows[kind].text : "unknown shape";
}

cn_shape_def cn_shape_def_default(cn_shape_kind kind) {
    return (cn_shape_def){.kind = kind, .orientation = {1.0, 0.0, 0.0, 0.0}};
}

// ---- all kinds ----

static cn_status cn_shape_frame(const cn_shape_def *def, int32_t dim, cn_shape *shape,
                                cn_error *error) {
    const char *kind = cn_shape_kind_text(def->kind);
    memcpy(shape->position, def->position, sizeof shape->position);
    if (dim == 2) {
        shape->position[2] = 0.0;
        cn_angle_matrix(def->angle, shape->R);
    } else {
        double q[4];
        memcpy(q, def->orientation, sizeof q);
        if (cn_all_finite(q, 4) && !(fabs(q[0]) + fabs(q[1]) + fabs(q[2]) + fabs(q[3]) > 0.0)) {
            return cn_fail(error, CN_ERR_INPUT, "%s: its orientation must not be zero", kind);
        }
        cn_quat_normalize(q);
        cn_quat_matrix(q, shape->R);
    }
    if (!cn_all_finite(shape->position, 3) || !cn_all_finite(shape->R, 9)) {
        return cn_fail(error, CN_ERR_INPUT,
                       "%s: its position or orientation is not a finite number", kind);
    }
    return cn_check_most(kind, "position", cn_norm3(shape->position), error);
}

// A ball round the hull: about the middle of its box or the mean of its corners, whichever is
// smaller.
static void cn_hull_bound(const cn_hull *hull, double middle[3], double *bound) {
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
        double most = 0.0;
        for (int32_t i = 0; i < hull->vertex_count; i++) {
            double apart[3];
            cn_sub3(hull->vertex + 3 * (int64_t)i, choice[c], apart);
            most = fmax(most, cn_norm3(apart));
        }
        if (most < *bound) {
            *bound = most;
            memcpy(middle, choice[c], sizeof choice[c]);
        }
    }
}

static void cn_shape_bound(cn_shape *shape) {
    if (shape->hull.vertex_count) {
        // Hulls are in the body's frame already.
        static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        memcpy(shape->R, identity, sizeof shape->R);
        memset(shape->position, 0, sizeof shape->position);
        cn_hull_bound(&shape->hull, shape->middle, &shape->bound);
    } else {
        memcpy(shape->middle, shape->position, sizeof shape->middle);
        shape->bound = cn_shape_rows[shape->kind].reach(shape);
    }
    shape->bound *= CN_BOUND_MARGIN;
    shape->depth = shape->kind == CN_SHAPE_RING ? HUGE_VAL : cn_shape_smallest_extent(shape);
}

cn_status cn_shape_build(const cn_shape_def *def, int32_t dim, cn_arena *memory, cn_shape *out,
                         cn_error *error) {
    *out = (cn_shape){0};
    if ((unsigned)def->kind >= CN_SHAPE_KINDS) {
        return cn_fail(error, CN_ERR_ARGUMENT, "%d is no kind of shape", (int)def->kind);
    }
    const cn_shape_row *row = &cn_shape_rows[def->kind];
    if (row->dim != 0 && row->dim != dim) {
        cn_fail(error, CN_ERR_INPUT, "%s: a shape of %dD, but the scene is in %dD", row->text,
                row->dim, dim);
        cn_fail_hint(error, "use %s", row->other);
        return CN_ERR_INPUT;
    }
    out->kind = def->kind;
    cn_status status = cn_shape_frame(def, dim, out, error);
    if (status == CN_OK) {
        status = row->build(def, dim, memory, out, error);
    }
    if (status != CN_OK) {
        return status;
    }
    cn_shape_bound(out);
    cn_mass mass;
    cn_shape_mass(out, dim, &mass);
    bool massive = row->principal || out->hull.vertex_count;
    if (massive && !(mass.mass > 0.0 && cn_all_finite(&mass.mass, 1) && mass.inertia[8] > 0.0 &&
                     cn_all_finite(mass.inertia, 9))) {
        return cn_fail(error, CN_ERR_INPUT, "%s: too small or too large for its volume (%g)",
                       row->text, mass.mass);
    }
    return CN_OK;
}

void cn_shape_shift(cn_shape *shape, const double by[3]) {
    cn_hull *hull = &shape->hull;
    for (int32_t i = 0; i < hull->vertex_count; i++) {
        cn_sub3(hull->vertex + 3 * (int64_t)i, by, hull->vertex + 3 * (int64_t)i);
    }
    for (int32_t f = 0; f < hull->face_count; f++) {
        hull->offset[f] -= cn_dot3(hull->normal + 3 * (int64_t)f, by);
    }
    if (hull->vertex_count) {
        cn_sub3(hull->center, by, hull->center);
    } else {
        cn_sub3(shape->position, by, shape->position);
    }
    shape->offset -= cn_dot3(shape->normal, by);
    cn_sub3(shape->middle, by, shape->middle);
}

void cn_shape_support(const cn_shape *shape, const double direction[3], double point[3]) {
    const cn_hull *hull = &shape->hull;
    if (hull->vertex_count) {
        int32_t best = 0;
        double most = cn_dot3(direction, hull->vertex);
        for (int32_t i = 1; i < hull->vertex_count; i++) {
            double along = cn_dot3(direction, hull->vertex + 3 * (int64_t)i);
            if (along > most) {
                most = along;
                best = i;
            }
        }
        memcpy(point, hull->vertex + 3 * (int64_t)best, 3 * sizeof *point);
        return;
    }
    double own[3], farthest[3];
    cn_mat3_apply_transposed(shape->R, direction, own);
    cn_shape_rows[shape->kind].support(shape, own, farthest);
    cn_mat3_apply(shape->R, farthest, farthest);
    cn_add_scaled3(shape->position, 1.0, farthest, point);
}

double cn_shape_smallest_extent(const cn_shape *shape) {
    if (cn_shape_rows[shape->kind].extent) {
        return cn_shape_rows[shape->kind].extent(shape);
    }
    // Half the least width across a face; between two edges a polyhedron may be a little narrower.
    const cn_hull *hull = &shape->hull;
    double least = INFINITY;
    for (int32_t f = 0; f < hull->face_count; f++) {
        const double *normal = hull->normal + 3 * (int64_t)f;
        const double inwards[3] = {-normal[0], -normal[1], -normal[2]};
        double opposite[3];
        cn_shape_support(shape, inwards, opposite);
        least = fmin(least, hull->offset[f] - cn_dot3(normal, opposite));
    }
    return 0.5 * least;
}

static bool cn_same_bytes(const void *a, const void *b, int64_t count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static bool cn_hull_same(const cn_hull *a, const cn_hull *b) {
    if (a->vertex_count != b->vertex_count || a->face_count != b->face_count ||
        a->edge_count != b->edge_count || !a->face != !b->face) {
        return false;
    }
    int64_t faces = a->face_count, loops = a->face ? a->face[faces] : 0;
    return cn_same_bytes(a->vertex, b->vertex, 3 * (int64_t)a->vertex_count, sizeof(double)) &&
           cn_same_bytes(a->normal, b->normal, 3 * faces, sizeof(double)) &&
           cn_same_bytes(a->offset, b->offset, faces, sizeof(double)) &&
           cn_same_bytes(a->face, b->face, a->face ? faces + 1 : 0, sizeof(int32_t)) &&
           (!b->face || b->face[faces] == loops) &&
           cn_same_bytes(a->loop, b->loop, loops, sizeof(int32_t)) &&
           cn_same_bytes(a->edge, b->edge, 4 * (int64_t)a->edge_count, sizeof(int32_t)) &&
           cn_same_bytes(a->center, b->center, 3, sizeof(double));
}

bool cn_shape_same(const cn_shape *a, const cn_shape *b) {
    return a->kind == b->kind && cn_same_bytes(a->position, b->position, 3, sizeof(double)) &&
           cn_same_bytes(a->R, b->R, 9, sizeof(double)) &&
           cn_same_bytes(&a->radius, &b->radius, 1, sizeof(double)) &&
           cn_same_bytes(&a->half, &b->half, 1, sizeof(double)) &&
           cn_same_bytes(a->axes, b->axes, 3, sizeof(double)) &&
           cn_same_bytes(a->normal, b->normal, 3, sizeof(double)) &&
           cn_same_bytes(&a->offset, &b->offset, 1, sizeof(double)) &&
           cn_same_bytes(&a->bound, &b->bound, 1, sizeof(double)) &&
           cn_same_bytes(a->middle, b->middle, 3, sizeof(double)) &&
           cn_hull_same(&a->hull, &b->hull);
}
