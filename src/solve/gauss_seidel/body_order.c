// solve/gauss_seidel/body_order.c
// Breadth first along the contacts (Cuthill and McKee 1969), from a far end of each piece that
// hangs together: the body that a first search from any of its bodies reaches last. Contacts then
// join bodies of the same layer or of two in a row.
#include "solve/gauss_seidel/body_order.h"

#include "base/arena.h"

#include <string.h>

typedef struct body_graph {
    int32_t bodies;
    int32_t *start, *next; // next[start[i] .. start[i + 1]): the neighbours of body i
    uint8_t *searched;     // how often each body has been reached
    int32_t *queue;        // bodies in the order of the last searches
} body_graph;

// Neighbours are counted, then written from the end of each body's room to its start.
static void body_graph_fill(body_graph *g, int32_t contacts, const int32_t *body) {
    memset(g->start, 0, sizeof *g->start * ((size_t)g->bodies + 1));
    for (int64_t k = 0; k < 2 * (int64_t)contacts; k++) {
        if (body[k] < g->bodies && body[k ^ 1] < g->bodies) {
            g->start[body[k]]++;
        }
    }
    for (int32_t i = 0; i < g->bodies; i++) {
        g->start[i + 1] += g->start[i];
    }
    for (int64_t k = 2 * (int64_t)contacts - 1; k >= 0; k--) {
        if (body[k] < g->bodies && body[k ^ 1] < g->bodies) {
            g->next[--g->start[body[k]]] = body[k ^ 1];
        }
    }
}

// Puts what the bodies of the queue from first to end touch behind them; returns the new end.
static int32_t body_graph_spread(body_graph *g, int32_t first, int32_t end, uint8_t mark) {
    int32_t last = end;
    for (int32_t k = first; k < end; k++) {
        int32_t i = g->queue[k];
        for (int32_t n = g->start[i]; n < g->start[i + 1]; n++) {
            int32_t other = g->next[n];
            if (g->searched[other] < mark) {
                g->searched[other] = mark;
                g->queue[last++] = other;
            }
        }
    }
    return last;
}

// Puts the piece of a body into the queue from first on; returns where it ends.
static int32_t body_graph_search(body_graph *g, int32_t from, int32_t first) {
    uint8_t mark = (uint8_t)(g->searched[from] + 1);
    int32_t end = first + 1, last = first;
    g->queue[first] = from;
    g->searched[from] = mark;
    while (last < end) {
        int32_t layer = last;
        last = end;
        end = body_graph_spread(g, layer, end, mark);
    }
    return end;
}

static void body_graph_rank(body_graph *g, int32_t *rank) {
    int32_t end = 0;
    for (int32_t i = 0; i < g->bodies; i++) {
        if (g->searched[i] == 0) {
            int32_t far = body_graph_search(g, i, end) - 1;
            end = body_graph_search(g, g->queue[far], end);
        }
    }
    for (int32_t k = 0; k < g->bodies; k++) {
        rank[g->queue[k]] = k;
    }
}

static bool body_graph_make(int32_t contacts, const int32_t *body, int32_t bodies,
                            cn_arena *scratch, body_graph *g) {
    *g = (body_graph){.bodies = bodies,
                      .start = BASE_TAKE(scratch, int32_t, (int64_t)bodies + 1),
                      .next = BASE_TAKE(scratch, int32_t, 2 * (int64_t)contacts),
                      .searched = BASE_TAKE_ZERO(scratch, uint8_t, bodies),
                      .queue = BASE_TAKE(scratch, int32_t, bodies)};
    bool made = g->start && g->next && g->searched && g->queue;
    if (made) {
        body_graph_fill(g, contacts, body);
    }
    return made;
}

cn_status gs_body_order(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                        int32_t *rank) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    body_graph g;
    bool made = body_graph_make(contacts, body, bodies, scratch, &g);
    if (made) {
        body_graph_rank(&g, rank);
    }
    base_arena_release(scratch, mark);
    return made ? CN_OK : CN_ERR_MEMORY;
}

// Puts the bodies that touch what is static into the queue; returns how many.
static int32_t body_graph_ground(body_graph *g, int32_t contacts, const int32_t *body) {
    int32_t end = 0;
    for (int64_t k = 0; k < 2 * (int64_t)contacts; k++) {
        if (body[k] < g->bodies && body[k ^ 1] >= g->bodies && g->searched[body[k]] == 0) {
            g->searched[body[k]] = 1;
            g->queue[end++] = body[k];
        }
    }
    return end;
}

cn_status gs_body_depth(int32_t contacts, const int32_t *body, int32_t bodies, cn_arena *scratch,
                        int32_t *depth) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    body_graph g;
    bool made = body_graph_make(contacts, body, bodies, scratch, &g);
    *depth = 0;
    if (made) {
        int32_t layer = 0, end = body_graph_ground(&g, contacts, body);
        for (; layer < end; (*depth)++) {
            int32_t last = end;
            end = body_graph_spread(&g, layer, end, 1);
            layer = last;
        }
    }
    base_arena_release(scratch, mark);
    return made ? CN_OK : CN_ERR_MEMORY;
}
