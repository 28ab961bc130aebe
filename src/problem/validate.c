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

#define CN_NOT_FINITE_HINT "every number must be finite"

static cn_status cn_shape_validate(const char *name, const cn_csr *a, int64_t rows, int64_t cols,
                                   cn_error *error) {
    if (a->rows != rows || a->cols != cols) {
        return cn_fail(error, CN_ERR_INPUT, "%s is %d x %d, but should be %" PRId64 " x %" PRId64,
                       name, a->rows, a->cols, rows, cols);
    }
    if (!a->start || a->start[0] != 0) {
        return cn_fail(error, CN_ERR_INPUT, "%s has no row pointers starting at 0", name);
    }
    return CN_OK;
}

// Pointers rise from 0, indices ascend inside a row and stay below limit. Blocks and entries alike.
static cn_status cn_pattern_validate(const char *name, const char *unit, int32_t rows,
                                     int32_t limit, const int64_t *start, const int32_t *column,
                                     cn_error *error) {
    // First the pointers alone: past them nothing may be read.
    for (int32_t i = 0; i < rows; i++) {
        if (start[i + 1] < start[i]) {
            return cn_fail(error, CN_ERR_INPUT, "%s: %s %d has its end before its start", name,
                           unit, i);
        }
    }
    for (int32_t i = 0; i < rows; i++) {
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            if (column[k] < 0 || column[k] >= limit) {
                return cn_fail(error, CN_ERR_INPUT,
                               "%s: %s %d names column %d, which is outside 0..%d", name, unit, i,
                               column[k], limit - 1);
            }
            if (k > start[i] && column[k] <= column[k - 1]) {
                return cn_fail(error, CN_ERR_INPUT,
                               "%s: %s %d has column %d after column %d; columns must ascend", name,
                               unit, i, column[k], column[k - 1]);
            }
        }
    }
    return CN_OK;
}

static cn_status cn_csr_validate(const char *name, const cn_csr *a, int64_t rows, int64_t cols,
                                 cn_error *error) {
    cn_status status = cn_shape_validate(name, a, rows, cols, error);
    if (status != CN_OK) {
        return status;
    }
    int64_t last = a->start[a->rows];
    if (last > 0 && (!a->column || !a->value)) {
        return cn_fail(error, CN_ERR_INPUT, "%s has %" PRId64 " entries but no arrays", name, last);
    }
    status = cn_pattern_validate(name, "row", a->rows, a->cols, a->start, a->column, error);
    if (status != CN_OK) {
        return status;
    }
    for (int32_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            if (!isfinite(a->value[k])) {
                cn_fail(error, CN_ERR_INPUT, "%s: entry (%d, %d) is %g", name, i, a->column[k],
                        a->value[k]);
                cn_fail_hint(error, CN_NOT_FINITE_HINT);
                return CN_ERR_INPUT;
            }
        }
    }
    return CN_OK;
}

