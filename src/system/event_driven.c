// system/event_driven.c
// Event-driven integration: smooth phases (system/smooth.c) are cut at the instants at which a gap
// closes, a contact force vanishes, sliding stops or sticking gives way, found as roots; there the
// impact law is solved for all touching contacts, and the modes of the lasting ones are chosen by
// the same complementarity on accelerations.
//
// Accurate for few, well separated events. Impacts that accumulate would never end: when one step
// has seen opts.accumulate of them, Moreau-Jean steps as long as the last flight take over until
// the contact stays closed. Many contacts at once belong to "moreau-jean" altogether.
#include "base/cancel.h"
#include "base/elementary/elementary.h"
#include "base/error.h"
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TOUCH 1e-9          // gaps below it, over the size of the coordinates, touch
#define REST 1e-11          // normal velocities below it, over the largest velocity, rest
#define EVENT_FIRST 1e-3    // first step of a smooth phase over what is left, where it is curved
#define EVENT_SAFETY 0.9    // of the step that the error estimate allows
#define EVENT_GROWTH 5.0    // most from one step to the next
#define EVENT_SHRINK 0.2    // least
#define EVENT_SLIDES 1e4    // accelerations that do not turn sliding over, over those present
#define EVENT_ROUND 4.0     // units in the last place of the time in which a root is left
#define EVENT_HALVINGS 60   // looking for the first positive gap after a bounce
#define EVENT_STILL 10      // events without progress before time stepping takes over
#define EVENT_SHORTEST 1e-5 // of a step: the shortest Moreau-Jean step in its place
#define EVENT_MAX 100000    // events in one step
#define CROSSING_MAX 20     // Moreau-Jean steps to cross an accumulation, over opts.accumulate

// What a root is looked for of: a gap, a force, a sliding velocity or a friction margin.
typedef enum event_kind { EVENT_GAP, EVENT_FORCE, EVENT_SLIP, EVENT_GRIP } event_kind;

// Where in a step something happens.
typedef struct sys_event {
    event_kind kind;
    int32_t contact; // -1: nothing
    double length;   // of the step up to it
} sys_event;

cn_status sys_event_driven_start(cn_system_run *run, cn_system_report *report, cn_error *error) {
    (void)report;
    return sys_smooth_allocate(run) ? CN_OK : base_fail_memory(error);
}

static double largest_of(int32_t n, const double *x) {
    double max = 1.0;
    for (int32_t i = 0; i < n; i++) {
        max = fmax(max, fabs(x[i]));
    }
    return max;
}

// ---- the functions whose roots are events ----

// At the state y_end of the last trial, whose instant is smooth->at.
static double event_value(const cn_system_run *run, event_kind kind, int32_t c) {
    const sys_smooth *s = run->smooth;
    double mu = run->system->lagrangian.contact[c].friction;
    switch (kind) {
    case EVENT_GAP:
        return s->at.gap[c];
    case EVENT_FORCE:
        return s->lambda[2 * c];
    case EVENT_SLIP:
        return sys_instant_velocity(run->system, &s->at, c, 1, s->at.v) *
               (run->mode[c] == SYS_MODE_SLIDE_UP ? 1.0 : -1.0);
    case EVENT_GRIP:
        return mu * s->lambda[2 * c] - fabs(s->lambda[2 * c + 1]);
    }
    return 0.0;
}

static bool event_applies(const cn_system_run *run, event_kind kind, int32_t c) {
    double mode = run->mode[c];
    switch (kind) {
    case EVENT_GAP:
        return mode == SYS_MODE_OPEN;
    case EVENT_FORCE:
        return mode != SYS_MODE_OPEN;
    case EVENT_SLIP:
        return mode == SYS_MODE_SLIDE_UP || mode == SYS_MODE_SLIDE_DOWN;
    case EVENT_GRIP:
        return mode == SYS_MODE_STICK;
    }
    return false;
}

// The value after a step of length h.
static cn_status event_probe(cn_system_run *run, double t, double h, event_kind kind, int32_t c,
                             double *value, cn_error *error) {
    cn_status status = sys_smooth_try(run, t, h, error);
    *value = status == CN_OK ? event_value(run, kind, c) : 0.0;
    return status;
}

