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
    CN_CARD_WIDTH = 1060,
    CN_CARD_EDGE = 30,
    CN_CARD_HEAD = 84, // above the panels
    CN_CARD_GAP = 16,
    CN_PANEL_LABEL = 24 // under each panel
};

#define CN_PANEL_HEIGHT_MOST 620.0 // [px]
#define CN_PANEL_HEIGHT_LEAST 130.0
#define CN_FORCE_WIDTH 7.0    // [px] of the largest force
#define CN_FORCE_LEAST 0.01   // of the largest: weaker ones are left out
#define CN_FORCE_LARGEST 0.99 // the force that counts as the largest: this share are smaller

// Where the panels are and how the picture's plane lies in them.
typedef struct cn_layout {
    int32_t columns, rows;
    double width, height; // [px] of a panel
    double scale;         // [px/m]
    double middle[2];     // [m] of the picture's plane, at the panel's middle
} cn_layout;

static cn_layout cn_layout_choose(const cn_picture *picture, const cn_extent_box *extent) {
    double w = extent->seen_high[0] - extent->seen_low[0];
    double h = extent->seen_high[1] - extent->seen_low[1];
    double aspect = w / h, best = -1.0;
    cn_layout layout = {.columns = 1};
    // The number of columns that shows the scene largest on a card of at most twice its width.
    for (int32_t columns = 1; columns <= picture->count; columns++) {
        int32_t rows = (picture->count + columns - 1) / columns;
        double width =
            (CN_CARD_WIDTH - 2 * CN_CARD_EDGE - (columns - 1) * (double)CN_CARD_GAP) / columns;
        double most = picture->count == 1 ? CN_PANEL_HEIGHT_MOST : CN_PANEL_HEIGHT_MOST / rows;
        double height = fmin(fmax(width / aspect, CN_PANEL_HEIGHT_LEAST), most);
        double scale = fmin(width / w, height / h);
        if (scale > best * 1.02) {
            best = scale;
            layout = (cn_layout){columns, rows, width, height, scale, {0.0, 0.0}};
        }
    }
    for (int32_t k = 0; k < 2; k++) {
        layout.middle[k] = 0.5 * (extent->seen_low[k] + extent->seen_high[k]);
    }
    return layout;
}

// A panel being drawn.
typedef struct cn_panel {
    FILE *out;
    const cn_layout *layout;
    double left, top; // [px]
} cn_panel;

static double cn_panel_x(const cn_panel *panel, double x) {
    return panel->left + 0.5 * panel->layout->width +
           panel->layout->scale * (x - panel->layout->middle[0]);
}

static double cn_panel_y(const cn_panel *panel, double y) {
    return panel->top + 0.5 * panel->layout->height -
           panel->layout->scale * (y - panel->layout->middle[1]);
}

// ---- paints ----

