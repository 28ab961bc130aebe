// assemble/assemble.h
// Contacts + state -> the one-step problem in body space; impulses -> velocities.
#ifndef CAIRN_ASSEMBLE_ASSEMBLE_H
#define CAIRN_ASSEMBLE_ASSEMBLE_H

#include <cairn/problem.h>

#include "detect/detect.h"

// What a step knows of the bodies at q~: poses, and inverse mass matrices in world axes with locks
// worked in (6x6 by rows; 2D 3x3). Fixed and driven bodies have none (zero).
typedef struct asm_inertia_map {
    const double *q;
    double *inverse;  // 36 or 9 each; NULL where only round bodies move
    double *inv_mass; // 1/m and 1/I of each then
} asm_inertia_map;

// q must outlive the map.
cn_status asm_inertia_prepare(const cn_model *model, const double *q, cn_arena *memory,
                              asm_inertia_map *out);
// The inverse mass matrix of a body; own: room for one.
const double *asm_inertia_at(const cn_model *model, const asm_inertia_map *inertia, int32_t body,
                             double own[36]);
// The body does not answer to impulses any more.
void asm_inertia_hold(const cn_model *model, asm_inertia_map *inertia, int32_t body);

// The problem of one step. All arrays in the arena given to asm_assemble, but for the normals
// and gaps of round bodies where every listed contact takes part, which are those of the list.
typedef struct asm_assembled {
    cn_friction problem; // body space; contacts that are active (their law's test), then joints
    int32_t contacts;    // blocks of contacts; those behind belong to the joints, in their order
    int32_t *contact;    // index into the contact list of each problem contact; NULL: the same
    // In contact axes, dim each: s, the law holds for u + s, folded into problem.q; u_i; delta, the
    // frame change (law.h). NULL for spheres where the model does not store motion:
    // asm_assembled_start recomputes them.
    double *shift, *velocity_before, *frame_change;
    uint8_t *past; // CN_PAST_... of each problem contact
    double *r;     // warm start in contact axes
    // Rows of joints: the gauge at the start of the step, and the change of the shift for a unit of
    // the gauge at the end (0: the row looks at rates alone).
    double *value, *correction;
    double *missed; // of springs: what the linear prediction of the gauge was found to miss
    struct asm_layer *layer; // assemble/bond.h, of each problem contact; NULL: there are no bonds
    const struct asm_deformed *deformed; // assemble/deformable.h; NULL: all bodies are rigid
} asm_assembled;

// The listed contact that problem contact a is.
static inline int32_t asm_assembled_listed(const asm_assembled *assembled, int64_t a) {
    return assembled->contact ? assembled->contact[a] : (int32_t)a;
}

// Whether the scheme has its own shift for contacts.
typedef enum asm_shift {
    ASM_SHIFT_LAW,  // as the pair's law says
    ASM_SHIFT_GAP,  // s_N = g/h where g <= active_gap
    ASM_SHIFT_NONE, // s_N = 0 there
    ASM_SHIFT_GIVEN // s_N = opts.given of each listed contact, all take part, without friction
} asm_shift;

// Contacts that take part before they touch: where their bodies will be hit, relative to the
// centres of mass, for the antagonist and the candidate. One point cannot stand for both while they
// are apart.
typedef struct asm_early_hits {
    int32_t *place; // of each listed contact, in arm; -1: it takes part as usual
    double *arm;    // 6 each
    int32_t count;
} asm_early_hits;

// What the laws depend on besides the state.
typedef struct asm_assemble_opts {
    double t, h, theta;
    base_evaluator *signals; // for the targets of motors; NULL where held_only
    asm_shift scheme;
    cn_drift drift;
    double baumgarte;
    bool held_only; // springs, motors, limits and friction of joints carry nothing
    double still;   // [m/s] frame changes up to it are none, so that scenes at rest stay at rest
    const struct asm_early_hits *early; // contacts that take part before they touch; NULL: none
    const double *given;                // s_N of ASM_SHIFT_GIVEN
    const struct asm_body *answers; // of the model's bodies, where some are deformable; else NULL
    const struct asm_bonds *bonds;  // assemble/bond.h; NULL: there are none
} asm_assemble_opts;

// v_old = v_i, v_free: velocities (world). Velocities of driven bodies enter v_old and v_free.
cn_status asm_assemble(const cn_model *model, const model_state *state,
                       const det_contact_list *contacts, const asm_inertia_map *inertia,
                       const double *v_old, const double *v_free, const asm_assemble_opts *opts,
                       cn_arena *memory, asm_assembled *out, cn_error *error);
// What the steps before a state say of a contact, CN_PAST_...; 0: it was not there.
uint8_t asm_state_past(const model_state *state, const model_contact_key *key);

// The start of a contact in a step, in contact axes: u_i, the frame change and the shift.
typedef struct asm_contact_start {
    double before[3], frame_change[3], shift[3];
} asm_contact_start;
// That of problem contact a, from what asm_assemble was given.
void asm_assembled_start(const cn_model *model, const det_contact_list *contacts,
                         const asm_inertia_map *inertia, const double *v_old,
                         const asm_assemble_opts *opts, const asm_assembled *assembled, int32_t a,
                         asm_contact_start *out);
// From the centres of mass of the antagonist and the candidate, at poses q, to listed contact c.
void asm_contact_arms(int32_t dim, const double *q, const det_contact_list *contacts, int32_t c,
                      const asm_early_hits *early, double arm[6]);
// The velocity of a contact's candidate relative to its antagonist, in world axes, for velocities
// v.
void asm_contact_velocity(int32_t dim, const double *v, const model_contact_key *key,
                          const double arm[6], double out[3]);
// The two frames of a joint at q, angles counted on from the state's.
void asm_joint_view_at(const cn_model *model, const model_state *state, int32_t index,
                       const double *q, joint_view *view);
// A row's gauge, less the length that it is held at, and its gradient.
double asm_joint_value(const model_joint *joint, const joint_view *view, int32_t row, double J[12]);
// The largest |gauge| of the held rows of all joints at q [m], [rad]; worst: the joint, -1: none.
double asm_joints_error(const cn_model *model, const model_state *state, const double *q,
                        int32_t *worst);
// The largest |rate| of the held rows of all joints at q under the velocities v [m/s], [rad/s].
double asm_joints_rate(const cn_model *model, const model_state *state, const double *q,
                       const double *v);
// Changes the shifts of the joints' rows by what their gauges miss at the end of the step, q, r and
// u being those of the last solve, so that a further solve comes nearer.
void asm_joints_correct(const cn_model *model, const model_state *state,
                        const asm_assemble_opts *opts, const double *q, const double *r,
                        const double *u, asm_assembled *assembled);
// u of the bodies in a row after the step: without shift and compliance.
static inline double asm_row_after(const asm_assembled *assembled, const double *r, const double *u,
                                   int64_t row) {
    const double *compliance = assembled->problem.bounds.compliance;
    return u[row] - assembled->shift[row] - (compliance ? compliance[row] * r[row] : 0.0);
}
// v := v_free + M^-1 H r. env: whose threads; may be NULL. Of round bodies v may be v_free.
void asm_apply_impulses(const cn_env *env, const cn_model *model, const asm_assembled *step,
                        const double *v_free, const double *r, double *v);

#endif
