// solve/newton/friction_prox_newton.c
// Proximal point with a semismooth Newton method inside. Outer step k solves, only as well as
// needed, the Coulomb problem of
//     u_eps(r) = W r + q + eps D (r - r_k),   D = trace(W_aa)/dim on contact a,
// by Newton on the Alart-Curnier function; eps then follows the number of Newton steps. The term
// eps D makes W definite, so hyperstatic sets, where Newton alone fails, are solved to round-off;
// as r_k converges it vanishes.
//
// Alart-Curnier, rho_a = 1/(D_a (1 + eps)), z = r - rho u, R = mu max(0, z_N), all divided by rho:
//     z_N <= 0: r;   else N: u_N;   |z_T| <= R: u_T;   else (r_T - R z_T/|z_T|).
// The convex problem has r - P_K(z) in its place.
// Rows of joints: u_i inside their bounds, r_i less the bound beyond. A bilateral row has no
// proximal term; what its linear equation needs to be factorised where rows are redundant, a small
// ridge, is taken out again by refinement, so that joints alone are solved in one step. Bilateral
// rows that contradict each other are told by a certificate: a combination d of them with W d = 0,
// q.d != 0.
//
// Needs a factorisation per step: for very large packings far from the solution Gauss-Seidel is the
// better start ("auto"). No line search in 3D, where it costs more than it saves.
#include "solve/newton/friction_prox_newton.h"

#include "base/arena.h"
#include "solve/drivers/joint_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/newton/contact_functions.h"

#include <math.h>
#include <string.h>

#define PROX_INNER_MAX 12    // Newton steps of one outer step
#define PROX_INNER_SHARE 0.1 // of the outer error, to which the inner problem is solved
#define PROX_INNER_FLOOR 0.3 // of the tolerance, below which it need not be (scaled measure only)
#define PROX_NEAR 30.0       // times the tolerance, where the end is near
#define PROX_LOOK 3.0        // times the tolerance, where r may be a solution of the problem itself
#define PROX_STALLED 6       // Newton steps without a new best, and
#define PROX_LOST 10.0       // this far above it: given up
#define PROX_GROWTH 3.0      // the error may grow by this in an accepted outer step
#define PROX_PROGRESS 0.9    // an inner failure is accepted when the error fell below this share
#define PROX_REFINE 1e-6     // eps below which the linear systems are ill-conditioned enough
#define PROX_EPS_MIN 1e-13
#define PROX_EPS_MAX 1e3 // beyond, a restart
#define PROX_CAUTIOUS                                                                              \
    3 // accepted steps after a failure during which eps stays above twice the failed one
#define PROX_HALVINGS 4 // of the 2D line search, whose merit may not exceed the largest of the last
#define PROX_MEMORY 4
#define PROX_RIDGE 1e-8  // of a bilateral row's own stiffness: half of the digits for either side
#define PROX_LINEAR 0.03 // of the tolerance, to which the linear equations are solved
#define PROX_CHORDS 4    // outer steps with the same factors at most, where there are joints,
#define PROX_CHORD_GAIN 0.3  // while each leaves less than this of the error
#define PROX_PURIFY 8        // refinements of a certificate, each taking out what W still feels,
#define PROX_UNFELT 1e-12    // down to this share of its length: round-off
#define PROX_SOFTER 0.01     // of the ridge, where refinement leaves more than that of the error
#define PROX_RIDGE_MIN 1e-12 // beyond it the factors are round-off

const cn_param newton_prox_param_table[NEWTON_PROX_PARAM_COUNT] = {
    {"eps", CN_PARAM_REAL, offsetof(newton_prox_params, eps), 1e-2, 1e-12, 1e2,
     "first weight of the proximal term"},
};

typedef struct prox {
    const cn_friction *p;
    const cn_solve_opts *opts;
    newton_system *system;
    int64_t m;
    double *scale;      // D
    double *center;     // r_k
    double *r, *u;      // the inner iterate, its W r + q
    double *dr, *trial; //
    double *best;       // the best r by the measure asked for
    double best_error;
    double size;      // of q over the pressing contacts, the unit of the inner residual
    bool contradicts; // bilateral rows, each other
    double share;     // of the ridge in a row's own stiffness
    double eps;
    double steepness; // max(1, mu): the natural map is that much larger than the inner residual
    int64_t steps;    // Newton steps so far
} prox;

