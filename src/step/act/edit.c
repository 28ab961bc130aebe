// step/act/edit.c
// Bodies and joints that are added and removed between two steps. The simulation then has a copy of
// its model; every change is written into a journal, which belongs to the state, applied to the
// copy, and its arrays follow. Numbers stay what they are: those of what was removed are not used
// again. Impulses of contacts and joints that remain are first guesses as ever.
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "step/act/journal.h"

#include <math.h>
#include <string.h>

// ---- arrays of bodies and joints ----

// An array of `each` numbers of `count` things, of which the first `had` are copied from old.
static bool renew(cn_arena *memory, double **array, int64_t each, int32_t had, int32_t count) {
    const double *old = *array;
    double *room = BASE_TAKE_ZERO(memory, double, each *count);
    if (room && old && had > 0) {
        memcpy(room, old, sizeof *room * (size_t)(each * (had < count ? had : count)));
    }
    *array = room;
    return room != NULL;
}

// What was there before a change.
typedef struct counts {
    int32_t bodies, joints, rows;
} counts;

static bool renew_bodies(cn_sim *sim, cn_arena *memory, const counts *had) {
    const cn_model *model = sim->model;
    int32_t count = model->body_count, pose = model_pose_size(model->dim),
            size = model_velocity_size(model->dim);
    sim_outside *outside = &sim->outside;
    bool good = renew(memory, &sim->state.q, pose, had->bodies, count) &&
                renew(memory, &sim->state.v, size, had->bodies, count) &&
                (!outside->held || renew(memory, &outside->held, 6, had->bodies, count)) &&
                (!outside->once || renew(memory, &outside->once, 6, had->bodies, count));
    if (good && sim->user) {
        void **user = BASE_TAKE_ZERO(memory, void *, count);
        good = user != NULL;
        for (int32_t i = 0; good && i < had->bodies && i < count; i++) {
            user[i] = sim->user[i];
        }
        sim->user = user;
    }
    sim->retry.memory = memory;
    sim->retry.reach = NULL;
    return good && step_vectors_create(model, sim->scheme != NULL, memory, &sim->vectors);
}

static bool renew_sleep(cn_sim *sim, cn_arena *memory, const counts *had) {
    model_state *state = &sim->state;
    model_state old = *state;
    sim->sleep.model = sim->model;
    if (!step_sleep_prepare(&sim->sleep, memory)) {
        return false;
    }
    int32_t both = had->bodies < sim->model->body_count ? had->bodies : sim->model->body_count;
    if (old.island && both > 0) {
        memcpy(state->quiet, old.quiet, sizeof *state->quiet * (size_t)both);
        memcpy(state->rest_load, old.rest_load, sizeof *state->rest_load * 6 * (size_t)both);
        memcpy(state->island, old.island, sizeof *state->island * (size_t)both);
    }
    return true;
}

// The arrays of the simulation for the model as it now is, in memory of their own.
static cn_status renew_arrays(cn_sim *sim, const counts *had, cn_error *error) {
    const cn_model *model = sim->model;
    cn_arena *memory = cn_arena_create(&sim->env);
    bool good = memory && renew_bodies(sim, memory, had) && renew_sleep(sim, memory, had) &&
                renew(memory, &sim->state.joint_impulse, 1, had->rows, model->joint_row_count) &&
                renew(memory, &sim->state.joint_angle, 2, had->joints, model->joint_count);
    if (memory) {
        cn_arena_destroy(sim->bodies);
        sim->bodies = memory;
    }
    return good ? CN_OK : base_fail_memory(error);
}

// What reads the model again: the detection, expressions, motion of contacts.
static cn_status renew_parts(cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    model_state *state = &sim->state;
    det_detector *detector = det_detector_create(model, &sim->env, sim->scratch);
    base_evaluator *signals = model_evaluator(model, &sim->env, sim->control, sim->outside.input);
    bool good = detector && signals;
    if (good && model->stores_motion && !state->motion) {
        state->motion = BASE_TAKE_ZERO(sim->impulses, model_contact_motion, state->impulse_count);
        good = state->motion != NULL;
        for (int32_t c = 0; good && c < state->impulse_count; c++) {
            state->past[c] &= (uint8_t)~MODEL_PAST_SUSTAINED; // nothing to compare with
        }
    }
    if (!good) {
        det_detector_destroy(detector);
        base_evaluator_destroy(signals);
        return base_fail_memory(error);
    }
    det_detector_destroy(sim->detector);
    base_evaluator_destroy(sim->signals);
    sim->detector = detector;
    sim->signals = signals;
    return CN_OK;
}

