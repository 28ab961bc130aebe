// problem/grade/grade_points_kernel.h
// What the checker does with points in space, up to four of the same two bodies at a time, from one
// source for every processor; the bits are those of one contact after the other. Written for the
// checker alone: problem/operator/point_map_kernel.h is what solvers use. Included by the file of
// each kind of processor.
#ifndef CAIRN_PROBLEM_GRADE_GRADE_POINTS_KERNEL_H
#define CAIRN_PROBLEM_GRADE_GRADE_POINTS_KERNEL_H

#include "math/wide.h"
#include "problem/grade/grade_points.h"

// Contacts between the same two bodies, a lane each; further lanes repeat the last one.
typedef struct prob_plain_four {
    int count;
    int64_t body[2];
    int64_t contact[MATH_WIDE];
    math_wide F[3][3], arm[2][3];
} prob_plain_four;

MATH_INLINE math_wide prob_plain_lanes(const prob_plain_four *four, const double *x, int size,
                                       int k) {
    return (math_wide){x[size * four->contact[0] + k], x[size * four->contact[1] + k],
                       x[size * four->contact[2] + k], x[size * four->contact[3] + k]};
}

MATH_INLINE void prob_plain_product(const math_wide a[3], const math_wide b[3], math_wide out[3]) {
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = a[l] * b[m] - a[m] * b[l];
    }
}

MATH_INLINE void prob_plain_take(const cn_point_map *points, int64_t a, int64_t end,
                                 prob_plain_four *four) {
    const int32_t *body = points->body;
    four->body[0] = body[2 * a];
    four->body[1] = body[2 * a + 1];
    four->count = 0;
    for (int64_t c = a; c < end && four->count < MATH_WIDE && body[2 * c] == four->body[0] &&
                        body[2 * c + 1] == four->body[1];
         c++) {
        four->contact[four->count++] = c;
    }
    for (int lane = four->count; lane < MATH_WIDE; lane++) {
        four->contact[lane] = four->contact[four->count - 1];
    }
    for (int k = 0; k < 3; k++) {
        four->F[0][k] = prob_plain_lanes(four, points->frame, 6, k);
        four->F[1][k] = prob_plain_lanes(four, points->frame, 6, 3 + k);
        four->arm[0][k] = prob_plain_lanes(four, points->arm, 6, k);
        four->arm[1][k] = prob_plain_lanes(four, points->arm, 6, 3 + k);
    }
    prob_plain_product(four->F[0], four->F[1], four->F[2]);
}

MATH_INLINE math_wide prob_plain_trace_four(const double *inverse, const math_wide arm[3]) {
    double linear = inverse[0] + inverse[7] + inverse[14],
           angular = inverse[21] + inverse[28] + inverse[35];
    math_wide square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2],
              along = math_wide_all(0.0);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            along += arm[i] * math_wide_all(inverse[6 * (3 + i) + 3 + j]) * arm[j];
        }
    }
    return math_wide_all(linear) + square * math_wide_all(angular) - along;
}

// to += sign (P, moment) of the lanes, one after the other. Entries 2 and 3 are in both halves.
MATH_INLINE void prob_plain_sum(const math_wide P[3], const math_wide moment[3], int count,
                                double sign, double to[6]) {
    math_wide first[MATH_WIDE] = {P[0], P[1], P[2], moment[0]},
              last[MATH_WIDE] = {P[2], moment[0], moment[1], moment[2]}, sum[2];
    math_wide_transpose(first);
    math_wide_transpose(last);
    sum[0] = math_wide_load(to);
    sum[1] = math_wide_load(to + 2);
    for (int lane = 0; lane < count; lane++) {
        sum[0] += math_wide_all(sign) * first[lane];
        sum[1] += math_wide_all(sign) * last[lane];
    }
    math_wide_store(to, sum[0]);
    math_wide_store(to + 2, sum[1]);
}

// v += H r
static void prob_plain_impulses_3d(const cn_friction *p, const double *r, double *v) {
    prob_plain_four four;
    for (int64_t a = 0; a < p->contacts; a += four.count) {
        prob_plain_take(&p->W.points, a, p->contacts, &four);
        math_wide own[3], P[3], moment[3];
        for (int k = 0; k < 3; k++) {
            own[k] = prob_plain_lanes(&four, r, 3, k);
        }
        for (int k = 0; k < 3; k++) {
            P[k] = four.F[0][k] * own[0] + four.F[1][k] * own[1] + four.F[2][k] * own[2];
        }
        for (int side = 0; side < 2; side++) {
            prob_plain_product(four.arm[side], P, moment);
            prob_plain_sum(P, moment, four.count, side == 0 ? -1.0 : 1.0, v + 6 * four.body[side]);
        }
    }
}

// u = H' v + q and the traces of contacts from the first to before the end.
static void prob_plain_velocities_3d(const cn_friction *p, const double *v, int64_t first,
                                     int64_t end, double *u, double *trace) {
    prob_plain_four four;
    for (int64_t a = first; a < end; a += four.count) {
        prob_plain_take(&p->W.points, a, end, &four);
        math_wide apart[3] = {math_wide_all(0.0), math_wide_all(0.0), math_wide_all(0.0)};
        math_wide traces = math_wide_all(0.0);
        double numbers[4][MATH_WIDE];
        for (int side = 0; side < 2; side++) {
            const double *own = v + 6 * four.body[side];
            const math_wide sign = math_wide_all(side == 0 ? -1.0 : 1.0),
                            spin[3] = {math_wide_all(own[3]), math_wide_all(own[4]),
                                       math_wide_all(own[5])};
            math_wide turn[3];
            prob_plain_product(spin, four.arm[side], turn);
            for (int k = 0; k < 3; k++) {
                apart[k] += sign * (turn[k] + math_wide_all(own[k]));
            }
            traces +=
                prob_plain_trace_four(p->W.points.inverse + 36 * four.body[side], four.arm[side]);
        }
        for (int i = 0; i < 3; i++) {
            const math_wide *axis = four.F[i];
            math_wide_store(numbers[i], prob_plain_lanes(&four, p->q, 3, i) + axis[0] * apart[0] +
                                            axis[1] * apart[1] + axis[2] * apart[2]);
        }
        math_wide_store(numbers[3], traces);
        for (int lane = 0; lane < four.count; lane++) {
            for (int i = 0; i < 3; i++) {
                u[3 * (a + lane) + i] = numbers[i][lane];
            }
            trace[a + lane] = numbers[3][lane];
        }
    }
}

#define PROB_PLAIN_KERNEL                                                                          \
    { .impulses = prob_plain_impulses_3d, .velocities = prob_plain_velocities_3d }

#endif
