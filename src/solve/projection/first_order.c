// solve/projection/first_order.c
#include "solve/projection/first_order.h"

#include "base/arena.h"
#include "solve/drivers/natural_map.h"

#include <math.h>
#include <string.h>

#define FIRST_ORDER_EAGER 8    // first steps, all checked: warm starts are often done by then
#define FIRST_ORDER_CHECK 4    // steps between two checks
#define FIRST_ORDER_REFRESH 64 // steps after which u is computed anew: its updates add round-off

void proj_contact_scales(const cn_friction *p, double *scale) {
    double mean = 0.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        const double *block = p->W.diagonal + (int64_t)p->dim * p->dim * a;
        double trace = 0.0;
        for (int32_t i = 0; i < p->dim; i++) {
            trace += block[(p->dim + 1) * i];
        }
        scale[a] = trace > 0.0 ? trace / p->dim : 0.0;
        mean += scale[a] / p->contacts;
    }
    mean = mean > 0.0 ? mean : 1.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        scale[a] = scale[a] > 0.0 ? scale[a] : mean;
    }
}

cn_status proj_first_order_prepare(cn_first_order *s, const cn_friction *p,
                                   const cn_solve_opts *opts, const char *unit, cn_arena *scratch,
                                   double *r, cn_solve_report *report) {
    *s = (cn_first_order){.p = p,
                          .bare = *p,
                          .unit = unit,
                          .m = (int64_t)p->dim * p->contacts,
                          .best = r,
                          .best_error = (double)INFINITY,
                          .watch = solve_watch_start(opts),
                          .report = report};
    s->scale = BASE_TAKE(scratch, double, p->contacts);
    s->v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
    s->bare.q = BASE_TAKE_ZERO(scratch, double, s->m);
    if (!s->scale || !s->v || !s->bare.q) {
        return CN_ERR_MEMORY;
    }
    proj_contact_scales(p, s->scale);
    return CN_OK;
}

bool proj_first_order_take(const cn_first_order *s, cn_arena *scratch, int32_t count,
                           double **const vectors[]) {
    for (int32_t k = 0; k < count; k++) {
        *vectors[k] = BASE_TAKE_ZERO(scratch, double, s->m);
        if (!*vectors[k]) {
            return false;
        }
    }
    return true;
}

void proj_first_order_velocity(cn_first_order *s, const double *r, double *u) {
    cn_friction_velocity(s->p, r, s->v, u);
}

void proj_first_order_product(cn_first_order *s, const double *d, double *Wd) {
    cn_friction_velocity(&s->bare, d, s->v, Wd);
}

double proj_first_order_dot(const cn_first_order *s, const double *x, const double *y) {
    double sum = 0.0;
    for (int64_t i = 0; i < s->m; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static double contact_dot(int32_t dim, const double *x, const double *y) {
    double sum = x[0] * y[0] + x[1] * y[1];
    return dim == 2 ? sum : sum + x[2] * y[2];
}

double proj_first_order_dot_D(const cn_first_order *s, const double *x, const double *y) {
    double sum = 0.0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)s->p->dim * a;
        sum += s->scale[a] * contact_dot(s->p->dim, x + row, y + row);
    }
    return sum;
}

double proj_first_order_dot_inverse(const cn_first_order *s, const double *x, const double *y) {
    double sum = 0.0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)s->p->dim * a;
        sum += contact_dot(s->p->dim, x + row, y + row) / s->scale[a];
    }
    return sum;
}

// The error of r, which becomes the best where it is.
static void first_order_check(cn_first_order *s, const double *r, const double *u) {
    s->error = solve_natural_error(s->p, s->watch.opts->measure, r, u);
    if (s->error < s->best_error) {
        s->best_error = s->error;
        memmove(s->best, r, sizeof *r * (size_t)s->m);
    }
}

bool proj_first_order_due(const cn_first_order *s, int64_t step) {
    return step <= FIRST_ORDER_EAGER || step % FIRST_ORDER_CHECK == 0 ||
           step >= s->watch.opts->max_iterations;
}

bool proj_first_order_ends(cn_first_order *s, int64_t step, const double *r, double *u) {
    const cn_solve_opts *opts = s->watch.opts;
    bool fresh = step % FIRST_ORDER_REFRESH == 0;
    s->checked = proj_first_order_due(s, step);
    if (fresh) {
        proj_first_order_velocity(s, r, u);
    }
    if (s->checked) {
        double known = s->best_error;
        first_order_check(s, r, u);
        // What the updated u promises is believed only of the exact one.
        if (!fresh && s->error <= opts->tolerance) {
            proj_first_order_velocity(s, r, u);
            s->best_error = known;
            first_order_check(s, r, u);
        }
    }
    return solve_watch_stop(&s->watch, s->unit, step, s->error, s->report);
}
