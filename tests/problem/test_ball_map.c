// The operator of spheres and disks: the same as its form in body space, to all that look at it.
#include "forms.h"
#include "problem/operator/operator.h"
#include "rigid_problems.h"
#include "world.h"

#include <cairn/solve.h>

// Balls in random touch, every fifth contact with the last body, which is fixed.
static cn_friction sphere_problem(cn_arena *arena, int32_t dim, uint64_t seed) {
    int32_t run = dim == 3 ? 6 : 3;
    cn_friction p = {.dim = dim, .contacts = CONTACTS, .W = {.kind = CN_OPERATOR_SPHERES}};
    cn_sphere_map *spheres = &p.W.spheres;
    *spheres = (cn_sphere_map){.bodies = BODIES,
                               .inv_mass = BASE_TAKE_ZERO(arena, double, 2 * BODIES),
                               .body = BASE_TAKE(arena, int32_t, 2 * CONTACTS),
                               .arm = BASE_TAKE(arena, double, 2 * CONTACTS),
                               .normal = BASE_TAKE(arena, double, 3 * CONTACTS)};
    p.q = BASE_TAKE_ZERO(arena, double, dim *CONTACTS);
    p.mu = BASE_TAKE(arena, double, CONTACTS);
    base_rng rng = base_rng_seed(seed);
    double free[6 * BODIES] = {0.0}, still[3 * CONTACTS] = {0.0};
    for (int32_t i = 0; i < BODIES - 1; i++) {
        spheres->inv_mass[2 * i] = base_rng_uniform(&rng, 0.5, 1.5);
        spheres->inv_mass[2 * i + 1] = base_rng_uniform(&rng, 1.0, 2.0);
        for (int32_t k = 0; k < run; k++) {
            free[run * i + k] = base_rng_uniform(&rng, -1.0, 1.0);
        }
    }
    for (int32_t a = 0; a < CONTACTS; a++) {
        double frame[3][3];
        int32_t i = a % (BODIES - 1), j = a % 5 == 0 ? BODIES - 1 : (i + 1 + a / 7) % (BODIES - 1);
        random_frame(&rng, dim, frame);
        memcpy(spheres->normal + 3 * a, frame[0], sizeof frame[0]);
        spheres->body[2 * a] = a % 2 ? i : j;
        spheres->body[2 * a + 1] = a % 2 ? j : i;
        spheres->arm[2 * a] = base_rng_uniform(&rng, 0.5, 1.5);
        spheres->arm[2 * a + 1] = base_rng_uniform(&rng, 0.5, 1.5);
        p.mu[a] = a % 11 == 0 ? 0.0 : base_rng_uniform(&rng, 0.0, 0.6);
    }
    prob_sphere_map_velocity(NULL, spheres, dim, CONTACTS, still, free,
                             p.q); // the bodies can stop it
    return p;
}

CN_TEST(velocities_and_diagonal_are_those_of_body_space) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = sphere_problem(arena, dim, 1), body = in_body_space(&p, arena);
        check_velocities(&p, &body, arena);
        double diagonal[9 * CONTACTS];
        prob_operator_diagonal(&body.W, dim, CONTACTS, diagonal);
        for (int32_t i = 0; i < dim * dim * CONTACTS; i++) {
            CN_CHECK_NEAR(body.W.diagonal[i], diagonal[i], 1e-14);
        }
        for (int32_t a = 0; a < CONTACTS; a++) {
            double trace = prob_operator_trace(&body.W, dim, a);
            CN_CHECK_NEAR(prob_operator_trace(&p.W, dim, a), trace, 1e-14);
        }
        cn_arena_destroy(arena);
    }
}

CN_TEST(the_checker_grades_both_forms_alike) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = sphere_problem(arena, dim, 2), body = in_body_space(&p, arena);
        check_grades(&p, &body, arena);
        cn_arena_destroy(arena);
    }
}

// Two forms of a problem have one answer, to the last bit.
static void check_same_answer(const cn_friction *p, const cn_friction *other, cn_arena *arena) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    double r[2][3 * CONTACTS] = {{0.0}}, u[2][3 * CONTACTS];
    cn_solve_report report[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(cn_friction_solve(k == 0 ? p : other, solver, &opts, arena, r[k], u[k],
                                           &report[k], NULL),
                         CN_OK);
    }
    size_t bytes = sizeof(double) * (size_t)(p->dim * CONTACTS);
    assert_memory_equal(r[0], r[1], bytes);
    assert_memory_equal(u[0], u[1], bytes);
    CN_CHECK_NEAR(report[0].grade.residual, report[1].grade.residual, 0.0);
}

