// step/bonds/bonds.h
// Bonds of mortar and glue in a run: made where bodies touch at the start, broken by steps.
//
// While two bodies are bonded, their bonds stand for their contacts: they are points fixed to the
// bodies. A bond that breaks is released, and contacts are there those that detection finds.
#ifndef CAIRN_STEP_BONDS_H
#define CAIRN_STEP_BONDS_H

#include "assemble/bond.h"
#include "step/deformable/deformable.h"

#define STEP_BOND_RETRIES 32 // of a step in which bonds break, one after the other

typedef struct step_bonds {
    asm_bonds list; // damage: NULL
    cn_arena *memory;
    uint8_t *broken;   // by the tries of the step under way
    int32_t tries;     // of it that broke something
    int32_t *break_of; // the bonds that broke in the step, in their order
    int32_t breaks;
    double *broke_at; // 3 each: as in step_data
} step_bonds;

// The bonds of a model at its start, NULL where it has none; damage: of each, 0, in the state.
cn_status step_bonds_create(const cn_model *model, const cn_env *env, det_detector *detector,
                            struct step_deformable *deformable, model_state *state,
                            cn_arena *scratch, step_bonds **out, cn_error *error);
void step_bonds_destroy(step_bonds *bonds);

static inline int32_t step_bonds_count(const step_bonds *bonds) {
    return bonds ? bonds->list.count : 0;
}

// ---- in a step ----

// A step begins, to be tried several times.
void step_bonds_begin(step_bonds *bonds);
// The damage during the try; false: no memory.
bool step_bonds_take(const step_context *in, step_data *step);
// Bonds take the place of their bodies' contacts.
cn_status step_bonds_list(const step_context *in, const step_data *step, const double *q,
                          det_contact_list *contacts, cn_error *error);
// After the solve: bonds that break at once make the step be tried again; the others' damage at the
// end. Writes verdict, damage_end and breaks.
void step_bonds_break(const step_context *in, step_data *step);

// What layers of bonds did of the energy in a step.
typedef struct step_bond_work {
    double before, after; // energy stored at both ends, damage being that of them
    double fracture, viscous, numerical;
    double correction; // by how much the linear motion missed the energy stored
} step_bond_work;
step_bond_work step_bonds_work(const step_context *in, const step_data *step);
// How many are broken, released ones among them.
int32_t step_bonds_broken(const step_bonds *bonds, const double *damage);

#endif
