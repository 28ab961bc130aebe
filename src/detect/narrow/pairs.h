// detect/narrow/pairs.h
// The functions that the table of pairs names, and what they share. Each takes its kinds in the
// order of its name.
#ifndef CAIRN_DETECT_NARROW_PAIRS_H
#define CAIRN_DETECT_NARROW_PAIRS_H

#include "detect/narrow/narrow.h"

// Writes the manifold of a against b, normal from b to a; points with gap <= alert.
typedef void det_pair_fn(const det_placed *a, const det_placed *b, double alert, det_manifold *out);

// World point of a point of the shape's body.
void det_placed_point(const det_placed *placed, const double local[3], double world[3]);
// The shape's own frame origin in the world.
void det_placed_origin(const det_placed *placed, double world[3]);

// Unit normal and offset of a plane or line in the world: free where normal . x >= offset.
void det_placed_plane(const det_placed *placed, double normal[3], double *offset);

// Even steps round the circle, (cos, sin), counter-clockwise.
#define DET_AROUND 16
extern const double det_around[DET_AROUND][2];

// One contact of two spheres (radius 0: points) with centres a and b; nothing when farther than
// alert. Concentric spheres get the normal `spare`.
void det_sphere_contact(const double a[3], double radius_a, const double b[3], double radius_b,
                        const double spare[3], double alert, uint32_t feature, det_manifold *out);
// One contact of a sphere with a plane or line.
void det_sphere_plane_contact(const double center[3], double radius, const det_placed *plane,
                              double alert, det_manifold *out);
// Adds a point; nothing when the gap is above alert. Full: the shallowest gives way.
void det_manifold_add(det_manifold *out, const double point[3], const double normal[3], double gap,
                      double alert, uint32_t feature);
// Turns a manifold round, as when a and b are swapped.
void det_manifold_flip(det_manifold *out);

det_pair_fn det_pair_sphere_sphere, det_pair_sphere_plane, det_pair_sphere_hull;
det_pair_fn det_pair_sphere_capsule, det_pair_sphere_cylinder, det_pair_sphere_ellipsoid;
det_pair_fn det_pair_hull_plane,
    det_pair_round_plane; // round: capsule, cylinder, ellipsoid; ellipse
det_pair_fn det_pair_capsule_capsule, det_pair_capsule_cylinder;
det_pair_fn det_pair_box_box;
det_pair_fn det_pair_convex; // any two that are bounded, 3D
det_pair_fn det_pair_disk_disk, det_pair_disk_ring, det_pair_disk_polygon;
det_pair_fn det_pair_polygon_polygon, det_pair_polygon_line, det_pair_polygon_ring;
det_pair_fn det_pair_ellipse_ellipse, det_pair_ellipse_ring;
det_pair_fn det_pair_disk_ellipse, det_pair_ellipse_polygon;

#endif
