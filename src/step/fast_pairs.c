// step/fast_pairs.c
// Pairs that one step would take from apart to deeper than half their thickness, where the normal
// may point to the wrong side or the bodies are past one another. Laws that act on every listed
// contact stop them at the surface. Contacts with restitution take part only when they touch, so
// for them:
//  1. before the solve, pairs whose motion hits (detect/impact_time.h) and goes deeper take part
//     early: they bounce with e u_i in front of the surface, at a gap of at most h |u|;
//  2. after the solve, pairs that the impulses of others throw through one another. Bodies that
//     became faster than detection had expected are searched for farther away, and the step is made
//     again. Then it is halved, so that the next part sees them approach, at most a few times;
//     shorter steps take them in as they are, at most FAST_TRIES times;
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
#include "step/step.h"

#include "assemble/deformable.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "detect/impact_time.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"

#include <math.h>
#include <string.h>

#define FAST_TRIES 8          // of a step; two or three are usual
#define PARTS_MAX 4096.0      // of the first step
#define SAME_NORMAL 0.999     // cosine: the contact that is hit is the listed one
#define STOP_TOLERANCE 1e-6   // of the solve that stops what nothing else stops
#define STOPPED_ENOUGH 1.0001 // of the depth: what the tolerance leaves is no pass

// ---- how far bodies come ----

// Of body i within a time with velocities v [m]; rotation counts for what is not round.
static double reach_of(const cn_model *model, double time, int32_t i, const double *v) {
    const model_body *body = &model->body[i];
    const double *own = v + (int64_t)model_velocity_size(model->dim) * i;
    double bound = body->sphere || isinf(body->bound) ? 0.0 : body->bound;
    double speed = model->dim == 3 ? math_norm3(own) + bound * math_norm3(own + 3)
                                   : hypot(own[0], own[1]) + bound * fabs(own[2]);
    return time * speed;
}

// Of both bodies of a contact together.
static double pair_reach(const cn_model *model, double time, const model_contact_key *key,
                         const double *v) {
    return reach_of(model, time, key->candidate, v) + reach_of(model, time, key->antagonist, v);
}

typedef struct reach_loop {
    const cn_model *model;
    double time;
    const double *v;
} reach_loop;

static void farthest_range(const void *user, int64_t first, int64_t end, void *part) {
    const reach_loop *loop = user;
    double *max = part;
    for (int64_t i = first; i < end; i++) {
        *max = fmax(*max, reach_of(loop->model, loop->time, (int32_t)i, loop->v));
    }
}

static void farthest_join(void *total, const void *part) {
    *(double *)total = fmax(*(double *)total, *(const double *)part);
}

// Whether any body moves so far within a time that a pair may be fast.
static bool anything_fast(const step_context *in, double time, const double *v) {
    reach_loop loop = {in->model, time, v};
    double max = 0.0;
    if (!(in->model->depth_min < HUGE_VAL)) {
        return false;
    }
    base_parallel_fold(in->env, in->model->body_count, farthest_range, farthest_join, &loop,
                       sizeof max, &max);
    return 2.0 * max > in->model->depth_min;
}

// ---- pairs of shapes ----

// The listed contacts as bodies approach from q~ with velocities v, within the sweep of the step.
typedef struct approach {
    const step_context *in;
    const det_contact_list *contacts;
    const double *q, *v;
} approach;

// The contacts of one pair of shapes, first .. end - 1 of the list, and how they move.
typedef struct fast_group {
    int32_t first, end;
    double depth;
    bool hit, closed; // the shapes meet within the step; they are in touch already
    bool inverted;    // in touch, and past one another at the end of the step
    det_impact impact;
} fast_group;

static double normal_velocity(const approach *at, int32_t c) {
    const det_contact *contact = &at->contacts->contact[c];
    int32_t dim = at->in->model->dim;
    double arm[6], apart[3];
    asm_contact_arms(dim, at->q, at->contacts, c, NULL, arm);
    asm_contact_velocity(dim, at->v, &contact->key, arm, apart);
    return math_dot3(contact->normal, apart);
}

