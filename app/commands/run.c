// app/commands/run.c
// cairn run: a scene becomes a run file. cairn resume: a run file goes on from its last checkpoint.
#include "run/run_loop.h"
#include "support/file_kind.h"
#include "support/gallery.h"
#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct cn_run_job {
    const char *command;
    const char *input; // the scene, or the run file to be resumed
    const char *output;
    cn_override *overrides; // in the order of the command line: the last one wins
    int32_t override_count;
    int32_t threads;
    bool json, quiet, force, live, no_evidence;
    int32_t port;       // of the live page; 0: not given
    cn_env env;         // what the scene may use
    cn_word_list texts; // fresh memory behind overrides
} cn_run_job;

// ---- options ----

enum {
    CN_KEY_UNTIL = 256,
    CN_KEY_THREADS,
    CN_KEY_FRAMES,
    CN_KEY_TIME_LIMIT,
    CN_KEY_PLUGINS,
    CN_KEY_LIVE,
    CN_KEY_NO_EVIDENCE,
    CN_KEY_PORT,
    CN_KEY_SET
};

static const struct argp_option cn_run_options[] = {
    {"output", 'o', "RUN", 0,
     "Run file to write (default: the scene's name with .run, in the current folder)", 0},
    {"set", CN_KEY_SET, "PATH=VALUE", 0,
     "Put a value in place of the scene's, as solver.tolerance=1e-6 or "
     "generate.packing.count=80; may be repeated",
     0},
    {"until", CN_KEY_UNTIL, "T", 0, "When to end [s], instead of time.until", 0},
    CN_THREADS_OPTION(CN_KEY_THREADS, "solver.threads of the scene"),
    {"frames-every", CN_KEY_FRAMES, "DT", 0,
     "Simulated time between frames [s], 0: every step, instead of time.frames_every", 0},
    {"solver", 's', "NAME", 0, "Friction solver, instead of solver.name", 0},
    {"tol", 't', "E", 0, "Tolerance of a step's residual, instead of solver.tolerance", 0},
    {"time-limit", CN_KEY_TIME_LIMIT, "S", 0,
     "CPU seconds that a step may take: its solve ends in time with the best answer that it has; "
     "such a run cannot be reproduced",
     0},
    {"allow-plugins", CN_KEY_PLUGINS, NULL, 0,
     "Let the scene load shared libraries, which run code", 0},
    {"live", CN_KEY_LIVE, NULL, 0,
     "Serve a page in which the run can be watched and steered while it goes on; its address is "
     "printed on standard error",
     0},
    {"port", CN_KEY_PORT, "P", 0, "Port of that page (default 7351, or any other)", 0},
    {"no-evidence", CN_KEY_NO_EVIDENCE, NULL, 0,
     "Leave out of the run file what only cairn check needs of each frame's step: the file is "
     "smaller, and its check is incomplete",
     0},
    {"force", 'f', NULL, 0, "Replace an existing run file", 0},
    {"json", 'j', NULL, 0, "One JSON object on standard output at the end", 0},
    {"quiet", 'q', NULL, 0, "No progress and no report", 0},
    {0}};

static const struct argp_option cn_resume_options[] = {
    {"until", CN_KEY_UNTIL, "T", 0, "A new end [s]", 0},
    CN_THREADS_OPTION(CN_KEY_THREADS, "solver.threads of the scene"),
    {"allow-plugins", CN_KEY_PLUGINS, NULL, 0,
     "Let the run's scene load shared libraries, which run code", 0},
    {"json", 'j', NULL, 0, "One JSON object on standard output at the end", 0},
    {"quiet", 'q', NULL, 0, "No progress and no report", 0},
    {0}};

static void cn_run_override(cn_run_job *job, const char *path, const char *value) {
    job->overrides = cn_reallocate(job->overrides, job->override_count + 1, sizeof *job->overrides);
    job->overrides[job->override_count++] = (cn_override){path, value};
}

static void cn_run_set(cn_run_job *job, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        cn_usage_error(job->command, "--set wants path=value, not '%s'", text);
    }
    char *path = cn_text("%.*s", (int)(equals - text), text);
    cn_word_list_add(&job->texts, path);
    cn_run_override(job, path, equals + 1);
}

