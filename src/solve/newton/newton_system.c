// solve/newton/newton_system.c
#include "solve/newton/newton_system.h"

#include "base/arena.h"
#include "problem/operator/operator.h"
#include "solve/drivers/joint_rows.h"

#include <math.h>
#include <string.h>

#define MATH_INLINE static inline __attribute__((always_inline))
#define NEWTON_DENSE 2.0   // how much faster than those of a sweep
#define NEWTON_FILLING 2.0 // all that is done per contact over the filling alone
#define NEWTON_REFINE 8    // steps of refinement where a ridge has to be taken out,
#define NEWTON_GAIN 0.2    // while each leaves less than this share of the error,
#define NEWTON_SURE 0.05   // and mostly less than this

// ---- analysis ----

static int64_t block_offset(sparse_block_lu *lu, int32_t i, int32_t j) {
    return sparse_block_lu_at(lu, i, j) - lu->value;
}

static cn_status analyse_assembled(newton_system *s, cn_arena *scratch) {
    const cn_bsr *W = &s->p->W.assembled;
    cn_status status =
        sparse_block_lu_analyse(W->dim, W->block_rows, W->start, W->column, NULL, scratch, &s->lu);
    s->offset = BASE_TAKE(scratch, int64_t, W->start[W->block_rows]);
    if (status != CN_OK || !s->offset) {
        return status != CN_OK ? status : CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < W->block_rows; a++) {
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            if (!sparse_block_lu_at(&s->lu, a, W->column[k])) {
                return CN_ERR_UNSUPPORTED;
            }
            s->offset[k] = block_offset(&s->lu, a, W->column[k]);
        }
    }
    return CN_OK;
}

// Whether the rows of block a are bilateral, or unused: what it adds to the matrix depends on ridge
// and compliance alone.
static bool is_constant(const cn_friction *p, int32_t a) {
    bool constant = prob_is_boxed(&p->bounds, a);
    for (int64_t i = (int64_t)p->dim * a; constant && i < (int64_t)p->dim * (a + 1); i++) {
        constant = prob_is_bilateral(&p->bounds, i) ||
                   (p->bounds.lower[i] == 0.0 && p->bounds.upper[i] == 0.0);
    }
    return constant;
}

// Bodies that something else than bilateral rows acts on are late, where there are others to keep.
static const uint8_t *late_bodies(const newton_system *s, int32_t bodies, uint8_t *late) {
    int32_t size = s->pack.size;
    bool some = false;
    memset(late, 0, (size_t)bodies);
    for (int32_t a = 0; a < s->p->contacts; a++) {
        bool constant = is_constant(s->p, a);
        some = some || constant;
        for (int side = 0; side < 2 && !constant; side++) {
            int32_t body = s->pack.dof[2 * a + side] / size;
            if (body < bodies) {
                late[body] = 1;
            }
        }
    }
    return some ? late : NULL;
}

// Multiplications of filling the matrix.
static double filling_assembled(const newton_system *s) {
    double dim = s->p->dim;
    return (double)s->p->W.assembled.start[s->p->contacts] * dim * dim * dim;
}

static double filling_bodies(const newton_system *s) {
    double dim = s->p->dim, size = s->pack.size;
    return s->p->contacts * (2.0 * dim * dim * size + 4.0 * dim * size * size);
}

// The graph of bodies that share a contact, as compressed rows with repeated entries.
static cn_status analyse_bodies(newton_system *s, cn_arena *scratch) {
    const cn_friction *p = s->p;
    int32_t size = s->pack.size, bodies = p->W.body.dofs / size;
    int64_t *start = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)bodies + 2);
    int32_t *column = BASE_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    s->offset = BASE_TAKE_ZERO(scratch, int64_t, 4 * (int64_t)p->contacts);
    uint8_t *late = BASE_TAKE(scratch, uint8_t, bodies);
    if (!start || !column || !s->offset || !late) {
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
    const uint8_t *behind = late_bodies(s, bodies, late);
    CN_TRY(sparse_block_lu_analyse(size, bodies, start, column, behind, scratch, &s->lu));
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int32_t k = 0; k < 4; k++) {
            int32_t i = s->pack.dof[2 * a + k / 2] / size, j = s->pack.dof[2 * a + k % 2] / size;
            s->offset[4 * (int64_t)a + k] =
                i < bodies && j < bodies ? block_offset(&s->lu, i, j) : -1;
        }
    }
    return CN_OK;
}

