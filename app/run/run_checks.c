// app/run/run_checks.c
// Two checks of a run that goes on; see run_checks.h.
//
// Penetration: a pair counts when its depth exceeds penetration_limit times the smaller of the two
// inradii, and the overlap that the scene may start with, for CN_DEEP_STEPS steps in a row or at
// the last step. One step alone may be that deep at a fast impact and is undone by the next.
//
// Free fall: every CN_FALL_CHECK the change of each body's vertical speed is compared with that of
// gravity. A body for which they agree for CN_FALL_TIME, and which is below all bodies for which
// they do not, has fallen out of the scene. Where a plane or line lies under the scene none can.
#include "run/run_checks.h"

#include "draw/paint.h"
#include "run/run_loop.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_FALL_CHECK 0.1 // [s]
#define CN_FALL_TIME 2.0  // [s]
#define CN_FALL_CHECKS 20 // CN_FALL_TIME over CN_FALL_CHECK
#define CN_FALL_TOLD 255
#define CN_FALL_SLACK 0.01 // of gravity: what counts as free fall
#define CN_FLOOR_RISE 0.01 // of a plane's unit normal, upwards: the plane lies under the scene

// ---- penetration ----

static cn_deep_pair *cn_deep_find(cn_run_checks *checks, cn_body_id a, cn_body_id b) {
    for (int32_t i = 0; i < checks->pairs; i++) {
        if (checks->pair[i].a == a && checks->pair[i].b == b) {
            return &checks->pair[i];
        }
    }
    if (checks->pairs == CN_DEEP_PAIRS) {
        return NULL;
    }
    checks->pair[checks->pairs] = (cn_deep_pair){.a = a, .b = b};
    return &checks->pair[checks->pairs++];
}

static void cn_deep_note(cn_run_checks *checks, const cn_contact_record *contact) {
    cn_body_info a, b;
    cn_model_body(checks->model, contact->candidate, &a);
    cn_model_body(checks->model, contact->antagonist, &b);
    double depth = -contact->gap, size = fmin(a.inradius, b.inradius);
    if (!(size > 0.0 && depth > checks->limit * size)) { // systems have no shapes
        return;
    }
    cn_deep_pair *pair = cn_deep_find(checks, contact->candidate, contact->antagonist);
    if (pair && !(pair->seen && pair->depth >= depth)) {
        pair->steps += !pair->seen;
        pair->seen = true;
        pair->depth = depth;
        pair->share = depth / size;
    }
}

char *cn_body_label(const cn_model *model, cn_body_id id) {
    cn_body_info body;
    cn_model_body(model, id, &body);
    return body.name[0] ? cn_text("body %d (%s)", (int)id, body.name) : cn_text("body %d", (int)id);
}

static void cn_deep_say(cn_run_checks *checks, cn_deep_pair *pair, cn_check_fn *say, void *user) {
    pair->told = true;
    checks->worst_share = fmax(checks->worst_share, pair->share);
    if (++checks->deep > CN_NAMED_MAX) {
        return;
    }
    char *a = cn_body_label(checks->model, pair->a), *b = cn_body_label(checks->model, pair->b);
    char *text = cn_text(CN_DEEP_TEXT "%s and %s by %.3g m, %.3g %% of the smaller inradius "
                                      "(limit %g %%)",
                         a, b, pair->depth, 100.0 * pair->share, 100.0 * checks->limit);
    say(user, NULL, text);
    free(text);
    free(a);
    free(b);
}

