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

#define NEAR 2.0 // "within twice the best" has a column of its own

static const char *cost_text(profile_cost_kind cost) {
    return cost == COST_CPU ? "cpu" : "iterations";
}

// The share of problems solved within tau.
static double row_share(const performance_profile *profile, const profile_row *row, double tau) {
    int32_t within = 0;
    while (within < row->solved && row->ratios[within] <= tau) {
        within++;
    }
    return profile->problem_count > 0 ? (double)within / profile->problem_count : 0.0;
}

// ---- the table ----

static int32_t profile_label_width(const performance_profile *profile) {
    size_t widest = strlen("solver");
    for (int32_t i = 0; i < profile->entry_count; i++) {
        size_t length = strlen(profile->entries[i].label);
        widest = length > widest ? length : widest;
    }
    return (int32_t)widest;
}

// Names the problems that no entry solves.
static void print_open_problems(const performance_profile *profile, int32_t tolerance) {
    char *names = NULL;
    int32_t count = 0;
    for (int32_t p = 0; p < profile->problem_count; p++) {
        bool solved = false;
        for (int32_t i = 0; i < profile->entry_count && !solved; i++) {
            solved = profile_at(profile, p, tolerance, i)->outcome == CN_SOLVED;
        }
        if (!solved) {
            char *longer = format_text("%s%s%s", names ? names : "", names ? ", " : "",
                                       profile->problems[p].name);
            free(names);
            names = longer;
            count++;
        }
    }
    if (names) {
        char *label = format_text("Solved by none (%d): ", (int)count);
        print_wrapped(stdout, label, (int32_t)strlen(label), names);
        free(label);
    }
    free(names);
}

static void print_rows(const performance_profile *profile, int32_t tolerance,
                       const profile_row *rows, int32_t count, bool json) {
    const row_column columns[] = {{"profile", NULL, 0, 0, 0.0},
                                  {"tol", NULL, 0, 0, 0.0},
                                  {"measure", NULL, 0, 0, 0.0},
                                  {"time_limit", NULL, 0, 0, 0.0},
                                  {"solver", "solver", -profile_label_width(profile), 0, 0.0},
                                  {"problems", NULL, 0, 0, 0.0},
                                  {"solved", NULL, 0, 0, 0.0},
                                  {"unsupported", NULL, 0, 0, 0.0},
                                  {NULL, "solved", -9, 0, 0.0},
                                  {"fastest", "best", 5, 0, 0.0},
                                  {NULL, "within 2x", 9, 0, 0.0},
                                  {"ratio_mean", "mean ratio", 10, 0, 0.0},
                                  {"ratio_worst", "worst ratio", 11, 0, 0.0},
                                  {NULL, "", -1, 0, 0.0},
                                  {"tau", NULL, 0, 0, 0.0},
                                  {"rho", NULL, 0, 0, 0.0},
                                  {NULL, NULL, 0, 0, 0.0}};
    row_table table = row_table_start(stdout, json, NULL, columns);
    double *shares = ALLOCATE(double, profile->problem_count + 1);
    for (int32_t i = 0; i < count; i++) {
        const profile_row *row = &rows[i];
        char *solved = format_text("%d/%d", (int)row->solved, (int)profile->problem_count);
        char *within = format_text("%.0f %%", 100.0 * row_share(profile, row, NEAR));
        char *note = row->unsupported > 0 ? format_text("not for %d of them", (int)row->unsupported)
                                          : format_text("%s", "");
        for (int32_t j = 0; j < row->solved; j++) {
            shares[j] = row_share(profile, row, row->ratios[j]);
        }
        row_text(&table, cost_text(profile->cost));
        row_real(&table, profile->tolerances[tolerance]);
        row_text(&table, cn_measure_text(profile->measure));
        row_real(&table, profile->time_limit);
        row_text(&table, profile->entries[row->entry].label);
        row_int(&table, profile->problem_count);
        row_int(&table, row->solved);
        row_int(&table, row->unsupported);
        row_ink(&table, row->solved == profile->problem_count ? INK_GOOD : INK_PLAIN);
        row_text(&table, solved);
        row_int(&table, row->fastest);
        row_text(&table, within);
        row_real(&table, row->ratio_mean);
        row_real(&table, row->ratio_worst);
        row_ink(&table, INK_DIM);
        row_text(&table, note);
        row_reals(&table, row->ratios, row->solved);
        row_reals(&table, shares, row->solved);
        free(solved);
        free(within);
        free(note);
    }
    free(shares);
}

