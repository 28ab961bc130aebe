// body/fe/q4.c
// Quadrilateral of four nodes, bilinear, 2 x 2 Gauss points: "q4" with four enhanced modes,
// "q4-plain" without, for comparison.
#include "body/fe/solid.h"

#define GAUSS 0.57735026918962576451 // 1/sqrt 3

static const double corner[4][3] = {
    {-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}};
static const int8_t edge[4][FE_FACE_NODES_MAX] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const double gauss[4][4] = {{-GAUSS, -GAUSS, 0.0, 1.0},
                                   {GAUSS, -GAUSS, 0.0, 1.0},
                                   {GAUSS, GAUSS, 0.0, 1.0},
                                   {-GAUSS, GAUSS, 0.0, 1.0}};
static const fe_mode mode[4] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {0, 1, 1}};

static void q4_shape(const double xi[3], double *N, double *dN) {
    for (int a = 0; a < 4; a++) {
        double s = 1.0 + corner[a][0] * xi[0], t = 1.0 + corner[a][1] * xi[1];
        N[a] = 0.25 * s * t;
        dN[2 * a] = 0.25 * corner[a][0] * t;
        dN[2 * a + 1] = 0.25 * corner[a][1] * s;
    }
}

// What both elements share.
#define QUADRILATERAL                                                                              \
    .dim = 2, .nodes = 4, .rule = {4, gauss}, .mass_rule = {4, gauss}, .corner = corner,           \
    .faces = 4, .face_nodes = 2, .face = edge, .shape = q4_shape, FE_SOLID_OPERATIONS

const fe_element fe_q4 = {
    .name = "q4",
    .about = "quadrilateral with enhanced strain; good in bending and near Poisson's ratio 1/2",
    QUADRILATERAL,
    .modes = 4,
    .mode = mode,
};

const fe_element fe_q4_plain = {
    .name = "q4-plain",
    .about = "quadrilateral without enhancement, for comparison; locks",
    QUADRILATERAL,
};
