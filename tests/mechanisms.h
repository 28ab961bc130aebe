// tests/mechanisms.h
// Mechanisms and toys in coordinates of their own, with published parameters, for the tests of
// systems. Each function fills a description; the arrays it points to are static.
#ifndef CAIRN_TESTS_MECHANISMS_H
#define CAIRN_TESTS_MECHANISMS_H

#include <cairn/system.h>

#include <math.h>
#include <stddef.h>

#define SCENE_PI 3.14159265358979323846

// ---- slider-crank with clearance: Flores, Leine and Glocker 2010 ----

enum { CN_CRANK_CORNERS = 4 };
static const double cn_crank_side[CN_CRANK_CORNERS][2] = {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}};
static const double cn_crank_l1 = 0.153, cn_crank_l2 = 0.306, cn_crank_a = 0.05, cn_crank_b = 0.025,
                    cn_crank_c = 0.001, cn_crank_m1 = 0.038, cn_crank_m2 = 0.038,
                    cn_crank_m3 = 0.076, cn_crank_j1 = 7.4e-5, cn_crank_j2 = 5.9e-4,
                    cn_crank_j3 = 2.7e-6, cn_crank_g = 9.81;

static inline double cn_crank_k(void) {
    return (cn_crank_m2 / 2 + cn_crank_m3) * cn_crank_l1 * cn_crank_l2;
}

static inline void cn_crank_mass(void *user, const double *q, double *M) {
    (void)user;
    double across = cn_crank_k() * cos(q[1] - q[0]);
    double m[9] = {cn_crank_j1 +
                       (cn_crank_m1 / 4 + cn_crank_m2 + cn_crank_m3) * cn_crank_l1 * cn_crank_l1,
                   across,
                   0,
                   across,
                   cn_crank_j2 + (cn_crank_m2 / 4 + cn_crank_m3) * cn_crank_l2 * cn_crank_l2,
                   0,
                   0,
                   0,
                   cn_crank_j3};
    for (int i = 0; i < 9; i++) {
        M[i] = m[i];
    }
}

static inline void cn_crank_force(void *user, double t, const double *q, const double *v,
                                  double *F) {
    (void)user;
    (void)t;
    double swing = cn_crank_k() * sin(q[0] - q[1]);
    F[0] = -swing * v[1] * v[1] -
           (cn_crank_m1 / 2 + cn_crank_m2 + cn_crank_m3) * cn_crank_g * cn_crank_l1 * cos(q[0]);
    F[1] = swing * v[0] * v[0] -
           (cn_crank_m2 / 2 + cn_crank_m3) * cn_crank_g * cn_crank_l2 * cos(q[1]);
    F[2] = 0.0;
}

static inline double cn_crank_potential(void *user, double t, const double *q) {
    (void)user;
    (void)t;
    return cn_crank_g * ((cn_crank_m1 / 2 + cn_crank_m2 + cn_crank_m3) * cn_crank_l1 * sin(q[0]) +
                         (cn_crank_m2 / 2 + cn_crank_m3) * cn_crank_l2 * sin(q[1]));
}

static inline void cn_crank_gap(void *user, double t, const double *q, double *g) {
    (void)user;
    (void)t;
    double y = cn_crank_l1 * sin(q[0]) + cn_crank_l2 * sin(q[1]);
    for (int k = 0; k < CN_CRANK_CORNERS; k++) {
        double x_side = cn_crank_side[k][0], y_side = cn_crank_side[k][1];
        g[k] = cn_crank_b + cn_crank_c -
               y_side * (y + x_side * cn_crank_a * sin(q[2]) + y_side * cn_crank_b * cos(q[2]));
    }
}

