// solve/gauss_seidel/sweep.c
// The front of the Gauss-Seidel sweeps, one way or forward and backward (symmetric
// Gauss-Seidel): which row of functions fits the problem, and what is the same for all of them.
// What is swept contact by contact is in solve/gauss_seidel/sweep_general.c, batches of spheres
// and of manifolds in solve/sweep_spheres and solve/sweep_manifolds.
#include "solve/gauss_seidel/sweep.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "problem/operator/operator.h"
#include "problem/operator/sphere_map.h"
#include "solve/drivers/joint_rows.h"
#include "solve/local/local.h"
#include "solve/sweep_manifolds/manifolds.h"
#include "solve/sweep_spheres/spheres.h"

#include <math.h>

#define SINGLE_NOISE                                                                               \
    4e-6 // of the velocities that impulses give: 64 times the last figure of a float

// ---- preparing ----

bool gs_sweep_is_planned(const gs_sweep_plan *plan) {
    return plan->symmetric || plan->inner > 0;
}

// Large enough a closed form for batches, and nobody asked for another local solver or order.
static bool may_be_packed(const gs_sweep *s) {
    return prob_operator_ops_of(s->p->W.kind)->body_space && s->local->solve == local_hybrid &&
           s->plan.relaxation == 1.0 && !s->plan.varies && !gs_sweep_is_planned(&s->plan) &&
           solve_boxes_count(s->p) == 0 && !s->p->convex;
}

// What doubles need besides.
static cn_status prepare_room(gs_sweep *s, cn_arena *scratch) {
    int64_t m = (int64_t)s->p->dim * s->p->contacts;
    s->r = BASE_TAKE(scratch, double, m);
    s->u = BASE_TAKE(scratch, double, m);
    // Spare zeros behind the velocities, for the second body of a contact that has one.
    int64_t velocities = cn_operator_dofs(&s->p->W, s->p->dim) + GS_SWEEP_SPARE;
    s->v = BASE_TAKE_ZERO(scratch, double, velocities);
    return s->r && s->u && s->v ? CN_OK : CN_ERR_MEMORY;
}

cn_status gs_sweep_prepare(const cn_friction *p, const cn_local_solver *local, double relaxation,
                           cn_arena *scratch, gs_sweep *sweep) {
    const gs_sweep_plan plain = {.relaxation = relaxation};
    return gs_sweep_prepare_plan(p, local, &plain, scratch, sweep);
}

cn_status gs_sweep_prepare_plan(const cn_friction *p, const cn_local_solver *local,
                                const gs_sweep_plan *plan, cn_arena *scratch, gs_sweep *sweep) {
    *sweep = (gs_sweep){.p = p, .local = local, .plan = *plan, .env = cn_arena_env(scratch)};
    sweep->unit = solve_natural_unit_of(sweep->env, p);
    const gs_sweep_ops *const batches[] = {
        plan->single ? &gs_sweep_spheres_float : &gs_sweep_spheres,
        plan->rigid_single ? &gs_sweep_manifolds_float : &gs_sweep_manifolds};
    bool fits = false, packed = may_be_packed(sweep);
    cn_status status = CN_OK;
    for (int k = 0; packed && k < 2 && status == CN_OK && !fits; k++) {
        sweep->ops = batches[k];
        status = sweep->ops->build(sweep, scratch, &fits);
    }
    sweep->ops = fits ? sweep->ops : &gs_sweep_general;
    if (status == CN_OK && !sweep->ops->single) {
        status = prepare_room(sweep, scratch);
    }
    return status == CN_OK && !fits ? sweep->ops->build(sweep, scratch, &fits) : status;
}

cn_status gs_sweep_take_weights(gs_sweep *s, cn_arena *scratch) {
    s->weight = BASE_TAKE(scratch, float, s->size);
    if (!s->weight) {
        return CN_ERR_MEMORY;
    }
    s->ops->weights(s->elements, s->weight);
    return CN_OK;
}

cn_status gs_sweep_widen(gs_sweep *sweep, cn_arena *scratch) {
    cn_status status = sweep->ops->widen(sweep->elements, scratch);
    sweep->ops = sweep->ops->wide;
    CN_TRY(status);
    return prepare_room(sweep, scratch);
}

void gs_sweep_use_portable(gs_sweep *sweep) {
    sweep->ops->use_portable(sweep->elements);
}

void gs_sweep_relax(gs_sweep *sweep, double omega) {
    if (sweep->ops->relax) {
        sweep->ops->relax(sweep->elements, omega);
    }
}

// ---- iterates and sweeps ----

size_t gs_sweep_bytes(const gs_sweep *sweep) {
    return (size_t)sweep->size * (sweep->ops->single ? sizeof(float) : sizeof(double));
}

