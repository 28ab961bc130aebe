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

typedef struct cn_grid {
    const cn_yaml *node;
    cn_lot lot;
    int32_t count[3];
    cn_items shapes;
    double spacing[3]; // [0] NaN: the extent of the shape
    double jitter;
    int64_t seed;
} cn_grid;

static const cn_field cn_grid_fields[] = {
    CN_KEY("count", counts, cn_grid, count, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .help = "how many along each axis"),
    CN_KEY("shape", one_or_list, cn_grid, shapes, .flags = CN_REQUIRED, .table = &cn_shape_table,
           .help = "one shape or a list of them"),
    CN_KEY("spacing", vector, cn_grid, spacing, .flags = CN_ABOVE_ZERO, .unit = "m",
           .help = "from one copy to the next along each axis; by default they touch"),
    CN_LOT_POSITION(cn_grid, "of the first copy, the one with the smallest coordinates"),
    CN_KEY("jitter", real, cn_grid, jitter, .flags = CN_RANGE, .min = 0, .max = 1,
           .help = "part of the free room that copies are moved by at random"),
    CN_KEY("seed", seed, cn_grid, seed, .flags = CN_NOT_BELOW_ZERO, .help = "of the jitter"),
    CN_LOT_FIELDS(cn_grid),
};

static void cn_grid_initial(void *out, int32_t dim) {
    (void)dim;
    cn_grid *grid = out;
    cn_lot_initial(&grid->lot);
    grid->spacing[0] = NAN;
}

static cn_status cn_grid_count(cn_reader *reader, const void *params, double *bodies) {
    (void)reader;
    const cn_grid *grid = params;
    *bodies = (double)grid->count[0] * grid->count[1] * grid->count[2];
    return CN_OK;
}

// The spacing along each axis and what jitter may take of it.
static cn_status cn_grid_measure(cn_maker *maker, const cn_grid *grid, const cn_body_def *body,
                                 double spacing[3], double room[3]) {
    for (int32_t i = 0; i < maker->reader->dim; i++) {
        double axis[3] = {i == 0, i == 1, i == 2};
        double low;
        double high;
        cn_status status = cn_extent(maker->reader, grid->shapes.node, body->shapes,
                                     body->shape_count, axis, &low, &high);
        if (status != CN_OK) {
            return status;
        }
        spacing[i] = isnan(grid->spacing[0]) ? high - low : grid->spacing[i];
        room[i] = 0.5 * grid->jitter * fmax(0.0, spacing[i] - (high - low));
    }
    return CN_OK;
}

static cn_status cn_grid_run(cn_maker *maker, const void *params) {
    const cn_grid *grid = params;
    cn_shape_def *shapes;
    cn_body_def body = cn_lot_body(maker);
    cn_status status = cn_shapes_flatten(maker->reader, &grid->shapes, &shapes, &body.shape_count);
    if (status != CN_OK) {
        return status;
    }
    body.shapes = shapes;
    double spacing[3] = {0};
    double room[3] = {0};
    status = cn_grid_measure(maker, grid, &body, spacing, room);
    cn_rng rng = cn_rng_seed((uint64_t)grid->seed);
    int64_t total = (int64_t)grid->count[0] * grid->count[1] * grid->count[2];
    for (int64_t k = 0; k < total && status == CN_OK; k++) {
        int64_t row = k / grid->count[0];
        int64_t layer = row / grid->count[1];
        double at[3] = {(double)(k % grid->count[0]), (double)(row % grid->count[1]),
                        (double)layer};
        for (int32_t i = 0; i < maker->reader->dim; i++) {
            double moved = room[i] > 0.0 ? cn_rng_uniform(&rng, -room[i], room[i]) : 0.0;
            body.position[i] = grid->lot.position[i] + at[i] * spacing[i] + moved;
        }
        status = cn_make_body(maker, &body);
    }
    return status;
}

const cn_table cn_grid_table = {
    .name = "grid",
    .help = "Copies of a shape on a lattice, the first axis counting fastest.",
    .field = cn_grid_fields,
    .count = CN_COUNT(cn_grid_fields),
    .size = sizeof(cn_grid),
    .initial = cn_grid_initial,
    .use = &(const cn_generator){.count = cn_grid_count, .run = cn_grid_run},
};

// ---- column ----

typedef struct cn_column {
    const cn_yaml *node;
    cn_lot lot;
    int32_t count;
    cn_items shapes;
    double direction[3];
    double gap;
} cn_column;

static const cn_field cn_column_fields[] = {
    CN_KEY("count", int, cn_column, count, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .help = "how many bodies"),
    CN_KEY("shape", one_or_list, cn_column, shapes, .flags = CN_REQUIRED, .table = &cn_shape_table,
           .help = "one shape or a list of them"),
    CN_LOT_POSITION(cn_column, "of the foot, where the first body begins"),
    CN_KEY("direction", vector, cn_column, direction, .flags = CN_UNIT_LENGTH,
           .help = "from the foot to the top"),
    CN_KEY("gap", real, cn_column, gap, .flags = CN_NOT_BELOW_ZERO, .unit = "m",
           .help = "between one body and the next"),
    CN_LOT_FIELDS(cn_column),
};

static void cn_column_initial(void *out, int32_t dim) {
    cn_column *column = out;
    cn_lot_initial(&column->lot);
    column->direction[cn_up(dim)] = 1.0;
}

static cn_status cn_column_count(cn_reader *reader, const void *params, double *bodies) {
    (void)reader;
    *bodies = ((const cn_column *)params)->count;
    return CN_OK;
}

static cn_status cn_column_run(cn_maker *maker, const void *params) {
    const cn_column *column = params;
    cn_shape_def *shapes;
    cn_body_def body = cn_lot_body(maker);
    cn_status status =
        cn_shapes_flatten(maker->reader, &column->shapes, &shapes, &body.shape_count);
    if (status != CN_OK) {
        return status;
    }
    body.shapes = shapes;
    double low;
    double high;
    status = cn_extent(maker->reader, column->shapes.node, shapes, body.shape_count,
                       column->direction, &low, &high);
    for (int32_t k = 0; k < column->count && status == CN_OK; k++) {
        double along = k * (high - low + column->gap) - low;
        cn_add_scaled3(column->lot.position, along, column->direction, body.position);
        status = cn_make_body(maker, &body);
    }
    return status;
}

const cn_table cn_column_table = {
    .name = "column",
    .help = "Copies of a shape one on the other.",
    .field = cn_column_fields,
    .count = CN_COUNT(cn_column_fields),
    .size = sizeof(cn_column),
    .initial = cn_column_initial,
    .use = &(const cn_generator){.count = cn_column_count, .run = cn_column_run},
};
