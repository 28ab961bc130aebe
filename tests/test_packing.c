// Many grains: the coordination of frictionless heaps (V20).
#include "world.h"

#define PLANE(n, o)                                                                                \
    "  - {material: wall, fixed: true, shape: {plane: {normal: [" n "], offset: " o "}}}\n"
#define LINE(n, o)                                                                                 \
    "  - {material: wall, fixed: true, shape: {line: {normal: [" n "], offset: " o "}}}\n"
#define BOX_3D                                                                                     \
    PLANE("0, 0, 1", "0")                                                                          \
    PLANE("1, 0, 0", "-5") PLANE("-1, 0, 0", "-5") PLANE("0, 1, 0", "-5") PLANE("0, -1, 0", "-5")
#define BOX_2D LINE("0, 1", "0") LINE("1, 0", "-6") LINE("-1, 0", "-6")
#define HEAD                                                                                       \
    "cairn: 1\nintegrator: {theta: 1}\nmaterials: {grain: {density: 1}, wall: {density: 1}}\n"

static world poured(int32_t dim, double mu, int count, double tolerance, const char *radius) {
    return world_open(
        HEAD "dimension: %d\ntime: {step: 0.02}\nsolver: {tolerance: %g}\n"
             "contacts: [{between: [\"*\", \"*\"], friction: 0, correction: 1e-3}, "
             "{between: [grain, grain], friction: %g}]\nbodies:\n%s"
             "generate: [{packing: {count: %d, radius: %s, inside: %s, seed: 11, material: "
             "grain}}]\n",
        dim, tolerance, mu, dim == 3 ? BOX_3D : BOX_2D, count, radius,
        dim == 3 ? "[[-5, -5, 0], [5, 5, 400]]" : "[[-6, 0], [6, 400]]");
}

// Twice the contacts that carry, over the grains: without friction a heap at rest is isostatic, as
// many contacts as degrees of freedom. Under gravity every grain is carried, so there are no
// rattlers.
static double coordination(int32_t dim, int count, double until) {
    world w = poured(dim, 0.0, count, 1e-8, "[0.9, 1.1]");
    world_run(&w, until);
    double least = 1e-4 * 3.0 * 9.81 * 0.02; // of a grain's weight in a step
    int32_t carrying = 0;
    for (int32_t i = 0; i < cn_sim_contact_count(w.sim); i++) {
        cn_contact_record contact;
        cn_sim_contact(w.sim, i, &contact);
        carrying +=
            hypot(hypot(contact.impulse[0], contact.impulse[1]), contact.impulse[2]) > least;
    }
    world_close(&w);
    return 2.0 * carrying / count;
}

CN_TEST(frictionless_disks_come_to_four_contacts) {
    CN_LONG_RUN();
    CN_CHECK_NEAR(coordination(2, 60, 20.0), 4.0, 0.15);
}

CN_TEST(frictionless_balls_come_to_six_contacts) {
    CN_LONG_RUN();
    CN_CHECK_NEAR(coordination(3, 80, 20.0), 6.0, 0.2);
}
