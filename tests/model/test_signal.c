// Functions of time: constants, expressions, tables, and what is wrong with some of them.
#include "check.h"

#include "base/elementary/elementary.h"
#include "base/signal/signal.h"

#include <string.h>

static base_signal *cn_expression(const char *text) {
    cn_error error;
    base_signal *signal = base_signal_create(NULL, &(cn_signal_def){.expression = text},
                                             BASE_SIGNAL_VALUE, NULL, &error);
    if (!signal) {
        print_error("%s\n", error.message);
        fail();
    }
    return signal;
}

// The value of a signal of t alone.
static double at(const base_signal *signal, double t) {
    base_evaluator *evaluator = base_evaluator_create(NULL, 1, 1e-3, NULL, 0, NULL, NULL);
    CN_CHECK_TRUE(evaluator && base_evaluator_add(evaluator, signal));
    double value = base_signal_at(signal, evaluator, t);
    base_evaluator_destroy(evaluator);
    return value;
}

static void cn_check_refused(const char *text, int32_t column, const char *words) {
    cn_error error = {0};
    base_signal *signal = base_signal_create(NULL, &(cn_signal_def){.expression = text},
                                             BASE_SIGNAL_VALUE, NULL, &error);
    if (signal || !strstr(error.message, words) || error.column != column) {
        print_error("'%s': got '%s' at %d, want '%s' at %d\n", text, error.message, error.column,
                    words, column);
        base_signal_destroy(signal);
        fail();
    }
    CN_CHECK_TRUE(error.status == CN_ERR_INPUT);
}

CN_TEST(constant_is_itself) {
    base_signal *signal =
        base_signal_create(NULL, &(cn_signal_def){.constant = 2.5}, BASE_SIGNAL_VALUE, NULL, NULL);
    CN_CHECK_TRUE(at(signal, 0.0) == 2.5 && at(signal, 1e9) == 2.5);
    CN_CHECK_TRUE(base_signal_is_constant(signal));
    base_signal_destroy(signal);
}

CN_TEST(expression_follows_time) {
    base_signal *signal = cn_expression("2*(t<1) + 3*t");
    CN_CHECK_NEAR(at(signal, 0.5), 3.5, 0.0);
    CN_CHECK_NEAR(at(signal, 2.0), 6.0, 0.0);
    CN_CHECK_NEAR(at(signal, 0.25), 2.75, 0.0);
    CN_CHECK_TRUE(!base_signal_is_constant(signal));
    base_signal_destroy(signal);
}

CN_TEST(expression_without_time_is_constant) {
    base_signal *signal = cn_expression("2*pi + min(1, 2)");
    CN_CHECK_NEAR(at(signal, 7.0), 2 * 3.14159265358979323846 + 1, 0.0);
    CN_CHECK_TRUE(base_signal_is_constant(signal));
    base_signal_destroy(signal);
}

// Bit for bit those of base/elementary.h.
CN_TEST(functions_are_our_own) {
    static const struct {
        const char *text;
        double (*function)(double);
    } cases[] = {{"sin(t)", base_sin},   {"cos(t)", base_cos},   {"tan(t)", base_tan},
                 {"exp(t)", base_exp},   {"ln(t+1)", NULL},      {"tanh(t)", base_tanh},
                 {"atan(t)", base_atan}, {"sinh(t)", base_sinh}, {"asinh(t)", base_asinh},
                 {"cosh(t)", base_cosh}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        base_signal *signal = cn_expression(cases[c].text);
        base_evaluator *evaluator = base_evaluator_create(NULL, 1, 1e-3, NULL, 0, NULL, NULL);
        CN_CHECK_TRUE(evaluator && base_evaluator_add(evaluator, signal));
        for (int i = 0; i < 1000; i++) {
            double t = 0.0137 * i;
            double want = cases[c].function ? cases[c].function(t) : base_ln(t + 1.0);
            CN_CHECK_NEAR(base_signal_at(signal, evaluator, t), want, 0.0);
        }
        base_evaluator_destroy(evaluator);
        base_signal_destroy(signal);
    }
}

