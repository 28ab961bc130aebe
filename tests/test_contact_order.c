// Orders of the contacts, and problems renumbered by them.
#include "check.h"

#include "base/arena.h"
#include "solve/contact_order.h"

#include <cairn/solve.h>
#include <stdlib.h>
#include <string.h>

#define CONTACTS 20

// A planted pile in one of its two forms.
static cn_problem *pile(int32_t dim, bool body, cn_friction *p) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    opts.dim = dim;
    opts.contacts = opts.bodies = CONTACTS;
    opts.deficiency = 0.0;
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
        for (int32_t kind = 0; kind < CN_ORDER_COUNT; kind++) {
            cn_friction p;
            cn_problem *problem = pile(2 + form % 2, form >= 2, &p);
            int32_t order[CONTACTS], times[CONTACTS] = {0};
            CN_CHECK_TRUE(cn_contact_order(&p, (cn_order_kind)kind, 7, problem->memory, order) ==
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
    cn_problem *one = pile(3, false, &assembled), *two = pile(3, true, &body);
    int32_t a[CONTACTS], b[CONTACTS];
    CN_CHECK_TRUE(cn_contact_order(&assembled, CN_ORDER_COLOUR, 0, one->memory, a) == CN_OK);
    CN_CHECK_TRUE(cn_contact_order(&body, CN_ORDER_COLOUR, 0, two->memory, b) == CN_OK);
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
    CN_CHECK_TRUE(cn_contact_order(&p, CN_ORDER_BAND, 0, memory, order) == CN_OK);
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
        cn_problem *problem = pile(dim, form >= 2, &p);
        double r[3 * CONTACTS], u[3 * CONTACTS], turned[3 * CONTACTS], v[6 * CONTACTS];
        double want[3 * CONTACTS];
        CN_CHECK_TRUE(cn_contact_order(&p, CN_ORDER_RANDOM, 3, problem->memory, order) == CN_OK);
        CN_CHECK_TRUE(cn_contact_reorder(&p, order, problem->memory, &other) == CN_OK);
        CN_CHECK_TRUE(cn_friction_validate(&other, NULL) == CN_OK);
        cn_contact_gather(&p, order, problem->r, turned);
        cn_friction_velocity(&other, turned, v, u);
        cn_contact_scatter(&p, order, u, r);
        cn_friction_velocity(&p, problem->r, v, want);
        for (int32_t i = 0; i < dim * CONTACTS; i++) {
            CN_CHECK_NEAR(r[i], want[i], 1e-12);
        }
        cn_problem_destroy(problem);
    }
}

CN_TEST(nsgs_solves_in_every_order) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    for (int32_t form = 0; form < 4; form++) {
        for (int32_t kind = 0; kind < CN_ORDER_COUNT; kind++) {
            cn_friction p;
            cn_problem *problem = pile(2 + form % 2, form >= 2, &p);
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
