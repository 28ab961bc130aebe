// scene/schema/tables_system.c
// The keys of systems in coordinates of their own, of first-order systems and of controllers.
#include "scene/scene.h"

// ---- contacts and joints of a system ----

static const cn_field cn_system_contact_fields[] = {
    CN_KEY("name", text, cn_system_contact_entry, name, .help = "for messages"),
    CN_KEY("gap", formula, cn_system_contact_entry, def.gap, .flags = CN_REQUIRED, .unit = "m",
           .help = "expression in q1 ... and t; open where it is positive"),
    CN_KEY("normal", formulas, cn_system_contact_entry, def.normal,
           .help = "derivatives of the gap, one a coordinate; by default differences"),
    CN_KEY("rate", formula, cn_system_contact_entry, def.rate, .unit = "m/s",
           .help = "derivative of the gap with respect to t; by default differences"),
    CN_KEY("tangent", formulas, cn_system_contact_entry, def.tangent,
           .help = "the row of the sliding velocity, one entry a coordinate"),
    CN_KEY("slide", formula, cn_system_contact_entry, def.slide, .unit = "m",
           .help = "in place of tangent: a length whose rate is the sliding velocity"),
    CN_KEY("friction", real, cn_system_contact_entry, def.law.friction, .flags = CN_NOT_BELOW_ZERO,
           .help = "Coulomb's coefficient"),
    CN_KEY("restitution", real, cn_system_contact_entry, def.law.restitution, .flags = CN_RANGE,
           .min = 0.0, .max = 1.0, .help = "Newton's coefficient"),
    CN_KEY("restitution_tangent", real, cn_system_contact_entry, def.law.restitution_tangent,
           .flags = CN_RANGE, .min = -1.0, .max = 1.0, .help = "1 is Fremond's law"),
};

static const cn_table cn_system_contact_table = {
    .name = "system_contact",
    .help = "A contact of a system.",
    .field = cn_system_contact_fields,
    .count = CN_COUNT(cn_system_contact_fields),
    .size = sizeof(cn_system_contact_entry),
};

static const cn_field cn_system_joint_fields[] = {
    CN_KEY("equation", formula, cn_system_joint_entry, def.equation, .flags = CN_REQUIRED,
           .help = "expression in q1 ... and t that stays zero"),
    CN_KEY("rows", formulas, cn_system_joint_entry, def.rows,
           .help = "its derivatives, one a coordinate; by default differences"),
};

static const cn_table cn_system_joint_table = {
    .name = "system_joint",
    .help = "A joint of a system.",
    .field = cn_system_joint_fields,
    .count = CN_COUNT(cn_system_joint_fields),
    .size = sizeof(cn_system_joint_entry),
};

// ---- systems ----

static const cn_field cn_system_fields[] = {
    CN_KEY("name", text, cn_system_entry, name, .help = "by default the scene's"),
    CN_KEY("plugin", text, cn_system_entry, plugin,
           .help = "the name of a plug-in that is the system; only parameters go with it"),
    CN_KEY("q", reals, cn_system_entry, q,
           .help = "the coordinates at the start; their number is that of the system"),
    CN_KEY("v", reals, cn_system_entry, v, .help = "the velocities at the start; by default zero"),
    CN_KEY("parameters", assignments, cn_system_entry, parameters,
           .help = "names for numbers, evaluated once, in order"),
    CN_KEY("define", assignments, cn_system_entry, definitions,
           .help = "names for expressions in t, q1 ..., v1 ..., for use in the others"),
    CN_KEY("mass", formula_rows, cn_system_entry, mass, .help = "the mass matrix M(q)"),
    CN_KEY("force", formulas, cn_system_entry, force,
           .help = "F(t, q, v), gyroscopic terms included"),
    CN_KEY("potential", formula, cn_system_entry, potential, .unit = "J",
           .help = "energy of the forces that have one, for the ledger"),
    CN_KEY("contacts", list, cn_system_entry, contacts, .table = &cn_system_contact_table,
           .help = "unilateral constraints"),
    CN_KEY("joints", list, cn_system_entry, joints, .table = &cn_system_joint_table,
           .help = "bilateral constraints"),
};

