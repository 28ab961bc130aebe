// body/fe/mesh_disk.c
// Disks: a square of cells in the middle, and rings of cells that go over from the square to the
// circle. The smallest angle of a cell is 45 degrees where a corner of the square looks at the rim.
#include "body/fe/mesh.h"

#include "base/arena.h"
#include "base/elementary/elementary.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

// Half the side of the square over the radius.
#define FE_DISK_SQUARE 0.5

// Grid point j of the boundary of the square, counter-clockwise from its lower left corner, j < 4n.
static void square_boundary(int32_t n, int32_t j, int32_t *x, int32_t *y) {
    int32_t side = j / n, along = j % n;
    *x = side == 0 ? along : (side == 1 ? n : (side == 2 ? n - along : 0));
    *y = side == 0 ? 0 : (side == 1 ? along : (side == 2 ? n : n - along));
}

// Node j of ring m, m = 0 being the boundary of the square.
static int32_t ring_node(int32_t n, int32_t m, int32_t j) {
    j %= 4 * n;
    if (m > 0) {
        return (n + 1) * (n + 1) + 4 * n * (m - 1) + j;
    }
    int32_t x, y;
    square_boundary(n, j, &x, &y);
    return x + (n + 1) * y;
}

static void place_nodes(const fe_disk *disk, int32_t rings, fe_mesh *mesh) {
    const double quarter = 1.5707963267948966; // pi/2
    int32_t n = disk->cells;
    double half = FE_DISK_SQUARE * disk->radius;
    for (int32_t y = 0; y <= n; y++) {
        for (int32_t x = 0; x <= n; x++) {
            double *at = mesh->node + 2 * (x + (int64_t)(n + 1) * y);
            at[0] = half * (2.0 * x / n - 1.0);
            at[1] = half * (2.0 * y / n - 1.0);
        }
    }
    for (int32_t m = 1; m <= rings; m++) {
        double out = (double)m / rings;
        for (int32_t j = 0; j < 4 * n; j++) {
            double sine, cosine, angle = quarter * ((double)j / n - 1.5);
            const double *inner = mesh->node + 2 * (int64_t)ring_node(n, 0, j);
            double *at = mesh->node + 2 * (int64_t)ring_node(n, m, j);
            base_sincos(angle, &sine, &cosine);
            at[0] = (1.0 - out) * inner[0] + out * disk->radius * cosine;
            at[1] = (1.0 - out) * inner[1] + out * disk->radius * sine;
        }
    }
}

// A quadrilateral, or the two triangles of its diagonal from the first corner.
static int32_t *add_cell(const fe_element *element, const int32_t cell[4], int32_t *out) {
    for (int32_t half = 0; half < (element->nodes == 3 ? 2 : 1); half++) {
        *out++ = cell[0];
        *out++ = cell[1 + half];
        *out++ = cell[2 + half];
        if (element->nodes == 4) {
            *out++ = cell[3];
        }
    }
    return out;
}

static cn_status check_disk(const fe_disk *disk, cn_error *error) {
    if (disk->element->dim != 2) {
        return base_fail(error, CN_ERR_INPUT, "a disk is 2D, the element '%s' is not",
                         disk->element->name);
    }
    if (!(disk->radius > 0.0 && isfinite(disk->radius))) {
        return base_fail(error, CN_ERR_INPUT, "the radius %g is not positive", disk->radius);
    }
    // Above, the number of cells does not fit into 32 bits.
    if (disk->cells < 1 || disk->cells > 10000) {
        return base_fail(error, CN_ERR_INPUT, "%d cells on a quarter of a disk: 1 to 10000",
                         disk->cells);
    }
    return CN_OK;
}

cn_status fe_mesh_disk(cn_arena *memory, const fe_disk *disk, fe_mesh *out, cn_error *error) {
    CN_TRY(check_disk(disk, error));
    int32_t n = disk->cells, rings = n > 1 ? n / 2 : 1;
    int64_t square = (int64_t)(n + 1) * (n + 1), cells = (int64_t)n * n + 4LL * n * rings;
    fe_mesh mesh;
    if (disk->element->linear) {
        const fe_disk linear = {disk->element->linear, disk->radius, disk->cells};
        CN_TRY(fe_mesh_disk(memory, &linear, &mesh, error));
        return fe_mesh_raise(memory, &mesh, disk->element, out, error);
    }
    CN_TRY(fe_mesh_reserve(memory, disk->element, square + 4LL * n * rings,
                           cells * (disk->element->nodes == 3 ? 2 : 1), &mesh, error));
    place_nodes(disk, rings, &mesh);
    int32_t *corner = mesh.corner;
    for (int32_t y = 0; y < n; y++) {
        for (int32_t x = 0; x < n; x++) {
            int32_t at = x + (n + 1) * y;
            const int32_t cell[4] = {at, at + 1, at + n + 2, at + n + 1};
            corner = add_cell(disk->element, cell, corner);
        }
    }
    for (int32_t m = 0; m < rings; m++) {
        for (int32_t j = 0; j < 4 * n; j++) {
            const int32_t cell[4] = {ring_node(n, m, j), ring_node(n, m + 1, j),
                                     ring_node(n, m + 1, j + 1), ring_node(n, m, j + 1)};
            corner = add_cell(disk->element, cell, corner);
        }
    }
    cn_status status = fe_mesh_build(memory, 2, disk->element, mesh.nodes, mesh.node, mesh.elements,
                                     mesh.corner, out, error);
    uint8_t *chosen = status == CN_OK ? BASE_TAKE_ZERO(memory, uint8_t, out->nodes) : NULL;
    if (status == CN_OK && !chosen) {
        status = base_fail_memory(error);
    }
    for (int32_t j = 0; status == CN_OK && j < 4 * n; j++) {
        chosen[ring_node(n, rings, j)] = 1;
    }
    return status == CN_OK ? fe_mesh_add_group(memory, out, "rim", chosen, error) : status;
}
