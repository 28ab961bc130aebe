// detect/detect.c
// From poses to contacts: bounding balls, broad phase, narrow phase for every pair of shapes, keys.
//
// A pair is looked at within the alert distance plus what the two can close in a step, h (|v| + |w|
// bound) of each, so that no fast body passes a candidate unseen.
//
// Pairs of balls are looked at several at a time (detect/narrow/spheres.h), between the others that
// have contacts, so that the order of contacts is that of the pairs.
#include "detect/detect.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "detect/narrow/narrow.h"
#include "detect/narrow/pairs.h"
#include "detect/narrow/spheres.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "math/wide.h"

#include <math.h>
#include <string.h>

#define CN_MISSED_SHARE                                                                            \
    1e-3 // of the alert distance: an overlap deeper than it does not come from round-off
#define CN_SHAPE_BITS 16 // of a feature key, for a body's shape; more shapes than that share keys
#define CN_SHAPES_MASK 0xffffffffu // of both

#define CN_LOOK_PAIRS 1024    // pairs that a thread looks at in one go
#define CN_LOOK_CONTACTS 4096 // that it has room for; what is left over is looked at again
#define CN_LOOK_UNITS 16      // such goes before the contacts are put together
#define CN_LOOK_BLOCK 256     // pairs that are sorted out together
#define CN_BESIDE 256         // balls that are looked at beside walls together

// A shape in the world, and what tells quickly that it is far from another.
typedef struct cn_shape_here {
    cn_placed placed;
    double middle[3]; // of the ball round it
    union {
        double normal[3];   // of a plane or line
        cn_box_frame frame; // of a box
    };
} cn_shape_here;

// What a body is, in bits. Above them are those of walls: planes of bodies that have nothing else.
// A body of walls has their bits, a ball the bits of those that it is near.
#define CN_KIND_BALL 1u
#define CN_KIND_FREE 2u
#define CN_KIND_WALLS 4u
#define CN_KIND_BITS 3
#define CN_KIND_MASK 7u

struct cn_detector {
    const cn_model *model;
    cn_env env;
    cn_broad *broad;
    cn_arena *memory;      // of the arrays
    cn_arena *scratch;     // for a call
    cn_arena *own_scratch; // the same, where none was given
    cn_bounding *ball;     // of each body
    cn_body_here *body;
    uint32_t *kind; // CN_KIND_...
    int32_t *shape; // the first of the cn_shape_here of a body that is no ball
    cn_shape_here *here;
    int32_t walls, wall[CN_WALLS]; // the bodies of walls
    const cn_pair_kernel *kernel;
    cn_near_pairs near;  // the mark of a pair: it had contacts in the last call
    cn_buffer parting;   // uint16_t: of each, the face that parted its shapes last; NULL: of none
    cn_buffer contacts;  // cn_contact
    bool first;          // nothing is known of the last call
    const double *reach; // how far bodies come in a step at least; NULL: as velocities say
    const bool *resting; // bodies whose pairs with one another are left out; NULL: none
};

// The planes of a body that has nothing else become walls, while there are bits for them.
static void cn_number_walls(cn_detector *d, int32_t i) {
    const cn_body *body = &d->model->body[i];
    for (int32_t k = 0; k < body->shape_count; k++) {
        cn_shape_kind kind = d->model->shape[body->shape_first + k].kind;
        if (kind != CN_SHAPE_PLANE && kind != CN_SHAPE_LINE) {
            return;
        }
    }
    if (body->shape_count > 0 && body->shape_count <= CN_WALLS - d->walls) {
        d->kind[i] |= CN_KIND_WALLS;
        for (int32_t k = 0; k < body->shape_count; k++) {
            d->kind[i] |= 1u << (CN_KIND_BITS + d->walls);
            d->wall[d->walls++] = i;
        }
    }
}

// Numbers the shapes of bodies that are no balls; returns how many there are.
static int32_t cn_count_shapes(cn_detector *d) {
    const cn_model *model = d->model;
    int32_t shapes = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const cn_body *body = &model->body[i];
        d->body[i] = (cn_body_here){.bound = body->bound};
        d->shape[i] = shapes;
        d->kind[i] = body->role == CN_BODY_FREE ? CN_KIND_FREE : 0;
        if (body->ball) {
            d->kind[i] |= CN_KIND_BALL;
            d->body[i].radius = model->shape[body->shape_first].radius;
        } else {
            shapes += body->shape_count;
            cn_number_walls(d, i);
        }
    }
    return shapes;
}

