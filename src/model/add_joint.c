// model/add_joint.c
// A joint from its definition: the two frames put into the axes of their bodies, as these stand at
// the start, and the rows that the joint will have in every step.
//
// Points and axes are given in the world at the start, so the equations hold there by themselves;
// what can contradict them (a length, limits, pins that are not at right angles) is refused here.
#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/text.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define PIN_ANGLE_MAX 1e-9   // cosine of the angle of a universal joint's pins
#define LENGTH_ROUNDING 1e-9 // relative: a length that was written with rounded digits

cn_joint_def cn_joint_def_default(cn_joint_kind kind) {
    return (cn_joint_def){.kind = kind,
                          .point = {NAN, NAN, NAN},
                          .second_point = {NAN, NAN, NAN},
                          .axis = {NAN, NAN, NAN},
                          .second_axis = {NAN, NAN, NAN},
                          .length = NAN,
                          .pitch = NAN,
                          .ratio = NAN,
                          .limits = {NAN, NAN},
                          .rest = NAN,
                          .motor_max = NAN};
}

// The joint by its name or its number.
static cn_status blame_joint(cn_error *error, cn_status status, const cn_source *source,
                             const char *name, int32_t index) {
    return name && name[0] ? model_blame(error, status, source, "joint '%s'", name)
                           : model_blame(error, status, source, "joint %d", index + 1);
}

// ---- checks ----

// A vector that must be given or must not.
static cn_status joint_check_vector(const cn_model *model, const char *name, const double x[3],
                                    bool needed, bool allowed, cn_error *error) {
    bool given = !isnan(x[0]);
    if (needed && !given) {
        return base_fail(error, CN_ERR_INPUT, "it needs \"%s\"", name);
    }
    if (given && !allowed) {
        return base_fail(error, CN_ERR_INPUT, "it has no \"%s\" in %dD", name, model->dim);
    }
    if (given && !model_is_finite(x, model->dim)) {
        return base_fail(error, CN_ERR_INPUT, "%s is not a finite number", name);
    }
    return CN_OK;
}

static double joint_axis_length(const cn_model *model, const double axis[3]) {
    double flat[3] = {axis[0], axis[1], model->dim == 3 ? axis[2] : 0.0};
    return isnan(axis[0]) ? 1.0 : math_norm3(flat);
}

