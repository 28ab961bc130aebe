// solve/local.h
// One contact while the others are held: find r with u = W r + q and the Coulomb law, W the
// contact's own block.
//
// To add a local solver write solve/local_<name>.c and add its row in solve/local_table.c.
#ifndef CAIRN_SOLVE_LOCAL_H
#define CAIRN_SOLVE_LOCAL_H

#include <cairn/solve.h>

// A 3D contact made ready once a solve. Schur complement on the tangent plane: with W in blocks N,
// T,
//     S = W_TT - W_TN W_NT / W_NN,  u_N = 0  <=>  r_N = -q_N / W_NN - nt . r_T.
typedef struct cn_local_block {
    double W[9]; // by columns, normal first
    double mu;
    double inv_nn; // 1 / W_NN
    double nt[2];  // W_NT / W_NN (row of the normal)
    double tn[2];  // W_TN / W_NN (column of the normal)
    double S[4];   // by columns
    double scale;  // trace(W) / 3, the size of a velocity per unit impulse
    bool diagonal; // W = diag(w_n, w_t, w_t) to round-off: the radial solver is exact
} cn_local_block;

// false when the block cannot be used (W_NN not positive, or not finite).
bool cn_local_prepare(const double W[9], double mu, cn_local_block *block);

// q: velocity of the contact with its own impulse taken out. r: in, the last impulse; out, the
// answer, always inside the cone and finite. slip: in and out, the slip multiplier of the last
// answer (u_T = -slip r_T; 0 when sticking or open), a warm start that a solver may ignore but must
// keep finite. Returns false when the answer could not be brought to the solver's accuracy.
typedef bool cn_local_fn(const cn_local_block *block, const double q[3], double r[3], double *slip);

struct cn_local_solver {
    const char *name;
    const char *about;
    cn_local_fn *solve;
};

// Natural-map error of an answer, |r - P_K(r - u^/scale)| * scale [m/s]: zero exactly at a
// solution.
double cn_local_error(const cn_local_block *block, const double q[3], const double r[3]);

// 2D closed form (five cases of Jean 1999, eq. 33-34), W by columns. Exact where a solution exists
// and is unique, that is mu |W_NT / W_NN| < 1; otherwise the best of the cases, and false.
bool cn_local_solve_2d(const double W[4], double mu, const double q[2], double r[2]);

// The rows, for solvers that call one by name inside the room.
cn_local_fn cn_local_hybrid, cn_local_secular, cn_local_newton, cn_local_exact, cn_local_projection,
    cn_local_radial;

#endif
