// step/act/progress.c
// Telling somebody how far a step is, who may end it: at the start of each phase and within solves.
// It then ends where any cancelled step does, and leaves the state as it was.
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>

static bool is_stopped(void *user) {
    const cn_sim *sim = user;
    const sim_progress *progress = &sim->progress;
    return progress->stopped || (progress->cancel && progress->cancel(progress->cancel_user));
}

void sim_progress_begin(cn_sim *sim) {
    sim->progress.cancel = sim->env.cancel;
    sim->progress.cancel_user = sim->env.cancel_user;
    sim->env.cancel = is_stopped;
    sim->env.cancel_user = sim;
}

static void tell_phase(void *user, step_phase phase) {
    static const char *const stages[STEP_PHASES] = {
        [STEP_DETECT] = "detect",
        [STEP_ASSEMBLE] = "assemble",
        [STEP_SOLVE] = "solve",
        [STEP_ADVANCE] = "advance",
    };
    cn_sim *sim = user;
    cn_progress progress = {.stage = stages[phase], .residual = (double)NAN};
    sim->progress.stopped =
        sim->progress.stopped || !sim->progress.tell(sim->progress.user, &progress);
}

static bool tell_solve(void *user, const cn_progress *progress) {
    cn_sim *sim = user;
    sim->progress.stopped =
        sim->progress.stopped || !sim->progress.tell(sim->progress.user, progress);
    return !sim->progress.stopped;
}

void sim_progress_start(cn_sim *sim) {
    sim->progress.stopped = false;
    sim->phases = (step_phase_clock){
        .phase = STEP_PHASES, .tell = sim->progress.tell ? tell_phase : NULL, .user = sim};
}

void cn_sim_set_progress(cn_sim *sim, cn_progress_fn *progress, void *user) {
    if (!sim) {
        return;
    }
    sim->progress.tell = progress;
    sim->progress.user = user;
    sim->solvers.opts.progress = sim->solvers.fallback_opts.progress = progress ? tell_solve : NULL;
    sim->solvers.opts.progress_user = sim->solvers.fallback_opts.progress_user = sim;
}

// ---- pointers of the user ----

cn_status cn_sim_set_user(cn_sim *sim, cn_body_id body, void *user, cn_error *error) {
    if (!sim) {
        return base_fail_missing(error);
    }
    if (!cn_sim_has_body(sim, body)) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no body %d", (int)body);
    }
    if (!sim->user) {
        sim->user =
            BASE_TAKE_ZERO(sim->bodies ? sim->bodies : sim->memory, void *, sim->model->body_count);
        if (!sim->user) {
            return base_fail_memory(error);
        }
    }
    sim->user[body - 1] = user;
    return CN_OK;
}

void *cn_sim_user(const cn_sim *sim, cn_body_id body) {
    bool known = sim && sim->user && body >= 1 && body <= sim->model->body_count;
    return known ? sim->user[body - 1] : NULL;
}
