// step/fast_pairs.c
// Pairs that one step would take from apart to deeper than half their thickness, where the normal
// may point to the wrong side or the bodies are past one another. Laws that act on every listed
// contact stop them at the surface. Contacts with restitution take part only when they touch, so
// for them:
//  1. before the solve, pairs whose motion hits (detect/impact_time.h) and goes deeper take part
//     early: they bounce with e u_i in front of the surface, at a gap of at most h |u|;
//  2. after the solve, pairs that the impulses of others throw through one another are added, and
//     the step is made again from its start, at most CN_FAST_TRIES times. Bodies that became faster
//     than detection had expected are looked for farther away then, whatever their law;
//  3. what is left is stopped without bouncing:
//         0 <= u + max(0, g + depth)/tau  orthogonal to  p >= 0  for all normals, without friction.
// The motion that counts is that from q~ of this step to q~ of the next one, of the length tau =
// theta h + (1 - theta) h_next. The first step of a run has no q~ before it: it is cut into parts
// where its first drift would take bodies through one another.
//
// Energy: whether a contact takes part does not enter 1/2 (u_i + u_{i+1}) . r, so 1 and 2 conserve
// as the law does, exactly for e = 1; 3 only dissipates. A second impact added after the first
// would not: hence the new try from the start.
//
// Costs nothing where no body moves by half its thickness in a step.
#include "step/phases.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "detect/impact_time.h"
#include "math/vec3.h"
#include "problem/operator.h"

#include <math.h>
#include <string.h>

#define CN_FAST_TRIES 3          // of a step: the first and two more
#define CN_PARTS_MAX 4096.0      // of the first step
#define CN_SAME_NORMAL 0.999     // cosine: the contact that is hit is the listed one
#define CN_STOP_TOLERANCE 1e-6   // of the solve that stops what nothing else stops
#define CN_STOPPED_ENOUGH 1.0001 // of the depth: what the tolerance leaves is no pass

// ---- how far bodies come ----

// Of body i within the step with velocities v [m]; rotation counts for what is not round.
static double cn_reach_of(const cn_sim *sim, int32_t i, const double *v) {
    const cn_model *model = sim->model;
    const cn_body *body = &model->body[i];
    const double *own = v + (int64_t)cn_velocity_size(model->dim) * i;
    double bound = body->ball || isinf(body->bound) ? 0.0 : body->bound;
    double speed = model->dim == 3 ? cn_norm3(own) + bound * cn_norm3(own + 3)
                                   : hypot(own[0], own[1]) + bound * fabs(own[2]);
    return sim->last.sweep * speed;
}

typedef struct cn_fast_loop {
    const cn_sim *sim;
    const double *v;
} cn_fast_loop;

static void cn_farthest_range(const void *user, int64_t first, int64_t end, void *part) {
    const cn_fast_loop *loop = user;
    double *most = part;
    for (int64_t i = first; i < end; i++) {
        *most = fmax(*most, cn_reach_of(loop->sim, (int32_t)i, loop->v));
    }
}

static void cn_farthest_join(void *total, const void *part) {
    *(double *)total = fmax(*(double *)total, *(const double *)part);
}

// Whether any body moves so far in the step that a pair may be fast.
static bool cn_anything_fast(const cn_sim *sim, const double *v) {
    cn_fast_loop loop = {sim, v};
    double most = 0.0;
    if (!(sim->model->depth_min < HUGE_VAL)) {
        return false;
    }
    cn_parallel_fold(&sim->env, sim->model->body_count, cn_farthest_range, cn_farthest_join, &loop,
                     sizeof most, &most);
    return 2.0 * most > sim->model->depth_min;
}

// ---- pairs of shapes ----

// The contacts of one pair of shapes, first .. end - 1 of the list, and how they move.
typedef struct cn_fast_group {
    int32_t first, end;
    double depth;
    bool hit, closed; // the shapes meet within the step; they are in touch already
    cn_impact impact;
} cn_fast_group;

