// Penetration that impacts or the start leave: it goes away without changing velocities, its work
// has its own place in the balance, and nothing else gains energy.
#include "card_house.h"
#include "shots.h"

#include "math/vec3.h"

#define STONE "materials: {stone: {density: 1000}}\n"
#define GROUND_3D                                                                                  \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
#define GROUND_2D "  - {material: stone, fixed: true, shape: {line: {normal: [0, 1], offset: 0}}}\n"
#define SLOP 2e-3 // penetration that stays, over the smaller inradius of a pair

// ---- stack that starts with penetration ----

#define BLOCKS 10
#define BLOCK_HEIGHT 0.4
#define DEPTH 5e-3

static world overlapping_stack(int32_t dim, double h) {
    char bodies[4096] = "";
    for (int i = 0; i < BLOCKS; i++) {
        size_t used = strlen(bodies);
        double z = BLOCK_HEIGHT * (i + 0.5) - DEPTH * (i + 1);
        snprintf(bodies + used, sizeof bodies - used,
                 dim == 3 ? "  - {material: stone, shape: {box: {size: [0.4, 0.4, %g]}}, position: "
                            "[0, 0, %.17g]}\n"
                          : "  - {material: stone, shape: {box: {size: [0.4, %g]}}, position: [0, "
                            "%.17g]}\n",
                 BLOCK_HEIGHT, z);
    }
    return world_open("cairn: 1\ndimension: %d\ntime: {step: %.17g}\nsolver: {tolerance: 1e-8}\n"
                      "detection: {overlap: 0.02}\n" STONE
                      "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n%s%s",
                      dim, h, dim == 3 ? GROUND_3D : GROUND_2D, bodies);
}

static void check_stack(figures *f, int32_t dim, double h) {
    world w = overlapping_stack(dim, h);
    watch run = watch_start(&w);
    double sideways = 0.0, slop = SLOP * 0.5 * BLOCK_HEIGHT;
    watch_run(&w, &run, h, 0.5);
    double after = w.last.penetration_max;
    watch_run(&w, &run, h, 2.0);
    for (int32_t i = 2; i < 2 + BLOCKS; i++) {
        const double *x = world_position(&w, i);
        sideways = fmax(sideways, dim == 3 ? hypot(x[0], x[1]) : fabs(x[0]));
    }
    figure_below(f, 2e-3, run.kinetic, "overlapping stack, %dD, h = %g: kinetic energy [J]", dim,
                 h);
    figure_below(f, slop, after, "overlapping stack, %dD, h = %g: penetration at 0.5 s [m]", dim,
                 h);
    figure_below(f, slop, w.last.penetration_max,
                 "overlapping stack, %dD, h = %g: penetration at 2 s [m]", dim, h);
    figure_below(f, 1e-4, sideways, "overlapping stack, %dD, h = %g: sideways [m]", dim, h);
    world_close(&w);
}

CN_TEST(overlapping_stack_rises_without_speed) {
    figures f = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        check_stack(&f, dim, 4e-3);
    }
    figures_check(&f);
}

// Sum of the balance over a run, and the work of the lift against the weight times the lift.
CN_TEST(work_of_lifting_out_of_penetration_closes_the_balance) {
    figures f = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = overlapping_stack(dim, 4e-3);
        watch run = watch_start(&w);
        double before[BLOCKS], lifted = 0.0, full = 0.0;
        for (int32_t i = 0; i < BLOCKS; i++) {
            before[i] = world_position(&w, i + 2)[dim - 1];
        }
        watch_run(&w, &run, 4e-3, 2.0);
        for (int32_t i = 0; i < BLOCKS; i++) {
            cn_body_info block;
            cn_model_body(w.model, i + 2, &block);
            lifted += block.mass * 9.81 * (world_position(&w, i + 2)[dim - 1] - before[i]);
            full += block.mass * 9.81 * DEPTH * (i + 1);
        }
        double sum = w.energy - run.start - run.given + run.lost;
        figure_above(&f, 0.9, run.correction / full, "lifted stack, %dD: work over that of all",
                     dim);
        figure_below(&f, 0.02, fabs(run.correction - lifted) / full,
                     "lifted stack, %dD: work less weight times lift, over it", dim);
        figure_below(&f, 1e-9, fabs(sum) / full, "lifted stack, %dD: error of the balance", dim);
        figure_below(&f, 1e-9, run.balance / full, "lifted stack, %dD: largest of a step", dim);
        figure_below(&f, 1e-9, run.rise / full, "lifted stack, %dD: largest gain in a step", dim);
        world_close(&w);
    }
    figures_check(&f);
}

