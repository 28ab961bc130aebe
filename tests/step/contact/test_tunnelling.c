// Fast bodies with restitution and thin obstacles: nothing passes through, or the report says so;
// bodies that miss fly on; nothing gains energy.
#include "shots.h"

#include "base/rng.h"
#include "math/rotation.h"
#include "math/vec3.h"

#define STONE "materials: {stone: {density: 1000}}\n"
#define SHOTS 100
#define SPEEDS 5

static const double speeds[SPEEDS] = {5.0, 10.0, 20.0, 50.0, 140.0};
static const double restitutions[3] = {0.3, 0.5, 0.9};

// ---- single shots at a plate ----

typedef enum projectile { ROUND, BOX, HULL } projectile;

// A plate 2 m wide, centred at the origin, its normal along the last axis, and a projectile of
// 0.5 kg. Lengths [m].
typedef struct shot {
    int32_t dim;
    projectile kind;
    bool free;        // the plate is free, with 5 kg, else it is fixed
    double thickness; // of the plate
    double radius;    // of the sphere; half of the edge of the box
    double h, e, mu;
    double start[3], velocity[3], spin[3];
    double axis[3], angle; // orientation of the projectile
    int64_t steps;         // from the start until it is judged
} shot;

static const char *vector(char out[96], int32_t dim, const double x[3]) {
    if (dim == 3) {
        snprintf(out, 96, "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
    } else {
        snprintf(out, 96, "[%.17g, %.17g]", x[0], x[1]);
    }
    return out;
}

static void projectile_shape(const shot *s, char *out, size_t room) {
    double r = s->radius;
    if (s->kind == ROUND) {
        snprintf(out, room, "%s: {radius: %g}", s->dim == 3 ? "sphere" : "disk", r);
    } else if (s->kind == BOX) {
        snprintf(out, room, s->dim == 3 ? "box: {size: [%g, %g, %g]}" : "box: {size: [%g, %g]}",
                 2.0 * r, 2.0 * r, 2.0 * r);
    } else if (s->dim == 3) {
        snprintf(out, room,
                 "polyhedron: {vertices: [[%g, 0, 0], [%g, %g, 0], [%g, %g, 0], [0, %g, %g], [0, "
                 "0, %g], [%g, %g, %g]]}",
                 r, -r, 0.3 * r, -0.5 * r, -r, r, 0.2 * r, r, -0.2 * r, 0.1 * r, -r);
    } else {
        snprintf(out, room, "polygon: {vertices: [[%g, %g], [%g, %g], [0, %g], [%g, 0]]}", -r,
                 -0.6 * r, 0.7 * r, -0.8 * r, r, -1.1 * r);
    }
}

static world shot_world(const shot *s) {
    char shape[400], start[96], velocity[96], turned[200], spin[96];
    projectile_shape(s, shape, sizeof shape);
    vector(start, s->dim, s->start);
    vector(velocity, s->dim, s->velocity);
    if (s->dim == 3) {
        snprintf(turned, sizeof turned, "rotation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}",
                 s->axis[0], s->axis[1], s->axis[2], s->angle);
        vector(spin, 3, s->spin);
    } else {
        snprintf(turned, sizeof turned, "angle: %.17g", s->angle);
        snprintf(spin, sizeof spin, "%.17g", s->spin[2]);
    }
    return world_open(
        "cairn: 1\ndimension: %d\ngravity: [0, 0%s]\ntime: {step: %.17g}\n"
        "solver: {tolerance: 1e-12}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: %g, restitution: %g}]\nbodies:\n"
        "  - {material: stone, %s, shape: {box: {size: [2, %s%g]}}}\n"
        "  - {material: stone, mass: 0.5, shape: {%s}, position: %s, velocity: %s, %s, "
        "angular_velocity: %s}\n",
        s->dim, s->dim == 3 ? ", 0" : "", s->h, s->mu, s->e, s->free ? "mass: 5" : "fixed: true",
        s->dim == 3 ? "2, " : "", s->thickness, shape, start, velocity, turned, spin);
}

// The projectile's centre in the plate's own frame.
static void place(const world *w, int32_t dim, double out[3]) {
    const double *plate = world_position(w, 1), *x = world_position(w, 2);
    double away[3] = {x[0] - plate[0], x[1] - plate[1], dim == 3 ? x[2] - plate[2] : 0.0};
    if (dim == 3) {
        double R[9];
        math_quat_matrix(plate + 3, R);
        math_mat3_apply_transposed(R, away, out);
    } else {
        out[0] = cos(plate[2]) * away[0] + sin(plate[2]) * away[1];
        out[1] = -sin(plate[2]) * away[0] + cos(plate[2]) * away[1];
        out[2] = 0.0;
    }
}

// Whether a step went through the plate from above: across its middle plane, inside its edges.
static bool crossed(int32_t dim, const double before[3], const double after[3]) {
    int32_t n = dim - 1;
    if (!(before[n] >= 0.0 && after[n] < 0.0)) {
        return false;
    }
    double t = before[n] / (before[n] - after[n]);
    bool inside = true;
    for (int32_t k = 0; k < n; k++) {
        inside = inside && fabs(before[k] + t * (after[k] - before[k])) < 1.0;
    }
    return inside;
}

// What became of many shots.
typedef struct score {
    int passed, silent, touched;
    double restitution; // largest error of the rebound's normal velocity over that of the arrival
    double rise;        // largest gain of energy over that of the start
    int64_t limited, early;
} score;

static void shoot(const shot *s, score *sum) {
    world w = shot_world(s);
    watch run = watch_start(&w);
    int32_t n = s->dim - 1;
    bool passed = false;
    double at[2][3];
    place(&w, s->dim, at[0]);
    for (int64_t i = 0; i < s->steps; i++) {
        watch_step(&w, &run);
        place(&w, s->dim, at[(i + 1) % 2]);
        passed = passed || crossed(s->dim, at[i % 2], at[(i + 1) % 2]);
    }
    const double *v = world_velocity(&w, 2);
    sum->passed += passed;
    sum->silent += passed && run.passed == 0;
    bool touched = false;
    for (int32_t k = 0; k < s->dim; k++) {
        touched = touched || fabs(v[k] - s->velocity[k]) > 1e-9;
    }
    sum->touched += touched;
    sum->restitution =
        fmax(sum->restitution, fabs(v[n] + s->e * s->velocity[n]) / fabs(s->velocity[n]));
    // With friction Newton's restitution may gain energy where a body has no round contact.
    bool judged = s->kind == ROUND || s->mu == 0.0;
    sum->rise = fmax(sum->rise, judged ? run.above / run.start : 0.0);
    sum->limited += run.limited;
    sum->early += run.early;
    world_close(&w);
}

// Aims at a place of the plate's face, `spread` from its middle at most, at up to 50 degrees from
// the normal, and starts so that the arrival lies anywhere in a step.
static void aim(base_rng *rng, shot *s, double speed, double spread) {
    double tilt = base_rng_uniform(rng, 0.0, 0.87), round = base_rng_uniform(rng, 0.0, 6.2831853);
    double along[2] = {sin(tilt) * cos(round), sin(tilt) * sin(round)};
    int32_t n = s->dim - 1;
    if (s->dim == 2) {
        along[0] = base_rng_below(rng, 2) ? sin(tilt) : -sin(tilt);
    }
    double height = 0.2 + base_rng_uniform(rng, 0.0, 1.0) * speed * cos(tilt) * s->h;
    for (int32_t k = 0; k < n; k++) {
        s->velocity[k] = speed * along[k];
        s->start[k] = base_rng_uniform(rng, -spread, spread) - height / cos(tilt) * along[k];
    }
    s->velocity[n] = -speed * cos(tilt);
    s->start[n] = height;
    s->angle = s->kind == ROUND ? 0.0 : base_rng_uniform(rng, -3.0, 3.0);
    for (int32_t k = 0; k < 3; k++) {
        s->axis[k] = base_rng_uniform(rng, 0.1, 1.0);
        s->spin[k] = s->kind == ROUND ? 0.0 : base_rng_uniform(rng, -5.0, 5.0);
    }
    // Past the plate by its thickness and the projectile's, and two steps more.
    s->steps = (int64_t)ceil((height + 0.2) / (speed * cos(tilt) * s->h)) + 2;
}

static const char *shot_name(const shot *s) {
    static const char *const names[3][2] = {
        {"disks", "spheres"}, {"boxes", "boxes"}, {"polygons", "polyhedra"}};
    return names[s->kind][s->dim - 2];
}

// A hundred shots at each speed and restitution at a plate 2 cm thick at h = 1/60 s; one row of
// figures per speed.
static void check_shots(int32_t dim, projectile kind, bool free) {
    figures f = {0};
    int count = CN_WORLD_SLOW ? SHOTS / 10 : SHOTS;
    for (int i = 0; i < SPEEDS; i++) {
        score sum = {0};
        shot s = {.dim = dim, .kind = kind, .free = free, .thickness = 0.02, .radius = 0.05};
        s.h = 1.0 / 60;
        for (int j = 0; j < 3; j++) {
            base_rng rng = base_rng_seed((uint64_t)(1 + i + 10 * j));
            s.e = restitutions[j];
            for (int k = 0; k < count; k++) {
                s.mu = k % 2 ? 0.3 : 0.0;
                aim(&rng, &s, speeds[i], free ? 0.1 : 0.4);
                shoot(&s, &sum);
            }
        }
        char name[80];
        snprintf(name, sizeof name, "%dD %s, %s plate, %g m/s", dim, shot_name(&s),
                 free ? "free" : "fixed", speeds[i]);
        figure_below(&f, 0.0, sum.silent, "%s: passed silently of %d", name, 3 * count);
        if (kind == ROUND) {
            figure_below(&f, 0.0, sum.passed, "%s: passed of %d", name, 3 * count);
        } else {
            figure_note(sum.passed, "%s: passed of %d", name, 3 * count);
        }
        if (kind == ROUND && !free && speeds[i] > 50.0) {
            figure_note(sum.restitution, "%s: error of the restitution", name);
        } else if (kind == ROUND && !free) {
            figure_below(&f, 1e-9, sum.restitution, "%s: error of the restitution", name);
        }
        figure_below(&f, 1e-9, sum.rise, "%s: energy gained over that of the start", name);
        figure_note((double)sum.limited, "%s: limited", name);
    }
    figures_check(&f);
}

CN_TEST(disks_do_not_pass_a_fixed_plate) {
    check_shots(2, ROUND, false);
}

CN_TEST(disks_do_not_pass_a_free_plate) {
    check_shots(2, ROUND, true);
}

CN_TEST(spheres_do_not_pass_a_fixed_plate) {
    check_shots(3, ROUND, false);
}

CN_TEST(spheres_do_not_pass_a_free_plate) {
    check_shots(3, ROUND, true);
}

CN_TEST(boxes_of_the_plane_do_not_pass_a_fixed_plate_silently) {
    check_shots(2, BOX, false);
}

CN_TEST(boxes_of_the_plane_do_not_pass_a_free_plate_silently) {
    check_shots(2, BOX, true);
}

CN_TEST(boxes_do_not_pass_a_fixed_plate_silently) {
    check_shots(3, BOX, false);
}

CN_TEST(boxes_do_not_pass_a_free_plate_silently) {
    check_shots(3, BOX, true);
}

CN_TEST(polygons_do_not_pass_a_fixed_plate_silently) {
    check_shots(2, HULL, false);
}

CN_TEST(polyhedra_do_not_pass_a_fixed_plate_silently) {
    check_shots(3, HULL, false);
}

// ---- the shots of the report that found the defect ----

static void check_found(figures *f, double speed, double thickness, double radius, double h) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        base_rng rng = base_rng_seed(5);
        score sum = {0};
        shot s = {.dim = dim, .thickness = thickness, .radius = radius, .h = h, .mu = 0.3};
        for (int k = 0; k < SHOTS; k++) {
            s.e = restitutions[k % 3];
            aim(&rng, &s, speed, 0.4);
            shoot(&s, &sum);
        }
        figure_below(f, 0.0, sum.passed, "%g m/s through %g m at h = %.3g, %dD: passed of %d",
                     speed, thickness, h, dim, SHOTS);
    }
}

