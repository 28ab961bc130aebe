// The element table, one element at a time: shape functions, mass, stiffness, stress, tangents.
#include "check.h"

#include "body/fe/element.h"
#include "fe_bodies.h"
#include "figures.h"

static const fe_material steel = {.density = 3.0, .young = 7.0, .poisson = 0.3};

// A distorted, valid element in general position.
static void distorted(const fe_element *e, uint64_t seed, double *X) {
    base_rng rng = base_rng_seed(seed);
    for (int32_t a = 0; a < e->nodes; a++) {
        for (int32_t i = 0; i < e->dim; i++) {
            double off = e->linear ? 0.03 : 0.12; // edges are half as long between nodes
            X[e->dim * a + i] = 0.7 * e->corner[a][i] + base_rng_uniform(&rng, -off, off);
        }
    }
}

// u of node a: axis i of G x.
static void linear_field(const fe_element *e, const double *X, const double *G, double *u) {
    for (int32_t a = 0; a < e->nodes; a++) {
        for (int32_t i = 0; i < e->dim; i++) {
            u[e->dim * a + i] = 0.0;
            for (int32_t j = 0; j < e->dim; j++) {
                u[e->dim * a + i] += G[3 * i + j] * X[e->dim * a + j];
            }
        }
    }
}

static const double gradient[9] = {0.3, -0.2, 0.5, 0.4, 0.1, -0.3, 0.2, 0.6, -0.4};

CN_TEST(every_row_of_the_table_is_complete) {
    assert_int_equal(fe_element_count(), 9);
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        CN_CHECK_TRUE(fe_element_find(e->name) == e);
        CN_CHECK_TRUE(e->about && e->shape && e->mass && e->lump && e->stiffness &&
                      e->force_tangent && e->stress);
        CN_CHECK_TRUE(e->nodes <= FE_NODES_MAX && e->nodes * e->dim <= FE_DOFS_MAX);
        CN_CHECK_TRUE(e->modes <= FE_MODES_MAX && (e->modes == 0) == (e->mode == NULL));
    }
    CN_CHECK_TRUE(fe_element_find("t4") == NULL);
    CN_CHECK_TRUE(fe_element_at(-1) == NULL && fe_element_at(9) == NULL);
    cn_error error;
    const fe_element *found;
    assert_int_equal(fe_element_lookup("h8-plane", &found, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "unknown element 'h8-plane'");
    assert_string_equal(error.hint, "did you mean 'h8-plain'?");
}

CN_TEST(shape_functions_interpolate) {
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        double N[FE_NODES_MAX], dN[FE_DOFS_MAX], plus[FE_NODES_MAX], minus[FE_NODES_MAX];
        double unused[FE_DOFS_MAX];
        for (int32_t a = 0; a < e->nodes; a++) {
            e->shape(e->corner[a], N, dN);
            for (int32_t b = 0; b < e->nodes; b++) {
                CN_CHECK_NEAR(N[b], a == b ? 1.0 : 0.0, 1e-15);
            }
        }
        double at[3] = {0.21, 0.13, e->dim == 3 ? 0.17 : 0.0};
        e->shape(at, N, dN);
        for (int32_t i = 0; i < e->dim; i++) {
            double moved[3] = {at[0], at[1], at[2]};
            moved[i] += 1e-6;
            e->shape(moved, plus, unused);
            moved[i] -= 2e-6;
            e->shape(moved, minus, unused);
            for (int32_t a = 0; a < e->nodes; a++) {
                CN_CHECK_NEAR(dN[e->dim * a + i], (plus[a] - minus[a]) / 2e-6, 1e-9);
            }
        }
    }
}

