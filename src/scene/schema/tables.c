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

#define LIMIT_ANY 0
#define LIMIT_ABOVE_ZERO SCENE_ABOVE_ZERO
#define LIMIT_NOT_BELOW_ZERO SCENE_NOT_BELOW_ZERO
#define LIMIT_RANGE BASE_RANGE

// What a setting that chooses among words has besides.
#define WORDS_REAL(member)
#define WORDS_INT(member)
#define WORDS_BOOL(member)
#define WORDS_TEXT(member)
#define WORDS_NAME(member) WORDS_OF_##member
#define WORDS_CHOICE(member) WORDS_OF_##member
#define WORDS_OF_scheme .name_at = any_scheme_name, .choice = schemes_later,
#define WORDS_OF_friction .choice = friction_laws,
#define WORDS_OF_joint_drift .choice = scene_drifts,
#define WORDS_OF_solver .name_at = solver_name_at, .choice = solvers_later,
#define WORDS_OF_local .name_at = local_name_at, .choice = locals_later,
#define WORDS_OF_on_stall .choice = stall_policies,
#define WORDS_OF_fallback .name_at = solver_name_at, .choice = solvers_later,

#define KIND_REAL &scene_kind_real
#define KIND_INT &scene_kind_int
#define KIND_BOOL &scene_kind_bool
#define KIND_TEXT &scene_kind_text
#define KIND_NAME &scene_kind_name
#define KIND_CHOICE &scene_kind_choice

#define SETTING_FIELD(of_kind, group, name, member, initial, limit, lowest, highest, of_unit,      \
                      words)                                                                       \
    {.key = (name),                                                                                \
     .kind = KIND_##of_kind,                                                                       \
     .offset = offsetof(scene_document, settings.member),                                          \
     .flags = LIMIT_##limit,                                                                       \
     .min = (lowest),                                                                              \
     .max = (highest),                                                                             \
     WORDS_##of_kind(member).unit = (of_unit),                                                     \
     .help = (words)},

// ---- time ----

static const scene_field time_fields[] = {MODEL_SETTINGS_TIME(SETTING_FIELD)};

static const scene_table_of time_table = {
    .name = "time",
    .help = "Time step, end and recording.",
    .field = time_fields,
    .count = SCENE_COUNT(time_fields),
};

// ---- integrator ----

// Names of the contract; those that have a row in the table of schemes are found there first.
static const scene_choice schemes_later[] = {
    {.text = "event-driven"},
    {.text = "generalized-alpha"},
    {.text = "newmark"},
    {.text = "hht"},
    {0},
};

static const scene_choice scene_drifts[] = {
    {.text = "iterate", .value = CN_DRIFT_ITERATE},
    {.text = "linearised", .value = CN_DRIFT_LINEARISED},
    {.text = "ggl", .value = CN_DRIFT_GGL},
    {.text = "projection", .value = CN_DRIFT_PROJECTION},
    {.text = "baumgarte", .value = CN_DRIFT_BAUMGARTE},
    {.text = "none", .value = CN_DRIFT_NONE},
    {0},
};

static const scene_choice friction_laws[] = {
    {.text = "coulomb", .value = CN_FRICTION_COULOMB},
    {.text = "convex", .value = CN_FRICTION_CONVEX},
    {0},
};

_Static_assert(sizeof(cn_drift) == sizeof(int32_t), "choices are written as int32_t");
_Static_assert(sizeof(cn_friction_law) == sizeof(int32_t), "choices are written as int32_t");

