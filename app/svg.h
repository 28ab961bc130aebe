// app/svg.h
// A log-log line plot as a self-contained SVG file, legible on light and dark pages.
#ifndef CAIRN_APP_SVG_H
#define CAIRN_APP_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cn_curve {
    const char *name, *note; // legend: two lines
    const double *x, *y;     // points that are not positive are left out
    int32_t count;
} cn_curve;

#define CN_PLOT_CURVES 6 // as many as there are colours

typedef struct cn_plot {
    const char *title, *subtitle, *x_label, *y_label;
    double y_target; // a marked level; 0: none
    const char *target_label;
    const cn_curve *curves;
    int32_t count;
} cn_plot;

void cn_plot_write(const cn_plot *plot, FILE *out);

#endif
