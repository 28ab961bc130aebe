// solve/gauss_seidel/friction_nsgs.c
// Nonsmooth Gauss-Seidel: visit the contacts in order, solving each while the others are held
// (Jourdan, Alart and Jean 1998), with Anderson acceleration of the sweep.
//
// Creeps when the packing is tall (the error diffuses one layer per sweep) and may cycle on
// hyperstatic sets, where the acceleration helps but is no cure: "extra-gradient" is slower and
// steadier. Contacts are visited by index, or in another order that the problem alone decides
// ("order"), so threads cannot change the answer; symmetric sweeps, blocks of one pair of bodies
// and adaptive relaxation need the general sweep, which costs more than SIMD batches. Batches are
// swept in single precision as far as that is precise enough: spheres and disks always, bodies of
// other shapes to loose tolerances. Symmetric sweeps with momentum over bodies of other shapes that
// stand high grow in number with the height only (symmetric Gauss-Seidel: forward, then backward).
// All thresholds: solve/drivers/policy.h. Scratch: one local block per contact, depth + 6 vectors
// of the size of r.
#include "solve/gauss_seidel/friction_nsgs.h"

#include "base/arena.h"
#include "base/elementary/elementary.h"
#include "base/parallel.h"
#include "problem/operator/operator.h"
#include "solve/drivers/policy.h"
#include "solve/drivers/watch.h"
#include "solve/gauss_seidel/cache.h"
#include "solve/gauss_seidel/contact_order.h"

#include <math.h>
#include <string.h>

static const gs_policy *const policy = &gs_policy_default;

const cn_param gs_nsgs_param_table[GS_NSGS_PARAM_COUNT] = {
    {"relaxation", CN_PARAM_REAL, offsetof(gs_nsgs_params, relaxation), 1.0, 0.05, 1.95,
     "omega: r := r + omega (local answer - r)"},
    {"anderson", CN_PARAM_INT, offsetof(gs_nsgs_params, anderson), 5, 0, GS_ANDERSON_MAX,
     "depth of the acceleration; 0 sweeps plainly"},
    {"every", CN_PARAM_INT, offsetof(gs_nsgs_params, every), 0, 0, 100,
     "sweeps per acceleration step; 0: 1 assembled, 3 in body space and in packings of up to 8192 "
     "contacts of spheres, 6 in other SIMD batches"},
    {"settle", CN_PARAM_INT, offsetof(gs_nsgs_params, settle), 0, 0, 10000,
     "most sweeps past the tolerance from a start near it, so that piles come to exact rest"},
    {"single", CN_PARAM_BOOL, offsetof(gs_nsgs_params, single), 1, 0, 1,
     "spheres and disks, and other bodies at tolerances of 5e-3 and more, in single precision "
     "until the error is within the tolerance or near its round-off, then in double; 0: in double "
     "throughout"},
    {"momentum", CN_PARAM_REAL, offsetof(gs_nsgs_params, momentum), 0.9, 0.0, 0.99,
     "of sweeps in SIMD batches: from x + momentum (x - x before), at most 0.8 where bodies are "
     "neither "
     "spheres nor disks, and half way to 1 or more where these stand high and are swept "
     "symmetrically; 0: anderson instead"},
    {"budget", CN_PARAM_REAL, offsetof(gs_nsgs_params, budget), 0.0, 0.0, 1e9,
     "work of a solve at most, in sweeps, then the best iterate; 0: no limit"},
    {"order", CN_PARAM_INT, offsetof(gs_nsgs_params, order), 0, 0, GS_ORDER_COUNT - 1,
     "contacts visited 0: by index, 1: shuffled, 2: reverse Cuthill-McKee, 3: by colour"},
    {"seed", CN_PARAM_INT, offsetof(gs_nsgs_params, seed), 1, 0, INT32_MAX,
     "of the shuffled order"},
    {"manifold", CN_PARAM_INT, offsetof(gs_nsgs_params, manifold), 0, 0, 1000,
     "most inner sweeps over the contacts of one pair of bodies; 0: contacts one by one"},
    {"symmetric", CN_PARAM_BOOL, offsetof(gs_nsgs_params, symmetric), 0, 0, 1,
     "every sweep runs forward, then backward"},
    {"adaptive", CN_PARAM_BOOL, offsetof(gs_nsgs_params, adaptive), 0, 0, 1,
     "omega from the contraction seen, starting with relaxation; anderson is left out"},
};

