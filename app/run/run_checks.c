// app/run/run_checks.c
// Two checks of a run that goes on; see run_checks.h.
//
// Penetration: a pair counts when its depth exceeds penetration_limit times the smaller of the two
// inradii, and the overlap that the scene may start with, for DEEP_STEPS steps in a row or at
// the last step. One step alone may be that deep at a fast impact and is undone by the next: at the
// last step bodies that part fast enough do not count.
//
// Free fall: every FALL_CHECK the change of each body's vertical speed is compared with that of
// gravity. A body for which they agree for FALL_TIME, and which is below all bodies for which
// they do not, has fallen out of the scene. Where a plane or line lies under the scene none can.
#include "run/run_checks.h"

#include "draw/paint.h"
#include "run/run_loop.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FALL_CHECK 0.1 // [s]
#define FALL_TIME 2.0  // [s]
#define FALL_CHECKS 20 // FALL_TIME over FALL_CHECK
#define FALL_TOLD 255
#define FALL_SLACK 0.01 // of gravity: what counts as free fall
#define FLOOR_RISE 0.01 // of a plane's unit normal, upwards: the plane lies under the scene

// ---- penetration ----

static deep_pair *deep_find(run_checks *checks, cn_body_id a, cn_body_id b) {
    for (int32_t i = 0; i < checks->pairs; i++) {
        if (checks->pair[i].a == a && checks->pair[i].b == b) {
            return &checks->pair[i];
        }
    }
    if (checks->pairs == DEEP_PAIRS) {
        return NULL;
    }
    checks->pair[checks->pairs] = (deep_pair){.a = a, .b = b};
    return &checks->pair[checks->pairs++];
}

static void deep_note(run_checks *checks, const cn_contact_record *contact) {
    cn_body_info a, b;
    cn_model_body(checks->model, contact->candidate, &a);
    cn_model_body(checks->model, contact->antagonist, &b);
    double depth = -contact->gap, size = fmin(a.inradius, b.inradius);
    if (!(size > 0.0 && depth > checks->limit * size)) { // systems have no shapes
        return;
    }
    deep_pair *pair = deep_find(checks, contact->candidate, contact->antagonist);
    if (pair && !(pair->seen && pair->depth >= depth)) {
        pair->steps += !pair->seen;
        pair->seen = true;
        pair->depth = depth;
        pair->share = depth / size;
        const double *u = contact->velocity, *n = contact->normal;
        double rise =
            (u[0] * n[0] + u[1] * n[1] + u[2] * n[2]) * cn_model_settings(checks->model)->step;
        pair->parting = depth - rise <= checks->limit * size;
    }
}

char *body_label(const cn_model *model, cn_body_id id) {
    cn_body_info body;
    cn_model_body(model, id, &body);
    return body.name[0] ? format_text("body %d (%s)", (int)id, body.name)
                        : format_text("body %d", (int)id);
}

static void deep_report(run_checks *checks, deep_pair *pair, check_fn *say, void *user) {
    pair->reported = true;
    checks->worst_share = fmax(checks->worst_share, pair->share);
    if (++checks->deep > NAMED_MAX) {
        return;
    }
    char *a = body_label(checks->model, pair->a), *b = body_label(checks->model, pair->b);
    char *text = format_text(DEEP_TEXT "%s and %s by %.3g m, %.3g %% of the smaller inradius "
                                       "(limit %g %%)",
                             a, b, pair->depth, 100.0 * pair->share, 100.0 * checks->limit);
    say(user, NULL, text);
    free(text);
    free(a);
    free(b);
}

