// body/fe/operators.c
// The sparse matrices of a mesh. The pattern is found first, from node to element to node, so that
// assembly adds into place and needs no more memory than the result.
#include "body/fe/operators.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"
#include "sparse/csr.h"

#include <string.h>

// The elements of each node: element[k], k in [start[n], start[n+1]).
typedef struct node_elements {
    int64_t *start;
    int32_t *element;
} node_elements;

static cn_status list_elements(cn_arena *scratch, const fe_mesh *mesh, node_elements *out) {
    int32_t per = mesh->element->nodes;
    int64_t entries = (int64_t)per * mesh->elements;
    out->start = BASE_TAKE_ZERO(scratch, int64_t, (int64_t)mesh->nodes + 2);
    out->element = BASE_TAKE(scratch, int32_t, entries);
    if (!out->start || !out->element) {
        return CN_ERR_MEMORY;
    }
    // Counted two places ahead, so that after the filling start[n] is where node n begins.
    for (int64_t k = 0; k < entries; k++) {
        out->start[mesh->corner[k] + 2]++;
    }
    for (int32_t n = 0; n < mesh->nodes; n++) {
        out->start[n + 2] += out->start[n + 1];
    }
    for (int64_t k = 0; k < entries; k++) {
        out->element[out->start[mesh->corner[k] + 1]++] = (int32_t)(k / per);
    }
    return CN_OK;
}

// The nodes that share an element with node n, itself included, ascending. seen[m] is n + 1 for
// those already listed.
static int32_t neighbours(const fe_mesh *mesh, const node_elements *list, int32_t n, int32_t *seen,
                          int32_t *out) {
    int32_t per = mesh->element->nodes, count = 0;
    for (int64_t k = list->start[n]; k < list->start[n + 1]; k++) {
        const int32_t *corner = mesh->corner + (int64_t)per * list->element[k];
        for (int32_t a = 0; a < per; a++) {
            int32_t node = corner[a], place = count;
            if (seen[node] == n + 1) {
                continue;
            }
            seen[node] = n + 1;
            for (; place > 0 && out[place - 1] > node; place--) {
                out[place] = out[place - 1];
            }
            out[place] = node;
            count++;
        }
    }
    return count;
}

// The pattern of K with zeros as values.
static cn_status find_pattern(cn_arena *memory, cn_arena *scratch, const fe_mesh *mesh,
                              cn_csr *out) {
    int32_t dim = mesh->dim, dofs = dim * mesh->nodes;
    node_elements list;
    cn_status status = list_elements(scratch, mesh, &list);
    int32_t *seen = BASE_TAKE_ZERO(scratch, int32_t, mesh->nodes);
    int32_t *near = BASE_TAKE(scratch, int32_t, mesh->nodes);
    *out = (cn_csr){.rows = dofs, .cols = dofs};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)dofs + 1);
    if (status != CN_OK || !seen || !near || !out->start) {
        return CN_ERR_MEMORY;
    }
    for (int32_t n = 0; n < mesh->nodes; n++) {
        int64_t count = (int64_t)dim * neighbours(mesh, &list, n, seen, near);
        for (int32_t i = 0; i < dim; i++) {
            out->start[dim * n + i + 1] = out->start[dim * n + i] + count;
        }
    }
    out->column = BASE_TAKE(memory, int32_t, out->start[dofs]);
    out->value = BASE_TAKE_ZERO(memory, double, out->start[dofs]);
    if (!out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    memset(seen, 0, sizeof *seen * (size_t)mesh->nodes);
    for (int32_t n = 0; n < mesh->nodes; n++) {
        int32_t count = neighbours(mesh, &list, n, seen, near);
        for (int32_t i = 0; i < dim; i++) {
            int32_t *column = out->column + out->start[dim * n + i];
            for (int32_t k = 0; k < dim * count; k++) {
                column[k] = dim * near[k / dim] + k % dim;
            }
        }
    }
    return CN_OK;
}

