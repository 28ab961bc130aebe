// step/energy.c
// The energy ledger of a step (METHOD section 6). From M (v1 - v0) = h F + H p and dq = h v_theta,
//     dK = F . dq + 1/2 (u0 + u1) . p - h (theta - 1/2) F . (v1 - v0),
// v0 and v1 being the velocities at q~ before and after. The drifts to q~ and from there keep the
// kinetic energy, so the balance closes to round-off. Only bodies with locks that turn with them
// lose something besides, when the turned lock takes out a part of their velocity.
#include "step/sim.h"

#include "base/parallel.h"
#include "math/vec3.h"

#include <math.h>

typedef struct cn_energy_loop {
    const cn_sim *sim;
    const double *q, *v;
} cn_energy_loop;

typedef struct cn_energies {
    double kinetic, potential;
} cn_energies;

static void cn_energy_range(const void *user, int64_t first, int64_t end, void *part) {
    const cn_energy_loop *loop = user;
    const cn_model *model = loop->sim->model;
    const double *gravity = loop->sim->steering.gravity;
    int32_t pose = cn_pose_size(model->dim), size = cn_velocity_size(model->dim);
    cn_energies *sum = part;
    for (int64_t i = first; i < end; i++) {
        if (model->body[i].role != CN_BODY_FREE) {
            continue;
        }
        cn_rigid rigid = cn_body_rigid(model, (int32_t)i);
        const double *x = loop->q + pose * i;
        sum->kinetic += cn_rigid_kinetic(&rigid, x, loop->v + size * i);
        for (int32_t k = 0; k < model->dim; k++) {
            sum->potential -= rigid.mass * gravity[k] * x[k];
        }
    }
}

static void cn_energy_join(void *total, const void *part) {
    cn_energies *sum = total;
    const cn_energies *add = part;
    sum->kinetic += add->kinetic;
    sum->potential += add->potential;
}

void cn_state_energy(const cn_sim *sim, const double *q, const double *v, double *kinetic,
                     double *potential) {
    cn_energy_loop loop = {sim, q, v};
    cn_energies sum = {0.0, 0.0};
    cn_parallel_fold(&sim->env, sim->model->body_count, cn_energy_range, cn_energy_join, &loop,
                     sizeof sum, &sum);
    *kinetic = sum.kinetic;
    *potential = sum.potential;
}

// What a step's forces and impulses did.
typedef struct cn_work {
    double external, joints;
    double friction, impact, numerical; // dissipated
} cn_work;

static void cn_work_join(void *total, const void *part) {
    cn_work *sum = total;
    const cn_work *add = part;
    sum->external += add->external;
    sum->joints += add->joints;
    sum->friction += add->friction;
    sum->impact += add->impact;
    sum->numerical += add->numerical;
}

// Work of the given forces, and what theta > 1/2 takes away.
static void cn_load_work(const void *user, int64_t first, int64_t end, void *part) {
    const cn_sim *sim = user;
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    cn_work *work = part;
    int32_t size = cn_velocity_size(model->dim);
    double theta = step->opts.theta;
    for (int64_t i = first; i < end; i++) {
        if (model->body[i].role != CN_BODY_FREE) {
            continue;
        }
        const double *load = step->load + 6 * i;
        for (int32_t k = 0; k < size; k++) {
            int64_t at = size * i + k;
            double given = model->dim == 2 && k == 2 ? load[5] : load[k];
            double weight = k < model->dim ? model->body[i].mass * sim->steering.gravity[k] : 0.0;
            double mean = (1.0 - theta) * step->v_old[at] + theta * step->v_new[at];
            work->external += step->h * given * mean;
            work->numerical +=
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

static void cn_contact_work(const void *user, int64_t first, int64_t end, void *part) {
    const cn_sim *sim = user;
    const cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    cn_work *work = part;
    bool driven = sim->model->motion_count > 0;
    for (int64_t a = first; a < end; a++) {
        int64_t row = p->dim * a;
        const cn_contact *contact = &step->contacts.contact[step->assembled.contact[a]];
        const double *axes[3] = {contact->normal, contact->t1, contact->t2};
        double impulse[3] = {0.0, 0.0, 0.0}, reaction[3];
        for (int32_t i = 0; i < p->dim; i++) {
            double after = step->u[row + i] - step->assembled.shift[row + i];
            double taken =
                -0.5 * (step->assembled.velocity_before[row + i] + after) * step->r[row + i];
            *(i == 0 ? &work->impact : &work->friction) += taken;
            cn_add_scaled3(impulse, step->r[row + i], axes[i], impulse);
        }
        if (!driven) {
            continue;
        }
        for (int32_t k = 0; k < 3; k++) {
            reaction[k] = -impulse[k];
        }
        work->external += cn_driven_work(sim, contact->key.candidate, contact, impulse) +
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
static void cn_joint_work(const cn_sim *sim, cn_work *work) {
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
            work->joints += 0.5 * (step->assembled.velocity_before[row] + after) * step->r[row];
            work->external -= cn_joint_driven(sim, joint, J) * step->r[row];
        }
    }
    work->numerical += step->projected + step->stilled;
}

void cn_step_energy(const cn_sim *sim, cn_step_report *report) {
    const cn_step *step = &sim->last;
    double before[2], after[2];
    cn_work work = {0};
    cn_parallel_fold(&sim->env, sim->model->body_count, cn_load_work, cn_work_join, sim,
                     sizeof work, &work);
    cn_parallel_fold(&sim->env, step->assembled.contacts, cn_contact_work, cn_work_join, sim,
                     sizeof work, &work);
    cn_joint_work(sim, &work);
    cn_state_energy(sim, sim->state.q, sim->state.v, &before[0], &before[1]);
    cn_state_energy(sim, step->q, step->v, &after[0], &after[1]);
    report->kinetic = after[0];
    report->potential = after[1];
    report->work_external += work.external;
    report->work_joints += work.joints;
    report->dissipated_friction += work.friction;
    report->dissipated_impact += work.impact;
    report->dissipated_numerical += work.numerical;
    report->balance_error += (after[0] - before[0]) + (after[1] - before[1]) - work.external -
                             work.joints + work.friction + work.impact + work.numerical;
}
