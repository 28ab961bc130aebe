// body/fe/h8.c
// Hexahedron of eight nodes, trilinear, 2 x 2 x 2 Gauss points: "h8" with nine enhanced modes,
// "h8-plain" without, for comparison.
#include "body/fe/solid.h"

#define GAUSS 0.57735026918962576451 // 1/sqrt 3

static const double corner[8][3] = {{-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {1.0, 1.0, -1.0},
                                    {-1.0, 1.0, -1.0},  {-1.0, -1.0, 1.0}, {1.0, -1.0, 1.0},
                                    {1.0, 1.0, 1.0},    {-1.0, 1.0, 1.0}};
static const int8_t face[6][FE_FACE_NODES_MAX] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                                  {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
static const double gauss[8][4] = {{-GAUSS, -GAUSS, -GAUSS, 1.0}, {GAUSS, -GAUSS, -GAUSS, 1.0},
                                   {GAUSS, GAUSS, -GAUSS, 1.0},   {-GAUSS, GAUSS, -GAUSS, 1.0},
                                   {-GAUSS, -GAUSS, GAUSS, 1.0},  {GAUSS, -GAUSS, GAUSS, 1.0},
                                   {GAUSS, GAUSS, GAUSS, 1.0},    {-GAUSS, GAUSS, GAUSS, 1.0}};
// Normal strains along their own coordinate, each shear along both of its own.
static const fe_mode mode[9] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 1, 0}, {0, 1, 1},
                                {1, 2, 1}, {1, 2, 2}, {2, 0, 0}, {2, 0, 2}};

static void h8_shape(const double xi[3], double *N, double *dN) {
    for (int a = 0; a < 8; a++) {
        double f[3];
        for (int i = 0; i < 3; i++) {
            f[i] = 1.0 + corner[a][i] * xi[i];
        }
        N[a] = 0.125 * f[0] * f[1] * f[2];
        dN[3 * a] = 0.125 * corner[a][0] * f[1] * f[2];
        dN[3 * a + 1] = 0.125 * corner[a][1] * f[0] * f[2];
        dN[3 * a + 2] = 0.125 * corner[a][2] * f[0] * f[1];
    }
}

// What both elements share.
#define HEXAHEDRON                                                                                 \
    .dim = 3, .nodes = 8, .rule = {8, gauss}, .mass_rule = {8, gauss}, .corner = corner,           \
    .faces = 6, .face_nodes = 4, .face = face, .shape = h8_shape, FE_SOLID_OPERATIONS

const fe_element fe_h8 = {
    .name = "h8",
    .about = "hexahedron with enhanced strain; good in bending",
    HEXAHEDRON,
    .modes = 9,
    .mode = mode,
};

const fe_element fe_h8_plain = {
    .name = "h8-plain",
    .about = "hexahedron without enhancement, for comparison; locks",
    HEXAHEDRON,
};
