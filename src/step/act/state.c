// step/act/state.c
// Poses and velocities set from outside between two steps.
//
// The change is made on copies and taken when all of it is good. What the energy changes by is
// booked as work from outside. Impulses stay as first guesses; how contacts moved in the last step
// says nothing of a body whose velocity was set, so that its frame changes are none in the next one.
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// The compliance of joints leaves a millionth of a rate across them in each round.
#define PROJECT_ROUNDS 3
#define PROJECT_RATE 1e-12

#define STATE_FLAGS (CN_STATE_PROJECT | CN_STATE_NO_OVERLAP)

cn_status sim_detach_last(cn_sim *sim, cn_error *error) {
    step_data *last = &sim->last;
    int64_t poses = model_pose_count(sim->model), velocities = model_velocity_count(sim->model);
    if (!last->shared) {
        return CN_OK;
    }
    double *q = BASE_TAKE(sim->step_memory, double, poses);
    double *v = BASE_TAKE(sim->step_memory, double, velocities);
    if (!q || !v) {
        return base_fail_memory(error);
    }
    memcpy(q, last->q, sizeof *q * (size_t)poses);
    memcpy(v, last->v, sizeof *v * (size_t)velocities);
    last->inertia.q = last->q_middle = last->q = q;
    last->v_seen = last->v_free = last->v_new = last->v = v;
    last->shared = false;
    return CN_OK;
}

// ---- what is given ----

// Poses of the bodies' own frames as those of their centres of mass.
static cn_status take_poses(const cn_sim *sim, const double *given, double *q, cn_error *error) {
    const cn_model *model = sim->model;
    int32_t size = model_pose_size(model->dim);
    for (int32_t i = 0; i < model->body_count; i++) {
        const double *from = given + (int64_t)size * i;
        double *to = q + (int64_t)size * i, R[9], offset[3], sum = 0.0;
        for (int32_t k = 0; k < size; k++) {
            sum += fabs(from[k]);
        }
        if (!isfinite(sum)) {
            return base_fail(error, CN_ERR_ARGUMENT, "the pose of body %d (%s) is not finite",
                             (int)i + 1, model->body[i].name);
        }
        if (model->body[i].role == MODEL_BODY_REMOVED || model_is_deformable(model, i)) {
            continue;
        }
        memcpy(to, from, sizeof *to * (size_t)size);
        if (model->dim == 3) {
            if (!(from[3] != 0.0 || from[4] != 0.0 || from[5] != 0.0 || from[6] != 0.0)) {
                return base_fail(error, CN_ERR_ARGUMENT, "the quaternion of body %d (%s) is zero",
                                 (int)i + 1, model->body[i].name);
            }
            math_quat_normalize(to + 3);
            math_quat_matrix(to + 3, R);
        } else {
            math_angle_matrix(to[2], R);
        }
        math_mat3_apply(R, model->body[i].com, offset);
        for (int32_t k = 0; k < model->dim; k++) {
            to[k] += offset[k];
        }
    }
    return CN_OK;
}

// Velocities of free bodies, without the part along locked degrees of freedom; others keep theirs.
static cn_status take_velocities(const cn_sim *sim, const double *given, const double *q, double *v,
                                 cn_error *error) {
    static const double none[3] = {0.0, 0.0, 0.0};
    const cn_model *model = sim->model;
    int32_t size = model_velocity_size(model->dim);
    for (int32_t i = 0; i < model->body_count; i++) {
        const double *from = given + (int64_t)size * i;
        double *to = v + (int64_t)size * i, sum = 0.0, inverse[36];
        for (int32_t k = 0; k < size; k++) {
            sum += fabs(from[k]);
        }
        if (!isfinite(sum)) {
            return base_fail(error, CN_ERR_ARGUMENT, "the velocity of body %d (%s) is not finite",
                             (int)i + 1, model->body[i].name);
        }
        if (model->body[i].role != MODEL_BODY_FREE) {
            continue;
        }
        memcpy(to, from, sizeof *to * (size_t)size);
        if (model->body[i].lock) {
            body_rigid rigid = model_body_rigid(model, i);
            const double *pose = q + (int64_t)model_pose_size(model->dim) * i;
            rigid_inverse_mass(&rigid, pose, inverse);
            rigid_kick(&rigid, pose, inverse, none, none, 0.0, to, to);
        }
    }
    return CN_OK;
}

// Onto the joints; poses only where they may be changed.
static cn_status project(cn_sim *sim, double *q, double *v, cn_error *error) {
    const double *impulses;
    base_arena_mark mark = base_arena_get_mark(sim->step_memory);
    step_context in = sim_context(sim, cn_sim_time(sim), sim->model->settings.step);
    cn_status status =
        q != sim->state.q ? step_project_positions(&in, &sim->solvers, q, error) : CN_OK;
    double min = PROJECT_RATE * asm_joints_rate(sim->model, &sim->state, q, v);
    for (int32_t round = 0; status == CN_OK && round < PROJECT_ROUNDS; round++) {
        status = step_remove_joint_rates(&in, &sim->solvers, min, q, v, &impulses, error);
    }
    base_arena_release(sim->step_memory, mark);
    return status;
}

