// detect/narrow/narrow.h
// Two placed shapes -> contact points, the contact manifold of the pair. A table shape x shape;
// each entry gives a full manifold.
//
// Gap: signed distance along the normal, negative when the shapes overlap, continuous through
// contact. A pair of flat faces gives the corners of their overlap, at least 4 in 3D and 2 in 2D,
// so that a block stands on its face.
// A sphere or disk has its contact point on the line from its centre along the normal, radius +
// gap/2 away: the middle of the gap.
#ifndef CAIRN_DETECT_NARROW_NARROW_H
#define CAIRN_DETECT_NARROW_NARROW_H

#include "geom/shape.h"

// A shape where its body puts it: world point = R x + position for x in the body's frame about its
// centre of mass.
typedef struct det_placed {
    const geom_shape *shape;
    double position[3];
    double R[9];
    const struct det_box_frame *frame; // of a box, made once for all its pairs; NULL: not made
} det_placed;

// A box in the world: its axes, one after the other, and its centre.
typedef struct det_box_frame {
    double axis[3][3], center[3];
} det_box_frame;
void det_box_frame_place(const det_placed *placed, det_box_frame *out);

typedef struct det_manifold_point {
    double point[3];  // midway between the two surfaces
    double normal[3]; // unit, from b towards a
    double gap;
    uint32_t feature; // the same feature pair gives the same number from step to step; no two alike
} det_manifold_point;

#define DET_MANIFOLD_MAX 8
typedef struct det_manifold {
    int32_t count;
    uint32_t parting; // a face that parts the two shapes, by a number of the pair's own; 0: none
    det_manifold_point point[DET_MANIFOLD_MAX];
} det_manifold;

// Points with gap <= alert; count 0 when there are none. The least gap is the signed distance of
// the two shapes: exact when they are apart; of a deep overlap the least way out to a
// ten-thousandth of the smaller shape's size. Deterministic; swapping a and b flips the normals,
// renames features and moves points by round-off. false: this pair of kinds never touches
// (plane/plane ...).
bool det_narrow(int32_t dim, const det_placed *a, const det_placed *b, double alert,
                det_manifold *out);
// The same to the last bit, sooner where the face out->parting, which parted the two in an earlier
// call, still does. Any number will do: it is tried and never believed.
bool det_narrow_again(int32_t dim, const det_placed *a, const det_placed *b, double alert,
                      det_manifold *out);
bool det_narrow_supports(int32_t dim, cn_shape_kind a, cn_shape_kind b);

#endif
