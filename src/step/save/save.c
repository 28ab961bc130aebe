// step/save/save.c
// A state as bytes, little-endian as the machine is, and its hash: what a checkpoint holds.
#include "step/save/save.h"

#include "step/bonds/bonds.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

size_t step_save_size(const step_save_head *head, size_t others) {
    size_t bodies = (size_t)head->bodies, impulses = (size_t)head->impulses;
    size_t numbers =
        (size_t)(model_pose_size(head->dim) + model_velocity_size(head->dim)) * bodies +
        (head->motion ? 10 : 3) * impulses + others +
        6 * bodies *
            (size_t)(!!(head->outside & STEP_SAVE_HELD) + !!(head->outside & STEP_SAVE_ONCE));
    return sizeof *head + (size_t)head->journal + numbers * sizeof(double) +
           impulses * (sizeof(model_contact_key) + 1) +
           (size_t)head->contacts * sizeof(step_stored_contact) +
           (head->steered ? sizeof(step_save_steering) : 0);
}

size_t step_save_sleep_size(const cn_sim *sim) {
    size_t bodies = (size_t)sim->model->body_count;
    return sim->state.island ? bodies * (7 * sizeof(double) + sizeof(int32_t)) + sizeof(int64_t)
                             : 0;
}

size_t step_save_other_numbers(const cn_model *model, int32_t bonds) {
    return (size_t)model->joint_row_count + 2 * (size_t)model->joint_count +
           (size_t)step_control_count(model) + (size_t)model->inputs.count + (size_t)bonds +
           2 * (size_t)model->dim * (size_t)model->node_count;
}

// false: no memory.
static bool sleep_load(cn_sim *sim, const unsigned char *from, size_t size) {
    model_state *state = &sim->state;
    size_t bodies = (size_t)sim->model->body_count, fixed = step_save_sleep_size(sim);
    sim->sleep.stored.size = sim->sleep.fresh.size = 0;
    if (fixed == 0) {
        return true;
    }
    memcpy(state->quiet, from, bodies * sizeof *state->quiet);
    from += bodies * sizeof *state->quiet;
    memcpy(state->rest_load, from, 6 * bodies * sizeof *state->rest_load);
    from += 6 * bodies * sizeof *state->rest_load;
    memcpy(state->island, from, bodies * sizeof *state->island);
    from += bodies * sizeof *state->island + sizeof(int64_t);
    // Two sorted lists, one after the other, that the next step joins.
    step_stored_contact pair[2];
    size_t one = sizeof *pair, count = (size - fixed) / one, sorted = count > 0;
    for (; sorted > 0 && sorted < count; sorted++) {
        memcpy(pair, from + (sorted - 1) * one, sizeof pair);
        if (model_key_before(&pair[1].contact.key, &pair[0].contact.key)) {
            break;
        }
    }
    return base_buffer_append(&sim->sleep.stored, from, sorted * one) &&
           base_buffer_append(&sim->sleep.fresh, from + sorted * one, (count - sorted) * one);
}

// Whether a run is not just what its scene says. Field by field: structs have gaps.
static bool is_steered(const cn_sim *sim) {
    const cn_steering *now = &sim->steering;
    cn_steering start = sim_steering_default(sim->model);
    return now->pulled != 0 || now->friction != start.friction || sim->steering_work != 0.0 ||
           memcmp(now->gravity, start.gravity, sizeof start.gravity) != 0;
}

static void save_part(step_save *save, const void *bytes, size_t size) {
    if (size > 0) {
        save->part[save->count].bytes = bytes;
        save->part[save->count++].size = size;
        save->size += size;
    }
}

