// scene/generate/generate_packing.c
// packing: bodies at random places inside a box, none overlapping, in time proportional to their
// number.
//
// "lattice" puts each body into a cell of its own, moved at random as far as the cell allows, layer
// by layer from the bottom: it always ends, and fills up to pi/6 (2D: pi/4) of the box when the
// radii are equal. "random" draws places until one is free (random sequential addition with a grid
// of cells): without order, but it jams near 0.38 (2D: 0.54) of the volume and gives up with an
// error well before that costs time. Bodies other than spheres take the room of the sphere that
// holds them.
#include "scene/generate/generate.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/rng.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

#define TRY_WORK 500.0    // of base_poll_work: some 27 cells with a body or two
#define TRIES_A_BODY 2000 // places drawn for one body before "random" gives up
#define FIT_SLACK 1e-12   // of a cell: a box of exactly n cells has room for n

#define CELLS_MAX 1e9 // along one axis

enum { LATTICE, RANDOM };

typedef struct scene_packing {
    const io_yaml *node;
    scene_lot lot;
    int32_t count;
    double radius[2]; // [0] NaN: shape is given
    scene_items shapes;
    double inside[6];
    double gap;
    int32_t arrangement;
    int64_t seed;
} scene_packing;

static const scene_choice arrangements[] = {
    {.text = "lattice", .value = LATTICE}, {.text = "random", .value = RANDOM}, {0}};

