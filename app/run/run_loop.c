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
#define GRID_SLACK 1e-6
#define STEP_LONG 0.05 // [s] a step that takes longer is left when somebody wants something else

bool is_due(int64_t step, double h, double every) {
    double ratio = every / h;
    if (!(ratio > 1.0)) {
        return true;
    }
    return floor(((double)step + GRID_SLACK) / ratio) >
           floor(((double)step - 1.0 + GRID_SLACK) / ratio);
}

int64_t steps_until(double t, double h) {
    return (int64_t)ceil(t / h - GRID_SLACK);
}

// ---- what goes to meta ----

static void time_text(char text[32]) {
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

typedef struct meta_entry {
    const char *key, *value; // value NULL: left out
} meta_entry;

static cn_status run_loop_meta(run_loop *loop, const meta_entry *list, size_t count,
                               cn_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (list[i].value) {
            CN_TRY(cn_recorder_meta(loop->recorder, list[i].key, list[i].value, error));
        }
    }
    return CN_OK;
}

static int32_t run_loop_threads(const run_loop *loop) {
    int32_t own = cn_model_settings(loop->model)->threads;
    return loop->threads > 0 ? loop->threads : (own > 0 ? own : 1);
}

static cn_status run_loop_meta_start(run_loop *loop, cn_error *error) {
    char now[32], threads[16], tolerance[32];
    const cn_settings *settings = cn_model_settings(loop->model);
    bool limited = settings->time_limit > 0.0 || settings->wall_limit > 0.0;
    time_text(now);
    snprintf(threads, sizeof threads, "%d", (int)run_loop_threads(loop));
    snprintf(tolerance, sizeof tolerance, "%.17g", cn_model_settings(loop->model)->tolerance);
    // Runs draw no random numbers; generators have their seeds in the scene's text.
    const meta_entry list[] = {
        {"git_hash", GIT_HASH},
        {"flags", BUILD_FLAGS},
        {"seed", "none"},
        {"threads", threads},
        {"tolerance", tolerance},
        {"started", now},
        {"status", "running"},
        {"irreproducible", limited ? "a time limit per step was set" : NULL}};
    return run_loop_meta(loop, list, sizeof list / sizeof list[0], error);
}

static cn_status run_loop_meta_end(run_loop *loop, const char *how, cn_error *error) {
    char now[32], cpu[32], others[32];
    time_text(now);
    snprintf(cpu, sizeof cpu, "%.6g", loop->summary.cpu_s);
    snprintf(others, sizeof others, "%.6g", loop->summary.cpu_others);
    const meta_entry list[] = {{"ended", now},
                               {"status", how},
                               {"state_hash", loop->hash},
                               {"cpu_s", cpu},
                               {"cpu_others_s", loop->summary.cpu_others > 0.0 ? others : NULL}};
    return run_loop_meta(loop, list, sizeof list / sizeof list[0], error);
}

// ---- beginning ----

static int run_loop_refuse(run_loop *loop, const cn_error *error) {
    int code = report_error(error);
    run_loop_end(loop);
    return code;
}

// A cn_cancel_fn.
static bool run_loop_poll(void *user) {
    const run_loop *loop = user;
    return interrupted() || (atomic_load_explicit(&loop->leave, memory_order_relaxed) &&
                             wall_clock() - loop->step_start > STEP_LONG);
}

// The simulation of the run loop's model, with its threads.
static cn_status run_loop_sim(run_loop *loop, cn_error *error) {
    cn_env env = env_with_threads(loop->threads);
    env.cancel = run_loop_poll;
    env.cancel_user = loop;
    loop->pool = env.threads;
    return cn_sim_create(loop->model, &env, &loop->sim, error);
}

// ---- warnings ----

// The bonds that are broken already; NULL without memory, which the first break reports.
static void run_loop_bonds_start(run_loop *loop) {
    int32_t count = cn_sim_bond_count(loop->sim);
    free(loop->bond_broken);
    loop->bond_broken = ALLOCATE(bool, count + 1);
    loop->bonds_broken = 0;
    for (int32_t i = 0; loop->bond_broken && i < count; i++) {
        cn_bond_record bond;
        cn_sim_bond(loop->sim, i, &bond);
        loop->bond_broken[i] = bond.damage >= 1.0;
        loop->bonds_broken += loop->bond_broken[i];
    }
}

