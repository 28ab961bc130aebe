// detect/narrow/pair_tube.c
// A capsule along the wall of a cylinder, as a rope on a drum: the point of the capsule's line that
// is nearest to the cylinder's axis, and its foot there. Where the foot lies between the ends the
// radial direction parts the two best, since it is square to the axis and no point of the line is
// nearer; elsewhere, and of a deep overlap, the general search tells.
#include "detect/narrow/convex.h"

#include "math/vec3.h"

#include <math.h>

// Squared sine between the two lines below which the nearest point is not well known.
#define CN_TUBES_PARALLEL 1e-6

// What the nearest point says.
typedef enum cn_wall { CN_WALL_APART, CN_WALL_NEAR, CN_WALL_UNKNOWN } cn_wall;

// x := x without its part along the unit vector e; returns that part.
static double cn_take_along(const double e[3], double x[3]) {
    double along = cn_dot3(e, x);
    cn_add_scaled3(x, -along, e, x);
    return along;
}

// The middle of a tube, whose corners are its ends, and the way from there to its second end.
static void cn_tube_line(const cn_convex *c, double middle[3], double way[3]) {
    double end[2][3];
    cn_convex_corner(c, 0, end[0]);
    cn_convex_corner(c, 1, end[1]);
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (end[0][i] + end[1][i]);
        way[i] = 0.5 * (end[1][i] - end[0][i]);
    }
}

// a: the capsule, b: the cylinder.
static cn_wall cn_wall_axis(const cn_couple *c, double alert, cn_axis *out) {
    const double *e = c->b.axis;
    double half = c->b.shape->half, radius = c->b.shape->radius;
    double point[3], way[3], foot[3], unused[3], span[3], across[3];
    cn_tube_line(&c->a, point, way);
    cn_tube_line(&c->b, foot, unused);
    double length = cn_norm3(way);
    cn_sub3(point, foot, span);
    for (int i = 0; i < 3; i++) {
        across[i] = way[i];
    }
    double t = cn_take_along(e, span), slope = cn_take_along(e, across);
    double square = cn_dot3(across, across);
    if (!(square > CN_TUBES_PARALLEL * length * length)) {
        return CN_WALL_UNKNOWN;
    }
    double s = fmin(fmax(-cn_dot3(span, across) / square, -1.0), 1.0);
    cn_add_scaled3(span, s, across, span);
    cn_add_scaled3(point, s, way, point);
    t += s * slope;
    double away = cn_norm3(span);
    out->gap = away - radius - c->a.margin;
    if (out->gap > alert) {
        return CN_WALL_APART;
    }
    // Over the wall, and nearer to it than to an end where they overlap.
    double room = half - fabs(t);
    if (!(room > c->slack && room > -out->gap && out->gap > -CN_SHALLOW * c->scale)) {
        return CN_WALL_UNKNOWN;
    }
    cn_add_scaled3(foot, t, e, foot);
    for (int i = 0; i < 3; i++) {
        out->normal[i] = span[i] / away;
    }
    cn_add_scaled3(point, -c->a.margin, out->normal, out->on_a);
    cn_add_scaled3(foot, radius, out->normal, out->on_b);
    return CN_WALL_NEAR;
}

void cn_pair_capsule_cylinder(const cn_placed *a, const cn_placed *b, double alert,
                              cn_manifold *out) {
    cn_couple c;
    cn_axis axis;
    cn_couple_place(a, b, &c);
    cn_wall wall = cn_wall_axis(&c, alert, &axis);
    if (wall == CN_WALL_NEAR) {
        cn_axis_contacts(&c, &axis, alert, out);
        cn_couple_restore(b, out);
    } else if (wall == CN_WALL_UNKNOWN) {
        cn_pair_convex(a, b, alert, out);
    }
}
