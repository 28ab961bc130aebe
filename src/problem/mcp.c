// problem/mcp.c
// Mixed complementarity problems as data: validation, their relation to LCPs, planted ones.
//
// Planted: z and w are chosen first, so that each pair fits its bounds, then q = w - M z with M of
// prob_planted_matrix. The solution is strictly complementary (w is not zero at a bound), which real
// degenerate problems are not.
#include "base/arena.h"
#include "base/error.h"
#include "problem/planted/planted.h"
#include "sparse/csr.h"

#include <cairn/mcp.h>
#include <math.h>

cn_status cn_mcp_validate(const cn_mcp *p, cn_error *error) {
    cn_lcp same = {.n = p->n, .M = p->M, .q = p->q};
    CN_TRY(cn_lcp_validate(&same, error));
    if (p->n > 0 && (!p->lower || !p->upper)) {
        return base_fail(error, CN_ERR_INPUT, "the bounds are missing (%d numbers each)", p->n);
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (!(p->lower[i] <= p->upper[i] && p->lower[i] < HUGE_VAL && p->upper[i] > -HUGE_VAL)) {
            base_fail(error, CN_ERR_INPUT, "the bounds of unknown %d are %g and %g", i, p->lower[i],
                      p->upper[i]);
            base_fail_hint(error, "lower <= upper; use -inf and inf where there is no bound");
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
    out->lower = BASE_TAKE_ZERO(memory, double, p->n);
    out->upper = BASE_TAKE(memory, double, p->n);
    if (!out->lower || !out->upper) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < p->n; i++) {
        out->upper[i] = HUGE_VAL;
    }
    return CN_OK;
}

// ---- planted ----

enum { PLANT_FREE, PLANT_BELOW, PLANT_ABOVE, PLANT_BOXED, PLANT_KINDS };

// One pair of its kind: at the bound with a w that presses against it, or between with w = 0.
static void plant_pair(base_rng *rng, double open, int32_t kind, double *lower, double *upper,
                       double *z, double *w) {
    double place = base_rng_uniform(rng, -1.0, 1.0), size = base_rng_uniform(rng, 0.1, 1.0);
    bool at_bound = kind != PLANT_FREE && base_rng_uniform(rng, 0.0, 1.0) < open;
    bool below = kind == PLANT_BELOW || (kind == PLANT_BOXED && base_rng_below(rng, 2) == 0);
    double width = base_rng_uniform(rng, 0.1, 1.0);
    *lower = kind == PLANT_BELOW || kind == PLANT_BOXED ? place : -HUGE_VAL;
    *upper = kind == PLANT_ABOVE ? place : (kind == PLANT_BOXED ? place + width : HUGE_VAL);
    *w = at_bound ? (below ? size : -size) : 0.0;
    if (at_bound) {
        *z = below ? *lower : *upper;
    } else if (kind == PLANT_BOXED) {
        *z = place + 0.5 * width;
    } else {
        *z = kind == PLANT_ABOVE ? place - size : place + size;
    }
}

static cn_status plant_mcp(const cn_planted_opts *opts, cn_arena *memory, cn_arena *scratch,
                           cn_mcp *out, double **solution) {
    base_rng rng = base_rng_seed(opts->seed);
    int32_t n = opts->contacts;
    *out = (cn_mcp){.n = n};
    out->q = BASE_TAKE(memory, double, n);
    out->lower = BASE_TAKE(memory, double, n);
    out->upper = BASE_TAKE(memory, double, n);
    *solution = BASE_TAKE(memory, double, n);
    double *w = BASE_TAKE(scratch, double, n);
    if (!out->q || !out->lower || !out->upper || !*solution || !w) {
        return CN_ERR_MEMORY;
    }
    CN_TRY(prob_planted_matrix(opts, &rng, memory, scratch, &out->M));
    for (int32_t i = 0; i < n; i++) {
        plant_pair(&rng, opts->open, i % PLANT_KINDS, &out->lower[i], &out->upper[i],
                   &(*solution)[i], &w[i]);
    }
    sparse_csr_apply(&out->M, *solution, out->q);
    for (int32_t i = 0; i < n; i++) {
        out->q[i] = w[i] - out->q[i];
    }
    return CN_OK;
}

cn_status cn_planted_mcp(const cn_planted_opts *opts, cn_arena *memory, cn_mcp *out, double **z,
                         cn_error *error) {
    cn_status status = prob_planted_opts_check(opts, error);
    CN_TRY(status);
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    status = scratch ? plant_mcp(opts, memory, scratch, out, z) : CN_ERR_MEMORY;
    cn_arena_destroy(scratch);
    return status == CN_OK ? CN_OK : base_fail_memory(error);
}