// To standard error, to the run file's events, to the list that the report ends with.
static cn_status run_loop_warn(run_loop *loop, const cn_error *warning, cn_error *error) {
    char shown[1200];
    cn_error marked = *warning;
    snprintf(marked.message, sizeof marked.message, WARNING_TEXT "%.490s", warning->message);
    cn_error_format(&marked, shown, sizeof shown);
    if (loop->warns) {
        print_safe(stderr, shown);
        fputc('\n', stderr);
    }
    loop->warnings = reallocate(loop->warnings, loop->warning_count + 1, sizeof(char *));
    loop->warnings[loop->warning_count++] = format_text("%s", shown);
    int64_t step = cn_sim_step_index(loop->sim);
    double t = cn_sim_time(loop->sim);
    if (loop->note) {
        loop->note(loop->note_user, step, t, shown);
    }
    return cn_recorder_event(loop->recorder, step, t, shown, error);
}

static cn_status run_loop_warn_of_model(run_loop *loop, cn_error *error) {
    for (int32_t i = 0; i < cn_model_warning_count(loop->model); i++) {
        CN_TRY(run_loop_warn(loop, cn_model_warning(loop->model, i), error));
    }
    return CN_OK;
}

// What there is of a run whose beginning could not be written.
static void run_loop_remove(const char *path) {
    const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char name[4096];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if ((size_t)snprintf(name, sizeof name, "%s%s", path, endings[i]) < sizeof name) {
            remove(name);
        }
    }
}

// A run file that has no frame yet is of no use. It goes when the program ends early, as it does
// where there is no memory.
static const char *begun_file;

static void begun_file_remove(void) {
    if (begun_file) {
        run_loop_remove(begun_file);
    }
}

static void begin_file(const char *path) {
    static bool registered;
    if (!registered) {
        atexit(begun_file_remove);
        registered = true;
    }
    begun_file = path;
}

int run_loop_create(run_loop *loop, cn_model *model, bool overwrite) {
    cn_error error = {.status = CN_OK};
    loop->model = model;
    loop->cpu_start = cpu_clock();
    if (run_loop_sim(loop, &error) != CN_OK) {
        return run_loop_refuse(loop, &error);
    }
    double kinetic, potential;
    cn_sim_energy(loop->sim, &kinetic, &potential);
    loop->summary = run_summary_start(kinetic + potential);
    loop->summary.kinetic_final = kinetic;
    if (cn_recorder_create(NULL, loop->path, overwrite, loop->sim, &loop->recorder, &error) !=
        CN_OK) {
        run_loop_refuse(loop, &error);
        return EXIT_FAILED;
    }
    begin_file(loop->path);
    run_checks_start(&loop->checks, loop->model, loop->sim);
    run_loop_bonds_start(loop);
    if (run_loop_meta_start(loop, &error) != CN_OK ||
        (loop->no_evidence && cn_recorder_evidence(loop->recorder, false, &error) != CN_OK) ||
        run_loop_warn_of_model(loop, &error) != CN_OK ||
        cn_recorder_frame(loop->recorder, loop->sim, &error) != CN_OK ||
        cn_recorder_flush(loop->recorder, &error) != CN_OK) {
        run_loop_refuse(loop, &error);
        run_loop_remove(loop->path);
        begun_file = NULL;
        return EXIT_FAILED;
    }
    begun_file = NULL;
    return EXIT_DONE;
}

// What was done up to the checkpoint that the sim now stands on.
static cn_status run_loop_recount(run_loop *loop, cn_error *error) {
    cn_run *run;
    cn_status status = cn_run_open(NULL, loop->path, &run, error);
    if (status == CN_OK) {
        status = run_summary_read(run, &loop->summary, error);
        loop->cpu_before = loop->summary.cpu_s;
        cn_run_close(run);
    }
    return status;
}

static cn_status run_loop_note_resumption(run_loop *loop, cn_error *error) {
    char now[32];
    int64_t step = cn_sim_step_index(loop->sim);
    time_text(now);
    char *text = format_text("resumed at %s by cairn %s", now, cn_version());
    const meta_entry list[] = {{"scene", cn_model_scene_text(loop->model)}, {"status", "running"}};
    cn_status status = cn_recorder_event(loop->recorder, step, cn_sim_time(loop->sim), text, error);
    if (status == CN_OK) {
        status = run_loop_meta(loop, list, 2, error);
    }
    // A commit: what was dropped after the checkpoint is gone, and the file says that it runs.
    if (status == CN_OK) {
        status = cn_recorder_checkpoint(loop->recorder, loop->sim, error);
    }
    free(text);
    return status;
}

