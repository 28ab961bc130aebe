// solve/gauss_seidel/friction_nsgs.c
// Nonsmooth Gauss-Seidel: visit the contacts in order, solving each while the others are held
// (Jourdan, Alart and Jean 1998), with Anderson acceleration of the sweep.
//
// Creeps when the packing is tall (the error diffuses one layer a sweep) and may cycle on
// hyperstatic sets, where the acceleration helps but is no cure: "extra-gradient" is slower and
// steadier. Contacts are visited by index, or in another order that the problem alone decides
// ("order"), so threads cannot change the answer; they may be swept forth and back, in blocks of
// one pair of bodies, or with a relaxation found on the way, all of which the packets of spheres
// and manifolds cannot do, so that each sweep costs more. Packets are swept in single precision,
// eight contacts at a time, as far as that is precise enough: spheres and disks always, bodies of
// other shapes to loose tolerances. Bodies of other shapes that stand high are swept forth and
// back, which bears so much momentum that sweeps grow with the height only. Scratch: one local
// block a contact, depth + 6 vectors of the size of r.
#include "solve/gauss_seidel/friction_nsgs.h"

#include "base/arena.h"
#include "base/elementary.h"
#include "base/parallel.h"
#include "problem/operator/operator.h"
#include "solve/drivers/watch.h"
#include "solve/gauss_seidel/cache.h"
#include "solve/gauss_seidel/contact_order.h"

#include <math.h>
#include <string.h>

#define CN_NSGS_EAGER 6        // sweeps that are all checked: easy problems end here
#define CN_NSGS_CHECK_LEAST 12 // then so many sweeps, unless success is foretold, go unchecked
#define CN_NSGS_CHECK_MOST 25  // at most this many sweeps between two checks
#define CN_NSGS_FORESEE                                                                            \
    1.5 // a check is due when the step size foretells an error below this times the tolerance

#define CN_NSGS_EVERY_BODY 3
#define CN_NSGS_EVERY_PACKED 6
#define CN_GLIDE_RAMP 3.0         // the momentum of sweep k is at most k / (k + this)
#define CN_LAUNCH_LAYERS 5        // sweeps a layer of the packing that a launch lasts
#define CN_LAUNCH_LEAST 16        // layers; the load of fewer has its way behind it before
#define CN_LAUNCH_DRAG 0.2        // times 1 - momentum while it does
#define CN_RETURN_AFTER 30        // sweeps one way before they go forth and back
#define CN_RETURN_CONTACTS 2048   // of at least so many contacts
#define CN_RETURN_DEPTH 24        // and bodies above what is static
#define CN_RETURN_DRAG 0.5        // times 1 - momentum then, or
#define CN_RETURN_RAMP 10.0       // k / (k + this) where that is more
#define CN_RETURN_STAGE 5000      // sweeps before mixing is tried as well
#define CN_GLIDE_FIRST 4          // sweeps before the first check
#define CN_GLIDE_LEAST 3          // and at least before another
#define CN_GLIDE_SHARE 0.6        // of the sweeps foretold, after which to check
#define CN_GLIDE_FRESH 24         // sweeps after which velocities are made anew at checks
#define CN_GLIDE_SMALL 128        // contacts, of which fewer are left to mixing
#define CN_GLIDE_STAGE 500        // sweeps before mixing is tried as well
#define CN_MIX_STAGE 60           // and of that trial
#define CN_GLIDE_ASTRAY 1e3       // times the best error: momentum leads nowhere
#define CN_NSGS_SINGLE 1e-5       // tolerance below which singles are not worth beginning with
#define CN_NSGS_SINGLE_RIGID 5e-3 // the same for other bodies than spheres and disks
#define CN_NSGS_SINGLE_FRICTION 5 // mu above which single precision is not used
#define CN_NSGS_ROUGH 4.0         // times its round-off: an error that singles make no better
#define CN_NSGS_EXACT 1e-12       // an error that is round-off of a pile
#define CN_NSGS_WINDOW_FIRST 12   // sweeps before the pace is judged
#define CN_NSGS_WINDOW_GROWTH 1.3 // of a window, in sweeps so far
#define CN_NSGS_PATIENCE_MOST 4.0 // times the patience, all sweeps together
#define CN_NSGS_HOPELESS 10.0     // times the patience foretold: not worth spending it
#define CN_NSGS_CLOSE 1.5         // times a tolerance of at least
#define CN_NSGS_LOOSE 5e-3        // this, sweeps with momentum wander below it before others do
// Contacts; more are taken to change with every step, so that what is kept would only cost
// memory.
#define CN_NSGS_KEPT 100000
#define CN_NSGS_RESTART 3000      // sweeps of spheres after which one restart is made
#define CN_NSGS_RESTART_GAIN 0.5  // share of the error left by their second half, or more
#define CN_NSGS_JAMMED_AFTER 1000 // sweeps after which small packings of spheres stay with mixing
#define CN_NSGS_JAMMED 8192       // contacts; larger packings need thousands of sweeps anyway
#define CN_NSGS_JAMMED_EVERY 3    // sweeps per step of Anderson acceleration there, in 3D, and
#define CN_NSGS_JAMMED_SWEEPS 100 // sweeps before momentum is limited to
#define CN_NSGS_JAMMED_MOMENTUM 0.85
#define CN_NSGS_HYPERSTATIC 3.0 // rows a velocity; packings of spheres have less than 2

