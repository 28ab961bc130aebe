// detect/detect.c
// From poses to contacts: bounding balls, broad phase, narrow phase for every pair of shapes, keys.
//
// A pair is looked at within the alert distance plus what the two can close in a step, h (|v| + |w|
// bound) of each, so that no fast body passes a candidate unseen.
#include "detect/detect.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "detect/narrow.h"
#include "detect/pairs.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CN_MISSED_SHARE                                                                            \
    1e-3 // of the alert distance: an overlap deeper than it does not come from round-off
#define CN_SHAPE_BITS 16 // of a feature key, for a body's shape; more shapes than that share keys

#define CN_LOOK_PAIRS 1024    // pairs that a thread looks at in one go
#define CN_LOOK_CONTACTS 4096 // that it has room for; what is left over is looked at again
#define CN_LOOK_UNITS 16      // such goes before the contacts are put together

// A shape in the world, and what tells quickly that it is far from another.
typedef struct cn_shape_here {
    cn_placed placed;
    double middle[3]; // of the ball round it
    double normal[3]; // of a plane or line
} cn_shape_here;

// A body as pairs look at it, besides its bounding ball; made once a call.
typedef struct cn_body_here {
    double reach;  // how far it comes in a step
    double spin;   // angle turned in a step
    double radius; // of a ball
    int32_t shape; // the first of its cn_shape_here; balls have none
    bool ball, free;
} cn_body_here;

struct cn_detector {
    const cn_model *model;
    cn_env env;
    cn_broad *broad;
    cn_arena *memory;      // of the arrays
    cn_arena *scratch;     // for a call
    cn_arena *own_scratch; // the same, where none was given
    cn_bounding *ball;     // of each body
    cn_body_here *body;
    cn_shape_here *shape;
    cn_near_pairs near;  // the mark of a pair: it had contacts in the last call
    cn_buffer contacts;  // cn_contact
    bool first;          // nothing is known of the last call
    const bool *resting; // bodies whose pairs with one another are left out; NULL: none
};

// Numbers the shapes of bodies that are no balls; returns how many there are.
static int32_t cn_count_shapes(cn_detector *d) {
    const cn_model *model = d->model;
    int32_t shapes = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const cn_body *body = &model->body[i];
        d->body[i] =
            (cn_body_here){.ball = body->ball, .free = body->role == CN_BODY_FREE, .shape = shapes};
        if (body->ball) {
            d->body[i].radius = model->shape[body->shape_first].radius;
        } else {
            shapes += body->shape_count;
        }
    }
    return shapes;
}

static bool cn_detector_allocate(cn_detector *d) {
    const cn_model *model = d->model;
    d->broad = cn_broad_create(&d->env);
    d->ball = CN_TAKE_ZERO(d->memory, cn_bounding, model->body_count);
    d->body = CN_TAKE(d->memory, cn_body_here, model->body_count);
    if (!d->scratch) {
        d->scratch = d->own_scratch = cn_arena_create(&d->env);
    }
    if (!d->broad || !d->ball || !d->body || !d->scratch) {
        return false;
    }
    d->shape = CN_TAKE(d->memory, cn_shape_here, cn_count_shapes(d));
    return d->shape != NULL;
}

cn_detector *cn_detector_create(const cn_model *model, const cn_env *env, cn_arena *scratch) {
    cn_arena *memory = cn_arena_create(env);
    cn_detector *d = memory ? CN_TAKE_ZERO(memory, cn_detector, 1) : NULL;
    if (!d) {
        cn_arena_destroy(memory);
        return NULL;
    }
    d->model = model;
    d->env = *cn_arena_env(memory);
    d->memory = memory;
    d->scratch = scratch;
    d->first = true;
    cn_buffer_init(&d->contacts, &d->env);
    if (!cn_detector_allocate(d)) {
        cn_detector_destroy(d);
        return NULL;
    }
    return d;
}

void cn_detector_destroy(cn_detector *detector) {
    if (detector) {
        cn_broad_destroy(detector->broad);
        cn_buffer_free(&detector->contacts);
        cn_arena_destroy(detector->own_scratch);
        cn_arena_destroy(detector->memory);
    }
}

void cn_detector_rest(cn_detector *detector, const bool *resting) {
    detector->resting = resting;
}

void cn_detector_reset(cn_detector *detector) {
    detector->first = true;
}

// ---- where everything is ----

