// geom/hull_3d.c
// From the triangles of a convex hull to its true faces, edges and vertices.
//
// Faces grow from the largest triangles over neighbours that lie in their plane to the detail of
// the shape (geom/hull.h), so that a face is a polygon however it was cut; a vertex where fewer
// than three faces meet is in the middle of a face or of an edge and is dropped. The result is
// taken only when it is a polyhedron by Euler's formula and convex; else faces must be flatter.
//
// Bad for shapes with features below the detail, which are lost; scale does not matter.
#include "geom/hull.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// Flatness is tried at the detail, then 16 times finer, and so on.
#define FLATNESS_TRIES 5
#define FLATNESS_FINER (1.0 / 16.0)

typedef struct patchwork {
    const double *point;
    int32_t point_count, count; // of triangles
    const int32_t *corner;
    int32_t *twin;   // the half edge on the other side; half edge 3 t + k starts at corner k of t
    int32_t *order;  // triangles, the largest first
    double *normal;  // of each triangle
    double *width;   // its least height; a sliver's normal says nothing
    int32_t *region; // the face that each triangle is part of
    int32_t *stack;
    int32_t *degree; // of each point: faces that meet there
    bool *visited;   // half edges
    int32_t face_count;
    int32_t *face, *loop; // as in geom_hull, with the points' own numbers
} patchwork;

geom_half_edge geom_half_edge_make(int32_t from, int32_t to, int32_t slot) {
    bool forward = from < to;
    return (geom_half_edge){
        .low = forward ? from : to, .high = forward ? to : from, .slot = slot, .forward = forward};
}

static int half_edge_compare(const void *a, const void *b) {
    const geom_half_edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return (p->slot > q->slot) - (p->slot < q->slot);
}

void geom_half_edges_sort(geom_half_edge *edge, int64_t count) {
    qsort(edge, (size_t)count, sizeof *edge, half_edge_compare);
}

cn_status geom_hull_take(cn_arena *memory, geom_hull *hull, cn_error *error) {
    // One piece: shapes are many and most of them small.
    int64_t vertices = hull->vertex_count, faces = hull->face_count;
    hull->vertex = BASE_TAKE(memory, double, 3 * vertices + 4 * faces);
    if (!hull->vertex) {
        return base_fail_memory(error);
    }
    hull->normal = hull->vertex + 3 * vertices;
    hull->offset = hull->normal + 3 * faces;
    return CN_OK;
}

void geom_hull_center(geom_hull *hull) {
    memset(hull->center, 0, sizeof hull->center);
    for (int32_t i = 0; i < hull->vertex_count; i++) {
        math_add_scaled3(hull->center, 1.0, hull->vertex + 3 * (int64_t)i, hull->center);
    }
    for (int32_t k = 0; k < 3; k++) {
        hull->center[k] /= hull->vertex_count;
    }
}

void geom_loop_area(const double *point, const int32_t *loop, int32_t count, double area[3]) {
    const double *origin = point + 3 * (int64_t)loop[0];
    memset(area, 0, 3 * sizeof *area);
    for (int32_t i = 1; i + 1 < count; i++) {
        double a[3], b[3], c[3];
        math_sub3(point + 3 * (int64_t)loop[i], origin, a);
        math_sub3(point + 3 * (int64_t)loop[i + 1], origin, b);
        math_cross3(a, b, c);
        math_add_scaled3(area, 1.0, c, area);
    }
}