CN_TEST(normals_may_be_part_of_larger_records) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = sphere_problem(arena, dim, 5), apart = p;
        double *record = BASE_TAKE(arena, double, 9 * CONTACTS);
        for (int32_t i = 0; i < 9 * CONTACTS; i++) {
            record[i] = (double)NAN;
        }
        for (int32_t a = 0; a < CONTACTS; a++) {
            memcpy(record + 9 * a + 4, p.W.spheres.normal + 3 * a, 3 * sizeof *record);
        }
        apart.W.spheres.normal = record + 4;
        apart.W.spheres.stride = 9;
        assert_int_equal(cn_friction_validate(&apart, NULL), CN_OK);
        cn_friction body = in_body_space(&apart, arena);
        check_velocities(&p, &body, arena);
        check_same_answer(&p, &apart, arena);
        cn_arena_destroy(arena);
    }
}

CN_TEST(arms_follow_from_radii_and_gaps) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = sphere_problem(arena, dim, 8), without = p;
        double *record = BASE_TAKE(arena, double, 4 * CONTACTS), radius[BODIES];
        base_rng rng = base_rng_seed(9);
        for (int32_t i = 0; i < BODIES; i++) {
            radius[i] = i < BODIES - 1 ? base_rng_uniform(&rng, 0.5, 1.5) : -1.0;
        }
        for (int32_t a = 0; a < CONTACTS; a++) {
            memcpy(record + 4 * a, p.W.spheres.normal + 3 * a, 3 * sizeof *record);
            record[4 * a + 3] = base_rng_uniform(&rng, -0.1, 0.1);
            for (int side = 0; side < 2; side++) {
                double own = radius[p.W.spheres.body[2 * a + side]];
                p.W.spheres.arm[2 * a + side] = own < 0.0 ? 0.0 : own + 0.5 * record[4 * a + 3];
            }
        }
        without.W.spheres.arm = NULL;
        without.W.spheres.normal = record;
        without.W.spheres.stride = 4;
        without.W.spheres.radius = radius;
        assert_int_equal(cn_friction_validate(&without, NULL), CN_OK);
        cn_friction body = in_body_space(&without, arena);
        check_velocities(&p, &body, arena);
        check_velocities(&without, &body, arena);
        check_same_answer(&p, &without, arena);
        cn_arena_destroy(arena);
    }
}

// A memo changes nothing, whether the problem before had the same bodies or others.
CN_TEST(what_solves_leave_to_each_other_keeps_the_bits) {
    cn_solve_cache *cache = cn_solve_cache_create(NULL);
    assert_non_null(cache);
    static const uint64_t seeds[] = {6, 6, 7, 7, 6};
    static const char *const names[] = {"nsgs", "auto"};
    for (size_t k = 0; k < 2 * sizeof seeds / sizeof *seeds; k++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = sphere_problem(arena, 3, seeds[k / 2]);
        if (seeds[k / 2] == 7) {
            p.contacts = CONTACTS - 3;
        }
        const cn_friction_solver *solver = cn_friction_solver_find(names[k % 2]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.tolerance = 1e-6;
        double r[2][3 * CONTACTS] = {{0.0}}, u[3 * CONTACTS];
        cn_solve_report report;
        for (int i = 0; i < 2; i++) {
            opts.cache = i == 0 ? NULL : cache;
            assert_int_equal(cn_friction_solve(&p, solver, &opts, arena, r[i], u, &report, NULL),
                             CN_OK);
        }
        assert_memory_equal(r[0], r[1], sizeof r[0]);
        cn_arena_destroy(arena);
    }
    cn_solve_cache_destroy(cache);
}

// Nobody asks for u: r and its grade are the same.
CN_TEST(solvers_do_without_room_for_velocities) {
    static const char *const names[] = {"auto", "nsgs", "prox-newton", "extra-gradient"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = sphere_problem(arena, 3, 6);
        const cn_friction_solver *solver = cn_friction_solver_find(names[k]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.tolerance = 1e-6;
        double r[2][3 * CONTACTS] = {{0.0}}, u[3 * CONTACTS];
        cn_solve_report report[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(cn_friction_solve(&p, solver, &opts, arena, r[i], i == 0 ? u : NULL,
                                               &report[i], NULL),
                             CN_OK);
            assert_int_equal(report[i].outcome, CN_SOLVED);
        }
        assert_memory_equal(r[0], r[1], sizeof r[0]);
        CN_CHECK_NEAR(report[0].grade.residual, report[1].grade.residual, 0.0);
        cn_arena_destroy(arena);
    }
}

// Every solver, also those that know nothing of balls, and nsgs in ways that packets cannot do.
CN_TEST(all_solvers_take_it) {
    static const char *const settings[][2] = {{"auto", NULL},         {"nsgs", NULL},
                                              {"nsgs", "relaxation"}, {"nsgs", "order"},
                                              {"prox-newton", NULL},  {"extra-gradient", NULL}};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            cn_arena *arena = cn_arena_create(NULL), *scratch = cn_arena_create(NULL);
            cn_friction p = sphere_problem(arena, dim, 3);
            const cn_friction_solver *solver = cn_friction_solver_find(settings[k][0]);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            opts.tolerance = 1e-6;
            if (settings[k][1]) {
                const char *value = strcmp(settings[k][1], "order") == 0 ? "2" : "1.2";
                assert_int_equal(
                    cn_solve_opts_set(&opts, &solver->info, settings[k][1], value, NULL), CN_OK);
            }
            double r[3 * CONTACTS] = {0.0}, u[3 * CONTACTS];
            cn_solve_report report;
            cn_error error = {0};
            assert_int_equal(cn_friction_solve(&p, solver, &opts, scratch, r, u, &report, &error),
                             CN_OK);
            CN_CHECK_BELOW(report.grade.residual, 1e-6);
            cn_friction body = in_body_space(&p, arena);
            cn_grade grade;
            assert_int_equal(cn_friction_grade(&body, r, u, arena, &grade), CN_OK);
            CN_CHECK_BELOW(grade.residual, 1.001e-6);
            CN_CHECK_BELOW(grade.velocity_mismatch, 1e-12);
            cn_arena_destroy(scratch);
            cn_arena_destroy(arena);
        }
    }
}

