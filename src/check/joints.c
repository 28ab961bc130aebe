// check/joints.c
// Joints: what they hold at the end of the step, the laws of their limits, motors, friction and
// springs, their impulses on the bodies, and the numbers that are recorded of them. With x the
// gauge of a row, u = J v at q~, u_0 before and u_1 after:
//     limit     0 <= u_1 + max(0, x~ - limit)/h  orthogonal to  r >= 0, on the nearer side
//     motor     u_1, or the gauge, follows the target, |r| <= h most
//     friction  u_1 = 0, |r| <= h friction
//     spring    r = -h (k x_theta + c u_theta)
//     armature  r = -A (u_1 - u_0)
#include "check/check.h"

#include "base/arena.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define JOINT_SOFTNESS 1e-6 // compliance of rows without bounds, over their own W
#define JOINT_BROKEN 1e-2   // [m], [rad] what no run goes on with
// Of the way that the two sides of a row go in the step, and of their rates: what rounds that gain
// nothing any more leave near singular positions.
#define JOINT_LEFT 1e-3
// Of joint_tolerance over the step: rates below are left as they are.
#define JOINT_RATE 0.1

typedef struct joint_at {
    const model_joint *joint;
    joint_view start, middle, end;
} joint_at;

// A row's law: r in [lower, upper] against u_1 + compliance r + shift.
typedef struct row_law {
    double lower, upper, compliance, shift;
    double correction; // of the shift, for a unit that the gauge misses its linear prediction
    bool checked;      // false: held, or its target is not known
} row_law;

static void look(const check_checking *check, int32_t j, double *q, joint_view *view) {
    const cn_model *model = check->model;
    const model_joint *joint = &model->joint[j];
    joint_look(model->dim, &joint->geometry, check_pose_of(model, q, joint->body[0]),
               check_pose_of(model, q, joint->body[1]), check->frame.angle + 2 * (int64_t)j, view);
}

static double gauge_of(const model_joint *joint, const joint_view *view, int32_t row,
                       double J[12]) {
    double x = joint_gauge(view, joint->row[row].gauge, J);
    bool length =
        joint->row[row].role == JOINT_ROLE_HELD && joint->row[row].gauge == JOINT_GAUGE_DISTANCE;
    return length ? x - joint->length : x;
}

// J v.
static double rate_of(const check_checking *check, const model_joint *joint, const double J[12],
                      double *v) {
    double first[6], second[6];
    check_six(check->model->dim, check_velocity_of(check->model, v, joint->body[0]), first);
    check_six(check->model->dim, check_velocity_of(check->model, v, joint->body[1]), second);
    return math_dot3(J, first) + math_dot3(J + 3, first + 3) + math_dot3(J + 6, second) +
           math_dot3(J + 9, second + 3);
}

// M^-1 J' of one side.
static void side_velocity(const check_checking *check, const model_joint *joint, int side,
                          double *q, const double J[12], double out[6]) {
    static const int flat[3] = {0, 1, 5};
    const cn_model *model = check->model;
    int32_t body = joint->body[side], size = model_velocity_size(model->dim);
    double inverse[36];
    memset(out, 0, 6 * sizeof *out);
    if (!check_is_moved(check, body)) {
        return;
    }
    body_rigid rigid = model_body_rigid(model, body);
    rigid_inverse_mass(&rigid, check_pose_of(model, q, body), inverse);
    for (int32_t i = 0; i < size; i++) {
        for (int32_t k = 0; k < size; k++) {
            out[size == 6 ? i : flat[i]] +=
                inverse[size * i + k] * J[6 * side + (size == 6 ? k : flat[k])];
        }
    }
}

// W of a row with itself.
static double row_mobility(const check_checking *check, const model_joint *joint,
                           const double J[12]) {
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        double v[6];
        side_velocity(check, joint, side, check->frame.middle, J, v);
        sum += math_dot3(J + 6 * side, v) + math_dot3(J + 6 * side + 3, v + 3);
    }
    return sum;
}

// ---- laws ----

static void elastic_law(const check_checking *check, double k, double c, double x, double u0,
                        double rate, row_law *law) {
    double h = check->frame.h, theta = check->theta;
    double D = h * theta * (h * theta * k + c);
    law->compliance = 1.0 / D;
    law->shift = h * (k * x + (1.0 - theta) * (h * theta * k + c) * u0 - c * rate) / D;
    law->correction = h * theta * k / D;
}

