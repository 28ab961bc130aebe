// body/fe/mesh_sphere.c
// Spheres: a cube of cells in the middle, and layers of cells that go over from its faces to the
// sphere. Points of the sphere are equally far apart in angle along lines through the middle of a
// face of the cube.
#include "body/fe/mesh.h"

#include "base/arena.h"
#include "base/elementary/elementary.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

// Half the side of the cube over the radius; its corners are at 0.73 of the radius.
#define FE_SPHERE_CUBE 0.42

typedef struct sphere_grid {
    int32_t n, layers;
    int32_t *outer; // per point of the cube's grid: its number among those on its faces, or -1
    int32_t outers;
} sphere_grid;

static int32_t grid_point(const sphere_grid *g, const int32_t at[3]) {
    return at[0] + (g->n + 1) * (at[1] + (g->n + 1) * at[2]);
}

// Node of a grid point in a layer, layer 0 being the cube.
static int32_t layer_node(const sphere_grid *g, int32_t layer, const int32_t at[3]) {
    int32_t point = grid_point(g, at), cube = (g->n + 1) * (g->n + 1) * (g->n + 1);
    return layer == 0 ? point : cube + g->outers * (layer - 1) + g->outer[point];
}

// The point of the sphere of radius 1 that a point on the cube's faces goes to.
static void on_sphere(const sphere_grid *g, const int32_t at[3], double out[3]) {
    const double quarter = 0.7853981633974483; // pi/4
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        double sine, cosine;
        base_sincos(quarter * (2.0 * at[i] / g->n - 1.0), &sine, &cosine);
        out[i] = sine / cosine;
        square += out[i] * out[i];
    }
    for (int i = 0; i < 3; i++) {
        out[i] /= sqrt(square);
    }
}

static void place_nodes(const sphere_grid *g, double radius, double *node) {
    int32_t at[3];
    for (at[2] = 0; at[2] <= g->n; at[2]++) {
        for (at[1] = 0; at[1] <= g->n; at[1]++) {
            for (at[0] = 0; at[0] <= g->n; at[0]++) {
                double *inner = node + 3 * (int64_t)grid_point(g, at), end[3];
                for (int i = 0; i < 3; i++) {
                    inner[i] = FE_SPHERE_CUBE * radius * (2.0 * at[i] / g->n - 1.0);
                }
                if (g->outer[grid_point(g, at)] < 0) {
                    continue;
                }
                on_sphere(g, at, end);
                for (int32_t m = 1; m <= g->layers; m++) {
                    double *out = node + 3 * (int64_t)layer_node(g, m, at);
                    double share = (double)m / g->layers;
                    for (int i = 0; i < 3; i++) {
                        out[i] = (1.0 - share) * inner[i] + share * radius * end[i];
                    }
                }
            }
        }
    }
}

static int32_t *add_cube(const sphere_grid *g, int32_t *corner) {
    int32_t at[3];
    for (at[2] = 0; at[2] < g->n; at[2]++) {
        for (at[1] = 0; at[1] < g->n; at[1]++) {
            for (at[0] = 0; at[0] < g->n; at[0]++) {
                for (int32_t k = 0; k < 8; k++) {
                    int32_t c[3] = {at[0] + (k % 4 == 1 || k % 4 == 2), at[1] + (k % 4 > 1),
                                    at[2] + (k > 3)};
                    *corner++ = grid_point(g, c);
                }
            }
        }
    }
    return corner;
}

// The layers on the face of the cube across an axis, at its low or high end.
static int32_t *add_layers(const sphere_grid *g, int axis, bool high, int32_t *corner) {
    int a = (axis + (high ? 1 : 2)) % 3, b = (axis + (high ? 2 : 1)) % 3; // a x b points outwards
    int32_t at[3] = {0, 0, 0};
    at[axis] = high ? g->n : 0;
    for (int32_t m = 0; m < g->layers; m++) {
        for (at[b] = 0; at[b] < g->n; at[b]++) {
            for (at[a] = 0; at[a] < g->n; at[a]++) {
                for (int32_t k = 0; k < 8; k++) {
                    int32_t c[3] = {at[0], at[1], at[2]};
                    c[a] += k % 4 == 1 || k % 4 == 2;
                    c[b] += k % 4 > 1;
                    *corner++ = layer_node(g, m + (k > 3), c);
                }
            }
        }
    }
    return corner;
}

static cn_status check_sphere(const fe_sphere *sphere, cn_error *error) {
    if (sphere->element->dim != 3 || sphere->element->nodes != 8) {
        base_fail(error, CN_ERR_INPUT, "a sphere has elements of 8 nodes, not '%s'",
                  sphere->element->name);
        base_fail_hint(error, "element: h8");
        return CN_ERR_INPUT;
    }
    if (!(sphere->radius > 0.0 && isfinite(sphere->radius))) {
        return base_fail(error, CN_ERR_INPUT, "the radius %g is not positive", sphere->radius);
    }
    // Above, the number of cells does not fit into 32 bits.
    if (sphere->cells < 1 || sphere->cells > 500) {
        return base_fail(error, CN_ERR_INPUT, "%d cells on a quarter of a sphere: 1 to 500",
                         sphere->cells);
    }
    return CN_OK;
}

static bool number_outer(cn_arena *memory, sphere_grid *g) {
    int32_t points = (g->n + 1) * (g->n + 1) * (g->n + 1);
    g->outer = BASE_TAKE(memory, int32_t, points);
    for (int32_t p = 0; g->outer && p < points; p++) {
        int32_t x = p % (g->n + 1), y = p / (g->n + 1) % (g->n + 1),
                z = p / ((g->n + 1) * (g->n + 1));
        bool inside = x > 0 && x < g->n && y > 0 && y < g->n && z > 0 && z < g->n;
        g->outer[p] = inside ? -1 : g->outers++;
    }
    return g->outer != NULL;
}

cn_status fe_mesh_sphere(cn_arena *memory, const fe_sphere *sphere, fe_mesh *out, cn_error *error) {
    CN_TRY(check_sphere(sphere, error));
    int32_t n = sphere->cells;
    sphere_grid g = {.n = n, .layers = n > 1 ? n / 2 : 1};
    if (!number_outer(memory, &g)) {
        return base_fail_memory(error);
    }
    fe_mesh mesh;
    CN_TRY(fe_mesh_reserve(memory, sphere->element,
                           (int64_t)(n + 1) * (n + 1) * (n + 1) + (int64_t)g.outers * g.layers,
                           (int64_t)n * n * n + 6LL * n * n * g.layers, &mesh, error));
    place_nodes(&g, sphere->radius, mesh.node);
    int32_t *corner = add_cube(&g, mesh.corner);
    for (int axis = 0; axis < 3; axis++) {
        corner = add_layers(&g, axis, false, corner);
        corner = add_layers(&g, axis, true, corner);
    }
    CN_TRY(fe_mesh_build(memory, 3, sphere->element, mesh.nodes, mesh.node, mesh.elements,
                         mesh.corner, out, error));
    uint8_t *chosen = BASE_TAKE_ZERO(memory, uint8_t, out->nodes);
    if (!chosen) {
        return base_fail_memory(error);
    }
    memset(chosen + out->nodes - g.outers, 1, (size_t)g.outers);
    return fe_mesh_add_group(memory, out, "surface", chosen, error);
}
