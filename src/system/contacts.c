// system/contacts.c
// The contacts of one step: which take part, their impulses, what they cost in energy.
//
// With u = H v + rate and the response R = K^-1 H' under the joints, the impulses solve
//     u + shift = (H R) p + H v_free + rate + shift
// with Signorini's and Coulomb's laws: an LCP without friction, a planar friction problem with it.
// Both go through the drivers of solve/, which grade the answer.
#include "base/error.h"
#include "problem/operator/operator.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

#define SLIDING 1e-9 // |p_T| this near to mu p_N, relatively, is sliding

void sys_contacts_activate(cn_system_run *run, const sys_instant *old, double h,
                           sys_contact_set *set) {
    const cn_lagrangian *def = &run->system->lagrangian;
    for (int32_t c = 0; c < def->contacts; c++) {
        double normal = sys_instant_velocity(run->system, old, c, 0, old->v);
        double *shift = set->shift + CN_CONTACT_PARTS * (int64_t)c;
        set->active[c] = old->gap[c] + run->opts.activation * h * normal <= 0.0;
        shift[0] = def->contact[c].restitution * normal;
        for (int32_t i = 1; i < sys_contact_parts(run->system); i++) {
            shift[i] = def->contact[c].restitution_tangent *
                       sys_instant_velocity(run->system, old, c, i, old->v);
        }
        memset(set->p + CN_CONTACT_PARTS * (int64_t)c, 0, CN_CONTACT_PARTS * sizeof *set->p);
    }
}

// The problem of the active contacts: count unknowns, dim for each contact.
typedef struct gathered {
    int32_t dim, contacts, count;
    int32_t *contact;   // active ones
    double *response;   // count x n
    double *W, *q, *mu; // count x count; count; contacts
    double *p, *u;      // the answer
} gathered;

static const double *gathered_row(const cn_system *system, const sys_instant *at, const gathered *g,
                                  int32_t i) {
    int64_t contacts = system->lagrangian.contacts;
    int64_t row = contacts * (i % g->dim) + g->contact[i / g->dim];
    return at->rows + row * system->lagrangian.n;
}

static bool gather_allocate(cn_system_run *run, gathered *g) {
    int64_t count = g->count, n = run->system->lagrangian.n;
    cn_arena *scratch = run->scratch;
    g->response = BASE_TAKE(scratch, double, count *n);
    g->W = BASE_TAKE(scratch, double, count *count);
    g->q = BASE_TAKE(scratch, double, count);
    g->mu = BASE_TAKE(scratch, double, g->contacts);
    g->p = BASE_TAKE_ZERO(scratch, double, count);
    g->u = BASE_TAKE_ZERO(scratch, double, count);
    return g->response && g->W && g->q && g->mu && g->p && g->u;
}

static void gather_fill(cn_system_run *run, const sys_instant *at, const sys_contact_set *set,
                        const double *v, gathered *g) {
    const cn_system *system = run->system;
    int32_t n = system->lagrangian.n;
    for (int32_t j = 0; j < g->count; j++) {
        double *response = g->response + (int64_t)n * j;
        memcpy(response, gathered_row(system, at, g, j), sizeof(double) * (size_t)n);
        sys_response_apply(&run->response, NULL, response);
    }
    for (int32_t i = 0; i < g->count; i++) {
        const double *row = gathered_row(system, at, g, i);
        int32_t c = g->contact[i / g->dim], part = i % g->dim;
        for (int32_t j = 0; j < g->count; j++) {
            const double *response = g->response + (int64_t)n * j;
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++) {
                sum += row[k] * response[k];
            }
            g->W[(int64_t)g->count * i + j] = sum;
        }
        // A contact without a tangential row takes no part in friction.
        double *own = &g->W[(int64_t)(g->count + 1) * i];
        *own = part > 0 && *own == 0.0 ? 1.0 : *own;
        g->q[i] = sys_instant_velocity(system, at, c, part, v) +
                  set->shift[CN_CONTACT_PARTS * (int64_t)c + part];
        g->mu[i / g->dim] = system->lagrangian.contact[c].friction;
    }
}

