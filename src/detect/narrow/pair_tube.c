// detect/narrow/pair_tube.c
// A capsule along the wall of a cylinder, as a rope on a drum: the point of the capsule's line that
// is nearest to the cylinder's axis, and its foot there. Where the foot lies between the ends the
// radial direction parts the two best, since it is square to the axis and no point of the line is
// nearer; elsewhere, and of a deep overlap, the general search tells.
#include "detect/narrow/convex.h"

#include "math/vec3.h"

#include <math.h>

// Squared sine between the two lines below which the nearest point is not well known.
#define TUBES_PARALLEL 1e-6

// What the nearest point says.
typedef enum det_wall { WALL_APART, WALL_NEAR, WALL_UNKNOWN } det_wall;

// x := x without its part along the unit vector e; returns that part.
static double take_along(const double e[3], double x[3]) {
    double along = math_dot3(e, x);
    math_add_scaled3(x, -along, e, x);
    return along;
}

// The middle of a tube, whose corners are its ends, and the way from there to its second end.
static void tube_line(const proj_convex *c, double middle[3], double way[3]) {
    double end[2][3];
    det_convex_corner(c, 0, end[0]);
    det_convex_corner(c, 1, end[1]);
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (end[0][i] + end[1][i]);
        way[i] = 0.5 * (end[1][i] - end[0][i]);
    }
}

// a: the capsule, b: the cylinder.
static det_wall wall_axis(const det_couple *c, double alert, det_axis *out) {
    const double *e = c->b.axis;
    double half = c->b.shape->half, radius = c->b.shape->radius;
    double point[3], way[3], foot[3], unused[3], span[3], across[3];
    tube_line(&c->a, point, way);
    tube_line(&c->b, foot, unused);
    double length = math_norm3(way);
    math_sub3(point, foot, span);
    for (int i = 0; i < 3; i++) {
        across[i] = way[i];
    }
    double t = take_along(e, span), slope = take_along(e, across);
    double square = math_dot3(across, across);
    if (!(square > TUBES_PARALLEL * length * length)) {
        return WALL_UNKNOWN;
    }
    double s = fmin(fmax(-math_dot3(span, across) / square, -1.0), 1.0);
    math_add_scaled3(span, s, across, span);
    math_add_scaled3(point, s, way, point);
    t += s * slope;
    double away = math_norm3(span);
    out->gap = away - radius - c->a.margin;
    if (out->gap > alert) {
        return WALL_APART;
    }
    // Over the wall, and nearer to it than to an end where they overlap.
    double room = half - fabs(t);
    if (!(room > c->slack && room > -out->gap && out->gap > -DET_SHALLOW * c->scale)) {
        return WALL_UNKNOWN;
    }
    math_add_scaled3(foot, t, e, foot);
    for (int i = 0; i < 3; i++) {
        out->normal[i] = span[i] / away;
    }
    math_add_scaled3(point, -c->a.margin, out->normal, out->on_a);
    math_add_scaled3(foot, radius, out->normal, out->on_b);
    return WALL_NEAR;
}

void det_pair_capsule_cylinder(const det_placed *a, const det_placed *b, double alert,
                               det_manifold *out) {
    det_couple c;
    det_axis axis;
    det_couple_place(a, b, &c);
    det_wall wall = wall_axis(&c, alert, &axis);
    if (wall == WALL_NEAR) {
        det_axis_contacts(&c, &axis, alert, out);
        det_couple_restore(b, out);
    } else if (wall == WALL_UNKNOWN) {
        det_pair_convex(a, b, alert, out);
    }
}