// ---- ellipsoid that starts with penetration ----

CN_TEST(ellipsoid_rolls_out_of_the_ground_and_keeps_its_energy) {
    CN_LONG_RUN();
    const double half[3] = {0.35, 0.2, 0.25}, tilt = 0.6, h = 2e-3;
    double height = hypot(sin(tilt) * half[0], cos(tilt) * half[2]);
    figures f = {0};
    world w = world_open(
        "cairn: 1\ntime: {step: %g}\nsolver: {tolerance: 1e-12}\ndetection: {overlap: 0.01}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n" GROUND_3D
        "  - {material: stone, shape: {ellipsoid: {axes: [0.7, 0.4, 0.5]}}, position: [0, 0, "
        "%.17g], rotation: {axis: [0, 1, 0], angle: %g}}\n",
        h, height - DEPTH, tilt);
    watch run = watch_start(&w);
    watch_run(&w, &run, h, 1.0);
    figure_below(&f, SLOP * 0.2, w.last.penetration_max, "ellipsoid: penetration at 1 s [m]");
    watch_run(&w, &run, h, 30.0);
    figure_below(&f, SLOP * 0.2, w.last.penetration_max, "ellipsoid: penetration at 30 s [m]");
    figure_below(&f, 3e-4, fabs(watch_change(&w, &run)) / run.start, "ellipsoid: |dE|/E0");
    figure_below(&f, 1e-5, run.above / run.start, "ellipsoid: energy above start");
    world_close(&w);
    figures_check(&f);
}

// ---- poured bodies ----

#define GRAIN_2D "{polygon: {vertices: [[-0.1, -0.06], [0.05, -0.1], [0.11, 0.03], [0, 0.1]]}}"
#define GRAIN_3D                                                                                   \
    "{polyhedron: {vertices: [[0.1, 0, 0], [-0.1, 0.02, 0], [-0.05, -0.1, 0], [0, 0.1, 0.02], "    \
    "[0, "                                                                                         \
    "0, 0.1], [-0.02, 0.01, -0.1]]}}"

// Polygons or polyhedra poured between walls.
static void pour(figures *f, int32_t dim, int count, double h, double e, double until,
                 double limit) {
    world w = world_open(
        "cairn: 1\ndimension: %d\ntime: {step: %.17g}\nsolver: {tolerance: 1e-5}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5, restitution: %g}]\nbodies:\n%s"
        "generate: [{packing: {count: %d, shape: %s, inside: %s, seed: 7, material: stone}}]\n",
        dim, h, e,
        dim == 3 ? GROUND_3D
            "  - {material: stone, fixed: true, shape: [{plane: {normal: [1, 0, 0], offset: -0.3}},"
            "{plane: {normal: [-1, 0, 0], offset: -0.3}}, {plane: {normal: [0, 1, 0], offset: "
            "-0.3}}, {plane: {normal: [0, -1, 0], offset: -0.3}}]}\n"
                 : GROUND_2D
            "  - {material: stone, fixed: true, shape: [{line: {normal: [1, 0], offset: -0.6}}, "
            "{line: {normal: [-1, 0], offset: -0.6}}]}\n",
        count, dim == 3 ? GRAIN_3D : GRAIN_2D,
        dim == 3 ? "[[-0.3, -0.3, 0], [0.3, 0.3, 9]]" : "[[-0.6, 0], [0.6, 9]]");
    watch run = watch_start(&w);
    watch_run(&w, &run, h, until);
    figure_below(f, limit, w.last.penetration_max,
                 "%d %s poured, h = %.3g, e = %g: end penetration [m]", count,
                 dim == 3 ? "polyhedra" : "polygons", h, e);
    figure_note(run.penetration, "%d %s poured, h = %.3g, e = %g: largest penetration [m]", count,
                dim == 3 ? "polyhedra" : "polygons", h, e);
    figure_note(w.last.kinetic, "%d %s poured, h = %.3g, e = %g: kinetic energy at the end [J]",
                count, dim == 3 ? "polyhedra" : "polygons", h, e);
    world_close(&w);
}

