// app/commands/gallery.c
// cairn gallery: the scenes that come with the command, a line each, or one of them in full.
#include "support/gallery.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct cn_gallery_job {
    const char *name;
} cn_gallery_job;

static error_t cn_gallery_option(int key, char *value, struct argp_state *state) {
    cn_gallery_job *job = state->input;
    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    if (job->name) {
        cn_usage_error("gallery", "one name at a time, not also '%s'", value);
    }
    job->name = value;
    return 0;
}

static const struct argp cn_gallery_argp = {
    .parser = cn_gallery_option,
    .args_doc = "[NAME]",
    .doc = "List the scenes of the gallery; with NAME, tell what the experiment is, what its "
           "source says and how to run it."};

// The first line of a comment without the scene's own name in front.
static char *cn_gallery_headline(const char *comment, const char *name) {
    size_t length = strlen(name);
    if (strncmp(comment, name, length) == 0 && strncmp(comment + length, ": ", 2) == 0) {
        comment += length + 2;
    }
    return cn_text("%.*s", (int)strcspn(comment, "\n"), comment);
}

static void cn_gallery_list(const cn_gallery *gallery) {
    cn_say(stdout, "Scenes of the gallery (%s):\n\n", gallery->folder);
    for (int32_t i = 0; i < gallery->count; i++) {
        char *comment = cn_gallery_comment(gallery, gallery->names[i]);
        char *headline = cn_gallery_headline(comment, gallery->names[i]);
        char *label = cn_text("  %s", gallery->names[i]);
        cn_print_wrapped(stdout, label, 24, headline);
        free(label);
        free(headline);
        free(comment);
    }
    printf("\n`cairn gallery NAME` tells more, `cairn run NAME` runs one.\n");
}

static int cn_gallery_show(const cn_gallery *gallery, const char *name) {
    bool known = false;
    for (int32_t i = 0; i < gallery->count; i++) {
        known = known || strcmp(gallery->names[i], name) == 0;
    }
    if (!known) {
        const char *near = cn_gallery_nearest(gallery, name);
        if (near) {
            cn_say(stderr, "cairn gallery: no scene '%s'; did you mean '%s'?\n", name, near);
        } else {
            cn_say(stderr, "cairn gallery: no scene '%s'; cairn gallery lists them\n", name);
        }
        return CN_EXIT_USAGE;
    }
    char *comment = cn_gallery_comment(gallery, name);
    cn_print_lines(stdout, comment);
    cn_say(stdout, "\nThe scene is %s/%s.yaml. To run it:\n\n  cairn run %s\n", gallery->folder,
           name, name);
    free(comment);
    return CN_EXIT_DONE;
}

int cn_command_gallery(int argc, char **argv) {
    cn_gallery_job job = {.name = NULL};
    cn_parse_arguments(&cn_gallery_argp, argc, argv, &job);
    cn_gallery gallery = cn_gallery_open();
    int code = CN_EXIT_DONE;
    if (job.name) {
        code = cn_gallery_show(&gallery, job.name);
    } else {
        cn_gallery_list(&gallery);
    }
    cn_gallery_close(&gallery);
    return code;
}
