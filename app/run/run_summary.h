// app/run/run_summary.h
// What a run did, summed over its steps: fed step by step while it goes on or from a run file's
// ledger, shown as a report that tells how far to trust it, or as JSON.
#ifndef CAIRN_APP_RUN_RUN_SUMMARY_H
#define CAIRN_APP_RUN_RUN_SUMMARY_H

#include <cairn/cairn.h>

#include <stdio.h>

#define CN_TALLY_HARD 64 // steps with most iterations that are looked at for the bottleneck

typedef struct cn_tally {
    int64_t steps;
    double t_end; // [s]
    int64_t outcomes[CN_OUTCOME_COUNT];
    double contacts_sum, iterations_sum;
    int32_t contacts_max;
    double residual_worst, penetration_max, penetration_final, joint_error_max;
    int64_t residual_step, penetration_step; // where the worst were
    int64_t retries, halvings, missed;       // not in a ledger: 0 when read from one
    int64_t deep;                            // pairs that penetrated beyond the limit
    int64_t passed, limited; // steps in which bodies passed through, or were stopped, see sim.h
    int64_t paradox_steps, paradox_first; // steps with paradoxical contacts, the first of them
    double energy_initial, energy_final, kinetic_final, kinetic_peak;
    double work, friction, impact, numerical; // [J] given by forces and joints, taken by the others
    double correction;                        // [J] given by lifting bodies out of penetration
    double cpu[4];              // [s] detect, assemble, solve, advance; of the thread that steps
    double cpu_others;          // [s] of the other threads; 0: there were none
    double cpu_s;               // [s] the whole, recording included; at least the sum of the five
    double hard[CN_TALLY_HARD]; // iterations of the steps that took most, descending
} cn_tally;

cn_tally cn_tally_start(double energy_initial);
void cn_tally_add(cn_tally *tally, const cn_step_report *report);
// From a run file, read from its start.
cn_status cn_tally_read(cn_run *run, cn_tally *tally, cn_error *error);

int64_t cn_tally_unsolved(const cn_tally *tally);
// Every step is solved, no body passed through another or had to be stopped, none has sunk in.
bool cn_tally_is_good(const cn_tally *tally);
// What the energy balance of the whole run leaves [J].
double cn_tally_balance(const cn_tally *tally);
// The same as a share of the energy that changed form; 0 when none did.
double cn_tally_balance_share(const cn_tally *tally);
double cn_tally_contacts_mean(const cn_tally *tally);
double cn_tally_iterations_mean(const cn_tally *tally);
// Simulated over CPU time.
double cn_tally_speed(const cn_tally *tally);

// Whether the tolerance is the bottleneck: few steps take most of the iterations, or some end above
// it, and it is tighter than the default. text: one sentence with what to do, empty otherwise. From
// counts alone, so that the same run tells the same.
void cn_tally_bottleneck(const cn_tally *tally, double tolerance, char *text, size_t size);

// The report for people. tolerance: that of the steps. hash: of the state at the end; NULL: not
// known.
void cn_tally_print(const cn_tally *tally, double tolerance, const char *hash);
// The object of `cairn run --json`.
typedef struct cn_tally_names {
    const char *scene, *hash, *run;
    int32_t bodies;
    char *const *warnings;
    int32_t warning_count;
} cn_tally_names;
void cn_tally_print_json(const cn_tally *tally, const cn_tally_names *names);

#endif
