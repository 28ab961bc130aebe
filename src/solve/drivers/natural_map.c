// solve/drivers/natural_map.c
// The natural map of the Coulomb problem, per contact with u^ = (u_N + mu |u_T|, u_T) and a step
// rho_a:
//     e_a = (r_a - P_K(r_a - rho_a u^_a)) / rho_a,
// which is zero exactly at a solution (De Saxce and Feng 1998; Acary and Brogliato 2008). The
// branches of the projection are written out, so that r cancels by algebra and not by subtraction:
// inside the cone e = u^, in the polar cone e = r / rho. A row of a joint has its bounds in place
// of the cone: e = u inside, r less the bound over rho beyond it. The convex problem is without
// mu |u_T|. Where mu is above SOLVE_NATURAL_STEEP, |e_a| is at least |min(r_N / rho, u_N)| / sqrt(2),
// since e shows only |u_N| / sqrt(1 + mu^2) of a u_N < 0.
#include "solve/drivers/natural_map.h"

#include "base/parallel.h"
#include "problem/operator/operator.h"
#include "problem/operator/sphere_map.h"
#include "solve/drivers/joint_rows.h"

#include <math.h>

// |e_a|^2 of one contact; lift: mu, or 0 in the convex problem.
static inline double contact_error(int32_t dim, double mu, double lift, double rho, const double *r,
                                   const double *u) {
    double slip = dim == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
    double hat = u[0] + lift * slip;
    double z[3] = {r[0] - rho * hat, r[1] - rho * u[1], dim == 2 ? 0.0 : r[2] - rho * u[2]};
    double tangent = dim == 2 ? fabs(z[1]) : sqrt(z[1] * z[1] + z[2] * z[2]);
    double e[3] = {hat, u[1], dim == 2 ? 0.0 : u[2]};
    if (mu * tangent <= -z[0]) {
        e[0] = r[0] / rho;
        e[1] = r[1] / rho;
        e[2] = dim == 2 ? 0.0 : r[2] / rho;
    } else if (!(tangent <= mu * z[0])) {
        // On the cone's side: z - P_K(z) = excess (-mu, z_T / |z_T|), added to u^.
        double excess = (tangent - mu * z[0]) / ((1.0 + mu * mu) * rho);
        e[0] -= mu * excess;
        e[1] += excess * z[1] / tangent;
        e[2] += excess * z[2] / tangent;
    }
    double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    if (lift > SOLVE_NATURAL_STEEP) {
        double open = r[0] / rho, min = open <= u[0] ? open : u[0];
        double normal = SOLVE_NATURAL_NORMAL_WEIGHT * min * min;
        square = normal > square ? normal : square;
    }
    return square;
}

// |e_a|^2 of one block of joint rows.
static double box_error(const cn_friction *p, int32_t a, double rho, const double *r,
                        const double *u) {
    const double *lower = p->bounds.lower + (int64_t)p->dim * a,
                 *upper = p->bounds.upper + (int64_t)p->dim * a;
    double sum = 0.0;
    for (int32_t i = 0; i < p->dim; i++) {
        double z = r[i] - rho * u[i];
        double e = z < lower[i] ? (r[i] - lower[i]) / rho
                                : (z > upper[i] ? (r[i] - upper[i]) / rho : u[i]);
        sum += isnan(z) ? z : e * e;
    }
    return sum;
}

// The same of any block.
static inline double block_error(const cn_friction *p, int32_t a, double rho, const double *r,
                                 const double *u) {
    int64_t row = (int64_t)p->dim * a;
    return prob_is_boxed(&p->bounds, a)
               ? box_error(p, a, rho, r + row, u + row)
               : contact_error(p->dim, p->mu[a], solve_lift_of(p, a), rho, r + row, u + row);
}

static double square_sum(int64_t count, const double *x) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

