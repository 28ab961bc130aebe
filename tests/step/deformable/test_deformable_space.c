// Deformable bodies in 3D against each other and against Hertz, through scenes.
#include "pressed_block.h"

#include "figures.h"

static void below(const char *what, double got, double limit) {
    figures f = {0};
    figure_below(&f, limit, got, "%s", what);
    figures_check(&f);
}

// Two blocks whose meshes do not match under a uniform pressure, and with a shift of `shift` along
// x: then a part of each face overlaps nothing. With friction the answer is the same, since both
// sides widen alike.
static void check_patch(const char *what, const char *upper, const char *lower, double friction) {
    const double p = 1e3, young = 1e6, nu = 0.3;
    world w =
        world_open("cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 0.03}\n"
                   "integrator: {theta: 1}\nsolver: {tolerance: 1e-14, max_iterations: 100000}\n"
                   "materials: {m: {density: 1, young: %g, poisson: %g}}\n"
                   "contacts: [{between: [\"*\", \"*\"], friction: %g}]\nbodies:\n"
                   "  - {material: m, position: [0, 0, 0.25], deformable: {quasi_static: true,\n"
                   "     mesh: {box: {size: [1, 0.8, 0.5], cells: [%s]}},\n"
                   "     hold: [{group: bottom, axes: [z]}, {group: left, axes: [x]},\n"
                   "       {group: front, axes: [y]}]}}\n"
                   "  - {material: m, position: [0, 0, 0.75], deformable: {quasi_static: true,\n"
                   "     mesh: {box: {size: [1, 0.8, 0.5], cells: [%s]}},\n"
                   "     hold: [{group: left, axes: [x]}, {group: front, axes: [y]}],\n"
                   "     pressure: {group: top, value: %g}}}\n",
                   young, nu, friction, lower, upper, p);
    enum { NODES = 600 };
    double x[3 * NODES], worst = 0.0;
    CN_CHECK_TRUE(cn_model_node_count(w.model) <= NODES);
    world_steps(&w, 8);
    cn_sim_nodes(w.sim, x, NULL);
    cn_mesh_info mesh;
    for (cn_body_id body = 1; body <= 2; body++) {
        CN_CHECK_TRUE(cn_model_mesh(w.model, body, &mesh));
        for (int32_t n = 0; n < mesh.node_count; n++) {
            const double *X = mesh.nodes + 3 * n, *now = x + 3 * (mesh.first_node + n);
            double z = X[2] + (body == 1 ? 0.25 : 0.75), strain = p / young;
            double off[3] = {now[0] - X[0] - (X[0] + 0.5) * nu * strain,
                             now[1] - X[1] - (X[1] + 0.4) * nu * strain, now[2] - z + z * strain};
            worst = fmax(worst, hypot(hypot(off[0], off[1]), off[2]));
        }
    }
    below(what, worst / (p / young), 1e-10);
    world_close(&w);
}

CN_TEST(a_uniform_pressure_passes_meshes_that_do_not_match) {
    check_patch("4 x 3 on 3 x 2", "4, 3, 2", "3, 2, 2", 0.0);
    check_patch("2 x 2 on 5 x 3", "2, 2, 1", "5, 3, 2", 0.0);
    check_patch("4 x 3 on 3 x 2 with friction", "4, 3, 2", "3, 2, 2", 0.5);
}

// A block that hangs over the edge of the one below stands on it; its own weight makes it lean by
// 5e-5 rad, since it presses on part of the block below.
CN_TEST(a_block_that_overlaps_in_part_stands) {
    world w = world_open(
        "cairn: 1\ntime: {step: 1e-3}\nintegrator: {theta: 1}\nsolver: {tolerance: 1e-10}\n"
        "materials: {m: {density: 1000, young: 1e8, poisson: 0.3}, g: {density: 1}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
        "  - {material: g, fixed: true, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {material: m, position: [0, 0, 0.1],\n"
        "     deformable: {mesh: {box: {size: [0.4, 0.4, 0.2], cells: [4, 4, 2]}}}}\n"
        "  - {material: m, position: [0.137, 0.061, 0.3],\n"
        "     deformable: {mesh: {box: {size: [0.4, 0.4, 0.2], cells: [3, 3, 2]}}}}\n");
    world_run(&w, CN_WORLD_SLOW ? 0.03 : 0.3);
    const double *q = world_position(&w, 3);
    CN_CHECK_NEAR(q[0], 0.137, 1e-4);
    CN_CHECK_NEAR(q[1], 0.061, 1e-4);
    CN_CHECK_NEAR(q[2], 0.3, 1e-3);
    CN_CHECK_NEAR(fabs(q[3]), 1.0, 1e-6);
    CN_CHECK_BELOW(w.worst_balance, 1e-10);
    world_close(&w);
}

