// Bodies that touch nothing, through scenes and the whole step: V1, V2.
#include "world.h"

#include "math/rotation.h"
#include "math/vec3.h"

#define HEAD_3D "cairn: 1\nmaterials: {stone: {density: 1000}}\n"
#define HEAD_2D HEAD_3D "dimension: 2\n"

// ---- V1 ----

// The parabola, to the round-off of its terms, at every step.
static void check_parabola(world *w, int32_t dim, const double start[3], const double speed[3],
                           const double gravity[3]) {
    for (int i = 1; i <= 500; i++) {
        world_step(w);
        double t = cn_sim_time(w->sim);
        for (int32_t k = 0; k < dim; k++) {
            CN_CHECK_NEAR(world_position(w, 1)[k], start[k] + t * (speed[k] + 0.5 * gravity[k] * t),
                          1e-11);
            CN_CHECK_NEAR(world_velocity(w, 1)[k], speed[k] + gravity[k] * t, 1e-12);
        }
    }
}

CN_TEST(free_flight_is_exact_in_3d) {
    world w = world_open(HEAD_3D "gravity: [1, 0, -9.81]\ntime: {step: 0.01}\n"
                                 "bodies: [{material: stone, shape: {box: {size: [1, 2, 3]}}, "
                                 "position: [1, 2, 3], velocity: [3, -2, 5]}]\n");
    check_parabola(&w, 3, (const double[]){1, 2, 3}, (const double[]){3, -2, 5},
                   (const double[]){1, 0, -9.81});
    world_close(&w);
}

CN_TEST(free_flight_is_exact_in_2d) {
    world w = world_open(HEAD_2D "gravity: [1, -9.81]\ntime: {step: 0.01}\n"
                                 "bodies: [{material: stone, shape: {disk: {radius: 0.3}}, "
                                 "position: [1, 2], velocity: [3, -2], angular_velocity: 4}]\n");
    check_parabola(&w, 2, (const double[]){1, 2, 0}, (const double[]){3, -2, 0},
                   (const double[]){1, -9.81, 0});
    CN_CHECK_NEAR(world_position(&w, 1)[2], 20.0, 1e-12);
    world_close(&w);
}

// x after 2 s under the force cos(3 t) on a mass of 1 kg, starting at rest: (1 - cos(3 t))/9.
static double driven_error(int32_t dim, double theta, double h) {
    world w = world_open("cairn: 1\nmaterials: {stone: {density: 1000}}\ndimension: %d\n"
                         "gravity: [0, 0%s]\ntime: {step: %g}\nintegrator: {theta: %g}\n"
                         "bodies: [{name: a, mass: 1, material: stone, shape: {%s: {radius: 1}}}]\n"
                         "forces: [{body: a, force: [cos(3*t), 0%s]}]\n",
                         dim, dim == 3 ? ", 0" : "", h, theta, dim == 3 ? "sphere" : "disk",
                         dim == 3 ? ", 0" : "");
    world_run(&w, 2.0);
    double error = world_position(&w, 1)[0] - (1.0 - cos(6.0)) / 9.0;
    world_close(&w);
    return error;
}

CN_TEST(smooth_forcing_is_second_order_at_one_half) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double coarse = driven_error(dim, 0.5, 0.01), fine = driven_error(dim, 0.5, 0.005);
        CN_CHECK_NEAR(world_order(coarse, fine), 2.0, 0.02);
        CN_CHECK_BELOW(fabs(fine), 1e-5);
    }
}

CN_TEST(smooth_forcing_is_first_order_at_one) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double coarse = driven_error(dim, 1.0, 0.002), fine = driven_error(dim, 1.0, 0.001);
        CN_CHECK_NEAR(world_order(coarse, fine), 1.0, 0.05);
    }
}

// ---- V2 ----

#define TUMBLE_MASS 12.0
static const double tumble_size[3] = {1.0, 2.0, 3.0};

