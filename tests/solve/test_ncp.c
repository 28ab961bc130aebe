// Nonlinear mixed complementarity problems: data and checker, the check of a Jacobian by
// differences, and the method "path" on problems of the literature from their published starts.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "sparse/csr.h"

#include "failing_allocator.h"
#include "solve/ncp_problems.h"

#include <cairn/solve.h>
#include <string.h>

static const double zeros[200];

static cn_ncp problem(int32_t n, bool (*value)(void *, const double *, double *),
                      const void *user) {
    cn_ncp p = cn_ncp_default(n);
    p.value = value;
    p.user = (void *)(uintptr_t)user;
    p.lower = zeros;
    return p;
}

// Solves from z; the answer to z. Fails the test where that is not a solution to the tolerance.
static cn_ncp_report solve(const char *what, const cn_ncp *p, double tolerance, double *z) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_solve_opts opts = cn_solve_opts_default(cn_ncp_solver_info());
    double *w = BASE_TAKE(memory, double, p->n);
    cn_ncp_report report;
    cn_error error;
    opts.tolerance = tolerance;
    cn_status status = cn_ncp_solve(p, &opts, memory, z, w, &report, &error);
    if (status != CN_OK || report.solve.outcome != CN_SOLVED || getenv("CAIRN_PRINT")) {
        print_error(
            "%-28s %s after %d steps, %d crash, %d restarts, %d values: residual %.3g (%s)\n", what,
            status == CN_OK ? cn_outcome_text(report.solve.outcome) : error.message,
            (int)report.solve.iterations, (int)report.crash, (int)report.restarts,
            (int)report.values, report.solve.grade.residual, report.solve.detail);
    }
    CN_CHECK_TRUE(status == CN_OK && report.solve.outcome == CN_SOLVED);
    cn_arena_destroy(memory);
    return report;
}

// ---- the literature, from published starts ----

CN_TEST(josephy_and_kojima_shindo_are_solved_from_all_starts) {
    static const double starts[][4] = {
        {0, 0, 0, 0}, {1, 1, 1, 1},     {100, 100, 100, 100}, {1, 0, 1, 0}, {1, 0, 0, 0},
        {0, 1, 1, 0}, {10, 10, 10, 10}, {0, 0, 0, 1},         {1, 1, 0, 1}, {1.25, 0, 0, 0.5}};
    const double root = sqrt(6.0) / 2.0;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        for (int kind = 0; kind < 2; kind++) {
            double z[4];
            memcpy(z, starts[k], sizeof z);
            cn_ncp p = problem(4, four_F, kind == 0 ? josephy : kojima_shindo);
            p.gradient = four_J;
            solve(kind == 0 ? "josephy" : "kojima-shindo", &p, 1e-10, z);
            bool one = fabs(z[0] - root) + fabs(z[1]) + fabs(z[2]) + fabs(z[3] - 0.5) < 1e-8;
            bool other = fabs(z[0] - 1) + fabs(z[1]) + fabs(z[2] - 3) + fabs(z[3]) < 1e-8;
            CN_CHECK_TRUE(one || (kind == 1 && other));
        }
    }
}

CN_TEST(a_local_minimum_of_the_merit_is_left) {
    double z[1] = {0.0};
    cn_ncp p = problem(1, billups_F, NULL);
    solve("billups", &p, 1e-10, z);
    CN_CHECK_NEAR(z[0], 1.0 + sqrt(1.01), 1e-9);
}

CN_TEST(firms_produce_what_is_published) {
    // Harker 1988, four decimals.
    const double five[] = {36.9325, 41.8181, 43.7066, 42.6592, 39.1790};
    const double ten[] = {7.4415, 4.0978, 2.5906, 0.9354, 17.9490,
                          4.0978, 1.3047, 5.5901, 3.2222, 1.6771};
    for (int start = 0; start < 2; start++) {
        double z[10];
        for (int i = 0; i < 10; i++) {
            z[i] = start == 0 ? 10.0 : 1.0;
        }
        cn_ncp p = problem(5, oligopoly_F, &five_firms);
        solve("five firms", &p, 1e-8, z);
        for (int i = 0; i < 5; i++) {
            CN_CHECK_NEAR(z[i], five[i], 1e-3);
        }
        for (int i = 0; i < 10; i++) {
            z[i] = start == 0 ? 10.0 : 1.0;
        }
        p = problem(10, oligopoly_F, &ten_firms);
        solve("ten firms", &p, 1e-8, z);
        for (int i = 0; i < 10; i++) {
            CN_CHECK_NEAR(z[i], ten[i], 1e-4);
        }
    }
}

