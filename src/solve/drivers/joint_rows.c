// solve/drivers/joint_rows.c
// The problem of one block of joint rows, the others held:
//     u = W r + q,   lower <= r <= upper,   u_i = 0 inside, >= 0 at lower_i, <= 0 at upper_i.
// Each of the 3^dim combinations of statuses is a linear system of at most 3 rows; the first whose
// answer obeys the law to round-off is taken, the one with every row inside first, since most joint
// rows are bilateral. A singular W (redundant rows) leaves combinations without an answer; a row
// whose pivot vanishes keeps its impulse there, which is right when the rows agree. Where nothing
// fits, projected Gauss-Seidel over the rows gives what it can.
#include "solve/drivers/joint_rows.h"

#include "base/arena.h"

#include <float.h>
#include <string.h>

#define BOX_FALLBACK 20                  // sweeps over the rows where no combination fits
#define BOX_PIVOT 1e-12                  // of a diagonal entry: below, the pivot is round-off
#define BOX_ROUNDOFF (1e3 * DBL_EPSILON) // of the terms of a velocity or a bound

cn_status solve_boxes_view(const cn_friction *p, cn_arena *scratch, cn_friction *out) {
    int32_t dim = p->dim;
    int64_t size = (int64_t)dim * dim * p->contacts;
    *out = *p;
    if (!p->bounds.boxed || !p->bounds.compliance) {
        return CN_OK;
    }
    out->W.diagonal = BASE_TAKE(scratch, double, size);
    if (!out->W.diagonal) {
        return CN_ERR_MEMORY;
    }
    memcpy(out->W.diagonal, p->W.diagonal, sizeof *p->W.diagonal * (size_t)size);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int32_t i = 0; i < dim; i++) {
            out->W.diagonal[(int64_t)dim * dim * a + (dim + 1) * i] +=
                p->bounds.compliance[(int64_t)dim * a + i];
        }
    }
    return CN_OK;
}

double solve_boxes_pressing(const cn_friction *p, int32_t a) {
    double sum = 0.0;
    for (int64_t i = (int64_t)p->dim * a; i < (int64_t)p->dim * (a + 1); i++) {
        bool held = p->q[i] < 0.0 ? p->bounds.upper[i] > 0.0 : p->bounds.lower[i] < 0.0;
        sum += held ? p->q[i] * p->q[i] : 0.0;
    }
    return sum;
}

int32_t solve_boxes_count(const cn_friction *p) {
    int32_t count = 0;
    for (int32_t a = 0; p->bounds.boxed && a < p->contacts; a++) {
        count += p->bounds.boxed[a] != 0;
    }
    return count;
}

enum { BOX_INSIDE, BOX_LOWER, BOX_UPPER, BOX_STATUSES };

typedef struct solve_box {
    int32_t dim;
    const double *W, *lower, *upper, *q;
} solve_box;

// r of one combination: the rows inside eliminated one by one, in place; false when a bound that it
// names is infinite. A vanishing pivot leaves its row as it was.
static bool box_eliminate(const solve_box *box, const int *status, const double *last, double *r) {
    int32_t dim = box->dim;
    double A[3][3], b[3];
    for (int32_t i = 0; i < dim; i++) {
        r[i] = status[i] == BOX_LOWER ? box->lower[i] : box->upper[i];
        r[i] = status[i] == BOX_INSIDE ? last[i] : r[i];
        if (!isfinite(r[i])) {
            return false;
        }
    }
    // The right-hand side is what is left with r as it stands, so that a row kept is kept.
    for (int32_t i = 0; i < dim; i++) {
        b[i] = -box->q[i];
        for (int32_t j = 0; j < dim; j++) {
            A[i][j] = box->W[dim * j + i];
            b[i] -= A[i][j] * r[j];
        }
    }
    double x[3] = {0.0, 0.0, 0.0};
    bool used[3] = {false, false, false};
    for (int32_t k = 0; k < dim; k++) {
        if (status[k] != BOX_INSIDE || !(A[k][k] > BOX_PIVOT * box->W[(dim + 1) * k])) {
            continue;
        }
        used[k] = true;
        for (int32_t i = 0; i < dim; i++) {
            if (i == k) {
                continue;
            }
            double factor = A[i][k] / A[k][k];
            for (int32_t j = 0; j < dim; j++) {
                A[i][j] -= j == k ? 0.0 : factor * A[k][j];
            }
            A[i][k] = 0.0;
            b[i] -= factor * b[k];
        }
    }
    for (int32_t k = 0; k < dim; k++) {
        x[k] = used[k] ? b[k] / A[k][k] : 0.0;
        r[k] += x[k];
    }
    return true;
}

// Whether r obeys the law of its statuses, to round-off.
static bool box_fits(const solve_box *box, const int *status, double *r) {
    for (int32_t i = 0; i < box->dim; i++) {
        double u = box->q[i], terms = fabs(box->q[i]);
        for (int32_t j = 0; j < box->dim; j++) {
            double product = box->W[box->dim * j + i] * r[j];
            u += product;
            terms += fabs(product);
        }
        double allowed = BOX_ROUNDOFF * terms;
        bool inside = r[i] >= box->lower[i] && r[i] <= box->upper[i] && fabs(u) <= allowed;
        bool fits = status[i] == BOX_INSIDE  ? inside
                    : status[i] == BOX_LOWER ? u >= -allowed
                                             : u <= allowed;
        if (!(fits && isfinite(r[i]))) {
            return false;
        }
    }
    return true;
}

static void box_sweep(const solve_box *box, double *r) {
    for (int32_t i = 0; i < box->dim; i++) {
        double own = box->W[(box->dim + 1) * i], u = box->q[i];
        for (int32_t j = 0; j < box->dim; j++) {
            u += box->W[box->dim * j + i] * r[j];
        }
        double next = own > 0.0 ? r[i] - u / own : r[i];
        next = isfinite(next) ? next : 0.0;
        r[i] = fmin(fmax(next, box->lower[i]), box->upper[i]);
    }
}

bool solve_box_solve(int32_t dim, const double *W, const double *lower, const double *upper,
                     const double *q, double *r) {
    solve_box box = {.dim = dim, .W = W, .lower = lower, .upper = upper, .q = q};
    int32_t codes = dim == 2 ? 9 : 27;
    for (int32_t code = 0; code < codes; code++) {
        int status[3] = {code % BOX_STATUSES, code / 3 % BOX_STATUSES, code / 9 % BOX_STATUSES};
        double trial[3] = {0.0, 0.0, 0.0};
        if (box_eliminate(&box, status, r, trial) && box_fits(&box, status, trial)) {
            memcpy(r, trial, sizeof *r * (size_t)dim);
            return true;
        }
    }
    for (int32_t k = 0; k < BOX_FALLBACK; k++) {
        box_sweep(&box, r);
    }
    return false;
}
