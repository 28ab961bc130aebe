// step/systems/rigid_system.c
// Rigid bodies as a Lagrangian system in q = (p, r) of each free body, p a point of it, r the
// rotation vector from the base orientation. With c from p to the centre of mass and T(r):
//     omega = T r',   v = p' + omega x c,   (v, omega) = B q',   M = B' diag(m, J) B,
//     F = B' (f - m (b x c + omega x (omega x c)), tau - omega x J omega - J b),   b = (dT/dt) r',
// with given forces, springs and motors that are forces in f and tau, held rows of joints as
// Theta(q) = 0, limits of joints and touching shapes as gaps. Reference for rotations as vectors:
// Geradin and Cardona, Flexible Multibody Dynamics, 2001, chapter 4.
//
// p is the point of the body's first joint, one to a fixed body before others, else c = 0: a
// pendulum then is as accurate as in its angle, where a centre of mass on a circle would cost a
// factor of four, and free flight is a parabola to the last digit.
//
// Everything is dense, cubic in the number of coordinates: for some tens of bodies. Many bodies
// belong to the schemes of their own, "moreau-jean" and "stabilised".
#include "step/systems/rigid_system.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define STEERED 5 // numbers of the steering that are kept: gravity, friction and energy
#define RENEW 0.5 // [rad] turned from the base at which the base is renewed

// ---- poses ----

// A driven body's pose at t: its base moved by the integral of its velocity, by Gauss's rule of
// five points.
static void rigid_drive(step_rigid_system *rigid, double t, const double *base, double *pose) {
    static const double place[5] = {0.5, 0.23076534494715845, 0.76923465505284155,
                                    0.04691007703066800, 0.95308992296933200};
    static const double weight[5] = {0.28444444444444444, 0.23931433524968324, 0.23931433524968324,
                                     0.11846344252809454, 0.11846344252809454};
    const cn_model *model = rigid->sim->model;
    int32_t pose_size = model_pose_size(model->dim), size = model_velocity_size(model->dim);
    int64_t numbers = (int64_t)size * model->body_count;
    cn_arena *scratch = rigid->sim->step_memory;
    base_arena_mark mark = base_arena_get_mark(scratch);
    double *v = BASE_TAKE_ZERO(scratch, double, 2 * numbers);
    if (!v) {
        rigid->status = base_fail_memory(&rigid->error);
        return;
    }
    for (int32_t k = 0; k < 5; k++) {
        step_prescribe_velocities(model, rigid->sim->signals,
                                  rigid->start + place[k] * (t - rigid->start), v);
        for (int64_t i = 0; i < numbers; i++) {
            v[numbers + i] += weight[k] * v[i];
        }
    }
    for (int32_t i = 0; i < model->motion_count; i++) {
        int64_t body = model->motion[i].body;
        rigid_move(model->dim, base + pose_size * body, v + numbers + size * body, t - rigid->start,
                   pose + pose_size * body);
    }
    base_arena_release(scratch, mark);
}

// The vector from the point p of a body to its centre of mass, at the orientation of pose.
static void rigid_arm(const step_rigid_system *rigid, int32_t body, const double *pose,
                      double arm[3]) {
    double R[9];
    if (rigid->sim->model->dim == 3) {
        math_quat_matrix(pose + 3, R);
    } else {
        math_angle_matrix(pose[2], R);
    }
    math_mat3_apply(R, rigid->point + 3 * (int64_t)body, arm);
    for (int32_t k = 0; k < 3; k++) {
        arm[k] = -arm[k];
    }
}

// pose has p where its centre of mass belongs.
static void rigid_centre(step_rigid_system *rigid, int32_t body, double *pose) {
    double *arm = rigid->arm + 3 * (int64_t)body;
    if (rigid->on_joint[body]) {
        rigid_arm(rigid, body, pose, arm);
        for (int32_t k = 0; k < rigid->sim->model->dim; k++) {
            pose[k] += arm[k];
        }
    }
}

