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

static const cn_heading cn_check_headings[] = {{"check", "check"}, {"paper", "paper"},
                                               {"asked", "asked"}, {"ours", "ours"},
                                               {"", "verdict"},    {NULL, NULL}};

// ---- trials ----

static bool cn_lab_fail(cn_lab *lab, int code) {
    lab->code = cn_exit_join(lab->code, code);
    return false;
}

// What is to be done about a run file that is there.
typedef enum cn_old_run { CN_OLD_NONE, CN_OLD_UNFINISHED, CN_OLD_DONE } cn_old_run;

// Only the same scene simulated by the same program counts; a program that differs from its commit
// or has none cannot be known again.
static cn_old_run cn_old_run_state(const char *path, const cn_model *model) {
    cn_run *run;
    cn_old_run state = CN_OLD_NONE;
    bool known = strchr(CN_GIT_HASH, '+') == NULL && strcmp(CN_GIT_HASH, "unknown") != 0;
    if (!known || cn_run_open(NULL, path, &run, NULL) != CN_OK) {
        return CN_OLD_NONE;
    }
    static const char *const keys[] = {"scene", "git_hash", "flags"};
    const char *const values[] = {cn_model_scene_text(model), CN_GIT_HASH, CN_BUILD_FLAGS};
    bool same = true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = cn_run_meta(run, keys[i]);
        same = same && value && strcmp(value, values[i]) == 0;
    }
    if (same) {
        const char *status = cn_run_meta(run, "status");
        state = status && strcmp(status, "done") == 0 ? CN_OLD_DONE : CN_OLD_UNFINISHED;
    }
    cn_run_close(run);
    return state;
}

static int cn_lab_simulate(const cn_lab *lab, const char *path, cn_model *model) {
    cn_drive drive = {.path = path, .quiet = lab->quiet};
    cn_old_run old = lab->force ? CN_OLD_NONE : cn_old_run_state(path, model);
    int code = CN_EXIT_DONE;
    if (old == CN_OLD_NONE) {
        code = cn_drive_create(&drive, model, true);
    } else {
        cn_model_destroy(model);
        if (old == CN_OLD_DONE) {
            return CN_EXIT_DONE;
        }
        code = cn_drive_resume(&drive, NULL, 0);
    }
    if (code == CN_EXIT_DONE) {
        code = cn_drive_go(&drive);
        cn_drive_end(&drive);
    }
    return code;
}

// The overrides of the method, then the trial's own. Returns how many.
static int32_t cn_trial_overrides(const cn_trial *trial, cn_override out[2 * CN_OVERRIDES]) {
    const cn_override *const lists[] = {trial->method ? trial->method->set : NULL, trial->set};
    int32_t count = 0;
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t k = 0; lists[i] && k < CN_OVERRIDES && lists[i][k].path; k++) {
            out[count++] = lists[i][k];
        }
    }
    return count;
}

static bool cn_result_read(cn_lab *lab, bool inexact, cn_result *result) {
    cn_error error = {.status = CN_OK};
    if (cn_recorded_open(result->path, &result->recorded, &error) != CN_OK) {
        cn_lab_fail(lab, cn_report_error_in(&error, result->path));
        free(result->path);
        return false;
    }
    result->memory = cn_arena_create(NULL);
    if (!result->memory) {
        exit(cn_report_failure("out of memory"));
    }
    if (cn_run_ledger(result->recorded.run, result->memory, &result->rows, &result->count,
                      &error) != CN_OK ||
        cn_tally_read(result->recorded.run, &result->tally, &error) != CN_OK) {
        cn_lab_fail(lab, cn_report_error_in(&error, result->path));
        cn_result_free(result);
        return false;
    }
    lab->cpu_s += result->tally.cpu_s;
    lab->steps += result->tally.steps;
    lab->unsolved += inexact ? 0 : cn_tally_unsolved(&result->tally);
    return true;
}

static void cn_lab_note_file(cn_lab *lab, char *name, const char *about) {
    lab->files = cn_reallocate(lab->files, lab->file_count + 1, sizeof *lab->files);
    lab->files[lab->file_count++] = (cn_lab_file){name, about};
}

