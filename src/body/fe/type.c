// body/fe/type.c
// The cache of types: a list, searched from its front, where the one used last stands.
#include "body/fe/type.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "sparse/linear.h"

#include <math.h>
#include <string.h>

typedef struct type_entry type_entry;
struct type_entry {
    fe_type type;
    cn_arena *memory; // of all of it
    sparse_linear *factor;
    double *x; // a right-hand side over the free dofs
    int32_t uses;
    type_entry *next;
};

struct fe_types {
    cn_arena *memory;
    type_entry *first;
};

fe_types *fe_types_create(const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    fe_types *types = memory ? BASE_TAKE_ZERO(memory, fe_types, 1) : NULL;
    if (!types) {
        cn_arena_destroy(memory);
        return NULL;
    }
    types->memory = memory;
    return types;
}

static void destroy_entry(type_entry *entry) {
    sparse_linear_destroy(entry->factor);
    cn_arena_destroy(entry->memory);
}

void fe_types_destroy(fe_types *types) {
    if (!types) {
        return;
    }
    while (types->first) {
        type_entry *entry = types->first;
        types->first = entry->next;
        destroy_entry(entry);
    }
    cn_arena_destroy(types->memory);
}

int32_t fe_types_count(const fe_types *types) {
    int32_t count = 0;
    for (const type_entry *entry = types->first; entry; entry = entry->next) {
        count++;
    }
    return count;
}

static bool held_agree(const uint8_t *a, const uint8_t *b, int32_t dofs) {
    for (int32_t i = 0; i < dofs; i++) {
        if ((a && a[i]) != (b && b[i])) {
            return false;
        }
    }
    return true;
}

static bool keys_agree(const fe_type_key *a, const fe_type_key *b) {
    const fe_material *m = &a->material, *n = &b->material;
    return a->mesh == b->mesh && m->density == n->density && m->young == n->young &&
           m->poisson == n->poisson && m->damping_mass == n->damping_mass &&
           m->damping_stiffness == n->damping_stiffness && a->plane == b->plane &&
           a->mass == b->mass && a->h == b->h && a->theta == b->theta &&
           held_agree(a->held, b->held, a->mesh->dim * a->mesh->nodes);
}

static cn_status check_key(const fe_type_key *key, cn_error *error) {
    if (!(key->h > 0.0 && isfinite(key->h))) {
        return base_fail(error, CN_ERR_INPUT, "the time step %g is not positive", key->h);
    }
    if (!(key->theta >= 0.5 && key->theta <= 1.0)) {
        return base_fail(error, CN_ERR_INPUT, "theta = %g is not in [0.5, 1]", key->theta);
    }
    return fe_material_validate(&key->material, error);
}

// Numbers the free dofs.
static cn_status list_free(cn_arena *memory, fe_type *type) {
    int32_t dofs = type->ops.dofs;
    uint8_t *held = BASE_TAKE_ZERO(memory, uint8_t, dofs);
    type->place = BASE_TAKE(memory, int32_t, dofs);
    if (!held || !type->place) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < dofs; i++) {
        held[i] = type->key.held && type->key.held[i];
        type->place[i] = held[i] ? -1 : type->free++;
    }
    type->key.held = held;
    return CN_OK;
}

// A = M + h theta (a M + b K) + h^2 theta^2 K, its restriction and its factor.
static cn_status factorise(type_entry *entry, cn_error *error) {
    fe_type *type = &entry->type;
    const fe_material *material = &type->key.material;
    double s = type->key.h * type->key.theta;
    double mass = 1.0 + s * material->damping_mass;
    double stiffness = s * material->damping_stiffness + s * s;
    cn_csr restricted;
    cn_arena *scratch = cn_arena_create(cn_arena_env(entry->memory));
    cn_status status = scratch ? CN_OK : CN_ERR_MEMORY;
    status = status == CN_OK ? fe_csr_combine(entry->memory, mass, &type->ops.M, stiffness,
                                              &type->ops.K, &type->A)
                             : status;
    status = status == CN_OK
                 ? fe_csr_restrict(scratch, &type->A, type->free, type->place, &restricted)
                 : status;
    entry->x = status == CN_OK ? BASE_TAKE(entry->memory, double, type->free) : NULL;
    if (!entry->x) {
        cn_arena_destroy(scratch);
        return base_fail_memory(error);
    }
    if (type->free > 0) {
        const sparse_linear_backend *backend = type->free <= FE_SKYLINE_DOFS_MAX
                                                   ? sparse_linear_backend_find("skyline")
                                                   : sparse_linear_backend_sparse();
        status = sparse_linear_create(backend, cn_arena_env(entry->memory), &restricted,
                                      &entry->factor, error);
        status =
            status == CN_OK ? sparse_linear_factorize(entry->factor, &restricted, error) : status;
    }
    cn_arena_destroy(scratch);
    return status;
}

