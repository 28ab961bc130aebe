// solve/newton_system.c
#include "solve/newton_system.h"

#include "base/arena.h"
#include "sparse/dense.h"

#include <string.h>

// ---- analysis ----

static int64_t cn_block_offset(cn_block_lu *lu, int32_t i, int32_t j) {
    return cn_block_lu_at(lu, i, j) - lu->value;
}

static cn_status cn_analyse_assembled(cn_newton_system *s, cn_arena *scratch) {
    const cn_bsr *W = &s->p->W.assembled;
    cn_status status =
        cn_block_lu_analyse(W->dim, W->block_rows, W->start, W->column, scratch, &s->lu);
    s->offset = CN_TAKE(scratch, int64_t, W->start[W->block_rows]);
    if (status != CN_OK || !s->offset) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < W->block_rows; a++) {
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            if (!cn_block_lu_at(&s->lu, a, W->column[k])) {
                return CN_ERR_UNSUPPORTED;
            }
            s->offset[k] = cn_block_offset(&s->lu, a, W->column[k]);
        }
    }
    return CN_OK;
}

// The graph of bodies that share a contact, as compressed rows with repeated entries.
static cn_status cn_analyse_bodies(cn_newton_system *s, cn_arena *scratch) {
    const cn_friction *p = s->p;
    int32_t size = s->pack.size, bodies = p->W.body.dofs / size;
    int64_t *start = CN_TAKE_ZERO(scratch, int64_t, (int64_t)bodies + 2);
    int32_t *column = CN_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    s->offset = CN_TAKE_ZERO(scratch, int64_t, 4 * (int64_t)p->contacts);
    if (!start || !column || !s->offset) {
        return CN_ERR_MEMORY;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t a = 0; a < p->contacts; a++) {
            int32_t i = s->pack.dof[2 * a] / size, j = s->pack.dof[2 * a + 1] / size;
            if (i >= bodies || j >= bodies) {
                continue;
            }
            if (pass == 0) {
                start[i + 2]++;
                start[j + 2]++;
            } else {
                column[start[i + 1]++] = j;
                column[start[j + 1]++] = i;
            }
        }
        for (int32_t i = 0; pass == 0 && i < bodies; i++) {
            start[i + 2] += start[i + 1];
        }
    }
    cn_status status = cn_block_lu_analyse(size, bodies, start, column, scratch, &s->lu);
    for (int32_t a = 0; status == CN_OK && a < p->contacts; a++) {
        for (int32_t k = 0; k < 4; k++) {
            int32_t i = s->pack.dof[2 * a + k / 2] / size, j = s->pack.dof[2 * a + k % 2] / size;
            s->offset[4 * (int64_t)a + k] =
                i < bodies && j < bodies ? cn_block_offset(&s->lu, i, j) : -1;
        }
    }
    return status;
}

