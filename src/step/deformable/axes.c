// step/deformable/axes.c
// The axes of deformable bodies, and the poses that stand for them in frames.
#include "step/deformable/deformable.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define POLAR_ROUNDS 64
#define POLAR_DONE 1e-15

void step_soft_to_body(int32_t dim, int32_t nodes, const double turn[9], const double *w,
                       double *x) {
    for (int32_t n = 0; n < nodes; n++) {
        double out[3];
        for (int32_t i = 0; i < dim; i++) {
            out[i] = 0.0;
            for (int32_t k = 0; k < dim; k++) {
                out[i] += turn[dim * k + i] * w[dim * n + k];
            }
        }
        memcpy(x + (int64_t)dim * n, out, sizeof *x * (size_t)dim);
    }
}

void step_soft_to_world(int32_t dim, int32_t nodes, const double turn[9], const double *x,
                        double *w) {
    for (int32_t n = 0; n < nodes; n++) {
        double out[3];
        for (int32_t i = 0; i < dim; i++) {
            out[i] = 0.0;
            for (int32_t k = 0; k < dim; k++) {
                out[i] += turn[dim * i + k] * x[dim * n + k];
            }
        }
        memcpy(w + (int64_t)dim * n, out, sizeof *w * (size_t)dim);
    }
}

// Mean over the mass of a vector of the nodes.
static void mass_mean(const model_deformable *d, int32_t dim, const double *x, double mean[3]) {
    double total = 0.0;
    mean[0] = mean[1] = mean[2] = 0.0;
    for (int32_t n = 0; n < d->mesh->nodes; n++) {
        total += d->shared->volume[n];
        for (int32_t i = 0; i < dim; i++) {
            mean[i] += d->shared->volume[n] * x[dim * n + i];
        }
    }
    for (int32_t i = 0; i < dim; i++) {
        mean[i] /= total;
    }
}

// A := sum of volume (x - c) (X - C)', 3x3.
static void moment(const cn_model *model, const model_deformable *d, const double *q, double A[9]) {
    int32_t dim = model->dim;
    const double *u = q + model_node_pose(model, d->first_node);
    const double *start = model->node_start + (int64_t)dim * d->first_node;
    const double *pose = model->q0 + (int64_t)model_pose_size(dim) * d->body;
    double c[3];
    mass_mean(d, dim, u, c);
    memset(A, 0, 9 * sizeof *A);
    for (int32_t n = 0; n < d->mesh->nodes; n++) {
        for (int32_t i = 0; i < dim; i++) {
            double x = start[dim * n + i] - pose[i] + u[dim * n + i] - c[i];
            for (int32_t k = 0; k < dim; k++) {
                A[3 * i + k] +=
                    d->shared->volume[n] * x * (d->mesh->node[dim * n + k] - d->shared->com[k]);
            }
        }
    }
}

// The rotation nearest to A (det > 0): R := (R + R^-T) / 2 from A on (Higham 1986). false: A is
// flat or turned inside out.
static bool polar(const double A[9], double R[9]) {
    memcpy(R, A, 9 * sizeof *R);
    for (int round = 0; round < POLAR_ROUNDS; round++) {
        double C[9], change = 0.0, scale = 1.0;
        math_cross3(R + 3, R + 6, C);
        math_cross3(R + 6, R, C + 3);
        math_cross3(R, R + 3, C + 6);
        double det = math_dot3(R, C);
        if (!(det > 0.0)) {
            return false;
        }
        if (round < 4) { // brings det to 1, which the iteration alone does slowly
            scale = 1.0 / cbrt(det);
        }
        for (int i = 0; i < 9; i++) {
            double next = 0.5 * (scale * R[i] + C[i] / (det * scale));
            change = fmax(change, fabs(next - R[i]));
            R[i] = next;
        }
        if (change <= POLAR_DONE) {
            break;
        }
    }
    return true;
}

void step_soft_axes(const cn_model *model, const model_deformable *d, const double *q,
                    double turn[9]) {
    int32_t dim = model->dim;
    double A[9], R[9];
    memcpy(turn, d->place, 9 * sizeof *turn);
    if (!d->corotational) {
        return;
    }
    moment(model, d, q, A);
    if (dim == 2) {
        double c = A[0] + A[4], s = A[3] - A[1], length = sqrt(c * c + s * s);
        if (length > 0.0) {
            turn[0] = turn[3] = c / length;
            turn[2] = s / length;
            turn[1] = -s / length;
        }
    } else if (polar(A, R)) {
        memcpy(turn, R, sizeof R);
    }
}

void step_soft_strained(const cn_model *model, const model_deformable *d, const double *q,
                        const double turn[9], double *u) {
    int32_t dim = model->dim, nodes = d->mesh->nodes;
    const double *w = q + model_node_pose(model, d->first_node);
    if (!d->corotational) {
        step_soft_to_body(dim, nodes, turn, w, u);
        return;
    }
    // R'(x - c) - (X - C) with x - c = R_0 (X - C) + w - mean w: small where the body has not
    // turned far from where it was placed, so that little is lost to round-off.
    double mean[3], D[9];
    mass_mean(d, dim, w, mean);
    for (int32_t i = 0; i < dim; i++) {
        for (int32_t k = 0; k < dim; k++) {
            D[dim * i + k] = -(i == k);
            for (int32_t j = 0; j < dim; j++) {
                D[dim * i + k] += turn[dim * j + i] * d->place[dim * j + k];
            }
        }
    }
    for (int32_t n = 0; n < nodes; n++) {
        for (int32_t i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int32_t k = 0; k < dim; k++) {
                sum += turn[dim * k + i] * (w[dim * n + k] - mean[k]) +
                       D[dim * i + k] * (d->mesh->node[dim * n + k] - d->shared->com[k]);
            }
            u[dim * n + i] = sum;
        }
    }
}

