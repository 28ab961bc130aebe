// The local solvers: closed forms of one contact, agreement on random blocks, properties, and
// blocks that nobody can solve.
#include "check.h"

#include "base/rng.h"
#include "math/cone.h"
#include "solve/local/local.h"
#include "solve/local/local_secular.h"

#include <float.h>
#include <string.h>

#define NOT_A_NUMBER ((double)NAN)
#define INFINITE ((double)INFINITY)

// ---- the definition, in plain words ----

static void velocity(const double W[9], const double q[3], const double r[3], double u[3]) {
    for (int i = 0; i < 3; i++) {
        u[i] = q[i] + W[i] * r[0] + W[3 + i] * r[1] + W[6 + i] * r[2];
    }
}

// By how much r misses Signorini and Coulomb, in units of |q|; NaN counts as 1.
static double defect(const double W[9], double mu, const double q[3], const double r[3]) {
    double u[3], scale = (W[0] + W[4] + W[8]) / 3.0;
    velocity(W, q, r, u);
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    double slip = hypot(u[1], u[2]), force = hypot(r[1], r[2]);
    double normal = fmin(fabs(u[0]), scale * fabs(r[0]));  // u_N r_N = 0
    double cone = scale * fmax(force - mu * r[0], -r[0]);  // |r_T| <= mu r_N, r_N >= 0
    double held = fmin(slip, scale * (mu * r[0] - force)); // inside the cone: no slip
    double opposed = 0.0;                                  // slipping: u_T against r_T
    if (force > 0.0) {
        opposed = hypot(u[1] * force + r[1] * slip, u[2] * force + r[2] * slip) / force;
    }
    double worst = fmax(fmax(fmax(-u[0], normal), fmax(cone, held)), opposed) / size;
    bool finite = fabs(r[0]) + fabs(r[1]) + fabs(r[2]) <= DBL_MAX;
    return finite && worst <= DBL_MAX ? worst : 1.0;
}

// How far r is outside the cone, relative to itself.
static double outside(double mu, const double r[3]) {
    double size = fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
    return size > 0.0 ? fmax(hypot(r[1], r[2]) - mu * r[0], -r[0]) / (size * (1.0 + mu)) : 0.0;
}

static double difference(const double a[3], const double b[3]) {
    double size = hypot(b[0], hypot(b[1], b[2]));
    return hypot(a[0] - b[0], hypot(a[1] - b[1], a[2] - b[2])) / fmax(size, DBL_MIN);
}

// ---- random blocks ----

typedef enum family { WELL, UNSYMMETRIC, DEFICIENT, WIDE, SPHERES, FAMILIES } family;

// G G', with 6 columns (2 where rank deficient), and what the family adds.
static void random_block(base_rng *rng, family kind, double W[9]) {
    double G[3][6];
    int columns = kind == DEFICIENT ? 2 : 6;
    for (int k = 0; k < 18; k++) {
        G[k / 6][k % 6] = base_rng_uniform(rng, -1.0, 1.0);
    }
    double size = kind == WIDE ? pow(10.0, base_rng_uniform(rng, -6.0, 6.0)) : 1.0;
    for (int k = 0; k < 9; k++) {
        int i = k % 3, j = k / 3;
        W[k] = (kind == WELL || kind == UNSYMMETRIC) && i == j ? 1.0 : 0.0;
        for (int c = 0; c < columns; c++) {
            W[k] += G[i][c] * G[j][c];
        }
        W[k] *= size;
        if (kind == UNSYMMETRIC) {
            W[k] += base_rng_uniform(rng, -3e-3, 3e-3);
        }
        if (kind == SPHERES) {
            W[k] = i != j ? 0.0 : i == 0 ? 1.3 : 4.55;
        }
    }
}

// Pressing nine times in ten, more and less than it slips.
static void random_velocity(base_rng *rng, double q[3]) {
    q[0] = -pow(10.0, base_rng_uniform(rng, -1.5, 1.5));
    q[0] = base_rng_below(rng, 10) == 0 ? -q[0] : q[0];
    q[1] = base_rng_uniform(rng, -1.0, 1.0);
    q[2] = base_rng_uniform(rng, -1.0, 1.0);
}

static local_block prepared(const double W[9], double mu) {
    local_block block;
    CN_CHECK_TRUE(local_prepare(W, mu, &block));
    return block;
}