void profile_print(const performance_profile *profile, bool json) {
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        profile_row *rows;
        int32_t count = profile_rank(profile, k, &rows);
        if (!json) {
            printf("%s%d problems to %s (%s), at most %g s each, ratios of %s\n", k > 0 ? "\n" : "",
                   (int)profile->problem_count, profile->tolerance_texts[k],
                   cn_measure_text(profile->measure), profile->time_limit,
                   profile->cost == COST_CPU ? "CPU time" : "iterations in each solver's own unit");
        }
        print_rows(profile, k, rows, count, json);
        if (!json) {
            print_open_problems(profile, k);
        }
        profile_rows_free(rows, count);
    }
}

// ---- single solves, as JSON ----

void profile_print_solves_json(const performance_profile *profile, int32_t problem) {
    const profile_problem *about = &profile->problems[problem];
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        for (int32_t i = 0; i < profile->entry_count; i++) {
            const profile_solve *solve = profile_at(profile, problem, k, i);
            json_writer json = put_start(stdout);
            put_open(&json, NULL, '{');
            put_text(&json, "problem", about->name);
            put_int(&json, "dim", about->dim);
            put_int(&json, "contacts", about->contacts);
            put_text(&json, "solver", profile->entries[i].label);
            put_real(&json, "tol", profile->tolerances[k]);
            put_text(&json, "outcome", cn_outcome_text(solve->outcome));
            put_int(&json, "iterations", solve->iterations);
            put_real(&json, "residual", solve->grade.residual);
            put_real(&json, "residual_q", solve->grade.residual_q);
            put_real(&json, "residual_max", solve->grade.residual_max);
            put_real(&json, "cpu_s", solve->cpu_s);
            put_real(&json, "ratio", profile_ratio(profile, problem, k, i));
            put_close(&json, '}');
            put_end(&json);
        }
    }
    fflush(stdout);
}

// ---- files ----

// "a/b.svg" with "-solves.csv" gives "a/b-solves.csv". To be freed.
static char *profile_path(const char *path, const char *ending) {
    return format_text("%.*s%s", (int)(strlen(path) - strlen(".svg")), path, ending);
}

static char *figure_path(const performance_profile *profile, const char *path, int32_t tolerance) {
    char *ending = profile->tolerance_count > 1
                       ? format_text("-%s.svg", profile->tolerance_texts[tolerance])
                       : format_text(".svg");
    char *figure = profile_path(path, ending);
    free(ending);
    return figure;
}

bool profile_can_write(const performance_profile *profile, const char *path) {
    char *figure = figure_path(profile, path, 0);
    output_file out;
    bool can = output_open(&out, figure);
    if (can) {
        output_discard(&out);
    }
    free(figure);
    return can;
}

