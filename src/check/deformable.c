// check/deformable.c
// The balance of every node of deformable bodies, and what contacts need of them.
#include "check/deformable.h"

#include "base/arena.h"
#include "base/elementary/elementary.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLAR_ROUNDS 50
#define POLAR_DONE 1e-15
#define ROUNDINGS 64.0 // of positions, in strains

// ---- vectors of nodes ----

// out := R' x, or R x; x dim numbers per node.
static void turn_nodes(int32_t dim, int32_t nodes, const double R[9], bool back, const double *x,
                       double *out) {
    for (int32_t n = 0; n < nodes; n++) {
        double own[3] = {0.0, 0.0, 0.0};
        memcpy(own, x + (int64_t)dim * n, sizeof *x * (size_t)dim);
        if (back) {
            math_mat3_apply_transposed(R, own, own);
        } else {
            math_mat3_apply(R, own, own);
        }
        memcpy(out + (int64_t)dim * n, own, sizeof *x * (size_t)dim);
    }
}

// The matrix of a body's axes as it was placed, 3 x 3.
static void placed_axes(const cn_model *model, const model_deformable *body, double R[9]) {
    int32_t dim = model->dim;
    for (int32_t i = 0; i < 9; i++) {
        R[i] = i % 4 == 0;
    }
    for (int32_t i = 0; i < dim * dim; i++) {
        R[3 * (i / dim) + i % dim] = body->place[i];
    }
}

static void centre_of(const cn_model *model, const model_deformable *body, const double *x,
                      double centre[3]) {
    double total = 0.0;
    centre[0] = centre[1] = centre[2] = 0.0;
    for (int32_t n = 0; n < body->mesh->nodes; n++) {
        const double *own = x + (int64_t)model->dim * (body->first_node + n);
        total += body->shared->volume[n];
        for (int32_t i = 0; i < model->dim; i++) {
            centre[i] += body->shared->volume[n] * own[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        centre[i] /= total;
    }
}

// The rotation R nearest to A: Newton on R'A = (R'A)', (tr S I - S) w = vee(S - S') for S = R'A.
static void nearest_rotation(const double A[9], double R[9]) {
    for (int round = 0; round < POLAR_ROUNDS; round++) {
        double S[9], H[9], C[9], w[3], step[9], next[9];
        for (int i = 0; i < 9; i++) {
            S[i] = R[i / 3] * A[i % 3] + R[3 + i / 3] * A[3 + i % 3] + R[6 + i / 3] * A[6 + i % 3];
        }
        const double t[3] = {S[7] - S[5], S[2] - S[6], S[3] - S[1]};
        double trace = S[0] + S[4] + S[8];
        for (int i = 0; i < 9; i++) {
            H[i] = (i % 4 == 0 ? trace : 0.0) - 0.5 * (S[i] + S[3 * (i % 3) + i / 3]);
        }
        math_cross3(H + 3, H + 6, C);
        math_cross3(H + 6, H, C + 3);
        math_cross3(H, H + 3, C + 6);
        double det = math_dot3(H, C);
        if (!(fabs(det) > 0.0)) {
            return;
        }
        for (int i = 0; i < 3; i++) {
            w[i] = (C[i] * t[0] + C[3 + i] * t[1] + C[6 + i] * t[2]) / det;
        }
        double half = 0.5 * math_norm3(w), sine, cosine;
        base_sincos(half, &sine, &cosine);
        double s = half > 0.0 ? sine / (2.0 * half) : 0.5;
        const double turn[4] = {cosine, s * w[0], s * w[1], s * w[2]};
        math_quat_matrix(turn, step);
        math_mat3_multiply(R, step, next);
        memcpy(R, next, sizeof next);
        if (math_norm3(w) <= POLAR_DONE) {
            return;
        }
    }
}

void check_soft_axes(const cn_model *model, const model_deformable *body, const double *x,
                     const double near[9], double turn[9]) {
    int32_t dim = model->dim;
    double A[9] = {0.0}, centre[3];
    placed_axes(model, body, turn);
    if (!body->corotational) {
        return;
    }
    centre_of(model, body, x, centre);
    for (int32_t n = 0; n < body->mesh->nodes; n++) {
        const double *own = x + (int64_t)dim * (body->first_node + n);
        const double *at = body->mesh->node + (int64_t)dim * n;
        for (int32_t i = 0; i < dim * dim; i++) {
            A[3 * (i / dim) + i % dim] += body->shared->volume[n] *
                                          (own[i / dim] - centre[i / dim]) *
                                          (at[i % dim] - body->shared->com[i % dim]);
        }
    }
    if (dim == 2) {
        double angle = base_atan2(A[3] - A[1], A[0] + A[4]);
        math_angle_matrix(angle, turn);
        return;
    }
    memcpy(turn, near, 9 * sizeof *turn);
    nearest_rotation(A, turn);
}

void check_soft_strained(const cn_model *model, const model_deformable *body, const double *x,
                         const double turn[9], double *u) {
    int32_t dim = model->dim;
    const double *own = x + (int64_t)dim * body->first_node;
    const double *start = model->node_start + (int64_t)dim * body->first_node;
    double centre[3];
    centre_of(model, body, x, centre);
    for (int32_t n = 0; n < body->mesh->nodes; n++) {
        for (int32_t i = 0; i < dim; i++) {
            int64_t k = (int64_t)dim * n + i;
            u[k] = body->corotational ? own[k] - centre[i] : own[k] - start[k];
        }
    }
    turn_nodes(dim, body->mesh->nodes, turn, true, u, u);
    for (int32_t k = 0; k < dim * body->mesh->nodes && body->corotational; k++) {
        u[k] -= body->mesh->node[k] - body->shared->com[k % dim];
    }
}

// Where the nodes of the frame were at the start of its step.
static double start_of(const check_checking *check, int64_t number) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    int64_t k = model_node_velocity(model, 0) + number;
    return frame->x[number] -
           frame->h * (check->theta * frame->v[k] + (1.0 - check->theta) * frame->v_before[k]);
}

// ---- matrices ----

// y := A x, and sums of the magnitudes of its terms added to size where that is not NULL.
static void apply(const cn_csr *A, const double *x, double *y, double factor, double *size) {
    for (int32_t i = 0; i < A->rows; i++) {
        double sum = 0.0, all = 0.0;
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            double term = A->value[k] * x[A->column[k]];
            sum += term;
            all += fabs(term);
        }
        y[i] += factor * sum;
        if (size) {
            size[i] += fabs(factor) * all;
        }
    }
}

