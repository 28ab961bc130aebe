// Friction problems with blocks of joint rows: bilateral constraints, limits, motors, compliance,
// redundant and contradictory rows, alone and beside contacts.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "jointed_problems.h"
#include "small_problems.h"
#include "solve/drivers/joint_rows.h"
#include "solve_named.h"

#include <cairn/eliminate.h>
#include <cairn/solve.h>
#include <stdlib.h>
#include <string.h>

static cn_problem *planted(int32_t dim, int32_t blocks, double deficiency, double joints,
                           uint64_t seed) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    opts.dim = dim;
    opts.contacts = blocks;
    opts.deficiency = deficiency;
    opts.joints = joints;
    opts.compliant = 0.3;
    opts.seed = seed;
    assert_int_equal(cn_planted_friction(NULL, &opts, &problem, NULL), CN_OK);
    return problem;
}

// ---- the data ----

CN_TEST(planted_joints_solve_both_forms) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_problem *problem = planted(dim, 60, 0.4, 0.5, 3);
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction form[3];
        cn_grade grade;
        assert_int_equal(cn_problem_validate(problem, NULL), CN_OK);
        assert_int_equal(cn_friction_condense(&problem->global, arena, &form[0], NULL), CN_OK);
        assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &form[1], NULL), CN_OK);
        assert_int_equal(cn_friction_assemble(&form[1], arena, &form[2], NULL), CN_OK);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(cn_friction_validate(&form[k], NULL), CN_OK);
            assert_int_equal(cn_friction_grade(&form[k], problem->r, problem->u, arena, &grade),
                             CN_OK);
            CN_CHECK_BELOW(grade.residual, 1e-14);
            CN_CHECK_BELOW(grade.residual_q, 1e-14);
            CN_CHECK_BELOW(grade.velocity_mismatch, 1e-13);
            CN_CHECK_BELOW(grade.dual_violation, 1e-13);
            assert_int_equal(grade.open + grade.stick + grade.slide, 30);
        }
        cn_arena_destroy(arena);
        cn_problem_destroy(problem);
    }
}

CN_TEST(wrong_bounds_are_refused_with_their_place) {
    cn_problem *problem = planted(3, 10, 0.0, 1.0, 5);
    cn_bounds *bounds = &problem->global.bounds;
    cn_error error;
    const double wrong[] = {1.0, (double)NAN};
    for (int k = 0; k < 2; k++) {
        double kept = bounds->lower[7];
        bounds->lower[7] = wrong[k];
        assert_int_equal(cn_problem_validate(problem, &error), CN_ERR_INPUT);
        assert_non_null(strstr(error.message, "row 7"));
        bounds->lower[7] = kept;
    }
    double kept = bounds->compliance[4];
    bounds->compliance[4] = -1.0;
    assert_int_equal(cn_problem_validate(problem, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "compliance"));
    bounds->compliance[4] = kept;
    problem->global.mu[2] = 0.5;
    assert_int_equal(cn_problem_validate(problem, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "block 2"));
    problem->global.mu[2] = 0.0;
    bounds->boxed[9] = 0;
    bounds->compliance[29] = -1.0;
    assert_int_equal(cn_problem_validate(problem, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "contact 9"));
    cn_problem_destroy(problem);
}

CN_TEST(files_refuse_joints_and_say_why) {
    cn_problem *problem = planted(2, 5, 0.0, 0.5, 5);
    cn_error error;
    char path[64];
    for (int k = 0; k < 2; k++) {
        cn_small_path(path, k == 0 ? ".hdf5" : ".dat");
        assert_int_equal(cn_problem_write(problem, path, CN_FILE_AUTO, &error), CN_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "joint rows"));
        CN_CHECK_TRUE(access(path, F_OK) != 0);
    }
    cn_problem_destroy(problem);
}

// ---- the checker, against numbers by hand ----

// One body on a line with a motor of at most bound [N s], q = -3 m/s, W = 1/2; the other rows of
// its block carry nothing.
static jointed *motor(cn_arena *arena, int32_t dim, double bound, double compliance) {
    const double free[6] = {-3.0, 0.0, 0.0, 0.0, 0.0, 0.0}, arm[3] = {0.0, 0.0, 0.0};
    jointed *j = jointed_create(arena, dim, 1, 1);
    jointed_body(j, 0, 2.0, 1.0, free);
    jointed_pin(j, 0, arm, FIXED, arm);
    for (int32_t i = 0; i < dim; i++) {
        j->p.bounds.lower[i] = i == 0 ? -bound : 0.0;
        j->p.bounds.upper[i] = i == 0 ? bound : 0.0;
    }
    j->p.bounds.compliance[0] = compliance;
    jointed_finish(j);
    return j;
}

