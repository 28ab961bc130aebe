// Contacts of balls with balls and walls, found many at a time, are those of the narrow phase pair
// by pair: the same ones in the same order, to the last bit.
#include "check.h"

#include "base/rng.h"
#include "detect/detect.h"
#include "detect/narrow/narrow.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

#define ALERT 0.01
#define STEP 0.02

// A packing of balls at random, a few of them fixed or in the place of another, between walls.
typedef struct packing {
    cn_model *model;
    int32_t dim, bodies;
    double *q, *v;
    bool *resting; // NULL: none
} packing;

static void add_body(packing *p, const cn_shape_def *shapes, int32_t count, bool fixed,
                     const double x[3]) {
    cn_body_def def = cn_body_def_default();
    cn_body_id id;
    def.shapes = shapes;
    def.shape_count = count;
    def.fixed = fixed;
    memcpy(def.position, x, sizeof def.position);
    CN_CHECK_TRUE(cn_model_add_body(p->model, &def, &id, NULL) == CN_OK);
    p->bodies++;
}

// A floor and a wall as one body, or single planes, whose places are off the origin.
static void add_walls(packing *p, int32_t count, double side) {
    cn_shape_def wall[2];
    const double x[3] = {0.1, -0.2, 0.0};
    for (int k = 0; k < 2; k++) {
        wall[k] = cn_shape_def_default(p->dim == 3 ? CN_SHAPE_PLANE : CN_SHAPE_LINE);
        wall[k].normal[0] = k == 1 ? 1.0 : 0.0;
        wall[k].normal[p->dim - 1] = k == 1 ? 0.2 : 1.0;
        wall[k].offset = k == 1 ? -0.1 - side : side;
    }
    add_body(p, wall, count, true, x);
}

