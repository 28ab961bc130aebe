// step/step.c
// One step on one page: drift, detect, loads, free velocity, assemble, solve, integrate, joints,
// sleep, report. docs/design/step.md has the picture.
//
// Each phase is a call that names what it reads and what it writes (step/step.h). Here nothing is
// computed. A step that does not stand is made again here, in halves or parts by step/adapt.c.
#include "step/bonds/bonds.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

// The vectors of an empty step; v_old = v_i with the velocities that motions prescribe; who rests.
static cn_status begin(const step_context *in, const step_vectors *vectors, step_sleep *sleep,
                       step_data *step, cn_error *error) {
    const cn_model *model = in->model;
    bool loaded = model->force_count > 0 || model->joint_count > 0 || in->state->island ||
                  in->steering->pulled != 0 || in->given[0] || in->given[1];
    *step = (step_data){
        .t = in->t, .h = in->h, .opts = in->opts, .drift_limit = HUGE_VAL, .joint_worst = -1};
    base_arena_release(in->memory, (base_arena_mark){0});
    bool complete = step_vectors_take(in, vectors, step);
    if (complete && loaded) {
        step->load = BASE_TAKE_ZERO(in->memory, double, 6 * (int64_t)model->body_count);
        complete = step->load != NULL;
    }
    if (complete && model->joint_count > 0) {
        step->effort = BASE_TAKE_ZERO(in->memory, double, model->joint_count);
        complete = step->effort != NULL;
    }
    if (!complete) {
        return base_fail_memory(error);
    }
    if (!step_bonds_take(in, step)) {
        return base_fail_memory(error);
    }
    step->joints = model->joint_count;
    step->given = in->given[0] || in->given[1];
    step->v_seen = step->v_new;
    step_prescribe_velocities(model, in->opts.signals, in->t, step->v_old);
    step_deformable_begin(in, step->v_old);
    return step_sleep_begin(in, sleep, step->v_old, &step->resting) == CN_OK
               ? CN_OK
               : base_fail_memory(error);
}

// Contacts at poses q of bodies with velocities v; those that appear late add up.
static cn_status detect(const step_context *in, const step_data *step, const double *q,
                        const double *v, det_contact_list *contacts, cn_error *error) {
    int32_t missed = contacts->missed;
    step_enter(in->clock, STEP_DETECT);
    det_detector_rest(in->detector, step->resting);
    cn_status status = det_detect(in->detector, q, v, fmax(in->h, in->sweep), contacts, error);
    contacts->missed += missed;
    status = status == CN_OK ? step_deformable_detect(in, q, v, contacts, error) : status;
    status = status == CN_OK ? step_bonds_list(in, step, q, contacts, error) : status;
    step_enter(in->clock, STEP_ASSEMBLE);
    return status;
}

// Inverse masses at poses q; those of bodies that sleep are zero.
static cn_status find_inertia(const step_context *in, const bool *resting, const double *q,
                              asm_inertia_map *inertia, cn_error *error) {
    if (asm_inertia_prepare(in->model, q, in->memory, inertia) != CN_OK) {
        return base_fail_memory(error);
    }
    step_hold_sleeping(in, resting, inertia);
    return CN_OK;
}

// Bodies out of penetration; contacts and inertia are then those of the new poses.
static cn_status lift(const step_context *in, step_data *step, cn_error *error) {
    bool moved = false;
    CN_TRY(step_project(in, step, &moved, error));
    if (!moved) {
        return CN_OK;
    }
    CN_TRY(detect(in, step, step->q_middle, step->v_old, &step->contacts, error));
    return find_inertia(in, step->resting, step->q_middle, &step->inertia, error);
}

