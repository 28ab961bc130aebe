// The library called as it must not be: NULL where something must be given, ids and indices that
// are not there. Every call says so, and none touches what it should not (the sanitizers watch).
#include "check.h"

#include <cairn/cairn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFUSED(call) CN_CHECK_TRUE((call) == CN_ERR_ARGUMENT)

static const char scene[] =
    "cairn: 1\nname: two\ndimension: 3\ntime: {step: 0.01, until: 1}\n"
    "materials: {stone: {density: 1000}}\ncontacts: [{between: [stone, stone], friction: 0.4}]\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, material: stone, position: [0, 0, 0.5], shape: {sphere: {radius: 0.5}}}\n"
    "  - {name: arm, material: stone, position: [3, 0, 5], shape: {sphere: {radius: 0.1}}}\n"
    "joints: [{kind: ball, bodies: [floor, arm], point: [3, 0, 5]}]\n";

static cn_model *model_of_two(void) {
    cn_model *model;
    assert_int_equal(
        cn_scene_read_text(NULL, "two", scene, sizeof scene - 1, NULL, 0, &model, NULL), CN_OK);
    return model;
}

CN_TEST(ids_that_are_not_there_are_errors) {
    cn_model *model = model_of_two();
    cn_body_info body;
    cn_shape_info shape;
    cn_joint_info joint;
    const int32_t wrong[] = {0, -1, INT32_MIN, INT32_MAX, 4};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memset(&body, 0x5a, sizeof body);
        REFUSED(cn_model_body(model, wrong[i], &body));
        CN_CHECK_TRUE(body.mass == 0.0 && body.name[0] == '\0' && body.shape_count == 0);
        REFUSED(cn_model_shape(model, wrong[i], 0, &shape));
        REFUSED(cn_model_joint(model, wrong[i], &joint));
        CN_CHECK_TRUE(joint.body[0] == 0 && joint.name[0] == '\0');
        if (wrong[i] != 0) {
            REFUSED(cn_model_shape(model, 2, wrong[i], &shape));
        }
        CN_CHECK_TRUE(
            !cn_model_warning(model, wrong[i] == 0 ? cn_model_warning_count(model) : wrong[i]));
    }
    assert_int_equal(cn_model_body(model, 3, &body), CN_OK);
    assert_int_equal(cn_model_shape(model, 3, 0, &shape), CN_OK);
    assert_int_equal(cn_model_joint(model, 1, &joint), CN_OK);
    CN_CHECK_TRUE(strcmp(body.name, "arm") == 0 && shape.radius == 0.1 && joint.body[1] == 3);
    cn_model_destroy(model);
}

CN_TEST(bodies_that_are_not_there_get_no_forces_and_joints) {
    const cn_body_id wrong[] = {0, -1, 2, INT32_MAX, INT32_MIN};
    cn_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cn_model *model = cn_model_create(NULL, 3);
        int32_t material, joint;
        cn_body_id body;
        cn_material_def stone = {.name = "stone", .density = 1000.0};
        assert_int_equal(cn_model_add_material(model, &stone, &material, NULL), CN_OK);
        cn_shape_def sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
        sphere.radius = 1.0;
        cn_body_def def = cn_body_def_default();
        def.material = material;
        def.shapes = &sphere;
        def.shape_count = 1;
        assert_int_equal(cn_model_add_body(model, &def, &body, NULL), CN_OK);
        cn_force_def force = {.body = wrong[i]};
        cn_motion_def motion = {.body = wrong[i]};
        cn_joint_def between = cn_joint_def_default(CN_JOINT_BALL);
        between.body[0] = body;
        between.body[1] = wrong[i];
        CN_CHECK_TRUE(cn_model_add_force(model, &force, &error) != CN_OK && error.message[0]);
        CN_CHECK_TRUE(cn_model_add_motion(model, &motion, &error) != CN_OK && error.message[0]);
        CN_CHECK_TRUE(cn_model_add_joint(model, &between, &joint, &error) != CN_OK &&
                      error.message[0]);
        cn_model_destroy(model);
    }
}