static void momentum(const world *w, double sum[3]) {
    cn_mesh_info mesh;
    enum { NODES = 1200 };
    static double x[3 * NODES], v[3 * NODES];
    sum[0] = sum[1] = sum[2] = 0.0;
    CN_CHECK_TRUE(cn_model_node_count(w->model) <= NODES);
    cn_sim_nodes(w->sim, x, v);
    for (cn_body_id body = 1; body <= 2; body++) {
        cn_body_info info;
        CN_CHECK_TRUE(cn_model_mesh(w->model, body, &mesh));
        assert_int_equal(cn_model_body(w->model, body, &info), CN_OK);
        const double *velocity = world_velocity(w, body);
        for (int i = 0; i < 3; i++) {
            sum[i] += info.mass * velocity[i];
        }
    }
}

// Two spheres of different meshes hit one another off their centres, without and with friction.
static void check_collision(double friction) {
    world w =
        world_open("cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 5e-4}\nsolver: {tolerance: 1e-12}\n"
                   "materials: {m: {density: 1000, young: 1e6, poisson: 0.3}}\n"
                   "contacts: [{between: [\"*\", \"*\"], friction: %g}]\nbodies:\n"
                   "  - {material: m, position: [-0.105, 0, 0], velocity: [1, 0, 0],\n"
                   "     deformable: {mesh: {sphere: {radius: 0.1, cells: 4}}}}\n"
                   "  - {material: m, position: [0.105, 0.04, 0.01], velocity: [-1, 0, 0],\n"
                   "     deformable: {mesh: {sphere: {radius: 0.1, cells: 3}}}}\n",
                   friction);
    double start[3], end[3], energy = w.energy, impulse[3], largest = 0.0;
    momentum(&w, start);
    for (int i = 0; i < (CN_WORLD_SLOW ? 20 : 120); i++) {
        world_step(&w);
        world_impulse(&w, 2, impulse);
        largest = fmax(largest, fabs(impulse[0]));
    }
    momentum(&w, end);
    below("momentum", hypot(hypot(end[0] - start[0], end[1] - start[1]), end[2] - start[2]),
          1e-12 * 8.0);
    below("balance of energy", w.worst_balance / energy, 1e-12);
    CN_CHECK_TRUE(largest > 0.01);
    CN_CHECK_BELOW(w.energy, 1.001 * energy);
    world_close(&w);
}

CN_TEST(two_elastic_spheres_keep_momentum_and_the_ledger_closes) {
    check_collision(0.0);
    check_collision(0.4);
}

// ---- bits ----

// Two spheres that collide with friction beside a sheet: the state after a while, with a number of
// threads, and saved and loaded on the way.
static uint64_t hash_after(int threads, bool pause) {
    world w = world_open(
        "cairn: 1\ntime: {step: 5e-4}\nsolver: {threads: %d}\n"
        "materials: {m: {density: 1000, young: 1e6, poisson: 0.3}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0.4}]\nbodies:\n"
        "  - {material: m, position: [-0.105, 0, 0], velocity: [1, 0, 0],\n"
        "     deformable: {mesh: {sphere: {radius: 0.1, cells: 3}}}}\n"
        "  - {material: m, position: [0.105, 0.04, 0.01], velocity: [-1, 0, 0],\n"
        "     angular_velocity: [3, 2, 10], deformable: {mesh: {sphere: {radius: 0.1, cells: "
        "2}}}}\n"
        "  - {material: m, position: [0, 0, -0.12], deformable: {hold: {group: left},\n"
        "     mesh: {sheet: {length: 0.4, width: 0.2, thickness: 0.02, cells: [8, 4, 1]}}}}\n",
        threads);
    world_steps(&w, 30);
    if (pause) {
        world_pause(&w);
    }
    world_steps(&w, 30);
    uint64_t hash = cn_sim_hash(w.sim);
    world_close(&w);
    return hash;
}

