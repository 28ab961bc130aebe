// app/draw/picture_save.c
// Pictures to files. PNG is made by a program that draws SVG, where one is installed, in a folder
// of its own: the target is touched only by a picture that is complete.
#include "run/recorded.h"
#include "support/support.h"
#include "web/browser.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CN_DRAW_TIME 120.0 // [s] that drawing an SVG may take
#define CN_DRAW_SIZE 1400  // [pixels] of a browser's picture

static bool cn_wants_png(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".png") == 0;
}

static int cn_write_svg(const cn_picture *picture, const char *path) {
    cn_output out;
    if (!cn_output_open(&out, path)) {
        return CN_EXIT_FAILURE;
    }
    cn_picture_write(picture, out.file);
    return cn_output_close(&out);
}

// CN_NOT_DRAWN, or the exit code of writing it.
static int cn_draw_svg(const char *svg, const char *folder, const char *path) {
    char *drawn = cn_text("%s/picture.png", folder), *address = cn_text("file://%s", svg);
    char *const rsvg[] = {"rsvg-convert", "-o", drawn, (char *)svg, NULL};
    int code = cn_program_run(rsvg, CN_DRAW_TIME) ? cn_png_deliver(drawn, path) : CN_NOT_DRAWN;
    if (code == CN_NOT_DRAWN) {
        code = cn_browser_shoot(address, path, CN_DRAW_SIZE, CN_DRAW_SIZE);
    }
    remove(drawn);
    free(address);
    free(drawn);
    return code;
}

static int cn_write_png(const cn_picture *picture, const char *path) {
    char *folder = cn_temporary_folder();
    if (!folder) {
        return CN_EXIT_FAILURE;
    }
    char *svg = cn_text("%s/picture.svg", folder);
    int code = cn_write_svg(picture, svg);
    if (code == CN_EXIT_DONE) {
        code = cn_draw_svg(svg, folder, path);
    }
    if (code == CN_NOT_DRAWN) {
        code = cn_report_failure("%s: no program here draws it; write .svg instead, or install "
                                 "librsvg2-bin (rsvg-convert) or chromium",
                                 path);
    }
    remove(svg);
    rmdir(folder);
    free(svg);
    free(folder);
    return code;
}

int cn_picture_save(const cn_picture *picture, const char *path) {
    return cn_wants_png(path) ? cn_write_png(picture, path) : cn_write_svg(picture, path);
}
