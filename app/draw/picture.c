// app/draw/picture.c
// Panels on a card, one for each moment, and the SVG of their paints; see picture.h.
#include "draw/picture.h"

#include "draw/paint.h"
#include "draw/svg.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CARD_WIDTH = 1060,
    CARD_EDGE = 30,
    CARD_HEAD = 84, // above the panels
    CARD_GAP = 16,
    PANEL_LABEL = 24 // under each panel
};

#define PANEL_HEIGHT_MAX 620.0 // [px]
#define PANEL_HEIGHT_MIN 130.0
#define FORCE_WIDTH 7.0    // [px] of the largest force
#define FORCE_MIN 0.01     // of the largest: weaker ones are left out
#define FORCE_LARGEST 0.99 // the force that counts as the largest: this share are smaller

// Where the panels are and how the picture's plane lies in them.
typedef struct picture_layout {
    int32_t columns, rows;
    double width, height; // [px] of a panel
    double scale;         // [px/m]
    double middle[2];     // [m] of the picture's plane, at the panel's middle
} picture_layout;

static picture_layout layout_choose(const picture_spec *picture, const extent_box *extent) {
    double w = extent->seen_high[0] - extent->seen_low[0];
    double h = extent->seen_high[1] - extent->seen_low[1];
    double aspect = w / h, best = -1.0;
    picture_layout layout = {.columns = 1};
    // The number of columns that shows the scene largest on a card of at most twice its width.
    for (int32_t columns = 1; columns <= picture->count; columns++) {
        int32_t rows = (picture->count + columns - 1) / columns;
        double width = (CARD_WIDTH - 2 * CARD_EDGE - (columns - 1) * (double)CARD_GAP) / columns;
        double max = picture->count == 1 ? PANEL_HEIGHT_MAX : PANEL_HEIGHT_MAX / rows;
        double height = fmin(fmax(width / aspect, PANEL_HEIGHT_MIN), max);
        double scale = fmin(width / w, height / h);
        if (scale > best * 1.02) {
            best = scale;
            layout = (picture_layout){columns, rows, width, height, scale, {0.0, 0.0}};
        }
    }
    for (int32_t k = 0; k < 2; k++) {
        layout.middle[k] = 0.5 * (extent->seen_low[k] + extent->seen_high[k]);
    }
    return layout;
}

// A panel being drawn.
typedef struct picture_panel {
    FILE *out;
    const picture_layout *layout;
    double left, top; // [px]
} picture_panel;

static double panel_x(const picture_panel *panel, double x) {
    return panel->left + 0.5 * panel->layout->width +
           panel->layout->scale * (x - panel->layout->middle[0]);
}

static double panel_y(const picture_panel *panel, double y) {
    return panel->top + 0.5 * panel->layout->height -
           panel->layout->scale * (y - panel->layout->middle[1]);
}

// ---- paints ----

