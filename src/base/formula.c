// base/formula.c
// Expressions, compiled once by muParser (libmuparser's C interface) and evaluated from its byte
// code.
#include "base/formula.h"

#include "base/elementary/elementary.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <muParserDLL.h>
#include <string.h>

struct base_formula {
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

static void formula_fail(const base_formula *formula, const char *text, const char *hint,
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

base_formula *base_formula_create(const cn_env *env, const char *text,
                                  const base_variable *variables, int32_t count, const char *hint,
                                  cn_error *error) {
    base_formula *formula = base_env_resize(env, NULL, 0, sizeof *formula);
    muParserHandle_t parser = formula ? mupCreate(muBASETYPE_FLOAT) : NULL;
    if (!parser) {
        base_env_resize(env, formula, sizeof *formula, 0);
        base_fail_memory(error);
        return NULL;
    }
    *formula = (base_formula){.env = env ? *env : cn_env_default(), .parser = parser};
    for (size_t i = 0; i < sizeof formula_functions / sizeof *formula_functions; i++) {
        mupDefineFun1(parser, formula_functions[i].name, formula_functions[i].function, 1);
    }
    mupDefineFun2(parser, "atan2", base_atan2, 1);
    mupDefineConst(parser, "pi", 3.14159265358979323846);
    for (int32_t i = 0; i < count && !mupError(parser); i++) {
        mupDefineVar(parser, variables[i].name, variables[i].value);
    }
    if (!mupError(parser)) {
        mupSetExpr(parser, text);
        mupEval(parser);
    }
    if (mupError(parser)) {
        formula_fail(formula, text, hint, error);
        base_formula_destroy(formula);
        return NULL;
    }
    formula->varies = mupGetExprVarNum(parser) > 0;
    return formula;
}

void base_formula_destroy(base_formula *formula) {
    if (formula) {
        mupRelease(formula->parser);
        cn_env env = formula->env;
        base_env_resize(&env, formula, sizeof *formula, 0);
    }
}

double base_formula_value(base_formula *formula) {
    double value = mupEval(formula->parser);
    return mupError(formula->parser) ? (double)NAN : value;
}

bool base_formula_is_constant(const base_formula *formula) {
    return !formula->varies;
}

bool base_formula_uses(const base_formula *formula, const double *value) {
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