CN_TEST(grade_is_that_of_the_definition) {
    cn_arena *arena = cn_arena_create(NULL);
    const cn_friction *p = &motor(arena, 2, 1.0, 0.0)->p;
    cn_grade grade;
    double r[2] = {0.5, 0.0};
    assert_int_equal(cn_friction_grade(p, r, NULL, arena, &grade), CN_OK);
    // r - rho u is beyond the bound with rho = dim/trace = 2: e = (0.5 - 1)/2.
    CN_CHECK_NEAR(grade.residual, 0.25 / 3.0, 1e-15);
    CN_CHECK_NEAR(grade.residual_q, 0.5 / 3.0, 1e-15);
    CN_CHECK_NEAR(grade.complementarity, 0.5 * 2.75 / (0.5 * 2.75), 1e-15);
    r[0] = 1.0;
    assert_int_equal(cn_friction_grade(p, r, NULL, arena, &grade), CN_OK);
    CN_CHECK_NEAR(grade.residual, 0.0, 0.0);
    r[0] = 1.5;
    assert_int_equal(cn_friction_grade(p, r, NULL, arena, &grade), CN_OK);
    CN_CHECK_NEAR(grade.cone_violation, 0.5 / 1.5, 1e-15);
    CN_CHECK_NEAR(grade.residual, 0.25 / 3.0, 1e-15);
    // Compliance is part of W: rho = 2/(0.5 + 1.5), u = 2 * 0.5 - 3.
    p = &motor(arena, 2, HUGE_VAL, 1.5)->p;
    r[0] = 0.5;
    assert_int_equal(cn_friction_grade(p, r, NULL, arena, &grade), CN_OK);
    CN_CHECK_NEAR(grade.residual, 2.0 / 3.0, 1e-15);
    CN_CHECK_NEAR(grade.dual_violation, 1.0, 1e-15);
    cn_arena_destroy(arena);
}

CN_TEST(a_row_without_force_does_not_press) {
    cn_arena *arena = cn_arena_create(NULL);
    jointed *j = motor(arena, 2, 1.0, 0.0);
    double r[2] = {1.0, 0.0};
    cn_grade grade;
    j->p.q[1] = 1e6; // carries nothing, and is not part of the unit
    r[0] = 0.5;
    assert_int_equal(cn_friction_grade(&j->p, r, NULL, arena, &grade), CN_OK);
    CN_CHECK_NEAR(grade.residual, 0.25 / 3.0, 1e-15);
    cn_arena_destroy(arena);
}

// ---- closed forms ----

static const char *const names[] = {"auto",      "nsgs",      "prox-newton", "fixed-point",
                                    "uzawa",     "apgd",      "bb",          "admm",
                                    "newton-ac", "newton-jm", "newton-fb",   "extra-gradient"};
#define NAMES ((int)(sizeof names / sizeof *names))

CN_TEST(motor_gives_what_it_can) {
    for (int k = 0; k < 2 * NAMES; k++) {
        int32_t dim = 2 + k % 2, i = k / 2;
        cn_arena *arena = cn_arena_create(NULL);
        double r[3], u[3];
        // At its bound it slows the body, within it stops it: r = 3/W.
        const cn_friction *p = &motor(arena, dim, 1.0, 0.0)->p;
        CN_CHECK_BELOW(solve_from_zero(p, names[i], 1e-10, arena, r, u).grade.residual, 1e-10);
        CN_CHECK_NEAR(r[0], 1.0, 1e-9);
        CN_CHECK_NEAR(u[0], -2.5, 1e-9);
        p = &motor(arena, dim, 10.0, 0.0)->p;
        CN_CHECK_BELOW(solve_from_zero(p, names[i], 1e-10, arena, r, u).grade.residual, 1e-10);
        CN_CHECK_NEAR(r[0], 6.0, 1e-8);
        CN_CHECK_NEAR(u[0], 0.0, 1e-9);
        cn_arena_destroy(arena);
    }
}

