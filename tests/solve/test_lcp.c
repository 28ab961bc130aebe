// The LCP solvers: hand-solved problems, planted ones, degenerate, unsolvable and ill-scaled ones.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "solve/drivers/lcp_rows.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

// A problem with what is needed to solve it.
typedef struct cn_bench {
    cn_arena *memory;
    cn_lcp p;
    double *z, *w;
    cn_solve_report report;
} cn_bench;

static cn_bench cn_bench_make(int32_t n, const double *M, const double *q) {
    cn_bench b = {.memory = cn_arena_create(NULL)};
    b.p.n = n;
    b.p.M = (cn_csr){n, n, BASE_TAKE_ZERO(b.memory, int64_t, n + 1),
                     BASE_TAKE(b.memory, int32_t, n * n), BASE_TAKE(b.memory, double, n *n)};
    int64_t k = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (M[n * i + j] != 0.0) {
                b.p.M.column[k] = j;
                b.p.M.value[k++] = M[n * i + j];
            }
        }
        b.p.M.start[i + 1] = k;
    }
    b.p.q = BASE_TAKE(b.memory, double, n);
    memcpy(b.p.q, q, (size_t)n * sizeof *q);
    b.z = BASE_TAKE_ZERO(b.memory, double, n);
    b.w = BASE_TAKE_ZERO(b.memory, double, n);
    return b;
}

static cn_outcome cn_bench_run(cn_bench *b, const cn_lcp_solver *solver, double tolerance) {
    cn_error error = {0};
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = tolerance;
    memset(b->z, 0, (size_t)b->p.n * sizeof *b->z);
    cn_status status =
        cn_lcp_solve(&b->p, solver, &opts, b->memory, b->z, b->w, &b->report, &error);
    if (status != CN_OK) {
        print_error("%s: %s\n", solver->info.name, error.message);
    }
    CN_CHECK_TRUE(status == CN_OK);
    return b->report.outcome;
}

static void cn_bench_end(cn_bench *b) {
    cn_arena_destroy(b->memory);
}

// Fails, with a name, when a solver does not solve.
static void cn_check_solved(cn_bench *b, const char *name, double tolerance) {
    cn_outcome outcome = cn_bench_run(b, cn_lcp_solver_find(name), tolerance);
    if (outcome != CN_SOLVED) {
        print_error("%s: n = %d: %s (%s), residual %g, %d iterations\n", name, (int)b->p.n,
                    cn_outcome_text(outcome), b->report.detail, b->report.grade.residual,
                    (int)b->report.iterations);
    }
    CN_CHECK_TRUE(outcome == CN_SOLVED);
}

static const cn_lcp_solver enumerate = {{.name = "enumerate", .max_iterations = 1},
                                        solve_lcp_enumerate};

// M = B B' of the given rank, plus a skew part, with a solution chosen first. degenerate: a third
// of the pairs have z = w = 0.
static cn_bench cn_planted(int32_t n, int32_t rank, double skew, bool degenerate, uint64_t seed) {
    base_rng rng = base_rng_seed(seed);
    cn_arena *memory = cn_arena_create(NULL);
    double *B = BASE_TAKE(memory, double, n *rank), *M = BASE_TAKE_ZERO(memory, double, n *n);
    double *z = BASE_TAKE(memory, double, n), *q = BASE_TAKE(memory, double, n);
    for (int32_t k = 0; k < n * rank; k++) {
        B[k] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            for (int32_t k = 0; k < rank; k++) {
                M[n * i + j] += B[rank * i + k] * B[rank * j + k] / rank;
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            double s = base_rng_uniform(&rng, -skew, skew);
            M[n * i + j] += s;
            M[n * j + i] -= s;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t kind = base_rng_below(&rng, degenerate ? 3 : 2);
        z[i] = kind == 0 ? base_rng_uniform(&rng, 0.1, 1.0) : 0.0;
        q[i] = kind == 1 ? base_rng_uniform(&rng, 0.1, 1.0) : 0.0;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            q[i] -= M[n * i + j] * z[j];
        }
    }
    cn_bench b = cn_bench_make(n, M, q);
    cn_arena_destroy(memory);
    return b;
}

// ---- hand-solved ----

