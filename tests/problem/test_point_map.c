// The operator of points between rigid bodies: the same as its form in body space, to all that look
// at it.
#include "assemble/approach.h"
#include "forms.h"
#include "math/vec3.h"
#include "problem/grade/grade_points.h"
#include "problem/operator/point_map.h"
#include "rigid_problems.h"
#include "solve/drivers/islands.h"
#include "solve/gauss_seidel/sweep.h"
#include "world.h"

#include <cairn/solve.h>

// Bodies with up to three points a pair; every fifth pair with the first body, which is fixed. q is
// of velocities that the bodies can stop: a solution exists. rising: A is the lower body, as H in
// which points are recognised has it.
static cn_friction point_problem(cn_arena *arena, int32_t dim, uint64_t seed, bool rising) {
    int32_t run = dim == 3 ? 6 : 3;
    cn_friction p = {.dim = dim, .contacts = CONTACTS, .W = {.kind = CN_OPERATOR_POINTS}};
    cn_point_map *points = &p.W.points;
    double *inverse = BASE_TAKE_ZERO(arena, double, run *run *BODIES);
    *points = (cn_point_map){.bodies = BODIES,
                             .inverse = inverse,
                             .body = BASE_TAKE(arena, int32_t, 2 * CONTACTS),
                             .arm = BASE_TAKE_ZERO(arena, double, 6 * CONTACTS),
                             .frame = BASE_TAKE(arena, double, 6 * CONTACTS)};
    p.q = BASE_TAKE_ZERO(arena, double, dim *CONTACTS);
    p.mu = BASE_TAKE(arena, double, CONTACTS);
    p.W.diagonal = BASE_TAKE(arena, double, dim *dim *CONTACTS);
    base_rng rng = base_rng_seed(seed);
    double free[6 * BODIES] = {0.0}, still[3 * CONTACTS] = {0.0};
    for (int32_t i = 1; i < BODIES; i++) {
        random_mass(&rng, dim, false, inverse + run * run * i);
        for (int32_t k = 0; k < run; k++) {
            free[run * i + k] = base_rng_uniform(&rng, -1.0, 1.0);
        }
    }
    for (int32_t a = 0; a < CONTACTS; a++) {
        int32_t pair = a / 3, i = 1 + pair % (BODIES - 1),
                j = pair % 5 == 0 ? 0 : 1 + (i + pair / 7) % (BODIES - 1);
        bool first = rising ? i < j : pair % 2 == 1;
        double frame[3][3];
        random_frame(&rng, dim, frame);
        if (dim == 2) {
            frame[1][0] = -frame[0][1];
            frame[1][1] = frame[0][0];
        }
        memcpy(points->frame + 6 * a, frame, 6 * sizeof **frame);
        points->body[2 * a] = first ? i : j;
        points->body[2 * a + 1] = first ? j : i;
        for (int32_t k = 0; k < 2 * dim; k++) {
            int32_t side = k / dim, at = k % dim;
            points->arm[6 * a + 3 * side + at] =
                (side == 0 ? 0.9 : -1.1) * frame[0][at] + base_rng_uniform(&rng, -0.3, 0.3);
        }
        p.mu[a] = a % 11 == 0 ? 0.0 : base_rng_uniform(&rng, 0.0, 0.6);
    }
    prob_point_map_velocity(NULL, points, dim, CONTACTS, still, free, p.q);
    prob_point_map_diagonal(points, dim, CONTACTS, p.W.diagonal);
    return p;
}

CN_TEST(velocities_and_diagonal_are_those_of_body_space) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = point_problem(arena, dim, 1, false), body = in_body_space(&p, arena);
        check_velocities(&p, &body, arena);
        double diagonal[9 * CONTACTS];
        prob_operator_diagonal(&body.W, dim, CONTACTS, diagonal);
        for (int32_t i = 0; i < dim * dim * CONTACTS; i++) {
            CN_CHECK_NEAR(p.W.diagonal[i], diagonal[i], 1e-14);
        }
        cn_arena_destroy(arena);
    }
}

static void check_bits(const double *one, const double *other, int64_t count) {
    assert_true(memcmp(one, other, sizeof *one * (size_t)count) == 0);
}

