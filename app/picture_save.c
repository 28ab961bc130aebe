// app/picture_save.c
// Pictures to files. PNG is made by a program that draws SVG, where one is installed.
#include "app.h"
#include "recorded.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool cn_wants_png(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".png") == 0;
}

// Runs a program with its output thrown away; true when it was there and did its work.
static bool cn_run_program(char *const argv[]) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static int cn_write_svg(const cn_picture *picture, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) {
        return cn_report_failure("%s: cannot be written: %s", path, strerror(errno));
    }
    cn_picture_write(picture, file);
    bool bad = ferror(file) != 0;
    bad = fclose(file) != 0 || bad;
    return bad ? cn_report_failure("%s: cannot be written", path) : CN_EXIT_DONE;
}

static int cn_write_png(const cn_picture *picture, const char *path) {
    char *svg = cn_text("%s.svg~", path);
    int code = cn_write_svg(picture, svg);
    if (code == CN_EXIT_DONE) {
        char *address = cn_text("file://%s", svg), *shot = cn_text("--screenshot=%s", path);
        char *const rsvg[] = {"rsvg-convert", "-o", (char *)path, svg, NULL};
        char *const chromium[] = {"chromium", "--headless", "--no-sandbox", shot, address, NULL};
        if (!cn_run_program(rsvg) && !cn_run_program(chromium)) {
            code = cn_report_failure("%s: no program here draws it; write .svg instead, or install "
                                     "librsvg2-bin (rsvg-convert) or chromium",
                                     path);
        }
        free(address);
        free(shot);
    }
    remove(svg);
    free(svg);
    return code;
}

int cn_picture_save(const cn_picture *picture, const char *path) {
    return cn_wants_png(path) ? cn_write_png(picture, path) : cn_write_svg(picture, path);
}