// A linear field has constant strain, whose stress and forces are known: the forces balance the
// integral of B' with one constant stress.
CN_TEST(constant_strain_is_exact_in_distorted_elements) {
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        for (int plane = 0; plane < (e->dim == 2 ? 2 : 1); plane++) {
            double X[FE_DOFS_MAX], u[FE_DOFS_MAX], K[FE_DOFS_MAX * FE_DOFS_MAX], stress[6];
            distorted(e, 5, X);
            linear_field(e, X, gradient, u);
            fe_elastic law = fe_elastic_of(&steel, e->dim, (fe_plane)plane);
            e->stress(e, &law, X, u, stress);
            double mu = 7.0 / 2.6, lambda = 7.0 * 0.3 / (1.3 * 0.4);
            double zz = e->dim == 3 ? gradient[8] : 0.0;
            if (e->dim == 2 && plane == FE_PLANE_STRESS) {
                zz = -0.3 / 0.7 * (gradient[0] + gradient[4]);
            }
            double trace = gradient[0] + gradient[4] + zz;
            double want[6] = {lambda * trace + 2.0 * mu * gradient[0],
                              lambda * trace + 2.0 * mu * gradient[4],
                              lambda * trace + 2.0 * mu * zz,
                              mu * (gradient[1] + gradient[3]),
                              e->dim == 3 ? mu * (gradient[5] + gradient[7]) : 0.0,
                              e->dim == 3 ? mu * (gradient[2] + gradient[6]) : 0.0};
            for (int s = 0; s < 6; s++) {
                CN_CHECK_NEAR(stress[s], want[s], 1e-14 * 7.0);
            }
            // Energy u'K u = volume strain:stress, virtual work of the constant field.
            e->stiffness(e, &law, X, K);
            int32_t dofs = e->dim * e->nodes;
            double energy = 0.0;
            for (int32_t i = 0; i < dofs; i++) {
                for (int32_t j = 0; j < dofs; j++) {
                    energy += u[i] * K[dofs * i + j] * u[j];
                }
            }
            double density = want[0] * gradient[0] + want[1] * gradient[4] +
                             want[3] * (gradient[1] + gradient[3]);
            if (e->dim == 3) {
                density += want[2] * gradient[8] + want[4] * (gradient[5] + gradient[7]) +
                           want[5] * (gradient[2] + gradient[6]);
            }
            double J[9], volume = 0.0; // by the rule of the stiffness
            for (int32_t p = 0; p < e->rule.points; p++) {
                volume += e->rule.point[p][3] * fe_jacobian(e, X, e->rule.point[p], J);
            }
            CN_CHECK_NEAR(energy / (density * volume), 1.0, 1e-13);
        }
    }
}

// K is symmetric, has no energy in rigid motions, and no others: its rank is dofs - 3 (2D), - 6.
CN_TEST(stiffness_has_the_rigid_modes_and_no_others) {
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        int32_t dofs = e->dim * e->nodes, rigid = e->dim == 2 ? 3 : 6;
        double X[FE_DOFS_MAX], K[FE_DOFS_MAX * FE_DOFS_MAX];
        double mode[6][FE_DOFS_MAX];
        distorted(e, 11, X);
        fe_elastic law = fe_elastic_of(&steel, e->dim, FE_PLANE_STRAIN);
        e->stiffness(e, &law, X, K);
        for (int32_t i = 0; i < dofs; i++) {
            for (int32_t j = 0; j < dofs; j++) {
                CN_CHECK_TRUE(K[dofs * i + j] == K[dofs * j + i]);
            }
        }
        for (int32_t m = 0; m < rigid; m++) {
            static const double turn[3][9] = {{0, -1, 0, 1, 0, 0, 0, 0, 0},
                                              {0, 0, 1, 0, 0, 0, -1, 0, 0},
                                              {0, 0, 0, 0, 0, -1, 0, 1, 0}};
            for (int32_t a = 0; a < e->nodes && m < e->dim; a++) {
                for (int32_t i = 0; i < e->dim; i++) {
                    mode[m][e->dim * a + i] = i == m ? 1.0 : 0.0;
                }
            }
            if (m >= e->dim) {
                linear_field(e, X, turn[m - e->dim], mode[m]);
            }
            for (int32_t i = 0; i < dofs; i++) {
                double force = 0.0;
                for (int32_t j = 0; j < dofs; j++) {
                    force += K[dofs * i + j] * mode[m][j];
                }
                CN_CHECK_NEAR(force, 0.0, 1e-13 * 7.0);
            }
        }
        // With the rigid modes stiffened K is positive definite: Gauss elimination without exchange
        // meets no small pivot.
        for (int32_t m = 0; m < rigid; m++) {
            for (int32_t i = 0; i < dofs; i++) {
                for (int32_t j = 0; j < dofs; j++) {
                    K[dofs * i + j] += mode[m][i] * mode[m][j];
                }
            }
        }
        for (int32_t p = 0; p < dofs; p++) {
            CN_CHECK_TRUE(K[dofs * p + p] > 0.02);
            for (int32_t i = p + 1; i < dofs; i++) {
                double f = K[dofs * i + p] / K[dofs * p + p];
                for (int32_t j = p; j < dofs; j++) {
                    K[dofs * i + j] -= f * K[dofs * p + j];
                }
            }
        }
    }
}

