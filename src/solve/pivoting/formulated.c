// solve/pivoting/formulated.c
// From impulses to impulses through a complementarity problem: formulate, solve, map back.
//
// "box" is Tresca's problem: its bounds are thresholds mu r_N of the iterate before, so it is
// solved again until they settle (the fixed point of Panagiotopoulos and Haslinger). No convergence
// is sure for large mu. The others are solved once. Scratch: the matrix B' W B + L.
#include "solve/pivoting/formulated.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "problem/bounds.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BOX_MAX 200      // repetitions with new thresholds
#define BOX_SETTLED 0.01 // of the tolerance: change of r_N, relative to the largest, that ends it
#define BOX_FINEST 1e-14 // finer than this is round-off

// Where z is the impulse (and multipliers after it) the guess carries over.
static void formulated_guess(const cn_formulated *f, const double *r, double *z) {
    memset(z, 0, sizeof *z * (size_t)f->mcp.n);
    uint32_t traits = f->formulation->traits;
    bool is_impulse = (traits & CN_FORMULATES_LOCAL) && !(traits & CN_FORMULATES_LCP);
    for (int32_t a = 0; a < f->contacts; a++) {
        bool whole = is_impulse || (f->boxed && f->boxed[a]);
        for (int32_t k = 0; k < (whole ? f->dim : 1); k++) {
            z[f->first + (int64_t)f->block * a + k] = r[(int64_t)f->dim * a + k];
        }
    }
    for (int32_t i = 0; i < f->mcp.n; i++) {
        z[i] = fmin(fmax(z[i], f->mcp.lower[i]), f->mcp.upper[i]);
    }
}

// One solve from r to r; adds to the iterations and the time of inner.
static cn_status formulated_once(const cn_formulated *f, const cn_mcp_solver *solver,
                                 const cn_solve_opts *opts, cn_arena *scratch, double *z, double *w,
                                 double *r, cn_solve_report *inner, cn_error *error) {
    cn_solve_report report;
    cn_solve_opts left = *opts;
    if (opts->time_limit > 0.0) {
        // A time that has run out is kept just above zero, which would mean "no limit".
        left.time_limit = fmax(opts->time_limit - inner->cpu_s, DBL_MIN);
    }
    left.max_iterations =
        opts->max_iterations > inner->iterations ? opts->max_iterations - inner->iterations : 0;
    formulated_guess(f, r, z);
    cn_status status = cn_mcp_solve(&f->mcp, solver, &left, scratch, z, w, &report, error);
    int64_t iterations = (int64_t)report.iterations + inner->iterations;
    report.iterations = (int32_t)(iterations < INT32_MAX ? iterations : INT32_MAX);
    report.cpu_s += inner->cpu_s;
    *inner = report;
    if (status == CN_OK || status == CN_ERR_CANCELLED) {
        cn_formulated_impulse(f, z, r);
    }
    return status;
}

// Bounds from the thresholds mu r_N; how far they moved, over the largest r_N.
static double formulated_thresholds(const cn_friction *p, const double *r, double *threshold,
                                    cn_formulated *f) {
    double moved = 0.0, largest = 0.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        if (prob_is_boxed(&p->bounds, a)) {
            continue;
        }
        double normal = fmax(0.0, r[(int64_t)p->dim * a]), next = p->mu[a] * normal;
        largest = fmax(largest, normal);
        moved = fmax(moved, fabs(next - threshold[a]));
        threshold[a] = next;
        for (int32_t k = 1; f && k < p->dim; k++) {
            f->mcp.lower[(int64_t)f->block * a + k] = -next;
            f->mcp.upper[(int64_t)f->block * a + k] = next;
        }
    }
    return largest > 0.0 ? moved / largest : moved;
}

static cn_status formulated_repeat(const cn_friction *p, cn_formulated *f, double *threshold,
                                   const cn_mcp_solver *solver, const cn_solve_opts *opts,
                                   cn_arena *scratch, double *z, double *w, double *r,
                                   cn_solve_report *inner, cn_error *error) {
    // Solved finer than asked for, since the errors of the repetitions add up.
    cn_solve_opts finer = *opts;
    finer.tolerance = fmax(BOX_SETTLED * opts->tolerance, BOX_FINEST);
    for (int32_t k = 0; k < BOX_MAX; k++) {
        cn_status status = formulated_once(f, solver, &finer, scratch, z, w, r, inner, error);
        if (status != CN_OK || inner->outcome != CN_SOLVED) {
            return status;
        }
        double moved = formulated_thresholds(p, r, threshold, f);
        if (moved <= BOX_SETTLED * opts->tolerance) {
            return CN_OK;
        }
    }
    inner->outcome = CN_STALLED;
    inner->detail = "the friction thresholds do not settle";
    return CN_OK;
}

