// step/sleep.c
// Sleeping. An island is a set of free bodies that press on one another; when all of its bodies
// have been slower than a speed for a time, it falls asleep: velocities become zero, and what
// kinetic energy that takes is booked as numerical loss. While nothing changes that acts on it, its
// last impulses remain a solution of every further step, to the residual of the step that found
// them, so they are kept and not solved for again; the bodies keep their bits.
//
// It wakes as a whole, in the step in which something changes: an awake body presses on one of its
// own (the step is then made again with the island awake), a driven body that moves comes within
// the alert distance, a given force on it is not what it was, the spring of a hand pulls at it, or
// gravity or friction are steered. Bodies of joints do not sleep.
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

bool cn_sleep_prepare(cn_sim *sim) {
    const cn_model *model = sim->model;
    if (!(model->settings.sleep_speed > 0.0)) {
        return true;
    }
    cn_state *state = &sim->state;
    state->calm = CN_TAKE_ZERO(sim->memory, double, model->body_count);
    state->rest_load = CN_TAKE_ZERO(sim->memory, double, 6 * (int64_t)model->body_count);
    state->island = CN_TAKE(sim->memory, int32_t, model->body_count);
    sim->restless = CN_TAKE_ZERO(sim->memory, bool, model->body_count);
    if (!state->calm || !state->rest_load || !state->island || !sim->restless) {
        return false;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        state->island[i] = -1;
    }
    for (int32_t j = 0; j < model->joint_count; j++) {
        sim->restless[model->joint[j].body[0]] = sim->restless[model->joint[j].body[1]] = true;
    }
    return true;
}

bool cn_is_asleep(const cn_sim *sim, int32_t body) {
    return sim->state.island && sim->state.island[body] >= 0;
}

int32_t cn_kept_count(const cn_sim *sim) {
    return (int32_t)(sim->kept.size / sizeof(cn_kept_contact));
}

// Contacts of which a body is awake are no longer kept.
static void cn_kept_filter(cn_sim *sim) {
    cn_kept_contact *kept = (void *)sim->kept.data;
    int32_t left = 0;
    for (int32_t k = 0; k < cn_kept_count(sim); k++) {
        const cn_contact_key *key = &kept[k].contact.key;
        bool free[2] = {sim->model->body[key->candidate].role == CN_BODY_FREE,
                        sim->model->body[key->antagonist].role == CN_BODY_FREE};
        if ((!free[0] || cn_is_asleep(sim, key->candidate)) &&
            (!free[1] || cn_is_asleep(sim, key->antagonist))) {
            kept[left++] = kept[k];
        }
    }
    sim->kept.size = sizeof *kept * (size_t)left;
}

// Wakes the island of a body.
static void cn_wake(cn_sim *sim, int32_t body) {
    int32_t island = sim->state.island[body];
    for (int32_t i = 0; i < sim->model->body_count && island >= 0; i++) {
        if (sim->state.island[i] == island) {
            sim->state.island[i] = -1;
            sim->state.calm[i] = 0.0;
            sim->last.woken++;
        }
    }
}

void cn_sleep_wake_all(cn_sim *sim) {
    for (int32_t i = 0; sim->state.island && i < sim->model->body_count; i++) {
        sim->state.calm[i] = 0.0;
        cn_wake(sim, i);
    }
    sim->fresh.size = 0;
    cn_kept_filter(sim);
}

// ---- in a step ----

// The contacts kept since the last step join the others, by key.
static cn_status cn_kept_join(cn_sim *sim) {
    size_t fresh = sim->fresh.size / sizeof(cn_kept_contact);
    if (fresh == 0) {
        return CN_OK;
    }
    int32_t old = cn_kept_count(sim);
    if (!cn_buffer_append(&sim->kept, sim->fresh.data, sim->fresh.size)) {
        return CN_ERR_MEMORY;
    }
    // From the end: the larger of the two last ones goes last.
    cn_kept_contact *kept = (void *)sim->kept.data, *added = (void *)sim->fresh.data;
    int64_t a = old - 1, b = (int64_t)fresh - 1;
    for (int64_t at = old + (int64_t)fresh - 1; b >= 0; at--) {
        bool older = a >= 0 && cn_key_before(&added[b].contact.key, &kept[a].contact.key);
        kept[at] = older ? kept[a--] : added[b--];
    }
    sim->fresh.size = 0;
    return CN_OK;
}

