// bench/realtime.c
// A limit of CPU time per step (solver.time_limit): how well it is kept, and what the steps that it
// cuts short are worth. A thousand bodies at 60 steps per second, the limit from a whole step's
// length down to a quarter of it; a wall of as many blocks has four times the contacts, and gets
// more. A step is late when it takes more than 1.2 times the limit.
#include "bench/bench.h"

#include "support/gallery.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REALTIME_UNTIL 5.0 // [s]
#define REALTIME_STEP "0.016666666666666666"
#define REALTIME_LATE 1.2 // of the limit
#define REALTIME_SET 10

typedef struct realtime_case {
    const char *label, *mark, *scene;
    const char *limits[4];         // [s], ends with NULL
    cn_override set[REALTIME_SET]; // ends with a NULL path
} realtime_case;

static const realtime_case realtime_cases[] = {
    {"1000 spheres settle",
     "spheres",
     "sphere-settling",
     {REALTIME_STEP, "0.008", "0.004", NULL},
     {{"generate.packing.count", "1000"},
      {"generate.packing.inside", "[[-10,-10,0],[10,10,60]]"},
      {"bodies.box.shape.1.plane.offset", "-10"},
      {"bodies.box.shape.2.plane.offset", "-10"},
      {"bodies.box.shape.3.plane.offset", "-10"},
      {"bodies.box.shape.4.plane.offset", "-10"},
      {"solver.tolerance", "1e-3"}}},
    {"wall of 1012 blocks",
     "wall",
     "masonry-wall",
     {"0.03", REALTIME_STEP, NULL},
     {{"generate.wall.courses", "25"},
      {"generate.wall.bricks", "40"},
      {"solver.tolerance", "1e-3"},
      {"solver.settle", "0"}}},
};

// What the steps of a run took and gave.
typedef struct realtime {
    double *took, *residual; // of each step
    int64_t steps, late, timed;
    double limit;
} realtime;

static double realtime_quantile(double *values, int64_t count, double share) {
    qsort(values, (size_t)count, sizeof *values, compare_reals);
    return count > 0 ? values[(int64_t)(share * (double)(count - 1))] : (double)NAN;
}

static cn_status realtime_steps(cn_sim *sim, double until, realtime *run, cn_error *error) {
    cn_status status = CN_OK;
    double h = cn_model_settings((cn_model *)cn_sim_model(sim))->step;
    int64_t steps = (int64_t)(until / h + 0.5);
    run->took = ALLOCATE(double, steps);
    run->residual = ALLOCATE(double, steps);
    while (status == CN_OK && run->steps < steps && !interrupted()) {
        cn_step_report report;
        double start = cpu_clock();
        status = cn_sim_step(sim, &report, error);
        double took = cpu_clock() - start;
        if (status == CN_OK) {
            run->took[run->steps] = took;
            run->residual[run->steps++] = report.residual;
            run->late += took > REALTIME_LATE * run->limit;
            run->timed += report.outcome == CN_TIME;
        }
    }
    return status;
}

static const row_column realtime_columns[] = {{"scene", "scene", -20, 0, 0.0},
                                              {"steps", "steps", 6, 0, 0.0},
                                              {"cut_short", "cut short", 9, 0, 0.0},
                                              {"limit_s", "limit [ms]", 10, 3, 1e-3},
                                              {"in_time", "in time [%]", 11, 4, 0.01},
                                              {"median_s", "median [ms]", 11, 3, 1e-3},
                                              {"worst_s", "worst [ms]", 10, 3, 1e-3},
                                              {"residual_median", "residual", 9, 2, 0.0},
                                              {"residual_95", "95 %", 9, 2, 0.0},
                                              {"residual_worst", "worst", 9, 2, 0.0},
                                              {NULL, NULL, 0, 0, 0.0}};

static void realtime_print(row_table *table, const char *label, realtime *run) {
    row_text(table, label);
    row_int(table, run->steps);
    row_int(table, run->timed);
    row_real(table, run->limit);
    row_ink(table, run->late > 0 ? INK_BAD : INK_GOOD);
    row_real(table, 1.0 - (double)run->late / (double)(run->steps > 0 ? run->steps : 1));
    row_real(table, realtime_quantile(run->took, run->steps, 0.5));
    row_real(table, realtime_quantile(run->took, run->steps, 1.0));
    row_real(table, realtime_quantile(run->residual, run->steps, 0.5));
    row_real(table, realtime_quantile(run->residual, run->steps, 0.95));
    row_real(table, realtime_quantile(run->residual, run->steps, 1.0));
}

static int realtime_run(const bench_job *job, row_table *table, const realtime_case *c,
                        const char *limit) {
    cn_override set[REALTIME_SET + 2];
    int32_t count = 0;
    for (; c->set[count].path; count++) {
        set[count] = c->set[count];
    }
    set[count++] = (cn_override){"time.step", REALTIME_STEP};
    set[count++] = (cn_override){"solver.time_limit", limit};
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    realtime run = {.limit = strtod(limit, NULL)};
    char *path = gallery_path(c->scene);
    if (!path) {
        return report_failure("the gallery has no scene '%s'", c->scene);
    }
    cn_status status = cn_scene_read(NULL, path, set, count, &model, &error);
    status = status == CN_OK ? cn_sim_create(model, NULL, &sim, &error) : status;
    if (status == CN_OK) {
        double until = job->until > 0.0 ? job->until : REALTIME_UNTIL;
        status = realtime_steps(sim, until, &run, &error);
    }
    if (status == CN_OK) {
        realtime_print(table, c->label, &run);
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    free(run.took);
    free(run.residual);
    free(path);
    return status == CN_OK ? EXIT_DONE : report_error(&error);
}

int bench_realtime(const bench_job *job) {
    int code = EXIT_DONE;
    if (!job->json) {
        printf(
            "steps of 1/60 s with a limit of CPU time each; in time: at most %g times the limit\n",
            REALTIME_LATE);
    }
    row_table table = row_table_start(stdout, job->json, "realtime", realtime_columns);
    for (size_t i = 0; i < sizeof realtime_cases / sizeof realtime_cases[0]; i++) {
        const realtime_case *c = &realtime_cases[i];
        bool wanted = !job->sizes || bench_wants(job, c->mark);
        for (int32_t k = 0; wanted && c->limits[k] && !interrupted(); k++) {
            code = exit_join(code, realtime_run(job, &table, c, c->limits[k]));
        }
    }
    return code;
}