CN_TEST(faults_are_found) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = sphere_problem(arena, 3, 4);
    cn_error error = {0};
    p.W.spheres.body[7] = BODIES;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "contact 3 names body 40 of 40"));
    p = sphere_problem(arena, 3, 4);
    p.W.spheres.arm[2] = (double)NAN;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "the radii[2]"));
    p = sphere_problem(arena, 3, 4);
    p.W.spheres.normal = NULL;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    p = sphere_problem(arena, 3, 4);
    p.W.spheres.stride = 2;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "normals 2 numbers apart"));
    p = sphere_problem(arena, 3, 4);
    double radius[BODIES] = {0.0};
    p.W.spheres.arm = NULL;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "lacks arrays"));
    p.W.spheres.radius = radius; // but there are no gaps
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "normals 0 numbers apart"));
    p = sphere_problem(arena, 3, 4);
    uint8_t boxed[CONTACTS] = {0};
    p.bounds.boxed = boxed;
    assert_int_equal(cn_friction_validate(&p, &error), CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "joint rows"));
    cn_arena_destroy(arena);
}

static void remember(const world *w, double *before) {
    for (int32_t i = 0; i < 4; i++) {
        memcpy(before + 13 * i, w->q + 7 * i, 7 * sizeof *before);
        memcpy(before + 13 * i + 7, w->v + 6 * i, 6 * sizeof *before);
    }
}

// From the centre that a sphere had in the middle of the last step to a contact point, against the
// normal.
static double radial_distance(const cn_contact_record *contact, cn_body_id sphere, double h,
                              const double *before) {
    double distance = 0.0;
    for (int k = 0; k < 3; k++) {
        double middle = before[13 * (sphere - 1) + k] + 0.5 * h * before[13 * (sphere - 1) + 7 + k];
        distance -= (contact->point[k] - middle) * contact->normal[k];
    }
    return distance;
}

// Spheres on a driven floor and against a fixed box: what a run hands out is in body space, and its
// answer has the residual that the step reported.
CN_TEST(runs_of_spheres_hand_out_their_problems_in_body_space) {
    world w = world_open("cairn: 1\ntime: {step: 0.01}\nsolver: {tolerance: 1.0e-6}\n"
                         "integrator: {penetration_slop: 0}\n" // q~ is where velocities lead
                         "materials: {stone: {density: 2500}}\n"
                         "contacts: [{between: [stone, stone], friction: 0.4}]\n"
                         "bodies:\n"
                         "  - {name: floor, fixed: true, material: stone,\n"
                         "     shape: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n"
                         "  - {name: block, fixed: true, material: stone, position: [1, 0, 0.5],\n"
                         "     shape: [{box: {size: [1, 1, 1]}}]}\n"
                         "  - {name: a, material: stone, position: [0, 0, 0.5],\n"
                         "     velocity: [1, 0.2, 0], shape: [{sphere: {radius: 0.5}}]}\n"
                         "  - {name: b, material: stone, position: [0, 0.2, 1.5],\n"
                         "     shape: [{sphere: {radius: 0.5}}]}\n"
                         "motions:\n"
                         "  - {body: floor, velocity: [0.3, 0, 0]}\n");
    cn_arena *arena = cn_arena_create(NULL);
    int32_t contacts = 0;
    double before[13 * 4]; // pose and velocity of each body
    remember(&w, before);
    for (int step = 0; step < 60; step++) {
        int32_t count = world_graded_step(&w, arena);
        contacts = count > contacts ? count : contacts;
        for (int32_t c = 0; c < cn_sim_contact_count(w.sim); c++) {
            cn_contact_record contact;
            cn_sim_contact(w.sim, c, &contact);
            CN_CHECK_NEAR(radial_distance(&contact, contact.candidate, 0.01, before),
                          0.5 + 0.5 * contact.gap, 1e-12);
        }
        remember(&w, before);
    }
    CN_CHECK_TRUE(contacts >= 3);
    CN_CHECK_BELOW(w.worst_balance, 1e-8);
    assert_int_equal(w.unsolved, 0);
    cn_arena_destroy(arena);
    world_close(&w);
}
