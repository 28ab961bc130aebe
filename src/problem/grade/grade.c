// problem/grade/grade.c
// The independent checker: how far (r, W r + q) is from solving the problem.
//
// For a contact with coefficient mu and a step rho,
//     u^ = (u_N + mu |u_T|, u_T),   e = (r - P_K(r - rho u^)) / rho,
// is a velocity that is zero exactly at a solution, whatever rho > 0. Three measures of all e:
//     residual      rho = dim / trace W_aa,  |e| / |q| over the pressing contacts (q_N < 0)
//     residual_q    rho = 1,                 |e| / |q|
//     residual_max  rho = 1,                 |e| / max(|q|, |r|, |u|)
// References: De Saxce and Feng 1998 (u^), Acary, Bremond and Huber 2018 (the natural map as
// error). For mu > 1 |e| of a contact is at least |min(r_N / rho, u_N)| / sqrt(2): the natural map
// sees u_N < 0 only as |u_N| / sqrt(1 + mu^2), so that free fall would pass where mu is large.
// Without mu |u_T| the same measures the convex problem, whose law needs no such term. Rows of
// joints have a box instead of the cone, u^ = u, and W + E instead of W.
//
// Plain on purpose. No solver uses this code and this code uses none of theirs: the product with W,
// the traces and the projection are written out here a second time. Residuals with rho = 1 depend
// on the unit of mass; residual_max says little where |r| is large beside |q|.
#include <cairn/formulation.h>

#include "base/arena.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "problem/grade/grade_contacts.h"
#include "problem/grade/grade_points.h"
#include "problem/operator/slices.h"

#include <math.h>
#include <string.h>

// A velocity scale below this times max(1, |r| tr W / m) is what rounding leaves of zero: an error
// is then given as it is and not divided.
#define GRADE_ROUND_OFF 1e-15
// The same for residual_max, as Siconos 4.4 has it.
#define GRADE_MAX_ROUND_OFF 2e-16
// An impulse below this share of the largest is no impulse: the contact is open.
#define GRADE_OPEN 1e-14
// Nearer to the cone's surface than this share is on it: the contact slides.
#define GRADE_SURFACE 1e-9

static double square_sum(const double *x, int64_t count) {
    // Four sums at once: one alone would wait for each of its additions.
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += x[i + k] * x[i + k];
        }
    }
    for (; i < count; i++) {
        sum[0] += x[i] * x[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double norm_of(const double *x, int64_t count) {
    return sqrt(square_sum(x, count));
}

static double quotient(double value, double scale, double round_off) {
    return scale > round_off ? value / scale : value;
}

// The sums over a range of contacts, so that ranges can be graded by several threads and added up
// in their order.
typedef struct grade_part {
    prob_contact_sums sums;
    double r, q, u;  // squares summed
    double pressing; // the same of q over what presses
    bool presses;
} grade_part;

_Static_assert(sizeof(grade_part) <= BASE_FOLD_SIZE, "a part must fit");

typedef struct grade_counts {
    int32_t open, stick, slide;
} grade_counts;

// What the loops over contacts share.
typedef struct grading {
    const cn_friction *p;
    bool convex; // without mu |u_T| in u^
    const double *r;
    const double *given; // u; may be NULL
    double *v;           // of the bodies, M^-1 H r
    double *u, *trace;   // W r + q, trace W_aa
    double largest;      // |r_a|
    prob_slice slice[PROB_SLICES_MAX];
} grading;

// ---- u = W r + q and trace[a] = trace W_aa, straight from the definition ----

static void plain_assembled(const grading *g, int64_t first, int64_t end) {
    const cn_friction *p = g->p;
    int32_t dim = p->dim;
    const cn_bsr *W = &p->W.assembled;
    for (int64_t a = first; a < end; a++) {
        g->trace[a] = 0.0;
        for (int32_t i = 0; i < dim; i++) {
            double sum = p->q[dim * a + i];
            for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
                for (int32_t j = 0; j < dim; j++) {
                    double entry = W->value[(k * dim + j) * dim + i];
                    sum += entry * g->r[(int64_t)dim * W->column[k] + j];
                    g->trace[a] += W->column[k] == a && i == j ? entry : 0.0;
                }
            }
            g->u[dim * a + i] = sum;
        }
    }
}

// v = M^-1 H r
static void plain_push(const grading *g) {
    const cn_body_map *body = &g->p->W.body;
    int32_t dim = g->p->dim;
    for (int32_t a = 0; a < g->p->contacts; a++) {
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            for (int32_t i = 0; i < dim; i++) {
                g->v[body->dof[k]] += body->MinvH[dim * k + i] * g->r[(int64_t)dim * a + i];
            }
        }
    }
}

