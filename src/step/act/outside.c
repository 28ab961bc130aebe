// step/act/outside.c
// What acts on the bodies from outside: loads that are held, loads of one step, and inputs.
//
// Loads are added to those of the scene at q~ (step/loads.c), so that their work is booked like
// theirs. They are part of the state: a saved one continues with them.
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

cn_status sim_check_free(const cn_sim *sim, cn_body_id body, const char *what, cn_error *error) {
    const cn_model *model = sim->model;
    if (model->system) {
        return base_fail(error, CN_ERR_UNSUPPORTED,
                         "a system in coordinates of its own has no bodies for %s", what);
    }
    if (!cn_sim_has_body(sim, body)) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no body %d", (int)body);
    }
    const model_body *of = &model->body[body - 1];
    if (of->role != MODEL_BODY_FREE) {
        return base_fail(error, CN_ERR_ARGUMENT, "body %d (%s) is %s and does not answer to %s",
                         (int)body, of->name, model_body_role_text(of->role), what);
    }
    return CN_OK;
}

void sim_acted(cn_sim *sim, sim_act how) {
    sim->outside.acted[how] = sim->state.step + 1;
}

static bool is_zero(const double *x, int32_t count) {
    bool zero = true;
    for (int32_t i = 0; i < count; i++) {
        zero = zero && x[i] == 0.0;
    }
    return zero;
}

