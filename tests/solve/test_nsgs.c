// Gauss-Seidel, its acceleration, enumeration and the default solver.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "solve/acceleration/anderson.h"
#include "solve/gauss_seidel/relaxation.h"
#include "solve/gauss_seidel/sweep.h"
#include "solve/pivoting/enumerate.h"
#include "sparse/csr.h"

#include <cairn/solve.h>
#include <string.h>

// W = A A' with A random of the given number of columns (fewer than m: rank deficient), q chosen so
// that a planted solution with open, sticking and sliding contacts is exact.
static cn_friction planted(cn_arena *arena, int32_t dim, int32_t contacts, int32_t columns,
                           double mu, uint64_t seed, double *r) {
    base_rng rng = base_rng_seed(seed);
    int32_t m = dim * contacts;
    double *A = BASE_TAKE(arena, double, (int64_t)m *columns);
    int32_t *row = BASE_TAKE(arena, int32_t, (int64_t)m * m);
    int32_t *column = BASE_TAKE(arena, int32_t, (int64_t)m * m);
    double *W = BASE_TAKE_ZERO(arena, double, (int64_t)m *m);
    double *q = BASE_TAKE(arena, double, m), *coefficient = BASE_TAKE(arena, double, contacts);
    for (int32_t i = 0; i < m * columns; i++) {
        A[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < m; j++) {
            row[m * i + j] = i;
            column[m * i + j] = j;
            for (int32_t k = 0; k < columns; k++) {
                W[m * i + j] += A[columns * i + k] * A[columns * j + k];
            }
        }
    }
    for (int32_t a = 0; a < contacts; a++) {
        double *own = r + dim * a, *u = q + dim * a;
        coefficient[a] = mu;
        double normal = base_rng_uniform(&rng, 0.5, 1.5), slip = base_rng_uniform(&rng, 0.1, 1.0);
        for (int32_t i = 0; i < dim; i++) {
            own[i] = u[i] = 0.0;
        }
        own[0] = a % 3 == 0 ? 0.0 : normal;
        u[0] = a % 3 == 0 ? normal : 0.0;
        own[dim - 1] = a % 3 == 1 ? 0.5 * mu * normal : (a % 3 == 2 ? -mu * normal : 0.0);
        u[dim - 1] = a % 3 == 2 ? slip : 0.0;
    }
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < m; j++) {
            q[i] -= W[m * i + j] * r[j];
        }
    }
    cn_csr matrix;
    cn_friction p;
    assert_int_equal(sparse_csr_from_triplets(arena, m, m, (int64_t)m * m, row, column, W, &matrix),
                     CN_OK);
    assert_int_equal(prob_friction_from_csr(arena, dim, contacts, &matrix, q, coefficient, &p),
                     CN_OK);
    return p;
}

static cn_solve_report solve(const cn_friction *p, const char *name, double tolerance,
                             int32_t anderson, cn_arena *arena, double *r) {
    const cn_friction_solver *solver = cn_friction_solver_find(name);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    char depth[16];
    snprintf(depth, sizeof depth, "%d", anderson);
    assert_int_equal(cn_solve_opts_set(&opts, &solver->info, "anderson", depth, NULL), CN_OK);
    opts.tolerance = tolerance;
    cn_solve_report report;
    double *u = BASE_TAKE(arena, double, (int64_t)p->dim * p->contacts);
    assert_int_equal(cn_friction_solve(p, solver, &opts, arena, r, u, &report, NULL), CN_OK);
    return report;
}

CN_TEST(solves_planted_problems_in_both_dimensions_and_any_rank) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int32_t share = 1; share <= 4; share++) {
            cn_arena *arena = cn_arena_create(NULL);
            int32_t contacts = 12;
            double r[36], answer[36] = {0.0};
            cn_friction p = planted(arena, dim, contacts, dim * contacts * share / 3 + 1, 0.4,
                                    (uint64_t)(10 * dim + share), r);
            cn_solve_report report = solve(&p, "nsgs", 1e-8, 5, arena, answer);
            CN_CHECK_BELOW(report.grade.residual, 1e-8);
            assert_int_equal(report.outcome, CN_SOLVED);
            cn_arena_destroy(arena);
        }
    }
}