CN_TEST(sphere_at_15_m_per_s_does_not_pass_2_cm_at_a_sixtieth) {
    figures f = {0};
    check_found(&f, 15.0, 0.02, 0.05, 1.0 / 60);
    figures_check(&f);
}

CN_TEST(sphere_at_100_m_per_s_does_not_pass_1_cm_at_a_millisecond) {
    figures f = {0};
    check_found(&f, 100.0, 0.01, 0.02, 1e-3);
    figures_check(&f);
}

// Two equal spheres meet head-on, each at 160 m/s, at any phase of a step of 1 ms.
CN_TEST(spheres_at_160_m_per_s_do_not_pass_each_other) {
    figures f = {0};
    base_rng rng = base_rng_seed(9);
    for (int32_t dim = 2; dim <= 3; dim++) {
        int passed = 0;
        double error = 0.0;
        for (int k = 0; k < SHOTS; k++) {
            const char *none = dim == 3 ? ", 0" : "", *shape = dim == 3 ? "sphere" : "disk";
            double x = base_rng_uniform(&rng, 0.1, 0.5);
            world w = world_open(
                "cairn: 1\ndimension: %d\ngravity: [0, 0%s]\ntime: {step: 1e-3}\n"
                "solver: {tolerance: 1e-12}\n" STONE
                "contacts: [{between: [\"*\", \"*\"], friction: 0.3, restitution: 0.5}]\nbodies:\n"
                "  - {material: stone, shape: {%s: {radius: 0.05}}, position: [%.17g, 0%s], "
                "velocity: [160, 0%s]}\n"
                "  - {material: stone, shape: {%s: {radius: 0.05}}, position: [%.17g, 0%s], "
                "velocity: [-160, 0%s]}\n",
                dim, none, shape, -x, none, none, shape, x, none, none);
            world_steps(&w, 8);
            passed += world_position(&w, 1)[0] > world_position(&w, 2)[0];
            error = fmax(error, fabs(world_velocity(&w, 1)[0] + 80.0));
            world_close(&w);
        }
        figure_below(&f, 0.0, passed, "head-on at 160 m/s, %dD: passed", dim);
        figure_below(&f, 1e-7, error, "head-on at 160 m/s, %dD: error of the velocity [m/s]", dim);
    }
    figures_check(&f);
}