CN_TEST(expression_errors_point_at_the_place) {
    cn_check_refused("2*(t<1", 7, "not closed");
    cn_check_refused("2*x", 3, "\"x\": unknown name");
    cn_check_refused("sine(t)", 1, "\"sine\": unknown name");
    cn_check_refused("1+", 3, "ends too early");
    cn_check_refused("t+sin(1,2)", 10, "too many arguments");
    cn_check_refused("t t", 3, "cannot be there");
    cn_check_refused("", 1, "empty");
    cn_check_refused("1/t", 0, "at t = 0");
    cn_check_refused("sqrt(t-1)", 0, "at t = 0");
    CN_CHECK_TRUE(!base_signal_create(NULL, &(cn_signal_def){.constant = NAN}, BASE_SIGNAL_VALUE,
                                      NULL, NULL));
}

CN_TEST(table_is_linear_between_its_points_and_constant_outside) {
    const double times[4] = {0.0, 1.0, 3.0, 4.0}, values[4] = {1.0, 2.0, 0.0, 5.0};
    base_signal *signal =
        base_signal_create(NULL, &(cn_signal_def){.times = times, .values = values, .count = 4},
                           BASE_SIGNAL_VALUE, NULL, NULL);
    CN_CHECK_NEAR(at(signal, -1.0), 1.0, 0.0);
    CN_CHECK_NEAR(at(signal, 0.25), 1.25, 0.0);
    CN_CHECK_NEAR(at(signal, 1.0), 2.0, 0.0);
    CN_CHECK_NEAR(at(signal, 2.5), 0.5, 0.0);
    CN_CHECK_NEAR(at(signal, 3.5), 2.5, 0.0);
    CN_CHECK_NEAR(at(signal, 4.0), 5.0, 0.0);
    CN_CHECK_NEAR(at(signal, 9.0), 5.0, 0.0);
    CN_CHECK_TRUE(isnan(at(signal, NAN)));
    CN_CHECK_TRUE(!base_signal_is_constant(signal));
    base_signal_destroy(signal);
}

CN_TEST(table_of_one_point_is_constant) {
    const double time = 2.0, value = 7.0;
    base_signal *signal =
        base_signal_create(NULL, &(cn_signal_def){.times = &time, .values = &value, .count = 1},
                           BASE_SIGNAL_VALUE, NULL, NULL);
    CN_CHECK_TRUE(at(signal, 0.0) == 7.0 && at(signal, 3.0) == 7.0);
    CN_CHECK_TRUE(base_signal_is_constant(signal));
    base_signal_destroy(signal);
}

CN_TEST(bad_tables_are_refused) {
    cn_error error;
    const double times[3] = {0.0, 1.0, 1.0}, values[3] = {0.0, 1.0, 2.0};
    const double broken[3] = {0.0, NAN, 2.0};
    CN_CHECK_TRUE(
        !base_signal_create(NULL, &(cn_signal_def){.times = times, .values = values, .count = 3},
                            BASE_SIGNAL_VALUE, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "row 2 has 1 after 1") != NULL);
    CN_CHECK_TRUE(
        !base_signal_create(NULL, &(cn_signal_def){.times = values, .values = broken, .count = 3},
                            BASE_SIGNAL_VALUE, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "row 1") != NULL);
    CN_CHECK_TRUE(!base_signal_create(
        NULL, &(cn_signal_def){.expression = "t", .times = values, .values = values, .count = 3},
        BASE_SIGNAL_VALUE, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "one is enough") != NULL);
}

// Two signals under two evaluators: four values that do not disturb each other.
CN_TEST(evaluators_do_not_disturb_each_other) {
    double u[2] = {2.0, 5.0};
    const base_variable first = {"u", &u[0]}, second = {"u", &u[1]};
    base_signal_scope scope = {.variable = &first, .count = 1};
    base_signal *a = base_signal_create(NULL, &(cn_signal_def){.expression = "u + t"},
                                        BASE_SIGNAL_VALUE, &scope, NULL);
    base_signal *b = base_signal_create(NULL, &(cn_signal_def){.expression = "u*t"},
                                        BASE_SIGNAL_VALUE, &scope, NULL);
    CN_CHECK_TRUE(a && b && !base_signal_is_constant(a) && scope.expressions == 2);
    base_evaluator *one = base_evaluator_create(NULL, 2, 1e-3, &first, 1, NULL, NULL);
    base_evaluator *two = base_evaluator_create(NULL, 2, 1e-3, &second, 1, NULL, NULL);
    CN_CHECK_TRUE(one && base_evaluator_add(one, a) && base_evaluator_add(one, b));
    CN_CHECK_TRUE(two && base_evaluator_add(two, a) && base_evaluator_add(two, b));
    CN_CHECK_NEAR(base_signal_at(a, one, 1.0), 3.0, 0.0);
    CN_CHECK_NEAR(base_signal_at(a, two, 3.0), 8.0, 0.0);
    CN_CHECK_NEAR(base_signal_at(b, one, 4.0), 8.0, 0.0);
    CN_CHECK_NEAR(base_signal_at(b, two, 5.0), 25.0, 0.0);
    u[0] = 7.0; // names are read when a signal is evaluated
    CN_CHECK_NEAR(base_signal_at(a, one, 1.0), 8.0, 0.0);
    CN_CHECK_NEAR(base_signal_at(a, two, 1.0), 6.0, 0.0);
    base_evaluator_destroy(one);
    base_evaluator_destroy(two);
    base_signal_destroy(a);
    base_signal_destroy(b);
}