// Whether the problem is a packing of spheres or disks small enough that what the first stage
// leaves unsolved is at the margin of rigidity. There momentum circles about the solution; larger
// packings need its reach all the same.
static bool is_jammed(const gs_nsgs *s) {
    return s->sweep.ops->granular && s->sweep.p->contacts <= policy->jammed_contacts_max;
}

// In body space each accelerated start costs a product with H, so it is made less often; batches
// sweep so fast that the acceleration would cost more than they do.
static int32_t anderson_interval(const gs_nsgs *s, const gs_nsgs_params *params) {
    if (params->every > 0) {
        return params->every;
    }
    if (s->sweep.p->dim == 3 && is_jammed(s)) {
        return policy->jammed_anderson_every;
    }
    bool body_space = prob_operator_ops_of(s->sweep.p->W.kind)->body_space;
    return s->sweep.ops->kind != GS_SWEEP_ANY ? policy->anderson_every_batches
           : body_space                       ? policy->anderson_every_body
                                              : policy->anderson_every_assembled;
}

// Iterates in the precision of the sweep.
static cn_status take_iterates(gs_nsgs *s) {
    size_t number = s->sweep.ops->single ? sizeof(float) : sizeof(double);
    int64_t size = s->sweep.size + GS_SWEEP_PAD;
    s->x = base_arena_take(s->scratch, size, number);
    s->g = base_arena_take(s->scratch, size, number);
    s->best = base_arena_take(s->scratch, s->sweep.size, number);
    if (!s->x || !s->g || !s->best) {
        return CN_ERR_MEMORY;
    }
    size_t bytes = gs_sweep_bytes(&s->sweep), pad = number * GS_SWEEP_PAD;
    memset((char *)s->x + bytes, 0, pad);
    memset((char *)s->g + bytes, 0, pad);
    return CN_OK;
}

static void copy_iterate(const gs_nsgs *s, void *to, const void *from) {
    base_parallel_copy(s->sweep.env, to, from, gs_sweep_bytes(&s->sweep));
}

static cn_status prepare_anderson(gs_nsgs *s) {
    const gs_nsgs_params *params = (const void *)s->opts->params;
    // The acceleration takes one map for granted, which a changing omega is not.
    int32_t depth = s->adaptive ? 0 : params->anderson;
    CN_TRY(gs_sweep_take_weights(&s->sweep, s->scratch));
    return gs_anderson_prepare(depth, s->sweep.size, s->sweep.ops->single, s->sweep.weight,
                               s->scratch, &s->anderson);
}

// Whether a cone is so steep that mu |u_T| of single precision is round-off.
static bool has_steep_cone(const cn_friction *p) {
    bool steep = false;
    for (int32_t a = 0; a < p->contacts; a++) {
        steep = steep || p->mu[a] > policy->float_friction_max;
    }
    return steep;
}

cn_status gs_nsgs_prepare(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                          gs_nsgs *s) {
    const gs_nsgs_params *params = (const void *)opts->params;
    *s = (gs_nsgs){.opts = opts, .scratch = scratch, .depth = -1};
    bool single = params->single && opts->measure == CN_MEASURE_SCALED &&
                  opts->tolerance >= policy->float_tolerance_min && !has_steep_cone(p);
    bool keeps = opts->cache && p->contacts <= policy->cache_contacts_max;
    const gs_sweep_plan plan = {.relaxation = params->relaxation,
                                .varies = params->adaptive,
                                .symmetric = params->symmetric,
                                .inner = params->manifold,
                                .single = single,
                                .rigid_single =
                                    single && opts->tolerance >= policy->float_rigid_tolerance_min,
                                .cache = keeps ? &opts->cache->batches : NULL};
    s->adaptive = params->adaptive;
    s->hyperstatic =
        prob_operator_ops_of(p->W.kind)->body_space &&
        (double)p->dim * p->contacts > policy->hyperstatic_rows * cn_operator_dofs(&p->W, p->dim);
    cn_status status = gs_sweep_prepare_plan(p, opts->local, &plan, scratch, &s->sweep);
    CN_TRY(status);
    s->every = anderson_interval(s, params);
    double max = p->contacts < policy->momentum_contacts_min ? 0.0 : s->sweep.ops->momentum_max;
    s->momentum = params->momentum < max ? params->momentum : max;
    s->with_momentum = s->momentum > 0.0;
    status = take_iterates(s);
    return status == CN_OK && !s->with_momentum ? prepare_anderson(s) : status;
}

