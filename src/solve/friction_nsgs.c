// solve/friction_nsgs.c
// Nonsmooth Gauss-Seidel: visit the contacts in order, solving each while the others are held
// (Jourdan, Alart and Jean 1998), with Anderson acceleration of the sweep.
//
// Creeps when the packing is tall (the error diffuses one layer a sweep) and may cycle on
// hyperstatic sets, where the acceleration helps but is no cure: "extra-gradient" is slower and
// steadier. Contacts are visited by index, or in another
// order that the problem alone decides ("order"), so threads cannot change the answer. Scratch: one
// local block a contact, 2 depth + 6 vectors of the size of r.
#include "solve/friction_nsgs.h"

#include "base/arena.h"
#include "solve/anderson.h"
#include "solve/contact_order.h"
#include "solve/natural.h"
#include "solve/sweep.h"
#include "solve/watch.h"

#include <math.h>
#include <string.h>

#define CN_NSGS_EAGER 6       // sweeps that are all checked: easy problems end here
#define CN_NSGS_CHECK_MOST 25 // at most this many sweeps between two checks
#define CN_NSGS_FORESEE                                                                            \
    1.5 // a check is due when the step size foretells an error below this times the tolerance

#define CN_NSGS_EVERY_BODY 3
#define CN_NSGS_WINDOW_FIRST 12   // sweeps before the pace is judged
#define CN_NSGS_WINDOW_GROWTH 1.3 // of a window, in sweeps so far
#define CN_NSGS_PATIENCE_MOST 4.0 // times the patience, all sweeps together

const cn_param cn_nsgs_param_table[CN_NSGS_PARAM_COUNT] = {
    {"relaxation", CN_PARAM_REAL, offsetof(cn_nsgs_params, relaxation), 1.0, 0.05, 1.95,
     "omega: r := r + omega (local answer - r)"},
    {"anderson", CN_PARAM_INT, offsetof(cn_nsgs_params, anderson), 5, 0, CN_ANDERSON_MAX,
     "depth of the acceleration; 0 sweeps plainly"},
    {"every", CN_PARAM_INT, offsetof(cn_nsgs_params, every), 0, 0, 100,
     "sweeps per acceleration step; 0: 1 assembled, 3 in body space"},
    {"order", CN_PARAM_INT, offsetof(cn_nsgs_params, order), 0, 0, CN_ORDER_COUNT - 1,
     "contacts visited 0: by index, 1: shuffled, 2: reverse Cuthill-McKee, 3: by colour"},
    {"seed", CN_PARAM_INT, offsetof(cn_nsgs_params, seed), 1, 0, INT32_MAX,
     "of the shuffled order"},
};

// The vectors of a run. x has the padding that a sweep asks for.
typedef struct cn_nsgs {
    const cn_friction *p;
    cn_sweep sweep;
    cn_anderson mixer;
    int64_t m;
    double *x, *g; // where the sweep starts, where it ends
    double *best;  // the best g that was checked
    double best_error;
    double *weight;  // trace(W_aa) / dim, the metric of the mixing
    double foretold; // error over step size at the last check
} cn_nsgs;

static cn_status cn_nsgs_prepare(cn_nsgs *s, const cn_friction *p, const cn_solve_opts *opts,
                                 cn_arena *scratch) {
    const cn_nsgs_params *params = (const void *)opts->params;
    *s = (cn_nsgs){
        .p = p, .m = (int64_t)p->dim * p->contacts, .best_error = INFINITY, .foretold = INFINITY};
    s->x = CN_TAKE_ZERO(scratch, double, s->m + CN_SWEEP_PAD);
    s->g = CN_TAKE_ZERO(scratch, double, s->m + CN_SWEEP_PAD);
    s->best = CN_TAKE_ZERO(scratch, double, s->m);
    s->weight = CN_TAKE(scratch, double, p->contacts);
    if (!s->x || !s->g || !s->best || !s->weight) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        const double *block = p->W.diagonal + (int64_t)p->dim * p->dim * a;
        double trace = 0.0;
        for (int32_t i = 0; i < p->dim; i++) {
            trace += block[(p->dim + 1) * i];
        }
        s->weight[a] = trace > 0.0 ? trace / p->dim : 1.0;
    }
    cn_status status = cn_sweep_prepare(p, opts->local, params->relaxation, scratch, &s->sweep);
    return status != CN_OK
               ? status
               : cn_anderson_prepare(params->anderson, s->m, p->dim, s->weight, scratch, &s->mixer);
}

// The error of g, which becomes the best where it is.
static double cn_nsgs_check(cn_nsgs *s, cn_measure measure, double *u) {
    cn_sweep_velocity(&s->sweep, s->g, u);
    double error = cn_natural_error(s->p, measure, s->g, u);
    if (error < s->best_error) {
        s->best_error = error;
        memcpy(s->best, s->g, sizeof *s->g * (size_t)s->m);
    }
    return error;
}

