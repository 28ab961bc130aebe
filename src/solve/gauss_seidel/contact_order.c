// solve/gauss_seidel/contact_order.c
// Orders and blocks of the contacts: shuffled, reverse Cuthill-McKee (George 1971) and greedy
// colouring, on the graph whose edges join contacts with a common velocity, which is the pattern of
// W.
#include "solve/gauss_seidel/contact_order.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/bounds.h"
#include "problem/operator/operator.h"

#include <string.h>

// ---- the graph ----

// Neighbours of contact a: to[k], k in [start[a], start[a+1]); a itself may be among them.
typedef struct contact_graph {
    int64_t *start;
    int32_t *to;
} contact_graph;

// Which contacts touch each velocity, as compressed rows.
static cn_status graph_touching(const cn_friction *p, cn_arena *scratch, int64_t **start,
                                int32_t **contact) {
    const cn_body_map *body = &p->W.body;
    *start = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)body->dofs + 2);
    *contact = BASE_TAKE(scratch, int32_t, body->start[p->contacts]);
    if (!*start || !*contact) {
        return CN_ERR_MEMORY;
    }
    int64_t *next = *start + 1;
    for (int64_t k = 0; k < body->start[p->contacts]; k++) {
        next[body->dof[k] + 1]++;
    }
    for (int32_t d = 0; d < body->dofs; d++) {
        next[d + 1] += next[d];
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            (*contact)[next[body->dof[k]]++] = a;
        }
    }
    return CN_OK;
}

// The neighbours of contact a, each once; to may be NULL to count them only.
static int64_t graph_row(const cn_body_map *body, const int64_t *touch, const int32_t *contact,
                         int32_t a, int32_t *mark, int32_t stamp, int32_t *to) {
    int64_t count = 0;
    for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
        int32_t dof = body->dof[k];
        for (int64_t l = touch[dof]; l < touch[dof + 1]; l++) {
            int32_t b = contact[l];
            if (mark[b] == stamp) {
                continue;
            }
            mark[b] = stamp;
            if (to) {
                to[count] = b;
            }
            count++;
        }
    }
    return count;
}

static cn_status graph_assembled(const cn_friction *p, cn_arena *scratch, contact_graph *graph) {
    (void)scratch;
    *graph = (contact_graph){.start = p->W.assembled.start, .to = p->W.assembled.column};
    return CN_OK;
}

static cn_status graph_body(const cn_friction *p, cn_arena *scratch, contact_graph *graph) {
    int64_t *touch;
    int32_t *contact, *mark = BASE_TAKE_ZERO(scratch, int32_t, p->contacts);
    graph->start = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)p->contacts + 1);
    if (graph_touching(p, scratch, &touch, &contact) != CN_OK || !mark || !graph->start) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        graph->start[a + 1] =
            graph->start[a] + graph_row(&p->W.body, touch, contact, a, mark, a + 1, NULL);
    }
    graph->to = BASE_TAKE(scratch, int32_t, graph->start[p->contacts]);
    if (!graph->to) {
        return CN_ERR_MEMORY;
    }
    memset(mark, 0, sizeof *mark * (size_t)p->contacts);
    for (int32_t a = 0; a < p->contacts; a++) {
        graph_row(&p->W.body, touch, contact, a, mark, a + 1, graph->to + graph->start[a]);
    }
    return CN_OK;
}

// The implicit forms are expanded before.
typedef cn_status graph_fn(const cn_friction *p, cn_arena *scratch, contact_graph *graph);
static graph_fn *const graphs[] = {
    [CN_OPERATOR_ASSEMBLED] = graph_assembled, [CN_OPERATOR_BODY] = graph_body};

static cn_status graph_build(const cn_friction *p, cn_arena *scratch, contact_graph *graph) {
    return graphs[p->W.kind](p, scratch, graph);
}

// ---- the orders ----