static inline void cn_crank_rows(void *user, double t, const double *q, double *normal,
                                 double *tangent, double *normal_rate, double *tangent_rate) {
    (void)user;
    (void)t;
    (void)normal_rate;
    (void)tangent_rate;
    for (int k = 0; k < CN_CRANK_CORNERS; k++) {
        double x_side = cn_crank_side[k][0], y_side = cn_crank_side[k][1];
        double *N = normal + 3 * k, *T = tangent + 3 * k;
        N[0] = -y_side * cn_crank_l1 * cos(q[0]);
        N[1] = -y_side * cn_crank_l2 * cos(q[1]);
        N[2] = -y_side * (x_side * cn_crank_a * cos(q[2]) - y_side * cn_crank_b * sin(q[2]));
        T[0] = -cn_crank_l1 * sin(q[0]);
        T[1] = -cn_crank_l2 * sin(q[1]);
        T[2] = -x_side * cn_crank_a * sin(q[2]) - y_side * cn_crank_b * cos(q[2]);
    }
}

static inline cn_lagrangian cn_slider_crank(void) {
    static const double v[3] = {150, -75, -0.01};
    static const cn_lagrangian_contact corners[CN_CRANK_CORNERS] = {
        {.name = "corner 1", .friction = 0.01, .restitution = 0.4},
        {.name = "corner 2", .friction = 0.01, .restitution = 0.4},
        {.name = "corner 3", .friction = 0.01, .restitution = 0.4},
        {.name = "corner 4", .friction = 0.01, .restitution = 0.4}};
    cn_lagrangian def = cn_lagrangian_default(3);
    def.name = "slider-crank";
    def.v = v;
    def.mass = cn_crank_mass;
    def.force = cn_crank_force;
    def.potential = cn_crank_potential;
    def.contacts = CN_CRANK_CORNERS;
    def.contact = corners;
    def.gap = cn_crank_gap;
    def.contact_rows = cn_crank_rows;
    return def;
}

// ---- woodpecker toy: Glocker and Studer 2005 ----

static const double cn_bird_ro = 0.0025, cn_bird_rm = 0.0031, cn_bird_hm = 0.0058,
                    cn_bird_lm = 0.010, cn_bird_lg = 0.015, cn_bird_hs = 0.02, cn_bird_ls = 0.0201,
                    cn_bird_mm = 0.0003, cn_bird_ms = 0.0045, cn_bird_jm = 5e-9, cn_bird_js = 7e-7,
                    cn_bird_spring = 0.0056, cn_bird_g = 9.81;

static inline void cn_bird_mass(void *user, const double *q, double *M) {
    (void)user;
    (void)q;
    double m[9] = {cn_bird_ms + cn_bird_mm,
                   cn_bird_ms * cn_bird_lm,
                   cn_bird_ms * cn_bird_lg,
                   cn_bird_ms * cn_bird_lm,
                   cn_bird_jm + cn_bird_ms * cn_bird_lm * cn_bird_lm,
                   cn_bird_ms * cn_bird_lm * cn_bird_lg,
                   cn_bird_ms * cn_bird_lg,
                   cn_bird_ms * cn_bird_lm * cn_bird_lg,
                   cn_bird_js + cn_bird_ms * cn_bird_lg * cn_bird_lg};
    for (int i = 0; i < 9; i++) {
        M[i] = m[i];
    }
}

static inline void cn_bird_force(void *user, double t, const double *q, const double *v,
                                 double *F) {
    (void)user;
    (void)t;
    (void)v;
    F[0] = -cn_bird_g * (cn_bird_ms + cn_bird_mm);
    F[1] = -cn_bird_spring * (q[1] - q[2]) - cn_bird_g * cn_bird_ms * cn_bird_lm;
    F[2] = cn_bird_spring * (q[1] - q[2]) - cn_bird_g * cn_bird_ms * cn_bird_lg;
}

static inline void cn_bird_gap(void *user, double t, const double *q, double *g) {
    (void)user;
    (void)t;
    g[0] = cn_bird_lm + cn_bird_lg - cn_bird_ls - cn_bird_ro - cn_bird_hs * q[2];
    g[1] = cn_bird_rm - cn_bird_ro + cn_bird_hm * q[1];
    g[2] = cn_bird_rm - cn_bird_ro - cn_bird_hm * q[1];
}