// Makes x, where the sweeps begin, known to them.
static void begin_from(gs_nsgs *s) {
    copy_iterate(s, s->g, s->x);
    gs_sweep_run(&s->sweep, s->g, 0);
    s->momentum_steps = s->refreshed = 0;
    if (s->with_momentum) {
        gs_sweep_begin_momentum(&s->sweep);
    } else {
        gs_anderson_restart(&s->anderson);
    }
}

// Puts r where the sweeps begin.
static void load(gs_nsgs *s, const double *r) {
    gs_sweep_load(&s->sweep, r, s->x);
    begin_from(s);
}

// Goes on in doubles from r, which is better than all before or as good.
static void widen(gs_nsgs *s, const double *r) {
    s->status = gs_sweep_widen(&s->sweep, s->scratch);
    s->status = s->status == CN_OK ? take_iterates(s) : s->status;
    if (s->status == CN_OK && s->anderson.f_old) {
        s->status = gs_anderson_widen(&s->anderson, s->scratch);
    }
    if (s->status == CN_OK) {
        load(s, r);
        s->best_error = INFINITY;
    }
}

// Where round-off of floats leaves open whether g is solved, its error is evaluated in doubles;
// where floats cannot improve g, the run goes on in doubles.
static void confirm_in_double(gs_nsgs *s) {
    double goal = SOLVE_WATCH_MARGIN * s->opts->tolerance, floor = s->sweep.floor;
    bool solved = s->error + floor <= goal, unclear = s->error <= goal || s->error <= floor;
    if (solved || !unclear) {
        return;
    }
    bool rough = s->error <= policy->float_noise * floor;
    if (s->sweeps > 0) {
        gs_sweep_store(&s->sweep, s->g, s->r);
        s->best_error = INFINITY; // what was best at the start is no longer there
    }
    s->status = gs_sweep_error_of(&s->sweep, s->r, s->scratch, &s->error);
    if (s->status == CN_OK && rough && !(s->error <= goal)) {
        widen(s, s->r);
        if (s->status == CN_OK) {
            s->error = gs_sweep_error(&s->sweep, s->opts->measure, s->g);
        }
    }
}

// The error of g, which becomes the best where it is.
static void check(gs_nsgs *s) {
    s->error = gs_sweep_error(&s->sweep, s->opts->measure, s->g);
    s->checked = s->sweeps;
    if (s->sweep.ops->single) {
        confirm_in_double(s);
    }
    if (s->status == CN_OK && s->error < s->best_error) {
        s->best_error = s->error;
        s->at_start = s->sweeps == 0;
        copy_iterate(s, s->best, s->g);
    }
}

// Whether the start is so near the answer that the solve goes on past the tolerance.
static bool is_near(const gs_nsgs *s) {
    const gs_nsgs_params *params = (const void *)s->opts->params;
    return params->settle > 0 && s->error <= policy->near_start * s->opts->tolerance;
}

static void begin_stage(gs_nsgs *s, int64_t length) {
    s->stage_start = s->sweeps;
    s->stage_end = s->sweeps + length;
    s->stage_error = s->best_error;
}

// Bodies along an edge of a cube (2D: square) of them all.
static int64_t count_layers(const cn_friction *p) {
    int64_t bodies = cn_operator_dofs(&p->W, p->dim) / (p->dim == 3 ? 6 : 3), layers = 0, filled;
    do {
        layers++;
        filled = p->dim == 3 ? layers * layers * layers : layers * layers;
    } while (filled < bodies);
    return layers;
}

