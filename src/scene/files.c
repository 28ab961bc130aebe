// scene/files.c
// Files that scenes name: their paths and text, and meshes as convex polyhedra.
#include "scene/files.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"
#include "io/mesh.h"

#include <string.h>

const char *cn_path_beside(cn_reader *reader, const cn_yaml *node, const char *path) {
    const char *from =
        node->file && strncmp(node->file, CN_OVERRIDE_PREFIX, strlen(CN_OVERRIDE_PREFIX)) != 0
            ? node->file
            : reader->file;
    const char *slash = path[0] == '/' ? NULL : strrchr(from, '/');
    size_t folder = slash ? (size_t)(slash - from) + 1 : 0;
    size_t length = strlen(path);
    char *joined = CN_TAKE(reader->memory, char, folder + length + 1);
    if (joined) {
        memcpy(joined, from, folder);
        memcpy(joined + folder, path, length + 1);
    }
    return joined;
}

cn_status cn_fail_unreadable(cn_reader *reader, const cn_yaml *node, const char *what,
                             const char *path) {
    char reason[sizeof reader->error->message] = "cannot be read";
    if (reader->error) {
        memcpy(reason, reader->error->message, sizeof reason);
    }
    return cn_fail_node(reader, node, CN_ERR_INPUT, "%s\"%.200s\": %.200s", what, path, reason);
}

cn_status cn_text_beside(cn_reader *reader, const cn_yaml *node, const char *file,
                         const char **path, const char **text) {
    *path = cn_path_beside(reader, node, file);
    if (!*path) {
        return cn_fail_memory(reader->error);
    }
    cn_buffer bytes;
    cn_buffer_init(&bytes, cn_arena_env(reader->memory));
    cn_status status = cn_file_read_regular(*path, CN_YAML_BYTES_MAX, &bytes, reader->error);
    if (status == CN_ERR_IO) {
        status = cn_fail_unreadable(reader, node, "", *path);
    } else if (status == CN_OK && bytes.size > 0 && memchr(bytes.data, '\0', bytes.size)) {
        status = cn_fail_node(reader, node, CN_ERR_INPUT, "\"%.200s\" is not a text file", *path);
    } else if (status == CN_OK) {
        *text =
            cn_arena_text(reader->memory, bytes.data ? (const char *)bytes.data : "", bytes.size);
        status = *text ? CN_OK : cn_fail_memory(reader->error);
    }
    cn_buffer_free(&bytes);
    return status;
}

// {polyhedron: {vertices: [...], faces: [...]}}; NULL: no memory.
static cn_yaml *cn_mesh_node(cn_arena *memory, const cn_mesh_part *part, double scale,
                             const cn_yaml *at) {
    cn_yaml *vertices = cn_yaml_new(memory, CN_YAML_LIST, at);
    cn_yaml *faces = cn_yaml_new(memory, CN_YAML_LIST, at);
    bool good = vertices && faces;
    for (int32_t i = 0; i < part->vertex_count && good; i++) {
        cn_yaml *point = cn_yaml_new(memory, CN_YAML_LIST, at);
        for (int j = 0; j < 3 && point; j++) {
            double x = scale * part->vertex[3 * (int64_t)i + j];
            good = good && cn_yaml_append(memory, point, cn_yaml_new_number(memory, x, at));
        }
        good = good && cn_yaml_append(memory, vertices, point);
    }
    const int32_t *index = part->corner;
    for (int32_t i = 0; i < part->face_count && good; i++) {
        cn_yaml *face = cn_yaml_new(memory, CN_YAML_LIST, at);
        for (int32_t j = 0; j < part->face_size[i] && face; j++) {
            good = good && cn_yaml_append(memory, face, cn_yaml_new_number(memory, *index++, at));
        }
        good = good && cn_yaml_append(memory, faces, face);
    }
    cn_yaml *polyhedron = cn_yaml_new(memory, CN_YAML_MAP, at);
    cn_yaml *shape = cn_yaml_new(memory, CN_YAML_MAP, at);
    good = good && polyhedron && shape &&
           cn_yaml_put(memory, polyhedron, cn_yaml_new_text(memory, "vertices", at), vertices) &&
           cn_yaml_put(memory, polyhedron, cn_yaml_new_text(memory, "faces", at), faces) &&
           cn_yaml_put(memory, shape, cn_yaml_new_text(memory, "polyhedron", at), polyhedron);
    return good ? shape : NULL;
}

cn_status cn_mesh_expand(cn_reader *reader, cn_yaml *shape, const char *file, double scale) {
    const cn_yaml *at = cn_yaml_get(cn_yaml_get(shape, "mesh"), "file");
    const char *path = cn_path_beside(reader, at, file);
    if (!path) {
        return cn_fail_memory(reader->error);
    }
    cn_mesh mesh;
    cn_status status = cn_mesh_read(path, reader->memory, &mesh, reader->error);
    if (status != CN_OK) {
        return status == CN_ERR_IO ? cn_fail_unreadable(reader, at, "", path) : status;
    }
    cn_yaml *list = cn_yaml_new(reader->memory, CN_YAML_LIST, at);
    bool good = list != NULL;
    for (int32_t i = 0; i < mesh.part_count && good; i++) {
        good = cn_yaml_append(reader->memory, list,
                              cn_mesh_node(reader->memory, &mesh.part[i], scale, at));
    }
    cn_yaml *key = cn_yaml_new_text(reader->memory, "compound", at);
    return good && cn_yaml_replace(reader->memory, shape, "mesh", key, list)
               ? CN_OK
               : cn_fail_memory(reader->error);
}
