// bench/masonry.c
// Masonry, by us and by other engines in one run: the arch of E4, the wall of E7 with blocks twice
// as long and friction 1.5 while half its ground goes down, and a tower. Blocks touch face to face,
// where contacts are redundant and engines made for games let things creep or fall. Nothing sleeps.
#include "bench/engines/comparison.h"

#define MASONRY_LIMIT 60.0 // [s] of CPU for one run

static const comparison_setting masonry_arch[] = {
    {.label = "1e-4",
     .set = {{"solver.tolerance", "1e-4"}, {"solver.settle", "0"}},
     .speed = 42.0,
     .moved = 1e-5},
    {.label = NULL}};
static const comparison_setting masonry_wall[] = {
    {.label = "1e-2", .set = {{"solver.tolerance", "1e-2"}, {"solver.settle", "0"}}, .speed = 10.0},
    {.label = "1e-3", .set = {{"solver.tolerance", "1e-3"}, {"solver.settle", "0"}}, .speed = 2.0},
    {.label = NULL}};
static const comparison_setting masonry_tower[] = {
    {.label = "1e-4", .set = {{"solver.tolerance", "1e-4"}, {"solver.settle", "0"}}},
    {.label = NULL}};

static const engine_comparison masonry_comparison[] = {
    {.label = "arch of 21 wedges, h = 0.004 s",
     .mark = "arch",
     .scene_case = {.scene = "masonry-arch",
                    .set = {{"time.step", "0.004"}},
                    .until = 10.0,
                    .unit = 0.4,
                    .every = 25,
                    .limit = MASONRY_LIMIT},
     .friction = 0.6,
     .settings = masonry_arch},
    {.label = "wall of 126 blocks, half the ground lowered, h = 0.01 s",
     .mark = "wall",
     .scene_case = {.scene = "chateau-gombert",
                    .set = {{"time.step", "0.01"},
                            {"generate.0.wall.size", "[0.4, 0.2, 0.2]"},
                            {"contacts.0.friction", "1.5"}},
                    .until = 22.0,
                    .unit = 0.2,
                    .every = 20,
                    .limit = MASONRY_LIMIT},
     .friction = 1.5,
     .settings = masonry_wall},
    {.label = "tower of 20 cubes, h = 0.01 s",
     .mark = "tower",
     .scene_case = {.scene = "tower",
                    .set = {{"time.step", "0.01"}},
                    .until = 30.0,
                    .unit = 1.0,
                    .every = 30,
                    .limit = MASONRY_LIMIT},
     .friction = 0.5,
     .settings = masonry_tower},
};

int bench_masonry(const bench_job *job) {
    static const comparison_list list = {
        .bench = "masonry",
        .comparisons = masonry_comparison,
        .count = (int32_t)(sizeof masonry_comparison / sizeof *masonry_comparison),
        .title = "Masonry: accuracy over speed",
        .subtitle = "arch of 21 wedges, wall of 126 blocks on sinking ground, tower of 20 cubes",
        .y_label = "largest overlap at the end / size of a block"};
    return comparison_list_run(job, &list);
}