static void cn_deep_step(cn_run_checks *checks, const cn_sim *sim, const cn_step_report *report,
                         bool last, cn_check_fn *say, void *user) {
    bool any = report->penetration_max > checks->accepted;
    if (!any && checks->pairs == 0) {
        return;
    }
    int32_t contacts = any ? cn_sim_contact_count(sim) : 0, kept = 0;
    for (int32_t i = 0; i < contacts; i++) {
        cn_contact_record contact;
        cn_sim_contact(sim, i, &contact);
        if (-contact.gap > checks->accepted) {
            cn_deep_note(checks, &contact);
        }
    }
    for (int32_t i = 0; i < checks->pairs; i++) {
        cn_deep_pair pair = checks->pair[i];
        if (!pair.seen) {
            continue; // it came apart
        }
        if (!pair.told && (last || pair.steps >= CN_DEEP_STEPS)) {
            cn_deep_say(checks, &pair, say, user);
        }
        pair.seen = false;
        checks->pair[kept++] = pair;
    }
    checks->pairs = kept;
}

// ---- free fall ----

// Whether a shape is a plane or line whose solid side is below, for the pose of its body.
static bool cn_is_floor(const cn_run_checks *checks, const cn_shape_info *shape,
                        const cn_pose *pose) {
    if (shape->kind != CN_SHAPE_PLANE && shape->kind != CN_SHAPE_LINE) {
        return false;
    }
    double tip[3], origin[3], rise = 0.0;
    cn_pose_apply(pose, shape->normal, tip);
    cn_pose_apply(pose, (const double[3]){0.0, 0.0, 0.0}, origin);
    for (int k = 0; k < 3; k++) {
        rise += checks->up[k] * (tip[k] - origin[k]);
    }
    return rise > CN_FLOOR_RISE;
}

static bool cn_has_floor(const cn_run_checks *checks, const double *poses) {
    int32_t dim = cn_model_dim(checks->model), bodies = cn_model_body_count(checks->model);
    for (int32_t i = 0; i < bodies; i++) {
        cn_body_info body;
        cn_model_body(checks->model, i + 1, &body);
        if (!isinf(body.bound)) {
            continue;
        }
        cn_pose pose = cn_pose_of(dim, poses, i + 1);
        for (int32_t k = 0; k < body.shape_count; k++) {
            cn_shape_info shape;
            cn_model_shape(checks->model, i + 1, k, &shape);
            if (cn_is_floor(checks, &shape, &pose)) {
                return true;
            }
        }
    }
    return false;
}

static void cn_fall_start(cn_run_checks *checks, const cn_sim *sim) {
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
    double *poses = CN_ALLOCATE(double, 7 * (int64_t)bodies);
    cn_sim_poses(sim, poses);
    checks->falls = !cn_has_floor(checks, poses);
    free(poses);
    if (checks->falls) {
        checks->speed = CN_ALLOCATE(float, bodies);
        checks->falling = CN_ALLOCATE(uint8_t, bodies);
        memset(checks->falling, 0, (size_t)bodies);
        memset(checks->speed, 0, sizeof *checks->speed * (size_t)bodies);
    }
    checks->checked = cn_sim_time(sim);
}

// Counts the checks in a row that each body has been in free fall; whether one is to be looked at.
static bool cn_fall_count(cn_run_checks *checks, const cn_sim *sim, double dt) {
    int32_t dim = cn_model_dim(checks->model), bodies = cn_model_body_count(checks->model);
    int32_t size = dim == 3 ? 6 : 3;
    double *v = CN_ALLOCATE(double, size *(int64_t)bodies);
    bool due = false;
    cn_sim_velocities(sim, v);
    for (int32_t i = 0; i < bodies; i++) {
        double speed = 0.0, allowed = CN_FALL_SLACK * checks->gravity * dt;
        for (int32_t k = 0; k < dim; k++) {
            speed += checks->up[k] * v[size * (int64_t)i + k];
        }
        bool falls = fabs(speed - (double)checks->speed[i] + checks->gravity * dt) <= allowed;
        checks->speed[i] = (float)speed;
        if (checks->falling[i] != CN_FALL_TOLD) {
            checks->falling[i] =
                (uint8_t)(!falls                                ? 0
                          : checks->falling[i] < CN_FALL_CHECKS ? checks->falling[i] + 1
                                                                : CN_FALL_CHECKS);
            due = due || checks->falling[i] >= CN_FALL_CHECKS;
        }
    }
    free(v);
    return due;
}