// From nothing, without a warm start.
static bool solve_cold(const cn_local_solver *solver, const local_block *block, const double q[3],
                       double r[3]) {
    double slip = 0.0;
    r[0] = r[1] = r[2] = 0.0;
    bool solved = solver->solve(block, q, r, &slip);
    CN_CHECK_TRUE(fabs(slip) <= DBL_MAX);
    return solved;
}

static const double BOX[9] = {2.0, 0.5, -0.3, 0.5, 3.0, 0.2, -0.3, 0.2, 4.0};

// Turns a polygon towards the answer, which need not converge.
static bool is_facetted(const cn_local_solver *solver) {
    return solver->solve == local_lemke || solver->solve == local_qp;
}

// Radial answers exactly for spheres only; the others for any block.
static bool is_general(const cn_local_solver *solver) {
    return strcmp(solver->name, "radial") != 0;
}

// ---- the table ----

CN_TEST(table_has_every_solver_with_a_name_and_a_word) {
    static const char *const names[] = {"hybrid", "secular", "newton", "exact", "projection",
                                        "lemke",  "qp",      "radial", "mcp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cn_local_solver *solver = cn_local_solver_find(names[i]);
        CN_CHECK_TRUE(solver != NULL && strcmp(cn_local_solver_name(solver), names[i]) == 0);
        CN_CHECK_TRUE(strlen(cn_local_solver_about(solver)) > 0);
    }
    CN_CHECK_TRUE(strcmp(cn_local_solver_name(cn_local_solver_at(0)), "hybrid") == 0);
    CN_CHECK_TRUE(cn_local_solver_find("nobody") == NULL && cn_local_solver_find(NULL) == NULL);
    CN_CHECK_TRUE(cn_local_solver_at(-1) == NULL);
    CN_CHECK_TRUE(cn_local_solver_at(cn_local_solver_count()) == NULL);
}

CN_TEST(prepare_refuses_what_cannot_be_used) {
    local_block block;
    double W[9];
    memcpy(W, BOX, sizeof W);
    CN_CHECK_TRUE(local_prepare(W, 0.3, &block));
    CN_CHECK_TRUE(!local_prepare(W, -0.1, &block));
    CN_CHECK_TRUE(!local_prepare(W, NOT_A_NUMBER, &block));
    W[5] = NOT_A_NUMBER;
    CN_CHECK_TRUE(!local_prepare(W, 0.3, &block) && block.inv_nn == 0.0);
    W[5] = 0.2;
    W[0] = 0.0;
    CN_CHECK_TRUE(!local_prepare(W, 0.3, &block));
    W[0] = INFINITE;
    CN_CHECK_TRUE(!local_prepare(W, 0.3, &block));
}

CN_TEST(prepare_forms_the_schur_complement) {
    const double W[9] = {2.0, 0.5, -0.3, 0.4, 3.0, 0.2, -0.2, 0.1, 4.0}; // not symmetric
    local_block block = prepared(W, 0.3);
    CN_CHECK_NEAR(block.nt[0], 0.2, 1e-16);
    CN_CHECK_NEAR(block.tn[1], -0.15, 1e-16);
    CN_CHECK_NEAR(block.S[0], 2.9, 1e-15);  // 3 - 0.5*0.4/2
    CN_CHECK_NEAR(block.S[1], 0.26, 1e-15); // 0.2 + 0.3*0.4/2
    CN_CHECK_NEAR(block.S[2], 0.15, 1e-15); // 0.1 + 0.5*0.2/2
    CN_CHECK_NEAR(block.S[3], 3.97, 1e-15); // 4 - 0.3*0.2/2
    CN_CHECK_TRUE(block.regular && !block.radial);
}

CN_TEST(error_is_zero_at_a_solution_and_a_velocity_elsewhere) {
    const double q[3] = {-1.0, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0}, held[3] = {0.5, 0.0, 0.0};
    const double W[9] = {2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0};
    local_block block = prepared(W, 0.3);
    CN_CHECK_NEAR(local_error(&block, q, held), 0.0, 1e-16);
    CN_CHECK_NEAR(local_error(&block, q, none), 1.0, 1e-15); // the approach itself
}

// ---- closed forms, 3D ----

CN_TEST(open_contact_has_no_impulse) {
    local_block block = prepared(BOX, 0.5);
    const double q[3] = {0.1, -3.0, 2.0};
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        double r[3] = {1.0, 0.2, 0.1}, slip = 3.0;
        CN_CHECK_TRUE(cn_local_solver_at(i)->solve(&block, q, r, &slip));
        CN_CHECK_TRUE(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
    }
}

