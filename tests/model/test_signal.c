// Functions of time: constants, expressions, tables, and what is wrong with some of them.
#include "check.h"

#include "base/elementary/elementary.h"
#include "base/signal.h"

#include <string.h>

static base_signal *cn_expression(const char *text) {
    cn_error error;
    base_signal *signal = base_signal_create(NULL, 0.0, text, NULL, NULL, 0, NULL, &error);
    if (!signal) {
        print_error("%s\n", error.message);
        fail();
    }
    return signal;
}

// The value of a signal of t alone.
static double at(const base_signal *signal, double t) {
    base_evaluator *evaluator = base_evaluator_create(NULL, 1, NULL, 0);
    CN_CHECK_TRUE(evaluator && base_evaluator_add(evaluator, signal));
    double value = base_signal_at(signal, evaluator, t);
    base_evaluator_destroy(evaluator);
    return value;
}

static void cn_check_refused(const char *text, int32_t column, const char *words) {
    cn_error error = {0};
    base_signal *signal = base_signal_create(NULL, 0.0, text, NULL, NULL, 0, NULL, &error);
    if (signal || !strstr(error.message, words) || error.column != column) {
        print_error("'%s': got '%s' at %d, want '%s' at %d\n", text, error.message, error.column,
                    words, column);
        base_signal_destroy(signal);
        fail();
    }
    CN_CHECK_TRUE(error.status == CN_ERR_INPUT);
}

CN_TEST(constant_is_itself) {
    base_signal *signal = base_signal_create(NULL, 2.5, NULL, NULL, NULL, 0, NULL, NULL);
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
        base_evaluator *evaluator = base_evaluator_create(NULL, 1, NULL, 0);
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
    CN_CHECK_TRUE(!base_signal_create(NULL, NAN, NULL, NULL, NULL, 0, NULL, NULL));
}

CN_TEST(table_is_linear_between_its_points_and_constant_outside) {
    const double times[4] = {0.0, 1.0, 3.0, 4.0}, values[4] = {1.0, 2.0, 0.0, 5.0};
    base_signal *signal = base_signal_create(NULL, 0.0, NULL, times, values, 4, NULL, NULL);
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
    base_signal *signal = base_signal_create(NULL, 0.0, NULL, &time, &value, 1, NULL, NULL);
    CN_CHECK_TRUE(at(signal, 0.0) == 7.0 && at(signal, 3.0) == 7.0);
    CN_CHECK_TRUE(base_signal_is_constant(signal));
    base_signal_destroy(signal);
}

CN_TEST(bad_tables_are_refused) {
    cn_error error;
    const double times[3] = {0.0, 1.0, 1.0}, values[3] = {0.0, 1.0, 2.0};
    const double broken[3] = {0.0, NAN, 2.0};
    CN_CHECK_TRUE(!base_signal_create(NULL, 0.0, NULL, times, values, 3, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "row 2 has 1 after 1") != NULL);
    CN_CHECK_TRUE(!base_signal_create(NULL, 0.0, NULL, values, broken, 3, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "row 1") != NULL);
    CN_CHECK_TRUE(!base_signal_create(NULL, 0.0, "t", values, values, 3, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "one is enough") != NULL);
}

// Two signals under two evaluators: four values that do not disturb each other.
CN_TEST(evaluators_do_not_disturb_each_other) {
    double u[2] = {2.0, 5.0};
    const base_variable first = {"u", &u[0]}, second = {"u", &u[1]};
    base_signal_scope scope = {.variable = &first, .count = 1};
    base_signal *a = base_signal_create(NULL, 0.0, "u + t", NULL, NULL, 0, &scope, NULL);
    base_signal *b = base_signal_create(NULL, 0.0, "u*t", NULL, NULL, 0, &scope, NULL);
    CN_CHECK_TRUE(a && b && !base_signal_is_constant(a) && scope.expressions == 2);
    CN_CHECK_NEAR(base_signal_start(a), 2.0, 0.0);
    base_evaluator *one = base_evaluator_create(NULL, 2, &first, 1);
    base_evaluator *two = base_evaluator_create(NULL, 2, &second, 1);
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
