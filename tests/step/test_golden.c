// The same bits for every compiler and optimisation: hashes of scenes after some hundred steps. A
// change that means to alter results changes them; nothing else may.
#include "world.h"

#include <inttypes.h>

#define GOLDEN_HEAD "materials: {stone: {density: 1000}, wood: {density: 600}}\n"
#define FLOOR_3D                                                                                   \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
#define FLOOR_2D "  - {material: stone, fixed: true, shape: {line: {normal: [0, 1], offset: 0}}}\n"
#define WALLS_3D                                                                                   \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [1, 0, 0], offset: -1}}}\n"        \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [-1, 0, 0], offset: -1}}}\n"       \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 1, 0], offset: -1}}}\n"        \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [0, -1, 0], offset: -1}}}\n"
#define WALLS_2D                                                                                   \
    "  - {material: stone, fixed: true, shape: {line: {normal: [1, 0], offset: -1}}}\n"            \
    "  - {material: stone, fixed: true, shape: {line: {normal: [-1, 0], offset: -1}}}\n"

static void check_hash(const char *scene, int64_t steps, uint64_t want) {
    world w = world_open("cairn: 1\n" GOLDEN_HEAD "%s", scene);
    world_steps(&w, steps);
    uint64_t got = cn_sim_hash(w.sim);
    world_close(&w);
    if (got != want) {
        print_error("state hash: got %016" PRIx64 ", want %016" PRIx64 "\n", got, want);
        fail();
    }
}

CN_TEST(tumbling_box) {
    check_hash(
        "gravity: [0, 0, 0]\ntime: {step: 0.01}\n"
        "bodies: [{material: stone, shape: {box: {size: [1, 2, 3]}}, angular_velocity: [0.4, "
        "5, 0.1], velocity: [1, 2, 3]}]\n",
        300, UINT64_C(0x5e745bb1b32aebdb));
}

CN_TEST(bouncing_sphere) {
    check_hash("solver: {tolerance: 1e-8}\n"
               "contacts: [{between: [\"*\", \"*\"], friction: 0.3, restitution: 0.8}]\n"
               "time: {step: 0.002}\nbodies:\n" FLOOR_3D
               "  - {material: stone, shape: {sphere: {radius: 0.3}}, position: [0, 0, 1], "
               "velocity: [1, 0.5, 0], angular_velocity: [3, 4, 5]}\n",
               500, UINT64_C(0x7b5730e3aa0015db));
}

CN_TEST(settling_spheres) {
    check_hash("contacts: [{between: [\"*\", \"*\"], friction: 0.3}]\n"
               "time: {step: 0.01}\nsolver: {tolerance: 1e-6}\nbodies:\n" FLOOR_3D WALLS_3D
               "generate: [{packing: {count: 40, radius: [0.2, 0.3], inside: [[-1, -1, 0], [1, 1, "
               "8]], seed: 1, material: stone}}]\n",
               200, UINT64_C(0x4a546c08898d5e8c));
}

CN_TEST(settling_boxes) {
    check_hash("contacts: [{between: [\"*\", \"*\"], friction: 0.4}]\n"
               "time: {step: 0.01}\nsolver: {tolerance: 1e-6}\nbodies:\n" FLOOR_3D WALLS_3D
               "generate: [{packing: {count: 10, shape: {box: {size: [0.5, 0.4, 0.3]}}, inside: "
               "[[-1, -1, 0], [1, 1, 8]], seed: 2, material: wood}}]\n",
               150, UINT64_C(0xc2da028e6a7e8146));
}

CN_TEST(tower) {
    check_hash("solver: {tolerance: 1e-8}\n"
               "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\ntime: {step: 0.01}\n"
               "bodies:\n" FLOOR_3D "generate: [{column: {count: 6, material: stone, shape: {box: "
               "{size: [1, 1, 1]}}}}]\n",
               200, UINT64_C(0x41d55623d0b91d6d));
}

CN_TEST(arch_falling) {
    check_hash("solver: {tolerance: 1e-8}\n"
               "dimension: 2\ncontacts: [{between: [\"*\", \"*\"], friction: 0.8}]\ntime: {step: "
               "0.005}\nbodies:\n" FLOOR_2D
               "generate: [{arch: {wedges: 11, radius: 1, thickness: 0.08, material: stone}}]\n",
               200, UINT64_C(0x16128bfcbea3d56b));
}

