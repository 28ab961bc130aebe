// app/draw/svg.c
// Plain shapes and text with a small style sheet; colours follow the reader's light or dark
// preference. See svg.h.
#include "draw/svg.h"

#include "support/terminal.h"

// One set of hues for each background.
static const char *const curve_inv_mass[SVG_COLOURS] = {"#d9480f", "#1c6fd1", "#0b8a63",
                                                        "#8a4fc7", "#a07900", "#c2255c"};
static const char *const curve_dark[SVG_COLOURS] = {"#ff8a4c", "#62a8ff", "#3fd0a0",
                                                    "#c39bff", "#e6c04d", "#ff7fa8"};

static void svg_hues(FILE *out, const char *indent, const char *const hues[SVG_COLOURS]) {
    for (int32_t c = 0; c < SVG_COLOURS; c++) {
        fprintf(out, "%s.c%d { stroke: %s } .d%d { fill: %s }\n", indent, (int)c, hues[c], (int)c,
                hues[c]);
    }
}

static void svg_style(FILE *out, const char *classes) {
    fputs(
        "<style>\n"
        "  text { font-family: system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif; "
        "font-size: 13px; fill: #46505c }\n"
        "  .card { fill: #ffffff } .title { font-size: 19px; font-weight: 600; fill: #161b22 }\n"
        "  .name { font-weight: 600; fill: #161b22 } .small { font-size: 12px }\n"
        "  .mark { font-size: 12px; fill: inherit }\n"
        "  .grid { stroke: #e4e8ed; stroke-width: 1 } .fine { stroke: #f1f3f6; stroke-width: 1 }\n"
        "  .axis { stroke: #8b95a1; stroke-width: 1.2 }\n"
        "  .target { stroke: #6b7580; stroke-width: 1.2; stroke-dasharray: 5 4 }\n"
        "  .outline { fill: none; stroke: #8b95a1; stroke-width: 1; stroke-linejoin: round }\n"
        "  .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round }"
        "\n",
        out);
    svg_hues(out, "  ", curve_inv_mass);
    fputs("  @media (prefers-color-scheme: dark) {\n"
          "    text { fill: #aab4c0 } .mark { fill: inherit } .card { fill: #12161c } .title, "
          ".name { fill: #eef2f6 }\n"
          "    .grid { stroke: #2a313a } .fine { stroke: #1c2229 } .axis, .outline { stroke: "
          "#6b7683 }\n"
          "    .target { stroke: #95a0ad }\n",
          out);
    svg_hues(out, "    ", curve_dark);
    fprintf(out, "  }\n%s</style>\n", classes ? classes : "");
}

void svg_open(FILE *out, int32_t width, int32_t height, const char *title, const char *classes) {
    const int32_t size[2] = {width, height};
    svg_open_scaled(out, size, size, title, classes);
}

void svg_open_scaled(FILE *out, const int32_t size[2], const int32_t shown[2], const char *title,
                     const char *classes) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\">\n<title>",
            (int)size[0], (int)size[1], (int)shown[0], (int)shown[1]);
    svg_escaped(out, title);
    fputs("</title>\n", out);
    svg_style(out, classes);
    fprintf(out, "<rect class=\"card\" width=\"%d\" height=\"%d\" rx=\"10\"/>\n", (int)size[0],
            (int)size[1]);
}

void svg_close(FILE *out) {
    fputs("</svg>\n", out);
}

void svg_escaped(FILE *out, const char *text) {
    char shown[ESCAPED_SIZE];
    while (*text) {
        text += escape_character(text, shown);
        switch (shown[0]) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputs(shown, out);
        }
    }
}

void svg_text(FILE *out, double x, double y, const char *attributes, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    svg_escaped(out, text);
    fputs("</text>\n", out);
}

void svg_line(FILE *out, const char *class, double x1, double y1, double x2, double y2) {
    fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x1, y1, x2, y2);
}
