// Manifolds of resting bodies in 3D: how many points, where, with what gaps and features; and
// placements where normals, edges or centres coincide.
#include "placed.h"

#include <stdlib.h>

static cn_arena *memory_of_test;

static geom_shape build(cn_shape_kind kind, double radius, double length, double x, double y,
                        double z) {
    cn_shape_def def = cn_shape_def_default(kind);
    def.radius = radius;
    def.length = length;
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    return build_shape(memory_of_test, &def, 3);
}

static geom_shape box(double x, double y, double z) {
    return build(CN_SHAPE_BOX, 0.0, 0.0, x, y, z);
}

static geom_shape tube(cn_shape_kind kind, double radius, double length) {
    return build(kind, radius, length, 0.0, 0.0, 0.0);
}

static geom_shape ellipsoid(double x, double y, double z) {
    return build(CN_SHAPE_ELLIPSOID, 0.0, 0.0, x, y, z);
}

// The floor z <= 0 as a plane.
static geom_shape ground(void) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_PLANE);
    def.normal[2] = 1.0;
    return build_shape(memory_of_test, &def, 3);
}

static void begin(void) {
    memory_of_test = cn_arena_create(NULL);
}

static void end(void) {
    cn_arena_destroy(memory_of_test);
}

static det_manifold meet(const det_placed *a, const det_placed *b, double alert) {
    det_manifold m;
    CN_CHECK_TRUE(det_narrow(3, a, b, alert, &m));
    check_manifold(a, b, alert, &m, 1e-8);
    return m;
}

// Some point of the manifold is at (x, y) with that gap.
static void check_has(const det_manifold *m, double x, double y, double gap, double allowed) {
    double nearest = INFINITY;
    int32_t match = -1;
    for (int32_t k = 0; k < m->count; k++) {
        double away = hypot(m->point[k].point[0] - x, m->point[k].point[1] - y);
        if (away < nearest) {
            nearest = away;
            match = k;
        }
    }
    CN_CHECK_TRUE(match >= 0);
    CN_CHECK_BELOW(nearest, allowed);
    CN_CHECK_NEAR(m->point[match].gap, gap, allowed);
}

static void check_up(const det_manifold *m, double allowed) {
    for (int32_t k = 0; k < m->count; k++) {
        CN_CHECK_NEAR(m->point[k].normal[2], 1.0, allowed);
    }
}

// ---- boxes ----

CN_TEST(aligned_boxes_stand_on_four_corners) {
    begin();
    geom_shape cube = box(1, 1, 1);
    for (int i = -2; i <= 2; i++) {
        double gap = 1e-7 * i;
        det_placed b = place_at(&cube, 0, 0, 0), a = place_at(&cube, 0, 0, 1 + gap);
        det_manifold m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 4);
        for (int k = 0; k < 4; k++) {
            check_has(&m, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, gap, 1e-15);
        }
        check_up(&m, 0.0);
    }
    end();
}

CN_TEST(boxes_that_overlap_in_part_stand_on_the_corners_of_the_overlap) {
    begin();
    geom_shape brick = box(2, 1, 0.5);
    det_placed b = place_at(&brick, 0, 0, 0), a = place_at(&brick, 1, 0.25, 0.5);
    det_manifold m = meet(&a, &b, 0.01);
    assert_int_equal(m.count, 4);
    check_has(&m, 0, -0.25, 0, 1e-15);
    check_has(&m, 1, -0.25, 0, 1e-15);
    check_has(&m, 1, 0.5, 0, 1e-15);
    check_has(&m, 0, 0.5, 0, 1e-15);
    // Turned by an eighth: a square over a square is an octagon.
    geom_shape cube = box(1, 1, 1);
    a = place_at(&cube, 0, 0, 1);
    b = place_at(&cube, 0, 0, 0);
    turn_by(&a, 0, 0, M_PI / 4);
    m = meet(&a, &b, 0.01);
    assert_int_equal(m.count, 8);
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? 0.5 : -0.5, y = (k & 2 ? 1.0 : -1.0) * (sqrt(0.5) - 0.5);
        check_has(&m, x, y, 0, 1e-15);
        check_has(&m, y, x, 0, 1e-15);
    }
    end();
}

