// problem/formulation.c
// The friction problem as affine complementarity problems. Every formulation is, per contact, a
// linear map r = B z to the impulse and a matrix L that states the law:
//     F(z) = B' (W B z + q) + L z,   lower <= z  complementary to  F(z)  complementary to  z <=
//     upper.
//
// With the directions d_i of a polygon, D = (d_1 ... d_n), e = (1 ... 1):
//     frictionless  z = r_N                   r_T = 0
//     inner         z = (r_N, beta, lambda)   r_T = D beta,  0 <= lambda e + D' u_T  _|_  beta >=
//     0,
//                                             0 <= mu r_N - e' beta  _|_  lambda >= 0
//     convex        inner, and u_N - mu lambda instead of u_N
//     outer         z = (r_N, r_T, kappa)     0 = u_T + D kappa,  0 <= mu r_N - D' r_T  _|_  kappa
//     >= 0 box           z = r                     |r_T| <= threshold, componentwise mixed inner
//     with the velocities as free unknowns before it: M v - H r - G c - f = 0 and G' v + s = 0
// References: Renouf, Acary and Dumont 2005, eq. 26-33 (eq. 30 has a sign misprint); Renouf and
// Acary 2006, section 3.2; Hart and Anitescu 2003, eq. 2.7-2.12; Stewart and Trinkle 1996.
//
// In 3D a facetted cone resists with the wrong strength and along the wrong direction, by up to
// pi/facets: for answers use a solver of the exact cone.
#include "base/arena.h"
#include "base/elementary/elementary.h"
#include "base/error.h"
#include "base/rows.h"
#include "problem/bounds.h"
#include "sparse/csr.h"

#include <cairn/formulation.h>
#include <math.h>
#include <string.h>

#define FACETS_DEFAULT 8
#define TWO_PI 6.28318530717958647692

// The polygon that stands for the disc; shared by all contacts.
typedef struct prob_polygon {
    int32_t dim, facets;
    double direction[2 * CN_FACETS_MAX]; // dim - 1 numbers each
} prob_polygon;

// The law of one contact. L is by rows, all zero before.
typedef struct form_row {
    cn_formulation info;
    int32_t (*size)(const prob_polygon *polygon);
    void (*basis)(const prob_polygon *polygon, double *B);
    void (*law)(const prob_polygon *polygon, double mu, double *L);
    void (*bounds)(const prob_polygon *polygon, double threshold, double *lower, double *upper);
} form_row;

static prob_polygon polygon_make(int32_t dim, int32_t facets) {
    prob_polygon polygon = {.dim = dim, .facets = dim == 2 ? 2 : facets};
    if (dim == 2) {
        polygon.direction[0] = 1.0;
        polygon.direction[1] = -1.0;
        return polygon;
    }
    for (int32_t i = 0; i < facets; i++) {
        base_sincos(TWO_PI * i / facets, &polygon.direction[2 * i + 1], &polygon.direction[2 * i]);
    }
    return polygon;
}

// Component j of direction i.
static double polygon_at(const prob_polygon *polygon, int32_t i, int32_t j) {
    return polygon->direction[(polygon->dim - 1) * i + j];
}

// ---- the laws ----

static int32_t size_frictionless(const prob_polygon *polygon) {
    (void)polygon;
    return 1;
}

static int32_t size_inner(const prob_polygon *polygon) {
    return polygon->facets + 2;
}

static int32_t size_outer(const prob_polygon *polygon) {
    return polygon->dim + polygon->facets;
}

static int32_t size_box(const prob_polygon *polygon) {
    return polygon->dim;
}

static void basis_frictionless(const prob_polygon *polygon, double *B) {
    (void)polygon;
    B[0] = 1.0;
}

static void basis_inner(const prob_polygon *polygon, double *B) {
    B[0] = 1.0;
    for (int32_t i = 0; i < polygon->facets; i++) {
        for (int32_t j = 0; j < polygon->dim - 1; j++) {
            B[polygon->dim * (1 + i) + 1 + j] = polygon_at(polygon, i, j);
        }
    }
}

static void basis_impulse(const prob_polygon *polygon, double *B) {
    for (int32_t i = 0; i < polygon->dim; i++) {
        B[(polygon->dim + 1) * i] = 1.0;
    }
}