// ---- the model ----

// A copy of the first model with all the changes of a journal; NULL: error says why not.
static cn_model *replay(cn_sim *sim, const unsigned char *journal, size_t size, cn_error *error) {
    cn_model *copy = model_copy(sim->first_model, &sim->env);
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    cn_status status = copy ? CN_OK : base_fail_memory(error);
    for (size_t at = 0; status == CN_OK && at < size;) {
        step_edit edit;
        status = step_journal_next(journal, size, &at, sim->scratch, &edit, error);
        status = status == CN_OK ? step_journal_apply(&edit, copy, error) : status;
        base_arena_release(sim->scratch, mark);
    }
    if (status != CN_OK) {
        model_copy_destroy(copy);
        return NULL;
    }
    return copy;
}

static counts counts_of(const cn_model *model) {
    return (counts){model->body_count, model->joint_count, model->joint_row_count};
}

// The copy becomes the model of the simulation; NULL: the first one does.
static cn_status adopt(cn_sim *sim, cn_model *copy, cn_error *error) {
    counts had = counts_of(sim->model);
    cn_model *old = sim->own_model;
    sim->edits++;
    sim->own_model = copy;
    sim->model = copy ? copy : sim->first_model;
    cn_status status = renew_arrays(sim, &had, error);
    status = status == CN_OK ? renew_parts(sim, error) : status;
    if (old != copy) {
        model_copy_destroy(old);
    }
    return status;
}

cn_status sim_replay(cn_sim *sim, const unsigned char *journal, size_t size, cn_error *error) {
    if (sim->journal.size == size && (size == 0 || memcmp(sim->journal.data, journal, size) == 0)) {
        return CN_OK;
    }
    if (sim->system) {
        return base_fail(error, CN_ERR_INPUT, "bodies were added to the checkpoint's simulation");
    }
    cn_model *copy = size > 0 ? replay(sim, journal, size, error) : NULL;
    if (size > 0 && !copy) {
        return error ? error->status : CN_ERR_INPUT;
    }
    if (!base_buffer_reserve(&sim->journal,
                             size > sim->journal.size ? size - sim->journal.size : 0)) {
        model_copy_destroy(copy);
        return base_fail_memory(error);
    }
    sim->journal.size = 0;
    base_buffer_append(&sim->journal, journal, size);
    sim->last = (step_data){0};
    sim_resize_impulses(sim, 0);
    return adopt(sim, copy, error);
}

// ---- changes ----

static cn_status check_changes(const cn_sim *sim, cn_error *error) {
    return sim->system ? base_fail(error, CN_ERR_UNSUPPORTED,
                                   "bodies and joints cannot be added or removed under the scheme "
                                   "%s",
                                   sim->model->settings.scheme)
           : sim->model->deformable_count > 0
               ? base_fail(error, CN_ERR_UNSUPPORTED,
                           "bodies and joints cannot be added or removed beside deformable bodies")
               : CN_OK;
}

// Writes a change down and applies it to the model. Where that fails nothing has changed.
static cn_status change_model(cn_sim *sim, const step_edit *edit, cn_error *error) {
    size_t before = sim->journal.size;
    cn_error own;
    sim->edits++;
    error = error ? error : &own;
    if (!sim->own_model) {
        cn_model *copy = model_copy(sim->first_model, &sim->env);
        if (!copy) {
            return base_fail_memory(error);
        }
        sim->own_model = copy;
        sim->model = sim->sleep.model = copy;
        CN_TRY(renew_parts(sim, error));
    }
    if (!step_journal_add(&sim->journal, edit)) {
        return base_fail_memory(error);
    }
    cn_status status = step_journal_apply(edit, sim->own_model, error);
    if (status == CN_OK) {
        return CN_OK;
    }
    // The copy is spoilt, and the journal says what it was.
    sim->journal.size = before;
    cn_model *copy = replay(sim, sim->journal.data, before, NULL);
    if (copy) {
        model_copy_destroy(sim->own_model);
        sim->own_model = copy;
        sim->model = sim->sleep.model = copy;
        cn_error failed;
        status = renew_parts(sim, &failed) == CN_OK ? status : CN_ERR_MEMORY;
    }
    return status == CN_ERR_INPUT ? (error->status = CN_ERR_ARGUMENT) : status;
}

