// problem/ncp.c
// Nonlinear mixed complementarity problems as data: validation, the Jacobian, the checker.
//
// Differences: columns that share no row are moved together, so a banded or sparse Jacobian costs
// as many evaluations of F as it has groups of columns (Curtis, Powell and Reid 1974). One-sided,
// towards the inside of the bounds, with a step of sqrt(eps): good to some 1e-8 of an entry, enough
// for Newton's method but not for its last digits. A gradient of one's own is better.
#include "problem/ncp.h"

#include "base/arena.h"
#include "base/error.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NCP_STEP 1.5e-8       // of a forward difference, per max(1, |z|)
#define NCP_CENTRAL_STEP 6e-6 // of a central one
#define NCP_AGREEMENT 1e-5    // of the Jacobian and the differences, per size of the row
#define NCP_DENSE_MAX 20000   // unknowns with a dense Jacobian
#define NCP_AT_BOUND 1e-9     // per max(1, |z|): counts as at the bound

cn_ncp cn_ncp_default(int32_t n) {
    return (cn_ncp){.n = n};
}

double prob_ncp_lower(const cn_ncp *p, int32_t i) {
    return p->lower ? p->lower[i] : -HUGE_VAL;
}

double prob_ncp_upper(const cn_ncp *p, int32_t i) {
    return p->upper ? p->upper[i] : HUGE_VAL;
}

double prob_ncp_clamp(const cn_ncp *p, int32_t i, double x) {
    double lower = prob_ncp_lower(p, i), upper = prob_ncp_upper(p, i);
    if (x > lower) {
        return x < upper ? x : upper;
    }
    return lower > -HUGE_VAL ? lower : fmin(0.0, upper);
}

bool prob_ncp_value(const cn_ncp *p, const double *z, double *w) {
    if (!p->value(p->user, z, w)) {
        return false;
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (!isfinite(w[i])) {
            return false;
        }
    }
    return true;
}

// ---- validation ----

static cn_status ncp_pattern_validate(const cn_ncp *p, cn_error *error) {
    const cn_csr *J = &p->pattern;
    if (!J->start) {
        return p->n <= NCP_DENSE_MAX
                   ? CN_OK
                   : base_fail(error, CN_ERR_INPUT, "%d unknowns without a pattern of the Jacobian",
                               (int)p->n);
    }
    if (J->rows != p->n || J->cols != p->n || !J->column || J->start[0] != 0) {
        return base_fail(error, CN_ERR_INPUT,
                         "the pattern of the Jacobian is %d x %d instead of %d x %d", (int)J->rows,
                         (int)J->cols, (int)p->n, (int)p->n);
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (J->start[i + 1] < J->start[i]) {
            return base_fail(error, CN_ERR_INPUT, "row %d of the pattern ends before it starts",
                             (int)i);
        }
        for (int64_t k = J->start[i]; k < J->start[i + 1]; k++) {
            bool ascends = k == J->start[i] || J->column[k] > J->column[k - 1];
            if (J->column[k] < 0 || J->column[k] >= p->n || !ascends) {
                base_fail(error, CN_ERR_INPUT, "row %d of the pattern has column %d", (int)i,
                          (int)J->column[k]);
                base_fail_hint(error, "columns ascend in a row, from 0 to n - 1");
                return CN_ERR_INPUT;
            }
        }
    }
    return CN_OK;
}

cn_status prob_ncp_validate(const cn_ncp *p, cn_error *error) {
    if (!p || p->n < 0 || !p->value) {
        return base_fail(error, CN_ERR_ARGUMENT, "%s was given",
                         !p ? "no problem" : (p->n < 0 ? "a negative size" : "no function F"));
    }
    for (int32_t i = 0; i < p->n; i++) {
        double lower = prob_ncp_lower(p, i), upper = prob_ncp_upper(p, i);
        if (!(lower <= upper && lower < HUGE_VAL && upper > -HUGE_VAL)) {
            base_fail(error, CN_ERR_INPUT, "the bounds of unknown %d are %g and %g", (int)i, lower,
                      upper);
            base_fail_hint(error, "lower <= upper; use -inf and inf where there is no bound");
            return CN_ERR_INPUT;
        }
    }
    return ncp_pattern_validate(p, error);
}

// ---- Jacobian ----