static cn_status gathered_matrix(cn_system_run *run, const gathered *g, cn_csr *out,
                                 cn_error *error) {
    int64_t count = g->count;
    *out = (cn_csr){.rows = g->count,
                    .cols = g->count,
                    .start = BASE_TAKE(run->scratch, int64_t, count + 1),
                    .column = BASE_TAKE(run->scratch, int32_t, count * count),
                    .value = g->W};
    if (!out->start || !out->column) {
        return base_fail_memory(error);
    }
    for (int64_t i = 0; i <= count; i++) {
        out->start[i] = count * i;
    }
    for (int64_t k = 0; k < count * count; k++) {
        out->column[k] = (int32_t)(k % count);
    }
    return CN_OK;
}

static cn_status gathered_solve(cn_system_run *run, gathered *g, cn_solve_report *solved,
                                cn_error *error) {
    cn_csr matrix;
    cn_status status = gathered_matrix(run, g, &matrix, error);
    CN_TRY(status);
    if (g->dim == 1) {
        cn_lcp lcp = {.n = g->count, .M = matrix, .q = g->q};
        cn_solve_opts opts = cn_solve_opts_default(&run->lcp->info);
        opts.tolerance = run->opts.tolerance;
        return cn_lcp_solve(&lcp, run->lcp, &opts, run->scratch, g->p, g->u, solved, error);
    }
    cn_friction friction;
    status =
        prob_friction_from_csr(run->scratch, g->dim, g->contacts, &matrix, g->q, g->mu, &friction);
    if (status != CN_OK) {
        return base_fail_memory(error);
    }
    cn_solve_opts opts = cn_solve_opts_default(&run->friction->info);
    opts.tolerance = run->opts.tolerance;
    return cn_friction_solve(&friction, run->friction, &opts, run->scratch, g->p, g->u, solved,
                             error);
}

static cn_status gather_and_solve(cn_system_run *run, const sys_instant *at, sys_contact_set *set,
                                  double *v, gathered *g, cn_solve_report *solved,
                                  cn_error *error) {
    int32_t n = run->system->lagrangian.n;
    if (!gather_allocate(run, g)) {
        return base_fail_memory(error);
    }
    gather_fill(run, at, set, v, g);
    CN_TRY(gathered_solve(run, g, solved, error));
    for (int32_t j = 0; j < g->count; j++) {
        int64_t place = CN_CONTACT_PARTS * (int64_t)g->contact[j / g->dim] + j % g->dim;
        set->p[place] = g->p[j];
        set->u[place] = g->u[j] - set->shift[place];
        for (int32_t k = 0; k < n; k++) {
            v[k] += g->response[(int64_t)n * j + k] * g->p[j];
        }
    }
    return CN_OK;
}

cn_status sys_contacts_solve(cn_system_run *run, const sys_instant *at, sys_contact_set *set,
                             double *v, cn_system_report *report, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    base_arena_mark mark = base_arena_get_mark(run->scratch);
    gathered g = {.dim = 1, .contact = BASE_TAKE(run->scratch, int32_t, def->contacts)};
    if (!g.contact) {
        return base_fail_memory(error);
    }
    for (int32_t c = 0; c < def->contacts; c++) {
        memset(set->p + CN_CONTACT_PARTS * (int64_t)c, 0, CN_CONTACT_PARTS * sizeof *set->p);
        if (set->active[c]) {
            g.contact[g.contacts++] = c;
            g.dim = def->contact[c].friction > 0.0 ? sys_contact_parts(run->system) : g.dim;
        }
    }
    g.count = g.dim * g.contacts;
    cn_status status = CN_OK;
    if (g.contacts > 0) {
        cn_solve_report solved;
        status = gather_and_solve(run, at, set, v, &g, &solved, error);
        if (status == CN_OK) {
            report->residual = solved.grade.residual;
            report->outcome = solved.outcome;
        }
    }
    base_arena_release(run->scratch, mark);
    return status;
}

