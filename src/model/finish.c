// model/finish.c
// The last look at a model: what a free body needs, the law of every pair of materials,
// where driven bodies start.
#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/bond.h"
#include "model/build.h"
#include "model/deformable.h"
#include "model/text.h"

#include <cairn/system.h>
#include <float.h>
#include <string.h>

// A velocity along a held degree of freedom, relative to all of it, that is only round-off of
// turning it into the body's axes.
#define LOCKED_ROUND_OFF 1e-12
// Of the smallest half extent: far enough to see a contact come, near enough not to list strangers.
#define ALERT_SHARE 0.05
// Of the same: an overlap that a scene may start with, as written numbers are rounded.
#define OVERLAP_SHARE 0.01
// Of the smallest half extent: overlap of deformable bodies that a step takes back.
#define CORRECTION_SHARE 1e-4

// ---- bodies ----

static bool body_has_plane(const cn_model *model, const model_body *body) {
    for (int32_t i = 0; i < body->shape_count; i++) {
        cn_shape_kind kind = model->shape[body->shape_first + i].kind;
        if (kind == CN_SHAPE_PLANE || kind == CN_SHAPE_LINE) {
            return true;
        }
    }
    return false;
}

// Whether the start moves along what is locked; in body axes when the lock is.
static bool body_moves_locked(const cn_model *model, int32_t index) {
    const model_body *body = &model->body[index];
    const double *q = model->q0 + (int64_t)index * model_pose_size(model->dim);
    const double *v = model->v0 + (int64_t)index * model_velocity_size(model->dim);
    double part[2][3] = {{v[0], v[1], 0.0}, {0.0, 0.0, v[2]}}, R[9];
    if (model->dim == 3) {
        memcpy(part, v, sizeof part);
        math_quat_matrix(q + 3, R);
    } else {
        math_angle_matrix(q[2], R);
    }
    for (int32_t p = 0; p < 2; p++) {
        double max = LOCKED_ROUND_OFF * math_norm3(part[p]);
        if (body->lock_body_axes) {
            math_mat3_apply_transposed(R, part[p], part[p]);
        } else {
            max = 0.0;
        }
        for (int32_t k = 0; k < 3; k++) {
            if ((body->lock >> (3 * p + k) & 1u) && fabs(part[p][k]) > max) {
                return true;
            }
        }
    }
    return false;
}

static cn_status body_check_free(const cn_model *model, int32_t index, cn_error *error) {
    const model_body *body = &model->body[index];
    if (body_has_plane(model, body)) {
        base_fail(error, CN_ERR_INPUT, "a plane or line cannot move freely");
        base_fail_hint(error, "make the body fixed or give it a motion");
        return CN_ERR_INPUT;
    }
    if (!(body->mass > 0.0)) {
        const model_material *material = &model->material[body->material];
        if (body->shape_count > 0 && material->density == 0.0) {
            base_fail(error, CN_ERR_INPUT, "its mass is zero: material '%s' has density 0",
                      material->name);
        } else {
            base_fail(error, CN_ERR_INPUT, "its mass is zero: it has no shape with a volume");
        }
        base_fail_hint(error, "give mass and inertia, or make it fixed");
        return CN_ERR_INPUT;
    }
    if (!(model->inertia[body->inertia].inverse[8] > 0.0)) {
        base_fail(error, CN_ERR_INPUT, "it has no inertia and no shape to take it from");
        base_fail_hint(error, "give inertia, or make it fixed");
        return CN_ERR_INPUT;
    }
    if (body->lock && body_moves_locked(model, index)) {
        return base_fail(error, CN_ERR_INPUT, "its velocity is along a locked degree of freedom");
    }
    return CN_OK;
}

