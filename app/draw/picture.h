// app/draw/picture.h
// Pictures of a scene as SVG: one moment, or a filmstrip of several. 2D is drawn as it is; 3D in
// parallel projection, farther things first.
#ifndef CAIRN_APP_DRAW_PICTURE_H
#define CAIRN_APP_DRAW_PICTURE_H

#include <cairn/cairn.h>

#include <stdio.h>

// A moment of a run.
typedef struct picture_still {
    double t;
    const double *q;                   // poses, as in a run file
    const double *nodes;               // of all deformable bodies, as in a run file; NULL: none
    const cn_contact_record *contacts; // for forces; may be NULL
    int32_t contact_count;
} picture_still;

typedef struct picture_size {
    int32_t width, height; // [px]
} picture_size;

typedef struct picture_spec {
    const cn_model *model;
    const char *title, *subtitle;
    const picture_still *stills;
    int32_t count;
    bool marks;  // where the positions of generators are
    bool forces; // the impulses of contacts as lines between the bodies, which are drawn pale
    picture_size
        shown; // with margins where the proportions differ; 0: as large as its contents ask for
} picture_spec;

picture_size picture_write(const picture_spec *picture, FILE *out);

// Writes the picture to a new file: PNG when the name ends so, drawn by rsvg-convert or chromium (an
// error where neither is installed), else SVG. Returns an exit code.
int picture_save(const picture_spec *picture, const char *path);

#endif