// ---- factorisation ----

// K of contact a with what compliance and ridge add to it, in K itself or in own.
MATH_INLINE const double *newton_own(const newton_system *s, int dim, int32_t a, double *own) {
    const double *A = s->A + (int64_t)dim * dim * a, *K = s->K + (int64_t)dim * dim * a;
    if (!prob_is_boxed(&s->p->bounds, a) && !prob_is_soft(&s->p->bounds, dim, a)) {
        return K;
    }
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            int64_t row = (int64_t)dim * a + j;
            double soft = prob_compliance_of(&s->p->bounds, row) + (s->ridge ? s->ridge[row] : 0.0);
            own[dim * i + j] = K[dim * i + j] + A[dim * i + j] * soft;
        }
    }
    return own;
}

static bool factor_assembled(newton_system *s) {
    const cn_bsr *W = &s->p->W.assembled;
    int32_t dim = W->dim;
    sparse_block_lu_clear(&s->lu, 0);
    for (int32_t a = 0; a < W->block_rows; a++) {
        double own[9];
        const double *A = s->A + (int64_t)dim * dim * a, *K = newton_own(s, dim, a, own);
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
    return sparse_block_lu_factor(&s->lu, 0);
}

// out = matrix^-1 by cofactors, by rows; false when singular.
MATH_INLINE bool invert(int dim, const double *m, double *out) {
    if (dim == 2) {
        double det = m[0] * m[3] - m[1] * m[2];
        out[0] = m[3] / det;
        out[1] = -m[1] / det;
        out[2] = -m[2] / det;
        out[3] = m[0] / det;
        return det != 0.0;
    }
    double minor[3] = {m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8],
                       m[3] * m[7] - m[4] * m[6]};
    double det = m[0] * minor[0] + m[1] * minor[1] + m[2] * minor[2], scale = 1.0 / det;
    out[0] = minor[0] * scale;
    out[1] = (m[2] * m[7] - m[1] * m[8]) * scale;
    out[2] = (m[1] * m[5] - m[2] * m[4]) * scale;
    out[3] = minor[1] * scale;
    out[4] = (m[0] * m[8] - m[2] * m[6]) * scale;
    out[5] = (m[2] * m[3] - m[0] * m[5]) * scale;
    out[6] = minor[2] * scale;
    out[7] = (m[1] * m[6] - m[0] * m[7]) * scale;
    out[8] = (m[0] * m[4] - m[1] * m[3]) * scale;
    return det != 0.0;
}

// to += left right, of rows x inner and inner x columns.
MATH_INLINE void add_product(int rows, int inner, int columns, const double *left,
                             const double *right, double *to) {
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < inner; k++) {
            for (int j = 0; j < columns; j++) {
                to[columns * i + j] += left[inner * i + k] * right[columns * k + j];
            }
        }
    }
}

// out = R'R
MATH_INLINE void square_root(int dim, const double *root, double *out) {
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            double sum = 0.0;
            for (int k = 0; k < dim; k++) {
                sum += root[dim * k + i] * root[dim * k + j];
            }
            out[dim * i + j] = sum;
        }
    }
}

