// model/system.c
// A model of a system in coordinates of its own. Frames, hashes and readers know bodies, so that
// the coordinates stand three to a body, as the numbers of a pose in 2D.
#include "base/error.h"
#include "model/build.h"

#include <cairn/system.h>

#include <stdio.h>

#define SYSTEM_PER_BODY 3
#define SYSTEM_MATERIAL "none"

static cn_status system_add_bodies(cn_model *model, const cn_system *system, cn_error *error) {
    int32_t n = cn_system_size(system), rows = (n + SYSTEM_PER_BODY - 1) / SYSTEM_PER_BODY;
    int32_t material;
    CN_TRY(cn_model_add_material(model, &(cn_material_def){.name = SYSTEM_MATERIAL, .density = 1.0},
                                 &material, error));
    for (int32_t i = 0; i < rows; i++) {
        char name[96];
        cn_body_def def = cn_body_def_default();
        cn_body_id id;
        snprintf(name, sizeof name, rows > 1 ? "%.64s.%d" : "%.64s", cn_system_name(system),
                 (int)i + 1);
        def.name = name;
        def.material = material;
        def.fixed = true;
        CN_TRY(cn_model_add_body(model, &def, &id, error));
        model->body[id - 1].role =
            cn_system_is_first_order(system) ? MODEL_BODY_FIRST_ORDER : MODEL_BODY_LAGRANGIAN;
    }
    return CN_OK;
}

cn_status cn_model_set_system(cn_model *model, cn_system *system, cn_error *error) {
    if (!model || !system) {
        return base_fail_missing(error);
    }
    cn_status status = CN_OK;
    if (model->dim != 2 || model->finished || model->system || model->body_count > 0) {
        status = base_fail(error, CN_ERR_UNSUPPORTED,
                           "a system stands for itself: in 2D, without bodies, one per scene");
    }
    if (status == CN_OK) {
        status = system_add_bodies(model, system, error);
    }
    if (status != CN_OK) {
        cn_system_destroy(system);
        return status;
    }
    model->system = system;
    return CN_OK;
}

const cn_system *cn_model_system(const cn_model *model) {
    if (!model) {
        return NULL;
    }
    return model->system;
}
