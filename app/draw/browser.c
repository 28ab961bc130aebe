// app/draw/browser.c
// Programs that draw for us; see browser.h.
#include "draw/browser.h"

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

#define SHOT_TIME 180.0 // [s] that a picture may take, on a slow machine without a GPU
// [ms] of the page's own clock, which runs ahead while nothing is due.
#define SHOT_BUDGET "--virtual-time-budget=20000"

#define PNG_PIECE 65536 // bytes of a picture read at a time

static bool program_wait(pid_t child, double seconds) {
    double end = wall_clock() + seconds;
    int status;
    pid_t done = 0;
    while (done == 0 && wall_clock() < end) {
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

bool program_run(char *const argv[], double seconds) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed && program_wait(child, seconds);
}

bool program_exists(const char *name) {
    const char *path = getenv("PATH");
    char *copy = format_text("%s", path ? path : "/usr/bin:/bin"), *rest = copy;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        char *file = format_text("%s/%s", folder, name);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return found;
}

const char *browser_name(void) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (program_exists(names[i])) {
            return names[i];
        }
    }
    return NULL;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

char *temporary_folder(void) {
    const char *place = getenv("TMPDIR");
    char *folder = format_text("%s/cairn-XXXXXX", place && place[0] ? place : "/tmp");
    if (!mkdtemp(folder)) {
        report_failure("%s: no folder for temporary files: %s", folder, strerror(errno));
        free(folder);
        return NULL;
    }
    return folder;
}

// Programs that draw do not all notice a full disk; a picture that is cut short has no end mark.
int png_deliver(const char *drawn, const char *path) {
    static const unsigned char start[8] = "\x89PNG\r\n\x1a\n";
    static const unsigned char end[12] = "\0\0\0\0IEND\xae\x42\x60\x82";
    byte_buffer bytes = {0};
    FILE *file = fopen(drawn, "rb");
    size_t count = 1;
    while (file && count > 0) {
        unsigned char *piece = bytes_more(&bytes, PNG_PIECE);
        count = fread(piece, 1, PNG_PIECE, file);
        bytes.size -= PNG_PIECE - count;
    }
    bool whole = file && !ferror(file) && bytes.size > sizeof start + sizeof end &&
                 memcmp(bytes.data, start, sizeof start) == 0 &&
                 memcmp(bytes.data + bytes.size - sizeof end, end, sizeof end) == 0;
    if (file) {
        fclose(file);
    }
    int code = whole ? output_bytes(path, bytes.data, bytes.size) : NOT_DRAWN;
    bytes_free(&bytes);
    return code;
}

int browser_shoot(const char *address, const char *path, int32_t width, int32_t height) {
    const char *name = browser_name();
    char *home = name ? temporary_folder() : NULL;
    if (!home) {
        return NOT_DRAWN;
    }
    // A profile of its own: a browser that is open elsewhere is not disturbed.
    char *profile = format_text("--user-data-dir=%s", home),
         *drawn = format_text("%s/shot.png", home), *shot = format_text("--screenshot=%s", drawn),
         *window = format_text("--window-size=%d,%d", (int)width, (int)height);
    char *argv[16] = {(char *)name,
                      "--headless",
                      "--hide-scrollbars",
                      "--no-first-run",
                      "--disable-extensions",
                      "--use-angle=swiftshader",
                      "--enable-unsafe-swiftshader",
                      SHOT_BUDGET,
                      profile,
                      window,
                      shot};
    int32_t count = 11;
    if (geteuid() == 0) {
        argv[count++] = "--no-sandbox"; // it does not start as root otherwise
    }
    argv[count++] = (char *)address;
    int code = program_run(argv, SHOT_TIME) ? png_deliver(drawn, path) : NOT_DRAWN;
    nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(profile);
    free(shot);
    free(window);
    free(drawn);
    free(home);
    return code;
}
