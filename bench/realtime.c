// bench/realtime.c
// A limit of CPU time a step (solver.time_limit): how well it is kept, and what the steps that it
// cuts short are worth. A thousand bodies at 60 steps a second, the limit from a whole step's
// length down to a quarter of it; a wall of as many blocks has four times the contacts, and gets
// more. A step is late when it takes more than 1.2 times the limit.
#include "bench/bench.h"

#include "support/gallery.h"
#include "support/json.h"
#include "support/progress.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_REALTIME_UNTIL 5.0 // [s]
#define CN_REALTIME_STEP "0.016666666666666666"
#define CN_REALTIME_LATE 1.2 // of the limit
#define CN_REALTIME_SET 10

typedef struct cn_realtime_case {
    const char *label, *mark, *scene;
    const char *limits[4];            // [s], ends with NULL
    cn_override set[CN_REALTIME_SET]; // ends with a NULL path
} cn_realtime_case;

static const cn_realtime_case cn_realtime_cases[] = {
    {"1000 spheres settle",
     "spheres",
     "sphere-settling",
     {CN_REALTIME_STEP, "0.008", "0.004", NULL},
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
     {"0.03", CN_REALTIME_STEP, NULL},
     {{"generate.wall.courses", "25"},
      {"generate.wall.bricks", "40"},
      {"solver.tolerance", "1e-3"},
      {"solver.settle", "0"}}},
};

// What the steps of a run took and gave.
typedef struct cn_realtime {
    double *took, *residual; // of each step
    int64_t steps, late, timed;
    double limit;
} cn_realtime;

static int cn_realtime_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double cn_realtime_quantile(double *values, int64_t count, double share) {
    qsort(values, (size_t)count, sizeof *values, cn_realtime_compare);
    return count > 0 ? values[(int64_t)(share * (double)(count - 1))] : (double)NAN;
}

static cn_status cn_realtime_steps(cn_sim *sim, double until, cn_realtime *run, cn_error *error) {
    cn_status status = CN_OK;
    double h = cn_model_settings((cn_model *)cn_sim_model(sim))->step;
    int64_t steps = (int64_t)(until / h + 0.5);
    run->took = CN_ALLOCATE(double, steps);
    run->residual = CN_ALLOCATE(double, steps);
    while (status == CN_OK && run->steps < steps && !cn_interrupted()) {
        cn_step_report report;
        double start = cn_cpu_clock();
        status = cn_sim_step(sim, &report, error);
        double took = cn_cpu_clock() - start;
        if (status == CN_OK) {
            run->took[run->steps] = took;
            run->residual[run->steps++] = report.residual;
            run->late += took > CN_REALTIME_LATE * run->limit;
            run->timed += report.outcome == CN_TIME;
        }
    }
    return status;
}

static const cn_column cn_realtime_columns[] = {
    {"scene", -20}, {"limit [ms]", 10},  {"steps", 6},       {"cut short", 9},
    {"in time", 8}, {"median [ms]", 11}, {"worst [ms]", 10}, {"residual", 9},
    {"95 %", 9},    {"worst", 9},        {NULL, 0}};

static void cn_realtime_tell(const cn_bench_job *job, cn_table *table, const char *label,
                             cn_realtime *run) {
    const struct {
        const char *key;
        double value;
    } figures[] = {{"limit_s", run->limit},
                   {"in_time", 1.0 - (double)run->late / (double)(run->steps > 0 ? run->steps : 1)},
                   {"median_s", cn_realtime_quantile(run->took, run->steps, 0.5)},
                   {"worst_s", cn_realtime_quantile(run->took, run->steps, 1.0)},
                   {"residual_median", cn_realtime_quantile(run->residual, run->steps, 0.5)},
                   {"residual_95", cn_realtime_quantile(run->residual, run->steps, 0.95)},
                   {"residual_worst", cn_realtime_quantile(run->residual, run->steps, 1.0)}};
    if (job->json) {
        cn_json out = cn_put_start(stdout);
        cn_put_open(&out, NULL, '{');
        cn_put_text(&out, "bench", "realtime");
        cn_put_text(&out, "scene", label);
        cn_put_int(&out, "steps", run->steps);
        cn_put_int(&out, "cut_short", run->timed);
        for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
            cn_put_real(&out, figures[i].key, figures[i].value);
        }
        cn_put_close(&out, '}');
        cn_put_end(&out);
        return;
    }
    char *in_time = cn_text("%.1f %%", 100.0 * figures[1].value);
    cn_table_text(table, label, CN_INK_PLAIN);
    cn_table_real(table, 3, 1e3 * run->limit);
    cn_table_int(table, run->steps);
    cn_table_int(table, run->timed);
    cn_table_text(table, in_time, run->late > 0 ? CN_INK_BAD : CN_INK_GOOD);
    cn_table_real(table, 3, 1e3 * figures[2].value);
    cn_table_real(table, 3, 1e3 * figures[3].value);
    for (size_t i = 4; i < 7; i++) {
        cn_table_real(table, 2, figures[i].value);
    }
    free(in_time);
}

static int cn_realtime_run(const cn_bench_job *job, cn_table *table, const cn_realtime_case *c,
                           const char *limit) {
    cn_override set[CN_REALTIME_SET + 2];
    int32_t count = 0;
    for (; c->set[count].path; count++) {
        set[count] = c->set[count];
    }
    set[count++] = (cn_override){"time.step", CN_REALTIME_STEP};
    set[count++] = (cn_override){"solver.time_limit", limit};
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    cn_realtime run = {.limit = strtod(limit, NULL)};
    char *path = cn_gallery_path(c->scene);
    if (!path) {
        return cn_report_failure("the gallery has no scene '%s'", c->scene);
    }
    cn_status status = cn_scene_read(NULL, path, set, count, &model, &error);
    status = status == CN_OK ? cn_sim_create(model, NULL, &sim, &error) : status;
    if (status == CN_OK) {
        double until = job->until > 0.0 ? job->until : CN_REALTIME_UNTIL;
        status = cn_realtime_steps(sim, until, &run, &error);
    }
    if (status == CN_OK) {
        cn_realtime_tell(job, table, c->label, &run);
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    free(run.took);
    free(run.residual);
    free(path);
    return status == CN_OK ? CN_EXIT_DONE : cn_report_error(&error);
}

int cn_bench_realtime(const cn_bench_job *job) {
    int code = CN_EXIT_DONE;
    cn_table table;
    if (!job->json) {
        printf(
            "steps of 1/60 s with a limit of CPU time each; in time: at most %g times the limit\n",
            CN_REALTIME_LATE);
        cn_table_start(&table, stdout, cn_realtime_columns);
    }
    for (size_t i = 0; i < sizeof cn_realtime_cases / sizeof cn_realtime_cases[0]; i++) {
        const cn_realtime_case *c = &cn_realtime_cases[i];
        bool wanted = !job->sizes || cn_bench_wants(job, c->mark);
        for (int32_t k = 0; wanted && c->limits[k] && !cn_interrupted(); k++) {
            code = cn_exit_join(code, cn_realtime_run(job, &table, c, c->limits[k]));
        }
    }
    return code;
}
