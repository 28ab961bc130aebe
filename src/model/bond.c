// model/bond.c
// Mortar: an elastic layer whose strength is Mohr's and Coulomb's with a tension cut-off,
//     sigma <= f_t,   |tau| <= c - mu sigma   (tension positive),
// which breaks at once where it has no fracture energy and softens as a cohesive zone where it has.
//
// The cohesive zone has one damage d. The share 1 - d of the area is sound and elastic, the share d
// is dry: it carries pressure and Coulomb's friction (Alfano and Sacco, Int. J. Numer. Meth. Eng. 68,
// 2006). With the traction t = K delta of the sound material and its use m = m(t), damage begins at
// m = 1; e = t . delta / (2 m^2) is the energy stored there. Under tension and shear
//     bilinear     d = f (m - 1) / (m (f - 1)),              f = G / e
//     exponential  d = 1 - exp(-(m - 1) / (f / 2 - 1 / 2)) / m
// spend G on the way to d = 1, G being that of the mix of modes, 1/G = (1 - B)/G_I + B/G_II with B the
// share of shear in the energy. Under pressure the strength in shear grows and the length of the
// softening stays what it is without. Unloading leaves d as it is: back to the origin.
#include "model/bond.h"

#include "base/elementary/elementary.h"
#include "base/error.h"

#include <math.h>

#define ENOUGH 1.0001 // of the energy stored at the strength: with less it would snap back
#define LEFT_MIN 1e-4 // of the strength, where exponential softening ends

model_bond_law model_bond_open(void) {
    return (model_bond_law){.stiffness = {NAN, NAN},
                            .tension = NAN,
                            .cohesion = NAN,
                            .energy = {NAN, NAN},
                            .viscosity = NAN,
                            .area = NAN,
                            .gap = NAN,
                            .softening = CN_SOFTENING_KINDS};
}

void model_bond_take(model_bond_law *law, const cn_contact_def *def) {
    double *const to[] = {&law->stiffness[0], &law->stiffness[1], &law->tension,
                          &law->cohesion,     &law->energy[0],    &law->energy[1],
                          &law->viscosity,    &law->area,         &law->gap};
    const double from[] = {def->stiffness_normal, def->stiffness_tangent,  def->tension,
                           def->cohesion,         def->fracture_energy[0], def->fracture_energy[1],
                           def->viscosity,        def->bond_area,          def->bond_gap};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        *to[i] = isnan(from[i]) ? *to[i] : from[i];
    }
    law->softening = def->softening < CN_SOFTENING_KINDS ? def->softening : law->softening;
}

static double given_or(double value, double other) {
    return isnan(value) ? other : value;
}

static cn_status energy_check(const model_bond_law *law, int side, cn_error *error) {
    double strength = side == 0 ? law->tension : law->cohesion;
    double stored = 0.5 * strength * strength / law->stiffness[side];
    if (law->energy[side] == 0.0 || law->energy[side] > ENOUGH * stored) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_INPUT,
              "fracture_energy of %g J/m2 is not above the %g J/m2 that the layer stores when it "
              "reaches its strength in %s",
              law->energy[side], stored, side == 0 ? "tension" : "shear");
    base_fail_hint(error,
                   "give more than strength^2 / (2 stiffness), or leave fracture_energy out: "
                   "the bond then breaks at once");
    return CN_ERR_INPUT;
}

