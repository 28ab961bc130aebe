// The convex law, K* contains u orthogonal to r in K: one contact by itself, the function of Newton
// methods, planted problems by every solver that takes them, and what it makes of a sliding body.
#include "check.h"
#include "world.h"

#include "base/arena.h"
#include "base/rng.h"
#include "math/cone.h"
#include "solve/local/local.h"
#include "solve/newton/contact_functions.h"

#include <cairn/solve.h>
#include <math.h>

// ---- one contact ----

// W = G G' of a few columns, by columns; definite where diagonal > 0.
static void random_matrix(base_rng *rng, int dim, int columns, double diagonal, double *W) {
    double G[3][4];
    for (int k = 0; k < 12; k++) {
        G[k / 4][k % 4] = base_rng_uniform(rng, -1.0, 1.0);
    }
    for (int k = 0; k < dim * dim; k++) {
        W[k] = k % dim == k / dim ? diagonal : 0.0;
        for (int c = 0; c < columns; c++) {
            W[k] += G[k % dim][c] * G[k / dim][c];
        }
    }
}

// By how much r misses the law, in units of |q|.
static double defect(int dim, const double *W, double mu, const double *q, const double *r) {
    double u[3] = {0.0, 0.0, 0.0}, size = 0.0, scale = 0.0, product = 0.0, force = 0.0;
    for (int i = 0; i < dim; i++) {
        u[i] = q[i];
        for (int j = 0; j < dim; j++) {
            u[i] += W[dim * j + i] * r[j];
        }
        size += q[i] * q[i];
        force += r[i] * r[i];
        scale += W[(dim + 1) * i] / dim;
        product += u[i] * r[i];
    }
    double cone = scale * fmax(-r[0], math_tangent_norm(dim, r) - mu * r[0]);
    double dual = mu * math_tangent_norm(dim, u) - u[0];
    double power = force > 0.0 ? fabs(product) / sqrt(force) : 0.0;
    return fmax(fmax(cone, dual), power) / sqrt(size);
}