// A slight tilt in any direction leaves the manifold of the faces, whichever axis wins.
CN_TEST(bricks_tilted_by_little_keep_their_manifold) {
    begin();
    geom_shape brick = box(2, 1, 0.5);
    base_rng rng = base_rng_seed(1);
    for (int round = 0; round < 200; round++) {
        det_placed b = place_at(&brick, 0, 0, 0), a = place_at(&brick, 1, 0.25, 0.5);
        double size = round % 2 ? 1e-6 : 1e-4;
        turn_by(&a, base_rng_uniform(&rng, -size, size), base_rng_uniform(&rng, -size, size),
                base_rng_uniform(&rng, -size, size));
        det_manifold m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 4);
        for (int32_t k = 0; k < m.count; k++) {
            double x = m.point[k].point[0] > 0.5 ? 1 : 0, y = m.point[k].point[1] > 0 ? 0.5 : -0.25;
            check_has(&m, x, y, 0, 4 * size);
        }
    }
    end();
}

CN_TEST(a_tilted_box_touches_with_an_edge_or_a_corner) {
    begin();
    geom_shape cube = box(1, 1, 1), slab = box(10, 10, 1);
    det_placed b = place_at(&slab, 0, 0, -0.5), a = place_at(&cube, 0.2, 0, 0);
    turn_by(&a, 0, M_PI / 6, 0);
    a.position[2] = 0.5 * (cos(M_PI / 6) + sin(M_PI / 6)) + 1e-3;
    det_manifold m = meet(&a, &b, 0.01);
    assert_int_equal(m.count, 2);
    double x = 0.2 + 0.5 * (cos(M_PI / 6) - sin(M_PI / 6));
    for (int k = 0; k < 2; k++) {
        CN_CHECK_NEAR(m.point[k].gap, 1e-3, 1e-15);
        check_has(&m, x, k ? 0.5 : -0.5, 1e-3, 1e-14);
    }
    check_up(&m, 0.0);
    turn_by(&a, M_PI / 5, 0, 0);
    double lowest = -height_along(&a, (double[3]){0, 0, -1});
    a.position[2] -= lowest + 1e-3;
    m = meet(&a, &b, 0.01);
    assert_int_equal(m.count, 1);
    CN_CHECK_NEAR(m.point[0].gap, -1e-3, 1e-15);
    check_up(&m, 0.0);
    end();
}

CN_TEST(crossed_edges_touch_in_a_point) {
    begin();
    geom_shape bar = box(4, 1, 1);
    det_placed b = place_at(&bar, 0, 0, 0), a = place_at(&bar, 0.3, 0, 0);
    turn_by(&b, M_PI / 4, 0, 0); // an edge up
    turn_by(&a, M_PI / 4, 0, 0); // an edge down, across
    turn_by(&a, 0, 0, M_PI / 2);
    for (int i = -1; i <= 1; i++) {
        a.position[2] = sqrt(2.0) + 1e-3 * i;
        det_manifold m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 1);
        CN_CHECK_NEAR(m.point[0].gap, 1e-3 * i, 1e-14);
        check_has(&m, 0.3, 0, 1e-3 * i, 1e-12);
        check_up(&m, 1e-14);
    }
    end();
}

CN_TEST(parallel_edges_touch_along_a_line) {
    begin();
    geom_shape bar = box(4, 1, 1);
    det_placed b = place_at(&bar, 0, 0, 0), a = place_at(&bar, 1, 0, sqrt(2.0) + 1e-4);
    turn_by(&b, M_PI / 4, 0, 0);
    turn_by(&a, M_PI / 4, 0, 0);
    det_manifold m = meet(&a, &b, 0.01);
    assert_int_equal(m.count, 2);
    check_has(&m, -1, 0, 1e-4, 1e-12);
    check_has(&m, 2, 0, 1e-4, 1e-12);
    end();
}

// ---- features ----

