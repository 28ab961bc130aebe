// app/svg.c
// The plot is written as plain shapes and text with a small style sheet; colours follow the
// reader's light or dark preference. Points nearer than a pixel are left out, so files stay small.
#include "svg.h"

#include <math.h>
#include <stdlib.h>

enum {
    CN_SVG_WIDTH = 920,
    CN_SVG_HEIGHT = 540,
    CN_SVG_LEFT = 86,
    CN_SVG_RIGHT = 690,
    CN_SVG_TOP = 92,
    CN_SVG_BOTTOM = 472,
    CN_SVG_LEGEND = 722
};

// Hues that stay apart for colour-blind readers, one set for each background.
static const char *const cn_curve_light[CN_PLOT_CURVES] = {"#d9480f", "#1c6fd1", "#0b8a63",
                                                           "#8a4fc7", "#a07900", "#c2255c"};
static const char *const cn_curve_dark[CN_PLOT_CURVES] = {"#ff8a4c", "#62a8ff", "#3fd0a0",
                                                          "#c39bff", "#e6c04d", "#ff7fa8"};

// Whole decades around the data, and the way from numbers to pixels.
typedef struct cn_axes {
    int32_t x_low, x_high, y_low, y_high; // powers of ten
} cn_axes;

static double cn_axes_x(const cn_axes *axes, double x) {
    double share = (log10(x) - axes->x_low) / (axes->x_high - axes->x_low);
    return CN_SVG_LEFT + share * (CN_SVG_RIGHT - CN_SVG_LEFT);
}

static double cn_axes_y(const cn_axes *axes, double y) {
    double share = (log10(y) - axes->y_low) / (axes->y_high - axes->y_low);
    return CN_SVG_BOTTOM - share * (CN_SVG_BOTTOM - CN_SVG_TOP);
}

static bool cn_is_drawn(const cn_curve *curve, int32_t i) {
    return curve->x[i] > 0.0 && curve->y[i] > 0.0 && isfinite(curve->x[i]) && isfinite(curve->y[i]);
}

static cn_axes cn_axes_fit(const cn_plot *plot) {
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {0.0, 0.0};
    for (int32_t c = 0; c < plot->count; c++) {
        for (int32_t i = 0; i < plot->curves[c].count; i++) {
            if (cn_is_drawn(&plot->curves[c], i)) {
                low[0] = fmin(low[0], plot->curves[c].x[i]);
                high[0] = fmax(high[0], plot->curves[c].x[i]);
                low[1] = fmin(low[1], plot->curves[c].y[i]);
                high[1] = fmax(high[1], plot->curves[c].y[i]);
            }
        }
    }
    if (plot->y_target > 0.0) {
        low[1] = fmin(low[1], plot->y_target);
        high[1] = fmax(high[1], plot->y_target);
    }
    if (!(high[0] > 0.0 && high[1] > 0.0)) {
        return (cn_axes){0, 1, -1, 0};
    }
    cn_axes axes = {(int32_t)floor(log10(low[0])), (int32_t)ceil(log10(high[0])),
                    (int32_t)floor(log10(low[1])), (int32_t)ceil(log10(high[1]))};
    axes.x_high += axes.x_high == axes.x_low;
    axes.y_high += axes.y_high == axes.y_low;
    return axes;
}

// ---- pieces ----

static void cn_svg_style(FILE *out, const cn_plot *plot) {
    fputs(
        "<style>\n"
        "  text { font-family: system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif; "
        "font-size: 13px; fill: #46505c }\n"
        "  .card { fill: #ffffff } .title { font-size: 19px; font-weight: 600; fill: #161b22 }\n"
        "  .name { font-weight: 600; fill: #161b22 } .small { font-size: 12px }\n"
        "  .grid { stroke: #e4e8ed; stroke-width: 1 } .fine { stroke: #f1f3f6; stroke-width: 1 }\n"
        "  .axis { stroke: #8b95a1; stroke-width: 1.2 }\n"
        "  .target { stroke: #6b7580; stroke-width: 1.2; stroke-dasharray: 5 4 }\n"
        "  .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round }"
        "\n",
        out);
    for (int32_t c = 0; c < plot->count && c < CN_PLOT_CURVES; c++) {
        fprintf(out, "  .c%d { stroke: %s } .d%d { fill: %s }\n", (int)c, cn_curve_light[c], (int)c,
                cn_curve_light[c]);
    }
    fputs("  @media (prefers-color-scheme: dark) {\n"
          "    text { fill: #aab4c0 } .card { fill: #12161c } .title, .name { fill: #eef2f6 }\n"
          "    .grid { stroke: #2a313a } .fine { stroke: #1c2229 } .axis { stroke: #6b7683 }\n"
          "    .target { stroke: #95a0ad }\n",
          out);
    for (int32_t c = 0; c < plot->count && c < CN_PLOT_CURVES; c++) {
        fprintf(out, "    .c%d { stroke: %s } .d%d { fill: %s }\n", (int)c, cn_curve_dark[c],
                (int)c, cn_curve_dark[c]);
    }
    fputs("  }\n</style>\n", out);
}

static void cn_svg_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void cn_svg_text(FILE *out, double x, double y, const char *attributes, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    cn_svg_escaped(out, text);
    fputs("</text>\n", out);
}

static void cn_svg_line(FILE *out, const char *class, double x1, double y1, double x2, double y2) {
    fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x1, y1, x2, y2);
}

// 10 to a power, with superscript digits.
static void cn_svg_power(FILE *out, double x, double y, const char *attributes, int32_t power) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>10%s", x, y, attributes, power < 0 ? "⁻" : "");
    power = abs(power);
    if (power >= 10) {
        fputs(digits[power / 10 % 10], out);
    }
    fprintf(out, "%s</text>\n", digits[power % 10]);
}

