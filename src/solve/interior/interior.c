// solve/interior/interior.c
// Primal-dual path following with the scaling of Nesterov and Todd and the predictor-corrector of
// Mehrotra. A pair x, y in the cone L = { x_0 >= |x_T| } with its algebra x o y = (x.y, x_0 y_T +
// y_0 x_T) follows x o y = t e, t -> 0. The scaling F with F x = F^-1 y = l is
//     F^2 = k (2 w w' - J),  J = diag(1, -1, -1),  k = |y|/|x|,  |x| = (x_0^2 - |x_T|^2)^(1/2),
//     w = (y/|y| + J x/|x|)/(2 g),  g^2 = (1 + x.y/(|x||y|))/2;
// a direction solves  dy + F^2 dx = F c,  l o c = t e - l o l - (F dx) o (F^-1 dy), and
//     W dr - dy = -(W r + q - y),
// that is (W + T F^2 T) dr = T F c - rest with x = T r: the system of newton_system.h, with A = I.
//
// With s = |y_T| instead of a frozen s, A gains the row N entries mu t', t = y_T/|y_T|.
//
// References: Nesterov and Todd, SIAM J. Optim. 8 (1998); Mehrotra, SIAM J. Optim. 2 (1992);
// Andersen, Dahl and Vandenberghe, "CVXOPT" for the formulas of the scaling. Rank deficiency does
// no harm: F^2 is definite on the way, and only directions that do not matter are free at the end.
#include "solve/interior/interior.h"

#include "base/arena.h"
#include "math/cone.h"

#include <math.h>
#include <string.h>

#define INTERIOR_WAY 0.97   // of the way to the boundary
#define INTERIOR_SHORT 0.1  // a shorter step is tried again,
#define INTERIOR_CENTRE 0.8 // with this share of the gap and no second-order term
#define INTERIOR_LONG 0.5   // a longer step lets the share of the derivative of s grow twofold,
#define INTERIOR_SHARE_FIRST 0.05 // from this;
#define INTERIOR_SHARE_MIN 0.01   // short ones halve it down to this, then to none
// The gap, as a velocity, is not aimed below this share of what is left of the equations: a pair
// that meets its cone before the equations hold leaves it with tiny steps only.
#define INTERIOR_BALANCE 1e-3
#define INTERIOR_INSIDE 1e-14 // x_0 stays above |x_T| by this share
#define INTERIOR_ROOM 0.99    // of a new, smaller disc that the old r_T may fill

cn_status ipm_interior_prepare(const cn_friction *p, const ipm_interior_ops *ops, cn_arena *scratch,
                               ipm_interior *out) {
    int64_t m = (int64_t)p->dim * p->contacts, pairs = m + p->contacts;
    *out = (ipm_interior){.p = p, .ops = ops, .m = m};
    double **const vectors[] = {&out->r, &out->u, &out->rest, &out->right, &out->dr};
    double **const doubled[] = {&out->x, &out->y, &out->dx, &out->dy, &out->point};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = BASE_TAKE_ZERO(scratch, double, m);
        *doubled[i] = BASE_TAKE_ZERO(scratch, double, pairs);
        if (!*vectors[i] || !*doubled[i]) {
            return CN_ERR_MEMORY;
        }
    }
    out->scale = BASE_TAKE(scratch, double, p->contacts);
    out->frozen = BASE_TAKE_ZERO(scratch, double, p->contacts);
    if (!out->scale || !out->frozen) {
        return CN_ERR_MEMORY;
    }
    out->width = ops->is_disc ? out->frozen : p->mu;
    out->size = newton_scales(p, out->scale);
    cn_status status = newton_analyse(p, scratch, &out->system);
    out->system.root = BASE_TAKE(scratch, double, p->dim *m);
    return status == CN_OK && !out->system.root ? CN_ERR_MEMORY : status;
}

// ---- which pairs a contact has ----

static bool has_cone(const ipm_interior *s, int32_t a) {
    return s->width[a] > 0.0;
}