static double cn_normal_velocity(const cn_sim *sim, const cn_contact *contact, const double *v) {
    double apart[3];
    cn_contact_velocity(sim->model->dim, sim->last.q_middle, v, contact, apart);
    return cn_dot3(contact->normal, apart);
}

// The group that starts at a listed contact. What it cannot reach is not looked at closely.
static cn_fast_group cn_group_at(const cn_sim *sim, int32_t first, const double *v) {
    const cn_contact_list *list = &sim->last.contacts;
    const cn_contact *contact = &list->contact[first];
    cn_fast_group group = {.first = first, .end = first + 1};
    double gap = contact->gap;
    for (; group.end < list->count && cn_same_shapes(&contact->key, &list->contact[group.end].key);
         group.end++) {
        gap = fmin(gap, list->contact[group.end].gap);
    }
    double reach = cn_reach_of(sim, contact->key.candidate, v) +
                   cn_reach_of(sim, contact->key.antagonist, v);
    group.depth = cn_contact_depth(sim->model, &contact->key);
    if (!(gap + group.depth < reach)) {
        return group;
    }
    group.closed = gap <= 0.0;
    group.hit = group.closed ||
                cn_impact_time(sim->model, &contact->key, sim->last.q_middle, v, sim->last.sweep,
                               gap + 2.0 * reach, &group.impact);
    return group;
}

// Whether contact c of a group that is hit goes deeper than it may.
static bool cn_goes_through(const cn_sim *sim, const cn_fast_group *group, int32_t c,
                            const double *v) {
    const cn_contact *contact = &sim->last.contacts.contact[c];
    bool listed = group->closed ||
                  cn_dot3(contact->normal, group->impact.normal) > CN_SAME_NORMAL;
    return listed && contact->gap > -group->depth &&
           contact->gap + sim->last.sweep * cn_normal_velocity(sim, contact, v) <
               -CN_STOPPED_ENOUGH * group->depth;
}

// Whether the group as a whole does, at the place of its impact.
static bool cn_group_goes_through(const cn_sim *sim, const cn_fast_group *group) {
    return group->hit && !group->closed &&
           (sim->last.sweep - group->impact.t) * group->impact.approach >
               CN_STOPPED_ENOUGH * group->depth;
}

static bool cn_group_bounces(const cn_sim *sim, const cn_fast_group *group) {
    const cn_model *model = sim->model;
    const cn_contact_key *key = &sim->last.contacts.contact[group->first].key;
    return cn_model_pair(model, model->body[key->candidate].material,
                         model->body[key->antagonist].material)
               ->law == CN_LAW_SIGNORINI;
}

// The nearest contact of a group gets the place of the impact, as far as one point can stand for it
// at q~: on the line through the centre of a sphere, else halfway between where the two bodies will
// be hit.
static int32_t cn_group_aim(cn_sim *sim, const cn_fast_group *group, const double *v) {
    const cn_model *model = sim->model;
    cn_contact *contact = sim->last.contacts.contact;
    int32_t nearest = group->first;
    for (int32_t c = group->first + 1; c < group->end; c++) {
        nearest = contact[c].gap < contact[nearest].gap ? c : nearest;
    }
    contact += nearest;
    const cn_body *candidate = &model->body[contact->key.candidate],
                  *antagonist = &model->body[contact->key.antagonist];
    const double *n = group->impact.normal;
    int32_t dim = model->dim;
    if (candidate->ball && antagonist->ball) {
        return nearest; // both lines are one at q~ only
    }
    if (candidate->ball || antagonist->ball) {
        int32_t ball = candidate->ball ? contact->key.candidate : contact->key.antagonist;
        const double *x = sim->last.q_middle + (int64_t)cn_pose_size(dim) * ball;
        double arm = (candidate->ball ? -1.0 : 1.0) * (model->body[ball].bound + 0.5 * contact->gap);
        for (int32_t k = 0; k < dim; k++) {
            contact->point[k] = x[k] + arm * n[k];
        }
    } else {
        int64_t size = cn_velocity_size(dim);
        const double *a = v + size * contact->key.candidate, *b = v + size * contact->key.antagonist;
        for (int32_t k = 0; k < dim; k++) {
            contact->point[k] = group->impact.point[k] - 0.5 * group->impact.t * (a[k] + b[k]);
        }
    }
    memcpy(contact->normal, n, sizeof contact->normal);
    return nearest;
}