// Greedy colouring: a column gets the first group of which no column shares a row with it.
static cn_status ncp_group_columns(prob_ncp_jacobian *jacobian, cn_arena *memory) {
    const cn_csr *J = &jacobian->J;
    int32_t n = J->rows;
    base_arena_mark mark = base_arena_get_mark(memory);
    int64_t *first = BASE_TAKE_ZERO(memory, int64_t, (int64_t)n + 1); // rows of a column
    int32_t *row = BASE_TAKE(memory, int32_t, J->start[n]);
    int32_t *taken =
        BASE_TAKE(memory, int32_t, (int64_t)n + 1); // of a group: the last column refused
    int64_t *next = BASE_TAKE(memory, int64_t, n);
    if (!first || !row || !taken || !next) {
        return CN_ERR_MEMORY;
    }
    for (int64_t k = 0; k < J->start[n]; k++) {
        first[J->column[k] + 1]++;
    }
    for (int32_t j = 0; j < n; j++) {
        first[j + 1] += first[j];
        next[j] = first[j];
        taken[j] = -1;
        jacobian->group[j] = -1;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = J->start[i]; k < J->start[i + 1]; k++) {
            row[next[J->column[k]]++] = i;
        }
    }
    for (int32_t j = 0; j < n; j++) {
        for (int64_t a = first[j]; a < first[j + 1]; a++) {
            for (int64_t k = J->start[row[a]]; k < J->start[row[a] + 1]; k++) {
                int32_t other = jacobian->group[J->column[k]];
                if (other >= 0) {
                    taken[other] = j;
                }
            }
        }
        int32_t group = 0;
        while (group < jacobian->groups && taken[group] == j) {
            group++;
        }
        jacobian->group[j] = group;
        jacobian->groups += group == jacobian->groups;
    }
    base_arena_release(memory, mark);
    return CN_OK;
}

cn_status prob_ncp_jacobian_create(const cn_ncp *p, cn_arena *memory, prob_ncp_jacobian *out) {
    int32_t n = p->n;
    bool dense = !p->pattern.start;
    *out = (prob_ncp_jacobian){.J = p->pattern};
    int64_t entries = dense ? (int64_t)n * n : p->pattern.start[n];
    out->J.rows = out->J.cols = n;
    out->J.value = BASE_TAKE_ZERO(memory, double, entries);
    out->group = BASE_TAKE(memory, int32_t, n);
    out->z = BASE_TAKE(memory, double, n);
    out->w = BASE_TAKE(memory, double, n);
    out->w2 = BASE_TAKE(memory, double, n);
    if (dense) {
        out->J.start = BASE_TAKE(memory, int64_t, (int64_t)n + 1);
        out->J.column = BASE_TAKE(memory, int32_t, entries);
    }
    if (!out->J.value || !out->group || !out->z || !out->w || !out->w2 || !out->J.start ||
        !out->J.column) {
        return CN_ERR_MEMORY;
    }
    for (int64_t k = 0; dense && k < entries; k++) {
        out->J.column[k] = (int32_t)(k % n);
    }
    for (int32_t i = 0; dense && i <= n; i++) {
        out->J.start[i] = (int64_t)n * i;
    }
    return p->gradient ? CN_OK : ncp_group_columns(out, memory);
}

static double ncp_size(double z) {
    return fmax(1.0, fabs(z));
}

// The step of unknown j, away from a bound that is nearer.
static double ncp_step(const cn_ncp *p, int32_t j, double z) {
    double step = NCP_STEP * ncp_size(z);
    return z + step > prob_ncp_upper(p, j) ? -step : step;
}

static bool ncp_differences(const cn_ncp *p, const double *z, const double *w,
                            prob_ncp_jacobian *jacobian) {
    cn_csr *J = &jacobian->J;
    for (int32_t group = 0; group < jacobian->groups; group++) {
        for (int32_t j = 0; j < p->n; j++) {
            jacobian->z[j] = z[j] + (jacobian->group[j] == group ? ncp_step(p, j, z[j]) : 0.0);
        }
        jacobian->values++;
        if (!prob_ncp_value(p, jacobian->z, jacobian->w)) {
            return false;
        }
        for (int32_t i = 0; i < p->n; i++) {
            for (int64_t k = J->start[i]; k < J->start[i + 1]; k++) {
                int32_t j = J->column[k];
                if (jacobian->group[j] == group) {
                    J->value[k] = (jacobian->w[i] - w[i]) / (jacobian->z[j] - z[j]);
                }
            }
        }
    }
    return true;
}

bool prob_ncp_jacobian_at(const cn_ncp *p, const double *z, const double *w,
                          prob_ncp_jacobian *jacobian) {
    bool defined = p->gradient ? p->gradient(p->user, z, jacobian->J.value)
                               : ncp_differences(p, z, w, jacobian);
    for (int64_t k = 0; defined && k < jacobian->J.start[p->n]; k++) {
        defined = isfinite(jacobian->J.value[k]);
    }
    return defined;
}

// ---- check by differences ----

// (F(z + h e_j) - F(z - h e_j)) / 2h to w; false when F is not defined on either side.
static bool ncp_central(const cn_ncp *p, const double *z, int32_t j, prob_ncp_jacobian *room) {
    double h = NCP_CENTRAL_STEP * ncp_size(z[j]);
    memcpy(room->z, z, (size_t)p->n * sizeof *z);
    double up = room->z[j] = fmin(z[j] + h, prob_ncp_upper(p, j));
    bool defined = prob_ncp_value(p, room->z, room->w);
    double down = room->z[j] = fmax(z[j] - h, prob_ncp_lower(p, j));
    defined = defined && up > down && prob_ncp_value(p, room->z, room->w2);
    for (int32_t i = 0; defined && i < p->n; i++) {
        room->w[i] = (room->w[i] - room->w2[i]) / (up - down);
    }
    return defined;
}