static cn_status make_entry(fe_types *types, const fe_type_key *key, type_entry **out,
                            cn_error *error) {
    cn_arena *memory = cn_arena_create(cn_arena_env(types->memory));
    type_entry *entry = memory ? BASE_TAKE_ZERO(memory, type_entry, 1) : NULL;
    if (!entry) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    entry->memory = memory;
    entry->type.key = *key;
    entry->type.state = entry;
    fe_type *type = &entry->type;
    cn_status status = fe_operators_assemble(memory, key->mesh, &key->material, key->plane,
                                             key->mass, &type->ops, error);
    if (status == CN_OK && list_free(memory, type) != CN_OK) {
        status = base_fail_memory(error);
    }
    status = status == CN_OK ? factorise(entry, error) : status;
    if (status != CN_OK) {
        destroy_entry(entry);
        return status;
    }
    *out = entry;
    return CN_OK;
}

cn_status fe_types_get(fe_types *types, const fe_type_key *key, fe_type **out, cn_error *error) {
    type_entry **link = &types->first, *entry;
    while (*link && !keys_agree(&(*link)->type.key, key)) {
        link = &(*link)->next;
    }
    entry = *link;
    if (entry) {
        *link = entry->next;
    } else {
        CN_TRY(check_key(key, error));
        CN_TRY(make_entry(types, key, &entry, error));
    }
    entry->next = types->first;
    types->first = entry;
    entry->uses++;
    *out = &entry->type;
    return CN_OK;
}

void fe_types_release(fe_types *types, fe_type *type) {
    ((type_entry *)type->state)->uses--;
    int32_t unused = 0;
    for (type_entry **link = &types->first; *link;) {
        type_entry *entry = *link;
        unused += entry->uses == 0;
        if (entry->uses == 0 && unused > FE_TYPES_UNUSED) {
            *link = entry->next;
            destroy_entry(entry);
        } else {
            link = &entry->next;
        }
    }
}

cn_status fe_type_solve(fe_type *type, double *x) {
    type_entry *entry = type->state;
    for (int32_t i = 0; i < type->ops.dofs; i++) {
        if (type->place[i] >= 0) {
            entry->x[type->place[i]] = x[i];
        }
    }
    cn_status status = type->free > 0 ? sparse_linear_solve(entry->factor, 1, entry->x) : CN_OK;
    for (int32_t i = 0; i < type->ops.dofs; i++) {
        x[i] = type->place[i] >= 0 ? entry->x[type->place[i]] : 0.0;
    }
    return status;
}

// The number among the free dofs of dof k of the surface, or -1.
static int32_t free_of_surface(const fe_type *type, int32_t k) {
    int32_t dim = type->key.mesh->dim;
    return type->place[dim * type->key.mesh->surface_node[k / dim] + k % dim];
}

// Columns first .. first + count - 1 of C, their first `rows` rows, stored `stride` apart; x: count
// right-hand sides over the free dofs.
static cn_status solve_columns(fe_type *type, int32_t first, int32_t count, double *x, int32_t rows,
                               int32_t stride, double *C) {
    type_entry *entry = type->state;
    memset(x, 0, sizeof *x * (size_t)count * (size_t)type->free);
    for (int32_t k = 0; k < count; k++) {
        int32_t at = free_of_surface(type, first + k);
        if (at >= 0) {
            x[(int64_t)type->free * k + at] = 1.0;
        }
    }
    cn_status status = sparse_linear_solve(entry->factor, count, x);
    for (int32_t k = 0; k < count && status == CN_OK; k++) {
        bool held = free_of_surface(type, first + k) < 0;
        for (int32_t i = 0; i < rows; i++) {
            int32_t at = free_of_surface(type, i);
            C[(int64_t)stride * i + k] = held || at < 0 ? 0.0 : x[(int64_t)type->free * k + at];
        }
    }
    return status;
}

