// solve/gauss_seidel/batches.c
// First fit in a window of batches that slides along the contacts. Each body keeps a word with a
// bit for every batch of the window that it is in; the free batches of a contact are those of
// neither body, nor next to one of theirs, nor full.
#include "solve/gauss_seidel/batches.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/parallel.h"
#include "solve/gauss_seidel/body_order.h"

#include <string.h>

// Batches of the window. Bits at both ends are of the batches before and after it, whose bodies its
// first and last one must not have.
#define BATCH_WINDOW 62

// Of the slabs: fewest contacts in one, fewest of them, and the share of contacts that may span
// three. Thinner slabs would not fill their batches, and a few would not keep threads busy.
#define SLAB_CONTACTS 4096
#define SLABS_MIN 4
#define SLAB_WIDE 0.01

// The batches of a unit that a body is in, as bits from the one before the base of the window when
// it was last written.
typedef struct batch_trace {
    uint64_t bits;
    int32_t base;
    int32_t unit; // and one; 0: none yet
} batch_trace;

typedef struct batch_window {
    int32_t unit;      // and one
    int32_t base;      // first batch of the window, of the unit's
    int32_t count;     // batches so far
    uint64_t full;     // bits from the one before the base
    uint8_t lanes[64]; // used, of each batch of the window, by number modulo 64
    batch_trace *body; //
} batch_window;

static inline uint64_t batch_bits(const batch_window *w, const batch_trace *trace) {
    int32_t moved = trace ? w->base - trace->base : 64;
    return moved < 64 && trace->unit == w->unit ? trace->bits >> moved : 0;
}

static uint64_t batch_bit(const batch_window *w, int32_t batch) {
    return UINT64_C(2) << (batch - w->base);
}

static void batch_slide(batch_window *w) {
    w->lanes[w->base % 64] = 0;
    w->full >>= 1;
    w->base++;
}

// The first batch that two bodies may enter; NULL: static. bits: of the batches they are in.
static inline int32_t batch_find(batch_window *w, const batch_trace *first,
                                 const batch_trace *second, uint64_t bits[2]) {
    const uint64_t window = ((UINT64_C(1) << BATCH_WINDOW) - 1) << 1;
    for (;; batch_slide(w)) {
        bits[0] = batch_bits(w, first);
        bits[1] = batch_bits(w, second);
        uint64_t taken = bits[0] | bits[1];
        uint64_t open = ~(taken | taken << 1 | taken >> 1 | w->full) & window;
        if (open) {
            return w->base - 1 + __builtin_ctzll(open);
        }
    }
}

static inline void batch_mark(const batch_window *w, batch_trace *trace, uint64_t bits) {
    if (trace) {
        *trace = (batch_trace){.bits = bits, .base = w->base, .unit = w->unit};
    }
}

// One item in the first batch that takes it.
static inline void batch_put(batch_window *w, const int32_t *pair, int32_t bodies, int32_t *slot) {
    batch_trace *first = pair[0] < bodies ? &w->body[pair[0]] : NULL;
    batch_trace *second = pair[1] < bodies ? &w->body[pair[1]] : NULL;
    uint64_t bits[2];
    int32_t batch = batch_find(w, first, second, bits);
    uint64_t own = batch_bit(w, batch);
    int32_t lane = w->lanes[batch % 64]++;
    *slot = GS_BATCH * batch + lane;
    if (lane + 1 == GS_BATCH) {
        w->full |= own;
    }
    batch_mark(w, first, bits[0] | own);
    batch_mark(w, second, bits[1] | own);
    w->count = batch + 1 > w->count ? batch + 1 : w->count;
}

// ---- units ----

// How bodies are divided.
typedef struct gs_slabs {
    const cn_env *env;
    int32_t contacts, bodies, count;
    const int32_t *body; // two a contact
    int32_t *rank;       // of each body; NULL: its number
    int32_t *weight;     // contacts below each rank, by their lower body
    uint8_t *slab;       // of each rank
    uint8_t *of;         // slab of each contact; the number of slabs where it spans more than two
} gs_slabs;