static bool has_scalar(const ipm_interior *s, int32_t a) {
    return s->ops->is_disc || !(s->p->mu[a] > 0.0);
}

// ---- the algebra of one cone ----

static double cone_dot(int32_t dim, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < dim; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double cone_tail(int32_t dim, const double *a) {
    return sqrt(cone_dot(dim - 1, a + 1, a + 1));
}

static double determinant(int32_t dim, const double *a) {
    double tail = cone_tail(dim, a);
    return (a[0] - tail) * (a[0] + tail);
}

// The scaling point w and the factor k of a pair.
static void scale_pair(int32_t dim, const double *x, const double *y, double *w, double *k) {
    double gx = sqrt(determinant(dim, x)), gy = sqrt(determinant(dim, y));
    double g = sqrt(0.5 * (1.0 + cone_dot(dim, x, y) / (gx * gy)));
    for (int32_t i = 1; i < dim; i++) {
        w[i] = (y[i] / gy - x[i] / gx) / (2.0 * g);
    }
    // From its definition, so that w_0^2 - |w_T|^2 = 1 in spite of rounding.
    w[0] = sqrt(1.0 + cone_dot(dim - 1, w + 1, w + 1));
    *k = gy / gx;
}

// out := F v, or F^-1 v with sign = -1.
static void apply_scaling(int32_t dim, const double *w, double k, double sign, const double *v,
                          double *out) {
    double along = cone_dot(dim - 1, w + 1, v + 1), factor = sqrt(sign > 0.0 ? k : 1.0 / k);
    double first = w[0] * v[0] + sign * along;
    for (int32_t i = 1; i < dim; i++) {
        out[i] = factor * (v[i] + w[i] * (sign * v[0] + along / (1.0 + w[0])));
    }
    out[0] = factor * first;
}

// out := F^2 v
static void apply_square(int32_t dim, const double *w, double k, const double *v, double *out) {
    double along = 2.0 * cone_dot(dim, w, v);
    for (int32_t i = 0; i < dim; i++) {
        out[i] = k * (along * w[i] + (i == 0 ? -v[i] : v[i]));
    }
}

// c with l o c = d, instead of d.
static void divide(int32_t dim, const double *l, double *d) {
    double first = (l[0] * d[0] - cone_dot(dim - 1, l + 1, d + 1)) / determinant(dim, l);
    for (int32_t i = 1; i < dim; i++) {
        d[i] = (d[i] - first * l[i]) / l[0];
    }
    d[0] = first;
}

// The right-hand side F c of a pair for the target t; dx, dy: the predictor, or NULL.
static void pair_target(int32_t dim, const double *w, double k, const double *x, double t,
                        const double *dx, const double *dy, double *out) {
    double l[3], c[3], a[3] = {0.0, 0.0, 0.0}, b[3] = {0.0, 0.0, 0.0};
    apply_scaling(dim, w, k, 1.0, x, l);
    if (dx) {
        apply_scaling(dim, w, k, 1.0, dx, a);
        apply_scaling(dim, w, k, -1.0, dy, b);
    }
    c[0] = t - cone_dot(dim, l, l) - cone_dot(dim, a, b);
    for (int32_t i = 1; i < dim; i++) {
        c[i] = -2.0 * l[0] * l[i] - a[0] * b[i] - b[0] * a[i];
    }
    divide(dim, l, c);
    apply_scaling(dim, w, k, 1.0, c, out);
}

// The longest step from x along dx inside the cone.
static double cone_reach(int32_t dim, const double *x, const double *dx) {
    double a = dx[0] * dx[0] - cone_dot(dim - 1, dx + 1, dx + 1);
    double b = x[0] * dx[0] - cone_dot(dim - 1, x + 1, dx + 1), c = determinant(dim, x);
    if (a >= 0.0 && b >= 0.0) {
        return HUGE_VAL;
    }
    double root = b * b - a * c;
    return root >= 0.0 ? c / (sqrt(root) - b) : HUGE_VAL;
}

// ---- the two convex problems ----

// x_0 a little above |x_T| at least.
static void keep_inside(int32_t dim, double *x) {
    double tail = cone_tail(dim, x);
    x[0] = fmax(x[0], tail * (1.0 + INTERIOR_INSIDE));
}

static void cone_enter(const ipm_interior *s, int32_t a, double force, double slip, double impulse,
                       double *x, double *y) {
    double mu = s->p->mu[a];
    x[0] = fmax(mu * force, cone_tail(s->p->dim, x)) + impulse;
    if (mu > 0.0) {
        y[0] += fmax(slip, 0.0) / mu;
    }
}

static void disc_enter(const ipm_interior *s, int32_t a, double force, double slip, double impulse,
                       double *x, double *y) {
    (void)force;
    (void)slip;
    (void)impulse;
    (void)y;
    x[0] = s->frozen[a];
}

static void cone_refreeze(ipm_interior *s) {
    (void)s; // s is in the equations only
}

static void disc_refreeze(ipm_interior *s) {
    int32_t dim = s->p->dim;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        double *x = s->x + (int64_t)(dim + 1) * a, tail = cone_tail(dim, x + 1);
        x[1] = s->frozen[a];
        double shrink = tail > INTERIOR_ROOM * x[1] ? INTERIOR_ROOM * x[1] / tail : 1.0;
        for (int32_t i = 2; i <= dim; i++) {
            x[i] *= shrink;
        }
    }
}

