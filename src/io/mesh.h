// io/mesh.h
// Surface meshes from OBJ files and from STL files, text and binary: points and faces, in parts.
//
// A part is what an OBJ file has under one name of an object or group, or one solid of an STL file.
// Faces are as the file has them, counter-clockwise seen from outside if the file keeps to that.
// Normals, textures, colours and materials are passed over; curved surfaces are refused.
#ifndef CAIRN_IO_MESH_H
#define CAIRN_IO_MESH_H

#include <cairn/base.h>

typedef struct io_mesh_part {
    const char *name; // "" when the file gives none
    int32_t vertex_count, face_count;
    double *vertex;     // 3 each; those that the part's faces use
    int32_t *face_size; // corners of each face
    int32_t *corner;    // of all faces: indices into vertex, from 0
} io_mesh_part;

typedef struct io_mesh {
    int32_t part_count; // each has a face
    io_mesh_part *part;
} io_mesh;

// The kind is told by the ending of the name, .obj or .stl. Everything goes to memory. Errors have
// the file and, for text, line and column.
cn_status io_mesh_read(const char *path, cn_arena *memory, io_mesh *out, cn_error *error);
cn_status io_mesh_read_bytes(const char *name, const void *bytes, size_t size, cn_arena *memory,
                             io_mesh *out, cn_error *error);

#endif
