// E4b: one step of masonry by every solver of the panel, as they are: outcome, CPU time, residual.
//
// The paper: blocks face to face have at least four dependent contacts, which handicaps direct
// methods as Lemke's; with friction the matrix of the LCP is not symmetric, a problem for Lemke's
// method as well as for PATH. Where all contacts stick a facetted cone holds the answer; where some
// slide it cannot, and the residual says by how much.
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>

#define E4B_TOLERANCE 1e-8
#define E4B_TIME 3.0       // [s] a solve may take
#define E4B_TIME_QUICK 0.2 // in the short version
#define E4B_METHODS 7
#define E4B_DRAWN SVG_COLOURS // of them, in colours that differ

// Labels are names of solvers. auto is asked to solve everything.
static const lab_method e4b_methods[E4B_METHODS + 1] = {
    {.label = "lemke", .limit = (double)NAN, .paper = "inefficient"},
    {.label = "qp", .limit = (double)NAN, .paper = ""},
    {.label = "mcp", .limit = (double)NAN, .paper = "a problem (PATH)"},
    {.label = "nsgs", .limit = (double)NAN, .paper = "efficient"},
    {.label = "cpg", .limit = (double)NAN, .paper = "efficient"},
    {.label = "auto", .limit = E4B_TOLERANCE, .paper = ""},
    {.label = "prox-newton", .limit = (double)NAN, .paper = ""},
    {.label = NULL}};

static const heading e4b_columns[] = {
    {"problem", "problem"},   {"contacts", "contacts"},     {"solver", "solver"},
    {"outcome", "outcome"},   {"iterations", "iterations"}, {"", "unit"},
    {"residual", "residual"}, {"CPU [s]", "cpu_s"},         {NULL, NULL}};

enum { E4B_RESIDUAL = 6, E4B_CPU = 7 }; // columns

typedef struct e4b_case {
    const char *label, *scene;
    cn_override set[3];
    int32_t count;
    double until;
    bool quick; // in the short version too
} e4b_case;

static const e4b_case e4b_cases[] = {
    {"tower of 8", "tower", {{"generate.0.column.count", "8"}}, 1, 0.01, true},
    {"arch of 15 wedges", "masonry-arch", {{"generate.0.arch.wedges", "15"}}, 1, 0.002, true},
    {"arch of 21 wedges", "masonry-arch", {{"time.until", "1"}}, 1, 0.1, false},
    {"wall, 3 courses of 2",
     "masonry-wall",
     {{"generate.0.wall.courses", "3"}, {"generate.0.wall.bricks", "2"}},
     2,
     1.0,
     false},
    {"wall, 6 courses of 4",
     "masonry-wall",
     {{"generate.0.wall.courses", "6"}, {"generate.0.wall.bricks", "4"}},
     2,
     1.0,
     false},
    {"the first wall, ground sinking",
     "chateau-gombert",
     {{"generate.0.wall.courses", "3"}, {"generate.0.wall.bricks", "2"}},
     2,
     1.5,
     false},
};
#define E4B_CASES ((int32_t)(sizeof e4b_cases / sizeof e4b_cases[0]))

// What the solvers did on all problems.
typedef struct e4b_sums {
    const e4b_case *now;
    int32_t problems;
    int32_t solved[E4B_METHODS];
    double cpu[E4B_METHODS];
    double worst[E4B_METHODS]; // residual
} e4b_sums;

static void e4b_solve_all(reproduction *lab, const cn_friction *problem, void *user) {
    e4b_sums *sums = user;
    sums->problems++;
    for (int32_t i = 0; i < E4B_METHODS && lab->code == EXIT_DONE; i++) {
        const char *name = e4b_methods[i].label;
        const solve_attempt attempt = {.solver = name,
                                       .tolerance = E4B_TOLERANCE,
                                       .time_limit = lab->quick ? E4B_TIME_QUICK : E4B_TIME};
        cn_solve_report report;
        if (!lab_solve(lab, problem, &attempt, &report)) {
            return;
        }
        bool solved = report.outcome == CN_SOLVED;
        sums->solved[i] += solved;
        sums->cpu[i] += report.cpu_s;
        sums->worst[i] = fmax(sums->worst[i], report.grade.residual);
        lab->cpu_s += report.cpu_s;
        data_table_text(&lab->table, sums->now->label, INK_PLAIN);
        data_table_int(&lab->table, problem->contacts);
        data_table_text(&lab->table, name, INK_PLAIN);
        data_table_text(&lab->table, cn_outcome_text(report.outcome), solved ? INK_GOOD : INK_BAD);
        data_table_int(&lab->table, report.iterations);
        data_table_text(&lab->table, cn_friction_solver_find(name)->info.unit, INK_PLAIN);
        data_table_real(&lab->table, 3, report.grade.residual);
        data_table_real(&lab->table, 3, report.cpu_s);
    }
}