static void cone_keep(int32_t dim, double *x, double *y) {
    keep_inside(dim, x);
    keep_inside(dim, y);
}

static void disc_keep(int32_t dim, double *x, double *y) {
    (void)x; // its x_0 is given
    keep_inside(dim, y);
}

static double cone_lift(const ipm_interior *s, int32_t a) {
    return s->p->mu[a] * s->frozen[a];
}

static double disc_lift(const ipm_interior *s, int32_t a) {
    (void)s;
    (void)a;
    return 0.0;
}

static void cone_project(const ipm_interior *s, int32_t a, double *z) {
    math_cone_project(s->p->dim, s->p->mu[a], z);
}

static void disc_project(const ipm_interior *s, int32_t a, double *z) {
    int32_t dim = s->p->dim;
    double tail = cone_tail(dim, z), shrink = tail > s->frozen[a] ? s->frozen[a] / tail : 1.0;
    z[0] = fmax(0.0, z[0]);
    for (int32_t i = 1; i < dim; i++) {
        z[i] *= shrink;
    }
}

static double cone_frozen(double mu, double force, double slip) {
    (void)mu;
    (void)force;
    return slip;
}

static double disc_frozen(double mu, double force, double slip) {
    (void)slip;
    return mu * fmax(0.0, force);
}

static double cone_unit(double mu, double scale) {
    (void)scale;
    return mu;
}

static double disc_unit(double mu, double scale) {
    (void)mu;
    return scale;
}

const ipm_interior_ops ipm_interior_cone = {.enter = cone_enter,
                                            .refreeze = cone_refreeze,
                                            .keep = cone_keep,
                                            .lift = cone_lift,
                                            .project = cone_project,
                                            .frozen = cone_frozen,
                                            .unit = cone_unit};
const ipm_interior_ops ipm_interior_disc = {.is_disc = true,
                                            .enter = disc_enter,
                                            .refreeze = disc_refreeze,
                                            .keep = disc_keep,
                                            .lift = disc_lift,
                                            .project = disc_project,
                                            .frozen = disc_frozen,
                                            .unit = disc_unit};

// ---- the whole set ----

// r from x, and its velocity.
static void interior_update(ipm_interior *s) {
    int32_t dim = s->p->dim;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        const double *x = s->x + (int64_t)(dim + 1) * a;
        double *r = s->r + (int64_t)dim * a;
        bool cone = has_cone(s, a);
        r[0] = has_scalar(s, a) ? x[0] : x[1] / s->p->mu[a];
        for (int32_t i = 1; i < dim; i++) {
            r[i] = cone ? x[1 + i] : 0.0;
        }
    }
    newton_velocity(&s->system, s->p, s->r, s->u);
}

