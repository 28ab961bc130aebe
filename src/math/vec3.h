// math/vec3.h
// Three-vectors and 3x3 matrices (by rows) as plain arrays, inlined. In 2D the third component is
// zero.
#ifndef CAIRN_MATH_VEC3_H
#define CAIRN_MATH_VEC3_H

#include <math.h>

static inline double math_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void math_cross3(const double a[3], const double b[3], double out[3]) {
    double x = a[1] * b[2] - a[2] * b[1];
    double y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline double math_norm3(const double a[3]) {
    return sqrt(math_dot3(a, a));
}

// out = a + s b
static inline void math_add_scaled3(const double a[3], double s, const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] + s * b[i];
    }
}

static inline void math_sub3(const double a[3], const double b[3], double out[3]) {
    math_add_scaled3(a, -1.0, b, out);
}

// out = A x
static inline void math_mat3_apply(const double A[9], const double x[3], double out[3]) {
    double y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
    }
    out[0] = y[0];
    out[1] = y[1];
    out[2] = y[2];
}

// out = A' x
static inline void math_mat3_apply_transposed(const double A[9], const double x[3], double out[3]) {
    double y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
    }
    out[0] = y[0];
    out[1] = y[1];
    out[2] = y[2];
}

// out = A B; out must be neither.
static inline void math_mat3_multiply(const double A[9], const double B[9], double out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
        }
    }
}

// Two unit vectors that make (n, t1, t2) right-handed, t1 x t2 = n; a continuous choice but at n =
// -z (Duff and others 2017), bitwise identical for the same n.
static inline void math_tangents3(const double n[3], double t1[3], double t2[3]) {
    double sign = n[2] >= 0.0 ? 1.0 : -1.0;
    double a = -1.0 / (sign + n[2]);
    double b = n[0] * n[1] * a;
    t1[0] = 1.0 + sign * n[0] * n[0] * a;
    t1[1] = sign * b;
    t1[2] = -sign * n[0];
    t2[0] = b;
    t2[1] = sign + n[1] * n[1] * a;
    t2[2] = -n[1];
}

// The axes of a contact from its normal, by rows: n, t1, t2. 2D: t1 is n turned by a quarter.
static inline void math_contact_axes(int dim, const double n[3], double axes[9]) {
    axes[0] = n[0];
    axes[1] = n[1];
    axes[2] = n[2];
    if (dim == 3) {
        math_tangents3(n, axes + 3, axes + 6);
        return;
    }
    axes[3] = -n[1];
    axes[4] = n[0];
    axes[8] = 1.0;
    axes[5] = axes[6] = axes[7] = 0.0;
}

#endif
