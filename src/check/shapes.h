// check/shapes.h
// Shapes where their bodies put them, by plain formulas: distance of a point to a surface near it,
// farthest points, and whether two shapes are apart. Shares nothing with the detection.
#ifndef CAIRN_CHECK_SHAPES_H
#define CAIRN_CHECK_SHAPES_H

#include "model/model.h"

// World point = R x + center for x in the body's frame about its centre of mass.
typedef struct cn_solid {
    const cn_shape *shape;
    double R[9], center[3];
} cn_solid;

// Shape k of a body at the pose of its centre of mass.
cn_solid cn_solid_at(const cn_model *model, int32_t body, int32_t k, const double *pose);
// Signed distance of a point to the surface, outside positive; exact to first order near it. A ring
// is solid outside its circle.
double cn_solid_distance(const cn_solid *solid, const double point[3]);
// The largest direction . x of its points; infinite where it has no end, as of a ring.
double cn_solid_extent(const cn_solid *solid, const double direction[3]);
// No less than the gap between two shapes where they are nearer than `near`; else at least near, as
// where it cannot be said.
double cn_solids_gap(const cn_solid *a, const cn_solid *b, double near);

#endif
