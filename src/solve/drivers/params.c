// solve/drivers/params.c
// Settings of a solve: defaults, a solver's own fields by name, ranges, and the texts of outcomes
// and measures. A solver's own struct is reached only through its cn_param table.
#include "solve/drivers/params.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE_DEFAULT 1e-8
#define PARAM_NAMES_MAX 64 // names offered to "did you mean"

const char *cn_outcome_text(cn_outcome outcome) {
    static const char *const text[] = {
#define OUTCOME_TEXT(name, words) words,
        CN_OUTCOME_LIST(OUTCOME_TEXT)
#undef OUTCOME_TEXT
    };
    return (unsigned)outcome < CN_OUTCOME_COUNT ? text[outcome] : "unknown outcome";
}

const char *cn_measure_text(cn_measure measure) {
    static const char *const text[] = {"scaled", "q", "max"};
    return (unsigned)measure < sizeof text / sizeof text[0] ? text[measure] : "unknown measure";
}

static size_t param_size(const cn_param *param) {
    switch (param->kind) {
    case CN_PARAM_INT:
        return sizeof(int32_t);
    case CN_PARAM_BOOL:
        return sizeof(bool);
    case CN_PARAM_REAL:
        break;
    }
    return sizeof(double);
}

static bool param_fits(const cn_param *param) {
    size_t room = sizeof((cn_solve_opts *)0)->params;
    return param->offset <= room && param_size(param) <= room - param->offset;
}

static void param_store(cn_solve_opts *opts, const cn_param *param, double value) {
    unsigned char *place = (unsigned char *)opts->params + param->offset;
    if (param->kind == CN_PARAM_INT) {
        int32_t whole = (int32_t)value;
        memcpy(place, &whole, sizeof whole);
    } else if (param->kind == CN_PARAM_BOOL) {
        bool flag = value != 0.0;
        memcpy(place, &flag, sizeof flag);
    } else {
        memcpy(place, &value, sizeof value);
    }
}

cn_solve_opts cn_solve_opts_default(const cn_solver_info *info) {
    cn_solve_opts opts = {.tolerance = TOLERANCE_DEFAULT,
                          .measure = CN_MEASURE_SCALED,
                          .max_iterations = info->max_iterations,
                          .local = cn_local_solver_find("hybrid")};
    for (int32_t i = 0; i < info->param_count; i++) {
        if (param_fits(&info->params[i])) {
            param_store(&opts, &info->params[i], info->params[i].initial);
        }
    }
    return opts;
}

double cn_solve_opts_get(const cn_solve_opts *opts, const cn_param *param) {
    if (!param_fits(param)) {
        return (double)NAN;
    }
    const unsigned char *place = (const unsigned char *)opts->params + param->offset;
    if (param->kind == CN_PARAM_INT) {
        int32_t whole;
        memcpy(&whole, place, sizeof whole);
        return whole;
    }
    if (param->kind == CN_PARAM_BOOL) {
        return *place != 0;
    }
    double value;
    memcpy(&value, place, sizeof value);
    return value;
}

static cn_status param_check(const cn_solver_info *info, const cn_param *param, double value,
                             cn_error *error) {
    if (!param_fits(param)) {
        return base_fail(error, CN_ERR_ARGUMENT, "the parameter %s.%s lies outside cn_solve_opts",
                         info->name, param->name);
    }
    if (!(value >= param->min && value <= param->max)) {
        base_fail(error, CN_ERR_ARGUMENT, "%s.%s = %g is out of range", info->name, param->name,
                  value);
        base_fail_hint(error, "it goes from %g to %g", param->min, param->max);
        return CN_ERR_ARGUMENT;
    }
    return CN_OK;
}

// A bool by one of its usual names.
static bool parse_bool(const char *text, double *value) {
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *value = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

// A plain decimal number: no blanks, no hexadecimal, no "inf" and no "nan".
static bool parse_number(const char *text, double *value) {
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0') {
        return false;
    }
    char *end;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

static cn_status param_parse(const cn_solver_info *info, const cn_param *param, const char *text,
                             double *value, cn_error *error) {
    static const char *const wanted[] = {"a whole number", "a number", "true or false"};
    bool good = param->kind == CN_PARAM_BOOL ? parse_bool(text, value) : parse_number(text, value);
    if (good && param->kind == CN_PARAM_INT) {
        good = *value == floor(*value);
    }
    if (!good) {
        return base_fail(error, CN_ERR_ARGUMENT, "%s.%s must be %s, not \"%.40s\"", info->name,
                         param->name, wanted[param->kind], text);
    }
    return CN_OK;
}

static cn_status param_unknown(const cn_solver_info *info, const char *name, cn_error *error) {
    base_fail(error, CN_ERR_ARGUMENT, "the solver %s has no parameter \"%.40s\"", info->name, name);
    const char *names[PARAM_NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < info->param_count && count < PARAM_NAMES_MAX; i++) {
        names[count++] = info->params[i].name;
    }
    const char *near = cn_nearest_name(name, names, count);
    if (near) {
        base_fail_hint(error, "did you mean \"%s\"?", near);
    } else if (count == 0) {
        base_fail_hint(error, "it has none");
    } else {
        char all[sizeof error->hint] = "";
        for (int32_t i = 0; i < count; i++) {
            size_t used = strlen(all);
            snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", names[i]);
        }
        base_fail_hint(error, "its parameters are %s", all);
    }
    return CN_ERR_ARGUMENT;
}

cn_status cn_solve_opts_set(cn_solve_opts *opts, const cn_solver_info *info, const char *name,
                            const char *value, cn_error *error) {
    if (!opts || !info || !name || !value) {
        return base_fail(error, CN_ERR_ARGUMENT, "cn_solve_opts_set needs opts, info, name, value");
    }
    for (int32_t i = 0; i < info->param_count; i++) {
        const cn_param *param = &info->params[i];
        if (strcmp(param->name, name) == 0) {
            double number = 0.0;
            CN_TRY(param_parse(info, param, value, &number, error));
            CN_TRY(param_check(info, param, number, error));

            param_store(opts, param, number);
            return CN_OK;
        }
    }
    return param_unknown(info, name, error);
}

cn_status solve_opts_validate(const cn_solve_opts *opts, const cn_solver_info *info,
                              cn_error *error) {
    if (!(opts->tolerance > 0.0 && isfinite(opts->tolerance))) {
        return base_fail(error, CN_ERR_ARGUMENT, "the tolerance %g is not a positive number",
                         opts->tolerance);
    }
    if ((unsigned)opts->measure > CN_MEASURE_MAX) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no measure number %d",
                         (int)opts->measure);
    }
    if (opts->max_iterations < 0) {
        return base_fail(error, CN_ERR_ARGUMENT, "the iteration limit %d is negative",
                         (int)opts->max_iterations);
    }
    if (!(opts->time_limit >= 0.0)) {
        return base_fail(error, CN_ERR_ARGUMENT, "the time limit %g s is not a number >= 0",
                         opts->time_limit);
    }
    if (!(opts->deadline >= 0.0)) {
        return base_fail(error, CN_ERR_ARGUMENT, "the deadline %g s is not a number >= 0",
                         opts->deadline);
    }
    for (int32_t i = 0; i < info->param_count; i++) {
        CN_TRY(
            param_check(info, &info->params[i], cn_solve_opts_get(opts, &info->params[i]), error));
    }
    return CN_OK;
}
