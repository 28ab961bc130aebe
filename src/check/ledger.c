// check/ledger.c
// The rows of the ledger: every step once, at its time, with finite numbers, solved, and the
// balance of energy from one row to the next.
#include "check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMOOTH_SHARE 1e-5 // of the terms of a balance that a smooth integrator leaves at most

typedef struct ledger_walk {
    check_checking *check;
    int64_t last;         // step of the row before
    double energy, scale; // of the row before; the potential energies' magnitudes at the start
    double balance;       // of all rows
    double share;         // of its terms that a row may leave
} ledger_walk;

// The first column that is not a finite number; NULL: all are.
static const char *ledger_nonfinite(const cn_step_report *row) {
#define LEDGER_FINITE_I(name)
#define LEDGER_FINITE_S(name)
#define LEDGER_FINITE_O(name)
#define LEDGER_FINITE_R(name)                                                                      \
    if (!isfinite(row->name)) {                                                                    \
        return #name;                                                                              \
    }
#define LEDGER_FINITE(name, kind) LEDGER_FINITE_##kind(name)
    CN_LEDGER_LIST(LEDGER_FINITE)
    return NULL;
}

static void ledger_balance(ledger_walk *walk, const cn_step_report *row) {
    check_checking *check = walk->check;
    const double term[] = {row->kinetic,
                           row->potential,
                           -walk->energy,
                           -row->work_external,
                           -row->work_joints,
                           -row->work_correction,
                           row->elastic,
                           row->dissipated_plastic,
                           row->dissipated_viscous,
                           row->dissipated_fracture,
                           row->dissipated_friction,
                           row->dissipated_impact,
                           row->dissipated_numerical};
    double sum = 0.0, scale = walk->scale;
    for (size_t i = 0; i < sizeof term / sizeof term[0]; i++) {
        sum += term[i];
        scale += fabs(term[i]);
        check->peak = fmax(check->peak, fabs(term[i]));
    }
    walk->energy = row->kinetic + row->potential + row->elastic;
    walk->balance += sum;
    check_worst worst = {.any = false};
    check_worst_add(&worst, fabs(sum), walk->share * scale + CHECK_PEAK * check->peak, 0);
    if (check_worst_note(check, CN_CHECK_BALANCE, &worst, row->step)) {
        check_find(check, "ledger", row->step, fabs(sum), worst.allowed,
                   "energies and works leave %.3g J", sum);
    }
}

static void ledger_counts(check_checking *check, const cn_step_report *row) {
    bool sound = row->contacts >= 0 && row->sticking >= 0 && row->sliding >= 0 &&
                 row->iterations >= 0 && row->sticking <= row->contacts - row->sliding &&
                 row->penetration_max >= 0.0 && row->residual >= 0.0 &&
                 row->joint_error_max >= 0.0 && row->kinetic >= 0.0 && row->paradoxes >= 0;
    if (!sound) {
        check_find(check, "ledger", row->step, 1.0, 0.0,
                   "a count, a residual, an overlap or the kinetic energy is negative, or more "
                   "contacts stick and slide than there are");
    }
    check->grade->unsolved_steps += row->outcome != CN_SOLVED;
    if (row->outcome != CN_SOLVED) {
        check_find(check, "ledger", row->step, row->residual, check->grade->tolerance,
                   "the step was not solved: %s", cn_outcome_text(row->outcome));
    } else if (check->model && !(row->residual <= 1.001 * check->model->settings.tolerance)) {
        check_find(check, "ledger", row->step, row->residual, check->model->settings.tolerance,
                   "solved by name, with a residual beyond the tolerance");
    }
}

static bool ledger_row(void *user, const cn_step_report *row) {
    ledger_walk *walk = user;
    check_checking *check = walk->check;
    check->grade->steps++;
    if (row->step != walk->last + 1) {
        check_find(check, "ledger", walk->last + 1, (double)row->step, (double)walk->last + 1.0,
                   "the row of this step is missing");
        walk->energy = (double)NAN; // there is none to start from
    }
    const char *nonfinite = ledger_nonfinite(row);
    if (nonfinite) {
        check_find(check, "ledger", row->step, (double)NAN, 0.0, "%s is not a finite number",
                   nonfinite);
    }
    if (check->model && !(row->t == (double)row->step * check->model->settings.step)) {
        check_find(check, "ledger", row->step, row->t,
                   (double)row->step * check->model->settings.step, "t is not that of the step");
    }
    ledger_counts(check, row);
    if (isnan(walk->energy)) {
        walk->energy = row->kinetic + row->potential;
    } else if (!nonfinite) {
        ledger_balance(walk, row);
    }
    walk->last = row->step;
    return true;
}

// Magnitudes of the potential energies at the start: what they round to.
static double potential_scale(const cn_model *model) {
    double sum = 0.0;
    for (int32_t i = 0; i < model->body_count; i++) {
        for (int32_t k = 0; k < model->dim && model->body[i].role == MODEL_BODY_FREE; k++) {
            sum += fabs(model->body[i].mass * model->settings.gravity[k] *
                        model->q0[(int64_t)model_pose_size(model->dim) * i + k]);
        }
    }
    return sum;
}

// What share of its terms the balance of a row may leave. Locks that turn with their bodies take
// out parts of velocities which no row has; smooth integrators are as accurate as they are asked to
// be.
static double ledger_share(const check_checking *check) {
    const cn_model *model = check->model;
    for (int32_t i = 0; model && i < model->body_count; i++) {
        if (model->body[i].lock && model->body[i].lock_body_axes) {
            return HUGE_VAL;
        }
    }
    bool exact = model && (check->stepped || strcmp(model->settings.scheme, "moreau-jean") == 0);
    return exact ? CHECK_ROUND : SMOOTH_SHARE;
}

cn_status check_ledger(check_checking *check) {
    const char *initial = cn_run_meta(check->run, "energy_initial");
    ledger_walk walk = {.check = check,
                        .energy = initial ? strtod(initial, NULL) : (double)NAN,
                        .scale = check->model ? potential_scale(check->model) : 0.0,
                        .share = ledger_share(check)};
    if (!initial) {
        check_missing(check, "meta has no energy_initial");
    }
    cn_status status =
        cn_run_ledger_each(check->run, INT64_MIN, INT64_MAX, ledger_row, &walk, check->error);
    check->grade->energy_balance_error = walk.balance;
    return status;
}
