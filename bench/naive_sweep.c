// bench/naive_sweep.c
// The yardstick: block Gauss-Seidel as anybody would first write it. A contact's velocity is summed
// entry by entry along its block row, then one projected step is taken with the trace as scale. It
// converges slowly or not at all on hyperstatic sets; "nsgs" is what to use. Only its time per
// sweep matters here.
#include "bench/bench.h"

#include <math.h>

void naive_sweep(const cn_friction *p, double *r) {
    int32_t dim = p->dim;
    const cn_bsr *W = &p->W.assembled;
    for (int32_t a = 0; a < p->contacts; a++) {
        double u[3] = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < dim; i++) {
            u[i] = p->q[(int64_t)dim * a + i];
        }
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            const double *block = W->value + k * dim * dim;
            const double *rb = r + (int64_t)dim * W->column[k];
            for (int32_t j = 0; j < dim; j++) {
                for (int32_t i = 0; i < dim; i++) {
                    u[i] += block[dim * j + i] * rb[j];
                }
            }
        }
        double trace = 0.0;
        for (int32_t i = 0; i < dim; i++) {
            trace += p->W.diagonal[(int64_t)dim * dim * a + (dim + 1) * i];
        }
        double rho = trace > 0.0 ? 1.0 / trace : 0.0;
        double slip = dim == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
        double *ra = r + (int64_t)dim * a;
        u[0] += p->mu[a] * slip;
        double normal = ra[0] - rho * u[0];
        double tangent = 0.0;
        for (int32_t i = 1; i < dim; i++) {
            ra[i] -= rho * u[i];
            tangent = hypot(tangent, ra[i]);
        }
        // projection on the cone
        double mu = p->mu[a];
        double scale = 1.0;
        if (mu * tangent <= -normal) {
            normal = scale = 0.0;
        } else if (tangent > mu * normal) {
            normal = (normal + mu * tangent) / (1.0 + mu * mu);
            scale = mu * normal / tangent;
        }
        ra[0] = normal;
        for (int32_t i = 1; i < dim; i++) {
            ra[i] *= scale;
        }
    }
}
