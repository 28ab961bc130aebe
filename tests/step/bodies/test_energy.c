// The energy ledger: theta = 1 with e = 0 never gains, and the balance of every step closes.
#include "world.h"

// Balls and boxes fall into a heap in a corner made of planes.
static world heap(int32_t dim, double theta, double mu, const char *law) {
    if (dim == 2) {
        return world_open(
            "cairn: 1\ndimension: 2\ntime: {step: 5e-3}\nintegrator: {theta: %g}\n"
            "materials: {stone: {density: 1000}}\n"
            "contacts: [{between: [\"*\", \"*\"], friction: %g, %s}]\nbodies:\n"
            "  - {material: stone, fixed: true, shape: {line: {normal: [0, 1], offset: 0}}}\n"
            "  - {material: stone, fixed: true, shape: {line: {normal: [1, 0.2], offset: -2}}}\n"
            "  - {material: stone, fixed: true, shape: {line: {normal: [-1, 0.2], offset: -2}}}\n"
            "generate:\n"
            "  - {packing: {count: 12, radius: [0.2, 0.3], inside: [[-1.2, 0.2], [1.2, 6]], seed: "
            "3, material: stone}}\n"
            "  - {packing: {count: 6, shape: {box: {size: [0.5, 0.3]}}, inside: [[-1.2, 6], [1.2, "
            "12]], seed: 4, material: stone}}\n",
            theta, mu, law);
    }
    return world_open(
        "cairn: 1\ntime: {step: 5e-3}\nintegrator: {theta: %g}\n"
        "materials: {stone: {density: 1000}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: %g, %s}]\nbodies:\n"
        "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
        "  - {material: stone, fixed: true, shape: {plane: {normal: [1, 0, 0.2], offset: -1.5}}}\n"
        "  - {material: stone, fixed: true, shape: {plane: {normal: [-1, 0, 0.2], offset: -1.5}}}\n"
        "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 1, 0.2], offset: -1.5}}}\n"
        "  - {material: stone, fixed: true, shape: {plane: {normal: [0, -1, 0.2], offset: -1.5}}}\n"
        "generate:\n"
        "  - {packing: {count: 12, radius: [0.2, 0.3], inside: [[-0.9, -0.9, 0.2], [0.9, 0.9, 4]], "
        "seed: 3, material: stone}}\n"
        "  - {packing: {count: %d, shape: {box: {size: [0.5, 0.3, 0.2]}}, inside: [[-0.9, -0.9, "
        "4], "
        "[0.9, 0.9, 8]], seed: 4, material: stone}}\n",
        theta, mu, law, 6);
}

// Rounding of the sums, and the tolerance of the solver, as a part of the heap's energy.
#define LEDGER_SHARE 1e-8

static void check_never_gains(int32_t dim) {
    world w = heap(dim, 1.0, 0.4, "restitution: 0");
    double start = w.energy;
    world_run(&w, CN_WORLD_SLOW ? 0.8 : 3.0);
    CN_CHECK_BELOW(w.worst_rise, LEDGER_SHARE * start);
    CN_CHECK_TRUE(w.energy < 0.9 * start && w.unsolved == 0 && w.missed == 0);
    world_close(&w);
}

CN_TEST(inelastic_heap_never_gains_energy_in_2d) {
    check_never_gains(2);
}

CN_TEST(inelastic_heap_never_gains_energy_in_3d) {
    check_never_gains(3);
}

// In the plane the balance leaves nothing but round-off, whatever the law and theta.
CN_TEST(balance_closes_in_2d) {
    static const char *const law[3] = {"restitution: 0", "restitution: 0.7",
                                       "restitution: 0, law: gap, correction: 1e-3"};
    for (int i = 0; i < 3; i++) {
        world w = heap(2, 0.5 + 0.25 * i, 0.4, law[i]);
        double start = w.energy;
        world_run(&w, CN_WORLD_SLOW ? 0.5 : 2.0);
        CN_CHECK_BELOW(w.worst_balance, 1e-12 * start);
        world_close(&w);
    }
}

// So it does in space, for boxes that tumble.
CN_TEST(balance_closes_in_3d) {
    static const char *const law[3] = {"restitution: 0", "restitution: 0.7",
                                       "restitution: 0, law: gap, correction: 1e-3"};
    for (int i = 0; i < 3; i++) {
        world w = heap(3, 0.5 + 0.25 * i, 0.4, law[i]);
        double start = w.energy;
        world_run(&w, CN_WORLD_SLOW ? 0.5 : 2.0);
        CN_CHECK_BELOW(w.worst_balance, 1e-12 * start);
        CN_CHECK_TRUE(w.last.contacts > 0);
        world_close(&w);
    }
}

// theta = 1 in free fall loses m g^2 h^2/2 a step, and the ledger says so.
CN_TEST(numerical_dissipation_of_free_fall_is_booked) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = world_open("cairn: 1\ndimension: %d\ntime: {step: 1e-2}\nintegrator: {theta: 1}\n"
                             "materials: {stone: {density: 1000}}\n"
                             "bodies: [{material: stone, mass: 2, shape: {%s: {radius: 1}}}]\n",
                             dim, dim == 3 ? "sphere" : "disk");
        double before = w.energy;
        world_step(&w);
        CN_CHECK_NEAR(w.last.dissipated_numerical, 0.5 * 2.0 * 9.81 * 9.81 * 1e-4, 1e-15);
        CN_CHECK_NEAR(before - w.energy, w.last.dissipated_numerical, 1e-14);
        world_close(&w);
    }
}

// A floor that lifts a ball gives it exactly the work that the ball gains.
CN_TEST(work_of_a_driven_floor_is_booked) {
    world w = world_open(
        "cairn: 1\ntime: {step: 1e-2}\nmaterials: {stone: {density: 1000}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0.3}]\nbodies:\n"
        "  - {name: floor, material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
        "offset: 0}}}\n"
        "  - {material: stone, mass: 2, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}\n"
        "motions: [{body: floor, velocity: [0, 0, \"0.5*sin(3*t)\"]}]\n");
    double start = w.energy, work = 0.0, lost = 0.0;
    for (int i = 0; i < 100; i++) {
        world_step(&w);
        work += w.last.work_external;
        lost += w.last.dissipated_impact + w.last.dissipated_friction + w.last.dissipated_numerical;
    }
    CN_CHECK_NEAR(w.energy - start, work - lost, 1e-12);
    CN_CHECK_TRUE(work > 1.0);
    world_close(&w);
}