cn_status model_bond_complete(model_bond_law *law, double friction, cn_error *error) {
    bool soft = !isnan(law->stiffness[0]) || !isnan(law->stiffness[1]);
    law->bonded = soft || !isnan(law->cohesion) || !isnan(law->tension);
    law->friction = friction;
    // The other strength: that of a layer as strong in shear, as far as the envelope has room.
    if (isnan(law->tension) && !isnan(law->cohesion)) {
        law->tension = fmin(law->cohesion, law->cohesion / friction);
    }
    law->tension = given_or(law->tension, 0.0);
    law->cohesion = given_or(law->cohesion, law->tension * fmax(1.0, friction));
    law->stiffness[0] = given_or(law->stiffness[0], given_or(law->stiffness[1], HUGE_VAL));
    law->stiffness[1] = given_or(law->stiffness[1], law->stiffness[0]);
    law->energy[0] = given_or(law->energy[0], given_or(law->energy[1], 0.0));
    law->energy[1] = given_or(law->energy[1], law->energy[0]);
    law->viscosity = given_or(law->viscosity, 0.0);
    law->softening = law->softening < CN_SOFTENING_KINDS ? law->softening : CN_SOFTENING_LINEAR;
    if (!law->bonded) {
        return CN_OK;
    }
    if (law->tension * friction > law->cohesion * (1.0 + 1e-12)) {
        base_fail(error, CN_ERR_INPUT, "tension of %g Pa is above cohesion / friction = %g Pa",
                  law->tension, law->cohesion / friction);
        base_fail_hint(error, "that is where Mohr's and Coulomb's envelope ends: give less tension "
                              "or more cohesion");
        return CN_ERR_INPUT;
    }
    bool breaks_slowly = law->energy[0] > 0.0 || law->energy[1] > 0.0;
    bool rigid = isinf(law->stiffness[0]) || isinf(law->stiffness[1]);
    if ((breaks_slowly || law->viscosity > 0.0) && rigid) {
        base_fail(error, CN_ERR_INPUT, "%s needs a stiffness",
                  breaks_slowly ? "fracture_energy" : "viscosity");
        base_fail_hint(error, "give stiffness: {normal: ..., tangential: ...} in Pa/m");
        return CN_ERR_INPUT;
    }
    if (breaks_slowly && !(law->energy[0] > 0.0 && law->energy[1] > 0.0)) {
        return base_fail(error, CN_ERR_INPUT,
                         "fracture_energy must be above 0 in tension and in shear, or 0 in both");
    }
    cn_status status = energy_check(law, 0, error);
    return status == CN_OK ? energy_check(law, 1, error) : status;
}

// a / b of strengths: 0 where nothing is asked for.
static double ratio(double asked, double strength) {
    return asked > 0.0 ? asked / strength : 0.0;
}

double model_bond_use(const model_bond_law *law, double tension, double shear) {
    if (tension >= 0.0) {
        return fmax(ratio(tension, law->tension),
                    ratio(shear + law->friction * tension, law->cohesion));
    }
    return ratio(shear, law->cohesion - law->friction * tension);
}

// Of the softening, from the use m and the ratio f of the openings at its end and its beginning.
static double softened(const model_bond_law *law, double m, double f) {
    if (law->softening == CN_SOFTENING_LINEAR) {
        return m < f ? f * (m - 1.0) / (m * (f - 1.0)) : 1.0;
    }
    double left = base_exp(-(m - 1.0) / (0.5 * f - 0.5));
    return left > LEFT_MIN ? 1.0 - left / m : 1.0;
}

double model_bond_damage(const model_bond_law *law, double before, double open, double shear) {
    if (before >= 1.0) {
        return before;
    }
    double tension = law->stiffness[0] * open, traction = law->stiffness[1] * shear;
    double m = model_bond_use(law, tension, traction), f;
    if (!(m > 1.0)) {
        return before;
    }
    if (open > 0.0) {
        double normal = tension * open, tangent = traction * shear, all = normal + tangent;
        double share = tangent / all;
        double energy = 1.0 / ((1.0 - share) / law->energy[0] + share / law->energy[1]);
        f = energy * 2.0 * m * m / all;
    } else {
        double start = (law->cohesion - law->friction * tension) / law->stiffness[1];
        double length = 2.0 * law->energy[1] / law->cohesion - law->cohesion / law->stiffness[1];
        f = 1.0 + length / start;
    }
    return fmax(before, softened(law, m, fmax(f, ENOUGH)));
}

double model_bond_energy(const model_bond_law *law, double damage, double open, double shear) {
    double pressure = fmin(open, 0.0), dry = fmin(damage, 1.0);
    double energy = 0.0;
    if (!isinf(law->stiffness[0])) {
        energy += 0.5 * law->stiffness[0] * ((1.0 - dry) * open * open + dry * pressure * pressure);
    }
    if (!isinf(law->stiffness[1])) {
        energy += 0.5 * law->stiffness[1] * (1.0 - dry) * shear * shear;
    }
    return damage > 1.0 ? 0.0 : energy;
}
