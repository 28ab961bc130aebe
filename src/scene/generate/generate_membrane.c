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

typedef struct cn_membrane {
    const cn_yaml *node;
    cn_lot lot;
    int32_t segments;
    double radius, thickness, gap;
    cn_signal_def pressure;
} cn_membrane;

static const cn_field cn_membrane_fields[] = {
    CN_KEY("segments", int, cn_membrane, segments, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .help = "how many, at least 3"),
    CN_KEY("radius", real, cn_membrane, radius, .flags = CN_REQUIRED | CN_ABOVE_ZERO, .unit = "m",
           .help = "from the centre to the inner faces"),
    CN_KEY("thickness", real, cn_membrane, thickness, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .unit = "m", .help = "along the radius"),
    CN_KEY("gap", real, cn_membrane, gap, .flags = CN_NOT_BELOW_ZERO, .unit = "m",
           .help = "between the inner corners of neighbours"),
    CN_KEY("pressure", signal, cn_membrane, pressure, .flags = CN_NOT_BELOW_ZERO,
           .table = &cn_signal_table, .unit = "Pa",
           .help = "each segment is pushed inwards by it times its share of the circumference at "
                   "the start"),
    CN_LOT_POSITION(cn_membrane, "of the centre"),
    CN_LOT_FIELDS(cn_membrane),
};

static void cn_membrane_initial(void *out, int32_t dim) {
    (void)dim;
    cn_membrane *membrane = out;
    cn_lot_initial(&membrane->lot);
    membrane->lot.lock.dofs = CN_LOCK_TY | CN_LOCK_RZ;
    membrane->lot.lock.axes = 1;
}

static double cn_membrane_length(const cn_membrane *membrane) {
    double sine;
    double cosine;
    cn_sincos(CN_PI / membrane->segments, &sine, &cosine);
    return 2.0 * membrane->radius * sine / cosine - membrane->gap;
}

static cn_status cn_membrane_count(cn_reader *reader, const void *params, double *bodies) {
    const cn_membrane *membrane = params;
    if (membrane->segments < 3) {
        return cn_fail_node(reader, cn_yaml_get(membrane->node, "segments"), CN_ERR_INPUT,
                            "a ring needs at least 3 segments");
    }
    if (!(cn_membrane_length(membrane) > 0.0)) {
        return cn_fail_node(reader, cn_yaml_get(membrane->node, "gap"), CN_ERR_INPUT,
                            "gap leaves nothing of the segments");
    }
    *bodies = membrane->segments;
    return CN_OK;
}

// The pressure times a factor: the same function of time, scaled. false: no memory.
static bool cn_signal_scale(cn_arena *memory, const cn_signal_def *signal, double factor,
                            cn_signal_def *out) {
    *out = *signal;
    out->constant = factor * signal->constant;
    if (signal->expression) {
        char number[CN_NUMBER_TEXT_MAX];
        size_t room = strlen(signal->expression) + CN_NUMBER_TEXT_MAX + 8;
        char *text = CN_TAKE(memory, char, room);
        if (!text) {
            return false;
        }
        snprintf(text, room, "(%s)*(%s)", cn_number_text(factor, number), signal->expression);
        out->expression = text;
    }
    if (signal->count > 0) {
        double *values = CN_TAKE(memory, double, signal->count);
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

static cn_status cn_membrane_run(cn_maker *maker, const void *params) {
    const cn_membrane *membrane = params;
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_BOX);
    shape.size[0] = membrane->thickness;
    shape.size[1] = cn_membrane_length(membrane);
    cn_body_def body = cn_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    double share = 2.0 * CN_PI * membrane->radius / membrane->segments;
    double middle = membrane->radius + 0.5 * membrane->thickness;
    bool pushed = cn_yaml_get(membrane->node, "pressure") != NULL;
    cn_force_def force = {.body_axes = true, .source = body.source};
    force.point[0] = NAN; // at the centre of mass
    if (!cn_signal_scale(maker->reader->memory, &membrane->pressure, -share, &force.force[0])) {
        return cn_fail_memory(maker->reader->error);
    }
    cn_status status = CN_OK;
    for (int32_t i = 0; i < membrane->segments && status == CN_OK; i++) {
        double sine;
        double cosine;
        body.angle = 2.0 * CN_PI * i / membrane->segments;
        cn_sincos(body.angle, &sine, &cosine);
        body.position[0] = membrane->lot.position[0] + middle * cosine;
        body.position[1] = membrane->lot.position[1] + middle * sine;
        status = cn_make_body(maker, &body);
        if (status == CN_OK && pushed) {
            force.body = maker->last;
            status = maker->force(maker, &force);
        }
    }
    return status;
}

const cn_table cn_membrane_table = {
    .name = "membrane",
    .help = "A closed chain of segments, counter-clockwise from the x axis, that a pressure pushes "
            "inwards. Unless lock is given they are free along their radius only.",
    .field = cn_membrane_fields,
    .count = CN_COUNT(cn_membrane_fields),
    .size = sizeof(cn_membrane),
    .initial = cn_membrane_initial,
    .use = &(const cn_generator){.count = cn_membrane_count, .run = cn_membrane_run},
};
