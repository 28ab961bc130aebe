// solve/body_order.h
// An order of bodies in which contacts join bodies that are near each other, whatever their
// numbers.
#ifndef CAIRN_SOLVE_BODY_ORDER_H
#define CAIRN_SOLVE_BODY_ORDER_H

#include <cairn/base.h>

// rank: of each body, its place in the order. body: two a contact; those not below bodies are
// static and join nothing.
cn_status cn_body_order(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                        int32_t *rank);

#endif
