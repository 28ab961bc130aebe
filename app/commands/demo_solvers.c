// app/commands/demo_solvers.c
// cairn demo solvers: the problem inside every step. One hyperstatic 3D problem whose solution is
// known, four solvers, an independent verdict on each, and a picture of how they converge.
#include "commands/demo.h"

#include "draw/plot.h"
#include "support/problem_file.h"
#include "support/progress.h"
#include "support/solver_choice.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEMO_DEFICIENCY 0.3 // W lacks this share of full rank: impulses are not unique
#define DEMO_FRICTION 0.3
#define DEMO_SEED 1
#define DEMO_TOLERANCE 1e-8
#define DEMO_TOLERANCE_TEXT "1e-8"
#define DEMO_LIMIT 20000 // iterations; keeps the whole demo within seconds

// ---- the runs ----

typedef struct demo_run {
    const char *label, *solver, *setting; // setting may be NULL
    // what came out
    cn_solve_report report;
    const char *unit;
    double velocity_error; // max |u - u planted| / max |u planted|
    double *x, *y;         // history: iterations and residual
    int32_t count;
} demo_run;

static const demo_run demo_plan[] = {
    {.label = "nsgs, plain", .solver = "nsgs", .setting = "nsgs.anderson=0"},
    {.label = "auto", .solver = "auto"},
    {.label = "extra-gradient", .solver = "extra-gradient"},
    {.label = "fixed-point", .solver = "fixed-point"},
};
#define DEMO_RUNS ((int32_t)(sizeof demo_plan / sizeof demo_plan[0]))
#define DEMO_MAIN 1 // the run whose answer is kept

typedef struct demo_watch {
    demo_run *run;
    progress_line line;
} demo_watch;

static void demo_note(demo_run *run, double iteration, double residual) {
    run->x = reallocate(run->x, run->count + 1, sizeof *run->x);
    run->y = reallocate(run->y, run->count + 1, sizeof *run->y);
    run->x[run->count] = iteration;
    run->y[run->count++] = residual;
}

// Notes every early iteration, then one in each half per cent: the axis is logarithmic.
static bool demo_step(void *user, const cn_progress *progress) {
    demo_watch *watch = user;
    const demo_run *run = watch->run;
    double done = (double)progress->done;
    if (done > 0.0 && (run->count == 0 || done >= 1.005 * run->x[run->count - 1])) {
        demo_note(watch->run, done, progress->residual);
    }
    return progress_step(&watch->line, progress);
}

static double distance_from_planted(const double *u, const double *planted, int64_t count) {
    double largest = 0.0, off = 0.0;
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(planted[i]));
        off = fmax(off, fabs(u[i] - planted[i]));
    }
    return largest > 0.0 ? off / largest : off;
}

// Returns an exit code; r and u are the answer.
static int demo_solve(demo_run *run, problem_file *c, double *r, double *u) {
    solver_choice choice = solver_choice_default("demo");
    choice.solver = run->solver;
    choice.tolerance = DEMO_TOLERANCE;
    choice.max_iterations = DEMO_LIMIT;
    if (run->setting) {
        word_list_add(&choice.settings, run->setting);
    }
    solver_choice_check(&choice);
    chosen_solver *chosen;
    solver_choice_expand(&choice, c, &chosen);
    demo_watch watch = {.run = run, .line = progress_start(run->label, true)};
    chosen->opts.progress = demo_step;
    chosen->opts.progress_user = &watch;
    run->unit = chosen->info->unit;
    cn_error error;
    memset(r, 0, (size_t)c->unknowns * sizeof *r);
    cn_status status = chosen_solver_run(chosen, c, r, u, &run->report, &error);
    progress_finish(&watch.line);
    free(chosen);
    free(choice.settings.words);
    if (status != CN_OK) {
        return report_error(&error);
    }
    demo_note(run, run->report.iterations, run->report.grade.residual);
    run->velocity_error = distance_from_planted(u, c->problem->u, c->unknowns);
    return EXIT_DONE;
}

// ---- the files ----

