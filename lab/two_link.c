// lab/two_link.c
// The arm of two_link.h. With X the tip, J its Jacobian, D = 1/J and the desired motion X_d of the
// phase, the law is
//     a = X_d' - g2 (X - X_d),  b = X_d'' - g2 (X' - X_d'),  s = X' - a
//     u = M (D b + D' a) + C D a - g1 J' s
// and while impacts accumulate s_y is that of a target below the ground. On the ground a term with
// the last impulse is added. References: Brogliato, Niculescu and Orhant, IEEE Transactions on
// Automatic Control 42, 1997; Morarescu and Brogliato, the same 55, 2010.
#include "lab/two_link.h"

#include <math.h>
#include <string.h>

#define ARM_LENGTH 0.5
#define ARM_MASS 1.0
#define ARM_INERTIA 1.0
#define ARM_PERIOD 10.0
#define ARM_CENTRE 0.65
#define ARM_RADIUS 0.1
#define ARM_FORCE_GAIN 0.5
#define ARM_TURN 0.4    // delta: time to turn back
#define ARM_DESCENT 1.0 // Delta
#define ARM_DEPTH 100.0 // alpha: depth of the target below the ground over sqrt(V1)
#define ARM_EPSILON 0.1 // duration of the take-off
#define ARM_PI 3.14159265358979323846

static const double arm_omega = 2.0 * ARM_PI / ARM_PERIOD;

// The arm at an instant.
typedef struct arm_state {
    double x, y, x_rate, y_rate;
    double J[4], D[4], D_rate[4], M[4], C[4]; // by rows
    double kappa;
} arm_state;

// Desired position, velocity, acceleration: x, then y.
typedef struct arm_target {
    double at[2], rate[2], rate2[2];
} arm_target;

static void matrix_times(const double A[4], const double x[2], double out[2]) {
    double first = A[0] * x[0] + A[1] * x[1];
    out[1] = A[2] * x[0] + A[3] * x[1];
    out[0] = first;
}

static void product(const double A[4], const double B[4], double out[4]) {
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t j = 0; j < 2; j++) {
            out[2 * i + j] = A[2 * i] * B[j] + A[2 * i + 1] * B[2 + j];
        }
    }
}

static void arm_mass(void *user, const double *q, double *M) {
    (void)user;
    double l = ARM_LENGTH, m = ARM_MASS, I = ARM_INERTIA, c = cos(q[1]);
    M[0] = m * l * l / 4 + I + I + m * (l * l + l * l / 4 + l * l * c);
    M[1] = M[2] = I + m * l * l / 4 + m * l * l * c / 2;
    M[3] = I + m * l * l / 4;
}

void two_link_tip(const double *q, double *x, double *y) {
    *x = ARM_LENGTH * (cos(q[0]) + cos(q[0] + q[1]));
    *y = ARM_LENGTH * (sin(q[0]) + sin(q[0] + q[1]));
}

static void arm_observe(const double *q, const double *v, arm_state *s) {
    double l = ARM_LENGTH, c12 = l * cos(q[0] + q[1]), s12 = l * sin(q[0] + q[1]);
    double turn = v[0] + v[1];
    s->x = l * cos(q[0]) + c12;
    s->y = l * sin(q[0]) + s12;
    double J[4] = {-s->y, -s12, s->x, c12};
    s->x_rate = J[0] * v[0] + J[1] * v[1];
    s->y_rate = J[2] * v[0] + J[3] * v[1];
    double J_rate[4] = {-s->y_rate, -c12 * turn, s->x_rate, -s12 * turn};
    double determinant = J[0] * J[3] - J[1] * J[2], part[4];
    double D[4] = {J[3] / determinant, -J[1] / determinant, -J[2] / determinant,
                   J[0] / determinant};
    memcpy(s->J, J, sizeof J);
    memcpy(s->D, D, sizeof D);
    product(D, J_rate, part);
    product(part, D, s->D_rate);
    for (int32_t i = 0; i < 4; i++) {
        s->D_rate[i] = -s->D_rate[i];
    }
    arm_mass(NULL, q, s->M);
    s->kappa = ARM_MASS * l * l * sin(q[1]);
    s->C[0] = -s->kappa * v[1];
    s->C[1] = -s->kappa * v[1] / 2;
    s->C[2] = s->kappa * v[0] / 2;
    s->C[3] = 0.0;
}

// ---- desired motions ----

// One coordinate of the circle at the virtual time psi, with its derivatives.
static void on_circle(int32_t axis, double psi, double rate, double rate2, arm_target *out) {
    double w = arm_omega, sine = sin(w * psi), cosine = cos(w * psi);
    double value = axis == 0 ? cosine : sine, slope = axis == 0 ? -sine : cosine;
    out->at[axis] = ARM_RADIUS * value + (axis == 0 ? ARM_CENTRE : 0.0);
    out->rate[axis] = ARM_RADIUS * w * slope * rate;
    out->rate2[axis] = ARM_RADIUS * (w * slope * rate2 - w * w * value * rate * rate);
}

