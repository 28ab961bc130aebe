// geom/hull_faces.c
// Faces that somebody gave for a polyhedron: are they its hull?
//
// They must close (every edge has two faces, which run along it in opposite directions), point
// outwards, be flat, and enclose the volume of the convex hull of the vertices with no vertex
// inside it, all to the detail of geom/hull.h. Comparing with the hull forgives the noise of small
// triangles, whose own normals say little about convexity far away. The hull itself is then the
// shape: a dent is refused, never filled.
#include "geom/hull.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <stdlib.h>

typedef struct face_check {
    const double *point;
    int32_t point_count, face_count;
    int32_t *face, *loop;
    int32_t *number; // of the face as it was given
    double detail;
} face_check;

static cn_status faces_refuse(cn_error *error, const char *hint) {
    base_fail_hint(error, "%s", hint);
    return CN_ERR_INPUT;
}

// Indices of points that coincide become that of the first. Exact copies only: files repeat a
// vertex for each face that has it.
typedef struct copy_key {
    const double *x;
    int32_t index;
} copy_key;

static int copy_compare_points(const copy_key *p, const copy_key *q) {
    for (int32_t k = 0; k < 3; k++) {
        if (p->x[k] != q->x[k]) {
            return p->x[k] < q->x[k] ? -1 : 1;
        }
    }
    return 0;
}

static int copy_compare(const void *a, const void *b) {
    const copy_key *p = a, *q = b;
    int order = copy_compare_points(p, q);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

static cn_status faces_originals(const double *point, int32_t count, cn_arena *scratch,
                                 int32_t **out, cn_error *error) {
    copy_key *key = BASE_TAKE(scratch, copy_key, count);
    int32_t *original = BASE_TAKE(scratch, int32_t, count);
    if (!key || !original) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < count; i++) {
        key[i] = (copy_key){.x = point + 3 * (int64_t)i, .index = i};
    }
    qsort(key, (size_t)count, sizeof *key, copy_compare);
    for (int32_t i = 0; i < count; i++) {
        bool copy = i > 0 && copy_compare_points(&key[i - 1], &key[i]) == 0;
        original[key[i].index] = copy ? original[key[i - 1].index] : key[i].index;
    }
    *out = original;
    return CN_OK;
}

// Copies the loops with copies of points resolved; a face left with fewer than three corners is
// gone.
static cn_status faces_read(const cn_shape_def *def, const int32_t *original, cn_arena *scratch,
                            face_check *c, cn_error *error) {
    int64_t total = 0;
    for (int32_t f = 0; f < def->face_count; f++) {
        if (def->face_size[f] < 3) {
            return base_fail(error, CN_ERR_INPUT, "face %d has %d vertices; it needs 3", f,
                             def->face_size[f]);
        }
        total += def->face_size[f];
    }
    c->face = BASE_TAKE(scratch, int32_t, (int64_t)def->face_count + 1);
    c->number = BASE_TAKE(scratch, int32_t, def->face_count);
    c->loop = BASE_TAKE(scratch, int32_t, total);
    bool *used = BASE_TAKE_ZERO(scratch, bool, def->vertex_count);
    if (!c->face || !c->number || !c->loop || !used) {
        return base_fail_memory(error);
    }
    if (total > INT32_MAX) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "too many faces");
    }
    int32_t length = 0;
    const int32_t *given = def->faces;
    for (int32_t f = 0; f < def->face_count; given += def->face_size[f++]) {
        int32_t first = length;
        for (int32_t i = 0; i < def->face_size[f]; i++) {
            if (given[i] < 0 || given[i] >= def->vertex_count) {
                return base_fail(error, CN_ERR_INPUT,
                                 "face %d names vertex %d, but the vertices are 0 to %d", f,
                                 given[i], def->vertex_count - 1);
            }
            used[given[i]] = true;
            int32_t index = original[given[i]];
            if (length == first || index != c->loop[length - 1]) {
                c->loop[length++] = index;
            }
        }
        length -= length > first + 1 && c->loop[length - 1] == c->loop[first];
        if (length - first < 3) {
            length = first;
            continue;
        }
        c->number[c->face_count] = f;
        c->face[c->face_count++] = first;
    }
    c->face[c->face_count] = length;
    for (int32_t i = 0; i < def->vertex_count; i++) {
        if (!used[i]) {
            base_fail(error, CN_ERR_INPUT, "vertex %d is in no face", i);
            return faces_refuse(error, "remove it, or leave out the faces for a convex hull");
        }
    }
    return CN_OK;
}

