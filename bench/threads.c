// bench/threads.c
// Several threads beside one (C6): the same steps of a large scene, taking turns, the shortest wall
// time of each counting, and the hash of the state at the end, which must be the same. Every step
// makes the same number of sweeps, so that the work does not depend on a tolerance. Wall time needs
// an idle machine; the CPU time beside it shows how busy it was.
#include "bench/bench.h"

#include "support/gallery.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_SWEEPS "50"
#define THREADS_SET 10

typedef struct threads_case {
    const char *label, *mark, *scene;
    double skip, until; // [s] simulated before what is timed, and at its end
    bool large;         // only when it is asked for by its mark
    cn_override set[THREADS_SET];
} threads_case;

static const threads_case threads_cases[] = {
    {.label = "wall of 2020 blocks",
     .mark = "wall-2020",
     .scene = "masonry-wall",
     .until = 0.05,
     .set = {{"generate.wall.courses", "40"}, {"generate.wall.bricks", "50"}}},
    {.label = "wall of 10040 blocks",
     .mark = "wall-10040",
     .scene = "masonry-wall",
     .until = 0.02,
     .set = {{"generate.wall.courses", "80"}, {"generate.wall.bricks", "125"}}},
    {.label = "100000 spheres settle",
     .mark = "spheres-100000",
     .scene = "settling-large",
     .skip = 0.1,
     .until = 0.2,
     .large = true,
     .set = {{"generate.packing.count", "100000"},
             {"generate.packing.inside", "[[-5,-5,0],[5,5,140]]"}}},
};

static const int32_t threads_counts[] = {1, 2, 4};
#define THREADS_COUNTS ((int32_t)(sizeof threads_counts / sizeof threads_counts[0]))

// The shortest times of a number of threads.
typedef struct threads_time {
    double wall_s, cpu_s;
    uint64_t hash;
    int32_t contacts;
} threads_time;

// An end that was asked for leaves at least half of the time to be timed.
static cn_status threads_steps(cn_sim *sim, const bench_job *job, const threads_case *c,
                               threads_time *best, cn_error *error) {
    cn_step_report report = {.contacts = 0};
    cn_status status = CN_OK;
    double until = job->until > 0.0 ? job->until : c->until, skip = fmin(c->skip, 0.5 * until);
    while (status == CN_OK && cn_sim_time(sim) < skip - 1e-9) {
        status = cn_sim_step(sim, &report, error);
    }
    double wall = wall_clock(), cpu = cpu_clock();
    while (status == CN_OK && cn_sim_time(sim) < until - 1e-9 && !interrupted()) {
        status = cn_sim_step(sim, &report, error);
    }
    wall = wall_clock() - wall;
    cpu = cpu_clock() - cpu;
    if (wall < best->wall_s) {
        *best = (threads_time){wall, cpu, best->hash, report.contacts};
    }
    best->hash = cn_sim_hash(sim);
    return status;
}

static int threads_run(const bench_job *job, const threads_case *c, int32_t threads,
                       threads_time *best) {
    cn_override set[THREADS_SET + 4];
    int32_t count = 0;
    for (; c->set[count].path; count++) {
        set[count] = c->set[count];
    }
    set[count++] = (cn_override){"solver.name", "nsgs"};
    set[count++] = (cn_override){"solver.tolerance", "1e-14"};
    set[count++] = (cn_override){"solver.max_iterations", THREADS_SWEEPS};
    set[count++] = (cn_override){"solver.on_stall", "continue"};
    cn_error error = {.status = CN_OK};
    cn_env env = cn_env_default();
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    char *path = gallery_path(c->scene);
    if (!path) {
        return report_failure("the gallery has no scene '%s'", c->scene);
    }
    env.threads = cn_threads_create(threads);
    cn_status status = cn_scene_read(NULL, path, set, count, &model, &error);
    status = status == CN_OK ? cn_sim_create(model, &env, &sim, &error) : status;
    status = status == CN_OK ? threads_steps(sim, job, c, best, &error) : status;
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    cn_threads_destroy(env.threads);
    free(path);
    return status == CN_OK ? EXIT_DONE : report_error(&error);
}

static const row_column threads_columns[] = {{"scene", "scene", -22, 0, 0.0},
                                             {"contacts", "contacts", 8, 0, 0.0},
                                             {"threads", "threads", 7, 0, 0.0},
                                             {"wall_s", "wall [s]", 9, 3, 0.0},
                                             {"times_as_fast", "times as fast", 13, 3, 0.0},
                                             {"cpu_s", "CPU [s]", 8, 3, 0.0},
                                             {"same_state", "state", -9, 0, 0.0},
                                             {NULL, NULL, 0, 0, 0.0}};

static void threads_print(row_table *table, const threads_case *c,
                          const threads_time best[THREADS_COUNTS]) {
    for (int32_t k = 0; k < THREADS_COUNTS; k++) {
        bool same = best[k].hash == best[0].hash;
        row_text(table, c->label);
        row_int(table, best[k].contacts);
        row_int(table, threads_counts[k]);
        row_real(table, best[k].wall_s);
        row_real(table, best[0].wall_s / best[k].wall_s);
        row_real(table, best[k].cpu_s);
        row_ink(table, same ? INK_GOOD : INK_BAD);
        row_bool(table, same, "same", "differs");
    }
}

int bench_threads(const bench_job *job) {
    int code = EXIT_DONE;
    row_table table = row_table_start(stdout, job->json, "threads", threads_columns);
    for (size_t i = 0; i < sizeof threads_cases / sizeof threads_cases[0]; i++) {
        const threads_case *c = &threads_cases[i];
        threads_time best[THREADS_COUNTS];
        if (job->sizes ? !bench_wants(job, c->mark) : c->large) {
            continue;
        }
        for (int32_t k = 0; k < THREADS_COUNTS; k++) {
            best[k] = (threads_time){.wall_s = HUGE_VAL};
        }
        for (int32_t round = 0; round < job->repeats && code == EXIT_DONE; round++) {
            for (int32_t k = 0; k < THREADS_COUNTS && !interrupted(); k++) {
                code = exit_join(code, threads_run(job, c, threads_counts[k], &best[k]));
            }
        }
        if (code == EXIT_DONE && !interrupted()) {
            threads_print(&table, c, best);
        }
        for (int32_t k = 0; k < THREADS_COUNTS; k++) {
            code = best[k].hash == best[0].hash ? code : exit_join(code, EXIT_FAILED);
        }
    }
    return code;
}
