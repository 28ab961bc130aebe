// detect/deformable.c
#include "detect/deformable.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "detect/narrow/pairs.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/deformable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A point counts where the cosine of its surface's normal and the contact's normal is below this.
#define LOOKING_COS (-0.1)
// A corner that is within this share of a face's node is left to the node.
#define NODE_SHARE 1e-6
// A corner of a rigid shape counts for a face when no other corner is lower by more than this share
// of their distance.
#define LOWEST_SHARE 0.05
#define PARTS_MAX (FE_FACE_NODES_MAX + 1)

// What the key of a contact with a rigid body is about, in its highest bits.
#define KEY_POINT UINT64_C(0)  // shape, candidate point
#define KEY_CORNER UINT64_C(1) // shape, its corner
#define KEY_ROUND UINT64_C(2)  // shape, face
#define KEY_KIND_SHIFT 62
#define KEY_SHAPE_SHIFT 40

typedef struct found_contact {
    det_contact contact;
    det_node_weight part[PARTS_MAX]; // or, where first >= 0, `parts` of the long ones from there on
    int64_t first;
    int32_t parts;
    double area; // as in det_sides
} found_contact;

struct det_deformables {
    cn_env env;
    const cn_model *model;
    cn_arena *memory;
    cn_arena *scratch; // of a call
    det_broad *broad;
    base_buffer found;      // found_contact
    base_buffer parts;      // det_node_weight of rows with many
    det_surface_tree *tree; // of each deformable body; bodies with one mesh have the same arrays
};

// A call, and the body whose surface is looked at.
typedef struct surface {
    const model_deformable *body;
    double *x;           // positions of its nodes, dim each
    double *normal;      // of its faces, 3 each, unit
    double *look;        // of its nodes, 3 each: sum of the normals of their faces, unit
    det_bounding sphere; // round its nodes and what they reach in a step
    const det_surface_tree *tree;
    double *box;   // of the tree's branches
    int32_t *near; // room for a list of faces
} surface;

typedef struct det_call {
    det_deformables *detector;
    const double *q, *v;
    double h, alert;
    surface *surface; // of each deformable body
    double *reach;    // [m] of each body: how far it comes in a step
    bool room;
} det_call;

// A tree for every mesh. Bodies that share one mostly stand next to one another.
static bool build_trees(det_deformables *d) {
    const cn_model *model = d->model;
    d->tree = BASE_TAKE(d->memory, det_surface_tree, model->deformable_count);
    bool room = d->tree;
    for (int32_t i = 0; room && i < model->deformable_count; i++) {
        int32_t k = i - 1;
        while (k >= 0 && model->deformables[k]->mesh != model->deformables[i]->mesh) {
            k--;
        }
        if (k >= 0) {
            d->tree[i] = d->tree[k];
        } else {
            room = det_surface_tree_build(model->deformables[i]->mesh, d->memory, &d->tree[i]) ==
                   CN_OK;
        }
    }
    return room;
}

det_deformables *det_deformables_create(const cn_model *model, const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    det_deformables *d = memory ? BASE_TAKE_ZERO(memory, det_deformables, 1) : NULL;
    if (!d) {
        cn_arena_destroy(memory);
        return NULL;
    }
    d->env = *cn_arena_env(memory);
    d->model = model;
    d->memory = memory;
    base_buffer_init(&d->found, &d->env);
    base_buffer_init(&d->parts, &d->env);
    d->broad = det_broad_create(&d->env);
    d->scratch = cn_arena_create(&d->env);
    if (!d->broad || !d->scratch || !build_trees(d)) {
        det_deformables_destroy(d);
        return NULL;
    }
    return d;
}

void det_deformables_destroy(det_deformables *d) {
    if (d) {
        base_buffer_free(&d->found);
        base_buffer_free(&d->parts);
        det_broad_destroy(d->broad);
        cn_arena_destroy(d->scratch);
        cn_arena_destroy(d->memory);
    }
}

// ---- surfaces ----

// A point of the plane in 3D clothes.
static void widen(int32_t dim, const double *x, double out[3]) {
    out[0] = x[0];
    out[1] = x[1];
    out[2] = dim == 3 ? x[2] : 0.0;
}

