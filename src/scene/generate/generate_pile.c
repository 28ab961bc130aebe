// scene/generate/generate_pile.c
// pyramid: cannonballs; in 2D rows of disks, each in the hollows of the one below, in 3D square
// layers of spheres. drum: rings of spheres between two drums.
//
// A ring of the drum is filled sphere by sphere: the next one touches the last (plus the gap) with
// both centres on the ring's circle, so that the turn from one to the next has 1 - cos = chord^2/(2
// rho^2), without any inverse sine. Spheres of one ring have their own radii, rings are as wide as
// the largest: the density is about pi/4 times (mean radius over the largest one).
#include "scene/generate/generate.h"

#include "base/error.h"
#include "base/rng.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

// ---- pyramid ----

typedef struct scene_pyramid {
    const io_yaml *node;
    scene_lot lot;
    int32_t base, levels;
    double radius, gap;
} scene_pyramid;

static const scene_field pyramid_fields[] = {
    SCENE_KEY("base", int, scene_pyramid, base, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "spheres along an edge of the lowest layer"),
    SCENE_KEY("levels", int, scene_pyramid, levels, .flags = SCENE_NOT_BELOW_ZERO,
              .help = "how many layers; 0 builds up to the top"),
    SCENE_KEY("radius", real, scene_pyramid, radius, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "of the spheres or disks"),
    SCENE_KEY("gap", real, scene_pyramid, gap, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "between neighbours"),
    SCENE_LOT_POSITION(scene_pyramid, "of the middle of the foot"),
    SCENE_LOT_FIELDS(scene_pyramid),
};

static void pyramid_initial(void *out, int32_t dim) {
    (void)dim;
    scene_lot_initial(&((scene_pyramid *)out)->lot);
}

static int32_t pyramid_levels(const scene_pyramid *pyramid) {
    return pyramid->levels ? pyramid->levels : pyramid->base;
}

static cn_status pyramid_count(scene_reader *reader, const void *params, double *bodies) {
    const scene_pyramid *pyramid = params;
    if (pyramid->levels > pyramid->base) {
        return scene_fail_node(reader, io_yaml_get(pyramid->node, "levels"), CN_ERR_INPUT,
                               "a base of %d carries at most %d levels", pyramid->base,
                               pyramid->base);
    }
    // Sums of k and of k^2 from base - levels + 1 to base.
    double high = pyramid->base;
    double low = high - pyramid_levels(pyramid);
    *bodies = reader->dim == 2
                  ? 0.5 * (high * (high + 1) - low * (low + 1))
                  : (high * (high + 1) * (2 * high + 1) - low * (low + 1) * (2 * low + 1)) / 6;
    return CN_OK;
}

static cn_status pyramid_run(scene_maker *maker, const void *params) {
    const scene_pyramid *pyramid = params;
    int32_t dim = maker->reader->dim;
    cn_shape_def shape = scene_round(dim, pyramid->radius);
    cn_body_def body = scene_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    double pitch = 2.0 * pyramid->radius + pyramid->gap;
    double rise = pitch * (dim == 2 ? sqrt(0.75) : sqrt(0.5));
    cn_status status = CN_OK;
    for (int32_t level = 0; level < pyramid_levels(pyramid); level++) {
        int32_t edge = pyramid->base - level;
        int64_t in_layer = dim == 2 ? edge : (int64_t)edge * edge;
        for (int64_t k = 0; k < in_layer && status == CN_OK; k++) {
            int64_t column = k % edge, row = k / edge;
            memcpy(body.position, pyramid->lot.position, sizeof body.position);
            body.position[0] += ((double)column - 0.5 * (edge - 1)) * pitch;
            if (dim == 3) {
                body.position[1] += ((double)row - 0.5 * (edge - 1)) * pitch;
            }
            body.position[scene_up(dim)] += pyramid->radius + level * rise;
            status = scene_make_body(maker, &body);
        }
    }
    return status;
}

