// scene/schema/tables.c
// The scene file's own keys: version, dimension, gravity, and the settings of a run
// (model/settings_table.h).
#include "model/settings_table.h"
#include "scene/scene.h"

#include <cairn/sim.h>
#include <cairn/solve.h>
#include <cairn/system.h>

#include <string.h>

// ---- settings: their rows are in model/settings_table.h ----

#define CN_LIMIT_ANY 0
#define CN_LIMIT_ABOVE_ZERO CN_ABOVE_ZERO
#define CN_LIMIT_NOT_BELOW_ZERO CN_NOT_BELOW_ZERO
#define CN_LIMIT_RANGE CN_RANGE

// What a setting that chooses among words has besides.
#define CN_WORDS_REAL(member)
#define CN_WORDS_INT(member)
#define CN_WORDS_BOOL(member)
#define CN_WORDS_TEXT(member)
#define CN_WORDS_NAME(member) CN_WORDS_OF_##member
#define CN_WORDS_CHOICE(member) CN_WORDS_OF_##member
#define CN_WORDS_OF_scheme .name_at = cn_any_scheme_name, .choice = cn_schemes_later,
#define CN_WORDS_OF_friction .choice = cn_friction_laws,
#define CN_WORDS_OF_joint_drift .choice = cn_drifts,
#define CN_WORDS_OF_solver .name_at = cn_solver_name_at, .choice = cn_solvers_later,
#define CN_WORDS_OF_local .name_at = cn_local_name_at, .choice = cn_locals_later,
#define CN_WORDS_OF_on_stall .choice = cn_stall_policies,
#define CN_WORDS_OF_fallback .name_at = cn_solver_name_at, .choice = cn_solvers_later,

#define CN_KIND_REAL &cn_kind_real
#define CN_KIND_INT &cn_kind_int
#define CN_KIND_BOOL &cn_kind_bool
#define CN_KIND_TEXT &cn_kind_text
#define CN_KIND_NAME &cn_kind_name
#define CN_KIND_CHOICE &cn_kind_choice

#define CN_SETTING_FIELD(of_kind, group, name, member, initial, limit, least, most, of_unit,       \
                         words)                                                                    \
    {.key = (name),                                                                                \
     .kind = CN_KIND_##of_kind,                                                                    \
     .offset = offsetof(cn_scene, settings.member),                                                \
     .flags = CN_LIMIT_##limit,                                                                    \
     .min = (least),                                                                               \
     .max = (most),                                                                                \
     CN_WORDS_##of_kind(member).unit = (of_unit),                                                  \
     .help = (words)},

// ---- time ----

static const cn_field cn_time_fields[] = {CN_SETTINGS_TIME(CN_SETTING_FIELD)};

static const cn_table cn_time_table = {
    .name = "time",
    .help = "Time step, end and recording.",
    .field = cn_time_fields,
    .count = CN_COUNT(cn_time_fields),
};

// ---- integrator ----

// Names of the contract; those that have a row in the table of schemes are found there first.
static const cn_choice cn_schemes_later[] = {
    {.text = "event-driven"},
    {.text = "generalized-alpha"},
    {.text = "newmark"},
    {.text = "hht"},
    {0},
};

static const cn_choice cn_drifts[] = {
    {.text = "iterate", .value = CN_DRIFT_ITERATE},
    {.text = "linearised", .value = CN_DRIFT_LINEARISED},
    {.text = "ggl", .value = CN_DRIFT_GGL},
    {.text = "projection", .value = CN_DRIFT_PROJECTION},
    {.text = "baumgarte", .value = CN_DRIFT_BAUMGARTE},
    {.text = "none", .value = CN_DRIFT_NONE},
    {0},
};

static const cn_choice cn_friction_laws[] = {
    {.text = "coulomb", .value = CN_FRICTION_COULOMB},
    {.text = "convex", .value = CN_FRICTION_CONVEX},
    {0},
};

