// Setting the state of a run, impulses, and states that are saved in between: against closed forms,
// bitwise after a restore, with the energy in the ledger; 2D and 3D.
#include "world.h"

#include <cairn/act.h>

#define STEP 1e-3

static void good(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        world_fail(error);
    }
}

// A box above a plane that sleeps after a while, and a sphere beside it.
static world pair(void) {
    return world_open(
        "cairn: 1\ntime: {step: %g}\ngravity: [0, 0, -10]\n"
        "materials: {stone: {density: 1000}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
        "  - {name: box, material: stone, shape: {box: {size: [1, 1, 1]}}, mass: 2, "
        "position: [0, 0, 0.5]}\n"
        "  - {name: ball, material: stone, shape: {sphere: {radius: 0.5}}, mass: 3, "
        "position: [3, 0, 0.5]}\n"
        "  - {name: ground, material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
        "offset: 0}}}\n",
        STEP);
}

static double moved_energy(world *w, double before, double *work) {
    world_step(w);
    *work += w->last.work_external;
    return w->energy - before;
}

CN_TEST(state_that_is_set_is_the_state) {
    for (int dim = 2; dim <= 3; dim++) {
        world w =
            world_open("cairn: 1\ndimension: %d\ntime: {step: 1e-3}\ngravity: [%s]\n"
                       "materials: {stone: {density: 1000}}\nbodies:\n"
                       "  - {material: stone, shape: {%s: {radius: 0.5}}, center_of_mass: [%s]}\n"
                       "  - {material: stone, shape: {%s: {radius: 0.5}}, position: [%s]}\n",
                       dim, dim == 3 ? "0, 0, -10" : "0, -10", dim == 3 ? "sphere" : "disk",
                       dim == 3 ? "0.1, 0.2, 0" : "0.1, 0.2", dim == 3 ? "sphere" : "disk",
                       dim == 3 ? "5, 0, 0" : "5, 0");
        double q[14], v[12], seen[14];
        cn_error error = {0};
        world_steps(&w, 10);
        memcpy(q, w.q, sizeof *q * 2 * (size_t)w.pose);
        memcpy(v, w.v, sizeof *v * 2 * (size_t)w.size);
        q[0] += 1.0;
        v[w.size] = 2.0;
        if (dim == 3) {
            q[3] = q[6] = 2.0; // a quarter turn about z, of any length
            q[4] = q[5] = 0.0;
        } else {
            q[2] = 7.0;
        }
        good(cn_sim_set_state(w.sim, q, v, 0, &error), &error);
        cn_sim_poses(w.sim, seen);
        if (dim == 3) {
            q[3] = q[6] = sqrt(0.5);
        }
        for (int i = 0; i < 2 * w.pose; i++) {
            CN_CHECK_NEAR(seen[i], q[i], 1e-14);
        }
        cn_sim_velocities(w.sim, seen);
        for (int i = 0; i < 2 * w.size; i++) {
            CN_CHECK_NEAR(seen[i], v[i], 0.0);
        }
        // Velocities alone; poses stay bitwise.
        cn_sim_poses(w.sim, q);
        good(cn_sim_set_state(w.sim, NULL, v, 0, &error), &error);
        cn_sim_poses(w.sim, seen);
        CN_CHECK_TRUE(memcmp(q, seen, sizeof *q * 2 * (size_t)w.pose) == 0);
        world_close(&w);
    }
}

CN_TEST(energy_of_a_state_that_is_set_is_work_from_outside) {
    world w = pair();
    double work = 0.0, start = w.energy, q[21], v[18];
    cn_error error = {0};
    world_steps(&w, 20);
    cn_sim_poses(w.sim, q);
    cn_sim_velocities(w.sim, v);
    double settled = w.energy - start;
    q[7 + 2] += 4.0;
    v[6] = 3.0;
    good(cn_sim_set_state(w.sim, q, v, 0, &error), &error);
    double change = moved_energy(&w, start + settled, &work);
    CN_CHECK_NEAR(work, 3.0 * 10.0 * 4.0 + 0.5 * 3.0 * 9.0, 1e-6);
    CN_CHECK_NEAR(change, work, 1e-6);
    world_close(&w);
}

CN_TEST(impulse_changes_the_velocity_by_its_share_of_the_mass) {
    world w = pair();
    double push[3] = {6.0, 0.0, 0.0}, turn[3] = {0.0, 0.0, 1.2}, top[3] = {0.0, 0.0, 0.5};
    cn_error error = {0};
    good(cn_sim_apply_impulse(w.sim, 2, push, turn, top, &error), &error);
    world_look(&w);
    double inertia = 0.4 * 3.0 * 0.25;
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], 2.0, 1e-14);
    CN_CHECK_NEAR(world_velocity(&w, 2)[4], 0.5 * 6.0 / inertia, 1e-12);
    CN_CHECK_NEAR(world_velocity(&w, 2)[5], 1.2 / inertia, 1e-12);
    double before = w.energy, kinetic = 0.5 * 3.0 * 4.0 + 0.5 * inertia * (100.0 + 16.0);
    (void)before;
    world_step(&w);
    CN_CHECK_NEAR(w.last.work_external, kinetic, 1e-9);
    CN_CHECK_BELOW(w.worst_balance, 1e-10);
    world_close(&w);
}