static void cn_write_fill(FILE *out, const cn_paint *paint) {
    if (paint->shadow) {
        return; // its group says
    }
    int32_t rgb[3], edge[3];
    cn_tone_rgb(paint->tone, paint->light, rgb);
    cn_tone_rgb(paint->tone, 0.62 * paint->light, edge);
    fprintf(out, " fill=\"#%02x%02x%02x\"", (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
    // Without an edge of its own a face still closes the seam to the next one.
    const int32_t *line = paint->outline ? edge : rgb;
    fprintf(out, " stroke=\"#%02x%02x%02x\"", (unsigned)line[0], (unsigned)line[1],
            (unsigned)line[2]);
}

static void cn_write_points(const cn_panel *panel, const cn_paints *paints, const cn_paint *paint) {
    for (int32_t i = 0; i < paint->count; i++) {
        const double *point = paints->point + 2 * (int64_t)(paint->first + i);
        fprintf(panel->out, "%s%.1f %.1f", i ? "L" : "M", cn_panel_x(panel, point[0]),
                cn_panel_y(panel, point[1]));
    }
}

static void cn_write_oval(const cn_panel *panel, const cn_paint *paint) {
    double x = cn_panel_x(panel, paint->center[0]), y = cn_panel_y(panel, paint->center[1]);
    fprintf(panel->out,
            "<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.2f\" ry=\"%.2f\" "
            "transform=\"rotate(%.1f %.1f %.1f)\"",
            x, y, panel->layout->scale * paint->radius, panel->layout->scale * paint->second,
            -paint->angle * 180.0 / 3.14159265358979, x, y);
    cn_write_fill(panel->out, paint);
    fputs("/>\n", panel->out);
}

static void cn_write_circle(const cn_panel *panel, const cn_paint *paint) {
    double x = cn_panel_x(panel, paint->center[0]), y = cn_panel_y(panel, paint->center[1]);
    double r = panel->layout->scale * paint->radius;
    fprintf(panel->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"", x, y, r);
    if (paint->kind == CN_PAINT_BALL) {
        fprintf(panel->out, " fill=\"url(#ball%d)\"/>\n", (int)paint->tone);
    } else if (paint->kind == CN_PAINT_RING) {
        fputs(" class=\"ring\"/>\n", panel->out);
    } else {
        cn_write_fill(panel->out, paint);
        fprintf(panel->out, "/><path class=\"spoke\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x, y,
                x + r * cos(paint->angle), y - r * sin(paint->angle));
    }
}

static void cn_write_stick(const cn_panel *panel, const cn_paints *paints, const cn_paint *paint) {
    int32_t rgb[3];
    for (int32_t layer = 0; layer < 2; layer++) { // a darker one behind is the edge
        cn_tone_rgb(paint->tone, layer ? 0.95 : 0.62, rgb);
        fprintf(panel->out,
                "<path fill=\"none\" stroke-linecap=\"round\" stroke=\"#%02x%02x%02x\" "
                "stroke-width=\"%.2f\" d=\"",
                (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2],
                2.0 * panel->layout->scale * paint->radius - layer);
        cn_write_points(panel, paints, paint);
        fputs("\"/>\n", panel->out);
    }
}

static void cn_write_paint(const cn_panel *panel, const cn_paints *paints, const cn_paint *paint) {
    switch (paint->kind) {
    case CN_PAINT_POLYGON:
        fputs("<path d=\"", panel->out);
        cn_write_points(panel, paints, paint);
        fputs("Z\"", panel->out);
        cn_write_fill(panel->out, paint);
        fputs("/>\n", panel->out);
        break;
    case CN_PAINT_OVAL:
        cn_write_oval(panel, paint);
        break;
    case CN_PAINT_STICK:
        cn_write_stick(panel, paints, paint);
        break;
    case CN_PAINT_BALL:
    case CN_PAINT_DISK:
    case CN_PAINT_RING:
        cn_write_circle(panel, paint);
        break;
    }
}

// ---- forces ----

static int cn_compare_sizes(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double cn_impulse_size(const cn_contact_record *contact) {
    const double *r = contact->impulse;
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

// The force that is drawn with the full width.
static double cn_largest_force(const cn_still *still) {
    if (still->contact_count == 0) {
        return 0.0;
    }
    double *size = CN_ALLOCATE(double, still->contact_count);
    for (int32_t i = 0; i < still->contact_count; i++) {
        size[i] = cn_impulse_size(&still->contacts[i]);
    }
    qsort(size, (size_t)still->contact_count, sizeof *size, cn_compare_sizes);
    double largest = size[(int32_t)(CN_FORCE_LARGEST * (still->contact_count - 1))];
    free(size);
    return largest;
}

// The end of a force's line in a body: its centre of mass, or the contact itself where the body
// does not move.
static void cn_force_end(const cn_picture *picture, const cn_still *still, cn_body_id id,
                         const cn_contact_record *contact, const cn_camera *camera,
                         double seen[3]) {
    cn_body_info body;
    double x[3];
    cn_model_body(picture->model, id, &body);
    if (strcmp(body.kind, "rigid") == 0) {
        cn_pose pose = cn_pose_of(cn_model_dim(picture->model), still->q, id);
        cn_pose_apply(&pose, body.com, x);
    } else {
        memcpy(x, contact->point, sizeof x);
    }
    cn_camera_see(camera, x, seen);
}

static void cn_write_forces(const cn_panel *panel, const cn_picture *picture, const cn_still *still,
                            const cn_camera *camera) {
    double largest = cn_largest_force(still);
    fputs("<g class=\"force\">\n", panel->out);
    for (int32_t i = 0; i < still->contact_count; i++) {
        const cn_contact_record *contact = &still->contacts[i];
        double share = largest > 0.0 ? cn_impulse_size(contact) / largest : 0.0;
        if (!(share > CN_FORCE_LEAST)) {
            continue;
        }
        double a[3], b[3], point[3];
        cn_force_end(picture, still, contact->candidate, contact, camera, a);
        cn_force_end(picture, still, contact->antagonist, contact, camera, b);
        cn_camera_see(camera, contact->point, point);
        fprintf(panel->out, "<path stroke-width=\"%.2f\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n",
                CN_FORCE_WIDTH * fmin(share, 1.3), cn_panel_x(panel, a[0]), cn_panel_y(panel, a[1]),
                cn_panel_x(panel, point[0]), cn_panel_y(panel, point[1]), cn_panel_x(panel, b[0]),
                cn_panel_y(panel, b[1]));
    }
    fputs("</g>\n", panel->out);
}

// ---- panels ----

static void cn_write_still(const cn_panel *panel, const cn_picture *picture, int32_t index,
                           const cn_camera *camera, const cn_extent_box *extent,
                           const int32_t *tones) {
    const cn_still *still = &picture->stills[index];
    cn_paints paints;
    cn_paints_make(picture, still, camera, extent, tones, &paints);
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
        cn_write_paint(panel, &paints, &paints.paint[i]);
    }
    fputs(in_shadow ? "</g>\n</g>\n" : "</g>\n", panel->out);
    if (picture->forces) {
        fprintf(panel->out, "<g clip-path=\"url(#panel%d)\">\n", (int)index);
        cn_write_forces(panel, picture, still, camera);
        fputs("</g>\n", panel->out);
    }
    char label[48];
    snprintf(label, sizeof label, "t = %.4g s", still->t);
    cn_svg_text(panel->out, panel->left + 2, panel->top + panel->layout->height + 17,
                "class=\"small\"", label);
    cn_paints_free(&paints);
}

static const char cn_picture_classes[] =
    "  .sky { fill: #f4f6f8 } .bodies { stroke-width: 0.7; stroke-linejoin: round }\n"
    "  .pale { opacity: 0.35 } .shadow { opacity: 0.13; fill: #10161d; stroke: none }\n"
    "  .spoke { stroke: #000; stroke-opacity: 0.35; stroke-width: 0.9; fill: none }\n"
    "  .ring { fill: none; stroke: #5f6b78; stroke-width: 3 }\n"
    "  .force { stroke: #a3123f; stroke-opacity: 0.8; stroke-linecap: round; stroke-linejoin: "
    "round; fill: none }\n"
    "  @media (prefers-color-scheme: dark) { .sky { fill: #1b2129 } .force { stroke: #ff7fa8 } }\n";

// A ball of every tone: light from above on the left.
static void cn_write_gradients(FILE *out) {
    fputs("<defs>\n", out);
    for (int32_t tone = 0; tone < CN_TONES; tone++) {
        static const double light[3] = {1.35, 1.0, 0.55};
        static const int32_t share[3] = {0, 55, 100};
        fprintf(out, "<radialGradient id=\"ball%d\" cx=\"0.36\" cy=\"0.3\" r=\"0.75\">", (int)tone);
        for (int32_t i = 0; i < 3; i++) {
            int32_t rgb[3];
            cn_tone_rgb(tone, light[i], rgb);
            fprintf(out, "<stop offset=\"%d%%\" stop-color=\"#%02x%02x%02x\"/>", (int)share[i],
                    (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
        }
        fputs("</radialGradient>\n", out);
    }
    fputs("</defs>\n", out);
}

void cn_picture_write(const cn_picture *picture, FILE *out) {
    cn_camera camera = cn_camera_of(picture->model);
    cn_extent_box extent = cn_picture_extent(picture, &camera);
    cn_layout layout = cn_layout_choose(picture, &extent);
    int32_t *tones = cn_tones_choose(picture);
    double height = CN_CARD_HEAD + layout.rows * (layout.height + CN_PANEL_LABEL + CN_CARD_GAP) -
                    CN_CARD_GAP + CN_CARD_EDGE / 2.0;
    cn_svg_open(out, CN_CARD_WIDTH, (int32_t)height, picture->title, cn_picture_classes);
    cn_write_gradients(out);
    cn_svg_text(out, CN_CARD_EDGE, 42, "class=\"title\"", picture->title);
    cn_svg_text(out, CN_CARD_EDGE, 65, "", picture->subtitle);
    for (int32_t i = 0; i < picture->count; i++) {
        cn_panel panel = {.out = out,
                          .layout = &layout,
                          .left =
                              CN_CARD_EDGE + (i % layout.columns) * (layout.width + CN_CARD_GAP),
                          .top = CN_CARD_HEAD + (int32_t)(i / layout.columns) *
                                                    (layout.height + CN_PANEL_LABEL + CN_CARD_GAP)};
        cn_write_still(&panel, picture, i, &camera, &extent, tones);
    }
    free(tones);
    cn_svg_close(out);
}
