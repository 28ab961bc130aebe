// scene/schema/tables_system.c
// The keys of systems in coordinates of their own, of first-order systems and of controllers.
#include "scene/scene.h"

// ---- contacts and joints of a system ----

static const scene_field system_contact_fields[] = {
    SCENE_KEY("name", text, scene_system_contact_entry, name, .help = "for messages"),
    SCENE_KEY("gap", formula, scene_system_contact_entry, def.gap, .flags = SCENE_REQUIRED,
              .unit = "m", .help = "expression in q1 ... and t; open where it is positive"),
    SCENE_KEY("normal", formulas, scene_system_contact_entry, def.normal,
              .help = "derivatives of the gap, one a coordinate; by default differences"),
    SCENE_KEY("rate", formula, scene_system_contact_entry, def.rate, .unit = "m/s",
              .help = "derivative of the gap with respect to t; by default differences"),
    SCENE_KEY("tangent", formulas, scene_system_contact_entry, def.tangent,
              .help = "the row of the sliding velocity, one entry a coordinate"),
    SCENE_KEY("slide", formula, scene_system_contact_entry, def.slide, .unit = "m",
              .help = "instead of tangent: a length whose rate is the sliding velocity"),
    SCENE_KEY("friction", real, scene_system_contact_entry, def.law.friction,
              .flags = SCENE_NOT_BELOW_ZERO, .help = "Coulomb's coefficient"),
    SCENE_KEY("restitution", real, scene_system_contact_entry, def.law.restitution,
              .flags = BASE_RANGE, .min = 0.0, .max = 1.0, .help = "Newton's coefficient"),
    SCENE_KEY("restitution_tangent", real, scene_system_contact_entry, def.law.restitution_tangent,
              .flags = BASE_RANGE, .min = -1.0, .max = 1.0, .help = "1 is Fremond's law"),
};

static const scene_table_of system_contact_table = {
    .name = "system_contact",
    .help = "A contact of a system.",
    .field = system_contact_fields,
    .count = SCENE_COUNT(system_contact_fields),
    .size = sizeof(scene_system_contact_entry),
};

static const scene_field system_joint_fields[] = {
    SCENE_KEY("equation", formula, scene_system_joint_entry, def.equation, .flags = SCENE_REQUIRED,
              .help = "expression in q1 ... and t that stays zero"),
    SCENE_KEY("rows", formulas, scene_system_joint_entry, def.rows,
              .help = "its derivatives, one a coordinate; by default differences"),
};

static const scene_table_of system_joint_table = {
    .name = "system_joint",
    .help = "A joint of a system.",
    .field = system_joint_fields,
    .count = SCENE_COUNT(system_joint_fields),
    .size = sizeof(scene_system_joint_entry),
};

// ---- systems ----

static const scene_field system_fields[] = {
    SCENE_KEY("name", text, scene_system_entry, name, .help = "by default the scene's"),
    SCENE_KEY("plugin", text, scene_system_entry, plugin,
              .help = "the name of a plug-in that is the system; only parameters go with it"),
    SCENE_KEY("q", reals, scene_system_entry, q,
              .help = "the coordinates at the start; their number is that of the system"),
    SCENE_KEY("v", reals, scene_system_entry, v,
              .help = "the velocities at the start; by default zero"),
    SCENE_KEY("parameters", assignments, scene_system_entry, parameters,
              .help = "names for numbers, evaluated once, in order"),
    SCENE_KEY("define", assignments, scene_system_entry, definitions,
              .help = "names for expressions in t, q1 ..., v1 ..., for use in the others"),
    SCENE_KEY("mass", formula_rows, scene_system_entry, mass, .help = "the mass matrix M(q)"),
    SCENE_KEY("force", formulas, scene_system_entry, force,
              .help = "F(t, q, v), gyroscopic terms included"),
    SCENE_KEY("potential", formula, scene_system_entry, potential, .unit = "J",
              .help = "energy of the forces that have one, for the ledger"),
    SCENE_KEY("contacts", list, scene_system_entry, contacts, .table = &system_contact_table,
              .help = "unilateral constraints"),
    SCENE_KEY("joints", list, scene_system_entry, joints, .table = &system_joint_table,
              .help = "bilateral constraints"),
};