static void law_none(const prob_polygon *polygon, double mu, double *L) {
    (void)polygon;
    (void)mu;
    (void)L;
}

static void law_inner(const prob_polygon *polygon, double mu, double *L) {
    int32_t size = size_inner(polygon), lambda = size - 1;
    L[size * lambda] = mu;
    for (int32_t i = 1; i <= polygon->facets; i++) {
        L[size * i + lambda] = 1.0;
        L[size * lambda + i] = -1.0;
    }
}

static void law_convex(const prob_polygon *polygon, double mu, double *L) {
    law_inner(polygon, mu, L);
    L[size_inner(polygon) - 1] = -mu;
}

static void law_outer(const prob_polygon *polygon, double mu, double *L) {
    int32_t size = size_outer(polygon), dim = polygon->dim;
    for (int32_t i = 0; i < polygon->facets; i++) {
        L[size * (dim + i)] = mu;
        for (int32_t j = 0; j < dim - 1; j++) {
            L[size * (1 + j) + dim + i] = polygon_at(polygon, i, j);
            L[size * (dim + i) + 1 + j] = -polygon_at(polygon, i, j);
        }
    }
}

// The bounds are those of an LCP unless said otherwise.
static void bounds_lcp(const prob_polygon *polygon, double threshold, double *lower,
                       double *upper) {
    (void)polygon;
    (void)threshold;
    (void)lower;
    (void)upper;
}

static void bounds_outer(const prob_polygon *polygon, double threshold, double *lower,
                         double *upper) {
    (void)threshold;
    (void)upper;
    for (int32_t j = 1; j < polygon->dim; j++) {
        lower[j] = -HUGE_VAL;
    }
}

static void bounds_box(const prob_polygon *polygon, double threshold, double *lower,
                       double *upper) {
    for (int32_t j = 1; j < polygon->dim; j++) {
        lower[j] = -threshold;
        upper[j] = threshold;
    }
}

// ---- the table ----

static const form_row form_table[] = {
    {.info = {.name = "frictionless",
              .about = "normal impulses alone, no friction",
              .source = "Renouf, Acary and Dumont 2005, section 5.1.1",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_LCP | CN_FORMULATES_OTHER_LAW},
     .size = size_frictionless,
     .basis = basis_frictionless,
     .law = law_none,
     .bounds = bounds_lcp},
    {.info = {.name = "inner",
              .about = "cone spanned by directions, inside Coulomb's; exact in 2D",
              .source = "Stewart and Trinkle 1996; Renouf, Acary and Dumont 2005, eq. 31-32",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_LCP | CN_FORMULATES_FACETS},
     .size = size_inner,
     .basis = basis_inner,
     .law = law_inner,
     .bounds = bounds_lcp},
    {.info = {.name = "outer",
              .about = "cone cut by facets, around Coulomb's; exact in 2D; r_T are free unknowns",
              .source = "Klarbring 1986; Renouf, Acary and Dumont 2005, eq. 26-30",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_FACETS},
     .size = size_outer,
     .basis = basis_impulse,
     .law = law_outer,
     .bounds = bounds_outer},
    {.info = {.name = "box",
              .about = "bounds on r_T from given thresholds, Coulomb's law in 2D when they settle",
              .source = "Renouf, Acary and Dumont 2005, eq. 33; Tresca's law",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_THRESHOLD},
     .size = size_box,
     .basis = basis_impulse,
     .law = law_none,
     .bounds = bounds_box},
    {.info = {.name = "convex",
              .about = "inner cone without mu |u_T|: semi-definite, but sliding bodies lift off",
              .source = "Hart and Anitescu 2003, eq. 2.10 (the optimization approach)",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_LCP | CN_FORMULATES_FACETS |
                        CN_FORMULATES_OTHER_LAW},
     .size = size_inner,
     .basis = basis_inner,
     .law = law_convex,
     .bounds = bounds_lcp},
    {.info = {.name = "mixed",
              .about = "inner cone with velocities and joint impulses as free unknowns, no W",
              .source = "Hart and Anitescu 2003, eq. 2.11-2.12",
              .traits = CN_FORMULATES_GLOBAL | CN_FORMULATES_FACETS},
     .size = size_inner,
     .basis = basis_inner,
     .law = law_inner,
     .bounds = bounds_lcp},
};

int32_t cn_formulation_count(void) {
    return (int32_t)(sizeof form_table / sizeof *form_table);
}