// K^-1 and C = K^-1 A of every contact, then I + M^-1 H C H', from the row `first` of the
// elimination order on.
MATH_INLINE bool fill_bodies(int dim, int size, newton_system *s, int32_t first) {
    int64_t kept = s->lu.start[first] * size * size;
    sparse_block_lu_clear(&s->lu, first);
    for (int32_t i = first; i < s->lu.rows; i++) {
        double *block = s->lu.value + s->lu.diagonal[i] * size * size;
        for (int k = 0; k < size; k++) {
            block[(size + 1) * k] = 1.0;
        }
    }
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t at = (int64_t)dim * dim * a;
        double *C = s->C + at, *inverse = s->inverse + at, own[9];
        if (s->root) {
            square_root(dim, s->root + at, inverse);
        } else if (!invert(dim, newton_own(s, dim, a, own), inverse)) {
            return false;
        }
        memset(C, 0, sizeof *C * (size_t)(dim * dim));
        if (s->A[at] == 0.0 && !prob_is_boxed(&s->p->bounds, a)) {
            continue; // open: no velocity enters
        }
        add_product(dim, dim, dim, inverse, s->A + at, C);
        const int64_t *place = s->offset + 4 * (int64_t)a;
        if (place[0] < kept && place[1] < kept && place[2] < kept && place[3] < kept) {
            continue;
        }
        for (int right = 0; right < 2; right++) {
            const double *H = s->pack.H + (2 * (int64_t)a + right) * size * dim;
            double turned[3 * SPARSE_BLOCK_MAX],
                half[3 * SPARSE_BLOCK_MAX] = {0.0}; // H' and C H', by rows
            for (int i = 0; i < dim; i++) {
                for (int l = 0; l < size; l++) {
                    turned[size * i + l] = H[dim * l + i];
                }
            }
            add_product(dim, dim, size, C, turned, half);
            for (int left = 0; left < 2; left++) {
                int64_t offset = place[2 * left + right];
                if (offset < kept) { // or there is none
                    continue;
                }
                const double *G = s->pack.G + (2 * (int64_t)a + left) * size * dim;
                double *block = s->lu.value + offset;
                for (int k = 0; k < size; k++) {
                    double row[SPARSE_BLOCK_MAX];
                    memcpy(row, block + size * k, sizeof *row * (size_t)size);
                    for (int i = 0; i < dim; i++) {
                        for (int l = 0; l < size; l++) {
                            row[l] += G[size * i + k] * half[size * i + l];
                        }
                    }
                    memcpy(block + size * k, row, sizeof *row * (size_t)size);
                }
            }
        }
    }
    return true;
}

static bool fill_bodies_2d(newton_system *s, int32_t first) {
    return fill_bodies(2, 3, s, first);
}

static bool fill_bodies_3d(newton_system *s, int32_t first) {
    return fill_bodies(3, 6, s, first);
}

#if defined(__x86_64__)
// The same code, and bitwise identical, for processors with 256-bit registers.
__attribute__((target("avx2"))) static bool fill_bodies_avx2(newton_system *s, int32_t first) {
    return fill_bodies(3, 6, s, first);
}

static bool fill_any(newton_system *s, int32_t first) {
    return s->p->dim == 2                   ? fill_bodies_2d(s, first)
           : __builtin_cpu_supports("avx2") ? fill_bodies_avx2(s, first)
                                            : fill_bodies_3d(s, first);
}
#else
static bool fill_any(newton_system *s, int32_t first) {
    return s->p->dim == 2 ? fill_bodies_2d(s, first) : fill_bodies_3d(s, first);
}
#endif

static bool factor_bodies(newton_system *s) {
    int32_t first = s->keep && s->known ? s->lu.early : 0;
    s->known = fill_any(s, first) && sparse_block_lu_factor(&s->lu, first);
    return s->known;
}

// ---- solution ----

// x := -R'(R x)
MATH_INLINE void apply_root(int dim, const double *root, double *x) {
    double half[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            half[i] += root[dim * i + j] * x[j];
        }
    }
    for (int i = 0; i < dim; i++) {
        double sum = 0.0;
        for (int j = 0; j < dim; j++) {
            sum -= root[dim * j + i] * half[j];
        }
        x[i] = sum;
    }
}

// The same dr where K^-1 is given by its root: -K^-1 (F + A u) without an inverse, u = H'y in dr.
MATH_INLINE void finish_by_root(int dim, newton_system *s, const double *F, double *dr) {
    for (int64_t a = 0; a < s->p->contacts; a++) {
        const double *A = s->A + dim * dim * a;
        double left[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < dim; i++) {
            left[i] = F[dim * a + i];
            for (int j = 0; j < dim; j++) {
                left[i] += A[dim * i + j] * dr[dim * a + j];
            }
        }
        apply_root(dim, s->root + dim * dim * a, left);
        memcpy(dr + dim * a, left, sizeof *dr * (size_t)dim);
    }
}