double check_soft_form(const check_soft *soft, const cn_csr *A, const double *x) {
    double sum = 0.0;
    memset(soft->room, 0, sizeof *soft->room * (size_t)A->rows);
    apply(A, x, soft->room, 1.0, NULL);
    for (int32_t i = 0; i < A->rows; i++) {
        sum += x[i] * soft->room[i];
    }
    return sum;
}

double check_soft_elastic(const check_soft *soft, const double *u, double far, double *room) {
    const cn_csr *K = &soft->type->ops.K;
    int32_t dim = soft->body->mesh->dim, nodes = soft->body->mesh->nodes;
    double energy = 0.0, force = 0.0, mean[3] = {0.0, 0.0, 0.0};
    double *strained = soft->room_abs;
    for (int32_t k = 0; k < K->rows; k++) {
        mean[k % dim] += u[k] / nodes;
    }
    for (int32_t k = 0; k < K->rows; k++) { // K does not feel a translation, but rounds with it
        strained[k] = u[k] - mean[k % dim];
    }
    memset(soft->room, 0, sizeof *soft->room * (size_t)K->rows);
    apply(K, strained, soft->room, 1.0, NULL);
    for (int32_t k = 0; k < K->rows; k++) {
        energy += 0.5 * strained[k] * soft->room[k];
        force += fabs(soft->room[k]);
    }
    *room += ROUNDINGS * DBL_EPSILON * far * force;
    return energy;
}

// ---- making ----