CN_TEST(features_stay_under_small_motions) {
    begin();
    geom_shape brick = box(2, 1, 0.5), cube = box(1, 1, 1);
    const geom_shape can = tube(CN_SHAPE_CYLINDER, 0.4, 1.0),
                     pill = tube(CN_SHAPE_CAPSULE, 0.5, 1.0);
    base_rng rng = base_rng_seed(2);
    for (int kind = 0; kind < 4; kind++) {
        det_placed b = place_at(&brick, 0, 0, 0), a = place_at(&brick, 0.9, 0.2, 0.5);
        if (kind == 1) {
            a = place_at(&cube, 0.3, 0.1, 0.75);
            turn_by(&a, 0, 0, 0.3);
        } else if (kind == 2) {
            a = place_at(&can, 0, 0, 0.75);
        } else if (kind == 3) {
            a = place_at(&pill, 0, 0, 0.75);
            turn_by(&a, 0, M_PI / 2, 0.0);
        }
        det_manifold m = meet(&a, &b, 0.01);
        for (int round = 0; round < 50; round++) {
            det_placed moved = a;
            for (int k = 0; k < 3; k++) {
                moved.position[k] += base_rng_uniform(&rng, -1e-7, 1e-7);
            }
            turn_by(&moved, base_rng_uniform(&rng, -1e-10, 1e-10),
                    base_rng_uniform(&rng, -1e-10, 1e-10), base_rng_uniform(&rng, -1e-7, 1e-7));
            det_manifold again = meet(&moved, &b, 0.01);
            assert_int_equal(again.count, m.count);
            for (int32_t k = 0; k < m.count; k++) {
                int32_t l = 0;
                while (l < again.count && again.point[l].feature != m.point[k].feature) {
                    l++;
                }
                CN_CHECK_TRUE(l < again.count);
                double apart[3];
                math_sub3(m.point[k].point, again.point[l].point, apart);
                CN_CHECK_BELOW(math_norm3(apart), 1e-6);
            }
        }
    }
    end();
}

// Bricks in a wall: edges lie upon each other, and round-off decides which cuts which.
CN_TEST(bricks_of_a_bond_keep_their_four_corners_while_they_rock) {
    begin();
    geom_shape brick = box(0.4, 0.2, 0.2);
    base_rng rng = base_rng_seed(5);
    for (int kind = 0; kind < 3; kind++) {
        // Half over the other, on top of it, and beside it.
        det_placed b = place_at(&brick, 0, 0, 0), a = kind == 0   ? place_at(&brick, 0.2, 0, 0.2)
                                                      : kind == 1 ? place_at(&brick, 0, 0, 0.2)
                                                                  : place_at(&brick, 0.4, 0, 0);
        det_manifold m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 4);
        for (int round = 0; round < 200; round++) {
            det_placed moved = a;
            for (int k = 0; k < 3; k++) {
                moved.position[k] += base_rng_uniform(&rng, -1e-4, 1e-4);
            }
            turn_by(&moved, base_rng_uniform(&rng, -1e-4, 1e-4),
                    base_rng_uniform(&rng, -1e-4, 1e-4), base_rng_uniform(&rng, -1e-4, 1e-4));
            det_manifold again = meet(&moved, &b, 0.01);
            assert_int_equal(again.count, 4);
            for (int32_t k = 0; k < 4; k++) {
                int32_t l = 0;
                while (l < 4 && again.point[l].feature != m.point[k].feature) {
                    l++;
                }
                CN_CHECK_TRUE(l < 4);
                double apart[3];
                math_sub3(again.point[l].point, m.point[k].point, apart);
                CN_CHECK_BELOW(math_norm3(apart), 1e-3);
            }
        }
    }
    end();
}

// ---- cylinders, capsules, ellipsoids ----

CN_TEST(a_cylinder_stands_on_its_rim_and_turns_with_it) {
    begin();
    geom_shape can = tube(CN_SHAPE_CYLINDER, 0.5, 2.0), slab = box(10, 10, 1), plane = ground();
    for (int over = 0; over < 2; over++) {
        for (int up = 0; up < 2; up++) {
            det_placed b = over ? place_at(&plane, 0, 0, 0) : place_at(&slab, 0, 0, -0.5),
                       a = place_at(&can, 0.1, 0.2, 1 - 1e-5);
            turn_by(&a, up ? M_PI : 0.0, 0, 0);
            turn_by(&a, 0, 0, 0.3);
            det_manifold m = meet(&a, &b, 0.01);
            assert_int_equal(m.count, 8);
            for (int k = 0; k < 8; k++) {
                double angle = 0.3 + k * M_PI / 4;
                check_has(&m, 0.1 + 0.5 * cos(angle), 0.2 + 0.5 * sin(angle), -1e-5, 1e-14);
            }
            check_up(&m, 1e-15);
        }
    }
    end();
}

