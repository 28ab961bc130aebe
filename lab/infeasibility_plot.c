// What the experiments with and without stabilisation share: their figure.
#include "lab/experiments.h"

void cn_lab_plot_infeasibility(cn_lab *lab, const char *title, const char *about,
                               const cn_series curve[2]) {
    const cn_curve curves[] = {{.name = "stabilised",
                                .note = "g/h in the law",
                                .x = curve[0].x,
                                .y = curve[0].y,
                                .count = curve[0].count},
                               {.name = "not stabilised",
                                .note = "without",
                                .x = curve[1].x,
                                .y = curve[1].y,
                                .count = curve[1].count}};
    cn_plot plot = {.title = title,
                    .subtitle = "largest overlap at the start of each step",
                    .x_label = "t [s]",
                    .y_label = "overlap [m]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LOG,
                    .curves = curves,
                    .count = 2};
    cn_lab_plot(lab, "infeasibility", about, &plot);
}
