// solve/gauss_seidel/contact_order.h
// The order in which sweeps visit the contacts, as a problem with its contacts renumbered: what
// sweeps by index need not know of it.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_CONTACT_ORDER_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_CONTACT_ORDER_H

#include <cairn/problem.h>

typedef enum gs_order_kind {
    GS_ORDER_NATURAL, // as they come
    GS_ORDER_RANDOM,  // shuffled by the seed
    GS_ORDER_BAND,    // reverse Cuthill-McKee: neighbours close together, in layers
    GS_ORDER_COLOUR,  // by colour: contacts of a colour do not touch one another
    GS_ORDER_COUNT
} gs_order_kind;

// order[k]: the contact that comes k-th; room for p->contacts.
cn_status gs_contact_order(const cn_friction *p, gs_order_kind kind, uint64_t seed,
                           cn_arena *scratch, int32_t *order);
// Contacts block by block: those that touch the same bodies, where all are of one velocity set
// (body space) or couple to the same contacts (assembled: W alone tells no bodies, so a block may
// hold the whole of a small island). Block b is order[first[b]] .. order[first[b+1] - 1], rising;
// blocks by their first contact. Room for p->contacts, and one more in first.
cn_status gs_contact_pairs(const cn_friction *p, cn_arena *scratch, int32_t *order, int32_t *first,
                           int32_t *blocks);
// The same problem with contact order[k] as its k-th. Arrays go to memory.
cn_status gs_contact_reorder(const cn_friction *p, const int32_t *order, cn_arena *memory,
                             cn_friction *out);
// to[k] = from[order[k]], in pieces of dim numbers; and back: to[order[k]] = from[k].
void gs_contact_gather(const cn_friction *p, const int32_t *order, const double *from, double *to);
void gs_contact_scatter(const cn_friction *p, const int32_t *order, const double *from, double *to);

#endif