// From r = 0 the load has to find its way to the ground: for so many sweeps more momentum than what
// follows could bear gets it there sooner, the more so the higher the packing.
static int64_t cold_start_sweeps(const gs_nsgs *s, const double *r) {
    int64_t size = (int64_t)s->sweep.p->dim * s->sweep.p->contacts, i = 0;
    while (i < size && r[i] == 0.0) {
        i++;
    }
    int64_t layers = count_layers(s->sweep.p);
    bool cold = i == size && s->sweep.ops->granular;
    return cold && layers >= policy->cold_layers_min ? policy->cold_sweeps_per_layer * layers : 0;
}

void gs_nsgs_start(gs_nsgs *s, double *r) {
    s->r = r;
    s->with_momentum = s->momentum > 0.0;
    s->symmetric = false;
    s->cold_start = cold_start_sweeps(s, r);
    load(s, r);
    gs_sweep_relax(&s->sweep, s->sweep.plan.relaxation);
    s->relaxation = gs_relaxation_start(s->sweep.plan.relaxation);
    s->best_error = s->predicted_ratio = INFINITY;
    s->sweeps = s->since = 0;
    s->slow = 0;
    s->restarted = false;
    s->halfway_error = INFINITY;
    check(s);
    if (s->sweep.ops->single && is_near(s)) {
        widen(s, r); // what comes to rest must be exact
        check(s);
    }
    s->start_error = s->since_best = s->error;
    s->fall_rate[0] = s->fall_rate[1] = -1.0;
    begin_stage(s, policy->momentum_stage);
}

// Sweeps between two checks at most.
static int64_t check_wait(const gs_nsgs *s) {
    int64_t wait = s->sweeps / policy->check_wait_divisor;
    wait = wait > policy->check_wait_min ? wait : policy->check_wait_min;
    return wait < policy->check_wait_max ? wait : policy->check_wait_max;
}

// Checks cost as much as sweeping, so later ones wait until the step size predicts success or the
// last is long ago.
static bool is_check_due(const gs_nsgs *s, double step, double tolerance) {
    return s->sweeps <= policy->check_all || s->sweeps - s->checked >= check_wait(s) ||
           !(s->predicted_ratio * step > policy->check_predicted * tolerance);
}

// Whether to leave: twice in a row more sweeps are predicted than the patience allows.
static bool is_too_slow(gs_nsgs *s, double patience, double tolerance) {
    if (!isfinite(patience) || s->sweeps < policy->pace_first ||
        (double)s->sweeps < policy->pace_growth * (double)s->since) {
        return false;
    }
    double fall = base_ln(s->since_best / s->best_error) / (double)(s->sweeps - s->since),
           left = base_ln(s->best_error / tolerance);
    bool slow = !(left <= patience * fall);
    s->slow = slow ? s->slow + 1 : 0;
    s->since = s->sweeps;
    s->since_best = s->best_error;
    // Patience is what the other method is expected to cost. Hyperstatic sets, such as walls, are
    // left at once where even ten times as much would not do: their sweeps stall just above the
    // tolerance; elsewhere they pick up again.
    bool close = s->with_momentum && tolerance >= policy->close_tolerance_min &&
                 s->best_error <= policy->close_factor * tolerance;
    bool hopeless = s->hyperstatic && !close && !(left <= policy->hopeless * patience * fall);
    bool spent = (double)s->sweeps >= patience || hopeless;
    return (s->slow >= 2 && spent) || (double)s->sweeps > policy->patience_total * patience;
}

// Sweeps with momentum that the last two checks predict until the tolerance: the error is a power
// of the sweeps, but falls by the same factor per sweep from a start that is near.
static double predict_sweeps(const gs_nsgs *s, double tolerance) {
    if (!(s->error < s->before_error)) {
        return HUGE_VAL;
    }
    double fall = base_ln(s->before_error / s->error), left = base_ln(s->error / tolerance);
    if (s->before == 0) {
        return (double)s->checked * left / fall;
    }
    double power = fall / base_ln((double)s->checked / (double)s->before);
    return (double)s->sweeps * (base_exp(left / power) - 1.0);
}