// ---- before the solve ----

// Contacts of the group that take part early; returns how many.
static int32_t cn_group_mark(cn_sim *sim, const cn_fast_group *group) {
    cn_step *step = &sim->last;
    int32_t count = 0;
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        step->early[c] = cn_goes_through(sim, group, c, step->v_old);
        count += step->early[c];
    }
    if (count == 0 && cn_group_goes_through(sim, group)) {
        step->early[cn_group_aim(sim, group, step->v_old)] = 1;
        count = 1;
    }
    return count;
}

// Those that the last try of the step asked for.
static void cn_mark_forced(cn_sim *sim) {
    cn_step *step = &sim->last;
    const cn_contact_key *forced = (const void *)sim->forced.data;
    int64_t count = (int64_t)(sim->forced.size / sizeof *forced), next = 0;
    for (int32_t c = 0; c < step->contacts.count && next < count; c++) {
        const cn_contact_key *key = &step->contacts.contact[c].key;
        while (next < count && cn_key_before(&forced[next], key)) {
            next++;
        }
        if (next < count && !cn_key_before(key, &forced[next])) {
            step->early[c] = 1;
        }
    }
}

cn_status cn_fast_mark(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    const cn_model *model = sim->model;
    step->opts.early = NULL;
    if (step->opts.scheme != CN_SHIFT_LAW || !model->settings.continuous || !model->bounces ||
        !(cn_anything_fast(sim, step->v_old) || sim->forced.size > 0)) {
        return CN_OK;
    }
    step->early = CN_TAKE_ZERO(sim->step_memory, uint8_t, step->contacts.count);
    if (!step->early) {
        return cn_fail_memory(error);
    }
    for (int32_t c = 0; c < step->contacts.count;) {
        cn_fast_group group = cn_group_at(sim, c, step->v_old);
        if (cn_group_bounces(sim, &group)) {
            cn_group_mark(sim, &group);
        }
        c = group.end;
    }
    cn_mark_forced(sim);
    step->opts.early = step->early;
    return CN_OK;
}

// ---- after the solve ----

// Bodies that come farther than detection expected, by so much that they may be past something.
// Their reach is noted for the next try.
static cn_status cn_fast_reach(cn_sim *sim, bool *farther, cn_error *error) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    *farther = false;
    for (int32_t i = 0; i < model->body_count; i++) {
        double now = cn_reach_of(sim, i, step->v_new), expected = cn_reach_of(sim, i, step->v_old);
        expected = sim->tries > 0 && sim->reach ? fmax(expected, sim->reach[i]) : expected;
        if (now <= expected + 0.5 * step->contacts.alert || 2.0 * now <= model->depth_min) {
            continue;
        }
        if (!*farther && !sim->reach) {
            sim->reach = CN_TAKE(sim->memory, double, model->body_count);
            if (!sim->reach) {
                return cn_fail_memory(error);
            }
        }
        if (!*farther && sim->tries == 0) {
            memset(sim->reach, 0, sizeof(double) * (size_t)model->body_count);
        }
        *farther = true;
        sim->reach[i] = 2.0 * now;
    }
    return CN_OK;
}

// Contacts that are to take part in the next try; returns how many are new.
static int32_t cn_group_force(cn_sim *sim, const cn_fast_group *group, bool *memory) {
    cn_step *step = &sim->last;
    int32_t count = 0;
    bool whole = cn_group_goes_through(sim, group);
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        bool active = step->early && step->early[c];
        if (!active && (cn_goes_through(sim, group, c, step->v_new) || (whole && count == 0))) {
            const cn_contact_key *key = &step->contacts.contact[c].key;
            *memory = *memory && cn_buffer_append(&sim->forced, key, sizeof *key);
            count++;
        }
    }
    return count;
}

