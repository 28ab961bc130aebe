// solve/drivers/islands.c
// Islands of the contact graph, by union and find, and their solution one by one.
//
// The measures are 2-norms over all contacts, |e|^2 = sum |e_i|^2 over the islands, so the whole is
// within tol when every |e_i| <= tol D sqrt(s_i), D what the measure divides by and sum s_i = 1.
// Half of s_i goes by the number of contacts, half by |q_i|^2: an island that hardly moves need not
// be solved to a share of nothing, and one in violent motion not better than by its own measure.
//
// Contacts that are open, with the velocity to stay so, are left out and looked at again when the
// rest is solved: those that are violated then are taken in, and all goes on from there. Of bodies
// that are near one another few press, so that what is left is small, falls apart, and has factors
// with little fill. The set only grows, so this ends.
//
// An island stops when it is solved, and its factors are no larger than itself; a single pile of
// which all contacts press gains nothing.
#include "solve/drivers/islands.h"

#include "base/arena.h"
#include "base/clock.h"
#include "problem/operator/operator.h"
#include "problem/operator/point_map.h"
#include "solve/drivers/natural_map.h"

#include <math.h>
#include <string.h>

// Rounds over the islands without a new contact: D and an island's own divisor may depend on r, so
// that what was enough before it was solved may not be after.
#define ISLAND_ROUNDS 4
#define ISLAND_NEAR 3.0 // times the mean error: a contact that opens slower may not stay open
// Share of the contacts above which the largest island makes cutting not worth while: sweeping goes
// on where it is, with its acceleration.
#define ISLAND_MAX 0.5

// ---- union and find ----

// The root of a's tree, halving the way there.
static int32_t root_of(int32_t *parent, int32_t a) {
    while (parent[a] != a) {
        parent[a] = parent[parent[a]];
        a = parent[a];
    }
    return a;
}

// The smaller root stays one: it is the first contact of its island.
static void unite(int32_t *parent, int32_t a, int32_t b) {
    int32_t one = root_of(parent, a), two = root_of(parent, b);
    parent[one > two ? one : two] = one < two ? one : two;
}

// kept: as in solve_islands_find.
static bool is_kept(const bool *kept, int32_t a) {
    return !kept || kept[a];
}

static void unite_blocks(const cn_friction *p, const bool *kept, int32_t *parent, int32_t *owner) {
    const cn_bsr *W = &p->W.assembled;
    (void)owner;
    for (int32_t a = 0; a < W->block_rows; a++) {
        for (int64_t k = W->start[a]; is_kept(kept, a) && k < W->start[a + 1]; k++) {
            if (is_kept(kept, W->column[k])) {
                unite(parent, a, W->column[k]);
            }
        }
    }
}

// owner[b]: the first contact of body b; -1: none, or its mass is infinite.
static void unite_bodies(const cn_friction *p, const bool *kept, int32_t *parent, int32_t *owner) {
    const cn_body_map *map = &p->W.body;
    int32_t size = p->dim == 3 ? 6 : 3, bodies = (map->dofs + size - 1) / size;
    memset(owner, -1, sizeof *owner * (size_t)bodies);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = map->start[a]; is_kept(kept, a) && k < map->start[a + 1]; k++) {
            bool moves = false;
            for (int32_t i = 0; i < p->dim; i++) {
                moves = moves || map->MinvH[p->dim * k + i] != 0.0;
            }
            int32_t body = map->dof[k] / size;
            owner[body] = moves && owner[body] < 0 ? a : owner[body];
        }
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = map->start[a]; is_kept(kept, a) && k < map->start[a + 1]; k++) {
            int32_t body = map->dof[k] / size;
            if (owner[body] >= 0) {
                unite(parent, a, owner[body]);
            }
        }
    }
}

