// solve/drivers/policy.c
#include "solve/drivers/policy.h"

const gs_policy gs_policy_default = {
#define ROW(type, name, value, unit, meaning, measured_on) .name = value,
#include "solve/drivers/policy_rows.h"
#undef ROW
};

static const gs_policy_row policy_rows[] = {
#define ROW(type, name, value, unit, meaning, measured_on)                                         \
    {#name, value, unit, meaning, measured_on},
#include "solve/drivers/policy_rows.h"
#undef ROW
};

const gs_policy_row *gs_policy_row_at(int32_t index) {
    int32_t count = (int32_t)(sizeof policy_rows / sizeof *policy_rows);
    return index >= 0 && index < count ? &policy_rows[index] : NULL;
}
