// step/deformable/deformable.c
// The phases of deformable bodies in a step.
#include "step/deformable/deformable.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define MISSED_SHARE 1e-3 // of the alert distance: an overlap deeper than it is not round-off

static fe_type_key key_of(const model_deformable *d, double h, double theta) {
    return (fe_type_key){.mesh = d->mesh,
                         .material = d->material,
                         .plane = d->plane,
                         .mass = d->mass,
                         .h = h,
                         .theta = theta,
                         .held = d->held};
}

// ---- making ----

static cn_status create_body(struct step_deformable *soft, int32_t i, cn_error *error) {
    const cn_model *model = soft->model;
    const model_deformable *d = model->deformables[i];
    step_soft *body = &soft->body[i];
    fe_type_key key = key_of(d, model->settings.step, model->settings.theta);
    int32_t dofs = model->dim * d->mesh->nodes;
    body->model = d;
    cn_status status = fe_types_get(soft->types, &key, &body->type, error);
    status = status == CN_OK ? fe_type_condense(body->type, error) : status;
    status = status == CN_OK
                 ? fe_body_create(soft->memory, body->type, d->quasi_static, &body->fe, error)
                 : status;
    if (status != CN_OK) {
        const cn_source *source = &model->body[d->body].source;
        if (error && source->file && status != CN_ERR_CANCELLED) {
            base_fail_at(error, source->file, source->line, source->column);
        }
        return status;
    }
    body->start_u = BASE_TAKE_ZERO(soft->memory, double, dofs);
    body->start_v = BASE_TAKE_ZERO(soft->memory, double, dofs);
    soft->impulse[d->body] = body->fe.impulse;
    soft->of[d->body] = body;
    return body->start_u && body->start_v ? CN_OK : base_fail_memory(error);
}

cn_status step_deformable_create(const cn_model *model, const cn_env *env,
                                 struct step_deformable **out, cn_error *error) {
    *out = NULL;
    if (model->deformable_count == 0) {
        return CN_OK;
    }
    cn_arena *memory = cn_arena_create(env);
    struct step_deformable *soft =
        memory ? BASE_TAKE_ZERO(memory, struct step_deformable, 1) : NULL;
    if (!soft) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    soft->model = model;
    soft->memory = memory;
    soft->types = fe_types_create(env);
    soft->detector = det_deformables_create(model, env);
    soft->body = BASE_TAKE_ZERO(memory, step_soft, model->deformable_count);
    soft->answers = BASE_TAKE_ZERO(memory, asm_body, model->body_count);
    soft->impulse = BASE_TAKE_ZERO(memory, double *, model->body_count);
    soft->of = BASE_TAKE_ZERO(memory, step_soft *, model->body_count);
    bool room = soft->body && soft->answers && soft->impulse && soft->of;
    cn_status status = soft->types && soft->detector && room ? CN_OK : base_fail_memory(error);
    for (int32_t i = 0; status == CN_OK && i < model->deformable_count; i++) {
        status = create_body(soft, i, error);
    }
    if (status != CN_OK) {
        step_deformable_destroy(soft);
        return status;
    }
    *out = soft;
    return CN_OK;
}

void step_deformable_destroy(struct step_deformable *soft) {
    if (soft) {
        fe_types_destroy(soft->types);
        det_deformables_destroy(soft->detector);
        cn_arena_destroy(soft->memory);
    }
}

void step_deformable_start(const cn_model *model, double *q, double *v) {
    int32_t dim = model->dim;
    for (int32_t i = 0; i < model->deformable_count; i++) {
        const model_deformable *d = model->deformables[i];
        const double *pose = model->q0 + (int64_t)model_pose_size(dim) * d->body;
        const double *rate = v + (int64_t)model_velocity_size(dim) * d->body;
        const double *start = model->node_start + (int64_t)dim * d->first_node;
        double *u = q + model_node_pose(model, d->first_node);
        double *w = v + model_node_velocity(model, d->first_node);
        const double spin[3] = {dim == 3 ? rate[3] : 0.0, dim == 3 ? rate[4] : 0.0,
                                dim == 3 ? rate[5] : rate[2]};
        for (int32_t n = 0; n < d->mesh->nodes; n++) {
            double x[3] = {0.0, 0.0, 0.0}, turning[3];
            for (int32_t k = 0; k < dim; k++) {
                x[k] = start[dim * n + k] - pose[k];
            }
            math_cross3(spin, x, turning);
            for (int32_t k = 0; k < dim; k++) {
                u[dim * n + k] = 0.0;
                w[dim * n + k] = rate[k] + turning[k];
            }
        }
    }
}

