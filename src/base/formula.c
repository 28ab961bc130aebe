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

struct cn_formula {
    cn_env env;
    muParserHandle_t parser;
    bool varies;
};

static const struct {
    const char *name;
    muFun1_t function;
} cn_formula_functions[] = {
    {"sin", cn_sin},     {"cos", cn_cos},     {"tan", cn_tan},     {"asin", cn_asin},
    {"acos", cn_acos},   {"atan", cn_atan},   {"sinh", cn_sinh},   {"cosh", cn_cosh},
    {"tanh", cn_tanh},   {"asinh", cn_asinh}, {"acosh", cn_acosh}, {"atanh", cn_atanh},
    {"exp", cn_exp},     {"log", cn_ln},      {"ln", cn_ln},       {"log2", cn_log2},
    {"log10", cn_log10}, {"floor", floor},
};

// muParser's codes that deserve their own words (muParserError.h); the others name what was met.
static const struct {
    int code;
    const char *text;
} cn_formula_faults[] = {
    {1, "unknown name"},        {2, "it ends too early"},  {11, "a parenthesis is not closed"},
    {14, "too many arguments"}, {15, "too few arguments"}, {25, "it is empty"},
};

static void cn_formula_fail(const cn_formula *formula, const char *text, const char *hint,
                            cn_error *error) {
    int code = mupGetErrorCode(formula->parser), position = mupGetErrorPos(formula->parser);
    const char *fault = "cannot be there", *token = mupGetErrorToken(formula->parser);
    for (size_t i = 0; i < sizeof cn_formula_faults / sizeof *cn_formula_faults; i++) {
        if (cn_formula_faults[i].code == code) {
            fault = cn_formula_faults[i].text;
        }
    }
    if (token && token[0]) {
        cn_fail(error, CN_ERR_INPUT, "expression \"%.200s\": \"%.100s\": %s", text, token, fault);
    } else {
        cn_fail(error, CN_ERR_INPUT, "expression \"%.200s\": %s", text, fault);
    }
    if (hint) {
        cn_fail_hint(error, "%s", hint);
    }
    if (error) {
        // Ends may be reported one too far.
        int32_t length = (int32_t)strlen(text);
        error->column = (position < 0 ? 0 : position > length ? length : position) + 1;
    }
}

cn_formula *cn_formula_create(const cn_env *env, const char *text, const cn_variable *variables,
                              int32_t count, const char *hint, cn_error *error) {
    cn_formula *formula = cn_env_resize(env, NULL, 0, sizeof *formula);
    muParserHandle_t parser = formula ? mupCreate(muBASETYPE_FLOAT) : NULL;
    if (!parser) {
        cn_env_resize(env, formula, sizeof *formula, 0);
        cn_fail_memory(error);
        return NULL;
    }
    *formula = (cn_formula){.env = env ? *env : cn_env_default(), .parser = parser};
    for (size_t i = 0; i < sizeof cn_formula_functions / sizeof *cn_formula_functions; i++) {
        mupDefineFun1(parser, cn_formula_functions[i].name, cn_formula_functions[i].function, 1);
    }
    mupDefineFun2(parser, "atan2", cn_atan2, 1);
    mupDefineConst(parser, "pi", 3.14159265358979323846);
    for (int32_t i = 0; i < count && !mupError(parser); i++) {
        mupDefineVar(parser, variables[i].name, variables[i].value);
    }
    if (!mupError(parser)) {
        mupSetExpr(parser, text);
        mupEval(parser);
    }
    if (mupError(parser)) {
        cn_formula_fail(formula, text, hint, error);
        cn_formula_destroy(formula);
        return NULL;
    }
    formula->varies = mupGetExprVarNum(parser) > 0;
    return formula;
}

void cn_formula_destroy(cn_formula *formula) {
    if (formula) {
        mupRelease(formula->parser);
        cn_env env = formula->env;
        cn_env_resize(&env, formula, sizeof *formula, 0);
    }
}

double cn_formula_value(cn_formula *formula) {
    double value = mupEval(formula->parser);
    return mupError(formula->parser) ? (double)NAN : value;
}

bool cn_formula_is_constant(const cn_formula *formula) {
    return !formula->varies;
}

bool cn_formula_uses(const cn_formula *formula, const double *value) {
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
