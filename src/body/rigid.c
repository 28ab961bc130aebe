// body/rigid.c
// Rigid bodies in 2D and 3D. Free rotation: with P = I W, mean values barred,
//     P1 - P0 + h' Wbar x Pbar = 0,   h' = 2 tan(h |Wbar| / 2) / |Wbar|,
// keeps W . P and |P| (both are quadratic invariants of the midpoint rule, whatever h'), and since
// the Cayley transform of h' Wbar is exp(h Wbar), R1 P1 = R0 P0. Second order; solved by a fixed
// point that contracts like h |W| times the spread of the inertias, so a drift that turns by more
// than half a radian is made in parts.
#include "body/rigid.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <cairn/body.h>
#include <math.h>
#include <string.h>

#define SPIN_TURN_MAX 2.0 // [rad] a step; the tangent is not followed beyond, its pole is at pi
#define SPIN_PART 0.5     // [rad] that one part of a drift turns at most
#define SPIN_PARTS 4096   // at most; whatever turns faster is no longer accurate

static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

// out = R A R'
static void turn_matrix(const double R[9], const double A[9], double out[9]) {
    double half[9], transposed[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            transposed[3 * i + j] = R[3 * j + i];
        }
    }
    math_mat3_multiply(A, transposed, half);
    math_mat3_multiply(R, half, out);
}

bool body_inertia_is_isotropic(const double I[9]) {
    return I[0] == I[4] && I[4] == I[8] && I[1] == 0.0 && I[2] == 0.0 && I[5] == 0.0;
}

void rigid_move(int32_t dim, const double *pose, const double *velocity, double h, double *out) {
    if (dim == 2) {
        for (int i = 0; i < 3; i++) {
            out[i] = pose[i] + h * velocity[i];
        }
        return;
    }
    double turn[3] = {h * velocity[3], h * velocity[4], h * velocity[5]};
    memmove(out, pose, 7 * sizeof *out);
    math_add_scaled3(out, h, velocity, out);
    if (turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0) {
        math_quat_rotate(out + 3, turn); // a body at rest keeps its bits
    }
}

// Columns: the axes that the locks speak of, in world axes.
static void lock_axes(const body_rigid *body, const double *pose, double axes[9]) {
    if (!body->lock_body_axes) {
        memcpy(axes, identity, sizeof identity);
    } else if (body->dim == 3) {
        math_quat_matrix(pose + 3, axes);
    } else {
        math_angle_matrix(pose[2], axes);
    }
}

// Inverse of a 3x3 mass with the axes of the bits held: the inverse of what is left, zero in the
// held directions. inverse: that of the whole, for the usual case of no bits.
static void hold_axes(const double mass[9], const double inverse[9], uint32_t bits,
                      const double axes[9], double out[9]) {
    if (bits == 0) {
        memcpy(out, inverse, 9 * sizeof *out);
        return;
    }
    // A = axes' mass axes, in the frame of the axes; columns of axes, so its transpose turns it.
    double transposed[9], A[9], B[9] = {0.0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            transposed[3 * i + j] = axes[3 * j + i];
        }
    }
    turn_matrix(transposed, mass, A);
    int free[3], count = 0;
    for (int i = 0; i < 3; i++) {
        if (!(bits >> i & 1u)) {
            free[count++] = i;
        }
    }
    if (count == 1) {
        B[4 * free[0]] = 1.0 / A[4 * free[0]];
    } else if (count == 2) {
        int i = free[0], j = free[1];
        double b = A[3 * i + j], det = A[4 * i] * A[4 * j] - b * b;
        B[4 * i] = A[4 * j] / det;
        B[4 * j] = A[4 * i] / det;
        B[3 * i + j] = B[3 * j + i] = -b / det;
    }
    turn_matrix(axes, B, out);
}

void rigid_inverse_mass(const body_rigid *body, const double *pose, double *inverse) {
    if (body->dim == 3 && body->lock == 0 && body_inertia_is_isotropic(body->inertia)) {
        memset(inverse, 0, 36 * sizeof *inverse);
        for (int i = 0; i < 3; i++) {
            inverse[7 * i] = 1.0 / body->mass;
            inverse[7 * (i + 3)] = body->inverse_inertia[0];
        }
        return;
    }
    double axes[9], linear[9], angular[9], mass[9], inv_mass[9];
    lock_axes(body, pose, axes);
    for (int i = 0; i < 9; i++) {
        mass[i] = body->mass * identity[i];
        inv_mass[i] = identity[i] / body->mass;
    }
    if (body->dim == 2) {
        hold_axes(mass, inv_mass, body->lock & (CN_LOCK_TX | CN_LOCK_TY), axes, linear);
        memset(inverse, 0, 9 * sizeof *inverse);
        for (int i = 0; i < 4; i++) {
            inverse[3 * (i / 2) + i % 2] = linear[3 * (i / 2) + i % 2];
        }
        inverse[8] = body->lock & CN_LOCK_RZ ? 0.0 : body->inverse_inertia[8];
        return;
    }
    double R[9], J[9] = {0.0}, J_inverse[9];
    uint32_t turns = body->lock >> 3 & 7u;
    math_quat_matrix(pose + 3, R);
    if (turns != 0) {
        turn_matrix(R, body->inertia, J); // asked for only then
    }
    turn_matrix(R, body->inverse_inertia, J_inverse);
    hold_axes(mass, inv_mass, body->lock & 7u, axes, linear);
    hold_axes(J, J_inverse, turns, axes, angular);
    memset(inverse, 0, 36 * sizeof *inverse);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inverse[6 * i + j] = linear[3 * i + j];
            inverse[6 * (i + 3) + j + 3] = angular[3 * i + j];
        }
    }
}

