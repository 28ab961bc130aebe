// The Coulomb cone: what a projection onto a closed convex cone must do, on random vectors.
#include "check.h"

#include "base/rng.h"
#include "math/cone.h"

#include <string.h>

#define CN_TRIES 4000
// A few roundings of numbers of the order of 1, and of (1 + mu^2).
#define CN_ROUNDOFF 1e-14

typedef struct cone_case {
    int32_t dim;
    double mu, x[3], y[3], Px[3], Py[3];
} cone_case;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance(const double a[3], const double b[3]) {
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot(d, d));
}

// Two random vectors and their projections; mu is 0 in a quarter of the cases.
static cone_case random_case(base_rng *rng) {
    cone_case c = {.dim = 2 + base_rng_below(rng, 2)};
    c.mu = base_rng_below(rng, 4) == 0 ? 0.0 : base_rng_uniform(rng, 0.0, 3.0);
    for (int i = 0; i < c.dim; i++) {
        c.x[i] = base_rng_uniform(rng, -1.0, 1.0);
        c.y[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    memcpy(c.Px, c.x, sizeof c.x);
    memcpy(c.Py, c.y, sizeof c.y);
    math_cone_project(c.dim, c.mu, c.Px);
    math_cone_project(c.dim, c.mu, c.Py);
    return c;
}

CN_TEST(projection_lands_in_the_cone) {
    base_rng rng = base_rng_seed(1);
    for (int i = 0; i < CN_TRIES; i++) {
        cone_case c = random_case(&rng);
        CN_CHECK_BELOW(math_tangent_norm(c.dim, c.Px) - c.mu * c.Px[0], CN_ROUNDOFF);
        CN_CHECK_BELOW(-c.Px[0], 0.0);
    }
}

CN_TEST(projection_is_idempotent) {
    base_rng rng = base_rng_seed(2);
    for (int i = 0; i < CN_TRIES; i++) {
        cone_case c = random_case(&rng);
        double again[3] = {c.Px[0], c.Px[1], c.Px[2]};
        math_cone_project(c.dim, c.mu, again);
        CN_CHECK_BELOW(distance(again, c.Px), CN_ROUNDOFF);
    }
}

CN_TEST(projection_is_nonexpansive) {
    base_rng rng = base_rng_seed(3);
    for (int i = 0; i < CN_TRIES; i++) {
        cone_case c = random_case(&rng);
        CN_CHECK_BELOW(distance(c.Px, c.Py), distance(c.x, c.y) + CN_ROUNDOFF);
    }
}

// x = P_K(x) + P_K°(x), the parts orthogonal; K° = { z_N <= -mu |z_T| } is the polar cone.
CN_TEST(projection_leaves_an_orthogonal_part_in_the_polar_cone) {
    base_rng rng = base_rng_seed(4);
    for (int i = 0; i < CN_TRIES; i++) {
        cone_case c = random_case(&rng);
        double rest[3] = {c.x[0] - c.Px[0], c.x[1] - c.Px[1], c.x[2] - c.Px[2]};
        CN_CHECK_NEAR(dot(rest, c.Px), 0.0, CN_ROUNDOFF);
        CN_CHECK_BELOW(rest[0] + c.mu * math_tangent_norm(c.dim, rest), CN_ROUNDOFF);
    }
}

// No point of the cone is nearer: (x - Px) . (z - Px) <= 0 for every z in K.
CN_TEST(projection_is_the_nearest_point) {
    base_rng rng = base_rng_seed(5);
    for (int i = 0; i < CN_TRIES; i++) {
        cone_case c = random_case(&rng);
        double rest[3] = {c.x[0] - c.Px[0], c.x[1] - c.Px[1], c.x[2] - c.Px[2]};
        double step[3] = {c.Py[0] - c.Px[0], c.Py[1] - c.Px[1], c.Py[2] - c.Px[2]};
        CN_CHECK_BELOW(dot(rest, step), CN_ROUNDOFF);
    }
}

CN_TEST(projection_is_positively_homogeneous) {
    base_rng rng = base_rng_seed(6);
    static const double factors[] = {1e-200, 1e-6, 3.0, 1e6, 1e200};
    for (int i = 0; i < CN_TRIES; i++) {
        cone_case c = random_case(&rng);
        double factor = factors[i % 5];
        double scaled[3] = {factor * c.x[0], factor * c.x[1], factor * c.x[2]};
        math_cone_project(c.dim, c.mu, scaled);
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(scaled[k] / factor, c.Px[k], CN_ROUNDOFF);
        }
    }
}

CN_TEST(projection_keeps_the_cone_and_kills_the_polar_cone) {
    double inside[3] = {1.0, 0.3, -0.3}, polar[3] = {-1.0, 1.2, 1.2}, side[3] = {0.0, 3.0, 4.0};
    math_cone_project(3, 0.5, inside);
    CN_CHECK_TRUE(inside[0] == 1.0 && inside[1] == 0.3 && inside[2] == -0.3);
    math_cone_project(3, 0.5, polar);
    CN_CHECK_TRUE(polar[0] == 0.0 && polar[1] == 0.0 && polar[2] == 0.0);
    // |z_T| = 5, mu = 1/2: r_N = (5/2)/(5/4) = 2, |r_T| = 1.
    math_cone_project(3, 0.5, side);
    CN_CHECK_NEAR(side[0], 2.0, CN_ROUNDOFF);
    CN_CHECK_NEAR(side[1], 0.6, CN_ROUNDOFF);
    CN_CHECK_NEAR(side[2], 0.8, CN_ROUNDOFF);
}
