// step/systems/rigid_contacts.c
// The gaps of a rigid system: ends of joint limits, then slots. A slot holds one contact by its key
// (bodies and features) and asks the detection for it wherever a step looks; a contact that is not
// found there, since other features took over, keeps the geometry it had. New contacts take free
// slots; a slot is free again when its contact is gone at the start of a step.
#include "step/systems/rigid_system.h"

#include "base/error.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RIGID_FAR 1.0    // [m] the gap of a slot without contact
#define RIGID_MARGIN 2.0 // steps ahead that the detection looks, besides what gravity adds

static bool key_is(const model_contact_key *a, const model_contact_key *b) {
    return a->candidate == b->candidate && a->antagonist == b->antagonist &&
           a->feature == b->feature;
}

// ---- slots ----

// The law of a slot's contact, with friction as a person may have changed it.
static void slot_law(step_rigid_system *rigid, int32_t index) {
    const cn_model *model = rigid->sim->model;
    const model_contact_key *key = &rigid->slot[index].contact.key;
    cn_lagrangian_contact *law = sys_system_law(rigid->system, rigid->limit_count + index);
    const model_body_pair *pair = model_pair(model, model->body[key->candidate].material,
                                             model->body[key->antagonist].material);
    law->friction = pair->friction * rigid->sim->steering.friction;
    law->restitution = pair->restitution;
    law->restitution_tangent = pair->restitution_tangent;
}

static void slot_set(step_rigid_system *rigid, int32_t index, const det_contact *contact) {
    step_rigid_slot *slot = &rigid->slot[index];
    double *key = rigid->key + 4 * (int64_t)index;
    *slot = (step_rigid_slot){.used = true, .contact = *contact};
    key[0] = contact->key.candidate + 1.0;
    key[1] = contact->key.antagonist + 1.0;
    key[2] = (double)(uint32_t)(contact->key.feature >> 32);
    key[3] = (double)(uint32_t)contact->key.feature;
    slot_law(rigid, index);
}

static void slot_clear(step_rigid_system *rigid, int32_t index) {
    rigid->slot[index].used = false;
    memset(rigid->key + 4 * (int64_t)index, 0, 4 * sizeof(double));
}

// The slot of a contact, or a free one that becomes its own; -1: there is none.
static int32_t slot_of(step_rigid_system *rigid, const det_contact *contact) {
    int32_t free_slot = -1;
    for (int32_t i = 0; i < rigid->slot_count; i++) {
        if (rigid->slot[i].used && key_is(&rigid->slot[i].contact.key, &contact->key)) {
            rigid->slot[i].contact = *contact;
            return i;
        }
        free_slot = free_slot < 0 && !rigid->slot[i].used ? i : free_slot;
    }
    if (free_slot >= 0) {
        slot_set(rigid, free_slot, contact);
    }
    return free_slot;
}

// All contacts at the poses of rigid->pose into their slots; found[i]: slot i is among them (may be
// NULL).
static void slots_look(step_rigid_system *rigid, bool *found) {
    const cn_sim *sim = rigid->sim;
    det_contact_list list;
    rigid->looked = true;
    cn_status status = det_detect(sim->detector, rigid->pose, rigid->reach,
                                  RIGID_MARGIN * sim->model->settings.step, &list, &rigid->error);
    for (int32_t c = 0; status == CN_OK && c < list.count; c++) {
        int32_t slot = slot_of(rigid, &list.contact[c]);
        if (slot < 0) {
            status = base_fail(&rigid->error, CN_ERR_UNSUPPORTED,
                               "more than %d contacts at t = %g are too many for the scheme \"%s\"",
                               (int)rigid->slot_count, rigid->t, sim->model->settings.scheme);
            base_fail_hint(&rigid->error, "moreau-jean is for many contacts");
        } else if (found) {
            found[slot] = true;
        }
    }
    if (status != CN_OK && rigid->status == CN_OK) {
        rigid->status = status;
    }
}

