// Steps with a limit of time: what they answer when it is up. No time is asserted.
#include "world.h"

#include <cairn/solve.h>

#define BOX                                                                                        \
    "  - {material: wall, fixed: true, shape: [{plane: {normal: [0, 0, 1]}}, {plane: {normal: "    \
    "[1, 0, 0], offset: -4}}, {plane: {normal: [-1, 0, 0], offset: -4}}, {plane: {normal: [0, 1, " \
    "0], offset: -4}}, {plane: {normal: [0, -1, 0], offset: -4}}]}\n"

// Balls that fall into a box, with a limit [s] a step.
static world hurried_by(const char *clock, double limit, const char *policy) {
    return world_open("cairn: 1\ndimension: 3\ntime: {step: 0.02}\n"
                      "solver: {tolerance: 1e-8, %s: %g, on_stall: %s}\n"
                      "materials: {grain: {density: 1}, wall: {density: 1}}\n"
                      "contacts: [{between: [\"*\", \"*\"], friction: 0.3}]\nbodies:\n" BOX
                      "generate: [{packing: {count: 60, radius: 1, inside: [[-4, -4, 0], [4, 4, "
                      "40]], seed: 3, material: grain}}]\n",
                      clock, limit, policy);
}

static world hurried(double limit, const char *policy) {
    return hurried_by("time_limit", limit, policy);
}

// The residual of what the step applied, computed anew from its problem.
static double regraded(const world *w) {
    const double *r, *u;
    const cn_friction *p = cn_sim_problem(w->sim, &r, &u);
    cn_arena *scratch = cn_arena_create(NULL);
    cn_grade grade;
    CN_CHECK_TRUE(p && scratch && cn_friction_grade(p, r, u, scratch, &grade) == CN_OK);
    cn_arena_destroy(scratch);
    return grade.residual;
}

CN_TEST(a_limited_step_says_so_and_its_residual_is_true) {
    world w = hurried(1e-9, "retry");
    int32_t timed = 0;
    for (int32_t i = 0; i < 80; i++) {
        world_step(&w);
        if (w.last.contacts > 0) {
            CN_CHECK_TRUE(w.last.outcome == CN_TIME || w.last.outcome == CN_SOLVED);
            CN_CHECK_NEAR(w.last.residual, regraded(&w), 1e-12);
            CN_CHECK_TRUE(w.last.outcome == CN_TIME || w.last.residual <= 1e-8);
            timed += w.last.outcome == CN_TIME;
        }
    }
    CN_CHECK_BELOW(10, timed);
    world_close(&w);
}

// Another solve from the same place, or two of half the length, would need the time that is up.
CN_TEST(time_that_is_up_is_no_reason_to_retry_or_to_halve) {
    static const char *const policies[] = {"retry", "halve", "continue"};
    for (int32_t k = 0; k < 3; k++) {
        world w = hurried(1e-9, policies[k]);
        for (int32_t i = 0; i < 60; i++) {
            world_step(&w);
            CN_CHECK_TRUE(w.last.outcome == CN_SOLVED || w.last.outcome == CN_TIME);
            CN_CHECK_NEAR(w.last.retries + w.last.halvings, 0, 0);
        }
        world_close(&w);
    }
}

CN_TEST(time_that_is_up_ends_a_run_that_stops_on_stalls) {
    world w = hurried(1e-9, "stop");
    cn_error error = {0};
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < 80; i++) {
        status = cn_sim_step(w.sim, &w.last, &error);
    }
    CN_CHECK_TRUE(status == CN_ERR_NUMERIC);
    CN_CHECK_TRUE(strstr(error.message, "time") != NULL);
    world_close(&w);
}

// A limit that is never reached changes nothing.
CN_TEST(a_generous_limit_gives_the_same_bits) {
    world a = hurried(0.0, "retry"), b = hurried(1000.0, "retry");
    for (int32_t i = 0; i < 60; i++) {
        world_step(&a);
        world_step(&b);
    }
    CN_CHECK_TRUE(cn_sim_hash(a.sim) == cn_sim_hash(b.sim));
    world_close(&a);
    world_close(&b);
}

