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

#define CN_FACETS 8
#define CN_FACET_SIZE (CN_FACETS + 2)
#define CN_FACET_TURNS 30    // of the polygon
#define CN_FACET_PIVOTS 200  // of one LCP, which needs about as many as it has unknowns
#define CN_FACET_AIMED 1e-14 // angle that is no miss any more
#define CN_FACET_STICKS (16.0 * DBL_EPSILON) // slip that is round-off
#define CN_FACET_FLAT 0.05 // least slope of the miss that the secant method believes
#define CN_EIGHTH_TURN 0.78539816339744830962

// The contact in units in which W and q are of the order of 1.
typedef struct cn_facets {
    double W[9], q[3], mu;
    double angle; // of the first direction
    bool active_set;
} cn_facets;

// Components of direction i.
static void cn_facets_direction(const cn_facets *p, int32_t i, double d[2]) {
    cn_sincos(p->angle + CN_EIGHTH_TURN * i, &d[1], &d[0]);
}

// M and q of the LCP.
static void cn_facets_fill(const cn_facets *p, double *M, double *q) {
    double B[CN_FACETS + 1][3] = {{1.0, 0.0, 0.0}};
    int32_t lambda = CN_FACETS + 1;
    memset(M, 0, sizeof *M * CN_FACET_SIZE * CN_FACET_SIZE);
    for (int32_t i = 0; i < CN_FACETS; i++) {
        cn_facets_direction(p, i, &B[1 + i][1]);
    }
    for (int32_t i = 0; i <= CN_FACETS; i++) {
        q[i] = B[i][0] * p->q[0] + B[i][1] * p->q[1] + B[i][2] * p->q[2];
        for (int32_t j = 0; j <= CN_FACETS; j++) {
            for (int32_t k = 0; k < 9; k++) {
                M[CN_FACET_SIZE * i + j] += B[i][k % 3] * p->W[k] * B[j][k / 3];
            }
        }
    }
    q[lambda] = 0.0;
    M[CN_FACET_SIZE * lambda] = p->mu;
    for (int32_t i = 1; i <= CN_FACETS; i++) {
        M[CN_FACET_SIZE * i + lambda] = 1.0;
        M[CN_FACET_SIZE * lambda + i] = -1.0;
    }
}

// The impulse on the polygon as it stands; false when the pivots found none.
static bool cn_facets_solve(const cn_facets *p, double r[3]) {
    double M[CN_FACET_SIZE * CN_FACET_SIZE], q[CN_FACET_SIZE], scale[CN_FACET_SIZE];
    double reals[CN_TABLEAU_REALS(CN_FACET_SIZE)], z[CN_FACET_SIZE];
    int32_t ints[CN_TABLEAU_INTS(CN_FACET_SIZE)];
    bool barred[CN_FACET_SIZE] = {false};
    cn_lcp_dense dense = {.n = CN_FACET_SIZE, .M = M, .q = q, .scale = scale, .size = 1.0};
    cn_facets_fill(p, M, q);
    for (int32_t i = 0; i < CN_FACET_SIZE; i++) {
        scale[i] = 1.0;
    }
    cn_solve_opts opts = {.max_iterations = CN_FACET_PIVOTS};
    cn_watch watch = cn_watch_start(&opts);
    cn_solve_report report = {.outcome = CN_STALLED};
    cn_tableau t;
    cn_tableau_place(&dense, reals, ints, &t);
    t.watch = &watch;
    t.report = &report;
    if (!(p->active_set ? cn_tableau_qp(&t, barred) : cn_tableau_lemke(&t))) {
        return false;
    }
    cn_tableau_read(&t, -1, z);
    r[0] = z[0];
    r[1] = r[2] = 0.0;
    for (int32_t i = 0; i < CN_FACETS; i++) {
        double d[2];
        cn_facets_direction(p, i, d);
        r[1] += d[0] * z[1 + i];
        r[2] += d[1] * z[1 + i];
    }
    return true;
}

// The angle of the direction against the velocity of r, or of r where it sticks, less the
// polygon's.
static double cn_facets_miss(const cn_facets *p, const double r[3]) {
    double u[3];
    for (int i = 0; i < 3; i++) {
        u[i] = p->q[i] + (p->W[i] * r[0] + p->W[3 + i] * r[1] + p->W[6 + i] * r[2]);
    }
    bool slips = cn_tangent_norm(3, u) > CN_FACET_STICKS * (1.0 + cn_tangent_norm(3, r));
    double wanted = slips ? cn_atan2(-u[2], -u[1]) : cn_atan2(r[2], r[1]);
    return remainder(wanted - p->angle, CN_EIGHTH_TURN * CN_FACETS);
}

static bool cn_facets_contact(const cn_local_block *block, bool active_set, const double q[3],
                              double r[3]) {
    double size = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2])));
    double last[3] = {r[0], r[1], r[2]}, best = HUGE_VAL;
    r[0] = r[1] = r[2] = 0.0;
    if (!(q[0] < 0.0 && size <= DBL_MAX)) {
        return q[0] >= 0.0;
    }
    cn_facets p = {.mu = block->mu, .active_set = active_set};
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
    double step = cn_facets_miss(&p, last), before = 0.0;
    p.angle += step;
    for (int32_t turn = 0; turn < CN_FACET_TURNS && cn_facets_solve(&p, last); turn++) {
        double trial[3] = {last[0] * unit, last[1] * unit, last[2] * unit};
        cn_cone_project(3, p.mu, trial);
        double error = cn_local_error(block, q, trial);
        if (error < best) {
            best = error;
            memcpy(r, trial, sizeof trial);
        }
        double miss = cn_facets_miss(&p, last);
        if (!(fabs(miss) > CN_FACET_AIMED)) {
            break;
        }
        // Secant where two points tell a slope, else straight to what the slip asks for.
        double slope = turn > 0 ? (miss - before) / step : 0.0;
        step = turn > 0 && slope < -CN_FACET_FLAT ? -miss / slope : miss;
        before = miss;
        p.angle = remainder(p.angle + step, CN_EIGHTH_TURN * CN_FACETS);
    }
    return cn_local_accept(block, q, r);
}

bool cn_local_lemke(const cn_local_block *block, const double q[3], double r[3], double *slip) {
    (void)slip;
    return cn_facets_contact(block, false, q, r);
}

bool cn_local_qp(const cn_local_block *block, const double q[3], double r[3], double *slip) {
    (void)slip;
    return cn_facets_contact(block, true, q, r);
}
