// step/act/journal.h
// What was added to a simulation and removed from it, as bytes in the order in which it was: saved
// with a state, and replayed on a copy of the model where a state is loaded.
#ifndef CAIRN_STEP_JOURNAL_H
#define CAIRN_STEP_JOURNAL_H

#include "base/memory.h"
#include "model/edit.h"

typedef enum step_edit_kind {
    STEP_ADD_BODY,
    STEP_REMOVE_BODY,
    STEP_ADD_JOINT,
    STEP_REMOVE_JOINT,
    STEP_EDIT_KINDS
} step_edit_kind;

// A change; arrays and texts of the definitions are others'.
typedef struct step_edit {
    step_edit_kind kind;
    int32_t dim, index; // index: of what is removed, from 0
    cn_body_def body;   // without a source
    cn_joint_def joint; // without a source
    double pose[2][7];  // of the joint's bodies
} step_edit;

// Appends a change; false: no memory.
bool step_journal_add(base_buffer *journal, const step_edit *edit);
// The change at *at, which moves on to the next one; arrays and texts go to memory. CN_ERR_INPUT: it
// is damaged.
cn_status step_journal_next(const unsigned char *journal, size_t size, size_t *at, cn_arena *memory,
                            step_edit *edit, cn_error *error);
// Makes the change in a copy of a model.
cn_status step_journal_apply(const step_edit *edit, cn_model *copy, cn_error *error);

#endif
