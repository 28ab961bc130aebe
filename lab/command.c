// lab/command.c
// cairn reproduce: experiments of the literature, simulated again, our figures beside the printed
// ones.
#include "lab/lab.h"
#include "support/arguments.h"
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

static const command_option reproduce_options[] = {
    {"output", 'o', "DIR", "Folder for the files (default " REPRODUCE_FOLDER "/ID)",
     TO_TEXT(reproduce_job, folder)},
    {"quick", 0, NULL,
     "A short version: fewer, smaller or shorter simulations. Each judges at least one outcome",
     TO_SET(reproduce_job, quick)},
    {"force", 'f', NULL, "Simulate again what this program has simulated already",
     TO_SET(reproduce_job, force)},
    JSON_LINES_OPTION(reproduce_job),
    {"quiet", 'q', NULL, "No progress and no report", TO_SET(reproduce_job, quiet)},
    {0}};

static const command_line reproduce_line = {
    .options = reproduce_options,
    .args_doc = "[ID...]",
    ALL_ARGUMENTS(reproduce_job, words),
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
        printf("\n`cairn reproduce ID` simulates one and writes its tables and figures; --quick\n"
               "for a short version; `cairn gallery SCENE` describes a scene.\n");
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
    parse_arguments(&reproduce_line, argc, argv, &job);
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