const scene_table_of scene_pyramid_table = {
    .name = "pyramid",
    .help = "A pile of cannonballs: a triangle of disks in 2D, a square pyramid of spheres in 3D.",
    .field = pyramid_fields,
    .count = SCENE_COUNT(pyramid_fields),
    .size = sizeof(scene_pyramid),
    .initial = pyramid_initial,
    .use = &(const scene_generator){.count = pyramid_count, .run = pyramid_run},
};

// ---- drum ----

typedef struct scene_drum {
    const io_yaml *node;
    scene_lot lot;
    double inner, outer, height;
    double radius[2];
    double gap;
    int32_t count; // 0: as many as there is room for
    int64_t seed;
} scene_drum;

static const scene_field drum_fields[] = {
    SCENE_KEY("inner", real, scene_drum, inner, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "radius of the inner drum; 0 is none"),
    SCENE_KEY("outer", real, scene_drum, outer, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "radius of the outer drum"),
    SCENE_KEY("height", real, scene_drum, height,
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO | SCENE_ONLY_3D, .unit = "m",
              .help = "of the drums, whose axis is z"),
    SCENE_KEY("radius", range, scene_drum, radius, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "of the spheres or disks, uniform between the two"),
    SCENE_KEY("count", int, scene_drum, count, .flags = SCENE_NOT_BELOW_ZERO,
              .help = "how many; 0 fills the room"),
    SCENE_KEY("gap", real, scene_drum, gap, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "between neighbours, and to the drums"),
    SCENE_KEY("seed", seed, scene_drum, seed, .flags = SCENE_NOT_BELOW_ZERO,
              .help = "of radii and of where each ring starts"),
    SCENE_LOT_POSITION(scene_drum, "of the centre, in 3D of the lower end of the axis"),
    SCENE_LOT_FIELDS(scene_drum),
};

static void drum_initial(void *out, int32_t dim) {
    (void)dim;
    scene_lot_initial(&((scene_drum *)out)->lot);
}

static double drum_layers(const scene_drum *drum, int32_t dim) {
    double pitch = 2.0 * drum->radius[1] + drum->gap;
    return dim == 2 ? 1.0 : floor((drum->height - drum->gap) / pitch);
}

static cn_status drum_count(scene_reader *reader, const void *params, double *bodies) {
    const scene_drum *drum = params;
    double width = drum->outer - drum->inner;
    double layers = drum_layers(drum, reader->dim);
    if (!(width >= 2.0 * (drum->radius[1] + drum->gap) && layers >= 1.0)) {
        scene_fail_node(reader, drum->node, CN_ERR_INPUT, "no ball fits into the drum");
        base_fail_hint(reader->error, "radius is a radius, not a diameter");
        return CN_ERR_INPUT;
    }
    double small = drum->radius[0];
    double max = layers * (drum->outer * drum->outer - drum->inner * drum->inner) / (small * small);
    *bodies = drum->count ? drum->count : max;
    return CN_OK;
}

// A layer being filled.
typedef struct drum_fill {
    scene_maker *maker;
    const scene_drum *drum;
    base_rng rng;
    double up;   // height of the layer
    double left; // bodies still wanted
} drum_fill;

static cn_status drum_put(drum_fill *fill, double radius, double x, double y) {
    int32_t dim = fill->maker->reader->dim;
    cn_shape_def shape = scene_round(dim, radius);
    cn_body_def body = scene_lot_body(fill->maker);
    body.shapes = &shape;
    body.shape_count = 1;
    memcpy(body.position, fill->drum->lot.position, sizeof body.position);
    body.position[0] += x;
    body.position[1] += y;
    if (dim == 3) {
        body.position[2] += fill->up;
    }
    fill->left -= 1.0;
    return scene_make_body(fill->maker, &body);
}