// r = (1, 0.1, -0.2) inside the cone, u = 0: q = -W r.
CN_TEST(sticking_contact_keeps_its_point) {
    local_block block = prepared(BOX, 0.3);
    const double q[3] = {-2.11, -0.76, 1.08}, want[3] = {1.0, 0.1, -0.2};
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        double r[3];
        bool solved = solve_cold(cn_local_solver_at(i), &block, q, r);
        CN_CHECK_TRUE(solved == is_general(cn_local_solver_at(i)));
        if (solved) {
            CN_CHECK_BELOW(difference(r, want), 1e-13);
        }
    }
}

// mu = 1/2, r = (2, 0.6, -0.8) on the cone, u = -3 r_T = (0, -1.8, 2.4): q = u - W r.
CN_TEST(sliding_contact_is_opposed) {
    local_block block = prepared(BOX, 0.5);
    const double q[3] = {-4.54, -4.44, 6.08}, want[3] = {2.0, 0.6, -0.8};
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        double r[3], slip = 0.0;
        memset(r, 0, sizeof r);
        bool solved = cn_local_solver_at(i)->solve(&block, q, r, &slip);
        CN_CHECK_TRUE(solved == is_general(cn_local_solver_at(i)));
        if (solved) {
            CN_CHECK_BELOW(difference(r, want), 1e-12);
        }
        if (solved && slip != 0.0) {
            CN_CHECK_NEAR(slip, 3.0, 1e-11);
        }
    }
}

CN_TEST(frictionless_contact_is_pushed_along_its_normal) {
    local_block block = prepared(BOX, 0.0);
    const double q[3] = {-3.0, 5.0, 7.0}, want[3] = {1.5, 0.0, 0.0};
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        double r[3];
        CN_CHECK_TRUE(solve_cold(cn_local_solver_at(i), &block, q, r));
        CN_CHECK_BELOW(difference(r, want), 1e-15);
    }
}

// W = diag(1, 3.5, 3.5): r_N = 1; |q_T|/3.5 = 0.2 sticks at mu = 0.5 and slides at mu = 0.1.
CN_TEST(spheres_are_solved_by_all) {
    const double W[9] = {1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 3.5}, q[3] = {-1.0, 0.42, -0.56};
    local_block rough = prepared(W, 0.5), smooth = prepared(W, 0.1);
    const double stick[3] = {1.0, -0.12, 0.16}, slide[3] = {1.0, -0.06, 0.08};
    CN_CHECK_TRUE(rough.radial);
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        double r[3];
        CN_CHECK_TRUE(solve_cold(cn_local_solver_at(i), &rough, q, r));
        CN_CHECK_BELOW(difference(r, stick), 1e-14);
        CN_CHECK_TRUE(solve_cold(cn_local_solver_at(i), &smooth, q, r));
        CN_CHECK_BELOW(difference(r, slide), 1e-14);
    }
}

// ---- closed forms, 2D ----

typedef struct case_2d {
    double W[4], mu, q[2], r[2];
    bool solved;
} case_2d;

CN_TEST(two_dimensional_cases_have_their_closed_forms) {
    // W = (2 1; 1 3): c = -q_N/2, a = 1/2, b = q_T - q_N/2, s = 5/2.
    static const case_2d cases[] = {
        {{2, 1, 1, 3}, 0.5, {1.0, -9.0}, {0.0, 0.0}, true},   // open
        {{2, 1, 1, 3}, 0.5, {0.0, 1.0}, {0.0, 0.0}, true},    // grazing
        {{2, 1, 1, 3}, 0.5, {-4.0, -1.0}, {2.2, -0.4}, true}, // stick: b = 1
        {{2, 1, 1, 3}, 0.5, {-3.0, 3.5}, {2.0, -1.0}, true},  // forward: b = 5, share 3/4
        {{2, 1, 1, 3}, 0.5, {-5.0, -7.5}, {2.0, 1.0}, true},  // backward: b = -5, share 5/4
        {{2, 1, 1, 3}, 0.0, {-3.0, 3.5}, {1.5, 0.0}, true},   // no friction
        {{1, 2, 2, 3}, 1.0, {-1.0, -2.0}, {1.0, 0.0}, true},  // several: b = 0, s = -1, stick first
        {{1, 2, 2, 4}, 1.0, {-1.0, 3.0}, {1.0, 0.0}, false},  // none: mu a = 2, s = 0, b = 5
        {{1, 2, 2, 4}, 1.0, {-1.0, -2.0}, {1.0, 0.0}, true},  // s = 0 and no slip
        {{1, 2, 2, 4}, 1.0, {-3.0, -9.0}, {1.0, 1.0}, true},  // s = 0, backward: share 3
        {{2, 1, 1, 3}, 0.5, {-3.0, NOT_A_NUMBER}, {0.0, 0.0}, false}, // not a number
        {{2, 1, 1, 3}, 0.5, {NOT_A_NUMBER, 0.0}, {0.0, 0.0}, false},  //
        {{0, 1, 1, 3}, 0.5, {-1.0, 0.0}, {0.0, 0.0}, false},          // W_NN = 0
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const case_2d *c = &cases[i];
        double r[2] = {7.0, 7.0};
        bool solved = local_solve_2d(c->W, c->mu, c->q, r);
        print_message("case %zu\n", i);
        CN_CHECK_TRUE(solved == c->solved);
        CN_CHECK_NEAR(r[0], c->r[0], 1e-15);
        CN_CHECK_NEAR(r[1], c->r[1], 1e-15);
    }
}

