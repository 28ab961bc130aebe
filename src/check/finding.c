// check/finding.c
#include "check/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *cn_check_kind_text(cn_check_kind kind) {
    static const char *const text[CN_CHECK_KINDS] = {
        [CN_CHECK_RESIDUAL] = "residual", [CN_CHECK_MOMENTUM] = "momentum",
        [CN_CHECK_VELOCITY] = "velocity", [CN_CHECK_SHIFT] = "shift",
        [CN_CHECK_GEOMETRY] = "geometry", [CN_CHECK_MOTION] = "motion",
        [CN_CHECK_JOINT] = "joint",       [CN_CHECK_ENERGY] = "energy",
        [CN_CHECK_BALANCE] = "balance"};
    return (unsigned)kind < CN_CHECK_KINDS ? text[kind] : "";
}

void check_find(check_checking *check, const char *table, int64_t step, double value,
                double allowed, const char *format, ...) {
    cn_run_grade *grade = check->grade;
    grade->within = false;
    if (grade->finding_count++ >= CN_RUN_FINDINGS) {
        return;
    }
    cn_run_finding *finding = &grade->finding[grade->finding_count - 1];
    *finding = (cn_run_finding){.step = step, .value = value, .allowed = allowed};
    snprintf(finding->table, sizeof finding->table, "%s", table);
    int used = snprintf(finding->what, sizeof finding->what, "%s: ", table);
    va_list args;
    va_start(args, format);
    vsnprintf(finding->what + used, sizeof finding->what - (size_t)used, format, args);
    va_end(args);
}

void check_missing(check_checking *check, const char *format, ...) {
    cn_run_grade *grade = check->grade;
    if (grade->complete) {
        va_list args;
        va_start(args, format);
        vsnprintf(grade->incomplete, sizeof grade->incomplete, format, args);
        va_end(args);
    }
    grade->complete = false;
}

// Written so that a NaN is worse than anything. What is beyond is worse than what is within, also
// where nothing is allowed.
static bool is_worse(double value, double allowed, double than, double than_allowed) {
    if (isnan(value)) {
        return !isnan(than);
    }
    bool beyond = value > allowed && than <= than_allowed;
    return !isnan(than) && (beyond || value * than_allowed > than * allowed);
}

void check_worst_add(check_worst *worst, double value, double allowed, int64_t where) {
    if (!worst->any || is_worse(value, allowed, worst->value, worst->allowed)) {
        *worst = (check_worst){value, allowed, where, true};
    }
}

bool check_worst_note(check_checking *check, cn_check_kind kind, const check_worst *worst,
                      int64_t step) {
    cn_run_worst *all = &check->grade->worst[kind];
    if (!worst->any) {
        return false;
    }
    if (all->step < 0 || is_worse(worst->value, worst->allowed, all->value, all->allowed)) {
        *all = (cn_run_worst){worst->value, worst->allowed, step};
    }
    return !(worst->value <= worst->allowed);
}

void check_worst_find(check_checking *check, cn_check_kind kind, const check_worst *worst,
                      const char *table, const char *text, const char *name) {
    bool beyond = kind < CN_CHECK_KINDS ? check_worst_note(check, kind, worst, check->frame.step)
                                        : worst->any && !(worst->value <= worst->allowed);
    if (beyond) {
        check_find(check, table, check->frame.step, worst->value, worst->allowed, "%s (%s %lld)",
                   text, name, (long long)worst->where);
    }
}
