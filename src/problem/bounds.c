// problem/bounds.c
// The boxes of joint rows, lower <= r <= upper, and the compliance E of joint rows and contacts in
// u = (W + E) r + q.
#include "problem/bounds.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

void prob_bounds_comply(const cn_friction *p, const double *r, double *u) {
    const cn_bounds *bounds = &p->bounds;
    if (!bounds->boxed || !bounds->compliance) {
        return;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t i = (int64_t)p->dim * a; i < (int64_t)p->dim * (a + 1); i++) {
            u[i] += bounds->compliance[i] * r[i];
        }
    }
}

bool prob_bounds_copy(const cn_bounds *from, int32_t dim, int32_t contacts, cn_arena *memory,
                      cn_bounds *out) {
    int64_t m = (int64_t)dim * contacts;
    *out = (cn_bounds){0};
    if (!from->boxed || contacts == 0) {
        return true;
    }
    out->boxed = BASE_TAKE(memory, uint8_t, contacts);
    out->lower = BASE_TAKE(memory, double, m);
    out->upper = BASE_TAKE(memory, double, m);
    out->compliance = from->compliance ? BASE_TAKE(memory, double, m) : NULL;
    if (!out->boxed || !out->lower || !out->upper || (from->compliance && !out->compliance)) {
        return false;
    }
    memcpy(out->boxed, from->boxed, sizeof *out->boxed * (size_t)contacts);
    memcpy(out->lower, from->lower, sizeof *out->lower * (size_t)m);
    memcpy(out->upper, from->upper, sizeof *out->upper * (size_t)m);
    if (from->compliance) {
        memcpy(out->compliance, from->compliance, sizeof *out->compliance * (size_t)m);
    }
    return true;
}

static cn_status compliance_validate(const cn_bounds *bounds, int32_t a, int64_t i,
                                     cn_error *error) {
    double compliance = bounds->compliance ? bounds->compliance[i] : 0.0;
    if (!(compliance >= 0.0 && isfinite(compliance))) {
        base_fail(error, CN_ERR_INPUT, "row %lld, of the %s %d, has the compliance %g",
                  (long long)i, bounds->boxed[a] ? "joint block" : "contact", (int)a, compliance);
        base_fail_hint(error, "a compliance is 0 (rigid) or a positive number");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

static cn_status box_validate(const cn_bounds *bounds, int32_t a, int64_t i, cn_error *error) {
    double lower = bounds->lower[i], upper = bounds->upper[i];
    if (!(lower <= 0.0 && upper >= 0.0)) {
        base_fail(error, CN_ERR_INPUT, "row %lld, of the joint block %d, has the bounds %g and %g",
                  (long long)i, (int)a, lower, upper);
        base_fail_hint(error, "lower <= 0 <= upper; infinite ones are allowed");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

cn_status prob_bounds_validate(const cn_bounds *bounds, int32_t dim, int32_t contacts,
                               const double *mu, cn_error *error) {
    if (!bounds->boxed) {
        return CN_OK;
    }
    if (!bounds->lower || !bounds->upper) {
        return base_fail(error, CN_ERR_INPUT,
                         "blocks of joint rows are marked, but have no bounds");
    }
    for (int32_t a = 0; a < contacts; a++) {
        for (int64_t i = (int64_t)dim * a; i < (int64_t)dim * (a + 1); i++) {
            CN_TRY(bounds->boxed[a] ? box_validate(bounds, a, i, error) : CN_OK);
            CN_TRY(compliance_validate(bounds, a, i, error));
        }
        if (bounds->boxed[a] && mu[a] != 0.0) {
            return base_fail(error, CN_ERR_INPUT,
                             "the joint block %d has the friction coefficient %g; it must be 0",
                             (int)a, mu[a]);
        }
    }
    return CN_OK;
}
