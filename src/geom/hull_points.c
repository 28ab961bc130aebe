// geom/hull_points.c
// The convex hull of points in space, by qhull's reentrant library (Barber, Dobkin and Huhdanpaa,
// "The quickhull algorithm for convex hulls", 1996), as triangles.
//
// qhull merges facets that round-off makes concave and cuts the result into triangles again (its
// option Qt); slivers among them are left for hull_3d.c, which puts flat neighbours together.
// Points nearer to each other than the detail of the shape are one point: their edges would have no
// direction worth the name. qhull catches its own errors inside qh_new_qhull; afterwards its lists
// are only read.
#include "geom/hull.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "math/vec3.h"

#include <libqhull_r/qhull_ra.h>

double cn_points_size(const double *point, int32_t count) {
    double square = 0.0;
    for (int32_t k = 0; k < 3; k++) {
        double low = count > 0 ? point[k] : 0.0, high = low;
        for (int32_t i = 0; i < count; i++) {
            low = fmin(low, point[3 * (int64_t)i + k]);
            high = fmax(high, point[3 * (int64_t)i + k]);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

// The part of x - origin that the first `rank` unit vectors of frame do not span.
static double cn_distance_beyond(const double *x, const double *origin, const double *frame,
                                 int32_t rank, double rest[3]) {
    cn_sub3(x, origin, rest);
    for (int32_t k = 0; k < rank; k++) {
        cn_add_scaled3(rest, -cn_dot3(rest, frame + 3 * k), frame + 3 * k, rest);
    }
    return cn_norm3(rest);
}

int32_t cn_points_rank(const double *point, int32_t count, double size) {
    double frame[9];
    for (int32_t rank = 0; rank < 3; rank++) {
        double most = 0.0, rest[3];
        for (int32_t i = 0; i < count; i++) {
            double distance = cn_distance_beyond(point + 3 * (int64_t)i, point, frame, rank, rest);
            if (distance > most) {
                most = distance;
                for (int32_t k = 0; k < 3; k++) {
                    frame[3 * rank + k] = rest[k] / distance;
                }
            }
        }
        if (!(most > CN_HULL_DETAIL * size)) {
            return rank;
        }
    }
    return 3;
}

static cn_status cn_qhull_failure(int code, cn_error *error) {
    if (code == qh_ERRmem) {
        return cn_fail_memory(error);
    }
    return cn_fail(error, CN_ERR_NUMERIC, "the convex hull of the points could not be found");
}

// The facets that a finished qhull has, as triangles.
static cn_status cn_qhull_triangles(qhT *qh, cn_arena *scratch, cn_triangles *out,
                                    cn_error *error) {
    out->count = 0;
    out->corner = CN_TAKE(scratch, int32_t, 3 * (int64_t)qh->num_facets);
    if (!out->corner) {
        return cn_fail_memory(error);
    }
    for (facetT *facet = qh->facet_list; facet && facet->next; facet = facet->next) {
        if (!facet->simplicial || qh_setsize(qh, facet->vertices) != 3) {
            return cn_fail(error, CN_ERR_NUMERIC, "the convex hull of the points is ill defined");
        }
        int32_t *corner = out->corner + 3 * (int64_t)out->count++;
        for (int32_t k = 0; k < 3; k++) {
            vertexT *vertex = SETelemt_(facet->vertices, k, vertexT);
            // qhull's orientation is a bit of its topology, right even where a normal is not.
            corner[facet->toporient ? 2 - k : k] = (int32_t)qh_pointid(qh, vertex->point);
        }
    }
    return CN_OK;
}

static cn_status cn_qhull_run(const double *point, int32_t count, cn_arena *scratch,
                              cn_triangles *out, cn_error *error) {
    // qhull wants to write to its points; they are a copy.
    double *copy = CN_TAKE(scratch, double, 3 * (int64_t)count);
    qhT *qh = CN_TAKE_ZERO(scratch, qhT, 1);
    FILE *sink = copy && qh ? cn_sink_open() : NULL;
    if (!sink) {
        return cn_fail_memory(error);
    }
    memcpy(copy, point, (size_t)count * 3 * sizeof *copy);
    char command[] = "qhull Qt";
    qh_zero(qh, sink);
    int code = qh_new_qhull(qh, 3, count, copy, False, command, sink, sink);
    cn_status status =
        code ? cn_qhull_failure(code, error) : cn_qhull_triangles(qh, scratch, out, error);
    int current, total;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &current, &total);
    cn_sink_close(sink);
    return status;
}

cn_status cn_vertices_check_count(int32_t count, cn_error *error) {
    if (count <= CN_HULL_VERTICES_MOST) {
        return CN_OK;
    }
    cn_fail(error, CN_ERR_UNSUPPORTED, "it has %d vertices, more than %d", count,
            CN_HULL_VERTICES_MOST);
    cn_fail_hint(error, "give a coarser shape");
    return CN_ERR_UNSUPPORTED;
}

typedef struct cn_weld_key {
    const double *x;
    int32_t index;
} cn_weld_key;

static int cn_weld_compare(const void *a, const void *b) {
    const cn_weld_key *p = a, *q = b;
    for (int32_t k = 0; k < 3; k++) {
        if (p->x[k] != q->x[k]) {
            return p->x[k] < q->x[k] ? -1 : 1;
        }
    }
    return (p->index > q->index) - (p->index < q->index);
}

cn_status cn_points_weld(const double *point, double detail, int32_t *index, int32_t *count,
                         cn_arena *scratch, cn_error *error) {
    cn_weld_key *key = CN_TAKE(scratch, cn_weld_key, *count);
    if (!key) {
        return cn_fail_memory(error);
    }
    for (int32_t i = 0; i < *count; i++) {
        key[i] = (cn_weld_key){.x = point + 3 * (int64_t)index[i], .index = index[i]};
    }
    qsort(key, (size_t)*count, sizeof *key, cn_weld_compare);
    // Only those kept that are near in x are compared.
    int32_t kept = 0, first = 0;
    for (int32_t i = 0; i < *count; i++) {
        while (first < kept && point[3 * (int64_t)index[first]] < key[i].x[0] - detail) {
            first++;
        }
        bool near = false;
        for (int32_t k = first; k < kept && !near; k++) {
            double apart[3];
            cn_sub3(key[i].x, point + 3 * (int64_t)index[k], apart);
            near = cn_norm3(apart) <= detail;
        }
        if (!near) {
            index[kept++] = key[i].index;
        }
    }
    *count = kept;
    return CN_OK;
}

static int cn_index_compare(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

// The indices of the points that the triangles use, welded, ascending. *all: none was dropped.
static cn_status cn_triangles_corners(const double *point, int32_t count, double detail,
                                      const cn_triangles *triangles, cn_arena *scratch,
                                      int32_t **out, int32_t *out_count, bool *all,
                                      cn_error *error) {
    unsigned char *used = CN_TAKE_ZERO(scratch, unsigned char, count);
    int32_t *index = CN_TAKE(scratch, int32_t, 3 * (int64_t)triangles->count);
    if (!used || !index) {
        return cn_fail_memory(error);
    }
    int32_t corners = 0;
    for (int64_t i = 0; i < 3 * (int64_t)triangles->count; i++) {
        if (!used[triangles->corner[i]]) {
            used[triangles->corner[i]] = 1;
            index[corners++] = triangles->corner[i];
        }
    }
    cn_status status = cn_vertices_check_count(corners, error);
    *out = index;
    *out_count = corners;
    if (status == CN_OK) {
        status = cn_points_weld(point, detail, index, out_count, scratch, error);
        qsort(index, (size_t)*out_count, sizeof *index, cn_index_compare);
        *all = *out_count == corners;
    }
    return status;
}

cn_status cn_triangles_from_points(const double *point, int32_t count, double size,
                                   cn_arena *scratch, cn_triangles *out, cn_error *error) {
    // First of all points, then of the corners found, until no two of them are too near.
    const double *current = point;
    const int32_t *name = NULL; // of the current points among those given
    for (;;) {
        cn_status status = cn_qhull_run(current, count, scratch, out, error);
        int32_t *kept = NULL, kept_count = 0;
        bool all = true;
        if (status == CN_OK) {
            status = cn_triangles_corners(current, count, CN_HULL_DETAIL * size, out, scratch,
                                          &kept, &kept_count, &all, error);
        }
        if (status != CN_OK) {
            return status;
        }
        if (all) {
            break;
        }
        double *fewer = CN_TAKE(scratch, double, 3 * (int64_t)kept_count);
        if (!fewer) {
            return cn_fail_memory(error);
        }
        for (int32_t i = 0; i < kept_count; i++) {
            memcpy(fewer + 3 * (int64_t)i, current + 3 * (int64_t)kept[i], 3 * sizeof *fewer);
            kept[i] = name ? name[kept[i]] : kept[i];
        }
        current = fewer;
        count = kept_count;
        name = kept;
    }
    for (int64_t i = 0; name && i < 3 * (int64_t)out->count; i++) {
        out->corner[i] = name[out->corner[i]];
    }
    return CN_OK;
}
