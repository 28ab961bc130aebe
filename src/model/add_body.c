// model/add_body.c
// A body from its definition: shapes built, mass properties summed over them, the origin of all
// moved to the centre of mass, the start put into q0 and v0.
//
// What only a free body needs (mass, an inertia, no plane) is checked by cn_model_finish, when it
// is known whether a motion drives the body. A centre of mass that is given does not change the
// inertia that comes from the shapes: that stays about their own centre.
#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/deformable.h"
#include "model/text.h"

#include <float.h>
#include <string.h>

#define LOCK_ALL_3D (CN_LOCK_TX | CN_LOCK_TY | CN_LOCK_TZ | CN_LOCK_RX | CN_LOCK_RY | CN_LOCK_RZ)
#define LOCK_ALL_2D (CN_LOCK_TX | CN_LOCK_TY | CN_LOCK_RZ)
// An inertia given with this much asymmetry, relative to its trace, is one with rounded numbers.
#define INERTIA_ASYMMETRY 1e-6
// Of its trace: moments written with three digits may miss A + B >= C by as much.
#define INERTIA_ROUNDED 5e-3

static cn_status body_check_start(const cn_model *model, const cn_body_def *def, cn_error *error) {
    int32_t dim = model->dim;
    double turn = fabs(def->orientation[0]) + fabs(def->orientation[1]) +
                  fabs(def->orientation[2]) + fabs(def->orientation[3]);
    if (!model_is_finite(def->position, dim)) {
        return base_fail(error, CN_ERR_INPUT, "position is not a finite number");
    }
    for (int32_t k = 0; k < dim; k++) {
        if (fabs(def->position[k]) > GEOM_LENGTH_MAX) {
            base_fail(error, CN_ERR_INPUT, "position[%d] of %g m is too large", (int)k,
                      def->position[k]);
            base_fail_hint(error, GEOM_LENGTH_HINT, GEOM_LENGTH_MAX);
            return CN_ERR_INPUT;
        }
    }
    if (dim == 3 && !(turn > 0.0 && turn <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "orientation must be a quaternion other than zero");
    }
    if (dim == 2 && !model_is_finite(&def->angle, 1)) {
        return base_fail(error, CN_ERR_INPUT, "angle is not a finite number");
    }
    if (!model_is_finite(def->velocity, dim) ||
        !model_is_finite(def->angular_velocity + (dim == 2 ? 2 : 0), dim == 2 ? 1 : 3)) {
        return base_fail(error, CN_ERR_INPUT, "velocity is not a finite number");
    }
    return CN_OK;
}

static cn_status body_check(const cn_model *model, const cn_body_def *def, cn_error *error) {
    if (def->material < 0 || def->material >= model->material_count) {
        return base_fail(error, CN_ERR_INPUT, "there is no material %d", def->material);
    }
    uint32_t all = model->dim == 3 ? LOCK_ALL_3D : LOCK_ALL_2D;
    if (def->lock & ~all) {
        return base_fail(error, CN_ERR_INPUT, "lock: a body in %dD has %s", model->dim,
                         model->dim == 3 ? "tx ty tz rx ry rz" : "tx ty rz");
    }
    if (!isnan(def->mass) && !(def->mass > 0.0 && def->mass <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "mass must be positive, not %g", def->mass);
    }
    if (def->shape_count < 0 || (def->shape_count > 0 && !def->shapes)) {
        return base_fail(error, CN_ERR_ARGUMENT, "%d shapes are announced and none is given",
                         def->shape_count);
    }
    int32_t first = model->body_names.count ? cn_model_find_body(model, def->name) : 0;
    if (first) {
        base_fail(error, CN_ERR_INPUT, "the name is used by body %d already", first);
        if (model->body[first - 1].source.line > 0) {
            base_fail_hint(error, "it is in line %d", model->body[first - 1].source.line);
        }
        return CN_ERR_INPUT;
    }
    return body_check_start(model, def, error);
}

