// Mass properties against closed forms, under rotation and shift, and cut into pieces.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "geom/shape.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

#define SCENE_PI 3.14159265358979323846

static geom_mass cn_mass_of(const cn_shape_def *def, int32_t dim) {
    cn_arena *memory = cn_arena_create(NULL);
    geom_shape shape;
    cn_error error;
    geom_mass mass;
    if (geom_shape_build(def, dim, memory, &shape, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    geom_shape_mass(&shape, dim, &mass);
    cn_arena_destroy(memory);
    return mass;
}

static void cn_check_diagonal(const geom_mass *got, double mass, double x, double y, double z) {
    CN_CHECK_NEAR(got->mass, mass, 1e-14 * mass);
    const double want[9] = {x, 0, 0, 0, y, 0, 0, 0, z};
    for (int i = 0; i < 9; i++) {
        CN_CHECK_NEAR(got->inertia[i], want[i], 1e-14 * (x + y + z));
    }
}

static void cn_check_same(const geom_mass *a, const geom_mass *b, double allowed) {
    CN_CHECK_NEAR(a->mass, b->mass, allowed);
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(a->com[i], b->com[i], allowed);
    }
    for (int i = 0; i < 9; i++) {
        CN_CHECK_NEAR(a->inertia[i], b->inertia[i], allowed);
    }
}

static cn_shape_def cn_def(cn_shape_kind kind, double radius, double length, double x, double y,
                           double z) {
    cn_shape_def def = cn_shape_def_default(kind);
    def.radius = radius;
    def.length = length;
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    return def;
}

static cn_shape_def cn_points(cn_shape_kind kind, const double *vertices, int32_t count) {
    cn_shape_def def = cn_shape_def_default(kind);
    def.vertices = vertices;
    def.vertex_count = count;
    return def;
}

CN_TEST(sphere) {
    cn_shape_def def = cn_def(CN_SHAPE_SPHERE, 2.0, 0, 0, 0, 0);
    geom_mass got = cn_mass_of(&def, 3);
    double m = 32.0 / 3.0 * SCENE_PI;
    cn_check_diagonal(&got, m, 1.6 * m, 1.6 * m, 1.6 * m);
}

CN_TEST(box) {
    cn_shape_def def = cn_def(CN_SHAPE_BOX, 0, 0, 1.0, 2.0, 3.0);
    geom_mass got = cn_mass_of(&def, 3);
    cn_check_diagonal(&got, 6.0, 6.5, 5.0, 2.5);
    CN_CHECK_TRUE(got.inertia[1] == 0.0 && got.com[0] == 0.0);
}

CN_TEST(cylinder) {
    cn_shape_def def = cn_def(CN_SHAPE_CYLINDER, 0.5, 3.0, 0, 0, 0);
    geom_mass got = cn_mass_of(&def, 3);
    double m = 0.75 * SCENE_PI;
    cn_check_diagonal(&got, m, m * (0.75 + 9.0) / 12.0, m * (0.75 + 9.0) / 12.0, 0.125 * m);
}

// Slices across the axis: Simpson's rule is exact for the polynomials that they are on each part.
CN_TEST(capsule) {
    double r = 0.5, half = 1.5, mass = 0.0, along = 0.0, across = 0.0;
    const double ends[4] = {-half - r, -half, half, half + r};
    for (int part = 0; part < 3; part++) {
        int steps = 64;
        double h = (ends[part + 1] - ends[part]) / steps;
        for (int i = 0; i <= steps; i++) {
            double z = ends[part] + h * i, over = fmax(0.0, fabs(z) - half);
            double square = r * r - over * over;
            double weight = (i == 0 || i == steps ? 1.0 : i % 2 ? 4.0 : 2.0) * h / 3.0 * SCENE_PI;
            mass += weight * square;
            along += weight * 0.5 * square * square;
            across += weight * square * (0.25 * square + z * z);
        }
    }
    cn_shape_def def = cn_def(CN_SHAPE_CAPSULE, r, 2.0 * half, 0, 0, 0);
    geom_mass got = cn_mass_of(&def, 3);
    CN_CHECK_NEAR(got.mass, mass, 1e-13);
    // Fourth powers are one degree too many for the rule: h^4 of 1/64 times a sixth derivative.
    CN_CHECK_NEAR(got.inertia[8], along, 1e-8);
    CN_CHECK_NEAR(got.inertia[0], across, 1e-8);
    CN_CHECK_NEAR(got.inertia[4], across, 1e-8);
}

CN_TEST(ellipsoid) {
    cn_shape_def def = cn_def(CN_SHAPE_ELLIPSOID, 0, 0, 2.0, 4.0, 6.0);
    geom_mass got = cn_mass_of(&def, 3);
    double m = 8.0 * SCENE_PI;
    cn_check_diagonal(&got, m, m * 13.0 / 5.0, m * 10.0 / 5.0, m * 5.0 / 5.0);
}

CN_TEST(tetrahedron) {
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    cn_shape_def def = cn_points(CN_SHAPE_POLYHEDRON, corner, 4);
    geom_mass got = cn_mass_of(&def, 3);
    CN_CHECK_NEAR(got.mass, 1.0 / 6.0, 1e-16);
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(got.com[i], 0.25, 1e-16);
        CN_CHECK_NEAR(got.inertia[4 * i], 1.0 / 80.0, 1e-16);
    }
    CN_CHECK_NEAR(got.inertia[1], 1.0 / 480.0, 1e-16);
    CN_CHECK_NEAR(got.inertia[5], 1.0 / 480.0, 1e-16);
}