// size, or 1 where it is round-off of the terms that q is the sum of.
static double natural_denominator(double size, double force, double mean_diagonal) {
    double floor = SOLVE_NATURAL_ROUNDOFF * fmax(1.0, force * mean_diagonal);
    return size < floor ? 1.0 : size;
}

typedef struct unit_sums {
    double pressing, all, trace;
} unit_sums;

static void unit_range(const void *user, int64_t first, int64_t end, void *part) {
    const cn_friction *p = user;
    unit_sums *sums = part;
    for (int32_t a = (int32_t)first; a < end; a++) {
        int64_t row = (int64_t)p->dim * a;
        double size = square_sum(p->dim, p->q + row);
        sums->pressing += prob_is_boxed(&p->bounds, a) ? solve_boxes_pressing(p, a)
                          : p->q[row] < 0.0            ? size
                                                       : 0.0;
        sums->all += size;
        sums->trace += prob_operator_trace(&p->W, p->dim, a);
    }
}

static void unit_join(void *total, const void *part) {
    unit_sums *sums = total;
    const unit_sums *more = part;
    sums->pressing += more->pressing;
    sums->all += more->all;
    sums->trace += more->trace;
}

solve_natural_unit solve_natural_unit_of(const cn_env *env, const cn_friction *p) {
    unit_sums sums = {0.0, 0.0, 0.0};
    base_parallel_fold(env, p->contacts, unit_range, unit_join, p, sizeof sums, &sums);
    return (solve_natural_unit){.size = sqrt(sums.pressing > 0.0 ? sums.pressing : sums.all),
                                .mean_diagonal = sums.trace / ((double)p->dim * p->contacts)};
}

double solve_natural_divide(const solve_natural_unit *unit, double error, double force) {
    return error / natural_denominator(unit->size, force, unit->mean_diagonal);
}

static double square_range(const void *user, int64_t first, int64_t end) {
    return square_sum(end - first, (const double *)user + first);
}

static double natural_size_by(const cn_env *env, const cn_friction *p, cn_measure measure,
                              const double *r, const double *u) {
    int64_t m = (int64_t)p->dim * p->contacts;
    solve_natural_unit unit = solve_natural_unit_of(env, p);
    double force = sqrt(base_parallel_sum(env, m, square_range, r));
    if (measure == CN_MEASURE_SCALED) {
        return natural_denominator(unit.size, force, unit.mean_diagonal);
    }
    double norm = sqrt(base_parallel_sum(env, m, square_range, p->q));
    if (measure == CN_MEASURE_Q) {
        return natural_denominator(norm, force, unit.mean_diagonal);
    }
    double largest = fmax(norm, fmax(force, sqrt(base_parallel_sum(env, m, square_range, u))));
    return largest < SOLVE_NATURAL_TINY ? 1.0 : largest;
}

double solve_natural_size(const cn_friction *p, cn_measure measure, const double *r,
                          const double *u) {
    return natural_size_by(NULL, p, measure, r, u);
}

// What the loop over contacts reads.
typedef struct error_loop {
    const cn_friction *p;
    bool scaled;
    const double *r, *u;
} error_loop;

// |e|^2 summed; rho_a = dim / trace W_aa, or 1.
static double error_range(const void *user, int64_t first, int64_t end) {
    const error_loop *loop = user;
    const cn_friction *p = loop->p;
    double error = 0.0;
    for (int32_t a = (int32_t)first; a < end; a++) {
        double trace = loop->scaled ? prob_operator_trace(&p->W, p->dim, a) : 0.0;
        // A contact without stiffness of its own has no step of its own.
        double rho = trace > 0.0 ? p->dim / trace : 1.0;
        error += block_error(p, a, rho, loop->r, loop->u);
    }
    return error;
}

