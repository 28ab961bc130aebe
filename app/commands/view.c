// app/commands/view.c
// cairn view: a run file as a replay in the browser, or a scene as a live run that can be steered.
#include "web/view.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/gallery.h"
#include "support/progress.h"
#include "support/support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct view_job {
    const char *input, *output;
    double speed;
    server_options server;
} view_job;

static const command_option view_options[] = {
    {"port", 0, "P", "Port to listen on (default 7351, or any other when that is taken)",
     TO_INT(view_job, server.port, 1, 65535)},
    {"no-browser", 0, NULL, "Only print the address, open no browser",
     TO_CLEAR(view_job, server.browser)},
    {"address", 0, "A",
     "Listen on this address of the machine instead of loopback: others on the network who have "
     "the token can then look, and steer a live run; nothing is encrypted",
     TO_TEXT(view_job, server.address)},
    {"output", 'o', "RUN", "Live: keep the run in this file (default: it is not kept)",
     TO_TEXT(view_job, output)},
    {"speed", 0, "X",
     "Live: simulated seconds per second to start with, 0: as fast as it goes (default 1)",
     TO_REAL(view_job, speed, 0.0, 16.0)},
    {0}};

static const command_line view_line = {
    .options = view_options,
    .args_doc = "RUN|SCENE",
    ONE_ARGUMENT(view_job, input, "one file at a time, not also '%s'"),
    .missing = "no file given; see cairn view --help",
    .doc = "Show a run file in the browser, or simulate a scene (a file, or one of the gallery by "
           "its name) while looking at it and steering it."
           "\vThe page is served on this machine only, at an address with a random token. A live "
           "run goes on whether or not a page is open, and past the scene's end; Ctrl-C ends it."};

static int view_scene(const view_job *job, const char *scene, const char *run) {
    run_loop loop = {.path = run, .quiet = true};
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    if (cn_scene_read(NULL, scene, NULL, 0, &model, &error) != CN_OK) {
        return report_error(&error);
    }
    int code = run_loop_create(&loop, model, false);
    if (code == EXIT_DONE) {
        view_live live = {.speed = job->speed, .endless = true, .save = job->output, .out = stdout};
        code = view_run_loop(&loop, &live, &job->server);
        run_loop_end(&loop);
    }
    return code == EXIT_INTERRUPTED ? EXIT_DONE : code; // Ctrl-C is how it ends
}

// A run that is not kept lives in a folder of its own as long as it is looked at.
static int view_unsaved(const view_job *job, const char *scene) {
    const char *place = getenv("TMPDIR");
    char *folder = format_text("%s/cairn-XXXXXX", place && place[0] ? place : "/tmp");
    if (!mkdtemp(folder)) {
        int code = report_failure("%s: cannot be made a folder: %s", folder, strerror(errno));
        free(folder);
        return code;
    }
    char *stem = path_stem(scene), *run = format_text("%s/%s.run", folder, stem);
    int code = view_scene(job, scene, run);
    remove(run);
    rmdir(folder);
    free(stem);
    free(run);
    free(folder);
    return code;
}

int command_view(int argc, char **argv) {
    view_job job = {.speed = 1.0, .server = {.command = "cairn view", .browser = true}};
    parse_arguments(&view_line, argc, argv, &job);
    char *gallery;
    const char *input = file_or_gallery(job.input, &gallery);
    int code = file_refuse(input, FILE_RUN | FILE_SCENE);
    if (code != EXIT_DONE) {
        return code;
    }
    bool is_scene = file_kind(input) == FILE_SCENE;
    if (!is_scene && job.output) {
        usage_error("view", "-o keeps a live run; a run file is there already");
    }
    interrupt_catch();
    code = !is_scene    ? view_run(input, &job.server)
           : job.output ? view_scene(&job, input, job.output)
                        : view_unsaved(&job, input);
    free(gallery);
    return code;
}
