// step/bonds/create.c
// Bonds where bodies touch at the start. The area of a manifold is shared by its points, which move
// towards its centre until they have its second moment, so that a layer bends as it should: in the
// plane the two points of Gauss. A bond of round bodies is as wide as the circle of radius R = 1 /
// (1/R1 + 1/R2) and has four points, in the plane two, for the same reason.
#include "step/bonds/bonds.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/deformable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP_SHARE 1e-3    // of the smaller body: this near they touch
#define SAME_NORMAL 0.999 // cosine between normals of one manifold
#define FACING (-0.5)     // cosine between the normals of a face and of the contact it bears
#define CORNER_SHIFT 62   // of keys: what is there besides points of a surface
#define POINTS_MAX 64     // of a manifold that are looked at
#define PI 3.14159265358979323846
#define FLAT 1e-12 // of the square of a manifold's extent: less is no area

typedef struct making {
    const cn_model *model;
    const model_state *state;
    cn_arena *memory;
    base_buffer bond, part; // asm_bond, det_node_weight
    bool room;
} making;

// ---- areas ----

typedef struct layer_shape {
    int32_t count;
    double point[POINTS_MAX][3]; // where bonds are to be
    double area;                 // of all
} layer_shape;

typedef struct plane_point {
    double x, y;
} plane_point;

static int by_place(const void *a, const void *b) {
    const plane_point *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y < q->y ? -1 : p->y > q->y;
}

static double turn_of(plane_point o, plane_point a, plane_point b) {
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

// The convex hull of points, counter-clockwise; returns its corners. Andrew's chain.
static int32_t hull_of(plane_point *p, int32_t n, plane_point *hull) {
    int32_t k = 0;
    qsort(p, (size_t)n, sizeof *p, by_place);
    for (int pass = 0; pass < 2; pass++) {
        int32_t first = k + 1;
        for (int32_t j = 0; j < n; j++) {
            plane_point next = p[pass == 0 ? j : n - 1 - j];
            while (k > first && turn_of(hull[k - 2], hull[k - 1], next) <= 0.0) {
                k--;
            }
            hull[k++] = next;
        }
        k--; // where the other chain begins
    }
    return k;
}

// Area, centre and polar moment about it of a polygon; all relative to its first corner on the way.
static double polygon_of(const plane_point *p, int32_t n, plane_point *center, double *polar) {
    double area = 0.0, sx = 0.0, sy = 0.0, sum = 0.0;
    for (int32_t i = 1; i + 1 < n; i++) {
        double ax = p[i].x - p[0].x, ay = p[i].y - p[0].y, bx = p[i + 1].x - p[0].x,
               by = p[i + 1].y - p[0].y, part = 0.5 * (ax * by - ay * bx);
        area += part;
        sx += part * (ax + bx) / 3.0;
        sy += part * (ay + by) / 3.0;
        sum += part * (ax * ax + ay * ay + bx * bx + by * by + ax * bx + ay * by) / 6.0;
    }
    *center = p[0];
    *polar = 0.0;
    if (area > 0.0) {
        *center = (plane_point){p[0].x + sx / area, p[0].y + sy / area};
        *polar = sum - (sx * sx + sy * sy) / area;
    }
    return area;
}

// A manifold of flat faces, contacts first .. first + n - 1 of the list; false: it has no area.
static bool flat_layer(const det_contact *contact, int32_t n, const double axes[9],
                       layer_shape *out) {
    plane_point p[POINTS_MAX], sorted[POINTS_MAX], hull[2 * POINTS_MAX], center = {0.0, 0.0};
    double mean[2] = {0.0, 0.0}, moment = 0.0, polar = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double from[3];
        math_sub3(contact[i].point, contact[0].point, from);
        p[i] = sorted[i] = (plane_point){math_dot3(axes + 3, from), math_dot3(axes + 6, from)};
        mean[0] += p[i].x / n;
        mean[1] += p[i].y / n;
    }
    for (int32_t i = 0; i < n; i++) {
        double x = p[i].x - mean[0], y = p[i].y - mean[1];
        moment += (x * x + y * y) / n;
    }
    out->area = n >= 3 ? polygon_of(hull, hull_of(sorted, n, hull), &center, &polar) : 0.0;
    if (!(out->area > FLAT * moment && moment > 0.0)) {
        return false;
    }
    double shrink = sqrt(polar / (out->area * moment));
    out->count = n;
    for (int32_t i = 0; i < n; i++) {
        double x = center.x + shrink * (p[i].x - mean[0]),
               y = center.y + shrink * (p[i].y - mean[1]);
        math_add_scaled3(contact[0].point, x, axes + 3, out->point[i]);
        math_add_scaled3(out->point[i], y, axes + 6, out->point[i]);
    }
    return true;
}

