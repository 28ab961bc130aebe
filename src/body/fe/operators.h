// body/fe/operators.h
// Mass, stiffness and damping of a mesh as sparse matrices over all its dofs, and nodal forces of
// loads. Small strain: f = K u about the reference configuration.
#ifndef CAIRN_BODY_FE_OPERATORS_H
#define CAIRN_BODY_FE_OPERATORS_H

#include "body/fe/mesh.h"

#include <cairn/sparse.h>

typedef enum fe_mass { FE_MASS_LUMPED, FE_MASS_CONSISTENT } fe_mass;

typedef struct fe_operators {
    int32_t dofs;
    cn_csr M; // lumped: the diagonal alone
    cn_csr K; // rows of a node hold all dofs of the nodes it shares an element with
    cn_csr V; // damping_mass M + damping_stiffness K; without entries when there is no damping
} fe_operators;

// All arrays go to memory. The material must be valid.
cn_status fe_operators_assemble(cn_arena *memory, const fe_mesh *mesh, const fe_material *material,
                                fe_plane plane, fe_mass mass, fe_operators *out, cn_error *error);

// out := a A + b B of equal sizes; its pattern is the union, of A alone when b = 0, of B when a =
// 0.
cn_status fe_csr_combine(cn_arena *memory, double a, const cn_csr *A, double b, const cn_csr *B,
                         cn_csr *out);
// Rows and columns of A with place[i] >= 0, in the order of place, which ascends.
cn_status fe_csr_restrict(cn_arena *memory, const cn_csr *A, int32_t count, const int32_t *place,
                          cn_csr *out);

// ---- loads: each adds to the nodal forces, dim per node [N] ----

// M g: a force on every mass, a rigid body's weight.
void fe_add_gravity(const fe_mesh *mesh, const fe_operators *ops, const double *gravity,
                    double *load);
// A constant traction [Pa] on the faces of a group, at their reference positions.
void fe_add_traction(const fe_mesh *mesh, const fe_group *group, const double *traction,
                     double *load);
// -pressure n on the faces of a group, n the outward normal of the reference positions.
void fe_add_pressure(const fe_mesh *mesh, const fe_group *group, double pressure, double *load);

// held[dof] := 1 for the nodes of a group and the axes chosen: bit i for axis i.
void fe_hold(const fe_mesh *mesh, const fe_group *group, uint32_t axes, uint8_t *held);

// Mean stress of every element, 6 each, of nodal displacements.
void fe_stresses(const fe_mesh *mesh, const fe_material *material, fe_plane plane, const double *u,
                 double *stress);

#endif
