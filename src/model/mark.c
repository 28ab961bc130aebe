// model/mark.c
// Points of a scene that a picture of the start shows: where the position of a generator is.
#include "base/error.h"
#include "model/build.h"
#include "model/model.h"

#include <string.h>

cn_status cn_model_add_mark(cn_model *model, const cn_mark *mark, cn_error *error) {
    if (!model || !mark || !mark->name || !mark->about) {
        return base_fail_missing(error);
    }
    CN_TRY(model_check_open(model, error));
    if (!model_is_finite(mark->position, model->dim)) {
        return base_fail(error, CN_ERR_INPUT, "the position of a mark is not a finite number");
    }
    cn_mark copy = {.position = {mark->position[0], mark->position[1],
                                 model->dim == 3 ? mark->position[2] : 0.0}};
    CN_TRY(model_reserve(model, MODEL_ARRAY_MARK, (int64_t)model->mark_count + 1, error));
    CN_TRY(model_copy_text(model, mark->name, &copy.name, error));
    CN_TRY(model_copy_text(model, mark->about, &copy.about, error));
    CN_TRY(model_copy_source(model, &mark->source, &copy.source, error));
    model->mark[model->mark_count++] = copy;
    return CN_OK;
}

int32_t cn_model_mark_count(const cn_model *model) {
    return model ? model->mark_count : 0;
}

const cn_mark *cn_model_mark(const cn_model *model, int32_t index) {
    return model && index >= 0 && index < model->mark_count ? &model->mark[index] : NULL;
}

const cn_mark *model_mark_of(const cn_model *model, const cn_source *source) {
    for (int32_t i = 0; source->file && i < model->mark_count; i++) {
        const cn_source *at = &model->mark[i].source;
        if (at->line == source->line && at->column == source->column && at->file &&
            strcmp(at->file, source->file) == 0) {
            return &model->mark[i];
        }
    }
    return NULL;
}