// From start to end as sigma goes from 0 to 1, at rest at both.
static void on_cubic(int32_t axis, double start, double end, double sigma, double duration,
                     arm_target *out) {
    double d = start - end;
    out->at[axis] = 2 * d * sigma * sigma * sigma - 3 * d * sigma * sigma + start;
    out->rate[axis] = (6 * d * sigma * sigma - 6 * d * sigma) / duration;
    out->rate2[axis] = (12 * d * sigma - 6 * d) / (duration * duration);
}

static void target_approach(const two_link *arm, double t, arm_target *out) {
    double turn = ARM_TURN, t2 = t - arm->entered;
    if (t2 < turn) {
        double psi = arm->entered + t2 * (t2 - turn) * (t2 - turn) / (turn * turn);
        double rate = (t2 - turn) * (3 * t2 - turn) / (turn * turn);
        double rate2 = (6 * t2 - 4 * turn) / (turn * turn);
        on_circle(0, psi, rate, rate2, out);
        on_circle(1, psi, rate, rate2, out);
        return;
    }
    double height = ARM_RADIUS * sin(arm_omega * arm->entered);
    out->at[0] = arm->x_held;
    on_cubic(1, height, -ARM_DEPTH * sqrt(arm->storage), (t2 - turn) / ARM_DESCENT, ARM_DESCENT,
             out);
}

// The end of the period in which t lies.
static double period_end(double t) {
    return (floor(t / ARM_PERIOD) + 1.0) * ARM_PERIOD;
}

static void target_take_off(const two_link *arm, double t, arm_target *out) {
    double start = ARM_PERIOD * floor(arm->entered / ARM_PERIOD), T = t - start;
    double e = ARM_EPSILON;
    double b = arm->beta * e * ARM_PERIOD / (4 * ARM_RADIUS * ARM_PI);
    double bend = ARM_PI / 2 - b;
    double A = b * T / e + bend * (T / e) * (T / e), A1 = b / e + 2 * bend * T / (e * e);
    double A2 = 2 * bend / (e * e);
    double psi = start + T * sin(A), rate = sin(A) + T * cos(A) * A1;
    double rate2 = 2 * cos(A) * A1 + T * (cos(A) * A2 - sin(A) * A1 * A1);
    on_circle(0, t, 1.0, 0.0, out);
    on_circle(1, psi, rate, rate2, out);
}

static void arm_aim(const two_link *arm, double t, arm_target *out) {
    *out = (arm_target){.at = {arm->x_held, 0.0}};
    switch (arm->phase) {
    case ARM_FREE:
        on_circle(0, t, 1.0, 0.0, out);
        on_circle(1, t, 1.0, 0.0, out);
        break;
    case ARM_APPROACH:
        target_approach(arm, t, out);
        break;
    case ARM_CONSTRAINED: {
        double duration = period_end(t) - arm->entered;
        on_cubic(0, arm->x_held, ARM_CENTRE + ARM_RADIUS, (t - arm->entered) / duration, duration,
                 out);
        break;
    }
    case ARM_TAKE_OFF:
        target_take_off(arm, t, out);
        break;
    case ARM_IMPACTS:
        break;
    }
}

// ---- the law ----

static void arm_references(const two_link *arm, const arm_state *s, const arm_target *aim,
                           double a[2], double b[2], double slip[2]) {
    double at[2] = {s->x, s->y}, rate[2] = {s->x_rate, s->y_rate};
    for (int32_t i = 0; i < 2; i++) {
        a[i] = aim->rate[i] - arm->gamma[1] * (at[i] - aim->at[i]);
        b[i] = aim->rate2[i] - arm->gamma[1] * (rate[i] - aim->rate[i]);
        slip[i] = rate[i] - a[i];
    }
}

// Desired contact force on the ground; *n22 is N_22 of its condition.
static double arm_press(const two_link *arm, double t, const arm_state *s, const double *v,
                        double slip_x, double *n22) {
    double N[4], A[4], kappa = s->kappa * v[0];
    product(s->M, s->D, N);
    product(s->M, s->D_rate, A);
    double ratio = N[2] / N[0];
    double first = kappa * (s->D[1] - s->D[3] / 2) - A[2];
    double second = kappa * (s->D[0] - s->D[2] / 2) - A[0];
    *n22 = N[3];
    return (first - ratio * second) * slip_x - arm->gamma[0] * ratio * slip_x +
           (period_end(t) - t) * (1.0 + ARM_FORCE_GAIN);
}