static cn_status faces_check_closed(const face_check *c, cn_arena *scratch, cn_error *error) {
    int32_t count = c->face[c->face_count];
    geom_half_edge *edge = BASE_TAKE(scratch, geom_half_edge, count);
    if (!edge) {
        return base_fail_memory(error);
    }
    for (int32_t f = 0; f < c->face_count; f++) {
        int32_t at = c->face[f], length = c->face[f + 1] - at;
        for (int32_t i = 0; i < length; i++) {
            edge[at + i] = geom_half_edge_make(c->loop[at + i], c->loop[at + (i + 1) % length], f);
        }
    }
    geom_half_edges_sort(edge, count);
    for (int32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && edge[end].low == edge[i].low && edge[end].high == edge[i].high;
             end++) {
        }
        if (end - i == 1) {
            return base_fail(
                error, CN_ERR_INPUT,
                "the surface is open: the edge of vertices %d and %d has one face only",
                edge[i].low, edge[i].high);
        }
        if (end - i > 2) {
            return base_fail(error, CN_ERR_INPUT, "the edge of vertices %d and %d has %d faces",
                             edge[i].low, edge[i].high, end - i);
        }
        if (edge[i].forward == edge[i + 1].forward) {
            base_fail(
                error, CN_ERR_INPUT,
                "faces %d and %d run along the edge of vertices %d and %d in the same direction",
                c->number[edge[i].slot], c->number[edge[i + 1].slot], edge[i].low, edge[i].high);
            return faces_refuse(error, "list vertices counter-clockwise as seen from outside");
        }
    }
    return CN_OK;
}

static cn_status faces_check_flat(const face_check *c, cn_error *error) {
    for (int32_t f = 0; f < c->face_count; f++) {
        int32_t at = c->face[f], length = c->face[f + 1] - at;
        double normal[3], apart[3], min = 0.0, max = 0.0;
        geom_loop_area(c->point, c->loop + at, length, normal);
        for (int32_t i = 1; i < length; i++) {
            math_sub3(c->point + 3 * (int64_t)c->loop[at + i], c->point + 3 * (int64_t)c->loop[at],
                      apart);
            min = fmin(min, math_dot3(apart, normal));
            max = fmax(max, math_dot3(apart, normal));
        }
        // Corners may be off on either side of the plane; a face without area is an edge.
        double area = math_norm3(normal);
        if (area > 0.0 && !(max - min <= 2.0 * c->detail * area)) {
            base_fail(error, CN_ERR_INPUT,
                      "face %d is not flat: its vertices are %g apart across it", c->number[f],
                      (max - min) / area);
            return faces_refuse(error, "split it into triangles");
        }
    }
    return CN_OK;
}

static double faces_volume(const face_check *c, const double about[3]) {
    geom_moments sum = {0};
    for (int32_t f = 0; f < c->face_count; f++) {
        double corner[3][3];
        math_sub3(c->point + 3 * (int64_t)c->loop[c->face[f]], about, corner[0]);
        for (int32_t i = c->face[f] + 1; i + 1 < c->face[f + 1]; i++) {
            math_sub3(c->point + 3 * (int64_t)c->loop[i], about, corner[1]);
            math_sub3(c->point + 3 * (int64_t)c->loop[i + 1], about, corner[2]);
            geom_moments_add_tetrahedron(&sum, corner[0], corner[1], corner[2]);
        }
    }
    return sum.volume;
}

static cn_status faces_check_convex(const face_check *c, const geom_hull *hull, cn_error *error) {
    const char *parts = "give convex parts as several shapes of one body";
    double volume = faces_volume(c, hull->center);
    if (!(volume > 0.0)) {
        base_fail(error, CN_ERR_INPUT, "its faces point inwards (volume %g)", volume);
        return faces_refuse(error, "list vertices counter-clockwise as seen from outside");
    }
    double allowed = GEOM_HULL_SPREAD * c->detail;
    for (int32_t i = 0; i < c->point_count; i++) {
        double depth = INFINITY;
        for (int32_t f = 0; f < hull->face_count; f++) {
            depth = fmin(depth, hull->offset[f] - math_dot3(hull->normal + 3 * (int64_t)f,
                                                            c->point + 3 * (int64_t)i));
        }
        if (!(depth <= allowed)) {
            base_fail(error, CN_ERR_INPUT,
                      "it is not convex: vertex %d lies %g inside the hull of the others", i,
                      depth);
            return faces_refuse(error, parts);
        }
    }
    geom_moments whole;
    geom_hull_moments(hull, 3, hull->center, &whole);
    double surface = 0.0;
    for (int32_t f = 0; f < hull->face_count; f++) {
        double area[3];
        geom_loop_area(hull->vertex, hull->loop + hull->face[f], hull->face[f + 1] - hull->face[f],
                       area);
        surface += 0.5 * math_norm3(area);
    }
    if (!(fabs(whole.volume - volume) <= allowed * surface)) {
        base_fail(error, CN_ERR_INPUT,
                  "it is not convex: its faces hold a volume of %g, their convex hull %g", volume,
                  whole.volume);
        return faces_refuse(error, parts);
    }
    return CN_OK;
}

cn_status geom_hull_check_faces(const cn_shape_def *def, const double *point, const geom_hull *hull,
                                cn_arena *scratch, cn_error *error) {
    face_check c = {.point = point,
                    .point_count = def->vertex_count,
                    .detail = GEOM_HULL_DETAIL * geom_points_size(point, def->vertex_count)};
    int32_t *original = NULL;
    CN_TRY(faces_originals(point, def->vertex_count, scratch, &original, error));
    CN_TRY(faces_read(def, original, scratch, &c, error));

    CN_TRY(faces_check_closed(&c, scratch, error));

    CN_TRY(faces_check_flat(&c, error));

    return faces_check_convex(&c, hull, error);
}
