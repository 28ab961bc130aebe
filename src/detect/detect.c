// detect/detect.c
// From poses to contacts: bounding spheres, broad phase, narrow phase for every pair of shapes,
// keys.
//
// A pair is evaluated within the alert distance plus what the two can close in a step, h (|v| + |w|
// bound) of each, so that no fast body passes a candidate unseen.
//
// Pairs of round bodies (spheres, disks) are evaluated several at a time (detect/narrow/spheres.h),
// between the others that have contacts, so that the order of contacts is that of the pairs.
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

#define MISSED_SHARE                                                                               \
    1e-3 // of the alert distance: an overlap deeper than it does not come from round-off
#define SHAPE_BITS 16 // of a feature key, for a body's shape; more shapes than that share keys
#define SHAPES_MASK 0xffffffffu // of both

#define SCAN_PAIRS 1024    // pairs per unit of work
#define SCAN_CONTACTS 4096 // that a unit has room for; pairs left over are evaluated again
#define SCAN_UNITS 16      // units before the contacts are put together
#define SCAN_BLOCK 256     // pairs that are sorted out together
#define WALLS_BLOCK 256    // bodies that are compared with walls together

// A shape in the world, with bounds that quickly show that it is far from another.
typedef struct placed_shape {
    det_placed placed;
    double middle[3]; // of its bounding sphere
    union {
        double normal[3];    // of a plane or line
        det_box_frame frame; // of a box
    };
} placed_shape;

// What a body is, in bits. Above them are those of walls: planes of bodies that have nothing else.
// A body of walls has their bits, a round body the bits of those that it is near.
#define KIND_ROUND 1u
#define KIND_FREE 2u
#define KIND_WALLS 4u
#define KIND_BITS 3
#define KIND_MASK 7u

struct det_detector {
    const cn_model *model;
    cn_env env;
    det_broad *broad;
    cn_arena *memory;       // of the arrays
    cn_arena *scratch;      // for a call
    cn_arena *own_scratch;  // the same, where none was given
    det_bounding *bounding; // spheres, of each body
    det_body *body;
    uint32_t *kind; // CN_KIND_...
    int32_t *shape; // the first of the shapes of a body that is not round
    placed_shape *here;
    int32_t walls, wall[DET_WALLS]; // the bodies of walls
    const det_pair_kernel *kernel;
    det_near_pairs near;  // the mark of a pair: it had contacts in the last call
    base_buffer parting;  // uint16_t: of each, the face that parted its shapes last; NULL: of none
    base_buffer contacts; // det_contact
    bool first;           // there was no call before
    const double *reach;  // how far bodies come in a step at least; NULL: as velocities say
    const bool *resting;  // bodies whose pairs with one another are left out; NULL: none
};

// The planes of a body that has nothing else become walls, while there are bits for them.
static void number_walls(det_detector *d, int32_t i) {
    const model_body *body = &d->model->body[i];
    for (int32_t k = 0; k < body->shape_count; k++) {
        cn_shape_kind kind = d->model->shape[body->shape_first + k].kind;
        if (kind != CN_SHAPE_PLANE && kind != CN_SHAPE_LINE) {
            return;
        }
    }
    if (body->shape_count > 0 && body->shape_count <= DET_WALLS - d->walls) {
        d->kind[i] |= KIND_WALLS;
        for (int32_t k = 0; k < body->shape_count; k++) {
            d->kind[i] |= 1u << (KIND_BITS + d->walls);
            d->wall[d->walls++] = i;
        }
    }
}

// Numbers the shapes of bodies that are not round; returns how many there are.
static int32_t count_shapes(det_detector *d) {
    const cn_model *model = d->model;
    int32_t shapes = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        d->body[i] = (det_body){.bound = body->bound};
        d->shape[i] = shapes;
        d->kind[i] = body->role == MODEL_BODY_FREE ? KIND_FREE : 0;
        if (body->sphere) {
            d->kind[i] |= KIND_ROUND;
            d->body[i].radius = model->shape[body->shape_first].radius;
        } else {
            shapes += body->shape_count;
            number_walls(d, i);
        }
    }
    return shapes;
}

