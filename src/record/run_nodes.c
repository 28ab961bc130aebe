// record/run_nodes.c
// Deformable bodies of a run file, read back.
#include "record/run.h"

#include "base/arena.h"
#include "base/error.h"

#include <string.h>

// Whether a file has a table of deformable bodies.
static cn_status has_table(cn_run *run, const char *table, const char *column, bool *has,
                           cn_error *error) {
    return io_database_has(run->database, table, column, has, error);
}

static cn_status damaged(const char *what, int64_t key, cn_error *error) {
    return base_fail(error, CN_ERR_INPUT, "the %s of %lld is damaged", what, (long long)key);
}

// A copy of a blob of whole numbers of a size.
static void *copy_blob(io_statement *select, int32_t column, size_t one, cn_arena *memory,
                       int64_t *count) {
    size_t size;
    const void *bytes = io_column_blob(select, column, &size);
    void *copy = base_arena_take(memory, (int64_t)(size / one) + 1, one);
    *count = size % one == 0 ? (int64_t)(size / one) : -1;
    if (copy && size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

static cn_status read_mesh(cn_run *run, io_statement *select, cn_arena *memory, cn_run_mesh *out,
                           cn_error *error) {
    int64_t numbers, corners, faces;
    const char *kind = io_column_text(select, 2);
    out->body = (cn_body_id)io_column_int(select, 0);
    out->nodes = copy_blob(select, 1, sizeof(double), memory, &numbers);
    out->element = base_arena_text(memory, kind, strlen(kind));
    out->elements = copy_blob(select, 3, sizeof(int32_t), memory, &corners);
    out->faces = copy_blob(select, 4, sizeof(int32_t), memory, &faces);
    if (!out->nodes || !out->element || !out->elements || !out->faces) {
        return base_fail_memory(error);
    }
    static const struct {
        const char *name;
        int32_t dim, nodes, face;
    } kinds[] = {{"t3", 2, 3, 2},   {"q4", 2, 4, 2}, {"q4-plain", 2, 4, 2},
                 {"tet4", 3, 4, 3}, {"h8", 3, 8, 4}, {"h8-plain", 3, 8, 4},
                 {"t6", 2, 6, 2},   {"q8", 2, 8, 2}, {"tet10", 3, 10, 3}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, kind) == 0 && kinds[i].dim == run->dim) {
            out->per_element = kinds[i].nodes;
            out->per_face = kinds[i].face;
        }
    }
    if (out->per_element == 0 || numbers < 0 || corners < 0 || faces < 0 ||
        numbers % run->dim != 0 || corners % out->per_element != 0 || faces % out->per_face != 0 ||
        out->body < 1 || out->body > run->bodies) {
        return damaged("mesh", out->body, error);
    }
    out->node_count = (int32_t)(numbers / run->dim);
    out->element_count = (int32_t)(corners / out->per_element);
    out->face_count = (int32_t)(faces / out->per_face);
    bool inside = true;
    for (int64_t k = 0; k < corners; k++) {
        inside = inside && out->elements[k] >= 0 && out->elements[k] < out->node_count;
    }
    for (int64_t k = 0; k < faces; k++) {
        inside = inside && out->faces[k] >= 0 && out->faces[k] < out->node_count;
    }
    return inside ? CN_OK : damaged("mesh", out->body, error);
}

