// solve/newton/ncp_path.c
// Nonlinear mixed complementarity problems in the manner of PATH (Dirkse and Ferris 1995): Newton's
// method on the normal map with a path search, a crash, and other strategies where that stalls.
//
// Normal map (Robinson 1992): with P(x) the projection on the bounds and z = P(x),
//     r(x) = F(z) + x - z,   r(x) = 0  <=>  z solves the problem, with w = F(z) = z - x.
// A step at x_k with J = dF(z_k) looks at the affine map L(x) = F(z_k) + J (P(x) - z_k) + x - P(x).
// The points x(t) of the path, L(x(t)) = (1 - t) r(x_k), lead from x_k to Newton's point x(1). Each
// is the solution of an affine mixed problem, M = J and q = F(z_k) - J z_k - (1 - t) r(x_k), which
// "mcp" solves, with pivots where Newton's method on it stalls. The search halves t until |r| falls
// below the largest of the last norms (Grippo, Lampariello and Lucidi 1986).
//
// Crash: projected Newton steps on the unknowns that z - F(z) leaves between their bounds. They
// find the active set of large problems in few linear solves.
//
// Where the affine problem has no solution, a multiple of the identity is added to J (a proximal
// point step); where no point of the path will do, one step down the gradient of the
// Fischer-Burmeister merit. A stall leads to the next strategy: implicit Euler steps of z' = -F(z)
// between the bounds with a growing step, which climb out of local minima of |r|; then the same two
// from other starts.
//
// Bad where F is expensive and n large: one affine problem a step. Where F is not monotone nothing
// is certain, and one solution of several is found. Scratch: J and some vectors, and that of "mcp".
#include "solve/newton/ncp_path.h"

#include "base/arena.h"
#include "problem/ncp.h"
#include "solve/drivers/mcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/newton/fischer.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define PATH_DESCENT 1e-4         // share of t by which |r| must fall
#define PATH_MODEL_MAX 1e-6       // relative residual of an affine problem that counts as solved
#define PATH_MODEL_TOLERANCE 1e-3 // of an affine problem, per error at hand and size of its q,
#define PATH_MODEL_COARSEST 1e-8  // but not coarser
#define PATH_MODEL_FINE 1e-13     // below it round-off decides: few steps and no pivots, and
#define PATH_MODEL_FINEST 1e-16   // what they reach is taken
#define PATH_MODEL_FINE_STEPS 8
#define PATH_PROXIMAL_FIRST 1e-3 // weight of the identity, per size of J, where J alone fails
#define PATH_PROXIMAL_UP 10.0
#define PATH_PROXIMAL_DOWN 0.1
#define PATH_PROXIMAL_TRIES 6
#define PATH_PROXIMAL_MIN 1e-8 // below it there is none
#define PATH_STALL 25          // steps without a new best that end a strategy
#define PATH_CRASH_FALL 0.9    // of the error that a crash step must reach
#define PATH_CRASH_HALVINGS 3
#define PATH_GRADIENT_HALVINGS 40
#define PATH_MEMORY_MAX 50
#define PATH_EULER_STEPS 400  // of the implicit Euler method
#define PATH_EULER_SHRINK 0.7 // of its weight 1/h after a step that was found

const cn_param solve_ncp_param_table[SOLVE_NCP_PARAM_COUNT] = {
    {"crash", CN_PARAM_INT, offsetof(solve_ncp_params, crash), 50, 0, 1000,
     "projected Newton steps at the start"},
    {"memory", CN_PARAM_INT, offsetof(solve_ncp_params, memory), 10, 1, PATH_MEMORY_MAX,
     "norms that the search looks back on; 1: monotone"},
    {"halvings", CN_PARAM_INT, offsetof(solve_ncp_params, halvings), 10, 0, 60,
     "of a step along the path before it is given up"},
    {"restarts", CN_PARAM_INT, offsetof(solve_ncp_params, restarts), 5, 0, 5,
     "other strategies that are tried where one stalls"},
    {"proximal", CN_PARAM_REAL, offsetof(solve_ncp_params, proximal), 0.0, 0.0, 1e6,
     "weight of the identity at the start, per size of the Jacobian"},
};

// A point of the normal map with what belongs to it.
typedef struct path_point {
    double *x, *z, *w, *r; // z = P(x), w = F(z), r = w + x - z
    double norm;           // |r|
} path_point;

