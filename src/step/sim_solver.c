// step/sim_solver.c
// The friction solvers of a run, as the settings of its model name them.
#include "step/sim.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define SETTLE_TOLERANCE 1e-4 // below it settings.settle is left out
#define PARAM_TEXT 64         // a parameter's name and value, with room to spare
#define PARAM_ENDS " ,"       // between two of them

// "name=value name=value" into the solver's own settings.
static cn_status choose_params(const char *text, const cn_solver_info *info, cn_solve_opts *opts,
                               cn_error *error) {
    for (const char *at = text + strspn(text, PARAM_ENDS); *at;) {
        size_t length = strcspn(at, PARAM_ENDS), name = strcspn(at, "=" PARAM_ENDS);
        char word[PARAM_TEXT];
        if (name == 0 || name >= length || length >= sizeof word) {
            base_fail(error, CN_ERR_INPUT, "solver.params has \"%.*s\"",
                      (int)(length < sizeof word ? length : sizeof word), at);
            base_fail_hint(error, "each is a name, = and a number, without spaces: \"facets=4\"");
            return CN_ERR_INPUT;
        }
        memcpy(word, at, length);
        word[name] = word[length] = '\0';
        if (cn_solve_opts_set(opts, info, word, word + name + 1, error) != CN_OK) {
            if (error) {
                error->status = CN_ERR_INPUT;
            }
            return CN_ERR_INPUT;
        }
        at += length;
        at += strspn(at, PARAM_ENDS);
    }
    return CN_OK;
}

// settings.settle as the solver's own parameter, where it has one. Tight tolerances leave bodies at
// rest so little motion that settling would only cost.
static void choose_settle(const cn_settings *settings, const cn_solver_info *info,
                          cn_solve_opts *opts) {
    char settle[16];
    bool loose = settings->tolerance >= SETTLE_TOLERANCE;
    snprintf(settle, sizeof settle, "%d", (int)settings->settle);
    for (int32_t i = 0; i < info->param_count; i++) {
        const char *name = info->params[i].name;
        if (loose && strcmp(name, "settle") == 0) {
            cn_solve_opts_set(opts, info, name, settle, NULL); // its range is that of settings
        }
    }
}

// The options of a solver as the settings have them.
static cn_status choose_opts(const cn_friction_solver *solver, const cn_settings *settings,
                             cn_solve_opts *opts, cn_error *error) {
    *opts = cn_solve_opts_default(&solver->info);
    opts->tolerance = settings->tolerance;
    opts->time_limit = settings->time_limit;
    if (settings->max_iterations > 0) {
        opts->max_iterations = settings->max_iterations;
    }
    choose_settle(settings, &solver->info, opts);
    if (settings->local) {
        opts->local = cn_local_solver_find(settings->local);
    }
    if (!opts->local) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no local solver named %s",
                         settings->local);
    }
    return CN_OK;
}

static cn_status choose_solver(const char *name, const cn_friction_solver *own,
                               const cn_settings *settings, const cn_friction_solver **solver,
                               cn_solve_opts *opts, cn_error *error) {
    *solver = own ? own : cn_friction_solver_find(name);
    return *solver
               ? choose_opts(*solver, settings, opts, error)
               : base_fail(error, CN_ERR_ARGUMENT, "there is no friction solver named %s", name);
}

// The solvers that take something, as a list for a hint.
static void name_takers(uint32_t need, cn_error *error) {
    char text[256] = "";
    size_t used = 0;
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_solver_info *info = &cn_friction_solver_at(i)->info;
        size_t length = strlen(info->name) + 2;
        if ((info->accepts & need) == need && used + length < sizeof text) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                                     info->name);
        }
    }
    base_fail_hint(error, "these do: %s", text);
}

// A solver that would refuse every step is refused at once.
static cn_status check_solver(const cn_model *model, const cn_friction_solver *solver,
                              const char *key, cn_error *error) {
    bool convex = model->settings.friction == CN_FRICTION_CONVEX;
    bool joints = model->joint_count > 0 || model->bonds;
    uint32_t need = (convex ? CN_TAKES_CONVEX : 0U) | (joints ? CN_TAKES_BOUNDS : 0U);
    uint32_t lacking = need & ~solver->info.accepts;
    if (lacking == 0) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_UNSUPPORTED, "%s: %s does not take %s", key, solver->info.name,
              lacking & CN_TAKES_CONVEX ? "convex friction"
              : model->joint_count > 0  ? "joints"
                                        : "bonds");
    name_takers(need, error);
    const cn_source *source = &model->settings.solver_source;
    base_fail_at(error, source->file, source->line, source->column);
    return CN_ERR_UNSUPPORTED;
}

cn_status sim_choose_solvers(const cn_model *model, step_solvers *out, cn_error *error) {
    const cn_settings *settings = &model->settings;
    CN_TRY(choose_solver(settings->solver, settings->own_solver, settings, &out->main, &out->opts,
                         error));
    if (settings->params) {
        CN_TRY(choose_params(settings->params, &out->main->info, &out->opts, error));
    }
    CN_TRY(choose_solver(settings->fallback, NULL, settings, &out->fallback, &out->fallback_opts,
                         error));
    CN_TRY(check_solver(model, out->main, "solver.name", error));
    return settings->on_stall == CN_STALL_RETRY
               ? check_solver(model, out->fallback, "solver.fallback", error)
               : CN_OK;
}

cn_status cn_sim_set_solver(cn_sim *sim, const cn_friction_solver *solver, cn_error *error) {
    if (!sim) {
        return base_fail_missing(error);
    }
    if (sim->system) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "the scheme %s takes no solver of its own",
                         sim->model->settings.scheme);
    }
    step_solvers chosen = sim->solvers;
    if (!solver) {
        CN_TRY(sim_choose_solvers(sim->model, &chosen, error));
    } else if (!solver->solve || !solver->info.name) {
        return base_fail(error, CN_ERR_ARGUMENT, "a solver needs a name and a function");
    } else {
        CN_TRY(check_solver(sim->model, solver, "the solver given", error));
        uint32_t takes = sim->model->dim == 2 ? CN_SOLVES_2D : CN_SOLVES_3D;
        if (!(solver->info.accepts & takes)) {
            return base_fail(error, CN_ERR_UNSUPPORTED, "%s does not take problems in %dD",
                             solver->info.name, (int)sim->model->dim);
        }
        CN_TRY(choose_opts(solver, &sim->model->settings, &chosen.opts, error));
    }
    if (solver) {
        sim->own_solver = *solver;
        chosen.main = &sim->own_solver;
    }
    chosen.opts.cache = sim->solvers.cache;
    chosen.opts.progress = sim->solvers.opts.progress;
    chosen.opts.progress_user = sim->solvers.opts.progress_user;
    sim->solvers = chosen;
    return CN_OK;
}