// The 2D contact embedded in 3D: a block that does not couple t2 to the rest.
CN_TEST(two_and_three_dimensions_agree) {
    base_rng rng = base_rng_seed(21);
    for (int n = 0; n < 5000; n++) {
        double W3[9], q[3], r2[2], r3[3];
        random_block(&rng, n % 2 == 0 ? WELL : UNSYMMETRIC, W3);
        random_velocity(&rng, q);
        q[2] = 0.0;
        W3[2] = W3[5] = W3[6] = W3[7] = 0.0;
        const double W2[4] = {W3[0], W3[1], W3[3], W3[4]};
        double mu = base_rng_uniform(&rng, 0.0, 0.9);
        local_block block = prepared(W3, mu);
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("hybrid"), &block, q, r3));
        CN_CHECK_TRUE(local_solve_2d(W2, mu, q, r2));
        const double flat[3] = {r2[0], r2[1], 0.0};
        CN_CHECK_BELOW(difference(r3, flat), 1e-12);
    }
}

// ---- agreement on random blocks, by the definition ----

// Three must succeed wherever W is positive definite, the iterative two where it is well so and mu
// moderate; beyond, a solver may give up, never lie.
static bool never_fails(const cn_local_solver *solver, family kind, double mu) {
    bool sure = strcmp(solver->name, "hybrid") == 0 || strcmp(solver->name, "secular") == 0 ||
                strcmp(solver->name, "exact") == 0;
    bool easy = is_general(solver) && !is_facetted(solver) && mu < 1.0 &&
                (kind == WELL || kind == UNSYMMETRIC);
    return kind != DEFICIENT && (sure || easy);
}

static void check_family(family kind, int tries, double allowed, uint64_t seed) {
    static const double frictions[] = {0.0, 0.05, 0.3, 0.7, 1.5};
    base_rng rng = base_rng_seed(seed);
    for (int n = 0; n < tries; n++) {
        double W[9], q[3], r[3], mu = frictions[n % 5];
        random_block(&rng, kind, W);
        random_velocity(&rng, q);
        local_block block = prepared(W, mu);
        for (int32_t i = 0; i < cn_local_solver_count(); i++) {
            const cn_local_solver *solver = cn_local_solver_at(i);
            bool solved = solve_cold(solver, &block, q, r);
            CN_CHECK_BELOW(outside(mu, r), 1e-14);
            if (solved) {
                CN_CHECK_BELOW(defect(W, mu, q, r), allowed);
            } else {
                CN_CHECK_TRUE(!never_fails(solver, kind, mu));
            }
        }
    }
}

CN_TEST(solvers_agree_with_the_law_on_definite_blocks) {
    check_family(WELL, 2000, 1e-11, 31);
}

CN_TEST(solvers_agree_with_the_law_on_unsymmetric_blocks) {
    check_family(UNSYMMETRIC, 2000, 1e-11, 32);
}

CN_TEST(solvers_agree_with_the_law_on_blocks_of_all_sizes) {
    check_family(WIDE, 2000, 1e-10, 33);
}

CN_TEST(solvers_agree_with_the_law_on_spheres) {
    check_family(SPHERES, 2000, 1e-11, 34);
}

