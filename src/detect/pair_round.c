// detect/pair_round.c
// Balls against balls and flat or hollow things, in both dimensions.
#include "detect/pairs.h"
#include "math/vec3.h"

#include <string.h>

void cn_ball_contact(int32_t dim, const double a[3], double radius_a, const double b[3],
                     double radius_b, double alert, cn_manifold *out) {
    double apart[3], normal[3], point[3];
    cn_sub3(a, b, apart);
    double distance = cn_norm3(apart), gap = distance - (radius_a + radius_b);
    if (!(gap <= alert)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        normal[i] = distance > 0.0 ? apart[i] / distance : (i == dim - 1 ? 1.0 : 0.0);
    }
    cn_add_scaled3(b, radius_b + 0.5 * gap, normal, point);
    cn_manifold_add(out, point, normal, gap, alert, 0);
}

static void cn_round_pair(int32_t dim, const cn_placed *a, const cn_placed *b, double alert,
                          cn_manifold *out) {
    double ca[3], cb[3];
    cn_placed_origin(a, ca);
    cn_placed_origin(b, cb);
    cn_ball_contact(dim, ca, a->shape->radius, cb, b->shape->radius, alert, out);
}

void cn_pair_sphere_sphere(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    cn_round_pair(3, a, b, alert, out);
}

void cn_pair_disk_disk(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    cn_round_pair(2, a, b, alert, out);
}

void cn_pair_sphere_plane(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    double center[3], normal[3], offset, point[3];
    cn_placed_origin(a, center);
    cn_placed_plane(b, normal, &offset);
    double gap = cn_dot3(normal, center) - offset - a->shape->radius;
    cn_add_scaled3(center, -(a->shape->radius + 0.5 * gap), normal, point);
    cn_manifold_add(out, point, normal, gap, alert, 0);
}

void cn_pair_disk_line(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    cn_pair_sphere_plane(a, b, alert, out);
}

// Inside a hollow ring the normal points to its centre. A disk at the centre is farthest from
// contact: any normal will do.
void cn_pair_disk_ring(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    double center[3], ring[3], apart[3], normal[3], point[3];
    cn_placed_origin(a, center);
    cn_placed_origin(b, ring);
    cn_sub3(center, ring, apart);
    double distance = cn_norm3(apart), gap = b->shape->radius - a->shape->radius - distance;
    for (int i = 0; i < 3; i++) {
        normal[i] = distance > 0.0 ? -apart[i] / distance : (i == 1 ? 1.0 : 0.0);
    }
    cn_add_scaled3(center, -(a->shape->radius + 0.5 * gap), normal, point);
    cn_manifold_add(out, point, normal, gap, alert, 0);
}