cn_status model_check_body(const cn_model *model, int32_t index, cn_error *error) {
    const model_body *body = &model->body[index];
    int32_t size = model_velocity_size(model->dim);
    cn_status status = CN_OK;
    if (body->role == MODEL_BODY_FREE) {
        status = body_check_free(model, index, error);
    }
    for (int32_t k = 0; k < size && body->role == MODEL_BODY_FIXED && status == CN_OK; k++) {
        if (model->v0[(int64_t)index * size + k] != 0.0) {
            status = base_fail(error, CN_ERR_INPUT, "it is fixed and has a velocity");
            base_fail_hint(error, "give it a motion instead");
        }
    }
    return status == CN_OK ? CN_OK
                           : model_blame_body(error, status, &body->source, body->name, index);
}

static cn_status bodies_check(const cn_model *model, cn_error *error) {
    for (int32_t i = 0; i < model->body_count; i++) {
        CN_TRY(model_check_body(model, i, error));
    }
    return CN_OK;
}

// Driven bodies start with the velocity of their motion.
static cn_status motions_start(cn_model *model, cn_error *error) {
    int32_t dim = model->dim, size = model_velocity_size(dim);
    base_evaluator *evaluator =
        model->motion_count > 0 ? model_evaluator(model, &model->env, NULL, NULL) : NULL;
    if (model->motion_count > 0 && !evaluator) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < model->motion_count; i++) {
        const model_motion *motion = &model->motion[i];
        double *v = model->v0 + (int64_t)motion->body * size, given[6];
        model_motion_velocity(model, motion, evaluator, 0.0, given);
        memcpy(v, given, sizeof *v * (size_t)dim);
        memcpy(v + dim, dim == 3 ? given + 3 : given + 5, sizeof *v * (size_t)(size - dim));
    }
    base_evaluator_destroy(evaluator);
    return CN_OK;
}

// ---- pairs of materials ----

// The index of a material that a contact names; -1 is any.
static cn_status contact_material(const cn_model *model, const char *name, int32_t *index,
                                  cn_error *error) {
    *index = strcmp(name, "*") == 0 ? -1 : base_names_find(&model->material_names, name);
    if (*index >= 0 || strcmp(name, "*") == 0) {
        return CN_OK;
    }
    const char **names = BASE_TAKE(model->memory, const char *, model->material_count);
    if (!names) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < model->material_count; i++) {
        names[i] = model->material[i].name;
    }
    const char *nearest = cn_nearest_name(name, names, model->material_count);
    base_fail(error, CN_ERR_INPUT, "there is no material '%s'", name);
    if (nearest) {
        base_fail_hint(error, "did you mean '%s'?", nearest);
    }
    return CN_ERR_INPUT;
}

static void pair_take(model_body_pair *pair, const cn_contact_def *def) {
    double *const to[] = {&pair->friction, &pair->friction_dynamic, &pair->restitution,
                          &pair->restitution_tangent, &pair->correction};
    const double from[] = {def->friction, def->friction_dynamic, def->restitution,
                           def->restitution_tangent, def->correction};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        *to[i] = isnan(from[i]) ? *to[i] : from[i];
    }
    pair->law = def->law < CN_LAW_KINDS ? def->law : pair->law;
    pair->given = true;
    model_bond_take(&pair->bond, def);
}

// What no entry gave.
static void pair_complete(model_body_pair *pair) {
    pair->friction = isnan(pair->friction) ? 0.0 : pair->friction;
    pair->friction_dynamic =
        isnan(pair->friction_dynamic) ? pair->friction : pair->friction_dynamic;
    pair->restitution = isnan(pair->restitution) ? 0.0 : pair->restitution;
    pair->restitution_tangent = isnan(pair->restitution_tangent) ? 0.0 : pair->restitution_tangent;
    if (pair->law == CN_LAW_AUTO) {
        pair->law = pair->restitution > 0.0 ? CN_LAW_SIGNORINI : CN_LAW_QUASI_INELASTIC;
    }
    if (isnan(pair->correction)) {
        // The law on the gap takes back all of an overlap; the others nothing.
        pair->correction = pair->law == CN_LAW_GAP ? HUGE_VAL : 0.0;
    }
}

#define CORRECTION_OPEN (-1.0) // chosen when the sizes of the bodies are known