typedef struct ncp_path {
    const cn_ncp *p;
    const cn_solve_opts *opts;
    const solve_ncp_params *own;
    cn_arena *scratch;
    solve_watch watch;
    cn_ncp_report *report;
    prob_ncp_jacobian jacobian;
    cn_mcp model;          // M = J + weight I, pattern of J with its whole diagonal
    int64_t *source;       // of an entry of M: its place in J, or -1
    int64_t *diagonal;     // of a row: its place in M
    double *q;             // of the model at t = 1
    double *lower, *upper; // the true bounds
    double weight, size;   // of the identity; the largest entry of J
    path_point now, trial;
    double *phi, *slope_z, *slope_w; // of the Fischer-Burmeister merit
    double *best, *start;
    double best_error;
    int64_t steps, best_step;
} ncp_path;

// ---- points ----

static double norm_of(int32_t n, const double *v) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

// |z - P(z - w)|, what the checker measures; z becomes the best where it is.
static double path_error(ncp_path *s, const double *z, const double *w) {
    double sum = 0.0;
    for (int32_t i = 0; i < s->p->n; i++) {
        double off = z[i] - fmax(s->lower[i], fmin(s->upper[i], z[i] - w[i]));
        sum += off * off;
    }
    double error = sqrt(sum);
    if (error < s->best_error) {
        s->best_error = error;
        s->best_step = s->steps;
        memcpy(s->best, z, sizeof *z * (size_t)s->p->n);
    }
    return error;
}

// z, w and r of point->x; false where F is not defined.
static bool path_evaluate(ncp_path *s, path_point *point) {
    int32_t n = s->p->n;
    for (int32_t i = 0; i < n; i++) {
        point->z[i] = prob_ncp_clamp(s->p, i, point->x[i]);
    }
    s->report->values++;
    if (!prob_ncp_value(s->p, point->z, point->w)) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        point->r[i] = point->w[i] + point->x[i] - point->z[i];
    }
    point->norm = norm_of(n, point->r);
    path_error(s, point->z, point->w);
    return isfinite(point->norm);
}

// The x of a z: beyond a bound that bears w, else z itself, so that r is zero or w.
static bool path_lift(ncp_path *s, const double *z, path_point *point) {
    int32_t n = s->p->n;
    for (int32_t i = 0; i < n; i++) {
        point->x[i] = prob_ncp_clamp(s->p, i, z[i]);
    }
    if (!path_evaluate(s, point)) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        double w = point->w[i];
        bool borne = w > 0.0 ? point->z[i] <= s->lower[i] : point->z[i] >= s->upper[i];
        point->x[i] = borne ? point->z[i] - w : point->z[i];
        point->r[i] = borne ? 0.0 : w;
    }
    point->norm = norm_of(n, point->r);
    return true;
}

static void path_move(ncp_path *s) {
    path_point old = s->now;
    s->now = s->trial;
    s->trial = old;
}

// ---- the affine problem at a point ----

// M and q at now: M z + q = F(z_k) + (J + weight I)(z - z_k).
static void path_model(ncp_path *s, double weight) {
    cn_csr *M = &s->model.M;
    for (int64_t k = 0; k < M->start[s->p->n]; k++) {
        M->value[k] = s->source[k] >= 0 ? s->jacobian.J.value[s->source[k]] : 0.0;
    }
    for (int32_t i = 0; i < s->p->n; i++) {
        M->value[s->diagonal[i]] += weight;
        double sum = 0.0;
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            sum += M->value[k] * s->now.z[M->column[k]];
        }
        s->q[i] = s->now.w[i] - sum;
    }
}

// Solves the model with its q and bounds from now.z; the answer to trial.z and trial.w. *found
// false: it has none, or "mcp" did not find it.
static cn_status path_solve_model(ncp_path *s, bool *found) {
    const cn_mcp_solver *row = cn_mcp_solver_find("mcp");
    cn_solve_opts opts = cn_solve_opts_default(&row->info);
    solve_opts_take_callbacks(&opts, s->opts);
    double q = norm_of(s->p->n, s->model.q);
    double wanted = PATH_MODEL_TOLERANCE * s->best_error / (q > 0.0 ? q : 1.0);
    opts.tolerance = fmax(PATH_MODEL_FINEST, fmin(PATH_MODEL_COARSEST, wanted));
    if (wanted < PATH_MODEL_FINE) {
        opts.max_iterations = PATH_MODEL_FINE_STEPS;
        cn_solve_opts_set(&opts, &row->info, "pivot", "0", NULL);
    }
    for (int32_t i = 0; i < s->p->n; i++) {
        s->trial.z[i] = solve_mcp_clamp(&s->model, i, s->now.z[i]);
    }
    cn_solve_report inner = {.outcome = CN_STALLED};
    base_arena_mark mark = base_arena_get_mark(s->scratch);
    cn_status status = row->solve(&s->model, &opts, s->scratch, s->trial.z, s->trial.w, &inner);
    base_arena_release(s->scratch, mark);
    *found = false;
    if (status == CN_OK) {
        solve_mcp_velocity(&s->model, s->trial.z, s->trial.w);
        double error = solve_natural_error_mcp(&s->model, s->trial.z, s->trial.w);
        *found = error <= PATH_MODEL_MAX;
    }
    return status == CN_ERR_CANCELLED ? CN_OK : status;
}

