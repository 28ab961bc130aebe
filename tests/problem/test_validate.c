// Validation: good problems pass, and each defect is refused with text that names its place.
#include "check.h"

#include "base/arena.h"
#include "problem/operator/operator.h"
#include "sparse/csr.h"

#include <string.h>

static cn_error error;

static void refused(cn_status status, const char *words) {
    assert_int_equal(status, CN_ERR_INPUT);
    assert_int_equal(error.status, CN_ERR_INPUT);
    if (!strstr(error.message, words)) {
        print_error("\"%s\" does not say \"%s\"\n", error.message, words);
        fail();
    }
}

// Two contacts in 2D, all blocks stored.
static cn_friction make_friction(cn_arena *arena) {
    double W[16], q[] = {-1, 0, -1, 0}, mu[] = {0.3, 0.4};
    int32_t row[16], column[16];
    for (int32_t k = 0; k < 16; k++) {
        row[k] = k / 4;
        column[k] = k % 4;
        W[k] = row[k] == column[k] ? 2.0 : 0.1;
    }
    cn_csr a;
    cn_friction p;
    assert_int_equal(sparse_csr_from_triplets(arena, 4, 4, 16, row, column, W, &a), CN_OK);
    assert_int_equal(prob_friction_from_csr(arena, 2, 2, &a, q, mu, &p), CN_OK);
    return p;
}

// One contact in 2D on one body of two velocities.
static cn_problem *make_global(void) {
    cn_problem *problem = cn_problem_create(NULL, CN_PROBLEM_FRICTION_GLOBAL);
    assert_non_null(problem);
    const int32_t both[] = {0, 1};
    const double mass[] = {2, 2}, ones[] = {1, 1};
    cn_friction_global *g = &problem->global;
    *g = (cn_friction_global){.dim = 2, .contacts = 1, .dofs = 2};
    assert_int_equal(sparse_csr_from_triplets(problem->memory, 2, 2, 2, both, both, mass, &g->M),
                     CN_OK);
    assert_int_equal(sparse_csr_from_triplets(problem->memory, 2, 2, 2, both, both, ones, &g->H),
                     CN_OK);
    g->f = BASE_TAKE_ZERO(problem->memory, double, 2);
    g->w = BASE_TAKE_ZERO(problem->memory, double, 2);
    g->mu = BASE_TAKE_ZERO(problem->memory, double, 1);
    return problem;
}

CN_TEST(good_problems_pass) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = make_friction(arena);
    assert_int_equal(cn_friction_validate(&p, &error), CN_OK);
    assert_int_equal(cn_friction_validate(&p, NULL), CN_OK);
    cn_problem local = {.kind = CN_PROBLEM_FRICTION, .friction = p};
    assert_int_equal(cn_problem_validate(&local, &error), CN_OK);
    cn_problem *problem = make_global();
    assert_int_equal(cn_problem_validate(problem, &error), CN_OK);
    cn_problem_destroy(problem);
    cn_arena_destroy(arena);
}

CN_TEST(no_contacts_is_a_problem_too) {
    cn_arena *arena = cn_arena_create(NULL);
    int64_t start[] = {0};
    cn_csr empty = {.start = start};
    cn_friction p;
    assert_int_equal(prob_friction_from_csr(arena, 3, 0, &empty, NULL, NULL, &p), CN_OK);
    assert_int_equal(cn_friction_validate(&p, &error), CN_OK);
    cn_arena_destroy(arena);
}

CN_TEST(the_coefficient_must_not_be_negative) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = make_friction(arena);
    p.mu[1] = -0.25;
    refused(cn_friction_validate(&p, &error), "contact 1 has the friction coefficient -0.25");
    CN_CHECK_TRUE(strlen(error.hint) > 0);
    assert_int_equal(cn_friction_validate(&p, NULL), CN_ERR_INPUT);
    p.mu[1] = (double)NAN;
    refused(cn_friction_validate(&p, &error), "mu[1] is");
    p.mu[1] = 0.0; // frictionless is allowed
    assert_int_equal(cn_friction_validate(&p, &error), CN_OK);
    cn_arena_destroy(arena);
}

CN_TEST(numbers_must_be_finite) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = make_friction(arena);
    p.q[2] = (double)INFINITY;
    refused(cn_friction_validate(&p, &error), "q[2] is inf");
    p.q[2] = 0;
    p.W.assembled.value[4 * 1 + 2] = (double)NAN; // block (0, 1), entry (0, 1)
    refused(cn_friction_validate(&p, &error), "W: entry (0, 3), contacts 0 and 1, is");
    cn_arena_destroy(arena);
}

CN_TEST(sizes_must_agree) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = make_friction(arena);
    p.dim = 5;
    refused(cn_friction_validate(&p, &error), "the space dimension is 5");
    p = make_friction(arena);
    p.contacts = 1;
    refused(cn_friction_validate(&p, &error), "W has 2 rows of 2 x 2 blocks");
    p.contacts = -1;
    refused(cn_friction_validate(&p, &error), "-1 contacts");
    p.contacts = INT32_MAX; // dim * contacts must fit 32 bits
    refused(cn_friction_validate(&p, &error), "contacts is outside");
    p = make_friction(arena);
    p.q = NULL;
    refused(cn_friction_validate(&p, &error), "q is missing");
    p = make_friction(arena);
    p.W.kind = (cn_operator_kind)7;
    refused(cn_friction_validate(&p, &error), "unknown kind");
    cn_arena_destroy(arena);
}

