// Friction far above 1: bodies on the ground are solved and come to rest, and none falls through
// while its steps count as solved.
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

// It slides at 1 m/s when it touches, tips and falls back. Steeper cones at these tolerances are
// left out: some of their steps miss the tolerance, and say so.
CN_TEST(a_block_that_slides_in_comes_to_rest) {
    static const struct {
        double mu, tolerance;
    } trial[] = {{10.0, 1e-8}, {100.0, 1e-8}, {10.0, 1e-3}, {100.0, 1e-3}, {1e4, 1e-3}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        world w = over_plane(trial[i].mu, trial[i].tolerance,
                             "position: [0, 0, 0.1], velocity: [1, 0.3, 0],"
                             " shape: {box: {size: [0.4, 0.3, 0.2]}}");
        world_run(&w, 2.0);
        check_lies_at(&w, 0.1);
        world_close(&w);
    }
}