// trial := x(t), evaluated. *found false: no such point, or F is not defined there.
static cn_status path_point_at(ncp_path *s, double t, bool *found) {
    for (int32_t i = 0; i < s->p->n; i++) {
        s->model.q[i] = s->q[i] - (1.0 - t) * s->now.r[i];
    }
    CN_TRY(path_solve_model(s, found));
    // x = z - w for an exact answer. With z < lower + w it is beyond the bound, else inside: taking
    // the small w of an unknown that is between its bounds from z would move F by |J| times that.
    for (int32_t i = 0; *found && i < s->p->n; i++) {
        double z = s->trial.z[i], w = s->trial.w[i], x = z;
        x = z - s->lower[i] < w ? s->lower[i] - w : x;
        x = s->upper[i] - z < -w ? s->upper[i] - w : x;
        s->trial.x[i] = x;
    }
    *found = *found && path_evaluate(s, &s->trial);
    return CN_OK;
}

static bool path_jacobian(ncp_path *s) {
    s->report->gradients++;
    int64_t values = s->jacobian.values;
    bool defined = prob_ncp_jacobian_at(s->p, s->now.z, s->now.w, &s->jacobian);
    s->report->values += s->jacobian.values - values;
    s->size = 0.0;
    for (int64_t k = 0; defined && k < s->jacobian.J.start[s->p->n]; k++) {
        s->size = fmax(s->size, fabs(s->jacobian.J.value[k]));
    }
    s->size = s->size > 0.0 ? s->size : 1.0;
    return defined;
}

// trial := Newton's point with the smallest weight of the identity that gives one.
static cn_status path_newton_point(ncp_path *s, bool *found) {
    *found = false;
    for (int32_t k = 0; k < PATH_PROXIMAL_TRIES && !*found; k++) {
        if (k > 0) {
            s->weight = fmax(s->weight * PATH_PROXIMAL_UP, PATH_PROXIMAL_FIRST * s->size);
        }
        path_model(s, s->weight);
        CN_TRY(path_point_at(s, 1.0, found));
    }
    return CN_OK;
}

// ---- crash ----

// trial := P(z + d) with d from F_A + J_AA d_A = 0 on the unknowns A that z - F(z) leaves between
// their bounds, the others at the bound that it passes.
static cn_status path_crash_point(ncp_path *s, double *aim, bool *found) {
    int32_t n = s->p->n;
    path_model(s, PATH_PROXIMAL_MIN * s->size);
    memcpy(s->model.q, s->q, sizeof *s->q * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        double next = s->now.z[i] - s->now.w[i];
        bool below = !(next > s->lower[i]), above = next >= s->upper[i];
        s->model.lower[i] = below ? s->lower[i] : (above ? s->upper[i] : -HUGE_VAL);
        s->model.upper[i] = below ? s->lower[i] : (above ? s->upper[i] : HUGE_VAL);
    }
    cn_status status = path_solve_model(s, found);
    memcpy(aim, s->trial.z, sizeof *aim * (size_t)n);
    memcpy(s->model.lower, s->lower, sizeof *s->lower * (size_t)n);
    memcpy(s->model.upper, s->upper, sizeof *s->upper * (size_t)n);
    return status;
}

static cn_status path_crash(ncp_path *s) {
    int32_t n = s->p->n;
    for (int32_t k = 0; k < s->own->crash; k++) {
        bool found;
        if (solve_watch_stop(&s->watch, "crash", s->steps, s->best_error, &s->report->solve) ||
            !path_jacobian(s)) {
            return CN_OK;
        }
        CN_TRY(path_crash_point(s, s->phi, &found));
        if (!found) {
            return CN_OK;
        }
        s->steps++;
        double before = s->now.norm, t = 1.0;
        bool better = false;
        for (int32_t half = 0; half <= PATH_CRASH_HALVINGS && !better; half++, t *= 0.5) {
            for (int32_t i = 0; i < n; i++) {
                s->slope_z[i] = s->now.z[i] + t * (s->phi[i] - s->now.z[i]);
            }
            better =
                path_lift(s, s->slope_z, &s->trial) && s->trial.norm <= PATH_CRASH_FALL * before;
        }
        if (!better) {
            return CN_OK;
        }
        path_move(s);
        s->report->crash++;
    }
    return CN_OK;
}