// Early impacts are counted; a slow shot has none.
CN_TEST(early_impacts_are_reported) {
    figures f = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        base_rng rng = base_rng_seed(4);
        score fast = {0}, slow = {0};
        shot s = {.dim = dim, .thickness = 0.02, .radius = 0.05, .h = 1.0 / 60, .e = 0.5};
        for (int k = 0; k < 20; k++) {
            aim(&rng, &s, 50.0, 0.4);
            shoot(&s, &fast);
            aim(&rng, &s, 1.0, 0.4);
            shoot(&s, &slow);
        }
        figure_above(&f, 10.0, (double)fast.early, "%dD, 20 shots at 50 m/s: early impacts", dim);
        figure_below(&f, 0.0, (double)slow.early, "%dD, 20 shots at 1 m/s: early impacts", dim);
        figure_below(&f, 0.0, (double)slow.passed, "%dD, 20 shots at 1 m/s: passed", dim);
    }
    figures_check(&f);
}

// ---- shots at the edge of the plate ----

// Least distance between the plate and the path of the projectile's centre. Along a line the
// distance from a convex body is convex.
static double path_distance(const shot *s) {
    double low = 0.0, high = 4.0 * s->start[s->dim - 1] / -s->velocity[s->dim - 1], best = HUGE_VAL;
    for (int i = 0; i < 200; i++) {
        double at[2] = {low + (high - low) / 3.0, high - (high - low) / 3.0}, square[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            for (int32_t d = 0; d < s->dim; d++) {
                double half = d == s->dim - 1 ? 0.5 * s->thickness : 1.0;
                double out = fabs(s->start[d] + at[k] * s->velocity[d]) - half;
                square[k] += out > 0.0 ? out * out : 0.0;
            }
        }
        best = fmin(best, sqrt(fmin(square[0], square[1])));
        if (square[0] < square[1]) {
            high = at[1];
        } else {
            low = at[0];
        }
    }
    return best;
}

