// Mesh files: OBJ, STL as text and binary, parts, errors with their place.
#include "check.h"
#include "failing_allocator.h"

#include "base/arena.h"
#include "base/rng.h"
#include "geom/shape.h"
#include "io/mesh.h"

#include <string.h>

static const char cn_obj_two[] = "# two tetrahedra\n"
                                 "mtllib a.mtl\n"
                                 "v 0 0 0\nv 1 0 0 1.0\nv 0 1 0\nv 0 0 1\n"
                                 "vn 0 0 1\n"
                                 "o first one\n"
                                 "usemtl red\n"
                                 "f 1 3 2\nf 1//1 2//1 4//1 # with normals\nf 2/1 3/2 4/3\n"
                                 "f -4 -1 -2\n"
                                 "g second\n"
                                 "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\n"
                                 "f 5 7 6\nf 5 6 8\nf 6 7 8\nf 5 8 7";

static const char cn_stl_text[] = "solid a tetrahedron\n"
                                  "facet normal nan nan nan\n outer loop\n"
                                  "  vertex 0 0 0\n  vertex 0 1 0\n  vertex 1 0 0\n"
                                  " endloop\nendfacet\n"
                                  "facet normal 0 0 0\nouter loop\n"
                                  "vertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
                                  "FACET NORMAL 0 0 0\nOUTER LOOP\n"
                                  "VERTEX 1 0 0\nVERTEX 0 1 0\nVERTEX 0 0 1\nENDLOOP\nENDFACET\n"
                                  "facet normal 0 0 0\nouter loop\n"
                                  "vertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
                                  "endsolid a tetrahedron\n";

static io_mesh cn_read(cn_arena *memory, const char *name, const void *bytes, size_t size) {
    io_mesh mesh;
    cn_error error;
    char text[1200];
    if (io_mesh_read_bytes(name, bytes, size, memory, &mesh, &error) != CN_OK) {
        print_error("%s\n", cn_error_format(&error, text, sizeof text));
        fail();
    }
    return mesh;
}

