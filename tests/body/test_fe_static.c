// Finite elements assembled: patch tests on distorted meshes, Cook's membrane, cantilevers, loads,
// natural frequencies.
#include "check.h"

#include "fe_bodies.h"
#include "figures.h"
#include "sparse/csr.h"
#include "sparse/linear.h"

#include <cairn/base.h>

static const double gradient[9] = {0.3, -0.2, 0.5, 0.4, 0.1, -0.3, 0.2, 0.6, -0.4};

// A box with the nodes inside moved; quadratic elements keep straight edges.
static fe_mesh make_distorted(cn_arena *memory, const char *element, const double *size,
                              const int *cells, fe_pattern pattern, double share) {
    const fe_element *kind = fe_element_find(element);
    double spacing[3];
    for (int i = 0; i < 3; i++) {
        spacing[i] = size[i] / cells[i];
    }
    fe_mesh mesh = make_box(memory, kind->linear ? kind->linear->name : element, size[0], size[1],
                            size[2], cells[0], cells[1], cells[2], pattern);
    distort(memory, &mesh, spacing, share);
    if (kind->linear) {
        fe_mesh linear = mesh;
        assert_int_equal(fe_mesh_raise(memory, &linear, kind, &mesh, NULL), CN_OK);
    }
    return mesh;
}

// Nodes on the surface follow a linear field; those inside must too, and the stress be constant.
static void patch_test(figures *f, const char *element, fe_pattern pattern, fe_plane plane) {
    cn_arena *memory = cn_arena_create(NULL);
    const double size[3] = {1.2, 0.9, 1.0};
    const int cells[3] = {4, 3, 3};
    fe_mesh mesh = make_distorted(memory, element, size, cells, pattern, 0.2);
    fe_material material = {.density = 1.0, .young = 5.0, .poisson = 0.3};
    int32_t dim = mesh.dim, dofs = dim * mesh.nodes;
    uint8_t *held = BASE_TAKE_ZERO(memory, uint8_t, dofs), *outside = surface_flags(memory, &mesh);
    double *field = BASE_TAKE_ZERO(memory, double, dofs), *u = BASE_TAKE_ZERO(memory, double, dofs);
    double *stress = BASE_TAKE(memory, double, 6 * mesh.elements);
    for (int32_t n = 0; n < mesh.nodes; n++) {
        for (int32_t i = 0; i < dim; i++) {
            held[dim * n + i] = outside[n];
            for (int32_t j = 0; j < dim; j++) {
                field[dim * n + i] += gradient[3 * i + j] * mesh.node[dim * n + j];
            }
        }
    }
    solve_static(memory, &mesh, material, plane, held, field, NULL, u);
    fe_stresses(&mesh, &material, plane, u, stress);
    double displaced = 0.0, stressed = 0.0;
    for (int32_t i = 0; i < dofs; i++) {
        displaced = fmax(displaced, fabs(u[i] - field[i]));
    }
    for (int32_t k = 6; k < 6 * mesh.elements; k++) {
        stressed = fmax(stressed, fabs(stress[k] - stress[k % 6]));
    }
    const char *at =
        dim == 3 ? "" : (plane == FE_PLANE_STRESS ? ", plane stress" : ", plane strain");
    figure_below(f, 1e-12, displaced / largest(dofs, field), "%s%s: displacement", element, at);
    figure_below(f, 1e-12, stressed / largest(6, stress), "%s%s: stress", element, at);
    cn_arena_destroy(memory);
}

CN_TEST(patch_tests_on_distorted_meshes) {
    figures f = {0};
    for (int plane = 0; plane < 2; plane++) {
        patch_test(&f, "t3", FE_PATTERN_UNION_JACK, (fe_plane)plane);
        patch_test(&f, "t3", FE_PATTERN_CROSSED, (fe_plane)plane);
        patch_test(&f, "q4", FE_PATTERN_DIAGONAL, (fe_plane)plane);
        patch_test(&f, "q4-plain", FE_PATTERN_DIAGONAL, (fe_plane)plane);
        patch_test(&f, "t6", FE_PATTERN_UNION_JACK, (fe_plane)plane);
        patch_test(&f, "t6", FE_PATTERN_CROSSED, (fe_plane)plane);
        patch_test(&f, "q8", FE_PATTERN_DIAGONAL, (fe_plane)plane);
    }
    patch_test(&f, "tet4", FE_PATTERN_DIAGONAL, FE_PLANE_STRAIN);
    patch_test(&f, "tet4", FE_PATTERN_UNION_JACK, FE_PLANE_STRAIN);
    patch_test(&f, "tet10", FE_PATTERN_UNION_JACK, FE_PLANE_STRAIN);
    patch_test(&f, "h8", FE_PATTERN_DIAGONAL, FE_PLANE_STRAIN);
    patch_test(&f, "h8-plain", FE_PATTERN_DIAGONAL, FE_PLANE_STRAIN);
    figures_check(&f);
}