static void order_shuffle(int32_t count, uint64_t seed, int32_t *order) {
    base_rng rng = base_rng_seed(seed);
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t j = base_rng_below(&rng, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static int64_t graph_degree(const contact_graph *graph, int32_t a) {
    return graph->start[a + 1] - graph->start[a];
}

// Breadth first from a contact of the least degree, neighbours by degree, then all turned round.
static cn_status order_band(const contact_graph *graph, int32_t count, cn_arena *scratch,
                            int32_t *order) {
    bool *seen = BASE_TAKE_ZERO(scratch, bool, count);
    int32_t *roots = BASE_TAKE(scratch, int32_t, count);
    int64_t *first = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)count + 2);
    if (!seen || !roots || !first) {
        return CN_ERR_MEMORY;
    }
    // Roots by degree, counted: a degree is at most the number of contacts.
    for (int32_t a = 0; a < count; a++) {
        first[graph_degree(graph, a) + 1]++;
    }
    for (int32_t d = 0; d <= count; d++) {
        first[d + 1] += first[d];
    }
    for (int32_t a = 0; a < count; a++) {
        roots[first[graph_degree(graph, a)]++] = a;
    }
    int32_t filled = 0;
    for (int32_t k = 0; k < count; k++) {
        if (seen[roots[k]]) {
            continue;
        }
        seen[roots[k]] = true;
        order[filled++] = roots[k];
        for (int32_t head = filled - 1; head < filled; head++) {
            int32_t from = filled, a = order[head];
            for (int64_t l = graph->start[a]; l < graph->start[a + 1]; l++) {
                int32_t b = graph->to[l], place = filled;
                if (seen[b]) {
                    continue;
                }
                seen[b] = true;
                filled++;
                for (;
                     place > from && graph_degree(graph, order[place - 1]) > graph_degree(graph, b);
                     place--) {
                    order[place] = order[place - 1];
                }
                order[place] = b;
            }
        }
    }
    for (int32_t i = 0; i < count / 2; i++) {
        int32_t kept = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = kept;
    }
    return CN_OK;
}

// The least colour that no neighbour has, in natural order; then all contacts by colour.
static cn_status order_colour(const contact_graph *graph, int32_t count, cn_arena *scratch,
                              int32_t *order) {
    int32_t *colour = BASE_TAKE_ZERO(scratch, int32_t, count); // 0: none yet
    int32_t *taken = BASE_TAKE_ZERO(scratch, int32_t, (int64_t)count + 2);
    int64_t *first = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)count + 2);
    if (!colour || !taken || !first) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < count; a++) {
        for (int64_t l = graph->start[a]; l < graph->start[a + 1]; l++) {
            taken[colour[graph->to[l]]] = a + 1;
        }
        colour[a] = 1;
        while (taken[colour[a]] == a + 1) {
            colour[a]++;
        }
        first[colour[a]]++;
    }
    for (int32_t c = 0; c <= count; c++) {
        first[c + 1] += first[c];
    }
    for (int32_t a = 0; a < count; a++) {
        order[first[colour[a] - 1]++] = a;
    }
    return CN_OK;
}

cn_status gs_contact_order(const cn_friction *p, gs_order_kind kind, uint64_t seed,
                           cn_arena *scratch, int32_t *order) {
    for (int32_t a = 0; a < p->contacts; a++) {
        order[a] = a;
    }
    if (kind == GS_ORDER_RANDOM) {
        order_shuffle(p->contacts, seed, order);
    }
    if (kind != GS_ORDER_BAND && kind != GS_ORDER_COLOUR) {
        return CN_OK;
    }
    contact_graph graph;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = graph_build(p, scratch, &graph);
    if (status == CN_OK) {
        status = kind == GS_ORDER_BAND ? order_band(&graph, p->contacts, scratch, order)
                                       : order_colour(&graph, p->contacts, scratch, order);
    }
    base_arena_release(scratch, mark);
    return status;
}

