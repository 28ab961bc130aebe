// app/main.c
// The `cairn` command: a table of subcommands and the dispatch.
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <unistd.h>

typedef struct cn_command {
    const char *name;
    const char *about;
    cn_command_fn *run;
} cn_command;

static const cn_command cn_commands[] = {
    {"demo", "a first look: simulate a scene, draw it, tell how far to trust it", cn_command_demo},
    {"gallery", "the scenes that come with the command", cn_command_gallery},
    {"new", "write a starter scene", cn_command_new},
    {"run", "simulate a scene into a run file", cn_command_run},
    {"resume", "go on with a run from its last checkpoint", cn_command_resume},
    {"check", "verify run files and stored solutions independently of the solvers",
     cn_command_check},
    {"info", "what a run, scene or problem file holds", cn_command_info},
    {"render", "a picture of a run or of a scene's start", cn_command_render},
    {"view", "a run as a replay in the browser, or a scene live", cn_command_view},
    {"reproduce", "experiments of the literature, our figures beside the printed ones",
     cn_command_reproduce},
    {"export", "a run file as CSV tables or FCLIB problems", cn_command_export},
    {"schema", "the JSON Schema of scene files", cn_command_schema},
    {"solve", "solve one-step problem files", cn_command_solve},
    {"solvers", "the solvers, their parameters, strengths and weaknesses", cn_command_solvers},
    {"profile", "compare solvers over problem files: performance profiles", cn_command_profile},
    {"generate", "make a problem with a known solution", cn_command_generate},
    {"convert", "write a problem in another format", cn_command_convert},
    {"bench", "the project's benchmarks, as ratios", cn_command_bench},
};
#define CN_COMMAND_COUNT ((int32_t)(sizeof cn_commands / sizeof cn_commands[0]))

static void cn_print_help(FILE *out) {
    fputs("Usage: cairn COMMAND [ARGUMENT...]\n"
          "Nonsmooth contact dynamics: hard contact, exact Coulomb friction.\n\n",
          out);
    for (int32_t i = 0; i < CN_COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", cn_commands[i].name, cn_commands[i].about);
    }
    fputs("\nStart with `cairn demo`; `cairn COMMAND --help` explains a command.\n"
          "Exit codes: 0 done, 1 failure, 2 wrong usage, 3 tolerance not reached, 4 invalid\n"
          "input, 130 interrupted.\n",
          out);
}

static const cn_command *cn_command_find(const char *name) {
    for (int32_t i = 0; i < CN_COMMAND_COUNT; i++) {
        if (strcmp(cn_commands[i].name, name) == 0) {
            return &cn_commands[i];
        }
    }
    return NULL;
}

static int cn_refuse_command(const char *word) {
    const char *names[CN_COMMAND_COUNT];
    for (int32_t i = 0; i < CN_COMMAND_COUNT; i++) {
        names[i] = cn_commands[i].name;
    }
    const char *near = cn_nearest_name(word, names, CN_COMMAND_COUNT);
    if (near) {
        cn_say(stderr, "cairn: no command '%s'; did you mean '%s'?\n", word, near);
    } else {
        cn_say(stderr, "cairn: no command '%s'; see cairn --help\n", word);
    }
    return CN_EXIT_USAGE;
}

static int cn_dispatch(int argc, char **argv) {
    if (argc < 2) {
        cn_print_help(stderr);
        return CN_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("cairn %s\n", cn_version());
        return CN_EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        (strcmp(word, "help") == 0 && argc == 2)) {
        cn_print_help(stdout);
        return CN_EXIT_DONE;
    }
    // `cairn help solve` is `cairn solve --help`. argv[0] is what argp calls the program.
    bool helped = strcmp(word, "help") == 0;
    const cn_command *command = cn_command_find(helped ? argv[2] : word);
    if (!command) {
        return cn_refuse_command(helped ? argv[2] : word);
    }
    char *name = cn_text("cairn %s", command->name);
    char *help[] = {name, "--help", NULL};
    argv[1] = name;
    int code = helped ? command->run(2, help) : command->run(argc - 1, argv + 1);
    free(name);
    return code;
}

// The linear algebra library starts a thread a core when it is loaded, and they spin: wasted CPU
// time, and sums that depend on the machine. Only the environment it finds can stop it, so the
// command starts itself again with that set. Where it cannot, it goes on as it is.
static void cn_calm_blas(char **argv) {
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
static void cn_give_back_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

// muParser is C++ and may find no memory where no error can be returned: its exception would end
// the program with SIGABRT.
void (*cn_set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

static void cn_no_memory(void) {
    exit(cn_report_failure("out of memory"));
}

int main(int argc, char **argv) {
    cn_calm_blas(argv);
    cn_give_back_memory();
    cn_set_new_handler(cn_no_memory);
    int code = cn_dispatch(argc, argv);
    // A full disk behind stdout must not look like success.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cn_report_failure("cannot write to standard output");
    }
    return code;
}
