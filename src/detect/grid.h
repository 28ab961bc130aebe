// detect/grid.h
// Which of many spheres touch, by a hierarchical grid.
#ifndef CAIRN_DETECT_GRID_H
#define CAIRN_DETECT_GRID_H

#include "base/memory.h"

// The bounding sphere of a body; infinite radius: touches everything.
typedef struct cn_bounding {
    double center[3], radius;
} cn_bounding;

typedef struct cn_body_pair {
    int32_t a, b; // a < b
} cn_body_pair;

static inline bool cn_balls_touch(const cn_bounding *a, const cn_bounding *b) {
    double x = a->center[0] - b->center[0], y = a->center[1] - b->center[1],
           z = a->center[2] - b->center[2], reach = a->radius + b->radius;
    return x * x + y * y + z * z <= reach * reach;
}

// The order of pairs: b, then a.
static inline bool cn_pair_before(const cn_body_pair *p, const cn_body_pair *q) {
    return p->b != q->b ? p->b < q->b : p->a < q->a;
}

// Pairs that CN_GRID_UNIT spheres in a row may have among those of their size and larger ones: the
// bound on the memory of a search. A packing has less than 100 per sphere.
#define CN_GRID_UNIT 2048
#define CN_GRID_PAIRS_MAX (1536 * CN_GRID_UNIT)

// Every pair of spheres that touch, once, sorted, and perhaps some that miss by a rounding of the
// radius: `pairs` becomes an array of cn_body_pair. The scratch is given back. CN_ERR_UNSUPPORTED:
// more than CN_GRID_PAIRS_MAX; `pairs` then has a few of each crowd.
cn_status cn_grid_pairs(const cn_env *env, int32_t count, const cn_bounding *ball,
                        cn_arena *scratch, cn_buffer *pairs);

#endif
