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
    size_t bytes; // of this block, table included
    double constant;
    double t;            // the variable of the expression
    cn_formula *formula; // NULL: none
    bool varies;
    int32_t count; // of the table
    double *times, *values;
};

#define CN_SIGNAL_NAMES 64 // at most, t included

static cn_status cn_signal_parse(cn_signal *signal, const char *text, const cn_signal_names *names,
                                 cn_error *error) {
    cn_variable variables[CN_SIGNAL_NAMES] = {{"t", &signal->t}};
    int32_t count = 1;
    for (int32_t i = 0; i < names->count && count < CN_SIGNAL_NAMES; i++) {
        variables[count++] = names->variable[i];
    }
    signal->formula = cn_formula_create(
        &signal->env, text, variables, count,
        names->count > 0 ? "t is the time; besides there are the outputs of controllers"
                         : "t is the time; functions are those of muParser, as sin, exp, min",
        error);
    if (!signal->formula) {
        return error ? error->status : CN_ERR_INPUT;
    }
    signal->varies = !cn_formula_is_constant(signal->formula);
    double value = cn_formula_value(signal->formula);
    if (!(fabs(value) <= DBL_MAX)) {
        return cn_fail(error, CN_ERR_INPUT, "expression \"%.200s\" is %g at t = 0", text, value);
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
                                const double *times, const double *values,
                                const cn_signal_names *names, cn_error *error) {
    signal->constant = constant;
    if (signal->count > 0) {
        size_t size = (size_t)signal->count * sizeof *times;
        signal->times = (double *)(signal + 1);
        signal->values = signal->times + signal->count;
        signal->varies = signal->count > 1;
        memcpy(signal->times, times, size);
        memcpy(signal->values, values, size);
        return cn_signal_check_table(times, values, signal->count, error);
    }
    if (text) {
        return cn_signal_parse(signal, text, names, error);
    }
    if (!(fabs(constant) <= DBL_MAX)) {
        return cn_fail(error, CN_ERR_INPUT, "%g is not a finite number", constant);
    }
    return CN_OK;
}

cn_signal *cn_signal_create(const cn_env *env, double constant, const char *text,
                            const double *times, const double *values, int32_t count,
                            const cn_signal_names *names, cn_error *error) {
    size_t table;
    const cn_signal_names none = {NULL, 0};
    if (count > 0 && text) {
        cn_fail(error, CN_ERR_INPUT, "an expression and a table are given; one is enough");
        return NULL;
    }
    if (!cn_size_multiply(count > 0 ? count : 0, 2 * sizeof(double), &table)) {
        cn_fail_memory(error);
        return NULL;
    }
    size_t bytes = sizeof(cn_signal) + table;
    cn_signal *signal = cn_env_resize(env, NULL, 0, bytes);
    if (!signal) {
        cn_fail_memory(error);
        return NULL;
    }
    *signal = (cn_signal){
        .env = env ? *env : cn_env_default(), .bytes = bytes, .count = count > 0 ? count : 0};
    if (cn_signal_fill(signal, constant, text, times, values, names ? names : &none, error) !=
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
    cn_formula_destroy(signal->formula);
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

double cn_signal_at(cn_signal *signal, double t) {
    if (signal->count > 0) {
        return cn_signal_look_up(signal, t);
    }
    if (signal->formula) {
        signal->t = t;
        return cn_formula_value(signal->formula);
    }
    return signal->constant;
}

bool cn_signal_is_constant(const cn_signal *signal) {
    return !signal->varies;
}
