// solve/gauss_seidel/scaling.h
// Units of a problem's own, powers of two, in which masses, arms and velocities are about 1:
// doubles are none the worse for it, and floats reach as far as they can.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_SCALING_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_SCALING_H

#include "solve/drivers/natural_map.h"

// What is multiplied by to come to the units: velocities, 1/m, arms and impulses.
typedef struct gs_units {
    double velocity, inv_mass, length, impulse;
} gs_units;

// arms: the sum of all arms, two a contact. unit: of the problem.
gs_units gs_units_of(const solve_natural_unit *unit, int32_t contacts, double arms);

#endif
