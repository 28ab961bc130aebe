// step/sim.c
// The run driver: makes a sim from a model, steps it under the stall policy, hands out what a step
// did.
#include "step/phases.h"
#include "step/rigid_system.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "detect/narrow/narrow.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"
#include "problem/operator/sphere_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- making ----

#define CN_SETTLE_TOLERANCE 1e-4 // below it settings.settle is left out
#define CN_PARAM_TEXT 64         // a parameter's name and value, with room to spare
#define CN_PARAM_ENDS " ,"       // between two of them

// "name=value name=value" into the solver's own settings.
static cn_status cn_choose_params(const char *text, const cn_solver_info *info, cn_solve_opts *opts,
                                  cn_error *error) {
    for (const char *at = text + strspn(text, CN_PARAM_ENDS); *at;) {
        size_t length = strcspn(at, CN_PARAM_ENDS), name = strcspn(at, "=" CN_PARAM_ENDS);
        char word[CN_PARAM_TEXT];
        if (name == 0 || name >= length || length >= sizeof word) {
            cn_fail(error, CN_ERR_INPUT, "solver.params has \"%.*s\"",
                    (int)(length < sizeof word ? length : sizeof word), at);
            cn_fail_hint(error, "each is a name, = and a number, without spaces: \"facets=4\"");
            return CN_ERR_INPUT;
        }
        memcpy(word, at, length);
        word[name] = word[length] = '\0';
        if (cn_solve_opts_set(opts, info, word, word + name + 1, error) != CN_OK) {
            if (error) {
                error->status = CN_ERR_INPUT;
            }
            return CN_ERR_INPUT;
        }
        at += length;
        at += strspn(at, CN_PARAM_ENDS);
    }
    return CN_OK;
}

// settings.settle as the solver's own parameter, where it has one. Tight tolerances leave bodies at
// rest so little motion that settling would only cost.
static void cn_choose_settle(const cn_settings *settings, const cn_solver_info *info,
                             cn_solve_opts *opts) {
    char settle[16];
    bool loose = settings->tolerance >= CN_SETTLE_TOLERANCE;
    snprintf(settle, sizeof settle, "%d", (int)settings->settle);
    for (int32_t i = 0; i < info->param_count; i++) {
        const char *name = info->params[i].name;
        if (loose && strcmp(name, "settle") == 0) {
            cn_solve_opts_set(opts, info, name, settle, NULL); // its range is that of settings
        }
    }
}

static cn_status cn_choose_solver(const char *name, const cn_settings *settings,
                                  const cn_friction_solver **solver, cn_solve_opts *opts,
                                  cn_error *error) {
    *solver = cn_friction_solver_find(name);
    if (!*solver) {
        return cn_fail(error, CN_ERR_ARGUMENT, "there is no friction solver named %s", name);
    }
    *opts = cn_solve_opts_default(&(*solver)->info);
    opts->tolerance = settings->tolerance;
    opts->time_limit = settings->time_limit;
    if (settings->max_iterations > 0) {
        opts->max_iterations = settings->max_iterations;
    }
    cn_choose_settle(settings, &(*solver)->info, opts);
    if (settings->local) {
        opts->local = cn_local_solver_find(settings->local);
    }
    if (!opts->local) {
        return cn_fail(error, CN_ERR_ARGUMENT, "there is no local solver named %s",
                       settings->local);
    }
    return CN_OK;
}

// The solvers that take something, as a list for a hint.
static void cn_name_takers(uint32_t need, cn_error *error) {
    char text[256] = "";
    size_t used = 0;
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_solver_info *info = &cn_friction_solver_at(i)->info;
        size_t length = strlen(info->name) + 2;
        if ((info->accepts & need) == need && used + length < sizeof text) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                                     info->name);
        }
    }
    cn_fail_hint(error, "these do: %s", text);
}

// A solver that would refuse every step is refused at once.
static cn_status cn_check_solver(const cn_model *model, const cn_friction_solver *solver,
                                 const char *key, cn_error *error) {
    bool convex = model->settings.friction == CN_FRICTION_CONVEX, joints = model->joint_count > 0;
    uint32_t need = (convex ? CN_TAKES_CONVEX : 0U) | (joints ? CN_TAKES_BOUNDS : 0U);
    uint32_t lacking = need & ~solver->info.accepts;
    if (lacking == 0) {
        return CN_OK;
    }
    cn_fail(error, CN_ERR_UNSUPPORTED, "%s: %s does not take %s", key, solver->info.name,
            lacking & CN_TAKES_CONVEX ? "convex friction" : "joints");
    cn_name_takers(need, error);
    const cn_source *source = &model->settings.solver_source;
    cn_fail_at(error, source->file, source->line, source->column);
    return CN_ERR_UNSUPPORTED;
}

