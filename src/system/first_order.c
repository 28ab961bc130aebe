// system/first_order.c
// Linear complementarity systems and relays by the implicit scheme: with P = 1 - h theta A,
//     P x1 = (1 + h (1 - theta) A) x0 + h b_theta + h B (theta' lambda1 + (1 - theta') lambda0)
//     y1 = C x1 + D lambda1 + e1,   the law of each row between y1 and lambda1
// where theta' = 1 by default: lambda is taken at the end of the step, so that a relay on its
// sliding surface takes the value that keeps it there instead of switching. The one-step problem is
// a mixed complementarity problem with the matrix D + h theta' C P^-1 B, the same in every step.
//
// First order in h whatever theta is, since lambda jumps; theta' = 1/2 is second order where lambda
// is smooth, and rings where it jumps. Pivoting solves the problem: projected Gauss-Seidel cycles
// on the diode bridge, whose matrix has off-diagonal entries far above its diagonal. Reference:
// Acary, Bonnefon and Brogliato, Nonsmooth Modeling and Simulation for Switched Circuits.
#include "base/error.h"
#include "sparse/dense.h"
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

static cn_status check_numbers(const cn_system *system, const char *what, const double *x,
                               int64_t count, double limit, cn_error *error) {
    for (int64_t k = 0; k < count; k++) {
        if (!(fabs(x[k]) <= limit)) {
            return base_fail(error, CN_ERR_INPUT, "%s: entry %d of %s is %g", system->name,
                             (int)k + 1, what, x[k]);
        }
    }
    return CN_OK;
}

cn_status sys_first_order_check(const cn_system *system, cn_error *error) {
    const cn_first_order *def = &system->first_order;
    int64_t n = def->n, m = def->m;
    const struct {
        const char *what;
        const double *x;
        int64_t count;
        double limit;
    } parts[] = {{"A", def->A, n * n, DBL_MAX},
                 {"B", def->B, n * m, DBL_MAX},
                 {"C", def->C, m * n, DBL_MAX},
                 {"D", def->D, m * m, DBL_MAX},
                 {"the start", def->x, n, DBL_MAX},
                 {"the lower bounds", def->lower, m, HUGE_VAL},
                 {"the upper bounds", def->upper, m, HUGE_VAL}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        CN_TRY(check_numbers(system, parts[i].what, parts[i].x, parts[i].count, parts[i].limit,
                             error));
    }
    for (int64_t i = 0; i < m; i++) {
        if (!(def->lower[i] <= def->upper[i] && def->lower[i] < HUGE_VAL &&
              def->upper[i] > -HUGE_VAL)) {
            return base_fail(error, CN_ERR_INPUT, "%s: row %d has the bounds %g and %g",
                             system->name, (int)i + 1, def->lower[i], def->upper[i]);
        }
    }
    return CN_OK;
}

// y += factor A x, A rows x cols by rows.
static void add_product(int32_t rows, int32_t cols, double factor, const double *A, const double *x,
                        double *y) {
    for (int32_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < cols; j++) {
            sum += A[(int64_t)cols * i + j] * x[j];
        }
        y[i] += factor * sum;
    }
}

static bool first_order_allocate(cn_system_run *run) {
    int64_t n = run->system->first_order.n, m = run->system->first_order.m;
    cn_arena *memory = run->memory;
    run->PB = BASE_TAKE_ZERO(memory, double, n *m);
    run->mcp = BASE_TAKE_ZERO(memory, cn_mcp, 1);
    if (!run->PB || !run->mcp) {
        return false;
    }
    *run->mcp = (cn_mcp){.n = (int32_t)m,
                         .M = {.rows = (int32_t)m,
                               .cols = (int32_t)m,
                               .start = BASE_TAKE(memory, int64_t, m + 1),
                               .column = BASE_TAKE(memory, int32_t, m * m),
                               .value = BASE_TAKE(memory, double, m *m)},
                         .q = BASE_TAKE_ZERO(memory, double, m),
                         .lower = BASE_TAKE(memory, double, m),
                         .upper = BASE_TAKE(memory, double, m)};
    const cn_mcp *p = run->mcp;
    return p->M.start && p->M.column && p->M.value && p->q && p->lower && p->upper;
}