CN_TEST(a_model_that_is_not_there_is_an_error) {
    cn_model *model = cn_model_create(NULL, 3);
    cn_body_def body = cn_body_def_default();
    cn_joint_def joint = cn_joint_def_default(CN_JOINT_BALL);
    cn_material_def material = {.name = "stone"};
    cn_contact_def contact = cn_contact_def_default();
    cn_force_def force = {.body = 1};
    cn_motion_def motion = {.body = 1};
    cn_body_info info;
    int32_t id;
    cn_error error;
    CN_CHECK_TRUE(!cn_model_create(NULL, 4) && !cn_model_create(NULL, 0));
    REFUSED(cn_model_add_material(NULL, &material, &id, &error));
    CN_CHECK_TRUE(error.status == CN_ERR_ARGUMENT && error.message[0]);
    REFUSED(cn_model_add_material(model, NULL, &id, NULL));
    REFUSED(cn_model_add_material(model, &material, NULL, NULL));
    REFUSED(cn_model_add_contact(NULL, &contact, NULL));
    REFUSED(cn_model_add_contact(model, NULL, NULL));
    REFUSED(cn_model_add_body(NULL, &body, &id, NULL));
    REFUSED(cn_model_add_body(model, NULL, &id, NULL));
    REFUSED(cn_model_add_body(model, &body, NULL, NULL));
    REFUSED(cn_model_add_force(NULL, &force, NULL));
    REFUSED(cn_model_add_force(model, NULL, NULL));
    REFUSED(cn_model_add_motion(NULL, &motion, NULL));
    REFUSED(cn_model_add_motion(model, NULL, NULL));
    REFUSED(cn_model_add_joint(NULL, &joint, &id, NULL));
    REFUSED(cn_model_add_joint(model, NULL, &id, NULL));
    REFUSED(cn_model_finish(NULL, NULL));
    REFUSED(cn_model_set_system(model, NULL, NULL));
    REFUSED(cn_model_body(NULL, 1, &info));
    REFUSED(cn_model_body(model, 1, NULL));
    REFUSED(cn_model_shape(NULL, 1, 0, NULL));
    REFUSED(cn_model_joint(NULL, 1, NULL));
    CN_CHECK_TRUE(cn_model_dim(NULL) == 0 && cn_model_body_count(NULL) == 0);
    CN_CHECK_TRUE(cn_model_joint_count(NULL) == 0 && cn_model_warning_count(NULL) == 0);
    CN_CHECK_TRUE(!cn_model_settings(NULL) && !cn_model_system(NULL) && !cn_model_name(NULL));
    CN_CHECK_TRUE(!cn_model_warning(NULL, 0) && cn_model_find_body(NULL, "a") == 0);
    CN_CHECK_TRUE(cn_model_find_body(model, NULL) == 0);
    REFUSED(cn_scene_read(NULL, NULL, NULL, 0, &model, NULL));
    REFUSED(cn_scene_read(NULL, "a", NULL, 1, &model, NULL));
    REFUSED(cn_scene_read(NULL, "a", NULL, 0, NULL, NULL));
    cn_model_destroy(NULL);
    cn_model_destroy(model);
}

CN_TEST(a_run_that_is_not_there_is_an_error) {
    cn_model *model = model_of_two(), *unfinished = cn_model_create(NULL, 3);
    cn_sim *sim = NULL;
    cn_step_report report;
    cn_contact_record contact;
    double q[21], kinetic;
    void *bytes;
    size_t size;
    REFUSED(cn_sim_create(NULL, NULL, &sim, NULL));
    REFUSED(cn_sim_create(unfinished, NULL, &sim, NULL));
    REFUSED(cn_sim_create(model, NULL, NULL, NULL));
    assert_int_equal(cn_sim_create(model, NULL, &sim, NULL), CN_OK);
    REFUSED(cn_sim_step(NULL, &report, NULL));
    REFUSED(cn_sim_step(sim, NULL, NULL));
    assert_int_equal(cn_sim_step(sim, &report, NULL), CN_OK);
    const int32_t wrong[] = {-1, cn_sim_contact_count(sim), INT32_MAX, INT32_MIN};
    CN_CHECK_TRUE(cn_sim_contact_count(sim) > 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memset(&contact, 0x5a, sizeof contact);
        REFUSED(cn_sim_contact(sim, wrong[i], &contact));
        CN_CHECK_TRUE(contact.candidate == 0 && contact.impulse[2] == 0.0);
    }
    REFUSED(cn_sim_contact(sim, 0, NULL));
    REFUSED(cn_sim_contact(NULL, 0, &contact));
    assert_int_equal(cn_sim_contact(sim, 0, &contact), CN_OK);
    REFUSED(cn_sim_steer(NULL, &(cn_steering){.friction = 1.0}, NULL));
    REFUSED(cn_sim_steer(sim, NULL, NULL));
    REFUSED(cn_sim_save(NULL, &bytes, &size));
    REFUSED(cn_sim_save(sim, NULL, &size));
    REFUSED(cn_sim_load(NULL, q, sizeof q, NULL));
    REFUSED(cn_sim_load(sim, NULL, 8, NULL));
    CN_CHECK_TRUE(cn_sim_step_index(NULL) == 0 && cn_sim_time(NULL) == 0.0 && !cn_sim_model(NULL));
    CN_CHECK_TRUE(cn_sim_hash(NULL) == 0 && cn_sim_contact_count(NULL) == 0);
    CN_CHECK_TRUE(!cn_sim_problem(NULL, NULL, NULL));
    cn_sim_poses(NULL, q);
    cn_sim_poses(sim, NULL);
    cn_sim_velocities(NULL, q);
    cn_sim_energy(sim, NULL, &kinetic);
    cn_sim_destroy(NULL);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    cn_model_destroy(unfinished);
}