void step_rigid_place(step_rigid_system *rigid, double t, const double *q) {
    const cn_model *model = rigid->sim->model;
    size_t bytes = sizeof(double) * (size_t)rigid->n;
    int32_t pose_size = model_pose_size(model->dim), size = model_velocity_size(model->dim);
    if (rigid->placed && t == rigid->t && memcmp(q, rigid->q, bytes) == 0) {
        return;
    }
    memcpy(rigid->q, q, bytes);
    rigid->t = t;
    rigid->placed = true;
    rigid->looked = false;
    memcpy(rigid->pose, rigid->base,
           sizeof(double) * (size_t)pose_size * (size_t)model->body_count);
    if (model->motion_count > 0) {
        rigid_drive(rigid, t, rigid->base, rigid->pose);
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        const int32_t *at = rigid->coordinate + (int64_t)size * i;
        double *pose = rigid->pose + (int64_t)pose_size * i;
        for (int32_t k = 0; k < (model->dim == 2 ? 3 : model->dim); k++) {
            pose[k] = at[k] >= 0 ? q[at[k]] : pose[k];
        }
        if (model->dim == 3 && at[3] >= 0) {
            math_quat_rotate(pose + 3, q + at[3]);
            math_turn_rates(q + at[3], rigid->turn + 9 * (int64_t)i);
        }
        rigid_centre(rigid, i, pose);
    }
}

// (v, omega) of a body for a unit rate of its coordinate k: a column of B.
static void rigid_column(const step_rigid_system *rigid, int32_t body, int32_t k, double out[6]) {
    int32_t dim = rigid->sim->model->dim;
    memset(out, 0, 6 * sizeof *out);
    if (k < dim) {
        out[k] = 1.0;
        return;
    }
    for (int32_t i = 0; i < 3; i++) {
        out[3 + i] = dim == 3 ? rigid->turn[9 * (int64_t)body + 3 * i + k - 3] : i == 2;
    }
    math_cross3(out + 3, rigid->arm + 3 * (int64_t)body, out);
}

static double dot6(const double a[6], const double b[6]) {
    return math_dot3(a, b) + math_dot3(a + 3, b + 3);
}

// Velocities of a body in world axes, 6 numbers, from those of the coordinates.
static void rigid_velocity(const step_rigid_system *rigid, int32_t body, const double *v,
                           double out[6]) {
    int32_t size = model_velocity_size(rigid->sim->model->dim);
    const int32_t *at = rigid->coordinate + (int64_t)size * body;
    memset(out, 0, 6 * sizeof *out);
    for (int32_t k = 0; k < size; k++) {
        double column[6];
        rigid_column(rigid, body, k, column);
        for (int32_t i = 0; at[k] >= 0 && i < 6; i++) {
            out[i] += column[i] * v[at[k]];
        }
    }
}

void step_rigid_add_row(const step_rigid_system *rigid, int32_t body, const double J[6],
                        double *row) {
    int32_t size = model_velocity_size(rigid->sim->model->dim);
    const int32_t *at = rigid->coordinate + (int64_t)size * body;
    for (int32_t k = 0; k < size; k++) {
        if (at[k] >= 0) {
            double column[6];
            rigid_column(rigid, body, k, column);
            row[at[k]] += dot6(J, column);
        }
    }
}

double step_rigid_driven_rate(const step_rigid_system *rigid, int32_t body, const double J[6]) {
    const cn_model *model = rigid->sim->model;
    base_evaluator *signals = rigid->sim->signals;
    double t = rigid->t, rate = 0.0;
    for (int32_t i = 0; i < model->motion_count; i++) {
        const model_motion *motion = &model->motion[i];
        double given[6];
        if (motion->body == body) {
            model_motion_velocity(model, motion, signals, t, given);
            rate += dot6(J, given);
        }
    }
    return rate;
}

// ---- mass and forces ----

// Inertia of a body in world axes.
static void rigid_inertia(const step_rigid_system *rigid, int32_t body, double J[9]) {
    const cn_model *model = rigid->sim->model;
    const double *tensor = model->inertia[model->body[body].inertia].tensor;
    double R[9], part[9], transposed[9];
    memcpy(J, tensor, 9 * sizeof *J);
    if (model->dim == 2) {
        return; // of which the last entry counts
    }
    math_quat_matrix(rigid->pose + (int64_t)model_pose_size(3) * body + 3, R);
    for (int32_t k = 0; k < 9; k++) {
        transposed[k] = R[3 * (k % 3) + k / 3];
    }
    math_mat3_multiply(R, tensor, part);
    math_mat3_multiply(part, transposed, J);
}