void ipm_interior_start(ipm_interior *s, const double *r, const double *u, double margin) {
    int32_t dim = s->p->dim;
    double largest = 0.0;
    for (int64_t i = 0; i < s->m; i++) {
        largest = fmax(largest, fabs(s->p->q[i]));
    }
    double room = margin * (largest > 0.0 ? largest : 1.0);
    for (int32_t a = 0; a < s->p->contacts; a++) {
        double *x = s->x + (int64_t)(dim + 1) * a, *y = s->y + (int64_t)(dim + 1) * a;
        const double *force = r + (int64_t)dim * a, *slip = u + (int64_t)dim * a;
        double impulse = room / s->scale[a];
        x[0] = fmax(force[0], 0.0) + impulse;
        y[0] = fmax(slip[0], 0.0) + room;
        memcpy(x + 2, force + 1, sizeof *x * (size_t)(dim - 1));
        memcpy(y + 2, slip + 1, sizeof *y * (size_t)(dim - 1));
        y[1] = cone_tail(dim, y + 1) + room;
        s->ops->enter(s, a, force[0], slip[0], impulse, x + 1, y + 1);
    }
    ipm_interior_refreeze(s);
}

void ipm_interior_refreeze(ipm_interior *s) {
    s->ops->refreeze(s);
    interior_update(s);
}

// K = T F^2 T and R = F^-1 T^-1, T = diag(mu, 1, 1), by rows. Of a disc only the rows of r_T are
// filled, x_0 being fixed: F^2 there is k (1 + 2 w_T w_T').
static void fill_cone(int32_t dim, bool disc, double mu, const double *point, double *K,
                      double *root) {
    const double *w = point;
    double k = point[dim], square = cone_dot(dim - 1, w + 1, w + 1), factor = 1.0 / sqrt(k);
    // Of w_T w_T' in the root: (1 + bend |w_T|^2)^2 is the inverse of 1 + 2 |w_T|^2.
    double wide = sqrt(1.0 + 2.0 * square),
           bend = disc ? -2.0 / (wide * (1.0 + wide)) : 1.0 / (1.0 + w[0]);
    for (int32_t i = disc ? 1 : 0; i < dim; i++) {
        for (int32_t j = disc ? 1 : 0; j < dim; j++) {
            double left = i == 0 ? mu : 1.0, right = j == 0 ? mu : 1.0;
            double same = i == j ? 1.0 : 0.0;
            K[dim * i + j] = left * right * k * (2.0 * w[i] * w[j] + (i == 0 ? -same : same));
            double entry = i > 0 && j > 0 ? same + bend * w[i] * w[j] : (i == j ? w[0] : -w[i + j]);
            root[dim * i + j] = factor * entry / right;
        }
    }
}

