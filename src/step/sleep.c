// step/sleep.c
// Sleeping. An island is a set of free bodies that press on one another; when all of its bodies
// have been slower than a speed for a time, it falls asleep: velocities become zero, and what
// kinetic energy that takes is booked as numerical loss. While nothing changes that acts on it, its
// last impulses remain a solution of every further step, to the residual of the step that found
// them, so they are stored and not solved for again; the bodies stay bitwise the same.
//
// It wakes as a whole, in the step in which something changes: an awake body presses on one of its
// own (the step is then made again with the island awake), a driven body that moves comes within
// the alert distance, a given force on it is not what it was, the spring of a hand pulls at it, or
// gravity or friction are steered. Bodies of joints do not sleep, nor does anything beside deformable
// bodies or bonds.
#include "step/step.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

bool step_sleep_prepare(step_sleep *sleep, cn_arena *memory) {
    const cn_model *model = sleep->model;
    if (!(model->settings.sleep_speed > 0.0)) {
        return true;
    }
    model_state *state = sleep->state;
    state->quiet = BASE_TAKE_ZERO(memory, double, model->body_count);
    state->rest_load = BASE_TAKE_ZERO(memory, double, 6 * (int64_t)model->body_count);
    state->island = BASE_TAKE(memory, int32_t, model->body_count);
    sleep->restless = BASE_TAKE_ZERO(memory, bool, model->body_count);
    if (!state->quiet || !state->rest_load || !state->island || !sleep->restless) {
        return false;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        state->island[i] = -1;
    }
    bool none = model->deformable_count > 0 || model->bonds;
    for (int32_t i = 0; none && i < model->body_count; i++) {
        sleep->restless[i] = true; // what moves without being a free body would not wake them
    }
    for (int32_t j = 0; j < model->joint_count; j++) {
        sleep->restless[model->joint[j].body[0]] = true;
        sleep->restless[model->joint[j].body[1]] = true;
    }
    return true;
}

bool step_is_asleep(const model_state *state, int32_t body) {
    return state->island && state->island[body] >= 0;
}

int32_t step_stored_count(const step_sleep *sleep) {
    return (int32_t)(sleep->stored.size / sizeof(step_stored_contact));
}

// Contacts of which a body is awake are no longer stored.
static void filter_stored(step_sleep *sleep) {
    const cn_model *model = sleep->model;
    step_stored_contact *stored = (void *)sleep->stored.data;
    int32_t left = 0;
    for (int32_t k = 0; k < step_stored_count(sleep); k++) {
        const model_contact_key *key = &stored[k].contact.key;
        bool free[2] = {model->body[key->candidate].role == MODEL_BODY_FREE,
                        model->body[key->antagonist].role == MODEL_BODY_FREE};
        if ((!free[0] || step_is_asleep(sleep->state, key->candidate)) &&
            (!free[1] || step_is_asleep(sleep->state, key->antagonist))) {
            stored[left++] = stored[k];
        }
    }
    sleep->stored.size = sizeof *stored * (size_t)left;
}

// Wakes the island of a body; returns how many bodies that are.
static int32_t wake(step_sleep *sleep, int32_t body) {
    model_state *state = sleep->state;
    int32_t island = state->island[body], woken = 0;
    for (int32_t i = 0; i < sleep->model->body_count && island >= 0; i++) {
        if (state->island[i] == island) {
            state->island[i] = -1;
            state->quiet[i] = 0.0;
            woken++;
        }
    }
    return woken;
}

void step_wake_all(step_sleep *sleep) {
    for (int32_t i = 0; sleep->state->island && i < sleep->model->body_count; i++) {
        sleep->state->quiet[i] = 0.0;
        wake(sleep, i);
    }
    sleep->fresh.size = 0;
    filter_stored(sleep);
}

void step_wake_body(step_sleep *sleep, int32_t body) {
    if (sleep->state->island) {
        sleep->state->quiet[body] = 0.0;
        wake(sleep, body);
        sleep->fresh.size = 0;
        filter_stored(sleep);
    }
}

// ---- in a step ----

// The contacts stored since the last step join the others, by key.
static cn_status join_fresh(step_sleep *sleep) {
    size_t fresh = sleep->fresh.size / sizeof(step_stored_contact);
    if (fresh == 0) {
        return CN_OK;
    }
    int32_t old = step_stored_count(sleep);
    if (!base_buffer_append(&sleep->stored, sleep->fresh.data, sleep->fresh.size)) {
        return CN_ERR_MEMORY;
    }
    // From the end: the larger of the two last ones goes last.
    step_stored_contact *stored = (void *)sleep->stored.data, *added = (void *)sleep->fresh.data;
    int64_t a = old - 1, b = (int64_t)fresh - 1;
    for (int64_t at = old + (int64_t)fresh - 1; b >= 0; at--) {
        bool older = a >= 0 && model_key_before(&added[b].contact.key, &stored[a].contact.key);
        stored[at] = older ? stored[a--] : added[b--];
    }
    sleep->fresh.size = 0;
    return CN_OK;
}

