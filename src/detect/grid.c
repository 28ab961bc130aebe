// detect/grid.c
// A hierarchical hash grid: a sphere of radius s lives at the level whose cells are 2^level units
// >= 2 s wide, the unit being that of most spheres, in the cell of its centre, so that anything of
// its own or a lower level that touches it lies in the 27 cells round it. Each sphere searches its
// own level and the coarser ones that are in use. Linear in the number of spheres for near-equal
// sizes; one huge sphere among small ones costs each of them one extra search. Spheres too large
// for any level meet all others. Chosen over a tree: nothing to balance.
//
// Spheres are sorted by cell, and cells of one row (along x) follow one another in the table, so
// that three of them are one stretch of memory: nine searches for the 27 cells. What shares a slot
// by chance may be found twice, and is dropped once. A sphere searches those of its own level that
// come before it, which gives the pairs in their order without sorting all of them.
#include "detect/grid.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define CN_LEVELS 64          // sizes from 2^-32 to 2^31 units; smaller ones are put to the first
#define CN_LEVEL_ZERO 32      // index of cells one unit wide
#define CN_USUAL 1.5          // times the mean radius: larger spheres do not decide about the unit
#define CN_UNIT_ROOM 1.000001 // the unit over the diameter that it is made for, against rounding
#define CN_RADIUS_MOST 0x1p30 // [m] what is larger is tried against everything
#define CN_UNBOUNDED (-1)     // the level of such spheres
#define CN_CELL_FAR (1 << 27) // cells are numbered within this; what is farther shares the last one
#define CN_CELL_BITS 29       // of a number between -CN_CELL_FAR - 1 and CN_CELL_FAR + 1
#define CN_GRID_FOUND 12      // pairs a sphere that there is room for at first

// A sphere in its cell, its radius rounded up.
typedef struct grid_sphere {
    double center[3];
    float radius;
    int32_t index;
} grid_sphere;

// What the spheres that a thread searches for at a time have found, as far as there is room.
typedef struct cn_grid_unit {
    int32_t *other; // of each sphere those before it that it touches, one sphere after the other
    int64_t count, room;
    cn_body_pair *late; // with spheres after it, which have to be sorted in
    int64_t late_count, late_room;
} cn_grid_unit;

typedef struct cn_grid {
    const cn_env *env;
    int32_t count, units;
    const cn_bounding *ball;
    double scale[CN_LEVELS]; // one over the width of a cell [1/m]
    bool used[CN_LEVELS];
    int8_t *level;  // of each sphere
    int32_t *place; // of each sphere: its slot, then its place among the sorted
    uint32_t mask;  // slots are a power of two
    int32_t *start; // of the spheres of each slot among the sorted
    grid_sphere *sorted;
    int32_t *unbounded, unbounded_count;
    cn_grid_unit *unit;
    bool crowded;   // a unit has more pairs than are allowed
    int64_t *first; // of the pairs of each sphere
    cn_body_pair *pair;
} cn_grid;

// One over the diameter of the largest of the usual spheres.
static double cn_grid_scale(int32_t count, const cn_bounding *ball) {
    double sum = 0.0, usual = 0.0;
    int32_t bounded = 0;
    for (int32_t i = 0; i < count; i++) {
        bool counts = ball[i].radius <= CN_RADIUS_MOST;
        sum += counts ? ball[i].radius : 0.0;
        bounded += counts;
    }
    double most = fmin(CN_USUAL * sum / fmax(bounded, 1.0), CN_RADIUS_MOST);
    for (int32_t i = 0; i < count; i++) {
        usual = ball[i].radius <= most && ball[i].radius > usual ? ball[i].radius : usual;
    }
    double scale = 1.0 / (2.0 * CN_UNIT_ROOM * usual);
    return isfinite(scale) ? scale : 1.0;
}

