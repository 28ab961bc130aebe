// assemble/joints.h
// Joints -> blocks of rows of the one-step problem.
#ifndef CAIRN_ASSEMBLE_JOINTS_H
#define CAIRN_ASSEMBLE_JOINTS_H

#include "assemble/assemble.h"

// Appends the blocks of all joints to a problem that has room for them; where: what a row is for.
void asm_joints_append(const cn_model *model, const model_state *state,
                       const asm_inertia_map *inertia, const double *v_old, const double *v_free,
                       const asm_assemble_opts *opts, asm_assembled *out);
// Gives held rows the compliance that lets rows which depend on one another share their impulse.
void asm_joints_soften(asm_assembled *out);

#endif