static double worst_local(int dim, int columns, double diagonal, uint64_t seed) {
    base_rng rng = base_rng_seed(seed);
    double worst = 0.0;
    for (int k = 0; k < 3000; k++) {
        double W[9], q[3], r[3] = {0.0, 0.0, 0.0}, slip = 0.0;
        double mu = k % 7 == 0 ? 0.0 : base_rng_uniform(&rng, 0.0, 2.0);
        random_matrix(&rng, dim, columns, diagonal, W);
        for (int i = 0; i < 3; i++) {
            q[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        if (dim == 2) {
            CN_CHECK_TRUE(local_convex_2d(W, mu, q, r));
        } else {
            local_block block;
            CN_CHECK_TRUE(local_prepare(W, mu, &block));
            r[0] = k % 2 == 0 ? 0.0 : base_rng_uniform(&rng, 0.0, 10.0); // a guess
            CN_CHECK_TRUE(local_convex(&block, q, r, &slip));
        }
        worst = fmax(worst, defect(dim, W, mu, q, r));
    }
    return worst;
}

CN_TEST(one_contact_obeys_the_law_in_the_plane) {
    CN_CHECK_BELOW(worst_local(2, 4, 0.1, 1), 1e-13);
}

CN_TEST(one_contact_obeys_the_law_in_space) {
    CN_CHECK_BELOW(worst_local(3, 4, 0.1, 2), 1e-12);
}

CN_TEST(one_contact_without_a_minimum_is_told) {
    // No stiffness along the edge r = (1, 1), and q pulls along it.
    const double W[4] = {1.0, -1.0, -1.0, 1.0}, q[2] = {-1.0, 0.0};
    double r[2];
    CN_CHECK_TRUE(!local_convex_2d(W, 1.0, q, r) || defect(2, W, 1.0, q, r) > 0.1);
    CN_CHECK_TRUE(isfinite(r[0]) && isfinite(r[1]));
}

CN_TEST(plane_and_space_agree) {
    base_rng rng = base_rng_seed(3);
    double worst = 0.0;
    for (int k = 0; k < 1000; k++) {
        double W2[4], W[9] = {0}, q[3] = {0}, flat[2], r[3] = {0}, slip = 0.0;
        double mu = base_rng_uniform(&rng, 0.1, 1.5);
        random_matrix(&rng, 2, 4, 0.1, W2);
        for (int i = 0; i < 4; i++) {
            W[3 * (i / 2) + i % 2] = W2[i];
        }
        W[8] = 1.0;
        q[0] = base_rng_uniform(&rng, -1.0, 1.0);
        q[1] = base_rng_uniform(&rng, -1.0, 1.0);
        local_block block;
        CN_CHECK_TRUE(local_prepare(W, mu, &block));
        CN_CHECK_TRUE(local_convex(&block, q, r, &slip) && local_convex_2d(W2, mu, q, flat));
        worst = fmax(worst, fabs(r[0] - flat[0]) + fabs(r[1] - flat[1]) + fabs(r[2]));
    }
    CN_CHECK_BELOW(worst, 1e-11);
}

// ---- the function of Newton methods ----

CN_TEST(function_has_the_derivative_of_finite_differences) {
    base_rng rng = base_rng_seed(4);
    double worst = 0.0, eps = 1e-6;
    for (int k = 0; k < 600; k++) {
        int dim = 2 + k % 2;
        double x[6], F[3], A[9], B[9], unused[18], mu = base_rng_uniform(&rng, 0.2, 1.5), rho = 0.7;
        for (int i = 0; i < 2 * dim; i++) {
            x[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        newton_cone_function(dim, mu, rho, x, x + dim, F, A, B);
        double z = hypot(dim == 2 ? 0.0 : x[2] - rho * x[5], x[1] - rho * x[dim + 1]);
        double n = x[0] - rho * x[dim];
        if (fabs(z - mu * n) < 1e-3 || fabs(mu * z + n) < 1e-3) {
            continue; // near a kink
        }
        for (int j = 0; j < 2 * dim; j++) {
            double side[2][3], y[6];
            for (int s = 0; s < 2; s++) {
                memcpy(y, x, sizeof y);
                y[j] += s ? eps : -eps;
                newton_cone_function(dim, mu, rho, y, y + dim, side[s], unused, unused + 9);
            }
            for (int i = 0; i < dim; i++) {
                double given = j < dim ? B[dim * i + j] : A[dim * i + j - dim];
                worst = fmax(worst, fabs((side[1][i] - side[0][i]) / (2.0 * eps) - given));
            }
        }
    }
    CN_CHECK_BELOW(worst, 1e-5);
}

// ---- planted problems ----

// A problem of Coulomb's law with a known solution is one of the convex law with the same r when
// mu |u_T| is added to q_N (De Saxce and Feng).
static cn_friction planted(cn_problem **problem, int32_t dim, double deficiency, double joints,
                           bool body, uint64_t seed, double *u) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_friction p;
    opts.dim = dim;
    opts.contacts = 40;
    opts.deficiency = deficiency;
    opts.friction = 0.6;
    opts.joints = joints;
    opts.seed = seed;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, problem, NULL) == CN_OK);
    cn_arena *memory = (*problem)->memory;
    CN_CHECK_TRUE((body ? cn_friction_to_body_space(&(*problem)->global, memory, &p, NULL)
                        : cn_friction_condense(&(*problem)->global, memory, &p, NULL)) == CN_OK);
    p.convex = true;
    for (int32_t a = 0; a < p.contacts; a++) {
        double lift = p.mu[a] * math_tangent_norm(dim, (*problem)->u + (int64_t)dim * a);
        p.q[(int64_t)dim * a] += lift;
        for (int32_t i = 0; i < dim; i++) {
            u[(int64_t)dim * a + i] = (*problem)->u[(int64_t)dim * a + i] + (i == 0 ? lift : 0.0);
        }
    }
    return p;
}

CN_TEST(planted_answers_are_graded_as_solutions) {
    double u[120];
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_problem *problem;
        cn_friction p = planted(&problem, dim, 0.3, 0.2, true, 5, u);
        cn_grade grade, same;
        CN_CHECK_TRUE(cn_friction_grade(&p, problem->r, u, problem->memory, &grade) == CN_OK);
        CN_CHECK_TRUE(cn_convex_grade(&p, problem->r, problem->memory, &same) == CN_OK);
        CN_CHECK_BELOW(grade.residual, 1e-13);
        CN_CHECK_BELOW(grade.dual_violation, 1e-13);
        CN_CHECK_NEAR(grade.residual, same.residual, 0.0);
        p.convex = false;
        CN_CHECK_TRUE(cn_friction_grade(&p, problem->r, u, problem->memory, &grade) == CN_OK);
        CN_CHECK_TRUE(grade.residual > 1e-3); // Coulomb's law it is not
        cn_problem_destroy(problem);
    }
}