// *high: a length at which the value is negative. Out: the root below it, by bisection with secant
// steps (Illinois). From a value that is not positive at the start (a contact that has just
// bounced) the first positive one is looked for.
static cn_status event_root(cn_system_run *run, double t, event_kind kind, int32_t c, double *high,
                            cn_error *error) {
    double low = 0.0, f_low, f_high;
    cn_status status = event_probe(run, t, *high, kind, c, &f_high, error);
    double trial = *high;
    f_low = -1.0;
    for (int32_t i = 0; status == CN_OK && !(f_low > 0.0) && i < EVENT_HALVINGS; i++) {
        trial *= 0.5;
        status = event_probe(run, t, trial, kind, c, &f_low, error);
        if (f_low > 0.0) {
            low = trial;
        } else {
            *high = trial;
            f_high = f_low;
        }
    }
    double close = EVENT_ROUND * DBL_EPSILON * fmax(fabs(t), DBL_MIN);
    int32_t side = 0;
    while (status == CN_OK && f_low > 0.0 && *high - low > close) {
        double middle = low + (*high - low) * f_low / (f_low - f_high), value;
        // A secant step that hardly moves an end is replaced by halving.
        if (!(middle > low && middle < *high) || side > 3 || side < -3) {
            middle = low + 0.5 * (*high - low);
            side = 0;
            if (!(middle > low && middle < *high)) {
                break;
            }
        }
        status = event_probe(run, t, middle, kind, c, &value, error);
        if (value > 0.0) {
            low = middle;
            f_low = value;
            f_high *= side > 0 ? 0.5 : 1.0;
            side = side > 0 ? side + 1 : 1;
        } else {
            *high = middle;
            f_high = value;
            f_low *= side < 0 ? 0.5 : 1.0;
            side = side < 0 ? side - 1 : -1;
        }
    }
    return status;
}

// The lowest point of a gap inside a step of length h, by the cubic through both ends; HUGE_VAL
// where it has none. *at: its length.
static double gap_lowest(double g0, double u0, double g1, double u1, double h, double *at) {
    double a = 2.0 * (g0 - g1) / h + u0 + u1, b = 3.0 * (g1 - g0) / h - 2.0 * u0 - u1;
    double root = b * b - 3.0 * a * u0;
    if (!(root > 0.0 && u0 < 0.0 && u1 > 0.0)) {
        return HUGE_VAL;
    }
    double x = -u0 / (b + sqrt(root));
    *at = x * h;
    return g0 + h * x * (u0 + x * (b + x * a));
}

// The first event of the trial step of length h from t, whose end is in y_end.
static cn_status event_first(cn_system_run *run, double t, double h, const double *gap0,
                             const double *rate0, sys_event *first, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    cn_status status = CN_OK;
    double *value = run->smooth->value, *rate = run->smooth->rate;
    *first = (sys_event){.contact = -1, .length = h};
    for (int32_t c = 0; c < def->contacts; c++) {
        rate[c] = sys_instant_velocity(run->system, &run->smooth->at, c, 0, run->smooth->at.v);
        for (int32_t kind = 0; kind < SYS_EVENT_KINDS; kind++) {
            value[SYS_EVENT_KINDS * c + kind] = event_value(run, (event_kind)kind, c);
        }
    }
    for (int32_t k = 0; status == CN_OK && k < SYS_EVENT_KINDS * def->contacts; k++) {
        int32_t c = k / SYS_EVENT_KINDS;
        event_kind kind = (event_kind)(k % SYS_EVENT_KINDS);
        if (!event_applies(run, kind, c)) {
            continue;
        }
        double length = h, dip;
        if (kind == EVENT_GAP && value[k] > 0.0 &&
            gap_lowest(gap0[c], rate0[c], value[k], rate[c], h, &dip) < 0.0) {
            length = dip;
            status = event_probe(run, t, length, kind, c, &value[k], error);
        }
        if (status == CN_OK && value[k] < 0.0) {
            status = event_root(run, t, kind, c, &length, error);
            if (length <= first->length) {
                *first = (sys_event){kind, c, length};
            }
        }
    }
    // y_end is that of the event, or of the whole step.
    CN_TRY(status);
    return sys_smooth_try(run, t, first->length, error);
}

