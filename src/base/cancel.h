// base/cancel.h
// Whether the caller wants the work at hand to end, polled by counts of that work: what is polled
// when is a function of the problem alone.
#ifndef CAIRN_BASE_CANCEL_H
#define CAIRN_BASE_CANCEL_H

#include "base/error.h"

// Multiplications, or what takes as long, between two polls: some milliseconds.
#define BASE_POLL_WORK 4e6

static inline bool base_is_cancelled(const cn_env *env) {
    return env && env->cancel && env->cancel(env->cancel_user);
}

// CN_ERR_CANCELLED with its text, or CN_OK.
static inline cn_status base_poll_status(const cn_env *env, cn_error *error) {
    return base_is_cancelled(env) ? base_fail_cancelled(error) : CN_OK;
}

typedef struct base_poll {
    const cn_env *env; // NULL: never cancelled
    double work;       // since the last poll
} base_poll;

// Counts work that is about to be done; true: it is to be left, and what was done of it is worth
// nothing.
static inline bool base_poll_work(base_poll *poll, double work) {
    poll->work += work;
    if (!(poll->work >= BASE_POLL_WORK)) {
        return false;
    }
    poll->work = 0.0;
    return base_is_cancelled(poll->env);
}

#endif
