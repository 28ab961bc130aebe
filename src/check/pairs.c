// check/pairs.c
// No pair of bodies is nearer than the alert distance at q~ without a contact: spheres round the
// bodies are swept along the axis on which they are spread most, and pairs that no contact names
// are looked at closely; those of bodies of several shapes shape by shape, named or not.
#include "check/check.h"

#include "base/arena.h"
#include "check/shapes.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of the smaller body's size: what is left to the detection's round-off.
#define NEAR_SHARE 1e-6
// Of the smaller body's size, or the gap where that is more: within it a contact is one of a shape.
#define ON_SHAPE 1e-3

typedef struct check_span {
    double low, high;
    int32_t body;
} check_span;

typedef struct named_pair {
    int64_t number;  // of the bodies
    int32_t contact; // one of theirs
} named_pair;

typedef struct pair_walk {
    check_checking *check;
    check_span *span; // of bounded bodies, ascending
    int32_t count;
    int32_t *wall; // bodies without bound
    int32_t wall_count;
    named_pair *named; // of all contacts, ascending
    int32_t named_count;
    check_worst worst;
    int32_t other; // of the worst
} pair_walk;

static int span_order(const void *a, const void *b) {
    const check_span *first = a, *second = b;
    return (first->low > second->low) - (first->low < second->low);
}

static int number_order(const void *a, const void *b) {
    int64_t first = ((const named_pair *)a)->number, second = ((const named_pair *)b)->number;
    return (first > second) - (first < second);
}

static int64_t pair_number(int32_t a, int32_t b) {
    return ((int64_t)(a > b ? a : b) << 32) | (a > b ? b : a);
}

// One of the contacts of two bodies; NULL: there is none.
static const named_pair *find_named(const pair_walk *walk, int32_t a, int32_t b) {
    named_pair wanted = {.number = pair_number(a, b)};
    return walk->named_count > 0 ? bsearch(&wanted, walk->named, (size_t)walk->named_count,
                                           sizeof wanted, number_order)
                                 : NULL;
}

// Whether a contact is one of these two shapes, by its points on both bodies.
static bool is_of_shapes(const pair_walk *walk, int32_t contact, int32_t a, const check_solid *of_a,
                         const check_solid *of_b, double room) {
    const cn_contact_record *c = &walk->check->frame.contact[contact];
    bool candidate = c->candidate - 1 == a;
    double point[2][3];
    if (walk->check->frame.early[contact]) {
        return true; // its point is between the bodies, wherever they will hit
    }
    math_add_scaled3(c->point, candidate ? 0.5 * c->gap : -0.5 * c->gap, c->normal, point[0]);
    math_add_scaled3(c->point, candidate ? -0.5 * c->gap : 0.5 * c->gap, c->normal, point[1]);
    room = fmax(room, fabs(c->gap));
    return fabs(check_solid_distance(of_a, point[0])) <= room &&
           fabs(check_solid_distance(of_b, point[1])) <= room;
}

static bool has_contact(const pair_walk *walk, const named_pair *any, int32_t a,
                        const check_solid *of_a, const check_solid *of_b, double room) {
    const named_pair *first = walk->named, *end = walk->named + walk->named_count, *at = any;
    if (!any) {
        return false;
    }
    while (at > first && at[-1].number == any->number) {
        at--;
    }
    while (at < end && at->number == any->number &&
           !is_of_shapes(walk, at->contact, a, of_a, of_b, room)) {
        at++;
    }
    return at < end && at->number == any->number;
}