// The block of M of one body.
static void rigid_mass_of(const step_rigid_system *rigid, int32_t body, double *M) {
    const cn_model *model = rigid->sim->model;
    int32_t size = model_velocity_size(model->dim);
    const int32_t *at = rigid->coordinate + (int64_t)size * body;
    double J[9], column[6][6];
    rigid_inertia(rigid, body, J);
    for (int32_t k = 0; k < size; k++) {
        rigid_column(rigid, body, k, column[k]);
    }
    for (int32_t k = 0; k < size; k++) {
        double momentum[6];
        math_mat3_apply(J, column[k] + 3, momentum + 3);
        for (int32_t i = 0; i < 3; i++) {
            momentum[i] = model->body[body].mass * column[k][i];
        }
        for (int32_t l = 0; at[k] >= 0 && l < size; l++) {
            if (at[l] >= 0) {
                M[(int64_t)rigid->n * at[k] + at[l]] = dot6(momentum, column[l]);
            }
        }
    }
}

static void rigid_mass(void *user, const double *q, double *M) {
    step_rigid_system *rigid = user;
    const cn_model *model = rigid->sim->model;
    step_rigid_place(rigid, rigid->t, q);
    memset(M, 0, sizeof(double) * (size_t)rigid->n * (size_t)rigid->n);
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role == MODEL_BODY_FREE) {
            rigid_mass_of(rigid, i, M);
        }
    }
}

// What the motion itself takes of force and torque: m (b x c + omega x (omega x c)) and
// omega x J omega + J b.
static void rigid_inertial(const step_rigid_system *rigid, int32_t body, const double *q,
                           const double *v, double load[6]) {
    const cn_model *model = rigid->sim->model;
    const double *arm = rigid->arm + 3 * (int64_t)body;
    double J[9], velocity[6], momentum[3], turning[3], bend[3] = {0.0, 0.0, 0.0};
    double across[3], inward[3], *omega = velocity + 3;
    rigid_velocity(rigid, body, v, velocity);
    if (model->dim == 3) {
        int32_t at = rigid->coordinate[6 * (int64_t)body + 3];
        if (at < 0) {
            return;
        }
        rigid_inertia(rigid, body, J);
        math_mat3_apply(J, omega, momentum);
        math_cross3(omega, momentum, turning);
        math_turn_bend(q + at, v + at, bend);
        math_mat3_apply(J, bend, momentum);
        math_add_scaled3(load + 3, -1.0, turning, load + 3);
        math_add_scaled3(load + 3, -1.0, momentum, load + 3);
    }
    math_cross3(bend, arm, across);
    math_cross3(omega, arm, inward);
    math_cross3(omega, inward, inward);
    math_add_scaled3(load, -model->body[body].mass, across, load);
    math_add_scaled3(load, -model->body[body].mass, inward, load);
}

// The force along the gauge of a spring or of a motor that acts as one; the target's rate is a
// difference.
static double rigid_elastic(const model_joint *joint, joint_role role, base_evaluator *signals,
                            double t, double x, double rate) {
    if (role == JOINT_ROLE_SPRING) {
        return -joint->stiffness * (x - joint->rest) - joint->damping * rate;
    }
    if (joint->motor == CN_MOTOR_VELOCITY) {
        double wanted = joint->motor_damping * (base_signal_at(joint->target, signals, t) - rate);
        return fmin(fmax(wanted, -joint->motor_max), joint->motor_max);
    }
    double by = 1e-5, target = base_signal_at(joint->target, signals, t);
    double slope = (base_signal_at(joint->target, signals, t + by) -
                    base_signal_at(joint->target, signals, t - by)) /
                   (2.0 * by);
    double force = joint->motor_stiffness * (target - x) + joint->motor_damping * (slope - rate);
    return fmin(fmax(force, -joint->motor_max), joint->motor_max);
}