static bool allocate(det_detector *d) {
    const cn_model *model = d->model;
    d->broad = det_broad_create(&d->env);
    d->bounding = BASE_TAKE_ZERO(d->memory, det_bounding, model->body_count);
    d->body = BASE_TAKE(d->memory, det_body, model->body_count);
    d->kind = BASE_TAKE(d->memory, uint32_t, model->body_count);
    d->shape = BASE_TAKE(d->memory, int32_t, model->body_count);
    if (!d->scratch) {
        d->scratch = d->own_scratch = cn_arena_create(&d->env);
    }
    if (!d->broad || !d->bounding || !d->body || !d->kind || !d->shape || !d->scratch) {
        return false;
    }
    d->here = BASE_TAKE(d->memory, placed_shape, count_shapes(d));
    return d->here != NULL;
}

static const det_pair_kernel *choose_kernel(void) {
    const det_pair_kernel *max = det_pair_kernel_avx512(), *wide = det_pair_kernel_avx2();
    return max ? max : wide ? wide : &det_pair_kernel_portable;
}

det_detector *det_detector_create(const cn_model *model, const cn_env *env, cn_arena *scratch) {
    cn_arena *memory = cn_arena_create(env);
    det_detector *d = memory ? BASE_TAKE_ZERO(memory, det_detector, 1) : NULL;
    if (!d) {
        cn_arena_destroy(memory);
        return NULL;
    }
    d->model = model;
    d->env = *cn_arena_env(memory);
    d->memory = memory;
    d->scratch = scratch;
    d->first = true;
    d->kernel = choose_kernel();
    base_buffer_init(&d->contacts, &d->env);
    base_buffer_init(&d->parting, &d->env);
    if (!allocate(d)) {
        det_detector_destroy(d);
        return NULL;
    }
    return d;
}

void det_detector_destroy(det_detector *detector) {
    if (detector) {
        det_broad_destroy(detector->broad);
        base_buffer_free(&detector->contacts);
        base_buffer_free(&detector->parting);
        cn_arena_destroy(detector->own_scratch);
        cn_arena_destroy(detector->memory);
    }
}

void det_detector_rest(det_detector *detector, const bool *resting) {
    detector->resting = resting;
}

void det_detector_reach(det_detector *detector, const double *reach) {
    detector->reach = reach;
}

void det_detector_reset(det_detector *detector) {
    detector->first = true;
}

// ---- where everything is ----

static void place_shape(const geom_shape *shape, const double center[3], const double R[9],
                        placed_shape *here) {
    here->placed.shape = shape;
    memcpy(here->placed.position, center, sizeof here->placed.position);
    memcpy(here->placed.R, R, sizeof here->placed.R);
    math_mat3_apply(R, shape->middle, here->middle);
    math_add_scaled3(center, 1.0, here->middle, here->middle);
    here->placed.frame = NULL;
    if (shape->kind == CN_SHAPE_BOX && shape->hull.face_count) {
        det_box_frame_place(&here->placed, &here->frame);
        here->placed.frame = &here->frame;
    } else {
        math_mat3_apply(R, shape->normal, here->normal);
    }
}

// Round bodies need no rotation.
static void place_round(const geom_shape *shape, const double center[3], placed_shape *here) {
    static const double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    here->placed.shape = shape;
    memcpy(here->placed.position, center, sizeof here->placed.position);
    memcpy(here->placed.R, R, sizeof R);
    memcpy(here->middle, center, sizeof here->middle);
    here->placed.frame = NULL;
}

// The shapes of a body that is not round.
static void place_shapes(det_detector *d, int64_t i, const double *x) {
    const cn_model *model = d->model;
    const model_body *body = &model->body[i];
    double R[9];
    if (model->dim == 3) {
        math_quat_matrix(x + 3, R);
    } else {
        math_angle_matrix(x[2], R);
    }
    for (int32_t k = 0; k < body->shape_count; k++) {
        place_shape(&model->shape[body->shape_first + k], d->bounding[i].center, R,
                    &d->here[d->shape[i] + k]);
    }
}