// The same for deformable bodies: the law on the gap unless another is given. What an impact gives
// back comes out of the bodies themselves.
static void pair_complete_deformable(model_body_pair *pair) {
    bool open = isnan(pair->correction);
    pair->law = pair->law == CN_LAW_AUTO ? CN_LAW_GAP : pair->law;
    pair->restitution = 0.0;
    pair_complete(pair);
    pair->correction = open && pair->law == CN_LAW_GAP ? CORRECTION_OPEN : pair->correction;
}

// The last entry that matches two materials.
static const cn_source *bond_source(const cn_model *model, int32_t a, int32_t b) {
    const char *name[2] = {model->material[a].name, model->material[b].name};
    const cn_source *source = NULL;
    for (int32_t c = 0; c < model->contact_count; c++) {
        const char *const *side = model->contact[c].between;
        for (int k = 0; k < 2; k++) {
            bool first = strcmp(side[0], "*") == 0 || strcmp(side[0], name[k]) == 0,
                 second = strcmp(side[1], "*") == 0 || strcmp(side[1], name[1 - k]) == 0;
            source = first && second ? &model->contact[c].source : source;
        }
    }
    return source;
}

static cn_status pairs_make(cn_model *model, cn_error *error) {
    int32_t count = model->material_count;
    int64_t total = (int64_t)count * count;
    model_body_pair *pair = BASE_TAKE(model->memory, model_body_pair, 2 * total);
    if (!pair) {
        return base_fail_memory(error);
    }
    for (int64_t i = 0; i < total; i++) {
        pair[i] = (model_body_pair){.law = CN_LAW_AUTO,
                                    .friction = NAN,
                                    .friction_dynamic = NAN,
                                    .restitution = NAN,
                                    .restitution_tangent = NAN,
                                    .correction = NAN,
                                    .bond = model_bond_open()};
    }
    for (int32_t c = 0; c < model->contact_count; c++) {
        const cn_contact_def *def = &model->contact[c];
        int32_t side[2];
        for (int32_t k = 0; k < 2; k++) {
            cn_status status = contact_material(model, def->between[k], &side[k], error);
            if (status != CN_OK) {
                return model_blame(error, status, &def->source, "contact");
            }
        }
        // Every pair that the two sides match, either way round.
        for (int32_t a = side[0] < 0 ? 0 : side[0]; a <= (side[0] < 0 ? count - 1 : side[0]); a++) {
            for (int32_t b = side[1] < 0 ? 0 : side[1]; b <= (side[1] < 0 ? count - 1 : side[1]);
                 b++) {
                pair_take(&pair[(int64_t)a * count + b], def);
                pair_take(&pair[(int64_t)b * count + a], def);
            }
        }
    }
    for (int64_t i = 0; i < total; i++) {
        pair[total + i] = pair[i];
        pair_complete(&pair[i]);
        pair_complete_deformable(&pair[total + i]);
        int32_t a = (int32_t)(i / count), b = (int32_t)(i % count);
        for (int64_t k = i; k <= total + i; k += total) {
            cn_status status = model_bond_complete(&pair[k].bond, pair[k].friction, error);
            if (status != CN_OK) {
                return model_blame(error, status, bond_source(model, a, b), "contact");
            }
            model->bonds = model->bonds || pair[k].bond.bonded;
        }
    }
    model->pair = pair;
    return CN_OK;
}

// Distances left open: shares of the mean smallest half extent of the shapes that move.
static void distances_choose(cn_model *model) {
    model->chooses_distances[0] = model->chooses_distances[0] || isnan(model->settings.alert);
    model->chooses_distances[1] = model->chooses_distances[1] || isnan(model->settings.overlap_max);
    double sum = 0.0;
    int64_t count = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        for (int32_t k = 0; body->role == MODEL_BODY_FREE && k < body->shape_count; k++) {
            double extent = geom_shape_smallest_extent(&model->shape[body->shape_first + k]);
            if (extent < HUGE_VAL) {
                sum += extent;
                count++;
            }
        }
    }
    for (int32_t i = 0; i < model->deformable_count; i++) {
        sum += model->deformables[i]->depth;
        count++;
    }
    double extent = count > 0 ? sum / (double)count : 0.0;
    cn_settings *settings = &model->settings;
    settings->alert = isnan(settings->alert) ? ALERT_SHARE * extent : settings->alert;
    if (settings->active_gap < HUGE_VAL) {
        settings->alert = fmax(settings->alert, settings->active_gap);
    }
    // Points of a surface may appear below another one, as beside an edge: to take all of such an
    // overlap back at once would throw the body.
    int64_t pairs = (int64_t)model->material_count * model->material_count;
    for (int64_t i = pairs; i < 2 * pairs; i++) {
        model_body_pair *pair = &model->pair[i];
        pair->correction =
            pair->correction == CORRECTION_OPEN ? CORRECTION_SHARE * extent : pair->correction;
    }
    settings->overlap_max =
        isnan(settings->overlap_max) ? OVERLAP_SHARE * extent : settings->overlap_max;
}

