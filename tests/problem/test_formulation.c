// Formulations: the complementarity problems are the friction problem they stand for, exact in 2D,
// and in 3D wrong by what geometry says.
#include "check.h"

#include "base/arena.h"
#include "problem/operator/operator.h"
#include "sparse/csr.h"

#include "failing_allocator.h"

#include <cairn/solve.h>
#include <string.h>

#define PI 3.14159265358979323846

// A planted pile and its local form.
typedef struct pile {
    cn_problem *problem;
    cn_friction p;
    cn_arena *memory;
} pile;

static pile plant(int32_t dim, int32_t contacts, double deficiency, double mu, uint64_t seed) {
    pile s = {.memory = cn_arena_create(NULL)};
    cn_planted_opts opts = cn_planted_opts_default();
    opts.dim = dim;
    opts.contacts = contacts;
    opts.deficiency = deficiency;
    opts.friction = mu;
    opts.seed = seed;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &s.problem, NULL) == CN_OK);
    CN_CHECK_TRUE(cn_friction_condense(&s.problem->global, s.memory, &s.p, NULL) == CN_OK);
    return s;
}

static void uproot(pile *s) {
    cn_problem_destroy(s->problem);
    cn_arena_destroy(s->memory);
}

static cn_formulated formulate(const char *name, const cn_friction *p, int32_t facets,
                               cn_arena *memory) {
    cn_formulation_opts how = cn_formulation_opts_default();
    cn_formulated f;
    how.facets = facets;
    CN_CHECK_TRUE(cn_formulate(cn_formulation_find(name), p, &how, memory, &f, NULL) == CN_OK);
    return f;
}

// ---- the table ----

CN_TEST(rows_are_complete) {
    for (int32_t i = 0; i < cn_formulation_count(); i++) {
        const cn_formulation *row = cn_formulation_at(i);
        CN_CHECK_TRUE(strlen(row->name) > 0 && strlen(row->about) > 0 && strlen(row->source) > 0);
        CN_CHECK_TRUE(row->traits & (CN_FORMULATES_LOCAL | CN_FORMULATES_GLOBAL));
        CN_CHECK_TRUE(cn_formulation_find(row->name) == row);
    }
    CN_CHECK_TRUE(!cn_formulation_at(-1) && !cn_formulation_at(cn_formulation_count()));
    CN_CHECK_TRUE(!cn_formulation_find("nobody") && !cn_formulation_find(NULL));
}

CN_TEST(every_formulation_is_a_valid_problem_of_the_kind_it_says) {
    pile s = plant(3, 6, 0.3, 0.4, 2);
    double threshold[6] = {0.1, 0.2, 0.0, 0.3, 0.1, 0.4};
    for (int32_t i = 0; i < cn_formulation_count(); i++) {
        const cn_formulation *row = cn_formulation_at(i);
        cn_formulation_opts how = {.facets = 6, .threshold = threshold};
        cn_formulated f;
        cn_lcp lcp;
        cn_status status =
            row->traits & CN_FORMULATES_LOCAL
                ? cn_formulate(row, &s.p, &how, s.memory, &f, NULL)
                : cn_formulate_global(row, &s.problem->global, &how, s.memory, &f, NULL);
        CN_CHECK_TRUE(status == CN_OK && f.formulation == row);
        CN_CHECK_TRUE(cn_mcp_validate(&f.mcp, NULL) == CN_OK);
        CN_CHECK_TRUE(cn_mcp_as_lcp(&f.mcp, &lcp) == ((row->traits & CN_FORMULATES_LCP) != 0));
    }
    uproot(&s);
}

