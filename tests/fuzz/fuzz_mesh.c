// OBJ and STL files, and the shapes that their parts become: any bytes give a mesh or an error with
// text, and any mesh a hull that Euler would accept or an error.
#include "fuzz_problem.h"

#include "base/arena.h"
#include "geom/shape.h"
#include "io/mesh.h"

static void cn_fuzz_part(const io_mesh_part *part, bool with_faces, cn_arena *memory) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    geom_shape shape;
    cn_error error = {0};
    def.vertices = part->vertex;
    def.vertex_count = part->vertex_count;
    if (with_faces) {
        def.faces = part->corner;
        def.face_size = part->face_size;
        def.face_count = part->face_count;
    }
    if (geom_shape_build(&def, 3, memory, &shape, &error) == CN_OK) {
        CN_FUZZ_REQUIRE(shape.hull.vertex_count - shape.hull.edge_count + shape.hull.face_count ==
                        2);
    } else {
        CN_FUZZ_REQUIRE(error.message[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *const names[] = {"input.obj", "input.stl"};
    for (int i = 0; i < 2; i++) {
        cn_arena *memory = cn_arena_create(NULL);
        io_mesh mesh;
        cn_error error = {0};
        if (io_mesh_read_bytes(names[i], data, size, memory, &mesh, &error) == CN_OK) {
            for (int32_t p = 0; p < mesh.part_count; p++) {
                cn_fuzz_part(&mesh.part[p], true, memory);
                cn_fuzz_part(&mesh.part[p], false, memory);
            }
        } else {
            CN_FUZZ_REQUIRE(error.message[0] && !strchr(error.message, '\n'));
            CN_FUZZ_REQUIRE(strcmp(error.file, names[i]) == 0);
        }
        cn_arena_destroy(memory);
    }
    return 0;
}