cn_status step_deformable_check_start(struct step_deformable *soft, const model_state *state,
                                      cn_arena *memory, cn_error *error) {
    const cn_model *model = soft->model;
    base_arena_mark mark = base_arena_get_mark(memory);
    det_contact_list list = {.count = 0};
    cn_status status = det_deformables_add(soft->detector, state->q, state->v, model->settings.step,
                                           memory, &list, error);
    const det_contact *worst = NULL;
    for (int32_t c = 0; status == CN_OK && c < list.count; c++) {
        if (list.contact[c].gap < -model->settings.overlap_max &&
            (!worst || list.contact[c].gap < worst->gap)) {
            worst = &list.contact[c];
        }
    }
    if (worst) {
        int32_t a = worst->key.candidate, b = worst->key.antagonist;
        const model_body *later = &model->body[a > b ? a : b];
        status = base_fail(error, CN_ERR_INPUT,
                           "bodies %d (%s) and %d (%s) overlap by %.3g m at the start", (int)a + 1,
                           model->body[a].name, (int)b + 1, model->body[b].name, -worst->gap);
        base_fail_hint(error,
                       "move them apart, or accept overlaps up to detection.overlap (now %.3g m)",
                       model->settings.overlap_max);
        base_fail_at(error, later->source.file, later->source.line, later->source.column);
    }
    base_arena_release(memory, mark);
    return status;
}

// ---- the start of a step ----

void step_deformable_begin(const step_context *in, double *v_old) {
    const cn_model *model = in->model;
    for (int32_t i = 0; in->deformable && i < model->deformable_count; i++) {
        const model_deformable *d = model->deformables[i];
        if (d->quasi_static) {
            memset(v_old + model_node_velocity(model, d->first_node), 0,
                   sizeof *v_old * (size_t)(model->dim * d->mesh->nodes));
        }
    }
}

static bool is_identity(int32_t dim, const double turn[9]) {
    bool same = true;
    for (int32_t i = 0; i < dim * dim; i++) {
        same = same && turn[i] == (i % (dim + 1) == 0 ? 1.0 : 0.0);
    }
    return same;
}

// The type for this length of step.
static cn_status choose_type(const step_context *in, step_soft *body, cn_error *error) {
    struct step_deformable *soft = in->deformable;
    double theta = in->opts.theta;
    if (body->type->key.h == in->h && body->type->key.theta == theta) {
        return CN_OK;
    }
    fe_type *type, *before = body->type;
    fe_type_key key = key_of(body->model, in->h, theta);
    CN_TRY(fe_types_get(soft->types, &key, &type, error));
    cn_status status = fe_type_condense(type, error);
    if (status != CN_OK) {
        fe_types_release(soft->types, type);
        return status;
    }
    body->type = type;
    fe_body_set_type(&body->fe, type);
    fe_types_release(soft->types, before);
    return CN_OK;
}

cn_status step_deformable_place(const step_context *in, const step_data *step, cn_error *error) {
    const cn_model *model = in->model;
    struct step_deformable *soft = in->deformable;
    for (int32_t i = 0; soft && i < model->deformable_count; i++) {
        step_soft *body = &soft->body[i];
        const model_deformable *d = body->model;
        CN_TRY(choose_type(in, body, error));
        step_soft_axes(model, d, step->q_middle, body->turn);
        step_soft_strained(model, d, in->state->q, body->turn, body->start_u);
        step_soft_to_body(model->dim, d->mesh->nodes, body->turn,
                          in->state->v + model_node_velocity(model, d->first_node), body->start_v);
        soft->answers[d->body] =
            (asm_body){.compliance = &body->type->compliance,
                       .turn = is_identity(model->dim, body->turn) ? NULL : body->turn};
    }
    return CN_OK;
}

