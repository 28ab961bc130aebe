// Making and stepping deformable bodies can be ended wherever it is polled, and says so.
#include "check.h"

#include <cairn/scene.h>
#include <cairn/sim.h>

#include <string.h>

#define BLOCKS(cells)                                                                              \
    "cairn: 1\ndimension: 2\nintegrator: {theta: 1}\ntime: {step: 1.0e-3}\n"                       \
    "materials: {m: {density: 1000, young: 1.0e6, poisson: 0.3}}\n"                                \
    "contacts: [{between: ['*', '*'], friction: 0.5}]\nbodies:\n"                                  \
    "  - {fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"                            \
    "  - {material: m, position: [0, 0.5], deformable: {mesh: {box: {size: [1, 1], cells: " cells  \
    "}}}}\n"                                                                                       \
    "  - {material: m, position: [0.2, 1.5], deformable: {mesh: {box: {size: [1, 1], cells: [9, "  \
    "9]}}}}\n"

typedef struct countdown {
    int64_t polls, last; // from this poll on the work is to end; -1: never
} countdown;

static bool count_down(void *user) {
    countdown *own = user;
    int64_t poll = own->polls++;
    return own->last >= 0 && poll >= own->last; // and all later ones
}

static cn_status make_and_step(const cn_model *model, countdown *own, cn_error *error) {
    cn_env env = cn_env_default();
    cn_sim *sim = NULL;
    cn_step_report report;
    env.cancel = count_down;
    env.cancel_user = own;
    *error = (cn_error){.status = CN_OK};
    own->polls = 0;
    cn_status status = cn_sim_create(model, &env, &sim, error);
    status = status == CN_OK ? cn_sim_step(sim, &report, error) : status;
    cn_sim_destroy(sim);
    return status;
}

// Every poll, or a few of them. Returns how many there are.
static int64_t end_at_each(const char *text, int64_t stride) {
    cn_model *model;
    cn_error error;
    countdown own = {.last = -1};
    assert_int_equal(cn_scene_read_text(NULL, "scene", text, strlen(text), NULL, 0, &model, &error),
                     CN_OK);
    assert_int_equal(make_and_step(model, &own, &error), CN_OK);
    int64_t polls = own.polls;
    for (int64_t k = 0; k < polls; k += stride) {
        own.last = k;
        cn_status status = make_and_step(model, &own, &error);
        if (status != CN_ERR_CANCELLED || error.status != status || !error.message[0]) {
            print_error("poll %d of %d: status %d: %s\n", (int)k, (int)polls, (int)status,
                        error.message);
            fail();
        }
    }
    cn_model_destroy(model);
    return polls;
}

CN_TEST(making_and_stepping_deformable_bodies_can_be_ended) {
    end_at_each(BLOCKS("[8, 8]"), 1);
}

// What the surface of a fine mesh gives takes seconds, and is polled all the way.
CN_TEST(condensing_a_fine_mesh_is_polled) {
    int64_t coarse = end_at_each(BLOCKS("[8, 8]"), 100), fine = end_at_each(BLOCKS("[40, 40]"), 7);
    CN_CHECK_TRUE(fine - coarse >= 2 * 160 / 32 - 2);
}