// ---- rates and integrals ----

static base_signal *signal_of(const cn_signal_def *def, base_signal_use use,
                              base_evaluator **evaluator) {
    base_signal *signal = base_signal_create(NULL, def, use, NULL, NULL);
    *evaluator = base_evaluator_create(NULL, 1, 1e-2, NULL, 0, NULL, NULL);
    CN_CHECK_TRUE(signal && *evaluator && base_evaluator_add(*evaluator, signal));
    return signal;
}

static void signal_close(base_signal *signal, base_evaluator *evaluator) {
    base_evaluator_destroy(evaluator);
    base_signal_destroy(signal);
}

CN_TEST(rates_and_integrals_of_expressions_are_those_of_calculus) {
    const cn_signal_def sine = {.expression = "sin(3*t)"};
    base_evaluator *rate_of, *integral_of;
    base_signal *rate = signal_of(&sine, BASE_SIGNAL_RATE, &rate_of),
                *integral = signal_of(&sine, BASE_SIGNAL_INTEGRAL, &integral_of);
    double worst_rate = 0.0, worst_integral = 0.0;
    for (int i = 0; i <= 700; i++) {
        double t = 0.0101 * i;
        worst_rate = fmax(worst_rate, fabs(base_signal_at(rate, rate_of, t) - 3.0 * cos(3.0 * t)));
        worst_integral = fmax(worst_integral, fabs(base_signal_at(integral, integral_of, t) -
                                                   (1.0 - cos(3.0 * t)) / 3.0));
    }
    double by = 1e-2 / 8.0; // e^4/5 times the fifth derivative, of the difference at the start
    CN_CHECK_BELOW(worst_rate, 1.05 * 243.0 * by * by * by * by / 5.0);
    CN_CHECK_BELOW(worst_integral, 1e-15 * 700);
    // Bitwise the same whatever was asked for before.
    double late = base_signal_at(integral, integral_of, 7.003);
    base_signal_at(integral, integral_of, 0.013);
    base_signal_at(integral, integral_of, 6.99);
    CN_CHECK_NEAR(base_signal_at(integral, integral_of, 7.003), late, 0.0);
    signal_close(rate, rate_of);
    signal_close(integral, integral_of);
}

CN_TEST(nothing_is_asked_of_a_displacement_before_the_start) {
    const cn_signal_def root = {.expression = "t^1.5"};
    base_evaluator *evaluator;
    base_signal *rate = signal_of(&root, BASE_SIGNAL_RATE, &evaluator);
    CN_CHECK_BELOW(fabs(base_signal_at(rate, evaluator, 0.0)), 0.1);
    CN_CHECK_NEAR(base_signal_at(rate, evaluator, 1.0), 1.5, 1e-10);
    signal_close(rate, evaluator);
}