// What a call asks for.
typedef struct detect_call {
    det_detector *detector;
    const double *q, *v;
    double h, alert;
} detect_call;

// Bounding sphere, shapes, and how far the body can come in a step. dim: that of the model, a
// constant where this is inlined.
MATH_INLINE void place_body(const detect_call *call, int32_t dim, int64_t i) {
    det_detector *d = call->detector;
    det_body *here = &d->body[i];
    int32_t pose = model_pose_size(dim), size = model_velocity_size(dim);
    static const double still[6] = {0.0};
    const double *x = call->q + pose * i, *w = call->v ? call->v + size * i : still;
    double speed = 0.0, spin = 0.0;
    for (int32_t k = 0; k < dim; k++) {
        d->bounding[i].center[k] = x[k];
        speed += w[k] * w[k];
    }
    for (int32_t k = dim; k < size; k++) {
        spin += w[k] * w[k];
    }
    if (!(d->kind[i] & KIND_ROUND)) {
        place_shapes(d, i, x);
    }
    here->spin = call->h * sqrt(spin);
    here->reach = call->h * sqrt(speed) + (isinf(here->bound) ? 0.0 : here->spin * here->bound);
    here->reach = d->reach && d->reach[i] > here->reach ? d->reach[i] : here->reach;
    d->bounding[i].radius = here->bound + 0.5 * call->alert + here->reach;
}

static void place_bodies(void *user, int64_t first, int64_t end) {
    const detect_call *call = user;
    bool solid = call->detector->model->dim == 3;
    for (int64_t i = first; i < end && solid; i++) {
        place_body(call, 3, i);
    }
    for (int64_t i = first; i < end && !solid; i++) {
        place_body(call, 2, i);
    }
}

// The walls in the world. How far one that turns comes depends on where the body is: all are near.
static void place_walls(const det_detector *d, det_wall *wall) {
    for (int32_t k = 0, first = 0; k < d->walls; k++) {
        int32_t body = d->wall[k];
        first = d->wall[first] == body ? first : k;
        const placed_shape *here = &d->here[d->shape[body] + k - first];
        wall[k] = (det_wall){.offset = here->placed.shape->offset,
                             .reach = d->body[body].spin == 0.0 ? d->body[body].reach : HUGE_VAL};
        memcpy(wall[k].normal, here->normal, sizeof wall[k].normal);
        memcpy(wall[k].position, here->placed.position, sizeof wall[k].position);
    }
}

// Which walls round bodies are near.
static void mark_near_walls(void *user, int64_t first, int64_t end) {
    const detect_call *call = user;
    const det_detector *d = call->detector;
    det_wall wall[DET_WALLS];
    place_walls(d, wall);
    uint32_t beside[WALLS_BLOCK];
    for (int64_t i = first; i < end; i += WALLS_BLOCK) {
        int32_t count = end - i < WALLS_BLOCK ? (int32_t)(end - i) : WALLS_BLOCK;
        d->kernel->beside(wall, d->walls, call->alert, count, d->bounding + i, d->body + i, beside);
        for (int32_t k = 0; k < count; k++) {
            uint32_t own = d->kind[i + k];
            d->kind[i + k] = own & KIND_ROUND ? (own & KIND_MASK) | beside[k] << KIND_BITS : own;
        }
    }
}

// ---- contacts of a pair ----

// Contacts found, in the order of the pairs, where there is room for them.
typedef struct pair_scan {
    const detect_call *call;
    int64_t next, end; // pairs still to be evaluated; next < end afterwards: no more room
    det_contact *contact;
    int64_t count, room;
    det_contact *to; // where they go afterwards
    int32_t missed, missed_a, missed_b;
} pair_scan;

