// Rigid bodies alone: free flight, free rotation, locks (V1, V2).
#include "check.h"

#include "base/rng.h"
#include "body/rigid_four.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <cairn/model.h>
#include <string.h>

static const double zero[3] = {0.0, 0.0, 0.0};
static const double inertia[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
static const double inverse_inertia[9] = {1, 0, 0, 0, 0.5, 0, 0, 0, 1.0 / 3.0};

static body_rigid asymmetric(void) {
    return (body_rigid){
        .dim = 3, .mass = 2.0, .inertia = inertia, .inverse_inertia = inverse_inertia};
}

static void momentum(const double pose[7], const double v[6], double L[3]) {
    double R[9], W[3];
    math_quat_matrix(pose + 3, R);
    math_mat3_apply_transposed(R, v + 3, W);
    math_mat3_apply(inertia, W, W);
    math_mat3_apply(R, W, L);
}

// One step without contacts: drift, kick, drift.
static void fly(const body_rigid *body, const double *force, const double *torque, double h,
                double theta, double *pose, double *v) {
    double inverse[36];
    rigid_drift(body, pose, v, h * (1.0 - theta), pose, v);
    rigid_inverse_mass(body, pose, inverse);
    rigid_kick(body, pose, inverse, force, torque, h, v, v);
    rigid_drift(body, pose, v, h * theta, pose, v);
}

// V1: under a constant force the scheme is exact at every step, theta = 1/2.
CN_TEST(free_flight_is_exact) {
    body_rigid body = asymmetric();
    double pose[7] = {1, 2, 3, 1, 0, 0, 0}, v[6] = {1, -2, 5, 0, 0, 0}, h = 0.01;
    const double force[3] = {0.0, 4.0, -2.0 * 9.81};
    for (int i = 1; i <= 1000; i++) {
        fly(&body, force, zero, h, 0.5, pose, v);
        double t = i * h;
        CN_CHECK_NEAR(pose[0], 1 + t, 1e-11);
        CN_CHECK_NEAR(pose[1], 2 - 2 * t + t * t, 1e-10);
        CN_CHECK_NEAR(pose[2], 3 + 5 * t - 4.905 * t * t, 1e-10);
    }
}

// V2: a torque-free asymmetric body near its unstable axis keeps energy and angular momentum to
// round-off, tumbling.
CN_TEST(torque_free_rotation_keeps_energy_and_momentum) {
    body_rigid body = asymmetric();
    double pose[7] = {0, 0, 0, 1, 0, 0, 0}, v[6] = {0, 0, 0, 0.01, 5.0, 0.02}, start[3], now[3],
           lowest = 5.0;
    double energy = rigid_kinetic(&body, pose, v);
    momentum(pose, v, start);
    for (int i = 0; i < 20000; i++) {
        double R[9], W[3];
        fly(&body, zero, zero, 2e-3, i % 2 == 0 ? 0.5 : 0.9, pose, v);
        math_quat_matrix(pose + 3, R);
        math_mat3_apply_transposed(R, v + 3, W);
        lowest = fmin(lowest, W[1]);
    }
    momentum(pose, v, now);
    CN_CHECK_NEAR(rigid_kinetic(&body, pose, v), energy, 1e-11 * energy);
    for (int k = 0; k < 3; k++) {
        CN_CHECK_NEAR(now[k], start[k], 1e-10 * math_norm3(start));
    }
    CN_CHECK_BELOW(lowest, -4.9); // it has turned over
}

// The angle of a steady spin about a principal axis is exact, whatever the step.
CN_TEST(steady_spin_turns_by_the_exact_angle) {
    body_rigid body = asymmetric();
    double pose[7] = {0, 0, 0, 1, 0, 0, 0}, v[6] = {0, 0, 0, 0, 0, 7.0};
    for (int i = 0; i < 100; i++) {
        fly(&body, zero, zero, 0.05, 0.5, pose, v);
    }
    CN_CHECK_NEAR(fabs(pose[3]), fabs(cos(0.5 * 35.0)), 1e-12);
    CN_CHECK_NEAR(fabs(pose[6]), fabs(sin(0.5 * 35.0)), 1e-12);
}

// Second order: the orientation after a tumble under a torque converges like h^2.
CN_TEST(rotation_is_of_second_order) {
    body_rigid body = asymmetric();
    double end[3][7];
    for (int level = 0; level < 3; level++) {
        double pose[7] = {0, 0, 0, 1, 0, 0, 0}, v[6] = {0, 0, 0, 1.0, 2.0, 3.0},
               h = 0.02 / (1 << level);
        for (int i = 0; i < 100 << level; i++) {
            const double torque[3] = {0.0, 1.0, -2.0};
            fly(&body, zero, torque, h, 0.5, pose, v);
        }
        memcpy(end[level], pose, sizeof pose);
    }
    double coarse = 0.0, fine = 0.0;
    for (int k = 3; k < 7; k++) {
        coarse = fmax(coarse, fabs(end[0][k] - end[1][k]));
        fine = fmax(fine, fabs(end[1][k] - end[2][k]));
    }
    CN_CHECK_NEAR(coarse / fine, 4.0, 0.2);
}

// A torque changes the angular momentum by exactly h times itself, whatever the orientation.
CN_TEST(torque_is_the_change_of_angular_momentum) {
    body_rigid body = asymmetric();
    double pose[7] = {0, 0, 0, 0.5, 0.5, 0.5, 0.5}, v[6] = {0, 0, 0, 3.0, -1.0, 2.0}, start[3],
           end[3];
    const double torque[3] = {3.0, -2.0, 1.0};
    momentum(pose, v, start);
    for (int i = 0; i < 100; i++) {
        fly(&body, zero, torque, 0.01, 0.7, pose, v);
    }
    momentum(pose, v, end);
    for (int k = 0; k < 3; k++) {
        CN_CHECK_NEAR(end[k] - start[k], torque[k], 1e-12);
    }
}

CN_TEST(body_at_rest_keeps_its_bits) {
    body_rigid body = asymmetric();
    const double start[7] = {0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5};
    double pose[7], v[6] = {0};
    memcpy(pose, start, sizeof pose);
    rigid_drift(&body, pose, v, 0.01, pose, v);
    assert_memory_equal(pose, start, sizeof pose);
}

// Of every kind of body: at rest, slow, fast, faster than the series, with locks, round.
CN_TEST(drifts_of_many_have_the_bits_of_one_by_one) {
    static const double round_inertia[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double rates[] = {0.0, 1e-9, 1e-3, 2e-3, 5e-3, 8e-3, 1.0, 3e-3, 200.0, 1e-6, 4e-3};
    enum { COUNT = 44, RATES = sizeof rates / sizeof *rates };
    base_rng rng = base_rng_seed(3);
    double pose[2][7 * COUNT], v[2][6 * COUNT];
    body_rigid body[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        body[i] = asymmetric();
        body[i].lock = i % 13 == 5 ? CN_LOCK_RX : 0;
        body[i].inertia = i % 2 == 1 ? round_inertia : inertia;
        for (int32_t k = 0; k < 7; k++) {
            pose[0][7 * i + k] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        math_quat_normalize(pose[0] + 7 * i + 3);
        for (int32_t k = 0; k < 6; k++) {
            v[0][6 * i + k] = rates[i * 5 % RATES] * base_rng_uniform(&rng, -1.0, 1.0);
        }
    }
    // Bodies that are slow, and so go together, follow each other at the end.
    for (int32_t i = 28; i < COUNT; i++) {
        for (int32_t k = 3; k < 6; k++) {
            v[0][6 * i + k] = i == 40 ? 0.0 : 1e-3 * base_rng_uniform(&rng, -1.0, 1.0);
        }
    }
    memcpy(pose[1], pose[0], sizeof pose[0]);
    memcpy(v[1], v[0], sizeof v[0]);
    for (int step = 0; step < 20; step++) {
        rigid_drifts drifts;
        rigid_drifts_start(&drifts, 0.01);
        for (int32_t i = 0; i < COUNT; i++) {
            double *own = pose[1] + 7 * i, *rate = v[1] + 6 * i;
            rigid_drift(&body[i], pose[0] + 7 * i, v[0] + 6 * i, 0.01, pose[0] + 7 * i,
                        v[0] + 6 * i);
            rigid_drifts_add(&drifts, &body[i], own, rate, own, rate);
        }
        rigid_drifts_end(&drifts);
        assert_true(memcmp(pose[0], pose[1], sizeof pose[0]) == 0);
        assert_true(memcmp(v[0], v[1], sizeof v[0]) == 0);
    }
}

CN_TEST(inverse_mass_is_the_inverse_and_locks_hold) {
    body_rigid body = asymmetric();
    double pose[7] = {0, 0, 0, 1, 2, 3, 4}, inverse[36], R[9], J[9], product;
    math_quat_normalize(pose + 3);
    math_quat_matrix(pose + 3, R);
    for (int i = 0; i < 9; i++) {
        J[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            J[i] += R[3 * (i / 3) + k] * inertia[4 * k] * R[3 * (i % 3) + k];
        }
    }
    rigid_inverse_mass(&body, pose, inverse);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            product = 0.0;
            for (int k = 0; k < 3; k++) {
                product += inverse[6 * (i + 3) + k + 3] * J[3 * k + j];
            }
            CN_CHECK_NEAR(product, i == j, 1e-14);
            CN_CHECK_NEAR(inverse[6 * i + j], i == j ? 0.5 : 0.0, 0.0);
        }
    }
    // Held about the body's z and along its x: an impulse gives no velocity there, and the rest is
    // a projection's inverse.
    body.lock = CN_LOCK_TX | CN_LOCK_RZ;
    body.lock_body_axes = true;
    rigid_inverse_mass(&body, pose, inverse);
    for (int column = 0; column < 6; column++) {
        double along = 0.0, about = 0.0;
        for (int k = 0; k < 3; k++) {
            along += R[3 * k] * inverse[6 * k + column];
            about += R[3 * k + 2] * inverse[6 * (k + 3) + column];
        }
        CN_CHECK_NEAR(along, 0.0, 1e-15);
        CN_CHECK_NEAR(about, 0.0, 1e-15);
    }
}

CN_TEST(locked_plane_body_keeps_to_its_line) {
    const double flat[9] = {0, 0, 0, 0, 0, 0, 0, 0, 2.0},
                 flat_inverse[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0.5};
    body_rigid body = {.dim = 2,
                       .mass = 3.0,
                       .inertia = flat,
                       .inverse_inertia = flat_inverse,
                       .lock = CN_LOCK_TY | CN_LOCK_RZ,
                       .lock_body_axes = true};
    double pose[3] = {1, 1, 0.5}, v[3] = {0};
    const double force[3] = {6.0, -9.0, 0.0}, torque[3] = {0.0, 0.0, 4.0};
    fly(&body, force, torque, 0.1, 0.5, pose, v);
    double along = 0.1 / 3.0 * (6.0 * cos(0.5) - 9.0 * sin(0.5));
    CN_CHECK_NEAR(v[0], along * cos(0.5), 1e-15);
    CN_CHECK_NEAR(v[1], along * sin(0.5), 1e-15);
    CN_CHECK_NEAR(v[2], 0.0, 0.0);
}