CN_TEST(poured_polygons_do_not_stay_in_each_other) {
    CN_LONG_RUN();
    figures f = {0};
    pour(&f, 2, 40, 1.0 / 60, 0.0, 6.0, 1.6e-4);
    pour(&f, 2, 40, 5e-3, 0.0, 4.0, 1.6e-4);
    figures_check(&f);
}

CN_TEST(poured_polygons_with_restitution_do_not_stay_in_each_other) {
    CN_LONG_RUN();
    figures f = {0};
    pour(&f, 2, 40, 1.0 / 60, 0.3, 8.0, 1.6e-4);
    figures_check(&f);
}

CN_TEST(poured_polyhedra_do_not_stay_in_each_other) {
    CN_LONG_RUN();
    figures f = {0};
    pour(&f, 3, 20, 5e-3, 0.0, 3.0, 1e-4);
    figures_check(&f);
}

// Largest penetration of the last step over the smaller radius of its pair.
static double relative_depth(const world *w) {
    double worst = 0.0;
    for (int32_t i = 0; i < cn_sim_contact_count(w->sim); i++) {
        cn_contact_record contact;
        cn_shape_info shape[2];
        cn_sim_contact(w->sim, i, &contact);
        cn_model_shape(w->model, contact.candidate, 0, &shape[0]);
        cn_model_shape(w->model, contact.antagonist, 0, &shape[1]);
        double radius = HUGE_VAL;
        for (int k = 0; k < 2; k++) {
            radius = shape[k].kind == CN_SHAPE_SPHERE ? fmin(radius, shape[k].radius) : radius;
        }
        worst = fmax(worst, -contact.gap / radius);
    }
    return worst;
}

// Spheres of radius 0.04 to 0.06 with restitution 0.3 in a box `width` wide.
static void pour_spheres(figures *f, int count, double width, double h, int seed) {
    double offset = -0.5 * width;
    world w = world_open(
        "cairn: 1\ntime: {step: %g}\n"
        "solver: {tolerance: 1e-3, params: \"settle=30\", on_stall: continue}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5, restitution: "
        "0.3}]\nbodies:\n" GROUND_3D
        "  - {material: stone, fixed: true, shape: [{plane: {normal: [1, 0, 0], offset: %g}}, "
        "{plane: {normal: [-1, 0, 0], offset: %g}}, {plane: {normal: [0, 1, 0], offset: %g}}, "
        "{plane: {normal: [0, -1, 0], offset: %g}}]}\n"
        "generate: [{packing: {count: %d, radius: [0.04, 0.06], inside: [[%g, %g, 0], [%g, %g, "
        "9]], seed: %d, material: stone}}]\n",
        h, offset, offset, offset, offset, count, offset, offset, -offset, -offset, seed);
    watch run = watch_start(&w);
    watch_run(&w, &run, h, 3.0);
    figure_below(f, 1e-3, relative_depth(&w),
                 "%d spheres poured, h = %g, seed %d: end penetration / radius", count, h, seed);
    figure_note(run.penetration / 0.04,
                "%d spheres poured, h = %g, seed %d: largest penetration / radius", count, h, seed);
    world_close(&w);
}

CN_TEST(poured_spheres_with_restitution_do_not_stay_in_each_other) {
    CN_LONG_RUN();
    figures f = {0};
    pour_spheres(&f, 60, 0.4, 1e-3, 2);
    pour_spheres(&f, 60, 0.4, 5e-3, 2);
    figures_check(&f);
}