static int8_t cn_level_of(double radius, double scale) {
    int exponent;
    if (!(radius <= CN_RADIUS_MOST)) {
        return CN_UNBOUNDED;
    }
    frexp(2.0 * scale * radius, &exponent); // at most 2^exponent units
    int level = exponent + CN_LEVEL_ZERO;
    return (int8_t)(level < 0 ? 0 : (level < CN_LEVELS ? level : CN_UNBOUNDED));
}

// The cell number of a coordinate; monotone, so neighbours stay neighbours where it is cut.
static int32_t cn_cell_number(double x, double scale) {
    return (int32_t)fmax(-CN_CELL_FAR, fmin(CN_CELL_FAR, floor(scale * x)));
}

static uint64_t cn_row_of(int32_t level, int32_t y, int32_t z) {
    return (uint64_t)level << 2 * CN_CELL_BITS | (uint64_t)(y + CN_CELL_FAR + 1) << CN_CELL_BITS |
           (uint64_t)(z + CN_CELL_FAR + 1);
}

// The slot of a cell; the next cell along x has the next one, round the end.
static uint32_t cn_cell_slot(const cn_grid *grid, uint64_t row, int32_t x) {
    uint64_t hash = row * 0x9E3779B97F4A7C15u;
    return ((uint32_t)(hash >> 32) + (uint32_t)x) & grid->mask;
}

// ---- putting the spheres into their cells ----

static void cn_find_slots(void *user, int64_t first, int64_t end) {
    cn_grid *grid = user;
    for (int64_t i = first; i < end; i++) {
        const cn_bounding *ball = &grid->ball[i];
        int8_t level = grid->level[i] = cn_level_of(ball->radius, grid->scale[CN_LEVEL_ZERO]);
        if (level != CN_UNBOUNDED) {
            double scale = grid->scale[level];
            uint64_t row = cn_row_of(level, cn_cell_number(ball->center[1], scale),
                                     cn_cell_number(ball->center[2], scale));
            grid->place[i] =
                (int32_t)cn_cell_slot(grid, row, cn_cell_number(ball->center[0], scale));
        }
    }
}

static void put_spheres(void *user, int64_t first, int64_t end) {
    cn_grid *grid = user;
    for (int64_t i = first; i < end; i++) {
        const cn_bounding *ball = &grid->ball[i];
        if (grid->level[i] != CN_UNBOUNDED) {
            grid_sphere *put = &grid->sorted[grid->place[i]];
            memcpy(put->center, ball->center, sizeof put->center);
            put->radius = nextafterf((float)ball->radius, INFINITY);
            put->index = (int32_t)i;
        }
    }
}

static bool cn_grid_allocate(cn_grid *grid, cn_arena *memory) {
    int64_t count = grid->count, slots = 64;
    while (slots < 2 * count) {
        slots *= 2;
    }
    grid->mask = (uint32_t)(slots - 1);
    grid->units = (int32_t)((count + CN_GRID_UNIT - 1) / CN_GRID_UNIT);
    grid->level = CN_TAKE(memory, int8_t, count);
    grid->place = CN_TAKE(memory, int32_t, count);
    grid->unbounded = CN_TAKE(memory, int32_t, count);
    grid->start = CN_TAKE_ZERO(memory, int32_t, slots + 2);
    grid->sorted = CN_TAKE(memory, grid_sphere, count);
    grid->first = CN_TAKE_ZERO(memory, int64_t, count + 1);
    grid->unit = CN_TAKE_ZERO(memory, cn_grid_unit, grid->units);
    return grid->level && grid->place && grid->unbounded && grid->start && grid->sorted &&
           grid->first && grid->unit;
}

