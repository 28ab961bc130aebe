// Impacts: bouncing, chains of balls, what a collision keeps: V3, V8, V17, and E1.
#include "world.h"

#include "math/rotation.h"
#include "math/vec3.h"

// ---- V3 ----

static world bouncing(int32_t dim, double h) {
    const char *sphere = dim == 3 ? "sphere: {radius: 0.5}" : "disk: {radius: 0.5}";
    const char *ground =
        dim == 3 ? "plane: {normal: [0, 0, 1], offset: 0}" : "line: {normal: [0, 1], offset: 0}";
    return world_open("cairn: 1\ndimension: %d\ntime: {step: %g}\n"
                      "materials: {stone: {density: 1000}}\n"
                      "contacts: [{between: [\"*\", \"*\"], friction: 0, restitution: 0.9}]\n"
                      "bodies:\n  - {material: stone, fixed: true, shape: {%s}}\n"
                      "  - {material: stone, shape: {%s}, position: [%s1.5]}\n",
                      dim, h, ground, sphere, dim == 3 ? "0, 0, " : "0, ");
}

// The tops that follow the first `count` bounces, and the time of the first contact.
static void bounce_tops(int32_t dim, double h, int count, double *top, double *first) {
    world w = bouncing(dim, h);
    double last = 0.0;
    *first = 0.0;
    for (int k = 0; k < count;) {
        world_step(&w);
        CN_CHECK_BELOW(cn_sim_time(w.sim), 10.0);
        double up = world_velocity(&w, 2)[dim - 1], z = world_position(&w, 2)[dim - 1] - 0.5;
        if (*first == 0.0 && up > 0.0) {
            *first = cn_sim_time(w.sim);
        }
        if (last > 0.0 && up <= 0.0) {
            top[k++] = z + 0.5 * up * up / 9.81; // the top lies inside the step
        }
        last = up;
    }
    world_close(&w);
}

CN_TEST(bounces_reach_the_squares_of_the_restitution) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double top[6], first, worst = 0.0;
        bounce_tops(dim, 1e-4, 6, top, &first);
        for (int k = 0; k < 6; k++) {
            worst = fmax(worst, fabs(top[k] - pow(0.81, k + 1)));
        }
        CN_CHECK_BELOW(worst, 2e-3);
        CN_CHECK_NEAR(first, 0.451524, 2e-4);
    }
}

// The place of an impact inside its step is chance, so that the order is seen over many step sizes.
CN_TEST(bounces_are_first_order) {
    double mean[2] = {0.0, 0.0};
    for (int level = 0; level < 2; level++) {
        for (int i = 0; i < 20; i++) {
            double top[3], first;
            bounce_tops(3, (level == 0 ? 1e-3 : 1.25e-4) * (1.0 + 0.03 * i), 3, top, &first);
            mean[level] += fabs(top[2] - pow(0.81, 3)) / 20;
        }
    }
    CN_CHECK_NEAR(world_order(mean[0], mean[1]) / 3.0, 1.0, 0.25);
}

// Infinitely many bounces end at 8.578949 s; the scheme passes through and the ball lies still.
CN_TEST(bouncing_ends_where_the_bounces_accumulate) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = bouncing(dim, 1e-3);
        world_run(&w, 8.0);
        CN_CHECK_TRUE(world_position(&w, 2)[dim - 1] - 0.5 > 1e-3 ||
                      fabs(world_velocity(&w, 2)[dim - 1]) > 0.1);
        double rest = 0.0;
        while (cn_sim_time(w.sim) < 9.5) {
            world_step(&w);
            if (fabs(world_velocity(&w, 2)[dim - 1]) > 0.05) {
                rest = cn_sim_time(w.sim);
            }
        }
        // Bouncing below 0.05 m/s lasts 2 v/(g (1 - e)) = 0.1 s at most.
        CN_CHECK_NEAR(rest, 8.578949, 0.13);
        CN_CHECK_NEAR(world_velocity(&w, 2)[dim - 1], 0.0, 1e-9);
        CN_CHECK_NEAR(world_position(&w, 2)[dim - 1], 0.5, 1e-3);
        CN_CHECK_TRUE(w.unsolved == 0);
        world_close(&w);
    }
}

// ---- V8 ----

#define CHAIN 6

