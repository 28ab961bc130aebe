// What is wrong with a deformable body is said where it stands, with what there would be instead.
#include "check.h"

#include <cairn/cairn.h>
#include <string.h>

// The error of a scene in 2D with these lines: of reading, else of making the run.
static cn_error error_of(const char *dimension, const char *material, const char *body) {
    char text[2000];
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    int length =
        snprintf(text, sizeof text,
                 "cairn: 1\n"
                 "%s\n"
                 "materials:\n"
                 "  m: {density: 1, %s}\n"
                 "bodies:\n"
                 "  - material: m\n"
                 "    deformable: %s\n"
                 "  - {material: m, fixed: true, position: [5, 0%s], shape: {box: {size: [1, "
                 "1%s]}}}\n",
                 dimension, material, body, dimension[11] == '3' ? ", 0" : "",
                 dimension[11] == '3' ? ", 1" : "");
    if (cn_scene_read_text(NULL, "s.yaml", text, (size_t)length, NULL, 0, &model, &error) ==
        CN_OK) {
        cn_sim_create(model, NULL, &sim, &error);
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return error;
}

static void check_error(const cn_error *error, int line, const char *message, const char *hint) {
    if (error->status == CN_OK || error->line != line || !strstr(error->message, message) ||
        (hint && !strstr(error->hint, hint))) {
        print_error("line %d: %s (%s), wanted line %d: %s (%s)\n", error->line, error->message,
                    error->hint, line, message, hint ? hint : "");
        fail();
    }
}

static const char plane[] = "dimension: 2", space[] = "dimension: 3",
                  elastic[] = "young: 1e6, poisson: 0.3",
                  block[] = "{mesh: {box: {size: [1, 1], cells: [2, 2]}}}";

CN_TEST(materials_that_are_none_are_refused) {
    cn_error error = error_of(plane, "young: 1e6, poisson: 0.5", block);
    check_error(&error, 4, "poisson must be above -1 and below 0.5", "0.49");
    error = error_of(plane, "young: -1, poisson: 0.3", block);
    check_error(&error, 4, "young must be above 0", NULL);
    error = error_of(plane, "young: 0, poisson: 0.3", block);
    check_error(&error, 4, "young must be above 0", NULL);
    error = error_of(plane, "poisson: 0.3", block);
    check_error(&error, 4, "needs \"young\"", NULL);
    error = error_of(plane, "friction: 1", block);
    check_error(&error, 4, "friction", NULL);
    cn_error rigid = error_of(plane, "law: elastic", block);
    check_error(&rigid, 6, "not elastic", "young");
}

CN_TEST(elements_and_groups_that_are_not_there_are_named) {
    cn_error error =
        error_of(plane, elastic, "{mesh: {box: {size: [1, 1], cells: [2, 2], element: q5}}}");
    check_error(&error, 7, "element cannot be \"q5\"", "q4");
    error =
        error_of(space, elastic, "{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2], element: q4}}}");
    check_error(&error, 7, "element q4 is one of 2D", "h8");
    error = error_of(plane, elastic,
                     "{mesh: {box: {size: [1, 1], cells: [2, 2]}}, hold: {group: front}}");
    check_error(&error, 7, "front", "left");
    error =
        error_of(plane, elastic,
                 "{mesh: {box: {size: [1, 1], cells: [2, 2]}}, hold: {group: left, axes: [z]}}");
    check_error(&error, 7, "axes of a 2D scene", NULL);
    error = error_of(plane, elastic, "{mesh: {file: wheel.msh}}");
    check_error(&error, 7, "wheel.msh", NULL);
    error = error_of(plane, elastic, "{mesh: {box: {cells: [2, 2]}}}");
    check_error(&error, 7, "needs \"size\"", NULL);
    error =
        error_of(plane, elastic, "{mesh: {box: {size: [1, 1], cells: [2, 2]}}, strain: finite}");
    check_error(&error, 7, "not available yet", NULL);
}

CN_TEST(bodies_that_overlap_at_the_start_are_named) {
    cn_error error = error_of(plane, elastic, "{mesh: {box: {size: [9.2, 1], cells: [2, 2]}}}");
    check_error(&error, 8, "overlap by 0.1 m at the start", "detection.overlap");
}

CN_TEST(a_quasi_static_body_asks_for_theta_one) {
    cn_error error = error_of(plane, elastic,
                              "{mesh: {box: {size: [1, 1], cells: [2, 2]}}, quasi_static: true}");
    check_error(&error, 6, "theta = 1", "theta: 1");
}

// ---- meshes from C ----

static cn_error mesh_error(const double *nodes, int32_t node_count, const int32_t *corners) {
    const cn_deformable_def soft = {.mesh = {.kind = CN_MESH_GIVEN,
                                             .nodes = nodes,
                                             .node_count = node_count,
                                             .elements = corners,
                                             .element_count = 2}};
    cn_model *model = cn_model_create(NULL, 2);
    const cn_material_def rubber = {.name = "m", .density = 1.0, .young = 1.0};
    cn_body_def body = cn_body_def_default();
    cn_body_id id;
    cn_error error = {.status = CN_OK};
    assert_int_equal(cn_model_add_material(model, &rubber, &body.material, NULL), CN_OK);
    body.name = "b";
    body.deformable = &soft;
    cn_model_add_body(model, &body, &id, &error);
    cn_model_destroy(model);
    return error;
}

CN_TEST(meshes_that_are_none_are_refused_by_element_or_node) {
    const double nodes[14] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1, 3, 3};
    const int32_t good[8] = {0, 1, 4, 3, 1, 2, 5, 4}, inverted[8] = {0, 1, 4, 3, 1, 4, 5, 2};
    cn_error error = mesh_error(nodes, 6, good);
    assert_int_equal(error.status, CN_OK);
    error = mesh_error(nodes, 6, inverted);
    check_error(&error, 0, "element 1", NULL);
    error = mesh_error(nodes, 7, good);
    check_error(&error, 0, "node 6", NULL);
    check_error(&error, 0, "body 'b'", NULL);
}
