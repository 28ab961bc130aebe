// Planted problems: the solution solves them, the rank and the shares are as asked, the seed
// decides.
#include "check.h"

#include <cairn/problem.h>

#include "base/arena.h"
#include "sparse/csr.h"

#include "failing_allocator.h"

#include <lapacke.h>
#include <string.h>

static cn_planted_opts options(int32_t dim, int32_t contacts, double deficiency, uint64_t seed) {
    cn_planted_opts opts = cn_planted_opts_default();
    opts.dim = dim;
    opts.contacts = contacts;
    opts.deficiency = deficiency;
    opts.seed = seed;
    return opts;
}

static cn_problem *plant(const cn_planted_opts *opts) {
    cn_problem *problem;
    cn_error error;
    if (cn_planted_friction(NULL, opts, &problem, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    assert_int_equal(cn_problem_validate(problem, &error), CN_OK);
    return problem;
}

static cn_problem *plant_lcp(const cn_planted_opts *opts) {
    cn_problem *problem;
    cn_error error;
    assert_int_equal(cn_planted_lcp(NULL, opts, &problem, &error), CN_OK);
    assert_int_equal(cn_problem_validate(problem, &error), CN_OK);
    return problem;
}

// Singular values above 1e-10 of the largest; the matrix (n x n) is spoilt.
static int32_t measure_rank(int32_t n, double *dense, cn_arena *arena) {
    double *value = BASE_TAKE(arena, double, n), none;
    assert_int_equal(
        LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', n, n, dense, n, value, &none, 1, &none, 1), 0);
    int32_t rank = 0;
    for (int32_t i = 0; i < n; i++) {
        rank += value[i] > 1e-10 * value[0];
    }
    return rank;
}

static void to_dense(const cn_csr *a, double *dense) {
    memset(dense, 0, sizeof *dense * (size_t)a->rows * (size_t)a->cols);
    for (int32_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            dense[(int64_t)a->cols * i + a->column[k]] = a->value[k];
        }
    }
}

CN_TEST(the_planted_solution_solves_both_forms) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int tenths = 0; tenths <= 9; tenths++) {
            cn_planted_opts opts = options(dim, 60, 0.1 * tenths, 5);
            opts.friction = tenths % 2 ? -1.0 : 0.3;
            cn_problem *problem = plant(&opts);
            cn_arena *arena = cn_arena_create(NULL);
            cn_friction assembled, body;
            const cn_friction *forms[] = {&assembled, &body};
            assert_int_equal(cn_friction_condense(&problem->global, arena, &assembled, NULL),
                             CN_OK);
            assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &body, NULL),
                             CN_OK);
            for (int k = 0; k < 2; k++) {
                cn_grade grade;
                assert_int_equal(cn_friction_grade(forms[k], problem->r, problem->u, arena, &grade),
                                 CN_OK);
                CN_CHECK_BELOW(grade.residual, 1e-13);
                CN_CHECK_BELOW(grade.residual_q, 1e-13);
                CN_CHECK_BELOW(grade.residual_max, 1e-13);
                CN_CHECK_BELOW(grade.velocity_mismatch, 1e-13);
                CN_CHECK_BELOW(grade.cone_violation, 1e-15);
            }
            cn_arena_destroy(arena);
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(the_planted_velocity_is_that_of_the_impulses) {
    cn_planted_opts opts = options(3, 50, 0.4, 2);
    cn_problem *problem = plant(&opts);
    cn_arena *arena = cn_arena_create(NULL);
    double *v = BASE_TAKE(arena, double, problem->global.dofs);
    assert_int_equal(cn_friction_global_velocity(&problem->global, arena, problem->r, v, NULL),
                     CN_OK);
    for (int32_t i = 0; i < problem->global.dofs; i++) {
        CN_CHECK_NEAR(v[i], problem->v[i], 1e-12);
    }
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}

