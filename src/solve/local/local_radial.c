// solve/local/local_radial.c
// Explicit radial solution (Renouf, Acary and Dumont 2005, section 6.2): the normal impulse first,
// r_N = c = -q_N/W_NN, then the tangential impulse that would stop the slip left under it, brought
// back to the disc mu r_N along its own direction:
//     r_T = -b min(1/w_t, mu c/|b|),  b = q_T - W_TN q_N/W_NN,  w_t = trace(W_TT)/2.
//
// Exact for W = diag(w_n, w_t, w_t), as between spheres, and for mu = 0. Elsewhere what r_T does to
// u_N is ignored, which makes masonry unstable: use "secular" or "hybrid".
#include "solve/local/local_secular.h"

#include "math/cone.h"

#include <float.h>

bool local_radial(const local_block *block, const double q[3], double r[3], double *slip) {
    (void)slip;
    local_plane plane = local_plane_from_q(block, q);
    if (block->radial && plane.c > 0.0 && local_secular_radial(block, &plane, r)) {
        return true;
    }
    double stiffness = 0.5 * (block->W[4] + block->W[8]);
    double slipping = hypot(plane.b[0], plane.b[1]);
    double share = fmin(1.0 / stiffness, block->mu * plane.c / slipping);
    r[0] = r[1] = r[2] = 0.0;
    if (plane.c > 0.0 && plane.c <= DBL_MAX) {
        r[0] = plane.c;
    }
    if (plane.c > 0.0 && slipping > 0.0 && share * slipping <= DBL_MAX) {
        r[1] = -share * plane.b[0];
        r[2] = -share * plane.b[1];
    }
    return local_accept(block, q, r);
}
