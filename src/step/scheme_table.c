// step/scheme_table.c
// The time integrators, a row each.
#include "step/sim.h"

#include <string.h>

static const cn_scheme cn_scheme_table[] = {
    {.name = "moreau-jean",
     .about = "time stepping on velocities and impulses, events not located; theta = 1/2 conserves",
     .step = cn_moreau_jean},
    {.name = "stabilised",
     .about = "one problem a step at theta = 1, gaps and joints brought to zero at its end",
     .step = cn_stabilised},
};

#define CN_SCHEMES ((int32_t)(sizeof cn_scheme_table / sizeof cn_scheme_table[0]))

const char *cn_scheme_name(int32_t index) {
    return index >= 0 && index < CN_SCHEMES ? cn_scheme_table[index].name : NULL;
}

const cn_scheme *cn_scheme_find(const char *name) {
    for (int32_t i = 0; i < CN_SCHEMES; i++) {
        if (strcmp(cn_scheme_table[i].name, name) == 0) {
            return &cn_scheme_table[i];
        }
    }
    return NULL;
}