// The tangent against central differences of the force, at a large displacement; the force itself
// is free of rigid motions, rotations of any angle included.
CN_TEST(tangents_are_derivatives_of_forces) {
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        int32_t dofs = e->dim * e->nodes;
        double X[FE_DOFS_MAX], u[FE_DOFS_MAX], f[FE_DOFS_MAX], plus[FE_DOFS_MAX];
        double minus[FE_DOFS_MAX], K[FE_DOFS_MAX * FE_DOFS_MAX], size = 0.0, off = 0.0;
        distorted(e, 17, X);
        fe_elastic law = fe_elastic_of(&steel, e->dim, FE_PLANE_STRESS);
        base_rng rng = base_rng_seed(19);
        linear_field(e, X, gradient, u);
        for (int32_t i = 0; i < dofs; i++) {
            u[i] += base_rng_uniform(&rng, -0.1, 0.1);
        }
        e->force_tangent(e, &law, X, u, f, K);
        for (int32_t j = 0; j < dofs; j++) {
            const double step = 1e-5;
            double kept = u[j];
            u[j] = kept + step;
            e->force_tangent(e, &law, X, u, plus, NULL);
            u[j] = kept - step;
            e->force_tangent(e, &law, X, u, minus, NULL);
            u[j] = kept;
            for (int32_t i = 0; i < dofs; i++) {
                double difference = (plus[i] - minus[i]) / (2.0 * step);
                off = fmax(off, fabs(K[dofs * i + j] - difference));
                size = fmax(size, fabs(K[dofs * i + j]));
                CN_CHECK_TRUE(K[dofs * i + j] == K[dofs * j + i]);
            }
        }
        CN_CHECK_BELOW(off / size, 1e-8);
        // A turn by 2 radians and a shift: no force.
        double c = cos(2.0), s = sin(2.0);
        const double turn[9] = {c - 1.0, -s, 0.0, s, c - 1.0, 0.0, 0.0, 0.0, 0.0};
        linear_field(e, X, turn, u);
        for (int32_t i = 0; i < dofs; i++) {
            u[i] += 0.3;
        }
        e->force_tangent(e, &law, X, u, f, NULL);
        CN_CHECK_BELOW(largest(dofs, f) / 7.0, 1e-14);
    }
}

// At u = 0 the tangent is the stiffness of small strain.
CN_TEST(tangent_at_rest_is_the_stiffness) {
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        int32_t dofs = e->dim * e->nodes;
        double X[FE_DOFS_MAX], u[FE_DOFS_MAX] = {0.0}, f[FE_DOFS_MAX];
        double K[FE_DOFS_MAX * FE_DOFS_MAX], small[FE_DOFS_MAX * FE_DOFS_MAX];
        distorted(e, 23, X);
        fe_elastic law = fe_elastic_of(&steel, e->dim, FE_PLANE_STRAIN);
        e->force_tangent(e, &law, X, u, f, K);
        e->stiffness(e, &law, X, small);
        for (int32_t i = 0; i < dofs * dofs; i++) {
            CN_CHECK_NEAR(K[i], small[i], 1e-14 * 7.0);
        }
    }
}

CN_TEST(masses_add_up) {
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        double X[FE_DOFS_MAX], M[FE_NODES_MAX * FE_NODES_MAX];
        double rows[FE_NODES_MAX], hrz[FE_NODES_MAX], own[FE_NODES_MAX];
        double sum_rows = 0.0, sum_hrz = 0.0;
        distorted(e, 29, X);
        e->mass(e, 3.0, X, M);
        fe_lump_row_sums(e->nodes, M, rows);
        fe_lump_hrz(e->nodes, M, hrz);
        e->lump(e->nodes, M, own);
        for (int32_t a = 0; a < e->nodes; a++) {
            sum_rows += rows[a];
            sum_hrz += hrz[a];
            CN_CHECK_TRUE(own[a] > 0.0 && hrz[a] > 0.0);
        }
        double mass = 3.0 * fe_volume(e, X);
        CN_CHECK_NEAR(sum_rows / mass, 1.0, 1e-14);
        CN_CHECK_NEAR(sum_hrz / mass, 1.0, 1e-14);
    }
}

