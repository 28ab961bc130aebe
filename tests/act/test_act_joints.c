// Reactions and efforts of joints: against statics, and against an inverse dynamics that knows the
// motion of the bodies alone: m dv/dt and dL/dt of each body, from the tip to the base. Momentum is
// conserved by the free motion on both sides of q~, so it is exact for the mean over a step, with
// forces at the points where the bodies are at q~.
#include "world.h"

#include <cairn/act.h>

#include "body/rigid.h"
#include "math/rotation.h"
#include "math/vec3.h"

#define LIMIT 1e-8

// The remedy against drift that projects velocities, the default, does so where the bodies are at
// the end of a step, so that it is smaller by h^2 what forces at the middle miss.
typedef struct remedy {
    const char *name;
    double step;
} remedy;
static const remedy remedies[] = {{"iterate", 1e-3}, {"ggl", 1e-4}};

// ---- statics ----

// A rod of 3 kg held level by a motor: the hinge bears its weight, the motor the moment of it.
CN_TEST(motor_that_holds_a_rod_level_gives_the_moment_of_its_weight) {
    for (int dim = 2; dim <= 3; dim++) {
        world w = world_open(
            "cairn: 1\ndimension: %d\ntime: {step: 1e-3}\ngravity: [0, %s]\n"
            "solver: {tolerance: 1e-12}\n"
            "materials: {steel: {density: 1000}}\nbodies:\n"
            "  - {name: ground, material: steel, fixed: true}\n"
            "  - {name: rod, material: steel, mass: 3, shape: {box: {size: [1, 0.1%s]}}, "
            "position: [0.5, 0%s]}\n"
            "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0%s]%s, "
            "motor: {position: 0}}]\n",
            dim, dim == 3 ? "0, -10" : "-10", dim == 3 ? ", 0.1" : "", dim == 3 ? ", 0" : "",
            dim == 3 ? ", 0" : "", dim == 3 ? ", axis: [0, 1, 0]" : "");
        int up = dim - 1;
        cn_joint_state joint;
        world_steps(&w, 100);
        assert_int_equal(cn_sim_joint(w.sim, 1, &joint), CN_OK);
        // About +y in 3D a positive turn lowers the tip, about +z in 2D it raises it.
        double moment = dim == 3 ? -15.0 : 15.0;
        CN_CHECK_NEAR(joint.force[0], 0.0, 30.0 * LIMIT);
        CN_CHECK_NEAR(joint.force[up], 30.0, 30.0 * LIMIT);
        CN_CHECK_NEAR(joint.torque[dim == 3 ? 1 : 2], moment, 15.0 * LIMIT);
        CN_CHECK_NEAR(joint.effort, moment, 15.0 * LIMIT);
        CN_CHECK_NEAR(joint.value, 0.0, 1e-9);
        assert_int_equal(joint.limit, 0);
        assert_int_equal(joint.saturated, 0);
        world_close(&w);
    }
}

// It falls onto its lower limit, which then bears the moment.
CN_TEST(limit_that_holds_a_rod_is_named) {
    world w = world_open("cairn: 1\ndimension: 2\ntime: {step: 1e-3}\ngravity: [0, -10]\n"
                         "materials: {steel: {density: 1000}}\nbodies:\n"
                         "  - {name: ground, material: steel, fixed: true}\n"
                         "  - {name: rod, material: steel, mass: 3, "
                         "shape: {box: {size: [1, 0.1]}}, position: [0.5, 0]}\n"
                         "joints:\n"
                         "  - {kind: hinge, bodies: [ground, rod], point: [0, 0], limits: [-0.1, "
                         "0.1]}\n");
    cn_joint_state joint;
    cn_sim_joint(w.sim, 1, &joint);
    assert_int_equal(joint.limit, 0);
    world_steps(&w, 2000);
    cn_sim_joint(w.sim, 1, &joint);
    assert_int_equal(joint.limit, -1);
    CN_CHECK_NEAR(joint.value, -0.1, 1e-6);
    CN_CHECK_NEAR(joint.limit_effort, 15.0 * cos(0.1), 1e-5);
    CN_CHECK_NEAR(joint.force[1], 30.0, 1e-5);
    world_close(&w);
}

