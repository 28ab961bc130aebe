// bench/scale.c
// Scenes of growing size: spheres that settle (C1), polyhedra that pour (C2), walls (C3). What does
// not take long is also given to other engines; the largest are run only when they are named
// (--sizes spheres-100000). S_p says how far from real time each is; time per body and step follows
// from it, since all have the same step.
#include "bench/engines/comparison.h"

#define SCALE_LIMIT 60.0      // [s] of CPU for one run
#define SCALE_PATIENCE 7200.0 // of those that are asked for

static const comparison_setting scale_loose[] = {
    {.label = "2e-2", .set = {{"solver.tolerance", "2e-2"}, {"solver.settle", "0"}}},
    {.label = NULL}};
static const comparison_setting scale_tight[] = {
    {.label = "1e-3", .set = {{"solver.tolerance", "1e-3"}, {"solver.settle", "0"}}},
    {.label = NULL}};

// A box of the half width given [m]; its floor is plane 0, its walls follow.
#define SCALE_BOX(count_text, half, high)                                                          \
    {"generate.packing.count", count_text},                                                        \
        {"generate.packing.inside", "[[-" half ",-" half ",0],[" half "," half "," high "]]"},     \
        {"bodies.box.shape.1.plane.offset", "-" half},                                             \
        {"bodies.box.shape.2.plane.offset", "-" half},                                             \
        {"bodies.box.shape.3.plane.offset", "-" half},                                             \
        {"bodies.box.shape.4.plane.offset", "-" half}, {                                           \
        "time.step", "0.01"                                                                        \
    }

#define SCALE_SPHERES(count_text, half, high, wants, by_name)                                      \
    {                                                                                              \
        .label = count_text " spheres settle, h = 0.01 s", .mark = "spheres-" count_text,          \
        .scene_case = {.scene = "sphere-settling",                                                 \
                       .set = {SCALE_BOX(count_text, half, high), {"solver.settle", "0"}},         \
                       .until = 2.0,                                                               \
                       .unit = 1.0,                                                                \
                       .every = (wants),                                                           \
                       .limit = (by_name) ? SCALE_PATIENCE : SCALE_LIMIT},                         \
        .friction = 0.3, .settings = scale_loose, .alone = (by_name), .large = (by_name)           \
    }

#define SCALE_POLYHEDRA(count_text, half, high, wants, by_name)                                    \
    {                                                                                              \
        .label = count_text " polyhedra pour, h = 0.01 s", .mark = "polyhedra-" count_text,        \
        .scene_case = {.scene = "polyhedra-pouring",                                               \
                       .set = {SCALE_BOX(count_text, half, high)},                                 \
                       .until = 2.0,                                                               \
                       .unit = 1.0,                                                                \
                       .every = (wants),                                                           \
                       .limit = (by_name) ? SCALE_PATIENCE : SCALE_LIMIT},                         \
        .friction = 0.5, .settings = scale_loose, .alone = (by_name), .large = (by_name)           \
    }

#define SCALE_WALL(count_text, rows, row, time, by_name)                                           \
    {                                                                                              \
        .label = "wall of " count_text " blocks, h = 0.01 s", .mark = "wall-" count_text,          \
        .scene_case = {.scene = "masonry-wall",                                                    \
                       .set = {{"generate.wall.courses", rows},                                    \
                               {"generate.wall.bricks", row},                                      \
                               {"time.step", "0.01"}},                                             \
                       .until = (time),                                                            \
                       .unit = 0.2,                                                                \
                       .every = 10,                                                                \
                       .limit = (by_name) ? SCALE_PATIENCE : SCALE_LIMIT},                         \
        .friction = 0.6, .settings = scale_tight, .alone = (by_name), .large = (by_name)           \
    }

static const engine_comparison scale_comparison[] = {
    SCALE_SPHERES("1000", "10", "60", 5, false),
    SCALE_SPHERES("10000", "22", "90", 20, false),
    SCALE_SPHERES("100000", "45", "200", 100, true),
    SCALE_SPHERES("1000000", "100", "400", 100, true),
    SCALE_POLYHEDRA("100", "6", "40", 5, false),
    SCALE_POLYHEDRA("1000", "10", "60", 10, false),
    SCALE_POLYHEDRA("10000", "22", "90", 100, true),
    SCALE_POLYHEDRA("100000", "45", "200", 100, true),
    SCALE_WALL("105", "10", "10", 1.0, false),
    SCALE_WALL("1012", "25", "40", 0.2, false),
    SCALE_WALL("10040", "80", "125", 0.05, true),
    SCALE_WALL("100125", "250", "400", 0.02, true),
};

int bench_scale(const bench_job *job) {
    static const comparison_list list = {
        .bench = "scale",
        .comparisons = scale_comparison,
        .count = (int32_t)(sizeof scale_comparison / sizeof *scale_comparison),
        .title = "Scenes of growing size: accuracy over speed",
        .subtitle = "h = 0.01 s; better is below and to the right",
        .y_label = "largest overlap at the end / size"};
    return comparison_list_run(job, &list);
}
