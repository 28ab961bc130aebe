// scene/files.c
// Files that scenes name: their paths and text, meshes as convex polyhedra and of elements.
#include "scene/files.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"
#include "io/gmsh.h"
#include "io/mesh.h"

#include <string.h>

const char *scene_path_beside(scene_reader *reader, const io_yaml *node, const char *path) {
    const char *from =
        node->file && strncmp(node->file, SCENE_OVERRIDE_PREFIX, strlen(SCENE_OVERRIDE_PREFIX)) != 0
            ? node->file
            : reader->file;
    const char *slash = path[0] == '/' ? NULL : strrchr(from, '/');
    size_t folder = slash ? (size_t)(slash - from) + 1 : 0;
    size_t length = strlen(path);
    char *joined = BASE_TAKE(reader->memory, char, folder + length + 1);
    if (joined) {
        memcpy(joined, from, folder);
        memcpy(joined + folder, path, length + 1);
    }
    return joined;
}

cn_status scene_fail_unreadable(scene_reader *reader, const io_yaml *node, const char *what,
                                const char *path) {
    char reason[sizeof reader->error->message] = "cannot be read";
    if (reader->error) {
        memcpy(reason, reader->error->message, sizeof reason);
    }
    return scene_fail_node(reader, node, CN_ERR_INPUT, "%s\"%.200s\": %.200s", what, path, reason);
}

cn_status scene_text_beside(scene_reader *reader, const io_yaml *node, const char *file,
                            const char **path, const char **text) {
    *path = scene_path_beside(reader, node, file);
    if (!*path) {
        return base_fail_memory(reader->error);
    }
    base_buffer bytes;
    base_buffer_init(&bytes, cn_arena_env(reader->memory));
    cn_status status = io_file_read_regular(*path, IO_YAML_BYTES_MAX, &bytes, reader->error);
    if (status == CN_ERR_IO) {
        status = scene_fail_unreadable(reader, node, "", *path);
    } else if (status == CN_OK && bytes.size > 0 && memchr(bytes.data, '\0', bytes.size)) {
        status =
            scene_fail_node(reader, node, CN_ERR_INPUT, "\"%.200s\" is not a text file", *path);
    } else if (status == CN_OK) {
        *text =
            base_arena_text(reader->memory, bytes.data ? (const char *)bytes.data : "", bytes.size);
        status = *text ? CN_OK : base_fail_memory(reader->error);
    }
    base_buffer_free(&bytes);
    return status;
}

// {polyhedron: {vertices: [...], faces: [...]}}; NULL: no memory.
static io_yaml *mesh_node(cn_arena *memory, const io_mesh_part *part, double scale,
                          const io_yaml *at) {
    io_yaml *vertices = io_yaml_new(memory, IO_YAML_LIST, at);
    io_yaml *faces = io_yaml_new(memory, IO_YAML_LIST, at);
    bool good = vertices && faces;
    for (int32_t i = 0; i < part->vertex_count && good; i++) {
        io_yaml *point = io_yaml_new(memory, IO_YAML_LIST, at);
        for (int j = 0; j < 3 && point; j++) {
            double x = scale * part->vertex[3 * (int64_t)i + j];
            good = good && io_yaml_append(memory, point, io_yaml_new_number(memory, x, at));
        }
        good = good && io_yaml_append(memory, vertices, point);
    }
    const int32_t *index = part->corner;
    for (int32_t i = 0; i < part->face_count && good; i++) {
        io_yaml *face = io_yaml_new(memory, IO_YAML_LIST, at);
        for (int32_t j = 0; j < part->face_size[i] && face; j++) {
            good = good && io_yaml_append(memory, face, io_yaml_new_number(memory, *index++, at));
        }
        good = good && io_yaml_append(memory, faces, face);
    }
    io_yaml *polyhedron = io_yaml_new(memory, IO_YAML_MAP, at);
    io_yaml *shape = io_yaml_new(memory, IO_YAML_MAP, at);
    good = good && polyhedron && shape &&
           io_yaml_put(memory, polyhedron, io_yaml_new_text(memory, "vertices", at), vertices) &&
           io_yaml_put(memory, polyhedron, io_yaml_new_text(memory, "faces", at), faces) &&
           io_yaml_put(memory, shape, io_yaml_new_text(memory, "polyhedron", at), polyhedron);
    return good ? shape : NULL;
}

