// Changing a run while it goes on: gravity, friction, and the spring that pulls a body, against
// closed forms, with its work in the ledger.
#include "world.h"

#define STEP 1e-3

static world sphere(const char *body) {
    return world_open("cairn: 1\ntime: {step: %g}\ngravity: [0, 0, -10]\n"
                      "materials: {stone: {density: 1000}}\n"
                      "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
                      "  - {material: stone, shape: {box: {size: [1, 1, 1]}}, mass: 2%s}\n"
                      "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
                      "offset: -100}}}\n",
                      STEP, body);
}

static void steer(world *w, const cn_steering *steering) {
    cn_error error = {0};
    if (cn_sim_steer(w->sim, steering, &error) != CN_OK) {
        world_fail(&error);
    }
    world_look(w);
}

// Falls for a time, then upwards for the same: it is back at rest, and the sum of works is what the
// energy changed by, the jump of the potential energy with it.
CN_TEST(gravity_turned_round_brings_a_sphere_to_rest) {
    world w = sphere("");
    double start = w.energy, work = 0.0;
    cn_steering steering = cn_sim_steering(w.sim);
    CN_CHECK_NEAR(steering.gravity[2], -10.0, 0.0);
    world_steps(&w, 200);
    steering.gravity[2] = 10.0;
    steer(&w, &steering);
    for (int i = 0; i < 200; i++) {
        world_step(&w);
        work += w.last.work_external;
    }
    CN_CHECK_NEAR(world_velocity(&w, 1)[2], 0.0, 1e-13);
    CN_CHECK_NEAR(world_position(&w, 1)[2], -10.0 * 0.2 * 0.2, 1e-12);
    CN_CHECK_NEAR(w.energy - start, work, 1e-12);
    CN_CHECK_BELOW(w.worst_balance, 1e-12);
    world_close(&w);
}

// A block that sticks on a slope slides down it at g sin(a) once friction is gone.
CN_TEST(friction_taken_away_lets_a_block_slide) {
    world w =
        world_open("cairn: 1\ndimension: 2\ntime: {step: 1e-3}\ngravity: [3, -9]\n"
                   "materials: {stone: {density: 1000}}\n"
                   "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
                   "  - {material: stone, fixed: true, shape: {line: {normal: [0, 1], "
                   "offset: 0}}}\n"
                   "  - {material: stone, position: [0, 0.5], shape: {box: {size: [2, 1]}}}\n");
    world_steps(&w, 100);
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], 0.0, 1e-9);
    cn_steering steering = cn_sim_steering(w.sim);
    steering.friction = 0.0;
    steer(&w, &steering);
    world_steps(&w, 100);
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], 3.0 * 0.1, 1e-8);
    // Half of it: the block goes on at g_x - mu g_y / 2.
    steering.friction = 0.5;
    steer(&w, &steering);
    world_steps(&w, 100);
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], 3.0 * 0.1 + (3.0 - 0.25 * 9.0) * 0.1, 1e-6);
    world_close(&w);
}

// From rest the first step has the spring's force alone: m dv = h k d, and its work is in the
// ledger.
CN_TEST(spring_pulls_with_its_stiffness) {
    world w = sphere("");
    cn_steering steering = {
        .friction = 1.0, .pulled = 1, .target = {0.5, 0.0, 0.0}, .stiffness = 40.0};
    steer(&w, &steering);
    world_step(&w);
    double dv = STEP * 40.0 * 0.5 / 2.0;
    CN_CHECK_NEAR(world_velocity(&w, 1)[0], dv, 1e-15);
    CN_CHECK_NEAR(w.last.work_external + 0.0, 0.5 * 2.0 * dv * dv, 1e-15);
    CN_CHECK_BELOW(fabs(w.last.balance_error), 1e-15);
    world_close(&w);
}

// Work of the spring over some steps; the ledger's sum must be what the energy changed by.
static void pull_for(world *w, const cn_steering *steering, int steps) {
    double work = 0.0;
    steer(w, steering);
    double start = w->energy;
    for (int i = 0; i < steps; i++) {
        world_step(w);
        work += w->last.work_external;
    }
    CN_CHECK_NEAR(w->energy - start, work, 1e-9);
}

static const double stiffness[3] = {30.0, 1e4, 1e15};