// Sweeps with momentum to make before a check: part of those predicted.
static int64_t sweeps_to_check(const gs_nsgs *s, double tolerance) {
    if (s->sweeps == 0) {
        return policy->momentum_check_first;
    }
    double wait =
        fmin(policy->momentum_check_share * predict_sweeps(s, tolerance), (double)check_wait(s));
    return (int64_t)fmax(wait, (double)policy->momentum_check_min);
}

// Goes on from the best so far with the other acceleration.
static void change_acceleration(gs_nsgs *s) {
    s->with_momentum = !s->with_momentum;
    if (!s->with_momentum && !s->anderson.f_old) {
        s->status = prepare_anderson(s);
    }
    if (s->status == CN_OK) {
        copy_iterate(s, s->x, s->best);
        begin_from(s);
    }
}

// Momentum goes farthest where statuses keep changing, Anderson acceleration where they hold still
// and a slow mode is left; which it is shows only when both have been tried. After a stage the
// other one is taken if it is untried or was faster; jammed spheres stay with Anderson's.
static void choose_acceleration(gs_nsgs *s) {
    bool jammed = s->sweeps >= policy->jammed_anderson_after && is_jammed(s);
    if (s->restarted || (!s->with_momentum && jammed)) {
        return;
    }
    bool diverged = s->with_momentum && s->error > policy->momentum_diverged * s->best_error;
    if (s->sweeps < s->stage_end && !diverged) {
        return;
    }
    double length = (double)(s->sweeps - s->stage_start);
    double fall = diverged ? 0.0 : base_ln(s->stage_error / s->best_error) / length;
    s->fall_rate[s->with_momentum] = fall > 0.0 ? fall : 0.0;
    bool untried = s->fall_rate[!s->with_momentum] < 0.0;
    int64_t next = untried && s->with_momentum ? policy->anderson_trial : s->sweeps;
    if (untried || s->fall_rate[!s->with_momentum] > s->fall_rate[s->with_momentum]) {
        change_acceleration(s);
    }
    begin_stage(s, next);
}

// Whether what is not solved yet is better swept symmetrically. A low wall is not: forward sweeps
// with less momentum are as good there, and Newton is at hand.
static bool should_be_symmetric(gs_nsgs *s) {
    const cn_friction *p = s->sweep.p;
    if (s->sweeps < policy->symmetric_after || s->best_error <= s->opts->tolerance ||
        p->contacts < policy->symmetric_contacts_min || !s->sweep.ops->symmetric_momentum) {
        return false;
    }
    if (s->depth < 0) {
        s->status = gs_sweep_depth(&s->sweep, s->scratch, &s->depth);
    }
    return s->status == CN_OK && s->depth >= policy->symmetric_depth_min;
}

static void begin_symmetric(gs_nsgs *s) {
    s->symmetric = true;
    s->momentum_steps = s->refreshed = 0;
    begin_stage(s, policy->symmetric_stage);
}

// The largest momentum so soon after the start of a stage.
static double ramp_limit(const gs_nsgs *s, double ramp) {
    return (double)s->momentum_steps / ((double)s->momentum_steps + ramp);
}

// The momentum of the next sweep, or of the next two.
static double momentum_now(const gs_nsgs *s) {
    const gs_nsgs_params *params = (const void *)s->opts->params;
    double max = s->momentum;
    if (s->symmetric) {
        max = 1.0 - policy->symmetric_damping * (1.0 - params->momentum);
        max = fmax(max, ramp_limit(s, policy->symmetric_ramp));
    } else if (s->sweeps < s->cold_start) {
        max = 1.0 - policy->cold_damping * (1.0 - s->momentum);
    } else if (s->sweeps >= policy->jammed_momentum_after && s->sweep.p->dim == 3 && is_jammed(s)) {
        max = fmin(max, policy->jammed_momentum);
    }
    return fmin(ramp_limit(s, policy->momentum_ramp), max);
}

