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

#include "support/json.h"
#include "support/problem_file.h"
#include "support/progress.h"
#include "support/solver_choice.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_VERSUS_LIMIT 25.0 // [s] of CPU for a solve
#define CN_VERSUS_LIMIT_TEXT "25"
#define CN_VERSUS_SOLVES 20     // of ours in a round, as many as the peer does ...
#define CN_VERSUS_TOGETHER 0.3  // [s] ... unless they take longer than this together
#define CN_VERSUS_ENOUGH 4.0    // [s] of CPU after which a problem gets no more rounds
#define CN_VERSUS_ROUNDING 1e-6 // the peer sums in another order when it looks at its tolerance
#define CN_VERSUS_TEXT 4096     // what a peer may print

static const struct {
    double value;
    const char *text, *column; // column of siconos.csv
} cn_versus_tolerances[] = {{1e-4, "1e-4", "best4"}, {1e-8, "1e-8", "best8"}};
#define CN_VERSUS_TOLERANCES                                                                       \
    ((int32_t)(sizeof cn_versus_tolerances / sizeof cn_versus_tolerances[0]))

typedef struct cn_versus_time {
    double cpu_s, residual;
    int64_t iterations;
    bool solved;
} cn_versus_time;

static cn_versus_time cn_versus_time_new(void) {
    return (cn_versus_time){.cpu_s = HUGE_VAL, .residual = (double)NAN};
}

typedef struct cn_versus {
    const cn_bench_job *job;
    char *peer;
    char *hints; // the text of siconos.csv, or NULL
    cn_table table;
    double log_sum[CN_VERSUS_TOLERANCES];
    int32_t count[CN_VERSUS_TOLERANCES];
    cn_word_list apart[CN_VERSUS_TOLERANCES]; // why each problem without a ratio has none
} cn_versus;

// ---- which setting ----

