// cairn/outcome.h
// How good an answer is: of a solve, of a step.
#ifndef CAIRN_OUTCOME_H
#define CAIRN_OUTCOME_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Running out of iterations is an outcome, not an error.
#define CN_OUTCOME_LIST(X)                                                                         \
    X(CN_SOLVED, "solved")           /* the checker's residual is within the tolerance */          \
    X(CN_STALLED, "stalled")         /* the solver stopped by itself without reaching it */        \
    X(CN_LIMIT, "limit")             /* out of iterations */                                       \
    X(CN_TIME, "time")               /* out of time */                                             \
    X(CN_DIVERGED, "diverged")       /* the iterates left the finite numbers */                    \
    X(CN_INFEASIBLE, "infeasible")   /* the solver has shown that there is no solution */          \
    X(CN_UNSUPPORTED, "unsupported") /* this solver is not for this kind of problem */             \
    X(CN_EFFORT, "effort")           /* the budget of work is spent, which is counted, not timed */

typedef enum cn_outcome {
#define CN_OUTCOME_ENTRY(name, text) name,
    CN_OUTCOME_LIST(CN_OUTCOME_ENTRY)
#undef CN_OUTCOME_ENTRY
        CN_OUTCOME_COUNT
} cn_outcome;

CN_API const char *cn_outcome_text(cn_outcome outcome);

#ifdef __cplusplus
}
#endif
#endif
