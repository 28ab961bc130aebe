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

#define CN_ARM_LENGTH 0.5
#define CN_ARM_MASS 1.0
#define CN_ARM_INERTIA 1.0
#define CN_ARM_PERIOD 10.0
#define CN_ARM_CENTRE 0.65
#define CN_ARM_RADIUS 0.1
#define CN_ARM_FORCE_GAIN 0.5
#define CN_ARM_TURN 0.4    // delta: time to turn back
#define CN_ARM_DESCENT 1.0 // Delta
#define CN_ARM_DEPTH 100.0 // alpha: depth of the target below the ground over sqrt(V1)
#define CN_ARM_EPSILON 0.1 // duration of the take-off
#define CN_ARM_PI 3.14159265358979323846

static const double cn_arm_omega = 2.0 * CN_ARM_PI / CN_ARM_PERIOD;

// The arm at an instant.
typedef struct cn_arm_state {
    double x, y, x_rate, y_rate;
    double J[4], D[4], D_rate[4], M[4], C[4]; // by rows
    double kappa;
} cn_arm_state;

// Desired position, velocity, acceleration: x, then y.
typedef struct cn_arm_target {
    double at[2], rate[2], rate2[2];
} cn_arm_target;

static void cn_times(const double A[4], const double x[2], double out[2]) {
    double first = A[0] * x[0] + A[1] * x[1];
    out[1] = A[2] * x[0] + A[3] * x[1];
    out[0] = first;
}

static void cn_product(const double A[4], const double B[4], double out[4]) {
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t j = 0; j < 2; j++) {
            out[2 * i + j] = A[2 * i] * B[j] + A[2 * i + 1] * B[2 + j];
        }
    }
}

static void cn_arm_mass(void *user, const double *q, double *M) {
    (void)user;
    double l = CN_ARM_LENGTH, m = CN_ARM_MASS, I = CN_ARM_INERTIA, c = cos(q[1]);
    M[0] = m * l * l / 4 + I + I + m * (l * l + l * l / 4 + l * l * c);
    M[1] = M[2] = I + m * l * l / 4 + m * l * l * c / 2;
    M[3] = I + m * l * l / 4;
}

void cn_two_link_tip(const double *q, double *x, double *y) {
    *x = CN_ARM_LENGTH * (cos(q[0]) + cos(q[0] + q[1]));
    *y = CN_ARM_LENGTH * (sin(q[0]) + sin(q[0] + q[1]));
}

static void cn_arm_look(const double *q, const double *v, cn_arm_state *s) {
    double l = CN_ARM_LENGTH, c12 = l * cos(q[0] + q[1]), s12 = l * sin(q[0] + q[1]);
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
    cn_product(D, J_rate, part);
    cn_product(part, D, s->D_rate);
    for (int32_t i = 0; i < 4; i++) {
        s->D_rate[i] = -s->D_rate[i];
    }
    cn_arm_mass(NULL, q, s->M);
    s->kappa = CN_ARM_MASS * l * l * sin(q[1]);
    s->C[0] = -s->kappa * v[1];
    s->C[1] = -s->kappa * v[1] / 2;
    s->C[2] = s->kappa * v[0] / 2;
    s->C[3] = 0.0;
}

// ---- desired motions ----

// One coordinate of the circle at the virtual time psi, with its derivatives.
static void cn_on_circle(int32_t axis, double psi, double rate, double rate2, cn_arm_target *out) {
    double w = cn_arm_omega, sine = sin(w * psi), cosine = cos(w * psi);
    double value = axis == 0 ? cosine : sine, slope = axis == 0 ? -sine : cosine;
    out->at[axis] = CN_ARM_RADIUS * value + (axis == 0 ? CN_ARM_CENTRE : 0.0);
    out->rate[axis] = CN_ARM_RADIUS * w * slope * rate;
    out->rate2[axis] = CN_ARM_RADIUS * (w * slope * rate2 - w * w * value * rate * rate);
}

// From start to end as sigma goes from 0 to 1, at rest at both.
static void cn_on_cubic(int32_t axis, double start, double end, double sigma, double duration,
                        cn_arm_target *out) {
    double d = start - end;
    out->at[axis] = 2 * d * sigma * sigma * sigma - 3 * d * sigma * sigma + start;
    out->rate[axis] = (6 * d * sigma * sigma - 6 * d * sigma) / duration;
    out->rate2[axis] = (12 * d * sigma - 6 * d) / (duration * duration);
}

