// system/solver_plugin.c
// Solvers in shared libraries: what the table says is checked before anything of it is called.
#include "base/error.h"
#include "base/library.h"

#include <cairn/plugin.h>

static bool info_is_whole(const cn_solver_info *info) {
    return info->name && info->name[0] && info->about && info->unit && info->param_count >= 0 &&
           (info->param_count == 0 || info->params);
}

static cn_status check_table(const cn_solver_plugin *table, cn_error *error) {
    if (!table || table->version != CN_SOLVER_PLUGIN_VERSION) {
        return base_fail(error, CN_ERR_INPUT,
                         "the plug-in has version %u of the interface of solvers, this reads %u",
                         table ? (unsigned)table->version : 0U, (unsigned)CN_SOLVER_PLUGIN_VERSION);
    }
    if (table->opts_size != sizeof(cn_solve_opts) || table->friction_size != sizeof(cn_friction)) {
        base_fail(error, CN_ERR_INPUT, "the plug-in was compiled for another version of cairn");
        base_fail_hint(error, "compile it again with the headers of this one");
        return CN_ERR_INPUT;
    }
    bool friction =
        table->friction && table->friction->solve && info_is_whole(&table->friction->info);
    bool lcp = table->lcp && table->lcp->solve && info_is_whole(&table->lcp->info);
    if ((table->friction && !friction) || (table->lcp && !lcp) || (!friction && !lcp)) {
        base_fail(error, CN_ERR_INPUT, "the plug-in has no whole solver");
        base_fail_hint(error, "its row needs name, about, unit and the function");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

cn_status cn_solver_plugin_open(const char *path, void **library, const cn_solver_plugin **out,
                                cn_error *error) {
    if (!path || !library || !out) {
        return base_fail_missing(error);
    }
    char whole[BASE_LIBRARY_PATH];
    base_library_fn *function;
    *library = NULL;
    *out = NULL;
    if (!base_library_path(path, whole)) {
        base_fail(error, CN_ERR_INPUT, "there is no plug-in file \"%.200s\"", path);
        base_fail_hint(error, "build it first: cc -shared -fPIC -o solver.so solver.c");
        return CN_ERR_INPUT;
    }
    CN_TRY(base_library_open(whole, CN_SOLVER_PLUGIN_SYMBOL, library, &function, error));
    *out = ((cn_solver_plugin_fn *)function)();
    cn_status status = check_table(*out, error);
    if (status != CN_OK) {
        cn_solver_plugin_close(*library);
        *library = NULL;
        *out = NULL;
    }
    return status;
}

void cn_solver_plugin_close(void *library) {
    base_library_close(library);
}
