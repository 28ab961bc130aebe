// problem/reduce.c
// From the global problem  M v = H r + f,  u = H' v + w  to the local one  u = W r + q:
//     W = H' M^-1 H,   q = H' M^-1 f + w.
//
// M is split into independent parts (problem/operator/mass.h); a contact touches a part where its
// columns of H are not zero there.
//     assembled    block W_ab exists where contacts a and b touch a common part. With M = L L' and
//                  Y = L^-1 H a dense part adds Y_a' Y_b, which is symmetric to the last bit; a
//                  large part adds H_b' (M^-1 H_a) for b >= a and its mirror image.
//     body space   H and M^-1 H are kept, contact by contact, on the dofs of the parts it touches.
// The assembled form is bad when one large part carries many contacts: every pair of them is then a
// block.
#include "problem/bounds.h"
#include "problem/operator/mass.h"
#include "problem/operator/operator.h"

#include "base/arena.h"
#include "base/error.h"
#include "sparse/cholesky.h"
#include "sparse/csr.h"

#include <string.h>

// Contacts solved together on a large part: enough for the solver to work on blocks of columns.
#define SOLVE_BATCH 8

// Contact `contact` touches part `part`.
typedef struct prob_touch {
    int32_t contact, part;
    int64_t at; // dense parts: where its n x dim columns begin in Y
} prob_touch;

// What the two forms share while they are made.
typedef struct reduction {
    const cn_friction_global *g;
    cn_arena *scratch;
    cn_csr Ht; // H by its columns
    prob_mass mass;
    int64_t *start;    // contacts + 1: the touches of a contact, parts ascending
    prob_touch *touch; // in order of contact
    int64_t *by_part;  // parts + 1: into member
    int64_t *member;   // touches part by part, contacts ascending
} reduction;

static int32_t part_size(const prob_mass *mass, int32_t part) {
    return mass->start[part + 1] - mass->start[part];
}

// ---- who touches what ----

// Appends the parts that contact a touches, ascending, each once; returns how many.
static int64_t collect_touches(const reduction *red, int32_t a, int32_t *stamp, prob_touch *list) {
    const cn_csr *Ht = &red->Ht;
    int32_t dim = red->g->dim;
    int64_t count = 0;
    for (int64_t k = Ht->start[dim * a]; k < Ht->start[dim * (a + 1)]; k++) {
        int32_t part = red->mass.part[Ht->column[k]];
        if (Ht->value[k] == 0.0 || stamp[part] == a + 1) {
            continue;
        }
        stamp[part] = a + 1;
        int64_t at = count++;
        for (; at > 0 && list[at - 1].part > part; at--) {
            list[at] = list[at - 1];
        }
        list[at] = (prob_touch){.contact = a, .part = part};
    }
    return count;
}

static cn_status find_touches(reduction *red) {
    int32_t contacts = red->g->contacts, parts = red->mass.parts;
    red->start = BASE_TAKE(red->scratch, int64_t, (int64_t)contacts + 1);
    red->touch = BASE_TAKE(red->scratch, prob_touch, red->Ht.start[red->Ht.rows]);
    red->by_part = BASE_TAKE_ZERO(red->scratch, int64_t, (int64_t)parts + 2);
    int32_t *stamp = BASE_TAKE_ZERO(red->scratch, int32_t, parts);
    if (!red->start || !red->touch || !red->by_part || !stamp) {
        return CN_ERR_MEMORY;
    }
    int64_t count = 0;
    for (int32_t a = 0; a < contacts; a++) {
        red->start[a] = count;
        count += collect_touches(red, a, stamp, red->touch + count);
    }
    red->start[contacts] = count;
    red->member = BASE_TAKE(red->scratch, int64_t, count);
    if (!red->member) {
        return CN_ERR_MEMORY;
    }
    // Counted two places on, so that filling leaves by_part where it belongs.
    for (int64_t t = 0; t < count; t++) {
        red->by_part[red->touch[t].part + 2]++;
    }
    for (int32_t p = 0; p < parts; p++) {
        red->by_part[p + 2] += red->by_part[p + 1];
    }
    for (int64_t t = 0; t < count; t++) {
        red->member[red->by_part[red->touch[t].part + 1]++] = t;
    }
    return CN_OK;
}

