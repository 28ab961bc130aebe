// Work that is cancelled: by a callback that says so at its k-th poll, so that no clock decides.
// What is cancelled ends as such, and leaves everything as it was.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "step/save/save.h"
#include "world.h"

#include <cairn/solve.h>
#include <string.h>

typedef struct countdown {
    int64_t polls; // so far
    int64_t fires; // at this one, and from then on; 0: never
} countdown;

static bool count_poll(void *user) {
    countdown *count = user;
    count->polls++;
    return count->fires > 0 && count->polls >= count->fires;
}

static cn_env env_with(countdown *count) {
    cn_env env = cn_env_default();
    env.cancel = count_poll;
    env.cancel_user = count;
    return env;
}

// ---- solvers ----

typedef struct trial {
    cn_status status;
    cn_solve_report report;
    double r[600];
} trial;

static trial solve_friction(const cn_friction *p, const cn_friction_solver *solver,
                            countdown *count) {
    trial t = {.status = CN_OK};
    cn_env env = env_with(count);
    cn_arena *scratch = cn_arena_create(&env);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-12;
    opts.max_iterations = 40;
    double u[600];
    CN_CHECK_TRUE(p->dim * p->contacts <= 600);
    t.status = cn_friction_solve(p, solver, &opts, scratch, t.r, u, &t.report, NULL);
    cn_arena_destroy(scratch);
    return t;
}

static cn_problem *planted(int32_t dim, double joints) {
    cn_planted_opts how = cn_planted_opts_default();
    cn_problem *problem;
    how.dim = dim;
    how.contacts = 60;
    how.joints = joints;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &how, &problem, NULL) == CN_OK);
    CN_CHECK_TRUE(
        cn_friction_condense(&problem->global, problem->memory, &problem->friction, NULL) == CN_OK);
    return problem;
}

CN_TEST(every_friction_solver_ends_at_the_poll_that_says_so) {
    cn_problem *problem = planted(3, 0.0);
    const cn_friction *p = &problem->friction;
    int32_t cancelled = 0;
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_friction_solver *solver = cn_friction_solver_at(i);
        countdown never = {0};
        trial whole = solve_friction(p, solver, &never);
        print_message("%s: %s, %lld polls\n", solver->info.name,
                      cn_outcome_text(whole.report.outcome), (long long)never.polls);
        if (whole.report.outcome == CN_UNSUPPORTED) {
            continue;
        }
        CN_CHECK_TRUE(whole.status == CN_OK && never.polls > 0);
        for (int64_t k = 1; k <= never.polls; k = 2 * k) {
            countdown at = {.fires = k};
            trial part = solve_friction(p, solver, &at);
            CN_CHECK_TRUE(part.status == CN_ERR_CANCELLED);
            cancelled++;
            // A few polls on the way out, by those who find what the first one left.
            CN_CHECK_BELOW((double)(at.polls - k), 8.5);
        }
        countdown again = {0};
        trial after = solve_friction(p, solver, &again);
        CN_CHECK_TRUE(again.polls == never.polls);
        CN_CHECK_TRUE(memcmp(after.r, whole.r, sizeof whole.r) == 0);
    }
    CN_CHECK_TRUE(cancelled > 50);
    cn_problem_destroy(problem);
}

CN_TEST(a_callback_of_the_options_comes_before_that_of_the_memory) {
    cn_problem *problem = planted(2, 0.2);
    countdown never = {0}, first = {.fires = 1};
    cn_env env = env_with(&never);
    cn_arena *scratch = cn_arena_create(&env);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    double r[120] = {0.0}, u[120];
    cn_solve_report report;
    cn_error error;
    opts.cancel = count_poll;
    opts.cancel_user = &first;
    CN_CHECK_TRUE(cn_friction_solve(&problem->friction, solver, &opts, scratch, r, u, &report,
                                    &error) == CN_ERR_CANCELLED);
    CN_CHECK_TRUE(strcmp(report.detail, "cancelled") == 0 && first.polls > 0);
    CN_CHECK_TRUE(strstr(error.message, "cancelled") != NULL);
    cn_arena_destroy(scratch);
    cn_problem_destroy(problem);
}