// ---- one strategy: Newton's method with a path search ----

// One step down the gradient of the Fischer-Burmeister merit, projected on the bounds; false where none descends.
static bool path_gradient_step(ncp_path *s) {
    int32_t n = s->p->n;
    const cn_csr *J = &s->jacobian.J;
    double *gradient = s->q;
    double merit =
        newton_fischer_merit(&s->model, s->now.z, s->now.w, s->phi, s->slope_z, s->slope_w);
    for (int32_t i = 0; i < n; i++) {
        gradient[i] = s->slope_z[i] * s->phi[i];
    }
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = J->start[i]; k < J->start[i + 1]; k++) {
            gradient[J->column[k]] += J->value[k] * s->slope_w[i] * s->phi[i];
        }
    }
    double square = norm_of(n, gradient);
    square *= square;
    double t = square > 0.0 ? 2.0 * merit / square : 0.0; // the minimum of a linear residual
    for (int32_t k = 0; k < PATH_GRADIENT_HALVINGS && t > 0.0; k++, t *= 0.5) {
        double fall = 0.0;
        for (int32_t i = 0; i < n; i++) {
            double next = prob_ncp_clamp(s->p, i, s->now.z[i] - t * gradient[i]);
            fall += gradient[i] * (s->now.z[i] - next);
            s->trial.x[i] = next;
        }
        memcpy(s->model.q, s->trial.x, sizeof *gradient * (size_t)n);
        if (path_lift(s, s->model.q, &s->trial) &&
            newton_fischer_merit(&s->model, s->trial.z, s->trial.w, NULL, NULL, NULL) <=
                merit - PATH_DESCENT * fall &&
            fall > 0.0) {
            path_move(s);
            return true;
        }
    }
    return false;
}

// Halves t until |r| is below the reference; trial holds the point of t = 1 on entry.
static cn_status path_search(ncp_path *s, double reference, bool *accepted) {
    double t = 1.0;
    bool found = true;
    *accepted = s->trial.norm <= (1.0 - PATH_DESCENT) * reference;
    for (int32_t k = 0; k < s->own->halvings && !*accepted; k++) {
        t *= 0.5;
        CN_TRY(path_point_at(s, t, &found));
        *accepted = found && s->trial.norm <= (1.0 - PATH_DESCENT * t) * reference;
        if (solve_watch_is_late(&s->watch)) {
            break;
        }
    }
    return CN_OK;
}

// Until solved, out of iterations, or stalled.
static cn_status path_iterate(ncp_path *s) {
    double norms[PATH_MEMORY_MAX];
    int32_t count = 0, memory = s->own->memory;
    s->weight = s->own->proximal * s->size;
    s->best_step = s->steps;
    while (
        !solve_watch_stop(&s->watch, "newton steps", s->steps, s->best_error, &s->report->solve)) {
        if (s->steps - s->best_step > PATH_STALL || !path_jacobian(s)) {
            return CN_OK;
        }
        norms[count++ % memory] = s->now.norm;
        double reference = 0.0;
        for (int32_t k = 0; k < memory && k < count; k++) {
            reference = fmax(reference, norms[k]);
        }
        bool found, accepted = false;
        CN_TRY(path_newton_point(s, &found));
        if (found) {
            CN_TRY(path_search(s, reference, &accepted));
        }
        s->steps++;
        if (accepted) {
            path_move(s);
            s->weight *= PATH_PROXIMAL_DOWN;
            s->weight = s->weight > PATH_PROXIMAL_MIN * s->size ? s->weight : 0.0;
        } else if (!path_gradient_step(s)) {
            return CN_OK;
        }
    }
    return CN_OK;
}

// ---- the other strategy: implicit Euler steps of z' = -F(z) ----

