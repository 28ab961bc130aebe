// app/run/run_loop.c
// The loop around cn_sim_step; see run_loop.h. What is recorded when depends on the step's number
// alone, so that a resumed run records what an uninterrupted one does.
#include "run/run_loop.h"

#include "run/recorded.h"
#include "support/build.h"
#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Multiples of a time are met within this share of a step: 0.02 / 0.001 is not 20 in binary.
#define CN_GRID_SLACK 1e-6
#define CN_STEP_LONG 0.05 // [s] a step that takes longer is left when somebody wants something else

bool cn_is_due(int64_t step, double h, double every) {
    double ratio = every / h;
    if (!(ratio > 1.0)) {
        return true;
    }
    return floor(((double)step + CN_GRID_SLACK) / ratio) >
           floor(((double)step - 1.0 + CN_GRID_SLACK) / ratio);
}

int64_t cn_steps_until(double t, double h) {
    return (int64_t)ceil(t / h - CN_GRID_SLACK);
}

// ---- what goes to meta ----

static void cn_time_text(char text[32]) {
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

typedef struct cn_meta {
    const char *key, *value; // value NULL: left out
} cn_meta;

static cn_status cn_drive_meta(cn_drive *drive, const cn_meta *list, size_t count,
                               cn_error *error) {
    cn_status status = CN_OK;
    for (size_t i = 0; status == CN_OK && i < count; i++) {
        if (list[i].value) {
            status = cn_recorder_meta(drive->recorder, list[i].key, list[i].value, error);
        }
    }
    return status;
}

static int32_t cn_drive_threads(const cn_drive *drive) {
    int32_t own = cn_model_settings(drive->model)->threads;
    return drive->threads > 0 ? drive->threads : (own > 0 ? own : 1);
}

static cn_status cn_drive_meta_start(cn_drive *drive, cn_error *error) {
    char now[32], threads[16], tolerance[32];
    bool limited = cn_model_settings(drive->model)->time_limit > 0.0;
    cn_time_text(now);
    snprintf(threads, sizeof threads, "%d", (int)cn_drive_threads(drive));
    snprintf(tolerance, sizeof tolerance, "%.17g", cn_model_settings(drive->model)->tolerance);
    // Runs draw no random numbers; generators have their seeds in the scene's text.
    const cn_meta list[] = {{"git_hash", CN_GIT_HASH},
                            {"flags", CN_BUILD_FLAGS},
                            {"seed", "none"},
                            {"threads", threads},
                            {"tolerance", tolerance},
                            {"started", now},
                            {"status", "running"},
                            {"irreproducible", limited ? "a time limit a step was set" : NULL}};
    return cn_drive_meta(drive, list, sizeof list / sizeof list[0], error);
}

static cn_status cn_drive_meta_end(cn_drive *drive, const char *how, cn_error *error) {
    char now[32], cpu[32], others[32];
    cn_time_text(now);
    snprintf(cpu, sizeof cpu, "%.6g", drive->tally.cpu_s);
    snprintf(others, sizeof others, "%.6g", drive->tally.cpu_others);
    const cn_meta list[] = {{"ended", now},
                            {"status", how},
                            {"state_hash", drive->hash},
                            {"cpu_s", cpu},
                            {"cpu_others_s", drive->tally.cpu_others > 0.0 ? others : NULL}};
    return cn_drive_meta(drive, list, sizeof list / sizeof list[0], error);
}

// ---- beginning ----

static int cn_drive_refuse(cn_drive *drive, const cn_error *error) {
    int code = cn_report_error(error);
    cn_drive_end(drive);
    return code;
}

// A cn_cancel_fn.
static bool cn_drive_poll(void *user) {
    const cn_drive *drive = user;
    return cn_interrupted() || (atomic_load_explicit(&drive->leave, memory_order_relaxed) &&
                                cn_wall_clock() - drive->step_start > CN_STEP_LONG);
}

// The sim of the drive's model, with its threads.
static cn_status cn_drive_sim(cn_drive *drive, cn_error *error) {
    cn_env env = cn_env_with_threads(drive->threads);
    env.cancel = cn_drive_poll;
    env.cancel_user = drive;
    drive->pool = env.threads;
    return cn_sim_create(drive->model, &env, &drive->sim, error);
}

// ---- warnings ----

// To standard error, to the run file's events, to the list that the report ends with.
static cn_status cn_drive_warn(cn_drive *drive, const cn_error *warning, cn_error *error) {
    char shown[1200];
    cn_error marked = *warning;
    snprintf(marked.message, sizeof marked.message, CN_WARNING_TEXT "%.490s", warning->message);
    cn_error_format(&marked, shown, sizeof shown);
    if (drive->warns) {
        cn_print_safe(stderr, shown);
        fputc('\n', stderr);
    }
    drive->warnings = cn_reallocate(drive->warnings, drive->warning_count + 1, sizeof(char *));
    drive->warnings[drive->warning_count++] = cn_text("%s", shown);
    int64_t step = cn_sim_step_index(drive->sim);
    double t = cn_sim_time(drive->sim);
    if (drive->note) {
        drive->note(drive->note_user, step, t, shown);
    }
    return cn_recorder_event(drive->recorder, step, t, shown, error);
}

static cn_status cn_drive_warn_of_model(cn_drive *drive, cn_error *error) {
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < cn_model_warning_count(drive->model); i++) {
        status = cn_drive_warn(drive, cn_model_warning(drive->model, i), error);
    }
    return status;
}