const cn_param cn_nsgs_param_table[CN_NSGS_PARAM_COUNT] = {
    {"relaxation", CN_PARAM_REAL, offsetof(cn_nsgs_params, relaxation), 1.0, 0.05, 1.95,
     "omega: r := r + omega (local answer - r)"},
    {"anderson", CN_PARAM_INT, offsetof(cn_nsgs_params, anderson), 5, 0, CN_ANDERSON_MAX,
     "depth of the acceleration; 0 sweeps plainly"},
    {"every", CN_PARAM_INT, offsetof(cn_nsgs_params, every), 0, 0, 100,
     "sweeps per acceleration step; 0: 1 assembled, 3 in body space and in packings of up to 8192 "
     "contacts of spheres, 6 in other packets"},
    {"settle", CN_PARAM_INT, offsetof(cn_nsgs_params, settle), 0, 0, 10000,
     "most sweeps past the tolerance from a start near it, so that piles come to exact rest"},
    {"single", CN_PARAM_BOOL, offsetof(cn_nsgs_params, single), 1, 0, 1,
     "spheres and disks, and other bodies at tolerances of 5e-3 and more, in single precision "
     "until the error is within the tolerance or near its round-off, then in double; 0: in double "
     "throughout"},
    {"momentum", CN_PARAM_REAL, offsetof(cn_nsgs_params, momentum), 0.9, 0.0, 0.99,
     "of sweeps in packets: from x + momentum (x - x before), at most 0.8 where bodies are neither "
     "spheres nor disks, and half way to 1 or more where these stand high and are swept forth and "
     "back; 0: anderson instead"},
    {"budget", CN_PARAM_REAL, offsetof(cn_nsgs_params, budget), 0.0, 0.0, 1e9,
     "work of a solve at most, in sweeps, then the best iterate; 0: no limit"},
    {"order", CN_PARAM_INT, offsetof(cn_nsgs_params, order), 0, 0, CN_ORDER_COUNT - 1,
     "contacts visited 0: by index, 1: shuffled, 2: reverse Cuthill-McKee, 3: by colour"},
    {"seed", CN_PARAM_INT, offsetof(cn_nsgs_params, seed), 1, 0, INT32_MAX,
     "of the shuffled order"},
    {"manifold", CN_PARAM_INT, offsetof(cn_nsgs_params, manifold), 0, 0, 1000,
     "most inner sweeps over the contacts of one pair of bodies; 0: contacts one by one"},
    {"symmetric", CN_PARAM_BOOL, offsetof(cn_nsgs_params, symmetric), 0, 0, 1,
     "every sweep runs forward, then backward"},
    {"adaptive", CN_PARAM_BOOL, offsetof(cn_nsgs_params, adaptive), 0, 0, 1,
     "omega from the contraction seen, starting with relaxation; anderson is left out"},
};

// Whether the problem is a packing of spheres or disks small enough that what the first stage
// leaves unsolved is at the margin of rigidity. There momentum circles about the solution; larger
// packings need its reach all the same.
static bool cn_nsgs_is_jammed(const cn_nsgs *s) {
    return s->sweep.ops->kind == CN_SWEEP_BALLS && s->sweep.p->contacts <= CN_NSGS_JAMMED;
}