CN_TEST(what_a_formulation_cannot_take_is_refused) {
    pile s = plant(3, 4, 0.0, 0.4, 3);
    cn_formulation_opts how = cn_formulation_opts_default();
    cn_formulated f;
    cn_error error;
    const cn_formulation stranger = *cn_formulation_find("inner");
    CN_CHECK_TRUE(cn_formulate(cn_formulation_find("mixed"), &s.p, &how, s.memory, &f, &error) ==
                  CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_formulate_global(cn_formulation_find("inner"), &s.problem->global, &how,
                                      s.memory, &f, &error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_formulate(cn_formulation_find("box"), &s.p, &how, s.memory, &f, &error) ==
                  CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "threshold") != NULL);
    CN_CHECK_TRUE(cn_formulate(&stranger, &s.p, &how, s.memory, &f, &error) == CN_ERR_ARGUMENT);
    const int32_t bad[] = {-1, 0, 1, CN_FACETS_MAX + 1};
    for (int32_t i = 0; i < 4; i++) {
        how.facets = bad[i];
        CN_CHECK_TRUE(cn_formulate(cn_formulation_find("outer"), &s.p, &how, s.memory, &f,
                                   &error) == CN_ERR_ARGUMENT);
        CN_CHECK_TRUE(strlen(error.hint) > 0);
    }
    uproot(&s);
}

// ---- one contact by hand ----

// W = 1, q = (-1, 0.3, 0.4), mu = 1/2: it slides along -(3, 4)/5 with r = (1, -0.3, -0.4).
static cn_friction unit_contact(cn_arena *memory, int32_t dim, double mu, const double *q) {
    const int32_t index[] = {0, 1, 2};
    const double one[] = {1.0, 1.0, 1.0};
    cn_csr W;
    cn_friction p;
    CN_CHECK_TRUE(sparse_csr_from_triplets(memory, dim, dim, dim, index, index, one, &W) == CN_OK);
    CN_CHECK_TRUE(prob_friction_from_csr(memory, dim, 1, &W, q, &mu, &p) == CN_OK);
    return p;
}

// Entry (i, j) of a sparse matrix.
static double entry(const cn_csr *M, int32_t i, int32_t j) {
    for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
        if (M->column[k] == j) {
            return M->value[k];
        }
    }
    return 0.0;
}

static void check_matrix(const cn_formulated *f, const double *M, const double *q) {
    int32_t n = f->mcp.n;
    for (int32_t i = 0; i < n; i++) {
        CN_CHECK_NEAR(f->mcp.q[i], q[i], 1e-15);
        for (int32_t j = 0; j < n; j++) {
            CN_CHECK_NEAR(entry(&f->mcp.M, i, j), M[n * i + j], 1e-15);
        }
    }
}

CN_TEST(two_dimensional_matrices_are_those_of_the_papers) {
    cn_arena *memory = cn_arena_create(NULL);
    const double q[] = {-1.0, 0.3};
    cn_friction p = unit_contact(memory, 2, 0.5, q);
    cn_formulated f = formulate("inner", &p, 8, memory);
    const double inner[] = {1, 0, 0, 0, 0, 1, -1, 1, 0, -1, 1, 1, 0.5, -1, -1, 0};
    const double inner_q[] = {-1.0, 0.3, -0.3, 0.0};
    CN_CHECK_TRUE(f.mcp.n == 4 && f.facets == 2);
    check_matrix(&f, inner, inner_q);
    f = formulate("outer", &p, 8, memory);
    const double outer[] = {1, 0, 0, 0, 0, 1, 1, -1, 0.5, -1, 0, 0, 0.5, 1, 0, 0};
    const double outer_q[] = {-1.0, 0.3, 0.0, 0.0};
    CN_CHECK_TRUE(f.mcp.n == 4 && isinf(f.mcp.lower[1]) && f.mcp.lower[0] == 0.0);
    check_matrix(&f, outer, outer_q);
    f = formulate("convex", &p, 8, memory);
    CN_CHECK_NEAR(entry(&f.mcp.M, 0, 3), -0.5, 0.0);
    f = formulate("frictionless", &p, 8, memory);
    const double one = 1.0;
    check_matrix(&f, &one, q);
    cn_arena_destroy(memory);
}

// ---- the planted solution solves the formulated problem too ----