static void arm_force(void *user, double t, const double *q, const double *v, double *F) {
    const two_link *arm = user;
    arm_state s;
    arm_target aim;
    double a[2], b[2], slip[2], Da[2], Db[2], DRa[2], part[2], coriolis[2];
    arm_observe(q, v, &s);
    arm_aim(arm, t, &aim);
    arm_references(arm, &s, &aim, a, b, slip);
    matrix_times(s.D, a, Da);
    matrix_times(s.D, b, Db);
    matrix_times(s.D_rate, a, DRa);
    double wanted[2] = {Db[0] + DRa[0], Db[1] + DRa[1]};
    matrix_times(s.M, wanted, F);
    matrix_times(s.C, Da, part);
    matrix_times(s.C, v, coriolis);
    double slip_x = slip[0], slip_y = slip[1];
    if (arm->phase == ARM_IMPACTS) {
        slip_y = s.y_rate + arm->gamma[1] * (s.y + ARM_DEPTH * sqrt(arm->storage));
    }
    double press = 0.0, unused;
    if (arm->phase == ARM_CONSTRAINED) {
        press = ARM_FORCE_GAIN * arm->impulse - arm_press(arm, t, &s, v, slip_x, &unused);
    }
    for (int32_t i = 0; i < 2; i++) {
        F[i] += part[i] - coriolis[i] - arm->gamma[0] * (s.J[i] * slip_x + s.J[2 + i] * slip_y) +
                press * s.J[2 + i];
    }
}

static void arm_gap(void *user, double t, const double *q, double *g) {
    double x;
    (void)user;
    (void)t;
    two_link_tip(q, &x, g);
}

static void arm_rows(void *user, double t, const double *q, double *normal, double *tangent,
                     double *normal_rate, double *tangent_rate) {
    double y;
    (void)user;
    (void)t;
    (void)tangent;
    (void)normal_rate;
    (void)tangent_rate;
    two_link_tip(q, &normal[0], &y);
    normal[1] = ARM_LENGTH * cos(q[0] + q[1]);
}

two_link two_link_start(double gamma1, double gamma2, double restitution) {
    return (two_link){.gamma = {gamma1, gamma2}, .restitution = restitution, .beta = 5.0};
}

cn_lagrangian two_link_system(two_link *arm) {
    static const double start[2] = {0.9, -1.6};
    static const cn_lagrangian_contact ground = {.name = "ground"};
    cn_lagrangian def = cn_lagrangian_default(2);
    def.name = "two-link arm";
    def.q = start;
    def.user = arm;
    def.mass = arm_mass;
    def.force = arm_force;
    def.contacts = 1;
    def.contact = &ground;
    def.gap = arm_gap;
    def.contact_rows = arm_rows;
    return def;
}

// ---- phases ----

// V1 = s' D' M D s / 2 along the circle.
static double arm_storage(const two_link *arm, double t, const double *q, const double *v) {
    arm_state s;
    arm_target aim;
    double a[2], b[2], slip[2], Ds[2], MDs[2];
    arm_observe(q, v, &s);
    arm_aim(arm, t, &aim);
    arm_references(arm, &s, &aim, a, b, slip);
    matrix_times(s.D, slip, Ds);
    matrix_times(s.M, Ds, MDs);
    return 0.5 * (Ds[0] * MDs[0] + Ds[1] * MDs[1]);
}

static void arm_store_beta(two_link *arm, double t, const double *q, const double *v) {
    arm_state s;
    arm_target aim;
    double a[2], b[2], slip[2], n22;
    arm_observe(q, v, &s);
    arm_aim(arm, t, &aim);
    arm_references(arm, &s, &aim, a, b, slip);
    double press = arm_press(arm, t, &s, v, slip[0], &n22);
    arm->beta = 5.0 + fmax(0.0, -n22 * press);
}

void two_link_switch(two_link *arm, double t, double h, const double *q_before, const double *q,
                     const double *v, double p) {
    double x, y, last = arm->impulse;
    two_link_tip(q_before, &x, &y);
    arm->impulse = p;
    if (arm->phase == ARM_FREE && y <= 0.01 && x < 0.6) {
        arm->storage = arm_storage(arm, t, q, v);
        arm->entered = t;
        arm->x_held = ARM_CENTRE + ARM_RADIUS * cos(arm_omega * t);
        arm->phase = ARM_APPROACH;
    } else if (arm->phase == ARM_APPROACH && p > 0.0) {
        arm->phase = ARM_IMPACTS;
        arm->t_impact = t;
        arm->p_impact = p;
        arm->count = 1;
    } else if (arm->phase == ARM_IMPACTS && p > 0.0) {
        arm->count++;
        if (last > 0.0) {
            arm->phase = ARM_CONSTRAINED;
            arm->entered = arm->t_settled = t;
        }
    } else if (arm->phase == ARM_CONSTRAINED) {
        arm_store_beta(arm, t, q, v);
        if (floor((t + h) / ARM_PERIOD) > floor(t / ARM_PERIOD)) {
            arm->phase = ARM_TAKE_OFF;
            arm->entered = t + h;
        }
    } else if (arm->phase == ARM_TAKE_OFF &&
               t - ARM_PERIOD * floor(arm->entered / ARM_PERIOD) >= ARM_EPSILON) {
        arm->phase = ARM_FREE;
    }
}
