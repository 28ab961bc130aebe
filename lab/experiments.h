// lab/experiments.h
// The rows of the table of experiments: one per file lab/<id>_<name>.c.
#ifndef CAIRN_LAB_EXPERIMENTS_H
#define CAIRN_LAB_EXPERIMENTS_H

#include "lab/lab.h"

extern const cn_experiment cn_experiment_e1, cn_experiment_e2, cn_experiment_e3, cn_experiment_e4,
    cn_experiment_e4b, cn_experiment_e5, cn_experiment_e6, cn_experiment_e7, cn_experiment_e8,
    cn_experiment_e9, cn_experiment_e10, cn_experiment_e11, cn_experiment_e12, cn_experiment_e15;

// The figure of experiments with and without stabilisation: overlap over time of the two.
void cn_lab_plot_infeasibility(cn_lab *lab, const char *title, const char *about,
                               const cn_series curve[2]);

#endif
