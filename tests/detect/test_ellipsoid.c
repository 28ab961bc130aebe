// The signed distance of a point to an ellipse or ellipsoid.
#include "check.h"

#include "base/rng.h"
#include "detect/narrow/ellipsoid.h"
#include "math/vec3.h"

// The foot is on the surface, its normal is the surface's, and y lies on it at the distance.
static double distance_to(int32_t dim, const double axes[3], const double y[3]) {
    double foot[3], normal[3], gradient[3] = {0.0}, sum = 0.0;
    double d = det_ellipsoid_distance(dim, axes, y, foot, normal);
    for (int i = 0; i < dim; i++) {
        sum += foot[i] / axes[i] * (foot[i] / axes[i]);
        gradient[i] = foot[i] / axes[i] / axes[i];
    }
    CN_CHECK_NEAR(sum, 1.0, 1e-13);
    double length = math_norm3(gradient), size = math_norm3(y) + math_norm3(foot);
    CN_CHECK_NEAR(math_norm3(normal), 1.0, 1e-14);
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(normal[i], gradient[i] / length, 1e-13);
        CN_CHECK_NEAR(foot[i] + d * normal[i], y[i], 1e-13 * size);
    }
    return d;
}

CN_TEST(no_point_of_the_surface_is_nearer) {
    base_rng rng = base_rng_seed(1);
    for (int round = 0; round < 400; round++) {
        int32_t dim = 2 + round % 2;
        double axes[3] = {0.0}, y[3] = {0.0};
        for (int i = 0; i < dim; i++) {
            axes[i] = pow(10.0, base_rng_uniform(&rng, -2.0, 1.0));
            y[i] = axes[i] * base_rng_uniform(&rng, -1.5, 1.5);
        }
        double d = distance_to(dim, axes, y), nearest = INFINITY, inside = -1.0;
        for (int i = 0; i < dim; i++) {
            inside += y[i] / axes[i] * (y[i] / axes[i]);
        }
        CN_CHECK_TRUE((d < 0.0) == (inside < 0.0));
        for (int k = 0; k < 2000; k++) {
            double x[3] = {0.0}, apart[3];
            for (int i = 0; i < dim; i++) {
                x[i] = base_rng_uniform(&rng, -1.0, 1.0);
            }
            double length = math_norm3(x);
            for (int i = 0; i < dim; i++) {
                x[i] *= axes[i] / length;
            }
            math_sub3(x, y, apart);
            nearest = fmin(nearest, math_norm3(apart));
        }
        CN_CHECK_BELOW(fabs(d), nearest * (1.0 + 1e-13));
    }
}

CN_TEST(points_on_planes_of_symmetry_have_a_way_out) {
    const double axes[3] = {3.0, 2.0, 1.0}, same[3] = {1.0, 1.0, 1.0}, flat[3] = {1.0, 1.0, 0.5};
    CN_CHECK_NEAR(distance_to(3, axes, (double[3]){0, 0, 0}), -1.0, 1e-15);
    CN_CHECK_NEAR(distance_to(2, axes, (double[3]){0, 0, 0}), -2.0, 1e-15);
    CN_CHECK_NEAR(distance_to(3, same, (double[3]){0, 0, 0}), -1.0, 1e-15);
    CN_CHECK_NEAR(distance_to(3, flat, (double[3]){0, 0, 0}), -0.5, 1e-15);
    CN_CHECK_NEAR(distance_to(3, same, (double[3]){0, 0.25, 0}), -0.75, 1e-15);
    CN_CHECK_NEAR(distance_to(3, axes, (double[3]){5, 0, 0}), 2.0, 1e-15);
    CN_CHECK_NEAR(distance_to(3, axes, (double[3]){0, 0, -5}), 4.0, 1e-15);
    // On the long axis: past the last centre of curvature, at (9 - 1) / 3, the tip is nearest.
    CN_CHECK_NEAR(distance_to(3, axes, (double[3]){2.8, 0, 0}), -0.2, 1e-14);
    CN_CHECK_BELOW(-distance_to(3, axes, (double[3]){2.5, 0, 0}), 0.5);
    // Just off the plane: the same to first order.
    for (double off = 1e-300; off < 1e-8; off *= 1e10) {
        CN_CHECK_NEAR(distance_to(3, axes, (double[3]){0.5, 0.3, off}),
                      distance_to(3, axes, (double[3]){0.5, 0.3, 0}), 1e-8);
    }
}

CN_TEST(extreme_axes_and_far_points_stay_finite) {
    const double needle[3] = {1e6, 1.0, 1e-3}, big[3] = {1e100, 1e99, 1e98};
    distance_to(3, needle, (double[3]){9e5, 0.1, 1e-4});
    CN_CHECK_NEAR(distance_to(3, needle, (double[3]){0, 0, 1}), 0.999, 1e-15);
    CN_CHECK_NEAR(distance_to(3, big, (double[3]){0, 0, 3e98}) / 1e98, 2.0, 1e-14);
    CN_CHECK_NEAR(distance_to(3, (double[3]){1, 2, 3}, (double[3]){1e9, 0, 0}), 1e9 - 1.0, 1e-6);
}
