// bench/engines/comparison.h
// Comparisons: a scene simulated by some settings of ours and by the engines that are there, from
// the same starts, in one run; a table, JSON lines, and points of a chart of accuracy over speed.
#ifndef CAIRN_BENCH_ENGINES_COMPARISON_H
#define CAIRN_BENCH_ENGINES_COMPARISON_H

#include "bench/bench.h"
#include "bench/engines/engine.h"

#define COMPARISON_STARTS 16   // of a comparison at most
#define COMPARISON_ENGINES 8   // ours and theirs
#define COMPARISON_OVERRIDES 6 // of a setting of ours

// A setting of ours and what is asked of it.
typedef struct comparison_setting {
    const char *label; // NULL: there are no more
    cn_override set[COMPARISON_OVERRIDES];
    double speed;   // S_p; 0: nothing is asked
    double ratio;   // S_p over ODE's
    double overlap; // share of the unit when settled
    double moved;   // [m]
} comparison_setting;

typedef struct engine_comparison {
    const char *label; // of the scene, as "320 spheres"
    const char *mark;  // short, for the chart
    engine_case scene_case;
    double friction;
    const char *seed; // path of the scene's seed; NULL: every start is the same, one is made
    const comparison_setting *settings;
    bool alone; // no peers
    bool large; // only when it is asked for by its mark
} engine_comparison;

// A chart that comparisons add to: overlap when settled over S_p, one curve per engine.
typedef struct accuracy_chart accuracy_chart;
accuracy_chart *chart_open(const char *title, const char *subtitle, const char *y_label);
void chart_add(accuracy_chart *chart, const engine_result *engine, const char *mark, double x,
               double y);
// Writes the file, if there is a name; frees. Returns an exit code.
int chart_close(accuracy_chart *chart, const char *path);

// Comparisons of one benchmark, and the words of its chart.
typedef struct comparison_list {
    const char *bench;
    const engine_comparison *comparisons;
    int32_t count;
    const char *title, *subtitle, *y_label;
} comparison_list;

// Runs and prints those that the job wants, and writes the chart. EXIT_TOLERANCE when a step of
// ours missed its tolerance.
int comparison_list_run(const bench_job *job, const comparison_list *list);

#endif