// dr with A_a (W dr)_a + K_a dr_a = -F_a from the factors at hand: y = M^-1 H g, then dr = g - C H'
// y.
MATH_INLINE void solve_bodies_of(int dim, newton_system *s, const double *F, double *dr) {
    int32_t contacts = s->p->contacts;
    for (int64_t a = 0; a < contacts; a++) {
        const double *inverse = s->inverse + dim * dim * a;
        for (int i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int j = 0; j < dim; j++) {
                sum -= inverse[dim * i + j] * F[dim * a + j];
            }
            s->g[dim * a + i] = sum;
        }
        if (s->root) {
            memcpy(s->g + dim * a, F + dim * a, sizeof *F * (size_t)dim);
            apply_root(dim, s->root + dim * dim * a, s->g + dim * a);
        }
    }
    gs_body_pack_impulse(&s->pack, s->p, s->g, s->y);
    sparse_block_lu_solve(&s->lu, s->y);
    cn_friction bare = *s->p;
    bare.q = s->zero;
    gs_body_pack_velocity(&s->pack, &bare, s->y, dr);
    if (s->root) {
        finish_by_root(dim, s, F, dr);
        return;
    }
    for (int64_t a = 0; a < contacts; a++) {
        const double *C = s->C + dim * dim * a;
        double u[3] = {0.0, 0.0, 0.0};
        memcpy(u, dr + dim * a, sizeof *u * (size_t)dim);
        for (int i = 0; i < dim; i++) {
            double sum = s->g[dim * a + i];
            for (int j = 0; j < dim; j++) {
                sum -= C[dim * i + j] * u[j];
            }
            dr[dim * a + i] = sum;
        }
    }
}

static void solve_bodies(newton_system *s, const double *F, double *dr) {
    if (s->p->dim == 2) {
        solve_bodies_of(2, s, F, dr);
    } else {
        solve_bodies_of(3, s, F, dr);
    }
}

static void solve_assembled(newton_system *s, const double *F, double *dr) {
    int64_t m = (int64_t)s->p->dim * s->p->contacts;
    for (int64_t i = 0; i < m; i++) {
        dr[i] = -F[i];
    }
    sparse_block_lu_solve(&s->lu, dr);
}

// ---- the two forms of the matrix ----

// Of contacts (assembled) and of bodies (body space).
struct newton_form {
    cn_status (*analyse)(newton_system *s, cn_arena *scratch);
    double (*filling)(const newton_system *s);
    bool (*factor)(newton_system *s);
    void (*solve)(newton_system *s, const double *F, double *dr);
};

static const newton_form form_assembled = {analyse_assembled, filling_assembled, factor_assembled,
                                           solve_assembled};
static const newton_form form_bodies = {analyse_bodies, filling_bodies, factor_bodies,
                                        solve_bodies};

cn_status newton_analyse(const cn_friction *p, cn_arena *scratch, newton_system *out) {
    int64_t m = (int64_t)p->dim * p->contacts;
    bool body = prob_operator_ops_of(p->W.kind)->body_space;
    *out = (newton_system){.p = p};
    if (body && gs_body_pack_build(p, scratch, &out->pack) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    if (body && out->pack.size == 0) {
        return CN_ERR_UNSUPPORTED;
    }
    int64_t unknowns = body ? p->W.body.dofs : m;
    out->A = BASE_TAKE(scratch, double, p->dim *m);
    out->K = BASE_TAKE(scratch, double, p->dim *m);
    out->C = BASE_TAKE(scratch, double, p->dim *m);
    out->inverse = BASE_TAKE(scratch, double, p->dim *m);
    out->F = BASE_TAKE(scratch, double, m);
    out->g = BASE_TAKE(scratch, double, m);
    out->product = BASE_TAKE(scratch, double, m);
    out->extra = BASE_TAKE(scratch, double, m);
    out->zero = BASE_TAKE_ZERO(scratch, double, m);
    // A contact with one body reads the spare zeros behind the velocities.
    out->y = BASE_TAKE_ZERO(scratch, double, unknowns + SPARSE_BLOCK_MAX);
    out->v = BASE_TAKE_ZERO(scratch, double, (body ? unknowns : 0) + SPARSE_BLOCK_MAX);
    if (!out->A || !out->K || !out->C || !out->inverse || !out->F || !out->g || !out->product ||
        !out->extra || !out->zero || !out->y || !out->v) {
        return CN_ERR_MEMORY;
    }
    out->form = body ? &form_bodies : &form_assembled;
    return out->form->analyse(out, scratch);
}

double newton_cost(const newton_system *s) {
    // The factors' multiplications run in dense blocks.
    return s->lu.multiplications / NEWTON_DENSE + NEWTON_FILLING * s->form->filling(s);
}

bool newton_factor(newton_system *s) {
    return s->form->factor(s);
}

void newton_backsolve(newton_system *s, const double *F, double *dr) {
    s->form->solve(s, F, dr);
}

void newton_velocity(newton_system *s, const cn_friction *p, const double *r, double *u) {
    if (s->pack.size > 0) {
        gs_body_pack_impulse(&s->pack, p, r, s->v);
        gs_body_pack_velocity(&s->pack, p, s->v, u);
        prob_bounds_comply(p, r, u);
    } else {
        cn_friction_velocity(p, r, s->v, u);
    }
}

// F := F + A (W + E) dr + K dr, what dr leaves of the equation.
static void rest_after(newton_system *s, const double *dr, double *F) {
    const cn_friction *p = s->p;
    int32_t dim = p->dim;
    cn_friction bare = *p;
    bare.q = s->zero;
    newton_velocity(s, &bare, dr, s->product);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int32_t i = 0; i < dim; i++) {
            double sum = F[(int64_t)dim * a + i];
            for (int32_t j = 0; j < dim; j++) {
                int64_t entry = (int64_t)dim * dim * a + dim * i + j, at = (int64_t)dim * a + j;
                sum += s->A[entry] * s->product[at] + s->K[entry] * dr[at];
            }
            F[(int64_t)dim * a + i] = sum;
        }
    }
}