// The columns of H of a touch, on its part: n x dim by columns.
static void gather_columns(const reduction *red, const prob_touch *touch, double *out) {
    const cn_csr *Ht = &red->Ht;
    int32_t dim = red->g->dim;
    int64_t n = part_size(&red->mass, touch->part);
    memset(out, 0, sizeof *out * (size_t)n * (size_t)dim);
    for (int32_t i = 0; i < dim; i++) {
        int32_t line = dim * touch->contact + i;
        for (int64_t k = Ht->start[line]; k < Ht->start[line + 1]; k++) {
            if (red->mass.part[Ht->column[k]] == touch->part) {
                out[n * i + red->mass.place[Ht->column[k]]] = Ht->value[k];
            }
        }
    }
}

// ---- opening and closing ----

static void reduction_close(reduction *red) {
    prob_mass_destroy(&red->mass);
    cn_arena_destroy(red->scratch);
}

// Checks the problem, factorises M, lists the touches. After success reduction_close must
// follow.
static cn_status reduction_open(reduction *red, const cn_friction_global *g, const cn_env *env,
                                cn_error *error) {
    *red = (reduction){.g = g};
    cn_status status = cn_friction_global_validate(g, error);
    CN_TRY(status);
    red->scratch = cn_arena_create(env);
    if (!red->scratch) {
        return base_fail_memory(error);
    }
    status = prob_mass_create(&g->M, red->scratch, &red->mass, error);
    if (status != CN_OK) {
        cn_arena_destroy(red->scratch);
        return status;
    }
    status = sparse_csr_transpose(red->scratch, &g->H, &red->Ht);
    if (status == CN_OK) {
        status = find_touches(red);
    }
    if (status != CN_OK) {
        reduction_close(red);
        return base_fail_memory(error);
    }
    return CN_OK;
}

// The part of the local problem that both forms share: sizes, q = H' M^-1 f + w, mu.
static cn_status build_vectors(const reduction *red, cn_arena *memory, cn_friction *out) {
    const cn_friction_global *g = red->g;
    int64_t m = (int64_t)g->dim * g->contacts;
    *out = (cn_friction){.dim = g->dim, .contacts = g->contacts};
    out->q = BASE_TAKE(memory, double, m);
    out->mu = BASE_TAKE(memory, double, g->contacts);
    out->W.diagonal = BASE_TAKE(memory, double, m * g->dim);
    double *v = BASE_TAKE(red->scratch, double, g->dofs);
    if (!out->q || !out->mu || !out->W.diagonal || !v ||
        !prob_bounds_copy(&g->bounds, g->dim, g->contacts, memory, &out->bounds)) {
        return CN_ERR_MEMORY;
    }
    if (g->dofs > 0) {
        memcpy(v, g->f, sizeof *v * (size_t)g->dofs);
    }
    CN_TRY(prob_mass_solve_all(&red->mass, red->scratch, v));
    sparse_csr_apply_transposed(&g->H, v, out->q);
    for (int64_t i = 0; i < m; i++) {
        out->q[i] += g->w[i];
    }
    if (g->contacts > 0) {
        memcpy(out->mu, g->mu, sizeof *g->mu * (size_t)g->contacts);
    }
    return CN_OK;
}

// ---- body space ----

// Brings the entries [first, last) of a contact into ascending order of their dofs. Parts are
// nearly always contiguous, so that little moves.
static void sort_dofs(cn_body_map *body, int32_t dim, int64_t first, int64_t last) {
    for (int64_t k = first + 1; k < last; k++) {
        for (int64_t j = k; j > first && body->dof[j - 1] > body->dof[j]; j--) {
            int32_t dof = body->dof[j];
            body->dof[j] = body->dof[j - 1];
            body->dof[j - 1] = dof;
            for (int32_t i = 0; i < dim; i++) {
                double left = body->H[dim * j + i], right = body->MinvH[dim * j + i];
                body->H[dim * j + i] = body->H[dim * (j - 1) + i];
                body->MinvH[dim * j + i] = body->MinvH[dim * (j - 1) + i];
                body->H[dim * (j - 1) + i] = left;
                body->MinvH[dim * (j - 1) + i] = right;
            }
        }
    }
}