// Where r is much larger than |q|/W its product with W carries that much round-off.
CN_TEST(solvers_do_not_lie_on_deficient_blocks) {
    check_family(DEFICIENT, 500, 1e-7, 35);
}

// A small coupling makes the answer unique, so the impulses themselves must agree.
CN_TEST(solvers_give_the_same_impulse) {
    base_rng rng = base_rng_seed(36);
    for (int n = 0; n < 2000; n++) {
        double W[9], q[3], r[3], want[3], mu = base_rng_uniform(&rng, 0.0, 0.5);
        random_block(&rng, n % 2 == 0 ? WELL : UNSYMMETRIC, W);
        random_velocity(&rng, q);
        local_block block = prepared(W, mu);
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("exact"), &block, q, want));
        for (int32_t i = 0; i < cn_local_solver_count(); i++) {
            if (solve_cold(cn_local_solver_at(i), &block, q, r)) {
                CN_CHECK_BELOW(difference(r, want), 1e-10);
            }
        }
    }
}

// q = -W r is held by a singular W too: b lies in the range of S, up to round-off.
CN_TEST(deficient_blocks_stick_where_the_velocity_allows_it) {
    base_rng rng = base_rng_seed(37);
    for (int n = 0; n < 2000; n++) {
        double W[9], q[3], r[3];
        const double planted[3] = {1.0, base_rng_uniform(&rng, -0.1, 0.1),
                                   base_rng_uniform(&rng, -0.1, 0.1)};
        const double none[3] = {0.0, 0.0, 0.0};
        random_block(&rng, DEFICIENT, W);
        velocity(W, none, planted, q);
        for (int i = 0; i < 3; i++) {
            q[i] = -q[i];
        }
        if (!(q[0] < 0.0)) {
            continue;
        }
        local_block block = prepared(W, 0.2);
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("hybrid"), &block, q, r));
        CN_CHECK_BELOW(defect(W, 0.2, q, r), 1e-11);
    }
}

// ---- properties ----

CN_TEST(answer_scales_with_the_velocity) {
    static const double factors[] = {1e-290, 1e-100, 1e-9, 1e9, 1e100, 1e280};
    base_rng rng = base_rng_seed(41);
    for (int n = 0; n < 1200; n++) {
        double W[9], q[3], r[3], scaled[3], factor = factors[n % 6];
        random_block(&rng, n % 2 == 0 ? WELL : SPHERES, W);
        random_velocity(&rng, q);
        local_block block = prepared(W, 0.4);
        for (int32_t i = 0; i < cn_local_solver_count(); i++) {
            const cn_local_solver *solver = cn_local_solver_at(i);
            const double tall[3] = {factor * q[0], factor * q[1], factor * q[2]};
            bool solved = solve_cold(solver, &block, q, r);
            bool again = solve_cold(solver, &block, tall, scaled);
            CN_CHECK_TRUE(again == solved || is_facetted(solver)); // which may hang on round-off
            solved = solved && again;
            for (int k = 0; k < 3; k++) {
                scaled[k] /= factor;
            }
            if (r[0] > 0.0 && solved) {
                CN_CHECK_BELOW(difference(scaled, r), 1e-11);
            }
        }
    }
}

// Turning the tangent frame by an angle turns r_T by it.
CN_TEST(answer_turns_with_the_tangent_frame) {
    base_rng rng = base_rng_seed(42);
    for (int n = 0; n < 2000; n++) {
        double W[9], V[9], q[3], r[3], turned[3];
        random_block(&rng, UNSYMMETRIC, W);
        random_velocity(&rng, q);
        double angle = base_rng_uniform(&rng, 0.0, 6.0), cosine = cos(angle), sine = sin(angle);
        const double T[3][3] = {{1.0, 0.0, 0.0}, {0.0, cosine, -sine}, {0.0, sine, cosine}};
        double p[3] = {0.0, 0.0, 0.0}, want[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                p[i] += T[i][j] * q[j];
                V[3 * j + i] = 0.0;
                for (int k = 0; k < 9; k++) {
                    V[3 * j + i] += T[i][k % 3] * W[k] * T[j][k / 3];
                }
            }
        }
        local_block block = prepared(W, 0.4), turned_block = prepared(V, 0.4);
        const cn_local_solver *hybrid = cn_local_solver_find("hybrid");
        CN_CHECK_TRUE(solve_cold(hybrid, &block, q, r));
        CN_CHECK_TRUE(solve_cold(hybrid, &turned_block, p, turned));
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                want[i] += T[i][j] * r[j];
            }
        }
        CN_CHECK_BELOW(difference(turned, want), 1e-12);
    }
}