// The rows of both tables, those of rigid bodies first.
static const char *any_scheme_name(int32_t index) {
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

static const scene_field integrator_fields[] = {MODEL_SETTINGS_INTEGRATOR(SETTING_FIELD)};

static const scene_table_of integrator_table = {
    .name = "integrator",
    .help = "How time is stepped.",
    .field = integrator_fields,
    .count = SCENE_COUNT(integrator_fields),
};

// ---- solver ----

static const char *solver_name_at(int32_t index) {
    return index < cn_friction_solver_count() ? cn_friction_solver_at(index)->info.name : NULL;
}

static const char *local_name_at(int32_t index) {
    return index < cn_local_solver_count() ? cn_local_solver_name(cn_local_solver_at(index)) : NULL;
}

// Names of the contract; those that have a row in the solvers' own tables are found there first.
static const scene_choice solvers_later[] = {
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

static const scene_choice locals_later[] = {
    {.text = "newton"}, {.text = "exact"}, {.text = "projection"},
    {.text = "lemke"},  {.text = "qp"},    {0},
};

static const scene_choice stall_policies[] = {
    {.text = "retry", .value = CN_STALL_RETRY},
    {.text = "halve", .value = CN_STALL_HALVE},
    {.text = "continue", .value = CN_STALL_CONTINUE},
    {.text = "stop", .value = CN_STALL_STOP},
    {0},
};

_Static_assert(sizeof(cn_stall_policy) == sizeof(int32_t), "choices are written as int32_t");

static const scene_field solver_fields[] = {MODEL_SETTINGS_SOLVER(SETTING_FIELD)};

static const scene_table_of solver_table = {
    .name = "solver",
    .help = "How the one-step problem is solved, and what happens when it is not.",
    .field = solver_fields,
    .count = SCENE_COUNT(solver_fields),
};

// ---- detection ----

static const scene_field detection_fields[] = {MODEL_SETTINGS_DETECTION(SETTING_FIELD)};

static const scene_table_of detection_table = {
    .name = "detection",
    .help = "How contacts are found.",
    .field = detection_fields,
    .count = SCENE_COUNT(detection_fields),
};

// ---- sleeping ----

static const scene_field sleeping_fields[] = {MODEL_SETTINGS_SLEEPING(SETTING_FIELD)};

static const scene_table_of sleeping_table = {
    .name = "sleeping",
    .help = "Bodies at rest that keep their place and impulses, without being solved for, until "
            "something changes that acts on them.",
    .field = sleeping_fields,
    .count = SCENE_COUNT(sleeping_fields),
};

// ---- the whole ----

static const scene_field scene_fields[] = {
    SCENE_KEY("cairn", int, scene_document, version, .flags = SCENE_REQUIRED | BASE_RANGE,
              .min = SCENE_VERSION, .max = SCENE_VERSION,
              .help = "the version of the format: write \"cairn: 1\""),
    SCENE_KEY("name", text, scene_document, name, .help = "of the scene; by default the file's"),
    SCENE_KEY("dimension", int, scene_document, dim, .flags = BASE_RANGE, .min = 2, .max = 3,
              .help = "2 or 3"),
    SCENE_KEY("gravity", vector, scene_document, settings.gravity, .unit = "m/s2",
              .help = "acceleration of free bodies"),
    SCENE_KEY("time", table, scene_document, node, .table = &time_table,
              .help = "step, end, frames"),
    SCENE_KEY("integrator", table, scene_document, node, .table = &integrator_table,
              .help = "scheme and theta"),
    SCENE_KEY("solver", table, scene_document, node, .table = &solver_table,
              .help = "solver, tolerance, what happens when a step stalls"),
    SCENE_KEY("detection", table, scene_document, node, .table = &detection_table,
              .help = "alert distance, accepted overlap, penetration limit"),
    SCENE_KEY("sleeping", table, scene_document, node, .table = &sleeping_table,
              .help = "when bodies at rest are left alone; by default never"),
    SCENE_KEY("materials", dictionary, scene_document, materials, .table = &scene_material_table,
              .help = "materials by name"),
    SCENE_KEY("contacts", list, scene_document, contacts, .table = &scene_contact_table,
              .help = "laws between materials; for each key the last matching entry that gives it "
                      "wins"),
    SCENE_KEY("bodies", list, scene_document, bodies, .table = &scene_body_table,
              .help = "rigid bodies"),
    SCENE_KEY("generate", list, scene_document, generators, .table = &scene_generate_table,
              .help = "many bodies by a rule; they come after those of \"bodies\""),
    SCENE_KEY("forces", list, scene_document, forces, .table = &scene_force_table,
              .help = "forces and torques besides gravity"),
    SCENE_KEY("motions", list, scene_document, motions, .table = &scene_motion_table,
              .help = "bodies whose velocity is prescribed"),
    SCENE_KEY("joints", list, scene_document, joints, .table = &scene_joint_table,
              .help = "joints between two bodies; docs/reference/joints.md explains them"),
    SCENE_KEY("record", list, scene_document, records, .table = &scene_record_table,
              .help = "what is recorded every step beside the ledger"),
    SCENE_KEY("system", boxed, scene_document, system, .flags = SCENE_ONLY_2D,
              .table = &scene_system_table,
              .help = "a system in coordinates of its own, instead of bodies"),
    SCENE_KEY("first_order", boxed, scene_document, first_order, .flags = SCENE_ONLY_2D,
              .table = &scene_first_order_table,
              .help = "a linear complementarity system or relay, instead of bodies"),
    SCENE_KEY("inputs", assignments, scene_document, inputs,
              .help = "numbers set while the scene runs, with their start: input(name) in "
                      "expressions; without this key they start at 0"),
    SCENE_KEY("control", list, scene_document, control, .table = &scene_control_table,
              .help = "controllers of the system or the bodies, sampled at a period"),
    SCENE_KEY("plugins", names, scene_document, plugins,
              .help =
                  "shared libraries with systems or controllers, relative to this file; refused "
                  "unless allowed (--allow-plugins)"),
    SCENE_KEY("include", names, scene_document, include,
              .help =
                  "other scene files, relative to this one, read before it; regular files only"),
};

static void initial_scene(void *out, int32_t dim) {
    scene_document *scene = out;
    scene->version = SCENE_VERSION;
    scene->dim = dim;
    scene->settings = cn_settings_default(dim);
}

const scene_table_of scene_table = {
    .name = "scene",
    .help = "The keys of a scene file.",
    .field = scene_fields,
    .count = SCENE_COUNT(scene_fields),
    .size = sizeof(scene_document),
    .initial = initial_scene,
};
