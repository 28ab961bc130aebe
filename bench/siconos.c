// bench/siconos.c
// CPU time of auto over that of the best setting of Siconos, problem by problem, to 1e-4 and 1e-8.
//
// The best setting is picked after the fact, which no user of Siconos could do: the one that a file
// siconos.csv beside the corpus names (columns problem, best4, best8; NONE: no setting solves it),
// else the fastest of all the settings of the peer program. Both are asked for the same residual,
// the one that Siconos stops on (measure "max"), both start from r = 0, both answers are graded by
// the checker. They take turns in one run and the shortest time of each counts. Problems that
// Siconos, or auto, does not solve have no ratio; they are listed.
#include "bench/bench.h"

#include "support/problem_file.h"
#include "support/progress.h"
#include "support/solver_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERSUS_LIMIT 25.0 // [s] of CPU for a solve
#define VERSUS_LIMIT_TEXT "25"
#define VERSUS_SOLVES 20     // of ours in a round, as many as the peer does ...
#define VERSUS_TOGETHER 0.3  // [s] ... unless they take longer than this together
#define VERSUS_ENOUGH 4.0    // [s] of CPU after which a problem gets no more rounds
#define VERSUS_ROUNDING 1e-6 // the peer sums in another order when it looks at its tolerance
#define VERSUS_TEXT 4096     // what a peer may print

static const struct {
    double value;
    const char *text, *column; // column of siconos.csv
} versus_tolerances[] = {{1e-4, "1e-4", "best4"}, {1e-8, "1e-8", "best8"}};
#define VERSUS_TOLERANCES ((int32_t)(sizeof versus_tolerances / sizeof versus_tolerances[0]))

typedef struct versus_time {
    double cpu_s, residual;
    int64_t iterations;
    bool solved;
} versus_time;

static versus_time versus_time_new(void) {
    return (versus_time){.cpu_s = HUGE_VAL, .residual = (double)NAN};
}

typedef struct siconos_comparison {
    const bench_job *job;
    char *peer;
    char *hints; // the text of siconos.csv, or NULL
    row_table table;
    double log_sum[VERSUS_TOLERANCES];
    int32_t count[VERSUS_TOLERANCES];
    word_list apart[VERSUS_TOLERANCES]; // why each problem without a ratio has none
} siconos_comparison;

// ---- which setting ----