static void rigid_springs(step_rigid_system *rigid, double t, const double *v, double *load) {
    const cn_model *model = rigid->sim->model;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        joint_view view;
        asm_joint_view_at(model, &rigid->sim->state, j, rigid->pose, &view);
        for (int32_t i = 0; i < joint->row_count; i++) {
            joint_role role = joint->row[i].role;
            if (role != JOINT_ROLE_SPRING && role != JOINT_ROLE_MOTOR) {
                continue;
            }
            double J[12], velocity[6], rate = 0.0, x = asm_joint_value(joint, &view, i, J);
            for (int32_t side = 0; side < 2; side++) {
                rigid_velocity(rigid, joint->body[side], v, velocity);
                for (int32_t k = 0; k < 6; k++) {
                    rate += J[6 * side + k] * velocity[k];
                }
                rate += step_rigid_driven_rate(rigid, joint->body[side], J + 6 * side);
            }
            double force = rigid_elastic(joint, role, rigid->sim->signals, t, x, rate);
            for (int32_t k = 0; k < 12; k++) {
                load[6 * (int64_t)joint->body[k / 6] + k % 6] += force * J[k];
            }
        }
    }
}

static void rigid_force(void *user, double t, const double *q, const double *v, double *F) {
    step_rigid_system *rigid = user;
    cn_sim *sim = rigid->sim;
    const cn_model *model = sim->model;
    step_rigid_place(rigid, t, q);
    memset(rigid->load, 0, sizeof(double) * 6 * (size_t)model->body_count);
    memset(F, 0, sizeof(double) * (size_t)rigid->n);
    // The given forces at one instant: a step of no length.
    step_context instant = {.model = model,
                            .state = &sim->state,
                            .given = {sim->outside.holds ? sim->outside.held : NULL,
                                      sim->outside.pushes ? sim->outside.once : NULL},
                            .t = t,
                            .opts = {.theta = 0.5, .signals = sim->signals}};
    step_add_loads(&instant, rigid->pose, rigid->load, NULL);
    rigid_springs(rigid, t, v, rigid->load);
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role != MODEL_BODY_FREE) {
            continue;
        }
        double *load = rigid->load + 6 * (int64_t)i;
        for (int32_t k = 0; k < model->dim; k++) {
            load[k] += model->body[i].mass * sim->steering.gravity[k];
        }
        rigid_inertial(rigid, i, q, v, load);
        step_rigid_add_row(rigid, i, load, F);
    }
}

static double rigid_potential(void *user, double t, const double *q) {
    step_rigid_system *rigid = user;
    const cn_model *model = rigid->sim->model;
    double sum = 0.0;
    step_rigid_place(rigid, t, q);
    for (int32_t i = 0; i < model->body_count; i++) {
        const double *pose = rigid->pose + (int64_t)model_pose_size(model->dim) * i;
        for (int32_t k = 0; model->body[i].role == MODEL_BODY_FREE && k < model->dim; k++) {
            sum -= model->body[i].mass * rigid->sim->steering.gravity[k] * pose[k];
        }
    }
    return sum;
}

// ---- joints ----

static void rigid_joint(void *user, double t, const double *q, double *theta) {
    step_rigid_system *rigid = user;
    const cn_model *model = rigid->sim->model;
    double J[12];
    step_rigid_place(rigid, t, q);
    for (int32_t i = 0; i < rigid->held_count; i++) {
        joint_view view;
        asm_joint_view_at(model, &rigid->sim->state, rigid->held[i].joint, rigid->pose, &view);
        theta[i] =
            asm_joint_value(&model->joint[rigid->held[i].joint], &view, rigid->held[i].row, J);
    }
}

static void rigid_joint_rows(void *user, double t, const double *q, double *rows, double *rate) {
    step_rigid_system *rigid = user;
    const cn_model *model = rigid->sim->model;
    step_rigid_place(rigid, t, q);
    for (int32_t i = 0; i < rigid->held_count; i++) {
        const model_joint *joint = &model->joint[rigid->held[i].joint];
        double J[12];
        joint_view view;
        asm_joint_view_at(model, &rigid->sim->state, rigid->held[i].joint, rigid->pose, &view);
        asm_joint_value(joint, &view, rigid->held[i].row, J);
        for (int32_t side = 0; side < 2; side++) {
            step_rigid_add_row(rigid, joint->body[side], J + 6 * side,
                               rows + (int64_t)rigid->n * i);
            rate[i] += step_rigid_driven_rate(rigid, joint->body[side], J + 6 * side);
        }
    }
}