static void plain_body(const grading *g, int64_t first, int64_t end) {
    const cn_body_map *body = &g->p->W.body;
    int32_t dim = g->p->dim;
    for (int64_t a = first; a < end; a++) {
        g->trace[a] = 0.0;
        for (int32_t i = 0; i < dim; i++) {
            double sum = g->p->q[dim * a + i];
            for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
                sum += body->H[dim * k + i] * g->v[body->dof[k]];
                g->trace[a] += body->H[dim * k + i] * body->MinvH[dim * k + i];
            }
            g->u[dim * a + i] = sum;
        }
    }
}

static const double *plain_normal(const cn_sphere_map *spheres, int64_t a) {
    return spheres->normal + a * (spheres->stride == 0 ? 3 : spheres->stride);
}

static double plain_arm(const cn_sphere_map *spheres, int64_t a, int side) {
    if (spheres->arm) {
        return spheres->arm[2 * a + side];
    }
    double radius = spheres->radius[spheres->body[2 * a + side]];
    return radius < 0.0 ? 0.0 : radius + 0.5 * plain_normal(spheres, a)[3];
}

// Spheres and disks: with P = F r, v_B += P / m_B and omega_B -= R_B (n x P) / I_B, on A against
// it; u = F' (v_B - v_A + n x (R_A omega_A + R_B omega_B)) + q. In 2D all vectors have three parts,
// of which v has x, y and the turn about z. For a dimension known to the compiler.
static inline __attribute__((always_inline)) void plain_push_spheres(int dim, const grading *g,
                                                                     const prob_slice *slice) {
    const cn_sphere_map *spheres = &g->p->W.spheres;
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = slice->contact; a < slice->contact_end; a++) {
        const double *own = g->r + dim * a;
        double third = dim == 3 ? own[2] : 0.0, F[9], P[3];
        if (own[0] == 0.0 && own[1] == 0.0 && third == 0.0) {
            continue; // it pushes nothing
        }
        math_contact_axes(dim, plain_normal(spheres, a), F);
        const double *n = F;
        for (int k = 0; k < 3; k++) {
            P[k] = F[k] * own[0] + F[3 + k] * own[1] + F[6 + k] * third;
        }
        const double turn[3] = {n[1] * P[2] - n[2] * P[1], n[2] * P[0] - n[0] * P[2],
                                n[0] * P[1] - n[1] * P[0]};
        for (int side = 0; side < 2; side++) {
            int64_t body = spheres->body[2 * a + side];
            if (!prob_slice_has(slice, body)) {
                continue;
            }
            double linear = spheres->inv_mass[2 * body], *own_v = g->v + size * body;
            double push = side == 0 ? -linear : linear,
                   spin = plain_arm(spheres, a, side) * spheres->inv_mass[2 * body + 1];
            own_v[0] += push * P[0];
            own_v[1] += push * P[1];
            own_v[2] += dim == 3 ? push * P[2] : -spin * turn[2];
            for (int k = 3; k < size; k++) {
                own_v[k] -= spin * turn[k - 3];
            }
        }
    }
}

static void plain_slice(void *user, int32_t unit) {
    const grading *g = user;
    if (g->p->dim == 3) {
        plain_push_spheres(3, g, &g->slice[unit]);
    } else {
        plain_push_spheres(2, g, &g->slice[unit]);
    }
}