const cn_table cn_system_table = {
    .name = "system",
    .help = "A system in coordinates of its own, `M(q) v' = F(t, q, v)` with contacts and joints; "
            "see [systems.md](systems.md).",
    .field = cn_system_fields,
    .count = CN_COUNT(cn_system_fields),
    .size = sizeof(cn_system_entry),
};

// ---- first order ----

static const cn_choice cn_first_order_laws[] = {
    {.text = "complementarity", .value = 0}, {.text = "relay", .value = 1}, {0}};

static const cn_field cn_first_order_fields[] = {
    CN_KEY("name", text, cn_first_order_entry, name, .help = "by default the scene's"),
    CN_KEY("x", reals, cn_first_order_entry, x, .flags = CN_REQUIRED, .help = "the start"),
    CN_KEY("parameters", assignments, cn_first_order_entry, parameters,
           .help = "names for numbers, evaluated once, in order"),
    CN_KEY("define", assignments, cn_first_order_entry, definitions,
           .help = "names for expressions, for use in b and e"),
    CN_KEY("A", matrix, cn_first_order_entry, A, .help = "by default zero"),
    CN_KEY("B", matrix, cn_first_order_entry, B, .help = "its columns are those of the law"),
    CN_KEY("C", matrix, cn_first_order_entry, C, .help = "its rows are those of the law"),
    CN_KEY("D", matrix, cn_first_order_entry, D, .help = "by default zero"),
    CN_KEY("b", formulas, cn_first_order_entry, b, .help = "expressions in t; by default zero"),
    CN_KEY("e", formulas, cn_first_order_entry, e, .help = "expressions in t; by default zero"),
    CN_KEY("law", choice, cn_first_order_entry, law, .choice = cn_first_order_laws,
           .help = "0 <= y orthogonal to lambda >= 0, or lambda in -Sgn(y)"),
    CN_KEY("lower", reals, cn_first_order_entry, lower,
           .help = "bounds of lambda, in place of the law's"),
    CN_KEY("upper", reals, cn_first_order_entry, upper,
           .help = "bounds of lambda, in place of the law's"),
};

const cn_table cn_first_order_table = {
    .name = "first_order",
    .help = "A first-order system, `x' = A x + B lambda + b(t)`, `y = C x + D lambda + e(t)`; see "
            "[systems.md](systems.md).",
    .field = cn_first_order_fields,
    .count = CN_COUNT(cn_first_order_fields),
    .size = sizeof(cn_first_order_entry),
};

// ---- control ----

static const cn_field cn_control_fields[] = {
    CN_KEY("period", real, cn_control_entry, def.period, .flags = CN_NOT_BELOW_ZERO, .unit = "s",
           .help = "of sampling, a multiple of the step; 0 is every step"),
    CN_KEY("plugin", text, cn_control_entry, plugin,
           .help = "the name of a plug-in that computes the outputs, whose values here are those "
                   "of the start"),
    CN_KEY("sensors", assignments, cn_control_entry, def.sensors,
           .help =
               "names for what is measured: expressions in t, q1 ..., v1 ... (x1 ...), or numbers "
               "of bodies and joints"),
    CN_KEY("memory", assignments, cn_control_entry, def.memory,
           .help = "names for numbers that the controller keeps, with their start"),
    CN_KEY("outputs", assignments, cn_control_entry, def.outputs,
           .help = "names for what it puts out, held until the next sample; forces, motors, b and "
                   "e use them"),
    CN_KEY("next", assignments, cn_control_entry, def.next,
           .help = "the memory after the sample, all from the values before it"),
};

const cn_table cn_control_table = {
    .name = "control",
    .help = "A controller of the scene's system or bodies, sampled at a period; see "
            "[systems.md](systems.md).",
    .field = cn_control_fields,
    .count = CN_COUNT(cn_control_fields),
    .size = sizeof(cn_control_entry),
};