// The lower and the higher of a contact's bodies that are not static, by rank; false: both are.
static bool slabs_ends(const gs_slabs *s, int32_t a, int32_t ends[2]) {
    int32_t first = s->body[2 * (int64_t)a], second = s->body[2 * (int64_t)a + 1];
    first = first < s->bodies ? first : second;
    second = second < s->bodies ? second : first;
    if (first >= s->bodies) {
        return false;
    }
    if (s->rank) {
        first = s->rank[first];
        second = s->rank[second];
    }
    ends[0] = first < second ? first : second;
    ends[1] = first < second ? second : first;
    return true;
}

static void slabs_weigh(gs_slabs *s) {
    memset(s->weight, 0, sizeof *s->weight * ((size_t)s->bodies + 1));
    for (int32_t a = 0; a < s->contacts; a++) {
        int32_t ends[2];
        if (slabs_ends(s, a, ends)) {
            s->weight[ends[0] + 1]++;
        }
    }
    for (int32_t i = 0; i < s->bodies; i++) {
        s->weight[i + 1] += s->weight[i];
    }
}

static void slabs_mark(void *user, int64_t first, int64_t end) {
    const gs_slabs *s = user;
    int64_t all = (int64_t)s->contacts + 1, slab = s->weight[first] * (int64_t)s->count / all;
    for (int64_t i = first; i < end; i++) { // weights rise, so that there is no need to divide
        while (s->weight[i] * (int64_t)s->count >= (slab + 1) * all) {
            slab++;
        }
        s->slab[i] = (uint8_t)slab;
    }
}

// The slabs of contacts; returns how many span more than two.
static double slabs_find(const void *user, int64_t first, int64_t end) {
    const gs_slabs *s = user;
    int32_t wide = 0;
    for (int64_t a = first; a < end; a++) {
        int32_t ends[2], low = 0;
        if (slabs_ends(s, (int32_t)a, ends)) {
            low = s->slab[ends[0]];
            low = s->slab[ends[1]] - low <= 1 ? low : s->count;
        }
        s->of[a] = (uint8_t)low;
        wide += low == s->count;
    }
    return (double)wide;
}

// Divides the bodies in so many slabs with equal numbers of contacts; returns how many contacts
// span more than two.
static double slabs_cut(gs_slabs *s, int32_t count) {
    s->count = count;
    base_parallel_ranges(s->env, s->bodies, slabs_mark, s);
    return base_parallel_sum(s->env, s->contacts, slabs_find, s);
}

// The most slabs, a power of two, that few contacts span three of; 1: none.
static void slabs_choose(gs_slabs *s) {
    int32_t count = GS_SLABS_MAX;
    while (count > 1 && s->contacts / count < SLAB_CONTACTS) {
        count /= 2;
    }
    while (count > 2 && slabs_cut(s, count) > SLAB_WIDE * s->contacts) {
        count /= 2;
    }
    s->count = count > 2 ? count : 1;
}

// Slabs of bodies in the order of their contacts, where their numbers are of no use.
static cn_status slabs_by_order(gs_slabs *s, cn_arena *scratch) {
    s->rank = BASE_TAKE(scratch, int32_t, s->bodies);
    if (!s->rank) {
        return CN_ERR_MEMORY;
    }
    CN_TRY(gs_body_order(s->contacts, s->body, s->bodies, scratch, s->rank));
    slabs_weigh(s);
    slabs_choose(s);
    return CN_OK;
}

_Static_assert(GS_UNITS_MAX <= BASE_AFTER_MAX, "a wait a unit");

// fn for every unit, begun when those of the phase before that have bodies in common with it are
// done: slab k with the next one, of the even slabs k and k + 1, has those of the odd slab k. What
// spans too many comes last.
static void batches_in_order(const gs_batches *batches, base_unit_fn *fn, void *user) {
    base_unit_after after[GS_UNITS_MAX];
    int32_t slabs = batches->phase[2], half = batches->phase[1];
    for (int32_t unit = 0; unit < slabs; unit++) {
        int32_t even = unit - half;
        after[unit] = (base_unit_after){{-1, -1}};
        if (even >= 0) {
            after[unit] = (base_unit_after){{even, even + 1 < half ? even + 1 : -1}};
        }
    }
    base_parallel_after(batches->env, slabs, after, fn, user);
    for (int32_t unit = slabs; unit < batches->units; unit++) {
        fn(user, unit);
    }
}

