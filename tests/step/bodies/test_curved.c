// Contacts whose frame turns or whose point moves: sticking on rotating supports, rolling on curved
// surfaces, bodies thrown with spin. Exact motions stay exact to second order, nothing sinks,
// nothing gains energy, and scenes at rest stay as they are.
#include "shots.h"

#include "math/rotation.h"
#include "math/vec3.h"

#define STONE "materials: {stone: {density: 1000}}\n"
#define GROUND_3D                                                                                  \
    "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
#define GROUND_2D "  - {material: stone, fixed: true, shape: {line: {normal: [0, 1], offset: 0}}}\n"

// ---- box on a turntable ----

#define TABLE_CYLINDER "{cylinder: {radius: 2, length: 0.1}}"
#define TABLE_BOX "{box: {size: [4, 4, 0.1]}}"
#define RIDER_BOX "{box: {size: [0.3, 0.3, 0.3]}}"
#define RIDER_HULL                                                                                 \
    "{polyhedron: {vertices: [[0.15, 0.15, -0.15], [-0.15, 0.15, -0.15], [-0.15, -0.15, -0.15], "  \
    "[0.15, -0.15, -0.15], [0.1, 0.1, 0.15], [-0.1, 0.1, 0.15], [-0.1, -0.1, 0.15], [0.1, -0.1, "  \
    "0.15]]}}"

typedef struct turntable {
    const char *table, *rider, *extra;
    double omega, ramp; // [rad/s] final, [s] time of linear growth; 0: steady from the start
    double theta, tolerance, until;
} turntable;

static const turntable cube_on_cylinder = {TABLE_CYLINDER, RIDER_BOX, "", 2.0, 2.0, 0.5,
                                           1e-10,          5.5};

// Distance from the axis at the end, less the exact 1 m at which the rider sticks.
static double turntable_drift(const turntable *t, double h) {
    char omega[64];
    if (t->ramp > 0.0) {
        snprintf(omega, sizeof omega, "\"%g*min(1, t/%g)\"", t->omega, t->ramp);
    } else {
        snprintf(omega, sizeof omega, "%g", t->omega);
    }
    world w = world_open(
        "cairn: 1\ntime: {step: %.17g}\nintegrator: {theta: %g%s}\nsolver: {tolerance: %g}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
        "  - {name: table, material: stone, fixed: true, shape: %s, position: [0, 0, 0.05]}\n"
        "  - {material: stone, shape: %s, position: [1, 0, 0.25], velocity: [0, %g, 0], "
        "angular_velocity: [0, 0, %g]}\n"
        "motions: [{body: table, angular_velocity: [0, 0, %s]}]\n",
        h, t->theta, t->extra, t->tolerance, t->table, t->rider, t->ramp > 0.0 ? 0.0 : t->omega,
        t->ramp > 0.0 ? 0.0 : t->omega, omega);
    world_steps(&w, (int64_t)llround(t->until / h));
    const double *q = world_position(&w, 2);
    double drift = hypot(q[0], q[1]) - 1.0;
    world_close(&w);
    return drift;
}

CN_TEST(box_on_a_turntable_keeps_its_radius_to_second_order) {
    figures f = {0};
    double coarse = turntable_drift(&cube_on_cylinder, 1.0 / 60);
    double fine = turntable_drift(&cube_on_cylinder, 1.0 / 240);
    figure_below(&f, 1e-3, fabs(coarse), "box on turntable: |r - 1| at h = 1/60");
    figure_below(&f, 6e-5, fabs(fine), "box on turntable: |r - 1| at h = 1/240");
    figure_above(&f, 1.9, 0.5 * world_order(coarse, fine), "box on turntable: order");
    figures_check(&f);
}

CN_TEST(box_on_a_steady_turntable_stays_for_a_minute) {
    turntable t = cube_on_cylinder;
    figures f = {0};
    t.ramp = 0.0;
    t.until = 60.0;
    figure_below(&f, 4e-3, fabs(turntable_drift(&t, 1.0 / 60)),
                 "box on steady turntable, 60 s: |r - 1| at h = 1/60");
    figures_check(&f);
}

