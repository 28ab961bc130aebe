// detect/grid.h
// Which of many spheres touch, by a hierarchical grid.
#ifndef CAIRN_DETECT_GRID_H
#define CAIRN_DETECT_GRID_H

#include "base/memory.h"

// The bounding sphere of a body; infinite radius: touches everything.
typedef struct det_bounding {
    double center[3], radius;
} det_bounding;

typedef struct det_body_pair {
    int32_t a, b; // a < b
} det_body_pair;

static inline bool det_spheres_touch(const det_bounding *a, const det_bounding *b) {
    double x = a->center[0] - b->center[0], y = a->center[1] - b->center[1],
           z = a->center[2] - b->center[2], reach = a->radius + b->radius;
    return x * x + y * y + z * z <= reach * reach;
}

// The order of pairs: b, then a.
static inline bool det_pair_before(const det_body_pair *p, const det_body_pair *q) {
    return p->b != q->b ? p->b < q->b : p->a < q->a;
}

// Pairs that DET_GRID_UNIT spheres in a row may have among those of their size and larger ones: the
// bound on the memory of a search. A packing has less than 100 per sphere.
#define DET_GRID_UNIT 2048
#define DET_GRID_PAIRS_MAX (1536 * DET_GRID_UNIT)

// Every pair of spheres that touch, once, sorted, and perhaps some that miss by a rounding of the
// radius: `pairs` becomes an array of det_body_pair. The scratch is given back. CN_ERR_UNSUPPORTED:
// more than DET_GRID_PAIRS_MAX; `pairs` then has a few of each crowd.
cn_status det_grid_pairs(const cn_env *env, int32_t count, const det_bounding *sphere,
                         cn_arena *scratch, base_buffer *pairs);

#endif