// The group that starts at a listed contact. What it cannot reach is not evaluated closely.
static fast_group group_at(const approach *at, int32_t first) {
    const det_contact_list *list = at->contacts;
    const cn_model *model = at->in->model;
    const det_contact *contact = &list->contact[first];
    double sweep = at->in->sweep;
    fast_group group = {.first = first, .end = first + 1};
    if (list->bond && list->bond[first] >= 0) {
        return group; // points fixed to the bodies
    }
    if (asm_is_deformed(list, first)) {
        return group; // every point of a deformable surface is listed, and stops at the gap
    }
    int32_t nearest = first;
    for (; group.end < list->count && det_same_shapes(&contact->key, &list->contact[group.end].key);
         group.end++) {
        nearest = list->contact[group.end].gap < list->contact[nearest].gap ? group.end : nearest;
    }
    double gap = list->contact[nearest].gap;
    double reach = pair_reach(model, sweep, &contact->key, at->v);
    group.depth = det_contact_depth(model, &contact->key);
    if (!(group.depth < reach && gap < reach)) {
        return group;
    }
    group.closed = gap <= 0.0;
    double farthest = fabs(gap) + 2.0 * reach;
    if (group.closed) {
        group.inverted = det_impact_inverts(model, &contact->key, at->q, at->v, sweep, farthest,
                                            list->contact[nearest].normal);
    } else {
        group.hit =
            det_impact_time(model, &contact->key, at->q, at->v, sweep, farthest, &group.impact);
    }
    group.hit = group.hit || group.closed;
    return group;
}

// Whether contact c of a group that is hit goes deeper than it may.
static bool goes_through(const approach *at, const fast_group *group, int32_t c) {
    const det_contact *contact = &at->contacts->contact[c];
    bool listed = group->closed || math_dot3(contact->normal, group->impact.normal) > SAME_NORMAL;
    return listed && contact->gap > -group->depth &&
           contact->gap + at->in->sweep * normal_velocity(at, c) < -STOPPED_ENOUGH * group->depth;
}

// Whether the group as a whole is hit without that the next step would see it.
static bool group_goes_through(const fast_group *group) {
    return group->hit && !group->closed && !group->impact.caught;
}

static bool group_bounces(const approach *at, const fast_group *group) {
    const cn_model *model = at->in->model;
    const model_contact_key *key = &at->contacts->contact[group->first].key;
    return model_pair_of(model, key->candidate, key->antagonist)->law == CN_LAW_SIGNORINI;
}

// ---- before the solve ----

static cn_status take_early(const step_context *in, int32_t count, asm_early_hits *early,
                            cn_error *error) {
    early->count = 0;
    early->place = BASE_TAKE(in->memory, int32_t, count);
    early->arm = BASE_TAKE(in->memory, double, 6 * (int64_t)count);
    if (!early->place || !early->arm) {
        return base_fail_memory(error);
    }
    for (int32_t c = 0; c < count; c++) {
        early->place[c] = -1;
    }
    return CN_OK;
}

// Contact c takes part early; its bodies will be hit at these arms, spheres and disks where the
// normal leaves them.
static void add_early(const cn_model *model, const det_contact *contact, int32_t c,
                      const double arm[6], asm_early_hits *early) {
    const int32_t side[2] = {contact->key.antagonist, contact->key.candidate};
    if (early->place[c] < 0) {
        early->place[c] = early->count++;
    }
    double *own = early->arm + 6 * (int64_t)early->place[c];
    memcpy(own, arm, 6 * sizeof *arm);
    for (int k = 0; k < 2; k++) {
        const model_body *body = &model->body[side[k]];
        for (int i = 0; body->sphere && i < 3; i++) {
            own[3 * k + i] = (k ? -body->bound : body->bound) * contact->normal[i];
        }
    }
}

// The same where nothing is known but its place at q~: each body is hit where it is nearest to the
// other, which is hit where that point comes to.
static void add_early_listed(const approach *at, int32_t c, asm_early_hits *early) {
    const det_contact *contact = &at->contacts->contact[c];
    int32_t dim = at->in->model->dim;
    int64_t size = model_velocity_size(dim);
    const double *candidate = at->v + size * contact->key.candidate,
                 *antagonist = at->v + size * contact->key.antagonist;
    double arm[6], u = normal_velocity(at, c);
    double t = u < 0.0 ? fmin(fmax(0.0, contact->gap) / -u, at->in->sweep) : 0.0;
    asm_contact_arms(dim, at->q, at->contacts, c, NULL, arm);
    for (int32_t k = 0; k < dim; k++) {
        double half = 0.5 * contact->gap * contact->normal[k];
        arm[k] += t > 0.0 ? half + t * (candidate[k] - antagonist[k]) : -half;
        arm[3 + k] += half;
    }
    add_early(at->in->model, contact, c, arm, early);
}

// The nearest contact of a group gets the normal of the impact and takes part early.
static void mark_nearest(const cn_model *model, const fast_group *group, det_contact *contact,
                         asm_early_hits *early) {
    int32_t nearest = group->first;
    for (int32_t c = group->first + 1; c < group->end; c++) {
        nearest = contact[c].gap < contact[nearest].gap ? c : nearest;
    }
    memcpy(contact[nearest].normal, group->impact.normal, sizeof contact->normal);
    add_early(model, &contact[nearest], nearest, group->impact.arm, early);
}

