// bench/warm.c
// What a step of a pile at rest costs: spheres settle in a box (E3) to a residual of 1e-4, and the
// sweeps of the last seconds are counted. Each step starts from the impulses of the one before.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/json.h"
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

static void warm_print(const bench_job *job, const char *count, const warm_steps *warm) {
    double mean = (double)warm->sweeps / (double)(warm->steps > 0 ? warm->steps : 1);
    if (!job->json) {
        printf("%5s spheres at rest, %d contacts: %.2f sweeps a step, at most %d, asked at most "
               "%g%s; worst residual %.2e, %.1e J kinetic\n",
               count, (int)warm->contacts, mean, (int)warm->max, WARM_ASKED,
               mean <= WARM_ASKED ? "" : " (short of it)", warm->residual, warm->kinetic);
        fflush(stdout);
        return;
    }
    json_writer out = bench_row_start("warm");
    put_text(&out, "spheres", count);
    put_int(&out, "contacts", warm->contacts);
    put_real(&out, "sweeps", mean);
    put_int(&out, "most_sweeps", warm->max);
    put_real(&out, "residual", warm->residual);
    put_real(&out, "kinetic", warm->kinetic);
    bench_row_end(&out);
}

int bench_warm(const bench_job *job) {
    int code = EXIT_DONE;
    double until = job->until > 0.0 ? job->until : WARM_UNTIL;
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
            warm_print(job, count, &warm);
        }
        code = exit_join(code, ran);
    }
    return code;
}
