// cairn/problem.h
// The one-step problems as pure data, their files, their generators, and the independent checker.
//
// Friction problem, local form. Given W (m x m), q (m), mu (contacts), dim 2 or 3,
// m = dim * contacts, find r, u:
//     u = W r + q,   K* contains (u_N + mu |u_T|, u_T)  orthogonal to  r in K,
//     K = { |r_T| <= mu r_N }.
// Rows of a contact are contiguous, normal first: (N, T) or (N, T1, T2).
// r [N s], u and q [m/s], W [1/kg]. W need be neither symmetric nor of full rank.
//
// Global form: M v = H r + f,  u = H' v + w; then W = H' M^-1 H and q = H' M^-1 f + w.
// Linear complementarity problem: 0 <= z  orthogonal to  M z + q >= 0.
#ifndef CAIRN_PROBLEM_H
#define CAIRN_PROBLEM_H

#include <cairn/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- problems ----

typedef struct cn_lcp {
    int32_t n;
    cn_csr M; // n x n
    double *q;
} cn_lcp;

// W in body space, when M is block diagonal: contact a touches the velocities dof[k], k in
// [start[a], start[a+1]), dofs ascending, with H[dim*k + i] = H(dof[k], dim*a + i) and
// MinvH[dim*k + i] the same entry of M^-1 H.
typedef struct cn_body_map {
    int32_t dofs;
    int64_t *start; // contacts + 1
    int32_t *dof;
    double *H, *MinvH;
    const double *inverse; // M^-1 of each rigid body, 6x6 (2D 3x3) by rows, in the order of the
                           // velocities; NULL: not known
} cn_body_map;

// W in body space where all bodies that answer to impulses are spheres or disks: every lever arm
// lies along the normal n, which points from body A to body B, and every inertia is isotropic,
//     u = F' (v_B - v_A - (R_A omega_A + R_B omega_B) x n) + q,   F = (n t1 t2).
// Velocities are those of a cn_body_map with 6 (2D 3) a body. There are no joint rows.
typedef struct cn_sphere_map {
    int32_t bodies;
    double *inv_mass; // 2 per body: 1/m and 1/I; zeros: it does not answer to impulses
    int32_t *body;    // 2 per contact: A and B
    double *arm; // 2 per contact: R_A and R_B [m]; NULL: R = radius + gap/2, 0 of those without one
    double
        *normal; // 3 per contact: n in world axes; 2D: z = 0. The tangents follow from it. Without
                 // arm the gap is the number behind it
    int32_t stride; // numbers from one normal to the next, which may be part of larger records;
                    // 0: 3
    double *radius; // a body, negative: it has none; only looked at without arm
} cn_sphere_map;

// n, t1, t2 of a contact of spheres with the normal n, by rows: right-handed, bitwise identical for
// the same n. 2D: t1 = (-n_y, n_x, 0).
CN_API void cn_sphere_axes(int32_t dim, const double n[3], double axes[9]);

// W in body space where contacts are points of rigid bodies, without H: with arms a, b from the
// centres of mass to the point, and axes n from body A to body B, t1, t2 = n x t1,
//     u = F' (v_B + omega_B x b - v_A - omega_A x a) + q,   F = (n t1 t2).
// Velocities are those of a cn_body_map with 6 (2D 3) a body. There are no joint rows.
typedef struct cn_point_map {
    int32_t bodies;
    const double *inverse; // M^-1 of each body, 6x6 (2D 3x3) by rows, symmetric, without entries
                           // between v and omega; zeros: it does not answer to impulses
    int32_t *body;         // 2 per contact: A and B
    double *arm;           // 6 per contact: a and b in world axes [m]; 2D: z = 0
    double *frame;         // 6 per contact: n and t1 in world axes; 2D: z = 0, t1 = (-n_y, n_x)
} cn_point_map;

typedef enum cn_operator_kind {
    CN_OPERATOR_ASSEMBLED,
    CN_OPERATOR_BODY,
    CN_OPERATOR_SPHERES,
    CN_OPERATOR_POINTS
} cn_operator_kind;

// The operator r -> W r: assembled, in body space, or in body space without H (spheres, points).
// Solvers say which they take; those that take body space are given H where they need it.
typedef struct cn_operator {
    cn_operator_kind kind;
    double *diagonal; // blocks W_aa, dim*dim each, by columns; NULL for spheres, where they follow
                      // from the bodies: diag(w_N, w_T, w_T) with w_N = 1/m_A + 1/m_B,
                      // w_T = w_N + R_A^2/I_A + R_B^2/I_B
    cn_bsr assembled;
    cn_body_map body;
    cn_sphere_map spheres;
    cn_point_map points;
} cn_operator;

