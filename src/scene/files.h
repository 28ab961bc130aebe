// scene/files.h
// Shapes and meshes from files.
#ifndef CAIRN_SCENE_FILES_H
#define CAIRN_SCENE_FILES_H

#include "scene/scene.h"

// A shape's "mesh" becomes "compound": a polyhedron for each part of the file, so that the resolved
// scene stands alone. Parts must be convex and closed; what is not is refused when it is built.
cn_status scene_mesh_expand(scene_reader *reader, io_yaml *shape, const char *file, double scale);

// The mesh of a deformable body: "file" becomes "given" with its nodes, elements and groups.
cn_status scene_gmsh_expand(scene_reader *reader, io_yaml *mesh, const char *file, double scale);

// A path as written in a node, relative to the folder of the node's file. NULL: no memory.
const char *scene_path_beside(scene_reader *reader, const io_yaml *node, const char *path);
// A file that could not be read, at the place where the scene names it: "what "path": reason", the
// reason being that of reader->error.
cn_status scene_fail_unreadable(scene_reader *reader, const io_yaml *node, const char *what,
                                const char *path);
// The text of a file that a node names, relative to the node's own file; *path is how it is called
// in errors.
cn_status scene_text_beside(scene_reader *reader, const io_yaml *node, const char *file,
                            const char **path, const char **text);

#endif
