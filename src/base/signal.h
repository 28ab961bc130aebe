// base/signal.h
// Functions of time that a scene gives: constants, expressions in t (base/formula.h), tables.
//
// A signal is constant data. Compiled expressions and the values of the names in them belong to
// whoever evaluates: each simulation has its own base_evaluator.
#ifndef CAIRN_BASE_SIGNAL_H
#define CAIRN_BASE_SIGNAL_H

#include "base/formula.h"

typedef struct base_signal base_signal;
typedef struct base_evaluator base_evaluator;

#define BASE_SIGNAL_NAMES 64 // that an expression may use at most, t included

// The expressions of a model, and the names besides t that they may use, as the outputs of
// controllers.
typedef struct base_signal_scope {
    const base_variable *variable; // with their values at the start
    int32_t count;
    int32_t expressions; // signals created so far that need an evaluator
} base_signal_scope;

// NULL with error filled when the expression does not parse (column of the fault in the expression
// in error->column) or is not a number at t = 0; a table's times must ascend. text may be NULL,
// count 0; then the constant it is. scope may be NULL: t alone.
base_signal *base_signal_create(const cn_env *env, double constant, const char *text,
                                const double *times, const double *values, int32_t count,
                                base_signal_scope *scope, cn_error *error);
void base_signal_destroy(base_signal *signal);
// NaN stays NaN: the caller checks. The evaluator has compiled the signal.
double base_signal_at(const base_signal *signal, base_evaluator *evaluator, double t);
double
base_signal_start(const base_signal *signal); // at t = 0, where names have their first values
bool base_signal_is_constant(const base_signal *signal);

// Not shared between threads. expressions: of the scope. The places of the values that variables
// name outlive the evaluator.
base_evaluator *base_evaluator_create(const cn_env *env, int32_t expressions,
                                      const base_variable *variables,
                                      int32_t count);                          // NULL: no memory
void base_evaluator_destroy(base_evaluator *evaluator);                        // NULL is allowed
bool base_evaluator_add(base_evaluator *evaluator, const base_signal *signal); // false: no memory

#endif