static void cn_grid_build(const cn_env *env, cn_grid *grid) {
    double scale = cn_grid_scale(grid->count, grid->ball);
    for (int32_t level = 0; level < CN_LEVELS; level++) {
        grid->scale[level] = ldexp(scale, CN_LEVEL_ZERO - level);
    }
    cn_parallel_ranges(env, grid->count, cn_find_slots, grid);
    // Sorted by slot, and by number within one: counts stand two places on, so that after the
    // second loop each slot has its own start.
    int32_t *start = grid->start;
    for (int32_t i = 0; i < grid->count; i++) {
        if (grid->level[i] == CN_UNBOUNDED) {
            grid->unbounded[grid->unbounded_count++] = i;
        } else {
            grid->used[grid->level[i]] = true;
            start[grid->place[i] + 2]++;
        }
    }
    for (uint32_t slot = 0; slot < grid->mask; slot++) {
        start[slot + 2] += start[slot + 1];
    }
    for (int32_t i = 0; i < grid->count; i++) {
        if (grid->level[i] != CN_UNBOUNDED) {
            grid->place[i] = start[grid->place[i] + 1]++;
        }
    }
    cn_parallel_ranges(env, grid->count, put_spheres, grid);
}

// ---- searching ----

// A sphere whose neighbours are searched.
typedef struct cn_finding {
    int32_t index;
    cn_bounding ball;
    cn_grid_unit *unit; // where it puts what it finds
} cn_finding;

static inline void cn_found(const cn_finding *finding, int32_t other) {
    cn_grid_unit *unit = finding->unit;
    if (other < finding->index) {
        if (unit->count < unit->room) {
            unit->other[unit->count] = other;
        }
        unit->count++;
    } else {
        if (unit->late_count < unit->late_room) {
            unit->late[unit->late_count] = (cn_body_pair){finding->index, other};
        }
        unit->late_count++;
    }
}

// The spheres in a stretch of slots; all: those that come after the sphere too.
static void search_slots(const cn_grid *grid, uint32_t first, uint32_t last, bool all,
                         const cn_finding *finding) {
    const cn_bounding *ball = &finding->ball;
    const grid_sphere *end = grid->sorted + grid->start[last + 1];
    for (const grid_sphere *at = grid->sorted + grid->start[first]; at < end; at++) {
        double x = at->center[0] - ball->center[0], y = at->center[1] - ball->center[1],
               z = at->center[2] - ball->center[2], reach = (double)at->radius + ball->radius;
        if (x * x + y * y + z * z <= reach * reach && at->index != finding->index &&
            (all || at->index < finding->index)) {
            cn_found(finding, at->index);
        }
    }
}

// The 27 cells round the sphere at a level.
static void search_around(const cn_grid *grid, int32_t level, bool all, const cn_finding *finding) {
    const double *center = finding->ball.center;
    double scale = grid->scale[level];
    int32_t x = cn_cell_number(center[0], scale), y = cn_cell_number(center[1], scale),
            z = cn_cell_number(center[2], scale);
    for (int32_t k = 0; k < 9; k++) {
        uint64_t row = cn_row_of(level, y + k % 3 - 1, z + k / 3 - 1);
        uint32_t first = cn_cell_slot(grid, row, x - 1), last = (first + 2) & grid->mask;
        if (first < last) {
            search_slots(grid, first, last, all, finding);
        } else { // round the end of the table
            search_slots(grid, first, grid->mask, all, finding);
            search_slots(grid, 0, last, all, finding);
        }
    }
}

static void cn_find_from(const cn_grid *grid, const cn_finding *finding) {
    int32_t own = grid->level[finding->index];
    for (int32_t level = own; own != CN_UNBOUNDED && level < CN_LEVELS; level++) {
        if (grid->used[level]) {
            search_around(grid, level, level > own, finding);
        }
    }
    for (int32_t k = 0; k < grid->unbounded_count; k++) {
        int32_t other = grid->unbounded[k];
        if (other != finding->index && (own != CN_UNBOUNDED || other < finding->index) &&
            cn_balls_touch(&grid->ball[other], &finding->ball)) {
            cn_found(finding, other);
        }
    }
}

