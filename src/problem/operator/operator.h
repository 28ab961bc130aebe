// problem/operator/operator.h
// Builders of the friction operator, shared by the file readers, the reductions and the tests.
#ifndef CAIRN_PROBLEM_OPERATOR_OPERATOR_H
#define CAIRN_PROBLEM_OPERATOR_OPERATOR_H

#include "problem/operator/sphere_map.h"

// A friction problem with assembled W = blocks of the matrix given (dim*contacts square, entries
// kept as they are, nothing symmetrised), its diagonal, and copies of q and mu. All arrays go to
// memory. CN_ERR_ARGUMENT: the sizes do not agree.
cn_status prob_friction_from_csr(cn_arena *memory, int32_t dim, int32_t contacts, const cn_csr *W,
                                 const double *q, const double *mu, cn_friction *out);

// What can be done with an operator, one row per form of it.
typedef struct prob_operator_ops {
    bool body_space;  // velocities of bodies stand between r and W r
    bool implicit;    // in body space without H, which expand writes out; there are no joint rows
    bool no_diagonal; // blocks are computed where they are needed, see prob_operator_trace
    int32_t (*dofs)(const cn_operator *W, int32_t dim);
    void (*diagonal)(const cn_operator *W, int32_t dim, int32_t contacts, double *diagonal);
    // u = W r + q, without compliance; v: scratch for dofs velocities, which are M^-1 H r then.
    void (*velocity)(const cn_env *env, const cn_friction *p, const double *r, double *v,
                     double *u);
    // Multiplications of one Gauss-Seidel sweep: every block of a row once (assembled), H and
    // M^-1 H of every contact once (body space); with the implicit forms none, they are not read.
    int64_t (*sweep_cost)(const cn_operator *W, int32_t dim, int32_t contacts);
    // The same problem assembled or with H; arrays are shared where they are the same.
    cn_status (*expand)(const cn_friction *p, cn_arena *memory, cn_friction *out);
} prob_operator_ops;

// kind: a valid one.
const prob_operator_ops *prob_operator_ops_of(cn_operator_kind kind);

// The diagonal blocks of an operator whose other arrays are filled, whatever its kind; diagonal has
// room for dim*dim*contacts numbers.
void prob_operator_diagonal(const cn_operator *W, int32_t dim, int32_t contacts, double *diagonal);

// trace W_aa, whatever the kind.
static inline double prob_operator_trace(const cn_operator *W, int32_t dim, int32_t a) {
    if (W->kind == CN_OPERATOR_SPHERES) {
        double w[2];
        prob_sphere_weights(&W->spheres, a, w);
        return dim == 3 ? w[0] + w[1] + w[1] : w[0] + w[1];
    }
    const double *block = W->diagonal + (int64_t)dim * dim * a;
    return dim == 3 ? block[0] + block[4] + block[8] : block[0] + block[3];
}

// u = (W + E) r + q as cn_friction_velocity has it, to the bit, by the threads of env.
void prob_friction_velocity_by(const cn_env *env, const cn_friction *p, const double *r, double *v,
                               double *u);

#endif
