// bench/settling.c
// Spheres settle in a box (E3), by us and by other engines in one run, from the same starts.
//
// Two rows are ours: real time, residual 2e-2 at every step, and accurate, 1e-3. Both take back
// overlaps of at most a thousandth of the radius per step. A row is the median of some starts with
// different seeds, since the runs are chaotic, with the smallest and largest S_p beside it. No
// frames are written.
#include "bench/engines/comparison.h"

#define SETTLING_UNTIL 10.0 // [s]
#define SETTLING_LIMIT 60.0 // [s] of CPU for one run

static const comparison_setting settling_small[] = {
    {.label = "real time", .set = {{"solver.tolerance", "2e-2"}}, .overlap = 1e-3},
    {.label = "accurate", .set = {{"solver.tolerance", "1e-3"}}, .overlap = 5e-4},
    {.label = NULL}};
static const comparison_setting settling_320[] = {
    {.label = "real time", .set = {{"solver.tolerance", "2e-2"}}, .overlap = 1e-3, .ratio = 10.0},
    {.label = "accurate", .set = {{"solver.tolerance", "1e-3"}}, .overlap = 5e-4, .speed = 10.0},
    {.label = NULL}};
static const comparison_setting settling_1000[] = {
    {.label = "real time", .set = {{"solver.tolerance", "2e-2"}}, .overlap = 1e-3, .ratio = 10.0},
    {.label = "accurate", .set = {{"solver.tolerance", "1e-3"}}, .overlap = 5e-4, .speed = 2.0},
    {.label = NULL}};

#define SETTLING(spheres, ours, steps, ...)                                                        \
    {                                                                                              \
        .label = #spheres " spheres", .mark = #spheres,                                            \
        .scene_case = {.scene = "sphere-settling",                                                 \
                       .set = {{"generate.packing.count", #spheres},                               \
                               {"time.step", "0.02"},                                              \
                               {"solver.settle", "0"} __VA_ARGS__},                                \
                       .until = SETTLING_UNTIL,                                                    \
                       .unit = 1.0,                                                                \
                       .every = (steps),                                                           \
                       .limit = SETTLING_LIMIT},                                                   \
        .friction = 0.3, .seed = "generate.packing.seed", .settings = (ours)                       \
    }

// A box of 12 m x 12 m; for 1000 spheres 20 m x 20 m, so that the pile is about as high as of 320.
#define SETTLING_WIDE                                                                              \
    , {"generate.packing.inside", "[[-10,-10,0],[10,10,60]]"},                                     \
        {"bodies.box.shape.1.plane.offset", "-10"}, {"bodies.box.shape.2.plane.offset", "-10"},    \
        {"bodies.box.shape.3.plane.offset", "-10"}, {                                              \
        "bodies.box.shape.4.plane.offset", "-10"                                                   \
    }

static const engine_comparison settling_comparison[] = {
    SETTLING(80, settling_small, 1, ), SETTLING(160, settling_small, 1, ),
    SETTLING(320, settling_320, 1, ), SETTLING(1000, settling_1000, 2, SETTLING_WIDE)};

int bench_settling(const bench_job *job) {
    static const comparison_list list = {
        .bench = "settling",
        .comparisons = settling_comparison,
        .count = (int32_t)(sizeof settling_comparison / sizeof *settling_comparison),
        .title = "Spheres settle in a box: accuracy over speed",
        .subtitle =
            "h = 0.02 s, medians; the numbers are spheres; better is below and to the right",
        .y_label = "largest overlap when settled / radius"};
    return comparison_list_run(job, &list);
}
