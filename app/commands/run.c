// app/commands/run.c
// cairn run: a scene becomes a run file. cairn resume: a run file goes on from its last checkpoint.
#include "run/run_loop.h"
#include "run/watch.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct run_job {
    const char *command;
    const char *input; // the scene, or the run file to be resumed
    const char *output;
    cn_override *overrides; // in the order of the command line: the last one wins
    int32_t override_count;
    int32_t threads;
    bool json, quiet, force, live, no_evidence, watch, at_rest;
    int32_t port;    // of the live page; 0: not given
    cn_env env;      // what the scene may use
    word_list texts; // fresh memory behind overrides
} run_job;

// ---- options ----

static void run_override(run_job *job, const char *path, const char *value) {
    job->overrides = reallocate(job->overrides, job->override_count + 1, sizeof *job->overrides);
    job->overrides[job->override_count++] = (cn_override){path, value};
}

static void run_set(void *user, const char *command, const command_option *option, char *text) {
    run_job *job = user;
    const char *equals = strchr(text, '=');
    (void)option;
    if (!equals || equals == text) {
        usage_error(command, "--set wants path=value, not '%s'", text);
    }
    char *path = format_text("%.*s", (int)(equals - text), text);
    word_list_add(&job->texts, path);
    run_override(job, path, equals + 1);
}

// A number that goes into the scene as it was written.
static void run_number(void *job, const char *command, const command_option *option, char *text) {
    char name[32];
    snprintf(name, sizeof name, "--%s", option->name);
    parse_real(command, name, text, option->min, REAL_MAX);
    run_override(job, option->path, text);
}
#define TO_SCENE_NUMBER(path, min) OPTION_TAKEN, 0, min, REAL_MAX, run_number, path

static void run_solver(void *job, const char *command, const command_option *option, char *name) {
    const char *names[64];
    int32_t count = cn_friction_solver_count() < 64 ? cn_friction_solver_count() : 64;
    for (int32_t i = 0; i < count; i++) {
        names[i] = cn_friction_solver_at(i)->info.name;
    }
    if (!cn_friction_solver_find(name)) {
        const char *near = cn_nearest_name(name, names, count);
        if (near) {
            usage_error(command, "no friction solver '%s'; did you mean '%s'?", name, near);
        }
        usage_error(command, "no friction solver '%s'; see cairn solvers", name);
    }
    run_override(job, option->path, name);
}

// Paths on the command line are relative to the current folder, those of a scene to the scene's.
static void run_plugin(void *user, const char *command, const command_option *option, char *text) {
    run_job *job = user;
    char *whole = realpath(text, NULL);
    if (!whole) {
        usage_error(command, "--plugin %s: %s", text, strerror(errno));
    }
    word_list_add(&job->texts, whole);
    run_override(job, option->path, whole);
}

static const command_option run_options[] = {
    {"output", 'o', "RUN",
     "Run file to write (default: the name of the scene's file with .run instead of its ending, "
     "in the current folder; stdin.run for -)",
     TO_TEXT(run_job, output)},
    {"set", 0, "PATH=VALUE",
     "Replace a value of the scene, as solver.tolerance=1e-6 or "
     "generate.packing.count=80; may be repeated",
     TO_FUNCTION(run_set)},
    {"until", 0, "T", "When to end [s], instead of time.until",
     TO_SCENE_NUMBER("time.until", REAL_ABOVE_0)},
    THREADS_OPTION(run_job, "solver.threads of the scene"),
    {"frames-every", 0, "DT",
     "Simulated time between frames [s], 0: every step, instead of time.frames_every",
     TO_SCENE_NUMBER("time.frames_every", 0.0)},
    {"solver", 's', "NAME", "Friction solver, instead of solver.name", OPTION_TAKEN, 0, 0.0, 0.0,
     run_solver, "solver.name"},
    {"tol", 't', "E", "Tolerance of a step's residual, instead of solver.tolerance",
     TO_SCENE_NUMBER("solver.tolerance", REAL_ABOVE_0)},
    {"time-limit", 0, "S",
     "CPU seconds that a step may take: its solve ends in time with the best answer that it has; "
     "such a run cannot be reproduced",
     TO_SCENE_NUMBER("solver.time_limit", 0.0)},
    {"wall-limit", 0, "S", "The same by the wall clock, whatever else the machine does",
     TO_SCENE_NUMBER("solver.wall_limit", 0.0)},
    {"plugin", 0, "FILE", "A solver of your own, as a shared library; needs --allow-plugins",
     OPTION_TAKEN, 0, 0.0, 0.0, run_plugin, "solver.plugin"},
    {"allow-plugins", 0, NULL, "Let the scene load shared libraries, which run code",
     TO_SET(run_job, env.allow_plugins)},
    {"live", 0, NULL,
     "Serve a page in which the run can be watched and steered while it goes on; its address is "
     "printed on standard error",
     TO_SET(run_job, live)},
    {"port", 0, "P", "Port of that page (default 7351, or any other)",
     TO_INT(run_job, port, 1, 65535)},
    {"no-evidence", 0, NULL,
     "Leave out of the run file what only cairn check needs of each frame's step: the file is "
     "smaller, and its check is incomplete",
     TO_SET(run_job, no_evidence)},
    {"watch", 0, NULL,
     "Run again whenever the scene or a file beside it that it may include is saved, until Ctrl-C",
     TO_SET(run_job, watch)},
    {"force", 'f', NULL, "Replace an existing run file", TO_SET(run_job, force)},
    {"json", 'j', NULL, "One JSON object on standard output at the end", TO_SET(run_job, json)},
    {"quiet", 'q', NULL, "No progress and no report", TO_SET(run_job, quiet)},
    {0}};

