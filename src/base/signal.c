// base/signal.c
// Functions of time. An expression is compiled once by muParser (libmuparser's C interface) and
// evaluated from its byte code; a table is searched by bisection.
#include "base/signal.h"

#include "base/elementary.h"
#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <muParserDLL.h>
#include <string.h>

struct cn_signal {
    cn_env env;
    size_t bytes; // of this block, table included
    double constant;
    double t;                // the variable of the expression
    muParserHandle_t parser; // NULL: none
    bool varies;
    int32_t count; // of the table
    double *times, *values;
};

static const struct {
    const char *name;
    muFun1_t function;
} cn_signal_functions[] = {
    {"sin", cn_sin},     {"cos", cn_cos},     {"tan", cn_tan},     {"asin", cn_asin},
    {"acos", cn_acos},   {"atan", cn_atan},   {"sinh", cn_sinh},   {"cosh", cn_cosh},
    {"tanh", cn_tanh},   {"asinh", cn_asinh}, {"acosh", cn_acosh}, {"atanh", cn_atanh},
    {"exp", cn_exp},     {"log", cn_ln},      {"ln", cn_ln},       {"log2", cn_log2},
    {"log10", cn_log10},
};

// muParser's codes that deserve their own words (muParserError.h); the others name what was met.
static const struct {
    int code;
    const char *text;
} cn_signal_faults[] = {
    {1, "unknown name"},        {2, "it ends too early"},  {11, "a parenthesis is not closed"},
    {14, "too many arguments"}, {15, "too few arguments"}, {25, "it is empty"},
};

static cn_status cn_signal_parse_failure(cn_signal *signal, const char *text, cn_error *error) {
    int code = mupGetErrorCode(signal->parser), position = mupGetErrorPos(signal->parser);
    const char *fault = "cannot be there", *token = mupGetErrorToken(signal->parser);
    for (size_t i = 0; i < sizeof cn_signal_faults / sizeof *cn_signal_faults; i++) {
        if (cn_signal_faults[i].code == code) {
            fault = cn_signal_faults[i].text;
        }
    }
    if (token && token[0]) {
        cn_fail(error, CN_ERR_INPUT, "expression \"%.200s\": \"%.100s\": %s", text, token, fault);
    } else {
        cn_fail(error, CN_ERR_INPUT, "expression \"%.200s\": %s", text, fault);
    }
    cn_fail_hint(error, "t is the time; functions are those of muParser, as sin, exp, min");
    if (error) {
        // Ends may be reported one too far.
        int32_t length = (int32_t)strlen(text);
        error->column = (position < 0 ? 0 : position > length ? length : position) + 1;
    }
    return CN_ERR_INPUT;
}

static cn_status cn_signal_parse(cn_signal *signal, const char *text, cn_error *error) {
    signal->parser = mupCreate(muBASETYPE_FLOAT);
    if (!signal->parser) {
        return cn_fail_memory(error);
    }
    for (size_t i = 0; i < sizeof cn_signal_functions / sizeof *cn_signal_functions; i++) {
        mupDefineFun1(signal->parser, cn_signal_functions[i].name, cn_signal_functions[i].function,
                      1);
    }
    mupDefineFun2(signal->parser, "atan2", cn_atan2, 1);
    mupDefineConst(signal->parser, "pi", 3.14159265358979323846);
    mupDefineVar(signal->parser, "t", &signal->t);
    mupSetExpr(signal->parser, text);
    double value = mupEval(signal->parser);
    if (mupError(signal->parser)) {
        return cn_signal_parse_failure(signal, text, error);
    }
    signal->varies = mupGetExprVarNum(signal->parser) > 0;
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
                                const double *times, const double *values, cn_error *error) {
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
        return cn_signal_parse(signal, text, error);
    }
    if (!(fabs(constant) <= DBL_MAX)) {
        return cn_fail(error, CN_ERR_INPUT, "%g is not a finite number", constant);
    }
    return CN_OK;
}

cn_signal *cn_signal_create(const cn_env *env, double constant, const char *text,
                            const double *times, const double *values, int32_t count,
                            cn_error *error) {
    size_t table;
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
    if (cn_signal_fill(signal, constant, text, times, values, error) != CN_OK) {
        cn_signal_destroy(signal);
        return NULL;
    }
    return signal;
}

void cn_signal_destroy(cn_signal *signal) {
    if (!signal) {
        return;
    }
    if (signal->parser) {
        mupRelease(signal->parser);
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

double cn_signal_at(cn_signal *signal, double t) {
    if (signal->count > 0) {
        return cn_signal_look_up(signal, t);
    }
    if (signal->parser) {
        signal->t = t;
        double value = mupEval(signal->parser);
        return mupError(signal->parser) ? (double)NAN : value;
    }
    return signal->constant;
}

bool cn_signal_is_constant(const cn_signal *signal) {
    return !signal->varies;
}
