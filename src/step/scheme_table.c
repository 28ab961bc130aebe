// step/scheme_table.c
// The time integrators, a row each.
#include "base/rows.h"
#include "step/sim.h"

static const step_scheme table[] = {
    {.name = "moreau-jean",
     .about = "time stepping on velocities and impulses, events not located; theta = 1/2 conserves",
     .choose = step_opts_moreau_jean},
    {.name = "stabilised",
     .about = "one problem per step at theta = 1, gaps and joints brought to zero at its end",
     .choose = step_opts_stabilised},
};

#define SCHEMES ((int32_t)(sizeof table / sizeof table[0]))

const char *cn_scheme_name(int32_t index) {
    return index >= 0 && index < SCHEMES ? table[index].name : NULL;
}

const step_scheme *step_scheme_find(const char *name) {
    return BASE_ROW_FIND(table, step_scheme, name, name);
}