// Methods that end below 1e-5 on problems of deficient rank, which gradients and interior points
// need not.
static bool is_exact(const char *name) {
    return strcmp(name, "auto") == 0 || strcmp(name, "nsgs") == 0 ||
           strcmp(name, "prox-newton") == 0;
}

// Velocities are unique, impulses need not be.
static void check_solver(const cn_solver_info *info, const cn_friction *p, const double *u_true) {
    cn_solve_opts opts = cn_solve_opts_default(info);
    cn_arena *scratch = cn_arena_create(NULL);
    double r[120] = {0}, u[120], worst = 0.0;
    cn_solve_report report;
    opts.tolerance = is_exact(info->name) ? 1e-8 : 1e-5;
    opts.max_iterations = info->max_iterations > 100000 ? 100000 : info->max_iterations;
    CN_CHECK_TRUE(cn_friction_solve(p, cn_friction_solver_find(info->name), &opts, scratch, r, u,
                                    &report, NULL) == CN_OK);
    for (int32_t i = 0; i < p->dim * p->contacts; i++) {
        worst = fmax(worst, fabs(u[i] - u_true[i]));
    }
    if (report.outcome != CN_SOLVED) {
        print_error("%s: %s, residual %g\n", info->name, report.detail, report.grade.residual);
    }
    assert_int_equal(report.outcome, CN_SOLVED);
    CN_CHECK_BELOW(worst, 1e3 * opts.tolerance);
    cn_arena_destroy(scratch);
}

static void check_solvers(int32_t dim, double deficiency, double joints, bool body) {
    double u[120];
    cn_problem *problem;
    cn_friction p = planted(&problem, dim, deficiency, joints, body, 6, u);
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_solver_info *info = &cn_friction_solver_at(i)->info;
        bool bounds = joints == 0.0 || (info->accepts & CN_TAKES_BOUNDS);
        if ((info->accepts & CN_TAKES_CONVEX) && bounds) {
            check_solver(info, &p, u);
        }
    }
    cn_problem_destroy(problem);
}

CN_TEST(planted_problems_in_the_plane_are_solved) {
    check_solvers(2, 0.0, 0.0, false);
    check_solvers(2, 0.3, 0.0, true);
}

CN_TEST(planted_problems_in_space_are_solved) {
    check_solvers(3, 0.0, 0.0, false);
    check_solvers(3, 0.3, 0.0, true);
}

CN_TEST(planted_problems_with_joints_are_solved) {
    check_solvers(2, 0.2, 0.3, true);
    check_solvers(3, 0.2, 0.3, true);
}

CN_TEST(solvers_of_coulombs_law_alone_refuse) {
    double u[120], r[120], v[120];
    cn_problem *problem;
    cn_friction p = planted(&problem, 3, 0.0, 0.0, false, 7, u);
    int32_t refused = 0;
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_friction_solver *solver = cn_friction_solver_at(i);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        cn_solve_report report;
        if (solver->info.accepts & CN_TAKES_CONVEX) {
            continue;
        }
        memset(r, 0, sizeof r);
        CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, v, &report, NULL) ==
                      CN_OK);
        assert_int_equal(report.outcome, CN_UNSUPPORTED);
        refused++;
    }
    CN_CHECK_TRUE(refused > 0);
    cn_problem_destroy(problem);
}