CN_TEST(one_unknown_in_all_cases) {
    const double cases[][3] = {{2.0, -3.0, 1.5}, {2.0, 3.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    for (int32_t c = 0; c < 4; c++) {
        cn_bench b = cn_bench_make(1, &cases[c][0], &cases[c][1]);
        cn_check_solved(&b, "auto", 1e-12);
        CN_CHECK_NEAR(b.z[0], cases[c][2], 1e-15);
        cn_check_solved(&b, "lemke", 1e-12);
        CN_CHECK_NEAR(b.z[0], cases[c][2], 1e-15);
        cn_bench_end(&b);
    }
}

CN_TEST(two_unknowns_by_every_solver) {
    const double M[] = {2.0, 1.0, 1.0, 2.0}, q[] = {-5.0, -6.0};
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        cn_bench b = cn_bench_make(2, M, q);
        cn_check_solved(&b, cn_lcp_solver_at(s)->info.name, 1e-12);
        CN_CHECK_NEAR(b.z[0], 4.0 / 3.0, 1e-11);
        CN_CHECK_NEAR(b.z[1], 7.0 / 3.0, 1e-11);
        cn_bench_end(&b);
    }
}

// 4 e_1 pushes both: only the first carries, the second opens.
CN_TEST(an_open_pair_carries_nothing) {
    const double M[] = {2.0, 1.0, 1.0, 2.0}, q[] = {-4.0, -1.0};
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        cn_bench b = cn_bench_make(2, M, q);
        cn_check_solved(&b, cn_lcp_solver_at(s)->info.name, 1e-12);
        CN_CHECK_NEAR(b.z[0], 2.0, 1e-11);
        CN_CHECK_NEAR(b.z[1], 0.0, 1e-15);
        CN_CHECK_NEAR(b.w[1], 1.0, 1e-11);
        cn_bench_end(&b);
    }
}

CN_TEST(q_not_negative_needs_no_pivot) {
    const double M[] = {0.0, -1.0, 5.0, 0.0}, q[] = {0.0, 2.0};
    cn_bench b = cn_bench_make(2, M, q);
    cn_check_solved(&b, "lemke", 1e-12);
    CN_CHECK_TRUE(b.report.iterations == 0 && b.z[0] == 0.0 && b.z[1] == 0.0);
    cn_bench_end(&b);
}

CN_TEST(a_good_guess_is_kept) {
    cn_bench b = cn_planted(20, 20, 0.0, false, 5);
    cn_check_solved(&b, "lemke", 1e-12);
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        const cn_lcp_solver *solver = cn_lcp_solver_at(s);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        double z[20];
        memcpy(z, b.z, sizeof z);
        CN_CHECK_TRUE(cn_lcp_solve(&b.p, solver, &opts, b.memory, b.z, b.w, &b.report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(b.report.outcome == CN_SOLVED && b.report.iterations == 0);
        assert_memory_equal(z, b.z, sizeof z);
    }
    cn_bench_end(&b);
}

// ---- degenerate ----

// Every ratio is equal at every pivot; the solutions are all z >= 0 with sum 1.
CN_TEST(all_ties) {
    double M[144], q[12];
    for (int32_t i = 0; i < 144; i++) {
        M[i] = 1.0;
        q[i / 12] = -1.0;
    }
    cn_bench b = cn_bench_make(12, M, q);
    double sum = 0.0;
    cn_check_solved(&b, "lemke", 1e-12);
    for (int32_t i = 0; i < 12; i++) {
        sum += b.z[i];
    }
    CN_CHECK_NEAR(sum, 1.0, 1e-14);
    cn_bench_end(&b);
}

// Beale's linear program, on which the simplex method cycles, as its optimality conditions.
CN_TEST(beale_cycling_example) {
    const double A[3][4] = {
        {-0.25, 60.0, 0.04, -9.0}, {-0.5, 90.0, 0.02, -3.0}, {0.0, 0.0, -1.0, 0.0}};
    const double cost[] = {-0.75, 150.0, -0.02, 6.0}, right[] = {0.0, 0.0, 1.0};
    double M[49] = {0}, q[7];
    for (int32_t j = 0; j < 4; j++) {
        q[j] = cost[j];
        for (int32_t i = 0; i < 3; i++) {
            M[7 * (4 + i) + j] = A[i][j];
            M[7 * j + 4 + i] = -A[i][j];
        }
    }
    memcpy(q + 4, right, sizeof right);
    cn_bench b = cn_bench_make(7, M, q);
    cn_check_solved(&b, "lemke", 1e-12);
    double value = 0.0;
    for (int32_t j = 0; j < 4; j++) {
        value += cost[j] * b.z[j];
    }
    CN_CHECK_NEAR(value, -0.05, 1e-13);
    cn_bench_end(&b);
}

// Kostreva's example, on which principal pivoting cycles.
CN_TEST(kostreva_cycling_example) {
    const double M[] = {1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0}, q[] = {-1.0, -1.0, -1.0};
    cn_bench b = cn_bench_make(3, M, q);
    cn_check_solved(&b, "lemke", 1e-12);
    for (int32_t i = 0; i < 3; i++) {
        CN_CHECK_NEAR(b.z[i], 1.0 / 3.0, 1e-14);
    }
    cn_bench_end(&b);
}

// Murty's problems, on which complementary pivoting may need exponentially many pivots: M lower
// triangular with ones on and twos below the diagonal.
CN_TEST(murty_exponential_examples) {
    for (int32_t n = 2; n <= 12; n++) {
        double M[144] = {0}, q[12];
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j <= i; j++) {
                M[n * i + j] = i == j ? 1.0 : 2.0;
            }
        }
        for (int32_t kind = 0; kind < 2; kind++) {
            double sum = 0.0;
            for (int32_t i = 0; i < n; i++) {
                sum += ldexp(1.0, n - i);
                q[i] = kind == 0 ? -1.0 : -sum;
            }
            cn_bench b = cn_bench_make(n, M, q);
            cn_check_solved(&b, "lemke", 1e-12);
            CN_CHECK_NEAR(b.z[0], -q[0], 1e-12 * -q[0]);
            for (int32_t i = 1; i < n; i++) {
                CN_CHECK_NEAR(b.z[i], 0.0, 0.0);
            }
            cn_bench_end(&b);
        }
    }
}

