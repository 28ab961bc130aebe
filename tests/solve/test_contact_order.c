// Orders of the contacts, and problems renumbered by them.
#include "check.h"

#include "base/arena.h"
#include "solve/gauss_seidel/contact_order.h"
#include "solve/gauss_seidel/sweep.h"

#include <cairn/solve.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTACTS 20

// A planted pile in one of its two forms.
static cn_problem *pile(int32_t dim, bool body, double deficiency, cn_friction *p) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    opts.dim = dim;
    opts.contacts = CONTACTS;
    opts.bodies = deficiency > 0.0 ? 0 : CONTACTS;
    opts.deficiency = deficiency;
    opts.friction = 0.3;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &problem, NULL) == CN_OK);
    CN_CHECK_TRUE((body ? cn_friction_to_body_space(&problem->global, problem->memory, p, NULL)
                        : cn_friction_condense(&problem->global, problem->memory, p, NULL)) ==
                  CN_OK);
    return problem;
}

// Whether contacts a and b have a block of W between them.
static bool are_neighbours(const cn_friction *p, int32_t a, int32_t b) {
    for (int64_t k = p->W.assembled.start[a]; k < p->W.assembled.start[a + 1]; k++) {
        if (p->W.assembled.column[k] == b) {
            return true;
        }
    }
    return false;
}

CN_TEST(every_order_has_every_contact_once) {
    for (int32_t form = 0; form < 4; form++) {
        for (int32_t kind = 0; kind < GS_ORDER_COUNT; kind++) {
            cn_friction p;
            cn_problem *problem = pile(2 + form % 2, form >= 2, 0.0, &p);
            int32_t order[CONTACTS], times[CONTACTS] = {0};
            CN_CHECK_TRUE(gs_contact_order(&p, (gs_order_kind)kind, 7, problem->memory, order) ==
                          CN_OK);
            for (int32_t k = 0; k < CONTACTS; k++) {
                CN_CHECK_TRUE(order[k] >= 0 && order[k] < CONTACTS);
                times[order[k]]++;
            }
            for (int32_t k = 0; k < CONTACTS; k++) {
                CN_CHECK_TRUE(times[k] == 1);
            }
            cn_problem_destroy(problem);
        }
    }
}

// The graph is that of W, whichever form it is found from.
CN_TEST(both_forms_colour_alike) {
    cn_friction assembled, body;
    cn_problem *one = pile(3, false, 0.0, &assembled), *two = pile(3, true, 0.0, &body);
    int32_t a[CONTACTS], b[CONTACTS];
    CN_CHECK_TRUE(gs_contact_order(&assembled, GS_ORDER_COLOUR, 0, one->memory, a) == CN_OK);
    CN_CHECK_TRUE(gs_contact_order(&body, GS_ORDER_COLOUR, 0, two->memory, b) == CN_OK);
    assert_memory_equal(a, b, sizeof a);
    // The first colour: as long as numbers rise, no two are neighbours.
    for (int32_t k = 1; k < CONTACTS && a[k] > a[k - 1]; k++) {
        for (int32_t l = 0; l < k; l++) {
            CN_CHECK_TRUE(!are_neighbours(&assembled, a[k], a[l]));
        }
    }
    cn_problem_destroy(one);
    cn_problem_destroy(two);
}

// A chain of contacts with shuffled numbers: neighbours come next to one another again.
CN_TEST(band_order_unfolds_a_chain) {
    cn_arena *memory = cn_arena_create(NULL);
    int32_t links[CONTACTS], order[CONTACTS], place[CONTACTS], dof[2 * CONTACTS];
    int64_t start[CONTACTS + 1];
    double zero[4 * CONTACTS] = {0};
    for (int32_t a = 0; a < CONTACTS; a++) {
        links[a] = 7 * a % CONTACTS; // contact a joins bodies links[a] and the next
        dof[2 * a] = links[a];
        dof[2 * a + 1] = links[a] + 1;
        start[a] = 2 * a;
    }
    start[CONTACTS] = 2 * CONTACTS;
    cn_friction p = {.dim = 2, .contacts = CONTACTS, .W = {.kind = CN_OPERATOR_BODY}};
    p.W.body =
        (cn_body_map){.dofs = CONTACTS + 1, .start = start, .dof = dof, .H = zero, .MinvH = zero};
    CN_CHECK_TRUE(gs_contact_order(&p, GS_ORDER_BAND, 0, memory, order) == CN_OK);
    for (int32_t k = 0; k < CONTACTS; k++) {
        place[links[order[k]]] = k;
    }
    for (int32_t link = 1; link < CONTACTS; link++) {
        CN_CHECK_TRUE(abs(place[link] - place[link - 1]) == 1);
    }
    cn_arena_destroy(memory);
}