CN_TEST(markets_clear_as_mathiesen_says) {
    static const double data[][3] = {{0.75, 1.0, 0.5}, {0.75, 1.0, 2.0}, {0.9, 5.0, 3.0}};
    static const double starts[][4] = {{1, 1, 1, 1}, {3, 1, 2, 3}, {1, 2, 1, 0}, {0, 10, 10, 10}};
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < 4; k++) {
            double z[4];
            memcpy(z, starts[k], sizeof z);
            cn_ncp p = problem(4, mathiesen_F, data[d]);
            solve("mathiesen", &p, 1e-10, z);
        }
    }
}

CN_TEST(prices_of_an_exchange_solve_their_linear_equations) {
    base_rng rng = base_rng_seed(5);
    exchange e;
    for (int h = 0; h < CONSUMERS; h++) {
        double sum = 0.0;
        for (int g = 0; g < GOODS; g++) {
            sum += e.share[h][g] = base_rng_uniform(&rng, 0.1, 1.0);
            e.endowment[h][g] = base_rng_uniform(&rng, 0.0, 3.0);
        }
        for (int g = 0; g < GOODS; g++) {
            e.share[h][g] /= sum;
        }
    }
    double lower[GOODS], upper[GOODS], z[GOODS];
    for (int g = 0; g < GOODS; g++) {
        lower[g] = g == 0 ? 1.0 : 0.01; // good 0 is money
        upper[g] = g == 0 ? 1.0 : INF;
        z[g] = 1.0;
    }
    cn_ncp p = problem(GOODS, exchange_F, &e);
    p.lower = lower;
    p.upper = upper;
    solve("exchange", &p, 1e-10, z);
    // p_g sum_h e_hg = sum_h a_hg (p . e_h)
    for (int g = 0; g < GOODS; g++) {
        double supply = 0.0, demand = 0.0;
        for (int h = 0; h < CONSUMERS; h++) {
            double income = 0.0;
            for (int k = 0; k < GOODS; k++) {
                income += z[k] * e.endowment[h][k];
            }
            supply += z[g] * e.endowment[h][g];
            demand += e.share[h][g] * income;
        }
        CN_CHECK_NEAR(supply, demand, 1e-8 * supply);
    }
}

// ---- variational problems ----

enum { SIDE = 24, CELLS = SIDE * SIDE };

static cn_ncp membrane_problem(const membrane *m, int64_t *start, int32_t *column) {
    cn_ncp p = problem(CELLS, membrane_F, m);
    membrane_pattern(SIDE, start, column);
    p.pattern = (cn_csr){.rows = CELLS, .cols = CELLS, .start = start, .column = column};
    return p;
}

CN_TEST(membranes_lie_on_their_obstacles) {
    static int64_t start[CELLS + 1];
    static int32_t column[9 * CELLS];
    static double z[CELLS], lower[CELLS], upper[CELLS];
    for (int bilateral = 0; bilateral < 2; bilateral++) {
        membrane m = {SIDE, bilateral ? 0.0 : 1.0, bilateral ? 10.0 : 0.0};
        cn_ncp p = membrane_problem(&m, start, column);
        for (int i = 0; i < CELLS; i++) {
            double x = (i / SIDE + 1.0) / (SIDE + 1) - 0.5, y = (i % SIDE + 1.0) / (SIDE + 1) - 0.5;
            lower[i] = bilateral ? -0.1 : 0.3 - 2.0 * (x * x + y * y);
            upper[i] = bilateral ? 0.2 * fmin(0.5 - fabs(x), 0.5 - fabs(y)) + 0.05 : INF;
            z[i] = 0.0;
        }
        p.lower = lower;
        p.upper = upper;
        cn_ncp_report report = solve(bilateral ? "two obstacles" : "minimal surface", &p, 1e-8, z);
        int32_t touching = 0;
        for (int i = 0; i < CELLS; i++) {
            touching += z[i] <= lower[i] || z[i] >= upper[i];
        }
        CN_CHECK_TRUE(touching > CELLS / 20 && touching < CELLS &&
                      report.solve.grade.open == touching);
        // Symmetric data, symmetric answer.
        for (int i = 0; i < CELLS; i++) {
            CN_CHECK_NEAR(z[i], z[SIDE * (i % SIDE) + i / SIDE], 1e-8);
        }
    }
}

