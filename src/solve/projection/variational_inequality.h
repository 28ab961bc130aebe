// solve/projection/variational_inequality.h
// What the projection methods for the variational inequality share: the field, the projection, and
// the step length that adapts itself.
//
// Coulomb friction as a variational inequality on the product K of the cones: find r in K with
//     (s - r) . F(r) >= 0 for all s in K,   F(r) = u + (mu |u_T|, 0),   u = W r + q.
// A step predicts with  rbar = P_K(r - rho F(r))  and is then completed by the method.
#ifndef CAIRN_SOLVE_PROJECTION_VARIATIONAL_INEQUALITY_H
#define CAIRN_SOLVE_PROJECTION_VARIATIONAL_INEQUALITY_H

#include <cairn/solve.h>

typedef struct proj_vi_params {
    double step;     // first rho, in units of the inverse diagonal of W
    double shrink;   // tau: rho shrinks by at least this, and grows by its inverse
    double max;      // L: shrink while rho |F(r) - F(rbar)| > L |r - rbar|
    double min;      // Lmin: grow after a step where that ratio stayed below this
    bool by_contact; // rho_a = rho dim / trace W_aa; else the same for all contacts
} proj_vi_params;

#define PROJ_VI_PARAM_COUNT 5
extern const cn_param proj_vi_param_table[PROJ_VI_PARAM_COUNT];

typedef struct proj_vi {
    const cn_friction *p;
    proj_vi_params own;
    double rho;
    bool grow;                   // the last prediction allows a longer step next time
    double *weight;              // of a contact's step
    double *v;                   // scratch of the body operator
    double *r, *F, *u;           // the iterate, its field and its velocity
    double *bar, *F_bar, *u_bar; // the prediction and its own
} proj_vi;

// F and u of an r.
void proj_vi_field(proj_vi *s, const double *r, double *F, double *u);
// to = P_K(from - rho F)
void proj_vi_project(const proj_vi *s, const double *from, const double *F, double *to);

// From r, its field and the prediction: makes the next r with its F and u.
typedef void proj_vi_complete_fn(proj_vi *s);
// Iterates until the watch ends it. r: in, the guess; out, the best iterate that was checked.
cn_status proj_vi_run(const cn_friction *p, const cn_solve_opts *opts,
                      proj_vi_complete_fn *complete, cn_arena *scratch, double *r, double *u,
                      cn_solve_report *report);

#endif
