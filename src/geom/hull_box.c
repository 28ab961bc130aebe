// geom/hull_box.c
// Boxes, straight from their edge lengths: 8 corners numbered by the signs of x, y, z (bit 0, 1, 2
// set: plus), 6 faces -x +x -y +y -z +z, 12 edges. In 2D 4 corners and edges, counter-clockwise
// from (-, -).
#include "geom/hull.h"

#include "base/error.h"
#include "math/vec3.h"

#include <string.h>

static const int32_t box_face[7] = {0, 4, 8, 12, 16, 20, 24};
static const int32_t box_loop[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                     2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
// Two vertices ascending, the face on the left of their way, the face on its right.
static const int32_t box_edge[48] = {0, 1, 2, 4, 0, 2, 4, 0, 0, 4, 0, 2, 1, 3, 1, 4,
                                     1, 5, 2, 1, 2, 3, 4, 3, 2, 6, 3, 0, 3, 7, 1, 3,
                                     4, 5, 5, 2, 4, 6, 0, 5, 5, 7, 5, 1, 6, 7, 3, 5};

// out = R x + position
static void box_place(const double R[9], const double position[3], const double x[3],
                      double out[3]) {
    math_mat3_apply(R, x, out);
    math_add_scaled3(position, 1.0, out, out);
}

cn_status geom_hull_box(int32_t dim, const double half[3], const double R[9],
                        const double position[3], cn_arena *memory, geom_hull *out,
                        cn_error *error) {
    static const int32_t around[4] = {0, 1, 3, 2}; // corners of the rectangle in order
    static const int32_t side[4] = {2, 1, 3, 0};   // faces of the rectangle in the order of edges
    *out = (geom_hull){.vertex_count = dim == 3 ? 8 : 4,
                       .face_count = dim == 3 ? 6 : 4,
                       .edge_count = dim == 3 ? 12 : 0};
    CN_TRY(geom_hull_take(memory, out, error));
    for (int32_t i = 0; i < out->vertex_count; i++) {
        int32_t corner = dim == 3 ? i : around[i];
        double x[3];
        for (int32_t k = 0; k < 3; k++) {
            x[k] = (corner >> k & 1) ? half[k] : -half[k];
        }
        x[2] = dim == 3 ? x[2] : 0.0;
        box_place(R, position, x, out->vertex + 3 * (int64_t)i);
    }
    for (int32_t f = 0; f < out->face_count; f++) {
        int32_t face = dim == 3 ? f : side[f], axis = face / 2;
        double sign = face % 2 ? 1.0 : -1.0;
        double *normal = out->normal + 3 * (int64_t)f;
        for (int32_t k = 0; k < 3; k++) {
            normal[k] = sign * R[3 * k + axis];
        }
        out->offset[f] = math_dot3(normal, position) + half[axis];
    }
    // All boxes share what is the same for all.
    if (dim == 3) {
        out->face = box_face;
        out->loop = box_loop;
        out->edge = box_edge;
    }
    memcpy(out->center, position, sizeof out->center);
    return CN_OK;
}