static int demo_write_csv(const char *folder, const demo_run *runs) {
    output_file out;
    if (!output_open_in(&out, folder, "convergence.csv")) {
        return EXIT_FAILED;
    }
    fputs("solver,iteration,residual\n", out.file);
    for (int32_t i = 0; i < DEMO_RUNS; i++) {
        for (int32_t k = 0; k < runs[i].count; k++) {
            fprintf(out.file, "\"%s\",%.0f,%.6e\n", runs[i].label, runs[i].x[k], runs[i].y[k]);
        }
    }
    return output_close(&out);
}

static int demo_write_svg(const char *folder, const demo_run *runs, const char *subtitle) {
    output_file out;
    if (!output_open_in(&out, folder, "convergence.svg")) {
        return EXIT_FAILED;
    }
    plot_curve curves[DEMO_RUNS];
    char *notes[DEMO_RUNS];
    for (int32_t i = 0; i < DEMO_RUNS; i++) {
        notes[i] = format_text("%s, %d %s", cn_outcome_text(runs[i].report.outcome),
                               (int)runs[i].report.iterations, runs[i].unit);
        curves[i] = (plot_curve){.name = runs[i].label,
                                 .note = notes[i],
                                 .x = runs[i].x,
                                 .y = runs[i].y,
                                 .count = runs[i].count};
    }
    plot_spec plot = {.title = "One step of hard contact with Coulomb friction",
                      .subtitle = subtitle,
                      .x_label = "iterations",
                      .y_label = "residual",
                      .y_target = DEMO_TOLERANCE,
                      .target_label = "tolerance " DEMO_TOLERANCE_TEXT,
                      .curves = curves,
                      .count = DEMO_RUNS};
    plot_write(&plot, out.file);
    for (int32_t i = 0; i < DEMO_RUNS; i++) {
        free(notes[i]);
    }
    return output_close(&out);
}

// The problem with the planted solution, then with the one found.
static int demo_write_problems(const char *folder, problem_file *c, double *r, double *u) {
    cn_problem *problem = c->problem;
    cn_error error = {.status = CN_OK};
    char *planted = format_text("%s/problem.hdf5", folder);
    char *found = format_text("%s/solution.hdf5", folder);
    double *v = ALLOCATE(double, problem->global.dofs);
    double *stored_r = problem->r, *stored_u = problem->u, *stored_v = problem->v;
    cn_status status = cn_problem_write(problem, planted, CN_FILE_FCLIB, &error);
    if (status == CN_OK) {
        status = cn_friction_global_velocity(&problem->global, c->memory, r, v, &error);
    }
    if (status == CN_OK) {
        problem->r = r;
        problem->u = u;
        problem->v = v;
        status = cn_problem_write(problem, found, CN_FILE_FCLIB, &error);
        problem->r = stored_r;
        problem->u = stored_u;
        problem->v = stored_v;
    }
    if (status != CN_OK) {
        report_error(&error);
    }
    free(planted);
    free(found);
    free(v);
    return status == CN_OK ? EXIT_DONE : EXIT_FAILED;
}

// ---- the report ----

static void demo_print_runs(const demo_run *runs) {
    const text_column columns[] = {{"  solver", -17}, {"outcome", -9},        {"iterations", 10},
                                   {"residual", 9},   {"velocities off", 14}, {"CPU s", 8},
                                   {NULL, 0}};
    text_table table;
    text_table_start(&table, stdout, columns);
    for (int32_t i = 0; i < DEMO_RUNS; i++) {
        const demo_run *run = &runs[i];
        char *label = format_text("  %s", run->label);
        bool solved = run->report.outcome == CN_SOLVED;
        text_table_text(&table, label, INK_PLAIN);
        text_table_text(&table, cn_outcome_text(run->report.outcome), solved ? INK_GOOD : INK_BAD);
        text_table_int(&table, run->report.iterations);
        text_table_real(&table, 3, run->report.grade.residual);
        text_table_real(&table, 3, run->velocity_error);
        text_table_real(&table, 3, run->report.cpu_s);
        free(label);
    }
}

