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
//     convex        inner, and u_N - mu lambda in place of u_N
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
#include "sparse/csr.h"

#include <cairn/formulation.h>
#include <math.h>
#include <string.h>

#define CN_FACETS_DEFAULT 8
#define CN_TWO_PI 6.28318530717958647692

// The polygon that stands for the disc; shared by all contacts.
typedef struct cn_polygon {
    int32_t dim, facets;
    double direction[2 * CN_FACETS_MAX]; // dim - 1 numbers each
} cn_polygon;

// The law of one contact. L is by rows, all zero before.
typedef struct cn_form_row {
    cn_formulation info;
    int32_t (*size)(const cn_polygon *polygon);
    void (*basis)(const cn_polygon *polygon, double *B);
    void (*law)(const cn_polygon *polygon, double mu, double *L);
    void (*bounds)(const cn_polygon *polygon, double threshold, double *lower, double *upper);
} cn_form_row;

static cn_polygon cn_polygon_make(int32_t dim, int32_t facets) {
    cn_polygon polygon = {.dim = dim, .facets = dim == 2 ? 2 : facets};
    if (dim == 2) {
        polygon.direction[0] = 1.0;
        polygon.direction[1] = -1.0;
        return polygon;
    }
    for (int32_t i = 0; i < facets; i++) {
        cn_sincos(CN_TWO_PI * i / facets, &polygon.direction[2 * i + 1], &polygon.direction[2 * i]);
    }
    return polygon;
}

// Component j of direction i.
static double cn_polygon_at(const cn_polygon *polygon, int32_t i, int32_t j) {
    return polygon->direction[(polygon->dim - 1) * i + j];
}

// ---- the laws ----

static int32_t cn_size_frictionless(const cn_polygon *polygon) {
    (void)polygon;
    return 1;
}

static int32_t cn_size_inner(const cn_polygon *polygon) {
    return polygon->facets + 2;
}

static int32_t cn_size_outer(const cn_polygon *polygon) {
    return polygon->dim + polygon->facets;
}

static int32_t cn_size_box(const cn_polygon *polygon) {
    return polygon->dim;
}

static void cn_basis_frictionless(const cn_polygon *polygon, double *B) {
    (void)polygon;
    B[0] = 1.0;
}

static void cn_basis_inner(const cn_polygon *polygon, double *B) {
    B[0] = 1.0;
    for (int32_t i = 0; i < polygon->facets; i++) {
        for (int32_t j = 0; j < polygon->dim - 1; j++) {
            B[polygon->dim * (1 + i) + 1 + j] = cn_polygon_at(polygon, i, j);
        }
    }
}

static void cn_basis_impulse(const cn_polygon *polygon, double *B) {
    for (int32_t i = 0; i < polygon->dim; i++) {
        B[(polygon->dim + 1) * i] = 1.0;
    }
}

static void cn_law_none(const cn_polygon *polygon, double mu, double *L) {
    (void)polygon;
    (void)mu;
    (void)L;
}

static void cn_law_inner(const cn_polygon *polygon, double mu, double *L) {
    int32_t size = cn_size_inner(polygon), lambda = size - 1;
    L[size * lambda] = mu;
    for (int32_t i = 1; i <= polygon->facets; i++) {
        L[size * i + lambda] = 1.0;
        L[size * lambda + i] = -1.0;
    }
}

static void cn_law_convex(const cn_polygon *polygon, double mu, double *L) {
    cn_law_inner(polygon, mu, L);
    L[cn_size_inner(polygon) - 1] = -mu;
}

static void cn_law_outer(const cn_polygon *polygon, double mu, double *L) {
    int32_t size = cn_size_outer(polygon), dim = polygon->dim;
    for (int32_t i = 0; i < polygon->facets; i++) {
        L[size * (dim + i)] = mu;
        for (int32_t j = 0; j < dim - 1; j++) {
            L[size * (1 + j) + dim + i] = cn_polygon_at(polygon, i, j);
            L[size * (dim + i) + 1 + j] = -cn_polygon_at(polygon, i, j);
        }
    }
}

