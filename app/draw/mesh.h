// app/draw/mesh.h
// Shapes as surfaces of polygons, for programs that know no others.
#ifndef CAIRN_APP_DRAW_MESH_H
#define CAIRN_APP_DRAW_MESH_H

#include <cairn/cairn.h>

// Face f has the corners loop[face[f]] .. loop[face[f + 1] - 1], counter-clockwise from outside (in
// 2D: from +z). Points in the body's own frame, 3 numbers each.
typedef struct surface_mesh {
    double *points;
    int32_t *face, *loop;
    int32_t point_count, face_count, loop_count;
    int32_t point_capacity, face_capacity, loop_capacity;
} surface_mesh;

// The surfaces of all shapes of a body. detail: sides of a circle, a multiple of 4; size: half the
// width of the square that stands for an endless plane or line, about the point `centre`.
typedef struct mesh_options {
    int32_t dim, detail;
    double size, centre[3];
} mesh_options;
surface_mesh mesh_of_body(const cn_model *model, cn_body_id body, const mesh_options *options);
void mesh_free(surface_mesh *mesh);

// The box of the moving bodies at some frames of a run, for the size of planes.
mesh_options mesh_options_of(const cn_model *model, const double *low, const double *high);

#endif
