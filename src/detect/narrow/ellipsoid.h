// detect/narrow/ellipsoid.h
// A point and an ellipsoid (3D) or ellipse (2D).
#ifndef CAIRN_DETECT_NARROW_ELLIPSOID_H
#define CAIRN_DETECT_NARROW_ELLIPSOID_H

#include <stdbool.h>
#include <stdint.h>

// The signed distance of y, in the ellipsoid's own frame, to its surface (negative inside), the
// nearest point of the surface and the outward normal there. In 2D the third components are zero.
double det_ellipsoid_distance(int32_t dim, const double axes[3], const double y[3], double foot[3],
                              double normal[3]);

#endif
