// problem/validate.c
// Is this a problem at all? Sizes, indices, finite numbers, friction coefficients, looked at in
// that order so that nothing is read through a wrong size. What is wrong is said with its place
// (rows, columns and contacts count from 0, as in the file formats) and its value.
//
// Not looked at: symmetry and definiteness of W (real files have neither), definiteness of M (found
// by the factorisation when it is needed).
#include "base/error.h"
#include "problem/bounds.h"
#include "problem/operator/operator.h"
#include "problem/operator/sphere_map.h"

#include <inttypes.h>
#include <math.h>

#define NOT_FINITE_HINT "every number must be finite"

static cn_status shape_validate(const char *name, const cn_csr *a, int64_t rows, int64_t cols,
                                cn_error *error) {
    if (a->rows != rows || a->cols != cols) {
        return base_fail(error, CN_ERR_INPUT, "%s is %d x %d, but should be %" PRId64 " x %" PRId64,
                         name, a->rows, a->cols, rows, cols);
    }
    if (!a->start || a->start[0] != 0) {
        return base_fail(error, CN_ERR_INPUT, "%s has no row pointers starting at 0", name);
    }
    return CN_OK;
}

// Pointers rise from 0, indices ascend inside a row and stay below limit. Blocks and entries alike.
static cn_status pattern_validate(const char *name, const char *unit, int32_t rows, int32_t limit,
                                  const int64_t *start, const int32_t *column, cn_error *error) {
    // First the pointers alone: past them nothing may be read.
    for (int32_t i = 0; i < rows; i++) {
        if (start[i + 1] < start[i]) {
            return base_fail(error, CN_ERR_INPUT, "%s: %s %d has its end before its start", name,
                             unit, i);
        }
    }
    for (int32_t i = 0; i < rows; i++) {
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            if (column[k] < 0 || column[k] >= limit) {
                return base_fail(error, CN_ERR_INPUT,
                                 "%s: %s %d names column %d, which is outside 0..%d", name, unit, i,
                                 column[k], limit - 1);
            }
            if (k > start[i] && column[k] <= column[k - 1]) {
                return base_fail(error, CN_ERR_INPUT,
                                 "%s: %s %d has column %d after column %d; columns must ascend",
                                 name, unit, i, column[k], column[k - 1]);
            }
        }
    }
    return CN_OK;
}

static cn_status csr_validate(const char *name, const cn_csr *a, int64_t rows, int64_t cols,
                              cn_error *error) {
    CN_TRY(shape_validate(name, a, rows, cols, error));
    int64_t last = a->start[a->rows];
    if (last > 0 && (!a->column || !a->value)) {
        return base_fail(error, CN_ERR_INPUT, "%s has %" PRId64 " entries but no arrays", name,
                         last);
    }
    CN_TRY(pattern_validate(name, "row", a->rows, a->cols, a->start, a->column, error));
    for (int32_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            if (!isfinite(a->value[k])) {
                base_fail(error, CN_ERR_INPUT, "%s: entry (%d, %d) is %g", name, i, a->column[k],
                          a->value[k]);
                base_fail_hint(error, NOT_FINITE_HINT);
                return CN_ERR_INPUT;
            }
        }
    }
    return CN_OK;
}

