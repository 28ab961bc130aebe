// app/support/solver_choice.h
// A solver of either table, with its settings: what --solver, --local, --set, --tol and the limits
// choose.
#ifndef CAIRN_APP_SUPPORT_SOLVER_CHOICE_H
#define CAIRN_APP_SUPPORT_SOLVER_CHOICE_H

#include "support/arguments.h"
#include "support/problem_file.h"
#include "support/support.h"

// A solver of one's own, from --plugin.
typedef struct own_solver {
    void *library; // NULL: none
    const cn_solver_plugin *table;
} own_solver;

// The settings of a command line, before a solver is known.
typedef struct solver_choice {
    own_solver own;
    const char *command;               // for usage errors
    const char *solver;                // a name or "all"
    const char *local;                 // NULL: the default
    const cn_formulation *formulation; // friction problems are written so; NULL: as they are
    int32_t facets;                    // of that formulation in 3D
    double tolerance;
    cn_measure measure;
    int32_t max_iterations; // < 0: the solver's own
    double time_limit;      // [s], 0: none
    word_list settings;     // "solver.param=value"
} solver_choice;

solver_choice solver_choice_default(const char *command);
// A usage error with "did you mean" unless there is such a formulation.
const cn_formulation *parse_formulation(const char *command, const char *name);
// Loads a solver of one's own, which is then the solver unless another is named. Exit codes.
int solver_choice_load(solver_choice *choice, const char *path, bool allowed);
void solver_choice_free(solver_choice *choice);
// Usage errors for names and settings that no solver has. Call once, before any work.
void solver_choice_check(const solver_choice *choice);

// A usage error with "did you mean" unless the name is that of a solver (or, where allowed, of a
// local one).
void check_solver_name(const char *command, const char *name, bool local_allowed);

// One row of the friction, LCP or (with a formulation) MCP table; exactly one pointer is set.
typedef struct chosen_solver {
    const cn_friction_solver *friction;
    const cn_lcp_solver *lcp;
    const cn_mcp_solver *mcp;
    const cn_formulation *formulation;
    int32_t facets;
    cn_solve_report formulated; // with a formulation: how its own problem ended
    const cn_solver_info *info;
    cn_solve_opts opts;
} chosen_solver;

// The solvers to run on this problem: the named one, or for "all" each that fits. Returns how many;
// *out is to be freed.
int32_t solver_choice_expand(const solver_choice *choice, const problem_file *c,
                             chosen_solver **out);
// The name of the local solver that takes part; NULL when none does.
const char *chosen_solver_local(const chosen_solver *chosen, const problem_file *c);
// Runs it from r. A solver of the other kind gives CN_UNSUPPORTED with the grade of r as it was.
cn_status chosen_solver_run(chosen_solver *chosen, problem_file *c, double *r, double *u,
                            cn_solve_report *report, cn_error *error);

#endif