static void save_sleep(const cn_sim *sim, step_save *save) {
    const model_state *state = &sim->state;
    size_t bodies = (size_t)sim->model->body_count;
    if (state->island) {
        save->kept = (int64_t)((sim->sleep.stored.size + sim->sleep.fresh.size) /
                               sizeof(step_stored_contact));
        save_part(save, state->quiet, bodies * sizeof *state->quiet);
        save_part(save, state->rest_load, 6 * bodies * sizeof *state->rest_load);
        save_part(save, state->island, bodies * sizeof *state->island);
        save_part(save, &save->kept, sizeof save->kept);
        save_part(save, sim->sleep.stored.data, sim->sleep.stored.size);
        save_part(save, sim->sleep.fresh.data, sim->sleep.fresh.size);
    }
}

// The arrays behind the head, in their order.
#define STATE_PARTS 13
typedef struct state_part {
    void *bytes;
    size_t size;
} state_part;

static void list_parts(const cn_sim *sim, const step_save_head *head,
                       state_part part[STATE_PARTS]) {
    const model_state *state = &sim->state;
    const cn_model *model = sim->model;
    size_t bodies = (size_t)head->bodies, impulses = (size_t)head->impulses, one = sizeof(double);
    const state_part all[STATE_PARTS] = {
        {state->q, (size_t)model_pose_count(model) * one},
        {state->v, (size_t)model_velocity_count(model) * one},
        {state->joint_impulse, (size_t)model->joint_row_count * one},
        {state->joint_angle, 2 * (size_t)model->joint_count * one},
        {sim->control ? sim->control->held : NULL, (size_t)step_control_count(model) * one},
        {sim->outside.input, (size_t)model->inputs.count * one},
        {state->damage, (size_t)step_bonds_count(sim->bonds) * one},
        {state->impulse, 3 * impulses * one},
        {state->key, impulses * sizeof(model_contact_key)},
        {state->past, impulses},
        {state->motion, head->motion ? impulses * sizeof(model_contact_motion) : 0},
        {sim->outside.held, head->outside & STEP_SAVE_HELD ? 6 * bodies * one : 0},
        {sim->outside.once, head->outside & STEP_SAVE_ONCE ? 6 * bodies * one : 0}};
    memcpy(part, all, sizeof all);
}

// The contacts of the last step into sim->contacts, where they are not; false: no memory.
static bool take_contacts(const cn_sim *sim) {
    const step_data *step = &sim->last;
    const model_state *state = &sim->state;
    base_buffer *out = sim->contacts;
    size_t bytes = (size_t)step->contacts.count * sizeof(step_stored_contact);
    if (sim->restored) {
        return true;
    }
    out->size = 0;
    if (!base_buffer_reserve(out, bytes)) {
        return false;
    }
    out->size = bytes;
    step_stored_contact *stored = (void *)out->data;
    int32_t a = 0, k = 0;
    for (int32_t c = 0; c < step->contacts.count; c++) {
        memset(&stored[c], 0, sizeof *stored); // the gaps too
        stored[c].contact = step->contacts.contact[c];
        if (a >= step->assembled.contacts || asm_assembled_listed(&step->assembled, a) != c) {
            continue;
        }
        while (model_key_before(&state->key[k], &stored[c].contact.key)) {
            k++; // of bodies asleep
        }
        memcpy(stored[c].impulse, state->impulse + 3 * (int64_t)k, sizeof stored[c].impulse);
        stored[c].friction = step->assembled.problem.mu[a];
        stored[c].status = step->status[a++];
    }
    return true;
}