// A new end must not lie behind the checkpoint: what was simulated stays.
static cn_status run_loop_check_end(const run_loop *loop, cn_error *error) {
    double now = cn_sim_time(loop->sim), until = cn_model_settings(loop->model)->until;
    if (!(until < now - 0.5 * cn_model_settings(loop->model)->step)) {
        return CN_OK;
    }
    *error = (cn_error){.status = CN_ERR_ARGUMENT};
    snprintf(error->file, sizeof error->file, "%s", loop->path);
    snprintf(error->message, sizeof error->message,
             "the run is at t = %g s already, and is to end at %g s", now, until);
    snprintf(error->hint, sizeof error->hint, "--until a later time");
    return CN_ERR_ARGUMENT;
}

static void run_loop_log(void *user __attribute__((unused)), cn_log_level level, const char *text) {
    if (level == CN_LOG_WARNING) {
        fputs("cairn: warning: ", stderr);
        print_safe(stderr, text);
        fputc('\n', stderr);
    }
}

// All velocities zero, in the run file too.
static cn_status run_loop_rest(run_loop *loop, cn_error *error) {
    cn_status status = cn_sim_rest(loop->sim, error);
    // The words are those of src/record/layout.h.
    status = status == CN_OK
                 ? cn_recorder_event(loop->recorder, cn_sim_step_index(loop->sim),
                                     cn_sim_time(loop->sim), "velocities were set to zero", error)
                 : status;
    return status == CN_OK ? cn_recorder_checkpoint(loop->recorder, loop->sim, error) : status;
}

int run_loop_resume(run_loop *loop, const cn_override *overrides, int32_t count) {
    cn_error error = {.status = CN_OK};
    cn_run *run = NULL;
    cn_env env = cn_env_default();
    env.allow_plugins = loop->allow_plugins;
    env.log = run_loop_log;
    loop->cpu_start = cpu_clock();
    cn_status status = cn_run_open(NULL, loop->path, &run, &error);
    status = status == CN_OK
                 ? run_model_in(&env, run, loop->path, overrides, count, &loop->model, &error)
                 : status;
    cn_run_close(run);
    bool readable = status == CN_OK;
    status = readable ? run_loop_sim(loop, &error) : status;
    status = status == CN_OK
                 ? cn_recorder_resume(&env, loop->path, loop->sim, &loop->recorder, &error)
                 : status;
    status = status == CN_OK ? run_loop_check_end(loop, &error) : status;
    status = status == CN_OK ? run_loop_note_resumption(loop, &error) : status;
    status = status == CN_OK && loop->at_rest ? run_loop_rest(loop, &error) : status;
    status = status == CN_OK ? run_loop_recount(loop, &error) : status;
    if (status == CN_OK) {
        run_checks_start(&loop->checks, loop->model, loop->sim);
        run_loop_bonds_start(loop);
    }
    if (status == CN_OK) {
        return EXIT_DONE;
    }
    int code = run_loop_refuse(loop, &error);
    return readable && status == CN_ERR_IO ? EXIT_FAILED : code; // the disk, not the file
}

// ---- going ----

static cn_status run_loop_event(run_loop *loop, const cn_step_report *report, char *text,
                                cn_error *error) {
    cn_status status = cn_recorder_event(loop->recorder, report->step, report->t, text, error);
    if (loop->note) {
        loop->note(loop->note_user, report->step, report->t, text);
    }
    free(text);
    return status;
}

static const char *run_loop_body_name(const run_loop *loop, cn_body_id id) {
    cn_body_info body;
    cn_model_body(loop->model, id, &body);
    return body.name;
}

