// step/deformable/deformable.h
// The deformable bodies of a run: what their phases of a step need and leave.
//
// A step of one body is that of body/fe/body.h in axes R of the body: those it was placed with, or
// with corotational strain those nearest to its shape at q~, by the polar decomposition of
// sum m_i (x_i - c) X_i'. M is the same in all axes, so that the factorisation of M^ stays: right
// side and contact frames are turned into the body's axes instead. R at q~, once per step, keeps the
// angular momentum; a later R does not.
#ifndef CAIRN_STEP_DEFORMABLE_DEFORMABLE_H
#define CAIRN_STEP_DEFORMABLE_DEFORMABLE_H

#include "assemble/deformable.h"
#include "body/fe/body.h"
#include "model/deformable.h"
#include "step/step.h"

typedef struct step_soft {
    const model_deformable *model;
    fe_type *type;
    fe_body fe;                // of the step under way, in axes of the body
    double turn[9];            // R at q~, dim x dim by rows
    double *start_u, *start_v; // displacements and velocities at the start of the step
    double started;            // numerical loss before the solve
    bool loaded;               // something besides gravity acts on it
} step_soft;

struct step_deformable {
    const cn_model *model;
    cn_arena *memory;
    fe_types *types;
    det_deformables *detector;
    step_soft *body;   // of the model's deformable bodies
    asm_body *answers; // of the model's bodies
    double **impulse;  // likewise, for asm_impulse; NULL: rigid
    step_soft **of;    // likewise; NULL: rigid
};

// NULL in *out where the model has no deformable bodies. A type is factorised for every kind of
// body.
cn_status step_deformable_create(const cn_model *model, const cn_env *env,
                                 struct step_deformable **out, cn_error *error);
void step_deformable_destroy(struct step_deformable *soft);
// Displacements zero and velocities of the rigid motion that the bodies start with.
void step_deformable_start(const cn_model *model, double *q, double *v);
// Bodies whose nodes overlap others by more than is accepted: an error that points into the scene.
cn_status step_deformable_check_start(struct step_deformable *soft, const model_state *state,
                                      cn_arena *memory, cn_error *error);

// ---- phases, all nothing where in->deformable is NULL ----

// v_old of bodies without inertia is zero.
void step_deformable_begin(const step_context *in, double *v_old);
// The axes at q~, and types for the length of the step.
cn_status step_deformable_place(const step_context *in, const step_data *step, cn_error *error);
// Adds the contacts of deformable bodies.
cn_status step_deformable_detect(const step_context *in, const double *q, const double *v,
                                 det_contact_list *contacts, cn_error *error);
// v_free of the nodes.
cn_status step_deformable_free(const step_context *in, step_data *step, cn_error *error);
// v_new of the nodes under the impulses r.
cn_status step_deformable_integrate(const step_context *in, const asm_assembled *assembled,
                                    const double *r, double *v_new, cn_error *error);
// Poses and velocities of the bodies from those of their nodes, at the end of a step.
void step_deformable_pose(const cn_model *model, const double *q_before, double *q, double *v);

// ---- energy (step/deformable/energy.c) ----

typedef struct step_soft_energy {
    double kinetic, potential, elastic;
} step_soft_energy;
step_soft_energy step_deformable_energy_of(struct step_deformable *soft, const double gravity[3],
                                           const double *q, const double *v);
// What a step did, to be added to the sums of the rigid bodies.
typedef struct step_soft_work {
    step_soft_energy before, after;
    double external, viscous, numerical;
} step_soft_work;
step_soft_work step_deformable_work(const step_context *in, const step_data *step);

// The axes R of a body at displacements q: polar decomposition, or as placed.
void step_soft_axes(const cn_model *model, const model_deformable *d, const double *q,
                    double turn[9]);
// Displacements of a body in axes R, without the motion of its centre where it turns.
void step_soft_strained(const cn_model *model, const model_deformable *d, const double *q,
                        const double turn[9], double *u);
// x := R' w, and back, for vectors of all nodes.
void step_soft_to_body(int32_t dim, int32_t nodes, const double turn[9], const double *w,
                       double *x);
void step_soft_to_world(int32_t dim, int32_t nodes, const double turn[9], const double *x,
                        double *w);

#endif