// Inverse of a symmetric positive definite matrix; false when it is not one.
static bool inertia_invert(int32_t dim, const double I[9], double inverse[9]) {
    memset(inverse, 0, 9 * sizeof *inverse);
    if (dim == 2) {
        inverse[8] = 1.0 / I[8];
        return I[8] > 0.0 && inverse[8] <= DBL_MAX;
    }
    // By cofactors, of the matrix divided by its trace so that nothing under- or overflows.
    double trace = I[0] + I[4] + I[8], A[9], cofactor[9];
    for (int32_t i = 0; i < 9; i++) {
        A[i] = I[i] / trace;
    }
    math_cross3(A + 3, A + 6, cofactor);
    math_cross3(A + 6, A, cofactor + 3);
    math_cross3(A, A + 3, cofactor + 6);
    double determinant = math_dot3(A, cofactor);
    // Leading minors, with room for the round-off of a flat one.
    if (!(trace > 0.0 && A[0] > 0.0 && cofactor[8] > 0.0 && determinant > DBL_EPSILON * A[0])) {
        return false;
    }
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            inverse[3 * i + j] =
                0.5 * (cofactor[3 * i + j] + cofactor[3 * j + i]) / determinant / trace;
        }
    }
    return model_is_finite(inverse, 9);
}

static cn_status body_read_inertia(int32_t dim, const double given[9], double inertia[9],
                                   cn_error *error) {
    double trace = dim == 2 ? given[8] : given[0] + given[4] + given[8];
    if (!(dim == 2 ? model_is_finite(given + 8, 1) : model_is_finite(given, 9))) {
        return base_fail(error, CN_ERR_INPUT, "inertia is not a finite number");
    }
    memset(inertia, 0, 9 * sizeof *inertia);
    inertia[8] = given[8];
    for (int32_t i = 0; i < 9 && dim == 3; i++) {
        double mirror = given[3 * (i % 3) + i / 3];
        if (!(fabs(given[i] - mirror) <= INERTIA_ASYMMETRY * trace)) {
            return base_fail(error, CN_ERR_INPUT,
                             "inertia must be symmetric and positive definite");
        }
        inertia[i] = 0.5 * (given[i] + mirror);
    }
    return CN_OK;
}

// The second moments of mass, tr(I)/2 - I, whose eigenvalues (B + C - A)/2 no body has below zero.
static cn_status body_check_moments(const double I[9], cn_error *error) {
    double trace = I[0] + I[4] + I[8], min = 0.5 + INERTIA_ROUNDED, A[9], cofactor[3];
    for (int32_t i = 0; i < 9; i++) {
        A[i] = (i % 4 == 0 ? min : 0.0) - I[i] / trace;
    }
    math_cross3(A + 3, A + 6, cofactor);
    double minor = A[0] * A[4] - A[1] * A[3];
    if (A[0] >= 0.0 && A[4] >= 0.0 && A[8] >= 0.0 && minor >= 0.0 &&
        A[0] * A[8] - A[2] * A[6] >= 0.0 && A[4] * A[8] - A[5] * A[7] >= 0.0 &&
        math_dot3(A, cofactor) >= 0.0) {
        return CN_OK;
    }
    base_fail(
        error, CN_ERR_INPUT,
        "no body has this inertia: its largest principal moment exceeds the sum of the others");
    base_fail_hint(error, "principal moments must satisfy A + B >= C");
    return CN_ERR_INPUT;
}