CN_TEST(rows_in_space_are_bitwise_the_same_with_threads_and_after_a_pause) {
    uint64_t one = hash_after(1, false);
    assert_true(hash_after(1, true) == one);
    assert_true(hash_after(2, false) == one);
    assert_true(hash_after(8, true) == one);
}

// ---- Hertz ----

enum { FINE = 4, COARSE = 8, EDGES = FINE + COARSE, ACROSS = EDGES + 1 };

// Coordinates from 0 to width: even up to `fine`, then growing.
static void graded(double fine, double width, double *x) {
    double step = fine / FINE, low = 1.0, high = 4.0;
    for (int round = 0; round < 200; round++) {
        double ratio = 0.5 * (low + high), sum = 0.0, part = step;
        for (int i = 0; i < COARSE; i++) {
            part *= ratio;
            sum += part;
        }
        *(sum > width - fine ? &high : &low) = ratio;
    }
    double part = step;
    x[0] = 0.0;
    for (int i = 1; i < ACROSS; i++) {
        part *= i > FINE ? low : 1.0;
        x[i] = x[i - 1] + part;
    }
    x[EDGES] = width;
}

// A rigid sphere on a quarter of a block 24 a wide and deep, which is a little stiffer than a half space:
// force over 4/3 E* sqrt(R) d^1.5.
CN_TEST(the_force_on_a_sphere_is_hertz) {
    enum { LAYER = ACROSS * ACROSS, NODES = LAYER * ACROSS };
    static double nodes[3 * NODES], across[ACROSS];
    static int32_t corner[8 * EDGES * EDGES * EDGES], side[3][LAYER];
    const double radius = 5.0, young = 1e3, nu = 0.3, a = 0.1, sink = a * a / radius;
    graded(0.15, 2.4, across);
    for (int n = 0, count[3] = {0, 0, 0}; n < NODES; n++) {
        const int at[3] = {n % ACROSS, n / ACROSS % ACROSS, n / LAYER};
        for (int i = 0; i < 2; i++) {
            nodes[3 * n + i] = across[at[i]];
        }
        nodes[3 * n + 2] = -across[EDGES - at[2]];
        for (int i = 0; i < 3; i++) {
            if (at[i] == 0) {
                side[i][count[i]++] = n;
            }
        }
    }
    for (int k = 0, c = 0; k < EDGES * EDGES * EDGES; k++) {
        int32_t n = k % EDGES + ACROSS * (k / EDGES % EDGES) + LAYER * (k / (EDGES * EDGES));
        const int32_t step[8] = {0,     1,         ACROSS + 1,         ACROSS,
                                 LAYER, LAYER + 1, LAYER + ACROSS + 1, LAYER + ACROSS};
        for (int i = 0; i < 8; i++) {
            corner[c++] = n + step[i];
        }
    }
    const cn_node_group groups[] = {
        {"left", side[0], LAYER}, {"front", side[1], LAYER}, {"bottom", side[2], LAYER}};
    const cn_node_drive holds[] = {{.group = "left", .axes = CN_AXIS_X},
                                   {.group = "front", .axes = CN_AXIS_Y},
                                   {.group = "bottom", .axes = CN_AXIS_X | CN_AXIS_Y | CN_AXIS_Z}};
    const cn_deformable_def soft = {.mesh = {.kind = CN_MESH_GIVEN,
                                             .nodes = nodes,
                                             .node_count = NODES,
                                             .elements = corner,
                                             .element_count = EDGES * EDGES * EDGES,
                                             .groups = groups,
                                             .group_count = 3},
                                    .quasi_static = true,
                                    .drives = holds,
                                    .drive_count = 3};
    const cn_material_def rubber = {.name = "m", .density = 1.0, .young = young, .poisson = nu};
    world w = pressed_block(&soft, 3, &rubber, radius, sink);
    world_steps(&w, 3);
    double impulse[3], force,
        hertz = 4.0 / 3.0 * young / (1.0 - nu * nu) * sqrt(radius) * sink * sqrt(sink);
    world_impulse(&w, PRESSED_BALL, impulse);
    force = 4.0 * fabs(impulse[2]) / 10.0;
    below("force over Hertz - 1", fabs(force / hertz - 1.0), 0.03);
    world_close(&w);
}
