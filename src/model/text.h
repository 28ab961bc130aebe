// model/text.h
// A model as scene text: what is added is written down as it is added, so that a reader of the text
// adds the same again, to the last bit.
#ifndef CAIRN_MODEL_TEXT_H
#define CAIRN_MODEL_TEXT_H

#include <cairn/model.h>

typedef struct model_text model_text;

model_text *model_text_create(cn_model *model); // NULL: no memory
// Ends it: the model is not written. NULL is allowed.
void model_text_destroy(model_text *text);

// What was just added. Bodies without a name are meant by their number, as "#3".
void model_text_material(cn_model *model, const cn_material_def *def);
void model_text_contact(cn_model *model, const cn_contact_def *def);
void model_text_body(cn_model *model, const cn_body_def *def);
void model_text_force(cn_model *model, const cn_force_def *def);
void model_text_motion(cn_model *model, const cn_motion_def *def);
void model_text_joint(cn_model *model, const cn_joint_def *def);
void model_text_column(cn_model *model, const cn_column_def *def);

// The whole as the model's scene_text, which stays NULL where something cannot be written.
cn_status model_text_keep(cn_model *model, cn_error *error);

#endif
