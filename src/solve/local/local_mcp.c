// solve/local/local_mcp.c
// One contact as a mixed complementarity problem, by Newton's method on the Fischer-Burmeister
// functions: what Renouf and Acary 2006 propose in their conclusion as local solver.
//
// Unknowns z = (r_N, r_T, l) with bounds r_N >= 0, l >= 0, r_T free, and
//     F = (u_N,  u_T + l r_T,  (r_N^2 - |r_T|^2 / mu^2) / 2),   u = W r + q,
// each in a unit of its own (r_N of a contact without friction, min(mu, 1) times it, |q|), so that w_N = 0 at a closed contact, u_T = -l r_T, and slip l > 0 only on the cone. An open
// contact (q_N >= 0) is answered first, since l r_T cannot bear a slip there. Started from the last
// impulse, then from sticking, then from no friction; steps are halved while the merit grows.
//
// Needs no case distinction, and some ten times the time of "secular"; it may end in a local minimum
// of the merit where mu is large or W singular: use "hybrid".
#include "solve/local/local.h"

#include "math/cone.h"
#include "solve/newton/fischer.h"
#include "sparse/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LOCAL_MCP_STEPS 60
#define LOCAL_MCP_HALVINGS 20
#define LOCAL_MCP_DESCENT 1e-4
#define LOCAL_MCP_RIDGE 1e-14 // on the diagonal, so that singular bases stay solvable
#define LOCAL_MCP_STARTS 3

enum { N = 4 };

// The problem in its units: z_0 = r_N / c, z_12 = r_T / (s c), z_3 = l s c / |q| with c = -q_N / W_NN
// and s = min(mu, 1), so that small friction and grazing contacts keep their digits.
typedef struct mcp_contact {
    double W[9], q[3]; // by columns, of the scaled unknowns
    double cone;       // (s / mu)^2
    double unit_normal, unit_tangent, unit_slip;
    double lower[N], upper[N];
    cn_mcp bounds; // for the merit: bounds only
} mcp_contact;

static void mcp_units(const local_block *block, const double q[3], double size, mcp_contact *p) {
    double s = fmin(block->mu, 1.0), c = -q[0] * block->inv_nn;
    p->cone = s < 1.0 ? 1.0 : 1.0 / (block->mu * block->mu);
    p->unit_normal = c;
    p->unit_tangent = s * c;
    p->unit_slip = size / p->unit_tangent;
    for (int i = 0; i < 3; i++) {
        double row = i == 0 ? -q[0] : size;
        p->q[i] = q[i] / row;
        for (int j = 0; j < 3; j++) {
            p->W[3 * j + i] =
                block->W[3 * j + i] * (j == 0 ? p->unit_normal : p->unit_tangent) / row;
        }
    }
    for (int i = 0; i < N; i++) {
        p->lower[i] = i == 0 || i == 3 ? 0.0 : -HUGE_VAL;
        p->upper[i] = HUGE_VAL;
    }
    p->bounds = (cn_mcp){.n = N, .lower = p->lower, .upper = p->upper};
}

static void mcp_value(const mcp_contact *p, const double z[N], double w[N]) {
    for (int i = 0; i < 3; i++) {
        w[i] = p->q[i] + (p->W[i] * z[0] + p->W[3 + i] * z[1] + p->W[6 + i] * z[2]);
    }
    w[1] += z[3] * z[1];
    w[2] += z[3] * z[2];
    w[3] = 0.5 * (z[0] * z[0] - p->cone * (z[1] * z[1] + z[2] * z[2]));
}

// d := -(diag(dz) + diag(dw) dF)^-1 phi; false when that matrix is singular.
static bool mcp_step(const mcp_contact *p, const double z[N], const double *phi, const double *dz,
                     const double *dw, double d[N]) {
    double J[N * N] = {0.0};
    int32_t pivot[N];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            J[N * i + j] = p->W[3 * j + i] + (i == j && i > 0 ? z[3] : 0.0);
        }
        J[N * i + 3] = i > 0 ? z[i] : 0.0;
    }
    J[N * 3] = z[0];
    J[N * 3 + 1] = -p->cone * z[1];
    J[N * 3 + 2] = -p->cone * z[2];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            J[N * i + j] *= dw[i];
        }
        J[N * i + i] += dz[i] + LOCAL_MCP_RIDGE;
        d[i] = -phi[i];
    }
    if (!sparse_lu_factor(N, J, pivot)) {
        return false;
    }
    sparse_lu_solve(N, J, pivot, d);
    return true;
}

