// step/moreau_jean.c
// One step of the Moreau-Jean theta scheme (Jean 1999; METHOD section 2):
//     drift by h (1 - theta) to q~  ->  detect  ->  v_free = v_i + h M^-1 F  ->  assemble  -> solve
//     ->  v = v_free + M^-1 H r  ->  drift by h theta to q.
//
// theta = 1/2 conserves, theta = 1 damps. Gaps and frames are taken at q~, nowhere else. Impacts
// inside a step are all treated at its end, so the order of an impact is one; smooth motion is
// second order at theta = 1/2.
#include "step/phases.h"

#include "base/clock.h"

cn_status cn_moreau_jean(cn_sim *sim, double t, double h, cn_error *error) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    cn_status status = cn_step_begin(sim, t, h, error);
    if (status != CN_OK) {
        return status;
    }
    cn_step_drift(model, sim->state.q, step->v_old, h * (1.0 - model->settings.theta),
                  step->q_middle, step->v_old);

    double clock[5] = {cn_clock_cpu()};
    status = cn_detect(sim->detector, step->q_middle, step->v_old, h, &step->contacts, error);
    clock[1] = cn_clock_cpu();
    if (status == CN_OK) {
        cn_step_loads(model, step);
        status = cn_inertia_prepare(model, step->q_middle, sim->step_memory, &step->inertia);
    }
    if (status == CN_OK) {
        status = cn_step_push(model, step, error);
    }
    if (status == CN_OK) {
        status = cn_assemble(model, &sim->state, &step->contacts, &step->inertia, step->v_old,
                             step->v_free, h, sim->step_memory, &step->assembled, error);
    }
    clock[2] = cn_clock_cpu();
    status = status == CN_OK ? cn_step_solve(sim, error) : status;
    clock[3] = cn_clock_cpu();
    status = status == CN_OK ? cn_step_statuses(sim, error) : status;
    status = status == CN_OK ? cn_step_end(sim, error) : status;
    clock[4] = cn_clock_cpu();
    for (int i = 0; i < 4; i++) {
        step->cpu[i] = clock[i + 1] - clock[i];
    }
    return status;
}
