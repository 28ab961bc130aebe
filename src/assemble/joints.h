// assemble/joints.h
// Joints -> blocks of rows of the one-step problem.
#ifndef CAIRN_ASSEMBLE_JOINTS_H
#define CAIRN_ASSEMBLE_JOINTS_H

#include "assemble/assemble.h"

// Appends the blocks of all joints to a problem that has room for them; where: what a row is for.
void cn_joints_append(const cn_model *model, const cn_state *state, const cn_inertia_map *inertia,
                      const double *v_old, const double *v_free, const cn_assemble_opts *opts,
                      cn_assembled *out);
// Gives held rows the compliance that lets rows which depend on one another share their impulse.
void cn_joints_soften(cn_assembled *out);

#endif
