// lab/e15_first_order.c
// E15: first-order nonsmooth systems, held against closed forms: rectifiers with diodes, a relay
// that switches infinitely often, sliding-mode control with and without chattering.
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>

#define E15_AMPLITUDE 10.0  // [V]
#define E15_WAVE 1e-3       // allowed of the amplitude
#define E15_WAVE_QUICK 5e-3 // at steps five times as large; the scheme is of first order
#define E15_SLIDING 0.55    // [s] from here on the controlled system slides

static const heading e15_columns[] = {{"system", "system"},     {"h [s]", "h"},
                                      {"quantity", "quantity"}, {"closed form", "exact"},
                                      {"ours", "ours"},         {NULL, NULL}};

static void e15_row(reproduction *lab, const char *system, double h, const char *quantity,
                    double exact, double ours) {
    data_table_text(&lab->table, system, INK_PLAIN);
    data_table_real(&lab->table, 3, h);
    data_table_text(&lab->table, quantity, INK_PLAIN);
    data_table_real(&lab->table, 6, exact);
    data_table_real(&lab->table, 6, ours);
}

// ---- waves ----

typedef struct e15_wave {
    double (*exact)(double t); // NULL: not compared
    double worst;
    point_series ours, closed;
    double u_last, variation, max; // of the sliding mode
    double next;                   // [s] when the next point is drawn
} e15_wave;

// The bridge acts as its load on the oscillator.
static double e15_bridge(double t) {
    double omega = sqrt(1e8 - 2.5e5);
    return exp(-500.0 * t) * (10.0 * cos(omega * t) - 5000.0 / omega * sin(omega * t));
}

// Half waves by turns damped and free, each started where the one before ended.
static double e15_half_wave(double t) {
    double omega = sqrt(1e8 - 2.5e5), pi = 3.14159265358979323846;
    // v = 10 cos wt - 5000/w sin wt first vanishes at tan wt = w/500; then free for pi/1e4.
    double v = 10.0, i = 0.0, start = 0.0;
    for (int32_t half = 0; half < 1000; half++) {
        bool damped = half % 2 == 0;
        double rate = damped ? omega : 1e4, decay = damped ? 500.0 : 0.0;
        // v = e^-dt (v cos + B sin), v' = -(i + v/R)/C or -i/C
        double slope = -1e6 * (i + (damped ? 1e-3 * v : 0.0)), B = (slope + decay * v) / rate;
        double length = pi / rate;
        if (half == 0) {
            length = atan2(v, -B) / rate;
        }
        double s = fmin(t - start, length);
        double now = exp(-decay * s) * (v * cos(rate * s) + B * sin(rate * s));
        double now_slope =
            -decay * now + exp(-decay * s) * rate * (B * cos(rate * s) - v * sin(rate * s));
        if (t - start <= length) {
            return now;
        }
        i = -1e-6 * now_slope - (damped ? 1e-3 * now : 0.0);
        v = 0.0;
        start += length;
    }
    return (double)NAN;
}

static void e15_take(void *user, double t, const double *q, const double *v) {
    e15_wave *wave = user;
    (void)v;
    double exact = wave->exact(t);
    wave->worst = fmax(wave->worst, fabs(q[0] - exact));
    if (t >= wave->next) {
        series_add(&wave->ours, 1e3 * t, q[0]);
        series_add(&wave->closed, 1e3 * t, exact);
        wave->next = t + 2e-5;
    }
}

static void e15_plot(reproduction *lab, const char *name, const char *title, const e15_wave *wave) {
    const plot_curve curves[] = {{.name = "ours",
                                  .note = "implicit",
                                  .x = wave->ours.x,
                                  .y = wave->ours.y,
                                  .count = wave->ours.count},
                                 {.name = "closed form",
                                  .note = "exact",
                                  .x = wave->closed.x,
                                  .y = wave->closed.y,
                                  .count = wave->closed.count}};
    plot_spec plot = {.title = title,
                      .subtitle = "voltage of the capacitor",
                      .x_label = "t [ms]",
                      .y_label = "v [V]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .overlaid = true,
                      .curves = curves,
                      .count = 2};
    lab_plot(lab, name, "voltage over time, ours and the closed form", &plot);
}

