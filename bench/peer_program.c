// bench/peer_program.c
// Finding and running peer programs, and reading the JSON object that they print.
#include "bench/bench.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char *peer_find(const char *name) {
    const char *folder = getenv("CAIRN_PEERS");
    char *path;
    if (folder && folder[0]) {
        path = format_text("%s/%s", folder, name);
    } else {
        char self[4096];
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        if (length <= 0) {
            return NULL;
        }
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        path = format_text("%.*s/bench/peers/%s", (int)(slash ? slash - self : 0), self, name);
    }
    if (access(path, X_OK) != 0) {
        free(path);
        return NULL;
    }
    return path;
}

bool peer_field(const char *json, const char *key, double *value) {
    const char *at = strstr(json, key);
    char *end = NULL;
    if (!at) {
        return false;
    }
    *value = strtod(at + strlen(key), &end);
    return end != at + strlen(key);
}

bool peer_capture(char *const *argv, char *text, size_t size) {
    // Peers lean on OpenBLAS, whose threads only get in the way of blocks of three.
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    pid_t child;
    extern char **environ;
    bool started = posix_spawn(&child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while (started && used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0) {
        used += (size_t)got;
    }
    text[used] = '\0';
    close(ends[0]);
    int status = 1;
    return started && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

bool peer_run(const char *program, const char *file, int32_t few, int32_t many, peer_times *times) {
    char few_text[16], many_text[16], text[4096];
    snprintf(few_text, sizeof few_text, "%d", (int)few);
    snprintf(many_text, sizeof many_text, "%d", (int)many);
    char *const argv[] = {(char *)program, (char *)file, few_text, many_text, NULL};
    double few_done, many_done;
    if (!peer_capture(argv, text, sizeof text) || !peer_field(text, "\"few_s\":", &times->few_s) ||
        !peer_field(text, "\"many_s\":", &times->many_s) ||
        !peer_field(text, "\"few\":", &few_done) || !peer_field(text, "\"many\":", &many_done)) {
        return false;
    }
    times->few = (int64_t)few_done;
    times->many = (int64_t)many_done;
    return true;
}
