// solve/projection/convex_sequence.h
// A fixed point over convex problems: one number of each contact is frozen, the convex problem that
// is left is solved by interior points, the number is read off its solution. What "tresca"
// (friction threshold) and "cadoux" (slip) share.
#ifndef CAIRN_SOLVE_PROJECTION_CONVEX_SEQUENCE_H
#define CAIRN_SOLVE_PROJECTION_CONVEX_SEQUENCE_H

#include "solve/interior/interior.h"

typedef struct proj_sequence_params {
    double inner;     // share of the outer error to which a convex problem is solved
    double margin;    // how far inside its first iterate lies, in units of q
    int32_t anderson; // fixed-point steps remembered by the acceleration
    int32_t patience; // convex problems without a new best after which it ends
} proj_sequence_params;

#define PROJ_SEQUENCE_PARAM_COUNT 4
extern const cn_param proj_sequence_param_table[PROJ_SEQUENCE_PARAM_COUNT];

// r: in, the guess; out, the best iterate by the measure asked for.
cn_status proj_sequence_run(const cn_friction *p, const cn_solve_opts *opts,
                            const ipm_interior_ops *ops, cn_arena *scratch, double *r, double *u,
                            cn_solve_report *report);

#endif
