// lab/lab.c
// Trials and reports of reproductions; see lab.h.
#include "lab/lab.h"

#include "run/run_loop.h"
#include "support/build.h"
#include "support/gallery.h"
#include "support/progress.h"
#include "support/terminal.h"
#include "web/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const heading check_headings[] = {{"check", "check"}, {"paper", "paper"}, {"asked", "asked"},
                                         {"ours", "ours"},   {"", "verdict"},    {NULL, NULL}};

// ---- trials ----

bool lab_fail(reproduction *lab, int code) {
    lab->code = exit_join(lab->code, code);
    return false;
}

// What is to be done about a run file that is there.
typedef enum old_run { OLD_NONE, OLD_UNFINISHED, OLD_DONE } old_run;

// Only the same scene simulated by the same program counts; a program that differs from its commit
// or has none cannot be known again.
static old_run old_run_state(const char *path, const cn_model *model) {
    cn_run *run;
    old_run state = OLD_NONE;
    bool known = strchr(GIT_HASH, '+') == NULL && strcmp(GIT_HASH, "unknown") != 0;
    if (!known || cn_run_open(NULL, path, &run, NULL) != CN_OK) {
        return OLD_NONE;
    }
    static const char *const keys[] = {"scene", "git_hash", "flags"};
    const char *const values[] = {cn_model_scene_text(model), GIT_HASH, BUILD_FLAGS};
    bool same = true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = cn_run_meta(run, keys[i]);
        same = same && value && strcmp(value, values[i]) == 0;
    }
    if (same) {
        const char *status = cn_run_meta(run, "status");
        state = status && strcmp(status, "done") == 0 ? OLD_DONE : OLD_UNFINISHED;
    }
    cn_run_close(run);
    return state;
}

static int lab_simulate(const reproduction *lab, const char *path, cn_model *model) {
    run_loop loop = {.path = path, .quiet = lab->quiet};
    old_run old = lab->force ? OLD_NONE : old_run_state(path, model);
    int code = EXIT_DONE;
    if (old == OLD_NONE) {
        code = run_loop_create(&loop, model, true);
    } else {
        cn_model_destroy(model);
        if (old == OLD_DONE) {
            return EXIT_DONE;
        }
        code = run_loop_resume(&loop, NULL, 0);
    }
    if (code == EXIT_DONE) {
        code = run_loop_run(&loop);
        run_loop_end(&loop);
    }
    return code;
}

// The overrides of the method, then the trial's own. Returns how many.
static int32_t trial_overrides(const lab_trial *trial, cn_override out[2 * OVERRIDES]) {
    const cn_override *const lists[] = {trial->method ? trial->method->set : NULL, trial->set};
    int32_t count = 0;
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t k = 0; lists[i] && k < OVERRIDES && lists[i][k].path; k++) {
            out[count++] = lists[i][k];
        }
    }
    return count;
}

static bool result_read(reproduction *lab, bool inexact, trial_result *result) {
    cn_error error = {.status = CN_OK};
    if (recorded_open(result->path, &result->recorded, &error) != CN_OK) {
        lab_fail(lab, report_error_in(&error, result->path));
        free(result->path);
        return false;
    }
    result->memory = cn_arena_create(NULL);
    if (!result->memory) {
        exit(report_failure("out of memory"));
    }
    if (cn_run_ledger(result->recorded.run, result->memory, &result->rows, &result->count,
                      &error) != CN_OK ||
        run_summary_read(result->recorded.run, &result->summary, &error) != CN_OK) {
        lab_fail(lab, report_error_in(&error, result->path));
        result_free(result);
        return false;
    }
    lab->cpu_s += result->summary.cpu_s;
    lab->steps += result->summary.steps;
    lab->unsolved += inexact ? 0 : run_summary_unsolved(&result->summary);
    return true;
}

static void lab_note_file(reproduction *lab, char *name, const char *about) {
    lab->files = reallocate(lab->files, lab->file_count + 1, sizeof *lab->files);
    lab->files[lab->file_count++] = (lab_file){name, about};
}