cn_status cn_newton_analyse(const cn_friction *p, cn_arena *scratch, cn_newton_system *out) {
    int64_t m = (int64_t)p->dim * p->contacts;
    bool body = p->W.kind == CN_OPERATOR_BODY;
    *out = (cn_newton_system){.p = p};
    if (body && cn_body_pack_build(p, scratch, &out->pack) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    if (body && out->pack.size == 0) {
        return CN_ERR_UNSUPPORTED;
    }
    int64_t unknowns = body ? p->W.body.dofs : m;
    out->A = CN_TAKE(scratch, double, p->dim *m);
    out->K = CN_TAKE(scratch, double, p->dim *m);
    out->C = CN_TAKE(scratch, double, p->dim *m);
    out->inverse = CN_TAKE(scratch, double, p->dim *m);
    out->F = CN_TAKE(scratch, double, m);
    out->g = CN_TAKE(scratch, double, m);
    out->product = CN_TAKE(scratch, double, m);
    out->extra = CN_TAKE(scratch, double, m);
    out->zero = CN_TAKE_ZERO(scratch, double, m);
    // A contact with one body reads the spare zeros behind the velocities.
    out->y = CN_TAKE_ZERO(scratch, double, unknowns + CN_BLOCK_MOST);
    out->v = CN_TAKE(scratch, double, body ? unknowns : 0);
    if (!out->A || !out->K || !out->C || !out->inverse || !out->F || !out->g || !out->product ||
        !out->extra || !out->zero || !out->y || !out->v) {
        return CN_ERR_MEMORY;
    }
    return body ? cn_analyse_bodies(out, scratch) : cn_analyse_assembled(out, scratch);
}

cn_status cn_newton_cost(const cn_friction *p, cn_arena *scratch, double *multiplications) {
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    cn_newton_system system;
    cn_status status = cn_newton_analyse(p, scratch, &system);
    *multiplications = status == CN_OK ? system.lu.multiplications : 0.0;
    cn_arena_release(scratch, mark);
    return status;
}

// ---- factorisation ----

static bool cn_factor_assembled(cn_newton_system *s) {
    const cn_bsr *W = &s->p->W.assembled;
    int32_t dim = W->dim;
    cn_block_lu_clear(&s->lu);
    for (int32_t a = 0; a < W->block_rows; a++) {
        const double *A = s->A + (int64_t)dim * dim * a, *K = s->K + (int64_t)dim * dim * a;
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            const double *block = W->value + k * dim * dim; // by columns
            double *to = s->lu.value + s->offset[k];
            for (int32_t i = 0; i < dim; i++) {
                for (int32_t j = 0; j < dim; j++) {
                    double sum = W->column[k] == a ? K[dim * i + j] : 0.0;
                    for (int32_t l = 0; l < dim; l++) {
                        sum += A[dim * i + l] * block[dim * j + l];
                    }
                    to[dim * i + j] = sum;
                }
            }
        }
    }
    return cn_block_lu_factor(&s->lu);
}

// K^-1 and C = K^-1 A of every contact.
static bool cn_eliminate_contacts(cn_newton_system *s) {
    int32_t dim = s->p->dim, size = dim * dim;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        double factors[9], inverse[9];
        int32_t pivot[3];
        double *K = s->K + (int64_t)size * a;
        const double *A = s->A + (int64_t)size * a;
        memcpy(factors, K, sizeof *K * (size_t)size);
        if (!cn_lu_factor(dim, factors, pivot)) {
            return false;
        }
        for (int32_t j = 0; j < dim; j++) {
            double x[3] = {0.0, 0.0, 0.0};
            x[j] = 1.0;
            cn_lu_solve(dim, factors, pivot, x);
            for (int32_t i = 0; i < dim; i++) {
                inverse[dim * i + j] = x[i];
            }
        }
        for (int32_t i = 0; i < dim; i++) {
            for (int32_t j = 0; j < dim; j++) {
                double sum = 0.0;
                for (int32_t l = 0; l < dim; l++) {
                    sum += inverse[dim * i + l] * A[dim * l + j];
                }
                s->C[(int64_t)size * a + dim * i + j] = sum;
            }
        }
        memcpy(s->inverse + (int64_t)size * a, inverse, sizeof *inverse * (size_t)size);
    }
    return true;
}

static bool cn_factor_bodies(cn_newton_system *s) {
    int32_t dim = s->p->dim, size = s->pack.size;
    if (!cn_eliminate_contacts(s)) {
        return false;
    }
    cn_block_lu_clear(&s->lu);
    for (int32_t i = 0; i < s->lu.rows; i++) {
        double *block = cn_block_lu_at(&s->lu, i, i);
        for (int32_t k = 0; k < size; k++) {
            block[(size + 1) * k] = 1.0;
        }
    }
    for (int32_t a = 0; a < s->p->contacts; a++) {
        const double *C = s->C + (int64_t)dim * dim * a;
        for (int32_t side = 0; side < 4; side++) {
            int64_t offset = s->offset[4 * (int64_t)a + side];
            if (offset < 0) {
                continue;
            }
            const double *G = s->pack.G + (2 * (int64_t)a + side / 2) * size * dim;
            const double *H = s->pack.H + (2 * (int64_t)a + side % 2) * size * dim;
            double *block = s->lu.value + offset, turned[18]; // C H', dim rows
            for (int32_t i = 0; i < dim; i++) {
                for (int32_t l = 0; l < size; l++) {
                    double sum = 0.0;
                    for (int32_t j = 0; j < dim; j++) {
                        sum += C[dim * i + j] * H[dim * l + j];
                    }
                    turned[size * i + l] = sum;
                }
            }
            for (int32_t i = 0; i < dim; i++) {
                for (int32_t k = 0; k < size; k++) {
                    double factor = G[size * i + k];
                    for (int32_t l = 0; l < size; l++) {
                        block[size * k + l] += factor * turned[size * i + l];
                    }
                }
            }
        }
    }
    return cn_block_lu_factor(&s->lu);
}

