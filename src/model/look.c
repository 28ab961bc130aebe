// model/look.c
// A finished model as others see it: bodies and shapes in the bodies' own frames, whatever the
// library keeps inside.
#include "model/model.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <string.h>

// Whether there is such a body.
static bool is_body(const cn_model *model, cn_body_id id) {
    return model && id >= 1 && id <= model->body_count;
}

cn_status cn_model_body(const cn_model *model, cn_body_id id, cn_body_info *out) {
    if (!out) {
        return CN_ERR_ARGUMENT;
    }
    *out = (cn_body_info){.name = "", .kind = "", .material = ""};
    if (!is_body(model, id)) {
        return CN_ERR_ARGUMENT;
    }
    const model_body *body = &model->body[id - 1];
    *out = (cn_body_info){.name = body->name,
                          .material = model->material[body->material].name,
                          .kind = model_body_role_text(body->role),
                          .mass = body->mass,
                          .shape_count = body->shape_count,
                          .bound = body->bound,
                          .source = body->source};
    for (int32_t i = 0; i < body->shape_count; i++) {
        out->inradius = fmax(out->inradius, model->shape[body->shape_first + i].depth);
    }
    memcpy(out->com, body->com, sizeof out->com);
    return CN_OK;
}

cn_status cn_model_shape(const cn_model *model, cn_body_id id, int32_t index, cn_shape_info *out) {
    if (!out) {
        return CN_ERR_ARGUMENT;
    }
    *out = (cn_shape_info){.radius = 0.0};
    if (!is_body(model, id) || index < 0 || index >= model->body[id - 1].shape_count) {
        return CN_ERR_ARGUMENT;
    }
    const model_body *body = &model->body[id - 1];
    const geom_shape *shape = &model->shape[body->shape_first + index];
    *out = (cn_shape_info){.kind = shape->kind,
                           .radius = shape->radius,
                           .length = 2.0 * shape->half,
                           .offset = shape->offset + math_dot3(shape->normal, body->com),
                           .vertices = shape->hull.vertex,
                           .vertex_count = shape->hull.vertex_count};
    // Inside the library shapes stand relative to the centre of mass.
    math_add_scaled3(shape->position, 1.0, body->com, out->position);
    memcpy(out->axes, shape->R, sizeof out->axes);
    memcpy(out->normal, shape->normal, sizeof out->normal);
    for (int32_t k = 0; k < 3; k++) {
        out->size[k] = 2.0 * shape->axes[k];
    }
    if (model->dim == 3 && out->vertices) {
        out->face = shape->hull.face;
        out->loop = shape->hull.loop;
        out->face_count = shape->hull.face_count;
    }
    return CN_OK;
}

cn_status cn_model_joint(const cn_model *model, int32_t id, cn_joint_info *out) {
    if (!out) {
        return CN_ERR_ARGUMENT;
    }
    *out = (cn_joint_info){.name = ""};
    if (!model || id < 1 || id > model->joint_count) {
        return CN_ERR_ARGUMENT;
    }
    const model_joint *joint = &model->joint[id - 1];
    *out = (cn_joint_info){.name = joint->name ? joint->name : "", .kind = joint->geometry.kind};
    for (int32_t i = 0; i < 2; i++) {
        out->body[i] = joint->body[i] + 1;
        math_add_scaled3(joint->geometry.anchor[i].point, 1.0, model->body[joint->body[i]].com,
                         out->point[i]);
    }
    // The axis is the frame's z, in 2D its x.
    double R[9];
    if (model->dim == 3) {
        math_quat_matrix(joint->geometry.anchor[0].turn, R);
    } else {
        math_angle_matrix(joint->geometry.anchor[0].angle, R);
    }
    for (int32_t k = 0; k < 3; k++) {
        out->axis[k] = R[3 * k + (model->dim == 3 ? 2 : 0)];
    }
    return CN_OK;
}

const char *model_body_role_text(model_body_role role) {
    static const char *const kinds[] = {[MODEL_BODY_FREE] = "rigid",
                                        [MODEL_BODY_FIXED] = "fixed",
                                        [MODEL_BODY_DRIVEN] = "driven",
                                        [MODEL_BODY_LAGRANGIAN] = "lagrangian",
                                        [MODEL_BODY_FIRST_ORDER] = "first-order"};
    return kinds[role];
}
