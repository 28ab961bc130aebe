// bench/warm.c
// What a step of a pile at rest costs: spheres settle in a box (E3) to a residual of 1e-4, and the
// sweeps of the last seconds are counted. Each step starts from the impulses of the one before.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/progress.h"

#include <math.h>

#define WARM_UNTIL 30.0 // [s]; by then the slowest of these piles is at rest
#define WARM_VISIT 5.0  // [s] at the end that are looked at
#define WARM_ASKED 10.0 // sweeps per step

static const char *const warm_counts[] = {"80", "160", "320"};

typedef struct warm_steps {
    double from; // [s]
    int64_t steps, sweeps, max;
    int32_t contacts;
    double residual, kinetic; // worst, last
} warm_steps;

static bool warm_note(void *user, cn_sim *sim, const cn_step_report *report) {
    warm_steps *warm = user;
    (void)sim;
    if (report->t > warm->from) {
        warm->steps++;
        warm->sweeps += report->iterations;
        warm->max = report->iterations > warm->max ? report->iterations : warm->max;
        warm->residual = fmax(warm->residual, report->residual);
        warm->contacts = report->contacts;
        warm->kinetic = report->kinetic;
    }
    return true;
}

static const row_column warm_columns[] = {
    {"spheres", "spheres at rest", 15, 0, 0.0}, {"contacts", "contacts", 8, 0, 0.0},
    {"sweeps", "sweeps per step", 13, 3, 0.0},  {"most_sweeps", "most", 5, 0, 0.0},
    {NULL, "asked at most", 13, 0, 0.0},        {"residual", "residual", 9, 3, 0.0},
    {"kinetic", "E_kin [J]", 9, 2, 0.0},        {NULL, NULL, 0, 0, 0.0}};

static void warm_print(row_table *table, const char *count, const warm_steps *warm) {
    double mean = (double)warm->sweeps / (double)(warm->steps > 0 ? warm->steps : 1);
    row_text(table, count);
    row_int(table, warm->contacts);
    row_ink(table, mean <= WARM_ASKED ? INK_GOOD : INK_BAD);
    row_real(table, mean);
    row_int(table, warm->max);
    row_real(table, WARM_ASKED);
    row_real(table, warm->residual);
    row_real(table, warm->kinetic);
}

int bench_warm(const bench_job *job) {
    int code = EXIT_DONE;
    double until = job->until > 0.0 ? job->until : WARM_UNTIL;
    row_table table = row_table_start(stdout, job->json, "warm", warm_columns);
    for (size_t i = 0; i < sizeof warm_counts / sizeof *warm_counts && !interrupted(); i++) {
        const char *count = warm_counts[i];
        const cn_override set[] = {{"generate.packing.count", count},
                                   {"solver.tolerance", "1e-4"},
                                   {"solver.settle", "0"}};
        warm_steps warm = {.from = until - WARM_VISIT};
        if (job->sizes && !bench_wants(job, count)) {
            continue;
        }
        int ran = steps_run("sphere-settling", set, (int32_t)(sizeof set / sizeof *set), until,
                            warm_note, &warm);
        if (ran == EXIT_DONE && !interrupted()) {
            warm_print(&table, count, &warm);
        }
        code = exit_join(code, ran);
    }
    return code;
}