// h' over h for a turn of x = h |W|: tan(x/2)/(x/2).
static double gyroscopic_stretch(double x) {
    if (x < BODY_SPIN_SERIES) {
        return 1.0 + x * x / 12.0;
    }
    double sine, cosine;
    x = x < SPIN_TURN_MAX ? x : SPIN_TURN_MAX;
    base_sincos(0.5 * x, &sine, &cosine);
    return sine / (cosine * 0.5 * x);
}

// W1 from W0, body axes: W1 = W0 - h' I^-1 (Wbar x Pbar) by a fixed point on W1. Written as a
// change of W0, so that the round-off of I^-1 I does not wear the rate down.
static void spin_freely(const body_rigid *body, const double W0[3], double h, double W1[3]) {
    memcpy(W1, W0, 3 * sizeof *W1);
    for (int round = 0; round < BODY_SPIN_ROUNDS; round++) {
        double mean[3], P[3], gyro[3], next[3], change = 0.0, size = 0.0;
        for (int i = 0; i < 3; i++) {
            mean[i] = 0.5 * (W0[i] + W1[i]);
        }
        math_mat3_apply(body->inertia, mean, P);
        math_cross3(mean, P, gyro);
        math_mat3_apply(body->inverse_inertia, gyro, gyro);
        math_add_scaled3(W0, -h * gyroscopic_stretch(h * math_norm3(mean)), gyro, next);
        for (int i = 0; i < 3; i++) {
            change += fabs(next[i] - W1[i]);
            size += fabs(next[i]);
            W1[i] = next[i];
        }
        if (!(change > BODY_SPIN_TOLERANCE * size)) {
            return;
        }
    }
}

// Takes the held directions out of a velocity.
static void hold_velocity(const body_rigid *body, const double *pose, double *velocity) {
    double axes[9];
    double part[6] = {velocity[0], velocity[1], 0.0, 0.0, 0.0, velocity[2]};
    lock_axes(body, pose, axes);
    if (body->dim == 3) {
        memcpy(part, velocity, sizeof part);
    }
    for (int k = 0; k < 6; k++) {
        if (body->lock >> k & 1u) {
            double *half = part + 3 * (k / 3);
            double axis[3] = {axes[k % 3], axes[3 + k % 3], axes[6 + k % 3]};
            math_add_scaled3(half, -math_dot3(axis, half), axis, half);
        }
    }
    if (body->dim == 3) {
        memcpy(velocity, part, sizeof part);
    } else {
        velocity[0] = part[0];
        velocity[1] = part[1];
        velocity[2] = part[5];
    }
}

// y turned by a unit quaternion (c, v): y + 2 v x (c y + v x y).
static void turn_vector(const double turn[4], double y[3]) {
    double across[3], sum[3], change[3];
    math_cross3(turn + 1, y, across);
    for (int i = 0; i < 3; i++) {
        sum[i] = turn[0] * y[i] + across[i];
    }
    math_cross3(turn + 1, sum, change);
    math_add_scaled3(y, 2.0, change, y);
}

// How many parts a drift of an asymmetric body is made in: |W| stays below |I W| / I_min.
static int spin_parts(const body_rigid *body, const double W0[3], double h) {
    double P[3], max = 0.0;
    math_mat3_apply(body->inertia, W0, P);
    for (int i = 0; i < 3; i++) {
        double row = 0.0; // a bound of the largest eigenvalue of I^-1
        for (int j = 0; j < 3; j++) {
            row += fabs(body->inverse_inertia[3 * i + j]);
        }
        max = fmax(max, row);
    }
    double parts = ceil(fabs(h) * max * math_norm3(P) / SPIN_PART);
    return parts <= 1.0 ? 1 : (int)fmin(parts, SPIN_PARTS);
}

static void drift_part(const body_rigid *body, const double *pose, const double *velocity, double h,
                       double *out_pose, double *out_velocity);

