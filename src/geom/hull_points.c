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

double geom_points_size(const double *point, int32_t count) {
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
static double distance_beyond(const double *x, const double *origin, const double *frame,
                              int32_t rank, double rest[3]) {
    math_sub3(x, origin, rest);
    for (int32_t k = 0; k < rank; k++) {
        math_add_scaled3(rest, -math_dot3(rest, frame + 3 * k), frame + 3 * k, rest);
    }
    return math_norm3(rest);
}

int32_t geom_points_rank(const double *point, int32_t count, double size) {
    double frame[9];
    for (int32_t rank = 0; rank < 3; rank++) {
        double max = 0.0, rest[3];
        for (int32_t i = 0; i < count; i++) {
            double distance = distance_beyond(point + 3 * (int64_t)i, point, frame, rank, rest);
            if (distance > max) {
                max = distance;
                for (int32_t k = 0; k < 3; k++) {
                    frame[3 * rank + k] = rest[k] / distance;
                }
            }
        }
        if (!(max > GEOM_HULL_DETAIL * size)) {
            return rank;
        }
    }
    return 3;
}

static cn_status qhull_failure(int code, cn_error *error) {
    if (code == qh_ERRmem) {
        return base_fail_memory(error);
    }
    return base_fail(error, CN_ERR_NUMERIC, "the convex hull of the points could not be found");
}

// The facets that a finished qhull has, as triangles.
static cn_status qhull_triangles(qhT *qh, cn_arena *scratch, geom_triangles *out, cn_error *error) {
    out->count = 0;
    out->corner = BASE_TAKE(scratch, int32_t, 3 * (int64_t)qh->num_facets);
    if (!out->corner) {
        return base_fail_memory(error);
    }
    for (facetT *facet = qh->facet_list; facet && facet->next; facet = facet->next) {
        if (!facet->simplicial || qh_setsize(qh, facet->vertices) != 3) {
            return base_fail(error, CN_ERR_NUMERIC, "the convex hull of the points is ill defined");
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

// The hull of the points named by index; corners are indices into point.
static cn_status qhull_run(const double *point, const int32_t *index, int32_t count,
                           cn_arena *scratch, geom_triangles *out, cn_error *error) {
    double *copy = BASE_TAKE(scratch, double, 3 * (int64_t)count);
    qhT *qh = BASE_TAKE_ZERO(scratch, qhT, 1);
    FILE *sink = copy && qh ? base_sink_open() : NULL;
    if (!sink) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < count; i++) {
        memcpy(copy + 3 * (int64_t)i, point + 3 * (int64_t)index[i], 3 * sizeof *copy);
    }
    char command[] = "qhull Qt";
    qh_zero(qh, sink);
    int code = qh_new_qhull(qh, 3, count, copy, False, command, sink, sink);
    cn_status status = code ? qhull_failure(code, error) : qhull_triangles(qh, scratch, out, error);
    int current, total;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &current, &total);
    base_sink_close(sink);
    for (int64_t i = 0; status == CN_OK && i < 3 * (int64_t)out->count; i++) {
        out->corner[i] = index[out->corner[i]];
    }
    return status;
}

cn_status geom_vertices_check_count(int32_t count, cn_error *error) {
    if (count <= GEOM_HULL_VERTICES_MAX) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_UNSUPPORTED, "it has %d vertices, more than %d", count,
              GEOM_HULL_VERTICES_MAX);
    base_fail_hint(error, "give a coarser shape");
    return CN_ERR_UNSUPPORTED;
}

typedef struct weld_key {
    const double *x;
    int32_t index;
} weld_key;

static int weld_compare(const void *a, const void *b) {
    const weld_key *p = a, *q = b;
    for (int32_t k = 0; k < 3; k++) {
        if (p->x[k] != q->x[k]) {
            return p->x[k] < q->x[k] ? -1 : 1;
        }
    }
    return (p->index > q->index) - (p->index < q->index);
}

cn_status geom_points_weld(const double *point, double detail, int32_t *index, int32_t *count,
                           cn_arena *scratch, cn_error *error) {
    weld_key *key = BASE_TAKE(scratch, weld_key, *count);
    if (!key) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < *count; i++) {
        key[i] = (weld_key){.x = point + 3 * (int64_t)index[i], .index = index[i]};
    }
    qsort(key, (size_t)*count, sizeof *key, weld_compare);
    // Only those kept that are near in x are compared.
    int32_t kept = 0, first = 0;
    for (int32_t i = 0; i < *count; i++) {
        while (first < kept && point[3 * (int64_t)index[first]] < key[i].x[0] - detail) {
            first++;
        }
        bool near = false;
        for (int32_t k = first; k < kept && !near; k++) {
            double apart[3];
            math_sub3(key[i].x, point + 3 * (int64_t)index[k], apart);
            near = math_norm3(apart) <= detail;
        }
        if (!near) {
            index[kept++] = key[i].index;
        }
    }
    *count = kept;
    return CN_OK;
}

static int index_compare(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static cn_status points_weld_in_order(const double *point, double detail, int32_t *index,
                                      int32_t *count, cn_arena *scratch, cn_error *error) {
    cn_status status = geom_points_weld(point, detail, index, count, scratch, error);
    qsort(index, (size_t)*count, sizeof *index, index_compare);
    return status;
}

// The points that the triangles use, ascending.
static cn_status triangles_corners(const geom_triangles *triangles, int32_t point_count,
                                   cn_arena *scratch, int32_t *index, int32_t *count,
                                   cn_error *error) {
    bool *used = BASE_TAKE_ZERO(scratch, bool, point_count);
    if (!used) {
        return base_fail_memory(error);
    }
    for (int64_t i = 0; i < 3 * (int64_t)triangles->count; i++) {
        used[triangles->corner[i]] = true;
    }
    *count = 0;
    for (int32_t i = 0; i < point_count; i++) {
        if (used[i]) {
            index[(*count)++] = i;
        }
    }
    return geom_vertices_check_count(*count, error);
}

cn_status geom_triangles_from_points(const double *point, int32_t count, double size,
                                     cn_arena *scratch, geom_triangles *out, cn_error *error) {
    double detail = GEOM_HULL_DETAIL * size;
    int32_t *index = BASE_TAKE(scratch, int32_t, count), selected = count, corners = 0;
    if (!index) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < count; i++) {
        index[i] = i;
    }
    // Clusters of points can spoil qhull's own merging, so they go first; of very many points the
    // hull is found before, since comparing all of them may take long.
    cn_status status = CN_OK;
    if (count <= GEOM_HULL_VERTICES_MAX) {
        status = points_weld_in_order(point, detail, index, &selected, scratch, error);
    }
    // Until no two corners found are too near.
    while (status == CN_OK) {
        status = qhull_run(point, index, selected, scratch, out, error);
        if (status == CN_OK) {
            status = triangles_corners(out, count, scratch, index, &corners, error);
        }
        selected = corners;
        if (status == CN_OK) {
            status = points_weld_in_order(point, detail, index, &selected, scratch, error);
        }
        if (selected == corners) {
            break;
        }
    }
    return status;
}
