// bench/nsgs.c
// CPU nanoseconds per contact per sweep of nonsmooth Gauss-Seidel, plain and accelerated, beside a
// naive sweep and beside Siconos in the same run.
//
// A run of few sweeps is taken from a run of many, so that set-up and the last grading cancel; both
// start from r = 0 and no tolerance stops them. The entrants take turns and the shortest time of
// each counts, so that a machine's bad moment hurts nobody. What remains are ratios, which travel
// from machine to machine better than nanoseconds do.
#include "bench/bench.h"

#include "support/json.h"
#include "support/problem_file.h"
#include "support/solver_choice.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CN_BENCH_WORK 300000 // contact-sweeps of a long run: some 30 ms
#define CN_BENCH_SWEEPS_MIN 100
#define CN_BENCH_SWEEPS_MAX 200   // more would time sweeps that have nothing left to do
#define CN_BENCH_FEW 0.1          // share of them in the short run
#define CN_BENCH_LARGE 200        // contacts; problems of the geometric mean
#define CN_BENCH_TOLERANCE 1e-300 // never reached

enum { CN_PLAIN, CN_ACCELERATED, CN_NAIVE, CN_SICONOS, CN_ENTRANTS };
static const char *const cn_entrant_names[CN_ENTRANTS] = {"plain", "accelerated", "naive",
                                                          "siconos"};

// The shortest times so far.
typedef struct cn_stopwatch {
    double few_s, many_s;
    int64_t few, many;
    bool failed;
} cn_stopwatch;

static cn_stopwatch cn_stopwatch_new(void) {
    return (cn_stopwatch){.few_s = HUGE_VAL, .many_s = HUGE_VAL};
}

static double cn_stopwatch_ns(const cn_stopwatch *watch, int32_t contacts) {
    double sweeps = (double)(watch->many - watch->few) * contacts;
    bool good = !watch->failed && sweeps > 0.0 && watch->many_s > watch->few_s;
    return good ? 1e9 * (watch->many_s - watch->few_s) / sweeps : (double)NAN;
}

// One problem of the bench and what it gave.
typedef struct cn_entry {
    cn_case c;
    const char *form;
    const char *file; // for the peer; NULL: none
    bool counts;      // in the geometric mean
    int32_t few, many;
    cn_stopwatch watch[CN_ENTRANTS];
} cn_entry;

// ---- the entrants ----

static double cn_time_ours(cn_entry *entry, const char *setting, int32_t sweeps, double *r,
                           double *u, int64_t *done) {
    cn_choice choice = cn_choice_default("bench");
    choice.solver = "nsgs";
    choice.tolerance = CN_BENCH_TOLERANCE;
    choice.max_iterations = sweeps;
    if (setting) {
        cn_word_list_add(&choice.settings, setting);
    }
    cn_chosen *chosen;
    cn_choice_expand(&choice, &entry->c, &chosen);
    cn_solve_report report;
    cn_error error;
    memset(r, 0, (size_t)entry->c.unknowns * sizeof *r);
    cn_status status = cn_chosen_run(chosen, &entry->c, r, u, &report, &error);
    free(choice.settings.words);
    free(chosen);
    *done = report.iterations;
    return status == CN_OK ? report.cpu_s : (double)NAN;
}

static double cn_time_naive(cn_entry *entry, int32_t sweeps, double *r, int64_t *done) {
    cn_error error;
    cn_form asked = entry->c.form;
    entry->c.form = CN_FORM_ASSEMBLED; // the yardstick is the same for both forms
    const cn_friction *p = cn_case_friction(&entry->c, CN_TAKES_ASSEMBLED, &error);
    entry->c.form = asked;
    if (!p) {
        return (double)NAN;
    }
    memset(r, 0, (size_t)entry->c.unknowns * sizeof *r);
    double start = cn_cpu_clock();
    for (int32_t i = 0; i < sweeps; i++) {
        cn_naive_sweep(p, r);
    }
    *done = sweeps;
    return cn_cpu_clock() - start;
}

