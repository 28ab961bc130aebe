// solve/local/local_facets.c
// One 3D contact on a facetted cone as an LCP, by Lemke's pivoting or by the active-set quadratic
// programme (Renouf and Acary 2006, section 3.3). With the directions d_i, z = (r_N, beta, lambda):
//     r_T = D beta,  0 <= lambda e + D' u_T _|_ beta >= 0,  0 <= mu r_N - e' beta _|_ lambda >= 0.
//
// A polygon opposes the slip exactly only where one of its directions does. So the polygon is
// turned towards the direction against the slip (a sticking impulse's own), from the last impulse
// on, and solved again until the answer holds on the round cone. That is a fixed point which need
// not converge where the block is elongated and the slip small; the best answer then remains, and
// false says so. Some hundred times the cost of "hybrid": for comparison. Nothing is allocated.
#include "solve/local/local.h"

#include "base/elementary/elementary.h"
#include "math/cone.h"
#include "solve/pivoting/tableau.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FACETS 8
#define FACET_SIZE (FACETS + 2)
#define FACET_TURNS 30    // of the polygon
#define FACET_PIVOTS 200  // of one LCP, which needs about as many as it has unknowns
#define FACET_AIMED 1e-14 // angle that is no miss any more
#define FACET_STICKS (16.0 * DBL_EPSILON) // slip that is round-off
#define FACET_FLAT 0.05                   // least slope of the miss that the secant method believes
#define EIGHTH_TURN 0.78539816339744830962

// The contact in units in which W and q are of the order of 1.
typedef struct local_facets {
    double W[9], q[3], mu;
    double angle; // of the first direction
    bool active_set;
} local_facets;

// Components of direction i.
static void facets_direction(const local_facets *p, int32_t i, double d[2]) {
    base_sincos(p->angle + EIGHTH_TURN * i, &d[1], &d[0]);
}

// M and q of the LCP.
static void facets_fill(const local_facets *p, double *M, double *q) {
    double B[FACETS + 1][3] = {{1.0, 0.0, 0.0}};
    int32_t lambda = FACETS + 1;
    memset(M, 0, sizeof *M * FACET_SIZE * FACET_SIZE);
    for (int32_t i = 0; i < FACETS; i++) {
        facets_direction(p, i, &B[1 + i][1]);
    }
    for (int32_t i = 0; i <= FACETS; i++) {
        q[i] = B[i][0] * p->q[0] + B[i][1] * p->q[1] + B[i][2] * p->q[2];
        for (int32_t j = 0; j <= FACETS; j++) {
            for (int32_t k = 0; k < 9; k++) {
                M[FACET_SIZE * i + j] += B[i][k % 3] * p->W[k] * B[j][k / 3];
            }
        }
    }
    q[lambda] = 0.0;
    M[FACET_SIZE * lambda] = p->mu;
    for (int32_t i = 1; i <= FACETS; i++) {
        M[FACET_SIZE * i + lambda] = 1.0;
        M[FACET_SIZE * lambda + i] = -1.0;
    }
}

// The impulse on the polygon as it stands; false when the pivots found none.
static bool facets_solve(const local_facets *p, double r[3]) {
    double M[FACET_SIZE * FACET_SIZE], q[FACET_SIZE], scale[FACET_SIZE];
    double reals[PIVOT_TABLEAU_REALS(FACET_SIZE)], z[FACET_SIZE];
    int32_t ints[PIVOT_TABLEAU_INTS(FACET_SIZE)];
    bool barred[FACET_SIZE] = {false};
    pivot_lcp_dense dense = {.n = FACET_SIZE, .M = M, .q = q, .scale = scale, .size = 1.0};
    facets_fill(p, M, q);
    for (int32_t i = 0; i < FACET_SIZE; i++) {
        scale[i] = 1.0;
    }
    cn_solve_opts opts = {.max_iterations = FACET_PIVOTS};
    solve_watch watch = solve_watch_start(&opts);
    cn_solve_report report = {.outcome = CN_STALLED};
    pivot_tableau t;
    pivot_tableau_place(&dense, reals, ints, &t);
    t.watch = &watch;
    t.report = &report;
    if (!(p->active_set ? pivot_tableau_qp(&t, barred) : pivot_tableau_lemke(&t))) {
        return false;
    }
    pivot_tableau_read(&t, -1, z);
    r[0] = z[0];
    r[1] = r[2] = 0.0;
    for (int32_t i = 0; i < FACETS; i++) {
        double d[2];
        facets_direction(p, i, d);
        r[1] += d[0] * z[1 + i];
        r[2] += d[1] * z[1 + i];
    }
    return true;
}

// The angle of the direction against the velocity of r, or of r where it sticks, less the
// polygon's.
static double facets_miss(const local_facets *p, const double r[3]) {
    double u[3];
    for (int i = 0; i < 3; i++) {
        u[i] = p->q[i] + (p->W[i] * r[0] + p->W[3 + i] * r[1] + p->W[6 + i] * r[2]);
    }
    bool slips = math_tangent_norm(3, u) > FACET_STICKS * (1.0 + math_tangent_norm(3, r));
    double wanted = slips ? base_atan2(-u[2], -u[1]) : base_atan2(r[2], r[1]);
    return remainder(wanted - p->angle, EIGHTH_TURN * FACETS);
}

static bool facets_contact(const local_block *block, bool active_set, const double q[3],
                           double r[3]) {
    double size = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2])));
    double last[3] = {r[0], r[1], r[2]}, best = HUGE_VAL;
    r[0] = r[1] = r[2] = 0.0;
    if (!(q[0] < 0.0 && size <= DBL_MAX)) {
        return q[0] >= 0.0;
    }
    local_facets p = {.mu = block->mu, .active_set = active_set};
    double unit = size / block->scale;
    for (int i = 0; i < 9; i++) {
        p.W[i] = block->W[i] / block->scale;
    }
    for (int i = 0; i < 3; i++) {
        p.q[i] = q[i] / size;
        last[i] /= unit;
    }
    // An open or useless start says nothing: begin with the contact without friction.
    if (!(last[0] > 0.0 && last[0] + fabs(last[1]) + fabs(last[2]) <= DBL_MAX)) {
        last[0] = -p.q[0] / p.W[0];
        last[1] = last[2] = 0.0;
    }
    double step = facets_miss(&p, last), before = 0.0;
    p.angle += step;
    for (int32_t turn = 0; turn < FACET_TURNS && facets_solve(&p, last); turn++) {
        double trial[3] = {last[0] * unit, last[1] * unit, last[2] * unit};
        math_cone_project(3, p.mu, trial);
        double error = local_error(block, q, trial);
        if (error < best) {
            best = error;
            memcpy(r, trial, sizeof trial);
        }
        double miss = facets_miss(&p, last);
        if (!(fabs(miss) > FACET_AIMED)) {
            break;
        }
        // Secant where two points tell a slope, else straight to what the slip asks for.
        double slope = turn > 0 ? (miss - before) / step : 0.0;
        step = turn > 0 && slope < -FACET_FLAT ? -miss / slope : miss;
        before = miss;
        p.angle = remainder(p.angle + step, EIGHTH_TURN * FACETS);
    }
    return local_accept(block, q, r);
}

bool local_lemke(const local_block *block, const double q[3], double r[3], double *slip) {
    (void)slip;
    return facets_contact(block, false, q, r);
}

bool local_qp(const local_block *block, const double q[3], double r[3], double *slip) {
    (void)slip;
    return facets_contact(block, true, q, r);
}
