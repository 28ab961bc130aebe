// check/deformable_energy.c
// Energies of deformable bodies and the works of a step. Contacts give 1/2 (u_0 + u_1) . r for all
// bodies alike, so that the part (theta - 1/2) dv . p of a body's balance counts as numerical, as
// does what changing axes does to the elastic energy.
#include "check/deformable.h"

#include "base/arena.h"
#include "math/vec3.h"

#include <math.h>

static double dot(int32_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double far_of(const check_checking *check, const model_deformable *body, const double *x) {
    double far = 0.0;
    for (int32_t k = 0; k < check->model->dim * body->mesh->nodes; k++) {
        far = fmax(far, fabs(x[(int64_t)check->model->dim * body->first_node + k]));
    }
    return far;
}

static void add_sum(check_sum *sum, double value, double room) {
    sum->value += value;
    sum->scale += fabs(value) + room / CHECK_ROUND;
}

// In the axes that the body has at positions x of all nodes.
static void add_elastic(const check_checking *check, check_soft *soft, const double *x,
                        check_sum *elastic) {
    const cn_model *model = check->model;
    double near[9], turn[9], room = 0.0;
    double *u = soft->left;
    check_rotation_of(model->dim, check_pose_of(model, check->frame.end, soft->body->body), near);
    check_soft_axes(model, soft->body, x, near, turn);
    check_soft_strained(model, soft->body, x, turn, u);
    double energy = check_soft_elastic(soft, u, far_of(check, soft->body, x), &room);
    add_sum(elastic, energy, room);
}

static double potential_of(const check_checking *check, const check_soft *soft, const double *x,
                           check_sum *sum) {
    const cn_model *model = check->model;
    const model_deformable *body = soft->body;
    double all = 0.0;
    for (int32_t n = 0; n < body->mesh->nodes; n++) {
        for (int32_t k = 0; k < model->dim; k++) {
            double own = -body->material.density * body->shared->volume[n] *
                         check->frame.gravity[k] *
                         x[(int64_t)model->dim * (body->first_node + n) + k];
            all += own;
            if (sum) {
                add_sum(sum, own, 0.0);
            }
        }
    }
    return all;
}

bool check_deformable_energies(check_checking *check, check_sum *kinetic, check_sum *potential,
                               check_sum *elastic) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    for (int32_t i = 0; check->deformables && i < model->deformable_count; i++) {
        check_soft *soft = &check->deformables->body[i];
        const double *v = frame->v + model_node_velocity(model, soft->body->first_node);
        if (check_deformable_type(check, soft) != CN_OK) {
            return false;
        }
        add_sum(kinetic, 0.5 * check_soft_form(soft, &soft->type->ops.M, v), 0.0);
        potential_of(check, soft, frame->x, potential);
        add_elastic(check, soft, frame->x, elastic);
    }
    return true;
}

// ---- works ----

static void body_works(check_checking *check, check_soft *soft, check_soft_works *works) {
    const check_frame *frame = &check->frame;
    const fe_operators *ops = &soft->type->ops;
    int32_t dofs = ops->dofs;
    double h = frame->h, far = far_of(check, soft->body, frame->x), excess = check->theta - 0.5;
    check_sum start = {0.0, 0.0}, end = {0.0, 0.0};
    double given = 0.0, room = 0.0;
    add_sum(&works->external, soft->held_work, 0.0);
    if (soft->loaded) {
        given = h * dot(dofs, soft->load, soft->mean) + potential_of(check, soft, frame->x, NULL) -
                potential_of(check, soft, frame->x_start, NULL);
        add_sum(&works->external, given, 0.0);
    }
    add_sum(&works->viscous, h * check_soft_form(soft, &ops->V, soft->mean), 0.0);
    double start_in_axes = check_soft_elastic(soft, soft->u, far, &room);
    double strained = 2.0 * h * h * check_soft_elastic(soft, soft->mean, 0.0, &room);
    double *dv = soft->left;
    for (int32_t i = 0; i < dofs; i++) {
        dv[i] = soft->v_end[i] - soft->v[i];
    }
    add_sum(&works->numerical, excess * check_soft_form(soft, &ops->M, dv), 0.0);
    add_sum(&works->numerical, excess * strained, 0.0);
    add_sum(&works->numerical, -excess * dot(dofs, soft->impulse, dv), 0.0);
    for (int32_t i = 0; i < dofs; i++) {
        dv[i] = soft->u[i] + h * soft->mean[i];
    }
    double end_in_axes = check_soft_elastic(soft, dv, far, &room);
    add_elastic(check, soft, frame->x_start, &start);
    add_elastic(check, soft, frame->x, &end);
    add_sum(&works->numerical, start.value - start_in_axes, room + CHECK_ROUND * start.scale);
    add_sum(&works->numerical, end_in_axes - end.value, CHECK_ROUND * end.scale);
    works->dropped = works->dropped || soft->body->quasi_static;
}

void check_deformable_works(check_checking *check, check_soft_works *works) {
    *works = (check_soft_works){.dropped = false};
    for (int32_t i = 0; check->deformables && i < check->model->deformable_count; i++) {
        body_works(check, &check->deformables->body[i], works);
    }
}