// The points of a manifold as contacts, by feature. false: no room.
static bool add_manifold(pair_scan *scan, const det_body_pair *pair, uint64_t shapes,
                         det_manifold *manifold) {
    for (int32_t k = 1; k < manifold->count; k++) {
        det_manifold_point moving = manifold->point[k];
        int32_t l = k;
        for (; l > 0 && manifold->point[l - 1].feature > moving.feature; l--) {
            manifold->point[l] = manifold->point[l - 1];
        }
        manifold->point[l] = moving;
    }
    if (scan->room - scan->count < manifold->count) {
        return false;
    }
    for (int32_t k = 0; k < manifold->count; k++) {
        det_contact *contact = &scan->contact[scan->count++];
        contact->key =
            (model_contact_key){pair->b, pair->a, shapes << 32 | manifold->point[k].feature};
        contact->gap = manifold->point[k].gap;
        memcpy(contact->point, manifold->point[k].point, sizeof contact->point);
        memcpy(contact->normal, manifold->point[k].normal, sizeof contact->normal);
    }
    return true;
}

// Whether a sphere comes within the distance of a plane or line.
static bool near_plane(const double center[3], double radius, const placed_shape *plane,
                       double distance) {
    double apart[3];
    math_sub3(center, plane->placed.position, apart);
    return math_dot3(plane->normal, apart) - plane->placed.shape->offset <= radius + distance;
}

// Whether the bounding spheres of two shapes come within the distance.
static bool shapes_near(const placed_shape *a, const placed_shape *b, double distance) {
    double bound_a = a->placed.shape->bound, bound_b = b->placed.shape->bound;
    if (isinf(bound_a) || isinf(bound_b)) {
        return isinf(bound_b) ? near_plane(a->middle, bound_a, b, distance)
                              : near_plane(b->middle, bound_b, a, distance);
    }
    double apart[3], reach = bound_a + bound_b + distance;
    math_sub3(a->middle, b->middle, apart);
    return math_dot3(apart, apart) <= reach * reach;
}

// How far an unbounded body that turns comes to the other one in a step: the farther away, the
// faster.
static double sweep_reach(const det_detector *d, int32_t unbounded, int32_t other) {
    double apart[3];
    if (isinf(d->bounding[other].radius)) {
        return 0.0;
    }
    math_sub3(d->bounding[unbounded].center, d->bounding[other].center, apart);
    return d->body[unbounded].spin * (math_norm3(apart) + d->model->body[other].bound);
}

static inline bool sweeps(const det_detector *d, int32_t body) {
    return d->body[body].spin != 0.0 && isinf(d->bounding[body].radius);
}

// Within which a pair is evaluated.
static double scan_distance(const pair_scan *scan, int32_t a, int32_t b) {
    const det_detector *d = scan->call->detector;
    double distance = scan->call->alert + d->body[a].reach + d->body[b].reach;
    distance += sweeps(d, a) ? sweep_reach(d, a, b) : 0.0;
    return distance + (sweeps(d, b) ? sweep_reach(d, b, a) : 0.0);
}

// The shapes of a body in the world; that of a round body is placed here.
static const placed_shape *shapes_of(const det_detector *d, int32_t body, placed_shape *own) {
    if (!(d->kind[body] & KIND_ROUND)) {
        return &d->here[d->shape[body]];
    }
    place_round(&d->model->shape[d->model->body[body].shape_first], d->bounding[body].center, own);
    return own;
}

// A round body against the walls of a body. false: no room.
static bool scan_round_by_walls(pair_scan *scan, const det_body_pair *pair) {
    const det_detector *d = scan->call->detector;
    bool candidate = d->kind[pair->b] & KIND_ROUND;
    int32_t round = candidate ? pair->b : pair->a, walls = candidate ? pair->a : pair->b;
    double distance = scan_distance(scan, pair->a, pair->b);
    int first = __builtin_ctz(d->kind[walls] & ~KIND_MASK);
    for (uint32_t near = d->kind[round] & d->kind[walls] & ~KIND_MASK; near; near &= near - 1) {
        int k = __builtin_ctz(near) - first;
        const placed_shape *plane = &d->here[d->shape[walls] + k];
        if (!near_plane(d->bounding[round].center, d->body[round].bound, plane, distance)) {
            continue;
        }
        det_manifold manifold;
        manifold.count = 0;
        det_sphere_plane_contact(d->bounding[round].center, d->body[round].radius, &plane->placed,
                                 distance, &manifold);
        if (!candidate) {
            det_manifold_flip(&manifold);
        }
        uint64_t shapes = (uint64_t)k << (candidate ? 0 : SHAPE_BITS);
        if (!add_manifold(scan, pair, shapes, &manifold)) {
            return false;
        }
    }
    return true;
}

