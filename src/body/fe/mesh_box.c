// body/fe/mesh_box.c
// Boxes of nx x ny (x nz) cells, split into the elements asked for.
//
// Tetrahedra: the six paths along the axes from one corner of the cell to the opposite one (Kuhn's
// subdivision), the same in all cells or mirrored from cell to cell; faces of neighbours agree in
// both.
#include "body/fe/mesh.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static const char *const pattern_names[] = {"diagonal", "union-jack", "crossed"};

cn_status fe_pattern_lookup(const char *name, fe_pattern *out, cn_error *error) {
    for (int i = 0; i < 3; i++) {
        if (strcmp(pattern_names[i], name) == 0) {
            *out = (fe_pattern)i;
            return CN_OK;
        }
    }
    base_fail(error, CN_ERR_INPUT, "unknown pattern '%s'", name);
    base_fail_hint(error, "known patterns: diagonal, union-jack, crossed");
    return CN_ERR_INPUT;
}

// Node at grid point (i, j, k).
static int32_t grid_node(const fe_box *box, int32_t i, int32_t j, int32_t k) {
    return i + (box->cells[0] + 1) * (j + (box->cells[1] + 1) * k);
}

// Corner of a cell, its bits being x, y, z.
static int32_t cell_corner(const fe_box *box, const int32_t cell[3], int32_t bits) {
    return grid_node(box, cell[0] + (bits & 1), cell[1] + (bits >> 1 & 1), cell[2] + (bits >> 2));
}

// The bits of the corner from which the diagonal of a cell starts: all cells alike, or mirrored.
static int32_t cell_mirror(const fe_box *box, const int32_t cell[3]) {
    if (box->pattern != FE_PATTERN_UNION_JACK) {
        return 0;
    }
    return (cell[0] & 1) | (cell[1] & 1) << 1 | (cell[2] & 1) << 2;
}

// The number of elements in a cell.
static int32_t elements_per_cell(const fe_box *box) {
    if (box->element->dim == 2) {
        bool triangles = box->element->nodes == 3;
        return !triangles ? 1 : (box->pattern == FE_PATTERN_CROSSED ? 4 : 2);
    }
    return box->element->nodes == 4 ? 6 : 1;
}

static int32_t *split_triangles(const fe_box *box, const int32_t cell[3], int32_t centre,
                                int32_t *out) {
    static const int8_t round[4] = {0, 1, 3, 2}; // corners of a cell counter-clockwise
    if (box->pattern == FE_PATTERN_CROSSED) {
        for (int i = 0; i < 4; i++) {
            *out++ = cell_corner(box, cell, round[i]);
            *out++ = cell_corner(box, cell, round[(i + 1) % 4]);
            *out++ = centre;
        }
        return out;
    }
    int32_t mirror = cell_mirror(box, cell);
    int start = mirror == 0 || mirror == 3 ? 0 : 1; // the diagonal leaves from this corner
    for (int half = 0; half < 2; half++) {
        *out++ = cell_corner(box, cell, round[start]);
        *out++ = cell_corner(box, cell, round[(start + 1 + half) % 4]);
        *out++ = cell_corner(box, cell, round[(start + 2 + half) % 4]);
    }
    return out;
}

