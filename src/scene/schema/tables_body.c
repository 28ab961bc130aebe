// scene/schema/tables_body.c
// The keys of materials, contact laws, bodies, forces and motions.
#include "scene/scene.h"

#include "base/error.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

// ---- where something stands ----

static const scene_field rotation_fields[] = {
    SCENE_KEY("axis", vector, scene_rotation_entry, axis,
              .flags = SCENE_REQUIRED | SCENE_UNIT_LENGTH,
              .help = "the axis turned about; need not be a unit vector"),
    SCENE_KEY("angle", real, scene_rotation_entry, angle, .flags = SCENE_REQUIRED, .unit = "rad",
              .help = "how far"),
};

const scene_table_of scene_rotation_table = {
    .name = "rotation",
    .help = "A turn about an axis.",
    .field = rotation_fields,
    .count = SCENE_COUNT(rotation_fields),
    .size = sizeof(scene_rotation_entry),
};

void scene_place_initial(scene_place_of *place) {
    *place = (scene_place_of){.orientation = {1, 0, 0, 0}};
}

cn_status scene_place_check(scene_reader *reader, const io_yaml *node, scene_place_of *place) {
    if (!place->rotation.node) {
        return CN_OK;
    }
    if (io_yaml_get(node, "orientation")) {
        return scene_fail_node(reader, io_yaml_key(node, "rotation"), CN_ERR_INPUT,
                               "give orientation or rotation, not both");
    }
    double sine;
    double cosine;
    base_sincos(0.5 * place->rotation.angle, &sine, &cosine);
    place->orientation[0] = cosine;
    for (int i = 0; i < 3; i++) {
        place->orientation[1 + i] = sine * place->rotation.axis[i];
    }
    return CN_OK;
}

// ---- materials ----

static const scene_field damping_fields[] = {
    SCENE_KEY("mass", real, scene_material_entry, def.damping_mass, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "1/s", .help = "a in V = a M + b K"),
    SCENE_KEY("stiffness", real, scene_material_entry, def.damping_stiffness,
              .flags = SCENE_NOT_BELOW_ZERO, .unit = "s", .help = "b in V = a M + b K"),
};

static const scene_table_of damping_table = {
    .name = "material damping",
    .help = "Viscous damping of deformable bodies (Rayleigh).",
    .field = damping_fields,
    .count = SCENE_COUNT(damping_fields),
};

static const scene_choice material_laws[] = {
    {.text = "elastic"}, {.text = "j2", .value = 1, .later = true}, {0}};

static const scene_field material_fields[] = {
    SCENE_KEY("density", real, scene_material_entry, def.density,
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO, .unit = "kg/m3; 2D kg/m2",
              .help = "gives bodies without a mass of their own their mass"),
    SCENE_KEY("young", real, scene_material_entry, def.young, .flags = SCENE_ABOVE_ZERO,
              .unit = "Pa", .help = "Young's modulus, for deformable bodies"),
    SCENE_KEY("poisson", real, scene_material_entry, def.poisson,
              .help = "Poisson's ratio, for deformable bodies; above -1 and below 0.5"),
    SCENE_KEY("law", choice, scene_material_entry, law, .choice = material_laws,
              .help = "linear elastic, isotropic"),
    SCENE_KEY("damping", table, scene_material_entry, node, .table = &damping_table,
              .help = "viscous damping of deformable bodies"),
};

static cn_status material_check(scene_reader *reader, io_yaml *node, void *out) {
    const scene_material_entry *material = out;
    const io_yaml *poisson = io_yaml_get(node, "poisson");
    if (poisson && !(material->def.poisson > -1.0 && material->def.poisson < 0.5)) {
        scene_fail_node(reader, poisson, CN_ERR_INPUT,
                        "poisson must be above -1 and below 0.5, not %.40s", poisson->text);
        base_fail_hint(reader->error, "rubber and other materials that keep their volume: 0.49");
        return CN_ERR_INPUT;
    }
    if (!(material->def.young > 0.0) && (poisson || io_yaml_get(node, "damping"))) {
        return scene_fail_node(reader, poisson ? poisson : io_yaml_get(node, "damping"),
                               CN_ERR_INPUT, "a material that is elastic needs \"young\" [Pa]");
    }
    return CN_OK;
}

const scene_table_of scene_material_table = {
    .name = "material",
    .help = "What a body is made of; contact laws are between materials.",
    .field = material_fields,
    .count = SCENE_COUNT(material_fields),
    .size = sizeof(scene_material_entry),
    .check = material_check,
};

