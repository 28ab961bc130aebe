// solve/drivers/watch.c
#include "solve/drivers/watch.h"

#include "base/clock.h"

#include <float.h>
#include <math.h>

cn_watch cn_watch_start(const cn_solve_opts *opts) {
    return (cn_watch){.opts = opts, .start = opts->time_limit > 0.0 ? cn_clock_cpu() : 0.0};
}

static bool cn_watch_end(cn_solve_report *report, cn_outcome outcome, const char *detail) {
    report->outcome = outcome;
    report->detail = detail;
    return true;
}

static bool cn_watch_cancel(cn_watch *watch, cn_solve_report *report) {
    watch->status = CN_ERR_CANCELLED;
    return cn_watch_end(report, CN_STALLED, "cancelled");
}

static bool cn_watch_is_cancelled(const cn_watch *watch) {
    const cn_solve_opts *opts = watch->opts;
    return opts->cancel && opts->cancel(opts->cancel_user);
}

static bool cn_watch_is_timed_out(const cn_watch *watch) {
    return watch->opts->time_limit > 0.0 &&
           !(cn_clock_cpu() - watch->start < watch->opts->time_limit);
}

bool cn_watch_is_late(const cn_watch *watch) {
    return cn_watch_is_cancelled(watch) || cn_watch_is_timed_out(watch);
}

cn_solve_opts cn_watch_rest(const cn_solve_opts *opts, double start) {
    cn_solve_opts rest = *opts;
    if (opts->time_limit > 0.0) {
        rest.time_limit = fmax(opts->time_limit - (cn_clock_cpu() - start), DBL_MIN);
    }
    return rest;
}

bool cn_watch_tick(cn_watch *watch, const char *stage, int64_t iteration, double residual,
                   cn_solve_report *report) {
    const cn_solve_opts *opts = watch->opts;
    report->iterations = iteration < INT32_MAX ? (int32_t)iteration : INT32_MAX;
    if (cn_watch_is_cancelled(watch)) {
        return cn_watch_cancel(watch, report);
    }
    if (iteration >= opts->max_iterations) {
        return cn_watch_end(report, CN_LIMIT, "iteration limit reached");
    }
    if (cn_watch_is_timed_out(watch)) {
        return cn_watch_end(report, CN_TIME, "time limit reached");
    }
    if (opts->progress) {
        cn_progress progress = {
            .stage = stage, .done = iteration, .total = opts->max_iterations, .residual = residual};
        if (!opts->progress(opts->progress_user, &progress)) {
            return cn_watch_cancel(watch, report);
        }
    }
    return false;
}

bool cn_watch_stop(cn_watch *watch, const char *stage, int64_t iteration, double residual,
                   cn_solve_report *report) {
    report->iterations = iteration < INT32_MAX ? (int32_t)iteration : INT32_MAX;
    if (!isfinite(residual)) {
        return cn_watch_end(report, CN_DIVERGED, "the iterates left the finite numbers");
    }
    if (residual <= CN_WATCH_MARGIN * watch->opts->tolerance) {
        return cn_watch_end(report, CN_SOLVED, "tolerance reached");
    }
    return cn_watch_tick(watch, stage, iteration, residual, report);
}
