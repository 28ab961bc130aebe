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

#define LEVELS 64          // sizes from 2^-32 to 2^31 units; smaller ones are put to the first
#define LEVEL_ZERO 32      // index of cells one unit wide
#define USUAL 1.5          // times the mean radius: larger spheres do not decide about the unit
#define UNIT_ROOM 1.000001 // the unit over the diameter that it is made for, against rounding
#define RADIUS_MAX 0x1p30  // [m] what is larger is tried against everything
#define UNBOUNDED (-1)     // the level of such spheres
#define CELL_FAR (1 << 27) // cells are numbered within this; what is farther shares the last one
#define CELL_BITS 29       // of a number between -CELL_FAR - 1 and CELL_FAR + 1
#define GRID_FOUND 12      // pairs a sphere that there is room for at first

// A sphere in its cell, its radius rounded up.
typedef struct grid_sphere {
    double center[3];
    float radius;
    int32_t index;
} grid_sphere;

// What the spheres that a thread searches for at a time have found, as far as there is room.
typedef struct grid_unit {
    int32_t *other; // of each sphere those before it that it touches, one sphere after the other
    int64_t count, room;
    det_body_pair *late; // with spheres after it, which have to be sorted in
    int64_t late_count, late_room;
} grid_unit;

typedef struct det_grid {
    const cn_env *env;
    int32_t count, units;
    const det_bounding *sphere;
    double scale[LEVELS]; // one over the width of a cell [1/m]
    bool used[LEVELS];
    int8_t *level;  // of each sphere
    int32_t *place; // of each sphere: its slot, then its place among the sorted
    uint32_t mask;  // slots are a power of two
    int32_t *start; // of the spheres of each slot among the sorted
    grid_sphere *sorted;
    int32_t *unbounded, unbounded_count;
    grid_unit *unit;
    bool crowded;   // a unit has more pairs than are allowed
    int64_t *first; // of the pairs of each sphere
    det_body_pair *pair;
} det_grid;

// One over the diameter of the largest of the usual spheres.
static double grid_scale(int32_t count, const det_bounding *sphere) {
    double sum = 0.0, usual = 0.0;
    int32_t bounded = 0;
    for (int32_t i = 0; i < count; i++) {
        bool counts = sphere[i].radius <= RADIUS_MAX;
        sum += counts ? sphere[i].radius : 0.0;
        bounded += counts;
    }
    double max = fmin(USUAL * sum / fmax(bounded, 1.0), RADIUS_MAX);
    for (int32_t i = 0; i < count; i++) {
        usual = sphere[i].radius <= max && sphere[i].radius > usual ? sphere[i].radius : usual;
    }
    double scale = 1.0 / (2.0 * UNIT_ROOM * usual);
    return isfinite(scale) ? scale : 1.0;
}

static int8_t level_of(double radius, double scale) {
    int exponent;
    if (!(radius <= RADIUS_MAX)) {
        return UNBOUNDED;
    }
    frexp(2.0 * scale * radius, &exponent); // at most 2^exponent units
    int level = exponent + LEVEL_ZERO;
    return (int8_t)(level < 0 ? 0 : (level < LEVELS ? level : UNBOUNDED));
}

// The cell number of a coordinate; monotone, so neighbours stay neighbours where it is cut.
static int32_t cell_number(double x, double scale) {
    return (int32_t)fmax(-CELL_FAR, fmin(CELL_FAR, floor(scale * x)));
}

static uint64_t row_of(int32_t level, int32_t y, int32_t z) {
    return (uint64_t)level << 2 * CELL_BITS | (uint64_t)(y + CELL_FAR + 1) << CELL_BITS |
           (uint64_t)(z + CELL_FAR + 1);
}

// The slot of a cell; the next cell along x has the next one, round the end.
static uint32_t cell_slot(const det_grid *grid, uint64_t row, int32_t x) {
    uint64_t hash = row * 0x9E3779B97F4A7C15u;
    return ((uint32_t)(hash >> 32) + (uint32_t)x) & grid->mask;
}

// ---- putting the spheres into their cells ----

