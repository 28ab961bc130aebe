// scene/schema/tables.c
// The scene file's own keys: version, dimension, gravity, and the settings of a run. The defaults
// are those of cn_settings_default.
#include "scene/scene.h"

#include <cairn/sim.h>
#include <cairn/solve.h>
#include <cairn/system.h>

#include <string.h>

// ---- time ----

static const cn_field cn_time_fields[] = {
    CN_KEY("step", real, cn_scene, settings.step, .flags = CN_ABOVE_ZERO, .unit = "s",
           .help = "the time step h"),
    CN_KEY("until", real, cn_scene, settings.until, .flags = CN_NOT_BELOW_ZERO, .unit = "s",
           .help = "when the run ends"),
    CN_KEY("frames_every", real, cn_scene, settings.frames_every, .flags = CN_NOT_BELOW_ZERO,
           .unit = "s", .help = "time between recorded frames; 0 records every step"),
    CN_KEY("checkpoint_every", real, cn_scene, settings.checkpoint_every, .flags = CN_ABOVE_ZERO,
           .unit = "s", .help = "simulated time between checkpoints"),
};

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

static const cn_field cn_integrator_fields[] = {
    CN_KEY("scheme", name, cn_scene, settings.scheme, .name_at = cn_any_scheme_name,
           .choice = cn_schemes_later, .help = "the time integrator"),
    CN_KEY("theta", real, cn_scene, settings.theta, .flags = CN_RANGE, .min = 0.5, .max = 1.0,
           .help = "1/2 conserves energy, 1 dissipates"),
    CN_KEY("activation", real, cn_scene, settings.activation, .flags = CN_RANGE, .min = 0.0,
           .max = 1.0, .help = "gamma: a signorini contact is active when gap + gamma h u_N <= 0"),
    CN_KEY("active_gap", real, cn_scene, settings.active_gap, .flags = CN_NOT_BELOW_ZERO,
           .unit = "m",
           .help = "stabilised: contacts with at most this gap take part; by default all "
                   "candidates"),
    CN_KEY("stabilise", bool, cn_scene, settings.stabilise,
           .help = "stabilised: false leaves out what takes violations back, for comparison"),
    CN_KEY("frame_change", bool, cn_scene, settings.frame_change,
           .help = "moreau-jean: the laws account for contact frames that turn during a step, so "
                   "that curved and turning bodies do not sink or drift"),
    CN_KEY("penetration_slop", real, cn_scene, settings.penetration_slop,
           .flags = CN_NOT_BELOW_ZERO,
           .help = "moreau-jean: share of half the thickness of the thinner body; deeper contacts "
                   "are pushed apart by moving positions, not by velocities; 0 is never"),
    CN_KEY("friction", choice, cn_scene, settings.friction, .choice = cn_friction_laws,
           .help = "coulomb is exact; convex is the optimisation variant of Hart and Anitescu, in "
                   "which what slides lifts off by h mu |u_T|"),
    CN_KEY("joints", choice, cn_scene, settings.joint_drift, .choice = cn_drifts,
           .help = "what keeps joints together: iterate holds them at the end of every step, ggl "
                   "their rates too; the others are for comparison"),
    CN_KEY("joint_tolerance", real, cn_scene, settings.joint_tolerance, .flags = CN_ABOVE_ZERO,
           .unit = "m, rad", .help = "joint error at which \"joints: iterate\" stops going round"),
    CN_KEY("baumgarte", real, cn_scene, settings.baumgarte, .flags = CN_RANGE, .min = 0.0,
           .max = 1.0, .help = "share of the error that \"joints: baumgarte\" takes back a step"),
    CN_KEY("error", real, cn_scene, settings.error, .flags = CN_NOT_BELOW_ZERO,
           .help =
               "moreau-jean: local error that the step is adapted to, of bodies in m, of systems "
               "over the size of the coordinates; 0 is none"),
    CN_KEY("step_least", real, cn_scene, settings.step_least, .flags = CN_NOT_BELOW_ZERO,
           .unit = "s", .help = "the shortest part of an adapted step; 0 is a 1024th of it"),
    CN_KEY(
        "projection", real, cn_scene, settings.projection, .flags = CN_NOT_BELOW_ZERO, .unit = "m",
        .help = "systems, moreau-jean: overlap above which positions are pushed out; 0 is never"),
    CN_KEY("accuracy", real, cn_scene, settings.accuracy, .flags = CN_ABOVE_ZERO,
           .help = "systems, event-driven: local error of the smooth phases"),
    CN_KEY("accumulate", int, cn_scene, settings.accumulate, .flags = CN_RANGE, .min = 2,
           .max = 1000000,
           .help = "systems, event-driven: impacts in one step that count as an accumulation"),
    CN_KEY("spectral_radius", real, cn_scene, settings.spectral_radius, .flags = CN_RANGE,
           .min = 0.0, .max = 1.0, .help = "systems, generalized-alpha: at infinite frequency"),
    CN_KEY("damping", real, cn_scene, settings.damping, .flags = CN_RANGE, .min = 0.0,
           .max = 1.0 / 3.0, .help = "systems, hht: alpha"),
    CN_KEY("newmark_beta", real, cn_scene, settings.newmark_beta, .flags = CN_RANGE, .min = 0.0,
           .max = 1.0, .help = "systems, newmark"),
    CN_KEY("newmark_gamma", real, cn_scene, settings.newmark_gamma, .flags = CN_RANGE, .min = 0.5,
           .max = 1.0, .help = "systems, newmark"),
    CN_KEY("theta_multiplier", real, cn_scene, settings.theta_multiplier, .flags = CN_RANGE,
           .min = 0.5, .max = 1.0, .help = "first-order systems: theta of the multiplier"),
};

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

