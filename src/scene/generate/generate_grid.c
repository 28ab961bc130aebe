// scene/generate/generate_grid.c
// grid: copies of a shape on a lattice. column: copies one on the other along a direction.
//
// Without a spacing the copies of a grid touch, as do those of a column without a gap. Jitter moves
// each copy of a grid by a random part of what the spacing leaves free, so that none overlap.
#include "scene/generate/generate.h"

#include "base/error.h"
#include "base/rng.h"
#include "math/vec3.h"

#include <math.h>

// ---- grid ----

typedef struct scene_grid {
    const io_yaml *node;
    scene_lot lot;
    int32_t count[3];
    scene_items shapes;
    double spacing[3]; // [0] NaN: the extent of the shape
    double jitter;
    int64_t seed;
} scene_grid;

static const scene_field grid_fields[] = {
    SCENE_KEY("count", counts, scene_grid, count, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many along each axis"),
    SCENE_KEY("shape", one_or_list, scene_grid, shapes, .flags = SCENE_REQUIRED,
              .table = &scene_shape_table, .help = "one shape or a list of them"),
    SCENE_KEY("spacing", vector, scene_grid, spacing, .flags = SCENE_ABOVE_ZERO, .unit = "m",
              .help = "from one copy to the next along each axis; by default they touch"),
    SCENE_LOT_POSITION(scene_grid, "of the first copy, the one with the smallest coordinates"),
    SCENE_KEY("jitter", real, scene_grid, jitter, .flags = BASE_RANGE, .min = 0, .max = 1,
              .help = "part of the free room that copies are moved by at random"),
    SCENE_KEY("seed", seed, scene_grid, seed, .flags = SCENE_NOT_BELOW_ZERO,
              .help = "of the jitter"),
    SCENE_LOT_FIELDS(scene_grid),
};

static void grid_initial(void *out, int32_t dim) {
    (void)dim;
    scene_grid *grid = out;
    scene_lot_initial(&grid->lot);
    grid->spacing[0] = NAN;
}

static cn_status grid_count(scene_reader *reader, const void *params, double *bodies) {
    (void)reader;
    const scene_grid *grid = params;
    *bodies = (double)grid->count[0] * grid->count[1] * grid->count[2];
    return CN_OK;
}

// The spacing along each axis and what jitter may take of it.
static cn_status grid_measure(scene_maker *maker, const scene_grid *grid, const cn_body_def *body,
                              double spacing[3], double room[3]) {
    for (int32_t i = 0; i < maker->reader->dim; i++) {
        double axis[3] = {i == 0, i == 1, i == 2};
        double low;
        double high;
        CN_TRY(scene_extent(maker->reader, grid->shapes.node, body->shapes, body->shape_count, axis,
                            &low, &high));
        spacing[i] = isnan(grid->spacing[0]) ? high - low : grid->spacing[i];
        room[i] = 0.5 * grid->jitter * fmax(0.0, spacing[i] - (high - low));
    }
    return CN_OK;
}

static cn_status grid_run(scene_maker *maker, const void *params) {
    const scene_grid *grid = params;
    cn_shape_def *shapes;
    cn_body_def body = scene_lot_body(maker);
    cn_status status =
        scene_shapes_flatten(maker->reader, &grid->shapes, &shapes, &body.shape_count);
    CN_TRY(status);
    body.shapes = shapes;
    double spacing[3] = {0};
    double room[3] = {0};
    status = grid_measure(maker, grid, &body, spacing, room);
    base_rng rng = base_rng_seed((uint64_t)grid->seed);
    int64_t total = (int64_t)grid->count[0] * grid->count[1] * grid->count[2];
    for (int64_t k = 0; k < total && status == CN_OK; k++) {
        int64_t row = k / grid->count[0];
        int64_t layer = row / grid->count[1];
        double at[3] = {(double)(k % grid->count[0]), (double)(row % grid->count[1]),
                        (double)layer};
        for (int32_t i = 0; i < maker->reader->dim; i++) {
            double moved = room[i] > 0.0 ? base_rng_uniform(&rng, -room[i], room[i]) : 0.0;
            body.position[i] = grid->lot.position[i] + at[i] * spacing[i] + moved;
        }
        status = scene_make_body(maker, &body);
    }
    return status;
}

const scene_table_of scene_grid_table = {
    .name = "grid",
    .help = "Copies of a shape on a lattice, the first axis counting fastest.",
    .field = grid_fields,
    .count = SCENE_COUNT(grid_fields),
    .size = sizeof(scene_grid),
    .initial = grid_initial,
    .use = &(const scene_generator){.count = grid_count, .run = grid_run},
};

// ---- column ----

typedef struct scene_column {
    const io_yaml *node;
    scene_lot lot;
    int32_t count;
    scene_items shapes;
    double direction[3];
    double gap;
} scene_column;

static const scene_field column_fields[] = {
    SCENE_KEY("count", int, scene_column, count, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many bodies"),
    SCENE_KEY("shape", one_or_list, scene_column, shapes, .flags = SCENE_REQUIRED,
              .table = &scene_shape_table, .help = "one shape or a list of them"),
    SCENE_LOT_POSITION(scene_column, "of the foot, where the first body begins"),
    SCENE_KEY("direction", vector, scene_column, direction, .flags = SCENE_UNIT_LENGTH,
              .help = "from the foot to the top"),
    SCENE_KEY("gap", real, scene_column, gap, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "between one body and the next"),
    SCENE_LOT_FIELDS(scene_column),
};

static void column_initial(void *out, int32_t dim) {
    scene_column *column = out;
    scene_lot_initial(&column->lot);
    column->direction[scene_up(dim)] = 1.0;
}

static cn_status column_count(scene_reader *reader, const void *params, double *bodies) {
    (void)reader;
    *bodies = ((const scene_column *)params)->count;
    return CN_OK;
}

static cn_status column_run(scene_maker *maker, const void *params) {
    const scene_column *column = params;
    cn_shape_def *shapes;
    cn_body_def body = scene_lot_body(maker);
    CN_TRY(scene_shapes_flatten(maker->reader, &column->shapes, &shapes, &body.shape_count));
    body.shapes = shapes;
    double low;
    double high;
    CN_TRY(scene_extent(maker->reader, column->shapes.node, shapes, body.shape_count,
                        column->direction, &low, &high));
    for (int32_t k = 0; k < column->count; k++) {
        double along = k * (high - low + column->gap) - low;
        math_add_scaled3(column->lot.position, along, column->direction, body.position);
        CN_TRY(scene_make_body(maker, &body));
    }
    return CN_OK;
}

const scene_table_of scene_column_table = {
    .name = "column",
    .help = "Copies of a shape one on the other.",
    .field = column_fields,
    .count = SCENE_COUNT(column_fields),
    .size = sizeof(scene_column),
    .initial = column_initial,
    .use = &(const scene_generator){.count = column_count, .run = column_run},
};
