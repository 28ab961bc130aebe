// model/bond.h
// The law of a layer of mortar or glue between two bodies, per unit of area: strength, damage and
// stored energy. Openings and tractions are those of the candidate relative to the antagonist,
// normal first, tension positive.
#ifndef CAIRN_MODEL_BOND_H
#define CAIRN_MODEL_BOND_H

#include "model/model.h"

// Damage of a layer that is broken but still there, and of a bond that is gone.
#define MODEL_BOND_BROKEN 1.0
#define MODEL_BOND_RELEASED 2.0

model_bond_law model_bond_open(void); // nothing is given
void model_bond_take(model_bond_law *law, const cn_contact_def *def);
// What no entry gave; friction: of the pair. CN_ERR_INPUT: the numbers contradict one another.
cn_status model_bond_complete(model_bond_law *law, double friction, cn_error *error);

// How near a traction is to the strength: 1 on the envelope
//     tension <= f_t,  |shear| <= c - friction * tension   (pressure: negative tension).
double model_bond_use(const model_bond_law *law, double tension, double shear);
// Damage in [0, 1] after an opening [m] whose normal part is open (closed: negative) and whose
// tangential part has the length shear; never below that before.
double model_bond_damage(const model_bond_law *law, double before, double open, double shear);
// Energy [J/m2] of an opening under a damage: of the sound share (1 - d), which carries both ways,
// and of the broken share d, which carries pressure.
double model_bond_energy(const model_bond_law *law, double damage, double open, double shear);

#endif
