// step/sim_query.c
// What a run shows of its state and of its last step.
#include "step/deformable/deformable.h"
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"
#include "problem/operator/sphere_map.h"

#include <string.h>

int64_t cn_sim_step_index(const cn_sim *sim) {
    if (!sim) {
        return 0;
    }
    return sim->state.step;
}

double cn_sim_time(const cn_sim *sim) {
    if (!sim) {
        return 0.0;
    }
    return (double)sim->state.step * sim->model->settings.step;
}

const cn_model *cn_sim_model(const cn_sim *sim) {
    if (!sim) {
        return NULL;
    }
    return sim->model;
}

void sim_poses_of(const cn_sim *sim, int32_t first, int32_t end, double *q) {
    const cn_model *model = sim->model;
    int64_t size = model_pose_size(model->dim);
    memcpy(q, sim->state.q + size * first, sizeof *q * (size_t)(size * (end - first)));
    for (int32_t i = first; i < end; i++) {
        double *pose = q + size * (i - first), R[9], offset[3];
        if (model->dim == 3) {
            math_quat_matrix(pose + 3, R);
        } else {
            math_angle_matrix(pose[2], R);
        }
        math_mat3_apply(R, model->body[i].com, offset);
        for (int32_t k = 0; k < model->dim; k++) {
            pose[k] -= offset[k];
        }
    }
}

void cn_sim_poses(const cn_sim *sim, double *q) {
    if (!sim || !q) {
        return;
    }
    sim_poses_of(sim, 0, sim->model->body_count, q);
}

void cn_sim_velocities(const cn_sim *sim, double *v) {
    if (!sim || !v) {
        return;
    }
    const cn_model *model = sim->model;
    memcpy(v, sim->state.v,
           sizeof *v * (size_t)model_velocity_size(model->dim) * (size_t)model->body_count);
}

void cn_sim_nodes(const cn_sim *sim, double *x, double *v) {
    if (!sim) {
        return;
    }
    const cn_model *model = sim->model;
    int64_t count = (int64_t)model->dim * model->node_count;
    const double *u = sim->state.q + model_node_pose(model, 0);
    for (int64_t i = 0; x && i < count; i++) {
        x[i] = model->node_start[i] + u[i];
    }
    if (v && count > 0) {
        memcpy(v, sim->state.v + model_node_velocity(model, 0), sizeof *v * (size_t)count);
    }
}

bool cn_sim_body(const cn_sim *sim, cn_body_id body, cn_body_state *out) {
    if (!out || !cn_sim_has_body(sim, body)) {
        return false;
    }
    const cn_model *model = sim->model;
    const double *v = sim->state.v + (int64_t)model_velocity_size(model->dim) * (body - 1);
    double pose[7];
    sim_poses_of(sim, body - 1, body, pose);
    *out = (cn_body_state){.orientation = {1.0}};
    memcpy(out->position, pose, sizeof *pose * (size_t)model->dim);
    memcpy(out->velocity, v, sizeof *v * (size_t)model->dim);
    if (model->dim == 3) {
        memcpy(out->orientation, pose + 3, sizeof out->orientation);
        memcpy(out->angular_velocity, v + 3, sizeof out->angular_velocity);
    } else {
        out->angle = pose[2];
        out->angular_velocity[2] = v[2];
        base_sincos(0.5 * pose[2], &out->orientation[3], &out->orientation[0]);
    }
    return true;
}

bool cn_sim_body_named(const cn_sim *sim, const char *name, cn_body_state *out) {
    return cn_sim_body(sim, cn_model_find_body(sim->model, name), out);
}

bool cn_sim_contact_force(const cn_sim *sim, cn_body_id body, double force[3]) {
    if (!force || !cn_sim_has_body(sim, body)) {
        return false;
    }
    double h = sim->state.last_h > 0.0 ? sim->state.last_h : sim->model->settings.step;
    memset(force, 0, 3 * sizeof *force);
    for (int32_t i = 0; i < cn_sim_contact_count(sim); i++) {
        cn_contact_record contact;
        sim_contact_parts(sim, i, STEP_RECORD_PLACE | STEP_RECORD_IMPULSE, &contact);
        double sign = (contact.candidate == body) - (contact.antagonist == body);
        math_add_scaled3(force, sign / h, contact.impulse, force);
    }
    return true;
}

