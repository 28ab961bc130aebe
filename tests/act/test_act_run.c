// A solver of the user's own in a run, who is told how far a step is, pointers of bodies, and what a
// model says of its bodies, materials and laws.
#include "world.h"

#include <cairn/act.h>

static world boxes(void) {
    return world_open("cairn: 1\ntime: {step: 1e-3}\n"
                      "materials: {stone: {density: 1000}, ice: {density: 900}}\n"
                      "contacts:\n  - {between: [\"*\", \"*\"], friction: 0.4}\n"
                      "  - {between: [ice, \"*\"], friction: 0.01, restitution: 0.5}\n"
                      "inputs: {a: 1.5, b: 2}\nbodies:\n"
                      "  - {name: low, material: stone, shape: {box: {size: [1, 2, 3]}}, "
                      "position: [0, 0, 1.5]}\n"
                      "  - {name: high, material: stone, shape: {box: {size: [1, 1, 1]}}, "
                      "position: [0, 0, 3.5], rotation: {axis: [0, 0, 1], angle: 0.5}, "
                      "lock: [rz]}\n"
                      "  - {name: ground, material: ice, fixed: true, shape: {plane: {normal: [0, "
                      "0, 1], offset: 0}}}\n"
                      "joints: []\n");
}

// Calls a solver of the library and counts.
typedef struct counted {
    const cn_friction_solver *by;
    int calls;
} counted;

static cn_status count_solve(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                             double *r, double *u, cn_solve_report *report) {
    counted *user = opts->user;
    user->calls++;
    cn_solve_opts own = cn_solve_opts_default(&user->by->info);
    own.tolerance = opts->tolerance;
    return cn_friction_solve(p, user->by, &own, scratch, r, u, report, NULL);
}

CN_TEST(own_solver_runs_a_simulation_with_its_data) {
    world w = boxes(), other = boxes();
    counted user = {.by = cn_friction_solver_find("nsgs")};
    cn_friction_solver own = {.info = user.by->info, .solve = count_solve, .user = &user};
    cn_error error = {0};
    own.info.name = "mine";
    own.info.params = NULL;
    own.info.param_count = 0;
    CN_CHECK_TRUE(cn_sim_set_solver(w.sim, &own, &error) == CN_OK);
    world_steps(&w, 20);
    CN_CHECK_TRUE(user.calls >= 20);
    assert_string_equal(w.last.solver, "mine");
    assert_int_equal(w.unsolved, 0);
    CN_CHECK_TRUE(cn_sim_set_solver(w.sim, NULL, &error) == CN_OK);
    int calls = user.calls;
    world_steps(&w, 3);
    assert_int_equal(user.calls, calls);
    // Refused: in the wrong dimension, or without a function.
    own.info.accepts = CN_SOLVES_2D | CN_TAKES_ASSEMBLED;
    assert_int_equal(cn_sim_set_solver(w.sim, &own, &error), CN_ERR_UNSUPPORTED);
    own.solve = NULL;
    assert_int_equal(cn_sim_set_solver(w.sim, &own, &error), CN_ERR_ARGUMENT);
    world_close(&w);
    world_close(&other);
}

typedef struct watched {
    int calls, stop_at;
    bool solving; // a stage of a solve was seen
} watched;

static bool watch(void *user, const cn_progress *progress) {
    watched *own = user;
    own->calls++;
    own->solving = own->solving || strcmp(progress->stage, "solve") == 0;
    return own->calls != own->stop_at;
}

CN_TEST(who_watches_a_step_may_end_it_anywhere) {
    world w = boxes();
    cn_error error = {0};
    cn_step_report report;
    world_steps(&w, 3);
    watched all = {0};
    cn_sim_set_progress(w.sim, watch, &all);
    world_step(&w);
    CN_CHECK_TRUE(all.calls >= 4 && all.solving);
    for (int k = 1; k <= all.calls; k++) {
        watched some = {.stop_at = k};
        uint64_t hash = cn_sim_hash(w.sim);
        cn_sim_set_progress(w.sim, watch, &some);
        cn_status status = cn_sim_step(w.sim, &report, &error);
        if (status == CN_OK) { // told too late: the step was done
            CN_CHECK_TRUE(k > 3);
            continue;
        }
        assert_int_equal(status, CN_ERR_CANCELLED);
        CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
    }
    cn_sim_set_progress(w.sim, NULL, NULL);
    world_step(&w);
    CN_CHECK_TRUE(w.last.outcome == CN_SOLVED);
    world_close(&w);
}