// A NaN time marks the entrant as failed.
static void cn_stopwatch_take(cn_stopwatch *watch, bool many, double seconds, int64_t done) {
    watch->failed = watch->failed || isnan(seconds);
    if (many) {
        watch->many_s = fmin(watch->many_s, seconds);
        watch->many = done;
    } else {
        watch->few_s = fmin(watch->few_s, seconds);
        watch->few = done;
    }
}

static void cn_entry_round(cn_entry *entry, const char *peer, double *r, double *u) {
    cn_stopwatch *watch = entry->watch;
    for (int32_t many = 0; many < 2; many++) {
        int32_t sweeps = many ? entry->many : entry->few;
        int64_t done = 0;
        double seconds = cn_time_ours(entry, "nsgs.anderson=0", sweeps, r, u, &done);
        cn_stopwatch_take(&watch[CN_PLAIN], many, seconds, done);
        seconds = cn_time_ours(entry, NULL, sweeps, r, u, &done);
        cn_stopwatch_take(&watch[CN_ACCELERATED], many, seconds, done);
        seconds = cn_time_naive(entry, sweeps, r, &done);
        cn_stopwatch_take(&watch[CN_NAIVE], many, seconds, done);
    }
    cn_peer_times times;
    if (peer && entry->file && !watch[CN_SICONOS].failed) {
        bool good = cn_peer_run(peer, entry->file, entry->few, entry->many, &times);
        cn_stopwatch_take(&watch[CN_SICONOS], false, good ? times.few_s : (double)NAN,
                          good ? times.few : 0);
        cn_stopwatch_take(&watch[CN_SICONOS], true, good ? times.many_s : (double)NAN,
                          good ? times.many : 0);
    }
}

static void cn_entry_measure(cn_entry *entry, const char *peer, int32_t repeats) {
    int32_t sweeps = CN_BENCH_WORK / (entry->c.contacts > 0 ? entry->c.contacts : 1);
    sweeps = sweeps < CN_BENCH_SWEEPS_MIN ? CN_BENCH_SWEEPS_MIN : sweeps;
    entry->many = sweeps > CN_BENCH_SWEEPS_MAX ? CN_BENCH_SWEEPS_MAX : sweeps;
    entry->few = (int32_t)(CN_BENCH_FEW * entry->many);
    for (int32_t e = 0; e < CN_ENTRANTS; e++) {
        entry->watch[e] = cn_stopwatch_new();
    }
    double *r = CN_ALLOCATE(double, entry->c.unknowns);
    double *u = CN_ALLOCATE(double, entry->c.unknowns);
    for (int32_t i = 0; i < repeats; i++) {
        cn_entry_round(entry, peer, r, u);
    }
    free(r);
    free(u);
}

// ---- results ----

// Logarithms summed for geometric means.
typedef struct cn_means {
    double log_sum[CN_ENTRANTS]; // of plain over the entrant
    double log_accelerated;      // of accelerated over Siconos
    int32_t count[CN_ENTRANTS];
} cn_means;

static void cn_means_add(cn_means *means, const cn_entry *entry) {
    double ns[CN_ENTRANTS];
    for (int32_t e = 0; e < CN_ENTRANTS; e++) {
        ns[e] = cn_stopwatch_ns(&entry->watch[e], entry->c.contacts);
    }
    for (int32_t e = CN_NAIVE; e < CN_ENTRANTS; e++) {
        if (entry->counts && ns[CN_PLAIN] > 0.0 && ns[e] > 0.0) {
            means->log_sum[e] += log(ns[CN_PLAIN] / ns[e]);
            means->count[e]++;
            means->log_accelerated += e == CN_SICONOS ? log(ns[CN_ACCELERATED] / ns[e]) : 0.0;
        }
    }
}

static double cn_means_get(double log_sum, int32_t count) {
    return count > 0 ? exp(log_sum / count) : (double)NAN;
}

