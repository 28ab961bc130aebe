// scene/schema/tables_joint.c
// Joints between two bodies.
#include "base/error.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static const char *joint_kind_at(int32_t index) {
    return index < CN_JOINT_KINDS ? cn_joint_kind_text((cn_joint_kind)index) : NULL;
}

// As other programs call them.
static const char *const joint_kind_alias[][2] = {{"revolute", "hinge"},
                                                  {"prismatic", "slider"},
                                                  {"spherical", "ball"},
                                                  {"weld", "fixed"},
                                                  {NULL, NULL}};

// ---- motor ----

static const scene_field motor_fields[] = {
    SCENE_KEY("velocity", signal, scene_motor_entry, velocity, .flags = SCENE_VARIANT,
              .table = &scene_signal_table, .unit = "rad/s or m/s",
              .help =
                  "of the second body against the first: kept exactly, or by damping where given"),
    SCENE_KEY("position", signal, scene_motor_entry, position, .flags = SCENE_VARIANT,
              .table = &scene_signal_table, .unit = "rad or m",
              .help =
                  "angle or slide from the start, or distance; kept exactly, or by stiffness and "
                  "damping where they are given"),
    SCENE_KEY("torque", signal, scene_motor_entry, torque, .flags = SCENE_VARIANT,
              .table = &scene_signal_table, .unit = "N m",
              .help = "on the second body about the axis"),
    SCENE_KEY("force", signal, scene_motor_entry, force, .flags = SCENE_VARIANT,
              .table = &scene_signal_table, .unit = "N",
              .help = "on the second body along the axis"),
    SCENE_KEY("max_torque", real, scene_motor_entry, max_torque, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "N m", .help = "the most that the motor of a hinge or screw gives"),
    SCENE_KEY("max_force", real, scene_motor_entry, max_force, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "N", .help = "the most that the motor of a slider gives"),
    SCENE_KEY("stiffness", real, scene_motor_entry, stiffness, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "N m/rad or N/m", .help = "of a motor that keeps a position like a spring"),
    SCENE_KEY("damping", real, scene_motor_entry, damping, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "N m s/rad or N s/m",
              .help = "likewise, of the rate against that of the target; or torque per difference "
                      "from a velocity"),
};

static void motor_initial(void *out, int32_t dim) {
    (void)dim;
    scene_motor_entry *motor = out;
    motor->max_torque = motor->max_force = NAN;
}

static const scene_table_of motor_table = {
    .name = "motor",
    .help = "What drives a joint: exactly one of velocity, position, torque and force.",
    .field = motor_fields,
    .count = SCENE_COUNT(motor_fields),
    .size = sizeof(scene_motor_entry),
    .initial = motor_initial,
    .variant = offsetof(scene_motor_entry, which),
};

// ---- joint ----