// The same under loads: a bar pulled by a traction, held only against rigid motion.
CN_TEST(uniform_traction_gives_uniform_stress) {
    static const char *const kinds[] = {"t3",       "q4", "q4-plain", "tet4", "h8",
                                        "h8-plain", "t6", "q8",       "tet10"};
    figures f = {0};
    for (int k = 0; k < 9; k++) {
        cn_arena *memory = cn_arena_create(NULL);
        const double size[3] = {2.0, 1.0, 0.5};
        const int cells[3] = {4, 4, 2};
        fe_mesh mesh = make_distorted(memory, kinds[k], size, cells, FE_PATTERN_UNION_JACK, 0.15);
        fe_material material = {.density = 1.0, .young = 5.0, .poisson = 0.3};
        int32_t dim = mesh.dim, dofs = dim * mesh.nodes;
        uint8_t *held = BASE_TAKE_ZERO(memory, uint8_t, dofs);
        double *load = BASE_TAKE_ZERO(memory, double, dofs),
               *u = BASE_TAKE_ZERO(memory, double, dofs);
        double *stress = BASE_TAKE(memory, double, 6 * mesh.elements);
        fe_hold(&mesh, group_of(&mesh, "left"), 1, held);
        fe_hold(&mesh, group_of(&mesh, "bottom"), dim == 2 ? 2 : 4, held);
        if (dim == 3) {
            fe_hold(&mesh, group_of(&mesh, "front"), 2, held);
        }
        fe_add_pressure(&mesh, group_of(&mesh, "right"), -0.7, load);
        const double down[3] = {0.0, dim == 2 ? -0.2 : 0.0, -0.2};
        fe_add_traction(&mesh, group_of(&mesh, "top"), down, load);
        solve_static(memory, &mesh, material, FE_PLANE_STRESS, held, NULL, load, u);
        fe_stresses(&mesh, &material, FE_PLANE_STRESS, u, stress);
        double want[6] = {0.7, dim == 2 ? -0.2 : 0.0, dim == 3 ? -0.2 : 0.0, 0.0, 0.0, 0.0};
        double off = 0.0;
        for (int32_t i = 0; i < 6 * mesh.elements; i++) {
            off = fmax(off, fabs(stress[i] - want[i % 6]));
        }
        figure_below(&f, 1e-13, off, "%s: stress", kinds[k]);
        cn_arena_destroy(memory);
    }
    figures_check(&f);
}

// ---- Cook's membrane ----

static double cook(const char *element, int n, double poisson, fe_plane plane) {
    cn_arena *memory = cn_arena_create(NULL);
    fe_mesh mesh = make_box(memory, element, 1.0, 1.0, 0, n, n, 0, FE_PATTERN_DIAGONAL);
    for (int32_t k = 0; k < mesh.nodes; k++) {
        double s = mesh.node[2 * k] + 0.5, t = mesh.node[2 * k + 1] + 0.5;
        mesh.node[2 * k] = 48.0 * s;
        mesh.node[2 * k + 1] = 44.0 * s * (1.0 - t) + t * (44.0 + 16.0 * s);
    }
    assert_int_equal(fe_mesh_check_shape(&mesh, NULL), CN_OK);
    int32_t dofs = 2 * mesh.nodes;
    uint8_t *held = BASE_TAKE_ZERO(memory, uint8_t, dofs);
    double *load = BASE_TAKE_ZERO(memory, double, dofs), *u = BASE_TAKE_ZERO(memory, double, dofs);
    const double shear[2] = {0.0, 1.0 / 16.0};
    fe_hold(&mesh, group_of(&mesh, "left"), 3, held);
    fe_add_traction(&mesh, group_of(&mesh, "right"), shear, load);
    fe_material material = {.density = 1.0, .young = 1.0, .poisson = poisson};
    solve_static(memory, &mesh, material, plane, held, NULL, load, u);
    double deflection = u[2 * ((n + 1) * (n / 2) + n) + 1];
    cn_arena_destroy(memory);
    return deflection;
}

