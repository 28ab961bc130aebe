// bench/nsgs.c
// CPU nanoseconds per contact per sweep of nonsmooth Gauss-Seidel, plain and accelerated, beside
// Siconos in the same run.
//
// A run of few sweeps is taken from a run of many, so that set-up and the last grading cancel; both
// start from r = 0 and no tolerance stops them. The engines take turns and the shortest time of
// each counts, so that a machine's bad moment hurts nobody. What remains are ratios, which travel
// from machine to machine better than nanoseconds do.
#include "bench/bench.h"

#include "support/problem_file.h"
#include "support/solver_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BENCH_WORK 300000 // contact-sweeps of a long run: some 30 ms
#define BENCH_SWEEPS_MIN 100
#define BENCH_SWEEPS_MAX 200   // more would time sweeps that have nothing left to do
#define BENCH_FEW 0.1          // share of them in the short run
#define BENCH_LARGE 200        // contacts; problems of the geometric mean
#define BENCH_TOLERANCE 1e-300 // never reached

enum { PLAIN, ACCELERATED, SICONOS, ENGINES };

// The shortest times so far.
typedef struct stopwatch {
    double few_s, many_s;
    int64_t few, many;
    bool failed;
} stopwatch;

static double stopwatch_ns(const stopwatch *watch, int32_t contacts) {
    double sweeps = (double)(watch->many - watch->few) * contacts;
    bool good = !watch->failed && sweeps > 0.0 && watch->many_s > watch->few_s;
    return good ? 1e9 * (watch->many_s - watch->few_s) / sweeps : (double)NAN;
}

// One problem of the bench and what it gave.
typedef struct nsgs_entry {
    problem_file c;
    const char *form;
    const char *file; // for the peer; NULL: none
    bool counts;      // in the geometric mean
    int32_t few, many;
    stopwatch watch[ENGINES];
} nsgs_entry;

// ---- the engines ----

static double time_ours(nsgs_entry *entry, const char *setting, int32_t sweeps, double *r,
                        double *u, int64_t *done) {
    solver_choice choice = solver_choice_default("bench");
    choice.solver = "nsgs";
    choice.tolerance = BENCH_TOLERANCE;
    choice.max_iterations = sweeps;
    if (setting) {
        word_list_add(&choice.settings, setting);
    }
    chosen_solver *chosen;
    solver_choice_expand(&choice, &entry->c, &chosen);
    cn_solve_report report;
    cn_error error;
    memset(r, 0, (size_t)entry->c.unknowns * sizeof *r);
    cn_status status = chosen_solver_run(chosen, &entry->c, r, u, &report, &error);
    free(choice.settings.words);
    free(chosen);
    *done = report.iterations;
    return status == CN_OK ? report.cpu_s : (double)NAN;
}

// A NaN time marks the engine as failed.
static void stopwatch_take(stopwatch *watch, bool many, double seconds, int64_t done) {
    watch->failed = watch->failed || isnan(seconds);
    if (many) {
        watch->many_s = fmin(watch->many_s, seconds);
        watch->many = done;
    } else {
        watch->few_s = fmin(watch->few_s, seconds);
        watch->few = done;
    }
}

static void nsgs_entry_round(nsgs_entry *entry, const char *peer, double *r, double *u) {
    stopwatch *watch = entry->watch;
    for (int32_t many = 0; many < 2; many++) {
        int32_t sweeps = many ? entry->many : entry->few;
        int64_t done = 0;
        double seconds = time_ours(entry, "nsgs.anderson=0", sweeps, r, u, &done);
        stopwatch_take(&watch[PLAIN], many, seconds, done);
        seconds = time_ours(entry, NULL, sweeps, r, u, &done);
        stopwatch_take(&watch[ACCELERATED], many, seconds, done);
    }
    peer_times times;
    if (peer && entry->file && !watch[SICONOS].failed) {
        bool good = peer_run(peer, entry->file, entry->few, entry->many, &times);
        stopwatch_take(&watch[SICONOS], false, good ? times.few_s : (double)NAN,
                       good ? times.few : 0);
        stopwatch_take(&watch[SICONOS], true, good ? times.many_s : (double)NAN,
                       good ? times.many : 0);
    }
}

