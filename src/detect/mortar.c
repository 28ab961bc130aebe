// detect/mortar.c
// Segments of overlap of two surfaces, and the rows that are made of them.
#include "detect/mortar.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

// Overlaps shorter than this share of the candidate edge are rounding.
#define DET_SEGMENT_MIN 1e-9
#define FEW_PAIRS 64

// Where two edges overlap: from s[0] to s[1] along the candidate edge (0 at its first node), t and
// gap at these ends.
typedef struct segment {
    int32_t candidate, antagonist; // faces of the two surfaces
    double s[2], t[2], gap[2];
    double length;    // of the candidate edge
    double normal[2]; // outwards from the candidate edge
} segment;

typedef struct segments {
    int32_t count;
    segment *segment; // by candidate edge
} segments;

// First node, direction (not normalised) and outward normal of an edge; returns its length.
static double edge_axes(const det_surface *surface, int32_t face, double first[2],
                        double direction[2], double normal[2]) {
    const int32_t *node = surface->mesh->face + 2 * (int64_t)face;
    const double *a = surface->x + 2 * (int64_t)node[0], *b = surface->x + 2 * (int64_t)node[1];
    for (int i = 0; i < 2; i++) {
        first[i] = a[i];
        direction[i] = b[i] - a[i];
    }
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    normal[0] = direction[1] / length;
    normal[1] = -direction[0] / length;
    return length;
}

// The overlap of two edges; false when there is none within reach.
static bool find_segment(const det_surface *candidate, int32_t c, const det_surface *antagonist,
                         int32_t a, double alert, double depth, segment *out) {
    double p[2], d[2], n[2], q[2], e[2], m[2];
    double length = edge_axes(candidate, c, p, d, n);
    edge_axes(antagonist, a, q, e, m);
    if (n[0] * m[0] + n[1] * m[1] > DET_FACING_COS) {
        return false;
    }
    // Ends of the antagonist edge along the candidate one, in units of its length, and above it.
    double at[2], above[2];
    for (int k = 0; k < 2; k++) {
        double r[2] = {q[0] + k * e[0] - p[0], q[1] + k * e[1] - p[1]};
        at[k] = (r[0] * d[0] + r[1] * d[1]) / (length * length);
        above[k] = r[0] * n[0] + r[1] * n[1];
    }
    // Seen from the candidate the antagonist edge runs backwards: at[1] < at[0], since they face.
    double s[2] = {fmax(0.0, at[1]), fmin(1.0, at[0])};
    if (!(s[1] - s[0] > DET_SEGMENT_MIN)) {
        return false;
    }
    *out = (segment){.candidate = c, .antagonist = a, .length = length};
    memcpy(out->normal, n, sizeof n);
    for (int k = 0; k < 2; k++) {
        out->s[k] = s[k];
        out->t[k] = (s[k] - at[0]) / (at[1] - at[0]);
        out->gap[k] = above[0] + out->t[k] * (above[1] - above[0]);
    }
    return fmin(out->gap[0], out->gap[1]) <= alert && fmax(out->gap[0], out->gap[1]) >= -depth;
}

static double distance(const segment *g) {
    return fabs(g->gap[0] + g->gap[1]);
}

// Of segments on one candidate edge that cover one another the nearer stays. Sorted by distance
// first, then along the edge. Returns how many stay.
static int32_t resolve_cover(segment *list, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        segment moved = list[i];
        int32_t j = i;
        for (; j > 0 && distance(list + j - 1) > distance(&moved); j--) {
            list[j] = list[j - 1];
        }
        list[j] = moved;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        bool covered = false;
        for (int32_t j = 0; j < kept && !covered; j++) {
            double low = fmax(list[i].s[0], list[j].s[0]), high = fmin(list[i].s[1], list[j].s[1]);
            covered = high - low > DET_SEGMENT_MIN;
        }
        if (!covered) {
            list[kept++] = list[i];
        }
    }
    for (int32_t i = 1; i < kept; i++) {
        segment moved = list[i];
        int32_t j = i;
        for (; j > 0 && list[j - 1].s[0] > moved.s[0]; j--) {
            list[j] = list[j - 1];
        }
        list[j] = moved;
    }
    return kept;
}

// Of numbers that are no NaN, without a call.
static inline double lesser(double a, double b) {
    return a < b ? a : b;
}
static inline double greater(double a, double b) {
    return a > b ? a : b;
}

// The corners of the rectangle round a surface.
static void surround(const det_surface *surface, double low[2], double high[2]) {
    low[0] = low[1] = HUGE_VAL;
    high[0] = high[1] = -HUGE_VAL;
    for (int32_t k = 0; k < surface->mesh->surface_nodes; k++) {
        const double *x = surface->x + 2 * (int64_t)surface->mesh->surface_node[k];
        for (int i = 0; i < 2; i++) {
            low[i] = lesser(low[i], x[i]);
            high[i] = greater(high[i], x[i]);
        }
    }
}

