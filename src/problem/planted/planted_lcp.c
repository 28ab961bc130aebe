// problem/planted/planted_lcp.c
// Linear complementarity problems whose solution is chosen first: z >= 0, w >= 0, z.w = 0, then
//     M = A (I + skew K) A',   q = w - M z,
// with A (n x rank) of full column rank and K skew-symmetric. M is positive semi-definite of
// exactly that rank, and symmetric when skew = 0; both A and K are narrow bands, so that M is one.
//
// The solution is strictly complementary (z + w > 0), which real degenerate problems are not.
#include "problem/planted/planted.h"

#include "base/arena.h"
#include "base/error.h"
#include "sparse/csr.h"

// A row of A has entries in the columns centre - 1 .. centre + 1.
#define BAND 3

typedef struct prob_band {
    int32_t n, rank;
    double *A; // BAND a row; zero where a column does not exist
    double *K; // K(p, p+1) = K[p], K(p+1, p) = -K[p]
} prob_band;

static int32_t band_centre(const prob_band *band, int32_t row) {
    return (int32_t)((int64_t)row * band->rank / band->n);
}

static double band_entry(const prob_band *band, int32_t row, int32_t column) {
    int32_t place = column - band_centre(band, row) + 1;
    return place >= 0 && place < BAND ? band->A[(int64_t)BAND * row + place] : 0.0;
}

// The first row of each centre has a dominant middle entry: those rows are regular, hence the rank.
static void fill_band(prob_band *band, base_rng *rng) {
    for (int32_t i = 0; i < band->n; i++) {
        int32_t centre = band_centre(band, i);
        bool first = i == 0 || band_centre(band, i - 1) != centre;
        for (int32_t k = 0; k < BAND; k++) {
            double entry = base_rng_uniform(rng, -0.9, 0.9);
            entry = first && k == 1 ? 2.0 + entry * entry : entry;
            int32_t column = centre + k - 1;
            band->A[(int64_t)BAND * i + k] = column >= 0 && column < band->rank ? entry : 0.0;
        }
    }
    for (int32_t p = 0; p < band->rank; p++) {
        band->K[p] = p + 1 < band->rank ? base_rng_uniform(rng, -1.0, 1.0) : 0.0;
    }
}

// Entry (i, j) of A (I + skew K) A'.
static double product_entry(const prob_band *band, double skew, int32_t i, int32_t j) {
    double sum = 0.0;
    int32_t centre = band_centre(band, i);
    for (int32_t p = centre - 1; p <= centre + 1; p++) {
        double left = band_entry(band, i, p);
        if (p < 0 || p >= band->rank) {
            continue;
        }
        sum += left * band_entry(band, j, p);
        if (skew != 0.0) {
            double above = p > 0 ? -band->K[p - 1] * band_entry(band, j, p - 1) : 0.0;
            sum += left * (skew * (above + band->K[p] * band_entry(band, j, p + 1)));
        }
    }
    return sum;
}

// M by rows. Rows meet when their centres are at most BAND apart (with K in between).
static cn_status fill_matrix(const prob_band *band, double skew, cn_arena *memory, cn_csr *M) {
    int32_t n = band->n, first = 0, last = 0;
    *M = (cn_csr){.rows = n, .cols = n};
    M->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)n + 1);
    if (!M->start) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        for (; band_centre(band, i) - band_centre(band, first) > BAND; first++) {
        }
        for (; last < n && band_centre(band, last) - band_centre(band, i) <= BAND; last++) {
        }
        M->start[i + 1] = M->start[i] + (last - first);
    }
    M->column = BASE_TAKE(memory, int32_t, M->start[n]);
    M->value = BASE_TAKE(memory, double, M->start[n]);
    if (!M->column || !M->value) {
        return CN_ERR_MEMORY;
    }
    first = 0;
    for (int32_t i = 0; i < n; i++) {
        for (; band_centre(band, i) - band_centre(band, first) > BAND; first++) {
        }
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            M->column[k] = first + (int32_t)(k - M->start[i]);
            M->value[k] = product_entry(band, skew, i, M->column[k]);
        }
    }
    return CN_OK;
}

cn_status prob_planted_matrix(const cn_planted_opts *opts, base_rng *rng, cn_arena *memory,
                              cn_arena *scratch, cn_csr *M) {
    int32_t n = opts->contacts;
    prob_band band = {.n = n, .rank = (int32_t)((1.0 - opts->deficiency) * n + 0.5)};
    band.rank = band.rank > 0 ? band.rank : 1;
    band.A = BASE_TAKE(scratch, double, (int64_t)BAND *n);
    band.K = BASE_TAKE(scratch, double, band.rank);
    if (!band.A || !band.K) {
        return CN_ERR_MEMORY;
    }
    fill_band(&band, rng);
    return fill_matrix(&band, opts->skew, memory, M);
}

static cn_status plant_lcp(const cn_planted_opts *opts, cn_arena *scratch, cn_problem *problem) {
    base_rng rng = base_rng_seed(opts->seed);
    cn_lcp *lcp = &problem->lcp;
    int32_t n = opts->contacts;
    int32_t *order = BASE_TAKE(scratch, int32_t, n);
    lcp->n = n;
    lcp->q = BASE_TAKE(problem->memory, double, n);
    problem->r = BASE_TAKE(problem->memory, double, n);
    problem->u = BASE_TAKE(problem->memory, double, n);
    if (!order || !lcp->q || !problem->r || !problem->u) {
        return CN_ERR_MEMORY;
    }
    CN_TRY(prob_planted_matrix(opts, &rng, problem->memory, scratch, &lcp->M));
    prob_planted_shuffle(&rng, n, order);
    int32_t open = (int32_t)(opts->open * n + 0.5);
    for (int32_t k = 0; k < n; k++) {
        double size = base_rng_uniform(&rng, 0.1, 1.0);
        problem->r[order[k]] = k < open ? 0.0 : size;
        problem->u[order[k]] = k < open ? size : 0.0;
    }
    sparse_csr_apply(&lcp->M, problem->r, lcp->q);
    for (int32_t i = 0; i < n; i++) {
        lcp->q[i] = problem->u[i] - lcp->q[i];
    }
    return CN_OK;
}

cn_status cn_planted_lcp(const cn_env *env, const cn_planted_opts *opts, cn_problem **out,
                         cn_error *error) {
    *out = NULL;
    cn_status status = prob_planted_opts_check(opts, error);
    CN_TRY(status);
    cn_problem *problem = cn_problem_create(env, CN_PROBLEM_LCP);
    cn_arena *scratch = cn_arena_create(env);
    status = problem && scratch ? plant_lcp(opts, scratch, problem) : CN_ERR_MEMORY;
    cn_arena_destroy(scratch);
    if (status != CN_OK) {
        cn_problem_destroy(problem);
        return base_fail_memory(error);
    }
    *out = problem;
    return CN_OK;
}
