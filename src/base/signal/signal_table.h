// base/signal/signal_table.h
// Tables of a function of time: piecewise polynomials, with their rates and integrals.
#ifndef CAIRN_BASE_SIGNAL_SIGNAL_TABLE_H
#define CAIRN_BASE_SIGNAL_SIGNAL_TABLE_H

#include <cairn/signal.h>

#include <cairn/base.h>

// Arrays of `count`; those that are not needed are NULL.
typedef struct base_signal_table {
    int32_t count;
    double *times, *values;
    double *bend;       // second derivatives of a cubic spline; NULL: linear
    double *sum;        // integrals from the first point on
    double baseline[3]; // taken from the integrand: c0 + c1 s + c2 s^2, s since the first point
} base_signal_table;

// Times ascend and numbers are finite.
cn_status base_signal_table_check(const double *times, const double *values, int32_t count,
                                  cn_error *error);
// Fills bend (where there is room for it; work has room for count numbers), and sum and baseline.
void base_signal_table_prepare(base_signal_table *table, cn_baseline baseline, double *work);

double base_signal_table_value(const base_signal_table *table, double t); // constant outside
double base_signal_table_rate(const base_signal_table *table, double t);  // zero outside
double base_signal_table_sum(const base_signal_table *table, double t);   // constant outside

#endif
