// body/fe/mesh_extrude.c
// Prisms: a plane mesh of quadrilaterals, repeated along z.
#include "body/fe/mesh.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static cn_status check_extrude(const fe_extrude *e, cn_error *error) {
    if (e->profile->element->nodes != 4 || e->element->dim != 3 || e->element->nodes != 8) {
        base_fail(error, CN_ERR_INPUT, "'%s' cannot be extruded to '%s'", e->profile->element->name,
                  e->element->name);
        base_fail_hint(error, "a profile of q4 gives h8");
        return CN_ERR_INPUT;
    }
    if (!(e->length > 0.0 && isfinite(e->length))) {
        return base_fail(error, CN_ERR_INPUT, "the length %g is not positive", e->length);
    }
    return e->layers > 0
               ? CN_OK
               : base_fail(error, CN_ERR_INPUT, "%d layers of cells: at least 1", (int)e->layers);
}

// The groups of the profile along the whole length, and the two ends.
static cn_status add_groups(cn_arena *memory, const fe_extrude *e, fe_mesh *out, cn_error *error) {
    int32_t flat = e->profile->nodes;
    uint8_t *chosen = BASE_TAKE(memory, uint8_t, out->nodes);
    if (!chosen) {
        return base_fail_memory(error);
    }
    for (const fe_group *group = e->profile->group; group; group = group->next) {
        memset(chosen, 0, (size_t)out->nodes);
        for (int32_t k = 0; k < group->nodes * (e->layers + 1); k++) {
            chosen[group->node[k % group->nodes] + flat * (k / group->nodes)] = 1;
        }
        CN_TRY(fe_mesh_add_group(memory, out, group->name, chosen, error));
    }
    static const char *const end[2] = {"below", "above"};
    for (int k = 0; k < 2; k++) {
        memset(chosen, 0, (size_t)out->nodes);
        memset(chosen + (k == 0 ? 0 : (size_t)flat * (size_t)e->layers), 1, (size_t)flat);
        CN_TRY(fe_mesh_add_group(memory, out, end[k], chosen, error));
    }
    return CN_OK;
}

cn_status fe_mesh_extrude(cn_arena *memory, const fe_extrude *e, fe_mesh *out, cn_error *error) {
    CN_TRY(check_extrude(e, error));
    int32_t flat = e->profile->nodes;
    fe_mesh mesh;
    CN_TRY(fe_mesh_reserve(memory, e->element, (int64_t)flat * ((int64_t)e->layers + 1),
                           (int64_t)e->profile->elements * e->layers, &mesh, error));
    for (int32_t n = 0; n < mesh.nodes; n++) {
        mesh.node[3 * (int64_t)n] = e->profile->node[2 * (n % flat)];
        mesh.node[3 * (int64_t)n + 1] = e->profile->node[2 * (n % flat) + 1];
        mesh.node[3 * (int64_t)n + 2] = e->length * ((double)(n / flat) / e->layers - 0.5);
    }
    int32_t *corner = mesh.corner;
    for (int32_t layer = 0; layer < e->layers; layer++) {
        for (int32_t k = 0; k < e->profile->elements; k++) {
            for (int32_t i = 0; i < 8; i++) {
                *corner++ = e->profile->corner[4 * (int64_t)k + i % 4] + flat * (layer + i / 4);
            }
        }
    }
    CN_TRY(fe_mesh_build(memory, 3, e->element, mesh.nodes, mesh.node, mesh.elements, mesh.corner,
                         out, error));
    return add_groups(memory, e, out, error);
}