// u = W r + q is the same with the contacts renumbered, up to the order of the sums.
CN_TEST(renumbering_changes_no_velocity) {
    for (int32_t form = 0; form < 4; form++) {
        cn_friction p, other;
        int32_t dim = 2 + form % 2, order[CONTACTS];
        cn_problem *problem = pile(dim, form >= 2, 0.0, &p);
        double r[3 * CONTACTS], u[3 * CONTACTS], turned[3 * CONTACTS], v[6 * CONTACTS];
        double want[3 * CONTACTS];
        CN_CHECK_TRUE(gs_contact_order(&p, GS_ORDER_RANDOM, 3, problem->memory, order) == CN_OK);
        CN_CHECK_TRUE(gs_contact_reorder(&p, order, problem->memory, &other) == CN_OK);
        CN_CHECK_TRUE(cn_friction_validate(&other, NULL) == CN_OK);
        gs_contact_gather(&p, order, problem->r, turned);
        cn_friction_velocity(&other, turned, v, u);
        gs_contact_scatter(&p, order, u, r);
        cn_friction_velocity(&p, problem->r, v, want);
        for (int32_t i = 0; i < dim * CONTACTS; i++) {
            CN_CHECK_NEAR(r[i], want[i], 1e-12);
        }
        cn_problem_destroy(problem);
    }
}

// A chain of bodies, three contacts a link in mixed order: a link's contacts are found together.
CN_TEST(contacts_of_one_pair_form_a_block) {
    enum { LINKS = 5, ALL = 3 * LINKS };
    cn_arena *memory = cn_arena_create(NULL);
    int32_t link[ALL], dof[2 * ALL], order[ALL], first[ALL + 1], blocks;
    int64_t start[ALL + 1];
    double zero[4 * ALL] = {0};
    for (int32_t a = 0; a < ALL; a++) {
        link[a] = 7 * a % ALL % LINKS;
        dof[2 * a] = link[a];
        dof[2 * a + 1] = link[a] + 1;
        start[a] = 2 * a;
    }
    start[ALL] = 2 * ALL;
    cn_friction p = {.dim = 2, .contacts = ALL, .W = {.kind = CN_OPERATOR_BODY}};
    p.W.body =
        (cn_body_map){.dofs = LINKS + 1, .start = start, .dof = dof, .H = zero, .MinvH = zero};
    assert_int_equal(gs_contact_pairs(&p, memory, order, first, &blocks), CN_OK);
    assert_int_equal(blocks, LINKS);
    for (int32_t b = 0; b < blocks; b++) {
        assert_int_equal(first[b + 1] - first[b], 3);
        for (int32_t k = first[b] + 1; k < first[b + 1]; k++) {
            assert_int_equal(link[order[k]], link[order[first[b]]]);
            CN_CHECK_TRUE(order[k] > order[k - 1]);
        }
    }
    cn_arena_destroy(memory);
}

// W tells no bodies, but contacts of one pair have the same neighbours in it.
CN_TEST(assembled_blocks_hold_the_pairs_of_body_space) {
    cn_friction body, assembled;
    cn_problem *one = pile(3, true, 0.6, &body), *two = pile(3, false, 0.6, &assembled);
    int32_t order[CONTACTS], first[CONTACTS + 1], blocks, block[CONTACTS], wide = 0;
    assert_int_equal(gs_contact_pairs(&assembled, two->memory, order, first, &blocks), CN_OK);
    for (int32_t b = 0; b < blocks; b++) {
        for (int32_t k = first[b]; k < first[b + 1]; k++) {
            block[order[k]] = b;
        }
    }
    assert_int_equal(gs_contact_pairs(&body, one->memory, order, first, &blocks), CN_OK);
    for (int32_t b = 0; b < blocks; b++) {
        wide += first[b + 1] - first[b] > 1;
        for (int32_t k = first[b]; k < first[b + 1]; k++) {
            assert_int_equal(block[order[k]], block[order[first[b]]]);
        }
    }
    CN_CHECK_TRUE(wide > 0);
    cn_problem_destroy(one);
    cn_problem_destroy(two);
}

