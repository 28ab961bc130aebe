// Bodies and joints as entries of a scene, for simulations that are changed while they run; and the
// state into memory of the caller's.
#include "world.h"

#include <cairn/act.h>
#include <cairn/scene.h>
#include <stdlib.h>

static const char SCENE[] =
    "cairn: 1\ndimension: 3\ngravity: [0, 0, 0]\ntime: {step: 1e-2}\n"
    "materials: {stone: {density: 1000}, steel: {density: 7800}}\ninputs: {push: 0}\nbodies:\n"
    "  - {name: post, material: stone, fixed: true, shape: {box: {size: [0.1, 0.1, 1]}}}\n"
    "  - {name: arm, material: stone, position: [0.6, 0, 0], shape: {box: {size: [1, 0.1, "
    "0.1]}}}\n";

typedef struct entry_world {
    cn_model *model;
    cn_sim *sim;
    cn_arena *memory;
    cn_error error;
} entry_world;

static entry_world open_world(const char *more) {
    entry_world w = {.memory = cn_arena_create(NULL)};
    char text[2000];
    snprintf(text, sizeof text, "%s%s", SCENE, more);
    if (cn_scene_read_text(NULL, "t.yaml", text, strlen(text), NULL, 0, &w.model, &w.error) !=
            CN_OK ||
        cn_sim_create(w.model, NULL, &w.sim, &w.error) != CN_OK) {
        world_fail(&w.error);
    }
    return w;
}

static void close_world(entry_world *w) {
    cn_sim_destroy(w->sim);
    cn_model_destroy(w->model);
    cn_arena_destroy(w->memory);
}

static cn_status read_body(entry_world *w, const char *text, cn_body_def *out) {
    return cn_scene_read_body(w->model, "entry", text, strlen(text), w->memory, out, &w->error);
}

static cn_status read_joint(entry_world *w, const char *text, cn_joint_def *out) {
    return cn_scene_read_joint(w->model, "entry", text, strlen(text), w->memory, out, &w->error);
}

#define BALL                                                                                       \
    "{name: ball, material: steel, position: [0, 0, 3], velocity: [1, 2, 3], shape: [{sphere: "    \
    "{radius: 0.2}}, {box: {size: [0.1, 0.2, 0.3]}, position: [0, 0, 0.4]}]}"

// A body that is added moves as one that the scene has from the start.
CN_TEST(bodies_that_are_added_are_those_of_the_scene) {
    entry_world w = open_world(""), whole = open_world("  - " BALL "\n");
    cn_body_def def;
    cn_body_id id;
    CN_CHECK_TRUE(read_body(&w, BALL, &def) == CN_OK);
    assert_int_equal(def.shape_count, 2);
    assert_int_equal(def.material, 1);
    CN_CHECK_TRUE(cn_sim_add_body(w.sim, &def, &id, &w.error) == CN_OK && id == 3);
    for (int i = 0; i < 20; i++) {
        cn_step_report report;
        CN_CHECK_TRUE(cn_sim_step(w.sim, &report, &w.error) == CN_OK);
        CN_CHECK_TRUE(cn_sim_step(whole.sim, &report, &w.error) == CN_OK);
    }
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == cn_sim_hash(whole.sim));
    close_world(&w);
    close_world(&whole);
}

CN_TEST(joints_are_read_with_the_bodies_of_the_model) {
    entry_world w = open_world("");
    cn_joint_def def;
    int32_t id;
    CN_CHECK_TRUE(read_joint(&w,
                             "{kind: hinge, bodies: [post, arm], point: [0.05, 0, 0], axis: [0, "
                             "1, 0], motor: {torque: \"2*input(push)\"}}",
                             &def) == CN_OK);
    assert_int_equal(def.kind, CN_JOINT_HINGE);
    assert_int_equal(def.body[0], 1);
    assert_int_equal(def.body[1], 2);
    CN_CHECK_TRUE(cn_sim_add_joint(w.sim, &def, &id, &w.error) == CN_OK && id == 1);
    CN_CHECK_TRUE(cn_sim_set_input(w.sim, 0, 3.0, &w.error) == CN_OK);
    cn_step_report report;
    CN_CHECK_TRUE(cn_sim_step(w.sim, &report, &w.error) == CN_OK);
    cn_joint_state joint;
    CN_CHECK_TRUE(cn_sim_joint(w.sim, 1, &joint) == CN_OK);
    CN_CHECK_NEAR(joint.effort, 6.0, 1e-9);
    close_world(&w);
}

