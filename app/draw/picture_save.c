// app/draw/picture_save.c
// Pictures to files. PNG is made by a program that draws SVG, where one is installed, in a folder
// of its own: the target is touched only by a picture that is complete.
#include "draw/browser.h"
#include "draw/picture.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAW_TIME 120.0 // [s] that drawing an SVG may take

static int write_svg(const picture_spec *picture, const char *path, picture_size *size) {
    output_file out;
    if (!output_open(&out, path)) {
        return EXIT_FAILED;
    }
    *size = picture_write(picture, out.file);
    return output_close(&out);
}

// NOT_DRAWN, or the exit code of writing it.
static int draw_svg(const char *svg, const char *folder, picture_size size, const char *path) {
    char *drawn = format_text("%s/picture.png", folder), *address = format_text("file://%s", svg);
    char *const rsvg[] = {"rsvg-convert", "-o", drawn, (char *)svg, NULL};
    int code = program_run(rsvg, DRAW_TIME) ? png_deliver(drawn, path) : NOT_DRAWN;
    if (code == NOT_DRAWN) {
        code = browser_shoot(address, path, size.width, size.height);
    }
    remove(drawn);
    free(address);
    free(drawn);
    return code;
}

static int write_png(const picture_spec *picture, const char *path) {
    char *folder = temporary_folder();
    if (!folder) {
        return EXIT_FAILED;
    }
    char *svg = format_text("%s/picture.svg", folder);
    picture_size size;
    int code = write_svg(picture, svg, &size);
    if (code == EXIT_DONE) {
        code = draw_svg(svg, folder, size, path);
    }
    if (code == NOT_DRAWN) {
        code = report_failure("%s: no program here draws it; write .svg instead, or install "
                              "librsvg2-bin (rsvg-convert) or chromium",
                              path);
    }
    remove(svg);
    rmdir(folder);
    free(svg);
    free(folder);
    return code;
}

int picture_save(const picture_spec *picture, const char *path) {
    const char *dot = strrchr(path, '.');
    bool png = dot && strcasecmp(dot, ".png") == 0;
    picture_size size;
    return png ? write_png(picture, path) : write_svg(picture, path, &size);
}