// A column of equal balls on the ground, h g = 1: contact a carries the balls above it, r_N =
// layers - a exactly.
static cn_friction column(cn_arena *arena, int32_t layers) {
    int32_t *row = BASE_TAKE(arena, int32_t, 5 * layers),
            *place = BASE_TAKE(arena, int32_t, 5 * layers);
    double *value = BASE_TAKE(arena, double, 5 * layers);
    double *q = BASE_TAKE_ZERO(arena, double, 3 * layers),
           *mu = BASE_TAKE_ZERO(arena, double, layers);
    int64_t count = 0;
    for (int32_t a = 0; a < layers; a++) {
        q[3 * a] = a == 0 ? -1.0 : 0.0; // only the ground resists the fall
        for (int32_t b = a - 1; b <= a + 1; b++) {
            if (b >= 0 && b < layers) {
                row[count] = 3 * a;
                place[count] = 3 * b;
                value[count++] = a != b ? -1.0 : (a == 0 ? 1.0 : 2.0);
            }
        }
        for (int32_t i = 1; i < 3; i++) {
            row[count] = place[count] = 3 * a + i;
            value[count++] = 1.0;
        }
    }
    cn_csr W;
    cn_friction p;
    assert_int_equal(
        sparse_csr_from_triplets(arena, 3 * layers, 3 * layers, count, row, place, value, &W),
        CN_OK);
    assert_int_equal(prob_friction_from_csr(arena, 3, layers, &W, q, mu, &p), CN_OK);
    return p;
}

CN_TEST(column_carries_its_weight) {
    cn_arena *arena = cn_arena_create(NULL);
    double r[90] = {0.0};
    cn_friction p = column(arena, 30);
    CN_CHECK_BELOW(solve(&p, "nsgs", 1e-12, 5, arena, r).grade.residual, 1e-12);
    for (int32_t a = 0; a < 30; a++) {
        CN_CHECK_NEAR(r[3 * a], 30 - a, 1e-8);
    }
    cn_arena_destroy(arena);
}

// The error of plain sweeps diffuses one layer a sweep; mixing breaks that.
CN_TEST(acceleration_needs_far_fewer_sweeps) {
    cn_arena *arena = cn_arena_create(NULL);
    double plain[90] = {0.0}, mixed[90] = {0.0};
    cn_friction p = column(arena, 30);
    int32_t without = solve(&p, "nsgs", 1e-8, 0, arena, plain).iterations;
    int32_t with = solve(&p, "nsgs", 1e-8, 5, arena, mixed).iterations;
    CN_CHECK_BELOW((double)with, without / 5.0);
    cn_arena_destroy(arena);
}

CN_TEST(warm_start_at_the_solution_takes_no_sweep) {
    cn_arena *arena = cn_arena_create(NULL);
    double r[60];
    cn_friction p = planted(arena, 3, 20, 80, 0.3, 5, r);
    cn_solve_report report = solve(&p, "nsgs", 1e-8, 5, arena, r);
    assert_int_equal(report.outcome, CN_SOLVED);
    assert_int_equal(report.iterations, 0);
    cn_arena_destroy(arena);
}

// One solve of the column with "settle", from r.
static cn_solve_report settle(const cn_friction *p, const char *sweeps, cn_arena *arena,
                              double *r) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    assert_int_equal(cn_solve_opts_set(&opts, &solver->info, "settle", sweeps, NULL), CN_OK);
    opts.tolerance = 1e-3;
    cn_solve_report report;
    double *u = BASE_TAKE(arena, double, (int64_t)p->dim * p->contacts);
    assert_int_equal(cn_friction_solve(p, solver, &opts, arena, r, u, &report, NULL), CN_OK);
    assert_int_equal(report.outcome, CN_SOLVED);
    return report;
}

