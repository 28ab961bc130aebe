// app/draw/svg.h
// The pieces of self-contained SVG files, legible on light and dark pages: plots (plot.h) and
// pictures (picture.h) are made of them. Coordinates are pixels, y downwards.
#ifndef CAIRN_APP_DRAW_SVG_H
#define CAIRN_APP_DRAW_SVG_H

#include <stdint.h>
#include <stdio.h>

#define SVG_COLOURS 6 // hues that stay apart for colour-blind readers

// The head, the common styles and a card behind everything. classes: more rules for the style
// sheet, or NULL.
void svg_open(FILE *out, int32_t width, int32_t height, const char *title, const char *classes);
// The same, shown at another size.
void svg_open_scaled(FILE *out, const int32_t size[2], const int32_t shown[2], const char *title,
                     const char *classes);
void svg_close(FILE *out);

// Classes for text: title, name, small, mark (in the colour of what it is in); for lines: grid,
// fine, axis, target, outline; for paths: curve with c0, c1 ...; for dots: d0, d1 ...
void svg_text(FILE *out, double x, double y, const char *attributes, const char *text);
void svg_line(FILE *out, const char *class, double x1, double y1, double x2, double y2);
void svg_escaped(FILE *out, const char *text);

#endif