static void motor_law(const check_checking *check, const model_joint *joint, double start,
                      double middle, double u0, row_law *law) {
    const check_frame *frame = &check->frame;
    double h = frame->h, theta = check->theta, t = frame->start;
    law->upper = h * joint->motor_max;
    law->lower = -law->upper;
    law->checked = !check->model->control;
    if (!law->checked) {
        return; // a controller's output is not in the file
    }
    base_evaluator *signals = check->signals;
    double before = base_signal_at(joint->target, signals, t),
           after = base_signal_at(joint->target, signals, t + h);
    if (joint->motor == CN_MOTOR_VELOCITY && joint->motor_damping > 0.0) {
        elastic_law(check, 0.0, joint->motor_damping, 0.0, u0,
                    (1.0 - theta) * before + theta * after, law);
    } else if (joint->motor == CN_MOTOR_VELOCITY) {
        law->shift = -after;
    } else if (joint->motor_stiffness > 0.0 || joint->motor_damping > 0.0) {
        elastic_law(check, joint->motor_stiffness, joint->motor_damping,
                    start - (1.0 - theta) * before - theta * after, u0, (after - before) / h, law);
    } else {
        law->shift = (middle - base_signal_at(joint->target, signals, t + (2.0 - theta) * h)) / h;
    }
}

static row_law law_of_row(const check_checking *check, const model_joint *joint, int32_t row,
                          double start, double middle, double u0) {
    row_law law = {.lower = -HUGE_VAL, .upper = HUGE_VAL, .checked = true};
    double h = check->frame.h, low = middle - joint->limits[0], high = joint->limits[1] - middle;
    switch (joint->row[row].role) {
    case JOINT_ROLE_HELD:
        law.checked = false;
        break;
    case JOINT_ROLE_LIMIT:
        if (joint->limits[0] == joint->limits[1]) {
            law.shift = low / h;
        } else if (low < high) {
            law.lower = 0.0;
            law.shift = fmax(0.0, low) / h;
        } else {
            law.upper = 0.0;
            law.shift = -fmax(0.0, high) / h;
        }
        break;
    case JOINT_ROLE_MOTOR:
        motor_law(check, joint, start, middle, u0, &law);
        break;
    case JOINT_ROLE_FRICTION:
        law.upper = h * joint->friction;
        law.lower = -law.upper;
        break;
    case JOINT_ROLE_SPRING:
        elastic_law(check, joint->stiffness, joint->damping, start - joint->rest, u0, 0.0, &law);
        break;
    case JOINT_ROLE_ARMATURE:
        law.compliance = 1.0 / joint->armature;
        law.shift = -u0;
        break;
    default:
        law.lower = law.upper = 0.0;
        break;
    }
    return law;
}

// (r - mid(lower, r - rho w, upper)) / rho
static double box_error(const row_law *law, double r, double w, double rho) {
    double z = r - rho * w;
    return fabs(z < law->lower   ? (r - law->lower) / rho
                : z > law->upper ? (r - law->upper) / rho
                                 : w);
}

