// step/query.c
// What a ray hits, what overlaps a shape, what is nearest to a point: shapes near it come from the
// tree of detect/tree.c, rays are cut with them in closed form (geom/ray.c), distances are those of
// the narrow phase; a point is a sphere of no radius.
#include <cairn/query.h>

#include "base/arena.h"
#include "base/error.h"
#include "detect/narrow/narrow.h"
#include "detect/tree.h"
#include "geom/ray.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "step/sim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cn_query {
    cn_env env;
    const cn_model *model, *first_model;
    int64_t edits; // of the simulation that the tree knows
    det_tree *tree;
    base_buffer poses; // of the centres of mass
};

// ---- making ----

cn_status cn_query_create(const cn_sim *sim, cn_query **out, cn_error *error) {
    if (!sim || !out) {
        return base_fail_missing(error);
    }
    *out = NULL;
    cn_query *query = base_env_resize(&sim->env, NULL, 0, sizeof *query);
    if (!query) {
        return base_fail_memory(error);
    }
    *query = (cn_query){.env = sim->env, .first_model = sim->first_model, .edits = -1};
    // Questions are not part of a step, which the simulation's own hook may end.
    query->env.cancel = sim->progress.cancel;
    query->env.cancel_user = sim->progress.cancel_user;
    base_buffer_init(&query->poses, &query->env);
    cn_status status = cn_query_update(query, sim, error);
    if (status != CN_OK) {
        cn_query_destroy(query);
        return status;
    }
    *out = query;
    return CN_OK;
}

cn_status cn_query_update(cn_query *query, const cn_sim *sim, cn_error *error) {
    if (!query || !sim) {
        return base_fail_missing(error);
    }
    if (sim->first_model != query->first_model) {
        return base_fail(error, CN_ERR_ARGUMENT, "the query is of another model's simulation");
    }
    if (sim->model != query->model || sim->edits != query->edits) {
        det_tree *tree = det_tree_create(&query->env); // of the bodies that there now are
        if (!tree) {
            return base_fail_memory(error);
        }
        det_tree_destroy(query->tree);
        query->tree = tree;
        query->model = sim->model;
        query->edits = sim->edits;
    }
    const cn_model *model = sim->model;
    size_t bytes = sizeof(double) * (size_t)model_pose_size(model->dim) * (size_t)model->body_count;
    query->poses.size = 0;
    if (!base_buffer_append(&query->poses, sim->state.q, bytes)) {
        return base_fail_memory(error);
    }
    return det_tree_place(query->tree, model, sim->state.q) == CN_OK ? CN_OK
                                                                     : base_fail_memory(error);
}

void cn_query_destroy(cn_query *query) {
    if (query) {
        det_tree_destroy(query->tree);
        base_buffer_free(&query->poses);
        cn_env env = query->env;
        base_env_resize(&env, query, sizeof *query, 0);
    }
}

// ---- asking ----

// One question, as the walk through the tree sees it.
typedef struct asking {
    const cn_query *query;
    const cn_query_filter *filter;
    double origin[3], direction[3]; // of the ray, or the point
    double limit;                   // of what counts: reach, or the distance of the best so far
    const det_placed *probe;        // of overlaps and the nearest
    det_box box;                    // of the probe, with the margin
    cn_query_hit *hit;
    int32_t capacity, count; // capacity 1 with `nearest`
    bool nearest;            // only the nearest counts
} asking;

static bool is_asked(const asking *ask, int32_t body) {
    const cn_query_filter *filter = ask->filter;
    return !filter || (filter->ignore != body + 1 &&
                       (!filter->accept || filter->accept(filter->user, body + 1)));
}

static void placed_of(const cn_query *query, const det_tree_item *item, det_placed *out) {
    const cn_model *model = query->model;
    const double *pose = (const double *)(const void *)query->poses.data +
                         (int64_t)model_pose_size(model->dim) * item->body;
    *out = (det_placed){.shape = &model->shape[model->body[item->body].shape_first + item->shape]};
    memcpy(out->position, pose, sizeof *pose * (size_t)model->dim);
    if (model->dim == 3) {
        math_quat_matrix(pose + 3, out->R);
    } else {
        math_angle_matrix(pose[2], out->R);
    }
}

// The order of hits: distance, then body, then shape.
static bool hit_before(const cn_query_hit *a, const cn_query_hit *b) {
    if (a->distance != b->distance) {
        return a->distance < b->distance;
    }
    return a->body != b->body ? a->body < b->body : a->shape < b->shape;
}