static void find_slots(void *user, int64_t first, int64_t end) {
    det_grid *grid = user;
    for (int64_t i = first; i < end; i++) {
        const det_bounding *sphere = &grid->sphere[i];
        int8_t level = grid->level[i] = level_of(sphere->radius, grid->scale[LEVEL_ZERO]);
        if (level != UNBOUNDED) {
            double scale = grid->scale[level];
            uint64_t row = row_of(level, cell_number(sphere->center[1], scale),
                                  cell_number(sphere->center[2], scale));
            grid->place[i] = (int32_t)cell_slot(grid, row, cell_number(sphere->center[0], scale));
        }
    }
}

static void put_spheres(void *user, int64_t first, int64_t end) {
    det_grid *grid = user;
    for (int64_t i = first; i < end; i++) {
        const det_bounding *sphere = &grid->sphere[i];
        if (grid->level[i] != UNBOUNDED) {
            grid_sphere *put = &grid->sorted[grid->place[i]];
            memcpy(put->center, sphere->center, sizeof put->center);
            put->radius = nextafterf((float)sphere->radius, INFINITY);
            put->index = (int32_t)i;
        }
    }
}

static bool grid_allocate(det_grid *grid, cn_arena *memory) {
    int64_t count = grid->count, slots = 64;
    while (slots < 2 * count) {
        slots *= 2;
    }
    grid->mask = (uint32_t)(slots - 1);
    grid->units = (int32_t)((count + DET_GRID_UNIT - 1) / DET_GRID_UNIT);
    grid->level = BASE_TAKE(memory, int8_t, count);
    grid->place = BASE_TAKE(memory, int32_t, count);
    grid->unbounded = BASE_TAKE(memory, int32_t, count);
    grid->start = BASE_TAKE_ZERO(memory, int32_t, slots + 2);
    grid->sorted = BASE_TAKE(memory, grid_sphere, count);
    grid->first = BASE_TAKE_ZERO(memory, int64_t, count + 1);
    grid->unit = BASE_TAKE_ZERO(memory, grid_unit, grid->units);
    return grid->level && grid->place && grid->unbounded && grid->start && grid->sorted &&
           grid->first && grid->unit;
}

