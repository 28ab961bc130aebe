// solve/packets.c
// First fit in a window of packets that slides along the contacts. Each body keeps a word with a
// bit for every packet of the window that it is in; the free packets of a contact are those of
// neither body, nor next to one of theirs, nor full.
#include "solve/packets.h"

#include "base/arena.h"
#include "base/parallel.h"

#include <string.h>

#define CN_PACKET_WINDOW 62 // packets; bits at both ends stay free for the neighbours' shifts

// Of the slabs: fewest contacts in one, fewest of them, and the share of contacts that may span
// three. Thinner slabs would not fill their packets, and a few would not keep threads busy.
#define CN_SLAB_CONTACTS 4096
#define CN_SLABS_LEAST 4
#define CN_SLAB_WIDE 0.01

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

// One item in the first packet that takes it.
static void cn_packet_put(cn_packet_window *w, const int32_t *pair, int32_t bodies, int32_t item,
                          cn_packets *out) {
    cn_packet_trace *first = pair[0] < bodies ? &w->body[pair[0]] : NULL;
    cn_packet_trace *second = pair[1] < bodies ? &w->body[pair[1]] : NULL;
    int32_t packet = cn_packet_find(w, first, second);
    int32_t lane = w->lanes[packet % 64]++;
    out->slot[item] = CN_PACKET * packet + lane;
    if (lane + 1 == CN_PACKET) {
        w->full |= UINT64_C(1) << (packet - w->base);
    }
    cn_packet_mark(w, first, packet);
    cn_packet_mark(w, second, packet);
    out->count = packet + 1 > out->count ? packet + 1 : out->count;
}

// ---- units ----

// How bodies are divided.
typedef struct cn_slabs {
    int32_t contacts, bodies, count;
    const int32_t *body; // two a contact
    int32_t *weight;     // contacts below each body, by their lower body
    uint8_t *slab;       // of each body
} cn_slabs;

// The lower and the higher of a contact's bodies that are not static; false: both are.
static bool cn_slabs_ends(const cn_slabs *s, int32_t a, int32_t ends[2]) {
    int32_t first = s->body[2 * (int64_t)a], second = s->body[2 * (int64_t)a + 1];
    first = first < s->bodies ? first : second;
    second = second < s->bodies ? second : first;
    ends[0] = first < second ? first : second;
    ends[1] = first < second ? second : first;
    return ends[0] < s->bodies;
}

static void cn_slabs_weigh(cn_slabs *s) {
    memset(s->weight, 0, sizeof *s->weight * ((size_t)s->bodies + 1));
    for (int32_t a = 0; a < s->contacts; a++) {
        int32_t ends[2];
        if (cn_slabs_ends(s, a, ends)) {
            s->weight[ends[0] + 1]++;
        }
    }
    for (int32_t i = 0; i < s->bodies; i++) {
        s->weight[i + 1] += s->weight[i];
    }
}

// The slab of contact a; the number of slabs where it spans more than two.
static int32_t cn_slabs_of(const cn_slabs *s, int32_t a) {
    int32_t ends[2];
    if (!cn_slabs_ends(s, a, ends)) {
        return 0;
    }
    int32_t low = s->slab[ends[0]];
    return s->slab[ends[1]] - low <= 1 ? low : s->count;
}

// Divides the bodies in so many slabs with equal numbers of contacts; returns how many contacts
// span more than two.
static int32_t cn_slabs_cut(cn_slabs *s, int32_t count) {
    s->count = count;
    for (int32_t i = 0; i < s->bodies; i++) {
        int32_t slab = (int32_t)((int64_t)s->weight[i] * count / (s->contacts + 1));
        s->slab[i] = (uint8_t)slab;
    }
    int32_t wide = 0;
    for (int32_t a = 0; a < s->contacts; a++) {
        wide += cn_slabs_of(s, a) == count;
    }
    return wide;
}

// The most slabs, a power of two, that few contacts span three of; 1: none.
static void cn_slabs_choose(cn_slabs *s) {
    int32_t count = CN_SLABS_MAX;
    while (count > 1 && s->contacts / count < CN_SLAB_CONTACTS) {
        count /= 2;
    }
    while (count > 2 && cn_slabs_cut(s, count) > CN_SLAB_WIDE * s->contacts) {
        count /= 2;
    }
    s->count = count > 2 ? count : 1;
}

// Units in the order of their phases: even slabs, odd slabs, what spans too many.
static void cn_packets_phases(const cn_slabs *s, cn_packets *out) {
    int32_t half = s->count / 2;
    out->units = s->count > 1 ? s->count + 1 : 1;
    out->phase[0] = 0;
    out->phase[1] = s->count > 1 ? half : 1;
    out->phase[2] = s->count > 1 ? s->count : 1;
    out->phase[3] = out->units;
}

static uint8_t cn_slabs_unit(const cn_slabs *s, int32_t slab) {
    bool wide = slab == s->count, odd = slab % 2 == 1;
    return (uint8_t)(wide ? slab : slab / 2 + (odd ? s->count / 2 : 0));
}

// Items sorted by unit, in each by number.
static void cn_units_sort(const cn_packets *packets, const uint8_t *unit, int32_t items,
                          int32_t *sorted, int32_t start[CN_UNITS_MAX + 1]) {
    memset(start, 0, sizeof *start * (CN_UNITS_MAX + 1));
    for (int32_t a = 0; a < items; a++) {
        start[unit[a] + 1]++;
    }
    for (int32_t u = 0; u < packets->units; u++) {
        start[u + 1] += start[u];
    }
    for (int32_t a = 0; a < items; a++) {
        sorted[start[unit[a]]++] = a;
    }
    for (int32_t u = packets->units; u > 0; u--) {
        start[u] = start[u - 1];
    }
    start[0] = 0;
}