// The equations' rest, the gap, and the matrix.
static void interior_linearise(ipm_interior *s) {
    int32_t dim = s->p->dim;
    double sum = 0.0, square = 0.0, scale = 0.0;
    int64_t pairs = 0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)dim * a, at = (int64_t)(dim + 1) * a;
        const double *x = s->x + at, *y = s->y + at, *u = s->u + row;
        double *point = s->point + at, *rest = s->rest + row, mu = s->p->mu[a];
        double *A = s->system.A + dim * row, *K = s->system.K + dim * row;
        bool cone = has_cone(s, a), scalar = has_scalar(s, a);
        memset(A, 0, sizeof *A * (size_t)(dim * dim));
        memset(K, 0, sizeof *K * (size_t)(dim * dim));
        memset(s->system.root + dim * row, 0, sizeof *K * (size_t)(dim * dim));
        A[0] = 1.0;
        if (scalar) {
            rest[0] = u[0] - y[0];
            sum += x[0] * y[0];
            pairs++;
        } else {
            rest[0] = u[0] + mu * (s->frozen[a] - y[1]);
        }
        if (cone) {
            scale_pair(dim, x + 1, y + 1, point, &point[dim]);
            sum += cone_dot(dim, x + 1, y + 1);
            pairs++;
        }
        for (int32_t i = 1; i < dim; i++) {
            rest[i] = cone ? u[i] - y[1 + i] : 0.0;
            A[(dim + 1) * i] = cone ? 1.0 : 0.0;
            K[(dim + 1) * i] = s->scale[a];
            s->system.root[dim * row + (dim + 1) * i] = 1.0 / sqrt(s->scale[a]);
        }
        square += cone_dot(dim, rest, rest);
        scale += s->scale[a];
        // Row N sees du_T through s as well: mu d|y_T| = mu t.dy_T, t = y_T/|y_T|.
        double slip = scalar ? 0.0 : s->share * mu / cone_tail(dim, y + 1);
        for (int32_t i = 1; slip > 0.0 && slip < HUGE_VAL && i < dim; i++) {
            A[i] = slip * y[1 + i];
        }
        if (cone) {
            fill_cone(dim, scalar, mu, point, K, s->system.root + dim * row);
        }
        if (scalar) {
            K[0] = y[0] / x[0];
            s->system.root[dim * row] = sqrt(x[0] / y[0]);
        }
    }
    s->gap = pairs > 0 ? sum / (double)pairs : 0.0;
    s->min = INTERIOR_BALANCE * sqrt(square) * s->size / scale;
}

// dr, dx, dy for the target t with the factors at hand; second: with the second-order term of the
// dx, dy at hand.
static void interior_direction(ipm_interior *s, double t, bool second) {
    int32_t dim = s->p->dim;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)dim * a, at = (int64_t)(dim + 1) * a;
        const double *x = s->x + at, *y = s->y + at, *dx = s->dx + at, *point = s->point + at;
        double *dy = s->dy + at, *right = s->right + row, target[3];
        // dy keeps F c until dx is known.
        if (has_cone(s, a)) {
            pair_target(dim, point, point[dim], x + 1, t, second ? dx + 1 : NULL, dy + 1, target);
            memcpy(dy + 1, target, sizeof *dy * (size_t)dim);
        } else {
            memset(dy + 1, 0, sizeof *dy * (size_t)dim);
        }
        dy[0] = (t - (second ? dx[0] * dy[0] : 0.0)) / x[0] - y[0];
        right[0] = s->rest[row] - (has_scalar(s, a) ? dy[0] : s->p->mu[a] * dy[1]);
        for (int32_t i = 1; i < dim; i++) {
            right[i] = s->rest[row + i] - dy[1 + i];
            right[0] += s->system.A[dim * row + i] * s->rest[row + i];
        }
    }
    newton_refine(&s->system, s->right, s->dr);
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t at = (int64_t)(dim + 1) * a;
        const double *dr = s->dr + (int64_t)dim * a, *point = s->point + at;
        double *dx = s->dx + at, *dy = s->dy + at, turned[3];
        bool scalar = has_scalar(s, a);
        memset(dx, 0, sizeof *dx * (size_t)(dim + 1));
        if (scalar) {
            dx[0] = dr[0];
            dy[0] -= s->y[at] / s->x[at] * dx[0];
        }
        if (has_cone(s, a)) {
            dx[1] = scalar ? 0.0 : s->p->mu[a] * dr[0];
            memcpy(dx + 2, dr + 1, sizeof *dx * (size_t)(dim - 1));
            apply_square(dim, point, point[dim], dx + 1, turned);
            for (int32_t i = 0; i < dim; i++) {
                dy[1 + i] -= turned[i];
            }
        }
    }
}

// The longest step that keeps every pair inside.
static double interior_reach(const ipm_interior *s) {
    int32_t dim = s->p->dim;
    double reach = HUGE_VAL;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t at = (int64_t)(dim + 1) * a;
        const double *x = s->x + at, *y = s->y + at, *dx = s->dx + at, *dy = s->dy + at;
        if (has_scalar(s, a)) {
            reach = fmin(reach, dx[0] < 0.0 ? -x[0] / dx[0] : HUGE_VAL);
            reach = fmin(reach, dy[0] < 0.0 ? -y[0] / dy[0] : HUGE_VAL);
        }
        if (has_cone(s, a)) {
            reach = fmin(reach, cone_reach(dim, x + 1, dx + 1));
            reach = fmin(reach, cone_reach(dim, y + 1, dy + 1));
        }
    }
    return reach;
}

