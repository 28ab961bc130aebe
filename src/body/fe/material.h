// body/fe/material.h
// Linear elastic, isotropic material, and scalar measures of a stress.
//
// Strains and stresses are columns with engineering shears:
//     2D: (xx, yy, 2 xy);   3D: (xx, yy, zz, 2 xy, 2 yz, 2 zx).
// A stress that leaves this folder has all six components (xx yy zz xy yz zx), also in 2D.
#ifndef CAIRN_BODY_FE_MATERIAL_H
#define CAIRN_BODY_FE_MATERIAL_H

#include <cairn/base.h>

#define FE_STRAINS_MAX 6

typedef struct fe_material {
    double density; // [kg/m^3]; 2D bodies have unit depth
    double young;   // [Pa]
    double poisson;
    double damping_mass, damping_stiffness; // Rayleigh: V = damping_mass M + damping_stiffness K
} fe_material;

typedef enum fe_plane { FE_PLANE_STRAIN, FE_PLANE_STRESS } fe_plane; // without effect in 3D

// stress = D strain
typedef struct fe_elastic {
    int32_t strains;                           // 3 in 2D, 6 in 3D
    double D[FE_STRAINS_MAX * FE_STRAINS_MAX]; // strains x strains, by rows
    double lateral;                            // 2D: stress zz = lateral (stress xx + stress yy)
} fe_elastic;

// CN_ERR_INPUT: density or Young's modulus not positive, Poisson's ratio outside (-1, 1/2),
// negative damping, or a number that is not finite.
cn_status fe_material_validate(const fe_material *material, cn_error *error);
// Of a valid material.
fe_elastic fe_elastic_of(const fe_material *material, int32_t dim, fe_plane plane);

double fe_mises(const double stress[6]);
// Principal values, descending, and their directions by rows, orthonormal and right-handed.
void fe_principal(const double stress[6], double value[3], double direction[9]);

#endif
