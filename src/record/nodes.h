// record/nodes.h
// The tables of deformable bodies in a run file: their meshes, and for each frame nodes and the
// parts that sides of contacts are made of.
#ifndef CAIRN_RECORD_NODES_H
#define CAIRN_RECORD_NODES_H

#include "record/recorder.h"

// Creates the tables and writes the meshes; nothing where the model has no deformable bodies.
cn_status rec_nodes_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
// The nodes of a frame; v_before and contacts where the frame has evidence of its step.
cn_status rec_nodes_frame(cn_recorder *recorder, const cn_sim *sim, bool evidence, cn_error *error);

#define REC_BOND_NUMBERS 13 // of a row of bond
#define REC_BREAK_NUMBERS 4 // of each bond that broke: its number and the impulse that was too much
// The same of bonds: where they are, and their damage in the step of a frame.
cn_status rec_bonds_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
cn_status rec_bonds_frame(cn_recorder *recorder, const cn_sim *sim, bool evidence, cn_error *error);

#endif