CN_TEST(box_on_a_turntable_keeps_its_radius_for_every_theta) {
    turntable t = cube_on_cylinder;
    figures f = {0};
    for (int i = 1; i <= 2; i++) {
        t.theta = 0.5 + 0.25 * i;
        figure_below(&f, 1e-3, fabs(turntable_drift(&t, 1.0 / 60)),
                     "box on turntable, theta = %g: |r - 1| at h = 1/60", t.theta);
    }
    figures_check(&f);
}

// Other pairs of shapes, whose contact points come from other searches.
CN_TEST(polyhedra_on_a_turntable_keep_their_radius) {
    static const char *const pair[3][3] = {{"polyhedron on cylinder", TABLE_CYLINDER, RIDER_HULL},
                                           {"polyhedron on box", TABLE_BOX, RIDER_HULL},
                                           {"box on box", TABLE_BOX, RIDER_BOX}};
    figures f = {0};
    for (int i = 0; i < 3; i++) {
        turntable t = cube_on_cylinder;
        t.table = pair[i][1];
        t.rider = pair[i][2];
        figure_below(&f, 1e-3, fabs(turntable_drift(&t, 1.0 / 60)),
                     "%s turntable: |r - 1| at h = 1/60", pair[i][0]);
        figure_below(&f, 6e-5, fabs(turntable_drift(&t, 1.0 / 240)),
                     "%s turntable: |r - 1| at h = 1/240", pair[i][0]);
    }
    figures_check(&f);
}

// A step that is adapted to an error has parts of varying length.
CN_TEST(box_on_a_turntable_keeps_its_radius_with_a_variable_step) {
    turntable t = cube_on_cylinder;
    figures f = {0};
    t.extra = ", error: 1e-5";
    figure_below(&f, 1e-3, fabs(turntable_drift(&t, 1.0 / 60)),
                 "box on turntable, adapted step: |r - 1| at h = 1/60");
    figures_check(&f);
}

CN_TEST(box_on_a_turntable_keeps_its_radius_at_a_loose_tolerance) {
    turntable t = cube_on_cylinder;
    figures f = {0};
    t.tolerance = 1e-3;
    figure_below(&f, 2e-3, fabs(turntable_drift(&t, 1.0 / 60)),
                 "box on turntable, tolerance 1e-3: |r - 1| at h = 1/60");
    figures_check(&f);
}

// The same table as a free body on a hinge with a motor: contacts and joints in one island.
static double hinged_drift(double h) {
    world w = world_open(
        "cairn: 1\ntime: {step: %.17g}\nsolver: {tolerance: 1e-10}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
        "  - {name: table, material: stone, shape: " TABLE_CYLINDER ", position: [0, 0, 0.05]}\n"
        "  - {material: stone, shape: " RIDER_BOX ", position: [1, 0, 0.25]}\n"
        "  - {name: base, material: stone, fixed: true}\n"
        "joints: [{kind: hinge, point: [0, 0, 0], axis: [0, 0, 1], bodies: [base, table], "
        "motor: {velocity: \"2*min(1, t/2)\"}}]\n",
        h);
    world_steps(&w, (int64_t)llround(5.5 / h));
    const double *q = world_position(&w, 2);
    double drift = hypot(q[0], q[1]) - 1.0;
    CN_CHECK_TRUE(fabs(world_velocity(&w, 2)[5]) > 1.9); // the table carries it round
    world_close(&w);
    return drift;
}

CN_TEST(box_on_a_hinged_turntable_keeps_its_radius) {
    figures f = {0};
    figure_below(&f, 1e-3, fabs(hinged_drift(1.0 / 60)),
                 "box on hinged turntable: |r - 1| at h = 1/60");
    figures_check(&f);
}

// ---- sphere on a turntable ----