// In steps that shrink (Shell 1959), without repeats: a few in general, many where spheres lie upon
// each other. Returns how many are left.
static int64_t cn_sort_found(int32_t *other, int64_t count) {
    for (int64_t gap = count < 16 ? 1 : count / 2; gap > 0; gap /= 2) {
        for (int64_t i = gap; i < count; i++) {
            int32_t moving = other[i];
            int64_t k = i;
            for (; k >= gap && other[k - gap] > moving; k -= gap) {
                other[k] = other[k - gap];
            }
            other[k] = moving;
        }
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i == 0 || other[i] != other[i - 1]) {
            other[kept++] = other[i];
        }
    }
    return kept;
}

static bool cn_is_crowded(const cn_grid_unit *unit) {
    return unit->count + unit->late_count > CN_GRID_PAIRS_MAX;
}

// What the spheres of a unit find. Where there is not enough room, counts say how much was needed;
// a unit that has found too much stops.
static void cn_find_unit(void *user, int32_t index) {
    cn_grid *grid = user;
    cn_grid_unit *unit = &grid->unit[index];
    int32_t first = index * CN_GRID_UNIT,
            end = grid->count - first < CN_GRID_UNIT ? grid->count : first + CN_GRID_UNIT;
    unit->count = unit->late_count = 0;
    if (cn_is_cancelled(grid->env)) {
        return; // and cn_find_all has nothing
    }
    for (int32_t i = first; i < end && !cn_is_crowded(unit); i++) {
        cn_finding finding = {i, grid->ball[i], unit};
        int64_t before = unit->count;
        cn_find_from(grid, &finding);
        if (unit->count <= unit->room) {
            grid->first[i + 1] = cn_sort_found(unit->other + before, unit->count - before);
            unit->count = before + grid->first[i + 1];
        }
    }
}

// Room for every unit, first for what is usual, then for what one was found to need.
static bool cn_unit_make_room(const cn_grid *grid, cn_grid_unit *unit, cn_arena *memory) {
    int64_t usual = CN_GRID_UNIT * ((int64_t)CN_GRID_FOUND + grid->unbounded_count);
    unit->room = unit->count > usual ? unit->count : usual;
    unit->late_room = unit->late_count > usual ? unit->late_count : usual;
    unit->other = CN_TAKE(memory, int32_t, unit->room);
    unit->late = CN_TAKE(memory, cn_body_pair, unit->late_room);
    return unit->other && unit->late;
}

static cn_status cn_find_all(const cn_env *env, cn_grid *grid, cn_arena *memory) {
    for (int32_t i = 0; i < grid->units; i++) {
        if (!cn_unit_make_room(grid, &grid->unit[i], memory)) {
            return CN_ERR_MEMORY;
        }
    }
    cn_parallel_for(env, grid->units, cn_find_unit, grid);
    for (int32_t i = 0; i < grid->units; i++) {
        grid->crowded |= cn_is_crowded(&grid->unit[i]);
    }
    for (int32_t i = 0; i < grid->units; i++) {
        cn_grid_unit *unit = &grid->unit[i];
        if (grid->crowded) { // what there was room for is enough to tell who is in the crowd
            unit->late_count =
                unit->late_count < unit->late_room ? unit->late_count : unit->late_room;
        } else if (unit->count > unit->room || unit->late_count > unit->late_room) {
            if (!cn_unit_make_room(grid, unit, memory)) {
                return CN_ERR_MEMORY;
            }
            cn_find_unit(grid, i);
        }
    }
    return cn_is_cancelled(env) ? CN_ERR_CANCELLED : CN_OK;
}