// ---- planted ----

CN_TEST(planted_problems_by_lemke) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        int32_t n = 5 + (int32_t)(seed % 8) * 8,
                rank = seed % 3 == 0 ? n : n * (int32_t)(seed % 3) / 3;
        cn_bench b =
            cn_planted(n, rank > 0 ? rank : 1, seed % 4 == 0 ? 0.2 : 0.0, seed % 2 == 0, seed);
        cn_check_solved(&b, "lemke", 1e-12);
        cn_check_solved(&b, "auto", 1e-12);
        cn_bench_end(&b);
    }
}

CN_TEST(planted_symmetric_problems_by_sweeps) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        cn_bench b = cn_planted(30, seed % 2 == 0 ? 60 : 20, 0.0, false, seed);
        cn_check_solved(&b, "nsgs", 1e-8);
        cn_check_solved(&b, "psor", 1e-8);
        cn_bench_end(&b);
    }
}

// Large enough for "auto" to sweep first.
CN_TEST(large_problem_by_auto) {
    cn_bench b = cn_planted(180, 200, 0.0, false, 3);
    cn_check_solved(&b, "auto", 1e-10);
    cn_bench_end(&b);
}

// A skew matrix has a zero diagonal, which the sweeps refuse and Lemke does not mind.
CN_TEST(large_problem_with_a_zero_diagonal_by_auto) {
    cn_bench b = cn_planted(160, 0, 1.0, false, 4);
    cn_check_solved(&b, "auto", 1e-10);
    cn_bench_end(&b);
}

// ---- what has no solution, or no easy one ----

CN_TEST(infeasible_problems_are_proved_so) {
    const double M[][4] = {{-1.0, 0.0, 0.0, -1.0}, // w = q - z < 0
                           {0.0, 0.0, 0.0, 1.0},   // semi-definite, w_1 = -1
                           {1.0, -1.0, -1.0, 1.0}, // semi-definite, w_1 + w_2 = -2
                           {0.0, 1.0, -1.0, 0.0}}; // skew, w_2 = -z_1 - 1
    for (int32_t c = 0; c < 4; c++) {
        const double q[] = {-1.0, -1.0};
        cn_bench b = cn_bench_make(2, M[c], q);
        CN_CHECK_TRUE(cn_bench_run(&b, cn_lcp_solver_find("lemke"), 1e-8) == CN_INFEASIBLE);
        CN_CHECK_TRUE(cn_bench_run(&b, cn_lcp_solver_find("auto"), 1e-8) == CN_INFEASIBLE);
        cn_bench_end(&b);
    }
}

