// Servos, rotors and limits of motors against closed forms, with the ledger closed; runs with them
// are verified.
#include "world.h"

#include <cairn/act.h>
#include <cairn/cairn.h>
#include <math.h>
#include <unistd.h>

#define INERTIA 0.5

// A wheel of inertia 0.5 on a hinge, in 2D and 3D.
static world wheel(int32_t dim, double step, const char *joint) {
    const char *plane = "cairn: 1\ndimension: 2\ntime: {step: %g}\nsolver: {tolerance: 1e-12}\n"
                        "gravity: [0, 0]\nmaterials: {steel: {density: 1}}\nbodies:\n"
                        "  - {name: base, fixed: true, material: steel}\n"
                        "  - {name: wheel, material: steel, mass: 3, inertia: 0.5}\njoints:\n"
                        "  - {kind: hinge, bodies: [base, wheel], point: [0, 0], %s}\n";
    const char *space =
        "cairn: 1\ntime: {step: %g}\nsolver: {tolerance: 1e-12}\n"
        "gravity: [0, 0, 0]\nmaterials: {steel: {density: 1}}\nbodies:\n"
        "  - {name: base, fixed: true, material: steel}\n"
        "  - {name: wheel, material: steel, mass: 3, inertia: [[0.7, 0, 0], [0, 0.6, 0], [0, 0, "
        "0.5]]}\njoints:\n"
        "  - {kind: hinge, bodies: [base, wheel], point: [0, 0, 0], axis: [0, 0, 1], %s}\n";
    return dim == 2 ? world_open(plane, step, joint) : world_open(space, step, joint);
}

static double rate_of(const world *w) {
    cn_joint_state joint;
    CN_CHECK_TRUE(cn_sim_joint(w->sim, 1, &joint) == CN_OK);
    return joint.rate;
}

// I w' = c (target - w): w = target (1 - exp(-c t/I)), to second order.
CN_TEST(a_velocity_servo_approaches_its_target) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            world w = wheel(dim, fine ? 5e-3 : 1e-2, "motor: {velocity: 4, damping: 2}");
            double work = 0.0;
            for (int i = 0; i < (fine ? 100 : 50); i++) {
                world_step(&w);
                work += w.last.work_joints;
            }
            error[fine] = fabs(rate_of(&w) - 4.0 * (1.0 - exp(-2.0 * 0.5 / INERTIA)));
            CN_CHECK_NEAR(work, 0.5 * INERTIA * rate_of(&w) * rate_of(&w), 1e-12);
            CN_CHECK_BELOW(w.worst_balance, 1e-13);
            world_close(&w);
        }
        CN_CHECK_BELOW(error[0], 1e-3);
        CN_CHECK_NEAR(error[0] / error[1], 4.0, 0.1);
    }
}

// At its limit the motor gives that torque and no more; then the servo takes over.
CN_TEST(a_servo_gives_no_more_than_its_limit) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = wheel(dim, 1e-3, "motor: {velocity: 4, damping: 20, max_torque: 1.5}");
        world_steps(&w, 200);
        CN_CHECK_NEAR(rate_of(&w), 1.5 / INERTIA * 0.2, 1e-12);
        cn_joint_state joint;
        CN_CHECK_TRUE(cn_sim_joint(w.sim, 1, &joint) == CN_OK);
        CN_CHECK_NEAR(joint.effort, 1.5, 1e-12);
        CN_CHECK_TRUE(joint.saturated == 1);
        world_steps(&w, 3000);
        CN_CHECK_NEAR(rate_of(&w), 4.0, 1e-6);
        CN_CHECK_TRUE(cn_sim_joint(w.sim, 1, &joint) == CN_OK);
        CN_CHECK_TRUE(joint.saturated == 0 && fabs(joint.effort) < 1e-4);
        CN_CHECK_BELOW(w.worst_balance, 1e-12);
        world_close(&w);
    }
}

// A torque on a wheel and a rotor: w = T t/(I + A), exactly. What the rotor takes is in the work of
// joints.
CN_TEST(an_armature_adds_to_the_inertia) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = wheel(dim, 1e-2, "armature: 1.5, motor: {torque: 3}");
        double joints = 0.0, external = 0.0;
        for (int i = 0; i < 100; i++) {
            world_step(&w);
            joints += w.last.work_joints;
            external += w.last.work_external;
        }
        double want = 3.0 / (INERTIA + 1.5);
        CN_CHECK_NEAR(rate_of(&w), want, 1e-12);
        CN_CHECK_NEAR(joints, -0.5 * 1.5 * want * want, 1e-12);
        CN_CHECK_NEAR(external, 0.5 * 2.0 * want * want, 1e-12);
        CN_CHECK_BELOW(w.worst_balance, 1e-13);
        world_close(&w);
    }
}

// A position servo with a rotor swings with omega^2 = k/(I + A); its amplitude stays.
CN_TEST(a_position_servo_with_a_rotor_has_its_frequency) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double period = 2.0 * acos(-1.0) / sqrt(8.0 / (INERTIA + 1.5)), step = period / 2000.0;
        world w = wheel(dim, step, "armature: 1.5, motor: {position: 0.1, stiffness: 8}");
        cn_joint_state joint;
        double largest = 0.0;
        for (int i = 0; i < 2000; i++) {
            world_step(&w);
            CN_CHECK_TRUE(cn_sim_joint(w.sim, 1, &joint) == CN_OK);
            largest = fmax(largest, joint.value);
        }
        CN_CHECK_NEAR(joint.value, 0.0, 1e-6);
        CN_CHECK_NEAR(joint.rate, 0.0, 1e-5);
        CN_CHECK_NEAR(largest, 0.2, 1e-6);
        CN_CHECK_BELOW(w.worst_balance, 1e-13);
        world_close(&w);
    }
}