// Against an independent prototype, to a unit of its last digit.
CN_TEST(cook_membrane_converges_as_published) {
    static const struct {
        const char *element;
        fe_plane plane;
        double deflection[5]; // n = 2 4 8 16 32
    } row[] = {
        {"t3", FE_PLANE_STRESS, {6.743, 11.252, 17.331, 21.592, 23.275}},
        {"q4-plain", FE_PLANE_STRESS, {11.845, 18.299, 22.079, 23.430, 23.818}},
        {"q4", FE_PLANE_STRESS, {21.050, 23.016, 23.689, 23.883, 23.940}},
        {"t3", FE_PLANE_STRAIN, {5.087, 5.190, 5.247, 5.365, 5.743}},
        {"q4-plain", FE_PLANE_STRAIN, {5.085, 5.208, 5.352, 5.791, 7.113}},
        {"q4", FE_PLANE_STRAIN, {15.682, 17.046, 17.913, 18.266, 18.405}},
        {"q8", FE_PLANE_STRESS, {22.718, 23.708, 23.884, 23.935, 23.955}},
        {"q8", FE_PLANE_STRAIN, {10.792, 16.022, 17.685, 18.199, 18.378}},
    };
    figures f = {0};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        bool strain = row[k].plane == FE_PLANE_STRAIN;
        for (int j = 0; j < 5; j++) {
            double got = cook(row[k].element, 2 << j, strain ? 0.4999 : 1.0 / 3.0, row[k].plane);
            figure_below(&f, 1e-3, fabs(got - row[k].deflection[j]), "%s %s n = %d: %.4f",
                         row[k].element, strain ? "nearly incompressible" : "plane stress", 2 << j,
                         got);
        }
    }
    // The prototype cuts its cells along the other diagonal for these: the finest mesh alone.
    figure_below(&f, 1e-3, fabs(cook("t6", 32, 1.0 / 3.0, FE_PLANE_STRESS) - 23.952), "t6");
    figure_below(&f, 5e-3, fabs(cook("t6", 32, 0.4999, FE_PLANE_STRAIN) - 18.360),
                 "t6 nearly incompressible");
    figures_check(&f);
}

// ---- cantilevers ----

