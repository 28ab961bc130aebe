// check/joints.c
// Joints: what they hold at the end of the step, the laws of their limits, motors, friction and
// springs, their impulses on the bodies, and the numbers that are recorded of them. With x the
// gauge of a row, u = J v at q~, u_0 before and u_1 after:
//     limit     0 <= u_1 + max(0, x~ - limit)/h  orthogonal to  r >= 0, on the nearer side
//     motor     u_1, or the gauge, follows the target, |r| <= h most
//     friction  u_1 = 0, |r| <= h friction
//     spring    r = -h (k x_theta + c u_theta)
#include "check/check.h"

#include "base/arena.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CN_JOINT_SOFTNESS 1e-6 // compliance of rows without bounds, over their own W
#define CN_JOINT_BROKEN 1e-2   // [m], [rad] what no run goes on with
// Of the way that the two sides of a row go in the step, and of their rates: what rounds that gain
// nothing any more leave near singular positions.
#define CN_JOINT_LEFT 1e-3
// Of joint_tolerance over the step: rates below are left as they are.
#define CN_JOINT_RATE 0.1

typedef struct cn_joint_at {
    const cn_joint *joint;
    cn_joint_view start, middle, end;
} cn_joint_at;

// A row's law: r in [lower, upper] against u_1 + compliance r + shift.
typedef struct cn_row_law {
    double lower, upper, compliance, shift;
    double correction; // of the shift, for a unit that the gauge misses its linear prediction
    bool checked;      // false: held, or its target is not known
} cn_row_law;

static void cn_look(const cn_checking *check, int32_t j, double *q, cn_joint_view *view) {
    const cn_model *model = check->model;
    const cn_joint *joint = &model->joint[j];
    cn_joint_look(model->dim, &joint->geometry, cn_pose_of(model, q, joint->body[0]),
                  cn_pose_of(model, q, joint->body[1]), check->frame.angle + 2 * (int64_t)j, view);
}

static double cn_gauge_of(const cn_joint *joint, const cn_joint_view *view, int32_t row,
                          double J[12]) {
    double x = cn_joint_gauge(view, joint->row[row].gauge, J);
    bool length =
        joint->row[row].role == CN_ROLE_HELD && joint->row[row].gauge == CN_GAUGE_DISTANCE;
    return length ? x - joint->length : x;
}

// J v.
static double cn_rate_of(const cn_checking *check, const cn_joint *joint, const double J[12],
                         double *v) {
    double first[6], second[6];
    cn_six(check->model->dim, cn_velocity_of(check->model, v, joint->body[0]), first);
    cn_six(check->model->dim, cn_velocity_of(check->model, v, joint->body[1]), second);
    return cn_dot3(J, first) + cn_dot3(J + 3, first + 3) + cn_dot3(J + 6, second) +
           cn_dot3(J + 9, second + 3);
}

// M^-1 J' of one side.
static void cn_side_velocity(const cn_checking *check, const cn_joint *joint, int side, double *q,
                             const double J[12], double out[6]) {
    static const int flat[3] = {0, 1, 5};
    const cn_model *model = check->model;
    int32_t body = joint->body[side], size = cn_velocity_size(model->dim);
    double inverse[36];
    memset(out, 0, 6 * sizeof *out);
    if (!cn_is_moved(check, body)) {
        return;
    }
    cn_rigid rigid = cn_body_rigid(model, body);
    cn_rigid_inverse_mass(&rigid, cn_pose_of(model, q, body), inverse);
    for (int32_t i = 0; i < size; i++) {
        for (int32_t k = 0; k < size; k++) {
            out[size == 6 ? i : flat[i]] +=
                inverse[size * i + k] * J[6 * side + (size == 6 ? k : flat[k])];
        }
    }
}

// W of a row with itself.
static double cn_row_mobility(const cn_checking *check, const cn_joint *joint, const double J[12]) {
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        double v[6];
        cn_side_velocity(check, joint, side, check->frame.middle, J, v);
        sum += cn_dot3(J + 6 * side, v) + cn_dot3(J + 6 * side + 3, v + 3);
    }
    return sum;
}

// ---- laws ----

static void cn_elastic_law(const cn_checking *check, double k, double c, double x, double u0,
                           double rate, cn_row_law *law) {
    double h = check->frame.h, theta = check->theta;
    double D = h * theta * (h * theta * k + c);
    law->compliance = 1.0 / D;
    law->shift = h * (k * x + (1.0 - theta) * (h * theta * k + c) * u0 - c * rate) / D;
    law->correction = h * theta * k / D;
}