CN_TEST(a_run_file_that_is_not_there_is_an_error) {
    char path[] = "/tmp/cairn-misuse-XXXXXX";
    int file = mkstemp(path);
    CN_CHECK_TRUE(file >= 0 && close(file) == 0);
    cn_model *model = model_of_two();
    cn_arena *memory = cn_arena_create(NULL);
    cn_sim *sim;
    cn_recorder *recorder;
    cn_run *run;
    cn_run_grade grade;
    cn_contact_record *contacts;
    cn_step_report *rows;
    int64_t step, count;
    int32_t few;
    double t, q[21], v[18];
    assert_int_equal(cn_sim_create(model, NULL, &sim, NULL), CN_OK);
    REFUSED(cn_recorder_create(NULL, NULL, true, sim, &recorder, NULL));
    REFUSED(cn_recorder_create(NULL, path, true, NULL, &recorder, NULL));
    REFUSED(cn_recorder_create(NULL, path, true, sim, NULL, NULL));
    REFUSED(cn_recorder_resume(NULL, path, NULL, &recorder, NULL));
    assert_int_equal(cn_recorder_create(NULL, path, true, sim, &recorder, NULL), CN_OK);
    REFUSED(cn_recorder_frame(NULL, sim, NULL));
    REFUSED(cn_recorder_frame(recorder, NULL, NULL));
    REFUSED(cn_recorder_ledger(recorder, NULL, NULL));
    REFUSED(cn_recorder_event(recorder, 0, 0.0, NULL, NULL));
    REFUSED(cn_recorder_meta(recorder, NULL, "a", NULL));
    REFUSED(cn_recorder_checkpoint(NULL, sim, NULL));
    REFUSED(cn_recorder_flush(NULL, NULL));
    REFUSED(cn_recorder_evidence(NULL, true, NULL));
    REFUSED(cn_recorder_restart(recorder, NULL, NULL));
    assert_int_equal(cn_recorder_frame(recorder, sim, NULL), CN_OK);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    REFUSED(cn_run_open(NULL, NULL, &run, NULL));
    REFUSED(cn_run_open(NULL, path, NULL, NULL));
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    const int64_t wrong[] = {-1, 1, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        REFUSED(cn_run_frame(run, wrong[i], &step, &t, q, v, NULL));
        REFUSED(cn_run_contacts(run, wrong[i], memory, &contacts, &few, NULL));
    }
    REFUSED(cn_run_frame(NULL, 0, &step, &t, q, v, NULL));
    REFUSED(cn_run_frame(run, 0, &step, &t, NULL, v, NULL));
    REFUSED(cn_run_contacts(run, 0, NULL, &contacts, &few, NULL));
    REFUSED(cn_run_ledger(run, memory, NULL, &count, NULL));
    REFUSED(cn_run_ledger(NULL, memory, &rows, &count, NULL));
    REFUSED(cn_run_ledger_each(run, 0, 1, NULL, NULL, NULL));
    REFUSED(cn_run_bodies(run, memory, NULL, NULL));
    REFUSED(cn_run_events(run, memory, NULL, &count, NULL));
    REFUSED(cn_run_check(NULL, model, 1.0, &grade, NULL));
    REFUSED(cn_run_check(run, model, 1.0, NULL, NULL));
    REFUSED(cn_run_refresh(NULL, NULL));
    CN_CHECK_TRUE(!cn_run_meta(NULL, "a") && !cn_run_meta(run, NULL));
    CN_CHECK_TRUE(cn_run_dim(NULL) == 0 && cn_run_body_count(NULL) == 0);
    CN_CHECK_TRUE(cn_run_frame_count(NULL) == 0 && cn_run_moments(run, NULL, NULL) == 0);
    REFUSED(cn_run_last_step(NULL, &count, NULL));
    REFUSED(cn_run_last_step(run, NULL, NULL));
    REFUSED(cn_run_last_checkpoint(NULL, &count, NULL));
    REFUSED(cn_run_last_checkpoint(run, NULL, NULL));
    cn_run_close(NULL);
    cn_run_close(run);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    cn_arena_destroy(memory);
    remove(path);
}

CN_TEST(problems_that_are_not_there_are_errors) {
    cn_solve_report report;
    double r[3] = {0.0}, u[3] = {0.0};
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_arena *scratch = cn_arena_create(NULL);
    CN_CHECK_TRUE(solver && !cn_friction_solver_find(NULL) && !cn_friction_solver_find("none"));
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    CN_CHECK_TRUE(cn_friction_solve(NULL, solver, &opts, scratch, r, u, &report, NULL) != CN_OK);
    CN_CHECK_TRUE(!cn_lcp_solver_find(NULL) && !cn_mcp_solver_find(NULL));
    REFUSED(cn_friction_validate(NULL, NULL));
    REFUSED(cn_problem_validate(NULL, NULL));
    cn_friction p = {.dim = 3};
    CN_CHECK_TRUE(cn_friction_solve(&p, NULL, &opts, scratch, r, u, &report, NULL) != CN_OK);
    cn_arena_destroy(scratch);
}