static const scene_field packing_fields[] = {
    SCENE_KEY("count", int, scene_packing, count, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many bodies"),
    SCENE_KEY("radius", range, scene_packing, radius, .flags = SCENE_ABOVE_ZERO, .unit = "m",
              .help = "of spheres or disks, uniform between the two; or give shape"),
    SCENE_KEY("shape", one_or_list, scene_packing, shapes, .table = &scene_shape_table,
              .help = "instead of spheres: copies of this, each turned at random"),
    SCENE_KEY("inside", corners, scene_packing, inside, .flags = SCENE_REQUIRED, .unit = "m",
              .help = "the lowest and the highest corner of a box"),
    SCENE_KEY("gap", real, scene_packing, gap, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "least distance between bodies"),
    SCENE_KEY("arrangement", choice, scene_packing, arrangement, .choice = arrangements,
              .help =
                  "lattice: one a cell, from the bottom; random: anywhere in the box, for loose "
                  "packings"),
    SCENE_KEY("seed", seed, scene_packing, seed, .flags = SCENE_NOT_BELOW_ZERO,
              .help = "another seed, another packing"),
    SCENE_LOT_FIELDS(scene_packing),
};

static void packing_initial(void *out, int32_t dim) {
    (void)dim;
    scene_packing *packing = out;
    scene_lot_initial(&packing->lot);
    packing->radius[0] = packing->radius[1] = NAN;
}

static cn_status packing_count(scene_reader *reader, const void *params, double *bodies) {
    const scene_packing *packing = params;
    bool spheres = packing->radius[0] > 0.0;
    if (spheres == (packing->shapes.count > 0)) {
        return scene_fail_node(reader, packing->node, CN_ERR_INPUT,
                               spheres ? "give radius or shape, not both"
                                       : "packing needs \"radius\" or \"shape\"");
    }
    *bodies = packing->count;
    return CN_OK;
}

// ---- bodies ----

// What is packed: spheres of random radius, or a shape within `largest`.
typedef struct scene_packer {
    scene_maker *maker;
    const scene_packing *packing;
    int32_t dim;
    base_rng rng;
    double largest;
    cn_shape_def *shapes; // NULL: spheres
    int32_t shape_count;
} scene_packer;

static cn_status packer_start(scene_packer *packer, scene_maker *maker,
                              const scene_packing *packing) {
    *packer = (scene_packer){.maker = maker,
                             .packing = packing,
                             .dim = maker->reader->dim,
                             .rng = base_rng_seed((uint64_t)packing->seed),
                             .largest = packing->radius[1]};
    if (packing->shapes.count == 0) {
        return CN_OK;
    }
    CN_TRY(scene_shapes_flatten(maker->reader, &packing->shapes, &packer->shapes,
                                &packer->shape_count));
    return scene_reach(maker->reader, packing->shapes.node, packer->shapes, packer->shape_count,
                       &packer->largest);
}

static double packer_radius(scene_packer *packer) {
    const double *radius = packer->packing->radius;
    return packer->shapes ? packer->largest : base_rng_uniform(&packer->rng, radius[0], radius[1]);
}

// A rotation without preference (Shoemake 1992).
static void packer_turn(scene_packer *packer, cn_body_def *body) {
    double turn[2][2];
    double share = base_rng_uniform(&packer->rng, 0.0, 1.0);
    body->angle = base_rng_uniform(&packer->rng, 0.0, 2.0 * SCENE_PI);
    base_sincos(body->angle, &turn[0][0], &turn[0][1]);
    base_sincos(base_rng_uniform(&packer->rng, 0.0, 2.0 * SCENE_PI), &turn[1][0], &turn[1][1]);
    body->orientation[0] = sqrt(share) * turn[1][1];
    body->orientation[1] = sqrt(1.0 - share) * turn[0][0];
    body->orientation[2] = sqrt(1.0 - share) * turn[0][1];
    body->orientation[3] = sqrt(share) * turn[1][0];
}

static cn_status packer_put(scene_packer *packer, double radius, const double center[3]) {
    cn_shape_def sphere = scene_round(packer->dim, radius);
    cn_body_def body = scene_lot_body(packer->maker);
    body.shapes = packer->shapes ? packer->shapes : &sphere;
    body.shape_count = packer->shapes ? packer->shape_count : 1;
    memcpy(body.position, center, sizeof body.position);
    if (packer->shapes) {
        packer_turn(packer, &body);
    }
    return scene_make_body(packer->maker, &body);
}

static cn_status packer_full(scene_packer *packer, double placed) {
    scene_fail_node(packer->maker->reader, io_yaml_get(packer->packing->node, "count"),
                    CN_ERR_INPUT, "only %.0f of %d bodies fit inside", placed,
                    packer->packing->count);
    base_fail_hint(packer->maker->reader->error,
                   packer->packing->arrangement == RANDOM
                       ? "make the box larger, or use \"arrangement: lattice\""
                       : "make the box larger or the bodies smaller");
    return CN_ERR_INPUT;
}

// ---- lattice ----

static cn_status packing_lattice(scene_packer *packer) {
    const scene_packing *packing = packer->packing;
    double cell = 2.0 * packer->largest + packing->gap;
    double number[3] = {1.0, 1.0, 1.0};
    double size[3] = {0};
    for (int32_t i = 0; i < packer->dim; i++) {
        double length = packing->inside[3 + i] - packing->inside[i];
        number[i] = fmin(floor(length / cell + FIT_SLACK), CELLS_MAX);
        // Level cells share the whole width; upright they are as low as can be.
        size[i] = i == scene_up(packer->dim) ? cell : length / fmax(1.0, number[i]);
    }
    double room = number[0] * number[1] * number[2];
    if (!(room >= packing->count)) {
        return packer_full(packer, fmax(0.0, room));
    }
    double layer = packer->dim == 3 ? number[0] * number[1] : number[0];
    cn_status status = CN_OK;
    int64_t left = packing->count;
    int64_t in_layer = (int64_t)fmin(layer, 2.0 * SCENE_BODIES_MAX);
    for (int64_t k = 0; left > 0 && status == CN_OK; k++) {
        // The last layer takes a random choice of its cells, each equally likely.
        int64_t cells_left = in_layer - k % in_layer;
        int64_t layers = k / in_layer; // below this one
        if (left < cells_left && layers == (packing->count - 1) / in_layer &&
            base_rng_uniform(&packer->rng, 0.0, (double)cells_left) >= (double)left) {
            continue;
        }
        int64_t columns = (int64_t)number[0];
        int64_t in_this = k % in_layer;
        int64_t row = in_this / columns;
        double at[3] = {(double)(in_this % columns), (double)row};
        at[scene_up(packer->dim)] = (double)layers;
        double radius = packer_radius(packer);
        double center[3] = {0};
        for (int32_t i = 0; i < packer->dim; i++) {
            double free = fmax(0.0, 0.5 * (size[i] - packing->gap) - radius);
            center[i] = packing->inside[i] + (at[i] + 0.5) * size[i] +
                        base_rng_uniform(&packer->rng, -free, free);
        }
        status = packer_put(packer, radius, center);
        left--;
    }
    return status;
}

// ---- random ----

// Bodies already placed, by the cell that their centre is in. Cells are at least as wide as the
// largest distance at which two bodies can touch, so that 3^dim of them hold all neighbours.
typedef struct scene_cells {
    int32_t dim;
    int64_t number[3];
    double low[3], inverse[3];
    int32_t *head, *next; // -1: none
    double *sphere;       // center and radius, 4 each
} scene_cells;

static bool cells_create(scene_cells *cells, const scene_packer *packer, cn_arena *memory) {
    const scene_packing *packing = packer->packing;
    double min = 2.0 * packer->largest + packing->gap;
    double max = 1.0; // cells along an axis: more than the root of the count would only be empty
    while ((packer->dim == 3 ? max * max * max : max * max) < packing->count) {
        max += 1.0;
    }
    *cells = (scene_cells){.dim = packer->dim, .number = {1, 1, 1}};
    int64_t total = 1;
    for (int32_t i = 0; i < packer->dim; i++) {
        double length = packing->inside[3 + i] - packing->inside[i];
        cells->number[i] = (int64_t)fmin(fmax(1.0, floor(length / min)), 2.0 * max);
        cells->low[i] = packing->inside[i];
        cells->inverse[i] = (double)cells->number[i] / length;
        total *= cells->number[i];
    }
    cells->head = BASE_TAKE(memory, int32_t, total);
    cells->next = BASE_TAKE(memory, int32_t, packing->count);
    cells->sphere = BASE_TAKE(memory, double, 4 * (int64_t)packing->count);
    if (!cells->head || !cells->next || !cells->sphere) {
        return false;
    }
    memset(cells->head, 0xFF, (size_t)total * sizeof *cells->head);
    return true;
}

static void cells_at(const scene_cells *cells, const double center[3], int64_t at[3]) {
    for (int i = 0; i < 3; i++) {
        double along = (center[i] - cells->low[i]) * cells->inverse[i];
        at[i] = (int64_t)fmin(fmax(along, 0.0), (double)(cells->number[i] - 1));
    }
}

static int64_t cells_index(const scene_cells *cells, const int64_t at[3]) {
    return (at[2] * cells->number[1] + at[1]) * cells->number[0] + at[0];
}

static bool cells_free(const scene_cells *cells, const double center[3], double reach) {
    int64_t at[3];
    cells_at(cells, center, at);
    for (int neighbour = 0; neighbour < (cells->dim == 3 ? 27 : 9); neighbour++) {
        int64_t near[3] = {at[0] + neighbour % 3 - 1, at[1] + neighbour / 3 % 3 - 1,
                           cells->dim == 3 ? at[2] + neighbour / 9 - 1 : 0};
        bool inside = true;
        for (int i = 0; i < 3; i++) {
            inside = inside && near[i] >= 0 && near[i] < cells->number[i];
        }
        for (int32_t k = inside ? cells->head[cells_index(cells, near)] : -1; k >= 0;
             k = cells->next[k]) {
            const double *sphere = cells->sphere + 4 * (int64_t)k;
            double min = reach + sphere[3];
            double d[3] = {sphere[0] - center[0], sphere[1] - center[1], sphere[2] - center[2]};
            if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < min * min) {
                return false;
            }
        }
    }
    return true;
}