// A rod on a hinge: an impulse at its end turns it by p l / (I + m l^2/4), the hinge takes the rest.
CN_TEST(impulse_is_passed_on_by_joints) {
    world w = world_open("cairn: 1\ndimension: 2\ntime: {step: 1e-3}\ngravity: [0, 0]\n"
                         "materials: {stone: {density: 1000}}\nbodies:\n"
                         "  - {name: ground, material: stone, fixed: true}\n"
                         "  - {name: rod, material: stone, mass: 3, inertia: 0.25, "
                         "position: [0.5, 0]}\n"
                         "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0]}]\n");
    double push[3] = {0.0, 2.0, 0.0}, end[3] = {0.5, 0.0, 0.0};
    cn_error error = {0};
    good(cn_sim_apply_impulse(w.sim, 2, push, NULL, end, &error), &error);
    world_look(&w);
    double rate = 2.0 / (0.25 + 3.0 * 0.25);
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], rate, 1e-10);
    CN_CHECK_NEAR(world_velocity(&w, 2)[1], 0.5 * rate, 1e-10);
    world_step(&w);
    CN_CHECK_NEAR(w.last.work_external, 0.5 * rate * rate, 1e-9);
    world_close(&w);
}

CN_TEST(poses_off_the_joints_are_projected_onto_them) {
    world w = world_open("cairn: 1\ntime: {step: 1e-3}\ngravity: [0, 0, -10]\n"
                         "materials: {stone: {density: 1000}}\nbodies:\n"
                         "  - {name: ground, material: stone, fixed: true}\n"
                         "  - {name: rod, material: stone, shape: {box: {size: [1, 0.1, 0.1]}}, "
                         "position: [0.5, 0, 0]}\n"
                         "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0, 0], "
                         "axis: [0, 1, 0]}]\n");
    double q[14], v[12];
    cn_error error = {0};
    cn_sim_poses(w.sim, q);
    cn_sim_velocities(w.sim, v);
    q[7] += 0.05;
    q[9] -= 0.1;
    v[6 + 2] = 1.0;
    good(cn_sim_set_state(w.sim, q, v, CN_STATE_PROJECT, &error), &error);
    world_look(&w);
    const double *x = world_position(&w, 2), *u = world_velocity(&w, 2);
    CN_CHECK_NEAR(hypot(x[0], x[2]), 0.5, 1e-8);
    CN_CHECK_NEAR(u[0] * x[0] + u[2] * x[2], 0.0, 1e-8);
    CN_CHECK_TRUE(fabs(u[4]) > 0.1);
    world_step(&w);
    CN_CHECK_BELOW(w.last.joint_error_max, 1e-8);
    world_close(&w);
}

