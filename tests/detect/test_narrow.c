// The narrow phase in 3D: every pair of kinds, in many places, held to a proof that its gap is the
// signed distance; then the manifolds that resting bodies need.
#include "placed.h"

static const cn_shape_kind bounded[] = {CN_SHAPE_SPHERE,   CN_SHAPE_BOX,       CN_SHAPE_CAPSULE,
                                        CN_SHAPE_CYLINDER, CN_SHAPE_ELLIPSOID, CN_SHAPE_POLYHEDRON};
#define BOUNDED ((int)(sizeof bounded / sizeof bounded[0]))

// Round-off of places and of what counts as on a plane, for bodies of size about one.
#define ALLOWED 2e-8

CN_TEST(every_pair_that_can_meet_is_there) {
    for (int a = 0; a < CN_SHAPE_KINDS; a++) {
        for (int b = 0; b < CN_SHAPE_KINDS; b++) {
            bool round_a = false, round_b = false;
            for (int i = 0; i < BOUNDED; i++) {
                round_a = round_a || bounded[i] == (cn_shape_kind)a;
                round_b = round_b || bounded[i] == (cn_shape_kind)b;
            }
            bool meet = (round_a && round_b) || (round_a && b == CN_SHAPE_PLANE) ||
                        (a == CN_SHAPE_PLANE && round_b);
            CN_CHECK_TRUE(det_narrow_supports(3, (cn_shape_kind)a, (cn_shape_kind)b) == meet);
        }
    }
}

// The gap is proved to be the distance where bodies are apart, and compared with sampled normals
// where they overlap. The range of gaps is in the name.
static void check_pair(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b) {
    (void)places;
    double n[3], s = sampled_separation(a, b, 3, rng, n);
    det_manifold m;
    CN_CHECK_TRUE(det_narrow(3, a, b, 1.0, &m));
    CN_CHECK_TRUE(m.count > 0);
    check_manifold(a, b, 1.0, &m, ALLOWED);
    CN_CHECK_BELOW(s, min_gap(&m, NULL) + 2e-4);
}

// Far apart, nearly touching, just and deeply overlapping.
CN_TEST(gap_is_the_signed_distance) {
    for (uint64_t i = 0; i < GAP_RANGES; i++) {
        const pair_places places = {
            3, bounded, BOUNDED, 6, i + 1, gap_ranges[i].low, gap_ranges[i].high, NULL};
        each_pair(&places, check_pair);
    }
}

CN_TEST(gap_over_a_plane_is_the_lowest_height) {
    for (int i = 0; i < BOUNDED; i++) {
        check_heights(3, bounded[i], CN_SHAPE_PLANE, 50 + (uint64_t)i);
    }
}

static void check_alert(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b) {
    (void)places;
    (void)rng;
    det_manifold m;
    det_narrow(3, a, b, 2.0, &m);
    double gap = min_gap(&m, NULL);
    det_narrow(3, a, b, gap - 1e-6, &m);
    assert_int_equal(m.count, 0);
    det_narrow(3, a, b, gap + 1e-6, &m);
    CN_CHECK_TRUE(m.count > 0);
}

CN_TEST(beyond_the_alert_distance_there_is_nothing) {
    const pair_places places = {3, bounded, BOUNDED, 10, 6, 0.05, 0.5, NULL};
    each_pair(&places, check_alert);
}

// ---- what is known from an earlier call ----

static void check_identical(const det_manifold *a, const det_manifold *b) {
    assert_int_equal(a->count, b->count);
    for (int32_t k = 0; k < a->count; k++) {
        const det_manifold_point *one = &a->point[k], *other = &b->point[k];
        CN_CHECK_TRUE(memcmp(one->point, other->point, sizeof one->point) == 0);
        CN_CHECK_TRUE(memcmp(one->normal, other->normal, sizeof one->normal) == 0);
        CN_CHECK_TRUE(memcmp(&one->gap, &other->gap, sizeof one->gap) == 0);
        assert_int_equal(one->feature, other->feature);
    }
}

// Whatever face is said to part them, also one that they do not have.
static void check_parting(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b) {
    (void)rng;
    det_manifold m, again;
    det_narrow(3, a, b, 0.1, &m);
    *(int *)places->user += m.parting > 0;
    CN_CHECK_TRUE(m.parting == 0 || m.count == 0);
    for (uint32_t face = 0; face < 24; face++) {
        again.parting = face;
        det_narrow_again(3, a, b, 0.1, &again);
        check_identical(&m, &again);
    }
    again.parting = m.parting;
    det_narrow_again(3, a, b, 0.1, &again);
    assert_int_equal(m.parting, again.parting);
}

