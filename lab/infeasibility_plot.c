// What the experiments with and without stabilisation share: their figure.
#include "lab/experiments.h"

void lab_plot_infeasibility(reproduction *lab, const char *title, const char *about,
                            const point_series curve[2]) {
    const plot_curve curves[] = {{.name = "stabilised",
                                  .note = "g/h in the law",
                                  .x = curve[0].x,
                                  .y = curve[0].y,
                                  .count = curve[0].count},
                                 {.name = "not stabilised",
                                  .note = "without",
                                  .x = curve[1].x,
                                  .y = curve[1].y,
                                  .count = curve[1].count}};
    plot_spec plot = {.title = title,
                      .subtitle = "largest overlap at the start of each step",
                      .x_label = "t [s]",
                      .y_label = "overlap [m]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LOG,
                      .curves = curves,
                      .count = 2};
    lab_plot(lab, "infeasibility", about, &plot);
}