// The same of points, whose bodies are named.
static void unite_points(const cn_friction *p, const bool *kept, int32_t *parent, int32_t *owner) {
    const cn_point_map *points = &p->W.points;
    memset(owner, -1, sizeof *owner * (size_t)points->bodies);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int side = 0; is_kept(kept, a) && side < 2; side++) {
            int32_t body = points->body[2 * (int64_t)a + side];
            if (owner[body] >= 0) {
                unite(parent, a, owner[body]);
            } else if (prob_point_map_moves(points, p->dim, body)) {
                owner[body] = a;
            }
        }
    }
}

typedef void unite_fn(const cn_friction *p, const bool *kept, int32_t *parent, int32_t *owner);
static unite_fn *const unites[] = {[CN_OPERATOR_ASSEMBLED] = unite_blocks,
                                   [CN_OPERATOR_BODY] = unite_bodies,
                                   [CN_OPERATOR_SPHERES] = NULL, // expanded before
                                   [CN_OPERATOR_POINTS] = unite_points};

// Things sorted by island, counted: island[k] of thing k, -1: in none. place[k]: in its island.
static void sort_by_island(int32_t things, const int32_t *island, int32_t islands, int32_t *first,
                           int32_t *thing, int32_t *place) {
    memset(first, 0, sizeof *first * ((size_t)islands + 1));
    for (int32_t k = 0; k < things; k++) {
        place[k] = island[k] < 0 ? -1 : first[island[k] + 1]++;
    }
    for (int32_t i = 0; i < islands; i++) {
        first[i + 1] += first[i];
    }
    for (int32_t k = 0; k < things; k++) {
        if (island[k] >= 0) {
            thing[first[island[k]] + place[k]] = k;
        }
    }
}

cn_status solve_islands_find(const cn_friction *p, const bool *kept, cn_arena *memory,
                             solve_islands *out) {
    bool body = prob_operator_ops_of(p->W.kind)->body_space;
    int32_t size = p->dim == 3 ? 6 : 3,
            bodies = (cn_operator_dofs(&p->W, p->dim) + size - 1) / size;
    int32_t *parent = BASE_TAKE(memory, int32_t, p->contacts);
    int32_t *island = BASE_TAKE(memory, int32_t, p->contacts);
    int32_t *owner = BASE_TAKE(memory, int32_t, bodies);
    *out = (solve_islands){.size = size};
    out->contact = BASE_TAKE(memory, int32_t, p->contacts);
    out->place = BASE_TAKE(memory, int32_t, p->contacts > bodies ? p->contacts : bodies);
    if (!parent || !island || !owner || !out->contact || !out->place) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        parent[a] = a;
    }
    unites[p->W.kind](p, kept, parent, owner);
    // A root comes before all that hang on it.
    for (int32_t a = 0; a < p->contacts; a++) {
        int32_t root = root_of(parent, a);
        island[a] = root != a ? island[root] : (is_kept(kept, a) ? out->count++ : -1);
    }
    out->first = BASE_TAKE(memory, int32_t, (int64_t)out->count + 1);
    out->first_body = BASE_TAKE(memory, int32_t, (int64_t)out->count + 1);
    out->body = BASE_TAKE(memory, int32_t, bodies);
    if (!out->first || !out->first_body || !out->body) {
        return CN_ERR_MEMORY;
    }
    sort_by_island(p->contacts, island, out->count, out->first, out->contact, out->place);
    for (int32_t b = 0; b < bodies; b++) {
        owner[b] = owner[b] < 0 ? -1 : island[owner[b]];
    }
    if (body) {
        sort_by_island(bodies, owner, out->count, out->first_body, out->body, out->place);
    }
    return CN_OK;
}

// ---- one island as a problem ----

// The contacts of an island; to[k] = from[contact[k]], in pieces of width numbers; and back.
static void island_gather(const solve_islands *islands, int32_t i, int32_t width,
                          const double *from, double *to) {
    for (int32_t k = islands->first[i]; k < islands->first[i + 1]; k++, to += width) {
        memcpy(to, from + (int64_t)width * islands->contact[k], sizeof *to * (size_t)width);
    }
}