static void deep_step(run_checks *checks, const cn_sim *sim, const cn_step_report *report,
                      bool last, check_fn *say, void *user) {
    bool any = report->penetration_max > checks->accepted;
    if (!any && checks->pairs == 0) {
        return;
    }
    int32_t contacts = any ? cn_sim_contact_count(sim) : 0, kept = 0;
    for (int32_t i = 0; i < contacts; i++) {
        cn_contact_record contact;
        cn_sim_contact(sim, i, &contact);
        if (-contact.gap > checks->accepted) {
            deep_note(checks, &contact);
        }
    }
    for (int32_t i = 0; i < checks->pairs; i++) {
        deep_pair pair = checks->pair[i];
        if (!pair.seen) {
            continue; // it came apart
        }
        if (!pair.reported && ((last && !pair.parting) || pair.steps >= DEEP_STEPS)) {
            deep_report(checks, &pair, say, user);
        }
        pair.seen = false;
        checks->pair[kept++] = pair;
    }
    checks->pairs = kept;
}

// ---- free fall ----

// Whether a shape is a plane or line whose solid side is below, for the pose of its body.
static bool shape_is_floor(const run_checks *checks, const cn_shape_info *shape,
                           const body_pose *pose) {
    if (shape->kind != CN_SHAPE_PLANE && shape->kind != CN_SHAPE_LINE) {
        return false;
    }
    double tip[3], origin[3], rise = 0.0;
    pose_apply(pose, shape->normal, tip);
    pose_apply(pose, (const double[3]){0.0, 0.0, 0.0}, origin);
    for (int k = 0; k < 3; k++) {
        rise += checks->up[k] * (tip[k] - origin[k]);
    }
    return rise > FLOOR_RISE;
}

static bool scene_has_floor(const run_checks *checks, const double *poses) {
    int32_t dim = cn_model_dim(checks->model), bodies = cn_model_body_count(checks->model);
    for (int32_t i = 0; i < bodies; i++) {
        cn_body_info body;
        cn_model_body(checks->model, i + 1, &body);
        if (!isinf(body.bound)) {
            continue;
        }
        body_pose pose = pose_of(dim, poses, i + 1);
        for (int32_t k = 0; k < body.shape_count; k++) {
            cn_shape_info shape;
            cn_model_shape(checks->model, i + 1, k, &shape);
            if (shape_is_floor(checks, &shape, &pose)) {
                return true;
            }
        }
    }
    return false;
}

static void fall_start(run_checks *checks, const cn_sim *sim) {
    cn_model *model = checks->model;
    const double *gravity = cn_model_settings(model)->gravity;
    int32_t dim = cn_model_dim(model), bodies = cn_model_body_count(model);
    for (int32_t k = 0; k < dim; k++) {
        checks->gravity = hypot(checks->gravity, gravity[k]);
    }
    if (!(checks->gravity > 0.0) || cn_model_system(model)) {
        return;
    }
    for (int32_t k = 0; k < dim; k++) {
        checks->up[k] = -gravity[k] / checks->gravity;
    }
    double *poses = ALLOCATE(double, 7 * (int64_t)bodies);
    cn_sim_poses(sim, poses);
    checks->falls = !scene_has_floor(checks, poses);
    free(poses);
    if (checks->falls) {
        checks->speed = ALLOCATE(float, bodies);
        checks->falling = ALLOCATE(uint8_t, bodies);
        memset(checks->falling, 0, (size_t)bodies);
        memset(checks->speed, 0, sizeof *checks->speed * (size_t)bodies);
    }
    checks->checked = cn_sim_time(sim);
}

// Counts the checks in a row that each body has been in free fall; whether one is to be looked at.
static bool fall_count(run_checks *checks, const cn_sim *sim, double dt) {
    int32_t dim = cn_model_dim(checks->model), bodies = cn_model_body_count(checks->model);
    int32_t size = dim == 3 ? 6 : 3;
    double *v = ALLOCATE(double, size *(int64_t)bodies);
    bool due = false;
    cn_sim_velocities(sim, v);
    for (int32_t i = 0; i < bodies; i++) {
        double speed = 0.0, allowed = FALL_SLACK * checks->gravity * dt;
        for (int32_t k = 0; k < dim; k++) {
            speed += checks->up[k] * v[size * (int64_t)i + k];
        }
        bool falls = fabs(speed - (double)checks->speed[i] + checks->gravity * dt) <= allowed;
        checks->speed[i] = (float)speed;
        if (checks->falling[i] != FALL_TOLD) {
            checks->falling[i] =
                (uint8_t)(!falls                             ? 0
                          : checks->falling[i] < FALL_CHECKS ? checks->falling[i] + 1
                                                             : FALL_CHECKS);
            due = due || checks->falling[i] >= FALL_CHECKS;
        }
    }
    free(v);
    return due;
}