// One ring of centres at distance rho, sphere by sphere until the first one is met again.
static cn_status drum_ring(drum_fill *fill, double rho) {
    const scene_drum *drum = fill->drum;
    double start[2];
    base_sincos(base_rng_uniform(&fill->rng, 0.0, 2.0 * SCENE_PI), &start[1], &start[0]);
    double first = base_rng_uniform(&fill->rng, drum->radius[0], drum->radius[1]);
    double at[2] = {start[0], start[1]};
    double radius = first;
    bool beyond = false; // half a turn has been made
    cn_status status = drum_put(fill, radius, rho * at[0], rho * at[1]);
    while (status == CN_OK && fill->left >= 1.0) {
        double next = base_rng_uniform(&fill->rng, drum->radius[0], drum->radius[1]);
        double chord = radius + next + drum->gap;
        double cosine = 1.0 - chord * chord / (2.0 * rho * rho);
        if (!(cosine > -1.0)) {
            return CN_OK; // the ring has room for one
        }
        double sine = sqrt(1.0 - cosine * cosine);
        double turned[2] = {cosine * at[0] - sine * at[1], sine * at[0] + cosine * at[1]};
        double norm = sqrt(turned[0] * turned[0] + turned[1] * turned[1]);
        at[0] = turned[0] / norm;
        at[1] = turned[1] / norm;
        // On the second half turn the start lies ahead: stop before touching or passing it.
        double side = start[0] * at[1] - start[1] * at[0];
        double away[2] = {at[0] - start[0], at[1] - start[1]};
        double closing = first + next + drum->gap;
        double distance2 = rho * rho * (away[0] * away[0] + away[1] * away[1]);
        beyond = beyond || side < 0.0;
        if (beyond && (side >= 0.0 || distance2 < closing * closing)) {
            return CN_OK;
        }
        status = drum_put(fill, next, rho * at[0], rho * at[1]);
        radius = next;
    }
    return status;
}

static cn_status drum_layer(drum_fill *fill) {
    const scene_drum *drum = fill->drum;
    double largest = drum->radius[1];
    double pitch = 2.0 * largest + drum->gap;
    double rho = drum->inner + drum->gap + largest;
    cn_status status = CN_OK;
    if (drum->inner == 0.0) {
        status = drum_put(fill, base_rng_uniform(&fill->rng, drum->radius[0], largest), 0.0, 0.0);
        rho = pitch;
    }
    while (status == CN_OK && fill->left >= 1.0 && rho + largest + drum->gap <= drum->outer) {
        status = drum_ring(fill, rho);
        rho += pitch;
    }
    return status;
}

static cn_status drum_run(scene_maker *maker, const void *params) {
    const scene_drum *drum = params;
    drum_fill fill = {.maker = maker,
                      .drum = drum,
                      .rng = base_rng_seed((uint64_t)drum->seed),
                      .left = drum->count ? drum->count : (double)SCENE_BODIES_MAX};
    double layers = drum_layers(drum, maker->reader->dim);
    for (int64_t k = 0; (double)k < layers && fill.left >= 1.0; k++) {
        fill.up = drum->gap + drum->radius[1] + (double)k * (2.0 * drum->radius[1] + drum->gap);
        CN_TRY(drum_layer(&fill));
    }
    if (drum->count && fill.left >= 1.0) {
        scene_fail_node(maker->reader, io_yaml_get(drum->node, "count"), CN_ERR_INPUT,
                        "only %.0f of %d bodies fit into the drum", drum->count - fill.left,
                        drum->count);
        base_fail_hint(maker->reader->error, "make outer larger or radius smaller");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

const scene_table_of scene_drum_table = {
    .name = "drum",
    .help =
        "Rings of disks (2D), or layers of rings of spheres (3D), between two drums about z, from "
        "the inner one outwards.",
    .field = drum_fields,
    .count = SCENE_COUNT(drum_fields),
    .size = sizeof(scene_drum),
    .initial = drum_initial,
    .use = &(const scene_generator){.count = drum_count, .run = drum_run},
};