// beta and lambda, or kappa, of a planted solution in 2D: lambda = |u_T|.
static void check_planted_2d(const char *name, uint64_t seed) {
    pile s = plant(2, 12, 0.4, 0.5, seed);
    cn_formulated f = formulate(name, &s.p, 2, s.memory);
    double z[48];
    for (int32_t a = 0; a < 12; a++) {
        const double *r = s.problem->r + 2 * a, *u = s.problem->u + 2 * a;
        bool inner = strcmp(name, "inner") == 0;
        z[4 * a] = r[0];
        z[4 * a + 1] = inner ? fmax(0.0, r[1]) : r[1];
        z[4 * a + 2] = inner ? fmax(0.0, -r[1]) : fmax(0.0, -u[1]);
        z[4 * a + 3] = inner ? fabs(u[1]) : fmax(0.0, u[1]);
        // An open contact that slips: any r_T = 0, u_T free, lambda = |u_T| all the same.
    }
    cn_grade grade;
    CN_CHECK_TRUE(cn_mcp_grade(&f.mcp, z, s.memory, &grade) == CN_OK);
    CN_CHECK_BELOW(grade.residual, 1e-12);
    double r[24];
    cn_formulated_impulse(&f, z, r);
    for (int32_t i = 0; i < 24; i++) {
        CN_CHECK_NEAR(r[i], s.problem->r[i], 1e-15);
    }
    uproot(&s);
}

CN_TEST(planted_solutions_solve_the_2d_formulations) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        check_planted_2d("inner", seed);
        check_planted_2d("outer", seed);
    }
}

// ---- solved and mapped back ----

static cn_solve_report solve(const char *name, const char *solver, const cn_friction *p,
                             int32_t facets, cn_arena *memory, double *r, cn_solve_report *inner) {
    const cn_mcp_solver *row = cn_mcp_solver_find(solver);
    cn_solve_opts opts = cn_solve_opts_default(&row->info);
    cn_formulation_opts how = cn_formulation_opts_default();
    cn_formulation_choice choice = {
        .formulation = cn_formulation_find(name), .opts = &how, .solver = row};
    cn_formulation_report report;
    cn_error error = {0};
    double *u = BASE_TAKE(memory, double, (int64_t)p->dim * p->contacts);
    how.facets = facets;
    opts.tolerance = 1e-10;
    memset(r, 0, sizeof *r * (size_t)(p->dim * p->contacts));
    cn_status status = cn_formulation_solve(p, &choice, &opts, memory, r, u, &report, &error);
    if (status != CN_OK) {
        print_error("%s by %s: %s\n", name, solver, error.message);
    }
    CN_CHECK_TRUE(status == CN_OK);
    *inner = report.inner;
    return report.friction;
}

// In 2D every formulation of Coulomb's law is exact: the round-cone checker calls it solved.
CN_TEST(two_dimensional_problems_are_solved_exactly) {
    static const char *const names[] = {"inner", "outer", "box"};
    for (int32_t k = 0; k < 3; k++) {
        for (uint64_t seed = 1; seed <= 4; seed++) {
            pile s = plant(2, 10, seed % 2 == 0 ? 0.4 : 0.0, 0.3, seed);
            double r[20];
            cn_solve_report inner, report = solve(names[k], "lemke", &s.p, 2, s.memory, r, &inner);
            if (report.outcome != CN_SOLVED) {
                print_error("%s: %s (%s), residual %g, inner %g\n", names[k],
                            cn_outcome_text(report.outcome), report.detail, report.grade.residual,
                            inner.grade.residual);
            }
            CN_CHECK_TRUE(report.outcome == CN_SOLVED && inner.outcome == CN_SOLVED);
            uproot(&s);
        }
    }
}

// In 3D the complementarity problem is solved and the friction problem is not, and says so.
CN_TEST(three_dimensional_answers_are_graded_by_the_round_cone) {
    static const char *const names[] = {"inner", "outer"};
    for (int32_t k = 0; k < 2; k++) {
        pile s = plant(3, 10, 0.0, 0.3, 4);
        double r[30];
        cn_solve_report inner, report = solve(names[k], "lemke", &s.p, 6, s.memory, r, &inner);
        CN_CHECK_TRUE(inner.outcome == CN_SOLVED);
        CN_CHECK_BELOW(inner.grade.residual, 1e-10);
        CN_CHECK_TRUE(report.outcome == CN_STALLED && strstr(report.detail, "facet"));
        CN_CHECK_TRUE(report.grade.residual > 1e-6);
        uproot(&s);
    }
}

// The frictionless answer solves the friction problem with mu = 0.
CN_TEST(frictionless_is_coulomb_with_mu_zero) {
    pile s = plant(3, 15, 0.2, 0.0, 5);
    double r[45];
    cn_solve_report inner, report = solve("frictionless", "lemke", &s.p, 8, s.memory, r, &inner);
    CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    uproot(&s);
}