// In body space each mixed start costs a product with H, so it is made less often; packets
// sweep so fast that mixing would cost more than they do.
static int32_t cn_nsgs_every(const cn_nsgs *s, const cn_nsgs_params *params) {
    if (params->every > 0) {
        return params->every;
    }
    if (s->sweep.p->dim == 3 && cn_nsgs_is_jammed(s)) {
        return CN_NSGS_JAMMED_EVERY;
    }
    return s->sweep.ops->kind != CN_SWEEP_ANY       ? CN_NSGS_EVERY_PACKED
           : s->sweep.p->W.kind == CN_OPERATOR_BODY ? CN_NSGS_EVERY_BODY
                                                    : 1;
}

// Iterates in the precision of the sweep.
static cn_status cn_nsgs_take(cn_nsgs *s) {
    size_t number = s->sweep.ops->single ? sizeof(float) : sizeof(double);
    int64_t size = s->sweep.size + CN_SWEEP_PAD;
    s->x = cn_arena_take(s->scratch, size, number);
    s->g = cn_arena_take(s->scratch, size, number);
    s->best = cn_arena_take(s->scratch, s->sweep.size, number);
    if (!s->x || !s->g || !s->best) {
        return CN_ERR_MEMORY;
    }
    size_t bytes = cn_sweep_bytes(&s->sweep), pad = number * CN_SWEEP_PAD;
    memset((char *)s->x + bytes, 0, pad);
    memset((char *)s->g + bytes, 0, pad);
    return CN_OK;
}

static void cn_nsgs_copy(const cn_nsgs *s, void *to, const void *from) {
    cn_parallel_copy(s->sweep.env, to, from, cn_sweep_bytes(&s->sweep));
}

static cn_status cn_nsgs_take_mixer(cn_nsgs *s) {
    const cn_nsgs_params *params = (const void *)s->opts->params;
    // The acceleration takes one map for granted, which a changing omega is not.
    int32_t depth = s->adaptive ? 0 : params->anderson;
    cn_status status = cn_sweep_take_weights(&s->sweep, s->scratch);
    return status == CN_OK ? cn_anderson_prepare(depth, s->sweep.size, s->sweep.ops->single,
                                                 s->sweep.weight, s->scratch, &s->mixer)
                           : status;
}

// Whether a cone is so steep that mu |u_T| of single precision is round-off.
static bool cn_has_steep_cone(const cn_friction *p) {
    bool steep = false;
    for (int32_t a = 0; a < p->contacts; a++) {
        steep = steep || p->mu[a] > CN_NSGS_SINGLE_FRICTION;
    }
    return steep;
}

cn_status cn_nsgs_prepare(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                          cn_nsgs *s) {
    const cn_nsgs_params *params = (const void *)opts->params;
    *s = (cn_nsgs){.opts = opts, .scratch = scratch, .depth = -1};
    bool single = params->single && opts->measure == CN_MEASURE_SCALED &&
                  opts->tolerance >= CN_NSGS_SINGLE && !cn_has_steep_cone(p);
    bool keeps = opts->memo && p->contacts <= CN_NSGS_KEPT;
    const cn_sweep_plan plan = {.relaxation = params->relaxation,
                                .varies = params->adaptive,
                                .symmetric = params->symmetric,
                                .inner = params->manifold,
                                .single = single,
                                .rigid_single = single && opts->tolerance >= CN_NSGS_SINGLE_RIGID,
                                .kept = keeps ? &opts->memo->packets : NULL};
    s->adaptive = params->adaptive;
    s->hyperstatic =
        prob_operator_ops_of(p->W.kind)->body_space &&
        (double)p->dim * p->contacts > CN_NSGS_HYPERSTATIC * cn_operator_dofs(&p->W, p->dim);
    cn_status status = cn_sweep_prepare_plan(p, opts->local, &plan, scratch, &s->sweep);
    if (status != CN_OK) {
        return status;
    }
    s->every = cn_nsgs_every(s, params);
    double most = p->contacts < CN_GLIDE_SMALL ? 0.0 : s->sweep.ops->momentum_max;
    s->momentum = params->momentum < most ? params->momentum : most;
    s->gliding = s->momentum > 0.0;
    status = cn_nsgs_take(s);
    return status == CN_OK && !s->gliding ? cn_nsgs_take_mixer(s) : status;
}

