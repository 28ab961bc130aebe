// Islands of a problem: found, cut out, and solved as well as the whole needs it.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "solve/drivers/islands.h"
#include "solve/drivers/natural_map.h"

#include <cairn/solve.h>
#include <math.h>
#include <string.h>

#define PARTS 4
#define PART 10 // contacts of a part
#define CONTACTS (PARTS * PART)

// A planted pile with fewer bodies than contacts, which hold together: one island.
static cn_problem *pile(int32_t dim, bool body, uint64_t seed, cn_friction *p) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    opts.dim = dim;
    opts.contacts = PART;
    opts.deficiency = 0.5;
    opts.friction = 0.3;
    opts.seed = seed;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &problem, NULL) == CN_OK);
    CN_CHECK_TRUE((body ? cn_friction_to_body_space(&problem->global, problem->memory, p, NULL)
                        : cn_friction_condense(&problem->global, problem->memory, p, NULL)) ==
                  CN_OK);
    return problem;
}

// The parts side by side, contact k of part i as contact PARTS k + i, its q times scale[i].
typedef struct joined {
    cn_problem *part[PARTS];
    cn_friction problem[PARTS], p;
    cn_arena *memory;
} joined;

static void join_body(joined *j) {
    int32_t dim = j->p.dim, dofs = 0;
    int64_t entries = 0, at = 0;
    int32_t offset[PARTS];
    for (int32_t i = 0; i < PARTS; i++) {
        offset[i] = dofs;
        dofs += j->problem[i].W.body.dofs;
        entries += j->problem[i].W.body.start[PART];
    }
    j->p.W.body = (cn_body_map){.dofs = dofs,
                                .start = BASE_TAKE_ZERO(j->memory, int64_t, CONTACTS + 1),
                                .dof = BASE_TAKE(j->memory, int32_t, entries),
                                .H = BASE_TAKE(j->memory, double, dim *entries),
                                .MinvH = BASE_TAKE(j->memory, double, dim *entries)};
    for (int32_t a = 0; a < CONTACTS; a++) {
        const cn_body_map *map = &j->problem[a % PARTS].W.body;
        for (int64_t k = map->start[a / PARTS]; k < map->start[a / PARTS + 1]; k++, at++) {
            j->p.W.body.dof[at] = offset[a % PARTS] + map->dof[k];
            memcpy(j->p.W.body.H + dim * at, map->H + dim * k, sizeof(double) * (size_t)dim);
            memcpy(j->p.W.body.MinvH + dim * at, map->MinvH + dim * k,
                   sizeof(double) * (size_t)dim);
        }
        j->p.W.body.start[a + 1] = at;
    }
}

static void join_assembled(joined *j) {
    int32_t square = j->p.dim * j->p.dim;
    int64_t blocks = 0, at = 0;
    for (int32_t i = 0; i < PARTS; i++) {
        blocks += j->problem[i].W.assembled.start[PART];
    }
    j->p.W.assembled =
        (cn_bsr){.dim = j->p.dim,
                 .block_rows = CONTACTS,
                 .start = BASE_TAKE_ZERO(j->memory, int64_t, CONTACTS + 1),
                 .column = BASE_TAKE(j->memory, int32_t, blocks),
                 .value = BASE_TAKE_ZERO(j->memory, double, square *blocks + CN_BSR_PAD)};
    for (int32_t a = 0; a < CONTACTS; a++) {
        const cn_bsr *W = &j->problem[a % PARTS].W.assembled;
        for (int64_t k = W->start[a / PARTS]; k < W->start[a / PARTS + 1]; k++, at++) {
            j->p.W.assembled.column[at] = PARTS * W->column[k] + a % PARTS;
            memcpy(j->p.W.assembled.value + square * at, W->value + square * k,
                   sizeof(double) * (size_t)square);
        }
        j->p.W.assembled.start[a + 1] = at;
    }
}

