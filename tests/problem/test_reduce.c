// From the global problem to the local one: against the formula worked out densely, in both forms.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "sparse/csr.h"

#include "failing_allocator.h"

#include <dirent.h>
#include <string.h>

typedef struct fixture {
    cn_arena *arena;
    cn_friction_global g;
    double *M, *H; // dense, by rows
} fixture;

static void from_dense(cn_arena *arena, int32_t rows, int32_t cols, const double *dense,
                       cn_csr *out) {
    int64_t size = (int64_t)rows * cols, count = 0;
    int32_t *row = BASE_TAKE(arena, int32_t, size), *column = BASE_TAKE(arena, int32_t, size);
    double *value = BASE_TAKE(arena, double, size);
    for (int64_t k = 0; k < size; k++) {
        if (dense[k] != 0.0) {
            row[count] = (int32_t)(k / cols);
            column[count] = (int32_t)(k % cols);
            value[count++] = dense[k];
        }
    }
    assert_int_equal(sparse_csr_from_triplets(arena, rows, cols, count, row, column, value, out),
                     CN_OK);
}

// dofs velocities with M = 0, every contact touching `touched` random ones.
static fixture make(int32_t dim, int32_t contacts, int32_t dofs, int32_t touched, base_rng *rng) {
    fixture f = {.arena = cn_arena_create(NULL)};
    int32_t m = dim * contacts;
    f.M = BASE_TAKE_ZERO(f.arena, double, (int64_t)dofs *dofs);
    f.H = BASE_TAKE_ZERO(f.arena, double, (int64_t)dofs *m);
    f.g = (cn_friction_global){.dim = dim, .contacts = contacts, .dofs = dofs};
    f.g.f = BASE_TAKE(f.arena, double, dofs);
    f.g.w = BASE_TAKE(f.arena, double, m);
    f.g.mu = BASE_TAKE(f.arena, double, contacts);
    for (int32_t i = 0; i < dofs; i++) {
        f.g.f[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    for (int32_t a = 0; a < contacts; a++) {
        f.g.mu[a] = base_rng_uniform(rng, 0.0, 1.0);
        for (int32_t k = 0; k < touched; k++) {
            int32_t dof = base_rng_below(rng, dofs);
            for (int32_t i = 0; i < dim; i++) {
                f.H[(int64_t)m * dof + dim * a + i] = base_rng_uniform(rng, -1.0, 1.0);
            }
        }
    }
    for (int32_t i = 0; i < m; i++) {
        f.g.w[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    return f;
}

static void finish(fixture *f) {
    from_dense(f->arena, f->g.dofs, f->g.dofs, f->M, &f->g.M);
    from_dense(f->arena, f->g.dofs, f->g.dim * f->g.contacts, f->H, &f->g.H);
}

// M made of dense blocks on the dofs i, i + stride, i + 2 stride, ... (interleaved on purpose).
static fixture make_bodies(int32_t dim, int32_t contacts, int32_t bodies, int32_t size,
                           uint64_t seed) {
    base_rng rng = base_rng_seed(seed);
    int32_t dofs = bodies * size;
    fixture f = make(dim, contacts, dofs, 3, &rng);
    for (int32_t b = 0; b < bodies; b++) {
        for (int32_t i = 0; i < size; i++) {
            for (int32_t j = 0; j < i; j++) {
                double entry = base_rng_uniform(&rng, -1.0, 1.0);
                f.M[(int64_t)dofs * (b + bodies * i) + b + bodies * j] = entry;
                f.M[(int64_t)dofs * (b + bodies * j) + b + bodies * i] = entry;
            }
            f.M[(int64_t)(dofs + 1) * (b + bodies * i)] = size + base_rng_uniform(&rng, 0.1, 9.0);
        }
    }
    finish(&f);
    return f;
}

// M of a bar of linear elements: tridiagonal, one large part.
static fixture make_bar(int32_t dim, int32_t contacts, int32_t dofs, uint64_t seed) {
    base_rng rng = base_rng_seed(seed);
    fixture f = make(dim, contacts, dofs, 4, &rng);
    for (int32_t i = 0; i < dofs; i++) {
        f.M[(int64_t)(dofs + 1) * i] = 4.0;
        if (i + 1 < dofs) {
            f.M[(int64_t)dofs * i + i + 1] = f.M[(int64_t)dofs * (i + 1) + i] = 1.0;
        }
    }
    finish(&f);
    return f;
}

static void drop(fixture *f) {
    cn_arena_destroy(f->arena);
}

// x := A^-1 x for columns of x, by elimination with row exchanges; A is spoilt.
static void eliminate(int32_t n, double *A, int32_t columns, double *x) {
    for (int32_t k = 0; k < n; k++) {
        int32_t best = k;
        for (int32_t i = k; i < n; i++) {
            best = fabs(A[(int64_t)n * i + k]) > fabs(A[(int64_t)n * best + k]) ? i : best;
        }
        for (int32_t j = 0; j < n; j++) {
            double kept = A[(int64_t)n * k + j];
            A[(int64_t)n * k + j] = A[(int64_t)n * best + j];
            A[(int64_t)n * best + j] = kept;
        }
        for (int32_t c = 0; c < columns; c++) {
            double kept = x[(int64_t)columns * k + c];
            x[(int64_t)columns * k + c] = x[(int64_t)columns * best + c];
            x[(int64_t)columns * best + c] = kept;
        }
        for (int32_t i = 0; i < n; i++) {
            double factor = A[(int64_t)n * i + k] / A[(int64_t)n * k + k];
            if (i == k || factor == 0.0) {
                continue;
            }
            for (int32_t j = k; j < n; j++) {
                A[(int64_t)n * i + j] -= factor * A[(int64_t)n * k + j];
            }
            for (int32_t c = 0; c < columns; c++) {
                x[(int64_t)columns * i + c] -= factor * x[(int64_t)columns * k + c];
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t c = 0; c < columns; c++) {
            x[(int64_t)columns * i + c] /= A[(int64_t)n * i + i];
        }
    }
}

// W (m x m) and q by the formula, densely.
static void expect(const fixture *f, double *W, double *q) {
    int32_t n = f->g.dofs, m = f->g.dim * f->g.contacts, columns = m + 1;
    double *A = BASE_TAKE(f->arena, double, (int64_t)n *n);
    double *X = BASE_TAKE(f->arena, double, (int64_t)n *columns); // M^-1 [H f]
    memcpy(A, f->M, sizeof *A * (size_t)n * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        memcpy(X + (int64_t)columns * i, f->H + (int64_t)m * i, sizeof *X * (size_t)m);
        X[(int64_t)columns * i + m] = f->g.f[i];
    }
    eliminate(n, A, columns, X);
    for (int32_t i = 0; i < m; i++) {
        q[i] = f->g.w[i];
        for (int32_t k = 0; k < n; k++) {
            q[i] += f->H[(int64_t)m * k + i] * X[(int64_t)columns * k + m];
        }
        for (int32_t j = 0; j < m; j++) {
            W[(int64_t)m * i + j] = 0.0;
            for (int32_t k = 0; k < n; k++) {
                W[(int64_t)m * i + j] += f->H[(int64_t)m * k + i] * X[(int64_t)columns * k + j];
            }
        }
    }
}

// Checks W, column by column through the operator, q, mu and the diagonal blocks.
static void check_local(const fixture *f, const cn_friction *p, double allowed) {
    int32_t dim = f->g.dim, m = dim * f->g.contacts;
    double *W = BASE_TAKE(f->arena, double, (int64_t)m *m), *q = BASE_TAKE(f->arena, double, m);
    double *r = BASE_TAKE_ZERO(f->arena, double, m), *u = BASE_TAKE(f->arena, double, m);
    double *v = BASE_TAKE(f->arena, double, f->g.dofs);
    expect(f, W, q);
    cn_error error;
    if (cn_friction_validate(p, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    for (int32_t j = 0; j < m; j++) {
        CN_CHECK_NEAR(p->q[j], q[j], allowed);
        r[j] = 1.0;
        cn_friction_velocity(p, r, v, u);
        r[j] = 0.0;
        for (int32_t i = 0; i < m; i++) {
            CN_CHECK_NEAR(u[i] - p->q[i], W[(int64_t)m * i + j], allowed);
            if (i / dim == j / dim) {
                int32_t a = j / dim;
                CN_CHECK_NEAR(p->W.diagonal[dim * dim * a + dim * (j % dim) + i % dim],
                              W[(int64_t)m * i + j], allowed);
            }
        }
    }
    for (int32_t a = 0; a < f->g.contacts; a++) {
        CN_CHECK_NEAR(p->mu[a], f->g.mu[a], 0);
    }
}

static void check_symmetric(const cn_bsr *W) {
    int32_t dim = W->dim;
    for (int32_t a = 0; a < W->block_rows; a++) {
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            int32_t b = W->column[k];
            int64_t mirror = -1;
            for (int64_t l = W->start[b]; l < W->start[b + 1]; l++) {
                mirror = W->column[l] == a ? l : mirror;
            }
            CN_CHECK_TRUE(mirror >= 0);
            for (int32_t i = 0; i < dim; i++) {
                for (int32_t j = 0; j < dim; j++) {
                    CN_CHECK_NEAR(W->value[dim * dim * k + dim * j + i],
                                  W->value[dim * dim * mirror + dim * i + j], 0);
                }
            }
        }
    }
}

CN_TEST(rigid_bodies_match_the_dense_formula_in_both_forms) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (uint64_t seed = 1; seed <= 4; seed++) {
            fixture f = make_bodies(dim, 7, 4, dim == 2 ? 3 : 6, seed);
            cn_friction assembled, body;
            cn_error error;
            assert_int_equal(cn_friction_condense(&f.g, f.arena, &assembled, &error), CN_OK);
            assert_int_equal(cn_friction_to_body_space(&f.g, f.arena, &body, &error), CN_OK);
            assert_int_equal(assembled.W.kind, CN_OPERATOR_ASSEMBLED);
            assert_int_equal(body.W.kind, CN_OPERATOR_BODY);
            check_local(&f, &assembled, 1e-13);
            check_local(&f, &body, 1e-13);
            check_symmetric(&assembled.W.assembled);
            drop(&f);
        }
    }
}

CN_TEST(blocks_exist_only_where_contacts_share_a_body) {
    fixture f = make_bodies(3, 30, 40, 1, 5); // lumped: 40 bodies of one velocity
    cn_friction p;
    assert_int_equal(cn_friction_condense(&f.g, f.arena, &p, NULL), CN_OK);
    int32_t m = 90;
    int64_t blocks = 0;
    for (int32_t a = 0; a < 30; a++) {
        for (int32_t b = 0; b < 30; b++) {
            bool shared = a == b;
            for (int32_t d = 0; d < 40; d++) {
                shared = shared || (f.H[m * d + 3 * a] != 0.0 && f.H[m * d + 3 * b] != 0.0);
            }
            blocks += shared;
        }
    }
    assert_int_equal(p.W.assembled.start[30], blocks);
    CN_CHECK_TRUE(blocks < 30 * 30 / 2);
    check_local(&f, &p, 1e-13);
    drop(&f);
}

CN_TEST(a_large_part_is_condensed_and_refused_in_body_space) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        fixture f = make_bar(dim, 11, 150, 9); // more contacts than a batch
        cn_friction p;
        cn_error error;
        assert_int_equal(cn_friction_condense(&f.g, f.arena, &p, &error), CN_OK);
        check_local(&f, &p, 1e-13);
        check_symmetric(&p.W.assembled);
        assert_int_equal(cn_friction_to_body_space(&f.g, f.arena, &p, &error), CN_ERR_UNSUPPORTED);
        CN_CHECK_TRUE(strstr(error.message, "150") && error.hint[0]);
        assert_int_equal(cn_friction_reduce(&f.g, f.arena, &p, &error), CN_OK);
        assert_int_equal(p.W.kind, CN_OPERATOR_ASSEMBLED);
        drop(&f);
    }
}

CN_TEST(a_deformable_body_beside_rigid_ones_is_condensed) {
    base_rng rng = base_rng_seed(21);
    fixture f = make(3, 9, 100 + 12, 5, &rng);
    int32_t n = f.g.dofs;
    for (int32_t i = 0; i < n; i++) {
        f.M[(int64_t)(n + 1) * i] = 3.0 + i % 4;
        if (i + 1 < 100 || (i >= 100 && (i - 100) % 6 != 5)) {
            f.M[(int64_t)n * i + i + 1] = f.M[(int64_t)n * (i + 1) + i] = -1.0;
        }
    }
    finish(&f);
    cn_friction p;
    assert_int_equal(cn_friction_condense(&f.g, f.arena, &p, NULL), CN_OK);
    check_local(&f, &p, 1e-13);
    check_symmetric(&p.W.assembled);
    drop(&f);
}

CN_TEST(the_cheaper_form_is_chosen) {
    // Four points a pair of bodies: H is short, W has many blocks.
    fixture many = make_bodies(3, 40, 2, 6, 3);
    cn_friction p;
    assert_int_equal(cn_friction_reduce(&many.g, many.arena, &p, NULL), CN_OK);
    assert_int_equal(p.W.kind, CN_OPERATOR_BODY);
    check_local(&many, &p, 1e-13);
    drop(&many);
    // Every contact alone on its own bodies: one block a row.
    fixture few = make_bodies(3, 3, 60, 6, 3);
    assert_int_equal(cn_friction_reduce(&few.g, few.arena, &p, NULL), CN_OK);
    assert_int_equal(p.W.kind, CN_OPERATOR_ASSEMBLED);
    check_local(&few, &p, 1e-13);
    cn_friction body;
    assert_int_equal(cn_friction_to_body_space(&few.g, few.arena, &body, NULL), CN_OK);
    int64_t assembled = prob_operator_ops_of(p.W.kind)->sweep_cost(&p.W, 3, 3),
            in_bodies = prob_operator_ops_of(body.W.kind)->sweep_cost(&body.W, 3, 3);
    CN_CHECK_TRUE(assembled < in_bodies);
    drop(&few);
}

CN_TEST(velocities_solve_the_equation_of_motion) {
    fixture fixtures[] = {make_bodies(3, 6, 5, 6, 2), make_bar(2, 6, 90, 2)};
    for (int s = 0; s < 2; s++) {
        fixture *f = &fixtures[s];
        int32_t n = f->g.dofs, m = f->g.dim * f->g.contacts;
        double *r = BASE_TAKE(f->arena, double, m), *v = BASE_TAKE(f->arena, double, n);
        double *left = BASE_TAKE(f->arena, double, n), *right = BASE_TAKE(f->arena, double, n);
        base_rng rng = base_rng_seed(1);
        for (int32_t i = 0; i < m; i++) {
            r[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        base_arena_mark before = base_arena_get_mark(f->arena);
        assert_int_equal(cn_friction_global_velocity(&f->g, f->arena, r, v, NULL), CN_OK);
        assert_int_equal(base_arena_get_mark(f->arena).used, before.used);
        sparse_csr_apply(&f->g.M, v, left);
        sparse_csr_apply(&f->g.H, r, right);
        for (int32_t i = 0; i < n; i++) {
            CN_CHECK_NEAR(left[i], right[i] + f->g.f[i], 1e-13);
        }
        drop(f);
    }
}

CN_TEST(a_stored_zero_couples_nothing) {
    fixture f = make_bodies(2, 2, 40, 2, 4);
    // A chain of explicit zeros through all bodies would make one part of 80.
    int32_t n = f.g.dofs;
    int32_t *row = BASE_TAKE(f.arena, int32_t, 400), *column = BASE_TAKE(f.arena, int32_t, 400);
    double *value = BASE_TAKE(f.arena, double, 400);
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = f.g.M.start[i]; k < f.g.M.start[i + 1]; k++) {
            row[count] = i;
            column[count] = f.g.M.column[k];
            value[count++] = f.g.M.value[k];
        }
        if (i + 1 < n) {
            row[count] = i;
            column[count] = i + 1;
            value[count++] = 0.0;
        }
    }
    assert_int_equal(sparse_csr_from_triplets(f.arena, n, n, count, row, column, value, &f.g.M),
                     CN_OK);
    cn_friction p;
    assert_int_equal(cn_friction_to_body_space(&f.g, f.arena, &p, NULL), CN_OK);
    check_local(&f, &p, 1e-13);
    drop(&f);
}

CN_TEST(no_contacts_and_untouched_contacts_are_fine) {
    fixture none = make_bodies(3, 0, 2, 6, 1);
    cn_friction p;
    assert_int_equal(cn_friction_reduce(&none.g, none.arena, &p, NULL), CN_OK);
    assert_int_equal(p.contacts, 0);
    assert_int_equal(cn_friction_validate(&p, NULL), CN_OK);
    drop(&none);
    fixture f = make_bodies(3, 4, 3, 6, 1);
    memset(f.H, 0, sizeof *f.H * 18 * 12); // contacts between fixed things
    finish(&f);
    cn_friction body;
    assert_int_equal(cn_friction_condense(&f.g, f.arena, &p, NULL), CN_OK);
    assert_int_equal(cn_friction_to_body_space(&f.g, f.arena, &body, NULL), CN_OK);
    check_local(&f, &p, 1e-13);
    check_local(&f, &body, 1e-13);
    drop(&f);
}

static void refused(const fixture *f, const char *words) {
    cn_friction p;
    cn_error error;
    double r[64] = {0}, v[512];
    assert_int_equal(cn_friction_condense(&f->g, f->arena, &p, &error), CN_ERR_INPUT);
    if (!strstr(error.message, words)) {
        print_error("\"%s\" does not say \"%s\"\n", error.message, words);
        fail();
    }
    assert_int_equal(cn_friction_to_body_space(&f->g, f->arena, &p, &error), CN_ERR_INPUT);
    assert_int_equal(cn_friction_reduce(&f->g, f->arena, &p, &error), CN_ERR_INPUT);
    assert_int_equal(cn_friction_global_velocity(&f->g, f->arena, r, v, &error), CN_ERR_INPUT);
}

CN_TEST(an_unsymmetric_mass_is_refused) {
    fixture f = make_bodies(2, 3, 3, 3, 1);
    f.M[9 * 3 + 0] += 1e-2; // dofs 0 and 3 are of the same body
    finish(&f);
    refused(&f, "M is not symmetric: entry (0, 3)");
    f.M[9 * 3 + 0] -= 1e-2;
    f.M[9 * 3 + 0] *= 1.0 + 1e-7; // within the digits of a text file
    finish(&f);
    cn_friction p;
    assert_int_equal(cn_friction_condense(&f.g, f.arena, &p, NULL), CN_OK);
    check_symmetric(&p.W.assembled);
    drop(&f);
}

CN_TEST(an_indefinite_mass_is_refused) {
    fixture f = make_bodies(2, 3, 3, 3, 1);
    f.M[10 * 4] = -1.0;
    finish(&f);
    refused(&f, "M is not positive definite (at velocity 4)");
    f.M[10 * 4] = 0.0;
    finish(&f);
    refused(&f, "M is not positive definite");
    drop(&f);
    fixture bar = make_bar(2, 3, 100, 1);
    bar.M[101 * 50] = 0.1; // coupled more strongly than it is heavy
    finish(&bar);
    refused(&bar, "M is not positive definite");
    drop(&bar);
}

CN_TEST(a_wrong_problem_is_refused) {
    fixture f = make_bodies(2, 3, 3, 3, 1);
    f.g.mu[2] = -1.0;
    refused(&f, "contact 2");
    drop(&f);
}

typedef cn_status reduce_fn(const cn_friction_global *g, cn_arena *memory, cn_friction *out,
                            cn_error *error);

static cn_status velocity_as_reduction(const cn_friction_global *g, cn_arena *memory,
                                       cn_friction *out, cn_error *error) {
    int64_t m = (int64_t)g->dim * g->contacts;
    double *r = calloc((size_t)m + 1, sizeof *r), *v = calloc((size_t)g->dofs + 1, sizeof *v);
    cn_status status = cn_friction_global_velocity(g, memory, r, v, error);
    *out = (cn_friction){0};
    free(r);
    free(v);
    return status;
}

// Fails every allocation in turn; the last round succeeds.
static void fail_each(reduce_fn *reduce, const cn_friction_global *g) {
    cn_failing memory = {.failed = true};
    for (int64_t k = 1; memory.failed; k++) {
        cn_env env = cn_failing_env(&memory, k);
        cn_arena *arena = cn_arena_create(&env);
        if (!arena) {
            continue;
        }
        cn_friction p;
        cn_error error;
        cn_status status = reduce(g, arena, &p, &error);
        assert_int_equal(status, memory.failed ? CN_ERR_MEMORY : CN_OK);
        CN_CHECK_TRUE(status == CN_OK || error.status == CN_ERR_MEMORY);
        cn_arena_destroy(arena);
        assert_int_equal(memory.live, 0);
    }
}

// Several sizes, since the arena asks for memory in large pieces.
CN_TEST(a_failing_allocation_leaves_nothing_behind) {
    reduce_fn *const reduce[] = {cn_friction_condense, cn_friction_to_body_space,
                                 cn_friction_reduce, velocity_as_reduction};
    const int32_t contacts[] = {4, 60, 100, 150, 250, 400};
    for (int s = 0; s < 6; s++) {
        cn_planted_opts opts = cn_planted_opts_default();
        opts.contacts = contacts[s];
        opts.deficiency = 0.2;
        cn_problem *problem;
        assert_int_equal(cn_planted_friction(NULL, &opts, &problem, NULL), CN_OK);
        for (int k = 0; k < 4; k++) {
            fail_each(reduce[k], &problem->global);
        }
        cn_problem_destroy(problem);
    }
    fixture bar = make_bar(3, 40, 300, 3);
    fail_each(cn_friction_condense, &bar.g);
    fail_each(cn_friction_reduce, &bar.g);
    fail_each(velocity_as_reduction, &bar.g);
    drop(&bar);
}

// Largest |W - W'| over the largest |W'|, block by block over the union of the patterns.
static double matrix_distance(cn_arena *arena, const cn_bsr *one, const cn_bsr *two) {
    int32_t dim = one->dim, m = dim * one->block_rows;
    double *row = BASE_TAKE(arena, double, (int64_t)dim *m), largest = 0.0, off = 0.0;
    for (int32_t a = 0; a < one->block_rows; a++) {
        memset(row, 0, sizeof *row * (size_t)dim * (size_t)m);
        const cn_bsr *both[] = {one, two};
        for (int w = 0; w < 2; w++) {
            for (int64_t k = both[w]->start[a]; k < both[w]->start[a + 1]; k++) {
                for (int32_t s = 0; s < dim * dim; s++) {
                    double value = both[w]->value[dim * dim * k + s];
                    int32_t column = dim * both[w]->column[k] + s / dim;
                    row[(int64_t)m * (s % dim) + column] += w ? -value : value;
                    largest = w ? fmax(largest, fabs(value)) : largest;
                }
            }
        }
        for (int64_t k = 0; k < (int64_t)dim * m; k++) {
            off = row[k] == row[k] ? fmax(off, fabs(row[k])) : (double)INFINITY;
        }
    }
    return off / largest;
}

#define CN_TWIN_MAX 1e-12 // round-off times the condition of M, about 1e2 to 1e4

// false when the first is not a global problem.
static bool compare_twins(const char *global_path, const char *local_path) {
    cn_problem *global, *local;
    cn_error error;
    assert_int_equal(cn_problem_read(NULL, global_path, &global, &error), CN_OK);
    if (global->kind != CN_PROBLEM_FRICTION_GLOBAL) {
        cn_problem_destroy(global);
        return false;
    }
    assert_int_equal(cn_problem_read(NULL, local_path, &local, &error), CN_OK);
    cn_friction p, body;
    const cn_friction *twin = &local->friction;
    if (cn_friction_condense(&global->global, global->memory, &p, &error) != CN_OK) {
        print_error("%s: %s\n", global_path, error.message);
        fail();
    }
    assert_int_equal(p.dim, twin->dim);
    assert_int_equal(p.contacts, twin->contacts);
    double off = 0.0, largest = 0.0;
    for (int32_t i = 0; i < p.dim * p.contacts; i++) {
        off = fmax(off, fabs(p.q[i] - twin->q[i]));
        largest = fmax(largest, fabs(twin->q[i]));
        CN_CHECK_NEAR(p.mu[i / p.dim], twin->mu[i / p.dim], 0);
    }
    print_message("%s: W %.1e, q %.1e\n", strrchr(global_path, '/') + 1,
                  matrix_distance(global->memory, &p.W.assembled, &twin->W.assembled),
                  off / largest);
    CN_CHECK_BELOW(matrix_distance(global->memory, &p.W.assembled, &twin->W.assembled),
                   CN_TWIN_MAX);
    CN_CHECK_BELOW(off, CN_TWIN_MAX * largest);
    // The same operator in body space, where M allows it.
    if (cn_friction_to_body_space(&global->global, global->memory, &body, &error) == CN_OK) {
        int32_t m = p.dim * p.contacts;
        double *r = BASE_TAKE(global->memory, double, m), *u = BASE_TAKE(global->memory, double, m);
        double *v = BASE_TAKE(global->memory, double, global->global.dofs), size = 0.0;
        double *want = BASE_TAKE(global->memory, double, m);
        base_rng rng = base_rng_seed(1);
        for (int32_t i = 0; i < m; i++) {
            r[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        cn_friction_velocity(&body, r, v, u);
        cn_friction_velocity(&p, r, NULL, want);
        for (int32_t i = 0; i < m; i++) {
            size = fmax(size, fabs(want[i]));
        }
        for (int32_t i = 0; i < m; i++) {
            CN_CHECK_NEAR(u[i], want[i], 1e-13 * size);
        }
    }
    cn_problem_destroy(global);
    cn_problem_destroy(local);
    return true;
}

// Every global problem of a folder of the corpus that has a twin in local/.
static void compare_folder(const char *folder_name) {
    const char *corpus = getenv("CAIRN_CORPUS");
    if (!corpus) {
        CN_SKIP("CAIRN_CORPUS is not set");
    }
    char path[1024], twin_path[1024];
    snprintf(path, sizeof path, "%s/%s", corpus, folder_name);
    DIR *folder = opendir(path);
    if (!folder) {
        CN_SKIP("CAIRN_CORPUS lacks the folder");
    }
    int compared = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *ending = strrchr(entry->d_name, '.');
        int stem = ending ? (int)(ending - entry->d_name) : 0;
        snprintf(path, sizeof path, "%s/%s/%s", corpus, folder_name, entry->d_name);
        snprintf(twin_path, sizeof twin_path, "%s/local/%.*s.hdf5", corpus, stem, entry->d_name);
        FILE *twin = stem > 0 ? fopen(twin_path, "rb") : NULL;
        if (twin) {
            fclose(twin);
            compared += compare_twins(path, twin_path);
        }
    }
    closedir(folder);
    CN_CHECK_TRUE(compared > 0);
}

CN_TEST(corpus_twins_agree) {
    compare_folder("global");
}

// Text keeps six or seven digits of M and H, and the twins were made from just those.
CN_TEST(corpus_text_twins_agree) {
    compare_folder("dat");
}
