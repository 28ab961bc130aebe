// step/sim_create.c
// Makes a run from a model, and refuses what it could not run.
#include "step/bonds/bonds.h"
#include "step/systems/rigid_system.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "detect/narrow/narrow.h"
#include "model/edit.h"

#include <math.h>
#include <string.h>

static cn_status choose_scheme(cn_sim *sim, cn_error *error) {
    const char *name = sim->model->settings.scheme;
    const cn_system_scheme *of_systems = cn_system_scheme_find(name);
    sim->scheme = step_scheme_find(name);
    if (sim->scheme || (of_systems && !of_systems->first_order)) {
        return CN_OK; // without a scheme of their own, bodies are seen as a system
    }
    return base_fail(error, CN_ERR_ARGUMENT, "there is no time integrator named %s", name);
}

// A pair of shapes that detection does not know would pass through one another unseen: refused, at
// the body that has it.
static cn_status check_shapes(const cn_model *model, cn_error *error) {
    bool present[CN_SHAPE_KINDS] = {false};
    for (int32_t i = 0; i < model->shape_count; i++) {
        present[model->shape[i].kind] = true;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        for (int32_t k = 0; body->role == MODEL_BODY_FREE && k < body->shape_count; k++) {
            cn_shape_kind kind = model->shape[body->shape_first + k].kind;
            for (int32_t other = 0; other < CN_SHAPE_KINDS; other++) {
                if (present[other] &&
                    !det_narrow_supports(model->dim, kind, (cn_shape_kind)other)) {
                    base_fail(error, CN_ERR_UNSUPPORTED,
                              "contact between %s and %s is not available yet",
                              cn_shape_kind_text(kind), cn_shape_kind_text((cn_shape_kind)other));
                    base_fail_hint(error, "use another shape for body %d (%s)", (int)i + 1,
                                   body->name);
                    base_fail_at(error, body->source.file, body->source.line, body->source.column);
                    return CN_ERR_UNSUPPORTED;
                }
            }
        }
    }
    return CN_OK;
}

cn_status sim_check_overlap(cn_sim *sim, const double *q, const double *v, cn_error *error) {
    const cn_model *model = sim->model;
    det_contact contact;
    bool found;
    cn_status status = det_detect_overlap(sim->detector, q, v, model->settings.step,
                                          model->settings.overlap_max, &contact, &found, error);
    if (status == CN_OK && found) {
        int32_t a = contact.key.candidate, b = contact.key.antagonist;
        const model_body *later = &model->body[a > b ? a : b];
        status = base_fail(error, CN_ERR_INPUT,
                           "bodies %d (%s) and %d (%s) overlap by %.3g m at the start", (int)a + 1,
                           model->body[a].name, (int)b + 1, model->body[b].name, -contact.gap);
        const cn_mark *mark = model_mark_of(model, &later->source);
        base_fail_hint(error,
                       "move them apart%s%s%s%s%s, or accept overlaps up to detection.overlap "
                       "(now %.3g m)",
                       mark ? " (the position of " : "", mark ? mark->name : "", mark ? " is " : "",
                       mark ? mark->about : "", mark ? ")" : "", model->settings.overlap_max);
        base_fail_at(error, later->source.file, later->source.line, later->source.column);
    }
    return status;
}

static bool allocate(cn_sim *sim) {
    const cn_model *model = sim->model;
    int64_t poses = model_pose_count(model), velocities = model_velocity_count(model);
    sim->memory = cn_arena_create(&sim->env);
    sim->step_memory = cn_arena_create(&sim->env);
    sim->scratch = cn_arena_create(&sim->env);
    sim->impulses = cn_arena_create(&sim->env);
    sim->before = cn_arena_create(&sim->env);
    sim->stored = true;
    sim->solvers.cache = sim->solvers.opts.cache = cn_solve_cache_create(&sim->env);
    sim->detector = det_detector_create(model, &sim->env, sim->scratch);
    sim->control = model->control ? sys_script_copy(model->control->script, &sim->env) : NULL;
    if (!sim->memory || !sim->step_memory || !sim->scratch || !sim->impulses || !sim->before ||
        !sim->detector || !sim->solvers.cache || (model->control && !sim->control)) {
        return false;
    }
    sim->outside.input = BASE_TAKE(sim->memory, double, model->inputs.count);
    if (!sim->outside.input) {
        return false;
    }
    for (int32_t i = 0; i < model->inputs.count; i++) {
        sim->outside.input[i] = model->inputs.start[i];
    }
    sim->contacts = BASE_TAKE_ZERO(sim->memory, base_buffer, 1);
    if (!sim->contacts) {
        return false;
    }
    base_buffer_init(sim->contacts, &sim->env);
    sim->signals = model_evaluator(model, &sim->env, sim->control, sim->outside.input);
    sim->state.q = BASE_TAKE(sim->memory, double, poses);
    sim->state.v = BASE_TAKE(sim->memory, double, velocities);
    sim->state.joint_impulse = BASE_TAKE_ZERO(sim->memory, double, model->joint_row_count);
    sim->state.joint_angle = BASE_TAKE_ZERO(sim->memory, double, 2 * (int64_t)model->joint_count);
    if (!sim->signals || !sim->state.q || !sim->state.v || !sim->state.joint_impulse ||
        !sim->state.joint_angle) {
        return false;
    }
    size_t bodies = (size_t)model->body_count;
    memcpy(sim->state.q, model->q0, sizeof(double) * (size_t)model_pose_size(model->dim) * bodies);
    memset(sim->state.v, 0, sizeof(double) * (size_t)velocities);
    if (model->v0) {
        memcpy(sim->state.v, model->v0,
               sizeof(double) * (size_t)model_velocity_size(model->dim) * bodies);
    }
    step_deformable_start(model, sim->state.q, sim->state.v);
    sim->state.drift_limit = HUGE_VAL;
    sim->steering = sim_steering_default(model);
    sim->sleep.model = model;
    sim->sleep.state = &sim->state;
    sim->retry.memory = sim->memory;
    return step_vectors_create(model, sim->scheme != NULL, sim->memory, &sim->vectors) &&
           step_sleep_prepare(&sim->sleep, sim->memory);
}

