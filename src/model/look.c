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

// Where a body starts, in its own frame, and how fast.
static void look_start(const cn_model *model, int32_t index, cn_body_info *out) {
    int32_t dim = model->dim;
    const double *q = model->q0 + (int64_t)model_pose_size(dim) * index;
    double R[9], offset[3];
    out->orientation[0] = 1.0;
    if (dim == 3) {
        memcpy(out->orientation, q + 3, sizeof out->orientation);
        math_quat_matrix(q + 3, R);
    } else {
        out->angle = q[2];
        base_sincos(0.5 * q[2], &out->orientation[3], &out->orientation[0]);
        math_angle_matrix(q[2], R);
    }
    math_mat3_apply(R, model->body[index].com, offset);
    for (int32_t k = 0; k < dim; k++) {
        out->position[k] = q[k] - offset[k];
    }
    if (model->v0) { // else nothing moves
        const double *v = model->v0 + (int64_t)model_velocity_size(dim) * index;
        memcpy(out->velocity, v, sizeof *v * (size_t)dim);
        memcpy(out->angular_velocity + (dim == 3 ? 0 : 2), v + dim,
               sizeof *v * (size_t)(dim == 3 ? 3 : 1));
    }
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
    out->material_index = body->material;
    memcpy(out->inertia, model->inertia[body->inertia].tensor, sizeof out->inertia);
    out->lock = body->lock;
    out->lock_body_axes = body->lock_body_axes;
    look_start(model, id - 1, out);
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

int32_t cn_model_material_count(const cn_model *model) {
    return model ? model->material_count : 0;
}

int32_t cn_model_find_material(const cn_model *model, const char *name) {
    return model && name ? base_names_find(&model->material_names, name) : -1;
}

cn_status cn_model_material(const cn_model *model, int32_t material, cn_material_def *out) {
    if (!out) {
        return CN_ERR_ARGUMENT;
    }
    *out = (cn_material_def){.name = ""};
    if (!model || material < 0 || material >= model->material_count) {
        return CN_ERR_ARGUMENT;
    }
    const model_material *own = &model->material[material];
    *out = (cn_material_def){.name = own->name,
                             .density = own->density,
                             .young = own->young,
                             .poisson = own->poisson,
                             .damping_mass = own->damping_mass,
                             .damping_stiffness = own->damping_stiffness};
    return CN_OK;
}

cn_status cn_model_law(const cn_model *model, int32_t a, int32_t b, cn_contact_def *out) {
    if (!out) {
        return CN_ERR_ARGUMENT;
    }
    *out = cn_contact_def_default();
    int32_t count = model && model->finished ? model->material_count : 0;
    if (a < 0 || b < 0 || a >= count || b >= count) {
        return CN_ERR_ARGUMENT;
    }
    const model_body_pair *pair = model_pair(model, a, b);
    *out = (cn_contact_def){.between = {model->material[a].name, model->material[b].name},
                            .friction = pair->friction,
                            .friction_dynamic = pair->friction_dynamic,
                            .restitution = pair->restitution,
                            .restitution_tangent = pair->restitution_tangent,
                            .correction = pair->correction,
                            .law = pair->law,
                            .cohesion = pair->bond.cohesion,
                            .tension = pair->bond.tension,
                            .stiffness_normal = pair->bond.stiffness[0],
                            .stiffness_tangent = pair->bond.stiffness[1],
                            .fracture_energy = {pair->bond.energy[0], pair->bond.energy[1]},
                            .viscosity = pair->bond.viscosity,
                            .bond_area = pair->bond.area,
                            .bond_gap = pair->bond.gap,
                            .softening = pair->bond.softening};
    return CN_OK;
}

int32_t cn_model_find_joint(const cn_model *model, const char *name) {
    for (int32_t j = 0; model && name && name[0] && j < model->joint_count; j++) {
        if (strcmp(model->joint[j].name, name) == 0) {
            return j + 1;
        }
    }
    return 0;
}

const char *model_body_role_text(model_body_role role) {
    static const char *const kinds[] = {[MODEL_BODY_FREE] = "rigid",
                                        [MODEL_BODY_FIXED] = "fixed",
                                        [MODEL_BODY_DRIVEN] = "driven",
                                        [MODEL_BODY_LAGRANGIAN] = "lagrangian",
                                        [MODEL_BODY_FIRST_ORDER] = "first-order",
                                        [MODEL_BODY_DEFORMABLE] = "deformable",
                                        [MODEL_BODY_REMOVED] = "removed"};
    return kinds[role];
}