// ---- in a scene ----

#define SLIDER                                                                                     \
    "cairn: 1\nname: s\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: %g, until: 1}\n"           \
    "integrator: {scheme: stabilised, friction: convex}\nsolver: {tolerance: 1e-8}\n"              \
    "materials: {m: {density: 1}}\ncontacts:\n  - {between: ['*', '*'], friction: 0.3}\n"          \
    "bodies:\n  - {name: table, fixed: true, material: m, shape: {line: {normal: [0, 1], offset: " \
    "0}}}\n"                                                                                       \
    "  - {name: disk, material: m, position: [0, 1], velocity: [2, 0], mass: 3, inertia: 1, "      \
    "lock: [rz], shape: {disk: {radius: 1}}}\n"

// The step of a point that slides: u_N + g/h = mu u_T where it would come nearer.
static void slide_point(double h, double mu, double *x, double *gap, double *v, double *w) {
    double free = *w - 9.81 * h, need = mu * fabs(*v) - free - *gap / h;
    double push = need > 0.0 ? need / (1.0 + mu * mu) : 0.0;
    if (mu * push > fabs(*v)) { // sticks
        push = -free - *gap / h;
        *v = 0.0;
    } else {
        *v -= copysign(mu * push, *v);
    }
    *w = free + push;
    *x += h * *v;
    *gap += h * *w;
}

CN_TEST(sliding_body_lifts_off_and_stops_where_the_recurrence_says) {
    double h = 0.01, x = 0.0, gap = 0.0, v = 2.0, w = 0.0, worst = 0.0, ride = 0.0;
    world run = world_open(SLIDER, h);
    for (int k = 0; k < 100; k++) {
        world_steps(&run, 1);
        slide_point(h, 0.3, &x, &gap, &v, &w);
        ride = k == 40 ? gap / (h * 0.3 * v) : ride;
        worst = fmax(worst, fmax(fabs(world_position(&run, 2)[0] - x),
                                 fabs(world_position(&run, 2)[1] - 1.0 - gap)));
    }
    CN_CHECK_BELOW(worst, 1e-9);
    assert_int_equal(run.unsolved, 0);
    // After a first leap it rides at h mu |u_T|, and stops after v^2/(2 mu g) all the same, to the
    // order of h.
    CN_CHECK_NEAR(ride, 1.0, 1e-9);
    CN_CHECK_NEAR(x, 4.0 / (2.0 * 0.3 * 9.81), 0.1);
    CN_CHECK_BELOW(run.worst_balance, 1e-12);
    world_close(&run);
}

CN_TEST(solver_that_cannot_is_refused_at_its_place) {
    static const char text[] = "cairn: 1\nname: s\ndimension: 2\nintegrator: {friction: convex}\n"
                               "solver: {name: newton-ac}\nmaterials: {m: {density: 1}}\nbodies:\n"
                               "  - {name: disk, material: m, shape: {disk: {radius: 1}}}\n";
    cn_model *model;
    cn_sim *sim;
    cn_error error = {0};
    CN_CHECK_TRUE(cn_scene_read_text(NULL, "s.yaml", text, sizeof text - 1, NULL, 0, &model,
                                     &error) == CN_OK);
    CN_CHECK_TRUE(cn_sim_create(model, NULL, &sim, &error) == CN_ERR_UNSUPPORTED);
    CN_CHECK_TRUE(strstr(error.message, "newton-ac does not take convex friction") != NULL);
    CN_CHECK_TRUE(strstr(error.hint, "auto, nsgs") != NULL);
    assert_int_equal(error.line, 5);
    cn_model_destroy(model);
}
