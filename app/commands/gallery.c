// app/commands/gallery.c
// cairn gallery: the scenes that come with the command, by topic with size and time, or one in full.
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
    .doc = "List the scenes of the gallery by topic, with the number of bodies and the CPU time of "
           "a run; with NAME, explain the experiment, what its source says and how to run it."};

// The first sentence of a comment, up to a full stop that ends a line or to an empty line, without
// the scene's own name in front.
static char *gallery_headline(const char *comment, const char *name) {
    size_t length = strlen(name);
    if (strncmp(comment, name, length) == 0 && strncmp(comment + length, ": ", 2) == 0) {
        comment += length + 2;
    }
    const char *end = comment + strcspn(comment, "\n");
    while (end > comment && end[-1] != '.' && end[0] && end[1] && end[1] != '\n') {
        end += 1 + strcspn(end + 1, "\n");
    }
    char *text = format_text("%.*s", (int)(end - comment), comment);
    for (char *c = text; (c = strchr(c, '\n')) != NULL;) {
        *c = ' ';
    }
    return text;
}

// The scene's row in the table; NULL: it has none.
static const gallery_row *gallery_row_of(const gallery_table *table, const char *name) {
    for (int32_t i = 0; i < table->row_count; i++) {
        if (strcmp(table->rows[i].name, name) == 0) {
            return &table->rows[i];
        }
    }
    return NULL;
}

#define GALLERY_NAME 24  // columns of names
#define GALLERY_LABEL 38 // columns of names, bodies and seconds

static void gallery_list_scene(const gallery_folder *gallery, const char *name,
                               const gallery_row *row) {
    char *comment = gallery_comment(gallery, name);
    char *headline = gallery_headline(comment, name);
    char *label = row && row->bodies > 0
                      ? format_text("  %-*s%6d%6.2g", GALLERY_NAME - 2, name, row->bodies, row->cpu)
                      : format_text("  %s", name);
    print_wrapped(stdout, label, GALLERY_LABEL, headline);
    free(label);
    free(headline);
    free(comment);
}

// The scenes of a topic; topic NULL: those whose topic is not known. A title comes before the first.
static void gallery_list_topic(const gallery_folder *gallery, const gallery_table *table,
                               const gallery_topic *topic) {
    bool any = false;
    for (int32_t i = 0; i < gallery->count; i++) {
        const gallery_row *row = gallery_row_of(table, gallery->names[i]);
        if (topic ? row && strcmp(row->topic, topic->name) == 0 : !row) {
            if (!any && table->topic_count > 0) {
                print_format(stdout, "%s\n", topic ? topic->title : "Others");
            }
            any = true;
            gallery_list_scene(gallery, gallery->names[i], row);
        }
    }
    if (any) {
        putchar('\n');
    }
}

static void gallery_list(const gallery_folder *gallery) {
    gallery_table table = gallery_table_read(gallery);
    print_format(stdout, "Scenes of the gallery (%s)\n", gallery->folder);
    printf("%*s\n\n", GALLERY_LABEL - 2, table.row_count > 0 ? "bodies CPU s" : "");
    for (int32_t k = 0; k < table.topic_count; k++) {
        gallery_list_topic(gallery, &table, &table.topics[k]);
    }
    gallery_list_topic(gallery, &table, NULL);
    gallery_table_free(&table);
    printf("`cairn gallery NAME` explains one, `cairn run NAME` runs it.\n");
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
