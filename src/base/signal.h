// base/signal.h
// Functions of time that a scene gives: constants, expressions in t (base/formula.h), tables.
#ifndef CAIRN_BASE_SIGNAL_H
#define CAIRN_BASE_SIGNAL_H

#include "base/formula.h"

typedef struct cn_signal cn_signal;

// Names besides t that expressions may use, as the outputs of controllers.
typedef struct cn_signal_names {
    const cn_variable *variable;
    int32_t count;
} cn_signal_names;

// NULL with error filled when the expression does not parse (column of the fault in the expression
// in error->column) or is not a number at t = 0; a table's times must ascend. text may be NULL,
// count 0; then the constant it is. The names' values must outlive the signal.
cn_signal *cn_signal_create(const cn_env *env, double constant, const char *text,
                            const double *times, const double *values, int32_t count,
                            const cn_signal_names *names, cn_error *error);
void cn_signal_destroy(cn_signal *signal);
// Not shared between threads. NaN stays NaN: the caller checks.
double cn_signal_at(cn_signal *signal, double t);
bool cn_signal_is_constant(const cn_signal *signal);

#endif
