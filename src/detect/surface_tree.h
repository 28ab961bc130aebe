// detect/surface_tree.h
// A tree of boxes along the axes round the faces of a deforming surface. It is built once, on the
// mesh as given; every step only the boxes are recomputed from the positions of the nodes.
#ifndef CAIRN_DETECT_SURFACE_TREE_H
#define CAIRN_DETECT_SURFACE_TREE_H

#include "body/fe/mesh.h"

#define DET_LEAF_FACES 8

// Inner nodes have their first child right behind them and the second where that one's part ends.
typedef struct det_surface_branch {
    int32_t end;          // the branch behind this part of the tree
    int32_t first, faces; // of a leaf, into `face`; inner ones have no faces
} det_surface_branch;

typedef struct det_surface_tree {
    int32_t branches;
    det_surface_branch *branch;
    int32_t *face; // faces of the mesh, leaf by leaf
} det_surface_tree;

cn_status det_surface_tree_build(const fe_mesh *mesh, cn_arena *memory, det_surface_tree *out);

// Boxes of the branches, 6 numbers each (low, then high; in 2D z = 0), at positions x of the nodes,
// dim each.
void det_surface_tree_refit(const det_surface_tree *tree, const fe_mesh *mesh, const double *x,
                            double *box);

// The faces in leaves whose boxes come within a box, in an order that only depends on the mesh.
// list: room for all faces. Returns how many.
int32_t det_surface_tree_near(const det_surface_tree *tree, const double *box, const double low[3],
                              const double high[3], int32_t *list);

#endif
