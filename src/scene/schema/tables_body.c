// scene/schema/tables_body.c
// The keys of materials, contact laws, bodies, forces and motions.
#include "scene/scene.h"

#include "base/error.h"
#include "math/rotation.h"

#include <math.h>

// ---- where something stands ----

static const cn_field cn_rotation_fields[] = {
    CN_KEY("axis", vector, cn_rotation_entry, axis, .flags = CN_REQUIRED | CN_UNIT_LENGTH,
           .help = "the axis turned about; need not be a unit vector"),
    CN_KEY("angle", real, cn_rotation_entry, angle, .flags = CN_REQUIRED, .unit = "rad",
           .help = "how far"),
};

const cn_table cn_rotation_table = {
    .name = "rotation",
    .help = "A turn about an axis.",
    .field = cn_rotation_fields,
    .count = CN_COUNT(cn_rotation_fields),
    .size = sizeof(cn_rotation_entry),
};

void cn_place_initial(cn_place *place) {
    *place = (cn_place){.orientation = {1, 0, 0, 0}};
}

cn_status cn_place_check(cn_reader *reader, const cn_yaml *node, cn_place *place) {
    if (!place->rotation.node) {
        return CN_OK;
    }
    if (cn_yaml_get(node, "orientation")) {
        return cn_fail_node(reader, cn_yaml_key(node, "rotation"), CN_ERR_INPUT,
                            "give orientation or rotation, not both");
    }
    double sine;
    double cosine;
    cn_sincos(0.5 * place->rotation.angle, &sine, &cosine);
    place->orientation[0] = cosine;
    for (int i = 0; i < 3; i++) {
        place->orientation[1 + i] = sine * place->rotation.axis[i];
    }
    return CN_OK;
}

// ---- materials ----

static const cn_field cn_material_fields[] = {
    CN_KEY("density", real, cn_material_entry, def.density, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .unit = "kg/m3; 2D kg/m2",
           .help = "gives bodies without a mass of their own their mass"),
};

const cn_table cn_material_table = {
    .name = "material",
    .help = "What a body is made of; contact laws are between materials.",
    .field = cn_material_fields,
    .count = CN_COUNT(cn_material_fields),
    .size = sizeof(cn_material_entry),
};

// ---- contact laws ----

static const cn_field cn_friction_fields[] = {
    CN_KEY("static", real, cn_friction_entry, at_rest, .flags = CN_REQUIRED | CN_NOT_BELOW_ZERO,
           .help = "coefficient while sticking, and while sliding unless dynamic is given"),
    CN_KEY("dynamic", real, cn_friction_entry, sliding, .flags = CN_NOT_BELOW_ZERO,
           .help = "coefficient of a contact that slid in the step before"),
};

static void cn_friction_initial(void *out, int32_t dim) {
    (void)dim;
    cn_friction_entry *friction = out;
    friction->at_rest = friction->sliding = NAN;
}

static cn_status cn_friction_check(cn_reader *reader, cn_yaml *node, void *out) {
    const cn_friction_entry *friction = out;
    if (friction->sliding > friction->at_rest) {
        return cn_fail_node(reader, cn_yaml_get(node, "dynamic"), CN_ERR_INPUT,
                            "dynamic friction must not be above static friction");
    }
    return CN_OK;
}

static const cn_table cn_friction_table = {
    .name = "friction",
    .help = "Coulomb's coefficient; one number stands for static alone.",
    .field = cn_friction_fields,
    .count = CN_COUNT(cn_friction_fields),
    .size = sizeof(cn_friction_entry),
    .initial = cn_friction_initial,
    .check = cn_friction_check,
    .brief = true,
};

static const cn_choice cn_laws[] = {
    {.text = "auto", .value = CN_LAW_AUTO},
    {.text = "signorini", .value = CN_LAW_SIGNORINI},
    {.text = "quasi-inelastic", .value = CN_LAW_QUASI_INELASTIC},
    {.text = "gap", .value = CN_LAW_GAP},
    {.text = "stabilised", .value = CN_LAW_STABILISED},
    {0},
};

