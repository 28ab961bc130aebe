// base/formula.h
// Expressions in named variables, as scenes write them: muParser's operators and functions, floor
// and pi.
//
// Functions are those of base/elementary.h; x^y is the C library's pow unless y is 2, 3 or 4.
#ifndef CAIRN_BASE_FORMULA_H
#define CAIRN_BASE_FORMULA_H

#include <cairn/base.h>

typedef struct cn_formula cn_formula;

typedef struct cn_variable {
    const char *name; // a letter, then letters, digits and underscores
    double *value;    // read at each evaluation; outlives the formula
} cn_variable;

// NULL with error filled when the text does not parse (the column of the fault in it in
// error->column). hint: what names there are, for the error; NULL: none.
cn_formula *cn_formula_create(const cn_env *env, const char *text, const cn_variable *variables,
                              int32_t count, const char *hint, cn_error *error);
void cn_formula_destroy(cn_formula *formula); // NULL is allowed
// Not shared between threads. NaN where it has no value: the caller checks.
double cn_formula_value(cn_formula *formula);
bool cn_formula_is_constant(const cn_formula *formula);
bool cn_formula_uses(const cn_formula *formula, const double *value); // a variable, by its place

#endif
