// problem/operator/point_map_kernel.h
// The operator of points in space, up to four contacts of the same two bodies at a time, from one
// source for every processor: what belongs to the bodies is fetched once. A contact's numbers, and
// the order in which a body's are added up, do not depend on which of them go together, so the bits
// are those of one contact after the other. Included by the file of each kind of processor.
#ifndef CAIRN_PROBLEM_OPERATOR_POINT_MAP_KERNEL_H
#define CAIRN_PROBLEM_OPERATOR_POINT_MAP_KERNEL_H

#include "math/wide.h"
#include "problem/operator/point_map.h"

// Contacts from a on, before the end and at most MATH_WIDE, that are between the same two bodies.
MATH_INLINE int prob_points_together(const cn_point_map *points, int64_t a, int64_t end) {
    const int32_t *body = points->body + 2 * a;
    int count = 1;
    while (count < MATH_WIDE && a + count < end && body[2 * count] == body[0] &&
           body[2 * count + 1] == body[1]) {
        count++;
    }
    return count;
}

// The six numbers that each contact has, a contact a lane; lanes to spare have the last one's.
MATH_INLINE void prob_points_gather(const double *from, int64_t a, int count, math_wide out[6]) {
    math_wide low[MATH_WIDE], high[MATH_WIDE];
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        const double *own = from + 6 * (a + (lane < count ? lane : count - 1));
        low[lane] = math_wide_load(own);
        high[lane] = math_wide_load(own + 2);
    }
    math_wide_transpose(low);
    math_wide_transpose(high);
    for (int k = 0; k < 4; k++) {
        out[k] = low[k];
    }
    out[4] = high[2];
    out[5] = high[3];
}