static joined join(int32_t dim, bool body, const double *scale) {
    joined j = {.memory = cn_arena_create(NULL)};
    for (int32_t i = 0; i < PARTS; i++) {
        j.part[i] = pile(dim, body, 7 + (uint64_t)i, &j.problem[i]);
    }
    j.p = (cn_friction){.dim = dim,
                        .contacts = CONTACTS,
                        .W = {.kind = body ? CN_OPERATOR_BODY : CN_OPERATOR_ASSEMBLED},
                        .q = BASE_TAKE(j.memory, double, dim *CONTACTS),
                        .mu = BASE_TAKE(j.memory, double, CONTACTS)};
    j.p.W.diagonal = BASE_TAKE(j.memory, double, dim *dim *CONTACTS);
    for (int32_t a = 0; a < CONTACTS; a++) {
        const cn_friction *from = &j.problem[a % PARTS];
        int32_t k = a / PARTS;
        for (int32_t i = 0; i < dim; i++) {
            j.p.q[dim * a + i] = (scale ? scale[a % PARTS] : 1.0) * from->q[dim * k + i];
        }
        j.p.mu[a] = from->mu[k];
        memcpy(j.p.W.diagonal + dim * dim * a, from->W.diagonal + dim * dim * k,
               sizeof(double) * (size_t)(dim * dim));
    }
    if (body) {
        join_body(&j);
    } else {
        join_assembled(&j);
    }
    return j;
}

static void part(joined *j) {
    for (int32_t i = 0; i < PARTS; i++) {
        cn_problem_destroy(j->part[i]);
    }
    cn_arena_destroy(j->memory);
}

CN_TEST(parts_that_do_not_touch_are_islands) {
    for (int32_t form = 0; form < 4; form++) {
        joined j = join(2 + form % 2, form >= 2, NULL);
        solve_islands islands;
        CN_CHECK_TRUE(solve_islands_find(&j.p, NULL, j.memory, &islands) == CN_OK);
        CN_CHECK_TRUE(islands.count == PARTS);
        for (int32_t i = 0; i < PARTS; i++) {
            CN_CHECK_TRUE(islands.first[i + 1] - islands.first[i] == PART);
            for (int32_t k = 0; k < PART; k++) {
                CN_CHECK_TRUE(islands.contact[islands.first[i] + k] == PARTS * k + i);
            }
        }
        part(&j);
    }
}