// Makes x, where the sweeps begin, known to them.
static void cn_nsgs_begin(cn_nsgs *s) {
    cn_nsgs_copy(s, s->g, s->x);
    cn_sweep_run(&s->sweep, s->g, 0);
    s->glided = s->fresh = 0;
    if (s->gliding) {
        cn_sweep_begin_momentum(&s->sweep);
    } else {
        cn_anderson_restart(&s->mixer);
    }
}

// Puts r where the sweeps begin.
static void cn_nsgs_load(cn_nsgs *s, const double *r) {
    cn_sweep_load(&s->sweep, r, s->x);
    cn_nsgs_begin(s);
}

// Goes on in doubles from r, which is better than all before or as good.
static void cn_nsgs_widen(cn_nsgs *s, const double *r) {
    s->status = cn_sweep_widen(&s->sweep, s->scratch);
    s->status = s->status == CN_OK ? cn_nsgs_take(s) : s->status;
    if (s->status == CN_OK && s->mixer.f_old) {
        s->status = cn_anderson_widen(&s->mixer, s->scratch);
    }
    if (s->status == CN_OK) {
        cn_nsgs_load(s, r);
        s->best_error = INFINITY;
    }
}

// Where round-off keeps singles from saying whether g is solved, doubles have the word; where it
// keeps them from making it better, also what follows.
static void cn_nsgs_confirm(cn_nsgs *s) {
    double goal = CN_WATCH_MARGIN * s->opts->tolerance, floor = s->sweep.floor;
    bool solved = s->error + floor <= goal, unclear = s->error <= goal || s->error <= floor;
    if (solved || !unclear) {
        return;
    }
    bool rough = s->error <= CN_NSGS_ROUGH * floor;
    if (s->sweeps > 0) {
        cn_sweep_store(&s->sweep, s->g, s->r);
        s->best_error = INFINITY; // what was best at the start is no longer there
    }
    s->status = cn_sweep_error_of(&s->sweep, s->r, s->scratch, &s->error);
    if (s->status == CN_OK && rough && !(s->error <= goal)) {
        cn_nsgs_widen(s, s->r);
        if (s->status == CN_OK) {
            s->error = cn_sweep_error(&s->sweep, s->opts->measure, s->g);
        }
    }
}

// The error of g, which becomes the best where it is.
static void cn_nsgs_check(cn_nsgs *s) {
    s->error = cn_sweep_error(&s->sweep, s->opts->measure, s->g);
    s->checked = s->sweeps;
    if (s->sweep.ops->single) {
        cn_nsgs_confirm(s);
    }
    if (s->status == CN_OK && s->error < s->best_error) {
        s->best_error = s->error;
        s->at_start = s->sweeps == 0;
        cn_nsgs_copy(s, s->best, s->g);
    }
}

// Whether the start is so near the answer that it is gone past the tolerance from.
static bool cn_nsgs_is_near(const cn_nsgs *s) {
    const cn_nsgs_params *params = (const void *)s->opts->params;
    return params->settle > 0 && s->error <= CN_NSGS_NEAR * s->opts->tolerance;
}

static void cn_nsgs_stage(cn_nsgs *s, int64_t length) {
    s->stage_start = s->sweeps;
    s->stage_end = s->sweeps + length;
    s->stage_error = s->best_error;
}

// Bodies along an edge of a cube (2D: square) of them all.
static int64_t cn_nsgs_layers(const cn_friction *p) {
    int64_t bodies = cn_operator_dofs(&p->W, p->dim) / (p->dim == 3 ? 6 : 3), layers = 0, filled;
    do {
        layers++;
        filled = p->dim == 3 ? layers * layers * layers : layers * layers;
    } while (filled < bodies);
    return layers;
}

// From r = 0 the load has to find its way to the ground: for so many sweeps more momentum than what
// follows could bear gets it there sooner, the more so the higher the packing.
static int64_t cn_nsgs_launch(const cn_nsgs *s, const double *r) {
    int64_t size = (int64_t)s->sweep.p->dim * s->sweep.p->contacts, i = 0;
    while (i < size && r[i] == 0.0) {
        i++;
    }
    int64_t layers = cn_nsgs_layers(s->sweep.p);
    bool cold = i == size && s->sweep.ops->kind == CN_SWEEP_BALLS;
    return cold && layers >= CN_LAUNCH_LEAST ? CN_LAUNCH_LAYERS * layers : 0;
}