// Nodal forces of the shear 1.5 (1 - 4 y^2) on the face x = 5, integrated with a 3 x 3 Gauss rule.
static void add_parabolic_shear(const fe_mesh *mesh, double *load) {
    static const double at[3] = {-0.77459666924148337704, 0.0, 0.77459666924148337704};
    static const double weight[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    const fe_group *tip = group_of(mesh, "right");
    int32_t dim = mesh->dim, per = mesh->element->face_nodes;
    for (int32_t f = 0; f < tip->faces; f++) {
        const int32_t *node = mesh->face + per * tip->face[f];
        double x[4][3] = {{0.0}};
        for (int32_t a = 0; a < per; a++) {
            memcpy(x[a], mesh->node + dim * node[a], sizeof(double) * (size_t)dim);
        }
        for (int p = 0; p < 9; p++) {
            // Natural coordinates on (0, 1); a triangle is a square with a collapsed side.
            double s = 0.5 * (1.0 + at[p % 3]), t = 0.5 * (1.0 + at[p / 3]), N[4] = {0.0};
            double w = 0.25 * weight[p % 3] * weight[p / 3], a[3], b[3], y = 0.0;
            if (per == 2) {
                N[0] = 1.0 - s;
                N[1] = s;
                w *= hypot(x[1][0] - x[0][0], x[1][1] - x[0][1]);
            } else {
                for (int i = 0; i < 3; i++) {
                    a[i] = x[1][i] - x[0][i];
                    b[i] = x[per - 1][i] - x[0][i];
                }
                w *= fabs(a[1] * b[2] - a[2] * b[1]);
                N[0] = per == 3 ? 1.0 - s : (1.0 - s) * (1.0 - t);
                N[1] = per == 3 ? s * (1.0 - t) : s * (1.0 - t);
                N[2] = s * t;
                N[3] = per == 3 ? 0.0 : (1.0 - s) * t;
                w *= per == 3 ? s : 1.0;
            }
            for (int32_t i = 0; i < per; i++) {
                y += N[i] * x[i][1];
            }
            for (int32_t i = 0; i < per; i++) {
                load[dim * node[i] + 1] += w * N[i] * 1.5 * (1.0 - 4.0 * y * y);
            }
        }
    }
}

// Mean deflection of the tip over Timoshenko's P L^3 / 3 E I + 1.2 P L / G A (4.0312 for nu = 0.3),
// of nx cells along, n across.
static double cantilever(const char *element, int nx, int n, double poisson) {
    cn_arena *memory = cn_arena_create(NULL);
    fe_mesh mesh = make_box(memory, element, 10.0, 1.0, 1.0, nx, n, n, FE_PATTERN_DIAGONAL);
    int32_t dim = mesh.dim, dofs = dim * mesh.nodes;
    uint8_t *held = BASE_TAKE_ZERO(memory, uint8_t, dofs);
    double *load = BASE_TAKE_ZERO(memory, double, dofs), *u = BASE_TAKE_ZERO(memory, double, dofs);
    fe_hold(&mesh, group_of(&mesh, "left"), 7, held);
    add_parabolic_shear(&mesh, load);
    double total = 0.0, mean = 0.0;
    for (int32_t i = 1; i < dofs; i += dim) {
        total += load[i];
    }
    CN_CHECK_NEAR(total, 1.0, 1e-12);
    fe_material material = {.density = 1.0, .young = 1000.0, .poisson = poisson};
    solve_static(memory, &mesh, material, FE_PLANE_STRESS, held, NULL, load, u);
    const fe_group *tip = group_of(&mesh, "right");
    for (int32_t k = 0; k < tip->nodes; k++) {
        mean += u[dim * tip->node[k] + 1] / tip->nodes;
    }
    cn_arena_destroy(memory);
    return mean / (4.0 + 1.2 * 10.0 * 2.0 * (1.0 + poisson) / 1000.0);
}

// Against the same prototype, to a unit of its last digit.
CN_TEST(cantilever_in_2d) {
    static const struct {
        const char *element;
        double ratio[3]; // 10 x 1, 20 x 2, 40 x 4 cells
    } row[] = {
        {"t3", {0.2294, 0.5374, 0.8204}}, {"q4-plain", {0.6736, 0.8883, 0.9677}},
        {"q4", {0.9962, 0.9952, 0.9970}}, {"t6", {0.9905, 0.9964, 0.9977}},
        {"q8", {0.9905, 0.9966, 0.9977}},
    };
    figures f = {0};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        for (int j = 0; j < 3; j++) {
            double got = cantilever(row[k].element, 10 << j, 1 << j, 0.3);
            figure_below(&f, 1e-4, fabs(got - row[k].ratio[j]), "%s %d x %d: %.5f", row[k].element,
                         10 << j, 1 << j, got);
        }
    }
    figures_check(&f);
}

CN_TEST(cantilever_in_3d) {
    static const struct {
        const char *element;
        double poisson, ratio[3]; // 10 x 1 x 1, 20 x 2 x 2, 40 x 4 x 4 cells
    } row[] = {
        {"tet4", 0.3, {0.219, 0.504, 0.787}},        {"h8-plain", 0.3, {0.643, 0.869, 0.957}},
        {"h8", 0.3, {0.986, 0.987, 0.990}},          {"tet4", 0.4999, {0.010, 0.011, 0.014}},
        {"h8-plain", 0.4999, {0.080, 0.191, 0.347}}, {"h8", 0.4999, {0.770, 0.827, 0.930}},
        {"tet10", 0.3, {0.976, 0.989, 0.992}},       {"tet10", 0.4999, {0.861, 0.942, 0.968}},
    };
    figures f = {0};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        for (int j = 0; j < 3; j++) {
            double got = cantilever(row[k].element, 10 << j, 1 << j, row[k].poisson);
            figure_below(&f, 1e-3, fabs(got - row[k].ratio[j]), "%s nu = %g, %d x %d x %d: %.5f",
                         row[k].element, row[k].poisson, 10 << j, 1 << j, 1 << j, got);
        }
    }
    figures_check(&f);
}

// ---- natural frequencies ----