// All shapes of b (the candidate) against all of a. false: no room.
static bool scan_shapes(pair_scan *scan, int64_t number) {
    const det_detector *d = scan->call->detector;
    const det_body_pair *pair = &d->near.pair[number];
    uint16_t none = 0,
             *parting = d->parting.data ? (uint16_t *)(void *)d->parting.data + number : &none;
    double distance = scan_distance(scan, pair->a, pair->b);
    placed_shape own[2];
    const placed_shape *antagonist = shapes_of(d, pair->a, &own[0]),
                       *candidate = shapes_of(d, pair->b, &own[1]);
    for (int32_t i = 0; i < d->model->body[pair->b].shape_count; i++) {
        for (int32_t j = 0; j < d->model->body[pair->a].shape_count; j++) {
            if (!shapes_near(&candidate[i], &antagonist[j], distance)) {
                continue;
            }
            uint64_t shapes = (uint64_t)i << SHAPE_BITS | (uint64_t)j;
            det_manifold manifold;
            manifold.parting = *parting;
            bool may_touch = det_narrow_again(d->model->dim, &candidate[i].placed,
                                              &antagonist[j].placed, distance, &manifold);
            *parting = (uint16_t)manifold.parting;
            if (may_touch && !add_manifold(scan, pair, shapes & SHAPES_MASK, &manifold)) {
                return false;
            }
        }
    }
    return true;
}

// ---- all pairs ----

static double deepest_overlap(const det_contact *contact, int64_t count) {
    double deepest = 0.0;
    for (int64_t k = 0; k < count; k++) {
        deepest = -contact[k].gap > deepest ? -contact[k].gap : deepest;
    }
    return deepest;
}

// Pairs, by their numbers from that of scan->next, without those that have no contacts though a
// body of them is free; returns how many are left. Their marks say so.
static int32_t leave_out(const pair_scan *scan, int32_t *which, int32_t count) {
    const det_detector *d = scan->call->detector;
    int32_t left = 0;
    for (int32_t k = 0; k < count; k++) {
        const det_body_pair *pair = &d->near.pair[scan->next + which[k]];
        uint8_t *mark = &d->near.mark[scan->next + which[k]];
        if (d->model->jointed_count > 0 && model_is_jointed(d->model, pair->a, pair->b)) {
            *mark = 0;
        } else if (d->resting && d->resting[pair->a] && d->resting[pair->b]) {
            *mark = 1; // as far as anyone will ask
        } else {
            which[left++] = which[k];
        }
    }
    return left;
}

// Whether a pair is a round body and walls, by the bits of both.
static inline bool is_by_walls(uint32_t kinds) {
    return (kinds & (KIND_ROUND | KIND_WALLS)) == (KIND_ROUND | KIND_WALLS);
}

// Contacts of a pair that is not of two round bodies; marks it when it has any. false: no room,
// nothing added.
static bool scan_pair(pair_scan *scan, int64_t number) {
    const det_detector *d = scan->call->detector;
    const det_body_pair *pair = &d->near.pair[number];
    uint8_t *mark = &d->near.mark[number];
    int64_t count = scan->count;
    if (!(is_by_walls(d->kind[pair->a] | d->kind[pair->b]) ? scan_round_by_walls(scan, pair)
                                                           : scan_shapes(scan, number))) {
        scan->count = count;
        return false;
    }
    if (!d->first && !*mark &&
        deepest_overlap(scan->contact + count, scan->count - count) >
            MISSED_SHARE * scan->call->alert) {
        scan->missed++;
        scan->missed_a = pair->a;
        scan->missed_b = pair->b;
    }
    *mark = scan->count > count;
    return true;
}