// The bounds are those of an LCP unless said otherwise.
static void cn_bounds_lcp(const cn_polygon *polygon, double threshold, double *lower,
                          double *upper) {
    (void)polygon;
    (void)threshold;
    (void)lower;
    (void)upper;
}

static void cn_bounds_outer(const cn_polygon *polygon, double threshold, double *lower,
                            double *upper) {
    (void)threshold;
    (void)upper;
    for (int32_t j = 1; j < polygon->dim; j++) {
        lower[j] = -HUGE_VAL;
    }
}

static void cn_bounds_box(const cn_polygon *polygon, double threshold, double *lower,
                          double *upper) {
    for (int32_t j = 1; j < polygon->dim; j++) {
        lower[j] = -threshold;
        upper[j] = threshold;
    }
}

// ---- the table ----

static const cn_form_row cn_form_table[] = {
    {.info = {.name = "frictionless",
              .about = "normal impulses alone, no friction",
              .source = "Renouf, Acary and Dumont 2005, section 5.1.1",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_LCP | CN_FORMULATES_OTHER_LAW},
     .size = cn_size_frictionless,
     .basis = cn_basis_frictionless,
     .law = cn_law_none,
     .bounds = cn_bounds_lcp},
    {.info = {.name = "inner",
              .about = "cone spanned by directions, inside Coulomb's; exact in 2D",
              .source = "Stewart and Trinkle 1996; Renouf, Acary and Dumont 2005, eq. 31-32",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_LCP | CN_FORMULATES_FACETS},
     .size = cn_size_inner,
     .basis = cn_basis_inner,
     .law = cn_law_inner,
     .bounds = cn_bounds_lcp},
    {.info = {.name = "outer",
              .about = "cone cut by facets, around Coulomb's; exact in 2D; r_T are free unknowns",
              .source = "Klarbring 1986; Renouf, Acary and Dumont 2005, eq. 26-30",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_FACETS},
     .size = cn_size_outer,
     .basis = cn_basis_impulse,
     .law = cn_law_outer,
     .bounds = cn_bounds_outer},
    {.info = {.name = "box",
              .about = "bounds on r_T from given thresholds, Coulomb's law in 2D when they settle",
              .source = "Renouf, Acary and Dumont 2005, eq. 33; Tresca's law",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_THRESHOLD},
     .size = cn_size_box,
     .basis = cn_basis_impulse,
     .law = cn_law_none,
     .bounds = cn_bounds_box},
    {.info = {.name = "convex",
              .about = "inner cone without mu |u_T|: semi-definite, but sliding bodies lift off",
              .source = "Hart and Anitescu 2003, eq. 2.10 (the optimization approach)",
              .traits = CN_FORMULATES_LOCAL | CN_FORMULATES_LCP | CN_FORMULATES_FACETS |
                        CN_FORMULATES_OTHER_LAW},
     .size = cn_size_inner,
     .basis = cn_basis_inner,
     .law = cn_law_convex,
     .bounds = cn_bounds_lcp},
    {.info = {.name = "mixed",
              .about = "inner cone with velocities and joint impulses as free unknowns, no W",
              .source = "Hart and Anitescu 2003, eq. 2.11-2.12",
              .traits = CN_FORMULATES_GLOBAL | CN_FORMULATES_FACETS},
     .size = cn_size_inner,
     .basis = cn_basis_inner,
     .law = cn_law_inner,
     .bounds = cn_bounds_lcp},
};

int32_t cn_formulation_count(void) {
    return (int32_t)(sizeof cn_form_table / sizeof *cn_form_table);
}

const cn_formulation *cn_formulation_at(int32_t index) {
    return index >= 0 && index < cn_formulation_count() ? &cn_form_table[index].info : NULL;
}