// mu -> 0 gives the frictionless answer, at the rate of mu.
CN_TEST(small_friction_tends_to_none) {
    base_rng rng = base_rng_seed(43);
    for (int n = 0; n < 1000; n++) {
        double W[9], q[3], smooth[3], r[3];
        random_block(&rng, WELL, W);
        random_velocity(&rng, q);
        local_block none = prepared(W, 0.0), some = prepared(W, 1e-7);
        const cn_local_solver *hybrid = cn_local_solver_find("hybrid");
        CN_CHECK_TRUE(solve_cold(hybrid, &none, q, smooth));
        CN_CHECK_TRUE(solve_cold(hybrid, &some, q, r));
        if (r[0] > 0.0) {
            CN_CHECK_BELOW(difference(r, smooth), 1e-6);
        }
    }
}

// mu -> infinity: everything that presses sticks once W^-1 q presses.
CN_TEST(large_friction_tends_to_sticking) {
    local_block block = prepared(BOX, 1e9);
    const double q[3] = {-2.11, -0.76, 1.08}, want[3] = {1.0, 0.1, -0.2};
    double r[3];
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        if (solve_cold(cn_local_solver_at(i), &block, q, r)) {
            CN_CHECK_BELOW(difference(r, want), 1e-12);
        }
    }
    CN_CHECK_TRUE(solve_cold(cn_local_solver_find("hybrid"), &block, q, r));
}

// Without coupling |(S + l I)^-1 b| = mu c: the multiplier falls and |r_T| grows with mu.
CN_TEST(slip_falls_and_friction_grows_with_mu) {
    const double W[9] = {1.0, 0.0, 0.0, 0.0, 3.0, 0.7, 0.0, 0.7, 1.5}, q[3] = {-1.0, 2.0, -1.0};
    double last_slip = DBL_MAX, last_force = 0.0;
    for (double mu = 0.05; mu < 1.0; mu += 0.05) {
        local_block block = prepared(W, mu);
        double r[3] = {0.0, 0.0, 0.0}, slip = 0.0;
        CN_CHECK_TRUE(local_secular(&block, q, r, &slip));
        CN_CHECK_BELOW(slip, last_slip);
        CN_CHECK_BELOW(last_force, hypot(r[1], r[2]));
        last_slip = slip;
        last_force = hypot(r[1], r[2]);
    }
}

// A warm start of any value may change the way, not the answer.
CN_TEST(warm_start_does_not_change_the_answer) {
    static const double starts[] = {-1.0, 1e-300, 1e-3, 1.0, 1e3, 1e300, INFINITE, NOT_A_NUMBER};
    base_rng rng = base_rng_seed(44);
    for (int n = 0; n < 1000; n++) {
        double W[9], q[3], want[3];
        random_block(&rng, UNSYMMETRIC, W);
        random_velocity(&rng, q);
        local_block block = prepared(W, 0.5);
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("secular"), &block, q, want));
        for (int i = 0; i < 8; i++) {
            double r[3] = {1.0, 0.1, 0.1}, slip = starts[i];
            CN_CHECK_TRUE(local_hybrid(&block, q, r, &slip));
            CN_CHECK_TRUE(fabs(slip) <= DBL_MAX);
            CN_CHECK_BELOW(difference(r, want) * (want[0] > 0.0), 1e-11);
        }
    }
}

// The sweep may start from u = W r + q instead of q.
CN_TEST(tangent_plane_is_the_same_from_u_and_from_q) {
    base_rng rng = base_rng_seed(45);
    for (int n = 0; n < 1000; n++) {
        double W[9], q[3], u[3];
        random_block(&rng, UNSYMMETRIC, W);
        random_velocity(&rng, q);
        const double r[3] = {base_rng_uniform(&rng, 0.0, 1.0), base_rng_uniform(&rng, -1.0, 1.0),
                             base_rng_uniform(&rng, -1.0, 1.0)};
        local_block block = prepared(W, 0.5);
        velocity(W, q, r, u);
        local_plane from_q = local_plane_from_q(&block, q);
        local_plane from_u = local_plane_from_u(&block, u, r);
        double size = fabs(q[0]) + 10.0;
        CN_CHECK_NEAR(from_u.c, from_q.c, 1e-14 * size);
        CN_CHECK_NEAR(from_u.b[0], from_q.b[0], 1e-14 * size);
        CN_CHECK_NEAR(from_u.b[1], from_q.b[1], 1e-14 * size);
    }
}

