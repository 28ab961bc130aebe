// record/nodes.c
#include "record/nodes.h"

#include "base/arena.h"
#include "base/error.h"
#include "step/bonds/bonds.h"
#include "step/sim.h"

#include <string.h>

// A row that is being written, with its hash.
typedef struct node_row {
    cn_recorder *recorder;
    io_statement *insert;
    base_hash hash;
    uint64_t room;
    int32_t parameter;
} node_row;

static cn_status row_begin(cn_recorder *recorder, int32_t table, int64_t key, node_row *row,
                           cn_error *error) {
    *row = (node_row){.recorder = recorder, .parameter = 2};
    CN_TRY(rec_prepare_insert(recorder, table, &row->insert, error));
    rec_row_hash_start(&row->hash, rec_hashed_tables[table].name);
    rec_row_hash_int(&row->hash, key);
    io_bind_int(row->insert, 1, key);
    return CN_OK;
}

static void row_text(node_row *row, const char *text) {
    io_bind_text(row->insert, row->parameter++, text);
    rec_row_hash_text(&row->hash, text);
}

static void row_blob(node_row *row, const void *bytes, size_t size) {
    io_bind_blob(row->insert, row->parameter++, size > 0 ? bytes : "", size);
    rec_row_hash_blob(&row->hash, bytes, size);
}

static cn_status row_end(node_row *row, cn_error *error) {
    rec_bind_hash(row->insert, row->parameter, &row->hash, &row->room);
    cn_status status = io_statement_do(row->recorder->database, row->insert, error);
    io_statement_end(row->insert);
    return status;
}

static cn_status write_mesh(cn_recorder *recorder, const model_deformable *d, cn_error *error) {
    const fe_mesh *mesh = d->mesh;
    node_row row;
    CN_TRY(row_begin(recorder, REC_HASHED_MESH, d->body + 1, &row, error));
    row_blob(&row, mesh->node, sizeof(double) * (size_t)mesh->dim * (size_t)mesh->nodes);
    row_text(&row, mesh->element->name);
    row_blob(&row, mesh->corner,
             sizeof(int32_t) * (size_t)mesh->element->nodes * (size_t)mesh->elements);
    row_blob(&row, mesh->face,
             sizeof(int32_t) * (size_t)mesh->element->face_nodes * (size_t)mesh->faces);
    return row_end(&row, error);
}

cn_status rec_nodes_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    const cn_model *model = cn_sim_model(sim);
    if (model->deformable_count == 0) {
        return CN_OK;
    }
    CN_TRY(io_database_run(recorder->database, rec_run_tables_nodes, error));
    for (int32_t i = 0; i < model->deformable_count; i++) {
        CN_TRY(write_mesh(recorder, model->deformables[i], error));
    }
    return CN_OK;
}

// The parts of the sides of all contacts of the step.
static cn_status write_sides(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    const det_contact_list *list = &sim->last.contacts;
    if (!list->sides) {
        return CN_OK;
    }
    int64_t parts = list->sides->start[list->count];
    int32_t *start = BASE_TAKE(recorder->scratch, int32_t, (int64_t)list->count + 1);
    int32_t *body = BASE_TAKE(recorder->scratch, int32_t, parts);
    int32_t *node = BASE_TAKE(recorder->scratch, int32_t, parts);
    double *weight = BASE_TAKE(recorder->scratch, double, parts);
    if (!start || !body || !node || !weight) {
        return base_fail_memory(error);
    }
    for (int32_t c = 0; c <= list->count; c++) {
        start[c] = (int32_t)list->sides->start[c];
    }
    for (int64_t k = 0; k < parts; k++) {
        body[k] = list->sides->part[k].body + 1;
        node[k] = list->sides->part[k].node;
        weight[k] = list->sides->part[k].weight;
    }
    node_row row;
    CN_TRY(row_begin(recorder, REC_HASHED_SIDE, cn_sim_step_index(sim), &row, error));
    row_blob(&row, start, sizeof *start * (size_t)(list->count + 1));
    row_blob(&row, body, sizeof *body * (size_t)parts);
    row_blob(&row, node, sizeof *node * (size_t)parts);
    row_blob(&row, weight, sizeof *weight * (size_t)parts);
    return row_end(&row, error);
}

