// assemble/joints.c
// The rows of joints at q~, each with a box on its impulse, a compliance and a shift
// (docs/reference/joints.md). With x the row's gauge, x_i at the start of the step, u = J(q~) v, u_0 before and u_1
// after, x_{i+1} = x_i + h ((1 - theta) u_0 + theta u_1) to second order at theta = 1/2:
//     held      x_{i+1} = 0:   u_1 + ((1 - theta) u_0 + x_i/h)/theta = 0;
//     spring    r = -h (k x_theta + c u_theta), x_theta and u_theta being the means of start and
//               end with weights 1 - theta and theta: with D = h^2 theta^2 k + h theta c,
//               u_1 + r/D + (h k x_i + (h^2 theta (1 - theta) k + h (1 - theta) c) u_0)/D = 0;
//     limit     the law of a quasi-inelastic shock: u_1 + max(0, g~)/h >= 0 on the nearer side;
//     motor     u_1 = target, or the gauge at the middle of the next step = target, or a damper or
//               spring towards the target; |r| <= h most;
//     armature  a rotor of inertia A: r = -A (u_1 - u_0);
//     friction  u_1 = 0, |r| <= h friction.
// At theta = 1/2 a held row does no work, 1/2 (u_0 + u_1) r = 0, where x_i = 0. With u_1 = 0 in its
// place a pendulum loses energy at first order.
//
// x_{i+1} = 0 holds to third order in h only: asm_joints_correct closes the rest by going round.
// Rows that depend on one another (closed loops) leave r undetermined, not v.
#include "assemble/joints.h"

#include "base/arena.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Compliance of a row without bounds over its own W_ii. At q~, off Theta = 0 by a second order,
// rows that depend on one another there no longer agree exactly; this much lets them, without
// impulses growing beyond bounds. It moves the end of a step by h^2 times this times the
// acceleration, which going round takes back.
#define JOINT_SOFTNESS 1e-6

// What a row's law may look at.
typedef struct row_input {
    const model_joint *joint;
    double start, middle; // the gauge less what it is held at, at q_i and at q~
    double u0;
    const asm_assemble_opts *opts;
} row_input;

// The law of a row: u + shift and r as cn_bounds has them.
typedef struct row_law {
    double lower, upper, compliance, shift, correction;
} row_law;

typedef void row_law_fn(const row_input *in, row_law *law);

static void law_none(const row_input *in, row_law *law) {
    (void)in;
    law->lower = law->upper = 0.0;
}

static void law_held(const row_input *in, row_law *law) {
    const asm_assemble_opts *o = in->opts;
    switch (o->drift) {
    case CN_DRIFT_NONE:
    case CN_DRIFT_PROJECTION:
        break;
    case CN_DRIFT_BAUMGARTE:
        law->shift = o->baumgarte * in->middle / o->h;
        break;
    default:
        law->shift = ((1.0 - o->theta) * in->u0 + in->start / o->h) / o->theta;
        law->correction = 1.0 / (o->h * o->theta);
        break;
    }
}

static void law_limit(const row_input *in, row_law *law) {
    const double *limits = in->joint->limits;
    double low = in->middle - limits[0], high = limits[1] - in->middle;
    if (limits[0] == limits[1]) {
        law->shift = low / in->opts->h;
    } else if (low < high) {
        law->lower = 0.0;
        law->shift = fmax(0.0, low) / in->opts->h;
    } else {
        law->upper = 0.0;
        law->shift = -fmax(0.0, high) / in->opts->h;
    }
}

// r = -h (k x_theta + c u_theta); start: x_i, rate: what the mean velocity is compared with.
static void law_elastic(const row_input *in, double k, double c, double start, double rate,
                        row_law *law) {
    double h = in->opts->h, theta = in->opts->theta;
    double D = h * h * theta * theta * k + h * theta * c;
    law->compliance = 1.0 / D;
    law->shift =
        (h * k * start + (h * h * theta * (1.0 - theta) * k + h * (1.0 - theta) * c) * in->u0 -
         h * c * rate) /
        D;
    law->correction = h * theta * k / D;
}

static void law_spring(const row_input *in, row_law *law) {
    const model_joint *joint = in->joint;
    law_elastic(in, joint->stiffness, joint->damping, in->start - joint->rest, 0.0, law);
}

