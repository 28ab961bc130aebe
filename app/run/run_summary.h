// app/run/run_summary.h
// What a run did, summed over its steps: fed step by step while it goes on or from a run file's
// ledger, shown as a report that says how far to trust it, or as JSON.
#ifndef CAIRN_APP_RUN_RUN_SUMMARY_H
#define CAIRN_APP_RUN_RUN_SUMMARY_H

#include <cairn/cairn.h>

#include <stdio.h>

#define RUN_SUMMARY_HARD 64 // steps with most iterations that are looked at for the bottleneck

typedef struct run_summary {
    int64_t steps;
    double t_end; // [s]
    int64_t outcomes[CN_OUTCOME_COUNT];
    double contacts_sum, iterations_sum;
    int32_t contacts_max;
    double residual_worst, penetration_max, penetration_final, joint_error_max;
    int64_t residual_step, penetration_step; // where the worst were
    int64_t retries, halvings, missed;       // not in a ledger: 0 when read from one
    int64_t early;                           // impacts before contact, see sim.h; as these
    double early_gap;                        // [m] the largest gap of them
    int64_t deep;                            // pairs that penetrated beyond the limit
    int64_t passed, limited; // steps in which bodies passed through, or were stopped, see sim.h
    int64_t paradox_steps, paradox_first; // steps with paradoxical contacts, the first of them
    double energy_initial, energy_final, kinetic_final, kinetic_peak;
    double work, friction, impact, numerical; // [J] given by forces and joints, taken by the others
    double material;                          // [J] taken by damping and plastic strain
    double correction;                        // [J] given by lifting bodies out of penetration
    double cpu[4];     // [s] detect, assemble, solve, advance; of the thread that steps
    double cpu_others; // [s] of the other threads; 0: there were none
    double cpu_s;      // [s] the whole, recording included; at least the sum of the five
    double hard[RUN_SUMMARY_HARD]; // iterations of the steps that took most, descending
} run_summary;

run_summary run_summary_start(double energy_initial);
void run_summary_add(run_summary *summary, const cn_step_report *report);
// From a run file, read from its start.
cn_status run_summary_read(cn_run *run, run_summary *summary, cn_error *error);

int64_t run_summary_unsolved(const run_summary *summary);
// Every step is solved, no body passed through another or had to be stopped, none has sunk in.
bool run_summary_is_good(const run_summary *summary);
// What the energy balance of the whole run leaves [J].
double run_summary_balance(const run_summary *summary);
// The same as a share of the energy that changed form; 0 when none did.
double run_summary_balance_share(const run_summary *summary);
double run_summary_contacts_mean(const run_summary *summary);
double run_summary_iterations_mean(const run_summary *summary);
// Simulated over CPU time.
double run_summary_speed(const run_summary *summary);

// Whether the tolerance is the bottleneck: few steps take most of the iterations, or some end above
// it, and it is tighter than the default. text: one sentence with what to do, empty otherwise. From
// counts alone, so that the same run gives the same.
void run_summary_bottleneck(const run_summary *summary, double tolerance, char *text, size_t size);

// The report for people. tolerance: that of the steps. hash: of the state at the end; NULL: not
// known.
void run_summary_print(const run_summary *summary, double tolerance, const char *hash);
// The object of `cairn run --json`.
typedef struct run_summary_names {
    const char *scene, *hash, *run;
    int32_t bodies;
    char *const *warnings;
    int32_t warning_count;
} run_summary_names;
void run_summary_print_json(const run_summary *summary, const run_summary_names *names);

#endif
