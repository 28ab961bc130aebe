// check/bodies.c
// The table of bodies against the scene: what the recorder would write of them today.
#include "check/check.h"

#include "base/arena.h"
#include "base/error.h"
#include "record/shape_json.h"

#include <string.h>

// What of a body differs; NULL: nothing.
static const char *cn_body_differs(const cn_model *model, int32_t i, const cn_run_body *row,
                                   cn_arena *memory) {
    const cn_body *body = &model->body[i];
    const double *tensor = model->inertia[body->inertia].tensor;
    const char *com = cn_json_numbers(memory, body->com, model->dim),
               *inertia = model->dim == 3 ? cn_json_numbers(memory, tensor, 9)
                                          : cn_json_numbers(memory, tensor + 8, 1),
               *shape = cn_json_shapes(memory, model, i);
    if (!com || !inertia || !shape) {
        return "memory";
    }
    return strcmp(row->name, body->name) != 0                                 ? "name"
           : strcmp(row->kind, cn_body_role_text(body->role)) != 0            ? "kind"
           : strcmp(row->material, model->material[body->material].name) != 0 ? "material"
           : !(row->mass == body->mass)                                       ? "mass"
           : strcmp(row->com, com) != 0                                       ? "com"
           : strcmp(row->inertia, inertia) != 0                               ? "inertia"
           : strcmp(row->shape, shape) != 0                                   ? "shape"
                                                                              : NULL;
}

cn_status cn_check_bodies(cn_checking *check) {
    cn_run_body *rows;
    cn_arena_mark mark = cn_arena_get_mark(check->memory);
    cn_status status = cn_run_bodies(check->run, check->memory, &rows, check->error);
    for (int32_t i = 0; status == CN_OK && check->model && i < check->run->bodies; i++) {
        cn_arena_mark row = cn_arena_get_mark(check->memory);
        const char *differs = cn_body_differs(check->model, i, &rows[i], check->memory);
        if (differs) {
            cn_check_find(check, "body", -1, rows[i].mass, check->model->body[i].mass,
                          "%s of body %d is not that of the scene", differs, (int)i + 1);
        }
        cn_arena_release(check->memory, row);
    }
    cn_arena_release(check->memory, mark);
    return status;
}