// A replay of the first trial of each scene, where this build has the page.
static void lab_replay(reproduction *lab, const lab_trial *trial, const char *run) {
    html_report report;
    for (int32_t i = 0; i < lab->shown_count; i++) {
        if (strcmp(lab->shown[i], trial->scene) == 0) {
            return;
        }
    }
    if (!html_available() || lab->shown_count == LAB_REPLAYS) {
        return;
    }
    char *name = format_text("%s.html", trial->name),
         *path = format_text("%s/%s", lab->folder, name);
    lab->shown[lab->shown_count++] = trial->scene;
    lab->code = exit_join(lab->code, html_write(run, path, 1, 0, &report));
    lab_note_file(lab, name, "a replay: open it in a browser");
    free(path);
}

bool lab_run_trial(reproduction *lab, const lab_trial *trial, trial_result *out) {
    cn_override overrides[2 * OVERRIDES];
    int32_t count = trial_overrides(trial, overrides);
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    *out = (trial_result){.path = NULL};
    char *scene = gallery_path(trial->scene);
    if (!scene) {
        return lab_fail(lab, report_failure("the gallery has no scene '%s'; CAIRN_SCENES may "
                                            "say where it is",
                                            trial->scene));
    }
    cn_status status = cn_scene_read(NULL, scene, overrides, count, &model, &error);
    free(scene);
    if (status != CN_OK) {
        return lab_fail(lab, report_error(&error));
    }
    char *path = format_text("%s/%s.run", lab->folder, trial->name);
    int code = lab_simulate(lab, path, model);
    if (code != EXIT_DONE && code != EXIT_TOLERANCE) {
        free(path);
        return lab_fail(lab, code);
    }
    out->path = path;
    lab_replay(lab, trial, path);
    return result_read(lab, trial->inexact, out);
}

void result_free(trial_result *result) {
    recorded_close(&result->recorded);
    cn_arena_destroy(result->memory);
    free(result->path);
}

// ---- measuring ----

double *result_room(const trial_result *result) {
    return ALLOCATE(double, 7 * (int64_t)cn_model_body_count(result->recorded.model));
}

bool result_frame(reproduction *lab, trial_result *result, double t, double *q, double *v) {
    cn_error error = {.status = CN_OK};
    int64_t index, step;
    double at;
    cn_status status = recorded_frame_at(&result->recorded, t, &index, &error);
    status = status == CN_OK ? cn_run_frame(result->recorded.run, index, &step, &at, q, v, &error)
                             : status;
    return status == CN_OK || lab_fail(lab, report_error_in(&error, result->path));
}

double result_speed(const trial_result *result, double t) {
    double cpu = 0.0, end = 0.0;
    for (int64_t i = 0; i < result->count; i++) {
        const cn_step_report *row = &result->rows[i];
        if (row->t <= t * (1.0 + 1e-9)) {
            cpu += row->cpu_detect + row->cpu_assemble + row->cpu_solve + row->cpu_advance;
            end = row->t;
        }
    }
    return end >= t * (1.0 - 1e-9) && cpu > 0.0 ? end / cpu : (double)NAN;
}

void series_add(point_series *series, double x, double y) {
    if (series->count == series->capacity) {
        series->capacity = series->capacity ? 2 * series->capacity : 256;
        series->x = reallocate(series->x, series->capacity, sizeof *series->x);
        series->y = reallocate(series->y, series->capacity, sizeof *series->y);
    }
    series->x[series->count] = x;
    series->y[series->count++] = y;
}

void series_free(point_series *series) {
    free(series->x);
    free(series->y);
}

bool result_frames(reproduction *lab, trial_result *result, frame_fn *visit, void *user) {
    cn_error error = {.status = CN_OK};
    cn_run *run = result->recorded.run;
    double *q = result_room(result), *v = result_room(result);
    cn_status status = CN_OK;
    for (int64_t i = 0; status == CN_OK && i < cn_run_frame_count(run); i++) {
        int64_t step;
        double t;
        status = cn_run_frame(run, i, &step, &t, q, v, &error);
        if (status == CN_OK) {
            visit(user, t, q, v);
        }
    }
    free(q);
    free(v);
    return status == CN_OK || lab_fail(lab, report_error_in(&error, result->path));
}