// The slow part behind the fast path must give what the fast path gives.
CN_TEST(fast_path_agrees_with_the_bracketed_solver) {
    base_rng rng = base_rng_seed(46);
    int fast = 0;
    for (int n = 0; n < 4000; n++) {
        double W[9], q[3], r[3] = {0.0, 0.0, 0.0}, want[3], slip = 0.0, want_slip = 0.0;
        random_block(&rng, UNSYMMETRIC, W);
        random_velocity(&rng, q);
        local_block block = prepared(W, base_rng_uniform(&rng, 0.01, 0.8));
        local_plane plane = local_plane_from_q(&block, q);
        CN_CHECK_TRUE(local_secular_bracketed(&block, q, want, &want_slip));
        if (local_secular_fast(&block, &plane, r, &slip)) {
            fast++;
            CN_CHECK_BELOW(difference(r, want) * (want[0] > 0.0), 1e-12);
            CN_CHECK_NEAR(slip, want_slip, 1e-9 * (1.0 + want_slip));
        }
    }
    CN_CHECK_TRUE(fast > 3900); // it is the common way
}

// ---- hard and hopeless ----

// Contacts that press a million times more, or less, than they slip, on blocks of all sizes.
CN_TEST(huge_ratios_are_solved) {
    base_rng rng = base_rng_seed(51);
    for (int n = 0; n < 2000; n++) {
        double W[9], q[3], r[3];
        random_block(&rng, WIDE, W);
        q[0] = -pow(10.0, base_rng_uniform(&rng, -12.0, 12.0));
        q[1] = pow(10.0, base_rng_uniform(&rng, -12.0, 12.0));
        q[2] = base_rng_uniform(&rng, -1.0, 1.0) * q[1];
        local_block block = prepared(W, n % 3 == 0 ? 1e-6 : base_rng_uniform(&rng, 0.0, 0.6));
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("hybrid"), &block, q, r));
        CN_CHECK_BELOW(defect(W, block.mu, q, r), 1e-10);
    }
}

// Without any tangential stiffness the contact slides against b, and is held where b = 0.
CN_TEST(contact_without_tangential_stiffness_slides) {
    const double W[9] = {2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double slipping[3] = {-2.0, 3.0, 4.0}, still[3] = {-2.0, 0.0, 0.0};
    const double slide[3] = {1.0, -0.3, -0.4}, stick[3] = {1.0, 0.0, 0.0};
    local_block block = prepared(W, 0.5);
    for (int i = 0; i < 2; i++) {
        const cn_local_solver *solver = cn_local_solver_find(i == 0 ? "hybrid" : "exact");
        double r[3];
        CN_CHECK_TRUE(solve_cold(solver, &block, slipping, r));
        CN_CHECK_BELOW(difference(r, slide), 1e-15);
        CN_CHECK_TRUE(solve_cold(solver, &block, still, r));
        CN_CHECK_BELOW(difference(r, stick), 1e-15);
    }
}

// Strong coupling with 1 - mu a . theta <= 0 and indefinite blocks: a solution or an honest no.
CN_TEST(paradoxical_blocks_get_a_solution_or_a_no) {
    base_rng rng = base_rng_seed(52);
    int solved_by_exact = 0;
    for (int n = 0; n < 400; n++) {
        double W[9], q[3], r[3];
        for (int i = 0; i < 9; i++) {
            W[i] = base_rng_uniform(&rng, -2.0, 2.0);
        }
        W[0] = base_rng_uniform(&rng, 0.1, 1.0);
        W[4] = base_rng_uniform(&rng, 0.1, 1.0);
        W[8] = base_rng_uniform(&rng, 0.1, 1.0);
        random_velocity(&rng, q);
        double mu = base_rng_uniform(&rng, 0.5, 3.0);
        local_block block = prepared(W, mu);
        for (int32_t i = 0; i < cn_local_solver_count(); i++) {
            bool solved = solve_cold(cn_local_solver_at(i), &block, q, r);
            CN_CHECK_BELOW(outside(mu, r), 1e-14);
            if (solved) {
                CN_CHECK_BELOW(defect(W, mu, q, r), 1e-9);
            }
            if (cn_local_solver_at(i)->solve == local_exact) {
                solved_by_exact += solved;
            }
        }
    }
    CN_CHECK_TRUE(solved_by_exact > 200); // many of them do have a solution
}

// Solutions planted in indefinite blocks: r on the cone with u_T = -l r_T, or inside with u = 0.
CN_TEST(enumeration_finds_planted_solutions_of_indefinite_blocks) {
    base_rng rng = base_rng_seed(54);
    for (int n = 0; n < 3000; n++) {
        double W[9], q[3], r[3], mu = base_rng_uniform(&rng, 0.1, 1.5);
        double angle = base_rng_uniform(&rng, 0.0, 6.3), slip = base_rng_uniform(&rng, 0.0, 3.0);
        double share = n % 2 == 0 ? mu : 0.5 * mu;
        const double planted[3] = {1.0, share * cos(angle), share * sin(angle)};
        const double u[3] = {0.0, n % 2 == 0 ? -slip * planted[1] : 0.0,
                             n % 2 == 0 ? -slip * planted[2] : 0.0};
        for (int i = 0; i < 9; i++) {
            W[i] = base_rng_uniform(&rng, -2.0, 2.0);
        }
        W[0] = base_rng_uniform(&rng, 0.5, 2.0);
        for (int i = 0; i < 3; i++) {
            q[i] = u[i] - (W[i] * planted[0] + W[3 + i] * planted[1] + W[6 + i] * planted[2]);
        }
        local_block block;
        if (!local_prepare(W, mu, &block) || !(q[0] < 0.0)) {
            continue;
        }
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("exact"), &block, q, r));
        CN_CHECK_BELOW(defect(W, mu, q, r), 1e-9);
    }
}

