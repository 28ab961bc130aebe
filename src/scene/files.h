// scene/files.h
// Shapes from files.
#ifndef CAIRN_SCENE_FILES_H
#define CAIRN_SCENE_FILES_H

#include "scene/scene.h"

// A shape's "mesh" becomes "compound": a polyhedron for each part of the file, so that the resolved
// scene stands alone. Parts must be convex and closed; what is not is refused when it is built.
cn_status cn_mesh_expand(cn_reader *reader, cn_yaml *shape, const char *file, double scale);

// A path as written in a node, relative to the folder of the node's file. NULL: no memory.
const char *cn_path_beside(cn_reader *reader, const cn_yaml *node, const char *path);
// A file that could not be read, at the place where the scene names it: "what "path": reason", the
// reason being that of reader->error.
cn_status cn_fail_unreadable(cn_reader *reader, const cn_yaml *node, const char *what,
                             const char *path);
// The text of a file that a node names, relative to the node's own file; *path is how it is called
// in errors.
cn_status cn_text_beside(cn_reader *reader, const cn_yaml *node, const char *file,
                         const char **path, const char **text);

#endif