// A sphere that rolls on a table turning at Omega moves on a circle at 2 Omega/7 whatever its
// start: distance from the start after two circles. Radius 0.525 m.
static double circle_error(const char *table, int32_t steps) {
    const double omega = 2.0, radius = 0.1, x = 1.0, speed = 0.3;
    double until = 14.0 * acos(-1.0) / omega;
    // No slip: v - radius w x z = omega z x (x, 0, 0).
    world w = world_open(
        "cairn: 1\ntime: {step: %.17g}\nsolver: {tolerance: 1e-12}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.8}]\nbodies:\n"
        "  - {name: table, material: stone, fixed: true, shape: %s}\n"
        "  - {material: stone, shape: {sphere: {radius: %g}}, position: [%g, 0, %.17g], "
        "velocity: [0, %g, 0], angular_velocity: [%.17g, 0, 0]}\n"
        "motions: [{body: table, angular_velocity: [0, 0, %g]}]\n",
        until / steps, table, radius, x, radius, speed, -(speed - omega * x) / radius, omega);
    double width = 0.0;
    for (int32_t i = 0; i < steps; i++) {
        world_step(&w);
        width = fmax(width, x - world_position(&w, 2)[0]);
    }
    const double *q = world_position(&w, 2);
    double error = hypot(q[0] - x, q[1]);
    CN_CHECK_NEAR(width, 1.05, 0.1); // it has gone round
    world_close(&w);
    return error;
}

static void check_circles(const char *name, const char *table) {
    figures f = {0};
    double coarse = circle_error(table, 1320), fine = circle_error(table, 5280);
    figure_below(&f, 5e-4, coarse, "sphere on turning %s, two circles: error at h = 1/60", name);
    figure_above(&f, 1.9, 0.5 * world_order(coarse, fine), "sphere on turning %s: order", name);
    figures_check(&f);
}

CN_TEST(sphere_on_a_turning_cylinder_closes_its_circles) {
    check_circles("cylinder", "[{cylinder: {radius: 2, length: 0.1}, position: [0, 0, -0.05]}]");
}

CN_TEST(sphere_on_a_turning_box_closes_its_circles) {
    check_circles("box", "[{box: {size: [4, 4, 0.1]}, position: [0, 0, -0.05]}]");
}

CN_TEST(sphere_on_a_turning_plane_closes_its_circles) {
    check_circles("plane", "{plane: {normal: [0, 0, 1], offset: 0}}");
}

// ---- rolling ellipsoid and coin ----

// An ellipsoid with semi-axes 0.35, 0.2, 0.25, tilted, starts to roll on a plane.
static world ellipsoid(double h, double mu, double e, double speed) {
    const double half[3] = {0.35, 0.2, 0.25}, tilt = 0.6;
    const double spin[3] = {2.0 * speed, 3.0 * speed, 0.5 * speed};
    // Turned about y by tilt: the third row of R is (-sin, 0, cos).
    double row[3] = {-sin(tilt) * half[0], 0.0, cos(tilt) * half[2]}, height = math_norm3(row);
    // The lowest point, from the centre.
    double low[3] = {-(cos(tilt) * half[0] * row[0] + sin(tilt) * half[2] * row[2]) / height, 0.0,
                     -height};
    double v[3];
    math_cross3(low, spin, v); // rolls: v + spin x low = 0
    return world_open(
        "cairn: 1\ntime: {step: %.17g}\nsolver: {tolerance: 1e-12}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: %g, restitution: %g}]\nbodies:\n" GROUND_3D
        "  - {material: stone, shape: {ellipsoid: {axes: [0.7, 0.4, 0.5]}}, position: "
        "[0, 0, %.17g], rotation: {axis: [0, 1, 0], angle: %.17g}, velocity: [%.17g, %.17g, "
        "%.17g], angular_velocity: [%g, %g, %g]}\n",
        h, mu, e, height, tilt, v[0], v[1], v[2], spin[0], spin[1], spin[2]);
}

static void check_roll(figures *f, world *w, const char *name, double h, double until, double depth,
                       double change) {
    watch run = watch_start(w);
    watch_run(w, &run, h, until);
    figure_below(f, depth, run.penetration, "%s, h = %g: penetration [m]", name, h);
    figure_below(f, change, fabs(watch_change(w, &run)) / run.start, "%s, h = %g: |dE|/E0", name,
                 h);
    figure_note(watch_change(w, &run) / run.start, "%s, h = %g: dE/E0", name, h);
    figure_below(f, 1e-5, run.above / run.start, "%s, h = %g: energy above start", name, h);
    CN_CHECK_TRUE(w->unsolved == 0);
    world_close(w);
}

