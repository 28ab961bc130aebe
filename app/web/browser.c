// app/web/browser.c
// Programs that draw for us; see browser.h.
#include "web/browser.h"

#include "support/bytes.h"
#include "support/support.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define CN_SHOT_TIME 180.0 // [s] that a picture may take, on a slow machine without a GPU
#define CN_SHOT_BUDGET                                                                             \
    "--virtual-time-budget=20000" // [ms] of the page's own clock, which runs ahead while nothing is
                                  // due

#define CN_PNG_PIECE 65536 // bytes of a picture read at a time

static bool cn_program_wait(pid_t child, double seconds) {
    double end = cn_wall_clock() + seconds;
    int status;
    pid_t done = 0;
    while (done == 0 && cn_wall_clock() < end) {
        done = waitpid(child, &status, WNOHANG);
        if (done == 0) {
            usleep(10000);
        }
    }
    if (done == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return false;
    }
    return done == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool cn_program_run(char *const argv[], double seconds) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed && cn_program_wait(child, seconds);
}

bool cn_program_exists(const char *name) {
    const char *path = getenv("PATH");
    char *copy = cn_text("%s", path ? path : "/usr/bin:/bin"), *rest = copy;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        char *file = cn_text("%s/%s", folder, name);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return found;
}

const char *cn_browser_name(void) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (cn_program_exists(names[i])) {
            return names[i];
        }
    }
    return NULL;
}

static int cn_remove_entry(const char *path, const struct stat *about, int kind,
                           struct FTW *place) {
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

char *cn_temporary_folder(void) {
    const char *place = getenv("TMPDIR");
    char *folder = cn_text("%s/cairn-XXXXXX", place && place[0] ? place : "/tmp");
    if (!mkdtemp(folder)) {
        cn_report_failure("%s: no folder for temporary files: %s", folder, strerror(errno));
        free(folder);
        return NULL;
    }
    return folder;
}

// Programs that draw do not all notice a full disk; a picture that is cut short has no end mark.
int cn_png_deliver(const char *drawn, const char *path) {
    static const unsigned char start[8] = "\x89PNG\r\n\x1a\n";
    static const unsigned char end[12] = "\0\0\0\0IEND\xae\x42\x60\x82";
    cn_bytes bytes = {0};
    FILE *file = fopen(drawn, "rb");
    size_t count = 1;
    while (file && count > 0) {
        unsigned char *piece = cn_bytes_more(&bytes, CN_PNG_PIECE);
        count = fread(piece, 1, CN_PNG_PIECE, file);
        bytes.size -= CN_PNG_PIECE - count;
    }
    bool whole = file && !ferror(file) && bytes.size > sizeof start + sizeof end &&
                 memcmp(bytes.data, start, sizeof start) == 0 &&
                 memcmp(bytes.data + bytes.size - sizeof end, end, sizeof end) == 0;
    if (file) {
        fclose(file);
    }
    int code = whole ? cn_output_bytes(path, bytes.data, bytes.size) : CN_NOT_DRAWN;
    cn_bytes_free(&bytes);
    return code;
}

int cn_browser_shoot(const char *address, const char *path, int32_t width, int32_t height) {
    const char *name = cn_browser_name();
    char *home = name ? cn_temporary_folder() : NULL;
    if (!home) {
        return CN_NOT_DRAWN;
    }
    // A profile of its own: a browser that is open elsewhere is not disturbed.
    char *profile = cn_text("--user-data-dir=%s", home), *drawn = cn_text("%s/shot.png", home),
         *shot = cn_text("--screenshot=%s", drawn),
         *window = cn_text("--window-size=%d,%d", (int)width, (int)height);
    char *argv[16] = {(char *)name,
                      "--headless",
                      "--hide-scrollbars",
                      "--no-first-run",
                      "--disable-extensions",
                      "--use-angle=swiftshader",
                      "--enable-unsafe-swiftshader",
                      CN_SHOT_BUDGET,
                      profile,
                      window,
                      shot};
    int32_t count = 11;
    if (geteuid() == 0) {
        argv[count++] = "--no-sandbox"; // it does not start as root otherwise
    }
    argv[count++] = (char *)address;
    int code = cn_program_run(argv, CN_SHOT_TIME) ? cn_png_deliver(drawn, path) : CN_NOT_DRAWN;
    nftw(home, cn_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(profile);
    free(shot);
    free(window);
    free(drawn);
    free(home);
    return code;
}
