// Friction far above 1: bodies on the ground are solved and come to rest, none falls through while
// its steps count as solved, and the work of what rounding leaves unsolved is bounded.
#include "figures.h"
#include "world.h"

static const double mus[] = {10.0, 100.0, 1e4, 1e6};
static const double tolerances[] = {1e-8, 1e-3};
#define MUS (sizeof mus / sizeof *mus)
#define TOLERANCES (sizeof tolerances / sizeof *tolerances)

// A sphere or a block over a plane, with the friction and the tolerance asked for.
static world over_plane(double mu, double tolerance, const char *body) {
    return world_open("cairn: 1\n"
                      "time: {step: 0.01, until: 2}\n"
                      "solver: {tolerance: %g}\n"
                      "materials: {stone: {density: 1000}}\n"
                      "contacts: [{between: [stone, stone], friction: %g}]\n"
                      "bodies:\n"
                      "  - {fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
                      "  - {material: stone, %s}\n",
                      tolerance, mu, body);
}

static void check_lies_at(world *w, double height) {
    CN_CHECK_TRUE(w->unsolved == 0);
    CN_CHECK_NEAR(world_position(w, 2)[2], height, 1e-4);
    CN_CHECK_BELOW(fabs(world_velocity(w, 2)[2]), 1e-5);
}

// It drops and rolls on: without the normal law of its own 19 mm into the ground at the first step.
CN_TEST(a_sphere_thrown_at_a_plane_rolls_on_it) {
    for (size_t i = 0; i < MUS * TOLERANCES; i++) {
        world w = over_plane(mus[i % MUS], tolerances[i / MUS],
                             "position: [0, 0, 0.5], velocity: [1, 0, 0],"
                             " shape: {sphere: {radius: 0.2}}");
        world_run(&w, 2.0);
        check_lies_at(&w, 0.2);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 5.0 / 7.0, 5e-3); // it met the plane ahead of it
        world_close(&w);
    }
}

CN_TEST(a_block_that_drops_flat_comes_to_rest) {
    for (size_t i = 0; i < MUS * TOLERANCES; i++) {
        world w = over_plane(mus[i % MUS], tolerances[i / MUS],
                             "position: [0, 0, 0.15], shape: {box: {size: [0.4, 0.3, 0.2]}}");
        world_run(&w, 2.0);
        check_lies_at(&w, 0.1);
        world_close(&w);
    }
}

// It slides at 1 m/s when it touches, tips and falls back. A million at 1e-8 is left out: some of
// its steps miss the tolerance, and say so.
CN_TEST(a_block_that_slides_in_comes_to_rest) {
    static const struct {
        double mu, tolerance;
    } trial[] = {{10.0, 1e-8},  {100.0, 1e-8}, {10.0, 1e-3},
                 {100.0, 1e-3}, {1e4, 1e-8},   {1e4, 1e-3}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        world w = over_plane(trial[i].mu, trial[i].tolerance,
                             "position: [0, 0, 0.1], velocity: [1, 0.3, 0],"
                             " shape: {box: {size: [0.4, 0.3, 0.2]}}");
        world_run(&w, 2.0);
        check_lies_at(&w, 0.1);
        world_close(&w);
    }
}

#define HEAD                                                                                       \
    "cairn: 1\ndimension: %d\ngravity: %s\ntime: {step: %g}\nsolver: {tolerance: 1e-8}\n"          \
    "materials: {stone: {density: 2000}}\n"                                                        \
    "contacts: [{between: ['*', '*'], friction: %g}]\nbodies:\n"                                   \
    "  - {material: stone, fixed: true, shape: {%s}}\n"
#define STEPS 200
#define EFFORT 100000 // iterations of one step at most, the default

static world block(int32_t dim, const char *gravity, double h, double mu, double speed) {
    return dim == 3 ? world_open(HEAD "  - {material: stone, shape: {box: {size: [1, 1, 0.5]}}, "
                                      "position: [0, 0, 0.25], velocity: [%g, 0, 0]}\n",
                                 (int)dim, gravity, h, mu, "plane: {normal: [0, 0, 1]}", speed)
                    : world_open(HEAD "  - {material: stone, shape: {box: {size: [1, 0.5]}}, "
                                      "position: [0, 0.25], velocity: [%g, 0]}\n",
                                 (int)dim, gravity, h, mu, "line: {normal: [0, 1]}", speed);
}

// A block that slides trips over its leading edge, falls back on both edges at once and rests.
static void check_sliding(figures *f, int32_t dim, double h, double mu, double speed,
                          int32_t unsolved) {
    world w = block(dim, dim == 3 ? "[0, 0, -9.81]" : "[0, -9.81]", h, mu, speed);
    double overlap = 0.0, max = 0.0;
    for (int32_t k = 0; k < STEPS; k++) {
        world_step(&w);
        overlap = fmax(overlap, w.last.penetration_max);
        max = fmax(max, (double)w.last.iterations);
    }
    figure_below(f, unsolved, w.unsolved, "%dD, h = %g, mu = %g, %g m/s: steps unsolved", (int)dim,
                 h, mu, speed);
    figure_below(f, EFFORT, max, "%dD, h = %g, mu = %g, %g m/s: iterations", (int)dim, h, mu,
                 speed);
    figure_below(f, 1e-6, overlap, "%dD, h = %g, mu = %g, %g m/s: penetration [m]", (int)dim, h, mu,
                 speed);
    world_close(&w);
}

CN_TEST(sliding_block_is_solved_at_every_step) {
    figures f = {0};
    for (int32_t k = 0; k < 12; k++) {
        check_sliding(&f, 2 + k % 2, k % 4 < 2 ? 1e-3 : 1e-2, k < 4 ? 1e2 : (k < 8 ? 1e3 : 1e4),
                      1.0, 0);
    }
    check_sliding(&f, 3, 5e-3, 1e4, 4.0, 0);
    figures_check(&f);
}

// Where a block lands on two edges at once it jams between them: impulses of mu r_N against one
// another, of which rounding leaves the natural map mu times as much.
CN_TEST(sliding_block_with_friction_of_a_million_takes_bounded_work) {
    figures f = {0};
    for (int32_t k = 0; k < 4; k++) {
        check_sliding(&f, 2 + k % 2, k < 2 ? 1e-3 : 1e-2, 1e6, 1.0, STEPS / 20);
    }
    figures_check(&f);
}

// On a slope of 0.35 rad: tangential impulses are those that the weight needs, not what the cone
// admits.
CN_TEST(resting_block_keeps_no_impulses_against_one_another) {
    figures f = {0};
    for (double mu = 1e2; mu < 1e7; mu *= 1e2) {
        world w = block(3, "[3.3638, 0, -9.2154]", 1e-3, mu, 0.0);
        double worst = 0.0;
        world_steps(&w, STEPS);
        for (int32_t i = 0; i < cn_sim_contact_count(w.sim); i++) {
            cn_contact_record contact;
            cn_sim_contact(w.sim, i, &contact);
            double normal = contact.impulse[2],
                   along = hypot(contact.impulse[0], contact.impulse[1]);
            worst = fmax(worst, along / normal);
        }
        figure_below(&f, 0.0, w.unsolved, "slope, mu = %g: steps unsolved", mu);
        figure_below(&f, 10.0, worst, "slope, mu = %g: largest |r_T| / r_N", mu);
        world_close(&w);
    }
    figures_check(&f);
}
