// geom/mass.c
// Mass properties at density 1, exact for every kind: closed forms, and for hulls the integrals of
// 1, x and x x' over the tetrahedra (2D: triangles) that their faces make with an inner point.
//
// Over a tetrahedron with corners 0, a, b, c and d = det(a, b, c), s = a + b + c:
//     V = d/6,  int x = d/24 s,  int x x' = d/120 (a a' + b b' + c c' + s s').
// Taken about a point inside, so that all parts have the same sign and nothing cancels.
#include "geom/hull.h"
#include "geom/shape_row.h"
#include "math/vec3.h"

#include <string.h>

#define GEOM_PI 3.14159265358979323846

// A simplex with one corner at the origin and d as above; in 2D d = det(a, b) with 2, 6, 24 below.
static void moments_add(geom_moments *sum, const double *corner[], int32_t corners, double d) {
    double s[3] = {0.0, 0.0, 0.0};
    for (int32_t c = 0; c < corners; c++) {
        math_add_scaled3(s, 1.0, corner[c], s);
    }
    double one = corners == 3 ? d / 6.0 : d / 2.0;
    double two = one / (corners + 1), three = two / (corners + 2);
    sum->volume += one;
    for (int32_t i = 0; i < 3; i++) {
        sum->first[i] += two * s[i];
        for (int32_t j = 0; j < 3; j++) {
            double product = s[i] * s[j];
            for (int32_t c = 0; c < corners; c++) {
                product += corner[c][i] * corner[c][j];
            }
            sum->second[3 * i + j] += three * product;
        }
    }
}

void geom_moments_add_tetrahedron(geom_moments *sum, const double a[3], const double b[3],
                                  const double c[3]) {
    double turn[3];
    math_cross3(b, c, turn);
    moments_add(sum, (const double *[]){a, b, c}, 3, math_dot3(a, turn));
}

static void hull_corner(const geom_hull *hull, int32_t vertex, const double about[3],
                        double out[3]) {
    math_sub3(hull->vertex + 3 * (int64_t)vertex, about, out);
}

void geom_hull_moments(const geom_hull *hull, int32_t dim, const double about[3],
                       geom_moments *out) {
    double a[3], b[3], c[3];
    *out = (geom_moments){0};
    for (int32_t f = 0; f < hull->face_count; f++) {
        if (dim == 2) {
            hull_corner(hull, f, about, a);
            hull_corner(hull, (f + 1) % hull->vertex_count, about, b);
            moments_add(out, (const double *[]){a, b}, 2, a[0] * b[1] - a[1] * b[0]);
            continue;
        }
        hull_corner(hull, hull->loop[hull->face[f]], about, a);
        for (int32_t i = hull->face[f] + 1; i + 1 < hull->face[f + 1]; i++) {
            hull_corner(hull, hull->loop[i], about, b);
            hull_corner(hull, hull->loop[i + 1], about, c);
            geom_moments_add_tetrahedron(out, a, b, c);
        }
    }
}

// out += mass (|d|^2 I - d d'): what the inertia gains at a distance d from the centre of mass.
static void inertia_displace(double inertia[9], double mass, const double d[3]) {
    double square = math_dot3(d, d);
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            inertia[3 * i + j] += mass * ((i == j ? square : 0.0) - d[i] * d[j]);
        }
    }
}

static void mass_of_hull(const geom_hull *hull, int32_t dim, geom_mass *mass) {
    geom_moments m;
    geom_hull_moments(hull, dim, hull->center, &m);
    mass->mass = m.volume;
    double from[3];
    for (int32_t k = 0; k < 3; k++) {
        from[k] = m.first[k] / m.volume;
        mass->com[k] = hull->center[k] + from[k];
    }
    double trace = m.second[0] + m.second[4] + m.second[8];
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            mass->inertia[3 * i + j] = (i == j ? trace : 0.0) - m.second[3 * i + j];
        }
    }
    inertia_displace(mass->inertia, -m.volume, from);
}

// inertia = R diag(moment) R'
static void inertia_rotate(const double R[9], const double moment[3], double inertia[9]) {
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            inertia[3 * i + j] = R[3 * i] * moment[0] * R[3 * j] +
                                 R[3 * i + 1] * moment[1] * R[3 * j + 1] +
                                 R[3 * i + 2] * moment[2] * R[3 * j + 2];
        }
    }
}

