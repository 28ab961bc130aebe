// math/cone.h
// The Coulomb cone K = { |z_T| <= mu z_N } in 2D and 3D, normal first.
#ifndef CAIRN_MATH_CONE_H
#define CAIRN_MATH_CONE_H

#include <math.h>
#include <stdint.h>

// |z_T|, scaled so that neither overflow nor underflow spoils it.
static inline double math_tangent_norm(int32_t dim, const double *z) {
    if (dim == 2) {
        return fabs(z[1]);
    }
    double square = z[1] * z[1] + z[2] * z[2];
    if (square > 1e-280 && square < 1e280) {
        return sqrt(square);
    }
    return z[1] == 0.0 && z[2] == 0.0 ? 0.0 : hypot(z[1], z[2]); // open contacts have zeros
}

// z := P_K(z).
static inline void math_cone_project(int32_t dim, double mu, double *z) {
    double tangent = math_tangent_norm(dim, z);
    if (mu * tangent <= -z[0]) {
        z[0] = 0.0;
        for (int32_t i = 1; i < dim; i++) {
            z[i] = 0.0;
        }
    } else if (tangent > mu * z[0]) {
        double normal = (z[0] + mu * tangent) / (1.0 + mu * mu);
        z[0] = normal;
        for (int32_t i = 1; i < dim; i++) {
            z[i] *= mu * normal / tangent;
        }
    }
}

#endif
