// solve/projection/lcp_cpg.c
// Conjugate projected gradient for an LCP with symmetric positive semi-definite M, which is the
// minimisation of z.M z/2 + q.z over z >= 0 (Renouf and Alart 2005; Renouf, Acary and Dumont 2005,
// section 6.3). With the residue g = -(M z + q) and directions p:
//     alpha = g.p / p.M p,    z := max(0, z + alpha p)
//     w = g where z > 0 or g > 0, else 0;   y = p there, else 0
//     beta = -w.M p / p.M p,  p := w + beta y              beta = 0 where p would not descend
// in the metric of the diagonal. As in the paper it ends, stalled, when p.M p vanishes.
//
// Bad for unsymmetric M, of which it minimises something else: "lemke". Scratch: 5 n.
#include "base/arena.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/pivoting/lcp_dense.h"
#include "sparse/csr.h"

#include <string.h>

// p.M p below this share of the size of p has vanished: what rounding leaves of zero.
#define LCP_CPG_DEGENERATE 1e-14

typedef struct lcp_cpg_state {
    const cn_lcp *problem;
    double *scale; // the diagonal of M, 1 where it is not positive
    double *z, *w; // the iterate and M z + q
    double *p, *Mp;
    double *g; // the residue over the diagonal, projected
} lcp_cpg_state;

static double vector_dot(int32_t n, const double *x, const double *y) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void lcp_cpg_scales(const cn_lcp *p, double *scale) {
    for (int32_t i = 0; i < p->n; i++) {
        scale[i] = 1.0;
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            if (p->M.column[k] == i && p->M.value[k] > 0.0) {
                scale[i] = p->M.value[k];
            }
        }
    }
}

// The next direction. pMp: of the last one; 0 when there is none to conjugate with.
static void lcp_cpg_turn(lcp_cpg_state *s, double pMp) {
    int32_t n = s->problem->n;
    double along = 0.0, descent = 0.0, kept = 0.0;
    for (int32_t i = 0; i < n; i++) {
        bool free = s->z[i] > 0.0 || s->w[i] < 0.0;
        s->g[i] = free ? -s->w[i] / s->scale[i] : 0.0;
        s->p[i] = free ? s->p[i] : 0.0;
        along -= s->g[i] * s->Mp[i];
        descent -= s->g[i] * s->w[i];
        kept -= s->p[i] * s->w[i];
    }
    double beta = pMp > 0.0 ? along / pMp : 0.0;
    if (!(descent + beta * kept > 0.0 && beta > 0.0)) {
        beta = 0.0;
    }
    for (int32_t i = 0; i < n; i++) {
        s->p[i] = s->g[i] + beta * s->p[i];
    }
}

// One step; false when p.M p has vanished.
static bool lcp_cpg_step(lcp_cpg_state *s) {
    int32_t n = s->problem->n;
    double size = 0.0;
    sparse_csr_apply(&s->problem->M, s->p, s->Mp);
    for (int32_t i = 0; i < n; i++) {
        size += s->scale[i] * s->p[i] * s->p[i];
    }
    double pMp = vector_dot(n, s->p, s->Mp);
    if (!(pMp > LCP_CPG_DEGENERATE * size)) {
        return false;
    }
    double alpha = -vector_dot(n, s->w, s->p) / pMp;
    for (int32_t i = 0; i < n; i++) {
        double next = s->z[i] + alpha * s->p[i];
        s->z[i] = next <= 0.0 ? 0.0 : next;
    }
    pivot_lcp_velocity(s->problem, s->z, s->w);
    lcp_cpg_turn(s, pMp);
    return true;
}

cn_status solve_lcp_cpg(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                        double *w, cn_solve_report *report) {
    lcp_cpg_state s = {.problem = p, .w = w};
    double **const vectors[] = {&s.scale, &s.z, &s.p, &s.Mp, &s.g};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = BASE_TAKE_ZERO(scratch, double, p->n);
        if (!*vectors[k]) {
            return CN_ERR_MEMORY;
        }
    }
    size_t bytes = sizeof *z * (size_t)p->n;
    lcp_cpg_scales(p, s.scale);
    memcpy(s.z, z, bytes);
    pivot_lcp_velocity(p, s.z, w);
    double error = solve_natural_error_lcp(p, s.z, w), best = error;
    solve_watch watch = solve_watch_start(opts);
    for (int64_t k = 0; !solve_watch_stop(&watch, "steps", k, error, report); k++) {
        if (k == 0) {
            for (int32_t i = 0; i < p->n; i++) {
                s.z[i] = s.z[i] <= 0.0 ? 0.0 : s.z[i];
            }
            pivot_lcp_velocity(p, s.z, w);
            lcp_cpg_turn(&s, 0.0);
        }
        if (!lcp_cpg_step(&s)) {
            report->outcome = CN_STALLED;
            report->detail = "the curvature p.M p of the direction vanished";
            break;
        }
        error = solve_natural_error_lcp(p, s.z, w);
        if (error < best) {
            best = error;
            memcpy(z, s.z, bytes);
        }
    }
    return watch.status;
}