// The faces of a surface that come within reach of a rectangle; NULL: no memory.
static int32_t *near_faces(const det_surface *surface, const double low[2], const double high[2],
                           double reach, cn_arena *memory, int32_t *count) {
    int32_t *list = BASE_TAKE(memory, int32_t, surface->mesh->faces);
    *count = 0;
    for (int32_t f = 0; list && f < surface->mesh->faces; f++) {
        const int32_t *node = surface->mesh->face + 2 * (int64_t)f;
        const double *a = surface->x + 2 * (int64_t)node[0], *b = surface->x + 2 * (int64_t)node[1];
        bool near = true;
        for (int i = 0; i < 2; i++) {
            near = near && lesser(a[i], b[i]) <= high[i] + reach &&
                   greater(a[i], b[i]) >= low[i] - reach;
        }
        if (near) {
            list[(*count)++] = f;
        }
    }
    return list;
}

// Every pair of faces that come near the other surface is tried. A candidate edge and the antagonist
// edges that face it: at most the edges near.
static cn_status find_segments(const det_surface *candidate, const det_surface *antagonist,
                               double alert, double depth, cn_arena *memory, segments *out) {
    double low[2][2], high[2][2], reach = fmax(alert, depth);
    int32_t count[2], total = 0;
    surround(candidate, low[0], high[0]);
    surround(antagonist, low[1], high[1]);
    int32_t *own = near_faces(candidate, low[1], high[1], reach, memory, &count[0]);
    int32_t *others = near_faces(antagonist, low[0], high[0], reach, memory, &count[1]);
    segment found;
    *out = (segments){.segment = NULL};
    if (!own || !others) {
        return CN_ERR_MEMORY;
    }
    // Few pairs are all given room, so that none is looked at twice.
    int64_t pairs = (int64_t)count[0] * count[1];
    for (int32_t c = 0; c < count[0] && pairs > FEW_PAIRS; c++) {
        for (int32_t a = 0; a < count[1]; a++) {
            total += find_segment(candidate, own[c], antagonist, others[a], alert, depth, &found);
        }
    }
    total = pairs > FEW_PAIRS ? total : (int32_t)pairs;
    out->segment = BASE_TAKE(memory, segment, total);
    if (!out->segment) {
        return CN_ERR_MEMORY;
    }
    for (int32_t c = 0; c < count[0] && total > 0; c++) {
        segment *list = out->segment + out->count;
        int32_t found_here = 0;
        for (int32_t a = 0; a < count[1]; a++) {
            if (find_segment(candidate, own[c], antagonist, others[a], alert, depth, &found)) {
                list[found_here++] = found;
            }
        }
        out->count += resolve_cover(list, found_here);
    }
    return CN_OK;
}

cn_status det_rows_take(cn_arena *memory, int32_t dim, int64_t rows, int64_t weights,
                        det_rows *out) {
    out->key = BASE_TAKE(memory, int64_t, rows);
    out->gap = BASE_TAKE(memory, double, rows);
    out->length = BASE_TAKE(memory, double, rows);
    out->point = BASE_TAKE(memory, double, dim *rows);
    out->normal = BASE_TAKE(memory, double, dim *rows);
    out->start = BASE_TAKE_ZERO(memory, int64_t, rows + 1);
    out->weight = BASE_TAKE(memory, det_node_weight, weights);
    out->rows = 0;
    return out->key && out->gap && out->length && out->point && out->normal && out->start &&
                   out->weight
               ? CN_OK
               : CN_ERR_MEMORY;
}

static const int32_t *face_nodes(const det_surface *surface, int32_t face) {
    return surface->mesh->face + 2 * (int64_t)face;
}

// ---- midpoints ----

static void add_midpoint(const det_surface *candidate, const det_surface *antagonist,
                         const segment *g, det_rows *out) {
    int32_t row = out->rows++;
    int64_t at = out->start[row];
    const int32_t *c = face_nodes(candidate, g->candidate);
    const int32_t *a = face_nodes(antagonist, g->antagonist);
    double s = 0.5 * (g->s[0] + g->s[1]), t = 0.5 * (g->t[0] + g->t[1]);
    bool ascends = a[0] < a[1];
    out->key[row] = (int64_t)g->candidate * antagonist->mesh->faces + g->antagonist;
    out->gap[row] = 0.5 * (g->gap[0] + g->gap[1]);
    out->length[row] = (g->s[1] - g->s[0]) * g->length;
    out->weight[at++] = (det_node_weight){candidate->body, c[0], 1.0 - s};
    out->weight[at++] = (det_node_weight){candidate->body, c[1], s};
    for (int k = 0; k < 2; k++) {
        int end = ascends ? k : 1 - k;
        double weight = end ? t : 1.0 - t;
        out->weight[at++] = (det_node_weight){antagonist->body, a[end], -weight};
    }
    for (int i = 0; i < 2; i++) {
        const double *x = candidate->x + i;
        out->point[2 * row + i] = (1.0 - s) * x[2 * (int64_t)c[0]] + s * x[2 * (int64_t)c[1]];
        out->normal[2 * row + i] = -g->normal[i];
    }
    out->start[row + 1] = at;
}