// Closed forms: triangle and tetrahedron A/12 (1 + delta), V/20 (1 + delta); of the unit square
// 1/36 (4 2 1 2); of the unit cube products of 1/3 and 1/6.
CN_TEST(consistent_masses_have_their_closed_forms) {
    for (int32_t k = 0; k < fe_element_count(); k++) {
        const fe_element *e = fe_element_at(k);
        double X[FE_DOFS_MAX], M[FE_NODES_MAX * FE_NODES_MAX];
        bool simplex = e->nodes == e->dim + 1;
        if (e->linear) {
            continue; // below
        }
        for (int32_t a = 0; a < e->nodes; a++) {
            for (int32_t i = 0; i < e->dim; i++) {
                X[e->dim * a + i] = simplex ? e->corner[a][i] : 0.5 * e->corner[a][i];
            }
        }
        e->mass(e, 1.0, X, M);
        for (int32_t a = 0; a < e->nodes; a++) {
            for (int32_t b = 0; b < e->nodes; b++) {
                double want = e->dim == 2 ? 0.5 / 12.0 : 1.0 / 6.0 / 20.0;
                want *= a == b ? 2.0 : 1.0;
                for (int32_t i = 0; i < e->dim && !simplex; i++) {
                    double same = e->corner[a][i] == e->corner[b][i] ? 1.0 / 3.0 : 1.0 / 6.0;
                    want = (i == 0 ? 1.0 : want) * same;
                }
                CN_CHECK_NEAR(M[e->nodes * a + b], want, 1e-15);
            }
        }
    }
}

// The consistent mass of the six-node triangle over A/180: row sums give its corners nothing, HRZ
// does not.
CN_TEST(hrz_keeps_corner_masses_positive) {
    static const double M[36] = {6,  -1, -1, 0,  -4, 0,  -1, 6,  -1, 0,  0,  -4,
                                 -1, -1, 6,  -4, 0,  0,  0,  0,  -4, 32, 16, 16,
                                 -4, 0,  0,  16, 32, 16, 0,  -4, 0,  16, 16, 32};
    double rows[6], hrz[6], sum = 0.0;
    fe_lump_row_sums(6, M, rows);
    fe_lump_hrz(6, M, hrz);
    for (int a = 0; a < 6; a++) {
        CN_CHECK_NEAR(rows[a], a < 3 ? 0.0 : 60.0, 1e-13);
        CN_CHECK_NEAR(hrz[a], (a < 3 ? 6.0 : 32.0) * 180.0 / 114.0, 1e-12);
        sum += hrz[a];
    }
    CN_CHECK_NEAR(sum, 180.0, 1e-12);
}

// Of quadratic elements: the mass of a field xi^2 is the integral of xi^4, 1/30 over the triangle,
// 1/210 over the tetrahedron, 4/5 over the square; and the mass of the triangle is the one above.
CN_TEST(masses_of_quadratic_elements_are_exact) {
    static const struct {
        const char *name;
        double want;
    } row[] = {{"t6", 1.0 / 30.0}, {"tet10", 1.0 / 210.0}, {"q8", 0.8}};
    for (int k = 0; k < 3; k++) {
        const fe_element *e = fe_element_find(row[k].name);
        double X[FE_DOFS_MAX], M[FE_NODES_MAX * FE_NODES_MAX], sum = 0.0;
        for (int32_t i = 0; i < e->dim * e->nodes; i++) {
            X[i] = e->corner[i / e->dim][i % e->dim];
        }
        e->mass(e, 1.0, X, M);
        for (int32_t a = 0; a < e->nodes; a++) {
            for (int32_t b = 0; b < e->nodes; b++) {
                double fa = e->corner[a][0] * e->corner[a][0],
                       fb = e->corner[b][0] * e->corner[b][0];
                sum += fa * M[e->nodes * a + b] * fb;
            }
        }
        CN_CHECK_NEAR(sum / row[k].want, 1.0, 1e-14);
    }
}

