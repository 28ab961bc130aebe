// The narrow phase in 2D: every pair of kinds, held to the proof of placed.h, and the manifolds of
// resting bodies.
#include "placed.h"

static const cn_shape_kind bounded[] = {CN_SHAPE_DISK, CN_SHAPE_BOX, CN_SHAPE_ELLIPSE,
                                        CN_SHAPE_POLYGON};
#define BOUNDED ((int)(sizeof bounded / sizeof bounded[0]))
#define ALLOWED 1e-8

CN_TEST(every_pair_that_can_meet_is_there) {
    for (int a = 0; a < CN_SHAPE_KINDS; a++) {
        for (int b = 0; b < CN_SHAPE_KINDS; b++) {
            bool solid_a = false, solid_b = false;
            for (int i = 0; i < BOUNDED; i++) {
                solid_a = solid_a || bounded[i] == (cn_shape_kind)a;
                solid_b = solid_b || bounded[i] == (cn_shape_kind)b;
            }
            bool open_a = a == CN_SHAPE_LINE || a == CN_SHAPE_RING,
                 open_b = b == CN_SHAPE_LINE || b == CN_SHAPE_RING;
            bool meet = (solid_a && (solid_b || open_b)) || (open_a && solid_b);
            CN_CHECK_TRUE(det_narrow_supports(2, (cn_shape_kind)a, (cn_shape_kind)b) == meet);
        }
    }
}

static void check_pair(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b) {
    (void)places;
    double n[3], s = sampled_separation(a, b, 2, rng, n);
    det_manifold m;
    CN_CHECK_TRUE(det_narrow(2, a, b, 1.0, &m));
    CN_CHECK_TRUE(m.count > 0 && m.count <= 2);
    check_manifold(a, b, 1.0, &m, ALLOWED);
    CN_CHECK_BELOW(s, min_gap(&m, NULL) + ALLOWED);
    for (int32_t k = 0; k < m.count; k++) {
        CN_CHECK_NEAR(m.point[k].normal[2], 0.0, 0.0);
        CN_CHECK_NEAR(m.point[k].point[2], 0.0, 0.0);
    }
    det_narrow(2, a, b, min_gap(&m, NULL) - 1e-6, &m);
    assert_int_equal(m.count, 0);
}

// Far apart, nearly touching, just and deeply overlapping.
CN_TEST(gap_is_the_signed_distance) {
    for (uint64_t i = 0; i < GAP_RANGES; i++) {
        const pair_places places = {
            2, bounded, BOUNDED, 100, i + 1, gap_ranges[i].low, gap_ranges[i].high, NULL};
        each_pair(&places, check_pair);
    }
}

CN_TEST(thin_ellipses_are_held_to_the_same) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(5);
    for (int round = 0; round < 300; round++) {
        cn_shape_def def = cn_shape_def_default(CN_SHAPE_ELLIPSE);
        def.size[0] = 2.0;
        def.size[1] = round % 2 ? 0.02 : 0.2;
        geom_shape thin = build_shape(memory, &def, 2);
        def.size[1] = round % 3 ? 1.5 : 0.05;
        geom_shape other = build_shape(memory, &def, 2);
        det_placed a = place_at_random(&rng, 2, &thin), b = place_at_random(&rng, 2, &other);
        bring_together(&rng, 2, &a, &b, base_rng_uniform(&rng, -0.01, 0.1));
        double n[3], s = sampled_separation(&a, &b, 2, &rng, n);
        det_manifold m;
        det_narrow(2, &a, &b, 1.0, &m);
        assert_int_equal(m.count, 1);
        check_manifold(&a, &b, 1.0, &m, ALLOWED);
        CN_CHECK_BELOW(s, min_gap(&m, NULL) + ALLOWED);
    }
    cn_arena_destroy(memory);
}

CN_TEST(gap_over_a_line_is_the_lowest_height) {
    for (int i = 0; i < BOUNDED; i++) {
        check_heights(2, bounded[i], CN_SHAPE_LINE, 60 + (uint64_t)i);
    }
}

// ---- rings ----

// The room between a body and the ring about it: the ring's radius less the farthest of many
// points.
static double room_in_ring(const det_placed *a, const det_placed *b) {
    double center[3], farthest = 0.0;
    math_mat3_apply(b->R, b->shape->position, center);
    math_add_scaled3(center, 1.0, b->position, center);
    for (int i = 0; i < 4000; i++) {
        const double n[3] = {cos(2 * M_PI * i / 4000), sin(2 * M_PI * i / 4000), 0.0};
        farthest = fmax(farthest, height_along(a, n) - math_dot3(n, center));
    }
    return b->shape->radius - farthest;
}

