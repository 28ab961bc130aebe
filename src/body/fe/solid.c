// body/fe/solid.c
// Solid elements: with B = dE/du, S = D (E + G alpha), G the enhanced modes at a point,
//     f = sum w B'S,   K = sum w (B'D B + S : d2E/du2) - L' A^-1 L,
//     A = sum w G'D G, L = sum w G'D B, alpha = -A^-1 sum w G'D E.
// The energy is quadratic in alpha, so that alpha(u) is exact and K is the derivative of f.
//
// Small strain is the same with B at u = 0 and E = B u.
#include "body/fe/solid.h"

#include "sparse/cholesky.h"

#include <string.h>

// Tensor components of a strain column.
static const int8_t pair_2d[3][2] = {{0, 0}, {1, 1}, {0, 1}};
static const int8_t pair_3d[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

// An element at one of its points.
typedef struct strain_point {
    double weight;            // of the rule times det J
    double grad[FE_DOFS_MAX]; // d N_a / d X_i
    double F[9];              // deformation gradient; the identity for small strain
    double strain[FE_STRAINS_MAX];
    double B[FE_STRAINS_MAX * FE_DOFS_MAX];  // strains x dofs
    double DB[FE_STRAINS_MAX * FE_DOFS_MAX]; // D B
    double G[FE_STRAINS_MAX * FE_MODES_MAX]; // strains x modes
} strain_point;

// What the enhanced modes add, by the names of the head of this file. A by columns, then its
// factor.
typedef struct enhancement {
    double A[FE_MODES_MAX * FE_MODES_MAX];
    double L[FE_MODES_MAX * FE_DOFS_MAX];
    double alpha[FE_MODES_MAX];
} enhancement;

typedef struct element_task {
    const fe_element *e;
    const fe_elastic *law;
    const double *X, *u; // u NULL: zero
    bool small;
    int32_t dim, dofs, strains;
    const int8_t (*pair)[2];
    double J0_inverse[9], J0_det;
} element_task;

// inverse := J^-1 by rows; det: of J.
static void invert(int32_t dim, const double *J, double det, double *inverse) {
    double s = 1.0 / det;
    if (dim == 2) {
        inverse[0] = s * J[3];
        inverse[1] = -s * J[1];
        inverse[2] = -s * J[2];
        inverse[3] = s * J[0];
        return;
    }
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            int32_t a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = s * (J[3 * a + c] * J[3 * b + d] - J[3 * a + d] * J[3 * b + c]);
        }
    }
}

static element_task start_task(const fe_element *e, const fe_elastic *law, const double *X,
                               const double *u, bool small) {
    element_task t = {.e = e, .law = law, .X = X, .u = u, .small = small, .dim = e->dim};
    t.dofs = e->dim * e->nodes;
    t.strains = law->strains;
    t.pair = e->dim == 2 ? pair_2d : pair_3d;
    if (e->modes > 0) {
        const double centre[3] = {0.0, 0.0, 0.0};
        double J[9];
        t.J0_det = fe_jacobian(e, X, centre, J);
        invert(e->dim, J, t.J0_det, t.J0_inverse);
    }
    return t;
}

// Strain and B from the gradients, at F = I + du/dX (small: the linear part).
static void find_strain(const element_task *t, strain_point *at) {
    int32_t dim = t->dim;
    double H[9] = {0.0};
    for (int32_t a = 0; t->u && a < t->e->nodes; a++) {
        for (int32_t i = 0; i < dim; i++) {
            for (int32_t j = 0; j < dim; j++) {
                H[dim * i + j] += t->u[dim * a + i] * at->grad[dim * a + j];
            }
        }
    }
    for (int32_t i = 0; i < dim * dim; i++) {
        at->F[i] = (t->small ? 0.0 : H[i]) + (i % (dim + 1) == 0 ? 1.0 : 0.0);
    }
    for (int32_t s = 0; s < t->strains; s++) {
        int32_t k = t->pair[s][0], l = t->pair[s][1];
        double shear = k == l ? 1.0 : 2.0, product = 0.0;
        for (int32_t i = 0; i < dim && !t->small; i++) {
            product += H[dim * i + k] * H[dim * i + l];
        }
        at->strain[s] = shear * 0.5 * (H[dim * k + l] + H[dim * l + k] + product);
        for (int32_t a = 0; a < t->e->nodes; a++) {
            const double *g = at->grad + dim * a;
            for (int32_t i = 0; i < dim; i++) {
                double b = at->F[dim * i + k] * g[l] + at->F[dim * i + l] * g[k];
                at->B[t->dofs * s + dim * a + i] = 0.5 * shear * b;
            }
        }
    }
}

