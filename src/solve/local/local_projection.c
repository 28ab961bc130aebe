// solve/local/local_projection.c
// Fixed-point projection with a self-adaptive step (Khobotov's test):
//     r := P_K(r - rho u^(r)),  u^ = (u_N + mu |u_T|, u_T),  u = W r + q,
// rho cut until rho |u^(r+) - u^(r)| <= 0.9 |r+ - r|, and raised when it was far from that.
//
// Needs nothing of W but products; converges like a gradient method, that is slowly for elongated
// blocks (hundreds of steps), where mu is large perhaps not at all: "secular" is exact at once.
#include "solve/local/local.h"

#include "math/cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PROJECTION_STEPS 2000
#define PROJECTION_CUTS 60
// Accept a step below the upper ratio; lengthen the next one below the lower.
#define KHOBOTOV_UPPER 0.9
#define KHOBOTOV_LOWER 0.6
#define KHOBOTOV_CUT (2.0 / 3.0)
#define KHOBOTOV_RAISE 1.5
// Change of a step, over the size of r, that is round-off.
#define PROJECTION_ROUNDOFF (0.5 * DBL_EPSILON)

static double length_of(const double x[3]) {
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// u^ in units of the size of q, for r in units of size/scale.
static void projection_velocity(const local_block *block, const double q[3], const double x[3],
                                double u[3]) {
    for (int i = 0; i < 3; i++) {
        u[i] = q[i] + (block->W[i] * x[0] + block->W[3 + i] * x[1] + block->W[6 + i] * x[2]) /
                          block->scale;
    }
    u[0] += block->mu * math_tangent_norm(3, u);
}

// One accepted step from x with velocity u; both are replaced. Returns |x+ - x|.
static double projection_step(const local_block *block, const double q[3], double x[3], double u[3],
                              double *rho) {
    double y[3], v[3], dx[3], du[3], change = 0.0, ratio = 0.0;
    for (int cut = 0; cut < PROJECTION_CUTS; cut++) {
        for (int i = 0; i < 3; i++) {
            y[i] = x[i] - *rho * u[i];
        }
        math_cone_project(3, block->mu, y);
        projection_velocity(block, q, y, v);
        for (int i = 0; i < 3; i++) {
            dx[i] = y[i] - x[i];
            du[i] = v[i] - u[i];
        }
        change = length_of(dx);
        ratio = *rho * length_of(du) / change;
        if (!(ratio > KHOBOTOV_UPPER)) {
            break;
        }
        *rho *= KHOBOTOV_CUT * fmin(1.0, 1.0 / ratio);
    }
    if (ratio < KHOBOTOV_LOWER) {
        *rho *= KHOBOTOV_RAISE;
    }
    memcpy(x, y, sizeof y);
    memcpy(u, v, sizeof v);
    return change;
}

bool local_projection(const local_block *block, const double q[3], double r[3], double *slip) {
    (void)slip;
    double size = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2])));
    double unit = size / block->scale, rho = 1.0;
    double x[3] = {r[0] / unit, r[1] / unit, r[2] / unit}, u[3];
    r[0] = r[1] = r[2] = 0.0;
    if (!(q[0] < 0.0 && size <= DBL_MAX)) {
        return q[0] >= 0.0;
    }
    if (!(length_of(x) <= DBL_MAX)) {
        x[0] = x[1] = x[2] = 0.0;
    }
    double unit_q[3] = {q[0] / size, q[1] / size, q[2] / size};
    projection_velocity(block, unit_q, x, u);
    for (int step = 0; step < PROJECTION_STEPS; step++) {
        double change = projection_step(block, unit_q, x, u, &rho);
        if (!(change > PROJECTION_ROUNDOFF * length_of(x))) {
            break;
        }
    }
    if (unit * length_of(x) <= DBL_MAX) {
        r[0] = unit * x[0];
        r[1] = unit * x[1];
        r[2] = unit * x[2];
    }
    return local_accept(block, q, r);
}