static inline void cn_bird_rows(void *user, double t, const double *q, double *normal,
                                double *tangent, double *normal_rate, double *tangent_rate) {
    (void)user;
    (void)t;
    (void)q;
    (void)normal_rate;
    (void)tangent_rate;
    normal[2] = -cn_bird_hs;
    normal[3 + 1] = cn_bird_hm;
    normal[6 + 1] = -cn_bird_hm;
    tangent[0] = tangent[3] = tangent[6] = 1.0;
    tangent[1] = cn_bird_lm;
    tangent[2] = cn_bird_lg - cn_bird_ls;
    tangent[3 + 1] = tangent[6 + 1] = cn_bird_rm;
}

static inline cn_lagrangian cn_woodpecker(void) {
    static const double q[3] = {0, -0.1036, -0.2788}, v[3] = {-0.3411, 0, -7.4583};
    static const cn_lagrangian_contact contacts[3] = {
        {.name = "beak", .friction = 0.3, .restitution = 0.5},
        {.name = "sleeve low", .friction = 0.3},
        {.name = "sleeve up", .friction = 0.3}};
    cn_lagrangian def = cn_lagrangian_default(3);
    def.name = "woodpecker";
    def.q = q;
    def.v = v;
    def.mass = cn_bird_mass;
    def.force = cn_bird_force;
    def.contacts = 3;
    def.contact = contacts;
    def.gap = cn_bird_gap;
    def.contact_rows = cn_bird_rows;
    return def;
}

// ---- impacting stick; rocking block: planar bodies (x, y, angle) over the floor y = 0 ----

typedef struct cn_planar {
    double mass, inertia, gravity;
    int corners;
    double corner[2][2]; // in the body's axes
} cn_planar;

static inline void cn_planar_mass(void *user, const double *q, double *M) {
    const cn_planar *body = user;
    (void)q;
    for (int i = 0; i < 9; i++) {
        M[i] = 0.0;
    }
    M[0] = M[4] = body->mass;
    M[8] = body->inertia;
}

static inline void cn_planar_force(void *user, double t, const double *q, const double *v,
                                   double *F) {
    const cn_planar *body = user;
    (void)t;
    (void)q;
    (void)v;
    F[0] = F[2] = 0.0;
    F[1] = -body->mass * body->gravity;
}

static inline double cn_planar_potential(void *user, double t, const double *q) {
    const cn_planar *body = user;
    (void)t;
    return body->mass * body->gravity * q[1];
}

static inline void cn_planar_gap(void *user, double t, const double *q, double *g) {
    const cn_planar *body = user;
    (void)t;
    for (int k = 0; k < body->corners; k++) {
        g[k] = q[1] + sin(q[2]) * body->corner[k][0] + cos(q[2]) * body->corner[k][1];
    }
}

static inline void cn_planar_rows(void *user, double t, const double *q, double *normal,
                                  double *tangent, double *normal_rate, double *tangent_rate) {
    const cn_planar *body = user;
    (void)t;
    (void)normal_rate;
    (void)tangent_rate;
    for (int k = 0; k < body->corners; k++) {
        double x = body->corner[k][0], y = body->corner[k][1];
        normal[3 * k + 1] = 1.0;
        normal[3 * k + 2] = cos(q[2]) * x - sin(q[2]) * y;
        tangent[3 * k] = 1.0;
        tangent[3 * k + 2] = -sin(q[2]) * x - cos(q[2]) * y;
    }
}

static inline cn_lagrangian cn_planar_system(cn_planar *body, const double q[3], const double v[3],
                                             const cn_lagrangian_contact *contact) {
    cn_lagrangian def = cn_lagrangian_default(3);
    def.q = q;
    def.v = v;
    def.user = body;
    def.mass = cn_planar_mass;
    def.force = cn_planar_force;
    def.potential = cn_planar_potential;
    def.contacts = body->corners;
    def.contact = contact;
    def.gap = cn_planar_gap;
    def.contact_rows = cn_planar_rows;
    return def;
}

// ---- a point on a line over a floor that may move ----

typedef struct cn_follower {
    double mass, stiffness, gravity;
    void (*floor)(double t, double *height, double *rate, double *rate2);
} cn_follower;

static inline void cn_follower_mass(void *user, const double *q, double *M) {
    (void)q;
    M[0] = ((const cn_follower *)user)->mass;
}