static cn_status cn_choose_scheme(cn_sim *sim, cn_error *error) {
    const char *name = sim->model->settings.scheme;
    const cn_system_scheme *of_systems = cn_system_scheme_find(name);
    sim->scheme = cn_scheme_find(name);
    if (sim->scheme || (of_systems && !of_systems->first_order)) {
        return CN_OK; // without a scheme of their own, bodies are seen as a system
    }
    return cn_fail(error, CN_ERR_ARGUMENT, "there is no time integrator named %s", name);
}

// A pair of shapes that detection does not know would pass through one another unseen: refused, at
// the body that has it.
static cn_status cn_check_shapes(const cn_model *model, cn_error *error) {
    bool present[CN_SHAPE_KINDS] = {false};
    for (int32_t i = 0; i < model->shape_count; i++) {
        present[model->shape[i].kind] = true;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        const cn_body *body = &model->body[i];
        for (int32_t k = 0; body->role == CN_BODY_FREE && k < body->shape_count; k++) {
            cn_shape_kind kind = model->shape[body->shape_first + k].kind;
            for (int32_t other = 0; other < CN_SHAPE_KINDS; other++) {
                if (present[other] && !cn_narrow_supports(model->dim, kind, (cn_shape_kind)other)) {
                    cn_fail(error, CN_ERR_UNSUPPORTED,
                            "contact between %s and %s is not available yet",
                            cn_shape_kind_text(kind), cn_shape_kind_text((cn_shape_kind)other));
                    cn_fail_hint(error, "use another shape for body %d (%s)", (int)i + 1,
                                 body->name);
                    cn_fail_at(error, body->source.file, body->source.line, body->source.column);
                    return CN_ERR_UNSUPPORTED;
                }
            }
        }
    }
    return CN_OK;
}

// Bodies that overlap at the start by more than is accepted: an error that points into the scene.
static cn_status cn_check_start(cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    cn_contact contact;
    bool found;
    cn_status status =
        cn_detect_overlap(sim->detector, sim->state.q, sim->state.v, model->settings.step,
                          model->settings.overlap_most, &contact, &found, error);
    if (status == CN_OK && found) {
        int32_t a = contact.key.candidate, b = contact.key.antagonist;
        const cn_body *later = &model->body[a > b ? a : b];
        status = cn_fail(error, CN_ERR_INPUT,
                         "bodies %d (%s) and %d (%s) overlap by %.3g m at the start", (int)a + 1,
                         model->body[a].name, (int)b + 1, model->body[b].name, -contact.gap);
        cn_fail_hint(error,
                     "move them apart, or accept overlaps up to detection.overlap (now %.3g m)",
                     model->settings.overlap_most);
        cn_fail_at(error, later->source.file, later->source.line, later->source.column);
    }
    return status;
}

