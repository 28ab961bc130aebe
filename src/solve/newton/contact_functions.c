// solve/newton/contact_functions.c
// References: Alart and Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991); Jean and Moreau
// (1987), in Acary, Bremond and Huber (2018), section 4; Fukushima, Luo and Tseng, SIAM J. Optim.
// 12 (2002).
#include "solve/newton/contact_functions.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// The smaller eigenvalue of x^2 + y^2 in the derivative is at least this share of the larger: at
// the apex of both cones there is no derivative, and any element near by serves.
#define FISCHER_MIN 1e-14

// T rows, divided by rho: r_T - P(z_T), P onto the disc of a radius with the derivatives by_r to
// r_N and rho by_u to u_N.
static void disc_rows(int32_t dim, double rho, double radius, double by_r, double by_u,
                      const double *r, const double *u, double *F, double *A, double *B) {
    double z[3] = {0.0, 0.0, 0.0}, square = 0.0;
    for (int32_t i = 1; i < dim; i++) {
        z[i] = r[i] - rho * u[i];
        square += z[i] * z[i];
    }
    double length = sqrt(square);
    if (length <= radius) {
        for (int32_t i = 1; i < dim; i++) {
            F[i] = u[i];
            A[(dim + 1) * i] = 1.0;
        }
        return;
    }
    for (int32_t i = 1; i < dim; i++) {
        double t = z[i] / length;
        F[i] = (r[i] - radius * t) / rho;
        A[dim * i] = -by_u * t;
        B[dim * i] = -by_r * t / rho;
        for (int32_t j = 1; j < dim; j++) {
            double G = radius / length * ((i == j ? 1.0 : 0.0) - t * z[j] / length);
            A[dim * i + j] = G;
            B[dim * i + j] = ((i == j ? 1.0 : 0.0) - G) / rho;
        }
    }
}

// T rows of a contact without a disc: r_T.
static void free_rows(int32_t dim, double rho, const double *r, double *F, double *B) {
    for (int32_t i = 1; i < dim; i++) {
        F[i] = r[i] / rho;
        B[(dim + 1) * i] = 1.0 / rho;
    }
}

static void clear_pair(int32_t dim, double *A, double *B) {
    memset(A, 0, sizeof *A * (size_t)(dim * dim));
    memset(B, 0, sizeof *B * (size_t)(dim * dim));
}

// N row; returns z_N.
static double normal_row(double rho, const double *r, const double *u, double *F, double *A,
                         double *B) {
    double z = r[0] - rho * u[0];
    if (z > 0.0) {
        F[0] = u[0];
        A[0] = 1.0;
    } else {
        F[0] = r[0] / rho;
        B[0] = 1.0 / rho;
    }
    return z;
}

void newton_alart_curnier(int32_t dim, double mu, double rho, const double *r, const double *u,
                          double *F, double *A, double *B) {
    clear_pair(dim, A, B);
    double z = normal_row(rho, r, u, F, A, B);
    if (z > 0.0) {
        disc_rows(dim, rho, mu * z, mu, -mu, r, u, F, A, B);
    } else {
        free_rows(dim, rho, r, F, B);
    }
}

void newton_jean_moreau(int32_t dim, double mu, double rho, const double *r, const double *u,
                        double *F, double *A, double *B) {
    clear_pair(dim, A, B);
    normal_row(rho, r, u, F, A, B);
    if (r[0] > 0.0) {
        disc_rows(dim, rho, mu * r[0], mu, 0.0, r, u, F, A, B);
    } else {
        free_rows(dim, rho, r, F, B);
    }
}

void newton_cone_function(int32_t dim, double mu, double rho, const double *r, const double *u,
                          double *F, double *A, double *B) {
    double z[3] = {0.0, 0.0, 0.0}, t[3] = {1.0, 0.0, 0.0}, square = 0.0;
    clear_pair(dim, A, B);
    for (int32_t i = 0; i < dim; i++) {
        z[i] = r[i] - rho * u[i];
        square += i > 0 ? z[i] * z[i] : 0.0;
    }
    double length = sqrt(square), share = 1.0 / (1.0 + mu * mu);
    bool polar = mu * length <= -z[0], inside = !polar && length <= mu * z[0];
    if (polar || inside) {
        for (int32_t i = 0; i < dim; i++) {
            F[i] = polar ? r[i] / rho : u[i];
            A[(dim + 1) * i] = polar ? 0.0 : 1.0;
            B[(dim + 1) * i] = polar ? 1.0 / rho : 0.0;
        }
        return;
    }
    // On the cone's side P(z) = s t with t = (1, mu z_T/|z_T|), s = z.t share; across the side a
    // tangent turns by what the cone's radius is of z_T.
    double s = share * (z[0] + mu * length), turn = mu * s / length;
    for (int32_t i = 1; i < dim; i++) {
        t[i] = mu * z[i] / length;
    }
    for (int32_t i = 0; i < dim; i++) {
        F[i] = (r[i] - s * t[i]) / rho;
        for (int32_t j = 0; j < dim; j++) {
            double unit = i == j ? 1.0 : 0.0, G = share * t[i] * t[j];
            G += i > 0 && j > 0 ? turn * (unit - z[i] * z[j] / square) : 0.0;
            A[dim * i + j] = G;
            B[dim * i + j] = (unit - G) / rho;
        }
    }
}

