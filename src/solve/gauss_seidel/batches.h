// solve/gauss_seidel/batches.h
// Contacts put together in packets of CN_PACKET lanes so that no two of a packet, nor of two
// packets in a row, touch the same body: a kernel solves the lanes of a packet at once, and the
// next packet need not wait for it. The order of the packets, then of the lanes, is the order of
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

#define CN_PACKET 8
#define CN_SLABS_MAX 64
#define CN_UNITS_MAX (CN_SLABS_MAX + 1)
#define CN_PACKET_PHASES 3

typedef struct cn_packets {
    int32_t count;
    int32_t *slot; // CN_PACKET * packet + lane of each item
    int32_t units;
    int32_t first[CN_UNITS_MAX + 1];     // packet of each unit, and the end
    int32_t phase[CN_PACKET_PHASES + 1]; // units [phase[k], phase[k+1]) at once, k ascending
    uint8_t *unit;                       // of each item; NULL: there is one
    const cn_env *env;                   // whose threads work
} cn_packets;

// body: two a contact; those not below bodies are static and shared freely.
cn_status cn_packets_fill(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                          cn_packets *out);
// The same in two: room for the choice, then the choice, which leaves nothing behind in scratch.
cn_status cn_packets_take(int32_t contacts, cn_arena *scratch, cn_packets *out);
cn_status cn_packets_choose(int32_t contacts, const int32_t *body, int32_t bodies,
                            cn_arena *scratch, cn_packets *out);

// A choice and what it was made from. Zeros but for the arena: none yet.
typedef struct cn_packets_kept {
    cn_arena *memory; // of the arrays
    int32_t contacts, bodies;
    int32_t *body;
    cn_packets choice;
    int64_t uses; // of the choice that is there
} cn_packets_kept;

// The choice kept where it was made from the same, else a new one that is kept in its place. It is
// valid until the next call. kept NULL: as cn_packets_fill.
cn_status cn_packets_keep(cn_packets_kept *kept, int32_t contacts, const int32_t *body,
                          int32_t bodies, cn_arena *scratch, cn_packets *out);

// fn for every unit: those of a phase at once, in any order, after those of the phase before.
typedef void cn_packets_fn(void *user, int32_t unit, int32_t first, int32_t count);
void cn_packets_sweep(const cn_packets *packets, cn_packets_fn *fn, void *user);
// The same where what fn writes is relied on: a sweep that is cancelled leaves units out.
void cn_packets_prepare(const cn_packets *packets, cn_packets_fn *fn, void *user);
// The same in the reverse order of phases.
void cn_packets_sweep_back(const cn_packets *packets, cn_packets_fn *fn, void *user);
// fn for every unit at once.
void cn_packets_each(const cn_packets *packets, cn_packets_fn *fn, void *user);
// fn for every unit at once, and the sum of what it gives in their order.
typedef double cn_packets_sum_fn(const void *user, int32_t first, int32_t count);
double cn_packets_sum(const cn_packets *packets, cn_packets_sum_fn *fn, const void *user);

#endif
