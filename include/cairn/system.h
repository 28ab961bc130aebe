// cairn/system.h
// Small systems in coordinates of their own: mechanisms and robots that hit things (Lagrangian),
// circuits and relays (first order), with the integrators for them (docs/reference/systems.md).
//
//     cn_lagrangian sphere = cn_lagrangian_default(1);
//     sphere.mass = ...; sphere.force = ...; sphere.gap = ...; sphere.contact_rows = ...;
//     cn_system *system;
//     cn_system_create(NULL, &sphere, &system, NULL);
//     cn_system_opts opts = cn_system_opts_default();
//     opts.step = 1e-3;
//     cn_system_run *run;
//     cn_system_run_create(system, &opts, NULL, &run, NULL);
//     while (cn_system_run_time(run) < 1.0) { cn_system_run_step(run, &report, NULL); }
//
// Matrices are dense and by rows. Functions given are called with the user pointer beside them;
// what they write must be finite: a NaN ends the call with its place named.
#ifndef CAIRN_SYSTEM_H
#define CAIRN_SYSTEM_H

#include <cairn/outcome.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_system cn_system;

// Numbers of a contact: normal, tangential, and the second tangential of systems in space, else 0.
#define CN_CONTACT_PARTS 3

// What a system may want besides its equations: controllers that are sampled, numbers that belong
// to the state, and an end. All are called with the user pointer of the description and may be
// NULL.
typedef struct cn_system_hooks {
    // Before each step, which goes from t over h.
    void (*step_begin)(void *user, double t, double h, const double *q, const double *v);
    // After it: t is its end, impulse has CN_CONTACT_PARTS numbers per contact (first order:
    // lambda).
    void (*step_end)(void *user, double t, const double *q, const double *v, const double *impulse);
    double *memory; // numbers that a state keeps besides q and v; they live as long as the system
    int32_t memory_count;
    // For functions that change what user points to: called when a run is created. The pointer that
    // it returns, which belongs to that run alone, takes the place of user in all calls of the run,
    // and *memory the place of memory; both live until run_end has been called with it. NULL: no
    // memory. Without this function all runs of a system share user, one after the other.
    void *(*run_begin)(const void *user, const cn_env *env, double **memory);
    void (*run_end)(void *user);
    void (*end)(void *user); // once, when the system is destroyed
} cn_system_hooks;

// ---- Lagrangian:  M(q) v' = F(t, q, v) + H' lambda + G' sigma,  q' = v ----

// Law of a contact: 0 <= u_N + e_N u_N,before  orthogonal to  p_N >= 0; Coulomb's friction on
// u_T + e_T u_T,before. restitution_tangent 1 is Fremond's law: friction opposes the mean of the
// sliding velocities before and after, and so never gives energy.
typedef struct cn_lagrangian_contact {
    const char *name; // for messages; may be NULL
    double friction, restitution, restitution_tangent;
} cn_lagrangian_contact;

typedef struct cn_lagrangian {
    const char *name;    // may be NULL
    int32_t n;           // coordinates
    const double *q, *v; // the start; NULL: zero
    void *user;
    void (*mass)(void *user, const double *q, double *M); // n x n
    void (*force)(void *user, double t, const double *q, const double *v, double *F);
    // dF/dq and dF/dv, n x n; NULL: by differences.
    void (*force_gradient)(void *user, double t, const double *q, const double *v, double *F_q,
                           double *F_v);
    // Of the forces that have one, for the energy report; NULL: zero.
    double (*potential)(void *user, double t, const double *q);

    int32_t contacts;
    const cn_lagrangian_contact *contact;
    void (*gap)(void *user, double t, const double *q, double *g);
    // u_N = normal v + normal_rate = dg/dt and u_T = tangent v + tangent_rate; rows of contacts x
    // n, with two tangents the second ones of all contacts behind the first ones. All are zero on
    // entry: what is not written stays so. tangent is not needed without friction.
    void (*contact_rows)(void *user, double t, const double *q, double *normal, double *tangent,
                         double *normal_rate, double *tangent_rate);
    // d(normal)/dt v + d(normal_rate)/dt along the motion, and of the tangents, for the integrators
    // that look at accelerations; NULL: by differences.
    void (*contact_drift)(void *user, double t, const double *q, const double *v, double *normal,
                          double *tangent);

    int32_t joints; // equations Theta(t, q) = 0
    void (*joint)(void *user, double t, const double *q, double *theta);
    // dTheta/dt = rows v + rate; zero on entry.
    void (*joint_rows)(void *user, double t, const double *q, double *rows, double *rate);
    cn_system_hooks hooks;
    int32_t tangents; // of a contact: 1, or 2 in space (not for event-driven with friction); 0: 1
} cn_lagrangian;