static bool cn_detector_allocate(cn_detector *d) {
    const cn_model *model = d->model;
    d->broad = cn_broad_create(&d->env);
    d->ball = CN_TAKE_ZERO(d->memory, cn_bounding, model->body_count);
    d->body = CN_TAKE(d->memory, cn_body_here, model->body_count);
    d->kind = CN_TAKE(d->memory, uint32_t, model->body_count);
    d->shape = CN_TAKE(d->memory, int32_t, model->body_count);
    if (!d->scratch) {
        d->scratch = d->own_scratch = cn_arena_create(&d->env);
    }
    if (!d->broad || !d->ball || !d->body || !d->kind || !d->shape || !d->scratch) {
        return false;
    }
    d->here = CN_TAKE(d->memory, cn_shape_here, cn_count_shapes(d));
    return d->here != NULL;
}

static const cn_pair_kernel *cn_choose_kernel(void) {
    const cn_pair_kernel *most = cn_pair_kernel_avx512(), *wide = cn_pair_kernel_avx2();
    return most ? most : wide ? wide : &cn_pair_kernel_plain;
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
    d->kernel = cn_choose_kernel();
    cn_buffer_init(&d->contacts, &d->env);
    cn_buffer_init(&d->parting, &d->env);
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
        cn_buffer_free(&detector->parting);
        cn_arena_destroy(detector->own_scratch);
        cn_arena_destroy(detector->memory);
    }
}

void cn_detector_rest(cn_detector *detector, const bool *resting) {
    detector->resting = resting;
}

void cn_detector_reach(cn_detector *detector, const double *reach) {
    detector->reach = reach;
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
    here->placed.frame = NULL;
    if (shape->kind == CN_SHAPE_BOX && shape->hull.face_count) {
        cn_box_frame_place(&here->placed, &here->frame);
        here->placed.frame = &here->frame;
    } else {
        cn_mat3_apply(R, shape->normal, here->normal);
    }
}

// A ball looks the same however it is turned.
static void cn_place_ball(const cn_shape *shape, const double center[3], cn_shape_here *here) {
    static const double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    here->placed.shape = shape;
    memcpy(here->placed.position, center, sizeof here->placed.position);
    memcpy(here->placed.R, R, sizeof R);
    memcpy(here->middle, center, sizeof here->middle);
    here->placed.frame = NULL;
}

// The shapes of a body that is no ball.
static void cn_place_shapes(cn_detector *d, int64_t i, const double *x) {
    const cn_model *model = d->model;
    const cn_body *body = &model->body[i];
    double R[9];
    if (model->dim == 3) {
        cn_quat_matrix(x + 3, R);
    } else {
        cn_angle_matrix(x[2], R);
    }
    for (int32_t k = 0; k < body->shape_count; k++) {
        cn_place_shape(&model->shape[body->shape_first + k], d->ball[i].center, R,
                       &d->here[d->shape[i] + k]);
    }
}

// What a call asks for.
typedef struct cn_asked {
    cn_detector *detector;
    const double *q, *v;
    double h, alert;
} cn_asked;

// Bounding ball, shapes, and how far the body can come in a step. dim: that of the model, a
// constant where this is inlined.
CN_INLINE void cn_place_body(const cn_asked *asked, int32_t dim, int64_t i) {
    cn_detector *d = asked->detector;
    cn_body_here *here = &d->body[i];
    int32_t pose = cn_pose_size(dim), size = cn_velocity_size(dim);
    static const double still[6] = {0.0};
    const double *x = asked->q + pose * i, *w = asked->v ? asked->v + size * i : still;
    double speed = 0.0, spin = 0.0;
    for (int32_t k = 0; k < dim; k++) {
        d->ball[i].center[k] = x[k];
        speed += w[k] * w[k];
    }
    for (int32_t k = dim; k < size; k++) {
        spin += w[k] * w[k];
    }
    if (!(d->kind[i] & CN_KIND_BALL)) {
        cn_place_shapes(d, i, x);
    }
    here->spin = asked->h * sqrt(spin);
    here->reach = asked->h * sqrt(speed) + (isinf(here->bound) ? 0.0 : here->spin * here->bound);
    here->reach = d->reach && d->reach[i] > here->reach ? d->reach[i] : here->reach;
    d->ball[i].radius = here->bound + 0.5 * asked->alert + here->reach;
}

