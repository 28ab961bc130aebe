// The calls on running simulations, queries, columns and nodes as they must not be made: NULL where
// something must be given, numbers of bodies, joints and inputs that are not there.
#include "world.h"

#include <cairn/act.h>
#include <cairn/query.h>
#include <cairn/record.h>

#define REFUSED(call) CN_CHECK_TRUE((call) == CN_ERR_ARGUMENT)

static const char scene[] =
    "cairn: 1\ndimension: 3\ntime: {step: 0.01}\nmaterials: {stone: {density: 1000}}\n"
    "inputs: {push: 1}\nbodies:\n"
    "  - {name: floor, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, material: stone, position: [0, 0, 0.5], shape: {sphere: {radius: 0.5}}}\n"
    "forces: [{body: ball, force: ['input(push)', 0, 0]}]\n"
    "record: [{name: x, position: ball}]\n";

CN_TEST(simulations_that_are_not_there_are_errors) {
    const double three[3] = {1.0, 0.0, 0.0};
    cn_body_def body = cn_body_def_default();
    cn_joint_def joint = cn_joint_def_default(CN_JOINT_BALL);
    cn_body_state seen;
    cn_joint_state turned;
    cn_error error;
    cn_body_id id;
    int32_t number;
    double x[3];
    REFUSED(cn_sim_set_state(NULL, x, x, 0, &error));
    REFUSED(cn_sim_add_body(NULL, &body, &id, &error));
    REFUSED(cn_sim_remove_body(NULL, 1, &error));
    REFUSED(cn_sim_add_joint(NULL, &joint, &number, &error));
    REFUSED(cn_sim_remove_joint(NULL, 1, &error));
    CN_CHECK_TRUE(!cn_sim_has_body(NULL, 1) && !cn_sim_has_joint(NULL, 1));
    REFUSED(cn_sim_rest(NULL, &error));
    REFUSED(cn_sim_set_loads(NULL, NULL, &error));
    REFUSED(cn_sim_apply(NULL, 1, three, NULL, NULL, &error));
    REFUSED(cn_sim_apply_impulse(NULL, 1, three, NULL, NULL, &error));
    REFUSED(cn_sim_set_inputs(NULL, x, &error));
    REFUSED(cn_sim_set_input(NULL, 0, 1.0, &error));
    CN_CHECK_TRUE(!cn_sim_inputs(NULL) && !cn_sim_user(NULL, 1));
    REFUSED(cn_sim_set_solver(NULL, NULL, &error));
    cn_sim_set_progress(NULL, NULL, NULL);
    REFUSED(cn_sim_set_user(NULL, 1, NULL, &error));
    REFUSED(cn_sim_joint(NULL, 1, &turned));
    REFUSED(cn_sim_joints(NULL, &turned));
    CN_CHECK_TRUE(cn_sim_contacts(NULL, 1, NULL) == 0);
    CN_CHECK_TRUE(cn_sim_contacts_begun(NULL, 0, NULL) == 0);
    CN_CHECK_TRUE(cn_sim_contacts_ended(NULL, 0, NULL) == 0);
    CN_CHECK_TRUE(!cn_sim_body(NULL, 1, &seen) && !cn_sim_contact_force(NULL, 1, x));
    cn_sim_columns(NULL, x);
    cn_sim_nodes(NULL, x, x);
}

CN_TEST(what_is_not_in_a_simulation_is_an_error) {
    const int32_t wrong[] = {0, -1, INT32_MIN, INT32_MAX, 3};
    const double three[3] = {1.0, 0.0, 0.0};
    world w = world_open(scene);
    cn_error error;
    cn_joint_state turned;
    cn_body_state seen;
    double x[3];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(cn_sim_remove_body(w.sim, wrong[i], &error));
        REFUSED(cn_sim_remove_joint(w.sim, wrong[i], &error));
        REFUSED(cn_sim_apply(w.sim, wrong[i], three, NULL, NULL, &error));
        REFUSED(cn_sim_apply_impulse(w.sim, wrong[i], three, NULL, NULL, &error));
        REFUSED(cn_sim_set_user(w.sim, wrong[i], NULL, &error));
        REFUSED(cn_sim_joint(w.sim, wrong[i], &turned));
        CN_CHECK_TRUE(!cn_sim_has_body(w.sim, wrong[i]) && !cn_sim_has_joint(w.sim, wrong[i]));
        CN_CHECK_TRUE(!cn_sim_body(w.sim, wrong[i], &seen) && !cn_sim_user(w.sim, wrong[i]));
        CN_CHECK_TRUE(!cn_sim_contact_force(w.sim, wrong[i], x));
        if (wrong[i] != 0) {
            REFUSED(cn_sim_set_input(w.sim, wrong[i], 1.0, &error));
        }
    }
    REFUSED(cn_sim_set_inputs(w.sim, NULL, &error));
    REFUSED(cn_sim_add_body(w.sim, NULL, NULL, &error));
    REFUSED(cn_sim_add_joint(w.sim, NULL, NULL, &error));
    REFUSED(cn_sim_joint(w.sim, 1, NULL));
    CN_CHECK_TRUE(!cn_sim_body(w.sim, 2, NULL));
    cn_sim_columns(w.sim, NULL);
    cn_sim_nodes(w.sim, NULL, NULL);
    world_run(&w, 0.05);
    world_close(&w);
}

CN_TEST(queries_and_columns_that_are_not_there_are_errors) {
    const double three[3] = {1.0, 0.0, 0.0};
    world w = world_open(scene);
    cn_query *query;
    cn_query_hit hit;
    cn_error error;
    int32_t count;
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    REFUSED(cn_query_create(NULL, &query, &error));
    REFUSED(cn_query_create(w.sim, NULL, &error));
    REFUSED(cn_query_update(NULL, w.sim, &error));
    cn_query_destroy(NULL);
    REFUSED(cn_query_ray(NULL, three, three, 1.0, NULL, &hit));
    REFUSED(cn_query_ray_all(NULL, three, three, 1.0, NULL, &hit, 1, &count));
    REFUSED(cn_query_closest(NULL, three, 1.0, NULL, &hit));
    REFUSED(cn_query_overlap(NULL, &shape, 0.0, NULL, &hit, 1, &count, &error));
    REFUSED(cn_model_add_input(NULL, "a", 0.0, &error));
    REFUSED(cn_model_add_mark(NULL, NULL, &error));
    REFUSED(cn_model_add_column(NULL, NULL, &error));
    CN_CHECK_TRUE(cn_model_column_count(NULL) == 0 && !cn_model_column_name(NULL, 0));
    CN_CHECK_TRUE(!cn_model_column_name(w.model, -1) && !cn_model_column_unit(w.model, 3));
    CN_CHECK_TRUE(cn_model_mark_count(NULL) == 0 && !cn_model_mark(NULL, 0));
    CN_CHECK_TRUE(!cn_model_mesh(NULL, 1, NULL) && cn_model_node_count(NULL) == 0);
    REFUSED(cn_recorder_columns(NULL, w.sim, &error));
    REFUSED(cn_run_columns_read(NULL, NULL, NULL, &error));
    REFUSED(cn_run_nodes(NULL, 0, NULL, NULL, &error));
    REFUSED(cn_run_sides(NULL, 0, NULL, NULL, &error));
    REFUSED(cn_run_meshes(NULL, NULL, NULL, NULL, &error));
    REFUSED(cn_run_track(NULL, 1, 0, 1, NULL, NULL, &error));
    world_close(&w);
}