// G = (det J0 / det J) T0 M(xi).
static void find_modes(const element_task *t, const double *xi, double det, strain_point *at) {
    int32_t dim = t->dim, modes = t->e->modes;
    const double *inverse = t->J0_inverse;
    for (int32_t m = 0; m < modes; m++) {
        fe_mode mode = t->e->mode[m];
        double scale = t->J0_det / det * xi[mode.c];
        for (int32_t s = 0; s < t->strains; s++) {
            int32_t k = t->pair[s][0], l = t->pair[s][1];
            // Symmetric part of the natural unit tensor e_a e_b, in Cartesian axes.
            double strain = 0.5 * (inverse[dim * mode.a + k] * inverse[dim * mode.b + l] +
                                   inverse[dim * mode.b + k] * inverse[dim * mode.a + l]);
            at->G[modes * s + m] = scale * strain * (k == l ? 1.0 : 2.0);
        }
    }
}

static void evaluate_point(const element_task *t, int32_t p, strain_point *at) {
    int32_t dim = t->dim;
    const double *xi = t->e->rule.point[p];
    double N[FE_NODES_MAX], dN[FE_DOFS_MAX], J[9], inverse[9];
    double det = fe_jacobian(t->e, t->X, xi, J);
    invert(dim, J, det, inverse);
    t->e->shape(xi, N, dN);
    at->weight = xi[3] * det;
    for (int32_t a = 0; a < t->e->nodes; a++) {
        for (int32_t i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int32_t j = 0; j < dim; j++) {
                sum += dN[dim * a + j] * inverse[dim * j + i];
            }
            at->grad[dim * a + i] = sum;
        }
    }
    find_strain(t, at);
    memset(at->DB, 0, sizeof *at->DB * (size_t)(t->strains * t->dofs));
    for (int32_t i = 0; i < t->strains; i++) {
        for (int32_t s = 0; s < t->strains; s++) {
            double d = t->law->D[t->strains * i + s];
            for (int32_t j = 0; d != 0.0 && j < t->dofs; j++) {
                at->DB[t->dofs * i + j] += d * at->B[t->dofs * s + j];
            }
        }
    }
    if (t->e->modes > 0) {
        find_modes(t, xi, det, at);
    }
}

// D times a strain column.
static void law_stress(const fe_elastic *law, const double *strain, double *stress) {
    for (int32_t i = 0; i < law->strains; i++) {
        stress[i] = 0.0;
        for (int32_t j = 0; j < law->strains; j++) {
            stress[i] += law->D[law->strains * i + j] * strain[j];
        }
    }
}

// A, its factor, L and alpha. With the law positive definite and the element not inverted A is
// positive definite.
static void find_enhancement(const element_task *t, enhancement *out) {
    int32_t modes = t->e->modes, row;
    memset(out, 0, sizeof *out);
    for (int32_t p = 0; modes > 0 && p < t->e->rule.points; p++) {
        strain_point at;
        double stress[FE_STRAINS_MAX], column[FE_STRAINS_MAX], DG[FE_STRAINS_MAX];
        evaluate_point(t, p, &at);
        law_stress(t->law, at.strain, stress);
        for (int32_t m = 0; m < modes; m++) {
            for (int32_t s = 0; s < t->strains; s++) {
                column[s] = at.G[modes * s + m];
            }
            law_stress(t->law, column, DG);
            for (int32_t s = 0; s < t->strains; s++) {
                double g = at.weight * column[s];
                out->alpha[m] -= g * stress[s];
                for (int32_t j = 0; j < t->dofs; j++) {
                    out->L[t->dofs * m + j] += g * at.DB[t->dofs * s + j];
                }
                for (int32_t n = 0; n < modes; n++) {
                    out->A[modes * m + n] += at.weight * DG[s] * at.G[modes * s + n];
                }
            }
        }
    }
    if (modes > 0) {
        sparse_cholesky_factor(modes, out->A, &row);
        sparse_cholesky_lower(modes, out->A, out->alpha);
        sparse_cholesky_upper(modes, out->A, out->alpha);
    }
}

// Stress at a point with the enhanced strain.
static void find_stress(const element_task *t, const strain_point *at, const enhancement *more,
                        double *stress) {
    double strain[FE_STRAINS_MAX];
    for (int32_t s = 0; s < t->strains; s++) {
        strain[s] = at->strain[s];
        for (int32_t m = 0; m < t->e->modes; m++) {
            strain[s] += at->G[t->e->modes * s + m] * more->alpha[m];
        }
    }
    law_stress(t->law, strain, stress);
}

