// base/signal/signal.h
// Functions of time that a scene gives: constants, expressions in t (formula.h), tables.
//
// A signal stands for its function, its rate or its integral from t = 0 on. Rates and integrals of
// expressions are numerical: five-point differences of half the evaluator's interval, and five
// Gauss points per interval; both are functions of t alone, whatever was asked for before.
//
// A signal is constant data. Compiled expressions and the values of the names in them belong to
// whoever evaluates: each simulation has its own base_evaluator.
#ifndef CAIRN_BASE_SIGNAL_SIGNAL_H
#define CAIRN_BASE_SIGNAL_SIGNAL_H

#include <cairn/signal.h>

#include "base/signal/formula.h"
#include "base/signal/inputs.h"

typedef struct base_signal base_signal;
typedef struct base_evaluator base_evaluator;

#define BASE_SIGNAL_NAMES 64 // that an expression may use at most, t included

// The expressions of a model, and the names besides t that they may use, as the outputs of
// controllers.
typedef struct base_signal_scope {
    const base_variable *variable; // with their values at the start
    int32_t count;
    int32_t expressions; // signals created so far that need an evaluator
    base_inputs *inputs; // that input(name) may name, and adds to; NULL: there are none
} base_signal_scope;

typedef enum base_signal_use {
    BASE_SIGNAL_VALUE,
    BASE_SIGNAL_RATE,    // of an expression: of t alone
    BASE_SIGNAL_INTEGRAL // likewise
} base_signal_use;

// NULL with error filled when the expression does not parse (column of the fault in the expression
// in error->column) or is not a number at t = 0; a table's times must ascend. scope may be NULL: t
// alone.
base_signal *base_signal_create(const cn_env *env, const cn_signal_def *def, base_signal_use use,
                                base_signal_scope *scope, cn_error *error);
void base_signal_destroy(base_signal *signal);
// NaN stays NaN: the caller checks. The evaluator has compiled the signal.
double base_signal_at(const base_signal *signal, base_evaluator *evaluator, double t);
bool base_signal_is_constant(const base_signal *signal);
// Of the integral of a table: its value behind the last point, and the largest magnitude at its
// points. false: it is something else.
bool base_signal_final(const base_signal *signal, double *value, double *largest);

// Not shared between threads. expressions and inputs: of the scope; values: of its inputs; interval
// [s]: as above. The places of these values, and of those that variables name, outlive the
// evaluator. NULL: no memory.
base_evaluator *base_evaluator_create(const cn_env *env, int32_t expressions, double interval,
                                      const base_variable *variables, int32_t count,
                                      base_inputs *inputs, double *values);
void base_evaluator_destroy(base_evaluator *evaluator);                        // NULL is allowed
bool base_evaluator_add(base_evaluator *evaluator, const base_signal *signal); // false: no memory

#endif