// A replay of the first trial of each scene, where this build has the page.
static void cn_lab_replay(cn_lab *lab, const cn_trial *trial, const char *run) {
    cn_html_report report;
    for (int32_t i = 0; i < lab->shown_count; i++) {
        if (strcmp(lab->shown[i], trial->scene) == 0) {
            return;
        }
    }
    if (!cn_html_available() || lab->shown_count == CN_LAB_SHOWN) {
        return;
    }
    char *name = cn_text("%s.html", trial->name), *path = cn_text("%s/%s", lab->folder, name);
    lab->shown[lab->shown_count++] = trial->scene;
    lab->code = cn_exit_join(lab->code, cn_html_write(run, path, 1, 0, &report));
    cn_lab_note_file(lab, name, "a replay: open it in a browser");
    free(path);
}

bool cn_lab_run(cn_lab *lab, const cn_trial *trial, cn_result *out) {
    cn_override overrides[2 * CN_OVERRIDES];
    int32_t count = cn_trial_overrides(trial, overrides);
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    *out = (cn_result){.path = NULL};
    char *scene = cn_gallery_path(trial->scene);
    if (!scene) {
        return cn_lab_fail(lab, cn_report_failure("the gallery has no scene '%s'; CAIRN_SCENES may "
                                                  "say where it is",
                                                  trial->scene));
    }
    cn_status status = cn_scene_read(NULL, scene, overrides, count, &model, &error);
    free(scene);
    if (status != CN_OK) {
        return cn_lab_fail(lab, cn_report_error(&error));
    }
    char *path = cn_text("%s/%s.run", lab->folder, trial->name);
    int code = cn_lab_simulate(lab, path, model);
    if (code != CN_EXIT_DONE && code != CN_EXIT_TOLERANCE) {
        free(path);
        return cn_lab_fail(lab, code);
    }
    out->path = path;
    cn_lab_replay(lab, trial, path);
    return cn_result_read(lab, trial->inexact, out);
}

void cn_result_free(cn_result *result) {
    cn_recorded_close(&result->recorded);
    cn_arena_destroy(result->memory);
    free(result->path);
}

// ---- measuring ----

double *cn_result_room(const cn_result *result) {
    return CN_ALLOCATE(double, 7 * (int64_t)cn_model_body_count(result->recorded.model));
}

bool cn_result_frame(cn_lab *lab, cn_result *result, double t, double *q, double *v) {
    cn_error error = {.status = CN_OK};
    int64_t index, step;
    double at;
    cn_status status = cn_recorded_frame_at(&result->recorded, t, &index, &error);
    status = status == CN_OK ? cn_run_frame(result->recorded.run, index, &step, &at, q, v, &error)
                             : status;
    return status == CN_OK || cn_lab_fail(lab, cn_report_error_in(&error, result->path));
}

