// detect/detect.c
// From poses to contacts: bounding balls, broad phase, narrow phase for every pair of shapes,
// frames, keys.
//
// A pair is looked at within the alert distance plus what the two can close in a step, h (|v| + |w|
// bound) of each, so that no fast body passes a candidate unseen.
#include "detect/detect.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "detect/narrow.h"
#include "detect/pairs.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CN_MISSED_SHARE                                                                            \
    1e-3 // of the alert distance: an overlap deeper than it does not come from round-off
#define CN_SHAPE_BITS 16 // of a feature key, for a body's shape; more shapes than that share keys

// A shape in the world, made once a call, and what tells quickly that it is far from another.
typedef struct cn_shape_here {
    cn_placed placed;
    double middle[3]; // of the ball round it
    double normal[3]; // of a plane or line
} cn_shape_here;

struct cn_detector {
    const cn_model *model;
    cn_env env;
    cn_broad *broad;
    cn_arena *memory; // balls and rotations
    double *center, *radius, *reach;
    cn_shape_here *shape;  // of each shape of the model
    double *spin;          // angle turned in a step
    cn_buffer contacts;    // cn_contact
    cn_buffer touching[2]; // cn_body_pair: pairs with contacts, this call's and the last one's
    int32_t now;           // which of the two is this call's
    bool first;            // nothing is known of the last call
    const bool *resting;   // bodies whose pairs with one another are left out; NULL: none
};

cn_detector *cn_detector_create(const cn_model *model, const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    cn_detector *d = memory ? CN_TAKE_ZERO(memory, cn_detector, 1) : NULL;
    if (!d) {
        cn_arena_destroy(memory);
        return NULL;
    }
    d->model = model;
    d->env = *cn_arena_env(memory);
    d->memory = memory;
    d->first = true;
    cn_buffer_init(&d->contacts, &d->env);
    cn_buffer_init(&d->touching[0], &d->env);
    cn_buffer_init(&d->touching[1], &d->env);
    d->broad = cn_broad_create(&d->env);
    d->center = CN_TAKE_ZERO(memory, double, 3 * (int64_t)model->body_count);
    d->radius = CN_TAKE(memory, double, model->body_count);
    d->reach = CN_TAKE(memory, double, model->body_count);
    d->spin = CN_TAKE(memory, double, model->body_count);
    d->shape = CN_TAKE(memory, cn_shape_here, model->shape_count);
    if (!d->broad || !d->center || !d->radius || !d->reach || !d->spin || !d->shape) {
        cn_detector_destroy(d);
        return NULL;
    }
    for (int32_t k = 0; k < model->shape_count; k++) {
        d->shape[k] =
            (cn_shape_here){.placed = {.shape = &model->shape[k],
                                       .R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}}};
    }
    return d;
}

void cn_detector_destroy(cn_detector *detector) {
    if (detector) {
        cn_broad_destroy(detector->broad);
        cn_buffer_free(&detector->contacts);
        cn_buffer_free(&detector->touching[0]);
        cn_buffer_free(&detector->touching[1]);
        cn_arena_destroy(detector->memory);
    }
}

void cn_detector_rest(cn_detector *detector, const bool *resting) {
    detector->resting = resting;
}

void cn_detector_reset(cn_detector *detector) {
    detector->first = true;
}

static void cn_place_shapes(cn_detector *d, int32_t i, const double R[9]) {
    const cn_body *body = &d->model->body[i];
    for (int32_t k = body->shape_first; k < body->shape_first + body->shape_count; k++) {
        cn_shape_here *here = &d->shape[k];
        cn_placed *placed = &here->placed;
        memcpy(placed->position, d->center + 3 * (int64_t)i, sizeof placed->position);
        memcpy(placed->R, R, sizeof placed->R);
        cn_mat3_apply(R, placed->shape->middle, here->middle);
        cn_add_scaled3(placed->position, 1.0, here->middle, here->middle);
        cn_mat3_apply(R, placed->shape->normal, here->normal);
    }
}

// A ball looks the same however it is turned.
static void cn_place_ball(cn_detector *d, int32_t i) {
    cn_shape_here *here = &d->shape[d->model->body[i].shape_first];
    memcpy(here->placed.position, d->center + 3 * (int64_t)i, sizeof here->placed.position);
    memcpy(here->middle, d->center + 3 * (int64_t)i, sizeof here->middle);
}