// Appends the rows of one touch where M^-1 H (or H) is not zero; returns the next free place.
static int64_t append_rows(const prob_mass *mass, int32_t part, int32_t dim, const double *H,
                           const double *X, int64_t filled, cn_body_map *body) {
    int32_t n = part_size(mass, part);
    for (int32_t row = 0; row < n; row++) {
        bool is_zero = true;
        for (int32_t i = 0; i < dim; i++) {
            body->H[dim * filled + i] = H[n * i + row];
            body->MinvH[dim * filled + i] = X[n * i + row];
            is_zero = is_zero && H[n * i + row] == 0.0 && X[n * i + row] == 0.0;
        }
        if (!is_zero) {
            body->dof[filled++] = mass->dof[mass->start[part] + row];
        }
    }
    return filled;
}

static cn_status build_body_space(const reduction *red, cn_arena *memory, cn_friction *out) {
    const prob_mass *mass = &red->mass;
    int32_t dim = red->g->dim, contacts = red->g->contacts;
    // One row more than there can be: a row is written before it is known to be kept.
    int64_t bound = 1;
    for (int64_t t = 0; t < red->start[contacts]; t++) {
        bound += part_size(mass, red->touch[t].part);
    }
    cn_body_map *body = &out->W.body;
    out->W.kind = CN_OPERATOR_BODY;
    body->dofs = red->g->dofs;
    body->start = BASE_TAKE(memory, int64_t, (int64_t)contacts + 1);
    body->dof = BASE_TAKE(memory, int32_t, bound);
    body->H = BASE_TAKE(memory, double, bound *dim);
    body->MinvH = BASE_TAKE(memory, double, bound *dim);
    double *H = BASE_TAKE(red->scratch, double, (int64_t)mass->largest *dim);
    double *X = BASE_TAKE(red->scratch, double, (int64_t)mass->largest *dim);
    if (!body->start || !body->dof || !body->H || !body->MinvH || !H || !X) {
        return CN_ERR_MEMORY;
    }
    int64_t filled = 0;
    for (int32_t a = 0; a < contacts; a++) {
        body->start[a] = filled;
        for (int64_t t = red->start[a]; t < red->start[a + 1]; t++) {
            int32_t part = red->touch[t].part;
            gather_columns(red, &red->touch[t], H);
            memcpy(X, H, sizeof *X * (size_t)part_size(mass, part) * (size_t)dim);
            CN_TRY(prob_mass_solve(mass, part, dim, X));
            filled = append_rows(mass, part, dim, H, X, filled, body);
        }
        sort_dofs(body, dim, body->start[a], filled);
    }
    body->start[contacts] = filled;
    prob_operator_diagonal(&out->W, dim, contacts, out->W.diagonal);
    return CN_OK;
}

// ---- assembled ----

// The contacts that share a part with contact a, itself first, each once, in no order.
static int32_t collect_neighbours(const reduction *red, int32_t a, int32_t *stamp, int32_t *list) {
    int32_t count = 0;
    stamp[a] = a + 1;
    list[count++] = a;
    for (int64_t t = red->start[a]; t < red->start[a + 1]; t++) {
        int32_t part = red->touch[t].part;
        for (int64_t k = red->by_part[part]; k < red->by_part[part + 1]; k++) {
            int32_t b = red->touch[red->member[k]].contact;
            if (stamp[b] != a + 1) {
                stamp[b] = a + 1;
                list[count++] = b;
            }
        }
    }
    return count;
}