// ---- poses ----

// The unit quaternion of a rotation, of the sign nearest to another one.
static void quaternion_of(const double R[9], const double near[4], double q[4]) {
    double trace = R[0] + R[4] + R[8];
    if (trace > 0.0) {
        q[0] = 1.0 + trace;
        q[1] = R[7] - R[5];
        q[2] = R[2] - R[6];
        q[3] = R[3] - R[1];
    } else {
        int i = R[4] > R[0] ? 1 : 0;
        i = R[8] > R[4 * i] ? 2 : i;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = R[3 * k + j] - R[3 * j + k];
        q[1 + i] = 1.0 + R[4 * i] - R[4 * j] - R[4 * k];
        q[1 + j] = R[3 * i + j] + R[3 * j + i];
        q[1 + k] = R[3 * i + k] + R[3 * k + i];
    }
    math_quat_normalize(q);
    double along = q[0] * near[0] + q[1] * near[1] + q[2] * near[2] + q[3] * near[3];
    for (int i = 0; along < 0.0 && i < 4; i++) {
        q[i] = -q[i];
    }
}

// Mean rate of turning: the spin of the rigid body with the same shape, mass and angular momentum.
static void mean_spin(const cn_model *model, const model_deformable *d, const double *q,
                      const double *v, double spin[3]) {
    int32_t dim = model->dim;
    const double *u = q + model_node_pose(model, d->first_node);
    const double *w = v + model_node_velocity(model, d->first_node);
    const double *start = model->node_start + (int64_t)dim * d->first_node;
    const double *pose = model->q0 + (int64_t)model_pose_size(dim) * d->body;
    double c[3], cv[3], L[3] = {0.0, 0.0, 0.0}, I[9] = {0.0};
    mass_mean(d, dim, u, c);
    mass_mean(d, dim, w, cv);
    for (int32_t n = 0; n < d->mesh->nodes; n++) {
        double x[3] = {0.0, 0.0, 0.0}, p[3] = {0.0, 0.0, 0.0}, l[3], m = d->shared->volume[n];
        for (int32_t i = 0; i < dim; i++) {
            x[i] = start[dim * n + i] - pose[i] + u[dim * n + i] - c[i];
            p[i] = w[dim * n + i] - cv[i];
        }
        math_cross3(x, p, l);
        math_add_scaled3(L, m, l, L);
        double square = math_dot3(x, x);
        for (int i = 0; i < 9; i++) {
            I[i] += m * ((i % 4 == 0 ? square : 0.0) - x[i / 3] * x[i % 3]);
        }
    }
    spin[0] = spin[1] = 0.0;
    spin[2] = I[8] > 0.0 ? L[2] / I[8] : 0.0;
    if (dim == 3) {
        double C[9];
        math_cross3(I + 3, I + 6, C);
        math_cross3(I + 6, I, C + 3);
        math_cross3(I, I + 3, C + 6);
        double det = math_dot3(I, C);
        for (int i = 0; i < 3; i++) {
            spin[i] = det > 0.0 ? (C[i] * L[0] + C[3 + i] * L[1] + C[6 + i] * L[2]) / det : 0.0;
        }
    }
}

void step_deformable_pose(const cn_model *model, const double *q_before, double *q, double *v) {
    int32_t dim = model->dim;
    for (int32_t i = 0; i < model->deformable_count; i++) {
        const model_deformable *d = model->deformables[i];
        int64_t at = (int64_t)model_pose_size(dim) * d->body;
        const double *start = model->q0 + at, *before = q_before + at;
        double *pose = q + at, *rate = v + (int64_t)model_velocity_size(dim) * d->body;
        double turn[9], shift[3], spin[3];
        step_soft_axes(model, d, q, turn);
        mass_mean(d, dim, q + model_node_pose(model, d->first_node), shift);
        for (int32_t k = 0; k < dim; k++) {
            pose[k] = start[k] + shift[k];
        }
        if (!d->corotational) {
            memcpy(pose + dim, start + dim, sizeof *pose * (size_t)(dim == 2 ? 1 : 4));
        } else if (dim == 2) {
            double s, c;
            base_sincos(before[2], &s, &c);
            pose[2] = before[2] + base_atan2(turn[2] * c - turn[0] * s, turn[0] * c + turn[2] * s);
        } else {
            quaternion_of(turn, before + 3, pose + 3);
        }
        mass_mean(d, dim, v + model_node_velocity(model, d->first_node), shift);
        memcpy(rate, shift, sizeof *rate * (size_t)dim);
        mean_spin(model, d, q, v, spin);
        memcpy(rate + dim, dim == 2 ? spin + 2 : spin, sizeof *rate * (size_t)(dim == 2 ? 1 : 3));
    }
}