// ---- what happens at an event ----

// Touching contacts at the instant run->now, which is at y.
static bool event_touching(const cn_system_run *run, int32_t c) {
    double size = largest_of(run->system->lagrangian.n, run->now.q);
    return run->mode[c] != SYS_MODE_OPEN || run->now.gap[c] <= TOUCH * size;
}

static cn_status event_look(cn_system_run *run, double t, cn_error *error) {
    size_t bytes = sizeof(double) * (size_t)run->system->lagrangian.n;
    run->now.t = t;
    memcpy(run->now.q, run->smooth->y, bytes);
    memcpy(run->now.v, run->smooth->y + run->system->lagrangian.n, bytes);
    return sys_instant_evaluate(run->system, &run->now, error);
}

// The impact law for all touching contacts where one approaches: velocities jump, *hits counts.
static cn_status event_impact(cn_system_run *run, double t, int32_t *hits, cn_system_report *report,
                              cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    int64_t n = def->n;
    double rest = REST * largest_of(def->n, run->now.v);
    bool approaching = false;
    for (int32_t c = 0; c < def->contacts; c++) {
        double normal = sys_instant_velocity(run->system, &run->now, c, 0, run->now.v);
        double tangent = sys_instant_velocity(run->system, &run->now, c, 1, run->now.v);
        run->set.active[c] = event_touching(run, c);
        run->set.shift[CN_CONTACT_PARTS * c] = def->contact[c].restitution * fmin(normal, 0.0);
        run->set.shift[CN_CONTACT_PARTS * c + 1] = def->contact[c].restitution_tangent * tangent;
        approaching = approaching || (run->set.active[c] && normal < -rest);
    }
    if (!approaching) {
        return CN_OK;
    }
    double *before = run->residual;
    memcpy(before, run->now.v, sizeof(double) * (size_t)n);
    memcpy(run->response.K, run->now.M, sizeof(double) * (size_t)(n * n));
    CN_TRY(sys_response_prepare(&run->response, run->now.joint_rows, run->now.joint_rows, error));
    CN_TRY(sys_contacts_solve(run, &run->now, &run->set, run->now.v, report, error));

    int32_t impacts = report->impacts;
    sys_contacts_report(run, t, &run->now, &run->now, before, &run->set, report);
    *hits += report->impacts > impacts;
    for (int32_t c = 0; c < def->contacts; c++) {
        run->smooth->bounced[c] = run->smooth->bounced[c] || run->set.p[CN_CONTACT_PARTS * c] > 0.0;
    }
    memcpy(run->smooth->y + n, run->now.v, sizeof(double) * (size_t)n);
    return CN_OK;
}

// Modes of the contacts that touch and neither approach nor part, by the complementarity of their
// accelerations: u' = H a + drift takes the place of u. Sliding ones keep their direction.
static cn_status event_modes(cn_system_run *run, cn_system_report *report, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    sys_smooth *s = run->smooth;
    double rest = REST * largest_of(def->n, run->now.v);
    bool any = false;
    for (int32_t c = 0; c < def->contacts; c++) {
        double normal = sys_instant_velocity(run->system, &run->now, c, 0, run->now.v);
        run->set.active[c] = event_touching(run, c) && normal <= rest;
        run->mode[c] = SYS_MODE_OPEN;
        any = any || run->set.active[c];
    }
    if (!any) {
        return CN_OK;
    }
    double *a = run->change;
    CN_TRY(sys_smooth_acceleration(run, &run->now, a, error));
    sys_contact_drift(run->system, &run->now, &run->spare, s->drift);
    for (int32_t c = 0; c < def->contacts; c++) {
        double slip = sys_instant_velocity(run->system, &run->now, c, 1, run->now.v);
        for (int32_t i = 0; i < 2; i++) {
            int64_t row = (int64_t)def->contacts * i + c;
            run->set.shift[CN_CONTACT_PARTS * c + i] = s->drift[row] - run->now.rate[row];
        }
        // Sliding that goes on is far from turning over: its direction wins whatever the forces.
        if (fabs(slip) > rest) {
            double size = largest_of(def->n, a) + fabs(s->drift[def->contacts + c]);
            run->set.shift[CN_CONTACT_PARTS * c + 1] += copysign(EVENT_SLIDES * size, slip);
        }
    }
    CN_TRY(sys_contacts_solve(run, &run->now, &run->set, a, report, error));
    for (int32_t c = 0; c < def->contacts; c++) {
        double slip = sys_instant_velocity(run->system, &run->now, c, 1, run->now.v);
        double push = sys_instant_velocity(run->system, &run->now, c, 1, a) +
                      run->set.shift[CN_CONTACT_PARTS * c + 1];
        if (!run->set.active[c] || !(run->set.p[CN_CONTACT_PARTS * c] > 0.0)) {
            continue;
        }
        double mu = def->contact[c].friction;
        double moving = fabs(slip) > rest ? slip : push;
        bool grips = fabs(slip) <= rest && fabs(run->set.p[CN_CONTACT_PARTS * c + 1]) <
                                               mu * run->set.p[CN_CONTACT_PARTS * c];
        run->mode[c] = mu == 0.0      ? SYS_MODE_CLOSED
                       : grips        ? SYS_MODE_STICK
                       : moving > 0.0 ? SYS_MODE_SLIDE_UP
                                      : SYS_MODE_SLIDE_DOWN;
    }
    return CN_OK;
}

