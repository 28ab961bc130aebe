// solve/gauss_seidel/batches.h
// Contacts put together in batches of GS_BATCH lanes so that no two of a batch, nor of two
// batches in a row, touch the same body: a kernel solves the lanes of a batch at once, and the
// next batch need not wait for it. The order of the batches, then of the lanes, is the order of
// the sweep; it depends on the contacts alone.
//
// Large problems are cut into units for threads. Bodies are divided into slabs by number, or where
// that is of no use by an order of their contacts (solve/gauss_seidel/body_order.h); the contacts
// of a slab with itself and with the next one are a unit. Those of the even slabs touch different
// bodies, so they are swept at once, then those of the odd slabs, and in the end the contacts that
// span more than two slabs, by one thread.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_BATCHES_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_BATCHES_H

#include <cairn/base.h>

#define GS_BATCH 8
#define GS_SLABS_MAX 64
#define GS_UNITS_MAX (GS_SLABS_MAX + 1)
#define GS_BATCH_PHASES 3

typedef struct gs_batches {
    int32_t count;
    int32_t *slot; // GS_BATCH * batch + lane of each item
    int32_t units;
    int32_t first[GS_UNITS_MAX + 1];    // batch of each unit, and the end
    int32_t phase[GS_BATCH_PHASES + 1]; // units [phase[k], phase[k+1]) at once, k ascending
    uint8_t *unit;                      // of each item; NULL: there is one
    const cn_env *env;                  // whose threads work
} gs_batches;

// body: two a contact; those not below bodies are static and shared freely.
cn_status gs_batches_fill(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                          gs_batches *out);
// The same in two: room for the choice, then the choice, which leaves nothing behind in scratch.
cn_status gs_batches_take(int32_t contacts, cn_arena *scratch, gs_batches *out);
cn_status gs_batches_choose(int32_t contacts, const int32_t *body, int32_t bodies,
                            cn_arena *scratch, gs_batches *out);

// A choice and what it was made from. Zeros but for the arena: none yet.
typedef struct gs_batches_cache {
    cn_arena *memory; // of the arrays
    int32_t contacts, bodies;
    int32_t *body;
    gs_batches choice;
    int64_t uses; // of the choice that is there
} gs_batches_cache;

// The cached choice where it was made from the same, else a new one, which is cached instead. It is
// valid until the next call. cache NULL: as gs_batches_fill.
cn_status gs_batches_cached(gs_batches_cache *cache, int32_t contacts, const int32_t *body,
                            int32_t bodies, cn_arena *scratch, gs_batches *out);

// fn for every unit: those of a phase at once, in any order, after those of the phase before.
typedef void gs_batches_fn(void *user, int32_t unit, int32_t first, int32_t count);
void gs_batches_sweep(const gs_batches *batches, gs_batches_fn *fn, void *user);
// The same where what fn writes is relied on: a sweep that is cancelled leaves units out.
void gs_batches_prepare(const gs_batches *batches, gs_batches_fn *fn, void *user);
// The same in the reverse order of phases.
void gs_batches_sweep_back(const gs_batches *batches, gs_batches_fn *fn, void *user);
// fn for every unit at once.
void gs_batches_each(const gs_batches *batches, gs_batches_fn *fn, void *user);
// fn for every unit at once, and the sum of what it gives in their order.
typedef double gs_batches_sum_fn(const void *user, int32_t first, int32_t count);
double gs_batches_sum(const gs_batches *batches, gs_batches_sum_fn *fn, const void *user);

#endif