CN_API cn_lagrangian cn_lagrangian_default(int32_t n);

// Copies the description (not what user points to) and looks at it at the start: finite, M
// symmetric and positive definite, rows equal to the differences of gaps and joints, gradients to
// those of the force, joints satisfied. error names the entry and both values. error may be NULL.
CN_API cn_status cn_system_create(const cn_env *env, const cn_lagrangian *def, cn_system **out,
                                  cn_error *error);

// ---- first order:  x' = A x + B lambda + b(t),  y = C x + D lambda + e(t) ----

// Law of each row: lambda = lower and y >= 0, or lower <= lambda <= upper and y = 0, or lambda =
// upper and y <= 0. (0, infinity) is complementarity, as of diodes; (-1, 1) is a relay, lambda in
// -Sgn(y).
typedef struct cn_first_order {
    const char *name;            // may be NULL
    int32_t n, m;                // states, rows of the law
    const double *A, *B, *C, *D; // n x n, n x m, m x n, m x m; NULL: zero
    const double *x;             // the start; NULL: zero
    const double *lower, *upper; // m
    void *user;
    void (*source)(void *user, double t, double *b); // NULL: zero
    void (*offset)(void *user, double t, double *e); // NULL: zero
    cn_system_hooks hooks;
} cn_first_order;

CN_API cn_status cn_system_create_first_order(const cn_env *env, const cn_first_order *def,
                                              cn_system **out, cn_error *error);

CN_API void cn_system_destroy(cn_system *system); // NULL is allowed

CN_API int32_t cn_system_size(const cn_system *system);                     // n
CN_API int32_t cn_system_contacts(const cn_system *system);                 // contacts, or m
CN_API double cn_system_friction(const cn_system *system, int32_t contact); // 0 for first order
CN_API bool cn_system_is_first_order(const cn_system *system);
CN_API const char *cn_system_name(const cn_system *system);

// ---- running ----

// An impact, or a step's impulse of a contact, as it happens.
typedef struct cn_system_impact {
    double t; // time stepping: the end of the step
    int32_t contact;
    double impulse[CN_CONTACT_PARTS];         // normal, tangential [N s]
    double velocity_before[CN_CONTACT_PARTS]; // u
    double velocity[CN_CONTACT_PARTS];        // u afterwards
} cn_system_impact;

typedef struct cn_system_scheme {
    const char *name, *about;
    bool first_order; // for first-order systems, else for Lagrangian ones
} cn_system_scheme;

CN_API int32_t cn_system_scheme_count(void);
CN_API const cn_system_scheme *cn_system_scheme_at(int32_t index);
CN_API const cn_system_scheme *cn_system_scheme_find(const char *name); // NULL: no such

