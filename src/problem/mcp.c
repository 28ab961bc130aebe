// problem/mcp.c
// Mixed complementarity problems as data: validation, their relation to LCPs, planted ones.
//
// Planted: z and w are chosen first, so that each pair fits its bounds, then q = w - M z with M of
// cn_planted_matrix. The solution is strictly complementary (w is not zero at a bound), which real
// degenerate problems are not.
#include "base/arena.h"
#include "base/error.h"
#include "problem/planted/planted.h"
#include "sparse/csr.h"

#include <cairn/mcp.h>
#include <math.h>

cn_status cn_mcp_validate(const cn_mcp *p, cn_error *error) {
    cn_lcp same = {.n = p->n, .M = p->M, .q = p->q};
    cn_status status = cn_lcp_validate(&same, error);
    if (status != CN_OK) {
        return status;
    }
    if (p->n > 0 && (!p->lower || !p->upper)) {
        return cn_fail(error, CN_ERR_INPUT, "the bounds are missing (%d numbers each)", p->n);
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (!(p->lower[i] <= p->upper[i] && p->lower[i] < HUGE_VAL && p->upper[i] > -HUGE_VAL)) {
            cn_fail(error, CN_ERR_INPUT, "the bounds of unknown %d are %g and %g", i, p->lower[i],
                    p->upper[i]);
            cn_fail_hint(error, "lower <= upper; use -inf and inf where there is no bound");
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

bool cn_mcp_as_lcp(const cn_mcp *p, cn_lcp *out) {
    for (int32_t i = 0; i < p->n; i++) {
        if (p->lower[i] != 0.0 || p->upper[i] < HUGE_VAL) {
            return false;
        }
    }
    *out = (cn_lcp){.n = p->n, .M = p->M, .q = p->q};
    return true;
}

cn_status cn_mcp_from_lcp(const cn_lcp *p, cn_arena *memory, cn_mcp *out, cn_error *error) {
    *out = (cn_mcp){.n = p->n, .M = p->M, .q = p->q};
    out->lower = CN_TAKE_ZERO(memory, double, p->n);
    out->upper = CN_TAKE(memory, double, p->n);
    if (!out->lower || !out->upper) {
        return cn_fail_memory(error);
    }
    for (int32_t i = 0; i < p->n; i++) {
        out->upper[i] = HUGE_VAL;
    }
    return CN_OK;
}

// ---- planted ----

enum { CN_PLANT_FREE, CN_PLANT_BELOW, CN_PLANT_ABOVE, CN_PLANT_BOXED, CN_PLANT_KINDS };

// One pair of its kind: at the bound with a w that presses against it, or between with w = 0.
static void cn_plant_pair(cn_rng *rng, double open, int32_t kind, double *lower, double *upper,
                          double *z, double *w) {
    double place = cn_rng_uniform(rng, -1.0, 1.0), size = cn_rng_uniform(rng, 0.1, 1.0);
    bool at_bound = kind != CN_PLANT_FREE && cn_rng_uniform(rng, 0.0, 1.0) < open;
    bool below = kind == CN_PLANT_BELOW || (kind == CN_PLANT_BOXED && cn_rng_below(rng, 2) == 0);
    double width = cn_rng_uniform(rng, 0.1, 1.0);
    *lower = kind == CN_PLANT_BELOW || kind == CN_PLANT_BOXED ? place : -HUGE_VAL;
    *upper = kind == CN_PLANT_ABOVE ? place : (kind == CN_PLANT_BOXED ? place + width : HUGE_VAL);
    *w = at_bound ? (below ? size : -size) : 0.0;
    if (at_bound) {
        *z = below ? *lower : *upper;
    } else if (kind == CN_PLANT_BOXED) {
        *z = place + 0.5 * width;
    } else {
        *z = kind == CN_PLANT_ABOVE ? place - size : place + size;
    }
}

static cn_status cn_plant_mcp(const cn_planted_opts *opts, cn_arena *memory, cn_arena *scratch,
                              cn_mcp *out, double **solution) {
    cn_rng rng = cn_rng_seed(opts->seed);
    int32_t n = opts->contacts;
    *out = (cn_mcp){.n = n};
    out->q = CN_TAKE(memory, double, n);
    out->lower = CN_TAKE(memory, double, n);
    out->upper = CN_TAKE(memory, double, n);
    *solution = CN_TAKE(memory, double, n);
    double *w = CN_TAKE(scratch, double, n);
    if (!out->q || !out->lower || !out->upper || !*solution || !w) {
        return CN_ERR_MEMORY;
    }
    cn_status status = cn_planted_matrix(opts, &rng, memory, scratch, &out->M);
    if (status != CN_OK) {
        return status;
    }
    for (int32_t i = 0; i < n; i++) {
        cn_plant_pair(&rng, opts->open, i % CN_PLANT_KINDS, &out->lower[i], &out->upper[i],
                      &(*solution)[i], &w[i]);
    }
    cn_csr_apply(&out->M, *solution, out->q);
    for (int32_t i = 0; i < n; i++) {
        out->q[i] = w[i] - out->q[i];
    }
    return CN_OK;
}

cn_status cn_planted_mcp(const cn_planted_opts *opts, cn_arena *memory, cn_mcp *out, double **z,
                         cn_error *error) {
    cn_status status = cn_planted_opts_check(opts, error);
    if (status != CN_OK) {
        return status;
    }
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    status = scratch ? cn_plant_mcp(opts, memory, scratch, out, z) : CN_ERR_MEMORY;
    cn_arena_destroy(scratch);
    return status == CN_OK ? CN_OK : cn_fail_memory(error);
}