// The answer is the best iterate, and the start is one: what a limit cuts short is not worse than
// what it began with.
CN_TEST(a_limited_solve_is_not_worse_than_its_start) {
    static const char *const names[] = {"auto", "nsgs"};
    world w = hurried(0.0, "retry");
    world_run(&w, 1.5);
    const double *r, *u;
    const cn_friction *p = cn_sim_problem(w.sim, &r, &u);
    size_t m = (size_t)p->dim * (size_t)p->contacts;
    double *start = malloc(m * sizeof *start), *v = malloc(m * sizeof *v);
    cn_arena *scratch = cn_arena_create(NULL);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const cn_friction_solver *solver = cn_friction_solver_find(names[k]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.tolerance = 1e-14;
        opts.time_limit = 1e-9;
        for (size_t i = 0; i < m; i++) {
            start[i] = r[i] * (i % 2 ? 1.01 : 0.99);
        }
        cn_grade before;
        cn_solve_report report;
        CN_CHECK_TRUE(cn_friction_grade(p, start, NULL, scratch, &before) == CN_OK);
        CN_CHECK_TRUE(cn_friction_solve(p, solver, &opts, scratch, start, v, &report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(report.outcome == CN_TIME);
        CN_CHECK_BELOW(report.grade.residual, before.residual * (1.0 + 1e-9));
    }
    cn_arena_destroy(scratch);
    free(start);
    free(v);
    world_close(&w);
}

CN_TEST(a_limit_by_the_wall_clock_does_the_same) {
    world w = hurried_by("wall_limit", 1e-9, "retry");
    int32_t timed = 0;
    for (int32_t i = 0; i < 80; i++) {
        world_step(&w);
        CN_CHECK_TRUE(w.last.outcome == CN_TIME || w.last.outcome == CN_SOLVED);
        CN_CHECK_NEAR(w.last.retries + w.last.halvings, 0, 0);
        if (w.last.contacts > 0) {
            CN_CHECK_NEAR(w.last.residual, regraded(&w), 1e-12);
            timed += w.last.outcome == CN_TIME;
        }
    }
    CN_CHECK_BELOW(10, timed);
    world_close(&w);
    world a = hurried(0.0, "retry"), b = hurried_by("wall_limit", 1000.0, "retry");
    for (int32_t i = 0; i < 60; i++) {
        world_step(&a);
        world_step(&b);
    }
    CN_CHECK_TRUE(cn_sim_hash(a.sim) == cn_sim_hash(b.sim));
    world_close(&a);
    world_close(&b);
}

// Every solver that has iterations ends at a deadline that is past; one that is far off is none.
CN_TEST(a_solve_ends_at_its_deadline) {
    static const char *const names[] = {"auto", "nsgs", "apgd"};
    world w = hurried(0.0, "retry");
    world_run(&w, 1.5);
    const double *r, *u;
    const cn_friction *p = cn_sim_problem(w.sim, &r, &u);
    size_t m = (size_t)p->dim * (size_t)p->contacts;
    double *start = malloc(m * sizeof *start), *v = malloc(m * sizeof *v);
    cn_arena *scratch = cn_arena_create(NULL);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        for (int far = 0; far < 2; far++) {
            const cn_friction_solver *solver = cn_friction_solver_find(names[k]);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            cn_solve_report report;
            opts.tolerance = far ? 1e-4 : 1e-14;
            opts.deadline = far ? cn_clock() + 1000.0 : cn_clock();
            memset(start, 0, m * sizeof *start);
            CN_CHECK_TRUE(cn_friction_solve(p, solver, &opts, scratch, start, v, &report, NULL) ==
                          CN_OK);
            CN_CHECK_TRUE(far ? report.outcome == CN_SOLVED : report.outcome == CN_TIME);
        }
    }
    cn_arena_destroy(scratch);
    free(start);
    free(v);
    world_close(&w);
}
