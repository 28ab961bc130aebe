// bench/engines/comparison.h
// Contests: a scene simulated by some settings of ours and by the engines that are there, from the
// same starts, in one run; a table, JSON lines, and points of a chart of accuracy over speed.
#ifndef CAIRN_BENCH_ENGINES_COMPARISON_H
#define CAIRN_BENCH_ENGINES_COMPARISON_H

#include "bench/bench.h"
#include "bench/engines/engine.h"

#define CN_CONTEST_STARTS 16   // of a contest at most
#define CN_CONTEST_ENTRANTS 8  // ours and theirs
#define CN_CONTEST_OVERRIDES 6 // of a setting of ours

// A setting of ours and what is asked of it.
typedef struct cn_contest_setting {
    const char *label; // NULL: there are no more
    cn_override set[CN_CONTEST_OVERRIDES];
    double speed;   // S_p; 0: nothing is asked
    double ratio;   // S_p over ODE's
    double overlap; // share of the unit when settled
    double moved;   // [m]
} cn_contest_setting;

typedef struct cn_contest {
    const char *label; // of the scene, as "320 spheres"
    const char *mark;  // short, for the chart
    cn_course course;
    double friction;
    const char *seed; // path of the scene's seed; NULL: every start is the same, one is made
    const cn_contest_setting *settings;
    bool alone; // no peers
    bool large; // only when it is asked for by its mark
} cn_contest;

// A chart that contests add to: overlap when settled over S_p, one curve an entrant.
typedef struct cn_chart cn_chart;
cn_chart *cn_chart_open(const char *title, const char *subtitle, const char *y_label);
void cn_chart_add(cn_chart *chart, const cn_race_result *entrant, const char *mark, double x,
                  double y);
// Writes the file, if there is a name; frees. Returns an exit code.
int cn_chart_close(cn_chart *chart, const char *path);

// Contests of one benchmark, and the words of its chart.
typedef struct cn_contest_list {
    const char *bench;
    const cn_contest *contests;
    int32_t count;
    const char *title, *subtitle, *y_label;
} cn_contest_list;

// Runs and prints those that the job wants, and writes the chart. CN_EXIT_TOLERANCE when a step of
// ours missed its tolerance.
int cn_contest_list_run(const cn_bench_job *job, const cn_contest_list *list);

#endif