CN_TEST(a_tilted_cylinder_touches_with_its_lowest_point) {
    begin();
    geom_shape can = tube(CN_SHAPE_CYLINDER, 0.5, 2.0), slab = box(10, 10, 1), plane = ground();
    for (int over = 0; over < 2; over++) {
        for (int i = 1; i < 30; i++) {
            double tilt = 0.05 * i, turn = 0.37 * i;
            det_placed b = over ? place_at(&plane, 0, 0, 0) : place_at(&slab, 0, 0, -0.5),
                       a = place_at(&can, 0, 0, cos(tilt) + 0.5 * sin(tilt) + 1e-4);
            turn_by(&a, 0, 0, 0.11 * i); // about its own axis
            turn_by(&a, 0, tilt, 0);
            turn_by(&a, 0, 0, turn);
            det_manifold m = meet(&a, &b, 1e-4 + 1e-8);
            double x = -sin(tilt) + 0.5 * cos(tilt);
            assert_int_equal(m.count, 1);
            check_has(&m, x * cos(turn), x * sin(turn), 1e-4, 1e-12);
            check_up(&m, 1e-15);
        }
    }
    end();
}

CN_TEST(lying_tubes_touch_along_their_line) {
    begin();
    geom_shape slab = box(10, 10, 1), plane = ground();
    for (int kind = 0; kind < 2; kind++) {
        geom_shape body = tube(kind ? CN_SHAPE_CAPSULE : CN_SHAPE_CYLINDER, 0.5, 2.0);
        for (int over = 0; over < 2; over++) {
            det_placed b = over ? place_at(&plane, 0, 0, 0) : place_at(&slab, 0, 0, -0.5),
                       a = place_at(&body, 0.1, 0.2, 0.5 + 1e-6);
            turn_by(&a, 0, M_PI / 2, 0);
            turn_by(&a, 0, 0, 0.4);
            det_manifold m = meet(&a, &b, 0.01);
            assert_int_equal(m.count, 2);
            check_has(&m, 0.1 + cos(0.4), 0.2 + sin(0.4), 1e-6, 1e-14);
            check_has(&m, 0.1 - cos(0.4), 0.2 - sin(0.4), 1e-6, 1e-14);
        }
        // Half over the edge of a block: the line ends there.
        geom_shape block = box(2, 2, 1);
        det_placed b = place_at(&block, 0, 0, -0.5), a = place_at(&body, 1, 0, 0.5);
        turn_by(&a, 0, M_PI / 2, 0);
        det_manifold m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 2);
        check_has(&m, 0, 0, 0, 1e-14);
        check_has(&m, 1, 0, 0, 1e-14);
        // Along an edge that points up.
        b = place_at(&block, 0, 0, 0);
        turn_by(&b, M_PI / 4, 0, 0);
        a.position[1] = (1.0 - 0.5) / sqrt(2.0);
        a.position[2] = (1.0 + 0.5) / sqrt(2.0) + 0.5;
        m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 2);
        check_has(&m, 0, a.position[1], 0, 1e-12);
        check_has(&m, 1, a.position[1], 0, 1e-12);
        check_up(&m, 1e-12);
    }
    end();
}

static const double tilts[] = {0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.04};
#define TILTS ((int)(sizeof tilts / sizeof *tilts))

// The gap of the end of a lying tube that is at x, when its other end is lower.
static void check_ends(const det_manifold *m, double rise) {
    assert_int_equal(m->count, 2);
    int32_t low = m->point[0].point[0] < m->point[1].point[0] ? 0 : 1;
    CN_CHECK_NEAR(m->point[1 - low].point[0] - m->point[low].point[0], 2.0, 0.03);
    CN_CHECK_NEAR(m->point[1 - low].gap - m->point[low].gap, rise, 1e-12 + 2e-3 * rise);
}

CN_TEST(tilted_tubes_keep_both_ends) {
    begin();
    const double corners[] = {-5, -5, -1, 5, -5, -1, -5, 5, -1, 5, 5, -1,
                              -5, -5, 0,  5, -5, 0,  -5, 5, 0,  5, 5, 0};
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertex_count = 8;
    def.vertices = corners;
    geom_shape slab = box(10, 10, 1), plane = ground(), beam = box(10, 1, 1),
               rock = build_shape(memory_of_test, &def, 3);
    for (int kind = 0; kind < 2; kind++) {
        cn_shape_kind round = kind ? CN_SHAPE_CAPSULE : CN_SHAPE_CYLINDER;
        geom_shape body = tube(round, 0.5, 2.0), under = tube(round, 0.4, 3.0);
        det_placed edge = place_at(&beam, 0, 0, 0), lying = place_at(&under, 0, 0, 0);
        turn_by(&edge, M_PI / 4, 0, 0);
        turn_by(&lying, 0, M_PI / 2, 0);
        const det_placed ground[] = {place_at(&plane, 0, 0, 0), place_at(&slab, 0, 0, -0.5),
                                     place_at(&rock, 0, 0, 0), edge, lying};
        const double top[] = {0.0, 0.0, 0.0, sqrt(0.5), 0.4};
        for (int base = 0; base < 5; base++) {
            for (int k = 0; k < TILTS; k++) {
                det_placed a = place_at(&body, 0.1, 0.0, top[base] + 0.5);
                turn_by(&a, 0, M_PI / 2 - tilts[k], 0);
                det_manifold m = meet(&a, &ground[base], 0.2);
                check_ends(&m, 2.0 * sin(tilts[k]));
            }
        }
    }
    end();
}

