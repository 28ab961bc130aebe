// app/run/run_summary.c
// Sums over the steps of a run; see run_summary.h. The balance is that of the whole run: what the
// energy changed by, less what was given, plus what was taken.
#include "run/run_summary.h"

#include "run/run_checks.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cn_tally cn_tally_start(double energy_initial) {
    return (cn_tally){.energy_initial = energy_initial, .energy_final = energy_initial};
}

void cn_tally_add(cn_tally *tally, const cn_step_report *report) {
    tally->steps++;
    tally->t_end = report->t;
    tally->outcomes[report->outcome]++;
    tally->contacts_sum += report->contacts;
    tally->contacts_max =
        report->contacts > tally->contacts_max ? report->contacts : tally->contacts_max;
    tally->iterations_sum += report->iterations;
    for (int32_t i = CN_TALLY_HARD - 1; i >= 0 && report->iterations > tally->hard[i]; i--) {
        if (i < CN_TALLY_HARD - 1) {
            tally->hard[i + 1] = tally->hard[i];
        }
        tally->hard[i] = report->iterations;
    }
    // Written so that a NaN is the worst there is.
    if (!(report->residual <= tally->residual_worst)) {
        tally->residual_worst = report->residual;
        tally->residual_step = report->step;
    }
    if (!(report->penetration_max <= tally->penetration_max)) {
        tally->penetration_max = report->penetration_max;
        tally->penetration_step = report->step;
    }
    tally->penetration_final = report->penetration_max;
    tally->joint_error_max = fmax(tally->joint_error_max, report->joint_error_max);
    tally->retries += report->retries;
    tally->halvings += report->halvings;
    tally->missed += report->missed;
    tally->passed += report->passed > 0;
    tally->limited += report->limited > 0;
    if (report->paradoxes > 0 && tally->paradox_steps++ == 0) {
        tally->paradox_first = report->step;
    }
    tally->energy_final = report->kinetic + report->potential;
    tally->kinetic_final = report->kinetic;
    tally->kinetic_peak = fmax(tally->kinetic_peak, report->kinetic);
    tally->work += report->work_external + report->work_joints;
    tally->friction += report->dissipated_friction;
    tally->impact += report->dissipated_impact;
    tally->numerical += report->dissipated_numerical;
    tally->correction += report->work_correction;
    const double cpu[4] = {report->cpu_detect, report->cpu_assemble, report->cpu_solve,
                           report->cpu_advance};
    for (int32_t i = 0; i < 4; i++) {
        tally->cpu[i] += cpu[i];
        tally->cpu_s += cpu[i];
    }
}

static bool cn_begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

cn_status cn_tally_read(cn_run *run, cn_tally *tally, cn_error *error) {
    const char *initial = cn_run_meta(run, "energy_initial");
    *tally = cn_tally_start(initial ? strtod(initial, NULL) : 0.0);
    cn_arena *memory = cn_arena_create(NULL);
    cn_step_report *rows;
    int64_t count;
    if (!memory) {
        return cn_error_memory(error);
    }
    cn_status status = cn_run_ledger(run, memory, &rows, &count, error);
    for (int64_t i = 0; status == CN_OK && i < count; i++) {
        cn_tally_add(tally, &rows[i]);
    }
    cn_run_event *event;
    status = status == CN_OK ? cn_run_events(run, memory, &event, &count, error) : status;
    for (int64_t i = 0; status == CN_OK && i < count; i++) {
        tally->deep += cn_begins(event[i].text, CN_DEEP_TEXT);
        tally->passed += cn_begins(event[i].text, CN_PASSED_TEXT);
        tally->limited += cn_begins(event[i].text, CN_LIMITED_TEXT);
    }
    cn_arena_destroy(memory);
    // A run that ended by itself has also noted what its other threads and its recording took.
    const char *cpu = cn_run_meta(run, "cpu_s"), *others = cn_run_meta(run, "cpu_others_s");
    tally->cpu_others = others ? strtod(others, NULL) : 0.0;
    tally->cpu_s = fmax(tally->cpu_s + tally->cpu_others, cpu ? strtod(cpu, NULL) : 0.0);
    return status;
}

// ---- figures ----

int64_t cn_tally_unsolved(const cn_tally *tally) {
    return tally->steps - tally->outcomes[CN_SOLVED];
}

bool cn_tally_is_good(const cn_tally *tally) {
    return cn_tally_unsolved(tally) == 0 && tally->deep == 0 && tally->passed == 0 &&
           tally->limited == 0;
}

double cn_tally_balance(const cn_tally *tally) {
    return tally->energy_final - tally->energy_initial - tally->work + tally->friction +
           tally->impact + tally->numerical - tally->correction;
}

double cn_tally_balance_share(const cn_tally *tally) {
    double turnover = fabs(tally->energy_final - tally->energy_initial) + fabs(tally->work) +
                      fabs(tally->friction) + fabs(tally->impact) + fabs(tally->numerical) +
                      fabs(tally->correction) + tally->kinetic_peak;
    return turnover > 0.0 ? fabs(cn_tally_balance(tally)) / turnover : 0.0;
}