static void island_scatter(const solve_islands *islands, int32_t i, int32_t width,
                           const double *from, double *to) {
    for (int32_t k = islands->first[i]; k < islands->first[i + 1]; k++, from += width) {
        memcpy(to + (int64_t)width * islands->contact[k], from, sizeof *to * (size_t)width);
    }
}

// A copy of the island's numbers in memory; NULL: it is full. pad: zeros behind.
static double *island_numbers(const solve_islands *islands, int32_t i, int32_t width,
                              const double *from, cn_arena *memory) {
    int64_t count = islands->first[i + 1] - islands->first[i];
    double *to = BASE_TAKE(memory, double, width *count);
    if (to) {
        island_gather(islands, i, width, from, to);
    }
    return to;
}

// Bodies of infinite mass are left out: nothing flows through them.
static cn_status cut_body(const cn_friction *p, const solve_islands *islands, int32_t i,
                          cn_arena *memory, cn_operator *cut) {
    cn_body_map *out = &cut->body;
    const cn_body_map *map = &p->W.body;
    const int32_t *contact = islands->contact + islands->first[i],
                  *body = islands->body + islands->first_body[i];
    int32_t contacts = islands->first[i + 1] - islands->first[i], size = islands->size,
            bodies = islands->first_body[i + 1] - islands->first_body[i], dim = p->dim;
    int64_t entries = 0;
    for (int32_t k = 0; k < contacts; k++) {
        entries += map->start[contact[k] + 1] - map->start[contact[k]];
    }
    // The last body of all may have fewer velocities than a rigid one; it is the last here too.
    int32_t missing = bodies > 0 ? size * (body[bodies - 1] + 1) - map->dofs : 0;
    *out = (cn_body_map){.dofs = size * bodies - (missing > 0 ? missing : 0)};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)contacts + 1);
    out->dof = BASE_TAKE(memory, int32_t, entries);
    out->H = BASE_TAKE(memory, double, dim *entries);
    out->MinvH = BASE_TAKE(memory, double, dim *entries);
    int32_t square = size * size;
    double *inverse = map->inverse ? BASE_TAKE(memory, double, (int64_t)square *bodies) : NULL;
    if (!out->start || !out->dof || !out->H || !out->MinvH || (map->inverse && !inverse)) {
        return CN_ERR_MEMORY;
    }
    int64_t filled = 0;
    for (int32_t k = 0; k < contacts; k++) {
        for (int64_t l = map->start[contact[k]]; l < map->start[contact[k] + 1]; l++) {
            int32_t place = islands->place[map->dof[l] / size];
            if (place < 0) {
                continue;
            }
            out->dof[filled] = size * place + map->dof[l] % size;
            memcpy(out->H + dim * filled, map->H + dim * l, sizeof *out->H * (size_t)dim);
            memcpy(out->MinvH + dim * filled, map->MinvH + dim * l,
                   sizeof *out->MinvH * (size_t)dim);
            filled++;
        }
        out->start[k + 1] = filled;
    }
    for (int32_t b = 0; inverse && b < bodies; b++) {
        memcpy(inverse + (int64_t)square * b, map->inverse + (int64_t)square * body[b],
               sizeof *inverse * (size_t)square);
    }
    out->inverse = inverse;
    return CN_OK;
}

