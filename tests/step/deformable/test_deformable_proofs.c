// Deformable bodies against closed forms and the figures of a prototype, through scenes.
#include "pressed_block.h"

#include "figures.h"

static void below(const char *what, double got, double limit) {
    figures f = {0};
    figure_below(&f, limit, got, "%s", what);
    figures_check(&f);
}

static double least_squares_slope(int count, const double *t, const double *v) {
    double mean_t = 0.0, mean_v = 0.0, tt = 0.0, tv = 0.0;
    for (int i = 0; i < count; i++) {
        mean_t += t[i] / count;
        mean_v += v[i] / count;
    }
    for (int i = 0; i < count; i++) {
        tt += (t[i] - mean_t) * (t[i] - mean_t);
        tv += (t[i] - mean_t) * (v[i] - mean_v);
    }
    return tv / tt;
}

// A bar hits a wall (E = rho = A = L = c = 1, v = 0.01): in contact for 2, force 0.01 throughout.
CN_TEST(a_bar_rebounds_after_twice_its_length) {
    enum { N = 200 };
    const double h = 1.0 / N, speed = 0.01, gap = 0.3 * speed * h;
    world w = world_open(
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: %.17g}\n"
        "solver: {tolerance: 1e-12}\n"
        "materials: {m: {density: 1, young: 1, poisson: 0}, wall: {density: 1}}\nbodies:\n"
        "  - {material: wall, fixed: true, shape: {line: {normal: [1, 0]}}}\n"
        "  - {material: m, position: [%.17g, 0], velocity: [%g, 0], deformable: {plane: stress,\n"
        "     strain: small, mesh: {box: {size: [1, 1], cells: [%d, 1], element: q4-plain}}}}\n",
        h, 0.5 + gap, -speed, N);
    double start = w.energy, square = 0.0, sum = 0.0;
    int pressed = 0, counted = 0, first = -1, last = -1;
    for (int i = 0; i < 2.4 * N; i++) {
        double impulse[3];
        world_step(&w);
        world_impulse(&w, 2, impulse);
        double force = impulse[0] / h;
        if (force > 0.0) {
            first = first < 0 ? i : first;
            last = i;
            pressed++;
        }
        double since = (i - first) * h;
        if (first >= 0 && since >= 0.3 && since <= 1.7) {
            square += (force - speed) * (force - speed);
            sum += force;
            counted++;
        }
    }
    below("duration - 2 over 2.5 h", fabs((last - first + 1) * h - 2.0) / (2.5 * h), 1.0);
    CN_CHECK_TRUE(pressed == last - first + 1); // it does not open early
    below("mean force", fabs(sum / counted / speed - 1.0), 1e-3);
    below("rms force", sqrt(square / counted) / speed, 5e-4);
    below("loss times 2 n - 1", fabs((1.0 - w.energy / start) * 2.0 * N - 1.0), 0.2);
    CN_CHECK_BELOW(w.worst_balance, 1e-12 * start);
    world_close(&w);
}

// Two blocks whose meshes do not match, 7 cells on 4, under a uniform pressure. The upper one rests
// on contacts alone: what mass there is must keep a step of its free motion, h^2 p / m, small beside
// the displacements over their round-off.
static void check_patch(const char *candidates) {
    const double p = 1e3, young = 1e6, nu = 0.3;
    world w = world_open(
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 0.03}\n"
        "integrator: {theta: 1}\nsolver: {tolerance: 1e-14, max_iterations: 100000}\n"
        "materials: {m: {density: 1, young: %g, poisson: %g}}\nbodies:\n"
        "  - {material: m, position: [0, 0.25], deformable: {quasi_static: true, candidates: %s,\n"
        "     mesh: {box: {size: [1, 0.5], cells: [4, 3]}},\n"
        "     hold: [{group: bottom, axes: [y]}, {group: left, axes: [x]}]}}\n"
        "  - {material: m, position: [0, 0.75], deformable: {quasi_static: true, candidates: %s,\n"
        "     mesh: {box: {size: [1, 0.5], cells: [7, 3]}},\n"
        "     hold: {group: left, axes: [x]}, pressure: {group: top, value: %g}}}\n",
        young, nu, candidates, candidates, p);
    double x[2 * 64], worst = 0.0;
    int32_t nodes = cn_model_node_count(w.model);
    CN_CHECK_TRUE(nodes <= 64);
    world_steps(&w, 8);
    cn_sim_nodes(w.sim, x, NULL);
    cn_mesh_info mesh;
    for (cn_body_id body = 1; body <= 2; body++) {
        CN_CHECK_TRUE(cn_model_mesh(w.model, body, &mesh));
        for (int32_t n = 0; n < mesh.node_count; n++) {
            double X = mesh.nodes[2 * n] + 0.5,
                   Y = mesh.nodes[2 * n + 1] + (body == 1 ? 0.25 : 0.75);
            const double *now = x + 2 * (mesh.first_node + n);
            double ux = X * nu * (1.0 + nu) * p / young, uy = -Y * (1.0 - nu * nu) * p / young;
            worst = fmax(worst, hypot(now[0] - (X - 0.5) - ux, now[1] - Y - uy));
        }
    }
    below(candidates, worst / (p / young), 1e-10);
    world_close(&w);
}