void rigid_drift(const body_rigid *body, const double *pose, const double *velocity, double h,
                 double *out_pose, double *out_velocity) {
    // A body whose rate is held in some direction does not follow Euler's equation: its rate stays.
    if (body->dim == 2 || body->lock != 0 || body_inertia_is_isotropic(body->inertia)) {
        memmove(out_velocity, velocity, sizeof *velocity * (body->dim == 3 ? 6 : 3));
        rigid_move(body->dim, pose, velocity, h, out_pose);
        return;
    }
    double R[9], W0[3];
    math_quat_matrix(pose + 3, R);
    math_mat3_apply_transposed(R, velocity + 3, W0);
    int parts = spin_parts(body, W0, h);
    if (parts == 1) {
        drift_part(body, pose, velocity, h, out_pose, out_velocity);
        return;
    }
    double turned[7], spin[6] = {0.0, 0.0, 0.0, velocity[3], velocity[4], velocity[5]};
    memcpy(turned, pose, sizeof turned);
    for (int k = 0; k < parts; k++) {
        drift_part(body, turned, spin, h / parts, turned, spin);
    }
    for (int i = 0; i < 3; i++) {
        out_velocity[i] = velocity[i];
        out_velocity[3 + i] = spin[3 + i];
        out_pose[i] = pose[i] + h * velocity[i];
    }
    memcpy(out_pose + 3, turned + 3, 4 * sizeof *turned);
}

// The drift of an asymmetric body that turns little.
static void drift_part(const body_rigid *body, const double *pose, const double *velocity, double h,
                       double *out_pose, double *out_velocity) {
    double R[9], W0[3], W1[3], mean[6], change[3], turn[4] = {1.0, 0.0, 0.0, 0.0};
    math_quat_matrix(pose + 3, R);
    math_mat3_apply_transposed(R, velocity + 3, W0);
    spin_freely(body, W0, h, W1);
    for (int i = 0; i < 3; i++) {
        mean[i] = velocity[i];
        mean[3 + i] = 0.5 * (W0[i] + W1[i]);
        change[i] = W1[i] - W0[i];
    }
    math_mat3_apply(R, mean + 3, mean + 3);
    math_mat3_apply(R, change, change);

    // The rate in world axes turns with the body, exp(h mean) (omega + R (W1 - W0)): through small
    // changes again, since a way into body axes and back would add up round-off of one sign.
    const double angle[3] = {h * mean[3], h * mean[4], h * mean[5]};
    math_quat_rotate(turn, angle);
    rigid_move(3, pose, mean, h, out_pose);
    memmove(out_velocity, velocity, 6 * sizeof *velocity);
    math_add_scaled3(out_velocity + 3, 1.0, change, out_velocity + 3);
    turn_vector(turn, out_velocity + 3);
}

void rigid_kick(const body_rigid *body, const double *pose, const double *inverse,
                const double *force, const double *torque, double h, const double *velocity,
                double *out) {
    if (body->dim == 3 && body->lock == 0 && body_inertia_is_isotropic(body->inertia)) {
        for (int i = 0; i < 3; i++) {
            out[i] = velocity[i] + h * (inverse[0] * force[i]);
            out[3 + i] = velocity[3 + i] + h * (inverse[21] * torque[i]);
        }
        return;
    }
    int32_t size = body->dim == 3 ? 6 : 3;
    double load[6] = {force[0], force[1], torque[2], 0.0, 0.0, 0.0};
    if (body->dim == 3) {
        memcpy(load, force, 3 * sizeof *load);
        memcpy(load + 3, torque, 3 * sizeof *load);
    }
    for (int i = 0; i < size; i++) {
        double sum = 0.0;
        for (int j = 0; j < size; j++) {
            sum += inverse[size * i + j] * load[j];
        }
        out[i] = velocity[i] + h * sum;
    }
    if (body->lock != 0) {
        hold_velocity(body, pose, out);
    }
}

double rigid_kinetic(const body_rigid *body, const double *pose, const double *velocity) {
    if (body->dim == 2) {
        return 0.5 * (body->mass * (velocity[0] * velocity[0] + velocity[1] * velocity[1]) +
                      body->inertia[8] * velocity[2] * velocity[2]);
    }
    if (body_inertia_is_isotropic(body->inertia)) {
        return 0.5 * (body->mass * math_dot3(velocity, velocity) +
                      body->inertia[0] * math_dot3(velocity + 3, velocity + 3));
    }
    double R[9], W[3], P[3];
    math_quat_matrix(pose + 3, R);
    math_mat3_apply_transposed(R, velocity + 3, W);
    math_mat3_apply(body->inertia, W, P);
    return 0.5 * (body->mass * math_dot3(velocity, velocity) + math_dot3(W, P));
}