void cn_nsgs_start(cn_nsgs *s, double *r) {
    s->r = r;
    s->gliding = s->momentum > 0.0;
    s->returns = false;
    s->launch = cn_nsgs_launch(s, r);
    cn_nsgs_load(s, r);
    cn_sweep_relax(&s->sweep, s->sweep.plan.relaxation);
    s->relaxation = cn_relaxation_start(s->sweep.plan.relaxation);
    s->best_error = s->foretold = INFINITY;
    s->sweeps = s->since = 0;
    s->slow = 0;
    s->restarted = false;
    s->halfway_error = INFINITY;
    cn_nsgs_check(s);
    if (s->sweep.ops->single && cn_nsgs_is_near(s)) {
        cn_nsgs_widen(s, r); // what comes to rest must be exact
        cn_nsgs_check(s);
    }
    s->start_error = s->since_best = s->error;
    s->pace[0] = s->pace[1] = -1.0;
    cn_nsgs_stage(s, CN_GLIDE_STAGE);
}

// Checks cost as much as sweeping, so later ones wait until the step size foretells success or the
// last is long ago.
static bool cn_nsgs_check_due(const cn_nsgs *s, double step, double tolerance) {
    int64_t wait = s->sweeps / 6 > CN_NSGS_CHECK_LEAST ? s->sweeps / 6 : CN_NSGS_CHECK_LEAST;
    wait = wait < CN_NSGS_CHECK_MOST ? wait : CN_NSGS_CHECK_MOST;
    return s->sweeps <= CN_NSGS_EAGER || s->sweeps - s->checked >= wait ||
           !(s->foretold * step > CN_NSGS_FORESEE * tolerance);
}

// Whether to leave: twice in a row more sweeps are foretold than the patience allows.
static bool cn_nsgs_too_slow(cn_nsgs *s, double patience, double tolerance) {
    if (!isfinite(patience) || s->sweeps < CN_NSGS_WINDOW_FIRST ||
        (double)s->sweeps < CN_NSGS_WINDOW_GROWTH * (double)s->since) {
        return false;
    }
    double fall = cn_ln(s->since_best / s->best_error) / (double)(s->sweeps - s->since),
           left = cn_ln(s->best_error / tolerance);
    bool slow = !(left <= patience * fall);
    s->slow = slow ? s->slow + 1 : 0;
    s->since = s->sweeps;
    s->since_best = s->best_error;
    // As much as the other way is expected to cost. It is no use where even ten times as much would
    // not do: in hyperstatic sets, as walls, sweeps go on and on just above the tolerance;
    // elsewhere they pick up again.
    bool close =
        s->gliding && tolerance >= CN_NSGS_LOOSE && s->best_error <= CN_NSGS_CLOSE * tolerance;
    bool hopeless = s->hyperstatic && !close && !(left <= CN_NSGS_HOPELESS * patience * fall);
    bool spent = (double)s->sweeps >= patience || hopeless;
    return (s->slow >= 2 && spent) || (double)s->sweeps > CN_NSGS_PATIENCE_MOST * patience;
}

// Sweeps with momentum that the last two checks foretell until the tolerance: the error is a power
// of the sweeps, but falls by the same factor a sweep from a start that is near.
static double cn_nsgs_foretell(const cn_nsgs *s, double tolerance) {
    if (!(s->error < s->before_error)) {
        return HUGE_VAL;
    }
    double fall = cn_ln(s->before_error / s->error), left = cn_ln(s->error / tolerance);
    if (s->before == 0) {
        return (double)s->checked * left / fall;
    }
    double power = fall / cn_ln((double)s->checked / (double)s->before);
    return (double)s->sweeps * (cn_exp(left / power) - 1.0);
}