CN_TEST(the_rank_is_as_asked) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int tenths = 0; tenths <= 7; tenths++) {
            cn_planted_opts opts = options(dim, 40, 0.1 * tenths, (uint64_t)tenths + 1);
            cn_problem *problem = plant(&opts);
            cn_arena *arena = cn_arena_create(NULL);
            cn_friction p;
            int32_t m = dim * opts.contacts;
            double *dense = BASE_TAKE_ZERO(arena, double, (int64_t)m *m);
            assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
            for (int32_t j = 0; j < m; j++) {
                double *unit = BASE_TAKE_ZERO(arena, double, m);
                unit[j] = 1.0;
                cn_friction_velocity(&p, unit, NULL, dense + (int64_t)m * j);
                for (int32_t i = 0; i < m; i++) {
                    dense[(int64_t)m * j + i] -= p.q[i];
                }
            }
            double share = measure_rank(m, dense, arena) / (double)m;
            CN_CHECK_NEAR(share, 1.0 - opts.deficiency, 1.5 / m + 1e-12); // to the nearest number
            cn_arena_destroy(arena);
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(the_shares_are_as_asked) {
    cn_planted_opts opts = options(3, 200, 0.3, 4);
    opts.open = 0.25;
    opts.slide = 0.4;
    cn_problem *problem = plant(&opts);
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p;
    cn_grade grade;
    assert_int_equal(cn_friction_reduce(&problem->global, arena, &p, NULL), CN_OK);
    assert_int_equal(cn_friction_grade(&p, problem->r, NULL, arena, &grade), CN_OK);
    assert_int_equal(grade.open, 50);
    assert_int_equal(grade.slide, 80);
    assert_int_equal(grade.stick, 70);
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}

CN_TEST(friction_is_fixed_or_spread) {
    cn_planted_opts opts = options(2, 100, 0.0, 4);
    opts.friction = 0.7;
    cn_problem *fixed = plant(&opts);
    opts.friction = -1.0;
    cn_problem *spread = plant(&opts);
    double low = 1.0, high = 0.0;
    for (int32_t a = 0; a < 100; a++) {
        CN_CHECK_NEAR(fixed->global.mu[a], 0.7, 0);
        low = fmin(low, spread->global.mu[a]);
        high = fmax(high, spread->global.mu[a]);
    }
    CN_CHECK_TRUE(low >= 0.0 && low < 0.1 && high > 0.9 && high < 1.0);
    cn_problem_destroy(fixed);
    cn_problem_destroy(spread);
}

CN_TEST(all_contacts_hang_together) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int s = 0; s < 3; s++) {
            cn_planted_opts opts = options(dim, 90, 0.3 * s, 8);
            cn_problem *problem = plant(&opts);
            cn_arena *arena = cn_arena_create(NULL);
            cn_friction p;
            assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
            const cn_bsr *W = &p.W.assembled;
            bool *reached = BASE_TAKE_ZERO(arena, bool, 90);
            int32_t queue[90], count = 1;
            queue[0] = 0;
            reached[0] = true;
            for (int32_t head = 0; head < count; head++) {
                for (int64_t k = W->start[queue[head]]; k < W->start[queue[head] + 1]; k++) {
                    if (!reached[W->column[k]]) {
                        reached[W->column[k]] = true;
                        queue[count++] = W->column[k];
                    }
                }
            }
            assert_int_equal(count, 90);
            CN_CHECK_TRUE(W->start[90] < 90 * 90 / 2); // and it is sparse
            cn_arena_destroy(arena);
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(bodies_can_be_given) {
    cn_planted_opts opts = options(3, 120, 0.5, 3);
    opts.bodies = 40; // more than the 30 that the rank asks for
    cn_problem *problem = plant(&opts);
    assert_int_equal(problem->global.dofs, 240);
    cn_problem_destroy(problem);
    cn_error error;
    opts.bodies = 10;
    assert_int_equal(cn_planted_friction(NULL, &opts, &problem, &error), CN_ERR_ARGUMENT);
    assert_null(problem);
    CN_CHECK_TRUE(strstr(error.message, "10 bodies with 120 contacts") && error.hint[0]);
    opts.bodies = 121;
    assert_int_equal(cn_planted_friction(NULL, &opts, &problem, &error), CN_ERR_ARGUMENT);
    opts.bodies = 119; // one point each and one with two: nearly full rank
    assert_int_equal(cn_planted_friction(NULL, &opts, &problem, &error), CN_ERR_ARGUMENT);
}

CN_TEST(wrong_options_are_refused) {
    const cn_planted_opts good = options(3, 10, 0.1, 1);
    cn_planted_opts bad[8] = {good, good, good, good, good, good, good, good};
    bad[0].dim = 4;
    bad[1].contacts = -1;
    bad[2].deficiency = 0.95;
    bad[3].deficiency = (double)NAN;
    bad[4].open = 0.8; // with slide 0.3
    bad[5].slide = -0.1;
    bad[6].friction = (double)NAN;
    bad[7].skew = (double)INFINITY;
    for (int i = 0; i < 8; i++) {
        cn_problem *problem;
        cn_error error = {.status = CN_OK};
        assert_int_equal(cn_planted_friction(NULL, &bad[i], &problem, &error), CN_ERR_ARGUMENT);
        assert_null(problem);
        CN_CHECK_TRUE(error.message[0]);
        assert_int_equal(cn_planted_lcp(NULL, &bad[i], &problem, NULL), CN_ERR_ARGUMENT);
    }
}

CN_TEST(the_smallest_ones_exist) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int32_t contacts = 0; contacts <= 4; contacts++) {
            for (int s = 0; s < 3; s++) {
                cn_planted_opts opts = options(dim, contacts, 0.4 * s, 1);
                cn_problem *problem = plant(&opts);
                assert_int_equal(problem->global.contacts, contacts);
                cn_problem_destroy(problem);
            }
        }
    }
}