// If any solver finds a solution of an indefinite block, the enumeration and the hybrid do.
CN_TEST(enumeration_misses_no_solution) {
    base_rng rng = base_rng_seed(53);
    for (int n = 0; n < 300; n++) {
        double W[9], q[3], r[3];
        random_block(&rng, WELL, W);
        for (int i = 1; i < 9; i++) {
            W[i] += base_rng_uniform(&rng, -2.0, 2.0);
        }
        random_velocity(&rng, q);
        local_block block;
        if (!local_prepare(W, 1.0, &block)) {
            continue;
        }
        bool any = false;
        for (int32_t i = 0; i < cn_local_solver_count(); i++) {
            any = solve_cold(cn_local_solver_at(i), &block, q, r) || any;
        }
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("exact"), &block, q, r) == any);
        CN_CHECK_TRUE(solve_cold(cn_local_solver_find("hybrid"), &block, q, r) == any);
    }
}

CN_TEST(numbers_that_are_not_finite_give_no_and_no_harm) {
    static const double bad[] = {NOT_A_NUMBER, INFINITE, -INFINITE};
    const double spheres[9] = {1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 3.5};
    local_block blocks[3] = {prepared(BOX, 0.5), prepared(spheres, 0.5), prepared(BOX, 0.0)};
    for (int n = 0; n < 27; n++) {
        double q[3] = {-1.0, 0.3, 0.2};
        q[n % 3] = bad[n / 3 % 3];
        for (int32_t i = 0; i < cn_local_solver_count(); i++) {
            double r[3] = {1.0, 0.1, 0.1}, slip = 1.0;
            bool solved = cn_local_solver_at(i)->solve(&blocks[n / 9], q, r, &slip);
            CN_CHECK_TRUE(!solved || q[0] > 0.0); // +infinity is an open contact
            CN_CHECK_TRUE(fabs(r[0]) + fabs(r[1]) + fabs(r[2]) <= DBL_MAX);
            CN_CHECK_TRUE(fabs(slip) <= DBL_MAX);
        }
    }
}

CN_TEST(last_impulse_that_is_not_finite_does_no_harm) {
    local_block block = prepared(BOX, 0.5);
    const double q[3] = {-4.54, -4.44, 6.08}, want[3] = {2.0, 0.6, -0.8};
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        double r[3] = {NOT_A_NUMBER, INFINITE, 0.0}, slip = 0.0;
        if (cn_local_solver_at(i)->solve(&block, q, r, &slip)) {
            CN_CHECK_BELOW(difference(r, want), 1e-12);
        }
        CN_CHECK_TRUE(fabs(r[0]) + fabs(r[1]) + fabs(r[2]) <= DBL_MAX);
    }
}