static inline __attribute__((always_inline)) void plain_spheres(int dim, const grading *g,
                                                                int64_t first, int64_t end) {
    const cn_sphere_map *spheres = &g->p->W.spheres;
    int size = dim == 3 ? 6 : 3;
    for (int64_t a = first; a < end; a++) {
        double F[9];
        math_contact_axes(dim, plain_normal(spheres, a), F);
        int64_t bodies[2] = {spheres->body[2 * a], spheres->body[2 * a + 1]};
        const double *n = F, arm[2] = {plain_arm(spheres, a, 0), plain_arm(spheres, a, 1)};
        const double *A = g->v + size * bodies[0], *B = g->v + size * bodies[1];
        double spin[3] = {0.0, 0.0, 0.0}, apart[3] = {B[0] - A[0], B[1] - A[1], 0.0};
        if (dim == 3) {
            apart[2] = B[2] - A[2];
        }
        for (int k = dim == 3 ? 0 : 2; k < 3; k++) {
            int at = dim == 3 ? 3 + k : 2;
            spin[k] = arm[0] * A[at] + arm[1] * B[at];
        }
        apart[0] += n[1] * spin[2] - n[2] * spin[1];
        apart[1] += n[2] * spin[0] - n[0] * spin[2];
        apart[2] += n[0] * spin[1] - n[1] * spin[0];
        for (int i = 0; i < dim; i++) {
            const double *axis = F + 3 * i;
            g->u[dim * a + i] =
                g->p->q[dim * a + i] + axis[0] * apart[0] + axis[1] * apart[1] + axis[2] * apart[2];
        }
        g->trace[a] = 0.0;
        for (int side = 0; side < 2; side++) {
            const double *inv_mass = spheres->inv_mass + 2 * bodies[side];
            g->trace[a] += dim * inv_mass[0] + (dim - 1) * arm[side] * (arm[side] * inv_mass[1]);
        }
    }
}

// z - mid(lower, z - w, upper), with the branches written out. NaN unless z and w are finite.
static double bound_error(double lower, double upper, double z, double w) {
    if (!(isfinite(z) && isfinite(w))) {
        return (double)NAN;
    }
    double step = z - w;
    return step < lower ? z - lower : (step > upper ? z - upper : w);
}

// The violations of one unknown: its bounds, the sign of w where no bound bears it, and the product
// of w with the distance to the bound that it presses against.
static void bound_violations(double lower, double upper, double z, double w, prob_sizes *sizes) {
    double bound = w > 0.0 ? lower : upper;
    sizes->r = prob_larger(sizes->r, fabs(z));
    sizes->u = prob_larger(sizes->u, fabs(w));
    sizes->cone = prob_larger(sizes->cone, prob_larger(lower - z, z - upper));
    if (isinf(bound)) {
        sizes->dual = prob_larger(sizes->dual, fabs(w));
    } else {
        sizes->product = prob_larger(sizes->product, fabs((z - bound) * w));
    }
}

// ---- blocks of joint rows ----

static bool has_box(const cn_friction *p, int32_t a) {
    return p->bounds.boxed && p->bounds.boxed[a];
}

// u and the traces with compliance.
static void plain_compliance(const grading *g, int64_t first, int64_t end) {
    const cn_friction *p = g->p;
    for (int64_t a = first; p->bounds.boxed && a < end; a++) {
        for (int32_t k = 0; p->bounds.compliance && k < p->dim; k++) {
            int64_t i = p->dim * a + k;
            g->u[i] += p->bounds.compliance[i] * g->r[i];
            g->trace[a] += p->bounds.compliance[i];
        }
    }
}

static void plain_spheres_any(const grading *g, int64_t first, int64_t end) {
    if (g->p->dim == 3) {
        plain_spheres(3, g, first, end);
    } else {
        plain_spheres(2, g, first, end);
    }
}

static void plain_points(const grading *g, int64_t first, int64_t end) {
    prob_plain_points(g->p, g->v, first, end, g->u, g->trace);
}

static void plain_push_body(const cn_env *env, grading *g) {
    (void)env;
    plain_push(g);
}

static void plain_push_slices(const cn_env *env, grading *g) {
    int32_t slices = prob_slices_cut(env, &g->p->W.spheres, g->p->contacts, g->slice);
    base_parallel_for(env, slices, plain_slice, g);
}

