// assemble/inertia.c
// The masses of a step: of every body M^-1 at q~, or of spheres 1/m and 1/I.
#include "assemble/assemble.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "body/rigid.h"

#include <string.h>

// What the loop over bodies reads and writes.
typedef struct inertia_loop {
    const cn_model *model;
    asm_inertia_map *out;
} inertia_loop;

static void inertia_range(void *user, int64_t first, int64_t end) {
    const inertia_loop *loop = user;
    const cn_model *model = loop->model;
    int32_t size = model_velocity_size(model->dim);
    for (int64_t i = first; i < end; i++) {
        double *inverse = loop->out->inverse + size * size * i;
        if (model->body[i].role == MODEL_BODY_FREE) {
            body_rigid rigid = model_body_rigid(model, (int32_t)i);
            rigid_inverse_mass(&rigid, loop->out->q + model_pose_size(model->dim) * i, inverse);
        } else {
            memset(inverse, 0, sizeof *inverse * (size_t)(size * size));
        }
    }
}

static void inv_mass_range(void *user, int64_t first, int64_t end) {
    const inertia_loop *loop = user;
    const cn_model *model = loop->model;
    for (int64_t i = first; i < end; i++) {
        const model_body *body = &model->body[i];
        bool free = body->role == MODEL_BODY_FREE;
        double *inv_mass = loop->out->inv_mass + 2 * i;
        inv_mass[0] = free ? 1.0 / body->mass : 0.0;
        inv_mass[1] = free ? model->inertia[body->inertia].inverse[model->dim == 3 ? 0 : 8] : 0.0;
    }
}

cn_status asm_inertia_prepare(const cn_model *model, const double *q, cn_arena *memory,
                              asm_inertia_map *out) {
    int64_t size = model_velocity_size(model->dim), bodies = model->body_count;
    double *numbers =
        BASE_TAKE(memory, double, model->only_spheres ? 2 * bodies : size *size *bodies);
    *out = (asm_inertia_map){.q = q};
    *(model->only_spheres ? &out->inv_mass : &out->inverse) = numbers;
    inertia_loop loop = {model, out};
    if (numbers) {
        base_parallel_ranges(cn_arena_env(memory), bodies,
                             model->only_spheres ? inv_mass_range : inertia_range, &loop);
    }
    return numbers ? CN_OK : CN_ERR_MEMORY;
}

const double *asm_inertia_at(const cn_model *model, const asm_inertia_map *inertia, int32_t body,
                             double own[36]) {
    int32_t dim = model->dim, size = model_velocity_size(dim);
    if (inertia->inverse) {
        return inertia->inverse + (int64_t)size * size * body;
    }
    memset(own, 0, sizeof *own * (size_t)(size * size));
    for (int32_t i = 0; i < size; i++) {
        own[(size + 1) * i] = inertia->inv_mass[2 * (int64_t)body + (i < dim ? 0 : 1)];
    }
    return own;
}

void asm_inertia_hold(const cn_model *model, asm_inertia_map *inertia, int32_t body) {
    int64_t size = model_velocity_size(model->dim), count = inertia->inverse ? size * size : 2;
    memset((inertia->inverse ? inertia->inverse : inertia->inv_mass) + count * body, 0,
           sizeof(double) * (size_t)count);
}
