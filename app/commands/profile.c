// app/commands/profile.c
// cairn profile: run solvers over problem files and draw their performance profiles.
#include "commands/profile_data.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/progress.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE_LIMIT 10.0   // [s] of CPU for a solve, by default
#define PROFILE_TOGETHER 0.3 // [s] repeats of a solve may take together
#define PROFILE_REPEATS 3    // the shortest of so many solves counts, by default

typedef struct profile_job {
    solver_choice common; // what all entries share
    problem_form form;
    performance_profile profile;
    word_list paths;
    const char *solvers; // NULL: all
    const char *out;     // NULL: no files
    int32_t repeats;
    bool json, quiet;
    progress_line line;
    char *doing; // for the progress line
    int64_t done, total;
} profile_job;

// ---- command line ----

// Takes the words of the text apart in place: they live as long as the command line does.
static void profile_tolerances(void *job, const char *command, const command_option *option,
                               char *text) {
    performance_profile *profile = &((profile_job *)job)->profile;
    char *rest = NULL;
    (void)option;
    profile->tolerance_count = 0;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (profile->tolerance_count == PROFILE_TOLERANCES) {
            usage_error(command, "--tol takes at most %d tolerances", PROFILE_TOLERANCES);
        }
        profile->tolerance_texts[profile->tolerance_count] = word;
        profile->tolerances[profile->tolerance_count++] =
            parse_real(command, "--tol", word, 1e-300, 1e300);
    }
    if (profile->tolerance_count == 0) {
        usage_error(command, "--tol wants a number, not '%s'", text);
    }
}

static void profile_cost(void *job, const char *command, const command_option *option, char *text) {
    (void)option;
    if (strcmp(text, "cpu") != 0 && strcmp(text, "iterations") != 0) {
        usage_error(command, "no cost '%s'; use cpu or iterations", text);
    }
    ((profile_job *)job)->profile.cost = text[0] == 'c' ? COST_CPU : COST_ITERATIONS;
}

static const command_option profile_options[] = {
    {"solvers", 's', "A,B,...",
     "Solvers to compare (default: all that take the problems); with settings as "
     "nsgs:anderson=0:local=newton",
     TO_TEXT(profile_job, solvers)},
    {"tol", 't', "E,...", "Tolerances on the residual (default 1e-8)",
     TO_FUNCTION(profile_tolerances)},
    MEASURE_OPTION(profile_job, common.measure),
    {"cost", 0, "C", "What is compared: cpu (default) or iterations", TO_FUNCTION(profile_cost)},
    {"time-limit", 0, "S", "CPU time limit per solve [s] (default 10)",
     TO_REAL(profile_job, common.time_limit, 1e-9, 1e9)},
    {"max-iter", 'n', "N", "Iteration limit, in each solver's own unit",
     TO_INT(profile_job, common.max_iterations, 0, INT32_MAX)},
    FORM_OPTION(profile_job),
    {"repeats", 'r', "N", "The shortest of N solves counts (default 3; 1 beyond 0.3 s)",
     TO_INT(profile_job, repeats, 1, 1000)},
    {"output", 'o', "FILE.svg",
     "Write the figure, and the numbers beside it as FILE.csv and FILE-solves.csv",
     TO_TEXT(profile_job, out)},
    JSON_LINES_OPTION(profile_job),
    {"quiet", 'q', NULL, "No table and no progress, only errors and the exit code",
     TO_SET(profile_job, quiet)},
    {0}};

static const command_line profile_line = {
    .options = profile_options,
    .args_doc = "PROBLEM...",
    ALL_ARGUMENTS(profile_job, paths),
    .missing = "no problem file given; see cairn profile --help",
    .doc =
        "Compare solvers over a set of problem files: which share of them each solves within a "
        "factor of the fastest (performance profiles after Dolan and More)."
        "\vA solve that does not reach the tolerance never counts; a problem that no solver "
        "solves stays in the set. Unsolved problems are a result here and leave the exit code at "
        "0. With several tolerances the figures are FILE-1e-4.svg and so on. Ctrl-C ends the "
        "measuring; the problems that every solver has been through are kept."};

