// step/energy.c
// The energy ledger of a step, its energy balance (docs/reference/run-file.md, table ledger).
// From M (v1 - v0) = h F + H p and dq = h v_theta,
//     dK = F . dq + 1/2 (u0 + u1) . p - h (theta - 1/2) F . (v1 - v0),
// v0 and v1 being the velocities at q~ before and after. The drifts to q~ and from there keep the
// kinetic energy, so the balance closes to round-off. Only bodies with locks that turn with them
// lose something besides, when the turned lock takes out a part of their velocity.
#include "step/bonds/bonds.h"

#include "base/parallel.h"
#include "math/vec3.h"
#include "problem/operator/sphere_map.h"

#include <math.h>

typedef struct energies {
    double kinetic, potential;
} energies;

// What a step's forces and impulses did, and the energies of the bodies before and after.
typedef struct work_sums {
    double external, joints;
    double friction, impact, numerical; // dissipated
    double correction;                  // of lifting bodies out of penetration
    energies before, after;
} work_sums;

static void energy_join(void *total, const void *part) {
    energies *sum = total;
    const energies *add = part;
    sum->kinetic += add->kinetic;
    sum->potential += add->potential;
}

static void work_join(void *total, const void *part) {
    work_sums *sum = total;
    const work_sums *add = part;
    sum->external += add->external;
    sum->joints += add->joints;
    sum->friction += add->friction;
    sum->impact += add->impact;
    sum->numerical += add->numerical;
    sum->correction += add->correction;
    energy_join(&sum->before, &add->before);
    energy_join(&sum->after, &add->after);
}

// Adds what one body has.
static inline void energy_add(const body_rigid *rigid, const double gravity[3], const double *x,
                              const double *v, energies *sum) {
    sum->kinetic += rigid_kinetic(rigid, x, v);
    for (int32_t k = 0; k < rigid->dim; k++) {
        sum->potential -= rigid->mass * gravity[k] * x[k];
    }
}

typedef struct energy_loop {
    const cn_model *model;
    const double *gravity, *q, *v;
} energy_loop;

static void energy_range(const void *user, int64_t first, int64_t end, void *part) {
    const energy_loop *loop = user;
    const cn_model *model = loop->model;
    int32_t pose = model_pose_size(model->dim), size = model_velocity_size(model->dim);
    for (int64_t i = first; i < end; i++) {
        if (model->body[i].role == MODEL_BODY_FREE) {
            body_rigid rigid = model_body_rigid(model, (int32_t)i);
            energy_add(&rigid, loop->gravity, loop->q + pose * i, loop->v + size * i, part);
        }
    }
}

void step_energy_of(const cn_env *env, const cn_model *model, const double gravity[3],
                    const double *q, const double *v, double *kinetic, double *potential) {
    energy_loop loop = {model, gravity, q, v};
    energies sum = {0.0, 0.0};
    base_parallel_fold(env, model->body_count, energy_range, energy_join, &loop, sizeof sum, &sum);
    *kinetic = sum.kinetic;
    *potential = sum.potential;
}

// A step and what it was given.
typedef struct work_loop {
    const step_context *in;
    const step_data *step;
} work_loop;

// Work of the given forces on body i, and what theta > 1/2 takes away.
static inline void load_work(const work_loop *loop, int64_t i, work_sums *work) {
    const step_data *step = loop->step;
    int32_t dim = loop->in->model->dim, size = model_velocity_size(dim);
    double theta = step->opts.theta, mass = loop->in->model->body[i].mass;
    static const double none[6] = {0.0};
    const double *load = step->load ? step->load + 6 * i : none;
    bool given_none = load[0] == 0.0 && load[1] == 0.0 && load[2] == 0.0 && load[3] == 0.0 &&
                      load[4] == 0.0 && load[5] == 0.0;
    if (given_none && theta == 0.5) {
        return; // most bodies of most runs
    }
    for (int32_t k = 0; k < size; k++) {
        double v0 = step->v_old[size * i + k], v1 = step->v_new[size * i + k];
        double given = dim == 2 && k == 2 ? load[5] : load[k];
        double weight = k < dim ? mass * loop->in->steering->gravity[k] : 0.0;
        work->external += step->h * given * ((1.0 - theta) * v0 + theta * v1);
        work->numerical += step->h * (theta - 0.5) * (given + weight) * (v1 - v0);
    }
}

