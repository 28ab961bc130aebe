// problem/planted/planted.c
// Friction problems whose solution is chosen first: r and u obey Coulomb's law contact by contact,
// v is any velocity, and then
//     f = M v - H r,   w = u - H' v
// make (v, r, u) a solution of M v = H r + f, u = H' v + w, exact up to round-off.
//
// The system is a pile of rigid bodies on a grid. Every body rests on one lower neighbour (body 0
// on the ground) through a flat interface of k points, so that the interfaces form a tree and
//     rank W = sum over them of rank(k),   rank(1) = dim,  rank(2) = 3 in 2D, 5 in 3D,
// and 3 or 6 beyond: the rank is chosen by spreading the contacts over few or many bodies. Points
// that add no rank (an interface already holds its body) are moved to other lower neighbours, which
// closes loops as in a real hyperstatic pile, wherever the tree between the two bodies is held.
//
// The law holds with strict inequalities for open and sticking contacts; such problems are easier
// than real ones at the edge of sliding. Only + - * / and sqrt are used: bitwise identical
// everywhere.
#include "problem/planted/planted.h"

#include "base/arena.h"
#include "base/error.h"
#include "sparse/csr.h"

#include <math.h>
#include <string.h>

#define GROUND (-1)

// Shapes, in units of the grid.
#define JITTER 0.15       // of body centres
#define TILT 0.3          // of interface normals
#define PATCH 0.4         // half width of an interface
#define PATCH_JITTER 0.05 // of the first points, which span the interface

#define DEGENERATE 0.01 // a random vector shorter than the root of this is drawn again

#define STICK_MAX 0.9 // the largest share of its friction limit that a sticking contact uses

typedef struct prob_pile {
    const cn_planted_opts *opts;
    base_rng rng;
    int32_t bodies, width; // width: bodies along an edge of the grid
    int32_t stride[3];     // from a body to its neighbour along each axis
    int32_t body_dofs;     // 3 in 2D, 6 in 3D
    int32_t held;          // points that hold a body: 2 in 2D, 3 in 3D
    int32_t *points;       // of the interface on which a body rests
    int32_t *parent;       // the body under it, or GROUND
    int32_t *cluster;      // the bodies held together have the same one
    double *centre;        // 3 each
    double *mass;
    double *inertia; // 9 each
    // Entries of H, so far.
    int32_t contacts;
    int64_t entries;
    int32_t *row, *column;
    double *value;
    double *lever; // reduced mass of each contact
} prob_pile;

cn_planted_opts cn_planted_opts_default(void) {
    return (cn_planted_opts){
        .dim = 3, .contacts = 100, .friction = 0.5, .open = 0.2, .slide = 0.3, .seed = 1};
}

cn_status prob_planted_opts_check(const cn_planted_opts *opts, cn_error *error) {
    if (opts->dim != 2 && opts->dim != 3) {
        return base_fail(error, CN_ERR_ARGUMENT, "a planted problem has dimension 2 or 3, not %d",
                         opts->dim);
    }
    int32_t max = INT32_MAX / 8; // so that dofs and rows fit 32 bits
    if (opts->contacts < 0 || opts->contacts > max || opts->bodies < 0 || opts->bodies > max) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "%d contacts and %d bodies cannot be planted: 0 to %d of each",
                         opts->contacts, opts->bodies, max);
    }
    if (!(opts->deficiency >= 0.0 && opts->deficiency <= 0.9)) {
        return base_fail(error, CN_ERR_ARGUMENT, "the rank deficiency %g is outside [0, 0.9]",
                         opts->deficiency);
    }
    if (!(opts->open >= 0.0 && opts->slide >= 0.0 && opts->open + opts->slide <= 1.0 + 1e-12)) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "the shares open %g and slide %g must be positive and at most 1 together",
                         opts->open, opts->slide);
    }
    if (!(opts->joints >= 0.0 && opts->joints <= 1.0 && opts->compliant >= 0.0 &&
          opts->compliant <= 1.0)) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "the shares of joints %g and of compliant rows %g must be in [0, 1]",
                         opts->joints, opts->compliant);
    }
    if (!isfinite(opts->friction) || !isfinite(opts->skew)) {
        return base_fail(error, CN_ERR_ARGUMENT, "friction %g and skew %g must be finite",
                         opts->friction, opts->skew);
    }
    return CN_OK;
}