static packing random_packing(int32_t dim, int32_t spheres, int32_t walls, uint64_t seed) {
    packing p = {.model = cn_model_create(NULL, dim), .dim = dim};
    base_rng rng = base_rng_seed(seed);
    int32_t material, pose = model_pose_size(dim), size = model_velocity_size(dim);
    double side = 0.5 * pow(spheres, 1.0 / dim), x[3] = {0.0, 0.0, 0.0};
    cn_model_add_material(p.model, &(cn_material_def){.name = "stone", .density = 1000.0},
                          &material, NULL);
    cn_model_settings(p.model)->alert = ALERT;
    for (int32_t i = 0; i < walls; i++) {
        add_walls(&p, 2, 0.01 * i);
    }
    for (int32_t i = 0; i < spheres; i++) {
        cn_shape_def sphere = cn_shape_def_default(dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK);
        sphere.radius = base_rng_uniform(&rng, 0.2, 0.35);
        for (int32_t k = 0; k < dim && i % 50 != 49; k++) {
            x[k] = base_rng_uniform(&rng, 0.0, side);
        }
        add_body(&p, &sphere, 1, i % 11 == 10, x);
    }
    add_walls(&p, 1, 0.1); // after the balls: here it is the candidate
    CN_CHECK_TRUE(cn_model_finish(p.model, NULL) == CN_OK);
    p.q = calloc((size_t)p.bodies, sizeof *p.q * (size_t)pose);
    p.v = calloc((size_t)p.bodies, sizeof *p.v * (size_t)size);
    memcpy(p.q, p.model->q0, sizeof *p.q * (size_t)pose * (size_t)p.bodies);
    for (int32_t i = size; i < (p.bodies - 1) * size; i++) {
        p.v[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    return p;
}

static void close_packing(packing *p) {
    cn_model_destroy(p->model);
    free(p->resting);
    free(p->q);
    free(p->v);
}

static double length(const double *x, int32_t count) {
    double sum = 0.0;
    for (int32_t k = 0; k < count; k++) {
        sum += x[k] * x[k];
    }
    return sqrt(sum);
}

static double turned(const packing *p, int32_t i) {
    int32_t size = model_velocity_size(p->dim);
    return STEP * length(p->v + size * i + p->dim, size - p->dim);
}

static double reach(const packing *p, int32_t i) {
    double bound = p->model->body[i].bound;
    return STEP * length(p->v + model_velocity_size(p->dim) * i, p->dim) +
           (isinf(bound) ? 0.0 : turned(p, i) * bound);
}

static void place(const packing *p, int32_t i, int32_t k, det_placed *out) {
    const double *q = p->q + model_pose_size(p->dim) * i;
    *out = (det_placed){.shape = &p->model->shape[p->model->body[i].shape_first + k]};
    memcpy(out->position, q, sizeof *q * (size_t)p->dim);
    if (p->dim == 3) {
        math_quat_matrix(q + 3, out->R);
    } else {
        math_angle_matrix(q[2], out->R);
    }
}

// What a wall that turns comes to a ball.
static double sweep(const packing *p, int32_t wall, int32_t sphere, const double apart[3]) {
    bool sweeps = isinf(p->model->body[wall].bound) && turned(p, wall) != 0.0;
    return sweeps ? turned(p, wall) * (math_norm3(apart) + p->model->body[sphere].bound) : 0.0;
}

// The contacts of a pair at the end of the list.
static int32_t look_at_pair(const packing *p, int32_t a, int32_t b, det_contact *out) {
    const model_body *body = p->model->body;
    int32_t found = 0;
    det_placed own, other;
    det_manifold manifold;
    double apart[3];
    for (int32_t i = 0; i < body[b].shape_count; i++) {
        for (int32_t j = 0; j < body[a].shape_count; j++) {
            place(p, b, i, &own);
            place(p, a, j, &other);
            math_sub3(other.position, own.position, apart);
            double distance =
                ALERT + reach(p, a) + reach(p, b) + sweep(p, a, b, apart) + sweep(p, b, a, apart);
            if (!det_narrow(p->dim, &own, &other, distance, &manifold) || manifold.count == 0) {
                continue;
            }
            det_contact *contact = &out[found++];
            contact->key = (model_contact_key){b, a, (uint64_t)(i << 16 | j) << 32};
            contact->gap = manifold.point[0].gap;
            memcpy(contact->point, manifold.point[0].point, sizeof contact->point);
            memcpy(contact->normal, manifold.point[0].normal, sizeof contact->normal);
        }
    }
    return found;
}

// All pairs, one by one.
static int32_t expected_contacts(const packing *p, det_contact *out) {
    const model_body *body = p->model->body;
    int32_t found = 0;
    for (int32_t b = 0; b < p->bodies; b++) {
        for (int32_t a = 0; a < b; a++) {
            bool rest = p->resting && p->resting[a] && p->resting[b];
            if (!rest && (body[a].role == MODEL_BODY_FREE || body[b].role == MODEL_BODY_FREE)) {
                found += look_at_pair(p, a, b, out + found);
            }
        }
    }
    return found;
}

// For any number of threads, and again when everything has moved.
static void check_packing(packing *p) {
    det_contact *expected = malloc(sizeof *expected * 40 * (size_t)p->bodies);
    for (int32_t threads = 1; threads <= 4; threads++) {
        cn_env env = cn_env_default();
        env.threads = cn_threads_create(threads);
        det_detector *detector = det_detector_create(p->model, &env, NULL);
        det_detector_rest(detector, p->resting);
        for (int call = 0; call < 3; call++) {
            det_contact_list list;
            int32_t count = expected_contacts(p, expected);
            CN_CHECK_TRUE(det_detect(detector, p->q, p->v, STEP, &list, NULL) == CN_OK);
            CN_CHECK_BELOW(p->bodies, count);
            assert_int_equal(list.count, count);
            assert_memory_equal(list.contact, expected, sizeof *expected * (size_t)count);
            for (int32_t i = 1; i + 1 < p->bodies; i++) {
                for (int32_t k = 0; k < p->dim; k++) {
                    p->q[model_pose_size(p->dim) * i + k] +=
                        STEP * p->v[model_velocity_size(p->dim) * i + k];
                }
            }
        }
        det_detector_destroy(detector);
        cn_threads_destroy(env.threads);
    }
    free(expected);
}

CN_TEST(contacts_of_spheres_are_those_of_the_pairs) {
    packing p = random_packing(3, 700, 1, 1);
    check_packing(&p);
    close_packing(&p);
}

CN_TEST(contacts_of_disks_are_those_of_the_pairs) {
    packing p = random_packing(2, 700, 1, 2);
    check_packing(&p);
    close_packing(&p);
}

CN_TEST(walls_that_turn_see_spheres_from_farther) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        packing p = random_packing(dim, 300, 1, 3);
        p.v[model_velocity_size(dim) - 1] = 0.2;
        p.v[p.bodies * model_velocity_size(dim) - 1] = -0.1;
        check_packing(&p);
        close_packing(&p);
    }
}

CN_TEST(spheres_that_rest_are_left_out) {
    packing p = random_packing(3, 700, 1, 4);
    p.resting = calloc((size_t)p.bodies, sizeof *p.resting);
    for (int32_t i = 0; i < p.bodies; i++) {
        p.resting[i] = i % 3 == 0;
    }
    check_packing(&p);
    close_packing(&p);
}

// Those beyond are looked at like any shapes.
CN_TEST(more_walls_than_are_sorted_out_are_seen) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        packing p = random_packing(dim, 300, 20, 5);
        check_packing(&p);
        close_packing(&p);
    }
}