static bool cn_is_moving(const cn_model *model, int32_t body, const double *v) {
    bool moving = false;
    for (int32_t k = 0; k < cn_velocity_size(model->dim); k++) {
        moving = moving || v[(int64_t)cn_velocity_size(model->dim) * body + k] != 0.0;
    }
    return moving;
}

cn_status cn_sleep_begin(cn_sim *sim) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    if (!sim->state.island) {
        return CN_OK;
    }
    step->resting = CN_TAKE(sim->step_memory, bool, model->body_count);
    double *end = CN_TAKE_ZERO(sim->step_memory, double,
                               (int64_t)cn_velocity_size(model->dim) * model->body_count);
    if (!step->resting || !end || cn_kept_join(sim) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    cn_step_drive(sim, step->t + step->h, end);
    for (int32_t i = 0; i < model->body_count; i++) {
        step->resting[i] =
            model->body[i].role == CN_BODY_FREE
                ? cn_is_asleep(sim, i)
                : !cn_is_moving(model, i, step->v_old) && !cn_is_moving(model, i, end);
    }
    return CN_OK;
}

void cn_sleep_look(cn_sim *sim) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    for (int32_t i = 0; step->resting && i < model->body_count; i++) {
        const double *load = step->load + 6 * (int64_t)i,
                     *rest = sim->state.rest_load + 6 * (int64_t)i;
        bool pulled = step->steering->pulled == i + 1;
        if (cn_is_asleep(sim, i) && (pulled || memcmp(load, rest, 6 * sizeof *load) != 0)) {
            cn_wake(sim, i);
        }
    }
    for (int32_t c = 0; step->resting && c < step->contacts.count; c++) {
        const cn_contact_key *key = &step->contacts.contact[c].key;
        if (model->body[key->candidate].role != CN_BODY_FREE) {
            cn_wake(sim, key->antagonist);
        } else if (model->body[key->antagonist].role != CN_BODY_FREE) {
            cn_wake(sim, key->candidate);
        }
    }
    cn_kept_filter(sim);
}

void cn_sleep_hold(const cn_sim *sim, cn_step *step) {
    int64_t size = cn_velocity_size(sim->model->dim);
    for (int32_t i = 0; step->resting && i < sim->model->body_count; i++) {
        if (cn_is_asleep(sim, i)) {
            cn_inertia_hold(sim->model, &step->inertia, i);
            memset(step->v_free + size * i, 0, sizeof(double) * (size_t)size);
        }
    }
}

void cn_sleep_disturb(cn_sim *sim) {
    const cn_step *step = &sim->last;
    int32_t dim = sim->model->dim;
    for (int32_t a = 0; step->resting && a < step->assembled.contacts; a++) {
        const cn_contact_key *key =
            &step->contacts.contact[cn_assembled_listed(&step->assembled, a)].key;
        if (step->r[(int64_t)dim * a] > 0.0) {
            cn_wake(sim, key->candidate);
            cn_wake(sim, key->antagonist);
        }
    }
    cn_kept_filter(sim);
}

// ---- falling asleep ----

static int32_t cn_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// The lower root leads, so that an island is named by its lowest body.
static void cn_unite(int32_t *parent, int32_t i, int32_t j) {
    i = cn_root(parent, i);
    j = cn_root(parent, j);
    parent[i > j ? i : j] = i < j ? i : j;
}

static double cn_speed_of(const cn_model *model, int32_t i, const double *v) {
    const double *own = v + (int64_t)cn_velocity_size(model->dim) * i;
    double bound = isinf(model->body[i].bound) ? 0.0 : model->body[i].bound;
    return model->dim == 3 ? fmax(cn_norm3(own), bound * cn_norm3(own + 3))
                           : fmax(hypot(own[0], own[1]), bound * fabs(own[2]));
}

