// Meshes of Gmsh: any bytes give a mesh whose indices are in range, or an error with text.
#include "fuzz_problem.h"

#include "base/arena.h"
#include "io/gmsh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cn_arena *memory = cn_arena_create(NULL);
    io_gmsh mesh;
    cn_error error = {0};
    if (io_gmsh_read_bytes("input.msh", data, size, memory, &mesh, &error) == CN_OK) {
        CN_FUZZ_REQUIRE(mesh.elements > 0 && mesh.nodes > 0);
        for (int64_t k = 0; k < (int64_t)mesh.elements * mesh.per_element; k++) {
            CN_FUZZ_REQUIRE(mesh.corner[k] >= 0 && mesh.corner[k] < mesh.nodes);
        }
        for (int32_t g = 0; g < mesh.groups; g++) {
            CN_FUZZ_REQUIRE(mesh.group[g].count > 0 && mesh.group[g].name[0]);
            for (int32_t k = 0; k < mesh.group[g].count; k++) {
                CN_FUZZ_REQUIRE(mesh.group[g].node[k] >= 0 && mesh.group[g].node[k] < mesh.nodes);
            }
        }
    } else {
        CN_FUZZ_REQUIRE(error.message[0] && !strchr(error.message, '\n'));
        CN_FUZZ_REQUIRE(strcmp(error.file, "input.msh") == 0);
    }
    cn_arena_destroy(memory);
    return 0;
}