CN_TEST(every_lcp_solver_ends_at_the_poll_that_says_so) {
    cn_planted_opts how = cn_planted_opts_default();
    cn_problem *problem;
    how.contacts = 60;
    CN_CHECK_TRUE(cn_planted_lcp(NULL, &how, &problem, NULL) == CN_OK);
    for (int32_t i = 0; i < cn_lcp_solver_count(); i++) {
        const cn_lcp_solver *solver = cn_lcp_solver_at(i);
        countdown count = {0};
        for (int64_t k = 0; k <= count.polls || k == 0; k = k == 0 ? 1 : 2 * k) {
            countdown at = {.fires = k};
            cn_env env = env_with(&at);
            cn_arena *scratch = cn_arena_create(&env);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            double z[60] = {0.0}, w[60];
            cn_solve_report report;
            cn_status status =
                cn_lcp_solve(&problem->lcp, solver, &opts, scratch, z, w, &report, NULL);
            CN_CHECK_TRUE(status == (k == 0 ? CN_OK : CN_ERR_CANCELLED));
            count.polls = k == 0 ? at.polls : count.polls;
            cn_arena_destroy(scratch);
        }
        print_message("%s: %lld polls\n", solver->info.name, (long long)count.polls);
        CN_CHECK_TRUE(count.polls > 0);
    }
    cn_problem_destroy(problem);
}

// ---- steps ----

static cn_sim *sim_of(const cn_model *model, countdown *count) {
    cn_env env = env_with(count);
    cn_sim *sim;
    cn_error error = {0};
    if (cn_sim_create(model, &env, &sim, &error) != CN_OK) {
        world_fail(&error);
    }
    return sim;
}

// All of the state that further steps depend on; the contacts of the last step, which a failed one
// does not leave, are not.
static cn_status state_of(const cn_sim *sim, void **bytes, size_t *size) {
    step_save save;
    if (sim->system) {
        return cn_sim_save(sim, bytes, size);
    }
    CN_CHECK_TRUE(sim_parts(sim, false, &save));
    unsigned char *all = *bytes = malloc(save.size);
    CN_CHECK_TRUE(all != NULL);
    *size = save.size;
    for (int32_t i = 0; i < save.count; i++) {
        memcpy(all, save.part[i].bytes, save.part[i].size);
        all += save.part[i].size;
    }
    return CN_OK;
}

static void free_state(const cn_sim *sim, void *bytes, size_t size) {
    if (sim->system) {
        cn_sim_free(sim, bytes, size);
    } else {
        free(bytes);
    }
}

// Whether the bytes of the state are these.
static bool state_is(const cn_sim *sim, const void *bytes, size_t size) {
    void *own;
    size_t own_size;
    CN_CHECK_TRUE(state_of(sim, &own, &own_size) == CN_OK);
    bool same = own_size == size && memcmp(own, bytes, size) == 0;
    free_state(sim, own, own_size);
    return same;
}

