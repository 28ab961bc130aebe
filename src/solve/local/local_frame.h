// solve/local/local_frame.h
// One contact on its tangent plane, in the frame of the eigenvectors of the symmetric part of S and
// in units in which q and W are of the order of 1. There
//     S = [s0 w; -w s1],  h(l) = ((s1+l) b0 - w b1, (s0+l) b1 + w b0),  det(l) = (s0+l)(s1+l) + w^2
// are formed without cancellation, so that a singular S does no harm. Sliding with the multiplier l
// is r_T = -h/det, r_N = (c det + a . h)/det and |Q| = N with Q = mu (c det + a . h), N = |h|.
#ifndef CAIRN_SOLVE_LOCAL_LOCAL_FRAME_H
#define CAIRN_SOLVE_LOCAL_LOCAL_FRAME_H

#include "solve/local/local.h"

#include <float.h>

// Stiffness below this is round-off of a singular S: put to zero, and raised to this for sticking.
// High enough above the round-off of W r that a contact held by it alone is not taken for solved.
#define LOCAL_STIFFNESS_FLOOR (256.0 * DBL_EPSILON)
// A multiplier beyond which S + l I = l I to round-off.
#define LOCAL_SLIP_INFINITE 1e18

typedef struct local_frame {
    double mu, c;
    double a[2], b[2], s[2], w;
    double hold; // the multiplier that stands for sticking: 0, or the floor where S is singular
    double cosine, sine; // of the frame
    double scale, unit;  // slip multiplier: scale l; impulse: unit x
} local_frame;

typedef struct local_frame_value {
    double h[2], det, Q, N;
    double slope; // of Q/N, times N^3
} local_frame_value;

// q_N < 0. false when q is not finite.
bool local_frame_set(const local_block *block, const double q[3], local_frame *f);
local_frame_value local_frame_at(const local_frame *f, double l);
// The multiplier with S replaced by its value in the direction of b: right to second order for fast
// slip. Beyond LOCAL_SLIP_INFINITE sliding is along b.
double local_frame_first_slip(const local_frame *f);
// Largest l >= 0 with det(l) = 0; 0 when there is none.
double local_frame_singular_slip(const local_frame *f);
// r of the sticking contact, cone or not. false when it is not finite.
bool local_frame_stick(const local_frame *f, double r[3]);
// r on the cone along -h with u_N = 0. false when that needs r_N < 0 or is not finite.
bool local_frame_slide(const local_frame *f, const double h[2], double r[3]);
// r of the contact without friction, the last resort.
void local_frame_frictionless(const local_frame *f, double r[3]);

#endif
