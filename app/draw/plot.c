// app/draw/plot.c
// Axes, curves and a legend; see plot.h. Points nearer than a pixel to the one before are left out,
// so files stay small.
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>

enum {
    CN_PLOT_WIDTH = 920,
    CN_PLOT_HEIGHT = 540,
    CN_PLOT_LEFT = 86,
    CN_PLOT_RIGHT = 690,
    CN_PLOT_TOP = 92,
    CN_PLOT_BOTTOM = 472,
    CN_PLOT_LEGEND = 722
};

#define CN_TICKS 6      // about so many on a linear axis
#define CN_PLOT_ROOMY 7 // curves whose legend has room for notes

// One axis: a range of x, or of log10 x, and the pixels that it is drawn to.
typedef struct cn_axis {
    cn_scale scale;
    double low, high;
    double from, to; // [px]
    double tick;     // linear: the distance of two labels
} cn_axis;

typedef struct cn_axes {
    cn_axis x, y;
} cn_axes;

static double cn_axis_value(const cn_axis *axis, double x) {
    return axis->scale == CN_SCALE_LOG ? log10(x) : x;
}

static double cn_axis_pixel(const cn_axis *axis, double x) {
    double share = (cn_axis_value(axis, x) - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

static bool cn_can_show(cn_scale scale, double x) {
    return isfinite(x) && (scale == CN_SCALE_LINEAR || x > 0.0);
}

static bool cn_is_drawn(const cn_plot *plot, const cn_curve *curve, int32_t i) {
    return cn_can_show(plot->x_scale, curve->x[i]) && cn_can_show(plot->y_scale, curve->y[i]);
}

// ---- ranges ----

// 1, 2 or 5 times a power of ten, so that about CN_TICKS of them make the range.
static double cn_nice_tick(double range) {
    double raw = range / CN_TICKS, power = pow(10.0, floor(log10(raw)));
    double lead = raw / power;
    return power * (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0);
}

// Whole decades, or whole ticks, around low and high as they are in the data.
static void cn_axis_fit(cn_axis *axis, double low, double high) {
    if (!(low <= high)) {
        low = axis->scale == CN_SCALE_LOG ? 1.0 : 0.0;
        high = axis->scale == CN_SCALE_LOG ? 10.0 : 1.0;
    }
    if (axis->scale == CN_SCALE_LOG) {
        axis->low = floor(log10(low));
        axis->high = ceil(log10(high));
        axis->high += axis->high == axis->low ? 1.0 : 0.0;
        return;
    }
    // A constant is shown with room around it.
    double range = high - low, least = fmax(1e-12 * fmax(fabs(low), fabs(high)), 1e-300);
    if (!(range > least)) {
        double room = fmax(fabs(high), 1.0) * 0.05;
        low -= room;
        high += room;
    }
    axis->tick = cn_nice_tick(high - low);
    axis->low = axis->tick * floor(low / axis->tick + 1e-9);
    axis->high = axis->tick * ceil(high / axis->tick - 1e-9);
}

// Widens the narrower range until a unit has the same length on both axes.
static void cn_axes_equalise(cn_axes *axes) {
    double x_unit = fabs(axes->x.to - axes->x.from) / (axes->x.high - axes->x.low);
    double y_unit = fabs(axes->y.to - axes->y.from) / (axes->y.high - axes->y.low);
    cn_axis *wide = x_unit > y_unit ? &axes->x : &axes->y;
    double factor = fmax(x_unit, y_unit) / fmin(x_unit, y_unit);
    double middle = 0.5 * (wide->low + wide->high), half = 0.5 * (wide->high - wide->low);
    wide->low = middle - factor * half;
    wide->high = middle + factor * half;
    double tick = cn_nice_tick(fmax(axes->x.high - axes->x.low, axes->y.high - axes->y.low));
    axes->x.tick = axes->y.tick = tick;
}

static cn_axes cn_axes_fit(const cn_plot *plot) {
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int32_t c = 0; c < plot->count; c++) {
        const cn_curve *curve = &plot->curves[c];
        for (int32_t i = 0; i < curve->count; i++) {
            if (cn_is_drawn(plot, curve, i)) {
                low[0] = fmin(low[0], curve->x[i]);
                high[0] = fmax(high[0], curve->x[i]);
                low[1] = fmin(low[1], curve->y[i]);
                high[1] = fmax(high[1], curve->y[i]);
            }
        }
    }
    if (plot->y_target > 0.0) {
        low[1] = fmin(low[1], plot->y_target);
        high[1] = fmax(high[1], plot->y_target);
    }
    cn_axes axes = {
        .x = {.scale = plot->x_scale, .from = CN_PLOT_LEFT, .to = CN_PLOT_RIGHT},
        .y = {.scale = plot->y_scale, .from = CN_PLOT_BOTTOM, .to = CN_PLOT_TOP},
    };
    cn_axis_fit(&axes.x, low[0], high[0]);
    bool is_given = plot->y_range[1] > plot->y_range[0];
    cn_axis_fit(&axes.y, is_given ? plot->y_range[0] : low[1],
                is_given ? plot->y_range[1] : high[1]);
    if (plot->equal) {
        cn_axes_equalise(&axes);
    }
    return axes;
}

// ---- axes ----

// 10 to a power, with superscript digits.
static void cn_plot_power(FILE *out, double x, double y, const char *attributes, int32_t power) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>10%s", x, y, attributes, power < 0 ? "⁻" : "");
    power = abs(power);
    if (power >= 10) {
        fputs(digits[power / 10 % 10], out);
    }
    fprintf(out, "%s</text>\n", digits[power % 10]);
}