// What there is of a run whose beginning could not be written.
static void cn_drive_remove(const char *path) {
    const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char name[4096];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if ((size_t)snprintf(name, sizeof name, "%s%s", path, endings[i]) < sizeof name) {
            remove(name);
        }
    }
}

int cn_drive_create(cn_drive *drive, cn_model *model, bool overwrite) {
    cn_error error = {.status = CN_OK};
    drive->model = model;
    drive->cpu_start = cn_cpu_clock();
    if (cn_drive_sim(drive, &error) != CN_OK) {
        return cn_drive_refuse(drive, &error);
    }
    double kinetic, potential;
    cn_sim_energy(drive->sim, &kinetic, &potential);
    drive->tally = cn_tally_start(kinetic + potential);
    drive->tally.kinetic_final = kinetic;
    if (cn_recorder_create(NULL, drive->path, overwrite, drive->sim, &drive->recorder, &error) !=
        CN_OK) {
        cn_drive_refuse(drive, &error);
        return CN_EXIT_FAILURE;
    }
    cn_run_checks_start(&drive->checks, drive->model, drive->sim);
    if (cn_drive_meta_start(drive, &error) != CN_OK ||
        (drive->no_evidence && cn_recorder_evidence(drive->recorder, false, &error) != CN_OK) ||
        cn_drive_warn_of_model(drive, &error) != CN_OK ||
        cn_recorder_frame(drive->recorder, drive->sim, &error) != CN_OK ||
        cn_recorder_flush(drive->recorder, &error) != CN_OK) {
        cn_drive_refuse(drive, &error);
        cn_drive_remove(drive->path);
        return CN_EXIT_FAILURE;
    }
    return CN_EXIT_DONE;
}

// What was done up to the checkpoint that the sim now stands on.
static cn_status cn_drive_recount(cn_drive *drive, cn_error *error) {
    cn_run *run;
    cn_status status = cn_run_open(NULL, drive->path, &run, error);
    if (status == CN_OK) {
        status = cn_tally_read(run, &drive->tally, error);
        drive->cpu_before = drive->tally.cpu_s;
        cn_run_close(run);
    }
    return status;
}

static cn_status cn_drive_note_resumption(cn_drive *drive, cn_error *error) {
    char now[32];
    int64_t step = cn_sim_step_index(drive->sim);
    cn_time_text(now);
    char *text = cn_text("resumed at %s by cairn %s", now, cn_version());
    const cn_meta list[] = {{"scene", cn_model_scene_text(drive->model)}, {"status", "running"}};
    cn_status status =
        cn_recorder_event(drive->recorder, step, cn_sim_time(drive->sim), text, error);
    status = status == CN_OK ? cn_drive_meta(drive, list, 2, error) : status;
    // A commit: what was dropped after the checkpoint is gone, and the file says that it runs.
    status = status == CN_OK ? cn_recorder_checkpoint(drive->recorder, drive->sim, error) : status;
    free(text);
    return status;
}

static void cn_drive_log(void *user __attribute__((unused)), cn_log_level level, const char *text) {
    if (level == CN_LOG_WARNING) {
        fputs("cairn: warning: ", stderr);
        cn_print_safe(stderr, text);
        fputc('\n', stderr);
    }
}