// ---- contacts of one pair of bodies ----

// What contact a touches: its velocities, or the contacts it is coupled to.
static const int32_t *contact_row(const cn_friction *p, int32_t a, int64_t *size) {
    bool body = prob_operator_ops_of(p->W.kind)->body_space;
    const int64_t *start = body ? p->W.body.start : p->W.assembled.start;
    *size = start[a + 1] - start[a];
    return (body ? p->W.body.dof : p->W.assembled.column) + start[a];
}

static bool touch_the_same(const cn_friction *p, int32_t a, int32_t b) {
    int64_t size, other;
    const int32_t *one = contact_row(p, a, &size), *two = contact_row(p, b, &other);
    return size == other && memcmp(one, two, sizeof *one * (size_t)size) == 0;
}

static void insert_rising(int32_t *order, int32_t from, int32_t place, int32_t a) {
    for (; place > from && order[place - 1] > a; place--) {
        order[place] = order[place - 1];
    }
    order[place] = a;
}

cn_status gs_contact_pairs(const cn_friction *p, cn_arena *scratch, int32_t *order, int32_t *first,
                           int32_t *blocks) {
    contact_graph graph;
    base_arena_mark mark = base_arena_get_mark(scratch);
    bool *seen = BASE_TAKE_ZERO(scratch, bool, p->contacts);
    cn_status status = seen ? graph_build(p, scratch, &graph) : CN_ERR_MEMORY;
    int32_t filled = 0;
    *blocks = 0;
    for (int32_t a = 0; a < p->contacts && status == CN_OK; a++) {
        if (seen[a]) {
            continue;
        }
        int32_t from = first[(*blocks)++] = filled;
        seen[a] = true;
        order[filled++] = a;
        for (int64_t l = graph.start[a]; l < graph.start[a + 1]; l++) {
            int32_t b = graph.to[l];
            if (!seen[b] && touch_the_same(p, a, b)) {
                seen[b] = true;
                insert_rising(order, from, filled++, b);
            }
        }
    }
    first[*blocks] = filled;
    base_arena_release(scratch, mark);
    return status;
}

// ---- the problem in another order ----

void gs_contact_gather(const cn_friction *p, const int32_t *order, const double *from, double *to) {
    size_t bytes = sizeof *to * (size_t)p->dim;
    for (int32_t k = 0; k < p->contacts; k++) {
        memcpy(to + (int64_t)p->dim * k, from + (int64_t)p->dim * order[k], bytes);
    }
}

void gs_contact_scatter(const cn_friction *p, const int32_t *order, const double *from,
                        double *to) {
    size_t bytes = sizeof *to * (size_t)p->dim;
    for (int32_t k = 0; k < p->contacts; k++) {
        memcpy(to + (int64_t)p->dim * order[k], from + (int64_t)p->dim * k, bytes);
    }
}

static cn_status reorder_body(const cn_friction *p, const int32_t *order, cn_arena *memory,
                              cn_operator *form) {
    cn_body_map *out = &form->body;
    const cn_body_map *body = &p->W.body;
    int64_t count = body->start[p->contacts];
    *out = (cn_body_map){.dofs = body->dofs};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)p->contacts + 1);
    out->dof = BASE_TAKE(memory, int32_t, count);
    out->H = BASE_TAKE(memory, double, p->dim *count);
    out->MinvH = BASE_TAKE(memory, double, p->dim *count);
    if (!out->start || !out->dof || !out->H || !out->MinvH) {
        return CN_ERR_MEMORY;
    }
    for (int32_t k = 0; k < p->contacts; k++) {
        int64_t from = body->start[order[k]], size = body->start[order[k] + 1] - from,
                to = out->start[k];
        memcpy(out->dof + to, body->dof + from, sizeof *out->dof * (size_t)size);
        memcpy(out->H + p->dim * to, body->H + p->dim * from,
               sizeof *out->H * (size_t)(p->dim * size));
        memcpy(out->MinvH + p->dim * to, body->MinvH + p->dim * from,
               sizeof *out->MinvH * (size_t)(p->dim * size));
        out->start[k + 1] = to + size;
    }
    return CN_OK;
}

