// detect/broad.c
// Broad phase by a hierarchical hash grid: a ball of radius s lives at the level whose cells are
// 2^level >= 2 s wide, in the cell of its centre, so that anything of its own or a lower level that
// touches it lies in the 27 cells round it. Each ball looks through its own level and the coarser
// ones that are in use. Linear in the number of balls for near-equal sizes; one huge ball among
// small ones costs each of them one extra look. Balls of infinite radius meet all others. Chosen
// over a tree: nothing to keep between steps, so the same positions give the same pairs.
#include "detect/detect.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

#define CN_LEVELS 64          // sizes from 2^-32 to 2^31 metres; smaller ones are put to the first
#define CN_LEVEL_ZERO 32      // index of cells 1 m wide
#define CN_RADIUS_MOST 0x1p30 // [m] what is larger is tried against everything
#define CN_CELL_FAR                                                                                \
    ((double)(1 << 29)) // cells are numbered within this; what is farther shares the last one

struct cn_broad {
    cn_arena *memory; // given back at each call
};

typedef struct cn_cell {
    int32_t level, x, y, z; // level -1: empty
    int32_t first;          // ball, -1: none; then next[]
} cn_cell;

typedef struct cn_grid {
    int32_t count;
    const double *center, *radius;
    int32_t *level, *next;
    int64_t slots; // power of two
    cn_cell *cell;
    bool used[CN_LEVELS];
} cn_grid;

cn_broad *cn_broad_create(const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    cn_broad *broad = memory ? CN_TAKE(memory, cn_broad, 1) : NULL;
    if (!broad) {
        cn_arena_destroy(memory);
        return NULL;
    }
    broad->memory = memory;
    return broad;
}

void cn_broad_destroy(cn_broad *broad) {
    if (broad) {
        cn_arena_destroy(broad->memory);
    }
}

static int32_t cn_level_of(double radius) {
    int exponent;
    frexp(2.0 * radius, &exponent); // 2 radius <= 2^exponent
    int32_t level = exponent + CN_LEVEL_ZERO;
    return level < 0 ? 0 : (level < CN_LEVELS ? level : CN_LEVELS - 1);
}

// The cell number of a coordinate at a level; monotone, so neighbours stay neighbours where it is
// cut.
static int32_t cn_cell_number(double x, int32_t level) {
    double cell = floor(ldexp(x, CN_LEVEL_ZERO - level));
    return (int32_t)fmax(-CN_CELL_FAR, fmin(CN_CELL_FAR, cell));
}

// The slot of a cell, or the empty one where it would go.
static cn_cell *cn_grid_slot(const cn_grid *grid, int32_t level, int32_t x, int32_t y, int32_t z) {
    uint64_t hash =
        (uint64_t)(uint32_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)(uint32_t)y * 0xC2B2AE3D27D4EB4Fu ^
        (uint64_t)(uint32_t)z * 0x165667B19E3779F9u ^ (uint64_t)level * 0x27D4EB2F165667C5u;
    hash ^= hash >> 29;
    for (int64_t slot = (int64_t)(hash & (uint64_t)(grid->slots - 1));;
         slot = (slot + 1) & (grid->slots - 1)) {
        cn_cell *cell = &grid->cell[slot];
        if (cell->level < 0 ||
            (cell->level == level && cell->x == x && cell->y == y && cell->z == z)) {
            return cell;
        }
    }
}

static cn_status cn_grid_build(cn_grid *grid, cn_arena *memory) {
    grid->slots = 64;
    while (grid->slots < 2 * (int64_t)grid->count) {
        grid->slots *= 2;
    }
    grid->level = CN_TAKE(memory, int32_t, grid->count);
    grid->next = CN_TAKE(memory, int32_t, grid->count);
    grid->cell = CN_TAKE(memory, cn_cell, grid->slots);
    if (!grid->level || !grid->next || !grid->cell) {
        return CN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < grid->slots; i++) {
        grid->cell[i].level = -1;
    }
    // From the last ball to the first, so that the list of a cell ascends.
    for (int32_t i = grid->count - 1; i >= 0; i--) {
        if (!(grid->radius[i] <= CN_RADIUS_MOST)) {
            grid->level[i] = -1;
            continue;
        }
        const double *c = grid->center + 3 * (int64_t)i;
        int32_t level = grid->level[i] = cn_level_of(grid->radius[i]);
        int32_t x = cn_cell_number(c[0], level), y = cn_cell_number(c[1], level),
                z = cn_cell_number(c[2], level);
        cn_cell *cell = cn_grid_slot(grid, level, x, y, z);
        if (cell->level < 0) {
            *cell = (cn_cell){level, x, y, z, -1};
        }
        grid->next[i] = cell->first;
        cell->first = i;
        grid->used[level] = true;
    }
    return CN_OK;
}