// The gap after a step.
static double interior_gap_after(const ipm_interior *s, double length) {
    int32_t dim = s->p->dim;
    double sum = 0.0;
    int64_t pairs = 0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        for (int32_t i = has_scalar(s, a) ? 0 : 1; i < (has_cone(s, a) ? dim + 1 : 1); i++) {
            int64_t k = (int64_t)(dim + 1) * a + i;
            sum += (s->x[k] + length * s->dx[k]) * (s->y[k] + length * s->dy[k]);
        }
        pairs += has_scalar(s, a) + has_cone(s, a);
    }
    return pairs > 0 ? sum / (double)pairs : 0.0;
}

// The derivative of s makes steps long near the solution and short far from it, where the iterates
// stick to the boundary: its share follows the length of the steps.
static void interior_follow(ipm_interior *s) {
    if (s->length < INTERIOR_SHORT) {
        s->share = s->share > INTERIOR_SHARE_MIN ? 0.5 * s->share : 0.0;
    } else if (s->length > INTERIOR_LONG) {
        s->share = fmin(s->implicit, fmax(2.0 * s->share, INTERIOR_SHARE_FIRST * s->implicit));
    }
}

bool ipm_interior_step(ipm_interior *s) {
    int32_t dim = s->p->dim;
    interior_linearise(s);
    if (!(s->gap > 0.0) || !newton_factor(&s->system)) {
        return false;
    }
    interior_direction(s, 0.0, false);
    double length = fmin(1.0, interior_reach(s));
    double ratio = interior_gap_after(s, length) / s->gap;
    double target = s->gap * fmin(1.0, ratio * ratio * ratio);
    interior_direction(s, fmax(s->min, target), true);
    length = fmin(1.0, INTERIOR_WAY * interior_reach(s));
    if (!(length >= INTERIOR_SHORT)) {
        interior_direction(s, s->gap * INTERIOR_CENTRE, false);
        length = fmin(1.0, INTERIOR_WAY * interior_reach(s));
    }
    double change = 0.0;
    for (int64_t i = 0; i < s->m + s->p->contacts; i++) {
        change += fabs(s->dx[i]) + fabs(s->dy[i]);
    }
    if (!isfinite(change) || !(length > 0.0)) {
        return false;
    }
    for (int64_t i = 0; i < s->m + s->p->contacts; i++) {
        s->x[i] += length * s->dx[i];
        s->y[i] += length * s->dy[i];
    }
    for (int32_t a = 0; a < s->p->contacts; a++) {
        if (has_cone(s, a)) {
            int64_t at = (int64_t)(dim + 1) * a + 1;
            s->ops->keep(dim, s->x + at, s->y + at);
        }
    }
    s->length = length;
    interior_follow(s);
    interior_update(s);
    return true;
}

double ipm_interior_error(const ipm_interior *s) {
    int32_t dim = s->p->dim;
    double sum = 0.0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        int64_t row = (int64_t)dim * a;
        double z[3], lift = s->ops->lift(s, a);
        for (int32_t i = 0; i < dim; i++) {
            double shift = i == 0 ? lift : 0.0;
            z[i] = s->r[row + i] - (s->u[row + i] + shift) / s->scale[a];
        }
        s->ops->project(s, a, z);
        for (int32_t i = 0; i < dim; i++) {
            double e = s->scale[a] * (s->r[row + i] - z[i]);
            sum += e * e;
        }
    }
    return sqrt(sum) / s->size;
}

double ipm_interior_slip(const ipm_interior *s, int32_t a) {
    return has_cone(s, a) ? cone_tail(s->p->dim, s->y + (int64_t)(s->p->dim + 1) * a + 1) : 0.0;
}