// Room for the answer, and where joints may ask for further solves, the first guess of the first.
static cn_status take_answer(const step_context *in, step_data *step, double **guess,
                             cn_error *error) {
    const cn_friction *problem = &step->assembled.problem;
    int64_t rows = (int64_t)problem->dim * problem->contacts;
    bool joints = in->model->joint_count > 0;
    step->r = step->assembled.r;
    step->u = step->shared ? NULL : BASE_TAKE(in->memory, double, rows);
    *guess = joints ? BASE_TAKE(in->memory, double, rows) : NULL;
    if ((!step->u && !step->shared) || (joints && !*guess)) {
        return base_fail_memory(error);
    }
    if (joints) {
        memcpy(*guess, step->r, sizeof **guess * (size_t)rows);
    }
    return CN_OK;
}

// One try of the step; step->verdict says whether it stands.
static cn_status try_step(const step_context *in, const step_vectors *vectors, step_sleep *sleep,
                          step_solvers *solvers, step_retry *retry, step_data *step,
                          cn_error *error) {
    const cn_model *model = in->model;
    double *guess = NULL;
    CN_TRY(begin(in, vectors, sleep, step, error));
    step_drift(in, in->state->q, step->v_old, in->h * (1.0 - in->opts.theta), step->q_middle,
               step->v_old);
    CN_TRY(step_deformable_place(in, step, error));
    CN_TRY(detect(in, step, step->q_middle, step->v_old, &step->contacts, error));
    step_add_loads(in, step->q_middle, step->load, step->effort);
    step->woken = step_wake_loaded(in, step->resting, step->load, &step->contacts, sleep);
    if (step->woken > 0) {
        step->verdict = STEP_AGAIN;
        return CN_OK;
    }
    CN_TRY(find_inertia(in, step->resting, step->q_middle, &step->inertia, error));
    CN_TRY(lift(in, step, error));
    CN_TRY(step_mark_early(in, retry, step->q_middle, step->v_old, &step->contacts, &step->early,
                           error));
    step->opts.early = step->early.place ? &step->early : NULL;

    step_add_pull(in, step->q_middle, step->v_old, &step->inertia, step->load);
    CN_TRY(step_free_velocity(in, step->q_middle, &step->inertia, step->load, step->v_old,
                              step->v_free, error));
    step_still_sleeping(in, step->resting, step->v_free);
    CN_TRY(step_deformable_free(in, step, error));

    step->opts.answers = in->deformable ? in->deformable->answers : NULL;
    step->opts.bonds = step->contacts.bond ? &step->bonds : NULL;
    CN_TRY(asm_assemble(model, in->state, &step->contacts, &step->inertia, step->v_old,
                        step->v_free, &step->opts, in->memory, &step->assembled, error));
    step_scale_friction(in->steering, &step->assembled.problem);
    CN_TRY(take_answer(in, step, &guess, error));
    CN_TRY(step_solve(in, solvers, &step->assembled.problem, step->r, step->u, step, error));

    CN_TRY(step_integrate(in, &step->assembled, step->r, step->q_middle, step->v_free, step->v_new,
                          step->q, step->v, error));
    if (model->joint_count > 0) {
        CN_TRY(step_close_joints(in, solvers, guess, step, error));
        CN_TRY(step_project_joints(in, solvers, step, error));
    }
    CN_TRY(step_classify(in, &step->assembled, step->r, &step->status, error));
    step_bonds_break(in, step);
    if (step->verdict == STEP_AGAIN) {
        return CN_OK;
    }
    CN_TRY(step_check_fast(in, retry, step, error));
    step->woken = step_wake_pressed(step, sleep);
    step->verdict = step->woken > 0 ? STEP_AGAIN : step->verdict;
    return CN_OK;
}

cn_status step_run(const step_context *in, const step_vectors *vectors, step_sleep *sleep,
                   step_solvers *solvers, step_retry *retry, step_data *step, cn_error *error) {
    cn_status status;
    retry->tries = 0;
    retry->forced.size = 0;
    step_bonds_begin(in->bonds);
    det_detector_reach(in->detector, NULL);
    do {
        status = try_step(in, vectors, sleep, solvers, retry, step, error);
        retry->tries++;
        // Islands are finite in number, and tries of fast pairs too.
    } while (status == CN_OK && step->verdict == STEP_AGAIN);
    return status;
}