static void body_work(const void *user, int64_t first, int64_t end, void *part) {
    const work_loop *loop = user;
    const cn_model *model = loop->in->model;
    const step_data *step = loop->step;
    const double *gravity = loop->in->steering->gravity;
    work_sums *work = part;
    int32_t pose = model_pose_size(model->dim), size = model_velocity_size(model->dim);
    for (int64_t i = first; i < end; i++) {
        if (model->body[i].role != MODEL_BODY_FREE) {
            continue;
        }
        body_rigid rigid = model_body_rigid(model, (int32_t)i);
        int64_t at_q = pose * i, at_v = size * i;
        energy_add(&rigid, gravity, loop->in->state->q + at_q, loop->in->state->v + at_v,
                   &work->before);
        energy_add(&rigid, gravity, step->q + at_q, step->v + at_v, &work->after);
        load_work(loop, i, work);
    }
}

// What a driven body gives through a contact: minus the impulse on it times its mean velocity at
// the end of the arm.
static double driven_work(const work_loop *loop, int32_t body, const double arm[3],
                          const double impulse[3]) {
    const cn_model *model = loop->in->model;
    const step_data *step = loop->step;
    if (model->body[body].role != MODEL_BODY_DRIVEN) {
        return 0.0;
    }
    int32_t size = model_velocity_size(model->dim);
    const double *v0 = step->v_old + (int64_t)size * body, *v1 = step->v_new + (int64_t)size * body;
    double spin[3] = {0.0, 0.0, 0.0}, velocity[3] = {0.0, 0.0, 0.0}, turning[3];
    for (int32_t k = 0; k < model->dim; k++) {
        velocity[k] = 0.5 * (v0[k] + v1[k]);
    }
    for (int32_t k = model->dim == 3 ? 0 : 2; k < 3; k++) {
        int32_t at = model->dim == 3 ? 3 + k : 2;
        spin[k] = 0.5 * (v0[at] + v1[at]);
    }
    math_cross3(spin, arm, turning);
    math_add_scaled3(velocity, 1.0, turning, velocity);
    return -math_dot3(velocity, impulse);
}

// What the driven bodies of problem contact a give through it.
static double driven_works(const work_loop *loop, int64_t a) {
    const step_data *step = loop->step;
    const det_contact *contact = &step->contacts.contact[asm_assembled_listed(&step->assembled, a)];
    if (loop->in->model->body[contact->key.candidate].role != MODEL_BODY_DRIVEN &&
        loop->in->model->body[contact->key.antagonist].role != MODEL_BODY_DRIVEN) {
        return 0.0; // most contacts
    }
    double axes[9];
    math_contact_axes(loop->in->model->dim, contact->normal, axes);
    double impulse[3] = {0.0, 0.0, 0.0}, reaction[3];
    for (int32_t i = 0; i < loop->in->model->dim; i++) {
        math_add_scaled3(impulse, step->r[loop->in->model->dim * a + i], axes + 3 * i, impulse);
    }
    for (int32_t k = 0; k < 3; k++) {
        reaction[k] = -impulse[k];
    }
    double arm[6];
    asm_contact_arms(loop->in->model->dim, step->q_middle, &step->contacts,
                     asm_assembled_listed(&step->assembled, a), step->opts.early, arm);
    return driven_work(loop, contact->key.candidate, arm + 3, impulse) +
           driven_work(loop, contact->key.antagonist, arm, reaction);
}

// -1/2 (u_0 + u_1) of contact a, whose u of both ends is known.
static void mean_approach(const step_data *step, int32_t dim, int64_t a, double mean[3]) {
    for (int32_t i = 0; i < dim; i++) {
        int64_t row = dim * a + i;
        double after = step->u[row] - step->assembled.shift[row];
        mean[i] = -0.5 * (step->assembled.velocity_before[row] + after);
    }
}

// The same of round bodies, from the mean velocities of the two. For a dimension known to the
// compiler.
static inline __attribute__((always_inline)) void
mean_round_approach(int dim, const step_data *step, int64_t a, double mean[3]) {
    const cn_sphere_map *spheres = &step->assembled.problem.W.spheres;
    int size = dim == 3 ? 6 : 3;
    double v[2][6];
    for (int side = 0; side < 2; side++) {
        int64_t at = size * (int64_t)spheres->body[2 * a + side];
        for (int k = 0; k < size; k++) {
            v[side][k] = -0.5 * (step->v_old[at + k] + step->v_new[at + k]);
        }
    }
    prob_sphere_relative(dim, spheres, a, v[0], v[1], mean);
}