static const scene_field joint_fields[] = {
    SCENE_KEY("name", text, scene_joint_entry, def.name, .help = "for errors"),
    SCENE_KEY("kind", name, scene_joint_entry, kind, .flags = SCENE_REQUIRED,
              .name_at = joint_kind_at, .alias = joint_kind_alias,
              .help = "what is held and what is left free; docs/reference/joints.md has the table; "
                      "revolute is hinge, prismatic is slider, spherical is ball, weld is fixed"),
    SCENE_KEY("bodies", names, scene_joint_entry, bodies, .flags = SCENE_REQUIRED, .count = 2,
              .help = "the names of the two bodies"),
    SCENE_KEY("point", vector, scene_joint_entry, def.point, .unit = "m",
              .help =
                  "where the joint is at the start, in the world; in the first body where there is "
                  "a second_point"),
    SCENE_KEY("second_point", vector, scene_joint_entry, def.second_point, .unit = "m",
              .help = "the point in the second body: distance and spring"),
    SCENE_KEY("axis", vector, scene_joint_entry, def.axis,
              .help = "of turning or sliding at the start, in the world; planar: the normal; "
                      "universal: the pin in the first body"),
    SCENE_KEY("second_axis", vector, scene_joint_entry, def.second_axis, .flags = SCENE_ONLY_3D,
              .help = "universal: the pin in the second body; gear: the axis of the second body"),
    SCENE_KEY("length", real, scene_joint_entry, def.length, .flags = SCENE_ABOVE_ZERO, .unit = "m",
              .help = "of a distance or spring; by default as at the start"),
    SCENE_KEY("pitch", real, scene_joint_entry, def.pitch, .flags = SCENE_ONLY_3D, .unit = "m",
              .help = "advance of a screw in a turn"),
    SCENE_KEY("ratio", real, scene_joint_entry, def.ratio,
              .help = "turns of a gear's second body for one of the first; negative: they turn "
                      "against one another"),
    SCENE_KEY("limits", range, scene_joint_entry, def.limits, .unit = "rad or m",
              .help = "[low, high] of the angle or slide from the start, or of the distance"),
    SCENE_KEY("friction", real, scene_joint_entry, def.friction, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "N m or N", .help = "dry friction: the most that it holds"),
    SCENE_KEY("stiffness", real, scene_joint_entry, def.stiffness, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "N m/rad or N/m", .help = "of a spring on the free motion"),
    SCENE_KEY("damping", real, scene_joint_entry, def.damping, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "N m s/rad or N s/m", .help = "of a damper on the free motion"),
    SCENE_KEY("rest", real, scene_joint_entry, def.rest, .unit = "rad or m",
              .help = "where the spring has no force; by default as at the start"),
    SCENE_KEY("armature", real, scene_joint_entry, def.armature, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "kg m2 or kg",
              .help = "inertia of a rotor on the free motion, times the gear ratio squared"),
    SCENE_KEY("motor", table, scene_joint_entry, motor, .table = &motor_table,
              .help = "drives the free motion"),
    SCENE_KEY("contact", bool, scene_joint_entry, def.contact,
              .help = "true: the two bodies also touch; by default they pass through one another"),
};

static void joint_initial(void *out, int32_t dim) {
    (void)dim;
    scene_joint_entry *joint = out;
    joint->def = cn_joint_def_default(CN_JOINT_FIXED);
}

// A joint whose free motion is a length takes no angles as text ("30 deg").
static cn_status joint_check_units(scene_reader *reader, const io_yaml *node,
                                   const scene_joint_entry *joint) {
    static const char *const keys[] = {"limits", "rest"};
    cn_joint_kind kind = joint->def.kind;
    if (kind != CN_JOINT_SLIDER && kind != CN_JOINT_DISTANCE && kind != CN_JOINT_SPRING) {
        return CN_OK;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const io_yaml *value = io_yaml_get(node, keys[i]);
        for (int32_t k = 0; value && k < (value->count > 0 ? value->count : 1); k++) {
            const io_yaml *item = value->count > 0 ? value->item[k] : value;
            if (item->kind == IO_YAML_TEXT) {
                scene_fail_node(reader, item, CN_ERR_INPUT, "%s of a %s are lengths, not angles",
                                keys[i], joint->kind);
                base_fail_hint(reader->error, "write a number, in m");
                return CN_ERR_INPUT;
            }
        }
    }
    return CN_OK;
}

// The motor that was given, into the definition.
static cn_status joint_check(scene_reader *reader, io_yaml *node, void *out) {
    scene_joint_entry *joint = out;
    for (int32_t kind = 0; kind < CN_JOINT_KINDS; kind++) {
        if (strcmp(joint->kind, cn_joint_kind_text((cn_joint_kind)kind)) == 0) {
            joint->def.kind = (cn_joint_kind)kind;
        }
    }
    const scene_motor_entry *motor = &joint->motor;
    cn_status status = joint_check_units(reader, node, joint);
    if (status != CN_OK || !motor->node) {
        return status;
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
    joint->def.motor_max = isnan(motor->max_torque) ? motor->max_force : motor->max_torque;
    joint->def.motor_stiffness = motor->stiffness;
    joint->def.motor_damping = motor->damping;
    return CN_OK;
}

const scene_table_of scene_joint_table = {
    .name = "joint",
    .help = "A joint between two bodies.",
    .field = joint_fields,
    .count = SCENE_COUNT(joint_fields),
    .size = sizeof(scene_joint_entry),
    .initial = joint_initial,
    .check = joint_check,
};
