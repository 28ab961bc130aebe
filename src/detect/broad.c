// detect/broad.c
// Broad phase by a hierarchical hash grid: a ball of radius s lives at the level whose cells are
// 2^level units >= 2 s wide, the unit being that of most balls, in the cell of its centre, so that
// anything of its own or a lower level that touches it lies in the 27 cells round it. Each ball
// looks through its own level and the coarser ones that are in use. Linear in the number of balls
// for near-equal sizes; one huge ball among small ones costs each of them one extra look. Balls of
// infinite radius meet all others. Chosen over a tree: nothing to balance.
//
// The grid is only built anew when a ball has left the one it had then, which was larger by a skin;
// in between the pairs of the grown balls are looked through. What comes out is the same either
// way, so the skins may depend on anything.
#include "detect/detect.h"

#include "base/arena.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define CN_LEVELS 64          // sizes from 2^-32 to 2^31 units; smaller ones are put to the first
#define CN_LEVEL_ZERO 32      // index of cells one unit wide
#define CN_USUAL 1.5          // times the mean radius: larger balls do not decide about the unit
#define CN_UNIT_ROOM 1.000001 // the unit over the diameter that it is made for, against rounding
#define CN_RADIUS_MOST 0x1p30 // [m] what is larger is tried against everything
#define CN_CELL_FAR                                                                                \
    ((double)(1 << 29)) // cells are numbered within this; what is farther shares the last one

// The skin of a ball: what it moves in so many calls, within these shares of its radius. Wider
// skins last longer and give more pairs to look through.
#define CN_SKIN_CALLS 8.0
#define CN_SKIN_LEAST 0.02
#define CN_SKIN_MOST 0.2

struct cn_broad {
    cn_arena *memory;  // of this struct
    cn_arena *kept;    // of the arrays
    cn_arena *scratch; // of the grid and the sorting
    int32_t count;     // balls that the arrays are for
    double *center;    // of the grown balls, when the grid was built
    double *radius;    //
    double *last;      // centres in the last call
    cn_buffer near;    // cn_body_pair: pairs of grown balls, sorted
    cn_buffer pairs;   // pairs of the last call
};

typedef struct cn_cell {
    int32_t level, x, y, z; // level -1: empty
    int32_t first;          // ball, -1: none; then next[]
} cn_cell;

typedef struct cn_grid {
    int32_t count;
    const double *center, *radius;
    double scale; // one over the unit [1/m]
    int32_t *level, *next;
    int64_t slots; // power of two
    cn_cell *cell;
    bool used[CN_LEVELS];
} cn_grid;

cn_broad *cn_broad_create(const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    cn_broad *broad = memory ? CN_TAKE_ZERO(memory, cn_broad, 1) : NULL;
    if (!broad) {
        cn_arena_destroy(memory);
        return NULL;
    }
    broad->memory = memory;
    cn_buffer_init(&broad->near, cn_arena_env(memory));
    cn_buffer_init(&broad->pairs, cn_arena_env(memory));
    broad->kept = cn_arena_create(env);
    broad->scratch = cn_arena_create(env);
    if (!broad->kept || !broad->scratch) {
        cn_broad_destroy(broad);
        return NULL;
    }
    return broad;
}

void cn_broad_destroy(cn_broad *broad) {
    if (broad) {
        cn_buffer_free(&broad->near);
        cn_buffer_free(&broad->pairs);
        cn_arena_destroy(broad->scratch);
        cn_arena_destroy(broad->kept);
        cn_arena_destroy(broad->memory);
    }
}

// One over the diameter of the largest of the usual balls.
static double cn_grid_scale(const cn_grid *grid) {
    double sum = 0.0, usual = 0.0;
    int32_t bounded = 0;
    for (int32_t i = 0; i < grid->count; i++) {
        bool counts = grid->radius[i] <= CN_RADIUS_MOST;
        sum += counts ? grid->radius[i] : 0.0;
        bounded += counts;
    }
    double most = fmin(CN_USUAL * sum / fmax(bounded, 1.0), CN_RADIUS_MOST);
    for (int32_t i = 0; i < grid->count; i++) {
        usual = grid->radius[i] <= most && grid->radius[i] > usual ? grid->radius[i] : usual;
    }
    double scale = 1.0 / (2.0 * CN_UNIT_ROOM * usual);
    return isfinite(scale) ? scale : 1.0;
}

