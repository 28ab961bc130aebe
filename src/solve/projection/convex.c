// solve/projection/convex.c
#include "solve/projection/convex.h"

#include "base/arena.h"
#include "math/cone.h"
#include "solve/drivers/joint_rows.h"

#include <string.h>

cn_status proj_convex_prepare(proj_convex *s, const cn_friction *p, const cn_solve_opts *opts,
                              double inner, cn_arena *scratch, double *r, double *u,
                              cn_solve_report *report) {
    *s = (proj_convex){.inner = inner, .u = u};
    cn_status status = proj_first_order_prepare(&s->base, p, opts, "steps", scratch, r, report);
    s->slip = BASE_TAKE(scratch, double, p->contacts);
    s->r = BASE_TAKE(scratch, double, s->base.m);
    if (status != CN_OK || !s->slip || !s->r) {
        return CN_ERR_MEMORY;
    }
    memcpy(s->r, r, sizeof *r * (size_t)s->base.m);
    proj_first_order_velocity(&s->base, s->r, s->u);
    return CN_OK;
}

static void convex_renew(proj_convex *s) {
    const cn_friction *p = s->base.p;
    for (int32_t a = 0; a < p->contacts; a++) {
        s->slip[a] = solve_lift_of(p, a) * math_tangent_norm(p->dim, s->u + (int64_t)p->dim * a);
    }
    s->renewed = true;
}

// A guess outside the cones is brought back.
static void convex_begin(proj_convex *s) {
    const cn_friction *p = s->base.p;
    for (int32_t a = 0; a < p->contacts; a++) {
        solve_block_project(p, a, s->r + (int64_t)p->dim * a);
    }
    proj_first_order_velocity(&s->base, s->r, s->u);
    convex_renew(s);
}

// D^2 |r - P_K(r - D^-1 (u + s e_N))|^2 of one contact.
static double convex_error(const proj_convex *s, int32_t a, double slip) {
    int32_t dim = s->base.p->dim;
    const double *r = s->r + (int64_t)dim * a, *u = s->u + (int64_t)dim * a;
    double scale = s->base.scale[a], z[3] = {0.0, 0.0, 0.0}, sum = 0.0;
    for (int32_t i = 0; i < dim; i++) {
        z[i] = r[i] - (u[i] + (i == 0 ? slip : 0.0)) / scale;
    }
    solve_block_project(s->base.p, a, z);
    for (int32_t i = 0; i < dim; i++) {
        sum += (r[i] - z[i]) * (r[i] - z[i]);
    }
    return scale * scale * sum;
}

bool proj_convex_ends(proj_convex *s, int64_t step) {
    if (proj_first_order_ends(&s->base, step, s->r, s->u)) {
        return true;
    }
    s->renewed = false;
    if (step == 0) {
        convex_begin(s);
    } else if (s->base.checked) {
        const cn_friction *p = s->base.p;
        double held = 0.0, whole = 0.0;
        for (int32_t a = 0; a < p->contacts; a++) {
            double slip =
                solve_lift_of(p, a) * math_tangent_norm(p->dim, s->u + (int64_t)p->dim * a);
            held += convex_error(s, a, s->slip[a]);
            whole += convex_error(s, a, slip);
        }
        if (held <= s->inner * s->inner * whole) {
            convex_renew(s);
        }
    }
    return false;
}

void proj_convex_project(const proj_convex *s, const double *from, const double *u, double step,
                         double *to) {
    const cn_friction *p = s->base.p;
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        double length = step / s->base.scale[a];
        to[row] = from[row] - length * (u[row] + s->slip[a]);
        for (int32_t i = 1; i < p->dim; i++) {
            to[row + i] = from[row + i] - length * u[row + i];
        }
        solve_block_project(p, a, to + row);
    }
}

double proj_convex_slope(const proj_convex *s, const double *u, const double *d) {
    double sum = proj_first_order_dot(&s->base, u, d);
    for (int32_t a = 0; a < s->base.p->contacts; a++) {
        sum += s->slip[a] * d[(int64_t)s->base.p->dim * a];
    }
    return sum;
}
