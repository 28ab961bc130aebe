// body/fe/mesh_raise.c
// A mesh of linear elements with nodes put into the middle of their edges.
#include "body/fe/mesh.h"

#include "base/arena.h"
#include "base/error.h"

#include <string.h>

// Edges in the order of the nodes on them.
static const int8_t edge_t3[][2] = {{0, 1}, {1, 2}, {2, 0}};
static const int8_t edge_q4[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int8_t edge_tet4[][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

// Edges by their lower node, in the order in which they were met.
typedef struct edge_lists {
    int32_t *first; // per node of the linear mesh, -1: none
    int32_t *next, *high;
    int32_t count;
} edge_lists;

static int32_t find_edge(const edge_lists *lists, int32_t a, int32_t b) {
    int32_t low = a < b ? a : b, high = a < b ? b : a, at = lists->first[low];
    while (at >= 0 && lists->high[at] != high) {
        at = lists->next[at];
    }
    return at;
}

static int32_t add_edge(edge_lists *lists, int32_t a, int32_t b) {
    int32_t low = a < b ? a : b, at = find_edge(lists, a, b);
    if (at < 0) {
        at = lists->count++;
        lists->high[at] = a < b ? b : a;
        lists->next[at] = lists->first[low];
        lists->first[low] = at;
    }
    return at;
}

static void place_between(const fe_mesh *from, int32_t a, int32_t b, double *out) {
    for (int32_t i = 0; i < from->dim; i++) {
        out[i] =
            0.5 * (from->node[(int64_t)from->dim * a + i] + from->node[(int64_t)from->dim * b + i]);
    }
}

// A group has the nodes of the linear one and those on the edges of its faces.
static cn_status raise_group(cn_arena *memory, const fe_mesh *from, const fe_group *group,
                             const edge_lists *lists, uint8_t *chosen, fe_mesh *out,
                             cn_error *error) {
    int32_t per = from->element->face_nodes;
    memset(chosen, 0, (size_t)out->nodes);
    for (int32_t k = 0; k < group->nodes; k++) {
        chosen[group->node[k]] = 1;
    }
    for (int32_t k = 0; k < group->faces * per; k++) {
        const int32_t *node = from->face + (int64_t)per * group->face[k / per];
        chosen[from->nodes + find_edge(lists, node[k % per], node[(k + 1) % per])] = 1;
    }
    return fe_mesh_add_group(memory, out, group->name, chosen, error);
}

cn_status fe_mesh_raise(cn_arena *memory, const fe_mesh *from, const fe_element *to, fe_mesh *out,
                        cn_error *error) {
    int32_t corners = from->element->nodes, edges = to->nodes - corners;
    const int8_t(*edge)[2] = edges == 3 ? edge_t3 : edges == 4 ? edge_q4 : edge_tet4;
    int64_t edges_max = (int64_t)edges * from->elements;
    if (from->nodes + edges_max > INT32_MAX / to->dim) {
        return base_fail(error, CN_ERR_INPUT, "a mesh of %d elements %s is too large",
                         (int)from->elements, to->name);
    }
    edge_lists lists = {BASE_TAKE(memory, int32_t, from->nodes),
                        BASE_TAKE(memory, int32_t, edges_max),
                        BASE_TAKE(memory, int32_t, edges_max), 0};
    double *node = BASE_TAKE(memory, double, to->dim *(from->nodes + edges_max));
    int32_t *corner = BASE_TAKE(memory, int32_t, (int64_t)to->nodes * from->elements);
    if (!lists.first || !lists.next || !lists.high || !node || !corner) {
        return base_fail_memory(error);
    }
    memset(lists.first, 0xff, sizeof *lists.first * (size_t)from->nodes);
    memcpy(node, from->node, sizeof *node * (size_t)(from->dim * from->nodes));
    for (int32_t e = 0; e < from->elements; e++) {
        const int32_t *own = from->corner + (int64_t)corners * e;
        int32_t *raised = corner + (int64_t)to->nodes * e;
        memcpy(raised, own, sizeof *own * (size_t)corners);
        for (int32_t k = 0; k < edges; k++) {
            int32_t a = own[edge[k][0]], b = own[edge[k][1]];
            raised[corners + k] = from->nodes + add_edge(&lists, a, b);
            place_between(from, a, b, node + (int64_t)to->dim * raised[corners + k]);
        }
    }
    CN_TRY(fe_mesh_build(memory, to->dim, to, from->nodes + lists.count, node, from->elements,
                         corner, out, error));
    uint8_t *chosen = BASE_TAKE(memory, uint8_t, out->nodes);
    if (!chosen) {
        return base_fail_memory(error);
    }
    for (const fe_group *group = from->group; group; group = group->next) {
        CN_TRY(raise_group(memory, from, group, &lists, chosen, out, error));
    }
    return CN_OK;
}
