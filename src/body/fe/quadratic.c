// body/fe/quadratic.c
// Elements with a node in the middle of every edge: "t6", "q8" (serendipity), "tet10".
//
// Good in bending. Their masses are scaled from the diagonal (HRZ), since row sums give corners none
// or less. The faces are those of the linear facets over the nodes, on which contact stands; a
// uniform pressure on them goes to the nodes as the quadratic faces want it.
#include "body/fe/solid.h"

// ---- triangle ----

static const double t6_corner[6][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},
                                       {0.5, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.0, 0.5, 0.0}};
static const int8_t t6_edge[6][FE_FACE_NODES_MAX] = {{0, 3}, {3, 1}, {1, 4},
                                                     {4, 2}, {2, 5}, {5, 0}};
#define FROM_CORNER                                                                                \
    { 1.0 / 3.0, 2.0 / 3.0 }
#define TO_CORNER                                                                                  \
    { 2.0 / 3.0, 1.0 / 3.0 }
static const double edge_load[8][FE_FACE_NODES_MAX] = {
    FROM_CORNER, TO_CORNER, FROM_CORNER, TO_CORNER, FROM_CORNER, TO_CORNER, FROM_CORNER, TO_CORNER};
#define SIXTH (1.0 / 6.0)
static const double t6_inner[3][4] = {
    {SIXTH, SIXTH, 0.0, SIXTH}, {4.0 * SIXTH, SIXTH, 0.0, SIXTH}, {SIXTH, 4.0 * SIXTH, 0.0, SIXTH}};
// Degree 4 (Strang and Fix 1973).
#define P1 0.445948490915964886318329253883
#define P2 0.091576213509770743459571463402
#define W1 (0.5 * 0.223381589678011465910345063)
#define W2 (0.5 * 0.109951743655321867423)
static const double t6_mass[6][4] = {
    {P1, P1, 0.0, W1}, {1.0 - 2.0 * P1, P1, 0.0, W1}, {P1, 1.0 - 2.0 * P1, 0.0, W1},
    {P2, P2, 0.0, W2}, {1.0 - 2.0 * P2, P2, 0.0, W2}, {P2, 1.0 - 2.0 * P2, 0.0, W2}};

// Quadratic shape functions of a simplex from its barycentric coordinates l and their derivatives:
// corners l (2 l - 1), edges 4 l_a l_b.
static void simplex_shape(int dim, const int8_t (*edge)[2], int edges, const double xi[3],
                          double *N, double *dN) {
    double l[4] = {1.0, 0.0, 0.0, 0.0}, d[4][3] = {{0.0}};
    for (int i = 0; i < dim; i++) {
        l[0] -= xi[i];
        l[i + 1] = xi[i];
        d[0][i] = -1.0;
        d[i + 1][i] = 1.0;
    }
    for (int a = 0; a <= dim; a++) {
        N[a] = l[a] * (2.0 * l[a] - 1.0);
        for (int i = 0; i < dim; i++) {
            dN[dim * a + i] = (4.0 * l[a] - 1.0) * d[a][i];
        }
    }
    for (int e = 0; e < edges; e++) {
        int a = edge[e][0], b = edge[e][1], n = dim + 1 + e;
        N[n] = 4.0 * l[a] * l[b];
        for (int i = 0; i < dim; i++) {
            dN[dim * n + i] = 4.0 * (d[a][i] * l[b] + l[a] * d[b][i]);
        }
    }
}

static void t6_shape(const double xi[3], double *N, double *dN) {
    static const int8_t edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    simplex_shape(2, edge, 3, xi, N, dN);
}

const fe_element fe_t6 = {
    .name = "t6",
    .about = "triangle with nodes on its edges; good in bending",
    .dim = 2,
    .nodes = 6,
    .linear = &fe_t3,
    .rule = {3, t6_inner},
    .mass_rule = {6, t6_mass},
    .corner = t6_corner,
    .faces = 6,
    .face_nodes = 2,
    .face = t6_edge,
    .face_load = edge_load,
    .shape = t6_shape,
    .mass = fe_solid_mass,
    .lump = fe_lump_hrz,
    .stiffness = fe_solid_stiffness,
    .force_tangent = fe_solid_force_tangent,
    .stress = fe_solid_stress,
};

// ---- quadrilateral ----

static const double q8_corner[8][3] = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0},
                                       {-1.0, 1.0, 0.0},  {0.0, -1.0, 0.0}, {1.0, 0.0, 0.0},
                                       {0.0, 1.0, 0.0},   {-1.0, 0.0, 0.0}};
static const int8_t q8_edge[8][FE_FACE_NODES_MAX] = {{0, 4}, {4, 1}, {1, 5}, {5, 2},
                                                     {2, 6}, {6, 3}, {3, 7}, {7, 0}};
// 3 x 3 Gauss points: +- sqrt(3/5) and 0, weights 5/9 and 8/9.
#define G3 0.77459666924148337704
#define WC (25.0 / 81.0)
#define WE (40.0 / 81.0)
static const double q8_gauss[9][4] = {
    {-G3, -G3, 0.0, WC}, {0.0, -G3, 0.0, WE},          {G3, -G3, 0.0, WC},
    {-G3, 0.0, 0.0, WE}, {0.0, 0.0, 0.0, 64.0 / 81.0}, {G3, 0.0, 0.0, WE},
    {-G3, G3, 0.0, WC},  {0.0, G3, 0.0, WE},           {G3, G3, 0.0, WC}};

