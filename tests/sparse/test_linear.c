// The linear backends: they agree on random systems, and say so when a matrix is not for them.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "sparse/csr.h"
#include "sparse/linear.h"

#include "failing_allocator.h"

#include <string.h>

// A random symmetric positive definite matrix: strictly diagonally dominant, about `links`
// off-diagonal pairs a row, then rows and columns scaled by up to 10^+-spread.
static cn_csr make_definite(cn_arena *arena, int32_t n, int32_t links, double spread,
                            uint64_t seed) {
    base_rng rng = base_rng_seed(seed);
    int64_t pairs = (int64_t)n * links;
    int32_t *row = BASE_TAKE(arena, int32_t, 4 * pairs + n);
    int32_t *column = BASE_TAKE(arena, int32_t, 4 * pairs + n);
    double *value = BASE_TAKE(arena, double, 4 * pairs + n);
    double *scale = BASE_TAKE(arena, double, n);
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        scale[i] = pow(10.0, base_rng_uniform(&rng, -spread, spread));
        row[count] = column[count] = i;
        value[count++] = 0.1;
    }
    for (int64_t k = 0; k < pairs; k++) {
        int32_t i = base_rng_below(&rng, n), j = base_rng_below(&rng, n);
        double entry = base_rng_uniform(&rng, -1.0, 1.0);
        const int32_t at[4][2] = {{i, j}, {j, i}, {i, i}, {j, j}};
        const double add[4] = {entry, entry, fabs(entry), fabs(entry)};
        for (int s = 0; i != j && s < 4; s++) {
            row[count] = at[s][0];
            column[count] = at[s][1];
            value[count++] = add[s];
        }
    }
    for (int64_t k = 0; k < count; k++) {
        value[k] *= scale[row[k]] * scale[column[k]];
    }
    cn_csr a;
    assert_int_equal(sparse_csr_from_triplets(arena, n, n, count, row, column, value, &a), CN_OK);
    return a;
}

// Backward error of a solve: largest |A x - b|_i / sqrt(A_ii) over the largest (|A| |x|)_i /
// sqrt(A_ii). (Row by row it would only be small for well scaled x.)
static double solve_error(const sparse_linear_backend *backend, const cn_csr *a, int32_t columns) {
    int32_t n = a->rows;
    cn_arena *arena = cn_arena_create(NULL);
    double *x = BASE_TAKE(arena, double, (int64_t)n *columns);
    double *b = BASE_TAKE(arena, double, (int64_t)n *columns);
    double *back = BASE_TAKE(arena, double, n);
    base_rng rng = base_rng_seed(7);
    for (int32_t j = 0; j < columns; j++) {
        for (int32_t i = 0; i < n; i++) {
            x[(int64_t)n * j + i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        sparse_csr_apply(a, x + (int64_t)n * j, b + (int64_t)n * j);
    }
    sparse_linear *linear;
    cn_error error;
    assert_int_equal(sparse_linear_create(backend, NULL, a, &linear, &error), CN_OK);
    cn_status status = sparse_linear_factorize(linear, a, &error);
    if (status != CN_OK) {
        print_error("%s: %s\n", backend->name, error.message);
        fail();
    }
    double *solved = BASE_TAKE(arena, double, (int64_t)n *columns);
    memcpy(solved, b, sizeof *b * (size_t)n * (size_t)columns);
    assert_int_equal(sparse_linear_solve(linear, columns, solved), CN_OK);
    double worst = 0.0, largest = 0.0;
    for (int32_t j = 0; j < columns; j++) {
        sparse_csr_apply(a, solved + (int64_t)n * j, back);
        for (int32_t i = 0; i < n; i++) {
            double size = 0.0, unit = 1.0;
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
                size += fabs(a->value[k] * solved[(int64_t)n * j + a->column[k]]);
                unit = a->column[k] == i ? sqrt(a->value[k]) : unit;
            }
            double off = fabs(back[i] - b[(int64_t)n * j + i]) / unit;
            worst = off <= worst ? worst : off; // NaN stays
            largest = fmax(largest, size / unit);
        }
    }
    sparse_linear_destroy(linear);
    cn_arena_destroy(arena);
    return worst / largest;
}

static void check_every_backend(const cn_csr *a, int32_t columns, double allowed) {
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        const sparse_linear_backend *backend = sparse_linear_backend_at(i);
        double off = solve_error(backend, a, columns);
        if (!(off <= allowed)) {
            print_error("%s, n = %d: %.3g, allowed %.3g\n", backend->name, a->rows, off, allowed);
            fail();
        }
    }
}