const cn_formulation *cn_formulation_find(const char *name) {
    const cn_form_row *row = BASE_ROW_FIND(cn_form_table, cn_form_row, info.name, name);
    return row ? &row->info : NULL;
}

static const cn_form_row *cn_form_row_of(const cn_formulation *formulation) {
    for (int32_t i = 0; i < cn_formulation_count(); i++) {
        if (formulation == &cn_form_table[i].info) {
            return &cn_form_table[i];
        }
    }
    return NULL;
}

cn_formulation_opts cn_formulation_opts_default(void) {
    return (cn_formulation_opts){.facets = CN_FACETS_DEFAULT};
}

// ---- filling ----

// One formulation of one problem, while it is being written.
typedef struct cn_form_work {
    const cn_form_row *row;
    cn_polygon polygon;
    cn_formulated *out;
    double *L;     // of the contact at hand
    bool *carries; // block: whether a column of B is not zero
    const double *mu;
    const double *threshold;
    const cn_bounds *bounds;
} cn_form_work;

static bool cn_form_boxed(const cn_formulated *f, int32_t a) {
    return f->boxed && f->boxed[a];
}

// Entry (k, i) of the map r = B z of block a.
static double cn_form_basis(const cn_formulated *f, int32_t a, int32_t k, int32_t i) {
    if (cn_form_boxed(f, a)) {
        return i == k ? 1.0 : 0.0;
    }
    return f->B[f->dim * i + k];
}

// Whether unknown i of block a takes part in r.
static bool cn_form_carries(const cn_form_work *work, int32_t a, int32_t i) {
    return cn_form_boxed(work->out, a) ? i < work->out->dim : work->carries[i];
}

static cn_status cn_form_check(const cn_formulation *formulation, uint32_t kind,
                               const cn_formulation_opts *opts, int32_t dim, cn_error *error) {
    const cn_form_row *row = cn_form_row_of(formulation);
    if (!row) {
        return cn_fail(error, CN_ERR_ARGUMENT, "the formulation is not of the library's table");
    }
    if (!(row->info.traits & kind)) {
        cn_fail(error, CN_ERR_ARGUMENT, "the formulation %s does not take a %s problem",
                row->info.name, kind == CN_FORMULATES_LOCAL ? "local (W, q, mu)" : "global (M, H)");
        cn_fail_hint(error, "see the table of formulations");
        return CN_ERR_ARGUMENT;
    }
    bool facetted = dim == 3 && (row->info.traits & CN_FORMULATES_FACETS);
    if (facetted && !(opts->facets >= 2 && opts->facets <= CN_FACETS_MAX)) {
        cn_fail(error, CN_ERR_ARGUMENT, "a cone of %d facets", (int)opts->facets);
        cn_fail_hint(error, "from 2 to %d", CN_FACETS_MAX);
        return CN_ERR_ARGUMENT;
    }
    if ((row->info.traits & CN_FORMULATES_THRESHOLD) && !opts->threshold) {
        return cn_fail(error, CN_ERR_ARGUMENT, "the formulation %s needs friction thresholds",
                       row->info.name);
    }
    return CN_OK;
}

// The bounds of a block of joint rows; the unknowns beyond them are held at zero.
static void cn_form_box(const cn_form_work *work, int32_t a, double *lower, double *upper) {
    int32_t dim = work->out->dim;
    for (int32_t i = 0; i < work->out->block; i++) {
        lower[i] = i < dim ? work->bounds->lower[(int64_t)dim * a + i] : 0.0;
        upper[i] = i < dim ? work->bounds->upper[(int64_t)dim * a + i] : 0.0;
    }
}