// Balls of radius 1/2 in a row, touching, without gravity; masses and velocities along x.
static world chain(int32_t dim, int count, const double *mass, const double *speed, double e) {
    char bodies[4096] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(bodies);
        snprintf(bodies + used, sizeof bodies - used,
                 "  - {material: stone, mass: %.17g, shape: {%s: {radius: 0.5}}, position: [%d, "
                 "0%s], velocity: [%.17g, 0%s]}\n",
                 mass[i], dim == 3 ? "sphere" : "disk", i, dim == 3 ? ", 0" : "", speed[i],
                 dim == 3 ? ", 0" : "");
    }
    return world_open("cairn: 1\ndimension: %d\ngravity: [0, 0%s]\ntime: {step: 1e-3}\n"
                      "solver: {tolerance: 1e-14}\nmaterials: {stone: {density: 1000}}\n"
                      "contacts: [{between: [\"*\", \"*\"], friction: 0.3, restitution: %g}]\n"
                      "bodies:\n%s",
                      dim, dim == 3 ? ", 0" : "", e, bodies);
}

CN_TEST(three_spheres_leave_by_moreaus_law) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        const double mass[3] = {1, 1, 1}, speed[3] = {1, 0, 0};
        world w = chain(dim, 3, mass, speed, 1.0);
        world_steps(&w, 20);
        CN_CHECK_NEAR(world_velocity(&w, 1)[0], -1.0 / 3.0, 1e-13);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 2.0 / 3.0, 1e-13);
        CN_CHECK_NEAR(world_velocity(&w, 3)[0], 2.0 / 3.0, 1e-13);
        world_close(&w);
    }
}

// Solves the tridiagonal system of the contacts in the set and says whether it answers the LCP
// 0 <= W r + b  orthogonal to  r >= 0; contacts outside `active` take no part.
static bool try_set(int count, const double *mass, const double *b, unsigned active, unsigned set,
                    double *r) {
    double A[CHAIN][CHAIN] = {{0}}, y[CHAIN];
    for (int i = 0; i < count; i++) {
        y[i] = set >> i & 1u ? -b[i] : 0.0;
        A[i][i] = 1.0;
        if (set >> i & 1u) {
            A[i][i] = 1.0 / mass[i] + 1.0 / mass[i + 1];
            if (i > 0) {
                A[i][i - 1] = -1.0 / mass[i];
            }
            if (i + 1 < count) {
                A[i][i + 1] = -1.0 / mass[i + 1];
            }
        }
    }
    for (int i = 1; i < count; i++) {
        double share = A[i][i - 1] / A[i - 1][i - 1];
        A[i][i] -= share * A[i - 1][i];
        y[i] -= share * y[i - 1];
    }
    for (int i = count - 1; i >= 0; i--) {
        r[i] = (y[i] - (i + 1 < count ? A[i][i + 1] * r[i + 1] : 0.0)) / A[i][i];
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        double u = b[i] + (1.0 / mass[i] + 1.0 / mass[i + 1]) * r[i] -
                   (i > 0 ? r[i - 1] / mass[i] : 0.0) -
                   (i + 1 < count ? r[i + 1] / mass[i + 1] : 0.0);
        good = good && r[i] >= -1e-13 && (!(active >> i & 1u) || u >= -1e-13);
    }
    return good;
}

// Chains with pushes from both ends, against the LCP solved by trying every active set.
CN_TEST(chain_agrees_with_the_lcp_solved_directly) {
    static const double mass[CHAIN] = {1.0, 2.5, 0.7, 1.3, 0.4, 3.0};
    static const double speed[3][CHAIN] = {
        {2, 0, 0, 0, 0, -1}, {1, 0.5, 0.7, -0.2, -0.1, -3}, {0.3, -1, 2, 2, 1, 4}};
    for (int round = 0; round < 6; round++) {
        const double *v = speed[round / 2];
        double b[CHAIN], r[CHAIN], e = round / 2 == 1 ? 0.5 : 1.0, want[CHAIN];
        unsigned active = 0;
        for (int i = 0; i < CHAIN - 1; i++) {
            double before = v[i + 1] - v[i];
            b[i] = (1.0 + e) * before;
            active |= (before <= 0.0 ? 1u : 0u) << i;
        }
        unsigned set = active;
        while (!try_set(CHAIN - 1, mass, b, active, set, r)) {
            CN_CHECK_TRUE(set != 0);
            set = (set - 1) & active;
        }
        for (int i = 0; i < CHAIN; i++) {
            want[i] = v[i] + ((i > 0 ? r[i - 1] : 0.0) - (i < CHAIN - 1 ? r[i] : 0.0)) / mass[i];
        }
        world w = chain(2 + round % 2, CHAIN, mass, v, e);
        world_step(&w);
        for (int i = 0; i < CHAIN; i++) {
            CN_CHECK_NEAR(world_velocity(&w, i + 1)[0], want[i], 1e-12);
        }
        world_close(&w);
    }
}

