// solve/drivers/policy.h
// When the default solver and its Gauss-Seidel stages do what: every threshold, with its unit and
// what it was measured on. docs/design/default-solver.md walks through the stages.
#ifndef CAIRN_SOLVE_DRIVERS_POLICY_H
#define CAIRN_SOLVE_DRIVERS_POLICY_H

#include <cairn/base.h>

typedef struct gs_policy {
#define ROW(type, name, value, unit, meaning, measured_on) type name;
#include "solve/drivers/policy_rows.h"
#undef ROW
} gs_policy;

extern const gs_policy gs_policy_default;

// The rows as text, for documentation and tests.
typedef struct gs_policy_row {
    const char *name;
    double value;
    const char *unit, *meaning, *measured_on;
} gs_policy_row;

const gs_policy_row *gs_policy_row_at(int32_t index); // NULL behind the last

#endif