// Checks cost as much as sweeping, so later ones wait until the step size foretells success or the
// last is long ago.
static bool cn_nsgs_check_due(const cn_nsgs *s, int64_t sweep, int64_t last_check, double step,
                              double tolerance) {
    int64_t wait = sweep / 6 < CN_NSGS_CHECK_MOST ? sweep / 6 : CN_NSGS_CHECK_MOST;
    return sweep <= CN_NSGS_EAGER || sweep - last_check >= wait ||
           !(s->foretold * step > CN_NSGS_FORESEE * tolerance);
}

// How the error falls, over windows that grow with the sweeps.
typedef struct cn_nsgs_pace {
    double patience;
    int64_t since; // sweep at which the window began
    double error;  // best error then
    int32_t slow;  // windows in a row that were too slow
} cn_nsgs_pace;

// Whether to leave: twice in a row more sweeps are foretold than the patience allows.
static bool cn_nsgs_too_slow(cn_nsgs_pace *pace, int64_t sweep, double error, double tolerance) {
    if (sweep < CN_NSGS_WINDOW_FIRST ||
        (double)sweep < CN_NSGS_WINDOW_GROWTH * (double)pace->since) {
        return false;
    }
    double fall = log(pace->error / error) / (double)(sweep - pace->since);
    bool slow = !(log(error / tolerance) <= pace->patience * fall);
    pace->slow = slow ? pace->slow + 1 : 0;
    pace->since = sweep;
    pace->error = error;
    bool spent = (double)sweep >= pace->patience; // as much as the other way is expected to cost
    return (pace->slow >= 2 && spent) || (double)sweep > CN_NSGS_PATIENCE_MOST * pace->patience;
}

cn_status cn_nsgs_run(const cn_friction *p, const cn_solve_opts *opts, double patience,
                      cn_arena *scratch, double *r, double *u, cn_solve_report *report,
                      double *error) {
    const cn_nsgs_params *params = (const void *)opts->params;
    cn_nsgs s;
    cn_status status = cn_nsgs_prepare(&s, p, opts, scratch);
    if (status != CN_OK) {
        return status;
    }
    size_t bytes = sizeof *r * (size_t)s.m;
    memcpy(s.x, r, bytes);
    memcpy(s.g, r, bytes);
    // In body space each mixed start costs a product with H, so it is made less often.
    int32_t every = params->every > 0 ? params->every
                                      : (p->W.kind == CN_OPERATOR_BODY ? CN_NSGS_EVERY_BODY : 1);
    cn_watch watch = cn_watch_start(opts);
    cn_sweep_run(&s.sweep, s.g, 0);
    *error = cn_nsgs_check(&s, opts->measure, u);
    cn_nsgs_pace pace = {.patience = patience, .error = *error};
    int64_t last_check = 0;
    for (int64_t sweep = 0; !cn_watch_stop(&watch, "sweeps", sweep, *error, report);) {
        if (cn_nsgs_too_slow(&pace, sweep, s.best_error, opts->tolerance)) {
            report->outcome = CN_STALLED;
            report->detail = "the sweeps are too slow";
            break;
        }
        do {
            memcpy(s.g, s.x, bytes);
            int64_t left = opts->max_iterations - sweep;
            int32_t count = every < left ? every : (int32_t)left;
            cn_sweep_run(&s.sweep, s.g, count);
            sweep += count;
            double step = cn_anderson_step(&s.mixer, s.x, s.g);
            if (cn_nsgs_check_due(&s, sweep, last_check, step, opts->tolerance)) {
                *error = cn_nsgs_check(&s, opts->measure, u);
                s.foretold = step > 0.0 ? *error / step : 0.0;
                last_check = sweep;
            }
        } while (last_check != sweep && sweep < opts->max_iterations);
    }
    memcpy(r, s.best, bytes);
    *error = s.best_error;
    if (s.sweep.unusable > 0 && report->outcome != CN_SOLVED) {
        report->detail = "contacts without normal stiffness were left as they were";
    }
    return watch.status;
}

cn_status cn_friction_nsgs(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                           double *r, double *u, cn_solve_report *report) {
    const cn_nsgs_params *params = (const void *)opts->params;
    double error;
    if (params->order == CN_ORDER_NATURAL) {
        return cn_nsgs_run(p, opts, HUGE_VAL, scratch, r, u, report, &error);
    }
    cn_friction other;
    int32_t *order = CN_TAKE(scratch, int32_t, p->contacts);
    double *turned = CN_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
    if (!order || !turned ||
        cn_contact_order(p, (cn_order_kind)params->order, (uint64_t)params->seed, scratch, order) !=
            CN_OK ||
        cn_contact_reorder(p, order, scratch, &other) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    cn_contact_gather(p, order, r, turned);
    cn_status status = cn_nsgs_run(&other, opts, HUGE_VAL, scratch, turned, u, report, &error);
    cn_contact_scatter(p, order, turned, r);
    return status;
}