static cn_status vector_validate(const char *name, const double *x, int64_t count,
                                 cn_error *error) {
    if (count > 0 && !x) {
        return base_fail(error, CN_ERR_INPUT, "%s is missing (%" PRId64 " numbers)", name, count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) {
            base_fail(error, CN_ERR_INPUT, "%s[%" PRId64 "] is %g", name, i, x[i]);
            base_fail_hint(error, NOT_FINITE_HINT);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static cn_status sizes_validate(int32_t dim, int32_t contacts, cn_error *error) {
    if (dim != 2 && dim != 3) {
        base_fail(error, CN_ERR_INPUT, "the space dimension is %d", dim);
        base_fail_hint(error, "2 and 3 are supported (5, rolling friction, is not)");
        return CN_ERR_INPUT;
    }
    if (contacts < 0 || contacts > INT32_MAX / dim) {
        return base_fail(error, CN_ERR_INPUT, "%d contacts is outside 0..%d", contacts,
                         INT32_MAX / dim);
    }
    return CN_OK;
}

static cn_status coefficients_validate(const double *mu, int32_t contacts, cn_error *error) {
    CN_TRY(vector_validate("mu", mu, contacts, error));
    for (int32_t a = 0; a < contacts; a++) {
        if (!(mu[a] >= 0.0)) {
            base_fail(error, CN_ERR_INPUT, "contact %d has the friction coefficient %g", a, mu[a]);
            base_fail_hint(error, "mu must be 0 (frictionless) or more");
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static cn_status assembled_validate(const cn_friction *p, cn_error *error) {
    const cn_bsr *W = &p->W.assembled;
    int32_t size = p->dim * p->dim;
    if (W->dim != p->dim || W->block_rows != p->contacts) {
        return base_fail(error, CN_ERR_INPUT,
                         "W has %d rows of %d x %d blocks, but there are %d contacts in %dD",
                         W->block_rows, W->dim, W->dim, p->contacts, p->dim);
    }
    if (!W->start || W->start[0] != 0) {
        return base_fail(error, CN_ERR_INPUT, "W has no row pointers starting at 0");
    }
    if (W->start[p->contacts] > 0 && (!W->column || !W->value)) {
        return base_fail(error, CN_ERR_INPUT, "W has %" PRId64 " blocks but no arrays",
                         W->start[p->contacts]);
    }
    CN_TRY(
        pattern_validate("W", "block row", p->contacts, p->contacts, W->start, W->column, error));
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            for (int32_t s = 0; s < size; s++) {
                double value = W->value[size * k + s];
                if (!isfinite(value)) {
                    base_fail(error, CN_ERR_INPUT, "W: entry (%d, %d), contacts %d and %d, is %g",
                              p->dim * a + s % p->dim, p->dim * W->column[k] + s / p->dim, a,
                              W->column[k], value);
                    base_fail_hint(error, NOT_FINITE_HINT);
                    return CN_ERR_INPUT;
                }
                if (W->column[k] == a && p->W.diagonal[(int64_t)size * a + s] != value) {
                    return base_fail(error, CN_ERR_INPUT,
                                     "W.diagonal differs from W at contact %d: %g instead of %g", a,
                                     p->W.diagonal[(int64_t)size * a + s], value);
                }
            }
        }
    }
    return CN_OK;
}

static cn_status body_map_validate(const cn_friction *p, cn_error *error) {
    const cn_body_map *body = &p->W.body;
    if (body->dofs < 0 || !body->start || body->start[0] != 0) {
        return base_fail(error, CN_ERR_INPUT, "W in body space has no contact pointers from 0");
    }
    int64_t last = body->start[p->contacts];
    if (last > 0 && (!body->dof || !body->H || !body->MinvH)) {
        return base_fail(error, CN_ERR_INPUT,
                         "W in body space has %" PRId64 " entries but no arrays", last);
    }
    CN_TRY(pattern_validate("H in body space", "contact", p->contacts, body->dofs, body->start,
                            body->dof, error));
    CN_TRY(vector_validate("H in body space", body->H, last * p->dim, error));

    return vector_validate("M^-1 H in body space", body->MinvH, last * p->dim, error);
}

// The two bodies of each contact.
static cn_status pairs_validate(const int32_t *body, int32_t contacts, int32_t bodies,
                                cn_error *error) {
    for (int64_t k = 0; k < 2 * (int64_t)contacts; k++) {
        if (body[k] < 0 || body[k] >= bodies) {
            return base_fail(error, CN_ERR_INPUT, "contact %d names body %d of %d", (int)(k / 2),
                             (int)body[k], (int)bodies);
        }
    }
    return CN_OK;
}

static cn_status sphere_map_validate(const cn_friction *p, cn_error *error) {
    const cn_sphere_map *spheres = &p->W.spheres;
    bool arms = spheres->arm || spheres->radius;
    if (spheres->bodies < 0 || (spheres->bodies > 0 && !spheres->inv_mass) ||
        (p->contacts > 0 && (!spheres->body || !arms || !spheres->normal))) {
        return base_fail(error, CN_ERR_INPUT, "W of round bodies lacks arrays");
    }
    int32_t record = spheres->arm ? 3 : 4, stride = spheres->stride == 0 ? 3 : spheres->stride;
    if (p->contacts > 0 && stride < record) {
        return base_fail(error, CN_ERR_INPUT, "W of round bodies has normals %d numbers apart",
                         (int)spheres->stride);
    }
    if (p->bounds.boxed) {
        return base_fail(error, CN_ERR_INPUT, "W of round bodies with joint rows");
    }
    CN_TRY(vector_validate("1/m and 1/I", spheres->inv_mass, 2 * (int64_t)spheres->bodies, error));
    if (p->contacts > 0) {
        const double *radii = spheres->arm ? spheres->arm : spheres->radius;
        int64_t count = spheres->arm ? 2 * (int64_t)p->contacts : spheres->bodies;
        CN_TRY(vector_validate("the radii", radii, count, error));
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        CN_TRY(vector_validate("the normals", prob_sphere_normal(spheres, a), record, error));
    }
    return pairs_validate(spheres->body, p->contacts, spheres->bodies, error);
}

static cn_status point_map_validate(const cn_friction *p, cn_error *error) {
    const cn_point_map *points = &p->W.points;
    int64_t contacts = p->contacts, square = p->dim == 3 ? 36 : 9;
    if (points->bodies < 0 || (points->bodies > 0 && !points->inverse) ||
        (contacts > 0 && (!points->body || !points->arm || !points->frame))) {
        return base_fail(error, CN_ERR_INPUT, "W of points lacks arrays");
    }
    if (p->bounds.boxed) {
        return base_fail(error, CN_ERR_INPUT, "W of points with joint rows");
    }
    CN_TRY(vector_validate("M^-1", points->inverse, square * points->bodies, error));
    CN_TRY(vector_validate("the lever arms", points->arm, 6 * contacts, error));

    CN_TRY(vector_validate("the frames", points->frame, 6 * contacts, error));
    return pairs_validate(points->body, p->contacts, points->bodies, error);
}

typedef cn_status form_validate(const cn_friction *p, cn_error *error);
static form_validate *const forms[] = {[CN_OPERATOR_ASSEMBLED] = assembled_validate,
                                       [CN_OPERATOR_BODY] = body_map_validate,
                                       [CN_OPERATOR_SPHERES] = sphere_map_validate,
                                       [CN_OPERATOR_POINTS] = point_map_validate};

static cn_status operator_validate(const cn_friction *p, cn_error *error) {
    int64_t kind = (int64_t)p->W.kind, m = (int64_t)p->dim * p->contacts;
    if (kind < 0 || kind >= (int64_t)(sizeof forms / sizeof *forms)) {
        return base_fail(error, CN_ERR_INPUT, "W is of an unknown kind, %d", (int)kind);
    }
    if (!prob_operator_ops_of(p->W.kind)->no_diagonal) {
        CN_TRY(vector_validate("W.diagonal", p->W.diagonal, m * p->dim, error));
    }
    return forms[kind](p, error);
}

cn_status cn_lcp_validate(const cn_lcp *p, cn_error *error) {
    if (p->n < 0) {
        return base_fail(error, CN_ERR_INPUT, "the size n is %d", p->n);
    }
    CN_TRY(csr_validate("M", &p->M, p->n, p->n, error));
    return vector_validate("q", p->q, p->n, error);
}

cn_status cn_friction_validate(const cn_friction *p, cn_error *error) {
    if (!p) {
        return base_fail_missing(error);
    }
    CN_TRY(sizes_validate(p->dim, p->contacts, error));
    int64_t m = (int64_t)p->dim * p->contacts;
    CN_TRY(operator_validate(p, error));
    CN_TRY(vector_validate("q", p->q, m, error));

    CN_TRY(coefficients_validate(p->mu, p->contacts, error));
    return prob_bounds_validate(&p->bounds, p->dim, p->contacts, p->mu, error);
}

cn_status cn_friction_global_validate(const cn_friction_global *p, cn_error *error) {
    CN_TRY(sizes_validate(p->dim, p->contacts, error));
    if (p->dofs < 0) {
        return base_fail(error, CN_ERR_INPUT, "the number of velocities is %d", p->dofs);
    }
    int64_t m = (int64_t)p->dim * p->contacts;
    CN_TRY(csr_validate("M", &p->M, p->dofs, p->dofs, error));
    CN_TRY(csr_validate("H", &p->H, p->dofs, m, error));

    CN_TRY(vector_validate("f", p->f, p->dofs, error));

    CN_TRY(vector_validate("w", p->w, m, error));

    CN_TRY(coefficients_validate(p->mu, p->contacts, error));
    return prob_bounds_validate(&p->bounds, p->dim, p->contacts, p->mu, error);
}

// A stored vector that need not be there.
static cn_status optional_validate(const char *name, const double *x, int64_t count,
                                   cn_error *error) {
    return x ? vector_validate(name, x, count, error) : CN_OK;
}

cn_status cn_problem_validate(const cn_problem *problem, cn_error *error) {
    if (!problem) {
        return base_fail_missing(error);
    }
    int64_t m = 0, dofs = 0;
    switch (problem->kind) {
    case CN_PROBLEM_LCP:
        CN_TRY(cn_lcp_validate(&problem->lcp, error));
        m = problem->lcp.n;
        break;
    case CN_PROBLEM_FRICTION:
        CN_TRY(cn_friction_validate(&problem->friction, error));
        m = (int64_t)problem->friction.dim * problem->friction.contacts;
        break;
    case CN_PROBLEM_FRICTION_GLOBAL:
        CN_TRY(cn_friction_global_validate(&problem->global, error));
        m = (int64_t)problem->global.dim * problem->global.contacts;
        dofs = problem->global.dofs;
        break;
    default:
        return base_fail(error, CN_ERR_INPUT, "the problem is of an unknown kind, %d",
                         (int)problem->kind);
    }
    CN_TRY(optional_validate("the stored r", problem->r, m, error));
    CN_TRY(optional_validate("the stored u", problem->u, m, error));
    CN_TRY(optional_validate("the stored guess", problem->guess, m, error));
    return optional_validate("the stored v", problem->v, dofs, error);
}