static bool is_sliver(const det_surface *antagonist, const segment *g) {
    double first[2], direction[2], normal[2];
    double other = edge_axes(antagonist, g->antagonist, first, direction, normal);
    return (g->s[1] - g->s[0]) * g->length < DET_MIDPOINT_SHARE_MIN * fmin(g->length, other);
}

cn_status det_midpoint_rows(const det_surface *candidate, const det_surface *antagonist,
                            double alert, double depth, cn_arena *memory, det_rows *out) {
    segments found;
    *out = (det_rows){0};
    cn_status status = find_segments(candidate, antagonist, alert, depth, memory, &found);
    status = status == CN_OK ? det_rows_take(memory, 2, found.count, 4 * (int64_t)found.count, out)
                             : status;
    for (int32_t k = 0; status == CN_OK && k < found.count; k++) {
        if (!is_sliver(antagonist, found.segment + k)) {
            add_midpoint(candidate, antagonist, found.segment + k, out);
        }
    }
    return status;
}

// ---- dual mortar ----

// What the segments add to the row of a candidate node. Sums over its two edges.
typedef struct mortar_sum {
    double length, full;  // int phi_j on the overlap, and on the whole of edges that overlap
    double gap;           // int psi_j g
    double normal[2];     // int phi_j n
    int32_t first, count; // its weights: int psi_j N_k, in the list of pairs
} mortar_sum;

// The integrals on one candidate edge of the segments from g on.
typedef struct edge_integrals {
    double d[2];    // int phi_k
    double A[2][2]; // psi_j = A_jk phi_k
    bool regular;
} edge_integrals;

// A = diag(d) M^-1 with M_kl = int phi_k phi_l on the overlap: psi is dual there.
static edge_integrals integrate_edge(const segment *g, int32_t count) {
    edge_integrals out = {.d = {0.0, 0.0}};
    double M[3] = {0.0, 0.0, 0.0}, covered = 0.0; // 00, 01, 11
    for (int32_t k = 0; k < count; k++) {
        double a = g[k].s[0], b = g[k].s[1], w = (b - a) * g[k].length;
        double middle = 0.5 * (a + b), square = (a * a + a * b + b * b) / 3.0;
        out.d[0] += w * (1.0 - middle);
        out.d[1] += w * middle;
        M[0] += w * (1.0 - 2.0 * middle + square);
        M[1] += w * (middle - square);
        M[2] += w * square;
        covered += b - a;
    }
    double det = M[0] * M[2] - M[1] * M[1];
    // On a short part of the edge its two shape functions are nearly one.
    out.regular = covered > DET_MORTAR_SHARE_MIN && det > 0.0;
    if (out.regular) {
        out.A[0][0] = out.d[0] * M[2] / det;
        out.A[0][1] = -out.d[0] * M[1] / det;
        out.A[1][0] = -out.d[1] * M[1] / det;
        out.A[1][1] = out.d[1] * M[0] / det;
    }
    return out;
}

// int psi_j f over a segment, f linear with f[0], f[1] at its ends.
static double integrate_dual(const segment *g, const double A[2], const double f[2]) {
    double w = (g->s[1] - g->s[0]) * g->length, psi[2];
    for (int k = 0; k < 2; k++) {
        psi[k] = A[0] * (1.0 - g->s[k]) + A[1] * g->s[k];
    }
    return w / 6.0 * (2.0 * psi[0] * f[0] + psi[0] * f[1] + psi[1] * f[0] + 2.0 * psi[1] * f[1]);
}

// Adds to the weight of an antagonist node in the row, whose list is sorted by node.
static void add_weight(mortar_sum *sum, det_node_weight *list, int32_t body, int32_t node,
                       double weight) {
    det_node_weight *own = list + sum->first;
    int32_t at = sum->count;
    while (at > 0 && own[at - 1].node > node) {
        at--;
    }
    if (at > 0 && own[at - 1].node == node) {
        own[at - 1].weight += weight;
        return;
    }
    memmove(own + at + 1, own + at, sizeof *own * (size_t)(sum->count - at));
    own[at] = (det_node_weight){body, node, weight};
    sum->count++;
}