// Sweeps with momentum to make before a check: part of those foretold.
static int64_t cn_nsgs_glide_on(const cn_nsgs *s, double tolerance) {
    if (s->sweeps == 0) {
        return CN_GLIDE_FIRST;
    }
    double most =
        (double)(s->sweeps / 6 > CN_NSGS_CHECK_LEAST ? s->sweeps / 6 : CN_NSGS_CHECK_LEAST);
    most = most < CN_NSGS_CHECK_MOST ? most : CN_NSGS_CHECK_MOST;
    double wait = CN_GLIDE_SHARE * cn_nsgs_foretell(s, tolerance);
    wait = wait < most ? wait : most;
    return wait > CN_GLIDE_LEAST ? (int64_t)wait : CN_GLIDE_LEAST;
}

// Goes on from the best so far in the other way, with momentum or mixing.
static void cn_nsgs_change(cn_nsgs *s) {
    s->gliding = !s->gliding;
    if (!s->gliding && !s->mixer.f_old) {
        s->status = cn_nsgs_take_mixer(s);
    }
    if (s->status == CN_OK) {
        cn_nsgs_copy(s, s->x, s->best);
        cn_nsgs_begin(s);
    }
}

// Momentum goes farthest where statuses keep changing, mixing where they hold still and a slow mode
// is left; which it is shows only when both have been tried. What is under way is left after a
// stage for the other way if that is untried or was faster; jammed spheres stay with mixing.
static void cn_nsgs_judge(cn_nsgs *s) {
    bool jammed = s->sweeps >= CN_NSGS_JAMMED_AFTER && cn_nsgs_is_jammed(s);
    if (s->restarted || (!s->gliding && jammed)) {
        return;
    }
    bool astray = s->gliding && s->error > CN_GLIDE_ASTRAY * s->best_error;
    if (s->sweeps < s->stage_end && !astray) {
        return;
    }
    double length = (double)(s->sweeps - s->stage_start);
    double fall = astray ? 0.0 : cn_ln(s->stage_error / s->best_error) / length;
    s->pace[s->gliding] = fall > 0.0 ? fall : 0.0;
    bool untried = s->pace[!s->gliding] < 0.0;
    int64_t next = untried && s->gliding ? CN_MIX_STAGE : s->sweeps;
    if (untried || s->pace[!s->gliding] > s->pace[s->gliding]) {
        cn_nsgs_change(s);
    }
    cn_nsgs_stage(s, next);
}

// Whether what is not solved yet is better swept forth and back. A low wall is not: one way, with
// less momentum, is as good there, and Newton is at hand.
static bool cn_nsgs_should_return(cn_nsgs *s) {
    const cn_friction *p = s->sweep.p;
    if (s->sweeps < CN_RETURN_AFTER || s->best_error <= s->opts->tolerance ||
        p->contacts < CN_RETURN_CONTACTS || !s->sweep.ops->symmetric_momentum) {
        return false;
    }
    if (s->depth < 0) {
        s->status = cn_sweep_depth(&s->sweep, s->scratch, &s->depth);
    }
    return s->status == CN_OK && s->depth >= CN_RETURN_DEPTH;
}

static void cn_nsgs_return(cn_nsgs *s) {
    s->returns = true;
    s->glided = s->fresh = 0;
    cn_nsgs_stage(s, CN_RETURN_STAGE);
}

static double cn_nsgs_ramp(const cn_nsgs *s, double ramp) {
    return (double)s->glided / ((double)s->glided + ramp);
}

// The momentum of the next sweep, or of the next two.
static double cn_nsgs_share(const cn_nsgs *s) {
    const cn_nsgs_params *params = (const void *)s->opts->params;
    double most = s->momentum;
    if (s->returns) {
        most = 1.0 - CN_RETURN_DRAG * (1.0 - params->momentum);
        most = fmax(most, cn_nsgs_ramp(s, CN_RETURN_RAMP));
    } else if (s->sweeps < s->launch) {
        most = 1.0 - CN_LAUNCH_DRAG * (1.0 - s->momentum);
    } else if (s->sweeps >= CN_NSGS_JAMMED_SWEEPS && s->sweep.p->dim == 3 && cn_nsgs_is_jammed(s)) {
        most = fmin(most, CN_NSGS_JAMMED_MOMENTUM);
    }
    return fmin(cn_nsgs_ramp(s, CN_GLIDE_RAMP), most);
}

