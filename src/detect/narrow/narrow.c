// detect/narrow/narrow.c
// The table of pairs. A pair missing here is found with its shapes swapped, or never touches.
#include "detect/narrow/narrow.h"

#include "detect/narrow/pairs.h"
#include "math/vec3.h"

#include <string.h>

const double det_around[DET_AROUND][2] = {
    {1.0, 0.0},
    {0.92387953251128674, 0.38268343236508977},
    {0.70710678118654752, 0.70710678118654752},
    {0.38268343236508977, 0.92387953251128674},
    {0.0, 1.0},
    {-0.38268343236508977, 0.92387953251128674},
    {-0.70710678118654752, 0.70710678118654752},
    {-0.92387953251128674, 0.38268343236508977},
    {-1.0, 0.0},
    {-0.92387953251128674, -0.38268343236508977},
    {-0.70710678118654752, -0.70710678118654752},
    {-0.38268343236508977, -0.92387953251128674},
    {0.0, -1.0},
    {0.38268343236508977, -0.92387953251128674},
    {0.70710678118654752, -0.70710678118654752},
    {0.92387953251128674, -0.38268343236508977},
};

typedef det_pair_fn *pair_table[CN_SHAPE_KINDS][CN_SHAPE_KINDS];

static const pair_table pairs_3d = {
    [CN_SHAPE_SPHERE][CN_SHAPE_SPHERE] = det_pair_sphere_sphere,
    [CN_SHAPE_SPHERE][CN_SHAPE_BOX] = det_pair_sphere_hull,
    [CN_SHAPE_SPHERE][CN_SHAPE_CAPSULE] = det_pair_sphere_capsule,
    [CN_SHAPE_SPHERE][CN_SHAPE_CYLINDER] = det_pair_sphere_cylinder,
    [CN_SHAPE_SPHERE][CN_SHAPE_ELLIPSOID] = det_pair_sphere_ellipsoid,
    [CN_SHAPE_SPHERE][CN_SHAPE_POLYHEDRON] = det_pair_sphere_hull,
    [CN_SHAPE_SPHERE][CN_SHAPE_PLANE] = det_pair_sphere_plane,
    [CN_SHAPE_BOX][CN_SHAPE_BOX] = det_pair_box_box,
    [CN_SHAPE_BOX][CN_SHAPE_CAPSULE] = det_pair_convex,
    [CN_SHAPE_BOX][CN_SHAPE_CYLINDER] = det_pair_convex,
    [CN_SHAPE_BOX][CN_SHAPE_ELLIPSOID] = det_pair_convex,
    [CN_SHAPE_BOX][CN_SHAPE_POLYHEDRON] = det_pair_convex,
    [CN_SHAPE_BOX][CN_SHAPE_PLANE] = det_pair_hull_plane,
    [CN_SHAPE_CAPSULE][CN_SHAPE_CAPSULE] = det_pair_capsule_capsule,
    [CN_SHAPE_CAPSULE][CN_SHAPE_CYLINDER] = det_pair_capsule_cylinder,
    [CN_SHAPE_CAPSULE][CN_SHAPE_ELLIPSOID] = det_pair_convex,
    [CN_SHAPE_CAPSULE][CN_SHAPE_POLYHEDRON] = det_pair_convex,
    [CN_SHAPE_CAPSULE][CN_SHAPE_PLANE] = det_pair_round_plane,
    [CN_SHAPE_CYLINDER][CN_SHAPE_CYLINDER] = det_pair_convex,
    [CN_SHAPE_CYLINDER][CN_SHAPE_ELLIPSOID] = det_pair_convex,
    [CN_SHAPE_CYLINDER][CN_SHAPE_POLYHEDRON] = det_pair_convex,
    [CN_SHAPE_CYLINDER][CN_SHAPE_PLANE] = det_pair_round_plane,
    [CN_SHAPE_ELLIPSOID][CN_SHAPE_ELLIPSOID] = det_pair_convex,
    [CN_SHAPE_ELLIPSOID][CN_SHAPE_POLYHEDRON] = det_pair_convex,
    [CN_SHAPE_ELLIPSOID][CN_SHAPE_PLANE] = det_pair_round_plane,
    [CN_SHAPE_POLYHEDRON][CN_SHAPE_POLYHEDRON] = det_pair_convex,
    [CN_SHAPE_POLYHEDRON][CN_SHAPE_PLANE] = det_pair_hull_plane,
};