CN_TEST(the_table_is_complete) {
    CN_CHECK_TRUE(sparse_linear_backend_count() >= 3);
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        const sparse_linear_backend *backend = sparse_linear_backend_at(i);
        const char *name = sparse_linear_backend_name(backend);
        CN_CHECK_TRUE(name[0] && sparse_linear_backend_about(backend)[0]);
        CN_CHECK_TRUE(sparse_linear_backend_find(name) == backend);
    }
    assert_null(sparse_linear_backend_find("no-such"));
    assert_null(sparse_linear_backend_at(-1));
    assert_null(sparse_linear_backend_at(sparse_linear_backend_count()));
    CN_CHECK_TRUE(sparse_linear_backend_is_definite(sparse_linear_backend_sparse()));
    CN_CHECK_TRUE(!sparse_linear_backend_is_definite(sparse_linear_backend_find("dense-lu")));
}

CN_TEST(random_definite_systems_are_solved_by_all) {
    const int32_t size[] = {1, 2, 3, 10, 50, 120};
    for (int s = 0; s < 6; s++) {
        for (int32_t links = 1; links <= 4; links++) {
            cn_arena *arena = cn_arena_create(NULL);
            cn_csr a = make_definite(arena, size[s], links, 0.0, (uint64_t)(10 * s + links));
            check_every_backend(&a, 3, 1e-13);
            cn_arena_destroy(arena);
        }
    }
}

CN_TEST(bad_units_do_no_harm) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_csr a = make_definite(arena, 60, 3, 9.0, 3); // diagonal from 1e-18 to 1e18
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        const sparse_linear_backend *backend = sparse_linear_backend_at(i);
        if (sparse_linear_backend_is_definite(backend)) {
            CN_CHECK_BELOW(solve_error(backend, &a, 1), 1e-12);
        }
    }
    cn_arena_destroy(arena);
}

// A band of 5, whose order was shuffled: the ordering must find the narrow form again.
CN_TEST(a_long_shuffled_chain_is_solved) {
    enum { n = 3000 };
    cn_arena *arena = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(11);
    int32_t *name = BASE_TAKE(arena, int32_t, n);
    for (int32_t i = 0; i < n; i++) {
        name[i] = i;
    }
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = base_rng_below(&rng, i + 1), kept = name[i];
        name[i] = name[j];
        name[j] = kept;
    }
    int32_t *row = BASE_TAKE(arena, int32_t, 5 * n), *column = BASE_TAKE(arena, int32_t, 5 * n);
    double *value = BASE_TAKE(arena, double, 5 * n);
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = i - 2; j <= i + 2; j++) {
            if (j >= 0 && j < n) {
                row[count] = name[i];
                column[count] = name[j];
                value[count++] = i == j ? 4.0 : -0.9;
            }
        }
    }
    cn_csr a;
    assert_int_equal(sparse_csr_from_triplets(arena, n, n, count, row, column, value, &a), CN_OK);
    CN_CHECK_BELOW(solve_error(sparse_linear_backend_find("skyline"), &a, 2), 1e-14);
    CN_CHECK_BELOW(solve_error(sparse_linear_backend_sparse(), &a, 2), 1e-14);
    cn_arena_destroy(arena);
}

CN_TEST(lu_solves_unsymmetric_systems) {
    cn_arena *arena = cn_arena_create(NULL);
    const int32_t row[] = {0, 0, 1, 2, 2}, column[] = {1, 2, 0, 0, 1};
    const double value[] = {2, 1, 3, 1, 1}; // a zero diagonal: rows must be exchanged
    cn_csr a;
    assert_int_equal(sparse_csr_from_triplets(arena, 3, 3, 5, row, column, value, &a), CN_OK);
    CN_CHECK_BELOW(solve_error(sparse_linear_backend_find("dense-lu"), &a, 2), 1e-15);
    cn_arena_destroy(arena);
}

// Factorises the 3 x 3 symmetric matrix with the given lower triangle by rows.
static cn_status factorize_3(const sparse_linear_backend *backend, const double *lower,
                             cn_error *error) {
    cn_arena *arena = cn_arena_create(NULL);
    const int32_t row[] = {0, 1, 1, 2, 2, 2, 0, 0, 1}, column[] = {0, 0, 1, 0, 1, 2, 1, 2, 2};
    const double value[] = {lower[0], lower[1], lower[2], lower[3], lower[4],
                            lower[5], lower[1], lower[3], lower[4]};
    cn_csr a;
    assert_int_equal(sparse_csr_from_triplets(arena, 3, 3, 9, row, column, value, &a), CN_OK);
    sparse_linear *linear;
    assert_int_equal(sparse_linear_create(backend, NULL, &a, &linear, error), CN_OK);
    double b[3] = {1, 1, 1};
    assert_int_equal(sparse_linear_solve(linear, 1, b), CN_ERR_ARGUMENT); // not factorised yet
    cn_status status = sparse_linear_factorize(linear, &a, error);
    assert_int_equal(sparse_linear_solve(linear, 1, b), status == CN_OK ? CN_OK : CN_ERR_ARGUMENT);
    sparse_linear_destroy(linear);
    cn_arena_destroy(arena);
    return status;
}