static bool is_finite(const double *x, int32_t count) {
    bool finite = true;
    for (int32_t i = 0; i < count; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

// ---- loads ----

cn_status sim_take_loads(cn_sim *sim, double **place, cn_error *error) {
    if (!*place) {
        cn_arena *memory = sim->bodies ? sim->bodies : sim->memory;
        *place = BASE_TAKE_ZERO(memory, double, 6 * (int64_t)sim->model->body_count);
    }
    return *place ? CN_OK : base_fail_memory(error);
}

static cn_status check_loads(const cn_sim *sim, const double *wrench, cn_error *error) {
    int32_t size = model_velocity_size(sim->model->dim);
    for (int32_t i = 0; i < sim->model->body_count; i++) {
        const double *own = wrench + (int64_t)size * i;
        if (!is_finite(own, size)) {
            return base_fail(error, CN_ERR_ARGUMENT, "the load of body %d (%s) is not finite",
                             (int)i + 1, sim->model->body[i].name);
        }
        if (!is_zero(own, size)) {
            CN_TRY(sim_check_free(sim, i + 1, "loads", error));
        }
    }
    return CN_OK;
}

cn_status cn_sim_set_loads(cn_sim *sim, const double *wrench, cn_error *error) {
    static const int flat[3] = {0, 1, 5};
    if (!sim) {
        return base_fail_missing(error);
    }
    if (!wrench) {
        sim->outside.holds = false;
        return CN_OK;
    }
    int32_t size = model_velocity_size(sim->model->dim);
    CN_TRY(check_loads(sim, wrench, error));
    CN_TRY(sim_take_loads(sim, &sim->outside.held, error));
    for (int64_t i = 0; i < sim->model->body_count; i++) {
        for (int32_t k = 0; k < size; k++) {
            sim->outside.held[6 * i + (size == 6 ? k : flat[k])] = wrench[size * i + k];
        }
    }
    sim->outside.holds = !is_zero(sim->outside.held, 6 * sim->model->body_count);
    sim_acted(sim, SIM_ACT_LOADS);
    return CN_OK;
}

// Force or impulse at a point and torque or angular impulse, as six numbers about the centre of
// mass of the body as it stands.
static cn_status wrench_of(const cn_sim *sim, int32_t body, const double force[3],
                           const double torque[3], const double point[3], double out[6],
                           cn_error *error) {
    const cn_model *model = sim->model;
    int32_t dim = model->dim;
    memset(out, 0, 6 * sizeof *out);
    if (force) {
        memcpy(out, force, sizeof *out * (size_t)dim);
    }
    if (torque) {
        memcpy(out + (dim == 3 ? 3 : 5), torque + (dim == 3 ? 0 : 2),
               sizeof *out * (size_t)(dim == 3 ? 3 : 1));
    }
    if (!is_finite(out, 6) || (point && !is_finite(point, dim))) {
        return base_fail(error, CN_ERR_ARGUMENT, "a force, torque or point is not finite");
    }
    if (point) {
        const double *pose = sim->state.q + (int64_t)model_pose_size(dim) * body;
        double R[9], arm[3] = {point[0], point[1], dim == 3 ? point[2] : 0.0}, moment[3];
        if (dim == 3) {
            math_quat_matrix(pose + 3, R);
        } else {
            math_angle_matrix(pose[2], R);
        }
        math_sub3(arm, model->body[body].com, arm);
        math_mat3_apply(R, arm, arm);
        math_cross3(arm, out, moment);
        math_add_scaled3(out + 3, 1.0, moment, out + 3);
    }
    return CN_OK;
}

cn_status cn_sim_apply(cn_sim *sim, cn_body_id body, const double force[3], const double torque[3],
                       const double point[3], cn_error *error) {
    double wrench[6];
    if (!sim) {
        return base_fail_missing(error);
    }
    CN_TRY(sim_check_free(sim, body, "forces", error));
    CN_TRY(wrench_of(sim, body - 1, force, torque, point, wrench, error));
    CN_TRY(sim_take_loads(sim, &sim->outside.once, error));
    double *own = sim->outside.once + 6 * (int64_t)(body - 1);
    for (int32_t k = 0; k < 6; k++) {
        own[k] += wrench[k];
    }
    sim->outside.pushes = true;
    sim_acted(sim, SIM_ACT_LOADS);
    return CN_OK;
}

void sim_end_push(cn_sim *sim) {
    if (sim->outside.pushes) {
        memset(sim->outside.once, 0, sizeof(double) * 6 * (size_t)sim->model->body_count);
        sim->outside.pushes = false;
    }
}

// ---- impulses ----

// v of the body := v + M^-1 p.
static void change_velocity(const cn_sim *sim, int32_t body, const double wrench[6], double *v) {
    static const int flat[3] = {0, 1, 5};
    const cn_model *model = sim->model;
    body_rigid rigid = model_body_rigid(model, body);
    const double *pose = sim->state.q + (int64_t)model_pose_size(model->dim) * body;
    double inverse[36];
    int32_t size = model_velocity_size(model->dim);
    double *own = v + (int64_t)size * body;
    rigid_inverse_mass(&rigid, pose, inverse);
    for (int32_t i = 0; i < size; i++) {
        for (int32_t k = 0; k < size; k++) {
            own[i] += inverse[size * i + k] * wrench[size == 6 ? k : flat[k]];
        }
    }
}

cn_status cn_sim_apply_impulse(cn_sim *sim, cn_body_id body, const double impulse[3],
                               const double angular[3], const double point[3], cn_error *error) {
    double wrench[6];
    if (!sim) {
        return base_fail_missing(error);
    }
    CN_TRY(sim_check_free(sim, body, "impulses", error));
    CN_TRY(wrench_of(sim, body - 1, impulse, angular, point, wrench, error));
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    int64_t size = model_velocity_count(sim->model);
    double *v = BASE_TAKE(sim->scratch, double, size);
    if (!v) {
        return base_fail_memory(error);
    }
    memcpy(v, sim->state.v, sizeof *v * (size_t)size);
    change_velocity(sim, body - 1, wrench, v);
    cn_status status = sim_change_state(sim, sim->state.q, v, 0, body - 1, error);
    base_arena_release(sim->scratch, mark);
    return status;
}

// ---- inputs ----

cn_status cn_sim_set_input(cn_sim *sim, int32_t index, double value, cn_error *error) {
    if (!sim) {
        return base_fail_missing(error);
    }
    if (index < 0 || index >= sim->model->inputs.count) {
        base_fail(error, CN_ERR_ARGUMENT, "there is no input %d", (int)index);
        base_fail_hint(error, "the model has %d; cn_model_input_find gives -1 for unknown names",
                       (int)sim->model->inputs.count);
        return CN_ERR_ARGUMENT;
    }
    if (!isfinite(value)) {
        return base_fail(error, CN_ERR_ARGUMENT, "input '%s': %g is not a finite number",
                         sim->model->inputs.name[index], value);
    }
    sim->outside.input[index] = value;
    sim_acted(sim, SIM_ACT_INPUTS);
    return CN_OK;
}

cn_status cn_sim_set_inputs(cn_sim *sim, const double *values, cn_error *error) {
    if (!sim || (!values && sim->model->inputs.count > 0)) {
        return base_fail_missing(error);
    }
    for (int32_t i = 0; i < sim->model->inputs.count; i++) {
        if (!isfinite(values[i])) {
            return base_fail(error, CN_ERR_ARGUMENT, "input '%s': %g is not a finite number",
                             sim->model->inputs.name[i], values[i]);
        }
    }
    if (sim->model->inputs.count > 0) {
        memcpy(sim->outside.input, values, sizeof *values * (size_t)sim->model->inputs.count);
        sim_acted(sim, SIM_ACT_INPUTS);
    }
    return CN_OK;
}

const double *cn_sim_inputs(const cn_sim *sim) {
    return sim ? sim->outside.input : NULL;
}