static inline void cn_follower_force(void *user, double t, const double *q, const double *v,
                                     double *F) {
    const cn_follower *f = user;
    (void)t;
    (void)v;
    F[0] = -f->stiffness * q[0] - f->mass * f->gravity;
}

static inline double cn_follower_potential(void *user, double t, const double *q) {
    const cn_follower *f = user;
    (void)t;
    return 0.5 * f->stiffness * q[0] * q[0] + f->mass * f->gravity * q[0];
}

static inline void cn_follower_gap(void *user, double t, const double *q, double *g) {
    const cn_follower *f = user;
    double height = 0.0, rate, rate2;
    if (f->floor) {
        f->floor(t, &height, &rate, &rate2);
    }
    g[0] = q[0] - height;
}

static inline void cn_follower_rows(void *user, double t, const double *q, double *normal,
                                    double *tangent, double *normal_rate, double *tangent_rate) {
    const cn_follower *f = user;
    double height, rate = 0.0, rate2;
    (void)q;
    (void)tangent;
    (void)tangent_rate;
    if (f->floor) {
        f->floor(t, &height, &rate, &rate2);
    }
    normal[0] = 1.0;
    normal_rate[0] = -rate;
}

static inline void cn_follower_drift(void *user, double t, const double *q, const double *v,
                                     double *normal, double *tangent) {
    const cn_follower *f = user;
    double height, rate, rate2 = 0.0;
    (void)q;
    (void)v;
    (void)tangent;
    if (f->floor) {
        f->floor(t, &height, &rate, &rate2);
    }
    normal[0] = -rate2;
}

static inline cn_lagrangian cn_follower_system(cn_follower *f, const double *q,
                                               const cn_lagrangian_contact *contact) {
    cn_lagrangian def = cn_lagrangian_default(1);
    def.q = q;
    def.user = f;
    def.mass = cn_follower_mass;
    def.force = cn_follower_force;
    def.potential = cn_follower_potential;
    def.contacts = 1;
    def.contact = contact;
    def.gap = cn_follower_gap;
    def.contact_rows = cn_follower_rows;
    def.contact_drift = cn_follower_drift;
    return def;
}

// Cam of di Bernardo, Osorio and Santini at 358 rpm: height above the rest of the spring, its rate
// and that of the rate, which jumps.
static inline void cn_cam(double t, double *height, double *rate, double *rate2) {
    const double k1 = 0.45, r1 = 0.85, k2 = 0.40393320723821, r3 = 0.15, degree = SCENE_PI / 180;
    const double omega = 2 * SCENE_PI * 358 / 60, joint = SCENE_PI / 2 + 1.050328174371336;
    double beta = fmod(omega * t + SCENE_PI / 2, 2 * SCENE_PI), sign = 1.0, radius, slope, bend;
    beta = beta < 0.0 ? beta + 2 * SCENE_PI : beta;
    if (beta > SCENE_PI) {
        beta = 2 * SCENE_PI - beta;
        sign = -1.0;
    }
    if (beta <= SCENE_PI / 2) {
        radius = 0.40;
        slope = bend = 0.0;
    } else if (beta <= joint) {
        double part = k1 * cos(beta) / r1, root = sqrt(1 - part * part);
        radius = -k1 * sin(beta) + r1 * root;
        slope = -k1 * cos(beta) + k1 * sin(beta) * part / root;
        bend = k1 * sin(beta) + k1 * cos(beta) * part / root -
               k1 * k1 * sin(beta) * sin(beta) / (r1 * root * root * root);
    } else if (beta <= 160 * degree) {
        double angle = beta + 20 * degree, part = k2 * sin(angle) / r3;
        double root = sqrt(1 - part * part);
        radius = -k2 * cos(angle) + r3 * root;
        slope = k2 * sin(angle) - k2 * cos(angle) * part / root;
        bend = k2 * cos(angle) + k2 * sin(angle) * part / root -
               k2 * k2 * cos(angle) * cos(angle) / (r3 * root * root * root);
    } else {
        radius = k2 + r3;
        slope = bend = 0.0;
    }
    *height = radius - 0.3;
    *rate = sign * omega * slope;
    *rate2 = omega * omega * bend;
}

#endif
