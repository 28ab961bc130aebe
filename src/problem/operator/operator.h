// problem/operator/operator.h
// Builders of the friction operator, shared by the file readers, the reductions and the tests.
#ifndef CAIRN_PROBLEM_OPERATOR_OPERATOR_H
#define CAIRN_PROBLEM_OPERATOR_OPERATOR_H

#include "problem/operator/sphere_map.h"

// A friction problem with assembled W = blocks of the matrix given (dim*contacts square, entries
// kept as they are, nothing symmetrised), its diagonal, and copies of q and mu. All arrays go to
// memory. CN_ERR_ARGUMENT: the sizes do not agree.
cn_status cn_friction_from_csr(cn_arena *memory, int32_t dim, int32_t contacts, const cn_csr *W,
                               const double *q, const double *mu, cn_friction *out);

// The diagonal blocks of an operator whose other arrays are filled, whatever its kind; diagonal has
// room for dim*dim*contacts numbers.
void cn_operator_diagonal(const cn_operator *W, int32_t dim, int32_t contacts, double *diagonal);

// trace W_aa, whatever the kind.
static inline double cn_operator_trace(const cn_operator *W, int32_t dim, int32_t a) {
    if (W->kind == CN_OPERATOR_BALLS) {
        double w[2];
        cn_ball_weights(&W->balls, a, w);
        return dim == 3 ? w[0] + w[1] + w[1] : w[0] + w[1];
    }
    const double *block = W->diagonal + (int64_t)dim * dim * a;
    return dim == 3 ? block[0] + block[4] + block[8] : block[0] + block[3];
}

// u = (W + E) r + q as cn_friction_velocity has it, to the bit, by the threads of env.
void cn_friction_velocity_by(const cn_env *env, const cn_friction *p, const double *r, double *v,
                             double *u);

// Multiplications that one Gauss-Seidel sweep costs, assembled (every block of a row once) or in
// body space (H and M^-1 H of every contact once).
int64_t cn_operator_sweep_cost(const cn_operator *W, int32_t dim, int32_t contacts);

#endif
