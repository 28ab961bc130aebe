// model/settings_table.h
// The settings of a run, a row each: the only list of their scene keys, defaults, limits and help.
// The defaults of C, the checks of cn_model_finish, and the keys of scene files with their
// documents come from it.
//
//     X(kind, group, key, member of cn_settings, default, limit, least, most, unit, help)
//
// kind: of the scene's value, REAL, INT, BOOL, TEXT, NAME or CHOICE. limit: ANY, or what a number
// must be. A number whose default is NaN may stay so: it is then chosen by cn_model_finish. `most` is
// infinite where infinity may be given. system: cn_system_opts_default().
//
// To add a setting: its member in cairn/settings.h and its row here.
#ifndef CAIRN_MODEL_SETTINGS_TABLE_H
#define CAIRN_MODEL_SETTINGS_TABLE_H

#include <float.h>
#include <math.h>

// clang-format off
#define MODEL_SETTINGS_TIME(X) \
    X(REAL, "time", "step", step, 1e-3, ABOVE_ZERO, 0.0, DBL_MAX, "s", \
      "the time step h") \
    X(REAL, "time", "until", until, 10.0, NOT_BELOW_ZERO, 0.0, DBL_MAX, "s", \
      "when the run ends") \
    X(REAL, "time", "frames_every", frames_every, 0.02, NOT_BELOW_ZERO, 0.0, DBL_MAX, "s", \
      "time between recorded frames; 0 records every step") \
    X(REAL, "time", "checkpoint_every", checkpoint_every, 1.0, ABOVE_ZERO, 0.0, DBL_MAX, "s", \
      "simulated time between checkpoints")

#define MODEL_SETTINGS_INTEGRATOR(X) \
    X(NAME, "integrator", "scheme", scheme, "moreau-jean", ANY, 0.0, 0.0, NULL, \
      "the time integrator") \
    X(REAL, "integrator", "theta", theta, 0.5, RANGE, 0.5, 1.0, NULL, \
      "1/2 conserves energy, 1 dissipates") \
    X(REAL, "integrator", "activation", activation, 0.5, RANGE, 0.0, 1.0, NULL, \
      "gamma: a signorini contact is active when gap + gamma h u_N <= 0") \
    X(REAL, "integrator", "active_gap", active_gap, HUGE_VAL, NOT_BELOW_ZERO, 0.0, HUGE_VAL, "m", \
      "stabilised: contacts with at most this gap take part; by default all candidates") \
    X(BOOL, "integrator", "stabilise", stabilise, true, ANY, 0.0, 0.0, NULL, \
      "stabilised: false leaves out what takes violations back, for comparison") \
    X(BOOL, "integrator", "frame_change", frame_change, true, ANY, 0.0, 0.0, NULL, \
      "moreau-jean: the laws account for contact frames that turn during a step, so that " \
      "curved and turning bodies do not sink or drift") \
    X(REAL, "integrator", "penetration_slop", penetration_slop, 5e-4, NOT_BELOW_ZERO, 0.0, \
      HUGE_VAL, NULL, \
      "moreau-jean: share of half the thickness of the thinner body; deeper contacts are " \
      "pushed apart by moving positions, not by velocities; 0 is never") \
    X(CHOICE, "integrator", "friction", friction, CN_FRICTION_COULOMB, ANY, 0.0, 0.0, NULL, \
      "coulomb is exact; convex is the optimisation variant of Hart and Anitescu, in which " \
      "what slides lifts off by h mu |u_T|") \
    X(CHOICE, "integrator", "joints", joint_drift, CN_DRIFT_GGL, ANY, 0.0, 0.0, NULL, \
      "what keeps joints together: iterate holds them at the end of every step, ggl their " \
      "rates too; the others are for comparison") \
    X(REAL, "integrator", "joint_tolerance", joint_tolerance, 1e-10, ABOVE_ZERO, 0.0, \
      DBL_MAX, "m, rad", \
      "joint error at which \"joints: iterate\" stops going round") \
    X(REAL, "integrator", "baumgarte", baumgarte, 0.2, RANGE, 0.0, 1.0, NULL, \
      "share of the error that \"joints: baumgarte\" takes back per step") \
    X(REAL, "integrator", "error", error, 0.0, NOT_BELOW_ZERO, 0.0, DBL_MAX, NULL, \
      "moreau-jean: local error that the step is adapted to, of bodies in m, of systems " \
      "over the size of the coordinates; 0 is none") \
    X(REAL, "integrator", "step_least", step_min, 0.0, NOT_BELOW_ZERO, 0.0, DBL_MAX, "s", \
      "the shortest part of an adapted step; 0 is a 1024th of it") \
    X(REAL, "integrator", "projection", projection, 0.0, NOT_BELOW_ZERO, 0.0, DBL_MAX, "m", \
      "systems, moreau-jean: overlap above which positions are pushed out; 0 is never") \
    X(REAL, "integrator", "accuracy", accuracy, system.accuracy, ABOVE_ZERO, 0.0, DBL_MAX, NULL, \
      "systems, event-driven: local error of the smooth phases") \
    X(INT, "integrator", "accumulate", accumulate, system.accumulate, RANGE, 2, 1000000, NULL, \
      "systems, event-driven: impacts in one step that count as an accumulation") \
    X(REAL, "integrator", "spectral_radius", spectral_radius, system.spectral_radius, \
      RANGE, 0.0, 1.0, NULL, \
      "systems, generalized-alpha: at infinite frequency") \
    X(REAL, "integrator", "damping", damping, system.damping, RANGE, 0.0, 1.0 / 3.0, NULL, \
      "systems, hht: alpha") \
    X(REAL, "integrator", "newmark_beta", newmark_beta, system.newmark_beta, RANGE, 0.0, \
      1.0, NULL, \
      "systems, newmark") \
    X(REAL, "integrator", "newmark_gamma", newmark_gamma, system.newmark_gamma, RANGE, 0.5, \
      1.0, NULL, \
      "systems, newmark") \
    X(REAL, "integrator", "theta_multiplier", theta_multiplier, system.theta_multiplier, \
      RANGE, 0.5, 1.0, NULL, \
      "first-order systems: theta of the multiplier")

