// solve/gauss_seidel/friction_nsgs.h
// Nonsmooth Gauss-Seidel with Anderson acceleration, as other solvers of the room call it.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_FRICTION_NSGS_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_FRICTION_NSGS_H

#include "solve/acceleration/anderson.h"
#include "solve/gauss_seidel/relaxation.h"
#include "solve/gauss_seidel/sweep.h"

#include <cairn/solve.h>

typedef struct cn_nsgs_params {
    double relaxation; // omega
    int32_t anderson;  // depth; 0: plain sweeps
    int32_t every;     // sweeps per mixing step
    int32_t settle;    // most sweeps past the tolerance, from a start near the answer
    bool single;       // in single precision while that is precise enough
    double momentum;   // of sweeps in packets; 0: they are accelerated like others
    double budget;     // work of a solve at most, in sweeps; 0: no limit
    int32_t order;     // cn_order_kind, of nsgs itself
    int32_t seed;      // of the random order
    int32_t manifold;  // most inner sweeps over the contacts of one pair of bodies; 0: one by one
    bool symmetric;    // forward, then backward
    bool adaptive;     // omega from the contraction seen, in place of the acceleration
} cn_nsgs_params;

#define CN_NSGS_PARAM_COUNT 12
#define CN_AUTO_PARAM_COUNT 7 // the first of them, which auto has too
extern const cn_param cn_nsgs_param_table[CN_NSGS_PARAM_COUNT];

cn_friction_fn cn_friction_nsgs;

#define CN_NSGS_NEAR 10.0 // times the tolerance: the error of a start at rest

// A run of sweeps that can be left and taken up again.
typedef struct cn_nsgs {
    const cn_solve_opts *opts;
    cn_arena *scratch;
    cn_status status; // CN_ERR_MEMORY once there was none for going on in doubles
    cn_sweep sweep;
    cn_anderson mixer;
    double momentum; // 0: the mixer only
    int64_t launch;  // sweeps from the start with more of it
    bool returns;    // sweeps with momentum go forth and back
    int32_t depth;   // of the bodies above what is static; negative: not asked for yet
    bool gliding;    // with momentum, in place of the mixer, which is prepared when first used
    int64_t glided;  // sweeps, or pairs of them, since that began
    int64_t fresh;   // of these, those when the velocities were last made anew
    int64_t stage_start, stage_end; // sweeps between which one of them is at work
    double stage_error;             // the best when that began
    double
        pace[2]; // fall of the error a sweep, its logarithm, mixing and gliding; negative: untried
    bool restarted;       // the restart from r = 0 has been made
    double halfway_error; // the best halfway to it; infinite: not there yet
    bool adaptive;        // relaxation is in use
    bool hyperstatic;     // many more rows than velocities
    cn_relaxation relaxation;
    int32_t every; // sweeps per mixing step
    void *x, *g;   // where a mixing step starts, where its sweeps end; as the sweep has them
    void *best;    // the best g that was checked
    double *r;     // where the run started from, and room for what singles are not sure of
    bool at_start; // it is what the run started from
    double best_error;
    double start_error;
    double error;    // at the last check
    double foretold; // error over step size then
    int64_t sweeps;  // since the start
    int64_t checked; // sweeps at the last check
    int64_t before;  // and at the one before it, while gliding
    double before_error;
    int64_t since;     // sweeps when the window began in which the pace is judged
    double since_best; // best error then
    int32_t slow;      // windows in a row that were too slow
} cn_nsgs;

// opts gives measure, tolerance, local solver and own settings, and must outlive the run, as must
// scratch, of which more is taken when singles are no longer precise enough.
cn_status cn_nsgs_prepare(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                          cn_nsgs *s);
// Begins anew from r, which may be written to as the run goes on; the best so far is forgotten.
void cn_nsgs_start(cn_nsgs *s, double *r);
// Goes on until the limits of opts, counted from here, or, left as stalled, until the sweeps still
// needed, foretold from the fall of the error, exceed patience; infinite: never.
cn_status cn_nsgs_go(cn_nsgs *s, const cn_solve_opts *opts, double patience,
                     cn_solve_report *report);
// The best r so far; left as it is where it is what the run started from.
void cn_nsgs_answer(const cn_nsgs *s, double *r);

#endif
