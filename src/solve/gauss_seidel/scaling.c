// solve/gauss_seidel/scaling.c
// Powers of two, so that the way to the units and back changes no bit.
#include "solve/gauss_seidel/scaling.h"

#include <math.h>

// The power of two that brings size near 1.
static double power_for(double size) {
    return size > 0.0 && isfinite(size) ? ldexp(1.0, -ilogb(size)) : 1.0;
}

gs_units gs_units_of(const solve_natural_unit *unit, int32_t contacts, double arms) {
    double count = fmax(1.0, contacts);
    gs_units units = {.velocity = power_for(unit->size / sqrt(count)),
                      .inv_mass = power_for(unit->mean_diagonal),
                      .length = power_for(arms / (2.0 * count))};
    units.impulse = units.velocity / units.inv_mass;
    return units;
}
