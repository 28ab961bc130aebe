// detect/narrow/convex.h
// Any bounded convex shape as the sum of a polytope, an ellipsoid that may be flat, and a sphere:
// sphere, capsule, cylinder, ellipsoid and hull in one form. Its support function is
//     h(n) = max corner . n + |L n| + margin.
// The signed distance of a and b is the largest separation
//     s(n) = -h_a(-n) - h_b(n)
// over unit normals n from b to a: their distance when they are apart, minus the least translation
// that parts them when they overlap.
#ifndef CAIRN_DETECT_NARROW_CONVEX_H
#define CAIRN_DETECT_NARROW_CONVEX_H

#include "detect/narrow/patch.h"
#include "math/vec3.h"

// An overlap shallower than this share of the smaller body takes the first way out that is a
// nearest one; of a deeper one all ways are compared, to that share.
#define DET_SHALLOW 1e-4

// Coordinates are relative to an origin near the two bodies, along the world's axes.
typedef struct proj_convex {
    const geom_shape *shape;
    double R[9], position[3];
    int32_t corner_count;
    const double *corner; // in the body's frame, 3 each
    double own[6];        // the corners of those that have no hull
    bool round;           // L is not zero
    double L[9];          // rows: a semi-axis times its direction
    double axis[3];       // of capsule and cylinder
    double margin;
} proj_convex;

// out must stay where it is: its corners may lie inside it.
void det_convex_place(const det_placed *placed, const double origin[3], proj_convex *out);
static inline void det_convex_corner(const proj_convex *c, int32_t i, double out[3]) {
    math_mat3_apply(c->R, c->corner + 3 * (int64_t)i, out);
    math_add_scaled3(c->position, 1.0, out, out);
}
// The point farthest along d, without the sphere, and the corner that it belongs to.
int32_t det_convex_support(const proj_convex *c, const double d[3], double point[3]);
// max d . x, the sphere included; d is a unit vector.
double det_convex_height(const proj_convex *c, const double d[3]);

// Flat faces: of hulls, and the two ends of a cylinder.
int32_t det_convex_faces(const proj_convex *c);
void det_convex_face_plane(const proj_convex *c, int32_t f, double normal[3], double *offset);
// Whether a point over face f projects into it, to slack.
bool det_convex_face_holds(const proj_convex *c, int32_t f, const double x[3], double slack);
void det_convex_face_patch(const proj_convex *c, int32_t f, det_patch *out);
// What d sees of the surface: the face whose normal is within acos(flat) of d; or a straight part
// that d meets square, to `square`; or the farthest point.
void det_convex_patch(const proj_convex *c, const double d[3], double flat, double square,
                      det_patch *out);

// Two bodies, placed about the origin of b.
typedef struct det_couple {
    proj_convex a, b;
    double slack; // lengths that are round-off
    double scale; // the size of the smaller one
} det_couple;
void det_couple_place(const det_placed *a, const det_placed *b, det_couple *out);

// A face of a or b, and how far the other body is from its plane.
typedef struct det_best_face {
    bool of_a;
    int32_t face;          // -1: none
    double normal[3], gap; // outward
} det_best_face;

// The best normal so far: s(n) = gap, and points of the two surfaces that are gap apart along it.
typedef struct det_axis {
    double normal[3], gap;
    double on_a[3], on_b[3];
} det_axis;

// Maximises s from the normal in *axis. `known` is the value of a local maximum, -DBL_MAX when none
// is known: then the search ends when nothing is much better. False when the bodies are farther
// apart than alert.
bool det_convex_axis(const det_couple *c, double alert, double known, det_axis *axis);

// Contacts over a face; false when its normal is no local maximum of the separation: what is lowest
// over its plane is not over the face.
bool det_face_contacts(const det_couple *c, const det_best_face *best, double alert,
                       det_manifold *out);
// Contacts along the normal of largest separation, where that is of no face.
void det_axis_contacts(const det_couple *c, const det_axis *axis, double alert, det_manifold *out);
// All from the face on: its contacts when its normal is the best, else those along the best normal.
// settled: no other normal of an overlap need be looked at.
void det_couple_contacts(const det_couple *c, const det_best_face *best, bool settled, double alert,
                         det_manifold *out);
// From the couple's origin to the world's.
void det_couple_restore(const det_placed *b, det_manifold *out);

#endif