CN_TEST(film_of_a_bearing_ends_where_reynolds_says) {
    enum { NODES = 199 };
    static int64_t start[NODES + 1];
    static int32_t column[3 * NODES];
    int64_t at = 0;
    for (int32_t i = 0; i < NODES; i++) {
        start[i] = at;
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < NODES; j++) {
            column[at++] = j;
        }
    }
    start[NODES] = at;
    static double p[NODES];
    bearing b = {NODES, 0.5, 0.0, 0.0};
    cn_ncp problem_of_bearing = problem(NODES, bearing_F, &b);
    problem_of_bearing.pattern =
        (cn_csr){.rows = NODES, .cols = NODES, .start = start, .column = column};
    solve("rigid bearing", &problem_of_bearing, 1e-9, p);
    // The film ends at x2 = 2 pi - x1', where h(x2) is that of the largest pressure (dp/dx = 0 at
    // both): h of the end equals h of the maximum to the mesh.
    int32_t top = 0, last = 0;
    for (int32_t i = 0; i < NODES; i++) {
        top = p[i] > p[top] ? i : top;
        last = p[i] > 0.0 ? i : last;
    }
    double dx = 2.0 * 3.14159265358979323846 / (NODES + 1);
    CN_CHECK_NEAR(bearing_film(&b, (top + 1) * dx, 0.0), bearing_film(&b, (last + 1.5) * dx, 0.0),
                  0.5 * dx);
    double rigid = p[top];
    b.elastic = 0.02;
    b.viscous = 0.2;
    memset(p, 0, sizeof p);
    solve("elastic bearing", &problem_of_bearing, 1e-9, p);
    double elastic = 0.0;
    for (int32_t i = 0; i < NODES; i++) {
        elastic = fmax(elastic, p[i]);
    }
    CN_CHECK_TRUE(elastic > 0.3 * rigid && elastic < 3.0 * rigid);
}

CN_TEST(chain_hangs_and_lies_on_the_floor) {
    enum { LINKS = 30, INNER = LINKS - 1, N = 2 * INNER + LINKS };
    double lower[N], z[N];
    for (int on_floor = 0; on_floor < 2; on_floor++) {
        chain c = {LINKS, 1.0, 1.5};
        cn_ncp p = problem(N, chain_F, &c);
        for (int i = 0; i < INNER; i++) {
            double s = (i + 1.0) / LINKS;
            z[2 * i] = s;
            z[2 * i + 1] = -0.5 * sin(3.14159265358979323846 * s);
            lower[2 * i] = -INF;
            lower[2 * i + 1] = on_floor ? -0.3 : -INF;
        }
        for (int k = 0; k < LINKS; k++) {
            z[2 * INNER + k] = 1.0;
            lower[2 * INNER + k] = -INF;
        }
        p.lower = lower;
        solve(on_floor ? "chain on a floor" : "hanging chain", &p, 1e-10, z);
        double sag = 0.0;
        for (int i = 0; i < INNER; i++) {
            sag = fmin(sag, z[2 * i + 1]);
        }
        if (on_floor) {
            CN_CHECK_NEAR(sag, -0.3, 1e-9);
        } else {
            // Catenary: length 2 a sinh(span / 2a), sag a (cosh(span / 2a) - 1).
            double a = 0.2;
            for (int k = 0; k < 100; k++) {
                double f = 2 * a * sinh(0.5 / a) - 1.5;
                a -= f / (2 * sinh(0.5 / a) - cosh(0.5 / a) / a);
            }
            CN_CHECK_NEAR(sag, -a * (cosh(0.5 / a) - 1), 2e-3);
        }
    }
}