// Runs a scene twice, once with every step cancelled several times on its way: the states have the
// same bits, those after a cancelled try are those before it. Returns how many tries there were.
static int32_t run_with_cancelled_steps(const char *name, const cn_override *overrides,
                                        int32_t override_count, int32_t steps) {
    // Two models: what controllers store is part of them.
    world plain = world_gallery(name, overrides, override_count),
          other = world_gallery(name, overrides, override_count);
    countdown never = {0}, count = {0};
    cn_sim *sim = sim_of(plain.model, &never), *tried = sim_of(other.model, &count);
    int32_t tries = 0;
    for (int32_t i = 0; i < steps; i++) {
        cn_step_report report, other_report;
        cn_error error = {0};
        void *before, *after;
        size_t before_size, after_size;
        never.polls = 0;
        CN_CHECK_TRUE(state_of(sim, &before, &before_size) == CN_OK);
        CN_CHECK_TRUE(cn_sim_step(sim, &report, &error) == CN_OK);
        CN_CHECK_TRUE(state_of(sim, &after, &after_size) == CN_OK);
        // A step that is tried again may have fewer polls: what was found before is found at once.
        cn_status status = CN_ERR_CANCELLED;
        for (int64_t k = 1; k <= never.polls && status == CN_ERR_CANCELLED; k = 2 * k + 1) {
            count = (countdown){.fires = k};
            status = cn_sim_step(tried, &other_report, &error);
            CN_CHECK_TRUE(status == CN_ERR_CANCELLED || (status == CN_OK && count.polls < k));
            if (status == CN_ERR_CANCELLED && !state_is(tried, before, before_size)) {
                print_error("%s, step %d: the state changed, poll %lld of %lld\n", name, i,
                            (long long)k, (long long)never.polls);
                fail();
            }
            tries += status == CN_ERR_CANCELLED;
        }
        if (status != CN_OK) {
            count = (countdown){0};
            CN_CHECK_TRUE(cn_sim_step(tried, &other_report, &error) == CN_OK);
        }
        if (!state_is(tried, after, after_size)) {
            print_error("%s, step %d: a step after cancelled ones has other bits\n", name, i);
            fail();
        }
        CN_CHECK_TRUE(other_report.iterations == report.iterations &&
                      other_report.work_external == report.work_external);
        free_state(sim, before, before_size);
        free_state(sim, after, after_size);
    }
    cn_sim_destroy(sim);
    cn_sim_destroy(tried);
    world_close(&plain);
    world_close(&other);
    return tries;
}

CN_TEST(cancelled_steps_leave_the_state_of_the_last_good_one) {
    static const struct {
        const char *name;
        int32_t steps;
    } scenes[] = {{"masonry-arch", 6},   {"pile-2d", 6},          {"four-bar-clearance", 20},
                  {"newtons-cradle", 6}, {"universal-joint", 10}, {"shapes-3d", 10},
                  {"pid-cart", 20},      {"sleeping-stacks", 10}, {"cannonball", 10}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        int32_t tries = run_with_cancelled_steps(scenes[i].name, NULL, 0, scenes[i].steps);
        print_message("%s: %d cancelled tries\n", scenes[i].name, tries);
        CN_CHECK_TRUE(tries > 0);
    }
}

CN_TEST(cancelled_steps_in_parts_leave_the_state_of_the_last_good_one) {
    // Adapted to an error, and halved because every solve stalls.
    const cn_override adapted[] = {{"integrator.error", "1e-6"}};
    const cn_override halved[] = {{"solver.on_stall", "halve"},
                                  {"solver.tolerance", "1e-14"},
                                  {"solver.name", "nsgs"},
                                  {"solver.max_iterations", "3"}};
    CN_CHECK_TRUE(run_with_cancelled_steps("newtons-cradle", adapted, 1, 6) > 0);
    CN_CHECK_TRUE(run_with_cancelled_steps("masonry-arch", halved, 4, 6) > 0);
}

CN_TEST(cancelled_steps_of_systems_leave_the_state_of_the_last_good_one) {
    // A system, one with events, controllers, and bodies under an integrator of systems.
    const cn_override alpha[] = {{"integrator.scheme", "generalized-alpha"}};
    int32_t tries = run_with_cancelled_steps("double-pendulum-wall", NULL, 0, 40) +
                    run_with_cancelled_steps("inverted-pendulum", NULL, 0, 40) +
                    run_with_cancelled_steps("biped", NULL, 0, 40) +
                    run_with_cancelled_steps("friction-oscillator", NULL, 0, 40) +
                    run_with_cancelled_steps("diode-bridge", NULL, 0, 40) +
                    run_with_cancelled_steps("block-on-slope", alpha, 1, 40) +
                    run_with_cancelled_steps("bouncing-ball-events", NULL, 0, 40);
    print_message("%d cancelled tries\n", tries);
    CN_CHECK_TRUE(tries > 0);
}