// FNV-1a over the bytes of numbers.
static uint64_t hash_numbers(uint64_t hash, const double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        double value = x[i] + 0.0; // -0 becomes 0
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (int byte = 0; byte < 8; byte++) {
            hash = (hash ^ ((bits >> (8 * byte)) & 255u)) * 0x100000001B3u;
        }
    }
    return hash;
}

static uint64_t hash_problem(const cn_problem *problem) {
    const cn_friction_global *g = &problem->global;
    int64_t m = (int64_t)g->dim * g->contacts;
    uint64_t hash = 0xCBF29CE484222325u;
    hash = hash_numbers(hash, g->M.value, g->M.start[g->dofs]);
    hash = hash_numbers(hash, g->H.value, g->H.start[g->dofs]);
    hash = hash_numbers(hash, g->f, g->dofs);
    hash = hash_numbers(hash, g->w, m);
    hash = hash_numbers(hash, g->mu, g->contacts);
    return hash_numbers(hash, problem->r, m);
}

CN_TEST(the_seed_decides_every_bit) {
    cn_planted_opts opts = options(3, 70, 0.35, 42);
    opts.friction = -1.0;
    cn_problem *one = plant(&opts), *same = plant(&opts);
    opts.seed = 43;
    cn_problem *other = plant(&opts);
    CN_CHECK_TRUE(hash_problem(one) == hash_problem(same));
    CN_CHECK_TRUE(hash_problem(one) != hash_problem(other));
    // The same on every machine, compiler and optimisation: only + - * / sqrt are used.
    CN_CHECK_TRUE(hash_problem(one) == 0x42320D2D4E32C3E1u);
    cn_problem_destroy(one);
    cn_problem_destroy(same);
    cn_problem_destroy(other);
}