static fe_type_key key_of(const check_checking *check, const model_deformable *body, double h) {
    return (fe_type_key){.mesh = body->mesh,
                         .material = body->material,
                         .plane = body->plane,
                         .mass = body->mass,
                         .h = h,
                         .theta = check->theta,
                         .held = body->held};
}

cn_status check_deformable_type(check_checking *check, check_soft *soft) {
    fe_types *types = check->deformables->types;
    double h = check->frame.h > 0.0 ? check->frame.h : check->model->settings.step;
    if (soft->type && soft->type->key.h == h) {
        return CN_OK;
    }
    fe_type_key key = key_of(check, soft->body, h);
    if (soft->type) {
        fe_types_release(types, soft->type);
        soft->type = NULL;
    }
    CN_TRY(fe_types_get(types, &key, &soft->type, check->error));
    return fe_type_condense(soft->type, check->error);
}

cn_status check_deformable_create(check_checking *check) {
    const cn_model *model = check->model;
    if (!model || model->deformable_count == 0 || !check->stepped) {
        return CN_OK;
    }
    check_deformables *all = BASE_TAKE_ZERO(check->memory, check_deformables, 1);
    check->deformables = all;
    if (!all) {
        return base_fail_memory(check->error);
    }
    all->types = fe_types_create(cn_arena_env(check->memory));
    all->body = BASE_TAKE_ZERO(check->memory, check_soft, model->deformable_count);
    bool room = all->types && all->body;
    for (int32_t i = 0; room && i < model->deformable_count; i++) {
        check_soft *soft = &all->body[i];
        soft->body = model->deformables[i];
        int64_t dofs = (int64_t)model->dim * soft->body->mesh->nodes;
        double **const array[] = {&soft->u,    &soft->v,        &soft->v_end,
                                  &soft->mean, &soft->load,     &soft->left,
                                  &soft->room, &soft->room_abs, &soft->impulse};
        for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
            *array[k] = BASE_TAKE_ZERO(check->memory, double, dofs);
            room = room && *array[k];
        }
    }
    return room ? CN_OK : base_fail_memory(check->error);
}

void check_deformable_destroy(check_checking *check) {
    if (check->deformables) {
        fe_types_destroy(check->deformables->types);
    }
}

// ---- a step ----

// P_theta in axes of the body.
static void find_load(check_checking *check, check_soft *soft) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const model_deformable *body = soft->body;
    double gravity[3];
    memcpy(gravity, frame->gravity, sizeof gravity);
    soft->loaded = body->pressure_count > 0;
    for (int32_t k = 0; k < model->dim && frame->load; k++) {
        double given = frame->load[6 * (int64_t)body->body + k];
        gravity[k] += given / model->body[body->body].mass;
        soft->loaded = soft->loaded || given != 0.0;
    }
    memset(soft->load, 0, sizeof *soft->load * (size_t)soft->type->ops.dofs);
    math_mat3_apply_transposed(soft->turn, gravity, gravity);
    fe_add_gravity(body->mesh, &soft->type->ops, gravity, soft->load);
    for (int32_t p = 0; p < body->pressure_count; p++) {
        fe_add_pressure(body->mesh, body->pressure[p].group,
                        check_mean_signal(check, body->pressure[p].value), soft->load);
    }
}

// v_free = v_0 + M^^-1 (h P - h V v_0 - h K (u_0 + h theta v_0)), held dofs as they were recorded.
static bool free_velocity(check_checking *check, check_soft *soft) {
    const fe_operators *ops = &soft->type->ops;
    const uint8_t *held = soft->type->key.held;
    double h = check->frame.h, *d = soft->left, *from = soft->room, *known = soft->room_abs;
    for (int32_t i = 0; i < ops->dofs; i++) {
        d[i] = h * soft->load[i];
        from[i] = soft->u[i] + h * check->theta * soft->v[i];
        known[i] = held[i] ? soft->v_end[i] - soft->v[i] : 0.0;
    }
    apply(&ops->K, from, d, -h, NULL);
    apply(&ops->V, soft->v, d, -h, NULL);
    apply(&soft->type->A, known, d, -1.0, NULL);
    bool solved = fe_type_solve(soft->type, d) == CN_OK;
    for (int32_t i = 0; i < ops->dofs; i++) {
        d[i] = held[i] ? soft->v_end[i] : soft->v[i] + d[i];
    }
    return solved;
}

