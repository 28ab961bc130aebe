// Meshes of Gmsh: files that it wrote, in both versions, as text and binary, are the same mesh; and
// what is wrong with a file is said with its place. The files are saved inputs of the fuzz target.
#include "check.h"
#include "failing_allocator.h"

#include "base/arena.h"
#include "base/memory.h"
#include "body/fe/mesh.h"
#include "io/file.h"
#include "io/gmsh.h"

#include <stdio.h>
#include <string.h>

static const char *const variants[] = {"22-text", "22-binary", "41-text", "41-binary"};

static io_gmsh read_saved(cn_arena *memory, const char *name, const char *variant) {
    char path[600];
    io_gmsh mesh;
    cn_error error;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/gmsh/%s-%s.msh", CAIRN_SOURCE_DIR, name,
             variant);
    if (io_gmsh_read(path, memory, &mesh, &error) != CN_OK) {
        print_error("%s: %s\n", path, error.message);
        fail();
    }
    return mesh;
}

// The text of its groups, "left side 3, right 2": names and numbers of nodes.
static const char *groups_of(const io_gmsh *mesh, char out[200]) {
    size_t used = 0;
    out[0] = '\0';
    for (int32_t g = 0; g < mesh->groups; g++) {
        used += (size_t)snprintf(out + used, 200 - used, "%s%s %d", g ? ", " : "",
                                 mesh->group[g].name, (int)mesh->group[g].count);
    }
    return out;
}

static void check_same(const io_gmsh *a, const io_gmsh *b) {
    char groups[2][200];
    assert_string_equal(a->element, b->element);
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->elements, b->elements);
    assert_memory_equal(a->corner, b->corner,
                        sizeof *a->corner * (size_t)a->elements * (size_t)a->per_element);
    for (int32_t k = 0; k < a->dim * a->nodes; k++) {
        CN_CHECK_NEAR(a->node[k], b->node[k], 1e-15);
    }
    assert_string_equal(groups_of(a, groups[0]), groups_of(b, groups[1]));
    for (int32_t g = 0; g < a->groups; g++) {
        assert_memory_equal(a->group[g].node, b->group[g].node,
                            sizeof(int32_t) * (size_t)a->group[g].count);
    }
}

