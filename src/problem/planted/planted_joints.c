// problem/planted/planted_joints.c
// Joint rows in a planted problem: some of the blocks have boxes instead of cones, with r and u
// chosen by their law, u = 0 inside, >= 0 at the lower bound, <= 0 at the upper one. Half of the
// joint blocks are bilateral throughout, like a ball joint at the point where the contact was; in
// the others every row is drawn by itself. Where several points hold two bodies the rows are
// redundant, as in a hyperstatic loop.
#include "problem/planted/planted.h"

#include "base/arena.h"

#include <math.h>

#define INSIDE_MAX 0.9 // the largest share of its bound that a motor inside it uses

typedef enum row_kind {
    ROW_BILATERAL,
    ROW_LIMIT_CLOSED,
    ROW_LIMIT_OPEN,
    ROW_MOTOR_INSIDE,
    ROW_MOTOR_LOWER,
    ROW_MOTOR_UPPER,
    ROW_UNUSED,
    ROW_KINDS
} row_kind;

// Bounds, impulse and velocity of one row. lever: the reduced mass at the block.
static void plant_row(base_rng *rng, row_kind kind, double lever, int64_t i, cn_bounds *bounds,
                      double *r, double *u) {
    double speed = base_rng_uniform(rng, 0.1, 1.0), size = lever * base_rng_uniform(rng, 0.2, 1.0);
    double share = base_rng_uniform(rng, -1.0, 1.0);
    bool motor = kind >= ROW_MOTOR_INSIDE && kind <= ROW_MOTOR_UPPER;
    bool free = kind == ROW_BILATERAL;
    bool limit = kind == ROW_LIMIT_CLOSED || kind == ROW_LIMIT_OPEN;
    bounds->lower[i] = free ? -HUGE_VAL : (motor ? -size : 0.0);
    bounds->upper[i] = free || limit ? HUGE_VAL : (motor ? size : 0.0);
    r[i] = u[i] = 0.0;
    switch (kind) {
    case ROW_BILATERAL:
        r[i] = share * size;
        break;
    case ROW_LIMIT_CLOSED:
        r[i] = size;
        break;
    case ROW_LIMIT_OPEN:
        u[i] = speed;
        break;
    case ROW_MOTOR_INSIDE:
        r[i] = INSIDE_MAX * share * size;
        break;
    case ROW_MOTOR_LOWER:
        r[i] = -size;
        u[i] = speed;
        break;
    case ROW_MOTOR_UPPER:
        r[i] = size;
        u[i] = -speed;
        break;
    default: // nothing is carried, whatever the velocity
        u[i] = share;
    }
}

cn_status prob_planted_joints(const cn_planted_opts *opts, base_rng *rng, const double *lever,
                              cn_arena *memory, cn_arena *scratch, cn_friction_global *g, double *r,
                              double *u) {
    int64_t m = (int64_t)g->dim * g->contacts;
    int32_t *order = BASE_TAKE(scratch, int32_t, g->contacts);
    g->bounds.boxed = BASE_TAKE_ZERO(memory, uint8_t, g->contacts);
    g->bounds.lower = BASE_TAKE_ZERO(memory, double, m);
    g->bounds.upper = BASE_TAKE_ZERO(memory, double, m);
    g->bounds.compliance = BASE_TAKE_ZERO(memory, double, m);
    if (!order || !g->bounds.boxed || !g->bounds.lower || !g->bounds.upper ||
        !g->bounds.compliance) {
        return CN_ERR_MEMORY;
    }
    prob_planted_shuffle(rng, g->contacts, order);
    int32_t joints = (int32_t)(opts->joints * g->contacts + 0.5);
    for (int32_t k = 0; k < joints; k++) {
        int32_t a = order[k];
        bool bilateral = base_rng_below(rng, 2) == 0;
        g->bounds.boxed[a] = 1;
        g->mu[a] = 0.0;
        for (int64_t i = (int64_t)g->dim * a; i < (int64_t)g->dim * (a + 1); i++) {
            int32_t kind = base_rng_below(rng, ROW_KINDS);
            double soft = base_rng_uniform(rng, 0.0, 1.0), size = base_rng_uniform(rng, 0.01, 1.0);
            plant_row(rng, bilateral ? ROW_BILATERAL : (row_kind)kind, lever[a], i, &g->bounds, r,
                      u);
            g->bounds.compliance[i] = soft < opts->compliant ? size / lever[a] : 0.0;
        }
    }
    return CN_OK;
}
