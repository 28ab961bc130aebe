// step/vectors.c
// Where the vectors of a step lie: the one place that lets them share memory.
//
// Where nothing but round bodies moves, a drift leaves velocities as they are and nothing but the
// contacts is asked of q~ later. Then q~ becomes q, v_free becomes v_new and v, and v_old is that
// of the state; two sets of vectors take turns, and u follows from v_new. Everywhere else each
// vector has its own memory. Both ways give bitwise identical results
// (tests/step/bodies/test_step_vectors.c).
//
//     plain    q_middle | q      v_old | v_free | v_new | v
//     shared   q_middle = q      v_old = state v    v_free = v_new = v
#include "step/step.h"

#include "base/arena.h"

#include <string.h>

static size_t pose_bytes(const cn_model *model) {
    return sizeof(double) * (size_t)model_pose_count(model);
}

static size_t velocity_bytes(const cn_model *model) {
    return sizeof(double) * (size_t)model_velocity_count(model);
}

bool step_vectors_create(const cn_model *model, bool schemed, cn_arena *memory, step_vectors *out) {
    int64_t poses = model_pose_count(model), velocities = model_velocity_count(model);
    *out = (step_vectors){.next_q = NULL};
    // Sleeping looks at velocities of both ends; driven bodies, stored motion and fast pairs that
    // bounce at the middle.
    if (!schemed || model->stores_motion || model->bounces || model->settings.sleep_speed > 0.0) {
        return true;
    }
    out->next_q = BASE_TAKE(memory, double, poses);
    out->next_v = BASE_TAKE(memory, double, velocities);
    return out->next_q && out->next_v;
}

bool step_vectors_take(const step_context *in, const step_vectors *vectors, step_data *step) {
    const cn_model *model = in->model;
    int64_t poses = model_pose_count(model), velocities = model_velocity_count(model);
    step->shared = vectors->next_q != NULL;
    if (step->shared) {
        step->q_middle = step->q = vectors->next_q;
        step->v_free = step->v_new = step->v = vectors->next_v;
        step->v_old = in->state->v;
        return true;
    }
    step->q_middle = BASE_TAKE(in->memory, double, poses);
    step->q = BASE_TAKE(in->memory, double, poses);
    step->v_old = BASE_TAKE(in->memory, double, velocities);
    step->v_free = BASE_TAKE(in->memory, double, velocities);
    step->v_new = BASE_TAKE(in->memory, double, velocities);
    step->v = BASE_TAKE(in->memory, double, velocities);
    if (!step->q_middle || !step->q || !step->v_old || !step->v_free || !step->v_new || !step->v) {
        return false;
    }
    memcpy(step->v_old, in->state->v, velocity_bytes(model));
    return true;
}

void step_vectors_store(const cn_model *model, const step_data *step, step_vectors *vectors,
                        model_state *state) {
    if (step->shared) {
        vectors->next_q = state->q;
        vectors->next_v = state->v;
        state->q = step->q;
        state->v = step->v;
    } else {
        memcpy(state->q, step->q, pose_bytes(model));
        memcpy(state->v, step->v, velocity_bytes(model));
    }
}