cn_status pivot_formulated_run(const cn_friction *p, const cn_formulation_choice *choice,
                               const cn_solve_opts *opts, cn_arena *scratch, double *r,
                               cn_solve_report *inner, cn_error *error) {
    const cn_formulation *formulation = choice->formulation;
    const cn_mcp_solver *solver = choice->solver;
    bool repeats = formulation->traits & CN_FORMULATES_THRESHOLD;
    bool global = !(formulation->traits & CN_FORMULATES_LOCAL);
    double start = base_clock_cpu();
    *inner = (cn_solve_report){.outcome = CN_STALLED, .detail = "not run"};
    if (global && !choice->global) {
        inner->outcome = CN_UNSUPPORTED;
        inner->detail = "this formulation needs a global problem (M, H)";
        return CN_OK;
    }
    double *threshold = BASE_TAKE_ZERO(scratch, double, p->contacts);
    if (!threshold) {
        return base_fail_memory(error);
    }
    cn_formulation_opts own = *choice->opts;
    if (repeats) {
        formulated_thresholds(p, r, threshold, NULL);
        own.threshold = threshold;
    }
    cn_formulated f;
    CN_TRY(global ? cn_formulate_global(formulation, choice->global, &own, scratch, &f, error)
                  : cn_formulate(formulation, p, &own, scratch, &f, error));
    double *z = BASE_TAKE(scratch, double, f.mcp.n), *w = BASE_TAKE(scratch, double, f.mcp.n);
    if (!z || !w) {
        return base_fail_memory(error);
    }
    inner->cpu_s = base_clock_cpu() - start;
    if (repeats) {
        return formulated_repeat(p, &f, threshold, solver, opts, scratch, z, w, r, inner, error);
    }
    return formulated_once(&f, solver, opts, scratch, z, w, r, inner, error);
}

void pivot_formulated_view(const cn_formulation *formulation, int32_t dim,
                           const cn_solve_report *inner, cn_solve_report *report) {
    report->outcome = inner->outcome;
    report->iterations = inner->iterations;
    report->detail = inner->detail;
    if (inner->outcome != CN_SOLVED) {
        return;
    }
    report->outcome = CN_STALLED;
    if (formulation->traits & CN_FORMULATES_OTHER_LAW) {
        report->detail = "solved as formulated, which is another law than Coulomb's";
    } else if (dim == 3) {
        report->detail = "solved on the facetted cone; the round one asks for more facets, or auto";
    } else {
        report->detail = "solved as formulated, but the checker's residual is above the tolerance";
    }
}

cn_status cn_formulation_solve(const cn_friction *p, const cn_formulation_choice *choice,
                               const cn_solve_opts *opts, cn_arena *scratch, double *r, double *u,
                               cn_formulation_report *out, cn_error *error) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_solve_report *report = &out->friction, *inner = &out->inner;
    *report = (cn_solve_report){.outcome = CN_STALLED, .detail = "not run"};
    cn_status status = pivot_formulated_run(p, choice, opts, scratch, r, inner, error);
    if (status == CN_OK || status == CN_ERR_CANCELLED) {
        pivot_formulated_view(choice->formulation, p->dim, inner, report);
        report->cpu_s = inner->cpu_s;
        double *v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
        cn_status judged = v ? CN_OK : CN_ERR_MEMORY;
        if (v) {
            cn_friction_velocity(p, r, v, u);
            judged = cn_friction_grade(p, r, u, scratch, &report->grade);
        }
        status = judged != CN_OK ? judged : status;
        if (status == CN_OK && report->outcome != CN_UNSUPPORTED &&
            cn_grade_residual(&report->grade, opts->measure) <= opts->tolerance) {
            report->outcome = CN_SOLVED;
        }
    }
    base_arena_release(scratch, mark);
    return status;
}
