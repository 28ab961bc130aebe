// solve/acceleration/anderson.h
// Anderson acceleration of a fixed-point map x -> g(x), with the safeguards that a nonsmooth map
// needs.
//
// With f = D (g - x) and the last m differences dF, dG:  gamma = argmin |f - dF gamma|,  next x = g
// - dG gamma. All of it is double or single, as x and g are; but D is single always.
#ifndef CAIRN_SOLVE_ACCELERATION_ANDERSON_H
#define CAIRN_SOLVE_ACCELERATION_ANDERSON_H

#include <cairn/base.h>

#define GS_ANDERSON_MAX 16

typedef struct gs_anderson gs_anderson;

// The loops over entries [first, end) in one precision, for one kind of processor.
typedef struct gs_anderson_kernel {
    size_t number; // bytes
    // |f|^2 of f = D (g - x).
    double (*norm2)(const gs_anderson *state, const void *x, const void *g, int64_t first,
                    int64_t end);
    // Column c of dF and dG anew from f, f_old, g, g_old; f and g take the place of the old ones.
    // Adds the column's products with all columns to row, and the one with f to
    // row[GS_ANDERSON_MAX].
    void (*differ)(const gs_anderson *state, int32_t column, const void *x, const void *g,
                   int64_t first, int64_t end, double *row);
    // f and g take the place of the old ones.
    void (*keep)(const gs_anderson *state, const void *x, const void *g, int64_t first,
                 int64_t end);
    // x = g - dG gamma
    void (*mix)(const gs_anderson *state, const double *gamma, const void *g, int64_t first,
                int64_t end, void *x);
    // x = g + length (g - x)
    void (*extrapolate)(double length, const void *g, int64_t first, int64_t end, void *x);
} gs_anderson_kernel;

// Portable, and for wider registers; NULL: not on this processor. Bitwise identical.
extern const gs_anderson_kernel gs_anderson_kernel_portable, gs_anderson_kernel_float;
const gs_anderson_kernel *gs_anderson_kernel_avx2(void), *gs_anderson_kernel_avx512(void);
const gs_anderson_kernel *gs_anderson_kernel_float_avx2(void);
const gs_anderson_kernel *gs_anderson_kernel_float_avx512(void);

struct gs_anderson {
    const gs_anderson_kernel *kernel;
    int32_t depth; // m; 0: plain iteration
    int64_t n;
    const float *weight; // D
    int32_t count;       // differences held
    int32_t next;        // where the next difference goes
    bool mixed;          // x came from a mixed step or an extrapolation
    bool extrapolated;   // the last step was an extrapolation
    int32_t plain_left;  // plain steps still to make after a rejected one
    int32_t back_off;    // how many the next rejection costs
    double accepted;     // |f| at the last step that was mixed from
    int32_t age;         // steps since the window began in which progress is judged
    double first, min;   // |f| when it began, and the smallest in it
    int32_t rest;        // plain steps that the next window without progress costs
    void *dF, *dG;       // depth columns of n
    void *f_old, *g_old;
    double gram[GS_ANDERSON_MAX][GS_ANDERSON_MAX]; // dF_i . dF_j
    double right[GS_ANDERSON_MAX];                 // dF_i . f
    double (*part)[GS_ANDERSON_MAX + 1];           // products of each range of numbers
    const cn_env *env;                             // whose threads work
};

// weight must outlive the state. single: the precision of x and g. CN_ERR_MEMORY when scratch is
// full.
cn_status gs_anderson_prepare(int32_t depth, int64_t n, bool single, const float *weight,
                              cn_arena *scratch, gs_anderson *state);
// As newly prepared, with doubles from now on.
cn_status gs_anderson_widen(gs_anderson *state, cn_arena *scratch);
// As newly prepared.
void gs_anderson_restart(gs_anderson *state);
// x: in, where the map was evaluated; out, where to evaluate it next. g: the map's value. Returns
// |f|.
double gs_anderson_step(gs_anderson *state, void *x, const void *g);

#endif