// ---- V17 ----

// Momentum of all bodies, and angular momentum about the origin. Inertias: principal, body axes.
static void total_momentum(const world *w, int32_t dim, const double mass[2],
                           const double inertia[2][3], double p[3], double L[3]) {
    memset(p, 0, 3 * sizeof *p);
    memset(L, 0, 3 * sizeof *L);
    for (int32_t i = 1; i <= 2; i++) {
        const double *q = world_position(w, i), *v = world_velocity(w, i);
        double x[3] = {q[0], q[1], dim == 3 ? q[2] : 0.0};
        double speed[3] = {v[0], v[1], dim == 3 ? v[2] : 0.0};
        double spin[3] = {0.0, 0.0, dim == 3 ? 0.0 : inertia[i - 1][2] * v[2]}, orbit[3];
        if (dim == 3) {
            double R[9];
            math_quat_matrix(q + 3, R);
            math_mat3_apply_transposed(R, v + 3, spin);
            for (int k = 0; k < 3; k++) {
                spin[k] *= inertia[i - 1][k];
            }
            math_mat3_apply(R, spin, spin);
        }
        math_add_scaled3(p, mass[i - 1], speed, p);
        math_cross3(x, speed, orbit);
        math_add_scaled3(L, mass[i - 1], orbit, L);
        math_add_scaled3(L, 1.0, spin, L);
    }
}

// Two bodies fly into each other; returns how far momentum and angular momentum went astray.
static void collide(int32_t dim, const char *shapes, double h, double theta,
                    const double inertia[2][3], double *momentum, double *angular) {
    static const double mass[2] = {2.0, 3.0};
    double p0[3], L0[3], p1[3], L1[3];
    world w = world_open("cairn: 1\ndimension: %d\ngravity: [0, 0%s]\ntime: {step: %.17g}\n"
                         "integrator: {theta: %g}\nmaterials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [\"*\", \"*\"], friction: 0.4, restitution: 0.6}]\n"
                         "bodies:\n%s",
                         dim, dim == 3 ? ", 0" : "", h, theta, shapes);
    total_momentum(&w, dim, mass, inertia, p0, L0);
    int32_t hits = 0;
    while (cn_sim_time(w.sim) < 1.5) {
        double impulse[3];
        world_step(&w);
        world_impulse(&w, 1, impulse);
        hits += math_norm3(impulse) > 0.1;
    }
    CN_CHECK_TRUE(hits > 0);
    total_momentum(&w, dim, mass, inertia, p1, L1);
    math_sub3(p1, p0, p1);
    math_sub3(L1, L0, L1);
    *momentum = math_norm3(p1);
    *angular = math_norm3(L1);
    world_close(&w);
}

CN_TEST(colliding_spheres_keep_both_momenta) {
    static const double inertia[2][3] = {{0.2, 0.2, 0.2}, {0.3, 0.3, 0.3}};
    for (int i = 0; i < 2; i++) {
        double momentum, angular;
        collide(3,
                "  - {material: stone, mass: 2, shape: {sphere: {radius: 0.5}}, velocity: [2, 0.3, "
                "0.1], angular_velocity: [1, 5, -3]}\n"
                "  - {material: stone, mass: 3, shape: {sphere: {radius: 0.5}}, position: [2, 0.4, "
                "0.5], angular_velocity: [4, -6, 2]}\n",
                1e-3, 0.5 + 0.5 * i, inertia, &momentum, &angular);
        CN_CHECK_BELOW(momentum, 1e-13);
        CN_CHECK_BELOW(angular, 1e-12);
    }
}