CN_TEST(bad_materials_are_refused) {
    static const struct {
        fe_material material;
        const char *text;
    } bad[] = {
        {{.density = 0.0, .young = 1.0, .poisson = 0.3}, "the density 0 is not positive"},
        {{.density = NAN, .young = 1.0, .poisson = 0.3}, "the density nan is not positive"},
        {{.density = 1.0, .young = -2.0, .poisson = 0.3}, "Young's modulus -2 is not positive"},
        {{.density = 1.0, .young = INFINITY, .poisson = 0.3},
         "Young's modulus inf is not positive"},
        {{.density = 1.0, .young = 1.0, .poisson = 0.5}, "Poisson's ratio 0.5 is not in (-1, 0.5)"},
        {{.density = 1.0, .young = 1.0, .poisson = -1.0}, "Poisson's ratio -1 is not in (-1, 0.5)"},
        {{.density = 1.0, .young = 1.0, .poisson = NAN}, "Poisson's ratio nan is not in (-1, 0.5)"},
        {{.density = 1.0, .young = 1.0, .damping_mass = -1.0},
         "the damping -1 of the mass is not >= 0"},
        {{.density = 1.0, .young = 1.0, .damping_stiffness = NAN},
         "the damping nan of the stiffness is not >= 0"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cn_error error;
        assert_int_equal(fe_material_validate(&bad[k].material, &error), CN_ERR_INPUT);
        assert_string_equal(error.message, bad[k].text);
    }
    assert_int_equal(fe_material_validate(&steel, NULL), CN_OK);
}

// Hooke's law inverted: a uniaxial stress gives E and nu back, in all three settings.
CN_TEST(the_law_has_its_engineering_constants) {
    fe_elastic solid = fe_elastic_of(&steel, 3, FE_PLANE_STRAIN);
    double strain[6] = {1.0 / 7.0, -0.3 / 7.0, -0.3 / 7.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 6; i++) {
        double stress = 0.0;
        for (int j = 0; j < 6; j++) {
            stress += solid.D[6 * i + j] * strain[j];
        }
        CN_CHECK_NEAR(stress, i == 0 ? 1.0 : 0.0, 1e-15);
    }
    fe_elastic sheet = fe_elastic_of(&steel, 2, FE_PLANE_STRESS);
    CN_CHECK_NEAR(sheet.D[0] * strain[0] + sheet.D[1] * strain[1], 1.0, 1e-15);
    CN_CHECK_NEAR(sheet.D[3] * strain[0] + sheet.D[4] * strain[1], 0.0, 1e-15);
    // Plane strain: E/(1 - nu^2) and nu/(1 - nu) stand for E and nu.
    fe_elastic plane = fe_elastic_of(&steel, 2, FE_PLANE_STRAIN);
    double e = 7.0 / (1.0 - 0.09), nu = 0.3 / 0.7;
    CN_CHECK_NEAR(plane.D[0] / e - nu * plane.D[1] / e, 1.0, 1e-15);
    CN_CHECK_NEAR(plane.D[8], 7.0 / 2.6, 1e-15);
}

CN_TEST(principal_stresses_and_mises) {
    double value[3], axes[9];
    const double uniaxial[6] = {0.0, 5.0, 0.0, 0.0, 0.0, 0.0};
    CN_CHECK_NEAR(fe_mises(uniaxial), 5.0, 1e-15);
    const double shear[6] = {0.0, 0.0, 0.0, 2.0, 0.0, 0.0};
    CN_CHECK_NEAR(fe_mises(shear), 2.0 * sqrt(3.0), 1e-15);
    fe_principal(shear, value, axes);
    CN_CHECK_NEAR(value[0], 2.0, 1e-15);
    CN_CHECK_NEAR(value[1], 0.0, 1e-15);
    CN_CHECK_NEAR(value[2], -2.0, 1e-15);
    CN_CHECK_NEAR(fabs(axes[0] + axes[1]), sqrt(2.0), 1e-15);
    const double hydrostatic[6] = {-3.0, -3.0, -3.0, 0.0, 0.0, 0.0};
    fe_principal(hydrostatic, value, axes);
    CN_CHECK_TRUE(value[0] == -3.0 && value[2] == -3.0);
    CN_CHECK_NEAR(fe_mises(hydrostatic), 0.0, 0.0);
    // Random tensors: the sum of value n n' is the tensor; values descend; the axes are a rotation.
    base_rng rng = base_rng_seed(31);
    for (int round = 0; round < 200; round++) {
        double s[6];
        for (int i = 0; i < 6; i++) {
            s[i] = base_rng_uniform(&rng, -1.0, 1.0) * (round % 5 == 0 && i > 2 ? 1e-9 : 1.0);
        }
        fe_principal(s, value, axes);
        CN_CHECK_TRUE(value[0] >= value[1] && value[1] >= value[2]);
        static const int8_t pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
        for (int i = 0; i < 6; i++) {
            double sum = 0.0, unit = 0.0;
            for (int m = 0; m < 3; m++) {
                double product = axes[3 * m + pair[i][0]] * axes[3 * m + pair[i][1]];
                sum += value[m] * product;
                unit += product;
            }
            CN_CHECK_NEAR(sum, s[i], 1e-14);
            CN_CHECK_NEAR(unit, i < 3 ? 1.0 : 0.0, 1e-14);
        }
        double det = axes[0] * (axes[4] * axes[8] - axes[5] * axes[7]) -
                     axes[1] * (axes[3] * axes[8] - axes[5] * axes[6]) +
                     axes[2] * (axes[3] * axes[7] - axes[4] * axes[6]);
        CN_CHECK_NEAR(det, 1.0, 1e-14);
        double a = value[0] - value[1], b = value[1] - value[2], c = value[2] - value[0];
        CN_CHECK_NEAR(fe_mises(s), sqrt(0.5 * (a * a + b * b + c * c)), 1e-14);
    }
}
