// bench/command.c
// cairn bench: the benchmarks by name.
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct benchmark {
    const char *name, *about;
    bench_fn *run;
} benchmark;

static const benchmark benchmarks[] = {
    {"kernels", "ns per contact and sweep of the SIMD kernels, 1e3 to 3e6 contacts", bench_kernels},
    {"nsgs", "ns per contact and sweep of Gauss-Seidel, beside Siconos", bench_nsgs},
    {"siconos", "time of auto over that of Siconos' best setting, to 1e-4 and to 1e-8",
     bench_siconos},
    {"large", "auto on a wall of 2000 blocks and a sliding packing, to 1e-4 and 1e-8", bench_large},
    {"cold", "auto from zero to 1e-3 on packings of 1e3, 1e4 and 1e5 spheres", bench_cold},
    {"warm", "sweeps per step of piles at rest, to 1e-4", bench_warm},
    {"settling", "spheres settle in a box (E3), beside ODE, Bullet and MuJoCo", bench_settling},
    {"masonry", "an arch, a wall on sinking ground and a tower, beside the same", bench_masonry},
    {"scale", "spheres, polyhedra and walls of growing size, beside the same", bench_scale},
    {"threads", "two and four threads beside one, and whether results are identical",
     bench_threads},
    {"realtime", "how a time limit per step is kept, and what the answers are worth",
     bench_realtime},
    {"accuracy", "what tolerances change in poured spheres and in structures at rest",
     bench_accuracy},
    {"recording", "what recording the evidence for a check costs, and what a check costs",
     bench_recording},
    {"interact", "contacts as columns, states, bodies that come and go, frames at 60 Hz",
     bench_interact},
    {"python", "what the Python package costs over the library", bench_python},
    {"deformable", "walls of 144 and 1e4 elastic blocks: time of a step by phases",
     bench_deformable},
};
#define BENCH_COUNT ((int32_t)(sizeof benchmarks / sizeof benchmarks[0]))

typedef struct bench_args {
    bench_job job;
    bool chosen[BENCH_COUNT], any, list;
} bench_args;

json_writer bench_row_start(const char *bench) {
    json_writer row = put_start(stdout);
    put_open(&row, NULL, '{');
    put_text(&row, "bench", bench);
    return row;
}

void bench_row_end(json_writer *row) {
    put_close(row, '}');
    put_end(row);
    fflush(stdout);
}

bool bench_wants(const bench_job *job, const char *mark) {
    size_t length = strlen(mark), word;
    for (const char *at = job->sizes; at && *at; at += word + (at[word] == ',')) {
        word = strcspn(at, ",");
        if (word == length && strncmp(at, mark, length) == 0) {
            job->found[at - job->sizes] = true;
            return true;
        }
    }
    return false;
}

// A size that none of the benchmarks has would else be passed over without a word.
static void bench_check_sizes(const bench_job *job) {
    size_t word;
    for (const char *at = job->sizes; at && *at; at += word + (at[word] == ',')) {
        word = strcspn(at, ",");
        if (!job->found[at - job->sizes]) {
            usage_error("bench",
                        "no case of these benchmarks is called '%.*s'; see cairn bench "
                        "--help and docs/reference/cli.md",
                        (int)word, at);
        }
    }
}

// A word is a benchmark's name or a file.
static void bench_word(void *job, const char *command, const command_option *option, char *word) {
    bench_args *args = job;
    (void)option;
    const char *names[BENCH_COUNT];
    for (int32_t i = 0; i < BENCH_COUNT; i++) {
        names[i] = benchmarks[i].name;
        if (strcmp(word, names[i]) == 0) {
            args->chosen[i] = args->any = true;
            return;
        }
    }
    if (access(word, F_OK) != 0) {
        const char *near = cn_nearest_name(word, names, BENCH_COUNT);
        usage_error(command, "'%s' is neither a benchmark nor a file%s%s%s", word,
                    near ? "; did you mean '" : "; see cairn bench --list", near ? near : "",
                    near ? "'?" : "");
    }
    word_list_add(&args->job.files, word);
}

static void bench_sizes(void *job, const char *command, const command_option *option, char *text) {
    bench_args *args = job;
    (void)command;
    (void)option;
    free(args->job.found);
    args->job.sizes = text;
    args->job.found = ALLOCATE(bool, (int64_t)strlen(text) + 1);
}

static const command_option bench_options[] = {
    {"repeats", 'r', "N",
     "Rounds; the shortest time of each engine counts, or the median of so many starts (default "
     "5)",
     TO_INT(bench_args, job.repeats, 1, 1000)},
    {"sizes", 's', "N,N...",
     "Only these cases, as 320,1000 or arch (cold, warm, settling, masonry, scale, realtime) or "
     "wall-2020 (threads: also wall-10040, spheres-100000)",
     TO_FUNCTION(bench_sizes)},
    {"until", 'u', "T", "Simulated time of scenes [s], instead of each benchmark's own",
     TO_REAL(bench_args, job.until, 1e-6, 1e6)},
    {"chart", 'c', "FILE.svg", "Write a chart of accuracy over speed (settling, masonry, scale)",
     TO_TEXT(bench_args, job.chart)},
    {"list", 'l', NULL, "List the benchmarks", TO_SET(bench_args, list)},
    {"json", 'j', NULL, "One JSON object a line on standard output", TO_SET(bench_args, job.json)},
    {0}};

static const command_line bench_line = {
    .options = bench_options,
    .args_doc = "[NAME...] [PROBLEM...]",
    .arguments = OPTION_TAKEN,
    .take = bench_word,
    .doc = "Run the project's benchmarks (default: all). Times are CPU times; what to compare are "
           "the ratios, measured in one run."
           "\vWithout files, problems are generated, and real ones are taken from the folder "
           "$CAIRN_CORPUS/local when that variable is set. Peer programs are looked for in "
           "$CAIRN_PEERS, else in "
           "bench/peers beside the command."};

int command_bench(int argc, char **argv) {
    bench_args args = {.job = {.repeats = 5}};
    parse_arguments(&bench_line, argc, argv, &args);
    int code = EXIT_DONE;
    for (int32_t i = 0; i < BENCH_COUNT; i++) {
        if (args.list) {
            printf("%-9s %s\n", benchmarks[i].name, benchmarks[i].about);
        } else if (!args.any || args.chosen[i]) {
            code = exit_join(code, benchmarks[i].run(&args.job));
        }
    }
    if (!args.list) {
        bench_check_sizes(&args.job);
    }
    free(args.job.found);
    free(args.job.files.words);
    return code;
}