// Once when it begins: such a contact may stay for thousands of steps, which the ledger counts.
static cn_status run_loop_paradox(run_loop *loop, const cn_step_report *report, cn_error *error) {
    bool before = loop->paradoxical;
    loop->paradoxical = report->paradoxes > 0;
    if (before || !loop->paradoxical) {
        return CN_OK;
    }
    return run_loop_event(
        loop, report,
        format_text("the contact of body %d (%s) on body %d (%s) may have no or several solutions "
                    "(Painleve): mu |W_NT| / W_NN = %.4g",
                    (int)report->paradox_candidate,
                    run_loop_body_name(loop, report->paradox_candidate),
                    (int)report->paradox_antagonist,
                    run_loop_body_name(loop, report->paradox_antagonist), report->paradox_ratio),
        error);
}

// Bodies too fast for the step: stopped without the bounce of their law, or not stopped at all.
static cn_status run_loop_fast_bodies(run_loop *loop, const cn_step_report *report,
                                      cn_error *error) {
    const struct {
        int32_t count;
        cn_body_id candidate, antagonist;
        const char *what, *between;
    } kinds[] = {{report->passed, report->passed_candidate, report->passed_antagonist, PASSED_TEXT,
                  "through"},
                 {report->limited, report->limited_candidate, report->limited_antagonist,
                  LIMITED_TEXT, "at"}};
    cn_status status = CN_OK;
    for (size_t i = 0; i < 2 && status == CN_OK; i++) {
        if (kinds[i].count == 0) {
            continue;
        }
        char *a = body_label(loop->model, kinds[i].candidate),
             *b = body_label(loop->model, kinds[i].antagonist);
        status = run_loop_event(loop, report,
                                format_text("%s%s %s %s; contacts in this step: %d", kinds[i].what,
                                            a, kinds[i].between, b, (int)kinds[i].count),
                                error);
        free(a);
        free(b);
    }
    return status;
}

// Each bond that broke in the step.
static cn_status run_loop_bonds(run_loop *loop, const cn_step_report *report, cn_error *error) {
    if (report->bonds_broken == loop->bonds_broken) {
        return CN_OK;
    }
    int32_t count = cn_sim_bond_count(loop->sim);
    cn_status status = loop->bond_broken ? CN_OK : error_memory(error);
    for (int32_t i = 0; status == CN_OK && i < count; i++) {
        cn_bond_record bond;
        cn_sim_bond(loop->sim, i, &bond);
        if (bond.damage < 1.0 || loop->bond_broken[i]) {
            continue;
        }
        char *a = body_label(loop->model, bond.candidate),
             *b = body_label(loop->model, bond.antagonist);
        loop->bond_broken[i] = true;
        status = run_loop_event(loop, report,
                                format_text("bond %d of %s and %s broke", (int)i + 1, a, b), error);
        free(a);
        free(b);
    }
    loop->bonds_broken = report->bonds_broken;
    return status;
}

// What a step's report says besides its numbers.
static cn_status run_loop_events(run_loop *loop, const cn_step_report *report, cn_error *error) {
    if (report->retries > 0) {
        CN_TRY(run_loop_event(loop, report,
                              format_text("retried %d times; the answer is that of %s",
                                          (int)report->retries, report->solver),
                              error));
    }
    if (report->halvings > 0) {
        CN_TRY(run_loop_event(loop, report,
                              format_text("the step was halved %d times", (int)report->halvings),
                              error));
    }
    if (report->outcome != CN_SOLVED) {
        CN_TRY(run_loop_event(loop, report,
                              format_text("not solved: %s after %d iterations of %s, residual %.3g",
                                          cn_outcome_text(report->outcome), (int)report->iterations,
                                          report->solver, report->residual),
                              error));
    }
    if (report->missed > 0) {
        CN_TRY(run_loop_event(
            loop, report,
            format_text("%d pairs overlap that had not been candidates: the alert distance is too "
                        "small",
                        (int)report->missed),
            error));
    }
    CN_TRY(run_loop_fast_bodies(loop, report, error));
    CN_TRY(run_loop_bonds(loop, report, error));
    return run_loop_paradox(loop, report, error);
}

typedef struct run_loop_check {
    run_loop *loop;
    const cn_step_report *report;
    cn_status status;
    cn_error *error;
} run_loop_check;

// What a check of the run found; place: of a warning, else it is an event.
static void run_loop_check_found(void *user, const cn_source *place, const char *text) {
    run_loop_check *check = user;
    if (check->status != CN_OK) {
        return;
    }
    if (!place) {
        check->status =
            run_loop_event(check->loop, check->report, format_text("%s", text), check->error);
        return;
    }
    cn_error warning = {.status = CN_OK, .line = place->line, .column = place->column};
    snprintf(warning.message, sizeof warning.message, "%s", text);
    snprintf(warning.file, sizeof warning.file, "%s",
             place->line > 0 && place->file ? place->file : "");
    check->status = run_loop_warn(check->loop, &warning, check->error);
}

