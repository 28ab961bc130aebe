// Which contacts take part in an impact: touching bodies do, whatever the round-off of their
// coordinates; bodies apart do not.
#include "shots.h"

#include "math/vec3.h"

#define SPHERES 5

// The first of five equal spheres in a row hits the others at 1 m/s along a unit direction; all
// velocities along it after 20 steps. Elastic, without friction and gravity.
static void cradle(int32_t dim, double spacing, double gap, double origin, const double along[3],
                   double out[SPHERES]) {
    char bodies[4096] = "";
    for (int i = 0; i < SPHERES; i++) {
        size_t used = strlen(bodies);
        double x[3], v = i == 0 ? 1.0 : 0.0;
        for (int k = 0; k < 3; k++) {
            x[k] = origin + (spacing + gap) * i * along[k];
        }
        if (dim == 3) {
            snprintf(bodies + used, sizeof bodies - used,
                     "  - {material: stone, mass: 1, shape: {sphere: {radius: %.17g}}, position: "
                     "[%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g]}\n",
                     0.5 * spacing, x[0], x[1], x[2], v * along[0], v * along[1], v * along[2]);
        } else {
            snprintf(bodies + used, sizeof bodies - used,
                     "  - {material: stone, mass: 1, shape: {disk: {radius: %.17g}}, position: "
                     "[%.17g, %.17g], velocity: [%.17g, %.17g]}\n",
                     0.5 * spacing, x[0], x[1], v * along[0], v * along[1]);
        }
    }
    world w = world_open("cairn: 1\ndimension: %d\ngravity: [0, 0%s]\ntime: {step: 1e-3}\n"
                         "solver: {tolerance: 1e-14}\nmaterials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [\"*\", \"*\"], friction: 0, restitution: 1}]\n"
                         "bodies:\n%s",
                         dim, dim == 3 ? ", 0" : "", bodies);
    world_steps(&w, 20);
    for (int i = 0; i < SPHERES; i++) {
        const double *v = world_velocity(&w, i + 1);
        out[i] = v[0] * along[0] + v[1] * along[1] + (dim == 3 ? v[2] * along[2] : 0.0);
    }
    world_close(&w);
}

// Largest error against Moreau's law: -0.6 0.4 0.4 0.4 0.4.
static double cradle_error(int32_t dim, double spacing, double origin, const double along[3]) {
    double v[SPHERES], worst = 0.0;
    cradle(dim, spacing, 0.0, origin, along, v);
    for (int i = 0; i < SPHERES; i++) {
        worst = fmax(worst, fabs(v[i] - (i == 0 ? -0.6 : 0.4)));
    }
    return worst;
}

static const double spacings[4] = {0.1, 0.2, 0.25, 0.3};
static const double along_x[3] = {1.0, 0.0, 0.0};

CN_TEST(cradle_does_not_depend_on_the_spacing) {
    figures f = {0};
    for (int i = 0; i < 4; i++) {
        for (int32_t dim = 2; dim <= 3; dim++) {
            figure_below(&f, 1e-12, cradle_error(dim, spacings[i], 0.0, along_x),
                         "cradle, %dD, spacing %g: error of the velocities", dim, spacings[i]);
        }
    }
    figures_check(&f);
}

// Far from the origin coordinates have fewer digits for the same gap.
CN_TEST(cradle_does_not_depend_on_the_origin) {
    static const double origins[3] = {1.0, -37.3, 1e3};
    figures f = {0};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            figure_below(&f, 1e-10, cradle_error(3, spacings[i], origins[k], along_x),
                         "cradle at %g m, spacing %g: error of the velocities", origins[k],
                         spacings[i]);
        }
    }
    figures_check(&f);
}

CN_TEST(cradle_does_not_depend_on_its_direction) {
    static const double along[3][3] = {{0.0, 1.0, 0.0}, {0.6, 0.8, 0.0}, {0.36, 0.48, 0.8}};
    figures f = {0};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            figure_below(&f, 1e-12, cradle_error(3, spacings[i], 0.0, along[k]),
                         "cradle along %g %g %g, spacing %g: error of the velocities", along[k][0],
                         along[k][1], along[k][2], spacings[i]);
        }
    }
    figures_check(&f);
}

// A micrometre is no round-off: the impacts follow one another, and the last sphere alone leaves.
CN_TEST(gap_of_a_micrometre_is_a_gap) {
    figures f = {0};
    for (int i = 0; i < 4; i++) {
        double v[SPHERES], worst = 0.0;
        cradle(3, spacings[i], 1e-6, 0.0, along_x, v);
        for (int k = 0; k < SPHERES; k++) {
            worst = fmax(worst, fabs(v[k] - (k == SPHERES - 1 ? 1.0 : 0.0)));
        }
        figure_below(&f, 1e-12, worst, "cradle with gaps of 1e-6 m, spacing %g: error",
                     spacings[i]);
    }
    figures_check(&f);
}

// ---- bouncing column ----

// Eight spheres fall and bounce without loss: largest change of their energy over that of the
// start, with the column at (origin, origin).
static double column_drift(double origin, double radius, double gap, double until) {
    world w = world_open(
        "cairn: 1\ntime: {step: 1e-3}\nsolver: {tolerance: 1e-13}\n"
        "materials: {stone: {density: 1}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0, restitution: 1}]\n"
        "bodies: [{material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1]}}}]\n"
        "generate: [{column: {count: 8, material: stone, shape: {sphere: {radius: %g}}, mass: 1, "
        "position: [%g, %g, %g], gap: %g}}]\n",
        radius, origin, origin, radius, gap);
    watch run = watch_start(&w);
    double drift = 0.0;
    int64_t touched = 0;
    while (cn_sim_time(w.sim) < until) {
        watch_step(&w, &run);
        drift = fmax(drift, fabs(w.energy - run.start) / run.start);
        touched += w.last.contacts > 0;
    }
    CN_CHECK_TRUE(touched > 0 && w.unsolved == 0);
    CN_CHECK_TRUE(run.limited == 0 && run.passed == 0);
    world_close(&w);
    return drift;
}

CN_TEST(bouncing_column_conserves_energy_near_and_far_from_the_origin) {
    double until = CN_WORLD_SLOW ? 1.0 : 10.0;
    figures f = {0};
    figure_below(&f, 1e-12, column_drift(0.0, 1.0, 0.01, until), "column, gaps 1 cm: energy");
    figure_below(&f, 1e-12, column_drift(1e3, 1.0, 0.01, until), "column at 1e3 m: energy");
    figure_below(&f, 1e-12, column_drift(0.0, 0.3, 0.0, until),
                 "column of touching spheres: energy");
    figures_check(&f);
}