// K += w (B'D B + S : d2E/du2), the upper triangle; the second part not for small strain.
static void add_tangent(const element_task *t, const strain_point *at, const double *stress,
                        double *K) {
    int32_t dim = t->dim, dofs = t->dofs;
    for (int32_t s = 0; s < t->strains; s++) {
        for (int32_t i = 0; i < dofs; i++) {
            double b = at->weight * at->B[dofs * s + i];
            for (int32_t j = i; b != 0.0 && j < dofs; j++) {
                K[dofs * i + j] += b * at->DB[dofs * s + j];
            }
        }
    }
    for (int32_t a = 0; !t->small && a < t->e->nodes; a++) {
        for (int32_t b = a; b < t->e->nodes; b++) {
            const double *ga = at->grad + dim * a, *gb = at->grad + dim * b;
            double sum = 0.0;
            for (int32_t s = 0; s < t->strains; s++) {
                int32_t k = t->pair[s][0], l = t->pair[s][1];
                sum += stress[s] * (k == l ? ga[k] * gb[k] : ga[k] * gb[l] + ga[l] * gb[k]);
            }
            for (int32_t i = 0; i < dim; i++) {
                K[dofs * (dim * a + i) + dim * b + i] += at->weight * sum;
            }
        }
    }
}

// K -= L' A^-1 L in the upper triangle, then the lower one from it.
static void condense_modes(const element_task *t, const enhancement *more, double *K) {
    int32_t dofs = t->dofs, modes = t->e->modes;
    double column[FE_DOFS_MAX][FE_MODES_MAX]; // C^-1 L with A = C C'
    for (int32_t j = 0; modes > 0 && j < dofs; j++) {
        for (int32_t m = 0; m < modes; m++) {
            column[j][m] = more->L[dofs * m + j];
        }
        sparse_cholesky_lower(modes, more->A, column[j]);
    }
    for (int32_t i = 0; i < dofs; i++) {
        for (int32_t j = i; j < dofs; j++) {
            for (int32_t m = 0; m < modes; m++) {
                K[dofs * i + j] -= column[i][m] * column[j][m];
            }
            K[dofs * j + i] = K[dofs * i + j];
        }
    }
}

// f and K, either of which may be NULL.
static void evaluate_element(const element_task *t, double *f, double *K) {
    int32_t dofs = t->dofs;
    enhancement more;
    find_enhancement(t, &more);
    if (f) {
        memset(f, 0, sizeof *f * (size_t)dofs);
    }
    if (K) {
        memset(K, 0, sizeof *K * (size_t)(dofs * dofs));
    }
    for (int32_t p = 0; p < t->e->rule.points; p++) {
        strain_point at;
        double stress[FE_STRAINS_MAX];
        evaluate_point(t, p, &at);
        find_stress(t, &at, &more, stress);
        for (int32_t s = 0; f && s < t->strains; s++) {
            for (int32_t i = 0; i < dofs; i++) {
                f[i] += at.weight * at.B[dofs * s + i] * stress[s];
            }
        }
        if (K) {
            add_tangent(t, &at, stress, K);
        }
    }
    if (K) {
        condense_modes(t, &more, K);
    }
}

void fe_solid_mass(const fe_element *e, double density, const double *X, double *M) {
    double N[FE_NODES_MAX], dN[FE_DOFS_MAX], J[9];
    memset(M, 0, sizeof *M * (size_t)(e->nodes * e->nodes));
    for (int32_t p = 0; p < e->mass_rule.points; p++) {
        const double *point = e->mass_rule.point[p];
        double weight = density * point[3] * fe_jacobian(e, X, point, J);
        e->shape(point, N, dN);
        for (int32_t a = 0; a < e->nodes; a++) {
            for (int32_t b = 0; b < e->nodes; b++) {
                M[e->nodes * a + b] += weight * (N[a] * N[b]);
            }
        }
    }
}

void fe_solid_stiffness(const fe_element *e, const fe_elastic *law, const double *X, double *K) {
    element_task t = start_task(e, law, X, NULL, true);
    evaluate_element(&t, NULL, K);
}

void fe_solid_force_tangent(const fe_element *e, const fe_elastic *law, const double *X,
                            const double *u, double *f, double *K) {
    element_task t = start_task(e, law, X, u, false);
    evaluate_element(&t, f, K);
}

void fe_solid_stress(const fe_element *e, const fe_elastic *law, const double *X, const double *u,
                     double stress[6]) {
    element_task t = start_task(e, law, X, u, true);
    enhancement more;
    double sum[FE_STRAINS_MAX] = {0.0}, volume = 0.0;
    find_enhancement(&t, &more);
    for (int32_t p = 0; p < e->rule.points; p++) {
        strain_point at;
        double here[FE_STRAINS_MAX];
        evaluate_point(&t, p, &at);
        find_stress(&t, &at, &more, here);
        volume += at.weight;
        for (int32_t s = 0; s < t.strains; s++) {
            sum[s] += at.weight * here[s];
        }
    }
    for (int32_t s = 0; s < 6; s++) {
        stress[s] = sum[s] / volume;
    }
    if (e->dim == 2) {
        stress[3] = sum[2] / volume;
        stress[2] = law->lateral * (stress[0] + stress[1]);
        stress[4] = stress[5] = 0.0;
    }
}