static void plain_push_points(const cn_env *env, grading *g) {
    (void)env;
    prob_plain_points_push(g->p, g->r, g->v);
}

// A form of W, written out plainly.
typedef struct plain_form {
    void (*push)(const cn_env *env, grading *g); // v = M^-1 H r; NULL: there are no bodies
    void (*velocity)(const grading *g, int64_t first, int64_t end); // W r + q and the traces
} plain_form;

static const plain_form plain_forms[] = {
    [CN_OPERATOR_ASSEMBLED] = {NULL, plain_assembled},
    [CN_OPERATOR_BODY] = {plain_push_body, plain_body},
    [CN_OPERATOR_SPHERES] = {plain_push_slices, plain_spheres_any},
    [CN_OPERATOR_POINTS] = {plain_push_points, plain_points}};

// u = (W + E) r + q and the traces of the blocks, whatever the form of W.
static void plain_velocity(const grading *g, int64_t first, int64_t end) {
    plain_forms[g->p->W.kind].velocity(g, first, end);
    plain_compliance(g, first, end);
}

// The velocities of the bodies, where W has any.
static void plain_bodies(const cn_env *env, grading *g) {
    int32_t dofs = cn_operator_dofs(&g->p->W, g->p->dim);
    for (int32_t d = 0; d < dofs; d++) {
        g->v[d] = 0.0;
    }
    if (plain_forms[g->p->W.kind].push) {
        plain_forms[g->p->W.kind].push(env, g);
    }
}

// |e| of one block of rows, each with its own bounds.
static double box_error(const cn_friction *p, int32_t a, double rho, const double *r,
                        const double *u) {
    double error = 0.0;
    for (int32_t k = 0; k < p->dim; k++) {
        int64_t i = (int64_t)p->dim * a + k;
        error = prob_length(
            error, bound_error(p->bounds.lower[i], p->bounds.upper[i], r[i], rho * u[i]) / rho);
    }
    return error;
}

static void box_violations(const cn_friction *p, int32_t a, const double *r, const double *u,
                           prob_sizes *sizes) {
    for (int32_t k = 0; k < p->dim; k++) {
        int64_t i = (int64_t)p->dim * a + k;
        bound_violations(p->bounds.lower[i], p->bounds.upper[i], r[i], u[i], sizes);
    }
}

static double largest_offset(const grading *g, int64_t first, int64_t end) {
    double largest = 0.0;
    int32_t dim = g->p->dim;
    for (int64_t a = first; g->given && a < end; a++) {
        const double *one = g->given + dim * a, *other = g->u + dim * a;
        double third = dim == 3 ? one[2] - other[2] : 0.0;
        largest = prob_larger(largest, prob_length3(one[0] - other[0], one[1] - other[1], third));
    }
    return largest;
}

// What presses: contacts, and rows of joints one by one, since an open limit carries its distance
// in q like an open contact.
static void grade_pressing(const cn_friction *p, int64_t first, int64_t end, grade_part *part) {
    for (int64_t a = first; a < end; a++) {
        const double *q = p->q + p->dim * a;
        if (has_box(p, (int32_t)a)) {
            for (int32_t k = 0; k < p->dim; k++) {
                int64_t i = p->dim * a + k;
                bool held = (q[k] < 0.0 && p->bounds.upper[i] > 0.0) ||
                            (q[k] > 0.0 && p->bounds.lower[i] < 0.0);
                part->presses = part->presses || held;
                part->pressing += held ? q[k] * q[k] : 0.0;
            }
        } else if (q[0] < 0.0) {
            part->presses = true;
            for (int32_t i = 0; i < p->dim; i++) {
                part->pressing += q[i] * q[i];
            }
        }
    }
}