CN_TEST(matrices_that_are_not_definite_are_refused) {
    const double good[] = {4, 1, 3, 0, 1, 2};
    const double indefinite[] = {1, 2, 1, 0, 0, 1};                       // eigenvalue -1
    const double singular[] = {1, 1, 1, 1, 1, 2};                         // rows 0 and 1 alike
    const double nearly[] = {1e6, 1e6, 1e6 * (1 + 1e-15), 1e6, 1e6, 2e6}; // the same to round-off
    const double negative[] = {1, 0, -1, 0, 0, 1}, nothing[] = {1, 0, 0, 0, 0, 1};
    const double nan_inside[] = {4, (double)NAN, 3, 0, 1, 2};
    const double *bad[] = {indefinite, singular, nearly, negative, nothing, nan_inside};
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        const sparse_linear_backend *backend = sparse_linear_backend_at(i);
        cn_error error;
        assert_int_equal(factorize_3(backend, good, &error), CN_OK);
        for (int b = 0; sparse_linear_backend_is_definite(backend) && b < 6; b++) {
            cn_status status = factorize_3(backend, bad[b], &error);
            if (status != CN_ERR_NUMERIC) {
                print_error("%s: bad matrix %d gave status %d\n", backend->name, b, (int)status);
                fail();
            }
            CN_CHECK_TRUE(strstr(error.message, b < 5 ? "not positive definite" : "not finite"));
        }
    }
}

CN_TEST(singular_matrices_are_refused_by_lu) {
    static const char *const names[] = {"dense-lu", "klu"};
    for (int k = 0; k < 2; k++) {
        cn_error error;
        const sparse_linear_backend *lu = sparse_linear_backend_find(names[k]);
        const double singular[] = {1, 1, 1, 1, 1, 2}, indefinite[] = {1, 2, 1, 0, 0, 1};
        assert_int_equal(factorize_3(lu, singular, &error), CN_ERR_NUMERIC);
        CN_CHECK_TRUE(strstr(error.message, "singular"));
        assert_int_equal(factorize_3(lu, indefinite, &error), CN_OK);
    }
}

CN_TEST(a_handle_is_used_again_after_a_failure_and_with_new_values) {
    const int32_t row[] = {0, 0, 1, 1}, column[] = {0, 1, 0, 1};
    const double good[] = {2, 1, 1, 2}, bad[] = {1, 2, 2, 1}, other[] = {5, 1, 1, 1};
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        const sparse_linear_backend *backend = sparse_linear_backend_at(i);
        if (!sparse_linear_backend_is_definite(backend)) {
            continue;
        }
        cn_arena *arena = cn_arena_create(NULL);
        cn_csr a, b, c;
        assert_int_equal(sparse_csr_from_triplets(arena, 2, 2, 4, row, column, good, &a), CN_OK);
        assert_int_equal(sparse_csr_from_triplets(arena, 2, 2, 4, row, column, bad, &b), CN_OK);
        assert_int_equal(sparse_csr_from_triplets(arena, 2, 2, 4, row, column, other, &c), CN_OK);
        sparse_linear *linear;
        assert_int_equal(sparse_linear_create(backend, NULL, &a, &linear, NULL), CN_OK);
        assert_int_equal(sparse_linear_factorize(linear, &a, NULL), CN_OK);
        assert_int_equal(sparse_linear_factorize(linear, &b, NULL), CN_ERR_NUMERIC);
        assert_int_equal(sparse_linear_factorize(linear, &c, NULL), CN_OK);
        double x[] = {7, 3, 5, 1}; // two columns: (1, 2) and (1, 0)
        assert_int_equal(sparse_linear_solve(linear, 2, x), CN_OK);
        CN_CHECK_NEAR(x[0], 1, 1e-15);
        CN_CHECK_NEAR(x[1], 2, 1e-15);
        CN_CHECK_NEAR(x[2], 1, 1e-15);
        CN_CHECK_NEAR(x[3], 0, 1e-15);
        sparse_linear_destroy(linear);
        cn_arena_destroy(arena);
    }
}

