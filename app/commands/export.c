// app/commands/export.c
// cairn export: a run file in other formats.
#include "export/export.h"
#include "run/run_loop.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/support.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int export_fn(const export_job *job, recorded_run *recorded);

typedef struct export_format {
    const char *name;
    export_fn *write;   // NULL: not available yet
    const char *ending; // of the file that is written; NULL: a folder of files
} export_format;

static const export_format export_formats[] = {
    {"html", export_html, "html"}, {"pvd", export_pvd, NULL},     {"gltf", export_gltf, "glb"},
    {"csv", export_csv, NULL},     {"fclib", export_fclib, NULL}, {"hdf5", NULL, NULL},
};
#define EXPORT_FORMATS ((int32_t)(sizeof export_formats / sizeof export_formats[0]))

typedef struct export_words {
    const char *input, *output;
    const export_format *format;
    double at; // NaN: not given
    int64_t first, last;
    bool quiet;
} export_words;

static void export_choose(void *job, const char *command, const command_option *option,
                          char *name) {
    export_words *words = job;
    (void)option;
    const char *names[EXPORT_FORMATS];
    for (int32_t i = 0; i < EXPORT_FORMATS; i++) {
        names[i] = export_formats[i].name;
        if (strcmp(names[i], name) == 0) {
            words->format = &export_formats[i];
        }
    }
    if (!words->format) {
        const char *near = cn_nearest_name(name, names, EXPORT_FORMATS);
        usage_error(command, near ? "no format '%s'; did you mean '%s'?" : "no format '%s'%s", name,
                    near ? near : "; use html, pvd, gltf, csv or fclib");
    }
    if (!words->format->write) {
        usage_error(command, "--to %s is not available yet; use html, pvd, gltf, csv or fclib",
                    name);
    }
}

static void export_steps(void *job, const char *command, const command_option *option, char *text) {
    export_words *words = job;
    (void)option;
    char *copy = format_text("%s", text), *colon = strchr(copy, ':');
    if (!colon) {
        usage_error(command, "--steps wants A:B, the first and the last step, not '%s'", text);
    }
    *colon = '\0';
    words->first = parse_int(command, "--steps", copy, 1, INT64_MAX);
    words->last = parse_int(command, "--steps", colon + 1, 1, INT64_MAX);
    if (words->last < words->first) {
        usage_error(command,
                    "--steps %s ends before it begins; write the first step first, as "
                    "--steps %lld:%lld",
                    text, (long long)words->last, (long long)words->first);
    }
    free(copy);
}

static const command_option export_options[] = {
    {"to", 0, "FORMAT",
     "html (a replay for any browser), pvd (ParaView), gltf (an animation), csv (ledger, frames, "
     "contacts) or fclib (one-step problems)",
     TO_FUNCTION(export_choose)},
    {"output", 'o', "OUT",
     "File (html, gltf) or folder to write to (default: the run's name with .html or .glb, or "
     "with -FORMAT)",
     TO_TEXT(export_words, output)},
    {"at", 0, "T", "Only the step at this time [s]", TO_REAL(export_words, at, 0.0, 1e300)},
    {"steps", 0, "A:B", "Only steps A to B (default: all; for fclib the last)",
     TO_FUNCTION(export_steps)},
    {"quiet", 'q', NULL, "Print nothing but errors", TO_SET(export_words, quiet)},
    {0}};

static const command_line export_line = {
    .options = export_options,
    .args_doc = "RUN",
    ONE_ARGUMENT(export_words, input, "one file at a time, not also '%s'"),
    .missing = "no file given; see cairn export --help",
    .doc = "Write a run file in another format: a replay for any browser, files for ParaView, an "
           "animation, tables, or the one-step problems of chosen steps as FCLIB files."
           "\vA run file does not hold its problems; fclib simulates the scene again, with "
           "bitwise identical results, and compares the recorded frames on the way."};

int command_export(int argc, char **argv) {
    export_words words = {.at = (double)NAN, .first = 1, .last = 0};
    parse_arguments(&export_line, argc, argv, &words);
    if (!words.format) {
        usage_error("export", "--to FORMAT is missing; use html, pvd, gltf, csv or fclib");
    }
    int code = file_refuse(words.input, FILE_RUN);
    if (code != EXIT_DONE) {
        return code;
    }
    recorded_run recorded;
    int64_t end;
    cn_error error = {.status = CN_OK};
    if (recorded_open(words.input, &recorded, &error) != CN_OK) {
        return report_error_in(&error, words.input);
    }
    if (cn_run_last_checkpoint(recorded.run, &end, &error) != CN_OK) {
        recorded_close(&recorded);
        return report_error_in(&error, words.input);
    }
    double h = cn_model_settings(recorded.model)->step;
    if (!isnan(words.at)) {
        words.first = words.last = steps_until(words.at, h);
    }
    char *stem = path_stem(words.input);
    const char *ending = words.format->ending;
    char *place = words.output ? format_text("%s", words.output)
                  : ending     ? format_text("%s.%s", stem, ending)
                               : format_text("%s-%s", stem, words.format->name);
    if (words.last >= words.first && words.last > end) {
        fprintf(stderr, "cairn export: the run has only %lld steps; choose among 1:%lld\n",
                (long long)end, (long long)end);
        code = EXIT_USAGE;
    } else if (!ending && !folder_ensure(place)) {
        code = report_failure("%s: cannot be made a folder: %s", place, strerror(errno));
    } else {
        export_job job = {place, stem, words.first, words.last, words.quiet};
        code = words.format->write(&job, &recorded);
    }
    free(place);
    free(stem);
    recorded_close(&recorded);
    return code;
}
