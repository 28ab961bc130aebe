// geom/hull.h
// Making hulls: what shape.c asks of the files hull_*.c.
//
// Points are in the body's frame already. Everything below a millionth of a shape's size counts as
// round-off of the file that it came from: faces that flat are one face, points that near are one
// point, dents that shallow are none.
#ifndef CAIRN_GEOM_HULL_H
#define CAIRN_GEOM_HULL_H

#include "geom/shape.h"

// Files in single precision have a relative error of 6e-8, and some sums of it.
#define GEOM_HULL_DETAIL 1e-6
// A face through corners that are each off by the detail may be off by this many details.
#define GEOM_HULL_SPREAD 4.0
// Faces are then less than 2^15 and edges less than 2^16: any feature has a 16-bit number.
#define GEOM_HULL_VERTICES_MAX 16384

// The diagonal of the points' bounding box; 3 numbers a point.
double geom_points_size(const double *point, int32_t count);
// 0, 1, 2 or 3: whether the points are all one, on a line, in a plane, or span space, to the detail
// of size.
int32_t geom_points_rank(const double *point, int32_t count, double size);

// Of the points named by index, keeps one of each group that lies within the detail, and sorts them
// by x, then y, then z.
cn_status geom_points_weld(const double *point, double detail, int32_t *index, int32_t *count,
                           cn_arena *scratch, cn_error *error);
cn_status geom_vertices_check_count(int32_t count, cn_error *error);

// Triangles of the convex hull, indices into point, counter-clockwise from outside. size is that of
// the points; they must span space.
typedef struct geom_triangles {
    int32_t count;
    int32_t *corner; // 3 each
} geom_triangles;
cn_status geom_triangles_from_points(const double *point, int32_t count, double size,
                                     cn_arena *scratch, geom_triangles *out, cn_error *error);

// Coplanar triangles become polygons; vertices in the order of point, faces and edges sorted.
cn_status geom_hull_from_triangles(const double *point, int32_t count, double size,
                                   const geom_triangles *triangles, cn_arena *scratch,
                                   cn_arena *memory, geom_hull *out, cn_error *error);
// The convex hull of points: the two above.
cn_status geom_hull_from_points(const double *point, int32_t count, cn_arena *scratch,
                                cn_arena *memory, geom_hull *out, cn_error *error);
// Whether the faces given (cn_shape_def) are a closed surface, oriented outwards, and that of the
// hull of the points.
cn_status geom_hull_check_faces(const cn_shape_def *def, const double *point, const geom_hull *hull,
                                cn_arena *scratch, cn_error *error);

// half: half edges; R by rows and position: where its frame is.
cn_status geom_hull_box(int32_t dim, const double half[3], const double R[9],
                        const double position[3], cn_arena *memory, geom_hull *out,
                        cn_error *error);
// 2D, z = 0: a convex polygon, either way round; the hull is counter-clockwise.
cn_status geom_hull_polygon(const double *point, int32_t count, cn_arena *scratch, cn_arena *memory,
                            geom_hull *out, cn_error *error);

// One side of an edge, by the loop slot that it starts at. Sorted, the sides of an edge are beside
// each other.
typedef struct geom_half_edge {
    int32_t low, high; // its vertices
    int32_t slot;
    bool forward; // from low to high
} geom_half_edge;
geom_half_edge geom_half_edge_make(int32_t from, int32_t to, int32_t slot);
void geom_half_edges_sort(geom_half_edge *edge, int64_t count);

// vertex, normal and offset for the counts in *hull.
cn_status geom_hull_take(cn_arena *memory, geom_hull *hull, cn_error *error);
void geom_hull_center(geom_hull *hull);
// Twice the area of a polygon, along its normal.
void geom_loop_area(const double *point, const int32_t *loop, int32_t count, double area[3]);

// Volume (2D: area), first and second moments about the point `about`.
typedef struct geom_moments {
    double volume, first[3], second[9];
} geom_moments;
void geom_moments_add_tetrahedron(geom_moments *sum, const double a[3], const double b[3],
                                  const double c[3]); // the fourth corner is the origin
void geom_hull_moments(const geom_hull *hull, int32_t dim, const double about[3],
                       geom_moments *out);

#endif
