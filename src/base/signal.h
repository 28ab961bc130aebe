// base/signal.h
// Functions of time that a scene gives: constants, expressions in t (base/formula.h), tables.
#ifndef CAIRN_BASE_SIGNAL_H
#define CAIRN_BASE_SIGNAL_H

#include <cairn/base.h>

typedef struct cn_signal cn_signal;

// NULL with error filled when the expression does not parse (column of the fault in the expression
// in error->column) or is not a number at t = 0; a table's times must ascend. text may be NULL,
// count 0; then the constant it is.
cn_signal *cn_signal_create(const cn_env *env, double constant, const char *text,
                            const double *times, const double *values, int32_t count,
                            cn_error *error);
void cn_signal_destroy(cn_signal *signal);
// Not shared between threads. NaN stays NaN: the caller checks.
double cn_signal_at(cn_signal *signal, double t);
bool cn_signal_is_constant(const cn_signal *signal);

#endif