// ---- contacts ----

// Pairs that overlap and were no contacts in the step before, by key; contacts of one pair stand
// together.
static void count_missed(const step_context *in, det_contact_list *list) {
    const model_state *state = in->state;
    double min = -MISSED_SHARE * in->model->settings.alert;
    for (int32_t c = 0, end; c < list->count; c = end) {
        const model_contact_key *key = &list->contact[c].key;
        double deepest = 0.0;
        for (end = c; end < list->count && list->contact[end].key.candidate == key->candidate &&
                      list->contact[end].key.antagonist == key->antagonist;
             end++) {
            deepest = fmin(deepest, list->contact[end].gap);
        }
        if (!asm_is_deformed(list, c) || !(deepest < min)) {
            continue;
        }
        const model_contact_key first = {key->candidate, key->antagonist, 0};
        int32_t low = 0, high = state->impulse_count;
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (model_key_before(&state->key[middle], &first)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == state->impulse_count || state->key[low].candidate != key->candidate ||
            state->key[low].antagonist != key->antagonist) {
            list->missed++;
            list->missed_a = key->candidate;
            list->missed_b = key->antagonist;
        }
    }
}

cn_status step_deformable_detect(const step_context *in, const double *q, const double *v,
                                 det_contact_list *contacts, cn_error *error) {
    if (!in->deformable) {
        return CN_OK;
    }
    CN_TRY(det_deformables_add(in->deformable->detector, q, v, fmax(in->h, in->sweep), in->memory,
                               contacts, error));
    if (in->state->last_h > 0.0) {
        count_missed(in, contacts);
    }
    return CN_OK;
}

// ---- free velocity ----

static double mean_signal(const step_context *in, const base_signal *signal) {
    double theta = in->opts.theta;
    return theta * base_signal_at(signal, in->opts.signals, in->t + in->h) +
           (1.0 - theta) * base_signal_at(signal, in->opts.signals, in->t);
}

// P_theta in axes of the body.
static void find_load(const step_context *in, const step_data *step, step_soft *body) {
    const cn_model *model = in->model;
    const model_deformable *d = body->model;
    int32_t dim = model->dim;
    double force[3] = {0.0, 0.0, 0.0}, gravity[3], own[3];
    const double *load = step->load ? step->load + 6 * (int64_t)d->body : force;
    memset(body->fe.load, 0, sizeof *body->fe.load * (size_t)(dim * d->mesh->nodes));
    body->loaded = d->pressure_count > 0;
    for (int32_t k = 0; k < dim; k++) {
        body->loaded = body->loaded || load[k] != 0.0;
        gravity[k] = in->steering->gravity[k] + load[k] / model->body[d->body].mass;
    }
    step_soft_to_body(dim, 1, body->turn, gravity, own);
    fe_add_gravity(d->mesh, &body->type->ops, own, body->fe.load);
    for (int32_t p = 0; p < d->pressure_count; p++) {
        fe_add_pressure(d->mesh, d->pressure[p].group, mean_signal(in, d->pressure[p].value),
                        body->fe.load);
    }
}

// Velocities of held dofs that bring them to their displacement at the end of the step, up to an
// error that the next steps take back: v_1 = (d(t + h) - d) / h is steady under a steady rate for
// every theta.
static void find_held(const step_context *in, step_soft *body) {
    const cn_model *model = in->model;
    const model_deformable *d = body->model;
    int32_t dim = model->dim;
    const double *u = in->state->q + model_node_pose(model, d->first_node);
    for (int32_t k = 0; k < d->drive_count; k++) {
        const model_drive *drive = &d->drive[k];
        double end = base_signal_at(drive->displacement, in->opts.signals, in->t + in->h);
        for (int32_t i = 0; i < drive->group->nodes; i++) {
            int32_t node = drive->group->node[i];
            double now[3], target[3], velocity[3];
            // In the axes that the body was placed with, then in those of the step.
            step_soft_to_body(dim, 1, d->place, u + (int64_t)dim * node, now);
            for (int32_t a = 0; a < dim; a++) {
                target[a] = drive->axes >> a & 1u ? (end - now[a]) / in->h : 0.0;
            }
            step_soft_to_world(dim, 1, d->place, target, velocity);
            step_soft_to_body(dim, 1, body->turn, velocity, target);
            for (int32_t a = 0; a < dim; a++) {
                if (body->type->key.held[dim * node + a] &&
                    (d->corotational || drive->axes >> a & 1u)) {
                    body->fe.held_velocity[dim * node + a] = target[a];
                }
            }
        }
    }
}