// ---- making ----

static void rigid_number(step_rigid_system *rigid) {
    const cn_model *model = rigid->sim->model;
    int32_t size = model_velocity_size(model->dim);
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        for (int32_t k = 0; k < size; k++) {
            uint32_t lock = model->dim == 2 && k == 2 ? (uint32_t)CN_LOCK_RZ : 1u << k;
            bool moves = body->role == MODEL_BODY_FREE && !(body->lock & lock);
            rigid->coordinate[(int64_t)size * i + k] = moves ? rigid->n++ : -1;
        }
    }
}

// The points that stand for the bodies: of their first joints, of those to bodies that are not free
// before others.
static void rigid_points(step_rigid_system *rigid) {
    const cn_model *model = rigid->sim->model;
    for (int32_t k = 0; k < 4 * model->joint_count; k++) {
        const model_joint *joint = &model->joint[k / 2 % model->joint_count];
        bool grounded = k < 2 * model->joint_count;
        int32_t body = joint->body[k % 2], other = joint->body[1 - k % 2];
        const model_body *own = &model->body[body];
        bool fits = own->role == MODEL_BODY_FREE && own->lock == 0 && !rigid->on_joint[body] &&
                    (model->body[other].role != MODEL_BODY_FREE) == grounded;
        if (fits) {
            rigid->on_joint[body] = true;
            memcpy(rigid->point + 3 * (int64_t)body, joint->geometry.anchor[k % 2].point,
                   3 * sizeof(double));
        }
    }
}

// The rows of joints that are equations or gaps.
static bool rigid_rows(step_rigid_system *rigid) {
    const cn_model *model = rigid->sim->model;
    rigid->held = BASE_TAKE_ZERO(rigid->memory, step_rigid_row, model->joint_row_count);
    rigid->limit =
        BASE_TAKE_ZERO(rigid->memory, step_rigid_row, 2 * (int64_t)model->joint_row_count);
    if (!rigid->held || !rigid->limit) {
        return false;
    }
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        for (int32_t i = 0; i < joint->row_count; i++) {
            if (joint->row[i].role == JOINT_ROLE_HELD) {
                rigid->held[rigid->held_count++] = (step_rigid_row){.joint = j, .row = i};
            }
            for (int32_t end = 0; joint->row[i].role == JOINT_ROLE_LIMIT && end < 2; end++) {
                step_rigid_row limit = {j, i, end == 0 ? 1.0 : -1.0, joint->limits[end]};
                rigid->limit[rigid->limit_count] = limit;
                rigid->limit_count += isfinite(limit.offset);
            }
        }
    }
    return true;
}

// Loads as numbers: zero where there are none.
static void keep_loads(const double *load, bool given, int32_t bodies, double *kept) {
    memset(kept, 0, sizeof *kept * 6 * (size_t)bodies);
    if (given) {
        memcpy(kept, load, sizeof *kept * 6 * (size_t)bodies);
    }
}

void step_rigid_keep(step_rigid_system *rigid) {
    const cn_steering *steering = &rigid->sim->steering;
    const cn_sim *sim = rigid->sim;
    const sim_outside *outside = &sim->outside;
    int32_t bodies = sim->model->body_count, inputs = sim->model->inputs.count;
    if (sim->control) {
        memcpy(rigid->control, sim->control->held,
               sizeof(double) * (size_t)step_control_count(sim->model));
    }
    memcpy(rigid->steered, steering->gravity, sizeof steering->gravity);
    rigid->steered[3] = steering->friction;
    rigid->steered[4] = sim->steering_work;
    keep_loads(outside->held, outside->holds, bodies, rigid->outside);
    keep_loads(outside->once, outside->pushes, bodies, rigid->outside + 6 * (int64_t)bodies);
    memcpy(rigid->outside + 12 * (int64_t)bodies, outside->input, sizeof(double) * (size_t)inputs);
}

