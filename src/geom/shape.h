// geom/shape.h
// Shapes in their body's frame, ready for detection: what a cn_shape_def becomes.
//
// Shapes are placed relative to the body's centre of mass (geom_shape_shift), in the body's axes.
// Boxes, polyhedra and polygons all become hulls. 2D shapes live in the plane z = 0.
#ifndef CAIRN_GEOM_SHAPE_H
#define CAIRN_GEOM_SHAPE_H

#include <cairn/shape.h>

// Lengths and coordinates above this [m] are mistakes of units: doubles resolve 1e-7 m there.
#define GEOM_LENGTH_MAX 1e9
#define GEOM_LENGTH_HINT "lengths are in metres, at most %g"

// A convex polyhedron (3D) or polygon (2D). Points in the body's frame.
// 3D: face f has vertices loop[face[f]] .. loop[face[f+1]-1], counter-clockwise from outside,
// normal . x <= offset inside. 2D: edge f runs from vertex f to vertex f+1 (the last to 0),
// counter-clockwise; the same normal and offset.
typedef struct geom_hull {
    int32_t vertex_count, face_count, edge_count;
    double *vertex;      // 3 each
    double *normal;      // 3 each, unit
    double *offset;      // 1 each
    const int32_t *face; // face_count + 1; 3D
    const int32_t *loop; // 3D
    const int32_t
        *edge;        // 4 each: two vertices ascending, the face left of their way, the other; 3D
    double center[3]; // mean of the vertices
} geom_hull;

typedef struct geom_shape {
    cn_shape_kind kind;
    double position[3]; // of the shape's frame
    double R[9];   // axes of the shape's frame, by rows; hulls have it worked in already (identity,
                   // zero position)
    double radius; // sphere, disk, capsule, cylinder, ring
    double half;   // half length of capsule and cylinder, along the shape's z
    double axes[3];           // semi-axes of ellipsoid and ellipse; half edges of a box
    double normal[3], offset; // plane, line
    geom_hull hull;           // box, polyhedron, polygon
    double
        bound; // radius of a sphere round `middle` that holds the shape; infinite for plane and line
    double middle[3];
    double depth; // half the thickness: overlaps up to it have the right normal; infinite where the
                  // solid has no other side (plane, line, ring)
} geom_shape;

// Mass properties for density 1: mass, centre of mass, inertia about it, in the body's frame. 2D:
// area, and inertia[8].
typedef struct geom_mass {
    double mass, com[3], inertia[9];
} geom_mass;

// Checks the definition and builds the shape; arrays go to memory. Errors name what is wrong
// (negative radius, fewer than 4 points, flat, not convex, open surface, wrong orientation of faces
// ...), without a place: the caller knows it.
cn_status geom_shape_build(const cn_shape_def *def, int32_t dim, cn_arena *memory, geom_shape *out,
                           cn_error *error);
// Exact; planes, lines and rings have no mass (mass 0).
void geom_shape_mass(const geom_shape *shape, int32_t dim, geom_mass *mass);
// sum := sum + part, both about their own centres; factor scales the part's mass (density).
void geom_mass_add(geom_mass *sum, const geom_mass *part, double factor);
// Moves the shape by -by, as when the origin goes to the centre of mass.
void geom_shape_shift(geom_shape *shape, const double by[3]);
// Whether two shapes are the same to the bit.
bool geom_shape_same(const geom_shape *a, const geom_shape *b);
// The farthest point of a bounded shape along direction (both in the body's frame).
void geom_shape_support(const geom_shape *shape, const double direction[3], double point[3]);
// The smallest half extent, a typical length; infinite for plane and line.
double geom_shape_smallest_extent(const geom_shape *shape);

#endif
