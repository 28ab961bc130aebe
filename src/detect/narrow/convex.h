// detect/narrow/convex.h
// Any bounded convex shape as the sum of a polytope, an ellipsoid that may be flat, and a ball:
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
#define CN_SHALLOW 1e-4

// Coordinates are relative to an origin near the two bodies, along the world's axes.
typedef struct cn_convex {
    const cn_shape *shape;
    double R[9], position[3];
    int32_t corner_count;
    const double *corner; // in the body's frame, 3 each
    double own[6];        // the corners of those that have no hull
    bool round;           // L is not zero
    double L[9];          // rows: a semi-axis times its direction
    double axis[3];       // of capsule and cylinder
    double margin;
} cn_convex;

// out must stay where it is: its corners may lie inside it.
void cn_convex_place(const cn_placed *placed, const double origin[3], cn_convex *out);
static inline void cn_convex_corner(const cn_convex *c, int32_t i, double out[3]) {
    cn_mat3_apply(c->R, c->corner + 3 * (int64_t)i, out);
    cn_add_scaled3(c->position, 1.0, out, out);
}
// The point farthest along d, without the ball, and the corner that it belongs to.
int32_t cn_convex_support(const cn_convex *c, const double d[3], double point[3]);
// max d . x, the ball included; d is a unit vector.
double cn_convex_height(const cn_convex *c, const double d[3]);

// Flat faces: of hulls, and the two ends of a cylinder.
int32_t cn_convex_faces(const cn_convex *c);
void cn_convex_face_plane(const cn_convex *c, int32_t f, double normal[3], double *offset);
// Whether a point over face f projects into it, to slack.
bool cn_convex_face_holds(const cn_convex *c, int32_t f, const double x[3], double slack);
void cn_convex_face_patch(const cn_convex *c, int32_t f, cn_patch *out);
// What d sees of the surface: the face whose normal is within acos(flat) of d; or a straight part
// that d meets square, to `square`; or the farthest point.
void cn_convex_patch(const cn_convex *c, const double d[3], double flat, double square,
                     cn_patch *out);

// Two bodies, placed about the origin of b.
typedef struct cn_couple {
    cn_convex a, b;
    double slack; // lengths that are round-off
    double scale; // the size of the smaller one
} cn_couple;
void cn_couple_place(const cn_placed *a, const cn_placed *b, cn_couple *out);

// A face of a or b, and how far the other body is from its plane.
typedef struct cn_best_face {
    bool of_a;
    int32_t face;          // -1: none
    double normal[3], gap; // outward
} cn_best_face;

// The best normal so far: s(n) = gap, and points of the two surfaces that are gap apart along it.
typedef struct cn_axis {
    double normal[3], gap;
    double on_a[3], on_b[3];
} cn_axis;

// Maximises s from the normal in *axis. `known` is the value of a local maximum, -DBL_MAX when none
// is known: then the search ends when nothing is much better. False when the bodies are farther
// apart than alert.
bool cn_convex_axis(const cn_couple *c, double alert, double known, cn_axis *axis);

// Contacts over a face; false when its normal is no local maximum of the separation: what is lowest
// over its plane is not over the face.
bool cn_face_contacts(const cn_couple *c, const cn_best_face *best, double alert, cn_manifold *out);
// Contacts along the normal of largest separation, where that is of no face.
void cn_axis_contacts(const cn_couple *c, const cn_axis *axis, double alert, cn_manifold *out);
// All from the face on: its contacts when its normal is the best, else those along the best normal.
// settled: no other normal of an overlap need be looked at.
void cn_couple_contacts(const cn_couple *c, const cn_best_face *best, bool settled, double alert,
                        cn_manifold *out);
// From the couple's origin to the world's.
void cn_couple_restore(const cn_placed *b, cn_manifold *out);

#endif