CN_TEST(compliance_gives_the_spring_its_share) {
    for (int k = 0; k < 2 * NAMES; k++) {
        int32_t dim = 2 + k % 2, i = k / 2;
        cn_arena *arena = cn_arena_create(NULL);
        double r[3], u[3];
        const cn_friction *p = &motor(arena, dim, HUGE_VAL, 1.5)->p;
        CN_CHECK_BELOW(solve_from_zero(p, names[i], 1e-10, arena, r, u).grade.residual, 1e-10);
        CN_CHECK_NEAR(r[0], 3.0 / (0.5 + 1.5), 1e-9);
        // The body goes on by what the spring gives way: u = W r + q + E r.
        CN_CHECK_NEAR(u[0], 0.0, 1e-9);
        cn_arena_destroy(arena);
    }
}

CN_TEST(limit_holds_one_way_only) {
    for (int k = 0; k < 2 * NAMES; k++) {
        int32_t dim = 2 + k % 2, i = k / 2;
        for (int way = 0; way < 2; way++) {
            cn_arena *arena = cn_arena_create(NULL);
            double r[3], u[3];
            jointed *j = motor(arena, dim, 1.0, 0.0);
            j->p.bounds.lower[0] = 0.0;
            j->p.bounds.upper[0] = HUGE_VAL;
            j->p.q[0] = way == 0 ? -3.0 : 3.0;
            CN_CHECK_BELOW(solve_from_zero(&j->p, names[i], 1e-10, arena, r, u).grade.residual,
                           1e-10);
            CN_CHECK_NEAR(r[0], way == 0 ? 6.0 : 0.0, 1e-8);
            CN_CHECK_NEAR(u[0], way == 0 ? 0.0 : 3.0, 1e-9);
            cn_arena_destroy(arena);
        }
    }
}

// A bar held at one end, let go at rest under gravity: the pin carries m g h I/(I + m a^2).
CN_TEST(pendulum_starts_with_the_force_of_its_pin) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        const double mass = 3.0, inertia = 0.7, lever = 0.4, fall = -9.81e-3;
        const double free[6] = {0.0, fall, 0.0, 0.0, 0.0, 0.0}, arm[3] = {-lever, 0.0, 0.0};
        const double origin[3] = {0.0, 0.0, 0.0};
        cn_arena *arena = cn_arena_create(NULL);
        jointed *j = jointed_create(arena, dim, 1, 1);
        double r[3], u[3];
        jointed_body(j, 0, mass, inertia, free);
        jointed_pin(j, 0, arm, FIXED, origin);
        cn_solve_report report =
            solve_from_zero(jointed_finish(j), "prox-newton", 1e-13, arena, r, u);
        CN_CHECK_BELOW(report.grade.residual, 1e-13);
        CN_CHECK_TRUE(report.iterations == 1);
        double want = -mass * fall * inertia / (inertia + mass * lever * lever);
        CN_CHECK_NEAR(r[0], 0.0, 1e-15);
        CN_CHECK_NEAR(r[1], want, 1e-14);
        cn_arena_destroy(arena);
    }
}

// ---- redundant rows ----

// Bars that stand on fixed pins and carry one beam; beyond two they are one too many in the plane.
// Every joint is there `copies` times.
static const cn_friction *parallelogram(cn_arena *arena, int32_t dim, int32_t bars,
                                        int32_t copies) {
    const double free[6] = {0.3, -9.81e-3, 0.0, 0.0, 0.0, 0.0};
    const double foot[3] = {0.3, -0.4, 0.0}, head[3] = {-0.3, 0.4, 0.0};
    jointed *j = jointed_create(arena, dim, bars + 1, 4 * bars * copies);
    double none[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i <= bars; i++) {
        jointed_body(j, i, i == bars ? 5.0 : 1.0, i == bars ? 2.0 : 0.1, free);
    }
    for (int32_t k = 0; k < bars * copies; k++) {
        int32_t i = k % bars;
        double at[3] = {i - 0.5 * (bars - 1), 0.0, 0.0};
        const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
        jointed_pin(j, i, foot, FIXED, none);
        jointed_pin(j, i, head, bars, at);
        if (dim == 3) {
            jointed_align(j, i, FIXED, x, y);
            jointed_align(j, i, bars, x, y);
        }
    }
    return jointed_finish(j);
}