void newton_box_function(int32_t dim, const double *lower, const double *upper, double rho,
                         const double *r, const double *u, double *F, double *A, double *B) {
    clear_pair(dim, A, B);
    for (int32_t i = 0; i < dim; i++) {
        double z = r[i] - rho * u[i];
        if (z > lower[i] && z < upper[i]) {
            F[i] = u[i];
            A[(dim + 1) * i] = 1.0;
        } else {
            F[i] = (r[i] - (z <= lower[i] ? lower[i] : upper[i])) / rho;
            B[(dim + 1) * i] = 1.0 / rho;
        }
    }
}

// ---- Fischer-Burmeister ----

// N row of a contact without friction, a^2 + b^2 = h^2: F = (a + b - h)/rho.
static void fischer_scalar(double rho, const double *r, const double *u, double *F, double *A,
                           double *B) {
    double a = r[0], b = rho * u[0], h = hypot(a, b);
    F[0] = (a + b - h) / rho;
    B[0] = (1.0 - (h > 0.0 ? a / h : 0.5)) / rho;
    A[0] = 1.0 - (h > 0.0 ? b / h : 0.5);
}

// out := I - L_z^-1 L_x, by rows; L the arrow matrix of the algebra, det = z_0^2 - |z_T|^2.
static void fischer_slope(int32_t dim, const double *z, double det, const double *x, double *out) {
    for (int32_t j = 0; j < dim; j++) {
        // Column j of L_x, then L_z^-1 of it.
        double column[3] = {x[j], 0.0, 0.0}, along;
        for (int32_t i = 1; i < dim; i++) {
            column[i] = j == 0 ? x[i] : (i == j ? x[0] : 0.0);
        }
        along = z[0] * column[0];
        for (int32_t i = 1; i < dim; i++) {
            along -= z[i] * column[i];
        }
        along /= det;
        out[j] = (j == 0 ? 1.0 : 0.0) - along;
        for (int32_t i = 1; i < dim; i++) {
            out[dim * i + j] = (i == j ? 1.0 : 0.0) - (column[i] - z[i] * along) / z[0];
        }
    }
}

void newton_fischer_burmeister(int32_t dim, double mu, double rho, const double *r, const double *u,
                               double *F, double *A, double *B) {
    clear_pair(dim, A, B);
    if (!(mu > 0.0)) {
        fischer_scalar(rho, r, u, F, A, B);
        free_rows(dim, rho, r, F, B);
        return;
    }
    double slip = dim == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
    double x[3] = {mu * r[0], r[1], dim == 2 ? 0.0 : r[2]};
    double y[3] = {rho * (u[0] / mu + slip), rho * u[1], dim == 2 ? 0.0 : rho * u[2]};
    double square = 0.0, w[3] = {0.0, 0.0, 0.0}, turned = 0.0;
    for (int32_t i = 0; i < dim; i++) {
        square += x[i] * x[i] + y[i] * y[i];
        w[i] = 2.0 * (x[0] * x[i] + y[0] * y[i]);
        turned += i > 0 ? w[i] * w[i] : 0.0;
    }
    // Eigenvalues of x^2 + y^2, and its square root z.
    double large = square + sqrt(turned), small = fmax(0.0, square - sqrt(turned));
    double sum = sqrt(large) + sqrt(small), z[3] = {0.5 * sum, 0.0, 0.0};
    for (int32_t i = 1; i < dim; i++) {
        z[i] = sum > 0.0 ? w[i] / sum : 0.0;
    }
    for (int32_t i = 0; i < dim; i++) {
        F[i] = (x[i] + y[i] - z[i]) / rho;
    }
    if (!(sum > 0.0)) {
        z[0] = 1.0; // the apex: the derivative at x = y = 0 along e
        large = small = 1.0;
        x[0] = y[0] = 1.0 / sqrt(2.0);
    }
    double det = sqrt(large) * sqrt(fmax(small, FISCHER_MIN * large)), by_x[9], by_y[9];
    fischer_slope(dim, z, det, x, by_x);
    fischer_slope(dim, z, det, y, by_y);
    for (int32_t i = 0; i < dim; i++) {
        B[dim * i] = by_x[dim * i] * mu / rho;
        A[dim * i] = by_y[dim * i] / mu;
        for (int32_t j = 1; j < dim; j++) {
            B[dim * i + j] = by_x[dim * i + j] / rho;
            A[dim * i + j] = by_y[dim * i + j] + (slip > 0.0 ? by_y[dim * i] * u[j] / slip : 0.0);
        }
    }
}