CN_TEST(lcp_solution_rank_and_shares_are_as_asked) {
    for (int tenths = 0; tenths <= 9; tenths += 3) {
        for (int s = 0; s < 2; s++) {
            cn_planted_opts opts = options(3, 80, 0.1 * tenths, 6);
            opts.skew = s * 0.7;
            opts.open = 0.35;
            cn_problem *problem = plant_lcp(&opts);
            cn_arena *arena = cn_arena_create(NULL);
            cn_grade grade;
            assert_int_equal(cn_lcp_grade(&problem->lcp, problem->r, arena, &grade), CN_OK);
            CN_CHECK_BELOW(grade.residual, 1e-14);
            assert_int_equal(grade.open, 28);
            for (int32_t i = 0; i < 80; i++) { // strictly complementary
                CN_CHECK_TRUE(problem->r[i] * problem->u[i] == 0.0);
                CN_CHECK_TRUE(problem->r[i] + problem->u[i] >= 0.1);
            }
            double dense[80 * 80], skew = 0.0;
            to_dense(&problem->lcp.M, dense);
            for (int32_t i = 0; i < 80; i++) {
                for (int32_t j = 0; j < 80; j++) {
                    skew = fmax(skew, fabs(dense[80 * i + j] - dense[80 * j + i]));
                }
            }
            CN_CHECK_TRUE(s ? skew > 0.1 : skew == 0.0);
            CN_CHECK_NEAR(measure_rank(80, dense, arena), 80 * (1.0 - opts.deficiency), 0.5);
            cn_arena_destroy(arena);
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(lcp_matrix_is_semi_definite) {
    cn_planted_opts opts = options(3, 40, 0.5, 9);
    opts.skew = 1.0;
    cn_problem *problem = plant_lcp(&opts);
    double dense[40 * 40], value[40];
    to_dense(&problem->lcp.M, dense);
    for (int32_t i = 0; i < 40; i++) {
        for (int32_t j = 0; j < i; j++) {
            dense[40 * i + j] = dense[40 * j + i] = 0.5 * (dense[40 * i + j] + dense[40 * j + i]);
        }
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', 40, dense, 40, value), 0);
    CN_CHECK_BELOW(-value[0], 1e-13 * value[39]);
    cn_problem_destroy(problem);
}

CN_TEST(lcp_smallest_and_seed) {
    cn_planted_opts opts = options(3, 0, 0.0, 1);
    cn_problem_destroy(plant_lcp(&opts));
    opts.contacts = 1;
    opts.deficiency = 0.9;
    cn_problem_destroy(plant_lcp(&opts));
    opts.contacts = 30;
    cn_problem *one = plant_lcp(&opts), *same = plant_lcp(&opts);
    uint64_t hash = hash_numbers(1, one->lcp.M.value, one->lcp.M.start[30]);
    CN_CHECK_TRUE(hash == hash_numbers(1, same->lcp.M.value, same->lcp.M.start[30]));
    opts.seed = 2;
    cn_problem *other = plant_lcp(&opts);
    CN_CHECK_TRUE(hash != hash_numbers(1, other->lcp.M.value, other->lcp.M.start[30]));
    cn_problem_destroy(one);
    cn_problem_destroy(same);
    cn_problem_destroy(other);
}

typedef cn_status plant_fn(const cn_env *env, const cn_planted_opts *opts, cn_problem **out,
                           cn_error *error);

// Several sizes, since the arena asks for memory in large pieces.
CN_TEST(a_failing_allocation_leaves_nothing_behind) {
    plant_fn *const make[] = {cn_planted_friction, cn_planted_lcp};
    const int32_t size[] = {3, 100, 300, 500, 1000, 1700, 3000};
    for (int s = 0; s < 14; s++) {
        cn_planted_opts opts = options(2 + s % 2, size[s / 2], 0.2, 1);
        cn_failing memory = {.failed = true};
        for (int64_t k = 1; memory.failed; k++) {
            cn_env env = cn_failing_env(&memory, k);
            cn_problem *problem;
            cn_error error;
            cn_status status = make[s % 2](&env, &opts, &problem, &error);
            assert_int_equal(status, memory.failed ? CN_ERR_MEMORY : CN_OK);
            CN_CHECK_TRUE((problem != NULL) == (status == CN_OK));
            CN_CHECK_TRUE(status == CN_OK || error.status == CN_ERR_MEMORY);
            cn_problem_destroy(problem);
            assert_int_equal(memory.live, 0);
        }
    }
}
