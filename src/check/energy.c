// check/energy.c
// Energies and works of the ledger against a recorded frame: kinetic and potential energy at its
// end, and where the step was made in one piece the works of its forces, contacts and joints.
#include "check/bonds.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_energy(check_sum *sum, double value) {
    sum->value += value;
    sum->scale += fabs(value);
}

static void add_sum(check_sum *sum, const check_sum *part) {
    sum->value += part->value;
    sum->scale += part->scale;
}

static double kinetic_of(const cn_model *model, int32_t i, const double *pose,
                         const double *velocity) {
    double R[9], v[6], W[3], P[3];
    const double *inertia = model->inertia[model->body[i].inertia].tensor;
    check_six(model->dim, velocity, v);
    double linear = 0.5 * model->body[i].mass * math_dot3(v, v);
    if (model->dim == 2) {
        return linear + 0.5 * inertia[8] * v[5] * v[5];
    }
    check_rotation_of(3, pose, R);
    math_mat3_apply_transposed(R, v + 3, W);
    math_mat3_apply(inertia, W, P);
    return linear + 0.5 * math_dot3(W, P);
}

// Of the free bodies.
static void energies(const check_checking *check, double *q, double *v, check_sum *kinetic,
                     check_sum *potential) {
    const cn_model *model = check->model;
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role != MODEL_BODY_FREE) {
            continue;
        }
        const double *pose = check_pose_of(model, q, i);
        add_energy(kinetic, kinetic_of(model, i, pose, check_velocity_of(model, v, i)));
        for (int32_t k = 0; k < model->dim; k++) {
            add_energy(potential, -model->body[i].mass * check->frame.gravity[k] * pose[k]);
        }
    }
}

static void hold_against(check_checking *check, const char *name, double recorded,
                         const check_sum *own, double scale) {
    check_worst worst = {.any = false};
    check_worst_add(&worst, fabs(recorded - own->value),
                    CHECK_ROUND * (own->scale + scale) + CHECK_PEAK * check->peak, 0);
    if (check_worst_note(check, CN_CHECK_ENERGY, &worst, check->frame.step)) {
        check_find(check, "ledger", check->frame.step, recorded, own->value,
                   "%s is %.9g J, by the frame %.9g", name, recorded, own->value);
    }
}

// ---- works of a step ----

// Work that driven bodies give through an impulse on them with an arm, times the sign.
static double driven_part(const check_checking *check, int32_t body, const double arm[3],
                          const double impulse[3], double sign) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    if (model->body[body].role != MODEL_BODY_DRIVEN) {
        return 0.0;
    }
    double before[6], after[6], mean[6], turning[3];
    check_six(model->dim, check_velocity_of(model, frame->v_before, body), before);
    check_six(model->dim, check_velocity_of(model, frame->v_new, body), after);
    for (int k = 0; k < 6; k++) {
        mean[k] = 0.5 * (before[k] + after[k]);
    }
    math_cross3(mean + 3, arm, turning);
    math_add_scaled3(mean, 1.0, turning, mean);
    return -sign * math_dot3(mean, impulse);
}

typedef struct work_sums {
    check_sum external, joints, friction, impact, numerical, correction;
} work_sums;

static void contact_works(const check_checking *check, work_sums *works) {
    const check_frame *frame = &check->frame;
    for (int32_t i = 0; i < frame->contacts - frame->sleeping; i++) {
        const cn_contact_record *c = &frame->contact[i];
        const double *arm = frame->arm + 6 * (int64_t)i;
        double mean[3], force = math_dot3(c->impulse, c->normal);
        for (int k = 0; k < 3; k++) {
            mean[k] = -0.5 * (c->velocity_before[k] + c->velocity[k]);
        }
        double normal = math_dot3(mean, c->normal);
        if (!check_is_layer(check, i)) {
            add_energy(&works->impact, normal * force);
        }
        if (!check_is_sound(check, i)) {
            add_energy(&works->friction, math_dot3(mean, c->impulse) - normal * force);
            works->friction.scale += math_norm3(mean) * math_norm3(c->impulse);
        }
        add_energy(&works->external,
                   driven_part(check, c->candidate - 1, arm + 3, c->impulse, 1.0));
        add_energy(&works->external, driven_part(check, c->antagonist - 1, arm, c->impulse, -1.0));
    }
}

static void load_works(const check_checking *check, work_sums *works) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    for (int32_t i = 0; i < model->body_count; i++) {
        double before[6], after[6];
        if (model->body[i].role != MODEL_BODY_FREE) {
            continue;
        }
        check_six(model->dim, check_velocity_of(model, frame->v_before, i), before);
        check_six(model->dim, check_velocity_of(model, frame->v_new, i), after);
        for (int k = 0; k < 6; k++) {
            double given = frame->load ? frame->load[6 * (int64_t)i + k] : 0.0;
            double weight = k < model->dim ? model->body[i].mass * frame->gravity[k] : 0.0;
            add_energy(&works->external,
                       frame->h * given *
                           ((1.0 - check->theta) * before[k] + check->theta * after[k]));
            add_energy(&works->numerical,
                       frame->h * (check->theta - 0.5) * (given + weight) * (after[k] - before[k]));
            if (frame->projection && k < model->dim) {
                add_energy(&works->correction,
                           -weight * check_velocity_of(model, frame->projection, i)[k]);
            }
        }
    }
}

