// problem/grade_points.c
// Points between rigid bodies, straight from the definition: impulses P = F r and their moments are
// summed body by body, M^-1 makes velocities of them, and u = F' (v_B + omega_B x b - v_A - omega_A
// x a) + q. Of a body with the linear part L and the angular part J of M^-1,
//     trace F' (L + [arm] J [arm]') F = trace L + |arm|^2 trace J - arm . J arm,
// since F is a rotation; in 2D J is 1/I about z.
//
// Plain on purpose: no solver uses this code, and it uses none of theirs (problem/grade.c).
#include "problem/grade_points.h"

#define CN_PLAIN_INLINE static inline __attribute__((always_inline))

CN_PLAIN_INLINE void cn_plain_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// n, t1, t2
CN_PLAIN_INLINE void cn_plain_frame(const double *frame, double F[3][3]) {
    for (int k = 0; k < 3; k++) {
        F[0][k] = frame[k];
        F[1][k] = frame[3 + k];
    }
    cn_plain_cross(F[0], F[1], F[2]);
}

CN_PLAIN_INLINE double cn_plain_trace(int dim, const double *inverse, const double arm[3]) {
    double square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    if (dim == 2) {
        return inverse[0] + inverse[4] + square * inverse[8];
    }
    double linear = inverse[0] + inverse[7] + inverse[14],
           angular = inverse[21] + inverse[28] + inverse[35], along = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            along += arm[i] * inverse[6 * (3 + i) + 3 + j] * arm[j];
        }
    }
    return linear + square * angular - along;
}

// v += H r
CN_PLAIN_INLINE void cn_plain_impulses(const cn_friction *p, int dim, const double *r, double *v) {
    const cn_point_map *points = &p->W.points;
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = 0; a < p->contacts; a++) {
        double F[3][3], P[3], moment[3], third = dim == 3 ? r[dim * a + 2] : 0.0;
        cn_plain_frame(points->frame + 6 * a, F);
        for (int k = 0; k < 3; k++) {
            P[k] = F[0][k] * r[dim * a] + F[1][k] * r[dim * a + 1] + F[2][k] * third;
        }
        for (int side = 0; side < 2; side++) {
            int64_t body = points->body[2 * a + side];
            const double *arm = points->arm + 6 * a + 3 * side;
            double sign = side == 0 ? -1.0 : 1.0, *own = v + size * body;
            cn_plain_cross(arm, P, moment);
            own[0] += sign * P[0];
            own[1] += sign * P[1];
            own[2] += sign * (dim == 3 ? P[2] : moment[2]);
            for (int k = 3; k < size; k++) {
                own[k] += sign * moment[k - 3];
            }
        }
    }
}

// v := M^-1 v
CN_PLAIN_INLINE void cn_plain_masses(const cn_friction *p, int dim, double *v) {
    int size = dim == 3 ? 6 : 3;
    for (int64_t body = 0; body < p->W.points.bodies; body++) {
        const double *inverse = p->W.points.inverse + size * size * body;
        double out[6] = {0.0}, *own = v + size * body;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                out[i] += inverse[size * i + j] * own[j];
            }
        }
        for (int i = 0; i < size; i++) {
            own[i] = out[i];
        }
    }
}

// u = H' v + q and the traces of contacts from the first to before the end.
CN_PLAIN_INLINE void cn_plain_velocities(const cn_friction *p, int dim, const double *v,
                                         int64_t first, int64_t end, double *u, double *trace) {
    const cn_point_map *points = &p->W.points;
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = first; a < end; a++) {
        double F[3][3], apart[3] = {0.0, 0.0, 0.0};
        cn_plain_frame(points->frame + 6 * a, F);
        trace[a] = 0.0;
        for (int side = 0; side < 2; side++) {
            int64_t body = points->body[2 * a + side];
            const double *own = v + size * body, *arm = points->arm + 6 * a + 3 * side;
            double sign = side == 0 ? -1.0 : 1.0, spin[3] = {0.0, 0.0, own[size - 1]}, turn[3];
            if (dim == 3) {
                spin[0] = own[3];
                spin[1] = own[4];
            }
            cn_plain_cross(spin, arm, turn);
            for (int k = 0; k < 3; k++) {
                apart[k] += sign * (turn[k] + (k < dim ? own[k] : 0.0));
            }
            trace[a] += cn_plain_trace(dim, points->inverse + size * size * body, arm);
        }
        for (int i = 0; i < dim; i++) {
            u[dim * a + i] =
                p->q[dim * a + i] + F[i][0] * apart[0] + F[i][1] * apart[1] + F[i][2] * apart[2];
        }
    }
}

void cn_plain_points_push(const cn_friction *p, const double *r, double *v) {
    if (p->dim == 3) {
        cn_plain_impulses(p, 3, r, v);
        cn_plain_masses(p, 3, v);
    } else {
        cn_plain_impulses(p, 2, r, v);
        cn_plain_masses(p, 2, v);
    }
}

void cn_plain_points(const cn_friction *p, const double *v, int64_t first, int64_t end, double *u,
                     double *trace) {
    if (p->dim == 3) {
        cn_plain_velocities(p, 3, v, first, end, u, trace);
    } else {
        cn_plain_velocities(p, 2, v, first, end, u, trace);
    }
}