// The place of column j in row i, which has it.
static int64_t find_entry(const cn_csr *A, int32_t i, int32_t j) {
    int64_t low = A->start[i], high = A->start[i + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (A->column[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_stiffness(const fe_mesh *mesh, int32_t e, const double *k, cn_csr *K) {
    int32_t per = mesh->element->nodes, dim = mesh->dim, dofs = dim * per;
    const int32_t *corner = mesh->corner + (int64_t)per * e;
    for (int32_t a = 0; a < per; a++) {
        for (int32_t b = 0; b < per; b++) {
            for (int32_t i = 0; i < dim; i++) {
                int64_t at = find_entry(K, dim * corner[a] + i, dim * corner[b]);
                for (int32_t j = 0; j < dim; j++) {
                    K->value[at + j] += k[dofs * (dim * a + i) + dim * b + j];
                }
            }
        }
    }
}

static void add_consistent_mass(const fe_mesh *mesh, int32_t e, const double *m, cn_csr *M) {
    int32_t per = mesh->element->nodes, dim = mesh->dim;
    const int32_t *corner = mesh->corner + (int64_t)per * e;
    for (int32_t a = 0; a < per; a++) {
        for (int32_t b = 0; b < per; b++) {
            for (int32_t i = 0; i < dim; i++) {
                int64_t at = find_entry(M, dim * corner[a] + i, dim * corner[b] + i);
                M->value[at] += m[per * a + b];
            }
        }
    }
}

static void add_lumped_mass(const fe_mesh *mesh, int32_t e, const double *m, cn_csr *M) {
    int32_t per = mesh->element->nodes, dim = mesh->dim;
    const int32_t *corner = mesh->corner + (int64_t)per * e;
    double lumped[FE_NODES_MAX];
    mesh->element->lump(per, m, lumped);
    for (int32_t a = 0; a < per; a++) {
        for (int32_t i = 0; i < dim; i++) {
            M->value[dim * corner[a] + i] += lumped[a];
        }
    }
}

static cn_status make_diagonal(cn_arena *memory, int32_t dofs, cn_csr *out) {
    *out = (cn_csr){.rows = dofs, .cols = dofs};
    out->start = BASE_TAKE(memory, int64_t, (int64_t)dofs + 1);
    out->column = BASE_TAKE(memory, int32_t, dofs);
    out->value = BASE_TAKE_ZERO(memory, double, dofs);
    if (!out->start || !out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i <= dofs; i++) {
        out->start[i] = i;
    }
    for (int32_t i = 0; i < dofs; i++) {
        out->column[i] = i;
    }
    return CN_OK;
}

static cn_status make_damping(cn_arena *memory, const fe_material *material, fe_operators *ops) {
    double a = material->damping_mass, b = material->damping_stiffness;
    if (a > 0.0 || b > 0.0) {
        return fe_csr_combine(memory, a, &ops->M, b, &ops->K, &ops->V);
    }
    ops->V = (cn_csr){.rows = ops->dofs, .cols = ops->dofs};
    ops->V.start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)ops->dofs + 1);
    return ops->V.start ? CN_OK : CN_ERR_MEMORY;
}

cn_status fe_operators_assemble(cn_arena *memory, const fe_mesh *mesh, const fe_material *material,
                                fe_plane plane, fe_mass mass, fe_operators *out, cn_error *error) {
    const fe_element *kind = mesh->element;
    fe_elastic law = fe_elastic_of(material, mesh->dim, plane);
    *out = (fe_operators){.dofs = mesh->dim * mesh->nodes};
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    cn_status status = scratch ? find_pattern(memory, scratch, mesh, &out->K) : CN_ERR_MEMORY;
    cn_arena_destroy(scratch);
    if (status == CN_OK && mass == FE_MASS_LUMPED) {
        status = make_diagonal(memory, out->dofs, &out->M);
    } else if (status == CN_OK) {
        out->M = out->K;
        out->M.value = BASE_TAKE_ZERO(memory, double, out->K.start[out->dofs]);
        status = out->M.value ? CN_OK : CN_ERR_MEMORY;
    }
    for (int32_t e = 0; status == CN_OK && e < mesh->elements; e++) {
        double X[FE_DOFS_MAX], k[FE_DOFS_MAX * FE_DOFS_MAX], m[FE_NODES_MAX * FE_NODES_MAX];
        fe_mesh_gather(mesh, e, mesh->node, X);
        kind->stiffness(kind, &law, X, k);
        kind->mass(kind, material->density, X, m);
        add_stiffness(mesh, e, k, &out->K);
        if (mass == FE_MASS_LUMPED) {
            add_lumped_mass(mesh, e, m, &out->M);
        } else {
            add_consistent_mass(mesh, e, m, &out->M);
        }
    }
    status = status == CN_OK ? make_damping(memory, material, out) : status;
    return status == CN_OK ? CN_OK : base_fail_memory(error);
}

// One row of a A + b B; returns the number of its entries. column and value may be NULL.
static int64_t combine_row(double a, const cn_csr *A, double b, const cn_csr *B, int32_t i,
                           int32_t *column, double *value) {
    int64_t k = A->start[i], l = B->start[i], count = 0;
    int64_t k_end = a == 0.0 ? k : A->start[i + 1], l_end = b == 0.0 ? l : B->start[i + 1];
    for (; k < k_end || l < l_end; count++) {
        bool from_A = k < k_end && (l == l_end || A->column[k] <= B->column[l]);
        bool from_B = l < l_end && (k == k_end || B->column[l] <= A->column[k]);
        if (column) {
            column[count] = from_A ? A->column[k] : B->column[l];
            value[count] = (from_A ? a * A->value[k] : 0.0) + (from_B ? b * B->value[l] : 0.0);
        }
        k += from_A;
        l += from_B;
    }
    return count;
}

cn_status fe_csr_combine(cn_arena *memory, double a, const cn_csr *A, double b, const cn_csr *B,
                         cn_csr *out) {
    *out = (cn_csr){.rows = A->rows, .cols = A->cols};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)A->rows + 1);
    for (int32_t i = 0; out->start && i < A->rows; i++) {
        out->start[i + 1] = out->start[i] + combine_row(a, A, b, B, i, NULL, NULL);
    }
    out->column = out->start ? BASE_TAKE(memory, int32_t, out->start[A->rows]) : NULL;
    out->value = out->start ? BASE_TAKE(memory, double, out->start[A->rows]) : NULL;
    if (!out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < A->rows; i++) {
        combine_row(a, A, b, B, i, out->column + out->start[i], out->value + out->start[i]);
    }
    return CN_OK;
}

