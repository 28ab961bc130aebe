// app/main.c
// The `cairn` command: a table of subcommands and the dispatch.
#include "support/file_kind.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <unistd.h>

typedef struct subcommand {
    const char *name;
    const char *about;
    command_fn *run;
} subcommand;

static const subcommand subcommands[] = {
    {"demo", "a first look: simulate a scene, draw it, report how far to trust it", command_demo},
    {"gallery", "the scenes that come with the command", command_gallery},
    {"new", "write a starter scene", command_new},
    {"run", "simulate a scene into a run file", command_run},
    {"resume", "go on with a run from its last checkpoint", command_resume},
    {"check", "verify run files and stored solutions independently of the solvers", command_check},
    {"info", "what a run, scene or problem file holds", command_info},
    {"render", "a picture of a run or of a scene's start", command_render},
    {"view", "a run as a replay in the browser, or a scene live", command_view},
    {"reproduce", "experiments of the literature, our figures beside the printed ones",
     command_reproduce},
    {"export", "a run file as CSV tables or FCLIB problems", command_export},
    {"schema", "the JSON Schema of scene files", command_schema},
    {"solve", "solve one-step problem files", command_solve},
    {"solvers", "the solvers, their parameters, strengths and weaknesses", command_solvers},
    {"profile", "compare solvers over problem files: performance profiles", command_profile},
    {"generate", "make a problem with a known solution", command_generate},
    {"convert", "write a problem in another format", command_convert},
    {"bench", "the project's benchmarks, as ratios", command_bench},
};
#define COMMAND_COUNT ((int32_t)(sizeof subcommands / sizeof subcommands[0]))

static void print_help(FILE *out) {
    fputs("Usage: cairn COMMAND [ARGUMENT...]\n"
          "Nonsmooth contact dynamics: hard contact, exact Coulomb friction.\n\n",
          out);
    for (int32_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", subcommands[i].name, subcommands[i].about);
    }
    fputs("\nStart with `cairn demo`; `cairn COMMAND --help` explains a command.\n"
          "Exit codes: 0 done, 1 failure, 2 wrong usage, 3 tolerance not reached, 4 invalid\n"
          "input, 130 interrupted.\n",
          out);
}

static const subcommand *subcommand_find(const char *name) {
    for (int32_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(subcommands[i].name, name) == 0) {
            return &subcommands[i];
        }
    }
    return NULL;
}

// What other programs call it. NULL: nothing here is like it.
static const char *other_name(const char *word) {
    static const struct {
        const char *word, *name;
    } others[] = {{"simulate", "run"},    {"sim", "run"},          {"start", "run"},
                  {"exec", "run"},        {"play", "view"},        {"show", "view"},
                  {"display", "view"},    {"watch", "view"},       {"open", "view"},
                  {"replay", "view"},     {"plot", "render"},      {"draw", "render"},
                  {"picture", "render"},  {"image", "render"},     {"init", "new"},
                  {"create", "new"},      {"template", "new"},     {"continue", "resume"},
                  {"restart", "resume"},  {"verify", "check"},     {"validate", "check"},
                  {"compare", "profile"}, {"examples", "gallery"}, {"scenes", "gallery"},
                  {"list", "gallery"},    {"inspect", "info"},     {"describe", "info"},
                  {"benchmark", "bench"}, {"benchmarks", "bench"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(others[i].word, word) == 0) {
            return others[i].name;
        }
    }
    return NULL;
}

// A file without a command: what one does with a file of its kind.
static int refuse_file(const char *path) {
    file_kind_of kind = file_kind(path);
    const char *name = kind == FILE_SCENE ? "run" : kind == FILE_RUN ? "view" : "solve";
    print_format(stderr, "cairn: '%s' is a file, not a command; did you mean 'cairn %s %s'?\n",
                 path, name, path);
    return EXIT_USAGE;
}

static int refuse_command(const char *word) {
    if (strpbrk(word, "./") && access(word, F_OK) == 0) {
        return refuse_file(word);
    }
    const char *names[COMMAND_COUNT];
    for (int32_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = subcommands[i].name;
    }
    if (strcmp(word, "version") == 0) {
        print_format(stderr, "cairn: no command 'version'; did you mean 'cairn --version'?\n");
        return EXIT_USAGE;
    }
    const char *near = other_name(word);
    near = near ? near : cn_nearest_name(word, names, COMMAND_COUNT);
    if (near) {
        print_format(stderr, "cairn: no command '%s'; did you mean '%s'?\n", word, near);
    } else {
        print_format(stderr, "cairn: no command '%s'; see cairn --help\n", word);
    }
    return EXIT_USAGE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("cairn %s\n", cn_version());
        return EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        (strcmp(word, "help") == 0 && argc == 2)) {
        print_help(stdout);
        return EXIT_DONE;
    }
    // `cairn help solve` is `cairn solve --help`. argv[0] is what argp calls the program.
    bool helped = strcmp(word, "help") == 0;
    const subcommand *command = subcommand_find(helped ? argv[2] : word);
    if (!command) {
        return refuse_command(helped ? argv[2] : word);
    }
    char *name = format_text("cairn %s", command->name);
    char *help[] = {name, "--help", NULL};
    argv[1] = name;
    int code = helped ? command->run(2, help) : command->run(argc - 1, argv + 1);
    free(name);
    return code;
}

// The linear algebra library starts a thread a core when it is loaded, and they spin: wasted CPU
// time, and sums that depend on the machine. Only the environment it finds can stop it, so the
// command starts itself again with that set. Where it cannot, it goes on as it is.
static void limit_blas_threads(char **argv) {
    const char *const variable = "OPENBLAS_NUM_THREADS";
    char path[4096] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    bool whole = length > 0 && (size_t)length < sizeof path - 1;
    if (whole && !getenv(variable) && setenv(variable, "1", 1) == 0) {
        execv(path, argv);
    }
}

// The C library keeps blocks of up to 32 MB for itself once one has been freed, and a run that
// grows leaves many behind. Those of a megabyte and more go back to the system at once instead.
static void give_back_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

// muParser is C++ and may find no memory where no error can be returned: its exception would end
// the program with SIGABRT.
void (*set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

static void no_memory(void) {
    exit(report_failure("out of memory"));
}

int main(int argc, char **argv) {
    limit_blas_threads(argv);
    give_back_memory();
    set_new_handler(no_memory);
    int code = dispatch(argc, argv);
    // A full disk behind stdout must not look like success.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return report_failure("cannot write to standard output");
    }
    return code;
}