static bool any_load(const double *load, int32_t bodies) {
    bool any = false;
    for (int64_t i = 0; i < 6 * (int64_t)bodies; i++) {
        any = any || load[i] != 0.0;
    }
    return any;
}

// Back to the simulation, as after a load. false: no memory.
static bool rigid_release(step_rigid_system *rigid) {
    cn_sim *sim = rigid->sim;
    int32_t bodies = sim->model->body_count, inputs = sim->model->inputs.count;
    double **place[2] = {&sim->outside.held, &sim->outside.once};
    bool *given[2] = {&sim->outside.holds, &sim->outside.pushes};
    for (int32_t k = 0; k < 2; k++) {
        const double *load = rigid->outside + 6 * (int64_t)bodies * k;
        *given[k] = any_load(load, bodies);
        if ((*given[k] || *place[k]) && sim_take_loads(sim, place[k], NULL) != CN_OK) {
            return false;
        }
        if (*place[k]) {
            memcpy(*place[k], load, sizeof *load * 6 * (size_t)bodies);
        }
    }
    memcpy(sim->outside.input, rigid->outside + 12 * (int64_t)bodies,
           sizeof(double) * (size_t)inputs);
    return true;
}

static bool rigid_allocate(step_rigid_system *rigid) {
    const cn_model *model = rigid->sim->model;
    int64_t bodies = model->body_count, poses = (int64_t)model_pose_size(model->dim) * bodies;
    int64_t angles = 2 * (int64_t)model->joint_count;
    cn_arena *memory = rigid->memory;
    rigid->slot = BASE_TAKE_ZERO(memory, step_rigid_slot, rigid->slot_count);
    int64_t slots = 4 * (int64_t)rigid->slot_count;
    int64_t outside = 12 * bodies + model->inputs.count;
    int64_t kept = poses + angles + slots + step_control_count(model) + STEERED + outside;
    rigid->kept_count = (int32_t)kept;
    rigid->kept = BASE_TAKE_ZERO(memory, double, kept);
    rigid->q = BASE_TAKE_ZERO(memory, double, rigid->n);
    rigid->pose = BASE_TAKE_ZERO(memory, double, poses);
    rigid->turn = BASE_TAKE_ZERO(memory, double, 9 * bodies);
    rigid->load = BASE_TAKE_ZERO(memory, double, 6 * bodies);
    rigid->reach = BASE_TAKE_ZERO(memory, double, 6 * bodies);
    rigid->point = BASE_TAKE_ZERO(memory, double, 3 * bodies);
    rigid->arm = BASE_TAKE_ZERO(memory, double, 3 * bodies);
    rigid->on_joint = BASE_TAKE_ZERO(memory, bool, bodies);
    if (!rigid->slot || !rigid->point || !rigid->arm || !rigid->on_joint || !rigid->kept ||
        !rigid->q || !rigid->pose || !rigid->turn || !rigid->load || !rigid->reach) {
        return false;
    }
    rigid->base = rigid->kept;
    rigid->key = rigid->kept + poses + angles;
    rigid->control = rigid->key + slots;
    rigid->outside = rigid->kept + kept - outside;
    rigid->steered = rigid->outside - STEERED;
    step_rigid_keep(rigid);
    memcpy(rigid->base, rigid->sim->state.q, sizeof(double) * (size_t)poses);
    // The joints' angles become part of what the system keeps.
    rigid->sim->state.joint_angle = rigid->kept + poses;
    return true;
}

// Coordinates of a body at the start, and behind all of them their rates: p' = v - omega x c.
static void rigid_start(const step_rigid_system *rigid, int32_t body, double *start) {
    const cn_model *model = rigid->sim->model;
    int32_t size = model_velocity_size(model->dim);
    const double *pose = rigid->base + (int64_t)model_pose_size(model->dim) * body;
    const double *v = rigid->sim->state.v + (int64_t)size * body;
    double arm[3], along[3], omega[3] = {0.0, 0.0, model->dim == 2 ? v[2] : v[5]};
    omega[0] = model->dim == 3 ? v[3] : 0.0;
    omega[1] = model->dim == 3 ? v[4] : 0.0;
    rigid_arm(rigid, body, pose, arm);
    math_cross3(omega, arm, along);
    for (int32_t k = 0; k < size; k++) {
        int32_t at = rigid->coordinate[(int64_t)size * body + k];
        if (at >= 0 && k < model->dim) {
            start[at] = pose[k] - arm[k];
            start[rigid->n + at] = v[k] - along[k];
        } else if (at >= 0) {
            start[at] = model->dim == 2 ? pose[2] : 0.0;
            start[rigid->n + at] = v[k];
        }
    }
}