cn_status sys_contacts_push_out(cn_system_run *run, const sys_instant *at,
                                const sys_contact_set *set, double *dq, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    base_arena_mark mark = base_arena_get_mark(run->scratch);
    gathered g = {.dim = 1, .contact = BASE_TAKE(run->scratch, int32_t, def->contacts)};
    for (int32_t c = 0; g.contact && c < def->contacts; c++) {
        if (set->active[c]) {
            g.contact[g.contacts++] = c;
        }
    }
    g.count = g.contacts;
    if (!g.contact || !gather_allocate(run, &g)) {
        return base_fail_memory(error);
    }
    gather_fill(run, at, set, dq, &g);
    for (int32_t i = 0; i < g.count; i++) {
        // The gap where dq leads, instead of a velocity.
        int32_t c = g.contact[i];
        g.q[i] += at->gap[c] - set->shift[CN_CONTACT_PARTS * (int64_t)c] - at->rate[c];
    }
    cn_solve_report solved;
    cn_status status = gathered_solve(run, &g, &solved, error);
    for (int64_t k = 0; status == CN_OK && k < (int64_t)g.count * def->n; k++) {
        dq[k % def->n] += g.response[k] * g.p[k / def->n];
    }
    base_arena_release(run->scratch, mark);
    return status;
}

// Counts, dissipation and the user's call for one contact that took part.
static void contact_report(cn_system_run *run, double t, int32_t c, const double *before,
                           const double *u, const sys_contact_set *set, cn_system_report *report) {
    const double *p = set->p + CN_CONTACT_PARTS * (int64_t)c;
    double mu = run->system->lagrangian.contact[c].friction;
    report->contacts++;
    report->dissipated_impact -= 0.5 * (before[0] + u[0]) * p[0];
    for (int32_t i = 1; i < CN_CONTACT_PARTS; i++) {
        report->dissipated_friction -= 0.5 * (before[i] + u[i]) * p[i];
    }
    if (!(p[0] > 0.0)) {
        return;
    }
    double tangent2 = p[1] * p[1] + p[2] * p[2], limit = mu * p[0] * (1.0 - SLIDING);
    bool slides = mu > 0.0 && tangent2 >= limit * limit;
    report->sliding += slides;
    report->sticking += mu > 0.0 && !slides;
    report->impacts++;
    if (run->opts.impact) {
        cn_system_impact impact = {.t = t,
                                   .contact = c,
                                   .impulse = {p[0], p[1], p[2]},
                                   .velocity_before = {before[0], before[1], before[2]},
                                   .velocity = {u[0], u[1], u[2]}};
        run->opts.impact(run->opts.impact_user, &impact);
    }
}

void sys_contacts_report(cn_system_run *run, double t, const sys_instant *old,
                         const sys_instant *now, const double *v_before, const sys_contact_set *set,
                         cn_system_report *report) {
    const cn_system *system = run->system;
    const cn_lagrangian *def = &system->lagrangian;
    for (int32_t c = 0; c < def->contacts; c++) {
        report->penetration_max = fmax(report->penetration_max, -old->gap[c]);
        const double *p = set->p + CN_CONTACT_PARTS * (int64_t)c;
        for (int32_t i = 0; i < CN_CONTACT_PARTS; i++) {
            run->impulse[CN_CONTACT_PARTS * (int64_t)c + i] += p[i];
        }
        if (!set->active[c]) {
            continue;
        }
        double *before = set->before + CN_CONTACT_PARTS * (int64_t)c;
        double u[CN_CONTACT_PARTS] = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < sys_contact_parts(system); i++) {
            before[i] = sys_instant_velocity(system, now, c, i, v_before);
            u[i] = sys_instant_velocity(system, now, c, i, now->v);
            // A moving contact works on the coordinates with the velocity of its surface.
            report->work -= now->rate[(int64_t)def->contacts * i + c] * p[i];
        }
        contact_report(run, t, c, before, u, set, report);
    }
}
