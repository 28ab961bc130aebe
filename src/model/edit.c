// model/edit.c
#include "model/edit.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/build.h"

#include <string.h>

cn_model *model_copy(const cn_model *model, const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    cn_model *copy = memory ? BASE_TAKE(memory, cn_model, 1) : NULL;
    if (!copy) {
        cn_arena_destroy(memory);
        return NULL;
    }
    *copy = *model;
    copy->env = *cn_arena_env(memory);
    copy->memory = memory;
    copy->text = NULL;
    copy->shared_joints = model->joint_count;
    copy->inputs.listed = true; // no more of them
    copy->signals.inputs = &copy->inputs;
    base_name_entry *names = BASE_TAKE(memory, base_name_entry, model->body_names.capacity);
    bool good = model_copy_arrays(copy, model) && names;
    if (good && model->body_names.capacity > 0) {
        memcpy(names, model->body_names.entry, sizeof *names * (size_t)model->body_names.capacity);
        copy->body_names.entry = names;
    }
    if (!good) {
        model_copy_destroy(copy);
        return NULL;
    }
    return copy;
}

void model_copy_destroy(cn_model *copy) {
    if (!copy) {
        return;
    }
    for (int32_t j = copy->shared_joints; copy->joint && j < copy->joint_count; j++) {
        base_signal_destroy(copy->joint[j].target);
    }
    model_free_arrays(copy);
    cn_arena_destroy(copy->memory); // the copy itself is in it
}

cn_status model_edit_add_body(cn_model *copy, const cn_body_def *def, cn_error *error) {
    cn_body_id id;
    copy->finished = false;
    cn_status status = cn_model_add_body(copy, def, &id, error);
    copy->finished = true;
    CN_TRY(status);
    CN_TRY(model_check_body(copy, id - 1, error));
    model_derive(copy);
    return CN_OK;
}

cn_status model_edit_add_joint(cn_model *copy, const cn_joint_def *def, const double *pose[2],
                               cn_error *error) {
    int32_t id, size = model_pose_size(copy->dim);
    for (int32_t k = 0; k < 2; k++) {
        cn_body_id body = def->body[k];
        if (body < 1 || body > copy->body_count) {
            return base_fail(error, CN_ERR_ARGUMENT, "there is no body %d", (int)body);
        }
        if (copy->body[body - 1].role == MODEL_BODY_REMOVED) {
            return base_fail(error, CN_ERR_ARGUMENT, "body %d was removed", (int)body);
        }
        memcpy(copy->q0 + (int64_t)size * (body - 1), pose[k], sizeof **pose * (size_t)size);
    }
    copy->finished = false;
    cn_status status = cn_model_add_joint(copy, def, &id, error);
    copy->finished = true;
    CN_TRY(status);
    CN_TRY(model_joints_check(copy, error));
    model_derive(copy);
    return CN_OK;
}

// Controllers go on measuring what they measure.
static cn_status check_sensors(const cn_model *model, bool joint, int32_t of, cn_error *error) {
    const model_control *control = model->control;
    for (int32_t i = 0; control && i < control->sensor_count; i++) {
        model_sensor_kind kind = control->sensor[i].kind;
        bool measured = kind == MODEL_SENSOR_JOINT || kind == MODEL_SENSOR_JOINT_RATE;
        if (measured == joint && control->sensor[i].of == of) {
            return base_fail(error, CN_ERR_ARGUMENT,
                             "a controller measures %s %d, so that it cannot be removed",
                             joint ? "joint" : "body", (int)of + 1);
        }
    }
    return CN_OK;
}

static bool holds(const model_joint *joint, int32_t body) {
    return !joint->removed && (joint->body[0] == body || joint->body[1] == body);
}

cn_status model_check_removal(const cn_model *model, bool joint, int32_t index, cn_error *error) {
    if (joint) {
        bool there = index >= 0 && index < model->joint_count && !model->joint[index].removed;
        return there ? check_sensors(model, true, index, error)
                     : base_fail(error, CN_ERR_ARGUMENT, "there is no joint %d", (int)index + 1);
    }
    if (index < 0 || index >= model->body_count || model->body[index].role == MODEL_BODY_REMOVED) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no body %d", (int)index + 1);
    }
    for (int32_t j = 0; j < model->joint_count; j++) {
        CN_TRY(holds(&model->joint[j], index) ? check_sensors(model, true, j, error) : CN_OK);
    }
    return check_sensors(model, false, index, error);
}

cn_status model_edit_remove_body(cn_model *copy, int32_t body, cn_error *error) {
    CN_TRY(model_check_removal(copy, false, body, error));
    for (int32_t j = 0; j < copy->joint_count; j++) {
        CN_TRY(holds(&copy->joint[j], body) ? model_edit_remove_joint(copy, j, error) : CN_OK);
    }
    model_body *of = &copy->body[body];
    if (of->name[0] && cn_model_find_body(copy, of->name) == body + 1) {
        base_names_set(&copy->body_names, of->name, -1);
    }
    int32_t left = 0;
    for (int32_t i = 0; i < copy->force_count; i++) {
        copy->force[left] = copy->force[i];
        left += copy->force[i].body != body;
    }
    copy->force_count = left;
    left = 0;
    for (int32_t i = 0; i < copy->motion_count; i++) {
        copy->motion[left] = copy->motion[i];
        left += copy->motion[i].body != body;
    }
    copy->motion_count = left;
    of->role = MODEL_BODY_REMOVED;
    of->shape_count = 0;
    of->bound = 0.0;
    of->sphere = false;
    return CN_OK;
}

cn_status model_edit_remove_joint(cn_model *copy, int32_t joint, cn_error *error) {
    CN_TRY(model_check_removal(copy, true, joint, error));
    model_joint *of = &copy->joint[joint];
    of->removed = true;
    of->row_count = 0;
    of->motor = CN_MOTOR_NONE;
    copy->joint_row_count = 0;
    for (int32_t j = 0; j < copy->joint_count; j++) {
        copy->joint[j].row_first = copy->joint_row_count;
        copy->joint_row_count += copy->joint[j].row_count;
    }
    return model_joints_check(copy, error);
}
