// app/support/solver_choice.c
// From names and settings on the command line to solver rows and their options; see
// solver_choice.h.
#include "support/solver_choice.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LIST 64 // solver names offered to "did you mean"

solver_choice solver_choice_default(const char *command) {
    return (solver_choice){.command = command,
                           .solver = "auto",
                           .facets = cn_formulation_opts_default().facets,
                           .tolerance = 1e-8,
                           .measure = CN_MEASURE_SCALED,
                           .max_iterations = -1};
}

// ---- checking the names ----

static int32_t add_solver_names(const char *names[NAME_LIST], int32_t count) {
    for (int32_t i = 0; i < cn_friction_solver_count() && count < NAME_LIST; i++) {
        names[count++] = cn_friction_solver_at(i)->info.name;
    }
    for (int32_t i = 0; i < cn_lcp_solver_count() && count < NAME_LIST; i++) {
        names[count++] = cn_lcp_solver_at(i)->info.name;
    }
    return count;
}

static int32_t add_local_names(const char *names[NAME_LIST], int32_t count) {
    for (int32_t i = 0; i < cn_local_solver_count() && count < NAME_LIST; i++) {
        names[count++] = cn_local_solver_name(cn_local_solver_at(i));
    }
    return count;
}

// ---- a solver of one's own ----

static bool is_own(const solver_choice *choice, const char *name) {
    const cn_solver_plugin *own = choice->own.table;
    return own && ((own->friction && strcmp(own->friction->info.name, name) == 0) ||
                   (own->lcp && strcmp(own->lcp->info.name, name) == 0));
}

int solver_choice_load(solver_choice *choice, const char *path, bool allowed) {
    cn_error error = {.status = CN_OK};
    if (!allowed) {
        usage_error(choice->command,
                    "--plugin %s runs code of its own; if you trust it, give --allow-plugins",
                    path);
    }
    if (cn_solver_plugin_open(path, &choice->own.library, &choice->own.table, &error) != CN_OK) {
        return report_error_in(&error, path);
    }
    const cn_solver_plugin *own = choice->own.table;
    if (strcmp(choice->solver, "auto") == 0) {
        choice->solver = own->friction ? own->friction->info.name : own->lcp->info.name;
    }
    return EXIT_DONE;
}

void solver_choice_free(solver_choice *choice) {
    free(choice->settings.words);
    cn_solver_plugin_close(choice->own.library);
}

// A usage error unless name is among names.
static void check_name(const char *command, const char *what, const char *name,
                       const char *const *names, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return;
        }
    }
    const char *near = cn_nearest_name(name, names, count);
    if (near) {
        usage_error(command, "no %s '%s'; did you mean '%s'?", what, name, near);
    }
    usage_error(command, "no %s '%s'; see cairn solvers", what, name);
}

void check_solver_name(const char *command, const char *name, bool local_allowed) {
    const char *names[NAME_LIST];
    int32_t count = add_solver_names(names, 0);
    count = local_allowed ? add_local_names(names, count) : count;
    check_name(command, "solver", name, names, count);
}

const cn_formulation *parse_formulation(const char *command, const char *name) {
    const char *names[NAME_LIST];
    int32_t count = 0;
    for (int32_t i = 0; i < cn_formulation_count() && count < NAME_LIST; i++) {
        names[count++] = cn_formulation_at(i)->name;
    }
    check_name(command, "formulation", name, names, count);
    return cn_formulation_find(name);
}

// One "solver.param=value" taken apart. The word before the dot names a solver, or is "solver" (or
// absent) for whichever runs.
typedef struct solver_setting {
    char solver[64], param[64];
    const char *value; // the end of the text
} solver_setting;

static solver_setting setting_parse(const char *command, const char *text) {
    solver_setting setting = {.solver = "solver"};
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        usage_error(command, "--set wants solver.param=value, not '%s'", text);
    }
    setting.value = equals + 1;
    const char *dot = memchr(text, '.', (size_t)(equals - text));
    const char *param = dot ? dot + 1 : text;
    if (dot) {
        snprintf(setting.solver, sizeof setting.solver, "%.*s", (int)(dot - text), text);
    }
    snprintf(setting.param, sizeof setting.param, "%.*s", (int)(equals - param), param);
    return setting;
}

