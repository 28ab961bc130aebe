// bench/condensation.c
// The operator of a step of deformable bodies made the plain way, beside that of the simulation: M^ of
// all nodes is factorised and W = H' M^-1 H solved for column by column in each step. M^ is made
// here from the scene's numbers, H from what a run file says of the contacts, so that the two operators
// share nothing; their diagonals are compared.
//
// Only for triangles in the plane with lumped mass, small strain, theta = 1 and no damping.
#include "bench/condensation.h"

#include "draw/browser.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONDENSED_NODES 64 // of a body, at most

// M^ = M + h^2 K of a body, dense by rows.
static void condensed_body(const cn_mesh_info *mesh, const cn_material_def *material, double h,
                           double *A) {
    int32_t size = 2 * mesh->node_count;
    double nu = material->poisson;
    double stiff = material->young / ((1.0 + nu) * (1.0 - 2.0 * nu));
    const double D[9] = {stiff * (1.0 - nu), stiff * nu, 0.0, stiff * nu,
                         stiff * (1.0 - nu), 0.0,        0.0, 0.0,
                         stiff * (0.5 - nu)};
    memset(A, 0, sizeof *A * (size_t)(size * size));
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *n = mesh->elements + 3 * e;
        double b[3], c[3], B[18] = {0.0};
        for (int32_t k = 0; k < 3; k++) {
            const double *p = mesh->nodes + 2 * n[(k + 1) % 3],
                         *q = mesh->nodes + 2 * n[(k + 2) % 3];
            b[k] = p[1] - q[1];
            c[k] = q[0] - p[0];
        }
        double twice = b[0] * c[1] - b[1] * c[0], area = 0.5 * twice;
        for (int32_t k = 0; k < 3; k++) { // strains xx yy and 2 xy
            B[2 * k] = B[12 + 2 * k + 1] = b[k] / twice;
            B[6 + 2 * k + 1] = B[12 + 2 * k] = c[k] / twice;
        }
        for (int32_t i = 0; i < 36; i++) {
            int32_t r = i / 6, s = i % 6, row = 2 * n[r / 2] + r % 2, column = 2 * n[s / 2] + s % 2;
            double sum = 0.0;
            for (int32_t k = 0; k < 9; k++) {
                sum += B[6 * (k / 3) + r] * D[k] * B[6 * (k % 3) + s];
            }
            A[size * row + column] += h * h * area * sum;
            A[size * row + column] += r == s ? material->density * area / 3.0 : 0.0;
        }
    }
}

// The whole M^: blocks along the diagonal.
static cn_status condensed_mass(const cn_model *model, double h, cn_csr *M) {
    double *A = ALLOCATE(double, 4 * CONDENSED_NODES * CONDENSED_NODES);
    int64_t at = 0, room = 0;
    cn_mesh_info mesh;
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        room +=
            cn_model_mesh(model, id, &mesh) ? 4 * (int64_t)mesh.node_count * mesh.node_count : 0;
    }
    M->rows = M->cols = 2 * cn_model_node_count(model);
    M->start = ALLOCATE(int64_t, M->rows + 1);
    M->column = ALLOCATE(int32_t, room);
    M->value = ALLOCATE(double, room);
    cn_status status = CN_OK;
    for (cn_body_id id = 1; status == CN_OK && id <= cn_model_body_count(model); id++) {
        cn_body_info info;
        cn_material_def material;
        if (!cn_model_mesh(model, id, &mesh)) {
            continue;
        }
        cn_model_body(model, id, &info);
        cn_model_material(model, info.material_index, &material);
        if (mesh.per_element != 3 || mesh.node_count > CONDENSED_NODES) {
            status = CN_ERR_UNSUPPORTED;
            break;
        }
        condensed_body(&mesh, &material, h, A);
        for (int32_t i = 0; i < 2 * mesh.node_count; i++) {
            M->start[2 * mesh.first_node + i] = at;
            for (int32_t j = 0; j < 2 * mesh.node_count; j++) {
                M->column[at] = 2 * mesh.first_node + j;
                M->value[at++] = A[2 * mesh.node_count * i + j];
            }
        }
    }
    M->start[M->rows] = at;
    free(A);
    return status;
}

