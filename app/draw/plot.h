// app/draw/plot.h
// A line plot as a self-contained SVG file.
#ifndef CAIRN_APP_DRAW_PLOT_H
#define CAIRN_APP_DRAW_PLOT_H

#include "draw/svg.h"

#include <stdbool.h>

typedef struct cn_curve {
    const char *name, *note;  // legend: two lines; without a name there is none
    const double *x, *y;      // points that are not finite, or not positive on a logarithmic axis,
                              // are left out; a NaN in x also lifts the pen
    const char *const *marks; // a dot and a short text at every point of a line; NULL: none
    int32_t count;
    bool dots;    // points instead of a line
    bool outline; // a thin grey line without a dot at its end, as of bodies
} cn_curve;

#define CN_PLOT_DASHES 4 // whole, dashed, dotted, dash-dotted: a colour is used once with each
#define CN_PLOT_CURVES (CN_SVG_COLOURS * CN_PLOT_DASHES) // more are left out

typedef enum cn_scale { CN_SCALE_LOG, CN_SCALE_LINEAR } cn_scale;

typedef struct cn_plot {
    const char *title, *subtitle, *x_label, *y_label;
    cn_scale x_scale, y_scale;
    bool equal;        // a metre is as long on both (linear) axes
    bool overlaid;     // curves are expected to lie on each other: later ones are dashed
    double y_range[2]; // of a linear axis; both 0: from the data
    double y_target;   // a marked level on a logarithmic axis; 0: none
    const char *target_label;
    const cn_curve *curves;
    int32_t count;
} cn_plot;

void cn_plot_write(const cn_plot *plot, FILE *out);

#endif
