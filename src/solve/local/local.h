// solve/local/local.h
// One contact while the others are held: find r with u = W r + q and the Coulomb law, W the
// contact's own block.
//
// To add a local solver write solve/local_<name>.c and add its row in solve/local/local_table.c.
#ifndef CAIRN_SOLVE_LOCAL_LOCAL_H
#define CAIRN_SOLVE_LOCAL_LOCAL_H

#include <cairn/solve.h>

// A 3D contact made ready once per solve. Schur complement on the tangent plane: with W in blocks N,
// T,
//     S = W_TT - W_TN W_NT / W_NN,  u_N = 0  <=>  r_N = c - nt . r_T,  then  u_T = b + S r_T,
// with c = -q_N / W_NN and b = q_T - tn q_N. The first sixteen words, two cache lines, are all that
// the fast path of a sweep reads.
typedef struct local_block {
    double mu;
    double inv_nn;              // 1 / W_NN
    double nt[2];               // W_NT / W_NN (row of the normal)
    double tn[2];               // W_TN / W_NN (column of the normal)
    double mu_nt[2];            // mu nt
    double S[4];                // by columns
    double trace, det, inv_det; // of S; inv_det is used where radial or regular only
    bool radial;  // the radial solver is exact: W = diag(w_n, w_t, w_t) to round-off, or mu = 0
    bool regular; // S is far from singular: its inverse may be written out

    double W[9];  // by columns, normal first
    double scale; // trace(W) / 3, the size of a velocity per unit impulse
} local_block;

// false when the block cannot be used (W_NN or the trace not positive, or something not finite); it
// is zeroed then.
bool local_prepare(const double W[9], double mu, local_block *block);

// q: velocity of the contact with its own impulse taken out. r: in, the last impulse; out, the
// answer, always inside the cone and finite. slip: in and out, the slip multiplier of the last
// answer (u_T = -slip r_T; 0 when sticking or open), a warm start that a solver may ignore and
// leave as it was, but must keep finite. Returns false when the answer could not be brought to the
// solver's accuracy.
typedef bool local_fn(const local_block *block, const double q[3], double r[3], double *slip);

struct cn_local_solver {
    const char *name;
    const char *about;
    local_fn *solve;
};

// Natural-map error of an answer, |r - P_K(r - u^/scale)| * scale [m/s]: zero exactly at a
// solution; NaN when something is not finite.
double local_error(const local_block *block, const double q[3], const double r[3]);
// Whether that error is round-off or below LOCAL_ACCURACY |q|: what "solved" means here.
#define LOCAL_ACCURACY 1e-12
bool local_accept(const local_block *block, const double q[3], const double r[3]);

// 2D closed form (five cases of Jean 1999, eq. 33-34), W by columns. Exact where a solution exists;
// it is unique where mu |W_NT / W_NN| < 1. false when there is none or the numbers are not usable;
// r is then the nearest case, inside the cone and finite.
bool local_solve_2d(const double W[4], double mu, const double q[2], double r[2]);

// The convex law, K* contains u = W r + q orthogonal to r in K: r is the minimum of r.W r/2 + q.r
// over the cone, which exists for every positive definite W. Arguments and answer as above.
bool local_convex_2d(const double W[4], double mu, const double q[2], double r[2]);
local_fn local_convex;

// The rows, for solvers that call one by name inside the room.
local_fn local_hybrid, local_secular, local_newton, local_exact, local_projection, local_radial,
    local_lemke, local_qp, local_mcp;

#endif