// A slider against dry friction, a spring and a motor that may not give more than 2 N.
CN_TEST(friction_spring_and_motor_have_their_own_shares) {
    world w = world_open("cairn: 1\ntime: {step: 1e-3}\ngravity: [0, 0, 0]\n"
                         "materials: {steel: {density: 1000}}\nbodies:\n"
                         "  - {name: ground, material: steel, fixed: true}\n"
                         "  - {name: sledge, material: steel, mass: 2, "
                         "shape: {box: {size: [1, 1, 1]}}}\n"
                         "joints:\n"
                         "  - {kind: slider, bodies: [ground, sledge], point: [0, 0, 0], axis: [1, "
                         "0, 0], friction: 0.5, stiffness: 100, "
                         "motor: {velocity: 3, max_force: 2}}\n");
    cn_joint_state joint;
    world_step(&w);
    cn_sim_joints(w.sim, &joint);
    CN_CHECK_NEAR(joint.effort, 2.0, 1e-9);
    assert_int_equal(joint.saturated, 1);
    CN_CHECK_NEAR(joint.friction, -0.5, 1e-9);
    CN_CHECK_NEAR(joint.rate, 1e-3 * (1.5 + joint.spring) / 2.0, 1e-12);
    CN_CHECK_BELOW(joint.spring, 0.0);
    CN_CHECK_NEAR(joint.force[0], joint.effort + joint.friction + joint.spring, 1e-9);
    assert_int_equal(cn_sim_joint(w.sim, 2, &joint), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_joint(w.sim, 0, &joint), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_joint(w.sim, 1, NULL), CN_ERR_ARGUMENT);
    world_close(&w);
}

// ---- inverse dynamics ----

#define LINKS 4

// A body before and after a step.
typedef struct moved {
    double x[3], turn[4], v[3], w[3]; // centre of mass
} moved;

static moved take(const world *w, cn_body_id body) {
    moved m = {.turn = {1.0}};
    const double *q = world_position(w, body), *v = world_velocity(w, body);
    int dim = cn_model_dim(w->model);
    memcpy(m.x, q, sizeof *q * (size_t)dim);
    memcpy(m.v, v, sizeof *v * (size_t)dim);
    if (dim == 3) {
        memcpy(m.turn, q + 3, sizeof m.turn);
        memcpy(m.w, v + 3, sizeof m.w);
    } else {
        m.turn[0] = cos(0.5 * q[2]);
        m.turn[3] = sin(0.5 * q[2]);
        m.w[2] = v[2];
    }
    return m;
}

// R I R' w for principal moments.
static void spin(const moved *m, const double moments[3], double L[3]) {
    double R[9];
    math_quat_matrix(m->turn, R);
    math_mat3_apply_transposed(R, m->w, L);
    for (int k = 0; k < 3; k++) {
        L[k] *= moments[k];
    }
    math_mat3_apply(R, L, L);
}

// What a body needs in a step: force, and moment about its centre of mass.
static void needs(double h, const moved *before, const moved *after, double mass,
                  const double moments[3], const double gravity[3], double force[3],
                  double moment[3]) {
    double L[2][3];
    spin(before, moments, L[0]);
    spin(after, moments, L[1]);
    for (int k = 0; k < 3; k++) {
        force[k] = mass * ((after->v[k] - before->v[k]) / h - gravity[k]);
        moment[k] = (L[1][k] - L[0][k]) / h;
    }
}

// A point of the body at q~, half a step of free motion from its start, and the centre of mass.
static void at_middle(double h, const moved *m, double mass, const double moments[3],
                      const double point[3], double centre[3], double out[3]) {
    double inertia[9] = {moments[0], 0, 0, 0, moments[1], 0, 0, 0, moments[2]};
    double inverse[9] = {1 / moments[0], 0, 0, 0, 1 / moments[1], 0, 0, 0, 1 / moments[2]};
    const body_rigid body = {3, mass, inertia, inverse, 0, false};
    double pose[7], velocity[6], R[9];
    memcpy(pose, m->x, sizeof m->x);
    memcpy(pose + 3, m->turn, sizeof m->turn);
    memcpy(velocity, m->v, sizeof m->v);
    memcpy(velocity + 3, m->w, sizeof m->w);
    rigid_drift(&body, pose, velocity, 0.5 * h, pose, velocity);
    math_quat_matrix(pose + 3, R);
    memcpy(centre, pose, 3 * sizeof *centre);
    math_mat3_apply(R, point, out);
    math_add_scaled3(out, 1.0, centre, out);
}

