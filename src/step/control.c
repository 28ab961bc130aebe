// step/control.c
// Controllers of rigid bodies: at the start of a step their sensors get the numbers of bodies and
// joints, and those whose period begins are sampled. What they put out is held in between.
#include "step/sim.h"

#include "math/rotation.h"
#include "math/vec3.h"

// Position of a body's own frame along an axis.
static double sense_position(const cn_sim *sim, int32_t body, int32_t axis) {
    const cn_model *model = sim->model;
    const double *pose = sim->state.q + (int64_t)model_pose_size(model->dim) * body;
    double R[9], offset[3];
    if (model->dim == 3) {
        math_quat_matrix(pose + 3, R);
    } else {
        math_angle_matrix(pose[2], R);
    }
    math_mat3_apply(R, model->body[body].com, offset);
    return pose[axis] - offset[axis];
}

static double sense_joint(const cn_sim *sim, int32_t index, bool rate) {
    const cn_model *model = sim->model;
    const model_joint *joint = &model->joint[index];
    int32_t size = model_velocity_size(model->dim);
    double J[12], sum = 0.0;
    joint_view view;
    asm_joint_view_at(model, &sim->state, index, sim->state.q, &view);
    double value = joint_gauge(&view, joint_form_of(joint->geometry.kind, model->dim)->drive, J);
    for (int32_t k = 0; k < 12; k++) {
        const double *v = sim->state.v + (int64_t)size * joint->body[k / 6];
        int32_t part = k % 6;
        bool flat = part < 2 || part == 5;
        sum += model->dim == 3 ? J[k] * v[part] : flat ? J[k] * v[part == 5 ? 2 : part] : 0.0;
    }
    return rate ? sum : value;
}

static double sense(const cn_sim *sim, const model_sensor *sensor) {
    const cn_model *model = sim->model;
    int64_t size = model_velocity_size(model->dim);
    switch (sensor->kind) {
    case MODEL_SENSOR_POSITION:
        return sense_position(sim, sensor->of, sensor->axis);
    case MODEL_SENSOR_ANGLE:
        return sim->state.q[3 * (int64_t)sensor->of + 2];
    case MODEL_SENSOR_VELOCITY:
        return sim->state.v[size * sensor->of + sensor->axis];
    case MODEL_SENSOR_SPIN:
        return sim->state.v[size * sensor->of + (model->dim == 3 ? 3 : 0) + sensor->axis];
    case MODEL_SENSOR_JOINT:
    case MODEL_SENSOR_JOINT_RATE:
        return sense_joint(sim, sensor->of, sensor->kind == MODEL_SENSOR_JOINT_RATE);
    }
    return 0.0;
}

void step_control_sample(cn_sim *sim, double t) {
    const model_control *control = sim->model->control;
    if (!control) {
        return;
    }
    for (int32_t i = 0; i < control->sensor_count; i++) {
        sim->control->value[1 + i] = sense(sim, &control->sensor[i]); // behind t
    }
    sys_script_sample(sim->control, t, sim->model->settings.step, NULL, NULL);
}
