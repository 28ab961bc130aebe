// bench/recording.c
// What it costs to record the evidence of every step that `cairn check` verifies: the same run with
// it and without (--no-evidence), in turn, the shortest CPU time of each; how much larger it makes
// the file; and what a check takes in CPU time and in memory. Each is a process of its own, so that
// its memory is its own.
#include "bench/bench.h"

#include "commands/info.h"
#include "support/gallery.h"
#include "support/progress.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDING_WORDS 24

typedef struct recording_case {
    const char *scene, *mark;
    double until; // [s]
    bool large;   // only when it is asked for by its mark
    const char *set[3];
} recording_case;

// At the frame rates of the gallery.
static const recording_case recording_cases[] = {
    {.scene = "masonry-arch", .mark = "arch", .until = 2.0},
    {.scene = "masonry-wall", .mark = "wall", .until = 0.5},
    {.scene = "tower", .mark = "tower", .until = 1.0},
    {.scene = "dominoes", .mark = "dominoes", .until = 2.0},
    {.scene = "pouring", .mark = "pouring", .until = 1.0},
    {.scene = "pile-2d", .mark = "pile", .until = 1.0},
    {.scene = "double-pendulum", .mark = "pendulum", .until = 5.0},
    {.scene = "four-bar-clearance", .mark = "four-bar", .until = 1.0},
    {.scene = "thousand-balls", .mark = "balls", .until = 1.0},
    {.scene = "settling-large",
     .mark = "spheres-100000",
     .until = 0.1,
     .large = true,
     .set = {"generate.packing.count=100000", "generate.packing.inside=[[-5,-5,0],[5,5,140]]",
             "time.frames_every=0.02"}},
};

typedef struct recording_cost {
    double cpu_s;
    int64_t bytes, memory; // of the file; the most that the process had
} recording_cost;

// Runs this command with other words; false: it could not be run, or failed.
static bool run_self(char *const *argv, recording_cost *cost) {
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 1;
    struct rusage used;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!started || wait4(child, &status, 0, &used) != child) {
        return false;
    }
    double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    cost->cpu_s = fmin(cost->cpu_s, seconds);
    cost->memory = used.ru_maxrss * INT64_C(1024);
    // 3: steps that were not solved, which is another benchmark's matter.
    return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
}

static bool record(const bench_job *job, const recording_case *c, const char *file, bool evidence,
                   recording_cost *cost) {
    char *scene = gallery_path(c->scene);
    char *until = format_text("%.17g", job->until > 0.0 ? job->until : c->until);
    const char *argv[RECORDING_WORDS] = {"cairn", "run", scene,     "-q", "-f",
                                         "-o",    file,  "--until", until};
    int32_t count = 9;
    for (int32_t i = 0; i < 3 && c->set[i]; i++) {
        argv[count++] = "--set";
        argv[count++] = c->set[i];
    }
    argv[count] = evidence ? NULL : "--no-evidence";
    bool done = scene && run_self((char *const *)argv, cost);
    cost->bytes = file_bytes(file);
    free(scene);
    free(until);
    return done;
}

typedef struct recording_costs {
    recording_cost with, without, check;
} recording_costs;

static bool measure(const bench_job *job, const recording_case *c, const char *file,
                    recording_costs *out) {
    const char *check[] = {"cairn", "check", file, "-q", NULL};
    const recording_cost none = {.cpu_s = HUGE_VAL};
    *out = (recording_costs){none, none, none};
    bool done = true;
    for (int32_t round = 0; done && round < job->repeats && !interrupted(); round++) {
        // In turn, first the one and then the other: a machine that slows down is fair to both.
        bool first = round % 2 == 0;
        for (int32_t k = 0; done && k < 2; k++) {
            bool evidence = (k == 0) == first;
            done = record(job, c, file, evidence, evidence ? &out->with : &out->without);
        }
    }
    done = done && record(job, c, file, true, &out->with);
    return done && run_self((char *const *)check, &out->check);
}

static const row_column recording_columns[] = {
    {"scene", "scene", -20, 0, 0.0},
    {"run_s", "run [s]", 8, 3, 0.0},
    {"run_with_evidence_s", NULL, 0, 0, 0.0},
    {"overhead", "evidence [%]", 12, 2, 0.01},
    {"bytes", "file [MB]", 9, 3, 1e6},
    {"bytes_with_evidence", NULL, 0, 0, 0.0},
    {"growth", "grows [%]", 9, 3, 0.01},
    {"check_s", "check [s]", 9, 3, 0.0},
    {"check_memory_bytes", "its memory [MB]", 15, 3, 1e6},
    {NULL, NULL, 0, 0, 0.0}};

static void recording_print(row_table *table, const recording_case *c,
                            const recording_costs *cost) {
    row_text(table, c->scene);
    row_real(table, cost->without.cpu_s);
    row_real(table, cost->with.cpu_s);
    row_real(table, cost->with.cpu_s / cost->without.cpu_s - 1.0);
    row_real(table, (double)cost->without.bytes);
    row_real(table, (double)cost->with.bytes);
    row_real(table, (double)cost->with.bytes / (double)cost->without.bytes - 1.0);
    row_real(table, cost->check.cpu_s);
    row_real(table, (double)cost->check.memory);
}

int bench_recording(const bench_job *job) {
    int code = EXIT_DONE;
    const char *folder = getenv("TMPDIR");
    char *file =
        format_text("%s/cairn-bench-%d.run", folder && folder[0] ? folder : "/tmp", (int)getpid());
    row_table table = row_table_start(stdout, job->json, "recording", recording_columns);
    for (size_t i = 0; i < sizeof recording_cases / sizeof recording_cases[0]; i++) {
        const recording_case *c = &recording_cases[i];
        recording_costs cost;
        if (interrupted() || (job->sizes ? !bench_wants(job, c->mark) : c->large)) {
            continue;
        }
        if (measure(job, c, file, &cost)) {
            recording_print(&table, c, &cost);
        } else if (!interrupted()) {
            code = exit_join(code, report_failure("%s: the run or its check failed", c->scene));
        }
        remove(file);
    }
    free(file);
    return code;
}