typedef struct chain {
    int links; // bodies 2, 3, ... in a row, joint k between body k and k + 1
    double mass[LINKS], moments[LINKS][3];
    double near[LINKS][3]; // the joint's point, in the link's own frame
    double gravity[3], step;
} chain;

static void turn_moment(const double from[3], const double about[3], const double force[3],
                        double moment[3]) {
    double arm[3], part[3];
    math_sub3(from, about, arm);
    math_cross3(arm, force, part);
    math_add_scaled3(moment, 1.0, part, moment);
}

// Every joint of a chain after a step, from the tip to the base; the worst relative error.
static double worst_of_step(world *w, const chain *c) {
    moved before[LINKS], after[LINKS];
    for (int i = 0; i < c->links; i++) {
        before[i] = take(w, i + 2);
    }
    world_step(w);
    double force[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0}, point[3] = {0.0, 0.0, 0.0};
    double worst = 0.0;
    for (int i = c->links - 1; i >= 0; i--) {
        double own[3], moment[3], centre[3], here[3];
        cn_joint_state joint;
        after[i] = take(w, i + 2);
        needs(c->step, &before[i], &after[i], c->mass[i], c->moments[i], c->gravity, own, moment);
        at_middle(c->step, &before[i], c->mass[i], c->moments[i], c->near[i], centre, here);
        // Of what the next joint gives its second body, this one gets the opposite.
        math_add_scaled3(moment, 1.0, torque, moment);
        turn_moment(point, centre, force, moment);
        math_add_scaled3(force, 1.0, own, force);
        turn_moment(centre, here, force, moment);
        // moment is now about this joint's point, of what it has to give
        memcpy(torque, moment, sizeof torque);
        memcpy(point, here, sizeof point);
        cn_sim_joint(w->sim, i + 1, &joint);
        double scale = math_norm3(force) + c->mass[i] * 10.0;
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(joint.force[k] - force[k]) / scale);
            worst = fmax(worst, fabs(joint.torque[k] - torque[k]) / scale);
        }
    }
    return worst;
}

static double worst_of_run(world *w, const chain *c, int steps) {
    double worst = 0.0;
    for (int i = 0; i < steps; i++) {
        worst = fmax(worst, worst_of_step(w, c));
    }
    CN_CHECK_BELOW(w->worst_balance, 1e-6);
    return worst;
}

// Moments of a box about its centre.
static void box_moments(double mass, double x, double y, double z, double out[3]) {
    out[0] = mass * (y * y + z * z) / 12.0;
    out[1] = mass * (x * x + z * z) / 12.0;
    out[2] = mass * (x * x + y * y) / 12.0;
}

CN_TEST(reactions_of_a_double_pendulum_agree_with_inverse_dynamics) {
    for (int i = 0; i < 4; i++) {
        int dim = 2 + i / 2;
        const remedy *by = &remedies[i % 2];
        world w = world_open(
            "cairn: 1\ndimension: %d\ntime: {step: %g}\nintegrator: {joints: %s}\n"
            "gravity: [0, -9.81%s]\n"
            "materials: {steel: {density: 1000}}\nbodies:\n"
            "  - {name: ground, material: steel, fixed: true}\n"
            "  - {name: one, material: steel, mass: 3, shape: {box: {size: [1, 0.1%s]}}, "
            "position: [0.5, 0%s]}\n"
            "  - {name: two, material: steel, mass: 2, shape: {box: {size: [1, 0.1%s]}}, "
            "position: [1.5, 0%s]}\n"
            "joints:\n"
            "  - {kind: hinge, bodies: [ground, one], point: [0, 0%s]%s}\n"
            "  - {kind: hinge, bodies: [one, two], point: [1, 0%s]%s}\n",
            dim, by->step, by->name, dim == 3 ? ", 0" : "", dim == 3 ? ", 0.1" : "",
            dim == 3 ? ", 0" : "", dim == 3 ? ", 0.1" : "", dim == 3 ? ", 0" : "",
            dim == 3 ? ", 0" : "", dim == 3 ? ", axis: [0, 0, 1]" : "", dim == 3 ? ", 0" : "",
            dim == 3 ? ", axis: [0, 0, 1]" : "");
        chain c = {.links = 2,
                   .mass = {3.0, 2.0},
                   .near = {{-0.5, 0.0, 0.0}, {-0.5, 0.0, 0.0}},
                   .gravity = {0.0, -9.81, 0.0},
                   .step = by->step};
        box_moments(3.0, 1.0, 0.1, 0.1, c.moments[0]);
        box_moments(2.0, 1.0, 0.1, 0.1, c.moments[1]);
        CN_CHECK_BELOW(worst_of_run(&w, &c, 1000), LIMIT);
        world_close(&w);
    }
}