static const command_option resume_options[] = {
    {"until", 0, "T", "A new end [s]", TO_SCENE_NUMBER("time.until", REAL_ABOVE_0)},
    THREADS_OPTION(run_job, "solver.threads of the scene"),
    {"allow-plugins", 0, NULL, "Let the run's scene load shared libraries, which run code",
     TO_SET(run_job, env.allow_plugins)},
    {"at-rest", 0, NULL, "Set all velocities to zero first", TO_SET(run_job, at_rest)},
    {"json", 'j', NULL, "One JSON object on standard output at the end", TO_SET(run_job, json)},
    {"quiet", 'q', NULL, "No progress and no report", TO_SET(run_job, quiet)},
    {0}};

static const command_line run_line = {
    .options = run_options,
    .args_doc = "SCENE",
    ONE_ARGUMENT(run_job, input, "one file at a time, not also '%s'"),
    .missing = "no file given; see cairn run --help",
    .doc =
        "Simulate a scene file, a scene of the gallery by its name, or - for a scene on standard "
        "input, into a run file."
        "\vExit code 0: every step reached its tolerance; 3: some did not, or bodies passed "
        "through one another or penetrated beyond detection.penetration_limit; 1: the run failed; "
        "4: the scene is not valid; 130: interrupted after a checkpoint, to be taken up with "
        "cairn resume."};

static const command_line resume_line = {
    .options = resume_options,
    .args_doc = "RUN",
    ONE_ARGUMENT(run_job, input, "one file at a time, not also '%s'"),
    .missing = "no file given; see cairn resume --help",
    .doc = "Go on from the last checkpoint of a run file, bitwise identical to a run that "
           "never stopped, until the end that its scene says or a new one."};

// ---- running ----

// Where the run goes; refuses what must not be overwritten.
static char *run_output(const run_job *job, const char *scene) {
    char *stem = path_stem(scene);
    char *path = job->output ? format_text("%s", job->output) : format_text("%s.run", stem);
    free(stem);
    struct stat old, input;
    if (stat(path, &old) == 0) {
        bool same =
            stat(scene, &input) == 0 && old.st_dev == input.st_dev && old.st_ino == input.st_ino;
        // A run that was killed before its first commit leaves an empty file.
        bool ours = S_ISREG(old.st_mode) && (old.st_size == 0 || file_kind(path) == FILE_RUN);
        if (same || !ours) {
            usage_error("run", "%s exists and is not a run file; choose another with -o", path);
        }
        if (!job->force) {
            usage_error("run", "%s exists already; choose another with -o, or --force", path);
        }
    }
    return path;
}

// The report or the JSON object, once a run has ended in whatever way.
static void run_view(const run_job *job, const run_loop *loop, int code) {
    const cn_model *model = loop->model;
    int32_t bodies = cn_model_body_count(model);
    if (code != EXIT_DONE && code != EXIT_TOLERANCE) {
        return;
    }
    if (job->json) {
        run_summary_names names = {.scene = cn_model_name(model),
                                   .hash = loop->hash,
                                   .run = loop->path,
                                   .bodies = bodies,
                                   .warnings = loop->warnings,
                                   .warning_count = loop->warning_count};
        run_summary_print_json(&loop->summary, &names);
    } else if (!job->quiet) {
        const cn_settings *settings = cn_model_settings(loop->model);
        char *head =
            format_text("%s: %d bodies in %dD, %lld steps of %g s to t = %g s",
                        cn_model_name(model), (int)bodies, (int)cn_model_dim(model),
                        (long long)loop->summary.steps, settings->step, loop->summary.t_end);
        print_wrapped(stdout, "", 0, head);
        free(head);
        run_summary_print(&loop->summary, settings->tolerance, loop->hash);
        printf("  written to          ");
        print_safe(stdout, loop->path);
        putchar('\n');
    }
}

static void run_job_free(run_job *job) {
    for (int32_t i = 0; i < job->texts.count; i++) {
        free((char *)job->texts.words[i]);
    }
    free(job->texts.words);
    free(job->overrides);
}