// A pair is fast, and held, where a step would take it deeper than half the sum of its inradii; a
// hit that only clips the edge may stay shallower.
CN_TEST(shots_at_the_edge_hit_or_miss_as_their_path_says) {
    const double fast = 0.5 * (0.05 + 0.01);
    figures f = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < 2; i++) {
            double speed = i == 0 ? 5.0 : 20.0;
            base_rng rng = base_rng_seed(21);
            int hits = 0, missed = 0, grazed = 0, deflected = 0;
            for (int k = 0; k < SHOTS; k++) {
                score one = {0};
                shot s = {.dim = dim, .thickness = 0.02, .radius = 0.05, .h = 1.0 / 60, .e = 0.5};
                aim(&rng, &s, speed, 0.1);
                s.start[0] += 1.02;
                shoot(&s, &one);
                double depth = s.radius - path_distance(&s);
                bool hit = depth > 0.0;
                hits += hit;
                missed += depth > fast && one.touched == 0;
                grazed += hit && depth <= fast && one.touched == 0;
                deflected += !hit && one.touched > 0;
            }
            figure_note(hits, "edge, %dD, %g m/s: true hits", dim, speed);
            figure_below(&f, 0.0, missed, "edge, %dD, %g m/s: deep hits missed", dim, speed);
            figure_note(grazed, "edge, %dD, %g m/s: shallow hits missed", dim, speed);
            figure_below(&f, 2.0, deflected, "edge, %dD, %g m/s: misses deflected", dim, speed);
        }
    }
    figures_check(&f);
}

