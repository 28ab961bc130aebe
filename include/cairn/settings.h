// cairn/settings.h
// The settings of a run: time step, integrator, solver, detection, sleeping. docs/reference/scene.md has each
// with its range and default.
#ifndef CAIRN_SETTINGS_H
#define CAIRN_SETTINGS_H

#include <cairn/source.h>

#ifdef __cplusplus
extern "C" {
#endif

// How joints are kept from drifting apart (docs/reference/joints.md).
typedef enum cn_drift {
    CN_DRIFT_ITERATE,    // the equations hold at the end of the step, to joint_tolerance
    CN_DRIFT_LINEARISED, // the same, linearised: one solve per step
    CN_DRIFT_GGL,        // iterate, and velocities projected onto the equations' rates: the default
    CN_DRIFT_PROJECTION, // rates only, then positions and velocities projected
    CN_DRIFT_BAUMGARTE,  // rates with a share of the error fed back
    CN_DRIFT_NONE,       // rates only
    CN_DRIFT_KINDS
} cn_drift;

CN_API const char *cn_drift_text(cn_drift drift); // "iterate", "linearised", ...

typedef enum cn_stall_policy {
    CN_STALL_RETRY,    // the fallback solver from the best iterate; then go on
    CN_STALL_HALVE,    // two half steps, recursively up to settings.halvings; then go on
    CN_STALL_CONTINUE, // go on with the best iterate
    CN_STALL_STOP,     // end the run
    CN_STALL_KINDS
} cn_stall_policy;

// "retry", "halve", "continue", "stop"
CN_API const char *cn_stall_policy_text(cn_stall_policy policy);

// What friction is: exact, or the convex problem of Hart and Anitescu (2003, eq. 2.10) and Tasora,
// in which what slides is lifted off with u_N = mu |u_T|.
typedef enum cn_friction_law {
    CN_FRICTION_COULOMB,
    CN_FRICTION_CONVEX,
    CN_FRICTION_LAWS
} cn_friction_law;

CN_API const char *cn_friction_law_text(cn_friction_law law); // "coulomb", "convex"

typedef struct cn_settings {
    double gravity[3];
    double step, until, frames_every; // [s]; frames_every 0: every step
    double checkpoint_every;          // [s] of simulated time
    const char *scheme;               // row of the table of time integrators (cairn/sim.h)
    double theta;                     // [1/2, 1]
    const char *solver;               // row of the friction table
    cn_source solver_source;          // where it was chosen
    const char *plugin;               // file of a solver of one's own, for its name; NULL: none
    const struct cn_friction_solver *own_solver; // instead of the row; NULL: none
    const char *local;                           // row of the local table; NULL: the default
    const char *params; // the solver's own, "facets=4 outer=1"; NULL: the defaults
    double tolerance;   // of the residual of a step; NaN: 1e-3, for systems, the schemes of systems
        // and joints without contact laws 1e-8; cn_model_finish puts the number here
    int32_t settle; // iterations past the tolerance in steps that begin near their solution, at
                    // tolerances of 1e-4 and above, of solvers with a parameter of that name
    int32_t max_iterations; // 0: the solver's own
    double time_limit;      // [s] of CPU per step; 0: none
    double wall_limit;      // [s] wall-clock time per step; 0: none
    double effort;          // sweeps per step, or iterations of solvers that have none; 0: no limit
    int32_t threads; // of a run whose cn_env names none, at most CN_THREADS_MAX; 0: one. The bits
                     // never depend on it
    cn_stall_policy on_stall;
    const char *fallback; // solver of CN_STALL_RETRY
    int32_t halvings;
    double alert; // [m] distance below which pairs are candidates, besides what velocities add;
                  // NaN: from the shapes
    double overlap_max;       // [m] starting overlap that is accepted; NaN: from the shapes
    double penetration_limit; // largest share of the smaller body's inradius that two bodies may
                              // penetrate for long (cairn run: exit 3); infinite: any
    double sleep_speed;       // [m/s] below which bodies may fall asleep; 0: none does
    double sleep_after;       // [s] that all bodies of an island must have been slow
    double activation;        // gamma of the signorini law
    double active_gap;        // [m] of the stabilised law and scheme; infinite: all candidates
    cn_friction_law friction;
    bool stabilise;    // scheme "stabilised": false leaves its shifts out
    bool frame_change; // laws act on u + delta/2: contacts on curved and turning bodies do not sink
    double penetration_slop; // of half the thickness of the thinner body: deeper contacts are
                             // pushed apart by moving poses; 0: none is
    bool continuous;         // fast bodies do not pass through one another
    cn_drift joint_drift;
    double joint_tolerance; // [m], [rad] of CN_DRIFT_ITERATE
    double baumgarte;       // share of the error that CN_DRIFT_BAUMGARTE takes back in a step
    double error; // moreau-jean: that the step is adapted to; 0: none. Bodies: [m] in the position
                  // of any point of a body in a part of a step; systems: relative
    double step_min; // [s] the shortest part of an adapted step; 0: a 1024th
    // Of models with a system; their meaning is that of cn_system_opts.
    double projection;
    double accuracy, spectral_radius, damping, newmark_beta, newmark_gamma, theta_multiplier;
    int32_t accumulate;
} cn_settings;

CN_API cn_settings cn_settings_default(int32_t dim);

#ifdef __cplusplus
}
#endif
#endif