double cn_result_speed(const cn_result *result, double t) {
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

void cn_series_add(cn_series *series, double x, double y) {
    if (series->count == series->capacity) {
        series->capacity = series->capacity ? 2 * series->capacity : 256;
        series->x = cn_reallocate(series->x, series->capacity, sizeof *series->x);
        series->y = cn_reallocate(series->y, series->capacity, sizeof *series->y);
    }
    series->x[series->count] = x;
    series->y[series->count++] = y;
}

void cn_series_free(cn_series *series) {
    free(series->x);
    free(series->y);
}

bool cn_result_frames(cn_lab *lab, cn_result *result, cn_frame_fn *visit, void *user) {
    cn_error error = {.status = CN_OK};
    cn_run *run = result->recorded.run;
    double *q = cn_result_room(result), *v = cn_result_room(result);
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
    return status == CN_OK || cn_lab_fail(lab, cn_report_error_in(&error, result->path));
}

typedef struct cn_track {
    int64_t at; // of the body's pose
    cn_series *out;
} cn_track;

static void cn_track_take(void *user, double t, const double *q, const double *v) {
    const cn_track *track = user;
    (void)v;
    for (int32_t axis = 0; axis < 3; axis++) {
        cn_series_add(&track->out[axis], t, q[track->at + axis]);
    }
}

bool cn_result_track(cn_lab *lab, cn_result *result, cn_body_id body, cn_series out[3]) {
    int32_t pose = cn_run_dim(result->recorded.run) == 2 ? 3 : 7;
    cn_track track = {.at = (int64_t)pose * (body - 1), .out = out};
    for (int32_t axis = 0; axis < 3; axis++) {
        out[axis] = (cn_series){.count = 0};
    }
    return cn_result_frames(lab, result, cn_track_take, &track);
}

// ---- checks ----

// relation: "<=" or ">="; met counts only when there is a limit.
static void cn_lab_judge(cn_lab *lab, const char *what, const char *paper, const char *relation,
                         double got, double limit, bool met) {
    bool judged = !isnan(limit);
    char asked[48] = "";
    if (judged) {
        snprintf(asked, sizeof asked, "%s %.3g", relation, limit);
    }
    cn_sheet_text(&lab->checks, what, CN_INK_PLAIN);
    cn_sheet_text(&lab->checks, paper, CN_INK_PLAIN);
    cn_sheet_text(&lab->checks, asked, CN_INK_PLAIN);
    cn_sheet_real(&lab->checks, 3, got);
    cn_sheet_text(&lab->checks,
                  !judged ? ""
                  : met   ? "met"
                          : "NOT MET",
                  met ? CN_INK_GOOD : CN_INK_BAD);
    lab->judged += judged;
    lab->failed += judged && !met;
}

void cn_lab_below(cn_lab *lab, const char *what, const char *paper, double got, double limit) {
    cn_lab_judge(lab, what, paper, "<=", got, limit, got <= limit);
}

void cn_lab_above(cn_lab *lab, const char *what, const char *paper, double got, double limit) {
    cn_lab_judge(lab, what, paper, ">=", got, limit, got >= limit);
}

void cn_lab_show(cn_lab *lab, const char *what, const char *paper, double got) {
    cn_lab_judge(lab, what, paper, "", got, (double)NAN, false);
}

double cn_lab_limit(const cn_lab *lab, double limit) {
    return lab->quick ? (double)NAN : limit;
}

// ---- files ----

// Opens a file of the report; false after a failure.
static bool cn_lab_open(cn_lab *lab, cn_output *out, const char *name) {
    bool opened = cn_output_open_in(out, lab->folder, name);
    if (!opened) {
        cn_lab_fail(lab, CN_EXIT_FAILURE);
    }
    return opened;
}

// name is taken over.
static void cn_lab_close(cn_lab *lab, cn_output *out, char *name, const char *about) {
    lab->code = cn_exit_join(lab->code, cn_output_close(out));
    cn_lab_note_file(lab, name, about);
}

static void cn_lab_write_points(cn_lab *lab, const char *name, const cn_plot *plot) {
    char *file_name = cn_text("%s.csv", name);
    cn_output out;
    if (!cn_lab_open(lab, &out, file_name)) {
        free(file_name);
        return;
    }
    FILE *file = out.file;
    fputs("curve,x,y\n", file);
    for (int32_t c = 0; c < plot->count; c++) {
        const cn_curve *curve = &plot->curves[c];
        for (int32_t i = 0; i < curve->count; i++) {
            char x[32], y[32];
            cn_csv_text(file, curve->name ? curve->name : "");
            fprintf(file, ",%s,%s\n", cn_real_text(curve->x[i], x), cn_real_text(curve->y[i], y));
        }
    }
    cn_lab_close(lab, &out, file_name, "its points");
}

void cn_lab_plot(cn_lab *lab, const char *name, const char *about, const cn_plot *plot) {
    char *file_name = cn_text("%s.svg", name);
    cn_output out;
    if (!cn_lab_open(lab, &out, file_name)) {
        free(file_name);
        return;
    }
    cn_plot_write(plot, out.file);
    cn_lab_close(lab, &out, file_name, about);
    cn_lab_write_points(lab, name, plot);
}

void cn_lab_picture(cn_lab *lab, const char *name, const char *about, cn_result *result,
                    const double *times, int32_t count, cn_picture picture) {
    cn_stills stills;
    cn_error error = {.status = CN_OK};
    if (cn_stills_read(&result->recorded, times, count, &stills, &error) != CN_OK) {
        cn_lab_fail(lab, cn_report_error_in(&error, result->path));
        return;
    }
    char *file_name = cn_text("%s.svg", name), *path = cn_text("%s/%s", lab->folder, file_name);
    picture.model = result->recorded.model;
    picture.stills = stills.stills;
    picture.count = stills.count;
    lab->code = cn_exit_join(lab->code, cn_picture_save(&picture, path));
    cn_lab_note_file(lab, file_name, about);
    cn_stills_free(&stills);
    free(path);
}

static void cn_lab_write_sheet(cn_lab *lab, const cn_sheet *sheet, const char *name,
                               const char *about) {
    cn_output out;
    if (cn_lab_open(lab, &out, name)) {
        cn_sheet_csv(sheet, out.file);
        cn_lab_close(lab, &out, cn_text("%s", name), about);
    }
}

// ---- the report ----

void cn_lab_print(const cn_lab *lab, FILE *out) {
    const cn_experiment *experiment = lab->experiment;
    fprintf(out, "%s%s: %s%s%s\n", cn_ink_begin(out, CN_INK_BOLD), experiment->id,
            experiment->title, lab->quick ? " (short version)" : "", cn_ink_end(out, CN_INK_BOLD));
    cn_print_wrapped(out, "", 0, experiment->source);
    fputc('\n', out);
    cn_sheet_print(&lab->table, out);
    fputc('\n', out);
    cn_sheet_print(&lab->checks, out);
    fprintf(out, "\n%lld steps, %lld not solved to their tolerance; %.3g s of CPU time\n\n",
            (long long)lab->steps, (long long)lab->unsolved, lab->cpu_s);
    cn_print_wrapped(out, "Differs: ", 9, experiment->differs);
    cn_say(out, "\nIn %s:\n", lab->folder);
    for (int32_t i = 0; i < lab->file_count; i++) {
        char *label = cn_text("  %s", lab->files[i].name);
        cn_print_wrapped(out, label, 24, lab->files[i].about);
        free(label);
    }
}

void cn_lab_print_json(const cn_lab *lab) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "experiment", lab->experiment->id);
    cn_put_text(&json, "title", lab->experiment->title);
    cn_put_text(&json, "source", lab->experiment->source);
    cn_put_bool(&json, "quick", lab->quick);
    cn_put_int(&json, "steps", lab->steps);
    cn_put_int(&json, "unsolved", lab->unsolved);
    cn_put_real(&json, "cpu_s", lab->cpu_s);
    cn_put_int(&json, "checks_judged", lab->judged);
    cn_put_int(&json, "checks_failed", lab->failed);
    cn_sheet_json(&lab->table, &json, "table");
    cn_sheet_json(&lab->checks, &json, "checks");
    cn_put_text(&json, "folder", lab->folder);
    cn_put_open(&json, "files", '[');
    for (int32_t i = 0; i < lab->file_count; i++) {
        cn_put_text(&json, NULL, lab->files[i].name);
    }
    cn_put_close(&json, ']');
    cn_put_close(&json, '}');
    cn_put_end(&json);
}

int cn_lab_go(cn_lab *lab) {
    lab->table = cn_sheet_start(lab->experiment->columns);
    lab->checks = cn_sheet_start(cn_check_headings);
    lab->experiment->run(lab);
    if (lab->code != CN_EXIT_DONE) {
        return lab->code;
    }
    cn_lab_write_sheet(lab, &lab->table, "table.csv", "the first table");
    cn_lab_write_sheet(lab, &lab->checks, "checks.csv", "the second table");
    cn_output out;
    if (cn_lab_open(lab, &out, "report.txt")) {
        cn_lab_print(lab, out.file);
        cn_lab_close(lab, &out, cn_text("report.txt"), "this report");
    }
    bool short_of = lab->unsolved > 0 || lab->failed > 0;
    return cn_exit_join(lab->code, short_of ? CN_EXIT_TOLERANCE : CN_EXIT_DONE);
}

void cn_lab_free(cn_lab *lab) {
    for (int32_t i = 0; i < lab->file_count; i++) {
        free(lab->files[i].name);
    }
    free(lab->files);
    cn_sheet_free(&lab->table);
    cn_sheet_free(&lab->checks);
}
