// solve/projection/friction_admm.c
// Alternating direction method of multipliers. The impulse is split into r, which knows W, and z,
// which knows the cones; with the penalty K = rho D T^2 and the scaled multiplier xi
//     (W + K) r = K (z - xi) - q - s e_N,     h = alpha r + (1 - alpha) z
//     z := P_K(h + xi) in the metric K,       xi := xi + h - z,       s_a = mu |u^_T|,  u^ = -K xi
// At rest r = z, u^ = u + s e_N in K*, and s is De Saxce's term: exact Coulomb. W + K is factorised
// once (in body space I + M^-1 H K^-1 H', the size of the bodies) and again only when rho has to
// change by more than a factor. T = diag(mu, 1, 1) makes the cones those of Lorentz, equal to their
// duals ("symmetric"). rho follows the balance of |r - z| and rho |z - z_old|, each over its
// natural size. References: Boyd et al. (2011); Acary, Bremond and Huber (2018) and Acary and
// Tasora for frictional contact; Stellato et al. (2020) for the rule of rho.
//
// A step costs a backsolve whatever the conditioning of W, so hyperstatic sets come down to 1e-4
// where gradient methods creep. The term s follows with a lag: strong friction with sliding makes
// it circle at some 1e-3; large packings pay for the factorisation: "auto", "nsgs". Scratch: the
// factors and five vectors of the size of r.
#include "math/cone.h"
#include "solve/drivers/friction_rows.h"
#include "solve/drivers/joint_rows.h"
#include "solve/newton/newton_system.h"
#include "solve/projection/first_order.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ADMM_PATIENCE 10  // steps between two looks at rho
#define ADMM_TURN_MIN 0.1 // of T: a cone this flat is not made wider
#define ADMM_RHO_MIN 1e-8
#define ADMM_RHO_MAX 1e8

typedef struct admm_params {
    double rho, over, refactor;
    bool symmetric;
} admm_params;

const cn_param solve_admm_param_table[SOLVE_ADMM_PARAM_COUNT] = {
    {"rho", CN_PARAM_REAL, offsetof(admm_params, rho), 1.0, 1e-6, 1e6,
     "first penalty, in units of the diagonal of W"},
    {"over", CN_PARAM_REAL, offsetof(admm_params, over), 1.5, 1.0, 1.95, "alpha: over-relaxation"},
    {"refactor", CN_PARAM_REAL, offsetof(admm_params, refactor), 4.0, 1.1, 1e12,
     "rho changes, and W + K is factorised again, when it is off by this factor"},
    {"symmetric", CN_PARAM_BOOL, offsetof(admm_params, symmetric), 1, 0, 1,
     "measure normal impulses times mu, which makes the cones self-dual"},
};

typedef struct admm {
    cn_first_order base;
    const admm_params *own;
    newton_system system;
    double rho;
    double *r, *z, *xi;
    double *u;           // W z + q
    double *turn, *slip; // T of the normal direction, s; one per contact
    double primal, dual; // |r - z| and |z - z_old| in the metric D T^2
} admm;

static double admm_weight(const admm *s, int32_t a, int32_t i) {
    double turn = i == 0 ? s->turn[a] : 1.0;
    return s->base.scale[a] * turn * turn;
}

// A = 1, K = rho D T^2, and the factors.
static bool admm_factor(admm *s) {
    int32_t dim = s->base.p->dim;
    size_t bytes = sizeof(double) * (size_t)dim * (size_t)s->base.m;
    memset(s->system.A, 0, bytes);
    memset(s->system.K, 0, bytes);
    for (int32_t a = 0; a < s->base.p->contacts; a++) {
        for (int32_t i = 0; i < dim; i++) {
            int64_t at = (int64_t)dim * dim * a + (dim + 1) * i;
            s->system.A[at] = 1.0;
            s->system.K[at] = s->rho * admm_weight(s, a, i);
        }
    }
    return newton_factor(&s->system);
}

// r from z, xi and s.
static void admm_impulses(admm *s) {
    const cn_friction *p = s->base.p;
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int32_t i = 0; i < p->dim; i++) {
            int64_t k = (int64_t)p->dim * a + i;
            double held = i == 0 ? s->slip[a] : 0.0;
            s->system.F[k] = p->q[k] + held - s->rho * admm_weight(s, a, i) * (s->z[k] - s->xi[k]);
        }
    }
    newton_backsolve(&s->system, s->system.F, s->r);
}