// Sweeps with momentum until they are checked, or reach the limit.
static void momentum_sweeps(gs_nsgs *s, const solve_watch *watch, int64_t limit, double tolerance) {
    if (!s->symmetric && should_be_symmetric(s)) {
        begin_symmetric(s);
    }
    int64_t end = s->sweeps + sweeps_to_check(s, tolerance);
    end = end < limit ? end : limit;
    while (s->sweeps < end) {
        bool symmetric = s->symmetric && s->sweeps + 2 <= limit;
        gs_sweep_momentum(&s->sweep, momentum_now(s), symmetric, s->g, s->x);
        void *last = s->g;
        s->g = s->x;
        s->x = last;
        s->sweeps += symmetric ? 2 : 1;
        s->momentum_steps++;
        end = solve_watch_is_late(watch) ? s->sweeps : end;
    }
    if (s->momentum_steps - s->refreshed >= policy->momentum_refresh) {
        s->refreshed = s->momentum_steps;
        gs_sweep_refresh(&s->sweep, s->g, s->x);
    }
    s->before_error = s->error;
    s->before = s->checked;
    check(s);
}

// Steps until one is checked, or the sweeps reach the limit. When time is up the check is made at
// once, so that nothing done is lost.
static void advance(gs_nsgs *s, const solve_watch *watch, int64_t limit, double tolerance) {
    if (s->with_momentum) {
        momentum_sweeps(s, watch, limit, tolerance);
        return;
    }
    do {
        int64_t left = limit - s->sweeps;
        int32_t count = s->every < left ? s->every : (int32_t)left;
        if (s->sweeps == 0) {
            gs_sweep_go_on(&s->sweep, s->g, count); // the start has just been made known
        } else {
            copy_iterate(s, s->g, s->x);
            gs_sweep_run(&s->sweep, s->g, count);
        }
        s->sweeps += count;
        double step = gs_anderson_step(&s->anderson, s->x, s->g);
        if (s->adaptive) {
            gs_sweep_relax(&s->sweep, gs_relaxation_see(&s->relaxation, step, count));
        }
        if (solve_watch_is_late(watch) || is_check_due(s, step, tolerance)) {
            check(s);
            s->predicted_ratio = step > 0.0 ? s->error / step : 0.0;
        }
    } while (s->status == CN_OK && s->checked != s->sweeps && s->sweeps < limit);
}

// Goes on past the tolerance, where the start shows that little changes from solve to solve. Steps
// that take overlaps back feed the error of each solve into the next three; bodies at rest then
// wander within what the tolerance allows, unless each solve leaves a small part of what it starts
// from, of slow modes too.
static void go_past_tolerance(gs_nsgs *s, const solve_watch *watch, int64_t limit) {
    const gs_nsgs_params *params = (const void *)s->opts->params;
    int64_t end = s->sweeps + params->settle < limit ? s->sweeps + params->settle : limit;
    bool near = s->start_error <= policy->near_start * watch->opts->tolerance;
    while (near && s->status == CN_OK && s->sweeps < end && s->best_error > policy->rest_error &&
           !solve_watch_is_late(watch)) {
        advance(s, watch, end, policy->rest_error);
    }
}

// Packings at the margin of rigidity: from the impulses of the last step sweeps with momentum may
// circle about an unstable solution for ever, where from r = 0, in doubles and with Anderson
// acceleration, they end in a few thousand. Once, where little was gained lately; the best iterate
// stays the best.
static void consider_restart(gs_nsgs *s) {
    if (s->restarted || !is_jammed(s) || !(s->momentum > 0.0) ||
        s->sweeps < policy->restart_after / 2) {
        return;
    }
    if (!(s->halfway_error < (double)INFINITY)) {
        s->halfway_error = s->best_error;
    }
    if (s->sweeps < policy->restart_after) {
        return;
    }
    if (s->best_error <= policy->restart_gain * s->halfway_error &&
        s->sweeps < 2 * policy->restart_after) {
        return;
    }
    s->restarted = true;
    if (s->sweep.ops->single) {
        gs_sweep_store(&s->sweep, s->best, s->r);
        widen(s, s->r);
        if (s->status == CN_OK) {
            check(s);
        }
    }
    s->with_momentum = false;
    if (s->status == CN_OK && !s->anderson.f_old) {
        s->status = prepare_anderson(s);
    }
    if (s->status == CN_OK) {
        memset(s->x, 0, gs_sweep_bytes(&s->sweep));
        begin_from(s);
    }
}

