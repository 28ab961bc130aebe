// tests/fe_bodies.h
// Meshes and bodies for tests of finite elements.
#ifndef CAIRN_TESTS_FE_BODIES_H
#define CAIRN_TESTS_FE_BODIES_H

#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "body/fe/body.h"

#include <string.h>

static inline fe_mesh make_box(cn_arena *memory, const char *element, double x, double y, double z,
                               int nx, int ny, int nz, fe_pattern pattern) {
    fe_box box = {.element = fe_element_find(element),
                  .size = {x, y, z},
                  .cells = {nx, ny, nz},
                  .pattern = pattern};
    fe_mesh mesh = {0};
    cn_error error;
    if (fe_mesh_box(memory, &box, &mesh, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return mesh;
}

// 1 for nodes of the surface.
static inline uint8_t *surface_flags(cn_arena *memory, const fe_mesh *mesh) {
    uint8_t *flag = BASE_TAKE_ZERO(memory, uint8_t, mesh->nodes);
    for (int32_t k = 0; k < mesh->surface_nodes; k++) {
        flag[mesh->surface_node[k]] = 1;
    }
    return flag;
}

// Moves the nodes inside by up to share of the spacing in each direction.
static inline void distort(cn_arena *memory, fe_mesh *mesh, const double *spacing, double share) {
    uint8_t *outside = surface_flags(memory, mesh);
    base_rng rng = base_rng_seed(3);
    for (int32_t n = 0; n < mesh->nodes; n++) {
        for (int32_t i = 0; i < mesh->dim; i++) {
            double move = share * spacing[i] * base_rng_uniform(&rng, -1.0, 1.0);
            mesh->node[mesh->dim * n + i] += outside[n] ? 0.0 : move;
        }
    }
    assert_int_equal(fe_mesh_check_shape(mesh, NULL), CN_OK);
}

static inline const fe_group *group_of(const fe_mesh *mesh, const char *name) {
    const fe_group *group;
    assert_int_equal(fe_mesh_find_group(mesh, name, &group, NULL), CN_OK);
    return group;
}

// The static answer u (zeroed by the caller) by one quasi-static step so long that the mass is
// below round-off beside h^2 K. held: NULL, or per dof; prescribed: NULL (zero), or displacements
// of the held dofs.
static inline void solve_static(cn_arena *memory, const fe_mesh *mesh, fe_material material,
                                fe_plane plane, const uint8_t *held, const double *prescribed,
                                const double *load, double *u) {
    const double h = 1e12;
    fe_types *types = fe_types_create(NULL);
    fe_type_key key = {
        .mesh = mesh, .material = material, .plane = plane, .h = h, .theta = 1.0, .held = held};
    fe_type *type;
    fe_body body;
    cn_error error = {0};
    if (fe_types_get(types, &key, &type, &error) != CN_OK ||
        fe_body_create(memory, type, true, &body, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    for (int32_t i = 0; i < type->ops.dofs; i++) {
        body.load[i] = load ? load[i] : 0.0;
        body.held_velocity[i] = prescribed ? prescribed[i] / h : 0.0;
    }
    assert_int_equal(fe_body_free_velocity(&body), CN_OK);
    assert_int_equal(fe_body_integrate(&body), CN_OK);
    memcpy(u, body.u, sizeof *u * (size_t)type->ops.dofs);
    fe_types_destroy(types);
}

static inline double largest(int32_t n, const double *x) {
    double max = 0.0;
    for (int32_t i = 0; i < n; i++) {
        max = isnan(max) || fabs(x[i]) <= max ? max : fabs(x[i]);
    }
    return max;
}

#endif
