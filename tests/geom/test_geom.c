// Shapes: what each kind becomes, hulls of points and of given faces, and what is refused.
#include "check.h"
#include "failing_allocator.h"

#include "base/arena.h"
#include "base/rng.h"
#include "geom/hull.h"
#include "geom/shape.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

static geom_shape cn_build(cn_arena *memory, const cn_shape_def *def, int32_t dim) {
    geom_shape shape;
    cn_error error;
    if (geom_shape_build(def, dim, memory, &shape, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return shape;
}

// The definition must be refused, with these words in the message.
static void cn_check_refused(const cn_shape_def *def, int32_t dim, const char *words) {
    cn_arena *memory = cn_arena_create(NULL);
    geom_shape shape;
    cn_error error = {0};
    cn_status status = geom_shape_build(def, dim, memory, &shape, &error);
    if (status == CN_OK || !strstr(error.message, words)) {
        print_error("status %d, '%s' has not '%s'\n", (int)status, error.message, words);
        fail();
    }
    cn_arena_destroy(memory);
}

// Euler's formula, vertices behind faces, loops counter-clockwise and flat, edges between the faces
// they name.
static void cn_check_hull(const geom_hull *hull, double allowed) {
    CN_CHECK_TRUE(hull->vertex_count - hull->edge_count + hull->face_count == 2);
    for (int32_t f = 0; f < hull->face_count; f++) {
        const double *normal = hull->normal + 3 * f;
        CN_CHECK_NEAR(math_norm3(normal), 1.0, 4 * DBL_EPSILON);
        for (int32_t i = 0; i < hull->vertex_count; i++) {
            CN_CHECK_BELOW(math_dot3(normal, hull->vertex + 3 * i) - hull->offset[f], allowed);
        }
        CN_CHECK_TRUE(math_dot3(normal, hull->center) < hull->offset[f]);
        int32_t count = hull->face[f + 1] - hull->face[f];
        const int32_t *loop = hull->loop + hull->face[f];
        CN_CHECK_TRUE(count >= 3);
        for (int32_t i = 0; i < count; i++) {
            const double *a = hull->vertex + 3 * loop[i];
            const double *b = hull->vertex + 3 * loop[(i + 1) % count];
            const double *c = hull->vertex + 3 * loop[(i + 2) % count];
            double ab[3], bc[3], turn[3];
            CN_CHECK_NEAR(math_dot3(normal, a), hull->offset[f], allowed);
            math_sub3(b, a, ab);
            math_sub3(c, b, bc);
            math_cross3(ab, bc, turn);
            CN_CHECK_TRUE(math_dot3(turn, normal) > 0.0);
        }
    }
    for (int32_t e = 0; e < hull->edge_count; e++) {
        const int32_t *edge = hull->edge + 4 * e;
        CN_CHECK_TRUE(edge[0] < edge[1]);
        for (int32_t side = 0; side < 2; side++) {
            int32_t f = edge[2 + side], from = edge[side], to = edge[1 - side], found = 0;
            int32_t count = hull->face[f + 1] - hull->face[f];
            const int32_t *loop = hull->loop + hull->face[f];
            for (int32_t i = 0; i < count; i++) {
                found += loop[i] == from && loop[(i + 1) % count] == to;
            }
            CN_CHECK_TRUE(found == 1);
        }
    }
}

static void cn_random_turn(base_rng *rng, double q[4]) {
    for (int i = 0; i < 4; i++) {
        q[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    math_quat_normalize(q);
}

static const double cn_cube_vertices[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                                            0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int32_t cn_cube_faces[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                          2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
static const int32_t cn_cube_sizes[6] = {4, 4, 4, 4, 4, 4};

static cn_shape_def cn_cube_def(void) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertices = cn_cube_vertices;
    def.vertex_count = 8;
    def.faces = cn_cube_faces;
    def.face_size = cn_cube_sizes;
    def.face_count = 6;
    return def;
}

CN_TEST(kinds_have_their_texts) {
    assert_string_equal(cn_shape_kind_text(CN_SHAPE_SPHERE), "sphere");
    assert_string_equal(cn_shape_kind_text(CN_SHAPE_RING), "ring");
    for (int kind = 0; kind < CN_SHAPE_KINDS; kind++) {
        CN_CHECK_TRUE(strlen(cn_shape_kind_text((cn_shape_kind)kind)) > 0);
    }
    assert_string_equal(cn_shape_kind_text(CN_SHAPE_KINDS), "unknown shape");
}

CN_TEST(box_is_a_hull_with_the_edges_of_a_box) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(1);
    for (int k = 0; k < 20; k++) {
        cn_shape_def def = cn_shape_def_default(CN_SHAPE_BOX);
        for (int i = 0; i < 3; i++) {
            def.size[i] = base_rng_uniform(&rng, 0.5, 2.0);
            def.position[i] = k ? base_rng_uniform(&rng, -2.0, 2.0) : 0.0;
        }
        if (k) {
            cn_random_turn(&rng, def.orientation);
        }
        geom_shape box = cn_build(memory, &def, 3);
        cn_check_hull(&box.hull, 1e-14);
        CN_CHECK_TRUE(box.hull.vertex_count == 8 && box.hull.face_count == 6);
        double diagonal =
            sqrt(def.size[0] * def.size[0] + def.size[1] * def.size[1] + def.size[2] * def.size[2]);
        CN_CHECK_NEAR(box.bound, 0.5 * diagonal, 1e-14);
        CN_CHECK_NEAR(geom_shape_smallest_extent(&box),
                      0.5 * fmin(def.size[0], fmin(def.size[1], def.size[2])), 0.0);
    }
    cn_arena_destroy(memory);
}

CN_TEST(box_in_the_plane_runs_counter_clockwise) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_BOX);
    def.size[0] = 2.0;
    def.size[1] = 1.0;
    def.position[0] = 3.0;
    def.angle = 0.3;
    geom_shape box = cn_build(memory, &def, 2);
    CN_CHECK_TRUE(box.hull.vertex_count == 4 && box.hull.face_count == 4);
    for (int f = 0; f < 4; f++) {
        const double *a = box.hull.vertex + 3 * f, *b = box.hull.vertex + 3 * ((f + 1) % 4);
        const double *normal = box.hull.normal + 3 * f;
        double along[3];
        math_sub3(b, a, along);
        CN_CHECK_NEAR(math_dot3(normal, a), box.hull.offset[f], 1e-15);
        CN_CHECK_NEAR(math_dot3(normal, b), box.hull.offset[f], 1e-15);
        CN_CHECK_NEAR(along[1] * normal[0] - along[0] * normal[1], math_norm3(along), 1e-15);
        CN_CHECK_NEAR(a[2], 0.0, 0.0);
    }
    CN_CHECK_NEAR(box.middle[0], 3.0, 1e-15);
    cn_arena_destroy(memory);
}

CN_TEST(cube_of_points_has_six_square_faces) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_shape_def def = cn_cube_def();
    def.face_size = NULL;
    geom_shape cube = cn_build(memory, &def, 3);
    cn_check_hull(&cube.hull, 1e-15);
    CN_CHECK_TRUE(cube.hull.face_count == 6 && cube.hull.edge_count == 12);
    CN_CHECK_TRUE(memcmp(cube.hull.vertex, cn_cube_vertices, sizeof cn_cube_vertices) == 0);
    cn_arena_destroy(memory);
}

// Turned arbitrarily, its faces are flat to round-off only, and a grid of points on them says
// nothing new.
CN_TEST(cube_of_a_grid_of_points_has_six_faces_however_turned) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(2);
    double vertices[3 * 125];
    for (int i = 0; i < 125; i++) {
        vertices[3 * i] = i % 5 * 0.25;
        vertices[3 * i + 1] = i / 5 % 5 * 0.25;
        vertices[3 * i + 2] = i / 25 * 0.25;
    }
    for (int k = 0; k < 20; k++) {
        cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
        def.vertices = vertices;
        def.vertex_count = 125;
        def.position[0] = 100.0 * k;
        cn_random_turn(&rng, def.orientation);
        geom_shape cube = cn_build(memory, &def, 3);
        CN_CHECK_TRUE(cube.hull.vertex_count == 8 && cube.hull.face_count == 6);
        cn_check_hull(&cube.hull, 1e-12);
    }
    cn_arena_destroy(memory);
}