typedef struct ledger_track {
    int64_t at; // of the body's pose
    point_series *out;
} ledger_track;

static void track_take(void *user, double t, const double *q, const double *v) {
    const ledger_track *track = user;
    (void)v;
    for (int32_t axis = 0; axis < 3; axis++) {
        series_add(&track->out[axis], t, q[track->at + axis]);
    }
}

bool result_track(reproduction *lab, trial_result *result, cn_body_id body, point_series out[3]) {
    int32_t pose = cn_run_dim(result->recorded.run) == 2 ? 3 : 7;
    ledger_track track = {.at = (int64_t)pose * (body - 1), .out = out};
    for (int32_t axis = 0; axis < 3; axis++) {
        out[axis] = (point_series){.count = 0};
    }
    return result_frames(lab, result, track_take, &track);
}

// ---- checks ----

// relation: "<=" or ">="; met counts only when there is a limit.
static void lab_judge(reproduction *lab, const char *what, const char *paper, const char *relation,
                      double got, double limit, bool met) {
    bool judged = !isnan(limit);
    char asked[48] = "";
    if (judged) {
        snprintf(asked, sizeof asked, "%s %.3g", relation, limit);
    }
    data_table_text(&lab->checks, what, INK_PLAIN);
    data_table_text(&lab->checks, paper, INK_PLAIN);
    data_table_text(&lab->checks, asked, INK_PLAIN);
    data_table_real(&lab->checks, 3, got);
    data_table_text(&lab->checks, !judged ? "" : met ? "met" : "NOT MET", met ? INK_GOOD : INK_BAD);
    lab->judged += judged;
    lab->failed += judged && !met;
}

void lab_below(reproduction *lab, const char *what, const char *paper, double got, double limit) {
    lab_judge(lab, what, paper, "<=", got, limit, got <= limit);
}

void lab_above(reproduction *lab, const char *what, const char *paper, double got, double limit) {
    lab_judge(lab, what, paper, ">=", got, limit, got >= limit);
}

void lab_check_shown(reproduction *lab, const char *what, const char *paper, double got) {
    lab_judge(lab, what, paper, "", got, (double)NAN, false);
}

double lab_limit(const reproduction *lab, double limit) {
    return lab->quick ? (double)NAN : limit;
}

// ---- files ----

// Opens a file of the report; false after a failure.
static bool lab_open(reproduction *lab, output_file *out, const char *name) {
    bool opened = output_open_in(out, lab->folder, name);
    if (!opened) {
        lab_fail(lab, EXIT_FAILED);
    }
    return opened;
}

// name is taken over.
static void lab_close(reproduction *lab, output_file *out, char *name, const char *about) {
    lab->code = exit_join(lab->code, output_close(out));
    lab_note_file(lab, name, about);
}

static void lab_write_points(reproduction *lab, const char *name, const plot_spec *plot) {
    char *file_name = format_text("%s.csv", name);
    output_file out;
    if (!lab_open(lab, &out, file_name)) {
        free(file_name);
        return;
    }
    FILE *file = out.file;
    fputs("curve,x,y\n", file);
    for (int32_t c = 0; c < plot->count; c++) {
        const plot_curve *curve = &plot->curves[c];
        for (int32_t i = 0; i < curve->count; i++) {
            char x[32], y[32];
            csv_text(file, curve->name ? curve->name : "");
            fprintf(file, ",%s,%s\n", real_text(curve->x[i], x), real_text(curve->y[i], y));
        }
    }
    lab_close(lab, &out, file_name, "its points");
}

void lab_plot(reproduction *lab, const char *name, const char *about, const plot_spec *plot) {
    char *file_name = format_text("%s.svg", name);
    output_file out;
    if (!lab_open(lab, &out, file_name)) {
        free(file_name);
        return;
    }
    plot_write(plot, out.file);
    lab_close(lab, &out, file_name, about);
    lab_write_points(lab, name, plot);
}