static bool e15_rectify(reproduction *lab, const char *scene, double (*exact)(double t),
                        const char *step) {
    lab_trial trial = {.name = scene,
                       .scene = scene,
                       .method = &lab->experiment->methods[0],
                       .set = {{"time.step", step}, {"time.frames_every", "0"}}};
    trial_result result;
    e15_wave wave = {.exact = exact};
    if (!lab_run_trial(lab, &trial, &result)) {
        return false;
    }
    bool good = result_frames(lab, &result, e15_take, &wave);
    if (good) {
        double h = strtod(step, NULL);
        char *what = format_text("%s: largest error / amplitude", scene);
        e15_row(lab, scene, h, "largest error [V]", 0.0, wave.worst);
        lab_below(lab, what, "", wave.worst / E15_AMPLITUDE,
                  lab->quick ? E15_WAVE_QUICK : E15_WAVE);
        free(what);
        e15_plot(lab, scene, scene, &wave);
    }
    series_free(&wave.ours);
    series_free(&wave.closed);
    result_free(&result);
    return good;
}

// ---- a relay with infinitely many switches ----

typedef struct e15_spiral {
    double reached; // [s] the origin; 0: not yet
    double after;   // largest distance from it since
    point_series path;
} e15_spiral;

static void e15_spiral_take(void *user, double t, const double *q, const double *v) {
    e15_spiral *spiral = user;
    (void)v;
    double size = fabs(q[0]) + fabs(q[1]);
    if (spiral->reached == 0.0 && size <= 1e-12) {
        spiral->reached = t;
    } else if (spiral->reached > 0.0) {
        spiral->after = fmax(spiral->after, size);
    }
    series_add(&spiral->path, q[0], q[1]);
}

static bool e15_filippov(reproduction *lab, const char *step) {
    lab_trial trial = {.name = "filippov-spiral",
                       .scene = "filippov-spiral",
                       .method = &lab->experiment->methods[0],
                       .set = {{"time.step", step}, {"time.frames_every", step}}};
    trial_result result;
    e15_spiral spiral = {.reached = 0.0};
    if (!lab_run_trial(lab, &trial, &result)) {
        return false;
    }
    bool good = result_frames(lab, &result, e15_spiral_take, &spiral);
    if (good) {
        e15_row(lab, "filippov-spiral", strtod(step, NULL), "origin reached [s]", 1.5,
                spiral.reached);
        lab_below(lab, "filippov-spiral: distance from the origin afterwards", "", spiral.after,
                  1e-12);
        const plot_curve path = {.name = "path",
                                 .note = "into the origin",
                                 .x = spiral.path.x,
                                 .y = spiral.path.y,
                                 .count = spiral.path.count};
        plot_spec plot = {.title = "E15: a spiral of infinitely many switches",
                          .subtitle = "relay on both coordinates, implicit",
                          .x_label = "x1",
                          .y_label = "x2",
                          .x_scale = SCALE_LINEAR,
                          .y_scale = SCALE_LINEAR,
                          .equal = true,
                          .curves = &path,
                          .count = 1};
        lab_plot(lab, "spiral", "path of the relay system", &plot);
    }
    series_free(&spiral.path);
    result_free(&result);
    return good;
}

// ---- sliding mode ----

static void e15_slide_take(void *user, double t, const double *q, const double *v) {
    e15_wave *wave = user;
    series_add(&wave->ours, t, q[1]);
    if (t > E15_SLIDING) {
        // What the controller put out: x2' = -sin 50t + 2u, at the middle of the step.
        double u = 0.5 * (v[1] + sin(50.0 * (t - 0.5e-4)));
        wave->max = fmax(wave->max, fabs(q[1]));
        wave->variation += wave->next > 0.0 ? fabs(u - wave->u_last) : 0.0;
        wave->u_last = u;
        wave->next = 1.0;
    }
}