_Static_assert(sizeof(cn_drift) == sizeof(int32_t), "choices are written as int32_t");
_Static_assert(sizeof(cn_friction_law) == sizeof(int32_t), "choices are written as int32_t");

// The rows of both tables, those of rigid bodies first.
static const char *cn_any_scheme_name(int32_t index) {
    int32_t rigid = 0;
    while (cn_scheme_name(rigid)) {
        rigid++;
    }
    if (index < rigid) {
        return cn_scheme_name(index);
    }
    for (int32_t i = 0, at = rigid; i < cn_system_scheme_count(); i++) {
        const char *name = cn_system_scheme_at(i)->name;
        bool known = false;
        for (int32_t k = 0; k < rigid; k++) {
            known = known || strcmp(cn_scheme_name(k), name) == 0;
        }
        if (!known && at++ == index) {
            return name;
        }
    }
    return NULL;
}

static const cn_field cn_integrator_fields[] = {CN_SETTINGS_INTEGRATOR(CN_SETTING_FIELD)};

static const cn_table cn_integrator_table = {
    .name = "integrator",
    .help = "How time is stepped.",
    .field = cn_integrator_fields,
    .count = CN_COUNT(cn_integrator_fields),
};

// ---- solver ----

static const char *cn_solver_name_at(int32_t index) {
    return index < cn_friction_solver_count() ? cn_friction_solver_at(index)->info.name : NULL;
}

static const char *cn_local_name_at(int32_t index) {
    return index < cn_local_solver_count() ? cn_local_solver_name(cn_local_solver_at(index)) : NULL;
}

// Names of the contract; those that have a row in the solvers' own tables are found there first.
static const cn_choice cn_solvers_later[] = {
    {.text = "psor"},
    {.text = "lemke"},
    {.text = "cpg"},
    {.text = "qp"},
    {.text = "mcp"},
    {.text = "newton-ac"},
    {.text = "newton-jm"},
    {.text = "newton-fb"},
    {.text = "fixed-point"},
    {.text = "uzawa"},
    {.text = "tresca"},
    {.text = "extra-gradient"},
    {.text = "cadoux"},
    {.text = "admm"},
    {.text = "apgd"},
    {.text = "bb"},
    {.text = "prox-newton"},
    {.text = "ipm"},
    {0},
};

static const cn_choice cn_locals_later[] = {
    {.text = "newton"}, {.text = "exact"}, {.text = "projection"},
    {.text = "lemke"},  {.text = "qp"},    {0},
};

static const cn_choice cn_stall_policies[] = {
    {.text = "retry", .value = CN_STALL_RETRY},
    {.text = "halve", .value = CN_STALL_HALVE},
    {.text = "continue", .value = CN_STALL_CONTINUE},
    {.text = "stop", .value = CN_STALL_STOP},
    {0},
};

_Static_assert(sizeof(cn_stall_policy) == sizeof(int32_t), "choices are written as int32_t");

static const cn_field cn_solver_fields[] = {CN_SETTINGS_SOLVER(CN_SETTING_FIELD)};

static const cn_table cn_solver_table = {
    .name = "solver",
    .help = "How the one-step problem is solved, and what happens when it is not.",
    .field = cn_solver_fields,
    .count = CN_COUNT(cn_solver_fields),
};

// ---- detection ----

static const cn_field cn_detection_fields[] = {CN_SETTINGS_DETECTION(CN_SETTING_FIELD)};

static const cn_table cn_detection_table = {
    .name = "detection",
    .help = "How contacts are found.",
    .field = cn_detection_fields,
    .count = CN_COUNT(cn_detection_fields),
};

// ---- sleeping ----

static const cn_field cn_sleeping_fields[] = {CN_SETTINGS_SLEEPING(CN_SETTING_FIELD)};

static const cn_table cn_sleeping_table = {
    .name = "sleeping",
    .help = "Bodies at rest that keep their place and impulses, without being solved for, until "
            "something changes that acts on them.",
    .field = cn_sleeping_fields,
    .count = CN_COUNT(cn_sleeping_fields),
};