// ---- the solvers ----

static void profile_add_entry(profile_job *job, const char *label) {
    performance_profile *profile = &job->profile;
    for (int32_t i = 0; i < profile->entry_count; i++) {
        if (strcmp(profile->entries[i].label, label) == 0) {
            return;
        }
    }
    profile_entry entry = {
        .label = label, .words = format_text("%s", label), .choice = job->common};
    char *rest = NULL;
    entry.choice.solver = strtok_r(entry.words, ":", &rest);
    if (!entry.choice.solver || strcmp(entry.choice.solver, "all") == 0) {
        usage_error("profile", "--solvers wants names such as auto,nsgs, not '%s'", label);
    }
    for (char *word = strtok_r(NULL, ":", &rest); word; word = strtok_r(NULL, ":", &rest)) {
        if (strncmp(word, "local=", strlen("local=")) == 0) {
            entry.choice.local = word + strlen("local=");
        } else {
            word_list_add(&entry.choice.settings, word);
        }
    }
    solver_choice_check(&entry.choice);
    profile->entries =
        reallocate(profile->entries, profile->entry_count + 1, sizeof *profile->entries);
    profile->entries[profile->entry_count++] = entry;
}

// The words of --solvers; without it the names of both tables, each once. Returns what the labels
// point into, to be freed.
static char *profile_entries(profile_job *job) {
    char *names = job->solvers ? format_text("%s", job->solvers) : NULL;
    char *rest = NULL;
    for (char *word = names ? strtok_r(names, ",", &rest) : NULL; word;
         word = strtok_r(NULL, ",", &rest)) {
        profile_add_entry(job, word);
    }
    if (names && job->profile.entry_count == 0) {
        usage_error("profile", "--solvers names none; see cairn solvers");
    }
    for (int32_t i = 0; !names && i < cn_friction_solver_count(); i++) {
        profile_add_entry(job, cn_friction_solver_at(i)->info.name);
    }
    for (int32_t i = 0; !names && i < cn_lcp_solver_count(); i++) {
        profile_add_entry(job, cn_lcp_solver_at(i)->info.name);
    }
    return names;
}

// ---- measuring ----

// What the solver reports goes only into how far the whole is: one line for all solves.
static bool profile_step(void *user, const cn_progress *progress) {
    profile_job *job = user;
    cn_progress whole = {.stage = job->doing,
                         .done = job->done,
                         .total = job->total,
                         .residual = progress->residual};
    return progress_step(&job->line, &whole);
}

// One entry on one problem. Repeats change nothing but the time.
static cn_status profile_run(profile_job *job, problem_file *c, const profile_entry *entry,
                             double tolerance, profile_solve *out, cn_error *error) {
    solver_choice choice = entry->choice;
    choice.tolerance = tolerance;
    chosen_solver *chosen;
    solver_choice_expand(&choice, c, &chosen);
    chosen->opts.progress = profile_step;
    chosen->opts.progress_user = job;
    double *r = ALLOCATE(double, c->unknowns);
    double *u = ALLOCATE(double, c->unknowns);
    double together = 0.0;
    cn_status status = CN_OK;
    for (int32_t i = 0;
         i < job->repeats && status == CN_OK && (i == 0 || together < PROFILE_TOGETHER); i++) {
        cn_solve_report report;
        memset(r, 0, (size_t)c->unknowns * sizeof *r);
        status = chosen_solver_run(chosen, c, r, u, &report, error);
        together += report.cpu_s;
        if (status == CN_OK && (i == 0 || report.cpu_s < out->cpu_s)) {
            *out = (profile_solve){report.outcome, report.iterations, report.cpu_s, report.grade};
        }
    }
    free(r);
    free(u);
    free(chosen);
    return status;
}

