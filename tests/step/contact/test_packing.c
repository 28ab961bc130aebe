// Many grains: coordination and fraction of heaps (V20), the load in a silo (V21).
#include "world.h"

#include "math/vec3.h"
#include "model/model.h"

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

// Balls or disks poured into the box.
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
    double min = 1e-4 * 3.0 * 9.81 * 0.02; // of a grain's weight in a step
    int32_t carrying = 0;
    for (int32_t i = 0; i < cn_sim_contact_count(w.sim); i++) {
        cn_contact_record contact;
        cn_sim_contact(w.sim, i, &contact);
        carrying += hypot(hypot(contact.impulse[0], contact.impulse[1]), contact.impulse[2]) > min;
    }
    world_close(&w);
    return 2.0 * carrying / count;
}

CN_TEST(frictionless_disks_come_to_four_contacts) {
    CN_LONG_RUN();
    CN_CHECK_NEAR(coordination(2, 60, 20.0), 4.0, 0.15);
}

CN_TEST(frictionless_spheres_come_to_six_contacts) {
    CN_LONG_RUN();
    CN_CHECK_NEAR(coordination(3, 80, 20.0), 6.0, 0.2);
}

// ---- the fraction of space that balls fill ----

#define LATTICE 48 // points along an edge

// The share of a box of space inside balls, by a lattice of points; bodies from `first` on.
static double filled(const world *w, int32_t first, const double low[3], const double high[3]) {
    static bool inside[LATTICE][LATTICE][LATTICE];
    int64_t sum = 0;
    memset(inside, 0, sizeof inside);
    for (int32_t i = first; i <= cn_model_body_count(w->model); i++) {
        cn_shape_info sphere;
        cn_model_shape(w->model, i, 0, &sphere);
        int from[3], to[3];
        double cell[3];
        for (int k = 0; k < 3; k++) {
            double x = world_position(w, i)[k] - low[k];
            cell[k] = (high[k] - low[k]) / LATTICE;
            from[k] = (int)fmax(0.0, floor((x - sphere.radius) / cell[k]));
            to[k] = (int)fmin(LATTICE, ceil((x + sphere.radius) / cell[k]));
        }
        for (int a = from[0]; a < to[0]; a++) {
            for (int b = from[1]; b < to[1]; b++) {
                for (int c = from[2]; c < to[2]; c++) {
                    const double point[3] = {low[0] + (a + 0.5) * cell[0],
                                             low[1] + (b + 0.5) * cell[1],
                                             low[2] + (c + 0.5) * cell[2]};
                    double away[3];
                    math_sub3(point, world_position(w, i), away);
                    bool in = math_norm3(away) < sphere.radius && !inside[a][b][c];
                    inside[a][b][c] |= in;
                    sum += in;
                }
            }
        }
    }
    return (double)sum / (LATTICE * LATTICE * LATTICE);
}

// Mean of sixteen fillings, since single ones scatter by 0.02, of a box five diameters wide, away
// from its walls by a diameter and a half; with more effort eight diameters wide, away by two.
static double bulk_fraction(double mu) {
    bool large = world_effort() > 1;
    int32_t count = large ? 700 : 200, fillings = large ? 1 + world_effort() : 16;
    double half = large ? 8.0 : 5.0, away = large ? 4.0 : 3.0, mean = 0.0;
    for (int seed = 1; seed <= fillings; seed++) {
        world w = world_open(
            HEAD
            "time: {step: 0.02}\n"
            "solver: {name: nsgs, tolerance: 1e-3, max_iterations: 500, on_stall: continue}\n"
            "contacts: [{between: [\"*\", \"*\"], friction: 0, correction: 1e-3}, "
            "{between: [grain, grain], friction: %g}]\nbodies:\n"
            "  - {material: wall, fixed: true, shape: [{plane: {normal: [0, 0, 1]}}, {plane: "
            "{normal: [1, 0, 0], offset: %g}}, {plane: {normal: [-1, 0, 0], offset: %g}}, "
            "{plane: {normal: [0, 1, 0], offset: %g}}, {plane: {normal: [0, -1, 0], offset: "
            "%g}}]}\n"
            "generate: [{packing: {count: %d, radius: [0.85, 1.15], inside: [[%g, %g, 0], [%g, "
            "%g, 300]], gap: 0.1, seed: %d, material: grain}}]\n",
            mu, -half, -half, -half, -half, count, -half, -half, half, half, seed);
        world_run(&w, large ? 8.0 : 4.0);
        double height = 0.0;
        for (int32_t i = 2; i < 2 + count; i++) {
            height += 2.0 * world_position(&w, i)[2] / count; // of a column of uniform weight
        }
        const double low[3] = {away - half, away - half, away};
        const double high[3] = {half - away, half - away, height - away};
        mean += filled(&w, 2, low, high) / fillings;
        world_close(&w);
    }
    return mean;
}

// Random packings fill 0.55 to 0.64, the less the more friction.
CN_TEST(friction_loosens_a_random_packing) {
    CN_LONG_RUN();
    double smooth = bulk_fraction(0.0), rough = bulk_fraction(0.5);
    print_message("filled: %.4f without friction, %.4f with 0.5\n", smooth, rough);
    CN_CHECK_TRUE(smooth > 0.59 && smooth < 0.645);
    CN_CHECK_TRUE(rough > 0.55 && rough < 0.6);
    CN_CHECK_TRUE(smooth - rough > 0.015);
}

// ---- V21 ----

#define GRAINS 170
#define WIDTH 8.0
#define CUTS 14
#define SILO_STEP 0.01

// What a silo's walls and cuts carry, summed over steps and fillings.
typedef struct silo {
    double depth[CUTS], load[CUTS]; // of horizontal cuts: weight above less what the walls hold
    double pressed, held;           // by the walls: normal and upward
    double base, weight;
    double samples;
} silo;

