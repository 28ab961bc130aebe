// check/deformable_geometry.c
// Gaps of contacts of deformable bodies: along the normal the sides are as far apart as the gap
// says; the side of a rigid body is on its surface, which grows by a unit per unit along the normal.
// Gaps of two deformable bodies are measured along the normals of faces and the row has their mean,
// so that they agree up to the alert distance times how far these differ from it.
#include "check/deformable.h"

#include "base/arena.h"
#include "check/shapes.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SURFACE_SHARE 1e-6 // of the size of the rigid body
#define FACING_COS (-0.5)  // faces with a normal beyond this against the contact's take no part
#define NORMAL_STEP 1e-4   // of the size of the deformable body: to see how a distance grows
#define NORMAL_ROOM 1e-3   // of a unit: surfaces curve within that step

// The weighted place of a side's nodes; false: the side is rigid.
static bool side_of(const check_checking *check, int32_t contact, int32_t body, double sign,
                    double out[3]) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const model_deformable *own = model_deformable_of(model, body);
    out[0] = out[1] = out[2] = 0.0;
    for (int32_t k = frame->part_start[contact]; own && k < frame->part_start[contact + 1]; k++) {
        if (frame->part_body[k] - 1 == body) {
            const double *x =
                frame->x_middle + (int64_t)model->dim * (own->first_node + frame->part_node[k]);
            for (int32_t i = 0; i < model->dim; i++) {
                out[i] += sign * frame->part_weight[k] * x[i];
            }
        }
    }
    return own != NULL;
}

// Signed distance of a point from a rigid body, outside positive.
static double outside_of(const check_checking *check, int32_t body, const double point[3]) {
    const cn_model *model = check->model;
    double off = HUGE_VAL;
    for (int32_t k = 0; k < model->body[body].shape_count; k++) {
        check_solid solid =
            check_solid_at(model, body, k, check_pose_of(model, check->frame.middle, body));
        off = fmin(off, check_solid_distance(&solid, point));
    }
    return off;
}

// Outward normal of a face of the surface, of a quadrilateral by its diagonals.
static void face_normal(const check_checking *check, const model_deformable *own, int32_t face,
                        double normal[3]) {
    int32_t size = own->mesh->element->face_nodes, dim = check->model->dim;
    const int32_t *node = own->mesh->face + (int64_t)size * face;
    const int32_t from[2] = {node[0], node[size == 4 ? 1 : 0]}, to[2] = {node[size == 2   ? 1
                                                                              : size == 4 ? 2
                                                                                          : 1],
                                                                         node[size - 1]};
    double way[2][3] = {{0.0}, {0.0}};
    for (int k = 0; k < 2; k++) {
        for (int32_t i = 0; i < dim; i++) {
            way[k][i] = check->frame.x_middle[(int64_t)dim * (own->first_node + to[k]) + i] -
                        check->frame.x_middle[(int64_t)dim * (own->first_node + from[k]) + i];
        }
    }
    if (dim == 2) {
        normal[0] = way[0][1];
        normal[1] = -way[0][0];
        normal[2] = 0.0;
    } else {
        math_cross3(way[0], way[1], normal);
    }
    double length = math_norm3(normal);
    for (int i = 0; i < 3; i++) {
        normal[i] /= length;
    }
}

// How far the normals of the candidate's faces at its nodes that face the other body are from the
// contact's.
static double spread_of(const check_checking *check, int32_t contact) {
    const check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[contact];
    const model_deformable *own = model_deformable_of(check->model, c->candidate - 1);
    int32_t size = own->mesh->element->face_nodes;
    double spread = 0.0;
    for (int32_t k = frame->part_start[contact]; k < frame->part_start[contact + 1]; k++) {
        for (int32_t f = 0; frame->part_body[k] == c->candidate && f < own->mesh->faces; f++) {
            const int32_t *node = own->mesh->face + (int64_t)size * f;
            bool at = false;
            for (int32_t i = 0; i < size; i++) {
                at = at || node[i] == frame->part_node[k];
            }
            double n[3];
            if (at) {
                face_normal(check, own, f, n);
            }
            if (at && math_dot3(n, c->normal) < FACING_COS) {
                math_add_scaled3(n, 1.0, c->normal, n);
                spread = fmax(spread, math_norm3(n));
            }
        }
    }
    return spread;
}

