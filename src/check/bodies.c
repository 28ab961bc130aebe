// check/bodies.c
// The table of bodies against the scene: what the recorder would write of them today.
#include "check/check.h"

#include "base/arena.h"
#include "base/error.h"
#include "record/shape_json.h"

#include <string.h>

// What of a body differs; NULL: nothing.
static cn_status body_differs(const cn_model *model, int32_t i, const cn_run_body *row,
                              cn_arena *memory, const char **differs) {
    const model_body *body = &model->body[i];
    const double *tensor = model->inertia[body->inertia].tensor;
    const char *com = rec_json_numbers(memory, body->com, model->dim),
               *inertia = model->dim == 3 ? rec_json_numbers(memory, tensor, 9)
                                          : rec_json_numbers(memory, tensor + 8, 1),
               *shape = rec_json_shapes(memory, model, i);
    if (!com || !inertia || !shape) {
        return CN_ERR_MEMORY;
    }
    *differs = strcmp(row->name, body->name) != 0                                 ? "name"
               : strcmp(row->kind, model_body_role_text(body->role)) != 0         ? "kind"
               : strcmp(row->material, model->material[body->material].name) != 0 ? "material"
               : !(row->mass == body->mass)                                       ? "mass"
               : strcmp(row->com, com) != 0                                       ? "com"
               : strcmp(row->inertia, inertia) != 0                               ? "inertia"
               : strcmp(row->shape, shape) != 0                                   ? "shape"
                                                                                  : NULL;
    return CN_OK;
}

cn_status check_bodies(check_checking *check) {
    cn_run_body *rows;
    base_arena_mark mark = base_arena_get_mark(check->memory);
    cn_status status = cn_run_bodies(check->run, check->memory, &rows, check->error);
    for (int32_t i = 0; status == CN_OK && check->model && i < check->run->bodies; i++) {
        base_arena_mark row = base_arena_get_mark(check->memory);
        const char *differs = NULL;
        status = body_differs(check->model, i, &rows[i], check->memory, &differs);
        if (status == CN_ERR_MEMORY) {
            base_fail_memory(check->error);
        } else if (differs) {
            check_find(check, "body", -1, rows[i].mass, check->model->body[i].mass,
                       "%s of body %d is not that of the scene", differs, (int)i + 1);
        }
        base_arena_release(check->memory, row);
    }
    base_arena_release(check->memory, mark);
    return status;
}