CN_TEST(colliding_bodies_of_the_plane_keep_both_momenta) {
    static const double inertia[2][3] = {{0, 0, 0.25}, {0, 0, 0.375}};
    double momentum, angular;
    collide(2,
            "  - {material: stone, mass: 2, shape: {disk: {radius: 0.5}}, velocity: [2, 0.3], "
            "angular_velocity: 5}\n"
            "  - {material: stone, mass: 3, shape: {disk: {radius: 0.5}}, position: [2, 0.4], "
            "angular_velocity: -6}\n",
            1e-3, 0.5, inertia, &momentum, &angular);
    CN_CHECK_BELOW(momentum, 1e-13);
    CN_CHECK_BELOW(angular, 1e-12);
}

// Boxes that tumble, hit and tumble on: whatever the step and theta.
static const double box_inertia[2][3] = {{2.0 / 12 * 0.52, 2.0 / 12 * 1.16, 2.0 / 12 * 1.36},
                                         {0.25 * 0.5, 0.25 * 1.25, 0.25 * 1.25}};
static const char boxes[] = "  - {material: stone, mass: 2, shape: {box: {size: [1, 0.6, 0.4]}}, "
                            "velocity: [2, 0.3, 0.1], angular_velocity: [1, 2, -3]}\n"
                            "  - {material: stone, mass: 3, shape: {box: {size: [1, 0.5, 0.5]}}, "
                            "position: [2, 0.2, 0.1], angular_velocity: [2, -1, 2]}\n";

CN_TEST(colliding_boxes_keep_both_momenta) {
    for (int i = 0; i < 6; i++) {
        double momentum, angular;
        collide(3, boxes, 1e-3 * (1 + i), 0.5 + 0.1 * i, box_inertia, &momentum, &angular);
        CN_CHECK_BELOW(momentum, 1e-13);
        CN_CHECK_BELOW(angular, 1e-12);
    }
}

// Without friction and loss their energy stays too, at theta = 1/2.
CN_TEST(elastic_boxes_keep_their_energy) {
    world w = world_open("cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 2e-3}\n"
                         "solver: {tolerance: 1e-13}\nmaterials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [\"*\", \"*\"], friction: 0, restitution: 1}]\n"
                         "bodies:\n%s",
                         boxes);
    double start = w.energy, spin = world_velocity(&w, 1)[4];
    world_run(&w, 1.5);
    CN_CHECK_TRUE(fabs(world_velocity(&w, 1)[4] - spin) > 0.1); // they have met
    CN_CHECK_NEAR(w.energy, start, 1e-11 * start);
    world_close(&w);
}

// ---- E1 ----

// Eight balls of 1 m and 1 kg fall 1 m and bounce without loss.
static world bouncing_column(const char *solver, double tolerance, double theta, double e) {
    return world_open(
        "cairn: 1\ntime: {step: 1e-3}\nintegrator: {theta: %g}\n"
        "solver: {name: %s, tolerance: %g}\nmaterials: {stone: {density: 1}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0, restitution: %g, law: signorini}]\n"
        "bodies: [{material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}]\n"
        "generate: [{column: {count: 8, material: stone, shape: {sphere: {radius: 1}}, mass: 1, "
        "position: [0, 0, 1], gap: 0.01}}]\n",
        theta, solver, tolerance, e);
}

// Relative to the energy of the start.
static double column_drift(const char *solver, double tolerance, double until) {
    world w = bouncing_column(solver, tolerance, 0.5, 1.0);
    double start = w.energy, drift = 0.0, bounced = 0.0;
    while (cn_sim_time(w.sim) < until) {
        world_step(&w);
        drift = fmax(drift, fabs(w.energy - start) / start);
        bounced += w.last.contacts > 0;
    }
    CN_CHECK_TRUE(bounced > 0.0 && w.unsolved == 0);
    world_close(&w);
    return drift;
}

CN_TEST(bouncing_column_keeps_its_energy_with_gauss_seidel) {
    CN_CHECK_BELOW(column_drift("nsgs", 1e-10, CN_WORLD_SLOW ? 2.0 : 20.0), 1e-7);
}

CN_TEST(bouncing_column_keeps_its_energy_to_1e_9) {
    CN_CHECK_BELOW(column_drift("auto", 1e-13, CN_WORLD_SLOW ? 2.0 : 20.0), 1e-9);
}

CN_TEST(inelastic_column_only_loses_energy_at_theta_one) {
    world w = bouncing_column("auto", 1e-10, 1.0, 0.0);
    world_run(&w, CN_WORLD_SLOW ? 1.0 : 5.0);
    CN_CHECK_BELOW(w.worst_rise, 1e-9);
    world_close(&w);
}
