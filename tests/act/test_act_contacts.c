// All contacts of a step as columns, after a restore too, and which began and ended.
#include "world.h"

#include <cairn/act.h>

// A heap that falls onto a plane (a line in 2D), with restitution or without.
static world heap(int dim, bool boxes) {
    return world_open("cairn: 1\ndimension: %d\ntime: {step: 2e-3}\n"
                      "materials: {stone: {density: 1000}}\n"
                      "contacts: [{between: [\"*\", \"*\"], friction: 0.4}]\nbodies:\n"
                      "  - {material: stone, fixed: true, shape: {%s: {normal: [0, %s], "
                      "offset: 0}}}\n"
                      "generate:\n  - grid: {shape: {%s}, count: [3, 3%s], "
                      "spacing: [0.21, 0.21%s], position: [0, 0.105%s], material: stone}\n",
                      dim, dim == 3 ? "plane" : "line", dim == 3 ? "0, 1" : "1",
                      boxes
                          ? (dim == 3 ? "box: {size: [0.2, 0.2, 0.2]}" : "box: {size: [0.2, 0.2]}")
                      : dim == 3 ? "sphere: {radius: 0.1}"
                                 : "disk: {radius: 0.1}",
                      dim == 3 ? ", 3" : "", dim == 3 ? ", 0.21" : "", dim == 3 ? ", 0.105" : "");
}

#define MANY 512

// Room for all columns.
typedef struct columns {
    cn_contact_columns of;
    int32_t bodies[2 * MANY];
    double numbers[9][3 * MANY];
    uint8_t status[MANY];
    int32_t count;
} columns;

static void take(const world *w, columns *c) {
    memset(c, 0, sizeof *c);
    c->of = (cn_contact_columns){.bodies = c->bodies,
                                 .point = c->numbers[0],
                                 .normal = c->numbers[1],
                                 .gap = c->numbers[2],
                                 .impulse = c->numbers[3],
                                 .velocity = c->numbers[4],
                                 .velocity_before = c->numbers[5],
                                 .shift = c->numbers[6],
                                 .frame_change = c->numbers[7],
                                 .friction = c->numbers[8],
                                 .status = c->status};
    c->count = cn_sim_contacts(w->sim, MANY, &c->of);
}

static void check_vector(const double *column, int dim, int i, const double *record) {
    CN_CHECK_TRUE(memcmp(column + dim * i, record, sizeof *record * (size_t)dim) == 0);
}

CN_TEST(columns_hold_what_single_calls_give) {
    static columns c;
    for (int i = 0; i < 4; i++) {
        int dim = 2 + i / 2;
        world w = heap(dim, i % 2 == 1);
        take(&w, &c);
        assert_int_equal(c.count, 0);
        world_steps(&w, 60);
        take(&w, &c);
        CN_CHECK_TRUE(c.count > 5);
        assert_int_equal(c.count, cn_sim_contact_count(w.sim));
        for (int k = 0; k < c.count; k++) {
            cn_contact_record one;
            cn_sim_contact(w.sim, k, &one);
            CN_CHECK_TRUE(c.bodies[2 * k] == one.candidate &&
                          c.bodies[2 * k + 1] == one.antagonist);
            const double *records[8] = {one.point,   one.normal,      &one.gap,
                                        one.impulse, one.velocity,    one.velocity_before,
                                        one.shift,   one.frame_change};
            for (int part = 0; part < 8; part++) {
                check_vector(c.numbers[part], part == 2 ? 1 : dim, k, records[part]);
            }
            CN_CHECK_TRUE(c.numbers[8][k] == one.friction && c.status[k] == one.status);
        }
        // Some of them, and some columns.
        double gap[3] = {0.0, 0.0, 7.0};
        cn_contact_columns some = {.gap = gap};
        assert_int_equal(cn_sim_contacts(w.sim, 2, &some), 2);
        CN_CHECK_TRUE(gap[1] == c.numbers[2][1] && gap[2] == 7.0);
        // Without velocities they are taken on another way.
        static columns again;
        take(&w, &again);
        memset(again.numbers, 0, sizeof again.numbers);
        memset(again.status, 7, sizeof again.status);
        again.of.velocity = again.of.velocity_before = again.of.shift = NULL;
        again.of.frame_change = NULL;
        assert_int_equal(cn_sim_contacts(w.sim, MANY, &again.of), c.count);
        for (int part = 0; part < 9; part++) {
            CN_CHECK_TRUE((part >= 4 && part < 8) || memcmp(again.numbers[part], c.numbers[part],
                                                            sizeof c.numbers[part]) == 0);
        }
        CN_CHECK_TRUE(memcmp(again.bodies, c.bodies, sizeof c.bodies) == 0);
        CN_CHECK_TRUE(memcmp(again.status, c.status, (size_t)c.count) == 0);
        world_close(&w);
    }
}

