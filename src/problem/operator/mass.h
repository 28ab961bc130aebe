// problem/operator/mass.h
// The mass matrix M as its independent parts: the connected components of its graph. A rigid body
// is a part, a deformable mesh is a part, a lumped mass is as many parts as velocities. Small parts
// are factorised densely, large ones by the sparse backend.
#ifndef CAIRN_PROBLEM_OPERATOR_MASS_H
#define CAIRN_PROBLEM_OPERATOR_MASS_H

#include <cairn/problem.h>

#include "sparse/linear.h"

// Up to here a part is treated as dense.
#define PROB_MASS_DENSE_MAX CN_BODY_BLOCK_MAX

typedef struct prob_mass {
    int32_t dofs, parts, largest; // largest: number of dofs of the largest part
    int32_t *start;               // parts + 1, into dof
    int32_t *dof;                 // the dofs part by part, ascending inside a part
    int32_t *part, *place;        // of each dof: its part, and its place there
    double **factor;              // of a dense part: L by columns, M = L L'; else NULL
    sparse_linear **linear;       // of a large part; else NULL
} prob_mass;

// Finds the parts and factorises them. M is symmetrised when it is symmetric up to the six digits
// that text files keep, and refused (CN_ERR_INPUT) otherwise, as when it is not positive definite.
// Arrays go to memory; on success prob_mass_destroy must follow.
cn_status prob_mass_create(const cn_csr *M, cn_arena *memory, prob_mass *mass, cn_error *error);
void prob_mass_destroy(prob_mass *mass);

// b: columns of one part, one after the other; becomes M^-1 b.
cn_status prob_mass_solve(const prob_mass *mass, int32_t part, int32_t columns, double *b);
// x: dofs numbers; becomes M^-1 x. scratch is given back as it was.
cn_status prob_mass_solve_all(const prob_mass *mass, cn_arena *scratch, double *x);

#endif
