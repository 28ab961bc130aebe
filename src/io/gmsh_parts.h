// io/gmsh_parts.h
// What the two files of the reader of Gmsh's meshes share.
#ifndef CAIRN_IO_GMSH_PARTS_H
#define CAIRN_IO_GMSH_PARTS_H

#include "io/gmsh.h"
#include "io/text.h"

#define GMSH_NODES_MAX 10 // of an element that is read

typedef struct gmsh_type {
    int32_t number, dim, nodes; // nodes: as the file has them
    const char *element;        // NULL: only counts for groups
    int32_t kept;               // nodes that are kept
    int32_t corners;
} gmsh_type;

// NULL: not read.
const gmsh_type *io_gmsh_type(int64_t number);

typedef struct gmsh_node {
    int64_t tag;
    int32_t index, used; // used: its number in the mesh, -1: none
    double x[3];
} gmsh_node;

typedef struct gmsh_element {
    const gmsh_type *type;
    int64_t tag;
    int64_t node[GMSH_NODES_MAX]; // tags
    int32_t line, column;         // in the file; 0 in a binary one
    int32_t first, groups;        // of its physical groups, in `member`
} gmsh_element;

typedef struct gmsh_physical {
    int32_t dim, tag;
    const char *name; // NULL: none
} gmsh_physical;

// An entity of version 4 and its physical groups.
typedef struct gmsh_entity {
    int32_t dim, tag, first, groups;
} gmsh_entity;

typedef struct gmsh_file {
    io_text_reader text;
    bool binary;
    int32_t version; // 2 or 4
    cn_arena *memory;
    cn_error *error;
    base_buffer node;     // gmsh_node
    base_buffer element;  // gmsh_element
    base_buffer physical; // gmsh_physical
    base_buffer entity;   // gmsh_entity
    base_buffer member;   // int32: indices of physical groups
} gmsh_file;

// The sections of the file, into the buffers.
cn_status io_gmsh_sections(gmsh_file *file);

#endif