// Mass, centre and inertia: given, or from the shapes at the density of the material.
static cn_status body_weigh(const cn_model *model, const cn_body_def *def, const geom_shape *shape,
                            model_body *body, model_inertia *inertia, cn_error *error) {
    int32_t dim = model->dim;
    geom_mass sum = {0}, part;
    memset(inertia, 0, sizeof *inertia);
    for (int32_t i = 0; i < def->shape_count; i++) {
        geom_shape_mass(&shape[i], dim, &part);
        geom_mass_add(&sum, &part, 1.0);
    }
    double density = model->material[def->material].density;
    body->mass = isnan(def->mass) ? density * sum.mass : def->mass;
    memcpy(body->com, sum.com, sizeof body->com);
    if (!isnan(def->com[0])) {
        memcpy(body->com, def->com, sizeof body->com);
        body->com[2] = dim == 3 ? body->com[2] : 0.0;
    }
    if (!model_is_finite(body->com, 3) || !model_is_finite(&body->mass, 1)) {
        return base_fail(error, CN_ERR_INPUT, "mass or com is not a finite number");
    }
    if (math_norm3(body->com) > GEOM_LENGTH_MAX) {
        base_fail(error, CN_ERR_INPUT, "its centre of mass is %g m from its origin",
                  math_norm3(body->com));
        base_fail_hint(error, GEOM_LENGTH_HINT, GEOM_LENGTH_MAX);
        return CN_ERR_INPUT;
    }
    bool given = !isnan(def->inertia[dim == 2 ? 8 : 0]);
    if (given) {
        CN_TRY(body_read_inertia(dim, def->inertia, inertia->tensor, error));
    } else if (sum.mass > 0.0) {
        for (int32_t i = 0; i < 9; i++) {
            inertia->tensor[i] = sum.inertia[i] * (body->mass / sum.mass);
        }
    }
    bool weighs = given || (sum.mass > 0.0 && body->mass > 0.0);
    if (weighs && !inertia_invert(dim, inertia->tensor, inertia->inverse)) {
        return base_fail(error, CN_ERR_INPUT, "inertia must be symmetric and positive definite");
    }
    return given && dim == 3 ? body_check_moments(inertia->tensor, error) : CN_OK;
}

static bool body_is_sphere(int32_t dim, const geom_shape *shape, const model_inertia *inertia,
                           const model_body *body) {
    bool round = body->shape_count == 1 &&
                 (shape->kind == CN_SHAPE_SPHERE || shape->kind == CN_SHAPE_DISK) &&
                 math_norm3(shape->position) == 0.0;
    return round && body->lock == 0 && (dim == 2 || body_inertia_is_isotropic(inertia->tensor));
}

// Gives a body the shapes of the one before where its own, built last, are the same.
static void body_share_shapes(cn_model *model, base_arena_mark built, model_body *body) {
    const model_body *before = model->body_count > 0 ? &model->body[model->body_count - 1] : NULL;
    bool same = before && before->shape_count == body->shape_count;
    for (int32_t i = 0; same && i < body->shape_count; i++) {
        same = geom_shape_same(&model->shape[before->shape_first + i],
                               &model->shape[body->shape_first + i]);
    }
    if (same) {
        body->shape_first = before->shape_first;
        base_arena_release(model->memory, built);
    } else {
        model->shape_count += body->shape_count;
    }
}

// The same for inertias, whatever body had the last one.
static void body_share_inertia(cn_model *model, model_body *body) {
    const model_inertia *last = model->inertia + model->inertia_count - 1;
    bool same = model->inertia_count > 0 && memcmp(last, last + 1, sizeof *last) == 0;
    body->inertia = same ? model->inertia_count - 1 : model->inertia_count++;
}

static cn_status body_build(cn_model *model, const cn_body_def *def, model_body *body,
                            cn_error *error) {
    geom_shape *shape = model->shape + model->shape_count;
    model_inertia *inertia = model->inertia + model->inertia_count;
    for (int32_t i = 0; i < def->shape_count; i++) {
        cn_status status =
            geom_shape_build(&def->shapes[i], model->dim, model->memory, &shape[i], error);
        CN_TRY(status);
    }
    cn_status status = body_weigh(model, def, shape, body, inertia, error);
    for (int32_t i = 0; i < def->shape_count && status == CN_OK; i++) {
        geom_shape_shift(&shape[i], body->com);
        body->bound = fmax(body->bound, math_norm3(shape[i].middle) + shape[i].bound);
    }
    body->sphere = status == CN_OK && body_is_sphere(model->dim, shape, inertia, body);
    return status;
}