// Whether velocities do not tell how frames of contacts turn.
static bool needs_motion(const cn_model *model) {
    bool plain = model->only_spheres && model->motion_count == 0 && model->deformable_count == 0;
    for (int32_t i = 0; plain && i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        for (int32_t k = 0; plain && !body->sphere && k < body->shape_count; k++) {
            cn_shape_kind kind = model->shape[body->shape_first + k].kind;
            plain = kind == CN_SHAPE_PLANE || kind == CN_SHAPE_LINE;
        }
    }
    return !plain;
}

static double thinnest(const cn_model *model) {
    double min = HUGE_VAL;
    for (int32_t i = 0; i < model->shape_count; i++) {
        min = fmin(min, model->shape[i].depth);
    }
    return min;
}

static bool has_bounces(const cn_model *model) {
    bool bounces = false;
    for (int64_t i = 0; i < (int64_t)model->material_count * model->material_count; i++) {
        bounces = bounces || model->pair[i].law == CN_LAW_SIGNORINI;
    }
    return bounces;
}

static bool has_only_spheres(const cn_model *model) {
    bool spheres = !model->bonds && model->joint_count == 0 && model->deformable_count == 0;
    for (int32_t i = 0; spheres && i < model->body_count; i++) {
        spheres = model->body[i].sphere || model->body[i].role != MODEL_BODY_FREE;
    }
    return spheres;
}

void model_derive(cn_model *model) {
    // Distances of a model in which nothing moved yet come from what does now.
    cn_settings *settings = &model->settings;
    bool none = model->chooses_distances[0] && !(settings->alert > 0.0);
    settings->alert = none ? (double)NAN : settings->alert;
    none = model->chooses_distances[1] && !(settings->overlap_max > 0.0);
    settings->overlap_max = none ? (double)NAN : settings->overlap_max;
    distances_choose(model);
    model->only_spheres = has_only_spheres(model);
    model->stores_motion = model->stores_motion || needs_motion(model);
    model->depth_min = thinnest(model);
}

cn_status cn_model_finish(cn_model *model, cn_error *error) {
    if (!model) {
        return base_fail_missing(error);
    }
    cn_status status = model_check_open(model, error);
    CN_TRY(status);
    status = model_settings_check(&model->settings, model->dim, error);
    if (status == CN_OK) {
        status = bodies_check(model, error);
    }
    if (status == CN_OK) {
        status = model_joints_check(model, error);
    }
    if (status == CN_OK) {
        status = model_deformables_check(model, error);
    }
    if (status == CN_OK) {
        status = pairs_make(model, error);
    }
    if (status == CN_OK && model->body_count == 0 && !model->system) {
        status = base_fail(error, CN_ERR_INPUT, "there are no bodies");
        base_fail_hint(error, "add a body, a generator or a system");
    }
    if (status == CN_OK) {
        status = model_settings_keep(model, error);
    }
    if (status == CN_OK) {
        status = model_warnings_find(model, error);
    }
    if (status == CN_OK) {
        status = motions_start(model, error);
    }
    if (status == CN_OK) {
        model_derive(model);
        model->bounces = has_bounces(model);
        model_drop_rest(model);
        status = model_text_keep(model, error);
        model->finished = status == CN_OK;
    }
    return status;
}