// Puts a hit where it belongs among those stored, the nearest first.
static void take_hit(asking *ask, const cn_query_hit *hit) {
    int32_t stored = ask->count < ask->capacity ? ask->count : ask->capacity, at = stored;
    ask->count++;
    while (at > 0 && hit_before(hit, &ask->hit[at - 1])) {
        at--;
    }
    if (at == ask->capacity) {
        return;
    }
    int32_t moved = (stored < ask->capacity ? stored : ask->capacity - 1) - at;
    memmove(&ask->hit[at + 1], &ask->hit[at], sizeof *hit * (size_t)moved);
    ask->hit[at] = *hit;
    if (ask->nearest) {
        ask->limit = fmin(ask->limit, hit->distance);
    }
}

// Boxes that touch the probe are looked into whatever the best overlap is so far.
static double ask_limit(const void *user) {
    return fmax(((const asking *)user)->limit, 0.0);
}

// Where the ray enters a box; infinite: it does not.
static double ray_near(const void *user, const det_box *box) {
    const asking *ask = user;
    double low = 0.0, high = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        if (ask->direction[k] == 0.0) {
            if (ask->origin[k] < box->low[k] || ask->origin[k] > box->high[k]) {
                return HUGE_VAL;
            }
            continue;
        }
        double a = (box->low[k] - ask->origin[k]) / ask->direction[k],
               b = (box->high[k] - ask->origin[k]) / ask->direction[k];
        low = fmax(low, fmin(a, b));
        high = fmin(high, fmax(a, b));
    }
    // Boxes have room for round-off, and so has this.
    return low <= high * (1.0 + 8.0 * DBL_EPSILON) ? low * (1.0 - 8.0 * DBL_EPSILON) : HUGE_VAL;
}

static void ray_visit(void *user, const det_tree_item *item) {
    asking *ask = user;
    if (!is_asked(ask, item->body)) {
        return;
    }
    det_placed placed;
    placed_of(ask->query, item, &placed);
    double origin[3], direction[3];
    math_sub3(ask->origin, placed.position, origin);
    math_mat3_apply_transposed(placed.R, origin, origin);
    math_mat3_apply_transposed(placed.R, ask->direction, direction);
    cn_query_hit hit = {.body = item->body + 1, .shape = item->shape};
    if (geom_shape_ray(placed.shape, ask->query->model->dim, origin, direction, ask->limit,
                       &hit.distance, hit.normal)) {
        math_mat3_apply(placed.R, hit.normal, hit.normal);
        math_add_scaled3(ask->origin, hit.distance, ask->direction, hit.point);
        take_hit(ask, &hit);
    }
}

// How far a box is from that of the probe.
static double probe_near(const void *user, const det_box *box) {
    const asking *ask = user;
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double apart = fmax(box->low[k] - ask->box.high[k], ask->box.low[k] - box->high[k]);
        square += apart > 0.0 ? apart * apart : 0.0;
    }
    return sqrt(square) * (1.0 - 8.0 * DBL_EPSILON);
}

static void probe_visit(void *user, const det_tree_item *item) {
    asking *ask = user;
    int32_t dim = ask->query->model->dim;
    det_placed placed;
    placed_of(ask->query, item, &placed);
    det_manifold manifold;
    manifold.count = 0;
    manifold.parting = 0;
    if (!is_asked(ask, item->body) ||
        !det_narrow_supports(dim, ask->probe->shape->kind, placed.shape->kind) ||
        !det_narrow(dim, ask->probe, &placed, ask->limit, &manifold) || manifold.count == 0) {
        return;
    }
    const det_manifold_point *deepest = &manifold.point[0];
    for (int32_t i = 1; i < manifold.count; i++) {
        deepest = manifold.point[i].gap < deepest->gap ? &manifold.point[i] : deepest;
    }
    cn_query_hit hit = {.body = item->body + 1, .shape = item->shape, .distance = deepest->gap};
    memcpy(hit.normal, deepest->normal, sizeof hit.normal);
    if (ask->nearest) { // from the middle of the gap to the surface
        math_add_scaled3(ask->origin, -deepest->gap, deepest->normal, hit.point);
    } else {
        memcpy(hit.point, deepest->point, sizeof hit.point);
    }
    take_hit(ask, &hit);
}