// z_2 >= 1 is feasible, but w_2 = 1 forbids z_2 > 0: no solution, and no ray can prove it.
CN_TEST(a_ray_without_proof_is_not_called_infeasible) {
    const double M[] = {0.0, 1.0, 0.0, 0.0}, q[] = {-1.0, 1.0};
    cn_bench b = cn_bench_make(2, M, q);
    CN_CHECK_TRUE(cn_bench_run(&b, cn_lcp_solver_find("lemke"), 1e-8) == CN_STALLED);
    CN_CHECK_TRUE(cn_bench_run(&b, cn_lcp_solver_find("auto"), 1e-8) == CN_INFEASIBLE);
    cn_bench_end(&b);
}

// No claim of Lemke may contradict the enumeration, whatever the matrix.
CN_TEST(lemke_never_contradicts_the_enumeration) {
    base_rng rng = base_rng_seed(11);
    int32_t missed = 0, solvable = 0;
    for (int32_t t = 0; t < 300; t++) {
        int32_t n = 2 + t % 5;
        double M[36], q[6];
        for (int32_t k = 0; k < n * n; k++) {
            M[k] = t % 2 == 0 ? base_rng_below(&rng, 4) - 1 : base_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int32_t i = 0; i < n; i++) {
            q[i] = t % 2 == 0 ? base_rng_below(&rng, 4) - 2 : base_rng_uniform(&rng, -1.0, 1.0);
        }
        cn_bench b = cn_bench_make(n, M, q);
        cn_outcome lemke = cn_bench_run(&b, cn_lcp_solver_find("lemke"), 1e-9);
        cn_outcome truth = cn_bench_run(&b, &enumerate, 1e-9);
        CN_CHECK_TRUE(truth == CN_SOLVED || truth == CN_INFEASIBLE);
        CN_CHECK_TRUE(lemke == truth || lemke == CN_STALLED);
        solvable += truth == CN_SOLVED;
        missed += truth == CN_SOLVED && lemke == CN_STALLED;
        cn_bench_end(&b);
    }
    CN_CHECK_TRUE(solvable > 100);
    CN_CHECK_BELOW(missed, 0.05 * solvable); // arbitrary matrices: no method is sure
}

// Equilibria of bimatrix games: from z = 0 every path of Lemke ends on a ray at once.
CN_TEST(bimatrix_games_by_lemke) {
    base_rng rng = base_rng_seed(12);
    for (int32_t t = 0; t < 30; t++) {
        int32_t half = 2 + t % 4, n = 2 * half;
        double M[100] = {0}, q[10];
        for (int32_t i = 0; i < half; i++) {
            for (int32_t j = half; j < n; j++) {
                M[n * i + j] = base_rng_uniform(&rng, 1.0, 20.0);
                M[n * j + i] = base_rng_uniform(&rng, 1.0, 20.0);
            }
        }
        for (int32_t i = 0; i < n; i++) {
            q[i] = -1.0;
        }
        cn_bench b = cn_bench_make(n, M, q);
        cn_check_solved(&b, "lemke", 1e-12);
        cn_bench_end(&b);
    }
}

// Problems of all kinds: semi-definite and degenerate ones, small integers with many ties, matrices
// that are not semi-definite, without a solution. qp must end as lemke does.
CN_TEST(qp_ends_what_lemke_ends) {
    int32_t solved = 0, proved = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int32_t n = seed % 4 == 3 ? 5 : 12;
        cn_bench b;
        if (seed % 4 < 2) {
            b = cn_planted(n, seed % 4 == 0 ? n / 2 : n, seed % 3 == 0 ? 1.0 : 0.0, true, seed);
        } else {
            base_rng rng = base_rng_seed(seed);
            double M[144], q[12];
            for (int32_t i = 0; i < n * n; i++) {
                M[i] = seed % 4 == 3 ? base_rng_below(&rng, 5) - 1.0
                                     : base_rng_uniform(&rng, -0.3, 1.0);
            }
            for (int32_t i = 0; i < n; i++) {
                q[i] = seed % 4 == 3 ? base_rng_below(&rng, 3) - 1.0
                                     : base_rng_uniform(&rng, -1.0, 1.0);
            }
            for (int32_t j = 0; seed % 12 == 11 && j < n; j++) {
                M[j] = 0.0; // w_0 = -1 whatever z
                q[0] = -1.0;
            }
            b = cn_bench_make(n, M, q);
        }
        cn_outcome lemke = cn_bench_run(&b, cn_lcp_solver_find("lemke"), 1e-9);
        cn_outcome qp = cn_bench_run(&b, cn_lcp_solver_find("qp"), 1e-9);
        if (lemke == CN_SOLVED || lemke == CN_INFEASIBLE) {
            if (qp != lemke) {
                print_error("seed %d: lemke %s, qp %s (%s)\n", (int)seed, cn_outcome_text(lemke),
                            cn_outcome_text(qp), b.report.detail);
            }
            CN_CHECK_TRUE(qp == lemke);
        }
        solved += qp == CN_SOLVED;
        proved += qp == CN_INFEASIBLE;
        cn_bench_end(&b);
    }
    CN_CHECK_TRUE(solved >= 50 && proved >= 1);
}