// z, xi and s of every contact from r.
static void admm_project(admm *s) {
    const cn_friction *p = s->base.p;
    int32_t dim = p->dim;
    s->primal = s->dual = 0.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)dim * a;
        double sum[3] = {0.0, 0.0, 0.0}, next[3] = {0.0, 0.0, 0.0}, stretch = s->turn[a];
        for (int32_t i = 0; i < dim; i++) {
            sum[i] = s->own->over * s->r[row + i] + (1.0 - s->own->over) * s->z[row + i] +
                     s->xi[row + i];
            next[i] = i == 0 ? stretch * sum[i] : sum[i];
        }
        if (prob_is_boxed(&p->bounds, a)) {
            solve_block_project(p, a, next); // the metric is a number times the identity there
        } else {
            math_cone_project(dim, p->mu[a] / stretch, next);
            next[0] /= stretch;
        }
        double tangent[3] = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < dim; i++) {
            double weight = admm_weight(s, a, i), apart = s->r[row + i] - next[i],
                   moved = next[i] - s->z[row + i];
            s->primal += weight * apart * apart;
            s->dual += weight * moved * moved;
            s->xi[row + i] = sum[i] - next[i];
            s->z[row + i] = next[i];
            tangent[i] = s->rho * weight * s->xi[row + i];
        }
        s->slip[a] = solve_lift_of(p, a) * math_tangent_norm(dim, tangent);
    }
    s->primal = sqrt(s->primal);
    s->dual = sqrt(s->dual);
}

// rho by the balance of the two residuals; false when the new system cannot be factorised.
static bool admm_balance(admm *s) {
    double size = 0.0, drive = 0.0;
    for (int32_t a = 0; a < s->base.p->contacts; a++) {
        for (int32_t i = 0; i < s->base.p->dim; i++) {
            int64_t k = (int64_t)s->base.p->dim * a + i;
            double weight = admm_weight(s, a, i);
            size += weight * s->z[k] * s->z[k];
            drive += s->base.p->q[k] * s->base.p->q[k] / weight;
        }
    }
    double want = s->rho * sqrt(s->primal / sqrt(size) / (s->rho * s->dual / sqrt(drive)));
    if (!(want > 0.0 && isfinite(want))) {
        return true;
    }
    want = fmin(fmax(want, ADMM_RHO_MIN), ADMM_RHO_MAX);
    if (want < s->own->refactor * s->rho && s->rho < s->own->refactor * want) {
        return true;
    }
    for (int64_t i = 0; i < s->base.m; i++) {
        s->xi[i] *= s->rho / want;
    }
    s->rho = want;
    return admm_factor(s);
}

static cn_status admm_prepare(admm *s, const cn_friction *p, const cn_solve_opts *opts,
                              cn_arena *scratch, double *r, cn_solve_report *report) {
    double **const vectors[] = {&s->r, &s->z, &s->xi, &s->turn, &s->slip};
    CN_TRY(proj_first_order_prepare(&s->base, p, opts, "steps", scratch, r, report));
    CN_TRY(newton_analyse(p, scratch, &s->system));

    if (!proj_first_order_take(&s->base, scratch, 5, vectors)) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        bool turned = s->own->symmetric && p->mu[a] > 0.0;
        s->turn[a] = turned ? fmax(p->mu[a], ADMM_TURN_MIN) : 1.0;
    }
    return CN_OK;
}

// z = P_K(r) and xi, s from its velocity.
static void admm_begin(admm *s) {
    const cn_friction *p = s->base.p;
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        solve_block_project(p, a, s->z + row);
    }
    proj_first_order_velocity(&s->base, s->z, s->u);
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        s->slip[a] = solve_lift_of(p, a) * math_tangent_norm(p->dim, s->u + row);
        for (int32_t i = 0; i < p->dim; i++) {
            double velocity = s->u[row + i] + (i == 0 ? s->slip[a] : 0.0);
            s->xi[row + i] = -velocity / (s->rho * admm_weight(s, a, i));
        }
    }
}

cn_status solve_friction_admm(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *r, double *u, cn_solve_report *report) {
    admm s = {.own = (const void *)opts->params, .u = u};
    s.rho = s.own->rho;
    cn_status status = admm_prepare(&s, p, opts, scratch, r, report);
    if (status == CN_ERR_UNSUPPORTED) {
        report->outcome = CN_UNSUPPORTED;
        report->detail = "in body space this solver needs two rigid bodies per contact";
        return CN_OK;
    }
    CN_TRY(status);
    memcpy(s.z, r, sizeof *r * (size_t)s.base.m);
    proj_first_order_velocity(&s.base, s.z, s.u);
    bool going = !proj_first_order_ends(&s.base, 0, s.z, s.u), factored = true;
    if (going) {
        admm_begin(&s);
        factored = admm_factor(&s);
    }
    for (int64_t k = 1, seen = 0; going && factored; k++) {
        admm_impulses(&s);
        admm_project(&s);
        if (proj_first_order_due(&s.base, k)) {
            proj_first_order_velocity(&s.base, s.z, s.u);
        }
        going = !proj_first_order_ends(&s.base, k, s.z, s.u);
        if (going && k - seen >= ADMM_PATIENCE) {
            seen = k;
            factored = admm_balance(&s);
        }
    }
    if (!factored) {
        report->outcome = CN_STALLED;
        report->detail = "W plus the penalty could not be factorised";
    }
    return s.base.watch.status;
}