// A line of the grid at a pixel of the axis, and where its label goes.
static void cn_plot_grid(FILE *out, bool is_x, double pixel, const char *class) {
    if (is_x) {
        cn_svg_line(out, class, pixel, CN_PLOT_TOP, pixel, CN_PLOT_BOTTOM);
    } else {
        cn_svg_line(out, class, CN_PLOT_LEFT, pixel, CN_PLOT_RIGHT, pixel);
    }
}

static const char *cn_plot_anchor(bool is_x) {
    return is_x ? "text-anchor=\"middle\"" : "text-anchor=\"end\"";
}

static void cn_plot_decades(FILE *out, const cn_axis *axis, bool is_x) {
    int32_t first = (int32_t)axis->low, last = (int32_t)axis->high;
    int32_t every = last - first > 12 ? 2 : 1;
    for (int32_t k = first; k <= last; k++) {
        for (int32_t i = 2; is_x && i < 10 && k < last; i++) {
            cn_plot_grid(out, is_x, cn_axis_pixel(axis, i * pow(10.0, k)), "fine");
        }
        double at = cn_axis_pixel(axis, pow(10.0, k));
        cn_plot_grid(out, is_x, at, "grid");
        if ((k - first) % every == 0) {
            cn_plot_power(out, is_x ? at : CN_PLOT_LEFT - 10, is_x ? CN_PLOT_BOTTOM + 21 : at + 4.5,
                          cn_plot_anchor(is_x), k);
        }
    }
}

static void cn_plot_ticks(FILE *out, const cn_axis *axis, bool is_x) {
    int64_t first = (int64_t)ceil(axis->low / axis->tick - 1e-6);
    int64_t last = (int64_t)floor(axis->high / axis->tick + 1e-6);
    for (int64_t k = first; k <= last; k++) {
        char label[32];
        double value = (double)k * axis->tick, at = cn_axis_pixel(axis, value);
        snprintf(label, sizeof label, "%.6g", value);
        cn_plot_grid(out, is_x, at, "grid");
        cn_svg_text(out, is_x ? at : CN_PLOT_LEFT - 10, is_x ? CN_PLOT_BOTTOM + 21 : at + 4.5,
                    cn_plot_anchor(is_x), label);
    }
}