// ---- contact laws ----

static const scene_field friction_fields[] = {
    SCENE_KEY("static", real, scene_friction_entry, at_rest,
              .flags = SCENE_REQUIRED | SCENE_NOT_BELOW_ZERO,
              .help = "coefficient while sticking, and while sliding unless dynamic is given"),
    SCENE_KEY("dynamic", real, scene_friction_entry, sliding, .flags = SCENE_NOT_BELOW_ZERO,
              .help = "coefficient of a contact that slid in the step before"),
};

static void friction_initial(void *out, int32_t dim) {
    (void)dim;
    scene_friction_entry *friction = out;
    friction->at_rest = friction->sliding = NAN;
}

static cn_status friction_check(scene_reader *reader, io_yaml *node, void *out) {
    const scene_friction_entry *friction = out;
    if (friction->sliding > friction->at_rest) {
        return scene_fail_node(reader, io_yaml_get(node, "dynamic"), CN_ERR_INPUT,
                               "dynamic friction must not be above static friction");
    }
    return CN_OK;
}

static const scene_table_of friction_table = {
    .name = "friction",
    .help = "Coulomb's coefficient; one number stands for static alone.",
    .field = friction_fields,
    .count = SCENE_COUNT(friction_fields),
    .size = sizeof(scene_friction_entry),
    .initial = friction_initial,
    .check = friction_check,
    .brief = true,
};

static void both_initial(void *out, int32_t dim) {
    (void)dim;
    scene_both_entry *both = out;
    both->first = both->second = NAN;
}

static const scene_field stiffness_fields[] = {
    SCENE_KEY("normal", real, scene_both_entry, first, .flags = SCENE_ABOVE_ZERO, .unit = "Pa/m",
              .help = "pressure for a closing of 1 m; along the surface too unless tangential is "
                      "given"),
    SCENE_KEY("tangential", real, scene_both_entry, second, .flags = SCENE_ABOVE_ZERO,
              .unit = "Pa/m", .help = "shear stress for a slip of 1 m"),
};

static const scene_table_of stiffness_table = {
    .name = "layer stiffness",
    .help = "Of a layer of mortar or glue: Young's modulus over its thickness; one number stands "
            "for normal.",
    .field = stiffness_fields,
    .count = SCENE_COUNT(stiffness_fields),
    .size = sizeof(scene_both_entry),
    .initial = both_initial,
    .brief = true,
};

static const scene_field fracture_fields[] = {
    SCENE_KEY("tension", real, scene_both_entry, first, .flags = SCENE_ABOVE_ZERO, .unit = "J/m2",
              .help = "to open the bond; in shear too unless that is given"),
    SCENE_KEY("shear", real, scene_both_entry, second, .flags = SCENE_ABOVE_ZERO, .unit = "J/m2",
              .help = "to shear it off"),
};

static const scene_table_of fracture_table = {
    .name = "fracture energy",
    .help = "What breaking a bond takes; one number stands for tension.",
    .field = fracture_fields,
    .count = SCENE_COUNT(fracture_fields),
    .size = sizeof(scene_both_entry),
    .initial = both_initial,
    .brief = true,
};

static const scene_choice softenings[] = {
    {.text = "bilinear", .value = CN_SOFTENING_LINEAR},
    {.text = "exponential", .value = CN_SOFTENING_EXPONENTIAL},
    {0},
};

static const scene_choice laws[] = {
    {.text = "auto", .value = CN_LAW_AUTO},
    {.text = "signorini", .value = CN_LAW_SIGNORINI},
    {.text = "quasi-inelastic", .value = CN_LAW_QUASI_INELASTIC},
    {.text = "gap", .value = CN_LAW_GAP},
    {.text = "stabilised", .value = CN_LAW_STABILISED},
    {0},
};