static void node_of(const det_call *call, const surface *s, int32_t node, double out[3]) {
    int32_t dim = call->detector->model->dim;
    widen(dim, s->x + (int64_t)dim * node, out);
}

// Outward normal of a face, by the diagonals of a quadrilateral.
static void face_normal(const det_call *call, const surface *s, int32_t face, double normal[3]) {
    const fe_mesh *mesh = s->body->mesh;
    int32_t size = mesh->element->face_nodes;
    const int32_t *node = mesh->face + (int64_t)size * face;
    double x[FE_FACE_NODES_MAX][3], a[3], b[3];
    for (int32_t i = 0; i < size; i++) {
        node_of(call, s, node[i], x[i]);
    }
    if (mesh->dim == 2) {
        math_sub3(x[1], x[0], a);
        normal[0] = a[1];
        normal[1] = -a[0];
        normal[2] = 0.0;
    } else {
        math_sub3(x[size == 4 ? 2 : 1], x[0], a);
        math_sub3(x[size == 4 ? 3 : 2], x[size == 4 ? 1 : 0], b);
        math_cross3(a, b, normal);
    }
    double length = math_norm3(normal);
    for (int i = 0; i < 3; i++) {
        normal[i] = length > 0.0 ? normal[i] / length : 0.0;
    }
}

static bool place_surface(const det_call *call, int32_t index, surface *out) {
    const cn_model *model = call->detector->model;
    const model_deformable *body = model->deformables[index];
    const det_surface_tree *tree = &call->detector->tree[index];
    cn_arena *scratch = call->detector->scratch;
    const fe_mesh *mesh = body->mesh;
    int32_t dim = model->dim, size = mesh->element->face_nodes;
    int64_t numbers = (int64_t)dim * mesh->nodes;
    const double *start = model->node_start + (int64_t)dim * body->first_node;
    const double *u = call->q + model_node_pose(model, body->first_node);
    *out = (surface){.body = body,
                     .x = BASE_TAKE(scratch, double, numbers),
                     .normal = BASE_TAKE(scratch, double, 3 * (int64_t)mesh->faces),
                     .look = BASE_TAKE_ZERO(scratch, double, 3 * (int64_t)mesh->nodes),
                     .tree = tree,
                     .box = BASE_TAKE(scratch, double, 6 * (int64_t)tree->branches),
                     .near = BASE_TAKE(scratch, int32_t, mesh->faces)};
    if (!out->x || !out->normal || !out->look || !out->box || !out->near) {
        return false;
    }
    for (int64_t i = 0; i < numbers; i++) {
        out->x[i] = start[i] + u[i];
    }
    det_surface_tree_refit(tree, mesh, out->x, out->box);
    for (int32_t f = 0; f < mesh->faces; f++) {
        double *normal = out->normal + 3 * (int64_t)f;
        face_normal(call, out, f, normal);
        for (int32_t i = 0; i < size; i++) {
            double *look = out->look + 3 * (int64_t)mesh->face[(int64_t)size * f + i];
            math_add_scaled3(look, 1.0, normal, look);
        }
    }
    for (int32_t k = 0; k < mesh->surface_nodes; k++) {
        double *look = out->look + 3 * (int64_t)mesh->surface_node[k], length = math_norm3(look);
        for (int i = 0; i < 3; i++) {
            look[i] = length > 0.0 ? look[i] / length : 0.0;
        }
    }
    return true;
}

// ---- what is found ----

static void add_found(det_call *call, const found_contact *found) {
    call->room = call->room && base_buffer_append(&call->detector->found, found, sizeof *found);
}

// Whether every part of the candidate side that a contact would push along its normal is held.
static bool is_held(const model_deformable *body, int32_t dim, const det_node_weight *part,
                    int32_t parts) {
    for (int32_t k = 0; k < parts; k++) {
        for (int32_t i = 0; i < dim; i++) {
            if (!body->held || !body->held[dim * part[k].node + i]) {
                return false;
            }
        }
    }
    return true;
}

// ---- points against rigid shapes ----