CN_TEST(hyperstatic_parallelogram_to_round_off) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        double r[3 * 20], u[3 * 20];
        cn_solve_report report =
            solve_from_zero(parallelogram(arena, dim, 5, 1), "auto", 1e-12, arena, r, u);
        CN_CHECK_BELOW(report.grade.residual, 1e-12);
        CN_CHECK_TRUE(report.iterations <= 2);
        cn_arena_destroy(arena);
    }
}

CN_TEST(repeated_joints_change_no_velocity) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        double v[2][6 * 3];
        for (int k = 0; k < 2; k++) {
            const cn_friction *p = parallelogram(arena, dim, 2, k == 0 ? 1 : 3);
            double r[3 * 24], u[3 * 24];
            CN_CHECK_BELOW(solve_from_zero(p, "auto", 1e-12, arena, r, u).grade.residual, 1e-12);
            cn_friction_velocity(p, r, v[k], u);
        }
        for (int32_t i = 0; i < (dim == 3 ? 18 : 9); i++) {
            CN_CHECK_NEAR(v[1][i], v[0][i], 1e-11);
        }
        cn_arena_destroy(arena);
    }
}

// From step to step, each with the impulses of the last as guess and rows that do not quite agree.
CN_TEST(impulses_of_redundant_rows_stay_bounded) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        const cn_friction *p = parallelogram(arena, dim, 2, 3);
        const cn_friction_solver *solver = cn_friction_solver_find("auto");
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        base_rng rng = base_rng_seed(3);
        double r[3 * 24] = {0.0}, u[3 * 24], q[3 * 24], first = 0.0, last = 0.0;
        memcpy(q, p->q, sizeof *q * (size_t)(dim * p->contacts));
        for (int step = 0; step < 500; step++) {
            cn_solve_report report;
            double pace = base_rng_uniform(&rng, 0.9, 1.1);
            for (int32_t i = 0; i < dim * p->contacts; i++) {
                p->q[i] = pace * q[i];
            }
            p->q[0] += 3e-10;
            assert_int_equal(cn_friction_solve(p, solver, &opts, arena, r, u, &report, NULL),
                             CN_OK);
            assert_int_equal(report.outcome, CN_SOLVED);
            last = 0.0;
            for (int32_t i = 0; i < dim * p->contacts; i++) {
                last = fmax(last, fabs(r[i]));
            }
            first = step == 0 ? last : first;
        }
        CN_CHECK_BELOW(last, 1.2 * first);
        cn_arena_destroy(arena);
    }
}

CN_TEST(planted_problems_by_every_solver_that_takes_joints) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_problem *problem = planted(dim, 30, 0.0, 0.4, 11);
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction form[2];
        double r[3 * 30], u[3 * 30];
        assert_int_equal(cn_friction_condense(&problem->global, arena, &form[0], NULL), CN_OK);
        assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &form[1], NULL), CN_OK);
        int taking = 0;
        for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
            const cn_solver_info *info = &cn_friction_solver_at(i)->info;
            bool takes = info->accepts & CN_TAKES_BOUNDS;
            taking += takes;
            for (int k = 0; k < 2; k++) {
                cn_solve_report report = solve_from_zero(&form[k], info->name, 1e-8, arena, r, u);
                // qp is sure for semi-definite problems only, which friction is not.
                bool sure = !(dim == 3 && info->accepts & CN_FACETS_CONE);
                sure = sure && strcmp(info->name, "qp") != 0;
                if (takes && sure) {
                    CN_CHECK_BELOW(report.grade.residual, 1e-8);
                } else if (!takes) {
                    assert_int_equal(report.outcome, CN_UNSUPPORTED);
                    assert_non_null(strstr(report.detail, "joint rows"));
                }
            }
        }
        CN_CHECK_TRUE(taking >= NAMES);
        cn_arena_destroy(arena);
        cn_problem_destroy(problem);
    }
}

