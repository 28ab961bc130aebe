// detect/broad.c
// Broad phase: spheres are grown by a skin, and the pairs of grown spheres are searched by the grid
// only when a sphere has left its grown one. In between they stay as they are, and their user
// tests each pair of spheres itself. What comes out is the same either way, so the skins may
// depend on anything. What all spheres do alike does not count: grown spheres may be moved together
// without changing their pairs, so a heap that falls as a whole does not change them.
#include "detect/detect.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

// The skin of a sphere: what it moves in so many calls, within these shares of its radius. Wider
// skins last longer and give more pairs to test.
#define SKIN_CALLS 8.0
#define SKIN_MIN 0.1
#define SKIN_MAX 0.2

struct det_broad {
    cn_arena *memory;       // of this struct
    cn_arena *grown_memory; // of the grown spheres
    int32_t count;          // of them
    int32_t calls;          // since they were grown
    det_bounding *grown;
    base_buffer near; // det_body_pair: pairs of grown spheres, sorted
    base_buffer mark; // uint8_t: of each
};

// The spheres of a call beside the grown ones, which are moved by `shift`.
typedef struct det_growing {
    det_broad *broad;
    const det_bounding *sphere;
    double shift[3];
} det_growing;

// How spheres have moved: how many have left their grown ones, and the sum of all displacements.
typedef struct det_leaving {
    int64_t escaped, count;
    double way[3];
} det_leaving;

det_broad *det_broad_create(const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    det_broad *broad = memory ? BASE_TAKE_ZERO(memory, det_broad, 1) : NULL;
    if (!broad) {
        cn_arena_destroy(memory);
        return NULL;
    }
    broad->memory = memory;
    base_buffer_init(&broad->near, cn_arena_env(memory));
    base_buffer_init(&broad->mark, cn_arena_env(memory));
    broad->grown_memory = cn_arena_create(env);
    if (!broad->grown_memory) {
        det_broad_destroy(broad);
        return NULL;
    }
    return broad;
}

void det_broad_destroy(det_broad *broad) {
    if (broad) {
        base_buffer_free(&broad->near);
        base_buffer_free(&broad->mark);
        cn_arena_destroy(broad->grown_memory);
        cn_arena_destroy(broad->memory);
    }
}

// The displacement of sphere i from its grown one, and its length.
static double moved(const det_growing *growing, int64_t i, double way[3]) {
    const double *from = growing->broad->grown[i].center, *to = growing->sphere[i].center;
    for (int k = 0; k < 3; k++) {
        way[k] = to[k] - from[k] - growing->shift[k];
    }
    return sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
}

static void measure_moves(const void *user, int64_t first, int64_t end, void *part) {
    const det_growing *growing = user;
    det_leaving *leaving = part;
    for (int64_t i = first; i < end; i++) {
        double way[3], length = moved(growing, i, way), radius = growing->sphere[i].radius;
        leaving->escaped += !(length + radius <= growing->broad->grown[i].radius);
        if (isfinite(radius)) {
            leaving->count++;
            for (int k = 0; k < 3; k++) {
                leaving->way[k] += way[k];
            }
        }
    }
}

static void join_moves(void *total, const void *part) {
    det_leaving *all = total;
    const det_leaving *more = part;
    all->escaped += more->escaped;
    all->count += more->count;
    for (int k = 0; k < 3; k++) {
        all->way[k] += more->way[k];
    }
}

// Whether every sphere still lies in its grown one, as they are or moved by the mean of all
// displacements.
static bool broad_holds(const cn_env *env, det_growing *growing) {
    det_leaving leaving = {.escaped = 0};
    base_parallel_fold(env, growing->broad->count, measure_moves, join_moves, growing,
                       sizeof leaving, &leaving);
    if (leaving.escaped == 0) {
        return true;
    }
    for (int k = 0; k < 3; k++) {
        double mean = leaving.way[k] / fmax((double)leaving.count, 1.0);
        growing->shift[k] = isfinite(mean) ? mean : 0.0;
    }
    leaving = (det_leaving){.escaped = 0};
    base_parallel_fold(env, growing->broad->count, measure_moves, join_moves, growing,
                       sizeof leaving, &leaving);
    return leaving.escaped == 0;
}