static void grade_boxes(const grading *g, int64_t first, int64_t end, prob_contact_sums *sums) {
    const cn_friction *p = g->p;
    for (int32_t a = (int32_t)first; p->bounds.boxed && a < end; a++) {
        if (p->bounds.boxed[a]) {
            double rho = g->trace[a] > 0.0 ? p->dim / g->trace[a] : 1.0;
            prob_sums_add(sums, a, box_error(p, a, rho, g->r, g->u),
                          box_error(p, a, 1.0, g->r, g->u));
            box_violations(p, a, g->r, g->u, &sums->sizes);
            sums->sizes.trace += g->trace[a];
        }
    }
}

static void grade_range(const void *user, int64_t first, int64_t end, void *to) {
    const grading *g = user;
    const cn_friction *p = g->p;
    int64_t at = p->dim * first, count = p->dim * (end - first);
    grade_part *part = to;
    part->sums.worst = -1;
    plain_velocity(g, first, end);
    grade_boxes(g, first, end, &part->sums);
    prob_grade_contacts(p, g->convex, (int32_t)first, (int32_t)end, g->r, g->u, g->trace,
                        &part->sums);
    part->sums.sizes.offset = largest_offset(g, first, end);
    part->r = square_sum(g->r + at, count);
    part->q = square_sum(p->q + at, count);
    part->u = square_sum(g->u + at, count);
    grade_pressing(p, first, end, part);
}

// Open, stick and slide, when the largest impulse is known.
static void count_range(const void *user, int64_t first, int64_t end, void *to) {
    const grading *g = user;
    const cn_friction *p = g->p;
    grade_counts *part = to;
    for (int64_t a = first; a < end; a++) {
        if (has_box(p, (int32_t)a)) {
            continue;
        }
        const double *impulse = g->r + p->dim * a;
        double tangent = p->dim == 2 ? fabs(impulse[1]) : prob_length(impulse[1], impulse[2]);
        if (impulse[0] <= GRADE_OPEN * g->largest) {
            part->open++;
        } else if (tangent < p->mu[a] * impulse[0] * (1.0 - GRADE_SURFACE)) {
            part->stick++;
        } else {
            part->slide++;
        }
    }
}

static void counts_join(void *to, const void *from) {
    const grade_counts *part = from;
    grade_counts *all = to;
    all->open += part->open;
    all->stick += part->stick;
    all->slide += part->slide;
}

static void grade_join(void *to, const void *from) {
    const grade_part *part = from;
    grade_part *all = to;
    prob_sums_join(&part->sums, &all->sums);
    all->r += part->r;
    all->q += part->q;
    all->u += part->u;
    all->pressing += part->pressing;
    all->presses = all->presses || part->presses;
}

static void note_worst(cn_grade *grade, int32_t unknown, double error) {
    if (!isnan(grade->worst_error) && !(error <= grade->worst_error)) {
        grade->worst = unknown;
        grade->worst_error = error;
    }
}

static void grade_violations(const prob_sizes *sizes, double round_off, cn_grade *grade) {
    grade->cone_violation = quotient(sizes->cone, sizes->r, 0.0);
    grade->dual_violation = quotient(sizes->dual, sizes->u, round_off);
    grade->complementarity = quotient(quotient(sizes->product, sizes->r, 0.0), sizes->u, round_off);
    grade->velocity_mismatch = quotient(sizes->offset, sizes->u, round_off);
}

// The three residuals and the violations from the sums over all contacts.
static void grade_conclude(const cn_friction *p, const grade_part *all, cn_grade *grade) {
    const prob_sizes *sizes = &all->sums.sizes;
    int64_t m = (int64_t)p->dim * p->contacts;
    double r_norm = sqrt(all->r), q_norm = sqrt(all->q);
    double lever = m > 0 ? r_norm * sizes->trace / (double)m : 0.0;
    double round_off = GRADE_ROUND_OFF * (lever > 1.0 ? lever : 1.0);
    double largest = prob_larger(prob_larger(q_norm, r_norm), sqrt(all->u));
    // |q| over what presses; over all when nothing does
    double pressing = all->presses ? sqrt(all->pressing) : q_norm;
    grade->worst = all->sums.worst;
    grade->worst_error = all->sums.worst_error;
    grade->residual = quotient(sqrt(all->sums.scaled), pressing, round_off);
    grade->residual_q = quotient(sqrt(all->sums.plain), q_norm, round_off);
    grade->residual_max = quotient(sqrt(all->sums.plain), largest, GRADE_MAX_ROUND_OFF);
    grade_violations(sizes, round_off, grade);
}

