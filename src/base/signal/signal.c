// base/signal/signal.c
// Functions of time: constants, expressions (formula.h), tables (signal_table.h).
//
// The integral of an expression is a sum over whole intervals from 0, always in the same order, and
// a rest; the last sums are cached, so that a run that goes forward adds one interval at a time.
#include "base/signal/signal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/signal/formula.h"
#include "base/signal/signal_table.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUMS_CACHED 8 // steps of a run look back by less

struct base_signal {
    cn_env env;
    size_t bytes; // of this block, table or text included
    base_signal_use use;
    double constant;         // of an expression: its value at the start
    const char *text;        // of an expression that varies; NULL: none
    int32_t index;           // of the expression in its scope
    base_signal_table table; // count 0: none
};

// An expression, and sums of its integral: up to interval k in place k modulo their number.
typedef struct evaluated {
    sys_formula *formula; // NULL: not added
    double sum[SUMS_CACHED];
    int64_t newest; // the last interval that is cached, those before it too
} evaluated;

struct base_evaluator {
    cn_env env;
    size_t bytes; // of this block, formulas included
    base_variable variable[BASE_SIGNAL_NAMES];
    int32_t variables;
    double t; // the first variable
    double interval;
    base_inputs *inputs; // NULL: there are none
    double *values;      // of the inputs
    int32_t expressions;
    evaluated expression[];
};

// ---- inputs ----

#define SIGNAL_INPUTS 32 // that an expression may name

// Inputs as names of variables, which are copied where they are defined.
typedef struct input_words {
    char text[SIGNAL_INPUTS][BASE_INPUT_NAME + 8];
    int32_t index[SIGNAL_INPUTS]; // among the inputs
    int32_t count;
} input_words;

// One more name of an expression, added to the inputs where they take it.
static cn_status words_add(input_words *words, base_inputs *inputs, const char *name, size_t length,
                           cn_error *error) {
    char word[BASE_INPUT_NAME];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    int32_t index = base_inputs_find(inputs, word);
    if (index < 0 && inputs->listed) {
        const char *nearest = cn_nearest_name(word, inputs->name, inputs->count);
        base_fail(error, CN_ERR_INPUT, "there is no input \"%s\"", word);
        if (nearest) {
            base_fail_hint(error, "did you mean \"%s\"?", nearest);
        } else {
            base_fail_hint(error, "list it among the inputs");
        }
        return CN_ERR_INPUT;
    }
    index = index < 0 ? base_inputs_add(inputs, word, 0.0) : index;
    if (index < 0) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < words->count; i++) {
        if (words->index[i] == index) {
            return CN_OK;
        }
    }
    if (words->count == SIGNAL_INPUTS) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "an expression names more than %d inputs",
                         SIGNAL_INPUTS);
    }
    words->index[words->count] = index;
    snprintf(words->text[words->count++], sizeof words->text[0], "input(%s)", word);
    return CN_OK;
}

static cn_status words_find(input_words *words, const char *text, base_inputs *inputs,
                            cn_error *error) {
    words->count = 0;
    for (const char *at = inputs ? text : ""; *at; at++) {
        const char *name;
        size_t length;
        bool inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (!inside && base_formula_input(at, &name, &length) > 0) {
            CN_TRY(words_add(words, inputs, name, length, error));
        }
    }
    return CN_OK;
}

// Behind count variables, with the places of their values; how many there are now.
static int32_t words_define(const input_words *words, double *values, base_variable *variables,
                            int32_t count) {
    for (int32_t i = 0; i < words->count && count < BASE_SIGNAL_NAMES; i++) {
        variables[count++] = (base_variable){words->text[i], &values[words->index[i]]};
    }
    return count;
}

// ---- signals ----