const scene_table_of scene_system_table = {
    .name = "system",
    .help = "A system in coordinates of its own, `M(q) v' = F(t, q, v)` with contacts and joints; "
            "see [systems.md](systems.md).",
    .field = system_fields,
    .count = SCENE_COUNT(system_fields),
    .size = sizeof(scene_system_entry),
};

// ---- first order ----

static const scene_choice first_order_laws[] = {
    {.text = "complementarity", .value = 0}, {.text = "relay", .value = 1}, {0}};

static const scene_field first_order_fields[] = {
    SCENE_KEY("name", text, scene_first_order_entry, name, .help = "by default the scene's"),
    SCENE_KEY("x", reals, scene_first_order_entry, x, .flags = SCENE_REQUIRED, .help = "the start"),
    SCENE_KEY("parameters", assignments, scene_first_order_entry, parameters,
              .help = "names for numbers, evaluated once, in order"),
    SCENE_KEY("define", assignments, scene_first_order_entry, definitions,
              .help = "names for expressions, for use in b and e"),
    SCENE_KEY("A", matrix, scene_first_order_entry, A, .help = "by default zero"),
    SCENE_KEY("B", matrix, scene_first_order_entry, B, .help = "its columns are those of the law"),
    SCENE_KEY("C", matrix, scene_first_order_entry, C, .help = "its rows are those of the law"),
    SCENE_KEY("D", matrix, scene_first_order_entry, D, .help = "by default zero"),
    SCENE_KEY("b", formulas, scene_first_order_entry, b,
              .help = "expressions in t; by default zero"),
    SCENE_KEY("e", formulas, scene_first_order_entry, e,
              .help = "expressions in t; by default zero"),
    SCENE_KEY("law", choice, scene_first_order_entry, law, .choice = first_order_laws,
              .help = "0 <= y orthogonal to lambda >= 0, or lambda in -Sgn(y)"),
    SCENE_KEY("lower", reals, scene_first_order_entry, lower,
              .help = "bounds of lambda, instead of the law's"),
    SCENE_KEY("upper", reals, scene_first_order_entry, upper,
              .help = "bounds of lambda, instead of the law's"),
};

const scene_table_of scene_first_order_table = {
    .name = "first_order",
    .help = "A first-order system, `x' = A x + B lambda + b(t)`, `y = C x + D lambda + e(t)`; see "
            "[systems.md](systems.md).",
    .field = first_order_fields,
    .count = SCENE_COUNT(first_order_fields),
    .size = sizeof(scene_first_order_entry),
};

// ---- control ----

static const scene_field control_fields[] = {
    SCENE_KEY("period", real, scene_control_entry, def.period, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "s", .help = "of sampling, a multiple of the step; 0 is every step"),
    SCENE_KEY("plugin", text, scene_control_entry, plugin,
              .help =
                  "the name of a plug-in that computes the outputs, whose values here are those "
                  "of the start"),
    SCENE_KEY(
        "sensors", assignments, scene_control_entry, def.sensors,
        .help = "names for what is measured: expressions in t, q1 ..., v1 ... (x1 ...), or numbers "
                "of bodies and joints"),
    SCENE_KEY("memory", assignments, scene_control_entry, def.memory,
              .help = "names for numbers that the controller keeps, with their start"),
    SCENE_KEY("outputs", assignments, scene_control_entry, def.outputs,
              .help =
                  "names for what it puts out, held until the next sample; forces, motors, b and "
                  "e use them"),
    SCENE_KEY("next", assignments, scene_control_entry, def.next,
              .help = "the memory after the sample, all from the values before it"),
};

const scene_table_of scene_control_table = {
    .name = "control",
    .help = "A controller of the scene's system or bodies, sampled at a period; see "
            "[systems.md](systems.md).",
    .field = control_fields,
    .count = SCENE_COUNT(control_fields),
    .size = sizeof(scene_control_entry),
};