// A right prism over the triangle (0,0), (3,0), (0,3) of height 2.
CN_TEST(wedge) {
    const double corner[18] = {0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 2, 3, 0, 2, 0, 3, 2};
    cn_shape_def def = cn_points(CN_SHAPE_POLYHEDRON, corner, 6);
    geom_mass got = cn_mass_of(&def, 3);
    CN_CHECK_NEAR(got.mass, 9.0, 1e-14);
    const double com[3] = {1.0, 1.0, 1.0};
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(got.com[i], com[i], 1e-15);
    }
    // Triangle about its centroid: int x^2 = A b^2/18 = 2.25, int xy = -A b^2/36 = -1.125; times 2.
    CN_CHECK_NEAR(got.inertia[8], 9.0, 1e-13);
    CN_CHECK_NEAR(got.inertia[0], 4.5 + 9.0 / 3.0, 1e-13);
    CN_CHECK_NEAR(got.inertia[1], 2.25, 1e-13);
    CN_CHECK_NEAR(got.inertia[2], 0.0, 1e-13);
}

CN_TEST(shapes_of_the_plane) {
    cn_shape_def def = cn_def(CN_SHAPE_DISK, 2.0, 0, 0, 0, 0);
    geom_mass got = cn_mass_of(&def, 2);
    CN_CHECK_NEAR(got.mass, 4.0 * SCENE_PI, 1e-14);
    CN_CHECK_NEAR(got.inertia[8], 8.0 * SCENE_PI, 1e-13);
    def = cn_def(CN_SHAPE_ELLIPSE, 0, 0, 8.0, 4.0, 0);
    got = cn_mass_of(&def, 2);
    CN_CHECK_NEAR(got.mass, 8.0 * SCENE_PI, 1e-14);
    CN_CHECK_NEAR(got.inertia[8], 40.0 * SCENE_PI, 1e-13);
    def = cn_def(CN_SHAPE_BOX, 0, 0, 3.0, 2.0, 7.0);
    got = cn_mass_of(&def, 2);
    CN_CHECK_NEAR(got.mass, 6.0, 1e-15);
    CN_CHECK_NEAR(got.inertia[8], 6.0 * 13.0 / 12.0, 1e-14);
    const double triangle[6] = {0, 0, 3, 0, 0, 3};
    def = cn_points(CN_SHAPE_POLYGON, triangle, 3);
    got = cn_mass_of(&def, 2);
    CN_CHECK_NEAR(got.mass, 4.5, 1e-15);
    CN_CHECK_NEAR(got.com[0], 1.0, 1e-15);
    CN_CHECK_NEAR(got.inertia[8], 4.5, 1e-14);
}