// Both triangles become their mean: solves leave round-off between them, and W must be symmetric.
static void make_symmetric(int32_t size, double *C) {
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j < i; j++) {
            double mean = 0.5 * (C[size * i + j] + C[size * j + i]);
            C[size * i + j] = C[size * j + i] = mean;
        }
    }
}

static cn_status number_surface(fe_type *type, cn_error *error) {
    const fe_mesh *mesh = type->key.mesh;
    type_entry *entry = type->state;
    int32_t *place = BASE_TAKE(entry->memory, int32_t, mesh->nodes);
    if (!place) {
        return base_fail_memory(error);
    }
    for (int32_t n = 0; n < mesh->nodes; n++) {
        place[n] = -1;
    }
    for (int32_t k = 0; k < mesh->surface_nodes; k++) {
        place[mesh->surface_node[k]] = k;
    }
    type->compliance.place = place;
    return CN_OK;
}

cn_status fe_type_condense(fe_type *type, cn_error *error) {
    const fe_mesh *mesh = type->key.mesh;
    type_entry *entry = type->state;
    fe_compliance *out = &type->compliance;
    int64_t size = (int64_t)mesh->dim * mesh->surface_nodes;
    if (out->place) {
        return CN_OK;
    }
    out->dim = mesh->dim;
    out->size = (int32_t)size;
    CN_TRY(number_surface(type, error));
    if (size > FE_COMPLIANCE_DOFS_MAX) {
        out->group_nodes = FE_COLUMNS / mesh->dim;
        out->group =
            BASE_TAKE_ZERO(entry->memory, double *,
                           (mesh->surface_nodes + out->group_nodes - 1) / out->group_nodes);
        return out->group ? CN_OK : base_fail_memory(error);
    }
    cn_arena *scratch = cn_arena_create(cn_arena_env(entry->memory));
    double *x = scratch ? BASE_TAKE(scratch, double, (int64_t)FE_COLUMNS * type->free) : NULL;
    double *C = BASE_TAKE_ZERO(entry->memory, double, size *size);
    cn_status status = x && C ? CN_OK : CN_ERR_MEMORY;
    for (int32_t first = 0; status == CN_OK && type->free > 0 && first < size;
         first += FE_COLUMNS) {
        if (base_is_cancelled(cn_arena_env(entry->memory))) {
            cn_arena_destroy(scratch);
            return base_fail_cancelled(error);
        }
        int32_t left = (int32_t)size - first;
        status = solve_columns(type, first, left < FE_COLUMNS ? left : FE_COLUMNS, x, (int32_t)size,
                               (int32_t)size, C + first);
    }
    cn_arena_destroy(scratch);
    if (status != CN_OK) {
        return status == CN_ERR_MEMORY ? base_fail_memory(error)
                                       : base_fail(error, status,
                                                   "the compliance of a deformable "
                                                   "body could not be computed");
    }
    make_symmetric((int32_t)size, C);
    out->C = C;
    return CN_OK;
}

cn_status fe_type_ask(fe_type *type, int32_t node, cn_error *error) {
    fe_compliance *out = &type->compliance;
    type_entry *entry = type->state;
    if (out->C || out->group[out->place[node] / out->group_nodes]) {
        return CN_OK;
    }
    int32_t group = out->place[node] / out->group_nodes, per = out->dim * out->group_nodes,
            first = group * per, width = out->size - first < per ? out->size - first : per;
    base_arena_mark mark = base_arena_get_mark(entry->memory);
    cn_arena *scratch = cn_arena_create(cn_arena_env(entry->memory));
    double *x = scratch ? BASE_TAKE(scratch, double, (int64_t)width * type->free) : NULL;
    double *C = BASE_TAKE(entry->memory, double, (int64_t)(first + width) * width);
    cn_status status = x && C ? CN_OK : CN_ERR_MEMORY;
    status = status == CN_OK && type->free > 0
                 ? solve_columns(type, first, width, x, first + width, width, C)
                 : status;
    cn_arena_destroy(scratch);
    if (status != CN_OK) {
        base_arena_release(entry->memory, mark);
        return status == CN_ERR_MEMORY ? base_fail_memory(error)
                                       : base_fail(error, status,
                                                   "the compliance of a deformable "
                                                   "body could not be computed");
    }
    make_symmetric(width, C + (int64_t)first * width);
    out->group[group] = C;
    return CN_OK;
}
