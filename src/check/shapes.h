// check/shapes.h
// Shapes where their bodies put them, by plain formulas: distance of a point to a surface near it,
// farthest points, and whether two shapes are apart. Shares nothing with the detection.
#ifndef CAIRN_CHECK_SHAPES_H
#define CAIRN_CHECK_SHAPES_H

#include "model/model.h"

// World point = R x + center for x in the body's frame about its centre of mass.
typedef struct check_solid {
    const geom_shape *shape;
    double R[9], center[3];
} check_solid;

// Shape k of a body at the pose of its centre of mass.
check_solid check_solid_at(const cn_model *model, int32_t body, int32_t k, const double *pose);
// Signed distance of a point to the surface, outside positive; exact to first order near it. A ring
// is solid outside its circle.
double check_solid_distance(const check_solid *solid, const double point[3]);
// The largest direction . x of its points; infinite where it has no end, as of a ring.
double check_solid_extent(const check_solid *solid, const double direction[3]);
// No less than the gap between two shapes where they are nearer than `near`; else at least near, as
// where it cannot be said.
double check_solids_gap(const check_solid *a, const check_solid *b, double near);

#endif