static const scene_field contact_fields[] = {
    SCENE_KEY("between", names, scene_contact_entry, between, .flags = SCENE_REQUIRED, .count = 2,
              .help = "two materials; \"*\" is any"),
    SCENE_KEY("friction", table, scene_contact_entry, friction, .table = &friction_table,
              .help = "Coulomb's coefficient, or static and dynamic"),
    SCENE_KEY("restitution", real, scene_contact_entry, restitution, .flags = BASE_RANGE, .min = 0,
              .max = 1, .help = "normal velocity after over before an impact"),
    SCENE_KEY("restitution_tangent", real, scene_contact_entry, restitution_tangent,
              .flags = BASE_RANGE, .min = -1, .max = 1,
              .help = "the same for the tangential velocity"),
    SCENE_KEY("correction", real, scene_contact_entry, correction, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "m",
              .help = "most overlap that one step may take back; for the laws gap and "
                      "quasi-inelastic"),
    SCENE_KEY("law", choice, scene_contact_entry, law, .choice = laws,
              .help = "auto is quasi-inelastic when restitution is 0, else signorini"),
    SCENE_KEY("cohesion", real, scene_contact_entry, cohesion, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "Pa",
              .help = "bodies that touch at the start are bonded; shear strength without pressure, "
                      "which adds friction * pressure"),
    SCENE_KEY("tension", real, scene_contact_entry, tension, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "Pa", .help = "tensile strength of the bond, at most cohesion / friction"),
    SCENE_KEY("stiffness", table, scene_contact_entry, stiffness, .table = &stiffness_table,
              .help = "of the layer between bonded bodies; without it the bond is rigid"),
    SCENE_KEY("fracture_energy", table, scene_contact_entry, fracture_energy,
              .table = &fracture_table,
              .help = "the bond softens until this is spent; without it it breaks at once"),
    SCENE_KEY("softening", choice, scene_contact_entry, softening, .choice = softenings,
              .help = "how it softens; bilinear unless given"),
    SCENE_KEY("viscosity", real, scene_contact_entry, viscosity, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "Pa s/m", .help = "of the layer, beside its stiffness"),
    SCENE_KEY("bond_area", real, scene_contact_entry, bond_area, .flags = SCENE_ABOVE_ZERO,
              .unit = "m2",
              .help = "of a bond (2D: m); else the common face, of round bodies pi R^2 (2D: 2 R), "
                      "1/R = 1/R1 + 1/R2"),
    SCENE_KEY("bond_gap", real, scene_contact_entry, bond_gap, .flags = SCENE_NOT_BELOW_ZERO,
              .unit = "m",
              .help = "bodies this near at the start are bonded; else 1e-3 of the smaller one's "
                      "radius"),
};

static void contact_initial(void *out, int32_t dim) {
    scene_contact_entry *contact = out;
    cn_contact_def none = cn_contact_def_default();
    contact->restitution = none.restitution;
    contact->restitution_tangent = none.restitution_tangent;
    contact->correction = none.correction;
    contact->law = (int32_t)none.law;
    contact->cohesion = contact->tension = contact->viscosity = NAN;
    contact->bond_area = contact->bond_gap = NAN;
    contact->softening = CN_SOFTENING_KINDS;
    both_initial(&contact->stiffness, dim);
    both_initial(&contact->fracture_energy, dim);
    friction_initial(&contact->friction, dim);
}

const scene_table_of scene_contact_table = {
    .name = "contact",
    .help = "The law between two materials.",
    .field = contact_fields,
    .count = SCENE_COUNT(contact_fields),
    .size = sizeof(scene_contact_entry),
    .initial = contact_initial,
};

// ---- bodies ----

static const scene_choice scene_dofs[] = {
    {.text = "tx", .value = CN_LOCK_TX},
    {.text = "ty", .value = CN_LOCK_TY},
    {.text = "tz", .value = CN_LOCK_TZ},
    {.text = "rx", .value = CN_LOCK_RX},
    {.text = "ry", .value = CN_LOCK_RY},
    {.text = "rz", .value = CN_LOCK_RZ},
    {0},
};

static const scene_choice scene_axes[] = {{.text = "world"}, {.text = "body", .value = 1}, {0}};

static const scene_field lock_fields[] = {
    SCENE_KEY("dofs", choices, scene_lock_entry, dofs, .flags = SCENE_REQUIRED,
              .choice = scene_dofs,
              .help = "translations and rotations that are held: tx ty tz rx ry rz; 2D: tx ty rz"),
    SCENE_KEY("axes", choice, scene_lock_entry, axes, .choice = scene_axes,
              .help = "whose axes x y z are"),
};