// The height of the filling above the floor, were its weight uniform.
static double silo_height(const world *w, double *weight) {
    double moment = 0.0;
    *weight = 0.0;
    for (int32_t i = 4; i < 4 + GRAINS; i++) {
        double own = 9.81 * w->model->body[i - 1].mass;
        *weight += own;
        moment += own * (world_position(w, i)[1] - world_position(w, 1)[1]);
    }
    return 2.0 * moment / *weight;
}

// The part of a disk above a line that runs `below` under its centre, in radii.
static double part_above(double below) {
    double x = fmin(1.0, fmax(-1.0, below));
    return 0.5 + (x * sqrt(1.0 - x * x) + asin(x)) / M_PI;
}

static void silo_sample(const world *w, silo *s) {
    double weight, height = silo_height(w, &weight), top = world_position(w, 1)[1] + height;
    for (int c = 0; c < CUTS; c++) {
        double depth = height * (c + 1) / (CUTS + 1);
        s->depth[c] += depth;
        for (int32_t i = 4; i < 4 + GRAINS; i++) {
            cn_shape_info disk;
            cn_model_shape(w->model, i, 0, &disk);
            double below = (world_position(w, i)[1] - top + depth) / disk.radius;
            s->load[c] += 9.81 * w->model->body[i - 1].mass * part_above(below);
        }
    }
    for (int32_t i = 0; i < cn_sim_contact_count(w->sim); i++) {
        cn_contact_record contact;
        cn_sim_contact(w->sim, i, &contact);
        double up = contact.impulse[1] / SILO_STEP;
        if (contact.antagonist == 1) {
            s->base += up;
        } else if (contact.antagonist <= 3) {
            s->pressed += fabs(contact.impulse[0]) / SILO_STEP;
            s->held += up;
            for (int c = 0; c < CUTS; c++) {
                bool above = contact.point[1] > top - height * (c + 1) / (CUTS + 1);
                s->load[c] -= above ? up : 0.0;
            }
        }
    }
    s->weight += weight;
    s->samples += 1.0;
}

// A filling of smooth grains that do not turn, between rough walls, whose floor goes down slowly.
static void silo_fill(int seed, silo *s) {
    world w = world_open(
        HEAD
        "dimension: 2\ntime: {step: %g}\nsolver: {tolerance: 1e-3}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0.5, correction: 1e-3}, "
        "{between: [grain, grain], friction: 0}]\nbodies:\n"
        "  - {name: floor, material: wall, fixed: true, shape: {line: {normal: [0, 1]}}}\n" LINE(
            "1, 0", "-4")
            LINE("-1, 0", "-4") "generate: [{packing: {count: %d, radius: [0.4, 0.6], inside: "
                                "[[-4, 0], [4, 300]], "
                                "seed: %d, lock: [rz], material: grain}}]\n"
                                "motions: [{body: floor, velocity: [0, \"-0.5*(t>4)\"]}]\n",
        SILO_STEP, GRAINS, seed);
    world_run(&w, 5.0);
    for (int i = 0; i < 400; i++) {
        world_step(&w);
        silo_sample(&w, s);
    }
    world_close(&w);
}

// The best F (1 - exp(-z/lambda)); returns its R^2.
static double saturation_fit(const silo *s, double *lambda) {
    double best = -1.0, mean = 0.0, spread = 0.0;
    for (int c = 0; c < CUTS; c++) {
        mean += s->load[c] / CUTS;
    }
    for (int c = 0; c < CUTS; c++) {
        spread += (s->load[c] - mean) * (s->load[c] - mean);
    }
    for (double trial = 1.0; trial < 300.0; trial *= 1.005) {
        double ff = 0.0, fl = 0.0, left = 0.0, f[CUTS];
        for (int c = 0; c < CUTS; c++) {
            f[c] = 1.0 - exp(-s->depth[c] / s->samples / trial);
            ff += f[c] * f[c];
            fl += f[c] * s->load[c];
        }
        for (int c = 0; c < CUTS; c++) {
            double off = s->load[c] - fl / ff * f[c];
            left += off * off;
        }
        if (1.0 - left / spread > best) {
            best = 1.0 - left / spread;
            *lambda = trial;
        }
    }
    return best;
}

// Janssen: d load/dz = weight per depth - load/lambda with lambda = W/(2 mu K), mu being what the
// walls mobilise and K their pressure over that in the cuts.
CN_TEST(silo_load_saturates_as_janssen_says) {
    CN_LONG_RUN();
    silo s = {0};
    for (int seed = 1; seed <= 6 * world_effort(); seed++) {
        silo_fill(seed, &s);
    }
    double lambda = 0.0, r2 = saturation_fit(&s, &lambda), mean = 0.0;
    for (int c = 0; c < CUTS; c++) {
        mean += s.load[c] / CUTS;
    }
    double height = s.depth[0] * (CUTS + 1) / s.samples;
    double mu = s.held / s.pressed, K = (s.pressed / (2.0 * height)) / (mean / WIDTH);
    double janssen = WIDTH / (2.0 * mu * K);
    print_message(
        "lambda %.3g m fitted, %.3g m by Janssen (mu %.3g, K %.3g); R^2 %.4f; base %.3f\n", lambda,
        janssen, mu, K, r2, s.base / s.weight);
    CN_CHECK_TRUE(r2 > 0.98);
    CN_CHECK_NEAR(lambda / janssen, 1.0, 0.2);
    CN_CHECK_NEAR(s.base / s.weight, janssen / height * (1.0 - exp(-height / janssen)), 0.05);
    CN_CHECK_BELOW(s.base, 0.6 * s.weight);
}
