// solve/acceleration/anderson.c
// Anderson acceleration, type II, by normal equations with a small ridge (often 5 to
// 100 times fewer sweeps on rigid sets; little help where the active set keeps changing).
//
// A nonsmooth map can throw a mixed step far off. So: when |f| more than doubles after one, the
// history is dropped, the iteration goes back to the last value it mixed from, and a growing number
// of plain steps follows.
//
// Where statuses hold still and the slowest mode alone is left, f keeps its size and direction from
// step to step and its differences are noise, of which no mixture is any good. The iteration then
// extrapolates along f, the farther the steadier f is, up to where what is not steady in it would
// grow to the size of f. (Two thirds of the sweeps without it while spheres compact.)
#include "solve/acceleration/anderson.h"

#include "base/arena.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define ANDERSON_RIDGE 1e-10 // of the Gram matrix' trace: below the noise of the differences
#define ANDERSON_GROWTH 2.0  // |f| may grow by this after a mixed step
#define ANDERSON_FIRST                                                                             \
    2 // plain steps before the first mix: the first differences are far from the solution
#define ANDERSON_BACK_OFF 4 // plain steps after the first rejection, doubling up to
#define ANDERSON_BACK_OFF_MAX 64
#define ANDERSON_WINDOW 32    // steps in which |f| must fall
#define ANDERSON_PROGRESS 0.6 // below this share of what it was
#define ANDERSON_REST 16      // plain steps after the first window without, doubling up to
#define ANDERSON_REST_MAX 128
#define EXTRAPOLATION_COSINE 0.99 // between two f in a row that are steady
#define EXTRAPOLATION_SIZE 0.9    // and the later one over the earlier
#define EXTRAPOLATION_NOISE 1.0   // what is not steady may grow to this share of f
#define EXTRAPOLATION_MAX 1024.0  // steps of f

static void forget_history(gs_anderson *s) {
    s->count = 0;
    s->next = 0;
    s->mixed = false;
    s->extrapolated = false;
}

void gs_anderson_restart(gs_anderson *s) {
    forget_history(s);
    s->accepted = 0.0;
    s->age = 0;
    s->plain_left = ANDERSON_FIRST;
    s->back_off = ANDERSON_BACK_OFF;
    s->rest = ANDERSON_REST;
}

// What is of one precision, and the kernel for it.
static cn_status anderson_take(gs_anderson *s, bool single, cn_arena *scratch) {
    const gs_anderson_kernel *plain =
        single ? &gs_anderson_kernel_float : &gs_anderson_kernel_portable;
    const gs_anderson_kernel *max =
        single ? gs_anderson_kernel_float_avx512() : gs_anderson_kernel_avx512();
    const gs_anderson_kernel *wide =
        single ? gs_anderson_kernel_float_avx2() : gs_anderson_kernel_avx2();
    s->kernel = max ? max : wide ? wide : plain;
    s->dF = base_arena_take(scratch, s->depth * s->n, s->kernel->number);
    s->dG = base_arena_take(scratch, s->depth * s->n, s->kernel->number);
    s->f_old = base_arena_take(scratch, s->n, s->kernel->number);
    s->g_old = base_arena_take(scratch, s->n, s->kernel->number);
    return s->dF && s->dG && s->f_old && s->g_old ? CN_OK : CN_ERR_MEMORY;
}

cn_status gs_anderson_prepare(int32_t depth, int64_t n, bool single, const float *weight,
                              cn_arena *scratch, gs_anderson *state) {
    *state = (gs_anderson){.depth = depth, .n = n, .weight = weight};
    gs_anderson_restart(state);
    state->part = base_arena_take(scratch, n / BASE_RANGE + 1, sizeof *state->part);
    state->env = cn_arena_env(scratch);
    return state->part ? anderson_take(state, single, scratch) : CN_ERR_MEMORY;
}

cn_status gs_anderson_widen(gs_anderson *s, cn_arena *scratch) {
    gs_anderson_restart(s);
    return anderson_take(s, false, scratch);
}

// A loop over the numbers of an iterate.
typedef struct anderson_loop {
    const gs_anderson *s;
    void *x;
    const void *g;
    const double *gamma;
    int32_t column;
    double length;
} anderson_loop;

static double norm2_range(const void *user, int64_t first, int64_t end) {
    const anderson_loop *loop = user;
    return loop->s->kernel->norm2(loop->s, loop->x, loop->g, first, end);
}

static void differ_range(void *user, int64_t first, int64_t end) {
    const anderson_loop *loop = user;
    double *row = loop->s->part[first / BASE_RANGE];
    memset(row, 0, sizeof *loop->s->part);
    loop->s->kernel->differ(loop->s, loop->column, loop->x, loop->g, first, end, row);
}

static void keep_range(void *user, int64_t first, int64_t end) {
    const anderson_loop *loop = user;
    loop->s->kernel->keep(loop->s, loop->x, loop->g, first, end);
}

static void mix_range(void *user, int64_t first, int64_t end) {
    const anderson_loop *loop = user;
    loop->s->kernel->mix(loop->s, loop->gamma, loop->g, first, end, loop->x);
}

static void extrapolate_range(void *user, int64_t first, int64_t end) {
    const anderson_loop *loop = user;
    loop->s->kernel->extrapolate(loop->length, loop->g, first, end, loop->x);
}

static void copy_range(void *user, int64_t first, int64_t end) {
    const anderson_loop *loop = user;
    size_t number = loop->s->kernel->number, at = number * (size_t)first;
    memcpy((char *)loop->x + at, (const char *)loop->g + at, number * (size_t)(end - first));
}

