// app/draw/history.h
// Residuals by iteration, as solvers report them while they run: as CSV and as a plot.
#ifndef CAIRN_APP_DRAW_HISTORY_H
#define CAIRN_APP_DRAW_HISTORY_H

#include "support/progress.h"

typedef struct history_curve {
    char *problem, *solver, *note; // owned
    double *x, *y;                 // iterations in the solver's unit, residuals
    const char **stage;            // static texts
    double before, last;           // iterations of the stages before this one; of this one
    int32_t count, capacity;
} history_curve;

typedef struct solve_history {
    history_curve *curves;
    int32_t count;
    progress_line *line; // drawn as well
} solve_history;

// The next solve; its points are added by history_step, a cn_progress_fn whose user is the history.
void history_begin(solve_history *all, const char *problem, const char *solver,
                   progress_line *line);
// Solvers made of stages may count each from 0; here the counts add up.
bool history_step(void *user, const cn_progress *progress);
// The end as it was graded.
void history_end(solve_history *all, double iterations, double residual, const char *note);
// PATH.csv writes the numbers and beside them PATH.svg, the plot; PATH.svg the plot alone. tolerance:
// a line in it. Returns an exit code.
int history_write(const solve_history *all, const char *path, double tolerance);
void history_free(solve_history *all);

#endif