// A box of 12 kg: I_x > I_y > I_z = 5.
static void box_inertia(double I[3]) {
    for (int k = 0; k < 3; k++) {
        double a = tumble_size[(k + 1) % 3], b = tumble_size[(k + 2) % 3];
        I[k] = TUMBLE_MASS / 12.0 * (a * a + b * b);
    }
}

static world tumbling(double h) {
    return world_open(HEAD_3D "gravity: [0, 0, 0]\ntime: {step: %g}\n"
                              "bodies: [{material: stone, mass: 12, shape: {box: {size: [1, 2, "
                              "3]}}, angular_velocity: [0.4, 5, 0.1]}]\n",
                      h);
}

static void body_rate(const world *w, double W[3]) {
    double R[9];
    math_quat_matrix(world_position(w, 1) + 3, R);
    math_mat3_apply_transposed(R, world_velocity(w, 1) + 3, W);
}

static void spin_momentum(const world *w, double L[3]) {
    double R[9], I[3], W[3];
    box_inertia(I);
    body_rate(w, W);
    for (int k = 0; k < 3; k++) {
        W[k] *= I[k];
    }
    math_quat_matrix(world_position(w, 1) + 3, R);
    math_mat3_apply(R, W, L);
}

CN_TEST(tumbling_box_keeps_energy_and_angular_momentum) {
    world w = tumbling(1e-2);
    double energy = w.energy, before[3], after[3];
    spin_momentum(&w, before);
    world_steps(&w, 2000);
    spin_momentum(&w, after);
    CN_CHECK_NEAR(w.energy, energy, 1e-12 * energy);
    for (int k = 0; k < 3; k++) {
        CN_CHECK_NEAR(after[k], before[k], 1e-11 * math_norm3(before));
    }
    world_close(&w);
}

// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
static double complete_elliptic(double k2) {
    double a = 1.0, b = sqrt(1.0 - k2);
    for (int i = 0; i < 60; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return acos(-1.0) / (2.0 * a);
}

// Time between two turn-overs (zeros of the rate about the middle axis): 2 K/p (Landau and
// Lifshitz, Mechanics, section 37), with the inertias in ascending order, or descending when L^2 <
// 2 E I_2.
static double flip_time(const double W[3]) {
    double I[3], twice = 0.0, L2 = 0.0;
    box_inertia(I);
    for (int k = 0; k < 3; k++) {
        twice += I[k] * W[k] * W[k];
        L2 += I[k] * I[k] * W[k] * W[k];
    }
    double low = fmin(I[0], I[2]), high = fmax(I[0], I[2]);
    if (L2 < twice * I[1]) {
        double swap = low;
        low = high;
        high = swap;
    }
    double p = sqrt((high - I[1]) * (L2 - twice * low) / (I[0] * I[1] * I[2]));
    double k2 = (I[1] - low) * (twice * high - L2) / ((high - I[1]) * (L2 - twice * low));
    return 2.0 * complete_elliptic(k2) / p;
}

// Measured over the given number of turn-overs, less the exact time.
static double flip_error(double h, int flips) {
    world w = tumbling(h);
    double W[3], last, first = 0.0, now = 0.0;
    body_rate(&w, W);
    double exact = flip_time(W);
    for (int found = 0; found <= flips;) {
        last = W[1];
        world_step(&w);
        CN_CHECK_BELOW(cn_sim_time(w.sim), 100.0);
        body_rate(&w, W);
        if (last * W[1] < 0.0) {
            // The rate is odd about its zero, so that a chord finds it to third order.
            now = cn_sim_time(w.sim) - h * W[1] / (W[1] - last);
            first = found == 0 ? now : first;
            found++;
        }
    }
    world_close(&w);
    return (now - first) / flips - exact;
}

CN_TEST(tumbling_box_flips_with_the_period_of_the_elliptic_integral) {
    double coarse = flip_error(4e-3, 4), fine = flip_error(2e-3, 4);
    CN_CHECK_BELOW(fabs(fine), 1e-4);
    CN_CHECK_NEAR(world_order(coarse, fine), 2.0, 0.05);
}