CN_TEST(another_pattern_is_refused) {
    cn_arena *arena = cn_arena_create(NULL);
    const int32_t row[] = {0, 1, 1}, column[] = {0, 0, 1};
    const double value[] = {2, 1, 2};
    cn_csr a, b;
    assert_int_equal(sparse_csr_from_triplets(arena, 2, 2, 3, row, column, value, &a), CN_OK);
    assert_int_equal(sparse_csr_from_triplets(arena, 2, 2, 1, row, column, value, &b), CN_OK);
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        sparse_linear *linear;
        const sparse_linear_backend *backend = sparse_linear_backend_at(i);
        assert_int_equal(sparse_linear_create(backend, NULL, &a, &linear, NULL), CN_OK);
        assert_int_equal(sparse_linear_factorize(linear, &b, NULL), CN_ERR_ARGUMENT);
        sparse_linear_destroy(linear);
        assert_int_equal(sparse_linear_create(backend, NULL, &b, &linear, NULL), CN_OK);
        assert_int_equal(sparse_linear_factorize(linear, &a, NULL), CN_ERR_ARGUMENT);
        sparse_linear_destroy(linear);
    }
    b.cols = 1;
    sparse_linear *linear;
    assert_int_equal(sparse_linear_create(sparse_linear_backend_at(0), NULL, &b, &linear, NULL),
                     CN_ERR_ARGUMENT);
    assert_null(linear);
    cn_arena_destroy(arena);
}

CN_TEST(an_empty_system_is_solved) {
    int64_t start[] = {0};
    cn_csr empty = {.start = start};
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        sparse_linear *linear;
        assert_int_equal(
            sparse_linear_create(sparse_linear_backend_at(i), NULL, &empty, &linear, NULL), CN_OK);
        assert_int_equal(sparse_linear_factorize(linear, &empty, NULL), CN_OK);
        assert_int_equal(sparse_linear_solve(linear, 1, NULL), CN_OK);
        sparse_linear_destroy(linear);
    }
}

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));

CN_TEST(blas_runs_on_one_thread) {
    if (!openblas_get_num_threads || !openblas_set_num_threads) {
        CN_SKIP("the BLAS of this build is not OpenBLAS");
    }
    openblas_set_num_threads(2);
    cn_arena *arena = cn_arena_create(NULL);
    cn_csr a = make_definite(arena, 10, 2, 0.0, 1);
    CN_CHECK_BELOW(solve_error(sparse_linear_backend_find("dense-cholesky"), &a, 1), 1e-14);
    assert_int_equal(openblas_get_num_threads(), 1);
    cn_arena_destroy(arena);
}

// Several sizes, since the arena asks for memory in large pieces.
CN_TEST(a_failing_allocation_leaves_nothing_behind) {
    const int32_t size[] = {5, 100, 400};
    for (int s = 0; s < 3; s++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_csr a = make_definite(arena, size[s], 3, 0.0, 2);
        for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
            const sparse_linear_backend *backend = sparse_linear_backend_at(i);
            cn_failing memory = {.failed = true};
            for (int64_t k = 1; memory.failed; k++) {
                cn_env env = cn_failing_env(&memory, k);
                sparse_linear *linear;
                cn_error error;
                cn_status status = sparse_linear_create(backend, &env, &a, &linear, &error);
                assert_int_equal(status, memory.failed ? CN_ERR_MEMORY : CN_OK);
                CN_CHECK_TRUE((linear != NULL) == (status == CN_OK));
                sparse_linear_destroy(linear);
                assert_int_equal(memory.live, 0);
            }
        }
        cn_arena_destroy(arena);
    }
}

CN_TEST(factorising_and_solving_again_allocate_nothing) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_csr a = make_definite(arena, 200, 3, 0.0, 2);
    double *b = BASE_TAKE_ZERO(arena, double, 400);
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, 0);
        sparse_linear *linear;
        assert_int_equal(sparse_linear_create(sparse_linear_backend_at(i), &env, &a, &linear, NULL),
                         CN_OK);
        int64_t calls = memory.calls;
        for (int again = 0; again < 3; again++) {
            assert_int_equal(sparse_linear_factorize(linear, &a, NULL), CN_OK);
            assert_int_equal(sparse_linear_solve(linear, 2, b), CN_OK);
        }
        assert_int_equal(memory.calls, calls);
        sparse_linear_destroy(linear);
    }
    cn_arena_destroy(arena);
}