#define MODEL_SETTINGS_SOLVER(X) \
    X(NAME, "solver", "name", solver, "auto", ANY, 0.0, 0.0, NULL, \
      "a friction solver; \"cairn solvers\" lists them") \
    X(NAME, "solver", "local", local, NULL, ANY, 0.0, 0.0, NULL, \
      "the solver of one contact, where the solver uses one; by default its own choice") \
    X(TEXT, "solver", "plugin", plugin, NULL, ANY, 0.0, 0.0, NULL, \
      "a shared library with a solver of your own, used instead of name; it runs code: " \
      "--allow-plugins") \
    X(TEXT, "solver", "params", params, NULL, ANY, 0.0, 0.0, NULL, \
      "parameters of the solver, as \"facets=4 outer=1\"; \"cairn solvers\" lists them") \
    X(REAL, "solver", "tolerance", tolerance, NAN, ABOVE_ZERO, 0.0, DBL_MAX, NULL, \
      "of the residual of every step; by default 1e-3, for systems and joints without " \
      "contact laws 1e-8; see docs/guide/accuracy.md") \
    X(INT, "solver", "settle", settle, 30, RANGE, 0, 10000, NULL, \
      "iterations past the tolerance in steps that begin near their solution, so that " \
      "bodies at rest do not creep; for tolerances of 1e-4 and above") \
    X(INT, "solver", "max_iterations", max_iterations, 0, NOT_BELOW_ZERO, 0.0, DBL_MAX, NULL, \
      "in the solver's own unit; 0 leaves it to the solver") \
    X(REAL, "solver", "time_limit", time_limit, 0.0, NOT_BELOW_ZERO, 0.0, DBL_MAX, "s", \
      "CPU time of a whole step, 0 is none; the solver stops with its best answer; a limit " \
      "makes a run irreproducible") \
    X(REAL, "solver", "wall_limit", wall_limit, 0.0, NOT_BELOW_ZERO, 0.0, DBL_MAX, "s", \
      "the same of wall-clock time; both may be given") \
    X(REAL, "solver", "effort", effort, 1e5, NOT_BELOW_ZERO, 0.0, DBL_MAX, NULL, \
      "max work of a step in sweeps over its contacts (other solvers: iterations), 0 " \
      "is none; the step then takes its best answer, outcome \"effort\"") \
    X(INT, "solver", "threads", threads, 0, RANGE, 0, CN_THREADS_MAX, NULL, \
      "threads at work where neither --threads nor CAIRN_THREADS says it, 0 is one; " \
      "results never depend on it") \
    X(CHOICE, "solver", "on_stall", on_stall, CN_STALL_CONTINUE, ANY, 0.0, 0.0, NULL, \
      "when a step misses its tolerance: retry with the fallback solver, halve the step, " \
      "continue with the best answer, stop the run") \
    X(NAME, "solver", "fallback", fallback, "prox-newton", ANY, 0.0, 0.0, NULL, \
      "the solver of \"on_stall: retry\"") \
    X(INT, "solver", "halvings", halvings, 3, RANGE, 0, 20, NULL, \
      "how often \"on_stall: halve\" may halve one step")

#define MODEL_SETTINGS_DETECTION(X) \
    X(REAL, "detection", "alert", alert, NAN, NOT_BELOW_ZERO, 0.0, DBL_MAX, "m", \
      "distance below which pairs are candidates, besides what their speeds add; by " \
      "default from the shapes") \
    X(REAL, "detection", "overlap", overlap_max, NAN, NOT_BELOW_ZERO, 0.0, HUGE_VAL, "m", \
      "overlap at the start that is accepted; by default from the shapes") \
    X(BOOL, "detection", "continuous", continuous, true, ANY, 0.0, 0.0, NULL, \
      "bodies that move through others within one step are found and stopped; false lets " \
      "fast ones with restitution pass, for comparison") \
    X(REAL, "detection", "penetration_limit", penetration_limit, 0.05, ABOVE_ZERO, 0.0, \
      HUGE_VAL, NULL, \
      "max penetration as a share of the smaller inradius, for 10 steps in a row or at the " \
      "end; beyond it exit code 3")

#define MODEL_SETTINGS_SLEEPING(X) \
    X(REAL, "sleeping", "speed", sleep_speed, 0.0, NOT_BELOW_ZERO, 0.0, DBL_MAX, "m/s", \
      "bodies slower than this, at their surface too, may fall asleep; 0 is none") \
    X(REAL, "sleeping", "after", sleep_after, 0.5, NOT_BELOW_ZERO, 0.0, DBL_MAX, "s", \
      "for which all bodies that press on one another must have been slow")

// clang-format on

#define MODEL_SETTINGS_ALL(X)                                                                      \
    MODEL_SETTINGS_TIME(X)                                                                         \
    MODEL_SETTINGS_INTEGRATOR(X)                                                                   \
    MODEL_SETTINGS_SOLVER(X)                                                                       \
    MODEL_SETTINGS_DETECTION(X)                                                                    \
    MODEL_SETTINGS_SLEEPING(X)

#endif
