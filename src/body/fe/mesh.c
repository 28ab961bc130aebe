// body/fe/mesh.c
// Checks of a mesh, its surface and its groups.
//
// A face of the surface is one that a single element has. Faces are compared within the list of
// those with the same lowest node: linear time as long as few elements share a node.
#include "body/fe/mesh.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A Jacobian below this share of the longest edge to the power dim is taken for zero: the element
// is flat but for rounding.
#define FE_FLAT 1e-9

cn_status fe_mesh_reserve(cn_arena *memory, const fe_element *element, int64_t nodes,
                          int64_t elements, fe_mesh *out, cn_error *error) {
    // Degrees of freedom and the element lists are indexed with 32 bits.
    if (nodes > INT32_MAX / element->dim || elements > INT32_MAX / element->nodes) {
        return base_fail(error, CN_ERR_INPUT, "a mesh of %lld nodes and %lld elements is too large",
                         (long long)nodes, (long long)elements);
    }
    *out = (fe_mesh){.element = element, .dim = element->dim};
    out->nodes = (int32_t)nodes;
    out->elements = (int32_t)elements;
    out->node = BASE_TAKE(memory, double, nodes * element->dim);
    out->corner = BASE_TAKE(memory, int32_t, elements * element->nodes);
    return out->node && out->corner ? CN_OK : base_fail_memory(error);
}

void fe_mesh_gather(const fe_mesh *mesh, int32_t element, const double *nodal, double *out) {
    int32_t count = mesh->element->nodes, dim = mesh->dim;
    const int32_t *corner = mesh->corner + (int64_t)count * element;
    for (int32_t a = 0; a < count; a++) {
        for (int32_t i = 0; i < dim; i++) {
            out[dim * a + i] = nodal[(int64_t)dim * corner[a] + i];
        }
    }
}

double fe_mesh_volume(const fe_mesh *mesh) {
    double volume = 0.0;
    for (int32_t e = 0; e < mesh->elements; e++) {
        double X[FE_DOFS_MAX];
        fe_mesh_gather(mesh, e, mesh->node, X);
        volume += fe_volume(mesh->element, X);
    }
    return volume;
}

static cn_status check_elements(const fe_mesh *mesh, cn_error *error) {
    int32_t count = mesh->element->nodes;
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int32_t *corner = mesh->corner + (int64_t)count * e;
        for (int32_t a = 0; a < count; a++) {
            if (corner[a] < 0 || corner[a] >= mesh->nodes) {
                return base_fail(error, CN_ERR_INPUT, "element %d has node %d; there are %d nodes",
                                 e, corner[a], mesh->nodes);
            }
            for (int32_t b = 0; b < a; b++) {
                if (corner[a] == corner[b]) {
                    return base_fail(error, CN_ERR_INPUT, "element %d has node %d twice", e,
                                     corner[a]);
                }
            }
        }
    }
    return CN_OK;
}

