// Scenes whose steps are hard to solve: how many iterations they take, and how many steps miss their
// tolerance. No times: the counts are the same on every machine.
#include "card_house.h"
#include "figures.h"
#include "world.h"

#include <stdlib.h>

typedef struct hard_run {
    double iterations; // a step
    double most;       // of one step
    double worst;      // residual
    int32_t unsolved;
} hard_run;

static hard_run run_steps(world *w, int32_t steps) {
    hard_run out = {0};
    for (int32_t i = 0; i < steps; i++) {
        world_step(w);
        out.iterations += (double)w->last.iterations / steps;
        out.most = fmax(out.most, (double)w->last.iterations);
    }
    out.unsolved = w->unsolved;
    out.worst = w->worst_residual;
    return out;
}

// 155 cards fall into place: from the fall to rest, 2 s.
CN_TEST(long_card_house_of_ten_levels_to_a_tight_tolerance) {
    enum { LEVELS = 10 };
    size_t room = 300 * (size_t)CARDS(LEVELS);
    card *house = malloc(sizeof *house * (size_t)CARDS(LEVELS));
    char *rows = calloc(room, 1);
    figures f = {0};
    CN_CHECK_TRUE(house && rows && card_house(LEVELS, house) == CARDS(LEVELS));
    for (int32_t i = 0; i < CARDS(LEVELS); i++) {
        card_row(&house[i], rows, room);
    }
    world w = world_open("cairn: 1\ntime: {step: %.17g}\ndetection: {overlap: 0.02}\n"
                         "solver: {tolerance: 1e-6, on_stall: continue}\n"
                         "materials: {stone: {density: 2000}, card: {density: 200}}\n"
                         "contacts: [{between: ['*', '*'], friction: 0.8}]\nbodies:\n"
                         "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1]}}}\n"
                         "%s",
                         1.0 / 240.0, rows);
    hard_run seen = run_steps(&w, 480);
    figure_below(&f, 200.0, seen.iterations, "card house of 10 levels: iterations per step");
    figure_below(&f, 3.0, seen.unsolved, "card house of 10 levels: steps above the tolerance");
    figure_below(&f, 1e-5, seen.worst, "card house of 10 levels: worst residual");
    world_close(&w);
    free(house);
    free(rows);
    figures_check(&f);
}

// Spheres poured into a box, until they have come to rest.
static world poured(int count, int seed, double friction, double restitution, double tolerance) {
    return world_open("cairn: 1\ntime: {step: 1.0e-3}\nsolver: {tolerance: %g}\n"
                      "materials: {glass: {density: 2000}}\n"
                      "contacts: [{between: [glass, glass], friction: %g, restitution: %g}]\n"
                      "bodies: [{fixed: true, material: glass, shape: [\n"
                      "  {plane: {normal: [0, 0, 1], offset: 0}},\n"
                      "  {plane: {normal: [1, 0, 0], offset: -0.3}},\n"
                      "  {plane: {normal: [-1, 0, 0], offset: -0.3}},\n"
                      "  {plane: {normal: [0, 1, 0], offset: -0.3}},\n"
                      "  {plane: {normal: [0, -1, 0], offset: -0.3}}]}]\n"
                      "generate: [{packing: {count: %d, radius: [0.04, 0.06], seed: %d,\n"
                      "  inside: [[-0.3, -0.3, 0], [0.3, 0.3, 2.4]], material: glass}}]\n",
                      tolerance, friction, restitution, count, seed);
}

CN_TEST(long_poured_spheres_to_a_tenth_of_the_default_tolerance) {
    figures f = {0};
    world w = poured(200, 2, 0.5, 0.3, 1e-4);
    hard_run seen = run_steps(&w, 1500);
    figure_below(&f, 2000.0, seen.iterations, "200 spheres at 1e-4: iterations per step");
    figure_below(&f, 5.0, seen.unsolved, "200 spheres at 1e-4: steps above the tolerance");
    world_close(&w);
    figures_check(&f);
}

CN_TEST(long_poured_rough_spheres_at_the_default_tolerance) {
    figures f = {0};
    world w = poured(200, 2, 0.8, 0.3, 1e-3);
    hard_run seen = run_steps(&w, 1300);
    figure_below(&f, 1000.0, seen.iterations, "200 spheres, friction 0.8: iterations per step");
    figure_below(&f, 2.0, seen.unsolved, "200 spheres, friction 0.8: steps above the tolerance");
    figure_below(&f, 2e-3, seen.worst, "200 spheres, friction 0.8: worst residual");
    world_close(&w);
    figures_check(&f);
}

// No sweeps of a step reach their limit, after which it would take a tenth of a second and more.
static void check_defaults(figures *f, int count, int seed, double restitution) {
    world w = poured(count, seed, 0.5, restitution, 1e-3);
    hard_run seen = run_steps(&w, 3000);
    figure_below(f, 250.0, seen.iterations, "%d spheres, e = %g, seed %d: iterations per step",
                 count, restitution, seed);
    figure_below(f, 12000.0, seen.most, "%d spheres, e = %g, seed %d: iterations of a step", count,
                 restitution, seed);
    figure_below(f, 0.0, seen.unsolved, "%d spheres, e = %g, seed %d: steps above the tolerance",
                 count, restitution, seed);
    world_close(&w);
}

CN_TEST(long_poured_spheres_at_the_default_tolerance) {
    figures f = {0};
    for (int k = 0; k < 10; k++) {
        check_defaults(&f, 200, 1 + k / 2, k % 2 == 0 ? 0.0 : 0.3);
    }
    check_defaults(&f, 320, 3, 0.0);
    check_defaults(&f, 320, 3, 0.3);
    figures_check(&f);
}
