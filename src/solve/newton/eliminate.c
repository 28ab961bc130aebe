// solve/newton/eliminate.c
// Bilateral joint rows condensed out of a friction problem, which leaves a problem of contacts for
// any solver. With j the joint rows and c the contacts, W_jj with its compliance,
//     r_j = -W_jj^+ (q_j + W_jc r_c)
//     W' = W_cc - W_cj W_jj^+ W_jc,   q' = q_c - W_cj W_jj^+ q_j.
// Redundant rows make W_jj singular: it is factorised with a small ridge, which refinement takes
// out again (solve/newton/newton_system.h), so that rows that agree are solved to round-off. In
// body space the factors are those of the bodies' graph, linear in the links of a chain.
//
// W' has a block for every two contacts of one mechanism, and each of its columns costs a solution:
// for few contacts, or to compare solvers. "auto" and "prox-newton" take the rows as they are.
// Rows with bounds, limits and motors, cannot be eliminated, for whether they hold is not known.
#include "base/arena.h"
#include "base/error.h"
#include "problem/operator/operator.h"
#include "solve/drivers/joint_rows.h"
#include "solve/newton/newton_system.h"
#include "sparse/csr.h"

#include <cairn/eliminate.h>
#include <string.h>

#define ELIMINATE_RIDGE 1e-8   // of a row's own stiffness: half of the digits for either side
#define ELIMINATE_LINEAR 1e-15 // of the right-hand side: as fine as round-off allows

struct cn_eliminated {
    cn_friction p;         // the whole problem, its arrays shared
    cn_friction bare;      // with q = 0
    newton_system system;  // joints alone: contact rows have A = 0, K = 1
    cn_friction contacts;  // what is left
    int32_t *block;        // of p, of each contact left
    double *whole, *u, *v; // scratch of the size of p
    double residual;
};

// A, K and the ridge: the equation of a joint row, r = 0 elsewhere.
static cn_status eliminate_prepare(cn_eliminated *e, cn_arena *memory) {
    const cn_friction *p = &e->p;
    int32_t dim = p->dim;
    int64_t m = (int64_t)dim * p->contacts;
    CN_TRY(newton_analyse(p, memory, &e->system));
    e->system.ridge = BASE_TAKE_ZERO(memory, double, m);
    double *scale = BASE_TAKE(memory, double, p->contacts);
    if (!e->system.ridge || !scale) {
        return CN_ERR_MEMORY;
    }
    newton_scales(p, scale);
    memset(e->system.A, 0, sizeof *e->system.A * (size_t)(dim * m));
    memset(e->system.K, 0, sizeof *e->system.K * (size_t)(dim * m));
    for (int64_t i = 0; i < m; i++) {
        int32_t a = (int32_t)(i / dim);
        int64_t at = dim * i + i % dim; // of the diagonal, by rows
        if (p->bounds.boxed[a] && prob_is_bilateral(&p->bounds, i)) {
            double own = p->W.diagonal[at] + prob_compliance_of(&p->bounds, i);
            e->system.A[at] = 1.0;
            e->system.ridge[i] = ELIMINATE_RIDGE * (own > 0.0 ? own : scale[a]);
        } else {
            e->system.K[at] = scale[a];
        }
    }
    return newton_factor(&e->system) ? CN_OK : CN_ERR_UNSUPPORTED;
}

// r_j of r_c, in whole: contact rows given, joint rows zero. q: of the whole problem, or zero.
// Returns what is left of the joints' equations over what they were.
static double eliminate_joints(cn_eliminated *e, const cn_friction *p, double *whole) {
    int64_t m = (int64_t)p->dim * p->contacts;
    double *F = e->system.F, sum = 0.0;
    newton_velocity(&e->system, p, whole, e->u);
    for (int64_t i = 0; i < m; i++) {
        F[i] = e->system.ridge[i] > 0.0 ? e->u[i] : 0.0;
        sum += F[i] * F[i];
    }
    if (!(sum > 0.0)) {
        return 0.0;
    }
    e->system.enough = ELIMINATE_LINEAR * sqrt(sum);
    newton_refine(&e->system, F, e->v);
    for (int64_t i = 0; i < m; i++) {
        whole[i] += e->v[i];
    }
    return e->system.left / sqrt(sum);
}