// A velocity servo under another integrator, whose servos are forces.
CN_TEST(a_velocity_servo_under_generalized_alpha) {
    world w =
        world_open("cairn: 1\ndimension: 2\ntime: {step: 1e-3}\ngravity: [0, 0]\n"
                   "integrator: {scheme: generalized-alpha}\n"
                   "materials: {steel: {density: 1}}\nbodies:\n"
                   "  - {name: base, fixed: true, material: steel}\n"
                   "  - {name: wheel, material: steel, mass: 3, inertia: 0.5}\njoints:\n"
                   "  - {kind: hinge, bodies: [base, wheel], point: [0, 0], motor: {velocity: "
                   "4, damping: 2}}\n");
    world_steps(&w, 500);
    CN_CHECK_NEAR(w.v[5], 4.0 * (1.0 - exp(-2.0)), 1e-5);
    world_close(&w);
}

CN_TEST(runs_with_servos_rotors_and_torques_are_verified) {
    static const char scene[] =
        "cairn: 1\ntime: {step: 2e-3, until: 0.4, frames_every: 2e-3}\n"
        "materials: {steel: {density: 7800}}\nbodies:\n"
        "  - {name: base, fixed: true, material: steel}\n"
        "  - {name: a, material: steel, position: [0.5, 0, 0], shape: {box: {size: [1, 0.1, "
        "0.1]}}}\n"
        "  - {name: b, material: steel, position: [1.5, 0, 0], shape: {box: {size: [1, 0.1, "
        "0.1]}}}\n"
        "  - {name: c, material: steel, position: [2.5, 0, 0], shape: {box: {size: [1, 0.1, "
        "0.1]}}}\n"
        "joints:\n"
        "  - {kind: hinge, bodies: [base, a], point: [0, 0, 0], axis: [0, 1, 0], armature: 20,\n"
        "     motor: {velocity: \"2*sin(9*t)\", damping: 300, max_torque: 900}}\n"
        "  - {kind: hinge, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1], armature: 3,\n"
        "     motor: {position: \"0.4*t\", stiffness: 4000, damping: 60}}\n"
        "  - {kind: hinge, bodies: [b, c], point: [2, 0, 0], axis: [0, 1, 0],\n"
        "     motor: {torque: \"80*cos(20*t)\", max_torque: 60}}\n";
    char path[] = "/tmp/cairn-motor-XXXXXX.run";
    int file = mkstemps(path, 4);
    CN_CHECK_TRUE(file >= 0);
    close(file);
    world w = world_open("%s", scene);
    cn_error error = {0};
    cn_recorder *recorder;
    CN_CHECK_TRUE(cn_recorder_create(NULL, path, true, w.sim, &recorder, &error) == CN_OK);
    CN_CHECK_TRUE(cn_recorder_frame(recorder, w.sim, &error) == CN_OK);
    for (int i = 0; i < 200; i++) {
        world_step(&w);
        CN_CHECK_TRUE(cn_recorder_ledger(recorder, &w.last, &error) == CN_OK);
        CN_CHECK_TRUE(cn_recorder_frame(recorder, w.sim, &error) == CN_OK);
    }
    CN_CHECK_TRUE(cn_recorder_meta(recorder, "status", "done", &error) == CN_OK);
    CN_CHECK_TRUE(cn_recorder_close(recorder, &error) == CN_OK);
    cn_run *run;
    cn_run_grade grade;
    CN_CHECK_TRUE(cn_run_open(NULL, path, &run, &error) == CN_OK);
    CN_CHECK_TRUE(cn_run_check(run, w.model, (double)NAN, &grade, &error) == CN_OK);
    if (!grade.within || !grade.complete) {
        print_error("%s; %s: %g, allowed %g\n", grade.incomplete, grade.finding[0].what,
                    grade.finding[0].value, grade.finding[0].allowed);
    }
    CN_CHECK_TRUE(grade.within && grade.complete);
    cn_run_close(run);
    unlink(path);
    world_close(&w);
}

CN_TEST(what_a_motor_cannot_have_is_an_error) {
    static const struct {
        const char *joint, *message;
    } wrong[] = {
        {"motor: {velocity: 1, stiffness: 2}", "has no stiffness"},
        {"motor: {torque: 1, stiffness: 2}", "has no stiffness"},
        {"motor: {torque: 1, damping: 2}", "has no damping"},
        {"armature: -1", "armature must be"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[600];
        cn_model *model = NULL;
        cn_error error = {0};
        int length = snprintf(text, sizeof text,
                              "cairn: 1\ndimension: 2\nmaterials: {steel: {density: 1}}\nbodies:\n"
                              "  - {name: base, fixed: true, material: steel}\n"
                              "  - {name: wheel, material: steel, mass: 3, inertia: 0.5}\njoints:\n"
                              "  - {kind: hinge, bodies: [base, wheel], point: [0, 0], %s}\n",
                              wrong[i].joint);
        CN_CHECK_TRUE(cn_scene_read_text(NULL, "scene.yaml", text, (size_t)length, NULL, 0, &model,
                                         &error) == CN_ERR_INPUT);
        CN_CHECK_TRUE(strstr(error.message, wrong[i].message) != NULL && error.line == 8);
    }
}
