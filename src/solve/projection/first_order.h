// solve/projection/first_order.h
// What the first-order friction solvers share: products with W, the metric of the contacts, and the
// best iterate with the decision when to end.
//
// The metric is D = trace(W_aa)/dim on contact a: gradients are measured in D^-1, impulses in D, so
// that a spread of masses changes nothing and a step length is a plain number.
#ifndef CAIRN_SOLVE_PROJECTION_FIRST_ORDER_H
#define CAIRN_SOLVE_PROJECTION_FIRST_ORDER_H

#include "solve/drivers/watch.h"

typedef struct cn_first_order {
    const cn_friction *p;
    cn_friction bare; // p with q = 0, for products
    const char *unit; // of a step, for the progress
    int64_t m;
    double *scale;     // D, one per contact
    double *v;         // scratch of the body operator
    double *best;      // the caller's r: the best iterate that was checked
    double best_error; //
    double error;      // of the last iterate that was checked
    bool checked;      // whether that was at the last proj_first_order_ends
    solve_watch watch;
    cn_solve_report *report;
} cn_first_order;

// r: the guess, where the best iterate is kept from now on; report is filled when the solve ends.
cn_status proj_first_order_prepare(cn_first_order *s, const cn_friction *p,
                                   const cn_solve_opts *opts, const char *unit, cn_arena *scratch,
                                   double *r, cn_solve_report *report);
// count vectors of the size of r; false when scratch is full.
bool proj_first_order_take(const cn_first_order *s, cn_arena *scratch, int32_t count,
                           double **const vectors[]);

// u = W r + q
void proj_first_order_velocity(cn_first_order *s, const double *r, double *u);
// Wd = W d
void proj_first_order_product(cn_first_order *s, const double *d, double *Wd);

// x . y; x . D y; x . D^-1 y
double proj_first_order_dot(const cn_first_order *s, const double *x, const double *y);
double proj_first_order_dot_D(const cn_first_order *s, const double *x, const double *y);
double proj_first_order_dot_inverse(const cn_first_order *s, const double *x, const double *y);

// Whether an iterate after `step` steps is checked.
bool proj_first_order_due(const cn_first_order *s, int64_t step);
// Whether the solve ends after `step` steps at r, with its outcome in the report. Not every step is
// checked, since a check costs a good part of a product. u = W r + q as the method carries it
// along; it is computed anew now and then, and before an end is believed.
bool proj_first_order_ends(cn_first_order *s, int64_t step, const double *r, double *u);

// trace(W_aa)/dim of every contact; the mean, or 1, where a contact has none of its own.
void proj_contact_scales(const cn_friction *p, double *scale);

#endif