// Contacts of the group that take part early.
static void mark_group(const approach *at, const fast_group *group, det_contact *contact,
                       asm_early_hits *early) {
    int32_t count = 0;
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        if (goes_through(at, group, c)) {
            add_early_listed(at, c, early);
            count++;
        }
    }
    if (count == 0 && group_goes_through(group)) {
        mark_nearest(at->in->model, group, contact, early);
    }
}

// Those that the last try of the step asked for.
static void mark_forced(const approach *at, const step_retry *retry, asm_early_hits *early) {
    const model_contact_key *forced = (const void *)retry->forced.data;
    int64_t count = (int64_t)(retry->forced.size / sizeof *forced), next = 0;
    for (int32_t c = 0; c < at->contacts->count && next < count; c++) {
        const model_contact_key *key = &at->contacts->contact[c].key;
        while (next < count && model_key_before(&forced[next], key)) {
            next++;
        }
        if (next < count && !model_key_before(key, &forced[next]) && early->place[c] < 0) {
            add_early_listed(at, c, early);
        }
    }
}

cn_status step_mark_early(const step_context *in, const step_retry *retry, const double *q,
                          const double *v, det_contact_list *contacts, asm_early_hits *early,
                          cn_error *error) {
    const cn_model *model = in->model;
    *early = (asm_early_hits){.place = NULL};
    if (in->opts.scheme != ASM_SHIFT_LAW || !model->settings.continuous || !model->bounces ||
        !(anything_fast(in, in->sweep, v) || retry->forced.size > 0)) {
        return CN_OK;
    }
    approach at = {in, contacts, q, v};
    cn_status status = take_early(in, contacts->count, early, error);
    for (int32_t c = 0; status == CN_OK && c < contacts->count;) {
        fast_group group = group_at(&at, c);
        if (group_bounces(&at, &group)) {
            mark_group(&at, &group, contacts->contact, early);
        }
        c = group.end;
    }
    if (status == CN_OK) {
        mark_forced(&at, retry, early);
    }
    return status;
}

// ---- after the solve ----

// Bodies that come farther than detection expected, by so much that they may be past something.
// Their reach is noted for the next try.
static cn_status note_reach(const step_context *in, const step_data *step, step_retry *retry,
                            bool *farther, cn_error *error) {
    const cn_model *model = in->model;
    *farther = false;
    for (int32_t i = 0; i < model->body_count; i++) {
        double now = reach_of(model, in->sweep, i, step->v_new),
               expected = reach_of(model, in->sweep, i, step->v_old);
        expected = retry->tries > 0 && retry->reach ? fmax(expected, retry->reach[i]) : expected;
        if (now <= expected + 0.5 * step->contacts.alert || 2.0 * now <= model->depth_min) {
            continue;
        }
        if (!*farther && !retry->reach) {
            retry->reach = BASE_TAKE(retry->memory, double, model->body_count);
            if (!retry->reach) {
                return base_fail_memory(error);
            }
        }
        if (!*farther && retry->tries == 0) {
            memset(retry->reach, 0, sizeof(double) * (size_t)model->body_count);
        }
        *farther = true;
        retry->reach[i] = 2.0 * now;
    }
    return CN_OK;
}

// Contacts that are to take part in the next try; returns how many are new.
static int32_t force_group(const approach *at, const fast_group *group, const asm_early_hits *early,
                           base_buffer *forced, bool *memory) {
    int32_t count = 0;
    bool whole = group_goes_through(group);
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        bool active = early->place && early->place[c] >= 0;
        if (!active && (goes_through(at, group, c) || (whole && count == 0))) {
            const model_contact_key *key = &at->contacts->contact[c].key;
            *memory = *memory && base_buffer_append(forced, key, sizeof *key);
            count++;
        }
    }
    return count;
}

// There are few.
static void sort_keys(model_contact_key *key, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        model_contact_key moving = key[i];
        int64_t at = i;
        for (; at > 0 && model_key_before(&moving, &key[at - 1]); at--) {
            key[at] = key[at - 1];
        }
        key[at] = moving;
    }
}

// How long the solved step may go on before it takes the group through [s]; infinite: it does not.
static double time_left(const approach *at, const fast_group *group) {
    double min = group->inverted ? 0.0 : HUGE_VAL;
    if (group_goes_through(group)) {
        double speed = group->impact.approach;
        min = group->impact.t + (speed > 0.0 ? 0.5 * group->depth / speed : 0.0);
    }
    for (int32_t c = group->first; c < group->end && group->hit; c++) {
        if (goes_through(at, group, c)) {
            const det_contact *contact = &at->contacts->contact[c];
            min = fmin(min, (contact->gap + group->depth) / -normal_velocity(at, c));
        }
    }
    return min;
}