static char *versus_read_hints(void) {
    const char *corpus = getenv("CAIRN_CORPUS");
    char *path = format_text("%s/siconos.csv", corpus && corpus[0] ? corpus : ".");
    FILE *file = corpus && corpus[0] ? fopen(path, "r") : NULL;
    char *text = NULL;
    size_t capacity = 0;
    if (file && getdelim(&text, &capacity, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file) {
        fclose(file);
    }
    free(path);
    return text;
}

// The index of the cell that equals name in a line of comma-separated cells; -1: none.
static int32_t csv_column(const char *line, const char *name) {
    size_t length = strlen(name);
    for (int32_t i = 0;; i++) {
        size_t cell = strcspn(line, ",\r\n");
        if (cell == length && strncmp(line, name, length) == 0) {
            return i;
        }
        if (line[cell] != ',') {
            return -1;
        }
        line += cell + 1;
    }
}

// A cell of a line, to be freed; NULL when the line is too short.
static char *csv_cell(const char *line, int32_t column) {
    for (int32_t i = 0; i < column; i++) {
        line += strcspn(line, ",\r\n");
        if (*line++ != ',') {
            return NULL;
        }
    }
    return format_text("%.*s", (int)strcspn(line, ",\r\n"), line);
}

// The setting that siconos.csv names for a problem, to be freed; NULL: none is named.
static char *versus_hint(const siconos_comparison *versus, const char *problem,
                         const char *column_name) {
    if (!versus->hints) {
        return NULL;
    }
    int32_t problems = csv_column(versus->hints, "problem");
    int32_t column = csv_column(versus->hints, column_name);
    for (const char *line = versus->hints; problems >= 0 && column >= 0 && *line;) {
        char *name = csv_cell(line, problems);
        bool found = name && strcmp(name, problem) == 0;
        free(name);
        if (found) {
            return csv_cell(line, column);
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

// ---- the two engines ----

static void versus_ours(problem_file *c, double tolerance, versus_time *best) {
    solver_choice choice = solver_choice_default("bench");
    choice.tolerance = tolerance;
    choice.measure = CN_MEASURE_MAX;
    choice.time_limit = VERSUS_LIMIT;
    chosen_solver *chosen;
    solver_choice_expand(&choice, c, &chosen);
    double *r = ALLOCATE(double, c->unknowns);
    double *u = ALLOCATE(double, c->unknowns);
    double together = 0.0;
    for (int32_t i = 0; i < VERSUS_SOLVES && together < VERSUS_TOGETHER; i++) {
        cn_solve_report report;
        cn_error error;
        memset(r, 0, (size_t)c->unknowns * sizeof *r);
        if (chosen_solver_run(chosen, c, r, u, &report, &error) != CN_OK) {
            break;
        }
        together += report.cpu_s;
        if (report.cpu_s < best->cpu_s) {
            *best = (versus_time){report.cpu_s, report.grade.residual_max, report.iterations,
                                  report.outcome == CN_SOLVED};
        }
    }
    free(r);
    free(u);
    free(chosen);
}

static void versus_theirs(const siconos_comparison *versus, const char *path, const char *setting,
                          int32_t k, versus_time *best) {
    char text[VERSUS_TEXT];
    char *const argv[] = {versus->peer,      (char *)path,
                          (char *)setting,   (char *)versus_tolerances[k].text,
                          VERSUS_LIMIT_TEXT, NULL};
    double cpu_s, residual, iterations;
    if (!peer_capture(argv, text, sizeof text) || !peer_field(text, "\"cpu_s\":", &cpu_s) ||
        !peer_field(text, "\"residual_max\":", &residual) ||
        !peer_field(text, "\"iterations\":", &iterations)) {
        return;
    }
    if (cpu_s < best->cpu_s) {
        double max = versus_tolerances[k].value * (1.0 + VERSUS_ROUNDING);
        *best = (versus_time){cpu_s, residual, (int64_t)iterations, residual <= max};
    }
}

// The fastest of all settings that solve the problem, to be freed; NULL: none does.
static char *versus_search(const siconos_comparison *versus, const problem_file *c, int32_t k) {
    char names[VERSUS_TEXT];
    char *const argv[] = {versus->peer, "--list", c->dim == 2 ? "2" : "3", NULL};
    char *fastest = NULL;
    double fastest_s = HUGE_VAL;
    if (!peer_capture(argv, names, sizeof names)) {
        return NULL;
    }
    char *rest = NULL;
    for (char *name = strtok_r(names, "\n", &rest); name && !interrupted();
         name = strtok_r(NULL, "\n", &rest)) {
        versus_time time = versus_time_new();
        versus_theirs(versus, c->path, name, k, &time);
        if (time.solved && time.cpu_s < fastest_s) {
            free(fastest);
            fastest = format_text("%s", name);
            fastest_s = time.cpu_s;
        }
    }
    return fastest;
}

// ---- results ----

static const row_column versus_columns[] = {{"problem", "problem", -38, 0, 0.0},
                                            {"dim", "dim", 3, 0, 0.0},
                                            {"contacts", "contacts", 8, 0, 0.0},
                                            {"tol", "tol", 5, 0, 0.0},
                                            {"measure", NULL, 0, 0, 0.0},
                                            {"setting", "setting", -13, 0, 0.0},
                                            {"siconos_solved", NULL, 0, 0, 0.0},
                                            {"siconos_iterations", NULL, 0, 0, 0.0},
                                            {"siconos_residual_max", NULL, 0, 0, 0.0},
                                            {"siconos_s", "Siconos [ms]", 12, 4, 1e-3},
                                            {"auto_solved", NULL, 0, 0, 0.0},
                                            {"auto_iterations", "iterations", 10, 0, 0.0},
                                            {"auto_residual_max", NULL, 0, 0, 0.0},
                                            {"auto_s", "auto [ms]", 9, 4, 1e-3},
                                            {"ratio", "ratio", 7, 3, 0.0},
                                            {NULL, NULL, 0, 0, 0.0}};

static void versus_print_time(row_table *table, const versus_time *time) {
    row_bool(table, time->solved, "yes", "no");
    row_int(table, time->iterations);
    row_real(table, time->residual);
    row_ink(table, time->solved ? INK_PLAIN : INK_BAD);
    row_real(table, time->cpu_s);
}

static void versus_print(siconos_comparison *versus, const problem_file *c, int32_t k,
                         const char *setting, const versus_time *theirs, const versus_time *ours) {
    row_table *table = &versus->table;
    row_text(table, c->name);
    row_int(table, c->dim);
    row_int(table, c->contacts);
    row_real(table, versus_tolerances[k].value);
    row_text(table, cn_measure_text(CN_MEASURE_MAX));
    row_text(table, setting);
    versus_print_time(table, theirs);
    versus_print_time(table, ours);
    row_real(table, theirs->solved && ours->solved ? ours->cpu_s / theirs->cpu_s : (double)NAN);
}

static const row_column means_columns[] = {
    {"summary", NULL, 0, 0, 0.0},        {"tol", "tol", 5, 0, 0.0},
    {"problems", "problems", 8, 0, 0.0}, {"auto_over_siconos", "auto/Siconos", 12, 0, 0.0},
    {"without_ratio", NULL, 0, 0, 0.0},  {NULL, NULL, 0, 0, 0.0}};

static void versus_summary(const siconos_comparison *versus) {
    bool json = versus->job->json;
    if (!json) {
        puts("\nGeometric means over the problems that both solve");
    }
    row_table table = row_table_start(stdout, json, "siconos", means_columns);
    for (int32_t k = 0; k < VERSUS_TOLERANCES; k++) {
        int32_t count = versus->count[k];
        row_text(&table, "geometric mean of the time of auto over that of Siconos");
        row_real(&table, versus_tolerances[k].value);
        row_int(&table, count);
        row_real(&table, count > 0 ? exp(versus->log_sum[k] / count) : (double)NAN);
        row_texts(&table, versus->apart[k].words, versus->apart[k].count);
    }
    for (int32_t k = 0; k < VERSUS_TOLERANCES && !json; k++) {
        for (int32_t i = 0; i < versus->apart[k].count; i++) {
            printf("to %s without a ratio: %s\n", versus_tolerances[k].text,
                   versus->apart[k].words[i]);
        }
    }
}

// ---- the run ----

static void versus_problem(siconos_comparison *versus, problem_file *c, int32_t k) {
    versus_time ours = versus_time_new(), theirs = versus_time_new();
    char *setting = versus_hint(versus, c->name, versus_tolerances[k].column);
    bool is_known_unsolved = setting && strcmp(setting, "NONE") == 0;
    if (is_known_unsolved || !setting) {
        free(setting);
        setting = is_known_unsolved ? NULL : versus_search(versus, c, k);
    }
    double start = wall_clock();
    for (int32_t i = 0;
         i < versus->job->repeats && !interrupted() && wall_clock() - start < VERSUS_ENOUGH; i++) {
        versus_ours(c, versus_tolerances[k].value, &ours);
        if (setting) {
            versus_theirs(versus, c->path, setting, k, &theirs);
        }
    }
    if (interrupted()) {
        free(setting);
        return;
    }
    versus_print(versus, c, k, setting, &theirs, &ours);
    if (theirs.solved && ours.solved) {
        versus->log_sum[k] += log(ours.cpu_s / theirs.cpu_s);
        versus->count[k]++;
    } else {
        const char *who = ours.solved     ? "Siconos does not solve it, auto does"
                          : theirs.solved ? "auto does not solve it, Siconos does"
                                          : "neither solves it";
        word_list_add(&versus->apart[k], format_text("%s: %s", c->name, who));
    }
    free(setting);
}

static int versus_file(siconos_comparison *versus, const char *path, int32_t smallest) {
    problem_file c;
    cn_error error;
    if (problem_file_open(NULL, path, FORM_ASSEMBLED, &c, &error) != CN_OK) {
        return report_error(&error);
    }
    for (int32_t k = 0; k < VERSUS_TOLERANCES; k++) {
        if (!problem_file_is_lcp(&c) && c.contacts >= smallest && !interrupted()) {
            versus_problem(versus, &c, k);
        }
    }
    problem_file_close(&c);
    return EXIT_DONE;
}

static void versus_free(siconos_comparison *versus) {
    for (int32_t k = 0; k < VERSUS_TOLERANCES; k++) {
        for (int32_t i = 0; i < versus->apart[k].count; i++) {
            free((char *)versus->apart[k].words[i]);
        }
        free(versus->apart[k].words);
    }
    free(versus->peer);
    free(versus->hints);
}

int bench_siconos(const bench_job *job) {
    siconos_comparison versus = {.job = job, .peer = peer_find("siconos_solve")};
    if (!versus.peer) {
        fputs("cairn bench: siconos is left out: it was not built (install "
              "libsiconos-numerics-dev and configure again)\n",
              stderr);
        return EXIT_DONE;
    }
    versus.hints = versus_read_hints();
    bench_files files = bench_files_find(job);
    if (files.count == 0) {
        fputs("cairn bench: siconos is left out: set CAIRN_CORPUS to a folder of problems, or name "
              "some\n",
              stderr);
    } else {
        if (!job->json) {
            puts("CPU time of auto over that of Siconos' best setting, residual_max");
        }
        versus.table = row_table_start(stdout, job->json, "siconos", versus_columns);
    }
    interrupt_catch();
    int code = EXIT_DONE;
    for (int32_t i = 0; i < files.count && !interrupted(); i++) {
        code = exit_join(code, versus_file(&versus, files.paths[i], files.smallest));
    }
    if (files.count > 0) {
        versus_summary(&versus);
    }
    bench_files_free(&files);
    versus_free(&versus);
    return interrupted() ? EXIT_INTERRUPTED : code;
}