static void place_shape(const cn_model *model, const double *q, int32_t body, int32_t shape,
                        det_placed *out) {
    const double *pose = q + (int64_t)model_pose_size(model->dim) * body;
    *out = (det_placed){.shape = &model->shape[model->body[body].shape_first + shape]};
    widen(model->dim, pose, out->position);
    if (model->dim == 2) {
        math_angle_matrix(pose[2], out->R);
    } else {
        math_quat_matrix(pose + 3, out->R);
    }
}

// One candidate point against a shape.
static void find_point(det_call *call, const surface *s, const det_placed *placed, int32_t other,
                       int32_t shape, int32_t point, double distance) {
    const cn_model *model = call->detector->model;
    const fe_mesh *mesh = s->body->mesh;
    geom_shape round = {.kind = model->dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK,
                        .R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    det_placed at = {.shape = &round, .R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    found_contact found = {.first = -1};
    const double *look;
    int32_t body = s->body->body;
    if (s->body->candidates == CN_CANDIDATES_MIDPOINTS) {
        const int32_t *node = mesh->face + 2 * (int64_t)point;
        double b[3];
        node_of(call, s, node[0], at.position);
        node_of(call, s, node[1], b);
        for (int i = 0; i < 3; i++) {
            at.position[i] = 0.5 * (at.position[i] + b[i]);
        }
        found.part[0] = (det_node_weight){body, node[0], 0.5};
        found.part[1] = (det_node_weight){body, node[1], 0.5};
        found.parts = 2;
        look = s->normal + 3 * (int64_t)point;
    } else {
        node_of(call, s, point, at.position);
        found.part[0] = (det_node_weight){body, point, 1.0};
        found.parts = 1;
        look = s->look + 3 * (int64_t)point;
    }
    det_manifold manifold = {.count = 0};
    if (is_held(s->body, model->dim, found.part, found.parts) &&
        model->body[other].role != MODEL_BODY_FREE) {
        return;
    }
    if (!det_narrow(model->dim, &at, placed, distance, &manifold) || manifold.count == 0 ||
        math_dot3(look, manifold.point[0].normal) > LOOKING_COS) {
        return;
    }
    const det_manifold_point *m = &manifold.point[0];
    found.contact = (det_contact){
        .key = {body, other,
                KEY_POINT << KEY_KIND_SHIFT | (uint64_t)shape << KEY_SHAPE_SHIFT | (uint64_t)point},
        .gap = m->gap};
    memcpy(found.contact.point, at.position, sizeof at.position);
    memcpy(found.contact.normal, m->normal, sizeof m->normal);
    found.part[found.parts++] = (det_node_weight){other, -1, -1.0};
    add_found(call, &found);
}

// ---- points against faces ----

// Shape functions of a face at the foot of x, and its height above the face; false: the foot is
// outside.
static bool foot_on_face(const det_call *call, const surface *s, int32_t face, const double x[3],
                         double weight[FE_FACE_NODES_MAX], double *height) {
    const fe_mesh *mesh = s->body->mesh;
    int32_t size = mesh->element->face_nodes;
    const int32_t *node = mesh->face + (int64_t)size * face;
    const double *normal = s->normal + 3 * (int64_t)face;
    double a[FE_FACE_NODES_MAX][3], r[3], e[3], f[3];
    for (int32_t i = 0; i < size; i++) {
        node_of(call, s, node[i], a[i]);
    }
    math_sub3(x, a[0], r);
    math_sub3(a[1], a[0], e);
    if (size == 2) {
        double t = math_dot3(r, e) / math_dot3(e, e);
        weight[0] = 1.0 - t;
        weight[1] = t;
        *height = math_dot3(r, normal);
        return t >= 0.0 && t <= 1.0;
    }
    if (size == 3) {
        math_sub3(a[2], a[0], f);
        double ee = math_dot3(e, e), ef = math_dot3(e, f), ff = math_dot3(f, f),
               re = math_dot3(r, e), rf = math_dot3(r, f), det = ee * ff - ef * ef;
        weight[1] = (re * ff - rf * ef) / det;
        weight[2] = (rf * ee - re * ef) / det;
        weight[0] = 1.0 - weight[1] - weight[2];
        *height = math_dot3(r, normal);
        return weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0;
    }
    // Bilinear: the foot along the mean normal by Newton's method from the centre.
    double xi = 0.0, eta = 0.0, foot[3] = {0.0, 0.0, 0.0};
    for (int step = 0; step < 8; step++) {
        const double N[4] = {0.25 * (1.0 - xi) * (1.0 - eta), 0.25 * (1.0 + xi) * (1.0 - eta),
                             0.25 * (1.0 + xi) * (1.0 + eta), 0.25 * (1.0 - xi) * (1.0 + eta)};
        const double dxi[4] = {-0.25 * (1.0 - eta), 0.25 * (1.0 - eta), 0.25 * (1.0 + eta),
                               -0.25 * (1.0 + eta)};
        const double deta[4] = {-0.25 * (1.0 - xi), -0.25 * (1.0 + xi), 0.25 * (1.0 + xi),
                                0.25 * (1.0 - xi)};
        double t1[3] = {0.0, 0.0, 0.0}, t2[3] = {0.0, 0.0, 0.0};
        foot[0] = foot[1] = foot[2] = 0.0;
        for (int i = 0; i < 4; i++) {
            math_add_scaled3(foot, N[i], a[i], foot);
            math_add_scaled3(t1, dxi[i], a[i], t1);
            math_add_scaled3(t2, deta[i], a[i], t2);
            weight[i] = N[i];
        }
        math_sub3(x, foot, r);
        math_add_scaled3(r, -math_dot3(r, normal), normal, r);
        math_add_scaled3(t1, -math_dot3(t1, normal), normal, t1);
        math_add_scaled3(t2, -math_dot3(t2, normal), normal, t2);
        double g11 = math_dot3(t1, t1), g12 = math_dot3(t1, t2), g22 = math_dot3(t2, t2),
               r1 = math_dot3(r, t1), r2 = math_dot3(r, t2), det = g11 * g22 - g12 * g12;
        xi += (r1 * g22 - r2 * g12) / det;
        eta += (r2 * g11 - r1 * g12) / det;
        xi = fmax(-2.0, fmin(2.0, xi));
        eta = fmax(-2.0, fmin(2.0, eta));
    }
    math_sub3(x, foot, r);
    *height = math_dot3(r, normal);
    return fabs(xi) <= 1.0 && fabs(eta) <= 1.0;
}

// The face of a surface that a point is nearest to, within distance outside and depth inside.
// -1: none, or the point is at a node of it.
static int32_t nearest_face(const det_call *call, const surface *s, const double x[3],
                            double distance, const double *look, double facing,
                            double weight[FE_FACE_NODES_MAX], double *height) {
    const fe_mesh *mesh = s->body->mesh;
    int32_t best = -1;
    double min = HUGE_VAL, w[FE_FACE_NODES_MAX], g, low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = x[i] - fmax(distance, s->body->depth);
        high[i] = x[i] + fmax(distance, s->body->depth);
    }
    int32_t near = det_surface_tree_near(s->tree, s->box, low, high, s->near);
    for (int32_t k = 0; k < near; k++) {
        int32_t f = s->near[k];
        const double *normal = s->normal + 3 * (int64_t)f;
        if (look && math_dot3(look, normal) > facing) {
            continue;
        }
        double corner[3], r[3];
        node_of(call, s, mesh->face[(int64_t)mesh->element->face_nodes * f], corner);
        math_sub3(x, corner, r);
        double above = math_dot3(r, normal);
        if (mesh->element->face_nodes < 4 &&
            (above > distance || above < -s->body->depth || fabs(above) > min)) {
            continue;
        }
        if (foot_on_face(call, s, f, x, w, &g) && g <= distance && g >= -s->body->depth &&
            (fabs(g) < min || (fabs(g) == min && f < best))) {
            min = fabs(g);
            best = f;
            *height = g;
            memcpy(weight, w, sizeof w);
        }
    }
    return best;
}

// Corner v of a hull may press on a face with normal n: nothing of its shape is lower.
static bool is_lowest(const det_placed *placed, int32_t v, const double n[3]) {
    const geom_hull *hull = &placed->shape->hull;
    double turned[3];
    math_mat3_apply_transposed(placed->R, n, turned);
    for (int32_t w = 0; w < hull->vertex_count; w++) {
        double way[3];
        math_sub3(hull->vertex + 3 * (int64_t)w, hull->vertex + 3 * (int64_t)v, way);
        if (math_dot3(way, turned) < -LOWEST_SHARE * math_norm3(way)) {
            return false;
        }
    }
    return true;
}

// A contact of point x, fixed to a rigid body, or node `node` of another surface (then that is the
// candidate), on a face.
static void add_on_face(const surface *s, int32_t face, const double *weight, const double x[3],
                        double gap, found_contact *found) {
    const fe_mesh *mesh = s->body->mesh;
    int32_t size = mesh->element->face_nodes;
    bool candidate = found->parts == 0; // the surface is
    for (int32_t i = 0; i < size; i++) {
        int32_t node = mesh->face[(int64_t)size * face + i];
        found->part[found->parts++] =
            (det_node_weight){s->body->body, node, candidate ? weight[i] : -weight[i]};
    }
    const double *normal = s->normal + 3 * (int64_t)face;
    for (int i = 0; i < 3; i++) {
        found->contact.normal[i] = candidate ? -normal[i] : normal[i];
        found->contact.point[i] = x[i];
    }
    found->contact.gap = gap;
}

static void find_corners(det_call *call, const surface *s, const det_placed *placed, int32_t other,
                         int32_t shape, double distance) {
    const geom_hull *hull = &placed->shape->hull;
    for (int32_t v = 0; v < hull->vertex_count; v++) {
        double x[3], weight[FE_FACE_NODES_MAX] = {0.0}, gap = 0.0;
        math_mat3_apply(placed->R, hull->vertex + 3 * (int64_t)v, x);
        math_add_scaled3(x, 1.0, placed->position, x);
        int32_t face = nearest_face(call, s, x, distance, NULL, 0.0, weight, &gap);
        double max = 0.0;
        for (int32_t i = 0; i < s->body->mesh->element->face_nodes; i++) {
            max = fmax(max, weight[i]);
        }
        if (face < 0 || max > 1.0 - NODE_SHARE ||
            !is_lowest(placed, v, s->normal + 3 * (int64_t)face)) {
            continue;
        }
        found_contact found = {.first = -1};
        found.contact.key = (model_contact_key){
            s->body->body, other,
            KEY_CORNER << KEY_KIND_SHIFT | (uint64_t)shape << KEY_SHAPE_SHIFT | (uint64_t)v};
        add_on_face(s, face, weight, x, gap, &found);
        if (is_held(s->body, s->body->mesh->dim, found.part, found.parts) &&
            call->detector->model->body[other].role != MODEL_BODY_FREE) {
            continue;
        }
        found.part[found.parts++] = (det_node_weight){other, -1, -1.0};
        add_found(call, &found);
    }
}

// A sphere or disk that is small beside the faces touches between their nodes.
static void find_round(det_call *call, const surface *s, const det_placed *placed, int32_t other,
                       int32_t shape, double distance) {
    double center[3], weight[FE_FACE_NODES_MAX] = {0.0}, height = 0.0;
    double radius = placed->shape->radius;
    if (s->body->shared->edge < 0.5 * radius) {
        return;
    }
    math_mat3_apply(placed->R, placed->shape->position, center);
    math_add_scaled3(center, 1.0, placed->position, center);
    int32_t face = nearest_face(call, s, center, distance + radius, NULL, 0.0, weight, &height);
    double max = 0.0;
    for (int32_t i = 0; i < s->body->mesh->element->face_nodes; i++) {
        max = fmax(max, weight[i]);
    }
    if (face < 0 || max > 1.0 - NODE_SHARE) {
        return;
    }
    double x[3];
    math_add_scaled3(center, -radius, s->normal + 3 * (int64_t)face, x);
    found_contact found = {.first = -1};
    found.contact.key = (model_contact_key){
        s->body->body, other, KEY_ROUND << KEY_KIND_SHIFT | (uint64_t)shape << KEY_SHAPE_SHIFT};
    add_on_face(s, face, weight, x, height - radius, &found);
    found.part[found.parts++] = (det_node_weight){other, -1, -1.0};
    add_found(call, &found);
}

// ---- pairs ----

// Whether a plane or line is out of reach of the whole body.
static bool is_far_above(const surface *s, const det_placed *placed, double distance) {
    double normal[3], offset;
    if (placed->shape->kind != CN_SHAPE_PLANE && placed->shape->kind != CN_SHAPE_LINE) {
        return false;
    }
    det_placed_plane(placed, normal, &offset);
    return math_dot3(normal, s->sphere.center) - offset > s->sphere.radius + distance;
}

static void find_rigid(det_call *call, const surface *s, int32_t other) {
    const cn_model *model = call->detector->model;
    const fe_mesh *mesh = s->body->mesh;
    double distance = fmax(call->alert, call->reach[s->body->body] + call->reach[other]);
    bool midpoints = s->body->candidates == CN_CANDIDATES_MIDPOINTS;
    for (int32_t k = 0; k < model->body[other].shape_count; k++) {
        det_placed placed;
        place_shape(model, call->q, other, k, &placed);
        if (is_far_above(s, &placed, distance)) {
            continue;
        }
        int32_t points = midpoints ? mesh->faces : mesh->surface_nodes;
        for (int32_t i = 0; i < points; i++) {
            find_point(call, s, &placed, other, k, midpoints ? i : mesh->surface_node[i], distance);
        }
        cn_shape_kind kind = placed.shape->kind;
        if (placed.shape->hull.vertex_count > 0) {
            find_corners(call, s, &placed, other, k, distance);
        } else if (kind == CN_SHAPE_SPHERE || kind == CN_SHAPE_DISK) {
            find_round(call, s, &placed, other, k, distance);
        }
    }
}

// Rows over the overlap of two surfaces.
static cn_status find_rows(det_call *call, const surface *candidate, const surface *antagonist) {
    det_rows rows;
    int32_t dim = call->detector->model->dim;
    const surface *both[2] = {candidate, antagonist};
    det_surface side[2];
    for (int k = 0; k < 2; k++) {
        const model_deformable *body = both[k]->body;
        side[k] = (det_surface){body->body, body->mesh, both[k]->x, both[k]->tree, both[k]->box};
    }
    double depth = fmin(candidate->body->depth, antagonist->body->depth);
    double distance = fmax(call->alert, call->reach[side[0].body] + call->reach[side[1].body]);
    bool midpoints = dim == 2 && candidate->body->candidates == CN_CANDIDATES_MIDPOINTS;
    cn_status status = (midpoints ? det_midpoint_rows : det_mortar_rows)(
        &side[0], &side[1], distance, depth, call->detector->scratch, &rows);
    for (int32_t k = 0; status == CN_OK && k < rows.rows; k++) {
        int32_t parts = (int32_t)(rows.start[k + 1] - rows.start[k]);
        const det_node_weight *part = rows.weight + rows.start[k];
        found_contact found = {.first = -1, .parts = parts, .area = rows.length[k]};
        found.contact = (det_contact){.key = {side[0].body, side[1].body, (uint64_t)rows.key[k]},
                                      .gap = rows.gap[k]};
        widen(dim, rows.point + (int64_t)dim * k, found.contact.point);
        widen(dim, rows.normal + (int64_t)dim * k, found.contact.normal);
        if (parts <= PARTS_MAX) {
            memcpy(found.part, part, sizeof *part * (size_t)parts);
        } else {
            found.first = (int64_t)(call->detector->parts.size / sizeof *part);
            call->room = call->room && base_buffer_append(&call->detector->parts, part,
                                                          sizeof *part * (size_t)parts);
        }
        add_found(call, &found);
    }
    return status;
}

// a < b by body index; the later body is the candidate, in 3D the finer one.
static cn_status find_deformable(det_call *call, const surface *a, const surface *b) {
    if (call->detector->model->dim == 2) {
        return find_rows(call, b, a);
    }
    bool first_is_finer = a->body->shared->edge < b->body->shared->edge;
    return find_rows(call, first_is_finer ? a : b, first_is_finer ? b : a);
}

// ---- all pairs ----

// Bounding sphere of a deformable body, and how far its nodes come in a step.
static void bound_deformable(det_call *call, surface *s) {
    det_bounding *out = &s->sphere;
    const cn_model *model = call->detector->model;
    const model_deformable *body = s->body;
    int32_t dim = model->dim;
    const double *pose = call->q + (int64_t)model_pose_size(dim) * body->body;
    const double *v = call->v + model_node_velocity(model, body->first_node);
    double radius = 0.0, speed = 0.0;
    widen(dim, pose, out->center);
    for (int32_t k = 0; k < body->mesh->surface_nodes; k++) {
        int32_t node = body->mesh->surface_node[k];
        double x[3], w[3];
        node_of(call, s, node, x);
        widen(dim, v + (int64_t)dim * node, w);
        math_sub3(x, out->center, x);
        radius = fmax(radius, math_dot3(x, x));
        speed = fmax(speed, math_dot3(w, w));
    }
    call->reach[body->body] = call->h * sqrt(speed);
    out->radius = sqrt(radius) + 0.5 * call->alert + call->reach[body->body];
}

static void bound_rigid(det_call *call, int32_t i, det_bounding *out) {
    const cn_model *model = call->detector->model;
    int32_t dim = model->dim;
    const double *v = call->v + (int64_t)model_velocity_size(dim) * i;
    double linear[3], spin = dim == 2 ? fabs(v[2]) : math_norm3(v + 3);
    double bound = model->body[i].bound;
    widen(dim, v, linear);
    widen(dim, call->q + (int64_t)model_pose_size(dim) * i, out->center);
    call->reach[i] =
        call->h * (math_norm3(linear) + (bound < HUGE_VAL && spin > 0.0 ? spin * bound : 0.0));
    out->radius = bound + 0.5 * call->alert + call->reach[i];
}

// Pairs of bodies, one of them deformable, that may touch. Those without bounds touch everything.
static cn_status find_all(det_call *call, cn_error *error) {
    const cn_model *model = call->detector->model;
    cn_arena *scratch = call->detector->scratch;
    det_bounding *sphere = BASE_TAKE(scratch, det_bounding, model->body_count);
    int32_t *body = BASE_TAKE(scratch, int32_t, model->body_count), count = 0;
    int32_t *place = BASE_TAKE(scratch, int32_t, model->body_count);
    if (!sphere || !body || !place) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < model->deformable_count; i++) {
        place[model->deformables[i]->body] = i;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        bool soft = model_is_deformable(model, i);
        if (soft) {
            sphere[count] = call->surface[place[i]].sphere;
        } else {
            bound_rigid(call, i, &sphere[count]);
        }
        if (soft || (model->body[i].shape_count > 0 && sphere[count].radius < HUGE_VAL)) {
            body[count++] = i;
        } else if (model->body[i].shape_count > 0) {
            for (int32_t k = 0; k < model->deformable_count; k++) {
                find_rigid(call, &call->surface[k], i);
            }
        }
    }
    det_near_pairs near;
    cn_status status =
        det_broad_near(call->detector->broad, &call->detector->env, count, sphere, scratch, &near);
    if (status != CN_OK) {
        return status == CN_ERR_UNSUPPORTED
                   ? base_fail(error, status, "too many bodies are near one another")
               : status == CN_ERR_CANCELLED ? base_fail_cancelled(error)
                                            : base_fail_memory(error);
    }
    for (int64_t k = 0; k < near.count && status == CN_OK; k++) {
        int32_t first = body[near.pair[k].a], second = body[near.pair[k].b];
        bool soft[2] = {model_is_deformable(model, first), model_is_deformable(model, second)};
        if (!(soft[0] || soft[1]) ||
            !det_spheres_touch(&sphere[near.pair[k].a], &sphere[near.pair[k].b])) {
            continue;
        }
        if (soft[0] && soft[1]) {
            status =
                find_deformable(call, &call->surface[place[first]], &call->surface[place[second]]);
        } else {
            find_rigid(call, &call->surface[place[soft[0] ? first : second]],
                       soft[0] ? second : first);
        }
    }
    return status == CN_OK && call->room ? base_poll_status(&call->detector->env, error)
                                         : base_fail_memory(error);
}

