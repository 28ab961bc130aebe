// tests/world.h
// Scenes as text, run step by step: what the analytic tests share.
//
//     world w = world_open("cairn: 1\n..." , numbers);
//     world_run(&w, 2.0);
//     CN_CHECK_NEAR(world_position(&w, 2)[0], 1.0, 1e-12);
//     world_close(&w);
#ifndef CAIRN_TESTS_WORLD_H
#define CAIRN_TESTS_WORLD_H

#include "check.h"

#include <cairn/problem.h>
#include <cairn/scene.h>
#include <cairn/sim.h>

#include <stdlib.h>
#include <string.h>

// Runs of many thousand steps are left out where every access is checked.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CN_WORLD_SLOW true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CN_WORLD_SLOW true
#endif
#endif
#ifndef CN_WORLD_SLOW
#define CN_WORLD_SLOW false
#endif

#define CN_LONG_RUN()                                                                              \
    do {                                                                                           \
        if (CN_WORLD_SLOW) {                                                                       \
            CN_SKIP("a long run, left to builds without sanitizers");                              \
        }                                                                                          \
    } while (0)

// How much of the statistics to gather: 1, or CAIRN_EFFORT of the environment when run by hand.
static inline int world_effort(void) {
    const char *text = getenv("CAIRN_EFFORT");
    int effort = text ? atoi(text) : 1;
    return effort > 1 ? effort : 1;
}

typedef struct world {
    cn_model *model;
    cn_sim *sim;
    int32_t pose, size; // numbers of a body in q and v
    double *q, *v;
    cn_step_report last;
    double energy;         // kinetic and potential, now
    double worst_residual; // of all steps so far
    double worst_rise;     // largest gain of energy in a step, less the work given
    double worst_balance;  // largest error of a step's balance
    int32_t unsolved;      // steps that missed their tolerance
    int32_t missed;        // pairs found overlapping without warning
} world;

static inline void world_look(world *w) {
    double kinetic, potential;
    cn_sim_poses(w->sim, w->q);
    cn_sim_velocities(w->sim, w->v);
    cn_sim_energy(w->sim, &kinetic, &potential);
    w->energy = kinetic + potential;
}

static inline void world_fail(const cn_error *error) {
    char shown[1200];
    print_error("%s\n", cn_error_format(error, shown, sizeof shown));
    fail();
}

// From the start of a model, which the world then owns.
static inline world world_start(cn_model *model) {
    world w = {.model = model};
    cn_error error = {0};
    if (cn_sim_create(w.model, NULL, &w.sim, &error) != CN_OK) {
        world_fail(&error);
    }
    size_t bodies = (size_t)cn_model_body_count(w.model);
    w.pose = cn_model_dim(w.model) == 3 ? 7 : 3;
    w.size = cn_model_dim(w.model) == 3 ? 6 : 3;
    w.q = calloc(bodies * (size_t)w.pose + 1, sizeof *w.q);
    w.v = calloc(bodies * (size_t)w.size + 1, sizeof *w.v);
    CN_CHECK_TRUE(w.q && w.v);
    world_look(&w);
    return w;
}

// The scene's text may hold printf conversions for the numbers that follow.
static inline world world_open(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline world world_open(const char *format, ...) {
    cn_model *model;
    cn_error error = {0};
    char text[65536];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    CN_CHECK_TRUE(length > 0 && length < (int)sizeof text);
    if (cn_scene_read_text(NULL, "scene.yaml", text, (size_t)length, NULL, 0, &model, &error) !=
        CN_OK) {
        world_fail(&error);
    }
    return world_start(model);
}

// A scene of the gallery, with values put in place of its own.
static inline world world_gallery(const char *name, const cn_override *overrides, int32_t count) {
    cn_model *model;
    cn_error error = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", CAIRN_SOURCE_DIR, name);
    if (cn_scene_read(NULL, path, overrides, count, &model, &error) != CN_OK) {
        world_fail(&error);
    }
    return world_start(model);
}

static inline void world_close(world *w) {
    cn_sim_destroy(w->sim);
    cn_model_destroy(w->model);
    free(w->q);
    free(w->v);
}

static inline void world_step(world *w) {
    cn_error error = {0};
    double before = w->energy;
    if (cn_sim_step(w->sim, &w->last, &error) != CN_OK) {
        world_fail(&error);
    }
    world_look(w);
    w->worst_residual = fmax(w->worst_residual, w->last.residual);
    w->worst_rise =
        fmax(w->worst_rise, w->energy - before - w->last.work_external - w->last.work_correction);
    w->worst_balance = fmax(w->worst_balance, fabs(w->last.balance_error));
    w->unsolved += w->last.outcome != CN_SOLVED;
    w->missed += w->last.missed;
}

static inline void world_steps(world *w, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        world_step(w);
    }
}

// The state is saved, and a new simulation of the same model goes on from it.
static inline void world_pause(world *w) {
    void *bytes;
    size_t size;
    cn_sim *other;
    cn_error error = {0};
    assert_int_equal(cn_sim_save(w->sim, &bytes, &size), CN_OK);
    assert_int_equal(cn_sim_create(w->model, NULL, &other, &error), CN_OK);
    assert_int_equal(cn_sim_load(other, bytes, size, &error), CN_OK);
    cn_sim_free(w->sim, bytes, size);
    cn_sim_destroy(w->sim);
    w->sim = other;
}

// A step whose problem is handed out in body space and graded as the report says; the number of
// its contacts.
static inline int32_t world_graded_step(world *w, cn_arena *arena) {
    world_step(w);
    const double *r, *u;
    const cn_friction *p = cn_sim_problem(w->sim, &r, &u);
    assert_non_null(p);
    assert_int_equal(p->W.kind, CN_OPERATOR_BODY);
    cn_grade grade;
    assert_int_equal(cn_friction_grade(p, r, u, arena, &grade), CN_OK);
    CN_CHECK_NEAR(grade.residual, w->last.residual, 1e-9);
    CN_CHECK_BELOW(grade.velocity_mismatch, 1e-9);
    return p->contacts;
}

// Up to the step nearest to time t.
static inline void world_run(world *w, double t) {
    double h = cn_sim_step_index(w->sim) > 0
                   ? cn_sim_time(w->sim) / (double)cn_sim_step_index(w->sim)
                   : 0.0;
    while (h == 0.0 || cn_sim_time(w->sim) < t - 0.5 * h) {
        world_step(w);
        h = cn_sim_time(w->sim) / (double)cn_sim_step_index(w->sim);
    }
}

// Bodies count from 1, in scene order.
static inline double *world_position(const world *w, cn_body_id body) {
    return w->q + (ptrdiff_t)w->pose * (body - 1);
}

static inline double *world_velocity(const world *w, cn_body_id body) {
    return w->v + (ptrdiff_t)w->size * (body - 1);
}

// All contacts' impulse on a body in the last step, world axes.
static inline void world_impulse(const world *w, cn_body_id body, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (int32_t i = 0; i < cn_sim_contact_count(w->sim); i++) {
        cn_contact_record contact;
        cn_sim_contact(w->sim, i, &contact);
        double sign = contact.candidate == body ? 1.0 : (contact.antagonist == body ? -1.0 : 0.0);
        for (int k = 0; k < 3; k++) {
            out[k] += sign * contact.impulse[k];
        }
    }
}

// Observed order of convergence from errors at steps h and h/2.
static inline double world_order(double coarse, double fine) {
    return log2(fabs(coarse) / fabs(fine));
}

#endif
