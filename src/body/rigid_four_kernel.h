// body/rigid_four_kernel.h
// The drift of rigid.c, a body a lane, with the series of small angles. Included by the file of
// each kind of processor.
#ifndef CAIRN_BODY_RIGID_FOUR_KERNEL_H
#define CAIRN_BODY_RIGID_FOUR_KERNEL_H

#include "body/rigid_four.h"
#include "math/rotation.h"
#include "math/wide.h"

CN_INLINE cn_wide cn_four_number(const double *const from[CN_WIDE], int k) {
    return (cn_wide){from[0][k], from[1][k], from[2][k], from[3][k]};
}

CN_INLINE void cn_four_cross(const cn_wide a[3], const cn_wide b[3], cn_wide out[3]) {
    cn_wide x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
            z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

CN_INLINE cn_wide cn_four_dot(const cn_wide a[3], const cn_wide b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

CN_INLINE void cn_four_apply(const cn_wide A[9], const cn_wide x[3], cn_wide out[3]) {
    cn_wide y[3] = {cn_four_dot(A, x), cn_four_dot(A + 3, x), cn_four_dot(A + 6, x)};
    for (int i = 0; i < 3; i++) {
        out[i] = y[i];
    }
}

CN_INLINE cn_wide cn_four_size(cn_wide x) {
    return cn_wide_select(x < cn_wide_all(0.0), -x, x);
}

CN_INLINE void cn_four_matrix(const cn_wide q[4], cn_wide R[9]) {
    const cn_wide one = cn_wide_all(1.0), two = cn_wide_all(2.0);
    cn_wide w = q[0], x = q[1], y = q[2], z = q[3];
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
CN_INLINE bool cn_four_spin(const cn_rigid_four *four, const cn_wide W0[3], double h,
                            cn_wide W1[3]) {
    cn_wide I[9], inverse[9];
    for (int k = 0; k < 9; k++) {
        I[k] = cn_four_number(four->inertia, k);
        inverse[k] = cn_four_number(four->inverse_inertia, k);
    }
    memcpy(W1, W0, 3 * sizeof *W1);
    cn_wide_mask moving = ~(cn_wide_mask){0};
    for (int round = 0; round < CN_SPIN_ROUNDS; round++) {
        cn_wide mean[3], P[3], gyro[3], change = cn_wide_all(0.0), size = cn_wide_all(0.0);
        for (int i = 0; i < 3; i++) {
            mean[i] = cn_wide_all(0.5) * (W0[i] + W1[i]);
        }
        cn_four_apply(I, mean, P);
        cn_four_cross(mean, P, gyro);
        cn_four_apply(inverse, gyro, gyro);
        cn_wide x = cn_wide_all(h) * cn_wide_sqrt(cn_four_dot(mean, mean));
        if (cn_wide_any(~(x < cn_wide_all(CN_SPIN_SERIES)))) {
            return false;
        }
        cn_wide share = cn_wide_all(-h) * (cn_wide_all(1.0) + x * x / cn_wide_all(12.0));
        for (int i = 0; i < 3; i++) {
            cn_wide next = W0[i] + share * gyro[i];
            change += cn_four_size(next - W1[i]);
            size += cn_four_size(next);
            W1[i] = cn_wide_select(moving, next, W1[i]); // a lane that has settled stays
        }
        moving &= change > cn_wide_all(CN_SPIN_TOLERANCE) * size;
        if (!cn_wide_any(moving)) {
            return true;
        }
    }
    return false;
}

// exp of a small rotation vector, before it is made a unit quaternion.
CN_INLINE void cn_four_turn(const cn_wide w[3], cn_wide square, cn_wide turn[4]) {
    cn_wide share =
        cn_wide_all(0.5) - square * (cn_wide_all(1.0 / 48.0) - square / cn_wide_all(3840.0));
    turn[0] = cn_wide_all(1.0) -
              square * (cn_wide_all(1.0 / 8.0) -
                        square * (cn_wide_all(1.0 / 384.0) - square / cn_wide_all(46080.0)));
    for (int i = 0; i < 3; i++) {
        turn[1 + i] = share * w[i];
    }
}

// a b, of length one: the product of two that nearly are.
CN_INLINE void cn_four_product(const cn_wide a[4], const cn_wide b[4], cn_wide out[4]) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    cn_wide length =
        cn_wide_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int i = 0; i < 4; i++) {
        out[i] /= length;
    }
}

// y turned by a unit quaternion.
CN_INLINE void cn_four_turn_vector(const cn_wide turn[4], cn_wide y[3]) {
    cn_wide across[3], sum[3], change[3];
    cn_four_cross(turn + 1, y, across);
    for (int i = 0; i < 3; i++) {
        sum[i] = turn[0] * y[i] + across[i];
    }
    cn_four_cross(turn + 1, sum, change);
    for (int i = 0; i < 3; i++) {
        y[i] += cn_wide_all(2.0) * change[i];
    }
}

CN_INLINE void cn_four_store(double *const to[CN_WIDE], int k, cn_wide x) {
    for (int lane = 0; lane < CN_WIDE; lane++) {
        to[lane][k] = x[lane];
    }
}

// cn_rigid_move: out from q turned by angle, which is small, and x by h v.
CN_INLINE void cn_four_move(const cn_rigid_four *four, double h, const cn_wide v[3],
                            const cn_wide angle[3], const cn_wide turn[4]) {
    const cn_wide zero = cn_wide_all(0.0);
    cn_wide_mask still = (angle[0] == zero) & (angle[1] == zero) & (angle[2] == zero);
    cn_wide q[4], turned[4];
    for (int i = 0; i < 4; i++) {
        q[i] = cn_four_number(four->pose, 3 + i);
    }
    cn_four_product(turn, q, turned);
    for (int i = 0; i < 3; i++) {
        cn_wide x = cn_four_number(four->pose, i);
        cn_four_store(four->out_pose, i, x + cn_wide_all(h) * v[i]);
    }
    for (int i = 0; i < 4; i++) {
        cn_four_store(four->out_pose, 3 + i, cn_wide_select(still, q[i], turned[i]));
    }
}

// Round bodies turn at a rate that stays.
static bool cn_rigid_drift_four_round(const cn_rigid_four *four, double h) {
    cn_wide v[3], omega[3], angle[3], turn[4];
    for (int i = 0; i < 3; i++) {
        v[i] = cn_four_number(four->velocity, i);
        omega[i] = cn_four_number(four->velocity, 3 + i);
        angle[i] = cn_wide_all(h) * omega[i];
    }
    cn_wide square = cn_four_dot(angle, angle);
    if (cn_wide_any(~(square < cn_wide_all(CN_SMALL_ANGLE_SQUARED)))) {
        return false;
    }
    cn_four_turn(angle, square, turn);
    cn_four_move(four, h, v, angle, turn);
    for (int i = 0; i < 3; i++) {
        cn_four_store(four->out_velocity, i, v[i]);
        cn_four_store(four->out_velocity, 3 + i, omega[i]);
    }
    return true;
}

static bool cn_rigid_drift_four(const cn_rigid_four *four, double h) {
    const cn_wide zero = cn_wide_all(0.0), unit[4] = {cn_wide_all(1.0), zero, zero, zero};
    cn_wide q[4], v[3], omega[3], R[9], W0[3], W1[3], mean[3], change[3], angle[3];
    for (int i = 0; i < 3; i++) {
        v[i] = cn_four_number(four->velocity, i);
        omega[i] = cn_four_number(four->velocity, 3 + i);
    }
    for (int i = 0; i < 4; i++) {
        q[i] = cn_four_number(four->pose, 3 + i);
    }
    cn_four_matrix(q, R);
    for (int i = 0; i < 3; i++) {
        W0[i] = R[i] * omega[0] + R[3 + i] * omega[1] + R[6 + i] * omega[2];
    }
    if (!cn_four_spin(four, W0, h, W1)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        mean[i] = cn_wide_all(0.5) * (W0[i] + W1[i]);
        change[i] = W1[i] - W0[i];
    }
    cn_four_apply(R, mean, mean);
    cn_four_apply(R, change, change);
    for (int i = 0; i < 3; i++) {
        angle[i] = cn_wide_all(h) * mean[i];
    }
    cn_wide square = cn_four_dot(angle, angle), turn[4], own[4];
    if (cn_wide_any(~(square < cn_wide_all(CN_SMALL_ANGLE_SQUARED)))) {
        return false;
    }
    cn_four_turn(angle, square, turn);
    cn_four_product(turn, unit, own);
    for (int i = 0; i < 3; i++) {
        omega[i] += change[i];
    }
    cn_four_turn_vector(own, omega);
    cn_four_move(four, h, v, angle, turn);
    for (int i = 0; i < 3; i++) {
        cn_four_store(four->out_velocity, i, v[i]);
        cn_four_store(four->out_velocity, 3 + i, omega[i]);
    }
    return true;
}

#define CN_RIGID_FOUR_KERNEL                                                                       \
    {                                                                                              \
        .drift = {                                                                                 \
            [CN_RIGID_ANY] = cn_rigid_drift_four,                                                  \
            [CN_RIGID_ROUND] = cn_rigid_drift_four_round                                           \
        }                                                                                          \
    }

#endif
