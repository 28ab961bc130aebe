// step/act/contacts.c
// All contacts of a step at once, as columns.
#include "step/sim.h"

#include "base/parallel.h"

#include <string.h>

// What the columns ask for, in STEP_RECORD_... parts.
static uint32_t parts_of(const cn_contact_columns *out) {
    uint32_t parts = 0;
    parts |= out->bodies || out->point || out->normal || out->gap ? STEP_RECORD_PLACE : 0;
    parts |= out->impulse ? STEP_RECORD_IMPULSE : 0;
    parts |= out->velocity ? STEP_RECORD_AFTER : 0;
    parts |= out->velocity_before || out->shift || out->frame_change ? STEP_RECORD_BEFORE : 0;
    parts |= out->friction || out->status ? STEP_RECORD_STATE : 0;
    return parts;
}

static inline void put_vector(double *column, int32_t dim, int64_t index, const double x[3]) {
    if (column) {
        memcpy(column + dim * index, x, sizeof *x * (size_t)dim);
    }
}

static void put_record(const cn_contact_columns *out, int32_t dim, int64_t i,
                       const cn_contact_record *record) {
    put_vector(out->point, dim, i, record->point);
    put_vector(out->normal, dim, i, record->normal);
    put_vector(out->impulse, dim, i, record->impulse);
    put_vector(out->velocity, dim, i, record->velocity);
    put_vector(out->velocity_before, dim, i, record->velocity_before);
    put_vector(out->shift, dim, i, record->shift);
    put_vector(out->frame_change, dim, i, record->frame_change);
    if (out->bodies) {
        out->bodies[2 * i] = record->candidate;
        out->bodies[2 * i + 1] = record->antagonist;
    }
    if (out->gap) {
        out->gap[i] = record->gap;
    }
    if (out->friction) {
        out->friction[i] = record->friction;
    }
    if (out->status) {
        out->status[i] = record->status;
    }
}

typedef struct columns_loop {
    const cn_sim *sim;
    const cn_contact_columns *out;
    uint32_t parts;
} columns_loop;

// What lies ready of listed contact i, which is problem contact a (-1: none), without a record of
// all the rest: its impulse in world axes is that of the state.
static void put_ready(const cn_sim *sim, const cn_contact_columns *out, int64_t i, int64_t a) {
    static const double none[3] = {0.0, 0.0, 0.0};
    const step_data *step = &sim->last;
    const det_contact *contact = &step->contacts.contact[i];
    int32_t dim = sim->model->dim;
    put_vector(out->point, dim, i, contact->point);
    put_vector(out->normal, dim, i, contact->normal);
    put_vector(out->impulse, dim, i, a >= 0 ? sim->state.impulse + 3 * a : none);
    if (out->bodies) {
        out->bodies[2 * i] = contact->key.candidate + 1;
        out->bodies[2 * i + 1] = contact->key.antagonist + 1;
    }
    if (out->gap) {
        out->gap[i] = contact->gap;
    }
    if (out->friction) {
        out->friction[i] = a >= 0 ? step->assembled.problem.mu[a] : 0.0;
    }
    if (out->status) {
        out->status[i] = a >= 0 ? step->status[a] : 0;
    }
}

static void ready_range(void *user, int64_t first, int64_t end) {
    const columns_loop *loop = user;
    const asm_assembled *assembled = &loop->sim->last.assembled;
    int64_t a = sim_problem_behind(loop->sim, (int32_t)first);
    for (int64_t i = first; i < end; i++) {
        bool found = a < assembled->contacts && asm_assembled_listed(assembled, a) == i;
        put_ready(loop->sim, loop->out, i, found ? a++ : -1);
    }
}

static void columns_range(void *user, int64_t first, int64_t end) {
    const columns_loop *loop = user;
    int32_t dim = loop->sim->model->dim;
    sim_contact_cursor cursor = {0};
    for (int64_t i = first; i < end; i++) {
        cn_contact_record record;
        sim_contact_next(loop->sim, (int32_t)i, loop->parts, &cursor, &record);
        put_record(loop->out, dim, i, &record);
    }
}

int32_t cn_sim_contacts(const cn_sim *sim, int32_t capacity, const cn_contact_columns *out) {
    int32_t count = cn_sim_contact_count(sim);
    count = count < capacity ? count : capacity;
    if (!out || count <= 0) {
        return 0;
    }
    columns_loop loop = {sim, out, parts_of(out)};
    // Contacts of bodies asleep, of a state restored and of bodies removed are elsewhere.
    bool ready = !sim->system && !(loop.parts & (STEP_RECORD_AFTER | STEP_RECORD_BEFORE)) &&
                 count <= sim->last.contacts.count &&
                 sim->state.impulse_count == sim->last.assembled.contacts;
    if (ready) {
        base_parallel_ranges(&sim->env, count, ready_range, &loop);
    } else if (sim->system) {
        columns_range(&loop, 0, count);
    } else {
        base_parallel_ranges(&sim->env, count, columns_range, &loop);
    }
    return count;
}

// ---- what begins and ends ----

static bool presses(const sim_impulses *list, int32_t at) {
    const double *impulse = list->impulse + 3 * (int64_t)at;
    return impulse[0] != 0.0 || impulse[1] != 0.0 || impulse[2] != 0.0;
}

static bool same_pair(const model_contact_key *a, const model_contact_key *b) {
    return a->candidate == b->candidate && a->antagonist == b->antagonist;
}

// The first contact from `at` on of the next pair that presses; its end where there is none.
static int32_t next_pressing(const sim_impulses *list, int32_t at, const model_contact_key *last) {
    while (at < list->count && (!presses(list, at) || (last && same_pair(&list->key[at], last)))) {
        at++;
    }
    return at;
}

// Pairs that press in `now` and not in `other`.
static int32_t pairs_of(const sim_impulses *now, const sim_impulses *other, int32_t capacity,
                        int32_t *pairs) {
    int32_t count = 0, k = 0;
    for (int32_t i = next_pressing(now, 0, NULL); i < now->count;
         i = next_pressing(now, i, &now->key[i])) {
        model_contact_key pair = now->key[i];
        pair.feature = 0;
        while (k < other->count && model_key_before(&other->key[k], &pair)) {
            k++;
        }
        bool found = false;
        for (int32_t m = k; m < other->count && !found && same_pair(&other->key[m], &pair); m++) {
            found = presses(other, m);
        }
        if (!found && count < capacity && pairs) {
            pairs[2 * (int64_t)count] = pair.candidate + 1;
            pairs[2 * (int64_t)count + 1] = pair.antagonist + 1;
        }
        count += !found;
    }
    return count;
}

static int32_t changed_pairs(const cn_sim *sim, bool begun, int32_t capacity, int32_t *pairs) {
    if (!sim || sim->system || sim->restored || sim->state.step == 0) {
        return 0;
    }
    const sim_impulses now = {sim->state.key, sim->state.impulse, sim->state.impulse_count};
    return begun ? pairs_of(&now, &sim->previous, capacity, pairs)
                 : pairs_of(&sim->previous, &now, capacity, pairs);
}

int32_t cn_sim_contacts_begun(const cn_sim *sim, int32_t capacity, cn_body_id *pairs) {
    return changed_pairs(sim, true, capacity, pairs);
}

int32_t cn_sim_contacts_ended(const cn_sim *sim, int32_t capacity, cn_body_id *pairs) {
    return changed_pairs(sim, false, capacity, pairs);
}