// The convex problem in 2D is solved as what it is, and Coulomb's law is not: the sliding contact
// lifts off with u_N = mu |u_T|.
CN_TEST(convex_answers_are_graded_both_ways) {
    cn_arena *memory = cn_arena_create(NULL);
    const double q[] = {-1.0, 2.0}, mu = 0.5;
    cn_friction p = unit_contact(memory, 2, mu, q);
    double r[2];
    cn_solve_report inner, report = solve("convex", "lemke", &p, 2, memory, r, &inner);
    cn_grade convex;
    CN_CHECK_TRUE(cn_convex_grade(&p, r, memory, &convex) == CN_OK);
    CN_CHECK_BELOW(convex.residual, 1e-14);
    CN_CHECK_TRUE(report.outcome == CN_STALLED && strstr(report.detail, "another law"));
    // r on the cone, u_N = mu u_T: r_N - 1 = mu (2 - mu r_N).
    CN_CHECK_NEAR(r[0], 2.0 / 1.25, 1e-14);
    CN_CHECK_NEAR(r[1], -mu * r[0], 1e-14);
    CN_CHECK_NEAR(r[0] - 1.0, mu * fabs(2.0 + r[1]), 1e-14);
    CN_CHECK_TRUE(report.grade.residual > 0.1);
    cn_arena_destroy(memory);
}

// Sticking everywhere the convex and Coulomb's problem have the same solutions.
CN_TEST(convex_and_coulomb_agree_where_all_stick) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    cn_friction p;
    cn_grade convex, exact;
    opts.slide = opts.open = 0.0;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &problem, NULL) == CN_OK);
    CN_CHECK_TRUE(cn_friction_condense(&problem->global, problem->memory, &p, NULL) == CN_OK);
    CN_CHECK_TRUE(cn_convex_grade(&p, problem->r, problem->memory, &convex) == CN_OK);
    CN_CHECK_TRUE(cn_friction_grade(&p, problem->r, NULL, problem->memory, &exact) == CN_OK);
    CN_CHECK_BELOW(convex.residual, 1e-11);
    CN_CHECK_BELOW(exact.residual, 1e-11);
    cn_problem_destroy(problem);
}

// ---- global: velocities and joints as free unknowns ----

// The mixed problem of a 2D pile has the planted impulses' velocities; r may differ where W is
// deficient, so it is graded.
CN_TEST(mixed_formulation_needs_no_W) {
    pile s = plant(2, 8, 0.3, 0.4, 6);
    const cn_friction_global *g = &s.problem->global;
    cn_formulation_opts how = cn_formulation_opts_default();
    cn_formulated f;
    CN_CHECK_TRUE(cn_formulate_global(cn_formulation_find("mixed"), g, &how, s.memory, &f, NULL) ==
                  CN_OK);
    CN_CHECK_TRUE(f.first == g->dofs && isinf(f.mcp.lower[0]));
    const cn_mcp_solver *lemke = cn_mcp_solver_find("lemke");
    cn_solve_opts opts = cn_solve_opts_default(&lemke->info);
    double *z = BASE_TAKE_ZERO(s.memory, double, f.mcp.n),
           *w = BASE_TAKE(s.memory, double, f.mcp.n);
    double r[16];
    cn_solve_report report;
    cn_grade grade;
    CN_CHECK_TRUE(cn_mcp_solve(&f.mcp, lemke, &opts, s.memory, z, w, &report, NULL) == CN_OK);
    CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    cn_formulated_impulse(&f, z, r);
    CN_CHECK_TRUE(cn_friction_grade(&s.p, r, NULL, s.memory, &grade) == CN_OK);
    CN_CHECK_BELOW(grade.residual, 1e-9);
    for (int32_t d = 0; d < g->dofs; d++) {
        CN_CHECK_NEAR(z[d], s.problem->v[d], 1e-8);
    }
    uproot(&s);
}

