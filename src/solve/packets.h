// solve/packets.h
// Contacts put together in packets of CN_PACKET lanes so that no two of a packet, nor of two
// packets in a row, touch the same body: a kernel solves the lanes of a packet at once, and the
// next packet need not wait for it. The order of the packets, then of the lanes, is the order of
// the sweep; it depends on the contacts alone.
#ifndef CAIRN_SOLVE_PACKETS_H
#define CAIRN_SOLVE_PACKETS_H

#include <cairn/base.h>

#define CN_PACKET 8

typedef struct cn_packets {
    int32_t count;
    int32_t *slot; // CN_PACKET * packet + lane of each item
} cn_packets;

// body: two a contact; those not below bodies are static and shared freely.
cn_status cn_packets_fill(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                          cn_packets *out);

#endif