static void cn_target_approach(const cn_two_link *arm, double t, cn_arm_target *out) {
    double turn = CN_ARM_TURN, t2 = t - arm->entered;
    if (t2 < turn) {
        double psi = arm->entered + t2 * (t2 - turn) * (t2 - turn) / (turn * turn);
        double rate = (t2 - turn) * (3 * t2 - turn) / (turn * turn);
        double rate2 = (6 * t2 - 4 * turn) / (turn * turn);
        cn_on_circle(0, psi, rate, rate2, out);
        cn_on_circle(1, psi, rate, rate2, out);
        return;
    }
    double height = CN_ARM_RADIUS * sin(cn_arm_omega * arm->entered);
    out->at[0] = arm->x_held;
    cn_on_cubic(1, height, -CN_ARM_DEPTH * sqrt(arm->storage), (t2 - turn) / CN_ARM_DESCENT,
                CN_ARM_DESCENT, out);
}

// The end of the period in which t lies.
static double cn_period_end(double t) {
    return (floor(t / CN_ARM_PERIOD) + 1.0) * CN_ARM_PERIOD;
}

static void cn_target_take_off(const cn_two_link *arm, double t, cn_arm_target *out) {
    double start = CN_ARM_PERIOD * floor(arm->entered / CN_ARM_PERIOD), T = t - start;
    double e = CN_ARM_EPSILON;
    double b = arm->beta * e * CN_ARM_PERIOD / (4 * CN_ARM_RADIUS * CN_ARM_PI);
    double bend = CN_ARM_PI / 2 - b;
    double A = b * T / e + bend * (T / e) * (T / e), A1 = b / e + 2 * bend * T / (e * e);
    double A2 = 2 * bend / (e * e);
    double psi = start + T * sin(A), rate = sin(A) + T * cos(A) * A1;
    double rate2 = 2 * cos(A) * A1 + T * (cos(A) * A2 - sin(A) * A1 * A1);
    cn_on_circle(0, t, 1.0, 0.0, out);
    cn_on_circle(1, psi, rate, rate2, out);
}

static void cn_arm_aim(const cn_two_link *arm, double t, cn_arm_target *out) {
    *out = (cn_arm_target){.at = {arm->x_held, 0.0}};
    switch (arm->phase) {
    case CN_ARM_FREE:
        cn_on_circle(0, t, 1.0, 0.0, out);
        cn_on_circle(1, t, 1.0, 0.0, out);
        break;
    case CN_ARM_APPROACH:
        cn_target_approach(arm, t, out);
        break;
    case CN_ARM_CONSTRAINED: {
        double duration = cn_period_end(t) - arm->entered;
        cn_on_cubic(0, arm->x_held, CN_ARM_CENTRE + CN_ARM_RADIUS, (t - arm->entered) / duration,
                    duration, out);
        break;
    }
    case CN_ARM_TAKE_OFF:
        cn_target_take_off(arm, t, out);
        break;
    case CN_ARM_IMPACTS:
        break;
    }
}

// ---- the law ----

static void cn_arm_references(const cn_two_link *arm, const cn_arm_state *s,
                              const cn_arm_target *aim, double a[2], double b[2], double slip[2]) {
    double at[2] = {s->x, s->y}, rate[2] = {s->x_rate, s->y_rate};
    for (int32_t i = 0; i < 2; i++) {
        a[i] = aim->rate[i] - arm->gamma[1] * (at[i] - aim->at[i]);
        b[i] = aim->rate2[i] - arm->gamma[1] * (rate[i] - aim->rate[i]);
        slip[i] = rate[i] - a[i];
    }
}

// Desired contact force on the ground; *n22 is N_22 of its condition.
static double cn_arm_press(const cn_two_link *arm, double t, const cn_arm_state *s, const double *v,
                           double slip_x, double *n22) {
    double N[4], A[4], kappa = s->kappa * v[0];
    cn_product(s->M, s->D, N);
    cn_product(s->M, s->D_rate, A);
    double ratio = N[2] / N[0];
    double first = kappa * (s->D[1] - s->D[3] / 2) - A[2];
    double second = kappa * (s->D[0] - s->D[2] / 2) - A[0];
    *n22 = N[3];
    return (first - ratio * second) * slip_x - arm->gamma[0] * ratio * slip_x +
           (cn_period_end(t) - t) * (1.0 + CN_ARM_FORCE_GAIN);
}

static void cn_arm_force(void *user, double t, const double *q, const double *v, double *F) {
    const cn_two_link *arm = user;
    cn_arm_state s;
    cn_arm_target aim;
    double a[2], b[2], slip[2], Da[2], Db[2], DRa[2], part[2], coriolis[2];
    cn_arm_look(q, v, &s);
    cn_arm_aim(arm, t, &aim);
    cn_arm_references(arm, &s, &aim, a, b, slip);
    cn_times(s.D, a, Da);
    cn_times(s.D, b, Db);
    cn_times(s.D_rate, a, DRa);
    double wanted[2] = {Db[0] + DRa[0], Db[1] + DRa[1]};
    cn_times(s.M, wanted, F);
    cn_times(s.C, Da, part);
    cn_times(s.C, v, coriolis);
    double slip_x = slip[0], slip_y = slip[1];
    if (arm->phase == CN_ARM_IMPACTS) {
        slip_y = s.y_rate + arm->gamma[1] * (s.y + CN_ARM_DEPTH * sqrt(arm->storage));
    }
    double press = 0.0, unused;
    if (arm->phase == CN_ARM_CONSTRAINED) {
        press = CN_ARM_FORCE_GAIN * arm->impulse - cn_arm_press(arm, t, &s, v, slip_x, &unused);
    }
    for (int32_t i = 0; i < 2; i++) {
        F[i] += part[i] - coriolis[i] - arm->gamma[0] * (s.J[i] * slip_x + s.J[2 + i] * slip_y) +
                press * s.J[2 + i];
    }
}