CN_TEST(bad_states_are_refused_and_nothing_changes) {
    world w = pair();
    double q[21], v[18];
    cn_error error = {0};
    world_steps(&w, 5);
    uint64_t hash = cn_sim_hash(w.sim);
    cn_sim_poses(w.sim, q);
    cn_sim_velocities(w.sim, v);
    q[8] = NAN;
    assert_int_equal(cn_sim_set_state(w.sim, q, v, 0, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "body 2 (ball)") != NULL);
    q[8] = 0.0;
    v[3] = HUGE_VAL;
    assert_int_equal(cn_sim_set_state(w.sim, q, v, 0, &error), CN_ERR_ARGUMENT);
    v[3] = 0.0;
    q[7] = 0.5;
    assert_int_equal(cn_sim_set_state(w.sim, q, v, CN_STATE_NO_OVERLAP, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "overlap") != NULL);
    q[7] = 3.0;
    q[3] = q[4] = q[5] = q[6] = 0.0;
    assert_int_equal(cn_sim_set_state(w.sim, q, NULL, 0, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_set_state(w.sim, NULL, NULL, 64, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_set_state(NULL, NULL, NULL, 0, &error), CN_ERR_ARGUMENT);
    double push[3] = {1.0, NAN, 0.0}, fine[3] = {1.0, 0.0, 0.0};
    assert_int_equal(cn_sim_apply_impulse(w.sim, 1, push, NULL, NULL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply_impulse(w.sim, 9, fine, NULL, NULL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply_impulse(w.sim, 3, fine, NULL, NULL, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "ground") != NULL);
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
    world_close(&w);
}

// Velocities of bodies that do not move freely are left as they are: noise on all of v is fine.
CN_TEST(fixed_bodies_and_locked_directions_keep_their_velocity) {
    world w = world_open("cairn: 1\ntime: {step: 1e-3}\ngravity: [0, 0, 0]\n"
                         "materials: {stone: {density: 1000}}\nbodies:\n"
                         "  - {material: stone, shape: {sphere: {radius: 0.5}}, lock: [ty, rx]}\n"
                         "  - {material: stone, fixed: true, shape: {sphere: {radius: 0.5}}, "
                         "position: [5, 0, 0]}\n");
    double v[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, kept[12];
    cn_error error = {0};
    good(cn_sim_set_state(w.sim, NULL, v, 0, &error), &error);
    cn_sim_velocities(w.sim, kept);
    const double wanted[12] = {1, 0, 3, 0, 5, 6, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 12; i++) {
        CN_CHECK_NEAR(kept[i], wanted[i], 1e-14);
    }
    world_close(&w);
}

// A ball thrown at a thin wall is seen in time, as at the start of a run.
CN_TEST(ball_that_is_made_fast_does_not_pass_through_a_wall) {
    world w = world_open("cairn: 1\ntime: {step: 1e-2}\ngravity: [0, 0, 0]\n"
                         "materials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [\"*\", \"*\"], restitution: 0.5}]\nbodies:\n"
                         "  - {material: stone, shape: {sphere: {radius: 0.05}}}\n"
                         "  - {material: stone, fixed: true, shape: {box: {size: [0.02, 2, 2]}}, "
                         "position: [1, 0, 0]}\n");
    double push[3] = {0.0, 0.0, 0.0};
    cn_error error = {0};
    world_steps(&w, 3);
    push[0] = 200.0 * 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 0.05 * 0.05 * 0.05;
    good(cn_sim_apply_impulse(w.sim, 1, push, NULL, NULL, &error), &error);
    world_steps(&w, 5);
    CN_CHECK_BELOW(world_position(&w, 1)[0], 1.0);
    CN_CHECK_BELOW(world_velocity(&w, 1)[0], 0.0);
    assert_int_equal(w.last.passed, 0);
    world_close(&w);
}

CN_TEST(body_that_sleeps_wakes_when_it_is_pushed) {
    world w =
        world_open("cairn: 1\ntime: {step: 1e-3}\ngravity: [0, 0, -10]\n"
                   "materials: {stone: {density: 1000}}\nsleeping: {speed: 1e-3, after: 0.02}\n"
                   "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
                   "  - {name: box, material: stone, shape: {box: {size: [1, 1, 1]}}, "
                   "mass: 2, position: [0, 0, 0.5]}\n"
                   "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
                   "offset: 0}}}\n");
    double push[3] = {4.0, 0.0, 0.0}, force[3] = {0.0, 0.0, 30.0};
    cn_error error = {0};
    world_steps(&w, 100);
    good(cn_sim_apply_impulse(w.sim, 1, push, NULL, NULL, &error), &error);
    world_steps(&w, 10);
    CN_CHECK_NEAR(world_velocity(&w, 1)[0], 2.0 - 5.0 * 0.01, 1e-3);
    world_steps(&w, 1000);
    uint64_t hash = cn_sim_hash(w.sim);
    world_step(&w);
    CN_CHECK_TRUE(w.last.kinetic == 0.0 && cn_sim_hash(w.sim) != hash);
    good(cn_sim_apply(w.sim, 1, force, NULL, NULL, &error), &error);
    world_step(&w);
    CN_CHECK_NEAR(world_velocity(&w, 1)[2], (15.0 - 10.0) * 1e-3, 1e-9);
    world_close(&w);
}

// The same bits whether a run is restored in the middle or not, with everything given that may be.
CN_TEST(restored_run_with_loads_and_a_set_state_goes_on_bitwise) {
    world w = pair();
    double load[18] = {1.0, 0.5, 0.0, 0.1, 0.0, 0.0, 0.0, -2.0}, push[3] = {0.0, 3.0, 0.0}, v[18];
    cn_error error = {0};
    void *bytes;
    size_t size;
    world_steps(&w, 30);
    good(cn_sim_set_loads(w.sim, load, &error), &error);
    world_steps(&w, 3);
    cn_sim_velocities(w.sim, v);
    v[8] += 1.0;
    good(cn_sim_set_state(w.sim, NULL, v, 0, &error), &error);
    good(cn_sim_apply(w.sim, 2, push, push, NULL, &error), &error);
    assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
    double work = 0.0, again = 0.0;
    for (int i = 0; i < 50; i++) {
        world_step(&w);
        work += w.last.work_external;
    }
    uint64_t hash = cn_sim_hash(w.sim);
    good(cn_sim_load(w.sim, bytes, size, &error), &error);
    for (int i = 0; i < 50; i++) {
        world_step(&w);
        again += w.last.work_external;
    }
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
    CN_CHECK_TRUE(work == again && work > 0.0);
    // In another simulation of the model, too.
    world other = pair();
    good(cn_sim_load(other.sim, bytes, size, &error), &error);
    world_steps(&other, 50);
    CN_CHECK_TRUE(cn_sim_hash(other.sim) == hash);
    cn_sim_free(w.sim, bytes, size);
    world_close(&other);
    world_close(&w);
}
