// app/commands/export.c
// cairn export: a run file in other formats.
#include "export/export.h"
#include "run/run_loop.h"
#include "support/support.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int cn_export_fn(const cn_export_job *job, cn_recorded *recorded);

typedef struct cn_export_format {
    const char *name;
    cn_export_fn *write; // NULL: not available yet
    const char *ending;  // of the file that is written; NULL: a folder of files
} cn_export_format;

static const cn_export_format cn_export_formats[] = {
    {"html", cn_export_html, "html"}, {"pvd", cn_export_pvd, NULL},
    {"gltf", cn_export_gltf, "glb"},  {"csv", cn_export_csv, NULL},
    {"fclib", cn_export_fclib, NULL}, {"hdf5", NULL, NULL},
};
#define CN_EXPORT_FORMATS ((int32_t)(sizeof cn_export_formats / sizeof cn_export_formats[0]))

typedef struct cn_export_words {
    const char *input, *output;
    const cn_export_format *format;
    double at; // NaN: not given
    int64_t first, last;
    bool quiet;
} cn_export_words;

enum { CN_KEY_TO = 256, CN_KEY_AT, CN_KEY_STEPS };

static const struct argp_option cn_export_options[] = {
    {"to", CN_KEY_TO, "FORMAT", 0,
     "html (a replay for any browser), pvd (ParaView), gltf (an animation), csv (ledger, frames, "
     "contacts) or fclib (one-step problems)",
     0},
    {"output", 'o', "OUT", 0,
     "File (html, gltf) or folder to write to (default: the run's name with .html or .glb, or "
     "with -FORMAT)",
     0},
    {"at", CN_KEY_AT, "T", 0, "Only the step at this time [s]", 0},
    {"steps", CN_KEY_STEPS, "A:B", 0, "Only steps A to B (default: all; for fclib the last)", 0},
    {"quiet", 'q', NULL, 0, "Print nothing but errors", 0},
    {0}};

static void cn_export_choose(cn_export_words *words, const char *name) {
    const char *names[CN_EXPORT_FORMATS];
    for (int32_t i = 0; i < CN_EXPORT_FORMATS; i++) {
        names[i] = cn_export_formats[i].name;
        if (strcmp(names[i], name) == 0) {
            words->format = &cn_export_formats[i];
        }
    }
    if (!words->format) {
        const char *near = cn_nearest_name(name, names, CN_EXPORT_FORMATS);
        cn_usage_error("export", near ? "no format '%s'; did you mean '%s'?" : "no format '%s'%s",
                       name, near ? near : "; use html, pvd, gltf, csv or fclib");
    }
    if (!words->format->write) {
        cn_usage_error("export", "--to %s is not available yet; use html, pvd, gltf, csv or fclib",
                       name);
    }
}

static void cn_export_steps(cn_export_words *words, const char *text) {
    char *copy = cn_text("%s", text), *colon = strchr(copy, ':');
    if (!colon) {
        cn_usage_error("export", "--steps wants A:B, not '%s'", text);
    }
    *colon = '\0';
    words->first = cn_parse_int("export", "--steps", copy, 1, INT64_MAX);
    words->last = cn_parse_int("export", "--steps", colon + 1, words->first, INT64_MAX);
    free(copy);
}

static error_t cn_export_option(int key, char *value, struct argp_state *state) {
    cn_export_words *words = state->input;
    switch (key) {
    case CN_KEY_TO:
        cn_export_choose(words, value);
        break;
    case 'o':
        words->output = value;
        break;
    case CN_KEY_AT:
        words->at = cn_parse_real("export", "--at", value, 0.0, 1e300);
        break;
    case CN_KEY_STEPS:
        cn_export_steps(words, value);
        break;
    case 'q':
        words->quiet = true;
        break;
    case ARGP_KEY_ARG:
        if (words->input) {
            cn_usage_error("export", "one file at a time, not also '%s'", value);
        }
        words->input = value;
        break;
    case ARGP_KEY_NO_ARGS:
        cn_usage_error("export", "no file given; see cairn export --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_export_argp = {
    .options = cn_export_options,
    .parser = cn_export_option,
    .args_doc = "RUN",
    .doc = "Write a run file in another format: a replay for any browser, files for ParaView, an "
           "animation, tables, or the one-step problems of chosen steps as FCLIB files."
           "\vA run file does not hold its problems; fclib simulates the scene again, which gives "
           "the same bits, and compares the recorded frames on the way."};

int cn_command_export(int argc, char **argv) {
    cn_export_words words = {.at = (double)NAN, .first = 1, .last = 0};
    cn_parse_arguments(&cn_export_argp, argc, argv, &words);
    if (!words.format) {
        cn_usage_error("export", "--to FORMAT is missing; use html, pvd, gltf, csv or fclib");
    }
    cn_recorded recorded;
    cn_error error = {.status = CN_OK};
    if (cn_recorded_open(words.input, &recorded, &error) != CN_OK) {
        return cn_report_error_in(&error, words.input);
    }
    double h = cn_model_settings(recorded.model)->step;
    if (!isnan(words.at)) {
        words.first = words.last = cn_steps_until(words.at, h);
    }
    char *stem = cn_path_stem(words.input);
    const char *ending = words.format->ending;
    char *place = words.output ? cn_text("%s", words.output)
                  : ending     ? cn_text("%s.%s", stem, ending)
                               : cn_text("%s-%s", stem, words.format->name);
    int64_t end = cn_run_last_checkpoint(recorded.run);
    int code;
    if (words.last >= words.first && words.last > end) {
        fprintf(stderr, "cairn export: the run has only %lld steps\n", (long long)end);
        code = CN_EXIT_USAGE;
    } else if (!ending && !cn_folder_ensure(place)) {
        code = cn_report_failure("%s: cannot be made a folder: %s", place, strerror(errno));
    } else {
        cn_export_job job = {place, stem, words.first, words.last, words.quiet};
        code = words.format->write(&job, &recorded);
    }
    free(place);
    free(stem);
    cn_recorded_close(&recorded);
    return code;
}