static bool cn_sim_allocate(cn_sim *sim) {
    const cn_model *model = sim->model;
    int64_t poses = (int64_t)cn_pose_size(model->dim) * model->body_count;
    int64_t velocities = (int64_t)cn_velocity_size(model->dim) * model->body_count;
    sim->memory = cn_arena_create(&sim->env);
    sim->step_memory = cn_arena_create(&sim->env);
    sim->scratch = cn_arena_create(&sim->env);
    sim->impulses = cn_arena_create(&sim->env);
    sim->memo = sim->opts.memo = cn_solve_memo_create(&sim->env);
    sim->detector = cn_detector_create(model, &sim->env, sim->scratch);
    sim->control = model->control ? cn_script_copy(model->control->script, &sim->env) : NULL;
    if (!sim->memory || !sim->step_memory || !sim->scratch || !sim->impulses || !sim->detector ||
        !sim->memo || (model->control && !sim->control)) {
        return false;
    }
    sim->signals = cn_model_evaluator(model, &sim->env, sim->control);
    sim->state.q = CN_TAKE(sim->memory, double, poses);
    sim->state.v = CN_TAKE(sim->memory, double, velocities);
    sim->state.joint_impulse = CN_TAKE_ZERO(sim->memory, double, model->joint_row_count);
    sim->state.joint_angle = CN_TAKE_ZERO(sim->memory, double, 2 * (int64_t)model->joint_count);
    if (!sim->signals || !sim->state.q || !sim->state.v || !sim->state.joint_impulse ||
        !sim->state.joint_angle) {
        return false;
    }
    // Sleeping looks at velocities of both ends; driven bodies, stored motion and fast pairs that
    // bounce at the middle.
    if (sim->scheme && !model->stores_motion && !model->bounces &&
        !(model->settings.sleep_speed > 0.0)) {
        sim->next_q = CN_TAKE(sim->memory, double, poses);
        sim->next_v = CN_TAKE(sim->memory, double, velocities);
        if (!sim->next_q || !sim->next_v) {
            return false;
        }
    }
    memcpy(sim->state.q, model->q0, sizeof(double) * (size_t)poses);
    memset(sim->state.v, 0, sizeof(double) * (size_t)velocities);
    if (model->v0) {
        memcpy(sim->state.v, model->v0, sizeof(double) * (size_t)velocities);
    }
    sim->state.drift_limit = HUGE_VAL;
    sim->steering = cn_steering_default(model);
    return cn_sleep_prepare(sim);
}

