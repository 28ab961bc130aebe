// system/system.h
// What the files of this room share: a system, an instant of it, a run in progress, and the
// response of its velocities to impulses.
#ifndef CAIRN_SYSTEM_SYSTEM_H
#define CAIRN_SYSTEM_SYSTEM_H

#include <cairn/solve.h>
#include <cairn/system.h>

#include "base/arena.h"

struct cn_system {
    cn_env env;
    cn_arena *memory; // of all below
    const char *name;
    bool is_first_order;
    cn_lagrangian lagrangian; // the one that is_first_order names is filled
    cn_first_order first_order;
    cn_lagrangian_contact *law; // what lagrangian.contact points to
};

// A Lagrangian system at one instant: all its functions there.
typedef struct sys_instant {
    double t;
    double *q, *v; // where
    double *M, *F; // n x n, n
    double *gap;   // contacts
    double *rows;  // parts contacts x n: all normal ones, then all tangential ones
    double *rate;  // parts contacts, in the same order
    double *theta, *joint_rows, *joint_rate;
} sys_instant;

// The law of a contact, which may be changed between steps.
cn_lagrangian_contact *sys_system_law(cn_system *system, int32_t contact);
// The user pointer and hooks of either kind.
void *sys_system_user(const cn_system *system);
const cn_system_hooks *sys_system_hooks_of(const cn_system *system);

bool sys_instant_allocate(const cn_system *system, cn_arena *memory, sys_instant *out);
// Everything at (t, q, v), which are instant->t, q, v. CN_ERR_NUMERIC names what is not finite.
cn_status sys_instant_evaluate(const cn_system *system, sys_instant *instant, cn_error *error);
// F_q, F_v (n x n) at an evaluated instant, by the system's function or by differences. work: an
// instant to spoil.
cn_status sys_force_gradient(const cn_system *system, const sys_instant *at, sys_instant *work,
                             double *F_q, double *F_v, cn_error *error);
// The checks of cn_system_create.
cn_status sys_lagrangian_check(const cn_system *system, cn_error *error);
cn_status sys_first_order_check(const cn_system *system, cn_error *error);

// How many of the parts of a contact a system has: 2 in the plane, 3 in space.
static inline int32_t sys_contact_parts(const cn_system *system) {
    return system->lagrangian.tangents == 2 ? 3 : 2;
}
// u_i = row_i v + rate_i of contact c, i = 0 normal, 1 and 2 tangential.
double sys_instant_velocity(const cn_system *system, const sys_instant *at, int32_t c, int32_t i,
                            const double *v);
double sys_kinetic(const cn_system *system, const double *M, const double *v);
double sys_potential(const cn_system *system, double t, const double *q);

// ---- the response to impulses ----

// x = K^-1 b under the joints: K x = b + E' s with G x = d. K need not be symmetric.
typedef struct sys_response {
    int32_t n, joints;
    double *K; // n x n; its factors
    int32_t *pivot;
    const double *G;
    double *KG; // joints x n: row j is K^-1 E_j'
    double *S;  // joints x joints: G K^-1 E', its factors
    int32_t *S_pivot;
    double *s; // joint impulses of the last solve
} sys_response;

bool sys_response_allocate(int32_t n, int32_t joints, cn_arena *memory, sys_response *out);
// Factors response->K with the joint rows G and the directions E of their impulses, which may be
// the same. Joint rows that depend on one another are allowed.
cn_status sys_response_prepare(sys_response *response, const double *G, const double *E,
                               cn_error *error);
// x := the solution for b = x and d; d NULL: zero.
void sys_response_apply(sys_response *response, const double *d, double *x);

// ---- a run ----

typedef struct sys_system_scheme_row sys_system_scheme_row;

// Numbers of the contacts of one step, CN_CONTACT_PARTS a contact.
typedef struct sys_contact_set {
    bool *active;   // contacts
    double *shift;  // the law holds for u + shift
    double *p;      // impulses
    double *before; // u before, seen at the end, of the active ones
    double *u;      // u after, as the one-step problem has it
} sys_contact_set;

struct cn_system_run {
    const cn_system *system; // own, where the system gives each run a user pointer of its own
    cn_system own;
    cn_env env;
    cn_system_opts opts;
    const sys_system_scheme_row *scheme;
    const cn_friction_solver *friction;
    const cn_lcp_solver *lcp;
    const cn_mcp_solver *mixed;
    cn_arena *memory, *scratch;

    // The state.
    int64_t step;
    double *q, *v;
    double *a, *acceleration; // of the alpha schemes: auxiliary and true
    double *lambda, *y;       // first order, m
    double *memory_of_scheme; // SYS_SCHEME_MEMORY numbers that a scheme keeps from step to step

    // Results of the last step and workspace.
    double *impulse; // CN_CONTACT_PARTS a contact, over the step
    sys_contact_set set;
    sys_instant old, now, spare;
    sys_response response;
    double *F_q, *F_v, *residual, *change, *d; // n x n twice; n, n; joints
    double *direction;                         // joints x n: of the joints' impulses
    double *mode;              // event-driven, part of the state: sys_contact_mode of each contact
    struct sys_smooth *smooth; // event-driven: its workspace
    double *PB;                // first order: n x m, (1 - h theta A)^-1 B h theta_multiplier
    cn_mcp *mcp;               // its one-step problem; M stays the same
};

