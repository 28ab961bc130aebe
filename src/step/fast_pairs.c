// step/fast_pairs.c
// Pairs that one step would take from apart to deeper than half their thickness, where the normal
// may point to the wrong side or the bodies are past one another. Laws that act on every listed
// contact stop them at the surface. Contacts with restitution take part only when they touch, so
// for them:
//  1. before the solve, pairs whose motion hits (detect/impact_time.h) and goes deeper take part
//     early: they bounce with e u_i in front of the surface, at a gap of at most h |u|;
//  2. after the solve, pairs that the impulses of others throw through one another. Bodies that
//     became faster than detection had expected are looked for farther away, and the step is made
//     again. Then it is halved, so that the next part sees them approach, at most a few times;
//     shorter steps take them in as they are, at most CN_FAST_TRIES times;
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
#include "problem/operator/operator.h"

#include <math.h>
#include <string.h>

#define CN_FAST_TRIES 8          // of a step; two or three are usual
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
    bool inverted;    // in touch, and past one another at the end of the step
    cn_impact impact;
} cn_fast_group;

static double cn_normal_velocity(const cn_sim *sim, const cn_contact *contact, const double *v) {
    const cn_step *step = &sim->last;
    double arm[6], apart[3];
    cn_contact_arms(sim->model->dim, step->q_middle, &step->contacts,
                    (int32_t)(contact - step->contacts.contact), NULL, arm);
    cn_contact_velocity(sim->model->dim, v, &contact->key, arm, apart);
    return cn_dot3(contact->normal, apart);
}

// The group that starts at a listed contact. What it cannot reach is not looked at closely.
static cn_fast_group cn_group_at(const cn_sim *sim, int32_t first, const double *v) {
    const cn_contact_list *list = &sim->last.contacts;
    const cn_contact *contact = &list->contact[first];
    cn_fast_group group = {.first = first, .end = first + 1};
    int32_t nearest = first;
    for (; group.end < list->count && cn_same_shapes(&contact->key, &list->contact[group.end].key);
         group.end++) {
        nearest = list->contact[group.end].gap < list->contact[nearest].gap ? group.end : nearest;
    }
    double gap = list->contact[nearest].gap;
    double reach =
        cn_reach_of(sim, contact->key.candidate, v) + cn_reach_of(sim, contact->key.antagonist, v);
    group.depth = cn_contact_depth(sim->model, &contact->key);
    if (!(group.depth < reach && gap < reach)) {
        return group;
    }
    group.closed = gap <= 0.0;
    const double *q = sim->last.q_middle;
    double farthest = fabs(gap) + 2.0 * reach;
    if (group.closed) {
        group.inverted = cn_impact_inverts(sim->model, &contact->key, q, v, sim->last.sweep,
                                           farthest, list->contact[nearest].normal);
    } else {
        group.hit = cn_impact_time(sim->model, &contact->key, q, v, sim->last.sweep, farthest,
                                   &group.impact);
    }
    group.hit = group.hit || group.closed;
    return group;
}

// Whether contact c of a group that is hit goes deeper than it may.
static bool cn_goes_through(const cn_sim *sim, const cn_fast_group *group, int32_t c,
                            const double *v) {
    const cn_contact *contact = &sim->last.contacts.contact[c];
    bool listed = group->closed || cn_dot3(contact->normal, group->impact.normal) > CN_SAME_NORMAL;
    return listed && contact->gap > -group->depth &&
           contact->gap + sim->last.sweep * cn_normal_velocity(sim, contact, v) <
               -CN_STOPPED_ENOUGH * group->depth;
}

// Whether the group as a whole is hit without that the next step would see it.
static bool cn_group_goes_through(const cn_fast_group *group) {
    return group->hit && !group->closed && !group->impact.caught;
}

static bool cn_group_bounces(const cn_sim *sim, const cn_fast_group *group) {
    const cn_model *model = sim->model;
    const cn_contact_key *key = &sim->last.contacts.contact[group->first].key;
    return cn_model_pair(model, model->body[key->candidate].material,
                         model->body[key->antagonist].material)
               ->law == CN_LAW_SIGNORINI;
}

// ---- before the solve ----