CN_TEST(rolling_ellipsoid_keeps_its_energy_and_its_height) {
    CN_LONG_RUN();
    figures f = {0};
    world w = ellipsoid(2e-3, 0.5, 0.0, 1.0);
    check_roll(&f, &w, "ellipsoid, mu = 0.5", 2e-3, 30.0, 40e-6, 2e-4);
    figures_check(&f);
}

CN_TEST(sliding_ellipsoid_keeps_its_energy_and_its_height) {
    CN_LONG_RUN();
    figures f = {0};
    world w = ellipsoid(2e-3, 0.0, 0.0, 1.0);
    check_roll(&f, &w, "ellipsoid, mu = 0", 2e-3, 30.0, 80e-6, 5e-4);
    figures_check(&f);
}

CN_TEST(rolling_ellipsoid_with_restitution_keeps_its_energy_and_its_height) {
    CN_LONG_RUN();
    figures f = {0};
    world w = ellipsoid(2e-3, 0.5, 0.5, 0.0);
    check_roll(&f, &w, "ellipsoid from rest, e = 0.5", 2e-3, 30.0, 80e-6, 2e-4);
    w = ellipsoid(2e-3, 0.5, 0.5, 1.0);
    check_roll(&f, &w, "ellipsoid, e = 0.5", 2e-3, 30.0, 80e-6, 2e-4);
    figures_check(&f);
}

// A thin disc on its rim, leaning by 0.3 rad, rolls and precesses.
static world coin(double h) {
    const double radius = 0.3, half = 0.005, lean = 0.3;
    // Its axis (sin, 0, cos) of angle pi/2 - lean from the vertical; the lowest rim point.
    double angle = 0.5 * acos(-1.0) - lean, axis[3] = {sin(angle), 0.0, cos(angle)};
    double low[3] = {radius * cos(angle) - half * axis[0], 0.0,
                     -radius * sin(angle) - half * axis[2]};
    double spin[3] = {-4.0 * axis[0], 0.0, -4.0 * axis[2] + 1.0}, v[3];
    math_cross3(low, spin, v);
    return world_open(
        "cairn: 1\ntime: {step: %.17g}\nsolver: {tolerance: 1e-12}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.8}]\nbodies:\n" GROUND_3D
        "  - {material: stone, shape: {cylinder: {radius: %g, length: %g}}, position: [0, 0, "
        "%.17g], rotation: {axis: [0, 1, 0], angle: %.17g}, velocity: [%.17g, %.17g, %.17g], "
        "angular_velocity: [%.17g, %.17g, %.17g]}\n",
        h, radius, 2.0 * half, -low[2], angle, v[0], v[1], v[2], spin[0], spin[1], spin[2]);
}

CN_TEST(coin_on_its_rim_keeps_its_energy_and_its_height) {
    CN_LONG_RUN();
    figures f = {0};
    world w = coin(1e-3);
    check_roll(&f, &w, "coin on its rim", 1e-3, 10.0, 20e-6, 1e-4);
    figures_check(&f);
}

// A checkpoint holds what the next step needs of the last one.
CN_TEST(rolling_resumes_bitwise_from_a_checkpoint) {
    world w = ellipsoid(2e-3, 0.5, 0.0, 1.0), second = ellipsoid(2e-3, 0.5, 0.0, 1.0);
    void *bytes;
    size_t size;
    cn_error error = {0};
    world_steps(&w, 150);
    CN_CHECK_TRUE(cn_sim_save(w.sim, &bytes, &size) == CN_OK);
    CN_CHECK_TRUE(cn_sim_load(second.sim, bytes, size, &error) == CN_OK);
    cn_sim_free(w.sim, bytes, size);
    world_steps(&w, 150);
    world_steps(&second, 150);
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == cn_sim_hash(second.sim));
    world_close(&w);
    world_close(&second);
}

// ---- ring and drum ----