cn_status gs_nsgs_go(gs_nsgs *s, const cn_solve_opts *opts, double patience,
                     cn_solve_report *report) {
    int64_t first = s->sweeps;
    solve_watch watch = solve_watch_start(opts);
    // However short the time, some sweeps are made: an answer that is nothing but its start would
    // let all that began to touch fall through.
    if (solve_watch_is_late(&watch) && s->sweeps == 0 && opts->max_iterations > 0 &&
        !(s->error <= opts->tolerance)) {
        advance(s, &watch, s->every, opts->tolerance);
    }
    while (s->status == CN_OK &&
           !solve_watch_stop(&watch, "sweeps", s->sweeps - first, s->error, report)) {
        if (is_too_slow(s, patience, opts->tolerance)) {
            report->outcome = CN_STALLED;
            report->detail = "the sweeps are too slow";
            break;
        }
        advance(s, &watch, first + opts->max_iterations, opts->tolerance);
        if (s->status == CN_OK && s->momentum > 0.0) {
            choose_acceleration(s);
        }
        if (s->status == CN_OK && s->best_error > SOLVE_WATCH_MARGIN * opts->tolerance) {
            consider_restart(s);
        }
    }
    if (report->outcome == CN_SOLVED) {
        go_past_tolerance(s, &watch, first + opts->max_iterations);
        report->iterations = (int32_t)(s->sweeps - first);
    }
    if (s->sweep.unusable > 0 && report->outcome != CN_SOLVED) {
        report->detail = "contacts without normal stiffness were left as they were";
    }
    return s->status != CN_OK ? s->status : watch.status;
}

void gs_nsgs_answer(const gs_nsgs *s, double *r) {
    if (s->status == CN_OK && !s->at_start) {
        gs_sweep_store(&s->sweep, s->best, r);
    }
}

// All of it, in the order of p.
static cn_status solve_in_order(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                                double *r, cn_solve_report *report) {
    gs_nsgs run;
    double start = solve_watch_start(opts).start;
    cn_status status = gs_nsgs_prepare(p, opts, scratch, &run);
    CN_TRY(status);
    gs_nsgs_start(&run, r);
    cn_solve_opts rest = solve_watch_rest(opts, start);
    const gs_nsgs_params *params = (const void *)opts->params;
    bool budgeted = params->budget > 0.0 && params->budget < rest.max_iterations;
    if (budgeted) {
        rest.max_iterations = params->budget > 1.0 ? (int32_t)params->budget : 1;
    }
    status = gs_nsgs_go(&run, &rest, HUGE_VAL, report);
    if (budgeted && report->outcome == CN_LIMIT) {
        report->outcome = CN_EFFORT;
        report->detail = "the budget of work is spent";
    }
    gs_nsgs_answer(&run, r);
    return status;
}

cn_status gs_friction_nsgs(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                           double *r, double *u, cn_solve_report *report) {
    const gs_nsgs_params *params = (const void *)opts->params;
    (void)u; // the driver computes it anew
    if (params->order == GS_ORDER_NATURAL) {
        return solve_in_order(p, opts, scratch, r, report);
    }
    cn_friction other, body;
    if (cn_friction_expand(p, scratch, &body) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    p = &body;
    int32_t *order = BASE_TAKE(scratch, int32_t, p->contacts);
    double *turned = BASE_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
    if (!order || !turned ||
        gs_contact_order(p, (gs_order_kind)params->order, (uint64_t)params->seed, scratch, order) !=
            CN_OK ||
        gs_contact_reorder(p, order, scratch, &other) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    gs_contact_gather(p, order, r, turned);
    cn_status status = solve_in_order(&other, opts, scratch, turned, report);
    gs_contact_scatter(p, order, turned, r);
    return status;
}
