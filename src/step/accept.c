// step/accept.c
// The end of a step becomes the state: poses, velocities, and of every contact its impulse, past
// and motion by key, for the warm start and the frame change of the next step.
#include "step/bonds/bonds.h"
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

void step_to_world(int32_t dim, const double axes[9], const double *parts, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (int32_t i = 0; i < dim; i++) {
        math_add_scaled3(out, parts[i], axes + 3 * i, out);
    }
}

// The impulse of problem contact a in world axes.
static void world_impulse(const step_data *step, int32_t a, double out[3]) {
    const det_contact *contact = &step->contacts.contact[asm_assembled_listed(&step->assembled, a)];
    int32_t dim = step->assembled.problem.dim;
    double axes[9];
    math_contact_axes(dim, contact->normal, axes);
    step_to_world(dim, axes, step->r + (int64_t)dim * a, out);
}

bool sim_resize_impulses(cn_sim *sim, int32_t count) {
    model_state *state = &sim->state;
    if (!sim->stored) { // those that the step began with stay for a while
        cn_arena *own = sim->impulses;
        sim->previous = (sim_impulses){state->key, state->impulse, state->impulse_count};
        sim->impulses = sim->before;
        sim->before = own;
        sim->stored = true;
    }
    base_arena_release(sim->impulses, (base_arena_mark){0});
    state->impulse_count = 0;
    state->key = BASE_TAKE(sim->impulses, model_contact_key, count);
    state->impulse = BASE_TAKE(sim->impulses, double, 3 * (int64_t)count);
    state->past = BASE_TAKE(sim->impulses, uint8_t, count);
    state->motion =
        sim->model->stores_motion ? BASE_TAKE(sim->impulses, model_contact_motion, count) : NULL;
    if (!state->key || !state->impulse || !state->past ||
        (sim->model->stores_motion && !state->motion)) {
        return false;
    }
    state->impulse_count = count;
    return true;
}

// What problem contact a did, for the next step.
static uint8_t past_of(const step_data *step, int32_t a) {
    unsigned past = step->status[a] == 2 ? MODEL_PAST_SLID : 0;
    bool early =
        step->opts.early && step->opts.early->place[asm_assembled_listed(&step->assembled, a)] >= 0;
    if (!early && step->r[(int64_t)step->assembled.problem.dim * a] > 0.0) {
        past |= MODEL_PAST_PRESSED;
        past |= step->assembled.past[a] & MODEL_PAST_PRESSED ? MODEL_PAST_PRESSED_TWICE : 0;
    }
    if (!early && (past | step->assembled.past[a]) & MODEL_PAST_PRESSED) {
        past |= MODEL_PAST_SUSTAINED;
    }
    return (uint8_t)past;
}

// Impulse `at` of the state becomes that of problem contact a.
static void store_impulse(cn_sim *sim, int32_t at, int32_t a) {
    const step_data *step = &sim->last;
    const det_contact *contact = &step->contacts.contact[asm_assembled_listed(&step->assembled, a)];
    sim->state.key[at] = contact->key;
    sim->state.past[at] = past_of(step, a);
    world_impulse(step, a, sim->state.impulse + 3 * (int64_t)at);
    if (sim->state.motion) {
        model_contact_motion *motion = &sim->state.motion[at];
        double arm[6];
        asm_contact_arms(sim->model->dim, step->q_middle, &step->contacts,
                         asm_assembled_listed(&step->assembled, a), NULL, arm);
        asm_contact_velocity(sim->model->dim, step->v_seen, &contact->key, arm, motion->velocity);
        motion->normal = math_dot3(contact->normal, motion->velocity);
        memcpy(motion->point, contact->point, sizeof motion->point);
    }
}

static void store_range(void *user, int64_t first, int64_t end) {
    for (int32_t a = (int32_t)first; a < end; a++) {
        store_impulse(user, a, a);
    }
}

// The same with contacts that sleep among them, by key.
static void store_merged(cn_sim *sim) {
    const step_data *step = &sim->last;
    const step_stored_contact *stored = (const void *)sim->sleep.stored.data;
    int32_t contacts = step->assembled.contacts, sleeping = step_stored_count(&sim->sleep), a = 0,
            k = 0;
    for (int32_t at = 0; at < contacts + sleeping; at++) {
        const model_contact_key *own =
            a < contacts ? &step->contacts.contact[asm_assembled_listed(&step->assembled, a)].key
                         : NULL;
        if (k < sleeping && (!own || model_key_before(&stored[k].contact.key, own))) {
            sim->state.key[at] = stored[k].contact.key;
            sim->state.past[at] = stored[k].status == 2 ? MODEL_PAST_SLID : 0;
            memcpy(sim->state.impulse + 3 * (int64_t)at, stored[k].impulse,
                   sizeof stored[k].impulse);
            if (sim->state.motion) {
                sim->state.motion[at] = (model_contact_motion){.normal = 0.0};
            }
            k++;
        } else {
            store_impulse(sim, at, a++);
        }
    }
}

// Impulses of the step and of contacts that sleep, by key, for the next warm start.
static cn_status store_impulses(cn_sim *sim, cn_error *error) {
    const step_data *step = &sim->last;
    int32_t contacts = step->assembled.contacts, sleeping = step_stored_count(&sim->sleep);
    if (!sim_resize_impulses(sim, contacts + sleeping)) {
        return base_fail_memory(error);
    }
    if (sleeping > 0) {
        store_merged(sim);
    } else {
        base_parallel_ranges(&sim->env, contacts, store_range, sim);
    }
    if (sim->model->joint_row_count > 0) {
        memcpy(sim->state.joint_impulse, step->r + (int64_t)step->assembled.problem.dim * contacts,
               sizeof(double) * (size_t)sim->model->joint_row_count);
    }
    return CN_OK;
}

// Whole turns are counted from the angles of the step before.
static void count_turns(cn_sim *sim) {
    for (int32_t j = 0; j < sim->model->joint_count; j++) {
        joint_view view;
        asm_joint_view_at(sim->model, &sim->state, j, sim->last.q, &view);
        joint_angles(&view, sim->state.joint_angle + 2 * (int64_t)j);
    }
}

cn_status sim_accept(cn_sim *sim, cn_error *error) {
    CN_TRY(store_impulses(sim, error));
    if (sim->bonds) {
        memcpy(sim->state.damage, sim->last.damage_end,
               sizeof(double) * (size_t)sim->bonds->list.count);
    }
    sim->state.last_h = sim->last.h;
    sim->state.drift_limit = sim->last.drift_limit;
    count_turns(sim);
    step_vectors_store(sim->model, &sim->last, &sim->vectors, &sim->state);
    return CN_OK;
}