int cn_drive_resume(cn_drive *drive, const cn_override *overrides, int32_t count) {
    cn_error error = {.status = CN_OK};
    cn_run *run = NULL;
    cn_env env = cn_env_default();
    env.allow_plugins = drive->allow_plugins;
    env.log = cn_drive_log;
    drive->cpu_start = cn_cpu_clock();
    cn_status status = cn_run_open(NULL, drive->path, &run, &error);
    status = status == CN_OK
                 ? cn_run_model_in(&env, run, drive->path, overrides, count, &drive->model, &error)
                 : status;
    cn_run_close(run);
    bool readable = status == CN_OK;
    status = readable ? cn_drive_sim(drive, &error) : status;
    status = status == CN_OK
                 ? cn_recorder_resume(&env, drive->path, drive->sim, &drive->recorder, &error)
                 : status;
    status = status == CN_OK ? cn_drive_note_resumption(drive, &error) : status;
    status = status == CN_OK ? cn_drive_recount(drive, &error) : status;
    if (status == CN_OK) {
        cn_run_checks_start(&drive->checks, drive->model, drive->sim);
    }
    if (status == CN_OK) {
        return CN_EXIT_DONE;
    }
    int code = cn_drive_refuse(drive, &error);
    return readable && status == CN_ERR_IO ? CN_EXIT_FAILURE : code; // the disk, not the file
}

// ---- going ----

static cn_status cn_drive_event(cn_drive *drive, const cn_step_report *report, char *text,
                                cn_error *error) {
    cn_status status = cn_recorder_event(drive->recorder, report->step, report->t, text, error);
    if (drive->note) {
        drive->note(drive->note_user, report->step, report->t, text);
    }
    free(text);
    return status;
}

static const char *cn_drive_body_name(const cn_drive *drive, cn_body_id id) {
    cn_body_info body;
    cn_model_body(drive->model, id, &body);
    return body.name;
}

// Once when it begins: such a contact may stay for thousands of steps, which the ledger counts.
static cn_status cn_drive_paradox(cn_drive *drive, const cn_step_report *report, cn_error *error) {
    bool before = drive->paradoxical;
    drive->paradoxical = report->paradoxes > 0;
    if (before || !drive->paradoxical) {
        return CN_OK;
    }
    return cn_drive_event(
        drive, report,
        cn_text("the contact of body %d (%s) on body %d (%s) may have no or several solutions "
                "(Painleve): mu |W_NT| / W_NN = %.4g",
                (int)report->paradox_candidate,
                cn_drive_body_name(drive, report->paradox_candidate),
                (int)report->paradox_antagonist,
                cn_drive_body_name(drive, report->paradox_antagonist), report->paradox_ratio),
        error);
}

// Bodies too fast for the step: stopped without the bounce of their law, or not stopped at all.
static cn_status cn_drive_fast(cn_drive *drive, const cn_step_report *report, cn_error *error) {
    const struct {
        int32_t count;
        cn_body_id candidate, antagonist;
        const char *what, *between;
    } kinds[] = {{report->passed, report->passed_candidate, report->passed_antagonist,
                  CN_PASSED_TEXT, "through"},
                 {report->limited, report->limited_candidate, report->limited_antagonist,
                  CN_LIMITED_TEXT, "at"}};
    cn_status status = CN_OK;
    for (size_t i = 0; i < 2 && status == CN_OK; i++) {
        if (kinds[i].count == 0) {
            continue;
        }
        char *a = cn_body_label(drive->model, kinds[i].candidate),
             *b = cn_body_label(drive->model, kinds[i].antagonist);
        status = cn_drive_event(drive, report,
                                cn_text("%s%s %s %s; contacts in this step: %d", kinds[i].what, a,
                                        kinds[i].between, b, (int)kinds[i].count),
                                error);
        free(a);
        free(b);
    }
    return status;
}

// What a step's report says besides its numbers.
static cn_status cn_drive_events(cn_drive *drive, const cn_step_report *report, cn_error *error) {
    cn_status status = CN_OK;
    if (report->retries > 0) {
        status = cn_drive_event(drive, report,
                                cn_text("retried %d times; the answer is that of %s",
                                        (int)report->retries, report->solver),
                                error);
    }
    if (status == CN_OK && report->halvings > 0) {
        status = cn_drive_event(
            drive, report, cn_text("the step was halved %d times", (int)report->halvings), error);
    }
    if (status == CN_OK && report->outcome != CN_SOLVED) {
        status = cn_drive_event(drive, report,
                                cn_text("not solved: %s after %d iterations of %s, residual %.3g",
                                        cn_outcome_text(report->outcome), (int)report->iterations,
                                        report->solver, report->residual),
                                error);
    }
    if (status == CN_OK && report->missed > 0) {
        status = cn_drive_event(
            drive, report,
            cn_text("%d pairs overlap that had not been candidates: the alert distance is too "
                    "small",
                    (int)report->missed),
            error);
    }
    if (status == CN_OK) {
        status = cn_drive_fast(drive, report, error);
    }
    return status == CN_OK ? cn_drive_paradox(drive, report, error) : status;
}

