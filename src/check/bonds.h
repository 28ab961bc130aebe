// check/bonds.h
// Bonds of a run: what the file says of them, and the law of the contacts that they are.
#ifndef CAIRN_CHECK_BONDS_H
#define CAIRN_CHECK_BONDS_H

#include "check/check.h"

// Reads the bonds and holds them against the scene. (check/bonds.c)
cn_status check_bonds_read(check_checking *check);
// Damage of the frame and which contacts are bonds; *sound: it can be looked at further.
cn_status check_read_damage(check_checking *check, bool *sound);
// Whether contact i is a bond's, and its sound share.
bool check_is_bond(const check_checking *check, int32_t contact);
bool check_is_sound(const check_checking *check, int32_t contact);
// Whether an elastic layer bears its normal impulse.
bool check_is_layer(const check_checking *check, int32_t contact);
// The shift of such a contact (as recorded where that is one of the law's) and u + s + E r, world
// axes. Returns how far round-off of places reaches in the shift.
double check_bond_contact(check_checking *check, int32_t contact, double shift[3], double law[3]);
// How the damage of the frame's step came about, after its contacts.
void check_damage(check_checking *check);

// Energies of layers: stored at the end; false: no bonds.
bool check_bond_energy(check_checking *check, check_sum *elastic);
typedef struct check_bond_works {
    check_sum fracture, viscous, numerical, correction;
    bool known; // the frame before is that of the step's start
} check_bond_works;
void check_bonds_works(check_checking *check, check_bond_works *works);

#endif
