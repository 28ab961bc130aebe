// app/commands/gallery.c
// cairn gallery: the scenes that come with the command, a line each, or one of them in full.
#include "support/gallery.h"
#include "support/arguments.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct gallery_job {
    const char *name;
} gallery_job;

static const command_line gallery_line = {
    .args_doc = "[NAME]",
    ONE_ARGUMENT(gallery_job, name, "one name at a time, not also '%s'"),
    .doc = "List the scenes of the gallery; with NAME, tell what the experiment is, what its "
           "source says and how to run it."};

// The first line of a comment without the scene's own name in front.
static char *gallery_headline(const char *comment, const char *name) {
    size_t length = strlen(name);
    if (strncmp(comment, name, length) == 0 && strncmp(comment + length, ": ", 2) == 0) {
        comment += length + 2;
    }
    return format_text("%.*s", (int)strcspn(comment, "\n"), comment);
}

static void gallery_list(const gallery_folder *gallery) {
    print_format(stdout, "Scenes of the gallery (%s):\n\n", gallery->folder);
    for (int32_t i = 0; i < gallery->count; i++) {
        char *comment = gallery_comment(gallery, gallery->names[i]);
        char *headline = gallery_headline(comment, gallery->names[i]);
        char *label = format_text("  %s", gallery->names[i]);
        print_wrapped(stdout, label, 24, headline);
        free(label);
        free(headline);
        free(comment);
    }
    printf("\n`cairn gallery NAME` tells more, `cairn run NAME` runs one.\n");
}

static int gallery_print(const gallery_folder *gallery, const char *name) {
    bool known = false;
    for (int32_t i = 0; i < gallery->count; i++) {
        known = known || strcmp(gallery->names[i], name) == 0;
    }
    if (!known) {
        const char *near = gallery_nearest(gallery, name);
        if (near) {
            print_format(stderr, "cairn gallery: no scene '%s'; did you mean '%s'?\n", name, near);
        } else {
            print_format(stderr, "cairn gallery: no scene '%s'; cairn gallery lists them\n", name);
        }
        return EXIT_USAGE;
    }
    char *comment = gallery_comment(gallery, name);
    print_lines(stdout, comment);
    print_format(stdout, "\nThe scene is %s/%s.yaml. To run it:\n\n  cairn run %s\n",
                 gallery->folder, name, name);
    free(comment);
    return EXIT_DONE;
}

int command_gallery(int argc, char **argv) {
    gallery_job job = {.name = NULL};
    parse_arguments(&gallery_line, argc, argv, &job);
    gallery_folder gallery = gallery_open();
    int code = EXIT_DONE;
    if (job.name) {
        code = gallery_print(&gallery, job.name);
    } else {
        gallery_list(&gallery);
    }
    gallery_close(&gallery);
    return code;
}