static cn_status prox_prepare(prox *s, newton_system *system, const cn_solve_opts *opts,
                              cn_arena *scratch) {
    const cn_friction *p = system->p;
    *s = (prox){.p = p,
                .opts = opts,
                .system = system,
                .m = (int64_t)p->dim * p->contacts,
                .best_error = (double)INFINITY};
    double **const vectors[] = {&s->center, &s->r, &s->u, &s->dr, &s->trial, &s->best};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = BASE_TAKE_ZERO(scratch, double, s->m);
        if (!*vectors[i]) {
            return CN_ERR_MEMORY;
        }
    }
    s->scale = BASE_TAKE(scratch, double, p->contacts);
    bool jointed = solve_boxes_count(p) > 0;
    system->ridge = jointed ? BASE_TAKE_ZERO(scratch, double, s->m) : NULL;
    if (!s->scale || (jointed && !system->ridge)) {
        return CN_ERR_MEMORY;
    }
    s->size = newton_scales(p, s->scale);
    s->share = PROX_RIDGE;
    s->steepness = 1.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        s->steepness = fmax(s->steepness, p->mu[a]);
    }
    system->keep = jointed;
    system->known = false;
    system->enough = PROX_LINEAR * opts->tolerance * s->size;
    for (int64_t i = 0; system->ridge && i < s->m; i++) {
        int32_t a = (int32_t)(i / p->dim);
        double own = p->W.diagonal[(int64_t)p->dim * i + i % p->dim];
        bool bilateral = p->bounds.boxed[a] && prob_is_bilateral(&p->bounds, i);
        system->ridge[i] = bilateral ? PROX_RIDGE * (own > 0.0 ? own : s->scale[a]) : 0.0;
    }
    return CN_OK;
}

// The weight of the proximal term of a row.
static double prox_term(const prox *s, int32_t a, int32_t i) {
    bool exact = s->system->ridge && s->system->ridge[(int64_t)s->p->dim * a + i] > 0.0;
    return exact ? 0.0 : s->eps * s->scale[a];
}

// Fills the Newton system at r (u = W r + q at hand); returns |F| over the size of q.
static double prox_linearise(prox *s, const double *r, const double *u) {
    int32_t dim = s->p->dim, size = dim * dim;
    double sum = 0.0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)dim * a;
        double term[3] = {0.0, 0.0, 0.0}, shifted[3] = {0.0, 0.0, 0.0};
        double *F = s->system->F + row, *A = s->system->A + (int64_t)size * a,
               *K = s->system->K + (int64_t)size * a;
        double rho = 1.0 / (s->scale[a] * (1.0 + s->eps));
        for (int32_t i = 0; i < dim; i++) {
            term[i] = prox_term(s, a, i);
            shifted[i] = u[row + i] + term[i] * (r[row + i] - s->center[row + i]);
        }
        if (prob_is_boxed(&s->p->bounds, a)) {
            newton_box_function(dim, s->p->bounds.lower + row, s->p->bounds.upper + row, rho,
                                r + row, shifted, F, A, K);
        } else {
            newton_contact_fn *law = s->p->convex ? newton_cone_function : newton_alart_curnier;
            law(dim, s->p->mu[a], rho, r + row, shifted, F, A, K);
        }
        for (int32_t i = 0; i < size; i++) {
            K[i] += term[i % dim] * A[i];
        }
        for (int32_t i = 0; i < dim; i++) {
            sum += F[i] * F[i];
        }
    }
    return sqrt(sum) / s->size;
}

// The error of r in the measure asked for; r becomes the best where it is.
static double prox_check(prox *s, const double *r, const double *u) {
    double error = solve_natural_error(s->p, s->opts->measure, r, u);
    if (error < s->best_error) {
        s->best_error = error;
        memcpy(s->best, r, sizeof *r * (size_t)s->m);
    }
    return error;
}

// r := r + share dr, with its velocity; returns the merit there. The system is refilled.
static double prox_move(prox *s, double share) {
    for (int64_t i = 0; i < s->m; i++) {
        s->trial[i] = s->r[i] + share * s->dr[i];
    }
    newton_velocity(s->system, s->p, s->trial, s->u);
    return prox_linearise(s, s->trial, s->u);
}

// A Newton step with the dr at hand. In 2D halved while the merit exceeds the largest of the last
// few.
static double prox_advance(prox *s, const double *merits, int32_t count) {
    double merit = prox_move(s, 1.0), limit = 0.0;
    for (int32_t i = count > PROX_MEMORY ? count - PROX_MEMORY : 0; i < count; i++) {
        limit = fmax(limit, merits[i]);
    }
    double share = 1.0;
    for (int32_t i = 0; s->p->dim == 2 && i < PROX_HALVINGS && !(merit <= limit); i++) {
        share *= 0.5;
        merit = prox_move(s, share);
    }
    memcpy(s->r, s->trial, sizeof *s->r * (size_t)s->m);
    return merit;
}