// Units in the order of their phases: even slabs, odd slabs, what spans too many.
static void batches_phases(const gs_slabs *s, gs_batches *out) {
    int32_t half = s->count / 2;
    out->units = s->count > 1 ? s->count + 1 : 1;
    out->phase[0] = 0;
    out->phase[1] = s->count > 1 ? half : 1;
    out->phase[2] = s->count > 1 ? s->count : 1;
    out->phase[3] = out->units;
}

static uint8_t slabs_unit(const gs_slabs *s, int32_t slab) {
    bool wide = slab == s->count, odd = slab % 2 == 1;
    return (uint8_t)(wide ? slab : slab / 2 + (odd ? s->count / 2 : 0));
}

// The choice of all units.
typedef struct batch_choice {
    const gs_slabs *slabs;
    gs_batches *out;
    batch_trace *trace;
    int32_t *sorted;                   // items by unit, in each by number
    int32_t start[GS_UNITS_MAX + 1];   // of each unit among them
    int32_t (*before)[GS_UNITS_MAX];   // of each range of items: where its next one of a unit goes
    int32_t batches[GS_UNITS_MAX + 1]; // of each unit
} batch_choice;

// The unit of each item of a range, and how many of each there are.
static void choice_count(void *user, int64_t first, int64_t end) {
    const batch_choice *choice = user;
    int32_t *count = choice->before[first / BASE_RANGE];
    uint8_t unit[GS_UNITS_MAX], *of = choice->slabs->of;
    for (int32_t slab = 0; slab <= choice->slabs->count; slab++) {
        unit[slab] = slabs_unit(choice->slabs, slab);
    }
    memset(count, 0, sizeof *choice->before);
    for (int64_t a = first; a < end; a++) {
        of[a] = unit[of[a]]; // which is where the units go
        count[of[a]]++;
    }
}

static void choice_spread(void *user, int64_t first, int64_t end) {
    const batch_choice *choice = user;
    int32_t *next = choice->before[first / BASE_RANGE];
    for (int64_t a = first; a < end; a++) {
        choice->sorted[next[choice->out->unit[a]]++] = (int32_t)a;
    }
}

static void choice_sort(batch_choice *choice) {
    const gs_slabs *s = choice->slabs;
    int32_t ranges = base_range_count(s->contacts), at = 0;
    base_parallel_ranges(s->env, s->contacts, choice_count, choice);
    for (int32_t u = 0; u < choice->out->units; u++) {
        choice->start[u] = at;
        for (int32_t k = 0; k < ranges; k++) {
            int32_t count = choice->before[k][u];
            choice->before[k][u] = at;
            at += count;
        }
    }
    choice->start[choice->out->units] = at;
    base_parallel_ranges(s->env, s->contacts, choice_spread, choice);
}

// The batches of one unit, counted from its first. Those of a phase share no body.
static void choice_unit(void *user, int32_t unit) {
    batch_choice *choice = user;
    const gs_slabs *s = choice->slabs;
    batch_window w = {.unit = unit + 1, .body = choice->trace};
    for (int32_t k = choice->start[unit]; k < choice->start[unit + 1]; k++) {
        int32_t a = choice->sorted[k];
        batch_put(&w, s->body + 2 * (int64_t)a, s->bodies, &choice->out->slot[a]);
    }
    choice->batches[unit] = w.count;
}

static void choice_shift(void *user, int64_t first, int64_t end) {
    const batch_choice *choice = user;
    for (int64_t a = first; a < end; a++) {
        choice->out->slot[a] += GS_BATCH * choice->out->first[choice->out->unit[a]];
    }
}

