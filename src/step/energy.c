// step/energy.c
// The energy ledger of a step (METHOD section 6). From M (v1 - v0) = h F + H p and dq = h v_theta,
//     dK = F . dq + 1/2 (u0 + u1) . p - h (theta - 1/2) F . (v1 - v0),
// v0 and v1 being the velocities at q~ before and after. The drifts to q~ and from there keep the
// kinetic energy, so the balance closes to round-off. Only bodies with locks that turn with them
// lose something besides, when the turned lock takes out a part of their velocity.
#include "step/sim.h"

#include "math/vec3.h"

#include <math.h>

void cn_state_energy(const cn_model *model, const double gravity[3], const double *q,
                     const double *v, double *kinetic, double *potential) {
    int32_t pose = cn_pose_size(model->dim), size = cn_velocity_size(model->dim);
    *kinetic = *potential = 0.0;
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role != CN_BODY_FREE) {
            continue;
        }
        cn_rigid rigid = cn_body_rigid(model, i);
        const double *x = q + (int64_t)pose * i;
        *kinetic += cn_rigid_kinetic(&rigid, x, v + (int64_t)size * i);
        for (int32_t k = 0; k < model->dim; k++) {
            *potential -= rigid.mass * gravity[k] * x[k];
        }
    }
}

// Work of the given forces, and what theta > 1/2 takes away.
static void cn_load_work(const cn_sim *sim, cn_step_report *report) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    int32_t size = cn_velocity_size(model->dim);
    double theta = step->opts.theta;
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role != CN_BODY_FREE) {
            continue;
        }
        const double *load = step->load + 6 * (int64_t)i;
        for (int32_t k = 0; k < size; k++) {
            int64_t at = (int64_t)size * i + k;
            double given = model->dim == 2 && k == 2 ? load[5] : load[k];
            double weight = k < model->dim ? model->body[i].mass * sim->steering.gravity[k] : 0.0;
            double mean = (1.0 - theta) * step->v_old[at] + theta * step->v_new[at];
            report->work_external += step->h * given * mean;
            report->dissipated_numerical +=
                step->h * (theta - 0.5) * (given + weight) * (step->v_new[at] - step->v_old[at]);
        }
    }
}

// What a driven body gives through a contact: minus the impulse on it times its mean velocity at
// the point.
static double cn_driven_work(const cn_sim *sim, int32_t body, const cn_contact *contact,
                             const double impulse[3]) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    if (model->body[body].role != CN_BODY_DRIVEN) {
        return 0.0;
    }
    int32_t size = cn_velocity_size(model->dim);
    const double *x = step->q_middle + (int64_t)cn_pose_size(model->dim) * body;
    const double *v0 = step->v_old + (int64_t)size * body, *v1 = step->v_new + (int64_t)size * body;
    double arm[3] = {contact->point[0] - x[0], contact->point[1] - x[1],
                     model->dim == 3 ? contact->point[2] - x[2] : 0.0};
    double spin[3] = {0.0, 0.0, 0.0}, velocity[3] = {0.0, 0.0, 0.0}, turning[3];
    for (int32_t k = 0; k < model->dim; k++) {
        velocity[k] = 0.5 * (v0[k] + v1[k]);
    }
    for (int32_t k = model->dim == 3 ? 0 : 2; k < 3; k++) {
        int32_t at = model->dim == 3 ? 3 + k : 2;
        spin[k] = 0.5 * (v0[at] + v1[at]);
    }
    cn_cross3(spin, arm, turning);
    cn_add_scaled3(velocity, 1.0, turning, velocity);
    return -cn_dot3(velocity, impulse);
}

static void cn_contact_work(const cn_sim *sim, cn_step_report *report) {
    const cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    for (int32_t a = 0; a < step->assembled.contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        const cn_contact *contact = &step->contacts.contact[step->assembled.contact[a]];
        const double *axes[3] = {contact->normal, contact->t1, contact->t2};
        double impulse[3] = {0.0, 0.0, 0.0}, reaction[3];
        for (int32_t i = 0; i < p->dim; i++) {
            double after = step->u[row + i] - step->assembled.shift[row + i];
            double work =
                -0.5 * (step->assembled.velocity_before[row + i] + after) * step->r[row + i];
            *(i == 0 ? &report->dissipated_impact : &report->dissipated_friction) += work;
            cn_add_scaled3(impulse, step->r[row + i], axes[i], impulse);
        }
        for (int32_t k = 0; k < 3; k++) {
            reaction[k] = -impulse[k];
        }
        report->work_external += cn_driven_work(sim, contact->key.candidate, contact, impulse) +
                                 cn_driven_work(sim, contact->key.antagonist, contact, reaction);
    }
}

// The velocities of a driven body in a row of H, which has no entries for it: what is left of u.
static double cn_joint_driven(const cn_sim *sim, const cn_joint *joint, const double J[12]) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    double sum = 0.0;
    for (int32_t k = 0; k < 12; k++) {
        int32_t body = joint->body[k / 6], part = k % 6;
        bool has = model->dim == 3 || part < 2 || part == 5;
        if (has && model->body[body].role == CN_BODY_DRIVEN) {
            int64_t at = (int64_t)cn_velocity_size(model->dim) * body +
                         (model->dim == 3 || part < 2 ? part : 2);
            sum += J[k] * 0.5 * (step->v_old[at] + step->v_new[at]);
        }
    }
    return sum;
}

// Joints give 1/2 (u_0 + u_1) r to what they join; the driven bodies' part of it comes from
// outside.
static void cn_joint_work(const cn_sim *sim, cn_step_report *report) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    int64_t row = (int64_t)model->dim * step->assembled.contacts;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const cn_joint *joint = &model->joint[j];
        cn_joint_view view;
        cn_joint_view_at(model, &sim->state, j, step->q_middle, &view);
        for (int32_t i = 0; i < joint->row_count; i++, row++) {
            double J[12];
            cn_joint_value(joint, &view, i, J);
            double after = cn_row_after(&step->assembled, step->r, step->u, row);
            report->work_joints +=
                0.5 * (step->assembled.velocity_before[row] + after) * step->r[row];
            report->work_external -= cn_joint_driven(sim, joint, J) * step->r[row];
        }
    }
    report->dissipated_numerical += step->projected + step->stilled;
}

void cn_step_energy(const cn_sim *sim, cn_step_report *report) {
    const cn_step *step = &sim->last;
    double before[2], after[2];
    cn_step_report part = {0};
    cn_load_work(sim, &part);
    cn_contact_work(sim, &part);
    cn_joint_work(sim, &part);
    const double *gravity = sim->steering.gravity;
    cn_state_energy(sim->model, gravity, sim->state.q, sim->state.v, &before[0], &before[1]);
    cn_state_energy(sim->model, gravity, step->q, step->v, &after[0], &after[1]);
    report->kinetic = after[0];
    report->potential = after[1];
    report->work_external += part.work_external;
    report->work_joints += part.work_joints;
    report->dissipated_friction += part.dissipated_friction;
    report->dissipated_impact += part.dissipated_impact;
    report->dissipated_numerical += part.dissipated_numerical;
    report->balance_error += (after[0] - before[0]) + (after[1] - before[1]) - part.work_external -
                             part.work_joints + part.dissipated_friction + part.dissipated_impact +
                             part.dissipated_numerical;
}