static void cn_plot_axis(FILE *out, const cn_axis *axis, bool is_x) {
    if (axis->scale == CN_SCALE_LOG) {
        cn_plot_decades(out, axis, is_x);
    } else {
        cn_plot_ticks(out, axis, is_x);
    }
}

static void cn_plot_axes(FILE *out, const cn_plot *plot, const cn_axes *axes) {
    cn_plot_axis(out, &axes->y, false);
    cn_plot_axis(out, &axes->x, true);
    cn_svg_line(out, "axis", CN_PLOT_LEFT, CN_PLOT_BOTTOM, CN_PLOT_RIGHT, CN_PLOT_BOTTOM);
    cn_svg_line(out, "axis", CN_PLOT_LEFT, CN_PLOT_TOP, CN_PLOT_LEFT, CN_PLOT_BOTTOM);
    cn_svg_text(out, (CN_PLOT_LEFT + CN_PLOT_RIGHT) / 2.0, CN_PLOT_BOTTOM + 48,
                "text-anchor=\"middle\"", plot->x_label);
    fprintf(out, "<g transform=\"translate(22 %d) rotate(-90)\">",
            (CN_PLOT_TOP + CN_PLOT_BOTTOM) / 2);
    cn_svg_text(out, 0.0, 0.0, "text-anchor=\"middle\"", plot->y_label);
    fputs("</g>\n", out);
    if (plot->y_target > 0.0) {
        double y = cn_axis_pixel(&axes->y, plot->y_target);
        cn_svg_line(out, "target", CN_PLOT_LEFT, y, CN_PLOT_RIGHT, y);
        cn_svg_text(out, CN_PLOT_LEFT + 8, y - 6, "class=\"small\"", plot->target_label);
    }
}

// ---- curves ----

// The colours in turn, then again with the next kind of dashes.
static int cn_curve_colour(int32_t c) {
    return (int)(c % CN_SVG_COLOURS);
}

static const char *cn_curve_dashes(int32_t c) {
    static const char *const kinds[CN_PLOT_DASHES] = {"", " stroke-dasharray=\"8 5\"",
                                                      " stroke-dasharray=\"1.5 5\"",
                                                      " stroke-dasharray=\"10 4 1.5 4\""};
    return kinds[c / CN_SVG_COLOURS % CN_PLOT_DASHES];
}

static void cn_plot_dots(FILE *out, const cn_plot *plot, const cn_axes *axes, int32_t c) {
    const cn_curve *curve = &plot->curves[c];
    for (int32_t i = 0; i < curve->count; i++) {
        if (cn_is_drawn(plot, curve, i)) {
            fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
                    cn_curve_colour(c), cn_axis_pixel(&axes->x, curve->x[i]),
                    cn_axis_pixel(&axes->y, curve->y[i]));
        }
    }
}

static void cn_plot_line(FILE *out, const cn_plot *plot, const cn_axes *axes, int32_t c) {
    const cn_curve *curve = &plot->curves[c];
    double last_x = -HUGE_VAL, last_y = -HUGE_VAL;
    int32_t last = -1;
    for (int32_t i = 0; i < curve->count; i++) {
        last = cn_is_drawn(plot, curve, i) ? i : last;
    }
    if (curve->outline) {
        fputs("<path class=\"outline\" d=\"", out);
    } else if (plot->overlaid && c > 0) { // each leaves more of those under it to be seen
        fprintf(out, "<path class=\"curve c%d\" stroke-dasharray=\"6 %d\" d=\"", cn_curve_colour(c),
                8 * (int)c);
    } else {
        fprintf(out, "<path class=\"curve c%d\"%s d=\"", cn_curve_colour(c), cn_curve_dashes(c));
    }
    bool pen_down = false;
    for (int32_t i = 0; i <= last; i++) {
        if (!cn_is_drawn(plot, curve, i)) {
            pen_down = pen_down && !isnan(curve->x[i]);
            continue;
        }
        double x = cn_axis_pixel(&axes->x, curve->x[i]), y = cn_axis_pixel(&axes->y, curve->y[i]);
        if (i == last || !pen_down || !(hypot(x - last_x, y - last_y) < 1.0)) {
            fprintf(out, "%c%.1f %.1f", pen_down ? 'L' : 'M', x, y);
            pen_down = true;
            last_x = x;
            last_y = y;
        }
    }
    fputs("\"/>\n", out);
    if (last >= 0 && !curve->outline) {
        fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n",
                cn_curve_colour(c), last_x, last_y);
    }
}

