// app/support/solver_choice.h
// A solver of either table, with its settings: what --solver, --local, --set, --tol and the limits
// choose.
#ifndef CAIRN_APP_SUPPORT_SOLVER_CHOICE_H
#define CAIRN_APP_SUPPORT_SOLVER_CHOICE_H

#include "support/problem_file.h"
#include "support/support.h"

// The settings of a command line, before a solver is known.
typedef struct cn_choice {
    const char *command;               // for usage errors
    const char *solver;                // a name or "all"
    const char *local;                 // NULL: the default
    const cn_formulation *formulation; // friction problems are written so; NULL: as they are
    int32_t facets;                    // of that formulation in 3D
    double tolerance;
    cn_measure measure;
    int32_t max_iterations; // < 0: the solver's own
    double time_limit;      // [s], 0: none
    cn_word_list settings;  // "solver.param=value"
} cn_choice;

cn_choice cn_choice_default(const char *command);
// A usage error with "did you mean" unless there is such a formulation.
const cn_formulation *cn_parse_formulation(const char *command, const char *name);
// Usage errors for names and settings that no solver has. Call once, before any work.
void cn_choice_check(const cn_choice *choice);

// A usage error with "did you mean" unless the name is that of a solver (or, where allowed, of a
// local one).
void cn_check_solver_name(const char *command, const char *name, bool local_allowed);

// One row of the friction, LCP or (with a formulation) MCP table; exactly one pointer is set.
typedef struct cn_chosen {
    const cn_friction_solver *friction;
    const cn_lcp_solver *lcp;
    const cn_mcp_solver *mcp;
    const cn_formulation *formulation;
    int32_t facets;
    cn_solve_report formulated; // with a formulation: how its own problem ended
    const cn_solver_info *info;
    cn_solve_opts opts;
} cn_chosen;

// The solvers to run on this problem: the named one, or for "all" each that fits. Returns how many;
// *out is to be freed.
int32_t cn_choice_expand(const cn_choice *choice, const cn_case *c, cn_chosen **out);
// The name of the local solver that takes part; NULL when none does.
const char *cn_chosen_local(const cn_chosen *chosen, const cn_case *c);
// Runs it from r. A solver of the other kind gives CN_UNSUPPORTED with the grade of r as it was.
cn_status cn_chosen_run(cn_chosen *chosen, cn_case *c, double *r, double *u,
                        cn_solve_report *report, cn_error *error);

#endif
