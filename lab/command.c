// lab/command.c
// cairn reproduce: experiments of the literature, simulated again, our figures beside the printed
// ones.
#include "lab/lab.h"
#include "support/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CN_REPRODUCE_FOLDER "reproduce"

typedef struct cn_reproduce_job {
    cn_word_list words;
    const char *folder; // NULL: reproduce/ID
    bool quick, force, json, quiet;
} cn_reproduce_job;

enum { CN_KEY_QUICK = 256 };

static const struct argp_option cn_reproduce_options[] = {
    {"output", 'o', "DIR", 0, "Folder for the files (default " CN_REPRODUCE_FOLDER "/ID)", 0},
    {"quick", CN_KEY_QUICK, NULL, 0,
     "A short version: fewer, smaller or shorter simulations. Each judges at least one outcome", 0},
    {"force", 'f', NULL, 0, "Simulate again what this program has simulated already", 0},
    {"json", 'j', NULL, 0, "One JSON object a line on standard output", 0},
    {"quiet", 'q', NULL, 0, "No progress and no report", 0},
    {0}};

static error_t cn_reproduce_option(int key, char *value, struct argp_state *state) {
    cn_reproduce_job *job = state->input;
    switch (key) {
    case 'o':
        job->folder = value;
        break;
    case CN_KEY_QUICK:
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
        cn_word_list_add(&job->words, value);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_reproduce_argp = {
    .options = cn_reproduce_options,
    .parser = cn_reproduce_option,
    .args_doc = "[ID...]",
    .doc = "Reproduce experiments of the literature: simulate their scenes, measure, and show our "
           "figures beside the printed ones. Without ID, list them."
           "\vAn ID is that of the list, or the name of a scene. Tables and figures are written as "
           "text, CSV and SVG, beside the run files. What was interrupted goes on where it stopped "
           "when the same command is given again. Exit code 3: a step did not reach its tolerance, "
           "or a check was not met."};

static void cn_reproduce_list(const cn_reproduce_job *job) {
    if (!job->json) {
        printf("Experiments that can be reproduced:\n\n");
    }
    for (int32_t i = 0; cn_experiment_at(i); i++) {
        const cn_experiment *experiment = cn_experiment_at(i);
        if (job->json) {
            cn_json json = cn_put_start(stdout);
            cn_put_open(&json, NULL, '{');
            cn_put_text(&json, "experiment", experiment->id);
            cn_put_text(&json, "title", experiment->title);
            cn_put_text(&json, "source", experiment->source);
            cn_put_text(&json, "scenes", experiment->scenes);
            cn_put_close(&json, '}');
            cn_put_end(&json);
        } else {
            char *label = cn_text("  %s", experiment->id);
            char *text =
                cn_text("%s (%s)\n%s", experiment->title, experiment->scenes, experiment->source);
            cn_print_wrapped(stdout, label, 7, text);
            free(text);
            free(label);
        }
    }
    if (!job->json) {
        printf("\n`cairn reproduce ID` simulates one and writes its tables and figures; --quick "
               "for a\nshort version; `cairn gallery SCENE` tells more about a scene.\n");
    }
}

static const cn_experiment *cn_reproduce_find(const char *word) {
    const cn_experiment *experiment = cn_experiment_find(word);
    if (!experiment) {
        const char *near = cn_experiment_nearest(word);
        if (near) {
            cn_usage_error("reproduce", "no experiment '%s'; did you mean '%s'?", word, near);
        }
        cn_usage_error("reproduce", "no experiment '%s'; cairn reproduce lists them", word);
    }
    return experiment;
}

static int cn_reproduce_one(const cn_reproduce_job *job, const cn_experiment *experiment) {
    char *folder = job->folder ? cn_text("%s", job->folder)
                               : cn_text(CN_REPRODUCE_FOLDER "/%s", experiment->id);
    if ((!job->folder && !cn_folder_ensure(CN_REPRODUCE_FOLDER)) || !cn_folder_ensure(folder)) {
        int code = cn_report_failure("%s: cannot be made a folder: %s", folder, strerror(errno));
        free(folder);
        return code;
    }
    cn_lab lab = {.experiment = experiment,
                  .folder = folder,
                  .quick = job->quick,
                  .force = job->force,
                  .quiet = job->quiet || job->json};
    int code = cn_lab_go(&lab);
    if (code == CN_EXIT_DONE || code == CN_EXIT_TOLERANCE) {
        if (job->json) {
            cn_lab_print_json(&lab);
        } else if (!job->quiet) {
            cn_lab_print(&lab, stdout);
        }
        fflush(stdout);
    }
    cn_lab_free(&lab);
    free(folder);
    return code;
}

int cn_command_reproduce(int argc, char **argv) {
    cn_reproduce_job job = {.folder = NULL};
    cn_parse_arguments(&cn_reproduce_argp, argc, argv, &job);
    int code = CN_EXIT_DONE;
    if (job.words.count == 0) {
        cn_reproduce_list(&job);
    }
    if (job.words.count > 1 && job.folder) {
        cn_usage_error("reproduce", "-o is for one experiment");
    }
    // All names are looked at before the first simulation.
    for (int32_t i = 0; i < job.words.count; i++) {
        cn_reproduce_find(job.words.words[i]);
    }
    cn_interrupt_catch();
    for (int32_t i = 0; i < job.words.count && !cn_interrupted(); i++) {
        if (i > 0 && !job.json && !job.quiet) {
            putchar('\n');
        }
        code = cn_exit_join(code, cn_reproduce_one(&job, cn_reproduce_find(job.words.words[i])));
    }
    free(job.words.words);
    return code;
}
