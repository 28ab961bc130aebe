// detect/mortar.h
// Contact rows between the surfaces of two deformable bodies, integrated over their overlap.
//
// Points of the candidate surface are projected along the normals of its edges (3D: faces) onto
// antagonist ones that face it. In 2D two edges overlap in a segment, on which gaps and shape
// functions are linear; in 3D two faces overlap in a convex polygon.
//
// Dual mortar (one row per node j of the candidate side), phi the shape functions of that side, N
// those of the other, psi the dual ones, for which the integral of psi_j phi_k is 0 for j != k and
// that of phi_j for j = k:
//     g_j = int psi_j g / int phi_j,   weights: 1 at j, -int psi_j N_k / int phi_j at antagonist k.
// Where an edge or face overlaps in part, psi is dual on that part. Passes the contact patch test with
// meshes that do not match; W has full rank; the pressure at a node is force / int phi_j.
// Reference: Wohlmuth, SIAM J. Numer. Anal. 38, 2000.
//
// Midpoints (2D, one row per segment): for flat blocks and masonry. Resultants are right; nodal
// pressures of curved surfaces are not, since there are almost as many rows as the two surfaces
// have freedoms.
#ifndef CAIRN_DETECT_MORTAR_H
#define CAIRN_DETECT_MORTAR_H

#include "detect/surface_tree.h"

// Rows of mortar are dropped below this share of their full integral of phi: a node that overlaps
// by less says nothing of its own.
#define DET_MORTAR_SHARE_MIN 0.05
// Overlaps shorter than this share of the shorter edge make no midpoint: blocks that have shifted by
// a little overlap the next edge by a sliver, whose row says what that of the whole edge says.
#define DET_MIDPOINT_SHARE_MIN 0.05
// Edges face one another when the cosine of their normals is below this.
#define DET_FACING_COS (-0.5)

typedef struct det_surface {
    int32_t body;
    const fe_mesh *mesh;
    const double *x;              // positions of its nodes, dim each, world axes
    const det_surface_tree *tree; // 3D: of its faces, and its boxes at x; NULL: all are tried
    const double *box;
} det_surface;

// A part of a row; weights of the candidate side are positive, of the antagonist side negative.
typedef struct det_node_weight {
    int32_t body, node;
    double weight;
} det_node_weight;

typedef struct det_rows {
    int32_t rows;
    int64_t *key;   // of a row, the same from step to step: mortar, the candidate node; midpoints,
                    // edges candidate * antagonist faces + antagonist
    double *gap;    // [m]
    double *length; // int phi_j; midpoints: of the segment [m]; 3D: an area [m^2]
    double *point;  // dim each: of the candidate side
    double *normal; // dim each: from antagonist to candidate
    int64_t *start; // rows + 1, into the weights
    det_node_weight *weight; // of a row: candidate first, then antagonist nodes ascending
} det_rows;

// Segments whose gap is above alert, or below -depth, at both ends are left out. All arrays go to
// memory. In 2D costs candidate edges times antagonist edges.
cn_status det_mortar_rows(const det_surface *candidate, const det_surface *antagonist, double alert,
                          double depth, cn_arena *memory, det_rows *out);
cn_status det_midpoint_rows(const det_surface *candidate, const det_surface *antagonist,
                            double alert, double depth, cn_arena *memory, det_rows *out);
// The case of 3D of det_mortar_rows.
cn_status det_mortar_rows_in_space(const det_surface *candidate, const det_surface *antagonist,
                                   double alert, double depth, cn_arena *memory, det_rows *out);

// Empty rows with room for so many rows and weights.
cn_status det_rows_take(cn_arena *memory, int32_t dim, int64_t rows, int64_t weights,
                        det_rows *out);

#endif