static void joint_works(const check_checking *check, work_sums *works) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        joint_view view;
        joint_look(model->dim, &joint->geometry,
                   check_pose_of(model, frame->middle, joint->body[0]),
                   check_pose_of(model, frame->middle, joint->body[1]),
                   frame->angle + 2 * (int64_t)j, &view);
        for (int32_t i = 0; i < joint->row_count; i++) {
            double J[12], r = frame->rows[joint->row_first + i];
            joint_gauge(&view, joint->row[i].gauge, J);
            for (int side = 0; side < 2; side++) {
                double before[6], after[6];
                int32_t body = joint->body[side];
                check_six(model->dim, check_velocity_of(model, frame->v_before, body), before);
                check_six(model->dim, check_velocity_of(model, frame->v_new, body), after);
                for (int k = 0; k < 6; k++) {
                    double work = 0.5 * (before[k] + after[k]) * J[6 * side + k] * r;
                    add_energy(&works->joints, work);
                    if (model->body[body].role == MODEL_BODY_DRIVEN) {
                        add_energy(&works->external, -work);
                    }
                }
            }
        }
    }
}

// What projections onto joints and falling asleep took: the free end of the step less the end.
static void end_works(const check_checking *check, work_sums *works) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    for (int32_t i = 0; frame->v_after && i < model->body_count; i++) {
        double q[7], v[6];
        if (model->body[i].role != MODEL_BODY_FREE) {
            continue;
        }
        body_rigid rigid = model_body_rigid(model, i);
        rigid_drift(&rigid, check_pose_of(model, frame->middle, i),
                    check_velocity_of(model, frame->v_new, i), check->theta * frame->h, q, v);
        add_energy(&works->numerical, kinetic_of(model, i, q, v));
        add_energy(&works->numerical, -kinetic_of(model, i, check_pose_of(model, frame->end, i),
                                                  check_velocity_of(model, frame->v, i)));
        for (int32_t k = 0; k < model->dim; k++) {
            add_energy(&works->numerical, model->body[i].mass * frame->gravity[k] *
                                              (check_pose_of(model, frame->end, i)[k] - q[k]));
        }
    }
}

static void check_works(check_checking *check, double scale) {
    work_sums works = {.external = {0.0, 0.0}};
    const cn_step_report *row = &check->row;
    contact_works(check, &works);
    load_works(check, &works);
    joint_works(check, &works);
    end_works(check, &works);
    check_soft_works soft;
    check_deformable_works(check, &soft);
    add_sum(&works.external, &soft.external);
    add_sum(&works.numerical, &soft.numerical);
    check_bond_works bonds;
    check_bonds_works(check, &bonds);
    if (check->bonds && bonds.known) {
        hold_against(check, "dissipated_fracture", row->dissipated_fracture, &bonds.fracture,
                     scale);
        add_sum(&works.numerical, &bonds.numerical);
        add_sum(&works.correction, &bonds.correction);
    }
    if (check->deformables || check->bonds) {
        const check_sum none = {0.0, 0.0};
        add_sum(&soft.viscous, &bonds.viscous);
        hold_against(check, "dissipated_viscous", row->dissipated_viscous, &soft.viscous, scale);
        hold_against(check, "dissipated_plastic", row->dissipated_plastic, &none, scale);
    }
    hold_against(check, "dissipated_friction", row->dissipated_friction, &works.friction, scale);
    hold_against(check, "dissipated_impact", row->dissipated_impact, &works.impact, scale);
    if (!soft.dropped && bonds.known) {
        hold_against(check, "dissipated_numerical", row->dissipated_numerical, &works.numerical,
                     scale);
    }
    hold_against(check, "work_joints", row->work_joints, &works.joints, scale);
    if (bonds.known) {
        hold_against(check, "work_correction", row->work_correction, &works.correction, scale);
    }
    // A change of gravity, or of the state, is work too, in the step after it.
    int64_t step = check->frame.step;
    if (!check->frame.steered && !check_jumped(check, step - 1, step)) {
        hold_against(check, "work_external", row->work_external, &works.external, scale);
    }
}

void check_energy(check_checking *check) {
    const check_frame *frame = &check->frame;
    check_sum kinetic = {0.0, 0.0}, potential = {0.0, 0.0}, elastic = {0.0, 0.0};
    if (check->model->system || !frame->end) {
        return;
    }
    energies(check, frame->end, frame->v, &kinetic, &potential);
    if (!check_deformable_energies(check, &kinetic, &potential, &elastic)) {
        check->memory_out = true;
        return;
    }
    if (frame->step == 0) {
        check_path_start(check, kinetic.value);
        const char *text = cn_run_meta(check->run, "energy_initial");
        double recorded = text ? strtod(text, NULL) : (double)NAN, own;
        check_bond_energy(check, &elastic);
        own = kinetic.value + potential.value + elastic.value;
        double allowed = CHECK_ROUND * (kinetic.scale + potential.scale + elastic.scale);
        if (text && !frame->jumped && !(fabs(recorded - own) <= allowed)) {
            check_find(check, "meta", -1, recorded, own,
                       "energy_initial is %.9g J, by the first frame %.9g", recorded, own);
        }
        return;
    }
    if (!check->has_row) {
        return;
    }
    double scale = 1e-3 * (kinetic.scale + potential.scale);
    hold_against(check, "kinetic", check->row.kinetic, &kinetic, 0.0);
    hold_against(check, "potential", check->row.potential, &potential, 0.0);
    bool bonded = check_bond_energy(check, &elastic);
    if (check->deformables || bonded) {
        hold_against(check, "elastic", check->row.elastic, &elastic,
                     kinetic.scale + potential.scale);
    }
    if (frame->v_new && !frame->cut) {
        check_works(check, scale);
    }
}
