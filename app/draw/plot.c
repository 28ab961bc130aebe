// app/draw/plot.c
// Axes, curves and a legend; see plot.h. Points nearer than a pixel to the one before are left out,
// so files stay small.
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>

enum {
    PLOT_WIDTH = 920,
    PLOT_HEIGHT = 540,
    PLOT_LEFT = 86,
    PLOT_RIGHT = 690,
    PLOT_TOP = 92,
    PLOT_BOTTOM = 472,
    PLOT_LEGEND = 722
};

#define TICKS 6      // about so many on a linear axis
#define PLOT_ROOMY 7 // curves whose legend has room for notes

// One axis: a range of x, or of log10 x, and the pixels that it is drawn to.
typedef struct plot_axis {
    plot_scale scale;
    double low, high;
    double from, to; // [px]
    double tick;     // linear: the distance of two labels
} plot_axis;

typedef struct plot_axes {
    plot_axis x, y;
} plot_axes;

static double axis_value(const plot_axis *axis, double x) {
    return axis->scale == SCALE_LOG ? log10(x) : x;
}

static double axis_pixel(const plot_axis *axis, double x) {
    double share = (axis_value(axis, x) - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

static bool can_display(plot_scale scale, double x) {
    return isfinite(x) && (scale == SCALE_LINEAR || x > 0.0);
}

static bool is_drawn(const plot_spec *plot, const plot_curve *curve, int32_t i) {
    return can_display(plot->x_scale, curve->x[i]) && can_display(plot->y_scale, curve->y[i]);
}

// ---- ranges ----

// 1, 2 or 5 times a power of ten, so that about TICKS of them make the range.
static double nice_tick(double range) {
    double raw = range / TICKS, power = pow(10.0, floor(log10(raw)));
    double lead = raw / power;
    return power * (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0);
}

// Whole decades, or whole ticks, around low and high as they are in the data.
static void axis_fit(plot_axis *axis, double low, double high) {
    if (!(low <= high)) {
        low = axis->scale == SCALE_LOG ? 1.0 : 0.0;
        high = axis->scale == SCALE_LOG ? 10.0 : 1.0;
    }
    if (axis->scale == SCALE_LOG) {
        axis->low = floor(log10(low));
        axis->high = ceil(log10(high));
        axis->high += axis->high == axis->low ? 1.0 : 0.0;
        return;
    }
    // A constant is shown with room around it.
    double range = high - low, min = fmax(1e-12 * fmax(fabs(low), fabs(high)), 1e-300);
    if (!(range > min)) {
        double room = fmax(fabs(high), 1.0) * 0.05;
        low -= room;
        high += room;
    }
    axis->tick = nice_tick(high - low);
    axis->low = axis->tick * floor(low / axis->tick + 1e-9);
    axis->high = axis->tick * ceil(high / axis->tick - 1e-9);
}

// Widens the narrower range until a unit has the same length on both axes.
static void axes_equalise(plot_axes *axes) {
    double x_unit = fabs(axes->x.to - axes->x.from) / (axes->x.high - axes->x.low);
    double y_unit = fabs(axes->y.to - axes->y.from) / (axes->y.high - axes->y.low);
    plot_axis *wide = x_unit > y_unit ? &axes->x : &axes->y;
    double factor = fmax(x_unit, y_unit) / fmin(x_unit, y_unit);
    double middle = 0.5 * (wide->low + wide->high), half = 0.5 * (wide->high - wide->low);
    wide->low = middle - factor * half;
    wide->high = middle + factor * half;
    double tick = nice_tick(fmax(axes->x.high - axes->x.low, axes->y.high - axes->y.low));
    axes->x.tick = axes->y.tick = tick;
}

static plot_axes axes_fit(const plot_spec *plot) {
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int32_t c = 0; c < plot->count; c++) {
        const plot_curve *curve = &plot->curves[c];
        for (int32_t i = 0; i < curve->count; i++) {
            if (is_drawn(plot, curve, i)) {
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
    plot_axes axes = {
        .x = {.scale = plot->x_scale, .from = PLOT_LEFT, .to = PLOT_RIGHT},
        .y = {.scale = plot->y_scale, .from = PLOT_BOTTOM, .to = PLOT_TOP},
    };
    axis_fit(&axes.x, low[0], high[0]);
    bool is_given = plot->y_range[1] > plot->y_range[0];
    axis_fit(&axes.y, is_given ? plot->y_range[0] : low[1], is_given ? plot->y_range[1] : high[1]);
    if (plot->equal) {
        axes_equalise(&axes);
    }
    return axes;
}

// ---- axes ----

// 10 to a power, with superscript digits.
static void plot_power(FILE *out, double x, double y, const char *attributes, int32_t power) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>10%s", x, y, attributes, power < 0 ? "⁻" : "");
    power = abs(power);
    if (power >= 10) {
        fputs(digits[power / 10 % 10], out);
    }
    fprintf(out, "%s</text>\n", digits[power % 10]);
}

// A line of the grid at a pixel of the axis, and where its label goes.
static void draw_grid(FILE *out, bool is_x, double pixel, const char *class) {
    if (is_x) {
        svg_line(out, class, pixel, PLOT_TOP, pixel, PLOT_BOTTOM);
    } else {
        svg_line(out, class, PLOT_LEFT, pixel, PLOT_RIGHT, pixel);
    }
}

static const char *plot_anchor(bool is_x) {
    return is_x ? "text-anchor=\"middle\"" : "text-anchor=\"end\"";
}

static void plot_decades(FILE *out, const plot_axis *axis, bool is_x) {
    int32_t first = (int32_t)axis->low, last = (int32_t)axis->high;
    int32_t every = last - first > 12 ? 2 : 1;
    for (int32_t k = first; k <= last; k++) {
        for (int32_t i = 2; is_x && i < 10 && k < last; i++) {
            draw_grid(out, is_x, axis_pixel(axis, i * pow(10.0, k)), "fine");
        }
        double at = axis_pixel(axis, pow(10.0, k));
        draw_grid(out, is_x, at, "grid");
        if ((k - first) % every == 0) {
            plot_power(out, is_x ? at : PLOT_LEFT - 10, is_x ? PLOT_BOTTOM + 21 : at + 4.5,
                       plot_anchor(is_x), k);
        }
    }
}

static void draw_ticks(FILE *out, const plot_axis *axis, bool is_x) {
    int64_t first = (int64_t)ceil(axis->low / axis->tick - 1e-6);
    int64_t last = (int64_t)floor(axis->high / axis->tick + 1e-6);
    for (int64_t k = first; k <= last; k++) {
        char label[32];
        double value = (double)k * axis->tick, at = axis_pixel(axis, value);
        snprintf(label, sizeof label, "%.6g", value);
        draw_grid(out, is_x, at, "grid");
        svg_text(out, is_x ? at : PLOT_LEFT - 10, is_x ? PLOT_BOTTOM + 21 : at + 4.5,
                 plot_anchor(is_x), label);
    }
}

static void draw_axis(FILE *out, const plot_axis *axis, bool is_x) {
    if (axis->scale == SCALE_LOG) {
        plot_decades(out, axis, is_x);
    } else {
        draw_ticks(out, axis, is_x);
    }
}

static void draw_axes(FILE *out, const plot_spec *plot, const plot_axes *axes) {
    draw_axis(out, &axes->y, false);
    draw_axis(out, &axes->x, true);
    svg_line(out, "axis", PLOT_LEFT, PLOT_BOTTOM, PLOT_RIGHT, PLOT_BOTTOM);
    svg_line(out, "axis", PLOT_LEFT, PLOT_TOP, PLOT_LEFT, PLOT_BOTTOM);
    svg_text(out, (PLOT_LEFT + PLOT_RIGHT) / 2.0, PLOT_BOTTOM + 48, "text-anchor=\"middle\"",
             plot->x_label);
    fprintf(out, "<g transform=\"translate(22 %d) rotate(-90)\">", (PLOT_TOP + PLOT_BOTTOM) / 2);
    svg_text(out, 0.0, 0.0, "text-anchor=\"middle\"", plot->y_label);
    fputs("</g>\n", out);
    if (plot->y_target > 0.0) {
        double y = axis_pixel(&axes->y, plot->y_target);
        svg_line(out, "target", PLOT_LEFT, y, PLOT_RIGHT, y);
        svg_text(out, PLOT_LEFT + 8, y - 6, "class=\"small\"", plot->target_label);
    }
}

// ---- curves ----

// The colours in turn, then again with the next kind of dashes.
static int curve_colour(int32_t c) {
    return (int)(c % SVG_COLOURS);
}

static const char *curve_dashes(int32_t c) {
    static const char *const kinds[PLOT_DASHES] = {"", " stroke-dasharray=\"8 5\"",
                                                   " stroke-dasharray=\"1.5 5\"",
                                                   " stroke-dasharray=\"10 4 1.5 4\""};
    return kinds[c / SVG_COLOURS % PLOT_DASHES];
}

static void plot_dots(FILE *out, const plot_spec *plot, const plot_axes *axes, int32_t c) {
    const plot_curve *curve = &plot->curves[c];
    for (int32_t i = 0; i < curve->count; i++) {
        if (is_drawn(plot, curve, i)) {
            fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
                    curve_colour(c), axis_pixel(&axes->x, curve->x[i]),
                    axis_pixel(&axes->y, curve->y[i]));
        }
    }
}

static void plot_line(FILE *out, const plot_spec *plot, const plot_axes *axes, int32_t c) {
    const plot_curve *curve = &plot->curves[c];
    double last_x = -HUGE_VAL, last_y = -HUGE_VAL;
    int32_t last = -1;
    for (int32_t i = 0; i < curve->count; i++) {
        last = is_drawn(plot, curve, i) ? i : last;
    }
    if (curve->outline) {
        fputs("<path class=\"outline\" d=\"", out);
    } else if (curve->strokes) {
        fprintf(out, "<path class=\"curve c%d\" style=\"stroke-width: 1.2\" d=\"", curve_colour(c));
    } else if (plot->overlaid && c > 0) { // each leaves more of those under it to be seen
        fprintf(out, "<path class=\"curve c%d\" stroke-dasharray=\"6 %d\" d=\"", curve_colour(c),
                8 * (int)c);
    } else {
        fprintf(out, "<path class=\"curve c%d\"%s d=\"", curve_colour(c), curve_dashes(c));
    }
    bool pen_down = false;
    for (int32_t i = 0; i <= last; i++) {
        if (!is_drawn(plot, curve, i)) {
            pen_down = pen_down && !isnan(curve->x[i]);
            continue;
        }
        double x = axis_pixel(&axes->x, curve->x[i]), y = axis_pixel(&axes->y, curve->y[i]);
        if (i == last || !pen_down || !(hypot(x - last_x, y - last_y) < 1.0)) {
            fprintf(out, "%c%.1f %.1f", pen_down ? 'L' : 'M', x, y);
            pen_down = true;
            last_x = x;
            last_y = y;
        }
    }
    fputs("\"/>\n", out);
    if (last >= 0 && !curve->outline && !curve->strokes) {
        fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n", curve_colour(c),
                last_x, last_y);
    }
}

// A dot and its text at every point.
static void plot_marks(FILE *out, const plot_spec *plot, const plot_axes *axes, int32_t c) {
    const plot_curve *curve = &plot->curves[c];
    for (int32_t i = 0; i < curve->count; i++) {
        if (is_drawn(plot, curve, i)) {
            double x = axis_pixel(&axes->x, curve->x[i]);
            double y = axis_pixel(&axes->y, curve->y[i]);
            fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n",
                    curve_colour(c), x, y);
            // Above and below in turn, so that curves side by side keep theirs apart.
            fprintf(out, "<g class=\"d%d\">", curve_colour(c));
            svg_text(out, x, c % 2 ? y + 20 : y - 9, "class=\"mark\" text-anchor=\"middle\"",
                     curve->marks[i]);
            fputs("</g>\n", out);
        }
    }
}