// The columns of the compliance that contacts ask for; a large surface does not have them all.
static cn_status ask_columns(const step_context *in, const det_contact_list *contacts,
                             cn_error *error) {
    const struct det_sides *sides = contacts->sides;
    for (int64_t k = 0; sides && k < sides->start[contacts->count]; k++) {
        const det_node_weight *part = &sides->part[k];
        if (part->node >= 0) {
            CN_TRY(fe_type_ask(in->deformable->of[part->body]->type, part->node, error));
        }
    }
    return CN_OK;
}

cn_status step_deformable_free(const step_context *in, step_data *step, cn_error *error) {
    const cn_model *model = in->model;
    for (int32_t i = 0; in->deformable && i < model->deformable_count; i++) {
        step_soft *body = &in->deformable->body[i];
        const model_deformable *d = body->model;
        size_t bytes = sizeof(double) * (size_t)(model->dim * d->mesh->nodes);
        memcpy(body->fe.u, body->start_u, bytes);
        memcpy(body->fe.v, body->start_v, bytes);
        find_load(in, step, body);
        find_held(in, body);
        cn_status status = fe_body_free_velocity(&body->fe);
        if (status != CN_OK) {
            return base_fail(error, status, "the free velocity of body %d (%s) could not be found",
                             (int)d->body + 1, model->body[d->body].name);
        }
        memcpy(body->start_v, body->fe.v, bytes);
        body->started = body->fe.ledger.dissipated_numerical;
        step_soft_to_world(model->dim, d->mesh->nodes, body->turn, body->fe.v_free,
                           step->v_free + model_node_velocity(model, d->first_node));
    }
    return in->deformable ? ask_columns(in, &step->contacts, error) : CN_OK;
}

// ---- the end ----

cn_status step_deformable_integrate(const step_context *in, const asm_assembled *assembled,
                                    const double *r, double *v_new, cn_error *error) {
    const cn_model *model = in->model;
    struct step_deformable *soft = in->deformable;
    for (int32_t i = 0; soft && i < model->deformable_count; i++) {
        step_soft *body = &soft->body[i];
        size_t bytes = sizeof(double) * (size_t)(model->dim * body->model->mesh->nodes);
        memcpy(body->fe.u, body->start_u, bytes);
        memcpy(body->fe.v, body->start_v, bytes);
        memset(body->fe.impulse, 0, bytes);
        body->fe.ledger.dissipated_numerical = body->started;
    }
    if (soft && assembled->deformed) {
        asm_impulse(&assembled->deformed->rows, r, soft->impulse);
    }
    for (int32_t i = 0; soft && i < model->deformable_count; i++) {
        step_soft *body = &soft->body[i];
        const model_deformable *d = body->model;
        double *v = v_new + model_node_velocity(model, d->first_node), sum = 0.0;
        cn_status status = fe_body_integrate(&body->fe);
        step_soft_to_world(model->dim, d->mesh->nodes, body->turn, body->fe.v, v);
        for (int32_t k = 0; k < model->dim * d->mesh->nodes; k++) {
            sum += v[k];
        }
        if (status != CN_OK || !isfinite(sum)) {
            base_fail(error, CN_ERR_NUMERIC, "body %d (%s) became non-finite at t = %g",
                      (int)d->body + 1, model->body[d->body].name, in->t);
            base_fail_hint(error, "a smaller step, or look at its forces");
            return CN_ERR_NUMERIC;
        }
    }
    return CN_OK;
}
