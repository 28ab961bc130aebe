// model/build.h
// What the files of the builder share.
#ifndef CAIRN_MODEL_BUILD_H
#define CAIRN_MODEL_BUILD_H

#include "model/model.h"

// Room for `needed` entities in one of the arrays that grow.
cn_status model_reserve(cn_model *model, int32_t array, int64_t needed, cn_error *error);
// Where nothing moves at the start, a finished model has no velocities.
void model_drop_rest(cn_model *model);

// The text copied, "" for NULL.
cn_status model_copy_text(cn_model *model, const char *text, const char **copy, cn_error *error);
// The source mark with its file name kept (one copy for all marks of a file).
cn_status model_copy_source(cn_model *model, const cn_source *source, cn_source *copy,
                            cn_error *error);

// A signal of the model; base_signal_create says what it may fail for.
base_signal *model_create_signal(cn_model *model, const cn_signal_def *def, base_signal_use use,
                                 cn_error *error);

// The settings within their limits; then their texts copied and what is not set chosen.
// (model/settings.c)
cn_status model_settings_check(const cn_settings *settings, int32_t dim, cn_error *error);
cn_status model_settings_keep(cn_model *model, cn_error *error);

// CN_OK while the model can still be added to.
cn_status model_check_open(const cn_model *model, cn_error *error);
// What only shows when all is there: that a joint can move something, and who does not touch.
cn_status model_joints_check(cn_model *model, cn_error *error);
// What a body needs as it moves or does not.
cn_status model_check_body(const cn_model *model, int32_t index, cn_error *error);
// What follows from all bodies and joints, also when some were added.
void model_derive(cn_model *model);
// The arrays of `from`, of which copy is a plain copy, become blocks of its own; false: no memory.
bool model_copy_arrays(cn_model *copy, const cn_model *from);
// Gives the arrays back.
void model_free_arrays(cn_model *model);
// What the whole of it warns of.
cn_status model_warnings_find(cn_model *model, cn_error *error);
bool model_is_finite(const double *x, int32_t count);

// Puts the words in front of the error's message and the place into it; returns its status.
cn_status model_blame(cn_error *error, cn_status status, const cn_source *source,
                      const char *format, ...) CN_PRINTF(4, 5);
// The same for a body, by its name or its number.
cn_status model_blame_body(cn_error *error, cn_status status, const cn_source *source,
                           const char *name, int32_t index);

#endif