static bool e15_slide(reproduction *lab, const char *name, const char *law, e15_wave *wave) {
    lab_trial trial = {.name = name,
                       .scene = "sliding-mode",
                       .method = &lab->experiment->methods[0],
                       .set = {{"time.frames_every", "1.0e-4"}, {"control.0.outputs.u", law}}};
    trial_result result;
    if (!lab_run_trial(lab, &trial, &result)) {
        return false;
    }
    bool good = result_frames(lab, &result, e15_slide_take, wave);
    result_free(&result);
    return good;
}

static void e15_sliding(reproduction *lab) {
    e15_wave implicit = {.worst = 0.0}, explicit_law = {.worst = 0.0};
    if (e15_slide(lab, "sliding-implicit", "\"-max(-1, min(1, s/0.02))\"", &implicit) &&
        e15_slide(lab, "sliding-explicit", "\"-((s>0)-(s<0))\"", &explicit_law)) {
        e15_row(lab, "sliding mode, implicit", 1e-4, "largest |s| in sliding", 0.009894,
                implicit.max);
        e15_row(lab, "sliding mode, explicit", 1e-4, "largest |s| in sliding", 0.02864,
                explicit_law.max);
        e15_row(lab, "sliding mode, implicit", 1e-4, "total variation of u", 6.857,
                implicit.variation);
        e15_row(lab, "sliding mode, explicit", 1e-4, "total variation of u", 74.0,
                explicit_law.variation);
        lab_below(lab, "sliding mode, implicit: largest |s|", "no chattering", implicit.max,
                  2.0 * sin(0.25) / 50.0 * 1.001);
        lab_above(lab, "variation of u, explicit over implicit", "chattering",
                  explicit_law.variation / implicit.variation, 5.0);
        const plot_curve curves[] = {{.name = "explicit",
                                      .note = "u = -sgn s",
                                      .x = explicit_law.ours.x,
                                      .y = explicit_law.ours.y,
                                      .count = explicit_law.ours.count},
                                     {.name = "implicit",
                                      .note = "u = -proj(s / 2h)",
                                      .x = implicit.ours.x,
                                      .y = implicit.ours.y,
                                      .count = implicit.ours.count}};
        plot_spec plot = {.title = "E15: sliding-mode control, sampled every 10 ms",
                          .subtitle = "an unknown disturbance sin 50t",
                          .x_label = "t [s]",
                          .y_label = "s",
                          .x_scale = SCALE_LINEAR,
                          .y_scale = SCALE_LINEAR,
                          .curves = curves,
                          .count = 2};
        lab_plot(lab, "sliding", "distance from the sliding surface", &plot);
    }
    series_free(&implicit.ours);
    series_free(&explicit_law.ours);
}

static void e15(reproduction *lab) {
    const char *step = lab->quick ? "1.0e-6" : "2.0e-7";
    if (e15_rectify(lab, "diode-bridge", e15_bridge, step) &&
        e15_rectify(lab, "half-wave-rectifier", e15_half_wave, step) &&
        e15_filippov(lab, lab->quick ? "1.0e-3" : "1.0e-4")) {
        e15_sliding(lab);
    }
}

static const lab_method e15_methods[] = {{.label = "euler-moreau"}, {.label = NULL}};

const lab_experiment experiment_e15 = {
    .id = "E15",
    .title = "circuits with diodes, relays and sliding modes",
    .source = SOURCE_ACARY_2009,
    .scenes = "diode-bridge, half-wave-rectifier, filippov-spiral, sliding-mode",
    .methods = e15_methods,
    .columns = e15_columns,
    .differs =
        "the slides show such systems without figures; parameters are those of public "
        "demonstrations, and what ours is held against are closed forms. The scheme is of first "
        "order, since multipliers are implicit: at 1 us the bridge is off by 0.019 V. The spiral "
        "reaches its origin early (1.43 s at 0.1 ms), and later as the step shrinks. Sliding mode: "
        "the figures beside ours are those of an exact plant.",
    .run = e15};