static bool is_moving(const cn_model *model, int32_t body, const double *v) {
    bool moving = false;
    for (int32_t k = 0; k < model_velocity_size(model->dim); k++) {
        moving = moving || v[(int64_t)model_velocity_size(model->dim) * body + k] != 0.0;
    }
    return moving;
}

cn_status step_sleep_begin(const step_context *in, step_sleep *sleep, const double *v,
                           bool **resting) {
    const cn_model *model = in->model;
    *resting = NULL;
    if (!in->state->island) {
        return CN_OK;
    }
    *resting = BASE_TAKE(in->memory, bool, model->body_count);
    double *end = BASE_TAKE_ZERO(in->memory, double,
                                 (int64_t)model_velocity_size(model->dim) * model->body_count);
    if (!*resting || !end || join_fresh(sleep) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    step_prescribe_velocities(model, in->opts.signals, in->t + in->h, end);
    for (int32_t i = 0; i < model->body_count; i++) {
        (*resting)[i] = model->body[i].role == MODEL_BODY_FREE
                            ? step_is_asleep(in->state, i)
                            : !is_moving(model, i, v) && !is_moving(model, i, end);
    }
    return CN_OK;
}

int32_t step_wake_loaded(const step_context *in, const bool *resting, const double *load,
                         const det_contact_list *contacts, step_sleep *sleep) {
    const cn_model *model = in->model;
    int32_t woken = 0;
    for (int32_t i = 0; resting && i < model->body_count; i++) {
        const double *own = load + 6 * (int64_t)i, *rest = in->state->rest_load + 6 * (int64_t)i;
        bool pulled = in->steering->pulled == i + 1;
        if (step_is_asleep(in->state, i) && (pulled || memcmp(own, rest, 6 * sizeof *own) != 0)) {
            woken += wake(sleep, i);
        }
    }
    for (int32_t c = 0; resting && c < contacts->count; c++) {
        const model_contact_key *key = &contacts->contact[c].key;
        if (model->body[key->candidate].role != MODEL_BODY_FREE) {
            woken += wake(sleep, key->antagonist);
        } else if (model->body[key->antagonist].role != MODEL_BODY_FREE) {
            woken += wake(sleep, key->candidate);
        }
    }
    filter_stored(sleep);
    return woken;
}

void step_hold_sleeping(const step_context *in, const bool *resting, asm_inertia_map *inertia) {
    for (int32_t i = 0; resting && i < in->model->body_count; i++) {
        if (step_is_asleep(in->state, i)) {
            asm_inertia_hold(in->model, inertia, i);
        }
    }
}

void step_still_sleeping(const step_context *in, const bool *resting, double *v_free) {
    int64_t size = model_velocity_size(in->model->dim);
    for (int32_t i = 0; resting && i < in->model->body_count; i++) {
        if (step_is_asleep(in->state, i)) {
            memset(v_free + size * i, 0, sizeof *v_free * (size_t)size);
        }
    }
}

int32_t step_wake_pressed(const step_data *step, step_sleep *sleep) {
    int32_t dim = sleep->model->dim, woken = 0;
    for (int32_t a = 0; step->resting && a < step->assembled.contacts; a++) {
        const model_contact_key *key =
            &step->contacts.contact[asm_assembled_listed(&step->assembled, a)].key;
        if (step->r[(int64_t)dim * a] > 0.0) {
            woken += wake(sleep, key->candidate);
            woken += wake(sleep, key->antagonist);
        }
    }
    filter_stored(sleep);
    return woken;
}

// ---- falling asleep ----

static int32_t root(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// The lower root leads, so that an island is named by its lowest body.
static void unite(int32_t *parent, int32_t i, int32_t j) {
    i = root(parent, i);
    j = root(parent, j);
    parent[i > j ? i : j] = i < j ? i : j;
}

static double speed_of(const cn_model *model, int32_t i, const double *v) {
    const double *own = v + (int64_t)model_velocity_size(model->dim) * i;
    double bound = isinf(model->body[i].bound) ? 0.0 : model->body[i].bound;
    return model->dim == 3 ? fmax(math_norm3(own), bound * math_norm3(own + 3))
                           : fmax(hypot(own[0], own[1]), bound * fabs(own[2]));
}

// How long each body has been slow; those that press on a body that moves are not.
static void measure_quiet(const step_data *step, step_sleep *sleep, int32_t *parent) {
    const cn_model *model = sleep->model;
    double *quiet = sleep->state->quiet;
    for (int32_t i = 0; i < model->body_count; i++) {
        bool slow = model->body[i].role == MODEL_BODY_FREE && !sleep->restless[i] &&
                    speed_of(model, i, step->v) <= model->settings.sleep_speed;
        quiet[i] = slow ? quiet[i] + step->h : 0.0;
        parent[i] = i;
    }
    for (int32_t a = 0; a < step->assembled.contacts; a++) {
        const model_contact_key *key =
            &step->contacts.contact[asm_assembled_listed(&step->assembled, a)].key;
        if (!(step->r[(int64_t)model->dim * a] > 0.0)) {
            continue;
        }
        bool free[2] = {model->body[key->candidate].role == MODEL_BODY_FREE,
                        model->body[key->antagonist].role == MODEL_BODY_FREE};
        if (free[0] && free[1]) {
            unite(parent, key->candidate, key->antagonist);
        } else if (!step->resting[free[0] ? key->antagonist : key->candidate]) {
            quiet[free[0] ? key->candidate : key->antagonist] = 0.0;
        }
    }
}

// The shortest quiet of an island, at its root.
static void min_quiet(int32_t bodies, const double *quiet, int32_t *parent, double *min) {
    for (int32_t i = 0; i < bodies; i++) {
        min[i] = HUGE_VAL;
    }
    for (int32_t i = 0; i < bodies; i++) {
        int32_t lowest = root(parent, i);
        min[lowest] = fmin(min[lowest], quiet[i]);
    }
}

static void put_to_sleep(int32_t i, int32_t island, step_sleep *sleep, step_data *step) {
    const cn_model *model = sleep->model;
    int64_t size = model_velocity_size(model->dim);
    body_rigid rigid = model_body_rigid(model, i);
    step->stilled += rigid_kinetic(&rigid, step->q + (int64_t)model_pose_size(model->dim) * i,
                                   step->v + size * i);
    memset(step->v + size * i, 0, sizeof *step->v * (size_t)size);
    memcpy(sleep->state->rest_load + 6 * (int64_t)i, step->load + 6 * (int64_t)i,
           6 * sizeof *step->load);
    sleep->state->island[i] = island;
}

// What the step found for a contact, at rest: the law holds for u = 0 without a shift.
static step_stored_contact stored_of(const step_data *step, int32_t a) {
    const cn_friction *p = &step->assembled.problem;
    step_stored_contact stored;
    memset(&stored, 0, sizeof stored); // its gaps too, which are saved
    stored.contact = step->contacts.contact[asm_assembled_listed(&step->assembled, a)];
    stored.friction = p->mu[a];
    stored.status = step->status[a];
    double axes[9];
    math_contact_axes(p->dim, stored.contact.normal, axes);
    step_to_world(p->dim, axes, step->r + (int64_t)p->dim * a, stored.impulse);
    return stored;
}

cn_status step_fall_asleep(const step_context *in, step_sleep *sleep, step_data *step,
                           cn_error *error) {
    const cn_model *model = in->model;
    if (!in->state->island) {
        return CN_OK;
    }
    int32_t *parent = BASE_TAKE(in->memory, int32_t, model->body_count), fallen = 0;
    double *min = BASE_TAKE(in->memory, double, model->body_count);
    if (!parent || !min) {
        return base_fail_memory(error);
    }
    measure_quiet(step, sleep, parent);
    min_quiet(model->body_count, in->state->quiet, parent, min);
    for (int32_t i = 0; i < model->body_count; i++) {
        bool falls = model->body[i].role == MODEL_BODY_FREE && !step_is_asleep(in->state, i) &&
                     min[root(parent, i)] >= model->settings.sleep_after;
        if (falls) {
            put_to_sleep(i, root(parent, i), sleep, step);
            fallen++;
        }
    }
    for (int32_t a = 0; fallen > 0 && a < step->assembled.contacts; a++) {
        const model_contact_key *key =
            &step->contacts.contact[asm_assembled_listed(&step->assembled, a)].key;
        bool rests =
            step_is_asleep(in->state, key->candidate) || step_is_asleep(in->state, key->antagonist);
        if (rests && step->r[(int64_t)model->dim * a] > 0.0) {
            step_stored_contact stored = stored_of(step, a);
            if (!base_buffer_append(&sleep->fresh, &stored, sizeof stored)) {
                return base_fail_memory(error);
            }
        }
    }
    return CN_OK;
}
