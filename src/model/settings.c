// model/settings.c
// The settings of a run: their words, defaults and limits (model/settings_table.h), and what
// cn_model_finish makes of them.
#include "base/error.h"
#include "model/build.h"
#include "model/settings_table.h"

#include <cairn/system.h>
#include <float.h>
#include <string.h>

#define TOLERANCE_CONTACTS 1e-3 // default of the residual of a step
#define TOLERANCE_TIGHT 1e-8    // the same of systems and mechanisms

// Steps of a run: their numbers are exact in a double up to here.
#define STEPS_MAX 0x1p53

const char *cn_stall_policy_text(cn_stall_policy policy) {
    static const char *const text[CN_STALL_KINDS] = {"retry", "halve", "continue", "stop"};
    return (unsigned)policy < CN_STALL_KINDS ? text[policy] : "unknown policy";
}

const char *cn_drift_text(cn_drift drift) {
    static const char *const text[CN_DRIFT_KINDS] = {"iterate",    "linearised", "ggl",
                                                     "projection", "baumgarte",  "none"};
    return (unsigned)drift < CN_DRIFT_KINDS ? text[drift] : "unknown remedy";
}

const char *cn_friction_law_text(cn_friction_law law) {
    static const char *const text[CN_FRICTION_LAWS] = {"coulomb", "convex"};
    return (unsigned)law < CN_FRICTION_LAWS ? text[law] : "unknown friction";
}

cn_settings cn_settings_default(int32_t dim) {
    const cn_system_opts system = cn_system_opts_default();
#define SETTING_DEFAULT(kind, group, key, member, initial, limit, min, max, unit, help)            \
    .member = (initial),
    return (cn_settings){MODEL_SETTINGS_ALL(SETTING_DEFAULT) // clang-format wants a line of its own
                             .gravity = {0.0, dim == 2 ? -9.81 : 0.0, dim == 2 ? 0.0 : -9.81}};
#undef SETTING_DEFAULT
}

// ---- limits ----

// A number with its limits.
typedef struct model_limit {
    const char *name;
    double value, initial, min, max;
    bool above; // least itself is not allowed
} model_limit;

#define IS_ABOVE_ANY false
#define IS_ABOVE_RANGE false
#define IS_ABOVE_NOT_BELOW_ZERO false
#define IS_ABOVE_ABOVE_ZERO true
// Only numbers have limits.
#define LIMIT_OF_REAL(...) {__VA_ARGS__},
#define LIMIT_OF_INT(...) {__VA_ARGS__},
#define LIMIT_OF_BOOL(...)
#define LIMIT_OF_TEXT(...)
#define LIMIT_OF_NAME(...)
#define LIMIT_OF_CHOICE(...)
#define SETTING_LIMIT(kind, group, key, member, initial, limit, min, max, unit, help)              \
    LIMIT_OF_##kind(group "." key, s->member, defaults.member, min, max, IS_ABOVE_##limit)

static cn_status limits_check(const cn_settings *s, int32_t dim, cn_error *error) {
    const cn_settings defaults = cn_settings_default(dim);
    const model_limit limits[] = {MODEL_SETTINGS_ALL(SETTING_LIMIT)};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const model_limit *limit = &limits[i];
        double x = limit->value;
        bool inside = x >= limit->min && x <= limit->max && !(limit->above && x == limit->min);
        if (inside || (isnan(x) && isnan(limit->initial))) {
            continue;
        }
        base_fail(error, CN_ERR_INPUT, "%s cannot be %g", limit->name, x);
        if (limit->max < DBL_MAX) {
            base_fail_hint(error, "it must be between %g and %g", limit->min, limit->max);
        } else {
            base_fail_hint(error, "it must be %s %g", limit->above ? "more than" : "at least",
                           limit->min);
        }
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

cn_status model_settings_check(const cn_settings *s, int32_t dim, cn_error *error) {
    CN_TRY(limits_check(s, dim, error));
    if (!(s->step_min <= s->step)) {
        return base_fail(error, CN_ERR_INPUT,
                         "integrator.step_least of %g s is above the step %g s", s->step_min,
                         s->step);
    }
    if (!(s->until / s->step <= STEPS_MAX)) {
        base_fail(error, CN_ERR_INPUT, "time asks for %g steps of %g s until %g s",
                  s->until / s->step, s->step, s->until);
        base_fail_hint(error, "a longer step or an earlier end");
        return CN_ERR_INPUT;
    }
    if (s->step > s->until) {
        base_fail(error, CN_ERR_INPUT, "time.step of %g s is longer than the run, until %g s",
                  s->step, s->until);
        base_fail_hint(error, "a shorter step or a later time.until");
        return CN_ERR_INPUT;
    }
    if (s->sleep_speed > 0.0 && s->error > 0.0) {
        base_fail(error, CN_ERR_INPUT, "sleeping needs steps that are not cut to an error");
        base_fail_hint(error, "leave out sleeping.speed or integrator.error");
        return CN_ERR_INPUT;
    }
    if (!model_is_finite(s->gravity, dim)) {
        return base_fail(error, CN_ERR_INPUT, "gravity is not a finite number");
    }
    if (!s->scheme || !s->solver || !s->fallback || (unsigned)s->on_stall >= CN_STALL_KINDS ||
        (unsigned)s->joint_drift >= CN_DRIFT_KINDS || (unsigned)s->friction >= CN_FRICTION_LAWS) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "scheme, solver, fallback, on_stall, joint_drift or friction is not set");
    }
    return CN_OK;
}

// ---- what a model stores ----

// Contacts of many bodies need not be solved better than what a user sees of them. Tight for the
// integrators of systems, whose Newton's method ends by the same number, and for mechanisms without
// contacts, whose equations are linear. docs/guide/accuracy.md
static double tolerance_default(const cn_model *model) {
    const char *scheme = model->settings.scheme;
    bool as_system = strcmp(scheme, "moreau-jean") != 0 && cn_system_scheme_find(scheme);
    bool mechanism = model->joint_count > 0 && model->contact_count == 0;
    return model->system || as_system || mechanism ? TOLERANCE_TIGHT : TOLERANCE_CONTACTS;
}

cn_status model_settings_keep(cn_model *model, cn_error *error) {
    cn_settings *s = &model->settings;
    const char **text[] = {&s->scheme, &s->solver, &s->fallback, &s->local, &s->params, &s->plugin};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        if (*text[i]) {
            CN_TRY(model_copy_text(model, *text[i], text[i], error));
        }
    }
    CN_TRY(model_copy_source(model, &s->solver_source, &s->solver_source, error));
    if (model->dim == 2) {
        s->gravity[2] = 0.0;
    }
    s->tolerance = isnan(s->tolerance) ? tolerance_default(model) : s->tolerance;
    return CN_OK;
}
