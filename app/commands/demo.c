// app/commands/demo.c
// cairn demo: a first look. A scene of the gallery is simulated into a run file and drawn, and the
// report tells how far to trust it; `cairn demo solvers` shows the problem inside every step.
#include "commands/demo.h"
#include "run/recorded.h"
#include "run/run_loop.h"
#include "support/gallery.h"
#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CN_DEMO_SCENE "cannonball"
#define CN_DEMO_UNTIL "1.5" // [s] of the default scene: all has happened by then
#define CN_DEMO_STILLS 6
#define CN_DEMO_CONTACTS 400

typedef struct cn_demo_job {
    const char *name, *folder, *until;
    int32_t contacts;
} cn_demo_job;

enum { CN_KEY_UNTIL = 256 };

static const struct argp_option cn_demo_options[] = {
    {"output", 'o', "DIR", 0, "Folder for the files (default demo)", 0},
    {"until", CN_KEY_UNTIL, "T", 0, "When to end [s] (default: what the scene says)", 0},
    {"contacts", 'n', "N", 0, "Contacts of the problem of `demo solvers` (default 400)", 0},
    {0}};

static error_t cn_demo_option(int key, char *value, struct argp_state *state) {
    cn_demo_job *job = state->input;
    switch (key) {
    case 'o':
        job->folder = value;
        break;
    case CN_KEY_UNTIL:
        cn_parse_real("demo", "--until", value, 0.0, 1e300);
        job->until = value;
        break;
    case 'n':
        job->contacts = (int32_t)cn_parse_int("demo", "--contacts", value, 1, 100000);
        break;
    case ARGP_KEY_ARG:
        if (job->name) {
            cn_usage_error("demo", "one name at a time, not also '%s'", value);
        }
        job->name = value;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_demo_argp = {
    .options = cn_demo_options,
    .parser = cn_demo_option,
    .args_doc = "[NAME|solvers]",
    .doc = "Simulate a scene of the gallery (default: " CN_DEMO_SCENE
           "), draw it, and tell how far to trust it."
           "\v`cairn demo solvers` solves one generated problem in several ways, checks every "
           "answer independently and plots the convergence."};

// A filmstrip of the run beside it.
static int cn_demo_draw(const char *run, const char *picture_path) {
    cn_recorded recorded;
    cn_stills stills;
    cn_error error = {.status = CN_OK};
    double times[CN_DEMO_STILLS];
    int code;
    if (cn_recorded_open(run, &recorded, &error) != CN_OK) {
        return cn_report_error_in(&error, run);
    }
    double end = cn_recorded_end(&recorded);
    for (int32_t i = 0; i < CN_DEMO_STILLS; i++) {
        times[i] = end * i / (CN_DEMO_STILLS - 1);
    }
    if (cn_stills_read(&recorded, times, CN_DEMO_STILLS, &stills, &error) != CN_OK) {
        code = cn_report_error_in(&error, run);
    } else {
        char *subtitle = cn_text("%d bodies with hard contact and Coulomb friction",
                                 (int)cn_model_body_count(recorded.model));
        cn_picture picture = {.model = recorded.model,
                              .title = cn_model_name(recorded.model),
                              .subtitle = subtitle,
                              .stills = stills.stills,
                              .count = stills.count};
        code = cn_picture_save(&picture, picture_path);
        free(subtitle);
        cn_stills_free(&stills);
    }
    cn_recorded_close(&recorded);
    return code;
}

// replay: NULL when this build has no page.
static void cn_demo_print(const cn_drive *drive, const char *picture, const char *replay) {
    const cn_settings *settings = cn_model_settings(drive->model);
    printf("\nHow far to trust it (every step is graded by a checker that no solver shares):\n");
    cn_tally_print(&drive->tally, settings->tolerance, drive->hash);
    printf("\nWritten:\n"
           "  %-28s  the run: frames, contacts, energies (SQLite)\n"
           "  %-28s  a filmstrip (a picture for any browser)\n",
           drive->path, picture);
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
           drive->path, drive->path, drive->path);
}

// Says what the scene is: the first line of its comment.
static void cn_demo_introduce(const char *name) {
    cn_gallery gallery = cn_gallery_open();
    char *comment = cn_gallery_comment(&gallery, name);
    cn_say(stdout, "%s: %.*s\n", name, (int)strcspn(comment, "\n"), comment);
    fflush(stdout);
    free(comment);
    cn_gallery_close(&gallery);
}

static int cn_demo_scene(const cn_demo_job *job, const char *name, const char *scene) {
    char *run = cn_text("%s/%s.run", job->folder, name);
    char *picture = cn_text("%s/%s.svg", job->folder, name);
    char *replay = cn_html_available() ? cn_text("%s/%s.html", job->folder, name) : NULL;
    const char *until = job->until ? job->until : !job->name ? CN_DEMO_UNTIL : NULL;
    cn_override end = {"time.until", until};
    cn_drive drive = {.path = run};
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    int code;
    cn_demo_introduce(name);
    if (cn_scene_read(NULL, scene, &end, until ? 1 : 0, &model, &error) != CN_OK) {
        code = cn_report_error(&error);
    } else if ((code = cn_drive_create(&drive, model, true)) == CN_EXIT_DONE) {
        code = cn_drive_go(&drive);
        if (code == CN_EXIT_DONE || code == CN_EXIT_TOLERANCE) {
            cn_html_report report;
            code = cn_exit_join(code, cn_demo_draw(run, picture));
            if (replay) {
                code = cn_exit_join(code, cn_html_write(run, replay, 1, 0, &report));
            }
            cn_demo_print(&drive, picture, replay);
        }
        cn_drive_end(&drive);
    }
    free(run);
    free(picture);
    free(replay);
    return code;
}

int cn_command_demo(int argc, char **argv) {
    cn_demo_job job = {.folder = "demo", .contacts = CN_DEMO_CONTACTS};
    cn_parse_arguments(&cn_demo_argp, argc, argv, &job);
    const char *name = job.name ? job.name : CN_DEMO_SCENE;
    bool solvers = strcmp(name, "solvers") == 0;
    char *scene = solvers ? NULL : cn_gallery_path(name);
    if (!solvers && !scene) {
        cn_gallery gallery = cn_gallery_open();
        const char *near = cn_gallery_nearest(&gallery, name);
        cn_usage_error("demo", near ? "no scene '%s'; did you mean '%s'?" : "no scene '%s'%s", name,
                       near ? near : "; cairn gallery lists them");
    }
    if (!cn_folder_ensure(job.folder)) {
        free(scene);
        return cn_report_failure("%s: cannot be made a folder: %s", job.folder, strerror(errno));
    }
    cn_interrupt_catch();
    int code =
        solvers ? cn_demo_solvers(job.folder, job.contacts) : cn_demo_scene(&job, name, scene);
    free(scene);
    return code;
}