static void gs_copy(const gs_anderson *s, void *to, const void *from) {
    anderson_loop loop = {.s = s, .x = to, .g = from};
    base_parallel_ranges(s->env, s->n, copy_range, &loop);
}

// A new column of differences, with its row of the Gram matrix.
static void push_difference(gs_anderson *s, void *x, const void *g) {
    int32_t c = s->next;
    s->next = (c + 1) % s->depth;
    s->count = s->count < s->depth ? s->count + 1 : s->depth;
    anderson_loop loop = {.s = s, .x = x, .g = g, .column = c};
    base_parallel_ranges(s->env, s->n, differ_range, &loop);
    double row[GS_ANDERSON_MAX + 1] = {0.0};
    for (int64_t k = 0; k * BASE_RANGE < s->n; k++) {
        for (int32_t j = 0; j <= GS_ANDERSON_MAX; j++) {
            row[j] += s->part[k][j];
        }
    }
    // f moved by the new column, so the other products with f move by their row entry.
    for (int32_t j = 0; j < s->count; j++) {
        s->gram[c][j] = s->gram[j][c] = row[j];
        s->right[j] += row[j];
    }
    s->right[c] = row[GS_ANDERSON_MAX];
}

// gamma = (dF' dF + ridge)^-1 dF' f by Cholesky on a copy; false when that breaks down.
static bool mixing_weights(const gs_anderson *s, double *gamma) {
    double L[GS_ANDERSON_MAX][GS_ANDERSON_MAX];
    double trace = 0.0;
    for (int32_t i = 0; i < s->count; i++) {
        trace += s->gram[i][i];
    }
    for (int32_t i = 0; i < s->count; i++) {
        gamma[i] = s->right[i];
        for (int32_t j = 0; j <= i; j++) {
            double sum = s->gram[i][j] + (i == j ? ANDERSON_RIDGE * trace : 0.0);
            for (int32_t k = 0; k < j; k++) {
                sum -= L[i][k] * L[j][k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    for (int32_t i = 0; i < s->count; i++) {
        for (int32_t k = 0; k < i; k++) {
            gamma[i] -= L[i][k] * gamma[k];
        }
        gamma[i] /= L[i][i];
    }
    for (int32_t i = s->count - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < s->count; k++) {
            gamma[i] -= L[k][i] * gamma[k];
        }
        gamma[i] /= L[i][i];
    }
    return true;
}

// Whether a whole window of steps has brought too little: the acceleration can walk about a set of
// statuses for ever where plain steps, slow as they are, come out of it.
static bool is_stuck(gs_anderson *s, double norm) {
    if (s->age == 0) {
        s->first = s->min = norm;
    }
    s->min = norm < s->min ? norm : s->min;
    if (++s->age < ANDERSON_WINDOW) {
        return false;
    }
    s->age = 0;
    return s->mixed && !(s->min < ANDERSON_PROGRESS * s->first);
}

// How far to extrapolate, in steps of f, after its last difference was pushed; 0: f is not steady.
static double extrapolation_length(const gs_anderson *s, double norm) {
    int32_t newest = (s->next + s->depth - 1) % s->depth;
    double product = norm * norm - s->right[newest]; // f . f_old
    double cosine = product / (norm * s->accepted);
    if (!(cosine >= EXTRAPOLATION_COSINE && norm >= EXTRAPOLATION_SIZE * s->accepted)) {
        return 0.0;
    }
    double length = EXTRAPOLATION_NOISE / sqrt(fmax(0.0, 1.0 - cosine * cosine));
    return length < EXTRAPOLATION_MAX ? length : EXTRAPOLATION_MAX;
}

double gs_anderson_step(gs_anderson *s, void *x, const void *g) {
    anderson_loop loop = {.s = s, .x = x, .g = g};
    double norm = sqrt(base_parallel_sum(s->env, s->n, norm2_range, &loop));
    if (s->depth == 0) {
        gs_copy(s, x, g);
        return norm;
    }
    if (s->extrapolated) {
        // The map brings back what went over a limit; how good the extrapolation was shows a step
        // later.
        s->extrapolated = false;
        gs_copy(s, x, g);
        return norm;
    }
    if (s->mixed && !(norm <= ANDERSON_GROWTH * s->accepted)) {
        // g_old is the value the rejected step was mixed from.
        gs_copy(s, x, s->g_old);
        forget_history(s);
        s->plain_left = s->back_off;
        s->back_off = s->back_off < ANDERSON_BACK_OFF_MAX ? 2 * s->back_off : ANDERSON_BACK_OFF_MAX;
        return norm;
    }
    if (is_stuck(s, norm)) {
        gs_copy(s, x, g);
        forget_history(s);
        s->accepted = 0.0;
        s->plain_left = s->rest;
        s->rest = s->rest < ANDERSON_REST_MAX ? 2 * s->rest : ANDERSON_REST_MAX;
        return norm;
    }
    if (s->accepted > 0.0) {
        push_difference(s, x, g);
        loop.length = extrapolation_length(s, norm);
    } else {
        base_parallel_ranges(s->env, s->n, keep_range, &loop);
    }
    s->accepted = norm > 0.0 ? norm : 0.0;
    if (loop.length > 0.0) {
        base_parallel_ranges(s->env, s->n, extrapolate_range, &loop);
        s->mixed = s->extrapolated = true;
        return norm;
    }
    double gamma[GS_ANDERSON_MAX];
    bool plain = s->plain_left > 0;
    s->plain_left -= plain;
    s->mixed = plain ? false : s->mixed;
    if (!plain && s->count > 0 && mixing_weights(s, gamma)) {
        loop.gamma = gamma;
        base_parallel_ranges(s->env, s->n, mix_range, &loop);
        s->mixed = true;
    } else {
        gs_copy(s, x, g);
    }
    return norm;
}