cn_status cn_sim_create(const cn_model *model, const cn_env *env, cn_sim **out, cn_error *error) {
    *out = NULL;
    if (!model || !model->finished) {
        return cn_fail(error, CN_ERR_ARGUMENT, "the model is not finished");
    }
    cn_env own = env ? *env : cn_env_default();
    cn_sim *sim = own.allocator.resize(own.allocator.user, NULL, 0, sizeof *sim);
    if (!sim) {
        return cn_fail_memory(error);
    }
    *sim = (cn_sim){.env = own, .model = model};
    if (!own.threads && model->settings.threads > 1) {
        sim->own_threads = sim->env.threads = cn_threads_create(model->settings.threads);
    }
    cn_buffer_init(&sim->kept, &sim->env);
    cn_buffer_init(&sim->fresh, &sim->env);
    cn_buffer_init(&sim->forced, &sim->env);
    cn_buffer_init(&sim->backup, &sim->env);
    cn_buffer_init(&sim->held, &sim->env);
    const cn_settings *settings = &model->settings;
    cn_status status = model->system ? CN_OK : cn_choose_scheme(sim, error);
    if (status == CN_OK) {
        status = cn_choose_solver(settings->solver, settings, &sim->solver, &sim->opts, error);
    }
    if (status == CN_OK && settings->params) {
        status = cn_choose_params(settings->params, &sim->solver->info, &sim->opts, error);
    }
    if (status == CN_OK) {
        status = cn_choose_solver(settings->fallback, settings, &sim->fallback, &sim->fallback_opts,
                                  error);
    }
    if (status == CN_OK) {
        status = cn_check_solver(model, sim->solver, "solver.name", error);
    }
    if (status == CN_OK && settings->on_stall == CN_STALL_RETRY) {
        status = cn_check_solver(model, sim->fallback, "solver.fallback", error);
    }
    if (status == CN_OK && !cn_sim_allocate(sim)) {
        status = cn_fail_memory(error);
    }
    if (status == CN_OK) {
        status = cn_check_shapes(model, error);
    }
    if (status == CN_OK) {
        status = cn_check_start(sim, error);
    }
    if (status == CN_OK && model->joint_count > 0) {
        status = cn_joints_settle(sim, sim->state.q, sim->state.v, error);
    }
    if (status == CN_OK && !model->system && !sim->scheme) {
        status = cn_rigid_system_create(sim, error);
    }
    if (status == CN_OK && (model->system || sim->rigid)) {
        status = cn_sim_system_create(sim, error);
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
    cn_rigid_system_destroy(sim->rigid);
    cn_detector_destroy(sim->detector);
    cn_evaluator_destroy(sim->signals);
    cn_script_destroy(sim->control);
    cn_buffer_free(&sim->kept);
    cn_buffer_free(&sim->fresh);
    cn_buffer_free(&sim->forced);
    cn_buffer_free(&sim->backup);
    cn_buffer_free(&sim->held);
    cn_solve_memo_destroy(sim->memo);
    cn_arena_destroy(sim->impulses);
    cn_arena_destroy(sim->scratch);
    cn_arena_destroy(sim->step_memory);
    cn_arena_destroy(sim->memory);
    cn_threads_destroy(sim->own_threads);
    cn_env env = sim->env;
    env.allocator.resize(env.allocator.user, sim, sizeof *sim, 0);
}

// ---- stepping ----

// What contacts do in a step: how many stick and slide, and their overlaps.
typedef struct cn_contact_sums {
    int32_t sticking, sliding, touching;
    double deepest, overlap;
} cn_contact_sums;

static void cn_count_overlap(double gap, cn_contact_sums *sums) {
    if (gap < 0.0) {
        sums->deepest = -gap > sums->deepest ? -gap : sums->deepest;
        sums->overlap -= gap;
        sums->touching++;
    }
}

static void cn_sum_contacts(const void *user, int64_t first, int64_t end, void *part) {
    const cn_step *step = user;
    cn_contact_sums *sums = part;
    for (int64_t c = first; c < end; c++) {
        cn_count_overlap(step->contacts.contact[c].gap, sums);
        if (c < step->assembled.contacts) { // problem contacts are fewer
            sums->sticking += step->status[c] == 1;
            sums->sliding += step->status[c] == 2;
        }
    }
}

static void cn_join_contacts(void *total, const void *part) {
    cn_contact_sums *all = total;
    const cn_contact_sums *more = part;
    all->sticking += more->sticking;
    all->sliding += more->sliding;
    all->touching += more->touching;
    all->deepest = fmax(all->deepest, more->deepest);
    all->overlap += more->overlap;
}

static void cn_report_fast(const struct cn_fast_report *fast, cn_step_report *report) {
    report->early += fast->early;
    report->early_gap = fmax(report->early_gap, fast->early_gap);
    if (fast->limited > 0) {
        report->limited += fast->limited;
        report->limited_candidate = fast->limited_at[0] + 1;
        report->limited_antagonist = fast->limited_at[1] + 1;
    }
    if (fast->passed > 0) {
        report->passed += fast->passed;
        report->passed_candidate = fast->passed_at[0] + 1;
        report->passed_antagonist = fast->passed_at[1] + 1;
    }
}

// What the step adds to a report that may cover several.
static void cn_report_step(const cn_sim *sim, cn_step_report *report) {
    const cn_step *step = &sim->last;
    const cn_kept_contact *kept = (const void *)sim->kept.data;
    cn_contact_sums sums = {.sticking = 0};
    for (int32_t k = 0; k < cn_kept_count(sim); k++) {
        sums.sticking += kept[k].status == 1;
        sums.sliding += kept[k].status == 2;
        cn_count_overlap(kept[k].contact.gap, &sums);
    }
    cn_parallel_fold(&sim->env, step->contacts.count, cn_sum_contacts, cn_join_contacts, step,
                     sizeof sums, &sums);
    report->contacts = step->contacts.count + cn_kept_count(sim);
    report->sticking = sums.sticking;
    report->sliding = sums.sliding;
    report->penetration_max = fmax(report->penetration_max, sums.deepest);
    report->penetration_mean = sums.touching > 0 ? sums.overlap / sums.touching : 0.0;
    report->joint_error_max = fmax(report->joint_error_max, step->joint_error);
    report->solver = step->solver;
    report->iterations += step->solved.iterations;
    report->retries += step->retries;
    report->missed += step->contacts.missed;
    cn_report_fast(&step->fast, report);
    if (report->outcome == CN_SOLVED) {
        report->outcome = step->solved.outcome; // the first that was not solved stays
    }
    report->residual = fmax(report->residual, step->solved.grade.residual);
    cn_step_paradoxes(sim, report);
    cn_step_energy(sim, report);
}

cn_status cn_step_try(cn_sim *sim, double t, double h, cn_error *error) {
    cn_status status;
    sim->tries = 0;
    sim->forced.size = 0;
    cn_detector_reach(sim->detector, NULL);
    do {
        status = sim->scheme->step(sim, t, h, error);
        sim->tries++;
        // Islands are finite in number, and tries of fast pairs too.
    } while (status == CN_OK && (sim->last.woken > 0 || sim->last.again));
    return status;
}

// Two steps of half the length.
static cn_status cn_step_in_halves(cn_sim *sim, double t, double h, int32_t halvings,
                                   cn_step_report *report, cn_error *error) {
    double next = sim->next_h;
    sim->next_h = 0.5 * h;
    cn_status status = cn_step_protect(sim, error);
    status = status == CN_OK ? cn_step_or_halve(sim, t, 0.5 * h, halvings, report, error) : status;
    sim->next_h = next;
    return status == CN_OK ? cn_step_or_halve(sim, t + 0.5 * h, 0.5 * h, halvings, report, error)
                           : status;
}

// The same, since bodies would pass through one another in one step.
static cn_status cn_step_halved_for_fast(cn_sim *sim, double t, double h, int32_t halvings,
                                         cn_step_report *report, cn_error *error) {
    report->substeps++;
    sim->fast_halvings--;
    cn_status status = cn_step_in_halves(sim, t, h, halvings, report, error);
    sim->fast_halvings++;
    return status;
}

// One step of length h, or two of half the length where bodies pass through one another, and with
// the policy "halve" where the solve stalls.
cn_status cn_step_or_halve(cn_sim *sim, double t, double h, int32_t halvings,
                           cn_step_report *report, cn_error *error) {
    if ((1.0 - sim->model->settings.theta) * h > sim->state.drift_limit && sim->fast_halvings > 0) {
        return cn_step_halved_for_fast(sim, t, h, halvings, report, error);
    }
    cn_status status = cn_step_try(sim, t, h, error);
    if (status != CN_OK) {
        return status;
    }
    if (sim->last.halve) {
        return cn_step_halved_for_fast(sim, t, h, halvings, report, error);
    }
    cn_outcome outcome = sim->last.solved.outcome;
    bool stalled = outcome != CN_SOLVED;
    // A solve that ran out of time or effort would not be helped by having to make two of it.
    if (stalled && outcome != CN_TIME && outcome != CN_EFFORT &&
        sim->model->settings.on_stall == CN_STALL_HALVE && halvings > 0) {
        report->halvings++;
        return cn_step_in_halves(sim, t, h, halvings - 1, report, error);
    }
    if (stalled && sim->model->settings.on_stall == CN_STALL_STOP) {
        report->outcome = sim->last.solved.outcome;
        report->residual = sim->last.solved.grade.residual;
        return cn_fail(error, CN_ERR_NUMERIC, "the solve stalled at t = %g with residual %.3g (%s)",
                       t, sim->last.solved.grade.residual, sim->last.solved.detail);
    }
    status = cn_sleep_decide(sim, error);
    if (status == CN_OK) {
        cn_report_step(sim, report);
        status = cn_step_accept(sim, error);
    }
    return status;
}

// A step of the model's length, or in parts.
static cn_status cn_step_bodies(cn_sim *sim, double t, cn_step_report *report, cn_error *error) {
    const cn_settings *settings = &sim->model->settings;
    sim->phases = (cn_phase_clock){.phase = CN_PHASES};
    cn_step_enter(sim, CN_PHASE_ADVANCE);
    bool first = sim->state.last_h == 0.0;
    int32_t parts = first ? cn_fast_parts(sim, settings->step, error) : 1;
    double h = settings->step / fmax(parts, 1);
    cn_status status = parts > 0                    ? CN_OK
                       : cn_is_cancelled(&sim->env) ? CN_ERR_CANCELLED
                                                    : CN_ERR_MEMORY;
    if (status == CN_OK && (parts > 1 || settings->error > 0.0 || sim->state.island)) {
        status = cn_step_protect(sim, error);
    }
    sim->fast_halvings = settings->error > 0.0 ? 0 : CN_FAST_HALVINGS;
    for (int32_t i = 0; status == CN_OK && i < parts; i++) {
        sim->next_h = i + 1 < parts ? h : settings->step;
        status = settings->error > 0.0
                     ? cn_step_adapted(sim, t + h * i, h, report, error)
                     : cn_step_or_halve(sim, t + h * i, h, settings->halvings, report, error);
    }
    report->substeps += parts > 1 ? parts : 0;
    cn_step_enter(sim, CN_PHASES);
    report->cpu_detect = sim->phases.cpu[CN_PHASE_DETECT];
    report->cpu_assemble = sim->phases.cpu[CN_PHASE_ASSEMBLE];
    report->cpu_solve = sim->phases.cpu[CN_PHASE_SOLVE];
    report->cpu_advance = sim->phases.cpu[CN_PHASE_ADVANCE];
    return status;
}

cn_status cn_sim_step(cn_sim *sim, cn_step_report *report, cn_error *error) {
    const cn_settings *settings = &sim->model->settings;
    double t = cn_sim_time(sim);
    bool limited = settings->time_limit > 0.0;
    sim->clock.start = limited ? cn_clock_cpu() : 0.0;
    *report = (cn_step_report){.outcome = CN_SOLVED};
    cn_status status = cn_poll_status(&sim->env, error);
    if (status != CN_OK) {
        return status;
    }
    sim->effort = settings->effort;
    sim->protects = false;
    sim->held.size = 0;
    size_t held = sizeof(double) * (size_t)cn_control_count(sim->model);
    if (held > 0 && !cn_buffer_append(&sim->held, sim->control->held, held)) {
        return cn_fail_memory(error);
    }
    status = sim->rigid ? cn_step_protect(sim, error) : CN_OK;
    if (status != CN_OK) {
        return status;
    }
    cn_control_sample(sim, t);
    status = sim->system ? cn_sim_system_step(sim, report, error)
                         : cn_step_bodies(sim, t, report, error);
    if (status != CN_OK) {
        cn_step_undo(sim);
    }
    if (status == CN_OK) {
        sim->state.step++;
        report->work_external += sim->steering_work;
        sim->steering_work = 0.0;
    }
    report->step = sim->state.step;
    report->t = cn_sim_time(sim);
    if (limited) {
        sim->clock.rest = cn_clock_cpu() - sim->clock.solving - sim->last.solved.cpu_s;
    }
    return status;
}

// ---- looking ----

int64_t cn_sim_step_index(const cn_sim *sim) {
    return sim->state.step;
}

double cn_sim_time(const cn_sim *sim) {
    return (double)sim->state.step * sim->model->settings.step;
}

const cn_model *cn_sim_model(const cn_sim *sim) {
    return sim->model;
}

void cn_sim_poses_of(const cn_sim *sim, int32_t first, int32_t end, double *q) {
    const cn_model *model = sim->model;
    int64_t size = cn_pose_size(model->dim);
    memcpy(q, sim->state.q + size * first, sizeof *q * (size_t)(size * (end - first)));
    for (int32_t i = first; i < end; i++) {
        double *pose = q + size * (i - first), R[9], offset[3];
        if (model->dim == 3) {
            cn_quat_matrix(pose + 3, R);
        } else {
            cn_angle_matrix(pose[2], R);
        }
        cn_mat3_apply(R, model->body[i].com, offset);
        for (int32_t k = 0; k < model->dim; k++) {
            pose[k] -= offset[k];
        }
    }
}

void cn_sim_poses(const cn_sim *sim, double *q) {
    cn_sim_poses_of(sim, 0, sim->model->body_count, q);
}

void cn_sim_velocities(const cn_sim *sim, double *v) {
    const cn_model *model = sim->model;
    memcpy(v, sim->state.v,
           sizeof *v * (size_t)cn_velocity_size(model->dim) * (size_t)model->body_count);
}

void cn_sim_energy(const cn_sim *sim, double *kinetic, double *potential) {
    if (sim->system) {
        cn_system_run_energy(sim->system, kinetic, potential);
        return;
    }
    cn_state_energy(sim, sim->state.q, sim->state.v, kinetic, potential);
}

int32_t cn_sim_contact_count(const cn_sim *sim) {
    return sim->system ? cn_sim_system_contact_count(sim)
                       : sim->last.contacts.count + cn_kept_count(sim);
}

// The problem contact of a listed one, -1: it took no part. Both ascend, so it is not behind the
// listed one, and not further before it than there are others that took no part.
static int32_t cn_problem_contact(const cn_step *step, int32_t index) {
    int32_t contacts = step->assembled.contacts, low = index - (step->contacts.count - contacts),
            high = index < contacts ? index : contacts;
    low = low > 0 ? low : 0;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (cn_assembled_listed(&step->assembled, middle) < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found =
        low < step->assembled.contacts && cn_assembled_listed(&step->assembled, low) == index;
    return found ? low : -1;
}

// The velocity of problem contact a at the end of the step, in contact axes.
static void cn_velocity_after(const cn_step *step, int32_t a, const double shift[3],
                              double after[3]) {
    const cn_friction *p = &step->assembled.problem;
    int64_t row = (int64_t)p->dim * a;
    if (!step->u) {
        const int32_t *body = p->W.balls.body + 2 * (int64_t)a;
        int64_t size = cn_velocity_size(p->dim);
        cn_ball_relative(p->dim, &p->W.balls, a, step->v_new + size * body[0],
                         step->v_new + size * body[1], after);
        return;
    }
    for (int32_t i = 0; i < p->dim; i++) {
        after[i] = step->u[row + i] - shift[i];
    }
}

static void cn_record_place(const cn_contact *contact, cn_contact_record *out) {
    out->candidate = contact->key.candidate + 1;
    out->antagonist = contact->key.antagonist + 1;
    out->gap = contact->gap;
    memcpy(out->point, contact->point, sizeof out->point);
    memcpy(out->normal, contact->normal, sizeof out->normal);
}

// What the step found for a contact, which is problem contact a.
static void cn_record_answer(const cn_sim *sim, const cn_contact *contact, int32_t a,
                             uint32_t parts, cn_contact_record *out) {
    const cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    bool starts = parts & CN_RECORD_BEFORE, moves = parts & CN_RECORD_AFTER;
    double axes[9], after[3];
    cn_contact_start start = {.shift = {0.0}};
    out->friction = p->mu[a];
    out->status = step->status[a];
    if (!(parts & (CN_RECORD_IMPULSE | CN_RECORD_AFTER | CN_RECORD_BEFORE))) {
        return;
    }
    cn_contact_axes(p->dim, contact->normal, axes);
    if (parts & CN_RECORD_IMPULSE) {
        cn_to_world(p->dim, axes, step->r + (int64_t)p->dim * a, out->impulse);
    }
    if (starts || (moves && step->u)) {
        cn_assembled_start(sim->model, &step->contacts, &step->inertia, step->v_old, &step->opts,
                           &step->assembled, a, &start);
    }
    if (moves) {
        cn_velocity_after(step, a, start.shift, after);
        cn_to_world(p->dim, axes, after, out->velocity);
    }
    if (starts) {
        cn_to_world(p->dim, axes, start.before, out->velocity_before);
        cn_to_world(p->dim, axes, start.shift, out->shift);
        cn_to_world(p->dim, axes, start.frame_change, out->frame_change);
    }
}

void cn_sim_contact_parts(const cn_sim *sim, int32_t index, uint32_t parts,
                          cn_contact_record *out) {
    if (sim->system) {
        cn_sim_system_contact(sim, index, out);
        return;
    }
    const cn_step *step = &sim->last;
    *out = (cn_contact_record){.status = 0};
    if (index >= step->contacts.count) {
        const cn_kept_contact *kept = (const void *)sim->kept.data;
        kept += index - step->contacts.count;
        cn_record_place(&kept->contact, out);
        memcpy(out->impulse, kept->impulse, sizeof out->impulse);
        out->friction = kept->friction;
        out->status = kept->status;
        return;
    }
    const cn_contact *contact = &step->contacts.contact[index];
    if (parts & CN_RECORD_PLACE) {
        cn_record_place(contact, out);
    }
    int32_t a = parts & ~(uint32_t)CN_RECORD_PLACE ? cn_problem_contact(step, index) : -1;
    if (a >= 0) {
        cn_record_answer(sim, contact, a, parts, out);
    }
}

void cn_sim_contact(const cn_sim *sim, int32_t index, cn_contact_record *out) {
    cn_sim_contact_parts(sim, index, CN_RECORD_ALL, out);
}

const cn_friction *cn_sim_problem(const cn_sim *sim, const double **r, const double **u) {
    const cn_friction *p = &sim->last.assembled.problem;
    *r = sim->last.r;
    *u = sim->last.u;
    cn_friction *body = sim->last.r ? CN_TAKE(sim->step_memory, cn_friction, 1) : NULL;
    bool made = body && cn_friction_expand(p, sim->step_memory, body) == CN_OK;
    if (made && !*u) {
        double *velocity = CN_TAKE(sim->step_memory, double, (int64_t)p->dim * p->contacts);
        double *v = CN_TAKE(sim->step_memory, double, cn_operator_dofs(&p->W, p->dim));
        made = velocity && v;
        if (made) {
            cn_friction_velocity_by(&sim->env, p, *r, v, velocity);
        }
        *u = velocity;
    }
    return made ? body : NULL;
}