// Records a step that was made.
static cn_status run_loop_record(run_loop *loop, const cn_step_report *report, bool last,
                                 bool *recorded, cn_error *error) {
    const cn_settings *settings = cn_model_settings(loop->model);
    double h = settings->step;
    cn_status status = cn_recorder_ledger(loop->recorder, report, error);
    if (status == CN_OK) {
        status = cn_recorder_columns(loop->recorder, loop->sim, error);
    }
    if (status == CN_OK) {
        status = run_loop_events(loop, report, error);
    }
    if (status == CN_OK) {
        run_loop_check check = {.loop = loop, .report = report, .error = error};
        int64_t before = loop->checks.deep;
        run_checks_step(&loop->checks, loop->sim, report, last, run_loop_check_found, &check);
        loop->summary.deep += loop->checks.deep - before;
        status = check.status;
    }
    *recorded = !loop->frameless && (last || is_due(report->step, h, settings->frames_every));
    if (status == CN_OK && *recorded) {
        status = cn_recorder_frame(loop->recorder, loop->sim, error);
    }
    if (status == CN_OK && !last && is_due(report->step, h, settings->checkpoint_every)) {
        status = cn_recorder_checkpoint(loop->recorder, loop->sim, error);
    }
    return status;
}

static void run_loop_show_progress(progress_line *line, const cn_step_report *report,
                                   int64_t last) {
    char stage[64];
    snprintf(stage, sizeof stage, "t = %.4g s, %d contacts", report->t, (int)report->contacts);
    cn_progress progress = {
        .stage = stage, .done = report->step, .total = last, .residual = report->residual};
    progress_step(line, &progress);
}

// CPU time of the threads besides this one [s]; not asked for where there are none, since the
// clocks take as long as a small step.
static double run_loop_others(const run_loop *loop) {
    return run_loop_threads(loop) > 1 ? cpu_clock() - thread_clock() : 0.0;
}

cn_status run_loop_step(run_loop *loop, bool last, cn_step_report *report, bool *recorded,
                        cn_error *error) {
    *recorded = false;
    loop->step_start = wall_clock();
    double others = run_loop_others(loop);
    cn_status status = cn_sim_step(loop->sim, report, error);
    CN_TRY(status);
    run_summary_add(&loop->summary, report);
    status = run_loop_record(loop, report, last, recorded, error);
    loop->summary.cpu_others += run_loop_others(loop) - others;
    if (loop->watch) {
        loop->watch(loop->watch_user, loop->sim, report);
    }
    return status;
}

// Steps until the end, Ctrl-C or an error.
static cn_status run_loop_steps(run_loop *loop, cn_error *error) {
    const cn_settings *settings = cn_model_settings(loop->model);
    int64_t last = steps_until(settings->until, settings->step);
    progress_line line = progress_start(cn_model_name(loop->model), !loop->quiet);
    line.first = cn_sim_step_index(loop->sim);
    line.reached = true;
    cn_status status = CN_OK;
    while (status == CN_OK && cn_sim_step_index(loop->sim) < last && !interrupted() &&
           !atomic_load_explicit(&loop->leave, memory_order_relaxed)) {
        cn_step_report report;
        bool recorded;
        status = run_loop_step(loop, cn_sim_step_index(loop->sim) + 1 >= last, &report, &recorded,
                               error);
        if (status == CN_OK) {
            run_loop_show_progress(&line, &report, last);
        }
    }
    progress_finish(&line);
    return status == CN_ERR_CANCELLED ? CN_OK : status;
}

// What was counted and not named.
static cn_status run_loop_count_rest(run_loop *loop, cn_error *error) {
    cn_status status = CN_OK;
    if (loop->checks.deep > NAMED_MAX) {
        char *text = format_text(DEEP_TEXT "%lld more pairs of bodies",
                                 (long long)(loop->checks.deep - NAMED_MAX));
        status = cn_recorder_event(loop->recorder, cn_sim_step_index(loop->sim),
                                   cn_sim_time(loop->sim), text, error);
        free(text);
    }
    if (status == CN_OK && loop->checks.fallen > NAMED_MAX) {
        cn_error warning = {.status = CN_OK};
        snprintf(warning.message, sizeof warning.message,
                 "%lld more bodies have been in free fall below everything else",
                 (long long)(loop->checks.fallen - NAMED_MAX));
        status = run_loop_warn(loop, &warning, error);
    }
    return status;
}