CN_TEST(settling_goes_past_the_tolerance_from_near_the_answer_only) {
    cn_arena *arena = cn_arena_create(NULL);
    double far[90] = {0.0}, plain[90] = {0.0}, near[90];
    cn_friction p = column(arena, 30);
    // From far away it changes nothing.
    cn_solve_report without = settle(&p, "0", arena, plain);
    cn_solve_report with = settle(&p, "40", arena, far);
    assert_int_equal(with.iterations, without.iterations);
    assert_memory_equal(far, plain, sizeof far);
    // The next solve starts there. Each goes on, by its own sweeps, until nothing is left to do.
    memcpy(near, far, sizeof near);
    double last = with.grade.residual;
    for (int32_t k = 0; k < 20 && last > 1e-12; k++) {
        with = settle(&p, "40", arena, near);
        CN_CHECK_BELOW((double)with.iterations, 40.5);
        CN_CHECK_BELOW(with.grade.residual, last);
        last = with.grade.residual;
    }
    CN_CHECK_BELOW(last, 1.001e-12);
    without = settle(&p, "0", arena, plain);
    assert_int_equal(without.iterations, 0);
    cn_arena_destroy(arena);
}

CN_TEST(out_of_sweeps_gives_the_best_iterate_and_says_so) {
    cn_arena *arena = cn_arena_create(NULL);
    double r[60], answer[60] = {0.0}, u[60];
    cn_friction p = planted(arena, 3, 20, 40, 0.6, 7, r);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-15;
    double last = INFINITY;
    for (int32_t sweeps = 1; sweeps < 60; sweeps++) {
        memset(answer, 0, sizeof answer);
        opts.max_iterations = sweeps;
        cn_solve_report report;
        assert_int_equal(cn_friction_solve(&p, solver, &opts, arena, answer, u, &report, NULL),
                         CN_OK);
        assert_int_equal(report.outcome, CN_LIMIT);
        assert_int_equal(report.iterations, sweeps);
        CN_CHECK_BELOW(report.grade.residual, 1.000001 * last);
        CN_CHECK_BELOW(report.grade.cone_violation, 1e-15);
        last = report.grade.residual;
    }
    cn_arena_destroy(arena);
}

CN_TEST(relaxation_keeps_the_answer_in_the_cone) {
    cn_arena *arena = cn_arena_create(NULL);
    double r[60], answer[60] = {0.0}, u[60];
    cn_friction p = planted(arena, 3, 20, 80, 0.6, 9, r);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    assert_int_equal(cn_solve_opts_set(&opts, &solver->info, "relaxation", "1.3", NULL), CN_OK);
    cn_solve_report report;
    assert_int_equal(cn_friction_solve(&p, solver, &opts, arena, answer, u, &report, NULL), CN_OK);
    CN_CHECK_BELOW(report.grade.residual, 1e-8);
    CN_CHECK_BELOW(report.grade.cone_violation, 1e-15);
    cn_arena_destroy(arena);
}

CN_TEST(wide_and_plain_sweeps_give_the_same_bits) {
    cn_arena *arena = cn_arena_create(NULL);
    double planted_r[90], a[90 + GS_SWEEP_PAD] = {0.0}, b[90 + GS_SWEEP_PAD] = {0.0};
    cn_friction p = planted(arena, 3, 30, 50, 0.5, 11, planted_r);
    gs_sweep wide, plain;
    const cn_local_solver *local = cn_local_solver_find("hybrid");
    assert_int_equal(gs_sweep_prepare(&p, local, 1.0, arena, &wide), CN_OK);
    assert_int_equal(gs_sweep_prepare(&p, local, 1.0, arena, &plain), CN_OK);
    gs_sweep_use_portable(&plain);
    for (int sweep = 0; sweep < 50; sweep++) {
        gs_sweep_run(&wide, a, 1);
        gs_sweep_run(&plain, b, 1);
        assert_memory_equal(a, b, sizeof a);
    }
    cn_arena_destroy(arena);
}

