// step/save/save.c
// A state as bytes, little-endian as the machine is, and its hash.
#include "step/save/save.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

size_t step_save_size(const step_save_head *head, size_t others) {
    size_t bodies = (size_t)head->bodies, impulses = (size_t)head->impulses;
    size_t numbers =
        (size_t)(model_pose_size(head->dim) + model_velocity_size(head->dim)) * bodies +
        (head->motion ? 10 : 3) * impulses + others;
    return sizeof *head + numbers * sizeof(double) + impulses * (sizeof(model_contact_key) + 1) +
           (head->steered ? sizeof(step_save_steering) : 0);
}

size_t step_save_sleep_size(const cn_sim *sim) {
    size_t bodies = (size_t)sim->model->body_count;
    return sim->state.island ? bodies * (7 * sizeof(double) + sizeof(int32_t)) + sizeof(int64_t)
                             : 0;
}

size_t step_save_other_numbers(const cn_model *model) {
    return (size_t)model->joint_row_count + 2 * (size_t)model->joint_count +
           (size_t)step_control_count(model);
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

void sim_parts(const cn_sim *sim, step_save *save) {
    const model_state *state = &sim->state;
    const cn_model *model = sim->model;
    size_t bodies = (size_t)model->body_count, impulses = (size_t)state->impulse_count;
    memset(save, 0, sizeof *save); // the gaps of its structs too
    save->head = (step_save_head){.magic = STEP_SAVE_MAGIC,
                                  .step = state->step,
                                  .dim = model->dim,
                                  .bodies = model->body_count,
                                  .impulses = state->impulse_count,
                                  .motion = model->stores_motion,
                                  .last_h = state->last_h,
                                  .drift_limit = state->drift_limit,
                                  .steered = is_steered(sim)};
    save->steered.steering = sim->steering;
    save->steered.work = sim->steering_work;
    save_part(save, &save->head, sizeof save->head);
    save_part(save, state->q, (size_t)model_pose_size(model->dim) * bodies * sizeof(double));
    save_part(save, state->v, (size_t)model_velocity_size(model->dim) * bodies * sizeof(double));
    save_part(save, state->joint_impulse, (size_t)model->joint_row_count * sizeof(double));
    save_part(save, state->joint_angle, 2 * (size_t)model->joint_count * sizeof(double));
    save_part(save, sim->control ? sim->control->held : NULL,
              (size_t)step_control_count(model) * sizeof(double));
    save_part(save, state->impulse, 3 * impulses * sizeof(double));
    save_part(save, state->key, impulses * sizeof(model_contact_key));
    save_part(save, state->past, impulses);
    save_part(save, state->motion,
              model->stores_motion ? impulses * sizeof(model_contact_motion) : 0);
    save_part(save, &save->steered, save->head.steered ? sizeof save->steered : 0);
    save_sleep(sim, save);
    save->head.checksum = base_hash_parts(save->part, save->count);
}

cn_status cn_sim_save(const cn_sim *sim, void **bytes, size_t *size) {
    if (!sim || !bytes || !size) {
        return CN_ERR_ARGUMENT;
    }
    if (sim->system) {
        return sim_system_save(sim, bytes, size);
    }
    step_save save;
    sim_parts(sim, &save);
    unsigned char *all = base_env_resize(&sim->env, NULL, 0, save.size);
    if (!all) {
        return CN_ERR_MEMORY;
    }
    *bytes = all;
    *size = save.size;
    for (int32_t i = 0; i < save.count; i++) {
        memcpy(all, save.part[i].bytes, save.part[i].size);
        all += save.part[i].size;
    }
    return CN_OK;
}

void cn_sim_free(const cn_sim *sim, void *bytes, size_t size) {
    if (bytes) {
        sim->env.allocator.resize(sim->env.allocator.user, bytes, size, 0);
    }
}

cn_status cn_sim_load(cn_sim *sim, const void *bytes, size_t size, cn_error *error) {
    if (!sim || !bytes) {
        return base_fail_missing(error);
    }
    if (sim->system) {
        return sim_system_load(sim, bytes, size, error);
    }
    const cn_model *model = sim->model;
    cn_status status = step_save_check(sim, bytes, size, error);
    if (status != CN_OK) {
        return status;
    }
    step_save_head head;
    memcpy(&head, bytes, sizeof head);
    step_save_steering steered = {.steering = sim_steering_default(model)};
    size_t awake = step_save_size(&head, step_save_other_numbers(model));
    if (head.steered) {
        memcpy(&steered, (const unsigned char *)bytes + awake - sizeof steered, sizeof steered);
    }
    if (!sim_resize_impulses(sim, head.impulses)) {
        return base_fail_memory(error);
    }
    model_state state = sim->state;
    state.step = head.step;
    state.last_h = head.last_h;
    state.drift_limit = head.drift_limit;
    size_t impulses = (size_t)head.impulses;
    const struct {
        void *to;
        size_t bytes;
    } parts[] = {
        {state.q, (size_t)model_pose_size(head.dim) * (size_t)head.bodies * sizeof(double)},
        {state.v, (size_t)model_velocity_size(head.dim) * (size_t)head.bodies * sizeof(double)},
        {state.joint_impulse, (size_t)model->joint_row_count * sizeof(double)},
        {state.joint_angle, 2 * (size_t)model->joint_count * sizeof(double)},
        {sim->control ? sim->control->held : NULL,
         (size_t)step_control_count(model) * sizeof(double)},
        {state.impulse, 3 * impulses * sizeof(double)},
        {state.key, impulses * sizeof(model_contact_key)},
        {state.past, impulses},
        {state.motion, model->stores_motion ? impulses * sizeof(model_contact_motion) : 0}};
    const unsigned char *from = (const unsigned char *)bytes + sizeof head;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].bytes > 0) {
            memcpy(parts[i].to, from, parts[i].bytes);
        }
        from += parts[i].bytes;
    }
    sim->steering = steered.steering;
    sim->steering_work = steered.work;
    sim->state = state;
    sim->last = (step_data){0};
    det_detector_rest(sim->detector, NULL);
    det_detector_reset(sim->detector);
    return sleep_load(sim, (const unsigned char *)bytes + awake, size - awake)
               ? CN_OK
               : base_fail_memory(error);
}

uint64_t cn_sim_hash(const cn_sim *sim) {
    if (!sim) {
        return 0;
    }
    const cn_model *model = sim->model;
    int64_t poses = (int64_t)model_pose_size(model->dim) * model->body_count;
    int64_t velocities = (int64_t)model_velocity_size(model->dim) * model->body_count;
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    double *q = BASE_TAKE(sim->scratch, double, poses);
    if (!q) {
        return 0;
    }
    cn_sim_poses(sim, q);
    uint64_t hash = base_hash_state(sim->state.step, q, poses, sim->state.v, velocities);
    base_arena_release(sim->scratch, mark);
    return hash;
}