// New grown spheres; those of a first call, which have not moved yet, have the least skin.
static void grow_range(void *user, int64_t first, int64_t end) {
    const det_growing *growing = user;
    for (int64_t i = first; i < end; i++) {
        const det_bounding *sphere = &growing->sphere[i];
        det_bounding *grown = &growing->broad->grown[i];
        double way[3];
        double skin = SKIN_CALLS * moved(growing, i, way) / fmax(growing->broad->calls, 1.0);
        skin = fmin(SKIN_MAX * sphere->radius, fmax(SKIN_MIN * sphere->radius, skin));
        *grown = *sphere;
        grown->radius += skin;
    }
}

static cn_status broad_grow(const cn_env *env, int32_t count, det_growing *growing) {
    det_broad *broad = growing->broad;
    if (broad->count != count) {
        base_arena_release(broad->grown_memory, (base_arena_mark){0});
        broad->grown = BASE_TAKE(broad->grown_memory, det_bounding, count);
        if (!broad->grown) {
            return CN_ERR_MEMORY;
        }
        if (count > 0) {
            memcpy(broad->grown, growing->sphere, sizeof *broad->grown * (size_t)count);
        }
        broad->count = count;
    }
    base_parallel_ranges(env, count, grow_range, growing);
    broad->calls = 0;
    return CN_OK;
}

static int64_t near_count(const det_broad *broad) {
    return (int64_t)(broad->near.size / sizeof(det_body_pair));
}

// The pairs with a mark, in the arena.
static det_body_pair *marked_pairs(const det_broad *broad, cn_arena *memory, int64_t *count) {
    const det_body_pair *near = (const void *)broad->near.data;
    *count = 0;
    for (int64_t k = 0; k < near_count(broad); k++) {
        *count += broad->mark.data[k] != 0;
    }
    det_body_pair *marked = BASE_TAKE(memory, det_body_pair, *count);
    for (int64_t k = 0, at = 0; marked && k < near_count(broad); k++) {
        if (broad->mark.data[k]) {
            marked[at++] = near[k];
        }
    }
    return marked;
}

// Marks those of the pairs that are among the marked ones.
static void mark_again(det_broad *broad, const det_body_pair *marked, int64_t count) {
    const det_body_pair *near = (const void *)broad->near.data;
    int64_t from = 0;
    for (int64_t k = 0; k < near_count(broad); k++) {
        while (from < count && det_pair_before(&marked[from], &near[k])) {
            from++;
        }
        broad->mark.data[k] = from < count && !det_pair_before(&near[k], &marked[from]);
    }
}

static cn_status broad_build(det_broad *broad, const cn_env *env, cn_arena *scratch) {
    int64_t count;
    det_body_pair *marked = marked_pairs(broad, scratch, &count);
    if (!marked) {
        return CN_ERR_MEMORY;
    }
    cn_status status = det_grid_pairs(env, broad->count, broad->grown, scratch, &broad->near);
    if (status == CN_ERR_MEMORY || status == CN_ERR_CANCELLED) {
        return status;
    }
    broad->mark.size = 0;
    if (!base_buffer_reserve(&broad->mark, (size_t)near_count(broad))) {
        return CN_ERR_MEMORY;
    }
    mark_again(broad, marked, count);
    return status;
}

cn_status det_broad_near(det_broad *broad, const cn_env *env, int32_t count,
                         const det_bounding *sphere, cn_arena *scratch, det_near_pairs *out) {
    det_growing growing = {.broad = broad, .sphere = sphere};
    broad->calls++;
    if (broad->count != count || !broad_holds(env, &growing)) {
        base_arena_mark mark = base_arena_get_mark(scratch);
        cn_status status = broad_grow(env, count, &growing);
        status = status == CN_OK ? broad_build(broad, env, scratch) : status;
        base_arena_release(scratch, mark);
        if (status != CN_OK) {
            broad->count = 0; // the next call searches again
            broad->near.size = status == CN_ERR_UNSUPPORTED ? broad->near.size : 0;
            *out = (det_near_pairs){near_count(broad), (const void *)broad->near.data,
                                    broad->mark.data};
            return status;
        }
    }
    *out = (det_near_pairs){near_count(broad), (const void *)broad->near.data, broad->mark.data};
    return CN_OK;
}
