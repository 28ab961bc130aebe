// base/signal/formula.c
// Expressions, compiled once by muParser (libmuparser's C interface) and evaluated from its byte
// code.
#include "base/signal/formula.h"

#include "base/elementary/elementary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/signal/inputs.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <string.h>

struct sys_formula {
    cn_env env;
    muParserHandle_t parser;
    bool varies;
};

static const struct {
    const char *name;
    muFun1_t function;
} formula_functions[] = {
    {"sin", base_sin},     {"cos", base_cos},     {"tan", base_tan},     {"asin", base_asin},
    {"acos", base_acos},   {"atan", base_atan},   {"sinh", base_sinh},   {"cosh", base_cosh},
    {"tanh", base_tanh},   {"asinh", base_asinh}, {"acosh", base_acosh}, {"atanh", base_atanh},
    {"exp", base_exp},     {"log", base_ln},      {"ln", base_ln},       {"log2", base_log2},
    {"log10", base_log10}, {"floor", floor},
};

// muParser's codes that deserve their own words (muParserError.h); the others name what was met.
static const struct {
    int code;
    const char *text;
} formula_faults[] = {
    {1, "unknown name"},        {2, "it ends too early"},  {11, "a parenthesis is not closed"},
    {14, "too many arguments"}, {15, "too few arguments"}, {25, "it is empty"},
};

static void formula_fail(const sys_formula *formula, const char *text, const char *hint,
                         cn_error *error) {
    int code = mupGetErrorCode(formula->parser), position = mupGetErrorPos(formula->parser);
    const char *fault = "cannot be there", *token = mupGetErrorToken(formula->parser);
    for (size_t i = 0; i < sizeof formula_faults / sizeof *formula_faults; i++) {
        if (formula_faults[i].code == code) {
            fault = formula_faults[i].text;
        }
    }
    if (token && token[0]) {
        base_fail(error, CN_ERR_INPUT, "expression \"%.200s\": \"%.100s\": %s", text, token, fault);
    } else {
        base_fail(error, CN_ERR_INPUT, "expression \"%.200s\": %s", text, fault);
    }
    if (hint) {
        base_fail_hint(error, "%s", hint);
    }
    if (error) {
        // Ends may be reported one too far.
        int32_t length = (int32_t)strlen(text);
        error->column = (position < 0 ? 0 : position > length ? length : position) + 1;
    }
}

size_t base_formula_input(const char *text, const char **name, size_t *length) {
    static const char word[] = "input";
    const char *at = text + strlen(word);
    if (strncmp(text, word, strlen(word)) != 0) {
        return 0;
    }
    at += strspn(at, " ");
    if (*at++ != '(') {
        return 0;
    }
    at += strspn(at, " ");
    *name = at;
    while (isalnum((unsigned char)*at) || *at == '_') {
        at++;
    }
    *length = (size_t)(at - *name);
    at += strspn(at, " ");
    return *at == ')' && base_input_is_name(*name, *length) ? (size_t)(at + 1 - text) : 0;
}

static bool has_input(const base_variable *variables, int32_t count, const char *name,
                      size_t length) {
    bool found = false;
    for (int32_t i = 0; i < count && !found; i++) {
        const char *own;
        size_t size;
        found = base_formula_input(variables[i].name, &own, &size) > 0 && size == length &&
                strncmp(own, name, length) == 0;
    }
    return found;
}

// Names for muParser, as long as what they stand for, so that its positions are those of the text:
// input(name) becomes input_name_ and blanks, where it is a variable.
static char *hide_inputs(const cn_env *env, const char *text, const base_variable *variables,
                         int32_t count) {
    size_t size = strlen(text) + 1;
    char *hidden = base_env_resize(env, NULL, 0, size);
    bool inside = false; // of a word
    for (size_t i = 0; hidden && i < size; i++) {
        const char *name;
        size_t length, whole = inside ? 0 : base_formula_input(text + i, &name, &length);
        inside = isalnum((unsigned char)text[i]) || text[i] == '_';
        hidden[i] = text[i];
        if (whole > 0 && has_input(variables, count, name, length)) {
            memset(hidden + i, ' ', whole);
            memcpy(hidden + i, "input_", strlen("input_"));
            memcpy(hidden + i + strlen("input_"), name, length);
            hidden[i + strlen("input_") + length] = '_';
            i += whole - 1;
            inside = false;
        }
    }
    return hidden;
}

static void define_variable(muParserHandle_t parser, const base_variable *variable) {
    char hidden[BASE_INPUT_NAME + 8];
    const char *name;
    size_t length;
    if (base_formula_input(variable->name, &name, &length) == 0) {
        mupDefineVar(parser, variable->name, variable->value);
        return;
    }
    snprintf(hidden, sizeof hidden, "input_%.*s_", (int)length, name);
    mupDefineVar(parser, hidden, variable->value);
}

sys_formula *base_formula_create(const cn_env *env, const char *text,
                                 const base_variable *variables, int32_t count, const char *hint,
                                 cn_error *error) {
    sys_formula *formula = base_env_resize(env, NULL, 0, sizeof *formula);
    muParserHandle_t parser = formula ? mupCreate(muBASETYPE_FLOAT) : NULL;
    if (!parser) {
        base_env_resize(env, formula, sizeof *formula, 0);
        base_fail_memory(error);
        return NULL;
    }
    *formula = (sys_formula){.env = env ? *env : cn_env_default(), .parser = parser};
    for (size_t i = 0; i < sizeof formula_functions / sizeof *formula_functions; i++) {
        mupDefineFun1(parser, formula_functions[i].name, formula_functions[i].function, 1);
    }
    mupDefineFun2(parser, "atan2", base_atan2, 1);
    mupDefineConst(parser, "pi", 3.14159265358979323846);
    for (int32_t i = 0; i < count && !mupError(parser); i++) {
        define_variable(parser, &variables[i]);
    }
    char *hidden = hide_inputs(env, text, variables, count);
    if (!hidden) {
        base_fail_memory(error);
        base_formula_destroy(formula);
        return NULL;
    }
    if (!mupError(parser)) {
        mupSetExpr(parser, hidden);
        mupEval(parser);
    }
    base_env_resize(env, hidden, strlen(text) + 1, 0);
    if (mupError(parser)) {
        formula_fail(formula, text, hint, error);
        base_formula_destroy(formula);
        return NULL;
    }
    formula->varies = mupGetExprVarNum(parser) > 0;
    return formula;
}

void base_formula_destroy(sys_formula *formula) {
    if (formula) {
        mupRelease(formula->parser);
        cn_env env = formula->env;
        base_env_resize(&env, formula, sizeof *formula, 0);
    }
}

double base_formula_value(sys_formula *formula) {
    double value = mupEval(formula->parser);
    return mupError(formula->parser) ? (double)NAN : value;
}

bool base_formula_is_constant(const sys_formula *formula) {
    return !formula->varies;
}

bool base_formula_uses(const sys_formula *formula, const double *value) {
    bool uses = false;
    int count = mupGetExprVarNum(formula->parser);
    for (int i = 0; i < count; i++) {
        const char *name;
        double *place;
        mupGetExprVar(formula->parser, (unsigned)i, &name, &place);
        uses = uses || place == value;
    }
    return uses;
}