// How long each body has been slow; those that press on a body that moves are not.
static void cn_sleep_measure(cn_sim *sim, int32_t *parent) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    double *calm = sim->state.calm;
    for (int32_t i = 0; i < model->body_count; i++) {
        bool slow = model->body[i].role == CN_BODY_FREE && !sim->restless[i] &&
                    cn_speed_of(model, i, step->v) <= model->settings.sleep_speed;
        calm[i] = slow ? calm[i] + step->h : 0.0;
        parent[i] = i;
    }
    for (int32_t a = 0; a < step->assembled.contacts; a++) {
        const cn_contact_key *key =
            &step->contacts.contact[cn_assembled_listed(&step->assembled, a)].key;
        if (!(step->r[(int64_t)model->dim * a] > 0.0)) {
            continue;
        }
        bool free[2] = {model->body[key->candidate].role == CN_BODY_FREE,
                        model->body[key->antagonist].role == CN_BODY_FREE};
        if (free[0] && free[1]) {
            cn_unite(parent, key->candidate, key->antagonist);
        } else if (!step->resting[free[0] ? key->antagonist : key->candidate]) {
            calm[free[0] ? key->candidate : key->antagonist] = 0.0;
        }
    }
}

// The shortest calm of an island, at its root.
static void cn_sleep_least(const cn_sim *sim, int32_t *parent, double *least) {
    const cn_model *model = sim->model;
    for (int32_t i = 0; i < model->body_count; i++) {
        least[i] = HUGE_VAL;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        int32_t root = cn_root(parent, i);
        least[root] = fmin(least[root], sim->state.calm[i]);
    }
}

static void cn_fall_asleep(cn_sim *sim, int32_t i, int32_t island) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    int64_t size = cn_velocity_size(model->dim);
    cn_rigid rigid = cn_body_rigid(model, i);
    step->stilled += cn_rigid_kinetic(&rigid, step->q + (int64_t)cn_pose_size(model->dim) * i,
                                      step->v + size * i);
    memset(step->v + size * i, 0, sizeof *step->v * (size_t)size);
    memcpy(sim->state.rest_load + 6 * (int64_t)i, step->load + 6 * (int64_t)i,
           6 * sizeof *step->load);
    sim->state.island[i] = island;
}

// What the step found for a contact, at rest: the law holds for u = 0 without a shift.
static cn_kept_contact cn_kept_of(const cn_step *step, int32_t a) {
    const cn_friction *p = &step->assembled.problem;
    cn_kept_contact kept;
    memset(&kept, 0, sizeof kept); // its gaps too, which are saved
    kept.contact = step->contacts.contact[cn_assembled_listed(&step->assembled, a)];
    kept.friction = p->mu[a];
    kept.status = step->status[a];
    double axes[9];
    cn_contact_axes(p->dim, kept.contact.normal, axes);
    for (int32_t i = 0; i < p->dim; i++) {
        cn_add_scaled3(kept.impulse, step->r[(int64_t)p->dim * a + i], axes + 3 * i, kept.impulse);
    }
    return kept;
}

cn_status cn_sleep_decide(cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    if (!sim->state.island) {
        return CN_OK;
    }
    int32_t *parent = CN_TAKE(sim->step_memory, int32_t, model->body_count), fallen = 0;
    double *least = CN_TAKE(sim->step_memory, double, model->body_count);
    if (!parent || !least) {
        return cn_fail_memory(error);
    }
    cn_sleep_measure(sim, parent);
    cn_sleep_least(sim, parent, least);
    for (int32_t i = 0; i < model->body_count; i++) {
        bool falls = model->body[i].role == CN_BODY_FREE && !cn_is_asleep(sim, i) &&
                     least[cn_root(parent, i)] >= model->settings.sleep_after;
        if (falls) {
            cn_fall_asleep(sim, i, cn_root(parent, i));
            fallen++;
        }
    }
    for (int32_t a = 0; fallen > 0 && a < step->assembled.contacts; a++) {
        const cn_contact_key *key =
            &step->contacts.contact[cn_assembled_listed(&step->assembled, a)].key;
        bool rests = cn_is_asleep(sim, key->candidate) || cn_is_asleep(sim, key->antagonist);
        if (rests && step->r[(int64_t)model->dim * a] > 0.0) {
            cn_kept_contact kept = cn_kept_of(step, a);
            if (!cn_buffer_append(&sim->fresh, &kept, sizeof kept)) {
                return cn_fail_memory(error);
            }
        }
    }
    return CN_OK;
}
