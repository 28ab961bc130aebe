// bench/engines/comparison_chart.c
// The chart of contests: accuracy over speed, a curve an entrant, a mark a scene; see comparison.h.
#include "bench/engines/comparison.h"

#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_CHART_POINTS 16
#define CN_CHART_LEAST 1e-9 // overlaps below are drawn here: a logarithmic axis has no zero

typedef struct cn_chart_entrant {
    char name[48], note[64];
    const char *marks[CN_CHART_POINTS];
    double x[CN_CHART_POINTS], y[CN_CHART_POINTS];
    int32_t count;
} cn_chart_entrant;

struct cn_chart {
    const char *title, *subtitle, *y_label;
    cn_chart_entrant entrants[CN_CONTEST_ENTRANTS];
    int32_t count;
};

cn_chart *cn_chart_open(const char *title, const char *subtitle, const char *y_label) {
    cn_chart *chart = CN_ALLOCATE(cn_chart, 1);
    chart->title = title;
    chart->subtitle = subtitle;
    chart->y_label = y_label;
    return chart;
}

void cn_chart_add(cn_chart *chart, const cn_race_result *result, const char *mark, double x,
                  double y) {
    int32_t i = 0;
    while (i < chart->count && strcmp(chart->entrants[i].name, result->name) != 0) {
        i++;
    }
    if (i == CN_CONTEST_ENTRANTS || !isfinite(x) || !isfinite(y)) {
        return;
    }
    cn_chart_entrant *entrant = &chart->entrants[i];
    if (i == chart->count) {
        chart->count++;
        snprintf(entrant->name, sizeof entrant->name, "%s", result->name);
        snprintf(entrant->note, sizeof entrant->note, "%s", result->setting);
    }
    if (entrant->count < CN_CHART_POINTS) {
        entrant->marks[entrant->count] = mark;
        entrant->x[entrant->count] = x;
        entrant->y[entrant->count++] = fmax(y, CN_CHART_LEAST);
    }
}

int cn_chart_close(cn_chart *chart, const char *path) {
    int code = CN_EXIT_DONE;
    cn_output out;
    bool wanted = path && chart->count > 0, opened = wanted && cn_output_open(&out, path);
    if (wanted && !opened) {
        code = CN_EXIT_FAILURE;
    }
    if (opened) {
        cn_curve curves[CN_CONTEST_ENTRANTS];
        for (int32_t i = 0; i < chart->count; i++) {
            const cn_chart_entrant *entrant = &chart->entrants[i];
            curves[i] = (cn_curve){.name = entrant->name,
                                   .note = entrant->note,
                                   .x = entrant->x,
                                   .y = entrant->y,
                                   .marks = entrant->marks,
                                   .count = entrant->count};
        }
        cn_plot plot = {.title = chart->title,
                        .subtitle = chart->subtitle,
                        .x_label = "S_p: simulated over CPU time (faster to the right)",
                        .y_label = chart->y_label,
                        .x_scale = CN_SCALE_LOG,
                        .y_scale = CN_SCALE_LOG,
                        .curves = curves,
                        .count = chart->count};
        cn_plot_write(&plot, out.file);
        code = cn_output_close(&out);
    }
    free(chart);
    return code;
}