// Yaw, shoulder and elbow, moved by servos and with a load in the hand.
static void check_arm(const remedy *by) {
    world w = world_open(
        "cairn: 1\ntime: {step: %g}\nintegrator: {joints: %s}\ngravity: [0, 0, -9.81]\n"
        "materials: {steel: {density: 1000}}\nbodies:\n"
        "  - {name: ground, material: steel, fixed: true}\n"
        "  - {name: column, material: steel, mass: 4, shape: {box: {size: [0.2, 0.3, 0.6]}}, "
        "position: [0, 0, 0.3]}\n"
        "  - {name: upper, material: steel, mass: 3, shape: {box: {size: [0.8, 0.1, 0.2]}}, "
        "position: [0.4, 0, 0.6]}\n"
        "  - {name: lower, material: steel, mass: 2, shape: {box: {size: [0.6, 0.2, 0.1]}}, "
        "position: [1.1, 0, 0.6]}\n"
        "joints:\n"
        "  - {kind: hinge, bodies: [ground, column], point: [0, 0, 0], axis: [0, 0, 1], "
        "motor: {position: \"0.5*sin(3*t)\"}}\n"
        "  - {kind: hinge, bodies: [column, upper], point: [0, 0, 0.6], axis: [0, 1, 0], "
        "motor: {position: \"0.4*sin(2*t)\"}}\n"
        "  - {kind: hinge, bodies: [upper, lower], point: [0.8, 0, 0.6], axis: [0, 1, 0], "
        "motor: {torque: \"-5 + input(elbow)\"}}\n",
        by->step, by->name);
    chain c = {.links = 3,
               .mass = {4.0, 3.0, 2.0},
               .near = {{0.0, 0.0, -0.3}, {-0.4, 0.0, 0.0}, {-0.3, 0.0, 0.0}},
               .gravity = {0.0, 0.0, -9.81},
               .step = by->step};
    box_moments(4.0, 0.2, 0.3, 0.6, c.moments[0]);
    box_moments(3.0, 0.8, 0.1, 0.2, c.moments[1]);
    box_moments(2.0, 0.6, 0.2, 0.1, c.moments[2]);
    double worst = worst_of_run(&w, &c, 500);
    cn_error error = {0};
    CN_CHECK_TRUE(cn_sim_set_input(w.sim, 0, 2.0, &error) == CN_OK);
    worst = fmax(worst, worst_of_run(&w, &c, 500));
    CN_CHECK_BELOW(worst, LIMIT);
    // Along its axis a hinge gives what its motor gives.
    cn_joint_state joint[3];
    cn_sim_joints(w.sim, joint);
    CN_CHECK_NEAR(joint[0].torque[2], joint[0].effort, 1e-6);
    CN_CHECK_NEAR(joint[2].effort, -3.0, 0.0);
    world_close(&w);
}

CN_TEST(reactions_of_an_arm_agree_with_inverse_dynamics) {
    check_arm(&remedies[0]);
    check_arm(&remedies[1]);
}

// ---- a closed loop ----

// Gauss with pivoting.
static void solve_dense(int n, double *A, double *b) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++) {
            pivot = fabs(A[n * i + k]) > fabs(A[n * pivot + k]) ? i : pivot;
        }
        for (int j = 0; j < n; j++) {
            double swap = A[n * k + j];
            A[n * k + j] = A[n * pivot + j];
            A[n * pivot + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            double share = A[n * i + k] / A[n * k + k];
            for (int j = k; j < n; j++) {
                A[n * i + j] -= share * A[n * k + j];
            }
            b[i] -= share * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            b[k] -= A[n * k + j] * b[j];
        }
        b[k] /= A[n * k + k];
    }
}

#define PINS 4
#define UNKNOWN (2 * PINS + 1) // pin forces, and the torque of the motor