// The rows of a joint: their impulses on the bodies and, block by block, their part in the
// residual.
static void check_rows_of(check_checking *check, const joint_at *at) {
    check_frame *frame = &check->frame;
    const model_joint *joint = at->joint;
    int32_t dim = check->model->dim;
    double mobility[JOINT_ROWS_MAX];
    for (int32_t i = 0; i < joint->row_count; i++) {
        double J[12];
        gauge_of(joint, &at->middle, i, J);
        mobility[i] = row_mobility(check, joint, J);
    }
    for (int32_t i = 0; i < joint->row_count; i++) {
        double J[12], unused[12], block = 0.0, r = frame->rows[joint->row_first + i];
        double middle = gauge_of(joint, &at->middle, i, J),
               start = frame->gauge_start[joint->row_first + i];
        double u0 = rate_of(check, joint, J, frame->v_before),
               u1 = rate_of(check, joint, J, frame->v_new),
               free = rate_of(check, joint, J, frame->v_free);
        row_law law = law_of_row(check, joint, i, start, middle, u0);
        bool soft = isinf(law.lower) && isinf(law.upper) && !(law.compliance > 0.0);
        law.compliance = soft ? JOINT_SOFTNESS * mobility[i] : law.compliance;
        for (int32_t k = 0; k < dim; k++) {
            block += mobility[i - i % dim + k];
        }
        double rho = block + law.compliance > 0.0 ? dim / (block + law.compliance) : 1.0;
        // A held row's shift is whatever its end asks for, which is checked as such.
        double shift = law.checked ? law.shift : -u1;
        double end = gauge_of(joint, &at->end, i, unused);
        double miss = end - start - frame->h * ((1.0 - check->theta) * u0 + check->theta * u1);
        double w = u1 + law.compliance * r + law.shift;
        double error = law.checked ? fmin(box_error(&law, r, w, rho),
                                          box_error(&law, r, w + law.correction * miss, rho))
                                   : 0.0;
        double q = free + shift;
        bool held = (q < 0.0 && law.upper > 0.0) || (q > 0.0 && law.lower < 0.0);
        frame->error += error * error;
        frame->all += q * q;
        frame->pressing += held ? q * q : 0.0;
        frame->presses = frame->presses || held;
        frame->lever += mobility[i];
        frame->r_square += r * r;
        frame->row_count++;
        for (int32_t k = 0; k < 12; k++) {
            int64_t body = joint->body[k / 6];
            frame->impulse[6 * body + k % 6] += r * J[k];
            frame->scale[2 * body + k % 6 / 3] += fabs(r * J[k]);
        }
    }
}

// ---- what is recorded of a joint ----

typedef struct joints_worst {
    check_worst held, rate, start, record, settled;
} joints_worst;

static void check_record_of(check_checking *check, const joint_at *at, int32_t j,
                            joints_worst *worst) {
    static const int flat[3] = {0, 1, 5};
    check_frame *frame = &check->frame;
    const model_joint *joint = at->joint;
    const cn_model *model = check->model;
    int32_t size = model_velocity_size(model->dim);
    double sum[6] = {0.0}, scale[6] = {0.0}, effort = 0.0, J[12], angle[2], apart = 0.0;
    for (int32_t i = 0; i < joint->row_count; i++) {
        double r = frame->rows[joint->row_first + i];
        gauge_of(joint, &at->middle, i, J);
        for (int32_t k = 0; k < size; k++) {
            double part = r * J[6 + (size == 6 ? k : flat[k])];
            sum[k] += part;
            scale[k] += fabs(part);
        }
        effort += joint->row[i].role == JOINT_ROLE_MOTOR ? r / frame->h : 0.0;
    }
    for (int32_t k = 0; k < size; k++) {
        check_worst_add(&worst->record, fabs(sum[k] - frame->joint_impulse[(int64_t)size * j + k]),
                        CHECK_ROUND * (scale[k] + 1.0), j + 1);
    }
    // Outputs of controllers are not in the file.
    if (joint->motor != CN_MOTOR_FORCE || !model->control) {
        effort += check_motor_force(check, joint);
        check_worst_add(&worst->record, fabs(effort - frame->effort[j]),
                        CHECK_ROUND * (fabs(effort) + 1.0), j + 1);
    }
    memcpy(angle, frame->angle + 2 * (int64_t)j, sizeof angle);
    joint_angles(&at->end, angle);
    for (int k = 0; k < 2; k++) {
        apart += fabs(angle[k] - frame->angle[2 * (int64_t)j + k]);
    }
    joint_gauge_of drive = joint_form_of(joint->geometry.kind, model->dim)->drive;
    double value = 0.0, rate = 0.0;
    if (drive != JOINT_GAUGE_NONE) {
        value = joint_gauge(&at->end, drive, J);
        rate = rate_of(check, joint, J, frame->v);
    }
    apart += fabs(value - frame->value[j]);
    check_worst_add(&worst->record, apart, CHECK_ROUND * (1.0 + fabs(value)), j + 1);
    check_worst_add(&worst->record, fabs(rate - frame->rate[j]), CHECK_ROUND * (1.0 + fabs(rate)),
                    j + 1);
}

