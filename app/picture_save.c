// app/picture_save.c
// Pictures to files. PNG is made by a program that draws SVG, where one is installed.
#include "app.h"
#include "browser.h"
#include "recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CN_DRAW_TIME 120.0 // [s] that drawing an SVG may take
#define CN_DRAW_SIZE 1400  // [pixels] of a browser's picture

static bool cn_wants_png(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".png") == 0;
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
        char *whole = realpath(svg, NULL), *address = cn_text("file://%s", whole ? whole : svg);
        char *const rsvg[] = {"rsvg-convert", "-o", (char *)path, svg, NULL};
        if (!cn_program_run(rsvg, CN_DRAW_TIME) &&
            !cn_browser_shoot(address, path, CN_DRAW_SIZE, CN_DRAW_SIZE)) {
            code = cn_report_failure("%s: no program here draws it; write .svg instead, or install "
                                     "librsvg2-bin (rsvg-convert) or chromium",
                                     path);
        }
        free(address);
        free(whole);
    }
    remove(svg);
    free(svg);
    return code;
}

int cn_picture_save(const cn_picture *picture, const char *path) {
    return cn_wants_png(path) ? cn_write_png(picture, path) : cn_write_svg(picture, path);
}
