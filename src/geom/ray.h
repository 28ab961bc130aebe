// geom/ray.h
// Where a ray enters a shape.
#ifndef CAIRN_GEOM_RAY_H
#define CAIRN_GEOM_RAY_H

#include "geom/shape.h"

// The ray o + t d, |d| = 1, 0 <= t <= reach, in the body's frame about its centre of mass. Where it
// enters first: t and the outward normal there; from inside t = 0 and the normal is -d.
bool geom_shape_ray(const geom_shape *shape, int32_t dim, const double o[3], const double d[3],
                    double reach, double *t, double normal[3]);

#endif