static cn_status cn_packets_divide(cn_slabs *s, cn_packet_window *w, cn_arena *scratch,
                                   cn_packets *out) {
    uint8_t *unit = out->unit;
    int32_t *sorted = CN_TAKE(scratch, int32_t, s->contacts), start[CN_UNITS_MAX + 1];
    if (!sorted) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < s->contacts; a++) {
        unit[a] = cn_slabs_unit(s, cn_slabs_of(s, a));
    }
    cn_packets_phases(s, out);
    cn_units_sort(out, unit, s->contacts, sorted, start);
    for (int32_t u = 0; u < out->units; u++) {
        out->first[u] = w->base = out->count;
        w->full = 0;
        memset(w->lanes, 0, sizeof w->lanes);
        for (int32_t k = start[u]; k < start[u + 1]; k++) {
            int32_t a = sorted[k];
            cn_packet_put(w, s->body + 2 * (int64_t)a, s->bodies, a, out);
        }
    }
    out->first[out->units] = out->count;
    return CN_OK;
}

static bool cn_packets_may_be_cut(int32_t contacts) {
    return contacts >= CN_SLABS_LEAST * CN_SLAB_CONTACTS;
}

cn_status cn_packets_take(int32_t contacts, cn_arena *scratch, cn_packets *out) {
    *out = (cn_packets){.slot = CN_TAKE(scratch, int32_t, contacts), .env = cn_arena_env(scratch)};
    bool cut = cn_packets_may_be_cut(contacts);
    out->unit = cut ? CN_TAKE(scratch, uint8_t, contacts) : NULL;
    return out->slot && (out->unit || !cut) ? CN_OK : CN_ERR_MEMORY;
}

// The choice, with what it takes from scratch.
static cn_status cn_packets_make(int32_t contacts, const int32_t *body, int32_t bodies,
                                 cn_arena *scratch, cn_packets *out) {
    cn_slabs slabs = {.contacts = contacts, .bodies = bodies, .count = 1, .body = body};
    cn_packet_window w = {.body = CN_TAKE_ZERO(scratch, cn_packet_trace, bodies)};
    if (!w.body) {
        return CN_ERR_MEMORY;
    }
    if (cn_packets_may_be_cut(contacts)) {
        slabs.weight = CN_TAKE(scratch, int32_t, (int64_t)bodies + 1);
        slabs.slab = CN_TAKE(scratch, uint8_t, bodies);
        if (!slabs.weight || !slabs.slab) {
            return CN_ERR_MEMORY;
        }
        cn_slabs_weigh(&slabs);
        cn_slabs_choose(&slabs);
    }
    if (slabs.count > 1) {
        return cn_packets_divide(&slabs, &w, scratch, out);
    }
    out->unit = NULL;
    for (int32_t a = 0; a < contacts; a++) {
        cn_packet_put(&w, body + 2 * (int64_t)a, bodies, a, out);
    }
    cn_packets_phases(&slabs, out);
    out->first[1] = out->count;
    return CN_OK;
}

cn_status cn_packets_choose(int32_t contacts, const int32_t *body, int32_t bodies,
                            cn_arena *scratch, cn_packets *out) {
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    cn_status status = cn_packets_make(contacts, body, bodies, scratch, out);
    cn_arena_release(scratch, mark);
    return status;
}

cn_status cn_packets_fill(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                          cn_packets *out) {
    cn_status status = cn_packets_take(contacts, scratch, out);
    return status == CN_OK ? cn_packets_choose(contacts, body, bodies, scratch, out) : status;
}

typedef struct cn_packets_loop {
    const cn_packets *packets;
    cn_packets_fn *fn;
    void *user;
    cn_packets_sum_fn *sum;
    const void *summed;
    int32_t before; // units of the phases before
    double part[CN_UNITS_MAX];
} cn_packets_loop;

static void cn_packets_do(void *user, int32_t unit) {
    const cn_packets_loop *loop = user;
    const int32_t *first = loop->packets->first + loop->before + unit;
    loop->fn(loop->user, loop->before + unit, first[0], first[1] - first[0]);
}

static void cn_packets_add(void *user, int32_t unit) {
    cn_packets_loop *loop = user;
    const int32_t *first = loop->packets->first + unit;
    loop->part[unit] = loop->sum(loop->summed, first[0], first[1] - first[0]);
}

void cn_packets_sweep(const cn_packets *packets, cn_packets_fn *fn, void *user) {
    cn_packets_loop loop = {.packets = packets, .fn = fn, .user = user};
    for (int32_t k = 0; k < CN_PACKET_PHASES; k++) {
        loop.before = packets->phase[k];
        cn_parallel_for(packets->env, packets->phase[k + 1] - loop.before, cn_packets_do, &loop);
    }
}

void cn_packets_each(const cn_packets *packets, cn_packets_fn *fn, void *user) {
    cn_packets_loop loop = {.packets = packets, .fn = fn, .user = user};
    cn_parallel_for(packets->env, packets->units, cn_packets_do, &loop);
}

double cn_packets_sum(const cn_packets *packets, cn_packets_sum_fn *fn, const void *user) {
    cn_packets_loop loop = {.packets = packets, .sum = fn, .summed = user};
    cn_parallel_for(packets->env, packets->units, cn_packets_add, &loop);
    double sum = 0.0;
    for (int32_t unit = 0; unit < packets->units; unit++) {
        sum += loop.part[unit];
    }
    return sum;
}
