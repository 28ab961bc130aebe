// assemble/gather.c
// Contacts of deformable and rigid bodies to the assembled operator. Of every two contacts that
// share a body, the block of the upper triangle is gathered and its transpose stored below.
//
// Good up to about a thousand contacts per body; beyond that W is large.
#include "assemble/gather.h"

#include "base/arena.h"
#include "problem/operator/operator.h"

#include <string.h>

// Numbers of an entry's rows: 3 x 2 in 2D, else 6 x 3.
#define ROWS_OF(dim) ((dim) == 2 ? 6 : 18)

// The rows of an entry: d u / d (velocity of the entry), 3 or 6 x dim by rows, weight included.
// Returns the number of rows.
static int32_t entry_rows(const asm_rows *rows, int32_t a, const asm_entry *entry, double *J) {
    int32_t dim = rows->dim;
    const double *F = rows->frame + (int64_t)dim * dim * a;
    const double *R = rows->body[entry->body].turn;
    if (entry->row) {
        int32_t size = dim == 2 ? 3 : 6;
        memcpy(J, entry->row, sizeof *J * (size_t)(size * dim));
        return size;
    }
    for (int32_t i = 0; i < dim; i++) {
        for (int32_t c = 0; c < dim; c++) {
            double sum = R ? 0.0 : F[dim * c + i];
            for (int32_t k = 0; R && k < dim; k++) {
                sum += R[dim * k + i] * F[dim * c + k];
            }
            J[dim * i + c] = entry->weight * sum;
        }
    }
    if (entry->node >= 0) {
        return dim;
    }
    const double *arm = entry->arm;
    for (int32_t c = 0; c < dim; c++) {
        const double *f = F + dim * c;
        if (dim == 2) {
            J[4 + c] = entry->weight * (arm[0] * f[1] - arm[1] * f[0]);
        } else {
            J[9 + c] = entry->weight * (arm[1] * f[2] - arm[2] * f[1]);
            J[12 + c] = entry->weight * (arm[2] * f[0] - arm[0] * f[2]);
            J[15 + c] = entry->weight * (arm[0] * f[1] - arm[1] * f[0]);
        }
    }
    return dim == 2 ? 3 : 6;
}

static bool answers(const asm_body *body) {
    return body->compliance || body->inverse;
}

// block (dim x dim, by columns) += J_k' C J_l, for sizes known to the compiler.
static inline __attribute__((always_inline)) void add_pair(int dim, int count, const double *J_k,
                                                           const double *C, int64_t stride,
                                                           const double *J_l, double *block) {
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < dim; c++) {
            double sum = 0.0;
            for (int j = 0; j < count; j++) {
                sum += C[stride * i + j] * J_l[dim * j + c];
            }
            for (int r = 0; r < dim; r++) {
                block[dim * c + r] += J_k[dim * i + r] * sum;
            }
        }
    }
}

// The entries from k on that are on the same body; returns the entry behind them.
static int64_t run_end(const asm_rows *rows, int64_t k, int64_t end) {
    int32_t body = rows->entry[k].body;
    while (k < end && rows->entry[k].body == body) {
        k++;
    }
    return k;
}

// Sum over two runs of nodes on one body of weight_k weight_l C_kl, by rows. Frames are the same for
// all of a run, so that they are applied to the sum.
static inline __attribute__((always_inline)) void sum_compliance(int dim, const asm_rows *rows,
                                                                 int64_t k, int64_t k_end,
                                                                 int64_t l, int64_t l_end,
                                                                 double *sum) {
    const fe_compliance *C = rows->body[rows->entry[k].body].compliance;
    memset(sum, 0, sizeof *sum * (size_t)(dim * dim));
    for (; k < k_end; k++) {
        const asm_entry *of_a = rows->entry + k;
        for (int64_t m = l; m < l_end; m++) {
            const asm_entry *of_b = rows->entry + m;
            int32_t stride;
            double room[9], weight = of_a->weight * of_b->weight;
            const double *block = fe_compliance_block(C, of_a->node, of_b->node, room, &stride);
            for (int i = 0; i < dim; i++) {
                for (int j = 0; j < dim; j++) {
                    sum[dim * i + j] += weight * block[(int64_t)stride * i + j];
                }
            }
        }
    }
}