CN_TEST(pointers_of_bodies_are_the_users) {
    world w = boxes();
    cn_error error = {0};
    int mine = 0;
    CN_CHECK_TRUE(cn_sim_user(w.sim, 1) == NULL);
    CN_CHECK_TRUE(cn_sim_set_user(w.sim, 2, &mine, &error) == CN_OK);
    world_steps(&w, 3);
    CN_CHECK_TRUE(cn_sim_user(w.sim, 2) == &mine && cn_sim_user(w.sim, 1) == NULL);
    assert_int_equal(cn_sim_set_user(w.sim, 4, &mine, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_sim_user(w.sim, 0) == NULL && cn_sim_user(w.sim, 4) == NULL);
    world_close(&w);
}

CN_TEST(model_says_what_its_bodies_materials_and_laws_are) {
    world w = boxes();
    cn_body_info body;
    cn_material_def material;
    cn_contact_def law;
    assert_int_equal(cn_model_body(w.model, 1, &body), CN_OK);
    CN_CHECK_NEAR(body.inertia[0], 6000.0 * 13.0 / 12.0, 1e-9);
    CN_CHECK_NEAR(body.inertia[8], 6000.0 * 5.0 / 12.0, 1e-9);
    CN_CHECK_NEAR(body.position[2], 1.5, 0.0);
    assert_int_equal(cn_model_body(w.model, 2, &body), CN_OK);
    CN_CHECK_NEAR(body.orientation[3], sin(0.25), 1e-15);
    CN_CHECK_TRUE(body.lock == CN_LOCK_RZ && body.source.line == 10);
    int32_t stone = cn_model_find_material(w.model, "stone"),
            ice = cn_model_find_material(w.model, "ice");
    assert_int_equal(body.material_index, stone);
    assert_int_equal(cn_model_material_count(w.model), 2);
    assert_int_equal(cn_model_material(w.model, ice, &material), CN_OK);
    assert_string_equal(material.name, "ice");
    CN_CHECK_NEAR(material.density, 900.0, 0.0);
    assert_int_equal(cn_model_law(w.model, stone, ice, &law), CN_OK);
    CN_CHECK_NEAR(law.friction, 0.01, 0.0);
    CN_CHECK_NEAR(law.restitution, 0.5, 0.0);
    assert_int_equal(law.law, CN_LAW_SIGNORINI);
    assert_int_equal(cn_model_law(w.model, stone, stone, &law), CN_OK);
    CN_CHECK_NEAR(law.friction_dynamic, 0.4, 0.0);
    assert_int_equal(law.law, CN_LAW_QUASI_INELASTIC);
    assert_int_equal(cn_model_law(w.model, 2, 0, &law), CN_ERR_ARGUMENT);
    assert_int_equal(cn_model_material(w.model, -1, &material), CN_ERR_ARGUMENT);
    assert_int_equal(cn_model_find_material(w.model, "water"), -1);
    assert_int_equal(cn_model_find_joint(w.model, "elbow"), 0);
    CN_CHECK_NEAR(cn_sim_inputs(w.sim)[1], 2.0, 0.0);
    world_close(&w);
}

CN_TEST(model_says_how_elastic_a_material_is) {
    world w = world_open("cairn: 1\ndimension: 2\ntime: {step: 1e-3}\nmaterials:\n"
                         "  stone: {density: 1}\n"
                         "  rubber: {density: 2, young: 3e6, poisson: 0.4, damping: {mass: 5, "
                         "stiffness: 6e-3}}\nbodies:\n"
                         "  - {material: rubber, deformable: {mesh: {box: {size: [1, 1], cells: "
                         "[1, 1]}}}}\n");
    cn_material_def material;
    assert_int_equal(
        cn_model_material(w.model, cn_model_find_material(w.model, "rubber"), &material), CN_OK);
    CN_CHECK_NEAR(material.young, 3e6, 0.0);
    CN_CHECK_NEAR(material.poisson, 0.4, 0.0);
    CN_CHECK_NEAR(material.damping_mass, 5.0, 0.0);
    CN_CHECK_NEAR(material.damping_stiffness, 6e-3, 0.0);
    assert_int_equal(
        cn_model_material(w.model, cn_model_find_material(w.model, "stone"), &material), CN_OK);
    CN_CHECK_NEAR(material.young, 0.0, 0.0);
    world_close(&w);
}

// A name that is not listed among the inputs, at its place.
CN_TEST(inputs_that_are_listed_are_all_there_are) {
    static const char text[] = "cairn: 1\ninputs: {elbow: 1}\nmaterials: {s: {density: 1}}\n"
                               "bodies: [{name: a, material: s, shape: {sphere: {radius: 1}}}]\n"
                               "forces: [{body: a, force: [\"input(elbw)\", 0, 0]}]\n";
    cn_error error = {0};
    cn_model *model;
    assert_int_equal(
        cn_scene_read_text(NULL, "s.yaml", text, strlen(text), NULL, 0, &model, &error),
        CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "elbw") && strstr(error.hint, "elbow"));
    assert_int_equal(error.line, 5);
}
