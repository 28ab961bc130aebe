// body/fe/t3.c
// Triangle of three nodes: constant strain.
//
// Cheap, and far too stiff in bending (4 times with one element across a thickness); it locks near
// Poisson's ratio 1/2. Use "q4" where accuracy matters.
#include "body/fe/solid.h"

static const double corner[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
static const int8_t edge[3][FE_FACE_NODES_MAX] = {{0, 1}, {1, 2}, {2, 0}};
static const double centre[1][4] = {{1.0 / 3.0, 1.0 / 3.0, 0.0, 0.5}};
// Midpoints of the edges: exact to degree 2.
static const double midpoint[3][4] = {
    {0.5, 0.0, 0.0, 1.0 / 6.0}, {0.5, 0.5, 0.0, 1.0 / 6.0}, {0.0, 0.5, 0.0, 1.0 / 6.0}};

static void t3_shape(const double xi[3], double *N, double *dN) {
    N[0] = 1.0 - xi[0] - xi[1];
    N[1] = xi[0];
    N[2] = xi[1];
    dN[0] = dN[1] = -1.0;
    dN[2] = dN[5] = 1.0;
    dN[3] = dN[4] = 0.0;
}

const fe_element fe_t3 = {
    .name = "t3",
    .about = "triangle, constant strain; too stiff in bending, locks near Poisson's ratio 1/2",
    .dim = 2,
    .nodes = 3,
    .rule = {1, centre},
    .mass_rule = {3, midpoint},
    .corner = corner,
    .faces = 3,
    .face_nodes = 2,
    .face = edge,
    .shape = t3_shape,
    .mass = fe_solid_mass,
    .lump = fe_lump_row_sums,
    .stiffness = fe_solid_stiffness,
    .force_tangent = fe_solid_force_tangent,
    .stress = fe_solid_stress,
};