// Bodies of infinite mass become one, the last.
static cn_status cut_points(const cn_friction *p, const solve_islands *islands, int32_t i,
                            cn_arena *memory, cn_operator *cut) {
    cn_point_map *out = &cut->points;
    const cn_point_map *points = &p->W.points;
    const int32_t *contact = islands->contact + islands->first[i],
                  *body = islands->body + islands->first_body[i];
    int32_t contacts = islands->first[i + 1] - islands->first[i], square = p->dim == 3 ? 36 : 9,
            bodies = islands->first_body[i + 1] - islands->first_body[i];
    double *inverse = BASE_TAKE_ZERO(memory, double, square *((int64_t)bodies + 1));
    *out = (cn_point_map){.bodies = bodies + 1, .inverse = inverse};
    out->body = BASE_TAKE(memory, int32_t, 2 * (int64_t)contacts);
    out->arm = island_numbers(islands, i, 6, points->arm, memory);
    out->frame = island_numbers(islands, i, 6, points->frame, memory);
    if (!inverse || !out->body || !out->arm || !out->frame) {
        return CN_ERR_MEMORY;
    }
    for (int32_t b = 0; b < bodies; b++) {
        memcpy(inverse + (int64_t)square * b, points->inverse + (int64_t)square * body[b],
               sizeof *inverse * (size_t)square);
    }
    for (int64_t k = 0; k < 2 * (int64_t)contacts; k++) {
        int32_t place = islands->place[points->body[2 * (int64_t)contact[k / 2] + k % 2]];
        out->body[k] = place < 0 ? bodies : place;
    }
    return CN_OK;
}

// Places rise with the contacts, so the columns of a row still ascend.
static cn_status cut_assembled(const cn_friction *p, const solve_islands *islands, int32_t i,
                               cn_arena *memory, cn_operator *cut) {
    cn_bsr *out = &cut->assembled;
    const cn_bsr *W = &p->W.assembled;
    const int32_t *contact = islands->contact + islands->first[i];
    int32_t contacts = islands->first[i + 1] - islands->first[i], square = p->dim * p->dim;
    int64_t blocks = 0;
    for (int32_t k = 0; k < contacts; k++) {
        blocks += W->start[contact[k] + 1] - W->start[contact[k]];
    }
    *out = (cn_bsr){.dim = p->dim, .block_rows = contacts};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)contacts + 1);
    out->column = BASE_TAKE(memory, int32_t, blocks);
    out->value = BASE_TAKE_ZERO(memory, double, square *blocks + CN_BSR_PAD);
    if (!out->start || !out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    for (int32_t k = 0; k < contacts; k++) {
        int64_t to = out->start[k];
        for (int64_t l = W->start[contact[k]]; l < W->start[contact[k] + 1]; l++) {
            int32_t place = islands->place[W->column[l]];
            if (place >= 0) {
                out->column[to] = place;
                memcpy(out->value + square * to++, W->value + square * l,
                       sizeof *out->value * (size_t)square);
            }
        }
        out->start[k + 1] = to;
    }
    return CN_OK;
}

typedef cn_status cut_fn(const cn_friction *p, const solve_islands *islands, int32_t i,
                         cn_arena *memory, cn_operator *cut);
static cut_fn *const cuts[] = {[CN_OPERATOR_ASSEMBLED] = cut_assembled,
                               [CN_OPERATOR_BODY] = cut_body,
                               [CN_OPERATOR_SPHERES] = NULL, // expanded before
                               [CN_OPERATOR_POINTS] = cut_points};

static bool cut_bounds(const cn_friction *p, const solve_islands *islands, int32_t i,
                       cn_arena *memory, cn_bounds *out) {
    *out = (cn_bounds){0};
    if (!p->bounds.boxed) {
        return true;
    }
    int32_t first = islands->first[i], contacts = islands->first[i + 1] - first;
    out->boxed = BASE_TAKE(memory, uint8_t, contacts);
    out->lower = island_numbers(islands, i, p->dim, p->bounds.lower, memory);
    out->upper = island_numbers(islands, i, p->dim, p->bounds.upper, memory);
    out->compliance = p->bounds.compliance
                          ? island_numbers(islands, i, p->dim, p->bounds.compliance, memory)
                          : NULL;
    if (!out->boxed || !out->lower || !out->upper || (p->bounds.compliance && !out->compliance)) {
        return false;
    }
    for (int32_t k = 0; k < contacts; k++) {
        out->boxed[k] = p->bounds.boxed[islands->contact[first + k]];
    }
    return true;
}