CN_TEST(gap_in_a_ring_is_the_room_left) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(7);
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_RING);
    def.radius = 2.0;
    def.position[0] = 0.3;
    geom_shape ring = build_shape(memory, &def, 2);
    for (int i = 0; i < BOUNDED; i++) {
        for (int round = 0; round < 40; round++) {
            geom_shape shape = random_shape(memory, &rng, bounded[i], 2);
            det_placed a = place_at_random(&rng, 2, &shape), b = place_at_random(&rng, 2, &ring);
            det_manifold m;
            CN_CHECK_TRUE(det_narrow(2, &a, &b, 5.0, &m));
            check_manifold(&a, &b, 5.0, &m, 1e-12);
            CN_CHECK_NEAR(min_gap(&m, NULL), room_in_ring(&a, &b), 2e-6);
        }
    }
    cn_arena_destroy(memory);
}

CN_TEST(a_flat_ellipse_lies_in_a_ring_on_both_tips) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_RING);
    def.radius = 2.0;
    geom_shape ring = build_shape(memory, &def, 2);
    def = cn_shape_def_default(CN_SHAPE_ELLIPSE);
    def.size[0] = 2.0;
    def.size[1] = 0.4;
    geom_shape ellipse = build_shape(memory, &def, 2);
    det_placed b = place_at(&ring, 0, 0, 0), a = place_at(&ellipse, 0, 0, 0);
    for (double y = -1.8; y < -1.5; y += 0.01) {
        det_manifold m;
        a.position[1] = y;
        det_narrow(2, &a, &b, 1.0, &m);
        check_manifold(&a, &b, 1.0, &m, 1e-12);
        assert_int_equal(m.count, 2);
        CN_CHECK_NEAR(m.point[0].gap, m.point[1].gap, 1e-12);
        CN_CHECK_NEAR(m.point[0].point[0], -m.point[1].point[0], 1e-12);
        CN_CHECK_NEAR(m.point[0].gap, room_in_ring(&a, &b), 2e-6);
    }
    // Centred: the tips again; a circle there has any normal.
    a.position[1] = 0.0;
    det_manifold m;
    det_narrow(2, &a, &b, 2.0, &m);
    assert_int_equal(m.count, 2);
    CN_CHECK_NEAR(min_gap(&m, NULL), 1.0, 1e-15);
    def.size[1] = 2.0;
    geom_shape circle = build_shape(memory, &def, 2);
    a.shape = &circle;
    det_narrow(2, &a, &b, 2.0, &m);
    check_manifold(&a, &b, 2.0, &m, 1e-12);
    CN_CHECK_NEAR(min_gap(&m, NULL), 1.0, 1e-15);
    cn_arena_destroy(memory);
}

// ---- through contact, turned over, moved ----

static void check_continuous(const pair_places *places, base_rng *rng, det_placed *a,
                             det_placed *b) {
    (void)places;
    const int steps = 300;
    double way[3] = {0.0}, last = 0.0, spin = base_rng_uniform(rng, -0.5, 0.5) / steps;
    for (int k = 0; k < 2; k++) {
        double aside = base_rng_uniform(rng, -0.3, 0.3);
        way[k] = (b->position[k] - a->position[k] + aside) / steps;
    }
    double reach = a->shape->bound + math_norm3(a->shape->middle);
    double moved = math_norm3(way) + fabs(spin) * reach;
    for (int step = 0; step <= steps; step++) {
        det_manifold m;
        det_narrow(2, a, b, 3.0, &m);
        double gap = min_gap(&m, NULL);
        if (step > 0) {
            CN_CHECK_BELOW(fabs(gap - last), moved + 1e-8);
        }
        last = gap;
        math_add_scaled3(a->position, 1.0, way, a->position);
        turn_by(a, 0, 0, spin);
    }
}

CN_TEST(gap_is_continuous_through_contact) {
    const pair_places places = {2, bounded, BOUNDED, 10, 8, 0.3, 0.3, NULL};
    each_pair(&places, check_continuous);
}

static void check_swapped(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b) {
    (void)places;
    (void)rng;
    det_manifold m, swapped;
    det_narrow(2, a, b, 0.5, &m);
    det_narrow(2, b, a, 0.5, &swapped);
    check_same(&m, &swapped, -1.0, 1e-8);
}

CN_TEST(swapping_turns_the_normal_and_nothing_else) {
    const pair_places places = {2, bounded, BOUNDED, 30, 9, -0.1, 0.1, NULL};
    each_pair(&places, check_swapped);
}