// ---- solution ----

// dr with A_a (W dr)_a + K_a dr_a = -F_a from the factors at hand.
static void cn_solve_bodies(cn_newton_system *s, const double *F, double *dr) {
    int32_t dim = s->p->dim, size = s->pack.size;
    memset(s->y, 0, sizeof *s->y * (size_t)s->p->W.body.dofs);
    for (int32_t a = 0; a < s->p->contacts; a++) {
        const double *inverse = s->inverse + (int64_t)dim * dim * a;
        double *g = s->g + (int64_t)dim * a;
        for (int32_t i = 0; i < dim; i++) {
            g[i] = 0.0;
            for (int32_t j = 0; j < dim; j++) {
                g[i] -= inverse[dim * i + j] * F[(int64_t)dim * a + j];
            }
        }
        for (int32_t side = 0; side < 2; side++) {
            const double *G = s->pack.G + (2 * (int64_t)a + side) * size * dim;
            double *y = s->y + s->pack.dof[2 * (int64_t)a + side];
            for (int32_t i = 0; i < dim; i++) {
                for (int32_t k = 0; k < size; k++) {
                    y[k] += G[size * i + k] * g[i];
                }
            }
        }
    }
    cn_block_lu_solve(&s->lu, s->y);
    for (int32_t a = 0; a < s->p->contacts; a++) {
        const double *C = s->C + (int64_t)dim * dim * a;
        double u[3] = {0.0, 0.0, 0.0};
        for (int32_t side = 0; side < 2; side++) {
            const double *H = s->pack.H + (2 * (int64_t)a + side) * size * dim;
            const double *y = s->y + s->pack.dof[2 * (int64_t)a + side];
            for (int32_t k = 0; k < size; k++) {
                for (int32_t i = 0; i < dim; i++) {
                    u[i] += H[dim * k + i] * y[k];
                }
            }
        }
        for (int32_t i = 0; i < dim; i++) {
            double sum = s->g[(int64_t)dim * a + i];
            for (int32_t j = 0; j < dim; j++) {
                sum -= C[dim * i + j] * u[j];
            }
            dr[(int64_t)dim * a + i] = sum;
        }
    }
}

static void cn_solve_assembled(cn_newton_system *s, const double *F, double *dr) {
    int64_t m = (int64_t)s->p->dim * s->p->contacts;
    for (int64_t i = 0; i < m; i++) {
        dr[i] = -F[i];
    }
    cn_block_lu_solve(&s->lu, dr);
}

static void cn_solve_either(cn_newton_system *s, const double *F, double *dr) {
    if (s->p->W.kind == CN_OPERATOR_BODY) {
        cn_solve_bodies(s, F, dr);
    } else {
        cn_solve_assembled(s, F, dr);
    }
}

bool cn_newton_solve(cn_newton_system *s, double *dr) {
    const cn_friction *p = s->p;
    int32_t dim = p->dim;
    bool body = p->W.kind == CN_OPERATOR_BODY;
    if (!(body ? cn_factor_bodies(s) : cn_factor_assembled(s))) {
        return false;
    }
    cn_solve_either(s, s->F, dr);
    // F := F + A (W dr) + K dr, what is left, solved once more.
    cn_friction bare = *p;
    bare.q = s->zero;
    cn_friction_velocity(&bare, dr, s->v, s->product);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int32_t i = 0; i < dim; i++) {
            double sum = s->F[(int64_t)dim * a + i];
            for (int32_t j = 0; j < dim; j++) {
                int64_t entry = (int64_t)dim * dim * a + dim * i + j, at = (int64_t)dim * a + j;
                sum += s->A[entry] * s->product[at] + s->K[entry] * dr[at];
            }
            s->F[(int64_t)dim * a + i] = sum;
        }
    }
    cn_solve_either(s, s->F, s->extra);
    for (int64_t i = 0; i < (int64_t)dim * p->contacts; i++) {
        dr[i] += s->extra[i];
    }
    return true;
}