cn_status solve_islands_cut(const cn_friction *p, const solve_islands *islands, int32_t i,
                            cn_arena *memory, cn_friction *out) {
    *out = (cn_friction){.dim = p->dim, .contacts = islands->first[i + 1] - islands->first[i]};
    out->W.kind = p->W.kind;
    out->convex = p->convex;
    out->q = island_numbers(islands, i, p->dim, p->q, memory);
    out->mu = island_numbers(islands, i, 1, p->mu, memory);
    out->W.diagonal = island_numbers(islands, i, p->dim * p->dim, p->W.diagonal, memory);
    if (!out->q || !out->mu || !out->W.diagonal ||
        !cut_bounds(p, islands, i, memory, &out->bounds)) {
        return CN_ERR_MEMORY;
    }
    cut_fn *cut = cuts[p->W.kind];
    return cut ? cut(p, islands, i, memory, &out->W) : CN_ERR_UNSUPPORTED;
}

// ---- all islands ----

typedef struct island_run {
    const cn_friction *p;
    cn_friction_fn *solve;
    const cn_solve_opts *opts;
    solve_islands islands;
    bool *kept;           // contacts that take part
    int32_t kept_count;   //
    double *r, *u;        // of the whole
    double start;         // [s] CPU
    int32_t unserved;     // contacts of islands whose turn in this round is still to come
    double allowed;       // |e| of the whole: tolerance times what the measure divides by
    double square;        // |q|^2 of the contacts that take part
    int32_t iterations;   // of the island that took most
    cn_outcome outcome;   // of the last island that was not solved, with its
    const char *detail;   // reason
    bool unsolved, timed; // some island is not; one ran out of time
} island_run;

static double square_of(int64_t count, const double *x) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

// What island i may take: the error by its share, the time by its contacts among those to come.
static cn_solve_opts island_opts(const island_run *run, const cn_friction *p, const double *r,
                                 const double *u) {
    cn_solve_opts opts = *run->opts;
    double share = 0.5 * p->contacts / run->kept_count;
    double square = square_of((int64_t)p->dim * p->contacts, p->q);
    share += run->square > 0.0 ? 0.5 * square / run->square : share;
    opts.tolerance = run->allowed * sqrt(share) / solve_natural_size(p, opts.measure, r, u);
    if (opts.time_limit > 0.0) {
        double left = opts.time_limit - (base_clock_cpu() - run->start);
        opts.time_limit = fmax(left, 0.0) * p->contacts / run->unserved + SOLVE_NATURAL_TINY;
    }
    return opts;
}

static cn_status island_solve(island_run *run, int32_t i, cn_arena *scratch) {
    cn_friction p;
    cn_status status = solve_islands_cut(run->p, &run->islands, i, scratch, &p);
    CN_TRY(status);
    double *r = island_numbers(&run->islands, i, p.dim, run->r, scratch);
    double *u = island_numbers(&run->islands, i, p.dim, run->u, scratch);
    if (!r || !u) {
        return CN_ERR_MEMORY;
    }
    cn_solve_opts opts = island_opts(run, &p, r, u);
    run->unserved -= p.contacts;
    if (solve_natural_error(&p, opts.measure, r, u) <= opts.tolerance) {
        return CN_OK;
    }
    cn_solve_report report = {.outcome = CN_STALLED};
    status = run->solve(&p, &opts, scratch, r, u, &report);
    island_scatter(&run->islands, i, p.dim, r, run->r);
    run->iterations = report.iterations > run->iterations ? report.iterations : run->iterations;
    if (report.outcome != CN_SOLVED) {
        run->unsolved = true;
        run->timed = run->timed || report.outcome == CN_TIME;
        run->outcome = report.outcome;
        run->detail = report.detail;
    }
    return status;
}

// Takes in the contacts with an impulse and those that open slower than the margin [m/s]; joint
// rows always. Returns how many are new.
static int32_t island_keep(island_run *run, double margin) {
    const cn_friction *p = run->p;
    int32_t before = run->kept_count;
    for (int32_t a = 0; a < p->contacts; a++) {
        bool open = !(p->bounds.boxed && p->bounds.boxed[a]);
        for (int32_t i = 0; i < p->dim; i++) {
            open = open && run->r[(int64_t)p->dim * a + i] == 0.0;
        }
        if (!run->kept[a] && !(open && run->u[(int64_t)p->dim * a] >= margin)) {
            run->kept[a] = true;
            run->kept_count++;
        }
    }
    return run->kept_count - before;
}