static void contact_work(const void *user, int64_t first, int64_t end, void *part) {
    const work_loop *loop = user;
    const step_data *step = loop->step;
    work_sums *work = part;
    int32_t dim = loop->in->model->dim;
    bool driven = loop->in->model->motion_count > 0;
    for (int64_t a = first; a < end; a++) {
        const double *r = step->r + dim * a;
        double mean[3] = {0.0, 0.0, 0.0}, third = dim == 3 ? r[2] : 0.0;
        if (r[0] == 0.0 && r[1] == 0.0 && third == 0.0) {
            continue; // open: it gives and takes nothing
        }
        if (step->assembled.shift) {
            mean_approach(step, dim, a, mean);
        } else if (dim == 3) {
            mean_round_approach(3, step, a, mean);
        } else {
            mean_round_approach(2, step, a, mean);
        }
        const asm_layer *layer = step->assembled.layer ? &step->assembled.layer[a] : NULL;
        asm_layer_kind kind = layer ? layer->kind : ASM_LAYER_NONE;
        if (kind != ASM_LAYER_SOUND) { // layers: step/bonds
            bool soft = kind == ASM_LAYER_BROKEN && !isinf(layer->stiffness[0]);
            work->impact += soft ? 0.0 : mean[0] * r[0];
            work->friction += mean[1] * r[1] + mean[2] * third;
        }
        work->external += driven ? driven_works(loop, a) : 0.0;
    }
}

// The velocities of a driven body in a row of H, which has no entries for it: what is left of u.
static double joint_driven(const work_loop *loop, const model_joint *joint, const double J[12]) {
    const cn_model *model = loop->in->model;
    const step_data *step = loop->step;
    double sum = 0.0;
    for (int32_t k = 0; k < 12; k++) {
        int32_t body = joint->body[k / 6], part = k % 6;
        bool has = model->dim == 3 || part < 2 || part == 5;
        if (has && model->body[body].role == MODEL_BODY_DRIVEN) {
            int64_t at = (int64_t)model_velocity_size(model->dim) * body +
                         (model->dim == 3 || part < 2 ? part : 2);
            sum += J[k] * 0.5 * (step->v_old[at] + step->v_new[at]);
        }
    }
    return sum;
}

// Joints give 1/2 (u_0 + u_1) r to what they join; the driven bodies' part of it comes from
// outside.
static void joint_work(const work_loop *loop, work_sums *work) {
    const cn_model *model = loop->in->model;
    const step_data *step = loop->step;
    int64_t row = (int64_t)model->dim * step->assembled.contacts;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        joint_view view;
        asm_joint_view_at(model, loop->in->state, j, step->q_middle, &view);
        for (int32_t i = 0; i < joint->row_count; i++, row++) {
            double J[12];
            asm_joint_value(joint, &view, i, J);
            double after = asm_row_after(&step->assembled, step->r, step->u, row);
            work->joints += 0.5 * (step->assembled.velocity_before[row] + after) * step->r[row];
            work->external -= joint_driven(loop, joint, J) * step->r[row];
        }
    }
    work->numerical += step->projected + step->stilled;
    work->correction += step->lifted;
}

static void add_soft(const step_soft_work *soft, work_sums *work) {
    work->external += soft->external;
    work->numerical += soft->numerical;
    work->before.kinetic += soft->before.kinetic;
    work->before.potential += soft->before.potential;
    work->after.kinetic += soft->after.kinetic;
    work->after.potential += soft->after.potential;
}

void step_add_energy(const step_context *in, const step_data *step, cn_step_report *report) {
    work_sums work = {0};
    work_loop loop = {in, step};
    base_parallel_fold(in->env, in->model->body_count, body_work, work_join, &loop, sizeof work,
                       &work);
    base_parallel_fold(in->env, step->assembled.contacts, contact_work, work_join, &loop,
                       sizeof work, &work);
    joint_work(&loop, &work);
    step_soft_work soft = step_deformable_work(in, step);
    add_soft(&soft, &work);
    step_bond_work bonds = step_bonds_work(in, step);
    work.numerical += bonds.numerical;
    work.correction += bonds.correction;
    report->elastic = soft.after.elastic + bonds.after;
    report->dissipated_viscous += soft.viscous + bonds.viscous;
    report->dissipated_fracture += bonds.fracture;
    report->bonds_broken = step_bonds_broken(in->bonds, step->damage_end);
    report->kinetic = work.after.kinetic;
    report->potential = work.after.potential;
    report->work_external += work.external;
    report->work_joints += work.joints;
    report->dissipated_friction += work.friction;
    report->dissipated_impact += work.impact;
    report->dissipated_numerical += work.numerical;
    report->work_correction += work.correction;
    report->balance_error += (work.after.kinetic - work.before.kinetic) +
                             (work.after.potential - work.before.potential) +
                             (soft.after.elastic - soft.before.elastic) + soft.viscous +
                             (bonds.after - bonds.before) + bonds.fracture + bonds.viscous -
                             work.external - work.joints - work.correction + work.friction +
                             work.impact + work.numerical;
}
