// Meshes for finite elements: generators, surface, groups, and what is refused.
#include "check.h"

#include "failing_allocator.h"
#include "fe_bodies.h"

#include <cairn/base.h>

// Twice the area vector (2D: of the edge) of a face, and its centre.
static void face_geometry(const fe_mesh *mesh, int32_t face, double normal[3], double centre[3]) {
    int32_t per = mesh->element->face_nodes, dim = mesh->dim;
    double x[FE_FACE_NODES_MAX][3] = {{0.0}};
    for (int i = 0; i < 3; i++) {
        normal[i] = centre[i] = 0.0;
    }
    for (int32_t a = 0; a < per; a++) {
        for (int32_t i = 0; i < dim; i++) {
            x[a][i] = mesh->node[dim * mesh->face[per * face + a] + i];
            centre[i] += x[a][i] / per;
        }
    }
    if (dim == 2) {
        normal[0] = 2.0 * (x[1][1] - x[0][1]);
        normal[1] = -2.0 * (x[1][0] - x[0][0]);
        return;
    }
    for (int32_t a = 1; a + 1 < per; a++) {
        double p[3], q[3];
        for (int i = 0; i < 3; i++) {
            p[i] = x[a][i] - x[0][i];
            q[i] = x[a + 1][i] - x[0][i];
        }
        normal[0] += p[1] * q[2] - p[2] * q[1];
        normal[1] += p[2] * q[0] - p[0] * q[2];
        normal[2] += p[0] * q[1] - p[1] * q[0];
    }
}

// The surface is closed and outwards: area vectors sum to zero, and the volume by the divergence
// theorem, sum x.n / dim, is that of the elements.
static void check_surface(const fe_mesh *mesh, double volume) {
    double total[3] = {0.0}, divergence = 0.0;
    for (int32_t f = 0; f < mesh->faces; f++) {
        double normal[3], centre[3];
        face_geometry(mesh, f, normal, centre);
        for (int i = 0; i < mesh->dim; i++) {
            total[i] += 0.5 * normal[i];
            divergence += 0.5 * normal[i] * centre[i] / mesh->dim;
        }
        CN_CHECK_TRUE(mesh->owner[f] >= 0 && mesh->owner[f] < mesh->elements);
    }
    for (int i = 0; i < mesh->dim; i++) {
        CN_CHECK_NEAR(total[i], 0.0, 1e-14);
    }
    CN_CHECK_NEAR(divergence, volume, 1e-14);
    CN_CHECK_NEAR(fe_mesh_volume(mesh), volume, 1e-14);
}

CN_TEST(boxes_have_the_counts_and_volume_asked_for) {
    static const struct {
        const char *element;
        fe_pattern pattern;
        int32_t nodes, elements, faces, surface_nodes;
    } row[] = {
        {"t3", FE_PATTERN_DIAGONAL, 12, 12, 10, 10},
        {"t3", FE_PATTERN_UNION_JACK, 12, 12, 10, 10},
        {"t3", FE_PATTERN_CROSSED, 18, 24, 10, 10},
        {"q4", FE_PATTERN_DIAGONAL, 12, 6, 10, 10},
        {"q4-plain", FE_PATTERN_DIAGONAL, 12, 6, 10, 10},
        {"tet4", FE_PATTERN_DIAGONAL, 60, 144, 104, 54},
        {"tet4", FE_PATTERN_UNION_JACK, 60, 144, 104, 54},
        {"h8", FE_PATTERN_DIAGONAL, 60, 24, 52, 54},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        cn_arena *memory = cn_arena_create(NULL);
        fe_mesh mesh = make_box(memory, row[k].element, 1.5, 0.5, 2.0, 3, 2, 4, row[k].pattern);
        assert_int_equal(mesh.nodes, row[k].nodes);
        assert_int_equal(mesh.elements, row[k].elements);
        assert_int_equal(mesh.faces, row[k].faces);
        assert_int_equal(mesh.surface_nodes, row[k].surface_nodes);
        check_surface(&mesh, mesh.dim == 2 ? 0.75 : 1.5);
        cn_arena_destroy(memory);
    }
}