CN_TEST(parallel_tubes_touch_along_the_stretch_they_share) {
    begin();
    for (int kind = 0; kind < 3; kind++) {
        geom_shape body_a = tube(kind > 0 ? CN_SHAPE_CAPSULE : CN_SHAPE_CYLINDER, 0.5, 2.0),
                   body_b = tube(kind > 1 ? CN_SHAPE_CAPSULE : CN_SHAPE_CYLINDER, 0.25, 3.0);
        det_placed b = place_at(&body_b, 0, 0, 0), a = place_at(&body_a, 1, 0, 0.75 + 1e-5);
        turn_by(&a, 0, M_PI / 2, 0);
        turn_by(&b, 0, M_PI / 2, 0);
        det_manifold m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 2);
        check_has(&m, 0, 0, 1e-5, 1e-12);
        check_has(&m, 1.5, 0, 1e-5, 1e-12);
        check_up(&m, 1e-12);
        // The same length at the same place: two points, not four.
        a = place_at(&body_b, 0, 0, 0.5);
        turn_by(&a, 0, M_PI / 2, 0);
        m = meet(&a, &b, 0.01);
        assert_int_equal(m.count, 2);
        check_has(&m, 1.5, 0, 0, 1e-12);
        check_has(&m, -1.5, 0, 0, 1e-12);
    }
    end();
}

CN_TEST(a_cylinder_stands_on_a_cylinder) {
    begin();
    geom_shape can = tube(CN_SHAPE_CYLINDER, 0.5, 1.0), wide = tube(CN_SHAPE_CYLINDER, 1.5, 1.0);
    det_placed b = place_at(&wide, 0, 0, 0), a = place_at(&can, 0.3, 0.2, 1.0);
    turn_by(&a, 0, 0, 0.1);
    det_manifold m = meet(&a, &b, 0.01);
    assert_int_equal(m.count, 8);
    for (int32_t k = 0; k < 8; k++) {
        CN_CHECK_NEAR(hypot(m.point[k].point[0] - 0.3, m.point[k].point[1] - 0.2), 0.5, 1e-14);
    }
    // Exactly one above the other, and half over the edge.
    for (int offset = 0; offset < 2; offset++) {
        b = place_at(&can, 0, 0, 0);
        a = place_at(&can, 0.5 * offset, 0, 1.0);
        m = meet(&a, &b, 0.01);
        CN_CHECK_TRUE(m.count >= 4);
        check_up(&m, 0.0);
    }
    end();
}

CN_TEST(an_ellipsoid_rests_on_its_lowest_point) {
    begin();
    geom_shape egg = ellipsoid(2.0, 1.0, 0.5), slab = box(10, 10, 1), plane = ground();
    base_rng rng = base_rng_seed(3);
    for (int round = 0; round < 50; round++) {
        det_placed on_slab = place_at(&slab, 0, 0, -0.5), on_plane = place_at(&plane, 0, 0, 0);
        det_placed a = place_at_random(&rng, 3, &egg);
        double lowest = -height_along(&a, (double[3]){0, 0, -1});
        a.position[2] += -lowest - 1e-4;
        det_manifold m = meet(&a, &on_slab, 0.01), over = meet(&a, &on_plane, 0.01);
        assert_int_equal(m.count, 1);
        assert_int_equal(over.count, 1);
        CN_CHECK_NEAR(m.point[0].gap, -1e-4, 1e-14);
        CN_CHECK_NEAR(over.point[0].gap, -1e-4, 1e-14);
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(m.point[0].point[k], over.point[0].point[k], 1e-13);
        }
    }
    end();
}

// ---- placements where things coincide ----