// The values, second derivatives at the ends and continuity of a natural cubic spline.
CN_TEST(a_cubic_table_is_the_natural_spline) {
    const double times[] = {0.0, 1.0, 2.5, 3.0}, values[] = {0.0, 2.0, 1.0, 1.5};
    cn_signal_def def = {
        .times = times, .values = values, .count = 4, .interpolation = CN_INTERPOLATION_CUBIC};
    base_evaluator *value_of, *rate_of, *integral_of;
    base_signal *value = signal_of(&def, BASE_SIGNAL_VALUE, &value_of),
                *rate = signal_of(&def, BASE_SIGNAL_RATE, &rate_of),
                *integral = signal_of(&def, BASE_SIGNAL_INTEGRAL, &integral_of);
    double e = 1e-4;
    for (int i = 0; i < 4; i++) {
        CN_CHECK_NEAR(base_signal_at(value, value_of, times[i]), values[i], 1e-14);
    }
    for (int i = 1; i < 3; i++) { // rate and its rate do not jump
        double low = base_signal_at(rate, rate_of, times[i] - e),
               at = base_signal_at(rate, rate_of, times[i]),
               high = base_signal_at(rate, rate_of, times[i] + e);
        CN_CHECK_BELOW(fabs((high - at) / e - (at - low) / e), 20.0 * e);
    }
    CN_CHECK_NEAR((base_signal_at(rate, rate_of, e) - base_signal_at(rate, rate_of, 0.0)) / e, 0.0,
                  10.0 * e);
    for (int i = 0; i < 30; i++) { // each is the integral of the other, by Simpson's rule
        double a = 0.1 * i, b = a + 0.1, m = a + 0.05;
        double by = (base_signal_at(rate, rate_of, a) + 4.0 * base_signal_at(rate, rate_of, m) +
                     base_signal_at(rate, rate_of, i == 29 ? b - 1e-12 : b)) *
                    0.1 / 6.0;
        CN_CHECK_NEAR(base_signal_at(value, value_of, b) - base_signal_at(value, value_of, a), by,
                      1e-11);
        by = (base_signal_at(value, value_of, a) + 4.0 * base_signal_at(value, value_of, m) +
              base_signal_at(value, value_of, b)) *
             0.1 / 6.0;
        CN_CHECK_NEAR(base_signal_at(integral, integral_of, b) -
                          base_signal_at(integral, integral_of, a),
                      by, 1e-13);
    }
    CN_CHECK_NEAR(base_signal_at(rate, rate_of, 3.0), 0.0, 0.0);
    CN_CHECK_NEAR(base_signal_at(rate, rate_of, -1.0), 0.0, 0.0);
    signal_close(value, value_of);
    signal_close(rate, rate_of);
    signal_close(integral, integral_of);
}

#define BASELINE_POINTS 64

// A sine with an offset and a slope, as an instrument that drifts records it.
static void drifting(double *times, double *values) {
    for (int i = 0; i < BASELINE_POINTS; i++) {
        times[i] = 0.5 + 0.05 * i;
        values[i] = sin(9.0 * times[i]) + 0.2 + 0.1 * times[i];
    }
}

CN_TEST(baselines_bring_a_record_to_rest) {
    double times[BASELINE_POINTS], values[BASELINE_POINTS];
    drifting(times, values);
    cn_signal_def def = {.times = times, .values = values, .count = BASELINE_POINTS};
    double largest[3];
    for (int baseline = 0; baseline < 3; baseline++) {
        def.baseline = (cn_baseline)baseline;
        base_evaluator *evaluator;
        base_signal *v = signal_of(&def, BASE_SIGNAL_INTEGRAL, &evaluator);
        double from = times[0], length = times[BASELINE_POINTS - 1] - from, moment[4] = {0.0};
        enum { PARTS = 4000 };
        for (int i = 0; i < PARTS; i++) { // the midpoint rule
            double x = (i + 0.5) / PARTS, part = base_signal_at(v, evaluator, from + x * length);
            for (int k = 0; k < 4; k++) {
                moment[k] += part / PARTS;
                part *= x;
            }
        }
        double end = base_signal_at(v, evaluator, 100.0);
        if (baseline == CN_BASELINE_REST) {
            CN_CHECK_NEAR(end, 0.0, 1e-14);
            CN_CHECK_NEAR(moment[0], 0.0, 1e-6);
        } else if (baseline == CN_BASELINE_LEAST_SQUARES) { // v is orthogonal to t, t^2, t^3
            for (int k = 1; k < 4; k++) {
                CN_CHECK_NEAR(moment[k], 0.0, 1e-6);
            }
        } else {
            CN_CHECK_TRUE(end > 0.5);
        }
        double final;
        CN_CHECK_TRUE(base_signal_final(v, &final, &largest[baseline]) && final == end);
        signal_close(v, evaluator);
    }
    CN_CHECK_TRUE(largest[1] < 0.5 * largest[0] && largest[2] < 0.5 * largest[0]);
    def.baseline = CN_BASELINE_REST;
    cn_error error = {0};
    CN_CHECK_TRUE(!base_signal_create(NULL, &def, BASE_SIGNAL_VALUE, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "baseline") != NULL);
}