// The steps of one row as points of a line, from tau = 1 to the right end of the figure.
static plot_curve row_curve(const performance_profile *profile, const profile_row *row,
                            double end) {
    double *x = ALLOCATE(double, 2 * row->solved + 2);
    double *y = ALLOCATE(double, 2 * row->solved + 2);
    int32_t count = 0;
    double share = 0.0;
    x[count] = 1.0;
    y[count++] = row_share(profile, row, 1.0);
    share = y[0];
    for (int32_t i = 0; i < row->solved; i++) {
        double next = row_share(profile, row, row->ratios[i]);
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
    char *note = row->solved > 0 ? format_text("%d of %d, %.3g x the best", (int)row->solved,
                                               (int)profile->problem_count, row->ratio_mean)
                                 : format_text("%d of %d", 0, (int)profile->problem_count);
    return (plot_curve){.name = label, .note = note, .x = x, .y = y, .count = count};
}

static int figure_write(const performance_profile *profile, const char *path, int32_t tolerance) {
    char *figure = figure_path(profile, path, tolerance);
    output_file out;
    bool opened = output_open(&out, figure);
    free(figure);
    if (!opened) {
        return EXIT_FAILED;
    }
    profile_row *rows;
    int32_t count = profile_rank(profile, tolerance, &rows);
    // Whole decades, so that the curves end where the axis does.
    double end = pow(10.0, fmax(1.0, ceil(log10(profile_largest(rows, count)))));
    plot_curve *curves = ALLOCATE(plot_curve, count);
    for (int32_t i = 0; i < count; i++) {
        curves[i] = row_curve(profile, &rows[i], end);
    }
    bool cpu = profile->cost == COST_CPU;
    char *subtitle =
        format_text("%d problems to %s (%s), at most %g s each; mean ratios over what each "
                    "solves",
                    (int)profile->problem_count, profile->tolerance_texts[tolerance],
                    cn_measure_text(profile->measure), profile->time_limit);
    plot_spec plot = {.title = "Performance profile",
                      .subtitle = subtitle,
                      .x_label = cpu ? "CPU time over that of the fastest solver"
                                     : "iterations over the fewest of any solver",
                      .y_label = "share of problems solved",
                      .y_scale = SCALE_LINEAR,
                      .y_range = {0.0, 1.0},
                      .curves = curves,
                      .count = count};
    plot_write(&plot, out.file);
    for (int32_t i = 0; i < count; i++) {
        free((char *)curves[i].note);
        free((double *)curves[i].x);
        free((double *)curves[i].y);
    }
    free(curves);
    free(subtitle);
    profile_rows_free(rows, count);
    return output_close(&out);
}

// tau is empty where a solve did not reach the tolerance.
static int solves_write(const performance_profile *profile, const char *path) {
    output_file out;
    if (!output_open(&out, path)) {
        return EXIT_FAILED;
    }
    FILE *file = out.file;
    fputs("problem,dim,contacts,tol,solver,outcome,iterations,residual,cpu_s,tau\n", file);
    for (int32_t p = 0; p < profile->problem_count; p++) {
        for (int32_t k = 0; k < profile->tolerance_count; k++) {
            for (int32_t i = 0; i < profile->entry_count; i++) {
                const profile_solve *solve = profile_at(profile, p, k, i);
                double tau = profile_ratio(profile, p, k, i);
                csv_text(file, profile->problems[p].name);
                fprintf(file, ",%d,%d,%g,", (int)profile->problems[p].dim,
                        (int)profile->problems[p].contacts, profile->tolerances[k]);
                csv_text(file, profile->entries[i].label);
                fprintf(file, ",%s,%lld,%.6e,%.9f,", cn_outcome_text(solve->outcome),
                        (long long)solve->iterations,
                        cn_grade_residual(&solve->grade, profile->measure), solve->cpu_s);
                fprintf(file, isfinite(tau) ? "%.6g\n" : "\n", tau);
            }
        }
    }
    return output_close(&out);
}

// The corners of the curves.
static int curves_write(const performance_profile *profile, const char *path) {
    output_file out;
    if (!output_open(&out, path)) {
        return EXIT_FAILED;
    }
    FILE *file = out.file;
    fputs("tol,solver,tau,rho\n", file);
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        profile_row *rows;
        int32_t count = profile_rank(profile, k, &rows);
        for (int32_t i = 0; i < count; i++) {
            for (int32_t j = 0; j < rows[i].solved; j++) {
                if (j + 1 < rows[i].solved && rows[i].ratios[j + 1] <= rows[i].ratios[j]) {
                    continue; // the same corner once more
                }
                fprintf(file, "%g,", profile->tolerances[k]);
                csv_text(file, profile->entries[rows[i].entry].label);
                fprintf(file, ",%.6g,%.6g\n", rows[i].ratios[j],
                        row_share(profile, &rows[i], rows[i].ratios[j]));
            }
        }
        profile_rows_free(rows, count);
    }
    return output_close(&out);
}

int profile_write(const performance_profile *profile, const char *path) {
    int code = EXIT_DONE;
    for (int32_t k = 0; k < profile->tolerance_count; k++) {
        code = exit_join(code, figure_write(profile, path, k));
    }
    char *curves = profile_path(path, ".csv"), *solves = profile_path(path, "-solves.csv");
    code = exit_join(code, curves_write(profile, curves));
    code = exit_join(code, solves_write(profile, solves));
    free(curves);
    free(solves);
    return code;
}