cn_status rec_nodes_frame(cn_recorder *recorder, const cn_sim *sim, bool evidence,
                          cn_error *error) {
    const cn_model *model = cn_sim_model(sim);
    if (model->node_count == 0) {
        return CN_OK;
    }
    int64_t count = (int64_t)model->dim * model->node_count;
    size_t bytes = sizeof(double) * (size_t)count;
    double *x = BASE_TAKE(recorder->scratch, double, count);
    if (!x) {
        return base_fail_memory(error);
    }
    cn_sim_nodes(sim, x, NULL);
    node_row row;
    CN_TRY(row_begin(recorder, REC_HASHED_NODES, cn_sim_step_index(sim), &row, error));
    row_blob(&row, x, bytes);
    row_blob(&row, sim->state.v + model_node_velocity(model, 0), bytes);
    row_blob(&row, evidence ? sim->last.v_old + model_node_velocity(model, 0) : NULL,
             evidence ? bytes : 0);
    CN_TRY(row_end(&row, error));
    return evidence ? write_sides(recorder, sim, error) : CN_OK;
}

// ---- bonds ----

// bodies: candidate, antagonist, whose axes the normal has (0: the world's); numbers: area, anchors
// on antagonist and candidate, normal, offset; part: body and node.
static cn_status write_bond(cn_recorder *recorder, const asm_bonds *list, int32_t b,
                            cn_error *error) {
    const asm_bond *bond = &list->bond[b];
    const int32_t bodies[3] = {bond->candidate + 1, bond->antagonist + 1, bond->frame + 1};
    double numbers[REC_BOND_NUMBERS];
    numbers[0] = bond->area;
    memcpy(numbers + 1, bond->anchor, sizeof bond->anchor);
    memcpy(numbers + 7, bond->normal, sizeof bond->normal);
    memcpy(numbers + 10, bond->offset, sizeof bond->offset);
    int32_t *part = BASE_TAKE(recorder->scratch, int32_t, 2 * (int64_t)bond->part_count);
    double *weight = BASE_TAKE(recorder->scratch, double, bond->part_count);
    if (!part || !weight) {
        return base_fail_memory(error);
    }
    for (int32_t k = 0; k < bond->part_count; k++) {
        const det_node_weight *own = &list->part[bond->part_first + k];
        part[2 * k] = own->body + 1;
        part[2 * k + 1] = own->node;
        weight[k] = own->weight;
    }
    node_row row;
    CN_TRY(row_begin(recorder, REC_HASHED_BOND, b, &row, error));
    row_blob(&row, bodies, sizeof bodies);
    row_blob(&row, numbers, sizeof numbers);
    row_blob(&row, part, 2 * sizeof *part * (size_t)bond->part_count);
    row_blob(&row, weight, sizeof *weight * (size_t)bond->part_count);
    return row_end(&row, error);
}

cn_status rec_bonds_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    if (!sim->bonds) {
        return CN_OK;
    }
    CN_TRY(io_database_run(recorder->database, rec_run_tables_bonds, error));
    base_arena_mark mark = base_arena_get_mark(recorder->scratch);
    cn_status status = CN_OK;
    for (int32_t b = 0; status == CN_OK && b < sim->bonds->list.count; b++) {
        status = write_bond(recorder, &sim->bonds->list, b, error);
        base_arena_release(recorder->scratch, mark);
    }
    return status;
}

cn_status rec_bonds_frame(cn_recorder *recorder, const cn_sim *sim, bool evidence,
                          cn_error *error) {
    const step_data *step = &sim->last;
    if (!sim->bonds || sim->restored) {
        return CN_OK;
    }
    int32_t count = sim->bonds->list.count, breaks = 0;
    size_t each = sizeof(double) * (size_t)count;
    double *broken = BASE_TAKE(recorder->scratch, double, REC_BREAK_NUMBERS *(int64_t)count);
    if (!broken) {
        return base_fail_memory(error);
    }
    for (int32_t b = 0; evidence && b < count; b++) {
        if (step->damage_before[b] < 1.0 && step->damage_end[b] >= 1.0) {
            double *one = broken + REC_BREAK_NUMBERS * (int64_t)breaks++;
            one[0] = b;
            memcpy(one + 1, step->broke_at + 3 * (int64_t)b, 3 * sizeof *one);
        }
    }
    node_row row;
    CN_TRY(row_begin(recorder, REC_HASHED_DAMAGE, cn_sim_step_index(sim), &row, error));
    row_blob(&row, evidence ? step->damage_before : NULL, evidence ? each : 0);
    row_blob(&row, evidence ? step->damage : NULL, evidence ? each : 0);
    row_blob(&row, sim->state.damage, each);
    row_blob(&row, evidence ? step->contacts.bond : NULL,
             evidence ? sizeof(int32_t) * (size_t)step->contacts.count : 0);
    row_blob(&row, broken, REC_BREAK_NUMBERS * sizeof *broken * (size_t)breaks);
    return row_end(&row, error);
}