cn_status cn_run_meshes(cn_run *run, cn_arena *memory, cn_run_mesh **meshes, int32_t *count,
                        cn_error *error) {
    if (!run || !memory || !meshes || !count) {
        return base_fail_missing(error);
    }
    bool has = false, row = true;
    io_statement *select = NULL;
    *meshes = NULL;
    *count = 0;
    CN_TRY(has_table(run, "mesh", "kind", &has, error));
    if (!has) {
        return CN_OK;
    }
    *meshes = BASE_TAKE_ZERO(memory, cn_run_mesh, run->bodies);
    cn_status status =
        *meshes ? io_database_prepare(run->database,
                                      "SELECT body,nodes,kind,elements,surface FROM mesh "
                                      "ORDER BY body",
                                      &select, error)
                : base_fail_memory(error);
    int32_t first = 0;
    while (status == CN_OK && *count < run->bodies) {
        status = io_statement_step(run->database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        cn_run_mesh *mesh = &(*meshes)[*count];
        status = read_mesh(run, select, memory, mesh, error);
        mesh->first_node = first;
        first += mesh->node_count;
        (*count)++;
    }
    io_statement_end(select);
    return status;
}

// The row of a frame in a table; *row false: there is none, or no table.
static cn_status select_frame(cn_run *run, const char *table, const char *column, const char *sql,
                              int64_t index, io_statement **select, bool *row, cn_error *error) {
    bool has = false;
    *select = NULL;
    *row = false;
    if (index < 0 || index >= run->frames) {
        return base_fail(error, CN_ERR_ARGUMENT, "the run has no frame %lld", (long long)index);
    }
    CN_TRY(has_table(run, table, column, &has, error));
    if (!has) {
        return CN_OK;
    }
    CN_TRY(io_database_prepare(run->database, sql, select, error));
    io_bind_int(*select, 1, run->steps[index]);
    return io_statement_step(run->database, *select, row, error);
}

cn_status cn_run_nodes(cn_run *run, int64_t index, cn_arena *memory, cn_run_node_state *out,
                       cn_error *error) {
    if (!run || !memory || !out) {
        return base_fail_missing(error);
    }
    io_statement *select;
    bool row;
    *out = (cn_run_node_state){.count = 0};
    cn_status status =
        select_frame(run, "nodes", "x", "SELECT x,v,v_before FROM nodes WHERE step=?", index,
                     &select, &row, error);
    if (status == CN_OK && row) {
        int64_t count[3];
        out->x = copy_blob(select, 0, sizeof(double), memory, &count[0]);
        out->v = copy_blob(select, 1, sizeof(double), memory, &count[1]);
        out->v_before = copy_blob(select, 2, sizeof(double), memory, &count[2]);
        out->count = (int32_t)(count[0] / run->dim);
        status = !out->x || !out->v || !out->v_before ? base_fail_memory(error) : CN_OK;
        if (status == CN_OK && (count[0] < 0 || count[0] % run->dim != 0 || count[1] != count[0] ||
                                (count[2] != count[0] && count[2] != 0))) {
            status = damaged("row of nodes", run->steps[index], error);
        }
        out->v_before = count[2] > 0 ? out->v_before : NULL;
    }
    io_statement_end(select);
    return status;
}

cn_status cn_run_sides(cn_run *run, int64_t index, cn_arena *memory, cn_run_side *out,
                       cn_error *error) {
    if (!run || !memory || !out) {
        return base_fail_missing(error);
    }
    io_statement *select;
    bool row;
    *out = (cn_run_side){.contacts = 0};
    cn_status status =
        select_frame(run, "side", "weight", "SELECT start,body,node,weight FROM side WHERE step=?",
                     index, &select, &row, error);
    if (status == CN_OK && row) {
        int64_t count[4];
        out->start = copy_blob(select, 0, sizeof(int32_t), memory, &count[0]);
        out->body = copy_blob(select, 1, sizeof(int32_t), memory, &count[1]);
        out->node = copy_blob(select, 2, sizeof(int32_t), memory, &count[2]);
        out->weight = copy_blob(select, 3, sizeof(double), memory, &count[3]);
        out->contacts = (int32_t)count[0] - 1;
        status = !out->start || !out->body || !out->node || !out->weight ? base_fail_memory(error)
                                                                         : CN_OK;
        bool sound = status == CN_OK && count[0] >= 1 && out->start[0] == 0 &&
                     out->start[count[0] - 1] == count[1] && count[2] == count[1] &&
                     count[3] == count[1];
        for (int64_t c = 0; sound && c + 1 < count[0]; c++) {
            sound = out->start[c] <= out->start[c + 1];
        }
        for (int64_t k = 0; sound && k < count[1]; k++) {
            sound = out->body[k] >= 1 && out->body[k] <= run->bodies && out->node[k] >= -1;
        }
        status =
            status == CN_OK && !sound ? damaged("row of sides", run->steps[index], error) : status;
    }
    io_statement_end(select);
    return status;
}