// A held row at the end of the step, J there: where the scheme goes round until positions hold they
// do, and where it takes out rates across joints there are none.
static void check_held_row(check_checking *check, const model_joint *joint, const double J[12],
                           double end, int32_t j, joints_worst *worst) {
    const cn_model *model = check->model;
    const cn_settings *settings = &model->settings;
    cn_drift drift = settings->joint_drift;
    double rate = fabs(rate_of(check, joint, J, check->frame.v)), size = 0.0;
    for (int side = 0; side < 2; side++) {
        double own[6];
        check_six(model->dim, check_velocity_of(model, check->frame.v, joint->body[side]), own);
        for (int k = 0; k < 6; k++) {
            size += fabs(J[6 * side + k] * own[k]);
        }
    }
    bool exact = !check->stabilised && (drift == CN_DRIFT_ITERATE || drift == CN_DRIFT_GGL ||
                                        drift == CN_DRIFT_PROJECTION);
    check_worst_add(&worst->held, end,
                    exact ? settings->joint_tolerance + JOINT_LEFT * check->frame.h * (1.0 + size)
                          : JOINT_BROKEN,
                    j + 1);
    if (exact && drift != CN_DRIFT_ITERATE) {
        check_worst_add(&worst->rate, rate,
                        JOINT_RATE * settings->joint_tolerance / settings->step + JOINT_LEFT * size,
                        j + 1);
    }
}

static void check_held(check_checking *check, const joint_at *at, int32_t j, joints_worst *worst,
                       double *largest) {
    check_frame *frame = &check->frame;
    const model_joint *joint = at->joint;
    for (int32_t i = 0; i < joint->row_count; i++) {
        double J[12], unused[12], end = gauge_of(joint, &at->end, i, J),
                                  start = gauge_of(joint, &at->start, i, unused),
                                  recorded = frame->gauge_start[joint->row_first + i];
        if (joint->row[i].role == JOINT_ROLE_HELD) {
            *largest = fmax(*largest, fabs(end));
            check_held_row(check, joint, J, fabs(end), j, worst);
        }
        if (!frame->projection && joint->row[i].role != JOINT_ROLE_NONE) {
            check_worst_add(&worst->start, fabs(start - recorded),
                            CHECK_ROUND * (1.0 + fabs(start)), j + 1);
        }
    }
}

// ---- velocities that are projected at the end ----

static void check_settled(check_checking *check, joints_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    int64_t numbers = 6 * (int64_t)model->body_count;
    double *change = frame->settled ? BASE_TAKE_ZERO(check->frame_memory, double, numbers) : NULL;
    for (int32_t j = 0; change && j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        joint_view view;
        look(check, j, frame->end, &view);
        for (int32_t i = 0; i < joint->row_count; i++) {
            double J[12], r = frame->settled[joint->row_first + i];
            gauge_of(joint, &view, i, J);
            if (joint->row[i].role != JOINT_ROLE_HELD) {
                check_worst_add(&worst->settled, fabs(r), 0.0, joint->body[1] + 1);
                continue;
            }
            for (int side = 0; side < 2; side++) {
                double v[6], *own = change + 6 * (int64_t)joint->body[side];
                side_velocity(check, joint, side, frame->end, J, v);
                math_add_scaled3(own, r, v, own);
                math_add_scaled3(own + 3, r, v + 3, own + 3);
            }
        }
    }
    for (int32_t i = 0; change && i < model->body_count; i++) {
        double q[7], v[6], own[6], flown[6], apart = 0.0, scale = 1.0;
        if (!check_is_moved(check, i) || (frame->asleep && frame->asleep[i] == 2)) {
            continue;
        }
        body_rigid rigid = model_body_rigid(model, i);
        rigid_drift(&rigid, check_pose_of(model, frame->middle, i),
                    check_velocity_of(model, frame->v_new, i), check->theta * frame->h, q, v);
        check_six(model->dim, v, flown);
        check_six(model->dim, check_velocity_of(model, frame->v, i), own);
        for (int k = 0; k < 6; k++) {
            apart += fabs(own[k] - flown[k] - change[6 * (int64_t)i + k]);
            scale += fabs(own[k]) + fabs(flown[k]);
        }
        check_worst_add(&worst->settled, apart, CHECK_ROUND * scale, i + 1);
    }
}