static double cn_mean(double sum, int64_t count) {
    return count > 0 ? sum / (double)count : 0.0;
}

double cn_tally_contacts_mean(const cn_tally *tally) {
    return cn_mean(tally->contacts_sum, tally->steps);
}

double cn_tally_iterations_mean(const cn_tally *tally) {
    return cn_mean(tally->iterations_sum, tally->steps);
}

double cn_tally_speed(const cn_tally *tally) {
    return tally->cpu_s > 0.0 ? tally->t_end / tally->cpu_s : 0.0;
}

#define CN_TALLY_LOOSE 1e-3    // tolerance that is not suspected
#define CN_TALLY_SHARE 0.3     // of the iterations, taken by
#define CN_TALLY_FEW 0.02      // of the steps: hard ones
#define CN_TALLY_MANY 100.0    // iterations per step in the mean, below which nothing is slow
#define CN_TALLY_UNSOLVED 1e-3 // share of the steps

void cn_tally_bottleneck(const cn_tally *tally, double tolerance, char *text, size_t size) {
    double few = fmin(ceil(CN_TALLY_FEW * (double)tally->steps), CN_TALLY_HARD), taken = 0.0;
    text[0] = '\0';
    for (int32_t i = 0; i < (int32_t)few; i++) {
        taken += tally->hard[i];
    }
    double share = tally->iterations_sum > 0.0 ? taken / tally->iterations_sum : 0.0;
    bool slow = share >= CN_TALLY_SHARE && cn_tally_iterations_mean(tally) >= CN_TALLY_MANY;
    bool unsolved = (double)cn_tally_unsolved(tally) > CN_TALLY_UNSOLVED * (double)tally->steps;
    if (tolerance < CN_TALLY_LOOSE && tally->steps > 0 && (slow || unsolved)) {
        snprintf(text, size,
                 "the tolerance %g is the bottleneck: %.0f %% of the iterations went to %.2g %% of "
                 "the steps; try --tol 1e-3, see docs/accuracy.md",
                 tolerance, 100.0 * share, 100.0 * few / (double)tally->steps);
    }
}

// ---- for people ----

// "498 of 500 solved (tolerance 1e-08), 2 limit".
static void cn_tally_print_steps(const cn_tally *tally, double tolerance) {
    int64_t unsolved = cn_tally_unsolved(tally);
    cn_ink ink = unsolved > 0 ? CN_INK_BAD : CN_INK_GOOD;
    printf("  steps solved        %s%lld of %lld%s to the tolerance %g", cn_ink_begin(stdout, ink),
           (long long)tally->outcomes[CN_SOLVED], (long long)tally->steps, cn_ink_end(stdout, ink),
           tolerance);
    for (int32_t i = 0; i < CN_OUTCOME_COUNT; i++) {
        if (i != CN_SOLVED && tally->outcomes[i] > 0) {
            printf(", %lld %s", (long long)tally->outcomes[i], cn_outcome_text((cn_outcome)i));
        }
    }
    putchar('\n');
    if (tally->retries > 0 || tally->halvings > 0) {
        printf("                      %lld retries, %lld halved steps\n", (long long)tally->retries,
               (long long)tally->halvings);
    }
    if (tally->missed > 0) {
        printf("  %smissed pairs%s        %lld overlapped without having been candidates\n",
               cn_ink_begin(stdout, CN_INK_BAD), cn_ink_end(stdout, CN_INK_BAD),
               (long long)tally->missed);
    }
    if (tally->passed > 0) {
        printf("  %spassed through%s      bodies in %lld steps; see the events\n",
               cn_ink_begin(stdout, CN_INK_BAD), cn_ink_end(stdout, CN_INK_BAD),
               (long long)tally->passed);
    }
    if (tally->limited > 0) {
        printf("  %sstopped bodies%s      without bouncing, in %lld steps; see the events\n",
               cn_ink_begin(stdout, CN_INK_BAD), cn_ink_end(stdout, CN_INK_BAD),
               (long long)tally->limited);
    }
    if (tally->paradox_steps > 0) {
        printf(
            "  %sparadoxical contacts%s in %lld steps from step %lld on: no or several solutions "
            "(Painleve)\n",
            cn_ink_begin(stdout, CN_INK_BAD), cn_ink_end(stdout, CN_INK_BAD),
            (long long)tally->paradox_steps, (long long)tally->paradox_first);
    }
}

static void cn_tally_print_energy(const cn_tally *tally) {
    printf("  energy              %.6g J at the start, %.6g J at the end (%.3g J kinetic)\n",
           tally->energy_initial, tally->energy_final, tally->kinetic_final);
    printf("                      forces gave %.3g, friction took %.3g, impacts %.3g, the scheme "
           "%.3g J\n",
           tally->work, tally->friction, tally->impact, tally->numerical);
    printf("  energy balance      off by %.2e J, %.1e of what changed form\n",
           cn_tally_balance(tally), cn_tally_balance_share(tally));
}