CN_TEST(hull_of_random_points_holds_them_all) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(3);
    for (int k = 0; k < 30; k++) {
        double vertices[3 * 200];
        int32_t count = 4 + base_rng_below(&rng, 197);
        for (int32_t i = 0; i < 3 * count; i++) {
            vertices[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
        def.vertices = vertices;
        def.vertex_count = count;
        geom_shape shape = cn_build(memory, &def, 3);
        cn_check_hull(&shape.hull, 1e-14);
        for (int32_t i = 0; i < count; i++) {
            for (int32_t f = 0; f < shape.hull.face_count; f++) {
                CN_CHECK_BELOW(math_dot3(shape.hull.normal + 3 * f, vertices + 3 * i),
                               shape.hull.offset[f] + 1e-14);
            }
            double apart[3];
            math_sub3(vertices + 3 * i, shape.middle, apart);
            CN_CHECK_BELOW(math_norm3(apart), shape.bound);
        }
    }
    cn_arena_destroy(memory);
}

CN_TEST(hull_of_points_on_a_sphere_keeps_them_all) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(4);
    static double vertices[3 * 2000];
    for (int i = 0; i < 2000; i++) {
        double q[4];
        cn_random_turn(&rng, q);
        double length = math_norm3(q);
        for (int k = 0; k < 3; k++) {
            vertices[3 * i + k] = q[k] / length;
        }
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertices = vertices;
    def.vertex_count = 2000;
    geom_shape shape = cn_build(memory, &def, 3);
    CN_CHECK_TRUE(shape.hull.vertex_count == 2000);
    CN_CHECK_TRUE(shape.hull.vertex_count - shape.hull.edge_count + shape.hull.face_count == 2);
    cn_arena_destroy(memory);
}

// The same corner a hundred times, each off by what single precision leaves.
CN_TEST(near_copies_of_vertices_are_one) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(5);
    double vertices[3 * 800];
    for (int i = 0; i < 800; i++) {
        for (int k = 0; k < 3; k++) {
            double noise = i % 3 ? base_rng_uniform(&rng, -1e-7, 1e-7) : 0.0;
            vertices[3 * i + k] = cn_cube_vertices[3 * (i % 8) + k] + noise;
        }
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertices = vertices;
    def.vertex_count = 800;
    geom_shape cube = cn_build(memory, &def, 3);
    CN_CHECK_TRUE(cube.hull.vertex_count == 8 && cube.hull.face_count == 6);
    cn_check_hull(&cube.hull, 1e-5);
    cn_arena_destroy(memory);
}

// Grids, clusters, slabs and needles with noise from 1 to 1e-15 of their size: a proper hull with
// all points inside to the detail, or told to be flat.
CN_TEST(hull_of_nasty_points_is_convex_or_refused_as_flat) {
    base_rng rng = base_rng_seed(10);
    int32_t built = 0;
    for (int k = 0; k < 400; k++) {
        double vertices[3 * 44], noise = ldexp(1.0, -3 * base_rng_below(&rng, 18));
        int32_t count = 4 + base_rng_below(&rng, 40);
        for (int32_t i = 0; i < 3 * count; i++) {
            double random = base_rng_uniform(&rng, -1.0, 1.0);
            const double choice[4] = {
                base_rng_below(&rng, 3) + noise * random, base_rng_below(&rng, 2) + noise * random,
                i % 3 == 2 ? noise * random : random, i % 3 ? noise * random : random};
            vertices[i] = choice[k % 4];
        }
        cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
        geom_shape shape;
        cn_error error;
        cn_arena *memory = cn_arena_create(NULL);
        def.vertices = vertices;
        def.vertex_count = count;
        if (geom_shape_build(&def, 3, memory, &shape, &error) == CN_OK) {
            double size = 2.0 * shape.bound;
            built++;
            cn_check_hull(&shape.hull, 8e-6 * size);
            for (int32_t i = 0; i < count; i++) {
                for (int32_t f = 0; f < shape.hull.face_count; f++) {
                    CN_CHECK_BELOW(math_dot3(shape.hull.normal + 3 * f, vertices + 3 * i) -
                                       shape.hull.offset[f],
                                   8e-6 * size);
                }
            }
        } else {
            CN_CHECK_TRUE(strstr(error.message, "no volume") != NULL);
        }
        cn_arena_destroy(memory);
    }
    CN_CHECK_TRUE(built > 250);
}

CN_TEST(hull_is_the_same_for_the_same_points) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(6);
    double vertices[3 * 60];
    for (int i = 0; i < 180; i++) {
        vertices[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertices = vertices;
    def.vertex_count = 60;
    geom_shape a = cn_build(memory, &def, 3), b = cn_build(memory, &def, 3);
    CN_CHECK_TRUE(a.hull.face_count == b.hull.face_count);
    CN_CHECK_TRUE(memcmp(a.hull.loop, b.hull.loop,
                         (size_t)a.hull.face[a.hull.face_count] * sizeof *a.hull.loop) == 0);
    CN_CHECK_TRUE(memcmp(a.hull.normal, b.hull.normal,
                         (size_t)a.hull.face_count * 3 * sizeof *a.hull.normal) == 0);
    cn_arena_destroy(memory);
}

CN_TEST(given_faces_are_taken_when_convex) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_shape_def def = cn_cube_def();
    geom_shape cube = cn_build(memory, &def, 3);
    cn_check_hull(&cube.hull, 1e-15);
    CN_CHECK_TRUE(cube.hull.face_count == 6);
    cn_arena_destroy(memory);
}

// As a triangle file has it: every face with its own copies of the corners.
CN_TEST(given_triangles_with_copied_corners_become_squares) {
    cn_arena *memory = cn_arena_create(NULL);
    double vertices[3 * 36];
    int32_t faces[36], sizes[12];
    for (int f = 0; f < 12; f++) {
        const int32_t *quad = cn_cube_faces + 4 * (f / 2);
        const int32_t corner[3] = {quad[0], quad[f % 2 + 1], quad[f % 2 + 2]};
        sizes[f] = 3;
        for (int k = 0; k < 3; k++) {
            faces[3 * f + k] = 3 * f + k;
            memcpy(vertices + 3 * (3 * f + k), cn_cube_vertices + 3 * corner[k],
                   3 * sizeof *vertices);
        }
    }
    cn_shape_def def = cn_cube_def();
    def.vertices = vertices;
    def.vertex_count = 36;
    def.faces = faces;
    def.face_size = sizes;
    def.face_count = 12;
    geom_shape cube = cn_build(memory, &def, 3);
    CN_CHECK_TRUE(cube.hull.vertex_count == 8 && cube.hull.face_count == 6);
    cn_check_hull(&cube.hull, 1e-15);
    cn_arena_destroy(memory);
}

// A cube turned, each face cut into 128 triangles, every number rounded to single precision: the
// triangles' own normals are off by 1e-6, but it is a cube.
CN_TEST(fine_mesh_in_single_precision_is_a_cube) {
    enum { N = 8, FACES = 6 * N * N * 2 };
    static double vertices[9 * FACES];
    static int32_t faces[3 * FACES], sizes[FACES];
    const double turn[4] = {0.8, 0.36, 0.288, 0.384};
    double R[9];
    math_quat_matrix(turn, R);
    for (int f = 0; f < FACES; f++) {
        int side = f / (2 * N * N), cell = f % (2 * N * N) / 2;
        const int32_t *quad = cn_cube_faces + 4 * side;
        sizes[f] = 3;
        for (int k = 0; k < 3; k++) {
            static const int step[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
            double u = (cell % N + step[f % 2][k][0]) / (double)N;
            double v = (double)(cell / N + step[f % 2][k][1]) / N, x[3];
            for (int i = 0; i < 3; i++) {
                const double *a = cn_cube_vertices + 3 * quad[0] + i;
                const double *b = cn_cube_vertices + 3 * quad[1] + i;
                const double *c = cn_cube_vertices + 3 * quad[3] + i;
                x[i] = *a + u * (*b - *a) + v * (*c - *a);
            }
            faces[3 * f + k] = 3 * f + k;
            for (int i = 0; i < 3; i++) {
                vertices[9 * f + 3 * k + i] = (double)(float)math_dot3(R + 3 * i, x);
            }
        }
    }
    cn_arena *memory = cn_arena_create(NULL);
    cn_shape_def def = cn_cube_def();
    def.vertices = vertices;
    def.vertex_count = 3 * FACES;
    def.faces = faces;
    def.face_size = sizes;
    def.face_count = FACES;
    geom_shape cube = cn_build(memory, &def, 3);
    CN_CHECK_TRUE(cube.hull.vertex_count == 8 && cube.hull.face_count == 6);
    cn_check_hull(&cube.hull, 1e-6);
    cn_arena_destroy(memory);
}

CN_TEST(open_surface_is_refused) {
    cn_shape_def def = cn_cube_def();
    def.face_count = 5;
    cn_check_refused(&def, 3, "open");
}

CN_TEST(mixed_orientation_is_refused) {
    int32_t faces[24];
    memcpy(faces, cn_cube_faces, sizeof faces);
    faces[0] = 1;
    faces[1] = 3;
    faces[2] = 2;
    faces[3] = 0;
    cn_shape_def def = cn_cube_def();
    def.faces = faces;
    cn_check_refused(&def, 3, "same direction");
}

CN_TEST(inside_out_surface_is_refused) {
    int32_t faces[24];
    for (int i = 0; i < 24; i++) {
        faces[i] = cn_cube_faces[23 - i];
    }
    cn_shape_def def = cn_cube_def();
    def.faces = faces;
    cn_check_refused(&def, 3, "inwards");
}

CN_TEST(face_with_an_unknown_vertex_is_refused) {
    int32_t faces[24];
    memcpy(faces, cn_cube_faces, sizeof faces);
    faces[7] = 8;
    cn_shape_def def = cn_cube_def();
    def.faces = faces;
    cn_check_refused(&def, 3, "names vertex 8");
}

CN_TEST(unused_vertex_is_refused) {
    double vertices[27] = {[24] = 0.5, [25] = 0.5, [26] = 0.5};
    memcpy(vertices, cn_cube_vertices, sizeof cn_cube_vertices);
    cn_shape_def def = cn_cube_def();
    def.vertices = vertices;
    def.vertex_count = 9;
    cn_check_refused(&def, 3, "vertex 8 is in no face");
}

// A pyramid pressed into a cube: its tip is far inside the hull.
CN_TEST(dent_is_refused_and_never_filled) {
    double vertices[27] = {[24] = 0.5, [25] = 0.5, [26] = 0.6};
    memcpy(vertices, cn_cube_vertices, sizeof cn_cube_vertices);
    const int32_t faces[32] = {0, 2, 3, 1, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2,
                               1, 3, 7, 5, 4, 5, 8, 5, 7, 8, 7, 6, 8, 6, 4, 8};
    const int32_t sizes[9] = {4, 4, 4, 4, 4, 3, 3, 3, 3};
    cn_shape_def def = cn_cube_def();
    def.vertices = vertices;
    def.vertex_count = 9;
    def.faces = faces;
    def.face_size = sizes;
    def.face_count = 9;
    cn_check_refused(&def, 3, "vertex 8 lies 0.4 inside");
}

// All vertices are on the hull, but two faces fold inwards: only the volume tells.
CN_TEST(fold_is_refused_and_never_filled) {
    const double vertices[15] = {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0, 0, 0, 1};
    double raised[15];
    memcpy(raised, vertices, sizeof raised);
    raised[2] = raised[8] = 0.2;
    raised[5] = raised[11] = -0.2;
    // The bottom is cut along the high diagonal instead of the low one.
    const int32_t faces[18] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 0, 2, 1, 0, 3, 2};
    const int32_t sizes[6] = {3, 3, 3, 3, 3, 3};
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertices = raised;
    def.vertex_count = 5;
    def.faces = faces;
    def.face_size = sizes;
    def.face_count = 6;
    cn_check_refused(&def, 3, "convex hull");
}

CN_TEST(warped_face_is_refused) {
    double vertices[24];
    memcpy(vertices, cn_cube_vertices, sizeof vertices);
    vertices[23] = 1.1;
    cn_shape_def def = cn_cube_def();
    def.vertices = vertices;
    cn_check_refused(&def, 3, "not flat");
}

CN_TEST(flat_polyhedra_are_refused) {
    double vertices[24];
    cn_shape_def def = cn_cube_def();
    def.vertices = vertices;
    def.face_size = NULL;
    for (int i = 0; i < 8; i++) {
        vertices[3 * i] = i % 4;
        vertices[3 * i + 1] = i / 4;
        vertices[3 * i + 2] = vertices[3 * i] + vertices[3 * i + 1];
    }
    cn_check_refused(&def, 3, "lie in a plane");
    for (int i = 0; i < 8; i++) {
        vertices[3 * i] = vertices[3 * i + 1] = vertices[3 * i + 2] = i;
    }
    cn_check_refused(&def, 3, "lie on a line");
    for (int i = 0; i < 24; i++) {
        vertices[i] = 2.0;
    }
    cn_check_refused(&def, 3, "are all the same");
    def.vertex_count = 3;
    cn_check_refused(&def, 3, "needs 4 at least");
    def.vertex_count = 8;
    vertices[5] = NAN;
    cn_check_refused(&def, 3, "not a finite number");
}

CN_TEST(polygon_is_turned_and_its_straight_vertices_dropped) {
    cn_arena *memory = cn_arena_create(NULL);
    // Clockwise, with a repeated vertex and one in the middle of an edge.
    const double vertices[12] = {0, 0, 0, 1, 0, 1, 1, 1, 2, 1, 2, 0};
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYGON);
    def.vertices = vertices;
    def.vertex_count = 6;
    geom_shape shape = cn_build(memory, &def, 2);
    const double want[12] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0};
    CN_CHECK_TRUE(shape.hull.vertex_count == 4);
    CN_CHECK_TRUE(memcmp(shape.hull.vertex, want, sizeof want) == 0);
    CN_CHECK_NEAR(geom_shape_smallest_extent(&shape), 0.5, 1e-16);
    cn_arena_destroy(memory);
}