// convex: without mu |u_T| in u^.
static cn_status grade_cone(const cn_friction *p, bool convex, const double *r,
                            const double *u_given, cn_arena *scratch, cn_grade *grade) {
    const cn_env *env = cn_arena_env(scratch);
    *grade = (cn_grade){.worst = -1};
    base_arena_mark mark = base_arena_get_mark(scratch);
    grading g = {.p = p, .convex = convex, .r = r, .given = u_given};
    g.u = BASE_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
    g.trace = BASE_TAKE(scratch, double, p->contacts);
    g.v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
    if (!g.u || !g.trace || !g.v) {
        base_arena_release(scratch, mark);
        return CN_ERR_MEMORY;
    }
    plain_bodies(env, &g);
    grade_part all = {.sums = {.worst = -1}};
    grade_counts counts = {0, 0, 0};
    base_parallel_fold(env, p->contacts, grade_range, grade_join, &g, sizeof all, &all);
    g.largest = all.sums.sizes.r;
    base_parallel_fold(env, p->contacts, count_range, counts_join, &g, sizeof counts, &counts);
    grade_conclude(p, &all, grade);
    grade->open = counts.open;
    grade->stick = counts.stick;
    grade->slide = counts.slide;
    base_arena_release(scratch, mark);
    return CN_OK;
}

cn_status cn_friction_grade(const cn_friction *p, const double *r, const double *u,
                            cn_arena *scratch, cn_grade *grade) {
    return grade_cone(p, p->convex, r, u, scratch, grade);
}

cn_status cn_convex_grade(const cn_friction *p, const double *r, cn_arena *scratch,
                          cn_grade *grade) {
    return grade_cone(p, true, r, NULL, scratch, grade);
}

cn_status cn_mcp_grade(const cn_mcp *p, const double *z, cn_arena *scratch, cn_grade *grade) {
    (void)scratch;
    *grade = (cn_grade){.worst = -1};
    double sum = 0.0;
    prob_sizes sizes = {0};
    for (int32_t i = 0; i < p->n; i++) {
        double w = p->q[i];
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            w += p->M.value[k] * z[p->M.column[k]];
            sizes.trace += p->M.column[k] == i ? p->M.value[k] : 0.0;
        }
        double error = fabs(bound_error(p->lower[i], p->upper[i], z[i], w));
        sum += error * error;
        note_worst(grade, i, error);
        bound_violations(p->lower[i], p->upper[i], z[i], w, &sizes);
    }
    double lever = p->n > 0 ? norm_of(z, p->n) * sizes.trace / p->n : 0.0;
    double round_off = GRADE_ROUND_OFF * (lever > 1.0 ? lever : 1.0);
    grade->residual = quotient(sqrt(sum), norm_of(p->q, p->n), round_off);
    grade->residual_q = grade->residual_max = grade->residual;
    grade_violations(&sizes, round_off, grade);
    for (int32_t i = 0; i < p->n; i++) {
        double margin = GRADE_OPEN * sizes.r;
        grade->open += z[i] - p->lower[i] <= margin || p->upper[i] - z[i] <= margin;
    }
    grade->stick = p->n - grade->open;
    return CN_OK;
}

cn_status cn_lcp_grade(const cn_lcp *p, const double *z, cn_arena *scratch, cn_grade *grade) {
    cn_mcp as_mcp;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = cn_mcp_from_lcp(p, scratch, &as_mcp, NULL);
    if (status == CN_OK) {
        status = cn_mcp_grade(&as_mcp, z, scratch, grade);
    }
    base_arena_release(scratch, mark);
    return status;
}

double cn_grade_residual(const cn_grade *grade, cn_measure measure) {
    const double residual[] = {grade->residual, grade->residual_q, grade->residual_max};
    return (unsigned)measure < sizeof residual / sizeof *residual ? residual[measure] : (double)NAN;
}
