// solve/projection/variational_inequality.c
// The step length follows Khobotov (1987) in the form of Han and Lo (2002): rho shrinks until
//     rho |F(r) - F(rbar)| <= L |r - rbar|,
// and grows again after a step where the ratio stayed below Lmin, so that no Lipschitz constant
// need be known. Norms are those of the metric D = diag(1 / weight): |r|_D, |F|_D^-1. See Acary,
// Bremond and Huber (2018), section 5, for both methods on frictional contact.
#include "solve/projection/variational_inequality.h"

#include "base/arena.h"
#include "math/cone.h"
#include "solve/drivers/joint_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/projection/first_order.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define VI_EAGER 8       // first iterations, all checked
#define VI_CHECK 4       // iterations between two checks: one costs a good part of a product
#define VI_SHRINK_MAX 60 // trials within a step; rho is 1e-10 of what it was by then

const cn_param proj_vi_param_table[PROJ_VI_PARAM_COUNT] = {
    {"step", CN_PARAM_REAL, offsetof(proj_vi_params, step), 1.0, 1e-6, 1e6,
     "first step length, in units of the inverse diagonal of W"},
    {"shrink", CN_PARAM_REAL, offsetof(proj_vi_params, shrink), 2.0 / 3.0, 0.05, 0.99,
     "tau: factor by which the step length shrinks, and grows by its inverse"},
    {"most", CN_PARAM_REAL, offsetof(proj_vi_params, max), 0.9, 0.1, 0.999,
     "L: the step length shrinks while the Lipschitz ratio is above this"},
    {"least", CN_PARAM_REAL, offsetof(proj_vi_params, min), 0.3, 0.0, 0.9,
     "Lmin: the step length grows when the ratio is below this"},
    {"by_contact", CN_PARAM_BOOL, offsetof(proj_vi_params, by_contact), 1, 0, 1,
     "scale the step by each contact's own diagonal block"},
};

void proj_vi_field(proj_vi *s, const double *r, double *F, double *u) {
    const cn_friction *p = s->p;
    cn_friction_velocity(p, r, s->v, u);
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        F[row] = u[row] + solve_lift_of(p, a) * math_tangent_norm(p->dim, u + row);
        for (int32_t i = 1; i < p->dim; i++) {
            F[row + i] = u[row + i];
        }
    }
}

void proj_vi_project(const proj_vi *s, const double *from, const double *F, double *to) {
    const cn_friction *p = s->p;
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        double rho = s->rho * s->weight[a];
        for (int32_t i = 0; i < p->dim; i++) {
            to[row + i] = from[row + i] - rho * F[row + i];
        }
        solve_block_project(p, a, to + row);
    }
}

static cn_status vi_prepare(proj_vi *s, const cn_friction *p, const cn_solve_opts *opts,
                            cn_arena *scratch) {
    int64_t m = (int64_t)p->dim * p->contacts;
    *s = (proj_vi){.p = p};
    memcpy(&s->own, opts->params, sizeof s->own);
    s->rho = s->own.step;
    s->weight = BASE_TAKE(scratch, double, p->contacts);
    s->v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
    double **vectors[] = {&s->r, &s->F, &s->u, &s->bar, &s->F_bar, &s->u_bar};
    bool complete = s->weight && s->v;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = BASE_TAKE(scratch, double, m);
        complete = complete && *vectors[k];
    }
    if (!complete) {
        return CN_ERR_MEMORY;
    }
    proj_contact_scales(p, s->weight);
    double mean = 0.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        mean += s->weight[a] / p->contacts;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        s->weight[a] = 1.0 / (s->own.by_contact ? s->weight[a] : mean);
    }
    return CN_OK;
}

// rho |F(r) - F(rbar)| / |r - rbar| in the metric; 0 when r = rbar.
static double vi_ratio(const proj_vi *s) {
    double fields = 0.0, points = 0.0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)s->p->dim * a;
        double field = 0.0, point = 0.0;
        for (int64_t k = row; k < row + s->p->dim; k++) {
            double dF = s->F[k] - s->F_bar[k], dr = s->r[k] - s->bar[k];
            field += dF * dF;
            point += dr * dr;
        }
        fields += field * s->weight[a];
        points += point / s->weight[a];
    }
    return points > 0.0 ? s->rho * sqrt(fields / points) : 0.0;
}

// A prediction whose ratio is small enough.
static void vi_predict(proj_vi *s) {
    double ratio = HUGE_VAL;
    for (int32_t trial = 0; trial < VI_SHRINK_MAX; trial++) {
        proj_vi_project(s, s->r, s->F, s->bar);
        proj_vi_field(s, s->bar, s->F_bar, s->u_bar);
        ratio = vi_ratio(s);
        if (!(ratio > s->own.max)) {
            break;
        }
        s->rho *= s->own.shrink * fmin(1.0, 1.0 / ratio);
    }
    s->grow = ratio < s->own.min;
}

cn_status proj_vi_run(const cn_friction *p, const cn_solve_opts *opts,
                      proj_vi_complete_fn *complete, cn_arena *scratch, double *r, double *u,
                      cn_solve_report *report) {
    proj_vi s;
    CN_TRY(vi_prepare(&s, p, opts, scratch));
    size_t bytes = sizeof *r * (size_t)p->dim * (size_t)p->contacts;
    memcpy(s.r, r, bytes);
    proj_vi_field(&s, s.r, s.F, s.u);
    double error = solve_natural_error(p, opts->measure, s.r, s.u), best = error;
    solve_watch watch = solve_watch_start(opts);
    for (int64_t k = 0; !solve_watch_stop(&watch, "projections", k, error, report);) {
        vi_predict(&s);
        complete(&s);
        s.rho /= s.grow ? s.own.shrink : 1.0;
        k++;
        if (k <= VI_EAGER || k % VI_CHECK == 0 || k >= opts->max_iterations) {
            error = solve_natural_error(p, opts->measure, s.r, s.u);
            if (error < best) {
                best = error;
                memcpy(r, s.r, bytes);
            }
        }
    }
    memcpy(u, s.u, bytes);
    return watch.status;
}