// Groups that the solved step takes through one another: how many, the first of them, and how many
// contacts a further try may take in, whose keys go to forced (NULL: none may). -1: no memory.
// Those that a short next step would still see are left to it, which limits its drift.
static int32_t count_through(const approach *at, const asm_early_hits *early, base_buffer *forced,
                             int32_t passed_at[2], int32_t *forced_count, double *drift_limit) {
    const cn_settings *settings = &at->in->model->settings;
    double shortest = (1.0 - settings->theta) * settings->step / (1 << STEP_FAST_HALVINGS);
    int32_t through = 0;
    bool memory = true;
    *forced_count = 0;
    *drift_limit = HUGE_VAL;
    for (int32_t c = 0; c < at->contacts->count;) {
        fast_group group = group_at(at, c);
        double left = time_left(at, &group) - settings->theta * at->in->h;
        bool passes = left < shortest;
        *drift_limit = passes ? *drift_limit : fmin(*drift_limit, left);
        if (passes && through++ == 0) {
            passed_at[0] = at->contacts->contact[c].key.candidate;
            passed_at[1] = at->contacts->contact[c].key.antagonist;
        }
        if (passes && forced && group_bounces(at, &group)) {
            *forced_count += force_group(at, &group, early, forced, &memory);
        }
        c = group.end;
    }
    if (forced) {
        sort_keys((void *)forced->data, (int64_t)(forced->size / sizeof(model_contact_key)));
    }
    return memory ? through : -1;
}

// ---- stopping what nothing else stops ----

// The impulses of a step's problem, before and after contacts that `stop` presses on joined it:
// each contact's own, with those of `stop` added.
static void merge_impulses(const asm_assembled *before, const double *r, const asm_assembled *stop,
                           const asm_assembled *after, double *sum) {
    int32_t dim = after->problem.dim;
    for (int32_t a = 0, b = 0; a < after->problem.contacts; a++) {
        bool joint = a >= after->contacts;
        int32_t c = joint ? a - after->contacts : asm_assembled_listed(after, a);
        b = joint ? before->contacts + c : b;
        bool there = joint || (b < before->contacts && asm_assembled_listed(before, b) == c);
        for (int32_t i = 0; i < dim; i++) {
            int64_t row = (int64_t)dim * a + i;
            int64_t added = (int64_t)dim * (joint ? stop->contacts + c : c) + i;
            sum[row] = (there ? r[(int64_t)dim * b + i] : 0.0) + stop->r[added];
        }
        b += there && !joint;
    }
}

// The step's answer with the impulses of `stop` added: contacts that it presses on join the
// problem.
static cn_status add_stop(const step_context *in, const asm_assembled *stop, step_data *step,
                          cn_error *error) {
    approach at = {in, &step->contacts, step->q_middle, step->v_new};
    asm_assembled before = step->assembled;
    const double *r = step->r;
    int32_t dim = in->model->dim;
    for (int32_t c = 0; c < step->contacts.count; c++) {
        if (stop->r[(int64_t)dim * c] > 0.0) {
            if (step->early.place[c] < 0) {
                add_early_listed(&at, c, &step->early);
            }
            if (step->fast.limited++ == 0) {
                step->fast.limited_at[0] = step->contacts.contact[c].key.candidate;
                step->fast.limited_at[1] = step->contacts.contact[c].key.antagonist;
            }
        }
    }
    cn_status status =
        asm_assemble(in->model, in->state, &step->contacts, &step->inertia, step->v_old,
                     step->v_free, &step->opts, in->memory, &step->assembled, error);
    cn_friction *problem = &step->assembled.problem;
    step->r = step->assembled.r;
    step->u = BASE_TAKE(in->memory, double, (int64_t)dim * problem->contacts);
    double *v = BASE_TAKE(in->memory, double, cn_operator_dofs(&problem->W, dim));
    if (status != CN_OK || !step->u || !v) {
        return status != CN_OK ? status : base_fail_memory(error);
    }
    step_scale_friction(in->steering, problem);
    merge_impulses(&before, r, stop, &step->assembled, step->r);
    prob_friction_velocity_by(in->env, problem, step->r, v, step->u);
    step->v_seen = step->v_new;
    status = step_integrate(in, &step->assembled, step->r, step->q_middle, step->v_free,
                            step->v_new, step->q, step->v, error);
    return status == CN_OK ? step_classify(in, &step->assembled, step->r, &step->status, error)
                           : status;
}