static cn_status check_state(cn_sim *sim, const double *q, const double *v, cn_error *error) {
    cn_status status = sim_check_overlap(sim, q, v, error);
    det_detector_rest(sim->detector, NULL);
    det_detector_reset(sim->detector);
    if (status == CN_ERR_INPUT) { // it is about numbers given, not about the scene
        error->status = status = CN_ERR_ARGUMENT;
    }
    return status;
}

// ---- the change ----

// Contacts of a body, or of all for -1, have no motion that could be compared with.
static void forget_motion(model_state *state, int32_t body) {
    for (int32_t c = 0; c < state->impulse_count; c++) {
        const model_contact_key *key = &state->key[c];
        if (body < 0 || key->candidate == body || key->antagonist == body) {
            state->past[c] &= (uint8_t)~MODEL_PAST_SUSTAINED;
        }
    }
}

static void count_turns(cn_sim *sim) {
    for (int32_t j = 0; j < sim->model->joint_count; j++) {
        joint_view view;
        asm_joint_view_at(sim->model, &sim->state, j, sim->state.q, &view);
        joint_angles(&view, sim->state.joint_angle + 2 * (int64_t)j);
    }
}

cn_status sim_change_state(cn_sim *sim, double *q, double *v, uint32_t flags, int32_t body,
                           cn_error *error) {
    const cn_model *model = sim->model;
    size_t poses = sizeof *q * (size_t)model_pose_count(model);
    size_t velocities = sizeof *v * (size_t)model_velocity_count(model);
    double kinetic[2], potential[2];
    if (sim->system) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "the state cannot be set under the scheme %s",
                         model->settings.scheme);
    }
    if (model->deformable_count > 0) {
        return base_fail(error, CN_ERR_UNSUPPORTED,
                         "the state cannot be set beside deformable bodies yet");
    }
    bool joints = model->joint_count > 0 && (body >= 0 || (flags & CN_STATE_PROJECT) != 0);
    CN_TRY(joints ? project(sim, q, v, error) : CN_OK);
    CN_TRY(flags & CN_STATE_NO_OVERLAP ? check_state(sim, q, v, error) : CN_OK);
    CN_TRY(sim_detach_last(sim, error));
    cn_sim_energy(sim, &kinetic[0], &potential[0]);
    if (q != sim->state.q) {
        memcpy(sim->state.q, q, poses);
        count_turns(sim);
    }
    memcpy(sim->state.v, v, velocities);
    cn_sim_energy(sim, &kinetic[1], &potential[1]);
    sim->steering_work += kinetic[1] + potential[1] - kinetic[0] - potential[0];
    sim->state.drift_limit = HUGE_VAL;
    sim->outside.jumped = true;
    sim_acted(sim, SIM_ACT_STATE);
    forget_motion(&sim->state, joints ? -1 : body);
    if (body < 0 || joints) {
        step_wake_all(&sim->sleep);
    } else {
        step_wake_body(&sim->sleep, body);
    }
    return CN_OK;
}

cn_status cn_sim_rest(cn_sim *sim, cn_error *error) {
    if (!sim) {
        return base_fail_missing(error);
    }
    if (sim->system) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "the state cannot be set under the scheme %s",
                         sim->model->settings.scheme);
    }
    double kinetic, potential;
    CN_TRY(sim_detach_last(sim, error));
    cn_sim_energy(sim, &kinetic, &potential);
    memset(sim->state.v, 0, sizeof *sim->state.v * (size_t)model_velocity_count(sim->model));
    sim->steering_work -= kinetic;
    sim->state.drift_limit = HUGE_VAL;
    sim->outside.jumped = true;
    sim_acted(sim, SIM_ACT_STATE);
    forget_motion(&sim->state, -1);
    step_wake_all(&sim->sleep);
    return CN_OK;
}

cn_status cn_sim_set_state(cn_sim *sim, const double *q, const double *v, uint32_t flags,
                           cn_error *error) {
    cn_error own;
    error = error ? error : &own;
    if (!sim) {
        return base_fail_missing(error);
    }
    if (flags & ~(uint32_t)STATE_FLAGS) {
        return base_fail(error, CN_ERR_ARGUMENT, "%u has flags that there are not", flags);
    }
    const cn_model *model = sim->model;
    int64_t poses = model_pose_count(model), velocities = model_velocity_count(model);
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    double *new_q = BASE_TAKE(sim->scratch, double, poses);
    double *new_v = BASE_TAKE(sim->scratch, double, velocities);
    if (!new_q || !new_v) {
        return base_fail_memory(error);
    }
    memcpy(new_q, sim->state.q, sizeof *q * (size_t)poses);
    memcpy(new_v, sim->state.v, sizeof *v * (size_t)velocities);
    cn_status status = q ? take_poses(sim, q, new_q, error) : CN_OK;
    if (status == CN_OK && v) {
        status = take_velocities(sim, v, new_q, new_v, error);
    }
    if (status == CN_OK) {
        status = sim_change_state(sim, new_q, new_v, flags, -1, error);
    }
    base_arena_release(sim->scratch, mark);
    return status;
}
