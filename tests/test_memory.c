// Memory: what a run holds does not grow with time, and what a contact costs.
#include "world.h"

// An allocator that counts what is held.
typedef struct ledger {
    size_t held, most;
} ledger;

static void *counted(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
    ledger *l = user;
    l->held += new_bytes - old_bytes;
    l->most = l->held > l->most ? l->held : l->most;
    if (new_bytes == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_bytes);
}

typedef struct counted_run {
    ledger ledger;
    cn_env env;
    cn_model *model;
    cn_sim *sim;
} counted_run;

// Spheres in a box of which a wall moves to and fro.
static void run_open(counted_run *run, int layers) {
    char text[2048];
    cn_error error = {.status = CN_OK};
    snprintf(text, sizeof text,
             "cairn: 1\ndimension: 3\ntime: {step: 0.01}\nsolver: {tolerance: 1e-2}\n"
             "materials: {stone: {density: 1}}\n"
             "contacts: [{between: [stone, stone], friction: 0.3}]\nbodies:\n"
             "  - {name: floor, material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
             "offset: 0}}}\n"
             "  - {name: west, material: stone, shape: {plane: {normal: [1, 0, 0], offset: "
             "-1.6}}}\n"
             "  - {name: east, material: stone, fixed: true, shape: {plane: {normal: [-1, 0, 0], "
             "offset: -1.6}}}\n"
             "  - {name: south, material: stone, fixed: true, shape: {plane: {normal: [0, 1, 0], "
             "offset: -1.6}}}\n"
             "  - {name: north, material: stone, fixed: true, shape: {plane: {normal: [0, -1, 0], "
             "offset: -1.6}}}\n"
             "generate: [{grid: {count: [3, 3, %d], spacing: [1.02, 1.03, 1.01], position: [-1.02, "
             "-1.03, 0.6], material: stone, shape: {sphere: {radius: 0.5}}}}]\n"
             "motions: [{body: west, velocity: [\"0.4*sin(6*t)\", 0, 0]}]\n",
             layers);
    *run = (counted_run){.env = {.allocator = {.resize = counted}}};
    run->env.allocator.user = &run->ledger;
    if (cn_scene_read_text(&run->env, "counted", text, strlen(text), NULL, 0, &run->model,
                           &error) != CN_OK ||
        cn_sim_create(run->model, &run->env, &run->sim, &error) != CN_OK) {
        world_fail(&error);
    }
}

static void run_steps(counted_run *run, int count) {
    cn_error error = {.status = CN_OK};
    cn_step_report report;
    for (int i = 0; i < count; i++) {
        if (cn_sim_step(run->sim, &report, &error) != CN_OK) {
            world_fail(&error);
        }
    }
}

static void run_close(counted_run *run) {
    cn_sim_destroy(run->sim);
    cn_model_destroy(run->model);
    assert_int_equal(run->ledger.held, 0);
}

// The most that is held at any time is reached early, though contacts come and go all the time.
CN_TEST(a_run_holds_no_more_after_many_steps) {
    counted_run run;
    run_open(&run, 5);
    run_steps(&run, 500);
    size_t early = run.ledger.most, held = run.ledger.held;
    run_steps(&run, CN_WORLD_SLOW ? 1000 : 10000);
    CN_CHECK_NEAR((double)run.ledger.most, (double)early, 0.0);
    CN_CHECK_NEAR((double)run.ledger.held, (double)held, 0.0);
    run_close(&run);
}