static void cn_place_bodies(void *user, int64_t first, int64_t end) {
    const cn_asked *asked = user;
    bool solid = asked->detector->model->dim == 3;
    for (int64_t i = first; i < end && solid; i++) {
        cn_place_body(asked, 3, i);
    }
    for (int64_t i = first; i < end && !solid; i++) {
        cn_place_body(asked, 2, i);
    }
}

// The walls in the world. How far one that turns comes depends on where the ball is: all are near.
static void cn_place_walls(const cn_detector *d, cn_wall *wall) {
    for (int32_t k = 0, first = 0; k < d->walls; k++) {
        int32_t body = d->wall[k];
        first = d->wall[first] == body ? first : k;
        const cn_shape_here *here = &d->here[d->shape[body] + k - first];
        wall[k] = (cn_wall){.offset = here->placed.shape->offset,
                            .reach = d->body[body].spin == 0.0 ? d->body[body].reach : HUGE_VAL};
        memcpy(wall[k].normal, here->normal, sizeof wall[k].normal);
        memcpy(wall[k].position, here->placed.position, sizeof wall[k].position);
    }
}

// Which walls balls are near.
static void cn_look_at_walls(void *user, int64_t first, int64_t end) {
    const cn_asked *asked = user;
    const cn_detector *d = asked->detector;
    cn_wall wall[CN_WALLS];
    cn_place_walls(d, wall);
    uint32_t beside[CN_BESIDE];
    for (int64_t i = first; i < end; i += CN_BESIDE) {
        int32_t count = end - i < CN_BESIDE ? (int32_t)(end - i) : CN_BESIDE;
        d->kernel->beside(wall, d->walls, asked->alert, count, d->ball + i, d->body + i, beside);
        for (int32_t k = 0; k < count; k++) {
            uint32_t own = d->kind[i + k];
            d->kind[i + k] =
                own & CN_KIND_BALL ? (own & CN_KIND_MASK) | beside[k] << CN_KIND_BITS : own;
        }
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

// Whether a ball comes within the distance of a plane or line.
static bool cn_ball_near_plane(const double center[3], double radius, const cn_shape_here *plane,
                               double distance) {
    double apart[3];
    cn_sub3(center, plane->placed.position, apart);
    return cn_dot3(plane->normal, apart) - plane->placed.shape->offset <= radius + distance;
}

// Whether the balls round two shapes come within the distance.
static bool cn_shapes_near(const cn_shape_here *a, const cn_shape_here *b, double distance) {
    double bound_a = a->placed.shape->bound, bound_b = b->placed.shape->bound;
    if (isinf(bound_a) || isinf(bound_b)) {
        return isinf(bound_b) ? cn_ball_near_plane(a->middle, bound_a, b, distance)
                              : cn_ball_near_plane(b->middle, bound_b, a, distance);
    }
    double apart[3], reach = bound_a + bound_b + distance;
    cn_sub3(a->middle, b->middle, apart);
    return cn_dot3(apart, apart) <= reach * reach;
}

// How far an unbounded body that turns comes to the other one in a step: the farther away, the
// faster.
static double cn_sweep(const cn_detector *d, int32_t unbounded, int32_t other) {
    double apart[3];
    if (isinf(d->ball[other].radius)) {
        return 0.0;
    }
    cn_sub3(d->ball[unbounded].center, d->ball[other].center, apart);
    return d->body[unbounded].spin * (cn_norm3(apart) + d->model->body[other].bound);
}

static inline bool cn_sweeps(const cn_detector *d, int32_t body) {
    return d->body[body].spin != 0.0 && isinf(d->ball[body].radius);
}

// Within which a pair is looked at.
static double cn_look_distance(const cn_look *look, int32_t a, int32_t b) {
    const cn_detector *d = look->asked->detector;
    double distance = look->asked->alert + d->body[a].reach + d->body[b].reach;
    distance += cn_sweeps(d, a) ? cn_sweep(d, a, b) : 0.0;
    return distance + (cn_sweeps(d, b) ? cn_sweep(d, b, a) : 0.0);
}

// The shapes of a body in the world; a ball's is made here.
static const cn_shape_here *cn_shapes_of(const cn_detector *d, int32_t body, cn_shape_here *own) {
    if (!(d->kind[body] & CN_KIND_BALL)) {
        return &d->here[d->shape[body]];
    }
    cn_place_ball(&d->model->shape[d->model->body[body].shape_first], d->ball[body].center, own);
    return own;
}

// A ball against the walls of a body. false: no room.
static bool cn_look_at_ball_by_walls(cn_look *look, const cn_body_pair *pair) {
    const cn_detector *d = look->asked->detector;
    bool candidate = d->kind[pair->b] & CN_KIND_BALL;
    int32_t ball = candidate ? pair->b : pair->a, walls = candidate ? pair->a : pair->b;
    double distance = cn_look_distance(look, pair->a, pair->b);
    int first = __builtin_ctz(d->kind[walls] & ~CN_KIND_MASK);
    for (uint32_t near = d->kind[ball] & d->kind[walls] & ~CN_KIND_MASK; near; near &= near - 1) {
        int k = __builtin_ctz(near) - first;
        const cn_shape_here *plane = &d->here[d->shape[walls] + k];
        if (!cn_ball_near_plane(d->ball[ball].center, d->body[ball].bound, plane, distance)) {
            continue;
        }
        cn_manifold manifold;
        manifold.count = 0;
        cn_ball_plane_contact(d->ball[ball].center, d->body[ball].radius, &plane->placed, distance,
                              &manifold);
        if (!candidate) {
            cn_manifold_flip(&manifold);
        }
        uint64_t shapes = (uint64_t)k << (candidate ? 0 : CN_SHAPE_BITS);
        if (!cn_add_manifold(look, pair, shapes, &manifold)) {
            return false;
        }
    }
    return true;
}

// All shapes of b (the candidate) against all of a. false: no room.
static bool cn_look_at_shapes(cn_look *look, int64_t number) {
    const cn_detector *d = look->asked->detector;
    const cn_body_pair *pair = &d->near.pair[number];
    uint16_t none = 0,
             *parting = d->parting.data ? (uint16_t *)(void *)d->parting.data + number : &none;
    double distance = cn_look_distance(look, pair->a, pair->b);
    cn_shape_here own[2];
    const cn_shape_here *antagonist = cn_shapes_of(d, pair->a, &own[0]),
                        *candidate = cn_shapes_of(d, pair->b, &own[1]);
    for (int32_t i = 0; i < d->model->body[pair->b].shape_count; i++) {
        for (int32_t j = 0; j < d->model->body[pair->a].shape_count; j++) {
            if (!cn_shapes_near(&candidate[i], &antagonist[j], distance)) {
                continue;
            }
            uint64_t shapes = (uint64_t)i << CN_SHAPE_BITS | (uint64_t)j;
            cn_manifold manifold;
            manifold.parting = *parting;
            bool may_touch = cn_narrow_again(d->model->dim, &candidate[i].placed,
                                             &antagonist[j].placed, distance, &manifold);
            *parting = (uint16_t)manifold.parting;
            if (may_touch && !cn_add_manifold(look, pair, shapes & CN_SHAPES_MASK, &manifold)) {
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
        deepest = -contact[k].gap > deepest ? -contact[k].gap : deepest;
    }
    return deepest;
}

// Pairs, by their numbers from that of look->next, without those that have no contacts though a
// body of them is free; returns how many are left. Their marks say so.
static int32_t cn_leave_out(const cn_look *look, int32_t *which, int32_t count) {
    const cn_detector *d = look->asked->detector;
    int32_t left = 0;
    for (int32_t k = 0; k < count; k++) {
        const cn_body_pair *pair = &d->near.pair[look->next + which[k]];
        uint8_t *mark = &d->near.mark[look->next + which[k]];
        if (d->model->jointed_count > 0 && cn_model_is_jointed(d->model, pair->a, pair->b)) {
            *mark = 0;
        } else if (d->resting && d->resting[pair->a] && d->resting[pair->b]) {
            *mark = 1; // as far as anyone will ask
        } else {
            which[left++] = which[k];
        }
    }
    return left;
}

// Whether a pair is a ball and walls, by the bits of both.
static inline bool cn_is_by_walls(uint32_t kinds) {
    return (kinds & (CN_KIND_BALL | CN_KIND_WALLS)) == (CN_KIND_BALL | CN_KIND_WALLS);
}

// Contacts of a pair that is not one of balls; marks it when it has any. false: no room, nothing
// added.
static bool cn_look_at_pair(cn_look *look, int64_t number) {
    const cn_detector *d = look->asked->detector;
    const cn_body_pair *pair = &d->near.pair[number];
    uint8_t *mark = &d->near.mark[number];
    int64_t count = look->count;
    if (!(cn_is_by_walls(d->kind[pair->a] | d->kind[pair->b]) ? cn_look_at_ball_by_walls(look, pair)
                                                              : cn_look_at_shapes(look, number))) {
        look->count = count;
        return false;
    }
    if (!d->first && !*mark &&
        cn_deepest(look->contact + count, look->count - count) >
            CN_MISSED_SHARE * look->asked->alert) {
        look->missed++;
        look->missed_a = pair->a;
        look->missed_b = pair->b;
    }
    *mark = look->count > count;
    return true;
}

// Some pairs in a row, sorted out: those of balls, and the others that may have contacts, by their
// numbers from that of look->next.
typedef struct cn_look_block {
    int32_t balls, others;
    int32_t ball[CN_LOOK_BLOCK], other[CN_LOOK_BLOCK];
    int32_t before[CN_LOOK_BLOCK]; // pairs of balls before each of the others
} cn_look_block;

// Of pairs whose bounding balls touch. Without branches that are hard to foretell, since balls and
// walls come in any order.
static void cn_sort_out(const cn_look *look, const int32_t *touching, int32_t count,
                        cn_look_block *block) {
    const cn_detector *d = look->asked->detector;
    const cn_body_pair *pair = d->near.pair + look->next;
    uint8_t *mark = d->near.mark + look->next;
    const uint32_t *kind = d->kind;
    int32_t balls = 0, others = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t own = touching[k];
        uint32_t a = kind[pair[own].a], b = kind[pair[own].b], both = a & b, any = a | b;
        uint32_t fixed = !(any & CN_KIND_FREE), of_balls = both & CN_KIND_BALL & ~fixed,
                 far = fixed | (cn_is_by_walls(any) & !(both & ~CN_KIND_MASK));
        block->ball[balls] = block->other[others] = own;
        block->before[others] = balls;
        balls += (int32_t)of_balls;
        others += (int32_t)(1 ^ (of_balls | far));
        mark[own] = (uint8_t)(mark[own] & (far - 1));
    }
    block->balls = balls;
    block->others = others;
}

// Contacts of pairs of balls. false: no room, nothing added.
static bool cn_look_at_balls(cn_look *look, const int32_t *which, int32_t count) {
    const cn_asked *asked = look->asked;
    const cn_detector *d = asked->detector;
    if (count == 0) {
        return true;
    }
    if (look->room - look->count < count) {
        return false;
    }
    bool solid = d->model->dim == 3;
    const cn_ball_look balls = {d->ball,
                                d->body,
                                asked->alert,
                                {0.0, solid ? 0.0 : 1.0, solid ? 1.0 : 0.0},
                                d->first ? HUGE_VAL : CN_MISSED_SHARE * asked->alert};
    cn_ball_missed missed = {look->missed, look->missed_a, look->missed_b};
    look->count +=
        d->kernel->contacts(&balls, d->near.pair + look->next, which, count,
                            d->near.mark + look->next, look->contact + look->count, &missed);
    look->missed = missed.count;
    look->missed_a = missed.a;
    look->missed_b = missed.b;
    return true;
}

// Contacts of a block, in the order of the pairs. Returns the number of the first pair that there
// was no room for, CN_LOOK_BLOCK when all had room.
static int32_t cn_look_at_block(cn_look *look, const cn_look_block *block) {
    int32_t from = 0;
    for (int32_t k = 0; k < block->others; k++) {
        int32_t end = block->before[k];
        if (!cn_look_at_balls(look, block->ball + from, end - from)) {
            return block->ball[from];
        }
        if (!cn_look_at_pair(look, look->next + block->other[k])) {
            return block->other[k];
        }
        from = end;
    }
    return cn_look_at_balls(look, block->ball + from, block->balls - from) ? CN_LOOK_BLOCK
                                                                           : block->ball[from];
}

// As many pairs as there is room for.
static void cn_look_at_pairs(cn_look *look) {
    const cn_detector *d = look->asked->detector;
    int32_t touching[CN_LOOK_BLOCK];
    cn_look_block block;
    // One that is cancelled ends without the rest; cn_detect says so.
    while (look->next < look->end) {
        if (cn_is_cancelled(&d->env)) {
            look->next = look->end;
            return;
        }
        int64_t left = look->end - look->next;
        int32_t count = left < CN_LOOK_BLOCK ? (int32_t)left : CN_LOOK_BLOCK;
        int32_t found = d->kernel->touch(d->ball, d->near.pair + look->next, count,
                                         d->near.mark + look->next, touching);
        if (d->resting || d->model->jointed_count > 0) {
            found = cn_leave_out(look, touching, found);
        }
        cn_sort_out(look, touching, found, &block);
        int32_t done = cn_look_at_block(look, &block);
        look->next += done < count ? done : count;
        if (done < count) {
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
    for (size_t more = CN_LOOK_BLOCK; look.next < look.end; more *= 2) {
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

// Room for the parting faces of the pairs, where bodies that are no balls move. They are not moved
// when the pairs are listed anew: a wrong one costs a look and changes nothing.
static bool cn_reserve_parting(cn_detector *d) {
    size_t before = d->parting.size, size = sizeof(uint16_t) * (size_t)d->near.count;
    if (d->model->only_balls || before >= size) {
        return true;
    }
    bool done = cn_buffer_reserve(&d->parting, size - before);
    if (done) {
        memset(d->parting.data + before, 0, size - before);
        d->parting.size = size;
    }
    return done;
}

// Places everything and finds the pairs of bodies near each other. CN_ERR_UNSUPPORTED: too many of
// them, some are listed.
static cn_status cn_find_near(const cn_asked *asked, cn_error *error) {
    cn_detector *d = asked->detector;
    int32_t bodies = d->model->body_count;
    cn_parallel_ranges(&d->env, bodies, cn_place_bodies, (void *)asked);
    if (d->walls > 0) {
        cn_parallel_ranges(&d->env, bodies, cn_look_at_walls, (void *)asked);
    }
    cn_status status = cn_broad_near(d->broad, &d->env, bodies, d->ball, d->scratch, &d->near);
    if (status == CN_ERR_CANCELLED) {
        return cn_fail_cancelled(error);
    }
    if (status == CN_ERR_MEMORY || !cn_reserve_parting(d)) {
        return cn_fail_memory(error);
    }
    if (status == CN_ERR_UNSUPPORTED) {
        cn_fail(error, status, "more than %d pairs of bodies among %d near one another",
                CN_GRID_PAIRS_MAX, bodies < CN_GRID_UNIT ? bodies : CN_GRID_UNIT);
        cn_fail_hint(error, "bodies at the same place, a step in which they move by many times "
                            "their size (time.step), or a large detection.alert");
    }
    return status;
}

cn_status cn_detect_overlap(cn_detector *detector, const double *q, const double *v, double h,
                            double accepted, cn_contact *out, bool *found, cn_error *error) {
    cn_detector *d = detector;
    cn_asked asked = {d, q, v, h, d->model->settings.alert};
    cn_arena_mark mark = cn_arena_get_mark(d->scratch);
    cn_status near = cn_find_near(&asked, error);
    cn_arena_release(d->scratch, mark);
    *found = false;
    if (near == CN_ERR_MEMORY || near == CN_ERR_CANCELLED) {
        return near;
    }
    // A part of the pairs at a time; a part larger than the room, such as one of large compounds,
    // gets more.
    cn_look look = {.asked = &asked, .end = d->near.count};
    for (size_t room = CN_LOOK_CONTACTS; look.next < look.end;) {
        d->contacts.size = 0;
        if (!cn_buffer_reserve(&d->contacts, room * sizeof(cn_contact))) {
            return cn_fail_memory(error);
        }
        look.contact = (void *)d->contacts.data;
        look.room = (int64_t)room;
        look.count = 0;
        cn_look_at_pairs(&look);
        for (int64_t k = 0; k < look.count; k++) {
            if (look.contact[k].gap < -accepted) {
                *out = look.contact[k];
                *found = true;
                return CN_OK;
            }
        }
        room = look.count == 0 ? 2 * room : room;
    }
    d->first = near != CN_OK;
    return near == CN_OK ? cn_poll_status(&d->env, error) : near;
}

cn_status cn_detect(cn_detector *detector, const double *q, const double *v, double h,
                    cn_contact_list *out, cn_error *error) {
    cn_detector *d = detector;
    cn_asked asked = {d, q, v, h, d->model->settings.alert};
    *out = (cn_contact_list){.alert = asked.alert};
    cn_arena_mark mark = cn_arena_get_mark(d->scratch);
    cn_status status = cn_find_near(&asked, error);
    if (status == CN_OK && !cn_look_at_all(&asked, out)) {
        status = cn_fail_memory(error);
    }
    cn_arena_release(d->scratch, mark);
    if (cn_is_cancelled(&d->env)) {
        return cn_fail_cancelled(error);
    }
    if (status != CN_OK) {
        return status;
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