MATH_INLINE void prob_wide_cross(const math_wide a[3], const math_wide b[3], math_wide out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

MATH_INLINE math_wide prob_wide_dot(const math_wide a[3], const math_wide b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// n, t1 and t2 = n x t1
MATH_INLINE void prob_points_axes(const cn_point_map *points, int64_t a, int count,
                                  math_wide axes[3][3]) {
    prob_points_gather(points->frame, a, count, axes[0]);
    prob_wide_cross(axes[0], axes[1], axes[2]);
}

// K += L + [arm] J [arm]' of a body, lower triangle: xx yx zx yy zy zz. J (arm x e_j) is written
// out, and (arm x e_i) . of it.
MATH_INLINE void prob_points_mobility(const double *inverse, const math_wide arm[3],
                                      math_wide K[6]) {
    const double *J = inverse + 21;
    math_wide x = arm[0], y = arm[1], z = arm[2], turned[3][3];
    for (int i = 0; i < 3; i++) {
        math_wide first = math_wide_all(J[6 * i]), second = math_wide_all(J[6 * i + 1]),
                  third = math_wide_all(J[6 * i + 2]);
        turned[0][i] = z * second - y * third;
        turned[1][i] = x * third - z * first;
        turned[2][i] = y * first - x * second;
    }
    K[0] += math_wide_all(inverse[0]) + (z * turned[0][1] - y * turned[0][2]);
    K[1] += math_wide_all(inverse[6]) + (x * turned[0][2] - z * turned[0][0]);
    K[2] += math_wide_all(inverse[12]) + (y * turned[0][0] - x * turned[0][1]);
    K[3] += math_wide_all(inverse[7]) + (x * turned[1][2] - z * turned[1][0]);
    K[4] += math_wide_all(inverse[13]) + (y * turned[1][0] - x * turned[1][1]);
    K[5] += math_wide_all(inverse[14]) + (y * turned[2][0] - x * turned[2][1]);
}

static void prob_points_diagonal(const cn_point_map *points, int32_t contacts, double *diagonal) {
    int count;
    for (int64_t a = 0; a < contacts; a += count) {
        count = prob_points_together(points, a, contacts);
        const int32_t *body = points->body + 2 * a;
        math_wide axes[3][3], arm[6], K[6], W[3][3];
        prob_points_axes(points, a, count, axes);
        prob_points_gather(points->arm, a, count, arm);
        for (int k = 0; k < 6; k++) {
            K[k] = math_wide_all(0.0);
        }
        prob_points_mobility(points->inverse + 36 * (int64_t)body[0], arm, K);
        prob_points_mobility(points->inverse + 36 * (int64_t)body[1], arm + 3, K);
        for (int j = 0; j < 3; j++) {
            const math_wide *d = axes[j];
            math_wide moved[3] = {K[0] * d[0] + K[1] * d[1] + K[2] * d[2],
                                  K[1] * d[0] + K[3] * d[1] + K[4] * d[2],
                                  K[2] * d[0] + K[4] * d[1] + K[5] * d[2]};
            for (int i = 0; i <= j; i++) {
                W[i][j] = prob_wide_dot(axes[i], moved);
            }
        }
        math_wide low[4] = {W[0][0], W[0][1], W[0][2], W[0][1]},
                  high[4] = {W[1][1], W[1][2], W[0][2], W[1][2]};
        double last[MATH_WIDE];
        math_wide_transpose(low);
        math_wide_transpose(high);
        math_wide_store(last, W[2][2]);
        for (int lane = 0; lane < count; lane++) {
            double *block = diagonal + 9 * (a + lane);
            math_wide_store(block, low[lane]);
            math_wide_store(block + 4, high[lane]);
            block[8] = last[lane];
        }
    }
}

// x += or -= the rows (P, moment) of the first `count` lanes, one after the other.
MATH_INLINE void prob_points_add(const math_wide P[3], const math_wide moment[3], int count,
                                 bool add, double x[6]) {
    math_wide low[MATH_WIDE] = {P[0], P[1], P[2], moment[0]},
              high[MATH_WIDE] = {P[2], moment[0], moment[1], moment[2]};
    math_wide sum_low = math_wide_load(x), sum_high = math_wide_load(x + 2); // two of them in both
    math_wide_transpose(low);
    math_wide_transpose(high);
    for (int lane = 0; lane < count; lane++) {
        sum_low = add ? sum_low + low[lane] : sum_low - low[lane];
        sum_high = add ? sum_high + high[lane] : sum_high - high[lane];
    }
    math_wide_store(x, sum_low);
    math_wide_store(x + 2, sum_high);
}

static void prob_points_push(const cn_point_map *points, int32_t contacts, const double *r,
                             double *v) {
    int count;
    for (int64_t a = 0; a < contacts; a += count) {
        count = prob_points_together(points, a, contacts);
        const int32_t *body = points->body + 2 * a;
        math_wide axes[3][3], arm[6], own[3], P[3], moment[3];
        prob_points_axes(points, a, count, axes);
        prob_points_gather(points->arm, a, count, arm);
        const double *from = r + 3 * a;
        int second = count > 1 ? 3 : 0, third = count > 2 ? 6 : second,
            fourth = count > 3 ? 9 : third;
        for (int k = 0; k < 3; k++) {
            own[k] = (math_wide){from[k], from[second + k], from[third + k], from[fourth + k]};
        }
        for (int k = 0; k < 3; k++) {
            P[k] = own[0] * axes[0][k] + own[1] * axes[1][k] + own[2] * axes[2][k];
        }
        prob_wide_cross(arm, P, moment);
        prob_points_add(P, moment, count, false, v + 6 * (int64_t)body[0]);
        prob_wide_cross(arm + 3, P, moment);
        prob_points_add(P, moment, count, true, v + 6 * (int64_t)body[1]);
    }
}

// v + omega x arm of one body.
MATH_INLINE void prob_points_moving(const double *v, const math_wide arm[3], math_wide out[3]) {
    const math_wide spin[3] = {math_wide_all(v[3]), math_wide_all(v[4]), math_wide_all(v[5])};
    prob_wide_cross(spin, arm, out);
    for (int k = 0; k < 3; k++) {
        out[k] += math_wide_all(v[k]);
    }
}

static void prob_points_velocity(const cn_point_map *points, int64_t first, int64_t end,
                                 const double *q, const double *v, double *u) {
    int count;
    for (int64_t a = first; a < end; a += count) {
        count = prob_points_together(points, a, end);
        const int32_t *body = points->body + 2 * a;
        math_wide axes[3][3], arm[6], moving[3], apart[3];
        double along[3][MATH_WIDE];
        prob_points_axes(points, a, count, axes);
        prob_points_gather(points->arm, a, count, arm);
        prob_points_moving(v + 6 * (int64_t)body[0], arm, moving);
        prob_points_moving(v + 6 * (int64_t)body[1], arm + 3, apart);
        for (int k = 0; k < 3; k++) {
            apart[k] -= moving[k];
        }
        for (int i = 0; i < 3; i++) {
            math_wide_store(along[i], prob_wide_dot(axes[i], apart));
        }
        for (int lane = 0; lane < count; lane++) {
            for (int i = 0; i < 3; i++) {
                u[3 * (a + lane) + i] = q[3 * (a + lane) + i] + along[i][lane];
            }
        }
    }
}

#define PROB_POINT_KERNEL                                                                          \
    { .diagonal = prob_points_diagonal, .push = prob_points_push, .velocity = prob_points_velocity }

#endif