typedef struct cn_drive_check {
    cn_drive *drive;
    const cn_step_report *report;
    cn_status status;
    cn_error *error;
} cn_drive_check;

// What a check of the run found; place: of a warning, else it is an event.
static void cn_drive_found(void *user, const cn_source *place, const char *text) {
    cn_drive_check *check = user;
    if (check->status != CN_OK) {
        return;
    }
    if (!place) {
        check->status =
            cn_drive_event(check->drive, check->report, cn_text("%s", text), check->error);
        return;
    }
    cn_error warning = {.status = CN_OK, .line = place->line, .column = place->column};
    snprintf(warning.message, sizeof warning.message, "%s", text);
    snprintf(warning.file, sizeof warning.file, "%s",
             place->line > 0 && place->file ? place->file : "");
    check->status = cn_drive_warn(check->drive, &warning, check->error);
}

// Records a step that was made.
static cn_status cn_drive_record(cn_drive *drive, const cn_step_report *report, bool last,
                                 bool *recorded, cn_error *error) {
    const cn_settings *settings = cn_model_settings(drive->model);
    double h = settings->step;
    cn_status status = cn_recorder_ledger(drive->recorder, report, error);
    status = status == CN_OK ? cn_drive_events(drive, report, error) : status;
    if (status == CN_OK) {
        cn_drive_check check = {.drive = drive, .report = report, .error = error};
        int64_t before = drive->checks.deep;
        cn_run_checks_step(&drive->checks, drive->sim, report, last, cn_drive_found, &check);
        drive->tally.deep += drive->checks.deep - before;
        status = check.status;
    }
    *recorded = !drive->frameless && (last || cn_is_due(report->step, h, settings->frames_every));
    if (status == CN_OK && *recorded) {
        status = cn_recorder_frame(drive->recorder, drive->sim, error);
    }
    if (status == CN_OK && !last && cn_is_due(report->step, h, settings->checkpoint_every)) {
        status = cn_recorder_checkpoint(drive->recorder, drive->sim, error);
    }
    return status;
}

static void cn_drive_show(cn_progress_line *line, const cn_step_report *report, int64_t last) {
    char stage[64];
    snprintf(stage, sizeof stage, "t = %.4g s, %d contacts", report->t, (int)report->contacts);
    cn_progress progress = {
        .stage = stage, .done = report->step, .total = last, .residual = report->residual};
    cn_progress_step(line, &progress);
}

// CPU time of the threads besides this one [s]; not asked for where there are none, since the
// clocks take as long as a small step.
static double cn_drive_others(const cn_drive *drive) {
    return cn_drive_threads(drive) > 1 ? cn_cpu_clock() - cn_thread_clock() : 0.0;
}

cn_status cn_drive_step(cn_drive *drive, bool last, cn_step_report *report, bool *recorded,
                        cn_error *error) {
    *recorded = false;
    drive->step_start = cn_wall_clock();
    double others = cn_drive_others(drive);
    cn_status status = cn_sim_step(drive->sim, report, error);
    if (status != CN_OK) {
        return status;
    }
    cn_tally_add(&drive->tally, report);
    status = cn_drive_record(drive, report, last, recorded, error);
    drive->tally.cpu_others += cn_drive_others(drive) - others;
    if (drive->watch) {
        drive->watch(drive->watch_user, drive->sim, report);
    }
    return status;
}

// Steps until the end, Ctrl-C or an error.
static cn_status cn_drive_loop(cn_drive *drive, cn_error *error) {
    const cn_settings *settings = cn_model_settings(drive->model);
    int64_t last = cn_steps_until(settings->until, settings->step);
    cn_progress_line line = cn_progress_start(cn_model_name(drive->model), !drive->quiet);
    line.first = cn_sim_step_index(drive->sim);
    line.reached = true;
    cn_status status = CN_OK;
    while (status == CN_OK && cn_sim_step_index(drive->sim) < last && !cn_interrupted()) {
        cn_step_report report;
        bool recorded;
        status = cn_drive_step(drive, cn_sim_step_index(drive->sim) + 1 >= last, &report, &recorded,
                               error);
        if (status == CN_OK) {
            cn_drive_show(&line, &report, last);
        }
    }
    cn_progress_finish(&line);
    return status == CN_ERR_CANCELLED ? CN_OK : status;
}