static void cn_tally_print_cpu(const cn_tally *tally) {
    static const char *const phases[] = {"detection", "assembly", "solving", "advancing"};
    double rest = tally->cpu_s - tally->cpu_others;
    printf("  CPU time            %.3g s, S_p = %.3g (simulated / CPU time)\n", tally->cpu_s,
           cn_tally_speed(tally));
    if (!(tally->cpu_s > 0.0)) {
        return;
    }
    fputs("                      ", stdout);
    for (int32_t i = 0; i < 4; i++) {
        printf("%s %.0f %%, ", phases[i], 100.0 * tally->cpu[i] / tally->cpu_s);
        rest -= tally->cpu[i];
    }
    printf("recording %.0f %%", 100.0 * fmax(0.0, rest) / tally->cpu_s);
    if (tally->cpu_others > 0.0) {
        printf(", other threads %.0f %%", 100.0 * tally->cpu_others / tally->cpu_s);
    }
    putchar('\n');
}

void cn_tally_print(const cn_tally *tally, double tolerance, const char *hash) {
    cn_tally_print_steps(tally, tolerance);
    printf("  worst residual      %.2e at step %lld\n", tally->residual_worst,
           (long long)tally->residual_step);
    printf("  contacts            %.1f a step, at most %d; %.1f iterations a step\n",
           cn_tally_contacts_mean(tally), (int)tally->contacts_max,
           cn_tally_iterations_mean(tally));
    printf("  worst penetration   %.2e m at step %lld, %.2e m at the end\n", tally->penetration_max,
           (long long)tally->penetration_step, tally->penetration_final);
    if (tally->deep > 0) {
        printf("  %spenetration limit%s   exceeded by %lld %s of bodies; see the events\n",
               cn_ink_begin(stdout, CN_INK_BAD), cn_ink_end(stdout, CN_INK_BAD),
               (long long)tally->deep, tally->deep == 1 ? "pair" : "pairs");
    }
    char hint[200];
    cn_tally_bottleneck(tally, tolerance, hint, sizeof hint);
    if (hint[0]) {
        printf("  %shint%s                %s\n", cn_ink_begin(stdout, CN_INK_BAD),
               cn_ink_end(stdout, CN_INK_BAD), hint);
    }
    if (tally->joint_error_max > 0.0) {
        printf("  worst joint error   %.2e\n", tally->joint_error_max);
    }
    cn_tally_print_energy(tally);
    cn_tally_print_cpu(tally);
    if (hash) {
        printf("  state hash          %s\n", hash);
    }
}

// ---- for programs ----

void cn_tally_print_json(const cn_tally *tally, const cn_tally_names *names) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "scene", names->scene);
    cn_put_int(&json, "bodies", names->bodies);
    cn_put_int(&json, "steps", tally->steps);
    cn_put_real(&json, "t_end", tally->t_end);
    cn_put_real(&json, "cpu_s", tally->cpu_s);
    cn_put_real(&json, "sp", cn_tally_speed(tally));
    cn_put_real(&json, "contacts_mean", cn_tally_contacts_mean(tally));
    cn_put_int(&json, "contacts_max", tally->contacts_max);
    cn_put_real(&json, "iterations_mean", cn_tally_iterations_mean(tally));
    cn_put_real(&json, "residual_worst", tally->residual_worst);
    cn_put_open(&json, "outcomes", '{');
    for (int32_t i = 0; i < CN_OUTCOME_COUNT; i++) {
        if (i == CN_SOLVED || tally->outcomes[i] > 0) {
            cn_put_int(&json, cn_outcome_text((cn_outcome)i), tally->outcomes[i]);
        }
    }
    cn_put_close(&json, '}');
    cn_put_real(&json, "penetration_max", tally->penetration_max);
    cn_put_real(&json, "penetration_final", tally->penetration_final);
    cn_put_real(&json, "joint_error_max", tally->joint_error_max);
    cn_put_real(&json, "energy_initial", tally->energy_initial);
    cn_put_real(&json, "energy_final", tally->energy_final);
    cn_put_real(&json, "kinetic_final", tally->kinetic_final);
    cn_put_real(&json, "energy_balance_error", cn_tally_balance(tally));
    cn_put_text(&json, "state_hash", names->hash);
    cn_put_text(&json, "run", names->run);
    cn_put_int(&json, "penetrating_pairs", tally->deep);
    cn_put_open(&json, "warnings", '[');
    for (int32_t i = 0; i < names->warning_count; i++) {
        cn_put_text(&json, NULL, names->warnings[i]);
    }
    cn_put_close(&json, ']');
    cn_put_close(&json, '}');
    cn_put_end(&json);
}