// The entry of row i and column j; *in_pattern false: it is not in the pattern, and is 0.
static double ncp_entry(const cn_csr *J, int32_t i, int32_t j, bool *in_pattern) {
    for (int64_t k = J->start[i]; k < J->start[i + 1]; k++) {
        if (J->column[k] == j) {
            *in_pattern = true;
            return J->value[k];
        }
    }
    *in_pattern = false;
    return 0.0;
}

static cn_status ncp_compare(const cn_ncp *p, const double *z, const double *size,
                             prob_ncp_jacobian *jacobian, cn_error *error) {
    for (int32_t j = 0; j < p->n; j++) {
        if (!ncp_central(p, z, j, jacobian)) {
            continue; // a fixed unknown, or one beside which F ends
        }
        for (int32_t i = 0; i < p->n; i++) {
            bool in_pattern;
            double given = ncp_entry(&jacobian->J, i, j, &in_pattern), found = jacobian->w[i];
            double allowed = NCP_AGREEMENT * fmax(size[i], fabs(found));
            if (fabs(given - found) <= allowed || (in_pattern && !p->gradient)) {
                continue;
            }
            if (in_pattern) {
                return base_fail(
                    error, CN_ERR_INPUT,
                    "the Jacobian has %g in row %d, column %d, differences of F give %g", given,
                    (int)i, (int)j, found);
            }
            return base_fail(
                error, CN_ERR_INPUT,
                "the pattern of the Jacobian lacks row %d, column %d, where differences "
                "of F give %g",
                (int)i, (int)j, found);
        }
    }
    return CN_OK;
}

cn_status cn_ncp_check(const cn_ncp *p, const double *z, cn_arena *scratch, cn_error *error) {
    CN_TRY(prob_ncp_validate(p, error));
    base_arena_mark mark = base_arena_get_mark(scratch);
    prob_ncp_jacobian jacobian;
    double *at = BASE_TAKE(scratch, double, p->n), *w = BASE_TAKE(scratch, double, p->n);
    double *size = BASE_TAKE(scratch, double, p->n);
    cn_status status = prob_ncp_jacobian_create(p, scratch, &jacobian);
    if (!at || !w || !size || status != CN_OK) {
        base_arena_release(scratch, mark);
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < p->n; i++) {
        at[i] = prob_ncp_clamp(p, i, z[i]);
    }
    if (!prob_ncp_value(p, at, w)) {
        status = base_fail(error, CN_ERR_INPUT, "F is not defined or not finite at the start");
    } else if (!prob_ncp_jacobian_at(p, at, w, &jacobian)) {
        status = base_fail(error, CN_ERR_INPUT,
                           "the Jacobian is not defined or not finite at the start");
    } else {
        for (int32_t i = 0; i < p->n; i++) { // sizes of rows: round-off of F counts as well
            size[i] = fmax(1e-3, fabs(w[i]) * (DBL_EPSILON / NCP_CENTRAL_STEP / NCP_AGREEMENT));
            for (int64_t k = jacobian.J.start[i]; k < jacobian.J.start[i + 1]; k++) {
                size[i] = fmax(size[i], fabs(jacobian.J.value[k]));
            }
        }
        status = ncp_compare(p, at, size, &jacobian, error);
    }
    base_arena_release(scratch, mark);
    return status;
}

// ---- checker ----

cn_status cn_ncp_grade(const cn_ncp *p, const double *z, cn_arena *scratch, cn_grade *grade) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    double *w = BASE_TAKE(scratch, double, p->n);
    if (!w) {
        return CN_ERR_MEMORY;
    }
    *grade = (cn_grade){.worst = -1};
    bool defined = prob_ncp_value(p, z, w);
    double sum = defined ? 0.0 : HUGE_VAL;
    for (int32_t i = 0; defined && i < p->n; i++) {
        double lower = prob_ncp_lower(p, i), upper = prob_ncp_upper(p, i);
        double off = fabs(z[i] - fmax(lower, fmin(upper, z[i] - w[i])));
        sum += off * off;
        if (grade->worst < 0 || !(off <= grade->worst_error)) {
            grade->worst = i;
            grade->worst_error = off;
        }
        grade->cone_violation = fmax(grade->cone_violation, fmax(lower - z[i], z[i] - upper));
        bool at_lower = z[i] - lower <= NCP_AT_BOUND * ncp_size(z[i]);
        bool at_upper = upper - z[i] <= NCP_AT_BOUND * ncp_size(z[i]);
        grade->open += at_lower || at_upper;
    }
    grade->stick = defined ? p->n - grade->open : 0;
    grade->residual = grade->residual_q = grade->residual_max = sqrt(sum);
    base_arena_release(scratch, mark);
    return CN_OK;
}