// Crank, coupler and rocker between two fixed pins: nine equations of three bodies.
static void check_four_bar(const remedy *by) {
    world w = world_open(
        "cairn: 1\ndimension: 2\ntime: {step: %g}\nintegrator: {joints: %s}\n"
        "gravity: [0, -9.81]\n"
        "materials: {steel: {density: 1000}}\nbodies:\n"
        "  - {name: ground, material: steel, fixed: true}\n"
        "  - {name: crank, material: steel, mass: 1, inertia: 0.02, position: [0, 0.25]}\n"
        "  - {name: coupler, material: steel, mass: 3, inertia: 0.4, position: [0.75, 0.75]}\n"
        "  - {name: rocker, material: steel, mass: 2, inertia: 0.2, position: [1.5, 0.5]}\n"
        "joints:\n"
        "  - {kind: hinge, bodies: [ground, crank], point: [0, 0], motor: {velocity: 6}}\n"
        "  - {kind: hinge, bodies: [crank, coupler], point: [0, 0.5]}\n"
        "  - {kind: hinge, bodies: [coupler, rocker], point: [1.5, 1]}\n"
        "  - {kind: hinge, bodies: [ground, rocker], point: [1.5, 0]}\n",
        by->step, by->name);
    const double h = by->step, mass[3] = {1.0, 3.0, 2.0}, inertia[3] = {0.02, 0.4, 0.2};
    const double gravity[3] = {0.0, -9.81, 0.0};
    // Pins of each body in its own frame, and the sign of their force on it.
    const struct {
        int pin[2];
        double sign[2], at[2][3];
    } link[3] = {{{0, 1}, {1, -1}, {{0, -0.25, 0}, {0, 0.25, 0}}},
                 {{1, 2}, {1, -1}, {{-0.75, -0.25, 0}, {0.75, 0.25, 0}}},
                 {{3, 2}, {1, 1}, {{0, -0.5, 0}, {0, 0.5, 0}}}};
    double worst = 0.0;
    world_steps(&w, 2); // the motor starts with a shock
    for (int step = 0; step < 1000; step++) {
        double A[UNKNOWN * UNKNOWN] = {0.0}, b[UNKNOWN];
        moved before[3];
        for (int i = 0; i < 3; i++) {
            before[i] = take(&w, i + 2);
        }
        world_step(&w);
        // Forces act at the point of the second body, which is the later one.
        double pin[PINS][3], centre[3][3];
        for (int i = 0; i < 3; i++) {
            double moments[3] = {inertia[i], inertia[i], inertia[i]};
            for (int side = 0; side < 2; side++) {
                double *here = pin[link[i].pin[side]], other[3];
                bool second = link[i].sign[side] > 0.0;
                at_middle(h, &before[i], mass[i], moments, link[i].at[side], centre[i],
                          second ? here : other);
            }
        }
        for (int i = 0; i < 3; i++) {
            moved after = take(&w, i + 2);
            double force[3], moment[3], moments[3] = {inertia[i], inertia[i], inertia[i]};
            needs(h, &before[i], &after, mass[i], moments, gravity, force, moment);
            b[3 * i] = force[0];
            b[3 * i + 1] = force[1];
            b[3 * i + 2] = moment[2];
            for (int side = 0; side < 2; side++) {
                const double *here = pin[link[i].pin[side]];
                double sign = link[i].sign[side];
                int at = 2 * link[i].pin[side];
                A[UNKNOWN * (3 * i) + at] = sign;
                A[UNKNOWN * (3 * i + 1) + at + 1] = sign;
                A[UNKNOWN * (3 * i + 2) + at] = -sign * (here[1] - centre[i][1]);
                A[UNKNOWN * (3 * i + 2) + at + 1] = sign * (here[0] - centre[i][0]);
            }
        }
        A[UNKNOWN * 2 + UNKNOWN - 1] = 1.0;
        solve_dense(UNKNOWN, A, b);
        double scale = 10.0;
        for (int k = 0; k < UNKNOWN; k++) {
            scale = fmax(scale, fabs(b[k]));
        }
        for (int k = 0; k < PINS; k++) {
            cn_joint_state joint;
            cn_sim_joint(w.sim, k + 1, &joint);
            worst = fmax(worst, fabs(joint.force[0] - b[2 * k]) / scale);
            worst = fmax(worst, fabs(joint.force[1] - b[2 * k + 1]) / scale);
            worst = fmax(worst, k ? 0.0 : fabs(joint.effort - b[UNKNOWN - 1]) / scale);
        }
    }
    CN_CHECK_BELOW(worst, LIMIT);
    world_close(&w);
}

CN_TEST(reactions_of_a_four_bar_linkage_agree_with_inverse_dynamics) {
    check_four_bar(&remedies[0]);
    check_four_bar(&remedies[1]);
}
