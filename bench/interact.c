// bench/interact.c
// What acting on a simulation from C costs: contacts as columns, a state saved and restored, a body
// added and removed, and frames of 100 boxes at 60 Hz (examples/interact.c).
#include "bench/bench.h"

#include <cairn/cairn.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONTACTS 3000        // that the columns are asked for
#define CONTACTS_ASKED 60e-6 // [s]
#define FRAME (1.0 / 60.0)   // [s]
#define FRAMES 240
#define ROUNDS 200

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A grid of bodies on the ground.
static cn_sim *start(const char *shape, const char *count, double spacing, double step,
                     cn_model **model) {
    char text[640];
    cn_sim *sim = NULL;
    cn_error error = {.status = CN_OK};
    snprintf(text, sizeof text,
             "{cairn: 1, time: {step: %.15g}, materials: {m: {density: 600}}, solver: {tolerance: "
             "1e-4}, contacts: [{between: [m, m], friction: 0.5}], bodies: [{material: m, fixed: "
             "true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}], generate: [{grid: {material: "
             "m, count: [%s], spacing: [%g, %g, 0.2], position: [0, 0, 0.1], shape: {%s}}}]}",
             step, count, spacing, spacing, shape);
    if (cn_scene_read_text(NULL, "bench", text, strlen(text), NULL, 0, model, &error) != CN_OK ||
        cn_sim_create(*model, NULL, &sim, &error) != CN_OK) {
        report_failure("%s", error.message);
    }
    return sim;
}

static const row_column interact_columns[] = {
    {"what", "what", 34, 0, 0.0},     {"count", "count", 8, 0, 0.0}, {"us", "us", 9, 3, 0.0},
    {"asked_us", "asked", 9, 3, 0.0}, {"share", "share", 7, 2, 0.0}, {NULL, NULL, 0, 0, 0.0}};

// A row with the shortest time; asked 0: nothing is asked.
static void print_row(row_table *table, const char *what, int64_t count, double time,
                      double asked) {
    row_text(table, what);
    row_int(table, count);
    row_ink(table, asked > 0.0 && time > asked ? INK_BAD : INK_GOOD);
    row_real(table, 1e6 * time);
    row_real(table, 1e6 * asked);
    row_real(table, asked > 0.0 ? time / asked : (double)NAN);
}

// All contacts of a step in one call, as much of them as pictures and controllers need, and all.
static void time_columns(row_table *table, const char *what, cn_sim *sim) {
    static int32_t bodies[4 * CONTACTS];
    static double number[9][6 * CONTACTS];
    static uint8_t status[2 * CONTACTS];
    cn_contact_columns some = {.bodies = bodies,
                               .point = number[0],
                               .normal = number[1],
                               .gap = number[2],
                               .impulse = number[3],
                               .friction = number[4],
                               .status = status};
    cn_contact_columns all = some;
    char name[64];
    all.velocity = number[5];
    all.velocity_before = number[6];
    all.shift = number[7];
    all.frame_change = number[8];
    for (int32_t kind = 0; kind < 2; kind++) {
        double best = HUGE_VAL;
        int32_t count = 0;
        for (int32_t round = 0; round < ROUNDS; round++) {
            double begin = now();
            count = cn_sim_contacts(sim, CONTACTS, kind ? &all : &some);
            best = fmin(best, now() - begin);
        }
        snprintf(name, sizeof name, "%s, %s", what, kind ? "all columns" : "place and force");
        print_row(table, name, count, best, kind ? 0.0 : CONTACTS_ASKED);
    }
}

static void time_contacts(row_table *table) {
    static const struct {
        const char *what, *shape, *count;
        double spacing;
    } cases[] = {{"spheres", "sphere: {radius: 0.1}", "11, 11, 11", 0.2},
                 {"boxes", "box: {size: [0.2, 0.2, 0.2]}", "10, 10, 8", 0.3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cn_model *model = NULL;
        cn_step_report report;
        cn_sim *sim = start(cases[i].shape, cases[i].count, cases[i].spacing, 1e-3, &model);
        for (int32_t k = 0; sim && k < 3; k++) {
            cn_sim_step(sim, &report, NULL);
        }
        if (sim) {
            time_columns(table, cases[i].what, sim);
        }
        cn_sim_destroy(sim);
        cn_model_destroy(model);
    }
}

// A state saved and restored; a body added and removed: each the shortest of some.
static void time_changes(row_table *table, cn_sim *sim) {
    double saved = HUGE_VAL, changed = HUGE_VAL;
    cn_shape_def shape = {.kind = CN_SHAPE_SPHERE, .orientation = {1.0}, .radius = 0.1};
    cn_body_def def = cn_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.position[2] = 9.0;
    void *first;
    size_t first_size;
    if (cn_sim_save(sim, &first, &first_size) != CN_OK) {
        return;
    }
    for (int32_t round = 0; round < ROUNDS; round++) {
        void *bytes;
        size_t size;
        cn_body_id id;
        double begin = now();
        if (cn_sim_save(sim, &bytes, &size) == CN_OK) {
            cn_sim_load(sim, bytes, size, NULL);
            saved = fmin(saved, now() - begin);
            cn_sim_free(sim, bytes, size);
        }
        begin = now();
        if (cn_sim_add_body(sim, &def, &id, NULL) == CN_OK) {
            cn_sim_remove_body(sim, id, NULL);
        }
        changed = fmin(changed, now() - begin);
        cn_sim_load(sim, first, first_size, NULL);
    }
    cn_sim_free(sim, first, first_size);
    print_row(table, "save and restore", cn_model_body_count(cn_sim_model(sim)), saved, 0.0);
    print_row(table, "add and remove a body", cn_model_body_count(cn_sim_model(sim)), changed, 0.0);
}

// 100 boxes fall and are pushed; a frame is a step, a push, the force on the ground and a ray.
static void time_frames(row_table *table) {
    cn_model *model = NULL;
    cn_query *query = NULL;
    double worst = 0.0, sum = 0.0, push[3] = {0.2, 0.0, 0.0}, force[3];
    const double from[3] = {0.6, 0.6, 9.0}, down[3] = {0.0, 0.0, -1.0};
    cn_sim *sim = start("box: {size: [0.2, 0.2, 0.2]}", "5, 5, 4", 0.3, FRAME, &model);
    int32_t frames = 0;
    cn_status status = sim ? cn_query_create(sim, &query, NULL) : CN_ERR_INPUT;
    for (; frames < FRAMES && status == CN_OK; frames++) {
        cn_step_report report;
        cn_query_hit hit;
        double begin = now();
        status = cn_sim_apply_impulse(sim, 2 + frames % 100, push, NULL, NULL, NULL);
        status = status == CN_OK ? cn_sim_step(sim, &report, NULL) : status;
        status = status == CN_OK ? cn_query_update(query, sim, NULL) : status;
        cn_query_ray(query, from, down, 20.0, NULL, &hit);
        cn_sim_contact_force(sim, 1, force);
        sum += now() - begin;
        worst = fmax(worst, now() - begin);
    }
    print_row(table, "frame of 100 boxes, mean", frames, sum / fmax(frames, 1), FRAME);
    print_row(table, "frame of 100 boxes, longest", frames, worst, FRAME);
    if (sim) {
        time_changes(table, sim);
    }
    cn_query_destroy(query);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

int bench_interact(const bench_job *job) {
    row_table table = row_table_start(stdout, job->json, "interact", interact_columns);
    time_contacts(&table);
    time_frames(&table);
    return EXIT_DONE;
}
