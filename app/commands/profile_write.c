// app/commands/profile_write.c
// A performance profile for people and for programs: a table, figures, CSV and JSON; see
// profile_data.h.
#include "commands/profile_data.h"

#include "draw/plot.h"
#include "support/json.h"
#include "support/table_writer.h"
#include "support/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_NEAR 2.0 // "within twice the best" has a column of its own

static const char *cn_cost_text(cn_cost cost) {
    return cost == CN_COST_CPU ? "cpu" : "iterations";
}

// The share of problems solved within tau.
static double cn_row_share(const cn_profile *profile, const cn_profile_row *row, double tau) {
    int32_t within = 0;
    while (within < row->solved && row->ratios[within] <= tau) {
        within++;
    }
    return profile->problem_count > 0 ? (double)within / profile->problem_count : 0.0;
}

// ---- the table ----

static int32_t cn_label_width(const cn_profile *profile) {
    size_t widest = strlen("solver");
    for (int32_t i = 0; i < profile->entry_count; i++) {
        size_t length = strlen(profile->entries[i].label);
        widest = length > widest ? length : widest;
    }
    return (int32_t)widest;
}

// Names the problems that no entry solves.
static void cn_print_open_problems(const cn_profile *profile, int32_t tolerance) {
    char *names = NULL;
    int32_t count = 0;
    for (int32_t p = 0; p < profile->problem_count; p++) {
        bool solved = false;
        for (int32_t i = 0; i < profile->entry_count && !solved; i++) {
            solved = cn_profile_at(profile, p, tolerance, i)->outcome == CN_SOLVED;
        }
        if (!solved) {
            char *longer =
                cn_text("%s%s%s", names ? names : "", names ? ", " : "", profile->problems[p].name);
            free(names);
            names = longer;
            count++;
        }
    }
    if (names) {
        char *label = cn_text("Solved by none (%d): ", (int)count);
        cn_print_wrapped(stdout, label, (int32_t)strlen(label), names);
        free(label);
    }
    free(names);
}

static void cn_print_rows(const cn_profile *profile, const cn_profile_row *rows, int32_t count) {
    const cn_column columns[] = {{"solver", -cn_label_width(profile)},
                                 {"solved", -9},
                                 {"best", 5},
                                 {"within 2x", 9},
                                 {"mean ratio", 10},
                                 {"worst ratio", 11},
                                 {"", -1},
                                 {NULL, 0}};
    cn_table table;
    cn_table_start(&table, stdout, columns);
    for (int32_t i = 0; i < count; i++) {
        const cn_profile_row *row = &rows[i];
        char *solved = cn_text("%d/%d", (int)row->solved, (int)profile->problem_count);
        char *within = cn_text("%.0f %%", 100.0 * cn_row_share(profile, row, CN_NEAR));
        char *note = row->unsupported > 0 ? cn_text("not for %d of them", (int)row->unsupported)
                                          : cn_text("%s", "");
        cn_table_text(&table, profile->entries[row->entry].label, CN_INK_PLAIN);
        cn_table_text(&table, solved,
                      row->solved == profile->problem_count ? CN_INK_GOOD : CN_INK_PLAIN);
        cn_table_int(&table, row->fastest);
        cn_table_text(&table, within, CN_INK_PLAIN);
        cn_table_real(&table, 3, row->ratio_mean);
        cn_table_real(&table, 3, row->ratio_worst);
        cn_table_text(&table, note, CN_INK_DIM);
        free(solved);
        free(within);
        free(note);
    }
}

void cn_profile_print(const cn_profile *profile) {
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        cn_profile_row *rows;
        int32_t count = cn_profile_rank(profile, k, &rows);
        printf("%s%d problems to %s (%s), at most %g s each, ratios of %s\n", k > 0 ? "\n" : "",
               (int)profile->problem_count, profile->tolerance_texts[k],
               cn_measure_text(profile->measure), profile->time_limit,
               profile->cost == CN_COST_CPU ? "CPU time" : "iterations in each solver's own unit");
        cn_print_rows(profile, rows, count);
        cn_print_open_problems(profile, k);
        cn_profile_rows_free(rows, count);
    }
}

// ---- JSON ----

