// lab/experiments.h
// The rows of the table of experiments: one per file lab/<id>_<name>.c.
#ifndef CAIRN_LAB_EXPERIMENTS_H
#define CAIRN_LAB_EXPERIMENTS_H

#include "lab/lab.h"

extern const lab_experiment experiment_e1, experiment_e2, experiment_e3, experiment_e4,
    experiment_e4b, experiment_e5, experiment_e6, experiment_e7, experiment_e8, experiment_e9,
    experiment_e10, experiment_e11, experiment_e12, experiment_e14, experiment_e15;

// The figure of experiments with and without stabilisation: overlap over time of the two.
void lab_plot_infeasibility(reproduction *lab, const char *title, const char *about,
                            const point_series curve[2]);

#endif