// ---- the whole ----

static const cn_field cn_scene_fields[] = {
    CN_KEY("cairn", int, cn_scene, version, .flags = CN_REQUIRED | CN_RANGE,
           .min = CN_SCENE_VERSION, .max = CN_SCENE_VERSION,
           .help = "the version of the format: write \"cairn: 1\""),
    CN_KEY("name", text, cn_scene, name, .help = "of the scene; by default the file's"),
    CN_KEY("dimension", int, cn_scene, dim, .flags = CN_RANGE, .min = 2, .max = 3,
           .help = "2 or 3"),
    CN_KEY("gravity", vector, cn_scene, settings.gravity, .unit = "m/s2",
           .help = "acceleration of free bodies"),
    CN_KEY("time", table, cn_scene, node, .table = &cn_time_table, .help = "step, end, frames"),
    CN_KEY("integrator", table, cn_scene, node, .table = &cn_integrator_table,
           .help = "scheme and theta"),
    CN_KEY("solver", table, cn_scene, node, .table = &cn_solver_table,
           .help = "solver, tolerance, what happens when a step stalls"),
    CN_KEY("detection", table, cn_scene, node, .table = &cn_detection_table,
           .help = "alert distance, accepted overlap, penetration limit"),
    CN_KEY("sleeping", table, cn_scene, node, .table = &cn_sleeping_table,
           .help = "when bodies at rest are left alone; by default never"),
    CN_KEY("materials", dictionary, cn_scene, materials, .table = &cn_material_table,
           .help = "materials by name"),
    CN_KEY("contacts", list, cn_scene, contacts, .table = &cn_contact_table,
           .help = "laws between materials; for each key the last matching entry that gives it "
                   "wins"),
    CN_KEY("bodies", list, cn_scene, bodies, .table = &cn_body_table, .help = "rigid bodies"),
    CN_KEY("generate", list, cn_scene, generators, .table = &cn_generate_table,
           .help = "many bodies by a rule; they come after those of \"bodies\""),
    CN_KEY("forces", list, cn_scene, forces, .table = &cn_force_table,
           .help = "forces and torques besides gravity"),
    CN_KEY("motions", list, cn_scene, motions, .table = &cn_motion_table,
           .help = "bodies whose velocity is prescribed"),
    CN_KEY("joints", list, cn_scene, joints, .table = &cn_joint_table,
           .help = "joints between two bodies; docs/joints.md explains them"),
    CN_KEY("system", boxed, cn_scene, system, .flags = CN_ONLY_2D, .table = &cn_system_table,
           .help = "a system in coordinates of its own, in place of bodies"),
    CN_KEY("first_order", boxed, cn_scene, first_order, .flags = CN_ONLY_2D,
           .table = &cn_first_order_table,
           .help = "a linear complementarity system or relay, in place of bodies"),
    CN_KEY("control", list, cn_scene, control, .table = &cn_control_table,
           .help = "controllers of the system or the bodies, sampled at a period"),
    CN_KEY("plugins", names, cn_scene, plugins,
           .help = "shared libraries with systems or controllers, relative to this file; refused "
                   "unless allowed (--allow-plugins)"),
    CN_KEY("include", names, cn_scene, include,
           .help = "other scene files, relative to this one, read before it; regular files only"),
};

static void cn_scene_initial(void *out, int32_t dim) {
    cn_scene *scene = out;
    scene->version = CN_SCENE_VERSION;
    scene->dim = dim;
    scene->settings = cn_settings_default(dim);
}

const cn_table cn_scene_table = {
    .name = "scene",
    .help = "The keys of a scene file.",
    .field = cn_scene_fields,
    .count = CN_COUNT(cn_scene_fields),
    .size = sizeof(cn_scene),
    .initial = cn_scene_initial,
};