// d := d + dd in bilateral rows, where dd takes out what W feels of d; returns |W d|/|d| before
// that, in the metric D. d itself is a solution with the factors at hand.
static double prox_purify(prox *s, double *d) {
    newton_system *system = s->system;
    cn_friction bare = *s->p;
    double felt = 0.0, length = 0.0;
    bare.q = system->zero;
    newton_velocity(system, &bare, d, system->product);
    for (int64_t i = 0; i < s->m; i++) {
        double stiffness = s->scale[i / s->p->dim];
        felt += system->product[i] * system->product[i] / stiffness;
        length += stiffness * d[i] * d[i];
        system->F[i] = system->ridge[i] > 0.0 ? system->product[i] : 0.0;
    }
    newton_backsolve(system, system->F, s->system->extra);
    for (int64_t i = 0; i < s->m; i++) {
        d[i] += system->ridge[i] > 0.0 ? system->extra[i] : 0.0;
    }
    return sqrt(felt / length);
}

// Whether bilateral rows have no solution: what refinement cannot take out of F becomes, through
// the factors, a d with W d = 0, and then d.u = d.q for every impulse.
static bool prox_contradiction(prox *s) {
    newton_system *system = s->system;
    double along = 0.0, length = 0.0, felt = (double)INFINITY, *d = s->trial;
    if (!(system->left > s->opts->tolerance * s->size)) {
        return false;
    }
    for (int64_t i = 0; i < s->m; i++) {
        system->F[i] = system->ridge[i] > 0.0 ? system->F[i] : 0.0;
    }
    newton_backsolve(system, system->F, d);
    for (int64_t i = 0; i < s->m; i++) {
        d[i] = system->ridge[i] > 0.0 ? d[i] : 0.0;
    }
    for (int32_t k = 0; k < PROX_PURIFY && felt > PROX_UNFELT; k++) {
        felt = prox_purify(s, d);
    }
    for (int64_t i = 0; i < s->m; i++) {
        along += s->p->q[i] * d[i];
        length += d[i] * d[i];
    }
    return felt <= PROX_UNFELT && fabs(along) > s->opts->tolerance * s->size * sqrt(length);
}

// Where refinement stalls for the ridge, a smaller one.
static void prox_soften(prox *s, double before) {
    double next = s->share * PROX_SOFTER;
    if (s->system->left <= s->system->enough || s->system->left < PROX_SOFTER * before ||
        next < PROX_RIDGE_MIN) {
        return;
    }
    for (int64_t i = 0; i < s->m; i++) {
        s->system->ridge[i] *= PROX_SOFTER;
    }
    s->share = next;
    s->system->known = false;
}

// dr of a Newton step; false when the system is singular, or has no solution.
static bool prox_step(prox *s) {
    if (!newton_factor(s->system)) {
        return false;
    }
    if (s->system->ridge) {
        double before = 0.0;
        for (int64_t i = 0; i < s->m; i++) {
            before += s->system->F[i] * s->system->F[i];
        }
        s->system->toward = s->steps == 0 ? s->r : NULL;
        newton_refine(s->system, s->system->F, s->dr);
        s->contradicts = prox_contradiction(s);
        prox_soften(s, sqrt(before));
        return !s->contradicts;
    }
    if (s->eps < PROX_REFINE) {
        newton_refine(s->system, s->system->F, s->dr);
    } else {
        newton_backsolve(s->system, s->system->F, s->dr);
    }
    return true;
}

// The inner problem from r = r_k down to the target, or to a solution of the outer one; *steps
// Newton steps. true when it was reached.
static bool prox_inner(prox *s, double target, solve_watch *watch, cn_solve_report *report,
                       int32_t *steps, bool *ended) {
    double merits[PROX_INNER_MAX + 1], best = (double)INFINITY;
    int32_t since = 0;
    memcpy(s->r, s->center, sizeof *s->r * (size_t)s->m);
    newton_velocity(s->system, s->p, s->r, s->u);
    merits[0] = prox_linearise(s, s->r, s->u);
    for (*steps = 0; *steps < PROX_INNER_MAX;) {
        if (merits[*steps] <= target) {
            return true;
        }
        *ended = solve_watch_tick(watch, "newton steps", s->steps, s->best_error, report);
        if (*ended || !prox_step(s)) {
            *ended = *ended || s->contradicts;
            return false;
        }
        s->steps++;
        double merit = prox_advance(s, merits, *steps + 1);
        merits[++*steps] = merit;
        if (merit <= PROX_LOOK * s->opts->tolerance &&
            prox_check(s, s->r, s->u) <= SOLVE_WATCH_MARGIN * s->opts->tolerance) {
            return true;
        }
        since = merit < best ? 0 : since + 1;
        best = fmin(best, merit);
        if (!isfinite(merit) || (since >= PROX_STALLED && merit > PROX_LOST * best)) {
            return false;
        }
    }
    return merits[*steps] <= target;
}