// Bounding balls, shapes, and how far each body can come in a step.
static void cn_place_bodies(cn_detector *d, const double *q, const double *v, double h,
                            double alert) {
    const cn_model *model = d->model;
    int32_t pose = cn_pose_size(model->dim), size = cn_velocity_size(model->dim);
    for (int32_t i = 0; i < model->body_count; i++) {
        const double *x = q + (int64_t)pose * i, *w = v + (int64_t)size * i;
        double speed = 0.0, spin = 0.0, R[9];
        for (int32_t k = 0; k < model->dim; k++) {
            d->center[3 * (int64_t)i + k] = x[k];
            speed += w[k] * w[k];
        }
        for (int32_t k = model->dim; k < size; k++) {
            spin += w[k] * w[k];
        }
        if (model->body[i].ball) {
            cn_place_ball(d, i);
        } else {
            if (model->dim == 3) {
                cn_quat_matrix(x + 3, R);
            } else {
                cn_angle_matrix(x[2], R);
            }
            cn_place_shapes(d, i, R);
        }
        double bound = model->body[i].bound;
        d->spin[i] = h * sqrt(spin);
        d->reach[i] = h * sqrt(speed) + (isinf(bound) ? 0.0 : d->spin[i] * bound);
        d->radius[i] = bound + 0.5 * alert + d->reach[i];
    }
}

static void cn_frame(int32_t dim, cn_contact *contact) {
    const double *n = contact->normal;
    if (dim == 3) {
        cn_tangents3(n, contact->t1, contact->t2);
        return;
    }
    const double t1[3] = {-n[1], n[0], 0.0}, t2[3] = {0.0, 0.0, 1.0};
    memcpy(contact->t1, t1, sizeof t1);
    memcpy(contact->t2, t2, sizeof t2);
}

// The points of a manifold as contacts, by feature.
static bool cn_append_manifold(cn_detector *d, const cn_body_pair *pair, uint64_t shapes,
                               cn_manifold *manifold) {
    for (int32_t k = 1; k < manifold->count; k++) {
        cn_manifold_point moving = manifold->point[k];
        int32_t l = k;
        for (; l > 0 && manifold->point[l - 1].feature > moving.feature; l--) {
            manifold->point[l] = manifold->point[l - 1];
        }
        manifold->point[l] = moving;
    }
    cn_buffer *contacts = &d->contacts;
    if (!cn_buffer_reserve(contacts, sizeof(cn_contact) * (size_t)manifold->count)) {
        return false;
    }
    for (int32_t k = 0; k < manifold->count; k++) {
        cn_contact *contact = (void *)(contacts->data + contacts->size);
        contact->key =
            (cn_contact_key){pair->b, pair->a, shapes << 32 | manifold->point[k].feature};
        contact->gap = manifold->point[k].gap;
        memcpy(contact->point, manifold->point[k].point, sizeof contact->point);
        memcpy(contact->normal, manifold->point[k].normal, sizeof contact->normal);
        cn_frame(d->model->dim, contact);
        contacts->size += sizeof *contact;
    }
    return true;
}

// Whether a shape's ball comes within the distance of a plane or line.
static bool cn_shape_near_plane(const cn_shape_here *a, const cn_shape_here *plane,
                                double distance) {
    double apart[3];
    cn_sub3(a->middle, plane->placed.position, apart);
    return cn_dot3(plane->normal, apart) - plane->placed.shape->offset <=
           a->placed.shape->bound + distance;
}

// Whether the balls round two shapes come within the distance.
static bool cn_shapes_near(const cn_shape_here *a, const cn_shape_here *b, double distance) {
    double bound_a = a->placed.shape->bound, bound_b = b->placed.shape->bound;
    if (isinf(bound_a) || isinf(bound_b)) {
        return isinf(bound_b) ? cn_shape_near_plane(a, b, distance)
                              : cn_shape_near_plane(b, a, distance);
    }
    double apart[3], reach = bound_a + bound_b + distance;
    cn_sub3(a->middle, b->middle, apart);
    return cn_dot3(apart, apart) <= reach * reach;
}

// How far an unbounded body that turns comes to the other one in a step: the farther away, the
// faster.
static double cn_sweep(const cn_detector *d, int32_t unbounded, int32_t other) {
    double apart[3];
    if (!isinf(d->model->body[unbounded].bound) || d->spin[unbounded] == 0.0 ||
        isinf(d->model->body[other].bound)) {
        return 0.0;
    }
    cn_sub3(d->center + 3 * (int64_t)unbounded, d->center + 3 * (int64_t)other, apart);
    return d->spin[unbounded] * (cn_norm3(apart) + d->model->body[other].bound);
}

// Two balls, b the candidate; the broad phase has looked at no more than their distance already.
static bool cn_detect_balls(cn_detector *d, const cn_body_pair *pair, double alert) {
    const cn_model *model = d->model;
    const double spare[3] = {0.0, model->dim == 3 ? 0.0 : 1.0, model->dim == 3 ? 1.0 : 0.0};
    double radius_a = model->shape[model->body[pair->a].shape_first].radius,
           radius_b = model->shape[model->body[pair->b].shape_first].radius;
    cn_manifold manifold;
    manifold.count = 0;
    cn_ball_contact(d->center + 3 * (int64_t)pair->b, radius_b, d->center + 3 * (int64_t)pair->a,
                    radius_a, spare, alert + d->reach[pair->a] + d->reach[pair->b], 0, &manifold);
    return cn_append_manifold(d, pair, 0, &manifold);
}