CN_TEST(arch_standing_with_depth) {
    check_hash("solver: {tolerance: 1e-8}\n"
               "contacts: [{between: [\"*\", \"*\"], friction: 0.8}]\ntime: {step: 0.005}\n"
               "bodies:\n" FLOOR_3D
               "generate: [{arch: {wedges: 9, radius: 1, thickness: 0.2, depth: "
               "0.3, material: stone}}]\n",
               100, UINT64_C(0xbb625b6c5c798c55));
}

CN_TEST(disks_in_a_bin) {
    check_hash(
        "solver: {tolerance: 1e-8}\n"
        "dimension: 2\ncontacts: [{between: [\"*\", \"*\"], friction: {static: 0.5, dynamic: "
        "0.3}}]\ntime: {step: 0.005}\nintegrator: {theta: 1}\nbodies:\n" FLOOR_2D WALLS_2D
        "generate: [{packing: {count: 50, radius: [0.08, 0.12], inside: [[-1, 0], [1, 6]], "
        "seed: 5, material: stone}}]\n",
        200, UINT64_C(0xeab6cea9a636813e));
}

CN_TEST(shaken_polygons) {
    check_hash("solver: {tolerance: 1e-8}\n"
               "dimension: 2\ncontacts: [{between: [\"*\", \"*\"], friction: 0.4, restitution: "
               "0.3}]\ntime: {step: 0.005}\nbodies:\n"
               "  - {name: floor, material: stone, fixed: true, shape: {line: {normal: [0, 1], "
               "offset: 0}}}\n" WALLS_2D
               "generate: [{packing: {count: 12, shape: {polygon: {vertices: [[-0.2, -0.1], [0.2, "
               "-0.1], [0.1, 0.2]]}}, inside: [[-1, 0.1], [1, 6]], seed: 6, material: stone}}]\n"
               "motions: [{body: floor, velocity: [0, \"0.5*cos(20*t)\"]}]\n",
               200, UINT64_C(0x18ed0b189d103bc4));
}

CN_TEST(wall_hit_by_a_sphere) {
    check_hash("contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\ntime: {step: 0.005}\n"
               "solver: {tolerance: 1e-6}\nbodies:\n" FLOOR_3D
               "  - {material: stone, shape: {sphere: {radius: 0.3}}, position: [0, -1.5, 0.6], "
               "velocity: [0, 6, 0]}\n"
               "generate: [{wall: {courses: 4, bricks: 3, size: [0.6, 0.3, 0.2], material: "
               "wood}}]\n",
               120, UINT64_C(0xd9b6267cb00edaaf));
}

CN_TEST(gap_law_takes_overlaps_back) {
    check_hash(
        "contacts: [{between: [\"*\", \"*\"], friction: 0.3, law: gap, correction: 1e-3}]\n"
        "time: {step: 0.02}\nsolver: {name: nsgs, tolerance: 1e-3, settle: 0}\nbodies:\n" FLOOR_3D
            WALLS_3D "generate: [{packing: {count: 30, radius: 0.25, inside: [[-1, -1, 0], "
        "[1, 1, 8]], seed: 7, material: stone}}]\n",
        150, UINT64_C(0x6c40057822575ac0));
}

CN_TEST(pushed_and_locked) {
    check_hash("solver: {tolerance: 1e-8}\n"
               "contacts: [{between: [\"*\", \"*\"], friction: 0.3}]\ntime: {step: 0.01}\n"
               "bodies:\n" FLOOR_3D
               "  - {name: a, material: stone, shape: {sphere: {radius: 0.5}}, position: [0, 0, "
               "0.5], lock: [rx, ry, rz]}\n"
               "  - {name: b, material: wood, shape: {box: {size: [1, 1, 1]}}, position: [1.2, "
               "0.1, 0.5], lock: {axes: body, dofs: [rz]}}\n"
               "forces: [{body: a, force: [\"4000*sin(2*t)\", \"exp(-t)*1000\", 0]}, {body: b, "
               "torque: [0, 0, {times: [0, 1, 2], values: [0, 50, 0]}], axes: body}]\n",
               300, UINT64_C(0x3399c2adaf72b071));
}
