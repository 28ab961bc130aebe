// solve/pivoting/enumerate.c
// In 2D a contact is open, sticking, or sliding one way or the other:
//     open  r = 0;   stick  u = 0;   slide  u_N = 0 and r_T = +mu r_N or -mu r_N.
// Each of the 4^n combinations is one small linear system; the first whose residual is within the
// tolerance is the answer. Exact, also where several solutions exist (then the first in order), but
// exponential: for n <= 3 only.
#include "solve/pivoting/enumerate.h"

#include "solve/drivers/joint_rows.h"
#include "solve/drivers/natural_map.h"

#include <math.h>
#include <string.h>

#define ENUMERATE_SIZE (2 * PIVOT_ENUMERATE_MAX)

typedef struct pivot_tiny {
    int32_t n; // contacts
    double W[ENUMERATE_SIZE][ENUMERATE_SIZE];
} pivot_tiny;

enum { TINY_OPEN, TINY_STICK, TINY_FORWARD, TINY_BACKWARD, TINY_STATUSES };

// W as a dense matrix, column by column, through the operator whatever its kind: u of a unit
// impulse less q.
static bool tiny_gather(const cn_friction *p, pivot_tiny *tiny) {
    double v[6 * ENUMERATE_SIZE]; // a contact touches at most two bodies, three velocities each
    int32_t m = 2 * p->contacts;
    if (cn_operator_dofs(&p->W, 2) > (int32_t)(sizeof v / sizeof *v)) {
        return false;
    }
    tiny->n = p->contacts;
    cn_friction bare = *p;
    double zero[ENUMERATE_SIZE] = {0.0};
    bare.q = zero;
    for (int32_t j = 0; j < m; j++) {
        double unit[ENUMERATE_SIZE] = {0.0};
        double column[ENUMERATE_SIZE];
        unit[j] = 1.0;
        cn_friction_velocity(&bare, unit, v, column);
        for (int32_t i = 0; i < m; i++) {
            tiny->W[i][j] = column[i];
        }
    }
    return true;
}

// Gaussian elimination with row pivoting, the right-hand side in the last column; false when
// singular.
static bool tiny_eliminate(int32_t size, double A[ENUMERATE_SIZE][ENUMERATE_SIZE + 1]) {
    for (int32_t k = 0; k < size; k++) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < size; i++) {
            pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
        }
        if (!(fabs(A[pivot][k]) > 0.0)) {
            return false;
        }
        for (int32_t j = k; j <= size; j++) {
            double swap = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        for (int32_t i = 0; i < size; i++) {
            double factor = i == k ? 0.0 : A[i][k] / A[k][k];
            for (int32_t j = k; j <= size; j++) {
                A[i][j] -= factor * A[k][j];
            }
        }
    }
    return true;
}

// The impulses of one combination of statuses; false when its system is singular.
static bool tiny_solve(const pivot_tiny *tiny, const cn_friction *p, const int32_t *status,
                       double *r) {
    int32_t m = 2 * tiny->n;
    double A[ENUMERATE_SIZE][ENUMERATE_SIZE + 1] = {{0.0}};
    for (int32_t i = 0; i < m; i++) {
        int32_t a = i / 2;
        bool normal = i % 2 == 0;
        if (status[a] == TINY_OPEN) {
            A[i][i] = 1.0;
        } else if (status[a] == TINY_STICK || normal) {
            memcpy(A[i], tiny->W[i], sizeof *A[i] * (size_t)m);
            A[i][m] = -p->q[i];
        } else {
            A[i][i] = 1.0;
            A[i][i - 1] = status[a] == TINY_FORWARD ? -p->mu[a] : p->mu[a];
        }
    }
    if (!tiny_eliminate(m, A)) {
        return false;
    }
    for (int32_t i = 0; i < m; i++) {
        r[i] = A[i][m] / A[i][i];
    }
    return true;
}

double pivot_enumerate_2d(const cn_friction *p, cn_measure measure, double tolerance, double *r,
                          int32_t *tried) {
    pivot_tiny tiny;
    *tried = 0;
    if (p->dim != 2 || p->contacts > PIVOT_ENUMERATE_MAX || solve_boxes_count(p) > 0 || p->convex ||
        !tiny_gather(p, &tiny)) {
        return INFINITY;
    }
    double best = INFINITY;
    for (int32_t code = 0; code < 1 << (2 * p->contacts) && !(best <= tolerance); code++) {
        int32_t status[PIVOT_ENUMERATE_MAX];
        for (int32_t a = 0; a < p->contacts; a++) {
            status[a] = (code >> (2 * a)) % TINY_STATUSES;
        }
        double trial[ENUMERATE_SIZE], u[ENUMERATE_SIZE];
        ++*tried;
        if (!tiny_solve(&tiny, p, status, trial)) {
            continue;
        }
        for (int32_t i = 0; i < 2 * p->contacts; i++) {
            u[i] = p->q[i];
            for (int32_t j = 0; j < 2 * p->contacts; j++) {
                u[i] += tiny.W[i][j] * trial[j];
            }
        }
        double error = solve_natural_error(p, measure, trial, u);
        if (error < best) {
            best = error;
            memcpy(r, trial, sizeof *r * 2 * (size_t)p->contacts);
        }
    }
    return best;
}
