// solve/gauss_seidel/friction_nsgs.h
// Nonsmooth Gauss-Seidel with Anderson acceleration, as other solvers of the room call it.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_FRICTION_NSGS_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_FRICTION_NSGS_H

#include "solve/acceleration/anderson.h"
#include "solve/gauss_seidel/relaxation.h"
#include "solve/gauss_seidel/sweep.h"

#include <cairn/solve.h>

typedef struct gs_nsgs_params {
    double relaxation; // omega
    int32_t anderson;  // depth; 0: plain sweeps
    int32_t every;     // sweeps per step of the acceleration
    int32_t settle;    // most sweeps past the tolerance, from a start near the answer
    bool single;       // in single precision while that is precise enough
    double momentum;   // of sweeps in batches; 0: they are accelerated like others
    double budget;     // work of a solve at most, in sweeps; 0: no limit
    int32_t order;     // gs_order_kind, of nsgs itself
    int32_t seed;      // of the random order
    int32_t manifold;  // most inner sweeps over the contacts of one pair of bodies; 0: one by one
    bool symmetric;    // forward, then backward
    bool adaptive;     // omega from the contraction seen, instead of the acceleration
} gs_nsgs_params;

#define GS_NSGS_PARAM_COUNT 12
#define GS_AUTO_PARAM_COUNT 7 // the first of them, which auto has too
extern const cn_param gs_nsgs_param_table[GS_NSGS_PARAM_COUNT];

cn_friction_fn gs_friction_nsgs;

// A run of sweeps that can be left and taken up again.
typedef struct gs_nsgs {
    const cn_solve_opts *opts;
    cn_arena *scratch;
    cn_status status; // CN_ERR_MEMORY once there was none for going on in doubles
    gs_sweep sweep;
    bool hyperstatic; // many more rows than velocities

    // The iterates, as the sweep has them.
    void *x, *g;   // where a step begins, where its sweeps end
    void *best;    // the best g that was checked
    double *r;     // where the run started from, and room for what floats are not sure of
    bool at_start; // the best is what the run started from

    // Errors and the sweeps at which they were found.
    double error, best_error, start_error;
    double predicted_ratio; // error over step size at the last check
    int64_t sweeps;         // since the start
    int64_t checked;        // sweeps at the last check
    int64_t before;         // and at the one before it, with momentum
    double before_error;

    // Acceleration: momentum or Anderson's, which is prepared when first used.
    gs_anderson anderson;
    int32_t every;          // sweeps per step of it
    double momentum;        // 0: Anderson acceleration only
    int64_t cold_start;     // sweeps from the start with more momentum
    bool symmetric;         // momentum steps are a forward and a backward sweep
    int32_t depth;          // of the bodies above what is static; negative: not asked for yet
    bool with_momentum;     // which one is at work
    int64_t momentum_steps; // since it began
    int64_t refreshed;      // of these, those when the velocities were last recomputed
    int64_t stage_start;    // sweeps when the acceleration at work began
    int64_t stage_end;      // sweeps after which the other one is considered
    double stage_error;     // the best error when it began
    double fall_rate[2];    // logarithm of the error per sweep without and with momentum;
                            // negative: untried
    bool adaptive;          // relaxation is in use
    gs_relaxation relaxation;

    // The restart from r = 0.
    bool restarted;
    double halfway_error; // the best halfway to it; infinite: not there yet

    // Whether to leave: windows in which the pace is judged.
    int64_t since;     // sweeps when the window began
    double since_best; // best error then
    int32_t slow;      // windows in a row that were too slow
} gs_nsgs;

// opts gives measure, tolerance, local solver and own settings, and must outlive the run, as must
// scratch, of which more is taken when floats are no longer precise enough.
cn_status gs_nsgs_prepare(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                          gs_nsgs *s);
// Begins anew from r, which may be written to as the run goes on; the best so far is forgotten.
void gs_nsgs_start(gs_nsgs *s, double *r);
// Goes on until the limits of opts, counted from here, or, left as stalled, until the sweeps still
// needed, predicted from the fall of the error, exceed patience; infinite: never.
cn_status gs_nsgs_go(gs_nsgs *s, const cn_solve_opts *opts, double patience,
                     cn_solve_report *report);
// The best r so far; left as it is where it is what the run started from.
void gs_nsgs_answer(const gs_nsgs *s, double *r);

#endif
