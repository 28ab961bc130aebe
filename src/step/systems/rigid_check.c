// step/systems/rigid_check.c
// What rigid scenes the integrators of systems cannot take, refused at its place.
#include "step/systems/rigid_system.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define RIGID_COORDINATES 150 // at most: matrices are dense

static cn_status refuse(const cn_source *source, cn_error *error) {
    base_fail_hint(error, "moreau-jean takes it");
    base_fail_at(error, source->file, source->line, source->column);
    return CN_ERR_UNSUPPORTED;
}

static cn_status check_joint(const char *scheme, const model_joint *joint, int32_t index,
                             cn_error *error) {
    const char *what = NULL;
    bool servo = joint->motor_stiffness > 0.0 || joint->motor_damping > 0.0;
    if (joint->friction > 0.0) {
        what = "dry friction";
    } else if (joint->armature > 0.0) {
        what = "an armature";
    } else if (joint->motor == CN_MOTOR_VELOCITY && !servo) {
        what = "a motor of given velocity without damping";
    } else if (joint->motor == CN_MOTOR_POSITION && !servo) {
        what = "a motor of given position without stiffness";
    }
    if (!what) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_UNSUPPORTED, "%s in joint %d (%s) is not for the scheme \"%s\"", what,
              (int)index + 1, joint->name, scheme);
    return refuse(&joint->source, error);
}

static cn_status check_body(const char *scheme, int32_t dim, const model_body *body, int32_t index,
                            cn_error *error) {
    uint32_t turns = CN_LOCK_RX | CN_LOCK_RY | CN_LOCK_RZ, locked = body->lock & turns;
    bool part = dim == 3 && locked != 0 && locked != turns;
    if (body->role != MODEL_BODY_FREE || (!part && !(body->lock && body->lock_body_axes))) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_UNSUPPORTED, "%s of body %d (%s) are not for the scheme \"%s\"",
              part ? "locks of some rotations" : "locks in body axes", (int)index + 1, body->name,
              scheme);
    return refuse(&body->source, error);
}

// The laws that a free body may meet.
static cn_status check_laws(const cn_model *model, int32_t index, cn_error *error) {
    const model_body *body = &model->body[index];
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *other = &model->body[i];
        if (i == index || body->role != MODEL_BODY_FREE || body->shape_count == 0 ||
            other->shape_count == 0) {
            continue;
        }
        const model_body_pair *pair = model_pair(model, body->material, other->material);
        const char *what = NULL;
        bool events = strcmp(model->settings.scheme, "event-driven") == 0;
        if (events && model->dim == 3 && pair->friction > 0.0) {
            what = "friction in space";
        } else if (pair->friction_dynamic != pair->friction) {
            what = "sliding friction that differs from sticking";
        } else if (pair->law == CN_LAW_GAP || pair->law == CN_LAW_STABILISED) {
            what = "a contact law with gaps";
        }
        if (what) {
            base_fail(error, CN_ERR_UNSUPPORTED,
                      "%s between bodies %d (%s) and %d (%s) is not for the scheme \"%s\"", what,
                      (int)index + 1, body->name, (int)i + 1, other->name, model->settings.scheme);
            return refuse(&body->source, error);
        }
    }
    return CN_OK;
}

cn_status step_rigid_system_check(const cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    const char *scheme = model->settings.scheme;
    int64_t coordinates = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        CN_TRY(check_body(scheme, model->dim, body, i, error));
        coordinates += body->role == MODEL_BODY_FREE ? model_velocity_size(model->dim) : 0;
        if (coordinates > RIGID_COORDINATES) {
            base_fail(error, CN_ERR_UNSUPPORTED,
                      "more than %d free bodies are too many for the scheme \"%s\"",
                      RIGID_COORDINATES / model_velocity_size(model->dim), scheme);
            return refuse(&body->source, error);
        }
        CN_TRY(check_laws(model, i, error));
    }
    for (int32_t j = 0; j < model->joint_count; j++) {
        CN_TRY(check_joint(scheme, &model->joint[j], j, error));
    }
    if (coordinates == 0) {
        return base_fail(error, CN_ERR_INPUT, "the scheme \"%s\" needs a body that is free",
                         scheme);
    }
    return CN_OK;
}