static bool cn_balls_touch(const cn_grid *grid, int32_t i, int32_t j) {
    const double *a = grid->center + 3 * (int64_t)i, *b = grid->center + 3 * (int64_t)j;
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2],
           reach = grid->radius[i] + grid->radius[j];
    return x * x + y * y + z * z <= reach * reach;
}

// Calls for every ball that touches ball i and is found from it: of its level those behind it, of
// coarser levels all.
static int64_t cn_visit_neighbours(const cn_grid *grid, int32_t i, cn_body_pair *out) {
    int64_t found = 0;
    const double *c = grid->center + 3 * (int64_t)i;
    for (int32_t level = grid->level[i]; level < CN_LEVELS; level++) {
        if (!grid->used[level]) {
            continue;
        }
        int32_t x = cn_cell_number(c[0], level), y = cn_cell_number(c[1], level),
                z = cn_cell_number(c[2], level);
        for (int32_t k = 0; k < 27; k++) {
            const cn_cell *cell =
                cn_grid_slot(grid, level, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1);
            if (cell->level < 0) {
                continue;
            }
            for (int32_t j = cell->first; j >= 0; j = grid->next[j]) {
                bool mine = level > grid->level[i] || j > i;
                if (mine && cn_balls_touch(grid, i, j)) {
                    if (out) {
                        out[found] = i < j ? (cn_body_pair){i, j} : (cn_body_pair){j, i};
                    }
                    found++;
                }
            }
        }
    }
    return found;
}

// Everything that touches ball i, which is too large for the grid; of its like only those behind
// it.
static int64_t cn_visit_unbounded(const cn_grid *grid, int32_t i, cn_body_pair *out) {
    int64_t found = 0;
    for (int32_t j = 0; j < grid->count; j++) {
        if (j != i && (grid->level[j] >= 0 || j > i) && cn_balls_touch(grid, i, j)) {
            if (out) {
                out[found] = i < j ? (cn_body_pair){i, j} : (cn_body_pair){j, i};
            }
            found++;
        }
    }
    return found;
}

static int64_t cn_visit(const cn_grid *grid, cn_body_pair *out) {
    int64_t found = 0;
    for (int32_t i = 0; i < grid->count; i++) {
        cn_body_pair *place = out ? out + found : NULL;
        found += grid->level[i] < 0 ? cn_visit_unbounded(grid, i, place)
                                    : cn_visit_neighbours(grid, i, place);
    }
    return found;
}

// Stable counting sort by one member.
static void cn_sort_pairs(const cn_body_pair *in, int64_t count, int32_t range, bool by_first,
                          int64_t *slot, cn_body_pair *out) {
    memset(slot, 0, sizeof *slot * ((size_t)range + 1));
    for (int64_t k = 0; k < count; k++) {
        slot[(by_first ? in[k].a : in[k].b) + 1]++;
    }
    for (int32_t i = 0; i < range; i++) {
        slot[i + 1] += slot[i];
    }
    for (int64_t k = 0; k < count; k++) {
        out[slot[by_first ? in[k].a : in[k].b]++] = in[k];
    }
}

cn_status cn_broad_pairs(cn_broad *broad, int32_t count, const double *center, const double *radius,
                         const cn_body_pair **pairs, int64_t *pair_count) {
    cn_arena *memory = broad->memory;
    // The first piece of the arena is the broad phase itself.
    cn_arena_release(memory, (cn_arena_mark){0});
    if (CN_TAKE(memory, cn_broad, 1) != broad) {
        return CN_ERR_MEMORY;
    }
    cn_grid grid = {.count = count, .center = center, .radius = radius};
    if (cn_grid_build(&grid, memory) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    int64_t found = cn_visit(&grid, NULL);
    cn_body_pair *first = CN_TAKE(memory, cn_body_pair, found),
                 *second = CN_TAKE(memory, cn_body_pair, found);
    int64_t *slot = CN_TAKE(memory, int64_t, (int64_t)count + 1);
    if (!first || !second || !slot) {
        return CN_ERR_MEMORY;
    }
    cn_visit(&grid, first);
    cn_sort_pairs(first, found, count, true, slot, second);
    cn_sort_pairs(second, found, count, false, slot, first);
    *pairs = first;
    *pair_count = found;
    return CN_OK;
}
