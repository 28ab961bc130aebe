// solve/local/local_table.c
// The local solvers by name. To add one: its file and a row here.
#include "base/rows.h"
#include "solve/local/local.h"

static const cn_local_solver local_table[] = {
    {"hybrid", "verified chain: closed form or secular, then patient solvers (default)",
     local_hybrid},
    {"secular", "bracketed slip multiplier; exact, cannot fail for positive semi-definite blocks",
     local_secular},
    {"newton", "generalized Newton (Alart-Curnier); fast from a good start, may cycle",
     local_newton},
    {"exact", "enumerates open, stick and all roots of the sliding quartic", local_exact},
    {"projection", "fixed-point projection with self-adaptive step; slow, needs products only",
     local_projection},
    {"lemke", "Lemke's pivoting on a polygon that is turned against the slip; for comparison",
     local_lemke},
    {"qp", "active-set quadratic programming on the same polygon; for comparison", local_qp},
    {"mcp", "mixed complementarity problem, Newton on Fischer-Burmeister functions; for comparison",
     local_mcp},
    {"radial", "explicit; exact between spheres, only a guess elsewhere", local_radial},
};

int32_t cn_local_solver_count(void) {
    return (int32_t)(sizeof local_table / sizeof local_table[0]);
}

const cn_local_solver *cn_local_solver_at(int32_t index) {
    return index >= 0 && index < cn_local_solver_count() ? &local_table[index] : NULL;
}

const cn_local_solver *cn_local_solver_find(const char *name) {
    return BASE_ROW_FIND(local_table, cn_local_solver, name, name);
}

const char *cn_local_solver_name(const cn_local_solver *local) {
    return local->name;
}

const char *cn_local_solver_about(const cn_local_solver *local) {
    return local->about;
}
