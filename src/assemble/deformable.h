// assemble/deformable.h
// The part of the one-step problem that deformable bodies bring. Bodies answer with the compliance
// of their surface, so W is assembled, with the blocks of rigid bodies and joints in it.
#ifndef CAIRN_ASSEMBLE_DEFORMABLE_H
#define CAIRN_ASSEMBLE_DEFORMABLE_H

#include "assemble/assemble.h"
#include "assemble/gather.h"
#include "detect/deformable.h"

// The problem of a step with deformable bodies beside its form in W: what impulses do to rigid
// bodies, and the entries of its contacts.
typedef struct asm_deformed {
    cn_body_map rigid; // columns of rigid bodies and joints, as in CN_OPERATOR_BODY
    asm_rows rows;     // bodies: those of the model
} asm_deformed;

// Whether a listed contact has a deformable body.
static inline bool asm_is_deformed(const det_contact_list *contacts, int32_t c) {
    return contacts->sides && contacts->sides->start[c + 1] > contacts->sides->start[c];
}
// The relative velocity of such a contact in world axes, for velocities v of bodies and nodes and
// poses q.
void asm_deformed_velocity(const cn_model *model, const det_contact_list *contacts, int32_t c,
                           const double *q, const double *v, double out[3]);
// Turns a problem in body space, whose columns are those of rigid bodies, into the assembled one.
// answers: of the model's bodies, those of deformable ones filled.
cn_status asm_deform(const cn_model *model, const det_contact_list *contacts,
                     const asm_inertia_map *inertia, const asm_body *answers, cn_arena *memory,
                     asm_assembled *out, cn_error *error);

#endif