CN_TEST(a_parting_face_changes_no_bit) {
    int parted = 0;
    const pair_places places = {3, bounded, BOUNDED, 10, 10, -1e-3, 0.2, &parted};
    each_pair(&places, check_parting);
    CN_CHECK_TRUE(parted > 20);
}

CN_TEST(frames_made_beforehand_change_no_bit) {
    cn_arena *memory = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(11);
    for (int round = 0; round < 50; round++) {
        geom_shape shape_a = random_shape(memory, &rng, CN_SHAPE_BOX, 3),
                   shape_b = random_shape(memory, &rng, CN_SHAPE_BOX, 3);
        det_placed a = place_at_random(&rng, 3, &shape_a), b = place_at_random(&rng, 3, &shape_b);
        bring_together(&rng, 3, &a, &b, base_rng_uniform(&rng, -1e-3, 0.1));
        det_manifold m, framed;
        det_narrow(3, &a, &b, 0.1, &m);
        det_box_frame frame_a, frame_b;
        det_box_frame_place(&a, &frame_a);
        det_box_frame_place(&b, &frame_b);
        a.frame = &frame_a;
        b.frame = &frame_b;
        det_narrow(3, &a, &b, 0.1, &framed);
        check_identical(&m, &framed);
    }
    cn_arena_destroy(memory);
}

// ---- through contact, turned over, moved ----

// No point of a body moves by more than `moved` in a step of the path: the gap must not either.
static void check_continuous(const pair_places *places, base_rng *rng, det_placed *a,
                             det_placed *b) {
    (void)places;
    const int steps = 200;
    double way[3], spin[3], last = 0.0;
    for (int k = 0; k < 3; k++) {
        way[k] = (b->position[k] - a->position[k] + base_rng_uniform(rng, -0.3, 0.3)) / steps;
        spin[k] = base_rng_uniform(rng, -0.5, 0.5) / steps;
    }
    double reach = a->shape->bound + math_norm3(a->shape->middle);
    double moved = math_norm3(way) + math_norm3(spin) * reach;
    for (int step = 0; step <= steps; step++) {
        det_manifold m;
        det_narrow(3, a, b, 3.0, &m);
        double gap = min_gap(&m, NULL);
        // Of deep overlaps the shortest way out is known to a share of the size only.
        bool deep = fmin(gap, last) < -1e-4;
        if (step > 0) {
            CN_CHECK_BELOW(fabs(gap - last), moved + (deep ? 1e-4 * reach : 1e-8));
        }
        last = gap;
        math_add_scaled3(a->position, 1.0, way, a->position);
        turn_by(a, spin[0], spin[1], spin[2]);
    }
}

CN_TEST(gap_is_continuous_through_contact) {
    const pair_places places = {3, bounded, BOUNDED, 1, 7, 0.3, 0.3, NULL};
    each_pair(&places, check_continuous);
}

static void check_swapped(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b) {
    (void)places;
    (void)rng;
    det_manifold m, swapped;
    det_narrow(3, a, b, 0.3, &m);
    det_narrow(3, b, a, 0.3, &swapped);
    check_same(&m, &swapped, -1.0, 1e-6);
}

CN_TEST(swapping_turns_the_normal_and_nothing_else) {
    const pair_places places = {3, bounded, BOUNDED, 6, 8, -1e-3, 0.1, NULL};
    each_pair(&places, check_swapped);
}

static void check_moved(const pair_places *places, base_rng *rng, det_placed *a, det_placed *b) {
    (void)places;
    double R[9], shift[3];
    det_placed a2 = *a, b2 = *b;
    turn_at_random(rng, 3, R);
    det_manifold m, moved;
    det_narrow(3, a, b, 0.3, &m);
    for (int k = 0; k < 3; k++) {
        shift[k] = base_rng_uniform(rng, -10.0, 10.0);
    }
    math_mat3_multiply(R, a->R, a2.R);
    math_mat3_multiply(R, b->R, b2.R);
    math_mat3_apply(R, a->position, a2.position);
    math_mat3_apply(R, b->position, b2.position);
    math_add_scaled3(a2.position, 1.0, shift, a2.position);
    math_add_scaled3(b2.position, 1.0, shift, b2.position);
    det_narrow(3, &a2, &b2, 0.3, &moved);
    for (int32_t k = 0; k < m.count; k++) {
        math_mat3_apply(R, m.point[k].point, m.point[k].point);
        math_add_scaled3(m.point[k].point, 1.0, shift, m.point[k].point);
        math_mat3_apply(R, m.point[k].normal, m.point[k].normal);
    }
    check_same(&m, &moved, 1.0, 1e-6);
}

CN_TEST(moving_both_moves_the_contacts_with_them) {
    const pair_places places = {3, bounded, BOUNDED, 6, 9, -1e-3, 0.1, NULL};
    each_pair(&places, check_moved);
}
