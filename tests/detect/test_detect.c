// The detector: from bodies in places to sorted contacts with frames, and pairs that came too fast.
#include "check.h"
#include "failing_allocator.h"

#include "base/rng.h"
#include "detect/detect.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static cn_model *new_model(int32_t dim) {
    cn_model *model = cn_model_create(NULL, dim);
    int32_t material;
    cn_model_add_material(model, &(cn_material_def){.name = "stone", .density = 1000.0}, &material,
                          NULL);
    cn_model_settings(model)->alert = 0.01;
    return model;
}

static cn_shape_def sphere_def(int32_t dim, double radius) {
    cn_shape_def def = cn_shape_def_default(dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK);
    def.radius = radius;
    return def;
}

static cn_shape_def cube_def(double size) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_BOX);
    for (int i = 0; i < 3; i++) {
        def.size[i] = size;
    }
    return def;
}

static cn_shape_def floor_def(int32_t dim) {
    cn_shape_def def = cn_shape_def_default(dim == 3 ? CN_SHAPE_PLANE : CN_SHAPE_LINE);
    def.normal[dim - 1] = 1.0;
    return def;
}

static void add(cn_model *model, const cn_shape_def *shapes, int32_t count, bool fixed, double x,
                double y, double z) {
    cn_body_def def = cn_body_def_default();
    cn_error error;
    cn_body_id id;
    def.shapes = shapes;
    def.shape_count = count;
    def.fixed = fixed;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    if (cn_model_add_body(model, &def, &id, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
}

static det_detector *detector_of(cn_model *model) {
    cn_error error;
    if (cn_model_finish(model, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    det_detector *detector = det_detector_create(model, NULL, NULL);
    CN_CHECK_TRUE(detector != NULL);
    return detector;
}

// At the start, with velocities v (NULL: those of the start).
static det_contact_list detect(det_detector *detector, const cn_model *model, const double *q,
                               const double *v, double h) {
    det_contact_list list;
    cn_error error;
    if (det_detect(detector, q ? q : model->q0, v ? v : model->v0, h, &list, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return list;
}

static bool key_before(const model_contact_key *a, const model_contact_key *b) {
    if (a->candidate != b->candidate) {
        return a->candidate < b->candidate;
    }
    return a->antagonist != b->antagonist ? a->antagonist < b->antagonist : a->feature < b->feature;
}

// Keys ascend without repeating; the candidate has the larger index; axes are right-handed and
// orthonormal.
static void check_list(const det_contact_list *list, int32_t dim) {
    for (int32_t k = 0; k < list->count; k++) {
        const det_contact *c = &list->contact[k];
        double across[3], axes[9];
        CN_CHECK_TRUE(c->key.candidate > c->key.antagonist);
        CN_CHECK_TRUE(k == 0 || key_before(&list->contact[k - 1].key, &c->key));
        math_contact_axes(dim, c->normal, axes);
        for (int i = 0; i < 3; i++) {
            CN_CHECK_NEAR(math_norm3(axes + 3 * i), 1.0, 1e-14);
        }
        math_cross3(axes + 3, axes + 6, across);
        for (int i = 0; i < 3; i++) {
            CN_CHECK_NEAR(across[i], c->normal[i], 1e-14);
        }
        if (dim == 2) {
            CN_CHECK_NEAR(axes[3], -c->normal[1], 0.0);
            CN_CHECK_NEAR(axes[4], c->normal[0], 0.0);
        }
    }
}

CN_TEST(contacts_are_sorted_and_framed) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_model *model = new_model(dim);
        cn_shape_def floor = floor_def(dim), sphere = sphere_def(dim, 0.5), cube = cube_def(1.0);
        base_rng rng = base_rng_seed(1);
        add(model, &floor, 1, true, 0, 0, 0);
        for (int i = 0; i < 60; i++) {
            add(model, i % 2 ? &sphere : &cube, 1, false, base_rng_uniform(&rng, 0, 3),
                base_rng_uniform(&rng, 0, 3), base_rng_uniform(&rng, 0, 3));
        }
        det_detector *detector = detector_of(model);
        det_contact_list list = detect(detector, model, NULL, NULL, 0.0);
        CN_CHECK_TRUE(list.count > 60);
        check_list(&list, dim);
        CN_CHECK_NEAR(list.alert, 0.01, 0.0);
        // The same again, from the detector's second use.
        int32_t count = list.count;
        det_contact first = list.contact[0];
        list = detect(detector, model, NULL, NULL, 0.0);
        assert_int_equal(list.count, count);
        assert_memory_equal(&list.contact[0], &first, sizeof first);
        det_detector_destroy(detector);
        cn_model_destroy(model);
    }
}

// The normal points from the antagonist, the earlier body, to the candidate.
CN_TEST(the_later_body_is_the_candidate) {
    for (int up = 0; up < 2; up++) {
        cn_model *model = new_model(3);
        cn_shape_def floor = floor_def(3), sphere = sphere_def(3, 0.5);
        if (up) {
            add(model, &floor, 1, true, 0, 0, 0);
        }
        add(model, &sphere, 1, false, 0, 0, 0.5);
        if (!up) {
            add(model, &floor, 1, true, 0, 0, 0);
        }
        det_detector *detector = detector_of(model);
        det_contact_list list = detect(detector, model, NULL, NULL, 0.0);
        assert_int_equal(list.count, 1);
        CN_CHECK_NEAR(list.contact[0].normal[2], up ? 1.0 : -1.0, 0.0);
        CN_CHECK_NEAR(list.contact[0].gap, 0.0, 1e-15);
        det_detector_destroy(detector);
        cn_model_destroy(model);
    }
}

CN_TEST(bodies_that_cannot_move_do_not_meet) {
    cn_model *model = new_model(3);
    cn_shape_def floor = floor_def(3), cube = cube_def(1.0);
    add(model, &floor, 1, true, 0, 0, 0);
    add(model, &cube, 1, true, 0, 0, 0.2);
    add(model, &cube, 1, false, 0.5, 0, 0.2); // driven, below
    add(model, &cube, 1, false, 5, 0, 0.5);
    cn_error error;
    CN_CHECK_TRUE(cn_model_add_motion(model, &(cn_motion_def){.body = 3}, &error) == CN_OK);
    det_detector *detector = detector_of(model);
    det_contact_list list = detect(detector, model, NULL, NULL, 0.0);
    assert_int_equal(list.count, 4);
    for (int32_t k = 0; k < 4; k++) {
        CN_CHECK_TRUE(list.contact[k].key.candidate == 3 && list.contact[k].key.antagonist == 0);
    }
    det_detector_destroy(detector);
    cn_model_destroy(model);
}

// A table of four legs: each leg its own contacts, none between the shapes of one body.
CN_TEST(every_shape_of_a_body_counts) {
    cn_model *model = new_model(3);
    cn_shape_def floor = floor_def(3), legs[5];
    for (int i = 0; i < 4; i++) {
        legs[i] = sphere_def(3, 0.1);
        legs[i].position[0] = i & 1 ? 1 : -1;
        legs[i].position[1] = i & 2 ? 1 : -1;
    }
    legs[4] = cn_shape_def_default(CN_SHAPE_BOX);
    legs[4].size[0] = legs[4].size[1] = 2.2;
    legs[4].size[2] = 0.1;
    legs[4].position[2] = 0.1;
    add(model, &floor, 1, true, 0, 0, 0);
    add(model, legs, 5, false, 0, 0, 0.1);
    det_detector *detector = detector_of(model);
    det_contact_list list = detect(detector, model, NULL, NULL, 0.0);
    check_list(&list, 3);
    assert_int_equal(list.count, 4);
    for (int32_t k = 0; k < 4; k++) {
        CN_CHECK_NEAR(fabs(list.contact[k].point[0]), 1.0, 1e-15);
        CN_CHECK_NEAR(list.contact[k].gap, 0.0, 1e-15);
    }
    det_detector_destroy(detector);
    cn_model_destroy(model);
}

// Two balls 0.05 apart: beyond the alert distance of 0.01 unless they can close that in a step.
CN_TEST(the_alert_distance_grows_with_speed) {
    cn_model *model = new_model(3);
    cn_shape_def sphere = sphere_def(3, 0.5);
    add(model, &sphere, 1, false, 0, 0, 0);
    add(model, &sphere, 1, false, 1.05, 0, 0);
    det_detector *detector = detector_of(model);
    double v[12] = {0.0};
    assert_int_equal(detect(detector, model, NULL, v, 0.01).count, 0);
    v[0] = 3.9; // 0.039 in a step
    assert_int_equal(detect(detector, model, NULL, v, 0.01).count, 0);
    v[0] = 4.1;
    assert_int_equal(detect(detector, model, NULL, v, 0.01).count, 1);
    v[0] = 2.1;
    v[6] = -2.1;
    assert_int_equal(detect(detector, model, NULL, v, 0.01).count, 1);
    // Spin moves the surface by as much as the body's reach.
    v[0] = v[6] = 0.0;
    v[5] = 8.5;
    assert_int_equal(detect(detector, model, NULL, v, 0.01).count, 1);
    det_detector_destroy(detector);
    cn_model_destroy(model);
}

// A plane that turns comes fast to what is far from its axis.
CN_TEST(a_turning_plane_sees_far_bodies_come) {
    cn_model *model = new_model(3);
    cn_shape_def floor = floor_def(3), sphere = sphere_def(3, 0.5);
    add(model, &floor, 1, false, 0, 0, 0);
    add(model, &sphere, 1, false, 10, 0, 0.6);
    cn_error error;
    cn_motion_def motion = {.body = 1};
    motion.angular[1].constant = -1.0;
    CN_CHECK_TRUE(cn_model_add_motion(model, &motion, &error) == CN_OK);
    det_detector *detector = detector_of(model);
    const double v[12] = {0, 0, 0, 0, -1.0, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(detect(detector, model, NULL, v, 0.005).count, 0);
    assert_int_equal(detect(detector, model, NULL, v, 0.01).count, 1);
    det_detector_destroy(detector);
    cn_model_destroy(model);
}

CN_TEST(a_pair_that_comes_unseen_is_reported) {
    cn_model *model = new_model(3);
    cn_shape_def sphere = sphere_def(3, 0.5);
    add(model, &sphere, 1, false, 0, 0, 0);
    add(model, &sphere, 1, false, 5, 0, 0);
    add(model, &sphere, 1, false, 0, 3, 0);
    det_detector *detector = detector_of(model);
    double q[21];
    memcpy(q, model->q0, sizeof q);
    assert_int_equal(detect(detector, model, q, NULL, 0.01).missed, 0);
    // Jumps into the other at no speed that was told.
    q[7] = 0.9;
    det_contact_list list = detect(detector, model, q, NULL, 0.01);
    assert_int_equal(list.missed, 1);
    assert_int_equal(list.missed_a, 0);
    assert_int_equal(list.missed_b, 1);
    assert_int_equal(list.count, 1);
    // Known from now on, however deep.
    q[7] = 0.5;
    assert_int_equal(detect(detector, model, q, NULL, 0.01).missed, 0);
    // Coming through the alert distance it is seen.
    q[15] = 1.009;
    assert_int_equal(detect(detector, model, q, NULL, 0.01).missed, 0);
    q[15] = 0.95;
    assert_int_equal(detect(detector, model, q, NULL, 0.01).missed, 0);
    // After a reset nothing is known, so nothing is missed.
    q[7] = 5.0;
    detect(detector, model, q, NULL, 0.01);
    q[7] = 0.9;
    det_detector_reset(detector);
    assert_int_equal(detect(detector, model, q, NULL, 0.01).missed, 0);
    det_detector_destroy(detector);
    cn_model_destroy(model);
}

// Every pair of kinds through the detector, the plane and the ring as the other body.
CN_TEST(the_detector_asks_for_every_pair) {
    static const cn_shape_kind solid[2][6] = {
        {CN_SHAPE_DISK, CN_SHAPE_BOX, CN_SHAPE_ELLIPSE},
        {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER, CN_SHAPE_ELLIPSOID}};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < (dim == 2 ? 3 : 5); i++) {
            for (int j = 0; j < (dim == 2 ? 3 : 5); j++) {
                cn_model *model = new_model(dim);
                cn_shape_def a = cn_shape_def_default(solid[dim - 2][i]),
                             b = cn_shape_def_default(solid[dim - 2][j]), floor = floor_def(dim);
                a.radius = b.radius = 0.5;
                a.length = b.length = 1.0;
                for (int k = 0; k < 3; k++) {
                    a.size[k] = b.size[k] = 1.0;
                }
                add(model, &floor, 1, true, 0, 0, 0);
                add(model, &a, 1, false, 0, dim == 2 ? 0.5 : 0, 0.5);
                add(model, &b, 1, false, 1, dim == 2 ? 0.5 : 0, 0.5);
                det_detector *detector = detector_of(model);
                det_contact_list list = detect(detector, model, NULL, NULL, 0.0);
                check_list(&list, dim);
                int pairs = 0;
                for (int32_t k = 0; k < list.count; k++) {
                    pairs |= 1 << (list.contact[k].key.candidate + list.contact[k].key.antagonist);
                }
                assert_int_equal(pairs, 2 + 4 + 8);
                det_detector_destroy(detector);
                cn_model_destroy(model);
            }
        }
    }
}

// Plates of four tiles upon each other: sixteen points a pair and more, for which a thread has no
// room after a few hundred pairs, and balls that have one. The second call finds a plate where it
// was not before.
CN_TEST(contacts_are_the_same_for_any_number_of_threads) {
    enum { plates = 1300, spheres = 300 };
    cn_model *model = new_model(3);
    cn_shape_def tile[4], sphere = sphere_def(3, 0.5);
    for (int i = 0; i < 4; i++) {
        tile[i] = cube_def(1.0);
        tile[i].position[0] = i % 2;
        tile[i].position[1] = i / 2;
    }
    for (int i = 0; i < plates + spheres; i++) {
        bool plate = i < plates;
        add(model, plate ? tile : &sphere, plate ? 4 : 1, false, plate ? 0.0 : 5.0, 0.0, i);
    }
    det_detector *alone = detector_of(model);
    double *q = malloc(sizeof *q * 7 * (plates + spheres));
    for (int32_t threads = 2; threads <= 8; threads *= 2) {
        cn_env env = cn_env_default();
        env.threads = cn_threads_create(threads);
        det_detector *detector = det_detector_create(model, &env, NULL);
        memcpy(q, model->q0, sizeof *q * 7 * (plates + spheres));
        det_detector_reset(alone);
        for (int call = 0; call < 2; call++) {
            det_contact_list expected = detect(alone, model, q, NULL, 0.01),
                             found = detect(detector, model, q, NULL, 0.01);
            CN_CHECK_BELOW(16 * (plates - 1), expected.count);
            CN_CHECK_TRUE(found.count == expected.count && found.missed == expected.missed);
            CN_CHECK_TRUE((call == 1) == (found.missed > 0) && found.missed_b == expected.missed_b);
            CN_CHECK_TRUE(memcmp(found.contact, expected.contact,
                                 sizeof *found.contact * (size_t)found.count) == 0);
            q[7 * 900 + 2] -= 2.5;
        }
        det_detector_destroy(detector);
        cn_threads_destroy(env.threads);
    }
    free(q);
    det_detector_destroy(alone);
    cn_model_destroy(model);
}

CN_TEST(running_out_of_memory_is_an_error) {
    cn_model *model = new_model(3);
    cn_shape_def cube = cube_def(1.0);
    for (int i = 0; i < 40; i++) {
        add(model, &cube, 1, false, i % 4, i / 4, 0);
    }
    CN_CHECK_TRUE(cn_model_finish(model, NULL) == CN_OK);
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        det_detector *detector = det_detector_create(model, &env, NULL);
        det_contact_list list;
        cn_error error;
        cn_status status = detector
                               ? det_detect(detector, model->q0, model->v0, 0.01, &list, &error)
                               : CN_ERR_MEMORY;
        det_detector_destroy(detector);
        CN_CHECK_TRUE(memory.live == 0);
        CN_CHECK_TRUE(memory.failed ? status == CN_ERR_MEMORY : status == CN_OK);
        if (!memory.failed) {
            break;
        }
    }
    cn_model_destroy(model);
}
