// scene/schema/tables_joint.c
// Joints between two bodies.
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static const char *cn_joint_kind_at(int32_t index) {
    return index < CN_JOINT_KINDS ? cn_joint_kind_text((cn_joint_kind)index) : NULL;
}

// ---- motor ----

static const cn_field cn_motor_fields[] = {
    CN_KEY("velocity", signal, cn_motor_entry, velocity, .flags = CN_VARIANT,
           .table = &cn_signal_table, .unit = "rad/s or m/s",
           .help = "of the second body against the first: a number, an expression in t or a table"),
    CN_KEY("position", signal, cn_motor_entry, position, .flags = CN_VARIANT,
           .table = &cn_signal_table, .unit = "rad or m",
           .help = "angle or slide from the start, or distance; kept exactly, or by stiffness and "
                   "damping where they are given"),
    CN_KEY("torque", signal, cn_motor_entry, torque, .flags = CN_VARIANT, .table = &cn_signal_table,
           .unit = "N m", .help = "on the second body about the axis"),
    CN_KEY("force", signal, cn_motor_entry, force, .flags = CN_VARIANT, .table = &cn_signal_table,
           .unit = "N", .help = "on the second body along the axis"),
    CN_KEY("max_torque", real, cn_motor_entry, max_torque, .flags = CN_NOT_BELOW_ZERO,
           .unit = "N m", .help = "the most that the motor of a hinge or screw gives"),
    CN_KEY("max_force", real, cn_motor_entry, max_force, .flags = CN_NOT_BELOW_ZERO, .unit = "N",
           .help = "the most that the motor of a slider gives"),
    CN_KEY("stiffness", real, cn_motor_entry, stiffness, .flags = CN_NOT_BELOW_ZERO,
           .unit = "N m/rad or N/m", .help = "of a motor that keeps a position like a spring"),
    CN_KEY("damping", real, cn_motor_entry, damping, .flags = CN_NOT_BELOW_ZERO,
           .unit = "N m s/rad or N s/m", .help = "likewise"),
};

static void cn_motor_initial(void *out, int32_t dim) {
    (void)dim;
    cn_motor_entry *motor = out;
    motor->max_torque = motor->max_force = NAN;
}

static const cn_table cn_motor_table = {
    .name = "motor",
    .help = "What drives a joint: exactly one of velocity, position, torque and force.",
    .field = cn_motor_fields,
    .count = CN_COUNT(cn_motor_fields),
    .size = sizeof(cn_motor_entry),
    .initial = cn_motor_initial,
    .variant = offsetof(cn_motor_entry, which),
};

// ---- joint ----

static const cn_field cn_joint_fields[] = {
    CN_KEY("name", text, cn_joint_entry, def.name, .help = "for errors"),
    CN_KEY("kind", name, cn_joint_entry, kind, .flags = CN_REQUIRED, .name_at = cn_joint_kind_at,
           .help = "what is held and what is left free; docs/joints.md has the table"),
    CN_KEY("bodies", names, cn_joint_entry, bodies, .flags = CN_REQUIRED, .count = 2,
           .help = "the names of the two bodies"),
    CN_KEY("point", vector, cn_joint_entry, def.point, .unit = "m",
           .help =
               "where the joint is at the start, in the world; in the first body where there is "
               "a second_point"),
    CN_KEY("second_point", vector, cn_joint_entry, def.second_point, .unit = "m",
           .help = "the point in the second body: distance and spring"),
    CN_KEY("axis", vector, cn_joint_entry, def.axis,
           .help = "of turning or sliding at the start, in the world; planar: the normal; "
                   "universal: the pin in the first body"),
    CN_KEY("second_axis", vector, cn_joint_entry, def.second_axis, .flags = CN_ONLY_3D,
           .help = "universal: the pin in the second body; gear: the axis of the second body"),
    CN_KEY("length", real, cn_joint_entry, def.length, .flags = CN_ABOVE_ZERO, .unit = "m",
           .help = "of a distance or spring; by default as at the start"),
    CN_KEY("pitch", real, cn_joint_entry, def.pitch, .flags = CN_ONLY_3D, .unit = "m",
           .help = "advance of a screw in a turn"),
    CN_KEY("ratio", real, cn_joint_entry, def.ratio,
           .help = "turns of a gear's second body for one of the first; negative: they turn "
                   "against one another"),
    CN_KEY("limits", range, cn_joint_entry, def.limits, .unit = "rad or m",
           .help = "[low, high] of the angle or slide from the start, or of the distance"),
    CN_KEY("friction", real, cn_joint_entry, def.friction, .flags = CN_NOT_BELOW_ZERO,
           .unit = "N m or N", .help = "dry friction: the most that it holds"),
    CN_KEY("stiffness", real, cn_joint_entry, def.stiffness, .flags = CN_NOT_BELOW_ZERO,
           .unit = "N m/rad or N/m", .help = "of a spring on the free motion"),
    CN_KEY("damping", real, cn_joint_entry, def.damping, .flags = CN_NOT_BELOW_ZERO,
           .unit = "N m s/rad or N s/m", .help = "of a damper on the free motion"),
    CN_KEY("rest", real, cn_joint_entry, def.rest, .unit = "rad or m",
           .help = "where the spring has no force; by default as at the start"),
    CN_KEY("motor", table, cn_joint_entry, motor, .table = &cn_motor_table,
           .help = "drives the free motion"),
    CN_KEY("contact", bool, cn_joint_entry, def.contact,
           .help = "true: the two bodies also touch; by default they pass through one another"),
};

static void cn_joint_initial(void *out, int32_t dim) {
    (void)dim;
    cn_joint_entry *joint = out;
    joint->def = cn_joint_def_default(CN_JOINT_FIXED);
}

// The motor that was given, into the definition.
static cn_status cn_joint_check(cn_reader *reader, cn_yaml *node, void *out) {
    (void)reader;
    (void)node;
    cn_joint_entry *joint = out;
    for (int32_t kind = 0; kind < CN_JOINT_KINDS; kind++) {
        if (strcmp(joint->kind, cn_joint_kind_text((cn_joint_kind)kind)) == 0) {
            joint->def.kind = (cn_joint_kind)kind;
        }
    }
    const cn_motor_entry *motor = &joint->motor;
    if (!motor->node) {
        return CN_OK;
    }
    const struct {
        cn_motor_kind kind;
        const cn_signal_def *target;
    } given[] = {{CN_MOTOR_VELOCITY, &motor->velocity},
                 {CN_MOTOR_POSITION, &motor->position},
                 {CN_MOTOR_FORCE, &motor->torque},
                 {CN_MOTOR_FORCE, &motor->force}};
    joint->def.motor = given[motor->which].kind;
    joint->def.motor_target = *given[motor->which].target;
    joint->def.motor_most = isnan(motor->max_torque) ? motor->max_force : motor->max_torque;
    joint->def.motor_stiffness = motor->stiffness;
    joint->def.motor_damping = motor->damping;
    return CN_OK;
}

const cn_table cn_joint_table = {
    .name = "joint",
    .help = "A joint between two bodies.",
    .field = cn_joint_fields,
    .count = CN_COUNT(cn_joint_fields),
    .size = sizeof(cn_joint_entry),
    .initial = cn_joint_initial,
    .check = cn_joint_check,
};