// P, P^-1 B and the matrix of the one-step problem.
static cn_status first_order_build(cn_system_run *run, cn_error *error) {
    const cn_first_order *def = &run->system->first_order;
    int32_t n = def->n, m = def->m;
    double h = run->opts.step;
    double *P = run->response.K, *column = run->change;
    for (int64_t k = 0; k < (int64_t)n * n; k++) {
        P[k] = (k % (n + 1) == 0 ? 1.0 : 0.0) - h * run->opts.theta * def->A[k];
    }
    if (!sparse_lu_factor(n, P, run->response.pivot)) {
        return base_fail(error, CN_ERR_NUMERIC, "%s: 1 - h theta A is singular; change the step",
                         run->system->name);
    }
    cn_mcp *p = run->mcp;
    for (int32_t j = 0; j < m; j++) {
        for (int32_t i = 0; i < n; i++) {
            column[i] = h * run->opts.theta_multiplier * def->B[(int64_t)m * i + j];
        }
        sparse_lu_solve(n, P, run->response.pivot, column);
        for (int32_t i = 0; i < n; i++) {
            run->PB[(int64_t)m * i + j] = column[i];
        }
        for (int32_t i = 0; i < m; i++) {
            double sum = def->D[(int64_t)m * i + j];
            for (int32_t k = 0; k < n; k++) {
                sum += def->C[(int64_t)n * i + k] * column[k];
            }
            p->M.value[(int64_t)m * i + j] = sum;
            p->M.column[(int64_t)m * i + j] = j;
        }
    }
    for (int32_t i = 0; i <= m; i++) {
        p->M.start[i] = (int64_t)m * i;
    }
    memcpy(p->lower, def->lower, sizeof(double) * (size_t)m);
    memcpy(p->upper, def->upper, sizeof(double) * (size_t)m);
    return CN_OK;
}

// x without the new lambda, in run->change, and q of the one-step problem.
static cn_status first_order_free(cn_system_run *run, double t, double h, cn_error *error) {
    const cn_first_order *def = &run->system->first_order;
    int32_t n = def->n, m = def->m;
    double theta = run->opts.theta, *x = run->change, *b = run->residual;
    memcpy(x, run->q, sizeof(double) * (size_t)n);
    add_product(n, n, h * (1.0 - theta), def->A, run->q, x);
    add_product(n, m, h * (1.0 - run->opts.theta_multiplier), def->B, run->lambda, x);
    for (int32_t end = 0; def->source && end < 2; end++) {
        memset(b, 0, sizeof(double) * (size_t)n);
        def->source(def->user, t + h * end, b);
        for (int32_t i = 0; i < n; i++) {
            if (!(fabs(b[i]) <= DBL_MAX)) {
                return base_fail(error, CN_ERR_NUMERIC, "%s: entry %d of b is %g at t = %g",
                                 run->system->name, (int)i + 1, b[i], t + h * end);
            }
            x[i] += h * (end ? theta : 1.0 - theta) * b[i];
        }
    }
    sparse_lu_solve(n, run->response.K, run->response.pivot, x);
    memset(run->mcp->q, 0, sizeof(double) * (size_t)m);
    if (def->offset) {
        def->offset(def->user, t + h, run->mcp->q);
    }
    add_product(m, n, 1.0, def->C, x, run->mcp->q);
    for (int32_t i = 0; i < m; i++) {
        if (!(fabs(run->mcp->q[i]) <= DBL_MAX)) {
            return base_fail(error, CN_ERR_NUMERIC, "%s: output %d is %g at t = %g",
                             run->system->name, (int)i + 1, run->mcp->q[i], t + h);
        }
    }
    return CN_OK;
}

cn_status sys_first_order_step(cn_system_run *run, cn_system_report *report, cn_error *error) {
    const cn_first_order *def = &run->system->first_order;
    int32_t n = def->n, m = def->m;
    double h = run->opts.step, t = (double)run->step * h;
    cn_status status = first_order_free(run, t, h, error);
    if (status == CN_OK && m > 0) {
        cn_solve_opts opts = cn_solve_opts_default(&run->mixed->info);
        cn_solve_report solved;
        opts.tolerance = run->opts.tolerance;
        memset(run->lambda, 0, sizeof(double) * (size_t)m);
        status = cn_mcp_solve(run->mcp, run->mixed, &opts, run->scratch, run->lambda, run->y,
                              &solved, error);
        report->iterations = solved.iterations;
        report->residual = solved.grade.residual;
        report->outcome = solved.outcome;
        report->contacts = m;
        report->sticking = solved.grade.stick;
    }
    CN_TRY(status);
    add_product(n, m, 1.0, run->PB, run->lambda, run->change);
    for (int32_t i = 0; i < n; i++) {
        run->v[i] = (run->change[i] - run->q[i]) / h;
        run->q[i] = run->change[i];
    }
    report->substeps = 1;
    return CN_OK;
}

cn_status sys_first_order_start(cn_system_run *run, cn_system_report *report, cn_error *error) {
    (void)report;
    const cn_first_order *def = &run->system->first_order;
    double share = run->opts.theta_multiplier;
    cn_status status = first_order_allocate(run) ? CN_OK : base_fail_memory(error);
    if (status == CN_OK && share < 1.0) {
        // The first lambda is that of a fully implicit step, which is then taken back.
        cn_system_report unused;
        run->opts.theta_multiplier = 1.0;
        status = first_order_build(run, error);
        if (status == CN_OK) {
            status = sys_first_order_step(run, &unused, error);
        }
        memcpy(run->q, def->x, sizeof(double) * (size_t)def->n);
        run->opts.theta_multiplier = share;
    }
    CN_TRY(status);
    return first_order_build(run, error);
}