// Some pairs in a row, sorted: those of two round bodies, and the others that may have contacts, by
// their numbers from that of scan->next.
typedef struct sorted_pairs {
    int32_t rounds, others;
    int32_t round[SCAN_BLOCK], other[SCAN_BLOCK];
    int32_t before[SCAN_BLOCK]; // round pairs before each of the others
} sorted_pairs;

// Of pairs whose bounding spheres touch. Without branches that are hard to predict, since round
// bodies and walls come in any order.
static void sort_pairs(const pair_scan *scan, const int32_t *touching, int32_t count,
                       sorted_pairs *block) {
    const det_detector *d = scan->call->detector;
    const det_body_pair *pair = d->near.pair + scan->next;
    uint8_t *mark = d->near.mark + scan->next;
    const uint32_t *kind = d->kind;
    int32_t rounds = 0, others = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t own = touching[k];
        uint32_t a = kind[pair[own].a], b = kind[pair[own].b], both = a & b, any = a | b;
        uint32_t fixed = !(any & KIND_FREE), both_round = both & KIND_ROUND & ~fixed,
                 far = fixed | (is_by_walls(any) & !(both & ~KIND_MASK));
        block->round[rounds] = block->other[others] = own;
        block->before[others] = rounds;
        rounds += (int32_t)both_round;
        others += (int32_t)(1 ^ (both_round | far));
        mark[own] = (uint8_t)(mark[own] & (far - 1));
    }
    block->rounds = rounds;
    block->others = others;
}

// Contacts of pairs of round bodies. false: no room, nothing added.
static bool scan_round_pairs(pair_scan *scan, const int32_t *which, int32_t count) {
    const detect_call *call = scan->call;
    const det_detector *d = call->detector;
    if (count == 0) {
        return true;
    }
    if (scan->room - scan->count < count) {
        return false;
    }
    bool solid = d->model->dim == 3;
    const det_round_scan round = {d->bounding,
                                  d->body,
                                  call->alert,
                                  {0.0, solid ? 0.0 : 1.0, solid ? 1.0 : 0.0},
                                  d->first ? HUGE_VAL : MISSED_SHARE * call->alert};
    det_missed missed = {scan->missed, scan->missed_a, scan->missed_b};
    scan->count +=
        d->kernel->contacts(&round, d->near.pair + scan->next, which, count,
                            d->near.mark + scan->next, scan->contact + scan->count, &missed);
    scan->missed = missed.count;
    scan->missed_a = missed.a;
    scan->missed_b = missed.b;
    return true;
}

// Contacts of a block, in the order of the pairs. Returns the number of the first pair that there
// was no room for, SCAN_BLOCK when all had room.
static int32_t scan_sorted(pair_scan *scan, const sorted_pairs *block) {
    int32_t from = 0;
    for (int32_t k = 0; k < block->others; k++) {
        int32_t end = block->before[k];
        if (!scan_round_pairs(scan, block->round + from, end - from)) {
            return block->round[from];
        }
        if (!scan_pair(scan, scan->next + block->other[k])) {
            return block->other[k];
        }
        from = end;
    }
    return scan_round_pairs(scan, block->round + from, block->rounds - from) ? SCAN_BLOCK
                                                                             : block->round[from];
}

// As many pairs as there is room for.
static void scan_pairs(pair_scan *scan) {
    const det_detector *d = scan->call->detector;
    int32_t touching[SCAN_BLOCK];
    sorted_pairs block;
    // One that is cancelled ends without the rest; det_detect says so.
    while (scan->next < scan->end) {
        if (base_is_cancelled(&d->env)) {
            scan->next = scan->end;
            return;
        }
        int64_t left = scan->end - scan->next;
        int32_t count = left < SCAN_BLOCK ? (int32_t)left : SCAN_BLOCK;
        int32_t found = d->kernel->touch(d->bounding, d->near.pair + scan->next, count,
                                         d->near.mark + scan->next, touching);
        if (d->resting || d->model->jointed_count > 0) {
            found = leave_out(scan, touching, found);
        }
        sort_pairs(scan, touching, found, &block);
        int32_t done = scan_sorted(scan, &block);
        scan->next += done < count ? done : count;
        if (done < count) {
            return;
        }
    }
}