static void cn_motor_law(const cn_checking *check, const cn_joint *joint, double start,
                         double middle, double u0, cn_row_law *law) {
    const cn_check_frame *frame = &check->frame;
    double h = frame->h, theta = check->theta, t = frame->start;
    law->upper = h * joint->motor_most;
    law->lower = -law->upper;
    law->checked = !check->model->control;
    if (!law->checked) {
        return; // a controller's output is not in the file
    }
    cn_evaluator *signals = check->signals;
    double before = cn_signal_at(joint->target, signals, t),
           after = cn_signal_at(joint->target, signals, t + h);
    if (joint->motor == CN_MOTOR_VELOCITY) {
        law->shift = -after;
    } else if (joint->motor_stiffness > 0.0 || joint->motor_damping > 0.0) {
        cn_elastic_law(check, joint->motor_stiffness, joint->motor_damping,
                       start - (1.0 - theta) * before - theta * after, u0, (after - before) / h,
                       law);
    } else {
        law->shift = (middle - cn_signal_at(joint->target, signals, t + (2.0 - theta) * h)) / h;
    }
}

static cn_row_law cn_law_of_row(const cn_checking *check, const cn_joint *joint, int32_t row,
                                double start, double middle, double u0) {
    cn_row_law law = {.lower = -HUGE_VAL, .upper = HUGE_VAL, .checked = true};
    double h = check->frame.h, low = middle - joint->limits[0], high = joint->limits[1] - middle;
    switch (joint->row[row].role) {
    case CN_ROLE_HELD:
        law.checked = false;
        break;
    case CN_ROLE_LIMIT:
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
    case CN_ROLE_MOTOR:
        cn_motor_law(check, joint, start, middle, u0, &law);
        break;
    case CN_ROLE_FRICTION:
        law.upper = h * joint->friction;
        law.lower = -law.upper;
        break;
    case CN_ROLE_SPRING:
        cn_elastic_law(check, joint->stiffness, joint->damping, start - joint->rest, u0, 0.0, &law);
        break;
    default:
        law.lower = law.upper = 0.0;
        break;
    }
    return law;
}

// (r - mid(lower, r - rho w, upper)) / rho
static double cn_box_error(const cn_row_law *law, double r, double w, double rho) {
    double z = r - rho * w;
    return fabs(z < law->lower   ? (r - law->lower) / rho
                : z > law->upper ? (r - law->upper) / rho
                                 : w);
}