static cn_status lock_check(scene_reader *reader, io_yaml *node, void *out) {
    const scene_lock_entry *lock = out;
    if (reader->dim == 2 && (lock->dofs & (CN_LOCK_TZ | CN_LOCK_RX | CN_LOCK_RY))) {
        scene_fail_node(reader, node, CN_ERR_INPUT, "a 2D body has no tz, rx and ry");
        base_fail_hint(reader->error, "its degrees of freedom are tx, ty and rz");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

const scene_table_of scene_lock_table = {
    .name = "lock",
    .help = "Degrees of freedom that are held. A list stands for dofs alone.",
    .field = lock_fields,
    .count = SCENE_COUNT(lock_fields),
    .size = sizeof(scene_lock_entry),
    .check = lock_check,
    .brief = true,
};

static const scene_field body_fields[] = {
    SCENE_KEY("name", text, scene_body_entry, name,
              .help = "for forces, motions, --set and messages"),
    SCENE_KEY("material", text, scene_body_entry, material, .flags = SCENE_REQUIRED,
              .help = "one of the scene's materials"),
    SCENE_KEY("shape", one_or_list, scene_body_entry, shapes, .table = &scene_shape_table,
              .help =
                  "one shape or a list of them; a body that is fixed, or has its mass and inertia "
                  "given, can do without and touches nothing"),
    SCENE_KEY("deformable", boxed, scene_body_entry, deformable, .table = &scene_deformable_table,
              .help = "instead of a shape: a mesh of finite elements"),
    SCENE_KEY("fixed", bool, scene_body_entry, def.fixed,
              .help = "it never moves, unless a motion moves it"),
    SCENE_PLACE_FIELDS(scene_body_entry),
    SCENE_KEY("velocity", vector, scene_body_entry, def.velocity, .unit = "m/s",
              .help = "of the centre of mass, at the start"),
    SCENE_KEY("angular_velocity", spin, scene_body_entry, def.angular_velocity, .unit = "rad/s",
              .help = "at the start, world axes"),
    SCENE_KEY("lock", table, scene_body_entry, lock, .table = &scene_lock_table,
              .help = "degrees of freedom that are held"),
    SCENE_KEY("mass", real, scene_body_entry, def.mass, .flags = SCENE_ABOVE_ZERO,
              .unit = "kg; 2D kg/m", .help = "by default density times volume"),
    SCENE_KEY("inertia", inertia, scene_body_entry, def.inertia, .flags = SCENE_ABOVE_ZERO,
              .unit = "kg m2",
              .help =
                  "about the centre of mass, body axes: principal moments or 3 rows; by default "
                  "from the shape, scaled to the mass"),
    SCENE_KEY("center_of_mass", vector, scene_body_entry, def.com, .unit = "m",
              .help = "in the body's own frame; by default from the shape"),
};

static void body_initial(void *out, int32_t dim) {
    (void)dim;
    scene_body_entry *body = out;
    body->def = cn_body_def_default();
    scene_place_initial(&body->place);
}

static cn_status body_check(scene_reader *reader, io_yaml *node, void *out) {
    scene_body_entry *body = out;
    if (body->deformable && body->shapes.node) {
        return scene_fail_node(reader, io_yaml_key(node, "shape"), CN_ERR_INPUT,
                               "give shape or deformable, not both");
    }
    if (!body->shapes.node && !body->def.fixed && isnan(body->def.mass) && !body->deformable) {
        scene_fail_node(reader, node, CN_ERR_INPUT, "body needs \"shape\"");
        base_fail_hint(reader->error, "one shape or a list of them");
        return CN_ERR_INPUT;
    }
    if (reader->dim == 2 && io_yaml_get(node, "center_of_mass")) {
        body->def.com[2] = 0.0;
    }
    return scene_place_check(reader, node, &body->place);
}

const scene_table_of scene_body_table = {
    .name = "body",
    .help =
        "A body, rigid or deformable. Its position and orientation place its own frame, in which "
        "its shapes or its mesh are written.",
    .field = body_fields,
    .count = SCENE_COUNT(body_fields),
    .size = sizeof(scene_body_entry),
    .initial = body_initial,
    .check = body_check,
};

// ---- forces and motions ----

static const scene_field force_fields[] = {
    SCENE_KEY("body", text, scene_force_entry, body, .flags = SCENE_REQUIRED,
              .help = "the name of the body it acts on"),
    SCENE_KEY("force", signals, scene_force_entry, def.force, .table = &scene_signal_table,
              .unit = "N", .help = "numbers, expressions in t or tables"),
    SCENE_KEY("torque", spin_signals, scene_force_entry, def.torque, .table = &scene_signal_table,
              .unit = "N m", .help = "likewise"),
    SCENE_KEY("point", vector, scene_force_entry, def.point, .unit = "m",
              .help =
                  "where the force acts, in the body's own frame; by default its centre of mass"),
    SCENE_KEY("axes", choice, scene_force_entry, axes, .choice = scene_axes,
              .help = "whose axes force and torque are written in"),
};

static void force_initial(void *out, int32_t dim) {
    (void)dim;
    scene_force_entry *force = out;
    force->def.point[0] = force->def.point[1] = force->def.point[2] = NAN;
}

static cn_status force_check(scene_reader *reader, io_yaml *node, void *out) {
    scene_force_entry *force = out;
    if (!io_yaml_get(node, "force") && !io_yaml_get(node, "torque")) {
        return scene_fail_node(reader, node, CN_ERR_INPUT, "force needs \"force\" or \"torque\"");
    }
    if (reader->dim == 2 && io_yaml_get(node, "point")) {
        force->def.point[2] = 0.0;
    }
    return CN_OK;
}

const scene_table_of scene_force_table = {
    .name = "force",
    .help = "A force or torque on a body.",
    .field = force_fields,
    .count = SCENE_COUNT(force_fields),
    .size = sizeof(scene_force_entry),
    .initial = force_initial,
    .check = force_check,
};

static const scene_field motion_fields[] = {
    SCENE_KEY("body", text, scene_motion_entry, body, .flags = SCENE_REQUIRED,
              .help = "the name of the body that is moved"),
    SCENE_KEY("velocity", signals, scene_motion_entry, linear[CN_MOTION_VELOCITY],
              .table = &scene_signal_table, .unit = "m/s",
              .help = "of the centre of mass: numbers, expressions in t or tables"),
    SCENE_KEY("displacement", signals, scene_motion_entry, linear[CN_MOTION_DISPLACEMENT],
              .table = &scene_signal_table, .unit = "m",
              .help = "instead of velocity, which is its rate: from where the body starts"),
    SCENE_KEY("acceleration", signals, scene_motion_entry, linear[CN_MOTION_ACCELERATION],
              .table = &scene_signal_table, .unit = "m/s2",
              .help = "instead of velocity, which is its integral, from rest"),
    SCENE_KEY("angular_velocity", spin_signals, scene_motion_entry, angular[CN_MOTION_VELOCITY],
              .table = &scene_signal_table, .unit = "rad/s", .help = "likewise, world axes"),
    SCENE_KEY("rotation", spin_signals, scene_motion_entry, angular[CN_MOTION_DISPLACEMENT],
              .table = &scene_signal_table, .unit = "rad",
              .help = "instead of angular_velocity: an angle in 2D, a rotation vector in 3D"),
    SCENE_KEY("angular_acceleration", spin_signals, scene_motion_entry,
              angular[CN_MOTION_ACCELERATION], .table = &scene_signal_table, .unit = "rad/s2",
              .help = "instead of angular_velocity, from rest"),
};

// The one key of three that is given, in the order of cn_motion_by; false: there are two.
static bool motion_choose(scene_reader *reader, const io_yaml *node, const char *const key[3],
                          cn_motion_by *by) {
    const io_yaml *first = NULL;
    for (int32_t i = 0; i < 3; i++) {
        const io_yaml *given = io_yaml_key(node, key[i]);
        if (given && first) {
            scene_fail_node(reader, given, CN_ERR_INPUT, "a motion has \"%s\" or \"%s\", not both",
                            first->text, given->text);
            return false;
        }
        *by = given ? (cn_motion_by)i : *by;
        first = given ? given : first;
    }
    return true;
}

static cn_status motion_check(scene_reader *reader, io_yaml *node, void *out) {
    static const char *const linear[] = {"velocity", "displacement", "acceleration"},
                             *const angular[] = {"angular_velocity", "rotation",
                                                 "angular_acceleration"};
    scene_motion_entry *motion = out;
    cn_motion_def *def = &motion->def;
    if (!motion_choose(reader, node, linear, &def->linear_by) ||
        !motion_choose(reader, node, angular, &def->angular_by)) {
        return CN_ERR_INPUT;
    }
    memcpy(def->linear, motion->linear[def->linear_by], sizeof def->linear);
    memcpy(def->angular, motion->angular[def->angular_by], sizeof def->angular);
    return CN_OK;
}

const scene_table_of scene_motion_table = {
    .name = "motion",
    .help = "A prescribed motion: the body moves so, whatever touches it.",
    .field = motion_fields,
    .count = SCENE_COUNT(motion_fields),
    .size = sizeof(scene_motion_entry),
    .check = motion_check,
};
