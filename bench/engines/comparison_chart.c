// bench/engines/comparison_chart.c
// The chart of comparisons: accuracy over speed, one curve per engine, one mark per scene; see
// comparison.h.
#include "bench/engines/comparison.h"

#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHART_POINTS 16
#define CHART_MIN 1e-9 // overlaps below are drawn here: a logarithmic axis has no zero

typedef struct chart_engine {
    char name[48], note[64];
    const char *marks[CHART_POINTS];
    double x[CHART_POINTS], y[CHART_POINTS];
    int32_t count;
} chart_engine;

struct accuracy_chart {
    const char *title, *subtitle, *y_label;
    chart_engine engines[COMPARISON_ENGINES];
    int32_t count;
};

accuracy_chart *chart_open(const char *title, const char *subtitle, const char *y_label) {
    accuracy_chart *chart = ALLOCATE(accuracy_chart, 1);
    chart->title = title;
    chart->subtitle = subtitle;
    chart->y_label = y_label;
    return chart;
}

void chart_add(accuracy_chart *chart, const engine_result *result, const char *mark, double x,
               double y) {
    int32_t i = 0;
    while (i < chart->count && strcmp(chart->engines[i].name, result->name) != 0) {
        i++;
    }
    if (i == COMPARISON_ENGINES || !isfinite(x) || !isfinite(y)) {
        return;
    }
    chart_engine *engine = &chart->engines[i];
    if (i == chart->count) {
        chart->count++;
        snprintf(engine->name, sizeof engine->name, "%s", result->name);
        snprintf(engine->note, sizeof engine->note, "%s", result->setting);
    }
    if (engine->count < CHART_POINTS) {
        engine->marks[engine->count] = mark;
        engine->x[engine->count] = x;
        engine->y[engine->count++] = fmax(y, CHART_MIN);
    }
}

int chart_close(accuracy_chart *chart, const char *path) {
    int code = EXIT_DONE;
    output_file out;
    bool wanted = path && chart->count > 0, opened = wanted && output_open(&out, path);
    if (wanted && !opened) {
        code = EXIT_FAILED;
    }
    if (opened) {
        plot_curve curves[COMPARISON_ENGINES];
        for (int32_t i = 0; i < chart->count; i++) {
            const chart_engine *engine = &chart->engines[i];
            curves[i] = (plot_curve){.name = engine->name,
                                     .note = engine->note,
                                     .x = engine->x,
                                     .y = engine->y,
                                     .marks = engine->marks,
                                     .count = engine->count};
        }
        plot_spec plot = {.title = chart->title,
                          .subtitle = chart->subtitle,
                          .x_label = "S_p: simulated over CPU time (faster to the right)",
                          .y_label = chart->y_label,
                          .x_scale = SCALE_LOG,
                          .y_scale = SCALE_LOG,
                          .curves = curves,
                          .count = chart->count};
        plot_write(&plot, out.file);
        code = output_close(&out);
    }
    free(chart);
    return code;
}