// The same in the plane: the two points that are farthest apart, moved to those of Gauss.
static bool line_layer(const det_contact *contact, int32_t n, const double axes[9],
                       layer_shape *out) {
    double min = 0.0, max = 0.0;
    for (int32_t i = 1; i < n; i++) {
        double from[3];
        math_sub3(contact[i].point, contact[0].point, from);
        double x = math_dot3(axes + 3, from);
        min = fmin(min, x);
        max = fmax(max, x);
    }
    out->area = max - min;
    out->count = 2;
    for (int32_t i = 0; i < 2; i++) {
        double x = 0.5 * (max + min) + (i - 0.5) * out->area / sqrt(3.0);
        math_add_scaled3(contact[0].point, x, axes + 3, out->point[i]);
    }
    return out->area > 0.0;
}

// Points round the middle of a bond of a given area between bodies of any shape, or of round ones.
static void disk_layer(int32_t dim, const det_contact *contact, double area, const double axes[9],
                       layer_shape *out) {
    out->area = area;
    out->count = dim == 3 ? 4 : 2;
    double radius = dim == 3 ? sqrt(0.5 * area / PI) : 0.5 * area / sqrt(3.0);
    for (int32_t i = 0; i < out->count; i++) {
        const double *axis = axes + (dim == 3 && i >= 2 ? 6 : 3);
        math_add_scaled3(contact->point, i % 2 == 0 ? radius : -radius, axis, out->point[i]);
    }
}

// Radius of a round body, infinite where it is flat.
static double radius_of(const cn_model *model, int32_t body) {
    const model_body *b = &model->body[body];
    const geom_shape *shape = &model->shape[b->shape_first];
    bool round =
        b->shape_count == 1 && (shape->kind == CN_SHAPE_SPHERE || shape->kind == CN_SHAPE_DISK);
    return round ? b->bound : HUGE_VAL;
}

static bool layer_of(const making *m, const det_contact *contact, int32_t n,
                     const model_bond_law *law, const double axes[9], layer_shape *out) {
    const cn_model *model = m->model;
    double a = radius_of(model, contact->key.candidate),
           b = radius_of(model, contact->key.antagonist), R = 1.0 / (1.0 / a + 1.0 / b);
    bool round = isfinite(a) || isfinite(b);
    n = n < POINTS_MAX ? n : POINTS_MAX;
    bool found = !round && (model->dim == 3 ? flat_layer(contact, n, axes, out)
                                            : line_layer(contact, n, axes, out));
    if (found) {
        out->area = isnan(law->area) ? out->area : law->area;
        return true;
    }
    double area = !isnan(law->area) ? law->area
                  : !round          ? 0.0
                  : model->dim == 3 ? PI * R * R
                                    : 2.0 * R;
    disk_layer(model->dim, contact, area, axes, out);
    return area > 0.0;
}

// ---- bonds ----

static void turn_back(const cn_model *model, const double *q, int32_t body, const double x[3],
                      double own[3]) {
    const double *pose = q + (int64_t)model_pose_size(model->dim) * body;
    double R[9];
    if (model->dim == 2) {
        math_angle_matrix(pose[2], R);
    } else {
        math_quat_matrix(pose + 3, R);
    }
    math_mat3_apply_transposed(R, x, own);
}

static void anchor_of(const cn_model *model, const double *q, int32_t body, const double x[3],
                      double own[3]) {
    const double *pose = q + (int64_t)model_pose_size(model->dim) * body;
    double from[3] = {x[0] - pose[0], x[1] - pose[1], model->dim == 3 ? x[2] - pose[2] : 0.0};
    turn_back(model, q, body, from, own);
}

static void add_bond(making *m, const det_contact *contact, const model_bond_law *law,
                     const double point[3], double area, const det_node_weight *part,
                     int32_t parts) {
    const cn_model *model = m->model;
    const double *q = m->state->q;
    asm_bond bond = {.candidate = contact->key.candidate,
                     .antagonist = contact->key.antagonist,
                     .law = law,
                     .area = area,
                     .frame = -1,
                     .feature = contact->key.feature,
                     .part_first = (int32_t)(m->part.size / sizeof *part),
                     .part_count = parts};
    const int32_t body[2] = {bond.antagonist, bond.candidate};
    memcpy(bond.normal, contact->normal, sizeof bond.normal);
    for (int side = 0; side < 2; side++) {
        if (!model_is_deformable(model, body[side])) {
            bond.frame = bond.frame < 0 ? body[side] : bond.frame;
            anchor_of(model, q, body[side], point, bond.anchor[side]);
        }
    }
    m->room = m->room && base_buffer_append(&m->part, part, sizeof *part * (size_t)parts);
    if (parts > 0 && m->room) { // what the weights give now is no opening
        asm_bonds one = {.count = 1, .bond = &bond, .part = (const void *)m->part.data};
        double normal[3], middle[3];
        memcpy(normal, bond.normal, sizeof normal);
        bond.frame = -1;
        asm_bond_place(model, &one, 0, q, normal, middle, bond.offset);
        bond.frame = model_is_deformable(model, body[0])
                         ? (model_is_deformable(model, body[1]) ? -1 : body[1])
                         : body[0];
    }
    if (bond.frame >= 0) {
        double world[3];
        memcpy(world, bond.normal, sizeof world);
        turn_back(model, q, bond.frame, world, bond.normal);
        memcpy(world, bond.offset, sizeof world);
        turn_back(model, q, bond.frame, world, bond.offset);
    }
    m->room = m->room && base_buffer_append(&m->bond, &bond, sizeof bond);
}