static cn_status event_handle(cn_system_run *run, double t, int32_t *hits, cn_system_report *report,
                              cn_error *error) {
    CN_TRY(event_look(run, t, error));
    CN_TRY(event_impact(run, t, hits, report, error));
    return event_modes(run, report, error);
}

// ---- accumulations ----

// Whether all contacts that bounced pressed in the last Moreau-Jean step.
static bool event_pressed(const cn_system_run *run) {
    bool pressed = true;
    for (int32_t c = 0; c < run->system->lagrangian.contacts; c++) {
        pressed = pressed && (!run->smooth->bounced[c] || run->set.p[CN_CONTACT_PARTS * c] > 0.0);
    }
    return pressed;
}

// Moreau-Jean steps of a given length, until the contacts that bounced stay closed or the step is
// over.
static cn_status event_cross(cn_system_run *run, double *t, double end, double flight,
                             cn_system_report *report, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    double *q = run->smooth->y, *v = q + def->n;
    cn_status status = CN_OK;
    int32_t pressed = 0, max = CROSSING_MAX * run->opts.accumulate;
    for (int32_t i = 0; status == CN_OK && i < max && pressed < 2 && *t < end; i++) {
        double h = fmin(flight, end - *t);
        status = sys_moreau_jean_advance(run, *t, h, q, v, report, error);
        pressed = event_pressed(run) ? pressed + 1 : 0;
        *t = h < flight ? end : *t + h;
    }
    CN_TRY(status);
    // Contacts that pressed are closed now, and what the steps left of gap and speed is taken off.
    for (int32_t c = 0; c < def->contacts; c++) {
        run->smooth->bounced[c] = false;
        bool closed = pressed >= 2 && run->set.active[c] && run->set.p[CN_CONTACT_PARTS * c] > 0.0;
        run->mode[c] = closed ? SYS_MODE_CLOSED : SYS_MODE_OPEN;
    }
    run->memory_of_scheme[0] = pressed >= 2 ? 0.0 : flight;
    status = sys_smooth_project(run, *t, error);
    int32_t unused = 0;
    CN_TRY(status);
    return event_handle(run, *t, &unused, report, error);
}

// ---- the step ----