// What every change begins with: the last step keeps what it shows, and the energy is noted.
static cn_status begin_change(cn_sim *sim, double *energy, cn_error *error) {
    double kinetic, potential;
    CN_TRY(check_changes(sim, error));
    CN_TRY(sim_detach_last(sim, error));
    CN_TRY(sim_own_contacts(sim, error));
    cn_sim_energy(sim, &kinetic, &potential);
    *energy = kinetic + potential;
    return CN_OK;
}

static void end_change(cn_sim *sim, double energy) {
    double kinetic, potential;
    cn_sim_energy(sim, &kinetic, &potential);
    sim->steering_work += kinetic + potential - energy;
    sim->outside.jumped = true;
}

cn_status cn_sim_add_body(cn_sim *sim, const cn_body_def *def, cn_body_id *body, cn_error *error) {
    double energy;
    if (!sim || !def || !body) {
        return base_fail_missing(error);
    }
    if (def->deformable) {
        return base_fail(error, CN_ERR_UNSUPPORTED,
                         "a deformable body cannot be added while a simulation runs");
    }
    CN_TRY(begin_change(sim, &energy, error));
    counts had = counts_of(sim->model);
    step_edit edit = {.kind = STEP_ADD_BODY, .dim = sim->model->dim, .body = *def};
    CN_TRY(change_model(sim, &edit, error));
    CN_TRY(renew_arrays(sim, &had, error));
    CN_TRY(renew_parts(sim, error));
    const cn_model *model = sim->model;
    int32_t index = model->body_count - 1, pose = model_pose_size(model->dim),
            size = model_velocity_size(model->dim);
    memcpy(sim->state.q + (int64_t)pose * index, model->q0 + (int64_t)pose * index,
           sizeof(double) * (size_t)pose);
    memcpy(sim->state.v + (int64_t)size * index, model->v0 + (int64_t)size * index,
           sizeof(double) * (size_t)size);
    end_change(sim, energy);
    *body = index + 1;
    return CN_OK;
}

// Contacts of a body are no first guesses any more.
static void drop_contacts(model_state *state, int32_t body) {
    int32_t left = 0;
    for (int32_t c = 0; c < state->impulse_count; c++) {
        const model_contact_key key = state->key[c];
        if (key.candidate == body || key.antagonist == body) {
            continue;
        }
        state->key[left] = key;
        memmove(state->impulse + 3 * (int64_t)left, state->impulse + 3 * (int64_t)c,
                3 * sizeof *state->impulse);
        state->past[left] = state->past[c];
        if (state->motion) {
            state->motion[left] = state->motion[c];
        }
        left++;
    }
    state->impulse_count = left;
}

// Everything that touches a body awakes, and it is nothing that could sleep.
static void wake_around(cn_sim *sim, int32_t body) {
    const step_stored_contact *stored = (const void *)sim->sleep.stored.data;
    bool touches = step_is_asleep(&sim->state, body);
    for (int32_t k = 0; k < step_stored_count(&sim->sleep); k++) {
        touches = touches || stored[k].contact.key.candidate == body ||
                  stored[k].contact.key.antagonist == body;
    }
    if (touches || sim->sleep.fresh.size > 0) {
        step_wake_all(&sim->sleep);
    }
}

static void forget_body(cn_sim *sim, int32_t body) {
    int32_t size = model_velocity_size(sim->model->dim);
    double *const loads[2] = {sim->outside.held, sim->outside.once};
    memset(sim->state.v + (int64_t)size * body, 0, sizeof(double) * (size_t)size);
    for (int32_t k = 0; k < 2; k++) {
        if (loads[k]) {
            memset(loads[k] + 6 * (int64_t)body, 0, 6 * sizeof(double));
        }
    }
    if (sim->steering.pulled == body + 1) {
        sim->steering.pulled = 0;
    }
    if (sim->user) {
        sim->user[body] = NULL;
    }
    if (sim->state.island) {
        sim->state.island[body] = -1;
        sim->state.quiet[body] = 0.0;
    }
}

// Impulses of rows move up where joints before them have lost theirs.
static void drop_rows(cn_sim *sim, const int32_t *first, const int32_t *count) {
    const cn_model *model = sim->model;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        if (joint->row_count == count[j] && joint->row_count > 0) {
            memmove(sim->state.joint_impulse + joint->row_first,
                    sim->state.joint_impulse + first[j], sizeof(double) * (size_t)joint->row_count);
        }
    }
}