static void scan_unit(void *user, int32_t unit) {
    scan_pairs((pair_scan *)user + unit);
}

static void add_missed(const pair_scan *scan, det_contact_list *out) {
    if (scan->missed > 0) {
        out->missed += scan->missed;
        out->missed_a = scan->missed_a;
        out->missed_b = scan->missed_b;
    }
}

// The rest of the pairs of a scan straight into the list, which grows as needed.
static bool scan_rest(det_detector *d, pair_scan scan, det_contact_list *out) {
    for (size_t more = SCAN_BLOCK; scan.next < scan.end; more *= 2) {
        if (!base_buffer_reserve(&d->contacts, more * sizeof(det_contact))) {
            return false;
        }
        scan.contact = (void *)(d->contacts.data + d->contacts.size);
        scan.room = (int64_t)((d->contacts.capacity - d->contacts.size) / sizeof(det_contact));
        scan.count = scan.missed = 0;
        scan_pairs(&scan);
        d->contacts.size += sizeof(det_contact) * (size_t)scan.count;
        add_missed(&scan, out);
    }
    return true;
}

static void copy_unit(void *user, int32_t unit) {
    const pair_scan *scan = (const pair_scan *)user + unit;
    memcpy(scan->to, scan->contact, sizeof *scan->to * (size_t)scan->count);
}

// Units of pairs at once, each into room of its own, put together in their order.
static bool scan_units(det_detector *d, pair_scan *scan, int32_t units, det_contact_list *out) {
    base_buffer *contacts = &d->contacts;
    base_parallel_for(&d->env, units, scan_unit, scan);
    int32_t whole = 0; // units that had room enough
    size_t size = contacts->size;
    while (whole < units && scan[whole].next == scan[whole].end) {
        size += sizeof(det_contact) * (size_t)scan[whole++].count;
    }
    if (!base_buffer_reserve(contacts, size - contacts->size)) {
        return false;
    }
    for (int32_t i = 0; i < whole; i++) {
        scan[i].to = (void *)(contacts->data + contacts->size);
        contacts->size += sizeof(det_contact) * (size_t)scan[i].count;
        add_missed(&scan[i], out);
    }
    base_parallel_for(&d->env, whole, copy_unit, scan);
    for (int32_t i = whole; i < units; i++) {
        size_t bytes = sizeof(det_contact) * (size_t)scan[i].count;
        if (!base_buffer_append(contacts, scan[i].contact, bytes)) {
            return false;
        }
        add_missed(&scan[i], out);
        if (!scan_rest(d, scan[i], out)) {
            return false;
        }
    }
    return true;
}

static bool scan_all(const detect_call *call, det_contact_list *out) {
    det_detector *d = call->detector;
    int64_t pairs = d->near.count;
    d->contacts.size = 0;
    if (pairs <= SCAN_PAIRS || base_thread_count(&d->env) == 1) { // the same, without copies
        return scan_rest(d, (pair_scan){.call = call, .end = pairs}, out);
    }
    pair_scan scan[SCAN_UNITS];
    det_contact *room = BASE_TAKE(d->scratch, det_contact, SCAN_UNITS * SCAN_CONTACTS);
    bool done = room != NULL;
    for (int64_t next = 0; done && next < pairs;) {
        int32_t units = 0;
        for (; units < SCAN_UNITS && next < pairs; units++) {
            int64_t end = pairs - next < SCAN_PAIRS ? pairs : next + SCAN_PAIRS;
            scan[units] = (pair_scan){.call = call,
                                      .next = next,
                                      .end = end,
                                      .contact = room + SCAN_CONTACTS * (int64_t)units,
                                      .room = SCAN_CONTACTS};
            next = end;
        }
        done = scan_units(d, scan, units, out);
    }
    return done;
}