static cn_status place_body(check_checking *check, check_soft *soft, const double *start) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    const model_deformable *body = soft->body;
    int32_t nodes = body->mesh->nodes;
    int64_t at = model_node_velocity(model, body->first_node);
    double near[9];
    CN_TRY(check_deformable_type(check, soft));
    check_rotation_of(model->dim, check_pose_of(model, frame->end, body->body), near);
    check_soft_axes(model, body, frame->x_middle, near, soft->turn);
    check_soft_strained(model, body, start, soft->turn, soft->u);
    turn_nodes(model->dim, nodes, soft->turn, true, frame->v_before + at, soft->v);
    turn_nodes(model->dim, nodes, soft->turn, true, frame->v_new + at, soft->v_end);
    for (int32_t k = 0; k < model->dim * nodes; k++) {
        soft->mean[k] = (1.0 - check->theta) * soft->v[k] + check->theta * soft->v_end[k];
    }
    find_load(check, soft);
    if (!free_velocity(check, soft)) {
        return base_fail(check->error, CN_ERR_NUMERIC, "the matrix of body %d has no factor",
                         (int)body->body + 1);
    }
    turn_nodes(model->dim, nodes, soft->turn, false, soft->left, frame->v_free + at);
    return CN_OK;
}

// The columns of compliances that the frame's contacts need; large surfaces do not have them all.
static cn_status ask_columns(check_checking *check) {
    const check_frame *frame = &check->frame;
    for (int32_t i = 0; frame->part_start && i < check->model->deformable_count; i++) {
        check_soft *soft = &check->deformables->body[i];
        for (int32_t k = 0; k < frame->part_start[frame->contacts]; k++) {
            if (frame->part_body[k] - 1 == soft->body->body) {
                CN_TRY(fe_type_ask(soft->type, frame->part_node[k], check->error));
            }
        }
    }
    return CN_OK;
}

cn_status check_deformable_place(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    int64_t count = (int64_t)model->dim * model->node_count;
    if (!check->deformables) {
        return CN_OK;
    }
    double *start = BASE_TAKE(check->frame_memory, double, count);
    frame->x_middle = BASE_TAKE(check->frame_memory, double, count);
    if (!start || !frame->x_middle) {
        return base_fail_memory(check->error);
    }
    const double *v = frame->v_new + model_node_velocity(model, 0);
    for (int64_t k = 0; k < count; k++) {
        frame->x_middle[k] = frame->x[k] - frame->h * check->theta * v[k];
        start[k] = start_of(check, k);
    }
    frame->x_start = start;
    for (int32_t i = 0; i < model->deformable_count; i++) {
        CN_TRY(place_body(check, &check->deformables->body[i], start));
    }
    return ask_columns(check);
}

// ---- contacts ----

bool check_is_deformed(const check_checking *check, int32_t contact) {
    const check_frame *frame = &check->frame;
    return frame->part_start && frame->part_start[contact + 1] > frame->part_start[contact];
}

void check_deformed_apart(const check_checking *check, int32_t contact, const double arm[6],
                          double *v, double out[3], double *size) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    out[0] = out[1] = out[2] = 0.0;
    for (int32_t k = frame->part_start[contact]; k < frame->part_start[contact + 1]; k++) {
        int32_t body = frame->part_body[k] - 1;
        double own[6] = {0.0}, weight = frame->part_weight[k];
        if (frame->part_node[k] >= 0) {
            int64_t node = model_deformable_of(model, body)->first_node + frame->part_node[k];
            memcpy(own, v + model_node_velocity(model, node), sizeof *own * (size_t)model->dim);
        } else {
            double turning[3];
            bool candidate = body == frame->contact[contact].candidate - 1;
            check_six(model->dim, check_velocity_of(model, v, body), own);
            math_cross3(own + 3, arm + (candidate ? 3 : 0), turning);
            math_add_scaled3(own, 1.0, turning, own);
        }
        math_add_scaled3(out, weight, own, out);
        *size += fabs(weight) * math_norm3(own);
    }
}