// Sweeps with momentum until they are checked, or reach the limit.
static void cn_nsgs_glide(cn_nsgs *s, const cn_watch *watch, int64_t limit, double tolerance) {
    if (!s->returns && cn_nsgs_should_return(s)) {
        cn_nsgs_return(s);
    }
    int64_t end = s->sweeps + cn_nsgs_glide_on(s, tolerance);
    end = end < limit ? end : limit;
    while (s->sweeps < end) {
        bool returns = s->returns && s->sweeps + 2 <= limit;
        cn_sweep_momentum(&s->sweep, cn_nsgs_share(s), returns, s->g, s->x);
        void *last = s->g;
        s->g = s->x;
        s->x = last;
        s->sweeps += returns ? 2 : 1;
        s->glided++;
        end = cn_watch_is_late(watch) ? s->sweeps : end;
    }
    if (s->glided - s->fresh >= CN_GLIDE_FRESH) {
        s->fresh = s->glided;
        cn_sweep_refresh(&s->sweep, s->g, s->x);
    }
    s->before_error = s->error;
    s->before = s->checked;
    cn_nsgs_check(s);
}

// Steps until one is checked, or the sweeps reach the limit. When time is up the check is made at
// once, so that nothing done is lost.
static void cn_nsgs_advance(cn_nsgs *s, const cn_watch *watch, int64_t limit, double tolerance) {
    if (s->gliding) {
        cn_nsgs_glide(s, watch, limit, tolerance);
        return;
    }
    do {
        int64_t left = limit - s->sweeps;
        int32_t count = s->every < left ? s->every : (int32_t)left;
        if (s->sweeps == 0) {
            cn_sweep_go_on(&s->sweep, s->g, count); // the start has just been made known
        } else {
            cn_nsgs_copy(s, s->g, s->x);
            cn_sweep_run(&s->sweep, s->g, count);
        }
        s->sweeps += count;
        double step = cn_anderson_step(&s->mixer, s->x, s->g);
        if (s->adaptive) {
            cn_sweep_relax(&s->sweep, cn_relaxation_see(&s->relaxation, step, count));
        }
        if (cn_watch_is_late(watch) || cn_nsgs_check_due(s, step, tolerance)) {
            cn_nsgs_check(s);
            s->foretold = step > 0.0 ? s->error / step : 0.0;
        }
    } while (s->status == CN_OK && s->checked != s->sweeps && s->sweeps < limit);
}

// Goes on past the tolerance, where the start shows that little changes from solve to solve. Steps
// that take overlaps back feed the error of each solve into the next three; bodies at rest then
// wander within what the tolerance allows, unless each solve leaves a small part of what it starts
// from, of slow modes too.
static void cn_nsgs_settle(cn_nsgs *s, const cn_watch *watch, int64_t limit) {
    const cn_nsgs_params *params = (const void *)s->opts->params;
    int64_t end = s->sweeps + params->settle < limit ? s->sweeps + params->settle : limit;
    bool near = s->start_error <= CN_NSGS_NEAR * watch->opts->tolerance;
    while (near && s->status == CN_OK && s->sweeps < end && s->best_error > CN_NSGS_EXACT &&
           !cn_watch_is_late(watch)) {
        cn_nsgs_advance(s, watch, end, CN_NSGS_EXACT);
    }
}

// Packings at the margin of rigidity: from the impulses of the last step sweeps with momentum may
// circle about an unstable solution for ever, where from r = 0, in doubles and with Anderson
// acceleration, they end in a few thousand. Once, where little was gained lately; the best iterate
// stays the best.
static void cn_nsgs_consider_restart(cn_nsgs *s) {
    if (s->restarted || !cn_nsgs_is_jammed(s) || !(s->momentum > 0.0) ||
        s->sweeps < CN_NSGS_RESTART / 2) {
        return;
    }
    if (!(s->halfway_error < (double)INFINITY)) {
        s->halfway_error = s->best_error;
    }
    if (s->sweeps < CN_NSGS_RESTART) {
        return;
    }
    if (s->best_error <= CN_NSGS_RESTART_GAIN * s->halfway_error &&
        s->sweeps < 2 * CN_NSGS_RESTART) {
        return;
    }
    s->restarted = true;
    if (s->sweep.ops->single) {
        cn_sweep_store(&s->sweep, s->best, s->r);
        cn_nsgs_widen(s, s->r);
        if (s->status == CN_OK) {
            cn_nsgs_check(s);
        }
    }
    s->gliding = false;
    if (s->status == CN_OK && !s->mixer.f_old) {
        s->status = cn_nsgs_take_mixer(s);
    }
    if (s->status == CN_OK) {
        memset(s->x, 0, cn_sweep_bytes(&s->sweep));
        cn_nsgs_begin(s);
    }
}