// A dot and its text at every point.
static void cn_plot_marks(FILE *out, const cn_plot *plot, const cn_axes *axes, int32_t c) {
    const cn_curve *curve = &plot->curves[c];
    for (int32_t i = 0; i < curve->count; i++) {
        if (cn_is_drawn(plot, curve, i)) {
            double x = cn_axis_pixel(&axes->x, curve->x[i]);
            double y = cn_axis_pixel(&axes->y, curve->y[i]);
            fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n",
                    cn_curve_colour(c), x, y);
            // Above and below in turn, so that curves side by side keep theirs apart.
            fprintf(out, "<g class=\"d%d\">", cn_curve_colour(c));
            cn_svg_text(out, x, c % 2 ? y + 20 : y - 9, "class=\"mark\" text-anchor=\"middle\"",
                        curve->marks[i]);
            fputs("</g>\n", out);
        }
    }
}

// Two lines a curve, or one where many have to fit.
static void cn_plot_legend(FILE *out, const cn_plot *plot) {
    int32_t count = plot->count < CN_PLOT_CURVES ? plot->count : CN_PLOT_CURVES;
    bool is_long = count > CN_PLOT_ROOMY;
    double step = is_long ? fmin(34.0, (double)(CN_PLOT_HEIGHT - CN_PLOT_TOP - 16) / count) : 52.0;
    double y = CN_PLOT_TOP + (is_long ? 0 : 12);
    for (int32_t c = 0; c < count; c++) {
        const cn_curve *curve = &plot->curves[c];
        if (!curve->name) {
            continue;
        }
        if (curve->outline) {
            cn_svg_line(out, "outline", CN_PLOT_LEGEND, y, CN_PLOT_LEGEND + 22, y);
        } else if (!curve->dots) {
            fprintf(
                out, "<line class=\"curve c%d\"%s x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
                cn_curve_colour(c), cn_curve_dashes(c), CN_PLOT_LEGEND, y, CN_PLOT_LEGEND + 22, y);
        }
        if (!curve->outline) {
            fprintf(out, "<circle class=\"d%d\" cx=\"%d\" cy=\"%.1f\" r=\"%s\"/>\n",
                    cn_curve_colour(c), CN_PLOT_LEGEND + 22, y, is_long ? "3.5" : "4.5");
        }
        cn_svg_text(out, CN_PLOT_LEGEND + 36, y + 4.5, "class=\"name\"", curve->name);
        if (!is_long) {
            cn_svg_text(out, CN_PLOT_LEGEND + 36, y + 22, "class=\"small\"", curve->note);
        }
        y += step;
    }
}

void cn_plot_write(const cn_plot *plot, FILE *out) {
    cn_axes axes = cn_axes_fit(plot);
    cn_svg_open(out, CN_PLOT_WIDTH, CN_PLOT_HEIGHT, plot->title, NULL);
    cn_svg_text(out, CN_PLOT_LEFT, 42, "class=\"title\"", plot->title);
    cn_svg_text(out, CN_PLOT_LEFT, 66, "", plot->subtitle);
    cn_plot_axes(out, plot, &axes);
    for (int32_t c = 0; c < plot->count && c < CN_PLOT_CURVES; c++) {
        if (plot->curves[c].dots) {
            cn_plot_dots(out, plot, &axes, c);
        } else {
            cn_plot_line(out, plot, &axes, c);
        }
        if (plot->curves[c].marks) {
            cn_plot_marks(out, plot, &axes, c);
        }
    }
    cn_plot_legend(out, plot);
    cn_svg_close(out);
}