// Contact c takes part early; its bodies will be hit at these arms.
static void cn_add_early(cn_step *step, int32_t c, const double arm[6]) {
    if (step->early.place[c] < 0) {
        step->early.place[c] = step->early.count++;
    }
    memcpy(step->early.arm + 6 * (int64_t)step->early.place[c], arm, 6 * sizeof *arm);
}

// The same where nothing is known but its place at q~: each body is hit where it is nearest to the
// other, which is hit where that point comes to, with velocities v.
static void cn_add_early_listed(cn_sim *sim, int32_t c, const double *v) {
    cn_step *step = &sim->last;
    const cn_contact *contact = &step->contacts.contact[c];
    int32_t dim = sim->model->dim;
    int64_t size = cn_velocity_size(dim);
    const double *candidate = v + size * contact->key.candidate,
                 *antagonist = v + size * contact->key.antagonist;
    double arm[6], u = cn_normal_velocity(sim, contact, v);
    double t = u < 0.0 ? fmin(fmax(0.0, contact->gap) / -u, step->sweep) : 0.0;
    cn_contact_arms(dim, step->q_middle, &step->contacts, c, NULL, arm);
    for (int32_t k = 0; k < dim; k++) {
        double half = 0.5 * contact->gap * contact->normal[k];
        arm[k] += t > 0.0 ? half + t * (candidate[k] - antagonist[k]) : -half;
        arm[3 + k] += half;
    }
    cn_add_early(step, c, arm);
}

// The nearest contact of a group gets the normal of the impact and takes part early.
static void cn_group_aim(cn_sim *sim, const cn_fast_group *group) {
    cn_contact *contact = sim->last.contacts.contact;
    int32_t nearest = group->first;
    for (int32_t c = group->first + 1; c < group->end; c++) {
        nearest = contact[c].gap < contact[nearest].gap ? c : nearest;
    }
    memcpy(contact[nearest].normal, group->impact.normal, sizeof contact->normal);
    cn_add_early(&sim->last, nearest, group->impact.arm);
}

// Contacts of the group that take part early.
static void cn_group_mark(cn_sim *sim, const cn_fast_group *group) {
    int32_t count = 0;
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        if (cn_goes_through(sim, group, c, sim->last.v_old)) {
            cn_add_early_listed(sim, c, sim->last.v_old);
            count++;
        }
    }
    if (count == 0 && cn_group_goes_through(group)) {
        cn_group_aim(sim, group);
    }
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
        if (next < count && !cn_key_before(key, &forced[next]) && step->early.place[c] < 0) {
            cn_add_early_listed(sim, c, step->v_old);
        }
    }
}

static bool cn_early_begin(cn_sim *sim) {
    cn_step *step = &sim->last;
    int32_t count = step->contacts.count;
    step->early.count = 0;
    step->early.place = CN_TAKE(sim->step_memory, int32_t, count);
    step->early.arm = CN_TAKE(sim->step_memory, double, 6 * (int64_t)count);
    for (int32_t c = 0; step->early.place && c < count; c++) {
        step->early.place[c] = -1;
    }
    step->opts.early = &step->early;
    return step->early.place && step->early.arm;
}

