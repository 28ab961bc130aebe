// Proximal Newton and what `auto` makes of it: hyperstatic problems to high accuracy, in both forms
// of W.
#include "check.h"

#include "base/arena.h"
#include "solve_named.h"

#include <cairn/solve.h>
#include <string.h>

static cn_problem *pile(int32_t dim, int32_t contacts, double deficiency, uint64_t seed) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    opts.dim = dim;
    opts.contacts = contacts;
    opts.deficiency = deficiency;
    opts.friction = 0.5;
    opts.seed = seed;
    assert_int_equal(cn_planted_friction(NULL, &opts, &problem, NULL), CN_OK);
    return problem;
}

// Half the unknowns have no stiffness of their own: impulses are not unique, velocities are.
static void check_both_forms(int32_t dim, double deficiency, const char *name) {
    enum { contacts = 60 };
    double r[3 * contacts], u[3 * contacts], other[3 * contacts];
    cn_problem *problem = pile(dim, contacts, deficiency, 11);
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction assembled, body;
    assert_int_equal(cn_friction_condense(&problem->global, arena, &assembled, NULL), CN_OK);
    assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &body, NULL), CN_OK);
    cn_solve_report first = solve_from_zero(&assembled, name, 1e-10, arena, r, u);
    CN_CHECK_BELOW(first.grade.residual, 1e-10);
    cn_solve_report second = solve_from_zero(&body, name, 1e-10, arena, r, other);
    CN_CHECK_BELOW(second.grade.residual, 1e-10);
    double largest = 0.0;
    for (int32_t i = 0; i < dim * contacts; i++) {
        largest = fmax(largest, fabs(problem->u[i]));
    }
    for (int32_t i = 0; i < dim * contacts; i++) {
        CN_CHECK_NEAR(other[i], u[i], 1e-6 * largest);
    }
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}

CN_TEST(solves_hyperstatic_piles_in_both_forms) {
    check_both_forms(3, 0.3, "prox-newton");
    check_both_forms(3, 0.0, "prox-newton");
}

CN_TEST(solves_plane_piles_in_both_forms) {
    check_both_forms(2, 0.0, "prox-newton");
}

CN_TEST(auto_solves_what_sweeps_alone_do_not) {
    double r[3 * 200], u[3 * 200];
    cn_problem *problem = pile(3, 200, 0.5, 3);
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p;
    assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
    CN_CHECK_TRUE(solve_from_zero(&p, "nsgs", 1e-10, arena, r, u).outcome != CN_SOLVED);
    CN_CHECK_BELOW(solve_from_zero(&p, "auto", 1e-10, arena, r, u).grade.residual, 1e-10);
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}

CN_TEST(limits_hold_and_the_best_iterate_comes_back) {
    double r[3 * 100], u[3 * 100];
    cn_problem *problem = pile(3, 100, 0.5, 3);
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p;
    assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
    const char *const names[] = {"prox-newton", "auto"};
    for (int i = 0; i < 2; i++) {
        const cn_friction_solver *solver = cn_friction_solver_find(names[i]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.tolerance = 1e-30;
        opts.max_iterations = 7;
        cn_solve_report report;
        memset(r, 0, sizeof r);
        assert_int_equal(cn_friction_solve(&p, solver, &opts, arena, r, u, &report, NULL), CN_OK);
        CN_CHECK_TRUE(report.iterations <= 7);
        CN_CHECK_BELOW(report.grade.residual, 1.0);
        CN_CHECK_TRUE(report.outcome == CN_LIMIT);
    }
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}
