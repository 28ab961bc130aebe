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
    out->load = sim->model->control || sim->steering.pulled != 0 ? step->load : NULL;
    out->sleeping = cn_sim_contact_count(sim) - step->contacts.count;
    bool complete = !is_steered_from_scene(sim) || take_steering(sim, memory, out);
    complete = complete && (!step->resting || take_asleep(sim, memory, out));
    return complete &&
           (!step->opts.early || step->early.count == 0 || take_early(sim, memory, out));
}

// What rows of a joint do together to its second body; effort of its motor, and its coordinate.
static void joint_evidence_of(const cn_sim *sim, int32_t j, rec_joint_evidence *out) {
    static const int flat[3] = {0, 1, 5};
    const cn_model *model = sim->model;
    const step_data *step = &sim->last;
    const model_joint *joint = &model->joint[j];
    int32_t size = model_velocity_size(model->dim);
    double J[12], *impulse = out->impulse + (int64_t)size * j;
    joint_view view;
    asm_joint_view_at(model, &sim->state, j, step->q_middle, &view);
    for (int32_t i = 0; i < joint->row_count; i++) {
        double r = out->rows[joint->row_first + i];
        asm_joint_value(joint, &view, i, J);
        for (int32_t k = 0; k < size; k++) {
            impulse[k] += r * J[6 + (size == 6 ? k : flat[k])];
        }
        out->effort[j] += joint->row[i].role == JOINT_ROLE_MOTOR ? r / step->h : 0.0;
    }
    joint_gauge_of drive = joint_form_of(joint->geometry.kind, model->dim)->drive;
    if (drive == JOINT_GAUGE_NONE) {
        return;
    }
    asm_joint_view_at(model, &sim->state, j, sim->state.q, &view);
    out->value[j] = joint_gauge(&view, drive, J);
    for (int32_t k = 0; k < 2 * size; k++) {
        int32_t part = k % size;
        out->rate[j] += J[6 * (k / size) + (size == 6 ? part : flat[part])] *
                        sim->state.v[(int64_t)size * joint->body[k / size] + part];
    }
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
    for (int32_t j = 0; j < count; j++) {
        joint_evidence_of(sim, j, out);
    }
    return true;
}
