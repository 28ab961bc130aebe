// app/reproduce_rows.h
// The rows of the table of experiments: one a file app/reproduce_<id>.c.
#ifndef CAIRN_APP_REPRODUCE_ROWS_H
#define CAIRN_APP_REPRODUCE_ROWS_H

#include "reproduce.h"

extern const cn_experiment cn_experiment_e1, cn_experiment_e2, cn_experiment_e3, cn_experiment_e4,
    cn_experiment_e4b, cn_experiment_e5, cn_experiment_e6, cn_experiment_e7, cn_experiment_e8,
    cn_experiment_e9, cn_experiment_e10, cn_experiment_e11, cn_experiment_e12, cn_experiment_e15;

// The figure of experiments with and without stabilisation: overlap over time of the two.
void cn_lab_plot_infeasibility(cn_lab *lab, const char *title, const char *about,
                               const cn_series curve[2]);

#endif