// W_ab by columns; J: the rows of all entries, ROWS_OF(dim) each, of nodes without their weight.
static inline __attribute__((always_inline)) void
gather_block(int dim, const asm_rows *rows, const double *J, int32_t a, int32_t b, double *block) {
    memset(block, 0, sizeof *block * (size_t)(dim * dim));
    for (int64_t k = rows->start[a], k_end; k < rows->start[a + 1]; k = k_end) {
        const asm_body *body = rows->body + rows->entry[k].body;
        k_end = run_end(rows, k, rows->start[a + 1]);
        if (!answers(body)) {
            continue;
        }
        for (int64_t l = rows->start[b], l_end; l < rows->start[b + 1]; l = l_end) {
            l_end = run_end(rows, l, rows->start[b + 1]);
            if (rows->entry[l].body != rows->entry[k].body) {
                continue;
            }
            if (body->compliance) {
                double sum[9];
                sum_compliance(dim, rows, k, k_end, l, l_end, sum);
                add_pair(dim, dim, J + ROWS_OF(dim) * k, sum, dim, J + ROWS_OF(dim) * l, block);
                continue;
            }
            for (int64_t of_a = k; of_a < k_end; of_a++) {
                for (int64_t of_b = l; of_b < l_end; of_b++) {
                    add_pair(dim, dim == 2 ? 3 : 6, J + ROWS_OF(dim) * of_a, body->inverse,
                             dim == 2 ? 3 : 6, J + ROWS_OF(dim) * of_b, block);
                }
            }
        }
    }
}

// ---- the pattern ----

// The contacts of each body that answers: contact[k], k in [start[body], start[body+1]), ascending.
typedef struct body_contacts {
    int64_t *start;
    int32_t *contact;
} body_contacts;

// Whether entry k is the first of contact a on its body, whose entries stand together.
static bool is_first(const asm_rows *rows, int32_t a, int64_t k) {
    return answers(rows->body + rows->entry[k].body) &&
           (k == rows->start[a] || rows->entry[k - 1].body != rows->entry[k].body);
}

static cn_status list_contacts(const asm_rows *rows, cn_arena *scratch, body_contacts *out) {
    out->start = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)rows->bodies + 2);
    out->contact = BASE_TAKE(scratch, int32_t, rows->start[rows->contacts]);
    if (!out->start || !out->contact) {
        return CN_ERR_MEMORY;
    }
    // Counted two places ahead, so that after the filling start[body] is where the body begins.
    for (int32_t a = 0; a < rows->contacts; a++) {
        for (int64_t k = rows->start[a]; k < rows->start[a + 1]; k++) {
            out->start[rows->entry[k].body + 2] += is_first(rows, a, k);
        }
    }
    for (int32_t b = 0; b < rows->bodies; b++) {
        out->start[b + 2] += out->start[b + 1];
    }
    for (int32_t a = 0; a < rows->contacts; a++) {
        for (int64_t k = rows->start[a]; k < rows->start[a + 1]; k++) {
            if (is_first(rows, a, k)) {
                out->contact[out->start[rows->entry[k].body + 1]++] = a;
            }
        }
    }
    return CN_OK;
}

// a and the contacts that share a body with it, ascending; seen[b] is a + 1 for those listed.
static int32_t row_pattern(const asm_rows *rows, const body_contacts *list, int32_t a,
                           int32_t *seen, int32_t *out) {
    int32_t count = 1;
    out[0] = a;
    seen[a] = a + 1;
    for (int64_t k = rows->start[a]; k < rows->start[a + 1]; k++) {
        int32_t body = rows->entry[k].body;
        for (int64_t at = list->start[body]; at < list->start[body + 1]; at++) {
            int32_t b = list->contact[at], place = count;
            if (seen[b] == a + 1) {
                continue;
            }
            seen[b] = a + 1;
            for (; place > 0 && out[place - 1] > b; place--) {
                out[place] = out[place - 1];
            }
            out[place] = b;
            count++;
        }
    }
    return count;
}

static cn_status find_pattern(const asm_rows *rows, cn_arena *memory, cn_arena *scratch,
                              cn_bsr *W) {
    body_contacts list;
    cn_status status = list_contacts(rows, scratch, &list);
    int32_t *seen = BASE_TAKE_ZERO(scratch, int32_t, rows->contacts);
    W->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)rows->contacts + 1);
    if (status != CN_OK || !seen || !W->start) {
        return CN_ERR_MEMORY;
    }
    // At most so many: a contact is counted for each body that it shares with another one.
    int64_t room = rows->contacts;
    for (int32_t b = 0; b < rows->bodies; b++) {
        int64_t own = list.start[b + 1] - list.start[b];
        room += own * own;
    }
    W->column = BASE_TAKE(memory, int32_t, room);
    if (!W->column) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < rows->contacts; a++) {
        W->start[a + 1] = W->start[a] + row_pattern(rows, &list, a, seen, W->column + W->start[a]);
    }
    return CN_OK;
}