// ---- the list ----

// Contacts are sorted by their keys alone, which are moved about more easily.
typedef struct found_key {
    model_contact_key key;
    int32_t at;
} found_key;

static int found_compare(const void *a, const void *b) {
    const model_contact_key *p = &((const found_key *)a)->key, *q = &((const found_key *)b)->key;
    return model_key_before(p, q) ? -1 : model_key_before(q, p);
}

// The contacts of rigid bodies and those found, merged by key.
static cn_status merge(const det_call *call, cn_arena *memory, det_contact_list *list,
                       cn_error *error) {
    found_contact *found = (void *)call->detector->found.data;
    int32_t count = (int32_t)(call->detector->found.size / sizeof *found), total = 0;
    int64_t parts = 0;
    found_key *order = BASE_TAKE(call->detector->scratch, found_key, count);
    if (!order) {
        return base_fail_memory(error);
    }
    for (int32_t k = 0; k < count; k++) {
        order[k] = (found_key){found[k].contact.key, k};
        parts += found[k].parts;
    }
    if (count > 0) {
        qsort(order, (size_t)count, sizeof *order, found_compare);
    }
    struct det_sides *sides = BASE_TAKE(memory, struct det_sides, 1);
    det_contact *all = BASE_TAKE(memory, det_contact, (int64_t)list->count + count);
    if (sides) {
        sides->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)list->count + count + 1);
        sides->part = BASE_TAKE(memory, det_node_weight, parts);
        sides->area = BASE_TAKE_ZERO(memory, double, (int64_t)list->count + count);
    }
    if (!all || !sides || !sides->start || !sides->part || !sides->area) {
        return base_fail_memory(error);
    }
    const det_node_weight *many = (const void *)call->detector->parts.data;
    for (int32_t r = 0, k = 0; r < list->count || k < count; total++) {
        bool rigid = r < list->count &&
                     (k == count || model_key_before(&list->contact[r].key, &order[k].key));
        sides->start[total + 1] = sides->start[total];
        if (rigid) {
            all[total] = list->contact[r++];
            continue;
        }
        const found_contact *own = &found[order[k++].at];
        const det_node_weight *part = own->first < 0 ? own->part : many + own->first;
        memcpy(sides->part + sides->start[total], part, sizeof *part * (size_t)own->parts);
        sides->start[total + 1] += own->parts;
        sides->area[total] = own->area;
        all[total] = own->contact;
    }
    list->contact = all;
    list->count = total;
    list->sides = sides;
    return CN_OK;
}