// The pose of the centre of mass from that of the body's own frame, and its velocity.
void model_body_start(const cn_model *model, const cn_body_def *def, const model_body *body,
                      double *q, double *v) {
    double R[9], from[3];
    memcpy(q, def->position, (size_t)model->dim * sizeof *q);
    memcpy(v, def->velocity, (size_t)model->dim * sizeof *v);
    if (model->dim == 2) {
        q[2] = def->angle;
        v[2] = def->angular_velocity[2];
        math_angle_matrix(def->angle, R);
    } else {
        memcpy(q + 3, def->orientation, 4 * sizeof *q);
        memcpy(v + 3, def->angular_velocity, 3 * sizeof *v);
        math_quat_normalize(q + 3);
        math_quat_matrix(q + 3, R);
    }
    math_mat3_apply(R, body->com, from);
    for (int32_t k = 0; k < model->dim; k++) {
        q[k] += from[k];
    }
}

// All memory first, so that a failure leaves the model as it was.
static cn_status body_reserve(cn_model *model, const cn_body_def *def, cn_error *error) {
    static const int32_t arrays[] = {MODEL_ARRAY_BODY, MODEL_ARRAY_Q0, MODEL_ARRAY_V0};
    CN_TRY(model_reserve(model, MODEL_ARRAY_SHAPE, (int64_t)model->shape_count + def->shape_count,
                         error));
    CN_TRY(model_reserve(model, MODEL_ARRAY_INERTIA, (int64_t)model->inertia_count + 1, error));
    for (int32_t i = 0; i < 3; i++) {
        CN_TRY(model_reserve(model, arrays[i], (int64_t)model->body_count + 1, error));
    }
    if (!base_names_reserve(&model->body_names, model->memory)) {
        return base_fail_memory(error);
    }
    return CN_OK;
}

static cn_status body_add(cn_model *model, const cn_body_def *def, cn_error *error) {
    model_body body = {.material = def->material,
                       .role = def->fixed ? MODEL_BODY_FIXED : MODEL_BODY_FREE,
                       .lock = def->lock,
                       .lock_body_axes = def->lock_body_axes,
                       .shape_first = model->shape_count,
                       .shape_count = def->shape_count};
    CN_TRY(body_check(model, def, error));
    CN_TRY(body_reserve(model, def, error));
    CN_TRY(model_copy_text(model, def->name, &body.name, error));
    CN_TRY(model_copy_source(model, &def->source, &body.source, error));
    if (def->deformable) {
        return model_add_deformable(model, def, &body, error);
    }
    base_arena_mark before = base_arena_get_mark(model->memory);
    CN_TRY(body_build(model, def, &body, error));
    body_share_shapes(model, before, &body);
    body_share_inertia(model, &body);
    int32_t index = model->body_count++;
    model->body[index] = body;
    if (body.name[0]) {
        base_names_add(&model->body_names, body.name, index);
    }
    model_body_start(model, def, &body, model->q0 + (int64_t)index * model_pose_size(model->dim),
                     model->v0 + (int64_t)index * model_velocity_size(model->dim));
    return CN_OK;
}

cn_status cn_model_add_body(cn_model *model, const cn_body_def *def, cn_body_id *body,
                            cn_error *error) {
    if (!model || !def || !body) {
        return base_fail_missing(error);
    }
    cn_status status = model_check_open(model, error);
    CN_TRY(status);
    status = body_add(model, def, error);
    if (status != CN_OK) {
        static const cn_source kept = {0}; // groups of nodes know their own place
        bool placed = def->deformable && error && error->file[0];
        return model_blame_body(error, status, placed ? &kept : &def->source, def->name,
                                model->body_count);
    }
    *body = model->body_count;
    model_text_body(model, def);
    return CN_OK;
}