static bool is_all_finite(const double *x, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        if (!(fabs(x[k]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

static cn_status ask_ray(const cn_query *query, const double origin[3], const double direction[3],
                         double reach, asking *ask) {
    int32_t dim = query->model->dim;
    if (!is_all_finite(origin, dim) || !is_all_finite(direction, dim) || !(reach >= 0.0)) {
        return CN_ERR_ARGUMENT;
    }
    memcpy(ask->origin, origin, sizeof *origin * (size_t)dim);
    memcpy(ask->direction, direction, sizeof *direction * (size_t)dim);
    double length = hypot(hypot(ask->direction[0], ask->direction[1]), ask->direction[2]);
    if (!(length > 0.0)) {
        return CN_ERR_ARGUMENT;
    }
    for (int k = 0; k < 3; k++) {
        ask->direction[k] /= length;
    }
    ask->limit = reach;
    static const det_walk walk = {ray_near, ask_limit, ray_visit};
    det_tree_walk(query->tree, &walk, ask);
    return CN_OK;
}

cn_status cn_query_ray(const cn_query *query, const double origin[3], const double direction[3],
                       double reach, const cn_query_filter *filter, cn_query_hit *hit) {
    if (!query || !origin || !direction || !hit) {
        return CN_ERR_ARGUMENT;
    }
    *hit = (cn_query_hit){.body = 0};
    asking ask = {.query = query, .filter = filter, .hit = hit, .capacity = 1, .nearest = true};
    return ask_ray(query, origin, direction, reach, &ask);
}

cn_status cn_query_ray_all(const cn_query *query, const double origin[3], const double direction[3],
                           double reach, const cn_query_filter *filter, cn_query_hit *hits,
                           int32_t capacity, int32_t *count) {
    if (!query || !origin || !direction || !count || capacity < 0 || (capacity > 0 && !hits)) {
        return CN_ERR_ARGUMENT;
    }
    asking ask = {.query = query, .filter = filter, .hit = hits, .capacity = capacity};
    cn_status status = ask_ray(query, origin, direction, reach, &ask);
    *count = ask.count;
    return status;
}

// A shape where it stands in the world.
static det_placed probe_place(const geom_shape *shape, const double position[3]) {
    det_placed placed = {.shape = shape, .R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    memcpy(placed.position, position, sizeof placed.position);
    return placed;
}

cn_status cn_query_closest(const cn_query *query, const double point[3], double reach,
                           const cn_query_filter *filter, cn_query_hit *hit) {
    if (!query || !point || !hit || !is_all_finite(point, query->model->dim) || !(reach >= 0.0)) {
        return CN_ERR_ARGUMENT;
    }
    *hit = (cn_query_hit){.body = 0};
    int32_t dim = query->model->dim;
    geom_shape grain = {.kind = dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK,
                        .R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    asking ask = {.query = query,
                  .filter = filter,
                  .limit = reach,
                  .hit = hit,
                  .capacity = 1,
                  .nearest = true};
    memcpy(ask.origin, point, sizeof *point * (size_t)dim);
    det_placed probe = probe_place(&grain, ask.origin);
    ask.probe = &probe;
    memcpy(ask.box.low, ask.origin, sizeof ask.origin);
    memcpy(ask.box.high, ask.origin, sizeof ask.origin);
    static const det_walk walk = {probe_near, ask_limit, probe_visit};
    det_tree_walk(query->tree, &walk, &ask);
    return CN_OK;
}

cn_status cn_query_overlap(const cn_query *query, const cn_shape_def *shape, double margin,
                           const cn_query_filter *filter, cn_query_hit *hits, int32_t capacity,
                           int32_t *count, cn_error *error) {
    if (!query || !shape || !count || capacity < 0 || (capacity > 0 && !hits)) {
        return base_fail_missing(error);
    }
    *count = 0;
    if (!(margin >= 0.0 && margin <= DBL_MAX)) {
        return base_fail(error, CN_ERR_ARGUMENT, "the margin must be 0 or more, not %g", margin);
    }
    cn_arena *memory = cn_arena_create(&query->env);
    geom_shape built;
    cn_status status = memory ? geom_shape_build(shape, query->model->dim, memory, &built, error)
                              : base_fail_memory(error);
    if (status == CN_OK && (!(built.bound < HUGE_VAL) || built.kind == CN_SHAPE_RING)) {
        status = base_fail(error, CN_ERR_ARGUMENT, "a %s has no end to be asked about",
                           cn_shape_kind_text(shape->kind));
    }
    if (status == CN_OK) {
        const double origin[3] = {0.0};
        det_placed probe = probe_place(&built, origin);
        asking ask = {.query = query,
                      .filter = filter,
                      .limit = margin,
                      .probe = &probe,
                      .hit = hits,
                      .capacity = capacity};
        for (int k = 0; k < 3; k++) {
            ask.box.low[k] = built.middle[k] - built.bound;
            ask.box.high[k] = built.middle[k] + built.bound;
        }
        static const det_walk walk = {probe_near, ask_limit, probe_visit};
        det_tree_walk(query->tree, &walk, &ask);
        *count = ask.count;
    }
    cn_arena_destroy(memory);
    return status;
}
