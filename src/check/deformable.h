// check/deformable.h
// Deformable bodies in the check: M, K, V and the compliance of their surface are rebuilt from the
// scene, displacements and axes from the recorded nodes. For the nodes of a body, in its axes at q~,
//     M dv + h V v_theta + h K (u_0 + h theta v_theta) = h P_theta + p,
// with dv = v_1 - v_0, v_theta = (1 - theta) v_0 + theta v_1 and p the impulses of contacts.
//
// Arrays of velocities hold dim numbers per node of the deformable bodies behind those of the
// bodies, as model_node_velocity says.
#ifndef CAIRN_CHECK_DEFORMABLE_H
#define CAIRN_CHECK_DEFORMABLE_H

#include "body/fe/type.h"
#include "check/check.h"
#include "model/deformable.h"

typedef struct check_soft {
    const model_deformable *body;
    fe_type *type; // for the length of the frame's step
    double turn[9];
    // Per dof, in axes of the body at q~.
    double *u, *v, *v_end, *mean, *load, *impulse, *left;
    double *room, *room_abs;
    double held_work; // of what holds and drives nodes [J]
    bool loaded;      // by more than gravity
} check_soft;

struct check_deformables {
    fe_types *types;
    check_soft *body; // as in the model
};

// u'K u / 2, and its room for round-off of positions of size `far`.
double check_soft_elastic(const check_soft *soft, const double *u, double far, double *room);
// x'A x.
double check_soft_form(const check_soft *soft, const cn_csr *A, const double *x);
// Axes of a body (3 x 3 by rows) at positions x of all nodes, nearest to the axes `near`, and the
// displacements there without the motion of its centre where it turns.
void check_soft_axes(const cn_model *model, const model_deformable *body, const double *x,
                     const double near[9], double turn[9]);
void check_soft_strained(const cn_model *model, const model_deformable *body, const double *x,
                         const double turn[9], double *u);
// Its type for the length of the frame's step; where there is none, for that of the scene.
cn_status check_deformable_type(check_checking *check, check_soft *soft);

#endif
