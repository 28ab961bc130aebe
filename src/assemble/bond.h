// assemble/bond.h
// Bonds: points of mortar or glue between two bodies, found at the start and fixed to them, as rows
// of the one-step problem.
//
// With the opening delta~ of the layer at q~ in contact axes (candidate less antagonist), its mean
// over a step that a share phi of the way stands for, delta = delta~ - h (1 - theta)(1 - phi) u_i +
// h theta phi u, stiffness k, viscosity eta and area A,
//     r = -h A (k delta + eta ((1 - theta) u_i + theta u))   or   u + s + E r = 0 with
//     E = 1 / (h A c),  s = (k (delta~ - h (1 - theta)(1 - phi) u_i) + eta (1 - theta) u_i) / c,
//     c = h theta phi k + theta eta:
// compliance E on the diagonal and a shift, the same solvers. phi = theta keeps the energy at
// theta = 1/2. A layer that is stiffer than the masses in the step, E < W, takes phi = 1, the force
// at the end, which does not chatter; k -> infinity then is the rigid row, E = 0, s = delta~ /
// (h theta).
//
// The sound share of a bond carries both ways: a block without bounds. Its broken share is a
// contact: a cone, with the compliance of the layer along the normal.
#ifndef CAIRN_ASSEMBLE_BOND_H
#define CAIRN_ASSEMBLE_BOND_H

#include "assemble/assemble.h"
#include "detect/deformable.h"
#include "model/bond.h"

#define ASM_BOND_FEATURE (UINT64_C(3) << 62) // of the keys of bonds: | 2 * bond + broken share

typedef struct asm_bond {
    int32_t candidate, antagonist;
    const model_bond_law *law;
    double area; // [m2], 2D [m]
    double anchor[2]
                 [3]; // of rigid sides, the antagonist's first: from the centre of mass, body axes
    double normal[3]; // in axes of body `frame`; -1: of the world
    double offset[3]; // of bodies with nodes: sum of weights times places at the start, likewise
    int32_t frame;
    int32_t part_first, part_count; // of asm_bonds.part; none where both sides are rigid
    uint64_t feature;               // of the contact of bodies with nodes that it stands for
} asm_bond;

typedef struct asm_bonds {
    int32_t count;
    const asm_bond *bond; // sorted by (candidate, antagonist)
    const det_node_weight *part;
    const double *damage; // during the step
} asm_bonds;

typedef enum asm_layer_kind {
    ASM_LAYER_NONE,
    ASM_LAYER_SOUND,  // both ways
    ASM_LAYER_BROKEN, // a contact
} asm_layer_kind;

// What the law of a problem contact was, in contact axes.
typedef struct asm_layer {
    asm_layer_kind kind;
    int32_t bond;
    double stiffness[3], phi[3]; // of its share; infinite: rigid. phi: as above
    double viscosity;
    double opening[3]; // delta~ [m]
} asm_layer;

// Where a bond is at poses q: its normal, the point half-way between its sides, and its opening as a
// vector.
void asm_bond_place(const cn_model *model, const asm_bonds *bonds, int32_t bond, const double *q,
                    double normal[3], double point[3], double apart[3]);
// The opening of a bond at poses q in its axes there.
void asm_bond_opening(const cn_model *model, const asm_bonds *bonds, int32_t bond, const double *q,
                      double opening[3]);
// Shifts, compliances and bounds of the bonds among the problem's contacts.
void asm_bonds_complete(const cn_model *model, const det_contact_list *contacts, const double *q,
                        const asm_assemble_opts *opts, asm_assembled *out);
// The openings of problem contact a at the start and the end of the linear motion of the step.
void asm_layer_ends(const asm_assembled *assembled, const asm_assemble_opts *opts, int32_t a,
                    const double *r, const double *u, double start[3], double end[3]);

#endif