static void cn_place_shape(const cn_shape *shape, const double center[3], const double R[9],
                           cn_shape_here *here) {
    here->placed.shape = shape;
    memcpy(here->placed.position, center, sizeof here->placed.position);
    memcpy(here->placed.R, R, sizeof here->placed.R);
    cn_mat3_apply(R, shape->middle, here->middle);
    cn_add_scaled3(center, 1.0, here->middle, here->middle);
    cn_mat3_apply(R, shape->normal, here->normal);
}

// A ball looks the same however it is turned.
static void cn_place_ball(const cn_shape *shape, const double center[3], cn_shape_here *here) {
    static const double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    here->placed.shape = shape;
    memcpy(here->placed.position, center, sizeof here->placed.position);
    memcpy(here->placed.R, R, sizeof R);
    memcpy(here->middle, center, sizeof here->middle);
    memset(here->normal, 0, sizeof here->normal);
}

// What a call asks for.
typedef struct cn_asked {
    cn_detector *detector;
    const double *q, *v;
    double h, alert;
} cn_asked;

// Bounding balls, shapes, and how far each body can come in a step.
static void cn_place_bodies(void *user, int64_t first, int64_t end) {
    const cn_asked *asked = user;
    cn_detector *d = asked->detector;
    const cn_model *model = d->model;
    int32_t pose = cn_pose_size(model->dim), size = cn_velocity_size(model->dim);
    for (int64_t i = first; i < end; i++) {
        const cn_body *body = &model->body[i];
        const double *x = asked->q + pose * i, *w = asked->v + size * i;
        double speed = 0.0, spin = 0.0, R[9];
        for (int32_t k = 0; k < model->dim; k++) {
            d->ball[i].center[k] = x[k];
            speed += w[k] * w[k];
        }
        for (int32_t k = model->dim; k < size; k++) {
            spin += w[k] * w[k];
        }
        if (!body->ball) {
            if (model->dim == 3) {
                cn_quat_matrix(x + 3, R);
            } else {
                cn_angle_matrix(x[2], R);
            }
            for (int32_t k = 0; k < body->shape_count; k++) {
                cn_place_shape(&model->shape[body->shape_first + k], d->ball[i].center, R,
                               &d->shape[d->body[i].shape + k]);
            }
        }
        cn_body_here *here = &d->body[i];
        here->spin = asked->h * sqrt(spin);
        here->reach =
            asked->h * sqrt(speed) + (isinf(body->bound) ? 0.0 : here->spin * body->bound);
        d->ball[i].radius = body->bound + 0.5 * asked->alert + here->reach;
    }
}

// ---- contacts of a pair ----

// Contacts found, in the order of the pairs, where there is room for them.
typedef struct cn_look {
    const cn_asked *asked;
    int64_t next, end; // pairs still to be looked at; next < end afterwards: there was no more room
    cn_contact *contact;
    int64_t count, room;
    cn_contact *to; // where they go afterwards
    int32_t missed, missed_a, missed_b;
} cn_look;

