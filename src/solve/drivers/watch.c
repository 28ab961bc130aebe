// solve/drivers/watch.c
#include "solve/drivers/watch.h"

#include "base/clock.h"

#include <float.h>
#include <math.h>

solve_watch solve_watch_start(const cn_solve_opts *opts) {
    return (solve_watch){.opts = opts, .start = opts->time_limit > 0.0 ? base_clock_cpu() : 0.0};
}

static bool watch_end(cn_solve_report *report, cn_outcome outcome, const char *detail) {
    report->outcome = outcome;
    report->detail = detail;
    return true;
}

static bool watch_cancel(solve_watch *watch, cn_solve_report *report) {
    watch->status = CN_ERR_CANCELLED;
    return watch_end(report, CN_STALLED, "cancelled");
}

static bool watch_is_cancelled(const solve_watch *watch) {
    const cn_solve_opts *opts = watch->opts;
    return opts->cancel && opts->cancel(opts->cancel_user);
}

double cn_clock(void) {
    return base_clock_steady();
}

static bool watch_is_timed_out(const solve_watch *watch) {
    const cn_solve_opts *opts = watch->opts;
    bool spent = opts->time_limit > 0.0 && !(base_clock_cpu() - watch->start < opts->time_limit);
    return spent || (opts->deadline > 0.0 && !(base_clock_steady() < opts->deadline));
}

bool solve_watch_is_late(const solve_watch *watch) {
    return watch_is_cancelled(watch) || watch_is_timed_out(watch);
}

cn_solve_opts solve_watch_rest(const cn_solve_opts *opts, double start) {
    cn_solve_opts rest = *opts;
    if (opts->time_limit > 0.0) {
        rest.time_limit = fmax(opts->time_limit - (base_clock_cpu() - start), DBL_MIN);
    }
    return rest;
}

bool solve_watch_tick(solve_watch *watch, const char *stage, int64_t iteration, double residual,
                      cn_solve_report *report) {
    const cn_solve_opts *opts = watch->opts;
    report->iterations = iteration < INT32_MAX ? (int32_t)iteration : INT32_MAX;
    if (watch_is_cancelled(watch)) {
        return watch_cancel(watch, report);
    }
    if (iteration >= opts->max_iterations) {
        return watch_end(report, CN_LIMIT, "iteration limit reached");
    }
    if (watch_is_timed_out(watch)) {
        return watch_end(report, CN_TIME, "time limit reached");
    }
    if (opts->progress) {
        cn_progress progress = {
            .stage = stage, .done = iteration, .total = opts->max_iterations, .residual = residual};
        if (!opts->progress(opts->progress_user, &progress)) {
            return watch_cancel(watch, report);
        }
    }
    return false;
}

bool solve_watch_stop(solve_watch *watch, const char *stage, int64_t iteration, double residual,
                      cn_solve_report *report) {
    report->iterations = iteration < INT32_MAX ? (int32_t)iteration : INT32_MAX;
    if (!isfinite(residual)) {
        return watch_end(report, CN_DIVERGED, "the iterates became non-finite");
    }
    if (residual <= SOLVE_WATCH_MARGIN * watch->opts->tolerance) {
        return watch_end(report, CN_SOLVED, "tolerance reached");
    }
    return solve_watch_tick(watch, stage, iteration, residual, report);
}