CN_TEST(all_variants_of_a_file_are_the_same_mesh) {
    static const struct {
        const char *name, *element, *groups;
        int32_t dim, nodes, elements;
        double size; // area, volume
    } row[] = {
        {"plate-t3", "t3", "left side 2, right 2, surface-7 8", 2, 8, 8, 0.5},
        {"plate-q4", "q4", "left side 2, right 2, surface-7 6", 2, 6, 2, 0.5},
        {"plate-t6", "t6", "left side 3, right 3, surface-7 23", 2, 23, 8, 0.5},
        {"plate-q9", "q8", "left side 3, right 3, surface-7 13", 2, 13, 2, 0.5},
        {"block-tet4", "tet4", "corner 1, foot 5, head 5, body 14", 3, 14, 24, 1.0},
        {"block-tet10", "tet10", "corner 1, foot 13, head 13, body 63", 3, 63, 24, 1.0},
        {"block-h8", "h8", "foot 4, head 4, body 12", 3, 12, 2, 1.0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        cn_arena *memory = cn_arena_create(NULL);
        io_gmsh first = read_saved(memory, row[k].name, variants[0]);
        char groups[200];
        assert_string_equal(first.element, row[k].element);
        assert_string_equal(groups_of(&first, groups), row[k].groups);
        assert_int_equal(first.dim, row[k].dim);
        assert_int_equal(first.nodes, row[k].nodes);
        assert_int_equal(first.elements, row[k].elements);
        for (int v = 1; v < 4; v++) {
            io_gmsh other = read_saved(memory, row[k].name, variants[v]);
            check_same(&first, &other);
        }
        const fe_element *element = fe_element_find(first.element);
        if (element) {
            fe_mesh mesh;
            cn_error error;
            if (fe_mesh_build(memory, first.dim, element, first.nodes, first.node, first.elements,
                              first.corner, &mesh, &error) != CN_OK) {
                print_error("%s\n", error.message);
                fail();
            }
            CN_CHECK_NEAR(fe_mesh_volume(&mesh), row[k].size, 1e-12);
        }
        cn_arena_destroy(memory);
    }
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n10 1 1 0\n$EndNodes\n"

// Clockwise triangles are turned round, nodes that nothing uses are left out, names may be missing.
CN_TEST(elements_are_turned_and_nodes_numbered) {
    cn_arena *memory = cn_arena_create(NULL);
    const char *text = NODES "$Comment\n$anything\n$EndComment\n$Elements\n2\n"
                             "1 15 2 5 0 10\n2 2 2 0 1 10 3 2\n$EndElements\n";
    io_gmsh mesh;
    cn_error error;
    char groups[200];
    assert_int_equal(io_gmsh_read_bytes("a.msh", text, strlen(text), memory, &mesh, &error), CN_OK);
    assert_int_equal(mesh.nodes, 3);
    assert_string_equal(groups_of(&mesh, groups), "point-5 1");
    const int32_t corner[3] = {2, 1, 0};
    const double node[6] = {1, 0, 0, 1, 1, 1};
    // 10 3 2 is counter-clockwise.
    assert_memory_equal(mesh.node, node, sizeof node);
    assert_memory_equal(mesh.corner, corner, sizeof corner);
    assert_int_equal(mesh.group[0].node[0], 2);
    text = NODES "$Elements\n1\n2 2 2 0 1 10 2 3\n$EndElements\n"; // clockwise
    assert_int_equal(io_gmsh_read_bytes("a.msh", text, strlen(text), memory, &mesh, &error), CN_OK);
    const int32_t turned[3] = {2, 1, 0};
    assert_memory_equal(mesh.corner, turned, sizeof turned);
    cn_arena_destroy(memory);
}

CN_TEST(what_is_wrong_is_said_with_its_place) {
    static const struct {
        const char *text, *want;
        int32_t line, column;
    } row[] = {
        {"solid cube\n", "not a mesh of Gmsh: it does not begin with $MeshFormat", 1, 1},
        {"$MeshFormat\n4 0 8\n", "version 4 of the format is not read", 2, 1},
        {"$MeshFormat\n2.2 0 4\n", NULL, 2, 7},
        {HEAD "$Nodes\n1\n1 0 0 zero\n", NULL, 6, 7},
        {HEAD "$Nodes\n2000000\n1 0 0 0\n", NULL, 0, 0},
        {HEAD "$Nodes\n1\n1 0 0 0\n$EndNode\n", NULL, 7, 1},
        {HEAD "nodes\n", "a section should be here", 4, 1},
        {HEAD "$Nodes\n2\n1 0 0 0\n1 0 1 0\n$EndNodes\n", "duplicate node 1", 0, 0},
        {NODES "$Elements\n1\n7 6 0 1 2 3 10 1 1\n$EndElements\n",
         "elements of type 6 are not read", 13, 3},
        {NODES "$Elements\n1\n7 2 0 1 2 4\n$EndElements\n",
         "element 7 has a node that is not in the file", 13, 1},
        {NODES "$Elements\n2\n7 2 0 1 2 3\n8 3 0 1 2 10 3\n$EndElements\n",
         "element 8 is a q4, the first one a t3", 14, 1},
        {NODES "$Elements\n1\n7 1 0 1 2\n$EndElements\n",
         "the file has no elements of two or three dimensions", 0, 0},
        {HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 1\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n"
              "$EndElements\n",
         "the mesh is a surface that does not lie in a plane z = const", 0, 0},
        {HEAD "$PhysicalNames\n1\n2 1 \"open\n", "the name has no closing quote", 6, 5},
        {NODES "$Periodic\n1\n", "the section has no end", 11, 1},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        cn_arena *memory = cn_arena_create(NULL);
        io_gmsh mesh;
        cn_error error;
        cn_status status =
            io_gmsh_read_bytes("a.msh", row[k].text, strlen(row[k].text), memory, &mesh, &error);
        CN_CHECK_TRUE(status == CN_ERR_INPUT || status == CN_ERR_UNSUPPORTED);
        assert_string_equal(error.file, "a.msh");
        if (row[k].want) {
            assert_string_equal(error.message, row[k].want);
        }
        if (row[k].line > 0 || row[k].want) {
            assert_int_equal(error.line, row[k].line);
            assert_int_equal(error.column, row[k].column);
        }
        cn_arena_destroy(memory);
    }
}

// Every beginning of a binary file is refused, and says where it ended.
CN_TEST(cut_binary_files_are_refused) {
    for (int v = 1; v < 4; v += 2) {
        char path[600];
        base_buffer bytes;
        base_buffer_init(&bytes, NULL);
        snprintf(path, sizeof path, "%s/tests/fuzz/corpus/gmsh/block-h8-%s.msh", CAIRN_SOURCE_DIR,
                 variants[v]);
        assert_int_equal(io_file_read_regular(path, 1 << 20, &bytes, NULL), CN_OK);
        for (size_t size = 0; size + 2 < bytes.size; size++) {
            cn_arena *memory = cn_arena_create(NULL);
            io_gmsh mesh;
            cn_error error;
            CN_CHECK_TRUE(io_gmsh_read_bytes("a.msh", bytes.data, size, memory, &mesh, &error) !=
                          CN_OK);
            CN_CHECK_TRUE(error.message[0] != '\0');
            cn_arena_destroy(memory);
        }
        base_buffer_free(&bytes);
    }
}

CN_TEST(every_allocation_of_a_file_may_fail) {
    const char *text = NODES "$PhysicalNames\n1\n0 5 \"a\"\n$EndPhysicalNames\n$Elements\n2\n"
                             "1 15 2 5 0 10\n2 2 2 0 1 10 3 2\n$EndElements\n";
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        cn_arena *arena = cn_arena_create(&env);
        io_gmsh mesh;
        cn_status status = arena
                               ? io_gmsh_read_bytes("a.msh", text, strlen(text), arena, &mesh, NULL)
                               : CN_ERR_MEMORY;
        cn_arena_destroy(arena);
        CN_CHECK_TRUE(memory.live == 0);
        CN_CHECK_TRUE(status == (memory.failed ? CN_ERR_MEMORY : CN_OK));
        if (!memory.failed) {
            CN_CHECK_TRUE(k > 4);
            break;
        }
    }
}
