// solve/interior/interior.h
// A primal-dual interior point method for the convex problems behind Coulomb friction, one
// iteration at a time, so that what is frozen in them can be changed between two:
//     cone:  min over r in K                  of  r.W r/2 + r.(q + mu s e_N),  s frozen
//     disc:  min over r_N >= 0, |r_T| <= g    of  r.W r/2 + r.q,               g frozen
// The cone is that of "ipm" and "cadoux", the disc that of "tresca".
// With s = |u_T|, or g = mu r_N, at the solution it is one of the friction problem too.
#ifndef CAIRN_SOLVE_INTERIOR_INTERIOR_H
#define CAIRN_SOLVE_INTERIOR_INTERIOR_H

#include "solve/newton/newton_system.h"

typedef struct ipm_interior ipm_interior;

// What is not the same for both.
typedef struct ipm_interior_ops {
    bool is_disc; // every contact has the scalar pair, the second one is as wide as g, not mu
    // x_0 and y_0 of the second pair inside their cones, where y_0 is |y_T| and some room; from the
    // normal components of r and u, impulse: how far inside.
    void (*enter)(const ipm_interior *s, int32_t a, double force, double slip, double impulse,
                  double *x, double *y);
    void (*refreeze)(ipm_interior *s);                // x inside again after frozen was changed
    void (*keep)(int32_t dim, double *x, double *y);  // the second pair inside in spite of rounding
    double (*lift)(const ipm_interior *s, int32_t a); // added to u_N by what is frozen
    void (*project)(const ipm_interior *s, int32_t a, double *z); // onto what r of a may be
    // What to freeze where r_N and |u_T| are these, and the velocity along N that a unit of it is.
    double (*frozen)(double mu, double force, double slip);
    double (*unit)(double mu, double scale);
} ipm_interior_ops;

extern const ipm_interior_ops ipm_interior_cone, ipm_interior_disc;

struct ipm_interior {
    const cn_friction *p;
    const ipm_interior_ops *ops;
    newton_system system;
    int64_t m;
    double *scale;       // trace(W_aa)/dim
    double size;         // of q, the unit of velocities
    double *frozen;      // s [m/s] or g [N s] of each contact; the caller's to set before a step
    const double *width; // mu or g: contacts where it is positive have the second pair
    double *r, *u;       // the iterate, strictly inside; u = W r + q
    // Per contact dim + 1 numbers: a scalar pair, then a pair in the second-order cone. A cone with
    // mu > 0 uses the second: x = (mu r_N, r_T), y = (u_N/mu + s, u_T); a disc with g > 0 both:
    // r_N, u_N, and x = (g, r_T), y = (., u_T); the others the first, with r_T = 0.
    double *x, *y, *dx, *dy;
    double *point; // scaling point of the second pair, dim numbers, and its factor
    double *rest;  // W r + q - y, what is left of the equations
    double *right, *dr;
    double implicit; // share of the derivative of s = |y_T| in the matrix, at most; 0: s frozen
    double share;    // the share that the step lengths allow now
    double gap;      // mean of x.y over the pairs [N m]
    double min;      // the gap is not aimed below this
    double length;   // of the last step
};

// CN_ERR_UNSUPPORTED as newton_analyse. frozen is zero.
cn_status ipm_interior_prepare(const cn_friction *p, const ipm_interior_ops *ops, cn_arena *scratch,
                               ipm_interior *out);
// An interior pair near a guess r with its u; margin > 0: how far inside, in units of q. frozen
// must be set.
void ipm_interior_start(ipm_interior *s, const double *r, const double *u, double margin);
// A disc of another radius: x moves inside it again. To be called when frozen was changed.
void ipm_interior_refreeze(ipm_interior *s);
// One predictor-corrector iteration; r and u are those of the next iterate. false: the matrix or
// the step is spoilt by rounding, nothing was changed.
bool ipm_interior_step(ipm_interior *s);
// How far r is from solving the problem as it is frozen: its natural map in the scaled measure.
double ipm_interior_error(const ipm_interior *s);
// Slip |y_T| of a contact, as the dual variables see it.
double ipm_interior_slip(const ipm_interior *s, int32_t a);

#endif