// How eps follows the number of Newton steps that an outer step took.
static double prox_factor(int32_t steps) {
    return steps <= 2 ? 0.1 : (steps <= 4 ? 0.3 : (steps <= 6 ? 0.6 : (steps <= 9 ? 1.0 : 1.5)));
}

// Near the end one outer step is made to be the last: a few Newton steps more, which square the
// error, are cheaper than another outer step, whose new eps first throws it up again.
static double prox_target(const prox *s, double error) {
    double share = PROX_INNER_SHARE * error / s->steepness;
    if (s->opts->measure != CN_MEASURE_SCALED) {
        return share;
    }
    double floor = PROX_INNER_FLOOR * s->opts->tolerance / s->steepness;
    return share <= PROX_NEAR * s->opts->tolerance ? floor : share;
}

// Outer steps from r_k with the factors at hand, one Newton step each, for as long as they pay: a
// backsolve is much cheaper than a factorisation, and near a solution the statuses stay as they
// are. Returns the error of the last r_k that was accepted.
static double prox_chords(prox *s, double error) {
    for (int32_t k = 0; k < PROX_CHORDS && error > SOLVE_WATCH_MARGIN * s->opts->tolerance; k++) {
        prox_linearise(s, s->center, s->u);
        s->system->toward = NULL;
        newton_refine(s->system, s->system->F, s->dr);
        for (int64_t i = 0; i < s->m; i++) {
            s->r[i] = s->center[i] + s->dr[i];
        }
        newton_velocity(s->system, s->p, s->r, s->u);
        double now = prox_check(s, s->r, s->u);
        if (!(now < PROX_CHORD_GAIN * error)) {
            break;
        }
        memcpy(s->center, s->r, sizeof *s->r * (size_t)s->m);
        error = now;
    }
    return error;
}

static cn_status prox_run(prox *s, double *r, cn_solve_report *report) {
    size_t bytes = sizeof *r * (size_t)s->m;
    double first = s->eps, min = PROX_EPS_MIN;
    int32_t cautious = 0;
    memcpy(s->center, r, bytes);
    newton_velocity(s->system, s->p, s->center, s->u);
    double error = prox_check(s, s->center, s->u);
    solve_watch watch = solve_watch_start(s->opts);
    while (!solve_watch_stop(&watch, "newton steps", s->steps, s->best_error, report)) {
        int32_t steps;
        bool ended = false;
        bool reached = prox_inner(s, prox_target(s, error), &watch, report, &steps, &ended);
        if (ended) {
            break;
        }
        double now = prox_check(s, s->r, s->u);
        if ((reached && now < PROX_GROWTH * error) || now < PROX_PROGRESS * error) {
            memcpy(s->center, s->r, bytes);
            error = s->system->ridge && steps > 0 ? prox_chords(s, now) : now;
            s->eps = fmax(s->eps * prox_factor(steps), cautious > 0 ? min : PROX_EPS_MIN);
            cautious -= cautious > 0;
        } else {
            min = 2.0 * s->eps;
            cautious = PROX_CAUTIOUS;
            s->eps = 4.0 * s->eps > PROX_EPS_MAX ? first : 4.0 * s->eps;
        }
        s->steps += steps == 0; // outer steps without a Newton step must not go on for ever
    }
    memcpy(r, s->best, bytes);
    if (s->contradicts) {
        report->outcome = CN_INFEASIBLE;
        report->detail = "bilateral rows contradict each other, among them those of the block with "
                         "the largest error";
    }
    return watch.status;
}

cn_status newton_prox_newton_run(newton_system *system, const cn_solve_opts *opts, double eps,
                                 cn_arena *scratch, double *r, cn_solve_report *report) {
    prox s;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = prox_prepare(&s, system, opts, scratch);
    if (status == CN_OK) {
        s.eps = eps;
        status = prox_run(&s, r, report);
    }
    system->ridge = NULL;
    system->toward = NULL;
    system->keep = false;
    base_arena_release(scratch, mark);
    return status;
}

cn_status newton_friction_prox_newton(const cn_friction *p, const cn_solve_opts *opts,
                                      cn_arena *scratch, double *r, double *u,
                                      cn_solve_report *report) {
    const newton_prox_params *params = (const void *)opts->params;
    newton_system system;
    (void)u; // the driver computes it anew
    cn_status status = newton_analyse(p, scratch, &system);
    return status == CN_OK ? newton_prox_newton_run(&system, opts, params->eps, scratch, r, report)
                           : newton_refuse(status, report);
}