#define SYS_SCHEME_MEMORY 4

typedef cn_status sys_system_scheme_fn(cn_system_run *run, cn_system_report *report,
                                       cn_error *error);
struct sys_system_scheme_row {
    cn_system_scheme scheme;
    sys_system_scheme_fn *step;  // from run->step * h over one h: q, v and what else it keeps
    sys_system_scheme_fn *start; // before the first step; may be NULL. report is not given
};
const sys_system_scheme_row *sys_system_scheme_row_find(const char *name);

sys_system_scheme_fn sys_moreau_jean_step, sys_first_order_step, sys_first_order_start,
    sys_event_driven_step, sys_event_driven_start;
sys_system_scheme_fn sys_newmark_step, sys_hht_step, sys_generalized_alpha_step, sys_alpha_start;

// ---- one step ----

// Which contacts take part, and their shifts from the velocities before: g + activation h u_N <= 0
// at the old instant. The tangential velocity before counts where restitution_tangent is not 0.
void sys_contacts_activate(cn_system_run *run, const sys_instant *old, double h,
                           sys_contact_set *set);
// v: in, velocities without contact; out, with the impulses set->p of the active contacts, whose
// rows are those of at. report: residual, outcome.
cn_status sys_contacts_solve(cn_system_run *run, const sys_instant *at, sys_contact_set *set,
                             double *v, cn_system_report *report, cn_error *error);
// dq: in, a change of the coordinates; out, with the least that opens the gaps of the active
// contacts there, to first order, in the metric of the response.
cn_status sys_contacts_push_out(cn_system_run *run, const sys_instant *at,
                                const sys_contact_set *set, double *dq, cn_error *error);
// What an accepted step adds to the report and to run->impulse: counts, dissipation, penetration,
// impacts told. The contact velocities before are those of v_before seen at the instant now.
void sys_contacts_report(cn_system_run *run, double t, const sys_instant *old,
                         const sys_instant *now, const double *v_before, const sys_contact_set *set,
                         cn_system_report *report);

// The rates of change of u at constant v along the motion: drift[i] = dH_i/dt v + d rate_i/dt of
// the contacts (parts contacts, all normal ones first) or of the joints, by differences. work: an
// instant to spoil.
void sys_contact_drift(const cn_system *system, const sys_instant *at, sys_instant *work,
                       double *drift);
void sys_joint_drift(const cn_system *system, const sys_instant *at, sys_instant *work,
                     double *drift);
// a = M^-1 (F + G' s) with the joints satisfied at the level of accelerations, without contacts.
// The response is left prepared with M.
cn_status sys_smooth_acceleration(cn_system_run *run, const sys_instant *at, double *a,
                                  cn_error *error);

// ---- smooth phases of the event-driven scheme ----

// What a contact does during a smooth phase.
typedef enum sys_contact_mode {
    SYS_MODE_OPEN,
    SYS_MODE_CLOSED, // without friction
    SYS_MODE_STICK,
    SYS_MODE_SLIDE_UP,  // u_T > 0
    SYS_MODE_SLIDE_DOWN // u_T < 0
} sys_contact_mode;

// The motion with the contacts' modes held: they and the joints are equations at the level of
// accelerations.
typedef struct sys_smooth {
    sys_instant at;
    sys_response response; // joints and contacts
    double *G, *E, *d;     // its rows, directions and right sides
    double *drift;         // parts contacts
    double *lambda;        // contact forces, 2 per contact
    double *stage;         // rates of 7 stages, 2 n each
    double *y, *y_stage;   // 2 n: q, v
    double *y_end, *y_error;
    double *gap, *gap_rate; // of the contacts at the start of a step
    bool *bounced;          // contacts that had an impact in this step
    double *value, *rate;   // of what events are roots of, and of the gaps, at its end
} sys_smooth;
#define SYS_EVENT_KINDS 4

bool sys_smooth_allocate(cn_system_run *run);
// Accelerations a and contact forces smooth->lambda at (t, y); the instant smooth->at is evaluated.
cn_status sys_smooth_rates(cn_system_run *run, double t, const double *y, double *a,
                           cn_error *error);
// One step of Dormand and Prince's pair: y_end, y_error from y. The first stage must have been
// filled (sys_smooth_begin).
cn_status sys_smooth_begin(cn_system_run *run, double t, cn_error *error);
cn_status sys_smooth_try(cn_system_run *run, double t, double h, cn_error *error);
// The error of the last step over what is allowed.
double sys_smooth_error(const cn_system_run *run);
// Brings y back onto its joints and closed contacts, positions and velocities.
cn_status sys_smooth_project(cn_system_run *run, double t, cn_error *error);

// What rounding of the joints leaves open in a change of the coordinates; zero without joints.
double sys_joint_rounding(const cn_system *system, const double *q);

// One Moreau-Jean step of length h from (t, q, v), in place; the workspace is the run's.
cn_status sys_moreau_jean_advance(cn_system_run *run, double t, double h, double *q, double *v,
                                  cn_system_report *report, cn_error *error);

#endif
