// base/signal/signal_table.c
// Tables searched by bisection. Between two points the function is y_i + b s + c s^2 + d s^3, s
// since the first of the two: linear, or the natural cubic spline, whose second derivatives are the
// solution of a tridiagonal system (de Boor, A Practical Guide to Splines, 1978, chapter IV). The
// integral of such pieces is exact.
//
// Baselines of accelerations: with T the length, V and D the velocity and displacement at its end,
//     rest            c0 T + c1 T^2/2 = V, c0 T^2/2 + c1 T^3/6 = D;
//     least squares   min int_0^T (v - c0 s - c1 s^2/2 - c2 s^3/3)^2 ds (Berg and Housner 1961).
#include "base/signal/signal_table.h"

#include "base/error.h"

#include <float.h>
#include <math.h>

cn_status base_signal_table_check(const double *times, const double *values, int32_t count,
                                  cn_error *error) {
    for (int32_t i = 0; i < count; i++) {
        if (!(fabs(times[i]) <= DBL_MAX && fabs(values[i]) <= DBL_MAX)) {
            return base_fail(error, CN_ERR_INPUT, "table: row %d is not two finite numbers", i);
        }
        if (i > 0 && !(times[i] > times[i - 1])) {
            return base_fail(error, CN_ERR_INPUT,
                             "table: times must ascend, but row %d has %g after %g", i, times[i],
                             times[i - 1]);
        }
    }
    return CN_OK;
}

// ---- pieces ----

typedef struct table_piece {
    double y, b, c, d; // of s = t - times[i]
} table_piece;

static table_piece piece_of(const base_signal_table *table, int32_t i) {
    double h = table->times[i + 1] - table->times[i];
    double slope = (table->values[i + 1] - table->values[i]) / h;
    table_piece piece = {.y = table->values[i], .b = slope};
    if (table->bend) {
        double low = table->bend[i], high = table->bend[i + 1];
        piece.b = slope - h * (2.0 * low + high) / 6.0;
        piece.c = 0.5 * low;
        piece.d = (high - low) / (6.0 * h);
    }
    return piece;
}

static double piece_integral(const table_piece *p, double s) {
    return s * (p->y + s * (p->b / 2.0 + s * (p->c / 3.0 + s * p->d / 4.0)));
}