CN_TEST(sweeps_refuse_a_diagonal_that_is_not_positive) {
    const double M[][4] = {{0.0, 1.0, 1.0, 1.0}, {-1.0, 0.0, 0.0, 1.0}}, q[] = {-1.0, -1.0};
    const char *const names[] = {"psor", "nsgs"};
    for (int32_t k = 0; k < 4; k++) {
        cn_bench b = cn_bench_make(2, M[k / 2], q);
        CN_CHECK_TRUE(cn_bench_run(&b, cn_lcp_solver_find(names[k % 2]), 1e-8) == CN_UNSUPPORTED);
        CN_CHECK_TRUE(strstr(b.report.detail, "diagonal") != NULL);
        CN_CHECK_TRUE(b.z[0] == 0.0 && b.z[1] == 0.0);
        cn_bench_end(&b);
    }
}

// ---- invariances ----

// With M definite the solution is unique, so renumbering must only renumber it.
CN_TEST(renumbering_renumbers_the_answer) {
    enum { N = 24 };
    cn_bench b = cn_planted(N, 2 * N, 0.2, false, 6);
    base_rng rng = base_rng_seed(7);
    int32_t to[N];
    double M[N * N] = {0}, q[N];
    for (int32_t i = 0; i < N; i++) {
        int32_t j = base_rng_below(&rng, i + 1);
        to[i] = j < i ? to[j] : i;
        to[j] = i;
    }
    for (int32_t i = 0; i < N; i++) {
        q[to[i]] = b.p.q[i];
        for (int64_t k = b.p.M.start[i]; k < b.p.M.start[i + 1]; k++) {
            M[N * to[i] + to[b.p.M.column[k]]] = b.p.M.value[k];
        }
    }
    cn_bench c = cn_bench_make(N, M, q);
    cn_check_solved(&b, "lemke", 1e-12);
    cn_check_solved(&c, "lemke", 1e-12);
    for (int32_t i = 0; i < N; i++) {
        CN_CHECK_NEAR(c.z[to[i]], b.z[i], 1e-12);
    }
    cn_bench_end(&b);
    cn_bench_end(&c);
}

// M' = D M D, q' = D q has the solution z' = D^-1 z, for D over sixteen decades. Each row of the
// residual is judged against its own q, since the norm would see the largest only.
CN_TEST(scaling_scales_the_answer) {
    enum { N = 24 };
    cn_bench b = cn_planted(N, 2 * N, 0.2, false, 8);
    double M[N * N] = {0}, q[N], D[N];
    for (int32_t i = 0; i < N; i++) {
        D[i] = pow(10.0, (i * 7) % 17 - 8);
    }
    for (int32_t i = 0; i < N; i++) {
        q[i] = D[i] * b.p.q[i];
        for (int64_t k = b.p.M.start[i]; k < b.p.M.start[i + 1]; k++) {
            M[N * i + b.p.M.column[k]] = D[i] * b.p.M.value[k] * D[b.p.M.column[k]];
        }
    }
    cn_bench c = cn_bench_make(N, M, q);
    cn_check_solved(&b, "lemke", 1e-12);
    cn_check_solved(&c, "lemke", 1e-12);
    for (int32_t i = 0; i < N; i++) {
        CN_CHECK_NEAR(D[i] * c.z[i], b.z[i], 1e-12);
    }
    cn_bench_end(&b);
    cn_bench_end(&c);
}

// The same numbers from the same problem, bit for bit.
CN_TEST(answers_are_reproducible) {
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        cn_bench b = cn_planted(20, 25, 0.0, true, 9), c = cn_planted(20, 25, 0.0, true, 9);
        cn_bench_run(&b, cn_lcp_solver_at(s), 1e-10);
        cn_bench_run(&c, cn_lcp_solver_at(s), 1e-10);
        assert_memory_equal(b.z, c.z, 20 * sizeof *b.z);
        cn_bench_end(&b);
        cn_bench_end(&c);
    }
}

// ---- limits ----