static void add_edge(const det_surface *candidate, const det_surface *antagonist, const segment *g,
                     int32_t count, mortar_sum *sums, det_node_weight *list) {
    const int32_t *c = face_nodes(candidate, g->candidate);
    edge_integrals edge = integrate_edge(g, count);
    for (int j = 0; j < 2; j++) {
        mortar_sum *sum = sums + c[j];
        if (!edge.regular) {
            continue;
        }
        sum->length += edge.d[j];
        for (int i = 0; i < 2; i++) {
            sum->normal[i] += edge.d[j] * g->normal[i];
        }
        for (int32_t k = 0; k < count; k++) {
            const int32_t *a = face_nodes(antagonist, g[k].antagonist);
            const double t[2] = {g[k].t[0], g[k].t[1]}, rest[2] = {1.0 - t[0], 1.0 - t[1]};
            sum->gap += integrate_dual(g + k, edge.A[j], g[k].gap);
            add_weight(sum, list, antagonist->body, a[0], integrate_dual(g + k, edge.A[j], rest));
            add_weight(sum, list, antagonist->body, a[1], integrate_dual(g + k, edge.A[j], t));
        }
    }
}

// Where each node's weights stand in their list: two per segment of its edges.
static int64_t reserve_weights(const det_surface *candidate, const segments *found,
                               mortar_sum *sums) {
    int64_t total = 0;
    for (int32_t k = 0; k < found->count; k++) {
        const segment *g = found->segment + k;
        bool first = k == 0 || g[-1].candidate != g->candidate;
        for (int i = 0; i < 2; i++) {
            mortar_sum *sum = sums + face_nodes(candidate, g->candidate)[i];
            sum->count += 2;
            sum->full += first ? 0.5 * g->length : 0.0;
        }
    }
    for (int32_t n = 0; n < candidate->mesh->nodes; n++) {
        sums[n].first = (int32_t)total;
        total += sums[n].count;
        sums[n].count = 0;
    }
    return total;
}

static void add_mortar_row(const det_surface *candidate, int32_t node, const mortar_sum *sum,
                           const det_node_weight *list, det_rows *out) {
    int32_t row = out->rows++;
    int64_t at = out->start[row];
    double size = sqrt(sum->normal[0] * sum->normal[0] + sum->normal[1] * sum->normal[1]);
    out->key[row] = node;
    out->gap[row] = sum->gap / sum->length;
    out->length[row] = sum->length;
    out->weight[at++] = (det_node_weight){candidate->body, node, 1.0};
    for (int32_t k = 0; k < sum->count; k++) {
        out->weight[at] = list[sum->first + k];
        out->weight[at++].weight /= -sum->length;
    }
    for (int i = 0; i < 2; i++) {
        out->point[2 * row + i] = candidate->x[2 * (int64_t)node + i];
        out->normal[2 * row + i] = -sum->normal[i] / size;
    }
    out->start[row + 1] = at;
}

cn_status det_mortar_rows(const det_surface *candidate, const det_surface *antagonist, double alert,
                          double depth, cn_arena *memory, det_rows *out) {
    int32_t nodes = candidate->mesh->nodes;
    segments found;
    *out = (det_rows){0};
    if (candidate->mesh->dim == 3) {
        return det_mortar_rows_in_space(candidate, antagonist, alert, depth, memory, out);
    }
    cn_status status = find_segments(candidate, antagonist, alert, depth, memory, &found);
    mortar_sum *sums = status == CN_OK ? BASE_TAKE_ZERO(memory, mortar_sum, nodes) : NULL;
    if (!sums) {
        return CN_ERR_MEMORY;
    }
    int64_t weights = reserve_weights(candidate, &found, sums);
    det_node_weight *list = BASE_TAKE(memory, det_node_weight, weights);
    status = list ? det_rows_take(memory, 2, candidate->mesh->surface_nodes,
                                  weights + candidate->mesh->surface_nodes, out)
                  : CN_ERR_MEMORY;
    for (int32_t k = 0, next; status == CN_OK && k < found.count; k = next) {
        for (next = k;
             next < found.count && found.segment[next].candidate == found.segment[k].candidate;) {
            next++;
        }
        add_edge(candidate, antagonist, found.segment + k, next - k, sums, list);
    }
    for (int32_t n = 0; status == CN_OK && n < nodes; n++) {
        if (sums[n].length > DET_MORTAR_SHARE_MIN * sums[n].full) {
            add_mortar_row(candidate, n, sums + n, list, out);
        }
    }
    return status;
}