static void write_fill(FILE *out, const paint_item *paint) {
    if (paint->shadow) {
        return; // its group says
    }
    int32_t rgb[3], edge[3];
    tone_rgb(paint->tone, paint->inv_mass, rgb);
    tone_rgb(paint->tone, paint->edge * paint->inv_mass, edge);
    fprintf(out, " fill=\"#%02x%02x%02x\"", (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
    // Without an edge of its own a face still closes the seam to the next one.
    const int32_t *line = paint->outline ? edge : rgb;
    fprintf(out, " stroke=\"#%02x%02x%02x\"", (unsigned)line[0], (unsigned)line[1],
            (unsigned)line[2]);
}

static void write_points(const picture_panel *panel, const paint_list *paints,
                         const paint_item *paint) {
    for (int32_t i = 0; i < paint->count; i++) {
        const double *point = paints->point + 2 * (int64_t)(paint->first + i);
        fprintf(panel->out, "%s%.1f %.1f", i ? "L" : "M", panel_x(panel, point[0]),
                panel_y(panel, point[1]));
    }
}

static void write_oval(const picture_panel *panel, const paint_item *paint) {
    double x = panel_x(panel, paint->center[0]), y = panel_y(panel, paint->center[1]);
    fprintf(panel->out,
            "<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.2f\" ry=\"%.2f\" "
            "transform=\"rotate(%.1f %.1f %.1f)\"",
            x, y, panel->layout->scale * paint->radius, panel->layout->scale * paint->second,
            -paint->angle * 180.0 / 3.14159265358979, x, y);
    write_fill(panel->out, paint);
    fputs("/>\n", panel->out);
}

static void write_circle(const picture_panel *panel, const paint_item *paint) {
    double x = panel_x(panel, paint->center[0]), y = panel_y(panel, paint->center[1]);
    double r = panel->layout->scale * paint->radius;
    fprintf(panel->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"", x, y, r);
    if (paint->kind == PAINT_SPHERE) {
        fprintf(panel->out, " fill=\"url(#ball%d)\"/>\n", (int)paint->tone);
    } else if (paint->kind == PAINT_RING) {
        fputs(" class=\"ring\"/>\n", panel->out);
    } else {
        write_fill(panel->out, paint);
        fprintf(panel->out, "/><path class=\"spoke\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x, y,
                x + r * cos(paint->angle), y - r * sin(paint->angle));
    }
}

static void write_stick(const picture_panel *panel, const paint_list *paints,
                        const paint_item *paint) {
    int32_t rgb[3];
    for (int32_t layer = 0; layer < 2; layer++) { // a darker one behind is the edge
        tone_rgb(paint->tone, layer ? 0.95 : 0.62, rgb);
        fprintf(panel->out,
                "<path fill=\"none\" stroke-linecap=\"round\" stroke=\"#%02x%02x%02x\" "
                "stroke-width=\"%.2f\" d=\"",
                (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2],
                2.0 * panel->layout->scale * paint->radius - layer);
        write_points(panel, paints, paint);
        fputs("\"/>\n", panel->out);
    }
}

static void write_paint(const picture_panel *panel, const paint_list *paints,
                        const paint_item *paint) {
    switch (paint->kind) {
    case PAINT_POLYGON:
        fputs("<path d=\"", panel->out);
        write_points(panel, paints, paint);
        fputs("Z\"", panel->out);
        write_fill(panel->out, paint);
        fputs("/>\n", panel->out);
        break;
    case PAINT_OVAL:
        write_oval(panel, paint);
        break;
    case PAINT_STICK:
        write_stick(panel, paints, paint);
        break;
    case PAINT_SPHERE:
    case PAINT_DISK:
    case PAINT_RING:
        write_circle(panel, paint);
        break;
    }
}

// ---- forces ----

static double impulse_size(const cn_contact_record *contact) {
    const double *r = contact->impulse;
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

// The force that is drawn with the full width.
static double largest_force(const picture_still *still) {
    if (still->contact_count == 0) {
        return 0.0;
    }
    double *size = ALLOCATE(double, still->contact_count);
    for (int32_t i = 0; i < still->contact_count; i++) {
        size[i] = impulse_size(&still->contacts[i]);
    }
    qsort(size, (size_t)still->contact_count, sizeof *size, compare_reals);
    double largest = size[(int32_t)(FORCE_LARGEST * (still->contact_count - 1))];
    free(size);
    return largest;
}

// The end of a force's line in a body: its centre of mass, or the contact itself where the body
// does not move.
static void force_end(const picture_spec *picture, const picture_still *still, cn_body_id id,
                      const cn_contact_record *contact, const view_camera *camera, double seen[3]) {
    cn_body_info body;
    double x[3];
    cn_model_body(picture->model, id, &body);
    if (body_moves(&body)) {
        body_pose pose = pose_of(cn_model_dim(picture->model), still->q, id);
        pose_apply(&pose, body.com, x);
    } else {
        memcpy(x, contact->point, sizeof x);
    }
    view_camera_project(camera, x, seen);
}

static void write_forces(const picture_panel *panel, const picture_spec *picture,
                         const picture_still *still, const view_camera *camera) {
    double largest = largest_force(still);
    fputs("<g class=\"force\">\n", panel->out);
    for (int32_t i = 0; i < still->contact_count; i++) {
        const cn_contact_record *contact = &still->contacts[i];
        double share = largest > 0.0 ? impulse_size(contact) / largest : 0.0;
        if (!(share > FORCE_MIN)) {
            continue;
        }
        double a[3], b[3], point[3];
        force_end(picture, still, contact->candidate, contact, camera, a);
        force_end(picture, still, contact->antagonist, contact, camera, b);
        view_camera_project(camera, contact->point, point);
        fprintf(panel->out, "<path stroke-width=\"%.2f\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n",
                FORCE_WIDTH * fmin(share, 1.3), panel_x(panel, a[0]), panel_y(panel, a[1]),
                panel_x(panel, point[0]), panel_y(panel, point[1]), panel_x(panel, b[0]),
                panel_y(panel, b[1]));
    }
    fputs("</g>\n", panel->out);
}

// ---- marks ----

#define MARK_ARM 9.0 // [px] of the cross

static void write_marks(const picture_panel *panel, const cn_model *model,
                        const view_camera *camera) {
    for (int32_t i = 0; i < cn_model_mark_count(model); i++) {
        const cn_mark *mark = cn_model_mark(model, i);
        double seen[3];
        view_camera_project(camera, mark->position, seen);
        double x = panel_x(panel, seen[0]), y = panel_y(panel, seen[1]);
        svg_line(panel->out, "mark", x - MARK_ARM, y, x + MARK_ARM, y);
        svg_line(panel->out, "mark", x, y - MARK_ARM, x, y + MARK_ARM);
        char *words = format_text("position of %s: %s", mark->name, mark->about);
        bool left = x > panel->left + 0.5 * panel->layout->width; // where there is room
        svg_text(panel->out, x + (left ? -12 : 12), y - 6,
                 left ? "class=\"small halo\" text-anchor=\"end\"" : "class=\"small halo\"", words);
        free(words);
    }
}

// ---- panels ----

static void write_still(const picture_panel *panel, const picture_spec *picture, int32_t index,
                        const view_camera *camera, const extent_box *extent, const int32_t *tones) {
    const picture_still *still = &picture->stills[index];
    paint_list paints;
    paints_make(picture, still, camera, extent, tones, &paints);
    fprintf(panel->out,
            "<clipPath id=\"panel%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "rx=\"6\"/></clipPath>\n<rect class=\"sky\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\" rx=\"6\"/>\n<g clip-path=\"url(#panel%d)\" class=\"bodies%s\">\n",
            (int)index, panel->left, panel->top, panel->layout->width, panel->layout->height,
            panel->left, panel->top, panel->layout->width, panel->layout->height, (int)index,
            picture->forces ? " pale" : "");
    bool in_shadow = false;
    for (int32_t i = 0; i < paints.count; i++) {
        if (paints.paint[i].shadow != in_shadow) {
            fputs(in_shadow ? "</g>\n" : "<g class=\"shadow\">\n", panel->out);
            in_shadow = !in_shadow;
        }
        write_paint(panel, &paints, &paints.paint[i]);
    }
    fputs(in_shadow ? "</g>\n</g>\n" : "</g>\n", panel->out);
    if (picture->forces) {
        fprintf(panel->out, "<g clip-path=\"url(#panel%d)\">\n", (int)index);
        write_forces(panel, picture, still, camera);
        fputs("</g>\n", panel->out);
    }
    if (picture->marks) {
        write_marks(panel, picture->model, camera);
    }
    char label[48];
    snprintf(label, sizeof label, "t = %.4g s", still->t);
    svg_text(panel->out, panel->left + 2, panel->top + panel->layout->height + 17,
             "class=\"small\"", label);
    paints_free(&paints);
}

static const char picture_classes[] =
    "  .sky { fill: #f4f6f8 } .bodies { stroke-width: 0.7; stroke-linejoin: round }\n"
    "  .pale { opacity: 0.35 } .shadow { opacity: 0.13; fill: #10161d; stroke: none }\n"
    "  .spoke { stroke: #000; stroke-opacity: 0.35; stroke-width: 0.9; fill: none }\n"
    "  .mark { stroke: #a3123f; stroke-width: 2 }\n"
    "  .halo { fill: #a3123f; font-weight: 600; paint-order: stroke; stroke: #ffffff; "
    "stroke-width: 3 }\n"
    "  .ring { fill: none; stroke: #5f6b78; stroke-width: 3 }\n"
    "  .force { stroke: #a3123f; stroke-opacity: 0.8; stroke-linecap: round; stroke-linejoin: "
    "round; fill: none }\n"
    "  @media (prefers-color-scheme: dark) { .sky { fill: #1b2129 } .force { stroke: #ff7fa8 } }\n";

// A sphere of every tone: light from above on the left.
static void write_gradients(FILE *out) {
    fputs("<defs>\n", out);
    for (int32_t tone = 0; tone < TONES; tone++) {
        static const double inv_mass[3] = {1.35, 1.0, 0.55};
        static const int32_t share[3] = {0, 55, 100};
        fprintf(out, "<radialGradient id=\"ball%d\" cx=\"0.36\" cy=\"0.3\" r=\"0.75\">", (int)tone);
        for (int32_t i = 0; i < 3; i++) {
            int32_t rgb[3];
            tone_rgb(tone, inv_mass[i], rgb);
            fprintf(out, "<stop offset=\"%d%%\" stop-color=\"#%02x%02x%02x\"/>", (int)share[i],
                    (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
        }
        fputs("</radialGradient>\n", out);
    }
    fputs("</defs>\n", out);
}

picture_size picture_write(const picture_spec *picture, FILE *out) {
    view_camera camera = view_camera_of(picture->model);
    extent_box extent = picture_extent(picture, &camera);
    picture_layout layout = layout_choose(picture, &extent);
    int32_t *tones = tones_choose(picture);
    double height = CARD_HEAD + layout.rows * (layout.height + PANEL_LABEL + CARD_GAP) - CARD_GAP +
                    CARD_EDGE / 2.0;
    bool sized = picture->shown.width > 0;
    const int32_t size[2] = {CARD_WIDTH, (int32_t)height};
    const int32_t shown[2] = {sized ? picture->shown.width : size[0],
                              sized ? picture->shown.height : size[1]};
    svg_open_scaled(out, size, shown, picture->title, picture_classes);
    write_gradients(out);
    svg_text(out, CARD_EDGE, 42, "class=\"title\"", picture->title);
    svg_text(out, CARD_EDGE, 65, "", picture->subtitle);
    for (int32_t i = 0; i < picture->count; i++) {
        picture_panel panel = {.out = out,
                               .layout = &layout,
                               .left = CARD_EDGE + (i % layout.columns) * (layout.width + CARD_GAP),
                               .top = CARD_HEAD + (int32_t)(i / layout.columns) *
                                                      (layout.height + PANEL_LABEL + CARD_GAP)};
        write_still(&panel, picture, i, &camera, &extent, tones);
    }
    free(tones);
    svg_close(out);
    return (picture_size){shown[0], shown[1]};
}
