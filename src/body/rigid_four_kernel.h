// body/rigid_four_kernel.h
// The drift of rigid.c, a body a lane, with the series of small angles. Included by the file of
// each kind of processor.
#ifndef CAIRN_BODY_RIGID_FOUR_KERNEL_H
#define CAIRN_BODY_RIGID_FOUR_KERNEL_H

#include "body/rigid_four.h"
#include "math/rotation.h"
#include "math/wide.h"

MATH_INLINE math_wide body_four_number(const double *const from[MATH_WIDE], int k) {
    return (math_wide){from[0][k], from[1][k], from[2][k], from[3][k]};
}

MATH_INLINE void body_four_cross(const math_wide a[3], const math_wide b[3], math_wide out[3]) {
    math_wide x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
              z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

MATH_INLINE math_wide body_four_dot(const math_wide a[3], const math_wide b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

MATH_INLINE void body_four_apply(const math_wide A[9], const math_wide x[3], math_wide out[3]) {
    math_wide y[3] = {body_four_dot(A, x), body_four_dot(A + 3, x), body_four_dot(A + 6, x)};
    for (int i = 0; i < 3; i++) {
        out[i] = y[i];
    }
}

MATH_INLINE math_wide body_four_size(math_wide x) {
    return math_wide_select(x < math_wide_all(0.0), -x, x);
}

MATH_INLINE void body_four_matrix(const math_wide q[4], math_wide R[9]) {
    const math_wide one = math_wide_all(1.0), two = math_wide_all(2.0);
    math_wide w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = one - two * (y * y + z * z);
    R[1] = two * (x * y - w * z);
    R[2] = two * (x * z + w * y);
    R[3] = two * (x * y + w * z);
    R[4] = one - two * (x * x + z * z);
    R[5] = two * (y * z - w * x);
    R[6] = two * (x * z - w * y);
    R[7] = two * (y * z + w * x);
    R[8] = one - two * (x * x + y * y);
}

// W1 of cn_spin_freely; false where a lane turns too fast for the series, or does not settle.
MATH_INLINE bool body_four_spin(const rigid_four *four, const math_wide W0[3], double h,
                                math_wide W1[3]) {
    math_wide I[9], inverse[9];
    for (int k = 0; k < 9; k++) {
        I[k] = body_four_number(four->inertia, k);
        inverse[k] = body_four_number(four->inverse_inertia, k);
    }
    memcpy(W1, W0, 3 * sizeof *W1);
    math_wide_mask moving = ~(math_wide_mask){0};
    for (int round = 0; round < BODY_SPIN_ROUNDS; round++) {
        math_wide mean[3], P[3], gyro[3], change = math_wide_all(0.0), size = math_wide_all(0.0);
        for (int i = 0; i < 3; i++) {
            mean[i] = math_wide_all(0.5) * (W0[i] + W1[i]);
        }
        body_four_apply(I, mean, P);
        body_four_cross(mean, P, gyro);
        body_four_apply(inverse, gyro, gyro);
        math_wide x = math_wide_all(h) * math_wide_sqrt(body_four_dot(mean, mean));
        if (math_wide_any(~(x < math_wide_all(BODY_SPIN_SERIES)))) {
            return false;
        }
        math_wide share = math_wide_all(-h) * (math_wide_all(1.0) + x * x / math_wide_all(12.0));
        for (int i = 0; i < 3; i++) {
            math_wide next = W0[i] + share * gyro[i];
            change += body_four_size(next - W1[i]);
            size += body_four_size(next);
            W1[i] = math_wide_select(moving, next, W1[i]); // a lane that has settled stays
        }
        moving &= change > math_wide_all(BODY_SPIN_TOLERANCE) * size;
        if (!math_wide_any(moving)) {
            return true;
        }
    }
    return false;
}

// exp of a small rotation vector, before it is made a unit quaternion.
MATH_INLINE void body_four_turn(const math_wide w[3], math_wide square, math_wide turn[4]) {
    math_wide share =
        math_wide_all(0.5) - square * (math_wide_all(1.0 / 48.0) - square / math_wide_all(3840.0));
    turn[0] = math_wide_all(1.0) -
              square * (math_wide_all(1.0 / 8.0) -
                        square * (math_wide_all(1.0 / 384.0) - square / math_wide_all(46080.0)));
    for (int i = 0; i < 3; i++) {
        turn[1 + i] = share * w[i];
    }
}

// a b, of length one: the product of two that nearly are.
MATH_INLINE void body_four_product(const math_wide a[4], const math_wide b[4], math_wide out[4]) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    math_wide length =
        math_wide_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int i = 0; i < 4; i++) {
        out[i] /= length;
    }
}

