// check/frame_nodes.c
// What a run file has of deformable bodies: meshes, nodes of a frame, parts of the sides of its
// contacts.
#include "check/check.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/deformable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT_ROUND 1e-9 // what the weights of a side may leave of their sum

// ---- meshes ----

static const char *mesh_differs(const cn_model *model, const model_deformable *own,
                                const cn_run_mesh *row) {
    const fe_mesh *mesh = own->mesh;
    const fe_element *element = mesh->element;
    size_t numbers = (size_t)model->dim * (size_t)mesh->nodes,
           corners = (size_t)element->nodes * (size_t)mesh->elements,
           faces = (size_t)element->face_nodes * (size_t)mesh->faces;
    bool alike = row->body == own->body + 1 && strcmp(row->element, element->name) == 0 &&
                 row->node_count == mesh->nodes && row->element_count == mesh->elements &&
                 row->face_count == mesh->faces;
    return !alike                                                                ? "sizes"
           : memcmp(row->nodes, mesh->node, sizeof(double) * numbers) != 0       ? "nodes"
           : memcmp(row->elements, mesh->corner, sizeof(int32_t) * corners) != 0 ? "elements"
           : memcmp(row->faces, mesh->face, sizeof(int32_t) * faces) != 0        ? "surface"
                                                                                 : NULL;
}

cn_status check_meshes(check_checking *check) {
    const cn_model *model = check->model;
    cn_run_mesh *rows;
    int32_t count;
    if (!model || model->deformable_count == 0) {
        return CN_OK;
    }
    base_arena_mark mark = base_arena_get_mark(check->memory);
    cn_status status = cn_run_meshes(check->run, check->memory, &rows, &count, check->error);
    if (status == CN_OK && count != model->deformable_count) {
        check_find(check, "mesh", -1, count, model->deformable_count, "meshes are missing");
    }
    for (int32_t i = 0; status == CN_OK && i < count && count == model->deformable_count; i++) {
        const char *differs = mesh_differs(model, model->deformables[i], &rows[i]);
        if (differs) {
            check_find(check, "mesh", -1, rows[i].body, 0.0,
                       "%s of the mesh of body %d are not those of the scene", differs,
                       (int)model->deformables[i]->body + 1);
        }
    }
    base_arena_release(check->memory, mark);
    return status;
}

// ---- nodes ----

// The velocities of nodes behind those of bodies; NULL: there are none of either.
static double *joined(check_checking *check, const double *bodies, const double *nodes) {
    const cn_model *model = check->model;
    int64_t first = model_node_velocity(model, 0),
            all = model_node_velocity(model, model->node_count);
    double *out = bodies && nodes ? BASE_TAKE(check->frame_memory, double, all) : NULL;
    if (out) {
        memcpy(out, bodies, sizeof *out * (size_t)first);
        memcpy(out + first, nodes, sizeof *out * (size_t)(all - first));
    }
    return out;
}

static bool read_node_row(check_checking *check, io_statement *select) {
    check_frame *frame = &check->frame;
    int64_t count = (int64_t)check->model->dim * check->model->node_count;
    size_t before = 0;
    frame->x = check_read_numbers(check, select, 0, count, "nodes", "x");
    double *v = check_read_numbers(check, select, 1, count, "nodes", "v"), *v_before = NULL;
    io_column_blob(select, 2, &before);
    if (before > 0) {
        v_before = check_read_numbers(check, select, 2, count, "nodes", "v_before");
    }
    if (!frame->x || !v || (before > 0 && !v_before)) {
        frame->x = NULL;
        return false;
    }
    frame->v = joined(check, frame->v, v);
    frame->v_before = joined(check, frame->v_before, v_before);
    return frame->v != NULL;
}

cn_status check_read_nodes(check_checking *check, bool *sound) {
    bool there;
    CN_TRY(check_read_row(check, "nodes", "SELECT x,v,v_before FROM nodes WHERE step=?", NULL,
                          read_node_row, &there, sound));
    if (!there) {
        check_find(check, "nodes", check->frame.step, 0.0, 1.0, "the row of this step is missing");
        *sound = false;
    }
    return CN_OK;
}

// ---- sides ----

