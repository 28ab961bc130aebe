// The independent checker: residuals computed by hand, every kind of violation, units, odd cases.
#include "check.h"

#include "base/arena.h"
#include "problem/operator.h"
#include "sparse/csr.h"

#include <string.h>

typedef struct fixture {
    cn_arena *arena;
    cn_friction p;
    cn_grade grade;
} fixture;

// A problem with the dense matrix W (m x m, by rows).
static fixture make(int32_t dim, int32_t contacts, const double *W, const double *q,
                    const double *mu) {
    fixture f = {.arena = cn_arena_create(NULL)};
    int32_t m = dim * contacts;
    cn_csr a = {.rows = m, .cols = m};
    a.start = CN_TAKE_ZERO(f.arena, int64_t, m + 1);
    a.column = CN_TAKE(f.arena, int32_t, (int64_t)m * m);
    a.value = CN_TAKE(f.arena, double, (int64_t)m *m);
    for (int32_t i = 0; i < m; i++) {
        a.start[i + 1] = (int64_t)m * (i + 1);
        for (int32_t j = 0; j < m; j++) {
            a.column[m * i + j] = j;
            a.value[m * i + j] = W[m * i + j];
        }
    }
    assert_int_equal(cn_friction_from_csr(f.arena, dim, contacts, &a, q, mu, &f.p), CN_OK);
    return f;
}

static void grade(fixture *f, const double *r, const double *u) {
    assert_int_equal(cn_friction_grade(&f->p, r, u, f->arena, &f->grade), CN_OK);
}

static void drop(fixture *f) {
    cn_arena_destroy(f->arena);
}

CN_TEST(a_resting_contact_has_no_error) {
    const double W[] = {2, 0, 0, 0, 4, 0, 0, 0, 4}, q[] = {-2, -0.4, 0}, mu[] = {0.5};
    fixture f = make(3, 1, W, q, mu);
    const double r[] = {1, 0.1, 0}; // |r_T| < mu r_N and u = 0
    grade(&f, r, NULL);
    CN_CHECK_NEAR(f.grade.residual, 0, 0);
    CN_CHECK_NEAR(f.grade.residual_q, 0, 0);
    CN_CHECK_NEAR(f.grade.residual_max, 0, 0);
    CN_CHECK_NEAR(f.grade.velocity_mismatch, 0, 0);
    assert_int_equal(f.grade.worst, -1);
    assert_int_equal(f.grade.stick, 1);
    drop(&f);
}
