// solve/gauss_seidel/body_order.h
// Bodies along their contacts: an order in which contacts join bodies that are near each other,
// whatever their numbers, and how far they are from what is static.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_BODY_ORDER_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_BODY_ORDER_H

#include <cairn/base.h>

// rank: of each body, its place in the order. body: two a contact; those not below bodies are
// static and join nothing.
cn_status gs_body_order(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                        int32_t *rank);
// *depth: the most contacts on the shortest way of a body to what is static; 0: none has a way.
cn_status gs_body_depth(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                        int32_t *depth);

#endif