// The outward normal and measure of a face of a mesh as placed.
static double face_measure(const cn_model *model, const model_deformable *d, int32_t face,
                           double normal[3]) {
    const fe_mesh *mesh = d->mesh;
    int32_t dim = model->dim, nodes = mesh->element->face_nodes;
    const int32_t *node = mesh->face + (int64_t)nodes * face;
    double x[4][3] = {{0.0}};
    for (int32_t i = 0; i < nodes && i < 4; i++) {
        memcpy(x[i], model->node_start + (int64_t)dim * (d->first_node + node[i]),
               sizeof(double) * (size_t)dim);
    }
    double a[3], b[3];
    math_sub3(x[1], x[0], a);
    if (dim == 2) {
        double length = math_norm3(a);
        normal[0] = a[1] / length;
        normal[1] = -a[0] / length;
        normal[2] = 0.0;
        return length;
    }
    math_sub3(x[2], x[0], a);
    math_sub3(nodes == 4 ? x[3] : x[2], nodes == 4 ? x[1] : x[0], b);
    if (nodes != 4) {
        math_sub3(x[1], x[0], a);
    }
    double cross[3];
    math_cross3(a, b, cross);
    double size = math_norm3(cross);
    for (int i = 0; i < 3; i++) {
        normal[i] = cross[i] / size;
    }
    return 0.5 * size;
}

// What of the surface is a candidate point's: its share of the faces that look at the other body.
static double tributary(const cn_model *model, const det_contact *contact,
                        const det_node_weight *part, int32_t parts) {
    const model_deformable *d = model_deformable_of(model, part[0].body);
    int32_t nodes = d->mesh->element->face_nodes;
    double sum = 0.0, sign = part[0].body == contact->key.candidate ? 1.0 : -1.0;
    bool edge = parts > 1 && part[1].body == part[0].body && part[1].node >= 0;
    for (int32_t f = 0; f < d->mesh->faces; f++) {
        const int32_t *node = d->mesh->face + (int64_t)nodes * f;
        bool first = false, second = false;
        for (int32_t i = 0; i < nodes; i++) {
            first = first || node[i] == part[0].node;
            second = second || (edge && node[i] == part[1].node);
        }
        double normal[3];
        if (!first || (edge && !second)) {
            continue;
        }
        double size = face_measure(model, d, f, normal);
        if (sign * math_dot3(normal, contact->normal) < FACING) {
            sum += edge ? size : size / nodes;
        }
    }
    return sum;
}

// How far apart bodies that touch may be.
static double gap_of(const cn_model *model, const det_contact *contact, const model_bond_law *law) {
    double size =
        fmin(model->body[contact->key.candidate].bound, model->body[contact->key.antagonist].bound);
    for (int side = 0; side < 2; side++) {
        const model_deformable *d =
            model_deformable_of(model, side ? contact->key.candidate : contact->key.antagonist);
        size = d ? fmin(isfinite(size) ? size : d->depth, d->depth) : size;
    }
    return isnan(law->gap) ? GAP_SHARE * size : law->gap;
}