cn_status det_deformables_add(det_deformables *d, const double *q, const double *v, double h,
                              cn_arena *memory, det_contact_list *contacts, cn_error *error) {
    const cn_model *model = d->model;
    base_arena_mark mark = base_arena_get_mark(d->scratch);
    det_call call = {.detector = d,
                     .q = q,
                     .v = v,
                     .h = h,
                     .alert = model->settings.alert,
                     .surface = BASE_TAKE(d->scratch, surface, model->deformable_count),
                     .reach = BASE_TAKE(d->scratch, double, model->body_count),
                     .room = true};
    cn_status status = call.surface && call.reach ? CN_OK : CN_ERR_MEMORY;
    d->found.size = d->parts.size = 0;
    for (int32_t i = 0; status == CN_OK && i < model->deformable_count; i++) {
        status = place_surface(&call, i, &call.surface[i]) ? CN_OK : CN_ERR_MEMORY;
        if (status == CN_OK) {
            bound_deformable(&call, &call.surface[i]);
        }
    }
    if (status != CN_OK) {
        base_fail_memory(error);
    }
    status = status == CN_OK ? find_all(&call, error) : status;
    status = status == CN_OK ? merge(&call, memory, contacts, error) : status;
    base_arena_release(d->scratch, mark);
    return status;
}