// Contacts of the same two bodies go together; each has the bits that it has alone, on every
// processor.
CN_TEST(kernels_have_the_bits_of_one_contact_at_a_time) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = point_problem(arena, 3, 7, false);
    const cn_point_map *points = &p.W.points;
    const prob_point_kernel *plain = &prob_point_kernel_portable, *wide = prob_point_kernel_avx2();
    wide = wide ? wide : plain;
    double diagonal[2][9 * CONTACTS], u[2][3 * CONTACTS], v[3][6 * BODIES] = {{0.0}}, one[9];
    plain->diagonal(points, CONTACTS, diagonal[0]);
    wide->diagonal(points, CONTACTS, diagonal[1]);
    check_bits(diagonal[0], diagonal[1], 9 * CONTACTS);
    plain->push(points, CONTACTS, p.q, v[0]);
    wide->push(points, CONTACTS, p.q, v[1]);
    check_bits(v[0], v[1], 6 * BODIES);
    plain->velocity(points, 0, CONTACTS, p.q, v[0], u[0]);
    wide->velocity(points, 0, CONTACTS, p.q, v[0], u[1]);
    check_bits(u[0], u[1], 3 * CONTACTS);
    for (int32_t a = 0; a < CONTACTS; a++) {
        cn_point_map alone = *points;
        alone.body += 2 * a;
        alone.arm += 6 * a;
        alone.frame += 6 * a;
        wide->diagonal(&alone, 1, one);
        check_bits(one, diagonal[0] + 9 * a, 9);
        wide->push(&alone, 1, p.q + 3 * a, v[2]);
        wide->velocity(&alone, 0, 1, p.q + 3 * a, v[0], one);
        check_bits(one, u[0] + 3 * a, 3);
    }
    check_bits(v[0], v[2], 6 * BODIES);
    cn_arena_destroy(arena);
}

CN_TEST(approaches_have_the_bits_of_one_point_at_a_time) {
    base_rng rng = base_rng_seed(9);
    double numbers[2][15], point[ASM_APPROACH][4], axes[9];
    for (int i = 0; i < 30; i++) {
        numbers[i / 15][i % 15] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    math_contact_axes(3, (const double[3]){0.36, 0.48, 0.8}, axes);
    asm_approach approach = {.axes = axes};
    for (int side = 0; side < 2; side++) {
        approach.center[side] = numbers[side];
        approach.v_old[side] = numbers[side] + 3;
        approach.v_free[side] = numbers[side] + 9;
    }
    for (int i = 0; i < ASM_APPROACH; i++) {
        for (int k = 0; k < 4; k++) {
            point[i][k] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        approach.point[i] = point[i];
    }
    asm_approached any, wide;
    asm_approach_fn *fn = asm_approach_avx2();
    asm_approach_plain(&approach, &any);
    (fn ? fn : asm_approach_plain)(&approach, &wide);
    assert_true(memcmp(&any, &wide, sizeof any) == 0);
    for (int i = 0; i < ASM_APPROACH; i++) {
        double moving[2][3], apart[3];
        for (int side = 0; side < 2; side++) {
            const double *arm = any.arm[i] + 3 * side, *v = approach.v_free[side];
            for (int k = 0; k < 3; k++) {
                CN_CHECK_NEAR(arm[k], point[i][k] - numbers[side][k], 0.0);
            }
            math_cross3(v + 3, arm, moving[side]);
            math_add_scaled3(moving[side], 1.0, v, moving[side]);
        }
        math_sub3(moving[1], moving[0], apart);
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(any.free[i][k], math_dot3(axes + 3 * k, apart), 0.0);
        }
    }
}

CN_TEST(the_checker_has_the_bits_of_one_contact_at_a_time) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = point_problem(arena, 3, 8, false);
    const prob_plain_kernel *any = &prob_plain_kernel_any, *wide = prob_plain_kernel_avx2();
    wide = wide ? wide : any;
    double v[3][6 * BODIES] = {{0.0}}, u[2][3 * CONTACTS], trace[2][CONTACTS], one[3], own;
    any->impulses(&p, p.q, v[0]);
    wide->impulses(&p, p.q, v[1]);
    check_bits(v[0], v[1], 6 * BODIES);
    any->velocities(&p, v[0], 0, CONTACTS, u[0], trace[0]);
    wide->velocities(&p, v[0], 0, CONTACTS, u[1], trace[1]);
    check_bits(u[0], u[1], 3 * CONTACTS);
    check_bits(trace[0], trace[1], CONTACTS);
    for (int32_t a = 0; a < CONTACTS; a++) {
        cn_friction alone = p;
        alone.contacts = 1;
        alone.q += 3 * a;
        alone.W.points.body += 2 * a;
        alone.W.points.arm += 6 * a;
        alone.W.points.frame += 6 * a;
        wide->impulses(&alone, p.q + 3 * a, v[2]);
        wide->velocities(&alone, v[0], 0, 1, one, &own);
        check_bits(one, u[0] + 3 * a, 3);
        check_bits(&own, trace[0] + a, 1);
    }
    check_bits(v[0], v[2], 6 * BODIES);
    cn_arena_destroy(arena);
}

