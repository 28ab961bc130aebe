// step/paradox.c
// Contacts whose own problem need not have exactly one answer (Painleve 1895; Genot and Brogliato
// 1999). Alone, a contact that slides along d presses back on its own normal velocity by
//     u_N = q_N + (W_NN - mu W_NT . d) r_N,
// so with mu |W_NT| >= W_NN there is a direction in which pressing harder approaches faster. Rates
// have then no solution or several. Over a step a solution exists as long as W_aa is regular, but
// it may be another than sliding: the contact catches, with an impulse that does not vanish with h.
//
// The test looks at one contact at a time. Several contacts of one body can have several answers
// though each alone has one; the residual says whether what was found is one of them.
#include "step/step.h"

#include "base/parallel.h"

#include <math.h>

#define SURELY_BELOW 0.999 // of a ratio of 1, whatever round-off

// Only contacts that matter in this step: they carry, they would approach, or they are closed.
static bool contact_matters(const step_data *step, int32_t a) {
    int64_t row = (int64_t)step->assembled.problem.dim * a;
    double gap = step->contacts.contact[asm_assembled_listed(&step->assembled, a)].gap;
    return step->r[row] > 0.0 || step->assembled.problem.q[row] < 0.0 || gap <= 0.0;
}

// How many there are, and the one with the largest ratio.
typedef struct paradoxes {
    int32_t count;
    double ratio;
    model_contact_key worst;
} paradoxes;

static void find_paradoxes(const void *user, int64_t first, int64_t end, void *part) {
    const step_data *step = user;
    const cn_friction *p = &step->assembled.problem;
    paradoxes *found = part;
    for (int32_t a = (int32_t)first; a < end; a++) {
        const double *block = p->W.diagonal + (int64_t)p->dim * p->dim * a;
        double max = fabs(block[1]) + (p->dim == 3 ? fabs(block[2]) : 0.0);
        if (p->mu[a] * max < SURELY_BELOW * block[0]) {
            continue; // nearly all, without a root
        }
        double coupling = p->dim == 3 ? hypot(block[1], block[2]) : fabs(block[1]);
        double ratio = p->mu[a] * coupling / block[0];
        if (!(ratio >= 1.0) || !contact_matters(step, a)) {
            continue;
        }
        found->count++;
        if (ratio > found->ratio) {
            found->ratio = ratio;
            found->worst = step->contacts.contact[asm_assembled_listed(&step->assembled, a)].key;
        }
    }
}

static void join_paradoxes(void *total, const void *part) {
    paradoxes *all = total;
    const paradoxes *more = part;
    all->count += more->count;
    if (more->ratio > all->ratio) {
        all->ratio = more->ratio;
        all->worst = more->worst;
    }
}

void step_add_paradoxes(const cn_env *env, const step_data *step, cn_step_report *report) {
    paradoxes found = {.count = 0};
    if (step->assembled.problem.W.kind == CN_OPERATOR_SPHERES) {
        return; // their W_NT is zero
    }
    base_parallel_fold(env, step->assembled.contacts, find_paradoxes, join_paradoxes, step,
                       sizeof found, &found);
    if (found.ratio > report->paradox_ratio) {
        report->paradox_ratio = found.ratio;
        report->paradox_candidate = found.worst.candidate + 1;
        report->paradox_antagonist = found.worst.antagonist + 1;
    }
    report->paradoxes = found.count > report->paradoxes ? found.count : report->paradoxes;
}