// H by rows: of each degree of freedom the contacts that it moves, normal and tangent.
static void condensed_rows(const cn_model *model, const cn_contact_record *contacts,
                           const cn_run_side *sides, cn_csr *H) {
    int32_t nodes = cn_model_node_count(model);
    int64_t parts = sides->start[sides->contacts];
    H->rows = 2 * nodes;
    H->cols = 2 * sides->contacts;
    H->start = ALLOCATE(int64_t, H->rows + 1);
    H->column = ALLOCATE(int32_t, 4 * parts);
    H->value = ALLOCATE(double, 4 * parts);
    memset(H->start, 0, sizeof *H->start * ((size_t)H->rows + 1));
    for (int32_t pass = 0; pass < 2; pass++) { // counted, then filled
        for (int32_t c = 0; c < sides->contacts; c++) {
            for (int64_t k = sides->start[c]; k < sides->start[c + 1]; k++) {
                cn_mesh_info mesh;
                const double *n = contacts[c].normal;
                const double axes[4] = {n[0], -n[1], n[1], n[0]}; // x: n t, y: n t
                if (sides->node[k] < 0 || !cn_model_mesh(model, sides->body[k], &mesh)) {
                    continue;
                }
                for (int32_t i = 0; i < 2; i++) {
                    int64_t row = 2 * ((int64_t)mesh.first_node + sides->node[k]) + i;
                    for (int32_t j = 0; pass == 1 && j < 2; j++) {
                        H->column[H->start[row]] = 2 * c + j;
                        H->value[H->start[row]++] = sides->weight[k] * axes[2 * i + j];
                    }
                    H->start[row + 1] += pass == 0 ? 2 : 0;
                }
            }
        }
        for (int32_t row = 0; pass == 0 && row < H->rows; row++) {
            H->start[row + 1] += H->start[row];
        }
    }
    memmove(H->start + 1, H->start, sizeof *H->start * (size_t)H->rows);
    H->start[0] = 0;
}

static void csr_free(cn_csr *A) {
    free(A->start);
    free(A->column);
    free(A->value);
}

// The largest difference of the diagonals over the entry.
static double condensed_difference(const cn_friction *a, const cn_friction *b) {
    double worst = a->contacts == b->contacts ? 0.0 : HUGE_VAL;
    for (int64_t i = 0; a->contacts == b->contacts && i < 4 * (int64_t)a->contacts;
         i += i % 4 ? 1 : 3) {
        worst = fmax(worst, fabs(a->W.diagonal[i] - b->W.diagonal[i]) / b->W.diagonal[i]);
    }
    return worst;
}

static cn_status condensed_of(cn_sim *sim, const char *path, condensation *out, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_recorder *recorder = NULL;
    cn_run *run = NULL;
    cn_contact_record *contacts = NULL;
    cn_run_side sides;
    int32_t count = 0;
    const cn_model *model = cn_sim_model(sim);
    double h = cn_sim_time(sim) / (double)cn_sim_step_index(sim);
    cn_friction made;
    const double *r, *u;
    const cn_friction *own = cn_sim_problem(sim, &r, &u);
    cn_status status = memory && own ? CN_OK : error_memory(error);
    status = status == CN_OK ? cn_recorder_create(NULL, path, true, sim, &recorder, error) : status;
    status = status == CN_OK ? cn_recorder_frame(recorder, sim, error) : status;
    cn_status closed = recorder ? cn_recorder_close(recorder, error) : CN_OK;
    status = status == CN_OK ? closed : status;
    status = status == CN_OK ? cn_run_open(NULL, path, &run, error) : status;
    int64_t last = run ? cn_run_frame_count(run) - 1 : 0;
    status =
        status == CN_OK ? cn_run_contacts(run, last, memory, &contacts, &count, error) : status;
    status = status == CN_OK ? cn_run_sides(run, last, memory, &sides, error) : status;
    cn_friction_global g = {.dim = 2, .contacts = count, .dofs = 2 * cn_model_node_count(model)};
    g.f = ALLOCATE(double, g.dofs);
    g.w = ALLOCATE(double, 2 * (int64_t)count);
    g.mu = ALLOCATE(double, count);
    memset(g.f, 0, sizeof *g.f * (size_t)g.dofs);
    memset(g.w, 0, sizeof *g.w * 2 * (size_t)count);
    memset(g.mu, 0, sizeof *g.mu * (size_t)count);
    status = status == CN_OK ? condensed_mass(model, h, &g.M) : status;
    if (status == CN_OK) {
        condensed_rows(model, contacts, &sides, &g.H);
        double begin = cpu_clock();
        status = cn_friction_condense(&g, memory, &made, error);
        out->time = cpu_clock() - begin;
    }
    out->difference = status == CN_OK ? condensed_difference(&made, own) : (double)NAN;
    free(g.f);
    free(g.w);
    free(g.mu);
    csr_free(&g.M);
    csr_free(&g.H);
    cn_run_close(run);
    cn_arena_destroy(memory);
    return status;
}

cn_status condensation_of(cn_sim *sim, condensation *out, cn_error *error) {
    char *folder = temporary_folder();
    if (!folder) {
        return error_memory(error);
    }
    char *path = format_text("%s/step.run", folder);
    cn_status status = condensed_of(sim, path, out, error);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    return status;
}
