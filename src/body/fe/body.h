// body/fe/body.h
// One deformable body in a step of the theta scheme, small strain, fixed axes:
//     v_free = v_0 + M^^-1 (-h V v_0 - h K (u_0 + h theta v_0) + h P_theta),
//     v_1 = v_free + M^^-1 p,   u_1 = u_0 + h (1 - theta) v_0 + h theta v_1,
// with u displacements, P_theta the loads at t_0 + theta h, p the impulses of contacts on the
// nodes. Held dofs follow a prescribed velocity.
//
// A step:
//     fill body.load [N] and, where dofs are driven, body.held_velocity;
//     fe_body_free_velocity(&body)          -> v_free, impulse = 0
//     fill body.impulse [N s] from v_free and the surface's compliance
//     fe_body_integrate(&body)              -> u, v, reaction, ledger
//
// Energy, exact for every theta, each part from its own formula, v_theta = (1-theta) v_0 + theta
// v_1, du = h v_theta, dv = v_1 - v_0:
//     kinetic + elastic change = work_load + work_contact + work_held
//                                - dissipated_viscous - dissipated_numerical.
#ifndef CAIRN_BODY_FE_BODY_H
#define CAIRN_BODY_FE_BODY_H

#include "body/fe/type.h"

typedef struct fe_ledger {
    double kinetic, elastic;     // after the step: v'M v / 2, u'K u / 2
    double work_load;            // P_theta . du
    double work_contact;         // v_theta . p
    double work_held;            // v_theta . reaction
    double dissipated_viscous;   // h v_theta' V v_theta
    double dissipated_numerical; // (theta - 1/2) (dv'M dv + du'K du); quasi-static: and the kinetic
                                 // energy dropped
} fe_ledger;

typedef struct fe_body {
    fe_type *type;
    bool quasi_static; // theta = 1: every step starts from v = 0, M only regularises
    // Per dof, in memory of the body.
    double *u, *v;         // the state [m], [m/s]
    double *load;          // P_theta [N]
    double *held_velocity; // v_1 of held dofs [m/s]; others are not read
    double *v_free;
    double *impulse;  // p [N s]
    double *reaction; // impulse on held dofs that makes them follow; 0 on free ones
    fe_ledger ledger; // of the last step
    double *work;     // scratch
} fe_body;

// At rest, undeformed, without loads. CN_ERR_INPUT: quasi_static with theta < 1.
cn_status fe_body_create(cn_arena *memory, fe_type *type, bool quasi_static, fe_body *out,
                         cn_error *error);
// Another type of the same mesh, as a step of another length has.
void fe_body_set_type(fe_body *body, fe_type *type);

// Displacements at which contacts are evaluated, u_0 + h (1 - theta) v_0.
void fe_body_predict(const fe_body *body, double *u);
cn_status fe_body_free_velocity(fe_body *body);
cn_status fe_body_integrate(fe_body *body);

// The energies of the present state, for the first line of a ledger.
double fe_body_kinetic(fe_body *body);
double fe_body_elastic(fe_body *body);

#endif
