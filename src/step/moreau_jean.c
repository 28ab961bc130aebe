// step/moreau_jean.c
// The Moreau-Jean theta scheme (Jean 1999; docs/design/step.md):
//     drift by h (1 - theta) to q~  ->  detect  ->  v_free = v_i + h M^-1 F  ->  assemble  -> solve
//     ->  v = v_free + M^-1 H r  ->  drift by h theta to q.
//
// theta = 1/2 conserves, theta = 1 damps. Gaps and frames are taken at q~, nowhere else. Impacts
// inside a step are all treated at its end, so the order of an impact is one; smooth motion is
// second order at theta = 1/2.
//
// A drift is motion without forces, x + h v and free rotation, which turns the rate of an
// asymmetric body too; every force and impulse acts at q~. Drifts keep energy and both momenta, and
// at q~ the mass matrix is one constant, so the energy balance is exact and impulses
// between bodies keep the total angular momentum, whatever the shapes.
#include "step/deformable/deformable.h"

#include "base/error.h"
#include "base/parallel.h"
#include "body/rigid_four.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void step_opts_moreau_jean(const cn_settings *settings, asm_assemble_opts *opts) {
    opts->theta = settings->theta;
    opts->scheme = ASM_SHIFT_LAW;
    opts->drift = settings->joint_drift;
    opts->baumgarte = settings->baumgarte;
}

// ---- drift ----

typedef struct drift_loop {
    const cn_model *model;
    const double *q, *v;
    double time, *q_out, *v_out;
} drift_loop;

static void drift_range(void *user, int64_t first, int64_t end) {
    const drift_loop *loop = user;
    const cn_model *model = loop->model;
    int32_t pose = model_pose_size(model->dim), size = model_velocity_size(model->dim);
    rigid_drifts drifts;
    rigid_drifts_start(&drifts, loop->time);
    for (int64_t i = first; i < end; i++) {
        const double *q = loop->q + pose * i, *v = loop->v + size * i;
        double *q_out = loop->q_out + pose * i, *v_out = loop->v_out + size * i;
        if (model->body[i].role == MODEL_BODY_FREE) {
            body_rigid rigid = model_body_rigid(model, (int32_t)i);
            rigid_drifts_add(&drifts, &rigid, q, v, q_out, v_out);
        } else {
            rigid_move(model->dim, q, v, loop->time, q_out);
            memmove(v_out, v, sizeof *v * (size_t)size);
        }
    }
    rigid_drifts_end(&drifts);
}

void step_drift(const step_context *in, const double *q, const double *v, double time,
                double *q_out, double *v_out) {
    const cn_model *model = in->model;
    drift_loop loop = {model, q, v, time, q_out, v_out};
    base_parallel_ranges(in->env, model->body_count, drift_range, &loop);
    int64_t nodes = (int64_t)model->dim * model->node_count;
    if (nodes > 0) {
        int64_t at = model_node_pose(model, 0), from = model_node_velocity(model, 0);
        for (int64_t i = 0; i < nodes; i++) {
            q_out[at + i] = q[at + i] + time * v[from + i];
        }
        memmove(v_out + from, v + from, sizeof *v * (size_t)nodes);
    }
}

// ---- numbers that are not finite ----

// Numbers of the bodies, so many each.
typedef struct body_numbers {
    const double *x;
    int32_t size;
} body_numbers;

static bool is_finite(const body_numbers *numbers, int64_t body) {
    double sum = 0.0;
    for (int32_t k = 0; k < numbers->size; k++) {
        sum += numbers->x[numbers->size * body + k];
    }
    return isfinite(sum);
}

static double count_nonfinite(const void *user, int64_t first, int64_t end) {
    int64_t count = 0;
    for (int64_t i = first; i < end; i++) {
        count += !is_finite(user, i);
    }
    return (double)count;
}

// The first body with a number that is not finite, -1: none has.
static int32_t first_nonfinite(const step_context *in, const double *x, int32_t size) {
    body_numbers numbers = {x, size};
    int32_t body = 0;
    if (!(base_parallel_sum(in->env, in->model->body_count, count_nonfinite, &numbers) > 0.0)) {
        return -1;
    }
    while (is_finite(&numbers, body)) {
        body++;
    }
    return body;
}

// ---- free velocity ----

typedef struct free_loop {
    const step_context *in;
    const double *q, *load, *v_old;
    const asm_inertia_map *inertia;
    double *v_free;
} free_loop;

static void free_range(void *user, int64_t first, int64_t end) {
    const free_loop *loop = user;
    const cn_model *model = loop->in->model;
    int32_t pose = model_pose_size(model->dim), size = model_velocity_size(model->dim);
    for (int64_t i = first; i < end; i++) {
        if (model->body[i].role == MODEL_BODY_FREE) {
            body_rigid rigid = model_body_rigid(model, (int32_t)i);
            static const double none[6] = {0.0};
            const double *load = loop->load ? loop->load + 6 * i : none;
            double force[3], own[36];
            math_add_scaled3(load, rigid.mass, loop->in->steering->gravity, force);
            rigid_kick(&rigid, loop->q + pose * i,
                       asm_inertia_at(model, loop->inertia, (int32_t)i, own), force, load + 3,
                       loop->in->h, loop->v_old + size * i, loop->v_free + size * i);
        }
    }
}

cn_status step_free_velocity(const step_context *in, const double *q,
                             const asm_inertia_map *inertia, const double *load,
                             const double *v_old, double *v_free, cn_error *error) {
    const cn_model *model = in->model;
    int32_t size = model_velocity_size(model->dim);
    memset(v_free, 0, sizeof(double) * (size_t)size * (size_t)model->body_count);
    step_prescribe_velocities(model, in->opts.signals, in->t + in->h, v_free);
    free_loop loop = {in, q, load, v_old, inertia, v_free};
    base_parallel_ranges(in->env, model->body_count, free_range, &loop);
    // Expressions may lose their value in the course of time, as sqrt(1 - t).
    int32_t body = first_nonfinite(in, v_free, size);
    if (body < 0) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_NUMERIC, "the %s of body %d (%s) is not finite in the step from t = %g",
              model->body[body].role == MODEL_BODY_FREE ? "force" : "motion", (int)body + 1,
              model->body[body].name, in->t);
    base_fail_hint(error,
                   "its expression must have a value at every time, and its size be reasonable");
    return CN_ERR_NUMERIC;
}

// ---- the end ----

cn_status step_integrate(const step_context *in, const asm_assembled *assembled, const double *r,
                         const double *q_middle, const double *v_free, double *v_new, double *q,
                         double *v, cn_error *error) {
    const cn_model *model = in->model;
    asm_apply_impulses(in->env, model, assembled, v_free, r, v_new);
    CN_TRY(step_deformable_integrate(in, assembled, r, v_new, error));
    step_drift(in, q_middle, v_new, in->h * in->opts.theta, q, v);
    step_deformable_pose(model, in->state->q, q, v);
    int32_t body = first_nonfinite(in, v, model_velocity_size(model->dim));
    body = body < 0 ? first_nonfinite(in, q, model_pose_size(model->dim)) : body;
    if (body < 0) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_NUMERIC, "body %d (%s) became non-finite at t = %g", (int)body + 1,
              model->body[body].name, in->t);
    base_fail_hint(error, "a smaller step, or look at its forces");
    return CN_ERR_NUMERIC;
}
