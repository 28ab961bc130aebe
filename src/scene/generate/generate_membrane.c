// scene/generate/generate_membrane.c
// membrane: flat segments that close a ring round the origin of the generator. Each may only move
// along its own radius (its body's x), and a pressure pushes it inwards.
//
// The segments do not turn and do not stretch: it is the stiff cousin of a real membrane, good
// where the cell stays round. As the ring shrinks the openings between segments close; give a gap
// that leaves room for it, and smaller than the grains.
#include "scene/generate/generate.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/number.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct scene_membrane {
    const io_yaml *node;
    scene_lot lot;
    int32_t segments;
    double radius, thickness, gap;
    cn_signal_def pressure;
} scene_membrane;

static const scene_field membrane_fields[] = {
    SCENE_KEY("segments", int, scene_membrane, segments, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many, at least 3"),
    SCENE_KEY("radius", real, scene_membrane, radius, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "from the centre to the inner faces"),
    SCENE_KEY("thickness", real, scene_membrane, thickness,
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO, .unit = "m", .help = "along the radius"),
    SCENE_KEY("gap", real, scene_membrane, gap, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "between the inner corners of neighbours"),
    SCENE_KEY("pressure", signal, scene_membrane, pressure, .flags = SCENE_NOT_BELOW_ZERO,
              .table = &scene_signal_table, .unit = "Pa",
              .help =
                  "each segment is pushed inwards by it times its share of the circumference at "
                  "the start"),
    SCENE_LOT_POSITION(scene_membrane, "of the centre"),
    SCENE_LOT_FIELDS(scene_membrane),
};

static void membrane_initial(void *out, int32_t dim) {
    (void)dim;
    scene_membrane *membrane = out;
    scene_lot_initial(&membrane->lot);
    membrane->lot.lock.dofs = CN_LOCK_TY | CN_LOCK_RZ;
    membrane->lot.lock.axes = 1;
}

static double membrane_length(const scene_membrane *membrane) {
    double sine;
    double cosine;
    base_sincos(SCENE_PI / membrane->segments, &sine, &cosine);
    return 2.0 * membrane->radius * sine / cosine - membrane->gap;
}

static cn_status membrane_count(scene_reader *reader, const void *params, double *bodies) {
    const scene_membrane *membrane = params;
    if (membrane->segments < 3) {
        return scene_fail_node(reader, io_yaml_get(membrane->node, "segments"), CN_ERR_INPUT,
                               "a ring needs at least 3 segments");
    }
    if (!(membrane_length(membrane) > 0.0)) {
        return scene_fail_node(reader, io_yaml_get(membrane->node, "gap"), CN_ERR_INPUT,
                               "gap leaves nothing of the segments");
    }
    *bodies = membrane->segments;
    return CN_OK;
}

// The pressure times a factor: the same function of time, scaled. false: no memory.
static bool signal_scale(cn_arena *memory, const cn_signal_def *signal, double factor,
                         cn_signal_def *out) {
    *out = *signal;
    out->constant = factor * signal->constant;
    if (signal->expression) {
        char number[IO_NUMBER_TEXT_MAX];
        size_t room = strlen(signal->expression) + IO_NUMBER_TEXT_MAX + 8;
        char *text = BASE_TAKE(memory, char, room);
        if (!text) {
            return false;
        }
        snprintf(text, room, "(%s)*(%s)", io_number_text(factor, number), signal->expression);
        out->expression = text;
    }
    if (signal->count > 0) {
        double *values = BASE_TAKE(memory, double, signal->count);
        if (!values) {
            return false;
        }
        for (int32_t i = 0; i < signal->count; i++) {
            values[i] = factor * signal->values[i];
        }
        out->values = values;
    }
    return true;
}

static cn_status membrane_run(scene_maker *maker, const void *params) {
    const scene_membrane *membrane = params;
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_BOX);
    shape.size[0] = membrane->thickness;
    shape.size[1] = membrane_length(membrane);
    cn_body_def body = scene_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    double share = 2.0 * SCENE_PI * membrane->radius / membrane->segments;
    double middle = membrane->radius + 0.5 * membrane->thickness;
    bool pushed = io_yaml_get(membrane->node, "pressure") != NULL;
    cn_force_def force = {.body_axes = true, .source = body.source};
    force.point[0] = NAN; // at the centre of mass
    if (!signal_scale(maker->reader->memory, &membrane->pressure, -share, &force.force[0])) {
        return base_fail_memory(maker->reader->error);
    }
    for (int32_t i = 0; i < membrane->segments; i++) {
        double sine;
        double cosine;
        body.angle = 2.0 * SCENE_PI * i / membrane->segments;
        base_sincos(body.angle, &sine, &cosine);
        body.position[0] = membrane->lot.position[0] + middle * cosine;
        body.position[1] = membrane->lot.position[1] + middle * sine;
        CN_TRY(scene_make_body(maker, &body));
        if (pushed) {
            force.body = maker->last;
            CN_TRY(maker->force(maker, &force));
        }
    }
    return CN_OK;
}

const scene_table_of scene_membrane_table = {
    .name = "membrane",
    .help = "A closed chain of segments, counter-clockwise from the x axis, that a pressure pushes "
            "inwards. Unless lock is given they are free along their radius only.",
    .field = membrane_fields,
    .count = SCENE_COUNT(membrane_fields),
    .size = sizeof(scene_membrane),
    .initial = membrane_initial,
    .use = &(const scene_generator){.count = membrane_count, .run = membrane_run},
};
