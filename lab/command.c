// lab/command.c
// cairn reproduce: experiments of the literature, simulated again, our figures beside the printed
// ones.
#include "lab/lab.h"
#include "support/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REPRODUCE_FOLDER "reproduce"

typedef struct reproduce_job {
    word_list words;
    const char *folder; // NULL: reproduce/ID
    bool quick, force, json, quiet;
} reproduce_job;

enum { KEY_QUICK = 256 };

static const struct argp_option reproduce_options[] = {
    {"output", 'o', "DIR", 0, "Folder for the files (default " REPRODUCE_FOLDER "/ID)", 0},
    {"quick", KEY_QUICK, NULL, 0,
     "A short version: fewer, smaller or shorter simulations. Each judges at least one outcome", 0},
    {"force", 'f', NULL, 0, "Simulate again what this program has simulated already", 0},
    {"json", 'j', NULL, 0, "One JSON object a line on standard output", 0},
    {"quiet", 'q', NULL, 0, "No progress and no report", 0},
    {0}};

static error_t reproduce_option(int key, char *value, struct argp_state *state) {
    reproduce_job *job = state->input;
    switch (key) {
    case 'o':
        job->folder = value;
        break;
    case KEY_QUICK:
        job->quick = true;
        break;
    case 'f':
        job->force = true;
        break;
    case 'j':
        job->json = true;
        break;
    case 'q':
        job->quiet = true;
        break;
    case ARGP_KEY_ARG:
        word_list_add(&job->words, value);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp reproduce_argp = {
    .options = reproduce_options,
    .parser = reproduce_option,
    .args_doc = "[ID...]",
    .doc = "Reproduce experiments of the literature: simulate their scenes, measure, and show our "
           "figures beside the printed ones. Without ID, list them."
           "\vAn ID is that of the list, or the name of a scene. Tables and figures are written as "
           "text, CSV and SVG, beside the run files. What was interrupted goes on where it stopped "
           "when the same command is given again. Exit code 3: a step did not reach its tolerance, "
           "or a check was not met."};

static void reproduce_list(const reproduce_job *job) {
    if (!job->json) {
        printf("Experiments that can be reproduced:\n\n");
    }
    for (int32_t i = 0; experiment_at(i); i++) {
        const lab_experiment *experiment = experiment_at(i);
        if (job->json) {
            json_writer json = put_start(stdout);
            put_open(&json, NULL, '{');
            put_text(&json, "experiment", experiment->id);
            put_text(&json, "title", experiment->title);
            put_text(&json, "source", experiment->source);
            put_text(&json, "scenes", experiment->scenes);
            put_close(&json, '}');
            put_end(&json);
        } else {
            char *label = format_text("  %s", experiment->id);
            char *text = format_text("%s (%s)\n%s", experiment->title, experiment->scenes,
                                     experiment->source);
            print_wrapped(stdout, label, 7, text);
            free(text);
            free(label);
        }
    }
    if (!job->json) {
        printf("\n`cairn reproduce ID` simulates one and writes its tables and figures; --quick "
               "for a\nshort version; `cairn gallery SCENE` tells more about a scene.\n");
    }
}

static const lab_experiment *reproduce_find(const char *word) {
    const lab_experiment *experiment = experiment_find(word);
    if (!experiment) {
        const char *near = experiment_nearest(word);
        if (near) {
            usage_error("reproduce", "no experiment '%s'; did you mean '%s'?", word, near);
        }
        usage_error("reproduce", "no experiment '%s'; cairn reproduce lists them", word);
    }
    return experiment;
}

static int reproduce_one(const reproduce_job *job, const lab_experiment *experiment) {
    char *folder = job->folder ? format_text("%s", job->folder)
                               : format_text(REPRODUCE_FOLDER "/%s", experiment->id);
    if ((!job->folder && !folder_ensure(REPRODUCE_FOLDER)) || !folder_ensure(folder)) {
        int code = report_failure("%s: cannot be made a folder: %s", folder, strerror(errno));
        free(folder);
        return code;
    }
    reproduction lab = {.experiment = experiment,
                        .folder = folder,
                        .quick = job->quick,
                        .force = job->force,
                        .quiet = job->quiet || job->json};
    int code = lab_run_experiment(&lab);
    if (code == EXIT_DONE || code == EXIT_TOLERANCE) {
        if (job->json) {
            lab_print_json(&lab);
        } else if (!job->quiet) {
            lab_print(&lab, stdout);
        }
        fflush(stdout);
    }
    lab_free(&lab);
    free(folder);
    return code;
}

int command_reproduce(int argc, char **argv) {
    reproduce_job job = {.folder = NULL};
    parse_arguments(&reproduce_argp, argc, argv, &job);
    int code = EXIT_DONE;
    if (job.words.count == 0) {
        reproduce_list(&job);
    }
    if (job.words.count > 1 && job.folder) {
        usage_error("reproduce", "-o is for one experiment");
    }
    // All names are looked at before the first simulation.
    for (int32_t i = 0; i < job.words.count; i++) {
        reproduce_find(job.words.words[i]);
    }
    interrupt_catch();
    for (int32_t i = 0; i < job.words.count && !interrupted(); i++) {
        if (i > 0 && !job.json && !job.quiet) {
            putchar('\n');
        }
        code = exit_join(code, reproduce_one(&job, reproduce_find(job.words.words[i])));
    }
    free(job.words.words);
    return code;
}
