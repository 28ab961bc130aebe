// step/act/columns.c
// The values of a model's columns: points of bodies, forces of contacts on groups, joints.
#include <cairn/act.h>

#include "math/rotation.h"
#include "math/vec3.h"
#include "step/sim.h"

#include <stdlib.h>
#include <string.h>

// A point of a body and its velocity.
static void point_of(const cn_sim *sim, int32_t body, const double own[3], double point[3],
                     double velocity[3]) {
    const cn_model *model = sim->model;
    int32_t dim = model->dim;
    const double *pose = sim->state.q + (int64_t)model_pose_size(dim) * body,
                 *v = sim->state.v + (int64_t)model_velocity_size(dim) * body;
    double R[9], arm[3], turning[3], spin[3] = {0.0, 0.0, dim == 2 ? v[2] : 0.0};
    if (dim == 3) {
        math_quat_matrix(pose + 3, R);
        memcpy(spin, v + 3, sizeof spin);
    } else {
        math_angle_matrix(pose[2], R);
    }
    math_mat3_apply(R, own, arm);
    math_cross3(spin, arm, turning);
    for (int32_t k = 0; k < dim; k++) {
        point[k] = pose[k] + arm[k];
        velocity[k] = v[k] + turning[k];
    }
}

static int compare_indices(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static bool is_in(const int32_t *group, int32_t count, int32_t body) {
    return count > 0 &&
           bsearch(&body, group, (size_t)count, sizeof *group, compare_indices) != NULL;
}

// Whether a contact presses on the group: 1 its first body, -1 its second, 0 neither or both.
static double side_of(const model_column *column, int32_t on, int32_t by) {
    bool first = is_in(column->body, column->body_count, on),
         second = is_in(column->body, column->body_count, by);
    if (first == second) {
        return 0.0;
    }
    bool counts =
        column->other_count == 0 || is_in(column->other, column->other_count, first ? by : on);
    return !counts ? 0.0 : first ? 1.0 : -1.0;
}

static void force_of(const cn_sim *sim, const model_column *column, double *out) {
    double h = sim->state.last_h > 0.0 ? sim->state.last_h : sim->model->settings.step;
    double force[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < cn_sim_contact_count(sim); i++) {
        cn_contact_record contact;
        sim_contact_parts(sim, i, STEP_RECORD_PLACE | STEP_RECORD_IMPULSE, &contact);
        double side = side_of(column, contact.candidate - 1, contact.antagonist - 1);
        if (side != 0.0) {
            math_add_scaled3(force, side / h, contact.impulse, force);
        }
    }
    memcpy(out, force, sizeof *out * (size_t)sim->model->dim);
}

static void joint_of(const cn_sim *sim, int32_t joint, double *out) {
    int32_t dim = sim->model->dim;
    cn_joint_state state;
    cn_sim_joint(sim, joint + 1, &state);
    out[0] = state.value;
    out[1] = state.rate;
    out[2] = state.effort;
    memcpy(out + 3, state.force, sizeof *out * (size_t)dim);
    memcpy(out + 3 + dim, state.torque + (dim == 3 ? 0 : 2), sizeof *out * (dim == 3 ? 3 : 1));
}

void cn_sim_columns(const cn_sim *sim, double *values) {
    if (!sim || !values) {
        return;
    }
    for (int32_t i = 0; i < sim->model->column_count; i++) {
        const model_column *column = &sim->model->column[i];
        double x[2][3], v[2][3];
        for (int32_t k = 0; column->kind <= CN_COLUMN_OPENING && k < column->body_count; k++) {
            point_of(sim, column->body[k], column->arm[k], x[k], v[k]);
        }
        switch (column->kind) {
        case CN_COLUMN_FORCE:
            force_of(sim, column, values);
            break;
        case CN_COLUMN_JOINT:
            joint_of(sim, column->joint, values);
            break;
        default:
            for (int32_t k = 0; k < sim->model->dim; k++) {
                values[k] = column->kind == CN_COLUMN_OPENING    ? x[1][k] - x[0][k]
                            : column->kind == CN_COLUMN_POSITION ? x[0][k]
                                                                 : v[0][k];
            }
            break;
        }
        values += column->count;
    }
}