static double newton_norm(int64_t m, const double *x) {
    double sum = 0.0;
    for (int64_t i = 0; i < m; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// dr of the factors, pulled towards r + dr = 0 by the ridge in the rows that A lets through.
static void pull_by_ridge(newton_system *s, const double *F, double *dr) {
    int32_t dim = s->p->dim;
    for (int64_t i = 0; i < (int64_t)dim * s->p->contacts; i++) {
        double through = s->A[dim * i + i % dim];
        s->extra[i] = F[i] + through * s->ridge[i] * s->toward[i];
    }
    newton_backsolve(s, s->extra, dr);
}

// Refinement where a ridge has to be taken out. The error is not looked at after a step that is
// sure to suffice.
static void take_out_ridge(newton_system *s, double *F, double *dr) {
    int64_t m = (int64_t)s->p->dim * s->p->contacts;
    double last = newton_norm(m, F);
    if (s->toward) {
        last = (double)INFINITY; // the pull may be larger than F
        pull_by_ridge(s, F, dr);
    } else {
        newton_backsolve(s, F, dr);
    }
    for (int32_t k = 0; k < NEWTON_REFINE; k++) {
        rest_after(s, k == 0 ? dr : s->extra, F);
        s->left = newton_norm(m, F);
        if (s->left <= s->enough || !(s->left < NEWTON_GAIN * last)) {
            return;
        }
        last = s->left;
        newton_backsolve(s, F, s->extra);
        for (int64_t i = 0; i < m; i++) {
            dr[i] += s->extra[i];
        }
        s->left *= NEWTON_SURE;
        if (s->left <= s->enough) {
            return;
        }
    }
    rest_after(s, s->extra, F);
    s->left = newton_norm(m, F);
}

void newton_refine(newton_system *s, double *F, double *dr) {
    if (s->ridge) {
        take_out_ridge(s, F, dr);
        return;
    }
    newton_backsolve(s, F, dr);
    rest_after(s, dr, F);
    newton_backsolve(s, F, s->extra);
    for (int64_t i = 0; i < (int64_t)s->p->dim * s->p->contacts; i++) {
        dr[i] += s->extra[i];
    }
}

bool newton_solve(newton_system *s, double *dr) {
    if (!newton_factor(s)) {
        return false;
    }
    newton_refine(s, s->F, dr);
    return true;
}

// ---- what the solvers share ----

double newton_scales(const cn_friction *p, double *scale) {
    double pressing = 0.0, all = 0.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        const double *block = p->W.diagonal + (int64_t)p->dim * p->dim * a,
                     *q = p->q + (int64_t)p->dim * a;
        double trace = 0.0, square = 0.0;
        for (int32_t i = 0; i < p->dim; i++) {
            trace += block[(p->dim + 1) * i];
            square += q[i] * q[i];
        }
        scale[a] = trace > 0.0 ? trace / p->dim : 1.0;
        pressing += prob_is_boxed(&p->bounds, a) ? solve_boxes_pressing(p, a)
                    : q[0] < 0.0                 ? square
                                                 : 0.0;
        all += square;
    }
    double size = sqrt(pressing > 0.0 ? pressing : all);
    return size > 0.0 ? size : 1.0;
}

cn_status newton_refuse(cn_status status, cn_solve_report *report) {
    if (status != CN_ERR_UNSUPPORTED) {
        return status;
    }
    report->outcome = CN_UNSUPPORTED;
    report->detail =
        "in body space this solver needs two rigid bodies per contact; factors of 2 GB at most";
    return CN_OK;
}