// The last checkpoint and the end of the file. how: what the run came to.
static cn_status run_loop_close(run_loop *loop, const char *how, cn_error *error) {
    cn_status status = run_loop_count_rest(loop, error);
    if (status == CN_OK) {
        status = cn_recorder_checkpoint(loop->recorder, loop->sim, error);
    }
    loop->summary.cpu_s = loop->cpu_before + cpu_clock() - loop->cpu_start;
    if (status == CN_OK) {
        status = run_loop_meta_end(loop, how, error);
    }
    cn_status closed = cn_recorder_close(loop->recorder, status == CN_OK ? error : NULL);
    loop->recorder = NULL;
    CN_TRY(status);
    return closed;
}

int run_loop_finish(run_loop *loop, cn_status status, const cn_error *error) {
    cn_error closing = {.status = CN_OK};
    const cn_settings *settings = cn_model_settings(loop->model);
    int64_t step = cn_sim_step_index(loop->sim);
    bool done = step >= steps_until(settings->until, settings->step);
    snprintf(loop->hash, sizeof loop->hash, "%016" PRIx64, cn_sim_hash(loop->sim));
    if (status != CN_OK) {
        // The state is that of the last good step, and worth keeping.
        report_error(error);
        char *text = format_text("failed: %s", error->message);
        cn_recorder_event(loop->recorder, step, cn_sim_time(loop->sim), text, NULL);
        run_loop_close(loop, "failed", NULL);
        free(text);
        return EXIT_FAILED;
    }
    char hint[200];
    run_summary_bottleneck(&loop->summary, settings->tolerance, hint, sizeof hint);
    if (done && hint[0]) {
        cn_recorder_event(loop->recorder, step, cn_sim_time(loop->sim), hint, NULL);
    }
    if (run_loop_close(loop, done ? "done" : "interrupted", &closing) != CN_OK) {
        report_error(&closing);
        return EXIT_FAILED;
    }
    if (!done) {
        return EXIT_INTERRUPTED;
    }
    return run_summary_is_good(&loop->summary) ? EXIT_DONE : EXIT_TOLERANCE;
}

int run_loop_run(run_loop *loop) {
    cn_error error = {.status = CN_OK};
    cn_status status = run_loop_steps(loop, &error);
    int code = run_loop_finish(loop, status, &error);
    if (code == EXIT_INTERRUPTED && interrupted()) {
        run_loop_print_interrupted(loop);
    }
    return code;
}

void run_loop_print_interrupted(const run_loop *loop) {
    print_format(stderr, "cairn: interrupted at t = %g s, step %lld; to go on: cairn resume %s\n",
                 cn_sim_time(loop->sim), (long long)cn_sim_step_index(loop->sim), loop->path);
}

void run_loop_print_complete(const run_loop *loop) {
    const cn_settings *settings = cn_model_settings(loop->model);
    int64_t step = cn_sim_step_index(loop->sim);
    if (loop->warns && !loop->at_rest && step >= steps_until(settings->until, settings->step)) {
        print_format(stderr,
                     "cairn: %s is complete, at t = %g s: nothing was left to do; to go on: "
                     "--until a later time\n",
                     loop->path, cn_sim_time(loop->sim));
    }
}

void run_loop_end(run_loop *loop) {
    run_checks_end(&loop->checks);
    for (int32_t i = 0; i < loop->warning_count; i++) {
        free(loop->warnings[i]);
    }
    free(loop->warnings);
    free(loop->bond_broken);
    loop->warnings = NULL;
    loop->warning_count = 0;
    if (loop->recorder) {
        cn_recorder_close(loop->recorder, NULL);
    }
    cn_sim_destroy(loop->sim);
    cn_model_destroy(loop->model);
    cn_threads_destroy(loop->pool);
    loop->pool = NULL;
    loop->recorder = NULL;
    loop->sim = NULL;
    loop->model = NULL;
}