// ---- bouncing on a thin plate ----

// A disk or sphere arrives at 10 m/s on a plate 2 cm thick; tops of three bounces over the closed
// form e^(2k) v^2/2g.
CN_TEST(bounces_on_a_thin_plate_reach_their_height) {
    figures f = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        const char *none = dim == 3 ? "0, 0, " : "0, ";
        world w = world_open(
            "cairn: 1\ndimension: %d\ntime: {step: %.17g}\nsolver: {tolerance: 1e-12}\n" STONE
            "contacts: [{between: [\"*\", \"*\"], friction: 0, restitution: 0.8}]\nbodies:\n"
            "  - {material: stone, fixed: true, shape: {box: {size: [2, %s0.02]}}}\n"
            "  - {material: stone, shape: {%s: {radius: 0.05}}, position: [%s0.06], velocity: "
            "[%s10]}\n",
            dim, 1.0 / 60, dim == 3 ? "2, " : "", dim == 3 ? "sphere" : "disk", none, none);
        double last = 10.0, worst = 0.0, top = 50.0 / 9.81;
        for (int k = 0; k < 4 && cn_sim_time(w.sim) < 10.0;) {
            world_step(&w);
            double up = world_velocity(&w, 2)[dim - 1];
            double z = world_position(&w, 2)[dim - 1] - 0.06 + 0.5 * up * up / 9.81;
            if (last > 0.0 && up <= 0.0) {
                worst = fmax(worst, fabs(z / (top * pow(0.64, k)) - 1.0));
                k++;
            }
            last = up;
        }
        figure_below(&f, 0.0, world_position(&w, 2)[dim - 1] < 0.0, "thin plate, %dD: passed", dim);
        figure_below(&f, 0.04, worst, "thin plate, %dD: error of the heights", dim);
        world_close(&w);
    }
    figures_check(&f);
}

