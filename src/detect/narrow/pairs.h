// detect/narrow/pairs.h
// The functions that the table of pairs names, and what they share. Each takes its kinds in the
// order of its name.
#ifndef CAIRN_DETECT_NARROW_PAIRS_H
#define CAIRN_DETECT_NARROW_PAIRS_H

#include "detect/narrow/narrow.h"

// Writes the manifold of a against b, normal from b to a; points with gap <= alert.
typedef void cn_pair_fn(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out);

// World point of a point of the shape's body.
void cn_placed_point(const cn_placed *placed, const double local[3], double world[3]);
// The shape's own frame origin in the world.
void cn_placed_origin(const cn_placed *placed, double world[3]);

// Unit normal and offset of a plane or line in the world: free where normal . x >= offset.
void cn_placed_plane(const cn_placed *placed, double normal[3], double *offset);

// Even steps round the circle, (cos, sin), counter-clockwise.
#define CN_AROUND 16
extern const double cn_around[CN_AROUND][2];

// One contact of two balls (radius 0: points) with centres a and b; nothing when farther than
// alert. Concentric balls get the normal `spare`.
void cn_sphere_contact(const double a[3], double radius_a, const double b[3], double radius_b,
                       const double spare[3], double alert, uint32_t feature, cn_manifold *out);
// One contact of a ball with a plane or line.
void cn_ball_plane_contact(const double center[3], double radius, const cn_placed *plane,
                           double alert, cn_manifold *out);
// Adds a point; nothing when the gap is above alert. Full: the shallowest gives way.
void cn_manifold_add(cn_manifold *out, const double point[3], const double normal[3], double gap,
                     double alert, uint32_t feature);
// Turns a manifold round, as when a and b are swapped.
void cn_manifold_flip(cn_manifold *out);

cn_pair_fn cn_pair_sphere_sphere, cn_pair_sphere_plane, cn_pair_sphere_hull;
cn_pair_fn cn_pair_sphere_capsule, cn_pair_sphere_cylinder, cn_pair_sphere_ellipsoid;
cn_pair_fn cn_pair_hull_plane, cn_pair_round_plane; // round: capsule, cylinder, ellipsoid; ellipse
cn_pair_fn cn_pair_capsule_capsule, cn_pair_capsule_cylinder;
cn_pair_fn cn_pair_box_box;
cn_pair_fn cn_pair_convex; // any two that are bounded, 3D
cn_pair_fn cn_pair_disk_disk, cn_pair_disk_ring, cn_pair_disk_polygon;
cn_pair_fn cn_pair_polygon_polygon, cn_pair_polygon_line, cn_pair_polygon_ring;
cn_pair_fn cn_pair_ellipse_ellipse, cn_pair_ellipse_ring;
cn_pair_fn cn_pair_disk_ellipse, cn_pair_ellipse_polygon;

#endif
