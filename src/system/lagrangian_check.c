// system/lagrangian_check.c
// Is a user's description right? Rows of contacts and joints are compared with differences of the
// gaps and joints, gradients with differences of the force, at a point a little off the start,
// where coincidences of the start (zeros, symmetry) do not hide a mistake.
#include "base/error.h"
#include "sparse/dense.h"
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHECK_OFF 1e-3      // how far off the start, over the size of a coordinate
#define CHECK_STEP 1e-6     // of the differences
#define CHECK_SLACK 1e-4    // relative; differences are good to about 1e-8 for smooth functions
#define CN_CHECK_JOINT 1e-6 // relative to the joint rows: how far a start may be off its joints

typedef struct sys_checked {
    const cn_system *system;
    sys_instant at;              // where
    double *plus, *minus;        // values beside it
    double *F_q, *F_v, *differs; // given and by differences
} sys_checked;

static bool do_differ(double given, double measured, double size) {
    return !(fabs(given - measured) <= CHECK_SLACK * fmax(fmax(fabs(given), fabs(measured)), size));
}

static cn_status check_fail(const cn_system *system, const char *what, int32_t row,
                            const char *variable, int32_t column, double given, double measured,
                            cn_error *error) {
    if (column > 0) {
        base_fail(error, CN_ERR_INPUT,
                  "%s: derivative of %s %d with respect to %s%d is given as %.9g, but differences "
                  "say %.9g",
                  system->name, what, (int)row, variable, (int)column, given, measured);
    } else {
        base_fail(
            error, CN_ERR_INPUT,
            "%s: derivative of %s %d with respect to %s is given as %.9g, but differences say "
            "%.9g",
            system->name, what, (int)row, variable, given, measured);
    }
    base_fail_hint(error, "looked at near the start");
    return CN_ERR_INPUT;
}

// Rows (count x n) and rates against differences of a function of (t, q).
static cn_status check_ledger_rows(sys_checked *c, const char *what, int32_t count,
                                   void (*function)(void *user, double t, const double *q,
                                                    double *out),
                                   const double *rows, const double *rate, cn_error *error) {
    const cn_lagrangian *def = &c->system->lagrangian;
    int32_t n = def->n;
    double size = 0.0;
    for (int64_t k = 0; k < (int64_t)count * n; k++) {
        size = fmax(size, fabs(rows[k]));
    }
    for (int32_t j = 0; j < n; j++) {
        double kept = c->at.q[j], step = CHECK_STEP * fmax(1.0, fabs(kept));
        c->at.q[j] = kept + step;
        function(def->user, c->at.t, c->at.q, c->plus);
        c->at.q[j] = kept - step;
        function(def->user, c->at.t, c->at.q, c->minus);
        c->at.q[j] = kept;
        for (int32_t i = 0; i < count; i++) {
            double measured = (c->plus[i] - c->minus[i]) / (2.0 * step);
            if (do_differ(rows[(int64_t)n * i + j], measured, size)) {
                return check_fail(c->system, what, i + 1, "q", j + 1, rows[(int64_t)n * i + j],
                                  measured, error);
            }
        }
    }
    function(def->user, c->at.t + CHECK_STEP, c->at.q, c->plus);
    function(def->user, c->at.t - CHECK_STEP, c->at.q, c->minus);
    for (int32_t i = 0; i < count; i++) {
        double measured = (c->plus[i] - c->minus[i]) / (2.0 * CHECK_STEP);
        if (do_differ(rate[i], measured, fmax(size, 1.0))) {
            return check_fail(c->system, what, i + 1, "t", 0, rate[i], measured, error);
        }
    }
    return CN_OK;
}

// A given gradient (part: "q" or "v", x its place in the instant) against differences of the force.
static cn_status check_gradient(sys_checked *c, const char *part, double *x, const double *given,
                                cn_error *error) {
    const cn_lagrangian *def = &c->system->lagrangian;
    int32_t n = def->n;
    double size = 0.0;
    for (int64_t k = 0; k < (int64_t)n * n; k++) {
        size = fmax(size, fabs(given[k]));
    }
    for (int32_t j = 0; j < n; j++) {
        double kept = x[j], step = CHECK_STEP * fmax(1.0, fabs(kept));
        x[j] = kept + step;
        def->force(def->user, c->at.t, c->at.q, c->at.v, c->plus);
        x[j] = kept - step;
        def->force(def->user, c->at.t, c->at.q, c->at.v, c->minus);
        x[j] = kept;
        for (int32_t i = 0; i < n; i++) {
            double measured = (c->plus[i] - c->minus[i]) / (2.0 * step);
            if (do_differ(given[(int64_t)n * i + j], measured, size)) {
                return check_fail(c->system, "force", i + 1, part, j + 1, given[(int64_t)n * i + j],
                                  measured, error);
            }
        }
    }
    return CN_OK;
}