cn_status cn_sim_create(const cn_model *model, const cn_env *env, cn_sim **out, cn_error *error) {
    if (!out) {
        return base_fail_missing(error);
    }
    *out = NULL;
    if (!model || !model->finished) {
        return base_fail(error, CN_ERR_ARGUMENT, "the model is not finished");
    }
    cn_env own = env ? *env : cn_env_default();
    cn_sim *sim = own.allocator.resize(own.allocator.user, NULL, 0, sizeof *sim);
    if (!sim) {
        return base_fail_memory(error);
    }
    *sim = (cn_sim){.env = own, .model = model, .first_model = model};
    sim_progress_begin(sim);
    if (!own.threads && model->settings.threads > 1) {
        sim->own_threads = sim->env.threads = cn_threads_create(model->settings.threads);
    }
    base_buffer_init(&sim->sleep.stored, &sim->env);
    base_buffer_init(&sim->sleep.fresh, &sim->env);
    base_buffer_init(&sim->retry.forced, &sim->env);
    base_buffer_init(&sim->backup, &sim->env);
    base_buffer_init(&sim->held, &sim->env);
    base_buffer_init(&sim->journal, &sim->env);
    cn_status status = model->system ? CN_OK : choose_scheme(sim, error);
    if (status == CN_OK) {
        status = sim_choose_solvers(model, &sim->solvers, error);
    }
    if (status == CN_OK && !allocate(sim)) {
        status = base_fail_memory(error);
    }
    if (status == CN_OK) {
        status = check_shapes(model, error);
    }
    if (status == CN_OK) {
        status = sim_check_overlap(sim, sim->state.q, sim->state.v, error);
    }
    if (status == CN_OK) {
        status = step_deformable_create(model, &sim->env, &sim->deformable, error);
    }
    if (status == CN_OK && sim->deformable) {
        status = step_deformable_check_start(sim->deformable, &sim->state, sim->step_memory, error);
    }
    if (status == CN_OK) {
        status = step_bonds_create(model, &sim->env, sim->detector, sim->deformable, &sim->state,
                                   sim->step_memory, &sim->bonds, error);
    }
    if (status == CN_OK && model->bonds && !sim->scheme) {
        status = base_fail(error, CN_ERR_UNSUPPORTED,
                           "the time integrator %s knows no bonds (cohesion, tension, stiffness)",
                           model->settings.scheme);
        base_fail_hint(error, "use the scheme moreau-jean");
    }
    if (status == CN_OK && model->joint_count > 0) {
        const double *impulses;
        step_context in = sim_context(sim, 0.0, model->settings.step);
        status = step_project_joint_velocities(&in, &sim->solvers, sim->state.q, sim->state.v,
                                               &impulses, error);
    }
    if (status == CN_OK && !model->system && !sim->scheme) {
        status = step_rigid_system_create(sim, error);
    }
    if (status == CN_OK && (model->system || sim->rigid)) {
        status = sim_system_create(sim, error);
    }
    if (status != CN_OK) {
        cn_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return CN_OK;
}

void cn_sim_destroy(cn_sim *sim) {
    if (!sim) {
        return;
    }
    cn_system_run_destroy(sim->system);
    step_rigid_system_destroy(sim->rigid);
    det_detector_destroy(sim->detector);
    step_deformable_destroy(sim->deformable);
    step_bonds_destroy(sim->bonds);
    base_evaluator_destroy(sim->signals);
    sys_script_destroy(sim->control);
    base_buffer_free(&sim->sleep.stored);
    base_buffer_free(&sim->sleep.fresh);
    base_buffer_free(&sim->retry.forced);
    base_buffer_free(&sim->backup);
    base_buffer_free(&sim->held);
    base_buffer_free(&sim->journal);
    cn_solve_cache_destroy(sim->solvers.cache);
    if (sim->contacts) {
        base_buffer_free(sim->contacts);
    }
    cn_arena_destroy(sim->impulses);
    cn_arena_destroy(sim->before);
    cn_arena_destroy(sim->scratch);
    cn_arena_destroy(sim->step_memory);
    cn_arena_destroy(sim->bodies);
    cn_arena_destroy(sim->memory);
    model_copy_destroy(sim->own_model);
    cn_threads_destroy(sim->own_threads);
    cn_env env = sim->env;
    env.allocator.resize(env.allocator.user, sim, sizeof *sim, 0);
}
