// base/signal.c
// Functions of time: constants, expressions (base/formula.h), tables searched by bisection.
#include "base/signal.h"

#include "base/error.h"
#include "base/formula.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct base_signal {
    cn_env env;
    size_t bytes;     // of this block, table or text included
    double constant;  // of an expression: its value at the start
    const char *text; // of an expression that varies; NULL: none
    int32_t index;    // of the expression in its scope
    int32_t count;    // of the table
    double *times, *values;
};

struct base_evaluator {
    cn_env env;
    size_t bytes; // of this block, formulas included
    base_variable variable[BASE_SIGNAL_NAMES];
    int32_t variables;
    double t; // the first variable
    int32_t expressions;
    base_formula *formula[]; // of each expression; NULL: not added
};

// Whether the text parses, its value at the start, and whether it varies.
static cn_status signal_parse(base_signal *signal, const char *text, base_signal_scope *scope,
                              cn_error *error) {
    double t = 0.0;
    base_variable variables[BASE_SIGNAL_NAMES] = {{"t", &t}};
    int32_t count = 1;
    for (int32_t i = 0; i < scope->count && count < BASE_SIGNAL_NAMES; i++) {
        variables[count++] = scope->variable[i];
    }
    base_formula *formula = base_formula_create(
        &signal->env, text, variables, count,
        scope->count > 0 ? "t is the time; besides there are the outputs of controllers"
                         : "t is the time; functions are those of muParser, as sin, exp, min",
        error);
    if (!formula) {
        return error ? error->status : CN_ERR_INPUT;
    }
    bool varies = !base_formula_is_constant(formula);
    signal->constant = base_formula_value(formula);
    base_formula_destroy(formula);
    if (!(fabs(signal->constant) <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "expression \"%.200s\" is %g at t = 0", text,
                         signal->constant);
    }
    if (varies) {
        signal->text = memcpy(signal + 1, text, strlen(text) + 1);
        signal->index = scope->expressions++;
    }
    return CN_OK;
}

static cn_status signal_check_table(const double *times, const double *values, int32_t count,
                                    cn_error *error) {
    for (int32_t i = 0; i < count; i++) {
        if (!(fabs(times[i]) <= DBL_MAX && fabs(values[i]) <= DBL_MAX)) {
            return base_fail(error, CN_ERR_INPUT, "table: row %d is not two finite numbers", i);
        }
        if (i > 0 && !(times[i] > times[i - 1])) {
            return base_fail(error, CN_ERR_INPUT,
                             "table: times must ascend, but row %d has %g after %g", i, times[i],
                             times[i - 1]);
        }
    }
    return CN_OK;
}

static cn_status signal_fill(base_signal *signal, double constant, const char *text,
                             const double *times, const double *values, base_signal_scope *scope,
                             cn_error *error) {
    signal->constant = constant;
    if (signal->count > 0) {
        size_t size = (size_t)signal->count * sizeof *times;
        signal->times = (double *)(signal + 1);
        signal->values = signal->times + signal->count;
        memcpy(signal->times, times, size);
        memcpy(signal->values, values, size);
        return signal_check_table(times, values, signal->count, error);
    }
    if (text) {
        return signal_parse(signal, text, scope, error);
    }
    if (!(fabs(constant) <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "%g is not a finite number", constant);
    }
    return CN_OK;
}

base_signal *base_signal_create(const cn_env *env, double constant, const char *text,
                                const double *times, const double *values, int32_t count,
                                base_signal_scope *scope, cn_error *error) {
    size_t table;
    base_signal_scope none = {.variable = NULL};
    if (count > 0 && text) {
        base_fail(error, CN_ERR_INPUT, "an expression and a table are given; one is enough");
        return NULL;
    }
    if (!base_size_multiply(count > 0 ? count : 0, 2 * sizeof(double), &table)) {
        base_fail_memory(error);
        return NULL;
    }
    size_t bytes = sizeof(base_signal) + table + (text ? strlen(text) + 1 : 0);
    base_signal *signal = base_env_resize(env, NULL, 0, bytes);
    if (!signal) {
        base_fail_memory(error);
        return NULL;
    }
    *signal = (base_signal){
        .env = env ? *env : cn_env_default(), .bytes = bytes, .count = count > 0 ? count : 0};
    if (signal_fill(signal, constant, text, times, values, scope ? scope : &none, error) != CN_OK) {
        base_signal_destroy(signal);
        return NULL;
    }
    return signal;
}

void base_signal_destroy(base_signal *signal) {
    if (!signal) {
        return;
    }
    cn_env env = signal->env;
    base_env_resize(&env, signal, signal->bytes, 0);
}

static double signal_look_up(const base_signal *signal, double t) {
    int32_t low = 0, high = signal->count - 1;
    if (!(t > signal->times[low])) {
        return isnan(t) ? t : signal->values[low];
    }
    if (t >= signal->times[high]) {
        return signal->values[high];
    }
    // times[low] <= t < times[high]
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (t >= signal->times[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double share = (t - signal->times[low]) / (signal->times[high] - signal->times[low]);
    return signal->values[low] + share * (signal->values[high] - signal->values[low]);
}

double base_signal_at(const base_signal *signal, base_evaluator *evaluator, double t) {
    if (signal->count > 0) {
        return signal_look_up(signal, t);
    }
    if (signal->text) {
        evaluator->t = t;
        return base_formula_value(evaluator->formula[signal->index]);
    }
    return signal->constant;
}

double base_signal_start(const base_signal *signal) {
    return signal->count > 0 ? signal_look_up(signal, 0.0) : signal->constant;
}

bool base_signal_is_constant(const base_signal *signal) {
    return !signal->text && signal->count <= 1;
}

// ---- evaluators ----

base_evaluator *base_evaluator_create(const cn_env *env, int32_t expressions,
                                      const base_variable *variables, int32_t count) {
    size_t table;
    if (!base_size_multiply(expressions, sizeof(base_formula *), &table)) {
        return NULL;
    }
    size_t bytes = sizeof(base_evaluator) + table;
    base_evaluator *evaluator = base_env_resize(env, NULL, 0, bytes);
    if (!evaluator) {
        return NULL;
    }
    memset(evaluator, 0, bytes);
    evaluator->env = env ? *env : cn_env_default();
    evaluator->bytes = bytes;
    evaluator->expressions = expressions;
    evaluator->variable[evaluator->variables++] = (base_variable){"t", &evaluator->t};
    for (int32_t i = 0; i < count && evaluator->variables < BASE_SIGNAL_NAMES; i++) {
        evaluator->variable[evaluator->variables++] = variables[i];
    }
    return evaluator;
}

bool base_evaluator_add(base_evaluator *evaluator, const base_signal *signal) {
    if (!signal->text) {
        return true;
    }
    base_formula **formula = &evaluator->formula[signal->index];
    // The text was compiled with the same names when the signal was created.
    *formula = base_formula_create(&evaluator->env, signal->text, evaluator->variable,
                                   evaluator->variables, NULL, NULL);
    return *formula != NULL;
}

void base_evaluator_destroy(base_evaluator *evaluator) {
    if (!evaluator) {
        return;
    }
    for (int32_t i = 0; i < evaluator->expressions; i++) {
        base_formula_destroy(evaluator->formula[i]);
    }
    cn_env env = evaluator->env;
    base_env_resize(&env, evaluator, evaluator->bytes, 0);
}