// There are few.
static void cn_sort_keys(cn_contact_key *key, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        cn_contact_key moving = key[i];
        int64_t at = i;
        for (; at > 0 && cn_key_before(&moving, &key[at - 1]); at--) {
            key[at] = key[at - 1];
        }
        key[at] = moving;
    }
}

// Groups that the solved step takes through one another: how many, the first of them, and contacts
// that a further try may take in.
static int32_t cn_fast_count(cn_sim *sim, bool force, int32_t at[2], int32_t *forced,
                             cn_error *error) {
    cn_step *step = &sim->last;
    int32_t through = 0;
    bool memory = true;
    *forced = 0;
    for (int32_t c = 0; c < step->contacts.count;) {
        cn_fast_group group = cn_group_at(sim, c, step->v_new);
        bool passes = cn_group_goes_through(sim, &group);
        for (int32_t k = group.first; k < group.end && group.hit && !passes; k++) {
            passes = cn_goes_through(sim, &group, k, step->v_new);
        }
        if (passes && through++ == 0) {
            at[0] = step->contacts.contact[c].key.candidate;
            at[1] = step->contacts.contact[c].key.antagonist;
        }
        if (passes && force && cn_group_bounces(sim, &group)) {
            *forced += cn_group_force(sim, &group, &memory);
        }
        c = group.end;
    }
    cn_sort_keys((void *)sim->forced.data,
                 (int64_t)(sim->forced.size / sizeof(cn_contact_key)));
    if (!memory) {
        cn_fail_memory(error);
        return -1;
    }
    return through;
}

// ---- stopping what nothing else stops ----

// The step's answer with p added: contacts that it presses on join the problem.
static cn_status cn_stop_add(cn_sim *sim, const cn_assembled *stop, cn_error *error) {
    cn_step *step = &sim->last;
    cn_assembled before = step->assembled;
    const double *r = step->r, *p = stop->r;
    int32_t dim = sim->model->dim;
    for (int32_t c = 0; c < step->contacts.count; c++) {
        if (p[(int64_t)dim * c] > 0.0) {
            step->early[c] = 1;
            if (step->fast.limited++ == 0) {
                step->fast.limited_at[0] = step->contacts.contact[c].key.candidate;
                step->fast.limited_at[1] = step->contacts.contact[c].key.antagonist;
            }
        }
    }
    cn_status status = cn_assemble(sim->model, &sim->state, &step->contacts, &step->inertia,
                                   step->v_old, step->v_free, &step->opts, sim->step_memory,
                                   &step->assembled, error);
    cn_friction *problem = &step->assembled.problem;
    step->r = step->assembled.r;
    step->u = CN_TAKE(sim->step_memory, double, (int64_t)dim * problem->contacts);
    double *v = CN_TAKE(sim->step_memory, double, cn_operator_dofs(&problem->W, dim));
    if (status != CN_OK || !step->u || !v) {
        return status != CN_OK ? status : cn_fail_memory(error);
    }
    cn_steer_friction(step);
    for (int32_t a = 0, b = 0; a < problem->contacts; a++) {
        bool joint = a >= step->assembled.contacts;
        int32_t c = joint ? a - step->assembled.contacts : cn_assembled_listed(&step->assembled, a);
        b = joint ? before.contacts + c : b;
        bool there = joint || (b < before.contacts && cn_assembled_listed(&before, b) == c);
        for (int32_t i = 0; i < dim; i++) {
            int64_t row = (int64_t)dim * a + i;
            int64_t added = (int64_t)dim * (joint ? stop->contacts + c : c) + i;
            step->r[row] = (there ? r[(int64_t)dim * b + i] : 0.0) + p[added];
        }
        b += there && !joint;
    }
    cn_friction_velocity_by(&sim->env, problem, step->r, v, step->u);
    status = cn_step_end(sim, error);
    return status == CN_OK ? cn_step_statuses(sim, error) : status;
}