static void nsgs_entry_measure(nsgs_entry *entry, const char *peer, int32_t repeats) {
    int32_t sweeps = BENCH_WORK / (entry->c.contacts > 0 ? entry->c.contacts : 1);
    sweeps = sweeps < BENCH_SWEEPS_MIN ? BENCH_SWEEPS_MIN : sweeps;
    entry->many = sweeps > BENCH_SWEEPS_MAX ? BENCH_SWEEPS_MAX : sweeps;
    entry->few = (int32_t)(BENCH_FEW * entry->many);
    for (int32_t e = 0; e < ENGINES; e++) {
        entry->watch[e] = (stopwatch){.few_s = HUGE_VAL, .many_s = HUGE_VAL};
    }
    double *r = ALLOCATE(double, entry->c.unknowns);
    double *u = ALLOCATE(double, entry->c.unknowns);
    for (int32_t i = 0; i < repeats; i++) {
        nsgs_entry_round(entry, peer, r, u);
    }
    free(r);
    free(u);
}

// ---- results ----

// Logarithms of ratios over Siconos, summed for geometric means.
typedef struct sweep_means {
    double log_plain, log_accelerated;
    int32_t problems, compared; // that count; those of them that Siconos was timed on
} sweep_means;

static void means_add(sweep_means *means, const nsgs_entry *entry) {
    double ns[ENGINES];
    for (int32_t e = 0; e < ENGINES; e++) {
        ns[e] = stopwatch_ns(&entry->watch[e], entry->c.contacts);
    }
    means->problems += entry->counts && ns[PLAIN] > 0.0;
    if (entry->counts && ns[PLAIN] > 0.0 && ns[SICONOS] > 0.0) {
        means->log_plain += log(ns[PLAIN] / ns[SICONOS]);
        means->log_accelerated += log(ns[ACCELERATED] / ns[SICONOS]);
        means->compared++;
    }
}

static double means_get(double log_sum, int32_t count) {
    return count > 0 ? exp(log_sum / count) : (double)NAN;
}

static const row_column nsgs_columns[] = {
    {"problem", "problem", -38, 0, 0.0},
    {"dim", "dim", 3, 0, 0.0},
    {"contacts", "contacts", 8, 0, 0.0},
    {"operator", "operator", -9, 0, 0.0},
    {"sweeps", NULL, 0, 0, 0.0},
    {"ns_per_contact_sweep.plain", "plain", 7, 4, 0.0},
    {"ns_per_contact_sweep.accelerated", "accelerated", 11, 4, 0.0},
    {"ns_per_contact_sweep.siconos", "siconos", 7, 4, 0.0},
    {NULL, "plain/siconos", 13, 3, 0.0},
    {"counts", "", -1, 0, 0.0},
    {NULL, NULL, 0, 0, 0.0}};

static void nsgs_entry_print(row_table *table, const nsgs_entry *entry) {
    double ns[ENGINES];
    row_text(table, entry->c.name);
    row_int(table, entry->c.dim);
    row_int(table, entry->c.contacts);
    row_text(table, entry->form);
    row_int(table, entry->many - entry->few);
    for (int32_t e = 0; e < ENGINES; e++) {
        ns[e] = stopwatch_ns(&entry->watch[e], entry->c.contacts);
        row_real(table, ns[e]);
    }
    row_real(table, ns[PLAIN] / ns[SICONOS]);
    row_bool(table, entry->counts, "*", "");
}

static const row_column means_columns[] = {
    {"summary", NULL, 0, 0, 0.0},
    {"problems", "problems", 8, 0, 0.0},
    {"problems_siconos", "with Siconos", 12, 0, 0.0},
    {"plain_over_siconos", "plain/siconos", 13, 0, 0.0},
    {"accelerated_over_siconos", "accelerated/siconos", 19, 0, 0.0},
    {NULL, NULL, 0, 0, 0.0}};

