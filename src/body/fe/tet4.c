// body/fe/tet4.c
// Tetrahedron of four nodes: constant strain.
//
// The easiest to mesh with, and the stiffest: bending and nearly incompressible materials lock. Use
// "h8" where the shape allows it.
#include "body/fe/solid.h"

static const double corner[4][3] = {
    {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
static const int8_t face[4][FE_FACE_NODES_MAX] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
static const double centre[1][4] = {{0.25, 0.25, 0.25, 1.0 / 6.0}};
// Exact to degree 2: (5 + 3 sqrt 5) / 20 and (5 - sqrt 5) / 20.
#define FAR 0.58541019662496845446
#define NEAR 0.13819660112501051518
static const double inner[4][4] = {{NEAR, NEAR, NEAR, 1.0 / 24.0},
                                   {FAR, NEAR, NEAR, 1.0 / 24.0},
                                   {NEAR, FAR, NEAR, 1.0 / 24.0},
                                   {NEAR, NEAR, FAR, 1.0 / 24.0}};

static void tet4_shape(const double xi[3], double *N, double *dN) {
    N[0] = 1.0 - xi[0] - xi[1] - xi[2];
    for (int i = 0; i < 3; i++) {
        N[i + 1] = xi[i];
        dN[i] = -1.0;
        for (int j = 0; j < 3; j++) {
            dN[3 * (i + 1) + j] = i == j ? 1.0 : 0.0;
        }
    }
}

const fe_element fe_tet4 = {
    .name = "tet4",
    .about = "tetrahedron, constant strain; too stiff in bending, locks near Poisson's ratio 1/2",
    .dim = 3,
    .nodes = 4,
    .rule = {1, centre},
    .mass_rule = {4, inner},
    .corner = corner,
    .faces = 4,
    .face_nodes = 3,
    .face = face,
    .shape = tet4_shape,
    .mass = fe_solid_mass,
    .lump = fe_lump_row_sums,
    .stiffness = fe_solid_stiffness,
    .force_tangent = fe_solid_force_tangent,
    .stress = fe_solid_stress,
};