static char *cn_versus_read_hints(void) {
    const char *corpus = getenv("CAIRN_CORPUS");
    char *path = cn_text("%s/siconos.csv", corpus && corpus[0] ? corpus : ".");
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
static int32_t cn_csv_column(const char *line, const char *name) {
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
static char *cn_csv_cell(const char *line, int32_t column) {
    for (int32_t i = 0; i < column; i++) {
        line += strcspn(line, ",\r\n");
        if (*line++ != ',') {
            return NULL;
        }
    }
    return cn_text("%.*s", (int)strcspn(line, ",\r\n"), line);
}

// The setting that siconos.csv names for a problem, to be freed; NULL: none is named.
static char *cn_versus_hint(const cn_versus *versus, const char *problem, const char *column_name) {
    if (!versus->hints) {
        return NULL;
    }
    int32_t problems = cn_csv_column(versus->hints, "problem");
    int32_t column = cn_csv_column(versus->hints, column_name);
    for (const char *line = versus->hints; problems >= 0 && column >= 0 && *line;) {
        char *name = cn_csv_cell(line, problems);
        bool found = name && strcmp(name, problem) == 0;
        free(name);
        if (found) {
            return cn_csv_cell(line, column);
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

// ---- the two entrants ----

static void cn_versus_ours(cn_case *c, double tolerance, cn_versus_time *best) {
    cn_choice choice = cn_choice_default("bench");
    choice.tolerance = tolerance;
    choice.measure = CN_MEASURE_MAX;
    choice.time_limit = CN_VERSUS_LIMIT;
    cn_chosen *chosen;
    cn_choice_expand(&choice, c, &chosen);
    double *r = CN_ALLOCATE(double, c->unknowns);
    double *u = CN_ALLOCATE(double, c->unknowns);
    double together = 0.0;
    for (int32_t i = 0; i < CN_VERSUS_SOLVES && together < CN_VERSUS_TOGETHER; i++) {
        cn_solve_report report;
        cn_error error;
        memset(r, 0, (size_t)c->unknowns * sizeof *r);
        if (cn_chosen_run(chosen, c, r, u, &report, &error) != CN_OK) {
            break;
        }
        together += report.cpu_s;
        if (report.cpu_s < best->cpu_s) {
            *best = (cn_versus_time){report.cpu_s, report.grade.residual_max, report.iterations,
                                     report.outcome == CN_SOLVED};
        }
    }
    free(r);
    free(u);
    free(chosen);
}

static void cn_versus_theirs(const cn_versus *versus, const char *path, const char *setting,
                             int32_t k, cn_versus_time *best) {
    char text[CN_VERSUS_TEXT];
    char *const argv[] = {versus->peer,         (char *)path,
                          (char *)setting,      (char *)cn_versus_tolerances[k].text,
                          CN_VERSUS_LIMIT_TEXT, NULL};
    double cpu_s, residual, iterations;
    if (!cn_peer_capture(argv, text, sizeof text) || !cn_peer_field(text, "\"cpu_s\":", &cpu_s) ||
        !cn_peer_field(text, "\"residual_max\":", &residual) ||
        !cn_peer_field(text, "\"iterations\":", &iterations)) {
        return;
    }
    if (cpu_s < best->cpu_s) {
        double most = cn_versus_tolerances[k].value * (1.0 + CN_VERSUS_ROUNDING);
        *best = (cn_versus_time){cpu_s, residual, (int64_t)iterations, residual <= most};
    }
}

// The fastest of all settings that solve the problem, to be freed; NULL: none does.
static char *cn_versus_search(const cn_versus *versus, const cn_case *c, int32_t k) {
    char names[CN_VERSUS_TEXT];
    char *const argv[] = {versus->peer, "--list", c->dim == 2 ? "2" : "3", NULL};
    char *fastest = NULL;
    double fastest_s = HUGE_VAL;
    if (!cn_peer_capture(argv, names, sizeof names)) {
        return NULL;
    }
    char *rest = NULL;
    for (char *name = strtok_r(names, "\n", &rest); name && !cn_interrupted();
         name = strtok_r(NULL, "\n", &rest)) {
        cn_versus_time time = cn_versus_time_new();
        cn_versus_theirs(versus, c->path, name, k, &time);
        if (time.solved && time.cpu_s < fastest_s) {
            free(fastest);
            fastest = cn_text("%s", name);
            fastest_s = time.cpu_s;
        }
    }
    return fastest;
}

// ---- results ----

static void cn_versus_print(cn_versus *versus, const cn_case *c, int32_t k, const char *setting,
                            const cn_versus_time *theirs, const cn_versus_time *ours) {
    double ratio = theirs->solved && ours->solved ? ours->cpu_s / theirs->cpu_s : (double)NAN;
    if (versus->job->json) {
        cn_json json = cn_put_start(stdout);
        cn_put_open(&json, NULL, '{');
        cn_put_text(&json, "bench", "siconos");
        cn_put_text(&json, "problem", c->name);
        cn_put_int(&json, "dim", c->dim);
        cn_put_int(&json, "contacts", c->contacts);
        cn_put_real(&json, "tol", cn_versus_tolerances[k].value);
        cn_put_text(&json, "measure", cn_measure_text(CN_MEASURE_MAX));
        cn_put_text(&json, "setting", setting);
        cn_put_bool(&json, "siconos_solved", theirs->solved);
        cn_put_int(&json, "siconos_iterations", theirs->iterations);
        cn_put_real(&json, "siconos_residual_max", theirs->residual);
        cn_put_real(&json, "siconos_s", theirs->cpu_s);
        cn_put_bool(&json, "auto_solved", ours->solved);
        cn_put_int(&json, "auto_iterations", ours->iterations);
        cn_put_real(&json, "auto_residual_max", ours->residual);
        cn_put_real(&json, "auto_s", ours->cpu_s);
        cn_put_real(&json, "ratio", ratio);
        cn_put_close(&json, '}');
        cn_put_end(&json);
        fflush(stdout);
        return;
    }
    cn_table *table = &versus->table;
    cn_table_text(table, c->name, CN_INK_PLAIN);
    cn_table_int(table, c->dim);
    cn_table_int(table, c->contacts);
    cn_table_text(table, cn_versus_tolerances[k].text, CN_INK_PLAIN);
    cn_table_text(table, setting ? setting : "-", CN_INK_PLAIN);
    cn_table_real(table, 4, theirs->solved ? 1e3 * theirs->cpu_s : (double)NAN);
    cn_table_real(table, 4, ours->solved ? 1e3 * ours->cpu_s : (double)NAN);
    cn_table_int(table, ours->iterations);
    cn_table_real(table, 3, ratio);
}

static void cn_versus_print_apart(const cn_versus *versus, int32_t k) {
    const cn_word_list *apart = &versus->apart[k];
    for (int32_t i = 0; i < apart->count; i++) {
        printf("  without a ratio: %s\n", apart->words[i]);
    }
}

static void cn_versus_summary(const cn_versus *versus) {
    for (int32_t k = 0; k < CN_VERSUS_TOLERANCES; k++) {
        int32_t count = versus->count[k];
        double mean = count > 0 ? exp(versus->log_sum[k] / count) : (double)NAN;
        if (!versus->job->json) {
            printf("%sauto / Siconos to %s: ", k == 0 ? "\n" : "", cn_versus_tolerances[k].text);
            if (count > 0) {
                printf("%.3f over %d problems (geometric mean)\n", mean, (int)count);
            } else {
                puts("no problem that both solve");
            }
            cn_versus_print_apart(versus, k);
            continue;
        }
        cn_json json = cn_put_start(stdout);
        cn_put_open(&json, NULL, '{');
        cn_put_text(&json, "bench", "siconos");
        cn_put_text(&json, "summary", "geometric mean of the time of auto over that of Siconos");
        cn_put_real(&json, "tol", cn_versus_tolerances[k].value);
        cn_put_int(&json, "problems", count);
        cn_put_real(&json, "auto_over_siconos", mean);
        cn_put_open(&json, "without_ratio", '[');
        for (int32_t i = 0; i < versus->apart[k].count; i++) {
            cn_put_text(&json, NULL, versus->apart[k].words[i]);
        }
        cn_put_close(&json, ']');
        cn_put_close(&json, '}');
        cn_put_end(&json);
    }
}

// ---- the run ----

static void cn_versus_problem(cn_versus *versus, cn_case *c, int32_t k) {
    cn_versus_time ours = cn_versus_time_new(), theirs = cn_versus_time_new();
    char *setting = cn_versus_hint(versus, c->name, cn_versus_tolerances[k].column);
    bool is_known_unsolved = setting && strcmp(setting, "NONE") == 0;
    if (is_known_unsolved || !setting) {
        free(setting);
        setting = is_known_unsolved ? NULL : cn_versus_search(versus, c, k);
    }
    double start = cn_wall_clock();
    for (int32_t i = 0; i < versus->job->repeats && !cn_interrupted() &&
                        cn_wall_clock() - start < CN_VERSUS_ENOUGH;
         i++) {
        cn_versus_ours(c, cn_versus_tolerances[k].value, &ours);
        if (setting) {
            cn_versus_theirs(versus, c->path, setting, k, &theirs);
        }
    }
    if (cn_interrupted()) {
        free(setting);
        return;
    }
    cn_versus_print(versus, c, k, setting, &theirs, &ours);
    if (theirs.solved && ours.solved) {
        versus->log_sum[k] += log(ours.cpu_s / theirs.cpu_s);
        versus->count[k]++;
    } else {
        const char *who = ours.solved     ? "Siconos does not solve it, auto does"
                          : theirs.solved ? "auto does not solve it, Siconos does"
                                          : "neither solves it";
        cn_word_list_add(&versus->apart[k], cn_text("%s: %s", c->name, who));
    }
    free(setting);
}

static int cn_versus_file(cn_versus *versus, const char *path, int32_t smallest) {
    cn_case c;
    cn_error error;
    if (cn_case_open(NULL, path, CN_FORM_ASSEMBLED, &c, &error) != CN_OK) {
        return cn_report_error(&error);
    }
    for (int32_t k = 0; k < CN_VERSUS_TOLERANCES; k++) {
        if (!cn_case_is_lcp(&c) && c.contacts >= smallest && !cn_interrupted()) {
            cn_versus_problem(versus, &c, k);
        }
    }
    cn_case_close(&c);
    return CN_EXIT_DONE;
}

static void cn_versus_free(cn_versus *versus) {
    for (int32_t k = 0; k < CN_VERSUS_TOLERANCES; k++) {
        for (int32_t i = 0; i < versus->apart[k].count; i++) {
            free((char *)versus->apart[k].words[i]);
        }
        free(versus->apart[k].words);
    }
    free(versus->peer);
    free(versus->hints);
}

int cn_bench_siconos(const cn_bench_job *job) {
    cn_versus versus = {.job = job, .peer = cn_peer_find("siconos_solve")};
    if (!versus.peer) {
        fputs("cairn bench: siconos is left out: it was not built (install "
              "libsiconos-numerics-dev and configure again)\n",
              stderr);
        return CN_EXIT_DONE;
    }
    versus.hints = cn_versus_read_hints();
    cn_bench_files files = cn_bench_files_find(job);
    if (files.count == 0) {
        fputs("cairn bench: siconos is left out: set CAIRN_CORPUS to a folder of problems, or name "
              "some\n",
              stderr);
    } else if (!job->json) {
        const cn_column columns[] = {
            {"problem", -38},   {"dim", 3},     {"contacts", 8},    {"tol", -4},  {"setting", -13},
            {"Siconos ms", 10}, {"auto ms", 9}, {"iterations", 10}, {"ratio", 7}, {NULL, 0}};
        puts("CPU time of auto over that of Siconos' best setting, residual_max");
        cn_table_start(&versus.table, stdout, columns);
    }
    cn_interrupt_catch();
    int code = CN_EXIT_DONE;
    for (int32_t i = 0; i < files.count && !cn_interrupted(); i++) {
        code = cn_exit_join(code, cn_versus_file(&versus, files.paths[i], files.smallest));
    }
    if (files.count > 0) {
        cn_versus_summary(&versus);
    }
    cn_bench_files_free(&files);
    cn_versus_free(&versus);
    return cn_interrupted() ? CN_EXIT_INTERRUPTED : code;
}