void cn_profile_print_solves_json(const cn_profile *profile, int32_t problem) {
    const cn_profile_problem *about = &profile->problems[problem];
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        for (int32_t i = 0; i < profile->entry_count; i++) {
            const cn_profile_solve *solve = cn_profile_at(profile, problem, k, i);
            cn_json json = cn_put_start(stdout);
            cn_put_open(&json, NULL, '{');
            cn_put_text(&json, "problem", about->name);
            cn_put_int(&json, "dim", about->dim);
            cn_put_int(&json, "contacts", about->contacts);
            cn_put_text(&json, "solver", profile->entries[i].label);
            cn_put_real(&json, "tol", profile->tolerances[k]);
            cn_put_text(&json, "outcome", cn_outcome_text(solve->outcome));
            cn_put_int(&json, "iterations", solve->iterations);
            cn_put_real(&json, "residual", solve->grade.residual);
            cn_put_real(&json, "residual_q", solve->grade.residual_q);
            cn_put_real(&json, "residual_max", solve->grade.residual_max);
            cn_put_real(&json, "cpu_s", solve->cpu_s);
            cn_put_real(&json, "ratio", cn_profile_ratio(profile, problem, k, i));
            cn_put_close(&json, '}');
            cn_put_end(&json);
        }
    }
    fflush(stdout);
}

static void cn_row_print_json(const cn_profile *profile, int32_t tolerance,
                              const cn_profile_row *row) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "profile", cn_cost_text(profile->cost));
    cn_put_real(&json, "tol", profile->tolerances[tolerance]);
    cn_put_text(&json, "measure", cn_measure_text(profile->measure));
    cn_put_real(&json, "time_limit", profile->time_limit);
    cn_put_text(&json, "solver", profile->entries[row->entry].label);
    cn_put_int(&json, "problems", profile->problem_count);
    cn_put_int(&json, "solved", row->solved);
    cn_put_int(&json, "unsupported", row->unsupported);
    cn_put_int(&json, "fastest", row->fastest);
    cn_put_real(&json, "ratio_mean", row->ratio_mean);
    cn_put_real(&json, "ratio_worst", row->ratio_worst);
    cn_put_open(&json, "tau", '[');
    for (int32_t i = 0; i < row->solved; i++) {
        cn_put_real(&json, NULL, row->ratios[i]);
    }
    cn_put_close(&json, ']');
    cn_put_open(&json, "rho", '[');
    for (int32_t i = 0; i < row->solved; i++) {
        cn_put_real(&json, NULL, cn_row_share(profile, row, row->ratios[i]));
    }
    cn_put_close(&json, ']');
    cn_put_close(&json, '}');
    cn_put_end(&json);
}

void cn_profile_print_json(const cn_profile *profile) {
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        cn_profile_row *rows;
        int32_t count = cn_profile_rank(profile, k, &rows);
        for (int32_t i = 0; i < count; i++) {
            cn_row_print_json(profile, k, &rows[i]);
        }
        cn_profile_rows_free(rows, count);
    }
}

// ---- files ----

// "a/b.svg" with "-solves.csv" gives "a/b-solves.csv". To be freed.
static char *cn_profile_path(const char *path, const char *ending) {
    return cn_text("%.*s%s", (int)(strlen(path) - strlen(".svg")), path, ending);
}

static char *cn_figure_path(const cn_profile *profile, const char *path, int32_t tolerance) {
    char *ending = profile->tolerance_count > 1
                       ? cn_text("-%s.svg", profile->tolerance_texts[tolerance])
                       : cn_text(".svg");
    char *figure = cn_profile_path(path, ending);
    free(ending);
    return figure;
}

bool cn_profile_can_write(const cn_profile *profile, const char *path) {
    char *figure = cn_figure_path(profile, path, 0);
    cn_output out;
    bool can = cn_output_open(&out, figure);
    if (can) {
        cn_output_discard(&out);
    }
    free(figure);
    return can;
}

// The steps of one row as points of a line, from tau = 1 to the right end of the figure.
static cn_curve cn_row_curve(const cn_profile *profile, const cn_profile_row *row, double end) {
    double *x = CN_ALLOCATE(double, 2 * row->solved + 2);
    double *y = CN_ALLOCATE(double, 2 * row->solved + 2);
    int32_t count = 0;
    double share = 0.0;
    x[count] = 1.0;
    y[count++] = cn_row_share(profile, row, 1.0);
    share = y[0];
    for (int32_t i = 0; i < row->solved; i++) {
        double next = cn_row_share(profile, row, row->ratios[i]);
        if (next > share) {
            x[count] = row->ratios[i];
            y[count++] = share;
            x[count] = row->ratios[i];
            y[count++] = next;
            share = next;
        }
    }
    x[count] = end;
    y[count++] = share;
    const char *label = profile->entries[row->entry].label;
    char *note = row->solved > 0 ? cn_text("%d of %d, %.3g x the best", (int)row->solved,
                                           (int)profile->problem_count, row->ratio_mean)
                                 : cn_text("%d of %d", 0, (int)profile->problem_count);
    return (cn_curve){.name = label, .note = note, .x = x, .y = y, .count = count};
}