static int32_t *read_whole(check_checking *check, io_statement *select, int32_t column,
                           int64_t *count) {
    size_t size;
    const void *bytes = io_column_blob(select, column, &size);
    int32_t *out = BASE_TAKE(check->frame_memory, int32_t, (int64_t)(size / sizeof *out) + 1);
    *count = size % sizeof *out == 0 ? (int64_t)(size / sizeof *out) : -1;
    if (out && size > 0 && *count >= 0) {
        memcpy(out, bytes, size);
    }
    return out;
}

#define WEIGHT_MAX 1e6 // rows of nodes that overlap by little look far ahead

static int node_compare(const void *a, const void *b) {
    int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return (p > q) - (p < q);
}

static bool is_on_surface(const fe_mesh *mesh, int32_t node) {
    return bsearch(&node, mesh->surface_node, (size_t)mesh->surface_nodes, sizeof node,
                   node_compare) != NULL;
}

// A part names a node of the surface of one of the two bodies, or a rigid one of them.
static bool part_is_possible(const check_checking *check, int32_t contact, int32_t part) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[contact];
    int32_t body = frame->part_body[part], node = frame->part_node[part];
    if (body != c->candidate && body != c->antagonist) {
        return false;
    }
    const model_deformable *own = model_deformable_of(model, body - 1);
    return fabs(frame->part_weight[part]) <= WEIGHT_MAX &&
           (own ? is_on_surface(own->mesh, node) : node == -1);
}

// Weights of the candidate sum to 1, those of the antagonist to -1.
static bool sides_are_possible(const check_checking *check, int32_t contact) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[contact];
    double sum[2] = {0.0, 0.0};
    bool parts = frame->part_start[contact] < frame->part_start[contact + 1];
    bool deformed = model_is_deformable(model, c->candidate - 1) ||
                    model_is_deformable(model, c->antagonist - 1);
    for (int32_t k = frame->part_start[contact]; k < frame->part_start[contact + 1]; k++) {
        if (!part_is_possible(check, contact, k)) {
            return false;
        }
        sum[frame->part_body[k] == c->candidate ? 0 : 1] += frame->part_weight[k];
    }
    return parts == deformed &&
           (!parts || (fabs(sum[0] - 1.0) <= WEIGHT_ROUND && fabs(sum[1] + 1.0) <= WEIGHT_ROUND));
}

static bool read_side_row(check_checking *check, io_statement *select) {
    check_frame *frame = &check->frame;
    int64_t count[3];
    size_t size;
    io_column_blob(select, 3, &size);
    frame->part_start = read_whole(check, select, 0, &count[0]);
    frame->part_body = read_whole(check, select, 1, &count[1]);
    frame->part_node = read_whole(check, select, 2, &count[2]);
    frame->part_weight =
        check_read_numbers(check, select, 3, (int64_t)(size / sizeof(double)), "side", "weight");
    bool sound = frame->part_start && frame->part_body && frame->part_node &&
                 (frame->part_weight || size == 0) && count[0] == (int64_t)frame->contacts + 1 &&
                 count[1] == count[2] && size == sizeof(double) * (size_t)count[1] &&
                 frame->part_start[0] == 0 && frame->part_start[frame->contacts] == count[1];
    for (int32_t c = 0; sound && c < frame->contacts; c++) {
        sound = frame->part_start[c] <= frame->part_start[c + 1] &&
                frame->part_start[c + 1] <= count[1];
    }
    for (int32_t c = 0; sound && c < frame->contacts; c++) {
        sound = sides_are_possible(check, c);
    }
    if (!sound) {
        frame->part_start = NULL;
        check_find(check, "side", frame->step, (double)count[0], (double)frame->contacts + 1.0,
                   "the sides of the contacts cannot be these");
    }
    return sound;
}

cn_status check_read_sides(check_checking *check, bool *sound) {
    const check_frame *frame = &check->frame;
    bool there, deformed = false;
    CN_TRY(check_read_row(check, "side", "SELECT start,body,node,weight FROM side WHERE step=?",
                          NULL, read_side_row, &there, sound));
    for (int32_t c = 0; c < frame->contacts; c++) {
        deformed = deformed || model_is_deformable(check->model, frame->contact[c].candidate - 1) ||
                   model_is_deformable(check->model, frame->contact[c].antagonist - 1);
    }
    if (!there && deformed && frame->v_before) {
        check_find(check, "side", frame->step, 0.0, 1.0, "the row of this step is missing");
        *sound = false;
    }
    return CN_OK;
}