// The sizes and the arrays that do not depend on the matrix. first: unknowns before the contacts.
static cn_status cn_form_begin(cn_form_work *work, int32_t dim, int32_t contacts, int64_t first,
                               cn_arena *memory, cn_error *error) {
    cn_formulated *out = work->out;
    int32_t block = work->row->size(&work->polygon);
    int64_t n = first + (int64_t)block * contacts;
    if (work->bounds->boxed && block < dim) {
        return cn_fail(error, CN_ERR_ARGUMENT, "the formulation %s has no place for joint rows",
                       work->row->info.name);
    }
    if (n > INT32_MAX) {
        return cn_fail(error, CN_ERR_ARGUMENT, "%d contacts of %d unknowns are too many",
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
    out->B = CN_TAKE_ZERO(memory, double, dim *block);
    out->mcp.q = CN_TAKE_ZERO(memory, double, n);
    out->mcp.lower = CN_TAKE_ZERO(memory, double, n);
    out->mcp.upper = CN_TAKE(memory, double, n);
    work->L = CN_TAKE(memory, double, (int64_t)block *block);
    work->carries = CN_TAKE_ZERO(memory, bool, block);
    if (!out->B || !out->mcp.q || !out->mcp.lower || !out->mcp.upper || !work->L ||
        !work->carries) {
        return cn_fail_memory(error);
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
        if (cn_form_boxed(out, a)) {
            cn_form_box(work, a, out->mcp.lower + at, out->mcp.upper + at);
        } else {
            work->row->bounds(&work->polygon, work->threshold ? work->threshold[a] : 0.0,
                              out->mcp.lower + at, out->mcp.upper + at);
        }
    }
    return CN_OK;
}

static void cn_form_law(cn_form_work *work, int32_t contact) {
    int32_t block = work->out->block;
    memset(work->L, 0, sizeof *work->L * (size_t)block * (size_t)block);
    if (!cn_form_boxed(work->out, contact)) {
        work->row->law(&work->polygon, work->mu[contact], work->L);
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
static void cn_form_transpose(const cn_formulated *f, int32_t a, const double *x, double *out) {
    for (int32_t i = 0; i < f->block; i++) {
        out[i] = 0.0;
        for (int32_t k = 0; k < f->dim; k++) {
            out[i] += cn_form_basis(f, a, k, i) * x[k];
        }
    }
}

// ---- local problems: B' W B + L ----

// The entries of row i of contact a in the columns of contact b, appended at *at; W_ab by columns,
// NULL where there is none. With column = NULL they are only counted.
static void cn_form_row_block(const cn_form_work *work, int32_t i, int32_t a, int32_t b,
                              const double *W, int64_t *at, cn_csr *M) {
    const cn_formulated *f = work->out;
    int32_t dim = f->dim, block = f->block;
    double left[3] = {0.0, 0.0, 0.0}; // row i of B' W_ab
    for (int32_t l = 0; W && l < dim; l++) {
        for (int32_t k = 0; k < dim; k++) {
            left[l] += cn_form_basis(f, a, k, i) * W[dim * l + k];
        }
    }
    for (int32_t j = 0; j < block; j++) {
        double law = a == b ? work->L[block * i + j] : 0.0;
        bool coupled = W && cn_form_carries(work, a, i) && cn_form_carries(work, b, j);
        if (!coupled && law == 0.0) {
            continue;
        }
        if (M->column) {
            double value = law;
            for (int32_t l = 0; coupled && l < dim; l++) {
                value += left[l] * cn_form_basis(f, b, l, j);
            }
            M->column[*at] = block * b + j;
            M->value[*at] = value;
        }
        ++*at;
    }
}

// All rows; the diagonal block is visited in its place even where W has none.
static void cn_form_rows(cn_form_work *work, const cn_bsr *W, cn_csr *M) {
    int32_t block = work->out->block;
    int64_t at = 0;
    for (int32_t a = 0; a < W->block_rows; a++) {
        cn_form_law(work, a);
        for (int32_t i = 0; i < block; i++) {
            bool seen = false;
            for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
                if (!seen && W->column[k] > a) {
                    cn_form_row_block(work, i, a, a, NULL, &at, M);
                }
                seen = seen || W->column[k] >= a;
                cn_form_row_block(work, i, a, W->column[k], W->value + (int64_t)W->dim * W->dim * k,
                                  &at, M);
            }
            if (!seen) {
                cn_form_row_block(work, i, a, a, NULL, &at, M);
            }
            M->start[(int64_t)block * a + i + 1] = at;
        }
    }
}

static cn_status cn_form_matrix(cn_form_work *work, const cn_bsr *W, cn_arena *memory,
                                cn_error *error) {
    cn_csr *M = &work->out->mcp.M;
    *M = (cn_csr){.rows = work->out->mcp.n, .cols = work->out->mcp.n};
    M->start = CN_TAKE_ZERO(memory, int64_t, (int64_t)M->rows + 1);
    if (!M->start) {
        return cn_fail_memory(error);
    }
    cn_form_rows(work, W, M);
    int32_t *column = CN_TAKE(memory, int32_t, M->start[M->rows]);
    M->value = CN_TAKE(memory, double, M->start[M->rows]);
    if (!column || !M->value) {
        return cn_fail_memory(error);
    }
    M->column = column;
    cn_form_rows(work, W, M);
    return CN_OK;
}

cn_status cn_formulate(const cn_formulation *formulation, const cn_friction *p,
                       const cn_formulation_opts *opts, cn_arena *memory, cn_formulated *out,
                       cn_error *error) {
    cn_friction assembled;
    cn_status status = cn_form_check(formulation, CN_FORMULATES_LOCAL, opts, p->dim, error);
    if (status == CN_OK) {
        status = cn_friction_assemble(p, memory, &assembled, error);
    }
    if (status != CN_OK) {
        return status;
    }
    cn_form_work work = {.row = cn_form_row_of(formulation),
                         .polygon = cn_polygon_make(p->dim, opts->facets),
                         .out = out,
                         .mu = p->mu,
                         .threshold = opts->threshold,
                         .bounds = &p->bounds};
    status = cn_form_begin(&work, p->dim, p->contacts, 0, memory, error);
    if (status == CN_OK) {
        status = cn_form_matrix(&work, &assembled.W.assembled, memory, error);
    }
    for (int32_t a = 0; status == CN_OK && a < p->contacts; a++) {
        cn_form_transpose(out, a, p->q + (int64_t)p->dim * a, out->mcp.q + (int64_t)out->block * a);
    }
    return status;
}

// ---- global problems: velocities and bilateral impulses are free unknowns ----

typedef struct cn_triplets {
    int64_t count;
    int32_t *row, *column;
    double *value; // NULL: only counted
} cn_triplets;

static void cn_triplets_add(cn_triplets *t, int32_t row, int32_t column, double value) {
    if (t->value) {
        t->row[t->count] = row;
        t->column[t->count] = column;
        t->value[t->count] = value;
    }
    t->count++;
}

// -H B in the rows of the velocities and B' H' in those of the contacts.
static void cn_triplets_add_contact(cn_triplets *t, const cn_form_work *work, int32_t dof,
                                    int32_t column, double entry) {
    const cn_formulated *f = work->out;
    int32_t contact = column / f->dim, k = column % f->dim;
    for (int32_t i = 0; i < f->block; i++) {
        double product = entry * cn_form_basis(f, contact, k, i);
        if (cn_form_carries(work, contact, i) && product != 0.0) {
            int32_t unknown = f->first + f->block * contact + i;
            cn_triplets_add(t, dof, unknown, -product);
            cn_triplets_add(t, unknown, dof, product);
        }
    }
}

static void cn_triplets_fill(cn_triplets *t, cn_form_work *work, const cn_friction_global *g,
                             const cn_bilateral *joints) {
    const cn_formulated *f = work->out;
    t->count = 0;
    for (int32_t d = 0; d < g->dofs; d++) {
        for (int64_t k = g->M.start[d]; k < g->M.start[d + 1]; k++) {
            cn_triplets_add(t, d, g->M.column[k], g->M.value[k]);
        }
        for (int64_t k = g->H.start[d]; k < g->H.start[d + 1]; k++) {
            cn_triplets_add_contact(t, work, d, g->H.column[k], g->H.value[k]);
        }
        for (int64_t k = joints ? joints->G.start[d] : 0; joints && k < joints->G.start[d + 1];
             k++) {
            int32_t unknown = g->dofs + joints->G.column[k];
            cn_triplets_add(t, d, unknown, -joints->G.value[k]);
            cn_triplets_add(t, unknown, d, joints->G.value[k]);
        }
    }
    for (int32_t a = 0; a < g->contacts; a++) {
        cn_form_law(work, a);
        for (int32_t k = 0; k < f->block * f->block; k++) {
            if (work->L[k] != 0.0) {
                int32_t at = f->first + f->block * a;
                cn_triplets_add(t, at + k / f->block, at + k % f->block, work->L[k]);
            }
        }
    }
}

static cn_status cn_form_global_matrix(cn_form_work *work, const cn_friction_global *g,
                                       const cn_bilateral *joints, cn_arena *memory,
                                       cn_error *error) {
    cn_triplets t = {0};
    cn_triplets_fill(&t, work, g, joints);
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    t.row = scratch ? CN_TAKE(scratch, int32_t, t.count) : NULL;
    t.column = scratch ? CN_TAKE(scratch, int32_t, t.count) : NULL;
    t.value = scratch ? CN_TAKE(scratch, double, t.count) : NULL;
    cn_status status = CN_ERR_MEMORY;
    if (t.row && t.column && t.value) {
        cn_triplets_fill(&t, work, g, joints);
        int32_t n = work->out->mcp.n;
        status = cn_csr_from_triplets(memory, n, n, t.count, t.row, t.column, t.value,
                                      &work->out->mcp.M);
    }
    cn_arena_destroy(scratch);
    return status == CN_OK ? CN_OK : cn_fail_memory(error);
}

cn_status cn_formulate_global(const cn_formulation *formulation, const cn_friction_global *g,
                              const cn_formulation_opts *opts, cn_arena *memory, cn_formulated *out,
                              cn_error *error) {
    const cn_bilateral *joints = opts->joints;
    cn_status status = cn_form_check(formulation, CN_FORMULATES_GLOBAL, opts, g->dim, error);
    if (status != CN_OK) {
        return status;
    }
    if (joints &&
        (joints->rows < 0 || joints->G.rows != g->dofs || joints->G.cols != joints->rows)) {
        return cn_fail(error, CN_ERR_ARGUMENT,
                       "%d bilateral rows with a %d x %d matrix on %d velocities",
                       (int)joints->rows, (int)joints->G.rows, (int)joints->G.cols, (int)g->dofs);
    }
    cn_form_work work = {.row = cn_form_row_of(formulation),
                         .polygon = cn_polygon_make(g->dim, opts->facets),
                         .out = out,
                         .mu = g->mu,
                         .threshold = opts->threshold,
                         .bounds = &g->bounds};
    int64_t first = (int64_t)g->dofs + (joints ? joints->rows : 0);
    status = cn_form_begin(&work, g->dim, g->contacts, first, memory, error);
    if (status == CN_OK) {
        status = cn_form_global_matrix(&work, g, joints, memory, error);
    }
    if (status != CN_OK) {
        return status;
    }
    for (int32_t d = 0; d < g->dofs; d++) {
        out->mcp.q[d] = -g->f[d];
    }
    for (int32_t k = 0; joints && k < joints->rows; k++) {
        out->mcp.q[g->dofs + k] = joints->s[k];
    }
    for (int32_t a = 0; a < g->contacts; a++) {
        cn_form_transpose(out, a, g->w + (int64_t)g->dim * a,
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
                sum += cn_form_basis(f, a, k, i) * own[i];
            }
            r[(int64_t)f->dim * a + k] = sum;
        }
    }
}
