// assemble/deformable.c
#include "assemble/deformable.h"

#include "assemble/contact_start.h"
#include "base/arena.h"
#include "base/error.h"
#include "model/deformable.h"

#include <string.h>

// A contact without friction where its tangents cannot move: nodes that are held along them.
#define FREE_SHARE 1e-12

void asm_deformed_velocity(const cn_model *model, const det_contact_list *contacts, int32_t c,
                           const double *q, const double *v, double out[3]) {
    const det_contact *contact = &contacts->contact[c];
    int32_t dim = model->dim;
    out[0] = out[1] = out[2] = 0.0;
    for (int64_t k = contacts->sides->start[c]; k < contacts->sides->start[c + 1]; k++) {
        const det_node_weight *part = &contacts->sides->part[k];
        if (part->node >= 0) {
            const double *w =
                v + model_node_velocity(model, model_deformable_of(model, part->body)->first_node +
                                                   part->node);
            for (int32_t i = 0; i < dim; i++) {
                out[i] += part->weight * w[i];
            }
            continue;
        }
        const double *w = v + (int64_t)model_velocity_size(dim) * part->body;
        double arm[3], turning[3];
        const double spin[3] = {dim == 3 ? w[3] : 0.0, dim == 3 ? w[4] : 0.0,
                                dim == 3 ? w[5] : w[2]};
        asm_contact_arm(dim, q + (int64_t)model_pose_size(dim) * part->body, contact, arm);
        math_cross3(spin, arm, turning);
        for (int32_t i = 0; i < dim; i++) {
            out[i] += part->weight * (w[i] + turning[i]);
        }
    }
}

// The columns of one body in a row of the map, from entry k on; returns the entry behind.
static int64_t body_columns(int32_t dim, const cn_body_map *map, int64_t k, int64_t end,
                            double *row, int32_t *body) {
    int32_t size = model_velocity_size(dim);
    *body = map->dof[k] / size;
    memset(row, 0, sizeof *row * (size_t)(size * dim));
    for (; k < end && map->dof[k] / size == *body; k++) {
        memcpy(row + dim * (map->dof[k] % size), map->H + dim * k, sizeof *row * (size_t)dim);
    }
    return k;
}

// The entries of problem block a: nodes, then columns of rigid bodies.
static int64_t put_entries(const det_contact_list *contacts, const asm_assembled *from, int32_t a,
                           asm_entry *entry, double *row) {
    const cn_body_map *map = &from->problem.W.body;
    int32_t dim = from->problem.dim, size = model_velocity_size(dim);
    int64_t count = 0;
    bool contact = a < from->contacts;
    int32_t c = contact ? asm_assembled_listed(from, a) : 0;
    for (int64_t k = contact ? contacts->sides->start[c] : 0;
         contact && k < contacts->sides->start[c + 1]; k++) {
        const det_node_weight *part = &contacts->sides->part[k];
        if (part->node >= 0) {
            entry[count++] =
                (asm_entry){.body = part->body, .node = part->node, .weight = part->weight};
        }
    }
    for (int64_t k = map->start[a]; k < map->start[a + 1];) {
        asm_entry *own = &entry[count++];
        *own = (asm_entry){.node = -1, .weight = 1.0, .row = row};
        k = body_columns(dim, map, k, map->start[a + 1], row, &own->body);
        row += size * dim;
    }
    return count;
}

static cn_status make_rows(const cn_model *model, const det_contact_list *contacts,
                           const asm_assembled *from, cn_arena *memory, asm_rows *out) {
    int32_t dim = model->dim, blocks = from->problem.contacts, size = model_velocity_size(dim);
    const cn_body_map *map = &from->problem.W.body;
    int64_t entries = contacts->sides->start[contacts->count] + map->start[blocks], count = 0;
    double *frame = BASE_TAKE_ZERO(memory, double, (int64_t)dim *dim *blocks);
    int64_t *start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)blocks + 1);
    asm_entry *entry = BASE_TAKE(memory, asm_entry, entries);
    double *row = BASE_TAKE(memory, double, (int64_t)size *dim * map->start[blocks]);
    if (!frame || !start || !entry || !row) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < blocks; a++) {
        if (a < from->contacts) {
            double axes[9];
            math_contact_axes(dim, contacts->contact[asm_assembled_listed(from, a)].normal, axes);
            for (int32_t i = 0; i < dim; i++) {
                memcpy(frame + (int64_t)dim * dim * a + dim * i, axes + 3 * i,
                       sizeof *frame * (size_t)dim);
            }
        }
        int64_t own = put_entries(contacts, from, a, entry + count,
                                  row + (int64_t)size * dim * map->start[a]);
        start[a + 1] = count += own;
    }
    out->frame = frame;
    out->start = start;
    out->entry = entry;
    return CN_OK;
}

// How every body answers: deformable ones as given, rigid ones by their inverse mass.
static const asm_body *all_answers(const cn_model *model, const asm_inertia_map *inertia,
                                   const asm_body *answers, cn_arena *memory) {
    int64_t size = model_velocity_size(model->dim);
    asm_body *all = BASE_TAKE(memory, asm_body, model->body_count);
    for (int32_t i = 0; all && i < model->body_count; i++) {
        all[i] = answers[i];
        if (model->body[i].role == MODEL_BODY_FREE) {
            all[i].inverse = inertia->inverse + size * size * i;
        }
    }
    return all;
}

cn_status asm_deform(const cn_model *model, const det_contact_list *contacts,
                     const asm_inertia_map *inertia, const asm_body *answers, cn_arena *memory,
                     asm_assembled *out, cn_error *error) {
    cn_friction *p = &out->problem, made;
    asm_deformed *deformed = BASE_TAKE_ZERO(memory, asm_deformed, 1);
    if (!deformed) {
        return base_fail_memory(error);
    }
    int32_t dim = model->dim;
    deformed->rigid = p->W.body;
    deformed->rows = (asm_rows){.dim = dim, .contacts = p->contacts, .bodies = model->body_count};
    deformed->rows.body = all_answers(model, inertia, answers, memory);
    if (!deformed->rows.body || make_rows(model, contacts, out, memory, &deformed->rows) != CN_OK ||
        asm_gather(&deformed->rows, p->q, p->mu, memory, &made) != CN_OK) {
        return base_fail_memory(error);
    }
    made.bounds = p->bounds;
    made.convex = p->convex;
    for (int32_t a = 0; a < out->contacts; a++) {
        const double *block = made.W.diagonal + (int64_t)dim * dim * a;
        for (int32_t i = 1; i < dim; i++) {
            made.mu[a] = block[(dim + 1) * i] > FREE_SHARE * block[0] ? made.mu[a] : 0.0;
        }
    }
    *p = made;
    out->deformed = deformed;
    return CN_OK;
}