// The volume of the part as a convex shape.
static double cn_part_volume(cn_arena *memory, const io_mesh_part *part) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    geom_shape shape;
    cn_error error;
    geom_mass mass;
    def.vertices = part->vertex;
    def.vertex_count = part->vertex_count;
    def.faces = part->corner;
    def.face_size = part->face_size;
    def.face_count = part->face_count;
    if (geom_shape_build(&def, 3, memory, &shape, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    geom_shape_mass(&shape, 3, &mass);
    return mass.mass;
}

// The error as a user sees it.
static void cn_check_refused(const char *name, const void *bytes, size_t size, const char *want) {
    cn_arena *memory = cn_arena_create(NULL);
    io_mesh mesh;
    cn_error error = {0};
    char text[1200];
    CN_CHECK_TRUE(io_mesh_read_bytes(name, bytes, size, memory, &mesh, &error) != CN_OK);
    assert_string_equal(cn_error_format(&error, text, sizeof text), want);
    cn_arena_destroy(memory);
}

// A binary file of the text above, or of part of it.
static size_t cn_stl_binary(unsigned char *bytes, uint32_t count) {
    static const float x[4][9] = {{0, 0, 0, 0, 1, 0, 1, 0, 0},
                                  {0, 0, 0, 1, 0, 0, 0, 0, 1},
                                  {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  {0, 0, 0, 0, 0, 1, 0, 1, 0}};
    memset(bytes, 0, 84 + 4 * 50);
    memcpy(bytes, "solid by name only", 18);
    bytes[80] = (unsigned char)count;
    for (uint32_t t = 0; t < count; t++) {
        memcpy(bytes + 84 + 50 * t + 12, x[t], sizeof x[t]);
    }
    return 84 + 50 * (size_t)count;
}

CN_TEST(obj_groups_are_parts) {
    cn_arena *memory = cn_arena_create(NULL);
    io_mesh mesh = cn_read(memory, "a.OBJ", cn_obj_two, sizeof cn_obj_two - 1);
    CN_CHECK_TRUE(mesh.part_count == 2);
    assert_string_equal(mesh.part[0].name, "first one");
    assert_string_equal(mesh.part[1].name, "second");
    for (int i = 0; i < 2; i++) {
        CN_CHECK_TRUE(mesh.part[i].vertex_count == 4 && mesh.part[i].face_count == 4);
        CN_CHECK_NEAR(cn_part_volume(memory, &mesh.part[i]), 1.0 / 6.0, 1e-15);
    }
    CN_CHECK_NEAR(mesh.part[1].vertex[0], 5.0, 0.0);
    cn_arena_destroy(memory);
}

CN_TEST(obj_without_groups_is_one_part_and_names_join) {
    cn_arena *memory = cn_arena_create(NULL);
    const char plain[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    io_mesh mesh = cn_read(memory, "a.obj", plain, sizeof plain - 1);
    CN_CHECK_TRUE(mesh.part_count == 1 && mesh.part[0].face_count == 4);
    assert_string_equal(mesh.part[0].name, "");
    const char split[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 3 2\nf 1 2 4\ng b\n"
                         "g a\nf 2 3 4\nf 1 4 3\n";
    mesh = cn_read(memory, "a.obj", split, sizeof split - 1);
    CN_CHECK_TRUE(mesh.part_count == 1 && mesh.part[0].face_count == 4);
    assert_string_equal(mesh.part[0].name, "a");
    cn_arena_destroy(memory);
}

CN_TEST(stl_text_and_binary_are_the_same) {
    cn_arena *memory = cn_arena_create(NULL);
    unsigned char bytes[84 + 4 * 50];
    size_t size = cn_stl_binary(bytes, 4);
    io_mesh text = cn_read(memory, "a.stl", cn_stl_text, sizeof cn_stl_text - 1);
    io_mesh binary = cn_read(memory, "a.stl", bytes, size);
    assert_string_equal(text.part[0].name, "a tetrahedron");
    CN_CHECK_TRUE(text.part[0].vertex_count == 12 && binary.part[0].vertex_count == 12);
    CN_CHECK_TRUE(memcmp(text.part[0].vertex, binary.part[0].vertex, 36 * sizeof(double)) == 0);
    CN_CHECK_NEAR(cn_part_volume(memory, &binary.part[0]), 1.0 / 6.0, 1e-15);
    cn_arena_destroy(memory);
}

CN_TEST(errors_have_line_and_column) {
    const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"a.obj", "v 0 0 0\nv 1 x 0\n",
         "a.obj:2:5: a coordinate should be a finite number, not 'x'"},
        {"a.obj", "v 0 0 0\nv 1 2\nv 0 0 0\n", "a.obj:2:1: the point has 2 numbers; it needs 3"},
        {"a.obj", "v 0 0 0\nf 1 1\n", "a.obj:2:1: the face has 2 corners; it needs 3"},
        {"a.obj", "v 0 0 0\nf 1 1 2\n",
         "a.obj:2:7: the corner names a point that is not among the 1 so far"},
        {"a.obj", "v 0 0 0\nf 1 1 0\n",
         "a.obj:2:7: the corner names a point that is not among the 1 so far"},
        {"a.obj", "v 0 0 0\nf 1 1 -2\n",
         "a.obj:2:7: the corner names a point that is not among the 1 so far"},
        {"a.obj", "v 0 0 0\nf 1 1 9999999999999999999999\n",
         "a.obj:2:7: the corner names a point that is not among the 1 so far"},
        {"a.obj", "v 0 0 0\nf 1 a 1\n", "a.obj:2:5: a corner should be the number of a point"},
        {"a.obj", "hello world\n", "a.obj:1:1: no line of an OBJ file begins like this"},
        {"a.obj", "cstype bezier\n",
         "a.obj:1:1: curved surfaces are not read; export the shape as "
         "a mesh of flat faces"},
        {"a.obj", "v 0 0 0\n", "a.obj: the file has no faces"},
        {"a.obj", "", "a.obj: the file has no faces"},
        {"a.stl", "solid\nfacet normal 0 0 1\nouter lop\n", "a.stl:3:7: 'loop' should be here"},
        {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e999\n",
         "a.stl:4:12: a coordinate should be a finite number, not '1e999'"},
        {"a.stl", "solid\nendsolid\n", "a.stl: the file has no faces"},
        {"a.stl", "solid\nfacet",
         "a.stl:2:6: the file ends where outer should be; the file may be "
         "cut short"},
        {"a.stl", "something",
         "a.stl: neither an STL text nor as long as its number of triangles "
         "says"},
        {"a.ply", "ply",
         "a.ply: not a mesh file by its name; use a file that ends in .obj or .stl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cn_check_refused(cases[i].name, cases[i].text, strlen(cases[i].text), cases[i].want);
    }
    unsigned char bytes[84 + 4 * 50];
    size_t size = cn_stl_binary(bytes, 2);
    memset(bytes + 84 + 50 + 12, 0xff, 4);
    cn_check_refused("a.stl", bytes, size,
                     "a.stl: triangle 1 has a coordinate that is not a finite number");
}

CN_TEST(missing_file_is_named) {
    cn_arena *memory = cn_arena_create(NULL);
    io_mesh mesh;
    cn_error error;
    CN_CHECK_TRUE(io_mesh_read("/nowhere/a.obj", memory, &mesh, &error) == CN_ERR_IO);
    assert_string_equal(error.file, "/nowhere/a.obj");
    cn_arena_destroy(memory);
}

CN_TEST(every_failing_allocation_is_reported) {
    for (int64_t k = 1;; k++) {
        cn_failing counter;
        cn_env env = cn_failing_env(&counter, k);
        cn_arena *memory = cn_arena_create(&env);
        io_mesh mesh;
        cn_status status = CN_ERR_MEMORY;
        if (memory) {
            status =
                io_mesh_read_bytes("a.obj", cn_obj_two, sizeof cn_obj_two - 1, memory, &mesh, NULL);
        }
        cn_arena_destroy(memory);
        assert_int_equal(counter.live, 0);
        assert_int_equal(status, counter.failed ? CN_ERR_MEMORY : CN_OK);
        if (!counter.failed) {
            CN_CHECK_TRUE(k > 5);
            break;
        }
    }
}

// Any bytes give a mesh or an error with text.
CN_TEST(damaged_files_are_read_or_refused) {
    base_rng rng = base_rng_seed(1);
    unsigned char binary[84 + 4 * 50];
    cn_stl_binary(binary, 4);
    const struct {
        const char *name;
        const void *bytes;
        size_t size;
    } files[] = {{"a.obj", cn_obj_two, sizeof cn_obj_two - 1},
                 {"a.stl", cn_stl_text, sizeof cn_stl_text - 1},
                 {"a.stl", binary, sizeof binary}};
    for (int round = 0; round < 3000; round++) {
        int which = round % 3;
        size_t size = (size_t)base_rng_below(&rng, (int32_t)files[which].size + 1);
        size = round % 2 ? size : files[which].size;
        unsigned char *copy = malloc(size + 1);
        memcpy(copy, files[which].bytes, size);
        for (int change = 0; change < round % 4 && size > 0; change++) {
            copy[base_rng_below(&rng, (int32_t)size)] = (unsigned char)base_rng_next(&rng);
        }
        cn_arena *memory = cn_arena_create(NULL);
        io_mesh mesh;
        cn_error error = {0};
        cn_status status = io_mesh_read_bytes(files[which].name, copy, size, memory, &mesh, &error);
        CN_CHECK_TRUE(status == CN_OK || error.message[0]);
        cn_arena_destroy(memory);
        free(copy);
    }
}