CN_TEST(generators_hold_their_voltage_within_their_limits) {
    static const double limits[][2] = {{-5, 5}, {-0.05, 0.05}, {0.9, 2}};
    for (int k = 0; k < 3; k++) {
        power data = {0.5, 1.2, 0.4, 1.02};
        double lower[5] = {-INF, 0.3, -INF, 0.3, limits[k][0]},
               upper[5] = {INF, INF, INF, INF, limits[k][1]};
        double z[5] = {0, 1, 0, 1, 0};
        cn_ncp p = problem(5, power_F, &data);
        p.lower = lower;
        p.upper = upper;
        solve("power flow", &p, 1e-10, z);
        if (k == 0) {
            CN_CHECK_NEAR(z[1], 1.02, 1e-9);
        } else if (k == 1) {
            CN_CHECK_TRUE(z[4] >= 0.05 - 1e-12 && z[1] < 1.02); // at its limit, the voltage sags
        } else {
            CN_CHECK_TRUE(z[4] <= 0.9 + 1e-12 && z[1] > 1.02);
        }
    }
}

// An affine F, as a user's functions.
static bool affine_F(void *user, const double *z, double *w) {
    const cn_mcp *p = user;
    sparse_csr_apply(&p->M, z, w);
    for (int32_t i = 0; i < p->n; i++) {
        w[i] += p->q[i];
    }
    return true;
}
static bool affine_J(void *user, const double *z, double *entries) {
    const cn_mcp *p = user;
    (void)z;
    memcpy(entries, p->M.value, sizeof *entries * (size_t)p->M.start[p->n]);
    return true;
}

CN_TEST(affine_problems_with_all_kinds_of_bounds_are_solved_as_planted) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_planted_opts opts = cn_planted_opts_default();
    opts.contacts = 60;
    cn_mcp mcp;
    double *planted, z[60] = {0};
    CN_CHECK_TRUE(cn_planted_mcp(&opts, memory, &mcp, &planted, NULL) == CN_OK);
    cn_ncp p = problem(60, affine_F, &mcp);
    p.gradient = affine_J;
    p.pattern = mcp.M;
    p.lower = mcp.lower;
    p.upper = mcp.upper;
    cn_ncp_report report = solve("affine", &p, 1e-9, z);
    CN_CHECK_TRUE(report.solve.iterations <= 10 && report.restarts == 0);
    for (int i = 0; i < 60; i++) {
        CN_CHECK_NEAR(z[i], planted[i], 1e-7);
    }
    cn_arena_destroy(memory);
}

CN_TEST(without_memory_it_says_so_at_every_allocation) {
    cn_ncp p = problem(4, four_F, josephy);
    for (int64_t k = 0; k < 10000; k++) {
        cn_failing failing;
        cn_env env = cn_failing_env(&failing, k);
        cn_arena *scratch = cn_arena_create(&env);
        cn_solve_opts opts = cn_solve_opts_default(cn_ncp_solver_info());
        double z[4] = {0}, w[4];
        cn_ncp_report report;
        cn_status status =
            scratch ? cn_ncp_solve(&p, &opts, scratch, z, w, &report, NULL) : CN_ERR_MEMORY;
        cn_arena_destroy(scratch);
        CN_CHECK_TRUE(failing.live == 0);
        if (!failing.failed) {
            CN_CHECK_TRUE(status == CN_OK && report.solve.outcome == CN_SOLVED);
            return;
        }
        CN_CHECK_TRUE(status == CN_ERR_MEMORY);
    }
}

static bool cancel_now(void *user) {
    return ++*(int *)user > 3;
}

CN_TEST(a_cancelled_solve_gives_its_best_point) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_solve_opts opts = cn_solve_opts_default(cn_ncp_solver_info());
    cn_ncp p = problem(4, four_F, josephy);
    double z[4] = {100, 100, 100, 100}, w[4];
    int asked = 0;
    cn_ncp_report report;
    opts.cancel = cancel_now;
    opts.cancel_user = &asked;
    CN_CHECK_TRUE(cn_ncp_solve(&p, &opts, memory, z, w, &report, NULL) == CN_ERR_CANCELLED);
    CN_CHECK_TRUE(report.solve.outcome != CN_SOLVED && report.solve.grade.residual < INF);
    cn_arena_destroy(memory);
}