cn_status cn_nsgs_go(cn_nsgs *s, const cn_solve_opts *opts, double patience,
                     cn_solve_report *report) {
    int64_t first = s->sweeps;
    cn_watch watch = cn_watch_start(opts);
    // However short the time, some sweeps are made: an answer that is nothing but its start would
    // let all that began to touch fall through.
    if (cn_watch_is_late(&watch) && s->sweeps == 0 && opts->max_iterations > 0 &&
        !(s->error <= opts->tolerance)) {
        cn_nsgs_advance(s, &watch, s->every, opts->tolerance);
    }
    while (s->status == CN_OK &&
           !cn_watch_stop(&watch, "sweeps", s->sweeps - first, s->error, report)) {
        if (cn_nsgs_too_slow(s, patience, opts->tolerance)) {
            report->outcome = CN_STALLED;
            report->detail = "the sweeps are too slow";
            break;
        }
        cn_nsgs_advance(s, &watch, first + opts->max_iterations, opts->tolerance);
        if (s->status == CN_OK && s->momentum > 0.0) {
            cn_nsgs_judge(s);
        }
        if (s->status == CN_OK && s->best_error > CN_WATCH_MARGIN * opts->tolerance) {
            cn_nsgs_consider_restart(s);
        }
    }
    if (report->outcome == CN_SOLVED) {
        cn_nsgs_settle(s, &watch, first + opts->max_iterations);
        report->iterations = (int32_t)(s->sweeps - first);
    }
    if (s->sweep.unusable > 0 && report->outcome != CN_SOLVED) {
        report->detail = "contacts without normal stiffness were left as they were";
    }
    return s->status != CN_OK ? s->status : watch.status;
}

void cn_nsgs_answer(const cn_nsgs *s, double *r) {
    if (s->status == CN_OK && !s->at_start) {
        cn_sweep_store(&s->sweep, s->best, r);
    }
}

// All of it, in the order of p.
static cn_status cn_nsgs_whole(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                               double *r, cn_solve_report *report) {
    cn_nsgs run;
    double start = cn_watch_start(opts).start;
    cn_status status = cn_nsgs_prepare(p, opts, scratch, &run);
    if (status != CN_OK) {
        return status;
    }
    cn_nsgs_start(&run, r);
    cn_solve_opts rest = cn_watch_rest(opts, start);
    const cn_nsgs_params *params = (const void *)opts->params;
    bool budgeted = params->budget > 0.0 && params->budget < rest.max_iterations;
    if (budgeted) {
        rest.max_iterations = params->budget > 1.0 ? (int32_t)params->budget : 1;
    }
    status = cn_nsgs_go(&run, &rest, HUGE_VAL, report);
    if (budgeted && report->outcome == CN_LIMIT) {
        report->outcome = CN_EFFORT;
        report->detail = "the budget of work is spent";
    }
    cn_nsgs_answer(&run, r);
    return status;
}

cn_status cn_friction_nsgs(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                           double *r, double *u, cn_solve_report *report) {
    const cn_nsgs_params *params = (const void *)opts->params;
    (void)u; // the driver computes it anew
    if (params->order == CN_ORDER_NATURAL) {
        return cn_nsgs_whole(p, opts, scratch, r, report);
    }
    cn_friction other, body;
    if (cn_friction_expand(p, scratch, &body) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    p = &body;
    int32_t *order = CN_TAKE(scratch, int32_t, p->contacts);
    double *turned = CN_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
    if (!order || !turned ||
        cn_contact_order(p, (cn_order_kind)params->order, (uint64_t)params->seed, scratch, order) !=
            CN_OK ||
        cn_contact_reorder(p, order, scratch, &other) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    cn_contact_gather(p, order, r, turned);
    cn_status status = cn_nsgs_whole(&other, opts, scratch, turned, report);
    cn_contact_scatter(p, order, turned, r);
    return status;
}