const cn_formulation *cn_formulation_at(int32_t index) {
    return index >= 0 && index < cn_formulation_count() ? &form_table[index].info : NULL;
}

const cn_formulation *cn_formulation_find(const char *name) {
    const form_row *row = BASE_ROW_FIND(form_table, form_row, info.name, name);
    return row ? &row->info : NULL;
}

static const form_row *form_row_of(const cn_formulation *formulation) {
    for (int32_t i = 0; i < cn_formulation_count(); i++) {
        if (formulation == &form_table[i].info) {
            return &form_table[i];
        }
    }
    return NULL;
}

cn_formulation_opts cn_formulation_opts_default(void) {
    return (cn_formulation_opts){.facets = FACETS_DEFAULT};
}

// ---- filling ----

// One formulation of one problem, while it is being written.
typedef struct form_work {
    const form_row *row;
    prob_polygon polygon;
    cn_formulated *out;
    double *L;     // of the contact at hand
    bool *carries; // block: whether a column of B is not zero
    const double *mu;
    const double *threshold;
    const cn_bounds *bounds;
} form_work;

static bool form_boxed(const cn_formulated *f, int32_t a) {
    return f->boxed && f->boxed[a];
}

// Entry (k, i) of the map r = B z of block a.
static double form_basis(const cn_formulated *f, int32_t a, int32_t k, int32_t i) {
    if (form_boxed(f, a)) {
        return i == k ? 1.0 : 0.0;
    }
    return f->B[f->dim * i + k];
}

// Whether unknown i of block a takes part in r.
static bool form_carries(const form_work *work, int32_t a, int32_t i) {
    return form_boxed(work->out, a) ? i < work->out->dim : work->carries[i];
}

static cn_status form_check(const cn_formulation *formulation, uint32_t kind,
                            const cn_formulation_opts *opts, int32_t dim, cn_error *error) {
    const form_row *row = form_row_of(formulation);
    if (!row) {
        return base_fail(error, CN_ERR_ARGUMENT, "the formulation is not of the library's table");
    }
    if (!(row->info.traits & kind)) {
        base_fail(error, CN_ERR_ARGUMENT, "the formulation %s does not take a %s problem",
                  row->info.name,
                  kind == CN_FORMULATES_LOCAL ? "local (W, q, mu)" : "global (M, H)");
        base_fail_hint(error, "see the table of formulations");
        return CN_ERR_ARGUMENT;
    }
    bool facetted = dim == 3 && (row->info.traits & CN_FORMULATES_FACETS);
    if (facetted && !(opts->facets >= 2 && opts->facets <= CN_FACETS_MAX)) {
        base_fail(error, CN_ERR_ARGUMENT, "a cone of %d facets", (int)opts->facets);
        base_fail_hint(error, "from 2 to %d", CN_FACETS_MAX);
        return CN_ERR_ARGUMENT;
    }
    if ((row->info.traits & CN_FORMULATES_THRESHOLD) && !opts->threshold) {
        return base_fail(error, CN_ERR_ARGUMENT, "the formulation %s needs friction thresholds",
                         row->info.name);
    }
    return CN_OK;
}

// The bounds of a block of joint rows; the unknowns beyond them are held at zero.
static void form_box(const form_work *work, int32_t a, double *lower, double *upper) {
    int32_t dim = work->out->dim;
    for (int32_t i = 0; i < work->out->block; i++) {
        lower[i] = i < dim ? work->bounds->lower[(int64_t)dim * a + i] : 0.0;
        upper[i] = i < dim ? work->bounds->upper[(int64_t)dim * a + i] : 0.0;
    }
}