CN_TEST(coincident_bodies_give_finite_contacts) {
    begin();
    const geom_shape shapes[] = {build(CN_SHAPE_SPHERE, 0.5, 0, 0, 0, 0),
                                 box(1, 1, 1),
                                 tube(CN_SHAPE_CAPSULE, 0.5, 1.0),
                                 tube(CN_SHAPE_CYLINDER, 0.5, 1.0),
                                 ellipsoid(1, 1, 1),
                                 ellipsoid(1, 2, 3)};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int turn = 0; turn < 4; turn++) {
                det_placed a = place_at(&shapes[i], 0, 0, 0), b = place_at(&shapes[j], 0, 0, 0);
                turn_by(&a, turn == 1 ? M_PI / 2 : 0.0, turn == 2 ? M_PI / 4 : 0.0,
                        turn == 3 ? 0.3 : 0.0);
                det_manifold m = meet(&a, &b, 0.01);
                CN_CHECK_TRUE(m.count > 0);
                CN_CHECK_TRUE(min_gap(&m, NULL) <= -0.5);
            }
        }
    }
    end();
}

CN_TEST(exactly_touching_bodies_have_no_gap) {
    begin();
    const geom_shape shapes[] = {build(CN_SHAPE_SPHERE, 0.5, 0, 0, 0, 0), box(1, 1, 1),
                                 tube(CN_SHAPE_CAPSULE, 0.5, 1.0),
                                 tube(CN_SHAPE_CYLINDER, 0.5, 1.0), ellipsoid(1, 1, 1)};
    const double half[] = {0.5, 0.5, 1.0, 0.5, 0.5};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            for (int beside = 0; beside < 2; beside++) {
                double away = beside ? 1.0 : half[i] + half[j];
                det_placed a = place_at(&shapes[i], beside ? away : 0, 0, beside ? 0 : away),
                           b = place_at(&shapes[j], 0, 0, 0);
                det_manifold m = meet(&a, &b, 0.01);
                CN_CHECK_TRUE(m.count > 0);
                CN_CHECK_NEAR(min_gap(&m, NULL), 0.0, 1e-12);
            }
        }
    }
    end();
}

// Blocks of a wall side by side and corner to corner: no point twice, none off the shared part.
CN_TEST(grids_of_cubes_give_clean_contacts) {
    begin();
    geom_shape cube = box(1, 1, 1);
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            for (int z = -1; z <= 1; z++) {
                int away = abs(x) + abs(y) + abs(z);
                if (away > 0) {
                    det_placed a = place_at(&cube, x, y, z), b = place_at(&cube, 0, 0, 0);
                    det_manifold m = meet(&a, &b, 0.01);
                    assert_int_equal(m.count, away == 1 ? 4 : (away == 2 ? 2 : 1));
                    CN_CHECK_NEAR(min_gap(&m, NULL), 0.0, 1e-12);
                }
            }
        }
    }
    end();
}

// A prism with more sides than a contact polygon has corners.
CN_TEST(faces_of_many_corners_stand_on_their_rim) {
    begin();
    enum { SIDES = 100 };
    double vertices[6 * SIDES];
    for (int i = 0; i < 2 * SIDES; i++) {
        vertices[3 * i] = cos(2 * M_PI * i / SIDES);
        vertices[3 * i + 1] = sin(2 * M_PI * i / SIDES);
        vertices[3 * i + 2] = i < SIDES ? -0.5 : 0.5;
    }
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    def.vertices = vertices;
    def.vertex_count = 2 * SIDES;
    geom_shape prism = build_shape(memory_of_test, &def, 3), slab = box(10, 10, 1),
               plane = ground();
    base_rng rng = base_rng_seed(4);
    for (int round = 0; round < 40; round++) {
        det_placed a = place_at(&prism, 0, 0, 0.5), on_slab = place_at(&slab, 0, 0, -0.5),
                   on_plane = place_at(&plane, 0, 0, 0), other = place_at(&prism, 0.3, 0.2, -0.5);
        double size = round == 0 ? 0.0 : 1e-3;
        turn_by(&a, base_rng_uniform(&rng, -size, size), base_rng_uniform(&rng, -size, size), 0.1);
        double lowest = -height_along(&a, (double[3]){0, 0, -1});
        a.position[2] -= lowest;
        det_manifold over = meet(&a, &on_plane, 0.01), m = meet(&a, &on_slab, 0.01);
        CN_CHECK_TRUE(m.count >= 4 && over.count >= 4);
        CN_CHECK_NEAR(min_gap(&m, NULL), 0.0, 1e-8);
        CN_CHECK_NEAR(min_gap(&over, NULL), 0.0, 1e-8);
        m = meet(&a, &other, 0.01);
        CN_CHECK_TRUE(m.count >= 4);
    }
    end();
}