// A disk of radius 0.15 in a fixed ring of radius 1, let go 1 rad from the bottom.
static void check_ring(double e, double factor) {
    const double h = 2e-3, room = 0.85;
    figures f = {0};
    world w =
        world_open("cairn: 1\ndimension: 2\ntime: {step: %g}\nsolver: {tolerance: 1e-12}\n" STONE
                   "contacts: [{between: [\"*\", \"*\"], friction: 0.8, restitution: "
                   "%g}]\nbodies:\n"
                   "  - {material: stone, fixed: true, shape: {ring: {radius: 1}}}\n"
                   "  - {material: stone, shape: {disk: {radius: 0.15}}, position: [%.17g, "
                   "%.17g]}\n",
                   h, e, room * sin(1.0), -room * cos(1.0));
    watch run = watch_start(&w);
    cn_body_info disk;
    cn_model_body(w.model, 2, &disk);
    double swing = disk.mass * 9.81 * room * (1.0 - cos(1.0));
    watch_run(&w, &run, h, 20.0);
    figure_below(&f, factor * 25e-6, run.penetration, "disk in ring, e = %g: penetration [m]", e);
    figure_below(&f, factor * 5e-5, fabs(watch_change(&w, &run)) / swing,
                 "disk in ring, e = %g: share of the swing", e);
    world_close(&w);
    figures_check(&f);
}

CN_TEST(disk_in_a_ring_keeps_its_swing) {
    CN_LONG_RUN();
    check_ring(0.0, 1.0);
}

CN_TEST(disk_with_restitution_in_a_ring_keeps_its_swing) {
    CN_LONG_RUN();
    check_ring(0.5, 4.0);
}

// Thirty disks in a ring that turns at 1.5 rad/s: largest penetration after 5 s, over their radius.
CN_TEST(disks_in_a_drum_do_not_sink) {
    CN_LONG_RUN();
    const double h = 2e-3, radius = 0.1;
    figures f = {0};
    world w = world_open(
        "cairn: 1\ndimension: 2\ntime: {step: %g}\nsolver: {tolerance: 1e-6}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
        "  - {name: drum, material: stone, fixed: true, shape: {ring: {radius: 1}}}\n"
        "generate: [{grid: {count: [6, 5], spacing: [0.21, 0.21], position: [-0.525, -0.42], "
        "jitter: 0.5, material: stone, shape: {disk: {radius: %g}}}}]\n"
        "motions: [{body: drum, angular_velocity: 1.5}]\n",
        h, radius);
    watch run = watch_start(&w);
    watch_run(&w, &run, h, 5.0);
    run.penetration = 0.0;
    watch_run(&w, &run, h, 10.0);
    figure_below(&f, 1e-3, run.penetration / radius, "drum of 30 disks: penetration / radius");
    world_close(&w);
    figures_check(&f);
}

// Eight ellipsoids in a drum of twelve plates that turns at 1.5 rad/s.
CN_TEST(ellipsoids_in_a_drum_of_plates_do_not_sink) {
    CN_LONG_RUN();
    const double h = 2e-3, min = 0.09, part = acos(-1.0) / 6.0;
    char plates[4096] = "";
    figures f = {0};
    for (int i = 0; i < 12; i++) {
        size_t used = strlen(plates);
        snprintf(plates + used, sizeof plates - used,
                 "%s{box: {size: [0.1, 0.6, 0.42]}, position: [%.17g, 0, %.17g], rotation: {axis: "
                 "[0, 1, 0], angle: %.17g}}",
                 i > 0 ? ", " : "", 0.75 * cos(part * i), -0.75 * sin(part * i), part * i);
    }
    world w = world_open(
        "cairn: 1\ntime: {step: %g}\nsolver: {tolerance: 1e-6}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
        "  - {name: drum, material: stone, fixed: true, shape: [%s]}\n"
        "  - {material: stone, fixed: true, shape: [{plane: {normal: [0, 1, 0], offset: -0.25}}, "
        "{plane: {normal: [0, -1, 0], offset: -0.25}}]}\n"
        "generate: [{grid: {count: [2, 2, 2], spacing: [0.26, 0.24, 0.26], position: [-0.13, "
        "-0.12, -0.3], jitter: 0.5, material: stone, shape: {ellipsoid: {axes: [0.24, 0.18, "
        "0.21]}}}}]\n"
        "motions: [{body: drum, angular_velocity: [0, 1.5, 0]}]\n",
        h, plates);
    watch run = watch_start(&w);
    watch_run(&w, &run, h, 3.0);
    run.penetration = 0.0;
    watch_run(&w, &run, h, 6.0);
    figure_below(&f, 2e-3, run.penetration / min,
                 "drum of 8 ellipsoids: penetration / smallest semi-axis");
    world_close(&w);
    figures_check(&f);
}