void lab_picture(reproduction *lab, const char *name, const char *about, trial_result *result,
                 const double *times, int32_t count, picture_spec picture) {
    picture_stills stills;
    cn_error error = {.status = CN_OK};
    if (stills_read(&result->recorded, times, count, &stills, &error) != CN_OK) {
        lab_fail(lab, report_error_in(&error, result->path));
        return;
    }
    char *file_name = format_text("%s.svg", name),
         *path = format_text("%s/%s", lab->folder, file_name);
    picture.model = result->recorded.model;
    picture.stills = stills.stills;
    picture.count = stills.count;
    lab->code = exit_join(lab->code, picture_save(&picture, path));
    lab_note_file(lab, file_name, about);
    stills_free(&stills);
    free(path);
}

static void lab_write_table(reproduction *lab, const data_table *data, const char *name,
                            const char *about) {
    output_file out;
    if (lab_open(lab, &out, name)) {
        data_table_csv(data, out.file);
        lab_close(lab, &out, format_text("%s", name), about);
    }
}

// ---- the report ----

void lab_print(const reproduction *lab, FILE *out) {
    const lab_experiment *experiment = lab->experiment;
    fprintf(out, "%s%s: %s%s%s\n", ink_begin(out, INK_BOLD), experiment->id, experiment->title,
            lab->quick ? " (short version)" : "", ink_end(out, INK_BOLD));
    print_wrapped(out, "", 0, experiment->source);
    fputc('\n', out);
    data_table_print(&lab->table, out);
    fputc('\n', out);
    data_table_print(&lab->checks, out);
    fprintf(out, "\n%lld steps, %lld not solved to their tolerance; %.3g s of CPU time\n\n",
            (long long)lab->steps, (long long)lab->unsolved, lab->cpu_s);
    print_wrapped(out, "Differs: ", 9, experiment->differs);
    print_format(out, "\nIn %s:\n", lab->folder);
    for (int32_t i = 0; i < lab->file_count; i++) {
        char *label = format_text("  %s", lab->files[i].name);
        print_wrapped(out, label, 24, lab->files[i].about);
        free(label);
    }
}

void lab_print_json(const reproduction *lab) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "experiment", lab->experiment->id);
    put_text(&json, "title", lab->experiment->title);
    put_text(&json, "source", lab->experiment->source);
    put_bool(&json, "quick", lab->quick);
    put_int(&json, "steps", lab->steps);
    put_int(&json, "unsolved", lab->unsolved);
    put_real(&json, "cpu_s", lab->cpu_s);
    put_int(&json, "checks_judged", lab->judged);
    put_int(&json, "checks_failed", lab->failed);
    data_table_json(&lab->table, &json, "table");
    data_table_json(&lab->checks, &json, "checks");
    put_text(&json, "folder", lab->folder);
    put_open(&json, "files", '[');
    for (int32_t i = 0; i < lab->file_count; i++) {
        put_text(&json, NULL, lab->files[i].name);
    }
    put_close(&json, ']');
    put_close(&json, '}');
    put_end(&json);
}

int lab_run_experiment(reproduction *lab) {
    lab->table = data_table_start(lab->experiment->columns);
    lab->checks = data_table_start(check_headings);
    lab->experiment->run(lab);
    if (lab->code != EXIT_DONE) {
        return lab->code;
    }
    lab_write_table(lab, &lab->table, "table.csv", "the first table");
    lab_write_table(lab, &lab->checks, "checks.csv", "the second table");
    output_file out;
    if (lab_open(lab, &out, "report.txt")) {
        lab_print(lab, out.file);
        lab_close(lab, &out, format_text("report.txt"), "this report");
    }
    bool short_of = lab->unsolved > 0 || lab->failed > 0;
    return exit_join(lab->code, short_of ? EXIT_TOLERANCE : EXIT_DONE);
}

void lab_free(reproduction *lab) {
    for (int32_t i = 0; i < lab->file_count; i++) {
        free(lab->files[i].name);
    }
    free(lab->files);
    data_table_free(&lab->table);
    data_table_free(&lab->checks);
}
