// app/commands/demo.c
// cairn demo: a first look. A scene of the gallery is simulated into a run file and drawn, and the
// report says how far to trust it; `cairn demo solvers` shows the problem inside every step.
#include "commands/demo.h"
#include "run/recorded.h"
#include "run/run_loop.h"
#include "support/arguments.h"
#include "support/gallery.h"
#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEMO_SCENE "cannonball"
#define DEMO_UNTIL "1.5" // [s] of the default scene: all has happened by then
#define DEMO_STILLS 6
#define DEMO_CONTACTS 400

typedef struct demo_job {
    const char *name, *folder, *until;
    int32_t contacts;
} demo_job;

// Kept as it was written, for the scene.
static void demo_until(void *job, const char *command, const command_option *option, char *text) {
    (void)option;
    parse_real(command, "--until", text, 0.0, 1e300);
    ((demo_job *)job)->until = text;
}

static const command_option demo_options[] = {
    {"output", 'o', "DIR", "Folder for the files (default demo)", TO_TEXT(demo_job, folder)},
    {"until", 0, "T", "When to end [s] (default: what the scene says)", TO_FUNCTION(demo_until)},
    {"contacts", 'n', "N", "Contacts of the problem of `demo solvers` (default 400)",
     TO_INT(demo_job, contacts, 1, 100000)},
    {0}};

static const command_line demo_line = {
    .options = demo_options,
    .args_doc = "[NAME|solvers]",
    ONE_ARGUMENT(demo_job, name, "one name at a time, not also '%s'"),
    .doc = "Simulate a scene of the gallery (default: " DEMO_SCENE
           "), draw it, and report how far to trust it."
           "\v`cairn demo solvers` solves one generated problem in several ways, checks every "
           "answer independently and plots the convergence."};

// A filmstrip of the run beside it.
static int demo_draw(const char *run, const char *picture_path) {
    recorded_run recorded;
    picture_stills stills;
    cn_error error = {.status = CN_OK};
    double times[DEMO_STILLS];
    int code;
    if (recorded_open(run, &recorded, &error) != CN_OK) {
        return report_error_in(&error, run);
    }
    double end = recorded_end(&recorded);
    for (int32_t i = 0; i < DEMO_STILLS; i++) {
        times[i] = end * i / (DEMO_STILLS - 1);
    }
    if (stills_read(&recorded, times, DEMO_STILLS, &stills, &error) != CN_OK) {
        code = report_error_in(&error, run);
    } else {
        char *subtitle = format_text("%d bodies with hard contact and Coulomb friction",
                                     (int)cn_model_body_count(recorded.model));
        picture_spec picture = {.model = recorded.model,
                                .title = cn_model_name(recorded.model),
                                .subtitle = subtitle,
                                .stills = stills.stills,
                                .count = stills.count};
        code = picture_save(&picture, picture_path);
        free(subtitle);
        stills_free(&stills);
    }
    recorded_close(&recorded);
    return code;
}

// replay: NULL when this build has no page.
static void demo_print(const run_loop *loop, const char *picture, const char *replay) {
    const cn_settings *settings = cn_model_settings(loop->model);
    printf("\nHow far to trust it (every step is graded by a checker that no solver shares):\n");
    run_summary_print(&loop->summary, settings->tolerance, loop->hash);
    printf("\nWritten:\n"
           "  %-28s  the run: frames, contacts, energies (SQLite)\n"
           "  %-28s  a filmstrip (a picture for any browser)\n",
           loop->path, picture);
    if (replay) {
        printf("  %-28s  a replay: open it in a browser\n", replay);
    }
    printf("\nTry next:\n"
           "  cairn view %s      the same, and more of it, from a server\n"
           "  cairn check %s     verify every recorded contact without the solver\n"
           "  cairn render %s --forces -o forces.svg\n"
           "  cairn gallery                    the other scenes; cairn demo NAME shows one\n"
           "  cairn new my.yaml                a scene of your own to start from\n"
           "  cairn demo solvers               the problem inside every step, solved four ways\n",
           loop->path, loop->path, loop->path);
}

// Says what the scene is: the first line of its comment.
static void demo_introduce(const char *name) {
    gallery_folder gallery = gallery_open();
    char *comment = gallery_comment(&gallery, name);
    print_format(stdout, "%s: %.*s\n", name, (int)strcspn(comment, "\n"), comment);
    fflush(stdout);
    free(comment);
    gallery_close(&gallery);
}

static int demo_scene(const demo_job *job, const char *name, const char *scene) {
    char *run = format_text("%s/%s.run", job->folder, name);
    char *picture = format_text("%s/%s.svg", job->folder, name);
    char *replay = html_available() ? format_text("%s/%s.html", job->folder, name) : NULL;
    const char *until = job->until ? job->until : !job->name ? DEMO_UNTIL : NULL;
    cn_override end = {"time.until", until};
    run_loop loop = {.path = run};
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    int code;
    demo_introduce(name);
    if (cn_scene_read(NULL, scene, &end, until ? 1 : 0, &model, &error) != CN_OK) {
        code = report_error(&error);
    } else if ((code = run_loop_create(&loop, model, true)) == EXIT_DONE) {
        code = run_loop_run(&loop);
        if (code == EXIT_DONE || code == EXIT_TOLERANCE) {
            html_report report;
            code = exit_join(code, demo_draw(run, picture));
            if (replay) {
                code = exit_join(code, html_write(run, replay, 1, 0, &report));
            }
            demo_print(&loop, picture, replay);
        }
        run_loop_end(&loop);
    }
    free(run);
    free(picture);
    free(replay);
    return code;
}

int command_demo(int argc, char **argv) {
    demo_job job = {.folder = "demo", .contacts = DEMO_CONTACTS};
    parse_arguments(&demo_line, argc, argv, &job);
    const char *name = job.name ? job.name : DEMO_SCENE;
    bool solvers = strcmp(name, "solvers") == 0;
    char *scene = solvers ? NULL : gallery_path(name);
    if (!solvers && !scene) {
        gallery_folder gallery = gallery_open();
        const char *near = gallery_nearest(&gallery, name);
        usage_error("demo", near ? "no scene '%s'; did you mean '%s'?" : "no scene '%s'%s", name,
                    near ? near : "; cairn gallery lists them");
    }
    if (!folder_ensure(job.folder)) {
        free(scene);
        return report_failure("%s: cannot be made a folder: %s", job.folder, strerror(errno));
    }
    interrupt_catch();
    int code = solvers ? demo_solvers(job.folder, job.contacts) : demo_scene(&job, name, scene);
    free(scene);
    return code;
}
