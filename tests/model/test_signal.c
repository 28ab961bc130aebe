// Functions of time: constants, expressions, tables, and what is wrong with some of them.
#include "check.h"

#include "base/elementary.h"
#include "base/signal.h"

#include <string.h>

static cn_signal *cn_expression(const char *text) {
    cn_error error;
    cn_signal *signal = cn_signal_create(NULL, 0.0, text, NULL, NULL, 0, NULL, &error);
    if (!signal) {
        print_error("%s\n", error.message);
        fail();
    }
    return signal;
}

static void cn_check_refused(const char *text, int32_t column, const char *words) {
    cn_error error = {0};
    cn_signal *signal = cn_signal_create(NULL, 0.0, text, NULL, NULL, 0, NULL, &error);
    if (signal || !strstr(error.message, words) || error.column != column) {
        print_error("'%s': got '%s' at %d, want '%s' at %d\n", text, error.message, error.column,
                    words, column);
        cn_signal_destroy(signal);
        fail();
    }
    CN_CHECK_TRUE(error.status == CN_ERR_INPUT);
}

CN_TEST(constant_is_itself) {
    cn_signal *signal = cn_signal_create(NULL, 2.5, NULL, NULL, NULL, 0, NULL, NULL);
    CN_CHECK_TRUE(cn_signal_at(signal, 0.0) == 2.5 && cn_signal_at(signal, 1e9) == 2.5);
    CN_CHECK_TRUE(cn_signal_is_constant(signal));
    cn_signal_destroy(signal);
}

CN_TEST(expression_follows_time) {
    cn_signal *signal = cn_expression("2*(t<1) + 3*t");
    CN_CHECK_NEAR(cn_signal_at(signal, 0.5), 3.5, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 2.0), 6.0, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 0.25), 2.75, 0.0);
    CN_CHECK_TRUE(!cn_signal_is_constant(signal));
    cn_signal_destroy(signal);
}

CN_TEST(expression_without_time_is_constant) {
    cn_signal *signal = cn_expression("2*pi + min(1, 2)");
    CN_CHECK_NEAR(cn_signal_at(signal, 7.0), 2 * 3.14159265358979323846 + 1, 0.0);
    CN_CHECK_TRUE(cn_signal_is_constant(signal));
    cn_signal_destroy(signal);
}

// Bit for bit those of base/elementary.h.
CN_TEST(functions_are_our_own) {
    static const struct {
        const char *text;
        double (*function)(double);
    } cases[] = {{"sin(t)", cn_sin},   {"cos(t)", cn_cos},   {"tan(t)", cn_tan},
                 {"exp(t)", cn_exp},   {"ln(t+1)", NULL},    {"tanh(t)", cn_tanh},
                 {"atan(t)", cn_atan}, {"sinh(t)", cn_sinh}, {"asinh(t)", cn_asinh},
                 {"cosh(t)", cn_cosh}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cn_signal *signal = cn_expression(cases[c].text);
        for (int i = 0; i < 1000; i++) {
            double t = 0.0137 * i;
            double want = cases[c].function ? cases[c].function(t) : cn_ln(t + 1.0);
            CN_CHECK_NEAR(cn_signal_at(signal, t), want, 0.0);
        }
        cn_signal_destroy(signal);
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
    CN_CHECK_TRUE(!cn_signal_create(NULL, NAN, NULL, NULL, NULL, 0, NULL, NULL));
}

CN_TEST(table_is_linear_between_its_points_and_constant_outside) {
    const double times[4] = {0.0, 1.0, 3.0, 4.0}, values[4] = {1.0, 2.0, 0.0, 5.0};
    cn_signal *signal = cn_signal_create(NULL, 0.0, NULL, times, values, 4, NULL, NULL);
    CN_CHECK_NEAR(cn_signal_at(signal, -1.0), 1.0, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 0.25), 1.25, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 1.0), 2.0, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 2.5), 0.5, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 3.5), 2.5, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 4.0), 5.0, 0.0);
    CN_CHECK_NEAR(cn_signal_at(signal, 9.0), 5.0, 0.0);
    CN_CHECK_TRUE(isnan(cn_signal_at(signal, NAN)));
    CN_CHECK_TRUE(!cn_signal_is_constant(signal));
    cn_signal_destroy(signal);
}

CN_TEST(table_of_one_point_is_constant) {
    const double time = 2.0, value = 7.0;
    cn_signal *signal = cn_signal_create(NULL, 0.0, NULL, &time, &value, 1, NULL, NULL);
    CN_CHECK_TRUE(cn_signal_at(signal, 0.0) == 7.0 && cn_signal_at(signal, 3.0) == 7.0);
    CN_CHECK_TRUE(cn_signal_is_constant(signal));
    cn_signal_destroy(signal);
}

CN_TEST(bad_tables_are_refused) {
    cn_error error;
    const double times[3] = {0.0, 1.0, 1.0}, values[3] = {0.0, 1.0, 2.0};
    const double broken[3] = {0.0, NAN, 2.0};
    CN_CHECK_TRUE(!cn_signal_create(NULL, 0.0, NULL, times, values, 3, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "row 2 has 1 after 1") != NULL);
    CN_CHECK_TRUE(!cn_signal_create(NULL, 0.0, NULL, values, broken, 3, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "row 1") != NULL);
    CN_CHECK_TRUE(!cn_signal_create(NULL, 0.0, "t", values, values, 3, NULL, &error));
    CN_CHECK_TRUE(strstr(error.message, "one is enough") != NULL);
}

CN_TEST(two_signals_do_not_disturb_each_other) {
    cn_signal *a = cn_expression("t"), *b = cn_expression("2*t");
    CN_CHECK_NEAR(cn_signal_at(a, 1.0), 1.0, 0.0);
    CN_CHECK_NEAR(cn_signal_at(b, 3.0), 6.0, 0.0);
    CN_CHECK_NEAR(cn_signal_at(a, 2.0), 2.0, 0.0);
    cn_signal_destroy(a);
    cn_signal_destroy(b);
}

CN_TEST(names_of_others_are_read_when_it_is_asked) {
    double u = 2.0;
    const cn_variable variable = {"u", &u};
    const cn_signal_names names = {&variable, 1};
    cn_signal *signal = cn_signal_create(NULL, 0.0, "u + t", NULL, NULL, 0, &names, NULL);
    CN_CHECK_TRUE(signal && !cn_signal_is_constant(signal));
    CN_CHECK_NEAR(cn_signal_at(signal, 1.0), 3.0, 0.0);
    u = 5.0;
    CN_CHECK_NEAR(cn_signal_at(signal, 1.0), 6.0, 0.0);
    cn_signal_destroy(signal);
}
