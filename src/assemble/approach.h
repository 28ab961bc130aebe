// assemble/approach.h
// How points of two bodies in space approach each other, four at a time, for one kind of processor.
#ifndef CAIRN_ASSEMBLE_APPROACH_H
#define CAIRN_ASSEMBLE_APPROACH_H

#define CN_APPROACH 4 // points at once

// Two bodies, antagonist and candidate, and points where they meet with the same normal.
typedef struct cn_approach {
    const double *center[2];            // of mass
    const double *v_old[2], *v_free[2]; // v, omega
    const double *axes;                 // n, t1, t2
    const double *point[CN_APPROACH];   // with a number behind it that may be read
} cn_approach;

// By points: the arms, antagonist's first; u in the axes for the velocities v_old and v_free.
typedef struct cn_approached {
    double arm[CN_APPROACH][6], before[CN_APPROACH][4], free[CN_APPROACH][4];
} cn_approached;

typedef void cn_approach_fn(const cn_approach *approach, cn_approached *out);
extern cn_approach_fn *const cn_approach_plain; // for any processor
cn_approach_fn *cn_approach_avx2(void);         // NULL: not on this processor

#endif
