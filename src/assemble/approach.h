// assemble/approach.h
// How points of two bodies in space approach each other, four at a time, for one kind of processor.
#ifndef CAIRN_ASSEMBLE_APPROACH_H
#define CAIRN_ASSEMBLE_APPROACH_H

#define ASM_APPROACH 4 // points at once

// Two bodies, antagonist and candidate, and points where they meet with the same normal.
typedef struct asm_approach {
    const double *center[2];            // of mass
    const double *v_old[2], *v_free[2]; // v, omega
    const double *axes;                 // n, t1, t2
    const double *point[ASM_APPROACH];  // with a number behind it that may be read
} asm_approach;

// By points: the arms, antagonist's first; u in the axes for the velocities v_old and v_free.
typedef struct asm_approached {
    double arm[ASM_APPROACH][6], before[ASM_APPROACH][4], free[ASM_APPROACH][4];
} asm_approached;

typedef void asm_approach_fn(const asm_approach *approach, asm_approached *out);
extern asm_approach_fn *const asm_approach_plain; // for any processor
asm_approach_fn *asm_approach_avx2(void);         // NULL: not on this processor

#endif
