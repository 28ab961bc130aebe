// io/gmsh.c
// From what a file of Gmsh says to a mesh: numbers of nodes, one type of elements, groups.
#include "io/gmsh.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"
#include "io/gmsh_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GMSH_BYTES_MAX ((size_t)1 << 30) // of a file
#define PLANE_SHARE 1e-9                 // of the extent of a plane mesh, out of its plane

// Those of dimension 0 and 1 only count for groups.
static const gmsh_type types[] = {
    {1, 1, 2, NULL, 2, 2},       {2, 2, 3, "t3", 3, 3},  {3, 2, 4, "q4", 4, 4},
    {4, 3, 4, "tet4", 4, 4},     {5, 3, 8, "h8", 8, 8},  {8, 1, 3, NULL, 3, 2},
    {9, 2, 6, "t6", 6, 3},       {10, 2, 9, "q8", 8, 4}, // without the node in the middle
    {11, 3, 10, "tet10", 10, 4}, {15, 0, 1, NULL, 1, 1}, {16, 2, 8, "q8", 8, 4}};

const gmsh_type *io_gmsh_type(int64_t number) {
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (types[k].number == number) {
            return &types[k];
        }
    }
    return NULL;
}

// ---- failing at an element ----

static cn_status fail_element(const gmsh_file *f, const gmsh_element *element, cn_status status,
                              const char *message) {
    base_fail(f->error, status, "element %lld %s", (long long)element->tag, message);
    base_fail_at(f->error, f->text.name, element->line, element->column);
    return status;
}

// ---- nodes ----

static int by_tag(const void *a, const void *b) {
    const gmsh_node *p = a, *q = b;
    return (p->tag > q->tag) - (p->tag < q->tag);
}