static void demo_print_trust(const demo_run *runs, const char *folder) {
    const cn_grade *grade = &runs[DEMO_MAIN].report.grade;
    printf("\nWhy to trust it. The residuals come from a checker that shares no code with\n"
           "the solvers, and the velocities are compared with the ones the problem was\n"
           "built from. The answer of auto:\n"
           "  impulses leave the friction cone by at most   %.1e of the largest\n"
           "  bodies approach at closed contacts by at most %.1e of the fastest\n"
           "  power of impulse and velocity, at most        %.1e\n"
           "  contacts: %d open, %d sticking, %d sliding;\n"
           "            the worst, number %d, is off by %.1e m/s\n",
           grade->cone_violation, grade->dual_violation, grade->complementarity, (int)grade->open,
           (int)grade->stick, (int)grade->slide, (int)grade->worst, grade->worst_error);
    print_format(stdout,
                 "\nWritten to %s/:\n"
                 "  problem.hdf5      the problem with its planted solution (FCLIB)\n"
                 "  solution.hdf5     the same with the solution that auto found\n"
                 "  convergence.svg   residual against iterations (a picture for any browser)\n"
                 "  convergence.csv   the numbers behind it\n",
                 folder);
    printf("\nTry next:\n"
           "  cairn check %s/solution.hdf5          verify the stored answer once more\n"
           "  cairn info %s/problem.hdf5            what makes this problem hard\n"
           "  cairn solve %s/problem.hdf5 --solver all --tol 1e-4\n"
           "  cairn solvers                           the solvers and when to use which\n",
           folder, folder, folder);
}

static int demo_run_all(problem_file *c, const char *folder) {
    demo_run runs[DEMO_RUNS];
    memcpy(runs, demo_plan, sizeof runs);
    double *r = ALLOCATE(double, c->unknowns);
    double *u = ALLOCATE(double, c->unknowns);
    double *kept_r = NULL, *kept_u = NULL;
    int code = EXIT_DONE;
    for (int32_t i = 0; i < DEMO_RUNS && code == EXIT_DONE; i++) {
        code = demo_solve(&runs[i], c, r, u);
        if (i == DEMO_MAIN && code == EXIT_DONE) {
            kept_r = copy_reals(r, c->unknowns);
            kept_u = copy_reals(u, c->unknowns);
        }
    }
    char *subtitle =
        format_text("a hyperstatic pile: %d contacts in 3D, W lacks %.0f %% of full rank",
                    (int)c->contacts, 100.0 * DEMO_DEFICIENCY);
    if (code == EXIT_DONE) {
        demo_print_runs(runs);
        code = exit_join(demo_write_csv(folder, runs), demo_write_svg(folder, runs, subtitle));
        code = exit_join(code, demo_write_problems(folder, c, kept_r, kept_u));
    }
    if (code == EXIT_DONE) {
        demo_print_trust(runs, folder);
        bool solved = runs[DEMO_MAIN].report.outcome == CN_SOLVED;
        code = solved ? EXIT_DONE : EXIT_TOLERANCE;
    }
    for (int32_t i = 0; i < DEMO_RUNS; i++) {
        free(runs[i].x);
        free(runs[i].y);
    }
    free(subtitle);
    free(kept_r);
    free(kept_u);
    free(r);
    free(u);
    return code;
}

int demo_solvers(const char *folder, int32_t contacts) {
    interrupt_catch();
    cn_planted_opts opts = cn_planted_opts_default();
    opts.dim = 3;
    opts.contacts = contacts;
    opts.deficiency = DEMO_DEFICIENCY;
    opts.friction = DEMO_FRICTION;
    opts.seed = DEMO_SEED;
    cn_error error = {.status = CN_OK};
    cn_problem *problem = NULL;
    problem_file c;
    if (cn_planted_friction(NULL, &opts, &problem, &error) != CN_OK ||
        problem_file_adopt(NULL, problem, "demo.hdf5", FORM_AUTO, &c, &error) != CN_OK) {
        return report_error(&error);
    }
    printf("One time step of hard contact with exact Coulomb friction: a pile with %d\n"
           "contacts in 3D, seed %d. It is hyperstatic (W lacks %.0f %% of full rank): the\n"
           "impulses are not unique; the velocities are known.\nTolerance " DEMO_TOLERANCE_TEXT
           ", at most %d iterations, every solver starts from zero:\n\n",
           (int)c.contacts, DEMO_SEED, 100.0 * DEMO_DEFICIENCY, DEMO_LIMIT);
    fflush(stdout);
    int code = demo_run_all(&c, folder);
    problem_file_close(&c);
    return code;
}