CN_TEST(the_start_of_a_run_is_cancelled_inside_detection) {
    world w = world_gallery("thousand-balls", NULL, 0);
    countdown first = {.fires = 1};
    cn_env env = env_with(&first);
    cn_sim *sim = NULL;
    cn_error error = {0};
    CN_CHECK_TRUE(cn_sim_create(w.model, &env, &sim, &error) == CN_ERR_CANCELLED && !sim);
    CN_CHECK_TRUE(error.status == CN_ERR_CANCELLED);
    world_close(&w);
}

CN_TEST(generators_are_cancelled) {
    static const char *const texts[] = {
        "{packing: {count: 3000, radius: [0.9, 1.1], inside: [[0, 0, 0], [36, 36, 36]], seed: 1, "
        "material: stone, arrangement: random}}",
        "{grid: {count: [30, 30, 30], spacing: [2, 2, 2], shape: {sphere: {radius: 0.5}}, "
        "material: stone}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[1024];
        countdown third = {.fires = 3};
        cn_env env = env_with(&third);
        cn_model *model = NULL;
        cn_error error = {0};
        int length = snprintf(text, sizeof text,
                              "cairn: 1\nname: many\ndimension: 3\nmaterials: {stone: {density: "
                              "1000}}\ncontacts: [{between: ['*', '*'], friction: 0.3}]\n"
                              "bodies: []\ngenerate:\n  - %s\n",
                              texts[i]);
        cn_status status =
            cn_scene_read_text(&env, "many.yaml", text, (size_t)length, NULL, 0, &model, &error);
        if (status != CN_ERR_CANCELLED) {
            print_error("%s: %s, %lld polls\n", cn_status_text(status), error.message,
                        (long long)third.polls);
        }
        CN_CHECK_TRUE(status == CN_ERR_CANCELLED && !model);
    }
}

// ---- effort ----

CN_TEST(the_effort_of_a_step_is_bounded_by_count) {
    static const char *const solvers[] = {"auto", "nsgs", "extra-gradient"};
    for (size_t s = 0; s < 3; s++) {
        cn_step_report first[4];
        for (int32_t again = 0; again < 2; again++) {
            const cn_override set[] = {{"solver.name", solvers[s]},
                                       {"solver.effort", "7"},
                                       {"solver.tolerance", "1e-14"},
                                       {"solver.on_stall", "halve"}};
            world w = world_gallery("masonry-arch", set, 4);
            for (int32_t i = 0; i < 4; i++) {
                cn_error error = {0};
                cn_step_report report;
                CN_CHECK_TRUE(cn_sim_step(w.sim, &report, &error) == CN_OK);
                print_message("%s: %s after %d\n", report.solver, cn_outcome_text(report.outcome),
                              (int)report.iterations);
                CN_CHECK_TRUE(report.outcome == CN_EFFORT && report.halvings == 0);
                CN_CHECK_TRUE(report.iterations <= 7);
                first[i] = again ? first[i] : report;
                CN_CHECK_TRUE(report.residual == first[i].residual);
            }
            world_close(&w);
        }
    }
    // Without a bound the same step has the solver's own limit.
    const cn_override set[] = {{"solver.name", "nsgs"},
                               {"solver.effort", "0"},
                               {"solver.tolerance", "1e-14"},
                               {"solver.max_iterations", "9"}};
    world w = world_gallery("masonry-arch", set, 4);
    world_step(&w);
    CN_CHECK_TRUE(w.last.outcome == CN_LIMIT && w.last.iterations == 9);
    world_close(&w);
}
