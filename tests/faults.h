// tests/faults.h
// Running the command with a library of tests/faults in it (LD_PRELOAD), which makes the k-th
// allocation or the k-th call that changes a file fail; see tests/faults/shim.h.
//
//     cn_cli cli = cn_cli_enter();
//     cn_fault *fault = cn_fault_map();
//     int code = cn_fault_run(&cli, CAIRN_MEMORY_SHIM, fault, &(cn_fault){.fail_at = 7}, "run
//     a.yaml");
#ifndef CAIRN_TESTS_FAULTS_H
#define CAIRN_TESTS_FAULTS_H

#include "cli.h"
#include "faults/shim.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define CN_FAULT_SECONDS 60 // CPU time after which a command hangs

// The file that the shim shares, in the current folder.
static inline cn_fault *cn_fault_map(void) {
    int file = open(".fault", O_RDWR | O_CREAT, 0666);
    CN_CHECK_TRUE(file >= 0 && ftruncate(file, sizeof(cn_fault)) == 0);
    void *state = mmap(NULL, sizeof(cn_fault), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CN_CHECK_TRUE(state != MAP_FAILED && close(file) == 0);
    return state;
}

// Runs the command; its exit code, or minus the signal that ended it.
static inline int cn_fault_run(cn_cli *cli, const char *shim, cn_fault *fault, const cn_fault *want,
                               const char *arguments) {
    char line[2048];
    *fault = *want;
    snprintf(line, sizeof line,
             "ulimit -t %d; LD_PRELOAD='%s' %s=\"$PWD/.fault\" OPENBLAS_NUM_THREADS=1 exec '%s' %s "
             ">.out 2>.err",
             CN_FAULT_SECONDS, shim, CN_FAULT_VARIABLE, CAIRN_COMMAND, arguments);
    int status = system(line);
    free(cli->out);
    free(cli->err);
    cli->out = cn_file_text(".out");
    cli->err = cn_file_text(".err");
    if (WIFSIGNALED(status)) {
        return -WTERMSIG(status);
    }
    int code = WEXITSTATUS(status);
    return code > 128 && code != 130 ? 128 - code : code; // the shell's word for a signal
}

// The output without the figures that clocks give; to be freed.
static inline char *cn_without_times(const char *text) {
    char *out = calloc(strlen(text) + 1, 1);
    size_t used = 0;
    while (*text) {
        if (strncmp(text, "\"cpu_s\":", 8) == 0 || strncmp(text, "\"sp\":", 5) == 0) {
            text += strcspn(text, ",}");
        } else {
            out[used++] = *text++;
        }
    }
    return out;
}

// One number that a query gives on a database; -1: it cannot be opened or has no such table.
static inline int64_t cn_query_int(const char *path, const char *sql) {
    sqlite3 *database = NULL;
    sqlite3_stmt *select = NULL;
    int64_t value = -1;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, sql, -1, &select, NULL) == SQLITE_OK &&
        sqlite3_step(select) == SQLITE_ROW) {
        value = sqlite3_column_int64(select, 0);
    }
    sqlite3_finalize(select);
    sqlite3_close(database);
    return value;
}

static inline bool cn_exists(const char *path) {
    return access(path, F_OK) == 0;
}

#define CN_FAULT_SCENE                                                                             \
    "cairn: 1\n"                                                                                   \
    "name: small\n"                                                                                \
    "time: {step: 0.01, until: 0.3, frames_every: 0.05, checkpoint_every: 0.1}\n"                  \
    "materials: {stone: {density: 2500}}\n"                                                        \
    "contacts: [{between: [stone, stone], friction: 0.3}]\n"                                       \
    "bodies:\n"                                                                                    \
    "  - {name: ground, fixed: true, material: stone,\n"                                           \
    "     shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"                                       \
    "  - {name: a, material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n"     \
    "  - {name: b, material: stone, position: [0, 0, 1.5], shape: {sphere: {radius: 0.4}}}\n"      \
    "  - {name: c, material: stone, position: [3, 0, 1], shape: {box: {size: [0.3, 0.3, 0.3]}}}\n" \
    "joints:\n"                                                                                    \
    "  - {kind: hinge, bodies: [ground, c], point: [3, 0, 2], axis: [0, 1, 0]}\n"                  \
    "forces:\n"                                                                                    \
    "  - {body: a, force: [\"2*(t<1)\", 0, 0]}\n"

#endif
