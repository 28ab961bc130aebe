// solve/gauss_seidel/scaling.c
// Powers of two, so that the way to the units and back changes no bit.
#include "solve/gauss_seidel/scaling.h"

#include <math.h>

// The power of two that brings size near 1.
static double cn_power_for(double size) {
    return size > 0.0 && isfinite(size) ? ldexp(1.0, -ilogb(size)) : 1.0;
}

cn_units cn_units_of(const cn_natural_unit *unit, int32_t contacts, double arms) {
    double count = fmax(1.0, contacts);
    cn_units units = {.velocity = cn_power_for(unit->size / sqrt(count)),
                      .inv_mass = cn_power_for(unit->mean_diagonal),
                      .length = cn_power_for(arms / (2.0 * count))};
    units.impulse = units.velocity / units.inv_mass;
    return units;
}
