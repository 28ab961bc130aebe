// app/commands/profile.c
// cairn profile: run solvers over problem files and draw their performance profiles.
#include "commands/profile_data.h"
#include "support/progress.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_PROFILE_LIMIT 10.0   // [s] of CPU for a solve, by default
#define CN_PROFILE_TOGETHER 0.3 // [s] repeats of a solve may take together
#define CN_PROFILE_REPEATS 3    // the shortest of so many solves counts, by default

typedef struct cn_profile_job {
    cn_choice common; // what all entries share
    cn_form form;
    cn_profile profile;
    cn_word_list paths;
    const char *solvers; // NULL: all
    const char *out;     // NULL: no files
    int32_t repeats;
    bool json, quiet;
    cn_progress_line line;
    char *doing; // for the progress line
    int64_t done, total;
} cn_profile_job;

// ---- command line ----

enum { CN_KEY_MEASURE = 256, CN_KEY_TIME, CN_KEY_COST, CN_KEY_FORM };

static const struct argp_option cn_profile_options[] = {
    {"solvers", 's', "A,B,...", 0,
     "Solvers to compare (default: all that take the problems); with settings as "
     "nsgs:anderson=0:local=newton",
     0},
    {"tol", 't', "E,...", 0, "Tolerances on the residual (default 1e-8)", 0},
    {"measure", CN_KEY_MEASURE, "M", 0,
     "Residual that the tolerance means: scaled (default), q or max", 0},
    {"cost", CN_KEY_COST, "C", 0, "What is compared: cpu (default) or iterations", 0},
    {"time-limit", CN_KEY_TIME, "S", 0, "CPU seconds a solve may take (default 10)", 0},
    {"max-iter", 'n', "N", 0, "Iteration limit, in each solver's own unit", 0},
    {"operator", CN_KEY_FORM, "FORM", 0,
     "How a global problem is reduced: auto (default), assembled or body", 0},
    {"repeats", 'r', "N", 0, "The shortest of N solves counts (default 3; 1 beyond 0.3 s)", 0},
    {"output", 'o', "FILE.svg", 0,
     "Write the figure, and the numbers beside it as FILE.csv and FILE-solves.csv", 0},
    {"json", 'j', NULL, 0, "One JSON object a line on standard output", 0},
    {"quiet", 'q', NULL, 0, "No table and no progress, only errors and the exit code", 0},
    {0}};

// Takes the words of the text apart in place: they live as long as the command line does.
static void cn_profile_tolerances(cn_profile *profile, char *text) {
    char *rest = NULL;
    profile->tolerance_count = 0;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (profile->tolerance_count == CN_PROFILE_TOLERANCES) {
            cn_usage_error("profile", "--tol takes at most %d tolerances", CN_PROFILE_TOLERANCES);
        }
        profile->tolerance_texts[profile->tolerance_count] = word;
        profile->tolerances[profile->tolerance_count++] =
            cn_parse_real("profile", "--tol", word, 1e-300, 1e300);
    }
    if (profile->tolerance_count == 0) {
        cn_usage_error("profile", "--tol wants a number, not '%s'", text);
    }
}

static cn_cost cn_profile_cost(const char *text) {
    if (strcmp(text, "cpu") != 0 && strcmp(text, "iterations") != 0) {
        cn_usage_error("profile", "no cost '%s'; use cpu or iterations", text);
    }
    return text[0] == 'c' ? CN_COST_CPU : CN_COST_ITERATIONS;
}