static const cn_field cn_contact_fields[] = {
    CN_KEY("between", names, cn_contact_entry, between, .flags = CN_REQUIRED, .count = 2,
           .help = "two materials; \"*\" is any"),
    CN_KEY("friction", table, cn_contact_entry, friction, .table = &cn_friction_table,
           .help = "Coulomb's coefficient, or static and dynamic"),
    CN_KEY("restitution", real, cn_contact_entry, restitution, .flags = CN_RANGE, .min = 0,
           .max = 1, .help = "normal velocity after over before an impact"),
    CN_KEY("restitution_tangent", real, cn_contact_entry, restitution_tangent, .flags = CN_RANGE,
           .min = -1, .max = 1, .help = "the same for the tangential velocity"),
    CN_KEY("correction", real, cn_contact_entry, correction, .flags = CN_NOT_BELOW_ZERO,
           .unit = "m",
           .help = "most overlap that one step may take back; for the laws gap and "
                   "quasi-inelastic"),
    CN_KEY("law", choice, cn_contact_entry, law, .choice = cn_laws,
           .help = "auto is quasi-inelastic when restitution is 0, else signorini"),
};

static void cn_contact_initial(void *out, int32_t dim) {
    cn_contact_entry *contact = out;
    cn_contact_def none = cn_contact_def_default();
    contact->restitution = none.restitution;
    contact->restitution_tangent = none.restitution_tangent;
    contact->correction = none.correction;
    contact->law = (int32_t)none.law;
    cn_friction_initial(&contact->friction, dim);
}

const cn_table cn_contact_table = {
    .name = "contact",
    .help = "The law between two materials.",
    .field = cn_contact_fields,
    .count = CN_COUNT(cn_contact_fields),
    .size = sizeof(cn_contact_entry),
    .initial = cn_contact_initial,
};

// ---- bodies ----

static const cn_choice cn_dofs[] = {
    {.text = "tx", .value = CN_LOCK_TX},
    {.text = "ty", .value = CN_LOCK_TY},
    {.text = "tz", .value = CN_LOCK_TZ},
    {.text = "rx", .value = CN_LOCK_RX},
    {.text = "ry", .value = CN_LOCK_RY},
    {.text = "rz", .value = CN_LOCK_RZ},
    {0},
};

static const cn_choice cn_axes[] = {{.text = "world"}, {.text = "body", .value = 1}, {0}};

static const cn_field cn_lock_fields[] = {
    CN_KEY("dofs", choices, cn_lock_entry, dofs, .flags = CN_REQUIRED, .choice = cn_dofs,
           .help = "translations and rotations that are held: tx ty tz rx ry rz; 2D: tx ty rz"),
    CN_KEY("axes", choice, cn_lock_entry, axes, .choice = cn_axes, .help = "whose axes x y z are"),
};