bool sim_parts(const cn_sim *sim, bool contacts, step_save *save) {
    const model_state *state = &sim->state;
    const cn_model *model = sim->model;
    memset(save, 0, sizeof *save); // the gaps of its structs too
    if (contacts && !take_contacts(sim)) {
        return false;
    }
    size_t listed = contacts ? sim->contacts->size : 0;
    save->head = (step_save_head){.magic = STEP_SAVE_MAGIC,
                                  .step = state->step,
                                  .dim = model->dim,
                                  .bodies = model->body_count,
                                  .impulses = state->impulse_count,
                                  .motion = model->stores_motion,
                                  .last_h = state->last_h,
                                  .drift_limit = state->drift_limit,
                                  .steered = is_steered(sim),
                                  .journal = (int64_t)sim->journal.size,
                                  .contacts = (int32_t)(listed / sizeof(step_stored_contact))};
    save->steered.steering = sim->steering;
    save->steered.work = sim->steering_work;
    save->head.outside = (sim->outside.holds ? STEP_SAVE_HELD : 0) |
                         (sim->outside.pushes ? STEP_SAVE_ONCE : 0) |
                         (sim->outside.jumped ? STEP_SAVE_JUMPED : 0);
    save_part(save, &save->head, sizeof save->head);
    save_part(save, sim->journal.data, sim->journal.size);
    state_part part[STATE_PARTS];
    list_parts(sim, &save->head, part);
    for (int32_t i = 0; i < STATE_PARTS; i++) {
        save_part(save, part[i].bytes, part[i].size);
    }
    save_part(save, sim->contacts->data, listed);
    save_part(save, &save->steered, save->head.steered ? sizeof save->steered : 0);
    save_sleep(sim, save);
    save->head.checksum = base_hash_parts(save->part, save->count);
    return true;
}

// A system's state by way of a copy; it is small.
static cn_status save_system(const cn_sim *sim, cn_room_fn *room, void *user) {
    void *bytes;
    size_t size;
    CN_TRY(sim_system_save(sim, &bytes, &size));
    void *to = room(user, size);
    if (to) {
        memcpy(to, bytes, size);
    }
    cn_sim_free(sim, bytes, size);
    return to ? CN_OK : CN_ERR_MEMORY;
}

cn_status cn_sim_save_into(const cn_sim *sim, cn_room_fn *room, void *user) {
    if (!sim || !room) {
        return CN_ERR_ARGUMENT;
    }
    if (sim->system) {
        return save_system(sim, room, user);
    }
    step_save save;
    if (!sim_parts(sim, true, &save)) {
        return CN_ERR_MEMORY;
    }
    unsigned char *to = room(user, save.size);
    if (!to) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < save.count; i++) {
        memcpy(to, save.part[i].bytes, save.part[i].size);
        to += save.part[i].size;
    }
    return CN_OK;
}

typedef struct save_room {
    const cn_env *env;
    void *bytes;
    size_t size;
} save_room;

static void *take_room(void *user, size_t size) {
    save_room *room = user;
    room->size = size;
    return room->bytes = base_env_resize(room->env, NULL, 0, size);
}

cn_status cn_sim_save(const cn_sim *sim, void **bytes, size_t *size) {
    if (!sim || !bytes || !size) {
        return CN_ERR_ARGUMENT;
    }
    save_room room = {.env = &sim->env};
    CN_TRY(cn_sim_save_into(sim, take_room, &room));
    *bytes = room.bytes;
    *size = room.size;
    return CN_OK;
}

void cn_sim_free(const cn_sim *sim, void *bytes, size_t size) {
    if (bytes) {
        sim->env.allocator.resize(sim->env.allocator.user, bytes, size, 0);
    }
}

// The model of the state in bytes, if it is one that can be taken; else nothing has changed.
static cn_status load_model(cn_sim *sim, const void *bytes, size_t size, cn_error *error) {
    step_save_head head;
    CN_TRY(step_save_check_bytes(bytes, size, error));
    memcpy(&head, bytes, sizeof head);
    const unsigned char *journal = (const unsigned char *)bytes + sizeof head;
    bool same = (size_t)head.journal == sim->journal.size &&
                (head.journal == 0 || memcmp(journal, sim->journal.data, sim->journal.size) == 0);
    if (same) {
        return step_save_check(sim, bytes, size, error);
    }
    // A state of now, to come back to.
    void *now;
    size_t now_size;
    cn_status status = cn_sim_save(sim, &now, &now_size);
    if (status != CN_OK) {
        return base_fail_memory(error);
    }
    status = sim_replay(sim, journal, (size_t)head.journal, error);
    status = status == CN_OK ? step_save_check(sim, bytes, size, error) : status;
    if (status != CN_OK) {
        cn_error ignored;
        cn_status back = cn_sim_load(sim, now, now_size, &ignored);
        status = back == CN_OK ? status : base_fail_memory(error);
    }
    cn_sim_free(sim, now, now_size);
    return status;
}