CN_TEST(hyperstatic_planted_problems_to_high_accuracy) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (uint64_t seed = 1; seed <= 4; seed++) {
            cn_problem *problem = planted(dim, 60, 0.4, seed % 2 ? 1.0 : 0.5, seed);
            cn_arena *arena = cn_arena_create(NULL);
            cn_friction form[2];
            double r[3 * 60], u[3 * 60];
            assert_int_equal(cn_friction_condense(&problem->global, arena, &form[0], NULL), CN_OK);
            assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &form[1], NULL),
                             CN_OK);
            for (int k = 0; k < 2; k++) {
                CN_CHECK_BELOW(
                    solve_from_zero(&form[k], "prox-newton", 1e-12, arena, r, u).grade.residual,
                    1e-12);
                CN_CHECK_BELOW(solve_from_zero(&form[k], "auto", 1e-12, arena, r, u).grade.residual,
                               1e-12);
            }
            cn_arena_destroy(arena);
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(sweeps_in_another_order_know_their_bounds) {
    cn_problem *problem = planted(3, 40, 0.0, 0.5, 8);
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction form[2];
    double r[3 * 40], u[3 * 40];
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    assert_int_equal(cn_friction_condense(&problem->global, arena, &form[0], NULL), CN_OK);
    assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &form[1], NULL), CN_OK);
    const char *const ways[][2] = {{"order", "2"}, {"symmetric", "1"}, {"relaxation", "1.3"}};
    for (int way = 0; way < 3; way++) {
        for (int k = 0; k < 2; k++) {
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            cn_solve_report report;
            assert_int_equal(
                cn_solve_opts_set(&opts, &solver->info, ways[way][0], ways[way][1], NULL), CN_OK);
            memset(r, 0, sizeof r);
            assert_int_equal(cn_friction_solve(&form[k], solver, &opts, arena, r, u, &report, NULL),
                             CN_OK);
            CN_CHECK_BELOW(report.grade.residual, 1e-8);
        }
    }
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}

// ---- contradictions ----

CN_TEST(contradictory_rows_are_found_and_named) {
    const char *const direct[] = {"prox-newton", "auto"};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < 2; i++) {
            const double free[6] = {0.0, -0.01, 0.0, 0.0, 0.0, 0.0};
            const double arms[2][3] = {{-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}};
            const double none[3] = {0.0, 0.0, 0.0};
            cn_arena *arena = cn_arena_create(NULL);
            jointed *j = jointed_create(arena, dim, 3, 4);
            double r[3 * 4], u[3 * 4];
            for (int32_t b = 0; b < 3; b++) {
                jointed_body(j, b, 1.0 + b, 0.3, free);
            }
            // Two points of a rigid bar cannot come nearer to each other.
            jointed_pin(j, 1, arms[0], 2, arms[1]);
            jointed_pin(j, 0, arms[0], FIXED, none);
            jointed_pin(j, 0, arms[1], FIXED, none);
            j->p.q[2 * dim] += 0.25;
            cn_solve_report report =
                solve_from_zero(jointed_finish(j), direct[i], 1e-8, arena, r, u);
            assert_int_equal(report.outcome, CN_INFEASIBLE);
            assert_non_null(strstr(report.detail, "contradict"));
            CN_CHECK_TRUE(report.grade.worst == 1 || report.grade.worst == 2);
            for (int32_t k = 0; k < dim * j->p.contacts; k++) {
                CN_CHECK_TRUE(isfinite(r[k]) && isfinite(u[k]));
            }
            cn_arena_destroy(arena);
        }
    }
}

// ---- a long chain ----

// A weight of a million links: the chain hardly feels a tension of them all, yet it is no
// contradiction.
CN_TEST(heavy_weight_hangs_on_a_chain) {
    enum { links = 100 };
    for (int32_t dim = 2; dim <= 3; dim++) {
        const double free[6] = {0.0, -0.01, 0.0, 0.0, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
        const double up[3] = {0.0, 0.5, 0.0}, down[3] = {0.0, -0.5, 0.0}, weight = 1e6;
        cn_arena *arena = cn_arena_create(NULL);
        jointed *j = jointed_create(arena, dim, links, links);
        double r[3 * links], u[3 * links];
        for (int32_t i = 0; i < links; i++) {
            jointed_body(j, i, i < links - 1 ? 1.0 : weight, i < links - 1 ? 0.1 : weight, free);
        }
        jointed_pin(j, 0, up, FIXED, none);
        for (int32_t i = 1; i < links; i++) {
            jointed_pin(j, i - 1, down, i, up);
        }
        cn_solve_report report = solve_from_zero(jointed_finish(j), "auto", 1e-8, arena, r, u);
        assert_int_equal(report.outcome, CN_SOLVED);
        CN_CHECK_TRUE(report.iterations <= 4);
        // The first pin carries everything.
        CN_CHECK_NEAR(r[1], 0.01 * (weight + links - 1), 1e-6 * weight);
        cn_arena_destroy(arena);
    }
}

CN_TEST(chain_over_a_cylinder_to_round_off) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        const cn_friction *p = jointed_chain(arena, dim, 200, 1e-3);
        double *r = BASE_TAKE(arena, double, dim * p->contacts);
        double *u = BASE_TAKE(arena, double, dim * p->contacts);
        cn_solve_report report = solve_from_zero(p, "auto", 1e-12, arena, r, u);
        CN_CHECK_BELOW(report.grade.residual, 1e-12);
        CN_CHECK_TRUE(report.grade.stick + report.grade.slide > 20);
        cn_arena_destroy(arena);
    }
}

