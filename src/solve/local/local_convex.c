// solve/local/local_convex.c
// One contact of the convex problem: min over r in K of r.W r/2 + q.r.
//
// 2D: nothing where q is in K*, the free minimum where it is in K, else the better edge.
//
// 3D: for a given r_N = n the tangent part is a trust region problem,
//     (W_TT + l) r_T = -(q_T + n W_TN),  |r_T| <= mu n,  0 <= l orthogonal to mu n - |r_T|,
// whose value is convex in n with the slope u_N - mu |u_T| = W_NN n + W_NT.r_T + q_N - mu^2 l n. So
// n is the root of a function that rises, found by Newton's method within a bracket; l, in the
// principal axes of W_TT, by Newton's method on 1/|r_T|, which is concave (More and Sorensen 1983).
//
// W is taken as symmetric. Where it is indefinite there may be no minimum: false.
#include "solve/local/local.h"

#include "math/cone.h"

#include <float.h>
#include <math.h>

// det over the product of the diagonal below which W is taken as singular: an edge has the minimum
// then too.
#define CONVEX_SINGULAR (16.0 * DBL_EPSILON)
#define CONVEX_STEPS 100   // of either root; a handful is usual
#define CONVEX_SLOPE 1e-14 // of |q|, at which the slope is round-off
#define CONVEX_WIDTH 1e-15 // of n, at which the bracket is

bool local_convex_2d(const double W[4], double mu, const double q[2], double r[2]) {
    double cross = 0.5 * (W[1] + W[2]), det = W[0] * W[3] - cross * cross, best = 0.0;
    r[0] = r[1] = 0.0;
    if (q[0] >= mu * fabs(q[1])) {
        return true;
    }
    if (det > CONVEX_SINGULAR * W[0] * W[3]) {
        double normal = (cross * q[1] - W[3] * q[0]) / det,
               tangent = (cross * q[0] - W[0] * q[1]) / det;
        if (fabs(tangent) <= mu * normal && normal <= DBL_MAX) {
            r[0] = normal;
            r[1] = tangent;
            return true;
        }
    }
    for (int i = 0; i < 2; i++) {
        double t = i == 0 ? mu : -mu, along = q[0] + t * q[1];
        double stiffness = W[0] + t * (2.0 * cross + t * W[3]), length = -along / stiffness;
        if (along < 0.0 && stiffness > 0.0 && length * (1.0 + mu) <= DBL_MAX &&
            length * -along > best) {
            best = length * -along;
            r[0] = length;
            r[1] = t * length;
        }
    }
    return best > 0.0;
}

// A 3D contact in the principal axes of W_TT.
typedef struct convex_axes {
    double mu, w_nn, q_n;
    double w[2], q[2];   // W_TN and q_T
    double stiffness[2]; // principal values of W_TT
    double c, s;         // the first axis
    double r[2], l;      // the answer for the last n
} convex_axes;

static double dot2(const double a[2], const double b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}

static void convex_turn(const local_block *block, const double q[3], convex_axes *x) {
    const double *W = block->W;
    double off = 0.5 * (W[5] + W[7]), half = 0.5 * (W[4] - W[8]), mean = 0.5 * (W[4] + W[8]);
    double radius = hypot(off, half), w[2] = {0.5 * (W[1] + W[3]), 0.5 * (W[2] + W[6])};
    // cos and sin of the angle whose double has the tangent off/half.
    double c = radius > 0.0 ? sqrt(0.5 * (1.0 + fabs(half) / radius)) : 1.0,
           s = radius > 0.0 ? 0.5 * off / (radius * c) : 0.0;
    *x = (convex_axes){.mu = block->mu, .w_nn = W[0], .q_n = q[0]};
    x->c = half >= 0.0 ? c : s;
    x->s = half >= 0.0 ? s : c;
    x->stiffness[0] = mean + radius;
    x->stiffness[1] = fmax(0.0, mean - radius);
    x->w[0] = x->c * w[0] + x->s * w[1];
    x->w[1] = x->c * w[1] - x->s * w[0];
    x->q[0] = x->c * q[1] + x->s * q[2];
    x->q[1] = x->c * q[2] - x->s * q[1];
}