static bool has_param(const cn_solver_info *info, const char *name) {
    for (int32_t i = 0; i < info->param_count; i++) {
        if (strcmp(info->params[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Rows that a word of --solver or --set may mean: of both tables, friction first.
static int32_t rows_named(const solver_choice *choice, const char *name,
                          const cn_solver_info *rows[NAME_LIST]) {
    bool all = strcmp(name, "all") == 0;
    int32_t count = 0;
    const cn_solver_plugin *own = choice->own.table;
    if (own && own->friction && (all || strcmp(own->friction->info.name, name) == 0)) {
        rows[count++] = &own->friction->info;
    }
    if (own && own->lcp && (all || strcmp(own->lcp->info.name, name) == 0)) {
        rows[count++] = &own->lcp->info;
    }
    for (int32_t i = 0; i < cn_friction_solver_count() && count < NAME_LIST; i++) {
        const cn_solver_info *info = &cn_friction_solver_at(i)->info;
        if (all || strcmp(info->name, name) == 0) {
            rows[count++] = info;
        }
    }
    for (int32_t i = 0; i < cn_lcp_solver_count() && count < NAME_LIST; i++) {
        const cn_solver_info *info = &cn_lcp_solver_at(i)->info;
        if (all || strcmp(info->name, name) == 0) {
            rows[count++] = info;
        }
    }
    return count;
}

// A setting is good when one of the rows it may mean takes it; else the reason is the first row's.
static void check_setting(const solver_choice *choice, const char *text) {
    solver_setting setting = setting_parse(choice->command, text);
    const char *meant = strcmp(setting.solver, "solver") == 0 ? choice->solver : setting.solver;
    if (strcmp(meant, "all") != 0 && !is_own(choice, meant)) {
        check_solver_name(choice->command, meant, false);
    }
    const cn_solver_info *rows[NAME_LIST];
    int32_t count = rows_named(choice, meant, rows);
    cn_error first = {.status = CN_OK};
    bool good = false;
    for (int32_t i = 0; i < count && !good; i++) {
        cn_error error = {.status = CN_OK};
        cn_solve_opts opts = cn_solve_opts_default(rows[i]);
        good = cn_solve_opts_set(&opts, rows[i], setting.param, setting.value, &error) == CN_OK;
        // A row that knows the name says more about a bad value than one that does not.
        if (i == 0 || has_param(rows[i], setting.param)) {
            first = error;
        }
    }
    if (!good) {
        char reason[1400];
        usage_error(choice->command, "--set %s: %s", text,
                    cn_error_format(&first, reason, sizeof reason));
    }
}

void solver_choice_check(const solver_choice *choice) {
    if (strcmp(choice->solver, "all") != 0 && !is_own(choice, choice->solver)) {
        check_solver_name(choice->command, choice->solver, false);
    }
    bool any = strcmp(choice->solver, "all") == 0 || strcmp(choice->solver, "auto") == 0;
    if (choice->formulation && !any && !cn_mcp_solver_find(choice->solver)) {
        usage_error(choice->command,
                    "--formulation needs a solver of complementarity problems, not '%s'; see "
                    "cairn solvers",
                    choice->solver);
    }
    if (choice->local) {
        const char *names[NAME_LIST];
        check_name(choice->command, "local solver", choice->local, names,
                   add_local_names(names, 0));
    }
    for (int32_t i = 0; i < choice->settings.count; i++) {
        check_setting(choice, choice->settings.words[i]);
    }
}

// ---- from the choice to rows ----

static cn_solve_opts solver_choice_opts(const solver_choice *choice, const cn_solver_info *info) {
    cn_solve_opts opts = cn_solve_opts_default(info);
    opts.tolerance = choice->tolerance;
    opts.measure = choice->measure;
    opts.time_limit = choice->time_limit;
    if (choice->max_iterations >= 0) {
        opts.max_iterations = choice->max_iterations;
    }
    if (choice->local) {
        opts.local = cn_local_solver_find(choice->local);
    }
    for (int32_t i = 0; i < choice->settings.count; i++) {
        solver_setting setting = setting_parse(choice->command, choice->settings.words[i]);
        bool is_for =
            strcmp(setting.solver, "solver") == 0 || strcmp(setting.solver, info->name) == 0;
        if (is_for && has_param(info, setting.param)) {
            cn_solve_opts_set(&opts, info, setting.param, setting.value, NULL);
        }
    }
    return opts;
}

static chosen_solver chosen_solver_make(const solver_choice *choice,
                                        const cn_friction_solver *friction,
                                        const cn_lcp_solver *lcp) {
    chosen_solver chosen = {.friction = friction, .lcp = lcp};
    chosen.info = friction ? &friction->info : &lcp->info;
    chosen.opts = solver_choice_opts(choice, chosen.info);
    return chosen;
}

static chosen_solver chosen_solver_formulation_of(const solver_choice *choice,
                                                  const cn_mcp_solver *mcp) {
    chosen_solver chosen = {.mcp = mcp,
                            .info = &mcp->info,
                            .formulation = choice->formulation,
                            .facets = choice->facets};
    chosen.opts = solver_choice_opts(choice, chosen.info);
    return chosen;
}

// The rows of the MCP table that the choice names; "auto" is the first.
static int32_t expand_formulated(const solver_choice *choice, chosen_solver *out) {
    const cn_mcp_solver *named = cn_mcp_solver_find(choice->solver);
    if (strcmp(choice->solver, "all") != 0) {
        *out = chosen_solver_formulation_of(choice, named ? named : cn_mcp_solver_at(0));
        return 1;
    }
    for (int32_t i = 0; i < cn_mcp_solver_count(); i++) {
        out[i] = chosen_solver_formulation_of(choice, cn_mcp_solver_at(i));
    }
    return cn_mcp_solver_count();
}

// Whether a friction solver of the table takes this problem in the form asked for.
static bool fits(const cn_solver_info *info, const problem_file *c) {
    uint32_t forms = CN_TAKES_ASSEMBLED | CN_TAKES_BODY;
    if (c->problem->kind == CN_PROBLEM_FRICTION || c->form == FORM_ASSEMBLED) {
        forms = CN_TAKES_ASSEMBLED;
    } else if (c->form == FORM_BODY) {
        forms = CN_TAKES_BODY;
    }
    return (info->accepts & (c->dim == 2 ? CN_SOLVES_2D : CN_SOLVES_3D)) && (info->accepts & forms);
}

int32_t solver_choice_expand(const solver_choice *choice, const problem_file *c,
                             chosen_solver **out) {
    bool lcp = problem_file_is_lcp(c);
    int32_t rows = lcp ? cn_lcp_solver_count() : cn_friction_solver_count();
    int32_t count = 0;
    *out = ALLOCATE(chosen_solver, rows + cn_mcp_solver_count() + 2);
    if (choice->formulation) {
        return expand_formulated(choice, *out);
    }
    if (strcmp(choice->solver, "all") != 0) {
        // A name of the other kind is kept: it becomes the outcome "unsupported".
        const cn_solver_plugin *own = is_own(choice, choice->solver) ? choice->own.table : NULL;
        const cn_friction_solver *friction =
            own ? own->friction : cn_friction_solver_find(choice->solver);
        const cn_lcp_solver *complementarity = own ? own->lcp : cn_lcp_solver_find(choice->solver);
        bool as_lcp = complementarity && (lcp || !friction);
        **out = as_lcp ? chosen_solver_make(choice, NULL, complementarity)
                       : chosen_solver_make(choice, friction, NULL);
        return 1;
    }
    const cn_solver_plugin *own = choice->own.table;
    if (own && lcp && own->lcp) {
        (*out)[count++] = chosen_solver_make(choice, NULL, own->lcp);
    } else if (own && !lcp && own->friction && fits(&own->friction->info, c)) {
        (*out)[count++] = chosen_solver_make(choice, own->friction, NULL);
    }
    for (int32_t i = 0; i < rows; i++) {
        if (lcp) {
            (*out)[count++] = chosen_solver_make(choice, NULL, cn_lcp_solver_at(i));
        } else if (fits(&cn_friction_solver_at(i)->info, c)) {
            (*out)[count++] = chosen_solver_make(choice, cn_friction_solver_at(i), NULL);
        }
    }
    return count;
}

const char *chosen_solver_local(const chosen_solver *chosen, const problem_file *c) {
    bool used = chosen->friction && (chosen->info->accepts & CN_USES_LOCAL) && c->dim == 3;
    return used && chosen->opts.local ? cn_local_solver_name(chosen->opts.local) : NULL;
}

// A friction problem through its formulation.
static cn_status chosen_solver_run_formulated(chosen_solver *chosen, problem_file *c, double *r,
                                              double *u, cn_solve_report *report, cn_error *error) {
    const cn_friction *p = problem_file_friction(c, CN_TAKES_ASSEMBLED | CN_TAKES_BODY, error);
    if (!p) {
        return error->status;
    }
    cn_formulation_opts how = cn_formulation_opts_default();
    how.facets = chosen->facets;
    bool global = c->problem->kind == CN_PROBLEM_FRICTION_GLOBAL;
    cn_formulation_choice choice = {.formulation = chosen->formulation,
                                    .opts = &how,
                                    .global = global ? &c->problem->global : NULL,
                                    .solver = chosen->mcp};
    cn_formulation_report both;
    cn_status status =
        cn_formulation_solve(p, &choice, &chosen->opts, c->memory, r, u, &both, error);
    *report = both.friction;
    chosen->formulated = both.inner;
    return status;
}

cn_status chosen_solver_run(chosen_solver *chosen, problem_file *c, double *r, double *u,
                            cn_solve_report *report, cn_error *error) {
    memset(error, 0, sizeof *error);
    bool lcp = problem_file_is_lcp(c);
    if (lcp && chosen->lcp) {
        return cn_lcp_solve(&c->problem->lcp, chosen->lcp, &chosen->opts, c->memory, r, u, report,
                            error);
    }
    if (!lcp && chosen->mcp) {
        return chosen_solver_run_formulated(chosen, c, r, u, report, error);
    }
    if (!lcp && chosen->friction) {
        const cn_friction *p = problem_file_friction(c, chosen->info->accepts, error);
        return p ? cn_friction_solve(p, chosen->friction, &chosen->opts, c->memory, r, u, report,
                                     error)
                 : error->status;
    }
    *report = (cn_solve_report){.outcome = CN_UNSUPPORTED,
                                .detail = chosen->mcp ? "an LCP has no other formulation"
                                          : lcp       ? "this solver is for friction problems"
                                                      : "this solver is for LCPs"};
    chosen->formulated = *report;
    return problem_file_grade(c, r, NULL, &report->grade, error);
}