// The pairs of a unit's spheres, to where they belong.
static void cn_write_unit(void *user, int32_t index) {
    const cn_grid *grid = user;
    const int32_t *other = grid->unit[index].other;
    int32_t first = index * CN_GRID_UNIT,
            end = grid->count - first < CN_GRID_UNIT ? grid->count : first + CN_GRID_UNIT;
    for (int32_t i = first; i < end; i++) {
        for (int64_t k = grid->first[i]; k < grid->first[i + 1]; k++) {
            grid->pair[k] = (cn_body_pair){*other++, i};
        }
    }
}

// ---- late pairs ----

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

// Sorts the late pairs in among the others, which stand before the room for them; what shared a
// slot by chance may be on both sides. Returns how many there are then.
static int64_t cn_merge_late(cn_body_pair *pair, int64_t count, const cn_body_pair *late,
                             int64_t late_count) {
    int64_t all = count + late_count, kept = 0;
    while (late_count > 0) {
        bool last = count == 0 || cn_pair_before(&pair[count - 1], &late[late_count - 1]);
        pair[count + late_count - 1] = last ? late[late_count - 1] : pair[count - 1];
        late_count -= last;
        count -= !last;
    }
    for (int64_t k = 0; k < all; k++) {
        if (k == 0 || cn_pair_before(&pair[k - 1], &pair[k])) {
            pair[kept++] = pair[k];
        }
    }
    return kept;
}

// The late pairs of all units, sorted, in the arena.
static cn_body_pair *cn_late_pairs(const cn_grid *grid, int64_t count, cn_arena *memory) {
    cn_body_pair *late = CN_TAKE(memory, cn_body_pair, count),
                 *sorted = CN_TAKE(memory, cn_body_pair, count);
    int64_t *slot = CN_TAKE(memory, int64_t, (int64_t)grid->count + 1), at = 0;
    if (!late || !sorted || !slot) {
        return NULL;
    }
    for (int32_t i = 0; i < grid->units; i++) {
        const cn_grid_unit *unit = &grid->unit[i];
        memcpy(late + at, unit->late, sizeof *late * (size_t)unit->late_count);
        at += unit->late_count;
    }
    cn_sort_pairs(late, count, grid->count, true, slot, sorted);
    cn_sort_pairs(sorted, count, grid->count, false, slot, late);
    return late;
}

static cn_status cn_grid_find(const cn_env *env, cn_grid *grid, cn_arena *scratch,
                              cn_buffer *pairs) {
    cn_grid_build(env, grid);
    cn_status status = cn_find_all(env, grid, scratch);
    if (status != CN_OK) {
        return status;
    }
    int64_t late_count = 0;
    for (int32_t i = 0; i < grid->units; i++) {
        late_count += grid->unit[i].late_count;
    }
    for (int32_t i = 0; i < grid->count; i++) {
        grid->first[i + 1] += grid->first[i];
    }
    int64_t count = grid->first[grid->count];
    pairs->size = 0;
    if (!cn_buffer_reserve(pairs, sizeof(cn_body_pair) * (size_t)(count + late_count))) {
        return CN_ERR_MEMORY;
    }
    grid->pair = (void *)pairs->data;
    cn_parallel_for(env, grid->units, cn_write_unit, grid);
    if (late_count > 0) {
        const cn_body_pair *late = cn_late_pairs(grid, late_count, scratch);
        if (!late) {
            return CN_ERR_MEMORY;
        }
        count = cn_merge_late(grid->pair, count, late, late_count);
    }
    pairs->size = sizeof(cn_body_pair) * (size_t)count;
    return grid->crowded ? CN_ERR_UNSUPPORTED : CN_OK;
}

cn_status cn_grid_pairs(const cn_env *env, int32_t count, const cn_bounding *ball,
                        cn_arena *scratch, cn_buffer *pairs) {
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    cn_grid grid = {.env = env, .count = count, .ball = ball};
    cn_status status = CN_ERR_MEMORY;
    if (cn_grid_allocate(&grid, scratch)) {
        status = cn_grid_find(env, &grid, scratch, pairs);
    }
    cn_arena_release(scratch, mark);
    return status;
}
