// detect/hulls.h
// What the pairs of convex polyhedra share: contact polygons and their reduction.
#ifndef CAIRN_DETECT_HULLS_H
#define CAIRN_DETECT_HULLS_H

#include "detect/pairs.h"

#define CN_POLYGON_MOST                                                                            \
    64 // corners of a contact polygon; faces with more are cut short to their extreme corners

typedef struct cn_corner {
    double x[3];
    uint32_t id; // the same from step to step for the same features
} cn_corner;

typedef struct cn_polygon {
    int32_t count;
    cn_corner corner[CN_POLYGON_MOST];
} cn_polygon;

// Corners of face f, in the world.
void cn_hull_face(const cn_placed *hull, int32_t f, cn_polygon *out);
// The part of the polygon with normal . x <= offset; corners within slack of the plane stay as they
// are. side numbers the plane in the ids of new corners.
void cn_polygon_clip(cn_polygon *polygon, const double normal[3], double offset, double slack,
                     uint32_t side);
// At most CN_MANIFOLD_MOST of the corners: the extreme ones in eight directions of the plane across
// normal, so that the support area is kept.
void cn_polygon_reduce(cn_polygon *polygon, const double normal[3]);

// The points of two segments that are nearest to one another.
void cn_segment_nearest(const double a0[3], const double a1[3], const double b0[3],
                        const double b1[3], double on_a[3], double on_b[3]);

#endif