// An island has the velocities that the whole has, whatever the impulses.
CN_TEST(an_island_cut_out_is_the_same_problem) {
    for (int32_t form = 0; form < 4; form++) {
        joined j = join(2 + form % 2, form >= 2, NULL);
        int32_t dim = j.p.dim;
        solve_islands islands;
        double r[3 * CONTACTS], u[3 * CONTACTS], own_r[3 * PART], own_u[3 * PART];
        double *v = BASE_TAKE(j.memory, double, form >= 2 ? j.p.W.body.dofs : 0);
        base_rng rng = base_rng_seed(3);
        for (int32_t i = 0; i < dim * CONTACTS; i++) {
            r[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        cn_friction_velocity(&j.p, r, v, u);
        CN_CHECK_TRUE(solve_islands_find(&j.p, NULL, j.memory, &islands) == CN_OK);
        for (int32_t i = 0; i < PARTS; i++) {
            cn_friction p;
            CN_CHECK_TRUE(solve_islands_cut(&j.p, &islands, i, j.memory, &p) == CN_OK);
            CN_CHECK_TRUE(cn_friction_validate(&p, NULL) == CN_OK);
            for (int32_t k = 0; k < dim * PART; k++) {
                own_r[k] = r[dim * (PARTS * (k / dim) + i) + k % dim];
            }
            cn_friction_velocity(&p, own_r, v, own_u);
            for (int32_t k = 0; k < dim * PART; k++) {
                CN_CHECK_NEAR(own_u[k], u[dim * (PARTS * (k / dim) + i) + k % dim], 1e-13);
            }
        }
        part(&j);
    }
}

// One bilateral block, carried along with what else is known of it.
CN_TEST(bounds_go_with_their_contacts) {
    joined j = join(3, true, NULL);
    uint8_t boxed[CONTACTS] = {0};
    double lower[3 * CONTACTS] = {0.0}, upper[3 * CONTACTS] = {0.0}, soft[3 * CONTACTS] = {0.0};
    int32_t block = PARTS * 2 + 1; // contact 2 of part 1
    boxed[block] = 1;
    lower[3 * block + 1] = -(double)INFINITY;
    upper[3 * block + 1] = 4.0;
    soft[3 * block + 1] = 0.5;
    j.p.mu[block] = 0.0;
    j.p.bounds = (cn_bounds){.boxed = boxed, .lower = lower, .upper = upper, .compliance = soft};
    solve_islands islands;
    cn_friction p;
    CN_CHECK_TRUE(solve_islands_find(&j.p, NULL, j.memory, &islands) == CN_OK);
    CN_CHECK_TRUE(solve_islands_cut(&j.p, &islands, 1, j.memory, &p) == CN_OK);
    CN_CHECK_TRUE(p.bounds.boxed[2] == 1 && p.bounds.boxed[1] == 0);
    CN_CHECK_TRUE(isinf(p.bounds.lower[7]) && p.bounds.upper[7] == 4.0);
    CN_CHECK_TRUE(p.bounds.compliance[7] == 0.5 && p.mu[2] == 0.0);
    part(&j);
}

// Contacts that share nothing but a body of infinite mass are apart, and it is left out.
CN_TEST(a_body_of_infinite_mass_joins_nothing) {
    int64_t start[] = {0, 6, 12};
    int32_t dof[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 7, 8}; // bodies 0 1, 0 2; 0 does not move
    double H[24] = {0.0}, MinvH[24] = {0.0}, diagonal[8] = {1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0};
    double q[] = {-1.0, 0.5, -2.0, 0.0}, mu[] = {0.3, 0.3};
    for (int32_t a = 0; a < 2; a++) {
        H[12 * a] = H[12 * a + 3] = -1.0;
        H[12 * a + 6] = H[12 * a + 9] = MinvH[12 * a + 6] = MinvH[12 * a + 9] = 1.0;
    }
    cn_friction p = {.dim = 2,
                     .contacts = 2,
                     .W = {.kind = CN_OPERATOR_BODY,
                           .diagonal = diagonal,
                           .body = {.dofs = 9, .start = start, .dof = dof, .H = H, .MinvH = MinvH}},
                     .q = q,
                     .mu = mu};
    cn_arena *memory = cn_arena_create(NULL);
    solve_islands islands;
    cn_friction cut;
    CN_CHECK_TRUE(solve_islands_find(&p, NULL, memory, &islands) == CN_OK);
    CN_CHECK_TRUE(islands.count == 2);
    CN_CHECK_TRUE(solve_islands_cut(&p, &islands, 1, memory, &cut) == CN_OK);
    CN_CHECK_TRUE(cut.contacts == 1 && cut.W.body.dofs == 3 && cut.W.body.start[1] == 3);
    CN_CHECK_TRUE(cut.W.body.dof[0] == 0 && cut.W.body.H[0] == 1.0 && cut.q[0] == -2.0);
    cn_arena_destroy(memory);
}

// Islands in motions of very different size, in every measure: the checker finds the whole within
// the tolerance, and nothing else than the problem decides the bits.
CN_TEST(the_whole_is_within_the_tolerance) {
    const double scale[PARTS] = {1.0, 1e-7, 1e3, 0.0};
    for (int32_t form = 0; form < 12; form++) {
        joined j = join(2 + form % 2, form % 4 >= 2, scale);
        const cn_friction_solver *solver = cn_friction_solver_find("prox-newton");
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.measure = (cn_measure)(form / 4);
        double r[2][3 * CONTACTS] = {{0.0}}, u[3 * CONTACTS];
        for (int32_t run = 0; run < 2; run++) {
            cn_solve_report report = {0};
            bool split;
            cn_grade grade;
            CN_CHECK_TRUE(solve_islands_solve(&j.p, solver->solve, &opts, j.memory, r[run], u,
                                              &report, &split) == CN_OK);
            CN_CHECK_TRUE(split && report.outcome == CN_SOLVED && report.iterations > 0);
            CN_CHECK_TRUE(cn_friction_grade(&j.p, r[run], u, j.memory, &grade) == CN_OK);
            CN_CHECK_BELOW(cn_grade_residual(&grade, opts.measure), opts.tolerance);
        }
        assert_memory_equal(r[0], r[1], sizeof r[0]);
        part(&j);
    }
}

CN_TEST(one_island_is_left_to_the_caller) {
    cn_friction p;
    cn_problem *problem = pile(3, true, 7, &p);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_solve_report report = {.iterations = -1};
    double r[3 * PART] = {0.0}, u[3 * PART];
    bool split = true;
    CN_CHECK_TRUE(solve_islands_solve(&p, solver->solve, &opts, problem->memory, r, u, &report,
                                      &split) == CN_OK);
    CN_CHECK_TRUE(!split && report.iterations == -1);
    cn_problem_destroy(problem);
}

// A limit ends it, and what was reached is kept.
CN_TEST(a_limit_is_for_all_islands) {
    joined j = join(3, true, NULL);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    double r[3 * CONTACTS] = {0.0}, u[3 * CONTACTS], v[6 * CONTACTS * 2];
    bool split;
    cn_solve_report report;
    CN_CHECK_TRUE(j.p.W.body.dofs <= (int32_t)(sizeof v / sizeof *v));
    cn_friction_velocity(&j.p, r, v, u);
    double before = solve_natural_error(&j.p, opts.measure, r, u);
    opts.max_iterations = 3;
    CN_CHECK_TRUE(
        solve_islands_solve(&j.p, solver->solve, &opts, j.memory, r, u, &report, &split) == CN_OK);
    CN_CHECK_TRUE(split && report.outcome == CN_LIMIT && report.iterations == 3);
    CN_CHECK_BELOW(solve_natural_error(&j.p, opts.measure, r, u), before);
    part(&j);
}

// auto goes this way by itself.
CN_TEST(auto_solves_islands) {
    joined j = join(3, true, NULL);
    const cn_friction_solver *solver = cn_friction_solver_find("auto");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    double r[3 * CONTACTS] = {0.0}, u[3 * CONTACTS];
    cn_solve_report report;
    opts.tolerance = 1e-12;
    CN_CHECK_TRUE(cn_friction_solve(&j.p, solver, &opts, j.memory, r, u, &report, NULL) == CN_OK);
    CN_CHECK_TRUE(report.outcome == CN_SOLVED && strstr(report.detail, "island"));
    CN_CHECK_BELOW(report.grade.residual, 1e-12);
    part(&j);
}

// Contacts that are left out belong to no island, and what they held together falls apart.
CN_TEST(contacts_left_out_join_nothing) {
    for (int32_t form = 0; form < 4; form++) {
        joined j = join(2 + form % 2, form >= 2, NULL);
        bool kept[CONTACTS];
        solve_islands islands;
        cn_friction p;
        for (int32_t a = 0; a < CONTACTS; a++) {
            kept[a] = a % PARTS == 1 && a / PARTS != 3; // of part 1 all but one
        }
        CN_CHECK_TRUE(solve_islands_find(&j.p, kept, j.memory, &islands) == CN_OK);
        CN_CHECK_TRUE(islands.count > 0 && islands.first[islands.count] == PART - 1);
        for (int32_t i = 0; i < islands.count; i++) {
            CN_CHECK_TRUE(solve_islands_cut(&j.p, &islands, i, j.memory, &p) == CN_OK);
            CN_CHECK_TRUE(cn_friction_validate(&p, NULL) == CN_OK);
        }
        part(&j);
    }
}

// Most contacts open at first sight: those that the solution of the rest violates are taken in.
CN_TEST(contacts_that_do_not_stay_open_are_taken_in) {
    for (int32_t form = 0; form < 4; form++) {
        joined j = join(2 + form % 2, form >= 2, NULL);
        int32_t dim = j.p.dim, missing = 0;
        for (int32_t a = 0; a < CONTACTS; a++) {
            // A third do not press by themselves, but are pressed by the others.
            j.p.q[dim * a] = a % 3 == 0 ? 0.5 * fabs(j.p.q[dim * a]) : j.p.q[dim * a];
        }
        const cn_friction_solver *solver = cn_friction_solver_find("prox-newton");
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        double r[3 * CONTACTS] = {0.0}, u[3 * CONTACTS];
        cn_solve_report report = {0};
        bool split;
        cn_grade grade;
        CN_CHECK_TRUE(solve_islands_solve(&j.p, solver->solve, &opts, j.memory, r, u, &report,
                                          &split) == CN_OK);
        CN_CHECK_TRUE(cn_friction_grade(&j.p, r, u, j.memory, &grade) == CN_OK);
        CN_CHECK_BELOW(grade.residual, opts.tolerance);
        for (int32_t a = 0; a < CONTACTS; a += 3) {
            missing += r[dim * a] > 0.0;
        }
        CN_CHECK_TRUE(split && missing > 0);
        part(&j);
    }
}