static void bond_pair(making *m, const det_contact_list *list, int32_t first, int32_t end) {
    const det_contact *contact = &list->contact[first];
    const model_body_pair *pair =
        model_pair_of(m->model, contact->key.candidate, contact->key.antagonist);
    const model_bond_law *law = &pair->bond;
    for (int32_t c = first; c < end;) {
        const det_contact *one = &list->contact[c];
        int32_t parts = 0, n = 0;
        const det_node_weight *part = NULL;
        double axes[9];
        if (list->sides) {
            parts = (int32_t)(list->sides->start[c + 1] - list->sides->start[c]);
            part = list->sides->part + list->sides->start[c];
        }
        while (c + n < end && parts == 0 && one[n].gap <= gap_of(m->model, &one[n], law) &&
               math_dot3(one[n].normal, one->normal) > SAME_NORMAL) {
            n++;
        }
        layer_shape layer;
        math_contact_axes(m->model->dim, one->normal, axes);
        if (n > 0 && layer_of(m, one, n, law, axes, &layer)) {
            for (int32_t i = 0; i < layer.count; i++) {
                add_bond(m, one, law, layer.point[i], layer.area / layer.count, NULL, 0);
            }
        }
        if (parts > 0 && one->gap <= gap_of(m->model, one, law)) {
            double area = list->sides->area[c] > 0.0 ? list->sides->area[c]
                                                     : tributary(m->model, one, part, parts);
            bool point = one->key.feature >> CORNER_SHIFT == 0; // not the corner of a rigid shape
            if (area > 0.0 && point && part[0].body == one->key.candidate) {
                add_bond(m, one, law, one->point, area, part, parts);
            }
        }
        c += n > 0 ? n : 1;
    }
}

static cn_status find_bonds(making *m, det_detector *detector, struct step_deformable *deformable,
                            cn_arena *scratch, cn_error *error) {
    const cn_model *model = m->model;
    det_contact_list list = {.count = 0};
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = det_detect(detector, m->state->q, NULL, 0.0, &list, error);
    if (status == CN_OK && deformable) {
        status = det_deformables_add(deformable->detector, m->state->q, m->state->v, 0.0, scratch,
                                     &list, error);
    }
    for (int32_t c = 0, end; status == CN_OK && c < list.count; c = end) {
        const model_contact_key *key = &list.contact[c].key;
        for (end = c; end < list.count && list.contact[end].key.candidate == key->candidate &&
                      list.contact[end].key.antagonist == key->antagonist;
             end++) {
        }
        if (model_pair_of(model, key->candidate, key->antagonist)->bond.bonded) {
            bond_pair(m, &list, c, end);
        }
    }
    det_detector_reset(detector);
    base_arena_release(scratch, mark);
    return status == CN_OK && !m->room ? base_fail_memory(error) : status;
}

// What was found becomes that of the run; false: no memory.
static bool keep(const making *m, step_bonds *bonds, model_state *state) {
    size_t bond = m->bond.size, part = m->part.size;
    int32_t count = (int32_t)(bond / sizeof(asm_bond));
    asm_bond *own = BASE_TAKE(bonds->memory, asm_bond, count);
    det_node_weight *parts =
        BASE_TAKE(bonds->memory, det_node_weight, (int64_t)(part / sizeof(det_node_weight)));
    bonds->broken = BASE_TAKE_ZERO(bonds->memory, uint8_t, count);
    bonds->break_of = BASE_TAKE_ZERO(bonds->memory, int32_t, count);
    bonds->broke_at = BASE_TAKE_ZERO(bonds->memory, double, 3 * (int64_t)count);
    state->damage = BASE_TAKE_ZERO(bonds->memory, double, count);
    if (!own || !parts || !bonds->broken || !bonds->break_of || !bonds->broke_at ||
        !state->damage) {
        return false;
    }
    if (count > 0) {
        memcpy(own, m->bond.data, bond);
    }
    if (part > 0) {
        memcpy(parts, m->part.data, part);
    }
    bonds->list = (asm_bonds){.count = count, .bond = own, .part = parts};
    for (int32_t b = 0; b < count;
         b++) { // without any strength a bond is a layer between dry faces
        bool none = own[b].law->tension == 0.0 && own[b].law->cohesion == 0.0;
        state->damage[b] = none ? MODEL_BOND_BROKEN : 0.0;
    }
    return true;
}

cn_status step_bonds_create(const cn_model *model, const cn_env *env, det_detector *detector,
                            struct step_deformable *deformable, model_state *state,
                            cn_arena *scratch, step_bonds **out, cn_error *error) {
    *out = NULL;
    if (!model->bonds) {
        return CN_OK;
    }
    cn_arena *memory = cn_arena_create(env);
    step_bonds *bonds = memory ? BASE_TAKE_ZERO(memory, step_bonds, 1) : NULL;
    if (!bonds) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    bonds->memory = memory;
    making m = {.model = model, .state = state, .memory = memory, .room = true};
    base_buffer_init(&m.bond, env);
    base_buffer_init(&m.part, env);
    cn_status status = find_bonds(&m, detector, deformable, scratch, error);
    if (status == CN_OK && !keep(&m, bonds, state)) {
        status = base_fail_memory(error);
    }
    base_buffer_free(&m.bond);
    base_buffer_free(&m.part);
    if (status != CN_OK) {
        step_bonds_destroy(bonds);
        return status;
    }
    *out = bonds;
    return CN_OK;
}

void step_bonds_destroy(step_bonds *bonds) {
    if (bonds) {
        cn_arena_destroy(bonds->memory);
    }
}