CN_TEST(the_checker_grades_both_forms_alike) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = point_problem(arena, dim, 2, false), body = in_body_space(&p, arena);
        check_grades(&p, &body, arena);
        cn_arena_destroy(arena);
    }
}

// A sweep over the points and one over the H made of them, in which they are recognised anew; and
// the wide kernel against the plain one, to the bit.
CN_TEST(sweeps_are_those_of_body_space) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = point_problem(arena, dim, 3, true), body = in_body_space(&p, arena);
        const cn_friction *form[3] = {&p, &body, &p};
        double r[3][3 * CONTACTS] = {{0.0}};
        for (int k = 0; k < 3; k++) {
            gs_sweep sweep;
            assert_int_equal(
                gs_sweep_prepare(form[k], cn_local_solver_find("hybrid"), 1.0, arena, &sweep),
                CN_OK);
            assert_int_equal(sweep.ops->kind, GS_SWEEP_MANIFOLDS);
            if (k == 2) {
                gs_sweep_use_portable(&sweep);
            }
            double *x = BASE_TAKE_ZERO(arena, double, sweep.size + GS_SWEEP_PAD);
            gs_sweep_load(&sweep, r[k], x);
            gs_sweep_run(&sweep, x, 5);
            gs_sweep_store(&sweep, x, r[k]);
        }
        double size = 0.0;
        for (int32_t i = 0; i < dim * CONTACTS; i++) {
            CN_CHECK_NEAR(r[0][i], r[1][i], 1e-12);
            CN_CHECK_TRUE(r[0][i] == r[2][i]);
            size += fabs(r[0][i]);
        }
        CN_CHECK_TRUE(size > 1.0);
        cn_arena_destroy(arena);
    }
}

CN_TEST(islands_are_those_of_body_space) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = point_problem(arena, dim, 4, false), body = in_body_space(&p, arena);
        bool kept[CONTACTS];
        for (int32_t a = 0; a < CONTACTS; a++) {
            kept[a] = a % 4 != 0 && a / 3 % 3 != 0; // so that there are several
        }
        solve_islands one, other;
        assert_int_equal(solve_islands_find(&p, kept, arena, &one), CN_OK);
        assert_int_equal(solve_islands_find(&body, kept, arena, &other), CN_OK);
        assert_int_equal(one.count, other.count);
        CN_CHECK_TRUE(one.count > 2);
        for (int32_t i = 0; i < one.count; i++) {
            cn_friction cut[2];
            double r[3 * CONTACTS], v[6 * BODIES + 6], u[2][3 * CONTACTS];
            assert_int_equal(solve_islands_cut(&p, &one, i, arena, &cut[0]), CN_OK);
            assert_int_equal(solve_islands_cut(&body, &other, i, arena, &cut[1]), CN_OK);
            assert_int_equal(cut[0].contacts, cut[1].contacts);
            assert_int_equal(cn_friction_validate(&cut[0], NULL), CN_OK);
            memcpy(r, p.q, sizeof *r * (size_t)(dim * cut[0].contacts));
            cn_friction_velocity(&cut[0], r, v, u[0]);
            cn_friction_velocity(&cut[1], r, v, u[1]);
            for (int32_t k = 0; k < dim * cut[0].contacts; k++) {
                CN_CHECK_NEAR(u[0][k], u[1][k], 1e-13);
            }
        }
        cn_arena_destroy(arena);
    }
}

