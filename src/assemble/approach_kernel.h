// assemble/approach_kernel.h
// A point a lane, from one source for every processor; the bits are those of one after the other.
// Included by the file of each kind of processor.
#ifndef CAIRN_ASSEMBLE_APPROACH_KERNEL_H
#define CAIRN_ASSEMBLE_APPROACH_KERNEL_H

#include "assemble/approach.h"
#include "math/wide.h"

// v + omega x arm
MATH_INLINE void asm_approach_point(const double *v, const math_wide arm[3], math_wide out[3]) {
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = math_wide_all(v[3 + l]) * arm[m] - math_wide_all(v[3 + m]) * arm[l];
        out[k] += math_wide_all(v[k]);
    }
}

// u in the axes, a row a point; the fourth number of a row means nothing.
MATH_INLINE void asm_approach_speed(const double *const v[2], const math_wide arm[2][3],
                                    const double *axes, double out[ASM_APPROACH][4]) {
    math_wide first[3], second[3], apart[3], row[MATH_WIDE];
    asm_approach_point(v[1], arm[1], first);
    asm_approach_point(v[0], arm[0], second);
    for (int k = 0; k < 3; k++) {
        apart[k] = first[k] - second[k];
    }
    for (int i = 0; i < 3; i++) {
        row[i] = math_wide_all(axes[3 * i]) * apart[0] + math_wide_all(axes[3 * i + 1]) * apart[1] +
                 math_wide_all(axes[3 * i + 2]) * apart[2];
    }
    row[3] = row[2];
    math_wide_transpose(row);
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        math_wide_store(out[lane], row[lane]);
    }
}

static void asm_approach_four(const asm_approach *approach, asm_approached *out) {
    math_wide point[MATH_WIDE], arm[2][3];
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        point[lane] = math_wide_load(approach->point[lane]);
    }
    math_wide_transpose(point);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++) {
            arm[side][k] = point[k] - math_wide_all(approach->center[side][k]);
        }
    }
    // Entries 2 and 3 are in both halves.
    math_wide low[MATH_WIDE] = {arm[0][0], arm[0][1], arm[0][2], arm[1][0]},
              high[MATH_WIDE] = {arm[0][2], arm[1][0], arm[1][1], arm[1][2]};
    math_wide_transpose(low);
    math_wide_transpose(high);
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        math_wide_store(out->arm[lane], low[lane]);
        math_wide_store(out->arm[lane] + 2, high[lane]);
    }
    asm_approach_speed(approach->v_old, arm, approach->axes, out->before);
    asm_approach_speed(approach->v_free, arm, approach->axes, out->free);
}

#endif