// ---- one block ----

CN_TEST(one_block_is_solved_whatever_its_rank) {
    base_rng rng = base_rng_seed(17);
    for (int trial = 0; trial < 2000; trial++) {
        int32_t dim = 2 + trial % 2, rank = 1 + base_rng_below(&rng, dim);
        double root[3][3] = {{0.0}}, W[9], lower[3], upper[3], q[3], r[3] = {0.0, 0.0, 0.0};
        double z[3], u[3];
        for (int32_t i = 0; i < dim; i++) {
            for (int32_t k = 0; k < rank; k++) {
                root[i][k] = base_rng_uniform(&rng, -1.0, 1.0);
            }
            bool free = base_rng_below(&rng, 3) == 0;
            lower[i] = free ? -HUGE_VAL : -base_rng_uniform(&rng, 0.0, 1.0);
            upper[i] =
                free || base_rng_below(&rng, 2) ? HUGE_VAL : base_rng_uniform(&rng, 0.0, 1.0);
            // A solution is chosen first, so that one exists.
            z[i] = fmin(fmax(base_rng_uniform(&rng, -2.0, 2.0), lower[i]), upper[i]);
            u[i] = z[i] <= lower[i]   ? base_rng_uniform(&rng, 0.0, 1.0)
                   : z[i] >= upper[i] ? -base_rng_uniform(&rng, 0.0, 1.0)
                                      : 0.0;
        }
        for (int32_t i = 0; i < dim; i++) {
            q[i] = u[i];
            for (int32_t j = 0; j < dim; j++) {
                W[dim * j + i] = 0.0;
                for (int32_t k = 0; k < dim; k++) {
                    W[dim * j + i] += root[i][k] * root[j][k];
                }
                q[i] -= W[dim * j + i] * z[j];
            }
        }
        solve_box_solve(dim, W, lower, upper, q, r);
        for (int32_t i = 0; i < dim; i++) {
            double velocity = q[i];
            for (int32_t j = 0; j < dim; j++) {
                velocity += W[dim * j + i] * r[j];
            }
            double mid = fmin(fmax(r[i] - velocity, lower[i]), upper[i]);
            CN_CHECK_NEAR(r[i], mid, 1e-9);
        }
    }
}

// ---- elimination ----

// Planted problems whose joint rows are all bilateral, compliant ones among them.
static cn_problem *bilateral(int32_t dim, int32_t blocks, double deficiency, uint64_t seed) {
    cn_problem *problem = planted(dim, blocks, deficiency, 0.5, seed);
    cn_bounds *bounds = &problem->global.bounds;
    for (int32_t i = 0; i < dim * blocks; i++) {
        if (bounds->boxed[i / dim]) {
            // What the planted row leaves open is closed by its own offset.
            problem->global.w[i] -= problem->u[i];
            problem->u[i] = 0.0;
            bounds->lower[i] = -HUGE_VAL;
            bounds->upper[i] = HUGE_VAL;
        }
    }
    return problem;
}

