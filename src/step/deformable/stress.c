// step/deformable/stress.c
// Stresses of deformable bodies, for who looks at a run.
#include "step/deformable/deformable.h"
#include "step/sim.h"

bool cn_sim_stress(const cn_sim *sim, cn_body_id body, double *stress) {
    for (int32_t i = 0; sim && stress && i < sim->model->deformable_count; i++) {
        step_soft *soft = &sim->deformable->body[i];
        const model_deformable *d = soft->model;
        if (d->body != body - 1) {
            continue;
        }
        double turn[9], *u = soft->fe.v_free; // of no use after the solve
        step_soft_axes(sim->model, d, sim->state.q, turn);
        step_soft_strained(sim->model, d, sim->state.q, turn, u);
        fe_stresses(d->mesh, &d->material, d->plane, u, stress);
        for (int32_t e = 0; e < d->mesh->elements; e++) {
            model_stress_to_world(sim->model->dim, turn, stress + 6 * (int64_t)e);
        }
        return true;
    }
    return false;
}