cn_status fe_csr_restrict(cn_arena *memory, const cn_csr *A, int32_t count, const int32_t *place,
                          cn_csr *out) {
    *out = (cn_csr){.rows = count, .cols = count};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)count + 1);
    out->column = BASE_TAKE(memory, int32_t, A->start[A->rows]);
    out->value = BASE_TAKE(memory, double, A->start[A->rows]);
    if (!out->start || !out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    int64_t filled = 0;
    for (int32_t i = 0; i < A->rows; i++) {
        for (int64_t k = A->start[i]; place[i] >= 0 && k < A->start[i + 1]; k++) {
            if (place[A->column[k]] >= 0) {
                out->column[filled] = place[A->column[k]];
                out->value[filled++] = A->value[k];
            }
        }
        if (place[i] >= 0) {
            out->start[place[i] + 1] = filled;
        }
    }
    return CN_OK;
}

// ---- loads ----

void fe_add_gravity(const fe_mesh *mesh, const fe_operators *ops, const double *gravity,
                    double *load) {
    for (int32_t row = 0; row < ops->dofs; row++) {
        for (int64_t k = ops->M.start[row]; k < ops->M.start[row + 1]; k++) {
            load[row] += ops->M.value[k] * gravity[ops->M.column[k] % mesh->dim];
        }
    }
}

// Points of a face: 2 x 2 Gauss points of a quadrilateral, one of an edge or triangle, where the
// area vector is constant and the mean of each N is 1/nodes.
static int32_t face_points(int32_t face_nodes) {
    return face_nodes == 4 ? 4 : 1;
}