// The centre comes to rest at the target, however stiff the spring. Its damping is c = 2 sqrt(k m /
// 3), so what is left decays as exp(-sqrt(k / 3 m) t), from |target| = 3.8 and a start at rest.
CN_TEST(spring_brings_a_body_to_its_target) {
    for (int i = 0; i < 3; i++) {
        world w = sphere("");
        cn_steering steering = {
            .friction = 1.0, .pulled = 1, .target = {1.0, -2.0, 3.0}, .stiffness = stiffness[i]};
        pull_for(&w, &steering, 6000);
        double rate = sqrt(fmin(stiffness[i], 1e4) / 6.0), left = 5.0 * exp(-6.0 * rate) + 1e-9;
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(world_position(&w, 1)[k], steering.target[k], left);
            CN_CHECK_NEAR(world_velocity(&w, 1)[k], 0.0, 2.0 * rate * left);
        }
        world_close(&w);
    }
}

// A corner is drawn there too. The body may go on turning about it: the point is then as far off as
// the spring must stretch to hold the centre on its circle, k d <= m w^2 |corner|.
CN_TEST(spring_holds_a_corner_at_its_target) {
    for (int i = 0; i < 3; i++) {
        world w = sphere("");
        cn_steering steering = {.friction = 1.0,
                                .pulled = 1,
                                .point = {0.5, 0.5, 0.5},
                                .target = {1.0, -2.0, 3.0},
                                .stiffness = stiffness[i]};
        pull_for(&w, &steering, 6000);
        const double *q = world_position(&w, 1), *spin = world_velocity(&w, 1) + 3;
        double w2 = spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2], away = 0.0;
        for (int k = 0; k < 3; k++) {
            away += (q[k] - steering.target[k]) * (q[k] - steering.target[k]);
        }
        double corner = sqrt(0.75), stretch = 2.0 * w2 * corner / fmin(stiffness[i], 1e4);
        CN_CHECK_NEAR(sqrt(away), corner, 1.2 * stretch + 1e-6);
        world_close(&w);
    }
}

CN_TEST(bad_steering_is_refused_and_changes_nothing) {
    world w = sphere("");
    cn_steering good = cn_sim_steering(w.sim);
    cn_steering bad[6] = {good, good, good, good, good, good};
    bad[0].gravity[1] = (double)NAN;
    bad[1].friction = -0.1;
    bad[2].pulled = 3;
    bad[3].pulled = 2; // fixed
    bad[4].pulled = 1;
    bad[4].target[0] = (double)INFINITY;
    bad[5].stiffness = -1.0;
    for (int i = 0; i < 6; i++) {
        cn_error error = {0};
        assert_int_equal(cn_sim_steer(w.sim, &bad[i], &error), CN_ERR_ARGUMENT);
        CN_CHECK_TRUE(error.message[0]);
        cn_steering now = cn_sim_steering(w.sim);
        CN_CHECK_TRUE(now.friction == 1.0 && now.pulled == 0 && now.gravity[1] == 0.0);
    }
    world_close(&w);
}

// A checkpoint keeps what was steered: the run goes on bit for bit.
CN_TEST(checkpoint_keeps_the_steering) {
    world w = sphere(", velocity: [1, 0, 0]"), other = sphere("");
    cn_error error = {0};
    void *bytes;
    size_t size;
    cn_steering steering = {.gravity = {0.0, 1.0, -3.0},
                            .friction = 0.5,
                            .pulled = 1,
                            .point = {0.1, 0.0, 0.2},
                            .target = {1.0, 1.0, 1.0},
                            .stiffness = 55.0};
    world_steps(&w, 10);
    steer(&w, &steering);
    assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
    world_step(&w);
    double work = w.last.work_external;
    world_steps(&w, 50);
    assert_int_equal(cn_sim_load(other.sim, bytes, size, &error), CN_OK);
    world_step(&other);
    CN_CHECK_NEAR(other.last.work_external, work, 0.0);
    world_steps(&other, 50);
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == cn_sim_hash(other.sim));

    // Damaged: a body that is not there.
    cn_steering none = {.friction = 1.0, .pulled = 77};
    memcpy((unsigned char *)bytes + size - sizeof none - sizeof(double), &none, sizeof none);
    assert_int_equal(cn_sim_load(other.sim, bytes, size, &error), CN_ERR_INPUT);
    cn_sim_free(w.sim, bytes, size);
    world_close(&w);
    world_close(&other);
}