void check_deformed_place(check_checking *check, int32_t contact, check_worst *surface,
                          check_worst *plane) {
    const cn_contact_record *c = &check->frame.contact[contact];
    const int32_t side[2] = {c->candidate - 1, c->antagonist - 1};
    double at[2][3], allowed = CHECK_ROUND * (1.0 + math_norm3(c->point)), apart[3];
    bool soft[2];
    for (int k = 0; k < 2; k++) {
        soft[k] = side_of(check, contact, side[k], k == 0 ? 1.0 : -1.0, at[k]);
        double bound = check->model->body[side[k]].bound;
        allowed += soft[k] || !(bound < HUGE_VAL) ? 0.0 : SURFACE_SHARE * bound;
    }
    if (soft[0] && soft[1]) {
        math_sub3(at[0], at[1], apart);
        allowed += spread_of(check, contact) * (check->model->settings.alert + math_norm3(apart));
        check_worst_add(surface, fabs(math_dot3(apart, c->normal) - c->gap), allowed, contact);
        return;
    }
    // A node in front of a surface, or a corner of the rigid body in front of a face: then the
    // normal is the face's.
    int own = soft[0] ? 0 : 1;
    double on_rigid[3], sign = own == 0 ? 1.0 : -1.0;
    math_add_scaled3(at[own], -sign * c->gap, c->normal, on_rigid);
    check_worst_add(surface, fabs(outside_of(check, side[1 - own], on_rigid)), allowed, contact);
    double step = NORMAL_STEP * check->model->body[side[own]].bound, ahead[3];
    math_add_scaled3(on_rigid, sign * step, c->normal, ahead);
    double grown = outside_of(check, side[1 - own], ahead) / step;
    check_worst_add(plane, fabs(grown - 1.0), NORMAL_ROOM + allowed / step, contact);
}

// ---- pairs without a contact ----

static bool is_named(const check_checking *check, int32_t a, int32_t b) {
    const check_frame *frame = &check->frame;
    for (int32_t c = 0; c < frame->contacts; c++) {
        int32_t candidate = frame->contact[c].candidate - 1,
                antagonist = frame->contact[c].antagonist - 1;
        if ((candidate == a && antagonist == b) || (candidate == b && antagonist == a)) {
            return true;
        }
    }
    return false;
}

static bool is_near(const check_checking *check, int32_t a, int32_t b) {
    const cn_model *model = check->model;
    const double *x = check_pose_of(model, check->frame.middle, a),
                 *y = check_pose_of(model, check->frame.middle, b);
    double square = 0.0, reach = 2.0 * model->body[a].bound + model->body[b].bound;
    for (int32_t k = 0; k < model->dim; k++) {
        square += (x[k] - y[k]) * (x[k] - y[k]);
    }
    return !(square > reach * reach);
}

void check_deformed_missed(check_checking *check) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    check_worst worst = {.any = false};
    int32_t other = -1;
    for (int32_t i = 0; check->deformables && i < model->deformable_count; i++) {
        const model_deformable *own = model->deformables[i];
        for (int32_t body = 0; body < model->body_count; body++) {
            if (model_is_deformable(model, body) || !is_near(check, own->body, body) ||
                model_is_jointed(model, own->body < body ? own->body : body,
                                 own->body < body ? body : own->body) ||
                is_named(check, own->body, body)) {
                continue;
            }
            for (int32_t n = 0; n < own->mesh->surface_nodes; n++) {
                double point[3] = {0.0, 0.0, 0.0};
                memcpy(point,
                       frame->x_middle +
                           (int64_t)model->dim * (own->first_node + own->mesh->surface_node[n]),
                       sizeof *point * (size_t)model->dim);
                double depth = -outside_of(check, body, point);
                if (!worst.any || depth > worst.value) {
                    worst = (check_worst){depth, model->settings.alert, own->body, true};
                    other = body;
                }
            }
        }
    }
    if (worst.any && !(worst.value <= worst.allowed)) {
        check_find(check, "contact", frame->step, worst.value, worst.allowed,
                   "nodes of body %d are inside body %d, and the two have no contact",
                   (int)worst.where + 1, (int)other + 1);
    }
}