// y turned by a unit quaternion.
MATH_INLINE void body_four_turn_vector(const math_wide turn[4], math_wide y[3]) {
    math_wide across[3], sum[3], change[3];
    body_four_cross(turn + 1, y, across);
    for (int i = 0; i < 3; i++) {
        sum[i] = turn[0] * y[i] + across[i];
    }
    body_four_cross(turn + 1, sum, change);
    for (int i = 0; i < 3; i++) {
        y[i] += math_wide_all(2.0) * change[i];
    }
}

MATH_INLINE void body_four_store(double *const to[MATH_WIDE], int k, math_wide x) {
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        to[lane][k] = x[lane];
    }
}

// rigid_move: out from q turned by angle, which is small, and x by h v.
MATH_INLINE void body_four_move(const rigid_four *four, double h, const math_wide v[3],
                                const math_wide angle[3], const math_wide turn[4]) {
    const math_wide zero = math_wide_all(0.0);
    math_wide_mask still = (angle[0] == zero) & (angle[1] == zero) & (angle[2] == zero);
    math_wide q[4], turned[4];
    for (int i = 0; i < 4; i++) {
        q[i] = body_four_number(four->pose, 3 + i);
    }
    body_four_product(turn, q, turned);
    for (int i = 0; i < 3; i++) {
        math_wide x = body_four_number(four->pose, i);
        body_four_store(four->out_pose, i, x + math_wide_all(h) * v[i]);
    }
    for (int i = 0; i < 4; i++) {
        body_four_store(four->out_pose, 3 + i, math_wide_select(still, q[i], turned[i]));
    }
}

// Round bodies turn at a rate that stays.
static bool rigid_drift_four_round(const rigid_four *four, double h) {
    math_wide v[3], omega[3], angle[3], turn[4];
    for (int i = 0; i < 3; i++) {
        v[i] = body_four_number(four->velocity, i);
        omega[i] = body_four_number(four->velocity, 3 + i);
        angle[i] = math_wide_all(h) * omega[i];
    }
    math_wide square = body_four_dot(angle, angle);
    if (math_wide_any(~(square < math_wide_all(MATH_SMALL_ANGLE_SQUARED)))) {
        return false;
    }
    body_four_turn(angle, square, turn);
    body_four_move(four, h, v, angle, turn);
    for (int i = 0; i < 3; i++) {
        body_four_store(four->out_velocity, i, v[i]);
        body_four_store(four->out_velocity, 3 + i, omega[i]);
    }
    return true;
}

static bool rigid_drift_four(const rigid_four *four, double h) {
    const math_wide zero = math_wide_all(0.0), unit[4] = {math_wide_all(1.0), zero, zero, zero};
    math_wide q[4], v[3], omega[3], R[9], W0[3], W1[3], mean[3], change[3], angle[3];
    for (int i = 0; i < 3; i++) {
        v[i] = body_four_number(four->velocity, i);
        omega[i] = body_four_number(four->velocity, 3 + i);
    }
    for (int i = 0; i < 4; i++) {
        q[i] = body_four_number(four->pose, 3 + i);
    }
    body_four_matrix(q, R);
    for (int i = 0; i < 3; i++) {
        W0[i] = R[i] * omega[0] + R[3 + i] * omega[1] + R[6 + i] * omega[2];
    }
    if (!body_four_spin(four, W0, h, W1)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        mean[i] = math_wide_all(0.5) * (W0[i] + W1[i]);
        change[i] = W1[i] - W0[i];
    }
    body_four_apply(R, mean, mean);
    body_four_apply(R, change, change);
    for (int i = 0; i < 3; i++) {
        angle[i] = math_wide_all(h) * mean[i];
    }
    math_wide square = body_four_dot(angle, angle), turn[4], own[4];
    if (math_wide_any(~(square < math_wide_all(MATH_SMALL_ANGLE_SQUARED)))) {
        return false;
    }
    body_four_turn(angle, square, turn);
    body_four_product(turn, unit, own);
    for (int i = 0; i < 3; i++) {
        omega[i] += change[i];
    }
    body_four_turn_vector(own, omega);
    body_four_move(four, h, v, angle, turn);
    for (int i = 0; i < 3; i++) {
        body_four_store(four->out_velocity, i, v[i]);
        body_four_store(four->out_velocity, 3 + i, omega[i]);
    }
    return true;
}

#define RIGID_FOUR_KERNEL                                                                          \
    {                                                                                              \
        .drift = { [RIGID_ANY] = rigid_drift_four, [RIGID_ROUND] = rigid_drift_four_round }        \
    }

#endif