// Height of a body's ball: its middle, and its radius as seen from the body's origin.
static double cn_fall_height(const cn_run_checks *checks, int32_t dim, const double *pose) {
    double height = 0.0;
    for (int32_t k = 0; k < dim; k++) {
        height += checks->up[k] * pose[k];
    }
    return height;
}

static double cn_fall_reach(const cn_body_info *body) {
    return body->bound + hypot(hypot(body->com[0], body->com[1]), body->com[2]);
}

static void cn_fall_say(cn_run_checks *checks, int32_t i, cn_check_fn *say, void *user) {
    cn_body_info body;
    cn_model_body(checks->model, i + 1, &body);
    checks->falling[i] = CN_FALL_TOLD;
    if (++checks->fallen > CN_NAMED_MAX) {
        return;
    }
    char *label = cn_body_label(checks->model, i + 1);
    char *text =
        cn_text("%s has been in free fall below everything else for %g s%s", label, CN_FALL_TIME,
                checks->fallen == CN_NAMED_MAX ? "; further ones are only counted" : "");
    say(user, &body.source, text);
    free(text);
    free(label);
}

static void cn_fall_look(cn_run_checks *checks, const cn_sim *sim, cn_check_fn *say, void *user) {
    int32_t dim = cn_model_dim(checks->model), bodies = cn_model_body_count(checks->model);
    int32_t size = dim == 3 ? 7 : 3;
    double *poses = CN_ALLOCATE(double, size *(int64_t)bodies), bottom = HUGE_VAL;
    cn_body_info body;
    cn_sim_poses(sim, poses);
    for (int32_t i = 0; i < bodies; i++) {
        cn_model_body(checks->model, i + 1, &body);
        if (checks->falling[i] < CN_FALL_CHECKS && body.shape_count > 0 && !isinf(body.bound)) {
            bottom = fmin(bottom, cn_fall_height(checks, dim, poses + size * (int64_t)i) -
                                      cn_fall_reach(&body));
        }
    }
    for (int32_t i = 0; i < bodies && bottom < HUGE_VAL; i++) {
        if (checks->falling[i] == CN_FALL_CHECKS) {
            cn_model_body(checks->model, i + 1, &body);
            double top =
                cn_fall_height(checks, dim, poses + size * (int64_t)i) + cn_fall_reach(&body);
            if (top < bottom) {
                cn_fall_say(checks, i, say, user);
            }
        }
    }
    free(poses);
}

static void cn_fall_step(cn_run_checks *checks, const cn_sim *sim, cn_check_fn *say, void *user) {
    double h = cn_model_settings(checks->model)->step, t = cn_sim_time(sim);
    if (!checks->falls || !cn_is_due(cn_sim_step_index(sim), h, CN_FALL_CHECK)) {
        return;
    }
    if (cn_fall_count(checks, sim, t - checks->checked)) {
        cn_fall_look(checks, sim, say, user);
    }
    checks->checked = t;
}

// ---- both ----

void cn_run_checks_start(cn_run_checks *checks, cn_model *model, const cn_sim *sim) {
    const cn_settings *settings = cn_model_settings(model);
    *checks = (cn_run_checks){
        .model = model, .limit = settings->penetration_limit, .accepted = settings->overlap_most};
    cn_fall_start(checks, sim);
}

void cn_run_checks_step(cn_run_checks *checks, const cn_sim *sim, const cn_step_report *report,
                        bool last, cn_check_fn *say, void *user) {
    cn_deep_step(checks, sim, report, last, say, user);
    cn_fall_step(checks, sim, say, user);
}

void cn_run_checks_end(cn_run_checks *checks) {
    free(checks->speed);
    free(checks->falling);
    checks->speed = NULL;
    checks->falling = NULL;
}