cn_status scene_mesh_expand(scene_reader *reader, io_yaml *shape, const char *file, double scale) {
    const io_yaml *at = io_yaml_get(io_yaml_get(shape, "mesh"), "file");
    const char *path = scene_path_beside(reader, at, file);
    if (!path) {
        return base_fail_memory(reader->error);
    }
    io_mesh mesh;
    cn_status status = io_mesh_read(path, reader->memory, &mesh, reader->error);
    if (status != CN_OK) {
        return status == CN_ERR_IO ? scene_fail_unreadable(reader, at, "", path) : status;
    }
    io_yaml *list = io_yaml_new(reader->memory, IO_YAML_LIST, at);
    bool good = list != NULL;
    for (int32_t i = 0; i < mesh.part_count && good; i++) {
        good = io_yaml_append(reader->memory, list,
                              mesh_node(reader->memory, &mesh.part[i], scale, at));
    }
    io_yaml *key = io_yaml_new_text(reader->memory, "compound", at);
    return good && io_yaml_replace(reader->memory, shape, "mesh", key, list)
               ? CN_OK
               : base_fail_memory(reader->error);
}

// ---- meshes of elements ----

// A list of rows of so many numbers each; from: NULL for whole numbers.
static io_yaml *number_rows(cn_arena *memory, const double *real, const int32_t *whole,
                            int32_t rows, int32_t per, double scale, const io_yaml *at) {
    io_yaml *list = io_yaml_new(memory, IO_YAML_LIST, at);
    bool good = list != NULL;
    for (int32_t k = 0; k < rows && good; k++) {
        io_yaml *row = io_yaml_new(memory, IO_YAML_LIST, at);
        good = row != NULL;
        for (int32_t i = 0; i < per && good; i++) {
            int64_t from = (int64_t)per * k + i;
            double value = real ? scale * real[from] : whole[from];
            good = io_yaml_append(memory, row, io_yaml_new_number(memory, value, at));
        }
        good = good && io_yaml_append(memory, list, row);
    }
    return good ? list : NULL;
}

static bool put(cn_arena *memory, io_yaml *map, const char *key, io_yaml *value,
                const io_yaml *at) {
    return map && value && io_yaml_put(memory, map, io_yaml_new_text(memory, key, at), value);
}

static io_yaml *gmsh_groups(cn_arena *memory, const io_gmsh *mesh, const io_yaml *at) {
    io_yaml *list = io_yaml_new(memory, IO_YAML_LIST, at);
    bool good = list != NULL;
    for (int32_t g = 0; g < mesh->groups && good; g++) {
        const io_gmsh_group *group = &mesh->group[g];
        io_yaml *map = io_yaml_new(memory, IO_YAML_MAP, at);
        io_yaml *nodes = io_yaml_new(memory, IO_YAML_LIST, at);
        good = put(memory, map, "name", io_yaml_new_text(memory, group->name, at), at) && nodes;
        for (int32_t k = 0; k < group->count && good; k++) {
            good = io_yaml_append(memory, nodes, io_yaml_new_number(memory, group->node[k], at));
        }
        good = good && put(memory, map, "nodes", nodes, at) && io_yaml_append(memory, list, map);
    }
    return good ? list : NULL;
}

cn_status scene_gmsh_expand(scene_reader *reader, io_yaml *mesh, const char *file, double scale) {
    const io_yaml *at = io_yaml_get(mesh, "file");
    const char *path = scene_path_beside(reader, at, file);
    cn_arena *memory = reader->memory;
    if (!path) {
        return base_fail_memory(reader->error);
    }
    io_gmsh read;
    cn_status status = io_gmsh_read(path, memory, &read, reader->error);
    if (status != CN_OK) {
        return status == CN_ERR_IO ? scene_fail_unreadable(reader, at, "", path) : status;
    }
    if (read.dim != reader->dim) {
        return scene_fail_node(reader, at, CN_ERR_INPUT,
                               "the mesh \"%.200s\" has %dD elements, and the scene is in %dD",
                               path, (int)read.dim, (int)reader->dim);
    }
    io_yaml *given = io_yaml_new(memory, IO_YAML_MAP, at);
    bool good =
        put(memory, given, "element", io_yaml_new_text(memory, read.element, at), at) &&
        put(memory, given, "nodes",
            number_rows(memory, read.node, NULL, read.nodes, read.dim, scale, at), at) &&
        put(memory, given, "elements",
            number_rows(memory, NULL, read.corner, read.elements, read.per_element, 1.0, at), at) &&
        put(memory, given, "groups", gmsh_groups(memory, &read, at), at);
    io_yaml *key = io_yaml_new_text(memory, "given", at);
    if (io_yaml_get(mesh, "scale")) { // worked into the nodes
        good = good && put(memory, mesh, "scale", io_yaml_new_number(memory, 1.0, at), at);
    }
    return good && key && io_yaml_replace(memory, mesh, "file", key, given)
               ? CN_OK
               : base_fail_memory(reader->error);
}
