// solve/newton/mcp_polish.c
// One more digit or ten for an answer whose active set is right: M_AA z_A = -q_A - M_AB z_B by LU
// with iterative refinement, A the unknowns strictly between their bounds. Useless where M_AA is
// singular; dense, so for at most SOLVE_POLISH_MAX unknowns.
#include "base/arena.h"
#include "solve/drivers/mcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "sparse/csr.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

void solve_mcp_velocity(const cn_mcp *p, const double *z, double *w) {
    sparse_csr_apply(&p->M, z, w);
    for (int32_t i = 0; i < p->n; i++) {
        w[i] += p->q[i];
    }
}

// Written so that NaN becomes a bound, or zero where there is none to become.
double solve_mcp_clamp(const cn_mcp *p, int32_t i, double x) {
    if (x > p->lower[i]) {
        return x < p->upper[i] ? x : p->upper[i];
    }
    return p->lower[i] > -HUGE_VAL ? p->lower[i] : 0.0;
}

typedef struct newton_active {
    int32_t count;
    int32_t *index;    // active unknowns, ascending
    int32_t *position; // of an unknown in index, or -1
    double *factors;
    int32_t *pivot;
} newton_active;

static cn_status active_find(const cn_mcp *p, const double *z, cn_arena *scratch,
                             newton_active *active) {
    *active = (newton_active){0};
    active->index = BASE_TAKE(scratch, int32_t, p->n);
    active->position = BASE_TAKE(scratch, int32_t, p->n);
    active->pivot = BASE_TAKE(scratch, int32_t, p->n);
    if (!active->index || !active->position || !active->pivot) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < p->n; i++) {
        bool between = z[i] > p->lower[i] && z[i] < p->upper[i];
        active->position[i] = between ? active->count : -1;
        if (between) {
            active->index[active->count++] = i;
        }
    }
    return CN_OK;
}

// M_AA as factors; *sound false when it is singular or too large.
static cn_status active_factor(const cn_mcp *p, cn_arena *scratch, newton_active *active,
                               bool *sound) {
    *sound = false;
    if (active->count > SOLVE_POLISH_MAX) {
        return CN_OK;
    }
    active->factors = BASE_TAKE_ZERO(scratch, double, (int64_t)active->count * active->count);
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
    *sound = sparse_lu_factor(active->count, active->factors, active->pivot);
    return CN_OK;
}

cn_status solve_mcp_polish(const cn_mcp *p, int32_t refinements, cn_arena *scratch, double *z,
                           double *w, double *residual) {
    for (int32_t i = 0; i < p->n; i++) {
        z[i] = solve_mcp_clamp(p, i, z[i]);
    }
    solve_mcp_velocity(p, z, w);
    *residual = solve_natural_error_mcp(p, z, w);
    newton_active active;
    bool sound;
    base_arena_mark mark = base_arena_get_mark(scratch);
    double *trial = BASE_TAKE(scratch, double, p->n);
    double *correction = BASE_TAKE(scratch, double, p->n);
    cn_status status = trial && correction ? CN_OK : CN_ERR_MEMORY;
    if (status == CN_OK) {
        status = active_find(p, z, scratch, &active);
    }
    if (status == CN_OK) {
        status = active_factor(p, scratch, &active, &sound);
    }
    if (status != CN_OK || !sound) {
        base_arena_release(scratch, mark);
        return status;
    }

    // Each step solves for what is left of w_A. The best of the steps is kept.
    memcpy(trial, z, (size_t)p->n * sizeof *z);
    for (int32_t step = 0; step<refinements && * residual> 0.0; step++) {
        solve_mcp_velocity(p, trial, w);
        for (int32_t a = 0; a < active.count; a++) {
            correction[a] = w[active.index[a]];
        }
        sparse_lu_solve(active.count, active.factors, active.pivot, correction);
        for (int32_t a = 0; a < active.count; a++) {
            int32_t i = active.index[a];
            trial[i] = solve_mcp_clamp(p, i, trial[i] - correction[a]);
        }
        solve_mcp_velocity(p, trial, w);
        double error = solve_natural_error_mcp(p, trial, w);
        if (error < *residual) {
            *residual = error;
            memcpy(z, trial, (size_t)p->n * sizeof *z);
        }
    }
    solve_mcp_velocity(p, z, w);
    base_arena_release(scratch, mark);
    return CN_OK;
}