static cn_status cn_lock_check(cn_reader *reader, cn_yaml *node, void *out) {
    const cn_lock_entry *lock = out;
    if (reader->dim == 2 && (lock->dofs & (CN_LOCK_TZ | CN_LOCK_RX | CN_LOCK_RY))) {
        cn_fail_node(reader, node, CN_ERR_INPUT, "a 2D body has no tz, rx and ry");
        cn_fail_hint(reader->error, "its degrees of freedom are tx, ty and rz");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

const cn_table cn_lock_table = {
    .name = "lock",
    .help = "Degrees of freedom that are held. A list stands for dofs alone.",
    .field = cn_lock_fields,
    .count = CN_COUNT(cn_lock_fields),
    .size = sizeof(cn_lock_entry),
    .check = cn_lock_check,
    .brief = true,
};

static const cn_field cn_body_fields[] = {
    CN_KEY("name", text, cn_body_entry, name, .help = "for forces, motions, --set and messages"),
    CN_KEY("material", text, cn_body_entry, material, .flags = CN_REQUIRED,
           .help = "one of the scene's materials"),
    CN_KEY("shape", one_or_list, cn_body_entry, shapes, .table = &cn_shape_table,
           .help = "one shape or a list of them; a body that is fixed, or has its mass and inertia "
                   "given, can do without and touches nothing"),
    CN_KEY("fixed", bool, cn_body_entry, def.fixed,
           .help = "it never moves, unless a motion moves it"),
    CN_PLACE_FIELDS(cn_body_entry),
    CN_KEY("velocity", vector, cn_body_entry, def.velocity, .unit = "m/s",
           .help = "of the centre of mass, at the start"),
    CN_KEY("angular_velocity", spin, cn_body_entry, def.angular_velocity, .unit = "rad/s",
           .help = "at the start, world axes"),
    CN_KEY("lock", table, cn_body_entry, lock, .table = &cn_lock_table,
           .help = "degrees of freedom that are held"),
    CN_KEY("mass", real, cn_body_entry, def.mass, .flags = CN_ABOVE_ZERO, .unit = "kg; 2D kg/m",
           .help = "by default density times volume"),
    CN_KEY("inertia", inertia, cn_body_entry, def.inertia, .flags = CN_ABOVE_ZERO, .unit = "kg m2",
           .help = "about the centre of mass, body axes: principal moments or 3 rows; by default "
                   "from the shape, scaled to the mass"),
    CN_KEY("center_of_mass", vector, cn_body_entry, def.com, .unit = "m",
           .help = "in the body's own frame; by default from the shape"),
};

static void cn_body_initial(void *out, int32_t dim) {
    (void)dim;
    cn_body_entry *body = out;
    body->def = cn_body_def_default();
    cn_place_initial(&body->place);
}

static cn_status cn_body_check(cn_reader *reader, cn_yaml *node, void *out) {
    cn_body_entry *body = out;
    if (!body->shapes.node && !body->def.fixed && isnan(body->def.mass)) {
        cn_fail_node(reader, node, CN_ERR_INPUT, "body needs \"shape\"");
        cn_fail_hint(reader->error, "one shape or a list of them");
        return CN_ERR_INPUT;
    }
    if (reader->dim == 2 && cn_yaml_get(node, "center_of_mass")) {
        body->def.com[2] = 0.0;
    }
    return cn_place_check(reader, node, &body->place);
}

const cn_table cn_body_table = {
    .name = "body",
    .help = "A rigid body. Its position and orientation place its own frame, in which its shapes "
            "are written.",
    .field = cn_body_fields,
    .count = CN_COUNT(cn_body_fields),
    .size = sizeof(cn_body_entry),
    .initial = cn_body_initial,
    .check = cn_body_check,
};

// ---- forces and motions ----

static const cn_field cn_force_fields[] = {
    CN_KEY("body", text, cn_force_entry, body, .flags = CN_REQUIRED,
           .help = "the name of the body it acts on"),
    CN_KEY("force", signals, cn_force_entry, def.force, .table = &cn_signal_table, .unit = "N",
           .help = "numbers, expressions in t or tables"),
    CN_KEY("torque", spin_signals, cn_force_entry, def.torque, .table = &cn_signal_table,
           .unit = "N m", .help = "likewise"),
    CN_KEY("point", vector, cn_force_entry, def.point, .unit = "m",
           .help = "where the force acts, in the body's own frame; by default its centre of mass"),
    CN_KEY("axes", choice, cn_force_entry, axes, .choice = cn_axes,
           .help = "whose axes force and torque are written in"),
};

static void cn_force_initial(void *out, int32_t dim) {
    (void)dim;
    cn_force_entry *force = out;
    force->def.point[0] = force->def.point[1] = force->def.point[2] = NAN;
}

static cn_status cn_force_check(cn_reader *reader, cn_yaml *node, void *out) {
    cn_force_entry *force = out;
    if (!cn_yaml_get(node, "force") && !cn_yaml_get(node, "torque")) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "force needs \"force\" or \"torque\"");
    }
    if (reader->dim == 2 && cn_yaml_get(node, "point")) {
        force->def.point[2] = 0.0;
    }
    return CN_OK;
}

const cn_table cn_force_table = {
    .name = "force",
    .help = "A force or torque on a body.",
    .field = cn_force_fields,
    .count = CN_COUNT(cn_force_fields),
    .size = sizeof(cn_force_entry),
    .initial = cn_force_initial,
    .check = cn_force_check,
};

static const cn_field cn_motion_fields[] = {
    CN_KEY("body", text, cn_motion_entry, body, .flags = CN_REQUIRED,
           .help = "the name of the body that is moved"),
    CN_KEY("velocity", signals, cn_motion_entry, def.velocity, .table = &cn_signal_table,
           .unit = "m/s", .help = "of the centre of mass: numbers, expressions in t or tables"),
    CN_KEY("angular_velocity", spin_signals, cn_motion_entry, def.angular_velocity,
           .table = &cn_signal_table, .unit = "rad/s", .help = "likewise, world axes"),
};

const cn_table cn_motion_table = {
    .name = "motion",
    .help = "A prescribed motion: the body moves so, whatever touches it.",
    .field = cn_motion_fields,
    .count = CN_COUNT(cn_motion_fields),
    .size = sizeof(cn_motion_entry),
};
