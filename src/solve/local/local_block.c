// solve/local/local_block.c
// A contact's block made ready for the local solvers, and the error of a local answer.
//
// The error is the natural map of the one-contact problem with the step 1/scale,
//     e = scale (r - P_K(r - u^/scale)),  u = W r + q,  u^ = (u_N + mu |u_T|, u_T),
// which vanishes at solutions only and has the size of a velocity whatever the units of W.
#include "solve/local/local.h"

#include "math/cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Off-diagonal parts below this share of the block are round-off of its assembly.
#define DIAGONAL_ROUNDOFF 1e-14
// det S over trace(S)^2 above which the 2x2 inverse may be written out: it loses as many digits as
// this has zeros, and LOCAL_ACCURACY must survive.
#define REGULAR_DET 1e-4
// Squares and cubes of blocks within these sizes neither overflow nor vanish.
#define SAFE_SMALL 1e-30
#define SAFE_LARGE 1e30
// Round-off that W r may carry, in units of scale |r|; and the share of |q| beyond which that hides
// everything: r may grow without end where no solution exists.
#define PRODUCT_ROUNDOFF (16.0 * DBL_EPSILON)
#define ROUNDOFF_LIMIT 1e-8

static bool is_isotropic(const local_block *block) {
    const double *W = block->W;
    double allowed = DIAGONAL_ROUNDOFF * block->scale;
    return fabs(W[1]) <= allowed && fabs(W[2]) <= allowed && fabs(W[3]) <= allowed &&
           fabs(W[6]) <= allowed && fabs(W[5]) <= allowed && fabs(W[7]) <= allowed &&
           fabs(W[4] - W[8]) <= allowed;
}

bool local_prepare(const double W[9], double mu, local_block *block) {
    memset(block, 0, sizeof *block);
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        largest += fabs(W[i]);
    }
    double inv_nn = 1.0 / W[0];
    double scale = W[0] / 3.0 + W[4] / 3.0 + W[8] / 3.0;
    if (!(W[0] > 0.0 && inv_nn <= DBL_MAX && scale > 0.0 && largest <= DBL_MAX && mu >= 0.0 &&
          mu <= DBL_MAX)) {
        return false;
    }
    memcpy(block->W, W, sizeof block->W);
    block->mu = mu;
    block->inv_nn = inv_nn;
    for (int i = 0; i < 2; i++) {
        block->nt[i] = W[3 * (i + 1)] / W[0];
        block->tn[i] = W[i + 1] / W[0];
        block->mu_nt[i] = mu * block->nt[i];
    }
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++) {
            block->S[2 * j + i] = W[3 * (j + 1) + i + 1] - block->tn[i] * W[3 * (j + 1)];
        }
    }
    block->scale = scale;
    block->trace = block->S[0] + block->S[3];
    block->det = block->S[0] * block->S[3] - block->S[1] * block->S[2];

    // A block of a size whose powers are safe may take the short ways.
    bool safe = block->scale >= SAFE_SMALL && largest <= SAFE_LARGE;
    block->radial = safe && (mu == 0.0 || is_isotropic(block));
    block->regular =
        safe && block->trace > 0.0 && block->det > REGULAR_DET * block->trace * block->trace;
    block->inv_det = block->regular ? 1.0 / block->det : 0.0;
    return true;
}

static double length3(const double x[3]) {
    return hypot(x[0], hypot(x[1], x[2]));
}

double local_error(const local_block *block, const double q[3], const double r[3]) {
    const double *W = block->W;
    double u[3], e[3];
    for (int i = 0; i < 3; i++) {
        u[i] = q[i] + (W[i] * r[0] + W[3 + i] * r[1] + W[6 + i] * r[2]);
    }
    u[0] += block->mu * math_tangent_norm(3, u);
    for (int i = 0; i < 3; i++) {
        e[i] = r[i] - u[i] / block->scale;
    }
    math_cone_project(3, block->mu, e);
    for (int i = 0; i < 3; i++) {
        e[i] = r[i] - e[i];
    }
    return block->scale * length3(e);
}

bool local_accept(const local_block *block, const double q[3], const double r[3]) {
    double size = length3(q);
    double roundoff = PRODUCT_ROUNDOFF * block->scale * length3(r);
    return size <= DBL_MAX && roundoff <= ROUNDOFF_LIMIT * size &&
           local_error(block, q, r) <= LOCAL_ACCURACY * size + roundoff;
}