static cn_status cn_fast_stop(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    int32_t count = step->contacts.count;
    double *given = CN_TAKE(sim->step_memory, double, count);
    step->early = step->early ? step->early : CN_TAKE_ZERO(sim->step_memory, uint8_t, count);
    if (!given || !step->early) {
        return cn_fail_memory(error);
    }
    step->opts.early = step->early;
    for (int32_t c = 0; c < count; c++) {
        const cn_contact *contact = &step->contacts.contact[c];
        double reach = cn_reach_of(sim, contact->key.candidate, step->v_new) +
                       cn_reach_of(sim, contact->key.antagonist, step->v_new);
        double depth = fmin(cn_contact_depth(sim->model, &contact->key), fabs(contact->gap) + reach);
        given[c] = fmax(0.0, contact->gap + depth) / step->sweep;
    }
    cn_assembled stop;
    cn_status status =
        cn_solve_normals(sim, step->v_new, given, CN_STOP_TOLERANCE, &stop, error);
    return status == CN_OK ? cn_stop_add(sim, &stop, error) : status;
}

// ---- all of it ----

static void cn_count_early(cn_step *step) {
    int32_t dim = step->assembled.problem.dim;
    for (int32_t a = 0; step->early && a < step->assembled.contacts; a++) {
        int32_t c = cn_assembled_listed(&step->assembled, a);
        double gap = step->contacts.contact[c].gap;
        if (step->early[c] && gap > 0.0 && step->r[(int64_t)dim * a] > 0.0) {
            step->fast.early++;
            step->fast.early_gap = fmax(step->fast.early_gap, gap);
        }
    }
}

cn_status cn_fast_check(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    if (step->opts.scheme != CN_SHIFT_LAW || !sim->model->settings.continuous || step->woken > 0 ||
        !cn_anything_fast(sim, step->v_new)) {
        cn_count_early(step);
        return CN_OK;
    }
    bool farther = false, last = sim->tries + 1 >= CN_FAST_TRIES;
    int32_t forced = 0, through = 0;
    cn_status status = cn_fast_reach(sim, &farther, error);
    // Spheres whose vectors are shared have no q~ any more; their laws need no help.
    if (status == CN_OK && !sim->next_q) {
        through = cn_fast_count(sim, !last, step->fast.passed_at, &forced, error);
        status = through < 0 ? CN_ERR_MEMORY : CN_OK;
    }
    step->again = status == CN_OK && !last && (farther || forced > 0);
    if (status != CN_OK || step->again) {
        if (sim->reach) {
            cn_detector_reach(sim->detector, sim->reach);
        }
        return status;
    }
    if (through > 0) {
        status = cn_fast_stop(sim, error);
        step->fast.passed = cn_fast_count(sim, false, step->fast.passed_at, &forced, error);
    }
    cn_count_early(step);
    return status;
}

int32_t cn_fast_parts(cn_sim *sim, double h, cn_error *error) {
    const cn_model *model = sim->model;
    double drift = (1.0 - model->settings.theta) * h, parts = 1.0;
    cn_contact_list list;
    sim->last = (cn_step){.sweep = drift};
    if (!model->settings.continuous || !cn_anything_fast(sim, sim->state.v)) {
        return 1;
    }
    if (cn_detect(sim->detector, sim->state.q, sim->state.v, h, &list, error) != CN_OK) {
        return 0;
    }
    for (int32_t c = 0; c < list.count; c++) {
        const cn_contact *contact = &list.contact[c];
        double depth = cn_contact_depth(model, &contact->key);
        double reach = cn_reach_of(sim, contact->key.candidate, sim->state.v) +
                       cn_reach_of(sim, contact->key.antagonist, sim->state.v);
        cn_impact impact;
        if (contact->gap > 0.0 && contact->gap + depth < reach &&
            cn_impact_time(model, &contact->key, sim->state.q, sim->state.v, drift,
                           contact->gap + 2.0 * reach, &impact)) {
            parts = fmax(parts, ceil(2.0 * drift * impact.approach / depth));
        }
    }
    return (int32_t)fmin(parts, CN_PARTS_MAX);
}