static void e4b_conclude(reproduction *lab, const e4b_sums *sums) {
    for (int32_t i = 0; i < E4B_METHODS; i++) {
        const lab_method *method = &e4b_methods[i];
        char *what[3] = {
            format_text("%s: solved to 1e-8, of %d problems", method->label, (int)sums->problems),
            format_text("%s: worst residual", method->label),
            format_text("%s: CPU time of all [s]", method->label)};
        lab_check_shown(lab, what[0], method->paper, sums->solved[i]);
        lab_below(lab, what[1], "", sums->worst[i], method->limit);
        lab_check_shown(lab, what[2], "", sums->cpu[i]);
        for (int32_t k = 0; k < 3; k++) {
            free(what[k]);
        }
    }
}

// The residual that each solver leaves over the time it took.
static void e4b_plot(reproduction *lab) {
    point_series points[E4B_METHODS] = {{.count = 0}};
    plot_curve curves[E4B_DRAWN];
    int32_t columns = lab->table.columns;
    for (int32_t row = 0; row < lab->table.count / columns; row++) {
        const table_cell *cells = lab->table.cells + (int64_t)columns * row;
        series_add(&points[row % E4B_METHODS], cells[E4B_CPU].value, cells[E4B_RESIDUAL].value);
    }
    for (int32_t i = 0; i < E4B_DRAWN; i++) {
        curves[i] = (plot_curve){.name = e4b_methods[i].label,
                                 .note = "a dot per problem",
                                 .x = points[i].x,
                                 .y = points[i].y,
                                 .count = points[i].count,
                                 .dots = true};
    }
    plot_spec plot = {.title = "E4b: residual and CPU time on one step of masonry",
                      .subtitle = "at most 3 s per solve",
                      .x_label = "CPU time [s]",
                      .y_label = "residual, by the exact cone",
                      .y_target = E4B_TOLERANCE,
                      .target_label = "solved",
                      .curves = curves,
                      .count = E4B_DRAWN};
    lab_plot(lab, "masonry-panel", "residual over CPU time, a dot per problem", &plot);
    for (int32_t i = 0; i < E4B_METHODS; i++) {
        series_free(&points[i]);
    }
}

static void e4b(reproduction *lab) {
    e4b_sums sums = {.problems = 0};
    for (int32_t i = 0; i < E4B_CASES; i++) {
        const e4b_case *c = &e4b_cases[i];
        sums.now = c;
        if (lab->quick && !c->quick) {
            continue;
        }
        if (!lab_problem(lab, c->scene, c->set, c->count, c->until, e4b_solve_all, &sums)) {
            return;
        }
    }
    e4b_conclude(lab, &sums);
    e4b_plot(lab);
}

const lab_experiment experiment_e4b = {
    .id = "E4b",
    .title = "one step of masonry by every solver of the panel",
    .source = SOURCE_RENOUF_2005 ", section 8.3 (virtual masonry) and section 9",
    .scenes = "tower, masonry-arch, masonry-wall, chateau-gombert",
    .methods = e4b_methods,
    .columns = e4b_columns,
    .differs =
        "the paper has no figures for this, only words; problems and sizes are ours, small enough "
        "for dense pivoting. Every solve starts from zero and may take 3 s of CPU time. lemke, qp "
        "and mcp have the inner polytope of 8 facets, which holds the answer where all contacts "
        "stick, so that they can solve structures at rest; where contacts slide they cannot reach "
        "the tolerance. Residuals are by the exact cone.",
    .run = e4b};