// The sizes and the arrays that do not depend on the matrix. first: unknowns before the contacts.
static cn_status form_begin(form_work *work, int32_t dim, int32_t contacts, int64_t first,
                            cn_arena *memory, cn_error *error) {
    cn_formulated *out = work->out;
    int32_t block = work->row->size(&work->polygon);
    int64_t n = first + (int64_t)block * contacts;
    if (work->bounds->boxed && block < dim) {
        return base_fail(error, CN_ERR_ARGUMENT, "the formulation %s has no place for joint rows",
                         work->row->info.name);
    }
    if (n > INT32_MAX) {
        return base_fail(error, CN_ERR_ARGUMENT, "%d contacts of %d unknowns are too many",
                         (int)contacts, (int)block);
    }
    *out = (cn_formulated){.formulation = &work->row->info,
                           .dim = dim,
                           .contacts = contacts,
                           .facets = work->polygon.facets,
                           .block = block,
                           .first = (int32_t)first,
                           .boxed = work->bounds->boxed};
    out->mcp.n = (int32_t)n;
    out->B = BASE_TAKE_ZERO(memory, double, dim *block);
    out->mcp.q = BASE_TAKE_ZERO(memory, double, n);
    out->mcp.lower = BASE_TAKE_ZERO(memory, double, n);
    out->mcp.upper = BASE_TAKE(memory, double, n);
    work->L = BASE_TAKE(memory, double, (int64_t)block *block);
    work->carries = BASE_TAKE_ZERO(memory, bool, block);
    if (!out->B || !out->mcp.q || !out->mcp.lower || !out->mcp.upper || !work->L ||
        !work->carries) {
        return base_fail_memory(error);
    }
    work->row->basis(&work->polygon, out->B);
    for (int32_t i = 0; i < dim * block; i++) {
        work->carries[i / dim] = work->carries[i / dim] || out->B[i] != 0.0;
    }
    for (int32_t i = 0; i < n; i++) {
        out->mcp.lower[i] = i < first ? -HUGE_VAL : 0.0;
        out->mcp.upper[i] = HUGE_VAL;
    }
    for (int32_t a = 0; a < contacts; a++) {
        int64_t at = first + (int64_t)block * a;
        if (form_boxed(out, a)) {
            form_box(work, a, out->mcp.lower + at, out->mcp.upper + at);
        } else {
            work->row->bounds(&work->polygon, work->threshold ? work->threshold[a] : 0.0,
                              out->mcp.lower + at, out->mcp.upper + at);
        }
    }
    return CN_OK;
}

// Entry (i, j) of B' E B of a contact.
static double form_soft(const form_work *work, int32_t contact, int32_t i, int32_t j) {
    const cn_formulated *f = work->out;
    double sum = 0.0;
    for (int32_t k = 0; k < f->dim; k++) {
        double soft = prob_compliance_of(work->bounds, (int64_t)f->dim * contact + k);
        sum += form_basis(f, contact, k, i) * soft * form_basis(f, contact, k, j);
    }
    return sum;
}

static void form_law(form_work *work, int32_t contact) {
    int32_t block = work->out->block;
    memset(work->L, 0, sizeof *work->L * (size_t)block * (size_t)block);
    if (!form_boxed(work->out, contact)) {
        work->row->law(&work->polygon, work->mu[contact], work->L);
        for (int32_t i = 0; work->bounds->boxed && i < block; i++) {
            for (int32_t j = 0; j < block; j++) {
                work->L[block * i + j] += form_soft(work, contact, i, j);
            }
        }
        return;
    }
    // Compliance, and an equation for the unknowns that are held.
    for (int32_t i = 0; i < block; i++) {
        int64_t row = (int64_t)work->out->dim * contact + i;
        double compliance =
            i < work->out->dim && work->bounds->compliance ? work->bounds->compliance[row] : 0.0;
        work->L[(block + 1) * i] = i < work->out->dim ? compliance : 1.0;
    }
}

// B' x of contact a.
static void form_transpose(const cn_formulated *f, int32_t a, const double *x, double *out) {
    for (int32_t i = 0; i < f->block; i++) {
        out[i] = 0.0;
        for (int32_t k = 0; k < f->dim; k++) {
            out[i] += form_basis(f, a, k, i) * x[k];
        }
    }
}

// ---- local problems: B' W B + L ----

// The entries of row i of contact a in the columns of contact b, appended at *at; W_ab by columns,
// NULL where there is none. With column = NULL they are only counted.
static void form_row_block(const form_work *work, int32_t i, int32_t a, int32_t b, const double *W,
                           int64_t *at, cn_csr *M) {
    const cn_formulated *f = work->out;
    int32_t dim = f->dim, block = f->block;
    double left[3] = {0.0, 0.0, 0.0}; // row i of B' W_ab
    for (int32_t l = 0; W && l < dim; l++) {
        for (int32_t k = 0; k < dim; k++) {
            left[l] += form_basis(f, a, k, i) * W[dim * l + k];
        }
    }
    for (int32_t j = 0; j < block; j++) {
        double law = a == b ? work->L[block * i + j] : 0.0;
        bool coupled = W && form_carries(work, a, i) && form_carries(work, b, j);
        if (!coupled && law == 0.0) {
            continue;
        }
        if (M->column) {
            double value = law;
            for (int32_t l = 0; coupled && l < dim; l++) {
                value += left[l] * form_basis(f, b, l, j);
            }
            M->column[*at] = block * b + j;
            M->value[*at] = value;
        }
        ++*at;
    }
}