static void q8_shape(const double xi[3], double *N, double *dN) {
    double x = xi[0], y = xi[1];
    for (int a = 0; a < 4; a++) {
        double sx = q8_corner[a][0], sy = q8_corner[a][1], s = 1.0 + sx * x, t = 1.0 + sy * y;
        N[a] = 0.25 * s * t * (sx * x + sy * y - 1.0);
        dN[2 * a] = 0.25 * sx * t * (2.0 * sx * x + sy * y);
        dN[2 * a + 1] = 0.25 * sy * s * (sx * x + 2.0 * sy * y);
    }
    for (int a = 4; a < 8; a++) {
        double sx = q8_corner[a][0], sy = q8_corner[a][1];
        if (a % 2 == 0) { // on the edges eta = -1, 1
            double t = 1.0 + sy * y;
            N[a] = 0.5 * (1.0 - x * x) * t;
            dN[2 * a] = -x * t;
            dN[2 * a + 1] = 0.5 * (1.0 - x * x) * sy;
        } else {
            double s = 1.0 + sx * x;
            N[a] = 0.5 * (1.0 - y * y) * s;
            dN[2 * a] = 0.5 * (1.0 - y * y) * sx;
            dN[2 * a + 1] = -y * s;
        }
    }
}

const fe_element fe_q8 = {
    .name = "q8",
    .about = "quadrilateral with nodes on its edges; good in bending",
    .dim = 2,
    .nodes = 8,
    .linear = &fe_q4,
    .rule = {9, q8_gauss},
    .mass_rule = {9, q8_gauss},
    .corner = q8_corner,
    .faces = 8,
    .face_nodes = 2,
    .face = q8_edge,
    .face_load = edge_load,
    .shape = q8_shape,
    .mass = fe_solid_mass,
    .lump = fe_lump_hrz,
    .stiffness = fe_solid_stiffness,
    .force_tangent = fe_solid_force_tangent,
    .stress = fe_solid_stress,
};

// ---- tetrahedron ----

static const double tet10_corner[10][3] = {
    {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.5, 0.0, 0.0},
    {0.5, 0.5, 0.0}, {0.0, 0.5, 0.0}, {0.0, 0.0, 0.5}, {0.5, 0.0, 0.5}, {0.0, 0.5, 0.5}};
// Of each face the three facets at its corners, then the one between its edges.
static const int8_t tet10_face[16][FE_FACE_NODES_MAX] = {
    {0, 6, 4}, {2, 5, 6}, {1, 4, 5}, {6, 5, 4}, {0, 4, 7}, {1, 8, 4}, {3, 7, 8}, {4, 8, 7},
    {1, 5, 8}, {2, 9, 5}, {3, 8, 9}, {5, 9, 8}, {0, 7, 6}, {3, 9, 7}, {2, 6, 9}, {7, 9, 6}};
#define AT_CORNER                                                                                  \
    { 0.0, 0.5, 0.5 }
#define BETWEEN                                                                                    \
    { 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0 }
static const double tet10_load[16][FE_FACE_NODES_MAX] = {
    AT_CORNER, AT_CORNER, AT_CORNER, BETWEEN, AT_CORNER, AT_CORNER, AT_CORNER, BETWEEN,
    AT_CORNER, AT_CORNER, AT_CORNER, BETWEEN, AT_CORNER, AT_CORNER, AT_CORNER, BETWEEN};
// Degree 2: (5 + 3 sqrt 5) / 20 and (5 - sqrt 5) / 20.
#define FAR 0.58541019662496845446
#define NEAR 0.13819660112501051518
static const double tet10_inner[4][4] = {{NEAR, NEAR, NEAR, 1.0 / 24.0},
                                         {FAR, NEAR, NEAR, 1.0 / 24.0},
                                         {NEAR, FAR, NEAR, 1.0 / 24.0},
                                         {NEAR, NEAR, FAR, 1.0 / 24.0}};
// Degree 5, 14 points (Walkington 2000).
#define A 0.31088591926330060980
#define B 0.092735250310891226402
#define C 0.045503704125649649492
#define D (0.5 - C)
#define WA (0.11268792571801585080 / 6.0)
#define WB (0.073493043116361949544 / 6.0)
#define WD (0.042546020777081466438 / 6.0)
static const double tet10_mass[14][4] = {{A, A, A, WA},
                                         {1.0 - 3.0 * A, A, A, WA},
                                         {A, 1.0 - 3.0 * A, A, WA},
                                         {A, A, 1.0 - 3.0 * A, WA},
                                         {B, B, B, WB},
                                         {1.0 - 3.0 * B, B, B, WB},
                                         {B, 1.0 - 3.0 * B, B, WB},
                                         {B, B, 1.0 - 3.0 * B, WB},
                                         {C, C, D, WD},
                                         {C, D, C, WD},
                                         {D, C, C, WD},
                                         {C, D, D, WD},
                                         {D, C, D, WD},
                                         {D, D, C, WD}};

static void tet10_shape(const double xi[3], double *N, double *dN) {
    static const int8_t edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    simplex_shape(3, edge, 6, xi, N, dN);
}

const fe_element fe_tet10 = {
    .name = "tet10",
    .about = "tetrahedron with nodes on its edges; good in bending, for shapes that Gmsh meshes",
    .dim = 3,
    .nodes = 10,
    .linear = &fe_tet4,
    .rule = {4, tet10_inner},
    .mass_rule = {14, tet10_mass},
    .corner = tet10_corner,
    .faces = 16,
    .face_nodes = 3,
    .face = tet10_face,
    .face_load = tet10_load,
    .shape = tet10_shape,
    .mass = fe_solid_mass,
    .lump = fe_lump_hrz,
    .stiffness = fe_solid_stiffness,
    .force_tangent = fe_solid_force_tangent,
    .stress = fe_solid_stress,
};