static cn_status joint_check_frame(const cn_model *model, const cn_joint_def *def,
                                   cn_error *error) {
    uint32_t needs = joint_type_of(def->kind)->needs;
    bool flat = model->dim == 2;
    bool axis = needs & (flat ? JOINT_AXIS_2D : JOINT_AXIS);
    bool second_axis = !flat && (needs & JOINT_SECOND_AXIS);
    const struct {
        const char *name;
        const double *x;
        bool needed, allowed;
    } vector[] = {
        {"point", def->point, needs & JOINT_POINT, needs & JOINT_POINT},
        {"second_point", def->second_point, false, needs & JOINT_SECOND_POINT},
        {"axis", def->axis, axis, axis},
        {"second_axis", def->second_axis, second_axis && def->kind == CN_JOINT_UNIVERSAL,
         second_axis},
    };
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        CN_TRY(joint_check_vector(model, vector[i].name, vector[i].x, vector[i].needed,
                                  vector[i].allowed, error));
    }
    if (!(joint_axis_length(model, def->axis) > 0.0) ||
        !(joint_axis_length(model, def->second_axis) > 0.0)) {
        return base_fail(error, CN_ERR_INPUT, "its axis is null");
    }
    if (def->kind == CN_JOINT_UNIVERSAL &&
        !(fabs(math_dot3(def->axis, def->second_axis)) <=
          PIN_ANGLE_MAX * math_norm3(def->axis) * math_norm3(def->second_axis))) {
        base_fail(error, CN_ERR_INPUT, "its two pins are not at right angles");
        base_fail_hint(error, "axis is the pin in the first body, second_axis that in the second");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

static cn_status joint_check_bodies(const cn_model *model, const cn_joint_def *def,
                                    cn_error *error) {
    for (int k = 0; k < 2; k++) {
        if (def->body[k] < 1 || def->body[k] > model->body_count) {
            return base_fail(error, CN_ERR_INPUT, "there is no body %d", def->body[k]);
        }
    }
    if (def->body[0] == def->body[1]) {
        const char *name = model->body[def->body[0] - 1].name;
        base_fail(error, CN_ERR_INPUT, "it joins body %d (%s) to itself", def->body[0], name);
        base_fail_hint(error, "a joint is between two bodies; one of them may be fixed");
        return CN_ERR_INPUT;
    }
    if (!joint_form_of(def->kind, model->dim)->offered) {
        base_fail(error, CN_ERR_INPUT, "there is no %s joint in %dD", cn_joint_kind_text(def->kind),
                  model->dim);
        base_fail_hint(error, "2D has fixed, hinge, slider, distance, gear, spring and torsion");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

static bool joint_is_driven(const cn_joint_def *def) {
    return !isnan(def->limits[0]) || def->friction > 0.0 || def->stiffness > 0.0 ||
           def->damping > 0.0 || def->armature > 0.0 || def->motor != CN_MOTOR_NONE;
}

static cn_status joint_check_drive(const cn_model *model, const cn_joint_def *def,
                                   cn_error *error) {
    const struct {
        const char *name;
        double value;
    } number[] = {{"friction", def->friction},
                  {"stiffness", def->stiffness},
                  {"damping", def->damping},
                  {"armature", def->armature},
                  {"motor.stiffness", def->motor_stiffness},
                  {"motor.damping", def->motor_damping},
                  {"the motor's most", isnan(def->motor_max) ? 0.0 : def->motor_max}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        if (!(number[i].value >= 0.0 && number[i].value <= DBL_MAX)) {
            return base_fail(error, CN_ERR_INPUT, "%s must be 0 or more, not %g", number[i].name,
                             number[i].value);
        }
    }
    if (joint_form_of(def->kind, model->dim)->drive == JOINT_GAUGE_NONE && joint_is_driven(def)) {
        return base_fail(
            error, CN_ERR_INPUT,
            "a %s joint has no limits, motor, friction, stiffness, damping or armature",
            cn_joint_kind_text(def->kind));
    }
    bool force = def->motor == CN_MOTOR_FORCE;
    if (def->motor_stiffness > 0.0 && def->motor != CN_MOTOR_POSITION) {
        base_fail(error, CN_ERR_INPUT, "a motor with a %s has no stiffness",
                  force ? "torque or force" : "velocity");
        base_fail_hint(error, "stiffness pulls to a position: motor: {position: ...}");
        return CN_ERR_INPUT;
    }
    if (def->motor_damping > 0.0 && force) {
        base_fail(error, CN_ERR_INPUT, "a motor with a torque or force has no damping");
        base_fail_hint(error, "the joint itself may have damping");
        return CN_ERR_INPUT;
    }
    if (!isnan(def->limits[0]) && !(def->limits[0] <= def->limits[1])) {
        return base_fail(error, CN_ERR_INPUT, "limits must ascend, not %g, %g", def->limits[0],
                         def->limits[1]);
    }
    bool sprung = def->kind == CN_JOINT_SPRING || def->kind == CN_JOINT_TORSION;
    if (sprung && !joint_is_driven(def)) {
        return base_fail(error, CN_ERR_INPUT, "it needs \"stiffness\" or \"damping\"");
    }
    if (def->kind == CN_JOINT_SCREW && !model_is_finite(&def->pitch, 1)) {
        return base_fail(error, CN_ERR_INPUT, "it needs \"pitch\", the advance in a turn [m]");
    }
    if (def->kind == CN_JOINT_GEAR && !(model_is_finite(&def->ratio, 1) && def->ratio != 0.0)) {
        return base_fail(error, CN_ERR_INPUT,
                         "it needs \"ratio\", the turns of the second body for one of the first");
    }
    return CN_OK;
}

// ---- frames ----

// The rotation that takes the unit vector from into to on the shortest way.
static void quat_between(const double from[3], const double to[3], double q[4]) {
    double across[3];
    math_cross3(from, to, across);
    q[0] = 1.0 + math_dot3(from, to);
    memcpy(q + 1, across, sizeof across);
    if (!(q[0] > DBL_EPSILON)) { // opposed: half a turn about any axis across
        double other[3];
        math_tangents3(from, q + 1, other);
        q[0] = 0.0;
    }
    math_quat_normalize(q);
}

static void unit3(const double x[3], double out[3]) {
    double length = math_norm3(x);
    for (int i = 0; i < 3; i++) {
        out[i] = x[i] / length;
    }
}

// The frame of body k at the start, world axes.
static void joint_frame(const cn_joint_def *def, int k, double q[4]) {
    static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    double axis[3], second[3], R[9], turned[3], more[4];
    const double *given = k == 1 && def->kind == CN_JOINT_GEAR && !isnan(def->second_axis[0])
                              ? def->second_axis
                              : def->axis;
    q[0] = 1.0;
    q[1] = q[2] = q[3] = 0.0;
    if (isnan(given[0])) {
        return;
    }
    unit3(given, axis);
    if (def->kind != CN_JOINT_UNIVERSAL) {
        quat_between(z, axis, q);
        return;
    }
    // x along the first pin, y along the second.
    unit3(def->second_axis, second);
    quat_between(x, axis, q);
    math_quat_matrix(q, R);
    math_mat3_apply(R, y, turned);
    quat_between(turned, second, more);
    math_quat_multiply(more, q, q);
}

static void place_anchor(const cn_model *model, const cn_joint_def *def, int k,
                         joint_geometry *geometry) {
    const double *pose = model->q0 + (int64_t)model_pose_size(model->dim) * (def->body[k] - 1);
    const double *given = k == 1 && !isnan(def->second_point[0]) ? def->second_point : def->point;
    joint_anchor *anchor = &geometry->anchor[k];
    double R[9], offset[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < model->dim && !isnan(given[0]); i++) {
        offset[i] = given[i] - pose[i];
    }
    if (model->dim == 2) {
        double turn = isnan(def->axis[0]) ? 0.0 : base_atan2(def->axis[1], def->axis[0]);
        math_angle_matrix(pose[2], R);
        anchor->angle = turn - pose[2];
    } else {
        double back[4] = {pose[3], -pose[4], -pose[5], -pose[6]};
        math_quat_matrix(pose + 3, R);
        joint_frame(def, k, geometry->start[k]);
        math_quat_multiply(back, geometry->start[k], anchor->turn);
    }
    math_mat3_apply_transposed(R, offset, anchor->point);
}

// ---- rows ----

static void joint_add_rows(model_joint *joint, const cn_joint_def *def, const joint_form *form,
                           int32_t dim) {
    const joint_gauge_of *held[2] = {form->linear, form->angular};
    bool bounded = !isnan(def->limits[0]);
    bool holds = def->kind != CN_JOINT_DISTANCE || !joint_is_driven(def);
    const joint_role driven[] = {
        bounded ? JOINT_ROLE_LIMIT : JOINT_ROLE_NONE,
        def->motor == CN_MOTOR_VELOCITY || def->motor == CN_MOTOR_POSITION ? JOINT_ROLE_MOTOR
                                                                           : JOINT_ROLE_NONE,
        def->friction > 0.0 ? JOINT_ROLE_FRICTION : JOINT_ROLE_NONE,
        def->stiffness > 0.0 || def->damping > 0.0 ? JOINT_ROLE_SPRING : JOINT_ROLE_NONE,
        def->armature > 0.0 ? JOINT_ROLE_ARMATURE : JOINT_ROLE_NONE};
    for (int part = 0; part < 2; part++) {
        for (const joint_gauge_of *gauge = held[part]; *gauge != JOINT_GAUGE_NONE && holds;
             gauge++) {
            joint->row[joint->row_count++] = (joint_row_of){*gauge, JOINT_ROLE_HELD};
        }
        for (size_t i = 0; i < sizeof driven / sizeof *driven; i++) {
            if (driven[i] != JOINT_ROLE_NONE && form->drive_angular == (part == 1)) {
                joint->row[joint->row_count++] = (joint_row_of){form->drive, driven[i]};
            }
        }
        while (joint->row_count % dim != 0) {
            joint->row[joint->row_count++] = (joint_row_of){JOINT_GAUGE_NONE, JOINT_ROLE_NONE};
        }
    }
}

// Where the driven gauge stands at the start, and what is left open is taken from there.
static cn_status joint_start(const cn_model *model, const cn_joint_def *def, model_joint *joint,
                             cn_error *error) {
    int32_t size = model_pose_size(model->dim);
    double near[2] = {0.0, 0.0}, J[12];
    joint_view view;
    joint_look(model->dim, &joint->geometry, model->q0 + (int64_t)size * joint->body[0],
               model->q0 + (int64_t)size * joint->body[1], near, &view);
    double start = joint_gauge(&view, joint_form_of(def->kind, model->dim)->drive, J);
    bool apart = def->kind == CN_JOINT_DISTANCE || def->kind == CN_JOINT_SPRING;
    joint->length = isnan(def->length) ? start : def->length;
    joint->rest = !isnan(def->rest) ? def->rest : apart ? joint->length : 0.0;
    if (apart && !(joint->length > 0.0)) {
        base_fail(error, CN_ERR_INPUT, "its two points coincide, so that it has no direction");
        base_fail_hint(error, "give second_point, the one in the second body");
        return CN_ERR_INPUT;
    }
    bool held = joint->row_count > 0 && joint->row[0].role == JOINT_ROLE_HELD;
    if (def->kind == CN_JOINT_DISTANCE && held &&
        !(fabs(joint->length - start) <= LENGTH_ROUNDING * start)) {
        return base_fail(error, CN_ERR_INPUT, "its length is %.10g, and its points are %.10g apart",
                         joint->length, start);
    }
    if (!isnan(def->limits[0])) {
        double slack = LENGTH_ROUNDING * fmax(1.0, fabs(start));
        if (!(start >= def->limits[0] - slack && start <= def->limits[1] + slack)) {
            base_fail(error, CN_ERR_INPUT, "it starts at %.6g, outside its limits %.6g, %.6g",
                      start, def->limits[0], def->limits[1]);
            base_fail_hint(error, "angles and slides count from the start, distances from zero");
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static cn_status joint_build(cn_model *model, const cn_joint_def *def, model_joint *joint,
                             cn_error *error) {
    CN_TRY(joint_check_bodies(model, def, error));
    CN_TRY(joint_check_frame(model, def, error));

    CN_TRY(joint_check_drive(model, def, error));

    *joint =
        (model_joint){.body = {def->body[0] - 1, def->body[1] - 1},
                      .limits = {def->limits[0], def->limits[1]},
                      .friction = def->friction,
                      .stiffness = def->stiffness,
                      .damping = def->damping,
                      .armature = def->armature,
                      .motor = def->motor,
                      .motor_max = isnan(def->motor_max) ? HUGE_VAL : def->motor_max,
                      .motor_stiffness = def->motor_stiffness,
                      .motor_damping = def->motor_damping,
                      .contact = def->contact,
                      .geometry = {.kind = def->kind,
                                   .lead = isnan(def->pitch) ? 0.0 : def->pitch / JOINT_TURN_FULL,
                                   .ratio = isnan(def->ratio) ? 0.0 : def->ratio}};
    place_anchor(model, def, 0, &joint->geometry);
    place_anchor(model, def, 1, &joint->geometry);
    joint_add_rows(joint, def, joint_form_of(def->kind, model->dim), model->dim);
    return joint_start(model, def, joint, error);
}

static cn_status joint_keep(cn_model *model, const cn_joint_def *def, model_joint *joint,
                            cn_error *error) {
    CN_TRY(model_copy_text(model, def->name, &joint->name, error));
    CN_TRY(model_copy_source(model, &def->source, &joint->source, error));

    CN_TRY(model_reserve(model, MODEL_ARRAY_JOINT, (int64_t)model->joint_count + 1, error));
    if (def->motor != CN_MOTOR_NONE) {
        joint->target = model_create_signal(model, &def->motor_target, BASE_SIGNAL_VALUE, error);
        CN_TRY(joint->target ? CN_OK : error ? error->status : CN_ERR_INPUT);
    }
    return CN_OK;
}

cn_status cn_model_add_joint(cn_model *model, const cn_joint_def *def, int32_t *id,
                             cn_error *error) {
    if (!model || !def) {
        return base_fail_missing(error);
    }
    model_joint joint;
    cn_status status = model_check_open(model, error);
    if (status == CN_OK && (unsigned)def->kind >= CN_JOINT_KINDS) {
        status = base_fail(error, CN_ERR_ARGUMENT, "%d is no kind of joint", (int)def->kind);
    }
    CN_TRY(status);
    status = joint_build(model, def, &joint, error);
    if (status == CN_OK) {
        status = joint_keep(model, def, &joint, error);
    }
    if (status != CN_OK) {
        return blame_joint(error, status, &def->source, def->name, model->joint_count);
    }
    joint.row_first = model->joint_row_count;
    model->joint_row_count += joint.row_count;
    model->joint[model->joint_count++] = joint;
    *id = model->joint_count;
    model_text_joint(model, def);
    return CN_OK;
}

// ---- the whole ----

static int jointed_compare(const void *one, const void *other) {
    const model_jointed *x = one, *y = other;
    int32_t p = x->a != y->a ? x->a : x->b, q = x->a != y->a ? y->a : y->b;
    return p < q ? -1 : p > q;
}

cn_status model_joints_check(cn_model *model, cn_error *error) {
    model->jointed = BASE_TAKE(model->memory, model_jointed, model->joint_count);
    if (!model->jointed) {
        return base_fail_memory(error);
    }
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        int32_t a = joint->body[0], b = joint->body[1];
        if (joint->removed) {
            continue;
        }
        if (model->body[a].role != MODEL_BODY_FREE && model->body[b].role != MODEL_BODY_FREE) {
            base_fail(error, CN_ERR_INPUT, "neither of its bodies can answer to it");
            base_fail_hint(error, "one of them must be free to move");
            return blame_joint(error, CN_ERR_INPUT, &joint->source, joint->name, j);
        }
        if (!joint->contact) {
            model->jointed[model->jointed_count++] =
                a < b ? (model_jointed){a, b} : (model_jointed){b, a};
        }
    }
    qsort(model->jointed, (size_t)model->jointed_count, sizeof *model->jointed, jointed_compare);
    return CN_OK;
}

bool model_is_jointed(const cn_model *model, int32_t a, int32_t b) {
    model_jointed wanted = {a, b};
    return model->jointed_count > 0 &&
           bsearch(&wanted, model->jointed, (size_t)model->jointed_count, sizeof wanted,
                   jointed_compare) != NULL;
}
