// solve/packets.c
// First fit in a window of packets that slides along the contacts. Each body keeps a word with a
// bit for every packet of the window that it is in; the free packets of a contact are those of
// neither body, nor next to one of theirs, nor full.
#include "solve/packets.h"

#include "base/arena.h"

#include <string.h>

#define CN_PACKET_WINDOW 62 // packets; bits at both ends stay free for the neighbours' shifts

// The packets that a body is in, as bits from the base of the window when it was last written.
typedef struct cn_packet_trace {
    uint64_t bits;
    int32_t base;
} cn_packet_trace;

typedef struct cn_packet_window {
    int32_t base;          // first packet of the window
    uint64_t full;         // bits from the base
    uint8_t lanes[64];     // used, of each packet of the window, by number modulo 64
    cn_packet_trace *body; //
} cn_packet_window;

static uint64_t cn_packet_bits(const cn_packet_trace *trace, int32_t base) {
    int32_t moved = base - trace->base;
    return moved < 64 ? trace->bits >> moved : 0;
}

static void cn_packet_slide(cn_packet_window *w) {
    w->lanes[w->base % 64] = 0;
    w->full >>= 1;
    w->base++;
}

// The first packet that the two bodies may enter; NULL: static.
static int32_t cn_packet_find(cn_packet_window *w, cn_packet_trace *first,
                              cn_packet_trace *second) {
    const uint64_t window = (UINT64_C(1) << CN_PACKET_WINDOW) - 1;
    for (;; cn_packet_slide(w)) {
        uint64_t taken = (first ? cn_packet_bits(first, w->base) : 0) |
                         (second ? cn_packet_bits(second, w->base) : 0);
        uint64_t open = ~(taken | taken << 1 | taken >> 1 | w->full) & window;
        if (open) {
            return w->base + __builtin_ctzll(open);
        }
    }
}

static void cn_packet_mark(const cn_packet_window *w, cn_packet_trace *trace, int32_t packet) {
    if (trace) {
        trace->bits = cn_packet_bits(trace, w->base) | UINT64_C(1) << (packet - w->base);
        trace->base = w->base;
    }
}

cn_status cn_packets_fill(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                          cn_packets *out) {
    cn_packet_window w = {.body = CN_TAKE_ZERO(scratch, cn_packet_trace, bodies)};
    *out = (cn_packets){.slot = CN_TAKE(scratch, int32_t, contacts)};
    if (!w.body || !out->slot) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < contacts; a++) {
        const int32_t *pair = body + 2 * (int64_t)a;
        cn_packet_trace *first = pair[0] < bodies ? &w.body[pair[0]] : NULL;
        cn_packet_trace *second = pair[1] < bodies ? &w.body[pair[1]] : NULL;
        int32_t packet = cn_packet_find(&w, first, second);
        int32_t lane = w.lanes[packet % 64]++;
        out->slot[a] = CN_PACKET * packet + lane;
        if (lane + 1 == CN_PACKET) {
            w.full |= UINT64_C(1) << (packet - w.base);
        }
        cn_packet_mark(&w, first, packet);
        cn_packet_mark(&w, second, packet);
        out->count = packet + 1 > out->count ? packet + 1 : out->count;
    }
    return CN_OK;
}
