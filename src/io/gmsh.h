// io/gmsh.h
// Volume and plane meshes from files of Gmsh (.msh), versions 2.2 and 4.1, text and binary.
//
// The elements of the highest dimension are the mesh; they must be of one type. Those of lower
// dimension only count for the physical groups they are in. Nodes that no element of the mesh uses
// are left out. Elements that are inside out are turned round.
//
// Reference: Gmsh reference manual 4.13, section 10, "Gmsh file formats".
#ifndef CAIRN_IO_GMSH_H
#define CAIRN_IO_GMSH_H

#include <cairn/base.h>

// A physical group: the nodes of its elements. Groups of one name are one; those without a name are
// called "point-1", "curve-1", "surface-1", "volume-1" by their number.
typedef struct io_gmsh_group {
    const char *name;
    int32_t count;
    int32_t *node; // ascending
} io_gmsh_group;

typedef struct io_gmsh {
    int32_t dim;         // of the elements: 2 or 3
    const char *element; // t3 q4 t6 q8 tet4 h8 tet10
    int32_t nodes, elements, per_element;
    double *node;    // dim each
    int32_t *corner; // per element as VTK numbers them; nodes from 0
    int32_t groups;
    io_gmsh_group *group; // none is empty
} io_gmsh;

// Everything goes to memory. Errors have the file and for text the line and column, for binary the
// byte.
cn_status io_gmsh_read(const char *path, cn_arena *memory, io_gmsh *out, cn_error *error);
cn_status io_gmsh_read_bytes(const char *name, const void *bytes, size_t size, cn_arena *memory,
                             io_gmsh *out, cn_error *error);

#endif
