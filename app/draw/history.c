// app/draw/history.c
// Residuals by iteration to files; see history.h.
#include "draw/history.h"

#include "draw/plot.h"
#include "support/support.h"
#include "support/table_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note(history_curve *curve, double x, double y, const char *stage) {
    if (curve->count == curve->capacity) {
        curve->capacity = 2 * curve->capacity + 64;
        curve->x = reallocate(curve->x, curve->capacity, sizeof *curve->x);
        curve->y = reallocate(curve->y, curve->capacity, sizeof *curve->y);
        curve->stage = reallocate(curve->stage, curve->capacity, sizeof *curve->stage);
    }
    curve->x[curve->count] = x;
    curve->y[curve->count] = y;
    curve->stage[curve->count++] = stage ? stage : "";
}

void history_begin(solve_history *all, const char *problem, const char *solver,
                   progress_line *line) {
    all->curves = reallocate(all->curves, all->count + 1, sizeof *all->curves);
    all->curves[all->count++] =
        (history_curve){.problem = format_text("%s", problem), .solver = format_text("%s", solver)};
    all->line = line;
}

bool history_step(void *user, const cn_progress *progress) {
    solve_history *all = user;
    history_curve *curve = &all->curves[all->count - 1];
    double done = (double)progress->done;
    curve->before += done < curve->last ? curve->last : 0.0;
    curve->last = done;
    note(curve, curve->before + done, progress->residual, progress->stage);
    return progress_step(all->line, progress);
}

void history_end(solve_history *all, double iterations, double residual, const char *text) {
    history_curve *curve = &all->curves[all->count - 1];
    note(curve, fmax(iterations, curve->before + curve->last), residual, "end");
    curve->note = format_text("%s, %.0f", text, iterations);
}

static int write_csv(const solve_history *all, const char *path) {
    output_file out;
    char number[32];
    if (!output_open(&out, path)) {
        return EXIT_FAILED;
    }
    fputs("problem,solver,iteration,residual,stage\n", out.file);
    for (int32_t i = 0; i < all->count; i++) {
        const history_curve *curve = &all->curves[i];
        for (int32_t k = 0; k < curve->count; k++) {
            csv_text(out.file, curve->problem);
            fputc(',', out.file);
            csv_text(out.file, curve->solver);
            fprintf(out.file, ",%.0f,%s,", curve->x[k],
                    isfinite(curve->y[k]) ? real_text(curve->y[k], number) : "");
            csv_text(out.file, curve->stage[k]);
            fputc('\n', out.file);
        }
    }
    return output_close(&out);
}

static int write_svg(const solve_history *all, const char *path, double tolerance) {
    output_file out;
    if (!output_open(&out, path)) {
        return EXIT_FAILED;
    }
    int32_t count = all->count < PLOT_CURVES ? all->count : PLOT_CURVES;
    plot_curve *curves = ALLOCATE(plot_curve, count);
    char **names = ALLOCATE(char *, count);
    bool one = true; // problem
    for (int32_t i = 0; i < all->count; i++) {
        one = one && strcmp(all->curves[i].problem, all->curves[0].problem) == 0;
    }
    for (int32_t i = 0; i < count; i++) {
        const history_curve *curve = &all->curves[i];
        names[i] = one ? format_text("%s", curve->solver)
                       : format_text("%s, %s", curve->solver, curve->problem);
        curves[i] = (plot_curve){.name = names[i],
                                 .note = curve->note,
                                 .x = curve->x,
                                 .y = curve->y,
                                 .count = curve->count};
    }
    char label[64];
    snprintf(label, sizeof label, "tolerance %g", tolerance);
    plot_spec plot = {.title = "Residual by iteration",
                      .subtitle = one && count > 0 ? all->curves[0].problem : "",
                      .x_label = "iterations, in the unit of each solver",
                      .y_label = "residual",
                      .y_target = tolerance,
                      .target_label = label,
                      .curves = curves,
                      .count = count};
    plot_write(&plot, out.file);
    for (int32_t i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
    free(curves);
    return output_close(&out);
}

int history_write(const solve_history *all, const char *path, double tolerance) {
    const char *dot = strrchr(path, '.');
    if (strcasecmp(dot, ".svg") == 0) {
        return write_svg(all, path, tolerance);
    }
    char *plot = format_text("%.*s.svg", (int)(dot - path), path);
    int code = exit_join(write_csv(all, path), write_svg(all, plot, tolerance));
    free(plot);
    return code;
}

void history_free(solve_history *all) {
    for (int32_t i = 0; i < all->count; i++) {
        history_curve *curve = &all->curves[i];
        free(curve->problem);
        free(curve->solver);
        free(curve->note);
        free(curve->x);
        free(curve->y);
        free(curve->stage);
    }
    free(all->curves);
}