static const cn_field cn_solver_fields[] = {
    CN_KEY("name", name, cn_scene, settings.solver, .name_at = cn_solver_name_at,
           .choice = cn_solvers_later, .help = "a friction solver; \"cairn solvers\" lists them"),
    CN_KEY("local", name, cn_scene, settings.local, .name_at = cn_local_name_at,
           .choice = cn_locals_later,
           .help =
               "the solver of one contact, where the solver uses one; by default its own choice"),
    CN_KEY("params", text, cn_scene, settings.params,
           .help = "parameters of the solver, as \"facets=4 outer=1\"; \"cairn solvers\" lists "
                   "them"),
    CN_KEY("tolerance", real, cn_scene, settings.tolerance, .flags = CN_ABOVE_ZERO,
           .help = "of the residual that every step is checked against; by default 1e-3; 1e-8 "
                   "for systems, the integrators of systems, and joints without contact laws; "
                   "docs/accuracy.md tells what it means"),
    CN_KEY("settle", int, cn_scene, settings.settle, .flags = CN_RANGE, .min = 0, .max = 10000,
           .help = "iterations past the tolerance in steps that begin near their solution, so that "
                   "bodies at rest do not creep; at tolerances of 1e-4 and above, where the solver "
                   "has such a parameter"),
    CN_KEY("max_iterations", int, cn_scene, settings.max_iterations, .flags = CN_NOT_BELOW_ZERO,
           .help = "in the solver's own unit; 0 leaves it to the solver"),
    CN_KEY(
        "time_limit", real, cn_scene, settings.time_limit, .flags = CN_NOT_BELOW_ZERO, .unit = "s",
        .help = "CPU time of a whole step, 0 is none: its solve ends in time with the best answer "
                "that it has; a limit makes a run irreproducible"),
    CN_KEY("effort", real, cn_scene, settings.effort, .flags = CN_NOT_BELOW_ZERO,
           .help = "most work of a whole step, counted in sweeps over its contacts, with "
                   "factorisations by their multiplications (other solvers: iterations), 0 is no "
                   "bound: the step then takes the best answer so far, with the outcome "
                   "\"effort\"; counted, not timed, so that runs stay reproducible"),
    CN_KEY("threads", int, cn_scene, settings.threads, .flags = CN_RANGE, .min = 0,
           .max = CN_THREADS_MAX,
           .help = "threads at work where neither --threads nor CAIRN_THREADS says it, 0 is one; "
                   "the bits never depend on it"),
    CN_KEY("on_stall", choice, cn_scene, settings.on_stall, .choice = cn_stall_policies,
           .help = "when a step misses its tolerance: retry with the fallback solver, halve the "
                   "step, continue with the best answer, stop the run"),
    CN_KEY("fallback", name, cn_scene, settings.fallback, .name_at = cn_solver_name_at,
           .choice = cn_solvers_later, .help = "the solver of \"on_stall: retry\""),
    CN_KEY("halvings", int, cn_scene, settings.halvings, .flags = CN_RANGE, .min = 0, .max = 20,
           .help = "how often \"on_stall: halve\" may halve one step"),
};

static const cn_table cn_solver_table = {
    .name = "solver",
    .help = "How the one-step problem is solved, and what happens when it is not.",
    .field = cn_solver_fields,
    .count = CN_COUNT(cn_solver_fields),
};

// ---- detection ----

static const cn_field cn_detection_fields[] = {
    CN_KEY("alert", real, cn_scene, settings.alert, .flags = CN_NOT_BELOW_ZERO, .unit = "m",
           .help = "distance below which pairs are candidates, besides what their speeds add; by "
                   "default from the shapes"),
    CN_KEY("overlap", real, cn_scene, settings.overlap_most, .flags = CN_NOT_BELOW_ZERO,
           .unit = "m",
           .help = "overlap at the start that is accepted; by default from the shapes"),
    CN_KEY("continuous", bool, cn_scene, settings.continuous,
           .help = "bodies that move through others within one step are found and stopped; false "
                   "lets fast ones with restitution pass, for comparison"),
    CN_KEY("penetration_limit", real, cn_scene, settings.penetration_limit, .flags = CN_ABOVE_ZERO,
           .help =
               "share of the smaller body's inradius that two bodies may penetrate for 10 steps "
               "in a row or at the end; beyond it the run ends with exit code 3"),
};

static const cn_table cn_detection_table = {
    .name = "detection",
    .help = "How contacts are found.",
    .field = cn_detection_fields,
    .count = CN_COUNT(cn_detection_fields),
};

// ---- sleeping ----

static const cn_field cn_sleeping_fields[] = {
    CN_KEY("speed", real, cn_scene, settings.sleep_speed, .flags = CN_NOT_BELOW_ZERO, .unit = "m/s",
           .help = "bodies slower than this, at their surface too, may fall asleep; 0 is none"),
    CN_KEY("after", real, cn_scene, settings.sleep_after, .flags = CN_NOT_BELOW_ZERO, .unit = "s",
           .help = "for which all bodies that press on one another must have been slow"),
};

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