static void look_closely(pair_walk *walk, int32_t a, int32_t b) {
    check_checking *check = walk->check;
    const cn_model *model = check->model;
    const model_body *first_body = &model->body[a], *second_body = &model->body[b];
    bool moved = check_is_moved(check, a) || check_is_moved(check, b);
    if (!moved || model_is_jointed(model, a < b ? a : b, a < b ? b : a)) {
        return;
    }
    const named_pair *named = find_named(walk, a, b);
    if (named && first_body->shape_count == 1 && second_body->shape_count == 1) {
        return;
    }
    double size = fmin(first_body->bound, second_body->bound), room = NEAR_SHARE * size,
           near = model->settings.alert - room;
    for (int32_t i = 0; i < first_body->shape_count; i++) {
        check_solid first =
            check_solid_at(model, a, i, check_pose_of(model, check->frame.middle, a));
        for (int32_t k = 0; k < second_body->shape_count; k++) {
            check_solid second =
                check_solid_at(model, b, k, check_pose_of(model, check->frame.middle, b));
            double gap = check_solids_gap(&first, &second, near);
            if (gap < near && !(walk->worst.any && gap >= walk->worst.value) &&
                !has_contact(walk, named, a, &first, &second, ON_SHAPE * size)) {
                walk->worst = (check_worst){gap, near, a + 1, true};
                walk->other = b + 1;
            }
        }
    }
}

static int32_t widest_axis(const check_checking *check) {
    const cn_model *model = check->model;
    double widest = -1.0;
    int32_t best = 0;
    for (int32_t k = 0; k < model->dim; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t i = 0; i < model->body_count; i++) {
            double x = check_pose_of(model, check->frame.middle, i)[k];
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

static bool pairs_prepare(pair_walk *walk, int32_t axis) {
    check_checking *check = walk->check;
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    walk->span = BASE_TAKE(check->frame_memory, check_span, model->body_count);
    walk->wall = BASE_TAKE(check->frame_memory, int32_t, model->body_count);
    walk->named = BASE_TAKE(check->frame_memory, named_pair, frame->contacts);
    if (!walk->span || !walk->wall || !walk->named) {
        return false;
    }
    for (int32_t i = 0; i < frame->contacts; i++) {
        int64_t number =
            pair_number(frame->contact[i].candidate - 1, frame->contact[i].antagonist - 1);
        walk->named[walk->named_count++] = (named_pair){number, i};
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        double x = check_pose_of(model, frame->middle, i)[axis], bound = model->body[i].bound;
        if (!(bound < HUGE_VAL)) {
            walk->wall[walk->wall_count++] = i;
        } else if (model->body[i].shape_count > 0) {
            double reach = bound + 0.5 * model->settings.alert;
            walk->span[walk->count++] = (check_span){x - reach, x + reach, i};
        }
    }
    if (walk->named_count > 0) {
        qsort(walk->named, (size_t)walk->named_count, sizeof *walk->named, number_order);
    }
    if (walk->count > 0) {
        qsort(walk->span, (size_t)walk->count, sizeof *walk->span, span_order);
    }
    return true;
}

void check_missed_pairs(check_checking *check) {
    const cn_model *model = check->model;
    pair_walk walk = {.check = check};
    if (!pairs_prepare(&walk, widest_axis(check))) {
        return;
    }
    for (int32_t i = 0; i < walk.count; i++) {
        const double *own = check_pose_of(model, check->frame.middle, walk.span[i].body);
        for (int32_t k = i + 1; k < walk.count && walk.span[k].low <= walk.span[i].high; k++) {
            const double *other = check_pose_of(model, check->frame.middle, walk.span[k].body);
            double reach = model->settings.alert + model->body[walk.span[i].body].bound +
                           model->body[walk.span[k].body].bound,
                   square = 0.0;
            for (int32_t axis = 0; axis < model->dim; axis++) {
                square += (own[axis] - other[axis]) * (own[axis] - other[axis]);
            }
            if (square < reach * reach) {
                look_closely(&walk, walk.span[i].body, walk.span[k].body);
            }
        }
        for (int32_t k = 0; k < walk.wall_count; k++) {
            look_closely(&walk, walk.span[i].body, walk.wall[k]);
        }
    }
    if (walk.worst.any) {
        check_find(check, "contact", check->frame.step, walk.worst.allowed - walk.worst.value, 0.0,
                   "bodies %d and %d are %.3g apart and have no contact", (int)walk.worst.where,
                   (int)walk.other, walk.worst.value);
    }
}