// The values of N at point p of a face, and its area vector there: outward normal times area.
static void evaluate_face(const fe_mesh *mesh, int32_t face, int32_t p, double *N, double *area) {
    static const double gauss = 0.57735026918962576451; // 1/sqrt 3
    static const double corner[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    int32_t per = mesh->element->face_nodes, dim = mesh->dim;
    const int32_t *node = mesh->face + (int64_t)per * face;
    double a[3] = {0.0}, b[3] = {0.0}; // tangents
    for (int32_t i = 0; i < per; i++) {
        const double *x = mesh->node + (int64_t)dim * node[i];
        double da = i == 0 ? -1.0 : (i == 1 ? 1.0 : 0.0), db = i == 0 ? -1.0 : (i == 2 ? 1.0 : 0.0);
        N[i] = 1.0 / per;
        if (per == 4) {
            double s = 1.0 + corner[i][0] * corner[p][0] * gauss;
            double t = 1.0 + corner[i][1] * corner[p][1] * gauss;
            N[i] = 0.25 * s * t;
            da = 0.25 * corner[i][0] * t;
            db = 0.25 * corner[i][1] * s;
        }
        for (int32_t c = 0; c < dim; c++) {
            a[c] += da * x[c];
            b[c] += db * x[c];
        }
    }
    if (dim == 2) {
        area[0] = a[1];
        area[1] = -a[0];
        area[2] = 0.0;
        return;
    }
    math_cross3(a, b, area);
    for (int32_t c = 0; per == 3 && c < 3; c++) {
        area[c] *= 0.5;
    }
}

// Adds the forces of traction - pressure n on the faces of a group; traction may be NULL.
static void add_face_loads(const fe_mesh *mesh, const fe_group *group, const double *traction,
                           double pressure, double *load) {
    int32_t per = mesh->element->face_nodes, dim = mesh->dim;
    for (int32_t f = 0; f < group->faces; f++) {
        const int32_t *node = mesh->face + (int64_t)per * group->face[f];
        for (int32_t p = 0; p < face_points(per); p++) {
            double N[FE_FACE_NODES_MAX], area[3];
            evaluate_face(mesh, group->face[f], p, N, area);
            double size = math_norm3(area);
            const double *share = N;
            if (mesh->element->face_load) {
                share = mesh->element->face_load[mesh->side[group->face[f]]];
            }
            for (int32_t i = 0; i < per; i++) {
                for (int32_t c = 0; c < dim; c++) {
                    double force = (traction ? size * traction[c] : 0.0) - pressure * area[c];
                    load[(int64_t)dim * node[i] + c] += share[i] * force;
                }
            }
        }
    }
}

void fe_add_traction(const fe_mesh *mesh, const fe_group *group, const double *traction,
                     double *load) {
    add_face_loads(mesh, group, traction, 0.0, load);
}

void fe_add_pressure(const fe_mesh *mesh, const fe_group *group, double pressure, double *load) {
    add_face_loads(mesh, group, NULL, pressure, load);
}

void fe_hold(const fe_mesh *mesh, const fe_group *group, uint32_t axes, uint8_t *held) {
    for (int32_t k = 0; k < group->nodes; k++) {
        for (int32_t i = 0; i < mesh->dim; i++) {
            if (axes >> i & 1) {
                held[(int64_t)mesh->dim * group->node[k] + i] = 1;
            }
        }
    }
}

void fe_stresses(const fe_mesh *mesh, const fe_material *material, fe_plane plane, const double *u,
                 double *stress) {
    fe_elastic law = fe_elastic_of(material, mesh->dim, plane);
    for (int32_t e = 0; e < mesh->elements; e++) {
        double X[FE_DOFS_MAX], displacement[FE_DOFS_MAX];
        fe_mesh_gather(mesh, e, mesh->node, X);
        fe_mesh_gather(mesh, e, u, displacement);
        mesh->element->stress(mesh->element, &law, X, displacement, stress + 6 * (int64_t)e);
    }
}
