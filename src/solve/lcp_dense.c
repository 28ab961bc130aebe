// solve/lcp_dense.c
// Scaling: symmetric equilibration after Ruiz (2001), s_i := s_i / sqrt(largest entry of row and
// column i), a few rounds, rounded to powers of two. It cannot help a matrix whose (i, j) and
// (j, i) entries differ by many orders of magnitude.
#include "solve/lcp_dense.h"

#include "base/arena.h"
#include "solve/natural.h"
#include "sparse/csr.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

#define CN_SCALE_ROUNDS 4 // entries are within a factor 4 of balanced by then

void cn_lcp_velocity(const cn_lcp *p, const double *z, double *w) {
    cn_csr_apply(&p->M, z, w);
    for (int32_t i = 0; i < p->n; i++) {
        w[i] += p->q[i];
    }
}

// The power of two nearest to 1 / sqrt(x) in exponent.
static double cn_inverse_root(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, -(exponent / 2));
}

static void cn_equilibrate(cn_lcp_dense *d, double *largest) {
    int32_t n = d->n;
    for (int32_t round = 0; round < CN_SCALE_ROUNDS; round++) {
        memset(largest, 0, (size_t)n * sizeof *largest);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                double entry = fabs(d->M[(int64_t)n * i + j]);
                largest[i] = fmax(largest[i], entry);
                largest[j] = fmax(largest[j], entry);
            }
        }
        for (int32_t i = 0; i < n; i++) {
            largest[i] = largest[i] > 0.0 ? cn_inverse_root(largest[i]) : 1.0;
            d->scale[i] *= largest[i];
        }
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                d->M[(int64_t)n * i + j] *= largest[i] * largest[j];
            }
        }
    }
}

cn_status cn_lcp_dense_build(const cn_lcp *p, bool scaled, cn_arena *scratch, cn_lcp_dense *out) {
    int32_t n = p->n;
    *out = (cn_lcp_dense){.n = n, .size = 1.0};
    out->M = CN_TAKE_ZERO(scratch, double, (int64_t)n *n);
    out->q = CN_TAKE(scratch, double, n);
    out->scale = CN_TAKE(scratch, double, n);
    double *largest = CN_TAKE(scratch, double, n);
    if (!out->M || !out->q || !out->scale || !largest) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        out->q[i] = p->q[i];
        out->scale[i] = 1.0;
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            out->M[(int64_t)n * i + p->M.column[k]] += p->M.value[k];
        }
    }
    if (!scaled) {
        return CN_OK;
    }
    cn_equilibrate(out, largest);
    double size = 0.0;
    for (int32_t i = 0; i < n; i++) {
        out->q[i] *= out->scale[i];
        size = fmax(size, fabs(out->q[i]));
    }
    int exponent;
    frexp(size, &exponent);
    out->size = ldexp(1.0, exponent);
    for (int32_t i = 0; i < n; i++) {
        out->q[i] /= out->size;
    }
    return CN_OK;
}

void cn_lcp_dense_unscale(const cn_lcp_dense *d, const double *inner, double *z) {
    for (int32_t i = 0; i < d->n; i++) {
        z[i] = d->size * d->scale[i] * inner[i];
    }
}

// ---- polishing ----

typedef struct cn_active {
    int32_t count;
    int32_t *index;    // active unknowns, ascending
    int32_t *position; // of an unknown in index, or -1
    double *factors;
    int32_t *pivot;
} cn_active;

static cn_status cn_active_find(const cn_lcp *p, const double *z, cn_arena *scratch,
                                cn_active *active) {
    *active = (cn_active){0};
    active->index = CN_TAKE(scratch, int32_t, p->n);
    active->position = CN_TAKE(scratch, int32_t, p->n);
    active->pivot = CN_TAKE(scratch, int32_t, p->n);
    if (!active->index || !active->position || !active->pivot) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < p->n; i++) {
        active->position[i] = z[i] > 0.0 ? active->count : -1;
        if (z[i] > 0.0) {
            active->index[active->count++] = i;
        }
    }
    return CN_OK;
}

// M_AA as factors; *sound false when it is singular or too large.
static cn_status cn_active_factor(const cn_lcp *p, cn_arena *scratch, cn_active *active,
                                  bool *sound) {
    *sound = false;
    if (active->count > CN_POLISH_MAX) {
        return CN_OK;
    }
    active->factors = CN_TAKE_ZERO(scratch, double, (int64_t)active->count * active->count);
    if (!active->factors) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < active->count; a++) {
        int32_t i = active->index[a];
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            int32_t b = active->position[p->M.column[k]];
            if (b >= 0) {
                active->factors[(int64_t)active->count * a + b] += p->M.value[k];
            }
        }
    }
    *sound = cn_lu_factor(active->count, active->factors, active->pivot);
    return CN_OK;
}

cn_status cn_lcp_polish(const cn_lcp *p, int32_t refinements, cn_arena *scratch, double *z,
                        double *w, double *residual) {
    for (int32_t i = 0; i < p->n; i++) {
        z[i] = z[i] > 0.0 ? z[i] : 0.0;
    }
    cn_lcp_velocity(p, z, w);
    *residual = cn_natural_error_lcp(p, z, w);
    cn_active active;
    bool sound;
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    double *trial = CN_TAKE(scratch, double, p->n);
    double *correction = CN_TAKE(scratch, double, p->n);
    cn_status status = trial && correction ? CN_OK : CN_ERR_MEMORY;
    if (status == CN_OK) {
        status = cn_active_find(p, z, scratch, &active);
    }
    if (status == CN_OK) {
        status = cn_active_factor(p, scratch, &active, &sound);
    }
    if (status != CN_OK || !sound) {
        cn_arena_release(scratch, mark);
        return status;
    }

    // Each step solves for what is left of w_A. The best of the steps is kept.
    memcpy(trial, z, (size_t)p->n * sizeof *z);
    for (int32_t step = 0; step<refinements && * residual> 0.0; step++) {
        cn_lcp_velocity(p, trial, w);
        for (int32_t a = 0; a < active.count; a++) {
            correction[a] = w[active.index[a]];
        }
        cn_lu_solve(active.count, active.factors, active.pivot, correction);
        for (int32_t a = 0; a < active.count; a++) {
            double better = trial[active.index[a]] - correction[a];
            trial[active.index[a]] = better > 0.0 ? better : 0.0;
        }
        cn_lcp_velocity(p, trial, w);
        double error = cn_natural_error_lcp(p, trial, w);
        if (error < *residual) {
            *residual = error;
            memcpy(z, trial, (size_t)p->n * sizeof *z);
        }
    }
    cn_lcp_velocity(p, z, w);
    cn_arena_release(scratch, mark);
    return CN_OK;
}
