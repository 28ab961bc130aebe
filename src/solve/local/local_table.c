// solve/local/local_table.c
// The local solvers by name. To add one: its file and a row here.
#include "base/rows.h"
#include "solve/local/local.h"

static const cn_local_solver cn_local_table[] = {
    {"hybrid", "verified chain: closed form or secular, then patient solvers (default)",
     cn_local_hybrid},
    {"secular", "bracketed slip multiplier; exact, cannot fail for positive semi-definite blocks",
     cn_local_secular},
    {"newton", "generalized Newton (Alart-Curnier); fast from a good start, may cycle",
     cn_local_newton},
    {"exact", "enumerates open, stick and all roots of the sliding quartic", cn_local_exact},
    {"projection", "fixed-point projection with self-adaptive step; slow, needs products only",
     cn_local_projection},
    {"lemke", "Lemke's pivoting on a polygon that is turned against the slip; for comparison",
     cn_local_lemke},
    {"qp", "active-set quadratic programming on the same polygon; for comparison", cn_local_qp},
    {"radial", "explicit; exact between spheres, only a guess elsewhere", cn_local_radial},
};

int32_t cn_local_solver_count(void) {
    return (int32_t)(sizeof cn_local_table / sizeof cn_local_table[0]);
}

const cn_local_solver *cn_local_solver_at(int32_t index) {
    return index >= 0 && index < cn_local_solver_count() ? &cn_local_table[index] : NULL;
}

const cn_local_solver *cn_local_solver_find(const char *name) {
    return BASE_ROW_FIND(cn_local_table, cn_local_solver, name, name);
}

const char *cn_local_solver_name(const cn_local_solver *local) {
    return local->name;
}

const char *cn_local_solver_about(const cn_local_solver *local) {
    return local->about;
}
