// What every form of the operator must have in common with body space.
#ifndef CAIRN_TESTS_FORMS_H
#define CAIRN_TESTS_FORMS_H

#include "base/arena.h"
#include "check.h"

#include <cairn/problem.h>

static inline cn_friction in_body_space(const cn_friction *p, cn_arena *arena) {
    cn_friction body;
    assert_int_equal(cn_friction_expand(p, arena, &body), CN_OK);
    assert_int_equal(body.W.kind, CN_OPERATOR_BODY);
    return body;
}

// u of p, of body and of W assembled from p, for any impulses.
static inline void check_velocities(const cn_friction *p, const cn_friction *body,
                                    cn_arena *arena) {
    cn_friction assembled;
    cn_error error = {0};
    int64_t rows = (int64_t)p->dim * p->contacts;
    double *v = BASE_TAKE(arena, double, body->W.body.dofs),
           *u = BASE_TAKE(arena, double, 3 * rows);
    assert_int_equal(cn_friction_validate(p, &error), CN_OK);
    assert_int_equal(cn_friction_validate(body, &error), CN_OK);
    assert_int_equal(cn_friction_assemble(p, arena, &assembled, &error), CN_OK);
    assert_int_equal(cn_operator_dofs(&p->W, p->dim), body->W.body.dofs);
    cn_friction_velocity(p, p->q, v, u);
    cn_friction_velocity(body, p->q, v, u + rows);
    cn_friction_velocity(&assembled, p->q, NULL, u + 2 * rows);
    for (int64_t i = 0; i < rows; i++) {
        CN_CHECK_NEAR(u[i], u[rows + i], 1e-13);
        CN_CHECK_NEAR(u[i], u[2 * rows + i], 1e-13);
    }
}

static inline void check_grades(const cn_friction *p, const cn_friction *body, cn_arena *arena) {
    cn_grade one, other;
    assert_int_equal(cn_friction_grade(p, p->q, NULL, arena, &one), CN_OK);
    assert_int_equal(cn_friction_grade(body, p->q, NULL, arena, &other), CN_OK);
    CN_CHECK_NEAR(one.residual, other.residual, 1e-13 * other.residual);
    CN_CHECK_NEAR(one.residual_q, other.residual_q, 1e-13 * other.residual_q);
    CN_CHECK_NEAR(one.residual_max, other.residual_max, 1e-13 * other.residual_max);
    CN_CHECK_NEAR(one.complementarity, other.complementarity, 1e-13);
    assert_int_equal(one.worst, other.worst);
    assert_int_equal(one.open, other.open);
    assert_int_equal(one.slide, other.slide);
}

#endif