// The points of a manifold as contacts, by feature. false: no room.
static bool cn_add_manifold(cn_look *look, const cn_body_pair *pair, uint64_t shapes,
                            cn_manifold *manifold) {
    for (int32_t k = 1; k < manifold->count; k++) {
        cn_manifold_point moving = manifold->point[k];
        int32_t l = k;
        for (; l > 0 && manifold->point[l - 1].feature > moving.feature; l--) {
            manifold->point[l] = manifold->point[l - 1];
        }
        manifold->point[l] = moving;
    }
    if (look->room - look->count < manifold->count) {
        return false;
    }
    for (int32_t k = 0; k < manifold->count; k++) {
        cn_contact *contact = &look->contact[look->count++];
        contact->key =
            (cn_contact_key){pair->b, pair->a, shapes << 32 | manifold->point[k].feature};
        contact->gap = manifold->point[k].gap;
        memcpy(contact->point, manifold->point[k].point, sizeof contact->point);
        memcpy(contact->normal, manifold->point[k].normal, sizeof contact->normal);
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
    if (!isinf(d->ball[unbounded].radius) || d->body[unbounded].spin == 0.0 ||
        isinf(d->ball[other].radius)) {
        return 0.0;
    }
    cn_sub3(d->ball[unbounded].center, d->ball[other].center, apart);
    return d->body[unbounded].spin * (cn_norm3(apart) + d->model->body[other].bound);
}

// Two balls, b the candidate; the broad phase has looked at no more than their distance already.
static bool cn_look_at_balls(cn_look *look, const cn_body_pair *pair) {
    const cn_detector *d = look->asked->detector;
    const cn_body_here *a = &d->body[pair->a], *b = &d->body[pair->b];
    bool solid = d->model->dim == 3;
    const double spare[3] = {0.0, solid ? 0.0 : 1.0, solid ? 1.0 : 0.0};
    cn_manifold manifold;
    manifold.count = 0;
    cn_ball_contact(d->ball[pair->b].center, b->radius, d->ball[pair->a].center, a->radius, spare,
                    look->asked->alert + a->reach + b->reach, 0, &manifold);
    return cn_add_manifold(look, pair, 0, &manifold);
}

// The shapes of a body in the world; a ball's is made here.
static const cn_shape_here *cn_shapes_of(const cn_detector *d, int32_t body, cn_shape_here *own) {
    if (!d->body[body].ball) {
        return &d->shape[d->body[body].shape];
    }
    cn_place_ball(&d->model->shape[d->model->body[body].shape_first], d->ball[body].center, own);
    return own;
}

// All shapes of b (the candidate) against all of a.
static bool cn_look_at_shapes(cn_look *look, const cn_body_pair *pair) {
    const cn_detector *d = look->asked->detector;
    double distance = look->asked->alert + d->body[pair->a].reach + d->body[pair->b].reach +
                      cn_sweep(d, pair->a, pair->b) + cn_sweep(d, pair->b, pair->a);
    cn_shape_here own[2];
    const cn_shape_here *antagonist = cn_shapes_of(d, pair->a, &own[0]),
                        *candidate = cn_shapes_of(d, pair->b, &own[1]);
    for (int32_t i = 0; i < d->model->body[pair->b].shape_count; i++) {
        for (int32_t j = 0; j < d->model->body[pair->a].shape_count; j++) {
            if (!cn_shapes_near(&candidate[i], &antagonist[j], distance)) {
                continue;
            }
            cn_manifold manifold;
            uint64_t shapes = ((uint64_t)i << CN_SHAPE_BITS | (uint64_t)j) & 0xffffffffu;
            if (cn_narrow(d->model->dim, &candidate[i].placed, &antagonist[j].placed, distance,
                          &manifold) &&
                !cn_add_manifold(look, pair, shapes, &manifold)) {
                return false;
            }
        }
    }
    return true;
}

// ---- all pairs ----

static double cn_deepest(const cn_contact *contact, int64_t count) {
    double deepest = 0.0;
    for (int64_t k = 0; k < count; k++) {
        deepest = fmax(deepest, -contact[k].gap);
    }
    return deepest;
}

// Contacts of a pair of balls that touch; marks it when it has any. false: no room, nothing added.
static bool cn_look_at_pair(cn_look *look, const cn_body_pair *pair, uint8_t *mark) {
    const cn_detector *d = look->asked->detector;
    const cn_body_here *a = &d->body[pair->a], *b = &d->body[pair->b];
    bool before = *mark;
    *mark = 0;
    if ((!a->free && !b->free) ||
        (d->model->jointed_count > 0 && cn_model_is_jointed(d->model, pair->a, pair->b))) {
        return true;
    }
    if (d->resting && d->resting[pair->a] && d->resting[pair->b]) {
        *mark = 1; // as far as anyone will ask
        return true;
    }
    int64_t count = look->count;
    if (!(a->ball && b->ball ? cn_look_at_balls(look, pair) : cn_look_at_shapes(look, pair))) {
        look->count = count;
        *mark = before;
        return false;
    }
    *mark = look->count > count;
    if (!d->first && !before &&
        cn_deepest(look->contact + count, look->count - count) >
            CN_MISSED_SHARE * look->asked->alert) {
        look->missed++;
        look->missed_a = pair->a;
        look->missed_b = pair->b;
    }
    return true;
}

// As many pairs as there is room for.
static void cn_look_at_pairs(cn_look *look) {
    const cn_detector *d = look->asked->detector;
    const cn_near_pairs *near = &d->near;
    for (; look->next < look->end; look->next++) {
        const cn_body_pair *pair = &near->pair[look->next];
        if (!cn_balls_touch(&d->ball[pair->a], &d->ball[pair->b])) {
            near->mark[look->next] = 0;
        } else if (!cn_look_at_pair(look, pair, &near->mark[look->next])) {
            return;
        }
    }
}

static void cn_look_unit(void *user, int32_t unit) {
    cn_look_at_pairs((cn_look *)user + unit);
}

static void cn_add_missed(const cn_look *look, cn_contact_list *out) {
    if (look->missed > 0) {
        out->missed += look->missed;
        out->missed_a = look->missed_a;
        out->missed_b = look->missed_b;
    }
}

// The rest of the pairs of a look straight into the list, which grows as needed.
static bool cn_look_on(cn_detector *d, cn_look look, cn_contact_list *out) {
    for (size_t more = CN_MANIFOLD_MOST; look.next < look.end; more *= 2) {
        if (!cn_buffer_reserve(&d->contacts, more * sizeof(cn_contact))) {
            return false;
        }
        look.contact = (void *)(d->contacts.data + d->contacts.size);
        look.room = (int64_t)((d->contacts.capacity - d->contacts.size) / sizeof(cn_contact));
        look.count = look.missed = 0;
        cn_look_at_pairs(&look);
        d->contacts.size += sizeof(cn_contact) * (size_t)look.count;
        cn_add_missed(&look, out);
    }
    return true;
}

static void cn_copy_unit(void *user, int32_t unit) {
    const cn_look *look = (const cn_look *)user + unit;
    memcpy(look->to, look->contact, sizeof *look->to * (size_t)look->count);
}

// Units of pairs at once, each into room of its own, put together in their order.
static bool cn_look_at_once(cn_detector *d, cn_look *look, int32_t units, cn_contact_list *out) {
    cn_buffer *contacts = &d->contacts;
    cn_parallel_for(&d->env, units, cn_look_unit, look);
    int32_t whole = 0; // units that had room enough
    size_t size = contacts->size;
    while (whole < units && look[whole].next == look[whole].end) {
        size += sizeof(cn_contact) * (size_t)look[whole++].count;
    }
    if (!cn_buffer_reserve(contacts, size - contacts->size)) {
        return false;
    }
    for (int32_t i = 0; i < whole; i++) {
        look[i].to = (void *)(contacts->data + contacts->size);
        contacts->size += sizeof(cn_contact) * (size_t)look[i].count;
        cn_add_missed(&look[i], out);
    }
    cn_parallel_for(&d->env, whole, cn_copy_unit, look);
    for (int32_t i = whole; i < units; i++) {
        size_t bytes = sizeof(cn_contact) * (size_t)look[i].count;
        if (!cn_buffer_append(contacts, look[i].contact, bytes)) {
            return false;
        }
        cn_add_missed(&look[i], out);
        if (!cn_look_on(d, look[i], out)) {
            return false;
        }
    }
    return true;
}

static bool cn_look_at_all(const cn_asked *asked, cn_contact_list *out) {
    cn_detector *d = asked->detector;
    int64_t pairs = d->near.count;
    d->contacts.size = 0;
    if (pairs <= CN_LOOK_PAIRS || cn_thread_count(&d->env) == 1) { // the same, without copies
        return cn_look_on(d, (cn_look){.asked = asked, .end = pairs}, out);
    }
    cn_look look[CN_LOOK_UNITS];
    cn_contact *room = CN_TAKE(d->scratch, cn_contact, CN_LOOK_UNITS * CN_LOOK_CONTACTS);
    bool done = room != NULL;
    for (int64_t next = 0; done && next < pairs;) {
        int32_t units = 0;
        for (; units < CN_LOOK_UNITS && next < pairs; units++) {
            int64_t end = pairs - next < CN_LOOK_PAIRS ? pairs : next + CN_LOOK_PAIRS;
            look[units] = (cn_look){.asked = asked,
                                    .next = next,
                                    .end = end,
                                    .contact = room + CN_LOOK_CONTACTS * (int64_t)units,
                                    .room = CN_LOOK_CONTACTS};
            next = end;
        }
        done = cn_look_at_once(d, look, units, out);
    }
    return done;
}

cn_status cn_detect(cn_detector *detector, const double *q, const double *v, double h,
                    cn_contact_list *out, cn_error *error) {
    cn_detector *d = detector;
    cn_asked asked = {d, q, v, h, d->model->settings.alert};
    *out = (cn_contact_list){.alert = asked.alert};
    cn_parallel_ranges(&d->env, d->model->body_count, cn_place_bodies, &asked);
    cn_arena_mark mark = cn_arena_get_mark(d->scratch);
    bool done = cn_broad_near(d->broad, &d->env, d->model->body_count, d->ball, d->scratch,
                              &d->near) == CN_OK &&
                cn_look_at_all(&asked, out);
    cn_arena_release(d->scratch, mark);
    if (!done) {
        return cn_fail_memory(error);
    }
    int64_t count = (int64_t)(d->contacts.size / sizeof(cn_contact));
    if (count > INT32_MAX) {
        return cn_fail(error, CN_ERR_UNSUPPORTED, "more than %d contacts", INT32_MAX);
    }
    out->count = (int32_t)count;
    out->contact = (void *)d->contacts.data;
    d->first = false;
    return CN_OK;
}
