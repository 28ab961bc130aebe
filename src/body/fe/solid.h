// body/fe/solid.h
// The operations of solid elements whose strain is E(u) plus enhanced modes: columns of the
// element table (body/fe/element.h has their contracts).
#ifndef CAIRN_BODY_FE_SOLID_H
#define CAIRN_BODY_FE_SOLID_H

#include "body/fe/element.h"

void fe_solid_mass(const fe_element *e, double density, const double *X, double *M);
void fe_solid_stiffness(const fe_element *e, const fe_elastic *law, const double *X, double *K);
void fe_solid_force_tangent(const fe_element *e, const fe_elastic *law, const double *X,
                            const double *u, double *f, double *K);
void fe_solid_stress(const fe_element *e, const fe_elastic *law, const double *X, const double *u,
                     double stress[6]);

// Those columns in the row of an element.
#define FE_SOLID_OPERATIONS                                                                        \
    .mass = fe_solid_mass, .lump = fe_lump_row_sums, .stiffness = fe_solid_stiffness,              \
    .force_tangent = fe_solid_force_tangent, .stress = fe_solid_stress

#endif