// The block pattern of W. Columns come out in order without sorting:
// the pattern is symmetric, so contact b in turn appends itself to the rows of its neighbours.
static cn_status build_pattern(const reduction *red, cn_arena *memory, cn_bsr *W) {
    int32_t contacts = red->g->contacts;
    *W = (cn_bsr){.dim = red->g->dim, .block_rows = contacts};
    W->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)contacts + 2);
    int32_t *stamp = BASE_TAKE_ZERO(red->scratch, int32_t, contacts);
    int32_t *list = BASE_TAKE(red->scratch, int32_t, contacts);
    if (!W->start || !stamp || !list) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < contacts; a++) {
        W->start[a + 2] = W->start[a + 1] + collect_neighbours(red, a, stamp, list);
    }
    int64_t blocks = contacts > 0 ? W->start[contacts + 1] : 0;
    W->column = BASE_TAKE(memory, int32_t, blocks);
    if (!W->column) {
        return CN_ERR_MEMORY;
    }
    memset(stamp, 0, sizeof *stamp * (size_t)contacts);
    for (int32_t b = 0; b < contacts; b++) {
        int32_t count = collect_neighbours(red, b, stamp, list);
        for (int32_t i = 0; i < count; i++) {
            W->column[W->start[list[i] + 1]++] = b;
        }
    }
    return CN_OK;
}