CN_TEST(long_two_hundred_poured_spheres_do_not_stay_in_each_other) {
    CN_LONG_RUN();
    figures f = {0};
    for (int seed = 1; seed <= 5; seed++) {
        pour_spheres(&f, 200, 0.6, 1e-3, seed);
    }
    figures_check(&f);
}

// ---- card house ----

#define LEVELS 4
#define HOUSE CARDS(LEVELS)
#define HEAD                                                                                       \
    "cairn: 1\ntime: {step: %.17g}\nsolver: {tolerance: %g, on_stall: continue}\n"                 \
    "detection: {overlap: 0.02}\n"                                                                 \
    "materials: {card: {density: 200}, stone: {density: 500}}\n"                                   \
    "contacts: [{between: [\"*\", \"*\"], friction: 0.8}]\nbodies:\n"                              \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n%s"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Lets the house settle for 3 s and writes its cards as they then stand to `rows`.
static void settle_house(figures *f, double h, double tolerance, char *rows, size_t room,
                         double *top) {
    card house[HOUSE];
    double start[HOUSE][3], creep = 0.0;
    *top = LEVELS * CARD_LEVEL;
    CN_CHECK_TRUE(card_house(LEVELS, house) == HOUSE);
    for (int i = 0; i < HOUSE; i++) {
        card_row(&house[i], rows, room);
    }
    world w = world_open(HEAD, h, tolerance, rows);
    world_steps(&w, 240);
    for (int i = 0; i < HOUSE; i++) {
        memcpy(start[i], world_position(&w, i + 2), sizeof start[i]);
    }
    world_steps(&w, 480);
    rows[0] = 0;
    for (int i = 0; i < HOUSE; i++) {
        double moved[3];
        memcpy(house[i].pose, world_position(&w, i + 2), sizeof house[i].pose);
        math_sub3(house[i].pose, start[i], moved);
        creep = fmax(creep, math_norm3(moved));
        card_row(&house[i], rows, room);
    }
    figure_below(f, 1e-3, creep, "card house: moved from 1 s to 3 s [m]");
    figure_below(f, 5e-4, w.last.penetration_max, "card house: penetration before impact [m]");
    world_close(&w);
}

// Four cubes fall on the settled house from 1 m above.
static void check_house(double tolerance) {
    enum { SECOND = 240 };
    const double h = 1.0 / SECOND;
    figures f = {0};
    char rows[14000] = "";
    double top, second[SECOND];
    settle_house(&f, h, tolerance, rows, sizeof rows, &top);
    for (int i = 0; i < 4; i++) {
        size_t used = strlen(rows);
        snprintf(rows + used, sizeof rows - used,
                 "  - {material: stone, shape: {box: {size: [0.8, 0.8, 0.8]}}, position: [%g, 0, "
                 "%.17g]}\n",
                 (i - 1.5) * 1.2, top + 1.0);
    }
    world w = world_open(HEAD, h, tolerance, rows);
    watch run = watch_start(&w);
    watch_run(&w, &run, h, 1.0);
    figure_note(w.last.penetration_max, "card house: penetration 1 s after release [m]");
    run.penetration = 0.0;
    for (int i = 0; i < SECOND; i++) {
        watch_step(&w, &run);
        second[i] = w.last.penetration_max;
    }
    qsort(second, SECOND, sizeof *second, ascending);
    figure_below(&f, 5e-4, second[SECOND / 2],
                 "card house: median penetration 1 s to 2 s after release [m]");
    figure_note(run.penetration, "card house: largest penetration 1 s to 2 s after release [m]");
    watch_run(&w, &run, h, 3.333);
    figure_below(&f, 5e-4, w.last.penetration_max,
                 "card house: penetration 3.33 s after release [m]");
    figure_below(&f, 1e-9, run.above / run.start, "card house: energy above start");
    world_close(&w);
    figures_check(&f);
}

CN_TEST(card_house_keeps_no_penetration_after_the_impact) {
    CN_LONG_RUN();
    check_house(1e-4);
}

CN_TEST(long_card_house_keeps_no_penetration_at_a_tight_tolerance) {
    CN_LONG_RUN();
    check_house(1e-6);
}
