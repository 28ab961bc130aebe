// geom/hull_2d.c
// Convex polygons from their vertices in order, either way round.
//
// The convex hull of the vertices is found by Andrew's monotone chain (1979); the polygon is convex
// when no vertex lies inside the hull and the areas agree, both to the detail of geom/hull.h. That
// refuses dents, stars and crossed edges alike. Vertices on the line of their neighbours are
// dropped.
#include "geom/hull.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <string.h>

// Round-off of a vertex on the line of its neighbours, relative to the polygon's size.
#define COLLINEAR 1e-14

// Twice the area of a triangle in the plane, positive when it turns left.
static double turn_left(const double *a, const double *b, const double *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Whether b is left of the way from a to c, or so near to it that it is no corner.
static bool is_no_corner(const double *a, const double *b, const double *c, double size) {
    double way[3];
    math_sub3(c, a, way);
    return !(turn_left(a, b, c) > COLLINEAR * size * math_norm3(way));
}

// One half of the hull: the corners met when going along the sorted points and keeping right.
static int32_t half_hull(const double *point, const int32_t *sorted, int32_t count, int32_t step,
                         double size, int32_t *chain) {
    int32_t length = 0;
    for (int32_t i = step > 0 ? 0 : count - 1; i >= 0 && i < count; i += step) {
        const double *x = point + 3 * (int64_t)sorted[i];
        while (length >= 2 && is_no_corner(point + 3 * (int64_t)chain[length - 2],
                                           point + 3 * (int64_t)chain[length - 1], x, size)) {
            length--;
        }
        chain[length++] = sorted[i];
    }
    return length - 1; // the last one begins the other half
}

// The hull's corners, counter-clockwise from the one with the smallest index.
static void polygon_fill(const double *point, const int32_t *corner, geom_hull *hull) {
    int32_t count = hull->vertex_count, first = 0;
    for (int32_t i = 1; i < count; i++) {
        first = corner[i] < corner[first] ? i : first;
    }
    for (int32_t i = 0; i < count; i++) {
        memcpy(hull->vertex + 3 * (int64_t)i, point + 3 * (int64_t)corner[(first + i) % count],
               3 * sizeof *point);
    }
    for (int32_t f = 0; f < count; f++) {
        const double *a = hull->vertex + 3 * (int64_t)f;
        const double *b = hull->vertex + 3 * (int64_t)((f + 1) % count);
        double along[3], *normal = hull->normal + 3 * (int64_t)f;
        math_sub3(b, a, along);
        double length = math_norm3(along);
        normal[0] = along[1] / length;
        normal[1] = -along[0] / length;
        normal[2] = 0.0;
        hull->offset[f] = fmax(math_dot3(normal, a), math_dot3(normal, b));
    }
    geom_hull_center(hull);
}

static cn_status polygon_check(const double *point, int32_t count, const geom_hull *hull,
                               double size, cn_error *error) {
    double area = 0.0, perimeter = 0.0, allowed = GEOM_HULL_DETAIL * size;
    for (int32_t i = 1; i + 1 < count; i++) {
        area += 0.5 * turn_left(point, point + 3 * (int64_t)i, point + 3 * (int64_t)(i + 1));
    }
    cn_status status = CN_OK;
    for (int32_t i = 0; i < count && status == CN_OK; i++) {
        double depth = INFINITY;
        for (int32_t f = 0; f < hull->face_count; f++) {
            depth = fmin(depth, hull->offset[f] - math_dot3(hull->normal + 3 * (int64_t)f,
                                                            point + 3 * (int64_t)i));
        }
        if (!(depth <= allowed)) {
            status = base_fail(error, CN_ERR_INPUT,
                               "it is not convex: vertex %d lies %g inside the hull of the others",
                               i, depth);
        }
    }
    for (int32_t f = 0; f < hull->face_count; f++) {
        double along[3];
        math_sub3(hull->vertex + 3 * (int64_t)((f + 1) % hull->vertex_count),
                  hull->vertex + 3 * (int64_t)f, along);
        perimeter += math_norm3(along);
    }
    geom_moments whole;
    geom_hull_moments(hull, 2, hull->center, &whole);
    if (status == CN_OK && !(fabs(fabs(area) - whole.volume) <= allowed * perimeter)) {
        status = base_fail(error, CN_ERR_INPUT,
                           "its edges cross or its vertices are not in order: they hold an area of "
                           "%g, their convex hull %g",
                           fabs(area), whole.volume);
    }
    if (status != CN_OK) {
        base_fail_hint(error,
                       "list the vertices of a convex polygon in order; give convex parts as "
                       "several shapes of one body");
    }
    return status;
}

cn_status geom_hull_polygon(const double *point, int32_t count, cn_arena *scratch, cn_arena *memory,
                            geom_hull *out, cn_error *error) {
    CN_TRY(geom_vertices_check_count(count, error));
    double size = geom_points_size(point, count);
    if (geom_points_rank(point, count, size) < 2) {
        return base_fail(error, CN_ERR_INPUT, "its vertices lie on a line, so it has no area");
    }
    int32_t *sorted = BASE_TAKE(scratch, int32_t, count);
    int32_t *corner = BASE_TAKE(scratch, int32_t, 2 * (int64_t)count);
    if (!sorted || !corner) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < count; i++) {
        sorted[i] = i;
    }
    int32_t kept = count;
    CN_TRY(geom_points_weld(point, GEOM_HULL_DETAIL * size, sorted, &kept, scratch, error));
    int32_t corners = half_hull(point, sorted, kept, 1, size, corner);
    corners += half_hull(point, sorted, kept, -1, size, corner + corners);
    *out = (geom_hull){.vertex_count = corners, .face_count = corners};
    CN_TRY(geom_hull_take(memory, out, error));
    polygon_fill(point, corner, out);
    return polygon_check(point, count, out, size, error);
}