// The lowest three frequencies [rad/s] of K x = omega^2 M x on the free dofs, by inverse iteration
// on a subspace of eight vectors with Gram-Schmidt in M.
static void frequencies(cn_arena *memory, const fe_operators *ops, const uint8_t *held,
                        double omega[3]) {
    enum { COUNT = 8 };
    int32_t *place = BASE_TAKE(memory, int32_t, ops->dofs), n = 0;
    for (int32_t i = 0; i < ops->dofs; i++) {
        place[i] = held[i] ? -1 : n++;
    }
    cn_csr K, M;
    sparse_linear *factor;
    fe_csr_restrict(memory, &ops->K, n, place, &K);
    fe_csr_restrict(memory, &ops->M, n, place, &M);
    const sparse_linear_backend *backend = sparse_linear_backend_find("skyline");
    assert_int_equal(sparse_linear_create(backend, NULL, &K, &factor, NULL), CN_OK);
    assert_int_equal(sparse_linear_factorize(factor, &K, NULL), CN_OK);
    double *x = BASE_TAKE(memory, double, COUNT *n), *Mx = BASE_TAKE(memory, double, n);
    base_rng rng = base_rng_seed(1);
    for (int32_t i = 0; i < COUNT * n; i++) {
        x[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    for (int round = 0; round < 40; round++) {
        for (int k = 0; k < COUNT; k++) {
            double *column = x + n * k;
            sparse_csr_apply(&M, column, Mx);
            memcpy(column, Mx, sizeof *Mx * (size_t)n);
        }
        assert_int_equal(sparse_linear_solve(factor, COUNT, x), CN_OK);
        for (int k = 0; k < COUNT; k++) {
            double *column = x + n * k, norm = 0.0;
            for (int pass = 0; pass < 2; pass++) {
                for (int l = 0; l < k; l++) {
                    double product = 0.0;
                    sparse_csr_apply(&M, column, Mx);
                    for (int32_t i = 0; i < n; i++) {
                        product += x[n * l + i] * Mx[i];
                    }
                    for (int32_t i = 0; i < n; i++) {
                        column[i] -= product * x[n * l + i];
                    }
                }
            }
            sparse_csr_apply(&M, column, Mx);
            for (int32_t i = 0; i < n; i++) {
                norm += column[i] * Mx[i];
            }
            for (int32_t i = 0; i < n; i++) {
                column[i] /= sqrt(norm);
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        double energy = 0.0;
        sparse_csr_apply(&K, x + n * k, Mx);
        for (int32_t i = 0; i < n; i++) {
            energy += x[n * k + i] * Mx[i];
        }
        omega[k] = sqrt(energy);
    }
    sparse_linear_destroy(factor);
}

// A clamped beam 10 x 0.5: over Euler and Bernoulli, below 1 by the shear of Timoshenko's beam. The
// coarse lumped mesh against a prototype to its last digit; fine ones against eight-node elements.
CN_TEST(frequencies_of_a_clamped_beam) {
    static const double euler[3] = {0.160483, 1.005732, 2.816079};
    static const struct {
        int refine;
        fe_mass mass;
        double want[3], allowed;
    } row[] = {
        {1, FE_MASS_LUMPED, {0.9993, 0.9877, 0.9719}, 1e-4},
        {4, FE_MASS_LUMPED, {0.9989, 0.9876, 0.9703}, 3e-3},
        {4, FE_MASS_CONSISTENT, {0.9989, 0.9876, 0.9703}, 3e-3},
    };
    figures f = {0};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        cn_arena *memory = cn_arena_create(NULL);
        fe_mesh mesh = make_box(memory, "q4", 10.0, 0.5, 0, 20 * row[k].refine, 2 * row[k].refine,
                                0, FE_PATTERN_DIAGONAL);
        fe_material material = {.density = 1.0, .young = 1000.0, .poisson = 0.3};
        uint8_t *held = BASE_TAKE_ZERO(memory, uint8_t, 2 * mesh.nodes);
        fe_operators ops;
        double omega[3];
        fe_hold(&mesh, group_of(&mesh, "left"), 3, held);
        assert_int_equal(fe_operators_assemble(memory, &mesh, &material, FE_PLANE_STRESS,
                                               row[k].mass, &ops, NULL),
                         CN_OK);
        frequencies(memory, &ops, held, omega);
        for (int j = 0; j < 3; j++) {
            double ratio = omega[j] / euler[j];
            figure_below(&f, row[k].allowed, fabs(ratio - row[k].want[j]),
                         "%s mass, %d cells across, frequency %d: %.5f",
                         row[k].mass == FE_MASS_LUMPED ? "lumped" : "consistent", 2 * row[k].refine,
                         j + 1, ratio);
        }
        cn_arena_destroy(memory);
    }
    figures_check(&f);
}