// The block of the masonry wall: 2 x 2 cells, all four diagonals through the centre.
CN_TEST(union_jack_diagonals_meet_at_the_centre) {
    cn_arena *memory = cn_arena_create(NULL);
    fe_mesh mesh = make_box(memory, "t3", 0.1, 0.05, 0, 2, 2, 0, FE_PATTERN_UNION_JACK);
    assert_int_equal(mesh.nodes, 9);
    assert_int_equal(mesh.elements, 8);
    for (int32_t e = 0; e < 8; e++) {
        const int32_t *corner = mesh.corner + 3 * e;
        CN_CHECK_TRUE(corner[0] == 4 || corner[1] == 4 || corner[2] == 4);
    }
    CN_CHECK_NEAR(mesh.node[0], -0.05, 0.0);
    CN_CHECK_NEAR(mesh.node[17], 0.025, 0.0);
    cn_arena_destroy(memory);
}

CN_TEST(sides_of_a_box_are_groups) {
    static const char *const names[] = {"left", "right", "front", "back", "bottom", "top"};
    cn_arena *memory = cn_arena_create(NULL);
    fe_mesh mesh = make_box(memory, "tet4", 1.0, 2.0, 3.0, 2, 3, 4, FE_PATTERN_UNION_JACK);
    static const int32_t nodes[3] = {20, 15, 12}, faces[3] = {24, 16, 12};
    for (int side = 0; side < 6; side++) {
        const fe_group *group = group_of(&mesh, names[side]);
        assert_int_equal(group->nodes, nodes[side / 2]);
        assert_int_equal(group->faces, faces[side / 2]);
        double want = (side % 2 ? 0.5 : -0.5) * (side / 2 + 1);
        for (int32_t k = 0; k < group->nodes; k++) {
            CN_CHECK_NEAR(mesh.node[3 * group->node[k] + side / 2], want, 1e-15);
        }
        for (int32_t k = 0; k < group->faces; k++) {
            double normal[3], centre[3];
            face_geometry(&mesh, group->face[k], normal, centre);
            CN_CHECK_TRUE(normal[side / 2] * want > 0.0);
        }
    }
    const fe_group *group;
    cn_error error;
    assert_int_equal(fe_mesh_find_group(&mesh, "side", &group, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "the mesh has no group 'side'");
    assert_string_equal(error.hint, "known groups: left, right, front, back, bottom, top");
    // 2D has four, with edges.
    fe_mesh flat = make_box(memory, "q4", 1.0, 2.0, 0, 2, 3, 0, FE_PATTERN_DIAGONAL);
    assert_int_equal(group_of(&flat, "left")->faces, 3);
    assert_int_equal(group_of(&flat, "top")->nodes, 3);
    CN_CHECK_TRUE(fe_mesh_find_group(&flat, "front", &group, NULL) == CN_ERR_INPUT);
    uint8_t none[12] = {0};
    assert_int_equal(fe_mesh_add_group(memory, &flat, "empty", none, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "the group 'empty' has no nodes");
    assert_int_equal(fe_mesh_add_group(memory, &flat, "top", none, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "duplicate group 'top'");
    cn_arena_destroy(memory);
}

// The rim is a regular polygon: area 2 n R^2 sin(pi / 2n) of 4n corners.
CN_TEST(disks_are_regular_polygons) {
    static const char *const kinds[] = {"t3", "q4", "q4-plain"};
    for (int k = 0; k < 3; k++) {
        for (int cells = 1; cells <= 9; cells += 2) {
            cn_arena *memory = cn_arena_create(NULL);
            fe_disk disk = {.element = fe_element_find(kinds[k]), .radius = 0.3, .cells = cells};
            fe_mesh mesh;
            cn_error error;
            assert_int_equal(fe_mesh_disk(memory, &disk, &mesh, &error), CN_OK);
            check_surface(&mesh, 2.0 * cells * 0.09 * sin(acos(-1.0) / (2.0 * cells)));
            assert_int_equal(mesh.faces, 4 * cells);
            const fe_group *rim = group_of(&mesh, "rim");
            assert_int_equal(rim->nodes, 4 * cells);
            assert_int_equal(rim->faces, 4 * cells);
            for (int32_t n = 0; n < rim->nodes; n++) {
                const double *x = mesh.node + 2 * rim->node[n];
                CN_CHECK_NEAR(hypot(x[0], x[1]), 0.3, 1e-15);
            }
            cn_arena_destroy(memory);
        }
    }
}

// The surface's nodes are on the sphere; the volume tends to that of the sphere with the square of the
// cells' size.
CN_TEST(meshed_spheres_tend_to_spheres) {
    double missing[2] = {0.0, 0.0};
    for (int cells = 1; cells <= 16; cells += cells < 4 ? 1 : cells) {
        cn_arena *memory = cn_arena_create(NULL);
        fe_sphere sphere = {.element = fe_element_find("h8"), .radius = 0.3, .cells = cells};
        fe_mesh mesh;
        cn_error error;
        assert_int_equal(fe_mesh_sphere(memory, &sphere, &mesh, &error), CN_OK);
        assert_int_equal(mesh.faces, 6 * cells * cells);
        const fe_group *surface = group_of(&mesh, "surface");
        assert_int_equal(surface->nodes, mesh.surface_nodes);
        assert_int_equal(surface->faces, mesh.faces);
        for (int32_t n = 0; n < surface->nodes; n++) {
            const double *x = mesh.node + 3 * surface->node[n];
            CN_CHECK_NEAR(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 0.3, 1e-15);
        }
        if (cells == 8 || cells == 16) {
            missing[cells / 16] = 4.0 / 3.0 * acos(-1.0) * 0.027 - fe_mesh_volume(&mesh);
        }
        cn_arena_destroy(memory);
    }
    CN_CHECK_NEAR(missing[0] / missing[1], 4.0, 0.1);
}

// A cylinder of a disk: its volume, the groups of the profile and of the two ends.
CN_TEST(extruded_meshes_are_prisms) {
    cn_arena *memory = cn_arena_create(NULL);
    fe_disk disk = {.element = fe_element_find("q4"), .radius = 0.3, .cells = 3};
    fe_mesh flat, mesh;
    cn_error error;
    assert_int_equal(fe_mesh_disk(memory, &disk, &flat, &error), CN_OK);
    fe_extrude extrude = {fe_element_find("h8"), &flat, 0.5, 4};
    assert_int_equal(fe_mesh_extrude(memory, &extrude, &mesh, &error), CN_OK);
    CN_CHECK_NEAR(fe_mesh_volume(&mesh), 0.5 * fe_mesh_volume(&flat), 1e-15);
    assert_int_equal(group_of(&mesh, "rim")->faces, 12 * 4);
    assert_int_equal(group_of(&mesh, "below")->faces, flat.elements);
    const fe_group *above = group_of(&mesh, "above");
    assert_int_equal(above->faces, flat.elements);
    for (int32_t n = 0; n < above->nodes; n++) {
        CN_CHECK_NEAR(mesh.node[3 * above->node[n] + 2], 0.25, 1e-15);
    }
    extrude.layers = 0;
    assert_int_equal(fe_mesh_extrude(memory, &extrude, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "0 layers of cells: at least 1");
    extrude = (fe_extrude){fe_element_find("tet4"), &flat, 0.5, 4};
    assert_int_equal(fe_mesh_extrude(memory, &extrude, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "'q4' cannot be extruded to 'tet4'");
    cn_arena_destroy(memory);
}

// Builds a mesh of the arrays given; the error text when it is refused.
static cn_status build(int32_t dim, const char *element, int32_t nodes, const double *node,
                       int32_t elements, const int32_t *corner, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    const fe_element *kind = fe_element_find(element);
    double x[64];
    int32_t c[64];
    fe_mesh mesh;
    memcpy(x, node, sizeof *x * (size_t)(nodes * dim));
    memcpy(c, corner, sizeof *c * (size_t)(elements * kind->nodes));
    cn_status status = fe_mesh_build(memory, dim, kind, nodes, x, elements, c, &mesh, error);
    cn_arena_destroy(memory);
    return status;
}

CN_TEST(bad_meshes_are_refused_with_the_element) {
    static const double square[10] = {0, 0, 1, 0, 1, 1, 0, 1, 5, 4};
    static const double with_nan[8] = {0, 0, 1, 0, 1, 1, 0, NAN};
    static const double kite[8] = {0, 0, 1, 0, 0.2, 0.2, 0, 1};
    static const double tet[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.5, 0.5};
    static const int32_t two[6] = {0, 1, 2, 0, 2, 3}, inverted[6] = {0, 1, 2, 0, 3, 2};
    static const int32_t range[6] = {0, 1, 2, 0, 2, 4}, twice[6] = {0, 1, 2, 0, 2, 2};
    static const int32_t quad[4] = {0, 1, 2, 3}, one[4] = {0, 1, 2, 3}, wrong[4] = {0, 2, 1, 3};
    static const int32_t three[9] = {0, 1, 2, 0, 2, 3, 0, 4, 2};
    static const int32_t over[6] = {0, 1, 2, 0, 1, 3};
    static const int32_t over_tet[8] = {0, 1, 2, 3, 0, 1, 2, 4};
    static const int32_t negative[3] = {0, 1, -1};
    static const double flat[8] = {0, 0, 1, 0, 2, 0, 3, 1};
    static const struct {
        int32_t dim;
        const char *element;
        int32_t nodes;
        const double *node;
        int32_t elements;
        const int32_t *corner;
        const char *text;
    } bad[] = {
        {2, "t3", 4, square, 2, inverted, "element 1 is inverted or flat (smallest Jacobian -1)"},
        {2, "t3", 4, flat, 1, negative, "element 0 has node -1; there are 4 nodes"},
        {2, "t3", 4, flat, 2, two, "element 0 is inverted or flat (smallest Jacobian 0)"},
        {2, "t3", 4, square, 2, range, "element 1 has node 4; there are 4 nodes"},
        {2, "t3", 4, square, 2, twice, "element 1 has node 2 twice"},
        {2, "t3", 5, square, 2, two, "node 4 is isolated: no element uses it"},
        {2, "t3", 4, with_nan, 2, two, "node 3 has a coordinate that is not finite"},
        {2, "q4", 4, kite, 1, quad, "element 0 is inverted or flat (smallest Jacobian -0.15)"},
        {2, "t3", 5, square, 3, three, "element 2 has a face that two other elements have"},
        {2, "t3", 4, square, 2, over, "element 1 overlaps element 0, with which it shares a face"},
        {3, "tet4", 5, tet, 2, over_tet,
         "element 1 overlaps element 0, with which it shares a face"},
        {3, "tet4", 4, tet, 1, wrong, "element 0 is inverted or flat (smallest Jacobian -1)"},
        {3, "t3", 4, tet, 1, one, "the element 't3' is 2D, the scene 3D"},
        {2, "tet4", 4, square, 1, one, "the element 'tet4' is 3D, the scene 2D"},
        {2, "t3", 4, square, 0, two, "the mesh has no elements"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cn_error error;
        assert_int_equal(build(bad[k].dim, bad[k].element, bad[k].nodes, bad[k].node,
                               bad[k].elements, bad[k].corner, &error),
                         CN_ERR_INPUT);
        assert_string_equal(error.message, bad[k].text);
    }
    cn_error error;
    assert_int_equal(build(2, "t3", 4, square, 2, two, &error), CN_OK);
    assert_int_equal(build(2, "q4", 4, square, 1, quad, &error), CN_OK);
    assert_int_equal(build(3, "tet4", 4, tet, 1, one, &error), CN_OK);
}

// The check of flatness knows no unit: a valid mesh is valid at any scale.
CN_TEST(shape_is_checked_at_any_scale) {
    for (int power = -12; power <= 12; power += 6) {
        double s = pow(10.0, power);
        double node[8] = {0, 0, s, 0, s, s, 0, s};
        static const int32_t corner[6] = {0, 1, 2, 0, 2, 3};
        cn_error error;
        assert_int_equal(build(2, "t3", 4, node, 2, corner, &error), CN_OK);
    }
}

CN_TEST(bad_boxes_and_disks_are_refused) {
    const fe_element *q4 = fe_element_find("q4"), *h8 = fe_element_find("h8");
    const struct {
        fe_box box;
        const char *text;
    } bad[] = {
        {{.element = q4, .size = {1, 0}, .cells = {1, 1}}, "the size 0 of a box is not positive"},
        {{.element = q4, .size = {1, NAN}, .cells = {1, 1}},
         "the size nan of a box is not positive"},
        {{.element = h8, .size = {1, 1, 1}, .cells = {1, 1}},
         "0 cells: a box has at least one in each direction"},
        {{.element = q4, .size = {1, 1}, .cells = {1, 1}, .pattern = FE_PATTERN_CROSSED},
         "the pattern 'crossed' is for t3, not for q4"},
        {{.element = q4, .size = {1, 1}, .cells = {INT32_MAX, INT32_MAX}},
         "a mesh of 2147483647 nodes and 2147483647 elements is too large"},
    };
    cn_arena *memory = cn_arena_create(NULL);
    fe_mesh mesh;
    cn_error error;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(fe_mesh_box(memory, &bad[k].box, &mesh, &error), CN_ERR_INPUT);
        assert_string_equal(error.message, bad[k].text);
    }
    fe_disk disk = {.element = h8, .radius = 1.0, .cells = 2};
    assert_int_equal(fe_mesh_disk(memory, &disk, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "a disk is 2D, the element 'h8' is not");
    disk = (fe_disk){.element = q4, .radius = -1.0, .cells = 2};
    assert_int_equal(fe_mesh_disk(memory, &disk, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "the radius -1 is not positive");
    disk = (fe_disk){.element = q4, .radius = 1.0, .cells = 0};
    assert_int_equal(fe_mesh_disk(memory, &disk, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "0 cells on a quarter of a disk: 1 to 10000");
    fe_sphere sphere = {.element = fe_element_find("tet4"), .radius = 1.0, .cells = 2};
    assert_int_equal(fe_mesh_sphere(memory, &sphere, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "a sphere has elements of 8 nodes, not 'tet4'");
    sphere = (fe_sphere){.element = h8, .radius = 0.0, .cells = 2};
    assert_int_equal(fe_mesh_sphere(memory, &sphere, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "the radius 0 is not positive");
    sphere = (fe_sphere){.element = h8, .radius = 1.0, .cells = 501};
    assert_int_equal(fe_mesh_sphere(memory, &sphere, &mesh, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "501 cells on a quarter of a sphere: 1 to 500");
    fe_pattern pattern;
    assert_int_equal(fe_pattern_lookup("union-jack", &pattern, &error), CN_OK);
    CN_CHECK_TRUE(pattern == FE_PATTERN_UNION_JACK);
    assert_int_equal(fe_pattern_lookup("zigzag", &pattern, &error), CN_ERR_INPUT);
    cn_arena_destroy(memory);
}

CN_TEST(every_allocation_of_a_mesh_may_fail) {
    const fe_element *tet4 = fe_element_find("tet4"), *t3 = fe_element_find("t3");
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        cn_arena *arena = cn_arena_create(&env);
        fe_box box = {.element = tet4, .size = {1, 1, 1}, .cells = {12, 12, 12}};
        fe_disk disk = {.element = t3, .radius = 1.0, .cells = 40};
        fe_mesh mesh;
        cn_status status = arena ? fe_mesh_box(arena, &box, &mesh, NULL) : CN_ERR_MEMORY;
        status = status == CN_OK ? fe_mesh_disk(arena, &disk, &mesh, NULL) : status;
        fe_sphere sphere = {.element = fe_element_find("h8"), .radius = 1.0, .cells = 6};
        status = status == CN_OK ? fe_mesh_sphere(arena, &sphere, &mesh, NULL) : status;
        fe_disk flat_disk = {.element = fe_element_find("q4"), .radius = 1.0, .cells = 6};
        fe_mesh flat;
        status = status == CN_OK ? fe_mesh_disk(arena, &flat_disk, &flat, NULL) : status;
        fe_extrude extrude = {sphere.element, &flat, 1.0, 6};
        status = status == CN_OK ? fe_mesh_extrude(arena, &extrude, &mesh, NULL) : status;
        cn_arena_destroy(arena);
        CN_CHECK_TRUE(memory.live == 0);
        CN_CHECK_TRUE(status == (memory.failed ? CN_ERR_MEMORY : CN_OK));
        if (!memory.failed) {
            CN_CHECK_TRUE(k > 5);
            break;
        }
    }
}