// ---- resting ----

static geom_shape square(cn_arena *memory, double x, double y) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_BOX);
    def.size[0] = x;
    def.size[1] = y;
    return build_shape(memory, &def, 2);
}

CN_TEST(blocks_stand_on_the_two_ends_of_what_they_share) {
    cn_arena *memory = cn_arena_create(NULL);
    geom_shape brick = square(memory, 2, 1);
    for (int i = 0; i < 3; i++) {
        double shift = 0.5 * i;
        for (int tilt = -1; tilt <= 1; tilt++) {
            det_placed b = place_at(&brick, 0, 0, 0), a = place_at(&brick, shift, 1, 0);
            turn_by(&a, 0, 0, 1e-7 * tilt);
            det_manifold m;
            det_narrow(2, &a, &b, 0.01, &m);
            check_manifold(&a, &b, 0.01, &m, ALLOWED);
            assert_int_equal(m.count, 2);
            double left = fmin(m.point[0].point[0], m.point[1].point[0]),
                   right = fmax(m.point[0].point[0], m.point[1].point[0]);
            CN_CHECK_NEAR(left, shift - 1, 2e-7);
            CN_CHECK_NEAR(right, 1, 2e-7);
            CN_CHECK_NEAR(m.point[0].normal[1], 1.0, 1e-12);
        }
    }
    // Corner to corner, exactly: one point.
    det_placed b = place_at(&brick, 0, 0, 0), a = place_at(&brick, 2, 1, 0);
    det_manifold m;
    det_narrow(2, &a, &b, 0.01, &m);
    assert_int_equal(m.count, 1);
    CN_CHECK_NEAR(m.point[0].gap, 0.0, 1e-15);
    // Corner to corner, apart: the line between them.
    a = place_at(&brick, 2.3, 1.4, 0);
    det_narrow(2, &a, &b, 1, &m);
    assert_int_equal(m.count, 1);
    CN_CHECK_NEAR(m.point[0].gap, 0.5, 1e-15);
    CN_CHECK_NEAR(m.point[0].normal[0], 0.6, 1e-15);
    cn_arena_destroy(memory);
}

CN_TEST(features_stay_under_small_motions) {
    cn_arena *memory = cn_arena_create(NULL);
    geom_shape brick = square(memory, 2, 1);
    base_rng rng = base_rng_seed(10);
    det_placed b = place_at(&brick, 0, 0, 0), a = place_at(&brick, 0.7, 1, 0);
    det_manifold m, again;
    det_narrow(2, &a, &b, 0.01, &m);
    for (int round = 0; round < 50; round++) {
        det_placed moved = a;
        moved.position[0] += base_rng_uniform(&rng, -1e-6, 1e-6);
        moved.position[1] += base_rng_uniform(&rng, -1e-6, 1e-6);
        turn_by(&moved, 0, 0, base_rng_uniform(&rng, -1e-7, 1e-7));
        det_narrow(2, &moved, &b, 0.01, &again);
        assert_int_equal(again.count, 2);
        for (int k = 0; k < 2; k++) {
            int match = again.point[0].feature == m.point[k].feature ? 0 : 1;
            CN_CHECK_TRUE(again.point[match].feature == m.point[k].feature);
            CN_CHECK_NEAR(again.point[match].point[0], m.point[k].point[0], 1e-5);
        }
    }
    cn_arena_destroy(memory);
}

CN_TEST(coincident_bodies_give_finite_contacts) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_shape_def disk = cn_shape_def_default(CN_SHAPE_DISK),
                 ellipse = cn_shape_def_default(CN_SHAPE_ELLIPSE);
    disk.radius = 0.5;
    ellipse.size[0] = 1.0;
    ellipse.size[1] = 1.0;
    geom_shape shapes[4] = {build_shape(memory, &disk, 2), square(memory, 1, 1),
                            build_shape(memory, &ellipse, 2)};
    ellipse.size[0] = 2.0;
    shapes[3] = build_shape(memory, &ellipse, 2);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            det_placed a = place_at(&shapes[i], 0, 0, 0), b = place_at(&shapes[j], 0, 0, 0);
            det_manifold m;
            det_narrow(2, &a, &b, 0.01, &m);
            check_manifold(&a, &b, 0.01, &m, ALLOWED);
            CN_CHECK_TRUE(m.count > 0);
            CN_CHECK_NEAR(min_gap(&m, NULL), -1.0, 1e-12);
        }
    }
    cn_arena_destroy(memory);
}