static void grid_build(const cn_env *env, det_grid *grid) {
    double scale = grid_scale(grid->count, grid->sphere);
    for (int32_t level = 0; level < LEVELS; level++) {
        grid->scale[level] = ldexp(scale, LEVEL_ZERO - level);
    }
    base_parallel_ranges(env, grid->count, find_slots, grid);
    // Sorted by slot, and by number within one: counts stand two places on, so that after the
    // second loop each slot has its own start.
    int32_t *start = grid->start;
    for (int32_t i = 0; i < grid->count; i++) {
        if (grid->level[i] == UNBOUNDED) {
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
        if (grid->level[i] != UNBOUNDED) {
            grid->place[i] = start[grid->place[i] + 1]++;
        }
    }
    base_parallel_ranges(env, grid->count, put_spheres, grid);
}

// ---- searching ----

// A sphere whose neighbours are searched.
typedef struct det_finding {
    int32_t index;
    det_bounding sphere;
    grid_unit *unit; // where it puts what it finds
} det_finding;

static inline void det_found(const det_finding *finding, int32_t other) {
    grid_unit *unit = finding->unit;
    if (other < finding->index) {
        if (unit->count < unit->room) {
            unit->other[unit->count] = other;
        }
        unit->count++;
    } else {
        if (unit->late_count < unit->late_room) {
            unit->late[unit->late_count] = (det_body_pair){finding->index, other};
        }
        unit->late_count++;
    }
}

// The spheres in a stretch of slots; all: those that come after the sphere too.
static void search_slots(const det_grid *grid, uint32_t first, uint32_t last, bool all,
                         const det_finding *finding) {
    const det_bounding *sphere = &finding->sphere;
    const grid_sphere *end = grid->sorted + grid->start[last + 1];
    for (const grid_sphere *at = grid->sorted + grid->start[first]; at < end; at++) {
        double x = at->center[0] - sphere->center[0], y = at->center[1] - sphere->center[1],
               z = at->center[2] - sphere->center[2], reach = (double)at->radius + sphere->radius;
        if (x * x + y * y + z * z <= reach * reach && at->index != finding->index &&
            (all || at->index < finding->index)) {
            det_found(finding, at->index);
        }
    }
}

// The 27 cells round the sphere at a level.
static void search_around(const det_grid *grid, int32_t level, bool all,
                          const det_finding *finding) {
    const double *center = finding->sphere.center;
    double scale = grid->scale[level];
    int32_t x = cell_number(center[0], scale), y = cell_number(center[1], scale),
            z = cell_number(center[2], scale);
    for (int32_t k = 0; k < 9; k++) {
        uint64_t row = row_of(level, y + k % 3 - 1, z + k / 3 - 1);
        uint32_t first = cell_slot(grid, row, x - 1), last = (first + 2) & grid->mask;
        if (first < last) {
            search_slots(grid, first, last, all, finding);
        } else { // round the end of the table
            search_slots(grid, first, grid->mask, all, finding);
            search_slots(grid, 0, last, all, finding);
        }
    }
}

static void find_from(const det_grid *grid, const det_finding *finding) {
    int32_t own = grid->level[finding->index];
    for (int32_t level = own; own != UNBOUNDED && level < LEVELS; level++) {
        if (grid->used[level]) {
            search_around(grid, level, level > own, finding);
        }
    }
    for (int32_t k = 0; k < grid->unbounded_count; k++) {
        int32_t other = grid->unbounded[k];
        if (other != finding->index && (own != UNBOUNDED || other < finding->index) &&
            det_spheres_touch(&grid->sphere[other], &finding->sphere)) {
            det_found(finding, other);
        }
    }
}

// In steps that shrink (Shell 1959), without repeats: a few in general, many where spheres lie upon
// each other. Returns how many are left.
static int64_t sort_found(int32_t *other, int64_t count) {
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

static bool is_crowded(const grid_unit *unit) {
    return unit->count + unit->late_count > DET_GRID_PAIRS_MAX;
}

// What the spheres of a unit find. Where there is not enough room, counts say how much was needed;
// a unit that has found too much stops.
static void find_unit(void *user, int32_t index) {
    det_grid *grid = user;
    grid_unit *unit = &grid->unit[index];
    int32_t first = index * DET_GRID_UNIT,
            end = grid->count - first < DET_GRID_UNIT ? grid->count : first + DET_GRID_UNIT;
    unit->count = unit->late_count = 0;
    if (base_is_cancelled(grid->env)) {
        return; // and find_all has nothing
    }
    for (int32_t i = first; i < end && !is_crowded(unit); i++) {
        det_finding finding = {i, grid->sphere[i], unit};
        int64_t before = unit->count;
        find_from(grid, &finding);
        if (unit->count <= unit->room) {
            grid->first[i + 1] = sort_found(unit->other + before, unit->count - before);
            unit->count = before + grid->first[i + 1];
        }
    }
}

// Room for every unit, first for what is usual, then for what one was found to need.
static bool unit_make_room(const det_grid *grid, grid_unit *unit, cn_arena *memory) {
    int64_t usual = DET_GRID_UNIT * ((int64_t)GRID_FOUND + grid->unbounded_count);
    unit->room = unit->count > usual ? unit->count : usual;
    unit->late_room = unit->late_count > usual ? unit->late_count : usual;
    unit->other = BASE_TAKE(memory, int32_t, unit->room);
    unit->late = BASE_TAKE(memory, det_body_pair, unit->late_room);
    return unit->other && unit->late;
}

static cn_status find_all(const cn_env *env, det_grid *grid, cn_arena *memory) {
    for (int32_t i = 0; i < grid->units; i++) {
        if (!unit_make_room(grid, &grid->unit[i], memory)) {
            return CN_ERR_MEMORY;
        }
    }
    base_parallel_for(env, grid->units, find_unit, grid);
    for (int32_t i = 0; i < grid->units; i++) {
        grid->crowded |= is_crowded(&grid->unit[i]);
    }
    for (int32_t i = 0; i < grid->units; i++) {
        grid_unit *unit = &grid->unit[i];
        if (grid->crowded) { // what there was room for is enough to tell who is in the crowd
            unit->late_count =
                unit->late_count < unit->late_room ? unit->late_count : unit->late_room;
        } else if (unit->count > unit->room || unit->late_count > unit->late_room) {
            if (!unit_make_room(grid, unit, memory)) {
                return CN_ERR_MEMORY;
            }
            find_unit(grid, i);
        }
    }
    return base_is_cancelled(env) ? CN_ERR_CANCELLED : CN_OK;
}

// The pairs of a unit's spheres, to where they belong.
static void write_unit(void *user, int32_t index) {
    const det_grid *grid = user;
    const int32_t *other = grid->unit[index].other;
    int32_t first = index * DET_GRID_UNIT,
            end = grid->count - first < DET_GRID_UNIT ? grid->count : first + DET_GRID_UNIT;
    for (int32_t i = first; i < end; i++) {
        for (int64_t k = grid->first[i]; k < grid->first[i + 1]; k++) {
            grid->pair[k] = (det_body_pair){*other++, i};
        }
    }
}

// ---- late pairs ----

// Stable counting sort by one member.
static void sort_pairs(const det_body_pair *in, int64_t count, int32_t range, bool by_first,
                       int64_t *slot, det_body_pair *out) {
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
static int64_t merge_late(det_body_pair *pair, int64_t count, const det_body_pair *late,
                          int64_t late_count) {
    int64_t all = count + late_count, kept = 0;
    while (late_count > 0) {
        bool last = count == 0 || det_pair_before(&pair[count - 1], &late[late_count - 1]);
        pair[count + late_count - 1] = last ? late[late_count - 1] : pair[count - 1];
        late_count -= last;
        count -= !last;
    }
    for (int64_t k = 0; k < all; k++) {
        if (k == 0 || det_pair_before(&pair[k - 1], &pair[k])) {
            pair[kept++] = pair[k];
        }
    }
    return kept;
}

// The late pairs of all units, sorted, in the arena.
static det_body_pair *late_pairs(const det_grid *grid, int64_t count, cn_arena *memory) {
    det_body_pair *late = BASE_TAKE(memory, det_body_pair, count),
                  *sorted = BASE_TAKE(memory, det_body_pair, count);
    int64_t *slot = BASE_TAKE(memory, int64_t, (int64_t)grid->count + 1), at = 0;
    if (!late || !sorted || !slot) {
        return NULL;
    }
    for (int32_t i = 0; i < grid->units; i++) {
        const grid_unit *unit = &grid->unit[i];
        memcpy(late + at, unit->late, sizeof *late * (size_t)unit->late_count);
        at += unit->late_count;
    }
    sort_pairs(late, count, grid->count, true, slot, sorted);
    sort_pairs(sorted, count, grid->count, false, slot, late);
    return late;
}

static cn_status grid_find(const cn_env *env, det_grid *grid, cn_arena *scratch,
                           base_buffer *pairs) {
    grid_build(env, grid);
    CN_TRY(find_all(env, grid, scratch));
    int64_t late_count = 0;
    for (int32_t i = 0; i < grid->units; i++) {
        late_count += grid->unit[i].late_count;
    }
    for (int32_t i = 0; i < grid->count; i++) {
        grid->first[i + 1] += grid->first[i];
    }
    int64_t count = grid->first[grid->count];
    pairs->size = 0;
    if (!base_buffer_reserve(pairs, sizeof(det_body_pair) * (size_t)(count + late_count))) {
        return CN_ERR_MEMORY;
    }
    grid->pair = (void *)pairs->data;
    base_parallel_for(env, grid->units, write_unit, grid);
    if (late_count > 0) {
        const det_body_pair *late = late_pairs(grid, late_count, scratch);
        if (!late) {
            return CN_ERR_MEMORY;
        }
        count = merge_late(grid->pair, count, late, late_count);
    }
    pairs->size = sizeof(det_body_pair) * (size_t)count;
    return grid->crowded ? CN_ERR_UNSUPPORTED : CN_OK;
}

cn_status det_grid_pairs(const cn_env *env, int32_t count, const det_bounding *sphere,
                         cn_arena *scratch, base_buffer *pairs) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    det_grid grid = {.env = env, .count = count, .sphere = sphere};
    cn_status status = CN_ERR_MEMORY;
    if (grid_allocate(&grid, scratch)) {
        status = grid_find(env, &grid, scratch, pairs);
    }
    base_arena_release(scratch, mark);
    return status;
}
