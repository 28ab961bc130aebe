// solve/local/local_frame.c
// The eigenframe of a contact's tangent plane: see solve/local/local_frame.h.
#include "solve/local/local_frame.h"

#include <math.h>

static void frame_rotate(const local_frame *f, double sine, const double x[2], double y[2]) {
    y[0] = f->cosine * x[0] - sine * x[1];
    y[1] = sine * x[0] + f->cosine * x[1];
}

// One Jacobi rotation of the symmetric part; the skew part w is the same in every frame.
static void frame_diagonalise(local_frame *f, const double S[4]) {
    double first = S[0] / f->scale, last = S[3] / f->scale;
    double off = 0.5 * (S[1] / f->scale + S[2] / f->scale);
    double tangent = 0.0;
    if (off != 0.0) {
        double ratio = (last - first) / (2.0 * off);
        tangent = copysign(1.0, ratio) / (fabs(ratio) + hypot(1.0, ratio));
    }
    f->cosine = 1.0 / hypot(1.0, tangent);
    f->sine = tangent * f->cosine;
    f->s[0] = first - tangent * off;
    f->s[1] = last + tangent * off;
    f->w = 0.5 * (S[2] / f->scale - S[1] / f->scale);
    f->hold = 0.0;
    for (int i = 0; i < 2; i++) {
        if (fabs(f->s[i]) < LOCAL_STIFFNESS_FLOOR) {
            f->s[i] = 0.0;
            f->hold = LOCAL_STIFFNESS_FLOOR;
        }
    }
}

bool local_frame_set(const local_block *block, const double q[3], local_frame *f) {
    double size = fmax(-q[0], fmax(fabs(q[1]), fabs(q[2])));
    if (!(size <= DBL_MAX && fabs(q[1]) <= DBL_MAX && fabs(q[2]) <= DBL_MAX && q[0] < 0.0)) {
        return false;
    }
    double normal = q[0] / size;
    double b[2] = {q[1] / size - block->tn[0] * normal, q[2] / size - block->tn[1] * normal};
    f->scale = block->scale;
    f->unit = size / block->scale;
    f->mu = block->mu;
    f->c = -normal * block->inv_nn * block->scale;
    frame_diagonalise(f, block->S);
    frame_rotate(f, f->sine, b, f->b);
    frame_rotate(f, f->sine, block->nt, f->a);
    return true;
}

local_frame_value local_frame_at(const local_frame *f, double l) {
    double d0 = f->s[0] + l, d1 = f->s[1] + l;
    local_frame_value v;
    v.h[0] = d1 * f->b[0] - f->w * f->b[1];
    v.h[1] = d0 * f->b[1] + f->w * f->b[0];
    v.det = d0 * d1 + f->w * f->w;
    v.N = hypot(v.h[0], v.h[1]);
    v.Q = f->mu * (f->c * v.det + (f->a[0] * v.h[0] + f->a[1] * v.h[1]));
    double Q_slope = f->mu * (f->c * (d0 + d1) + (f->a[0] * f->b[0] + f->a[1] * f->b[1]));
    v.slope = Q_slope * v.N * v.N - v.Q * (v.h[0] * f->b[0] + v.h[1] * f->b[1]);
    return v;
}

double local_frame_first_slip(const local_frame *f) {
    double length = hypot(f->b[0], f->b[1]);
    double t[2] = {f->b[0] / length, f->b[1] / length};
    double stiffness = f->s[0] * t[0] * t[0] + f->s[1] * t[1] * t[1];
    double coupling = f->mu * (f->a[0] * f->b[0] + f->a[1] * f->b[1]);
    return (length - coupling) / (f->mu * f->c) - stiffness;
}

double local_frame_singular_slip(const local_frame *f) {
    double half = 0.5 * (f->s[0] - f->s[1]);
    double square = half * half - f->w * f->w;
    return square >= 0.0 ? fmax(0.0, sqrt(square) - 0.5 * (f->s[0] + f->s[1])) : 0.0;
}

// Back to the caller's frame and units.
static bool frame_impulse(const local_frame *f, double normal, const double tangent[2],
                          double r[3]) {
    double back[2];
    frame_rotate(f, -f->sine, tangent, back);
    r[0] = f->unit * normal;
    r[1] = f->unit * back[0];
    r[2] = f->unit * back[1];
    return fabs(r[0]) + fabs(r[1]) + fabs(r[2]) <= DBL_MAX;
}

bool local_frame_stick(const local_frame *f, double r[3]) {
    local_frame_value v = local_frame_at(f, f->hold);
    double tangent[2] = {-v.h[0] / v.det, -v.h[1] / v.det};
    return frame_impulse(f, f->c - (f->a[0] * tangent[0] + f->a[1] * tangent[1]), tangent, r);
}

bool local_frame_slide(const local_frame *f, const double h[2], double r[3]) {
    double length = hypot(h[0], h[1]);
    double bottom = length - f->mu * (f->a[0] * h[0] + f->a[1] * h[1]);
    double share = f->c / bottom;
    double tangent[2] = {-f->mu * share * h[0], -f->mu * share * h[1]};
    return frame_impulse(f, share * length, tangent, r) && bottom > 0.0;
}

void local_frame_frictionless(const local_frame *f, double r[3]) {
    const double none[2] = {0.0, 0.0};
    if (!frame_impulse(f, f->c, none, r)) {
        r[0] = r[1] = r[2] = 0.0;
    }
}