static cn_status batches_divide(const gs_slabs *s, batch_trace *trace, cn_arena *scratch,
                                gs_batches *out) {
    batch_choice choice = {.slabs = s, .out = out, .trace = trace};
    choice.sorted = BASE_TAKE(scratch, int32_t, s->contacts);
    choice.before = base_arena_take(scratch, base_range_count(s->contacts), sizeof *choice.before);
    if (!choice.sorted || !choice.before) {
        return CN_ERR_MEMORY;
    }
    batches_phases(s, out);
    choice_sort(&choice);
    batches_in_order(out, choice_unit, &choice);
    for (int32_t u = 0; u < out->units; u++) {
        out->first[u] = out->count;
        out->count += choice.batches[u];
    }
    out->first[out->units] = out->count;
    base_parallel_ranges(s->env, s->contacts, choice_shift, &choice);
    return CN_OK;
}

static bool batches_may_be_cut(int32_t contacts) {
    return contacts >= SLABS_MIN * SLAB_CONTACTS;
}

cn_status gs_batches_take(int32_t contacts, cn_arena *scratch, gs_batches *out) {
    *out =
        (gs_batches){.slot = BASE_TAKE(scratch, int32_t, contacts), .env = cn_arena_env(scratch)};
    bool cut = batches_may_be_cut(contacts);
    out->unit = cut ? BASE_TAKE(scratch, uint8_t, contacts) : NULL;
    return out->slot && (out->unit || !cut) ? CN_OK : CN_ERR_MEMORY;
}

// The choice, with what it takes from scratch.
static cn_status batches_make(int32_t contacts, const int32_t *body, int32_t bodies,
                              cn_arena *scratch, gs_batches *out) {
    gs_slabs slabs = {.env = out->env, .contacts = contacts, .bodies = bodies, .body = body};
    batch_window w = {.unit = 1, .body = BASE_TAKE(scratch, batch_trace, bodies)};
    if (!w.body) {
        return CN_ERR_MEMORY;
    }
    slabs.count = 1;
    base_parallel_zero(out->env, w.body, sizeof *w.body * (size_t)bodies);
    if (batches_may_be_cut(contacts)) {
        slabs.weight = BASE_TAKE(scratch, int32_t, (int64_t)bodies + 1);
        slabs.slab = BASE_TAKE(scratch, uint8_t, bodies);
        slabs.of = out->unit;
        if (!slabs.weight || !slabs.slab) {
            return CN_ERR_MEMORY;
        }
        slabs_weigh(&slabs);
        slabs_choose(&slabs);
        if (slabs.count == 1 && slabs_by_order(&slabs, scratch) != CN_OK) {
            return CN_ERR_MEMORY;
        }
    }
    if (slabs.count > 1) {
        return batches_divide(&slabs, w.body, scratch, out);
    }
    out->unit = NULL;
    for (int32_t a = 0; a < contacts; a++) {
        batch_put(&w, body + 2 * (int64_t)a, bodies, &out->slot[a]);
    }
    batches_phases(&slabs, out);
    out->first[1] = out->count = w.count;
    return CN_OK;
}

cn_status gs_batches_choose(int32_t contacts, const int32_t *body, int32_t bodies,
                            cn_arena *scratch, gs_batches *out) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = batches_make(contacts, body, bodies, scratch, out);
    base_arena_release(scratch, mark);
    return status;
}

cn_status gs_batches_fill(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                          gs_batches *out) {
    CN_TRY(gs_batches_take(contacts, scratch, out));
    return gs_batches_choose(contacts, body, bodies, scratch, out);
}

