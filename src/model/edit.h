// model/edit.h
// Models that change while they run: a simulation's own copy of a finished one, to which bodies and
// joints are added and from which they are removed. Numbers are never used again.
//
// What does not change is shared with the model it was copied from, which must outlive the copy:
// signals, materials, laws, texts, shapes, controllers.
#ifndef CAIRN_MODEL_EDIT_H
#define CAIRN_MODEL_EDIT_H

#include "model/model.h"

cn_model *model_copy(const cn_model *model, const cn_env *env); // NULL: no memory
void model_copy_destroy(cn_model *copy);                        // NULL is allowed

// A copy to which one of these has failed is no longer good for anything but being destroyed.
cn_status model_edit_add_body(cn_model *copy, const cn_body_def *def, cn_error *error);
// Where the two bodies now are: points and axes of def are given there, and angles count from there.
cn_status model_edit_add_joint(cn_model *copy, const cn_joint_def *def, const double *pose[2],
                               cn_error *error);
// Whether there is such a body or joint, and no controller measures it or, of a body, its joints.
cn_status model_check_removal(const cn_model *model, bool joint, int32_t index, cn_error *error);
// A body with its joints and all that acts on it; a joint.
cn_status model_edit_remove_body(cn_model *copy, int32_t body, cn_error *error);
cn_status model_edit_remove_joint(cn_model *copy, int32_t joint, cn_error *error);

#endif