CN_TEST(regular_polygon_has_its_closed_form) {
    for (int n = 3; n <= 300; n += 27) {
        double vertices[600];
        for (int i = 0; i < n; i++) {
            base_sincos(2.0 * SCENE_PI * i / n, &vertices[2 * i + 1], &vertices[2 * i]);
        }
        cn_shape_def def = cn_points(CN_SHAPE_POLYGON, vertices, n);
        geom_mass got = cn_mass_of(&def, 2);
        double area = 0.5 * n * sin(2.0 * SCENE_PI / n);
        double allowed = 4.0 * DBL_EPSILON * n; // a rounding of the sum a triangle
        CN_CHECK_NEAR(got.mass, area, allowed);
        CN_CHECK_NEAR(got.inertia[8], area * (2.0 + cos(2.0 * SCENE_PI / n)) / 6.0, allowed);
    }
}

CN_TEST(planes_lines_and_rings_have_none) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_PLANE);
    def.normal[2] = 1.0;
    CN_CHECK_TRUE(cn_mass_of(&def, 3).mass == 0.0);
    def = cn_def(CN_SHAPE_RING, 1.0, 0, 0, 0, 0);
    CN_CHECK_TRUE(cn_mass_of(&def, 2).mass == 0.0);
}

// A polyhedron with the corners of a box and a box are the same thing, wherever they are.
CN_TEST(box_and_its_hull_agree) {
    base_rng rng = base_rng_seed(1);
    for (int k = 0; k < 20; k++) {
        cn_shape_def box =
            cn_def(CN_SHAPE_BOX, 0, 0, base_rng_uniform(&rng, 0.5, 2.0),
                   base_rng_uniform(&rng, 0.5, 2.0), base_rng_uniform(&rng, 0.5, 2.0));
        double vertices[24];
        for (int i = 0; i < 24; i++) {
            vertices[i] = (i / 3 >> i % 3 & 1 ? 0.5 : -0.5) * box.size[i % 3];
        }
        cn_shape_def hull = cn_points(CN_SHAPE_POLYHEDRON, vertices, 8);
        for (int i = 0; i < 3; i++) {
            box.position[i] = hull.position[i] = base_rng_uniform(&rng, -3.0, 3.0);
        }
        for (int i = 0; i < 4; i++) {
            box.orientation[i] = hull.orientation[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        geom_mass a = cn_mass_of(&box, 3), b = cn_mass_of(&hull, 3);
        cn_check_same(&a, &b, 1e-13);
    }
}

// Turning a shape about the origin turns its centre and its inertia: R I R'.
CN_TEST(rotation_turns_the_inertia) {
    base_rng rng = base_rng_seed(2);
    const double corner[15] = {0, 0, 0, 1, 0, 0.1, 0, 2, 0, 0.3, 0.2, 1, -0.5, -0.4, 0.3};
    const cn_shape_kind kinds[] = {CN_SHAPE_BOX, CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER,
                                   CN_SHAPE_ELLIPSOID, CN_SHAPE_POLYHEDRON};
    for (int k = 0; k < 5; k++) {
        cn_shape_def def = cn_def(kinds[k], 0.4, 1.2, 1.0, 1.7, 0.6);
        def.vertices = corner;
        def.vertex_count = 5;
        geom_mass before = cn_mass_of(&def, 3);
        for (int i = 0; i < 4; i++) {
            def.orientation[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        math_quat_normalize(def.orientation);
        double R[9], Rt[9], A[9];
        math_quat_matrix(def.orientation, R);
        for (int i = 0; i < 9; i++) {
            Rt[i] = R[i % 3 * 3 + i / 3];
        }
        geom_mass want = before, after = cn_mass_of(&def, 3);
        math_mat3_apply(R, before.com, want.com);
        math_mat3_multiply(R, before.inertia, A);
        math_mat3_multiply(A, Rt, want.inertia);
        cn_check_same(&after, &want, 1e-14);
    }
}

CN_TEST(box_cut_into_boxes_is_the_box) {
    cn_shape_def whole = cn_def(CN_SHAPE_BOX, 0, 0, 2.0, 3.0, 4.0);
    whole.position[0] = 1.0;
    geom_mass want = cn_mass_of(&whole, 3), sum = {0};
    geom_mass scaled = {0};
    geom_mass_add(&scaled, &want, 2.5);
    for (int i = 0; i < 8; i++) {
        cn_shape_def part =
            cn_def(CN_SHAPE_BOX, 0, 0, i & 1 ? 0.5 : 1.5, i & 2 ? 2.0 : 1.0, i & 4 ? 3.0 : 1.0);
        part.position[0] = i & 1 ? 1.75 : 0.75;
        part.position[1] = i & 2 ? 0.5 : -1.0;
        part.position[2] = i & 4 ? 0.5 : -1.5;
        geom_mass piece = cn_mass_of(&part, 3);
        geom_mass_add(&sum, &piece, 2.5);
    }
    cn_check_same(&sum, &scaled, 1e-12);
}

// A cube cut into five tetrahedra.
CN_TEST(cube_cut_into_tetrahedra_is_the_cube) {
    static const int parts[5][4] = {
        {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}, {1, 2, 4, 7}};
    cn_shape_def whole = cn_def(CN_SHAPE_BOX, 0, 0, 1.0, 1.0, 1.0);
    for (int k = 0; k < 3; k++) {
        whole.position[k] = 0.5;
    }
    geom_mass want = cn_mass_of(&whole, 3), sum = {0};
    for (int p = 0; p < 5; p++) {
        double vertices[12];
        for (int i = 0; i < 12; i++) {
            vertices[i] = parts[p][i / 3] >> i % 3 & 1;
        }
        cn_shape_def part = cn_points(CN_SHAPE_POLYHEDRON, vertices, 4);
        geom_mass piece = cn_mass_of(&part, 3);
        geom_mass_add(&sum, &piece, 1.0);
    }
    cn_check_same(&sum, &want, 1e-15);
}

CN_TEST(polygon_cut_in_two_is_the_polygon) {
    const double whole[10] = {0, 0, 2, 0, 3, 1, 2, 2, 0, 2};
    const double left[8] = {0, 0, 2, 0, 2, 2, 0, 2}, right[6] = {2, 0, 3, 1, 2, 2};
    cn_shape_def def = cn_points(CN_SHAPE_POLYGON, whole, 5);
    geom_mass want = cn_mass_of(&def, 2), sum = {0}, piece;
    def = cn_points(CN_SHAPE_POLYGON, left, 4);
    piece = cn_mass_of(&def, 2);
    geom_mass_add(&sum, &piece, 1.0);
    def = cn_points(CN_SHAPE_POLYGON, right, 3);
    piece = cn_mass_of(&def, 2);
    geom_mass_add(&sum, &piece, 1.0);
    CN_CHECK_NEAR(sum.mass, want.mass, 1e-15);
    CN_CHECK_NEAR(sum.com[0], want.com[0], 1e-15);
    CN_CHECK_NEAR(sum.com[1], want.com[1], 1e-15);
    CN_CHECK_NEAR(sum.inertia[8], want.inertia[8], 1e-14);
}

// Far from the origin nothing but the coordinates' own round-off may be lost.
CN_TEST(far_away_hull_keeps_its_inertia) {
    double vertices[24];
    for (int i = 0; i < 24; i++) {
        vertices[i] = (i / 3 >> i % 3 & 1) + 1024.0;
    }
    cn_shape_def def = cn_points(CN_SHAPE_POLYHEDRON, vertices, 8);
    geom_mass got = cn_mass_of(&def, 3);
    cn_check_diagonal(&got, 1.0, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0);
}

// The same numbers from every compiler and at every level of optimisation.
CN_TEST(bits_are_the_same_everywhere) {
    base_rng rng = base_rng_seed(3);
    const cn_shape_kind kinds[] = {CN_SHAPE_BOX, CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER,
                                   CN_SHAPE_ELLIPSOID, CN_SHAPE_POLYHEDRON};
    uint64_t hash = 14695981039346656037u;
    for (int k = 0; k < 100; k++) {
        double vertices[60];
        cn_shape_def def = cn_def(kinds[k % 5], 0.3, 1.1, 0.7, 1.3, 0.9);
        for (int i = 0; i < 60; i++) {
            vertices[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int i = 0; i < 4; i++) {
            def.orientation[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        def.position[1] = base_rng_uniform(&rng, -1.0, 1.0);
        def.vertices = vertices;
        def.vertex_count = 20;
        geom_mass mass = cn_mass_of(&def, 3);
        uint64_t bits[13];
        memcpy(bits, &mass, sizeof bits);
        for (int i = 0; i < 13; i++) {
            hash = (hash ^ bits[i]) * 1099511628211u;
        }
    }
    CN_CHECK_TRUE(hash == 0x5ff760ff1c86a821u);
}