static int64_t find_block(const cn_bsr *W, int32_t row, int32_t column) {
    int64_t low = W->start[row], high = W->start[row + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (W->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// block += A' B, all n x dim by columns.
static void add_product(int32_t n, int32_t dim, const double *A, const double *B, double *block) {
    for (int32_t j = 0; j < dim; j++) {
        for (int32_t i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++) {
                sum += A[n * i + k] * B[n * j + k];
            }
            block[dim * j + i] += sum;
        }
    }
}

// Upper blocks (b >= a) of the dense parts, W_ab += Y_a' Y_b.
static cn_status add_dense_parts(const reduction *red, cn_bsr *W) {
    const prob_mass *mass = &red->mass;
    int32_t dim = red->g->dim, contacts = red->g->contacts;
    int64_t size = 0, touches = red->start[contacts];
    for (int64_t t = 0; t < touches; t++) {
        red->touch[t].at = size;
        size += mass->factor[red->touch[t].part] ? part_size(mass, red->touch[t].part) * dim : 0;
    }
    double *Y = BASE_TAKE(red->scratch, double, size);
    if (!Y) {
        return CN_ERR_MEMORY;
    }
    for (int64_t t = 0; t < touches; t++) {
        const double *L = mass->factor[red->touch[t].part];
        int32_t n = part_size(mass, red->touch[t].part);
        if (L) {
            gather_columns(red, &red->touch[t], Y + red->touch[t].at);
            for (int32_t i = 0; i < dim; i++) {
                sparse_cholesky_lower(n, L, Y + red->touch[t].at + n * i);
            }
        }
    }
    for (int64_t t = 0; t < touches; t++) {
        int32_t part = red->touch[t].part, a = red->touch[t].contact;
        if (!mass->factor[part]) {
            continue;
        }
        for (int64_t k = red->by_part[part + 1] - 1; k >= red->by_part[part]; k--) {
            const prob_touch *other = &red->touch[red->member[k]];
            if (other->contact < a) {
                break;
            }
            double *block = W->value + dim * dim * find_block(W, a, other->contact);
            add_product(part_size(mass, part), dim, Y + red->touch[t].at, Y + other->at, block);
        }
    }
    return CN_OK;
}

// W_ab += X_a' H_b with X_a = M^-1 H_a, n x dim by columns on the part; H_b has few entries.
static void add_sparse_product(const reduction *red, int32_t part, const double *X, int32_t b,
                               double *block) {
    const cn_csr *Ht = &red->Ht;
    int32_t dim = red->g->dim;
    int64_t n = part_size(&red->mass, part);
    for (int32_t j = 0; j < dim; j++) {
        for (int64_t k = Ht->start[dim * b + j]; k < Ht->start[dim * b + j + 1]; k++) {
            if (red->mass.part[Ht->column[k]] != part) {
                continue;
            }
            int32_t place = red->mass.place[Ht->column[k]];
            for (int32_t i = 0; i < dim; i++) {
                block[dim * j + i] += X[n * i + place] * Ht->value[k];
            }
        }
    }
}

// Upper blocks of one large part: only the right-hand sides of the contacts that touch it.
static cn_status add_large_part(const reduction *red, int32_t part, cn_bsr *W) {
    int32_t dim = red->g->dim;
    int64_t n = part_size(&red->mass, part);
    int64_t first = red->by_part[part], last = red->by_part[part + 1];
    base_arena_mark mark = base_arena_get_mark(red->scratch);
    double *X = BASE_TAKE(red->scratch, double, n *dim *SOLVE_BATCH);
    cn_status status = X ? CN_OK : CN_ERR_MEMORY;
    for (int64_t from = first; status == CN_OK && from < last; from += SOLVE_BATCH) {
        int64_t to = from + SOLVE_BATCH < last ? from + SOLVE_BATCH : last;
        for (int64_t k = from; k < to; k++) {
            gather_columns(red, &red->touch[red->member[k]], X + n * dim * (k - from));
        }
        status = prob_mass_solve(&red->mass, part, (int32_t)(to - from) * dim, X);
        for (int64_t k = from; status == CN_OK && k < to; k++) {
            int32_t a = red->touch[red->member[k]].contact;
            for (int64_t other = k; other < last; other++) {
                int32_t b = red->touch[red->member[other]].contact;
                double *block = W->value + dim * dim * find_block(W, a, b);
                add_sparse_product(red, part, X + n * dim * (k - from), b, block);
            }
        }
    }
    base_arena_release(red->scratch, mark);
    return status;
}

// Fills the blocks below the diagonal from those above and makes the diagonal ones symmetric.
static cn_status mirror_blocks(cn_bsr *W, cn_arena *scratch) {
    int32_t dim = W->dim;
    int64_t *next = BASE_TAKE(scratch, int64_t, W->block_rows); // next block below, row by row
    if (!next) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < W->block_rows; a++) {
        next[a] = W->start[a];
    }
    for (int32_t a = 0; a < W->block_rows; a++) {
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            int32_t b = W->column[k];
            if (b < a) {
                continue;
            }
            double *block = W->value + dim * dim * k;
            double *mirror = W->value + dim * dim * next[b]++;
            for (int32_t j = 0; j < dim; j++) {
                for (int32_t i = 0; i <= j; i++) {
                    double upper = block[dim * j + i], lower = block[dim * i + j];
                    double mean = 0.5 * (upper + lower);
                    mirror[dim * i + j] = a == b ? mean : upper;
                    mirror[dim * j + i] = a == b ? mean : lower;
                }
            }
        }
    }
    return CN_OK;
}

static cn_status build_assembled(const reduction *red, cn_arena *memory, cn_friction *out) {
    cn_bsr *W = &out->W.assembled;
    int32_t dim = red->g->dim, contacts = red->g->contacts;
    out->W.kind = CN_OPERATOR_ASSEMBLED;
    CN_TRY(build_pattern(red, memory, W));
    W->value = BASE_TAKE_ZERO(memory, double, W->start[contacts] * dim * dim + CN_BSR_PAD);
    if (!W->value) {
        return CN_ERR_MEMORY;
    }
    CN_TRY(add_dense_parts(red, W));
    for (int32_t p = 0; p < red->mass.parts; p++) {
        if (red->mass.linear[p]) {
            CN_TRY(add_large_part(red, p, W));
        }
    }
    CN_TRY(mirror_blocks(W, red->scratch));

    prob_operator_diagonal(&out->W, dim, contacts, out->W.diagonal);
    return CN_OK;
}

// ---- the public face ----

typedef cn_status build_fn(const reduction *red, cn_arena *memory, cn_friction *out);

