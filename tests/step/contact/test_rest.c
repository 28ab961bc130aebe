// What stands still by friction stays where it is, with nothing set but friction: no body moves by
// more than a ten-thousandth of a block in a minute.
#include "card_house.h"
#include "figures.h"
#include "world.h"

#include <stdlib.h>

#define SHARE 1e-4 // of the smallest side of a block
#define MINUTE 60.0
#define STONE "materials: {stone: {density: 2000}, card: {density: 200}}\n"
#define GROUND_2D "bodies:\n  - {material: stone, fixed: true, shape: {line: {normal: [0, 1]}}}\n"
#define GROUND_3D                                                                                  \
    "bodies:\n  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1]}}}\n"
#define SCENE(dimension, mu)                                                                       \
    "cairn: 1\ndimension: " dimension "\ntime: {step: %.17g}\n" STONE                              \
    "contacts: [{between: ['*', '*'], friction: " mu "}]\n"

// The farthest that a body moves from where it is at time `from`, looked at every tenth of a second
// until `until`. Every step must reach the default tolerance.
static double farthest(world *w, double h, double from, double until) {
    int32_t bodies = cn_model_body_count(w->model), dim = cn_model_dim(w->model);
    int64_t tenth = (int64_t)(0.1 / h + 0.5);
    double *start = malloc(sizeof *start * (size_t)(bodies * w->pose)), worst = 0.0;
    CN_CHECK_TRUE(start != NULL && tenth > 0);
    CN_CHECK_NEAR(cn_model_settings(w->model)->tolerance, 1e-3, 0.0);
    while (cn_sim_time(w->sim) < from - 0.5 * h) {
        world_step(w);
    }
    memcpy(start, w->q, sizeof *start * (size_t)(bodies * w->pose));
    while (cn_sim_time(w->sim) < until - 0.5 * h) {
        world_steps(w, tenth);
        for (int32_t i = 0; i < bodies; i++) {
            double sum = 0.0;
            for (int32_t k = 0; k < dim; k++) {
                double moved = w->q[i * w->pose + k] - start[i * w->pose + k];
                sum += moved * moved;
            }
            worst = fmax(worst, sqrt(sum));
        }
    }
    CN_CHECK_TRUE(w->unsolved == 0);
    free(start);
    return worst;
}

static void rests(figures *f, world w, double h, double side, const char *name) {
    double moved = farthest(&w, h, 0.0, MINUTE);
    figure_below(f, SHARE * side, moved, "%s, h = %g: moved in 60 s [m]", name, h);
    world_close(&w);
}

CN_TEST(columns_rest_at_the_default_tolerance) {
    figures f = {0};
    for (int32_t k = CN_WORLD_SLOW ? 1 : 0; k < 3; k++) {
        const double h = (double[]){1e-3, 5e-3, 1e-2}[k];
        rests(&f,
              world_open(SCENE("2", "0.8") GROUND_2D "generate: [{column: {count: 8, material: "
                                                     "stone, shape: {box: {size: [1, 0.5]}}}}]\n",
                         h),
              h, 0.5, "2D column");
        rests(&f,
              world_open(SCENE("3", "0.8") GROUND_3D
                         "generate: [{column: {count: 8, material: stone, "
                         "shape: {box: {size: [1, 1, 0.5]}}}}]\n",
                         h),
              h, 0.5, "3D column");
    }
    figures_check(&f);
}

CN_TEST(tower_rests_at_the_default_tolerance) {
    figures f = {0};
    rests(&f,
          world_open(SCENE("3", "0.5") GROUND_3D "generate: [{column: {count: 20, material: stone, "
                                                 "shape: {box: {size: [1, 1, 1]}}}}]\n",
                     1e-2),
          1e-2, 1.0, "tower of 20 cubes");
    figures_check(&f);
}

CN_TEST(block_on_a_slope_rests_at_the_default_tolerance) {
    const double h = 2e-3, tilt = 0.35;
    figures f = {0};
    rests(&f,
          world_open("cairn: 1\ngravity: [%.17g, 0, %.17g]\ntime: {step: %g}\n" STONE
                     "contacts: [{between: ['*', '*'], friction: 0.5}]\n" GROUND_3D
                     "  - {material: stone, shape: {box: {size: [1, 1, 0.5]}}, position: [0, 0, "
                     "0.25]}\n",
                     9.81 * sin(tilt), -9.81 * cos(tilt), h),
          h, 0.5, "block on a slope of 0.35 rad");
    figures_check(&f);
}

CN_TEST(arch_rests_at_the_default_tolerance) {
    const double h = CN_WORLD_SLOW ? 1e-2 : 4e-3;
    figures f = {0};
    rests(&f,
          world_open(SCENE("3", "0.6") GROUND_3D "generate: [{arch: {wedges: 21, radius: 2, "
                                                 "thickness: 0.4, depth: 0.5, material: stone}}]\n",
                     h),
          h, 2.2 * acos(-1.0) / 21.0, "arch of 21 wedges");
    figures_check(&f);
}

// 126 blocks with some 1400 contacts.
static void check_wall(double until) {
    const double h = 1e-2;
    figures f = {0};
    world w = world_open(SCENE("3", "0.6") GROUND_3D "generate: [{wall: {courses: 12, bricks: 10, "
                                                     "size: [0.4, 0.2, 0.2], material: stone}}]\n",
                         h);
    figure_below(&f, SHARE * 0.2, farthest(&w, h, 0.0, until), "wall: moved in %g s [m]", until);
    world_close(&w);
    figures_check(&f);
}

CN_TEST(wall_rests_at_the_default_tolerance) {
    CN_LONG_RUN();
    check_wall(5.0);
}

CN_TEST(long_wall_rests_for_a_minute_at_the_default_tolerance) {
    CN_LONG_RUN();
    check_wall(MINUTE);
}

// Houses fall into place first: their cards start with gaps and small overlaps.
static void check_house(int32_t levels, double from) {
    const double h = 1.0 / 240.0;
    figures f = {0};
    size_t room = 300 * (size_t)CARDS(levels);
    card *house = malloc(sizeof *house * (size_t)CARDS(levels));
    char *rows = calloc(room, 1);
    CN_CHECK_TRUE(house && rows && card_house(levels, house) == CARDS(levels));
    for (int32_t i = 0; i < CARDS(levels); i++) {
        card_row(&house[i], rows, room);
    }
    world w = world_open("detection: {overlap: 0.02}\n" SCENE("3", "0.8") GROUND_3D "%s", h, rows);
    figure_below(&f, SHARE * CARD_THICKNESS, farthest(&w, h, from, MINUTE),
                 "card house of %d levels: moved from %g s to 60 s [m]", (int)levels, from);
    world_close(&w);
    free(house);
    free(rows);
    figures_check(&f);
}

CN_TEST(card_house_rests_at_the_default_tolerance) {
    CN_LONG_RUN();
    check_house(4, 3.0);
}
