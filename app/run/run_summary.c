// app/run/run_summary.c
// Sums over the steps of a run; see run_summary.h. The balance is that of the whole run: what the
// energy changed by, less what was given, plus what was taken.
#include "run/run_summary.h"

#include "run/run_checks.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

run_summary run_summary_start(double energy_initial) {
    return (run_summary){.energy_initial = energy_initial, .energy_final = energy_initial};
}

void run_summary_add(run_summary *summary, const cn_step_report *report) {
    summary->steps++;
    summary->t_end = report->t;
    summary->outcomes[report->outcome]++;
    summary->contacts_sum += report->contacts;
    summary->contacts_max =
        report->contacts > summary->contacts_max ? report->contacts : summary->contacts_max;
    summary->iterations_sum += report->iterations;
    for (int32_t i = RUN_SUMMARY_HARD - 1; i >= 0 && report->iterations > summary->hard[i]; i--) {
        if (i < RUN_SUMMARY_HARD - 1) {
            summary->hard[i + 1] = summary->hard[i];
        }
        summary->hard[i] = report->iterations;
    }
    // Written so that a NaN is the worst there is.
    if (!(report->residual <= summary->residual_worst)) {
        summary->residual_worst = report->residual;
        summary->residual_step = report->step;
    }
    if (!(report->penetration_max <= summary->penetration_max)) {
        summary->penetration_max = report->penetration_max;
        summary->penetration_step = report->step;
    }
    summary->penetration_final = report->penetration_max;
    summary->joint_error_max = fmax(summary->joint_error_max, report->joint_error_max);
    summary->retries += report->retries;
    summary->halvings += report->halvings;
    summary->missed += report->missed;
    summary->early += report->early;
    summary->early_gap = fmax(summary->early_gap, report->early_gap);
    summary->passed += report->passed > 0;
    summary->limited += report->limited > 0;
    if (report->paradoxes > 0 && summary->paradox_steps++ == 0) {
        summary->paradox_first = report->step;
    }
    summary->energy_final = report->kinetic + report->potential + report->elastic;
    summary->kinetic_final = report->kinetic;
    summary->kinetic_peak = fmax(summary->kinetic_peak, report->kinetic);
    summary->work += report->work_external + report->work_joints;
    summary->friction += report->dissipated_friction;
    summary->impact += report->dissipated_impact;
    summary->numerical += report->dissipated_numerical;
    summary->material +=
        report->dissipated_viscous + report->dissipated_plastic + report->dissipated_fracture;
    summary->correction += report->work_correction;
    const double cpu[4] = {report->cpu_detect, report->cpu_assemble, report->cpu_solve,
                           report->cpu_advance};
    for (int32_t i = 0; i < 4; i++) {
        summary->cpu[i] += cpu[i];
        summary->cpu_s += cpu[i];
    }
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

cn_status run_summary_read(cn_run *run, run_summary *summary, cn_error *error) {
    const char *initial = cn_run_meta(run, "energy_initial");
    *summary = run_summary_start(initial ? strtod(initial, NULL) : 0.0);
    cn_arena *memory = cn_arena_create(NULL);
    cn_step_report *rows;
    int64_t count;
    if (!memory) {
        return error_memory(error);
    }
    cn_status status = cn_run_ledger(run, memory, &rows, &count, error);
    for (int64_t i = 0; status == CN_OK && i < count; i++) {
        run_summary_add(summary, &rows[i]);
    }
    cn_run_event *event;
    if (status == CN_OK) {
        status = cn_run_events(run, memory, &event, &count, error);
    }
    for (int64_t i = 0; status == CN_OK && i < count; i++) {
        summary->deep += begins(event[i].text, DEEP_TEXT);
        summary->passed += begins(event[i].text, PASSED_TEXT);
        summary->limited += begins(event[i].text, LIMITED_TEXT);
    }
    cn_arena_destroy(memory);
    // A run that ended by itself has also noted what its other threads and its recording took.
    const char *cpu = cn_run_meta(run, "cpu_s"), *others = cn_run_meta(run, "cpu_others_s");
    summary->cpu_others = others ? strtod(others, NULL) : 0.0;
    summary->cpu_s = fmax(summary->cpu_s + summary->cpu_others, cpu ? strtod(cpu, NULL) : 0.0);
    return status;
}

// ---- figures ----

int64_t run_summary_unsolved(const run_summary *summary) {
    return summary->steps - summary->outcomes[CN_SOLVED];
}

bool run_summary_is_good(const run_summary *summary) {
    return run_summary_unsolved(summary) == 0 && summary->deep == 0 && summary->passed == 0 &&
           summary->limited == 0;
}

double run_summary_balance(const run_summary *summary) {
    return summary->energy_final - summary->energy_initial - summary->work + summary->friction +
           summary->impact + summary->numerical + summary->material - summary->correction;
}

double run_summary_balance_share(const run_summary *summary) {
    double turnover = fabs(summary->energy_final - summary->energy_initial) + fabs(summary->work) +
                      fabs(summary->friction) + fabs(summary->impact) + fabs(summary->numerical) +
                      fabs(summary->material) + fabs(summary->correction) + summary->kinetic_peak;
    return turnover > 0.0 ? fabs(run_summary_balance(summary)) / turnover : 0.0;
}

static double mean_of(double sum, int64_t count) {
    return count > 0 ? sum / (double)count : 0.0;
}

double run_summary_contacts_mean(const run_summary *summary) {
    return mean_of(summary->contacts_sum, summary->steps);
}

double run_summary_iterations_mean(const run_summary *summary) {
    return mean_of(summary->iterations_sum, summary->steps);
}

double run_summary_speed(const run_summary *summary) {
    return summary->cpu_s > 0.0 ? summary->t_end / summary->cpu_s : 0.0;
}

#define RUN_SUMMARY_LOOSE 1e-3    // tolerance that is not suspected
#define RUN_SUMMARY_SHARE 0.3     // of the iterations, taken by
#define RUN_SUMMARY_FEW 0.02      // of the steps: hard ones
#define RUN_SUMMARY_MANY 100.0    // iterations per step in the mean, below which nothing is slow
#define RUN_SUMMARY_UNSOLVED 1e-3 // share of the steps

void run_summary_bottleneck(const run_summary *summary, double tolerance, char *text, size_t size) {
    double few = fmin(ceil(RUN_SUMMARY_FEW * (double)summary->steps), RUN_SUMMARY_HARD),
           taken = 0.0;
    text[0] = '\0';
    for (int32_t i = 0; i < (int32_t)few; i++) {
        taken += summary->hard[i];
    }
    double share = summary->iterations_sum > 0.0 ? taken / summary->iterations_sum : 0.0;
    bool slow =
        share >= RUN_SUMMARY_SHARE && run_summary_iterations_mean(summary) >= RUN_SUMMARY_MANY;
    bool unsolved =
        (double)run_summary_unsolved(summary) > RUN_SUMMARY_UNSOLVED * (double)summary->steps;
    if (tolerance < RUN_SUMMARY_LOOSE && summary->steps > 0 && (slow || unsolved)) {
        snprintf(text, size,
                 "the tolerance %g is the bottleneck: %.0f %% of the iterations went to %.2g %% of "
                 "the steps; try --tol 1e-3, see docs/guide/accuracy.md",
                 tolerance, 100.0 * share, 100.0 * few / (double)summary->steps);
    }
}

// ---- for people ----

#define ENTRY_COLUMNS 22 // of the name, with the blanks before and after it

// "  name    text", the text wrapped to the width of the terminal.
static void entry_print(text_ink ink, const char *name, const char *format, ...) CN_PRINTF(3, 4);

static void entry_print(text_ink ink, const char *name, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_text_of(format, args);
    va_end(args);
    printf("  %s%s%s", ink_begin(stdout, ink), name, ink_end(stdout, ink));
    print_wrapped_after(stdout, (int32_t)strlen(name) + 2, ENTRY_COLUMNS, text);
    free(text);
}

// "498 of 500 to the tolerance 1e-08, 2 limit".
static void run_summary_print_steps(const run_summary *summary, double tolerance) {
    int64_t unsolved = run_summary_unsolved(summary);
    char others[256] = "";
    size_t used = 0;
    for (int32_t i = 0; i < CN_OUTCOME_COUNT; i++) {
        if (i != CN_SOLVED && summary->outcomes[i] > 0) {
            used +=
                (size_t)snprintf(others + used, sizeof others - used, ", %lld %s",
                                 (long long)summary->outcomes[i], cn_outcome_text((cn_outcome)i));
        }
    }
    entry_print(unsolved > 0 ? INK_BAD : INK_GOOD, "steps solved",
                "%lld of %lld to the tolerance %g%s", (long long)summary->outcomes[CN_SOLVED],
                (long long)summary->steps, tolerance, others);
    if (summary->retries > 0 || summary->halvings > 0) {
        entry_print(INK_PLAIN, "", "%lld retries, %lld halved steps", (long long)summary->retries,
                    (long long)summary->halvings);
    }
    if (summary->missed > 0) {
        entry_print(INK_BAD, "missed pairs", "%lld overlapped without having been candidates",
                    (long long)summary->missed);
    }
    if (summary->early > 0) {
        entry_print(
            INK_PLAIN, "early impacts",
            "%lld contacts of fast bodies bounced before they touched, at most %.2g m ahead",
            (long long)summary->early, summary->early_gap);
    }
    if (summary->passed > 0) {
        entry_print(INK_BAD, "passed through", "bodies in %lld steps; see the events",
                    (long long)summary->passed);
    }
    if (summary->limited > 0) {
        entry_print(INK_BAD, "stopped bodies", "without bouncing, in %lld steps; see the events",
                    (long long)summary->limited);
    }
    if (summary->paradox_steps > 0) {
        entry_print(INK_BAD, "paradoxes",
                    "paradoxical contacts in %lld steps from step %lld on: no or several solutions "
                    "(Painleve)",
                    (long long)summary->paradox_steps, (long long)summary->paradox_first);
    }
}

static void run_summary_print_energy(const run_summary *summary) {
    entry_print(INK_PLAIN, "energy",
                "%.6g J at the start, %.6g J at the end\n(%.3g J kinetic); forces gave %.3g, "
                "friction took %.3g, impacts %.3g, the scheme %.3g J",
                summary->energy_initial, summary->energy_final, summary->kinetic_final,
                summary->work, summary->friction, summary->impact, summary->numerical);
    entry_print(INK_PLAIN, "energy balance", "off by %.2e J, %.1e of what changed form",
                run_summary_balance(summary), run_summary_balance_share(summary));
}

static void run_summary_print_cpu(const run_summary *summary) {
    double rest = summary->cpu_s - summary->cpu_others;
    entry_print(INK_PLAIN, "CPU time", "%.3g s, real-time factor S_p = %.3g (simulated / CPU)",
                summary->cpu_s, run_summary_speed(summary));
    if (!(summary->cpu_s > 0.0)) {
        return;
    }
    double share[4];
    for (int32_t i = 0; i < 4; i++) {
        share[i] = 100.0 * summary->cpu[i] / summary->cpu_s;
        rest -= summary->cpu[i];
    }
    char others[64] = "";
    if (summary->cpu_others > 0.0) {
        snprintf(others, sizeof others, ", other threads %.0f %%",
                 100.0 * summary->cpu_others / summary->cpu_s);
    }
    entry_print(INK_PLAIN, "",
                "detection %.0f %%, assembly %.0f %%, solving %.0f %%,\n"
                "advancing %.0f %%, recording %.0f %%%s",
                share[0], share[1], share[2], share[3], 100.0 * fmax(0.0, rest) / summary->cpu_s,
                others);
}

void run_summary_print(const run_summary *summary, double tolerance, const char *hash) {
    run_summary_print_steps(summary, tolerance);
    entry_print(INK_PLAIN, "worst residual", "%.2e at step %lld", summary->residual_worst,
                (long long)summary->residual_step);
    entry_print(INK_PLAIN, "contacts", "%.1f per step, at most %d; %.1f iterations per step",
                run_summary_contacts_mean(summary), (int)summary->contacts_max,
                run_summary_iterations_mean(summary));
    entry_print(INK_PLAIN, "worst penetration", "%.2e m at step %lld, %.2e m at the end",
                summary->penetration_max, (long long)summary->penetration_step,
                summary->penetration_final);
    if (summary->deep > 0) {
        entry_print(INK_BAD, "penetration limit", "exceeded by %lld %s of bodies; see the events",
                    (long long)summary->deep, summary->deep == 1 ? "pair" : "pairs");
    }
    char hint[200];
    run_summary_bottleneck(summary, tolerance, hint, sizeof hint);
    if (hint[0]) {
        entry_print(INK_BAD, "hint", "%s", hint);
    }
    if (summary->joint_error_max > 0.0) {
        entry_print(INK_PLAIN, "worst joint error", "%.2e", summary->joint_error_max);
    }
    run_summary_print_energy(summary);
    run_summary_print_cpu(summary);
    if (hash) {
        entry_print(INK_PLAIN, "state hash", "%s", hash);
    }
}

// ---- for programs ----

void run_summary_print_json(const run_summary *summary, const run_summary_names *names) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "scene", names->scene);
    put_int(&json, "bodies", names->bodies);
    put_int(&json, "steps", summary->steps);
    put_real(&json, "t_end", summary->t_end);
    put_real(&json, "cpu_s", summary->cpu_s);
    put_real(&json, "sp", run_summary_speed(summary));
    put_real(&json, "contacts_mean", run_summary_contacts_mean(summary));
    put_int(&json, "contacts_max", summary->contacts_max);
    put_real(&json, "iterations_mean", run_summary_iterations_mean(summary));
    put_real(&json, "residual_worst", summary->residual_worst);
    put_open(&json, "outcomes", '{');
    for (int32_t i = 0; i < CN_OUTCOME_COUNT; i++) {
        if (i == CN_SOLVED || summary->outcomes[i] > 0) {
            put_int(&json, cn_outcome_text((cn_outcome)i), summary->outcomes[i]);
        }
    }
    put_close(&json, '}');
    put_real(&json, "penetration_max", summary->penetration_max);
    put_real(&json, "penetration_final", summary->penetration_final);
    put_real(&json, "joint_error_max", summary->joint_error_max);
    put_real(&json, "energy_initial", summary->energy_initial);
    put_real(&json, "energy_final", summary->energy_final);
    put_real(&json, "kinetic_final", summary->kinetic_final);
    put_real(&json, "energy_balance_error", run_summary_balance(summary));
    put_text(&json, "state_hash", names->hash);
    put_text(&json, "run", names->run);
    put_int(&json, "penetrating_pairs", summary->deep);
    put_int(&json, "early_impacts", summary->early);
    put_real(&json, "early_gap_max", summary->early_gap);
    put_open(&json, "warnings", '[');
    for (int32_t i = 0; i < names->warning_count; i++) {
        put_text(&json, NULL, names->warnings[i]);
    }
    put_close(&json, ']');
    put_close(&json, '}');
    put_end(&json);
}