static cn_status check_nodes(cn_arena *scratch, const fe_mesh *mesh, cn_error *error) {
    uint8_t *used = BASE_TAKE_ZERO(scratch, uint8_t, mesh->nodes);
    if (!used) {
        return base_fail_memory(error);
    }
    for (int64_t k = 0; k < (int64_t)mesh->elements * mesh->element->nodes; k++) {
        used[mesh->corner[k]] = 1;
    }
    for (int32_t n = 0; n < mesh->nodes; n++) {
        for (int32_t i = 0; i < mesh->dim; i++) {
            if (!isfinite(mesh->node[(int64_t)mesh->dim * n + i])) {
                return base_fail(error, CN_ERR_INPUT, "node %d has a coordinate that is not finite",
                                 n);
            }
        }
        if (!used[n]) {
            base_fail(error, CN_ERR_INPUT, "node %d is isolated: no element uses it", n);
            base_fail_hint(error, "remove it from the mesh");
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

// The longest distance between two nodes of an element to the power dim.
static double extent_power(const fe_mesh *mesh, const double *X) {
    double longest = 0.0;
    for (int32_t a = 0; a < mesh->element->nodes; a++) {
        for (int32_t b = 0; b < a; b++) {
            double square = 0.0;
            for (int32_t i = 0; i < mesh->dim; i++) {
                double d = X[mesh->dim * a + i] - X[mesh->dim * b + i];
                square += d * d;
            }
            longest = fmax(longest, square);
        }
    }
    return mesh->dim == 2 ? longest : longest * sqrt(longest);
}

cn_status fe_mesh_check_shape(const fe_mesh *mesh, cn_error *error) {
    const fe_element *kind = mesh->element;
    for (int32_t e = 0; e < mesh->elements; e++) {
        double X[FE_DOFS_MAX], J[9], lowest = INFINITY;
        fe_mesh_gather(mesh, e, mesh->node, X);
        for (int32_t a = 0; a < kind->nodes; a++) {
            lowest = fmin(lowest, fe_jacobian(kind, X, kind->corner[a], J));
        }
        for (int32_t p = 0; p < kind->rule.points; p++) {
            lowest = fmin(lowest, fe_jacobian(kind, X, kind->rule.point[p], J));
        }
        if (!(lowest > FE_FLAT * extent_power(mesh, X))) {
            base_fail(error, CN_ERR_INPUT, "element %d is inverted or flat (smallest Jacobian %g)",
                      e, lowest);
            base_fail_hint(error,
                           mesh->dim == 2
                               ? "list its nodes counter-clockwise, without a re-entrant angle"
                               : "list the nodes of its first face counter-clockwise seen "
                                 "from inside");
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

// ---- the surface ----

// All faces of all elements: face f of element e is entry faces * e + f.
typedef struct face_lists {
    int64_t *first; // by lowest node, the first entry; -1: none
    int64_t *next;  // per entry
    int8_t *shared; // per entry: by how many other elements
} face_lists;

static void face_of(const fe_mesh *mesh, int64_t entry, int32_t *node) {
    const fe_element *kind = mesh->element;
    const int32_t *corner = mesh->corner + (int64_t)kind->nodes * (entry / kind->faces);
    const int8_t *local = kind->face[entry % kind->faces];
    for (int32_t i = 0; i < kind->face_nodes; i++) {
        node[i] = corner[local[i]];
    }
}

// The nodes of a face in ascending order.
static void face_key(const fe_mesh *mesh, int64_t entry, int32_t *key) {
    face_of(mesh, entry, key);
    for (int32_t i = 1; i < mesh->element->face_nodes; i++) {
        int32_t node = key[i], j = i;
        for (; j > 0 && key[j - 1] > node; j--) {
            key[j] = key[j - 1];
        }
        key[j] = node;
    }
}

// Whether two faces of the same nodes are seen from the same side. Neighbours see their face from
// opposite ones.
static bool faces_agree(const fe_mesh *mesh, int64_t entry, int64_t other) {
    int32_t count = mesh->element->face_nodes, at = 0;
    int32_t a[FE_FACE_NODES_MAX] = {0}, b[FE_FACE_NODES_MAX] = {0};
    face_of(mesh, entry, a);
    face_of(mesh, other, b);
    while (at < count - 1 && b[at] != a[0]) {
        at++;
    }
    return count == 2 ? at == 0 : b[(at + 1) % count] == a[1];
}

static cn_status share_faces(cn_arena *scratch, const fe_mesh *mesh, face_lists *out,
                             cn_error *error) {
    int64_t entries = (int64_t)mesh->elements * mesh->element->faces;
    size_t key_size = sizeof(int32_t) * (size_t)mesh->element->face_nodes;
    out->first = BASE_TAKE(scratch, int64_t, mesh->nodes);
    out->next = BASE_TAKE(scratch, int64_t, entries);
    out->shared = BASE_TAKE_ZERO(scratch, int8_t, entries);
    if (!out->first || !out->next || !out->shared) {
        return base_fail_memory(error);
    }
    memset(out->first, 0xff, sizeof *out->first * (size_t)mesh->nodes);
    for (int64_t entry = 0; entry < entries; entry++) {
        int32_t key[FE_FACE_NODES_MAX], other[FE_FACE_NODES_MAX];
        face_key(mesh, entry, key);
        for (int64_t k = out->first[key[0]]; k >= 0; k = out->next[k]) {
            face_key(mesh, k, other);
            if (memcmp(key, other, key_size) != 0) {
                continue;
            }
            int32_t element = (int32_t)(entry / mesh->element->faces);
            if (out->shared[k]) {
                return base_fail(error, CN_ERR_INPUT,
                                 "element %d has a face that two other elements have", element);
            }
            if (faces_agree(mesh, entry, k)) {
                return base_fail(error, CN_ERR_INPUT,
                                 "element %d overlaps element %d, with which it shares a face",
                                 element, (int32_t)(k / mesh->element->faces));
            }
            out->shared[k] = out->shared[entry] = 1;
            break;
        }
        if (!out->shared[entry]) {
            out->next[entry] = out->first[key[0]];
            out->first[key[0]] = entry;
        }
    }
    return CN_OK;
}

static cn_status list_surface(cn_arena *memory, cn_arena *scratch, const face_lists *lists,
                              fe_mesh *mesh, cn_error *error) {
    int64_t entries = (int64_t)mesh->elements * mesh->element->faces, count = 0;
    int32_t per_face = mesh->element->face_nodes;
    for (int64_t entry = 0; entry < entries; entry++) {
        count += !lists->shared[entry];
    }
    if (count > INT32_MAX / per_face) {
        return base_fail(error, CN_ERR_INPUT, "a surface of %lld faces is too large",
                         (long long)count);
    }
    mesh->face = BASE_TAKE(memory, int32_t, count * per_face);
    mesh->owner = BASE_TAKE(memory, int32_t, count);
    mesh->side = BASE_TAKE(memory, int8_t, count);
    uint8_t *outside = BASE_TAKE_ZERO(scratch, uint8_t, mesh->nodes);
    if (!mesh->face || !mesh->owner || !mesh->side || !outside) {
        return base_fail_memory(error);
    }
    mesh->faces = 0;
    for (int64_t entry = 0; entry < entries; entry++) {
        if (lists->shared[entry]) {
            continue;
        }
        int32_t *node = mesh->face + (int64_t)per_face * mesh->faces;
        face_of(mesh, entry, node);
        mesh->side[mesh->faces] = (int8_t)(entry % mesh->element->faces);
        mesh->owner[mesh->faces++] = (int32_t)(entry / mesh->element->faces);
        for (int32_t i = 0; i < per_face; i++) {
            outside[node[i]] = 1;
        }
    }
    mesh->surface_nodes = 0;
    for (int32_t n = 0; n < mesh->nodes; n++) {
        mesh->surface_nodes += outside[n];
    }
    mesh->surface_node = BASE_TAKE(memory, int32_t, mesh->surface_nodes);
    if (!mesh->surface_node) {
        return base_fail_memory(error);
    }
    for (int32_t n = 0, filled = 0; n < mesh->nodes; n++) {
        if (outside[n]) {
            mesh->surface_node[filled++] = n;
        }
    }
    return CN_OK;
}

cn_status fe_mesh_build(cn_arena *memory, int32_t dim, const fe_element *element, int32_t nodes,
                        double *node, int32_t elements, int32_t *corner, fe_mesh *out,
                        cn_error *error) {
    *out = (fe_mesh){.element = element, .dim = dim, .nodes = nodes, .elements = elements};
    out->node = node;
    out->corner = corner;
    if (element->dim != dim) {
        return base_fail(error, CN_ERR_INPUT, "the element '%s' is %dD, the scene %dD",
                         element->name, element->dim, dim);
    }
    if (nodes < 1 || elements < 1) {
        return base_fail(error, CN_ERR_INPUT, "the mesh has no elements");
    }
    cn_arena *scratch = cn_arena_create(cn_arena_env(memory));
    face_lists lists;
    cn_status status = scratch ? check_elements(out, error) : base_fail_memory(error);
    status = status == CN_OK ? check_nodes(scratch, out, error) : status;
    status = status == CN_OK ? fe_mesh_check_shape(out, error) : status;
    status = status == CN_OK ? share_faces(scratch, out, &lists, error) : status;
    status = status == CN_OK ? list_surface(memory, scratch, &lists, out, error) : status;
    cn_arena_destroy(scratch);
    return status;
}

// ---- groups ----

static bool face_is_chosen(const fe_mesh *mesh, int32_t face, const uint8_t *chosen) {
    int32_t per_face = mesh->element->face_nodes;
    for (int32_t i = 0; i < per_face; i++) {
        if (!chosen[mesh->face[(int64_t)per_face * face + i]]) {
            return false;
        }
    }
    return true;
}

cn_status fe_mesh_add_group(cn_arena *memory, fe_mesh *mesh, const char *name,
                            const uint8_t *chosen, cn_error *error) {
    fe_group **end = &mesh->group;
    for (; *end; end = &(*end)->next) {
        if (strcmp((*end)->name, name) == 0) {
            return base_fail(error, CN_ERR_INPUT, "duplicate group '%s'", name);
        }
    }
    fe_group *group = BASE_TAKE_ZERO(memory, fe_group, 1);
    int32_t *node = BASE_TAKE(memory, int32_t, mesh->nodes);
    int32_t *face = BASE_TAKE(memory, int32_t, mesh->faces);
    if (!group || !node || !face) {
        return base_fail_memory(error);
    }
    *group = (fe_group){.name = name, .node = node, .face = face};
    for (int32_t n = 0; n < mesh->nodes; n++) {
        if (chosen[n]) {
            node[group->nodes++] = n;
        }
    }
    for (int32_t f = 0; f < mesh->faces; f++) {
        if (face_is_chosen(mesh, f, chosen)) {
            face[group->faces++] = f;
        }
    }
    if (group->nodes == 0) {
        return base_fail(error, CN_ERR_INPUT, "the group '%s' has no nodes", name);
    }
    *end = group;
    return CN_OK;
}

cn_status fe_mesh_find_group(const fe_mesh *mesh, const char *name, const fe_group **out,
                             cn_error *error) {
    char list[200] = "";
    size_t used = 0;
    for (const fe_group *group = mesh->group; group; group = group->next) {
        if (strcmp(group->name, name) == 0) {
            *out = group;
            return CN_OK;
        }
        if (used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     group->name);
        }
    }
    *out = NULL;
    base_fail(error, CN_ERR_INPUT, "the mesh has no group '%s'", name);
    base_fail_hint(error, "known groups: %s", list[0] ? list : "none");
    return CN_ERR_INPUT;
}