// A symmetric sweep is one by index, then one of the problem numbered the other way round.
CN_TEST(symmetric_sweep_visits_forth_and_back) {
    const cn_local_solver *local = cn_local_solver_find("exact");
    for (int32_t form = 0; form < 4; form++) {
        cn_friction p, turned;
        int32_t dim = 2 + form % 2, order[CONTACTS];
        cn_problem *problem = pile(dim, form >= 2, 0.0, &p);
        cn_arena *memory = problem->memory;
        gs_sweep both, forth, back;
        double x[3 * CONTACTS + GS_SWEEP_PAD] = {0}, y[3 * CONTACTS + GS_SWEEP_PAD] = {0},
                                z[3 * CONTACTS + GS_SWEEP_PAD] = {0};
        for (int32_t a = 0; a < CONTACTS; a++) {
            order[a] = CONTACTS - 1 - a;
        }
        CN_CHECK_TRUE(gs_contact_reorder(&p, order, memory, &turned) == CN_OK);
        const gs_sweep_plan plan = {.relaxation = 1.0, .symmetric = true};
        CN_CHECK_TRUE(gs_sweep_prepare_plan(&p, local, &plan, memory, &both) == CN_OK);
        CN_CHECK_TRUE(gs_sweep_prepare(&p, local, 1.0, memory, &forth) == CN_OK);
        CN_CHECK_TRUE(gs_sweep_prepare(&turned, local, 1.0, memory, &back) == CN_OK);
        gs_sweep_run(&both, x, 1);
        gs_sweep_run(&forth, y, 1);
        gs_contact_gather(&p, order, y, z);
        gs_sweep_run(&back, z, 1);
        double moved = 0.0;
        for (int32_t i = 0; i < dim * CONTACTS; i++) {
            moved = fmax(moved, fabs(x[i] - y[i]));
        }
        gs_contact_scatter(&p, order, z, y);
        for (int32_t i = 0; i < dim * CONTACTS; i++) {
            CN_CHECK_NEAR(x[i], y[i], 1e-11);
        }
        CN_CHECK_TRUE(moved > 1e-6); // the way back does something
        cn_problem_destroy(problem);
    }
}

// Every way to sweep, alone and together, in every form.
CN_TEST(nsgs_solves_with_every_option) {
    static const char *const ways[][3] = {
        {"symmetric=true"},
        {"manifold=20"},
        {"adaptive=true"},
        {"symmetric=true", "manifold=5", "order=2"},
        {"symmetric=true", "manifold=5", "adaptive=true"},
        {"manifold=20", "anderson=0", "relaxation=1.2"},
    };
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    for (int32_t form = 0; form < 4; form++) {
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            cn_friction p;
            cn_problem *problem = pile(2 + form % 2, form >= 2, 0.0, &p);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            cn_solve_report report;
            double r[3 * CONTACTS] = {0}, u[3 * CONTACTS];
            for (int32_t k = 0; k < 3 && ways[way][k]; k++) {
                char name[16];
                const char *value = strchr(ways[way][k], '=') + 1;
                snprintf(name, sizeof name, "%.*s", (int)(value - 1 - ways[way][k]), ways[way][k]);
                CN_CHECK_TRUE(cn_solve_opts_set(&opts, &solver->info, name, value, NULL) == CN_OK);
            }
            CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report,
                                            NULL) == CN_OK);
            CN_CHECK_TRUE(report.outcome == CN_SOLVED);
            for (int32_t i = 0; i < p.dim * CONTACTS; i++) {
                CN_CHECK_NEAR(r[i], problem->r[i], 1e-4);
            }
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(nsgs_solves_in_every_order) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    for (int32_t form = 0; form < 4; form++) {
        for (int32_t kind = 0; kind < GS_ORDER_COUNT; kind++) {
            cn_friction p;
            cn_problem *problem = pile(2 + form % 2, form >= 2, 0.0, &p);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            cn_solve_report report;
            char value[16];
            double r[3 * CONTACTS] = {0}, u[3 * CONTACTS];
            snprintf(value, sizeof value, "%d", (int)kind);
            CN_CHECK_TRUE(cn_solve_opts_set(&opts, &solver->info, "order", value, NULL) == CN_OK);
            CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report,
                                            NULL) == CN_OK);
            CN_CHECK_TRUE(report.outcome == CN_SOLVED);
            for (int32_t i = 0; i < p.dim * CONTACTS; i++) {
                CN_CHECK_NEAR(r[i], problem->r[i], 1e-4);
            }
            cn_problem_destroy(problem);
        }
    }
}