CN_TEST(contacts_without_normal_stiffness_are_left_alone) {
    cn_arena *arena = cn_arena_create(NULL);
    const int32_t row[] = {0, 1, 2, 3, 4, 5};
    const double value[] = {0.0, 0.0, 0.0, 2.0, 1.0, 1.0};
    const double q[] = {-1.0, 0.0, 0.0, -1.0, 0.0, 0.0}, mu[] = {0.5, 0.5};
    cn_csr W;
    cn_friction p;
    double r[6] = {0.0};
    assert_int_equal(sparse_csr_from_triplets(arena, 6, 6, 6, row, row, value, &W), CN_OK);
    assert_int_equal(prob_friction_from_csr(arena, 3, 2, &W, q, mu, &p), CN_OK);
    cn_solve_report report = solve(&p, "nsgs", 1e-8, 5, arena, r);
    CN_CHECK_TRUE(report.outcome != CN_SOLVED);
    CN_CHECK_NEAR(r[0], 0.0, 0.0);
    CN_CHECK_NEAR(r[3], 0.5, 1e-15);
    assert_int_equal(report.grade.worst, 0);
    cn_arena_destroy(arena);
}

// x -> B x + c with B symmetric of spectral radius near 1: depth as large as the dimension ends it
// in a few steps.
CN_TEST(anderson_is_exact_on_a_linear_map) {
    cn_arena *arena = cn_arena_create(NULL);
    const double B[4] = {0.99, 0.95, 0.8, -0.5}, c[4] = {1.0, 2.0, -1.0, 0.5};
    const float weight[4] = {1.0F, 1.0F, 1.0F, 1.0F};
    double x[4] = {0.0}, g[4], step = INFINITY;
    gs_anderson mixer;
    assert_int_equal(gs_anderson_prepare(5, 4, false, weight, arena, &mixer), CN_OK);
    for (int k = 0; k < 12; k++) {
        for (int i = 0; i < 4; i++) {
            g[i] = B[i] * x[i] + c[i];
        }
        step = gs_anderson_step(&mixer, x, g);
    }
    CN_CHECK_BELOW(step, 1e-6);
    for (int i = 0; i < 4; i++) {
        CN_CHECK_NEAR(x[i], c[i] / (1.0 - B[i]), 1e-4);
    }
    cn_arena_destroy(arena);
}

// A drift that keeps its pace until walls stop it, a thousand and two thousand steps away: its
// differences are zero, and only leaps bring it there soon.
CN_TEST(anderson_leaps_along_a_steady_drift) {
    cn_arena *arena = cn_arena_create(NULL);
    const double pace[2] = {1e-3, -2e-3};
    const float weight[2] = {1.0F, 1.0F};
    double x[2] = {0.0}, g[2];
    gs_anderson mixer;
    assert_int_equal(gs_anderson_prepare(5, 2, false, weight, arena, &mixer), CN_OK);
    for (int k = 0; k < 20; k++) {
        g[0] = fmin(x[0] + pace[0], 1.0);
        g[1] = fmax(x[1] + pace[1], -4.0);
        gs_anderson_step(&mixer, x, g);
    }
    CN_CHECK_NEAR(g[0], 1.0, 1e-12);
    CN_CHECK_NEAR(g[1], -4.0, 1e-12);
    cn_arena_destroy(arena);
}

// Sweeps counted, with one more parameter set, accelerated or not.
static cn_solve_report solve_with(const cn_friction *p, const char *name, const char *value,
                                  const char *anderson, cn_arena *arena, double *r) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_solve_report report;
    double *u = BASE_TAKE(arena, double, (int64_t)p->dim * p->contacts);
    assert_int_equal(cn_solve_opts_set(&opts, &solver->info, "anderson", anderson, NULL), CN_OK);
    assert_int_equal(cn_solve_opts_set(&opts, &solver->info, name, value, NULL), CN_OK);
    assert_int_equal(cn_friction_solve(p, solver, &opts, arena, r, u, &report, NULL), CN_OK);
    return report;
}

// Every contact is coupled to every other: one block, of which each visit leaves a thousandth.
CN_TEST(inner_sweeps_solve_a_block) {
    cn_arena *arena = cn_arena_create(NULL);
    double r[90], one[90] = {0.0}, all[90] = {0.0};
    cn_friction p = planted(arena, 3, 30, 120, 0.3, 3, r);
    int32_t singly = solve_with(&p, "manifold", "0", "0", arena, one).iterations;
    cn_solve_report report = solve_with(&p, "manifold", "1000", "0", arena, all);
    assert_int_equal(report.outcome, CN_SOLVED);
    CN_CHECK_BELOW(report.iterations, 6);
    CN_CHECK_BELOW(report.iterations, singly / 4);
    for (int32_t i = 0; i < 90; i++) {
        CN_CHECK_NEAR(all[i], r[i], 1e-5);
    }
    cn_arena_destroy(arena);
}

