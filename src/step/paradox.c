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
#include "step/sim.h"

#include <math.h>

// Only contacts that matter in this step: they carry, they would approach, or they are closed.
static bool cn_contact_matters(const cn_step *step, int32_t a) {
    int64_t row = (int64_t)step->assembled.problem.dim * a;
    double gap = step->contacts.contact[step->assembled.contact[a]].gap;
    return step->r[row] > 0.0 || step->assembled.problem.q[row] < 0.0 || gap <= 0.0;
}

void cn_step_paradoxes(const cn_sim *sim, cn_step_report *report) {
    const cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    int32_t count = 0;
    for (int32_t a = 0; a < step->assembled.contacts; a++) {
        const double *block = p->W.diagonal + (int64_t)p->dim * p->dim * a;
        double coupling = p->dim == 3 ? hypot(block[1], block[2]) : fabs(block[1]);
        double ratio = p->mu[a] * coupling / block[0];
        if (!(ratio >= 1.0) || !cn_contact_matters(step, a)) {
            continue;
        }
        count++;
        if (ratio > report->paradox_ratio) {
            const cn_contact_key *key = &step->contacts.contact[step->assembled.contact[a]].key;
            report->paradox_ratio = ratio;
            report->paradox_candidate = key->candidate + 1;
            report->paradox_antagonist = key->antagonist + 1;
        }
    }
    report->paradoxes = count > report->paradoxes ? count : report->paradoxes;
}