static void eliminate_spread(const cn_eliminated *e, const double *r, double *whole) {
    int32_t dim = e->p.dim;
    memset(whole, 0, sizeof *whole * (size_t)dim * (size_t)e->p.contacts);
    for (int32_t k = 0; k < e->contacts.contacts; k++) {
        memcpy(whole + (int64_t)dim * e->block[k], r + (int64_t)dim * k, sizeof *r * (size_t)dim);
    }
}

// One column of W', as contact rows of W times the impulse and what it makes the joints give.
static void eliminate_column(cn_eliminated *e, int64_t j, double *column) {
    int32_t dim = e->p.dim;
    memset(e->whole, 0, sizeof *e->whole * (size_t)dim * (size_t)e->p.contacts);
    e->whole[(int64_t)dim * e->block[j / dim] + j % dim] = 1.0;
    eliminate_joints(e, &e->bare, e->whole);
    newton_velocity(&e->system, &e->bare, e->whole, e->u);
    for (int32_t k = 0; k < e->contacts.contacts; k++) {
        memcpy(column + (int64_t)dim * k, e->u + (int64_t)dim * e->block[k],
               sizeof *column * (size_t)dim);
    }
}

// W' from its columns, without what is zero.
static cn_status eliminate_matrix(cn_eliminated *e, const double *mu, const double *q,
                                  cn_arena *memory, cn_arena *scratch) {
    int32_t m = e->p.dim * e->contacts.contacts;
    cn_csr W;
    int32_t *row = BASE_TAKE(scratch, int32_t, (int64_t)m * m);
    int32_t *column = BASE_TAKE(scratch, int32_t, (int64_t)m * m);
    double *value = BASE_TAKE(scratch, double, (int64_t)m *m), *one = BASE_TAKE(scratch, double, m);
    int64_t count = 0;
    if (!row || !column || !value || !one) {
        return CN_ERR_MEMORY;
    }
    for (int32_t j = 0; j < m; j++) {
        eliminate_column(e, j, one);
        for (int32_t i = 0; i < m; i++) {
            if (one[i] != 0.0) {
                row[count] = i;
                column[count] = j;
                value[count++] = one[i];
            }
        }
    }
    cn_status status = sparse_csr_from_triplets(scratch, m, m, count, row, column, value, &W);
    if (status == CN_OK) {
        status =
            prob_friction_from_csr(memory, e->p.dim, e->contacts.contacts, &W, q, mu, &e->contacts);
        e->contacts.convex = e->p.convex;
    }
    return status;
}

static cn_status eliminate_build(cn_eliminated *e, cn_arena *memory, cn_arena *scratch) {
    const cn_friction *p = &e->p;
    int64_t m = (int64_t)p->dim * p->contacts;
    e->block = BASE_TAKE(memory, int32_t, p->contacts);
    e->bare.q = BASE_TAKE_ZERO(memory, double, m);
    e->whole = BASE_TAKE_ZERO(memory, double, m);
    e->u = BASE_TAKE(memory, double, m);
    e->v = BASE_TAKE(memory, double, m);
    double *q = BASE_TAKE(scratch, double, m), *mu = BASE_TAKE(scratch, double, p->contacts);
    if (!e->block || !e->bare.q || !e->whole || !e->u || !e->v || !q || !mu) {
        return CN_ERR_MEMORY;
    }
    CN_TRY(eliminate_prepare(e, memory));
    int32_t left = 0;
    e->residual = eliminate_joints(e, p, e->whole);
    newton_velocity(&e->system, p, e->whole, e->u);
    for (int32_t a = 0; a < p->contacts; a++) {
        if (p->bounds.boxed[a]) {
            continue;
        }
        e->block[left] = a;
        mu[left] = p->mu[a];
        memcpy(q + (int64_t)p->dim * left, e->u + (int64_t)p->dim * a, sizeof *q * (size_t)p->dim);
        left++;
    }
    e->contacts.contacts = left;
    return eliminate_matrix(e, mu, q, memory, scratch);
}

// The first boxed row that is neither bilateral nor unused; -1: none.
static int64_t eliminate_obstacle(const cn_friction *p) {
    for (int64_t i = 0; p->bounds.boxed && i < (int64_t)p->dim * p->contacts; i++) {
        bool unused = p->bounds.lower[i] == 0.0 && p->bounds.upper[i] == 0.0;
        if (p->bounds.boxed[i / p->dim] && !unused && !prob_is_bilateral(&p->bounds, i)) {
            return i;
        }
    }
    return -1;
}

