// solve/local/local_newton.c
// Generalized Newton on the functions of Alart and Curnier (Renouf and Acary 2006, eq. 7-9): with
// z = r - rho u,
//     F_N = r_N - max(0, z_N),   F_T = r_T - P(z_T; disc of radius mu max(0, z_N)),
// u = W r + q eliminated, one 3x3 system a step, and steps halved while |F| grows.
//
// Starts from the last impulse and is then done in two or three steps. It may cycle between stick
// and slide when the start is poor, mu large or W singular: "secular" cannot.
#include "solve/local/local.h"

#include "math/cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEWTON_STEPS 50
#define NEWTON_HALVINGS 6
// |F| at which to stop, in units of |q|: round-off of W r.
#define NEWTON_ROUNDOFF (4.0 * DBL_EPSILON)

// One step in units in which q and W are of the order of 1.
typedef struct newton {
    double W[9], q[3], mu;
    double rho_n, rho_t;
} newton;

typedef struct newton_value {
    double u[3], z[3], F[3], length; // length: |z_T|
    double merit;
} newton_value;

static newton_value value_at(const newton *p, const double x[3]) {
    newton_value v;
    for (int i = 0; i < 3; i++) {
        v.u[i] = p->q[i] + (p->W[i] * x[0] + p->W[3 + i] * x[1] + p->W[6 + i] * x[2]);
        v.z[i] = x[i] - (i == 0 ? p->rho_n : p->rho_t) * v.u[i];
    }
    v.length = math_tangent_norm(3, v.z);
    double normal = fmax(0.0, v.z[0]);
    double share = v.length > p->mu * normal ? p->mu * normal / v.length : 1.0;
    v.F[0] = x[0] - normal;
    v.F[1] = x[1] - share * v.z[1];
    v.F[2] = x[2] - share * v.z[2];
    v.merit = hypot(v.F[0], hypot(v.F[1], v.F[2]));
    return v;
}

// One element of the generalized Jacobian, by rows.
static void jacobian_of(const newton *p, const newton_value *v, double J[3][3]) {
    double radius = p->mu * v->z[0];
    for (int j = 0; j < 3; j++) {
        double normal_row = p->rho_n * p->W[3 * j];
        double dz[3];
        for (int i = 0; i < 3; i++) {
            dz[i] = (i == j ? 1.0 : 0.0) - (i == 0 ? p->rho_n : p->rho_t) * p->W[3 * j + i];
            J[i][j] = i == j ? 1.0 : 0.0;
        }
        if (!(v->z[0] > 0.0)) {
            continue;
        }
        J[0][j] = normal_row;
        if (v->length <= radius) {
            J[1][j] -= dz[1];
            J[2][j] -= dz[2];
            continue;
        }
        // Sliding: the disc grows with z_N, and turns with z_T.
        double t[2] = {v->z[1] / v->length, v->z[2] / v->length};
        double along = t[0] * dz[1] + t[1] * dz[2];
        for (int i = 0; i < 2; i++) {
            J[i + 1][j] -= p->mu * t[i] * dz[0] + radius / v->length * (dz[i + 1] - along * t[i]);
        }
    }
}

// x := J^-1 x with row exchanges; false when J is singular to round-off.
static bool eliminate_3x3(double J[3][3], double x[3]) {
    for (int k = 0; k < 3; k++) {
        int best = k;
        for (int i = k + 1; i < 3; i++) {
            best = fabs(J[i][k]) > fabs(J[best][k]) ? i : best;
        }
        if (!(fabs(J[best][k]) > DBL_EPSILON * DBL_EPSILON)) {
            return false;
        }
        double row[3], entry = x[k];
        memcpy(row, J[k], sizeof row);
        memcpy(J[k], J[best], sizeof row);
        memcpy(J[best], row, sizeof row);
        x[k] = x[best];
        x[best] = entry;
        for (int i = k + 1; i < 3; i++) {
            double factor = J[i][k] / J[k][k];
            for (int j = k; j < 3; j++) {
                J[i][j] -= factor * J[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int k = 2; k >= 0; k--) {
        for (int j = k + 1; j < 3; j++) {
            x[k] -= J[k][j] * x[j];
        }
        x[k] /= J[k][k];
    }
    return true;
}

static void newton_iterate(const newton *p, double x[3]) {
    newton_value v = value_at(p, x);
    for (int step = 0; step < NEWTON_STEPS && v.merit > NEWTON_ROUNDOFF; step++) {
        double J[3][3], d[3] = {v.F[0], v.F[1], v.F[2]};
        jacobian_of(p, &v, J);
        if (!eliminate_3x3(J, d)) {
            return;
        }
        // The last halving is taken whatever it gives: a small worse step leaves a cycle.
        double length = 1.0, y[3];
        newton_value w;
        for (int halving = 0; halving < NEWTON_HALVINGS; halving++) {
            for (int i = 0; i < 3; i++) {
                y[i] = x[i] - length * d[i];
            }
            w = value_at(p, y);
            if (w.merit < v.merit) {
                break;
            }
            length *= 0.5;
        }
        if (!(w.merit <= DBL_MAX)) {
            return;
        }
        memcpy(x, y, sizeof y);
        v = w;
    }
}

bool local_newton(const local_block *block, const double q[3], double r[3], double *slip) {
    (void)slip;
    double size = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2])));
    double x[3] = {0.0, 0.0, 0.0};
    if (!(q[0] < 0.0 && size <= DBL_MAX)) {
        memcpy(r, x, sizeof x);
        return q[0] >= 0.0;
    }
    newton p = {.mu = block->mu};
    double unit = size / block->scale;
    for (int i = 0; i < 9; i++) {
        p.W[i] = block->W[i] / block->scale;
    }
    for (int i = 0; i < 3; i++) {
        p.q[i] = q[i] / size;
        x[i] = r[i] / unit;
    }
    p.rho_n = 1.0 / p.W[0];
    p.rho_t = p.W[4] + p.W[8] > 0.0 ? 2.0 / (p.W[4] + p.W[8]) : 1.0;
    // An open or useless start says nothing: begin with the contact without friction.
    if (!(x[0] > 0.0 && x[0] + fabs(x[1]) + fabs(x[2]) <= DBL_MAX)) {
        x[0] = -p.q[0] * p.rho_n;
        x[1] = x[2] = 0.0;
    }
    newton_iterate(&p, x);
    math_cone_project(3, p.mu, x);
    for (int i = 0; i < 3; i++) {
        r[i] = x[i] * unit;
    }
    if (!(fabs(r[0]) + fabs(r[1]) + fabs(r[2]) <= DBL_MAX)) {
        r[0] = r[1] = r[2] = 0.0;
    }
    return local_accept(block, q, r);
}
