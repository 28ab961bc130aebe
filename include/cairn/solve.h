// cairn/solve.h
// Solvers for the one-step problems: the tables, their settings, and the drivers that grade every
// answer.
//
//     const cn_friction_solver *solver = cn_friction_solver_find("auto");
//     cn_solve_opts opts = cn_solve_opts_default(&solver->info);
//     opts.tolerance = 1e-8;
//     cn_friction_solve(problem, solver, &opts, scratch, r, u, &report, NULL);
//
// A row need not come from the table: fill a cn_friction_solver of your own and the driver runs and
// grades it.
#ifndef CAIRN_SOLVE_H
#define CAIRN_SOLVE_H

#include <cairn/formulation.h>
#include <cairn/ncp.h>
#include <cairn/outcome.h>

#ifdef __cplusplus
extern "C" {
#endif

CN_API const char *cn_measure_text(cn_measure measure); // "scaled", "q", "max"

// One field of a solver's own settings; the table of them feeds C, the command line, its help and
// the docs.
typedef enum cn_param_kind { CN_PARAM_INT, CN_PARAM_REAL, CN_PARAM_BOOL } cn_param_kind;
typedef struct cn_param {
    const char *name;
    cn_param_kind kind; // int32_t, double or bool at offset
    size_t offset;      // in the solver's own struct, which starts at cn_solve_opts.params
    double initial, min, max;
    const char *help;
} cn_param;

#define CN_PARAM_SLOTS 16 // doubles reserved for a solver's own struct

// What a solver accepts.
enum {
    CN_SOLVES_2D = 1,       // friction, dim 2
    CN_SOLVES_3D = 2,       // friction, dim 3
    CN_TAKES_ASSEMBLED = 4, // W as blocks
    CN_TAKES_BODY = 8,      // W in body space
    CN_USES_LOCAL = 16,     // has a pluggable local solver
    CN_FACETS_CONE = 32,    // in 3D answers a facetted cone, not Coulomb's round one
    CN_TAKES_BOUNDS = 64,   // blocks of joint rows (cn_bounds)
    CN_TAKES_BARE = 128,    // W without H (spheres, points) as it is, and u = NULL; otherwise it
                            // comes with H and with room for u
    CN_TAKES_CONVEX = 256   // problems with the convex law (cn_friction.convex)
};

typedef struct cn_solver_info {
    const char *name;
    const char *about;      // one line
    const char *strengths;  // one line
    const char *weaknesses; // one line, with the remedy
    const char *unit;       // of an iteration: "sweeps", "pivots", ...
    uint32_t accepts;       // CN_SOLVES_... | CN_TAKES_... (0 for an LCP solver)
    int32_t max_iterations; // the default limit
    const cn_param *params;
    int32_t param_count;
} cn_solver_info;

// Local solvers: one 3D contact while the others are held (2D has a closed form, used by itself).
typedef struct cn_local_solver cn_local_solver;
CN_API int32_t cn_local_solver_count(void);
CN_API const cn_local_solver *cn_local_solver_at(int32_t index);
CN_API const cn_local_solver *cn_local_solver_find(const char *name); // NULL: no such
CN_API const char *cn_local_solver_name(const cn_local_solver *local);
CN_API const char *cn_local_solver_about(const cn_local_solver *local);

// What a solve leaves to the next: how contacts were put together for the sweeps, which is used
// again while they have the same bodies. The answer is bitwise identical with it and without. For
// one solve at a time.
typedef struct cn_solve_cache cn_solve_cache;
CN_API cn_solve_cache *cn_solve_cache_create(const cn_env *env); // NULL: no memory
CN_API void cn_solve_cache_destroy(cn_solve_cache *cache);       // NULL is allowed

typedef struct cn_solve_opts {
    double tolerance; // on the residual that measure names; default 1e-8
    cn_measure measure;
    int32_t max_iterations; // in the solver's unit
    double time_limit;      // [s] of CPU; 0: none. A limit makes the answer depend on the machine
    double deadline;        // [s] wall-clock time by cn_clock() when to end; 0: none. Likewise
    const cn_local_solver *local; // default hybrid
    cn_progress_fn *progress;     // may be NULL
    void *progress_user;
    cn_cancel_fn *cancel; // NULL: that of the cn_env of the scratch arena
    void *cancel_user;
    cn_solve_cache *cache;         // may be NULL
    void *user;                    // of the solver's row, put here by the driver
    double params[CN_PARAM_SLOTS]; // the solver's own struct
} cn_solve_opts;

CN_API double cn_clock(void); // [s] wall-clock time since some time in the past
CN_API cn_solve_opts cn_solve_opts_default(const cn_solver_info *info);
// Set a solver's own field from text, with range check and "did you mean". error may be NULL.
CN_API cn_status cn_solve_opts_set(cn_solve_opts *opts, const cn_solver_info *info,
                                   const char *name, const char *value, cn_error *error);
CN_API double cn_solve_opts_get(const cn_solve_opts *opts, const cn_param *param);

typedef struct cn_solve_report {
    cn_outcome outcome;
    int32_t iterations; // in the solver's unit
    double work;        // in sweeps, where the solver counts it; 0: iterations are all there is
    double cpu_s;       // [s] CPU of the solve alone
    const char *detail; // static text: which stage ended it and why; never NULL after a driver call
    cn_grade grade;     // by the checker; a solver never grades itself
} cn_solve_report;

// r: in, first guess; out, answer. u: out. Memory only from scratch; p is not written. A solver
// sets outcome (its own view), iterations and detail.
typedef cn_status cn_friction_fn(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                                 double *r, double *u, cn_solve_report *report);
typedef cn_status cn_lcp_fn(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch,
                            double *z, double *w, cn_solve_report *report);

typedef struct cn_friction_solver {
    cn_solver_info info;
    cn_friction_fn *solve;
    void *user; // handed to solve as opts->user
} cn_friction_solver;

typedef struct cn_lcp_solver {
    cn_solver_info info;
    cn_lcp_fn *solve;
} cn_lcp_solver;

CN_API int32_t cn_friction_solver_count(void);
CN_API const cn_friction_solver *cn_friction_solver_at(int32_t index);
CN_API const cn_friction_solver *cn_friction_solver_find(const char *name); // NULL: no such
CN_API int32_t cn_lcp_solver_count(void);
CN_API const cn_lcp_solver *cn_lcp_solver_at(int32_t index);
CN_API const cn_lcp_solver *cn_lcp_solver_find(const char *name);

// The drivers: check the arguments, run the solver, recompute u = W r + q, grade, correct the
// outcome. A solver that claims SOLVED with a residual above the tolerance is reported STALLED; one
// that ends within it is SOLVED whatever it said. Non-finite answers become r = 0, DIVERGED. error
// may be NULL, and u of a friction problem where nobody asks for it.
CN_API cn_status cn_friction_solve(const cn_friction *p, const cn_friction_solver *solver,
                                   const cn_solve_opts *opts, cn_arena *scratch, double *r,
                                   double *u, cn_solve_report *report, cn_error *error);
CN_API cn_status cn_lcp_solve(const cn_lcp *p, const cn_lcp_solver *solver,
                              const cn_solve_opts *opts, cn_arena *scratch, double *z, double *w,
                              cn_solve_report *report, cn_error *error);

// ---- mixed complementarity problems (cairn/mcp.h) ----

// z: in, first guess; out, answer. w: out. As cn_lcp_fn.
typedef cn_status cn_mcp_fn(const cn_mcp *p, const cn_solve_opts *opts, cn_arena *scratch,
                            double *z, double *w, cn_solve_report *report);

typedef struct cn_mcp_solver {
    cn_solver_info info;
    cn_mcp_fn *solve;
} cn_mcp_solver;

CN_API int32_t cn_mcp_solver_count(void);
CN_API const cn_mcp_solver *cn_mcp_solver_at(int32_t index);
CN_API const cn_mcp_solver *cn_mcp_solver_find(const char *name); // NULL: no such

// Checks, runs, recomputes w, grades and corrects the outcome, as cn_lcp_solve does.
CN_API cn_status cn_mcp_solve(const cn_mcp *p, const cn_mcp_solver *solver,
                              const cn_solve_opts *opts, cn_arena *scratch, double *z, double *w,
                              cn_solve_report *report, cn_error *error);

// ---- nonlinear mixed complementarity problems (cairn/ncp.h) ----

typedef struct cn_ncp_report {
    cn_solve_report solve;
    int64_t values, gradients; // evaluations of F, of its Jacobian
    int32_t crash;             // steps of the crash
    int32_t restarts;          // strategies that were given up before the last one
} cn_ncp_report;

// The settings of the method ("path": Newton's method on the normal map with a path search, a
// crash, restarts and proximal steps), its default limits and what it is good for.
CN_API const cn_solver_info *cn_ncp_solver_info(void);

// z: in, the start, which is brought between its bounds; out, the answer. w := F(z). The tolerance
// is on |z - mid(lower, z - F(z), upper)|, absolute. Graded by cn_ncp_grade: CN_SOLVED only within
// the tolerance. The Jacobian is trusted: cn_ncp_check compares it with differences.
CN_API cn_status cn_ncp_solve(const cn_ncp *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *z, double *w, cn_ncp_report *report, cn_error *error);

// ---- friction problems through a formulation (cairn/formulation.h) ----

// Which formulation, and by what its complementarity problem is solved.
typedef struct cn_formulation_choice {
    const cn_formulation *formulation;
    const cn_formulation_opts *opts;
    const cn_friction_global *global; // the global form, for formulations that take it; else NULL
    const cn_mcp_solver *solver;
} cn_formulation_choice;

typedef struct cn_formulation_report {
    cn_solve_report friction; // about the friction problem
    cn_solve_report inner;    // about the complementarity problem, graded by its own checker
} cn_formulation_report;

// From r to r: formulates p, solves that, maps back, recomputes u and grades by the exact cone.
// CN_SOLVED only if the exact-cone residual is within the tolerance, CN_UNSUPPORTED where the
// global form is missing. The tolerance and the limits of opts apply to the complementarity
// problem. "box" repeats with the thresholds mu r_N until they settle.
CN_API cn_status cn_formulation_solve(const cn_friction *p, const cn_formulation_choice *choice,
                                      const cn_solve_opts *opts, cn_arena *scratch, double *r,
                                      double *u, cn_formulation_report *report, cn_error *error);

#ifdef __cplusplus
}
#endif
#endif
