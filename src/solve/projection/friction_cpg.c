// solve/projection/friction_cpg.c
// Conjugate projected gradient for the quasi-optimisation form of the Coulomb problem,
//     r in argmin { r'.W r'/2 + q.r' : r' in C(mu r_N) },   C = { r'_N >= 0, |r'_T| <= mu r_N },
// where the threshold mu r_N is that of the answer itself (Renouf and Alart 2005; Renouf, Acary and
// Dumont 2005, section 6.3). With the residue g = -(W r + q) and directions p:
//     alpha = g.p / p.W p,    r := proj_C(r + alpha p)     normal part cut at 0, then r_T radially
//     w = proj(g; T_C(r)),    z = proj(p; A(w))            tangent cone; face on which w lies
//     beta = -w.W p / p.W p,  p := w + beta z              beta = 0 where p would not descend
// in the metric D of the contacts. The paper ends when p.W p vanishes and uses the last iterate: so
// does this, and says "stalled".
//
// By itself that wanders where contacts slide, since the surface they slide on is curved and moves
// with r_N. So a step follows it: where r_T presses against its threshold (with lambda, outwards
// along t) the way is d = p + (0, mu p_N t), and the bend of the disc adds lambda / |r_T| to the
// curvature along it, as for a pendulum on its circle:
//     H p = W d + (0, lambda / |r_T| p_T),   alpha = g.p / p.H p,   r := proj_C(r + alpha d).
// follow = no gives the paper's steps.
//
// Bad on large hyperstatic sets, where the directions lose their conjugacy at every change of face:
// "auto". Scratch: seven vectors of the size of r.
#include "math/cone.h"
#include "solve/drivers/friction_rows.h"
#include "solve/projection/first_order.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define CPG_EDGE 1e-12 // |r_T| this close to mu r_N lies on it: the radial cut rounds

typedef struct cpg_params {
    double degenerate;
    bool follow, go_on;
} cpg_params;

const cn_param solve_cpg_param_table[SOLVE_CPG_PARAM_COUNT] = {
    {"follow", CN_PARAM_BOOL, offsetof(cpg_params, follow), 1, 0, 1,
     "steps follow the surface of sliding; no: straight ones, as in the paper"},
    {"degenerate", CN_PARAM_REAL, offsetof(cpg_params, degenerate), 1e-14, 0.0, 1e-2,
     "p.W p has vanished when below this share of p.D p"},
    {"go_on", CN_PARAM_BOOL, offsetof(cpg_params, go_on), 0, 0, 1,
     "take a unit step where p.W p has vanished; no: end there, as in the paper"},
};

typedef struct cpg {
    cn_first_order base;
    const cpg_params *own;
    double *r, *u; // the iterate and W r + q
    double *w, *y; // the residue projected on its face, and the same over D and the bend
    double *z;     // the last direction on that face
    double *p;     // the direction
    double *d;     // the way that r goes along it
    double *Hp;    // its curvature
} cpg;

// How hard the residue presses r_T outwards against the threshold that it is at; 0 when it does
// not.
static double cpg_pressing(int32_t dim, double mu, const double *r, const double *u) {
    double length = math_tangent_norm(dim, r), outward = 0.0;
    if (!(length > 0.0) || length < (1.0 - CPG_EDGE) * mu * r[0]) {
        return 0.0;
    }
    for (int32_t i = 1; i < dim; i++) {
        outward -= u[i] * r[i] / length;
    }
    return outward > 0.0 ? outward : 0.0;
}

// One contact: w = proj(g; T_C(r)), y = w over its stiffness, z: the part of p on the face of w.
static void cpg_face(const cpg *s, int32_t a) {
    int32_t dim = s->base.p->dim;
    int64_t row = (int64_t)dim * a;
    const double *r = s->r + row, *u = s->u + row, *p = s->p + row;
    double *w = s->w + row, *y = s->y + row, *z = s->z + row, scale = s->base.scale[a];
    bool closed = r[0] > 0.0 || u[0] < 0.0;
    for (int32_t i = 0; i < dim; i++) {
        w[i] = closed ? -u[i] : 0.0;
        y[i] = w[i] / scale;
        z[i] = closed ? p[i] : 0.0;
    }
    if (!(s->base.p->mu[a] > 0.0)) { // no friction: r_T = 0 is the whole disc
        for (int32_t i = 1; i < dim; i++) {
            w[i] = y[i] = z[i] = 0.0;
        }
        return;
    }
    double press = closed ? cpg_pressing(dim, s->base.p->mu[a], r, u) : 0.0;
    if (!(press > 0.0)) {
        return;
    }
    // Outward parts go; what is left along a bent edge has its curvature for stiffness too.
    double length = math_tangent_norm(dim, r), outward = 0.0;
    double bend = s->own->follow ? press / length : 0.0;
    for (int32_t i = 1; i < dim; i++) {
        outward += z[i] * r[i] / length;
    }
    for (int32_t i = 1; i < dim; i++) {
        w[i] = dim == 2 ? 0.0 : w[i] - press * r[i] / length;
        y[i] = w[i] / (scale + bend);
        z[i] = dim == 2 ? 0.0 : z[i] - outward * r[i] / length;
    }
}