// The rows of a joint: their impulses on the bodies and, block by block, their part in the
// residual.
static void cn_check_rows_of(cn_checking *check, const cn_joint_at *at) {
    cn_check_frame *frame = &check->frame;
    const cn_joint *joint = at->joint;
    int32_t dim = check->model->dim;
    double mobility[CN_JOINT_ROWS_MOST];
    for (int32_t i = 0; i < joint->row_count; i++) {
        double J[12];
        cn_gauge_of(joint, &at->middle, i, J);
        mobility[i] = cn_row_mobility(check, joint, J);
    }
    for (int32_t i = 0; i < joint->row_count; i++) {
        double J[12], unused[12], block = 0.0, r = frame->rows[joint->row_first + i];
        double middle = cn_gauge_of(joint, &at->middle, i, J),
               start = frame->gauge_start[joint->row_first + i];
        double u0 = cn_rate_of(check, joint, J, frame->v_before),
               u1 = cn_rate_of(check, joint, J, frame->v_new),
               free = cn_rate_of(check, joint, J, frame->v_free);
        cn_row_law law = cn_law_of_row(check, joint, i, start, middle, u0);
        bool soft = isinf(law.lower) && isinf(law.upper) && !(law.compliance > 0.0);
        law.compliance = soft ? CN_JOINT_SOFTNESS * mobility[i] : law.compliance;
        for (int32_t k = 0; k < dim; k++) {
            block += mobility[i - i % dim + k];
        }
        double rho = block + law.compliance > 0.0 ? dim / (block + law.compliance) : 1.0;
        // A held row's shift is whatever its end asks for, which is checked as such.
        double shift = law.checked ? law.shift : -u1;
        double end = cn_gauge_of(joint, &at->end, i, unused);
        double miss = end - start - frame->h * ((1.0 - check->theta) * u0 + check->theta * u1);
        double w = u1 + law.compliance * r + law.shift;
        double error = law.checked ? fmin(cn_box_error(&law, r, w, rho),
                                          cn_box_error(&law, r, w + law.correction * miss, rho))
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

typedef struct cn_joints_worst {
    cn_check_worst held, rate, start, record, settled;
} cn_joints_worst;

static void cn_check_record_of(cn_checking *check, const cn_joint_at *at, int32_t j,
                               cn_joints_worst *worst) {
    static const int flat[3] = {0, 1, 5};
    cn_check_frame *frame = &check->frame;
    const cn_joint *joint = at->joint;
    const cn_model *model = check->model;
    int32_t size = cn_velocity_size(model->dim);
    double sum[6] = {0.0}, scale[6] = {0.0}, effort = 0.0, J[12], angle[2], apart = 0.0;
    for (int32_t i = 0; i < joint->row_count; i++) {
        double r = frame->rows[joint->row_first + i];
        cn_gauge_of(joint, &at->middle, i, J);
        for (int32_t k = 0; k < size; k++) {
            double part = r * J[6 + (size == 6 ? k : flat[k])];
            sum[k] += part;
            scale[k] += fabs(part);
        }
        effort += joint->row[i].role == CN_ROLE_MOTOR ? r / frame->h : 0.0;
    }
    for (int32_t k = 0; k < size; k++) {
        cn_worst_add(&worst->record, fabs(sum[k] - frame->joint_impulse[(int64_t)size * j + k]),
                     CN_CHECK_ROUND * (scale[k] + 1.0), j + 1);
    }
    cn_worst_add(&worst->record, fabs(effort - frame->effort[j]),
                 CN_CHECK_ROUND * (fabs(effort) + 1.0), j + 1);
    memcpy(angle, frame->angle + 2 * (int64_t)j, sizeof angle);
    cn_joint_angles(&at->end, angle);
    for (int k = 0; k < 2; k++) {
        apart += fabs(angle[k] - frame->angle[2 * (int64_t)j + k]);
    }
    cn_gauge drive = cn_joint_form_of(joint->geometry.kind, model->dim)->drive;
    double value = 0.0, rate = 0.0;
    if (drive != CN_GAUGE_NONE) {
        value = cn_joint_gauge(&at->end, drive, J);
        rate = cn_rate_of(check, joint, J, frame->v);
    }
    apart += fabs(value - frame->value[j]);
    cn_worst_add(&worst->record, apart, CN_CHECK_ROUND * (1.0 + fabs(value)), j + 1);
    cn_worst_add(&worst->record, fabs(rate - frame->rate[j]), CN_CHECK_ROUND * (1.0 + fabs(rate)),
                 j + 1);
}

// A held row at the end of the step, J there: where the scheme goes round until positions hold they
// do, and where it takes out rates across joints there are none.
static void cn_check_held_row(cn_checking *check, const cn_joint *joint, const double J[12],
                              double end, int32_t j, cn_joints_worst *worst) {
    const cn_model *model = check->model;
    const cn_settings *settings = &model->settings;
    cn_drift drift = settings->joint_drift;
    double rate = fabs(cn_rate_of(check, joint, J, check->frame.v)), size = 0.0;
    for (int side = 0; side < 2; side++) {
        double own[6];
        cn_six(model->dim, cn_velocity_of(model, check->frame.v, joint->body[side]), own);
        for (int k = 0; k < 6; k++) {
            size += fabs(J[6 * side + k] * own[k]);
        }
    }
    bool exact = !check->stabilised && (drift == CN_DRIFT_ITERATE || drift == CN_DRIFT_GGL ||
                                        drift == CN_DRIFT_PROJECTION);
    cn_worst_add(&worst->held, end,
                 exact ? settings->joint_tolerance + CN_JOINT_LEFT * check->frame.h * (1.0 + size)
                       : CN_JOINT_BROKEN,
                 j + 1);
    if (exact && drift != CN_DRIFT_ITERATE) {
        cn_worst_add(&worst->rate, rate,
                     CN_JOINT_RATE * settings->joint_tolerance / settings->step +
                         CN_JOINT_LEFT * size,
                     j + 1);
    }
}

static void cn_check_held(cn_checking *check, const cn_joint_at *at, int32_t j,
                          cn_joints_worst *worst, double *largest) {
    cn_check_frame *frame = &check->frame;
    const cn_joint *joint = at->joint;
    for (int32_t i = 0; i < joint->row_count; i++) {
        double J[12], unused[12], end = cn_gauge_of(joint, &at->end, i, J),
                                  start = cn_gauge_of(joint, &at->start, i, unused),
                                  recorded = frame->gauge_start[joint->row_first + i];
        if (joint->row[i].role == CN_ROLE_HELD) {
            *largest = fmax(*largest, fabs(end));
            cn_check_held_row(check, joint, J, fabs(end), j, worst);
        }
        if (!frame->projection && joint->row[i].role != CN_ROLE_NONE) {
            cn_worst_add(&worst->start, fabs(start - recorded),
                         CN_CHECK_ROUND * (1.0 + fabs(start)), j + 1);
        }
    }
}

// ---- velocities that are projected at the end ----

static void cn_check_settled(cn_checking *check, cn_joints_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    int64_t numbers = 6 * (int64_t)model->body_count;
    double *change = frame->settled ? CN_TAKE_ZERO(check->frame_memory, double, numbers) : NULL;
    for (int32_t j = 0; change && j < model->joint_count; j++) {
        const cn_joint *joint = &model->joint[j];
        cn_joint_view view;
        cn_look(check, j, frame->end, &view);
        for (int32_t i = 0; i < joint->row_count; i++) {
            double J[12], r = frame->settled[joint->row_first + i];
            cn_gauge_of(joint, &view, i, J);
            if (joint->row[i].role != CN_ROLE_HELD) {
                cn_worst_add(&worst->settled, fabs(r), 0.0, joint->body[1] + 1);
                continue;
            }
            for (int side = 0; side < 2; side++) {
                double v[6], *own = change + 6 * (int64_t)joint->body[side];
                cn_side_velocity(check, joint, side, frame->end, J, v);
                cn_add_scaled3(own, r, v, own);
                cn_add_scaled3(own + 3, r, v + 3, own + 3);
            }
        }
    }
    for (int32_t i = 0; change && i < model->body_count; i++) {
        double q[7], v[6], own[6], flown[6], apart = 0.0, scale = 1.0;
        if (!cn_is_moved(check, i) || (frame->asleep && frame->asleep[i] == 2)) {
            continue;
        }
        cn_rigid rigid = cn_body_rigid(model, i);
        cn_rigid_drift(&rigid, cn_pose_of(model, frame->middle, i),
                       cn_velocity_of(model, frame->v_new, i), check->theta * frame->h, q, v);
        cn_six(model->dim, v, flown);
        cn_six(model->dim, cn_velocity_of(model, frame->v, i), own);
        for (int k = 0; k < 6; k++) {
            apart += fabs(own[k] - flown[k] - change[6 * (int64_t)i + k]);
            scale += fabs(own[k]) + fabs(flown[k]);
        }
        cn_worst_add(&worst->settled, apart, CN_CHECK_ROUND * scale, i + 1);
    }
}

// Poses at the start of the step, by free motion back from q~.
static double *cn_start_poses(cn_checking *check) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    double *q =
        CN_TAKE(check->frame_memory, double, (int64_t)cn_pose_size(model->dim) * model->body_count);
    for (int32_t i = 0; q && i < model->body_count; i++) {
        double v[6], back = -(1.0 - check->theta) * frame->h,
                     *before = cn_velocity_of(model, frame->v_before, i);
        if (model->body[i].role == CN_BODY_FREE) {
            cn_rigid rigid = cn_body_rigid(model, i);
            cn_rigid_drift(&rigid, cn_pose_of(model, frame->middle, i), before, back,
                           cn_pose_of(model, q, i), v);
        } else {
            cn_rigid_move(model->dim, cn_pose_of(model, frame->middle, i), before, back,
                          cn_pose_of(model, q, i));
        }
    }
    return q;
}

void cn_check_joints(cn_checking *check) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    cn_joints_worst worst = {.held = {.any = false}};
    double largest = 0.0;
    double *start = model->joint_count > 0 ? cn_start_poses(check) : NULL;
    for (int32_t j = 0; start && j < model->joint_count; j++) {
        cn_joint_at at = {.joint = &model->joint[j]};
        cn_look(check, j, start, &at.start);
        cn_look(check, j, frame->middle, &at.middle);
        cn_look(check, j, frame->end, &at.end);
        cn_check_rows_of(check, &at);
        cn_check_record_of(check, &at, j, &worst);
        cn_check_held(check, &at, j, &worst, &largest);
    }
    if (!start) {
        return;
    }
    cn_check_settled(check, &worst);
    bool off = check->has_row && (frame->cut ? check->row.joint_error_max < 0.999 * largest - 1e-12
                                             : !(fabs(check->row.joint_error_max - largest) <=
                                                 1e-12 + CN_CHECK_ROUND * largest));
    if (off) {
        cn_check_find(check, "ledger", frame->step, check->row.joint_error_max, largest,
                      "joint_error_max is not that of the joints");
    }
    cn_worst_find(check, CN_CHECK_JOINT, &worst.held, "joint", "it does not hold", "number");
    cn_worst_find(check, CN_CHECK_JOINT, &worst.rate, "joint", "its sides part at the end",
                  "number");
    cn_worst_find(check, CN_CHECK_KINDS, &worst.start, "joint",
                  "its start is not that of the poses", "number");
    cn_worst_find(check, CN_CHECK_KINDS, &worst.record, "joint",
                  "value, rate, angle, impulse or effort do not follow from the rest", "number");
    cn_worst_find(check, CN_CHECK_MOTION, &worst.settled, "frame",
                  "the joints did not give it its velocity", "body");
}
