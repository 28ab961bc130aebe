// io/obj.h
// Wavefront OBJ text: vertices and faces, in parts. Normals, textures and materials are skipped.
#ifndef CAIRN_IO_OBJ_H
#define CAIRN_IO_OBJ_H

#include <cairn/base.h>

// What stands under one "o" or "g" line (or before the first), if it has faces.
typedef struct cn_obj_part {
    int32_t vertex_count, face_count;
    double *vertex;     // 3 each, only those that its faces use
    int32_t *face_size; // vertices of each face
    int32_t *face;      // their indices in this part, from 0
} cn_obj_part;

// Arrays go to memory. name stands for the file in errors, which have line and column.
cn_status cn_obj_read(cn_arena *memory, const char *name, const char *text, cn_obj_part **parts,
                      int32_t *count, cn_error *error);

#endif
