// cairn/shape.h
// The shapes of bodies. Lengths [m], angles [rad].
#ifndef CAIRN_SHAPE_H
#define CAIRN_SHAPE_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cn_shape_kind {
    CN_SHAPE_SPHERE,     // 3D: radius
    CN_SHAPE_BOX,        // 2D and 3D: size, full edge lengths
    CN_SHAPE_CAPSULE,    // 3D: radius, length of the straight part, along z
    CN_SHAPE_CYLINDER,   // 3D: radius, length, along z
    CN_SHAPE_ELLIPSOID,  // 3D: size, full axis lengths
    CN_SHAPE_POLYHEDRON, // 3D: vertices, and faces or their convex hull
    CN_SHAPE_PLANE,      // 3D: normal, offset: free where normal . x >= offset
    CN_SHAPE_DISK,       // 2D: radius
    CN_SHAPE_ELLIPSE,    // 2D: size, full axis lengths
    CN_SHAPE_POLYGON,    // 2D: vertices, convex, in order
    CN_SHAPE_LINE,       // 2D: normal, offset
    CN_SHAPE_RING,       // 2D: radius; hollow, contact inside
    CN_SHAPE_KINDS
} cn_shape_kind;

CN_API const char *cn_shape_kind_text(cn_shape_kind kind); // "sphere", ...

typedef struct cn_shape_def {
    cn_shape_kind kind;
    double position[3];    // of the shape's frame in the body's own frame
    double orientation[4]; // w x y z; 2D: ignored
    double angle;          // 2D
    double radius, length;
    double size[3];
    double normal[3], offset;
    const double *vertices; // 3 (2D: 2) numbers each
    int32_t vertex_count;
    const int32_t *face_size; // vertices of each face; NULL: the convex hull of the vertices
    const int32_t *faces;     // their indices, counter-clockwise seen from outside
    int32_t face_count;
} cn_shape_def;

CN_API cn_shape_def cn_shape_def_default(cn_shape_kind kind);

// A shape in its body's own frame: a point x of the shape's frame is at position + axes x. Boxes,
// polyhedra and polygons have vertices (3 numbers each, polygons counter-clockwise) and in 3D
// faces: face f is vertices loop[face[f]] .. loop[face[f+1]-1], counter-clockwise from outside.
typedef struct cn_shape_info {
    cn_shape_kind kind;
    double position[3], axes[9]; // axes by rows; identity for shapes with vertices
    double radius, length;       // length of capsules and cylinders, along the shape's z
    double size[3];              // full axes of ellipsoids and ellipses
    double normal[3], offset;    // planes and lines, in the body's own frame
    const double *vertices;
    const int32_t *face, *loop;
    int32_t vertex_count, face_count;
} cn_shape_info;

#ifdef __cplusplus
}
#endif
#endif