// A box's axes are the differences of its corners (geom/hull_box.c), by columns of R.
static void box_axes(const geom_shape *box, int32_t dim, double R[9]) {
    static const int32_t neighbour[2][3] = {{1, 3, 0}, {1, 2, 4}};
    memset(R, 0, 9 * sizeof *R);
    R[8] = 1.0;
    for (int32_t k = 0; k < dim; k++) {
        const double *x = box->hull.vertex + 3 * (int64_t)neighbour[dim - 2][k];
        for (int32_t i = 0; i < 3; i++) {
            R[3 * i + k] = (x[i] - box->hull.vertex[i]) / (2.0 * box->axes[k]);
        }
    }
}

geom_principal geom_principal_sphere(const geom_shape *s) {
    double r = s->radius, m = 4.0 / 3.0 * GEOM_PI * r * r * r, i = 0.4 * m * r * r;
    return (geom_principal){m, {i, i, i}};
}

geom_principal geom_principal_capsule(const geom_shape *s) {
    // A cylinder, and a sphere cut in two halves at its ends.
    double r = s->radius, h = s->half;
    double tube = 2.0 * GEOM_PI * r * r * h, sphere = 4.0 / 3.0 * GEOM_PI * r * r * r;
    double along = tube * 0.5 * r * r + sphere * 0.4 * r * r;
    double across =
        tube * (0.25 * r * r + h * h / 3.0) + sphere * (0.4 * r * r + h * h + 0.75 * h * r);
    return (geom_principal){tube + sphere, {across, across, along}};
}

geom_principal geom_principal_cylinder(const geom_shape *s) {
    double r = s->radius, h = s->half, m = 2.0 * GEOM_PI * r * r * h;
    double across = m * (0.25 * r * r + h * h / 3.0);
    return (geom_principal){m, {across, across, 0.5 * m * r * r}};
}

// m share (y^2 + z^2) and so on
static geom_principal principal_axes(double m, double share, const double axes[3]) {
    double x = axes[0] * axes[0], y = axes[1] * axes[1], z = axes[2] * axes[2];
    return (geom_principal){m, {m * share * (y + z), m * share * (x + z), m * share * (x + y)}};
}

geom_principal geom_principal_ellipsoid(const geom_shape *s) {
    return principal_axes(4.0 / 3.0 * GEOM_PI * s->axes[0] * s->axes[1] * s->axes[2], 0.2, s->axes);
}

geom_principal geom_principal_ellipse(const geom_shape *s) {
    return principal_axes(GEOM_PI * s->axes[0] * s->axes[1], 0.25, s->axes);
}

geom_principal geom_principal_disk(const geom_shape *s) {
    double r = s->radius, m = GEOM_PI * r * r;
    return (geom_principal){m, {0.0, 0.0, 0.5 * m * r * r}};
}

// In 2D the third axis is 0 and stands for a metre of depth in the mass.
geom_principal geom_principal_box(const geom_shape *s) {
    double depth = s->axes[2] > 0.0 ? 2.0 * s->axes[2] : 1.0;
    return principal_axes(4.0 * s->axes[0] * s->axes[1] * depth, 1.0 / 3.0, s->axes);
}

void geom_shape_mass(const geom_shape *shape, int32_t dim, geom_mass *mass) {
    const geom_shape_row *row = geom_shape_row_of(shape->kind);
    *mass = (geom_mass){0};
    if (row->principal) {
        geom_principal own = row->principal(shape);
        double R[9];
        if (shape->kind == CN_SHAPE_BOX) {
            box_axes(shape, dim, R);
        } else {
            memcpy(R, shape->R, sizeof R);
        }
        mass->mass = own.mass;
        memcpy(mass->com, shape->hull.vertex_count ? shape->hull.center : shape->position,
               sizeof mass->com);
        inertia_rotate(R, own.moment, mass->inertia);
    } else if (shape->hull.vertex_count) {
        mass_of_hull(&shape->hull, dim, mass);
    }
    if (dim == 2) {
        memset(mass->inertia, 0, 8 * sizeof *mass->inertia);
    }
}

void geom_mass_add(geom_mass *sum, const geom_mass *part, double factor) {
    double weight = factor * part->mass, total = sum->mass + weight;
    if (!(total > 0.0)) {
        return;
    }
    double from_sum[3], from_part[3];
    for (int32_t k = 0; k < 3; k++) {
        double com = (sum->mass * sum->com[k] + weight * part->com[k]) / total;
        from_sum[k] = sum->com[k] - com;
        from_part[k] = part->com[k] - com;
    }
    for (int32_t i = 0; i < 9; i++) {
        sum->inertia[i] += factor * part->inertia[i];
    }
    inertia_displace(sum->inertia, sum->mass, from_sum);
    inertia_displace(sum->inertia, weight, from_part);
    math_add_scaled3(part->com, -1.0, from_part, sum->com);
    sum->mass = total;
}