// The blocks: upper triangle gathered, the lower one its transpose, the diagonal blocks from their
// upper half. next[b]: the slot in row b that is filled next, since its columns ascend.
static void fill_blocks(const asm_rows *rows, const double *J, int64_t *next, cn_bsr *W) {
    int32_t dim = rows->dim, size = dim * dim;
    for (int32_t b = 0; b < rows->contacts; b++) {
        next[b] = W->start[b];
    }
    for (int32_t a = 0; a < rows->contacts; a++) {
        for (int64_t slot = next[a]; slot < W->start[a + 1]; slot++) {
            int32_t b = W->column[slot];
            double *block = W->value + size * slot;
            double *mirror = W->value + size * (b == a ? slot : next[b]++);
            if (dim == 2) {
                gather_block(2, rows, J, a, b, block);
            } else {
                gather_block(3, rows, J, a, b, block);
            }
            for (int32_t i = 0; i < dim; i++) {
                for (int32_t j = 0; j < (b == a ? i : dim); j++) {
                    mirror[dim * j + i] = block[dim * i + j];
                }
            }
        }
    }
}

cn_status asm_gather(const asm_rows *rows, const double *q, const double *mu, cn_arena *memory,
                     cn_friction *out) {
    int32_t dim = rows->dim, count = rows->contacts;
    int64_t m = (int64_t)dim * count;
    cn_bsr *W = &out->W.assembled;
    *out = (cn_friction){.dim = dim, .contacts = count};
    out->W.kind = CN_OPERATOR_ASSEMBLED;
    *W = (cn_bsr){.dim = dim, .block_rows = count};
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    cn_status status = scratch ? find_pattern(rows, memory, scratch, W) : CN_ERR_MEMORY;
    int64_t *next = status == CN_OK ? BASE_TAKE(scratch, int64_t, count) : NULL;
    double *J =
        status == CN_OK ? BASE_TAKE(scratch, double, ROWS_OF(dim) * rows->start[count]) : NULL;
    if (next) {
        W->value = BASE_TAKE_ZERO(memory, double, dim *dim * W->start[count] + CN_BSR_PAD);
        out->W.diagonal = BASE_TAKE(memory, double, m *dim);
        out->q = BASE_TAKE(memory, double, m);
        out->mu = BASE_TAKE(memory, double, count);
    }
    if (!next || !J || !W->value || !out->W.diagonal || !out->q || !out->mu) {
        cn_arena_destroy(scratch);
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < count; a++) {
        for (int64_t k = rows->start[a]; k < rows->start[a + 1]; k++) {
            asm_entry entry = rows->entry[k];
            entry.weight = entry.node >= 0 ? 1.0 : entry.weight;
            entry_rows(rows, a, &entry, J + ROWS_OF(dim) * k);
        }
    }
    fill_blocks(rows, J, next, W);
    prob_operator_diagonal(&out->W, dim, count, out->W.diagonal);
    if (count > 0) {
        memcpy(out->q, q, sizeof *q * (size_t)m);
        memcpy(out->mu, mu, sizeof *mu * (size_t)count);
    }
    cn_arena_destroy(scratch);
    return CN_OK;
}

// ---- the maps ----

void asm_velocity(const asm_rows *rows, const double *const *velocity, double *u) {
    int32_t dim = rows->dim;
    for (int32_t a = 0; a < rows->contacts; a++) {
        double *u_a = u + (int64_t)dim * a;
        memset(u_a, 0, sizeof *u_a * (size_t)dim);
        for (int64_t k = rows->start[a]; k < rows->start[a + 1]; k++) {
            const asm_entry *entry = rows->entry + k;
            const double *v = velocity[entry->body];
            double J[18];
            int32_t count = v ? entry_rows(rows, a, entry, J) : 0;
            v = v && entry->node >= 0 ? v + (int64_t)dim * entry->node : v;
            for (int32_t i = 0; i < count; i++) {
                for (int32_t c = 0; c < dim; c++) {
                    u_a[c] += J[dim * i + c] * v[i];
                }
            }
        }
    }
}

void asm_impulse(const asm_rows *rows, const double *r, double *const *impulse) {
    int32_t dim = rows->dim;
    for (int32_t a = 0; a < rows->contacts; a++) {
        const double *r_a = r + (int64_t)dim * a;
        for (int64_t k = rows->start[a]; k < rows->start[a + 1]; k++) {
            const asm_entry *entry = rows->entry + k;
            double J[18], *p = impulse[entry->body];
            int32_t count = p ? entry_rows(rows, a, entry, J) : 0;
            p = p && entry->node >= 0 ? p + (int64_t)dim * entry->node : p;
            for (int32_t i = 0; i < count; i++) {
                for (int32_t c = 0; c < dim; c++) {
                    p[i] += J[dim * i + c] * r_a[c];
                }
            }
        }
    }
}