static cn_status cn_vector_validate(const char *name, const double *x, int64_t count,
                                    cn_error *error) {
    if (count > 0 && !x) {
        return cn_fail(error, CN_ERR_INPUT, "%s is missing (%" PRId64 " numbers)", name, count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) {
            cn_fail(error, CN_ERR_INPUT, "%s[%" PRId64 "] is %g", name, i, x[i]);
            cn_fail_hint(error, CN_NOT_FINITE_HINT);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static cn_status cn_sizes_validate(int32_t dim, int32_t contacts, cn_error *error) {
    if (dim != 2 && dim != 3) {
        cn_fail(error, CN_ERR_INPUT, "the space dimension is %d", dim);
        cn_fail_hint(error, "2 and 3 are supported (5, rolling friction, is not)");
        return CN_ERR_INPUT;
    }
    if (contacts < 0 || contacts > INT32_MAX / dim) {
        return cn_fail(error, CN_ERR_INPUT, "%d contacts is outside 0..%d", contacts,
                       INT32_MAX / dim);
    }
    return CN_OK;
}

static cn_status cn_coefficients_validate(const double *mu, int32_t contacts, cn_error *error) {
    cn_status status = cn_vector_validate("mu", mu, contacts, error);
    if (status != CN_OK) {
        return status;
    }
    for (int32_t a = 0; a < contacts; a++) {
        if (!(mu[a] >= 0.0)) {
            cn_fail(error, CN_ERR_INPUT, "contact %d has the friction coefficient %g", a, mu[a]);
            cn_fail_hint(error, "mu must be 0 (frictionless) or more");
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static cn_status cn_assembled_validate(const cn_friction *p, cn_error *error) {
    const cn_bsr *W = &p->W.assembled;
    int32_t size = p->dim * p->dim;
    if (W->dim != p->dim || W->block_rows != p->contacts) {
        return cn_fail(error, CN_ERR_INPUT,
                       "W has %d rows of %d x %d blocks, but there are %d contacts in %dD",
                       W->block_rows, W->dim, W->dim, p->contacts, p->dim);
    }
    if (!W->start || W->start[0] != 0) {
        return cn_fail(error, CN_ERR_INPUT, "W has no row pointers starting at 0");
    }
    if (W->start[p->contacts] > 0 && (!W->column || !W->value)) {
        return cn_fail(error, CN_ERR_INPUT, "W has %" PRId64 " blocks but no arrays",
                       W->start[p->contacts]);
    }
    cn_status status =
        cn_pattern_validate("W", "block row", p->contacts, p->contacts, W->start, W->column, error);
    if (status != CN_OK) {
        return status;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            for (int32_t s = 0; s < size; s++) {
                double value = W->value[size * k + s];
                if (!isfinite(value)) {
                    cn_fail(error, CN_ERR_INPUT, "W: entry (%d, %d), contacts %d and %d, is %g",
                            p->dim * a + s % p->dim, p->dim * W->column[k] + s / p->dim, a,
                            W->column[k], value);
                    cn_fail_hint(error, CN_NOT_FINITE_HINT);
                    return CN_ERR_INPUT;
                }
                if (W->column[k] == a && p->W.diagonal[(int64_t)size * a + s] != value) {
                    return cn_fail(error, CN_ERR_INPUT,
                                   "W.diagonal differs from W at contact %d: %g instead of %g", a,
                                   p->W.diagonal[(int64_t)size * a + s], value);
                }
            }
        }
    }
    return CN_OK;
}

static cn_status cn_body_map_validate(const cn_friction *p, cn_error *error) {
    const cn_body_map *body = &p->W.body;
    if (body->dofs < 0 || !body->start || body->start[0] != 0) {
        return cn_fail(error, CN_ERR_INPUT, "W in body space has no contact pointers from 0");
    }
    int64_t last = body->start[p->contacts];
    if (last > 0 && (!body->dof || !body->H || !body->MinvH)) {
        return cn_fail(error, CN_ERR_INPUT, "W in body space has %" PRId64 " entries but no arrays",
                       last);
    }
    cn_status status = cn_pattern_validate("H in body space", "contact", p->contacts, body->dofs,
                                           body->start, body->dof, error);
    if (status == CN_OK) {
        status = cn_vector_validate("H in body space", body->H, last * p->dim, error);
    }
    if (status == CN_OK) {
        status = cn_vector_validate("M^-1 H in body space", body->MinvH, last * p->dim, error);
    }
    return status;
}

// The two bodies of each contact.
static cn_status cn_pairs_validate(const int32_t *body, int32_t contacts, int32_t bodies,
                                   cn_error *error) {
    for (int64_t k = 0; k < 2 * (int64_t)contacts; k++) {
        if (body[k] < 0 || body[k] >= bodies) {
            return cn_fail(error, CN_ERR_INPUT, "contact %d names body %d of %d", (int)(k / 2),
                           (int)body[k], (int)bodies);
        }
    }
    return CN_OK;
}

static cn_status cn_ball_map_validate(const cn_friction *p, cn_error *error) {
    const cn_ball_map *balls = &p->W.balls;
    bool arms = balls->arm || balls->radius;
    if (balls->bodies < 0 || (balls->bodies > 0 && !balls->light) ||
        (p->contacts > 0 && (!balls->body || !arms || !balls->normal))) {
        return cn_fail(error, CN_ERR_INPUT, "W of balls lacks arrays");
    }
    int32_t record = balls->arm ? 3 : 4, stride = balls->stride == 0 ? 3 : balls->stride;
    if (p->contacts > 0 && stride < record) {
        return cn_fail(error, CN_ERR_INPUT, "W of balls has normals %d numbers apart",
                       (int)balls->stride);
    }
    if (p->bounds.boxed) {
        return cn_fail(error, CN_ERR_INPUT, "W of balls with joint rows");
    }
    cn_status status =
        cn_vector_validate("1/m and 1/I", balls->light, 2 * (int64_t)balls->bodies, error);
    if (status == CN_OK && p->contacts > 0) {
        const double *radii = balls->arm ? balls->arm : balls->radius;
        int64_t count = balls->arm ? 2 * (int64_t)p->contacts : balls->bodies;
        status = cn_vector_validate("the radii", radii, count, error);
    }
    for (int32_t a = 0; status == CN_OK && a < p->contacts; a++) {
        status = cn_vector_validate("the normals", cn_sphere_normal(balls, a), record, error);
    }
    return status == CN_OK ? cn_pairs_validate(balls->body, p->contacts, balls->bodies, error)
                           : status;
}

static cn_status cn_point_map_validate(const cn_friction *p, cn_error *error) {
    const cn_point_map *points = &p->W.points;
    int64_t contacts = p->contacts, square = p->dim == 3 ? 36 : 9;
    if (points->bodies < 0 || (points->bodies > 0 && !points->inverse) ||
        (contacts > 0 && (!points->body || !points->arm || !points->frame))) {
        return cn_fail(error, CN_ERR_INPUT, "W of points lacks arrays");
    }
    if (p->bounds.boxed) {
        return cn_fail(error, CN_ERR_INPUT, "W of points with joint rows");
    }
    cn_status status = cn_vector_validate("M^-1", points->inverse, square * points->bodies, error);
    if (status == CN_OK) {
        status = cn_vector_validate("the lever arms", points->arm, 6 * contacts, error);
    }
    if (status == CN_OK) {
        status = cn_vector_validate("the frames", points->frame, 6 * contacts, error);
    }
    return status == CN_OK ? cn_pairs_validate(points->body, p->contacts, points->bodies, error)
                           : status;
}

static cn_status cn_operator_validate(const cn_friction *p, cn_error *error) {
    switch (p->W.kind) {
    case CN_OPERATOR_ASSEMBLED:
        return cn_assembled_validate(p, error);
    case CN_OPERATOR_BODY:
        return cn_body_map_validate(p, error);
    case CN_OPERATOR_BALLS:
        return cn_ball_map_validate(p, error);
    case CN_OPERATOR_POINTS:
        return cn_point_map_validate(p, error);
    }
    return cn_fail(error, CN_ERR_INPUT, "W is of an unknown kind, %d", (int)p->W.kind);
}

cn_status cn_lcp_validate(const cn_lcp *p, cn_error *error) {
    if (p->n < 0) {
        return cn_fail(error, CN_ERR_INPUT, "the size n is %d", p->n);
    }
    cn_status status = cn_csr_validate("M", &p->M, p->n, p->n, error);
    return status != CN_OK ? status : cn_vector_validate("q", p->q, p->n, error);
}

cn_status cn_friction_validate(const cn_friction *p, cn_error *error) {
    if (!p) {
        return cn_fail_missing(error);
    }
    cn_status status = cn_sizes_validate(p->dim, p->contacts, error);
    if (status != CN_OK) {
        return status;
    }
    int64_t m = (int64_t)p->dim * p->contacts;
    if (p->W.kind != CN_OPERATOR_BALLS) {
        status = cn_vector_validate("W.diagonal", p->W.diagonal, m * p->dim, error);
    }
    if (status != CN_OK) {
        return status;
    }
    status = cn_operator_validate(p, error);
    if (status == CN_OK) {
        status = cn_vector_validate("q", p->q, m, error);
    }
    if (status == CN_OK) {
        status = cn_coefficients_validate(p->mu, p->contacts, error);
    }
    return status == CN_OK ? cn_bounds_validate(&p->bounds, p->dim, p->contacts, p->mu, error)
                           : status;
}

cn_status cn_friction_global_validate(const cn_friction_global *p, cn_error *error) {
    cn_status status = cn_sizes_validate(p->dim, p->contacts, error);
    if (status != CN_OK) {
        return status;
    }
    if (p->dofs < 0) {
        return cn_fail(error, CN_ERR_INPUT, "the number of velocities is %d", p->dofs);
    }
    int64_t m = (int64_t)p->dim * p->contacts;
    status = cn_csr_validate("M", &p->M, p->dofs, p->dofs, error);
    if (status == CN_OK) {
        status = cn_csr_validate("H", &p->H, p->dofs, m, error);
    }
    if (status == CN_OK) {
        status = cn_vector_validate("f", p->f, p->dofs, error);
    }
    if (status == CN_OK) {
        status = cn_vector_validate("w", p->w, m, error);
    }
    if (status == CN_OK) {
        status = cn_coefficients_validate(p->mu, p->contacts, error);
    }
    return status == CN_OK ? cn_bounds_validate(&p->bounds, p->dim, p->contacts, p->mu, error)
                           : status;
}

// A stored vector that need not be there.
static cn_status cn_optional_validate(const char *name, const double *x, int64_t count,
                                      cn_error *error) {
    return x ? cn_vector_validate(name, x, count, error) : CN_OK;
}

cn_status cn_problem_validate(const cn_problem *problem, cn_error *error) {
    if (!problem) {
        return cn_fail_missing(error);
    }
    cn_status status;
    int64_t m = 0, dofs = 0;
    switch (problem->kind) {
    case CN_PROBLEM_LCP:
        status = cn_lcp_validate(&problem->lcp, error);
        m = problem->lcp.n;
        break;
    case CN_PROBLEM_FRICTION:
        status = cn_friction_validate(&problem->friction, error);
        m = (int64_t)problem->friction.dim * problem->friction.contacts;
        break;
    case CN_PROBLEM_FRICTION_GLOBAL:
        status = cn_friction_global_validate(&problem->global, error);
        m = (int64_t)problem->global.dim * problem->global.contacts;
        dofs = problem->global.dofs;
        break;
    default:
        return cn_fail(error, CN_ERR_INPUT, "the problem is of an unknown kind, %d",
                       (int)problem->kind);
    }
    if (status == CN_OK) {
        status = cn_optional_validate("the stored r", problem->r, m, error);
    }
    if (status == CN_OK) {
        status = cn_optional_validate("the stored u", problem->u, m, error);
    }
    if (status == CN_OK) {
        status = cn_optional_validate("the stored guess", problem->guess, m, error);
    }
    if (status == CN_OK) {
        status = cn_optional_validate("the stored v", problem->v, dofs, error);
    }
    return status;
}