double solve_natural_error_in(const cn_env *env, const solve_natural_unit *unit,
                              const cn_friction *p, const double *r, const double *u) {
    if (p->contacts == 0) {
        return 0.0;
    }
    const error_loop loop = {p, true, r, u};
    double force = sqrt(base_parallel_sum(env, (int64_t)p->dim * p->contacts, square_range, r));
    return solve_natural_divide(unit, sqrt(base_parallel_sum(env, p->contacts, error_range, &loop)),
                                force);
}

// |e|^2 of spheres summed; loop.u: the velocities of the bodies.
static double sphere_error_range(const void *user, int64_t first, int64_t end) {
    const error_loop *loop = user;
    const cn_friction *p = loop->p;
    const cn_sphere_map *spheres = &p->W.spheres;
    int64_t size = p->dim == 3 ? 6 : 3;
    double error = 0.0;
    for (int64_t a = first; a < end; a++) {
        int64_t row = p->dim * a;
        double u[3], trace = prob_operator_trace(&p->W, p->dim, (int32_t)a);
        double rho = trace > 0.0 ? p->dim / trace : 1.0; // as above
        prob_sphere_relative(p->dim, spheres, a, loop->u + size * spheres->body[2 * a],
                             loop->u + size * spheres->body[2 * a + 1], u);
        for (int32_t i = 0; i < p->dim; i++) {
            u[i] += p->q[row + i];
        }
        error +=
            contact_error(p->dim, p->mu[a], solve_lift_of(p, (int32_t)a), rho, loop->r + row, u);
    }
    return error;
}

double solve_natural_error_spheres(const cn_env *env, const solve_natural_unit *unit,
                                   const cn_friction *p, const double *r, const double *v) {
    const error_loop loop = {p, true, r, v};
    double force = sqrt(base_parallel_sum(env, (int64_t)p->dim * p->contacts, square_range, r));
    double error = sqrt(base_parallel_sum(env, p->contacts, sphere_error_range, &loop));
    return solve_natural_divide(unit, error, force);
}

double solve_natural_error_by(const cn_env *env, const cn_friction *p, cn_measure measure,
                              const double *r, const double *u) {
    if (p->contacts == 0) {
        return 0.0;
    }
    const error_loop loop = {p, measure == CN_MEASURE_SCALED, r, u};
    return sqrt(base_parallel_sum(env, p->contacts, error_range, &loop)) /
           natural_size_by(env, p, measure, r, u);
}

double solve_natural_error(const cn_friction *p, cn_measure measure, const double *r,
                           const double *u) {
    return solve_natural_error_by(NULL, p, measure, r, u);
}

static double csr_trace(const cn_csr *a) {
    double trace = 0.0;
    for (int32_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1] && a->column[k] <= i; k++) {
            trace += a->column[k] == i ? a->value[k] : 0.0;
        }
    }
    return trace;
}

// |error| over |q|, absolute where that is round-off.
static double natural_relative(const cn_csr *M, const double *q, const double *z, double squares) {
    int32_t n = M->rows;
    double norm = sqrt(square_sum(n, q)), force = sqrt(square_sum(n, z));
    return sqrt(squares) / natural_denominator(norm, force, csr_trace(M) / n);
}

double solve_natural_error_lcp(const cn_lcp *p, const double *z, const double *w) {
    if (p->n == 0) {
        return 0.0;
    }
    double error = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        double apart = z[i] - w[i];
        double min = apart <= 0.0 ? z[i] : (apart > 0.0 ? w[i] : apart); // NaN of either stays
        error += min * min;
    }
    return natural_relative(&p->M, p->q, z, error);
}

double solve_natural_error_mcp(const cn_mcp *p, const double *z, const double *w) {
    if (p->n == 0) {
        return 0.0;
    }
    double error = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        double step = z[i] - w[i];
        double off = w[i];
        if (!(step >= p->lower[i])) {
            off = z[i] - p->lower[i]; // NaN stays
        } else if (step > p->upper[i]) {
            off = z[i] - p->upper[i];
        }
        error += isnan(step) ? step : off * off;
    }
    return natural_relative(&p->M, p->q, z, error);
}
