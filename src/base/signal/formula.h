// base/signal/formula.h
// Expressions in named variables, as scenes write them: muParser's operators and functions, floor
// and pi.
//
// Functions are those of base/elementary.h; x^y is the C library's pow unless y is 2, 3 or 4.
#ifndef CAIRN_BASE_SIGNAL_FORMULA_H
#define CAIRN_BASE_SIGNAL_FORMULA_H

#include <cairn/base.h>

typedef struct sys_formula sys_formula;

typedef struct base_variable {
    const char *name; // a letter, then letters, digits and underscores; or input(such a name)
    double *value;    // read at each evaluation; outlives the formula
} base_variable;

// NULL with error filled when the text does not parse (the column of the fault in it in
// error->column). hint: what names there are, for the error; NULL: none.
sys_formula *base_formula_create(const cn_env *env, const char *text,
                                 const base_variable *variables, int32_t count, const char *hint,
                                 cn_error *error);
// How long the input(name) is that the text begins with, and its name; 0: it begins with none.
size_t base_formula_input(const char *text, const char **name, size_t *length);
void base_formula_destroy(sys_formula *formula); // NULL is allowed
// Not shared between threads. NaN where it has no value: the caller checks.
double base_formula_value(sys_formula *formula);
bool base_formula_is_constant(const sys_formula *formula);
bool base_formula_uses(const sys_formula *formula,
                       const double *value); // a variable, by its place

#endif