static void cells_add(scene_cells *cells, int32_t index, const double center[3], double radius) {
    int64_t at[3];
    cells_at(cells, center, at);
    int32_t *head = &cells->head[cells_index(cells, at)];
    double *sphere = cells->sphere + 4 * (int64_t)index;
    memcpy(sphere, center, 3 * sizeof *sphere);
    sphere[3] = radius;
    cells->next[index] = *head;
    *head = index;
}

static cn_status packing_random(scene_packer *packer) {
    const scene_packing *packing = packer->packing;
    cn_arena *memory = packer->maker->reader->memory;
    base_arena_mark mark = base_arena_get_mark(memory);
    for (int32_t i = 0; i < packer->dim; i++) {
        if (!(packing->inside[3 + i] - packing->inside[i] >= 2.0 * packer->largest)) {
            return packer_full(packer, 0.0);
        }
    }
    scene_cells cells;
    if (!cells_create(&cells, packer, memory)) {
        base_arena_release(memory, mark);
        return base_fail_memory(packer->maker->reader->error);
    }
    cn_status status = CN_OK;
    base_poll poll = {.env = cn_arena_env(memory)};
    for (int32_t placed = 0; placed < packing->count && status == CN_OK; placed++) {
        double radius = packer_radius(packer);
        double center[3] = {0};
        bool found = false;
        for (int32_t tries = 0; tries < TRIES_A_BODY && !found; tries++) {
            if (base_poll_work(&poll, TRY_WORK)) {
                base_arena_release(memory, mark);
                return base_fail_cancelled(packer->maker->reader->error);
            }
            for (int32_t i = 0; i < packer->dim; i++) {
                center[i] = base_rng_uniform(&packer->rng, packing->inside[i] + radius,
                                             packing->inside[3 + i] - radius);
            }
            found = cells_free(&cells, center, radius + packing->gap);
        }
        if (!found) {
            status = packer_full(packer, placed);
            break;
        }
        cells_add(&cells, placed, center, radius);
        status = packer_put(packer, radius, center);
    }
    base_arena_release(memory, mark);
    return status;
}

static cn_status packing_run(scene_maker *maker, const void *params) {
    const scene_packing *packing = params;
    scene_packer packer;
    CN_TRY(packer_start(&packer, maker, packing));
    return packing->arrangement == RANDOM ? packing_random(&packer) : packing_lattice(&packer);
}

const scene_table_of scene_packing_table = {
    .name = "packing",
    .help = "Bodies at random places inside a box, none overlapping.",
    .field = packing_fields,
    .count = SCENE_COUNT(packing_fields),
    .size = sizeof(scene_packing),
    .initial = packing_initial,
    .use = &(const scene_generator){.count = packing_count, .run = packing_run},
};