void cn_sim_energy(const cn_sim *sim, double *kinetic, double *potential) {
    if (!sim || !kinetic || !potential) {
        return;
    }
    if (sim->system) {
        cn_system_run_energy(sim->system, kinetic, potential);
        return;
    }
    step_energy_of(&sim->env, sim->model, sim->steering.gravity, sim->state.q, sim->state.v,
                   kinetic, potential);
    step_soft_energy soft = step_deformable_energy_of(sim->deformable, sim->steering.gravity,
                                                      sim->state.q, sim->state.v);
    *kinetic += soft.kinetic;
    *potential += soft.potential + soft.elastic;
}

int32_t cn_sim_contact_count(const cn_sim *sim) {
    if (!sim) {
        return 0;
    }
    return sim->system ? sim_system_contact_count(sim)
                       : sim->last.contacts.count + sim_restored_count(sim) +
                             step_stored_count(&sim->sleep);
}

// The first problem contact that is a listed one or behind it. Both ascend, so it is not behind the
// place of the listed one, and not further before it than there are others that took no part.
static int32_t problem_behind(const step_data *step, int32_t index) {
    int32_t contacts = step->assembled.contacts, low = index - (step->contacts.count - contacts),
            high = index < contacts ? index : contacts;
    low = low > 0 ? low : 0;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (asm_assembled_listed(&step->assembled, middle) < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The problem contact of a listed one, -1: it took no part.
static int32_t problem_contact(const step_data *step, int32_t index) {
    int32_t a = problem_behind(step, index);
    bool found = a < step->assembled.contacts && asm_assembled_listed(&step->assembled, a) == index;
    return found ? a : -1;
}

// The velocity of problem contact a at the end of the step, in contact axes.
static void velocity_after(const step_data *step, int32_t a, const double shift[3],
                           double after[3]) {
    const cn_friction *p = &step->assembled.problem;
    int64_t row = (int64_t)p->dim * a;
    if (!step->u) {
        const int32_t *body = p->W.spheres.body + 2 * (int64_t)a;
        int64_t size = model_velocity_size(p->dim);
        prob_sphere_relative(p->dim, &p->W.spheres, a, step->v_new + size * body[0],
                             step->v_new + size * body[1], after);
        return;
    }
    for (int32_t i = 0; i < p->dim; i++) {
        after[i] = step->u[row + i] - shift[i];
        if (step->assembled.layer) {
            after[i] -= step->assembled.problem.bounds.compliance[row + i] * step->r[row + i];
        }
    }
}

static void record_place(const det_contact *contact, cn_contact_record *out) {
    out->candidate = contact->key.candidate + 1;
    out->antagonist = contact->key.antagonist + 1;
    out->gap = contact->gap;
    memcpy(out->point, contact->point, sizeof out->point);
    memcpy(out->normal, contact->normal, sizeof out->normal);
}

// What the step found for a contact, which is problem contact a.
static void record_answer(const cn_sim *sim, const det_contact *contact, int32_t a, uint32_t parts,
                          cn_contact_record *out) {
    const step_data *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    bool starts = parts & STEP_RECORD_BEFORE, moves = parts & STEP_RECORD_AFTER;
    double axes[9], after[3];
    asm_contact_start start = {.shift = {0.0}};
    out->friction = p->mu[a];
    out->status = step->status[a];
    if (!(parts & (STEP_RECORD_IMPULSE | STEP_RECORD_AFTER | STEP_RECORD_BEFORE))) {
        return;
    }
    math_contact_axes(p->dim, contact->normal, axes);
    if (parts & STEP_RECORD_IMPULSE) {
        step_to_world(p->dim, axes, step->r + (int64_t)p->dim * a, out->impulse);
    }
    if (starts || (moves && step->u)) {
        asm_assembled_start(sim->model, &step->contacts, &step->inertia, step->v_old, &step->opts,
                            &step->assembled, a, &start);
    }
    if (moves) {
        velocity_after(step, a, start.shift, after);
        step_to_world(p->dim, axes, after, out->velocity);
    }
    if (starts) {
        step_to_world(p->dim, axes, start.before, out->velocity_before);
        step_to_world(p->dim, axes, start.shift, out->shift);
        step_to_world(p->dim, axes, start.frame_change, out->frame_change);
    }
}

// Contact `index` of bodies, which is problem contact a; -1: none.
static void record_contact(const cn_sim *sim, int32_t index, int32_t a, uint32_t parts,
                           cn_contact_record *out) {
    const step_data *step = &sim->last;
    *out = (cn_contact_record){.status = 0};
    if (index >= step->contacts.count) {
        int32_t behind = index - step->contacts.count, restored = sim_restored_count(sim);
        const step_stored_contact *stored = (const void *)sim->contacts->data;
        if (behind >= restored) {
            stored = (const void *)sim->sleep.stored.data;
            behind -= restored;
        }
        stored += behind;
        record_place(&stored->contact, out);
        memcpy(out->impulse, stored->impulse, sizeof out->impulse);
        out->friction = stored->friction;
        out->status = stored->status;
        return;
    }
    const det_contact *contact = &step->contacts.contact[index];
    if (parts & STEP_RECORD_PLACE) {
        record_place(contact, out);
    }
    if (a >= 0 && parts & ~(uint32_t)STEP_RECORD_PLACE) {
        record_answer(sim, contact, a, parts, out);
    }
}

void sim_contact_parts(const cn_sim *sim, int32_t index, uint32_t parts, cn_contact_record *out) {
    if (sim->system) {
        sim_system_contact(sim, index, out);
        return;
    }
    bool listed = index < sim->last.contacts.count && parts & ~(uint32_t)STEP_RECORD_PLACE;
    record_contact(sim, index, listed ? problem_contact(&sim->last, index) : -1, parts, out);
}

int32_t sim_problem_behind(const cn_sim *sim, int32_t index) {
    return problem_behind(&sim->last, index);
}

void sim_contact_next(const cn_sim *sim, int32_t index, uint32_t parts, sim_contact_cursor *cursor,
                      cn_contact_record *out) {
    const asm_assembled *assembled = &sim->last.assembled;
    if (sim->system || index >= sim->last.contacts.count) {
        sim_contact_parts(sim, index, parts, out);
        return;
    }
    if (!cursor->started) {
        cursor->started = true;
        cursor->next = problem_behind(&sim->last, index);
    }
    bool found = cursor->next < assembled->contacts &&
                 asm_assembled_listed(assembled, cursor->next) == index;
    record_contact(sim, index, found ? cursor->next++ : -1, parts, out);
}

cn_status cn_sim_contact(const cn_sim *sim, int32_t index, cn_contact_record *out) {
    if (!out) {
        return CN_ERR_ARGUMENT;
    }
    *out = (cn_contact_record){.status = 0};
    if (!sim || index < 0 || index >= cn_sim_contact_count(sim)) {
        return CN_ERR_ARGUMENT;
    }
    sim_contact_parts(sim, index, STEP_RECORD_ALL, out);
    return CN_OK;
}

const cn_friction *cn_sim_problem(const cn_sim *sim, const double **r, const double **u) {
    if (!sim || !r || !u) {
        return NULL;
    }
    const cn_friction *p = &sim->last.assembled.problem;
    *r = sim->last.r;
    *u = sim->last.u;
    cn_friction *body = sim->last.r ? BASE_TAKE(sim->step_memory, cn_friction, 1) : NULL;
    bool made = body && cn_friction_expand(p, sim->step_memory, body) == CN_OK;
    if (made && !*u) {
        double *velocity = BASE_TAKE(sim->step_memory, double, (int64_t)p->dim * p->contacts);
        double *v = BASE_TAKE(sim->step_memory, double, cn_operator_dofs(&p->W, p->dim));
        made = velocity && v;
        if (made) {
            prob_friction_velocity_by(&sim->env, p, *r, v, velocity);
        }
        *u = velocity;
    }
    return made ? body : NULL;
}