static const pair_table pairs_2d = {
    [CN_SHAPE_DISK][CN_SHAPE_DISK] = det_pair_disk_disk,
    [CN_SHAPE_DISK][CN_SHAPE_BOX] = det_pair_disk_polygon,
    [CN_SHAPE_DISK][CN_SHAPE_ELLIPSE] = det_pair_disk_ellipse,
    [CN_SHAPE_DISK][CN_SHAPE_POLYGON] = det_pair_disk_polygon,
    [CN_SHAPE_DISK][CN_SHAPE_LINE] = det_pair_sphere_plane,
    [CN_SHAPE_DISK][CN_SHAPE_RING] = det_pair_disk_ring,
    [CN_SHAPE_BOX][CN_SHAPE_BOX] = det_pair_polygon_polygon,
    [CN_SHAPE_BOX][CN_SHAPE_POLYGON] = det_pair_polygon_polygon,
    [CN_SHAPE_BOX][CN_SHAPE_LINE] = det_pair_polygon_line,
    [CN_SHAPE_BOX][CN_SHAPE_RING] = det_pair_polygon_ring,
    [CN_SHAPE_ELLIPSE][CN_SHAPE_BOX] = det_pair_ellipse_polygon,
    [CN_SHAPE_ELLIPSE][CN_SHAPE_ELLIPSE] = det_pair_ellipse_ellipse,
    [CN_SHAPE_ELLIPSE][CN_SHAPE_POLYGON] = det_pair_ellipse_polygon,
    [CN_SHAPE_ELLIPSE][CN_SHAPE_LINE] = det_pair_round_plane,
    [CN_SHAPE_ELLIPSE][CN_SHAPE_RING] = det_pair_ellipse_ring,
    [CN_SHAPE_POLYGON][CN_SHAPE_POLYGON] = det_pair_polygon_polygon,
    [CN_SHAPE_POLYGON][CN_SHAPE_LINE] = det_pair_polygon_line,
    [CN_SHAPE_POLYGON][CN_SHAPE_RING] = det_pair_polygon_ring,
};

static det_pair_fn *find_pair(int32_t dim, cn_shape_kind a, cn_shape_kind b) {
    return dim == 3 ? pairs_3d[a][b] : pairs_2d[a][b];
}

bool det_narrow_supports(int32_t dim, cn_shape_kind a, cn_shape_kind b) {
    return find_pair(dim, a, b) || find_pair(dim, b, a);
}

bool det_narrow(int32_t dim, const det_placed *a, const det_placed *b, double alert,
                det_manifold *out) {
    out->parting = 0;
    return det_narrow_again(dim, a, b, alert, out);
}

bool det_narrow_again(int32_t dim, const det_placed *a, const det_placed *b, double alert,
                      det_manifold *out) {
    out->count = 0;
    det_pair_fn *find = find_pair(dim, a->shape->kind, b->shape->kind);
    if (find) {
        find(a, b, alert, out);
        return true;
    }
    find = find_pair(dim, b->shape->kind, a->shape->kind);
    if (!find) {
        return false;
    }
    find(b, a, alert, out);
    det_manifold_flip(out);
    return true;
}

void det_manifold_flip(det_manifold *out) {
    for (int32_t k = 0; k < out->count; k++) {
        for (int i = 0; i < 3; i++) {
            out->point[k].normal[i] = -out->point[k].normal[i];
        }
    }
}

void det_placed_point(const det_placed *placed, const double local[3], double world[3]) {
    math_mat3_apply(placed->R, local, world);
    math_add_scaled3(placed->position, 1.0, world, world);
}

void det_placed_origin(const det_placed *placed, double world[3]) {
    det_placed_point(placed, placed->shape->position, world);
}

void det_placed_plane(const det_placed *placed, double normal[3], double *offset) {
    math_mat3_apply(placed->R, placed->shape->normal, normal);
    *offset = placed->shape->offset + math_dot3(normal, placed->position);
}

void det_manifold_add(det_manifold *out, const double point[3], const double normal[3], double gap,
                      double alert, uint32_t feature) {
    if (!(gap <= alert)) {
        return;
    }
    int32_t place = out->count;
    if (out->count == DET_MANIFOLD_MAX) {
        place = 0;
        for (int32_t k = 1; k < DET_MANIFOLD_MAX; k++) {
            place = out->point[k].gap > out->point[place].gap ? k : place;
        }
        if (out->point[place].gap <= gap) {
            return;
        }
    } else {
        out->count++;
    }
    memcpy(out->point[place].point, point, sizeof out->point[place].point);
    memcpy(out->point[place].normal, normal, sizeof out->point[place].normal);
    out->point[place].gap = gap;
    out->point[place].feature = feature;
}