static void cn_arm_gap(void *user, double t, const double *q, double *g) {
    double x;
    (void)user;
    (void)t;
    cn_two_link_tip(q, &x, g);
}

static void cn_arm_rows(void *user, double t, const double *q, double *normal, double *tangent,
                        double *normal_rate, double *tangent_rate) {
    double y;
    (void)user;
    (void)t;
    (void)tangent;
    (void)normal_rate;
    (void)tangent_rate;
    cn_two_link_tip(q, &normal[0], &y);
    normal[1] = CN_ARM_LENGTH * cos(q[0] + q[1]);
}

cn_two_link cn_two_link_start(double gamma1, double gamma2, double restitution) {
    return (cn_two_link){.gamma = {gamma1, gamma2}, .restitution = restitution, .beta = 5.0};
}

cn_lagrangian cn_two_link_system(cn_two_link *arm) {
    static const double start[2] = {0.9, -1.6};
    static const cn_lagrangian_contact ground = {.name = "ground"};
    cn_lagrangian def = cn_lagrangian_default(2);
    def.name = "two-link arm";
    def.q = start;
    def.user = arm;
    def.mass = cn_arm_mass;
    def.force = cn_arm_force;
    def.contacts = 1;
    def.contact = &ground;
    def.gap = cn_arm_gap;
    def.contact_rows = cn_arm_rows;
    return def;
}

// ---- phases ----

// V1 = s' D' M D s / 2 along the circle.
static double cn_arm_storage(const cn_two_link *arm, double t, const double *q, const double *v) {
    cn_arm_state s;
    cn_arm_target aim;
    double a[2], b[2], slip[2], Ds[2], MDs[2];
    cn_arm_look(q, v, &s);
    cn_arm_aim(arm, t, &aim);
    cn_arm_references(arm, &s, &aim, a, b, slip);
    cn_times(s.D, slip, Ds);
    cn_times(s.M, Ds, MDs);
    return 0.5 * (Ds[0] * MDs[0] + Ds[1] * MDs[1]);
}

static void cn_arm_keep_beta(cn_two_link *arm, double t, const double *q, const double *v) {
    cn_arm_state s;
    cn_arm_target aim;
    double a[2], b[2], slip[2], n22;
    cn_arm_look(q, v, &s);
    cn_arm_aim(arm, t, &aim);
    cn_arm_references(arm, &s, &aim, a, b, slip);
    double press = cn_arm_press(arm, t, &s, v, slip[0], &n22);
    arm->beta = 5.0 + fmax(0.0, -n22 * press);
}

void cn_two_link_switch(cn_two_link *arm, double t, double h, const double *q_before,
                        const double *q, const double *v, double p) {
    double x, y, last = arm->impulse;
    cn_two_link_tip(q_before, &x, &y);
    arm->impulse = p;
    if (arm->phase == CN_ARM_FREE && y <= 0.01 && x < 0.6) {
        arm->storage = cn_arm_storage(arm, t, q, v);
        arm->entered = t;
        arm->x_held = CN_ARM_CENTRE + CN_ARM_RADIUS * cos(cn_arm_omega * t);
        arm->phase = CN_ARM_APPROACH;
    } else if (arm->phase == CN_ARM_APPROACH && p > 0.0) {
        arm->phase = CN_ARM_IMPACTS;
        arm->t_impact = t;
        arm->p_impact = p;
        arm->count = 1;
    } else if (arm->phase == CN_ARM_IMPACTS && p > 0.0) {
        arm->count++;
        if (last > 0.0) {
            arm->phase = CN_ARM_CONSTRAINED;
            arm->entered = arm->t_settled = t;
        }
    } else if (arm->phase == CN_ARM_CONSTRAINED) {
        cn_arm_keep_beta(arm, t, q, v);
        if (floor((t + h) / CN_ARM_PERIOD) > floor(t / CN_ARM_PERIOD)) {
            arm->phase = CN_ARM_TAKE_OFF;
            arm->entered = t + h;
        }
    } else if (arm->phase == CN_ARM_TAKE_OFF &&
               t - CN_ARM_PERIOD * floor(arm->entered / CN_ARM_PERIOD) >= CN_ARM_EPSILON) {
        arm->phase = CN_ARM_FREE;
    }
}