cn_status cn_fast_mark(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    const cn_model *model = sim->model;
    step->opts.early = NULL;
    if (step->opts.scheme != CN_SHIFT_LAW || !model->settings.continuous || !model->bounces ||
        !(cn_anything_fast(sim, step->v_old) || sim->forced.size > 0)) {
        return CN_OK;
    }
    if (!cn_early_begin(sim)) {
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
    bool whole = cn_group_goes_through(group);
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        bool active = step->opts.early && step->early.place[c] >= 0;
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

// How long the solved step may go on before it takes the group through [s]; infinite: it does not.
static double cn_group_time(const cn_sim *sim, const cn_fast_group *group) {
    const cn_step *step = &sim->last;
    double least = group->inverted ? 0.0 : HUGE_VAL;
    if (cn_group_goes_through(group)) {
        double approach = group->impact.approach;
        least = group->impact.t + (approach > 0.0 ? 0.5 * group->depth / approach : 0.0);
    }
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        if (cn_goes_through(sim, group, c, step->v_new)) {
            const cn_contact *contact = &step->contacts.contact[c];
            double u = cn_normal_velocity(sim, contact, step->v_new);
            least = fmin(least, (contact->gap + group->depth) / -u);
        }
    }
    return least;
}

// Groups that the solved step takes through one another: how many, the first of them, and contacts
// that a further try may take in. Those that a short next step would still see are left to it.
static int32_t cn_fast_count(cn_sim *sim, bool force, int32_t at[2], int32_t *forced,
                             cn_error *error) {
    cn_step *step = &sim->last;
    double theta = sim->model->settings.theta;
    double shortest = (1.0 - theta) * sim->model->settings.step / (1 << CN_FAST_HALVINGS);
    int32_t through = 0;
    bool memory = true;
    *forced = 0;
    step->drift_limit = HUGE_VAL;
    for (int32_t c = 0; c < step->contacts.count;) {
        cn_fast_group group = cn_group_at(sim, c, step->v_new);
        double left = cn_group_time(sim, &group) - theta * step->h;
        bool passes = left < shortest;
        step->drift_limit = passes ? step->drift_limit : fmin(step->drift_limit, left);
        if (passes && through++ == 0) {
            at[0] = step->contacts.contact[c].key.candidate;
            at[1] = step->contacts.contact[c].key.antagonist;
        }
        if (passes && force && cn_group_bounces(sim, &group)) {
            *forced += cn_group_force(sim, &group, &memory);
        }
        c = group.end;
    }
    cn_sort_keys((void *)sim->forced.data, (int64_t)(sim->forced.size / sizeof(cn_contact_key)));
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
            if (step->early.place[c] < 0) {
                cn_add_early_listed(sim, c, step->v_new);
            }
            if (step->fast.limited++ == 0) {
                step->fast.limited_at[0] = step->contacts.contact[c].key.candidate;
                step->fast.limited_at[1] = step->contacts.contact[c].key.antagonist;
            }
        }
    }
    cn_status status =
        cn_assemble(sim->model, &sim->state, &step->contacts, &step->inertia, step->v_old,
                    step->v_free, &step->opts, sim->step_memory, &step->assembled, error);
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
    if (!given || (!step->opts.early && !cn_early_begin(sim))) {
        return cn_fail_memory(error);
    }
    for (int32_t c = 0; c < count; c++) {
        const cn_contact *contact = &step->contacts.contact[c];
        double reach = cn_reach_of(sim, contact->key.candidate, step->v_new) +
                       cn_reach_of(sim, contact->key.antagonist, step->v_new);
        double depth =
            fmin(cn_contact_depth(sim->model, &contact->key), fabs(contact->gap) + reach);
        given[c] = fmax(0.0, contact->gap + depth) / step->sweep;
    }
    cn_assembled stop;
    cn_status status = cn_solve_normals(sim, step->v_new, given, CN_STOP_TOLERANCE, &stop, error);
    return status == CN_OK ? cn_stop_add(sim, &stop, error) : status;
}

// ---- all of it ----

static void cn_count_early(cn_step *step) {
    int32_t dim = step->assembled.problem.dim;
    for (int32_t a = 0; step->opts.early && a < step->assembled.contacts; a++) {
        int32_t c = cn_assembled_listed(&step->assembled, a);
        double gap = step->contacts.contact[c].gap;
        if (step->early.place[c] >= 0 && gap > 0.0 && step->r[(int64_t)dim * a] > 0.0) {
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
        through = cn_fast_count(sim, !last && sim->fast_halvings == 0, step->fast.passed_at,
                                &forced, error);
        status = through < 0 ? CN_ERR_MEMORY : CN_OK;
    }
    step->halve = status == CN_OK && !farther && through > 0 && sim->fast_halvings > 0;
    step->again = status == CN_OK && !last && !step->halve && (farther || forced > 0);
    if (status != CN_OK || step->again || step->halve) {
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
        if (contact->gap > 0.0 && depth < reach && contact->gap < reach &&
            cn_impact_time(model, &contact->key, sim->state.q, sim->state.v, drift,
                           contact->gap + 2.0 * reach, &impact)) {
            parts =
                impact.caught ? parts : fmax(parts, ceil(2.0 * drift * impact.approach / depth));
        }
    }
    return (int32_t)fmin(parts, CN_PARTS_MAX);
}
