// bench/warm.c
// What a step of a pile at rest costs: spheres settle in a box (E3) to a residual of 1e-4, and the
// sweeps of the last seconds are counted. Each step starts from the impulses of the one before.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/json.h"
#include "support/progress.h"

#include <math.h>

#define CN_WARM_UNTIL 30.0 // [s]; by then the slowest of these piles is at rest
#define CN_WARM_LOOK 5.0   // [s] at the end that are looked at
#define CN_WARM_ASKED 10.0 // sweeps a step

static const char *const cn_warm_counts[] = {"80", "160", "320"};

typedef struct cn_warm {
    double from; // [s]
    int64_t steps, sweeps, most;
    int32_t contacts;
    double residual, kinetic; // worst, last
} cn_warm;

static bool cn_warm_note(void *user, cn_sim *sim, const cn_step_report *report) {
    cn_warm *warm = user;
    (void)sim;
    if (report->t > warm->from) {
        warm->steps++;
        warm->sweeps += report->iterations;
        warm->most = report->iterations > warm->most ? report->iterations : warm->most;
        warm->residual = fmax(warm->residual, report->residual);
        warm->contacts = report->contacts;
        warm->kinetic = report->kinetic;
    }
    return true;
}

static void cn_warm_tell(const cn_bench_job *job, const char *count, const cn_warm *warm) {
    double mean = (double)warm->sweeps / (double)(warm->steps > 0 ? warm->steps : 1);
    if (!job->json) {
        printf("%5s spheres at rest, %d contacts: %.2f sweeps a step, at most %d, asked at most "
               "%g%s; worst residual %.2e, %.1e J kinetic\n",
               count, (int)warm->contacts, mean, (int)warm->most, CN_WARM_ASKED,
               mean <= CN_WARM_ASKED ? "" : " (short of it)", warm->residual, warm->kinetic);
        fflush(stdout);
        return;
    }
    cn_json out = cn_put_start(stdout);
    cn_put_open(&out, NULL, '{');
    cn_put_text(&out, "bench", "warm");
    cn_put_text(&out, "spheres", count);
    cn_put_int(&out, "contacts", warm->contacts);
    cn_put_real(&out, "sweeps", mean);
    cn_put_int(&out, "most_sweeps", warm->most);
    cn_put_real(&out, "residual", warm->residual);
    cn_put_real(&out, "kinetic", warm->kinetic);
    cn_put_close(&out, '}');
    cn_put_end(&out);
}

int cn_bench_warm(const cn_bench_job *job) {
    int code = CN_EXIT_DONE;
    double until = job->until > 0.0 ? job->until : CN_WARM_UNTIL;
    for (size_t i = 0; i < sizeof cn_warm_counts / sizeof *cn_warm_counts && !cn_interrupted();
         i++) {
        const char *count = cn_warm_counts[i];
        const cn_override set[] = {{"generate.packing.count", count},
                                   {"solver.tolerance", "1e-4"},
                                   {"solver.settle", "0"}};
        cn_warm warm = {.from = until - CN_WARM_LOOK};
        if (job->sizes && !cn_bench_wants(job, count)) {
            continue;
        }
        int ran = cn_steps_run("sphere-settling", set, (int32_t)(sizeof set / sizeof *set), until,
                               cn_warm_note, &warm);
        if (ran == CN_EXIT_DONE && !cn_interrupted()) {
            cn_warm_tell(job, count, &warm);
        }
        code = cn_exit_join(code, ran);
    }
    return code;
}