// Room for the parting faces of the pairs, where bodies that are not round move. They are not
// moved when the pairs are listed anew: a wrong one costs an evaluation and changes nothing.
static bool reserve_parting(det_detector *d) {
    size_t before = d->parting.size, size = sizeof(uint16_t) * (size_t)d->near.count;
    if (d->model->only_spheres || before >= size) {
        return true;
    }
    bool done = base_buffer_reserve(&d->parting, size - before);
    if (done) {
        memset(d->parting.data + before, 0, size - before);
        d->parting.size = size;
    }
    return done;
}

// Places everything and finds the pairs of bodies near each other. CN_ERR_UNSUPPORTED: too many of
// them, some are listed.
static cn_status find_near(const detect_call *call, cn_error *error) {
    det_detector *d = call->detector;
    int32_t bodies = d->model->body_count;
    base_parallel_ranges(&d->env, bodies, place_bodies, (void *)call);
    if (d->walls > 0) {
        base_parallel_ranges(&d->env, bodies, mark_near_walls, (void *)call);
    }
    cn_status status = det_broad_near(d->broad, &d->env, bodies, d->bounding, d->scratch, &d->near);
    if (status == CN_ERR_CANCELLED) {
        return base_fail_cancelled(error);
    }
    if (status == CN_ERR_MEMORY || !reserve_parting(d)) {
        return base_fail_memory(error);
    }
    if (status == CN_ERR_UNSUPPORTED) {
        base_fail(error, status, "more than %d pairs of bodies among %d near one another",
                  DET_GRID_PAIRS_MAX, bodies < DET_GRID_UNIT ? bodies : DET_GRID_UNIT);
        base_fail_hint(error, "bodies at the same place, a step in which they move by many times "
                              "their size (time.step), or a large detection.alert");
    }
    return status;
}

cn_status det_detect_overlap(det_detector *detector, const double *q, const double *v, double h,
                             double accepted, det_contact *out, bool *found, cn_error *error) {
    det_detector *d = detector;
    detect_call call = {d, q, v, h, d->model->settings.alert};
    base_arena_mark mark = base_arena_get_mark(d->scratch);
    cn_status near = find_near(&call, error);
    base_arena_release(d->scratch, mark);
    *found = false;
    if (near == CN_ERR_MEMORY || near == CN_ERR_CANCELLED) {
        return near;
    }
    // A part of the pairs at a time; a part larger than the room, such as one of large compounds,
    // gets more.
    pair_scan scan = {.call = &call, .end = d->near.count};
    for (size_t room = SCAN_CONTACTS; scan.next < scan.end;) {
        d->contacts.size = 0;
        if (!base_buffer_reserve(&d->contacts, room * sizeof(det_contact))) {
            return base_fail_memory(error);
        }
        scan.contact = (void *)d->contacts.data;
        scan.room = (int64_t)room;
        scan.count = 0;
        scan_pairs(&scan);
        for (int64_t k = 0; k < scan.count; k++) {
            if (scan.contact[k].gap < -accepted) {
                *out = scan.contact[k];
                *found = true;
                return CN_OK;
            }
        }
        room = scan.count == 0 ? 2 * room : room;
    }
    d->first = near != CN_OK;
    return near == CN_OK ? base_poll_status(&d->env, error) : near;
}

cn_status det_detect(det_detector *detector, const double *q, const double *v, double h,
                     det_contact_list *out, cn_error *error) {
    det_detector *d = detector;
    detect_call call = {d, q, v, h, d->model->settings.alert};
    *out = (det_contact_list){.alert = call.alert};
    base_arena_mark mark = base_arena_get_mark(d->scratch);
    cn_status status = find_near(&call, error);
    if (status == CN_OK && !scan_all(&call, out)) {
        status = base_fail_memory(error);
    }
    base_arena_release(d->scratch, mark);
    if (base_is_cancelled(&d->env)) {
        return base_fail_cancelled(error);
    }
    CN_TRY(status);
    int64_t count = (int64_t)(d->contacts.size / sizeof(det_contact));
    if (count > INT32_MAX) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "more than %d contacts", INT32_MAX);
    }
    out->count = (int32_t)count;
    out->contact = (void *)d->contacts.data;
    d->first = false;
    return CN_OK;
}
