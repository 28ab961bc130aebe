// app/draw/plot.h
// A line plot as a self-contained SVG file.
#ifndef CAIRN_APP_DRAW_PLOT_H
#define CAIRN_APP_DRAW_PLOT_H

#include "draw/svg.h"

#include <stdbool.h>

typedef struct plot_curve {
    const char *name, *note;  // legend: two lines; without a name there is none
    const double *x, *y;      // points that are not finite, or not positive on a logarithmic axis,
                              // are left out; a NaN in x also lifts the pen
    const char *const *marks; // a dot and a short text at every point of a line; NULL: none
    int32_t count;
    bool dots;    // points instead of a line
    bool outline; // a thin grey line without a dot at its end, as of bodies
    bool strokes; // many short lines: thin, without a dot at the end
} plot_curve;

#define PLOT_DASHES 4 // whole, dashed, dotted, dash-dotted: a colour is used once with each
#define PLOT_CURVES (SVG_COLOURS * PLOT_DASHES) // more are left out

typedef enum plot_scale { SCALE_LOG, SCALE_LINEAR } plot_scale;

typedef struct plot_spec {
    const char *title, *subtitle, *x_label, *y_label;
    plot_scale x_scale, y_scale;
    bool equal;        // a metre is as long on both (linear) axes
    bool overlaid;     // curves are expected to lie on each other: later ones are dashed
    double y_range[2]; // of a linear axis; both 0: from the data
    double y_target;   // a marked level on a logarithmic axis; 0: none
    const char *target_label;
    const plot_curve *curves;
    int32_t count;
} plot_spec;

void plot_write(const plot_spec *plot, FILE *out);

#endif