CN_TEST(fine_polygon_keeps_its_vertices) {
    cn_arena *memory = cn_arena_create(NULL);
    double vertices[2000];
    for (int i = 0; i < 1000; i++) {
        base_sincos(6.283185307179586 * i / 1000, &vertices[2 * i + 1], &vertices[2 * i]);
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYGON);
    def.vertices = vertices;
    def.vertex_count = 1000;
    CN_CHECK_TRUE(cn_build(memory, &def, 2).hull.vertex_count == 1000);
    cn_arena_destroy(memory);
}

CN_TEST(bad_polygons_are_refused) {
    const double dent[10] = {0, 0, 2, 0, 2, 2, 1, 0.5, 0, 2};
    const double crossed[8] = {0, 0, 1, 1, 1, 0, 0, 1};
    const double line[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    double star[10];
    for (int i = 0; i < 5; i++) {
        base_sincos(6.283185307179586 * (2 * i % 5) / 5, &star[2 * i + 1], &star[2 * i]);
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYGON);
    def.vertices = dent;
    def.vertex_count = 5;
    cn_check_refused(&def, 2, "vertex 3 lies");
    def.vertices = star;
    cn_check_refused(&def, 2, "edges cross");
    def.vertices = crossed;
    def.vertex_count = 4;
    cn_check_refused(&def, 2, "edges cross");
    def.vertices = line;
    cn_check_refused(&def, 2, "on a line");
    def.vertex_count = 2;
    cn_check_refused(&def, 2, "needs 3 at least");
}

CN_TEST(plane_keeps_its_side_when_placed) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_PLANE);
    def.normal[2] = 2.0;
    def.offset = 1.0; // z >= 1/2
    def.position[1] = 3.0;
    const double half = 0.70710678118654752;
    def.orientation[0] = half;
    def.orientation[1] = -half; // z to y: y >= 1/2, then shifted by 3
    geom_shape plane = cn_build(memory, &def, 3);
    CN_CHECK_NEAR(plane.normal[1], 1.0, 1e-15);
    CN_CHECK_NEAR(plane.offset, 3.5, 1e-15);
    CN_CHECK_TRUE(isinf(plane.bound));
    const double by[3] = {0.0, 1.0, 0.0};
    geom_shape_shift(&plane, by);
    CN_CHECK_NEAR(plane.offset, 2.5, 1e-15);
    cn_arena_destroy(memory);
}