// Symmetric, and positive definite: a Cholesky factorisation, in place.
static cn_status check_mass(const cn_system *system, double *M, cn_error *error) {
    int32_t n = system->lagrangian.n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            double a = M[(int64_t)n * i + j], b = M[(int64_t)n * j + i];
            double size = sqrt(fabs(M[(int64_t)(n + 1) * i] * M[(int64_t)(n + 1) * j]));
            if (!(fabs(a - b) <= CHECK_SLACK * size)) {
                return base_fail(
                    error, CN_ERR_INPUT,
                    "%s: the mass matrix is not symmetric: entry (%d, %d) is %g, entry "
                    "(%d, %d) is %g",
                    system->name, (int)i + 1, (int)j + 1, a, (int)j + 1, (int)i + 1, b);
            }
        }
    }
    for (int32_t k = 0; k < n; k++) {
        double pivot = M[(int64_t)(n + 1) * k];
        if (!(pivot > 0.0)) {
            return base_fail(error, CN_ERR_INPUT,
                             "%s: the mass matrix is not positive definite: pivot %d is %g",
                             system->name, (int)k + 1, pivot);
        }
        for (int32_t i = k + 1; i < n; i++) {
            double factor = M[(int64_t)n * i + k] / pivot;
            for (int32_t j = k + 1; j < n; j++) {
                M[(int64_t)n * i + j] -= factor * M[(int64_t)n * k + j];
            }
        }
    }
    return CN_OK;
}

static cn_status check_joints(const cn_system *system, const sys_instant *at, cn_error *error) {
    int32_t n = system->lagrangian.n;
    for (int32_t j = 0; j < system->lagrangian.joints; j++) {
        double size = 0.0, rate = at->joint_rate[j], rate_size = fabs(at->joint_rate[j]);
        for (int32_t k = 0; k < n; k++) {
            double entry = at->joint_rows[(int64_t)n * j + k];
            size = fmax(size, fabs(entry));
            rate += entry * at->v[k];
            rate_size += fabs(entry * at->v[k]);
        }
        if (!(fabs(at->theta[j]) <= CN_CHECK_JOINT * size)) {
            return base_fail(error, CN_ERR_INPUT, "%s: joint %d is off by %g at the start",
                             system->name, (int)j + 1, at->theta[j]);
        }
        if (!(fabs(rate) <= CN_CHECK_JOINT * fmax(size, rate_size))) {
            return base_fail(error, CN_ERR_INPUT,
                             "%s: the starting velocities tear at joint %d: its rate is %g",
                             system->name, (int)j + 1, rate);
        }
    }
    return CN_OK;
}

// The rows and gradients, at c->at.
static cn_status check_derivatives(sys_checked *c, cn_error *error) {
    const cn_lagrangian *def = &c->system->lagrangian;
    if (def->contacts > 0) {
        CN_TRY(check_ledger_rows(c, "gap", def->contacts, def->gap, c->at.rows, c->at.rate, error));
    }
    if (def->joints > 0) {
        CN_TRY(check_ledger_rows(c, "joint", def->joints, def->joint, c->at.joint_rows,
                                 c->at.joint_rate, error));
    }
    if (def->force_gradient) {
        def->force_gradient(def->user, c->at.t, c->at.q, c->at.v, c->F_q, c->F_v);
        CN_TRY(check_gradient(c, "q", c->at.q, c->F_q, error));
        CN_TRY(check_gradient(c, "v", c->at.v, c->F_v, error));
    }
    return CN_OK;
}

static cn_status sys_check_all(sys_checked *c, cn_error *error) {
    const cn_lagrangian *def = &c->system->lagrangian;
    size_t bytes = sizeof(double) * (size_t)def->n;
    memcpy(c->at.q, def->q, bytes);
    memcpy(c->at.v, def->v, bytes);
    CN_TRY(sys_instant_evaluate(c->system, &c->at, error));
    CN_TRY(check_joints(c->system, &c->at, error));

    CN_TRY(check_mass(c->system, c->at.M, error));

    for (int32_t i = 0; i < def->n; i++) {
        double sign = i % 2 == 0 ? 1.0 : -0.7;
        c->at.q[i] += CHECK_OFF * sign * fmax(1.0, fabs(c->at.q[i]));
        c->at.v[i] += CHECK_OFF * fmax(1.0, fabs(c->at.v[i]));
    }
    // Where the functions end so near to the start, the start itself has to do.
    if (sys_instant_evaluate(c->system, &c->at, NULL) != CN_OK) {
        memcpy(c->at.q, def->q, bytes);
        memcpy(c->at.v, def->v, bytes);
        CN_TRY(sys_instant_evaluate(c->system, &c->at, error));
    }
    return check_derivatives(c, error);
}

cn_status sys_lagrangian_check(const cn_system *system, cn_error *error) {
    const cn_lagrangian *def = &system->lagrangian;
    cn_arena *scratch = cn_arena_create(&system->env);
    if (!scratch) {
        return base_fail_memory(error);
    }
    int64_t max = def->n;
    max = def->contacts > max ? def->contacts : max;
    max = def->joints > max ? def->joints : max;
    sys_checked c = {.system = system,
                     .plus = BASE_TAKE_ZERO(scratch, double, max),
                     .minus = BASE_TAKE_ZERO(scratch, double, max),
                     .F_q = BASE_TAKE_ZERO(scratch, double, (int64_t)def->n * def->n),
                     .F_v = BASE_TAKE_ZERO(scratch, double, (int64_t)def->n * def->n)};
    cn_status status = CN_OK;
    if (!sys_instant_allocate(system, scratch, &c.at) || !c.plus || !c.minus || !c.F_q || !c.F_v) {
        status = base_fail_memory(error);
    } else {
        status = sys_check_all(&c, error);
    }
    cn_arena_destroy(scratch);
    return status;
}