CN_TEST(block_columns_must_ascend_and_be_in_range) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = make_friction(arena);
    p.W.assembled.column[1] = 2;
    refused(cn_friction_validate(&p, &error), "W: block row 0 names column 2");
    p.W.assembled.column[1] = 0;
    refused(cn_friction_validate(&p, &error), "columns must ascend");
    p.W.assembled.column[1] = 1;
    p.W.assembled.start[1] = 5; // past the end: nothing may be read there
    refused(cn_friction_validate(&p, &error), "W: block row 1 has its end before its start");
    p.W.assembled.start[1] = 2;
    p.W.assembled.start[0] = 1;
    refused(cn_friction_validate(&p, &error), "W has no row pointers");
    p.W.assembled.start[0] = 0;
    p.W.assembled.value = NULL;
    refused(cn_friction_validate(&p, &error), "W has 4 blocks but no arrays");
    cn_arena_destroy(arena);
}

CN_TEST(the_diagonal_must_be_that_of_w) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = make_friction(arena);
    p.W.diagonal[4] = 3.0;
    refused(cn_friction_validate(&p, &error), "differs from W at contact 1");
    cn_arena_destroy(arena);
}

CN_TEST(body_space_is_checked_too) {
    int64_t start[] = {0, 1};
    int32_t dof[] = {0};
    double H[] = {1, 0}, MinvH[] = {1, 0}, diagonal[4] = {1}, q[] = {-1, 0}, mu[] = {0};
    cn_friction p = {.dim = 2, .contacts = 1, .q = q, .mu = mu};
    p.W = (cn_operator){.kind = CN_OPERATOR_BODY,
                        .diagonal = diagonal,
                        .body = {.dofs = 1, .start = start, .dof = dof, .H = H, .MinvH = MinvH}};
    assert_int_equal(cn_friction_validate(&p, &error), CN_OK);
    dof[0] = 1;
    refused(cn_friction_validate(&p, &error), "names column 1");
    dof[0] = 0;
    MinvH[1] = (double)NAN;
    refused(cn_friction_validate(&p, &error), "M^-1 H in body space[1]");
    p.W.body.H = NULL;
    refused(cn_friction_validate(&p, &error), "no arrays");
    p.W.body.dofs = -1;
    refused(cn_friction_validate(&p, &error), "no contact pointers");
}

CN_TEST(global_problems_are_checked) {
    cn_problem *problem = make_global();
    cn_friction_global *g = &problem->global;
    g->dofs = 3;
    refused(cn_problem_validate(problem, &error), "M is 2 x 2, but should be 3 x 3");
    g->dofs = -1;
    refused(cn_problem_validate(problem, &error), "the number of velocities is -1");
    g->dofs = 2;
    g->H.cols = 4;
    refused(cn_problem_validate(problem, &error), "H is 2 x 4, but should be 2 x 2");
    g->H.cols = 2;
    g->M.value[1] = (double)NAN;
    refused(cn_problem_validate(problem, &error), "M: entry (1, 1) is");
    g->M.value[1] = 2;
    g->f[0] = (double)NAN;
    refused(cn_problem_validate(problem, &error), "f[0]");
    g->f[0] = 0;
    g->w[1] = (double)NAN;
    refused(cn_problem_validate(problem, &error), "w[1]");
    g->w[1] = 0;
    g->mu[0] = -1;
    refused(cn_problem_validate(problem, &error), "contact 0");
    g->mu[0] = 0;
    double v[] = {0, (double)NAN};
    problem->v = v;
    refused(cn_problem_validate(problem, &error), "the stored v[1]");
    problem->v = NULL;
    double r[] = {(double)NAN, 0};
    problem->r = r;
    refused(cn_problem_validate(problem, &error), "the stored r[0]");
    problem->r = NULL;
    problem->kind = (cn_problem_kind)9;
    refused(cn_problem_validate(problem, &error), "unknown kind");
    cn_problem_destroy(problem);
}

CN_TEST(lcp_is_checked) {
    cn_problem *problem = cn_problem_create(NULL, CN_PROBLEM_LCP);
    const int32_t row[] = {0, 1}, column[] = {1, 0};
    const double value[] = {1, 2};
    double q[] = {1, 2};
    problem->lcp = (cn_lcp){.n = 2, .q = q};
    cn_csr *M = &problem->lcp.M;
    assert_int_equal(sparse_csr_from_triplets(problem->memory, 2, 2, 2, row, column, value, M),
                     CN_OK);
    assert_int_equal(cn_problem_validate(problem, &error), CN_OK);
    M->column[0] = -1;
    refused(cn_problem_validate(problem, &error), "M: row 0 names column -1");
    M->column[0] = 1;
    M->start[0] = 1;
    refused(cn_problem_validate(problem, &error), "row pointers");
    M->start[0] = 0;
    double *value_kept = M->value;
    M->value = NULL;
    refused(cn_problem_validate(problem, &error), "M has 2 entries but no arrays");
    M->value = value_kept;
    problem->lcp.n = 1;
    refused(cn_problem_validate(problem, &error), "M is 2 x 2, but should be 1 x 1");
    problem->lcp.n = -1;
    refused(cn_problem_validate(problem, &error), "the size n is -1");
    cn_problem_destroy(problem);
}