// A smooth phase from *t to the next event, at most to end. *next: the length to try first, and
// next time.
static cn_status event_phase(cn_system_run *run, double *t, double end, double *next, bool *event,
                             cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    sys_smooth *s = run->smooth;
    double *gap = s->gap, *rate = s->gap_rate; // at the start
    cn_status status = base_poll_status(&run->env, error);
    if (status == CN_OK) {
        status = sys_smooth_begin(run, *t, error);
    }
    CN_TRY(status);
    for (int32_t c = 0; c < def->contacts; c++) {
        gap[c] = s->at.gap[c];
        rate[c] = sys_instant_velocity(run->system, &s->at, c, 0, s->at.v);
    }
    double left = end - *t, length = fmin(*next, left);
    status = sys_smooth_try(run, *t, length, error);
    double off = sys_smooth_error(run);
    double share = off > 0.0 ? EVENT_SAFETY * base_exp(-0.2 * base_ln(off)) : EVENT_GROWTH;
    share = fmin(EVENT_GROWTH, fmax(EVENT_SHRINK, share));
    *event = false;
    double min = EVENT_ROUND * DBL_EPSILON * fmax(fabs(*t), end);
    if (status != CN_OK || (!(off <= 1.0) && length > min)) {
        *next = length * fmin(share, 0.5);
        return status;
    }
    sys_event first;
    status = event_first(run, *t, length, gap, rate, &first, error);
    CN_TRY(status);
    *event = first.contact >= 0;
    *next = fmax(*next, length * share);
    *t = !*event && length >= left ? end : *t + first.length;
    memcpy(s->y, s->y_end, sizeof(double) * 2 * (size_t)def->n);
    // A contact that opens does so from where it was closed.
    status = sys_smooth_project(run, *t, error);
    if (*event && first.kind == EVENT_FORCE) {
        run->mode[first.contact] = SYS_MODE_OPEN;
    }
    return status;
}

static cn_status event_run(cn_system_run *run, double start, double end, cn_system_report *report,
                           cn_error *error) {
    double t = start, next = (end - start) * EVENT_FIRST, last_hit = start, flight = 0.0;
    double shortest = EVENT_SHORTEST * (end - start);
    int32_t hits = 0, events = 0, still = 0;
    memset(run->smooth->bounced, 0, sizeof(bool) * (size_t)run->system->lagrangian.contacts);
    cn_status status = event_handle(run, t, &hits, report, error);
    if (status == CN_OK && run->memory_of_scheme[0] > 0.0) {
        status = event_cross(run, &t, end, run->memory_of_scheme[0], report, error);
    }
    while (status == CN_OK && t < end) {
        bool event;
        double before_phase = t;
        status = event_phase(run, &t, end, &next, &event, error);
        if (status != CN_OK || !event) {
            continue;
        }
        int32_t before = hits;
        status = event_handle(run, t, &hits, report, error);
        report->substeps++;
        if (hits > before) {
            flight = t - last_hit;
            last_hit = t;
        }
        // Events without progress: what happens is too small to be resolved.
        still = t - before_phase > DBL_EPSILON * fabs(t) ? 0 : still + 1;
        if (status == CN_OK && (hits >= run->opts.accumulate || still > EVENT_STILL)) {
            status = event_cross(run, &t, end, fmax(flight, shortest), report, error);
            hits = still = 0;
        }
        if (++events > EVENT_MAX) {
            return base_fail(error, CN_ERR_NUMERIC, "%s: more than %d events near t = %g",
                             run->system->name, EVENT_MAX, t);
        }
    }
    return status;
}

cn_status sys_event_driven_step(cn_system_run *run, cn_system_report *report, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    sys_smooth *s = run->smooth;
    size_t bytes = sizeof(double) * (size_t)def->n;
    double h = run->opts.step, start = (double)run->step * h, end = (double)(run->step + 1) * h;
    double kinetic, potential;
    cn_system_run_energy(run, &kinetic, &potential);
    memcpy(s->y, run->q, bytes);
    memcpy(s->y + def->n, run->v, bytes);
    CN_TRY(event_run(run, start, end, report, error));
    CN_TRY(event_look(run, end, error));

    memcpy(run->q, s->y, bytes);
    memcpy(run->v, s->y + def->n, bytes);
    for (int32_t c = 0; c < def->contacts; c++) {
        report->penetration_max = fmax(report->penetration_max, -run->now.gap[c]);
    }
    for (int32_t j = 0; j < def->joints; j++) {
        report->joint_error_max = fmax(report->joint_error_max, fabs(run->now.theta[j]));
    }
    // The work of forces without a potential is what the impacts do not explain.
    double stored = sys_potential(run->system, end, run->q) - potential;
    double gained = sys_kinetic(run->system, run->now.M, run->v) - kinetic + stored;
    report->work = gained + report->dissipated_impact + report->dissipated_friction;
    report->balance_error = gained;
    return CN_OK;
}