static cn_status rigid_describe(step_rigid_system *rigid, cn_error *error) {
    const cn_model *model = rigid->sim->model;
    cn_lagrangian def = cn_lagrangian_default(rigid->n);
    def.contacts = rigid->limit_count + rigid->slot_count;
    double *start = BASE_TAKE_ZERO(rigid->memory, double, 2 * (int64_t)rigid->n);
    cn_lagrangian_contact *laws =
        BASE_TAKE_ZERO(rigid->memory, cn_lagrangian_contact, def.contacts);
    if (!start || !laws) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        rigid_start(rigid, i, start);
    }
    def.name = model->name;
    def.q = start;
    def.v = start + rigid->n;
    def.user = rigid;
    def.mass = rigid_mass;
    def.force = rigid_force;
    def.potential = rigid_potential;
    def.contact = laws;
    def.gap = step_rigid_gap;
    def.contact_rows = step_rigid_contact_rows;
    def.tangents = model->dim - 1;
    def.joints = rigid->held_count;
    def.joint = rigid_joint;
    def.joint_rows = rigid_joint_rows;
    def.hooks.memory = rigid->kept;
    def.hooks.memory_count = rigid->kept_count;
    return cn_system_create(&rigid->sim->env, &def, &rigid->system, error);
}

#define RIGID_SLOTS 16     // of a scene, and
#define RIGID_SLOTS_EACH 8 // for each free body

cn_status step_rigid_system_create(cn_sim *sim, cn_error *error) {
    CN_TRY(step_rigid_system_check(sim, error));
    cn_arena *memory = cn_arena_create(&sim->env);
    step_rigid_system *rigid = memory ? BASE_TAKE_ZERO(memory, step_rigid_system, 1) : NULL;
    if (!rigid) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    const cn_model *model = sim->model;
    *rigid = (step_rigid_system){.sim = sim, .memory = memory, .slot_count = RIGID_SLOTS};
    sim->rigid = rigid;
    for (int32_t i = 0; i < model->body_count; i++) {
        rigid->slot_count += model->body[i].role == MODEL_BODY_FREE ? RIGID_SLOTS_EACH : 0;
    }
    rigid->coordinate = BASE_TAKE_ZERO(
        memory, int32_t, (int64_t)model_velocity_size(model->dim) * model->body_count);
    if (!rigid->coordinate) {
        return base_fail_memory(error);
    }
    rigid_number(rigid);
    if (!rigid_rows(rigid) || !rigid_allocate(rigid)) {
        return base_fail_memory(error);
    }
    rigid_points(rigid);
    return rigid_describe(rigid, error);
}

void step_rigid_system_destroy(step_rigid_system *rigid) {
    if (rigid) {
        cn_system_destroy(rigid->system);
        cn_arena_destroy(rigid->memory);
    }
}

// ---- a step ----

// The base orientation becomes the present one, and what belongs to the rotation vector follows.
static void rigid_renew(step_rigid_system *rigid, int32_t body, cn_system_run *run) {
    const int32_t *at = rigid->coordinate + 6 * (int64_t)body;
    double *base = rigid->base + 7 * (int64_t)body + 3, *r = run->q + at[3];
    double T[9], bend[3];
    math_turn_rates(r, T);
    math_turn_bend(r, run->v + at[3], bend);
    double *accelerations[2] = {run->a + at[3], run->acceleration + at[3]};
    for (int32_t k = 0; k < 2; k++) {
        math_mat3_apply(T, accelerations[k], accelerations[k]);
        math_add_scaled3(accelerations[k], 1.0, bend, accelerations[k]);
    }
    math_mat3_apply(T, run->v + at[3], run->v + at[3]);
    math_quat_rotate(base, r);
    memset(r, 0, 3 * sizeof *r);
}