CN_TEST(a_uniform_pressure_passes_meshes_that_do_not_match) {
    check_patch("nodes");
}

// A block slides down 30 degrees: a = g (sin - mu cos), whatever the scale.
static void check_slide(double scale, double until) {
    enum { STEPS_MAX = 3000 };
    static double t[STEPS_MAX], v[STEPS_MAX];
    const double g = 9.81, mu = 0.3, angle = 0.5235987755982988;
    world w = world_open(
        "cairn: 1\ndimension: 2\ngravity: [%.17g, %.17g]\ntime: {step: 1e-3}\n"
        "integrator: {theta: 1}\nsolver: {tolerance: 1e-10}\n"
        "materials: {m: {density: 1000, young: 1e7, poisson: 0.3}}\n"
        "contacts: [{between: [m, m], friction: %g}]\nbodies:\n"
        "  - {material: m, fixed: true, shape: {line: {normal: [0, 1]}}}\n"
        "  - {material: m, position: [0, %.17g], deformable: {mesh: {box: {size: [%g, %g], cells: "
        "[4, 4]}}}}\n",
        g * sin(angle), -g * cos(angle), mu, 0.7 * scale, 1.4 * scale, 1.4 * scale);
    int steps = (int)(until / 1e-3 + 0.5), count = 0;
    for (int i = 0; i < steps; i++) {
        world_step(&w);
        if (i >= steps / 2) {
            t[count] = cn_sim_time(w.sim);
            v[count++] = world_velocity(&w, 2)[0];
        }
    }
    double right = g * (sin(angle) - mu * cos(angle));
    below("acceleration", fabs(least_squares_slope(count, t, v) / right - 1.0), 1e-3);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

CN_TEST(a_sliding_block_accelerates_alike_at_every_scale) {
    check_slide(1.0, CN_WORLD_SLOW ? 1.5 : 3.0);
    check_slide(0.1, 0.5);
    check_slide(0.01, 0.5);
}

// ---- the wall (Jean 1999, section 8) ----

static const double wall_weight = 144 * 0.1 * 0.05 * 500.0 * 9.81, wall_step = 1e-4;

typedef struct wall_forces {
    double ground, heads;
    int32_t pressed, contacts;
} wall_forces;

static wall_forces wall_look(const world *w) {
    wall_forces sum = {.ground = 0.0};
    sum.contacts = cn_sim_contact_count(w->sim);
    for (int32_t i = 0; i < sum.contacts; i++) {
        cn_contact_record c;
        cn_sim_contact(w->sim, i, &c);
        if (c.antagonist == 1) {
            sum.ground += c.impulse[1] / wall_step;
        } else if ((c.candidate - 2) / 12 == (c.antagonist - 2) / 12) {
            sum.heads += fabs(c.impulse[0]) / wall_step;
            sum.pressed += fabs(c.impulse[0]) > 0.0;
        }
    }
    return sum;
}

CN_TEST(the_wall_of_elastic_blocks_is_that_of_the_prototype) {
    world w = world_open(
        "cairn: 1\ndimension: 2\ntime: {step: 1e-4}\nintegrator: {theta: 1}\n"
        "solver: {tolerance: 1e-8}\n"
        "materials: {brick: {density: 500, young: 1.0e6, poisson: 0.3}, g: {density: 1}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
        "  - {fixed: true, material: g, shape: {line: {normal: [0, 1]}}}\n"
        "generate:\n"
        "  - wall: {courses: 12, bricks: 12, size: [0.1, 0.05], ends: shifted, material: brick,\n"
        "      deformable: {strain: small, candidates: midpoints, mesh: {box: {cells: [2, 2],\n"
        "        element: t3, pattern: union-jack}}}}\n");
    wall_forces before = {.ground = 0.0}, now = before;
    int step = 0;
    for (; now.ground < wall_weight && step < 200; step++) {
        before = now;
        world_step(&w);
        now = wall_look(&w);
    }
    double T =
        1e3 * wall_step * (step - 1 + (wall_weight - before.ground) / (now.ground - before.ground));
    below("T / 12.07 ms - 1", fabs(T / 12.07 - 1.0), 0.01);
    CN_CHECK_TRUE(now.contacts == 541 && now.pressed >= 235);
    below("heads / 3403 N - 1", fabs(now.heads / 3403.0 - 1.0), 0.03);
    CN_CHECK_TRUE(w.unsolved == 0 && w.missed == 0);
    CN_CHECK_BELOW(w.worst_balance, 1e-12 * w.energy);
    world_close(&w);
}

// ---- Hertz in the plane ----

enum { FINE = 16, COARSE = 20, EDGES = FINE + COARSE, ACROSS = EDGES + 1 };

// Coordinates from 0 to 1: even up to `fine`, then growing.
static void graded(double fine, double *x) {
    double step = fine / FINE, low = 1.0, high = 2.0;
    for (int round = 0; round < 200; round++) {
        double ratio = 0.5 * (low + high), sum = 0.0, part = step;
        for (int i = 0; i < COARSE; i++) {
            part *= ratio;
            sum += part;
        }
        *(sum > 1.0 - fine ? &high : &low) = ratio;
    }
    double part = step;
    x[0] = 0.0;
    for (int i = 1; i < ACROSS; i++) {
        part *= i > FINE ? low : 1.0;
        x[i] = x[i - 1] + part;
    }
    x[EDGES] = 1.0;
}

// Forces [N] on the nodes of the top, and on the whole block.
static double forces_of(const world *w, const double *across, double near, double *at) {
    double force = 0.0;
    for (int32_t i = 0; i < cn_sim_contact_count(w->sim); i++) {
        cn_contact_record c;
        cn_sim_contact(w->sim, i, &c);
        for (int k = 0; k < ACROSS; k++) {
            if (fabs(c.point[0] - across[k]) < near) {
                at[k] = -c.impulse[1] / 10.0;
                force += 2.0 * at[k];
            }
        }
    }
    return force;
}

// A rigid disk on half a block of 2 x 2: pressures against p_0 sqrt(1 - x^2 / a^2), from the force.
CN_TEST(the_pressure_under_a_disk_is_hertz) {
    static double nodes[2 * ACROSS * ACROSS], across[ACROSS], x[2 * ACROSS * ACROSS];
    static int32_t corner[4 * EDGES * EDGES], left[ACROSS], bottom[ACROSS], top[ACROSS];
    const double radius = 5.0, young = 1e3, nu = 0.3, fine = 0.15, sink = 1.5e-3;
    graded(fine, across);
    for (int j = 0; j < ACROSS; j++) {
        for (int i = 0; i < ACROSS; i++) {
            nodes[2 * (ACROSS * j + i)] = across[i];
            nodes[2 * (ACROSS * j + i) + 1] = -2.0 * across[EDGES - j];
        }
        left[j] = ACROSS * j;
        bottom[j] = j;
        top[j] = ACROSS * EDGES + j;
    }
    for (int j = 0, k = 0; j < EDGES; j++) {
        for (int i = 0; i < EDGES; i++, k += 4) {
            int32_t n = ACROSS * j + i;
            const int32_t own[4] = {n, n + 1, n + ACROSS + 1, n + ACROSS};
            memcpy(corner + k, own, sizeof own);
        }
    }
    const cn_node_group groups[] = {
        {"left", left, ACROSS}, {"bottom", bottom, ACROSS}, {"top", top, ACROSS}};
    const cn_node_drive holds[] = {{.group = "left", .axes = CN_AXIS_X},
                                   {.group = "bottom", .axes = CN_AXIS_X | CN_AXIS_Y}};
    const cn_deformable_def soft = {.mesh = {.kind = CN_MESH_GIVEN,
                                             .nodes = nodes,
                                             .node_count = ACROSS * ACROSS,
                                             .elements = corner,
                                             .element_count = EDGES * EDGES,
                                             .groups = groups,
                                             .group_count = 3},
                                    .quasi_static = true,
                                    .drives = holds,
                                    .drive_count = 2};
    const cn_material_def rubber = {.name = "m", .density = 1.0, .young = young, .poisson = nu};
    world w = pressed_block(&soft, 2, &rubber, radius, sink);
    world_steps(&w, 4);
    cn_sim_nodes(w.sim, x, NULL);
    double at[ACROSS] = {0.0}, force = forces_of(&w, across, 0.2 * fine / FINE, at);
    const double stiff = young / (1.0 - nu * nu), pi = 3.14159265358979323846;
    double a = sqrt(4.0 * force * radius / (pi * stiff)), p0 = 2.0 * force / (pi * a), worst = 0.0;
    for (int k = 0; across[k] < 0.8 * a; k++) {
        double share = k == 0 ? 0.5 * across[1] : 0.5 * (across[k + 1] - across[k - 1]);
        double hertz = p0 * sqrt(1.0 - across[k] * across[k] / (a * a));
        worst = fmax(worst, fabs(at[k] / share - hertz) / p0);
    }
    CN_CHECK_TRUE(a > 0.05 && a < fine);
    below("pressure inside 0.8 a", worst, 5e-3);
    world_close(&w);
}

// ---- stresses ----

// Every element of body 1 has the stress given, in Pa.
static void check_stress(const char *what, const world *w, const double right[6], double share) {
    enum { ELEMENTS_MAX = 256 };
    static double stress[6 * ELEMENTS_MAX];
    double worst = 0.0, size = 0.0;
    cn_mesh_info mesh;
    CN_CHECK_TRUE(cn_model_mesh(w->model, 1, &mesh) && mesh.element_count <= ELEMENTS_MAX);
    CN_CHECK_TRUE(cn_sim_stress(w->sim, 1, stress));
    for (int k = 0; k < 6; k++) {
        size = fmax(size, fabs(right[k]));
    }
    for (int32_t i = 0; i < 6 * mesh.element_count; i++) {
        worst = fmax(worst, fabs(stress[i] - right[i % 6]));
    }
    below(what, worst / size, share);
}

// A bar that a pressure presses along an axis of its own, turned in the world: -p n n'. The faces
// across are free, so that sigma does not depend on Poisson's ratio; plane strain has -nu p along z.
static void check_pressed_2d(const char *more, double lateral) {
    const double p = 2e4, a = 0.6;
    world w =
        world_open("cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 100, until: 1000}\n"
                   "integrator: {theta: 1}\nmaterials: {m: {density: 1000, young: 1e7, poisson: "
                   "0.3}}\nbodies:\n"
                   "  - {material: m, position: [3, 1], angle: %.17g, deformable: {strain: small,\n"
                   "     quasi_static: true, mesh: {box: {size: [2, 1], cells: [4, 2]}}%s,\n"
                   "     hold: [{group: left, axes: [x]}, {group: bottom, axes: [y]}],\n"
                   "     pressure: {group: right, value: %g}}}\n",
                   a, more, p);
    world_steps(&w, 4);
    const double right[6] = {
        -p * cos(a) * cos(a), -p * sin(a) * sin(a), -lateral * p, -p * cos(a) * sin(a), 0.0, 0.0};
    check_stress(more, &w, right, 1e-7);
    world_close(&w);
}

CN_TEST(a_pressed_bar_has_the_same_stress_in_every_element) {
    check_pressed_2d("", 0.3);
    check_pressed_2d(", plane: stress", 0.0);
}

CN_TEST(a_pressed_bar_in_space_has_its_stress_in_world_axes) {
    const double p = 2e4, c = 0.8, s = 0.6; // about z by atan2(s, c)
    world w = world_open(
        "cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 100, until: 1000}\nintegrator: {theta: 1}\n"
        "materials: {m: {density: 1000, young: 1e7, poisson: 0.3}}\nbodies:\n"
        "  - {material: m, position: [3, 1, 2], orientation: [%.17g, 0, 0, %.17g],\n"
        "     deformable: {strain: small, quasi_static: true,\n"
        "     mesh: {box: {size: [2, 1, 1], cells: [3, 2, 2]}},\n"
        "     hold: [{group: left, axes: [x]}, {group: front, axes: [y]}, {group: bottom, axes: "
        "[z]}],\n"
        "     pressure: {group: right, value: %g}}}\n",
        sqrt(0.5 * (1.0 + c)), sqrt(0.5 * (1.0 - c)), p);
    world_steps(&w, 4);
    const double right[6] = {-p * c * c, -p * s * s, 0.0, -p * c * s, 0.0, 0.0};
    check_stress("pressed in space", &w, right, 1e-7);
    double none[6];
    CN_CHECK_TRUE(!cn_sim_stress(w.sim, 0, none) && !cn_sim_stress(w.sim, 2, none));
    CN_CHECK_TRUE(!cn_sim_stress(NULL, 1, none) && !cn_sim_stress(w.sim, 1, NULL));
    world_close(&w);
}

// Turned with the body: a soft block that spins without strain to speak of has stresses of the
// order rho w^2 L^2 alone, however far it has turned.
CN_TEST(turning_alone_makes_no_stress) {
    world w = world_open("cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1e-3}\n"
                         "materials: {m: {density: 1000, young: 1e7, poisson: 0.3}}\nbodies:\n"
                         "  - {material: m, angular_velocity: 1,\n"
                         "     deformable: {mesh: {box: {size: [0.6, 0.3], cells: [6, 3]}}}}\n");
    double stress[6 * 18], worst = 0.0;
    world_run(&w, 1.0);
    CN_CHECK_TRUE(cn_sim_stress(w.sim, 1, stress));
    for (int i = 0; i < 6 * 18; i++) {
        worst = fmax(worst, fabs(stress[i]));
    }
    below("stress over rho w^2 L^2", worst / (1000.0 * 1.0 * 0.36), 2.0);
    world_close(&w);
}