static double solve(const cn_friction *p, const char *const setting[2], cn_arena *scratch,
                    double *r) {
    const cn_friction_solver *solver = cn_friction_solver_find(setting[0]);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-6;
    if (setting[1]) {
        const char *value = strcmp(setting[1], "order") == 0 ? "2" : "0.9";
        assert_int_equal(cn_solve_opts_set(&opts, &solver->info, setting[1], value, NULL), CN_OK);
    }
    double u[3 * CONTACTS];
    cn_solve_report report;
    cn_error error = {0};
    assert_int_equal(cn_friction_solve(p, solver, &opts, scratch, r, u, &report, &error), CN_OK);
    return report.grade.residual;
}

// Those that take points solve them; those that want H, and nsgs in ways that packets cannot do,
// answer as they do when they are given H.
CN_TEST(all_solvers_take_it) {
    static const char *const settings[][2] = {{"auto", NULL},         {"nsgs", NULL},
                                              {"nsgs", "relaxation"}, {"nsgs", "order"},
                                              {"prox-newton", NULL},  {"extra-gradient", NULL}};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            cn_arena *arena = cn_arena_create(NULL), *scratch = cn_arena_create(NULL);
            cn_friction p = point_problem(arena, dim, 5, false), body = in_body_space(&p, arena);
            double r[3 * CONTACTS] = {0.0}, other[3 * CONTACTS] = {0.0};
            double residual = solve(&p, settings[k], scratch, r);
            cn_grade grade;
            assert_int_equal(cn_friction_grade(&body, r, NULL, arena, &grade), CN_OK);
            CN_CHECK_NEAR(grade.residual, residual, 1e-12);
            if (k < 2) {
                CN_CHECK_BELOW(residual, 1e-6);
            } else {
                solve(&body, settings[k], scratch, other);
                assert_memory_equal(r, other, sizeof r);
            }
            cn_arena_destroy(scratch);
            cn_arena_destroy(arena);
        }
    }
}

CN_TEST(faults_are_found) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = point_problem(arena, 3, 6, false);
    cn_error error = {0};
    p.W.points.body[7] = BODIES;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "contact 3 names body 40 of 40"));
    p = point_problem(arena, 3, 6, false);
    p.W.points.arm[2] = (double)NAN;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "the lever arms[2]"));
    p = point_problem(arena, 3, 6, false);
    p.W.points.frame = NULL;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    p = point_problem(arena, 3, 6, false);
    uint8_t boxed[CONTACTS] = {0};
    p.bounds.boxed = boxed;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "joint rows"));
    cn_arena_destroy(arena);
}

// A locked box, a free one that leans on it and a ball, on a driven floor: what a run hands out has
// H, and its answer has the residual that the step reported.
CN_TEST(runs_hand_out_their_problems_in_body_space) {
    world w = world_open("cairn: 1\ntime: {step: 0.01}\nsolver: {tolerance: 1.0e-6}\n"
                         "materials: {stone: {density: 2500}}\n"
                         "contacts: [{between: [stone, stone], friction: 0.4}]\n"
                         "bodies:\n"
                         "  - {name: floor, fixed: true, material: stone,\n"
                         "     shape: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n"
                         "  - {name: a, material: stone, position: [0, 0, 0.5],\n"
                         "     lock: [tx, ry], shape: [{box: {size: [1, 1, 1]}}]}\n"
                         "  - {name: b, material: stone, position: [0.1, 0.2, 1.5],\n"
                         "     velocity: [1, 0.2, 0], shape: [{box: {size: [1, 1, 1]}}]}\n"
                         "  - {name: c, material: stone, position: [2, 0, 0.5],\n"
                         "     velocity: [-1, 0, 0], shape: [{sphere: {radius: 0.5}}]}\n"
                         "motions:\n"
                         "  - {body: floor, velocity: [0.3, 0, 0]}\n");
    cn_arena *arena = cn_arena_create(NULL);
    int32_t contacts = 0;
    for (int step = 0; step < 60; step++) {
        int32_t count = world_graded_step(&w, arena);
        contacts = count > contacts ? count : contacts;
    }
    CN_CHECK_TRUE(contacts >= 8);
    CN_CHECK_BELOW(w.worst_balance, 1e-8);
    assert_int_equal(w.unsolved, 0);
    cn_arena_destroy(arena);
    world_close(&w);
}