CN_TEST(elimination_agrees_with_the_mixed_solution) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < 4; k++) {
            cn_problem *problem = bilateral(dim, 40, k < 2 ? 0.0 : 0.3, 21 + (uint64_t)k);
            cn_arena *arena = cn_arena_create(NULL);
            cn_friction p;
            cn_eliminated *e;
            double r[3 * 40], u[3 * 40], own[3 * 40], own_u[3 * 40], back[3 * 40], back_u[3 * 40];
            double v[6 * 40];
            assert_int_equal(k % 2 == 0
                                 ? cn_friction_condense(&problem->global, arena, &p, NULL)
                                 : cn_friction_to_body_space(&problem->global, arena, &p, NULL),
                             CN_OK);
            CN_CHECK_BELOW(solve_from_zero(&p, "auto", 1e-12, arena, r, u).grade.residual, 1e-12);
            assert_int_equal(cn_friction_eliminate(&p, arena, &e, NULL), CN_OK);
            // The contacts' velocities are those of the whole, and the joints come back.
            cn_eliminated_restrict(e, r, own);
            cn_friction_velocity(cn_eliminated_contacts(e), own, NULL, own_u);
            cn_eliminated_recover(e, own, back);
            cn_friction_velocity(&p, back, v, back_u);
            for (int32_t a = 0, c = 0; a < 40; a++) {
                bool joint = p.bounds.boxed[a];
                for (int32_t i = 0; i < dim; i++) {
                    CN_CHECK_NEAR(back_u[dim * a + i], u[dim * a + i], 1e-9);
                    if (!joint) {
                        CN_CHECK_NEAR(own_u[dim * c + i], u[dim * a + i], 1e-9);
                    }
                }
                c += !joint;
            }
            cn_arena_destroy(arena);
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(elimination_lets_solvers_of_contacts_solve_joints) {
    const char *const contact_solvers[] = {"ipm", "cadoux", "cpg", "auto"};
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_problem *problem = bilateral(dim, 30, 0.0, 4);
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p;
        double r[3 * 30], u[3 * 30];
        assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &p, NULL), CN_OK);
        for (int i = 0; i < 4; i++) {
            const cn_friction_solver *solver = cn_friction_solver_find(contact_solvers[i]);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            cn_solve_report report;
            opts.tolerance = 1e-6;
            memset(r, 0, sizeof r);
            assert_int_equal(
                cn_friction_solve_eliminated(&p, solver, &opts, arena, r, u, &report, NULL), CN_OK);
            CN_CHECK_BELOW(report.grade.residual, 1e-6);
            assert_int_equal(report.outcome, CN_SOLVED);
        }
        cn_arena_destroy(arena);
        cn_problem_destroy(problem);
    }
}

CN_TEST(elimination_of_a_chain_leaves_its_contacts) {
    cn_arena *arena = cn_arena_create(NULL);
    const cn_friction *p = jointed_chain(arena, 2, 40, 1e-3);
    cn_eliminated *e;
    assert_int_equal(cn_friction_eliminate(p, arena, &e, NULL), CN_OK);
    CN_CHECK_BELOW(cn_eliminated_residual(e), 1e-12);
    const cn_friction *left = cn_eliminated_contacts(e);
    assert_int_equal(cn_friction_validate(left, NULL), CN_OK);
    assert_int_equal(left->contacts, p->contacts - 39);
    CN_CHECK_TRUE(!left->bounds.boxed);
    // W' is symmetric: an impulse here moves what one there would move here.
    const cn_bsr *W = &left->W.assembled;
    assert_int_equal(W->start[left->contacts], (int64_t)left->contacts * left->contacts);
    for (int32_t i = 0; i < left->contacts; i++) {
        for (int32_t j = 0; j < i; j++) {
            double here = W->value[4 * (W->start[i] + j) + 2];
            double there = W->value[4 * (W->start[j] + i) + 1];
            CN_CHECK_NEAR(here, there, 1e-12);
        }
    }
    cn_arena_destroy(arena);
}

CN_TEST(elimination_refuses_what_it_cannot_do) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_eliminated *e;
    cn_error error;
    assert_int_equal(cn_friction_eliminate(&motor(arena, 2, 1.0, 0.0)->p, arena, &e, &error),
                     CN_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "row 0"));
    cn_problem *problem = planted(2, 5, 0.0, 0.0, 1);
    cn_friction p;
    assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
    assert_int_equal(cn_friction_eliminate(&p, arena, &e, &error), CN_ERR_UNSUPPORTED);
    cn_problem_destroy(problem);
    cn_arena_destroy(arena);
}