// ---- data and checker ----

static bool wrong_J(void *user, const double *z, double *J) {
    four_gradient(z, user, J);
    J[6] += 0.01;
    return true;
}

CN_TEST(wrong_jacobians_are_named_by_row_and_column) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_error error;
    double z[4] = {0.3, 0.7, 0.2, 0.9};
    cn_ncp p = problem(4, four_F, josephy);
    CN_CHECK_TRUE(cn_ncp_check(&p, z, memory, &error) == CN_OK);
    p.gradient = four_J;
    CN_CHECK_TRUE(cn_ncp_check(&p, z, memory, &error) == CN_OK);
    p.gradient = wrong_J;
    CN_CHECK_TRUE(cn_ncp_check(&p, z, memory, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "row 1, column 2") != NULL);
    // A pattern that lacks an entry.
    int64_t start[] = {0, 4, 8, 12, 15};
    int32_t column[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2};
    p.gradient = NULL;
    p.pattern = (cn_csr){.rows = 4, .cols = 4, .start = start, .column = column};
    CN_CHECK_TRUE(cn_ncp_check(&p, z, memory, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "lacks row 3, column 3") != NULL);
    column[3] = 0;
    CN_CHECK_TRUE(cn_ncp_check(&p, z, memory, &error) == CN_ERR_INPUT);
    cn_arena_destroy(memory);
}

static bool never_F(void *user, const double *z, double *w) {
    (void)user, (void)z;
    w[0] = (double)NAN;
    return true;
}
static bool without_F(void *user, const double *z, double *w) {
    (void)user;
    w[0] = 1.0 + z[0] * z[0]; // of a free unknown: no root
    return true;
}

CN_TEST(bad_problems_are_refused_and_unsolvable_ones_are_not_called_solved) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_solve_opts opts = cn_solve_opts_default(cn_ncp_solver_info());
    cn_ncp_report report;
    cn_error error;
    double z[1] = {0.5}, w[1], lower[1] = {2.0}, upper[1] = {1.0};
    cn_ncp p = cn_ncp_default(1);
    CN_CHECK_TRUE(cn_ncp_solve(&p, &opts, memory, z, w, &report, &error) == CN_ERR_ARGUMENT);
    p.value = never_F;
    CN_CHECK_TRUE(cn_ncp_solve(&p, &opts, memory, z, w, &report, &error) == CN_ERR_INPUT &&
                  strlen(error.hint) > 0);
    p.value = without_F;
    p.lower = lower;
    p.upper = upper;
    CN_CHECK_TRUE(cn_ncp_solve(&p, &opts, memory, z, w, &report, &error) == CN_ERR_INPUT);
    p.lower = p.upper = NULL;
    CN_CHECK_TRUE(cn_ncp_solve(&p, NULL, memory, z, w, &report, &error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_ncp_solve(&p, &opts, memory, z, w, &report, &error) == CN_OK);
    CN_CHECK_TRUE(report.solve.outcome != CN_SOLVED && report.solve.grade.residual >= 1.0);
    CN_CHECK_NEAR(z[0], 0.0, 1e-3); // the best point: the least residual
    z[0] = (double)NAN;
    CN_CHECK_TRUE(cn_ncp_solve(&p, &opts, memory, z, w, &report, &error) == CN_ERR_ARGUMENT);
    cn_arena_destroy(memory);
}

CN_TEST(checker_measures_what_is_off) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_grade grade;
    double lower[2] = {0.0, 0.0}, z[2] = {0.0, -0.25};
    cn_ncp p = problem(1, billups_F, NULL);
    p.lower = lower;
    CN_CHECK_TRUE(cn_ncp_grade(&p, z, memory, &grade) == CN_OK);
    CN_CHECK_NEAR(grade.residual, 0.01, 1e-15); // z = 0 with w = -0.01
    CN_CHECK_TRUE(cn_ncp_grade(&p, z + 1, memory, &grade) == CN_OK);
    CN_CHECK_NEAR(grade.cone_violation, 0.25, 1e-15);
    p.value = never_F;
    CN_CHECK_TRUE(cn_ncp_grade(&p, z, memory, &grade) == CN_OK && !(grade.residual < INF));
    cn_arena_destroy(memory);
}