// times[i] <= t < times[i + 1]; t lies inside the table.
static int32_t piece_at(const base_signal_table *table, double t) {
    int32_t low = 0, high = table->count - 1;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (t >= table->times[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- making ----

static void spline_make(base_signal_table *table, double *work) {
    int32_t n = table->count;
    const double *t = table->times, *y = table->values;
    double *bend = table->bend;
    bend[0] = bend[n - 1] = work[0] = 0.0;
    for (int32_t i = 1; i < n - 1; i++) {
        double left = t[i] - t[i - 1], right = t[i + 1] - t[i];
        double rest = 6.0 * ((y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left);
        double pivot = 2.0 * (left + right) - left * work[i - 1];
        work[i] = right / pivot;
        bend[i] = (rest - left * bend[i - 1]) / pivot;
    }
    for (int32_t i = n - 2; i > 0; i--) {
        bend[i] -= work[i] * bend[i + 1];
    }
}

// Integrals over the table of the summed function (which has no baseline yet) times s^0 .. s^3, and
// of nothing else; the rule is exact for the polynomials of a piece.
static void sum_moments(const base_signal_table *table, double moment[4]) {
    static const double place[4] = {0.069431844202973712, 0.330009478207571868,
                                    0.669990521792428132, 0.930568155797026288};
    static const double weight[4] = {0.173927422568726929, 0.326072577431273071,
                                     0.326072577431273071, 0.173927422568726929};
    double start = table->times[0], length = table->times[table->count - 1] - start;
    for (int k = 0; k < 4; k++) {
        moment[k] = 0.0;
    }
    for (int32_t i = 0; i + 1 < table->count; i++) {
        double h = table->times[i + 1] - table->times[i];
        table_piece piece = piece_of(table, i);
        for (int g = 0; g < 4; g++) {
            double s = place[g] * h, share = (table->times[i] + s - start) / length;
            double part = weight[g] * h / length * (table->sum[i] + piece_integral(&piece, s));
            for (int k = 0; k < 4; k++) {
                moment[k] += part;
                part *= share;
            }
        }
    }
}

// The parabola of least squares. With s = T x, v = sum_k a_k x^k, k = 1 .. 3, the normal equations
// have the matrix 1/(i + j + 1), whose inverse stands here.
static void least_squares(const double moment[4], double length, double c[3]) {
    static const double inverse[9] = {300.0,   -900.0, 630.0,   -900.0, 2880.0,
                                      -2100.0, 630.0,  -2100.0, 1575.0};
    double a[3];
    for (int i = 0; i < 3; i++) {
        a[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            a[i] += inverse[3 * i + j] * moment[1 + j];
        }
    }
    c[0] = a[0] / length;
    c[1] = 2.0 * a[1] / (length * length);
    c[2] = 3.0 * a[2] / (length * length * length);
}

void base_signal_table_prepare(base_signal_table *table, cn_baseline baseline, double *work) {
    int32_t n = table->count;
    if (table->bend) {
        spline_make(table, work);
    }
    if (!table->sum) {
        return;
    }
    table->sum[0] = 0.0;
    for (int32_t i = 0; i + 1 < n; i++) {
        table_piece piece = piece_of(table, i);
        table->sum[i + 1] =
            table->sum[i] + piece_integral(&piece, table->times[i + 1] - table->times[i]);
    }
    double length = table->times[n - 1] - table->times[0], moment[4];
    if (baseline == CN_BASELINE_NONE || n < 2) {
        return;
    }
    sum_moments(table, moment);
    if (baseline == CN_BASELINE_LEAST_SQUARES) {
        least_squares(moment, length, table->baseline);
    } else {
        double V = table->sum[n - 1] / length, D = moment[0] / length;
        table->baseline[0] = 6.0 * D - 2.0 * V;
        table->baseline[1] = (6.0 * V - 12.0 * D) / length;
    }
}

// ---- looking up ----

double base_signal_table_value(const base_signal_table *table, double t) {
    int32_t last = table->count - 1;
    if (!(t > table->times[0])) {
        return isnan(t) ? t : table->values[0];
    }
    if (t >= table->times[last]) {
        return table->values[last];
    }
    int32_t i = piece_at(table, t);
    double s = t - table->times[i];
    if (!table->bend) {
        double share = s / (table->times[i + 1] - table->times[i]);
        return table->values[i] + share * (table->values[i + 1] - table->values[i]);
    }
    table_piece p = piece_of(table, i);
    return p.y + s * (p.b + s * (p.c + s * p.d));
}

double base_signal_table_rate(const base_signal_table *table, double t) {
    if (!(t >= table->times[0] && t < table->times[table->count - 1])) {
        return isnan(t) ? t : 0.0;
    }
    int32_t i = piece_at(table, t);
    table_piece p = piece_of(table, i);
    double s = t - table->times[i];
    return p.b + s * (2.0 * p.c + s * 3.0 * p.d);
}

double base_signal_table_sum(const base_signal_table *table, double t) {
    int32_t last = table->count - 1;
    if (!(t > table->times[0])) {
        return isnan(t) ? t : 0.0;
    }
    const double *c = table->baseline;
    double s = fmin(t, table->times[last]) - table->times[0], sum = table->sum[last];
    if (t < table->times[last]) {
        int32_t i = piece_at(table, t);
        table_piece p = piece_of(table, i);
        sum = table->sum[i] + piece_integral(&p, t - table->times[i]);
    }
    return sum - s * (c[0] + s * (c[1] / 2.0 + s * c[2] / 3.0));
}