// Two lines a curve, or one where many have to fit.
static void plot_legend(FILE *out, const plot_spec *plot) {
    int32_t count = plot->count < PLOT_CURVES ? plot->count : PLOT_CURVES;
    bool is_long = count > PLOT_ROOMY;
    double step = is_long ? fmin(34.0, (double)(PLOT_HEIGHT - PLOT_TOP - 16) / count) : 52.0;
    double y = PLOT_TOP + (is_long ? 0 : 12);
    for (int32_t c = 0; c < count; c++) {
        const plot_curve *curve = &plot->curves[c];
        if (!curve->name) {
            continue;
        }
        if (curve->outline) {
            svg_line(out, "outline", PLOT_LEGEND, y, PLOT_LEGEND + 22, y);
        } else if (!curve->dots) {
            fprintf(out,
                    "<line class=\"curve c%d\"%s x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
                    curve_colour(c), curve_dashes(c), PLOT_LEGEND, y, PLOT_LEGEND + 22, y);
        }
        if (!curve->outline && !curve->strokes) {
            fprintf(out, "<circle class=\"d%d\" cx=\"%d\" cy=\"%.1f\" r=\"%s\"/>\n",
                    curve_colour(c), PLOT_LEGEND + 22, y, is_long ? "3.5" : "4.5");
        }
        svg_text(out, PLOT_LEGEND + 36, y + 4.5, "class=\"name\"", curve->name);
        if (!is_long) {
            svg_text(out, PLOT_LEGEND + 36, y + 22, "class=\"small\"", curve->note);
        }
        y += step;
    }
}

void plot_write(const plot_spec *plot, FILE *out) {
    plot_axes axes = axes_fit(plot);
    svg_open(out, PLOT_WIDTH, PLOT_HEIGHT, plot->title, NULL);
    svg_text(out, PLOT_LEFT, 42, "class=\"title\"", plot->title);
    svg_text(out, PLOT_LEFT, 66, "", plot->subtitle);
    draw_axes(out, plot, &axes);
    for (int32_t c = 0; c < plot->count && c < PLOT_CURVES; c++) {
        if (plot->curves[c].dots) {
            plot_dots(out, plot, &axes, c);
        } else {
            plot_line(out, plot, &axes, c);
        }
        if (plot->curves[c].marks) {
            plot_marks(out, plot, &axes, c);
        }
    }
    plot_legend(out, plot);
    svg_close(out);
}
