// model/stress.c
// Stresses of deformable bodies from the places of their nodes.
#include "model/deformable.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <string.h>

// The axes of a body, dim x dim by rows: those it was placed with, or with corotational strain
// those of its pose.
static void body_axes(const model_deformable *body, const double *pose, double turn[9]) {
    int32_t dim = body->mesh->dim;
    double R[9];
    memcpy(turn, body->place, 9 * sizeof *turn);
    if (body->corotational && dim == 3) {
        math_quat_matrix(pose + 3, turn);
    } else if (body->corotational) {
        math_angle_matrix(pose[2], R);
        const double flat[4] = {R[0], R[1], R[3], R[4]};
        memcpy(turn, flat, sizeof flat);
    }
}

// Of an element: u := R'(x - c) - (X - C). A shift of all nodes strains nothing, so c is the place
// of the pose.
static void strained(const model_deformable *body, const double *pose, const double turn[9],
                     const double *X, const double *x, double *u) {
    int32_t dim = body->mesh->dim;
    for (int32_t n = 0; n < body->mesh->element->nodes; n++) {
        for (int32_t i = 0; i < dim; i++) {
            double own = 0.0;
            for (int32_t k = 0; k < dim; k++) {
                own += turn[dim * k + i] * (x[dim * n + k] - pose[k]);
            }
            u[dim * n + i] = own - (X[dim * n + i] - body->shared->com[i]);
        }
    }
}

void model_stress_to_world(int32_t dim, const double turn[9], double s[6]) {
    const double S[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
    double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, RS[9], out[9];
    for (int32_t i = 0; i < dim * dim; i++) {
        R[3 * (i / dim) + i % dim] = turn[i];
    }
    math_mat3_multiply(R, S, RS);
    for (int i = 0; i < 9; i++) {
        out[i] = math_dot3(RS + 3 * (i / 3), R + 3 * (i % 3));
    }
    const double world[6] = {out[0], out[4], out[8], out[1], out[5], out[2]};
    memcpy(s, world, sizeof world);
}

cn_status cn_model_stresses(const cn_model *model, cn_body_id id, const double *pose,
                            const double *x, cn_stress *out) {
    if (!model || id < 1 || id > model->body_count || !pose || !x || !out ||
        !model_deformable_of(model, id - 1)) {
        return CN_ERR_ARGUMENT;
    }
    const model_deformable *body = model_deformable_of(model, id - 1);
    const fe_mesh *mesh = body->mesh;
    fe_elastic law = fe_elastic_of(&body->material, mesh->dim, body->plane);
    double turn[9];
    body_axes(body, pose, turn);
    for (int32_t e = 0; e < mesh->elements; e++) {
        double X[FE_DOFS_MAX], at[FE_DOFS_MAX], u[FE_DOFS_MAX], direction[9];
        fe_mesh_gather(mesh, e, mesh->node, X);
        fe_mesh_gather(mesh, e, x, at);
        strained(body, pose, turn, X, at, u);
        mesh->element->stress(mesh->element, &law, X, u, out[e].stress);
        model_stress_to_world(mesh->dim, turn, out[e].stress);
        fe_principal(out[e].stress, out[e].principal, direction);
        out[e].mises = fe_mises(out[e].stress);
    }
    return CN_OK;
}