static void mcp_iterate(const mcp_contact *p, double z[N]) {
    double w[N], phi[N], dz[N], dw[N], d[N], trial[N];
    mcp_value(p, z, w);
    double merit = newton_fischer_merit(&p->bounds, z, w, phi, dz, dw);
    for (int step = 0; step < LOCAL_MCP_STEPS && merit > 0.0; step++) {
        if (!mcp_step(p, z, phi, dz, dw, d)) {
            return;
        }
        double t = 1.0, next = HUGE_VAL;
        int half = 0;
        for (; half < LOCAL_MCP_HALVINGS; half++, t *= 0.5) {
            for (int i = 0; i < N; i++) {
                trial[i] = z[i] + t * d[i];
            }
            mcp_value(p, trial, w);
            next = newton_fischer_merit(&p->bounds, trial, w, phi, dz, dw);
            if (next <= (1.0 - LOCAL_MCP_DESCENT * t) * merit) {
                break;
            }
        }
        if (half == LOCAL_MCP_HALVINGS) {
            return; // round-off, or a local minimum: the caller's check decides
        }
        memcpy(z, trial, sizeof trial);
        merit = next;
    }
}

// The start of a try: the last impulse, sticking, no friction.
static void mcp_start(const local_block *block, const mcp_contact *p, const double q[3],
                      int attempt, const double last[3], double slip, double z[N]) {
    bool useful = last[0] > 0.0 && last[0] + fabs(last[1]) + fabs(last[2]) <= DBL_MAX;
    memset(z, 0, N * sizeof *z);
    z[0] = 1.0;
    if (attempt == 0 && useful) {
        z[0] = last[0] / p->unit_normal;
        z[1] = last[1] / p->unit_tangent;
        z[2] = last[2] / p->unit_tangent;
        z[3] = slip / p->unit_slip;
    } else if (attempt <= 1 && block->regular) {
        double b[2] = {q[1] - block->tn[0] * q[0], q[2] - block->tn[1] * q[0]};
        double t[2] = {-block->inv_det * (block->S[3] * b[0] - block->S[2] * b[1]),
                       -block->inv_det * (block->S[0] * b[1] - block->S[1] * b[0])};
        z[0] -= (block->nt[0] * t[0] + block->nt[1] * t[1]) / p->unit_normal;
        z[1] = t[0] / p->unit_tangent;
        z[2] = t[1] / p->unit_tangent;
    } else if (attempt == 2) {
        z[3] = 1.0;
    }
}

// r of z, brought onto the cone along the tangent plane, which keeps r_N.
static void mcp_impulse(const local_block *block, const mcp_contact *p, const double z[N],
                        double r[3]) {
    r[0] = fmax(p->unit_normal * z[0], 0.0);
    double x = p->unit_tangent * z[1], y = p->unit_tangent * z[2];
    double tangent = hypot(x, y), radius = block->mu * r[0];
    double share = tangent > radius ? radius / tangent : 1.0;
    r[1] = share * x;
    r[2] = share * y;
}

bool local_mcp(const local_block *block, const double q[3], double r[3], double *slip) {
    double size = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2])));
    double last[3] = {r[0], r[1], r[2]}, slip_last = isfinite(*slip) ? fmax(0.0, *slip) : 0.0;
    r[0] = r[1] = r[2] = *slip = 0.0;
    if (!(q[0] < 0.0 && size <= DBL_MAX && block->inv_nn > 0.0)) {
        return q[0] >= 0.0;
    }
    if (block->mu == 0.0) {
        r[0] = -q[0] * block->inv_nn;
        return local_accept(block, q, r);
    }
    mcp_contact p;
    double best = HUGE_VAL;
    mcp_units(block, q, size, &p);
    for (int attempt = 0; attempt < LOCAL_MCP_STARTS; attempt++) {
        double z[N], trial[3];
        mcp_start(block, &p, q, attempt, last, slip_last, z);
        mcp_iterate(&p, z);
        mcp_impulse(block, &p, z, trial);
        double error = local_error(block, q, trial);
        if (error < best) {
            best = error;
            memcpy(r, trial, sizeof trial);
            *slip = isfinite(z[3] * p.unit_slip) ? fmax(0.0, z[3] * p.unit_slip) : 0.0;
        }
        if (local_accept(block, q, r)) {
            return true;
        }
    }
    return false;
}