// r_T = -g/(W_TT + l) for a given l; returns its length.
static double convex_tangent(convex_axes *x, const double g[2], double l) {
    for (int i = 0; i < 2; i++) {
        x->r[i] = g[i] == 0.0 ? 0.0 : -g[i] / (x->stiffness[i] + l);
    }
    x->l = l;
    return sqrt(dot2(x->r, x->r));
}

// r_T and l at n > 0.
static void convex_at(convex_axes *x, double n) {
    double radius = x->mu * n, g[2] = {x->q[0] + n * x->w[0], x->q[1] + n * x->w[1]};
    double length = convex_tangent(x, g, 0.0);
    if (length <= radius) {
        return;
    }
    // Below the root, where |r_T| is too large in one axis alone.
    double l = fmax(
        fmax(fabs(g[0]) / radius - x->stiffness[0], fabs(g[1]) / radius - x->stiffness[1]), 0.0);
    for (int k = 0; k < CONVEX_STEPS; k++) {
        length = convex_tangent(x, g, l);
        double fall = 0.0;
        for (int i = 0; i < 2; i++) {
            fall += x->r[i] == 0.0 ? 0.0 : x->r[i] * x->r[i] / (x->stiffness[i] + l);
        }
        double next = l + length * length / fall * (length / radius - 1.0);
        if (!(next > l)) {
            break;
        }
        l = next;
    }
    for (int i = 0; i < 2; i++) {
        x->r[i] *= radius / length;
    }
}

// The slope of the value at n, and its own.
static double proj_convex_slope(convex_axes *x, double n, double *curvature) {
    convex_at(x, n);
    double a[2], b[2]; // w and r over W_TT + l
    for (int i = 0; i < 2; i++) {
        double stiffness = x->stiffness[i] + x->l;
        a[i] = stiffness > 0.0 ? x->w[i] / stiffness : 0.0;
        b[i] = stiffness > 0.0 ? x->r[i] / stiffness : 0.0;
    }
    double mu2 = x->mu * x->mu, rb = dot2(x->r, b);
    double rate = x->l > 0.0 && rb > 0.0 ? -(mu2 * n + dot2(x->r, a)) / rb : 0.0;
    *curvature = x->w_nn - dot2(x->w, a) - rate * dot2(x->w, b) - mu2 * (x->l + n * rate);
    return x->w_nn * n + dot2(x->w, x->r) + x->q_n - mu2 * x->l * n;
}

bool local_convex(const local_block *block, const double q[3], double r[3], double *slip) {
    double size = fabs(q[0]) + fabs(q[1]) + fabs(q[2]), low = 0.0, high = DBL_MAX;
    double n = r[0] > 0.0 ? r[0] : size * block->inv_nn;
    (void)slip;
    r[0] = r[1] = r[2] = 0.0;
    if (q[0] >= block->mu * math_tangent_norm(3, q)) {
        return true;
    }
    if (!(size <= DBL_MAX)) {
        return false;
    }
    if (block->mu == 0.0) {
        r[0] = -q[0] * block->inv_nn;
        return true;
    }
    convex_axes x;
    convex_turn(block, q, &x);
    bool found = false;
    for (int k = 0; k < CONVEX_STEPS && !found; k++) {
        double curvature, slope = proj_convex_slope(&x, n, &curvature);
        found = fabs(slope) <= CONVEX_SLOPE * size || high - low <= CONVEX_WIDTH * n;
        low = slope < 0.0 ? n : low;
        high = slope < 0.0 ? high : n;
        double next = n - slope / curvature, middle = high < DBL_MAX ? 0.5 * (low + high) : 2.0 * n;
        if (!found) {
            n = curvature > 0.0 && next > low && next < high ? next : middle;
        }
    }
    if (!(n * (1.0 + block->mu) <= DBL_MAX)) {
        return false;
    }
    r[0] = n;
    r[1] = x.c * x.r[0] - x.s * x.r[1];
    r[2] = x.s * x.r[0] + x.c * x.r[1];
    return found;
}