// A point mass 2 kg with velocities (x, y), pushed by f = (3, -1) on a floor (normal y, mu = 1/2),
// tied by a joint v_x = 0.1 y-velocity + 0.2: by hand the floor carries, v_y = 0, v_x = -s.
CN_TEST(joint_rows_are_held_by_free_impulses) {
    cn_arena *memory = cn_arena_create(NULL);
    const int32_t index[] = {0, 1}, joint_row[] = {0, 1}, joint_column[] = {0, 0};
    const int32_t h_row[] = {1, 0}, h_column[] = {0, 1};
    const double mass[] = {2.0, 2.0}, one[] = {1.0, 1.0}, joint[] = {1.0, -0.1};
    double f[] = {3.0, -1.0}, w[] = {0.0, 0.0}, mu = 0.5, s = -0.2;
    cn_friction_global g = {.dim = 2, .contacts = 1, .dofs = 2, .f = f, .w = w, .mu = &mu};
    cn_bilateral bilateral = {.rows = 1, .s = &s};
    cn_formulated out;
    CN_CHECK_TRUE(sparse_csr_from_triplets(memory, 2, 2, 2, index, index, mass, &g.M) == CN_OK);
    CN_CHECK_TRUE(sparse_csr_from_triplets(memory, 2, 2, 2, h_row, h_column, one, &g.H) == CN_OK);
    CN_CHECK_TRUE(sparse_csr_from_triplets(memory, 2, 1, 2, joint_row, joint_column, joint,
                                           &bilateral.G) == CN_OK);
    cn_formulation_opts how = cn_formulation_opts_default();
    how.joints = &bilateral;
    CN_CHECK_TRUE(cn_formulate_global(cn_formulation_find("mixed"), &g, &how, memory, &out, NULL) ==
                  CN_OK);
    CN_CHECK_TRUE(out.first == 3 && out.mcp.n == 7);
    for (int32_t i = 0; i < cn_mcp_solver_count(); i++) {
        const cn_mcp_solver *row = cn_mcp_solver_at(i);
        cn_solve_opts opts = cn_solve_opts_default(&row->info);
        double z[7] = {0}, answer[7], r[2];
        cn_solve_report report;
        opts.tolerance = 1e-12;
        CN_CHECK_TRUE(cn_mcp_solve(&out.mcp, row, &opts, memory, z, answer, &report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(report.outcome == CN_SOLVED);
        cn_formulated_impulse(&out, z, r);
        CN_CHECK_NEAR(z[0], 0.2, 1e-11);         // the joint's velocity
        CN_CHECK_NEAR(z[1], 0.0, 1e-11);         // on the floor
        CN_CHECK_NEAR(r[1], -0.5 * r[0], 1e-11); // sliding forward
        CN_CHECK_NEAR(0.4, 3.0 + r[1] + z[2], 1e-11);
        CN_CHECK_NEAR(0.0, -1.0 + r[0] - 0.1 * z[2], 1e-11);
    }
    bilateral.G.rows = 3;
    CN_CHECK_TRUE(cn_formulate_global(cn_formulation_find("mixed"), &g, &how, memory, &out, NULL) ==
                  CN_ERR_ARGUMENT);
    cn_arena_destroy(memory);
}

// ---- E2: the direction error of a facetted cone, one sliding contact ----

// A contact W = 1 that slides fast in direction phi: the polytope opposes it along the vertex
// (inner) or the vertex between two facets (outer) that is nearest to the slip.
static void slide(const char *name, int32_t facets, double phi, double *angle, double *strength) {
    cn_arena *memory = cn_arena_create(NULL);
    const double fast = 1e6, q[] = {-1.0, fast * cos(phi), fast * sin(phi)};
    cn_friction p = unit_contact(memory, 3, 0.3, q);
    double r[3];
    cn_solve_report inner;
    solve(name, "lemke", &p, facets, memory, r, &inner);
    CN_CHECK_TRUE(inner.outcome == CN_SOLVED);
    CN_CHECK_NEAR(r[0], 1.0, 1e-9);
    *strength = hypot(r[1], r[2]) / (0.3 * r[0]);
    *angle = remainder(atan2(-r[2], -r[1]) - phi, 2.0 * PI);
    cn_arena_destroy(memory);
}

// Inner: the vertices d_i at 2 pi i/n oppose: r_T = mu r_N d_i for the d_i nearest to -u_T, of full
// strength. Outer: the polygon's vertices lie between the facets, at (2i+1) pi/n, 1/cos(pi/n) away.
CN_TEST(facets_turn_friction_as_geometry_says) {
    static const int32_t counts[] = {3, 4, 6, 8};
    for (int32_t c = 0; c < 4; c++) {
        int32_t n = counts[c];
        double widest[2] = {0.0, 0.0};
        for (int32_t k = 0; k < 40; k++) {
            double phi = 2.0 * PI * (k + 0.37) / 40.0, angle, strength;
            for (int32_t outer = 0; outer < 2; outer++) {
                slide(outer ? "outer" : "inner", n, phi, &angle, &strength);
                double step = 2.0 * PI / n, shift = outer ? 0.5 * step : 0.0;
                // The nearest vertex to the direction opposite to the slip.
                double want =
                    remainder(shift + step * round((phi + PI - shift) / step) - PI - phi, 2.0 * PI);
                CN_CHECK_NEAR(angle, want, 1e-5);
                CN_CHECK_NEAR(strength, outer ? 1.0 / cos(PI / n) : 1.0, 1e-9);
                widest[outer] = fmax(widest[outer], fabs(angle));
            }
        }
        // Somewhere it is nearly half a facet off: pi/n.
        CN_CHECK_TRUE(widest[0] <= PI / n + 1e-9 && widest[0] >= 0.8 * PI / n);
        CN_CHECK_TRUE(widest[1] <= PI / n + 1e-9 && widest[1] >= 0.8 * PI / n);
    }
}

// Two directions resist along t1 only: across it an inner cone has no friction at all.
CN_TEST(two_facets_do_not_resist_across) {
    cn_arena *memory = cn_arena_create(NULL);
    const double q[] = {-1.0, 0.0, 5.0};
    cn_friction p = unit_contact(memory, 3, 0.3, q);
    double r[3];
    cn_solve_report inner;
    solve("inner", "lemke", &p, 2, memory, r, &inner);
    CN_CHECK_TRUE(inner.outcome == CN_SOLVED);
    CN_CHECK_NEAR(r[1], 0.0, 1e-14);
    CN_CHECK_NEAR(r[2], 0.0, 1e-14);
    // An outer strip is unbounded across: it holds whatever comes.
    solve("outer", "lemke", &p, 2, memory, r, &inner);
    CN_CHECK_TRUE(inner.outcome == CN_SOLVED);
    CN_CHECK_NEAR(r[2], -5.0, 1e-12);
    cn_arena_destroy(memory);
}

// Where the slip points along a facet's direction the inner polytope is exact.
CN_TEST(inner_cone_is_exact_along_its_directions) {
    cn_arena *memory = cn_arena_create(NULL);
    const double q[] = {-1.0, 0.0, 2.0};
    cn_friction p = unit_contact(memory, 3, 0.5, q);
    double r[3];
    cn_solve_report inner, report = solve("inner", "lemke", &p, 4, memory, r, &inner);
    CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    CN_CHECK_NEAR(r[2], -0.5, 1e-14);
    cn_arena_destroy(memory);
}

// ---- memory ----

CN_TEST(no_memory_is_reported) {
    pile s = plant(3, 4, 0.0, 0.3, 7);
    for (int32_t global = 0; global < 2; global++) {
        for (int64_t k = 1;; k++) {
            cn_failing failing;
            cn_env env = cn_failing_env(&failing, k);
            cn_arena *memory = cn_arena_create(&env);
            cn_formulation_opts how = {.facets = 64};
            cn_formulated f;
            cn_status status = CN_ERR_MEMORY;
            if (memory) {
                status = global ? cn_formulate_global(cn_formulation_find("mixed"),
                                                      &s.problem->global, &how, memory, &f, NULL)
                                : cn_formulate(cn_formulation_find("inner"), &s.p, &how, memory, &f,
                                               NULL);
            }
            cn_arena_destroy(memory);
            CN_CHECK_TRUE(failing.live == 0);
            if (!failing.failed) {
                CN_CHECK_TRUE(status == CN_OK);
                break;
            }
            CN_CHECK_TRUE(status == CN_ERR_MEMORY);
        }
    }
    uproot(&s);
}