void gs_sweep_load(const gs_sweep *sweep, const double *r, void *x) {
    sweep->ops->load(sweep->elements, r, x);
}

void gs_sweep_store(const gs_sweep *sweep, const void *x, double *r) {
    sweep->ops->store(sweep->elements, x, r);
}

void gs_sweep_run(gs_sweep *sweep, void *x, int32_t count) {
    // The velocities anew: x may have been mixed since, and nothing drifts.
    sweep->ops->begin(sweep->elements, x);
    gs_sweep_go_on(sweep, x, count);
}

void gs_sweep_go_on(gs_sweep *sweep, void *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        sweep->ops->sweep(sweep->elements, x);
    }
}

void gs_sweep_begin_momentum(gs_sweep *sweep) {
    sweep->ops->begin_momentum(sweep->elements);
}

void gs_sweep_momentum(gs_sweep *sweep, double momentum, bool symmetric, const void *x, void *to) {
    sweep->ops->momentum_sweep(sweep->elements, momentum, symmetric, x, to);
}

void gs_sweep_refresh(gs_sweep *sweep, const void *x, const void *before) {
    sweep->ops->refresh(sweep->elements, x, before);
}

cn_status gs_sweep_depth(const gs_sweep *sweep, cn_arena *scratch, int32_t *depth) {
    return sweep->ops->depth(sweep->elements, scratch, depth);
}

// ---- errors and costs ----

double gs_sweep_error(gs_sweep *s, cn_measure measure, const void *x) {
    const gs_sweep_ops *ops = s->ops;
    if (ops->error && measure == CN_MEASURE_SCALED) {
        gs_error_sums sums = ops->error(s->elements, x);
        double noise = ops->single ? SINGLE_NOISE * sqrt(sums.moved) : 0.0;
        s->floor = solve_natural_divide(&s->unit, noise, sqrt(sums.force));
        return solve_natural_divide(&s->unit, sqrt(sums.error), sqrt(sums.force));
    }
    ops->store(s->elements, x, s->r);
    if (ops->velocity) {
        ops->velocity(s->elements, s->r, s->u);
    } else {
        prob_friction_velocity_by(s->env, s->p, s->r, s->v, s->u);
    }
    return measure == CN_MEASURE_SCALED ? solve_natural_error_in(s->env, &s->unit, s->p, s->r, s->u)
                                        : solve_natural_error_by(s->env, s->p, measure, s->r, s->u);
}

// v: zeros, one a velocity of a body.
static cn_status error_any(const gs_sweep *sweep, const double *r, double *v, cn_arena *scratch,
                           double *error) {
    const cn_friction *p = sweep->p;
    double *u = BASE_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
    if (!u) {
        return CN_ERR_MEMORY;
    }
    prob_friction_velocity_by(sweep->env, p, r, v, u);
    *error = solve_natural_error_in(sweep->env, &sweep->unit, p, r, u);
    return CN_OK;
}

static cn_status error_spheres(const gs_sweep *sweep, const double *r, double *v, cn_arena *scratch,
                               double *error) {
    const cn_friction *p = sweep->p;
    (void)scratch;
    prob_sphere_map_push(sweep->env, &p->W.spheres, p->dim, p->contacts, r, v);
    *error = solve_natural_error_spheres(sweep->env, &sweep->unit, p, r, v);
    return CN_OK;
}

typedef cn_status error_fn(const gs_sweep *sweep, const double *r, double *v, cn_arena *scratch,
                           double *error);
static error_fn *const errors[] = {[CN_OPERATOR_ASSEMBLED] = error_any,
                                   [CN_OPERATOR_BODY] = error_any,
                                   [CN_OPERATOR_SPHERES] = error_spheres,
                                   [CN_OPERATOR_POINTS] = error_any};

cn_status gs_sweep_error_of(const gs_sweep *sweep, const double *r, cn_arena *scratch,
                            double *error) {
    const cn_operator *W = &sweep->p->W;
    base_arena_mark mark = base_arena_get_mark(scratch);
    double *v = BASE_TAKE_ZERO(scratch, double, cn_operator_dofs(W, sweep->p->dim));
    cn_status status = v ? errors[W->kind](sweep, r, v, scratch, error) : CN_ERR_MEMORY;
    base_arena_release(scratch, mark);
    return status;
}

double gs_sweep_cost(const gs_sweep *sweep) {
    const cn_friction *p = sweep->p;
    const prob_operator_ops *form = prob_operator_ops_of(p->W.kind);
    double reading =
        sweep->ops->reads_operator ? (double)form->sweep_cost(&p->W, p->dim, p->contacts) : 0.0;
    return reading + sweep->ops->contact_cost * p->contacts;
}