cn_status cn_sim_load(cn_sim *sim, const void *bytes, size_t size, cn_error *error) {
    if (!sim || !bytes) {
        return base_fail_missing(error);
    }
    if (sim->system) {
        return sim_system_load(sim, bytes, size, error);
    }
    step_save_head head;
    CN_TRY(load_model(sim, bytes, size, error));
    memcpy(&head, bytes, sizeof head);
    const cn_model *model = sim->model;
    step_save_steering steered = {.steering = sim_steering_default(model)};
    size_t awake =
        step_save_size(&head, step_save_other_numbers(model, step_bonds_count(sim->bonds)));
    if (head.steered) {
        memcpy(&steered, (const unsigned char *)bytes + awake - sizeof steered, sizeof steered);
    }
    sim_end_push(sim);
    CN_TRY(head.outside & STEP_SAVE_HELD ? sim_take_loads(sim, &sim->outside.held, error) : CN_OK);
    CN_TRY(head.outside & STEP_SAVE_ONCE ? sim_take_loads(sim, &sim->outside.once, error) : CN_OK);
    if (!sim_resize_impulses(sim, head.impulses)) {
        return base_fail_memory(error);
    }
    model_state state = sim->state;
    state.step = head.step;
    state.last_h = head.last_h;
    state.drift_limit = head.drift_limit;
    sim->state = state;
    state_part part[STATE_PARTS];
    list_parts(sim, &head, part);
    const unsigned char *from = (const unsigned char *)bytes + sizeof head + head.journal;
    for (int32_t i = 0; i < STATE_PARTS; i++) {
        if (part[i].size > 0) {
            memcpy(part[i].bytes, from, part[i].size);
        }
        from += part[i].size;
    }
    sim->contacts->size = 0;
    sim->previous.count = 0;
    sim->restored = true;
    if (!base_buffer_append(sim->contacts, from,
                            (size_t)head.contacts * sizeof(step_stored_contact))) {
        return base_fail_memory(error);
    }
    sim->outside.holds = (head.outside & STEP_SAVE_HELD) != 0;
    sim->outside.pushes = (head.outside & STEP_SAVE_ONCE) != 0;
    sim->outside.jumped = (head.outside & STEP_SAVE_JUMPED) != 0;
    sim->steering = steered.steering;
    sim->steering_work = steered.work;
    sim->last = (step_data){0};
    det_detector_rest(sim->detector, NULL);
    det_detector_reset(sim->detector);
    return sleep_load(sim, (const unsigned char *)bytes + awake, size - awake)
               ? CN_OK
               : base_fail_memory(error);
}

uint64_t cn_sim_hash(const cn_sim *sim) {
    uint64_t hash = 0;
    if (sim && sim_hash(sim, &hash) != CN_OK) {
        return 0;
    }
    return hash;
}

cn_status sim_hash(const cn_sim *sim, uint64_t *hash) {
    const cn_model *model = sim->model;
    int64_t poses = (int64_t)model_pose_size(model->dim) * model->body_count;
    int64_t velocities = (int64_t)model_velocity_size(model->dim) * model->body_count;
    int64_t nodes = (int64_t)model->dim * model->node_count;
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    double *q = BASE_TAKE(sim->scratch, double, poses);
    double *x = BASE_TAKE(sim->scratch, double, nodes);
    if (!q || !x) {
        base_arena_release(sim->scratch, mark);
        return CN_ERR_MEMORY;
    }
    cn_sim_poses(sim, q);
    cn_sim_nodes(sim, x, NULL);
    *hash = base_hash_state_nodes(sim->state.step, q, poses, sim->state.v, velocities, x,
                                  sim->state.v + velocities, nodes);
    base_arena_release(sim->scratch, mark);
    return CN_OK;
}