static int32_t next_half_edge(int32_t half_edge) {
    return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

static cn_status patchwork_twins(patchwork *p, cn_arena *scratch, cn_error *error) {
    int32_t count = 3 * p->count;
    geom_half_edge *edge = BASE_TAKE(scratch, geom_half_edge, count);
    p->twin = BASE_TAKE(scratch, int32_t, count);
    if (!edge || !p->twin) {
        return base_fail_memory(error);
    }
    for (int32_t h = 0; h < count; h++) {
        edge[h] = geom_half_edge_make(p->corner[h], p->corner[next_half_edge(h)], h);
    }
    geom_half_edges_sort(edge, count);
    for (int32_t i = 0; i < count; i += 2) {
        const geom_half_edge *a = &edge[i], *b = &edge[i + 1];
        if (i + 1 >= count || a->low != b->low || a->high != b->high || a->forward == b->forward) {
            return base_fail(error, CN_ERR_NUMERIC,
                             "the hull of the points is not a closed surface");
        }
        p->twin[a->slot] = b->slot;
        p->twin[b->slot] = a->slot;
    }
    return CN_OK;
}

typedef struct area_key {
    double area;
    int32_t index;
} area_key;

static int area_compare(const void *a, const void *b) {
    const area_key *p = a, *q = b;
    if (p->area != q->area) {
        return p->area > q->area ? -1 : 1;
    }
    return p->index < q->index ? -1 : 1;
}

static cn_status patchwork_prepare(patchwork *p, cn_arena *scratch, cn_error *error) {
    area_key *key = BASE_TAKE(scratch, area_key, p->count);
    p->order = BASE_TAKE(scratch, int32_t, p->count);
    p->normal = BASE_TAKE(scratch, double, 3 * (int64_t)p->count);
    p->width = BASE_TAKE(scratch, double, p->count);
    p->region = BASE_TAKE(scratch, int32_t, p->count);
    p->stack = BASE_TAKE(scratch, int32_t, p->count);
    p->degree = BASE_TAKE(scratch, int32_t, p->point_count);
    p->visited = BASE_TAKE(scratch, bool, 3 * (int64_t)p->count);
    p->face = BASE_TAKE(scratch, int32_t, (int64_t)p->count + 1);
    p->loop = BASE_TAKE(scratch, int32_t, 3 * (int64_t)p->count);
    if (!key || !p->order || !p->normal || !p->width || !p->region || !p->stack || !p->degree ||
        !p->visited || !p->face || !p->loop) {
        return base_fail_memory(error);
    }
    for (int32_t t = 0; t < p->count; t++) {
        double *normal = p->normal + 3 * (int64_t)t;
        geom_loop_area(p->point, p->corner + 3 * (int64_t)t, 3, normal);
        double area = math_norm3(normal), longest = 0.0;
        for (int32_t k = 0; k < 3; k++) {
            double side[3];
            math_sub3(p->point + 3 * (int64_t)p->corner[next_half_edge(3 * t + k)],
                      p->point + 3 * (int64_t)p->corner[3 * t + k], side);
            longest = fmax(longest, math_norm3(side));
        }
        p->width[t] = area / longest;
        key[t] = (area_key){.area = area, .index = t};
        for (int32_t k = 0; k < 3; k++) {
            normal[k] = area > 0.0 ? normal[k] / area : 0.0;
        }
    }
    qsort(key, (size_t)p->count, sizeof *key, area_compare);
    for (int32_t t = 0; t < p->count; t++) {
        p->order[t] = key[t].index;
    }
    return patchwork_twins(p, scratch, error);
}

// Whether triangle t lies in the plane of the seed, on the same side.
static bool patchwork_joins(const patchwork *p, int32_t seed, int32_t t, double flatness) {
    const double *normal = p->normal + 3 * (int64_t)seed;
    const double *origin = p->point + 3 * (int64_t)p->corner[3 * seed];
    for (int32_t k = 0; k < 3; k++) {
        double apart[3];
        math_sub3(p->point + 3 * (int64_t)p->corner[3 * t + k], origin, apart);
        if (!(fabs(math_dot3(apart, normal)) <= flatness)) {
            return false;
        }
    }
    return p->width[t] <= flatness || math_dot3(normal, p->normal + 3 * (int64_t)t) > 0.0;
}

static void patchwork_grow(patchwork *p, double flatness) {
    for (int32_t t = 0; t < p->count; t++) {
        p->region[t] = -1;
    }
    for (int32_t i = 0; i < p->count; i++) {
        int32_t seed = p->order[i], depth = 0;
        if (p->region[seed] >= 0) {
            continue;
        }
        p->region[seed] = seed;
        p->stack[depth++] = seed;
        while (depth > 0) {
            int32_t t = p->stack[--depth];
            for (int32_t k = 0; k < 3; k++) {
                int32_t other = p->twin[3 * t + k] / 3;
                if (p->region[other] < 0 && patchwork_joins(p, seed, other, flatness)) {
                    p->region[other] = seed;
                    p->stack[depth++] = other;
                }
            }
        }
    }
}

static bool patchwork_is_rim(const patchwork *p, int32_t half_edge) {
    return p->region[half_edge / 3] != p->region[p->twin[half_edge] / 3];
}

// Walks round every face. false: a face has a hole or fewer than three corners, or the faces are
// not those of a polyhedron.
static bool patchwork_trace(patchwork *p) {
    int32_t half_edges = 3 * p->count, vertices = 0, length = 0;
    memset(p->degree, 0, (size_t)p->point_count * sizeof *p->degree);
    for (int32_t h = 0; h < half_edges; h++) {
        p->visited[h] = false;
        if (patchwork_is_rim(p, h) && ++p->degree[p->corner[h]] == 3) {
            vertices++;
        }
    }
    p->face_count = 0;
    for (int32_t start = 0; start < half_edges; start++) {
        if (p->visited[start] || !patchwork_is_rim(p, start)) {
            continue;
        }
        p->face[p->face_count++] = length;
        int32_t h = start;
        do {
            p->visited[h] = true;
            if (p->degree[p->corner[h]] >= 3) {
                p->loop[length++] = p->corner[h];
            }
            h = next_half_edge(h);
            while (!patchwork_is_rim(p, h)) {
                h = next_half_edge(p->twin[h]);
            }
        } while (h != start);
        if (length - p->face[p->face_count - 1] < 3) {
            return false;
        }
    }
    p->face[p->face_count] = length;
    return vertices - length / 2 + p->face_count == 2;
}

// Sorts faces by their first two corners, of which the first is the smallest: a directed edge
// belongs to one face only.
typedef struct face_key {
    int32_t first, second, at, length;
} face_key;

static int face_compare(const void *a, const void *b) {
    const face_key *p = a, *q = b;
    if (p->first != q->first) {
        return p->first < q->first ? -1 : 1;
    }
    return (p->second > q->second) - (p->second < q->second);
}

static cn_status patchwork_number(const patchwork *p, cn_arena *scratch, cn_arena *memory,
                                  geom_hull *hull, cn_error *error) {
    int32_t *face = BASE_TAKE(memory, int32_t, (int64_t)p->face_count + 1);
    int32_t *loop = BASE_TAKE(memory, int32_t, p->face[p->face_count]);
    int32_t *number = BASE_TAKE(scratch, int32_t, p->point_count);
    face_key *key = BASE_TAKE(scratch, face_key, p->face_count);
    if (!face || !loop || !number || !key) {
        return base_fail_memory(error);
    }
    int32_t vertices = 0;
    for (int32_t i = 0; i < p->point_count; i++) {
        if (p->degree[i] >= 3) {
            memcpy(hull->vertex + 3 * (int64_t)vertices, p->point + 3 * (int64_t)i,
                   3 * sizeof *hull->vertex);
            number[i] = vertices++;
        }
    }
    for (int32_t f = 0; f < p->face_count; f++) {
        int32_t at = p->face[f], length = p->face[f + 1] - at, min = 0;
        for (int32_t i = 1; i < length; i++) {
            min = p->loop[at + i] < p->loop[at + min] ? i : min;
        }
        // Turned so that the smallest comes first.
        for (int32_t i = 0; i < length; i++) {
            p->stack[i] = p->loop[at + (min + i) % length];
        }
        memcpy(p->loop + at, p->stack, (size_t)length * sizeof *p->loop);
        key[f] =
            (face_key){.first = p->loop[at], .second = p->loop[at + 1], .at = at, .length = length};
    }
    qsort(key, (size_t)p->face_count, sizeof *key, face_compare);
    face[0] = 0;
    for (int32_t f = 0; f < p->face_count; f++) {
        face[f + 1] = face[f] + key[f].length;
        for (int32_t i = 0; i < key[f].length; i++) {
            loop[face[f] + i] = number[p->loop[key[f].at + i]];
        }
    }
    hull->face = face;
    hull->loop = loop;
    return CN_OK;
}

static cn_status hull_edges(geom_hull *hull, cn_arena *scratch, cn_arena *memory, cn_error *error) {
    int32_t count = 2 * hull->edge_count;
    geom_half_edge *edge = BASE_TAKE(scratch, geom_half_edge, count);
    int32_t *sorted = BASE_TAKE(memory, int32_t, 4 * (int64_t)hull->edge_count);
    if (!edge || !sorted) {
        return base_fail_memory(error);
    }
    for (int32_t f = 0; f < hull->face_count; f++) {
        int32_t at = hull->face[f], length = hull->face[f + 1] - at;
        for (int32_t i = 0; i < length; i++) {
            edge[at + i] =
                geom_half_edge_make(hull->loop[at + i], hull->loop[at + (i + 1) % length], f);
        }
    }
    geom_half_edges_sort(edge, count);
    for (int32_t i = 0; i < hull->edge_count; i++) {
        const geom_half_edge *a = &edge[2 * i], *b = &edge[2 * i + 1];
        int32_t *out = sorted + 4 * (int64_t)i;
        out[0] = a->low;
        out[1] = a->high;
        out[2] = a->forward ? a->slot : b->slot;
        out[3] = a->forward ? b->slot : a->slot;
    }
    hull->edge = sorted;
    return CN_OK;
}

// Whether the corners of a face turn left everywhere, as seen from outside.
static bool loop_is_convex(const geom_hull *hull, int32_t f) {
    int32_t at = hull->face[f], length = hull->face[f + 1] - at;
    for (int32_t i = 0; i < length; i++) {
        const double *a = hull->vertex + 3 * (int64_t)hull->loop[at + i];
        const double *b = hull->vertex + 3 * (int64_t)hull->loop[at + (i + 1) % length];
        const double *c = hull->vertex + 3 * (int64_t)hull->loop[at + (i + 2) % length];
        double ab[3], bc[3], turn[3];
        math_sub3(b, a, ab);
        math_sub3(c, b, bc);
        math_cross3(ab, bc, turn);
        if (!(math_dot3(turn, hull->normal + 3 * (int64_t)f) > 0.0)) {
            return false;
        }
    }
    return true;
}

// Normals and offsets; false when a face is not convex or a vertex sticks out of one by more than
// it may.
static bool hull_planes(geom_hull *hull, double allowed) {
    for (int32_t f = 0; f < hull->face_count; f++) {
        int32_t at = hull->face[f], length = hull->face[f + 1] - at;
        double *normal = hull->normal + 3 * (int64_t)f, own = INFINITY;
        geom_loop_area(hull->vertex, hull->loop + at, length, normal);
        double area = math_norm3(normal);
        for (int32_t k = 0; k < 3; k++) {
            normal[k] /= area;
        }
        for (int32_t i = 0; i < length; i++) {
            own = fmin(own, math_dot3(normal, hull->vertex + 3 * (int64_t)hull->loop[at + i]));
        }
        // The offset is that of the outermost vertex: all of the shape is behind every face.
        hull->offset[f] = -INFINITY;
        for (int32_t i = 0; i < hull->vertex_count; i++) {
            hull->offset[f] =
                fmax(hull->offset[f], math_dot3(normal, hull->vertex + 3 * (int64_t)i));
        }
        if (!(hull->offset[f] - own <= allowed) || !loop_is_convex(hull, f)) {
            return false;
        }
    }
    return true;
}

cn_status geom_hull_from_triangles(const double *point, int32_t count, double size,
                                   const geom_triangles *triangles, cn_arena *scratch,
                                   cn_arena *memory, geom_hull *out, cn_error *error) {
    patchwork p = {.point = point,
                   .point_count = count,
                   .count = triangles->count,
                   .corner = triangles->corner};
    CN_TRY(patchwork_prepare(&p, scratch, error));
    double flatness = GEOM_HULL_DETAIL * size;
    for (int32_t i = 0; i < FLATNESS_TRIES; i++) {
        patchwork_grow(&p, flatness);
        flatness *= FLATNESS_FINER;
        if (!patchwork_trace(&p)) {
            continue;
        }
        int32_t length = p.face[p.face_count];
        *out = (geom_hull){.vertex_count = 2 + length / 2 - p.face_count,
                           .face_count = p.face_count,
                           .edge_count = length / 2};
        CN_TRY(geom_hull_take(memory, out, error));
        CN_TRY(patchwork_number(&p, scratch, memory, out, error));
        if (hull_planes(out, GEOM_HULL_SPREAD * GEOM_HULL_DETAIL * size)) {
            geom_hull_center(out);
            return hull_edges(out, scratch, memory, error);
        }
    }
    base_fail(error, CN_ERR_NUMERIC, "the faces of the hull cannot be distinguished");
    base_fail_hint(error, "remove details below a millionth of the shape's size");
    return CN_ERR_NUMERIC;
}

cn_status geom_hull_from_points(const double *point, int32_t count, cn_arena *scratch,
                                cn_arena *memory, geom_hull *out, cn_error *error) {
    static const char *const flat[] = {"are all the same", "lie on a line", "lie in a plane"};
    double size = geom_points_size(point, count);
    int32_t rank = geom_points_rank(point, count, size);
    if (rank < 3) {
        return base_fail(error, CN_ERR_INPUT, "its vertices %s, so it has no volume", flat[rank]);
    }
    geom_triangles triangles;
    CN_TRY(geom_triangles_from_points(point, count, size, scratch, &triangles, error));
    return geom_hull_from_triangles(point, count, size, &triangles, scratch, memory, out, error);
}