// One round over the islands. *error: of the whole, after it.
static cn_status island_round(island_run *run, cn_arena *scratch, double *v, double *error) {
    const cn_friction *p = run->p;
    cn_status status = CN_OK;
    run->unserved = run->kept_count;
    run->square = 0.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        run->square += run->kept[a] ? square_of(p->dim, p->q + (int64_t)p->dim * a) : 0.0;
    }
    run->unsolved = run->timed = false;
    run->allowed = run->opts->tolerance * solve_natural_size(p, run->opts->measure, run->r, run->u);
    for (int32_t i = 0; i < run->islands.count && status == CN_OK; i++) {
        base_arena_mark mark = base_arena_get_mark(scratch);
        status = island_solve(run, i, scratch);
        base_arena_release(scratch, mark);
    }
    cn_friction_velocity(p, run->r, v, run->u);
    *error = solve_natural_error(p, run->opts->measure, run->r, run->u);
    return status;
}

// Rounds until the whole is solved, a limit ends it, or nothing changes any more.
static cn_status island_rounds(island_run *run, cn_arena *scratch, double *v, double *error) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = CN_OK;
    bool again = true;
    for (int32_t idle = 0; again && idle < ISLAND_ROUNDS; idle++) {
        status = island_round(run, scratch, v, error);
        again =
            status == CN_OK && !(*error <= run->opts->tolerance) && (run->timed || !run->unsolved);
        if (again && island_keep(run, 0.0) > 0) {
            idle = 0;
            base_arena_release(scratch, mark);
            status = solve_islands_find(run->p, run->kept, scratch, &run->islands);
            again = status == CN_OK;
        }
    }
    return status;
}

cn_status solve_islands_expand(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    *out = *p;
    return cuts[p->W.kind] ? CN_OK : cn_friction_expand(p, memory, out);
}

cn_status solve_islands_solve(const cn_friction *p, cn_friction_fn *solve,
                              const cn_solve_opts *opts, cn_arena *scratch, double *r, double *u,
                              cn_solve_report *report, bool *split) {
    island_run run = {.p = p, .solve = solve, .opts = opts, .r = r, .u = u};
    double *v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
    run.kept = BASE_TAKE_ZERO(scratch, bool, p->contacts);
    if (!v || !run.kept) {
        return CN_ERR_MEMORY;
    }
    cn_friction_velocity(p, r, v, u);
    double error = solve_natural_error(p, CN_MEASURE_SCALED, r, u) *
                   solve_natural_size(p, CN_MEASURE_SCALED, r, u);
    island_keep(&run, ISLAND_NEAR * error / sqrt((double)p->contacts));
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = solve_islands_find(p, run.kept, scratch, &run.islands);
    int32_t largest = 0;
    for (int32_t i = 0; status == CN_OK && i < run.islands.count; i++) {
        int32_t size = run.islands.first[i + 1] - run.islands.first[i];
        largest = size > largest ? size : largest;
    }
    *split = status == CN_OK && largest <= ISLAND_MAX * p->contacts;
    if (!*split) {
        base_arena_release(scratch, mark);
        return status;
    }
    run.start = opts->time_limit > 0.0 ? base_clock_cpu() : 0.0;
    status = island_rounds(&run, scratch, v, &error);
    report->iterations = run.iterations;
    report->outcome = error <= opts->tolerance ? CN_SOLVED
                      : run.unsolved           ? run.outcome
                                               : CN_STALLED;
    report->detail = error <= opts->tolerance ? "tolerance reached, island by island"
                     : run.unsolved           ? run.detail
                                              : "the islands are solved, but not the whole";
    return status;
}