// All entries at all tolerances; the problem counts only when none was interrupted.
static int profile_measure_one(profile_job *job, problem_file *c) {
    performance_profile *profile = &job->profile;
    int32_t count = profile->tolerance_count * profile->entry_count;
    profile_solve *solves = ALLOCATE(profile_solve, count);
    int code = EXIT_DONE;
    for (int32_t i = 0; i < count && code == EXIT_DONE; i++) {
        const profile_entry *entry = &profile->entries[i % profile->entry_count];
        double tolerance = profile->tolerances[i / profile->entry_count];
        cn_error error;
        free(job->doing);
        job->doing = format_text("%s %s", c->name, entry->label);
        cn_status status = profile_run(job, c, entry, tolerance, &solves[i], &error);
        job->done++;
        if (status == CN_ERR_CANCELLED || interrupted()) {
            code = EXIT_INTERRUPTED;
        } else if (status != CN_OK) {
            code = report_error(&error);
        }
    }
    if (code == EXIT_DONE) {
        profile_add(profile, c, solves);
        if (job->json) {
            profile_print_solves_json(profile, profile->problem_count - 1);
        }
    }
    free(solves);
    return code;
}

static int profile_measure_all(profile_job *job) {
    int64_t solves = (int64_t)job->profile.tolerance_count * job->profile.entry_count;
    int code = EXIT_DONE;
    job->total = solves * job->paths.count;
    job->line = progress_start("profile", !job->quiet);
    job->line.reached = true;
    for (int32_t i = 0; i < job->paths.count && !interrupted(); i++) {
        problem_file c;
        cn_error error;
        if (file_refuse(job->paths.words[i], FILE_PROBLEM) != EXIT_DONE) {
            code = exit_join(code, EXIT_INPUT);
            continue;
        }
        if (problem_file_open(NULL, job->paths.words[i], job->form, &c, &error) != CN_OK) {
            progress_finish(&job->line);
            code = exit_join(code, report_error(&error));
            continue;
        }
        job->done = i * solves;
        code = exit_join(code, profile_measure_one(job, &c));
        problem_file_close(&c);
    }
    progress_finish(&job->line);
    if (interrupted()) {
        fprintf(stderr, "cairn: interrupted: %d of %d problems were measured by all solvers\n",
                (int)job->profile.problem_count, (int)job->paths.count);
        code = EXIT_INTERRUPTED;
    }
    return code;
}

static int profile_report(profile_job *job) {
    const performance_profile *profile = &job->profile;
    if (profile->problem_count == 0) {
        return EXIT_DONE;
    }
    if (job->json || !job->quiet) {
        profile_print(profile, job->json);
    }
    return job->out ? profile_write(profile, job->out) : EXIT_DONE;
}

int command_profile(int argc, char **argv) {
    profile_job job = {
        .common = solver_choice_default("profile"),
        .profile = {.tolerances = {1e-8}, .tolerance_texts = {"1e-8"}, .tolerance_count = 1},
        .repeats = PROFILE_REPEATS};
    job.common.time_limit = PROFILE_LIMIT;
    parse_arguments(&profile_line, argc, argv, &job);
    size_t length = job.out ? strlen(job.out) : 0;
    if (job.out && (length <= 4 || strcmp(job.out + length - 4, ".svg") != 0)) {
        usage_error("profile", "-o wants a name that ends in .svg, not '%s'", job.out);
    }
    job.profile.measure = job.common.measure;
    job.profile.time_limit = job.common.time_limit;
    char *names = profile_entries(&job);
    int code = EXIT_FAILED;
    if (!job.out || profile_can_write(&job.profile, job.out)) {
        interrupt_catch();
        code = profile_measure_all(&job);
        code = exit_join(code, profile_report(&job));
    }
    profile_free(&job.profile);
    free(job.paths.words);
    free(job.doing);
    free(names);
    return code;
}
