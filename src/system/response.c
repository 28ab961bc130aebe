// system/response.c
// Velocities from impulses under joints: K x = b + E' s, G x = d, by the Schur complement
//     S s = d - G K^-1 b,   S = G K^-1 E'
// with dense LU factors. Joint rows that depend on one another make S singular; a relative
// compliance of JOINT_COMPLIANCE on its diagonal then picks bounded impulses, and changes G x by
// no more than that share.
//
// Cubic in the number of coordinates: for some tens of them.
#include "base/error.h"
#include "sparse/dense.h"
#include "system/system.h"

#include <string.h>

#define JOINT_COMPLIANCE 1e-12 // of S_jj; well above rounding, well below any tolerance

bool sys_response_allocate(int32_t n, int32_t joints, cn_arena *memory, sys_response *out) {
    *out = (sys_response){.n = n,
                          .joints = joints,
                          .K = BASE_TAKE_ZERO(memory, double, (int64_t)n *n),
                          .pivot = BASE_TAKE(memory, int32_t, n),
                          .KG = BASE_TAKE_ZERO(memory, double, (int64_t)joints *n),
                          .S = BASE_TAKE_ZERO(memory, double, (int64_t)joints *joints),
                          .S_pivot = BASE_TAKE(memory, int32_t, joints),
                          .s = BASE_TAKE_ZERO(memory, double, joints)};
    return out->K && out->pivot && out->KG && out->S && out->S_pivot && out->s;
}

static double response_dot(int32_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

cn_status sys_response_prepare(sys_response *response, const double *G, const double *E,
                               cn_error *error) {
    int32_t n = response->n, m = response->joints;
    response->G = G;
    if (!sparse_lu_factor(n, response->K, response->pivot)) {
        return base_fail(error, CN_ERR_NUMERIC, "the mass matrix is singular");
    }
    for (int32_t j = 0; j < m; j++) {
        memcpy(response->KG + (int64_t)n * j, E + (int64_t)n * j, sizeof(double) * (size_t)n);
        sparse_lu_solve(n, response->K, response->pivot, response->KG + (int64_t)n * j);
    }
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < m; j++) {
            response->S[(int64_t)m * i + j] =
                response_dot(n, G + (int64_t)n * i, response->KG + (int64_t)n * j);
        }
        response->S[(int64_t)(m + 1) * i] *= 1.0 + JOINT_COMPLIANCE;
    }
    if (m > 0 && !sparse_lu_factor(m, response->S, response->S_pivot)) {
        return base_fail(error, CN_ERR_NUMERIC, "the joints have no influence on the coordinates");
    }
    return CN_OK;
}

void sys_response_apply(sys_response *response, const double *d, double *x) {
    int32_t n = response->n, m = response->joints;
    sparse_lu_solve(n, response->K, response->pivot, x);
    if (m == 0) {
        return;
    }
    for (int32_t j = 0; j < m; j++) {
        response->s[j] = (d ? d[j] : 0.0) - response_dot(n, response->G + (int64_t)n * j, x);
    }
    sparse_lu_solve(m, response->S, response->S_pivot, response->s);
    for (int32_t j = 0; j < m; j++) {
        for (int32_t i = 0; i < n; i++) {
            x[i] += response->KG[(int64_t)n * j + i] * response->s[j];
        }
    }
}