// ---- bodies thrown with spin ----

#define SLOP 2e-3 // penetration that stays, over the smaller inradius of a pair

// A box with sides 1 and 0.4 falls 1 m with spin at h = 1/60 s and comes to rest.
static void throw_box(figures *f, int32_t dim, double spin, double e) {
    const double h = 1.0 / 60;
    world w =
        dim == 3
            ? world_open("cairn: 1\ntime: {step: %.17g}\nsolver: {tolerance: 1e-10}\n" STONE
                         "contacts: [{between: [\"*\", \"*\"], friction: 0.5, restitution: "
                         "%g}]\nbodies:\n" GROUND_3D
                         "  - {material: stone, shape: {box: {size: [1, 0.6, 0.4]}}, position: "
                         "[0, 0, 1.7], velocity: [1, 0, 0], angular_velocity: [%g, %g, 0]}\n",
                         h, e, 0.3 * spin, spin)
            : world_open("cairn: 1\ndimension: 2\ntime: {step: %.17g}\nsolver: {tolerance: "
                         "1e-10}\n" STONE
                         "contacts: [{between: [\"*\", \"*\"], friction: 0.5, restitution: "
                         "%g}]\nbodies:\n" GROUND_2D
                         "  - {material: stone, shape: {box: {size: [1, 0.4]}}, position: [0, "
                         "1.7], velocity: [1, 0], angular_velocity: %g}\n",
                         h, e, spin);
    watch run = watch_start(&w);
    watch_run(&w, &run, h, 8.0);
    figure_below(f, SLOP * 0.2, w.last.penetration_max,
                 "thrown box, %dD, omega = %g, e = %g: end penetration [m]", dim, spin, e);
    figure_below(f, 1e-9, run.above / run.start,
                 "thrown box, %dD, omega = %g, e = %g: energy above start", dim, spin, e);
    figure_note(run.penetration, "thrown box, %dD, omega = %g, e = %g: largest penetration [m]",
                dim, spin, e);
    world_close(&w);
}

static void throw_boxes(double restitution) {
    figures f = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        throw_box(&f, dim, 5.0, restitution);
        throw_box(&f, dim, 15.0, restitution);
        throw_box(&f, dim, 40.0, restitution);
    }
    figures_check(&f);
}

CN_TEST(thrown_box_ends_on_the_ground_and_gains_nothing) {
    throw_boxes(0.0);
}

CN_TEST(thrown_box_with_restitution_ends_on_the_ground_and_gains_nothing) {
    throw_boxes(0.3);
}

// An ellipsoid that turns by 1 rad per step as it lands.
CN_TEST(ellipsoid_dropped_with_spin_does_not_stay_in_the_ground) {
    const double h = 1.0 / 60;
    figures f = {0};
    world w = world_open(
        "cairn: 1\ntime: {step: %.17g}\nsolver: {tolerance: 1e-10}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n" GROUND_3D
        "  - {material: stone, shape: {ellipsoid: {axes: [0.7, 0.4, 0.5]}}, position: [0, 0, 0.6], "
        "angular_velocity: [10, 60, 0]}\n",
        h);
    watch run = watch_start(&w);
    watch_run(&w, &run, h, 10.0);
    figure_below(&f, 20e-3, run.penetration, "ellipsoid at 60 rad/s: largest penetration [m]");
    figure_below(&f, 2e-3, w.last.penetration_max, "ellipsoid at 60 rad/s: end penetration [m]");
    figure_below(&f, 1e-9, run.above / run.start, "ellipsoid at 60 rad/s: energy above start");
    world_close(&w);
    figures_check(&f);
}