// Bodies, place, impulse, friction and status after a restore are those of before, bitwise, in the
// same simulation and in another; the save of a restored state is the same bytes.
CN_TEST(contacts_are_there_after_a_restore) {
    static columns before, after;
    for (int i = 0; i < 4; i++) {
        world w = heap(2 + i / 2, i % 2 == 1), other = heap(2 + i / 2, i % 2 == 1);
        cn_error error = {0};
        void *bytes, *again;
        size_t size, same;
        world_steps(&w, 60);
        take(&w, &before);
        assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
        world_steps(&w, 3);
        CN_CHECK_TRUE(cn_sim_load(w.sim, bytes, size, &error) == CN_OK);
        CN_CHECK_TRUE(cn_sim_load(other.sim, bytes, size, &error) == CN_OK);
        for (int k = 0; k < 2; k++) {
            take(k ? &other : &w, &after);
            assert_int_equal(after.count, before.count);
            for (int part = 0; part < 9; part++) {
                if (part < 4 || part == 8) {
                    CN_CHECK_TRUE(memcmp(before.numbers[part], after.numbers[part],
                                         sizeof before.numbers[part]) == 0);
                }
            }
            CN_CHECK_TRUE(memcmp(before.bodies, after.bodies, sizeof before.bodies) == 0);
            CN_CHECK_TRUE(memcmp(before.status, after.status, sizeof before.status) == 0);
        }
        assert_int_equal(cn_sim_save(other.sim, &again, &same), CN_OK);
        CN_CHECK_TRUE(same == size && memcmp(bytes, again, size) == 0);
        world_step(&w);
        CN_CHECK_TRUE(cn_sim_contact_count(w.sim) > 5);
        cn_sim_free(w.sim, bytes, size);
        cn_sim_free(other.sim, again, same);
        world_close(&w);
        world_close(&other);
    }
}

// A ball that bounces: one contact begins when it lands and ends when it leaves, and nothing is
// said twice; the same after a restore in the middle.
CN_TEST(contacts_begin_and_end) {
    world w = world_open("cairn: 1\ntime: {step: 1e-3}\ngravity: [0, 0, -10]\n"
                         "materials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [\"*\", \"*\"], restitution: 0.8}]\nbodies:\n"
                         "  - {material: stone, shape: {sphere: {radius: 0.1}}, position: [0, 0, "
                         "0.3]}\n"
                         "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
                         "offset: 0}}}\n");
    int32_t begun = 0, ended = 0, resting = 0;
    cn_body_id pair[2];
    cn_error error = {0};
    assert_int_equal(cn_sim_contacts_begun(w.sim, 1, pair), 0);
    for (int i = 0; i < 1500; i++) {
        void *bytes;
        size_t size;
        assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
        CN_CHECK_TRUE(cn_sim_load(w.sim, bytes, size, &error) == CN_OK);
        assert_int_equal(cn_sim_contacts_begun(w.sim, 1, pair), 0);
        cn_sim_free(w.sim, bytes, size);
        world_step(&w);
        double impulse[3];
        int32_t start = cn_sim_contacts_begun(w.sim, 1, pair),
                end = cn_sim_contacts_ended(w.sim, 1, pair);
        world_impulse(&w, 1, impulse);
        bool now = impulse[2] > 0.0;
        assert_int_equal(start, now && !resting);
        assert_int_equal(end, !now && resting);
        CN_CHECK_TRUE(start + end == 0 || (pair[0] == 2 && pair[1] == 1));
        resting = now;
        begun += start;
        ended += end;
    }
    CN_CHECK_TRUE(begun > 2 && begun >= ended && begun <= ended + 1);
    world_close(&w);
}