CN_TEST(iteration_limit_is_an_outcome) {
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        const cn_lcp_solver *solver = cn_lcp_solver_at(s);
        cn_bench b = cn_planted(40, 30, 0.0, false, 10);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.max_iterations = 1; // two are enough for some
        CN_CHECK_TRUE(cn_lcp_solve(&b.p, solver, &opts, b.memory, b.z, b.w, &b.report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(b.report.outcome == CN_LIMIT && b.report.iterations == 1);
        cn_bench_end(&b);
    }
}

CN_TEST(time_limit_is_an_outcome) {
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        const cn_lcp_solver *solver = cn_lcp_solver_at(s);
        cn_bench b = cn_planted(40, 30, 0.0, false, 10);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.time_limit = 1e-12;
        CN_CHECK_TRUE(cn_lcp_solve(&b.p, solver, &opts, b.memory, b.z, b.w, &b.report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(b.report.outcome == CN_TIME);
        cn_bench_end(&b);
    }
}

static bool cn_say_no(void *user, const cn_progress *progress) {
    (void)user;
    return progress->done < 1;
}

CN_TEST(progress_can_cancel) {
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        const cn_lcp_solver *solver = cn_lcp_solver_at(s);
        cn_bench b = cn_planted(40, 30, 0.0, false, 10);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.progress = cn_say_no;
        CN_CHECK_TRUE(cn_lcp_solve(&b.p, solver, &opts, b.memory, b.z, b.w, &b.report, NULL) ==
                      CN_ERR_CANCELLED);
        CN_CHECK_TRUE(b.report.iterations == 1);
        cn_bench_end(&b);
    }
}

CN_TEST(lemke_refuses_what_is_too_large_for_it) {
    const cn_lcp_solver *solver = cn_lcp_solver_find("lemke");
    cn_bench b = cn_planted(40, 30, 0.0, false, 10);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    CN_CHECK_TRUE(cn_solve_opts_set(&opts, &solver->info, "max_size", "39", NULL) == CN_OK);
    CN_CHECK_TRUE(cn_lcp_solve(&b.p, solver, &opts, b.memory, b.z, b.w, &b.report, NULL) == CN_OK);
    CN_CHECK_TRUE(b.report.outcome == CN_UNSUPPORTED);
    cn_bench_end(&b);
}

// An allocator that refuses after so many calls.
static void *cn_failing_resize(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
    int32_t *left = user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(ptr);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(ptr, new_bytes) : NULL;
}

CN_TEST(no_memory_is_reported) {
    for (int32_t s = 0; s < cn_lcp_solver_count(); s++) {
        cn_status status = CN_ERR_MEMORY;
        for (int32_t k = 1; status == CN_ERR_MEMORY; k++) {
            const cn_lcp_solver *solver = cn_lcp_solver_at(s);
            cn_bench b = cn_planted(60, 70, 0.0, false, 10);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            int32_t left = k;
            cn_env env = {.allocator = {.resize = cn_failing_resize, .user = &left}};
            cn_arena *scratch = cn_arena_create(&env);
            status = cn_lcp_solve(&b.p, solver, &opts, scratch, b.z, b.w, &b.report, NULL);
            CN_CHECK_TRUE(status == CN_ERR_MEMORY || b.report.outcome == CN_SOLVED);
            cn_arena_destroy(scratch);
            cn_bench_end(&b);
        }
    }
}

// ---- real problems ----

CN_TEST(corpus_by_lemke_and_auto) {
    static const char *const names[] = {"CPS_1",  "CPS_2",     "CPS_3", "Pang_isolated_sol",
                                        "deudeu", "exp_murty", "mmc",   "deudeu_block",
                                        "ortiz",  "trivial"};
    const char *corpus = getenv("CAIRN_CORPUS");
    if (!corpus) {
        CN_SKIP("CAIRN_CORPUS is not set");
    }
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        char path[1024];
        cn_problem *problem = NULL;
        snprintf(path, sizeof path, "%s/lcp/lcp_%s.dat", corpus, names[f]);
        CN_CHECK_TRUE(cn_problem_read(NULL, path, &problem, NULL) == CN_OK);
        cn_bench b = {.memory = cn_arena_create(NULL), .p = problem->lcp};
        b.z = BASE_TAKE(b.memory, double, b.p.n);
        b.w = BASE_TAKE(b.memory, double, b.p.n);
        print_message("%s\n", names[f]);
        cn_check_solved(&b, "lemke", 1e-12);
        cn_check_solved(&b, "auto", 1e-12);
        cn_bench_end(&b);
        cn_problem_destroy(problem);
    }
}