CN_TEST(bad_numbers_are_refused) {
    const cn_shape_kind round3[] = {CN_SHAPE_SPHERE, CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER};
    for (int i = 0; i < 3; i++) {
        cn_shape_def def = cn_shape_def_default(round3[i]);
        def.length = 1.0;
        def.radius = -1.0;
        cn_check_refused(&def, 3, "radius must be positive, not -1");
        def.radius = NAN;
        cn_check_refused(&def, 3, "radius must be positive");
        def.radius = 1.0;
        def.position[1] = INFINITY;
        cn_check_refused(&def, 3, "position");
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_CYLINDER);
    def.radius = 1.0;
    cn_check_refused(&def, 3, "length must be positive, not 0");
    def = cn_shape_def_default(CN_SHAPE_BOX);
    def.size[0] = def.size[1] = 1.0;
    cn_check_refused(&def, 3, "size[2] must be positive");
    def = cn_shape_def_default(CN_SHAPE_ELLIPSE);
    cn_check_refused(&def, 2, "axes[0] must be positive");
    def = cn_shape_def_default(CN_SHAPE_LINE);
    def.normal[2] = 1.0;
    cn_check_refused(&def, 2, "normal");
    def = cn_shape_def_default(CN_SHAPE_SPHERE);
    def.radius = 1e-200;
    cn_check_refused(&def, 3, "too small");
    def.radius = 1.0;
    def.orientation[0] = 0.0;
    cn_check_refused(&def, 3, "orientation must not be zero");
}