// Until the end, with a page to watch it if that is wanted.
static int run_scene(const run_job *job, run_loop *loop) {
    if (!job->live) {
        return run_loop_run(loop);
    }
    view_live live = {.speed = 0.0, .save = loop->path, .out = stderr};
    server_options server = {.command = "cairn run --live", .port = job->port, .ends = true};
    return view_run_loop(loop, &live, &server);
}

// ---- the edit-run loop ----

#define LOOK_EVERY 0.3 // [s] between two looks at the scene's folder while it runs

typedef struct scene_watch {
    run_loop *loop;
    const char *scene;
    uint64_t stamp;
    double looked_at; // [s]
} scene_watch;

// A run_loop_fn: the run of a scene that has changed is of no use any more.
static void watch_step(void *user, const cn_sim *sim, const cn_step_report *report) {
    scene_watch *watch = user;
    double now = wall_clock();
    (void)sim;
    (void)report;
    if (now - watch->looked_at > LOOK_EVERY) {
        watch->looked_at = now;
        atomic_store(&watch->loop->leave, scene_stamp(watch->scene) != watch->stamp);
    }
}

// The text of standard input, to be freed.
static char *read_input(size_t *size) {
    char *text = NULL;
    size_t capacity = 0, got = 1;
    for (*size = 0; got > 0; *size += got) {
        if (capacity - *size < 4096) {
            capacity = 2 * capacity + 65536;
            text = reallocate(text, (int64_t)capacity, 1);
        }
        got = fread(text + *size, 1, capacity - *size, stdin);
    }
    return text;
}

// The loop of one run of the scene; with --watch it looks at the scene's files.
static int run_open(run_job *job, const char *path, scene_watch *watch) {
    const char *scene = watch->scene;
    run_loop *loop = watch->loop;
    *loop = (run_loop){.path = path,
                       .quiet = job->quiet || job->json,
                       .warns = !job->quiet,
                       .threads = job->threads,
                       .no_evidence = job->no_evidence};
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    if (job->watch) {
        loop->watch = watch_step;
        loop->watch_user = watch;
    }
    bool typed = strcmp(job->input, "-") == 0;
    size_t size = 0;
    char *text = typed ? read_input(&size) : NULL;
    cn_status status = typed ? cn_scene_read_text(&job->env, scene, text, size, job->overrides,
                                                  job->override_count, &model, &error)
                             : cn_scene_read(&job->env, scene, job->overrides, job->override_count,
                                             &model, &error);
    free(text);
    return status == CN_OK ? run_loop_create(loop, model, job->watch || job->force)
                           : report_error(&error);
}

int command_run(int argc, char **argv) {
    run_job job = {.command = "run", .threads = threads_wanted("run"), .env = cn_env_default()};
    parse_arguments(&run_line, argc, argv, &job);
    bool typed = strcmp(job.input, "-") == 0;
    if (job.watch && (typed || job.live)) {
        usage_error("run", "--watch does not go with %s", typed ? "standard input" : "--live");
    }
    char *gallery = NULL;
    const char *scene = typed ? "stdin" : file_or_gallery(job.input, &gallery);
    int code = typed ? EXIT_DONE : file_refuse(scene, FILE_SCENE);
    if (code != EXIT_DONE) {
        return code;
    }
    char *path = run_output(&job, scene);
    interrupt_catch();
    job.env.cancel = interrupt_poll;
    // With --watch the scene runs again whenever its files change.
    bool again = true;
    while (again) {
        run_loop loop;
        scene_watch watch = {.loop = &loop, .scene = scene};
        watch.stamp = job.watch ? scene_stamp(scene) : 0;
        code = run_open(&job, path, &watch);
        if (code == EXIT_DONE) {
            code = run_scene(&job, &loop);
            run_view(&job, &loop, code);
            run_loop_end(&loop);
        }
        if (job.watch && !job.quiet && !interrupted()) {
            print_format(stderr, "%s: watched for changes; Ctrl-C ends it\n", scene);
        }
        fflush(stdout);
        again = job.watch && scene_wait(scene, watch.stamp);
    }
    code = job.watch && code != EXIT_INTERRUPTED ? EXIT_DONE : code;
    free(path);
    free(gallery);
    run_job_free(&job);
    return code;
}

int command_resume(int argc, char **argv) {
    run_job job = {
        .command = "resume", .threads = threads_wanted("resume"), .env = cn_env_default()};
    parse_arguments(&resume_line, argc, argv, &job);
    run_loop loop = {.path = job.input,
                     .quiet = job.quiet || job.json,
                     .warns = !job.quiet,
                     .threads = job.threads,
                     .allow_plugins = job.env.allow_plugins,
                     .at_rest = job.at_rest};
    interrupt_catch();
    int code = file_refuse(job.input, FILE_RUN);
    code = code == EXIT_DONE ? run_loop_resume(&loop, job.overrides, job.override_count) : code;
    if (code == EXIT_DONE) {
        run_loop_print_complete(&loop);
        code = run_loop_run(&loop);
        run_view(&job, &loop, code);
        run_loop_end(&loop);
    }
    run_job_free(&job);
    return code;
}
