// step/report.c
// What a step adds to a report that may cover several.
#include "step/step.h"

#include "base/parallel.h"

#include <math.h>

// What contacts do in a step: how many stick and slide, and the largest overlap.
typedef struct contact_sums {
    int32_t sticking, sliding;
    double deepest;
} contact_sums;

static void sum_contacts(const void *user, int64_t first, int64_t end, void *part) {
    const step_data *step = user;
    contact_sums *sums = part;
    for (int64_t c = first; c < end; c++) {
        sums->deepest = fmax(sums->deepest, -step->contacts.contact[c].gap);
        if (c < step->assembled.contacts) { // problem contacts are fewer
            sums->sticking += step->status[c] == 1;
            sums->sliding += step->status[c] == 2;
        }
    }
}

static void join_contacts(void *total, const void *part) {
    contact_sums *all = total;
    const contact_sums *more = part;
    all->sticking += more->sticking;
    all->sliding += more->sliding;
    all->deepest = fmax(all->deepest, more->deepest);
}

static void add_fast(const step_fast_report *fast, cn_step_report *report) {
    report->early += fast->early;
    report->early_gap = fmax(report->early_gap, fast->early_gap);
    if (fast->limited > 0) {
        report->limited += fast->limited;
        report->limited_candidate = fast->limited_at[0] + 1;
        report->limited_antagonist = fast->limited_at[1] + 1;
    }
    if (fast->passed > 0) {
        report->passed += fast->passed;
        report->passed_candidate = fast->passed_at[0] + 1;
        report->passed_antagonist = fast->passed_at[1] + 1;
    }
}

void step_add_report(const step_context *in, const step_sleep *sleep, const step_data *step,
                     cn_step_report *report) {
    const step_stored_contact *stored = (const void *)sleep->stored.data;
    contact_sums sums = {.sticking = 0};
    for (int32_t k = 0; k < step_stored_count(sleep); k++) {
        sums.sticking += stored[k].status == 1;
        sums.sliding += stored[k].status == 2;
        sums.deepest = fmax(sums.deepest, -stored[k].contact.gap);
    }
    base_parallel_fold(in->env, step->contacts.count, sum_contacts, join_contacts, step,
                       sizeof sums, &sums);
    report->contacts = step->contacts.count + step_stored_count(sleep);
    report->sticking = sums.sticking;
    report->sliding = sums.sliding;
    report->penetration_max = fmax(report->penetration_max, sums.deepest);
    report->joint_error_max = fmax(report->joint_error_max, step->joint_error);
    report->solver = step->solver;
    report->iterations += step->solved.iterations;
    report->retries += step->retries;
    report->missed += step->contacts.missed;
    add_fast(&step->fast, report);
    if (report->outcome == CN_SOLVED) {
        report->outcome = step->solved.outcome; // the first that was not solved stays
    }
    report->residual = fmax(report->residual, step->solved.grade.residual);
    step_add_paradoxes(in->env, step, report);
    step_add_energy(in, step, report);
}
