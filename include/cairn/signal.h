// cairn/signal.h
// Functions of time: a constant, an expression in t and inputs, a table, or an input, a number that
// is set while the model runs (cairn/act.h).
#ifndef CAIRN_SIGNAL_H
#define CAIRN_SIGNAL_H

#include <cairn/source.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a table is between its points.
typedef enum cn_interpolation {
    CN_INTERPOLATION_AUTO,   // cubic for displacements, which need a rate, else linear
    CN_INTERPOLATION_LINEAR, // straight
    CN_INTERPOLATION_CUBIC   // natural cubic spline
} cn_interpolation;

// What is taken from the table of an acceleration, so that the motion it gives does not drift away
// (docs/guide/masonry.md): a polynomial in the time since the table's first point.
typedef enum cn_baseline {
    CN_BASELINE_NONE,
    CN_BASELINE_REST,         // a line: velocity and displacement are zero at the last point
    CN_BASELINE_LEAST_SQUARES // a parabola: the integral of velocity squared is least (Berg and
                              // Housner 1961)
} cn_baseline;

// Outside a table: its first and last values; displacements stand still, accelerations are zero.
typedef struct cn_signal_def {
    double constant;
    const char *expression; // muParser syntax; input(name) is an input; NULL: none
    const char *input;      // the name of an input, as the expression input(name); NULL: none
    const double *times, *values;
    int32_t count; // of the table; 0: none
    cn_interpolation interpolation;
    cn_baseline baseline; // only for accelerations
    cn_source source;
} cn_signal_def;

#ifdef __cplusplus
}
#endif
#endif
