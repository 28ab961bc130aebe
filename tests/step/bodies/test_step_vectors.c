// Steps of round bodies whose vectors share memory (step/vectors.c), beside the same steps with
// vectors of their own: bitwise the same states, reports and impulses.
#include "world.h"

#include "step/sim.h"

#include <math.h>

#define STEPS 150
#define AFTER 1e-12 // [m/s] velocities after a step are found in two ways

typedef struct text {
    char bytes[8192];
    size_t used;
} text;

static void add(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->bytes + t->used, sizeof t->bytes - t->used, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && t->used + (size_t)length < sizeof t->bytes);
    t->used += (size_t)length;
}

// 24 round bodies, not all of one size, fall into a corner.
static world heap(int dim, const char *settings) {
    text t = {.used = 0};
    add(&t,
        "cairn: 1\ndimension: %d\ntime: {step: 0.005}\n%s"
        "materials: {stone: {density: 1000}}\n"
        "contacts: [{between: [stone, stone], friction: 0.4}]\nbodies:\n",
        dim, settings);
    const char *walls3[] = {"[0, 0.3, 1]", "[0.4, 0, 1]", "[-0.4, 0, 1]", "[0, -0.4, 1]"},
               *walls2[] = {"[0.3, 1]", "[-0.4, 1]"};
    for (int i = 0; i < (dim == 3 ? 4 : 2); i++) {
        add(&t, "  - {fixed: true, material: stone, shape: {%s: {normal: %s}}}\n",
            dim == 3 ? "plane" : "line", dim == 3 ? walls3[i] : walls2[i]);
    }
    for (int i = 0; i < 24; i++) {
        double x = 0.21 * (i % 3) - 0.2, y = 0.21 * (i / 3 % 3) - 0.2, z = 0.3 + 0.22 * (i / 3),
               radius = 0.08 + 0.001 * (i % 7);
        if (dim == 3) {
            add(&t,
                "  - {material: stone, position: [%g, %g, %g], shape: {sphere: {radius: %g}}}\n", x,
                y, z, radius);
        } else {
            add(&t, "  - {material: stone, position: [%g, %g], shape: {disk: {radius: %g}}}\n",
                x + 0.001 * i, z, radius);
        }
    }
    return world_open("%s", t.bytes);
}

static bool same_report(const cn_step_report *a, const cn_step_report *b) {
    return a->contacts == b->contacts && a->sticking == b->sticking && a->sliding == b->sliding &&
           a->iterations == b->iterations && a->retries == b->retries && a->outcome == b->outcome &&
           a->residual == b->residual && a->penetration_max == b->penetration_max &&
           a->kinetic == b->kinetic && a->potential == b->potential &&
           a->dissipated_friction == b->dissipated_friction &&
           a->dissipated_impact == b->dissipated_impact && a->balance_error == b->balance_error;
}

static void compare_contacts(const world *shared, const world *plain) {
    for (int32_t c = 0; c < cn_sim_contact_count(shared->sim); c++) {
        cn_contact_record a, b;
        cn_sim_contact(shared->sim, c, &a);
        cn_sim_contact(plain->sim, c, &b);
        CN_CHECK_TRUE(memcmp(a.impulse, b.impulse, sizeof a.impulse) == 0);
        CN_CHECK_TRUE(a.status == b.status && a.gap == b.gap);
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(a.velocity[k], b.velocity[k], AFTER);
            CN_CHECK_NEAR(a.velocity_before[k], b.velocity_before[k], 0.0);
        }
    }
}

static void compare(int dim, const char *settings, bool retries) {
    world shared = heap(dim, settings), plain = heap(dim, settings);
    plain.sim->vectors = (step_vectors){.next_q = NULL};
    int32_t contacts = 0, retried = 0;
    for (int i = 0; i < STEPS; i++) {
        world_step(&shared);
        world_step(&plain);
        CN_CHECK_TRUE(shared.sim->last.shared && !plain.sim->last.shared);
        CN_CHECK_TRUE(cn_sim_hash(shared.sim) == cn_sim_hash(plain.sim));
        CN_CHECK_TRUE(same_report(&shared.last, &plain.last));
        compare_contacts(&shared, &plain);
        contacts += shared.last.contacts;
        retried += shared.last.retries;
    }
    CN_CHECK_TRUE(contacts > STEPS);
    CN_CHECK_TRUE((retried > 0) == retries);
    world_close(&shared);
    world_close(&plain);
}

CN_TEST(spheres_move_the_same_with_vectors_of_their_own) {
    compare(3, "", false);
}

CN_TEST(disks_move_the_same_with_vectors_of_their_own) {
    compare(2, "", false);
}

CN_TEST(damped_steps_are_the_same_with_vectors_of_their_own) {
    compare(3, "integrator: {theta: 0.8}\n", false);
}

CN_TEST(retried_steps_are_the_same_with_vectors_of_their_own) {
    compare(3, "solver: {name: nsgs, max_iterations: 3, on_stall: retry}\n", true);
}

// Nothing but round bodies that keep their velocities in a drift may share.
CN_TEST(other_bodies_have_vectors_of_their_own) {
    static const char *const scenes[] = {
        "bodies: [{material: stone, shape: {box: {size: [1, 1, 1]}}}]\n",
        "sleeping: {speed: 0.01}\nbodies: [{material: stone, shape: {sphere: {radius: 1}}}]\n"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        world w = world_open("cairn: 1\nmaterials: {stone: {density: 1000}}\n%s", scenes[i]);
        CN_CHECK_TRUE(!w.sim->vectors.next_q && !w.sim->vectors.next_v);
        world_close(&w);
    }
}
