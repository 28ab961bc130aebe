// step/deformable/energy.c
// Energies of deformable bodies and the ledger of a step.
//
// Contacts give 1/2 (u_0 + u_1) . r for all bodies alike, so of the identity of body/fe/body.h,
//     dT + dU = P_theta . du + v_theta . (p + reaction) - h v_theta' V v_theta
//               - (theta - 1/2) (dv' M dv + du' K du),
// the part (theta - 1/2) dv . p goes to the numerical loss. With axes that turn, U is taken at each
// end in the axes of that end, and what changing axes does to U is numerical as well.
#include "step/deformable/deformable.h"

#include <math.h>
#include <string.h>

// u'K u / 2 of displacements in axes of the body.
static double elastic_of(step_soft *body, const double *u) {
    double *own = body->fe.u;
    body->fe.u = (double *)(uintptr_t)u; // read only
    double energy = fe_body_elastic(&body->fe);
    body->fe.u = own;
    return energy;
}

static double kinetic_of(const cn_model *model, step_soft *body, const double *v) {
    double *own = body->fe.v;
    body->fe.v = (double *)(uintptr_t)(v + model_node_velocity(model, body->model->first_node));
    double energy = fe_body_kinetic(&body->fe); // M is the same in all axes
    body->fe.v = own;
    return energy;
}

static double potential_of(const cn_model *model, const model_deformable *d,
                           const double gravity[3], const double *q) {
    int32_t dim = model->dim;
    const double *u = q + model_node_pose(model, d->first_node);
    const double *start = model->node_start + (int64_t)dim * d->first_node;
    double sum = 0.0;
    for (int32_t n = 0; n < d->mesh->nodes; n++) {
        for (int32_t i = 0; i < dim; i++) {
            sum -= d->material.density * d->shared->volume[n] * gravity[i] *
                   (start[dim * n + i] + u[dim * n + i]);
        }
    }
    return sum;
}

// In the axes that the body has at q. known: its elastic energy in axes that do not turn; NULL: to
// be found.
static step_soft_energy energy_of(const cn_model *model, step_soft *body, const double gravity[3],
                                  const double *q, const double *v, const double *known) {
    step_soft_energy out = {kinetic_of(model, body, v),
                            potential_of(model, body->model, gravity, q), 0.0};
    if (known && !body->model->corotational) {
        out.elastic = *known;
        return out;
    }
    double turn[9], *room = body->fe.v_free; // of no use after the solve
    step_soft_axes(model, body->model, q, turn);
    step_soft_strained(model, body->model, q, turn, room);
    out.elastic = elastic_of(body, room);
    return out;
}

static void add_energy(step_soft_energy *sum, const step_soft_energy *part) {
    sum->kinetic += part->kinetic;
    sum->potential += part->potential;
    sum->elastic += part->elastic;
}

step_soft_energy step_deformable_energy_of(struct step_deformable *soft, const double gravity[3],
                                           const double *q, const double *v) {
    step_soft_energy sum = {0.0, 0.0, 0.0};
    for (int32_t i = 0; soft && i < soft->model->deformable_count; i++) {
        step_soft *body = &soft->body[i];
        step_soft_energy own = energy_of(soft->model, body, gravity, q, v, NULL);
        add_energy(&sum, &own);
    }
    return sum;
}

// dv . p of a body, dv from v_start to the end.
static double impulse_work(const step_soft *body) {
    double sum = 0.0;
    for (int32_t i = 0; i < body->type->ops.dofs; i++) {
        sum += body->fe.impulse[i] * (body->fe.v[i] - body->start_v[i]);
    }
    return sum;
}

step_soft_work step_deformable_work(const step_context *in, const step_data *step) {
    const cn_model *model = in->model;
    const double *gravity = in->steering->gravity;
    step_soft_work work = {.external = 0.0};
    double theta = in->opts.theta;
    for (int32_t i = 0; in->deformable && i < model->deformable_count; i++) {
        step_soft *body = &in->deformable->body[i];
        const fe_ledger *ledger = &body->fe.ledger;
        double in_axes = elastic_of(body, body->start_u), end_in_axes = ledger->elastic;
        step_soft_energy before =
            energy_of(model, body, gravity, in->state->q, in->state->v, &in_axes);
        step_soft_energy after = energy_of(model, body, gravity, step->q, step->v, &end_in_axes);
        add_energy(&work.before, &before);
        add_energy(&work.after, &after);
        work.external += ledger->work_held;
        if (body->loaded) {
            work.external += ledger->work_load + (after.potential - before.potential);
        }
        work.viscous += ledger->dissipated_viscous;
        work.numerical += ledger->dissipated_numerical - (theta - 0.5) * impulse_work(body) -
                          ((after.elastic - end_in_axes) - (before.elastic - in_axes));
    }
    return work;
}