CN_TEST(wrong_entries_have_places_and_hints) {
    static const struct {
        bool joint;
        const char *text, *message, *hint;
    } cases[] = {
        {false, "{material: steel, shape: {sphere: {radius: -1}}}", "radius must be above 0", ""},
        {false, "{material: stel, shape: {sphere: {radius: 1}}}", "there is no material \"stel\"",
         "did you mean \"steel\"?"},
        {false, "{material: steel, positon: [0, 0, 1], shape: {sphere: {radius: 1}}}",
         "body has no key \"positon\"", "did you mean \"position\"?"},
        {false, "{material: steel}", "body needs \"shape\"", "one shape"},
        {false, "{material: steel, shape: {disk: {radius: 1}}}", "for 2D", ""},
        {false, "17", "must be a map", ""},
        {false, "{material: [", "", ""},
        {true, "{kind: hinge, bodies: [post, arn], point: [0, 0, 0], axis: [0, 0, 1]}",
         "there is no body \"arn\"", "did you mean \"arm\"?"},
        {true, "{kind: hinge, bodies: [post]}", "bodies", ""},
        {true, "{kind: hing, bodies: [post, arm]}", "kind", "did you mean \"hinge\"?"},
        {true,
         "{kind: hinge, bodies: [post, arm], point: [0, 0, 0], axis: [0, 0, 1], motor: {torque: "
         "\"input(pull)\"}}",
         "pull", ""},
    };
    entry_world w = open_world("");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cn_body_def body;
        cn_joint_def joint;
        w.error = (cn_error){0};
        cn_status status = cases[i].joint ? read_joint(&w, cases[i].text, &joint)
                                          : read_body(&w, cases[i].text, &body);
        if (status == CN_OK) {
            // A radius is looked at where the body is made.
            cn_body_id id;
            status = cn_sim_add_body(w.sim, &body, &id, &w.error);
        } else {
            assert_string_equal(w.error.file, "entry");
            CN_CHECK_TRUE(w.error.line >= 1);
        }
        CN_CHECK_TRUE(status != CN_OK);
        if (!strstr(w.error.message, cases[i].message) || !strstr(w.error.hint, cases[i].hint)) {
            print_error("%s: \"%s\", \"%s\"\n", cases[i].text, w.error.message, w.error.hint);
            fail();
        }
    }
    close_world(&w);
}

typedef struct room {
    unsigned char *bytes;
    size_t size;
    int asked;
    bool none;
} room;

static void *take_room(void *user, size_t size) {
    room *r = user;
    r->asked++;
    r->size = size;
    r->bytes = r->none ? NULL : malloc(size);
    return r->bytes;
}

CN_TEST(states_go_into_memory_of_the_callers) {
    entry_world w = open_world("");
    void *bytes;
    size_t size;
    room to = {0}, none = {.none = true};
    CN_CHECK_TRUE(cn_sim_save(w.sim, &bytes, &size) == CN_OK);
    CN_CHECK_TRUE(cn_sim_save_into(w.sim, take_room, &to) == CN_OK && to.asked == 1);
    CN_CHECK_TRUE(to.size == size && memcmp(to.bytes, bytes, size) == 0);
    CN_CHECK_TRUE(cn_sim_load(w.sim, to.bytes, to.size, &w.error) == CN_OK);
    CN_CHECK_TRUE(cn_sim_save_into(w.sim, take_room, &none) == CN_ERR_MEMORY);
    CN_CHECK_TRUE(cn_sim_save_into(NULL, take_room, &to) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_sim_save_into(w.sim, NULL, &to) == CN_ERR_ARGUMENT);
    cn_sim_free(w.sim, bytes, size);
    free(to.bytes);
    cn_body_def body;
    cn_joint_def joint;
    CN_CHECK_TRUE(cn_scene_read_body(NULL, "a", "{}", 2, w.memory, &body, NULL) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_scene_read_joint(w.model, "a", NULL, 2, w.memory, &joint, NULL) ==
                  CN_ERR_ARGUMENT);
    close_world(&w);
}