// Steps that are taken wherever they lead, 1/h shrinking; the iteration above ends what they begin.
static cn_status path_euler(ncp_path *s) {
    s->best_step = s->steps;
    if (!path_jacobian(s)) {
        return CN_OK;
    }
    s->weight = s->size;
    for (int32_t k = 0; k < PATH_EULER_STEPS && s->weight > PATH_PROXIMAL_MIN * s->size; k++) {
        bool found;
        if (solve_watch_stop(&s->watch, "implicit Euler steps", s->steps, s->best_error,
                             &s->report->solve)) {
            return CN_OK;
        }
        CN_TRY(path_newton_point(s, &found));
        if (!found) {
            return CN_OK;
        }
        s->steps++;
        path_move(s);
        s->weight *= PATH_EULER_SHRINK;
        if (!path_jacobian(s)) {
            return CN_OK;
        }
    }
    return CN_OK;
}

// ---- all together ----

enum { PATH_FROM_START, PATH_FROM_ZERO, PATH_FROM_BEST };

// What is tried, in this order.
static const struct path_strategy {
    int from;
    bool crash, euler;
} path_strategies[] = {
    {PATH_FROM_START, true, false}, {PATH_FROM_START, false, false}, {PATH_FROM_START, false, true},
    {PATH_FROM_ZERO, true, false},  {PATH_FROM_ZERO, false, true},   {PATH_FROM_BEST, false, true},
};

static void path_start(ncp_path *s, int from, double *z) {
    for (int32_t i = 0; i < s->p->n; i++) {
        double at = from == PATH_FROM_START ? s->start[i] : 0.0;
        z[i] = prob_ncp_clamp(s->p, i, from == PATH_FROM_BEST ? s->best[i] : at);
    }
}

static bool path_is_ended(const ncp_path *s) {
    return s->report->solve.outcome != CN_STALLED || s->watch.status != CN_OK;
}

static cn_status path_run(ncp_path *s) {
    int32_t count = (int32_t)(sizeof path_strategies / sizeof *path_strategies);
    s->report->solve.outcome = CN_STALLED;
    for (int32_t k = 0; k < count && k <= s->own->restarts; k++) {
        const struct path_strategy *strategy = &path_strategies[k];
        path_start(s, strategy->from, s->phi);
        if (!path_lift(s, s->phi, &s->now)) {
            continue;
        }
        s->report->restarts = k;
        if (strategy->crash) {
            CN_TRY(path_crash(s));
        }
        if (strategy->euler && !path_is_ended(s)) {
            CN_TRY(path_euler(s));
        }
        if (!path_is_ended(s)) {
            CN_TRY(path_iterate(s));
        }
        if (path_is_ended(s)) {
            return CN_OK;
        }
        s->report->solve.detail = "no strategy found a step that descends: a local minimum of the "
                                  "residual, or F is not defined beside it";
    }
    return CN_OK;
}

static cn_status path_create(ncp_path *s) {
    int32_t n = s->p->n;
    double **const vectors[] = {&s->model.q, &s->model.lower, &s->model.upper, &s->q,
                                &s->lower,   &s->upper,       &s->now.x,       &s->now.z,
                                &s->now.w,   &s->now.r,       &s->trial.x,     &s->trial.z,
                                &s->trial.w, &s->trial.r,     &s->phi,         &s->slope_z,
                                &s->slope_w, &s->best,        &s->start};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = BASE_TAKE_ZERO(s->scratch, double, n);
        if (!*vectors[i]) {
            return CN_ERR_MEMORY;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        s->lower[i] = s->model.lower[i] = prob_ncp_lower(s->p, i);
        s->upper[i] = s->model.upper[i] = prob_ncp_upper(s->p, i);
    }
    s->model.n = n;
    CN_TRY(prob_ncp_jacobian_create(s->p, s->scratch, &s->jacobian));
    return newton_whole_diagonal(&s->jacobian.J, s->scratch, &s->model.M, &s->source, &s->diagonal);
}

cn_status solve_ncp_path(const cn_ncp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                         cn_ncp_report *report) {
    solve_ncp_params own;
    memcpy(&own, opts->params, sizeof own);
    ncp_path s = {.p = p,
                  .opts = opts,
                  .own = &own,
                  .scratch = scratch,
                  .watch = solve_watch_start(opts),
                  .report = report,
                  .size = 1.0,
                  .best_error = HUGE_VAL};
    CN_TRY(path_create(&s));
    size_t bytes = sizeof *z * (size_t)p->n;
    memcpy(s.start, z, bytes);
    memcpy(s.best, z, bytes);
    cn_status status = path_run(&s);
    memcpy(z, s.best, bytes);
    return status != CN_OK ? status : s.watch.status;
}