static cn_status build_reduced(const reduction *red, build_fn *build, cn_arena *memory,
                               cn_friction *out, cn_error *error) {
    base_arena_mark mark = base_arena_get_mark(memory);
    cn_status status = build_vectors(red, memory, out);
    if (status == CN_OK) {
        status = build(red, memory, out);
    }
    if (status != CN_OK) {
        base_arena_release(memory, mark);
        *out = (cn_friction){0};
        return base_fail_memory(error);
    }
    return CN_OK;
}

cn_status cn_friction_condense(const cn_friction_global *g, cn_arena *memory, cn_friction *out,
                               cn_error *error) {
    reduction red;
    cn_status status = reduction_open(&red, g, cn_arena_env(memory), error);
    CN_TRY(status);
    status = build_reduced(&red, build_assembled, memory, out, error);
    reduction_close(&red);
    return status;
}

cn_status cn_friction_to_body_space(const cn_friction_global *g, cn_arena *memory, cn_friction *out,
                                    cn_error *error) {
    reduction red;
    cn_status status = reduction_open(&red, g, cn_arena_env(memory), error);
    CN_TRY(status);
    if (red.mass.largest > CN_BODY_BLOCK_MAX) {
        status = base_fail(error, CN_ERR_UNSUPPORTED,
                           "M couples %d velocities with each other, body space takes at most %d",
                           red.mass.largest, CN_BODY_BLOCK_MAX);
        base_fail_hint(error, "use the assembled form");
    } else {
        status = build_reduced(&red, build_body_space, memory, out, error);
    }
    reduction_close(&red);
    return status;
}

// Multiplications of a sweep over the assembled form, without making it.
static cn_status count_assembled(const reduction *red, int64_t *cost) {
    base_arena_mark mark = base_arena_get_mark(red->scratch);
    cn_operator W = {.kind = CN_OPERATOR_ASSEMBLED};
    cn_status status = build_pattern(red, red->scratch, &W.assembled);
    if (status == CN_OK) {
        *cost = prob_operator_ops_of(W.kind)->sweep_cost(&W, red->g->dim, red->g->contacts);
    }
    base_arena_release(red->scratch, mark);
    return status;
}

cn_status cn_friction_reduce(const cn_friction_global *g, cn_arena *memory, cn_friction *out,
                             cn_error *error) {
    reduction red;
    cn_status status = reduction_open(&red, g, cn_arena_env(memory), error);
    CN_TRY(status);
    bool assemble = true;
    if (red.mass.largest <= CN_BODY_BLOCK_MAX) {
        int64_t cost = 0;
        base_arena_mark mark = base_arena_get_mark(memory);
        status = count_assembled(&red, &cost);
        status = status == CN_OK ? build_reduced(&red, build_body_space, memory, out, error)
                                 : base_fail_memory(error);
        if (status == CN_OK) {
            assemble =
                cost <= prob_operator_ops_of(out->W.kind)->sweep_cost(&out->W, g->dim, g->contacts);
        }
        if (status == CN_OK && assemble) {
            base_arena_release(memory, mark);
        }
    }
    if (status == CN_OK && assemble) {
        status = build_reduced(&red, build_assembled, memory, out, error);
    }
    reduction_close(&red);
    return status;
}

cn_status cn_friction_global_velocity(const cn_friction_global *g, cn_arena *scratch,
                                      const double *r, double *v, cn_error *error) {
    cn_status status = cn_friction_global_validate(g, error);
    CN_TRY(status);
    base_arena_mark mark = base_arena_get_mark(scratch);
    prob_mass mass;
    status = prob_mass_create(&g->M, scratch, &mass, error);
    if (status == CN_OK) {
        sparse_csr_apply(&g->H, r, v);
        for (int32_t i = 0; i < g->dofs; i++) {
            v[i] += g->f[i];
        }
        status = prob_mass_solve_all(&mass, scratch, v);
        prob_mass_destroy(&mass);
        status = status == CN_OK ? CN_OK : base_fail_memory(error);
    }
    base_arena_release(scratch, mark);
    return status;
}