// ---- what a joint gave ----

static void add_impulse(double r, const double J[12], double out[6], double *scale) {
    for (int k = 0; k < 6; k++) {
        out[k] += r * J[6 + k];
        *scale += fabs(r * J[6 + k]);
    }
}

void check_joint_wrench(const check_checking *check, int32_t j, double force[3], double torque[3],
                        double *scale) {
    const check_frame *frame = &check->frame;
    const model_joint *joint = &check->model->joint[j];
    double J[12], sum[6] = {0.0}, moment[3];
    joint_view middle, end;
    *scale = 0.0;
    look(check, j, frame->middle, &middle);
    look(check, j, check->frame.end, &end);
    for (int32_t i = 0; i < joint->row_count; i++) {
        gauge_of(joint, &middle, i, J);
        add_impulse(frame->rows[joint->row_first + i], J, sum, scale);
        if (frame->settled) {
            gauge_of(joint, &end, i, J);
            add_impulse(frame->settled[joint->row_first + i], J, sum, scale);
        }
    }
    if (joint->motor == CN_MOTOR_FORCE) {
        joint_gauge(&middle, joint_form_of(joint->geometry.kind, check->model->dim)->drive, J);
        add_impulse(frame->h * frame->effort[j], J, sum, scale);
    }
    math_cross3(middle.arm[1], sum, moment);
    for (int k = 0; k < 3; k++) {
        force[k] = sum[k] / frame->h;
        torque[k] = (sum[3 + k] - moment[k]) / frame->h;
    }
    *scale *= (1.0 + math_norm3(middle.arm[1])) / frame->h;
}

// Poses at the start of the step, by free motion back from q~.
static double *start_poses(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    double *q = BASE_TAKE(check->frame_memory, double,
                          (int64_t)model_pose_size(model->dim) * model->body_count);
    for (int32_t i = 0; q && i < model->body_count; i++) {
        double v[6], back = -(1.0 - check->theta) * frame->h,
                     *before = check_velocity_of(model, frame->v_before, i);
        if (model->body[i].role == MODEL_BODY_FREE) {
            body_rigid rigid = model_body_rigid(model, i);
            rigid_drift(&rigid, check_pose_of(model, frame->middle, i), before, back,
                        check_pose_of(model, q, i), v);
        } else {
            rigid_move(model->dim, check_pose_of(model, frame->middle, i), before, back,
                       check_pose_of(model, q, i));
        }
    }
    return q;
}

void check_joints(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    joints_worst worst = {.held = {.any = false}};
    double largest = 0.0;
    double *start = model->joint_count > 0 ? start_poses(check) : NULL;
    for (int32_t j = 0; start && j < model->joint_count; j++) {
        joint_at at = {.joint = &model->joint[j]};
        look(check, j, start, &at.start);
        look(check, j, frame->middle, &at.middle);
        look(check, j, frame->end, &at.end);
        check_rows_of(check, &at);
        check_record_of(check, &at, j, &worst);
        check_held(check, &at, j, &worst, &largest);
    }
    if (!start) {
        return;
    }
    check_settled(check, &worst);
    bool off = check->has_row && (frame->cut ? check->row.joint_error_max < 0.999 * largest - 1e-12
                                             : !(fabs(check->row.joint_error_max - largest) <=
                                                 1e-12 + CHECK_ROUND * largest));
    if (off) {
        check_find(check, "ledger", frame->step, check->row.joint_error_max, largest,
                   "joint_error_max is not that of the joints");
    }
    check_worst_find(check, CN_CHECK_JOINT, &worst.held, "joint", "it does not hold", "number");
    check_worst_find(check, CN_CHECK_JOINT, &worst.rate, "joint", "its sides part at the end",
                     "number");
    check_worst_find(check, CN_CHECK_KINDS, &worst.start, "joint",
                     "its start is not that of the poses", "number");
    check_worst_find(check, CN_CHECK_KINDS, &worst.record, "joint",
                     "value, rate, angle, impulse or effort do not follow from the rest", "number");
    check_worst_find(check, CN_CHECK_MOTION, &worst.settled, "frame",
                     "the joints did not give it its velocity", "body");
}
