// app/commands/new.c
// cairn new: a commented starter scene to change. cairn schema: the format for editors, as JSON
// Schema.
#include "support/arguments.h"
#include "support/support.h"
#include "support/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct new_job {
    const char *path;
} new_job;

static const command_line new_line = {
    .args_doc = "FILE",
    ONE_ARGUMENT(new_job, path, "one file at a time, not also '%s'"),
    .missing = "no file given; try cairn new scene.yaml",
    .doc = "Write a commented starter scene to FILE, which must not exist yet."};

static const command_line schema_line = {
    .arguments = OPTION_SET,
    .doc = "Print the JSON Schema (draft-07) of scene files, for editors that check and complete "
           "YAML by it."};

// Never over an existing file, not even when it appears meanwhile.
static int new_write(const char *path, const char *text) {
    FILE *file = fopen(path, "wx");
    if (!file && errno == EEXIST) {
        print_format(stderr, "cairn new: %s exists already; choose another name\n", path);
        return EXIT_USAGE;
    }
    if (!file) {
        return report_failure("%s: cannot be written: %s", path, strerror(errno));
    }
    bool good = fputs(text, file) >= 0;
    good = fclose(file) == 0 && good;
    if (!good) {
        remove(path);
        return report_failure("%s: cannot be written", path);
    }
    print_format(stderr, "%s: a starter scene; next: cairn run %s\n", path, path);
    return EXIT_DONE;
}

int command_new(int argc, char **argv) {
    new_job job = {.path = NULL};
    parse_arguments(&new_line, argc, argv, &job);
    cn_arena *memory = cn_arena_create(NULL);
    const char *text;
    if (!memory || cn_scene_starter(memory, &text) != CN_OK) {
        return report_failure("out of memory");
    }
    int code = new_write(job.path, text);
    cn_arena_destroy(memory);
    return code;
}

int command_schema(int argc, char **argv) {
    parse_arguments(&schema_line, argc, argv, NULL);
    cn_arena *memory = cn_arena_create(NULL);
    const char *text;
    if (!memory || cn_scene_schema(memory, &text) != CN_OK) {
        return report_failure("out of memory");
    }
    fputs(text, stdout);
    cn_arena_destroy(memory);
    return EXIT_DONE;
}
