// cairn/signal.h
// Functions of time: a constant, an expression in t, or a table (linear between its points,
// constant outside).
#ifndef CAIRN_SIGNAL_H
#define CAIRN_SIGNAL_H

#include <cairn/source.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_signal_def {
    double constant;
    const char *expression; // muParser syntax; NULL: none
    const double *times, *values;
    int32_t count; // of the table; 0: none
    cn_source source;
} cn_signal_def;

#ifdef __cplusplus
}
#endif
#endif