// Of a radius in units.
static int32_t cn_level_of(double radius) {
    int exponent;
    frexp(2.0 * radius, &exponent); // 2 radius <= 2^exponent
    int32_t level = exponent + CN_LEVEL_ZERO;
    return level < 0 ? 0 : (level < CN_LEVELS ? level : CN_LEVELS - 1);
}

// The cell number of a coordinate in units at a level; monotone, so neighbours stay neighbours
// where it is cut.
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
    double scale = grid->scale = cn_grid_scale(grid);
    // From the last ball to the first, so that the list of a cell ascends.
    for (int32_t i = grid->count - 1; i >= 0; i--) {
        if (!(grid->radius[i] <= CN_RADIUS_MOST)) {
            grid->level[i] = -1;
            continue;
        }
        const double *c = grid->center + 3 * (int64_t)i;
        int32_t level = grid->level[i] = cn_level_of(scale * grid->radius[i]);
        int32_t x = cn_cell_number(scale * c[0], level), y = cn_cell_number(scale * c[1], level),
                z = cn_cell_number(scale * c[2], level);
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

static bool cn_add_pair(cn_buffer *out, int32_t i, int32_t j) {
    cn_body_pair pair = i < j ? (cn_body_pair){i, j} : (cn_body_pair){j, i};
    return cn_buffer_append(out, &pair, sizeof pair);
}

// Adds every ball of a cell that touches ball i and, when asked, comes after it.
static bool cn_visit_cell(const cn_grid *grid, const cn_cell *cell, int32_t i, bool after,
                          cn_buffer *out) {
    if (cell->level < 0) {
        return true;
    }
    for (int32_t j = cell->first; j >= 0; j = grid->next[j]) {
        if ((!after || j > i) && cn_balls_touch(grid, i, j) && !cn_add_pair(out, i, j)) {
            return false;
        }
    }
    return true;
}

// Adds every ball that touches ball i and is found from it: of coarser levels all; of its own level
// those after it in its cell and all of the cells on one side of it, since those on the other side
// find it from there.
static bool cn_visit_neighbours(const cn_grid *grid, int32_t i, cn_buffer *out) {
    const double *c = grid->center + 3 * (int64_t)i;
    for (int32_t level = grid->level[i]; level < CN_LEVELS; level++) {
        if (!grid->used[level]) {
            continue;
        }
        int32_t x = cn_cell_number(grid->scale * c[0], level),
                y = cn_cell_number(grid->scale * c[1], level),
                z = cn_cell_number(grid->scale * c[2], level);
        const int32_t own = 13; // of the 27
        for (int32_t k = level == grid->level[i] ? own : 0; k < 27; k++) {
            const cn_cell *cell =
                cn_grid_slot(grid, level, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1);
            if (!cn_visit_cell(grid, cell, i, level == grid->level[i] && k == own, out)) {
                return false;
            }
        }
    }
    return true;
}

// Everything that touches ball i, which is too large for the grid; of its like only those behind
// it.
static bool cn_visit_unbounded(const cn_grid *grid, int32_t i, cn_buffer *out) {
    for (int32_t j = 0; j < grid->count; j++) {
        if (j != i && (grid->level[j] >= 0 || j > i) && cn_balls_touch(grid, i, j) &&
            !cn_add_pair(out, i, j)) {
            return false;
        }
    }
    return true;
}

static bool cn_visit(const cn_grid *grid, cn_buffer *out) {
    for (int32_t i = 0; i < grid->count; i++) {
        if (!(grid->level[i] < 0 ? cn_visit_unbounded(grid, i, out)
                                 : cn_visit_neighbours(grid, i, out))) {
            return false;
        }
    }
    return true;
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

static int64_t cn_pairs_in(const cn_buffer *pairs) {
    return (int64_t)(pairs->size / sizeof(cn_body_pair));
}

// The pairs of the grown balls, by the grid.
static cn_status cn_broad_build(cn_broad *broad) {
    cn_grid grid = {.count = broad->count, .center = broad->center, .radius = broad->radius};
    cn_arena_release(broad->scratch, (cn_arena_mark){0});
    broad->near.size = 0;
    if (cn_grid_build(&grid, broad->scratch) != CN_OK || !cn_visit(&grid, &broad->near)) {
        return CN_ERR_MEMORY;
    }
    int64_t found = cn_pairs_in(&broad->near);
    cn_body_pair *pairs = (void *)broad->near.data,
                 *sorted = CN_TAKE(broad->scratch, cn_body_pair, found);
    int64_t *slot = CN_TAKE(broad->scratch, int64_t, (int64_t)broad->count + 1);
    if (!sorted || !slot) {
        return CN_ERR_MEMORY;
    }
    cn_sort_pairs(pairs, found, broad->count, true, slot, sorted);
    cn_sort_pairs(sorted, found, broad->count, false, slot, pairs);
    return CN_OK;
}

static double cn_distance(const double *a, const double *b) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static void cn_copy_centers(int32_t count, const double *from, double *to) {
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
        to[i] = from[i];
    }
}

// Whether every ball still lies in its grown one.
static bool cn_broad_holds(const cn_broad *broad, int32_t count, const double *center,
                           const double *radius) {
    bool holds = broad->count == count;
    for (int32_t i = 0; holds && i < count; i++) {
        double moved = cn_distance(center + 3 * (int64_t)i, broad->center + 3 * (int64_t)i);
        holds = moved + radius[i] <= broad->radius[i];
    }
    return holds;
}

// New grown balls; those of a first call have the least skin.
static cn_status cn_broad_grow(cn_broad *broad, int32_t count, const double *center,
                               const double *radius) {
    if (broad->count != count) {
        cn_arena_release(broad->kept, (cn_arena_mark){0});
        broad->center = CN_TAKE(broad->kept, double, 3 * (int64_t)count);
        broad->radius = CN_TAKE(broad->kept, double, count);
        broad->last = CN_TAKE(broad->kept, double, 3 * (int64_t)count);
        if (!broad->center || !broad->radius || !broad->last) {
            return CN_ERR_MEMORY;
        }
        cn_copy_centers(count, center, broad->last);
        broad->count = count;
    }
    for (int32_t i = 0; i < count; i++) {
        double skin =
            CN_SKIN_CALLS * cn_distance(center + 3 * (int64_t)i, broad->last + 3 * (int64_t)i);
        skin = fmin(CN_SKIN_MOST * radius[i], fmax(CN_SKIN_LEAST * radius[i], skin));
        broad->radius[i] = radius[i] + skin;
    }
    cn_copy_centers(count, center, broad->center);
    return CN_OK;
}

cn_status cn_broad_pairs(cn_broad *broad, int32_t count, const double *center, const double *radius,
                         const cn_body_pair **pairs, int64_t *pair_count) {
    if (!cn_broad_holds(broad, count, center, radius) &&
        (cn_broad_grow(broad, count, center, radius) != CN_OK || cn_broad_build(broad) != CN_OK)) {
        broad->count = 0;
        return CN_ERR_MEMORY;
    }
    cn_copy_centers(count, center, broad->last);
    broad->pairs.size = 0;
    if (!cn_buffer_reserve(&broad->pairs, broad->near.size)) {
        return CN_ERR_MEMORY;
    }
    cn_grid now = {.count = count, .center = center, .radius = radius};
    const cn_body_pair *near = (const void *)broad->near.data;
    cn_body_pair *out = (void *)broad->pairs.data;
    int64_t found = 0;
    for (int64_t k = 0; k < cn_pairs_in(&broad->near); k++) {
        out[found] = near[k];
        found += cn_balls_touch(&now, near[k].a, near[k].b) ? 1 : 0;
    }
    *pairs = out;
    *pair_count = found;
    return CN_OK;
}