// Whether the text parses, its value at the start, and whether it varies.
static cn_status signal_parse(base_signal *signal, const char *text, base_signal_scope *scope,
                              cn_error *error) {
    double t = 0.0;
    base_variable variables[BASE_SIGNAL_NAMES] = {{"t", &t}};
    int32_t count = 1;
    for (int32_t i = 0; i < scope->count && count < BASE_SIGNAL_NAMES; i++) {
        variables[count++] = scope->variable[i];
    }
    input_words words;
    CN_TRY(words_find(&words, text, scope->inputs, error));
    count = words_define(&words, scope->inputs ? scope->inputs->start : NULL, variables, count);
    const char *hint =
        !scope->inputs     ? "t is the time; functions are those of muParser, as sin, exp, min"
        : scope->count > 0 ? "t is the time; besides there are input(name) and the outputs of "
                             "controllers"
                           : "t is the time, input(name) an input; functions are those of "
                             "muParser, as sin, exp, min";
    sys_formula *formula = base_formula_create(&signal->env, text, variables, count, hint, error);
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

// The arrays of a table, which lie behind the signal.
static cn_status signal_fill_table(base_signal *signal, const cn_signal_def *def, cn_error *error) {
    base_signal_table *table = &signal->table;
    size_t size = (size_t)def->count * sizeof *def->times;
    double *room = (double *)(signal + 1);
    bool cubic = def->interpolation == CN_INTERPOLATION_CUBIC ||
                 (def->interpolation == CN_INTERPOLATION_AUTO && signal->use == BASE_SIGNAL_RATE);
    CN_TRY(base_signal_table_check(def->times, def->values, def->count, error));
    *table = (base_signal_table){
        .count = def->count,
        .times = room,
        .values = room + def->count,
        .bend = cubic ? room + 2 * (int64_t)def->count : NULL,
        .sum = signal->use == BASE_SIGNAL_INTEGRAL ? room + 3 * (int64_t)def->count : NULL};
    memcpy(table->times, def->times, size);
    memcpy(table->values, def->values, size);
    base_signal_table_prepare(table, def->baseline, room + 4 * (int64_t)def->count);
    return CN_OK;
}

static cn_status signal_fill(base_signal *signal, const cn_signal_def *def,
                             base_signal_scope *scope, cn_error *error) {
    signal->constant = def->constant;
    if (def->baseline != CN_BASELINE_NONE &&
        (def->count < 1 || signal->use != BASE_SIGNAL_INTEGRAL)) {
        return base_fail(error, CN_ERR_INPUT, "only the table of an acceleration has a baseline");
    }
    if (def->count > 0) {
        return signal_fill_table(signal, def, error);
    }
    if (def->expression) {
        base_signal_scope alone = {.expressions = scope->expressions};
        bool value = signal->use == BASE_SIGNAL_VALUE;
        cn_status status = signal_parse(signal, def->expression, value ? scope : &alone, error);
        scope->expressions = value ? scope->expressions : alone.expressions;
        return status;
    }
    if (!(fabs(def->constant) <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "%g is not a finite number", def->constant);
    }
    return CN_OK;
}

base_signal *base_signal_create(const cn_env *env, const cn_signal_def *def, base_signal_use use,
                                base_signal_scope *scope, cn_error *error) {
    size_t table;
    base_signal_scope none = {.variable = NULL};
    const char *text = def->expression;
    if (def->count > 0 && text) {
        base_fail(error, CN_ERR_INPUT, "an expression and a table are given; one is enough");
        return NULL;
    }
    // Times, values, second derivatives, sums, and room to work.
    if (!base_size_multiply(def->count > 0 ? def->count : 0, 5 * sizeof(double), &table)) {
        base_fail_memory(error);
        return NULL;
    }
    size_t bytes = sizeof(base_signal) + table + (text ? strlen(text) + 1 : 0);
    base_signal *signal = base_env_resize(env, NULL, 0, bytes);
    if (!signal) {
        base_fail_memory(error);
        return NULL;
    }
    *signal = (base_signal){.env = env ? *env : cn_env_default(), .bytes = bytes, .use = use};
    if (signal_fill(signal, def, scope ? scope : &none, error) != CN_OK) {
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

// ---- expressions ----

static double formula_at(base_evaluator *evaluator, evaluated *of, double t) {
    evaluator->t = t;
    return base_formula_value(of->formula);
}

// Five-point difference, looking forward only where it would look before t = 0.
static double formula_rate(base_evaluator *evaluator, evaluated *of, double t) {
    static const double centred[5] = {1.0, -8.0, 0.0, 8.0, -1.0},
                        forward[5] = {-25.0, 48.0, -36.0, 16.0, -3.0};
    double by = evaluator->interval / 8.0, sum = 0.0;
    bool start = t < 2.0 * by;
    for (int i = 0; i < 5; i++) {
        double weight = start ? forward[i] : centred[i];
        if (weight != 0.0) {
            sum += weight * formula_at(evaluator, of, t + (start ? i : i - 2) * by);
        }
    }
    return sum / (12.0 * by);
}

static double formula_integral(base_evaluator *evaluator, evaluated *of, double from, double to) {
    static const double place[5] = {0.046910077030668004, 0.230765344947158454, 0.5,
                                    0.769234655052841546, 0.953089922969331996};
    static const double weight[5] = {0.118463442528094544, 0.239314335249683234,
                                     0.284444444444444444, 0.239314335249683234,
                                     0.118463442528094544};
    double sum = 0.0;
    for (int i = 0; i < 5; i++) {
        sum += weight[i] * formula_at(evaluator, of, from + place[i] * (to - from));
    }
    return sum * (to - from);
}

static double formula_sum(base_evaluator *evaluator, evaluated *of, double t) {
    double d = evaluator->interval, whole = floor(t / d);
    if (!(whole >= 0.0 && whole < 9e15)) {
        return isnan(t) ? t : 0.0;
    }
    int64_t k = (int64_t)whole;
    if (k <= of->newest - SUMS_CACHED) {
        of->newest = 0;
        of->sum[0] = 0.0;
    }
    for (int64_t i = of->newest; i < k; i++) {
        of->sum[(i + 1) % SUMS_CACHED] =
            of->sum[i % SUMS_CACHED] +
            formula_integral(evaluator, of, (double)i * d, (double)(i + 1) * d);
        of->newest = i + 1;
    }
    double sum = of->sum[k % SUMS_CACHED], start = (double)k * d;
    return t > start ? sum + formula_integral(evaluator, of, start, t) : sum;
}

double base_signal_at(const base_signal *signal, base_evaluator *evaluator, double t) {
    bool table = signal->table.count > 0;
    evaluated *of = signal->text ? &evaluator->expression[signal->index] : NULL;
    if (!table && !of) {
        return signal->use == BASE_SIGNAL_VALUE  ? signal->constant
               : signal->use == BASE_SIGNAL_RATE ? 0.0
                                                 : signal->constant * fmax(t, 0.0);
    }
    switch (signal->use) {
    case BASE_SIGNAL_RATE:
        return table ? base_signal_table_rate(&signal->table, t) : formula_rate(evaluator, of, t);
    case BASE_SIGNAL_INTEGRAL:
        return table ? base_signal_table_sum(&signal->table, t) : formula_sum(evaluator, of, t);
    default:
        return table ? base_signal_table_value(&signal->table, t) : formula_at(evaluator, of, t);
    }
}

bool base_signal_is_constant(const base_signal *signal) {
    bool still = signal->use != BASE_SIGNAL_INTEGRAL || signal->constant == 0.0;
    return !signal->text && signal->table.count <= 1 && still;
}

bool base_signal_final(const base_signal *signal, double *value, double *largest) {
    const base_signal_table *table = &signal->table;
    if (signal->use != BASE_SIGNAL_INTEGRAL || table->count < 2) {
        return false;
    }
    *value = base_signal_table_sum(table, table->times[table->count - 1]);
    *largest = 0.0;
    for (int32_t i = 0; i < table->count; i++) {
        *largest = fmax(*largest, fabs(base_signal_table_sum(table, table->times[i])));
    }
    return true;
}

// ---- evaluators ----

base_evaluator *base_evaluator_create(const cn_env *env, int32_t expressions, double interval,
                                      const base_variable *variables, int32_t count,
                                      base_inputs *inputs, double *values) {
    size_t table;
    if (!base_size_multiply(expressions, sizeof(evaluated), &table)) {
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
    evaluator->interval = interval;
    evaluator->expressions = expressions;
    evaluator->inputs = inputs;
    evaluator->values = values;
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
    sys_formula **formula = &evaluator->expression[signal->index].formula;
    base_variable variables[BASE_SIGNAL_NAMES];
    int32_t count = evaluator->variables;
    memcpy(variables, evaluator->variable, sizeof *variables * (size_t)count);
    // The text was compiled with the same names when the signal was created, so all are there.
    input_words words;
    if (words_find(&words, signal->text, evaluator->inputs, NULL) != CN_OK) {
        return false;
    }
    count = words_define(&words, evaluator->values, variables, count);
    *formula = base_formula_create(&evaluator->env, signal->text, variables, count, NULL, NULL);
    return *formula != NULL;
}

void base_evaluator_destroy(base_evaluator *evaluator) {
    if (!evaluator) {
        return;
    }
    for (int32_t i = 0; i < evaluator->expressions; i++) {
        base_formula_destroy(evaluator->expression[i].formula);
    }
    cn_env env = evaluator->env;
    base_env_resize(&env, evaluator, evaluator->bytes, 0);
}
