// solve/drivers/watch.h
// When an iterative solver ends: one place that knows tolerance, iteration limit, time limit,
// divergence and cancelling.
//
//     solve_watch watch = solve_watch_start(opts);
//     while (!solve_watch_stop(&watch, "sweeps", iteration, residual, report)) { ... }
//     return watch.status;
#ifndef CAIRN_SOLVE_DRIVERS_WATCH_H
#define CAIRN_SOLVE_DRIVERS_WATCH_H

#include <cairn/solve.h>

// A solver aims this much below the tolerance, so that the checker, which sums in another order,
// finds the answer within it.
#define SOLVE_WATCH_MARGIN 0.999

typedef struct solve_watch {
    const cn_solve_opts *opts;
    double start;     // [s] CPU
    cn_status status; // CN_ERR_CANCELLED once a callback said so, else CN_OK
} solve_watch;

solve_watch solve_watch_start(const cn_solve_opts *opts);

// Whether to end now: residual within the tolerance (CN_SOLVED), not finite (CN_DIVERGED), or for a
// reason of solve_watch_tick. residual is that of the iterate at hand, or the last known one
// between two evaluations. stage is static text. Sets report->iterations always, and outcome and
// detail when it returns true.
bool solve_watch_stop(solve_watch *watch, const char *stage, int64_t iteration, double residual,
                      cn_solve_report *report);
// The same for a method that has no residual on its way: iteration at the limit (CN_LIMIT), out of
// time (CN_TIME), cancelled (CN_STALLED and watch->status). residual is only shown; NaN: not known.
bool solve_watch_tick(solve_watch *watch, const char *stage, int64_t iteration, double residual,
                      cn_solve_report *report);

// A direct method's own reason to end. detail is static text.
static inline void solve_report_end(cn_solve_report *report, cn_outcome outcome,
                                    const char *detail) {
    report->outcome = outcome;
    report->detail = detail;
}

// Whom a solve inside another one asks and informs.
static inline void solve_opts_take_callbacks(cn_solve_opts *opts, const cn_solve_opts *outer) {
    opts->progress = outer->progress;
    opts->progress_user = outer->progress_user;
    opts->cancel = outer->cancel;
    opts->cancel_user = outer->cancel_user;
}

// Whether there is a time limit and it has been reached, or the solve is cancelled.
bool solve_watch_is_late(const solve_watch *watch);
// The options for a part that begins at this time [s CPU] after start: less of the time limit.
cn_solve_opts solve_watch_rest(const cn_solve_opts *opts, double start);

#endif