static cn_status stop_fast(const step_context *in, step_data *step, cn_error *error) {
    const cn_model *model = in->model;
    int32_t count = step->contacts.count;
    double *given = BASE_TAKE(in->memory, double, count);
    cn_status status = given ? CN_OK : base_fail_memory(error);
    if (status == CN_OK && !step->early.place) {
        status = take_early(in, count, &step->early, error);
        step->opts.early = &step->early;
    }
    for (int32_t c = 0; status == CN_OK && c < count; c++) {
        const det_contact *contact = &step->contacts.contact[c];
        double reach = pair_reach(model, in->sweep, &contact->key, step->v_new);
        double depth = fmin(det_contact_depth(model, &contact->key), fabs(contact->gap) + reach);
        given[c] = fmax(0.0, contact->gap + depth) / in->sweep;
    }
    asm_assembled stop;
    if (status == CN_OK) {
        status = step_solve_normals(in, &step->contacts, &step->inertia, step->v_new, given,
                                    STOP_TOLERANCE, &stop, error);
    }
    return status == CN_OK ? add_stop(in, &stop, step, error) : status;
}

// ---- all of it ----

static void count_early(const step_data *step, step_fast_report *report) {
    int32_t dim = step->assembled.problem.dim;
    for (int32_t a = 0; step->early.place && a < step->assembled.contacts; a++) {
        int32_t c = asm_assembled_listed(&step->assembled, a);
        double gap = step->contacts.contact[c].gap;
        if (step->early.place[c] >= 0 && gap > 0.0 && step->r[(int64_t)dim * a] > 0.0) {
            report->early++;
            report->early_gap = fmax(report->early_gap, gap);
        }
    }
}

cn_status step_check_fast(const step_context *in, step_retry *retry, step_data *step,
                          cn_error *error) {
    if (in->opts.scheme != ASM_SHIFT_LAW || !in->model->settings.continuous ||
        !anything_fast(in, in->sweep, step->v_new)) {
        count_early(step, &step->fast);
        return CN_OK;
    }
    approach at = {in, &step->contacts, step->q_middle, step->v_new};
    bool farther = false, last = retry->tries + 1 >= FAST_TRIES;
    int32_t forced = 0, through = 0;
    cn_status status = note_reach(in, step, retry, &farther, error);
    // Where vectors are shared there is no q~ any more; the laws of those bodies need no help.
    if (status == CN_OK && !step->shared) {
        bool force = !last && retry->halvings == 0;
        through = count_through(&at, &step->early, force ? &retry->forced : NULL,
                                step->fast.passed_at, &forced, &step->drift_limit);
        status = through < 0 ? base_fail_memory(error) : CN_OK;
    }
    bool again = farther || forced > 0;
    if (status == CN_OK && !farther && through > 0 && retry->halvings > 0) {
        step->verdict = STEP_HALVE;
    } else if (status == CN_OK && !last && again) {
        step->verdict = STEP_AGAIN;
    }
    if (status != CN_OK || step->verdict != STEP_STANDS) {
        if (retry->reach) {
            det_detector_reach(in->detector, retry->reach);
        }
        return status;
    }
    if (through > 0) {
        status = stop_fast(in, step, error);
        step->fast.passed = count_through(&at, &step->early, NULL, step->fast.passed_at, &forced,
                                          &step->drift_limit);
    }
    count_early(step, &step->fast);
    return status;
}

int32_t step_fast_parts(const step_context *in, cn_error *error) {
    const cn_model *model = in->model;
    const double *q = in->state->q, *v = in->state->v;
    double drift = (1.0 - model->settings.theta) * in->h, parts = 1.0;
    det_contact_list list;
    if (!model->settings.continuous || !anything_fast(in, drift, v)) {
        return 1;
    }
    if (det_detect(in->detector, q, v, in->h, &list, error) != CN_OK) {
        return 0;
    }
    for (int32_t c = 0; c < list.count; c++) {
        const det_contact *contact = &list.contact[c];
        double depth = det_contact_depth(model, &contact->key);
        double reach = pair_reach(model, drift, &contact->key, v);
        det_impact impact;
        if (contact->gap > 0.0 && depth < reach && contact->gap < reach &&
            det_impact_time(model, &contact->key, q, v, drift, contact->gap + 2.0 * reach,
                            &impact)) {
            parts =
                impact.caught ? parts : fmax(parts, ceil(2.0 * drift * impact.approach / depth));
        }
    }
    return (int32_t)fmin(parts, PARTS_MAX);
}