static void means_print(const sweep_means *means, const bench_job *job, const char *peer) {
    if (!job->json) {
        printf("\n* counts in the geometric means: files with at least %d contacts.\n",
               BENCH_LARGE);
        if (means->problems == 0) {
            puts("No file of that size: set CAIRN_CORPUS to a folder of problems, or name some.");
        }
        if (!peer) {
            puts("Siconos: not built (install libsiconos-numerics-dev and configure again).");
        }
    }
    row_table table = row_table_start(stdout, job->json, "nsgs", means_columns);
    row_text(&table, "geometric means over the problems that count");
    row_int(&table, means->problems);
    row_int(&table, means->compared);
    row_real(&table, means_get(means->log_plain, means->compared));
    row_real(&table, means_get(means->log_accelerated, means->compared));
}

// ---- the problems ----

typedef struct benchmark_run {
    const bench_job *job;
    char *peer;
    row_table table;
    sweep_means means;
} benchmark_run;

static void bench_entry(benchmark_run *run, nsgs_entry *entry) {
    nsgs_entry_measure(entry, run->peer, run->job->repeats);
    means_add(&run->means, entry);
    nsgs_entry_print(&run->table, entry);
}

static int bench_file(benchmark_run *run, const char *path, int32_t smallest) {
    nsgs_entry entry = {.file = path, .form = "assembled"};
    cn_error error;
    if (problem_file_open(NULL, path, FORM_ASSEMBLED, &entry.c, &error) != CN_OK) {
        return report_error(&error);
    }
    entry.counts = entry.c.contacts >= BENCH_LARGE;
    if (!problem_file_is_lcp(&entry.c) && entry.c.contacts >= smallest) {
        bench_entry(run, &entry);
    }
    problem_file_close(&entry.c);
    return EXIT_DONE;
}

// A planted problem in both forms of the operator. The assembled one is also written to a file for
// the peer.
static int bench_planted(benchmark_run *run, int32_t dim, int32_t contacts) {
    static const char *const forms[] = {"auto", "assembled", "body"};
    cn_planted_opts opts = cn_planted_opts_default();
    opts.dim = dim;
    opts.contacts = contacts;
    char *name = format_text("planted-%dd-%d", (int)dim, (int)contacts);
    const char *folder = getenv("TMPDIR");
    char *file = format_text("%s/cairn-%d-%s.hdf5", folder && folder[0] ? folder : "/tmp",
                             (int)getpid(), name);
    int code = EXIT_DONE;
    for (int32_t form = FORM_ASSEMBLED; form <= FORM_BODY && code == EXIT_DONE; form++) {
        cn_problem *problem = NULL;
        cn_error error = {.status = CN_OK};
        nsgs_entry entry = {.form = forms[form]};
        if (cn_planted_friction(NULL, &opts, &problem, &error) != CN_OK ||
            problem_file_adopt(NULL, problem, name, (problem_form)form, &entry.c, &error) !=
                CN_OK) {
            code = report_error(&error);
            break;
        }
        bool written = run->peer && form == FORM_ASSEMBLED &&
                       cn_problem_write(problem, file, CN_FILE_FCLIB, NULL) == CN_OK;
        entry.file = written ? file : NULL;
        bench_entry(run, &entry);
        if (written) {
            remove(file);
        }
        problem_file_close(&entry.c);
    }
    free(name);
    free(file);
    return code;
}

int bench_nsgs(const bench_job *job) {
    static const int32_t sizes[] = {300, 3000, 10000};
    benchmark_run run = {.job = job, .peer = peer_find("siconos_nsgs")};
    if (!job->json) {
        puts("CPU ns per contact per sweep of Gauss-Seidel, local solver hybrid");
    }
    run.table = row_table_start(stdout, job->json, "nsgs", nsgs_columns);
    int code = EXIT_DONE;
    for (int32_t dim = 2; dim <= 3 && job->files.count == 0; dim++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            code = exit_join(code, bench_planted(&run, dim, sizes[i]));
        }
    }
    bench_files files = bench_files_find(job);
    for (int32_t i = 0; i < files.count; i++) {
        code = exit_join(code, bench_file(&run, files.paths[i], files.smallest));
    }
    bench_files_free(&files);
    means_print(&run.means, job, run.peer);
    free(run.peer);
    return code;
}