CN_TEST(kinds_of_the_other_dimension_are_refused) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_SPHERE);
    def.radius = 1.0;
    cn_check_refused(&def, 2, "a shape of 3D, but the scene is in 2D");
    def = cn_shape_def_default(CN_SHAPE_RING);
    def.radius = 1.0;
    cn_check_refused(&def, 3, "a shape of 2D");
}

// One of each bounded kind, placed and turned at random.
static int32_t cn_sample_shapes(cn_arena *memory, base_rng *rng, int32_t dim, geom_shape *shape) {
    static const cn_shape_kind kinds[2][6] = {{CN_SHAPE_DISK, CN_SHAPE_ELLIPSE, CN_SHAPE_BOX,
                                               CN_SHAPE_POLYGON, CN_SHAPE_RING, CN_SHAPE_DISK},
                                              {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE,
                                               CN_SHAPE_CYLINDER, CN_SHAPE_ELLIPSOID,
                                               CN_SHAPE_POLYHEDRON}};
    static const double triangle[6] = {0, 0, 2, 0, 0.3, 1};
    for (int32_t i = 0; i < 6; i++) {
        cn_shape_def def = cn_shape_def_default(kinds[dim - 2][i]);
        def.radius = 0.7;
        def.length = 1.5;
        def.vertices = dim == 2 ? triangle : cn_cube_vertices;
        def.vertex_count = dim == 2 ? 3 : 8;
        for (int32_t k = 0; k < 3; k++) {
            def.size[k] = base_rng_uniform(rng, 0.5, 3.0);
            def.position[k] = base_rng_uniform(rng, -2.0, 2.0);
        }
        cn_random_turn(rng, def.orientation);
        def.angle = base_rng_uniform(rng, -3.0, 3.0);
        shape[i] = cn_build(memory, &def, dim);
    }
    return 6;
}