static void law_motor(const row_input *in, row_law *law) {
    const model_joint *joint = in->joint;
    const asm_assemble_opts *o = in->opts;
    law->upper = o->h * joint->motor_max;
    law->lower = -law->upper;
    if (joint->motor == CN_MOTOR_VELOCITY && joint->motor_damping > 0.0) {
        double before = base_signal_at(joint->target, o->signals, o->t),
               after = base_signal_at(joint->target, o->signals, o->t + o->h);
        law_elastic(in, 0.0, joint->motor_damping, 0.0,
                    (1.0 - o->theta) * before + o->theta * after, law);
    } else if (joint->motor == CN_MOTOR_VELOCITY) {
        law->shift = -base_signal_at(joint->target, o->signals, o->t + o->h);
    } else if (joint->motor_stiffness > 0.0 || joint->motor_damping > 0.0) {
        double before = base_signal_at(joint->target, o->signals, o->t),
               after = base_signal_at(joint->target, o->signals, o->t + o->h);
        law_elastic(in, joint->motor_stiffness, joint->motor_damping,
                    in->start - (1.0 - o->theta) * before - o->theta * after,
                    (after - before) / o->h, law);
    } else {
        double aim = base_signal_at(joint->target, o->signals, o->t + (2.0 - o->theta) * o->h);
        law->shift = (in->middle - aim) / o->h;
    }
}

static void law_armature(const row_input *in, row_law *law) {
    law->compliance = 1.0 / in->joint->armature;
    law->shift = -in->u0;
}

static void law_friction(const row_input *in, row_law *law) {
    law->upper = in->opts->h * in->joint->friction;
    law->lower = -law->upper;
}

static row_law_fn *const row_laws[JOINT_ROLES] = {
    [JOINT_ROLE_NONE] = law_none,         [JOINT_ROLE_HELD] = law_held,
    [JOINT_ROLE_LIMIT] = law_limit,       [JOINT_ROLE_MOTOR] = law_motor,
    [JOINT_ROLE_FRICTION] = law_friction, [JOINT_ROLE_SPRING] = law_spring,
    [JOINT_ROLE_ARMATURE] = law_armature,
};

void asm_joint_view_at(const cn_model *model, const model_state *state, int32_t index,
                       const double *q, joint_view *view) {
    const model_joint *joint = &model->joint[index];
    int64_t pose = model_pose_size(model->dim);
    joint_look(model->dim, &joint->geometry, q + pose * joint->body[0], q + pose * joint->body[1],
               state->joint_angle + 2 * (int64_t)index, view);
}

double asm_joint_value(const model_joint *joint, const joint_view *view, int32_t row,
                       double J[12]) {
    double x = joint_gauge(view, joint->row[row].gauge, J);
    bool held = joint->row[row].role == JOINT_ROLE_HELD;
    return held && joint->row[row].gauge == JOINT_GAUGE_DISTANCE ? x - joint->length : x;
}

// The velocities of a body that a row multiplies: v and omega; 2D has the first two and the last.
static double row_times(int32_t dim, const double J[6], const double *v) {
    return dim == 3 ? math_dot3(J, v) + math_dot3(J + 3, v + 3)
                    : J[0] * v[0] + J[1] * v[1] + J[5] * v[2];
}

static double row_velocity(const cn_model *model, const model_joint *joint, const double J[12],
                           const double *v) {
    int64_t size = model_velocity_size(model->dim);
    return row_times(model->dim, J, v + size * joint->body[0]) +
           row_times(model->dim, J + 6, v + size * joint->body[1]);
}

// H and M^-1 H of one body for the rows of a block; the entries written.
static int32_t fill_rows(const cn_model *model, const asm_inertia_map *inertia, int32_t body,
                         const double (*J)[12], int32_t side, cn_body_map *map, int64_t k) {
    static const int flat[3] = {0, 1, 5};
    int32_t dim = model->dim, size = model_velocity_size(dim);
    if (model->body[body].role != MODEL_BODY_FREE) {
        return 0;
    }
    const double *inverse = inertia->inverse + (int64_t)size * size * body;
    for (int32_t i = 0; i < dim; i++) {
        double row[6];
        for (int32_t j = 0; j < size; j++) {
            row[j] = J[i][6 * side + (dim == 3 ? j : flat[j])];
        }
        for (int32_t j = 0; j < size; j++) {
            double sum = 0.0;
            for (int32_t l = 0; l < size; l++) {
                sum += inverse[size * j + l] * row[l];
            }
            map->H[dim * (k + j) + i] = row[j];
            map->MinvH[dim * (k + j) + i] = sum;
        }
    }
    for (int32_t j = 0; j < size; j++) {
        map->dof[k + j] = size * body + j;
    }
    return size;
}