static cn_status sort_nodes(gmsh_file *f) {
    gmsh_node *node = (void *)f->node.data;
    size_t count = f->node.size / sizeof *node;
    if (count > 0) {
        qsort(node, count, sizeof *node, by_tag);
    }
    for (size_t k = 1; k < count; k++) {
        if (node[k].tag == node[k - 1].tag) {
            base_fail(f->error, CN_ERR_INPUT, "duplicate node %lld", (long long)node[k].tag);
            base_fail_at(f->error, f->text.name, 0, 0);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static gmsh_node *find_node(const gmsh_file *f, int64_t tag) {
    const gmsh_node key = {.tag = tag};
    size_t count = f->node.size / sizeof key;
    return count > 0 ? bsearch(&key, f->node.data, count, sizeof key, by_tag) : NULL;
}

// ---- elements ----

// The one type of the elements of the highest dimension.
static cn_status choose_type(const gmsh_file *f, const gmsh_type **out, int64_t *count) {
    const gmsh_element *element = (const void *)f->element.data;
    size_t all = f->element.size / sizeof *element;
    const gmsh_type *best = NULL;
    *count = 0;
    for (size_t k = 0; k < all; k++) {
        best = !best || element[k].type->dim > best->dim ? element[k].type : best;
    }
    if (!best || !best->element) {
        base_fail(f->error, CN_ERR_INPUT, "the file has no elements of two or three dimensions");
        base_fail_hint(f->error, "Gmsh saves only physical groups when there are some; put the "
                                 "body itself into one, or save all");
        base_fail_at(f->error, f->text.name, 0, 0);
        return CN_ERR_INPUT;
    }
    for (size_t k = 0; k < all; k++) {
        if (element[k].type->dim == best->dim) {
            if (strcmp(element[k].type->element, best->element) != 0) {
                char message[80];
                snprintf(message, sizeof message, "is a %s, the first one a %s",
                         element[k].type->element, best->element);
                fail_element(f, &element[k], CN_ERR_UNSUPPORTED, message);
                base_fail_hint(f->error, "a mesh has elements of one type");
                return CN_ERR_UNSUPPORTED;
            }
            (*count)++;
        }
    }
    *out = best;
    return CN_OK;
}

// Six times the volume of the first corners (2D: twice the area); its sign says whether an element
// is inside out.
static double signed_size(const io_gmsh *mesh, const int32_t *corner, int32_t corners) {
    const double *a = mesh->node + (int64_t)mesh->dim * corner[0],
                 *b = mesh->node + (int64_t)mesh->dim * corner[1],
                 *c = mesh->node + (int64_t)mesh->dim * corner[corners == 3 ? 2 : 3];
    if (mesh->dim == 2) {
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }
    // tetrahedron 0 1 2 3, of a hexahedron 0 1 3 4
    const double *d = mesh->node + 3 * (int64_t)corner[corners == 8 ? 4 : 3];
    c = mesh->node + 3 * (int64_t)corner[corners == 8 ? 3 : 2];
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static void swap(int32_t *corner, int a, int b) {
    int32_t kept = corner[a];
    corner[a] = corner[b];
    corner[b] = kept;
}

// The same element with the opposite orientation.
static void turn_round(int32_t *corner, int32_t dim, int32_t nodes) {
    static const int8_t pair[][8] = {{1, 2, -1},              // t3, tet4
                                     {1, 3, -1},              // q4
                                     {1, 2, 3, 5, -1},        // t6
                                     {1, 3, 4, 7, 5, 6, -1},  // q8
                                     {1, 3, 5, 7, -1},        // h8
                                     {1, 2, 4, 6, 8, 9, -1}}; // tet10
    int kind = nodes == 3 || (dim == 3 && nodes == 4) ? 0
               : nodes == 4                           ? 1
               : nodes == 6                           ? 2
               : nodes == 8                           ? (dim == 2 ? 3 : 4)
                                                      : 5;
    for (int k = 0; pair[kind][k] >= 0; k += 2) {
        swap(corner, pair[kind][k], pair[kind][k + 1]);
    }
}

// Nodes of the mesh in the order of the file, and its elements by their numbers.
static cn_status take_elements(gmsh_file *f, const gmsh_type *type, int64_t count, io_gmsh *out) {
    const gmsh_element *element = (const void *)f->element.data;
    size_t all = f->element.size / sizeof *element;
    gmsh_node *node = (void *)f->node.data;
    size_t nodes = f->node.size / sizeof *node;
    int32_t *order = BASE_TAKE(f->memory, int32_t, (int64_t)nodes);
    *out = (io_gmsh){.dim = type->dim, .element = type->element, .per_element = type->kept};
    out->corner = BASE_TAKE(f->memory, int32_t, count * type->kept);
    if (!order || !out->corner) {
        return base_fail_memory(f->error);
    }
    for (size_t k = 0; k < nodes; k++) {
        order[node[k].index] = (int32_t)k;
    }
    int32_t *corner = out->corner;
    for (size_t k = 0; k < all; k++) {
        for (int32_t i = 0; i < type->kept && element[k].type->dim == type->dim; i++) {
            gmsh_node *own = find_node(f, element[k].node[i]);
            if (!own) {
                return fail_element(f, &element[k], CN_ERR_INPUT,
                                    "has a node that is not in the file");
            }
            own->used = 0;
            *corner++ = own->index;
        }
    }
    out->elements = (int32_t)count;
    for (size_t k = 0; k < nodes; k++) {
        gmsh_node *own = node + order[k];
        own->used = own->used == 0 ? out->nodes++ : -1;
    }
    out->node = BASE_TAKE(f->memory, double, (int64_t)out->dim * out->nodes);
    if (!out->node) {
        return base_fail_memory(f->error);
    }
    for (size_t k = 0; k < nodes; k++) {
        if (node[k].used >= 0) {
            memcpy(out->node + (int64_t)out->dim * node[k].used, node[k].x,
                   sizeof(double) * (size_t)out->dim);
        }
    }
    for (int64_t k = 0; k < count * type->kept; k++) {
        out->corner[k] = node[order[out->corner[k]]].used;
    }
    return CN_OK;
}

static void orient(const gmsh_type *type, io_gmsh *out) {
    for (int32_t e = 0; e < out->elements; e++) {
        int32_t *corner = out->corner + (int64_t)type->kept * e;
        if (type->kept == 10) { // Gmsh has the last two the other way round
            swap(corner, 8, 9);
        }
        if (signed_size(out, corner, type->corners) < 0.0) {
            turn_round(corner, out->dim, type->kept);
        }
    }
}

// A plane mesh lies in a plane z = const.
static cn_status check_plane(const gmsh_file *f) {
    const gmsh_node *node = (const void *)f->node.data;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < f->node.size / sizeof *node; k++) {
        for (int i = 0; i < 3 && node[k].used >= 0; i++) {
            low[i] = fmin(low[i], node[k].x[i]);
            high[i] = fmax(high[i], node[k].x[i]);
        }
    }
    double extent = fmax(high[0] - low[0], high[1] - low[1]);
    if (high[2] - low[2] <= PLANE_SHARE * extent) {
        return CN_OK;
    }
    base_fail(f->error, CN_ERR_INPUT,
              "the mesh is a surface that does not lie in a plane z = "
              "const");
    base_fail_hint(f->error, "a body in space needs tetrahedra or hexahedra");
    base_fail_at(f->error, f->text.name, 0, 0);
    return CN_ERR_INPUT;
}

// ---- groups ----

static const char *group_name(gmsh_file *f, const gmsh_physical *physical) {
    static const char *const kind[] = {"point", "curve", "surface", "volume"};
    char name[40];
    if (physical->name) {
        return physical->name;
    }
    int length = snprintf(name, sizeof name, "%s-%d", kind[physical->dim], (int)physical->tag);
    return base_arena_text(f->memory, name, (size_t)length);
}

// The group of each physical group; those of one name are one.
static cn_status name_groups(gmsh_file *f, int32_t *group_of, io_gmsh *out) {
    const gmsh_physical *physical = (const void *)f->physical.data;
    int32_t count = (int32_t)(f->physical.size / sizeof *physical);
    out->group = BASE_TAKE_ZERO(f->memory, io_gmsh_group, count);
    if (!out->group) {
        return base_fail_memory(f->error);
    }
    for (int32_t k = 0; k < count; k++) {
        const char *name = group_name(f, &physical[k]);
        if (!name) {
            return base_fail_memory(f->error);
        }
        int32_t at = 0;
        while (at < out->groups && strcmp(out->group[at].name, name) != 0) {
            at++;
        }
        group_of[k] = at;
        if (at == out->groups) {
            out->group[out->groups++].name = name;
        }
    }
    return CN_OK;
}

static cn_status fill_group(const gmsh_file *f, const int32_t *group_of, int32_t group,
                            uint8_t *chosen, io_gmsh *out) {
    const gmsh_element *element = (const void *)f->element.data;
    const int32_t *member = (const void *)f->member.data;
    io_gmsh_group *own = &out->group[group];
    memset(chosen, 0, (size_t)out->nodes);
    for (size_t k = 0; k < f->element.size / sizeof *element; k++) {
        bool in = false;
        for (int32_t m = 0; m < element[k].groups; m++) {
            in = in || group_of[member[element[k].first + m]] == group;
        }
        for (int32_t i = 0; in && i < element[k].type->kept; i++) {
            const gmsh_node *node = find_node(f, element[k].node[i]);
            if (node && node->used >= 0) {
                own->count += !chosen[node->used];
                chosen[node->used] = 1;
            }
        }
    }
    own->node = BASE_TAKE(f->memory, int32_t, own->count);
    if (!own->node) {
        return CN_ERR_MEMORY;
    }
    for (int32_t n = 0, filled = 0; n < out->nodes; n++) {
        if (chosen[n]) {
            own->node[filled++] = n;
        }
    }
    return CN_OK;
}

static cn_status take_groups(gmsh_file *f, io_gmsh *out) {
    int32_t *group_of =
        BASE_TAKE(f->memory, int32_t, (int64_t)(f->physical.size / sizeof(gmsh_physical)));
    uint8_t *chosen = BASE_TAKE(f->memory, uint8_t, out->nodes);
    if (!group_of || !chosen) {
        return base_fail_memory(f->error);
    }
    CN_TRY(name_groups(f, group_of, out));
    int32_t kept = 0;
    for (int32_t g = 0; g < out->groups; g++) {
        if (fill_group(f, group_of, g, chosen, out) != CN_OK) {
            return base_fail_memory(f->error);
        }
        if (out->group[g].count > 0) {
            out->group[kept++] = out->group[g];
        }
    }
    out->groups = kept;
    return CN_OK;
}

// ---- the whole ----

static cn_status make_mesh(gmsh_file *f, io_gmsh *out) {
    const gmsh_type *type;
    int64_t count;
    CN_TRY(io_gmsh_sections(f));
    CN_TRY(sort_nodes(f));
    CN_TRY(choose_type(f, &type, &count));
    CN_TRY(take_elements(f, type, count, out));
    if (type->dim == 2) {
        CN_TRY(check_plane(f));
    }
    orient(type, out);
    return take_groups(f, out);
}

cn_status io_gmsh_read_bytes(const char *name, const void *bytes, size_t size, cn_arena *memory,
                             io_gmsh *out, cn_error *error) {
    cn_error own;
    gmsh_file f = {.memory = memory, .error = error ? error : &own};
    *out = (io_gmsh){0};
    if (!io_text_open(&f.text, name, bytes, size, f.error)) {
        return base_fail_memory(error);
    }
    base_buffer *const buffers[] = {&f.node, &f.element, &f.physical, &f.entity, &f.member};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        base_buffer_init(buffers[k], cn_arena_env(memory));
    }
    cn_status status = make_mesh(&f, out);
    if (status != CN_OK && f.error->line == 0) {
        base_fail_at(f.error, name, 0, 0);
    }
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        base_buffer_free(buffers[k]);
    }
    io_text_close(&f.text);
    return status;
}

cn_status io_gmsh_read(const char *path, cn_arena *memory, io_gmsh *out, cn_error *error) {
    base_buffer bytes;
    base_buffer_init(&bytes, cn_arena_env(memory));
    *out = (io_gmsh){0};
    cn_status status = io_file_read_regular(path, GMSH_BYTES_MAX, &bytes, error);
    if (status == CN_OK) {
        status = io_gmsh_read_bytes(path, bytes.data ? (const char *)bytes.data : "", bytes.size,
                                    memory, out, error);
    }
    base_buffer_free(&bytes);
    return status;
}