// Largest change of energy of a free box with unequal moments of inertia over 5 steps, over that of
// the start; infinite when a step fails.
static double spin_drift(double spin, double h) {
    double worst = 0.0;
    for (int k = 0; k < 20; k++) {
        double axis[3] = {cos(1.0 * k), sin(1.7 * k), cos(2.3 * k + 1.0)}, size = math_norm3(axis);
        world w =
            world_open("cairn: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g}\n" STONE
                       "bodies: [{material: stone, shape: {box: {size: [0.1, 0.2, 0.3]}}, "
                       "angular_velocity: [%.17g, %.17g, %.17g]}]\n",
                       h, spin * axis[0] / size, spin * axis[1] / size, spin * axis[2] / size);
        double start = w.energy;
        for (int i = 0; i < 5 && worst < HUGE_VAL; i++) {
            if (cn_sim_step(w.sim, &w.last, NULL) != CN_OK) {
                worst = HUGE_VAL;
                break;
            }
            world_look(&w);
            worst = fmax(worst, fabs(w.energy / start - 1.0));
        }
        world_close(&w);
    }
    return worst;
}

// Impacts at 140 m/s make small bodies turn by many radians per step.
CN_TEST(fast_spin_in_free_flight_conserves_energy) {
    figures f = {0};
    for (double turn = 1.0; turn < 200.0; turn *= 3.0) {
        figure_below(&f, 1e-9, spin_drift(60.0 * turn, 1.0 / 60),
                     "free box, %g rad per step: change of energy", turn);
    }
    figures_check(&f);
}

// ---- scenes at rest ----

// Runs a scene at rest; how far `body` moved after the first second, and the solver's iterations.
static void check_rest(const char *name, world *w, cn_body_id body, double h, double until,
                       double creep, double kinetic, int64_t iterations) {
    figures f = {0};
    double start[3], moved[3] = {0.0, 0.0, 0.0};
    watch run = watch_start(w);
    watch_run(w, &run, h, 1.0);
    memcpy(start, world_position(w, body), sizeof start);
    watch_run(w, &run, h, until);
    for (int k = 0; k < cn_model_dim(w->model); k++) {
        moved[k] = world_position(w, body)[k] - start[k];
    }
    figure_below(&f, creep, math_norm3(moved), "%s at rest: creep [m]", name);
    figure_below(&f, kinetic, w->last.kinetic, "%s at rest: kinetic energy at the end [J]", name);
    figure_below(&f, 1.05 * (double)iterations, (double)run.iterations, "%s at rest: iterations",
                 name);
    CN_CHECK_TRUE(w->unsolved == 0);
    world_close(w);
    figures_check(&f);
}

CN_TEST(stack_at_rest_is_left_as_it_is) {
    world w =
        world_open("cairn: 1\ntime: {step: 0.005}\nsolver: {name: nsgs, tolerance: 1e-8}\n" STONE
                   "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n" GROUND_3D
                   "generate: [{column: {count: 10, material: stone, shape: {box: {size: "
                   "[1, 1, 0.4]}}}}]\n");
    check_rest("stack", &w, 11, 0.005, 5.0, 1e-9, 2e-15, 9930);
}

CN_TEST(arch_at_rest_is_left_as_it_is) {
    CN_LONG_RUN();
    world w =
        world_open("cairn: 1\ntime: {step: 0.01}\nsolver: {name: nsgs, tolerance: 1e-8}\n" STONE
                   "contacts: [{between: [\"*\", \"*\"], friction: 0.6}]\nbodies:\n" GROUND_3D
                   "generate: [{arch: {wedges: 21, radius: 1, thickness: 0.2, depth: 0.3, "
                   "material: stone}}]\n");
    check_rest("arch", &w, 12, 0.01, 10.0, 1.2e-9, 4e-16, 6912);
}

CN_TEST(block_at_rest_on_a_slope_is_left_as_it_is) {
    world w =
        world_open("cairn: 1\ngravity: [4.387165, 0, -8.774331]\ntime: {step: 0.005}\n"
                   "solver: {name: nsgs, tolerance: 1e-8}\n" STONE
                   "contacts: [{between: [\"*\", \"*\"], friction: 0.55}]\nbodies:\n" GROUND_3D
                   "  - {material: stone, shape: {box: {size: [1, 1, 1]}}, "
                   "position: [0, 0, 0.5]}\n");
    check_rest("block on slope", &w, 2, 0.005, 5.0, 2e-12, 4e-16, 3372);
}