// No point of the shape is farther along a direction than the support point of that direction;
// support points are inside the bound.
CN_TEST(support_points_are_the_farthest) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(7);
    for (int32_t dim = 2; dim <= 3; dim++) {
        geom_shape shape[6];
        int32_t count = cn_sample_shapes(memory, &rng, dim, shape);
        for (int32_t s = 0; s < count; s++) {
            double direction[100][3], point[100][3];
            for (int i = 0; i < 100; i++) {
                for (int32_t k = 0; k < 3; k++) {
                    direction[i][k] = k < dim ? base_rng_uniform(&rng, -1.0, 1.0) : 0.0;
                }
                geom_shape_support(&shape[s], direction[i], point[i]);
                double apart[3];
                math_sub3(point[i], shape[s].middle, apart);
                CN_CHECK_BELOW(math_norm3(apart), shape[s].bound);
            }
            for (int i = 0; i < 100; i++) {
                for (int j = 0; j < 100; j++) {
                    CN_CHECK_BELOW(math_dot3(direction[i], point[j]),
                                   math_dot3(direction[i], point[i]) + 1e-14);
                }
            }
        }
    }
    cn_arena_destroy(memory);
}

// Shifting the origin moves support points by the same, and the width in every direction stays.
CN_TEST(shift_moves_all_of_a_shape) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(8);
    const double by[3] = {0.5, -1.0, 0.0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        geom_shape shape[6];
        int32_t count = cn_sample_shapes(memory, &rng, dim, shape);
        for (int32_t s = 0; s < count; s++) {
            double before[3], after[3], extent = geom_shape_smallest_extent(&shape[s]);
            const double direction[3] = {0.3, -0.7, dim == 3 ? 0.2 : 0.0};
            geom_shape_support(&shape[s], direction, before);
            geom_shape_shift(&shape[s], by);
            geom_shape_support(&shape[s], direction, after);
            for (int k = 0; k < 3; k++) {
                CN_CHECK_NEAR(after[k], before[k] - by[k], 1e-14);
            }
            CN_CHECK_NEAR(geom_shape_smallest_extent(&shape[s]), extent, 1e-14);
            for (int32_t f = 0; f < shape[s].hull.face_count; f++) {
                CN_CHECK_TRUE(math_dot3(shape[s].hull.normal + 3 * f, shape[s].hull.center) <
                              shape[s].hull.offset[f]);
            }
        }
    }
    cn_arena_destroy(memory);
}

CN_TEST(every_failing_allocation_is_reported) {
    base_rng rng = base_rng_seed(9);
    static double vertices[3 * 3000];
    for (int i = 0; i < 9000; i++) {
        vertices[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertices = vertices;
    def.vertex_count = 3000;
    for (int64_t k = 1;; k++) {
        cn_failing counter;
        cn_env env = cn_failing_env(&counter, k);
        cn_arena *memory = cn_arena_create(&env);
        cn_status status = CN_ERR_MEMORY;
        geom_shape shape;
        if (memory) {
            status = geom_shape_build(&def, 3, memory, &shape, NULL);
        }
        cn_arena_destroy(memory);
        assert_int_equal(counter.live, 0);
        assert_int_equal(status, counter.failed ? CN_ERR_MEMORY : CN_OK);
        if (!counter.failed) {
            CN_CHECK_TRUE(k > 4);
            break;
        }
    }
}