// Sum over the parts of the body of w_k w_l tr C_kl.
double check_deformed_trace(const check_checking *check, int32_t contact, int32_t body) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const check_soft *soft = check->deformables->body;
    int32_t dim = model->dim, start = frame->part_start[contact],
            end = frame->part_start[contact + 1];
    while (soft->body->body != body) {
        soft++;
    }
    const fe_compliance *compliance = &soft->type->compliance;
    double trace = 0.0;
    for (int32_t k = start; k < end; k++) {
        for (int32_t l = start; l < end; l++) {
            if (frame->part_body[k] - 1 != body || frame->part_body[l] - 1 != body) {
                continue;
            }
            int32_t stride;
            double room[9];
            const double *block = fe_compliance_block(compliance, frame->part_node[k],
                                                      frame->part_node[l], room, &stride);
            for (int32_t i = 0; i < dim; i++) {
                trace +=
                    frame->part_weight[k] * frame->part_weight[l] * block[(int64_t)stride * i + i];
            }
        }
    }
    return trace;
}

// ---- the balance ----

static void find_impulses(check_checking *check, check_soft *soft) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    int32_t dim = model->dim;
    memset(soft->impulse, 0, sizeof *soft->impulse * (size_t)soft->type->ops.dofs);
    for (int32_t c = 0; frame->part_start && c < frame->contacts; c++) {
        for (int32_t k = frame->part_start[c]; k < frame->part_start[c + 1]; k++) {
            if (frame->part_body[k] - 1 == soft->body->body) {
                double own[3];
                math_mat3_apply_transposed(soft->turn, frame->contact[c].impulse, own);
                for (int32_t i = 0; i < dim; i++) {
                    soft->impulse[dim * frame->part_node[k] + i] += frame->part_weight[k] * own[i];
                }
            }
        }
    }
}

static double far_of(const check_checking *check, const model_deformable *body) {
    double far = 0.0;
    for (int32_t k = 0; k < check->model->dim * body->mesh->nodes; k++) {
        far = fmax(far, fabs(check->frame.x[(int64_t)check->model->dim * body->first_node + k]));
    }
    return far;
}

// What the balance leaves; on held dofs it is the impulse that holds them.
static void balance(check_checking *check, check_soft *soft, check_worst *worst) {
    const fe_operators *ops = &soft->type->ops;
    double h = check->frame.h, s = h * check->theta, square = 0.0, all = 0.0;
    double *left = soft->left, *size = soft->room_abs, *x = soft->room;
    double round = ROUNDINGS * DBL_EPSILON * far_of(check, soft->body);
    find_impulses(check, soft);
    for (int32_t i = 0; i < ops->dofs; i++) {
        left[i] = -h * soft->load[i] - soft->impulse[i];
        size[i] = fabs(h * soft->load[i]) + fabs(soft->impulse[i]);
        x[i] = soft->v_end[i] - soft->v[i];
    }
    apply(&ops->M, x, left, 1.0, size);
    apply(&ops->V, soft->mean, left, h, size);
    for (int32_t i = 0; i < ops->dofs; i++) {
        x[i] = soft->u[i] + s * soft->mean[i];
    }
    apply(&ops->K, x, left, h, size);
    soft->held_work = 0.0;
    for (int32_t i = 0; i < ops->dofs; i++) {
        double stiffness = 0.0, speed = fabs(soft->v[i]) + fabs(soft->v_end[i]);
        for (int64_t k = ops->K.start[i]; k < ops->K.start[i + 1]; k++) {
            stiffness += fabs(ops->K.value[k]);
        }
        double room = CHECK_ROUND * (size[i] + h * s * stiffness * speed) + h * stiffness * round;
        all += room * room;
        if (soft->type->key.held[i]) {
            soft->held_work += left[i] * soft->mean[i];
        } else {
            square += left[i] * left[i];
        }
    }
    check_worst_add(worst, sqrt(square), sqrt(all), soft->body->body);
}

