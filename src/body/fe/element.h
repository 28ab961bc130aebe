// body/fe/element.h
// The table of finite elements. An element maps the positions of its nodes to strains at its
// points; mass, force, stiffness and stress follow from that.
//
// Layouts: a column of nodes holds dim numbers per node, (x y) or (x y z) of the first node, then
// of the second; matrices of an element are by rows. X are reference positions [m], u displacements
// [m]. Natural coordinates are (xi, eta, zeta); numbering and faces are those of Gmsh and VTK.
//
// Enhanced strain (EAS): E = E(u) + (det J0 / det J) T0 M(xi) alpha, where T0 takes natural to
// Cartesian strains with the Jacobian J0 at the centre. Element by element alpha makes the energy
// stationary and is eliminated, so that nobody outside sees it. It removes shear locking in bending
// and volumetric locking near Poisson's ratio 1/2, and passes the patch test on distorted meshes.
// Reference: Simo and Rifai, Int. J. Numer. Meth. Engng 29, 1990. Not for large compression:
// hourglass patterns appear there (Wriggers and Reese 1996).
//
// To add an element write body/fe/<family>.c with its row, declare it below, list it in
// element_table.c.
#ifndef CAIRN_BODY_FE_ELEMENT_H
#define CAIRN_BODY_FE_ELEMENT_H

#include "body/fe/material.h"

#define FE_NODES_MAX 10
#define FE_DOFS_MAX 30
#define FE_MODES_MAX 9
#define FE_FACE_NODES_MAX 4

// Points of a quadrature rule on the natural element: xi, eta, zeta, weight.
typedef struct fe_rule {
    int32_t points;
    const double (*point)[4];
} fe_rule;

// A mode of enhanced strain: natural component (a, b) of the tensor, proportional to natural
// coordinate c.
typedef struct fe_mode {
    int8_t a, b, c;
} fe_mode;

typedef struct fe_element fe_element;
struct fe_element {
    const char *name;
    const char *about;
    int32_t dim, nodes;
    const fe_element *linear;  // of quadratic elements: the one of the corners alone; NULL
    fe_rule rule;              // of stiffness, force and stress
    fe_rule mass_rule;         // exact for the mass of an undistorted element
    const double (*corner)[3]; // natural coordinates of the nodes
    int32_t faces, face_nodes; // 2D: edges
    // Nodes of each face, of quadratic elements those of linear facets over their nodes, outwards:
    // 2D, the element is on the left of the edge; 3D,
    // counter-clockwise seen from outside.
    const int8_t (*face)[FE_FACE_NODES_MAX];
    // Shares of the nodes in a uniform pressure on a face; NULL: those of its shape functions.
    const double (*face_load)[FE_FACE_NODES_MAX];
    int32_t modes; // of enhanced strain
    const fe_mode *mode;
    // N[a] and dN[dim*a + i] = d N_a / d xi_i at a point.
    void (*shape)(const double xi[3], double *N, double *dN);

    // nodes x nodes: the integral of density N_a N_b, the same for every direction.
    void (*mass)(const fe_element *e, double density, const double *X, double *M);
    // Masses of the nodes from that matrix.
    void (*lump)(int32_t nodes, const double *M, double *lumped);
    // Small strain: dofs x dofs, symmetric positive semi-definite.
    void (*stiffness)(const fe_element *e, const fe_elastic *law, const double *X, double *K);
    // Green-Lagrange strain: the nodal forces f = dU/du of the element's energy and its exact
    // derivative, symmetric. K may be NULL.
    void (*force_tangent)(const fe_element *e, const fe_elastic *law, const double *X,
                          const double *u, double *f, double *K);
    // Small strain: the mean of the stress over the element, all six components.
    void (*stress)(const fe_element *e, const fe_elastic *law, const double *X, const double *u,
                   double stress[6]);
};

int32_t fe_element_count(void);
const fe_element *fe_element_at(int32_t index);
const fe_element *fe_element_find(const char *name); // NULL: no such
// CN_ERR_INPUT with the name most like it when there is none.
cn_status fe_element_lookup(const char *name, const fe_element **out, cn_error *error);

// J[dim*i + j] = d x_i / d xi_j at a point; returns its determinant.
double fe_jacobian(const fe_element *e, const double *X, const double xi[3], double *J);
double fe_volume(const fe_element *e, const double *X); // 2D: area

// Lumped masses. Row sums keep mass and centre of mass; of quadratic elements they give corners of
// zero or negative mass. HRZ scaling (Hinton, Rock and Zienkiewicz 1976) scales the diagonal to the
// mass of the element: positive for every element.
void fe_lump_row_sums(int32_t nodes, const double *M, double *lumped);
void fe_lump_hrz(int32_t nodes, const double *M, double *lumped);

extern const fe_element fe_t3, fe_t6, fe_q4, fe_q4_plain, fe_q8, fe_tet4, fe_tet10, fe_h8,
    fe_h8_plain;

#endif
