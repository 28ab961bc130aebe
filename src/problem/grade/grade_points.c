// problem/grade/grade_points.c
// Points between rigid bodies, straight from the definition: impulses P = F r and their moments are
// summed body by body, M^-1 makes velocities of them, and u = F' (v_B + omega_B x b - v_A - omega_A
// x a) + q. Of a body with the linear part L and the angular part J of M^-1,
//     trace F' (L + [arm] J [arm]') F = trace L + |arm|^2 trace J - arm . J arm,
// since F is a rotation; in 2D J is 1/I about z.
//
// Plain on purpose: no solver uses this code, and it uses none of theirs (problem/grade/grade.c).
#include "problem/grade/grade_points_kernel.h"

const prob_plain_kernel prob_plain_kernel_any = PROB_PLAIN_KERNEL;

static const prob_plain_kernel *plain_kernel_of(void) {
    const prob_plain_kernel *wide = prob_plain_kernel_avx2();
    return wide ? wide : &prob_plain_kernel_any;
}

// v += H r in the plane, where v has x, y and the turn about z.
static void plain_impulses_2d(const cn_friction *p, const double *r, double *v) {
    const cn_point_map *points = &p->W.points;
    for (int64_t a = 0; a < p->contacts; a++) {
        const double *n = points->frame + 6 * a, *t = n + 3;
        double P[2] = {n[0] * r[2 * a] + t[0] * r[2 * a + 1],
                       n[1] * r[2 * a] + t[1] * r[2 * a + 1]};
        for (int side = 0; side < 2; side++) {
            const double *arm = points->arm + 6 * a + 3 * side;
            double sign = side == 0 ? -1.0 : 1.0,
                   *own = v + 3 * (int64_t)points->body[2 * a + side];
            own[0] += sign * P[0];
            own[1] += sign * P[1];
            own[2] += sign * (arm[0] * P[1] - arm[1] * P[0]);
        }
    }
}

// v := M^-1 v
static void plain_masses(const cn_friction *p, double *v) {
    int size = p->dim == 3 ? 6 : 3;
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

// u = H' v + q and the traces in the plane, of contacts from the first to before the end.
static void plain_velocities_2d(const cn_friction *p, const double *v, int64_t first, int64_t end,
                                double *u, double *trace) {
    const cn_point_map *points = &p->W.points;
    for (int64_t a = first; a < end; a++) {
        const double *frame = points->frame + 6 * a;
        double apart[2] = {0.0, 0.0};
        trace[a] = 0.0;
        for (int side = 0; side < 2; side++) {
            int64_t body = points->body[2 * a + side];
            const double *own = v + 3 * body, *arm = points->arm + 6 * a + 3 * side,
                         *inverse = points->inverse + 9 * body;
            double sign = side == 0 ? -1.0 : 1.0, square = arm[0] * arm[0] + arm[1] * arm[1];
            apart[0] += sign * (own[0] - own[2] * arm[1]);
            apart[1] += sign * (own[1] + own[2] * arm[0]);
            trace[a] += inverse[0] + inverse[4] + square * inverse[8];
        }
        for (int i = 0; i < 2; i++) {
            u[2 * a + i] = p->q[2 * a + i] + frame[3 * i] * apart[0] + frame[3 * i + 1] * apart[1];
        }
    }
}

void prob_plain_points_push(const cn_friction *p, const double *r, double *v) {
    if (p->dim == 3) {
        plain_kernel_of()->impulses(p, r, v);
    } else {
        plain_impulses_2d(p, r, v);
    }
    plain_masses(p, v);
}

void prob_plain_points(const cn_friction *p, const double *v, int64_t first, int64_t end, double *u,
                       double *trace) {
    if (p->dim == 3) {
        plain_kernel_of()->velocities(p, v, first, end, u, trace);
    } else {
        plain_velocities_2d(p, v, first, end, u, trace);
    }
}