// Blocks with another law than Coulomb's: the rows of joints, dim at a time, filled up with rows
// that carry nothing (bounds 0, 0). A row i of such a block has a box instead of a cone,
//     lower_i <= r_i <= upper_i,  u_i = 0 inside, >= 0 at the lower bound, <= 0 at the upper one,
// so that (-inf, inf) is a bilateral constraint, (0, inf) a limit, (-a, a) a motor or dry friction.
// compliance_i >= 0 [1/kg] stands on the diagonal, u = (W + E) r + q: springs, dampers and servos
// taken implicitly, and at contacts, whose bounds are not read, layers of mortar.
typedef struct cn_bounds {
    uint8_t *boxed;        // contacts: 1, a block of rows with boxes; 0, a contact. NULL: no boxes
    double *lower, *upper; // dim * contacts, lower <= 0 <= upper, may be infinite
    double *compliance;    // dim * contacts; NULL: none
} cn_bounds;

typedef struct cn_friction {
    int32_t dim, contacts; // contacts counts the blocks, boxed ones included
    cn_operator W;         // without compliance
    double *q;             // dim * contacts
    double *mu;            // contacts, >= 0; 0 in boxed blocks
    cn_bounds bounds;
    bool convex; // the law is K* contains u orthogonal to r in K, without mu |u_T|: a convex
                 // problem, in which what slides lifts off with u_N = mu |u_T|
} cn_friction;

typedef struct cn_friction_global {
    int32_t dim, contacts, dofs;
    cn_csr M;  // dofs x dofs, symmetric positive definite
    cn_csr H;  // dofs x dim*contacts
    double *f; // dofs
    double *w; // dim * contacts
    double *mu;
    cn_bounds bounds; // u = H' v + w + E r
} cn_friction_global;

typedef enum cn_problem_kind {
    CN_PROBLEM_LCP,
    CN_PROBLEM_FRICTION,
    CN_PROBLEM_FRICTION_GLOBAL
} cn_problem_kind;

// A problem as a file holds it: the data, and what may come with it. Every pointer lives in memory.
typedef struct cn_problem {
    cn_problem_kind kind;
    cn_lcp lcp;                // the one that kind names is filled
    cn_friction friction;      // assembled when read from a file
    cn_friction_global global; //
    double *r, *u; // stored solution (LCP: z and M z + q); NULL when absent, and when zero in an
                   // FCLIB file that we did not write (Siconos stores zeros for "none")
    double *v;     // global only; may be NULL
    double *guess; // a first r; may be NULL
    const char *format;                          // "fclib", "siconos-dat", "lcp-text", "arrays"
    const char *title, *description, *math_info; // may be NULL; bytes as in the file
    cn_arena *memory;
} cn_problem;

// Empty. NULL: no memory.
CN_API cn_problem *cn_problem_create(const cn_env *env, cn_problem_kind kind);
CN_API void cn_problem_destroy(cn_problem *problem); // NULL is allowed

// Sizes agree, every number finite, mu >= 0, indices ascending and in range. error may be NULL.
CN_API cn_status cn_problem_validate(const cn_problem *problem, cn_error *error);
CN_API cn_status cn_lcp_validate(const cn_lcp *p, cn_error *error);
CN_API cn_status cn_friction_validate(const cn_friction *p, cn_error *error);
CN_API cn_status cn_friction_global_validate(const cn_friction_global *p, cn_error *error);

// ---- the operator ----

// Velocities of the bodies that the operator knows of; 0 where W is assembled.
CN_API int32_t cn_operator_dofs(const cn_operator *W, int32_t dim);
// u = (W + E) r + q. v: cn_operator_dofs numbers of scratch (may be NULL where there are none).
CN_API void cn_friction_velocity(const cn_friction *p, const double *r, double *v, double *u);
// A problem in body space without H (spheres, points) as one with it, the velocities being the
// same; any other as it is. Arrays that change go to memory.
CN_API cn_status cn_friction_expand(const cn_friction *p, cn_arena *memory, cn_friction *out);

// Global to local. Arrays go to memory. The assembled form takes any positive definite M; body
// space needs a block diagonal M (blocks of at most CN_BODY_BLOCK_MAX) and gives CN_ERR_UNSUPPORTED
// otherwise.
#define CN_BODY_BLOCK_MAX 64
CN_API cn_status cn_friction_condense(const cn_friction_global *g, cn_arena *memory,
                                      cn_friction *out, cn_error *error);
CN_API cn_status cn_friction_to_body_space(const cn_friction_global *g, cn_arena *memory,
                                           cn_friction *out, cn_error *error);
// The form with the fewer multiplications in a sweep.
CN_API cn_status cn_friction_reduce(const cn_friction_global *g, cn_arena *memory, cn_friction *out,
                                    cn_error *error);
// The assembled form of a problem in either form, as files hold it.
CN_API cn_status cn_friction_assemble(const cn_friction *p, cn_arena *memory, cn_friction *out,
                                      cn_error *error);
// v = M^-1 (H r + f), for a solution file.
CN_API cn_status cn_friction_global_velocity(const cn_friction_global *g, cn_arena *scratch,
                                             const double *r, double *v, cn_error *error);

