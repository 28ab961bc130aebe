// tests/system/test_first_order_system.c
// Linear complementarity systems and relays: circuits with diodes, sliding modes, against closed
// forms.
#include "check.h"

#include <cairn/system.h>

#include <math.h>
#include <string.h>

static cn_system_run *cn_started(const cn_first_order *def, const cn_system_opts *opts,
                                 cn_system **system) {
    cn_error error = {.status = CN_OK};
    cn_system_run *run = NULL;
    if (cn_system_create_first_order(NULL, def, system, &error) != CN_OK ||
        cn_system_run_create(*system, opts, NULL, &run, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return run;
}

static void step_data(cn_system_run *run) {
    cn_system_report report;
    cn_error error = {.status = CN_OK};
    if (cn_system_run_step(run, &report, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    CN_CHECK_TRUE(report.outcome == CN_SOLVED);
}

static void cn_go(cn_system_run *run, double t, double h) {
    while (cn_system_run_time(run) < t - 0.5 * h) {
        step_data(run);
    }
}

// ---- diode bridge ----

static const double cn_circuit_L = 1e-2, cn_circuit_C = 1e-6;

static double cn_bridge_voltage(double t) {
    double omega = sqrt(1e8 - 2.5e5);
    return exp(-500 * t) * (10 * cos(omega * t) - 5000 / omega * sin(omega * t));
}

static double cn_bridge_current(double t) {
    double omega = sqrt(1e8 - 2.5e5);
    return 10 / (cn_circuit_L * omega) * exp(-500 * t) * sin(omega * t);
}

static cn_system_run *cn_bridge(double h, double theta_multiplier, cn_system **system) {
    static const double R = 1e3, x[2] = {10, 0};
    const double A[4] = {0, -1 / cn_circuit_C, 1 / cn_circuit_L, 0};
    const double B[8] = {0, 0, -1 / cn_circuit_C, 1 / cn_circuit_C};
    const double C[8] = {0, 0, 0, 0, -1, 0, 1, 0};
    const double D[16] = {1 / R, 1 / R, -1, 0, 1 / R, 1 / R, 0, -1, 1, 0, 0, 0, 0, 1, 0, 0};
    const double lower[4] = {0}, upper[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    cn_first_order def = {.name = "diode bridge",
                          .n = 2,
                          .m = 4,
                          .A = A,
                          .B = B,
                          .C = C,
                          .D = D,
                          .x = x,
                          .lower = lower,
                          .upper = upper};
    cn_system_opts opts = cn_system_opts_default();
    opts.step = h;
    opts.theta_multiplier = theta_multiplier;
    return cn_started(&def, &opts, system);
}

CN_TEST(diode_bridge_has_the_known_digits_of_the_scheme) {
    cn_system *system;
    double h = 1e-6;
    cn_system_run *run = cn_bridge(h, 1.0, &system);
    const double *x = cn_system_run_q(run), *lambda = cn_system_run_multiplier(run);
    cn_go(run, 1e-4, h);
    CN_CHECK_NEAR(x[0], 4.75147525, 1e-8);
    CN_CHECK_NEAR(x[1], 0.0800878115, 1e-10);
    cn_go(run, 1e-3, h);
    CN_CHECK_NEAR(x[0], -4.97842134, 1e-8);
    CN_CHECK_NEAR(x[1], -0.0322822484, 1e-10);
    CN_CHECK_NEAR(lambda[0], 0.0, 1e-12);
    CN_CHECK_NEAR(lambda[1], 4.97842134, 1e-8);
    CN_CHECK_NEAR(lambda[3], 0.00497842, 1e-8);
    cn_go(run, 2e-3, h);
    CN_CHECK_NEAR(x[0], 1.43684515, 1e-8);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// The largest difference to the closed form over a time.
static double cn_bridge_error(double h, double theta_multiplier, double until) {
    cn_system *system;
    cn_system_run *run = cn_bridge(h, theta_multiplier, &system);
    const double *x = cn_system_run_q(run);
    double worst = 0.0;
    while (cn_system_run_time(run) < until - 0.5 * h) {
        step_data(run);
        worst = fmax(worst, fabs(x[0] - cn_bridge_voltage(cn_system_run_time(run))));
    }
    CN_CHECK_NEAR(x[1], cn_bridge_current(cn_system_run_time(run)), 1e-3);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
    return worst;
}

CN_TEST(diode_bridge_follows_the_closed_form) {
    CN_CHECK_BELOW(cn_bridge_error(2e-7, 1.0, 5e-4), 1e-3 * 10.0);
}

CN_TEST(diode_bridge_is_of_first_order) {
    double coarse = cn_bridge_error(1e-6, 1.0, 4e-4), fine = cn_bridge_error(5e-7, 1.0, 4e-4);
    CN_CHECK_NEAR(coarse / fine, 2.0, 0.1);
}

CN_TEST(multiplier_at_theta_is_more_accurate) {
    CN_CHECK_BELOW(cn_bridge_error(2e-6, 0.5, 1e-4), 0.1 * cn_bridge_error(2e-6, 1.0, 1e-4));
}

CN_TEST(single_diode_has_the_known_digits) {
    static const double A[4] = {0, -1e6, 1e2, 0}, B[2] = {-1e6, 0}, C[2] = {-1, 0}, D[1] = {1e3};
    static const double x0[2] = {10, 0}, lower[1] = {0}, upper[1] = {HUGE_VAL};
    cn_first_order def = {
        .n = 2, .m = 1, .A = A, .B = B, .C = C, .D = D, .x = x0, .lower = lower, .upper = upper};
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    opts.step = 1e-5;
    cn_system_run *run = cn_started(&def, &opts, &system);
    const double *x = cn_system_run_q(run);
    cn_go(run, 1e-4, opts.step);
    CN_CHECK_NEAR(x[0], 4.779103, 1e-6);
    CN_CHECK_NEAR(x[1], 0.0801373, 1e-7);
    cn_go(run, 1e-3, opts.step);
    CN_CHECK_NEAR(x[0], -6.560154, 1e-6);
    cn_go(run, 4e-3, opts.step);
    CN_CHECK_NEAR(x[0], -2.256993, 1e-6);
    CN_CHECK_NEAR(x[1], 0.0284439, 1e-7);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- relays ----

static cn_system_run *cn_relay(const double *A, const double *B, const double *C, int32_t n,
                               int32_t m, const double *x, double h, cn_system **system) {
    static const double lower[2] = {-1, -1}, upper[2] = {1, 1};
    cn_first_order def = {.name = "relay",
                          .n = n,
                          .m = m,
                          .A = A,
                          .B = B,
                          .C = C,
                          .x = x,
                          .lower = lower,
                          .upper = upper};
    cn_system_opts opts = cn_system_opts_default();
    opts.step = h;
    return cn_started(&def, &opts, system);
}

CN_TEST(relay_reaches_its_surface_and_stays) {
    static const double B[4] = {2, 0, 0, 2}, C[4] = {1, 0, 0, 1}, x0[2] = {1, -1};
    cn_system *system;
    double h = 1e-3;
    cn_system_run *run = cn_relay(NULL, B, C, 2, 2, x0, h, &system);
    const double *x = cn_system_run_q(run), *lambda = cn_system_run_multiplier(run);
    cn_go(run, 0.25, h);
    CN_CHECK_NEAR(x[0], 0.5, 1e-12);
    CN_CHECK_NEAR(x[1], -0.5, 1e-12);
    cn_go(run, 0.501, h);
    for (int i = 0; i < 100; i++) {
        step_data(run);
        CN_CHECK_NEAR(x[0], 0.0, 1e-15);
        CN_CHECK_NEAR(lambda[0], 0.0, 1e-12);
        CN_CHECK_NEAR(lambda[1], 0.0, 1e-12);
    }
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

CN_TEST(filippov_spiral_ends_in_the_origin) {
    static const double B[4] = {2, -52, 52, 2}, C[4] = {1, 0, 0, 1}, x0[2] = {3, 3};
    cn_system *system;
    double h = 1e-3;
    cn_system_run *run = cn_relay(NULL, B, C, 2, 2, x0, h, &system);
    const double *x = cn_system_run_q(run);
    cn_go(run, 0.25, h);
    CN_CHECK_NEAR(x[0], -4.424, 1e-9);
    CN_CHECK_NEAR(x[1], -0.464, 1e-9);
    cn_go(run, 0.5, h);
    CN_CHECK_NEAR(x[0], 0.144, 1e-9);
    CN_CHECK_NEAR(x[1], -3.556, 1e-9);
    cn_go(run, 1.0, h);
    CN_CHECK_NEAR(x[0], -0.068, 1e-9);
    CN_CHECK_NEAR(x[1], -0.944, 1e-9);
    cn_go(run, 1.15, h);
    for (int i = 0; i < 100; i++) {
        step_data(run);
        CN_CHECK_NEAR(fabs(x[0]) + fabs(x[1]), 0.0, 1e-13);
    }
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

CN_TEST(friction_oscillator_stops_where_the_closed_form_does) {
    static const double A[4] = {0, 1, -1, 0}, B[2] = {0, 1}, C[2] = {0, 1}, x0[2] = {12, 6};
    cn_system *system;
    double h = 0.01;
    cn_system_run *run = cn_relay(A, B, C, 2, 1, x0, h, &system);
    const double *x = cn_system_run_q(run), *lambda = cn_system_run_multiplier(run);
    cn_go(run, 1.0, h);
    CN_CHECK_NEAR(x[0], 11.389013, 1e-6);
    CN_CHECK_NEAR(x[1], -6.617952, 1e-6);
    cn_go(run, 5.0, h);
    CN_CHECK_NEAR(x[0], -2.501949, 1e-6);
    CN_CHECK_NEAR(x[1], 10.207948, 1e-6);
    cn_go(run, 30.0, h);
    CN_CHECK_NEAR(x[0], 0.682044, 1e-6);
    CN_CHECK_NEAR(x[0], 0.68217894, 2e-3);
    CN_CHECK_NEAR(x[1], 0.0, 1e-12);
    CN_CHECK_NEAR(lambda[0], x[0], 1e-10);
    double rest = x[0];
    cn_go(run, 60.0, h);
    CN_CHECK_NEAR(x[0], rest, 1e-10);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- wrong descriptions ----

CN_TEST(bounds_in_the_wrong_order_are_refused) {
    static const double B[1] = {1}, lower[1] = {1}, upper[1] = {-1};
    cn_first_order def = {.n = 1, .m = 1, .B = B, .C = B, .lower = lower, .upper = upper};
    cn_system *system;
    cn_error error;
    CN_CHECK_TRUE(cn_system_create_first_order(NULL, &def, &system, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "bounds") != NULL);
}
