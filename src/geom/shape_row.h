// geom/shape_row.h
// What a kind of shape is, as a row of the table in shape.c. To add a kind: a row, and the
// functions it names. Functions see the shape in its own frame; hulls, which have none, are dealt
// with once for all kinds that are one.
#ifndef CAIRN_GEOM_SHAPE_ROW_H
#define CAIRN_GEOM_SHAPE_ROW_H

#include "geom/shape.h"

// Mass at density 1 and moments about the axes of the shape's frame, whose origin is its centre.
typedef struct geom_principal {
    double mass, moment[3];
} geom_principal;

typedef struct geom_shape_row {
    const char *text;
    const char *other; // what to use in the other dimension; NULL: this kind is in both
    int32_t dim;       // 2, 3 or 0 for both
    // Checks and fills what is the kind's own; frame and kind are there already.
    cn_status (*build)(const cn_shape_def *def, int32_t dim, cn_arena *memory, geom_shape *shape,
                       cn_error *error);
    geom_principal (*principal)(const geom_shape *shape); // NULL: a hull, or no mass
    void (*support)(const geom_shape *shape, const double direction[3],
                    double point[3]);          // NULL: a hull, or unbounded
    double (*extent)(const geom_shape *shape); // smallest half extent; NULL: a hull
    double (*reach)(const geom_shape *shape);  // largest distance from the centre; NULL: a hull
} geom_shape_row;

const geom_shape_row *geom_shape_row_of(cn_shape_kind kind);

// mass.c
geom_principal geom_principal_sphere(const geom_shape *s);
geom_principal geom_principal_capsule(const geom_shape *s);
geom_principal geom_principal_cylinder(const geom_shape *s);
geom_principal geom_principal_ellipsoid(const geom_shape *s);
geom_principal geom_principal_disk(const geom_shape *s);
geom_principal geom_principal_ellipse(const geom_shape *s);
geom_principal geom_principal_box(const geom_shape *s);

#endif