// ---- files (docs/reference/formats.md) ----

typedef enum cn_file_format {
    CN_FILE_AUTO, // reading: by content; writing: by the file's ending
                  // (.hdf5 .h5: FCLIB; .dat: text; .mtx; .npy)
    CN_FILE_FCLIB,
    CN_FILE_TEXT,          // Siconos .dat, or LCP text
    CN_FILE_MATRIX_MARKET, // the matrix; its vectors beside it, as NAME_q.mtx, NAME_mu.mtx
    CN_FILE_NUMPY          // the same as .npy
} cn_file_format;

CN_API cn_status cn_problem_read(const cn_env *env, const char *path, cn_problem **out,
                                 cn_error *error);
// A vector from a .npy, Matrix Market or text file of numbers, as a first guess. Goes to memory.
CN_API cn_status cn_vector_read(const cn_env *env, const char *path, cn_arena *memory,
                                double **values, int64_t *count, cn_error *error);
// The same from bytes in memory; name stands for the path in errors.
CN_API cn_status cn_problem_read_bytes(const cn_env *env, const char *name, const void *bytes,
                                       size_t size, cn_problem **out, cn_error *error);
// Written beside the target and renamed, so that a failure leaves the old file as it was.
CN_API cn_status cn_problem_write(const cn_problem *problem, const char *path,
                                  cn_file_format format, cn_error *error);

// ---- generators: planted problems, whose solution is chosen first ----

typedef struct cn_planted_opts {
    int32_t dim, contacts; // for an LCP: contacts is n
    int32_t bodies;        // 0: as many as the rank asks for
    double deficiency;  // share of the unknowns without own stiffness, [0, 0.9]; the rank of W is
                        // (1 - deficiency) m
    double friction;    // mu of every contact; < 0: spread over [0, 1]
    double open, slide; // shares of contacts planted open and sliding; the rest stick
    double joints;      // share of the blocks planted as joint rows: bilateral, limits, motors
    double compliant;   // share of the joint rows with compliance
    double skew; // LCP only: weight of a skew part of M beside the symmetric one; 0: symmetric
    uint64_t seed;
} cn_planted_opts;

CN_API cn_planted_opts cn_planted_opts_default(void);
// A global problem of kind CN_PROBLEM_FRICTION_GLOBAL with its exact solution in r, u, v.
CN_API cn_status cn_planted_friction(const cn_env *env, const cn_planted_opts *opts,
                                     cn_problem **out, cn_error *error);
// An LCP with M positive semi-definite and its exact solution in r (z) and u.
CN_API cn_status cn_planted_lcp(const cn_env *env, const cn_planted_opts *opts, cn_problem **out,
                                cn_error *error);

// ---- the independent checker: plain code that no solver shares ----

// Which of the three residuals a tolerance means.
typedef enum cn_measure { CN_MEASURE_SCALED, CN_MEASURE_Q, CN_MEASURE_MAX } cn_measure;

// e_a = (r_a - P_K(r_a - rho_a u^_a)) / rho_a with u^ = (u_N + mu |u_T|, u_T). In a block of joint
// rows K is the box, u^ = u, W + E stands for W, and a row presses when r = 0 does not solve it.
typedef struct cn_grade {
    double residual;     // rho_a = dim/trace(W_aa); |e| over |q| of the pressing contacts (q_N < 0)
    double residual_q;   // rho = 1; over |q|
    double residual_max; // rho = 1; over max(|q|, |r|, |u|)
    double cone_violation;    // max over contacts of max(0, |r_T| - mu r_N, -r_N), over max |r_a|;
                              // of joint rows, by how much r is out of bounds
    double dual_violation;    // max over contacts of max(0, -u_N), over max |u_a|; of joint rows,
                              // |u| where the bound that could bear it is infinite
    double complementarity;   // max |r_a . u^_a| over max |r_a| max |u_a|; of joint rows, u times
                              // the distance to the bound that bears it
    double velocity_mismatch; // max |u_given - (W r + q)| over max |u|; 0 when no u was given
    int32_t worst;            // contact of the largest |e_a| in the scaled measure; -1: none
    double worst_error;       // that |e_a| [m/s]
    int32_t open, stick, slide; // contacts; blocks of joint rows are not counted
} cn_grade;

CN_API double cn_grade_residual(const cn_grade *grade, cn_measure measure);

// u may be NULL; it is compared with W r + q, never trusted. scratch is given back as it was.
CN_API cn_status cn_friction_grade(const cn_friction *p, const double *r, const double *u,
                                   cn_arena *scratch, cn_grade *grade);
// For an LCP the three residuals are all |min(z, M z + q)| / |q|; open counts z = 0, stick counts
// z > 0.
CN_API cn_status cn_lcp_grade(const cn_lcp *p, const double *z, cn_arena *scratch, cn_grade *grade);

#ifdef __cplusplus
}
#endif
#endif