// All shapes of b (the candidate) against all of a.
static bool cn_detect_pair(cn_detector *d, const cn_body_pair *pair, double alert) {
    const cn_body *a = &d->model->body[pair->a], *b = &d->model->body[pair->b];
    double distance = alert + d->reach[pair->a] + d->reach[pair->b] +
                      cn_sweep(d, pair->a, pair->b) + cn_sweep(d, pair->b, pair->a);
    for (int32_t i = 0; i < b->shape_count; i++) {
        const cn_shape_here *candidate = &d->shape[b->shape_first + i];
        for (int32_t j = 0; j < a->shape_count; j++) {
            const cn_shape_here *antagonist = &d->shape[a->shape_first + j];
            if (!cn_shapes_near(candidate, antagonist, distance)) {
                continue;
            }
            cn_manifold manifold;
            uint64_t shapes = ((uint64_t)i << CN_SHAPE_BITS | (uint64_t)j) & 0xffffffffu;
            if (cn_narrow(d->model->dim, &candidate->placed, &antagonist->placed, distance,
                          &manifold) &&
                !cn_append_manifold(d, pair, shapes, &manifold)) {
                return false;
            }
        }
    }
    return true;
}

static int64_t cn_pair_count(const cn_buffer *pairs) {
    return (int64_t)(pairs->size / sizeof(cn_body_pair));
}

// Whether a pair was touching in the last call; both lists are sorted by (b, a), so *from only
// moves forward.
static bool cn_was_touching(const cn_buffer *last, const cn_body_pair *pair, int64_t *from) {
    const cn_body_pair *old = (const void *)last->data;
    while (*from < cn_pair_count(last) &&
           (old[*from].b < pair->b || (old[*from].b == pair->b && old[*from].a < pair->a))) {
        ++*from;
    }
    return *from < cn_pair_count(last) && old[*from].a == pair->a && old[*from].b == pair->b;
}

static double cn_deepest(const cn_contact *contact, int64_t count) {
    double deepest = 0.0;
    for (int64_t k = 0; k < count; k++) {
        deepest = fmax(deepest, -contact[k].gap);
    }
    return deepest;
}

static cn_status cn_detect_pairs(cn_detector *d, const cn_body_pair *pairs, int64_t pair_count,
                                 cn_contact_list *out, cn_error *error) {
    const cn_model *model = d->model;
    cn_buffer *touching = &d->touching[d->now], *last = &d->touching[1 - d->now];
    int64_t from = 0;
    touching->size = 0;
    d->contacts.size = 0;
    for (int64_t k = 0; k < pair_count; k++) {
        const cn_body_pair *pair = &pairs[k];
        if (model->body[pair->a].role != CN_BODY_FREE &&
            model->body[pair->b].role != CN_BODY_FREE) {
            continue;
        }
        if (model->jointed_count > 0 && cn_model_is_jointed(model, pair->a, pair->b)) {
            continue;
        }
        if (d->resting && d->resting[pair->a] && d->resting[pair->b]) {
            if (!cn_buffer_append(touching, pair, sizeof *pair)) { // as far as anyone will ask
                return cn_fail_memory(error);
            }
            continue;
        }
        size_t before = d->contacts.size;
        bool balls = model->body[pair->a].ball && model->body[pair->b].ball;
        if (!(balls ? cn_detect_balls(d, pair, out->alert) : cn_detect_pair(d, pair, out->alert))) {
            return cn_fail_memory(error);
        }
        if (d->contacts.size == before) {
            continue;
        }
        if (!cn_buffer_append(touching, pair, sizeof *pair)) {
            return cn_fail_memory(error);
        }
        const cn_contact *fresh = (const void *)(d->contacts.data + before);
        double deepest = cn_deepest(fresh, (int64_t)((d->contacts.size - before) / sizeof *fresh));
        if (!d->first && deepest > CN_MISSED_SHARE * out->alert &&
            !cn_was_touching(last, pair, &from)) {
            out->missed++;
            out->missed_a = pair->a;
            out->missed_b = pair->b;
        }
    }
    return CN_OK;
}

cn_status cn_detect(cn_detector *detector, const double *q, const double *v, double h,
                    cn_contact_list *out, cn_error *error) {
    const cn_model *model = detector->model;
    const cn_body_pair *pairs;
    int64_t pair_count;
    *out = (cn_contact_list){.alert = model->settings.alert};
    cn_place_bodies(detector, q, v, h, out->alert);
    if (cn_broad_pairs(detector->broad, model->body_count, detector->center, detector->radius,
                       &pairs, &pair_count) != CN_OK) {
        return cn_fail_memory(error);
    }
    detector->now = 1 - detector->now;
    cn_status status = cn_detect_pairs(detector, pairs, pair_count, out, error);
    if (status != CN_OK) {
        return status;
    }
    int64_t count = (int64_t)(detector->contacts.size / sizeof(cn_contact));
    if (count > INT32_MAX) {
        return cn_fail(error, CN_ERR_UNSUPPORTED, "more than %d contacts", INT32_MAX);
    }
    out->count = (int32_t)count;
    out->contact = (void *)detector->contacts.data;
    detector->first = false;
    return CN_OK;
}