cn_status cn_friction_eliminate(const cn_friction *p, cn_arena *memory, cn_eliminated **out,
                                cn_error *error) {
    *out = NULL;
    cn_status status = cn_friction_validate(p, error);
    CN_TRY(status);
    int64_t obstacle = eliminate_obstacle(p);
    if (obstacle >= 0 || !p->bounds.boxed) {
        base_fail(error, CN_ERR_UNSUPPORTED,
                  p->bounds.boxed ? "row %lld has bounds and cannot be eliminated"
                                  : "there are no joint rows to eliminate",
                  (long long)obstacle);
        base_fail_hint(error, "only bilateral rows can be; solvers that take joint rows need not");
        return CN_ERR_UNSUPPORTED;
    }
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    cn_eliminated *e = scratch ? BASE_TAKE_ZERO(memory, cn_eliminated, 1) : NULL;
    status = CN_ERR_MEMORY;
    if (e) {
        e->p = e->bare = *p;
        status = eliminate_build(e, memory, scratch);
    }
    cn_arena_destroy(scratch);
    if (status == CN_ERR_UNSUPPORTED) {
        return base_fail(error, status, "in body space every block must touch two rigid bodies");
    }
    if (status != CN_OK) {
        return base_fail_memory(error);
    }
    *out = e;
    return CN_OK;
}

const cn_friction *cn_eliminated_contacts(const cn_eliminated *e) {
    return &e->contacts;
}

double cn_eliminated_residual(const cn_eliminated *e) {
    return e->residual;
}

void cn_eliminated_recover(cn_eliminated *e, const double *r_contacts, double *r) {
    eliminate_spread(e, r_contacts, r);
    eliminate_joints(e, &e->p, r);
}

void cn_eliminated_restrict(const cn_eliminated *e, const double *r, double *r_contacts) {
    for (int32_t k = 0; k < e->contacts.contacts; k++) {
        memcpy(r_contacts + (int64_t)e->p.dim * k, r + (int64_t)e->p.dim * e->block[k],
               sizeof *r * (size_t)e->p.dim);
    }
}

// Solves what is left and comes back to r, u of the whole; the report is that of the solver so far.
static cn_status eliminated_run(cn_eliminated *e, const cn_friction_solver *solver,
                                const cn_solve_opts *opts, cn_arena *scratch, double *r,
                                cn_solve_report *report, cn_error *error) {
    int64_t m = (int64_t)e->p.dim * e->contacts.contacts;
    double *own = BASE_TAKE(scratch, double, m), *u = BASE_TAKE(scratch, double, m);
    if (!own || !u) {
        return base_fail_memory(error);
    }
    cn_eliminated_restrict(e, r, own);
    cn_status status =
        cn_friction_solve(&e->contacts, solver, opts, scratch, own, u, report, error);
    if (status == CN_OK || status == CN_ERR_CANCELLED) {
        cn_eliminated_recover(e, own, r);
    }
    return status;
}

cn_status cn_friction_solve_eliminated(const cn_friction *p, const cn_friction_solver *solver,
                                       const cn_solve_opts *opts, cn_arena *scratch, double *r,
                                       double *u, cn_solve_report *report, cn_error *error) {
    cn_eliminated *e;
    base_arena_mark mark = base_arena_get_mark(scratch);
    *report = (cn_solve_report){.outcome = CN_STALLED, .detail = "not run"};
    cn_status status = cn_friction_eliminate(p, scratch, &e, error);
    if (status == CN_OK) {
        status = eliminated_run(e, solver, opts, scratch, r, report, error);
    }
    if (status == CN_OK || status == CN_ERR_CANCELLED) {
        double *v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
        cn_status judged = v ? CN_OK : CN_ERR_MEMORY;
        if (v) {
            cn_friction_velocity(p, r, v, u);
            judged = cn_friction_grade(p, r, u, scratch, &report->grade);
        }
        bool solved = cn_grade_residual(&report->grade, opts->measure) <= opts->tolerance;
        if (judged == CN_OK && solved && report->outcome != CN_UNSUPPORTED) {
            report->outcome = CN_SOLVED;
        } else if (e->residual > opts->tolerance) {
            report->outcome = CN_STALLED;
            report->detail =
                "bilateral rows contradict each other, or are too ill-conditioned to be "
                "eliminated; the solver auto reports it";
        } else if (report->outcome == CN_SOLVED) {
            report->outcome = CN_STALLED;
            report->detail = "the contacts are solved, but with the joints the checker's residual "
                             "is above the tolerance";
        }
        status = judged != CN_OK ? base_fail_memory(error) : status;
    }
    base_arena_release(scratch, mark);
    return status;
}