typedef struct cn_system_opts {
    const char *scheme;      // row of the table; NULL: moreau-jean, or euler-moreau for first order
    double step;             // [s] h; event-driven: between two reports
    double theta;            // [1/2, 1]
    double theta_multiplier; // first order: of lambda, [1/2, 1]; default 1
    double activation;       // a contact takes part where g + activation h u_N <= 0
    double newton_tolerance; // change of the velocities in a Newton iteration over their size
    int32_t newton_max;
    bool differences; // force gradients by differences where none are given; false: left out, which
                      // is cheaper and enough where the forces are soft
    double error;     // moreau-jean: local error that the step is adapted to, relative; 0: none
    double step_min;  // the shortest adapted step; 0: h/1024
    double projection; // moreau-jean: overlap [m] above which the coordinates are pushed out of
                       // the contacts of the step at its end; 0: never
    double spectral_radius; // generalized-alpha: at infinite frequency, [0, 1]
    double damping;         // hht: alpha in [0, 1/3]
    double newmark_beta, newmark_gamma;
    double accuracy;    // event-driven: local error of the smooth phases, relative
    int32_t accumulate; // event-driven: impacts within one step that count as an accumulation,
                        // which time stepping then crosses
    const char *solver; // friction solver; default lemke, which is exact in 2D
    double tolerance;   // of the one-step problems
    void (*impact)(void *user, const cn_system_impact *impact); // may be NULL
    void *impact_user;
} cn_system_opts;

CN_API cn_system_opts cn_system_opts_default(void);

// What a step did. Energies [J]; zero for first-order systems.
typedef struct cn_system_report {
    int64_t step;
    double t;
    int32_t contacts, sticking, sliding; // that took part
    int32_t iterations;                  // Newton's
    int32_t substeps;                    // adapted or between events
    int32_t impacts;                     // contacts with an impulse
    double residual;                     // of the one-step problem, by the checker, the worst
    cn_outcome outcome;
    double penetration_max, joint_error_max;
    double kinetic, potential;
    // Over the step. work is that of F and of the moving contacts and joints.
    double work, dissipated_friction, dissipated_impact;
    double dissipated_numerical; // by projection; negative where that lifts
    double balance_error;        // what the energy balance leaves
} cn_system_report;

typedef struct cn_system_run cn_system_run;

// The system outlives the run. error may be NULL.
CN_API cn_status cn_system_run_create(const cn_system *system, const cn_system_opts *opts,
                                      const cn_env *env, cn_system_run **out, cn_error *error);
CN_API void cn_system_run_destroy(cn_system_run *run);

// CN_ERR_NUMERIC: a function gave no number, or a system of equations has no solution; the state is
// then that of the last good step.
CN_API cn_status cn_system_run_step(cn_system_run *run, cn_system_report *report, cn_error *error);

CN_API double cn_system_run_time(const cn_system_run *run); // step index times h
CN_API int64_t cn_system_run_index(const cn_system_run *run);
// n numbers each, valid until the run is destroyed. First order: q is x, v its rate.
CN_API const double *cn_system_run_q(const cn_system_run *run);
CN_API const double *cn_system_run_v(const cn_system_run *run);
// m numbers of the last step: lambda and y; NULL for Lagrangian systems.
CN_API const double *cn_system_run_multiplier(const cn_system_run *run);
CN_API const double *cn_system_run_output(const cn_system_run *run);
// A contact in the last step (its last part, where the step was cut): whether it took part, and its
// gap before. false for first-order systems and for the event-driven scheme.
CN_API bool cn_system_run_contact(const cn_system_run *run, int32_t contact, double *gap,
                                  double shift[CN_CONTACT_PARTS], cn_system_impact *out);
// Impulse of a contact over the last step.
CN_API void cn_system_run_impulse(const cn_system_run *run, int32_t contact,
                                  double impulse[CN_CONTACT_PARTS]);
CN_API void cn_system_run_energy(const cn_system_run *run, double *kinetic, double *potential);

// Everything that later results depend on: count numbers. load takes what save gave.
CN_API int64_t cn_system_run_state_size(const cn_system_run *run);
CN_API void cn_system_run_save(const cn_system_run *run, double *state);
CN_API void cn_system_run_load(cn_system_run *run, const double *state);

#ifdef __cplusplus
}
#endif
#endif
