// check/pairs.c
// No pair of bodies is nearer than the alert distance at q~ without a contact: balls round the
// bodies are swept along the axis on which they are spread most, and pairs that no contact names
// are looked at closely.
#include "check/check.h"

#include "base/arena.h"
#include "check/shapes.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of the smaller body's size: what is left to the detection's round-off.
#define CN_NEAR_SHARE 1e-6

typedef struct cn_span {
    double low, high;
    int32_t body;
} cn_span;

typedef struct cn_pair_walk {
    cn_checking *check;
    cn_span *span; // of bounded bodies, ascending
    int32_t count;
    int32_t *wall; // bodies without bound
    int32_t wall_count;
    int64_t *named; // pairs that contacts name, ascending
    int32_t named_count;
    cn_check_worst worst;
    int32_t other; // of the worst
} cn_pair_walk;

static int cn_span_order(const void *a, const void *b) {
    const cn_span *first = a, *second = b;
    return (first->low > second->low) - (first->low < second->low);
}

static int cn_number_order(const void *a, const void *b) {
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

static int64_t cn_pair_number(int32_t a, int32_t b) {
    return ((int64_t)(a > b ? a : b) << 32) | (a > b ? b : a);
}

static bool cn_is_named(const cn_pair_walk *walk, int32_t a, int32_t b) {
    int64_t number = cn_pair_number(a, b);
    return walk->named_count > 0 && bsearch(&number, walk->named, (size_t)walk->named_count,
                                            sizeof number, cn_number_order) != NULL;
}

static void cn_look_closely(cn_pair_walk *walk, int32_t a, int32_t b) {
    cn_checking *check = walk->check;
    const cn_model *model = check->model;
    bool moved = cn_is_moved(check, a) || cn_is_moved(check, b);
    if (!moved || cn_model_is_jointed(model, a < b ? a : b, a < b ? b : a) ||
        cn_is_named(walk, a, b)) {
        return;
    }
    double size = fmin(model->body[a].bound, model->body[b].bound), room = CN_NEAR_SHARE * size;
    double near = model->settings.alert - room;
    for (int32_t i = 0; i < model->body[a].shape_count; i++) {
        cn_solid first = cn_solid_at(model, a, i, cn_pose_of(model, check->frame.middle, a));
        for (int32_t k = 0; k < model->body[b].shape_count; k++) {
            cn_solid second = cn_solid_at(model, b, k, cn_pose_of(model, check->frame.middle, b));
            double gap = cn_solids_gap(&first, &second, near);
            if (gap < near && !(walk->worst.any && gap >= walk->worst.value)) {
                walk->worst = (cn_check_worst){gap, near, a + 1, true};
                walk->other = b + 1;
            }
        }
    }
}

static int32_t cn_widest_axis(const cn_checking *check) {
    const cn_model *model = check->model;
    double widest = -1.0;
    int32_t best = 0;
    for (int32_t k = 0; k < model->dim; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t i = 0; i < model->body_count; i++) {
            double x = cn_pose_of(model, check->frame.middle, i)[k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (high - low > widest) {
            widest = high - low;
            best = k;
        }
    }
    return best;
}

static bool cn_pairs_prepare(cn_pair_walk *walk, int32_t axis) {
    cn_checking *check = walk->check;
    const cn_model *model = check->model;
    const cn_check_frame *frame = &check->frame;
    walk->span = CN_TAKE(check->frame_memory, cn_span, model->body_count);
    walk->wall = CN_TAKE(check->frame_memory, int32_t, model->body_count);
    walk->named = CN_TAKE(check->frame_memory, int64_t, frame->contacts);
    if (!walk->span || !walk->wall || !walk->named) {
        return false;
    }
    for (int32_t i = 0; i < frame->contacts; i++) {
        walk->named[walk->named_count++] =
            cn_pair_number(frame->contact[i].candidate - 1, frame->contact[i].antagonist - 1);
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        double x = cn_pose_of(model, frame->middle, i)[axis], bound = model->body[i].bound;
        if (!(bound < HUGE_VAL)) {
            walk->wall[walk->wall_count++] = i;
        } else if (model->body[i].shape_count > 0) {
            double reach = bound + 0.5 * model->settings.alert;
            walk->span[walk->count++] = (cn_span){x - reach, x + reach, i};
        }
    }
    if (walk->named_count > 0) {
        qsort(walk->named, (size_t)walk->named_count, sizeof *walk->named, cn_number_order);
    }
    if (walk->count > 0) {
        qsort(walk->span, (size_t)walk->count, sizeof *walk->span, cn_span_order);
    }
    return true;
}

void cn_check_pairs(cn_checking *check) {
    const cn_model *model = check->model;
    cn_pair_walk walk = {.check = check};
    if (!cn_pairs_prepare(&walk, cn_widest_axis(check))) {
        return;
    }
    for (int32_t i = 0; i < walk.count; i++) {
        const double *own = cn_pose_of(model, check->frame.middle, walk.span[i].body);
        for (int32_t k = i + 1; k < walk.count && walk.span[k].low <= walk.span[i].high; k++) {
            const double *other = cn_pose_of(model, check->frame.middle, walk.span[k].body);
            double reach = model->settings.alert + model->body[walk.span[i].body].bound +
                           model->body[walk.span[k].body].bound,
                   square = 0.0;
            for (int32_t axis = 0; axis < model->dim; axis++) {
                square += (own[axis] - other[axis]) * (own[axis] - other[axis]);
            }
            if (square < reach * reach) {
                cn_look_closely(&walk, walk.span[i].body, walk.span[k].body);
            }
        }
        for (int32_t k = 0; k < walk.wall_count; k++) {
            cn_look_closely(&walk, walk.span[i].body, walk.wall[k]);
        }
    }
    if (walk.worst.any) {
        cn_check_find(check, "contact", check->frame.step, walk.worst.allowed - walk.worst.value,
                      0.0, "bodies %d and %d are %.3g apart and have no contact",
                      (int)walk.worst.where, (int)walk.other, walk.worst.value);
    }
}
