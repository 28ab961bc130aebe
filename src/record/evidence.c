// record/evidence.c
#include "record/evidence.h"

#include "base/arena.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static bool is_steered_from_scene(const cn_sim *sim) {
    const cn_steering *steering = &sim->steering;
    const double *own = sim->model->settings.gravity;
    bool same = steering->friction == 1.0;
    for (int32_t k = 0; k < sim->model->dim; k++) {
        same = same && steering->gravity[k] == own[k];
    }
    return !same;
}

static bool take_steering(const cn_sim *sim, cn_arena *memory, rec_evidence *out) {
    double *steering = BASE_TAKE(memory, double, REC_STEERING_NUMBERS);
    if (steering) {
        memcpy(steering, sim->steering.gravity, 3 * sizeof *steering);
        steering[3] = sim->steering.friction;
    }
    out->steering = steering;
    return steering != NULL;
}

static bool take_asleep(const cn_sim *sim, cn_arena *memory, rec_evidence *out) {
    const cn_model *model = sim->model;
    uint8_t *asleep = BASE_TAKE(memory, uint8_t, model->body_count);
    for (int32_t i = 0; asleep && i < model->body_count; i++) {
        bool free = model->body[i].role == MODEL_BODY_FREE, now = sim->state.island[i] >= 0;
        asleep[i] = !free || !now ? 0 : (sim->last.resting[i] ? 1 : 2);
    }
    out->asleep = asleep;
    return asleep != NULL;
}

static bool take_early(const cn_sim *sim, cn_arena *memory, rec_evidence *out) {
    const step_data *step = &sim->last;
    double *early = BASE_TAKE(memory, double, 7 * (int64_t)step->early.count);
    for (int32_t c = 0; early && c < step->contacts.count; c++) {
        int32_t place = step->early.place[c];
        if (place >= 0) {
            double *own = early + 7 * out->early_count++;
            own[0] = c;
            memcpy(own + 1, step->early.arm + 6 * (int64_t)place, 6 * sizeof *own);
        }
    }
    out->early = early;
    return early != NULL;
}

bool rec_evidence_take(const cn_sim *sim, cn_arena *memory, rec_evidence *out) {
    const step_data *step = &sim->last;
    *out = (rec_evidence){.start = (double)NAN, .h = (double)NAN};
    if (sim->system || !step->v_old) {
        return true; // integrators of systems have no such step
    }
    bool moved = step->v_seen != step->v_new, slept = step->stilled > 0.0;
    out->start = step->t;
    out->h = step->h;
    out->projection = step->projection;
    out->limited = step->fast.limited;
    out->v_before = step->v_old;
    out->v_after = moved || slept ? step->v_new : NULL;
    out->q_middle = out->v_after ? step->q_middle : NULL;
    bool said = !sim->model->control && sim->steering.pulled == 0 && !step->given;
    out->load = said ? NULL : step->load;
    out->sleeping = cn_sim_contact_count(sim) - step->contacts.count;
    bool complete = !is_steered_from_scene(sim) || take_steering(sim, memory, out);
    complete = complete && (!step->resting || take_asleep(sim, memory, out));
    return complete &&
           (!step->opts.early || step->early.count == 0 || take_early(sim, memory, out));
}

bool rec_joint_evidence_take(const cn_sim *sim, cn_arena *memory, rec_joint_evidence *out) {
    const cn_model *model = sim->model;
    const step_data *step = &sim->last;
    int64_t count = model->joint_count;
    out->rows = sim->state.joint_impulse;
    out->start = step->assembled.value + (int64_t)model->dim * step->assembled.contacts;
    out->settled = step->settled;
    out->angle = sim->state.joint_angle;
    out->value = BASE_TAKE_ZERO(memory, double, count);
    out->rate = BASE_TAKE_ZERO(memory, double, count);
    out->effort = BASE_TAKE_ZERO(memory, double, count);
    out->impulse = BASE_TAKE_ZERO(memory, double, model_velocity_size(model->dim) * count);
    if (!out->value || !out->rate || !out->effort || !out->impulse) {
        return false;
    }
    int32_t size = model_velocity_size(model->dim);
    for (int32_t j = 0; j < count; j++) {
        sim_joint_answer answer;
        sim_joint_answer_of(sim, j, &answer);
        out->value[j] = answer.value;
        out->rate[j] = answer.rate;
        out->effort[j] = answer.effort;
        for (int32_t k = 0; k < size; k++) {
            out->impulse[(int64_t)size * j + k] = answer.impulse[size == 6 || k < 2 ? k : 5];
        }
    }
    return true;
}