// Steps that fall as Young's theory has it lead to his best factor.
CN_TEST(relaxation_finds_the_best_factor) {
    for (double mu = 0.8; mu < 0.995; mu += 0.05) {
        double best = 2.0 / (1.0 + sqrt(1.0 - mu * mu)), omega = 1.0, step = 1.0;
        gs_relaxation relaxation = gs_relaxation_start(omega);
        for (int32_t sweep = 0; sweep < 300; sweep++) {
            double root = omega * omega * mu * mu - 4.0 * (omega - 1.0);
            double half = 0.5 * (omega * mu + sqrt(fmax(root, 0.0)));
            step *= root > 0.0 ? half * half : omega - 1.0;
            omega = gs_relaxation_see(&relaxation, step, 1);
        }
        CN_CHECK_NEAR(omega, best, 0.03);
    }
}

// Whatever the steps do, omega stays in its range; steps that grow push it down.
CN_TEST(relaxation_is_safeguarded) {
    base_rng rng = base_rng_seed(2);
    gs_relaxation grows = gs_relaxation_start(1.9), random = gs_relaxation_start(1.0);
    double step = 1.0, omega = 1.9;
    for (int32_t sweep = 0; sweep < 1000; sweep++) {
        step *= 1.1;
        omega = gs_relaxation_see(&grows, step, 1);
        double any = gs_relaxation_see(&random, base_rng_uniform(&rng, 0.0, 1.0), 1 + sweep % 3);
        CN_CHECK_TRUE(any >= GS_RELAXATION_MIN && any <= GS_RELAXATION_MAX);
        CN_CHECK_TRUE(omega >= GS_RELAXATION_MIN && omega <= GS_RELAXATION_MAX);
    }
    CN_CHECK_BELOW(omega, 1.0);
    CN_CHECK_TRUE(gs_relaxation_see(&random, NAN, 1) <= GS_RELAXATION_MAX);
}

CN_TEST(adaptive_relaxation_needs_fewer_sweeps) {
    cn_arena *arena = cn_arena_create(NULL);
    double plain[90] = {0.0}, relaxed[90] = {0.0};
    cn_friction p = column(arena, 30);
    int32_t without = solve_with(&p, "adaptive", "false", "0", arena, plain).iterations;
    cn_solve_report report = solve_with(&p, "adaptive", "true", "0", arena, relaxed);
    assert_int_equal(report.outcome, CN_SOLVED);
    CN_CHECK_BELOW(report.iterations, without / 4);
    for (int32_t a = 0; a < 30; a++) {
        CN_CHECK_NEAR(relaxed[3 * a], 30 - a, 1e-4);
    }
    cn_arena_destroy(arena);
}

CN_TEST(enumeration_finds_planted_solutions) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        cn_arena *arena = cn_arena_create(NULL);
        double r[6], answer[6];
        int32_t tried;
        cn_friction p = planted(arena, 2, 3, 8, 0.3, seed, r);
        CN_CHECK_BELOW(pivot_enumerate_2d(&p, CN_MEASURE_SCALED, 1e-12, answer, &tried), 1e-12);
        CN_CHECK_BELOW(tried, 64);
        cn_arena_destroy(arena);
    }
}

CN_TEST(auto_enumerates_tiny_and_sweeps_the_rest) {
    cn_arena *arena = cn_arena_create(NULL);
    double r[24], answer[24] = {0.0};
    cn_friction tiny = planted(arena, 2, 2, 6, 0.3, 1, r);
    cn_solve_report report = solve(&tiny, "auto", 1e-12, 5, arena, answer);
    assert_int_equal(report.outcome, CN_SOLVED);
    assert_string_equal(report.detail, "by enumeration of the contact statuses");
    memset(answer, 0, sizeof answer);
    cn_friction larger = planted(arena, 2, 12, 30, 0.3, 1, r);
    report = solve(&larger, "auto", 1e-8, 5, arena, answer);
    assert_int_equal(report.outcome, CN_SOLVED);
    cn_arena_destroy(arena);
}
