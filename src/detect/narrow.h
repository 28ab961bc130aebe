// detect/narrow.h
// Two placed shapes -> contact points. A table shape x shape; each entry gives a full manifold.
//
// Gap: signed distance along the normal, negative when the shapes overlap, continuous through
// contact. A pair of flat faces gives the corners of their overlap, at least 4 in 3D and 2 in 2D,
// so that a block stands on its face.
// A sphere or disk has its contact point on the line from its centre along the normal, radius +
// gap/2 away: the middle of the gap.
#ifndef CAIRN_DETECT_NARROW_H
#define CAIRN_DETECT_NARROW_H

#include "geom/shape.h"

// A shape where its body puts it: world point = R x + position for x in the body's frame about its
// centre of mass.
typedef struct cn_placed {
    const cn_shape *shape;
    double position[3];
    double R[9];
} cn_placed;

typedef struct cn_manifold_point {
    double point[3];  // midway between the two surfaces
    double normal[3]; // unit, from b towards a
    double gap;
    uint32_t feature; // the same feature pair gives the same number from step to step; no two alike
} cn_manifold_point;

#define CN_MANIFOLD_MOST 8
typedef struct cn_manifold {
    int32_t count;
    cn_manifold_point point[CN_MANIFOLD_MOST];
} cn_manifold;

// Points with gap <= alert; count 0 when there are none. The least gap is the signed distance of
// the two shapes: exact when they are apart; of a deep overlap the least way out to a
// ten-thousandth of the smaller shape's size. Deterministic; swapping a and b flips the normals,
// renames features and moves points by round-off. false: this pair of kinds never touches
// (plane/plane ...).
bool cn_narrow(int32_t dim, const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out);
bool cn_narrow_supports(int32_t dim, cn_shape_kind a, cn_shape_kind b);

#endif