// ---- thin-walled box ----

typedef struct chamber {
    int32_t dim;
    const char *shape; // of its eight bodies
    double speed, e, mu;
} chamber;

// A room of 1 m with walls of 2 cm and eight bodies that start at the same speed in all directions.
static world chamber_world(const chamber *c) {
    static const char *const walls[2] = {
        "[{box: {size: [1.04, 0.02]}, position: [0, -0.01]}, {box: {size: [1.04, 0.02]}, position: "
        "[0, 1.01]}, {box: {size: [0.02, 1.04]}, position: [-0.51, 0.5]}, {box: {size: [0.02, "
        "1.04]}, position: [0.51, 0.5]}]",
        "[{box: {size: [1.04, 1.04, 0.02]}, position: [0, 0, -0.01]}, {box: {size: [1.04, 1.04, "
        "0.02]}, position: [0, 0, 1.01]}, {box: {size: [0.02, 1.04, 1.04]}, position: [-0.51, 0, "
        "0.5]}, {box: {size: [0.02, 1.04, 1.04]}, position: [0.51, 0, 0.5]}, {box: {size: [1.04, "
        "0.02, 1.04]}, position: [0, -0.51, 0.5]}, {box: {size: [1.04, 0.02, 1.04]}, position: "
        "[0, 0.51, 0.5]}]"};
    char bodies[6000] = "";
    base_rng rng = base_rng_seed(3);
    for (int i = 0; i < 8; i++) {
        size_t used = strlen(bodies);
        double x[3] = {-0.33 + 0.22 * (i % 4), 0.3 + 0.4 * (i / 4), 0.5}, v[3], length = 0.0;
        if (c->dim == 3) {
            x[0] = i % 2 ? 0.2 : -0.2;
            x[1] = i / 2 % 2 ? 0.2 : -0.2;
            x[2] = i / 4 ? 0.7 : 0.3;
        }
        for (int k = 0; k < 3; k++) {
            v[k] = k < c->dim ? base_rng_uniform(&rng, -1.0, 1.0) : 0.0;
            length += v[k] * v[k];
        }
        for (int k = 0; k < 3; k++) {
            v[k] *= c->speed / sqrt(length);
        }
        char at[96], velocity[96];
        snprintf(bodies + used, sizeof bodies - used,
                 "  - {material: stone, shape: {%s}, position: %s, velocity: %s}\n", c->shape,
                 vector(at, c->dim, x), vector(velocity, c->dim, v));
    }
    return world_open(
        "cairn: 1\ndimension: %d\ntime: {step: %.17g}\nsolver: {tolerance: 1e-13}\n" STONE
        "contacts: [{between: [\"*\", \"*\"], friction: %g, restitution: "
        "%g}]\nbodies:\n  - {material: stone, fixed: true, shape: %s}\n%s",
        c->dim, 1.0 / 60, c->mu, c->e, walls[c->dim - 2], bodies);
}

// Bodies whose centre has left the room.
static int outside(const world *w, int32_t dim) {
    int sum = 0;
    for (int32_t i = 2; i <= 9; i++) {
        const double *x = world_position(w, i);
        bool out = !(fabs(x[dim - 1] - 0.5) < 0.5);
        for (int32_t k = 0; k < dim - 1; k++) {
            out = out || !(fabs(x[k]) < 0.5);
        }
        sum += out;
    }
    return sum;
}

typedef struct stay {
    int outside;
    double drift; // largest change of energy over that of the start, elastic
    double above; // largest energy above the start over it
    double end;   // penetration
    int64_t passed, limited, early;
} stay;