// One block: dim rows of a joint from its row `first` on.
static void joint_block(const cn_model *model, const model_state *state, int32_t index,
                        int32_t first, const joint_view view[2], const asm_inertia_map *inertia,
                        const double *v_old, const double *v_free, const asm_assemble_opts *opts,
                        asm_assembled *out) {
    const model_joint *joint = &model->joint[index];
    cn_friction *p = &out->problem;
    int32_t dim = model->dim, a = p->contacts++;
    double J[3][12], unused[12];
    p->bounds.boxed[a] = 1;
    p->mu[a] = 0.0;
    for (int32_t i = 0; i < dim; i++) {
        int64_t at = (int64_t)dim * a + i;
        row_input in = {.joint = joint, .opts = opts};
        row_law law = {.lower = -HUGE_VAL, .upper = HUGE_VAL};
        in.start = asm_joint_value(joint, &view[0], first + i, unused);
        in.middle = asm_joint_value(joint, &view[1], first + i, J[i]);
        in.u0 = row_velocity(model, joint, J[i], v_old);
        joint_role role = joint->row[first + i].role;
        row_laws[opts->held_only && role != JOINT_ROLE_HELD ? JOINT_ROLE_NONE : role](&in, &law);
        double r = state->joint_impulse[joint->row_first + first + i];
        out->shift[at] = law.shift;
        out->velocity_before[at] = in.u0;
        out->value[at] = in.start;
        out->correction[at] = law.correction;
        out->r[at] = fmin(fmax(r, law.lower), law.upper);
        p->q[at] = row_velocity(model, joint, J[i], v_free) + law.shift;
        p->bounds.lower[at] = law.lower;
        p->bounds.upper[at] = law.upper;
        p->bounds.compliance[at] = law.compliance;
    }
    bool forward = joint->body[0] < joint->body[1];
    cn_body_map *map = &p->W.body;
    int64_t k = map->start[a];
    k += fill_rows(model, inertia, joint->body[forward ? 0 : 1], (const double(*)[12])J,
                   forward ? 0 : 1, map, k);
    k += fill_rows(model, inertia, joint->body[forward ? 1 : 0], (const double(*)[12])J,
                   forward ? 1 : 0, map, k);
    map->start[a + 1] = k;
}

void asm_joints_append(const cn_model *model, const model_state *state,
                       const asm_inertia_map *inertia, const double *v_old, const double *v_free,
                       const asm_assemble_opts *opts, asm_assembled *out) {
    for (int32_t j = 0; j < model->joint_count; j++) {
        joint_view view[2];
        asm_joint_view_at(model, state, j, state->q, &view[0]);
        asm_joint_view_at(model, state, j, inertia->q, &view[1]);
        for (int32_t first = 0; first < model->joint[j].row_count; first += model->dim) {
            joint_block(model, state, j, first, view, inertia, v_old, v_free, opts, out);
        }
    }
}

void asm_joints_soften(asm_assembled *out) {
    cn_friction *p = &out->problem;
    int32_t dim = p->dim;
    for (int32_t a = out->contacts; a < p->contacts; a++) {
        const double *block = p->W.diagonal + (int64_t)dim * dim * a;
        for (int32_t i = 0; i < dim; i++) {
            int64_t at = (int64_t)dim * a + i;
            bool held = isinf(p->bounds.upper[at]) && isinf(p->bounds.lower[at]);
            if (held && !(p->bounds.compliance[at] > 0.0)) {
                p->bounds.compliance[at] = JOINT_SOFTNESS * block[(dim + 1) * i];
            }
        }
    }
}

double asm_joints_error(const cn_model *model, const model_state *state, const double *q,
                        int32_t *worst) {
    double max = 0.0;
    *worst = -1;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        joint_view view;
        asm_joint_view_at(model, state, j, q, &view);
        for (int32_t i = 0; i < joint->row_count; i++) {
            double J[12];
            double error = joint->row[i].role == JOINT_ROLE_HELD
                               ? fabs(asm_joint_value(joint, &view, i, J))
                               : 0.0;
            if (!(error <= max)) { // a gauge that is no number is the worst
                max = error;
                *worst = j;
            }
        }
    }
    return max;
}

double asm_joints_rate(const cn_model *model, const model_state *state, const double *q,
                       const double *v) {
    double max = 0.0;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        joint_view view;
        asm_joint_view_at(model, state, j, q, &view);
        for (int32_t i = 0; i < joint->row_count; i++) {
            double J[12];
            if (joint->row[i].role == JOINT_ROLE_HELD) {
                joint_gauge(&view, joint->row[i].gauge, J);
                max = fmax(max, fabs(row_velocity(model, joint, J, v)));
            }
        }
    }
    return max;
}

void asm_joints_correct(const cn_model *model, const model_state *state,
                        const asm_assemble_opts *opts, const double *q, const double *r,
                        const double *u, asm_assembled *assembled) {
    int64_t at = (int64_t)model->dim * assembled->contacts;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        joint_view view;
        asm_joint_view_at(model, state, j, q, &view);
        for (int32_t i = 0; i < joint->row_count; i++, at++) {
            double J[12];
            if (!(assembled->correction[at] > 0.0)) {
                continue;
            }
            double miss = asm_joint_value(joint, &view, i, J);
            if (joint->row[i].role != JOINT_ROLE_HELD) {
                // The law has the gauge of the linear prediction; all but the miss of that is in it
                // already.
                double u1 = asm_row_after(assembled, r, u, at);
                miss -= assembled->value[at] +
                        opts->h * ((1.0 - opts->theta) * assembled->velocity_before[at] +
                                   opts->theta * u1) +
                        assembled->missed[at];
                assembled->missed[at] += miss;
            }
            double change = assembled->correction[at] * miss;
            assembled->shift[at] += change;
            assembled->problem.q[at] += change;
        }
    }
}
