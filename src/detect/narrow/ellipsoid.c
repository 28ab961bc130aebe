// detect/narrow/ellipsoid.c
// The point x of an ellipsoid with semi-axes a nearest to y: y = x + t N, N_i = x_i / a_i^2, so
//     N_i = y_i / (a_i^2 + t),    F(t) = sum (a_i N_i)^2 = 1,
// with t the one root above -min a^2, where F falls from infinity to 0 (Eberly 2013). Newton's
// method on 1/sqrt(F) - 1, which is nearly straight, between bounds. Where the smallest axis has
// y = 0 the pole is missing and, deep inside, so is the root: t = -min a^2, and the surface has two
// points as near, off the plane of symmetry.
#include "detect/narrow/ellipsoid.h"

#include "math/vec3.h"

#define ROOT_MAX 100 // of steps; bisection alone ends on the last bit before that

// In units of the smallest semi-axis: the others, a^2 - 1, and the point in the first octant.
typedef struct secular {
    int32_t dim;
    double a[3], c[3], p[3];
} secular;

// F at t = u - 1, and -F'/2.
static double secular_value(const secular *s, double u, double *slope) {
    double F = 0.0;
    *slope = 0.0;
    for (int32_t i = 0; i < s->dim; i++) {
        double from = s->c[i] + u, term = s->p[i] > 0.0 ? s->a[i] * s->p[i] / from : 0.0;
        F += term * term;
        *slope += s->p[i] > 0.0 ? term * term / from : 0.0;
    }
    return F;
}

// The root of F = 1 between low and high, F(low) >= 1 >= F(high).
static double secular_root(const secular *s, double low, double high) {
    double u = low;
    for (int32_t k = 0; k < ROOT_MAX; k++) {
        double slope, F = secular_value(s, u, &slope);
        if (F == 1.0) {
            break;
        }
        low = F > 1.0 ? u : low;
        high = F < 1.0 ? u : high;
        double next = u + (sqrt(F) - 1.0) * F / slope;
        if (!(next >= low && next <= high)) {
            next = 0.5 * (low + high);
        }
        if (next == u || !(low < high)) {
            break;
        }
        u = next;
    }
    return u;
}

double det_ellipsoid_distance(int32_t dim, const double axes[3], const double y[3], double foot[3],
                              double normal[3]) {
    secular s = {.dim = dim};
    double min = axes[0], low = 0.0, far = 0.0, spare = 1.0, slope;
    int32_t smallest = 0;
    for (int32_t i = 1; i < dim; i++) {
        smallest = axes[i] < min ? i : smallest;
        min = axes[smallest];
    }
    for (int32_t i = 0; i < dim; i++) {
        s.a[i] = axes[i] / min;
        s.c[i] = (s.a[i] - 1.0) * (s.a[i] + 1.0);
        s.p[i] = fabs(y[i]) / min;
        far += s.a[i] * s.p[i] * s.a[i] * s.p[i];
        low = fmax(low, s.a[i] * s.p[i] - s.c[i]); // one term alone reaches 1 there
    }
    double high = sqrt(far), u = low; // F <= far / u^2
    bool split = !(low > 0.0) && !(secular_value(&s, 0.0, &slope) > 1.0);
    if (!split && high > low) {
        u = secular_root(&s, low, high);
    }
    double N[3] = {0.0};
    for (int32_t i = 0; i < dim; i++) {
        N[i] = s.p[i] > 0.0 ? s.p[i] / (s.c[i] + u) : 0.0;
        spare -= s.a[i] * N[i] * s.a[i] * N[i];
    }
    if (split) {
        N[smallest] = sqrt(fmax(spare, 0.0));
    }
    double length = math_norm3(N);
    for (int i = 0; i < 3; i++) {
        double sign = i < dim && y[i] < 0.0 ? -1.0 : 1.0;
        normal[i] = sign * N[i] / length;
        foot[i] = sign * min * s.a[i] * s.a[i] * N[i];
    }
    return (u - 1.0) * length * min;
}