cn_status step_rigid_slots_begin(step_rigid_system *rigid, cn_system_run *run, cn_error *error) {
    cn_sim *sim = rigid->sim;
    const cn_model *model = sim->model;
    int32_t size = model_velocity_size(model->dim);
    base_arena_release(sim->step_memory, (base_arena_mark){0});
    bool *found = BASE_TAKE_ZERO(sim->step_memory, bool, rigid->slot_count);
    if (!found) {
        return base_fail_memory(error);
    }
    // What gravity adds to the speeds within the margin.
    double more = math_norm3(sim->steering.gravity) * RIGID_MARGIN * model->settings.step;
    for (int32_t i = 0; i < model->body_count; i++) {
        double *reach = rigid->reach + (int64_t)size * i;
        const double *v = sim->state.v + (int64_t)size * i;
        memcpy(reach, v, sizeof(double) * (size_t)size);
        reach[0] += model->body[i].role == MODEL_BODY_FREE ? copysign(more, v[0]) : 0.0;
    }
    step_rigid_place(rigid, cn_system_run_time(run), run->q);
    slots_look(rigid, found);
    for (int32_t i = 0; i < rigid->slot_count; i++) {
        if (!found[i]) {
            slot_clear(rigid, i);
            run->mode[rigid->limit_count + i] = SYS_MODE_OPEN;
        } else {
            slot_law(rigid, i);
        }
    }
    if (rigid->status != CN_OK && error) {
        *error = rigid->error;
    }
    return rigid->status;
}

void step_rigid_slots_load(step_rigid_system *rigid) {
    for (int32_t i = 0; i < rigid->slot_count; i++) {
        const double *key = rigid->key + 4 * (int64_t)i;
        rigid->slot[i].used = false;
        if (key[0] > 0.0) {
            det_contact contact = {.gap = RIGID_FAR,
                                   .key = {.candidate = (int32_t)key[0] - 1,
                                           .antagonist = (int32_t)key[1] - 1,
                                           .feature = ((uint64_t)key[2] << 32) | (uint64_t)key[3]}};
            slot_set(rigid, i, &contact);
        }
    }
}

// ---- the functions ----

static void rigid_look(step_rigid_system *rigid, double t, const double *q) {
    step_rigid_place(rigid, t, q);
    if (!rigid->looked && rigid->system) { // while it is made there are none
        slots_look(rigid, NULL);
    }
}

static double limit_gauge(const step_rigid_system *rigid, int32_t i, double J[12]) {
    const cn_model *model = rigid->sim->model;
    const step_rigid_row *limit = &rigid->limit[i];
    joint_view view;
    asm_joint_view_at(model, &rigid->sim->state, limit->joint, rigid->pose, &view);
    return asm_joint_value(&model->joint[limit->joint], &view, limit->row, J);
}

void step_rigid_gap(void *user, double t, const double *q, double *g) {
    step_rigid_system *rigid = user;
    double J[12];
    rigid_look(rigid, t, q);
    for (int32_t i = 0; i < rigid->limit_count; i++) {
        g[i] = rigid->limit[i].sign * (limit_gauge(rigid, i, J) - rigid->limit[i].offset);
    }
    for (int32_t i = 0; i < rigid->slot_count; i++) {
        const step_rigid_slot *slot = &rigid->slot[i];
        g[rigid->limit_count + i] = slot->used ? slot->contact.gap : RIGID_FAR;
    }
}

// The row of the relative velocity along an axis at a contact, and what driven bodies add.
static void slot_row(const step_rigid_system *rigid, const det_contact *contact,
                     const double axis[3], double *row, double *rate) {
    int64_t pose = model_pose_size(rigid->sim->model->dim);
    int32_t bodies[2] = {contact->key.candidate, contact->key.antagonist};
    for (int32_t side = 0; side < 2; side++) {
        const double *at = rigid->pose + pose * bodies[side];
        double J[6], arm[3], sign = side == 0 ? 1.0 : -1.0;
        for (int32_t k = 0; k < 3; k++) {
            J[k] = sign * axis[k];
            arm[k] = k < rigid->sim->model->dim ? contact->point[k] - at[k] : 0.0;
        }
        math_cross3(arm, J, J + 3);
        step_rigid_add_row(rigid, bodies[side], J, row);
        *rate += step_rigid_driven_rate(rigid, bodies[side], J);
    }
}