// All rows; the diagonal block is visited in its place even where W has none.
static void form_rows(form_work *work, const cn_bsr *W, cn_csr *M) {
    int32_t block = work->out->block;
    int64_t at = 0;
    for (int32_t a = 0; a < W->block_rows; a++) {
        form_law(work, a);
        for (int32_t i = 0; i < block; i++) {
            bool seen = false;
            for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
                if (!seen && W->column[k] > a) {
                    form_row_block(work, i, a, a, NULL, &at, M);
                }
                seen = seen || W->column[k] >= a;
                form_row_block(work, i, a, W->column[k], W->value + (int64_t)W->dim * W->dim * k,
                               &at, M);
            }
            if (!seen) {
                form_row_block(work, i, a, a, NULL, &at, M);
            }
            M->start[(int64_t)block * a + i + 1] = at;
        }
    }
}

static cn_status form_matrix(form_work *work, const cn_bsr *W, cn_arena *memory, cn_error *error) {
    cn_csr *M = &work->out->mcp.M;
    *M = (cn_csr){.rows = work->out->mcp.n, .cols = work->out->mcp.n};
    M->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)M->rows + 1);
    if (!M->start) {
        return base_fail_memory(error);
    }
    form_rows(work, W, M);
    int32_t *column = BASE_TAKE(memory, int32_t, M->start[M->rows]);
    M->value = BASE_TAKE(memory, double, M->start[M->rows]);
    if (!column || !M->value) {
        return base_fail_memory(error);
    }
    M->column = column;
    form_rows(work, W, M);
    return CN_OK;
}

cn_status cn_formulate(const cn_formulation *formulation, const cn_friction *p,
                       const cn_formulation_opts *opts, cn_arena *memory, cn_formulated *out,
                       cn_error *error) {
    cn_friction assembled;
    CN_TRY(form_check(formulation, CN_FORMULATES_LOCAL, opts, p->dim, error));
    CN_TRY(cn_friction_assemble(p, memory, &assembled, error));

    form_work work = {.row = form_row_of(formulation),
                      .polygon = polygon_make(p->dim, opts->facets),
                      .out = out,
                      .mu = p->mu,
                      .threshold = opts->threshold,
                      .bounds = &p->bounds};
    CN_TRY(form_begin(&work, p->dim, p->contacts, 0, memory, error));
    CN_TRY(form_matrix(&work, &assembled.W.assembled, memory, error));
    for (int32_t a = 0; a < p->contacts; a++) {
        form_transpose(out, a, p->q + (int64_t)p->dim * a, out->mcp.q + (int64_t)out->block * a);
    }
    return CN_OK;
}

// ---- global problems: velocities and bilateral impulses are free unknowns ----

typedef struct triplets {
    int64_t count;
    int32_t *row, *column;
    double *value; // NULL: only counted
} triplets;

static void triplets_add(triplets *t, int32_t row, int32_t column, double value) {
    if (t->value) {
        t->row[t->count] = row;
        t->column[t->count] = column;
        t->value[t->count] = value;
    }
    t->count++;
}

// -H B in the rows of the velocities and B' H' in those of the contacts.
static void triplets_add_contact(triplets *t, const form_work *work, int32_t dof, int32_t column,
                                 double entry) {
    const cn_formulated *f = work->out;
    int32_t contact = column / f->dim, k = column % f->dim;
    for (int32_t i = 0; i < f->block; i++) {
        double product = entry * form_basis(f, contact, k, i);
        if (form_carries(work, contact, i) && product != 0.0) {
            int32_t unknown = f->first + f->block * contact + i;
            triplets_add(t, dof, unknown, -product);
            triplets_add(t, unknown, dof, product);
        }
    }
}

