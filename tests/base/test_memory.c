// Memory: what a run holds does not grow with time, and what a contact costs.
#include "world.h"

// An allocator that counts what is held.
typedef struct ledger {
    size_t held, max;
} ledger;

static void *counted(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
    ledger *l = user;
    l->held += new_bytes - old_bytes;
    l->max = l->held > l->max ? l->held : l->max;
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
    size_t early = run.ledger.max, held = run.ledger.held;
    run_steps(&run, CN_WORLD_SLOW ? 1000 : 10000);
    CN_CHECK_NEAR((double)run.ledger.max, (double)early, 0.0);
    CN_CHECK_NEAR((double)run.ledger.held, (double)held, 0.0);
    run_close(&run);
}

// A scene of `count` spheres at one place; the error of making a simulation of it.
static cn_status crowd(int count, const char *detection, ledger *l, cn_error *error) {
    char text[1024];
    cn_env env = {.allocator = {.resize = counted, .user = l}};
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    snprintf(text, sizeof text,
             "cairn: 1\ndimension: 3\ntime: {step: 0.001, until: 1}\nmaterials: {stone: {density: "
             "1000}}\ncontacts: [{between: [stone, stone], friction: 0.3}]\n%s"
             "generate: [{grid: {count: [%d, 1, 1], spacing: [1e-9, 1, 1], material: stone, "
             "shape: {sphere: {radius: 0.5}}}}]\n",
             detection, count);
    cn_status status =
        cn_scene_read_text(&env, "crowd", text, strlen(text), NULL, 0, &model, error);
    if (status != CN_OK) {
        world_fail(error);
    }
    status = cn_sim_create(model, &env, &sim, error);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return status;
}

// 32 million overlapping pairs: the first is enough to refuse the start.
CN_TEST(an_overlapping_start_ends_at_the_first_overlap) {
    ledger l = {0};
    cn_error error = {.status = CN_OK};
    CN_CHECK_TRUE(crowd(8000, "", &l, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "bodies 2 (") && strstr(error.message, "overlap by 1 m"));
    CN_CHECK_BELOW((double)l.max / 1e6, 64.0);
}

// Where overlaps are accepted, the number of pairs is what cannot be had.
CN_TEST(too_many_pairs_are_refused_with_bounded_memory) {
    ledger l = {0};
    cn_error error = {.status = CN_OK};
    CN_CHECK_TRUE(crowd(8000, "detection: {overlap: 10}\n", &l, &error) == CN_ERR_UNSUPPORTED);
    CN_CHECK_TRUE(strstr(error.message, "pairs of bodies"));
    CN_CHECK_TRUE(strstr(error.hint, "time.step"));
    CN_CHECK_BELOW((double)l.max / 1e6, 64.0);
}

// Every pair of 300 bodies is far below the bound.
CN_TEST(a_crowd_within_the_bound_is_accepted) {
    ledger l = {0};
    cn_error error = {.status = CN_OK};
    CN_CHECK_TRUE(crowd(300, "detection: {overlap: 10}\n", &l, &error) == CN_OK);
}
