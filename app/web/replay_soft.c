// app/web/replay_soft.c
// The deformable bodies of a run as the page sees them; see replay.h.
#include "web/replay.h"

#include "support/json.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

cn_status replay_meshes(replay_file *replay, cn_error *error) {
    replay->memory = cn_arena_create(NULL);
    if (!replay->memory) {
        return error_memory(error);
    }
    CN_TRY(cn_run_meshes(replay->run, replay->memory, &replay->soft, &replay->soft_count, error));
    for (int32_t i = 0; i < replay->soft_count; i++) {
        replay->elements += replay->soft[i].element_count;
    }
    return CN_OK;
}

// The mesh of a body that is alike, and was written before.
static bool meshes_agree(const cn_run_mesh *a, const cn_run_mesh *b, int32_t dim) {
    return strcmp(a->element, b->element) == 0 && a->node_count == b->node_count &&
           a->element_count == b->element_count && a->face_count == b->face_count &&
           memcmp(a->nodes, b->nodes, sizeof *a->nodes * (size_t)(dim * a->node_count)) == 0 &&
           memcmp(a->elements, b->elements,
                  sizeof *a->elements * (size_t)(a->per_element * a->element_count)) == 0;
}

static void put_ints(json_writer *json, const char *key, const int32_t *list, int64_t count) {
    put_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) {
        put_int(json, NULL, list[i]);
    }
    put_close(json, ']');
}

static void put_numbers(json_writer *json, const char *key, const double *x, int64_t count) {
    put_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) {
        put_real(json, NULL, x[i]);
    }
    put_close(json, ']');
}

static void put_mesh(json_writer *json, const cn_run_mesh *mesh, int32_t dim) {
    put_open(json, NULL, '{');
    put_text(json, "element", mesh->element);
    put_int(json, "per_element", mesh->per_element);
    put_int(json, "per_face", mesh->per_face);
    put_numbers(json, "nodes", mesh->nodes, dim * mesh->node_count);
    put_ints(json, "elements", mesh->elements, (int64_t)mesh->per_element * mesh->element_count);
    put_ints(json, "faces", mesh->faces, (int64_t)mesh->per_face * mesh->face_count);
    put_close(json, '}');
}

cn_status replay_put_deformable(replay_file *replay, json_writer *json, cn_error *error) {
    int32_t *number = ALLOCATE(int32_t, replay->soft_count),
            *last = ALLOCATE(int32_t, replay->soft_count);
    int32_t kinds = 0, pose = replay->dim == 3 ? 7 : 3;
    int64_t step;
    double t;
    cn_status status = cn_run_frame_count(replay->run) > 0
                           ? cn_run_frame(replay->run, 0, &step, &t, replay->q, replay->v, error)
                           : CN_OK;
    put_open(json, "deformable", '[');
    for (int32_t i = 0; i < replay->soft_count && status == CN_OK; i++) {
        const cn_run_mesh *mesh = &replay->soft[i];
        number[i] = kinds;
        for (int32_t k = kinds - 1; k >= 0 && number[i] == kinds; k--) {
            number[i] = meshes_agree(&replay->soft[last[k]], mesh, replay->dim) ? k : kinds;
        }
        if (number[i] == kinds) {
            last[kinds++] = i;
        }
        put_open(json, NULL, '{');
        put_int(json, "body", mesh->body - 1);
        put_int(json, "mesh", number[i]);
        put_numbers(json, "place", replay->q + (int64_t)pose * (mesh->body - 1), pose);
        put_close(json, '}');
    }
    put_close(json, ']');
    put_open(json, "meshes", '[');
    for (int32_t k = 0; k < kinds; k++) {
        put_mesh(json, &replay->soft[last[k]], replay->dim);
    }
    put_close(json, ']');
    free(number);
    free(last);
    return status;
}

// Stresses of all elements, where the scene is known.
static cn_status replay_stresses(replay_file *replay, const double *x) {
    int32_t pose = replay->dim == 3 ? 7 : 3;
    int64_t at = 0;
    if (!replay->model) {
        return CN_OK;
    }
    if (!replay->stress) {
        replay->stress = ALLOCATE(double, 6 * replay->elements);
    }
    for (int32_t i = 0; i < replay->soft_count; i++) {
        const cn_run_mesh *mesh = &replay->soft[i];
        cn_stress *stress = ALLOCATE(cn_stress, mesh->element_count);
        cn_status status = cn_model_stresses(replay->model, mesh->body,
                                             replay->q + (int64_t)pose * (mesh->body - 1),
                                             x + (int64_t)replay->dim * mesh->first_node, stress);
        for (int32_t e = 0; e < mesh->element_count; e++, at++) {
            memcpy(replay->stress + 6 * at, stress[e].stress, sizeof stress[e].stress);
        }
        free(stress);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

cn_status replay_soft(replay_file *replay, int64_t place, cn_arena *memory, message_soft *out,
                      cn_error *error) {
    cn_run_node_state nodes;
    *out = (message_soft){.nodes = 0};
    if (replay->soft_count == 0) {
        return CN_OK;
    }
    CN_TRY(cn_run_nodes(replay->run, place, memory, &nodes, error));
    CN_TRY(replay_stresses(replay, nodes.x));
    *out = (message_soft){.x = nodes.x,
                          .nodes = nodes.count,
                          .stress = replay->stress,
                          .elements = replay->stress ? replay->elements : 0};
    return CN_OK;
}
