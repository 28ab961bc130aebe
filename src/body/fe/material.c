// body/fe/material.c
// Hooke's law in 3D, plane strain and plane stress; principal values by cyclic Jacobi rotations,
// which keep full relative accuracy of the directions also for equal values.
#include "body/fe/material.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// Sweeps of the Jacobi method: it converges quadratically, a 3x3 matrix needs at most about 6.
#define FE_JACOBI_SWEEPS 20

cn_status fe_material_validate(const fe_material *m, cn_error *error) {
    if (!(m->density > 0.0 && isfinite(m->density))) {
        return base_fail(error, CN_ERR_INPUT, "the density %g is not positive", m->density);
    }
    if (!(m->young > 0.0 && isfinite(m->young))) {
        return base_fail(error, CN_ERR_INPUT, "Young's modulus %g is not positive", m->young);
    }
    if (!(m->poisson > -1.0 && m->poisson < 0.5)) {
        base_fail(error, CN_ERR_INPUT, "Poisson's ratio %g is not in (-1, 0.5)", m->poisson);
        base_fail_hint(error, "for an almost incompressible material write 0.499");
        return CN_ERR_INPUT;
    }
    const double damping[2] = {m->damping_mass, m->damping_stiffness};
    for (int i = 0; i < 2; i++) {
        if (!(damping[i] >= 0.0 && isfinite(damping[i]))) {
            return base_fail(error, CN_ERR_INPUT, "the damping %g of the %s is not >= 0",
                             damping[i], i == 0 ? "mass" : "stiffness");
        }
    }
    return CN_OK;
}

fe_elastic fe_elastic_of(const fe_material *m, int32_t dim, fe_plane plane) {
    bool thin = dim == 2 && plane == FE_PLANE_STRESS;
    double nu = m->poisson, shear = m->young / (2.0 * (1.0 + nu));
    double lambda =
        thin ? m->young * nu / (1.0 - nu * nu) : m->young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    fe_elastic out = {.strains = dim == 2 ? 3 : 6, .lateral = thin ? 0.0 : nu};
    for (int32_t i = 0; i < out.strains; i++) {
        double *row = out.D + out.strains * i;
        for (int32_t j = 0; i < dim && j < dim; j++) {
            row[j] = lambda;
        }
        row[i] += i < dim ? 2.0 * shear : shear;
    }
    return out;
}

double fe_mises(const double s[6]) {
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * shear);
}

// Rotates rows and columns p, q of A so that A_pq = 0, and the rows p, q of V with them.
static void rotate_pair(double A[9], double V[9], int p, int q) {
    double apq = A[3 * p + q];
    if (apq == 0.0) {
        return;
    }
    double half = 0.5 * (A[3 * q + q] - A[3 * p + p]) / apq;
    double t = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(half * half + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = A[3 * k + p], kq = A[3 * k + q];
        A[3 * k + p] = c * kp - s * kq;
        A[3 * k + q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = A[3 * p + k], qk = A[3 * q + k];
        A[3 * p + k] = c * pk - s * qk;
        A[3 * q + k] = s * pk + c * qk;
        double vp = V[3 * p + k], vq = V[3 * q + k];
        V[3 * p + k] = c * vp - s * vq;
        V[3 * q + k] = s * vp + c * vq;
    }
    A[3 * p + q] = A[3 * q + p] = 0.0;
}

void fe_principal(const double s[6], double value[3], double direction[9]) {
    double A[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
    double V[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    for (int sweep = 0; sweep < FE_JACOBI_SWEEPS; sweep++) {
        if (A[1] == 0.0 && A[2] == 0.0 && A[5] == 0.0) {
            break;
        }
        rotate_pair(A, V, 0, 1);
        rotate_pair(A, V, 0, 2);
        rotate_pair(A, V, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++) {
        for (int j = i; j > 0 && A[4 * order[j]] > A[4 * order[j - 1]]; j--) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
    for (int i = 0; i < 3; i++) {
        value[i] = A[4 * order[i]];
        memcpy(direction + 3 * i, V + 3 * order[i], 3 * sizeof *V);
    }
    // The third as the product of the others: right-handed whatever the order.
    const double *a = direction, *b = direction + 3;
    direction[6] = a[1] * b[2] - a[2] * b[1];
    direction[7] = a[2] * b[0] - a[0] * b[2];
    direction[8] = a[0] * b[1] - a[1] * b[0];
}