cn_status step_rigid_system_begin(step_rigid_system *rigid, cn_system_run *run, cn_error *error) {
    const cn_model *model = rigid->sim->model;
    for (int32_t i = 0; model->dim == 3 && i < model->body_count; i++) {
        const int32_t *at = rigid->coordinate + 6 * (int64_t)i;
        if (at[3] >= 0 && math_norm3(run->q + at[3]) > RENEW) {
            rigid_renew(rigid, i, run);
        }
    }
    rigid->start = cn_system_run_time(run);
    rigid->placed = false;
    rigid->status = CN_OK;
    step_rigid_keep(rigid);
    return step_rigid_slots_begin(rigid, run, error);
}

cn_status step_rigid_system_end(step_rigid_system *rigid, const cn_system_run *run, bool moved) {
    const cn_model *model = rigid->sim->model;
    model_state *state = &rigid->sim->state;
    int32_t size = model_velocity_size(model->dim);
    int64_t pose = model_pose_size(model->dim);
    double t = cn_system_run_time(run);
    if (!moved) {
        cn_steering *steering = &rigid->sim->steering;
        rigid->start = t;
        memcpy(steering->gravity, rigid->steered, sizeof steering->gravity);
        steering->friction = rigid->steered[3];
        rigid->sim->steering_work = rigid->steered[4];
        if (!rigid_release(rigid)) {
            return CN_ERR_MEMORY;
        }
        if (rigid->sim->control) {
            memcpy(rigid->sim->control->held, rigid->control,
                   sizeof(double) * (size_t)step_control_count(model));
        }
        step_rigid_slots_load(rigid);
    }
    rigid->placed = false;
    step_rigid_place(rigid, t, run->q);
    memcpy(state->q, rigid->pose, sizeof(double) * (size_t)(pose * model->body_count));
    for (int32_t i = 0; i < model->body_count; i++) {
        double velocity[6], *v = state->v + (int64_t)size * i;
        rigid_velocity(rigid, i, run->v, velocity);
        memcpy(v, velocity, sizeof(double) * (size_t)(model->dim == 2 ? 2 : 6));
        v[2] = model->dim == 2 ? velocity[5] : v[2];
        if (model->body[i].role == MODEL_BODY_DRIVEN) {
            memcpy(rigid->base + pose * i, rigid->pose + pose * i, sizeof(double) * (size_t)pose);
        }
    }
    step_prescribe_velocities(model, rigid->sim->signals, t, state->v);
    rigid->start = t;
    rigid->placed = false;
    for (int32_t j = 0; moved && j < model->joint_count; j++) {
        joint_view view;
        asm_joint_view_at(model, state, j, state->q, &view);
        joint_angles(&view, state->joint_angle + 2 * (int64_t)j);
    }
    return CN_OK;
}

static bool slot_key_is_sound(const step_rigid_system *rigid, const double key[4]) {
    int32_t bodies = rigid->sim->model->body_count;
    if (key[0] == 0.0) {
        return true; // not in use
    }
    return key[0] >= 1.0 && key[0] <= bodies && key[1] >= 1.0 && key[1] <= bodies &&
           key[2] >= 0.0 && key[2] <= UINT32_MAX && key[3] >= 0.0 && key[3] <= UINT32_MAX;
}

bool step_rigid_kept_is_sound(const step_rigid_system *rigid, const double *kept) {
    const cn_model *model = rigid->sim->model;
    const double *base = kept + (rigid->base - rigid->kept),
                 *key = kept + (rigid->key - rigid->kept),
                 *steered = kept + (rigid->steered - rigid->kept);
    bool sound = steered[3] >= 0.0;
    for (const double *number = steered; number < kept + rigid->kept_count; number++) {
        sound = sound && isfinite(*number);
    }
    for (int64_t i = 0; i < (int64_t)model_pose_size(model->dim) * model->body_count; i++) {
        sound = sound && isfinite(base[i]);
    }
    for (int32_t i = 0; i < rigid->slot_count; i++) {
        sound = sound && slot_key_is_sound(rigid, key + 4 * (int64_t)i);
    }
    return sound;
}