static error_t cn_profile_option(int key, char *value, struct argp_state *state) {
    cn_profile_job *job = state->input;
    const char *command = job->common.command;
    switch (key) {
    case 's':
        job->solvers = value;
        break;
    case 't':
        cn_profile_tolerances(&job->profile, value);
        break;
    case CN_KEY_MEASURE:
        job->common.measure = cn_parse_measure(command, value);
        break;
    case CN_KEY_COST:
        job->profile.cost = cn_profile_cost(value);
        break;
    case CN_KEY_TIME:
        job->common.time_limit = cn_parse_real(command, "--time-limit", value, 1e-9, 1e9);
        break;
    case 'n':
        job->common.max_iterations =
            (int32_t)cn_parse_int(command, "--max-iter", value, 0, INT32_MAX);
        break;
    case CN_KEY_FORM:
        job->form = cn_parse_form(command, value);
        break;
    case 'r':
        job->repeats = (int32_t)cn_parse_int(command, "--repeats", value, 1, 1000);
        break;
    case 'o':
        job->out = value;
        break;
    case 'j':
        job->json = true;
        break;
    case 'q':
        job->quiet = true;
        break;
    case ARGP_KEY_ARG:
        cn_word_list_add(&job->paths, value);
        break;
    case ARGP_KEY_NO_ARGS:
        cn_usage_error(command, "no problem file given; see cairn profile --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_profile_argp = {
    .options = cn_profile_options,
    .parser = cn_profile_option,
    .args_doc = "PROBLEM...",
    .doc =
        "Compare solvers over a set of problem files: which share of them each solves within a "
        "factor of the fastest (performance profiles after Dolan and More)."
        "\vA solve that does not reach the tolerance never counts; a problem that no solver "
        "solves stays in the set. Unsolved problems are a result here and leave the exit code at "
        "0. With several tolerances the figures are FILE-1e-4.svg and so on. Ctrl-C ends the "
        "measuring; the problems that every solver has been through are kept."};

// ---- the solvers ----

static void cn_profile_add_entry(cn_profile_job *job, const char *label) {
    cn_profile *profile = &job->profile;
    for (int32_t i = 0; i < profile->entry_count; i++) {
        if (strcmp(profile->entries[i].label, label) == 0) {
            return;
        }
    }
    cn_profile_entry entry = {.label = label, .words = cn_text("%s", label), .choice = job->common};
    char *rest = NULL;
    entry.choice.solver = strtok_r(entry.words, ":", &rest);
    if (!entry.choice.solver || strcmp(entry.choice.solver, "all") == 0) {
        cn_usage_error("profile", "--solvers wants names such as auto,nsgs, not '%s'", label);
    }
    for (char *word = strtok_r(NULL, ":", &rest); word; word = strtok_r(NULL, ":", &rest)) {
        if (strncmp(word, "local=", strlen("local=")) == 0) {
            entry.choice.local = word + strlen("local=");
        } else {
            cn_word_list_add(&entry.choice.settings, word);
        }
    }
    cn_choice_check(&entry.choice);
    profile->entries =
        cn_reallocate(profile->entries, profile->entry_count + 1, sizeof *profile->entries);
    profile->entries[profile->entry_count++] = entry;
}

// The words of --solvers; without it the names of both tables, each once. Returns what the labels
// point into, to be freed.
static char *cn_profile_entries(cn_profile_job *job) {
    char *names = job->solvers ? cn_text("%s", job->solvers) : NULL;
    char *rest = NULL;
    for (char *word = names ? strtok_r(names, ",", &rest) : NULL; word;
         word = strtok_r(NULL, ",", &rest)) {
        cn_profile_add_entry(job, word);
    }
    if (names && job->profile.entry_count == 0) {
        cn_usage_error("profile", "--solvers names none; see cairn solvers");
    }
    for (int32_t i = 0; !names && i < cn_friction_solver_count(); i++) {
        cn_profile_add_entry(job, cn_friction_solver_at(i)->info.name);
    }
    for (int32_t i = 0; !names && i < cn_lcp_solver_count(); i++) {
        cn_profile_add_entry(job, cn_lcp_solver_at(i)->info.name);
    }
    return names;
}

// ---- measuring ----

// What the solver reports goes only into how far the whole is: one line for all solves.
static bool cn_profile_step(void *user, const cn_progress *progress) {
    cn_profile_job *job = user;
    cn_progress whole = {.stage = job->doing,
                         .done = job->done,
                         .total = job->total,
                         .residual = progress->residual};
    return cn_progress_step(&job->line, &whole);
}

// One entry on one problem. Repeats change nothing but the time.
static cn_status cn_profile_run(cn_profile_job *job, cn_case *c, const cn_profile_entry *entry,
                                double tolerance, cn_profile_solve *out, cn_error *error) {
    cn_choice choice = entry->choice;
    choice.tolerance = tolerance;
    cn_chosen *chosen;
    cn_choice_expand(&choice, c, &chosen);
    chosen->opts.progress = cn_profile_step;
    chosen->opts.progress_user = job;
    double *r = CN_ALLOCATE(double, c->unknowns);
    double *u = CN_ALLOCATE(double, c->unknowns);
    double together = 0.0;
    cn_status status = CN_OK;
    for (int32_t i = 0;
         i < job->repeats && status == CN_OK && (i == 0 || together < CN_PROFILE_TOGETHER); i++) {
        cn_solve_report report;
        memset(r, 0, (size_t)c->unknowns * sizeof *r);
        status = cn_chosen_run(chosen, c, r, u, &report, error);
        together += report.cpu_s;
        if (status == CN_OK && (i == 0 || report.cpu_s < out->cpu_s)) {
            *out =
                (cn_profile_solve){report.outcome, report.iterations, report.cpu_s, report.grade};
        }
    }
    free(r);
    free(u);
    free(chosen);
    return status;
}

// All entries at all tolerances; the problem counts only when none was interrupted.
static int cn_profile_measure_one(cn_profile_job *job, cn_case *c) {
    cn_profile *profile = &job->profile;
    int32_t count = profile->tolerance_count * profile->entry_count;
    cn_profile_solve *solves = CN_ALLOCATE(cn_profile_solve, count);
    int code = CN_EXIT_DONE;
    for (int32_t i = 0; i < count && code == CN_EXIT_DONE; i++) {
        const cn_profile_entry *entry = &profile->entries[i % profile->entry_count];
        double tolerance = profile->tolerances[i / profile->entry_count];
        cn_error error;
        free(job->doing);
        job->doing = cn_text("%s %s", c->name, entry->label);
        cn_status status = cn_profile_run(job, c, entry, tolerance, &solves[i], &error);
        job->done++;
        if (status == CN_ERR_CANCELLED || cn_interrupted()) {
            code = CN_EXIT_INTERRUPTED;
        } else if (status != CN_OK) {
            code = cn_report_error(&error);
        }
    }
    if (code == CN_EXIT_DONE) {
        cn_profile_add(profile, c, solves);
        if (job->json) {
            cn_profile_print_solves_json(profile, profile->problem_count - 1);
        }
    }
    free(solves);
    return code;
}

static int cn_profile_measure(cn_profile_job *job) {
    int64_t solves = (int64_t)job->profile.tolerance_count * job->profile.entry_count;
    int code = CN_EXIT_DONE;
    job->total = solves * job->paths.count;
    job->line = cn_progress_start("profile", !job->quiet);
    job->line.reached = true;
    for (int32_t i = 0; i < job->paths.count && !cn_interrupted(); i++) {
        cn_case c;
        cn_error error;
        if (cn_case_open(NULL, job->paths.words[i], job->form, &c, &error) != CN_OK) {
            cn_progress_finish(&job->line);
            code = cn_exit_join(code, cn_report_error(&error));
            continue;
        }
        job->done = i * solves;
        code = cn_exit_join(code, cn_profile_measure_one(job, &c));
        cn_case_close(&c);
    }
    cn_progress_finish(&job->line);
    if (cn_interrupted()) {
        fprintf(stderr, "cairn: interrupted: %d of %d problems were measured by all solvers\n",
                (int)job->profile.problem_count, (int)job->paths.count);
        code = CN_EXIT_INTERRUPTED;
    }
    return code;
}

static int cn_profile_tell(cn_profile_job *job) {
    const cn_profile *profile = &job->profile;
    if (profile->problem_count == 0) {
        return CN_EXIT_DONE;
    }
    if (job->json) {
        cn_profile_print_json(profile);
    } else if (!job->quiet) {
        cn_profile_print(profile);
    }
    return job->out ? cn_profile_write(profile, job->out) : CN_EXIT_DONE;
}

int cn_command_profile(int argc, char **argv) {
    cn_profile_job job = {
        .common = cn_choice_default("profile"),
        .profile = {.tolerances = {1e-8}, .tolerance_texts = {"1e-8"}, .tolerance_count = 1},
        .repeats = CN_PROFILE_REPEATS};
    job.common.time_limit = CN_PROFILE_LIMIT;
    cn_parse_arguments(&cn_profile_argp, argc, argv, &job);
    size_t length = job.out ? strlen(job.out) : 0;
    if (job.out && (length <= 4 || strcmp(job.out + length - 4, ".svg") != 0)) {
        cn_usage_error("profile", "-o wants a name that ends in .svg, not '%s'", job.out);
    }
    job.profile.measure = job.common.measure;
    job.profile.time_limit = job.common.time_limit;
    char *names = cn_profile_entries(&job);
    int code = CN_EXIT_FAILURE;
    if (!job.out || cn_profile_can_write(&job.profile, job.out)) {
        cn_interrupt_catch();
        code = cn_profile_measure(&job);
        code = cn_exit_join(code, cn_profile_tell(&job));
    }
    cn_profile_free(&job.profile);
    free(job.paths.words);
    free(job.doing);
    free(names);
    return code;
}