static stay run_chamber(const chamber *c) {
    world w = chamber_world(c);
    watch run = watch_start(&w);
    stay out = {0};
    int steps = CN_WORLD_SLOW && c->e == 1.0 ? 60 : 300; // with friction until they rest
    for (int i = 0; i < steps; i++) {
        watch_step(&w, &run);
        out.drift = fmax(out.drift, fabs(watch_change(&w, &run)) / run.start);
    }
    out.outside = outside(&w, c->dim);
    out.above = run.above / run.start;
    out.end = w.last.penetration_max;
    out.passed = run.passed;
    out.limited = run.limited;
    out.early = run.early;
    world_close(&w);
    return out;
}

// Elastic, without friction. Slow ones conserve their energy, whatever their speed they gain none.
static void check_elastic(const char *name, int32_t dim, const char *shape, bool round) {
    static const double speed[4] = {3.0, 10.0, 20.0, 40.0};
    figures f = {0};
    for (int i = 0; i < 4; i++) {
        chamber c = {dim, shape, speed[i], 1.0, 0.0};
        stay out = run_chamber(&c);
        int64_t silent = out.outside > out.passed ? out.outside - out.passed : 0;
        figure_below(&f, 0.0, (double)silent, "chamber, %s, %g m/s: outside silently", name,
                     speed[i]);
        if (round) {
            figure_below(&f, 0.0, out.outside, "chamber, %s, %g m/s: outside", name, speed[i]);
        } else {
            figure_note(out.outside, "chamber, %s, %g m/s: outside", name, speed[i]);
        }
        figure_below(&f, 1e-9, out.above, "chamber, %s, %g m/s: energy above start", name,
                     speed[i]);
        if (round && speed[i] <= 10.0) {
            figure_below(&f, 1e-12, out.drift, "chamber, %s, %g m/s: change of energy", name,
                         speed[i]);
            figure_below(&f, 0.0, (double)out.limited, "chamber, %s, %g m/s: limited", name,
                         speed[i]);
        } else {
            figure_note(out.drift, "chamber, %s, %g m/s: change of energy", name, speed[i]);
            figure_note((double)out.limited, "chamber, %s, %g m/s: limited", name, speed[i]);
        }
    }
    figures_check(&f);
}

CN_TEST(elastic_disks_stay_in_a_thin_walled_box) {
    check_elastic("disks", 2, "disk: {radius: 0.08}", true);
}

CN_TEST(elastic_spheres_stay_in_a_thin_walled_box) {
    check_elastic("spheres", 3, "sphere: {radius: 0.08}", true);
}

CN_TEST(elastic_boxes_stay_in_a_thin_walled_box) {
    check_elastic("boxes", 3, "box: {size: [0.12, 0.14, 0.16]}", false);
}

CN_TEST(elastic_polyhedra_stay_in_a_thin_walled_box) {
    check_elastic("polyhedra", 3,
                  "polyhedron: {vertices: [[0.08, 0, 0], [-0.08, 0.02, 0], [-0.04, -0.08, 0], [0, "
                  "0.08, 0.02], [0, 0, 0.08], [-0.02, 0.01, -0.08]]}",
                  false);
}

// With friction and loss: nobody outside, no limiter, no gain, no penetration that stays.
CN_TEST(disks_with_friction_stay_in_a_thin_walled_box) {
    static const double speed[3] = {3.0, 10.0, 20.0}, e[3] = {0.3, 0.5, 0.8};
    figures f = {0};
    for (int i = 0; i < 9; i++) {
        chamber c = {2, "disk: {radius: 0.08}", speed[i % 3], e[i / 3], 0.3};
        stay out = run_chamber(&c);
        figure_below(&f, 0.0, out.outside, "chamber, mu = 0.3, e = %g, %g m/s: outside", c.e,
                     c.speed);
        figure_below(&f, 0.0, (double)out.limited, "chamber, mu = 0.3, e = %g, %g m/s: limited",
                     c.e, c.speed);
        figure_below(&f, 1e-9, out.above, "chamber, mu = 0.3, e = %g, %g m/s: energy above start",
                     c.e, c.speed);
        figure_below(&f, 2e-4, out.end, "chamber, mu = 0.3, e = %g, %g m/s: end penetration [m]",
                     c.e, c.speed);
    }
    figures_check(&f);
}