cn_status gs_batches_cached(gs_batches_cache *cache, int32_t contacts, const int32_t *body,
                            int32_t bodies, cn_arena *scratch, gs_batches *out) {
    if (!cache) {
        return gs_batches_fill(contacts, body, bodies, scratch, out);
    }
    size_t bytes = 2 * sizeof *body * (size_t)contacts;
    if (cache->uses == 0 || cache->contacts != contacts || cache->bodies != bodies ||
        memcmp(cache->body, body, bytes) != 0) {
        cache->uses = 0;
        base_arena_release(cache->memory, (base_arena_mark){0});
        cache->body = BASE_TAKE(cache->memory, int32_t, 2 * (int64_t)contacts);
        cn_status status = gs_batches_take(contacts, cache->memory, &cache->choice);
        if (!cache->body || status != CN_OK) {
            return CN_ERR_MEMORY;
        }
        cache->choice.env = cn_arena_env(scratch);
        status = gs_batches_choose(contacts, body, bodies, scratch, &cache->choice);
        CN_TRY(status);
        memcpy(cache->body, body, bytes);
        cache->contacts = contacts;
        cache->bodies = bodies;
    }
    cache->uses++;
    *out = cache->choice;
    out->env = cn_arena_env(scratch);
    return CN_OK;
}

typedef struct batches_loop {
    const gs_batches *batches;
    gs_batches_fn *fn;
    void *user;
    gs_batches_sum_fn *sum;
    const void *summed;
    double part[GS_UNITS_MAX];
} batches_loop;

static void batches_do(void *user, int32_t unit) {
    const batches_loop *loop = user;
    const int32_t *first = loop->batches->first + unit;
    loop->fn(loop->user, unit, first[0], first[1] - first[0]);
}

// The same in a sweep, of which the rest is left out where it is cancelled.
static void batches_visit(void *user, int32_t unit) {
    const batches_loop *loop = user;
    if (!base_is_cancelled(loop->batches->env)) {
        batches_do(user, unit);
    }
}

static void batches_add(void *user, int32_t unit) {
    batches_loop *loop = user;
    const int32_t *first = loop->batches->first + unit;
    loop->part[unit] = loop->sum(loop->summed, first[0], first[1] - first[0]);
}

void gs_batches_prepare(const gs_batches *batches, gs_batches_fn *fn, void *user) {
    batches_loop loop = {.batches = batches, .fn = fn, .user = user};
    batches_in_order(batches, batches_do, &loop);
}

void gs_batches_sweep(const gs_batches *batches, gs_batches_fn *fn, void *user) {
    if (batches->units == 1) { // there is no order to keep
        if (!base_is_cancelled(batches->env)) {
            fn(user, 0, 0, batches->count);
        }
        return;
    }
    batches_loop loop = {.batches = batches, .fn = fn, .user = user};
    batches_in_order(batches, batches_visit, &loop);
}

// Of odd slabs first, then of even ones.
static void batches_do_back(void *user, int32_t place) {
    batches_loop *loop = user;
    int32_t half = loop->batches->phase[1], odd = loop->batches->phase[2] - half;
    batches_visit(loop, place < odd ? half + place : place - odd);
}

void gs_batches_sweep_back(const gs_batches *batches, gs_batches_fn *fn, void *user) {
    batches_loop loop = {.batches = batches, .fn = fn, .user = user};
    base_unit_after after[GS_UNITS_MAX];
    int32_t slabs = batches->phase[2], odd = slabs - batches->phase[1];
    for (int32_t unit = batches->units - 1; unit >= slabs; unit--) {
        batches_visit(&loop, unit);
    }
    for (int32_t place = 0; place < slabs; place++) {
        int32_t even = place - odd;
        after[place] = (base_unit_after){{-1, -1}};
        if (even >= 0) {
            after[place] = (base_unit_after){{even - 1, even < odd ? even : -1}};
        }
    }
    base_parallel_after(batches->env, slabs, after, batches_do_back, &loop);
}

void gs_batches_each(const gs_batches *batches, gs_batches_fn *fn, void *user) {
    batches_loop loop = {.batches = batches, .fn = fn, .user = user};
    base_parallel_for(batches->env, batches->units, batches_do, &loop);
}

double gs_batches_sum(const gs_batches *batches, gs_batches_sum_fn *fn, const void *user) {
    batches_loop loop = {.batches = batches, .sum = fn, .summed = user};
    base_parallel_for(batches->env, batches->units, batches_add, &loop);
    double sum = 0.0;
    for (int32_t unit = 0; unit < batches->units; unit++) {
        sum += loop.part[unit];
    }
    return sum;
}