// What was counted and not named.
static cn_status cn_drive_count_rest(cn_drive *drive, cn_error *error) {
    cn_status status = CN_OK;
    if (drive->checks.deep > CN_NAMED_MAX) {
        char *text = cn_text(CN_DEEP_TEXT "%lld more pairs of bodies",
                             (long long)(drive->checks.deep - CN_NAMED_MAX));
        status = cn_recorder_event(drive->recorder, cn_sim_step_index(drive->sim),
                                   cn_sim_time(drive->sim), text, error);
        free(text);
    }
    if (status == CN_OK && drive->checks.fallen > CN_NAMED_MAX) {
        cn_error warning = {.status = CN_OK};
        snprintf(warning.message, sizeof warning.message,
                 "%lld more bodies have been in free fall below everything else",
                 (long long)(drive->checks.fallen - CN_NAMED_MAX));
        status = cn_drive_warn(drive, &warning, error);
    }
    return status;
}

// The last checkpoint and the end of the file. how: what the run came to.
static cn_status cn_drive_close(cn_drive *drive, const char *how, cn_error *error) {
    cn_status status = cn_drive_count_rest(drive, error);
    status = status == CN_OK ? cn_recorder_checkpoint(drive->recorder, drive->sim, error) : status;
    drive->tally.cpu_s = drive->cpu_before + cn_cpu_clock() - drive->cpu_start;
    status = status == CN_OK ? cn_drive_meta_end(drive, how, error) : status;
    cn_status closed = cn_recorder_close(drive->recorder, status == CN_OK ? error : NULL);
    drive->recorder = NULL;
    return status == CN_OK ? closed : status;
}

int cn_drive_finish(cn_drive *drive, cn_status status, const cn_error *error) {
    cn_error closing = {.status = CN_OK};
    const cn_settings *settings = cn_model_settings(drive->model);
    int64_t step = cn_sim_step_index(drive->sim);
    bool done = step >= cn_steps_until(settings->until, settings->step);
    snprintf(drive->hash, sizeof drive->hash, "%016" PRIx64, cn_sim_hash(drive->sim));
    if (status != CN_OK) {
        // The state is that of the last good step, and worth keeping.
        cn_report_error(error);
        char *text = cn_text("failed: %s", error->message);
        cn_recorder_event(drive->recorder, step, cn_sim_time(drive->sim), text, NULL);
        cn_drive_close(drive, "failed", NULL);
        free(text);
        return CN_EXIT_FAILURE;
    }
    char hint[200];
    cn_tally_bottleneck(&drive->tally, settings->tolerance, hint, sizeof hint);
    if (done && hint[0]) {
        cn_recorder_event(drive->recorder, step, cn_sim_time(drive->sim), hint, NULL);
    }
    if (cn_drive_close(drive, done ? "done" : "interrupted", &closing) != CN_OK) {
        cn_report_error(&closing);
        return CN_EXIT_FAILURE;
    }
    if (!done) {
        return CN_EXIT_INTERRUPTED;
    }
    return cn_tally_is_good(&drive->tally) ? CN_EXIT_DONE : CN_EXIT_TOLERANCE;
}

int cn_drive_go(cn_drive *drive) {
    cn_error error = {.status = CN_OK};
    cn_status status = cn_drive_loop(drive, &error);
    int code = cn_drive_finish(drive, status, &error);
    if (code == CN_EXIT_INTERRUPTED) {
        cn_drive_say_interrupted(drive);
    }
    return code;
}

void cn_drive_say_interrupted(const cn_drive *drive) {
    cn_say(stderr, "cairn: interrupted at t = %g s, step %lld; to go on: cairn resume %s\n",
           cn_sim_time(drive->sim), (long long)cn_sim_step_index(drive->sim), drive->path);
}

void cn_drive_end(cn_drive *drive) {
    cn_run_checks_end(&drive->checks);
    for (int32_t i = 0; i < drive->warning_count; i++) {
        free(drive->warnings[i]);
    }
    free(drive->warnings);
    drive->warnings = NULL;
    drive->warning_count = 0;
    if (drive->recorder) {
        cn_recorder_close(drive->recorder, NULL);
    }
    cn_sim_destroy(drive->sim);
    cn_model_destroy(drive->model);
    cn_threads_destroy(drive->pool);
    drive->pool = NULL;
    drive->recorder = NULL;
    drive->sim = NULL;
    drive->model = NULL;
}