// The next direction from r and u. pHp: of the last one; 0 when there is none to conjugate with.
static void cpg_turn(cpg *s, double pHp) {
    for (int32_t a = 0; a < s->base.p->contacts; a++) {
        cpg_face(s, a);
    }
    double beta = pHp > 0.0 ? -proj_first_order_dot(&s->base, s->y, s->Hp) / pHp : 0.0;
    double descent = proj_first_order_dot(&s->base, s->w, s->y) +
                     beta * proj_first_order_dot(&s->base, s->w, s->z);
    if (!(descent > 0.0 && beta > 0.0)) {
        beta = 0.0;
    }
    for (int64_t i = 0; i < s->base.m; i++) {
        s->p[i] = s->y[i] + beta * s->z[i];
    }
}

// The way along p and its curvature p.H p; 0 when that has vanished. *bent: Hp is more than W d.
static double cpg_aim(cpg *s, bool follow, bool *bent) {
    const cn_friction *p = s->base.p;
    int32_t dim = p->dim;
    *bent = false;
    memcpy(s->d, s->p, sizeof *s->d * (size_t)s->base.m);
    for (int64_t a = 0; follow && a < p->contacts; a++) {
        const double *r = s->r + dim * a;
        bool edge = cpg_pressing(dim, p->mu[a], r, s->u + dim * a) > 0.0;
        for (int32_t i = 1; edge && i < dim; i++) {
            s->d[dim * a + i] += p->mu[a] * s->p[dim * a] * r[i] / math_tangent_norm(dim, r);
        }
    }
    proj_first_order_product(&s->base, s->d, s->Hp);
    for (int64_t a = 0; follow && dim == 3 && a < p->contacts; a++) {
        const double *r = s->r + dim * a;
        double press = cpg_pressing(dim, p->mu[a], r, s->u + dim * a);
        for (int32_t i = 1; press > 0.0 && i < dim; i++) {
            s->Hp[dim * a + i] += press / math_tangent_norm(dim, r) * s->p[dim * a + i];
            *bent = true;
        }
    }
    double pHp = proj_first_order_dot(&s->base, s->p, s->Hp);
    double size = proj_first_order_dot_D(&s->base, s->p, s->p);
    return pHp > s->own->degenerate * size ? pHp : 0.0;
}

// r := proj_C(r + step d): the normal part first, then the tangential one radially. Whether
// anything was cut.
static bool cpg_move(cpg *s, double step) {
    const cn_friction *p = s->base.p;
    int32_t dim = p->dim;
    bool cut = false;
    for (int64_t a = 0; a < p->contacts; a++) {
        double *r = s->r + dim * a;
        for (int32_t i = 0; i < dim; i++) {
            r[i] += step * s->d[dim * a + i];
        }
        cut = cut || r[0] < 0.0;
        r[0] = r[0] <= 0.0 ? 0.0 : r[0];
        double length = math_tangent_norm(dim, r), radius = p->mu[a] * r[0];
        // What lies on the edge but for round-off is put there, so that it can stay.
        bool edge = length > (1.0 - CPG_EDGE) * radius;
        cut = cut || (edge && !(fabs(length - radius) <= DBL_EPSILON * radius));
        for (int32_t i = 1; edge && i < dim; i++) {
            r[i] *= radius / length;
        }
    }
    return cut;
}

// One step; false when p.W p has vanished.
static bool cpg_step(cpg *s) {
    bool bent;
    double step = 1.0, pHp = cpg_aim(s, s->own->follow, &bent);
    if (s->own->follow && !(pHp > 0.0)) {
        pHp = cpg_aim(s, false, &bent); // the moving threshold alone may have made it vanish
    }
    if (pHp > 0.0) {
        // g.p, from the part of g on the face: the rest is orthogonal to p but for round-off.
        step = proj_first_order_dot(&s->base, s->w, s->p) / pHp;
    } else if (!s->own->go_on) {
        return false;
    }
    if (cpg_move(s, step) || bent) {
        proj_first_order_velocity(&s->base, s->r, s->u);
    } else {
        for (int64_t i = 0; i < s->base.m; i++) {
            s->u[i] += step * s->Hp[i];
        }
    }
    cpg_turn(s, pHp);
    return true;
}

cn_status solve_friction_cpg(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                             double *r, double *u, cn_solve_report *report) {
    cpg s = {.own = (const void *)opts->params, .u = u};
    double **const vectors[] = {&s.r, &s.w, &s.y, &s.z, &s.p, &s.d, &s.Hp};
    cn_status status = proj_first_order_prepare(&s.base, p, opts, "steps", scratch, r, report);
    if (status != CN_OK || !proj_first_order_take(&s.base, scratch, 7, vectors)) {
        return CN_ERR_MEMORY;
    }
    memcpy(s.r, r, sizeof *r * (size_t)s.base.m);
    proj_first_order_velocity(&s.base, s.r, s.u);
    bool going = !proj_first_order_ends(&s.base, 0, s.r, s.u);
    if (going) {
        cpg_move(&s, 0.0); // a guess outside the cones is brought back
        proj_first_order_velocity(&s.base, s.r, s.u);
        cpg_turn(&s, 0.0);
    }
    for (int64_t k = 1; going; k++) {
        if (!cpg_step(&s)) {
            report->outcome = CN_STALLED;
            report->detail = "the curvature p.W p of the direction vanished";
            break;
        }
        going = !proj_first_order_ends(&s.base, k, s.r, s.u);
    }
    return s.base.watch.status;
}