static int32_t *split_tetrahedra(const fe_box *box, const int32_t cell[3], int32_t *out) {
    static const int8_t path[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
    int32_t mirror = cell_mirror(box, cell);
    bool mirrored = ((mirror & 1) + (mirror >> 1 & 1) + (mirror >> 2)) % 2 == 1;
    for (int p = 0; p < 6; p++) {
        // The first three paths turn right-handed, the others and a mirror the other way.
        bool swap = (p >= 3) != mirrored;
        int32_t first = 1 << path[p][0], second = first | 1 << path[p][1];
        *out++ = cell_corner(box, cell, mirror);
        *out++ = cell_corner(box, cell, (swap ? second : first) ^ mirror);
        *out++ = cell_corner(box, cell, (swap ? first : second) ^ mirror);
        *out++ = cell_corner(box, cell, 7 ^ mirror);
    }
    return out;
}

static int32_t *split_cell(const fe_box *box, const int32_t cell[3], int32_t centre, int32_t *out) {
    static const int8_t whole[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    int32_t nodes = box->element->nodes;
    if (nodes == 3) {
        return split_triangles(box, cell, centre, out);
    }
    if (nodes == 4 && box->element->dim == 3) {
        return split_tetrahedra(box, cell, out);
    }
    for (int32_t a = 0; a < nodes; a++) {
        *out++ = cell_corner(box, cell, whole[a]);
    }
    return out;
}

static cn_status check_box(const fe_box *box, cn_error *error) {
    for (int32_t i = 0; i < box->element->dim; i++) {
        if (!(box->size[i] > 0.0 && isfinite(box->size[i]))) {
            return base_fail(error, CN_ERR_INPUT, "the size %g of a box is not positive",
                             box->size[i]);
        }
        if (box->cells[i] < 1) {
            return base_fail(error, CN_ERR_INPUT,
                             "%d cells: a box has at least one in each direction", box->cells[i]);
        }
    }
    if (box->pattern == FE_PATTERN_CROSSED && box->element->nodes != 3) {
        return base_fail(error, CN_ERR_INPUT, "the pattern 'crossed' is for t3, not for %s",
                         box->element->name);
    }
    return CN_OK;
}

static double grid_position(const fe_box *box, int32_t axis, double at) {
    return box->size[axis] * (at / box->cells[axis] - 0.5);
}

static void place_nodes(const fe_box *box, bool centres, fe_mesh *mesh) {
    int32_t dim = mesh->dim;
    double *x = mesh->node;
    for (int32_t k = 0; k <= (dim == 3 ? box->cells[2] : 0); k++) {
        for (int32_t j = 0; j <= box->cells[1]; j++) {
            for (int32_t i = 0; i <= box->cells[0]; i++, x += dim) {
                const int32_t at[3] = {i, j, k};
                for (int32_t c = 0; c < dim; c++) {
                    x[c] = grid_position(box, c, at[c]);
                }
            }
        }
    }
    for (int32_t j = 0; centres && j < box->cells[1]; j++) {
        for (int32_t i = 0; i < box->cells[0]; i++, x += dim) {
            x[0] = grid_position(box, 0, i + 0.5);
            x[1] = grid_position(box, 1, j + 0.5);
        }
    }
}

static cn_status add_sides(cn_arena *memory, const fe_box *box, int32_t grid_nodes, fe_mesh *mesh,
                           cn_error *error) {
    static const char *const sides_2d[] = {"left", "right", "bottom", "top"};
    static const char *const sides_3d[] = {"left", "right", "front", "back", "bottom", "top"};
    int32_t stride[3] = {1, box->cells[0] + 1, (box->cells[0] + 1) * (box->cells[1] + 1)};
    uint8_t *chosen = BASE_TAKE(memory, uint8_t, mesh->nodes);
    cn_status status = chosen ? CN_OK : base_fail_memory(error);
    for (int32_t side = 0; status == CN_OK && side < 2 * mesh->dim; side++) {
        int32_t axis = side / 2, end = side % 2 ? box->cells[axis] : 0;
        memset(chosen, 0, (size_t)mesh->nodes);
        for (int32_t n = 0; n < grid_nodes; n++) {
            chosen[n] = n / stride[axis] % (box->cells[axis] + 1) == end;
        }
        status = fe_mesh_add_group(memory, mesh, mesh->dim == 2 ? sides_2d[side] : sides_3d[side],
                                   chosen, error);
    }
    return status;
}

// Quadratic elements: the box of linear ones, with nodes put on their edges.
static cn_status box_of_quadratic(cn_arena *memory, const fe_box *given, fe_mesh *out,
                                  cn_error *error) {
    fe_box box = *given;
    fe_mesh linear;
    box.element = given->element->linear;
    CN_TRY(fe_mesh_box(memory, &box, &linear, error));
    return fe_mesh_raise(memory, &linear, given->element, out, error);
}

cn_status fe_mesh_box(cn_arena *memory, const fe_box *given, fe_mesh *out, cn_error *error) {
    fe_box box = *given;
    if (box.element->linear) {
        return box_of_quadratic(memory, given, out, error);
    }
    CN_TRY(check_box(&box, error));
    int32_t dim = box.element->dim;
    box.cells[2] = dim == 3 ? box.cells[2] : 0;
    bool centres = box.pattern == FE_PATTERN_CROSSED;
    // In floating point, so that no product overflows; whether it is too many is asked below.
    double grid = (box.cells[0] + 1.0) * (box.cells[1] + 1.0) * (box.cells[2] + 1.0);
    double cells = (double)box.cells[0] * box.cells[1] * (dim == 3 ? box.cells[2] : 1);
    double limit = (double)INT32_MAX;
    int64_t nodes = (int64_t)fmin(grid + (centres ? cells : 0.0), limit);
    int64_t elements = (int64_t)fmin(cells * elements_per_cell(&box), limit);
    fe_mesh mesh;
    CN_TRY(fe_mesh_reserve(memory, box.element, nodes, elements, &mesh, error));
    place_nodes(&box, centres, &mesh);
    int32_t *corner = mesh.corner, centre = (int32_t)grid;
    for (int32_t k = 0; k < (dim == 3 ? box.cells[2] : 1); k++) {
        for (int32_t j = 0; j < box.cells[1]; j++) {
            for (int32_t i = 0; i < box.cells[0]; i++) {
                const int32_t cell[3] = {i, j, k};
                corner = split_cell(&box, cell, centre++, corner);
            }
        }
    }
    cn_status status = fe_mesh_build(memory, dim, box.element, mesh.nodes, mesh.node, mesh.elements,
                                     mesh.corner, out, error);
    return status == CN_OK ? add_sides(memory, &box, (int32_t)grid, out, error) : status;
}