static void cn_svg_axes(FILE *out, const cn_plot *plot, const cn_axes *axes) {
    int32_t decades = axes->y_high - axes->y_low;
    int32_t every = decades > 12 ? 2 : 1;
    for (int32_t k = axes->y_low; k <= axes->y_high; k++) {
        double y = cn_axes_y(axes, pow(10.0, k));
        cn_svg_line(out, "grid", CN_SVG_LEFT, y, CN_SVG_RIGHT, y);
        if ((k - axes->y_low) % every == 0) {
            cn_svg_power(out, CN_SVG_LEFT - 10, y + 4.5, "text-anchor=\"end\"", k);
        }
    }
    for (int32_t k = axes->x_low; k <= axes->x_high; k++) {
        for (int32_t i = 2; i < 10 && k < axes->x_high; i++) {
            double x = cn_axes_x(axes, i * pow(10.0, k));
            cn_svg_line(out, "fine", x, CN_SVG_TOP, x, CN_SVG_BOTTOM);
        }
        double x = cn_axes_x(axes, pow(10.0, k));
        cn_svg_line(out, "grid", x, CN_SVG_TOP, x, CN_SVG_BOTTOM);
        cn_svg_power(out, x, CN_SVG_BOTTOM + 21, "text-anchor=\"middle\"", k);
    }
    cn_svg_line(out, "axis", CN_SVG_LEFT, CN_SVG_BOTTOM, CN_SVG_RIGHT, CN_SVG_BOTTOM);
    cn_svg_line(out, "axis", CN_SVG_LEFT, CN_SVG_TOP, CN_SVG_LEFT, CN_SVG_BOTTOM);
    cn_svg_text(out, (CN_SVG_LEFT + CN_SVG_RIGHT) / 2.0, CN_SVG_BOTTOM + 48,
                "text-anchor=\"middle\"", plot->x_label);
    fprintf(out, "<g transform=\"translate(26 %d) rotate(-90)\">",
            (CN_SVG_TOP + CN_SVG_BOTTOM) / 2);
    cn_svg_text(out, 0.0, 0.0, "text-anchor=\"middle\"", plot->y_label);
    fputs("</g>\n", out);
    if (plot->y_target > 0.0) {
        double y = cn_axes_y(axes, plot->y_target);
        cn_svg_line(out, "target", CN_SVG_LEFT, y, CN_SVG_RIGHT, y);
        cn_svg_text(out, CN_SVG_LEFT + 8, y - 6, "class=\"small\"", plot->target_label);
    }
}

static void cn_svg_curve(FILE *out, const cn_plot *plot, const cn_axes *axes, int32_t c) {
    const cn_curve *curve = &plot->curves[c];
    double last_x = -HUGE_VAL, last_y = -HUGE_VAL;
    int32_t last = -1;
    for (int32_t i = 0; i < curve->count; i++) {
        last = cn_is_drawn(curve, i) ? i : last;
    }
    fprintf(out, "<path class=\"curve c%d\" d=\"", (int)c);
    bool pen_down = false;
    for (int32_t i = 0; i <= last; i++) {
        if (!cn_is_drawn(curve, i)) {
            continue;
        }
        double x = cn_axes_x(axes, curve->x[i]), y = cn_axes_y(axes, curve->y[i]);
        if (i == last || !(hypot(x - last_x, y - last_y) < 1.0)) {
            fprintf(out, "%c%.1f %.1f", pen_down ? 'L' : 'M', x, y);
            pen_down = true;
            last_x = x;
            last_y = y;
        }
    }
    fputs("\"/>\n", out);
    if (last >= 0) {
        fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n", (int)c, last_x,
                last_y);
    }
}

static void cn_svg_legend(FILE *out, const cn_plot *plot) {
    for (int32_t c = 0; c < plot->count && c < CN_PLOT_CURVES; c++) {
        double y = CN_SVG_TOP + 12 + 52.0 * c;
        fprintf(out,
                "<line class=\"curve c%d\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<circle class=\"d%d\" cx=\"%d\" cy=\"%.1f\" r=\"4.5\"/>\n",
                (int)c, CN_SVG_LEGEND, y, CN_SVG_LEGEND + 22, y, (int)c, CN_SVG_LEGEND + 22, y);
        cn_svg_text(out, CN_SVG_LEGEND + 36, y + 4.5, "class=\"name\"", plot->curves[c].name);
        cn_svg_text(out, CN_SVG_LEGEND + 36, y + 22, "class=\"small\"", plot->curves[c].note);
    }
}

void cn_plot_write(const cn_plot *plot, FILE *out) {
    cn_axes axes = cn_axes_fit(plot);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\">\n<title>",
            CN_SVG_WIDTH, CN_SVG_HEIGHT, CN_SVG_WIDTH, CN_SVG_HEIGHT);
    cn_svg_escaped(out, plot->title);
    fputs("</title>\n", out);
    cn_svg_style(out, plot);
    fprintf(out, "<rect class=\"card\" width=\"%d\" height=\"%d\" rx=\"10\"/>\n", CN_SVG_WIDTH,
            CN_SVG_HEIGHT);
    cn_svg_text(out, CN_SVG_LEFT, 42, "class=\"title\"", plot->title);
    cn_svg_text(out, CN_SVG_LEFT, 66, "", plot->subtitle);
    cn_svg_axes(out, plot, &axes);
    for (int32_t c = 0; c < plot->count && c < CN_PLOT_CURVES; c++) {
        cn_svg_curve(out, plot, &axes, c);
    }
    cn_svg_legend(out, plot);
    fputs("</svg>\n", out);
}