static void cn_entry_print(cn_table *table, const cn_entry *entry) {
    double plain = cn_stopwatch_ns(&entry->watch[CN_PLAIN], entry->c.contacts);
    cn_table_text(table, entry->c.name, CN_INK_PLAIN);
    cn_table_int(table, entry->c.dim);
    cn_table_int(table, entry->c.contacts);
    cn_table_text(table, entry->form, CN_INK_PLAIN);
    for (int32_t e = 0; e < CN_ENTRANTS; e++) {
        cn_table_real(table, 4, cn_stopwatch_ns(&entry->watch[e], entry->c.contacts));
    }
    for (int32_t e = CN_NAIVE; e < CN_ENTRANTS; e++) {
        cn_table_real(table, 3, plain / cn_stopwatch_ns(&entry->watch[e], entry->c.contacts));
    }
    cn_table_text(table, entry->counts ? "*" : "", CN_INK_PLAIN);
}

static void cn_entry_print_json(const cn_entry *entry) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "bench", "nsgs");
    cn_put_text(&json, "problem", entry->c.name);
    cn_put_int(&json, "dim", entry->c.dim);
    cn_put_int(&json, "contacts", entry->c.contacts);
    cn_put_text(&json, "operator", entry->form);
    cn_put_int(&json, "sweeps", entry->many - entry->few);
    cn_put_bool(&json, "counts", entry->counts);
    cn_put_open(&json, "ns_per_contact_sweep", '{');
    for (int32_t e = 0; e < CN_ENTRANTS; e++) {
        cn_put_real(&json, cn_entrant_names[e],
                    cn_stopwatch_ns(&entry->watch[e], entry->c.contacts));
    }
    cn_put_close(&json, '}');
    cn_put_close(&json, '}');
    cn_put_end(&json);
    fflush(stdout);
}

static void cn_means_print(const cn_means *means, const cn_bench_job *job, const char *peer) {
    double naive = cn_means_get(means->log_sum[CN_NAIVE], means->count[CN_NAIVE]);
    double siconos = cn_means_get(means->log_sum[CN_SICONOS], means->count[CN_SICONOS]);
    double accelerated = cn_means_get(means->log_accelerated, means->count[CN_SICONOS]);
    if (job->json) {
        cn_json json = cn_put_start(stdout);
        cn_put_open(&json, NULL, '{');
        cn_put_text(&json, "bench", "nsgs");
        cn_put_text(&json, "summary", "geometric means over the problems that count");
        cn_put_int(&json, "problems", means->count[CN_NAIVE]);
        cn_put_real(&json, "plain_over_naive", naive);
        cn_put_int(&json, "problems_siconos", means->count[CN_SICONOS]);
        cn_put_real(&json, "plain_over_siconos", siconos);
        cn_put_real(&json, "accelerated_over_siconos", accelerated);
        cn_put_close(&json, '}');
        cn_put_end(&json);
        return;
    }
    printf("\n* counts in the geometric means: files with at least %d contacts.\n", CN_BENCH_LARGE);
    if (means->count[CN_NAIVE] > 0) {
        printf("plain / naive          %.3f over %d problems\n", naive,
               (int)means->count[CN_NAIVE]);
    } else {
        puts("No file of that size: set CAIRN_CORPUS to a folder of problems, or name some.");
    }
    if (means->count[CN_SICONOS] > 0) {
        printf("plain / Siconos        %.3f over %d problems\n"
               "accelerated / Siconos  %.3f\n",
               siconos, (int)means->count[CN_SICONOS], accelerated);
    } else if (!peer) {
        puts("Siconos: not built (install libsiconos-numerics-dev and configure again).");
    }
}

// ---- the problems ----

typedef struct cn_bench_run {
    const cn_bench_job *job;
    char *peer;
    cn_table table;
    cn_means means;
} cn_bench_run;