// Rows in the new order; the columns of a row sorted by insertion, rows being short.
static cn_status reorder_assembled(const cn_friction *p, const int32_t *order, cn_arena *memory,
                                   cn_operator *form) {
    cn_bsr *out = &form->assembled;
    const cn_bsr *W = &p->W.assembled;
    int32_t size = p->dim * p->dim, *place = BASE_TAKE(memory, int32_t, p->contacts);
    int64_t count = W->start[p->contacts];
    *out = (cn_bsr){.dim = p->dim, .block_rows = p->contacts};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)p->contacts + 1);
    out->column = BASE_TAKE(memory, int32_t, count);
    out->value = BASE_TAKE_ZERO(memory, double, size *count + CN_BSR_PAD);
    if (!place || !out->start || !out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    for (int32_t k = 0; k < p->contacts; k++) {
        place[order[k]] = k;
    }
    size_t bytes = sizeof *out->value * (size_t)size;
    for (int32_t k = 0; k < p->contacts; k++) {
        int64_t start = out->start[k], filled = start;
        for (int64_t l = W->start[order[k]]; l < W->start[order[k] + 1]; l++, filled++) {
            int32_t column = place[W->column[l]];
            int64_t to = filled;
            for (; to > start && out->column[to - 1] > column; to--) {
                out->column[to] = out->column[to - 1];
                memcpy(out->value + size * to, out->value + size * (to - 1), bytes);
            }
            out->column[to] = column;
            memcpy(out->value + size * to, W->value + size * l, bytes);
        }
        out->start[k + 1] = filled;
    }
    return CN_OK;
}

typedef cn_status reorder_fn(const cn_friction *p, const int32_t *order, cn_arena *memory,
                             cn_operator *out);
static reorder_fn *const reorders[] = {
    [CN_OPERATOR_ASSEMBLED] = reorder_assembled, [CN_OPERATOR_BODY] = reorder_body};

cn_status gs_contact_reorder(const cn_friction *p, const int32_t *order, cn_arena *memory,
                             cn_friction *out) {
    int64_t m = (int64_t)p->dim * p->contacts;
    *out = *p;
    out->q = BASE_TAKE(memory, double, m);
    out->mu = BASE_TAKE(memory, double, p->contacts);
    out->W.diagonal = BASE_TAKE(memory, double, p->dim *m);
    if (!out->q || !out->mu || !out->W.diagonal) {
        return CN_ERR_MEMORY;
    }
    gs_contact_gather(p, order, p->q, out->q);
    if (!prob_bounds_copy(&p->bounds, p->dim, p->contacts, memory, &out->bounds)) {
        return CN_ERR_MEMORY;
    }
    for (int32_t k = 0; out->bounds.boxed && k < p->contacts; k++) {
        out->bounds.boxed[k] = p->bounds.boxed[order[k]];
    }
    if (out->bounds.boxed) {
        gs_contact_gather(p, order, p->bounds.lower, out->bounds.lower);
        gs_contact_gather(p, order, p->bounds.upper, out->bounds.upper);
    }
    if (out->bounds.compliance) {
        gs_contact_gather(p, order, p->bounds.compliance, out->bounds.compliance);
    }
    int32_t size = p->dim * p->dim;
    for (int32_t k = 0; k < p->contacts; k++) {
        out->mu[k] = p->mu[order[k]];
        memcpy(out->W.diagonal + (int64_t)size * k, p->W.diagonal + (int64_t)size * order[k],
               sizeof *out->W.diagonal * (size_t)size);
    }
    return reorders[p->W.kind](p, order, memory, &out->W);
}