// Removes a body or a joint, with the rows of joints that go.
static cn_status remove_part(cn_sim *sim, const step_edit *edit, cn_error *error) {
    double energy;
    CN_TRY(begin_change(sim, &energy, error));
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    int32_t joints = sim->model->joint_count;
    int32_t *first = BASE_TAKE(sim->scratch, int32_t, joints);
    int32_t *count = BASE_TAKE(sim->scratch, int32_t, joints);
    cn_status status = first && count ? CN_OK : base_fail_memory(error);
    for (int32_t j = 0; status == CN_OK && j < joints; j++) {
        first[j] = sim->model->joint[j].row_first;
        count[j] = sim->model->joint[j].row_count;
    }
    if (status == CN_OK && edit->kind == STEP_REMOVE_BODY) {
        wake_around(sim, edit->index);
    }
    status = status == CN_OK ? change_model(sim, edit, error) : status;
    if (status == CN_OK) {
        drop_rows(sim, first, count);
        counts had = counts_of(sim->model);
        status = renew_arrays(sim, &had, error);
    }
    base_arena_release(sim->scratch, mark);
    CN_TRY(status);
    if (edit->kind == STEP_REMOVE_BODY) {
        drop_contacts(&sim->state, edit->index);
        forget_body(sim, edit->index);
    }
    CN_TRY(renew_parts(sim, error));
    end_change(sim, energy);
    return CN_OK;
}

static cn_status remove_one(cn_sim *sim, step_edit_kind kind, int32_t index, cn_error *error) {
    if (!sim) {
        return base_fail_missing(error);
    }
    CN_TRY(check_changes(sim, error));
    CN_TRY(model_check_removal(sim->model, kind == STEP_REMOVE_JOINT, index, error));
    step_edit edit = {.kind = kind, .dim = sim->model->dim, .index = index};
    return remove_part(sim, &edit, error);
}

cn_status cn_sim_remove_body(cn_sim *sim, cn_body_id body, cn_error *error) {
    return remove_one(sim, STEP_REMOVE_BODY, body > 0 ? body - 1 : -1, error);
}

cn_status cn_sim_remove_joint(cn_sim *sim, int32_t joint, cn_error *error) {
    return remove_one(sim, STEP_REMOVE_JOINT, joint > 0 ? joint - 1 : -1, error);
}

cn_status cn_sim_add_joint(cn_sim *sim, const cn_joint_def *def, int32_t *joint, cn_error *error) {
    double energy;
    if (!sim || !def || !joint) {
        return base_fail_missing(error);
    }
    CN_TRY(begin_change(sim, &energy, error));
    if (!(sim->solvers.main->info.accepts & CN_TAKES_BOUNDS)) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "%s does not take joints",
                         sim->solvers.main->info.name);
    }
    step_edit edit = {.kind = STEP_ADD_JOINT, .dim = sim->model->dim, .joint = *def};
    int32_t size = model_pose_size(sim->model->dim);
    for (int32_t k = 0; k < 2; k++) {
        if (!cn_sim_has_body(sim, def->body[k])) {
            return base_fail(error, CN_ERR_ARGUMENT, "there is no body %d", (int)def->body[k]);
        }
        memcpy(edit.pose[k], sim->state.q + (int64_t)size * (def->body[k] - 1),
               sizeof(double) * (size_t)size);
    }
    counts had = counts_of(sim->model);
    CN_TRY(change_model(sim, &edit, error));
    CN_TRY(renew_arrays(sim, &had, error));
    CN_TRY(renew_parts(sim, error));
    int32_t j = sim->model->joint_count - 1;
    joint_view view;
    asm_joint_view_at(sim->model, &sim->state, j, sim->state.q, &view);
    joint_angles(&view, sim->state.joint_angle + 2 * (int64_t)j);
    step_wake_all(&sim->sleep); // its bodies, and what leans on them
    end_change(sim, energy);
    *joint = j + 1;
    return CN_OK;
}

bool cn_sim_has_body(const cn_sim *sim, cn_body_id body) {
    return sim && body >= 1 && body <= sim->model->body_count &&
           sim->model->body[body - 1].role != MODEL_BODY_REMOVED;
}

bool cn_sim_has_joint(const cn_sim *sim, int32_t joint) {
    return sim && joint >= 1 && joint <= sim->model->joint_count &&
           !sim->model->joint[joint - 1].removed;
}
