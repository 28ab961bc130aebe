// body/fe/mesh.h
// Meshes: nodes, elements of one kind, the surface, named groups; generators.
//
// A mesh is in the axes of its body. Nodes, elements, faces are counted from 0. A degree of freedom
// (dof) is dim * node + axis.
#ifndef CAIRN_BODY_FE_MESH_H
#define CAIRN_BODY_FE_MESH_H

#include "body/fe/element.h"

// A named part of the surface: its nodes, and the faces that have all their nodes among them.
typedef struct fe_group fe_group;
struct fe_group {
    const char *name;
    int32_t nodes, faces;
    int32_t *node; // ascending
    int32_t *face; // ascending, into the surface
    fe_group *next;
};

typedef struct fe_mesh {
    const fe_element *element;
    int32_t dim, nodes, elements;
    double *node;    // dim per node [m]
    int32_t *corner; // element->nodes per element
    int32_t faces;   // of the surface; 2D: edges
    int32_t *face;   // element->face_nodes per face, outwards as in the element table
    int32_t *owner;  // the element of each face
    int8_t *side;    // its number among the faces of that element
    int32_t surface_nodes;
    int32_t *surface_node; // nodes of the surface, ascending
    fe_group *group;       // in the order of their addition
} fe_mesh;

// Checks nodes and elements and finds the surface. The arrays node and corner are taken over, not
// copied; the others come from memory. CN_ERR_INPUT, naming the element or node: an index out of
// range, a node twice in an element, a node that no element uses, a coordinate that is not finite,
// an element of the other dimension, inverted or flat elements, a face of three elements, elements
// on the same side of their common face.
cn_status fe_mesh_build(cn_arena *memory, int32_t dim, const fe_element *element, int32_t nodes,
                        double *node, int32_t elements, int32_t *corner, fe_mesh *out,
                        cn_error *error);
// Only that check of the elements' shape, after nodes have been moved. An element is inverted where
// its Jacobian is negative at a node or at a point of its rule.
cn_status fe_mesh_check_shape(const fe_mesh *mesh, cn_error *error);

// chosen[node] != 0: in the group. name must outlive the mesh. CN_ERR_INPUT: empty, or the name is
// taken.
cn_status fe_mesh_add_group(cn_arena *memory, fe_mesh *mesh, const char *name,
                            const uint8_t *chosen, cn_error *error);
// CN_ERR_INPUT, listing the groups that there are.
cn_status fe_mesh_find_group(const fe_mesh *mesh, const char *name, const fe_group **out,
                             cn_error *error);

// Positions (or displacements) of the nodes of an element, dim per node, from an array of all.
void fe_mesh_gather(const fe_mesh *mesh, int32_t element, const double *nodal, double *out);
double fe_mesh_volume(const fe_mesh *mesh); // 2D: area

// How the cells of a box are split into triangles and tetrahedra.
typedef enum fe_pattern {
    FE_PATTERN_DIAGONAL,   // all cells alike; 3D: six tetrahedra round a diagonal
    FE_PATTERN_UNION_JACK, // mirrored from cell to cell: in each 2 x 2 cells the diagonals meet at
                           // the centre
    FE_PATTERN_CROSSED     // t3, t6: four triangles round a node at the centre of the cell
} fe_pattern;
cn_status fe_pattern_lookup(const char *name, fe_pattern *out, cn_error *error);

typedef struct fe_box {
    const fe_element *element;
    double size[3];     // full edge lengths, centred at the origin; 2D: the first two
    int32_t cells[3];   //
    fe_pattern pattern; // without effect for q4 and h8
} fe_box;
// Groups left right bottom top (x-, x+, y-, y+), in 3D left right front back bottom top (x-, x+,
// y-, y+, z-, z+).
cn_status fe_mesh_box(cn_arena *memory, const fe_box *box, fe_mesh *out, cn_error *error);

typedef struct fe_disk {
    const fe_element *element; // 2D
    double radius;             // centred at the origin
    int32_t cells; // edges on a quarter of the rim: a square of cells x cells and half as many
                   // rings (at least one) round it
} fe_disk;
// Group rim. The mesh is a polygon of 4 cells corners on the circle: a little smaller than it.
cn_status fe_mesh_disk(cn_arena *memory, const fe_disk *disk, fe_mesh *out, cn_error *error);

typedef struct fe_sphere {
    const fe_element *element; // h8, h8-plain
    double radius;             // centred at the origin
    int32_t cells; // edges on a quarter of a great circle: a cube of cells x cells x cells and half
                   // as many layers (at least one) on each of its faces
} fe_sphere;
// Group surface. The nodes of the surface are on the sphere, its faces within.
cn_status fe_mesh_sphere(cn_arena *memory, const fe_sphere *sphere, fe_mesh *out, cn_error *error);

typedef struct fe_extrude {
    const fe_element *element; // h8, h8-plain
    const fe_mesh *profile;    // of quadrilaterals; its names of groups must outlive the mesh
    double length;             // along z, from -length/2
    int32_t layers;
} fe_extrude;
// The groups of the profile, and below and above: its ends at low and high z.
cn_status fe_mesh_extrude(cn_arena *memory, const fe_extrude *extrude, fe_mesh *out,
                          cn_error *error);

// The same mesh with nodes in the middle of the edges: to->linear is its element. Groups get those on
// the edges of their faces.
cn_status fe_mesh_raise(cn_arena *memory, const fe_mesh *from, const fe_element *to, fe_mesh *out,
                        cn_error *error);

// For generators: nodes and elements of a mesh to be, or CN_ERR_INPUT when there are too many.
cn_status fe_mesh_reserve(cn_arena *memory, const fe_element *element, int64_t nodes,
                          int64_t elements, fe_mesh *out, cn_error *error);

#endif