// A number that goes into the scene as it was written.
static void cn_run_number(cn_run_job *job, const char *option, const char *path, const char *value,
                          double min) {
    cn_parse_real(job->command, option, value, min, 1e300);
    cn_run_override(job, path, value);
}

static void cn_run_check_solver(const char *command, const char *name) {
    const char *names[64];
    int32_t count = cn_friction_solver_count() < 64 ? cn_friction_solver_count() : 64;
    for (int32_t i = 0; i < count; i++) {
        names[i] = cn_friction_solver_at(i)->info.name;
    }
    if (!cn_friction_solver_find(name)) {
        const char *near = cn_nearest_name(name, names, count);
        if (near) {
            cn_usage_error(command, "no friction solver '%s'; did you mean '%s'?", name, near);
        }
        cn_usage_error(command, "no friction solver '%s'; see cairn solvers", name);
    }
}

static void cn_run_take_input(cn_run_job *job, const char *word) {
    if (job->input) {
        cn_usage_error(job->command, "one file at a time, not also '%s'", word);
    }
    job->input = word;
}

static error_t cn_run_option(int key, char *value, struct argp_state *state) {
    cn_run_job *job = state->input;
    switch (key) {
    case 'o':
        job->output = value;
        break;
    case CN_KEY_SET:
        cn_run_set(job, value);
        break;
    case CN_KEY_UNTIL:
        cn_run_number(job, "--until", "time.until", value, 0.0);
        break;
    case CN_KEY_FRAMES:
        cn_run_number(job, "--frames-every", "time.frames_every", value, 0.0);
        break;
    case CN_KEY_TIME_LIMIT:
        cn_run_number(job, "--time-limit", "solver.time_limit", value, 0.0);
        break;
    case 't':
        cn_run_number(job, "--tol", "solver.tolerance", value, 0.0);
        break;
    case 's':
        cn_run_check_solver(job->command, value);
        cn_run_override(job, "solver.name", value);
        break;
    case CN_KEY_THREADS:
        job->threads = cn_parse_threads(job->command, value);
        break;
    case CN_KEY_PLUGINS:
        job->env.allow_plugins = true;
        break;
    case CN_KEY_NO_EVIDENCE:
        job->no_evidence = true;
        break;
    case CN_KEY_LIVE:
        job->live = true;
        break;
    case CN_KEY_PORT:
        job->port = (int32_t)cn_parse_int(job->command, "--port", value, 1, 65535);
        break;
    case 'f':
        job->force = true;
        break;
    case 'j':
        job->json = true;
        break;
    case 'q':
        job->quiet = true;
        break;
    case ARGP_KEY_ARG:
        cn_run_take_input(job, value);
        break;
    case ARGP_KEY_NO_ARGS:
        cn_usage_error(job->command, "no file given; see cairn %s --help", job->command);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_run_argp = {
    .options = cn_run_options,
    .parser = cn_run_option,
    .args_doc = "SCENE",
    .doc =
        "Simulate a scene file, or a scene of the gallery by its name, into a run file."
        "\vExit code 0: every step reached its tolerance; 3: some did not, or bodies passed "
        "through one another or penetrated beyond detection.penetration_limit; 1: the run failed; "
        "4: the scene is not valid; 130: interrupted after a checkpoint, to be taken up with "
        "cairn resume."};

static const struct argp cn_resume_argp = {
    .options = cn_resume_options,
    .parser = cn_run_option,
    .args_doc = "RUN",
    .doc = "Go on from the last checkpoint of a run file, bit for bit as if the run had never "
           "stopped, until the end that its scene says or a new one."};

// ---- running ----

// Where the run goes; refuses what must not be overwritten.
static char *cn_run_output(const cn_run_job *job, const char *scene) {
    char *stem = cn_path_stem(scene);
    char *path = job->output ? cn_text("%s", job->output) : cn_text("%s.run", stem);
    free(stem);
    struct stat old, input;
    if (stat(path, &old) == 0) {
        bool same =
            stat(scene, &input) == 0 && old.st_dev == input.st_dev && old.st_ino == input.st_ino;
        // A run that was killed before its first commit leaves an empty file.
        bool ours = S_ISREG(old.st_mode) && (old.st_size == 0 || cn_file_kind(path) == CN_FILE_RUN);
        if (same || !ours) {
            cn_usage_error("run", "%s exists and is not a run file; choose another with -o", path);
        }
        if (!job->force) {
            cn_usage_error("run", "%s exists already; choose another with -o, or --force", path);
        }
    }
    return path;
}

// The report or the JSON object, once a run has ended in whatever way.
static void cn_run_show(const cn_run_job *job, const cn_drive *drive, int code) {
    const cn_model *model = drive->model;
    int32_t bodies = cn_model_body_count(model);
    if (code != CN_EXIT_DONE && code != CN_EXIT_TOLERANCE) {
        return;
    }
    if (job->json) {
        cn_tally_names names = {.scene = cn_model_name(model),
                                .hash = drive->hash,
                                .run = drive->path,
                                .bodies = bodies,
                                .warnings = drive->warnings,
                                .warning_count = drive->warning_count};
        cn_tally_print_json(&drive->tally, &names);
    } else if (!job->quiet) {
        const cn_settings *settings = cn_model_settings(drive->model);
        cn_print_safe(stdout, cn_model_name(model));
        printf(": %d bodies in %dD, %lld steps of %g s to t = %g s\n", (int)bodies,
               (int)cn_model_dim(model), (long long)drive->tally.steps, settings->step,
               drive->tally.t_end);
        cn_tally_print(&drive->tally, settings->tolerance, drive->hash);
        printf("  written to          ");
        cn_print_safe(stdout, drive->path);
        putchar('\n');
    }
}

static void cn_run_job_free(cn_run_job *job) {
    for (int32_t i = 0; i < job->texts.count; i++) {
        free((char *)job->texts.words[i]);
    }
    free(job->texts.words);
    free(job->overrides);
}

// Until the end, with a page to watch it if that is wanted.
static int cn_run_go(const cn_run_job *job, cn_drive *drive) {
    if (!job->live) {
        return cn_drive_go(drive);
    }
    cn_view_live live = {.speed = 0.0, .save = drive->path, .out = stderr};
    cn_server_options server = {.command = "cairn run --live", .port = job->port, .ends = true};
    return cn_view_drive(drive, &live, &server);
}

int cn_command_run(int argc, char **argv) {
    cn_run_job job = {
        .command = "run", .threads = cn_threads_wanted("run"), .env = cn_env_default()};
    cn_parse_arguments(&cn_run_argp, argc, argv, &job);
    // A name of the gallery stands for its scene, unless there is a file of that name.
    char *gallery = access(job.input, F_OK) == 0 ? NULL : cn_gallery_path(job.input);
    const char *scene = gallery ? gallery : job.input;
    char *path = cn_run_output(&job, scene);
    cn_drive drive = {.path = path,
                      .quiet = job.quiet || job.json,
                      .warns = !job.quiet,
                      .threads = job.threads,
                      .no_evidence = job.no_evidence};
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    int code;
    cn_interrupt_catch();
    job.env.cancel = cn_interrupt_poll;
    if (cn_scene_read(&job.env, scene, job.overrides, job.override_count, &model, &error) !=
        CN_OK) {
        code = cn_report_error(&error);
    } else if ((code = cn_drive_create(&drive, model, job.force)) == CN_EXIT_DONE) {
        code = cn_run_go(&job, &drive);
        cn_run_show(&job, &drive, code);
        cn_drive_end(&drive);
    }
    free(path);
    free(gallery);
    cn_run_job_free(&job);
    return code;
}

int cn_command_resume(int argc, char **argv) {
    cn_run_job job = {
        .command = "resume", .threads = cn_threads_wanted("resume"), .env = cn_env_default()};
    cn_parse_arguments(&cn_resume_argp, argc, argv, &job);
    cn_drive drive = {.path = job.input,
                      .quiet = job.quiet || job.json,
                      .warns = !job.quiet,
                      .threads = job.threads,
                      .allow_plugins = job.env.allow_plugins};
    cn_interrupt_catch();
    int code = cn_drive_resume(&drive, job.overrides, job.override_count);
    if (code == CN_EXIT_DONE) {
        code = cn_drive_go(&drive);
        cn_run_show(&job, &drive, code);
        cn_drive_end(&drive);
    }
    cn_run_job_free(&job);
    return code;
}