static void cn_bench_entry(cn_bench_run *run, cn_entry *entry) {
    cn_entry_measure(entry, run->peer, run->job->repeats);
    cn_means_add(&run->means, entry);
    if (run->job->json) {
        cn_entry_print_json(entry);
    } else {
        cn_entry_print(&run->table, entry);
    }
}

static int cn_bench_file(cn_bench_run *run, const char *path, int32_t smallest) {
    cn_entry entry = {.file = path, .form = "assembled"};
    cn_error error;
    if (cn_case_open(NULL, path, CN_FORM_ASSEMBLED, &entry.c, &error) != CN_OK) {
        return cn_report_error(&error);
    }
    entry.counts = entry.c.contacts >= CN_BENCH_LARGE;
    if (!cn_case_is_lcp(&entry.c) && entry.c.contacts >= smallest) {
        cn_bench_entry(run, &entry);
    }
    cn_case_close(&entry.c);
    return CN_EXIT_DONE;
}

// A planted problem in both forms of the operator. The assembled one is also written to a file for
// the peer.
static int cn_bench_planted(cn_bench_run *run, int32_t dim, int32_t contacts) {
    static const char *const forms[] = {"auto", "assembled", "body"};
    cn_planted_opts opts = cn_planted_opts_default();
    opts.dim = dim;
    opts.contacts = contacts;
    char *name = cn_text("planted-%dd-%d", (int)dim, (int)contacts);
    const char *folder = getenv("TMPDIR");
    char *file =
        cn_text("%s/cairn-%d-%s.hdf5", folder && folder[0] ? folder : "/tmp", (int)getpid(), name);
    int code = CN_EXIT_DONE;
    for (int32_t form = CN_FORM_ASSEMBLED; form <= CN_FORM_BODY && code == CN_EXIT_DONE; form++) {
        cn_problem *problem = NULL;
        cn_error error = {.status = CN_OK};
        cn_entry entry = {.form = forms[form]};
        if (cn_planted_friction(NULL, &opts, &problem, &error) != CN_OK ||
            cn_case_adopt(NULL, problem, name, (cn_form)form, &entry.c, &error) != CN_OK) {
            code = cn_report_error(&error);
            break;
        }
        bool written = run->peer && form == CN_FORM_ASSEMBLED &&
                       cn_problem_write(problem, file, CN_FILE_FCLIB, NULL) == CN_OK;
        entry.file = written ? file : NULL;
        cn_bench_entry(run, &entry);
        if (written) {
            remove(file);
        }
        cn_case_close(&entry.c);
    }
    free(name);
    free(file);
    return code;
}

int cn_bench_nsgs(const cn_bench_job *job) {
    static const int32_t sizes[] = {300, 3000, 10000};
    cn_bench_run run = {.job = job, .peer = cn_peer_find("siconos_nsgs")};
    if (!job->json) {
        const cn_column columns[] = {{"problem", -38},      {"dim", 3},     {"contacts", 8},
                                     {"operator", -9},      {"plain", 7},   {"accelerated", 11},
                                     {"naive", 7},          {"siconos", 7}, {"plain/naive", 11},
                                     {"plain/siconos", 13}, {"", -1},       {NULL, 0}};
        puts("CPU ns per contact per sweep of Gauss-Seidel, local solver hybrid");
        cn_table_start(&run.table, stdout, columns);
    }
    int code = CN_EXIT_DONE;
    for (int32_t dim = 2; dim <= 3 && job->files.count == 0; dim++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            code = cn_exit_join(code, cn_bench_planted(&run, dim, sizes[i]));
        }
    }
    cn_bench_files files = cn_bench_files_find(job);
    for (int32_t i = 0; i < files.count; i++) {
        code = cn_exit_join(code, cn_bench_file(&run, files.paths[i], files.smallest));
    }
    cn_bench_files_free(&files);
    cn_means_print(&run.means, job, run.peer);
    free(run.peer);
    return code;
}
