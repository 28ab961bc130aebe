// problem/operator/assembled.c
// The blocks of W from a problem in body space, W_ab = H_a' (M^-1 H_b) over the velocities that
// contacts a and b share, for files and for solvers that want the matrix.
//
// Costs a block for every two contacts of a body: many where a body has hundreds of contacts, and
// then body space is the form to stay in.
#include "problem/operator/operator.h"

#include "base/arena.h"
#include "base/error.h"
#include "problem/bounds.h"

#include <string.h>

// Which contacts touch a velocity: contact[k] with its entry[k] of the body map, k in [start[dof],
// start[dof+1]).
typedef struct prob_touches {
    int64_t *start;
    int32_t *contact;
    int64_t *entry;
} prob_touches;

static cn_status touches_find(const cn_friction *p, cn_arena *memory, prob_touches *out) {
    const cn_body_map *body = &p->W.body;
    int64_t entries = body->start[p->contacts];
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)body->dofs + 2);
    out->contact = BASE_TAKE(memory, int32_t, entries);
    out->entry = BASE_TAKE(memory, int64_t, entries);
    if (!out->start || !out->contact || !out->entry) {
        return CN_ERR_MEMORY;
    }
    // Counted two places ahead, so that after the filling start[dof] is where dof begins.
    for (int64_t k = 0; k < entries; k++) {
        out->start[body->dof[k] + 2]++;
    }
    for (int32_t d = 0; d < body->dofs; d++) {
        out->start[d + 2] += out->start[d + 1];
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            int64_t at = out->start[body->dof[k] + 1]++;
            out->contact[at] = a;
            out->entry[at] = k;
        }
    }
    return CN_OK;
}

// a itself and the contacts that share a velocity with it, each once, ascending; *count of them.
// seen holds for each contact the last row it was listed in, from 1.
static void row_pattern(const cn_body_map *body, const prob_touches *touches, int32_t a,
                        int32_t *seen, int32_t *row, int32_t *count) {
    *count = 1;
    row[0] = a;
    seen[a] = a + 1;
    for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
        int32_t dof = body->dof[k];
        for (int64_t at = touches->start[dof]; at < touches->start[dof + 1]; at++) {
            int32_t b = touches->contact[at];
            if (seen[b] == a + 1) {
                continue;
            }
            seen[b] = a + 1;
            int32_t place = (*count)++;
            for (; place > 0 && row[place - 1] > b; place--) {
                row[place] = row[place - 1];
            }
            row[place] = b;
        }
    }
}

static cn_status pattern_find(const cn_friction *p, const prob_touches *touches, cn_arena *memory,
                              cn_arena *scratch, cn_bsr *W) {
    int32_t *seen = BASE_TAKE_ZERO(scratch, int32_t, p->contacts);
    int32_t *row = BASE_TAKE(scratch, int32_t, p->contacts), count;
    W->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)p->contacts + 1);
    if (!seen || !row || !W->start) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        row_pattern(&p->W.body, touches, a, seen, row, &count);
        W->start[a + 1] = W->start[a] + count;
    }
    W->column = BASE_TAKE(memory, int32_t, W->start[p->contacts]);
    if (!W->column) {
        return CN_ERR_MEMORY;
    }
    memset(seen, 0, sizeof *seen * (size_t)p->contacts);
    for (int32_t a = 0; a < p->contacts; a++) {
        row_pattern(&p->W.body, touches, a, seen, W->column + W->start[a], &count);
    }
    return CN_OK;
}

// Adds H_a' (M^-1 H_b) of one shared velocity, block by columns.
static void block_add(int32_t dim, const double *H, const double *MinvH, double *block) {
    for (int32_t j = 0; j < dim; j++) {
        for (int32_t i = 0; i < dim; i++) {
            block[dim * j + i] += H[i] * MinvH[j];
        }
    }
}

static void rows_fill(const cn_friction *p, const prob_touches *touches, int64_t *place,
                      cn_bsr *W) {
    const cn_body_map *body = &p->W.body;
    int32_t dim = p->dim;
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t slot = W->start[a]; slot < W->start[a + 1]; slot++) {
            place[W->column[slot]] = slot;
        }
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            int32_t dof = body->dof[k];
            for (int64_t at = touches->start[dof]; at < touches->start[dof + 1]; at++) {
                block_add(dim, body->H + dim * k, body->MinvH + dim * touches->entry[at],
                          W->value + (int64_t)dim * dim * place[touches->contact[at]]);
            }
        }
    }
}

static cn_status assembled_build(const cn_friction *p, cn_arena *memory, cn_arena *scratch,
                                 cn_friction *out) {
    int64_t m = (int64_t)p->dim * p->contacts;
    prob_touches touches;
    cn_bsr *W = &out->W.assembled;
    *out = (cn_friction){.dim = p->dim, .contacts = p->contacts};
    out->W.kind = CN_OPERATOR_ASSEMBLED;
    *W = (cn_bsr){.dim = p->dim, .block_rows = p->contacts};
    CN_TRY(touches_find(p, scratch, &touches));
    CN_TRY(pattern_find(p, &touches, memory, scratch, W));
    int64_t *place = BASE_TAKE(scratch, int64_t, p->contacts);
    W->value = BASE_TAKE_ZERO(memory, double,
                              (int64_t)p->dim * p->dim * W->start[p->contacts] + CN_BSR_PAD);
    out->W.diagonal = BASE_TAKE(memory, double, m * p->dim);
    out->q = BASE_TAKE(memory, double, m);
    out->mu = BASE_TAKE(memory, double, p->contacts);
    if (!place || !W->value || !out->W.diagonal || !out->q || !out->mu ||
        !prob_bounds_copy(&p->bounds, p->dim, p->contacts, memory, &out->bounds)) {
        return CN_ERR_MEMORY;
    }
    out->convex = p->convex;
    rows_fill(p, &touches, place, W);
    prob_operator_diagonal(&out->W, p->dim, p->contacts, out->W.diagonal);
    if (p->contacts > 0) {
        memcpy(out->q, p->q, sizeof *p->q * (size_t)m);
        memcpy(out->mu, p->mu, sizeof *p->mu * (size_t)p->contacts);
    }
    return CN_OK;
}

cn_status cn_friction_assemble(const cn_friction *p, cn_arena *memory, cn_friction *out,
                               cn_error *error) {
    if (!prob_operator_ops_of(p->W.kind)->body_space) {
        *out = *p; // the arrays are shared
        return CN_OK;
    }
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    cn_status status = scratch ? CN_OK : CN_ERR_MEMORY;
    cn_friction body;
    if (status == CN_OK) {
        status = cn_friction_expand(p, scratch, &body);
    }
    if (status == CN_OK) {
        status = assembled_build(&body, memory, scratch, out);
    }
    cn_arena_destroy(scratch);
    return status == CN_OK ? CN_OK : base_fail_memory(error);
}