CN_TEST(elimination_tells_contradictions) {
    const double free[3] = {0.0, -0.01, 0.0}, none[3] = {0.0, 0.0, 0.0};
    const double arms[2][3] = {{-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}}, up[3] = {0.0, 1.0, 0.0};
    cn_arena *arena = cn_arena_create(NULL);
    jointed *j = jointed_create(arena, 2, 1, 3);
    double r[2 * 3] = {0.0}, u[2 * 3];
    jointed_body(j, 0, 1.0, 0.3, free);
    jointed_pin(j, 0, arms[0], FIXED, none);
    jointed_pin(j, 0, arms[1], FIXED, none);
    jointed_contact(j, 0, up, none, 0.5);
    j->p.q[2] += 0.25;
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_solve_report report;
    assert_int_equal(
        cn_friction_solve_eliminated(jointed_finish(j), solver, &opts, arena, r, u, &report, NULL),
        CN_OK);
    assert_int_equal(report.outcome, CN_STALLED);
    assert_non_null(strstr(report.detail, "contradict"));
    for (int32_t k = 0; k < 6; k++) {
        CN_CHECK_TRUE(isfinite(r[k]) && isfinite(u[k]));
    }
    cn_arena_destroy(arena);
}

// ---- complementarity ----

CN_TEST(formulations_keep_the_boxes_of_joint_rows) {
    const char *const pivoting[] = {"lemke", "qp", "mcp"};
    const char *const forms[] = {"inner", "outer", "box"};
    cn_problem *problem = planted(2, 25, 0.0, 0.5, 9);
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p;
    double r[2 * 25], u[2 * 25];
    assert_int_equal(cn_friction_to_body_space(&problem->global, arena, &p, NULL), CN_OK);
    for (int i = 0; i < 3; i++) {
        const cn_mcp_solver *solver = cn_mcp_solver_find(pivoting[i]);
        for (int k = 0; k < (i == 1 ? 1 : 3); k++) { // qp is not for the others
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            cn_formulation_opts how = cn_formulation_opts_default();
            cn_formulation_choice choice = {
                .formulation = cn_formulation_find(forms[k]), .opts = &how, .solver = solver};
            cn_formulation_report report;
            opts.tolerance = 1e-9;
            memset(r, 0, sizeof r);
            assert_int_equal(cn_formulation_solve(&p, &choice, &opts, arena, r, u, &report, NULL),
                             CN_OK);
            CN_CHECK_BELOW(report.friction.grade.residual, 1e-7);
        }
    }
    cn_formulated f;
    cn_formulation_opts how = cn_formulation_opts_default();
    cn_error error;
    assert_int_equal(cn_formulate(cn_formulation_find("frictionless"), &p, &how, arena, &f, &error),
                     CN_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "joint rows"));
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}

CN_TEST(mixed_formulation_keeps_the_boxes_too) {
    cn_problem *problem = planted(2, 25, 0.0, 0.5, 9);
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p;
    double r[2 * 25] = {0.0}, u[2 * 25];
    assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
    const cn_mcp_solver *solver = cn_mcp_solver_find("mcp");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_formulation_opts how = cn_formulation_opts_default();
    cn_formulation_choice choice = {.formulation = cn_formulation_find("mixed"),
                                    .opts = &how,
                                    .global = &problem->global,
                                    .solver = solver};
    cn_formulation_report report;
    opts.tolerance = 1e-10;
    assert_int_equal(cn_formulation_solve(&p, &choice, &opts, arena, r, u, &report, NULL), CN_OK);
    CN_CHECK_BELOW(report.friction.grade.residual, 1e-8);
    cn_arena_destroy(arena);
    cn_problem_destroy(problem);
}

// Without contacts the matrix is semi-definite, which every method of the three can do.
CN_TEST(pivoting_solves_joints_alone) {
    const char *const pivoting[] = {"lemke", "qp", "mcp"};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < 3; i++) {
            cn_problem *problem = planted(dim, 20, 0.0, 1.0, 2);
            cn_arena *arena = cn_arena_create(NULL);
            cn_friction p;
            double r[3 * 20], u[3 * 20];
            assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
            CN_CHECK_BELOW(solve_from_zero(&p, pivoting[i], 1e-9, arena, r, u).grade.residual,
                           1e-9);
            cn_arena_destroy(arena);
            cn_problem_destroy(problem);
        }
    }
}