void step_rigid_contact_rows(void *user, double t, const double *q, double *normal, double *tangent,
                             double *normal_rate, double *tangent_rate) {
    step_rigid_system *rigid = user;
    const cn_model *model = rigid->sim->model;
    int64_t n = rigid->n;
    rigid_look(rigid, t, q);
    for (int32_t i = 0; i < rigid->limit_count; i++) {
        const model_joint *joint = &model->joint[rigid->limit[i].joint];
        double J[12];
        limit_gauge(rigid, i, J);
        for (int32_t k = 0; k < 12; k++) {
            J[k] *= rigid->limit[i].sign;
        }
        for (int32_t side = 0; side < 2; side++) {
            step_rigid_add_row(rigid, joint->body[side], J + 6 * side, normal + n * i);
            normal_rate[i] += step_rigid_driven_rate(rigid, joint->body[side], J + 6 * side);
        }
    }
    for (int32_t i = 0; i < rigid->slot_count; i++) {
        const det_contact *contact = &rigid->slot[i].contact;
        int64_t c = rigid->limit_count + i;
        if (rigid->slot[i].used) {
            slot_row(rigid, contact, contact->normal, normal + n * c, &normal_rate[c]);
            double axes[9];
            math_contact_axes(model->dim, contact->normal, axes);
            slot_row(rigid, contact, axes + 3, tangent + n * c, &tangent_rate[c]);
            if (model->dim == 3) {
                int64_t second = rigid->limit_count + rigid->slot_count + c;
                slot_row(rigid, contact, axes + 6, tangent + n * second, &tangent_rate[second]);
            }
        }
    }
}

// ---- looking ----

// A slot that took part in the last step.
static bool slot_part(const cn_sim *sim, int32_t slot, double *gap, double shift[CN_CONTACT_PARTS],
                      cn_system_impact *impact) {
    const step_rigid_system *rigid = sim->rigid;
    return rigid->slot[slot].used &&
           cn_system_run_contact(sim->system, rigid->limit_count + slot, gap, shift, impact);
}

int32_t step_rigid_contact_count(const cn_sim *sim) {
    int32_t count = 0;
    for (int32_t i = 0; i < sim->rigid->slot_count; i++) {
        double gap, shift[CN_CONTACT_PARTS];
        cn_system_impact impact;
        count += slot_part(sim, i, &gap, shift, &impact);
    }
    return count;
}

void step_rigid_contact(const cn_sim *sim, int32_t index, cn_contact_record *out) {
    const step_rigid_system *rigid = sim->rigid;
    double gap = 0.0, shift[CN_CONTACT_PARTS];
    cn_system_impact impact = {.contact = 0};
    int32_t slot = 0;
    while (!slot_part(sim, slot, &gap, shift, &impact) || index-- > 0) {
        slot++;
    }
    const det_contact *contact = &rigid->slot[slot].contact;
    double mu = cn_system_friction(rigid->system, rigid->limit_count + slot);
    *out = (cn_contact_record){.candidate = contact->key.candidate + 1,
                               .antagonist = contact->key.antagonist + 1,
                               .gap = gap,
                               .friction = mu};
    memcpy(out->point, contact->point, sizeof out->point);
    memcpy(out->normal, contact->normal, sizeof out->normal);
    double axes[9];
    math_contact_axes(sim->model->dim, contact->normal, axes);
    for (int32_t i = 0; i < sim->model->dim; i++) {
        math_add_scaled3(out->impulse, impact.impulse[i], axes + 3 * i, out->impulse);
        math_add_scaled3(out->velocity, impact.velocity[i], axes + 3 * i, out->velocity);
        math_add_scaled3(out->velocity_before, impact.velocity_before[i], axes + 3 * i,
                         out->velocity_before);
        math_add_scaled3(out->shift, shift[i], axes + 3 * i, out->shift);
    }
    out->status = sim_system_status(mu, impact.impulse);
}