static int cn_figure_write(const cn_profile *profile, const char *path, int32_t tolerance) {
    char *figure = cn_figure_path(profile, path, tolerance);
    cn_output out;
    bool opened = cn_output_open(&out, figure);
    free(figure);
    if (!opened) {
        return CN_EXIT_FAILURE;
    }
    cn_profile_row *rows;
    int32_t count = cn_profile_rank(profile, tolerance, &rows);
    // Whole decades, so that the curves end where the axis does.
    double end = pow(10.0, fmax(1.0, ceil(log10(cn_profile_largest(rows, count)))));
    cn_curve *curves = CN_ALLOCATE(cn_curve, count);
    for (int32_t i = 0; i < count; i++) {
        curves[i] = cn_row_curve(profile, &rows[i], end);
    }
    bool cpu = profile->cost == CN_COST_CPU;
    char *subtitle =
        cn_text("%d problems to %s (%s), at most %g s each; mean ratios over what each "
                "solves",
                (int)profile->problem_count, profile->tolerance_texts[tolerance],
                cn_measure_text(profile->measure), profile->time_limit);
    cn_plot plot = {.title = "Performance profile",
                    .subtitle = subtitle,
                    .x_label = cpu ? "CPU time over that of the fastest solver"
                                   : "iterations over the fewest of any solver",
                    .y_label = "share of problems solved",
                    .y_scale = CN_SCALE_LINEAR,
                    .y_range = {0.0, 1.0},
                    .curves = curves,
                    .count = count};
    cn_plot_write(&plot, out.file);
    for (int32_t i = 0; i < count; i++) {
        free((char *)curves[i].note);
        free((double *)curves[i].x);
        free((double *)curves[i].y);
    }
    free(curves);
    free(subtitle);
    cn_profile_rows_free(rows, count);
    return cn_output_close(&out);
}

// tau is empty where a solve did not reach the tolerance.
static int cn_solves_write(const cn_profile *profile, const char *path) {
    cn_output out;
    if (!cn_output_open(&out, path)) {
        return CN_EXIT_FAILURE;
    }
    FILE *file = out.file;
    fputs("problem,dim,contacts,tol,solver,outcome,iterations,residual,cpu_s,tau\n", file);
    for (int32_t p = 0; p < profile->problem_count; p++) {
        for (int32_t k = 0; k < profile->tolerance_count; k++) {
            for (int32_t i = 0; i < profile->entry_count; i++) {
                const cn_profile_solve *solve = cn_profile_at(profile, p, k, i);
                double tau = cn_profile_ratio(profile, p, k, i);
                cn_csv_text(file, profile->problems[p].name);
                fprintf(file, ",%d,%d,%g,", (int)profile->problems[p].dim,
                        (int)profile->problems[p].contacts, profile->tolerances[k]);
                cn_csv_text(file, profile->entries[i].label);
                fprintf(file, ",%s,%lld,%.6e,%.9f,", cn_outcome_text(solve->outcome),
                        (long long)solve->iterations,
                        cn_grade_residual(&solve->grade, profile->measure), solve->cpu_s);
                fprintf(file, isfinite(tau) ? "%.6g\n" : "\n", tau);
            }
        }
    }
    return cn_output_close(&out);
}

// The corners of the curves.
static int cn_curves_write(const cn_profile *profile, const char *path) {
    cn_output out;
    if (!cn_output_open(&out, path)) {
        return CN_EXIT_FAILURE;
    }
    FILE *file = out.file;
    fputs("tol,solver,tau,rho\n", file);
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        cn_profile_row *rows;
        int32_t count = cn_profile_rank(profile, k, &rows);
        for (int32_t i = 0; i < count; i++) {
            for (int32_t j = 0; j < rows[i].solved; j++) {
                if (j + 1 < rows[i].solved && rows[i].ratios[j + 1] <= rows[i].ratios[j]) {
                    continue; // the same corner once more
                }
                fprintf(file, "%g,", profile->tolerances[k]);
                cn_csv_text(file, profile->entries[rows[i].entry].label);
                fprintf(file, ",%.6g,%.6g\n", rows[i].ratios[j],
                        cn_row_share(profile, &rows[i], rows[i].ratios[j]));
            }
        }
        cn_profile_rows_free(rows, count);
    }
    return cn_output_close(&out);
}

int cn_profile_write(const cn_profile *profile, const char *path) {
    int code = CN_EXIT_DONE;
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        code = cn_exit_join(code, cn_figure_write(profile, path, k));
    }
    char *curves = cn_profile_path(path, ".csv"), *solves = cn_profile_path(path, "-solves.csv");
    code = cn_exit_join(code, cn_curves_write(profile, curves));
    code = cn_exit_join(code, cn_solves_write(profile, solves));
    free(curves);
    free(solves);
    return code;
}