void prob_planted_shuffle(base_rng *rng, int32_t count, int32_t *order) {
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t j = base_rng_below(rng, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

// ---- how many bodies, how many points on each ----

// Unknowns without own stiffness at an interface of k points.
static int64_t surplus(int32_t dim, int64_t k) {
    if (k < 2) {
        return 0;
    }
    return dim == 2 ? 2 * k - 3 : (k == 2 ? 1 : 3 * k - 6);
}

// The same over all when the contacts are spread evenly: the least that this many bodies allow.
static int64_t min_surplus(int32_t dim, int64_t contacts, int64_t bodies) {
    int64_t base = contacts / bodies, more = contacts % bodies;
    return more * surplus(dim, base + 1) + (bodies - more) * surplus(dim, base);
}

static int64_t wanted_surplus(const cn_planted_opts *opts) {
    return (int64_t)(opts->deficiency * opts->dim * opts->contacts + 0.5);
}

// The fewest bodies that still allow the rank asked for (least surplus falls with more bodies).
static int32_t fewest_bodies(const cn_planted_opts *opts) {
    int32_t low = 1, high = opts->contacts;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (min_surplus(opts->dim, opts->contacts, middle) <= wanted_surplus(opts)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static cn_status choose_bodies(prob_pile *pile, cn_error *error) {
    const cn_planted_opts *opts = pile->opts;
    pile->bodies = opts->bodies;
    if (opts->contacts == 0) {
        return CN_OK;
    }
    int32_t fewest = fewest_bodies(opts);
    pile->bodies = opts->bodies > 0 ? opts->bodies : fewest;
    // All that is over on one interface and one point on the others: the most that is possible.
    int64_t max = surplus(opts->dim, (int64_t)opts->contacts - pile->bodies + 1);
    if (pile->bodies < fewest || pile->bodies > opts->contacts ||
        (opts->bodies > 0 && max < wanted_surplus(opts))) {
        base_fail(error, CN_ERR_ARGUMENT,
                  "%d bodies with %d contacts cannot have the rank deficiency %g", pile->bodies,
                  opts->contacts, opts->deficiency);
        base_fail_hint(error, "bodies = %d is a good number, 0 chooses it", fewest);
        return CN_ERR_ARGUMENT;
    }
    return CN_OK;
}

// Spreads the contacts evenly, then moves points from the last bodies to the first until as many
// are over as asked for.
static void choose_points(prob_pile *pile) {
    int32_t dim = pile->opts->dim, contacts = pile->opts->contacts;
    for (int32_t i = 0; i < pile->bodies; i++) {
        pile->points[i] = contacts / pile->bodies + (i < contacts % pile->bodies);
    }
    if (contacts == 0) {
        return;
    }
    int64_t missing = wanted_surplus(pile->opts) - min_surplus(dim, contacts, pile->bodies);
    for (int32_t i = pile->bodies - 1; i > 0 && missing > 0; i--) {
        while (pile->points[i] > 1) {
            int64_t k = pile->points[i], first = pile->points[0];
            int64_t gain = surplus(dim, first + 1) - surplus(dim, first) + surplus(dim, k - 1) -
                           surplus(dim, k);
            if (gain > missing) {
                break;
            }
            pile->points[i]--;
            pile->points[0]++;
            missing -= gain;
        }
    }
}

// ---- the bodies ----

static void random_vector(base_rng *rng, int32_t dim, double *x) {
    for (int32_t i = 0; i < 3; i++) {
        x[i] = i < dim ? base_rng_uniform(rng, -1.0, 1.0) : 0.0;
    }
}

static double dot_3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross_3(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise_3(double *x) {
    double length = sqrt(dot_3(x, x));
    for (int32_t i = 0; i < 3; i++) {
        x[i] /= length;
    }
}

// Completes the unit vector frame[0..2] to a right-handed frame (n, t1, t2), turned at random.
static void complete_frame(base_rng *rng, int32_t dim, double *frame) {
    double *n = frame, *t1 = frame + 3, *t2 = frame + 6;
    if (dim == 2) {
        const double out_of_plane[] = {0.0, 0.0, 1.0};
        cross_3(out_of_plane, n, t1);
        memcpy(t2, out_of_plane, sizeof out_of_plane);
        return;
    }
    do { // again when nearly along n
        random_vector(rng, 3, t2);
        cross_3(n, t2, t1);
    } while (!(dot_3(t1, t1) > DEGENERATE));
    normalise_3(t1);
    cross_3(n, t1, t2);
}

// Place of body i along an axis of the grid; the last axis is as long as it needs to be.
static int32_t grid_cell(const prob_pile *pile, int32_t i, int32_t axis) {
    bool last = axis == pile->opts->dim - 1;
    int32_t along = i / pile->stride[axis];
    return last ? along : along % pile->width;
}

// Mass between 1/4 and 8, and the inertia of a lump of about the grid's size, in turned axes.
static void make_body(prob_pile *pile, int32_t i) {
    base_rng *rng = &pile->rng;
    double *centre = pile->centre + 3 * (int64_t)i, *inertia = pile->inertia + 9 * (int64_t)i;
    for (int32_t axis = 0; axis < pile->opts->dim; axis++) {
        centre[axis] = grid_cell(pile, i, axis) + base_rng_uniform(rng, -JITTER, JITTER);
    }
    // One draw a statement: the order of calls inside an expression is the compiler's.
    pile->mass[i] = base_rng_uniform(rng, 0.25, 0.5);
    pile->mass[i] *= 1 << base_rng_below(rng, 5);
    double frame[9], moment[3];
    do {
        random_vector(rng, 3, frame);
    } while (!(dot_3(frame, frame) > DEGENERATE));
    normalise_3(frame);
    complete_frame(rng, 3, frame);
    for (int32_t k = 0; k < 3; k++) {
        moment[k] = pile->mass[i] * base_rng_uniform(rng, 0.05, 0.2);
    }
    for (int32_t j = 0; j < 9; j++) {
        for (int32_t k = 0; k < 3; k++) {
            inertia[j] += moment[k] * (frame[3 * k + j / 3] * frame[3 * k + j % 3]);
        }
    }
}

// Lists the lower neighbours of body i: one along each axis, and the ground under the first layer.
static int32_t lower_neighbours(const prob_pile *pile, int32_t i, int32_t *list) {
    int32_t count = 0, dim = pile->opts->dim;
    for (int32_t axis = 0; axis < dim; axis++) {
        if (grid_cell(pile, i, axis) > 0) {
            list[count++] = i - pile->stride[axis];
        }
    }
    if (grid_cell(pile, i, dim - 1) == 0) {
        list[count++] = GROUND;
    }
    return count;
}

// Lets body i rest on one of its lower neighbours; only body 0 rests on the ground, so that all
// contacts hang together.
static void choose_parent(prob_pile *pile, int32_t i) {
    int32_t list[4], count = lower_neighbours(pile, i, list);
    if (i > 0 && list[count - 1] == GROUND) {
        count--;
    }
    int32_t parent = list[base_rng_below(&pile->rng, count)];
    bool held = pile->points[i] >= pile->held;
    pile->parent[i] = parent;
    pile->cluster[i] = !held ? i : (parent == GROUND ? GROUND : pile->cluster[parent]);
}

static cn_status make_bodies(prob_pile *pile, cn_arena *scratch) {
    int32_t bodies = pile->bodies, dim = pile->opts->dim;
    pile->points = BASE_TAKE(scratch, int32_t, bodies);
    pile->parent = BASE_TAKE(scratch, int32_t, bodies);
    pile->cluster = BASE_TAKE(scratch, int32_t, bodies);
    pile->centre = BASE_TAKE_ZERO(scratch, double, 3 * (int64_t)bodies);
    pile->mass = BASE_TAKE(scratch, double, bodies);
    pile->inertia = BASE_TAKE_ZERO(scratch, double, 9 * (int64_t)bodies);
    if (!pile->points || !pile->parent || !pile->cluster || !pile->centre || !pile->mass ||
        !pile->inertia) {
        return CN_ERR_MEMORY;
    }
    pile->width = 1;
    while ((int64_t)(pile->width + 1) * (pile->width + 1) * (dim == 3 ? pile->width + 1 : 1) <=
           bodies) {
        pile->width++;
    }
    pile->stride[0] = 1;
    for (int32_t axis = 1; axis < dim; axis++) {
        pile->stride[axis] = pile->stride[axis - 1] * pile->width;
    }
    choose_points(pile);
    for (int32_t i = 0; i < bodies; i++) {
        make_body(pile, i);
        choose_parent(pile, i);
    }
    return CN_OK;
}

// ---- the contacts ----

// Adds to H the columns of a contact on one body: forces along the axes of the frame at point, and
// their moments; sign -1 for the antagonist.
static void add_columns(prob_pile *pile, int32_t body, double sign, const double *frame,
                        const double *point) {
    int32_t dim = pile->opts->dim;
    double arm[3];
    for (int32_t i = 0; i < 3; i++) {
        arm[i] = point[i] - pile->centre[3 * (int64_t)body + i];
    }
    for (int32_t c = 0; c < dim; c++) {
        const double *axis = frame + 3 * c;
        double moment[3];
        cross_3(arm, axis, moment);
        for (int32_t i = 0; i < pile->body_dofs; i++) {
            double entry = i < dim ? axis[i] : moment[dim == 2 ? 2 : i - 3];
            pile->row[pile->entries] = pile->body_dofs * body + i;
            pile->column[pile->entries] = dim * pile->contacts + c;
            pile->value[pile->entries++] = sign * entry;
        }
    }
}

// Where the k-th point of an interface lies in its plane: the first ones span it.
static void place_point(prob_pile *pile, int32_t k, double *along) {
    static const double corner_2d[] = {PATCH, -PATCH};
    static const double corner_3d[] = {PATCH,         0.0,          -0.5 * PATCH,
                                       0.875 * PATCH, -0.5 * PATCH, -0.875 * PATCH};
    int32_t axes = pile->opts->dim - 1;
    const double *corner = axes == 1 ? corner_2d : corner_3d;
    double reach = k < pile->held ? PATCH_JITTER : PATCH;
    for (int32_t i = 0; i < axes; i++) {
        along[i] = base_rng_uniform(&pile->rng, -reach, reach);
        along[i] += k < pile->held ? corner[axes * k + i] : 0.0;
    }
}

// A flat interface of body (the candidate) on other (GROUND or a lower neighbour).
static void add_interface(prob_pile *pile, int32_t body, int32_t other, int32_t points) {
    int32_t dim = pile->opts->dim;
    const double *here = pile->centre + 3 * (int64_t)body;
    double frame[9], middle[3], tilt[3], along[2];
    random_vector(&pile->rng, dim, tilt);
    for (int32_t i = 0; i < 3; i++) {
        double there =
            other == GROUND ? here[i] - (i == dim - 1) : pile->centre[3 * (int64_t)other + i];
        middle[i] = 0.5 * (here[i] + there);
        frame[i] = here[i] - there + TILT * tilt[i];
    }
    normalise_3(frame);
    complete_frame(&pile->rng, dim, frame);
    for (int32_t k = 0; k < points; k++) {
        double point[3];
        place_point(pile, k, along);
        for (int32_t i = 0; i < 3; i++) {
            point[i] = middle[i] + along[0] * frame[3 + i];
            point[i] += dim == 3 ? along[1] * frame[6 + i] : 0.0;
        }
        add_columns(pile, body, 1.0, frame, point);
        if (other != GROUND) {
            add_columns(pile, other, -1.0, frame, point);
        }
        double yielding = 1.0 / pile->mass[body];
        yielding += other == GROUND ? 0.0 : 1.0 / pile->mass[other];
        pile->lever[pile->contacts++] = 1.0 / yielding;
    }
}

// All contacts of body i: those it rests on, and what is over on its other lower neighbours, as far
// as the tree holds both.
static void add_contacts(prob_pile *pile, int32_t i) {
    int32_t list[4], others[4], count = lower_neighbours(pile, i, list), other_count = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t cluster = list[k] == GROUND ? GROUND : pile->cluster[list[k]];
        if (list[k] != pile->parent[i] && cluster == pile->cluster[i]) {
            others[other_count++] = list[k];
        }
    }
    int32_t over = pile->points[i] > pile->held ? pile->points[i] - pile->held : 0;
    over = other_count > 0 ? over : 0;
    add_interface(pile, i, pile->parent[i], pile->points[i] - over);
    for (int32_t k = 0; k < other_count; k++) {
        int32_t share = over / other_count + (k < over % other_count);
        if (share > 0) {
            add_interface(pile, i, others[k], share);
        }
    }
}

static cn_status make_H(prob_pile *pile, cn_arena *scratch, cn_friction_global *g) {
    int64_t bound = (int64_t)g->contacts * g->dim * pile->body_dofs * 2;
    pile->row = BASE_TAKE(scratch, int32_t, bound);
    pile->column = BASE_TAKE(scratch, int32_t, bound);
    pile->value = BASE_TAKE(scratch, double, bound);
    pile->lever = BASE_TAKE(scratch, double, g->contacts);
    if (!pile->row || !pile->column || !pile->value || !pile->lever) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < pile->bodies; i++) {
        add_contacts(pile, i);
    }
    return CN_OK;
}

// Masses on the diagonal and a block of inertia for each body.
static cn_status make_M(const prob_pile *pile, cn_arena *scratch, cn_arena *memory,
                        cn_friction_global *g) {
    int64_t count = 0, bound = (int64_t)pile->bodies * 12;
    int32_t *row = BASE_TAKE(scratch, int32_t, bound), *column = BASE_TAKE(scratch, int32_t, bound);
    double *value = BASE_TAKE(scratch, double, bound);
    if (!row || !column || !value) {
        return CN_ERR_MEMORY;
    }
    int32_t turns = pile->body_dofs - g->dim; // rotations of a body
    for (int32_t b = 0; b < pile->bodies; b++) {
        int32_t first = pile->body_dofs * b;
        for (int32_t i = 0; i < g->dim; i++) {
            row[count] = column[count] = first + i;
            value[count++] = pile->mass[b];
        }
        for (int32_t j = 0; j < turns * turns; j++) {
            row[count] = first + g->dim + j / turns;
            column[count] = first + g->dim + j % turns;
            value[count++] = pile->inertia[9 * (int64_t)b + j];
        }
    }
    return sparse_csr_from_triplets(memory, g->dofs, g->dofs, count, row, column, value, &g->M);
}

// ---- the solution ----

// A unit vector of the tangent plane.
static void random_direction(base_rng *rng, int32_t dim, double *t) {
    if (dim == 2) {
        t[0] = base_rng_below(rng, 2) ? 1.0 : -1.0;
        return;
    }
    double square;
    do {
        t[0] = base_rng_uniform(rng, -1.0, 1.0);
        t[1] = base_rng_uniform(rng, -1.0, 1.0);
        square = t[0] * t[0] + t[1] * t[1];
    } while (!(square > DEGENERATE && square <= 1.0));
    t[0] /= sqrt(square);
    t[1] /= sqrt(square);
}

// r and u of every contact: `open` and `slide` of them chosen at random, the rest stick.
static cn_status plant_contacts(prob_pile *pile, cn_arena *scratch, cn_friction_global *g,
                                double *r, double *u) {
    base_rng *rng = &pile->rng;
    int32_t dim = g->dim, *order = BASE_TAKE(scratch, int32_t, g->contacts);
    if (!order) {
        return CN_ERR_MEMORY;
    }
    prob_planted_shuffle(rng, g->contacts, order);
    int32_t open = (int32_t)(pile->opts->open * g->contacts + 0.5);
    int32_t slide = open + (int32_t)(pile->opts->slide * g->contacts + 0.5);
    for (int32_t k = 0; k < g->contacts; k++) {
        int32_t a = order[k];
        double *impulse = r + (int64_t)dim * a, *velocity = u + (int64_t)dim * a;
        double mu = pile->opts->friction;
        g->mu[a] = mu = mu < 0.0 ? base_rng_uniform(rng, 0.0, 1.0) : mu;
        double direction[2], speed = base_rng_uniform(rng, 0.1, 1.0);
        double normal = pile->lever[a] * base_rng_uniform(rng, 0.2, 1.0);
        double inside = base_rng_uniform(rng, 0.0, STICK_MAX);
        random_direction(rng, dim, direction);
        velocity[0] = k < open ? base_rng_uniform(rng, 0.1, 1.0) : 0.0;
        impulse[0] = k < open ? 0.0 : normal;
        for (int32_t i = 1; i < dim; i++) {
            double along = direction[i - 1];
            velocity[i] = k < slide ? speed * along : 0.0;
            impulse[i] = k < open ? 0.0 : (k < slide ? -1.0 : inside) * mu * normal * along;
        }
    }
    return CN_OK;
}

// f = M v - H r and w = u - H' v - E r for a random v.
static cn_status balance(prob_pile *pile, cn_arena *scratch, cn_problem *problem) {
    cn_friction_global *g = &problem->global;
    double *push = BASE_TAKE(scratch, double, g->dofs);
    if (!push) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < g->dofs; i++) {
        problem->v[i] = base_rng_uniform(&pile->rng, -1.0, 1.0);
    }
    sparse_csr_apply(&g->M, problem->v, g->f);
    sparse_csr_apply(&g->H, problem->r, push);
    for (int32_t i = 0; i < g->dofs; i++) {
        g->f[i] -= push[i];
    }
    sparse_csr_apply_transposed(&g->H, problem->v, g->w);
    for (int32_t i = 0; i < g->dim * g->contacts; i++) {
        g->w[i] = problem->u[i] - g->w[i];
        g->w[i] -= g->bounds.boxed ? g->bounds.compliance[i] * problem->r[i] : 0.0;
    }
    return CN_OK;
}

static cn_status plant(prob_pile *pile, cn_arena *scratch, cn_problem *problem) {
    cn_arena *memory = problem->memory;
    cn_friction_global *g = &problem->global;
    int32_t m = g->dim * g->contacts;
    g->f = BASE_TAKE(memory, double, g->dofs);
    g->w = BASE_TAKE(memory, double, m);
    g->mu = BASE_TAKE(memory, double, g->contacts);
    problem->r = BASE_TAKE(memory, double, m);
    problem->u = BASE_TAKE(memory, double, m);
    problem->v = BASE_TAKE(memory, double, g->dofs);
    if (!g->f || !g->w || !g->mu || !problem->r || !problem->u || !problem->v) {
        return CN_ERR_MEMORY;
    }
    CN_TRY(make_bodies(pile, scratch));
    CN_TRY(make_H(pile, scratch, g));

    CN_TRY(sparse_csr_from_triplets(memory, g->dofs, m, pile->entries, pile->row, pile->column,
                                    pile->value, &g->H));

    CN_TRY(make_M(pile, scratch, memory, g));

    CN_TRY(plant_contacts(pile, scratch, g, problem->r, problem->u));
    if (pile->opts->joints > 0.0) {
        CN_TRY(prob_planted_joints(pile->opts, &pile->rng, pile->lever, memory, scratch, g,
                                   problem->r, problem->u));
    }
    return balance(pile, scratch, problem);
}

cn_status cn_planted_friction(const cn_env *env, const cn_planted_opts *opts, cn_problem **out,
                              cn_error *error) {
    *out = NULL;
    cn_status status = prob_planted_opts_check(opts, error);
    CN_TRY(status);
    prob_pile pile = {.opts = opts, .rng = base_rng_seed(opts->seed)};
    pile.body_dofs = opts->dim == 2 ? 3 : 6;
    pile.held = opts->dim;
    status = choose_bodies(&pile, error);
    CN_TRY(status);
    cn_problem *problem = cn_problem_create(env, CN_PROBLEM_FRICTION_GLOBAL);
    cn_arena *scratch = cn_arena_create(env);
    if (problem && scratch) {
        problem->global = (cn_friction_global){
            .dim = opts->dim, .contacts = opts->contacts, .dofs = pile.body_dofs * pile.bodies};
        status = plant(&pile, scratch, problem);
    } else {
        status = CN_ERR_MEMORY;
    }
    cn_arena_destroy(scratch);
    if (status != CN_OK) {
        cn_problem_destroy(problem);
        return base_fail_memory(error);
    }
    *out = problem;
    return CN_OK;
}
