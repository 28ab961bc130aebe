// detect/narrow/patch.h
// Where two convex bodies face each other: the part of a surface that a direction sees (a point, a
// straight segment or a flat polygon), and the contacts of two such parts.
//
// A contact point is a corner of one of the two parts, or the crossing of two of their edges, and
// its feature is numbered by that alone, not by which part was cut by which: the numbers stay when
// bodies rock by round-off.
#ifndef CAIRN_DETECT_NARROW_PATCH_H
#define CAIRN_DETECT_NARROW_PATCH_H

#include "detect/narrow/pairs.h"

// Lengths below this share of the two bodies' size are round-off: which of two equal axes wins,
// what lies in a plane.
#define DET_SLACK 1e-9

#define DET_FACE_MAX 32                  // corners taken of a face; one with more is thinned evenly
#define DET_PATCH_MAX (2 * DET_FACE_MAX) // each side of the other patch cuts off or adds one

// Kinds of features, in the two highest bits; below them numbers of vertices, of which hulls have
// less than 2^14. An edge has the number of the vertex that it starts at.
#define DET_FEATURE_A 0u                 // | vertex of a
#define DET_FEATURE_B 0x40000000u        // | vertex of b
#define DET_FEATURE_CROSSING 0x80000000u // | edge of a << DET_VERTEX_BITS | edge of b
#define DET_FEATURE_DEEPEST 0xc0000000u  // the nearest points, where they are no corners
#define DET_VERTEX_BITS 14

typedef struct det_corner {
    double x[3];
    uint32_t id; // of the body's vertex
} det_corner;

typedef struct det_patch {
    int32_t count;    // 1: point, 2: segment, more: polygon, counter-clockwise about normal
    double normal[3]; // unit, outward; of polygons only
    det_corner corner[DET_FACE_MAX];
} det_patch;

// How many of `count` corners in a loop a patch takes, and which is its i-th.
static inline int32_t det_patch_taken(int32_t count) {
    return count < DET_FACE_MAX ? count : DET_FACE_MAX;
}

static inline int32_t det_patch_pick(int32_t count, int32_t i) {
    return count <= DET_FACE_MAX ? i : (int32_t)((int64_t)i * count / DET_FACE_MAX);
}

// Adds the corners of the overlap of a and b seen along normal (unit, from b to a), each with the
// gap that the two parts have there; at most CN_MANIFOLD_MOST of them, the deepest and the extreme
// ones. One of the two at least is a polygon. Returns the least gap of the overlap, DBL_MAX when
// there is none.
double det_patch_contact(const det_patch *a, const det_patch *b, const double normal[3],
                         double alert, double slack, det_manifold *out);
// The same for two segments, parallel or nearly so: the ends of their overlap.
double det_segment_contact(const det_patch *a, const det_patch *b, const double normal[3],
                           double alert, double slack, det_manifold *out);

// The stretch along which two nearly parallel segments run side by side: its two ends, each an end
// of one segment and its foot on the other's line. Returns 2, 1 end to end, 0 when there is none.
typedef struct det_side_end {
    double on_a[3], on_b[3];
    bool of_a; // whose end it is
    int32_t end;
} det_side_end;
int32_t det_segment_overlap(const double a[2][3], const double b[2][3], double slack,
                            det_side_end out[2]);

// Of many candidates with gaps, at most CN_MANIFOLD_MOST to keep: the deepest, and the extreme ones
// in eight directions of the plane of t1 and t2, so that the support area is kept. Returns how
// many.
typedef double det_candidate_fn(const void *from, int32_t i, double x[3]); // its gap
int32_t det_pick_extremes(det_candidate_fn *get, const void *from, int32_t count,
                          const double t1[3], const double t2[3], double alert, double slack,
                          int32_t keep[DET_MANIFOLD_MAX]);

// The points of two segments that are nearest to one another.
void det_segment_nearest(const double a0[3], const double a1[3], const double b0[3],
                         const double b1[3], double on_a[3], double on_b[3]);

#endif
