// base/signal.c
// Functions of time: constants, expressions (base/formula.h), tables searched by bisection.
#include "base/signal.h"

#include "base/error.h"
#include "base/formula.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct cn_signal {
    cn_env env;
    size_t bytes;     // of this block, table or text included
    double constant;  // of an expression: its value at the start
    const char *text; // of an expression that varies; NULL: none
    int32_t index;    // of the expression in its scope
    int32_t count;    // of the table
    double *times, *values;
};

struct cn_evaluator {
    cn_env env;
    size_t bytes; // of this block, formulas included
    cn_variable variable[CN_SIGNAL_NAMES];
    int32_t variables;
    double t; // the first variable
    int32_t expressions;
    cn_formula *formula[]; // of each expression; NULL: not added
};

// Whether the text parses, its value at the start, and whether it varies.
static cn_status cn_signal_parse(cn_signal *signal, const char *text, cn_signal_scope *scope,
                                 cn_error *error) {
    double t = 0.0;
    cn_variable variables[CN_SIGNAL_NAMES] = {{"t", &t}};
    int32_t count = 1;
    for (int32_t i = 0; i < scope->count && count < CN_SIGNAL_NAMES; i++) {
        variables[count++] = scope->variable[i];
    }
    cn_formula *formula = cn_formula_create(
        &signal->env, text, variables, count,
        scope->count > 0 ? "t is the time; besides there are the outputs of controllers"
                         : "t is the time; functions are those of muParser, as sin, exp, min",
        error);
    if (!formula) {
        return error ? error->status : CN_ERR_INPUT;
    }
    bool varies = !cn_formula_is_constant(formula);
    signal->constant = cn_formula_value(formula);
    cn_formula_destroy(formula);
    if (!(fabs(signal->constant) <= DBL_MAX)) {
        return cn_fail(error, CN_ERR_INPUT, "expression \"%.200s\" is %g at t = 0", text,
                       signal->constant);
    }
    if (varies) {
        signal->text = memcpy(signal + 1, text, strlen(text) + 1);
        signal->index = scope->expressions++;
    }
    return CN_OK;
}

static cn_status cn_signal_check_table(const double *times, const double *values, int32_t count,
                                       cn_error *error) {
    for (int32_t i = 0; i < count; i++) {
        if (!(fabs(times[i]) <= DBL_MAX && fabs(values[i]) <= DBL_MAX)) {
            return cn_fail(error, CN_ERR_INPUT, "table: row %d is not two finite numbers", i);
        }
        if (i > 0 && !(times[i] > times[i - 1])) {
            return cn_fail(error, CN_ERR_INPUT,
                           "table: times must ascend, but row %d has %g after %g", i, times[i],
                           times[i - 1]);
        }
    }
    return CN_OK;
}

static cn_status cn_signal_fill(cn_signal *signal, double constant, const char *text,
                                const double *times, const double *values, cn_signal_scope *scope,
                                cn_error *error) {
    signal->constant = constant;
    if (signal->count > 0) {
        size_t size = (size_t)signal->count * sizeof *times;
        signal->times = (double *)(signal + 1);
        signal->values = signal->times + signal->count;
        memcpy(signal->times, times, size);
        memcpy(signal->values, values, size);
        return cn_signal_check_table(times, values, signal->count, error);
    }
    if (text) {
        return cn_signal_parse(signal, text, scope, error);
    }
    if (!(fabs(constant) <= DBL_MAX)) {
        return cn_fail(error, CN_ERR_INPUT, "%g is not a finite number", constant);
    }
    return CN_OK;
}

cn_signal *cn_signal_create(const cn_env *env, double constant, const char *text,
                            const double *times, const double *values, int32_t count,
                            cn_signal_scope *scope, cn_error *error) {
    size_t table;
    cn_signal_scope none = {.variable = NULL};
    if (count > 0 && text) {
        cn_fail(error, CN_ERR_INPUT, "an expression and a table are given; one is enough");
        return NULL;
    }
    if (!cn_size_multiply(count > 0 ? count : 0, 2 * sizeof(double), &table)) {
        cn_fail_memory(error);
        return NULL;
    }
    size_t bytes = sizeof(cn_signal) + table + (text ? strlen(text) + 1 : 0);
    cn_signal *signal = cn_env_resize(env, NULL, 0, bytes);
    if (!signal) {
        cn_fail_memory(error);
        return NULL;
    }
    *signal = (cn_signal){
        .env = env ? *env : cn_env_default(), .bytes = bytes, .count = count > 0 ? count : 0};
    if (cn_signal_fill(signal, constant, text, times, values, scope ? scope : &none, error) !=
        CN_OK) {
        cn_signal_destroy(signal);
        return NULL;
    }
    return signal;
}

void cn_signal_destroy(cn_signal *signal) {
    if (!signal) {
        return;
    }
    cn_env env = signal->env;
    cn_env_resize(&env, signal, signal->bytes, 0);
}

static double cn_signal_look_up(const cn_signal *signal, double t) {
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

double cn_signal_at(const cn_signal *signal, cn_evaluator *evaluator, double t) {
    if (signal->count > 0) {
        return cn_signal_look_up(signal, t);
    }
    if (signal->text) {
        evaluator->t = t;
        return cn_formula_value(evaluator->formula[signal->index]);
    }
    return signal->constant;
}

double cn_signal_start(const cn_signal *signal) {
    return signal->count > 0 ? cn_signal_look_up(signal, 0.0) : signal->constant;
}

bool cn_signal_is_constant(const cn_signal *signal) {
    return !signal->text && signal->count <= 1;
}

// ---- evaluators ----

cn_evaluator *cn_evaluator_create(const cn_env *env, int32_t expressions,
                                  const cn_variable *variables, int32_t count) {
    size_t table;
    if (!cn_size_multiply(expressions, sizeof(cn_formula *), &table)) {
        return NULL;
    }
    size_t bytes = sizeof(cn_evaluator) + table;
    cn_evaluator *evaluator = cn_env_resize(env, NULL, 0, bytes);
    if (!evaluator) {
        return NULL;
    }
    memset(evaluator, 0, bytes);
    evaluator->env = env ? *env : cn_env_default();
    evaluator->bytes = bytes;
    evaluator->expressions = expressions;
    evaluator->variable[evaluator->variables++] = (cn_variable){"t", &evaluator->t};
    for (int32_t i = 0; i < count && evaluator->variables < CN_SIGNAL_NAMES; i++) {
        evaluator->variable[evaluator->variables++] = variables[i];
    }
    return evaluator;
}

bool cn_evaluator_add(cn_evaluator *evaluator, const cn_signal *signal) {
    if (!signal->text) {
        return true;
    }
    cn_formula **formula = &evaluator->formula[signal->index];
    // The text was compiled with the same names when the signal was created.
    *formula = cn_formula_create(&evaluator->env, signal->text, evaluator->variable,
                                 evaluator->variables, NULL, NULL);
    return *formula != NULL;
}

void cn_evaluator_destroy(cn_evaluator *evaluator) {
    if (!evaluator) {
        return;
    }
    for (int32_t i = 0; i < evaluator->expressions; i++) {
        cn_formula_destroy(evaluator->formula[i]);
    }
    cn_env env = evaluator->env;
    cn_env_resize(&env, evaluator, evaluator->bytes, 0);
}
