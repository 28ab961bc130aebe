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
    const cn_starter *starter;
} new_job;

#define STARTERS_MAX 16

static void new_choose(void *job, const char *command, const command_option *option, char *text) {
    const char *names[STARTERS_MAX];
    const cn_starter *starter;
    int32_t count = 0;
    (void)option;
    for (; count < STARTERS_MAX && (starter = cn_scene_starter(count)); count++) {
        names[count] = starter->name;
        if (strcmp(text, starter->name) == 0) {
            ((new_job *)job)->starter = starter;
            return;
        }
    }
    const char *near = cn_nearest_name(text, names, count);
    usage_error(command, "no variant '%s'; %s%s%s", text, near ? "did you mean '" : "use ",
                near ? near : "3d, 2d, joints, packing or wall", near ? "'?" : "");
}

static const command_option new_options[] = {
    {"variant", 0, "NAME",
     "3d (default): a tower and a ball; 2d: a ramp; joints: a double pendulum with a motor; "
     "packing: spheres in a box; wall: bricks and a ball",
     TO_FUNCTION(new_choose)},
    {0}};

static const command_line new_line = {
    .options = new_options,
    .args_doc = "FILE",
    ONE_ARGUMENT(new_job, path, "one file at a time, not also '%s'"),
    .missing = "no file given; try cairn new scene.yaml",
    .doc = "Write a commented starter scene of some 20 lines to FILE, which must not exist yet."};

static const command_line schema_line = {
    .arguments = OPTION_SET,
    .doc = "Print the JSON Schema (draft-07) of scene files, for editors that check and complete "
           "YAML by it."};

// Never over an existing file, not even when it appears meanwhile.
static int new_write(const char *path, const cn_starter *starter) {
    FILE *file = fopen(path, "wx");
    if (!file && errno == EEXIST) {
        print_format(stderr, "cairn new: %s exists already; choose another name\n", path);
        return EXIT_USAGE;
    }
    if (!file) {
        return report_failure("%s: cannot be written: %s", path, strerror(errno));
    }
    bool good = fputs(starter->text, file) >= 0;
    good = fclose(file) == 0 && good;
    if (!good) {
        remove(path);
        return report_failure("%s: cannot be written", path);
    }
    print_format(stderr, "%s: %s\nnext: cairn run %s\n", path, starter->about, path);
    return EXIT_DONE;
}

int command_new(int argc, char **argv) {
    new_job job = {.starter = cn_scene_starter(0)};
    parse_arguments(&new_line, argc, argv, &job);
    return new_write(job.path, job.starter);
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