// Held and driven nodes are brought to their displacement.
static void check_held(check_checking *check, const check_soft *soft, check_worst *worst) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const model_deformable *body = soft->body;
    double R[9], t = frame->start + frame->h;
    placed_axes(model, body, R);
    for (int32_t d = 0; d < body->drive_count && !model->control; d++) {
        const model_drive *drive = &body->drive[d];
        double end = base_signal_at(drive->displacement, check->signals, t);
        for (int32_t i = 0; i < drive->group->nodes; i++) {
            int64_t node = body->first_node + drive->group->node[i];
            double moved[3] = {0.0}, v[3] = {0.0}, far = 0.0;
            for (int32_t k = 0; k < model->dim; k++) {
                double x = frame->x_start[model->dim * node + k];
                far = fmax(far, fabs(x));
                moved[k] = x - model->node_start[model->dim * node + k];
                v[k] = frame->v_new[model_node_velocity(model, node) + k];
            }
            math_mat3_apply_transposed(R, moved, moved);
            math_mat3_apply_transposed(R, v, v);
            for (int32_t k = 0; k < model->dim; k++) {
                double target = (end - moved[k]) / frame->h;
                if (drive->axes >> k & 1u) {
                    check_worst_add(worst, fabs(v[k] - target),
                                    CHECK_ROUND * (1.0 + fabs(target)) +
                                        ROUNDINGS * DBL_EPSILON * far / frame->h,
                                    body->body);
                }
            }
        }
    }
}

// The pose of the body stands for its nodes; where the frame before is one step away, the nodes
// come from there.
static void check_way(check_checking *check, const check_soft *soft, check_worst *worst) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const model_deformable *body = soft->body;
    int32_t dim = model->dim;
    double centre[3], apart = 0.0, far = 1.0 + far_of(check, body);
    centre_of(model, body, frame->x, centre);
    for (int32_t k = 0; k < dim; k++) {
        apart += fabs(centre[k] - check_pose_of(model, frame->end, body->body)[k]);
    }
    check_worst_add(worst, apart, CHECK_ROUND * far, body->body);
    bool next = check->has_last && check->last.x && check->last.step == frame->step - 1 &&
                !frame->cut && !frame->jumped;
    for (int32_t k = 0; next && k < dim * body->mesh->nodes; k++) {
        int64_t number = (int64_t)dim * body->first_node + k;
        int64_t at = model_node_velocity(model, 0) + number;
        double before = body->quasi_static ? 0.0 : check->last.v[at];
        check_worst_add(worst, fabs(frame->x_start[number] - check->last.x[number]),
                        CHECK_ROUND * far, body->body);
        check_worst_add(worst, fabs(frame->v_before[at] - before),
                        CHECK_ROUND * (1.0 + fabs(before)), body->body);
    }
}

void check_deformable_balance(check_checking *check) {
    check_worst nodes = {.any = false}, held = {.any = false};
    for (int32_t i = 0; check->deformables && i < check->model->deformable_count; i++) {
        check_soft *soft = &check->deformables->body[i];
        balance(check, soft, &nodes);
        check_held(check, soft, &held);
        check_way(check, soft, &held);
    }
    if (check_worst_note(check, CN_CHECK_MOMENTUM, &nodes, check->frame.step)) {
        check_find(check, "nodes", check->frame.step, nodes.value, nodes.allowed,
                   "the momentum of the nodes of body %d does not balance", (int)nodes.where + 1);
    }
    if (check_worst_note(check, CN_CHECK_MOTION, &held, check->frame.step)) {
        check_find(check, "nodes", check->frame.step, held.value, held.allowed,
                   "nodes of body %d are not where they must be, or move as they cannot",
                   (int)held.where + 1);
    }
}