static void triplets_fill(triplets *t, form_work *work, const cn_friction_global *g,
                          const cn_bilateral *joints) {
    const cn_formulated *f = work->out;
    t->count = 0;
    for (int32_t d = 0; d < g->dofs; d++) {
        for (int64_t k = g->M.start[d]; k < g->M.start[d + 1]; k++) {
            triplets_add(t, d, g->M.column[k], g->M.value[k]);
        }
        for (int64_t k = g->H.start[d]; k < g->H.start[d + 1]; k++) {
            triplets_add_contact(t, work, d, g->H.column[k], g->H.value[k]);
        }
        for (int64_t k = joints ? joints->G.start[d] : 0; joints && k < joints->G.start[d + 1];
             k++) {
            int32_t unknown = g->dofs + joints->G.column[k];
            triplets_add(t, d, unknown, -joints->G.value[k]);
            triplets_add(t, unknown, d, joints->G.value[k]);
        }
    }
    for (int32_t a = 0; a < g->contacts; a++) {
        form_law(work, a);
        for (int32_t k = 0; k < f->block * f->block; k++) {
            if (work->L[k] != 0.0) {
                int32_t at = f->first + f->block * a;
                triplets_add(t, at + k / f->block, at + k % f->block, work->L[k]);
            }
        }
    }
}

static cn_status form_global_matrix(form_work *work, const cn_friction_global *g,
                                    const cn_bilateral *joints, cn_arena *memory, cn_error *error) {
    triplets t = {0};
    triplets_fill(&t, work, g, joints);
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    t.row = scratch ? BASE_TAKE(scratch, int32_t, t.count) : NULL;
    t.column = scratch ? BASE_TAKE(scratch, int32_t, t.count) : NULL;
    t.value = scratch ? BASE_TAKE(scratch, double, t.count) : NULL;
    cn_status status = CN_ERR_MEMORY;
    if (t.row && t.column && t.value) {
        triplets_fill(&t, work, g, joints);
        int32_t n = work->out->mcp.n;
        status = sparse_csr_from_triplets(memory, n, n, t.count, t.row, t.column, t.value,
                                          &work->out->mcp.M);
    }
    cn_arena_destroy(scratch);
    return status == CN_OK ? CN_OK : base_fail_memory(error);
}

cn_status cn_formulate_global(const cn_formulation *formulation, const cn_friction_global *g,
                              const cn_formulation_opts *opts, cn_arena *memory, cn_formulated *out,
                              cn_error *error) {
    const cn_bilateral *joints = opts->joints;
    CN_TRY(form_check(formulation, CN_FORMULATES_GLOBAL, opts, g->dim, error));
    if (joints &&
        (joints->rows < 0 || joints->G.rows != g->dofs || joints->G.cols != joints->rows)) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "%d bilateral rows with a %d x %d matrix on %d velocities",
                         (int)joints->rows, (int)joints->G.rows, (int)joints->G.cols, (int)g->dofs);
    }
    form_work work = {.row = form_row_of(formulation),
                      .polygon = polygon_make(g->dim, opts->facets),
                      .out = out,
                      .mu = g->mu,
                      .threshold = opts->threshold,
                      .bounds = &g->bounds};
    int64_t first = (int64_t)g->dofs + (joints ? joints->rows : 0);
    CN_TRY(form_begin(&work, g->dim, g->contacts, first, memory, error));
    CN_TRY(form_global_matrix(&work, g, joints, memory, error));

    for (int32_t d = 0; d < g->dofs; d++) {
        out->mcp.q[d] = -g->f[d];
    }
    for (int32_t k = 0; joints && k < joints->rows; k++) {
        out->mcp.q[g->dofs + k] = joints->s[k];
    }
    for (int32_t a = 0; a < g->contacts; a++) {
        form_transpose(out, a, g->w + (int64_t)g->dim * a,
                       out->mcp.q + out->first + (int64_t)out->block * a);
    }
    return CN_OK;
}

// ---- the way back ----

void cn_formulated_impulse(const cn_formulated *f, const double *z, double *r) {
    for (int32_t a = 0; a < f->contacts; a++) {
        const double *own = z + f->first + (int64_t)f->block * a;
        for (int32_t k = 0; k < f->dim; k++) {
            double sum = 0.0;
            for (int32_t i = 0; i < f->block; i++) {
                sum += form_basis(f, a, k, i) * own[i];
            }
            r[(int64_t)f->dim * a + k] = sum;
        }
    }
}
