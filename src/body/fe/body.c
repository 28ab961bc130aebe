// body/fe/body.c
// The theta step of one deformable body (Jean 1999, eq. 36) and its energies.
//
// Solved for the change of velocity d = v - v_0: A d = b on the free dofs with d known on the held
// ones. The reaction is what is missing in the rows of the held dofs.
#include "body/fe/body.h"

#include "base/arena.h"
#include "base/error.h"
#include "sparse/csr.h"

#include <string.h>

// Columns of scratch.
#define FE_WORK 5

static double *scratch(const fe_body *body, int32_t column) {
    return body->work + (int64_t)column * body->type->ops.dofs;
}

static double dot(int32_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// x'A x; work: as long as x.
static double quadratic(const cn_csr *A, const double *x, double *work) {
    sparse_csr_apply(A, x, work);
    return dot(A->rows, x, work);
}

cn_status fe_body_create(cn_arena *memory, fe_type *type, bool quasi_static, fe_body *out,
                         cn_error *error) {
    int32_t n = type->ops.dofs;
    *out = (fe_body){.type = type, .quasi_static = quasi_static};
    if (quasi_static && type->key.theta != 1.0) {
        return base_fail(error, CN_ERR_INPUT, "a quasi-static body needs theta = 1, not %g",
                         type->key.theta);
    }
    double **const array[] = {&out->u,      &out->v,       &out->load,    &out->held_velocity,
                              &out->v_free, &out->impulse, &out->reaction};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
        *array[k] = BASE_TAKE_ZERO(memory, double, n);
        if (!*array[k]) {
            return base_fail_memory(error);
        }
    }
    out->work = BASE_TAKE(memory, double, FE_WORK *(int64_t)n);
    return out->work ? CN_OK : base_fail_memory(error);
}

void fe_body_set_type(fe_body *body, fe_type *type) {
    body->type = type;
}

void fe_body_predict(const fe_body *body, double *u) {
    const fe_type_key *key = &body->type->key;
    double step = key->h * (1.0 - key->theta);
    for (int32_t i = 0; i < body->type->ops.dofs; i++) {
        u[i] = body->u[i] + step * body->v[i];
    }
}

// Takes the mean translation from a displacement. K does not feel it, but for the round-off of
// differences between large numbers: a block that has moved by metres stores micrometres of strain.
static void remove_translation(const fe_type *type, double *x) {
    int32_t dim = type->key.mesh->dim, nodes = type->key.mesh->nodes;
    for (int32_t i = 0; i < dim; i++) {
        double sum = 0.0;
        for (int32_t n = 0; n < nodes; n++) {
            sum += x[dim * n + i];
        }
        for (int32_t n = 0; n < nodes; n++) {
            x[dim * n + i] -= sum / nodes;
        }
    }
}

// x'K x. Uses the last two columns of scratch.
static double stiffness_form(const fe_body *body, const double *x) {
    const fe_type *type = body->type;
    double *strained = scratch(body, 3);
    memcpy(strained, x, sizeof *x * (size_t)type->ops.dofs);
    remove_translation(type, strained);
    return quadratic(&type->ops.K, strained, scratch(body, 4));
}

double fe_body_kinetic(fe_body *body) {
    return 0.5 * quadratic(&body->type->ops.M, body->v, scratch(body, 4));
}

double fe_body_elastic(fe_body *body) {
    return 0.5 * stiffness_form(body, body->u);
}

// b = -h V v_0 - h K (u_0 + h theta v_0) + h P_theta. Uses the last two columns of scratch.
static void right_hand_side(const fe_body *body, double *b) {
    const fe_operators *ops = &body->type->ops;
    double h = body->type->key.h, s = h * body->type->key.theta;
    double *u = scratch(body, 3), *viscous = scratch(body, 4);
    for (int32_t i = 0; i < ops->dofs; i++) {
        u[i] = body->u[i] + s * body->v[i];
    }
    remove_translation(body->type, u);
    sparse_csr_apply(&ops->K, u, b);
    sparse_csr_apply(&ops->V, body->v, viscous);
    for (int32_t i = 0; i < ops->dofs; i++) {
        b[i] = h * (body->load[i] - b[i] - viscous[i]);
    }
}

cn_status fe_body_free_velocity(fe_body *body) {
    fe_type *type = body->type;
    const uint8_t *held = type->key.held;
    int32_t n = type->ops.dofs;
    double *d = scratch(body, 0), *known = scratch(body, 1), *product = scratch(body, 2);
    body->ledger.dissipated_numerical = 0.0;
    if (body->quasi_static) {
        body->ledger.dissipated_numerical = fe_body_kinetic(body);
        memset(body->v, 0, sizeof *body->v * (size_t)n);
    }
    memset(body->impulse, 0, sizeof *body->impulse * (size_t)n);
    right_hand_side(body, d);
    if (type->free < n) {
        for (int32_t i = 0; i < n; i++) {
            known[i] = held[i] ? body->held_velocity[i] - body->v[i] : 0.0;
        }
        sparse_csr_apply(&type->A, known, product);
        for (int32_t i = 0; i < n; i++) {
            d[i] -= product[i];
        }
    }
    cn_status status = fe_type_solve(type, d);
    for (int32_t i = 0; i < n; i++) {
        body->v_free[i] = held[i] ? body->held_velocity[i] : body->v[i] + d[i];
    }
    return status;
}

// The impulses that make held dofs follow: what A (v_1 - v_0) = b + p lacks in their rows.
static void find_reaction(fe_body *body, const double *dv) {
    const fe_type *type = body->type;
    double *b = scratch(body, 2), *product = scratch(body, 3);
    if (type->free == type->ops.dofs) {
        return; // it is zero from the start
    }
    right_hand_side(body, b);
    sparse_csr_apply(&type->A, dv, product);
    for (int32_t i = 0; i < type->ops.dofs; i++) {
        body->reaction[i] = type->key.held[i] ? product[i] - b[i] - body->impulse[i] : 0.0;
    }
}

cn_status fe_body_integrate(fe_body *body) {
    fe_type *type = body->type;
    const fe_operators *ops = &type->ops;
    fe_ledger *ledger = &body->ledger;
    int32_t n = ops->dofs;
    double h = type->key.h, theta = type->key.theta;
    double *v_1 = scratch(body, 0), *dv = scratch(body, 1), *mean = scratch(body, 2);
    memcpy(v_1, body->impulse, sizeof *v_1 * (size_t)n);
    cn_status status = fe_type_solve(type, v_1);
    for (int32_t i = 0; i < n; i++) {
        v_1[i] += body->v_free[i];
        dv[i] = v_1[i] - body->v[i];
    }
    find_reaction(body, dv);
    for (int32_t i = 0; i < n; i++) {
        mean[i] = (1.0 - theta) * body->v[i] + theta * v_1[i];
    }
    double *product = scratch(body, 3);
    ledger->work_load = h * dot(n, body->load, mean);
    ledger->work_contact = dot(n, body->impulse, mean);
    ledger->work_held = dot(n, body->reaction, mean);
    ledger->dissipated_viscous = h * quadratic(&ops->V, mean, product);
    ledger->dissipated_numerical +=
        (theta - 0.5) * (quadratic(&ops->M, dv, product) + h * h * stiffness_form(body, mean));
    for (int32_t i = 0; i < n; i++) {
        body->v[i] = v_1[i];
        body->u[i] += h * mean[i];
    }
    ledger->kinetic = fe_body_kinetic(body);
    ledger->elastic = fe_body_elastic(body);
    return status;
}