// Height of a body's sphere: its middle, and its radius as seen from the body's origin.
static double fall_height(const run_checks *checks, int32_t dim, const double *pose) {
    double height = 0.0;
    for (int32_t k = 0; k < dim; k++) {
        height += checks->up[k] * pose[k];
    }
    return height;
}

static double fall_reach(const cn_body_info *body) {
    return body->bound + hypot(hypot(body->com[0], body->com[1]), body->com[2]);
}

static void fall_report(run_checks *checks, int32_t i, check_fn *say, void *user) {
    cn_body_info body;
    cn_model_body(checks->model, i + 1, &body);
    checks->falling[i] = FALL_TOLD;
    if (++checks->fallen > NAMED_MAX) {
        return;
    }
    char *label = body_label(checks->model, i + 1);
    char *text =
        format_text("%s has been in free fall below everything else for %g s%s", label, FALL_TIME,
                    checks->fallen == NAMED_MAX ? "; further ones are only counted" : "");
    say(user, &body.source, text);
    free(text);
    free(label);
}

static void fall_scan(run_checks *checks, const cn_sim *sim, check_fn *say, void *user) {
    int32_t dim = cn_model_dim(checks->model), bodies = cn_model_body_count(checks->model);
    int32_t size = dim == 3 ? 7 : 3;
    double *poses = ALLOCATE(double, size *(int64_t)bodies), bottom = HUGE_VAL;
    cn_body_info body;
    cn_sim_poses(sim, poses);
    for (int32_t i = 0; i < bodies; i++) {
        cn_model_body(checks->model, i + 1, &body);
        if (checks->falling[i] < FALL_CHECKS && body.shape_count > 0 && !isinf(body.bound)) {
            bottom = fmin(bottom,
                          fall_height(checks, dim, poses + size * (int64_t)i) - fall_reach(&body));
        }
    }
    for (int32_t i = 0; i < bodies && bottom < HUGE_VAL; i++) {
        if (checks->falling[i] == FALL_CHECKS) {
            cn_model_body(checks->model, i + 1, &body);
            double top = fall_height(checks, dim, poses + size * (int64_t)i) + fall_reach(&body);
            if (top < bottom) {
                fall_report(checks, i, say, user);
            }
        }
    }
    free(poses);
}

static void fall_step(run_checks *checks, const cn_sim *sim, check_fn *say, void *user) {
    double h = cn_model_settings(checks->model)->step, t = cn_sim_time(sim);
    if (!checks->falls || !is_due(cn_sim_step_index(sim), h, FALL_CHECK)) {
        return;
    }
    if (fall_count(checks, sim, t - checks->checked)) {
        fall_scan(checks, sim, say, user);
    }
    checks->checked = t;
}

// ---- both ----

void run_checks_start(run_checks *checks, cn_model *model, const cn_sim *sim) {
    const cn_settings *settings = cn_model_settings(model);
    *checks = (run_checks){
        .model = model, .limit = settings->penetration_limit, .accepted = settings->overlap_max};
    fall_start(checks, sim);
}

void run_checks_step(run_checks *checks, const cn_sim *sim, const cn_step_report *report, bool last,
                     check_fn *say, void *user) {
    deep_step(checks, sim, report, last, say, user);
    fall_step(checks, sim, say, user);
}

void run_checks_end(run_checks *checks) {
    free(checks->speed);
    free(checks->falling);
    checks->speed = NULL;
    checks->falling = NULL;
}
